// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "query/collide/roots.h"

#include "base/assert.h"
#include "base/inline.h"
#include "query/collide/overlap.h"

#include <math.h>
#include <string.h>

// Bounds the rounding of everything that is compared here. u = 2^-53; O is the sum of the offsets of both roots and of
// the pose, which no partial sum of the way between the roots exceeds; S bounds the extents of both volumes, and the
// way between the centres once the balls are known to be near each other.
//     the way between the centres   five roundings of each term, 5 u O; 7 u S more once it is turned into A's axes
//     the turn of B in A's axes     two products of matrices, 12 u an entry: 36 u S by the extents, as much by the way
//     what is compared              up to 16 u S
// On an axis of B and on a product of edges these come together once each; nowhere more than 5 u O + 130 u S. Where the
// pose deviates by d from a rotation, its axes of B are off from right angles by d: what B extends along one of its
// own, or along a product, is off by at most 3 d of the sum of its half lengths, and its ball is stretched by d.
static double rounding_margin( const dbvhi_mesh_pair *pair, const dbvhi_node *a, const dbvhi_node *b ) {
	double offsets = 0.0;
	for ( int k = 0; k < 3; ++k )
		offsets += fabs( a->pos.v[k] ) + fabs( b->pos.v[k] ) + fabs( pair->pose.pos[k] );
	const double size_b = b->half.v[0] + b->half.v[1] + b->half.v[2] + 4.0 * b->radius;
	const double size = size_b + a->half.v[0] + a->half.v[1] + a->half.v[2] + 4.0 * a->radius;
	return 0x1p-53 * ( 32.0 * offsets + 256.0 * size ) + 4.0 * pair->deviation * size_b + 0x1p-1040;
}

DBVHI_INLINE double larger3( double a, double b, double c ) {
	return dbvhi_larger( dbvhi_larger( a, b ), c );
}

// The largest gap on an axis of either box, r being B's axes and t its centre in A's.
DBVHI_INLINE double gap_on_faces( const dbvhi_mat *r, const dbvhi_mat *f, dbvhi_vec t, dbvhi_vec a, dbvhi_vec b ) {
	double gap[6];
	for ( int i = 0; i < 3; ++i ) {
		const double along = t.v[0] * r->m[0][i] + t.v[1] * r->m[1][i] + t.v[2] * r->m[2][i];
		gap[i] = fabs( t.v[i] ) - a.v[i] - ( b.v[0] * f->m[i][0] + b.v[1] * f->m[i][1] + b.v[2] * f->m[i][2] );
		gap[3 + i] = fabs( along ) - b.v[i] - ( a.v[0] * f->m[0][i] + a.v[1] * f->m[1][i] + a.v[2] * f->m[2][i] );
	}
	return dbvhi_larger( larger3( gap[0], gap[1], gap[2] ), larger3( gap[3], gap[4], gap[5] ) );
}

// The largest on a product of an edge of A and one of B, none longer than 1.
DBVHI_INLINE double gap_on_edges( const dbvhi_mat *r, const dbvhi_mat *f, dbvhi_vec t, dbvhi_vec a, dbvhi_vec b ) {
	double largest = -INFINITY;
	for ( int i = 0; i < 3; ++i ) {
		const int i1 = ( i + 1 ) % 3, i2 = ( i + 2 ) % 3;
		for ( int j = 0; j < 3; ++j ) {
			const int j1 = ( j + 1 ) % 3, j2 = ( j + 2 ) % 3;
			const double reach =
			    a.v[i1] * f->m[i2][j] + a.v[i2] * f->m[i1][j] + b.v[j1] * f->m[i][j2] + b.v[j2] * f->m[i][j1];
			largest = dbvhi_larger( fabs( t.v[i2] * r->m[i1][j] - t.v[i1] * r->m[i2][j] ) - reach, largest );
		}
	}
	return largest;
}

bool dbvhi_roots_are_disjoint( const dbvhi_mesh_pair *pair, double max_distance, dbvh_counters *counters ) {
	DBVHI_ASSERT( max_distance >= 0.0 );
	const dbvhi_node *a = dbvhi_tree_root( pair->fixed ), *b = dbvhi_tree_root( pair->moved );
	dbvhi_mat pose;
	dbvhi_vec ball, way;
	memcpy( pose.m, pair->pose.rot, sizeof pose.m );
	memcpy( way.v, pair->pose.pos, sizeof way.v );
	const double margin = rounding_margin( pair, a, b ) + dbvhi_distance_margin( max_distance, pair->deviation );
	ball = dbvhi_add( dbvhi_mat_apply( &pose, b->sphere_outside ), way );
	counters->sphere_tests += 1;
	if ( dbvhi_spheres_disjoint( a->sphere_outside, a->radius, ball, b->radius, margin ) )
		return true;
	way = dbvhi_sub( dbvhi_add( dbvhi_mat_apply( &pose, b->pos ), way ), a->pos );
	const dbvhi_vec t = dbvhi_mat_apply_transposed( &a->rot, way );
	const dbvhi_mat turned = dbvhi_mat_mul( &pose, &b->rot ), r = dbvhi_mat_mul_transposed( &a->rot, &turned );
	dbvhi_mat f;
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			f.m[i][j] = fabs( r.m[i][j] );
	}
	counters->box_tests += 1;
	return gap_on_faces( &r, &f, t, a->half, b->half ) > margin || gap_on_edges( &r, &f, t, a->half, b->half ) > margin;
}
