// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A ball about p of radius d_F(p), the distance of p from the triangles of F, is inside F if p is; likewise in M. Both
// keep overlapping while the translation is off by less than the sum of the radii. The sum is raised by moving p away
// from what is nearest in either solid: along the sum of both gradients, of which each is the unit vector away from the
// nearest point. Steps stay within both balls, so that no ray has to tell whether p is still inside.

#include "query/depth/witness.h"

#include "base/assert.h"
#include "query/collide/collide.h"

#include <math.h>
#include <string.h>

#define STEPS 40 // steps of an ascent

double dbvhi_witness_reach( const dbvhi_solid_pair *pair, const dbvhi_witness_pair *w, const double shift[3] ) {
	if ( !( w->fixed.radius > 0.0 && w->moved.radius > 0.0 ) )
		return 0.0;
	double apart[3], size = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		apart[k] = ( w->fixed.centre[k] - w->moved.centre[k] ) - shift[k];
		size = fmax( size, fabs( shift[k] ) );
	}
	return ( w->fixed.radius + w->moved.radius ) * ( 1.0 - 0x1p-50 ) - dbvhi_length3_up( apart ) - 0x1p-49 * size -
	       pair->slack;
}

// The largest ball about a point that is known to be inside a solid. `limit` bounds its radius from above.
static dbvhi_ball ball_about( const dbvhi_solid *solid, const double centre[3], double limit, uint32_t *leaf_out ) {
	const dbvhi_near near = dbvhi_solid_near( solid, centre, UINT32_MAX, limit );
	*leaf_out = near.leaf;
	return ( dbvhi_ball ){ { centre[0], centre[1], centre[2] }, near.low };
}

// ------------------------------------------------------------------------------------------------
// The pool

// Find the largest ball that touches a triangle at a point from one side (the shrinking ball of Ma, Bae and Choi 2012),
// if that side is inside.
static bool shrink_ball( const dbvhi_solid *solid, const double at[3], const double normal[3], double largest,
                         dbvhi_ball *out ) {
	double radius = largest, centre[3];
	for ( int i = 0; i < 8; ++i ) {
		uint32_t leaf;
		for ( int k = 0; k < 3; ++k )
			centre[k] = at[k] + radius * normal[k];
		const dbvhi_ball ball = ball_about( solid, centre, radius * 1.001, &leaf );
		if ( leaf == UINT32_MAX || ball.radius >= 0.999 * radius )
			break;
		double foot[3], away[3];
		dbvhi_solid_foot( solid, leaf, centre, foot );
		for ( int k = 0; k < 3; ++k )
			away[k] = at[k] - foot[k];
		// The radius of the ball that touches at `at` and goes through the foot.
		const double along = -dbvhi_dot3( away, normal ), square = dbvhi_dot3( away, away );
		const double next = along > 0.0 ? 0.5 * square / along : 0.5 * radius;
		radius = next < radius ? next : 0.7 * radius;
	}
	uint32_t leaf;
	for ( int k = 0; k < 3; ++k )
		centre[k] = at[k] + radius * normal[k];
	*out = ball_about( solid, centre, INFINITY, &leaf );
	return out->radius > 0.0 && dbvhi_solid_holds( solid, centre, NULL );
}

// True if a ball is inside another of the pool, but for a little.
static bool is_known( const dbvhi_ball_pool *pool, int mesh, const dbvhi_ball *ball ) {
	for ( int i = 0; i < pool->count[mesh]; ++i ) {
		const dbvhi_ball *b = &pool->ball[mesh][i];
		const double apart[3] = { b->centre[0] - ball->centre[0], b->centre[1] - ball->centre[1],
		                          b->centre[2] - ball->centre[2] };
		if ( dbvhi_length3( apart ) + ball->radius < 1.05 * b->radius )
			return true;
	}
	return false;
}

static void add_balls_at( dbvhi_ball_pool *pool, const dbvhi_solid *solid, int mesh, const double c[9],
                          const double weights[3], double largest ) {
	double at[3], ab[3], ac[3], n[3];
	for ( int k = 0; k < 3; ++k ) {
		at[k] = weights[0] * c[k] + weights[1] * c[3 + k] + weights[2] * c[6 + k];
		ab[k] = c[3 + k] - c[k];
		ac[k] = c[6 + k] - c[k];
	}
	dbvhi_cross3( ab, ac, n );
	if ( !dbvhi_normalise3( n ) )
		return;
	for ( int side = 0; side < 2 && pool->count[mesh] < DBVHI_BALLS; ++side ) {
		dbvhi_ball ball;
		for ( int k = 0; k < 3; ++k )
			n[k] = -n[k];
		if ( shrink_ball( solid, at, n, largest, &ball ) && !is_known( pool, mesh, &ball ) )
			pool->ball[mesh][pool->count[mesh]++] = ball;
	}
}

static void fill( dbvhi_ball_pool *pool, const dbvhi_solid_pair *pair, int mesh ) {
	static const double inner[4][3] = {
	    { 1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0 }, { 0.8, 0.1, 0.1 }, { 0.1, 0.8, 0.1 }, { 0.1, 0.1, 0.8 } };
	const dbvhi_solid *solid = &pair->solid[mesh];
	const size_t triangles = solid->placed.tree->triangle_count;
	const size_t wanted = triangles < 160 ? triangles : 160;
	const int points = triangles < 60 ? 4 : 1;
	for ( size_t i = 0; i < wanted && dbvhi_purse_status( pair->meter->purse ) == DBVH_OK; ++i ) {
		double c[9];
		dbvhi_solid_image( solid, (uint32_t)( i * triangles / wanted ), c );
		for ( int k = 0; k < points && pool->count[mesh] < DBVHI_BALLS; ++k )
			add_balls_at( pool, solid, mesh, c, inner[k], pair->size );
	}
}

void dbvhi_ball_pool_fill( dbvhi_ball_pool *pool, const dbvhi_solid_pair *pair ) {
	pool->count[0] = pool->count[1] = 0;
	for ( int mesh = 0; mesh < 2; ++mesh )
		fill( pool, pair, mesh );
}

// The two balls of the pool that overlap most after a translation. Their reach is learned in *known.
static bool best_of_pool( const dbvhi_ball_pool *pool, const dbvhi_solid_pair *pair, const double shift[3],
                          dbvhi_witness_pair *out, dbvhi_witness_pair *known ) {
	double best = 0.0;
	bool found = false;
	for ( int i = 0; i < pool->count[0]; ++i ) {
		const dbvhi_ball *f = &pool->ball[0][i];
		const double x = f->centre[0] - shift[0], y = f->centre[1] - shift[1], z = f->centre[2] - shift[2];
		for ( int j = 0; j < pool->count[1]; ++j ) {
			const dbvhi_ball *m = &pool->ball[1][j];
			const double dx = x - m->centre[0], dy = y - m->centre[1], dz = z - m->centre[2];
			const double left = f->radius + m->radius - best, square = dx * dx + dy * dy + dz * dz;
			if ( left > 0.0 && square < left * left ) {
				best = f->radius + m->radius - sqrt( square );
				*out = ( dbvhi_witness_pair ){ .fixed = *f, .moved = *m };
				found = true;
			}
		}
	}
	dbvhi_meter_charge( pair->meter, (uint64_t)pool->count[0] * (uint64_t)pool->count[1] / 16 );
	known->pool_known = true;
	known->pool_reach = best;
	memcpy( known->pool_shift, shift, sizeof known->pool_shift );
	return found;
}

// ------------------------------------------------------------------------------------------------
// Ascent

// Replace the balls of a witness by those of another.
static void take_balls( dbvhi_witness_pair *w, const dbvhi_witness_pair *from ) {
	w->fixed = from->fixed;
	w->moved = from->moved;
}

// The balls about a point p of the frame after the translation, which is inside both.
static dbvhi_witness_pair balls_about( const dbvhi_solid_pair *pair, const double p[3], const double shift[3],
                                       const double limit[2], double away[2][3] ) {
	const double back[3] = { p[0] - shift[0], p[1] - shift[1], p[2] - shift[2] };
	const double *centre[2] = { p, back };
	dbvhi_ball ball[2];
	for ( int mesh = 0; mesh < 2; ++mesh ) {
		uint32_t leaf;
		ball[mesh] = ball_about( &pair->solid[mesh], centre[mesh], limit[mesh], &leaf );
		memset( away[mesh], 0, sizeof away[mesh] );
		if ( leaf == UINT32_MAX )
			continue;
		dbvhi_solid_foot( &pair->solid[mesh], leaf, centre[mesh], away[mesh] );
		for ( int k = 0; k < 3; ++k )
			away[mesh][k] = centre[mesh][k] - away[mesh][k];
		if ( !dbvhi_normalise3( away[mesh] ) )
			memset( away[mesh], 0, sizeof away[mesh] );
	}
	return ( dbvhi_witness_pair ){ .fixed = ball[0], .moved = ball[1] };
}

// A point on the line between the centres that is inside both balls, if they overlap.
static void point_between( const dbvhi_witness_pair *w, const double shift[3], double p[3] ) {
	const double part = w->fixed.radius / ( w->fixed.radius + w->moved.radius );
	for ( int k = 0; k < 3; ++k )
		p[k] = w->fixed.centre[k] + part * ( w->moved.centre[k] + shift[k] - w->fixed.centre[k] );
}

// True if a point is inside both balls, the second after the translation, whatever was rounded.
static bool is_between( const dbvhi_witness_pair *w, const double p[3], const double shift[3] ) {
	double from_fixed[3], from_moved[3];
	for ( int k = 0; k < 3; ++k ) {
		from_fixed[k] = p[k] - w->fixed.centre[k];
		from_moved[k] = ( p[k] - shift[k] ) - w->moved.centre[k];
	}
	return dbvhi_length3_up( from_fixed ) < w->fixed.radius && dbvhi_length3_up( from_moved ) < w->moved.radius;
}

// A linear map of space in which a search takes the direction of a gradient.
typedef struct metric {
	double m[3][3];
} metric;

// The direction of steepest ascent in the metric, of length 1. False if the gradient is next to 0.
static bool steepest( const metric *s, const double gradient[3], double out[3] ) {
	double x[3];
	for ( int k = 0; k < 3; ++k )
		x[k] = s->m[0][k] * gradient[0] + s->m[1][k] * gradient[1] + s->m[2][k] * gradient[2];
	if ( !dbvhi_normalise3( x ) )
		return false;
	for ( int k = 0; k < 3; ++k )
		out[k] = dbvhi_dot3( s->m[k], x );
	return dbvhi_normalise3( out );
}

// Contract a metric to 2/5 along the difference of two gradients.
static void contract( metric *s, const double difference[3] ) {
	double x[3];
	for ( int k = 0; k < 3; ++k )
		x[k] = s->m[0][k] * difference[0] + s->m[1][k] * difference[1] + s->m[2][k] * difference[2];
	if ( !dbvhi_normalise3( x ) )
		return;
	for ( int row = 0; row < 3; ++row ) {
		const double along = 0.6 * dbvhi_dot3( s->m[row], x );
		for ( int k = 0; k < 3; ++k )
			s->m[row][k] -= along * x[k];
	}
}

// Raise the reach from a witness that has one, by Shor's r-algorithm: the sum of both distances has creases wherever
// two triangles are equally near, and its gradient jumps across them. Contracting space along the difference of
// successive gradients turns the search along a crease instead of to and fro across it.
static double ascend( const dbvhi_solid_pair *pair, const double shift[3], double wanted, dbvhi_witness_pair *w ) {
	double best = dbvhi_witness_reach( pair, w, shift ), p[3], away[2][3], gradient[3];
	metric space = { { { 1.0, 0.0, 0.0 }, { 0.0, 1.0, 0.0 }, { 0.0, 0.0, 1.0 } } };
	const double far[2] = { INFINITY, INFINITY };
	point_between( w, shift, p );
	if ( !is_between( w, p, shift ) )
		return best;
	dbvhi_witness_pair here = balls_about( pair, p, shift, far, away );
	double step = 0.5 * fmin( here.fixed.radius, here.moved.radius );
	for ( int k = 0; k < 3; ++k )
		gradient[k] = away[0][k] + away[1][k];
	for ( int i = 0; i < STEPS; ++i ) {
		const double reach = dbvhi_witness_reach( pair, &here, shift );
		if ( reach > best ) {
			best = reach;
			take_balls( w, &here );
		}
		double d[3], next[3], change[3];
		if ( best > wanted || dbvhi_length3( gradient ) < 0x1p-10 || !steepest( &space, gradient, d ) )
			break;
		// note: a step that stays inside both balls leads to a point inside both solids.
		step = fmin( step, 0.9 * fmin( here.fixed.radius, here.moved.radius ) );
		if ( !( step > 0x1p-9 * ( here.fixed.radius + here.moved.radius ) ) && !( step > 0.0 && i < 4 ) )
			break;
		for ( int k = 0; k < 3; ++k )
			next[k] = p[k] + step * d[k];
		if ( !is_between( &here, next, shift ) )
			break;
		const double limit[2] = { 1.001 * ( here.fixed.radius + step ) + pair->slack,
		                          1.001 * ( here.moved.radius + step ) + pair->slack };
		const dbvhi_witness_pair there = balls_about( pair, next, shift, limit, away );
		for ( int k = 0; k < 3; ++k )
			change[k] = away[0][k] + away[1][k] - gradient[k];
		contract( &space, change );
		const bool is_better = there.fixed.radius + there.moved.radius > here.fixed.radius + here.moved.radius;
		if ( is_better ) {
			here = there;
			memcpy( p, next, sizeof next );
		}
		for ( int k = 0; k < 3; ++k )
			gradient[k] += ( is_better ? 1.0 : 0.5 ) * change[k];
		step *= is_better ? 2.0 : 0.5;
	}
	return best;
}

// True if no pair of the pool reaches as far as wanted: reaches grow by no more than the translation changes.
static bool pool_is_short( const dbvhi_witness_pair *w, const double shift[3], double wanted ) {
	double apart[3];
	for ( int k = 0; k < 3; ++k )
		apart[k] = shift[k] - w->pool_shift[k];
	return w->pool_known && w->pool_reach + dbvhi_length3( apart ) <= wanted;
}

double dbvhi_witness_improve( const dbvhi_solid_pair *pair, const dbvhi_ball_pool *pool, const double shift[3],
                              double wanted, dbvhi_witness_pair *w ) {
	double reach = dbvhi_witness_reach( pair, w, shift );
	if ( reach > wanted )
		return reach;
	if ( reach > 0.0 )
		reach = ascend( pair, shift, wanted, w );
	if ( reach > wanted )
		return reach;
	dbvhi_witness_pair other;
	if ( pool_is_short( w, shift, wanted ) || !best_of_pool( pool, pair, shift, &other, w ) )
		return reach;
	const double start = dbvhi_witness_reach( pair, &other, shift );
	if ( start > wanted ) {
		take_balls( w, &other );
		return start;
	}
	if ( !( start > 0.0 ) )
		return reach;
	const double end = ascend( pair, shift, wanted, &other );
	if ( end > reach ) {
		reach = end;
		take_balls( w, &other );
	}
	return reach;
}

// ------------------------------------------------------------------------------------------------
// Crossings

// The normal of a triangle, of length 1.
static bool normal_of( const double c[9], double n[3] ) {
	double ab[3], ac[3];
	for ( int k = 0; k < 3; ++k ) {
		ab[k] = c[3 + k] - c[k];
		ac[k] = c[6 + k] - c[k];
	}
	dbvhi_cross3( ab, ac, n );
	return dbvhi_normalise3( n );
}

// Add the points where the sides of one triangle cross another to a sum. Returns their number.
static int add_crossings( const double sides[9], const double face[9], const double n[3], double sum[3] ) {
	int count = 0;
	for ( int i = 0; i < 3; ++i ) {
		const double *p = sides + 3 * i, *q = sides + 3 * ( ( i + 1 ) % 3 );
		double hp = 0.0, hq = 0.0, x[3];
		for ( int k = 0; k < 3; ++k ) {
			hp += n[k] * ( p[k] - face[k] );
			hq += n[k] * ( q[k] - face[k] );
		}
		if ( !( ( hp < 0.0 ) != ( hq < 0.0 ) ) )
			continue;
		for ( int k = 0; k < 3; ++k )
			x[k] = p[k] + hp / ( hp - hq ) * ( q[k] - p[k] );
		bool inside = true;
		for ( int j = 0; j < 3 && inside; ++j ) {
			double along[3], to[3], out[3];
			for ( int k = 0; k < 3; ++k ) {
				along[k] = face[3 * ( ( j + 1 ) % 3 ) + k] - face[3 * j + k];
				to[k] = x[k] - face[3 * j + k];
			}
			dbvhi_cross3( along, to, out );
			inside = dbvhi_dot3( out, n ) >= 0.0;
		}
		for ( int k = 0; k < 3 && inside; ++k )
			sum[k] += x[k];
		count += inside;
	}
	return count;
}

// The middle of the segment in which two triangles intersect, and both normals.
static bool crossing_of( const dbvhi_solid_pair *pair, const double shift[3], dbvh_pair triangles, double middle[3],
                         double n[2][3] ) {
	double c[2][9];
	const uint32_t number[2] = { triangles.a, triangles.b };
	for ( int mesh = 0; mesh < 2; ++mesh ) {
		dbvhi_solid_image( &pair->solid[mesh], pair->solid[mesh].placed.tree->leaf[number[mesh]], c[mesh] );
		if ( !normal_of( c[mesh], n[mesh] ) )
			return false;
	}
	for ( int k = 0; k < 9; ++k )
		c[1][k] += shift[k % 3];
	double sum[3] = { 0.0, 0.0, 0.0 };
	const int count = add_crossings( c[0], c[1], n[1], sum ) + add_crossings( c[1], c[0], n[0], sum );
	for ( int k = 0; k < 3; ++k )
		middle[k] = sum[k] / ( count > 0 ? count : 1 );
	return count > 0;
}

// note: where surfaces cross at a small angle, as two round bodies that overlap a little do, what they have in common
// is many times as wide as deep, and a point near its rim is next to no depth. So the search begins far inside.
#define FIRST_TRIED 16.0 // distance of the first point from the crossing, in units of the scale
#define TRIED_POINTS 5   // along each direction

// Take the balls about the point far from `from` along a direction, if it is inside both solids.
static bool look_at_point( const dbvhi_solid_pair *pair, const double shift[3], const double from[3], double far,
                           const double d[3], dbvhi_witness_pair *w ) {
	static const double any[2] = { INFINITY, INFINITY };
	double p[3], back[3], away[2][3];
	for ( int k = 0; k < 3; ++k ) {
		p[k] = from[k] + far * d[k];
		back[k] = p[k] - shift[k];
	}
	if ( !dbvhi_solid_holds( &pair->solid[0], p, NULL ) || !dbvhi_solid_holds( &pair->solid[1], back, NULL ) )
		return false;
	const dbvhi_witness_pair here = balls_about( pair, p, shift, any, away );
	if ( !( dbvhi_witness_reach( pair, &here, shift ) > 0.0 ) )
		return false;
	take_balls( w, &here );
	return true;
}

double dbvhi_witness_at( const dbvhi_solid_pair *pair, const double shift[3], dbvh_pair triangles, double scale,
                         double wanted, dbvhi_witness_pair *w ) {
	double middle[3], n[2][3];
	if ( !crossing_of( pair, shift, triangles, middle, n ) )
		return 0.0;
	for ( int signs = 0; signs < 4; ++signs ) {
		double d[3], far = FIRST_TRIED * scale;
		for ( int k = 0; k < 3; ++k )
			d[k] = ( signs & 1 ? n[0][k] : -n[0][k] ) + ( signs & 2 ? n[1][k] : -n[1][k] );
		if ( !dbvhi_normalise3( d ) )
			continue;
		for ( int i = 0; i < TRIED_POINTS; ++i, far *= 0.25 ) {
			if ( !look_at_point( pair, shift, middle, far, d, w ) )
				continue;
			return ascend( pair, shift, wanted, w );
		}
	}
	return 0.0;
}

#define MOST_PAIRS 512 // pairs of triangles that are listed
#define TRIED_PAIRS 48 // and looked at

dbvh_status dbvhi_witness_all_over( const dbvhi_solid_pair *pair, const double shift[3], double scale, double wanted,
                                    dbvhi_witness_pair *w ) {
	dbvh_pair list[MOST_PAIRS];
	dbvh_pose pose = pair->pair.pose;
	for ( int k = 0; k < 3; ++k )
		pose.pos[k] += shift[k];
	dbvh_collide_result found;
	const dbvhi_collide_options distinct = { .distinct = true, .meter = pair->meter };
	const dbvh_collide_query all = { .find = DBVH_FIND_ALL, .pairs = list, .pair_capacity = MOST_PAIRS };
	dbvh_status status = dbvhi_workspace_require( pair->workspace, pair->pair.fixed, pair->pair.moved, MOST_PAIRS );
	if ( status == DBVH_OK )
		status = dbvhi_collide_checked( pair->pair.fixed, NULL, pair->pair.moved, &pose, &distinct, &all,
		                                pair->workspace, &found );
	if ( status != DBVH_OK )
		return status;
	double best = dbvhi_witness_reach( pair, w, shift );
	const size_t tried = found.pair_written < TRIED_PAIRS ? found.pair_written : TRIED_PAIRS;
	for ( size_t i = 0; i < tried && best <= wanted; ++i ) {
		dbvhi_witness_pair other;
		const double reach =
		    dbvhi_witness_at( pair, shift, list[i * found.pair_written / tried], scale, wanted, &other );
		if ( reach > best ) {
			best = reach;
			take_balls( w, &other );
		}
	}
	return dbvhi_purse_status( pair->meter->purse );
}
