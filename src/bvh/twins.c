// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "bvh/twins.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "base/hash.h"
#include "base/inline.h"
#include "mesh/view.h"

#include <string.h>

// MOST_SLOTS bounds the probing: only hashes made to collide fill so many slots in a row.
#define MOST_SLOTS 64

#define AHEAD 16

// Returns a power of two, from two to four times `count`.
static size_t slots_for( size_t count ) {
	size_t slots = 2;
	while ( slots < 2 * count )
		slots *= 2;
	return slots;
}

DBVHI_INLINE void corners_of( const dbvh_mesh_view *view, size_t triangle, double out[3][3] ) {
	uint32_t index[3];
	dbvhi_view_triangle( view, triangle, index );
	for ( int k = 0; k < 3; ++k )
		dbvhi_view_vertex( view, index[k], out[k] );
}

static uint64_t word_of( double x ) {
	const double c = x + 0.0; // -0 becomes 0
	uint64_t word;
	memcpy( &word, &c, sizeof word );
	return word;
}

// Hashes a triangle independently of the order of its corners.
static uint64_t hash_of( double corners[3][3] ) {
	uint64_t sum = 0;
	for ( int k = 0; k < 3; ++k ) {
		const double *p = corners[k];
		sum += dbvhi_hash_mix( word_of( p[0] ) * UINT64_C( 0xd1342543de82ef95 ) +
		                       word_of( p[1] ) * UINT64_C( 0xaf251af3b0f025b5 ) +
		                       word_of( p[2] ) * UINT64_C( 0xb564ef22ec7aece5 ) );
	}
	return sum;
}

static bool same_point( const double p[3], const double q[3] ) {
	return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

static bool same_triangle( double a[3][3], double b[3][3] ) {
	static const int orders[6][3] = { { 0, 1, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 0, 2, 1 }, { 2, 1, 0 }, { 1, 0, 2 } };
	for ( int k = 0; k < 6; ++k ) {
		if ( same_point( a[0], b[orders[k][0]] ) && same_point( a[1], b[orders[k][1]] ) &&
		     same_point( a[2], b[orders[k][2]] ) )
			return true;
	}
	return false;
}

// FREE marks an empty slot. A slot holds the upper half of the hash and the triangle; FREE is no triangle's index.
#define FREE UINT64_MAX

DBVHI_INLINE size_t find( const dbvh_mesh_view *view, size_t count, uint64_t *table, uint32_t *first_out ) {
	const size_t mask = slots_for( count ) - 1;
	memset( table, 0xff, ( mask + 1 ) * sizeof *table );
	// Hashes are computed AHEAD of the lookup and their slots prefetched.
	uint64_t ahead[AHEAD];
	size_t own = 0, made = 0;
	for ( size_t i = 0; i < count; ++i ) {
		for ( ; made < count && made < i + AHEAD; ++made ) {
			double next[3][3];
			corners_of( view, made, next );
			ahead[made % AHEAD] = hash_of( next );
			__builtin_prefetch( &table[(size_t)ahead[made % AHEAD] & mask], 1 );
		}
		const uint64_t hash = ahead[i % AHEAD], entry = ( hash & ~(uint64_t)UINT32_MAX ) | i;
		size_t slot = (size_t)hash & mask, looked_at = 0;
		first_out[i] = (uint32_t)i;
		for ( ; table[slot] != FREE && looked_at < MOST_SLOTS; slot = ( slot + 1 ) & mask, ++looked_at ) {
			if ( ( table[slot] ^ entry ) >> 32 != 0 )
				continue;
			double corners[3][3], other[3][3];
			corners_of( view, i, corners );
			corners_of( view, (uint32_t)table[slot], other );
			if ( same_triangle( corners, other ) ) {
				first_out[i] = (uint32_t)table[slot];
				break;
			}
		}
		if ( first_out[i] != i )
			continue;
		own += 1;
		if ( table[slot] == FREE )
			table[slot] = entry;
	}
	return own;
}

size_t dbvhi_twins_find( const dbvh_mesh_view *view, size_t count, uint64_t *table, uint32_t *first_out ) {
	DBVHI_ASSERT( table != NULL && first_out != NULL );
	if ( !dbvhi_view_is_plain( view ) )
		return find( view, count, table, first_out );
	const dbvh_mesh_view plain = dbvhi_view_plain( view );
	return find( &plain, count, table, first_out );
}

dbvhi_twins *dbvhi_twins_create( const uint32_t *first, size_t number_count, const uint32_t *triangle,
                                 size_t leaf_index_count, const dbvh_allocator *allocator ) {
	DBVHI_ASSERT( leaf_index_count > 0 );
	dbvhi_twins *t = dbvhi_alloc( allocator, 1, sizeof *t );
	uint32_t *leaf_index = dbvhi_alloc( allocator, number_count, sizeof *leaf_index );
	if ( t != NULL ) {
		*t = ( dbvhi_twins ){ .leaf_index_count = leaf_index_count, .number_count = number_count };
		t->begin = dbvhi_alloc( allocator, leaf_index_count + 1, sizeof *t->begin );
		t->number = dbvhi_alloc( allocator, number_count, sizeof *t->number );
	}
	if ( t == NULL || leaf_index == NULL || t->begin == NULL || t->number == NULL ) {
		dbvhi_free( allocator, leaf_index, number_count, sizeof *leaf_index );
		dbvhi_twins_destroy( t, allocator );
		return NULL;
	}
	for ( size_t i = 0; i < leaf_index_count; ++i )
		leaf_index[triangle[i]] = (uint32_t)i;
	// A counting sort in file order; meanwhile begin[] is shifted by one leaf index.
	memset( t->begin, 0, ( leaf_index_count + 1 ) * sizeof *t->begin );
	for ( size_t i = 0; i < number_count; ++i ) {
		if ( leaf_index[first[i]] + 2 <= leaf_index_count )
			t->begin[leaf_index[first[i]] + 2] += 1;
	}
	for ( size_t i = 2; i <= leaf_index_count; ++i )
		t->begin[i] += t->begin[i - 1];
	for ( size_t i = 0; i < number_count; ++i )
		t->number[t->begin[leaf_index[first[i]] + 1]++] = (uint32_t)i;
	dbvhi_free( allocator, leaf_index, number_count, sizeof *leaf_index );
	return t;
}

void dbvhi_twins_destroy( dbvhi_twins *twins, const dbvh_allocator *allocator ) {
	if ( twins == NULL )
		return;
	dbvhi_free( allocator, twins->begin, twins->leaf_index_count + 1, sizeof *twins->begin );
	dbvhi_free( allocator, twins->number, twins->number_count, sizeof *twins->number );
	dbvhi_free( allocator, twins, 1, sizeof *twins );
}

size_t dbvhi_twins_bytes( const dbvhi_twins *twins ) {
	if ( twins == NULL )
		return 0;
	return sizeof *twins + ( twins->leaf_index_count + 1 + twins->number_count ) * sizeof( uint32_t );
}
