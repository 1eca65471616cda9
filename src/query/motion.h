// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// One search for the first contact: what moves how, and what has been found. Traversals say which triangles to compare,
// and leave out what certainly does not meet before `cutoff`; this keeps the books.

#pragma once

#include "dualbvh/motion.h"
#include "math/vec.h"
#include "query/workspace.h"
#include "tree/tree.h"

// Times a pair of nodes is divided in time, at most.
#define DBVHI_SWEEP_SPLITS 40

// Two nodes on the stack: where b lies in the frame of a's box at time `begin`, and how it goes on from there. A point
// x of that frame has the velocity move + turn x x, of which `shift` is the part that does not turn. Lengths are
// scaled.
typedef struct dbvhi_sweep_entry {
	dbvhi_mat rot;
	dbvhi_vec pos;
	dbvhi_vec move, turn, shift;
	double begin, end;
	double bound; // no contact before it
	uint32_t a, b;
	uint32_t splits;
} dbvhi_sweep_entry;

typedef struct dbvhi_sweep {
	const dbvh_tree *still, *moved;
	bool a_moves;                           // the caller's A is the moved mesh
	const dbvh_motion *motion_a, *motion_b; // as given, for the last word; NULL: at rest
	// All in the frame that goes with the mesh that does not turn, lengths multiplied by `scale`.
	double scale; // a power of two
	dbvh_pose still_pose;
	dbvh_motion motion; // of the moved mesh, of which `axis` has length 1
	double deviation;   // of both poses from rotations
	double size;        // bounds every coordinate, and the way
	double error;       // see motion.c
	double tolerance;
	// What has been found.
	double cutoff; // what does not meet before this need not be looked at
	double time;   // the least time of a pair that could not be advanced any further; INFINITY: none
	double upper;  // a time at which some pair meets; INFINITY: none is known
	double distance;
	bool met_there;                          // the pair that is named meets at that very time
	uint32_t still_triangle, moved_triangle; // in leaf order
	double point_still[3], point_moved[3], normal[3];
	dbvh_counters counters;
} dbvhi_sweep;

// The axis over its length. False where it has none.
bool dbvhi_motion_axis( const dbvh_motion *motion, double axis_out[3] );

// A lower bound of the time in which a gap is closed by something that comes nearer with at most `speed` now, and with
// at most `bend` more in each unit of time. What is not a number gives 0.
static inline double dbvhi_closing_time( double gap, double speed, double bend ) {
	double time = INFINITY;
	if ( bend > 0.0 ) {
		const double root = sqrt( speed * speed + 2.0 * bend * gap );
		time = speed > 0.0 ? 2.0 * gap / ( speed + root ) : ( root - speed ) / bend;
	} else if ( !( speed <= 0.0 ) ) {
		time = gap / speed;
	}
	return time > 0.0 && gap > 0.0 ? time * ( 1.0 - 0x1p-30 ) : 0.0;
}

// Compares triangle i of the mesh at rest with j of the moved one, both in leaf order, from time `begin` to `end`.
void dbvhi_sweep_triangles( dbvhi_sweep *sweep, uint32_t i, uint32_t j, double begin, double end );

// The traversal of two reference trees. `stack` has room for DBVHI_SWEEP_STACK.
void dbvhi_sweep_reference( dbvhi_sweep *sweep, dbvhi_sweep_entry *stack );

#define DBVHI_SWEEP_STACK( depth_a, depth_b ) ( ( depth_a ) + ( depth_b ) + DBVHI_SWEEP_SPLITS + 2 )
