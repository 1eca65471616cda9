// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The three scenarios of Chang, Wang and Kim (2009), each measured into a report. All return false where only a slice
// was computed.

#pragma once

#include "common/experiment.h"
#include "paper/report.h"

// A mesh against its copy at 0 to 5 % of its size.
bool scenario1_run( const bench_options *options, report *out );

// The poses of scenario 1, and its mesh, to be freed.
pose_set scenario1_poses( const bench_options *options, scene_mesh *mesh_out );

// Concentric spheres: aligned, and with a fixed rotation between them, which the paper does not mention.
bool scenario2_run( const bench_options *options, report *aligned, report *turned );

// A hand that flies through the inside of an aeroplane, after Klosowski et al. (1998): all contacts.
bool scenario3_run( const bench_options *options, report *out );

// In the generated cabin this is where the hand intersects about as much as Klosowski's did: between cushions and arm
// rests.
#define SCENARIO3_HEIGHT 0.43

// Its poses, of the hand's own origin, at 44 % to 52 % of `height` (a part of it) times that of the cabin's box;
// `poses_out` has room for `count`.
void scenario3_path( const dbvh_mesh_view *cabin, const dbvh_mesh_view *hand, double height, size_t count,
                     dbvh_pose *poses_out );
