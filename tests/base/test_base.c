// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "base/alloc.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "base/status.h"
#include "dualbvh/dualbvh.h"
#include "support/rng.h"
#include "support/unit.h"

#include <string.h>

// ------------------------------------------------------------------------------------------------
// Sorting

static int compare( const void *p, const void *q ) {
	const uint64_t x = *(const uint64_t *)p, y = *(const uint64_t *)q;
	return ( x > y ) - ( x < y );
}

static void check_sort( const uint64_t *keys, size_t count ) {
	uint64_t *const mine = malloc( ( count + 2 ) * sizeof *mine );
	uint64_t *const theirs = malloc( ( count + 1 ) * sizeof *theirs );
	assert_true( mine != NULL && theirs != NULL );
	// A fence on either side shows writes beyond the array.
	mine[0] = mine[count + 1] = UINT64_C( 0x5555555555555555 );
	if ( count > 0 ) {
		memcpy( mine + 1, keys, count * sizeof *mine );
		memcpy( theirs, keys, count * sizeof *theirs );
		qsort( theirs, count, sizeof *theirs, compare );
	}
	dbvhi_sort_u64( mine + 1, count );
	if ( count > 0 )
		assert_memory_equal( mine + 1, theirs, count * sizeof *mine );
	assert_true( mine[0] == UINT64_C( 0x5555555555555555 ) && mine[count + 1] == mine[0] );
	free( mine );
	free( theirs );
}

enum { MOST = 20000 };
static uint64_t keys[MOST];

static void sort_any_order( void **state ) {
	(void)state;
	rng r = rng_announce( "base: sort", 1 );
	const size_t counts[] = { 0, 1, 2, 3, 23, 24, 25, 26, 49, 100, 1023, 1024, MOST };
	for ( size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c ) {
		const size_t n = counts[c];
		for ( int kind = 0; kind < 12; ++kind ) {
			for ( size_t i = 0; i < n; ++i ) {
				const uint64_t values[12] = {
				    rng_u64( &r ),
				    rng_below( &r, 4 ),
				    7,                                             // all equal
				    i,                                             // sorted
				    n - i,                                         // reversed
				    i < n / 2 ? i : n - i,                         // up and down
				    i < n / 2 ? n - i : i,                         // down and up
				    i % 2 == 0 ? i : n - i,                        // two runs in turn
				    UINT64_MAX - rng_below( &r, 3 ),               // at the end of the range
				    i == n - 1 ? 0 : i,                            // sorted but for the last
				    ( i * 2654435761u ) % 1000,                    // few values
				    ( rng_below( &r, 2 ) << 63 ) | ( i * i % 977 ) // the top bit
				};
				keys[i] = values[kind];
			}
			check_sort( keys, n );
		}
	}
	for ( int round = 0; round < 3000; ++round ) {
		const size_t n = rng_below( &r, 80 );
		for ( size_t i = 0; i < n; ++i )
			keys[i] = rng_below( &r, 1 + rng_below( &r, 60 ) );
		check_sort( keys, n );
	}
}

// The first, middle and last key are always among the lowest, so that each split takes off only a few keys and the sort
// has to turn to its other method to stay fast.
static void sort_adversary( void **state ) {
	(void)state;
	static uint64_t order[MOST];
	for ( size_t i = 0; i < MOST; ++i )
		order[i] = UINT64_MAX;
	uint64_t next = 0;
	size_t low = 0;
	while ( low + 3 < MOST ) {
		const size_t middle = low + ( MOST - low ) / 2;
		if ( order[low] == UINT64_MAX )
			order[low] = next++;
		if ( order[middle] == UINT64_MAX )
			order[middle] = next++;
		low += 1;
	}
	for ( size_t i = 0; i < MOST; ++i )
		keys[i] = order[i] == UINT64_MAX ? next++ : order[i];
	check_sort( keys, MOST );
	// The organ pipe and its relatives in several sizes.
	for ( size_t n = 1000; n <= MOST; n *= 2 ) {
		for ( size_t i = 0; i < n; ++i )
			keys[i] = i % 2 == 0 ? i / 2 : n - i / 2;
		check_sort( keys, n );
	}
}

static void heap_keeps_lowest( void **state ) {
	(void)state;
	rng r = rng_announce( "base: heap", 2 );
	for ( int round = 0; round < 300; ++round ) {
		const size_t capacity = 1 + rng_below( &r, 60 ), count = capacity + rng_below( &r, 400 );
		const uint64_t range = 1 + rng_below( &r, round % 2 == 0 ? 50 : UINT64_MAX - 1 );
		uint64_t heap[60], all[460];
		for ( size_t i = 0; i < count; ++i )
			all[i] = rng_below( &r, range );
		memcpy( heap, all, capacity * sizeof *heap );
		dbvhi_heap_make( heap, capacity );
		for ( size_t i = capacity; i < count; ++i ) {
			dbvhi_heap_replace_highest( heap, capacity, all[i] );
			for ( size_t k = 1; k < capacity; ++k )
				assert_true( heap[( k - 1 ) / 2] >= heap[k] );
		}
		qsort( all, count, sizeof *all, compare );
		dbvhi_sort_u64( heap, capacity );
		assert_memory_equal( heap, all, capacity * sizeof *heap );
	}
}

// ------------------------------------------------------------------------------------------------
// Memory

typedef struct ledger {
	size_t bytes, calls;
	size_t fail_from; // the first call, from 0, that gets no memory
	size_t last_alignment;
} ledger;

static void *ledger_alloc( void *user, size_t bytes, size_t alignment ) {
	ledger *const l = user;
	l->last_alignment = alignment;
	if ( l->calls++ >= l->fail_from )
		return NULL;
	l->bytes += bytes;
	return malloc( bytes );
}

static void ledger_free( void *user, void *memory, size_t bytes ) {
	ledger *const l = user;
	assert_non_null( memory );
	l->bytes -= bytes;
	free( memory );
}

static void alloc_checks_sizes( void **state ) {
	(void)state;
	ledger l = { .fail_from = SIZE_MAX };
	const dbvh_allocator a = { .alloc = ledger_alloc, .free = ledger_free, .user = &l };
	assert_null( dbvhi_alloc( &a, 0, 8 ) );
	assert_null( dbvhi_alloc( &a, 8, 0 ) );
	assert_null( dbvhi_alloc( &a, SIZE_MAX, 2 ) );
	assert_null( dbvhi_alloc( &a, SIZE_MAX / 2 + 1, 2 ) );
	const size_t root = (size_t)1 << sizeof( size_t ) * 4; // its square is one more than SIZE_MAX
	assert_null( dbvhi_alloc( &a, root, root ) );
	assert_int_equal( l.calls, 0 ); // the caller's allocator never sees these
	void *const memory = dbvhi_alloc( &a, 3, 40 );
	assert_non_null( memory );
	assert_int_equal( l.bytes, 120 );
	assert_int_equal( l.last_alignment, DBVHI_ALIGNMENT );
	dbvhi_free( &a, memory, 3, 40 );
	dbvhi_free( &a, NULL, 3, 40 );
	assert_int_equal( l.bytes, 0 );

	dbvh_allocator c;
	assert_int_equal( dbvhi_allocator_take( NULL, &c, NULL ), DBVH_OK );
	for ( size_t bytes = 1; bytes < 300; bytes += 7 ) {
		unsigned char *const block = dbvhi_alloc( &c, bytes, 1 );
		assert_non_null( block );
		assert_int_equal( (uintptr_t)block % DBVHI_ALIGNMENT, 0 );
		memset( block, 0xa5, bytes );
		dbvhi_free( &c, block, bytes, 1 );
	}
	// Rounding up to the alignment must not wrap around.
	assert_null( dbvhi_alloc( &c, SIZE_MAX, 1 ) );
	assert_null( dbvhi_alloc( &c, SIZE_MAX - 62, 1 ) );
}

// Wherever an allocator is accepted, one that lacks a function is refused.
static void allocators_have_both_functions( void **state ) {
	(void)state;
	static const double positions[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
	const dbvh_mesh_view view = { .positions = positions, .vertex_count = 3, .index_type = DBVH_INDEX_TYPE_NONE };
	const dbvh_obb box = { .axis = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, .half = { 1, 1, 1 } };
	static const char off[] = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
	ledger l = { .fail_from = SIZE_MAX };
	for ( int lacking = 0; lacking < 4; ++lacking ) {
		const dbvh_allocator a = {
		    .alloc = lacking & 1 ? NULL : ledger_alloc, .free = lacking & 2 ? NULL : ledger_free, .user = &l };
		const dbvh_status right = lacking != 0 ? DBVH_INVALID_ARGUMENT : DBVH_OK;
		dbvh_allocator taken;
		assert_int_equal( dbvhi_allocator_take( &a, &taken, NULL ), right );

		dbvh_error error;
		dbvh_tree *tree = NULL;
		assert_int_equal( dbvh_tree_build( &view, NULL, &a, &tree, &error ), right );
		assert_int_equal( error.status, right );
		assert_true( ( tree == NULL ) == ( lacking != 0 ) );
		dbvh_tree_destroy( tree );
		dbvh_workspace *workspace = NULL;
		assert_int_equal( dbvh_workspace_create( &a, &workspace, NULL ), right );
		dbvh_workspace_destroy( workspace );
		dbvh_contacts *contacts = NULL;
		assert_int_equal( dbvh_contacts_create( &a, &contacts, NULL ), right );
		dbvh_contacts_destroy( contacts );
		dbvh_mesh *mesh = NULL;
		assert_int_equal( dbvh_mesh_create( &view, &a, &mesh, &error ), right );
		assert_int_equal( error.status, right );
		dbvh_mesh_destroy( mesh );
		mesh = NULL;
		assert_int_equal( dbvh_mesh_parse( off, sizeof off - 1, DBVH_MESH_FORMAT_OFF, &a, &mesh, &error ), right );
		assert_int_equal( error.status, right );
		dbvh_mesh_destroy( mesh );
		mesh = NULL;
		if ( lacking != 0 )
			assert_int_equal( dbvh_mesh_load( "no such file", DBVH_MESH_FORMAT_OFF, &a, &mesh, &error ), right );
		dbvh_mesh_audit_result audit;
		assert_int_equal( dbvh_mesh_audit( &view, &a, &audit, NULL, 0, &error ), right );
		assert_int_equal( error.status, right );
		dbvh_ellipsoid ellipsoid;
		assert_int_equal( dbvh_ellipsoid_fit( positions, 3, &a, &ellipsoid, NULL ), right );
		dbvh_obb_pack *pack = NULL;
		assert_int_equal( dbvh_obb_pack_create( &box, 1, &a, &pack, NULL ), right );
		dbvh_obb_pack_destroy( pack );
		assert_int_equal( l.bytes, 0 );
	}
}

static void grow_keeps_contents( void **state ) {
	(void)state;
	ledger l = { .fail_from = SIZE_MAX };
	const dbvh_allocator a = { .alloc = ledger_alloc, .free = ledger_free, .user = &l };
	void *memory = NULL;
	size_t capacity = 0;
	for ( uint32_t i = 0; i < 1000; ++i ) {
		assert_true( dbvhi_grow( &a, &memory, &capacity, i + 1, sizeof i ) );
		assert_true( capacity > i );
		assert_int_equal( l.bytes, capacity * sizeof i );
		memcpy( (char *)memory + i * sizeof i, &i, sizeof i );
	}
	const size_t calls = l.calls;
	assert_true( calls < 12 );
	assert_true( dbvhi_grow( &a, &memory, &capacity, 0, sizeof( uint32_t ) ) );
	assert_int_equal( l.calls, calls );

	// A failure leaves everything as it was: no memory, a product and a doubling that overflow.
	const size_t held = capacity;
	void *const before = memory;
	l.fail_from = 0;
	assert_false( dbvhi_grow( &a, &memory, &capacity, held + 1, sizeof( uint32_t ) ) );
	assert_false( dbvhi_grow( &a, &memory, &capacity, SIZE_MAX / 8, sizeof( uint32_t ) ) );
	assert_false( dbvhi_grow( &a, &memory, &capacity, SIZE_MAX, sizeof( uint32_t ) ) );
	assert_true( memory == before && capacity == held );
	for ( uint32_t i = 0; i < 1000; ++i )
		assert_memory_equal( (char *)memory + i * sizeof i, &i, sizeof i );
	dbvhi_free( &a, memory, capacity, sizeof( uint32_t ) );
	assert_int_equal( l.bytes, 0 );
}

// ------------------------------------------------------------------------------------------------
// Status

// Blocks side by side, and a fence behind each.
static _Alignas( 64 ) unsigned char arena[8192];
static size_t arena_used;

static void *arena_alloc( void *user, size_t bytes, size_t alignment ) {
	(void)user;
	assert_true( alignment <= 64 );
	void *block = arena + arena_used;
	arena_used += ( bytes + 63 ) / 64 * 64 + 1024;
	assert_true( arena_used <= sizeof arena );
	return block;
}

static void arena_free( void *user, void *memory, size_t bytes ) {
	(void)user, (void)memory, (void)bytes;
}

// A smaller array keeps its beginning, and nothing is written behind it.
static void shrink_keeps_contents( void **state ) {
	(void)state;
	const dbvh_allocator a = { .alloc = arena_alloc, .free = arena_free, .user = NULL };
	uint32_t *numbers = NULL;
	size_t capacity = 0;
	memset( arena, 0x55, sizeof arena );
	assert_true( dbvhi_resize_array( &a, &numbers, &capacity, 200, sizeof *numbers ) );
	for ( uint32_t i = 0; i < 200; ++i )
		numbers[i] = i;
	assert_true( dbvhi_resize_array( &a, &numbers, &capacity, 10, sizeof *numbers ) && capacity == 10 );
	for ( uint32_t i = 0; i < 10; ++i )
		assert_int_equal( numbers[i], i );
	for ( const unsigned char *at = (const unsigned char *)( numbers + 10 ); at < arena + arena_used; ++at )
		assert_int_equal( *at, 0x55 );
}

static void every_status_has_a_name( void **state ) {
	(void)state;
	for ( int s = 0; s < DBVH_STATUS_COUNT; ++s ) {
		const char *const name = dbvh_status_name( (dbvh_status)s ), *const text = dbvh_status_text( (dbvh_status)s );
		assert_true( strlen( name ) > 1 && strlen( text ) > 10 );
		assert_int_equal( strspn( name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_" ), strlen( name ) );
		assert_true( text[strlen( text ) - 1] != '.' );
		for ( int t = 0; t < s; ++t ) {
			assert_string_not_equal( name, dbvh_status_name( (dbvh_status)t ) );
			assert_string_not_equal( text, dbvh_status_text( (dbvh_status)t ) );
		}
	}
	assert_int_equal( DBVH_OK, 0 );
	assert_string_equal( dbvh_status_name( DBVH_OK ), "OK" );
	assert_string_equal( dbvh_status_name( DBVH_INVARIANT ), "INVARIANT" );
	assert_string_equal( dbvh_status_name( DBVH_STATUS_COUNT ), "?" );
	assert_string_equal( dbvh_status_text( DBVH_STATUS_COUNT ), "?" );
	// Through an int: a value that the enumeration does not have.
	const int beyond[] = { -1, 1000, INT32_MAX, INT32_MIN };
	for ( int i = 0; i < 4; ++i ) {
		dbvh_status status;
		memcpy( &status, &beyond[i], sizeof status );
		assert_string_equal( dbvh_status_name( status ), "?" );
		assert_string_equal( dbvh_status_text( status ), "?" );
	}
}

static void version_is_the_headers( void **state ) {
	(void)state;
	char expected[64];
	snprintf( expected, sizeof expected, "%d.%d.%d", DBVH_VERSION_MAJOR, DBVH_VERSION_MINOR, DBVH_VERSION_PATCH );
	assert_string_equal( dbvh_version(), expected );
}

static void errors( void **state ) {
	(void)state;
	dbvh_error error;
	memset( &error, 0x5a, sizeof error );
	dbvhi_error_clear( &error );
	assert_int_equal( error.status, DBVH_OK );
	assert_int_equal( error.line, 0 );
	assert_true( error.byte == -1 && error.element == -1 );
	assert_string_equal( error.text, "" );
	error.line = 12;
	error.element = 34;
	assert_int_equal( dbvhi_error_set( &error, DBVH_MALFORMED, "%s %d", "a sentence", 5 ), DBVH_MALFORMED );
	assert_int_equal( error.status, DBVH_MALFORMED );
	assert_true( error.line == 12 && error.element == 34 && error.byte == -1 );
	assert_string_equal( error.text, "a sentence 5" );
	assert_int_equal( dbvhi_error_status( &error, DBVH_EMPTY ), DBVH_EMPTY );
	assert_string_equal( error.text, dbvh_status_text( DBVH_EMPTY ) );
	// Longer than there is room for.
	char word[600];
	memset( word, 'x', sizeof word );
	word[sizeof word - 1] = '\0';
	dbvhi_error_set( &error, DBVH_IO, "%s", word );
	assert_int_equal( strlen( error.text ), sizeof error.text - 1 );
	// Callers may pass no error.
	dbvhi_error_clear( NULL );
	assert_int_equal( dbvhi_error_set( NULL, DBVH_IO, "%s", "text" ), DBVH_IO );
	assert_int_equal( dbvhi_error_status( NULL, DBVH_IO ), DBVH_IO );
	assert_int_equal( dbvhi_error_status( NULL, DBVH_OK ), DBVH_OK );
}

// ------------------------------------------------------------------------------------------------
// Hash and threads

static void hash_sees_every_bit( void **state ) {
	(void)state;
	const uint64_t base = dbvhi_hash_word( DBVHI_HASH_SEED, 0 );
	for ( int bit = 0; bit < 64; ++bit ) {
		assert_true( dbvhi_hash_word( DBVHI_HASH_SEED, UINT64_C( 1 ) << bit ) != base );
		assert_true( dbvhi_hash_word( DBVHI_HASH_SEED ^ ( UINT64_C( 1 ) << bit ), 0 ) != base );
	}
	const uint64_t ab = dbvhi_hash_word( dbvhi_hash_word( DBVHI_HASH_SEED, 1 ), 2 );
	const uint64_t ba = dbvhi_hash_word( dbvhi_hash_word( DBVHI_HASH_SEED, 2 ), 1 );
	assert_true( ab != ba );
}

typedef struct visits {
	unsigned char times[1000];
	uint32_t thread_limit;
	bool out_of_range[1000];
} visits;

static void visit( void *context, size_t index, uint32_t thread ) {
	visits *const v = context;
	v->times[index] += 1;
	v->out_of_range[index] = thread >= v->thread_limit;
}

static void loops_visit_all_once( void **state ) {
	(void)state;
	const size_t counts[] = { 0, 1, 2, 7, 999, 1000 }, grains[] = { 1, 3, 64, 5000 };
	for ( size_t c = 0; c < 6; ++c ) {
		for ( size_t g = 0; g < 4; ++g ) {
			for ( uint32_t threads = 0; threads < 5; ++threads ) {
				visits v = { .thread_limit = dbvhi_thread_count( threads ) };
				assert_true( v.thread_limit >= 1 );
				dbvhi_parallel_for( counts[c], grains[g], threads, visit, &v );
				for ( size_t i = 0; i < 1000; ++i ) {
					assert_int_equal( v.times[i], i < counts[c] );
					assert_false( v.out_of_range[i] );
				}
			}
		}
	}
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( sort_any_order ),
	    cmocka_unit_test( sort_adversary ),
	    cmocka_unit_test( heap_keeps_lowest ),
	    cmocka_unit_test( alloc_checks_sizes ),
	    cmocka_unit_test( allocators_have_both_functions ),
	    cmocka_unit_test( grow_keeps_contents ),
	    cmocka_unit_test( shrink_keeps_contents ),
	    cmocka_unit_test( every_status_has_a_name ),
	    cmocka_unit_test( version_is_the_headers ),
	    cmocka_unit_test( errors ),
	    cmocka_unit_test( hash_sees_every_bit ),
	    cmocka_unit_test( loops_visit_all_once ),
	};
	return test_main( argc, argv, tests );
}
