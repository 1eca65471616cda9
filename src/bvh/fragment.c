// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "bvh/fragment.h"

#include "base/assert.h"

#include <string.h>

int dbvhi_longest_edge( const double corners[9], double *square_out ) {
	int longest = 0;
	double most = -1.0;
	for ( int i = 0; i < 3; ++i ) {
		const double *p = corners + 3 * i, *q = corners + 3 * ( ( i + 1 ) % 3 );
		const double x = q[0] - p[0], y = q[1] - p[1], z = q[2] - p[2];
		const double square = x * x + y * y + z * z;
		longest = square > most ? i : longest;
		most = square > most ? square : most;
	}
	*square_out = most;
	return longest;
}

void dbvhi_fragment_half( const double corners[9], int edge, unsigned side, double half_out[9] ) {
	DBVHI_ASSERT( (unsigned)edge < 3 && side < 2 );
	const double *p = corners + 3 * edge, *q = corners + 3 * ( ( edge + 1 ) % 3 );
	double middle[3];
	for ( int k = 0; k < 3; ++k )
		middle[k] = 0.5 * ( p[k] + q[k] );
	if ( half_out != corners )
		memcpy( half_out, corners, 9 * sizeof( double ) );
	memcpy( half_out + 3 * ( side == 0 ? ( edge + 1 ) % 3 : edge ), middle, sizeof middle );
}

void dbvhi_fragment_corners( const double whole[9], uint32_t path, double corners_out[9] ) {
	DBVHI_ASSERT( path >= DBVHI_WHOLE && path >> DBVHI_FRAGMENT_STEPS <= 1 );
	memcpy( corners_out, whole, 9 * sizeof( double ) );
	int step = 31 - __builtin_clz( path );
	while ( step-- > 0 ) {
		double square;
		const int edge = dbvhi_longest_edge( corners_out, &square );
		dbvhi_fragment_half( corners_out, edge, path >> step & 1, corners_out );
	}
}
