// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Two whole meshes: the pose between them, their balls, and the fifteen axes of their boxes (Gottschalk, Lin and
// Manocha 1996), an axis a lane where the set has four doubles in a vector; elsewhere splitting vectors costs more than
// it saves.

#include "query/collide/overlap.h"
#include "query/collide/roots.h"
#include "simd/kernel_name.h"
#include "simd/vec_d.h"

#if WIDTH >= 4

LANES_INLINE double largest_gap( const dbvhi_node *a, const dbvhi_node *b, const dbvh_pose *pose,
                                 const double way[3] ) {
	double4 a_row[3], b_row[3], turned[3], r[3], f[3], t = { 0 };
	for ( int k = 0; k < 3; ++k ) {
		a_row[k] = double4_load3( a->rot.m[k] );
		b_row[k] = double4_load3( b->rot.m[k] );
	}
	// B's axes in A's mesh, then in A's box: r[i][j] is a_i . b_j.
	for ( int k = 0; k < 3; ++k ) {
		turned[k] = pose->rot[k][0] * b_row[0] + pose->rot[k][1] * b_row[1] + pose->rot[k][2] * b_row[2];
		t += way[k] * a_row[k];
	}
	for ( int i = 0; i < 3; ++i ) {
		r[i] = a->rot.m[0][i] * turned[0] + a->rot.m[1][i] * turned[1] + a->rot.m[2][i] * turned[2];
		f[i] = double4_abs( r[i] );
	}
	const double4 half_a = double4_load3( a->half.v ), half_b = double4_load3( b->half.v );
	const double *ha = a->half.v, *hb = b->half.v;
	// Axes of A: the columns of f.
	const double4 f0 = { f[0][0], f[1][0], f[2][0], f[2][0] }, f1 = { f[0][1], f[1][1], f[2][1], f[2][1] };
	const double4 f2 = { f[0][2], f[1][2], f[2][2], f[2][2] };
	double4 gap = double4_abs( t ) - half_a - ( hb[0] * f0 + hb[1] * f1 + hb[2] * f2 );
	// Axes of B.
	const double4 along = t[0] * r[0] + t[1] * r[1] + t[2] * r[2];
	gap = double4_max( gap, double4_abs( along ) - half_b - ( ha[0] * f[0] + ha[1] * f[1] + ha[2] * f[2] ) );
	// Products of an edge of A with those of B.
	const double4 next_b = double4_next( half_b ), last_b = double4_next( next_b );
	for ( int i = 0; i < 3; ++i ) {
		const int i1 = ( i + 1 ) % 3, i2 = ( i + 2 ) % 3;
		const double4 next_f = double4_next( f[i] ), last_f = double4_next( next_f );
		const double4 reach = ha[i1] * f[i2] + ha[i2] * f[i1] + ( next_b * last_f + last_b * next_f );
		gap = double4_max( gap, double4_abs( t[i2] * r[i1] - t[i1] * r[i2] ) - reach );
	}
	const double most = gap[0] > gap[1] ? gap[0] : gap[1];
	return most > gap[2] ? most : gap[2];
}

#else

LANES_INLINE double above( double a, double b ) {
	return a > b ? a : b;
}

LANES_INLINE double magnitude_of( double a ) {
	return __builtin_fabs( a );
}

LANES_INLINE double largest_gap( const dbvhi_node *a, const dbvhi_node *b, const dbvh_pose *pose,
                                 const double way[3] ) {
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

#endif

// Bounds the rounding of everything that is compared here. u = 2^-53; O is the sum of the offsets of both roots and of
// the pose, which no partial sum of the way between the roots exceeds; S bounds the extents of both volumes, and the
// way between the centres once the balls are known to be near each other.
//     the way between the centres   five roundings of each term, 5 u O; 7 u S more once it is turned into A's axes
//     the turn of B in A's axes     two products of matrices, 12 u an entry: 36 u S by the extents, as much by the way
//     what is compared              up to 16 u S
// On an axis of B and on a product of edges these come together once each; nowhere more than 5 u O + 130 u S. Where the
// pose deviates by d from a rotation, its axes of B are off from right angles by d: what B extends along one of its
// own, or along a product, is off by at most 3 d of the sum of its half lengths, and its ball is stretched by d.
LANES_INLINE double rounding_margin( const dbvhi_node *a, const dbvhi_node *b, const dbvh_pose *pose,
                                     double deviation ) {
	double offsets = 0.0;
	for ( int k = 0; k < 3; ++k )
		offsets += fabs( a->pos.v[k] ) + fabs( b->pos.v[k] ) + fabs( pose->pos[k] );
	const double size_b = b->half.v[0] + b->half.v[1] + b->half.v[2] + 4.0 * b->radius;
	const double size = size_b + a->half.v[0] + a->half.v[1] + a->half.v[2] + 4.0 * a->radius;
	return 0x1p-53 * ( 32.0 * offsets + 256.0 * size ) + 4.0 * deviation * size_b + 0x1p-1040;
}

LANES_INLINE dbvhi_vec moved( const dbvh_pose *pose, dbvhi_vec p ) {
	dbvhi_vec out;
	for ( int i = 0; i < 3; ++i )
		out.v[i] = pose->rot[i][0] * p.v[0] + pose->rot[i][1] * p.v[1] + pose->rot[i][2] * p.v[2] + pose->pos[i];
	return out;
}

LANES_INLINE dbvhi_roots compare_roots( const dbvhi_node *a, const dbvhi_node *b, const dbvh_pose *pose,
                                        double max_distance, double deviation ) {
	const double margin = rounding_margin( a, b, pose, deviation ) + dbvhi_distance_margin( max_distance, deviation );
	if ( dbvhi_spheres_disjoint( a->sphere_outside, a->radius, moved( pose, b->sphere_outside ), b->radius, margin ) )
		return DBVHI_ROOTS_BALLS_DISJOINT;
	const dbvhi_vec way = dbvhi_sub( moved( pose, b->pos ), a->pos );
	return largest_gap( a, b, pose, way.v ) > margin ? DBVHI_ROOTS_BOXES_DISJOINT : DBVHI_ROOTS_NEAR;
}

// What dbvhi_pose_check() says of a pose that it accepts, bit by bit; negative for any other.
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

dbvhi_root_kernel DBVHI_KERNEL_NAME( dbvhi_root_kernel );

double DBVHI_KERNEL_NAME( dbvhi_root_kernel )( const dbvhi_node *a, const dbvhi_node *b, const dbvh_pose *pose,
                                               const double way[3] ) {
	return largest_gap( a, b, pose, way );
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
	// Written so that NaN is refused, too.
	if ( !( deviation >= 0.0 && far <= DBVHI_PACKED_REACH ) )
		return DBVHI_ROOTS_REFUSED;
	return compare_roots( a, b, pose, max_distance, deviation );
}
