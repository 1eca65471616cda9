// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "query/search.h"

#include "base/sort.h"

// Records a pair of triangles that meet.
static void record( dbvhi_search *s, uint32_t fixed_triangle, uint32_t moved_triangle ) {
	const uint32_t a = s->a_moves ? moved_triangle : fixed_triangle;
	const uint32_t b = s->a_moves ? fixed_triangle : moved_triangle;
	const uint64_t key = (uint64_t)a << 32 | b;
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
	record( s, s->fixed->triangle[i], s->moved->triangle[j] );
	return !s->find_all;
}

bool dbvhi_search_triangles( dbvhi_search *s, uint32_t i, uint32_t j ) {
	const double *fixed = s->fixed->corners + 9 * (size_t)i, *moved = s->moved->corners + 9 * (size_t)j;
	s->counters.triangle_tests += 1;
	if ( s->error < 0.0 )
		s->error = dbvhi_move_error( s->pose, s->moved->largest );
	double image[9];
	dbvhi_triangle_move( s->pose, moved, image );
	dbvhi_answer answer = dbvhi_triangles_filter( fixed, image, s->error );
	if ( answer == DBVHI_UNSURE ) {
		s->counters.exact_tests += 1;
		answer = dbvhi_triangles_meet_exact( fixed, moved, image, s->pose, s->error ) ? DBVHI_MEET : DBVHI_APART;
	}
	return answer == DBVHI_MEET && dbvhi_search_found( s, i, j );
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
