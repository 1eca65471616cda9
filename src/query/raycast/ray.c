// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Hits of a line on a mesh. Hits are compared by intervals that contain their parameters, or exactly if these overlap;
// parameters in results are rounded from the exact ones.

#include "base/assert.h"
#include "query/raycast/raycast.h"

#include <math.h>
#include <string.h>

typedef struct line_search {
	dbvhi_visitor visitor; // note: must be the first member; visit() casts from it
	const dbvhi_placed_mesh *placed;
	const dbvhi_line *line;
	dbvh_find find;
	size_t count;
	// DBVH_FIND_CLOSEST
	uint32_t best; // in leaf order
	dbvhi_line_range range;
	bool exact_ready;
	dbvhi_ratio t; // exact parameter of the best, if exact_ready
	// DBVH_FIND_ALL: the first hits, and their triangles in leaf order
	dbvh_ray_hit *hits;
	uint64_t *places;
	size_t capacity;
	dbvh_workspace *workspace; // its `seen` has the triangles of which a fragment has been hit
} line_search;

static bool exact_hit( const line_search *s, uint64_t leaf_index, dbvhi_ratio *t_out ) {
	double room[9];
	return dbvhi_line_exact( s->placed->pose, dbvhi_placed_corners( s->placed, leaf_index, room ), s->line, t_out );
}

// ------------------------------------------------------------------------------------------------
// The first hit

static void parameter_of( const line_search *s, uint32_t leaf_index, dbvhi_ratio *t_out ) {
	double room[9];
	dbvhi_line_parameter( s->placed->pose, dbvhi_placed_corners( s->placed, leaf_index, room ), s->line, t_out );
}

// Compute the exact parameter of the best hit, unless it is known. note: if not, the filter is sure of the hit.
static void make_exact_parameter( line_search *s ) {
	if ( !s->exact_ready )
		parameter_of( s, s->best, &s->t );
	s->exact_ready = true;
}

// The nearest double to the parameter of a hit, which is `known`, or of which the filter is sure.
static __attribute__( ( noinline ) ) double rounded_parameter( const line_search *s, uint32_t leaf_index,
                                                               const dbvhi_ratio *known ) {
	if ( known != NULL )
		return dbvhi_ratio_round( known );
	double room[9], near;
	const double *corners = dbvhi_placed_corners( s->placed, leaf_index, room );
	if ( dbvhi_line_parameter_near( s->placed->pose, corners, s->line, &near ) )
		return near;
	dbvhi_ratio t;
	dbvhi_line_parameter( s->placed->pose, corners, s->line, &t );
	return dbvhi_ratio_round( &t );
}

static void replace_hit( line_search *s, uint32_t leaf_index, dbvhi_line_range range ) {
	s->best = leaf_index;
	s->range = range;
	s->exact_ready = false;
	s->count = 1;
	s->visitor.reach = fmin( s->visitor.reach, range.high );
}

// The interval of a parameter that is known exactly.
static __attribute__( ( noinline ) ) dbvhi_line_range around( const dbvhi_ratio *t ) {
	const double rounded = dbvhi_ratio_round( t );
	return ( dbvhi_line_range ){ nextafter( rounded, 0.0 ), nextafter( rounded, INFINITY ) };
}

// Take a hit as the best if it comes before that. note: noinline, here and below, keeps exact numbers, which are large,
// out of the stack frame of callers.
static __attribute__( ( noinline ) ) void consider( line_search *s, uint32_t leaf_index, dbvhi_line_range range,
                                                    const dbvhi_ratio *known ) {
	if ( s->count > 0 && ( range.low > s->range.high ||
	                       dbvhi_placed_number( s->placed, leaf_index ) == dbvhi_placed_number( s->placed, s->best ) ) )
		return;
	if ( s->count > 0 && range.high >= s->range.low ) {
		dbvhi_ratio own;
		const dbvhi_ratio *t = known;
		if ( t == NULL ) {
			parameter_of( s, leaf_index, &own );
			t = &own;
		}
		make_exact_parameter( s );
		const int order = dbvhi_ratio_compare( t, &s->t );
		if ( order > 0 || ( order == 0 &&
		                    dbvhi_placed_number( s->placed, leaf_index ) > dbvhi_placed_number( s->placed, s->best ) ) )
			return;
		replace_hit( s, leaf_index, range );
		dbvhi_ratio_copy( &s->t, t );
		s->exact_ready = true;
		return;
	}
	replace_hit( s, leaf_index, range );
	if ( known != NULL ) {
		dbvhi_ratio_copy( &s->t, known );
		s->exact_ready = true;
	}
}

// ------------------------------------------------------------------------------------------------
// All hits, as a heap with the last one on top while there are more than there is room for

static __attribute__( ( noinline ) ) bool is_before_exactly( const line_search *s, const dbvh_ray_hit *a,
                                                             uint64_t place_a, const dbvh_ray_hit *b,
                                                             uint64_t place_b ) {
	dbvhi_ratio ta, tb;
	exact_hit( s, place_a, &ta );
	exact_hit( s, place_b, &tb );
	const int order = dbvhi_ratio_compare( &ta, &tb );
	return order != 0 ? order < 0 : a->triangle < b->triangle;
}

// The order of two hits. Rounding keeps order, so only equal parameters need the exact ones.
static bool is_before( const line_search *s, const dbvh_ray_hit *a, uint64_t place_a, const dbvh_ray_hit *b,
                       uint64_t place_b ) {
	if ( a->t != b->t )
		return a->t < b->t;
	// note: equal triangles have the same place.
	return place_a == place_b ? a->triangle < b->triangle : is_before_exactly( s, a, place_a, b, place_b );
}

static void swap_hits( line_search *s, size_t i, size_t j ) {
	DBVHI_ASSERT( i < s->capacity && j < s->capacity );
	const dbvh_ray_hit hit = s->hits[i];
	const uint64_t place = s->places[i];
	s->hits[i] = s->hits[j];
	s->places[i] = s->places[j];
	s->hits[j] = hit;
	s->places[j] = place;
}

static bool hit_is_before( const line_search *s, size_t i, size_t j ) {
	DBVHI_ASSERT( i < s->capacity && j < s->capacity );
	return is_before( s, &s->hits[i], s->places[i], &s->hits[j], s->places[j] );
}

static void sift_down( line_search *s, size_t at, size_t count ) {
	DBVHI_ASSERT( at < count && count <= s->capacity );
	for ( ;; ) {
		size_t last = at;
		for ( size_t child = 2 * at + 1; child < 2 * at + 3 && child < count; ++child ) {
			if ( hit_is_before( s, last, child ) )
				last = child;
		}
		if ( last == at )
			return;
		swap_hits( s, at, last );
		at = last;
	}
}

static void sift_up( line_search *s, size_t at ) {
	while ( at > 0 && hit_is_before( s, ( at - 1 ) / 2, at ) ) {
		swap_hits( s, at, ( at - 1 ) / 2 );
		at = ( at - 1 ) / 2;
	}
}

static void sort_hits( line_search *s, size_t count ) {
	for ( size_t end = count; end > 1; --end ) {
		swap_hits( s, 0, end - 1 );
		sift_down( s, 0, end - 1 );
	}
}

// Make a hit. note: padding is cleared, so that equal hits have equal bytes.
static void make_hit( const line_search *s, uint32_t leaf_index, double t, dbvh_ray_hit *out ) {
	memset( out, 0, sizeof *out );
	out->triangle = dbvhi_placed_number( s->placed, leaf_index );
	out->t = t;
	for ( int k = 0; k < 3; ++k )
		out->point[k] = s->line->from[k] + out->t * s->line->step[k];
}

// Add a hit to the heap. Returns false if it comes after all hits of a full heap.
static bool keep_hit( line_search *s, uint32_t leaf_index, const dbvh_ray_hit *hit ) {
	s->count += 1;
	if ( s->count <= s->capacity ) {
		memcpy( &s->hits[s->count - 1], hit, sizeof *hit );
		s->places[s->count - 1] = leaf_index;
		sift_up( s, s->count - 1 );
	} else if ( is_before( s, hit, leaf_index, &s->hits[0], s->places[0] ) ) {
		memcpy( &s->hits[0], hit, sizeof *hit );
		s->places[0] = leaf_index;
		sift_down( s, 0, s->capacity );
	} else {
		return false;
	}
	return true;
}

// Add the hit of a triangle, and of all that are equal to it.
static void keep( line_search *s, uint32_t leaf_index, double t ) {
	uint32_t twin_count;
	const uint32_t *twins = dbvhi_tree_twins( s->placed->tree, leaf_index, &twin_count );
	dbvh_ray_hit hit;
	make_hit( s, leaf_index, t, &hit );
	for ( uint32_t i = 0; i < twin_count; ++i ) {
		hit.triangle = twins[i];
		if ( !keep_hit( s, leaf_index, &hit ) ) {
			s->count += twin_count - i - 1;
			return;
		}
	}
}

// ------------------------------------------------------------------------------------------------

// True if another fragment of the same triangle has been hit.
static bool is_known( line_search *s, uint32_t leaf_index ) {
	if ( s->find != DBVH_FIND_ALL || !dbvhi_tree_is_divided( s->placed->tree, leaf_index ) )
		return false;
	return !dbvhi_seen_pairs_add( &s->workspace->seen, &s->workspace->allocator,
	                              ( dbvhi_seen_pair ){ .key = dbvhi_placed_number( s->placed, leaf_index ) } );
}

static double visit_line( dbvhi_visitor *visitor, uint32_t leaf_index ) {
	line_search *s = (line_search *)visitor;
	if ( visitor->work.meter != NULL && !dbvhi_visitor_charge( visitor ) )
		return -1.0;
	double image[9];
	dbvhi_placed_image( s->placed, leaf_index, image );
	visitor->counters.triangle_tests += 1;
	dbvhi_line_range range;
	dbvhi_ratio t;
	const dbvhi_answer answer = dbvhi_line_filter( image, s->line, s->placed->error, &range );
	if ( answer == DBVHI_DISJOINT )
		return visitor->reach;
	bool known = false;
	if ( answer == DBVHI_UNSURE ) {
		visitor->counters.exact_tests += 1;
		if ( !exact_hit( s, leaf_index, &t ) )
			return visitor->reach;
		known = true;
	}
	if ( s->find == DBVH_FIND_ANY ) {
		s->count = 1;
		return -1.0;
	}
	if ( known && s->find == DBVH_FIND_CLOSEST )
		range = around( &t );
	if ( is_known( s, leaf_index ) )
		return s->workspace->seen.failed ? -1.0 : visitor->reach;
	if ( s->find == DBVH_FIND_ALL ) {
		// note: the first hit is part of the result even if the caller has no room for any.
		keep( s, leaf_index, rounded_parameter( s, leaf_index, known ? &t : NULL ) );
		return visitor->reach;
	}
	consider( s, leaf_index, range, known ? &t : NULL );
	return visitor->reach;
}

dbvh_status dbvhi_raycast( const dbvhi_placed_mesh *placed, const double from[3], const double to[3], bool is_ray,
                           const dbvh_raycast_query *query, dbvh_workspace *workspace, dbvh_raycast_result *result ) {
	DBVHI_ASSERT( workspace != NULL && from != NULL && to != NULL );
	dbvhi_line own = { .is_ray = is_ray };
	for ( int k = 0; k < 3; ++k ) {
		if ( !isfinite( from[k] ) || !isfinite( to[k] ) )
			return DBVH_NOT_FINITE;
		own.from[k] = from[k];
		own.to[k] = to[k];
		own.step[k] = is_ray ? to[k] : to[k] - from[k];
	}
	// note: room for one hit if the caller has none, since the first is always part of the result.
	dbvh_ray_hit only;
	uint64_t only_place;
	line_search s;
	dbvhi_purse purse;
	dbvhi_meter meter;
	if ( query->budget != NULL )
		dbvhi_meter_open( &meter, &purse, query->budget );
	dbvhi_visitor_init( &s.visitor, visit_line, own.is_ray ? INFINITY : 1.0, query->budget != NULL ? &meter : NULL );
	s.placed = placed;
	s.line = &own;
	s.find = query->find;
	s.count = 0;
	s.exact_ready = false;
	s.workspace = workspace;
	dbvhi_seen_pairs_clear( &workspace->seen );
	const bool has_room = query->find == DBVH_FIND_ALL && query->hit_capacity > 0;
	s.hits = has_room ? query->hits : &only;
	s.places = has_room ? workspace->keys : &only_place;
	s.capacity = has_room ? query->hit_capacity : 1;
	double error;
	const dbvhi_vec origin = dbvhi_placed_point( placed, own.from, &error );
	dbvhi_walk_line( placed->tree, origin, dbvhi_placed_direction( placed, own.step ), error, workspace, &s.visitor );
	result->counters = s.visitor.counters;
	if ( query->budget != NULL )
		dbvhi_meter_close( &meter );
	if ( workspace->seen.failed )
		return DBVH_OUT_OF_MEMORY;
	const dbvh_status status = s.visitor.is_cut_short ? dbvhi_purse_status( &purse ) : DBVH_OK;
	result->intersects = s.count > 0;
	result->hit_count = s.count;
	if ( s.count == 0 || s.find == DBVH_FIND_ANY )
		return status;
	if ( s.find == DBVH_FIND_CLOSEST ) {
		make_hit( &s, s.best, rounded_parameter( &s, s.best, s.exact_ready ? &s.t : NULL ), &result->first );
		return status;
	}
	const size_t kept = s.count < s.capacity ? s.count : s.capacity;
	sort_hits( &s, kept );
	result->first = s.hits[0];
	result->hit_written = has_room ? kept : 0;
	return status;
}
