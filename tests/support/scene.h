// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Shared parts of the tests of trees and queries: random meshes and poses, an allocator that counts and can be told to
// fail, and the comparison of a query with the oracle.

#pragma once

#include "dualbvh/dualbvh.h"
#include "shapes/shapes.h"
#include "support/rng.h"
#include "support/rounds.h"

// ------------------------------------------------------------------------------------------------
// Memory

// Books of an allocator. Give `ledger_allocator( &ledger )` to the library.
typedef struct ledger {
	size_t calls;       // successful and failed ones
	size_t fail_at;     // this call (from 1) fails, and all after it; 0: none
	bool once;          // only call `fail_at` fails
	size_t live;        // blocks not yet given back
	size_t bytes;       // their sizes as asked for
	size_t most;        // the most that these have been
	size_t mistakes;    // wrong sizes at free, odd alignments, requests for nothing
	unsigned char fill; // value of fresh memory, as a xor with 0xa5
} ledger;
dbvh_allocator ledger_allocator( ledger *books );

// ------------------------------------------------------------------------------------------------
// Meshes

// A number with few digits, so that coincidences are common: a multiple of 1/8 in [-1, 1].
double coarse( rng *r );

// Unrelated triangles in [-1, 1]^3 of about the given size. `odd` in 0..1 is the share of degenerate ones (needles,
// collinear corners, points) and duplicates. `grid` puts corners on multiples of 1/8.
void add_soup( shape *s, rng *r, size_t triangles, double size, double odd, bool grid );

// A flat square grid of 2 n^2 triangles in the plane z = 0, [0, 1]^2.
void add_grid( shape *s, uint32_t n );

// Multiplies and then moves every vertex from `first` on.
void scale_and_move( shape *s, size_t first, double scale, double x, double y, double z );

// A deep copy with every coordinate multiplied by 2^exponent.
shape scaled_copy( const shape *s, int exponent );

// ------------------------------------------------------------------------------------------------
// Poses

void random_direction( rng *r, double out[3] );
dbvh_pose random_pose( rng *r, double reach );
// Rotations by multiples of 90 degrees and moves by multiples of 1/8: without rounding.
dbvh_pose exact_pose( rng *r, double reach );
// Rounded to six digits after the point, as people type them; deviation up to 1.74e-6.
dbvh_pose six_digits( dbvh_pose pose );
// The pose, deformed by a deviation up to `deviation`, below the tolerance.
dbvh_pose sheared( rng *r, dbvh_pose pose, double deviation );

// ------------------------------------------------------------------------------------------------
// Comparison

// The truth about two posed meshes by the rule of query.h: which pose is taken literally, and which is composed.
size_t truth_of( const dbvh_mesh_view *a, const dbvh_pose *pose_a, const dbvh_mesh_view *b, const dbvh_pose *pose_b,
                 dbvh_pair **pairs_out );

typedef struct tally {
	uint64_t scenes, meeting, pairs, queries, differences;
	uint64_t exact_tests;
} tally;

// Compare a query with the truth: both orders, all policies, first and all, too little room and enough; counters for
// consistency. Differences are printed (a few) and counted.
void compare_query( tally *t, const char *what, const dbvh_tree *tree_a, const dbvh_mesh_view *a,
                    const dbvh_pose *pose_a, const dbvh_tree *tree_b, const dbvh_mesh_view *b, const dbvh_pose *pose_b,
                    dbvh_workspace *workspace );

// The same with trees built here, with random options.
void compare_meshes( tally *t, const char *what, rng *r, const shape *a, const dbvh_pose *pose_a, const shape *b,
                     const dbvh_pose *pose_b );

void print_tally( const char *what, const tally *t );

// Prints a pose as C, to be pasted into a test.
void print_pose( const char *name, const dbvh_pose *pose );

dbvh_tree_options random_options( rng *r );

// ------------------------------------------------------------------------------------------------
// Trees and answers. These end the program where they fail.

dbvh_tree *tree_of( const shape *s, const dbvh_tree_options *options );
dbvh_tree *tree_with_topology( const shape *s );
// tree_with_topology() of a shape that is freed then.
dbvh_tree *take_tree( shape *s );
// Options that every policy but the default and the packed one needs.
extern const dbvh_tree_options keeps_reference;
bool has_form( const dbvh_tree *a, const dbvh_tree *b, int policy );
dbvh_contacts *new_contacts( void );

// The relation of two solids, by rational volumes.
dbvh_relation oracle_relation( const shape *a, const shape *b, const dbvh_pose *pose );

// The relation of B to A, from that of A to B.
dbvh_relation swapped_relation( dbvh_relation r );
