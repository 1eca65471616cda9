// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Rows of joint numbers: headings, orders, arrays, and what is refused.

#include "assembly/joints.h"
#include "support/unit.h"
#include "text/npy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ELBOW = 1, SHOULDER = 2, FIXED = 3, GRIP = 4, OTHER_BASE = 5, OTHER_ELBOW = 6, LINKS = 7 };

// Two robots; in the file of the first its joints are in another order than its links.
static void make_model( scene_model *model ) {
	static const struct {
		const char *joint;
		uint32_t parent, number;
		scene_joint_kind kind;
	} links[LINKS] = { { NULL, SCENE_NONE, 0, SCENE_JOINT_FIXED }, { "elbow", 0, 2, SCENE_JOINT_REVOLUTE },
	                   { "shoulder", 1, 0, SCENE_JOINT_REVOLUTE }, { "mount", 2, 1, SCENE_JOINT_FIXED },
	                   { "grip", 3, 3, SCENE_JOINT_PRISMATIC },    { NULL, SCENE_NONE, 0, SCENE_JOINT_FIXED },
	                   { "two/elbow", 5, 0, SCENE_JOINT_REVOLUTE } };
	*model = ( scene_model ){ 0 };
	for ( uint32_t i = 0; i < LINKS; ++i ) {
		char name[8];
		snprintf( name, sizeof name, "l%u", (unsigned)i );
		assert_int_equal( scene_add_link( model, name, links[i].parent ), i );
		scene_link *link = &model->links[i];
		link->kind = links[i].kind;
		link->joint_number = links[i].number;
		if ( links[i].joint != NULL )
			link->joint = strcpy( malloc( 16 ), links[i].joint );
	}
	model->links[GRIP].mimic = ELBOW;
	model->links[ELBOW].lower = -1.0;
	model->links[ELBOW].upper = 1.0;
}

static dbvh_status read_text( const char *text, scene_model *model, const double *start, scene_rows *rows,
                              dbvh_error *error ) {
	// Exactly as long as its content, so that AddressSanitizer sees a read beyond the end.
	const size_t count = strlen( text );
	unsigned char *bytes = malloc( count + ( count == 0 ) );
	memcpy( bytes, text, count );
	const dbvh_status status = scene_read_joints( bytes, count, model, start, rows, error );
	assert_int_equal( status, error->status );
	free( bytes );
	return status;
}

static void check_rows( const scene_rows *rows, const double ( *expected )[LINKS], size_t count ) {
	assert_int_equal( rows->count, count );
	for ( size_t i = 0; i < count * LINKS; ++i )
		if ( rows->values[i] != expected[i / LINKS][i % LINKS] )
			fail_msg( "row %zu, link %zu: %g", i / LINKS, i % LINKS, rows->values[i] );
}

static void test_columns( void **state ) {
	(void)state;
	scene_model model;
	make_model( &model );
	uint32_t columns[LINKS];
	assert_int_equal( scene_joint_columns( &model, columns ), 3 );
	assert_int_equal( columns[0], SHOULDER );
	assert_int_equal( columns[1], ELBOW );
	assert_int_equal( columns[2], OTHER_ELBOW );
	scene_model_free( &model );
}

static void test_text( void **state ) {
	(void)state;
	static const struct {
		const char *text;
		size_t count;
		double expected[3][LINKS];
	} cases[] = {
	    { "1 2 3", 1, { { 0, 2, 1, 0, 0, 0, 3 } } },
	    { "\xEF\xBB\xBF# a comment\n\n1,2,3\r\n 4 , 5,6,\n", 2, { { 0, 2, 1, 0, 0, 0, 3 }, { 0, 5, 4, 0, 0, 0, 6 } } },
	    { "1;2;3 # rest\n", 1, { { 0, 2, 1, 0, 0, 0, 3 } } },
	    { "two/elbow\telbow\n1\t-2e0\n", 1, { { 0, -2, 0, 0, 0, 0, 1 } } },
	    { "\"two/elbow\" , \"shoulder\"\n1, 2\n3,4\n5,6",
	      3,
	      { { 0, 0, 2, 0, 0, 0, 1 }, { 0, 0, 4, 0, 0, 0, 3 }, { 0, 0, 6, 0, 0, 0, 5 } } },
	};
	for ( size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i ) {
		scene_model model;
		scene_rows rows;
		dbvh_error error;
		make_model( &model );
		if ( read_text( cases[i].text, &model, NULL, &rows, &error ) != DBVH_OK )
			fail_msg( "case %zu: %s", i, error.text );
		check_rows( &rows, cases[i].expected, cases[i].count );
		scene_rows_free( &rows );
		scene_model_free( &model );
	}
}

static void test_start_and_limits( void **state ) {
	(void)state;
	scene_model model;
	scene_rows rows;
	dbvh_error error;
	make_model( &model );
	const double start[LINKS] = { 0, 0.5, 0.25, 0, 0, 0, 7 };
	assert_int_equal( read_text( "elbow\n1.5\n-1\n-1.5", &model, start, &rows, &error ), DBVH_OK );
	static const double expected[3][LINKS] = {
	    { 0, 1.5, 0.25, 0, 0, 0, 7 }, { 0, -1, 0.25, 0, 0, 0, 7 }, { 0, -1.5, 0.25, 0, 0, 0, 7 } };
	check_rows( &rows, expected, 3 );
	assert_int_equal( model.note_count, 1 );
	assert_string_equal( model.notes[0], "2 numbers of joints are beyond the limits, the first of joint 'elbow'" );
	scene_rows_free( &rows );
	scene_model_free( &model );
}

static void test_refusals( void **state ) {
	(void)state;
	static const struct {
		const char *text, *sentence;
		int64_t line;
	} cases[] = {
	    { "", "there is no row of joints", 0 },
	    { "# nothing\n", "there is no row of joints", 0 },
	    { "elbow\n", "there is no row of joints", 0 },
	    { "1 2\n", "for each joint that moves, 3 (shoulder, elbow, two/elbow); there are 2 here", 1 },
	    { "1 2 3\n1 2 3 4", "there are 4 here", 2 },
	    { "elbow shoulder\n1", "the heading names 2 joints; there is 1 number here", 2 },
	    { "elbw,shoulder\n1,2", "the robot has no joint 'elbw'; did you mean 'elbow'?", 1 },
	    { "qqqqqq\n1", "no joint 'qqqqqq'; there are elbow, shoulder, two/elbow", 1 },
	    { "\n# comment\nelbow elbow\n", "joint 'elbow' has two columns", 3 },
	    { "grip\n", "joint 'grip' follows joint 'elbow'; it has no number of its own", 1 },
	    { "mount\n", "joint 'mount' does not move", 1 },
	    { "1,,3", "there is no number before a ','", 1 },
	    { "1 2 x", "'x' is not a number", 1 },
	    { "1 2 3\nelbow shoulder two/elbow", "'elbow' is not a number", 2 },
	    { "1;2,5;3", "'2,5' is not a number; decimals have a point", 1 },
	    { "1 2 0x3", "'0x3' is not a number", 1 },
	    { "1 2 nan", "'nan' is not finite", 1 },
	    { "1 2 1e999", "'1e999' is not finite", 1 },
	    { "1 2 3333333333333333333333333333333333333333333333333333333333333333333333333333333333333333",
	      "is not a number", 1 },
	};
	for ( size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i ) {
		scene_model model;
		scene_rows rows;
		dbvh_error error;
		make_model( &model );
		const dbvh_status status = read_text( cases[i].text, &model, NULL, &rows, &error );
		if ( status == DBVH_OK || strstr( error.text, cases[i].sentence ) == NULL || error.line != cases[i].line )
			fail_msg( "case %zu: %s, line %lld: %s", i, dbvh_status_name( status ), (long long)error.line, error.text );
		assert_null( rows.values );
		scene_model_free( &model );
	}
	scene_model empty = { 0 };
	scene_rows rows;
	dbvh_error error;
	assert_int_equal( read_text( "1", &empty, NULL, &rows, &error ), DBVH_INVALID_ARGUMENT );
}

// ------------------------------------------------------------------------------------------------
// Arrays

// Version 1.0, little endian.
static size_t make_npy( unsigned char *bytes, const char *shape, const char *descr, const void *data, size_t size ) {
	char header[128];
	int length =
	    snprintf( header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape );
	while ( ( 10 + length + 1 ) % 64 != 0 )
		header[length++] = ' ';
	header[length++] = '\n';
	memcpy( bytes, "\x93NUMPY\1\0", 8 );
	bytes[8] = (unsigned char)( length & 255 );
	bytes[9] = (unsigned char)( length >> 8 );
	memcpy( bytes + 10, header, (size_t)length );
	memcpy( bytes + 10 + length, data, size );
	return 10 + (size_t)length + size;
}

static bool is_little_endian( void ) {
	const uint16_t one = 1;
	unsigned char first;
	memcpy( &first, &one, 1 );
	return first == 1;
}

static void test_arrays( void **state ) {
	(void)state;
	const char *f8 = is_little_endian() ? "<f8" : ">f8", *f4 = is_little_endian() ? "<f4" : ">f4";
	unsigned char bytes[512];
	scene_model model;
	scene_rows rows;
	dbvh_error error;
	make_model( &model );
	double wide[6] = { 0.1, 0.2, 0.3, 0.4, 0.5, 0.6 };
	const float narrow[6] = { 0.5f, 0.25f, 1, 2, 3, 4 };
	size_t count = make_npy( bytes, "(2, 3)", f8, wide, sizeof wide );
	assert_int_equal( scene_read_joints( bytes, count, &model, NULL, &rows, &error ), DBVH_OK );
	static const double expected[2][LINKS] = { { 0, 0.2, 0.1, 0, 0, 0, 0.3 }, { 0, 0.5, 0.4, 0, 0, 0, 0.6 } };
	check_rows( &rows, expected, 2 );
	scene_rows_free( &rows );
	assert_int_equal( scene_read_joints( bytes, count - 1, &model, NULL, &rows, &error ), DBVH_TRUNCATED );

	count = make_npy( bytes, "(1, 3)", f4, narrow, 12 );
	assert_int_equal( scene_read_joints( bytes, count, &model, NULL, &rows, &error ), DBVH_OK );
	static const double single[1][LINKS] = { { 0, 0.25, 0.5, 0, 0, 0, 1 } };
	check_rows( &rows, single, 1 );
	scene_rows_free( &rows );

	count = make_npy( bytes, "(3, 2)", f8, wide, sizeof wide );
	assert_int_equal( scene_read_joints( bytes, count, &model, NULL, &rows, &error ), DBVH_MALFORMED );
	assert_non_null( strstr( error.text, "3 (shoulder, elbow, two/elbow); there are 2 here" ) );
	count = make_npy( bytes, "(6,)", f8, wide, sizeof wide );
	assert_int_equal( scene_read_joints( bytes, count, &model, NULL, &rows, &error ), DBVH_MALFORMED );
	assert_non_null( strstr( error.text, "the array has 1 dimension; rows of joints have two" ) );
	count = make_npy( bytes, "(0, 3)", f8, wide, 0 );
	assert_int_equal( scene_read_joints( bytes, count, &model, NULL, &rows, &error ), DBVH_EMPTY );
	wide[4] = INFINITY;
	count = make_npy( bytes, "(2, 3)", f8, wide, sizeof wide );
	assert_int_equal( scene_read_joints( bytes, count, &model, NULL, &rows, &error ), DBVH_NOT_FINITE );
	assert_int_equal( error.element, 1 );
	scene_model_free( &model );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( test_columns ),  cmocka_unit_test( test_text ),   cmocka_unit_test( test_start_and_limits ),
	    cmocka_unit_test( test_refusals ), cmocka_unit_test( test_arrays ),
	};
	return test_main( argc, argv, tests );
}
