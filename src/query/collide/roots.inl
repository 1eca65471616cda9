// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The fifteen axes of two boxes (Gottschalk, Lin and Manocha 1996), an axis a lane where the set has four doubles in a
// vector; elsewhere splitting vectors costs more than it saves.

#include "query/collide/roots.h"
#include "simd/kernel_name.h"
#include "simd/vec_d.h"

dbvhi_root_kernel DBVHI_KERNEL_NAME( dbvhi_root_kernel );

#if WIDTH >= 4

double DBVHI_KERNEL_NAME( dbvhi_root_kernel )( const dbvhi_node *a, const dbvhi_node *b, const dbvh_pose *pose,
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

double DBVHI_KERNEL_NAME( dbvhi_root_kernel )( const dbvhi_node *a, const dbvhi_node *b, const dbvh_pose *pose,
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
