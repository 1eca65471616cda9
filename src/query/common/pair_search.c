// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "query/common/pair_search.h"

#include "base/assert.h"
#include "base/sort.h"
#include "exact/tri_tri.h"
#include "exact/tri_tri_distance.h"

static void record( dbvhi_pair_search *s, uint64_t key ) {
	DBVHI_ASSERT( s->key_capacity <= s->workspace->key_capacity );
	if ( s->key_count < s->key_capacity )
		s->workspace->keys[s->key_count] = key;
	else if ( s->key_capacity > 0 ) {
		// Out of room: keep the lowest ones, in a heap from the moment the array is full.
		if ( s->key_count == s->key_capacity )
			dbvhi_heap_make( s->workspace->keys, s->key_capacity );
		dbvhi_heap_replace_highest( s->workspace->keys, s->key_capacity, key );
	}
	s->key_count += 1;
	s->lowest_key = key < s->lowest_key ? key : s->lowest_key;
}

// Would a pair be counted but not kept? Then so would be all higher ones.
static bool is_too_high( dbvhi_pair_search *s, uint64_t key ) {
	if ( s->key_count < s->key_capacity )
		return false;
	if ( s->key_capacity > 0 && s->key_count == s->key_capacity )
		dbvhi_heap_make( s->workspace->keys, s->key_capacity );
	return s->key_capacity == 0 || key >= s->workspace->keys[0];
}

static bool is_ascending( const uint32_t *x, uint32_t count ) {
	for ( uint32_t i = 1; i < count; ++i ) {
		if ( x[i - 1] >= x[i] )
			return false;
	}
	return true;
}

// Record every triangle of a list with every one of another, both ascending. Takes time for the pairs that are kept,
// and for the first list.
static void record_product( dbvhi_pair_search *s, const uint32_t *a, uint32_t count_a, const uint32_t *b,
                            uint32_t count_b ) {
	DBVHI_ASSERT( count_a > 0 && count_b > 0 );
	DBVHI_VALIDATE( is_ascending( a, count_a ) && is_ascending( b, count_b ) );
	s->lowest_key = ( (uint64_t)a[0] << 32 | b[0] ) < s->lowest_key ? (uint64_t)a[0] << 32 | b[0] : s->lowest_key;
	for ( uint32_t i = 0; i < count_a; ++i ) {
		uint32_t k = 0;
		while ( k < count_b && !is_too_high( s, (uint64_t)a[i] << 32 | b[k] ) )
			record( s, (uint64_t)a[i] << 32 | b[k++] );
		// The rest of this row is too high; if that is all of it, so are all further rows.
		s->key_count += k > 0 ? count_b - k : (size_t)( count_a - i ) * count_b;
		if ( k == 0 )
			return;
	}
}

void dbvhi_pair_search_begin( dbvhi_pair_search *s ) {
	dbvhi_seen_pairs_clear( &s->workspace->seen );
}

// Keep a pair until the search ends, since the search may come upon it again. Returns true if the search has to end.
static bool note( dbvhi_pair_search *s, uint32_t i, uint32_t j ) {
	dbvh_workspace *w = s->workspace;
	dbvhi_seen_pairs_add( &w->seen, &w->allocator,
	                      ( dbvhi_seen_pair ){ dbvhi_mesh_pair_key( &s->meshes, i, j ), i, j } );
	return w->seen.failed;
}

// Index of a seen pair that is not in contact, kept so that it is not decided exactly once more.
#define NO_PAIR UINT32_MAX

static void note_none( dbvhi_pair_search *s, uint32_t i, uint32_t j ) {
	dbvh_workspace *w = s->workspace;
	const uint64_t key = dbvhi_mesh_pair_key( &s->meshes, i, j );
	dbvhi_seen_pairs_add( &w->seen, &w->allocator, ( dbvhi_seen_pair ){ key, NO_PAIR, NO_PAIR } );
}

// Can a search for all pairs come upon this one again, through another fragment of a triangle?
static bool may_come_again( const dbvhi_pair_search *s, uint32_t i, uint32_t j ) {
	return s->find_all &&
	       ( dbvhi_tree_is_divided( s->meshes.fixed, i ) || dbvhi_tree_is_divided( s->meshes.moved, j ) );
}

static bool is_noted( const dbvhi_pair_search *s, uint32_t i, uint32_t j ) {
	return dbvhi_seen_pairs_has( &s->workspace->seen, dbvhi_mesh_pair_key( &s->meshes, i, j ) );
}

// Record a pair that counts and does not come again, and all that the two stand for. Returns true if the search is
// over.
static bool record_all( dbvhi_pair_search *s, uint32_t i, uint32_t j ) {
	const dbvhi_mesh_pair *m = &s->meshes;
	s->has_last = true;
	s->last_fixed = i;
	s->last_moved = j;
	if ( s->distinct || !s->find_all || ( m->fixed->twins == NULL && m->moved->twins == NULL ) ) {
		record( s, dbvhi_mesh_pair_key( m, i, j ) );
		return !s->find_all;
	}
	uint32_t count_fixed, count_moved;
	const uint32_t *twins_fixed = dbvhi_tree_twins( m->fixed, i, &count_fixed );
	const uint32_t *twins_moved = dbvhi_tree_twins( m->moved, j, &count_moved );
	if ( m->a_moves )
		record_product( s, twins_moved, count_moved, twins_fixed, count_fixed );
	else
		record_product( s, twins_fixed, count_fixed, twins_moved, count_moved );
	return false;
}

bool dbvhi_pair_search_found( dbvhi_pair_search *s, uint32_t i, uint32_t j ) {
	DBVHI_ASSERT( i < s->meshes.fixed->triangle_count && j < s->meshes.moved->triangle_count );
	return may_come_again( s, i, j ) ? note( s, i, j ) : record_all( s, i, j );
}

static bool is_within( dbvhi_pair_search *s, const dbvhi_posed_pair *pair ) {
	DBVHI_ASSERT( s->max_distance > 0.0 );
	dbvhi_tri_tri_bounds gap;
	dbvhi_triangles_gap( pair->fixed, pair->image, pair->error, &gap );
	if ( gap.upper <= s->max_distance )
		return true;
	if ( gap.lower > s->max_distance )
		return false;
	s->counters.exact_tests += 1;
	return dbvhi_triangles_within_exact( pair, &gap, s->max_distance );
}

static bool meet_beyond( dbvhi_pair_search *s, uint32_t i, uint32_t j ) {
	DBVHI_ASSERT( s->self && s->meshes.fixed == s->meshes.moved );
	double room_a[9], room_b[9];
	const double *a = dbvhi_tree_triangle( s->meshes.fixed, i, room_a ),
	             *b = dbvhi_tree_triangle( s->meshes.fixed, j, room_b );
	s->counters.triangle_tests += 1;
	dbvhi_answer answer = dbvhi_self_intersect_filter( a, b );
	if ( answer == DBVHI_UNSURE ) {
		s->counters.exact_tests += 1;
		answer = dbvhi_self_intersect_exact( a, b ) ? DBVHI_INTERSECTING : DBVHI_DISJOINT;
	}
	return answer == DBVHI_INTERSECTING;
}

// Record every triangle that i stands for with every one that j does, in one mesh: the lower of each pair comes first.
static void record_beyond( dbvhi_pair_search *s, uint32_t i, uint32_t j ) {
	uint32_t count_i, count_j;
	const uint32_t *of_i = dbvhi_tree_twins( s->meshes.fixed, i, &count_i ),
	               *of_j = dbvhi_tree_twins( s->meshes.fixed, j, &count_j );
	// Merge the lists: each number with all higher ones of the other list.
	while ( count_i > 0 && count_j > 0 ) {
		if ( of_i[0] < of_j[0] ) {
			record_product( s, of_i++, 1, of_j, count_j );
			count_i -= 1;
		} else {
			record_product( s, of_j++, 1, of_i, count_i );
			count_j -= 1;
		}
	}
}

bool dbvhi_pair_search_self( dbvhi_pair_search *s, uint32_t i, uint32_t j ) {
	if ( s->meshes.fixed->triangle[i] > s->meshes.fixed->triangle[j] ) {
		const uint32_t k = i;
		i = j;
		j = k;
	}
	const bool again = may_come_again( s, i, j );
	// Skip fragments of one triangle, and of two that have been compared.
	if ( s->meshes.fixed->triangle[i] == s->meshes.fixed->triangle[j] || ( again && is_noted( s, i, j ) ) )
		return false;
	const uint64_t exact_before = s->counters.exact_tests;
	if ( !meet_beyond( s, i, j ) ) {
		if ( again && s->counters.exact_tests > exact_before )
			note_none( s, i, j );
		return false;
	}
	if ( again )
		return note( s, i, j );
	if ( s->meshes.fixed->twins != NULL && s->find_all )
		record_beyond( s, i, j );
	else
		record_all( s, i, j );
	return !s->find_all;
}

bool dbvhi_pair_search_twins( dbvhi_pair_search *s ) {
	const dbvhi_twins *t = s->meshes.fixed->twins;
	for ( uint32_t i = 0; t != NULL && i < t->leaf_index_count; ++i ) {
		const uint32_t *twin = t->number + t->begin[i], count = t->begin[i + 1] - t->begin[i];
		// A segment or point is no intersection with its own twin.
		if ( count < 2 || !meet_beyond( s, i, i ) )
			continue;
		if ( !s->find_all ) {
			record( s, (uint64_t)twin[0] << 32 | twin[1] );
			return true;
		}
		for ( uint32_t k = 0; k + 1 < count; ++k )
			record_product( s, twin + k, 1, twin + k + 1, count - k - 1 );
	}
	return false;
}

static bool meet_exactly( dbvhi_pair_search *s, const dbvhi_posed_pair *pair ) {
	s->counters.exact_tests += 1;
	return dbvhi_triangles_intersect_exact( pair->fixed, pair->moved, pair->image, pair->pose, pair->error );
}

static bool meet( dbvhi_pair_search *s, const dbvhi_posed_pair *pair ) {
	const dbvhi_answer answer = dbvhi_triangles_filter( pair->fixed, pair->image, pair->error );
	return answer == DBVHI_UNSURE ? meet_exactly( s, pair ) : answer == DBVHI_INTERSECTING;
}

// Compare two triangles by one of these functions and record them. Returns true if the search is over.
static inline bool compare_by( dbvhi_pair_search *s, uint32_t i, uint32_t j,
                               bool ( *counts )( dbvhi_pair_search *s, const dbvhi_posed_pair *pair ) ) {
	const bool again = may_come_again( s, i, j );
	if ( again && is_noted( s, i, j ) )
		return false;
	s->counters.triangle_tests += 1;
	dbvhi_pair_room room;
	const dbvhi_posed_pair pair = dbvhi_mesh_pair_triangles( &s->meshes, i, j, &room );
	const uint64_t exact_before = s->counters.exact_tests;
	if ( counts( s, &pair ) )
		return dbvhi_pair_search_found( s, i, j );
	if ( again && s->counters.exact_tests > exact_before )
		note_none( s, i, j );
	return false;
}

bool dbvhi_pair_search_triangles( dbvhi_pair_search *s, uint32_t i, uint32_t j ) {
	if ( s->self )
		return dbvhi_pair_search_self( s, i, j );
	return compare_by( s, i, j, s->max_distance > 0.0 ? is_within : meet );
}

bool dbvhi_pair_search_exact( dbvhi_pair_search *s, uint32_t i, uint32_t j ) {
	DBVHI_ASSERT( !s->self && s->max_distance == 0.0 );
	return compare_by( s, i, j, meet_exactly );
}

dbvh_status dbvhi_pair_search_status( const dbvhi_pair_search *s ) {
	if ( s->workspace->seen.failed )
		return DBVH_OUT_OF_MEMORY;
	const bool answered = !s->find_all && s->key_count > 0;
	return s->work.meter == NULL || answered ? DBVH_OK : dbvhi_purse_status( s->work.meter->purse );
}

void dbvhi_pair_search_merge( dbvhi_pair_search *s, const dbvh_workspace *other ) {
	DBVHI_ASSERT( s->find_all );
	dbvhi_seen_pairs *seen = &s->workspace->seen;
	for ( size_t i = 0; i < other->seen.count; ++i )
		dbvhi_seen_pairs_add( seen, &s->workspace->allocator, other->seen.pairs[i] );
	seen->failed = seen->failed || other->seen.failed;
	const size_t kept = other->key_count < s->key_capacity ? other->key_count : s->key_capacity;
	for ( size_t i = 0; i < kept; ++i )
		record( s, other->keys[i] );
	if ( kept == other->key_count )
		return;
	// The pairs that the other had no room for are only counted; record() takes the array for a heap from here on.
	if ( s->key_capacity > 0 && s->key_count == s->key_capacity )
		dbvhi_heap_make( s->workspace->keys, s->key_capacity );
	s->key_count += other->key_count - kept;
	s->lowest_key = other->lowest_key < s->lowest_key ? other->lowest_key : s->lowest_key;
}

void dbvhi_pair_search_finish( dbvhi_pair_search *s, const dbvh_collide_query *query, dbvh_collide_result *result ) {
	DBVHI_ASSERT( s->key_capacity == 0 || s->key_capacity <= query->pair_capacity );
	const dbvhi_seen_pairs *seen = &s->workspace->seen;
	if ( seen->failed )
		return;
	for ( size_t k = 0; k < seen->count; ++k ) {
		if ( seen->pairs[k].i == NO_PAIR )
			continue;
		if ( s->self && s->meshes.fixed->twins != NULL )
			record_beyond( s, seen->pairs[k].i, seen->pairs[k].j );
		else
			record_all( s, seen->pairs[k].i, seen->pairs[k].j );
	}
	result->counters = s->counters;
	if ( s->key_count == 0 )
		return;
	result->verdict = DBVH_INTERSECTING;
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
	sum->ellipsoid_pair_tests += more->ellipsoid_pair_tests;
	sum->ellipsoid_box_tests += more->ellipsoid_box_tests;
	sum->ellipsoid_separated += more->ellipsoid_separated;
}
