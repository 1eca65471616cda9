// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "base/assert.h"
#include "math/pose.h"

#include <math.h>

// The centre of the ball goes some way, and about it the difference of the two matrices turns the rest. The difference
// of two rotations stretches by its Frobenius norm over sqrt(2) at most; a matrix of deviation d is within 3 d of a
// rotation, in every direction. Rounding takes 2^-50 of the magnitudes in each sum, and the square roots and products
// that follow less than 2^-40 of the result.
double dbvhi_pose_way( const dbvh_pose *before, const dbvh_pose *after, double deviation, const double centre[3],
                       double radius, double longest_turn ) {
	DBVHI_ASSERT( deviation >= 0.0 && radius >= 0.0 && longest_turn >= 0.0 );
	double change[3][3], turned = 0.0;
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j ) {
			change[i][j] = after->rot[i][j] - before->rot[i][j];
			turned += change[i][j] * change[i][j];
		}
	}
	if ( turned > 2.0 * longest_turn * longest_turn )
		return INFINITY;
	double square = 0.0, sizes = radius;
	for ( int i = 0; i < 3; ++i ) {
		double shift = after->pos[i] - before->pos[i];
		for ( int j = 0; j < 3; ++j )
			shift += change[i][j] * centre[j];
		square += shift * shift;
		sizes += fabs( after->pos[i] ) + fabs( before->pos[i] ) + 8.0 * fabs( centre[i] );
	}
	const double stretch = 0.70710678118654757 * sqrt( turned ) + 12.0 * deviation;
	return ( sqrt( square ) + radius * stretch ) * ( 1.0 + 0x1p-40 ) + 0x1p-48 * sizes;
}
