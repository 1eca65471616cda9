// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A point x of a body in motion is at T(t) (x - c) + c + t s: see dualbvh/toi.h. Let m be the middle of a piece of time
// and h half its length, k the axis of length 1 and w the angle. At m it has the velocity v = s + w k x a, where a
// leads from the centre, which goes straight, to the point; at any time the acceleration w^2 k x ( k x a ). So by
// Taylor's theorem coordinate i is, at a time of the piece, no farther from where it is at m than
//
//     h |v_i| + h^2 / 2 max |acceleration_i|.
//
// Both k x a and k x ( k x a ) are perpendicular to the axis, and so their components along i are at most their lengths
// times q_i = sqrt( 1 - k_i^2 ). With A the arm of the centre of the ball round the body, R its radius and a = A + r,
// |r| <= R: |v_i| <= |s_i + w ( k x A )_i| + |w| R q_i, and |acceleration_i| <= w^2 ( |A| + R ) q_i. The box at m,
// grown by that in every direction, holds the body for the whole piece.
//
// Rounding. toi.h compares with an error of 2^-45 S where S is the sum of all lengths in question
// (src/query/toi/api.c): of both bodies positions, ways, 4 times the largest coordinate, and for what turns twice its
// centre and its arc. What it calls close is nearer than 2^-44 S, two errors. Boxes are grown by 2^-43 times the share
// of their body, so that nothing is close whose boxes are apart; the rounding of a pose and of what is computed here,
// some 2^-47 of it, goes with that.

#include "query/toi/toi.h"
#include "scene/moving.h"

#include <float.h>
#include <math.h>

static double sum( const double v[3] ) {
	return fabs( v[0] ) + fabs( v[1] ) + fabs( v[2] );
}

// From the centre, which goes straight, to that of the ball.
static void arm_at( const dbvh_tree *tree, const dbvh_motion *motion, const dbvh_pose *pose, double t, double out[3] ) {
	const dbvhi_vec ball = dbvhi_tree_root( tree )->sphere_outside;
	for ( int i = 0; i < 3; ++i ) {
		out[i] = pose->pos[i] - motion->centre[i] - t * motion->shift[i];
		for ( int j = 0; j < 3; ++j )
			out[i] += pose->rot[i][j] * ball.v[j];
	}
}

void dbvhi_swept_box( const dbvh_tree *tree, const dbvh_motion *motion, double begin, double end, double grown,
                      double box_out[DBVHI_BOX_NUMBERS] ) {
	DBVHI_ASSERT( begin <= end );
	const double middle = 0.5 * ( begin + end ), half = 0.5 * ( end - begin );
	const dbvh_pose pose = dbvh_motion_pose( motion, middle );
	double size = sum( motion->from.pos ) + sum( motion->shift ) + 4.0 * tree->largest, axis[3], by[3];
	for ( int i = 0; i < 3; ++i )
		by[i] = half * fabs( motion->shift[i] );
	if ( motion->angle != 0.0 && dbvhi_motion_axis( motion, axis ) ) {
		const double angle = fabs( motion->angle );
		const double radius =
		    dbvhi_tree_root( tree )->radius * ( 1.0 + 0x1p-17 ); // allows for a pose that is off by at most 2e-6
		double arm[3];
		arm_at( tree, motion, &pose, middle, arm );
		const double reach = sqrt( arm[0] * arm[0] + arm[1] * arm[1] + arm[2] * arm[2] ) + radius;
		for ( int i = 0; i < 3; ++i ) {
			const int j = ( i + 1 ) % 3, k = ( i + 2 ) % 3;
			const double across = sqrt( axis[j] * axis[j] + axis[k] * axis[k] );
			const double speed = motion->shift[i] + motion->angle * ( axis[j] * arm[k] - axis[k] * arm[j] );
			by[i] = half * ( fabs( speed ) + angle * radius * across ) +
			        0.5 * ( half * angle ) * ( half * angle ) * reach * across;
		}
		size += 2.0 * sum( motion->centre ) + angle * ( 2.0 * sum( arm ) + 8.0 * tree->largest );
	}
	dbvhi_posed_box( tree, &pose, grown + 0x1p-43 * size, box_out );
	for ( int i = 0; i < 3; ++i ) {
		const double low = box_out[i] - by[i], high = box_out[3 + i] + by[i];
		box_out[i] = low >= -DBL_MAX ? low : -DBL_MAX;
		box_out[3 + i] = high <= DBL_MAX ? high : DBL_MAX;
	}
}

double dbvhi_sweep_length( const dbvh_tree *tree, const dbvh_motion *motion ) {
	double way = sum( motion->shift );
	if ( motion->angle != 0.0 ) {
		double arm[3];
		arm_at( tree, motion, &motion->from, 0.0, arm );
		way += fabs( motion->angle ) * ( sum( arm ) + dbvhi_tree_root( tree )->radius );
	}
	return way / ( 2.0 * dbvhi_tree_root( tree )->radius );
}
