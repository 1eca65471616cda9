// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Limits for scenes of strangers: the files that they may name, and the memory that they may take.

#define _DEFAULT_SOURCE

#include "formats/disk.h"
#include "model/refuse.h"
#include "support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char top[32];

static const char *at( const char *name ) {
	static char path[4][400];
	static int next;
	next = ( next + 1 ) % 4;
	snprintf( path[next], sizeof path[next], "%s/%s", top, name );
	return path[next];
}

static void put( const char *name, const char *text ) {
	FILE *file = fopen( at( name ), "wb" );
	assert_non_null( file );
	assert_true( fputs( text, file ) >= 0 );
	assert_int_equal( fclose( file ), 0 );
}

static const char *const folders[] = { "a",       "a/robot", "a/robot/urdf", "a/robot/urdf/deep", "a/robot/meshes",
                                       "a/robot2" };
static const char *const files[] = { "x.off",
                                     "a/x.off",
                                     "a/robot/x.off",
                                     "a/robot/meshes/x.off",
                                     "a/robot/urdf/x.off",
                                     "a/robot/urdf/deep/x.off",
                                     "a/robot2/x.off",
                                     "a/robot/urdf/scene.urdf" };

static int enter( void **state ) {
	(void)state;
	strcpy( top, "trust-XXXXXX" );
	if ( mkdtemp( top ) == NULL )
		return 1;
	for ( size_t i = 0; i < sizeof folders / sizeof *folders; ++i )
		mkdir( at( folders[i] ), 0755 );
	for ( size_t i = 0; i < sizeof files / sizeof *files; ++i )
		put( files[i], "OFF" );
	return 0;
}

static int leave( void **state ) {
	(void)state;
	static const char *const more[] = { "a/robot/urdf/link.off", "a/robot/urdf/pipe.off", "a/robot/package.xml",
	                                    "a/package.xml" };
	for ( size_t i = 0; i < sizeof more / sizeof *more; ++i )
		unlink( at( more[i] ) );
	for ( size_t i = 0; i < sizeof files / sizeof *files; ++i )
		unlink( at( files[i] ) );
	for ( size_t i = sizeof folders / sizeof *folders; i-- > 0; )
		rmdir( at( folders[i] ) );
	return rmdir( top );
}

static bool reads( const char *name, const scene_read_options *options ) {
	scene_disk disk = { at( "a/robot/urdf/scene.urdf" ), options, NULL };
	const scene_source source = scene_disk_source( &disk );
	unsigned char *bytes;
	size_t count;
	dbvh_error error;
	if ( !source.open( source.user, name, &bytes, &count, &error ) ) {
		assert_int_equal( error.status, DBVH_IO );
		return false;
	}
	assert_int_equal( count, 3 );
	source.release( source.user, bytes, count );
	return true;
}

static void names( void **state ) {
	(void)state;
	const scene_read_options all = { .trust.allow_outside = true };
	static const char *const outside[] = {
	    "../meshes/x.off",         "../x.off",          "../../x.off", "../../../x.off",
	    "deep/../../meshes/x.off", "../../robot2/x.off" };
	assert_true( reads( "x.off", NULL ) && reads( "deep/x.off", NULL ) && reads( "./deep/../x.off", NULL ) &&
	             reads( "../urdf/x.off", NULL ) );
	for ( size_t i = 0; i < sizeof outside / sizeof *outside; ++i )
		assert_true( !reads( outside[i], NULL ) && reads( outside[i], &all ) );
	char absolute[500], *real = realpath( at( "x.off" ), NULL );
	snprintf( absolute, sizeof absolute, "file://%s", real );
	assert_true( !reads( real, NULL ) && reads( real, &all ) && !reads( absolute, NULL ) && reads( absolute, &all ) );
	free( real );
	real = realpath( at( "a/robot/urdf/deep/x.off" ), NULL );
	assert_true( reads( real, NULL ) );
	free( real );
	assert_int_equal( symlink( "../meshes/x.off", at( "a/robot/urdf/link.off" ) ), 0 );
	assert_true( !reads( "link.off", NULL ) && reads( "link.off", &all ) );
	// A pipe is neither waited for nor read.
	alarm( 20 );
	assert_int_equal( mkfifo( at( "a/robot/urdf/pipe.off" ), 0600 ), 0 );
	assert_true( !reads( "pipe.off", NULL ) && !reads( "pipe.off", &all ) );
	alarm( 0 );
	assert_false( reads( "http://x/x.off", &all ) );
}

// A package is what has a mark, and what is given; the nearest one counts.
static void packages( void **state ) {
	(void)state;
	char given[100];
	const char *const list[] = { given };
	const scene_read_options options = { .packages = list, .package_count = 1 };
	assert_true( reads( "package://urdf/x.off", NULL ) && reads( "package://robot/meshes/x.off", NULL ) );
	assert_false( reads( "package://a/x.off", NULL ) );
	assert_false( reads( "package://robot/../x.off", NULL ) );
	assert_false( reads( "package://robot2/x.off", NULL ) );
	snprintf( given, sizeof given, "robot2=%s", at( "a/robot2" ) );
	assert_true( reads( "package://robot2/x.off", &options ) && reads( "../../robot2/x.off", &options ) );
	assert_false( reads( "package://robot2/../x.off", &options ) );
	snprintf( given, sizeof given, "robot=%s", at( "a/robot" ) );
	assert_true( reads( "../meshes/x.off", &options ) );
	assert_false( reads( "../../robot2/x.off", &options ) ); // whose name begins alike
	put( "a/package.xml", "" );
	assert_true( reads( "../../x.off", NULL ) && reads( "package://a/x.off", NULL ) );
	assert_false( reads( "../../../x.off", NULL ) );
	put( "a/robot/package.xml", "" );
	assert_true( reads( "../meshes/x.off", NULL ) );
	assert_false( reads( "../../x.off", NULL ) );
}

// ------------------------------------------------------------------------------------------------

static void ledgers( void **state ) {
	(void)state;
	scene_ledger l = { 0 };
	assert_true( scene_ledger_spend( &l, UINT64_MAX ) && scene_ledger_spend( &l, UINT64_MAX ) ); // not counted
	scene_ledger_open( &l, 1 );
	assert_true( scene_ledger_spend( &l, 1000 ) && scene_ledger_fits( &l, ( 1 << 20 ) - 1000 ) );
	assert_true( scene_ledger_spend( &l, ( 1 << 20 ) - 1000 ) && !l.is_over );
	scene_ledger_credit( &l, 1, 1, 1000000 ); // a limit from the user stays
	assert_true( !scene_ledger_spend( &l, 1 ) && l.is_over && !scene_ledger_fits( &l, UINT64_MAX ) );
	scene_ledger_close( &l );
	scene_ledger_open( &l, 0 );
	assert_true( l.allowed == SCENE_CEILING_BASE );
	for ( uint64_t i = 0; i < 100; ++i )
		for ( int again = 0; again < 3; ++again )
			scene_ledger_credit( &l, i % 2, i, 10 );
	assert_true( l.allowed == SCENE_CEILING_BASE + 100 * 10 * SCENE_CEILING_PER_BYTE );
	assert_false( scene_ledger_fits( &l, l.allowed + 1 ) );
	scene_ledger_close( &l );
}

// Meshes and bodies are counted as they are added, in the ledger that counts for the model.
static void models( void **state ) {
	(void)state;
	const double positions[9] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
	const uint32_t indices[3] = { 0, 1, 2 };
	const dbvh_mesh_view view = { .positions = positions, .vertex_count = 3, .indices = indices, .triangle_count = 1 };
	const dbvh_pose pose = dbvh_pose_identity();
	scene_model outer = { 0 }, inner = { .ledger = &outer.own_ledger };
	dbvh_mesh *mesh, *flat;
	dbvh_error error;
	scene_ledger_open( &outer.own_ledger, 1 );
	assert_int_equal( dbvh_mesh_create( &view, NULL, &mesh, NULL ), DBVH_OK );
	assert_true( scene_add_mesh( &inner, mesh, "m" ) == 0 );
	assert_true( outer.own_ledger.spent == 3 * SCENE_VERTEX_COST + SCENE_TRIANGLE_COST );
	size_t count = 0;
	while ( scene_add_body( &inner, "body", 0, &pose ) != SCENE_NONE )
		++count;
	assert_true( outer.own_ledger.is_over && count > 3000 && count < 4000 );
	assert_int_equal( scene_flatten( &inner, &flat, &error ), DBVH_LIMIT );
	assert_non_null( strstr( error.text, "--most-memory" ) );
	scene_model_free( &inner );
	scene_model_free( &outer );
}

// Text that a reader quotes from a file named by another file is removed from the error.
static void quotes( void **state ) {
	(void)state;
	dbvh_error error = { .status = DBVH_MALFORMED, .line = 7, .text = "\"root:x\" is no coordinate" };
	scene_hush( &error );
	assert_true( strstr( error.text, "root" ) == NULL && error.line == 7 && error.status == DBVH_MALFORMED );
	error = ( dbvh_error ){ .status = DBVH_IO, .text = "the file cannot be opened" };
	scene_hush( &error );
	assert_string_equal( error.text, "the file cannot be opened" );
}

int main( int argc, char **argv ) {
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown( names, enter, leave ),
	    cmocka_unit_test_setup_teardown( packages, enter, leave ),
	    cmocka_unit_test( ledgers ),
	    cmocka_unit_test( models ),
	    cmocka_unit_test( quotes ),
	};
	return test_main( argc, argv, tests );
}
