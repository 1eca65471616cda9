// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Ellipsoids of reference tree nodes, in arrays of their own: trees without them are unchanged.

#pragma once

#include "bvh/ellipsoid_test.h"
#include "bvh/node.h"
#include "dualbvh/base.h"
#include "dualbvh/tree.h"
#include "primitive/ellipsoid/ellipsoid.h"

#include <stdbool.h>
#include <stdint.h>

// Fits and chooses ellipsoids as tree->options.ellipsoids says.
dbvh_status dbvhi_add_ellipsoids( dbvh_tree *tree );

// ------------------------------------------------------------------------------------------------
// The choice of nodes that get an ellipsoid: those for which it would have paid in sample queries of the mesh against
// itself.

struct dbvh_tree;

// DBVHI_ELLIPSOID_THINNEST bounds half lengths, as a part of the mesh's largest half extent; a smaller node, such as
// one of coincident points, has no ellipsoid.
#define DBVHI_ELLIPSOID_THINNEST 0x1p-28
bool dbvhi_may_have_ellipsoid( const struct dbvh_tree *tree, const dbvhi_node *node );

// Lists the nodes that may have an ellipsoid: inner ones, the largest.
uint32_t dbvhi_ellipsoid_candidates( const struct dbvh_tree *tree, uint32_t nodes_out[DBVHI_ELLIPSOIDS_MOST] );

// Sets `chosen` and `packed` of the candidates' ellipsoids; `found` has those of all nodes, others stay unchanged.
// `is_packed` has a bit for each node of the packed form.
dbvh_status dbvhi_choose_ellipsoids( const struct dbvh_tree *tree, const dbvhi_frame *frames, const uint32_t *nodes,
                                     uint32_t count, const uint64_t *is_packed, dbvhi_node_ellipsoid *found );

// Sets `packed` of the largest nodes of the packed form, whatever they gain.
void dbvhi_pack_all_ellipsoids( const struct dbvh_tree *tree, const uint64_t *is_packed, dbvhi_node_ellipsoid *found );

// ------------------------------------------------------------------------------------------------
// Sample queries: the mesh against a copy of itself that approaches from a random direction, just before it touches, a
// little farther out, and a little farther in. They use boxes and spheres only, in the order of the reference traversal
// or of the packed one. Each pair of large nodes is recorded with the work done below it, and whether its ellipsoids
// would have separated it.

struct dbvh_tree;

enum {
	DBVHI_SAMPLE_POSES = 64,
	DBVHI_SAMPLE_OFFSETS = 4, // kinds of queries, by offset from first touch along the line of approach
	DBVHI_SAMPLE_INSIDE = 3,  // the kind where the two intersect
	DBVHI_SAMPLE_RECORDS = 1 << 17,
};
#define DBVHI_NO_RECORD UINT32_MAX

// Counts of pairs: of spheres (or four by four), of boxes, and of triangles (or leaves).
typedef struct dbvhi_work_done {
	uint32_t spheres, boxes, triangles;
} dbvhi_work_done;

// A copy that just touches, approaching along a line.
typedef struct dbvhi_approach {
	dbvhi_mat rot;
	dbvhi_vec along;
	double reach;
} dbvhi_approach;

typedef struct dbvhi_sample_record {
	uint32_t parent; // record of the nearest pair above, or DBVHI_NO_RECORD
	uint8_t a, b;    // numbers of candidates
	bool separated, closed;
	dbvhi_work_done below;
} dbvhi_sample_record;

typedef struct dbvhi_sample {
	uint32_t first, count; // records
	uint32_t offset;
	dbvhi_work_done all;
} dbvhi_sample;

typedef struct dbvhi_profile {
	const struct dbvh_tree *tree;
	const dbvhi_frame *frames; // frame of each node in the mesh
	const dbvhi_node_ellipsoid *found;
	uint32_t line_count; // lines to try for approaches, at most DBVHI_SAMPLE_POSES
	dbvhi_approach approaches[DBVHI_SAMPLE_POSES];
	uint32_t approach_count;
	uint8_t *number; // by node: 1 + the index of the candidate, or 0
	dbvhi_sample_record *records;
	uint32_t count; // number of records
	dbvhi_sample samples[DBVHI_SAMPLE_POSES * DBVHI_SAMPLE_OFFSETS];
	uint32_t sample_count;
	// State of the current query.
	dbvh_pose pose;
	double error;
	dbvhi_work_done done;
	uint32_t steps;
	bool recording, wide, over, met;
} dbvhi_profile;

// Finds lines of approach on which the copy touches the mesh.
void dbvhi_find_approaches( dbvhi_profile *p );

// Runs the queries; `wide`: in the order of the packed form.
void dbvhi_record_samples( dbvhi_profile *p, bool wide );
