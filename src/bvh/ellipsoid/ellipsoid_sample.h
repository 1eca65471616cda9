// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Sample queries: the mesh against a copy of itself that comes in from a random direction, just before it touches, a
// little farther out, and a little farther in. They are made with boxes and spheres alone, as the reference traversal
// and as that of the packed form makes them. Of each pair of large nodes on the way it is written down what was done
// below it, and whether the two ellipsoids would have separated them.

#pragma once

#include "bvh/node.h"
#include "dualbvh/base.h"
#include "primitive/ellipsoid/ellipsoid.h"

#include <stdbool.h>
#include <stdint.h>

struct dbvh_tree;

enum {
	DBVHI_SAMPLE_POSES = 64,
	DBVHI_SAMPLE_OFFSETS = 4, // kinds of queries: from where the two touch, along the line of approach
	DBVHI_SAMPLE_INSIDE = 3,  // of these, the one where the two intersect
	DBVHI_SAMPLE_RECORDS = 1 << 17,
};
#define DBVHI_NO_RECORD UINT32_MAX

// Pairs of spheres, or of four by four; of boxes; and of triangles, or of leaves.
typedef struct dbvhi_work_done {
	uint32_t spheres, boxes, triangles;
} dbvhi_work_done;

// A copy that just touches, coming in along a line.
typedef struct dbvhi_approach {
	dbvhi_mat rot;
	dbvhi_vec along;
	double reach;
} dbvhi_approach;

typedef struct dbvhi_sample_record {
	uint32_t parent; // the record of the nearest pair above; DBVHI_NO_RECORD
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
	const dbvhi_frame *frames; // of each node, in the mesh
	const dbvhi_node_ellipsoid *found;
	uint32_t line_count; // to try for approaches, at most DBVHI_SAMPLE_POSES
	dbvhi_approach approaches[DBVHI_SAMPLE_POSES];
	uint32_t approach_count;
	uint8_t *number; // of each node: 1 + that of the candidate
	dbvhi_sample_record *records;
	uint32_t count; // of records
	dbvhi_sample samples[DBVHI_SAMPLE_POSES * DBVHI_SAMPLE_OFFSETS];
	uint32_t sample_count;
	// The query under way.
	dbvh_pose pose;
	double error;
	dbvhi_work_done done;
	uint32_t steps;
	bool recording, wide, over, met;
} dbvhi_profile;

// Finds lines of approach on which the copy touches the mesh.
void dbvhi_find_approaches( dbvhi_profile *p );

// Makes the queries; `wide`: as the packed form does.
void dbvhi_record_samples( dbvhi_profile *p, bool wide );
