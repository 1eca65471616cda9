// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The parts of `dualbvh check`: what is asked (check.c), answering it for one pose (check_run.c), overlaps and
// their depth (check_overlap.c), the two ways to print an answer (check_text.c, check_json.c), what the search cost
// (check_stats.c), and a file of answers (check_results.c).

#pragma once

#include "dualbvh/depth.h"
#include "dualbvh/overlap.h"
#include "load/pair.h"
#include "picture/outputs.h"
#include "results/results.h"

// Sums over all poses.
typedef struct check_stats {
	dbvh_counters counters; // counters of the intersection test and of --clearance
	double seconds;         // time of all queries
	size_t poses;
} check_stats;

typedef struct check_job {
	mesh_pair pair;
	results_options results;
	picture_outputs pictures;
	bool all, relation, contacts, allow_touching, wants_stats;
	bool overlap, depth; // measures of the overlap
	bool has_clearance, has_allowed_depth, has_allowed_volume;
	bool lists_pairs; // all that --all finds, not only how many
	const char *fill_name, *ellipsoids_name;
	check_stats stats;
	double clearance, allowed_depth, allowed_volume, timeout;
	dbvh_relate_query tolerance;
	// Buffers for results, which an answer points into.
	pair_buffer intersecting, near;
	dbvh_contacts *found;
	dbvh_overlap *solid;
	dbvh_component_depth *depths;
	size_t depth_capacity;
} check_job;

typedef enum interference {
	INTERFERENCE_NO,
	INTERFERENCE_YES,
	INTERFERENCE_UNDECIDABLE,
} interference;

// The answer at one pose. Parts that were not asked for are zero.
typedef struct check_answer {
	dbvh_collide_result surfaces; // do they intersect? Pairs are in job.intersecting
	dbvh_clearance_result near;   // are they within the clearance? Pairs are in job.near
	dbvh_relate_result relation;  // --relation
	dbvh_contacts_view contacts;  // --contacts
	// Overlaps, see check_wants_overlap(): what was not asked for is zero.
	dbvh_overlap_result overlap;
	dbvh_overlap_view components;       // the components that `overlap` counts
	const dbvh_component_depth *depths; // depths of the components; NULL: not measured
	dbvh_local_depth_result local;
	dbvh_penetration_result way_out;
	dbvh_fit_verdict fit; // NONE: the interiors are disjoint
	interference interference;
} check_answer;

// Answers for one pose; what the answer points to is good until the next call. DBVH_CANCELLED: only `interference` is
// to be looked at, and only where it is INTERFERENCE_YES.
dbvh_status check_run( check_job *w, const dbvh_pose *pose, check_answer *answer );

// Are overlaps, their depth or fits asked for?
bool check_wants_overlap( const check_job *w );
// Measures the overlap at a pose, and judges whether it is a fit.
dbvh_status check_overlap( check_job *w, const dbvh_pose *pose, check_answer *answer );
void check_text_overlap( const check_job *w, const check_answer *answer );
void check_json_overlap( json *j, const check_job *w, const check_answer *answer );

// Keeps the answer of a pose for the picture, if one is drawn.
void check_keep( check_job *w, size_t pose, const check_answer *answer, bool is_whole );

void check_free( check_job *w ); // the buffers

// --stats: add the counters of a pose, and print a table of the stages of the search under a policy.
void check_stats_add( check_stats *s, const check_answer *answer, double seconds );
void check_stats_print( const check_stats *s, dbvh_policy policy );

// Answers all poses into the file of --output. The exit status.
int check_to_file( check_job *w );

// JSON: json_begin, once a pose json_answer, json_end with the number of poses that were answered.
void check_json_begin( json *j, const check_job *w );
void check_json_answer( json *j, const check_job *w, size_t pose, const check_answer *answer );
void check_json_end( json *j, const check_job *w, size_t finished );

// Consecutive poses with the same text, and totals over all poses.
typedef struct check_text {
	size_t first, last;
	check_answer answer; // answer to the first pose
	size_t least, most;  // smallest and largest number of intersecting pairs
	size_t near_least, near_most;
	bool open;
	size_t intersecting, near, interfering, undecidable;
	size_t relations[DBVH_RELATION_UNDECIDABLE + 1];
} check_text;

// Zero-initialise, once a pose check_text_answer, check_text_end with the number of poses that were answered.
void check_text_answer( const check_job *w, check_text *t, size_t pose, const check_answer *answer );
void check_text_end( const check_job *w, check_text *t, size_t finished );
