// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The ellipsoid of least volume round points: Khachiyan's ascent with the away steps of Todd and Yildirim ("On
// Khachiyan's algorithm for the computation of minimum-volume enclosing ellipsoids", 2007) on a few extremal points, to
// which the farthest of all is added until none is outside (Kumar and Yildirim 2005).
//
// Points are looked at along their principal axes, in units of their extent there, which changes nothing about which
// ellipsoid is least. Axes along which they have next to no extent are left out of the ascent and given one afterwards:
// a triangle is a problem in two dimensions, a needle one in one.

#include "base/assert.h"
#include "primitive/ellipsoid/ellipsoid.h"
#include "primitive/fit/box_fit.h"
#include "primitive/fit/sphere_fit.h"

#include <math.h>

enum {
	ROOM = 80,     // points that the ascent looks at
	ASCENT = 2000, // steps of it, at most
	PASSES = 40,   // searches for a point outside, at most
	REFRESH = 40,  // steps after which the inverse is computed anew
};

// The ascent ends where no point is farther, and none that counts nearer, than this part of what it should be.
#define TOLERANCE 1e-3

// Weights u of points q = ( x, 1 ), and the inverse of sum u q q^T; `n` is the number of dimensions and 1.
typedef struct ascent {
	int n;
	size_t count;
	double q[ROOM][4];
	double weight[ROOM];
	double inverse[4][4];
	double distance[ROOM]; // q^T inverse q
} ascent;

// False where the matrix is not positive definite.
static bool invert( ascent *a ) {
	const int n = a->n;
	double m[4][4] = { { 0 } }, out[4][4] = { { 0 } };
	for ( size_t i = 0; i < a->count; ++i ) {
		for ( int r = 0; r < n; ++r ) {
			for ( int c = 0; c < n; ++c )
				m[r][c] += a->weight[i] * a->q[i][r] * a->q[i][c];
		}
	}
	for ( int r = 0; r < n; ++r )
		out[r][r] = 1.0;
	for ( int p = 0; p < n; ++p ) {
		if ( !( m[p][p] > 1e-13 ) )
			return false;
		const double scale = 1.0 / m[p][p];
		for ( int c = 0; c < n; ++c ) {
			m[p][c] *= scale;
			out[p][c] *= scale;
		}
		for ( int r = 0; r < n; ++r ) {
			const double factor = m[r][p];
			if ( r == p )
				continue;
			for ( int c = 0; c < n; ++c ) {
				m[r][c] -= factor * m[p][c];
				out[r][c] -= factor * out[p][c];
			}
		}
	}
	for ( int r = 0; r < n; ++r ) {
		for ( int c = 0; c < n; ++c )
			a->inverse[r][c] = 0.5 * ( out[r][c] + out[c][r] );
	}
	return true;
}

static void measure( ascent *a ) {
	for ( size_t i = 0; i < a->count; ++i ) {
		double sum = 0.0;
		for ( int r = 0; r < a->n; ++r ) {
			double row = 0.0;
			for ( int c = 0; c < a->n; ++c )
				row += a->inverse[r][c] * a->q[i][c];
			sum += row * a->q[i][r];
		}
		a->distance[i] = sum;
	}
}

// The weights become ( 1 - beta ) u + beta e_j; the inverse follows by Sherman and Morrison. beta may be negative.
static void shift_weight( ascent *a, size_t j, double beta ) {
	const int n = a->n;
	const double keep = 1.0 - beta, factor = beta / ( keep + beta * a->distance[j] );
	double v[4];
	for ( int r = 0; r < n; ++r ) {
		v[r] = 0.0;
		for ( int c = 0; c < n; ++c )
			v[r] += a->inverse[r][c] * a->q[j][c];
	}
	for ( int r = 0; r < n; ++r ) {
		for ( int c = 0; c < n; ++c )
			a->inverse[r][c] = ( a->inverse[r][c] - factor * v[r] * v[c] ) / keep;
	}
	for ( size_t i = 0; i < a->count; ++i )
		a->weight[i] *= keep;
	a->weight[j] += beta;
}

// Ascends until every point is within the tolerance. False where the points hit_interval fewer dimensions than were
// meant.
static bool ascend( ascent *a ) {
	const double whole = (double)a->n;
	for ( int step = 0; step < ASCENT; ++step ) {
		if ( step % REFRESH == 0 && !invert( a ) )
			return false;
		measure( a );
		size_t far = 0, near = a->count;
		for ( size_t i = 0; i < a->count; ++i ) {
			if ( a->distance[i] > a->distance[far] )
				far = i;
			if ( a->weight[i] > 0.0 && ( near == a->count || a->distance[i] < a->distance[near] ) )
				near = i;
		}
		const double above = a->distance[far] / whole - 1.0, below = 1.0 - a->distance[near] / whole;
		if ( above <= TOLERANCE && below <= TOLERANCE )
			return true;
		if ( above >= below ) {
			const double d = a->distance[far];
			shift_weight( a, far, ( d - whole ) / ( whole * ( d - 1.0 ) ) );
			continue;
		}
		// Away from a point that counts too much; off the list where that would take all of its weight.
		const double d = a->distance[near], u = a->weight[near], all = u / ( 1.0 - u );
		double beta = d > 1.0 ? ( whole - d ) / ( whole * ( d - 1.0 ) ) : all;
		const bool drop = beta >= all;
		shift_weight( a, near, -( drop ? all : beta ) );
		if ( drop )
			a->weight[near] = 0.0;
	}
	return true;
}

// Points in their own principal axes and units, for those axes along which they have an extent.
typedef struct chart {
	dbvhi_mat axes; // columns
	dbvhi_vec origin, unit, half;
	int used[3], n; // the axes that count
} chart;

static chart chart_of( dbvhi_point_set points, double floor ) {
	chart c;
	dbvhi_vec mean = { { 0, 0, 0 } };
	for ( size_t i = 0; i < points.count; ++i )
		mean = dbvhi_add( mean, ( dbvhi_vec ){ { points.x[i], points.y[i], points.z[i] } } );
	mean = dbvhi_scale( 1.0 / (double)points.count, mean );
	double s[6] = { 0 };
	for ( size_t i = 0; i < points.count; ++i ) {
		const dbvhi_vec d = dbvhi_sub( ( dbvhi_vec ){ { points.x[i], points.y[i], points.z[i] } }, mean );
		const double *v = d.v;
		const double products[6] = { v[0] * v[0], v[1] * v[1], v[2] * v[2], v[0] * v[1], v[1] * v[2], v[2] * v[0] };
		for ( int k = 0; k < 6; ++k )
			s[k] += products[k];
	}
	const dbvhi_mat axes = dbvhi_eigenvectors( s, 0x1p-50, NULL );
	const dbvhi_box box = dbvhi_box_along( &axes, points );
	c.axes = box.axes;
	c.origin = box.centre;
	c.half = box.half;
	c.n = 0;
	const double thin = fmax( DBVHI_THINNEST * box.half.v[2], floor );
	for ( int k = 0; k < 3; ++k ) {
		c.unit.v[k] = box.half.v[k] > thin ? 1.0 / box.half.v[k] : 0.0;
		if ( c.unit.v[k] > 0.0 )
			c.used[c.n++] = k;
	}
	return c;
}

// Along the chart's axes, in the chart's units.
static dbvhi_vec charted( const chart *c, dbvhi_point_set points, size_t i ) {
	DBVHI_ASSERT( i < points.count );
	const dbvhi_vec p = { { points.x[i], points.y[i], points.z[i] } };
	return dbvhi_times( c->unit, dbvhi_mat_apply_transposed( &c->axes, dbvhi_sub( p, c->origin ) ) );
}

static void add_point( ascent *a, const chart *c, dbvhi_vec x, double weight ) {
	for ( int k = 0; k < c->n; ++k )
		a->q[a->count][k] = x.v[c->used[k]];
	a->q[a->count][c->n] = 1.0;
	a->weight[a->count++] = weight;
}

// Makes room by taking out the points without weight, or else the one nearest to the centre.
static void make_room( ascent *a ) {
	size_t kept = 0, nearest = 0;
	for ( size_t i = 0; i < a->count; ++i ) {
		if ( a->weight[i] > 0.0 ) {
			for ( int k = 0; k < a->n; ++k )
				a->q[kept][k] = a->q[i][k];
			a->weight[kept++] = a->weight[i];
		}
	}
	a->count = kept;
	if ( kept < ROOM )
		return;
	for ( size_t i = 1; i < kept; ++i )
		nearest = a->weight[i] < a->weight[nearest] ? i : nearest;
	const double rest = 1.0 - a->weight[nearest];
	for ( int k = 0; k < a->n; ++k )
		a->q[nearest][k] = a->q[kept - 1][k];
	a->weight[nearest] = a->weight[kept - 1];
	a->count = kept - 1;
	for ( size_t i = 0; i < a->count; ++i )
		a->weight[i] /= rest;
}

// The extreme points of the chart in the directions of a cube's faces, edges and corners, with equal weights.
static void start( ascent *a, const chart *c, dbvhi_point_set points, const double *const charts[3] ) {
	static const signed char directions[13][3] = {
	    { 1, 0, 0 }, { 0, 1, 0 },  { 0, 0, 1 }, { 1, 1, 0 },  { 1, -1, 0 }, { 0, 1, 1 },  { 0, 1, -1 },
	    { 1, 0, 1 }, { -1, 0, 1 }, { 1, 1, 1 }, { 1, 1, -1 }, { 1, -1, 1 }, { -1, 1, 1 },
	};
	size_t chosen[26], count = 0;
	for ( int d = 0; d < 13; ++d ) {
		size_t ends[2] = { 0, 0 };
		double low = INFINITY, high = -INFINITY;
		for ( size_t i = 0; i < points.count; ++i ) {
			const double along =
			    directions[d][0] * charts[0][i] + directions[d][1] * charts[1][i] + directions[d][2] * charts[2][i];
			if ( along < low ) {
				low = along;
				ends[0] = i;
			}
			if ( along > high ) {
				high = along;
				ends[1] = i;
			}
		}
		for ( int side = 0; side < 2; ++side ) {
			size_t before = 0;
			while ( before < count && ( charts[0][chosen[before]] != charts[0][ends[side]] ||
			                            charts[1][chosen[before]] != charts[1][ends[side]] ||
			                            charts[2][chosen[before]] != charts[2][ends[side]] ) )
				before += 1;
			if ( before == count )
				chosen[count++] = ends[side];
		}
	}
	a->n = c->n + 1;
	a->count = 0;
	for ( size_t i = 0; i < count; ++i )
		add_point( a, c, ( dbvhi_vec ){ { charts[0][chosen[i]], charts[1][chosen[i]], charts[2][chosen[i]] } },
		           1.0 / (double)count );
}

// The ascent with all points at hand. False where it cannot be done in so many dimensions.
static bool least_of_all( ascent *a, const chart *c, dbvhi_point_set points, double *const charts[3] ) {
	for ( size_t i = 0; i < points.count; ++i ) {
		const dbvhi_vec x = charted( c, points, i );
		for ( int k = 0; k < 3; ++k )
			charts[k][i] = x.v[k];
	}
	start( a, c, points, (const double *const *)charts );
	for ( int pass = 0; pass < PASSES; ++pass ) {
		if ( !ascend( a ) )
			return false;
		// The farthest of all points, by the same measure.
		size_t far = 0;
		double most = -INFINITY;
		for ( size_t i = 0; i < points.count; ++i ) {
			double q[4], sum = 0.0;
			for ( int k = 0; k < c->n; ++k )
				q[k] = charts[c->used[k]][i];
			q[c->n] = 1.0;
			for ( int r = 0; r < a->n; ++r ) {
				double row = 0.0;
				for ( int k = 0; k < a->n; ++k )
					row += a->inverse[r][k] * q[k];
				sum += row * q[r];
			}
			if ( sum > most ) {
				most = sum;
				far = i;
			}
		}
		if ( most <= (double)a->n * ( 1.0 + 2.0 * TOLERANCE ) )
			break;
		if ( a->count == ROOM )
			make_room( a );
		add_point( a, c, ( dbvhi_vec ){ { charts[0][far], charts[1][far], charts[2][far] } }, 0.0 );
	}
	return true;
}

// Half lengths and axes from the weights: the covariance about the weighted mean, times the number of dimensions.
static dbvh_ellipsoid shape_of( const ascent *a, const chart *c ) {
	dbvh_ellipsoid out;
	double mean[3] = { 0 }, spread[3][3] = { { 0 } };
	for ( size_t i = 0; i < a->count; ++i ) {
		for ( int k = 0; k < c->n; ++k )
			mean[k] += a->weight[i] * a->q[i][k];
	}
	for ( size_t i = 0; i < a->count; ++i ) {
		for ( int r = 0; r < c->n; ++r ) {
			for ( int k = 0; k < c->n; ++k )
				spread[c->used[r]][c->used[k]] += (double)c->n * a->weight[i] * ( a->q[i][r] - mean[r] ) *
				                                  ( a->q[i][k] - mean[k] ) * c->half.v[c->used[r]] *
				                                  c->half.v[c->used[k]];
		}
	}
	const double s[6] = { spread[0][0], spread[1][1], spread[2][2], spread[0][1], spread[1][2], spread[2][0] };
	const dbvhi_mat turn = dbvhi_eigenvectors( s, 0x1p-50, NULL );
	dbvhi_vec offset = { { 0, 0, 0 } };
	for ( int k = 0; k < c->n; ++k )
		offset.v[c->used[k]] = mean[k] * c->half.v[c->used[k]];
	const dbvhi_vec centre = dbvhi_add( c->origin, dbvhi_mat_apply( &c->axes, offset ) );
	dbvhi_mat axes = dbvhi_mat_mul( &c->axes, &turn );
	axes = dbvhi_frame_again( &axes );
	for ( int k = 0; k < 3; ++k ) {
		double square = 0.0;
		for ( int r = 0; r < 3; ++r ) {
			double row = 0.0;
			for ( int column = 0; column < 3; ++column )
				row += spread[r][column] * turn.m[column][k];
			square += turn.m[r][k] * row;
			out.axis[k][r] = axes.m[r][k];
		}
		out.half[k] = square > 0.0 ? sqrt( square ) : 0.0;
		out.centre[k] = centre.v[k];
	}
	return out;
}

// The ball-like ellipsoid of the chart's box, for inputs on which the ascent fails.
static dbvh_ellipsoid round_box( const chart *c ) {
	dbvh_ellipsoid out;
	for ( int k = 0; k < 3; ++k ) {
		for ( int r = 0; r < 3; ++r )
			out.axis[k][r] = c->axes.m[r][k];
		out.half[k] = c->unit.v[k] > 0.0 ? sqrt( (double)c->n ) * c->half.v[k] : 0.0;
		out.centre[k] = c->origin.v[k];
	}
	return out;
}

// Thin axes are given a length at which what little extent the points have there counts for next to nothing; then all
// are scaled until every point is inside, `slack` and the rounding of the measurement included.
static void enclose( dbvh_ellipsoid *e, dbvhi_point_set points, double floor, double slack ) {
	double longest = fmax( fmax( e->half[0], e->half[1] ), e->half[2] );
	longest = fmax( longest, floor );
	double extent[3] = { 0 };
	for ( size_t i = 0; i < points.count; ++i ) {
		const dbvhi_vec p = { { points.x[i] - e->centre[0], points.y[i] - e->centre[1], points.z[i] - e->centre[2] } };
		const dbvhi_vec along = dbvhi_along( e->axis, p );
		for ( int k = 0; k < 3; ++k )
			extent[k] = fmax( extent[k], fabs( along.v[k] ) );
	}
	for ( int k = 0; k < 3; ++k ) {
		if ( e->half[k] < 2.0 * DBVHI_THINNEST * longest || e->half[k] < 2.0 * floor )
			e->half[k] = fmax( fmax( 2.0 * DBVHI_THINNEST * longest, 2.0 * floor ),
			                   extent[k] > 0.125 * e->half[k] ? 8.0 * extent[k] : 0.0 );
	}
	const dbvhi_vec inverse = dbvhi_inverse_half( e );
	double most = 0.0;
	for ( size_t i = 0; i < points.count; ++i ) {
		const dbvhi_vec p = { { points.x[i] - e->centre[0], points.y[i] - e->centre[1], points.z[i] - e->centre[2] } };
		const dbvhi_vec along = dbvhi_along( e->axis, p );
		// Each difference rounds once, a product and two sums follow: 5 units of the sum of magnitudes, at most twice
		// the length here, and the slack, along each axis.
		const double off = 16.0 * 0x1p-53 * ( fabs( p.v[0] ) + fabs( p.v[1] ) + fabs( p.v[2] ) ) + slack;
		double sum = 0.0;
		for ( int k = 0; k < 3; ++k ) {
			const double x = ( fabs( along.v[k] ) + off ) * inverse.v[k];
			sum += x * x;
		}
		most = fmax( most, sum );
	}
	const double scale = sqrt( most ) * ( 1.0 + 32.0 * 0x1p-53 );
	for ( int k = 0; k < 3; ++k )
		e->half[k] = fmax( e->half[k] * scale, fmax( DBVHI_THINNEST * longest * scale, floor ) );
}

dbvh_ellipsoid dbvhi_ellipsoid_least( dbvhi_point_set points, double floor, double slack, double *room ) {
	DBVHI_ASSERT( points.count > 0 && floor > 0.0 && slack >= 0.0 );
	double *const charts[3] = { room, room + points.count, room + 2 * points.count };
	const chart c = chart_of( points, floor );
	ascent a;
	dbvh_ellipsoid out = c.n > 0 && least_of_all( &a, &c, points, charts ) ? shape_of( &a, &c ) : round_box( &c );
	enclose( &out, points, floor, slack );
	return out;
}

dbvh_ellipsoid dbvhi_ellipsoid_aligned( dbvhi_point_set points, double floor, double slack, double *room ) {
	DBVHI_ASSERT( points.count > 0 && floor > 0.0 && slack >= 0.0 );
	// In units of the extents, the ball about the middle of the box, and the least ball: each is an ellipsoid.
	double low[3], high[3], unit[3];
	const double *const in[3] = { points.x, points.y, points.z };
	double most = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		low[k] = high[k] = in[k][0];
		for ( size_t i = 0; i < points.count; ++i ) {
			low[k] = fmin( low[k], in[k][i] );
			high[k] = fmax( high[k], in[k][i] );
		}
		most = fmax( most, high[k] - low[k] );
	}
	const double thin = fmax( DBVHI_THINNEST * most, floor );
	for ( int k = 0; k < 3; ++k ) {
		const double extent = high[k] - low[k];
		unit[k] = extent > thin ? 2.0 / extent : 0.0;
		for ( size_t i = 0; i < points.count; ++i )
			room[(size_t)k * points.count + i] = ( in[k][i] - 0.5 * ( low[k] + high[k] ) ) * unit[k];
	}
	const dbvhi_sphere ball = dbvhi_sphere_smallest(
	    ( dbvhi_point_set ){ room, room + points.count, room + 2 * points.count, points.count } );
	dbvh_ellipsoid out = { .axis = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
	for ( int k = 0; k < 3; ++k ) {
		out.centre[k] = 0.5 * ( low[k] + high[k] ) + ( unit[k] > 0.0 ? ball.centre.v[k] / unit[k] : 0.0 );
		out.half[k] = unit[k] > 0.0 ? ball.radius / unit[k] : 0.0;
	}
	enclose( &out, points, floor, slack );
	return out;
}
