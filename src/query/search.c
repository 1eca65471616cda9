// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "query/search.h"

#include "base/sort.h"
#include "exact/gap.h"
#include "exact/shared.h"

static void record( dbvhi_search *s, uint64_t key ) {
	if ( s->key_count < s->key_capacity )
		s->workspace->keys[s->key_count] = key;
	else if ( s->key_capacity > 0 ) {
		// Out of room: keep the lowest ones, as a heap from the moment the array is full.
		if ( s->key_count == s->key_capacity )
			dbvhi_heap_make( s->workspace->keys, s->key_capacity );
		dbvhi_heap_replace_highest( s->workspace->keys, s->key_capacity, key );
	}
	s->key_count += 1;
	s->lowest_key = key < s->lowest_key ? key : s->lowest_key;
}

bool dbvhi_search_found( dbvhi_search *s, uint32_t i, uint32_t j ) {
	const uint32_t fixed = s->fixed->triangle[i], moved = s->moved->triangle[j];
	record( s, s->a_moves ? (uint64_t)moved << 32 | fixed : (uint64_t)fixed << 32 | moved );
	return !s->find_all;
}

static bool is_within( dbvhi_search *s, const double fixed[9], const double moved[9], const double image[9] ) {
	dbvhi_gap gap;
	dbvhi_triangles_gap( fixed, image, s->error, &gap );
	if ( gap.upper <= s->reach )
		return true;
	if ( gap.lower > s->reach )
		return false;
	s->counters.exact_tests += 1;
	const dbvhi_posed_pair pair = { fixed, moved, image, s->pose, s->error };
	return dbvhi_triangles_within_exact( &pair, &gap, s->reach );
}

bool dbvhi_search_beyond( dbvhi_search *s, uint32_t i, uint32_t j ) {
	const double *a = s->fixed->corners + 9 * (size_t)i, *b = s->fixed->corners + 9 * (size_t)j;
	s->counters.triangle_tests += 1;
	dbvhi_answer answer = dbvhi_meet_beyond_filter( a, b );
	if ( answer == DBVHI_UNSURE ) {
		s->counters.exact_tests += 1;
		answer = dbvhi_meet_beyond_exact( a, b ) ? DBVHI_MEET : DBVHI_APART;
	}
	if ( answer != DBVHI_MEET )
		return false;
	return s->fixed->triangle[i] < s->fixed->triangle[j] ? dbvhi_search_found( s, i, j )
	                                                     : dbvhi_search_found( s, j, i );
}

bool dbvhi_search_triangles( dbvhi_search *s, uint32_t i, uint32_t j ) {
	if ( s->beyond )
		return dbvhi_search_beyond( s, i, j );
	const double *fixed = s->fixed->corners + 9 * (size_t)i, *moved = s->moved->corners + 9 * (size_t)j;
	s->counters.triangle_tests += 1;
	if ( s->error < 0.0 )
		s->error = dbvhi_move_error( s->pose, s->moved->largest );
	double image[9];
	dbvhi_triangle_move( s->pose, moved, image );
	if ( s->reach > 0.0 )
		return is_within( s, fixed, moved, image ) && dbvhi_search_found( s, i, j );
	dbvhi_answer answer = dbvhi_triangles_filter( fixed, image, s->error );
	if ( answer == DBVHI_UNSURE ) {
		s->counters.exact_tests += 1;
		answer = dbvhi_triangles_meet_exact( fixed, moved, image, s->pose, s->error ) ? DBVHI_MEET : DBVHI_APART;
	}
	return answer == DBVHI_MEET && dbvhi_search_found( s, i, j );
}

void dbvhi_search_merge( dbvhi_search *s, const dbvh_workspace *other ) {
	const size_t kept = other->key_count < s->key_capacity ? other->key_count : s->key_capacity;
	for ( size_t i = 0; i < kept; ++i )
		record( s, other->keys[i] );
	if ( kept == other->key_count )
		return;
	// What the other had no room for is only counted, but record() takes the array for a heap from here on.
	if ( s->key_capacity > 0 && s->key_count == s->key_capacity )
		dbvhi_heap_make( s->workspace->keys, s->key_capacity );
	s->key_count += other->key_count - kept;
	s->lowest_key = other->lowest_key < s->lowest_key ? other->lowest_key : s->lowest_key;
}

void dbvhi_search_finish( dbvhi_search *s, const dbvh_query *query, dbvh_result *result ) {
	result->counters = s->counters;
	if ( s->key_count == 0 )
		return;
	result->verdict = DBVH_MEETING;
	result->first = ( dbvh_pair ){ (uint32_t)( s->lowest_key >> 32 ), (uint32_t)s->lowest_key };
	result->pair_count = s->key_count;
	const size_t written = s->key_count < s->key_capacity ? s->key_count : s->key_capacity;
	dbvhi_sort_u64( s->workspace->keys, written );
	for ( size_t i = 0; i < written; ++i )
		query->pairs[i] = ( dbvh_pair ){ (uint32_t)( s->workspace->keys[i] >> 32 ), (uint32_t)s->workspace->keys[i] };
	result->pair_written = written;
}

void dbvhi_counters_add( dbvh_counters *sum, const dbvh_counters *more ) {
	sum->sphere_tests += more->sphere_tests;
	sum->box_tests += more->box_tests;
	sum->triangle_tests += more->triangle_tests;
	sum->exact_tests += more->exact_tests;
	sum->ellipsoid_tests += more->ellipsoid_tests;
}
