// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Compare two whole meshes: the pose between them, their balls, and the fifteen axes of their boxes (Gottschalk, Lin
// and Manocha 1996; the same for bodies of a scene in scene/boxes.c), an axis a lane where the set has four doubles in
// a vector. Elsewhere splitting vectors costs more than it saves.

#include "base/inline.h"
#include "query/common/roots.h"
#include "simd/kernel_name.h"
#include "simd/vec_d.h"

#include <math.h>

// Bounds the rounding of everything that is compared here. u = 2^-53; O is the sum of the offsets of both roots and of
// the pose, which no partial sum of the way between the roots exceeds; S bounds the extents of both volumes, and the
// way between the centres once the balls are known to be near each other.
//     the way between the centres   five roundings of each term, 5 u O; 7 u S more once it is turned into A's axes
//     the turn of B in A's axes     two products of matrices, 12 u an entry: 36 u S by the extents, as much by the way
//     what is compared              up to 16 u S
// On an axis of B and on a product of edges these come together once each; nowhere more than 5 u O + 130 u S. Where the
// pose deviates by d from a rotation, its axes of B are off from right angles by d: what B extends along one of its
// own, or along a product, is off by at most 3 d of the sum of its half lengths, and its ball is stretched by d. A's
// size is charged with that, too, which spares a sum.
typedef struct margin_shares {
	double offset, half, radius; // shares of every offset, half length and radius
} margin_shares;

LANES_INLINE margin_shares shares_of( double deviation ) {
	const double size = 256.0 * 0x1p-53 + 4.0 * deviation;
	return ( margin_shares ){ 32.0 * 0x1p-53, size, 4.0 * size };
}

#define LEAST_MARGIN 0x1p-1040

// The margin in the reach covers what squares lose relatively; the last term covers underflow.
LANES_INLINE int are_balls_disjoint( double square, double reach ) {
	return square > reach * reach + 0x1p-1060;
}

// TOUCHING: along the normal of a face the boxes overlap by some 10^-11 of their size at most, as those of parts that
// were drawn in place do.
LANES_INLINE dbvhi_roots verdict_of( double gap, double faces, double margin ) {
	if ( gap > margin )
		return DBVHI_ROOTS_BOXES_DISJOINT;
	return faces > -0x1p10 * margin ? DBVHI_ROOTS_TOUCHING : DBVHI_ROOTS_NEAR;
}

#if WIDTH >= 4

// Vectors of three doubles are read together with the number that follows them in a pose or node; only three lanes
// count.
_Static_assert( sizeof( dbvh_pose ) == 12 * sizeof( double ) && offsetof( dbvh_pose, pos ) == 9 * sizeof( double ),
                "" );
_Static_assert( offsetof( dbvhi_node, pos ) == 9 * sizeof( double ), "" );
_Static_assert( offsetof( dbvhi_node, half ) == 12 * sizeof( double ), "" );
_Static_assert( offsetof( dbvhi_node, sphere_outside ) == 15 * sizeof( double ), "" );
#define POS 9
#define HALF 12
#define SPHERE 15

LANES_INLINE double4 at( const void *of, int first ) {
	double4 x;
	memcpy( &x, (const char *)of + sizeof( double ) * (size_t)first, sizeof x );
	return x;
}

LANES_INLINE double4 all( double x ) {
	return ( double4 ){ x, x, x, x };
}

// The sums u x[0] + v x[1] + w x[2] and sum + w[0] x[0] + w[1] x[1] + w[2] x[2].
LANES_INLINE double4 combined( double u, double v, double w, const double4 x[3] ) {
	return double4_fma( all( u ), x[0], double4_fma( all( v ), x[1], all( w ) * x[2] ) );
}

LANES_INLINE double4 combined_on( double4 sum, const double w[3], const double4 x[3] ) {
	return double4_fma( all( w[0] ), x[0], double4_fma( all( w[1] ), x[1], double4_fma( all( w[2] ), x[2], sum ) ) );
}

LANES_INLINE double largest_of( double4 x ) {
	const double two = x[0] > x[1] ? x[0] : x[1];
	return two > x[2] ? two : x[2];
}

LANES_INLINE double sum_of( double4 x ) {
	return x[0] + x[1] + x[2];
}

// Rows become columns.
LANES_INLINE void transpose( const double4 row[3], double4 out[3] ) {
	out[0] = ( double4 ){ row[0][0], row[1][0], row[2][0], row[2][1] };
	out[1] = ( double4 ){ row[0][1], row[1][1], row[2][1], row[2][1] };
	out[2] = ( double4 ){ row[0][2], row[1][2], row[2][2], row[2][3] };
}

// The largest gap, or the first one found above `enough`. *faces_out: the largest along the normal of a face.
LANES_INLINE double largest_gap( const dbvhi_node *a, const dbvhi_node *b, const dbvh_pose *pose, double4 way,
                                 double enough, double *faces_out ) {
	double4 turned[3], r[3], f[3], columns[3];
	// B's axes in A's mesh, then in A's box: r[i][j] is a_i . b_j.
	const double4 axes_b[3] = { at( b, 0 ), at( b, 3 ), at( b, 6 ) };
	for ( int k = 0; k < 3; ++k )
		turned[k] = combined( pose->rot[k][0], pose->rot[k][1], pose->rot[k][2], axes_b );
	const double4 axes_a[3] = { at( a, 0 ), at( a, 3 ), at( a, 6 ) };
	const double4 t = combined( way[0], way[1], way[2], axes_a );
	for ( int i = 0; i < 3; ++i ) {
		r[i] = combined( a->rot.m[0][i], a->rot.m[1][i], a->rot.m[2][i], turned );
		f[i] = double4_abs( r[i] );
	}
	const double4 half_a = at( a, HALF ), half_b = at( b, HALF );
	const double *ha = a->half.v;
	// Axes of B, then of A.
	const double4 along = combined( t[0], t[1], t[2], r );
	double4 gap = double4_abs( along ) - combined_on( half_b, ha, f );
	transpose( f, columns );
	gap = double4_max( gap, double4_abs( t ) - combined_on( half_a, b->half.v, columns ) );
	const double faces = largest_of( gap );
	*faces_out = faces;
	if ( faces > enough )
		return faces;
	// Products of an edge of A with those of B.
	const double4 next_b = double4_next( half_b ), last_b = double4_next( next_b );
	for ( int i = 0; i < 3; ++i ) {
		const int i1 = ( i + 1 ) % 3, i2 = ( i + 2 ) % 3;
		const double4 next_f = double4_next( f[i] ), last_f = double4_next( next_f );
		const double4 of_b = double4_fma( next_b, last_f, last_b * next_f );
		const double4 reach = double4_fma( all( ha[i1] ), f[i2], double4_fma( all( ha[i2] ), f[i1], of_b ) );
		gap = double4_max( gap, double4_abs( double4_fma( all( t[i2] ), r[i1], all( -t[i1] ) * r[i2] ) ) - reach );
	}
	return largest_of( gap );
}

LANES_INLINE double margin_of( const dbvhi_node *a, const dbvhi_node *b, double4 pos, double deviation ) {
	const margin_shares of = shares_of( deviation );
	const double4 offsets = double4_abs( at( a, POS ) ) + double4_abs( at( b, POS ) ) + double4_abs( pos );
	const double4 halves = at( a, HALF ) + at( b, HALF );
	return sum_of( double4_fma( all( of.half ), halves, all( of.offset ) * offsets ) ) +
	       of.radius * ( a->radius + b->radius ) + LEAST_MARGIN;
}

LANES_INLINE dbvhi_roots compare_roots( const dbvhi_node *a, const dbvhi_node *b, const dbvh_pose *pose,
                                        double max_distance, double deviation ) {
	const double4 rows[3] = { at( pose, 0 ), at( pose, 3 ), at( pose, 6 ) }, last = at( pose, POS - 1 );
	const double4 pos = { last[1], last[2], last[3], last[3] };
	double4 columns[3];
	transpose( rows, columns );
	const double margin = margin_of( a, b, pos, deviation ) + dbvhi_distance_margin( max_distance, deviation );
	const double4 d = combined_on( pos, b->sphere_outside.v, columns ) - at( a, SPHERE );
	if ( are_balls_disjoint( sum_of( d * d ), a->radius + b->radius + margin ) )
		return DBVHI_ROOTS_BALLS_DISJOINT;
	const double4 way = combined_on( pos, b->pos.v, columns ) - at( a, POS );
	double faces;
	const double gap = largest_gap( a, b, pose, way, margin, &faces );
	return verdict_of( gap, faces, margin );
}

#else

LANES_INLINE double above( double a, double b ) {
	return a > b ? a : b;
}

LANES_INLINE double magnitude_of( double a ) {
	return __builtin_fabs( a );
}

LANES_INLINE double largest_gap( const dbvhi_node *a, const dbvhi_node *b, const dbvh_pose *pose, const double way[3],
                                 double enough, double *faces_out ) {
	const double *ha = a->half.v, *hb = b->half.v;
	double turned[3][3], r[3][3], f[3][3], t[3], most = -__builtin_inf();
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			turned[i][j] =
			    pose->rot[i][0] * b->rot.m[0][j] + pose->rot[i][1] * b->rot.m[1][j] + pose->rot[i][2] * b->rot.m[2][j];
		t[i] = way[0] * a->rot.m[0][i] + way[1] * a->rot.m[1][i] + way[2] * a->rot.m[2][i];
	}
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j ) {
			r[i][j] = a->rot.m[0][i] * turned[0][j] + a->rot.m[1][i] * turned[1][j] + a->rot.m[2][i] * turned[2][j];
			f[i][j] = magnitude_of( r[i][j] );
		}
	}
	for ( int i = 0; i < 3; ++i ) {
		const double along = t[0] * r[0][i] + t[1] * r[1][i] + t[2] * r[2][i];
		const double of_b = hb[0] * f[i][0] + hb[1] * f[i][1] + hb[2] * f[i][2];
		const double of_a = ha[0] * f[0][i] + ha[1] * f[1][i] + ha[2] * f[2][i];
		most = above( most, above( magnitude_of( t[i] ) - ha[i] - of_b, magnitude_of( along ) - hb[i] - of_a ) );
	}
	*faces_out = most;
	if ( most > enough )
		return most;
	for ( int i = 0; i < 3; ++i ) {
		const int i1 = ( i + 1 ) % 3, i2 = ( i + 2 ) % 3;
		for ( int j = 0; j < 3; ++j ) {
			const int j1 = ( j + 1 ) % 3, j2 = ( j + 2 ) % 3;
			const double reach = ha[i1] * f[i2][j] + ha[i2] * f[i1][j] + hb[j1] * f[i][j2] + hb[j2] * f[i][j1];
			most = above( most, magnitude_of( t[i2] * r[i1][j] - t[i1] * r[i2][j] ) - reach );
		}
	}
	return most;
}

LANES_INLINE dbvhi_vec moved( const dbvh_pose *pose, dbvhi_vec p ) {
	dbvhi_vec out;
	for ( int i = 0; i < 3; ++i )
		out.v[i] = pose->rot[i][0] * p.v[0] + pose->rot[i][1] * p.v[1] + pose->rot[i][2] * p.v[2] + pose->pos[i];
	return out;
}

LANES_INLINE dbvhi_roots compare_roots( const dbvhi_node *a, const dbvhi_node *b, const dbvh_pose *pose,
                                        double max_distance, double deviation ) {
	const margin_shares of = shares_of( deviation );
	double margin =
	    dbvhi_distance_margin( max_distance, deviation ) + of.radius * ( a->radius + b->radius ) + LEAST_MARGIN;
	for ( int k = 0; k < 3; ++k ) {
		margin += of.offset * ( fabs( a->pos.v[k] ) + fabs( b->pos.v[k] ) + fabs( pose->pos[k] ) );
		margin += of.half * ( a->half.v[k] + b->half.v[k] );
	}
	const dbvhi_vec d = dbvhi_sub( moved( pose, b->sphere_outside ), a->sphere_outside );
	if ( are_balls_disjoint( dbvhi_dot( d, d ), a->radius + b->radius + margin ) )
		return DBVHI_ROOTS_BALLS_DISJOINT;
	const dbvhi_vec way = dbvhi_sub( moved( pose, b->pos ), a->pos );
	double faces;
	const double gap = largest_gap( a, b, pose, way.v, margin, &faces );
	return verdict_of( gap, faces, margin );
}

#endif

// The deviation that dbvhi_pose_check() computes, bit by bit, for a pose that it accepts; negative for any other.
LANES_INLINE double deviation_of( const dbvh_pose *pose ) {
	const double( *m )[3] = pose->rot;
	double trace, most;
#if WIDTH >= 4
	const double4 row[3] = { double4_load3( m[0] ), double4_load3( m[1] ), double4_load3( m[2] ) };
	double4 product[3];
	for ( int i = 0; i < 3; ++i )
		product[i] = m[0][i] * row[0] + m[1][i] * row[1] + m[2][i] * row[2];
	product[0] -= ( double4 ){ 1, 0, 0, 0 };
	product[1] -= ( double4 ){ 0, 1, 0, 0 };
	product[2] -= ( double4 ){ 0, 0, 1, 1 };
	trace = product[0][0] + product[1][1] + product[2][2];
	const double4 largest =
	    double4_max( double4_abs( product[0] ), double4_max( double4_abs( product[1] ), double4_abs( product[2] ) ) );
	most = dbvhi_larger( dbvhi_larger( largest[0], largest[1] ), largest[2] );
#else
	trace = 0.0;
	most = 0.0;
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = i; j < 3; ++j ) {
			const double off = m[0][i] * m[0][j] + m[1][i] * m[1][j] + m[2][i] * m[2][j] - ( i == j ? 1.0 : 0.0 );
			trace += i == j ? off : 0.0;
			most = dbvhi_larger( most, fabs( off ) );
		}
	}
#endif
	const double turn = m[0][0] * ( m[1][1] * m[2][2] - m[1][2] * m[2][1] ) -
	                    m[0][1] * ( m[1][0] * m[2][2] - m[1][2] * m[2][0] ) +
	                    m[0][2] * ( m[1][0] * m[2][1] - m[1][1] * m[2][0] );
	const double deviation = most + DBVHI_POSE_ROUNDING;
	// A number that is not finite makes the trace infinite or NaN.
	return trace <= 1.0 && deviation <= DBVH_POSE_TOLERANCE && turn >= 0.0 ? deviation : -1.0;
}

dbvhi_roots_kernel DBVHI_KERNEL_NAME( dbvhi_roots_kernel );

dbvhi_roots DBVHI_KERNEL_NAME( dbvhi_roots_kernel )( const dbvhi_node *a, const dbvhi_node *b, const dbvh_pose *pose,
                                                     double max_distance, double *deviation_io ) {
	const double far = fabs( pose->pos[0] ) + fabs( pose->pos[1] ) + fabs( pose->pos[2] );
	double deviation = *deviation_io;
	if ( deviation < 0.0 ) {
		deviation = deviation_of( pose );
		*deviation_io = deviation;
	}
	// note: the negation refuses NaN, too.
	if ( !( deviation >= 0.0 && far <= DBVHI_PACKED_REACH ) )
		return DBVHI_ROOTS_REFUSED;
	return compare_roots( a, b, pose, max_distance, deviation );
}
