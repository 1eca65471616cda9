// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A sphere in motion and a box: a point and a box with round edges.

#include "base/fpenv.h"
#include "dualbvh/shape_cast.h"
#include "primitive/check.h"
#include "primitive/round.h"
#include "primitive/times.h"

#include <string.h>

static const double nowhere[3] = { 0.0, 0.0, 0.0 };

typedef struct question {
	dbvhi_path path;
	const dbvh_aabb *aabb;
	dbvhi_sum radius;
} question;

static int box_until( const void *context, double t ) {
	const question *q = context;
	const int phase = dbvhi_path_aabb_phase( &q->path, q->aabb, &q->radius, t );
	return phase == DBVHI_BEFORE || phase == DBVHI_BEGINS || phase == DBVHI_GRAZES;
}

static int box_since( const void *context, double t ) {
	const question *q = context;
	const int phase = dbvhi_path_aabb_phase( &q->path, q->aabb, &q->radius, t );
	return phase == DBVHI_AFTER || phase == DBVHI_ENDS || phase == DBVHI_GRAZES;
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

static DBVHI_NOINLINE_FP dbvh_status do_sphere_aabb_cast( const dbvh_sphere *a, const double translation_a[3],
                                                          const dbvh_aabb *b, const double translation_b[3],
                                                          dbvh_shape_cast_result *result_out ) {
	if ( result_out != NULL )
		memset( result_out, 0, sizeof *result_out );
	dbvh_status status = dbvhi_check_pair( result_out, dbvhi_check_sphere( a ), dbvhi_check_aabb( b ) );
	if ( status == DBVH_OK && ( ( translation_a != NULL && !dbvhi_finite3( translation_a ) ) ||
	                            ( translation_b != NULL && !dbvhi_finite3( translation_b ) ) ) )
		status = DBVH_NOT_FINITE;
	if ( status != DBVH_OK )
		return status;
	const question q = { { a->centre, NULL, translation_a != NULL ? translation_a : nowhere,
	                       translation_b != NULL ? translation_b : nowhere, 0.0, 1.0 },
	                     b,
	                     dbvhi_sum1( a->radius ) };
	if ( dbvhi_path_aabb_compared( &q.path, b, &q.radius ) > 0 )
		return DBVH_OK;
	dbvhi_path end = q.path;
	end.begin = 1.0;
	result_out->intersects = true;
	result_out->at_start = dbvhi_point_aabb_compared( a->centre, b, &q.radius ) <= 0;
	result_out->at_end = dbvhi_path_aabb_compared( &end, b, &q.radius ) <= 0;
	result_out->exit = 1.0;
	if ( result_out->at_start && result_out->at_end )
		return DBVH_OK;
	double first, last;
	guess( &q, &first, &last );
	if ( !result_out->at_start )
		result_out->enter = dbvhi_round_down( box_until, &q, first, 0.0, 1.0 );
	if ( !result_out->at_end )
		result_out->exit = dbvhi_round_up( box_since, &q, last, 0.0, 1.0 );
	return DBVH_OK;
}

dbvh_status dbvh_sphere_aabb_cast( const dbvh_sphere *a, const double translation_a[3], const dbvh_aabb *b,
                                   const double translation_b[3], dbvh_shape_cast_result *result_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_sphere_aabb_cast( a, translation_a, b, translation_b, result_out ) );
}
