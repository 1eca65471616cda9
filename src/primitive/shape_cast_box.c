// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A sphere in motion and a box: a point and a box with round edges.

#include "primitive/cast.h"
#include "primitive/core.h"
#include "primitive/round.h"

typedef struct question {
	dbvhi_path path;
	const dbvh_aabb *aabb;
	dbvhi_sum radius;
} question;

static int box_until( const void *context, double t ) {
	const question *q = context;
	return dbvhi_begins_at_or_after( dbvhi_path_aabb_phase( &q->path, q->aabb, &q->radius, t ) );
}

static int box_since( const void *context, double t ) {
	const question *q = context;
	return dbvhi_ends_at_or_before( dbvhi_path_aabb_phase( &q->path, q->aabb, &q->radius, t ) );
}

// ------------------------------------------------------------------------------------------------
// Guesses: the distance is that from one face, edge or corner between two times at which a coordinate leaves its slab.

static double distance_at( const question *q, const double step[3], double t ) {
	double out[3], size = 0.0, sum = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		const double x = q->path.from[k] + t * step[k];
		out[k] = x < q->aabb->min[k] ? q->aabb->min[k] - x : x > q->aabb->max[k] ? x - q->aabb->max[k] : 0.0;
		size = fmax( size, out[k] );
	}
	if ( !( size > 0.0 ) )
		return 0.0;
	for ( int k = 0; k < 3; ++k )
		sum += ( out[k] / size ) * ( out[k] / size );
	return size * sqrt( sum );
}

// The times of the part that is nearest at time t, as if it went on for ever.
static void times_of_part( const question *q, const double step[3], double t, double *first, double *last ) {
	dbvhi_dd from[3], by[3];
	bool moves = false;
	for ( int k = 0; k < 3; ++k ) {
		const double x = q->path.from[k] + t * step[k];
		const bool under = x<q->aabb->min[k], over = x> q->aabb->max[k];
		from[k] = by[k] = ( dbvhi_dd ){ 0.0, 0.0 };
		if ( under || over ) {
			from[k] = dbvhi_dd_sum( q->path.from[k], under ? -q->aabb->min[k] : -q->aabb->max[k] );
			by[k] = dbvhi_dd_sum( q->path.ahead[k], -q->path.behind[k] );
			moves = moves || by[k].hi != 0.0;
		}
	}
	*first = *last = t;
	if ( moves )
		dbvhi_ball_times( from, by, q->radius.term[0], first, last );
}

static void guess( const question *q, double *first_out, double *last_out ) {
	double step[3], time[8] = { 0.0, 1.0 };
	int count = 2;
	for ( int k = 0; k < 3; ++k ) {
		step[k] = q->path.ahead[k] - q->path.behind[k];
		for ( int side = 0; side < 2; ++side ) {
			const double t = ( ( side == 0 ? q->aabb->min[k] : q->aabb->max[k] ) - q->path.from[k] ) / step[k];
			if ( t > 0.0 && t < 1.0 ) {
				int i = count++;
				for ( ; time[i - 1] > t; --i )
					time[i] = time[i - 1];
				time[i] = t;
			}
		}
	}
	*first_out = 0.0;
	*last_out = 1.0;
	// In the first part that ends nearer than the radius, or whose own times lie within it.
	bool found = false;
	for ( int i = 0; i + 1 < count && !found; ++i ) {
		double first, last;
		times_of_part( q, step, 0.5 * ( time[i] + time[i + 1] ), &first, &last );
		found = first >= time[i] && first <= time[i + 1];
		if ( found || distance_at( q, step, time[i + 1] ) <= q->radius.term[0] ) {
			*first_out = found ? first : time[i + 1];
			found = true;
		}
	}
	found = false;
	for ( int i = count - 1; i > 0 && !found; --i ) {
		double first, last;
		times_of_part( q, step, 0.5 * ( time[i - 1] + time[i] ), &first, &last );
		found = last >= time[i - 1] && last <= time[i];
		if ( found || distance_at( q, step, time[i - 1] ) <= q->radius.term[0] ) {
			*last_out = found ? last : time[i - 1];
			found = true;
		}
	}
}

DBVHI_CAST( sphere_aabb, sphere, aabb ) {
	const question q = { dbvhi_path_of_cast( a->centre, by_a, by_b ), b, dbvhi_sum1( a->radius ) };
	if ( dbvhi_path_aabb_compared( &q.path, b, &q.radius ) > 0 )
		return;
	dbvhi_path end = q.path;
	end.begin = 1.0;
	out->intersects = true;
	out->at_start = dbvhi_point_aabb_compared( a->centre, b, &q.radius ) <= 0;
	out->at_end = dbvhi_path_aabb_compared( &end, b, &q.radius ) <= 0;
	out->exit = 1.0;
	if ( out->at_start && out->at_end )
		return;
	double first, last;
	guess( &q, &first, &last );
	if ( !out->at_start )
		out->enter = dbvhi_round_down( box_until, &q, first, 0.0, 1.0 );
	if ( !out->at_end )
		out->exit = dbvhi_round_up( box_since, &q, last, 0.0, 1.0 );
}
