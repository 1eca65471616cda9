// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The directions, and the corners of a DOP.

#include "tree.h"

#include <math.h>

// Klosowski's k = 14 has axes and corners, 18 axes and edges, 26 all. 24, which others use, is 26 without one diagonal.
const signed char quickcd_all_directions[13][3] = {
    { 1, 0, 0 },  { 0, 1, 0 },  { 0, 0, 1 },  { 1, 1, 0 },  { 1, 0, 1 },  { 0, 1, 1 }, { 1, -1, 0 },
    { 1, 0, -1 }, { 0, 1, -1 }, { 1, 1, -1 }, { 1, -1, 1 }, { -1, 1, 1 }, { 1, 1, 1 },
};

static const signed char corner_directions[7][3] = {
    { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 1, 1, 1 }, { 1, 1, -1 }, { 1, -1, 1 }, { -1, 1, 1 },
};

const signed char ( *quickcd_directions( int k ) )[3] {
	return k == 14 ? corner_directions : quickcd_all_directions;
}

static int dot( const signed char a[3], const signed char b[3] ) {
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// A generous bound of a corner's rounding error; bounds are at most 4, and every quotient is by 1 to 8.
#define SLACK 0x1p-44

// Adds a point unless there is one within 2^-23. False where there is no room.
static bool add_corner( const double p[3], double ( *out )[3], size_t *count ) {
	for ( size_t i = 0; i < *count; ++i )
		if ( fabs( p[0] - out[i][0] ) <= 0x1p-23 && fabs( p[1] - out[i][1] ) <= 0x1p-23 &&
		     fabs( p[2] - out[i][2] ) <= 0x1p-23 )
			return true;
	if ( *count == QUICKCD_CORNERS )
		return false;
	for ( int x = 0; x < 3; ++x )
		out[*count][x] = p[x];
	*count += 1;
	return true;
}

typedef struct line {
	double at[3];
	int along[3];
} line;

// The part of the line of planes i and j that all other slabs leave, or false.
static bool clip( int k, const double *lower, const double *upper, const line *l, int i, int j, double range[2] ) {
	const signed char( *d )[3] = quickcd_directions( k );
	range[0] = -INFINITY;
	range[1] = INFINITY;
	for ( int m = 0; m < k / 2; ++m ) {
		if ( m == i || m == j )
			continue;
		const double at = d[m][0] * l->at[0] + d[m][1] * l->at[1] + d[m][2] * l->at[2];
		const int slope = d[m][0] * l->along[0] + d[m][1] * l->along[1] + d[m][2] * l->along[2];
		if ( slope == 0 ) {
			if ( at < lower[m] - SLACK || at > upper[m] + SLACK )
				return false;
			continue;
		}
		const double enter = ( ( slope > 0 ? lower[m] : upper[m] ) - at ) / slope;
		const double leave = ( ( slope > 0 ? upper[m] : lower[m] ) - at ) / slope;
		range[0] = enter > range[0] ? enter : range[0];
		range[1] = leave < range[1] ? leave : range[1];
		if ( range[0] > range[1] + SLACK )
			return false;
	}
	return true;
}

size_t quickcd_corners( int k, const double *lower, const double *upper, double ( *out )[3] ) {
	// Every corner ends an edge, and every edge lies on the line where two planes cross. What is no edge but is kept,
	// for rounding's sake, is no farther out than that.
	const signed char( *d )[3] = quickcd_directions( k );
	size_t count = 0;
	for ( int i = 0; i < k / 2; ++i )
		for ( int j = i + 1; j < k / 2; ++j ) {
			const int ii = dot( d[i], d[i] ), ij = dot( d[i], d[j] ), jj = dot( d[j], d[j] );
			const double det = ii * jj - ij * ij;
			for ( int side = 0; side < 4; ++side ) {
				const double bi = side & 1 ? upper[i] : lower[i], bj = side & 2 ? upper[j] : lower[j];
				const double wi = ( bi * jj - bj * ij ) / det, wj = ( bj * ii - bi * ij ) / det;
				line l;
				for ( int x = 0; x < 3; ++x ) {
					const int y = ( x + 1 ) % 3, z = ( x + 2 ) % 3;
					l.at[x] = wi * d[i][x] + wj * d[j][x];
					l.along[x] = d[i][y] * d[j][z] - d[i][z] * d[j][y];
				}
				double range[2];
				if ( !clip( k, lower, upper, &l, i, j, range ) )
					continue;
				for ( int end = 0; end < 2; ++end ) {
					double p[3];
					for ( int x = 0; x < 3; ++x )
						p[x] = l.at[x] + range[end] * l.along[x];
					if ( !add_corner( p, out, &count ) )
						return 0;
				}
			}
		}
	return count;
}
