// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A folder of trees that others write to, forge, lock, fill up and take away: who asks for a tree gets the one of the
// mesh, whatever is in the folder.

#define _DEFAULT_SOURCE

#include "bvh/tree.h"
#include "fuzz/tree_body.h"
#include "support/forge.h"
#include "support/scene.h"
#include "support/unit.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROOM = 64 };

typedef struct folder {
	char name[32], entry[ROOM]; // `entry`: the mesh's file
	shape mesh;
	uint8_t *bytes; // bytes of its tree's file
	size_t count;
} folder;

static uint8_t *bytes_of( const dbvh_tree *tree, size_t *count_out ) {
	size_t needed = 0;
	assert_int_equal( dbvh_tree_write( tree, NULL, 0, &needed, NULL ), DBVH_OK );
	uint8_t *bytes = malloc( needed );
	assert_non_null( bytes );
	assert_int_equal( dbvh_tree_write( tree, bytes, needed, count_out, NULL ), DBVH_OK );
	assert_true( *count_out == needed );
	return bytes;
}

static void put_file( const char *path, const void *bytes, size_t count ) {
	FILE *file = fopen( path, "wb" );
	assert_non_null( file );
	assert_true( fwrite( bytes, 1, count, file ) == count );
	assert_int_equal( fclose( file ), 0 );
}

// Files of a folder; `unlinks` them, too.
static size_t files_in( const char *name, bool unlinks ) {
	size_t count = 0;
	DIR *open = opendir( name );
	assert_non_null( open );
	for ( struct dirent *entry = readdir( open ); entry != NULL; entry = readdir( open ) ) {
		char path[300];
		snprintf( path, sizeof path, "%s/%s", name, entry->d_name );
		count += entry->d_name[0] != '.';
		if ( unlinks && entry->d_name[0] != '.' )
			assert_int_equal( unlink( path ), 0 );
	}
	closedir( open );
	return count;
}

static folder open_folder( void ) {
	folder f = { .name = "tree-cache-XXXXXX" };
	assert_non_null( mkdtemp( f.name ) );
	shape_add_torus( &f.mesh, 1.0, 0.25, 24, 12 );
	const dbvh_mesh_view view = shape_view( &f.mesh );
	const unsigned long long key = dbvh_tree_key( &view, NULL );
	snprintf( f.entry, sizeof f.entry, "%s/%016llx.dbvh", f.name, key );
	dbvh_tree *tree = tree_of( &f.mesh, NULL );
	f.bytes = bytes_of( tree, &f.count );
	dbvh_tree_destroy( tree );
	return f;
}

static void close_folder( folder *f ) {
	files_in( f->name, true );
	assert_int_equal( rmdir( f->name ), 0 );
	free( f->bytes );
	shape_free( &f->mesh );
}

// The tree of the mesh, by way of a folder; whether it is the one that it should be.
static bool is_right( const folder *f, const char *name, bool mapped, const dbvh_tree_load_options *options,
                      dbvh_cache_report *report ) {
	const dbvh_mesh_view view = shape_view( &f->mesh );
	dbvh_tree *tree = NULL;
	if ( dbvh_tree_build_cached( &view, NULL, name, mapped, options, NULL, &tree, report, NULL ) != DBVH_OK )
		return false;
	uint8_t *bytes = malloc( f->count );
	size_t count = 0;
	const bool same = bytes != NULL && dbvh_tree_write( tree, bytes, f->count, &count, NULL ) == DBVH_OK &&
	                  count == f->count && memcmp( bytes, f->bytes, count ) == 0;
	free( bytes );
	dbvh_tree_destroy( tree );
	return same;
}

static void expect( const folder *f, bool was_cached, bool is_saved, dbvh_status status ) {
	dbvh_cache_report report;
	assert_true( is_right( f, f->name, false, NULL, &report ) );
	assert_int_equal( report.was_cached, was_cached );
	assert_int_equal( report.is_saved, is_saved );
	assert_int_equal( report.error.status, status );
	assert_int_equal( report.error.text[0] != '\0', status != DBVH_OK );
}

// ------------------------------------------------------------------------------------------------

static void full_disk( void **state ) {
	(void)state;
	folder f = open_folder();
	struct rlimit before, less;
	assert_int_equal( getrlimit( RLIMIT_FSIZE, &before ), 0 );
	less = before;
	less.rlim_cur = f.count / 2;
	signal( SIGXFSZ, SIG_IGN );
	assert_int_equal( setrlimit( RLIMIT_FSIZE, &less ), 0 );
	expect( &f, false, false, DBVH_IO );
	assert_int_equal( files_in( f.name, false ), 0 );
	assert_int_equal( setrlimit( RLIMIT_FSIZE, &before ), 0 );
	expect( &f, false, true, DBVH_OK );
	expect( &f, true, false, DBVH_OK );
	// Full again: what is there is still found.
	assert_int_equal( setrlimit( RLIMIT_FSIZE, &less ), 0 );
	expect( &f, true, false, DBVH_OK );
	assert_int_equal( setrlimit( RLIMIT_FSIZE, &before ), 0 );
	close_folder( &f );
}

static bool can_create( const char *path ) {
	FILE *file = fopen( path, "wb" );
	if ( file != NULL )
		fclose( file );
	return file != NULL && unlink( path ) == 0;
}

// Folders and files that may not be read or written. Root may do everything, and is somebody else meanwhile.
static void permissions( void **state ) {
	(void)state;
	folder f = open_folder();
	const uid_t self = geteuid(), nobody = 65534;
	if ( self == 0 && ( chown( f.name, nobody, (gid_t)-1 ) != 0 || seteuid( nobody ) != 0 ) ) {
		close_folder( &f );
		skip();
	}
	// If the folder's path is closed to others, only the two cases behind this block can be checked.
	if ( can_create( f.entry ) ) {
		expect( &f, false, true, DBVH_OK );
		assert_int_equal( chmod( f.name, 0555 ), 0 ); // read-only: what is there is found
		expect( &f, true, false, DBVH_OK );
		assert_int_equal( chmod( f.name, 0755 ), 0 );
		assert_int_equal( chmod( f.entry, 0 ), 0 ); // an entry that nobody may read is replaced
		expect( &f, false, true, DBVH_IO );
		assert_int_equal( chmod( f.entry, 0644 ), 0 );
		expect( &f, true, false, DBVH_OK );
		assert_int_equal( unlink( f.entry ), 0 );
	}
	assert_int_equal( chmod( f.name, 0555 ), 0 );
	expect( &f, false, false, DBVH_IO );
	assert_int_equal( chmod( f.name, 0 ), 0 ); // not to be searched
	expect( &f, false, false, DBVH_IO );
	assert_int_equal( chmod( f.name, 0755 ), 0 );
	assert_int_equal( seteuid( self ), 0 );
	close_folder( &f );
}

// No folder, a file in its place, a folder in the place of an entry, and one that is taken away.
static void no_folders( void **state ) {
	(void)state;
	folder f = open_folder();
	dbvh_cache_report report;
	char path[ROOM];
	snprintf( path, sizeof path, "%s/none", f.name );
	assert_true( is_right( &f, path, true, NULL, &report ) );
	assert_true( !report.was_cached && !report.is_saved && report.error.status == DBVH_IO );
	put_file( path, "", 0 );
	assert_true( is_right( &f, path, true, NULL, &report ) );
	assert_true( !report.was_cached && !report.is_saved && report.error.status == DBVH_IO );
	assert_int_equal( unlink( path ), 0 );
	assert_int_equal( mkdir( f.entry, 0755 ), 0 );
	expect( &f, false, false, DBVH_IO );
	assert_int_equal( rmdir( f.entry ), 0 );
	expect( &f, false, true, DBVH_OK );
	// A mapped tree outlives its folder.
	const dbvh_mesh_view view = shape_view( &f.mesh );
	dbvh_tree *mapped = NULL;
	assert_int_equal( dbvh_tree_build_cached( &view, NULL, f.name, true, NULL, NULL, &mapped, &report, NULL ),
	                  DBVH_OK );
	assert_true( report.was_cached );
	assert_int_equal( unlink( f.entry ), 0 );
	assert_int_equal( rmdir( f.name ), 0 );
	expect( &f, false, false, DBVH_IO );
	assert_int_equal( dbvh_tree_validate( mapped, NULL ), DBVH_OK );
	dbvh_tree_destroy( mapped );
	assert_int_equal( mkdir( f.name, 0755 ), 0 );
	expect( &f, false, true, DBVH_OK );
	close_folder( &f );
}

// Entries with the right checksums that are not what they say: with the whole check, only the right tree comes out;
// with the sampled one, one that answers without harm.
static void forged_entries( void **state ) {
	(void)state;
	folder f = open_folder();
	rng r = rng_announce( "forged entries", 1 );
	uint8_t *forged = malloc( f.count );
	assert_non_null( forged );
	size_t refused = 0, accepted = 0;
	for ( size_t i = rounds( 100 ); i > 0; --i ) {
		memcpy( forged, f.bytes, f.count );
		const size_t length = rng_below( &r, 8 ) == 0 ? rng_below( &r, f.count ) : f.count;
		for ( uint64_t k = 1 + rng_below( &r, 3 ); k > 0; --k )
			forge_word( forged, length, &r );
		if ( rng_below( &r, 10 ) != 0 )
			fuzz_tree_seal( forged, length );
		put_file( f.entry, forged, length );
		const bool whole = rng_below( &r, 2 ) == 0;
		const dbvh_tree_load_options options = { .check = whole ? DBVH_FILE_CHECK_WHOLE : DBVH_FILE_CHECK_SAMPLED };
		const dbvh_mesh_view view = shape_view( &f.mesh );
		dbvh_cache_report report;
		dbvh_tree *tree = NULL;
		assert_int_equal( dbvh_tree_build_cached( &view, NULL, f.name, rng_below( &r, 2 ) == 0, &options, NULL, &tree,
		                                          &report, NULL ),
		                  DBVH_OK );
		accepted += report.was_cached;
		refused += !report.was_cached;
		if ( report.was_cached && !whole )
			fuzz_tree_ask( tree );
		else
			assert_int_equal( dbvh_tree_validate( tree, NULL ), DBVH_OK );
		// Triangles are compared with the mesh, whatever else is forged.
		assert_true( dbvh_tree_get_stats( tree ).triangle_count == f.mesh.triangle_count );
		assert_true( report.was_cached || ( report.is_saved && report.error.status != DBVH_OK ) );
		dbvh_tree_destroy( tree );
		if ( !report.was_cached )
			expect( &f, true, false, DBVH_OK ); // replaced by the right one
	}
	printf( "forged entries: %zu refused, %zu accepted\n", refused, accepted );
	assert_outcomes( refused > 0 && accepted > 0 );
	free( forged );
	close_folder( &f );
}

// The tree of another mesh as large, of the same mesh with other options, and of the mesh turned round, by its name.
static void other_trees( void **state ) {
	(void)state;
	folder f = open_folder();
	shape other = { 0 }, turned = { 0 };
	shape_add_torus( &other, 1.0, 0.26, 24, 12 );
	shape_add_torus( &turned, 1.0, 0.25, 24, 12 );
	for ( uint32_t i = 0; i < turned.triangle_count; ++i ) {
		const uint32_t first = turned.indices[3 * i];
		turned.indices[3 * i] = turned.indices[3 * i + 1];
		turned.indices[3 * i + 1] = first;
	}
	const dbvh_tree_options options[] = { { .leaf_size = 0 }, { .leaf_size = 0 }, { .topology = true } };
	const shape *const shapes[] = { &other, &turned, &f.mesh };
	for ( int i = 0; i < 3; ++i ) {
		const dbvh_mesh_view view = shape_view( shapes[i] );
		dbvh_tree *wrong = NULL;
		assert_int_equal( dbvh_tree_build( &view, &options[i], NULL, &wrong, NULL ), DBVH_OK );
		assert_int_equal( dbvh_tree_save( wrong, f.entry, NULL ), DBVH_OK );
		dbvh_tree_destroy( wrong );
		expect( &f, false, true, DBVH_INVARIANT );
		expect( &f, true, false, DBVH_OK );
	}
	// A tree that was refitted to this mesh has the order of the mesh that it was built for.
	const dbvh_mesh_view mine = shape_view( &f.mesh ), theirs = shape_view( &other );
	dbvh_tree *refitted = NULL;
	assert_int_equal( dbvh_tree_build( &theirs, NULL, NULL, &refitted, NULL ), DBVH_OK );
	assert_int_equal( dbvh_tree_refit( refitted, &mine, NULL ), DBVH_OK );
	assert_int_equal( dbvh_tree_save( refitted, f.entry, NULL ), DBVH_OK );
	dbvh_tree_destroy( refitted );
	expect( &f, false, true, DBVH_INVARIANT );
	// The tree of a part of the mesh, whose triangles are all there.
	dbvh_mesh_view part = mine;
	part.triangle_count /= 2;
	dbvh_tree *half = NULL;
	assert_int_equal( dbvh_tree_build( &part, NULL, NULL, &half, NULL ), DBVH_OK );
	assert_int_equal( dbvh_tree_save( half, f.entry, NULL ), DBVH_OK );
	dbvh_tree_destroy( half );
	expect( &f, false, true, DBVH_INVARIANT );
	// The key is of the mesh and of the options.
	assert_true( dbvh_tree_key( &mine, NULL ) != dbvh_tree_key( &part, NULL ) );
	assert_true( dbvh_tree_key( &mine, NULL ) != dbvh_tree_key( &theirs, NULL ) );
	assert_true( dbvh_tree_key( &mine, &options[2] ) != dbvh_tree_key( &mine, &options[0] ) );
	const dbvh_tree_options threads = { .thread_count = 3 };
	assert_true( dbvh_tree_key( &mine, &threads ) == dbvh_tree_key( &mine, NULL ) );
	shape_free( &other );
	shape_free( &turned );
	close_folder( &f );
}

// Processes that write to one folder, which comes and goes, and fill it with rubbish in between.
static void several_processes( void **state ) {
	(void)state;
	enum { WRITERS = 4 };
	folder f = open_folder();
	char away[ROOM];
	snprintf( away, sizeof away, "%s-away", f.name );
	enum { TURNS = 12 }; // each is brought to the disk
	fflush( stdout );
	pid_t writers[WRITERS];
	for ( int w = 0; w < WRITERS; ++w ) {
		writers[w] = fork();
		assert_true( writers[w] >= 0 );
		if ( writers[w] != 0 )
			continue;
		size_t wrong = 0;
		for ( size_t i = 0; i < TURNS; ++i ) {
			dbvh_cache_report report;
			wrong += !is_right( &f, f.name, i % 2 == 0, NULL, &report );
			if ( i % 4 == (size_t)w )
				unlink( f.entry );
		}
		_exit( wrong > 0 );
	}
	for ( size_t i = 0; i < TURNS; ++i ) {
		// A writer may just have nothing to find: no more.
		if ( rename( f.name, away ) == 0 ) {
			usleep( 500 );
			assert_int_equal( rename( away, f.name ), 0 );
		}
		usleep( 500 );
	}
	for ( int w = 0; w < WRITERS; ++w ) {
		int status = 1;
		assert_true( waitpid( writers[w], &status, 0 ) == writers[w] );
		assert_int_equal( status, 0 );
	}
	dbvh_cache_report report;
	assert_true( is_right( &f, f.name, false, NULL, &report ) );
	expect( &f, true, false, DBVH_OK );
	close_folder( &f );
}

// Files that others put in the place of an entry: nothing is written through them, waited for or believed.
static void foreign_entries( void **state ) {
	(void)state;
	folder f = open_folder();
	char victim[ROOM];
	struct stat facts;
	snprintf( victim, sizeof victim, "%s-victim", f.name );
	put_file( victim, "precious", 8 );
	snprintf( victim, sizeof victim, "../%s-victim", f.name );
	assert_int_equal( symlink( victim, f.entry ), 0 );
	snprintf( victim, sizeof victim, "%s-victim", f.name );
	expect( &f, false, true, DBVH_IO );
	assert_true( stat( victim, &facts ) == 0 && facts.st_size == 8 );
	assert_true( lstat( f.entry, &facts ) == 0 && S_ISREG( facts.st_mode ) );
	// A tree is not read through a link either.
	put_file( victim, f.bytes, f.count );
	assert_int_equal( unlink( f.entry ), 0 );
	snprintf( victim, sizeof victim, "../%s-victim", f.name );
	assert_int_equal( symlink( victim, f.entry ), 0 );
	expect( &f, false, true, DBVH_IO );
	snprintf( victim, sizeof victim, "%s-victim", f.name );
	assert_int_equal( unlink( victim ), 0 );
	// A pipe that nobody writes to.
	alarm( 60 );
	assert_int_equal( unlink( f.entry ), 0 );
	assert_int_equal( mkfifo( f.entry, 0600 ), 0 );
	dbvh_tree *tree = NULL;
	assert_int_equal( dbvh_tree_load( f.entry, NULL, NULL, &tree, NULL ), DBVH_IO );
	assert_int_equal( dbvh_tree_map( f.entry, NULL, NULL, &tree, NULL ), DBVH_IO );
	expect( &f, false, true, DBVH_IO );
	expect( &f, true, false, DBVH_OK );
	alarm( 0 );
	// An entry that others can write to is not believed, and is replaced by one that they cannot.
	assert_int_equal( chmod( f.entry, 0664 ), 0 );
	expect( &f, false, true, DBVH_IO );
	assert_true( stat( f.entry, &facts ) == 0 && ( facts.st_mode & 07777 ) == 0644 );
	if ( geteuid() == 0 ) {
		assert_int_equal( chown( f.entry, 65534, 65534 ), 0 );
		assert_int_equal( chmod( f.entry, 04755 ), 0 );
		expect( &f, false, true, DBVH_IO );
		assert_true( stat( f.entry, &facts ) == 0 && facts.st_uid == 0 && ( facts.st_mode & 07111 ) == 0 );
	}
	expect( &f, true, false, DBVH_OK );
	close_folder( &f );
}

// Folders that others can write to are not used at all, but for those where nobody takes away what is not his.
static void folders_of_others( void **state ) {
	(void)state;
	static const struct {
		mode_t mode;
		bool is_used;
	} cases[] = { { 0700, true }, { 0755, true }, { 0775, false }, { 0757, false }, { 0777, false }, { 01777, true } };
	folder f = open_folder();
	for ( size_t i = 0; i < sizeof cases / sizeof *cases; ++i ) {
		assert_int_equal( chmod( f.name, cases[i].mode ), 0 );
		expect( &f, false, cases[i].is_used, cases[i].is_used ? DBVH_OK : DBVH_IO );
		assert_int_equal( files_in( f.name, true ), cases[i].is_used );
		// The tree is read only from a folder that is trusted.
		put_file( f.entry, f.bytes, f.count );
		expect( &f, cases[i].is_used, false, cases[i].is_used ? DBVH_OK : DBVH_IO );
		assert_int_equal( files_in( f.name, true ), 1 );
	}
	assert_int_equal( chmod( f.name, 0755 ), 0 );
	if ( geteuid() == 0 && chown( f.name, 65534, 65534 ) == 0 )
		expect( &f, false, false, DBVH_IO );
	close_folder( &f );
}

static void arguments( void **state ) {
	(void)state;
	folder f = open_folder();
	const dbvh_mesh_view view = shape_view( &f.mesh );
	const dbvh_tree_load_options none = { .check = (dbvh_file_check)3 };
	dbvh_cache_report report;
	dbvh_error error;
	dbvh_tree *tree = tree_of( &f.mesh, NULL ), *kept = tree;
	// Bad load options are refused even if nothing would be loaded.
	assert_int_equal( dbvh_tree_build_cached( &view, NULL, f.name, false, &none, NULL, &tree, &report, &error ),
	                  DBVH_INVALID_ARGUMENT );
	assert_true( tree == NULL && !report.was_cached && !report.is_saved );
	assert_non_null( strstr( error.text, "load_options.check" ) );
	assert_int_equal( files_in( f.name, false ), 0 );
	dbvh_tree_destroy( kept );
	close_folder( &f );
}

int main( int argc, char **argv ) {
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test( full_disk ),       cmocka_unit_test( permissions ),
	    cmocka_unit_test( no_folders ),      cmocka_unit_test( forged_entries ),
	    cmocka_unit_test( other_trees ),     cmocka_unit_test( several_processes ),
	    cmocka_unit_test( foreign_entries ), cmocka_unit_test( folders_of_others ),
	    cmocka_unit_test( arguments ),
	};
	return test_main( argc, argv, tests );
}
