// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The same answers everywhere: 10^5 queries of every kind, and one number over all answers that the headers promise to
// be the same bytes on every machine. Left out, because they may differ or are promised within rounding only: counters,
// which pair DBVH_FIND_ANY reports, points that are rounded more than once, lengths and areas of contacts, separations,
// measures of overlaps but for the volume as a float, and how deep they are.
// A time of impact is hashed in steps of 1/64 of the motion, since it is promised within a tolerance.
//
// These files need nothing but the library: whoever builds it for another system builds inputs.c, answers.c, ask_*.c
// and main.c with it.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// The number. It changes only with the questions, never with the answers: a library that gives another one is wrong.
#define ANSWERS_HASH UINT64_C( 0x932ec1408238e2ca )

// The number over the first lots alone, a tenth of the queries, for emulators.
#define ANSWERS_FEW_HASH UINT64_C( 0x4eafc11358a3c4e5 )

enum { ANSWERS_LOTS = 250, ANSWERS_FEW_LOTS = 25 };

typedef enum answers_kind {
	ANSWERS_TREES,
	ANSWERS_COLLIDE,
	ANSWERS_CLEARANCE,
	ANSWERS_DISTANCE,
	ANSWERS_TOI,
	ANSWERS_RELATE,
	ANSWERS_LOCATE,
	ANSWERS_RAYCAST,
	ANSWERS_CLOSEST_POINT,
	ANSWERS_CONTACTS,
	ANSWERS_SELF,
	ANSWERS_SHAPES,
	ANSWERS_PRIMITIVES,
	ANSWERS_SCENES,
	ANSWERS_OVERLAPS,
	ANSWERS_DEPTHS,
	ANSWERS_KIND_COUNT
} answers_kind;

extern const char *const answers_kind_names[ANSWERS_KIND_COUNT];

typedef struct answers_options {
	uint32_t threads;  // threads of each call that takes a number of them; 0 stands for 1
	bool in_all_modes; // each lot of queries in another mode of the floating-point unit
	bool few;          // only the first lots: the hash is ANSWERS_FEW_HASH then
	FILE *save_trees;  // gets the files of all trees, one behind the other
	FILE *load_trees;  // such a stream, read in place of building trees; may be one that another machine wrote
} answers_options;

typedef struct answers_result {
	uint64_t hash; // over all kinds
	uint64_t hashes[ANSWERS_KIND_COUNT];
	uint64_t queries[ANSWERS_KIND_COUNT];
	uint64_t yes[ANSWERS_KIND_COUNT]; // answers of those that meet, hit or are inside
	uint64_t query_count;
	double time_margin;    // the least distance of a time of impact from a step of 1/64, in steps
	char failed_call[256]; // the first call that returned an error, or changed the mode; empty: none
} answers_result;

// Ask all queries, or the first lots.
void answers_run( const answers_options *options, answers_result *result );
