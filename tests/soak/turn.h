// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Poses whose entries are whole numbers over a power of two, so that what they place has whole coordinates, too.

#pragma once

#include "dualbvh/base.h"
#include "support/rng.h"

#include <math.h>

// Fine enough that a rounded rotation is accepted: a deviation of some 2^-21.
#define TURN_BITS 22
#define TURN_ONE ( INT64_C( 1 ) << TURN_BITS )

typedef struct whole_pose {
	int64_t rot[3][3], pos[3]; // over `one`
	int64_t one;               // 1, or TURN_ONE
} whole_pose;

// A turn by right angles, and a move by up to `reach`.
static inline whole_pose right_pose( rng *r, int64_t reach ) {
	static const int order[6][3] = { { 0, 1, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 0, 2, 1 }, { 2, 1, 0 }, { 1, 0, 2 } };
	whole_pose out = { .one = 1 };
	const uint64_t bits = rng_u64( r );
	const unsigned which = (unsigned)( bits % 6 );
	const int parity = which < 3 ? 1 : -1, s0 = bits >> 8 & 1 ? 1 : -1, s1 = bits >> 9 & 1 ? 1 : -1;
	const int sign[3] = { s0, s1, s0 * s1 * parity };
	for ( int k = 0; k < 3; ++k ) {
		out.rot[k][order[which][k]] = sign[k];
		out.pos[k] = (int64_t)rng_below( r, (uint64_t)( 2 * reach + 1 ) ) - reach;
	}
	return out;
}

// Any turn, rounded, and a move by up to `reach`, in steps of 2^-TURN_BITS.
static inline whole_pose any_pose( rng *r, double reach ) {
	double q[4], square = 0.0;
	do {
		square = 0.0;
		for ( int k = 0; k < 4; ++k ) {
			q[k] = rng_range( r, -1.0, 1.0 );
			square += q[k] * q[k];
		}
	} while ( !( square > 0.01 && square <= 1.0 ) );
	// Now and then nearly a right angle.
	if ( rng_below( r, 8 ) == 0 ) {
		for ( int k = 1; k < 4; ++k )
			q[k] *= 0x1p-20;
	}
	const dbvh_pose turned = dbvh_pose_from_quaternion( q, ( const double[3] ){ 0.0, 0.0, 0.0 } );
	whole_pose out = { .one = TURN_ONE };
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			out.rot[i][j] = (int64_t)llrint( turned.rot[i][j] * (double)TURN_ONE );
		out.pos[i] = (int64_t)llrint( rng_range( r, -reach, reach ) * (double)TURN_ONE );
	}
	return out;
}

static inline void whole_place( const whole_pose *pose, const int64_t in[9], int64_t out[9] ) {
	for ( int corner = 0; corner < 3; ++corner ) {
		const int64_t *const x = in + 3 * corner;
		for ( int k = 0; k < 3; ++k )
			out[3 * corner + k] =
			    pose->rot[k][0] * x[0] + pose->rot[k][1] * x[1] + pose->rot[k][2] * x[2] + pose->pos[k];
	}
}

// The pose as the library takes it, of meshes that are `scale`, a power of two, times as large.
static inline dbvh_pose whole_to_pose( const whole_pose *pose, double scale ) {
	dbvh_pose out;
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			out.rot[i][j] = (double)pose->rot[i][j] / (double)pose->one;
		out.pos[i] = (double)pose->pos[i] / (double)pose->one * scale;
	}
	return out;
}
