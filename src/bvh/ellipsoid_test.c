// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "bvh/ellipsoid_test.h"

#include "base/assert.h"

#include <math.h>

const dbvhi_ellipsoid_costs dbvhi_reference_costs = {
    .query = 60.0, .sphere = 8.0, .box = 18.0, .triangle = 60.0, .ellipsoid = 100.0, .budget = 8 };
const dbvhi_ellipsoid_costs dbvhi_packed_costs = {
    .query = 170.0, .sphere = 20.0, .box = 8.0, .triangle = 105.0, .ellipsoid = 38.0, .budget = 4 };

enum { STEPS = 2 };

// Returns x^T m x for a symmetric matrix.
static double measured( const double m[6], dbvhi_vec x ) {
	const double *v = x.v;
	return v[0] * ( m[0] * v[0] + 2.0 * ( m[3] * v[1] + m[5] * v[2] ) ) + v[1] * ( m[1] * v[1] + 2.0 * m[4] * v[2] ) +
	       m[2] * v[2] * v[2];
}

// Multiplies a symmetric matrix (xx yy zz xy yz zx) and a vector.
static dbvhi_vec symmetric_apply( const double m[6], dbvhi_vec x ) {
	return ( dbvhi_vec ){ { m[0] * x.v[0] + m[3] * x.v[1] + m[5] * x.v[2],
	                        m[3] * x.v[0] + m[1] * x.v[1] + m[4] * x.v[2],
	                        m[5] * x.v[0] + m[4] * x.v[1] + m[2] * x.v[2] } };
}

// Computes the adjugate of a symmetric matrix, its inverse up to a factor; returns that factor, the determinant.
static double adjugate( const double m[6], double out[6] ) {
	out[0] = m[1] * m[2] - m[4] * m[4];
	out[1] = m[2] * m[0] - m[5] * m[5];
	out[2] = m[0] * m[1] - m[3] * m[3];
	out[3] = m[4] * m[5] - m[3] * m[2];
	out[4] = m[3] * m[5] - m[0] * m[4];
	out[5] = m[3] * m[4] - m[1] * m[5];
	return m[0] * out[0] + m[3] * out[3] + m[5] * out[5];
}

// Returns the root of a square, which rounding may have made negative.
static double root_of( double x ) {
	return x > 0.0 ? sqrt( x ) : 0.0;
}

void dbvhi_shape_turn( const dbvhi_mat *rot, const double m[6], double out[6] ) {
	const dbvhi_mat whole = { { { m[0], m[3], m[5] }, { m[3], m[1], m[4] }, { m[5], m[4], m[2] } } };
	const dbvhi_mat t = dbvhi_mat_mul( rot, &whole );
	for ( int i = 0; i < 3; ++i ) {
		const int j = ( i + 1 ) % 3;
		out[i] = t.m[i][0] * rot->m[i][0] + t.m[i][1] * rot->m[i][1] + t.m[i][2] * rot->m[i][2];
		out[3 + i] = t.m[i][0] * rot->m[j][0] + t.m[i][1] * rot->m[j][1] + t.m[i][2] * rot->m[j][2];
	}
}

// Tries the separating planes of primitive/ellipsoid/ellipsoid_pair.c, orthogonal to the offset of the centres bent by
// (1 - s) A + s B. Supports are square roots of squares with an error of 2^-43 of those of the longest half lengths, so
// they lose 2^-21 of these: thin ellipsoids are treated as a little thicker, which is safe. Twice the margin covers the
// error of the offset and of the products with it. dbvhi_add_ellipsoids() keeps sizes away from overflow and underflow;
// if a long offset overflows, the result is false.
bool dbvhi_ellipsoids_disjoint( const dbvhi_reach *a, const dbvhi_reach *b, const dbvhi_mat *rot, dbvhi_vec pos,
                                double margin ) {
	DBVHI_ASSERT( margin >= 0.0 );
	DBVHI_ASSERT( a->longest > 0.0 && b->longest > 0.0 );
	const dbvhi_vec way = dbvhi_sub( dbvhi_add( dbvhi_mat_apply( rot, b->centre ), pos ), a->centre );
	const double slack = 2.0 * margin + 0x1p-21 * ( a->longest + b->longest );
	double shape[6], s = 0.5;
	dbvhi_shape_turn( rot, b->shape, shape );
	for ( int step = 0; step < STEPS; ++step ) {
		double q[6];
		for ( int i = 0; i < 6; ++i )
			q[i] = ( 1.0 - s ) * a->shape[i] + s * shape[i];
		// The adjugate stands for the inverse: a factor changes no direction.
		double inverse[6];
		const double determinant = adjugate( q, inverse ), limit = determinant * determinant;
		const dbvhi_vec x = symmetric_apply( inverse, way );
		const double square_a = measured( a->shape, x ), square_b = measured( shape, x );
		// The point ( 1 - s ) A x / determinant from the centre of a is common to both: most pairs that overlap end
		// here.
		if ( ( 1.0 - s ) * ( 1.0 - s ) * square_a <= limit && s * s * square_b <= limit )
			return false;
		const double width_a = root_of( square_a ), width_b = root_of( square_b );
		const double size = fabs( x.v[0] ) + fabs( x.v[1] ) + fabs( x.v[2] );
		if ( dbvhi_dot( way, x ) > width_a + width_b + slack * size )
			return true;
		s = width_a / ( width_a + width_b );
	}
	return false;
}

dbvhi_reach dbvhi_reach_place( const dbvhi_reach *ellipsoid, const dbvhi_mat *rot, dbvhi_vec pos ) {
	dbvhi_reach out = { .centre = dbvhi_add( dbvhi_mat_apply( rot, ellipsoid->centre ), pos ),
	                    .longest = ellipsoid->longest };
	dbvhi_shape_turn( rot, ellipsoid->shape, out.shape );
	return out;
}

// True if the plane orthogonal to `normal`, which points from the box to the ellipsoid, separates them. The proof rests
// on the supports of both alone, however the normal was found. `offset` leads from the box's centre to the ellipsoid's.
static bool plane_separates( const dbvhi_reach *e, const dbvhi_placed_box *box, dbvhi_vec offset, dbvhi_vec normal,
                             double slack ) {
	const dbvhi_vec along = dbvhi_mat_apply_transposed( &box->axes, normal );
	double reach = root_of( measured( e->shape, normal ) ), size = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		reach += box->half.v[k] * fabs( along.v[k] );
		size += fabs( normal.v[k] );
	}
	const double gap = dbvhi_dot( normal, offset );
	return gap > reach + slack * size && gap < INFINITY;
}

// Larsson's test (2008) as a descent to the point of the box nearest to the ellipsoid's centre in the ellipsoid's
// metric, and the plane through it. The metric is the adjugate of the shape, a multiple of its inverse. The slack is
// what supports of ellipsoids lose, 2^-21 of the longest half length; six roundings of each product with a half extent
// and of each with the offset, below 2^-48 of these; and twice the margin.
bool dbvhi_ellipsoid_box_disjoint( const dbvhi_reach *ellipsoid, const dbvhi_placed_box *box, double margin ) {
	DBVHI_ASSERT( margin >= 0.0 && ellipsoid->longest > 0.0 );
	const dbvhi_vec offset = dbvhi_sub( ellipsoid->centre, box->centre );
	const dbvhi_vec centre = dbvhi_mat_apply_transposed( &box->axes, offset );
	dbvhi_vec left; // from the point of the box to the ellipsoid's centre, along the box's axes
	double sizes = 0.0;
	bool inside = true;
	for ( int k = 0; k < 3; ++k ) {
		const double half = box->half.v[k], x = centre.v[k];
		left.v[k] = x > half ? x - half : x < -half ? x + half : 0.0;
		inside = inside && left.v[k] == 0.0;
		sizes += half + fabs( offset.v[k] );
	}
	if ( inside )
		return false;
	const double slack = 2.0 * margin + 0x1p-21 * ellipsoid->longest + 0x1p-48 * sizes;
	double inverse[6];
	const double determinant = adjugate( ellipsoid->shape, inverse );
	dbvhi_vec step[3]; // the metric applied to each axis of the box
	dbvhi_vec axis[3];
	for ( int k = 0; k < 3; ++k ) {
		axis[k] = ( dbvhi_vec ){ { box->axes.m[0][k], box->axes.m[1][k], box->axes.m[2][k] } };
		step[k] = symmetric_apply( inverse, axis[k] );
	}
	for ( int sweep = 0; sweep <= STEPS; ++sweep ) {
		const dbvhi_vec way = dbvhi_mat_apply( &box->axes, left );
		const dbvhi_vec normal = symmetric_apply( inverse, way );
		// The point of the box lies in the ellipsoid: most pairs that overlap end here.
		if ( dbvhi_dot( way, normal ) <= determinant )
			return false;
		if ( plane_separates( ellipsoid, box, offset, normal, slack ) )
			return true;
		for ( int k = 0; k < 3; ++k ) {
			const double square = dbvhi_dot( axis[k], step[k] ), half = box->half.v[k], x = centre.v[k];
			if ( !( square > 0.0 ) )
				continue;
			const double pull = left.v[0] * dbvhi_dot( axis[0], step[k] ) + left.v[1] * dbvhi_dot( axis[1], step[k] ) +
			                    left.v[2] * dbvhi_dot( axis[2], step[k] );
			const double point = x - left.v[k] + pull / square;
			left.v[k] = x - ( point > half ? half : point < -half ? -half : point );
		}
	}
	return false;
}
