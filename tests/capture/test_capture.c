// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Captures come back as they were saved, bit by bit, and files that are cut off, damaged or lie are refused.

#include "captures.h"
#include "support/rng.h"
#include "support/rounds.h"
#include "support/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_NAME "test_capture.dbvh"

static void assert_same_mesh( const dbvh_mesh_view *x, const dbvh_mesh_view *y ) {
	assert_int_equal( x->vertex_count, y->vertex_count );
	assert_int_equal( x->triangle_count, y->triangle_count );
	if ( x->vertex_count > 0 )
		assert_memory_equal( x->positions, y->positions, x->vertex_count * 3 * sizeof( double ) );
	if ( x->triangle_count > 0 )
		assert_memory_equal( x->indices, y->indices, x->triangle_count * 3 * sizeof( uint32_t ) );
}

static uint8_t *read_file( size_t *count_out ) {
	FILE *const stream = fopen( FILE_NAME, "rb" );
	assert_true( stream != NULL );
	uint8_t *const bytes = malloc( 1 << 20 );
	assert_true( bytes != NULL );
	*count_out = fread( bytes, 1, 1 << 20, stream );
	fclose( stream );
	return bytes;
}

static uint8_t *saved( const dbvh_capture *capture, size_t *count_out ) {
	dbvh_error error;
	assert_int_equal( dbvh_capture_save( capture, FILE_NAME, &error ), DBVH_OK );
	return read_file( count_out );
}

static void round_trips( void **state ) {
	(void)state;
	for ( int call = 0; call < CALL_COUNT; ++call ) {
		captured c;
		captured_make( &c, (dbvh_capture_call)call );
		c.capture.answer = ( dbvh_capture_answer ){ .known = true,
		                                            .verdict = 1,
		                                            .count = 7,
		                                            .first = { 3, 4 },
		                                            .value = 0x1.23456789abcdep-1,
		                                            .upper = -0.0,
		                                            .hash = ~UINT64_C( 5 ) };
		size_t count, again_count;
		uint8_t *const bytes = saved( &c.capture, &count );
		dbvh_capture *back = NULL, *parsed = NULL;
		dbvh_error error;
		assert_int_equal( dbvh_capture_load( FILE_NAME, NULL, &back, &error ), DBVH_OK );
		assert_int_equal( dbvh_capture_parse( bytes, count, NULL, &parsed, &error ), DBVH_OK );
		assert_same_mesh( &c.capture.mesh_a, &back->mesh_a );
		assert_same_mesh( &c.capture.mesh_b, &back->mesh_b );
		// Compare everything but the views, which point elsewhere.
		dbvh_capture x = c.capture, y = *back, z = *parsed;
		x.mesh_a = x.mesh_b = y.mesh_a = y.mesh_b = z.mesh_a = z.mesh_b = ( dbvh_mesh_view ){ 0 };
		assert_int_equal( x.call, y.call );
		assert_memory_equal( &x.options_a, &y.options_a, sizeof x.options_a );
		assert_memory_equal( &x.pose_a, &y.pose_a, sizeof x.pose_a );
		assert_memory_equal( &x.pose_b, &y.pose_b, sizeof x.pose_b );
		assert_memory_equal( &x.motion_b, &y.motion_b, sizeof x.motion_b );
		assert_true( x.placed_a == y.placed_a && x.placed_b == y.placed_b );
		assert_true( x.collide.find == y.collide.find && x.collide.policy == y.collide.policy );
		assert_true( x.clearance.max_distance == y.clearance.max_distance && x.clearance.find == y.clearance.find );
		assert_true( x.distance.limit == y.distance.limit && x.relate.touch_gap == y.relate.touch_gap );
		assert_true( x.toi.start == y.toi.start && x.toi.tolerance == y.toi.tolerance && x.toi.policy == y.toi.policy );
		assert_memory_equal( &x.ray, &y.ray, sizeof x.ray );
		assert_memory_equal( &x.segment, &y.segment, sizeof x.segment );
		assert_memory_equal( x.point, y.point, sizeof x.point );
		assert_true( x.raycast.find == y.raycast.find && x.closest_point.limit == y.closest_point.limit );
		assert_memory_equal( &x.answer.value, &y.answer.value, sizeof x.answer.value );
		assert_memory_equal( &x.answer.upper, &y.answer.upper, sizeof x.answer.upper );
		assert_true( y.answer.known && y.answer.hash == x.answer.hash && y.answer.first.b == 4 );
		// A capture that was read is saved as the same bytes.
		uint8_t *const again = saved( back, &again_count );
		assert_int_equal( count, again_count );
		assert_memory_equal( bytes, again, count );
		free( again );
		free( bytes );
		dbvh_capture_destroy( back );
		dbvh_capture_destroy( parsed );
		captured_free( &c );
		printf( "%s: %zu bytes\n", dbvh_capture_call_name( (dbvh_capture_call)call ), count );
	}
	remove( FILE_NAME );
}

// The first bytes of a file, for whoever reads docs/capture.md.
static void begins_as_documented( void **state ) {
	(void)state;
	captured c;
	captured_make( &c, DBVH_CAPTURE_CALL_SELF_COLLIDE );
	size_t count;
	uint8_t *const bytes = saved( &c.capture, &count );
	static const uint8_t begin[24] = { 'a', 'd', 'b', 'v', 'c', 'a', 'p', '\n', 1, 0, 0, 0,
	                                   0,   0,   0,   0,   9,   0,   0,   0,    0, 0, 0, 0 };
	assert_memory_equal( bytes, begin, sizeof begin );
	assert_memory_equal( bytes + count - 8, "dcap end", 8 );
	free( bytes );
	captured_free( &c );
	remove( FILE_NAME );
}

static void views_of_all_types( void **state ) {
	(void)state;
	static const float corners[9] = { 0, 0, 0, 1, 0, 0, 0, 0.1f, 0 };
	static const uint64_t indices[3] = { 2, 1, 0 };
	dbvh_capture x = { .call = DBVH_CAPTURE_CALL_SELF_COLLIDE,
	                   .mesh_a = { .positions = corners,
	                               .vertex_count = 3,
	                               .position_type = DBVH_POSITION_TYPE_FLOAT32,
	                               .indices = indices,
	                               .triangle_count = 1,
	                               .index_type = DBVH_INDEX_TYPE_UINT64 } };
	for ( int k = 0; k < 2; ++k ) {
		dbvh_capture *back = NULL;
		assert_int_equal( dbvh_capture_save( &x, FILE_NAME, NULL ), DBVH_OK );
		assert_int_equal( dbvh_capture_load( FILE_NAME, NULL, &back, NULL ), DBVH_OK );
		assert_true( ( (const double *)back->mesh_a.positions )[7] == (double)0.1f );
		assert_int_equal( ( (const uint32_t *)back->mesh_a.indices )[0], k == 0 ? 2 : 0 );
		dbvh_capture_destroy( back );
		x.mesh_a.index_type = DBVH_INDEX_TYPE_NONE;
		x.mesh_a.indices = NULL;
	}
	remove( FILE_NAME );
}

static void must_be_refused( const uint8_t *bytes, size_t count, const char *what ) {
	// Exactly as long as its content, so that AddressSanitizer sees a read beyond the end.
	uint8_t *const exact = malloc( count + ( count == 0 ) );
	assert_true( exact != NULL );
	memcpy( exact, bytes, count );
	dbvh_capture *back = (dbvh_capture *)exact;
	dbvh_error error;
	const dbvh_status status = dbvh_capture_parse( exact, count, NULL, &back, &error );
	if ( status == DBVH_OK )
		print_message( "not refused: %s\n", what );
	assert_int_not_equal( status, DBVH_OK );
	assert_true( back == NULL && error.status == status && error.text[0] != '\0' && error.byte >= 0 &&
	             (size_t)error.byte <= count );
	free( exact );
}

static void cut_off_and_damaged( void **state ) {
	(void)state;
	rng r = rng_announce( "capture", 20261122 );
	for ( int call = 0; call < CALL_COUNT; ++call ) {
		captured c;
		captured_make( &c, (dbvh_capture_call)call );
		c.capture.answer.known = true;
		size_t count;
		uint8_t *const bytes = saved( &c.capture, &count );
		for ( size_t i = 0; i < count; i += i < 256 || i + 512 > count ? 1 : 61 )
			must_be_refused( bytes, i, "a file that is cut off" );
		const size_t tries = rounds( 1000 );
		for ( size_t i = 0; i < tries; ++i ) {
			const size_t at = rng_below( &r, count );
			const uint8_t old = bytes[at];
			bytes[at] ^= (uint8_t)( 1u << rng_below( &r, 8 ) );
			must_be_refused( bytes, count, "a flipped bit" );
			bytes[at] = old;
		}
		free( bytes );
		captured_free( &c );
	}
	remove( FILE_NAME );
}

// Each word in turn becomes an odd one: nothing runs away, whatever the sizes say.
static void lies( void **state ) {
	(void)state;
	static const uint64_t odd[] = { 0,
	                                1,
	                                2,
	                                65,
	                                1u << 30,
	                                ( 1u << 30 ) + 1,
	                                UINT32_MAX,
	                                UINT64_MAX,
	                                UINT64_C( 1 ) << 61,
	                                UINT64_C( 0x7ff8000000000000 ) };
	captured c;
	captured_make( &c, DBVH_CAPTURE_CALL_COLLIDE );
	size_t count;
	uint8_t *const bytes = saved( &c.capture, &count );
	for ( size_t at = 0; at < count; at += 8 ) {
		for ( size_t k = 0; k < sizeof odd / sizeof odd[0]; ++k ) {
			uint8_t old[8];
			memcpy( old, bytes + at, 8 );
			for ( int b = 0; b < 8; ++b )
				bytes[at + (size_t)b] = (uint8_t)( odd[k] >> 8 * b );
			if ( memcmp( old, bytes + at, 8 ) != 0 )
				must_be_refused( bytes, count, "an odd word" );
			memcpy( bytes + at, old, 8 );
		}
	}
	free( bytes );
	captured_free( &c );
	remove( FILE_NAME );
}

static void refusals( void **state ) {
	(void)state;
	captured c;
	captured_make( &c, DBVH_CAPTURE_CALL_COLLIDE );
	dbvh_error error;
	dbvh_capture *out = NULL;
	assert_int_equal( dbvh_capture_save( NULL, FILE_NAME, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_capture_save( &c.capture, NULL, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_capture_save( &c.capture, "no such folder/x", &error ), DBVH_IO );
	c.capture.collide.policy = (dbvh_policy)99;
	assert_int_equal( dbvh_capture_save( &c.capture, FILE_NAME, &error ), DBVH_INVALID_ARGUMENT );
	assert_string_equal( error.text, "policy is out of its range" );
	c.capture.collide.policy = DBVH_POLICY_DEFAULT;
	c.capture.call = (dbvh_capture_call)77;
	assert_int_equal( dbvh_capture_save( &c.capture, FILE_NAME, &error ), DBVH_INVALID_ARGUMENT );
	c.capture.call = DBVH_CAPTURE_CALL_COLLIDE;
	c.a.positions[0] = NAN;
	assert_int_equal( dbvh_capture_save( &c.capture, FILE_NAME, &error ), DBVH_NOT_FINITE );
	c.capture.mesh_a.triangle_count = 0;
	assert_int_equal( dbvh_capture_save( &c.capture, FILE_NAME, &error ), DBVH_EMPTY );
	assert_int_equal( dbvh_capture_load( "no such file", NULL, &out, &error ), DBVH_IO );
	assert_int_equal( dbvh_capture_load( NULL, NULL, &out, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_capture_load( FILE_NAME, NULL, NULL, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_capture_parse( NULL, 0, NULL, &out, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_capture_parse( "solid", 5, NULL, &out, &error ), DBVH_UNKNOWN_FORMAT );
	assert_string_equal( error.text, "the file is no capture: it does not begin as one" );
	assert_string_equal( dbvh_capture_call_name( (dbvh_capture_call)77 ), "?" );
	dbvh_capture_destroy( NULL );
	captured_free( &c );
}

static void no_memory( void **state ) {
	(void)state;
	captured c;
	captured_make( &c, DBVH_CAPTURE_CALL_RELATE );
	size_t count;
	uint8_t *const bytes = saved( &c.capture, &count );
	ledger books = { 0 };
	const dbvh_allocator allocator = ledger_allocator( &books );
	size_t failed = 0;
	for ( size_t n = 1;; ++n ) {
		dbvh_capture *out = NULL;
		dbvh_error error;
		books.calls = 0;
		books.fail_at = n;
		const dbvh_status status = dbvh_capture_load( FILE_NAME, &allocator, &out, &error );
		dbvh_capture_destroy( out );
		assert_true( books.live == 0 && books.mistakes == 0 );
		if ( status == DBVH_OK )
			break;
		assert_int_equal( status, DBVH_OUT_OF_MEMORY );
		failed += 1;
	}
	assert_true( failed >= 6 );
	free( bytes );
	captured_free( &c );
	remove( FILE_NAME );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( round_trips ),
	    cmocka_unit_test( begins_as_documented ),
	    cmocka_unit_test( views_of_all_types ),
	    cmocka_unit_test( cut_off_and_damaged ),
	    cmocka_unit_test( lies ),
	    cmocka_unit_test( refusals ),
	    cmocka_unit_test( no_memory ),
	};
	return test_main( argc, argv, tests );
}
