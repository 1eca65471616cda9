// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// STEP: assemblies that OpenCASCADE writes, read back: names, places, and triangles within the sag.

#define _POSIX_C_SOURCE 200809L // mkdtemp()

#include "formats/files.h"
#include "step_writer.h"
#include "support/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void write_and_read( bool ( *write )( const char *path ), unsigned char **bytes, size_t *count ) {
	char folder[] = "/tmp/dualbvh-step-XXXXXX", path[64];
	assert_non_null( mkdtemp( folder ) );
	snprintf( path, sizeof path, "%s/a.step", folder );
	const bool is_written = write( path );
	FILE *stream = fopen( path, "rb" );
	enum { MOST = 1 << 20 };
	*bytes = malloc( MOST );
	*count = stream != NULL && *bytes != NULL ? fread( *bytes, 1, MOST, stream ) : 0;
	if ( stream != NULL )
		fclose( stream );
	unlink( path );
	rmdir( folder );
	assert_true( is_written );
	assert_in_range( *count, 1000, MOST - 1 );
}

static dbvh_status read_model( const void *bytes, size_t count, double sag, scene_model *model, dbvh_error *error ) {
	const scene_source source = { .name = "a.step" };
	*error = ( dbvh_error ){ .byte = -1, .element = -1 };
	model->wants_sag = sag;
	return scene_read_bytes( bytes, count, &source, SCENE_SPLIT_FILE, model, error );
}

static void must_read( bool ( *write )( const char *path ), double sag, scene_model *model ) {
	unsigned char *bytes;
	size_t count;
	dbvh_error error;
	write_and_read( write, &bytes, &count );
	if ( read_model( bytes, count, sag, model, &error ) != DBVH_OK )
		fail_msg( "%s", error.text );
	free( bytes );
}

static const scene_body *body_of( const scene_model *model, const char *path ) {
	const uint32_t body = scene_names_find( &model->paths, path );
	if ( body == SCENE_NONE )
		fail_msg( "there is no '%s'", path );
	return &model->bodies[body];
}

static void must_be_closed( const scene_model *model ) {
	for ( size_t i = 0; i < model->mesh_count; ++i ) {
		const dbvh_mesh_view view = dbvh_mesh_get_view( model->meshes[i].mesh );
		dbvh_mesh_audit_result audit;
		assert_int_equal( dbvh_mesh_audit( &view, NULL, &audit, NULL, 0, NULL ), DBVH_OK );
		assert_true( audit.component_count > 0 );
		assert_int_equal( audit.closed_component_count, audit.component_count );
	}
}

static void near_pose( const dbvh_pose *pose, const dbvh_pose *wanted ) {
	for ( int i = 0; i < 3; ++i ) {
		assert_float_equal( pose->pos[i], wanted->pos[i], 1e-12 );
		for ( int k = 0; k < 3; ++k )
			assert_float_equal( pose->rot[i][k], wanted->rot[i][k], 1e-14 );
	}
}

static void test_assembly( void **state ) {
	(void)state;
	scene_model model = { 0 };
	must_read( step_write_stand, 0.0, &model );
	assert_int_equal( model.body_count, 3 );
	assert_int_equal( model.mesh_count, 2 );
	assert_true( model.metres == 0.001 );
	assert_int_equal( model.note_count, 0 );
	const scene_body *plate = body_of( &model, "stand/plate" ), *upright = body_of( &model, "stand/pins/upright" ),
	                 *lying = body_of( &model, "stand/pins/lying" );
	assert_int_equal( upright->mesh, lying->mesh );
	near_pose( &plate->pose, &( dbvh_pose ){ { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 0, 0, 0 } } );
	near_pose( &upright->pose, &( dbvh_pose ){ { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 12, 20, 5 } } );
	near_pose( &lying->pose, &( dbvh_pose ){ { { 1, 0, 0 }, { 0, 0, 1 }, { 0, -1, 0 } }, { 30, 10, 5 } } );
	assert_true( plate->sag == 0.1 && upright->sag == 0.1 );
	assert_int_equal( dbvh_mesh_get_view( model.meshes[plate->mesh].mesh ).triangle_count, 12 );
	must_be_closed( &model );
	scene_model_free( &model );
}

// How far the middles of the triangles of the pin and of their edges are from its surface, at most.
static double worst_of_pin( const dbvh_mesh_view *view ) {
	static const double weights[4][3] = { { 1, 1, 1 }, { 1, 1, 0 }, { 0, 1, 1 }, { 1, 0, 1 } };
	const double *p = view->positions;
	double worst = 0.0;
	for ( size_t i = 0; i < 4 * view->triangle_count; ++i ) {
		const uint32_t *t = (const uint32_t *)view->indices + 3 * ( i / 4 );
		const double *w = weights[i % 4];
		double at[3];
		for ( int k = 0; k < 3; ++k )
			at[k] = ( w[0] * p[3 * t[0] + (uint32_t)k] + w[1] * p[3 * t[1] + (uint32_t)k] +
			          w[2] * p[3 * t[2] + (uint32_t)k] ) /
			        ( w[0] + w[1] + w[2] );
		const double side = fabs( 5.0 - sqrt( at[0] * at[0] + at[1] * at[1] ) );
		const double caps = fmin( fabs( at[2] ), fabs( 20.0 - at[2] ) );
		worst = fmax( worst, fmin( side, caps ) );
	}
	return worst;
}

static void test_sag( void **state ) {
	(void)state;
	static const double sags[] = { 0.1, 0.01, 0.001 };
	size_t before = 0;
	for ( size_t i = 0; i < sizeof sags / sizeof sags[0]; ++i ) {
		scene_model model = { 0 };
		must_read( step_write_stand, sags[i], &model );
		const scene_body *pin = body_of( &model, "stand/pins/upright" );
		const dbvh_mesh_view view = dbvh_mesh_get_view( model.meshes[pin->mesh].mesh );
		assert_true( pin->sag == sags[i] );
		assert_true( worst_of_pin( &view ) <= sags[i] );
		assert_true( view.triangle_count > 2 * before );
		before = view.triangle_count;
		scene_model_free( &model );
	}
	// A scene in metres takes the sag in metres, and returns it in metres.
	scene_model model = { .metres = 1.0 };
	must_read( step_write_stand, 1e-5, &model );
	const scene_body *pin = body_of( &model, "stand/pins/upright" );
	assert_float_equal( pin->sag, 1e-5, 1e-18 );
	assert_float_equal( pin->pose.pos[0], 0.012, 1e-15 );
	scene_model_free( &model );
}

static void test_round( void **state ) {
	(void)state;
	static const double sags[] = { 0.0, 1.0, 0.02 };
	for ( size_t i = 0; i < sizeof sags / sizeof sags[0]; ++i ) {
		scene_model model = { 0 };
		must_read( step_write_round, sags[i], &model );
		must_be_closed( &model );
		size_t triangles = 0;
		for ( size_t k = 0; k < model.mesh_count; ++k )
			triangles += dbvh_mesh_get_view( model.meshes[k].mesh ).triangle_count;
		assert_in_range( triangles, 100, 100000 );
		scene_model_free( &model );
	}
}

static void must_refuse( const void *bytes, size_t count ) {
	scene_model model = { 0 };
	dbvh_error error;
	const dbvh_status status = read_model( bytes, count, 0.0, &model, &error );
	if ( status == DBVH_OK )
		fail_msg( "%zu bytes are read", count );
	assert_true( error.status == status && error.text[0] != '\0' );
	scene_model_free( &model );
}

static void test_refusals( void **state ) {
	(void)state;
	enum { CUTS = 60 };
	unsigned char *bytes;
	size_t count;
	write_and_read( step_write_stand, &bytes, &count );
	for ( size_t i = 0; i < CUTS; ++i )
		must_refuse( bytes, count * i / CUTS );
	free( bytes );
	static const char nothing[] =
	    "ISO-10303-21;\nHEADER;\nFILE_DESCRIPTION((''),'2;1');\n"
	    "FILE_NAME('a','',(''),(''),'','','');\nFILE_SCHEMA(('AUTOMOTIVE_DESIGN'));\nENDSEC;\n"
	    "DATA;\n#1=CARTESIAN_POINT('',(0.,0.,0.));\nENDSEC;\nEND-ISO-10303-21;\n";
	must_refuse( nothing, sizeof nothing - 1 );
	must_refuse( "ISO-10303-21;", 13 );
	must_refuse( "what is this?", 13 );
}

// Entities whose references lead nowhere: refused, or left out with a note, and OpenCASCADE may break down at either.
static void test_damage( void **state ) {
	(void)state;
	enum { CASES = 20, STEP = 13 };
	unsigned char *bytes;
	size_t count, at = 0, refused = 0;
	write_and_read( step_write_stand, &bytes, &count );
	for ( size_t i = 0; i < CASES; ++i ) {
		for ( size_t n = 0; n < STEP; ++n )
			do
				at = ( at + 1 ) % ( count - 2 );
			while ( bytes[at] != ',' || bytes[at + 1] != '#' );
		scene_model model = { 0 };
		dbvh_error error;
		bytes[at + 1] = '!';
		const dbvh_status status = read_model( bytes, count, 0.0, &model, &error );
		bytes[at + 1] = '#';
		if ( status == DBVH_OK && model.note_count == 0 )
			fail_msg( "damage at %zu goes unsaid", at );
		assert_true( status == DBVH_OK || error.text[0] != '\0' );
		refused += status != DBVH_OK;
		scene_model_free( &model );
	}
	assert_in_range( refused, 1, CASES );
	free( bytes );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( test_assembly ), cmocka_unit_test( test_sag ),    cmocka_unit_test( test_round ),
	    cmocka_unit_test( test_refusals ), cmocka_unit_test( test_damage ),
	};
	return test_main( argc, argv, tests );
}
