// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The solid that a mesh bounds: for each triangle the side on which it is.

#pragma once

#include "base/alloc.h"
#include "base/budget.h"
#include "bvh/tree.h"
#include "dualbvh/collide.h"
#include "query/common/workspace.h"
#include "query/overlap/clusters.h"

// The side of a triangle on which its solid is.
enum {
	DBVHI_SOLID_BELOW = 1,   // against its normal
	DBVHI_SOLID_ABOVE = -1,  // inside out
	DBVHI_SOLID_NEITHER = 0, // solid on both sides or on none, open, without an area, or a copy
	DBVHI_SOLID_CROSSED = 2, // another triangle that may bound the solid crosses it
};

#define DBVHI_NO_SIDE UINT32_MAX

// The box of some triangles of a mesh, in its frame, and the cone that holds their inward normals. See depth/cones.c.
typedef struct dbvhi_normal_cone {
	float low[3], high[3];
	float axis[3]; // a unit vector, nearly
	float enough;  // all normals face a direction whose product with the axis is above this
} dbvhi_normal_cone;

#define DBVHI_CONE_FACES_NONE 2.0f

typedef struct dbvhi_solid_sides {
	const dbvh_tree *tree; // only compared
	uint64_t hash, revision, used;
	size_t triangle_count;
	dbvh_fill_rule fill;
	int8_t *side;    // by triangle
	uint32_t *shell; // by triangle that bounds: triangles joined through edges, numbered by their lowest triangle
	size_t side_capacity, shell_capacity;
	// By side of a triangle that bounds: the side of the only other triangle that bounds at the edge; DBVHI_NO_SIDE
	// where there are more, or where one of the two is crossed.
	uint32_t *across;
	size_t across_capacity;
	uint32_t *first; // the first triangle of each shell
	double *bounds;  // 6 a shell: its box, in the mesh's frame
	size_t shell_count, first_capacity, bounds_capacity;
	dbvhi_clusters clusters;
	dbvhi_normal_cone *cones; // levels of halves, blocks of triangles first; made when first asked for
	float ( *inward )[3];     // by leaf: inward normals of length 1, zero where a triangle has none; made with cones
	size_t cone_capacity, inward_capacity;
	bool has_cones;
	uint32_t crossed[2]; // two triangles that cross, where any do
	bool has_crossed;
	bool ready;
} dbvhi_solid_sides;

// Learn about a tree. Errors: OUT_OF_MEMORY, and those of a budget.
dbvh_status dbvhi_solid_sides_learn( dbvhi_solid_sides *solid, const dbvh_tree *tree, const dbvh_allocator *allocator,
                                     dbvh_workspace *workspace, dbvhi_meter *meter );

// dbvh_self_collide() as a part of a call: within what is left of its budget, and charged to it.
dbvh_status dbvhi_self_collide_within( dbvhi_meter *meter, const dbvh_tree *tree, dbvh_collide_query query,
                                       dbvh_workspace *workspace, dbvh_collide_result *result_out );

void dbvhi_solid_sides_free( dbvhi_solid_sides *solid, const dbvh_allocator *allocator );
