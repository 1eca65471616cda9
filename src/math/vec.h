// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Three doubles and 3x3 matrices by rows, for building trees. Everything is inline and in plain IEEE arithmetic.

#pragma once

#include "base/inline.h"

#include <math.h>

typedef struct dbvhi_vec {
	double v[3];
} dbvhi_vec;

typedef struct dbvhi_mat {
	double m[3][3];
} dbvhi_mat;

DBVHI_INLINE dbvhi_vec dbvhi_vec_of( const double v[3] ) {
	return ( dbvhi_vec ){ { v[0], v[1], v[2] } };
}

DBVHI_INLINE double dbvhi_dot3( const double a[3], const double b[3] ) {
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

DBVHI_INLINE void dbvhi_cross3( const double a[3], const double b[3], double out[3] ) {
	for ( int k = 0; k < 3; ++k )
		out[k] = a[( k + 1 ) % 3] * b[( k + 2 ) % 3] - a[( k + 2 ) % 3] * b[( k + 1 ) % 3];
}

DBVHI_INLINE dbvhi_vec dbvhi_add( dbvhi_vec a, dbvhi_vec b ) {
	return ( dbvhi_vec ){ { a.v[0] + b.v[0], a.v[1] + b.v[1], a.v[2] + b.v[2] } };
}

DBVHI_INLINE dbvhi_vec dbvhi_sub( dbvhi_vec a, dbvhi_vec b ) {
	return ( dbvhi_vec ){ { a.v[0] - b.v[0], a.v[1] - b.v[1], a.v[2] - b.v[2] } };
}

DBVHI_INLINE dbvhi_vec dbvhi_scale( double s, dbvhi_vec a ) {
	return ( dbvhi_vec ){ { s * a.v[0], s * a.v[1], s * a.v[2] } };
}

DBVHI_INLINE double dbvhi_dot( dbvhi_vec a, dbvhi_vec b ) {
	return a.v[0] * b.v[0] + a.v[1] * b.v[1] + a.v[2] * b.v[2];
}

DBVHI_INLINE dbvhi_vec dbvhi_cross( dbvhi_vec a, dbvhi_vec b ) {
	return ( dbvhi_vec ){
	    { a.v[1] * b.v[2] - a.v[2] * b.v[1], a.v[2] * b.v[0] - a.v[0] * b.v[2], a.v[0] * b.v[1] - a.v[1] * b.v[0] } };
}

DBVHI_INLINE double dbvhi_length( dbvhi_vec a ) {
	return sqrt( dbvhi_dot( a, a ) );
}

// The sum of the sizes of all coordinates.
DBVHI_INLINE double dbvhi_norm1( dbvhi_vec a ) {
	return fabs( a.v[0] ) + fabs( a.v[1] ) + fabs( a.v[2] );
}

DBVHI_INLINE dbvhi_vec dbvhi_mat_column( const dbvhi_mat *m, int j ) {
	return ( dbvhi_vec ){ { m->m[0][j], m->m[1][j], m->m[2][j] } };
}

// M x
DBVHI_INLINE dbvhi_vec dbvhi_mat_apply( const dbvhi_mat *m, dbvhi_vec x ) {
	dbvhi_vec out;
	for ( int i = 0; i < 3; ++i )
		out.v[i] = m->m[i][0] * x.v[0] + m->m[i][1] * x.v[1] + m->m[i][2] * x.v[2];
	return out;
}

// M^T x
DBVHI_INLINE dbvhi_vec dbvhi_mat_apply_transposed( const dbvhi_mat *m, dbvhi_vec x ) {
	dbvhi_vec out;
	for ( int i = 0; i < 3; ++i )
		out.v[i] = m->m[0][i] * x.v[0] + m->m[1][i] * x.v[1] + m->m[2][i] * x.v[2];
	return out;
}

// A B
DBVHI_INLINE dbvhi_mat dbvhi_mat_mul( const dbvhi_mat *a, const dbvhi_mat *b ) {
	dbvhi_mat out;
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			out.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j];
	}
	return out;
}

// A^T B
DBVHI_INLINE dbvhi_mat dbvhi_mat_mul_transposed( const dbvhi_mat *a, const dbvhi_mat *b ) {
	dbvhi_mat out;
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			out.m[i][j] = a->m[0][i] * b->m[0][j] + a->m[1][i] * b->m[1][j] + a->m[2][i] * b->m[2][j];
	}
	return out;
}
