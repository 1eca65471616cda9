// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The nearest triangle to a point. Triangles are compared by intervals that contain their distances. If the intervals
// of two overlap, they are certainly at the same distance if the same corner or edge is nearest in both; else they are
// compared exactly.

#include "base/assert.h"
#include "query/raycast/raycast.h"

#include <math.h>

typedef struct nearest_search {
	dbvhi_visitor visitor; // note: must be the first member; visit() casts from it
	const dbvhi_placed_mesh *placed;
	const double *point;
	double slack; // bounds distances in the mesh's frame over those in the common frame
	double limit; // limit of the query; INFINITY: none
	bool found;
	uint32_t best; // in leaf order
	dbvhi_point_range range;
	bool exact_ready;
	dbvhi_ratio square; // exact squared distance of the best, if exact_ready
	double weights[3];
} nearest_search;

static bool same_point( const double *p, const double *q ) {
	return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

// True if features of two triangles, a corner or an edge given by the bits of its corners, have the same points.
static bool same_feature( const double *a, unsigned bits_a, const double *b, unsigned bits_b ) {
	DBVHI_ASSERT( bits_a <= 7 && bits_b <= 7 );
	if ( bits_a == 0 || bits_b == 0 || __builtin_popcount( bits_a ) != __builtin_popcount( bits_b ) )
		return false;
	for ( unsigned i = 0; i < 3; ++i ) {
		bool matched = ( bits_a >> i & 1 ) == 0;
		for ( unsigned j = 0; j < 3; ++j )
			matched = matched || ( ( bits_b >> j & 1 ) != 0 && same_point( a + 3 * i, b + 3 * j ) );
		if ( !matched )
			return false;
	}
	return true;
}

static void make_exact_square( nearest_search *s ) {
	if ( s->exact_ready )
		return;
	double room[9];
	dbvhi_point_exact( s->placed->pose, dbvhi_placed_corners( s->placed, s->best, room ), s->point, s->range.feature,
	                   &s->square, s->weights );
	s->exact_ready = true;
}

// Replace an interval by that of the exact distance. note: a distance beyond the largest double has no upper bound.
static void tighten( dbvhi_point_range *range, const dbvhi_ratio *square ) {
	range->high = dbvhi_ratio_root_up( square );
	range->low = range->high > 0.0 ? nextafter( range->high, 0.0 ) : 0.0;
}

static void replace_nearest( nearest_search *s, uint32_t leaf_index, dbvhi_point_range range ) {
	s->best = leaf_index;
	s->range = range;
	s->exact_ready = false;
	s->found = true;
}

static double reach_of( const nearest_search *s ) {
	const double distance = s->found ? fmin( s->range.high, s->limit ) : s->limit;
	return distance * s->slack;
}

static double visit_point( dbvhi_visitor *visitor, uint32_t leaf_index ) {
	nearest_search *s = (nearest_search *)visitor;
	if ( visitor->work.meter != NULL && !dbvhi_visitor_charge( visitor ) )
		return -1.0;
	// note: another fragment of the same triangle.
	if ( s->found && dbvhi_placed_number( s->placed, leaf_index ) == dbvhi_placed_number( s->placed, s->best ) )
		return reach_of( s );
	double image[9];
	dbvhi_placed_image( s->placed, leaf_index, image );
	visitor->counters.triangle_tests += 1;
	const dbvhi_point_range range = dbvhi_point_filter( image, s->point, s->placed->error );
	if ( range.low > s->limit || ( s->found && range.low > s->range.high ) )
		return reach_of( s );
	if ( s->found && range.high >= s->range.low ) {
		const bool lower = dbvhi_placed_number( s->placed, leaf_index ) < dbvhi_placed_number( s->placed, s->best );
		double room[9], best_room[9];
		const double *corners = dbvhi_placed_corners( s->placed, leaf_index, room );
		if ( same_feature( corners, range.feature, dbvhi_placed_corners( s->placed, s->best, best_room ),
		                   s->range.feature ) ) {
			if ( lower )
				replace_nearest( s, leaf_index, range );
			return reach_of( s );
		}
		visitor->counters.exact_tests += 1;
		make_exact_square( s );
		dbvhi_ratio square;
		double weights[3];
		dbvhi_point_exact( s->placed->pose, corners, s->point, range.feature, &square, weights );
		const int order = dbvhi_ratio_compare( &square, &s->square );
		if ( order > 0 || ( order == 0 && !lower ) )
			return reach_of( s );
		replace_nearest( s, leaf_index, range );
		dbvhi_ratio_copy( &s->square, &square );
		memcpy( s->weights, weights, sizeof s->weights );
		s->exact_ready = true;
		if ( isinf( range.high ) )
			tighten( &s->range, &s->square );
		return reach_of( s );
	}
	replace_nearest( s, leaf_index, range );
	if ( isinf( range.high ) ) {
		visitor->counters.exact_tests += 1;
		make_exact_square( s );
		tighten( &s->range, &s->square );
	}
	return reach_of( s );
}

dbvh_status dbvhi_closest_point( const dbvhi_placed_mesh *placed, const double point[3],
                                 const dbvh_closest_point_query *query, dbvh_workspace *workspace,
                                 dbvh_closest_point_result *result ) {
	DBVHI_ASSERT( workspace != NULL );
	if ( !isfinite( point[0] ) || !isfinite( point[1] ) || !isfinite( point[2] ) )
		return DBVH_NOT_FINITE;
	nearest_search s;
	dbvhi_purse purse;
	dbvhi_meter meter;
	if ( query->budget != NULL )
		dbvhi_meter_open( &meter, &purse, query->budget );
	dbvhi_visitor_init( &s.visitor, visit_point, 0.0, query->budget != NULL ? &meter : NULL );
	s.placed = placed;
	s.point = point;
	// |rot x| >= sqrt( 1 - 3 d ) |x| for a deviation d, at most DBVH_POSE_TOLERANCE.
	s.slack = 1.0 + 2.0 * placed->deviation;
	s.limit = query->limit > 0.0 ? query->limit : INFINITY;
	s.found = false;
	s.exact_ready = false;
	s.visitor.reach = reach_of( &s );
	double error;
	const dbvhi_vec local = dbvhi_placed_point( placed, point, &error );
	dbvhi_walk_point( placed->tree, local, error, workspace, &s.visitor );
	result->counters = s.visitor.counters;
	if ( query->budget != NULL )
		dbvhi_meter_close( &meter );
	const dbvh_status status = s.visitor.is_cut_short ? dbvhi_purse_status( &purse ) : DBVH_OK;
	if ( !s.found )
		return status;
	make_exact_square( &s );
	if ( s.limit <= 0x1.fffffffffffffp1023 && dbvhi_ratio_compare_square( &s.square, s.limit ) > 0 )
		return status;
	result->found = true;
	result->triangle = dbvhi_placed_number( s.placed, s.best );
	result->distance = dbvhi_ratio_root_up( &s.square );
	double image[9];
	dbvhi_placed_image( placed, s.best, image );
	for ( int k = 0; k < 3; ++k )
		result->point[k] = s.weights[0] * image[k] + s.weights[1] * image[3 + k] + s.weights[2] * image[6 + k];
	return status;
}
