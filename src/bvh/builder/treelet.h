// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Builds the default tree (boxes of least cost, splits by cost), sixteen nodes at a time.
//
// The work on a small node is too little to fill a vector, and its steps depend on each other. So independent nodes are
// fitted side by side, one a lane: those below a *treelet*, a node of so few triangles that all its data stays in the
// nearest caches. Larger nodes are fitted alone. Compiled once for each instruction set; a lane is computed by the same
// operations in all of them, so the tree is the same.

#pragma once

#include "bvh/builder/fit.h"
#include "simd/isa.h"

#define DBVHI_TREELET 256
#define DBVHI_LANES 16

// A node to be fitted: its slot, the first slot of its descendants, its triangles.
typedef struct dbvhi_fit_task {
	uint32_t node, block, low, count, depth;
	dbvhi_frame parent;
} dbvhi_fit_task;

// Parameters of a build.
typedef struct dbvhi_build_plan {
	const dbvh_tree_options *options;
	dbvhi_node *nodes;
	uint32_t free_depth; // from this depth on nodes are split at the median
	double factor;       // power of two that stored positions and extents (not frames) are scaled by
	double limit;        // limit of centres, see dbvhi_fit_node()
	// Nodes of up to four triangles, the leaves of the packed form, get no descendants, only the order and the depth
	// that these would have.
	bool to_pack;
} dbvhi_build_plan;

struct dbvhi_treelet_memory;

// Area, first and second moments of a surface (xx, yy, zz, xy, yz, zx). Moments of two surfaces add up.
typedef struct dbvhi_surface_moments {
	double v[10];
} dbvhi_surface_moments;

// The functions of an instruction set.
typedef struct dbvhi_builder_isa {
	size_t memory; // bytes that a treelet needs, for each thread
	// Fits a node of more than DBVHI_TREELET triangles and rearranges these. Returns how many go left; *frame_out is
	// the frame that children are placed from. `scratch` has room for six doubles a triangle; triangles are rearranged
	// through `spare`.
	size_t ( *divide )( const dbvhi_build_plan *plan, const dbvhi_fit_task *task, const dbvhi_part *part,
	                    dbvhi_frame *frame_out, double *scratch, dbvhi_build_triangle *spare );
	// Builds a treelet to its leaves, and rearranges its triangles in their order. Returns the largest depth.
	uint32_t ( *treelet )( const dbvhi_build_plan *plan, const dbvhi_fit_task *root, const dbvhi_part *part,
	                       struct dbvhi_treelet_memory *memory );
	// Computes the moments of eight triangles: coordinate k of corner c of each at corners[3 c + k].
	void ( *moments )( double corners[9][8], dbvhi_surface_moments out[8] );
	// Computes the principal axes of up to sixteen surfaces, that of the shortest extent first.
	void ( *axes )( const dbvhi_surface_moments *const of[DBVHI_LANES], int count, dbvhi_mat out[DBVHI_LANES] );
} dbvhi_builder_isa;

// The tables of all instruction sets, by dbvhi_isa_level().
extern const dbvhi_builder_isa *const dbvhi_builder_table[DBVHI_ISA_COUNT];
