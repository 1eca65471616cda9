// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The state of one run, and how a call is made: in the mode of the lot, its status checked, its answer hashed.

#pragma once

#include "answers.h"
#include "inputs.h"
#include "support/fpmode.h"

#include <string.h>

enum { RUN_PAIRS = 65536 };

typedef struct run {
	const answers_options *options;
	answers_result *result;
	uint64_t *hash; // the hash of the kind being asked
	answers_kind kind;
	uint32_t threads;
	fpmode mode;
	input_rng rng;
	dbvh_workspace *workspace;
	dbvh_contacts *contacts;
	dbvh_overlap *overlap;
	input_mesh meshes[2];
	dbvh_tree *solid[2]; // with topology and a reference tree
	dbvh_tree *plain[2]; // the packed form alone
	dbvh_pair *pairs;    // room for RUN_PAIRS
} run;

void run_enter( run *r );
void run_leave( run *r, dbvh_status status, const char *call );
void run_kind( run *r, answers_kind kind );

static inline void put( run *r, uint64_t x ) {
	*r->hash = ( *r->hash ^ x ) * UINT64_C( 0x9e3779b97f4a7c15 );
	*r->hash ^= *r->hash >> 29;
}

static inline void put_doubles( run *r, const double *x, size_t count ) {
	for ( size_t i = 0; i < count; ++i ) {
		uint64_t bits;
		memcpy( &bits, x + i, sizeof bits );
		put( r, bits );
	}
}

static inline void put_pair( run *r, dbvh_pair pair ) {
	put( r, (uint64_t)pair.a << 32 | pair.b );
}

// Hash a verdict, and count it.
static inline void put_verdict( run *r, bool yes ) {
	put( r, yes );
	r->result->yes[r->kind] += yes;
}

// Hash a time of impact in steps of 1/64.
void put_time( run *r, bool is_clear, double time );

// Make a call in the mode of the lot; the arguments hold no arithmetic.
#define ASK( r, call ) ( run_enter( r ), run_leave( r, ( call ), #call ) )

void ask_meshes( run *r );     // one mesh: self-intersection, rays, points, shapes
void ask_pairs( run *r );      // two meshes
void ask_primitives( run *r ); // no mesh
void ask_scene( run *r );      // many bodies
