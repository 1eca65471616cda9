// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#pragma once

#include "common/scene.h"
#include "support/rng.h"

#include <stdbool.h>

// Counts a failure and names it.
void selftest_expect( bool fact, const char *what );

// The distance by all pairs of triangles.
double selftest_brute_distance( const dbvh_mesh_view *view, const dbvh_pose *pose );

dbvh_pose selftest_random_pose( rng *r, double reach );

// The parts that the scenarios are made from.
void selftest_scenarios( rng *r, const scene_mesh *torus );
