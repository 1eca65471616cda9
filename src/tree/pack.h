// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The packed form of a tree: the reference tree with four children a node and up to four triangles a leaf, in floats.

#pragma once

#include "dualbvh/base.h"
#include "simd/packed.h"

struct dbvh_tree;

#define DBVHI_PACKED_VERSION 2

// One relocatable block: this header, then the spheres of all nodes, their boxes, and the leaves. Positions are relative to `centre`.
typedef struct dbvhi_packed {
	uint32_t version;
	uint32_t depth; // nodes on the longest way down, leaves not counted
	uint64_t bytes; // of the whole block
	uint64_t content_hash;
	uint32_t node_count, leaf_count;
	uint64_t sphere_offset, box_offset, leaf_offset;
	double centre[3];
	double extent; // no child's centre and no corner is farther from `centre`
	double unit;   // the power of two that makes 2^15 to 2^16 of it
} dbvhi_packed;

static inline const dbvhi_packed_spheres *dbvhi_packed_spheres_of( const dbvhi_packed *packed ) {
	return (const dbvhi_packed_spheres *)( (const char *)packed + packed->sphere_offset );
}

static inline const dbvhi_packed_box *dbvhi_packed_boxes_of( const dbvhi_packed *packed ) {
	return (const dbvhi_packed_box *)( (const char *)packed + packed->box_offset );
}

static inline const dbvhi_packed_leaf *dbvhi_packed_leaves_of( const dbvhi_packed *packed ) {
	return (const dbvhi_packed_leaf *)( (const char *)packed + packed->leaf_offset );
}

// Packs a tree that has been built. Leaves *packed_out NULL, with DBVH_OK, where floats would not do: a mesh smaller
// than 2^-40 or larger than 2^40, or leaves of more than four triangles. Queries go by the reference tree then.
// The block does not depend on the number of threads.
dbvh_status dbvhi_pack( const struct dbvh_tree *tree, uint32_t thread_count, dbvhi_packed **packed_out );

// Checks the packed form of a tree against its triangles: links, every triangle in one leaf, volumes that enclose,
// grids that are as near as they claim. `seen` is a zeroed byte a triangle. NULL if all is well, else the first broken
// rule.
const char *dbvhi_packed_broken_rule( const struct dbvh_tree *tree, unsigned char *seen );
