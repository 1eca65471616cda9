// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Fits boxes to sixteen nodes side by side. A lane loop has no branches and touches only its lane, so that the compiler
// vectorises it and a lane's result does not depend on the others. Axes are *chosen* in floats, on coordinates scaled
// to the node, and then placed and measured in doubles.

#pragma once

#include "base/assert.h"
#include "bvh/builder/treelet.h"
#include "bvh/builder/wide.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define LANES DBVHI_LANES
#define EACH_LANE for ( int l = 0; l < LANES; ++l )
#define FEW DBVHI_EXTREMAL_POINTS

typedef struct fit_x16 {
	double parent[12][LANES]; // axes by rows, origin
	double first[3][LANES];   // point that others are relative to
	double scale[LANES];      // scales the node to a size near 1
	float covariance[6][LANES];
	float axes[9][LANES];
	float few[3][FEW][LANES]; // points that represent the node's, scaled
	double rot[9][LANES];
	double mesh[9][LANES]; // the box's axes in the mesh
	double low[3][LANES], high[3][LANES];
	double pos[3][LANES], half[3][LANES], frame[12][LANES];
	double centre[3][LANES], radius[LANES]; // centre and radius of the sphere
	double outside[3][LANES], inside[3][LANES];
} fit_x16;

WIDE_INLINE float lower( float a, float b ) {
	return a < b ? a : b;
}

WIDE_INLINE float higher( float a, float b ) {
	return a > b ? a : b;
}

WIDE_INLINE dbvhi_mat mat_at( const double m[9][LANES], int l ) {
	DBVHI_ASSERT( (unsigned)l < LANES );
	return ( dbvhi_mat ){
	    { { m[0][l], m[1][l], m[2][l] }, { m[3][l], m[4][l], m[5][l] }, { m[6][l], m[7][l], m[8][l] } } };
}

WIDE_INLINE void put_mat( double out[9][LANES], int l, dbvhi_mat m ) {
	DBVHI_ASSERT( (unsigned)l < LANES );
	out[0][l] = m.m[0][0];
	out[1][l] = m.m[0][1];
	out[2][l] = m.m[0][2];
	out[3][l] = m.m[1][0];
	out[4][l] = m.m[1][1];
	out[5][l] = m.m[1][2];
	out[6][l] = m.m[2][0];
	out[7][l] = m.m[2][1];
	out[8][l] = m.m[2][2];
}

WIDE_INLINE dbvhi_vec vec_at( const double v[3][LANES], int l ) {
	DBVHI_ASSERT( (unsigned)l < LANES );
	return ( dbvhi_vec ){ { v[0][l], v[1][l], v[2][l] } };
}

WIDE_INLINE void put_vec( double out[3][LANES], int l, dbvhi_vec v ) {
	DBVHI_ASSERT( (unsigned)l < LANES );
	out[0][l] = v.v[0];
	out[1][l] = v.v[1];
	out[2][l] = v.v[2];
}

// A Jacobi rotation (Golub and Van Loan, the smaller angle), without a division by zero. `r` is the third row; the
// other arguments index the entries off the diagonal.
WIDE_INLINE void rotate( float a[6][LANES], float axes[9][LANES], const float wanted[LANES], int p, int q, int pq,
                         int rp, int rq ) {
	EACH_LANE {
		const float d = a[q][l] - a[p][l], twice = 2.0f * a[pq][l];
		const float size = fabsf( d ) + sqrtf( d * d + twice * twice ) + 1e-30f;
		const float t = wanted[l] * ( ( d >= 0.0f ? twice : -twice ) / size );
		const float c = 1.0f / sqrtf( 1.0f + t * t ), s = t * c;
		const float shift = t * a[pq][l], arp = a[rp][l], arq = a[rq][l];
		a[p][l] -= shift;
		a[q][l] += shift;
		a[pq][l] *= 1.0f - wanted[l];
		a[rp][l] = c * arp - s * arq;
		a[rq][l] = s * arp + c * arq;
		for ( int k = 0; k < 9; k += 3 ) {
			const float vp = axes[k + p][l], vq = axes[k + q][l];
			axes[k + p][l] = c * vp - s * vq;
			axes[k + q][l] = s * vp + c * vq;
		}
	}
}

static void find_eigenvectors( fit_x16 *c ) {
	for ( int k = 0; k < 9; ++k )
		EACH_LANE c->axes[k][l] = k % 4 == 0 ? 1.0f : 0.0f;
	float( *a )[LANES] = c->covariance;
	for ( int sweep = 0; sweep < 4; ++sweep ) {
		// note: axes refined later need not be accurate; and for directions with equal variance the mesh's own axes are
		// better than what rounding makes of them.
		float wanted[LANES];
		EACH_LANE {
			const float off = fabsf( a[3][l] ) + fabsf( a[4][l] ) + fabsf( a[5][l] );
			const float on = fabsf( a[0][l] ) + fabsf( a[1][l] ) + fabsf( a[2][l] );
			wanted[l] = off > 0x1p-10f * on ? 1.0f : 0.0f;
		}
		rotate( a, c->axes, wanted, 0, 1, 3, 5, 4 );
		rotate( a, c->axes, wanted, 0, 2, 5, 3, 4 );
		rotate( a, c->axes, wanted, 1, 2, 4, 3, 5 );
	}
}

// Returns dbvhi_box_cost(), the expected overlap, up to a factor.
WIDE_INLINE float overlap_cost( float a, float b, float c ) {
	return 2.0f * a * b * c + ( a * b + b * c + c * a ) * ( a + b + c );
}

typedef struct turning {
	float along[3][FEW][LANES];
	float extent[3][LANES];
	float cost[LANES];
} turning;

// Turns the boxes about axis k one way or the other where that lowers the cost. Returns true if it did in any lane.
WIDE_INLINE bool turn_about( turning *t, float axes[9][LANES], int k, int count, float c, float s ) {
	const int p = ( k + 1 ) % 3, q = ( k + 2 ) % 3;
	float low[4][LANES], high[4][LANES], turned[LANES];
	EACH_LANE {
		for ( int i = 0; i < 4; ++i )
			low[i][l] = high[i][l] = 0.0f; // the first point is the origin
	}
	for ( int i = 1; i < count; ++i ) {
		EACH_LANE {
			const float x = t->along[p][i][l], y = t->along[q][i][l];
			const float cx = c * x, cy = c * y, sx = s * x, sy = s * y;
			low[0][l] = lower( cx - sy, low[0][l] );
			high[0][l] = higher( cx - sy, high[0][l] );
			low[1][l] = lower( cx + sy, low[1][l] );
			high[1][l] = higher( cx + sy, high[1][l] );
			low[2][l] = lower( cy + sx, low[2][l] );
			high[2][l] = higher( cy + sx, high[2][l] );
			low[3][l] = lower( cy - sx, low[3][l] );
			high[3][l] = higher( cy - sx, high[3][l] );
		}
	}
	float moved[LANES];
	int any = 0;
	EACH_LANE {
		const float e = t->extent[k][l], old = t->cost[l];
		const float p0 = high[0][l] - low[0][l], q0 = high[2][l] - low[2][l];
		const float p1 = high[1][l] - low[1][l], q1 = high[3][l] - low[3][l];
		const float cost0 = overlap_cost( e, p0, q0 ), cost1 = overlap_cost( e, p1, q1 );
		const float best = lower( cost1, cost0 );
		const float sine = cost1 < cost0 ? -s : s;
		const float pe = cost1 < cost0 ? p1 : p0, qe = cost1 < cost0 ? q1 : q0;
		const float limit = 0.999f * old;
		t->cost[l] = best < limit ? best : old;
		t->extent[p][l] = best < limit ? pe : t->extent[p][l];
		t->extent[q][l] = best < limit ? qe : t->extent[q][l];
		turned[l] = best < limit ? sine : 0.0f;
		moved[l] = best < limit ? c : 1.0f;
	}
	EACH_LANE any |= moved[l] < 1.0f ? 1 : 0;
	if ( any == 0 )
		return false;
	for ( int i = 1; i < count; ++i ) {
		EACH_LANE {
			const float x = t->along[p][i][l], y = t->along[q][i][l];
			t->along[p][i][l] = moved[l] * x - turned[l] * y;
			t->along[q][i][l] = turned[l] * x + moved[l] * y;
		}
	}
	for ( int r = 0; r < 9; r += 3 ) {
		EACH_LANE {
			const float x = axes[r + p][l], y = axes[r + q][l];
			axes[r + p][l] = moved[l] * x - turned[l] * y;
			axes[r + q][l] = turned[l] * x + moved[l] * y;
		}
	}
	return true;
}

// Turns the boxes about their own axes as long as that lowers their cost, in ever smaller steps.
static void refine_axes( fit_x16 *c, int count, int repeats, size_t step_count ) {
	DBVHI_ASSERT( count > 0 && count <= FEW );
	// Cosines and sines of 0.4, 0.2, 0.1, 0.05 and 0.025.
	static const float steps[][2] = { { 0.92106099f, 0.38941834f },
	                                  { 0.98006658f, 0.19866933f },
	                                  { 0.99500417f, 0.099833417f },
	                                  { 0.99875026f, 0.049979169f },
	                                  { 0.99968752f, 0.024997396f } };
	turning t;
	for ( int k = 0; k < 3; ++k ) {
		float low[LANES], high[LANES];
		EACH_LANE low[l] = high[l] = 0.0f;
		for ( int i = 0; i < count; ++i ) {
			EACH_LANE {
				const float x = c->few[0][i][l] - c->few[0][0][l], y = c->few[1][i][l] - c->few[1][0][l],
				            z = c->few[2][i][l] - c->few[2][0][l];
				const float along = c->axes[k][l] * x + c->axes[3 + k][l] * y + c->axes[6 + k][l] * z;
				t.along[k][i][l] = along;
				low[l] = lower( along, low[l] );
				high[l] = higher( along, high[l] );
			}
		}
		EACH_LANE t.extent[k][l] = high[l] - low[l];
	}
	EACH_LANE t.cost[l] = overlap_cost( t.extent[0][l], t.extent[1][l], t.extent[2][l] );
	for ( size_t step = 0; step < step_count; ++step ) {
		const float cosine = steps[step][0], sine = steps[step][1];
		for ( int k = 0; k < 3; ++k ) {
			for ( int repeat = 0; repeat < repeats; ++repeat ) {
				if ( !turn_about( &t, c->axes, k, count, cosine, sine ) )
					break;
			}
		}
	}
}

// Makes nearly orthonormal columns orthonormal by one Newton step.
WIDE_INLINE dbvhi_mat orthonormal_again( dbvhi_mat m ) {
	dbvhi_vec a = { { m.m[0][0], m.m[1][0], m.m[2][0] } }, b = { { m.m[0][1], m.m[1][1], m.m[2][1] } };
	a = dbvhi_scale( 1.5 - 0.5 * dbvhi_dot( a, a ), a );
	b = dbvhi_sub( b, dbvhi_scale( dbvhi_dot( a, b ), a ) );
	b = dbvhi_scale( 1.5 - 0.5 * dbvhi_dot( b, b ), b );
	const dbvhi_vec c = dbvhi_cross( a, b );
	return ( dbvhi_mat ){ { { a.v[0], b.v[0], c.v[0] }, { a.v[1], b.v[1], c.v[1] }, { a.v[2], b.v[2], c.v[2] } } };
}

// Converts the chosen axes, in c->mesh, into steps from the parents'. They are orthonormalised again: the parent's axes
// are orthonormal only up to the rounding of all steps above, and an error here would double at every level.
static void place_axes( fit_x16 *c ) {
	EACH_LANE {
		const dbvhi_mat axes = mat_at( c->mesh, l ), parent = mat_at( c->parent, l );
		const dbvhi_mat rot = orthonormal_again( dbvhi_mat_mul_transposed( &parent, &axes ) );
		put_mat( c->rot, l, rot );
		put_mat( c->mesh, l, dbvhi_mat_mul( &parent, &rot ) );
	}
}

// Widens axes to doubles. Floats are orthonormal to 2^-20; one Newton step makes that 2^-40, and the one in
// place_axes() reaches the precision of doubles.
static void widen_axes( fit_x16 *c ) {
	EACH_LANE {
		dbvhi_mat m = { { { (double)c->axes[0][l], (double)c->axes[1][l], (double)c->axes[2][l] },
		                  { (double)c->axes[3][l], (double)c->axes[4][l], (double)c->axes[5][l] },
		                  { (double)c->axes[6][l], (double)c->axes[7][l], (double)c->axes[8][l] } } };
		put_mat( c->mesh, l, orthonormal_again( m ) );
	}
}

// Orders two axes by ascending extent, unless they are equal up to rounding.
WIDE_INLINE void order_two( double extent[3], double low[3], double high[3], dbvhi_mat *rot, dbvhi_mat *mesh,
                            double *sign, int p, int q ) {
	const bool wrong = extent[q] < ( 1.0 - 0x1p-40 ) * extent[p];
#define EXCHANGE( x, y )                                                                                               \
	do {                                                                                                               \
		const double s = x, t = y;                                                                                     \
		x = wrong ? t : s;                                                                                             \
		y = wrong ? s : t;                                                                                             \
	} while ( 0 )
	EXCHANGE( extent[p], extent[q] );
	EXCHANGE( low[p], low[q] );
	EXCHANGE( high[p], high[q] );
	for ( int r = 0; r < 3; ++r ) {
		EXCHANGE( rot->m[r][p], rot->m[r][q] );
		EXCHANGE( mesh->m[r][p], mesh->m[r][q] );
	}
	*sign = wrong ? -*sign : *sign;
#undef EXCHANGE
}

WIDE_INLINE double at_most( double x, double limit ) {
	return x > limit ? limit : x < -limit ? -limit : x;
}

WIDE_INLINE bool reaches_beyond( dbvhi_vec a, double limit ) {
	return fabs( a.v[0] ) > limit || fabs( a.v[1] ) > limit || fabs( a.v[2] ) > limit;
}

// Places the boxes along their axes, from the extents of the points: centre and extents, rounded outwards. No centre
// exceeds `limit` in the parent's frame.
static void place_boxes( fit_x16 *c, double limit ) {
	DBVHI_ASSERT( limit > 0.0 );
	EACH_LANE {
		const dbvhi_mat parent = mat_at( c->parent, l );
		dbvhi_mat rot = mat_at( c->rot, l ), axes = mat_at( c->mesh, l );
		double low[3] = { c->low[0][l], c->low[1][l], c->low[2][l] };
		double high[3] = { c->high[0][l], c->high[1][l], c->high[2][l] };
		double extent[3] = { high[0] - low[0], high[1] - low[1], high[2] - low[2] }, sign = 1.0;
		order_two( extent, low, high, &rot, &axes, &sign, 0, 1 );
		order_two( extent, low, high, &rot, &axes, &sign, 1, 2 );
		order_two( extent, low, high, &rot, &axes, &sign, 0, 1 );
		const dbvhi_vec first = vec_at( c->first, l ), from = vec_at( c->parent + 9, l );
		const dbvhi_vec middle = {
		    { 0.5 * ( low[0] + high[0] ), 0.5 * ( low[1] + high[1] ), 0.5 * ( low[2] + high[2] ) } };
		const dbvhi_vec centre = dbvhi_add( first, dbvhi_mat_apply( &axes, middle ) );
		dbvhi_vec pos = dbvhi_mat_apply_transposed( &parent, dbvhi_sub( centre, from ) );
		for ( int k = 0; k < 3; ++k )
			pos.v[k] = at_most( pos.v[k], limit );
		for ( int r = 0; r < 3; ++r )
			rot.m[r][2] *= sign; // keep the axes right-handed
		const dbvhi_mat frame = dbvhi_mat_mul( &parent, &rot );
		const dbvhi_vec origin = dbvhi_add( from, dbvhi_mat_apply( &parent, pos ) );
		// The centre has been rounded, or clamped: extents are counted from its final position.
		const dbvhi_vec shift = dbvhi_mat_apply_transposed( &axes, dbvhi_sub( origin, first ) );
		double half[3];
		for ( int k = 0; k < 3; ++k ) {
			const double up = high[k] - shift.v[k], down = shift.v[k] - low[k];
			half[k] = up > down ? up : down;
		}
		// No difference to the centre has a component above the sum, none to the first point one above twice that. Two
		// such projections and a later check of the box may each have that error.
		const double error = 6.0 * dbvhi_projection_error( half[0] + half[1] + half[2] );
		for ( int k = 0; k < 3; ++k )
			half[k] += error;
		half[1] = half[1] < half[0] ? half[0] : half[1];
		half[2] = half[2] < half[1] ? half[1] : half[2];
		put_mat( c->rot, l, rot );
		put_mat( c->frame, l, frame );
		put_vec( c->frame + 9, l, origin );
		put_vec( c->pos, l, pos );
		for ( int k = 0; k < 3; ++k )
			c->half[k][l] = half[k];
	}
}

// Expresses the spheres in the frames of both boxes; the radius makes up for the rounding of the centre. A centre
// beyond `limit` becomes the box's.
static void place_spheres( fit_x16 *c, double limit ) {
	EACH_LANE {
		const dbvhi_mat parent = mat_at( c->parent, l ), frame = mat_at( c->frame, l );
		const dbvhi_vec sphere = vec_at( c->centre, l ), from = vec_at( c->parent + 9, l );
		const dbvhi_vec origin = vec_at( c->frame + 9, l ), pos = vec_at( c->pos, l );
		dbvhi_vec outside = dbvhi_mat_apply_transposed( &parent, dbvhi_sub( sphere, from ) );
		dbvhi_vec centre = dbvhi_add( from, dbvhi_mat_apply( &parent, outside ) );
		dbvhi_vec inside = dbvhi_mat_apply_transposed( &frame, dbvhi_sub( centre, origin ) );
		const bool beyond = reaches_beyond( outside, limit ) || reaches_beyond( inside, limit );
		for ( int k = 0; k < 3; ++k ) {
			outside.v[k] = beyond ? pos.v[k] : outside.v[k];
			centre.v[k] = beyond ? origin.v[k] : centre.v[k];
			inside.v[k] = beyond ? 0.0 : inside.v[k];
		}
		const double moved = dbvhi_length( dbvhi_sub( centre, sphere ) );
		c->radius[l] = ( c->radius[l] + moved ) * ( 1.0 + 16.0 * 0x1p-53 ) + 0x1p-530;
		put_vec( c->outside, l, outside );
		put_vec( c->inside, l, inside );
	}
}

static void write_node( const fit_x16 *c, int l, dbvhi_node *out, uint32_t first, uint32_t count, uint32_t low,
                        uint32_t total ) {
	DBVHI_ASSERT( (unsigned)l < LANES );
	DBVHI_ASSERT( total > 0 && count <= total );
	out->rot = mat_at( c->rot, l );
	out->pos = vec_at( c->pos, l );
	out->half = vec_at( c->half, l );
	out->sphere_outside = vec_at( c->outside, l );
	out->sphere_inside = vec_at( c->inside, l );
	out->radius = c->radius[l];
	out->first = first;
	out->count = count;
	out->low = low;
	out->total = total;
}

// Scales nodes to the mesh's own unit, a power of two, extents upwards. Frames stay in the builder's unit.
static void rescale( fit_x16 *c, double factor ) {
	for ( int k = 0; k < 3; ++k ) {
		EACH_LANE {
			c->pos[k][l] *= factor;
			c->half[k][l] = c->half[k][l] * factor + 0x1p-1074;
			c->outside[k][l] *= factor;
			c->inside[k][l] *= factor;
		}
	}
	EACH_LANE c->radius[l] = c->radius[l] * factor + 0x1p-1074;
}

static void set_parent( fit_x16 *c, int l, const dbvhi_frame *parent ) {
	DBVHI_ASSERT( (unsigned)l < LANES );
	put_mat( c->parent, l, parent->axes );
	put_vec( c->parent + 9, l, parent->origin );
}

static dbvhi_frame frame_of( const fit_x16 *c, int l ) {
	DBVHI_ASSERT( (unsigned)l < LANES );
	return ( dbvhi_frame ){ mat_at( c->frame, l ), vec_at( c->frame + 9, l ) };
}
