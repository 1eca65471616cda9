// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Is a point inside a mesh? By the parity of the triangles that a ray crosses, exactly, with one ray.

#pragma once

#include "exact/spot.h"
#include "math/vec.h"
#include "tree/tree.h"

// A mesh in the frame of a query.
typedef struct dbvhi_placed {
	const dbvh_tree *tree; // with topology
	const dbvh_pose *pose; // of the query; applied if `moved`
	bool moved;
	double error; // of a rounded corner
} dbvhi_placed;

dbvhi_placed dbvhi_place( const dbvh_tree *tree, const dbvh_pose *pose, bool moved );

// Triangle `leaf`, in leaf order.
void dbvhi_placed_target( const dbvhi_placed *mesh, uint32_t leaf, dbvhi_target *target );

// A point of the query's frame in that of a mesh that is moved, rounded.
dbvhi_vec dbvhi_unplaced( const dbvhi_placed *mesh, dbvhi_vec x );

// The parity of the triangles of even components (see mesh/topology.h) that the ray from the probe along `axis`
// crosses: whether it is inside. The probe is not on the surface of the mesh.
bool dbvhi_is_inside( const dbvhi_placed *mesh, const dbvhi_probe *probe, int axis );

// Does the spot lie on a triangle? One without an area counts where `needles` says so.
bool dbvhi_is_on_surface( const dbvhi_placed *mesh, const dbvhi_spot *spot, bool needles );
