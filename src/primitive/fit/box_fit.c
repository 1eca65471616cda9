// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "primitive/fit/box_fit.h"

#include "base/assert.h"

#include <stdbool.h>

void dbvhi_moments_add( dbvhi_moments *moments, const dbvhi_vec p[3] ) {
	dbvhi_vec sum = { { 0 } };
	for ( int i = 0; i < 3; ++i )
		sum = dbvhi_add( sum, p[i] );
	const double area = 0.5 * dbvhi_length( dbvhi_cross( dbvhi_sub( p[1], p[0] ), dbvhi_sub( p[2], p[0] ) ) );
	moments->area += area;
	for ( int k = 0; k < 3; ++k )
		moments->first[k] += area / 3.0 * sum.v[k];
	// The integral of x x^T over a triangle is area / 12 * ( s s^T + sum p p^T ) with s the sum of the corners.
	const double w = area / 12.0;
	for ( int k = 0; k < 3; ++k ) {
		const int l = ( k + 1 ) % 3;
		moments->second[k] +=
		    w * ( sum.v[k] * sum.v[k] + p[0].v[k] * p[0].v[k] + p[1].v[k] * p[1].v[k] + p[2].v[k] * p[2].v[k] );
		moments->second[3 + k] +=
		    w * ( sum.v[k] * sum.v[l] + p[0].v[k] * p[0].v[l] + p[1].v[k] * p[1].v[l] + p[2].v[k] * p[2].v[l] );
	}
}

dbvhi_mat dbvhi_eigenvectors( const double symmetric[6], double tolerance, double values_out[3] ) {
	DBVHI_ASSERT( tolerance > 0.0 );
	double a[3][3] = { { symmetric[0], symmetric[3], symmetric[5] },
	                   { symmetric[3], symmetric[1], symmetric[4] },
	                   { symmetric[5], symmetric[4], symmetric[2] } };
	dbvhi_mat v = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
	for ( int sweep = 0; sweep < 24; ++sweep ) {
		const double off = fabs( a[0][1] ) + fabs( a[1][2] ) + fabs( a[0][2] );
		const double diagonal = fabs( a[0][0] ) + fabs( a[1][1] ) + fabs( a[2][2] );
		if ( !( off > tolerance * diagonal ) )
			break;
		for ( int p = 0; p < 2; ++p ) {
			for ( int q = p + 1; q < 3; ++q ) {
				if ( a[p][q] == 0.0 )
					continue;
				// Golub and Van Loan, symmetric Schur decomposition: the smaller of the two angles.
				const double theta = ( a[q][q] - a[p][p] ) / ( 2.0 * a[p][q] );
				const double t = ( theta >= 0.0 ? 1.0 : -1.0 ) / ( fabs( theta ) + sqrt( 1.0 + theta * theta ) );
				const double c = 1.0 / sqrt( 1.0 + t * t ), s = t * c;
				const int r = 3 - p - q;
				const double apq = a[p][q], arp = a[r][p], arq = a[r][q];
				a[p][p] -= t * apq;
				a[q][q] += t * apq;
				a[p][q] = a[q][p] = 0.0;
				a[r][p] = a[p][r] = c * arp - s * arq;
				a[r][q] = a[q][r] = s * arp + c * arq;
				for ( int k = 0; k < 3; ++k ) {
					const double vp = v.m[k][p], vq = v.m[k][q];
					v.m[k][p] = c * vp - s * vq;
					v.m[k][q] = s * vp + c * vq;
				}
			}
		}
	}
	for ( int k = 0; k < 3 && values_out != NULL; ++k )
		values_out[k] = a[k][k];
	return v;
}

static dbvhi_mat from_columns( dbvhi_vec x, dbvhi_vec y, dbvhi_vec z ) {
	dbvhi_mat m;
	for ( int k = 0; k < 3; ++k ) {
		m.m[k][0] = x.v[k];
		m.m[k][1] = y.v[k];
		m.m[k][2] = z.v[k];
	}
	return m;
}

static double largest_entry( dbvhi_vec a ) {
	const double x = fabs( a.v[0] ), y = fabs( a.v[1] ), z = fabs( a.v[2] );
	const double xy = x > y ? x : y;
	return xy > z ? xy : z;
}

// Unit length, whatever the size of the vector; false for zero.
static bool normalise( dbvhi_vec *a ) {
	const double size = largest_entry( *a );
	if ( !( size > 0.0 ) || isinf( size ) )
		return false;
	// A power of two brings the vector near 1 if its squares would overflow or lose digits.
	if ( size < 0x1p-400 || size > 0x1p400 ) {
		int exponent;
		frexp( size, &exponent );
		for ( int k = 0; k < 3; ++k )
			a->v[k] = ldexp( a->v[k], -exponent );
	}
	*a = dbvhi_scale( 1.0 / dbvhi_length( *a ), *a );
	return true;
}

dbvhi_mat dbvhi_frame_from( dbvhi_vec first, dbvhi_vec second ) {
	if ( !normalise( &first ) )
		first = ( dbvhi_vec ){ { 1, 0, 0 } };
	if ( normalise( &second ) ) {
		// Twice: the first subtraction leaves a rounding error along `first` that the second removes.
		const double before = dbvhi_dot( first, second );
		second = dbvhi_sub( second, dbvhi_scale( before, first ) );
		if ( largest_entry( second ) > 0x1p-26 && normalise( &second ) ) {
			second = dbvhi_sub( second, dbvhi_scale( dbvhi_dot( first, second ), first ) );
			normalise( &second );
			return from_columns( first, second, dbvhi_cross( first, second ) );
		}
	}
	// Any direction: the coordinate axis least along `first`.
	int least = 0;
	for ( int k = 1; k < 3; ++k ) {
		if ( fabs( first.v[k] ) < fabs( first.v[least] ) )
			least = k;
	}
	second = ( dbvhi_vec ){ { 0, 0, 0 } };
	second.v[least] = 1.0;
	second = dbvhi_sub( second, dbvhi_scale( first.v[least], first ) );
	normalise( &second );
	return from_columns( first, second, dbvhi_cross( first, second ) );
}

// One step of Newton's for 1 / |a| where that is nearly 1.
static dbvhi_vec unit_again( dbvhi_vec a ) {
	return dbvhi_scale( 1.5 - 0.5 * dbvhi_dot( a, a ), a );
}

dbvhi_mat dbvhi_frame_again( const dbvhi_mat *frame ) {
	const dbvhi_vec first = unit_again( ( dbvhi_vec ){ { frame->m[0][0], frame->m[1][0], frame->m[2][0] } } );
	dbvhi_vec second = { { frame->m[0][1], frame->m[1][1], frame->m[2][1] } };
	second = unit_again( dbvhi_sub( second, dbvhi_scale( dbvhi_dot( first, second ), first ) ) );
	return from_columns( first, second, dbvhi_cross( first, second ) );
}

dbvhi_box dbvhi_box_along( const dbvhi_mat *axes, dbvhi_point_set points ) {
	DBVHI_ASSERT( points.count > 0 );
	// Relative to a point of the set, so that a mesh far from the origin loses nothing.
	const double ox = points.x[0], oy = points.y[0], oz = points.z[0];
	double low[3] = { 0 }, high[3] = { 0 };
	for ( size_t i = 0; i < points.count; ++i ) {
		const double x = points.x[i] - ox, y = points.y[i] - oy, z = points.z[i] - oz;
		for ( int k = 0; k < 3; ++k ) {
			const double along = axes->m[0][k] * x + axes->m[1][k] * y + axes->m[2][k] * z;
			low[k] = along < low[k] ? along : low[k];
			high[k] = along > high[k] ? along : high[k];
		}
	}
	double middle[3], half[3];
	for ( int k = 0; k < 3; ++k ) {
		middle[k] = 0.5 * ( low[k] + high[k] );
		half[k] = 0.5 * ( high[k] - low[k] );
	}
	int order[3] = { 0, 1, 2 };
	for ( int i = 0; i < 2; ++i ) {
		for ( int j = 0; j < 2 - i; ++j ) {
			if ( half[order[j + 1]] < half[order[j]] ) {
				const int t = order[j];
				order[j] = order[j + 1];
				order[j + 1] = t;
			}
		}
	}
	const bool odd = ( order[1] + 3 - order[0] ) % 3 != 1; // not a cyclic permutation
	dbvhi_box box;
	for ( int k = 0; k < 3; ++k ) {
		const double sign = odd && k == 2 ? -1.0 : 1.0;
		for ( int r = 0; r < 3; ++r )
			box.axes.m[r][k] = sign * axes->m[r][order[k]];
		box.half.v[k] = half[order[k]];
	}
	const dbvhi_vec offset = dbvhi_mat_apply( axes, ( dbvhi_vec ){ { middle[0], middle[1], middle[2] } } );
	box.centre = ( dbvhi_vec ){ { ox + offset.v[0], oy + offset.v[1], oz + offset.v[2] } };
	return box;
}

// A box while it is being turned: its points along its axes, and its half extents.
typedef struct turning {
	double along[3][DBVHI_EXTREMAL_POINTS];
	size_t count;
	dbvhi_vec half;
	double cost;
} turning;

static void start_turning( turning *t, const dbvhi_mat *axes, dbvhi_point_set points ) {
	DBVHI_ASSERT( points.count > 0 && points.count <= DBVHI_EXTREMAL_POINTS );
	t->count = points.count;
	for ( int k = 0; k < 3; ++k ) {
		double low = 0.0, high = 0.0;
		for ( size_t i = 0; i < points.count; ++i ) {
			const double along = axes->m[0][k] * ( points.x[i] - points.x[0] ) +
			                     axes->m[1][k] * ( points.y[i] - points.y[0] ) +
			                     axes->m[2][k] * ( points.z[i] - points.z[0] );
			low = along < low ? along : low;
			high = along > high ? along : high;
			t->along[k][i] = along;
		}
		t->half.v[k] = 0.5 * ( high - low );
	}
	t->cost = dbvhi_box_cost( &t->half );
}

// The half extents along two axes after a turn of one towards the other and after the opposite turn.
static void extents_after( const double *p, const double *q, size_t count, double c, double s, double out[2][2] ) {
	// The first point is the origin.
	double low[4] = { 0 }, high[4] = { 0 };
	for ( size_t i = 1; i < count; ++i ) {
		const double cp = c * p[i], cq = c * q[i], sp = s * p[i], sq = s * q[i];
		const double x[4] = { cp - sq, cp + sq, cq + sp, cq - sp };
		for ( int lane = 0; lane < 4; ++lane ) {
			low[lane] = x[lane] < low[lane] ? x[lane] : low[lane];
			high[lane] = x[lane] > high[lane] ? x[lane] : high[lane];
		}
	}
	for ( int lane = 0; lane < 4; ++lane )
		out[lane & 1][lane >> 1] = 0.5 * ( high[lane] - low[lane] );
}

// Turns points and axes for good.
static void turn( turning *t, dbvhi_mat *axes, int p, int q, double c, double s ) {
	DBVHI_ASSERT( (unsigned)p < 3 && (unsigned)q < 3 && p != q );
	for ( size_t i = 0; i < t->count; ++i ) {
		const double x = t->along[p][i], y = t->along[q][i];
		t->along[p][i] = c * x - s * y;
		t->along[q][i] = s * x + c * y;
	}
	for ( int r = 0; r < 3; ++r ) {
		const double x = axes->m[r][p], y = axes->m[r][q];
		axes->m[r][p] = c * x - s * y;
		axes->m[r][q] = s * x + c * y;
	}
}

// Turns about axis k one way or the other, if that helps, and on the same way, a few steps at most.
static void try_axis( turning *t, dbvhi_mat *axes, int k, double c, double s ) {
	DBVHI_ASSERT( (unsigned)k < 3 );
	const int p = ( k + 1 ) % 3, q = ( k + 2 ) % 3;
	for ( int repeat = 0; repeat < 4; ++repeat ) {
		double extents[2][2];
		extents_after( t->along[p], t->along[q], t->count, c, s, extents );
		int best = -1;
		for ( int side = 0; side < 2; ++side ) {
			dbvhi_vec half = t->half;
			half.v[p] = extents[side][0];
			half.v[q] = extents[side][1];
			const double cost = dbvhi_box_cost( &half );
			if ( cost < 0.999 * t->cost ) {
				best = side;
				t->cost = cost;
			}
		}
		if ( best < 0 )
			break;
		t->half.v[p] = extents[best][0];
		t->half.v[q] = extents[best][1];
		turn( t, axes, p, q, c, best == 0 ? s : -s );
	}
}

void dbvhi_axes_refine( dbvhi_mat *axes, dbvhi_point_set points ) {
	DBVHI_ASSERT( points.count > 0 && points.count <= DBVHI_EXTREMAL_POINTS );
	// Cosines and sines of 0.4, 0.2, 0.1, 0.05 and 0.025.
	static const double steps[][2] = { { 0.92106099400288508, 0.38941834230865049 },
	                                   { 0.98006657784124163, 0.19866933079506122 },
	                                   { 0.99500416527802577, 0.09983341664682815 },
	                                   { 0.99875026039496624, 0.04997916927067833 },
	                                   { 0.99968751627570262, 0.02499739591471233 } };
	turning t;
	start_turning( &t, axes, points );
	for ( size_t step = 0; step < sizeof steps / sizeof steps[0]; ++step ) {
		for ( int k = 0; k < 3; ++k )
			try_axis( &t, axes, k, steps[step][0], steps[step][1] );
	}
}

size_t dbvhi_extremal_points( const dbvhi_mat *axes, dbvhi_point_set points, double ( *out )[DBVHI_EXTREMAL_POINTS] ) {
	DBVHI_ASSERT( points.count > 0 );
	// Faces, edges and corners of a cube.
	static const signed char directions[DBVHI_EXTREMAL_POINTS / 2][3] = {
	    { 1, 0, 0 }, { 0, 1, 0 },  { 0, 0, 1 }, { 1, 1, 0 },  { 1, -1, 0 }, { 0, 1, 1 },  { 0, 1, -1 },
	    { 1, 0, 1 }, { -1, 0, 1 }, { 1, 1, 1 }, { 1, 1, -1 }, { 1, -1, 1 }, { -1, 1, 1 },
	};
	// In the box's own proportions, so that a long set has more than its ends looked at.
	const dbvhi_box box = dbvhi_box_along( axes, points );
	dbvhi_mat shape;
	for ( int k = 0; k < 3; ++k ) {
		const double scale = box.half.v[k] > 0.0 ? 1.0 / box.half.v[k] : 0.0;
		for ( int r = 0; r < 3; ++r )
			shape.m[r][k] = box.axes.m[r][k] * scale;
	}
	size_t chosen[DBVHI_EXTREMAL_POINTS], count = 0;
	for ( int d = 0; d < DBVHI_EXTREMAL_POINTS / 2; ++d ) {
		const dbvhi_vec direction = dbvhi_mat_apply(
		    &shape, ( dbvhi_vec ){ { (double)directions[d][0], (double)directions[d][1], (double)directions[d][2] } } );
		size_t low = 0, high = 0;
		double lowest = INFINITY, highest = -INFINITY;
		for ( size_t i = 0; i < points.count; ++i ) {
			const double along =
			    direction.v[0] * points.x[i] + direction.v[1] * points.y[i] + direction.v[2] * points.z[i];
			if ( along < lowest ) {
				lowest = along;
				low = i;
			}
			if ( along > highest ) {
				highest = along;
				high = i;
			}
		}
		for ( int side = 0; side < 2; ++side ) {
			const size_t i = side == 0 ? low : high;
			size_t before = 0;
			while ( before < count && chosen[before] != i )
				before += 1;
			if ( before < count )
				continue; // extreme in an earlier direction too
			out[0][count] = points.x[i];
			out[1][count] = points.y[i];
			out[2][count] = points.z[i];
			chosen[count++] = i;
		}
	}
	return count;
}
