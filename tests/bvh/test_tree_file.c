// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Trees in files and memory: what comes back answers bit by bit what was saved, has the same bytes whatever made it,
// and is the mesh's; files are replaced whole or not at all; caches give the tree of the mesh that is asked about.

#define _POSIX_C_SOURCE 200809L

#include "bvh/tree.h"
#include "fuzz/tree_body.h"
#include "simd/isa.h"
#include "support/forge.h"
#include "support/scene.h"
#include "support/unit.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KINDS = 9, ROOM = 256 };

static void add_kind( shape *s, rng *r, int kind ) {
	switch ( kind ) {
	case 0:
		shape_add_torus( s, 1.0, 0.25, 40, 24 );
		break;
	case 1:
		shape_add_sphere( s, 1.0, 60, 40 ); // several pieces
		break;
	case 2:
		add_soup( s, r, 1 + rng_below( r, 300 ), 0.3, 0.2, true ); // triangles that are the same
		break;
	case 3:
		shape_add_box( s, 1.0, 1.0, 0.01, 3 );
		shape_add_box( s, 0.01, 2.0, 0.02, 1 ); // long triangles
		break;
	default:
		add_soup( s, r, 1 + rng_below( r, 12 ), 0.5, 0.3, false );
	}
}

// Tree options, one kind after the other, so that a tree has each of the optional parts.
static dbvh_tree_options options_of( rng *r, int kind ) {
	dbvh_tree_options o = dbvh_tree_options_default();
	o.thread_count = 1;
	if ( kind % KINDS == 1 )
		o.reference = true;
	if ( kind % KINDS == 2 )
		o.topology = true;
	if ( kind % KINDS == 3 )
		o.fragments = DBVH_FRAGMENTS_ALL;
	if ( kind % KINDS == 4 )
		o.quality = DBVH_QUALITY_FAST;
	if ( kind % KINDS == 5 )
		o.ellipsoids = DBVH_ELLIPSOIDS_ALL;
	if ( kind % KINDS == 6 ) {
		o.topology = true;
		o.fragments = DBVH_FRAGMENTS_ALL;
		o.fill = DBVH_FILL_RULE_EVEN_ODD;
	}
	return kind % KINDS == 7 ? random_options( r ) : o;
}

static uint8_t *bytes_of( const dbvh_tree *tree, size_t *count_out ) {
	size_t needed = 0, written = 0;
	uint8_t *bytes = NULL;
	assert_int_equal( dbvh_tree_write( tree, NULL, 0, &needed, NULL ), DBVH_OK );
	assert_int_equal( posix_memalign( (void **)&bytes, 64, needed ), 0 );
	memset( bytes, 0xee, needed );
	assert_int_equal( dbvh_tree_write( tree, bytes, needed - 1, &written, NULL ), DBVH_OK );
	assert_true( written == needed && bytes[0] == 0xee );
	assert_int_equal( dbvh_tree_write( tree, bytes, needed, &written, NULL ), DBVH_OK );
	assert_true( written == needed );
	*count_out = needed;
	return bytes;
}

static void expect_same_bytes( const dbvh_tree *tree, const uint8_t *bytes, size_t count ) {
	size_t found;
	uint8_t *own = bytes_of( tree, &found );
	assert_true( found == count );
	assert_memory_equal( own, bytes, count );
	free( own );
}

typedef struct answers {
	dbvh_collide_result hit;
	dbvh_pair pairs[ROOM];
	dbvh_distance_result distance;
	dbvh_relate_result relation;
	dbvh_closest_point_result closest;
} answers;

static void ask( const dbvh_tree *tree, const dbvh_pose *pose, dbvh_policy policy, answers *out ) {
	memset( out, 0, sizeof *out );
	const dbvh_collide_query all = {
	    .find = DBVH_FIND_ALL, .policy = policy, .pairs = out->pairs, .pair_capacity = ROOM };
	const dbvh_budget budget = { .max_work = 1000000 };
	const dbvh_distance_query nearest = { .policy = policy, .budget = &budget };
	const dbvh_relate_query relate = { .budget = &budget };
	const double point[3] = { pose->pos[0], pose->pos[1], 2.0 };
	assert_int_equal( dbvh_collide( tree, NULL, tree, pose, &all, NULL, &out->hit, NULL ), DBVH_OK );
	dbvh_distance( tree, NULL, tree, pose, &nearest, NULL, &out->distance, NULL );
	dbvh_relate( tree, NULL, tree, pose, &relate, NULL, &out->relation, NULL );
	assert_int_equal( dbvh_closest_point( tree, NULL, point, NULL, NULL, &out->closest, NULL ), DBVH_OK );
}

static size_t compare( const dbvh_tree *built, const dbvh_tree *back, rng *r ) {
	static answers a, b;
	size_t meeting = 0;
	for ( int i = 0; i < 4; ++i ) {
		const dbvh_pose pose = random_pose( r, i == 0 ? 0.3 : 2.5 );
		const bool dual = i == 1 && has_form( built, back, DBVH_POLICY_DUAL );
		const dbvh_policy policy = dual ? DBVH_POLICY_DUAL : DBVH_POLICY_DEFAULT;
		ask( built, &pose, policy, &a );
		ask( back, &pose, policy, &b );
		assert_memory_equal( &a, &b, sizeof a );
		meeting += a.hit.verdict == DBVH_INTERSECTING;
	}
	const dbvh_tree_stats s = dbvh_tree_get_stats( built ), t = dbvh_tree_get_stats( back );
	assert_true( s.content_hash == t.content_hash && s.triangle_count == t.triangle_count );
	assert_true( s.packed_bytes == t.packed_bytes && s.depth == t.depth && s.node_count == t.node_count );
	return meeting;
}

// In memory: every kind of tree, copied and in place, checked in every way.
static void memory_round_trips( void **state ) {
	(void)state;
	rng r = rng_announce( "tree files", 1 );
	size_t meeting = 0, apart = 0;
	for ( size_t round = 0; round < rounds( 27 ); ++round ) {
		shape s = { 0 };
		add_kind( &s, &r, (int)rng_below( &r, 6 ) );
		const dbvh_tree_options options = options_of( &r, (int)round );
		dbvh_tree *tree = tree_of( &s, &options );
		size_t count;
		uint8_t *bytes = bytes_of( tree, &count );
		for ( int how = 0; how < 6; ++how ) {
			ledger books = { .calls = 0 };
			const dbvh_allocator allocator = ledger_allocator( &books );
			const dbvh_tree_load_options load = { .check = (dbvh_file_check)( how / 2 ), .thread_count = 1 };
			dbvh_tree *back = NULL;
			dbvh_error error;
			const dbvh_status status = how % 2 == 0
			                               ? dbvh_tree_parse( bytes, count, &load, &allocator, &back, &error )
			                               : dbvh_tree_borrow( bytes, count, &load, &allocator, &back, &error );
			if ( status != DBVH_OK )
				fail_msg( "round %zu, way %d: %s", round, how, error.text );
			const size_t met = compare( tree, back, &r );
			meeting += met;
			apart += 4 - met;
			expect_same_bytes( back, bytes, count );
			assert_int_equal( dbvh_tree_validate( back, NULL ), DBVH_OK );
			dbvh_tree_destroy( back );
			assert_true( books.live == 0 && books.mistakes == 0 );
		}
		free( bytes );
		dbvh_tree_destroy( tree );
		shape_free( &s );
	}
	printf( "%zu queries meet, %zu do not\n", meeting, apart );
	assert_outcomes( meeting > 0 && apart > 0 );
}

// The same tree from another number of threads and another instruction set is the same file.
static void same_bytes( void **state ) {
	(void)state;
	size_t count, isa_count;
	const dbvhi_isa *isa = dbvhi_isa_available( &isa_count );
	shape s = { 0 };
	shape_add_torus( &s, 1.0, 0.25, 100, 50 );
	for ( int kind = 0; kind < 3; ++kind ) {
		dbvh_tree_options options = dbvh_tree_options_default();
		options.topology = kind == 1;
		options.quality = kind == 2 ? DBVH_QUALITY_FAST : DBVH_QUALITY_BEST;
		options.thread_count = 1;
		dbvh_tree *first = tree_of( &s, &options );
		uint8_t *bytes = bytes_of( first, &count );
		for ( size_t i = 0; i < isa_count; ++i ) {
			dbvhi_isa_select( isa[i].name );
			options.thread_count = 1 + (uint32_t)i % 3;
			dbvh_tree *tree = tree_of( &s, &options );
			expect_same_bytes( tree, bytes, count );
			dbvh_tree_destroy( tree );
		}
		dbvhi_isa_select( NULL );
		free( bytes );
		dbvh_tree_destroy( first );
	}
	shape_free( &s );
}

// The mesh that comes back makes the same tree, where no two of its triangles are the same.
static void meshes_come_back( void **state ) {
	(void)state;
	rng r = rng_announce( "meshes of trees", 2 );
	for ( size_t round = 0; round < rounds( 18 ); ++round ) {
		shape s = { 0 };
		add_kind( &s, &r, (int)rng_below( &r, 6 ) );
		const dbvh_tree_options options = options_of( &r, (int)round );
		dbvh_tree *tree = tree_of( &s, &options ), *again = NULL;
		dbvh_mesh *mesh = NULL;
		assert_int_equal( dbvh_tree_get_mesh( tree, NULL, &mesh, NULL ), DBVH_OK );
		const dbvh_mesh_view view = dbvh_mesh_get_view( mesh ), from = shape_view( &s );
		dbvh_mesh_audit_result a, b;
		assert_int_equal( dbvh_mesh_audit( &view, NULL, &a, NULL, 0, NULL ), DBVH_OK );
		assert_int_equal( dbvh_mesh_audit( &from, NULL, &b, NULL, 0, NULL ), DBVH_OK );
		assert_true( a.triangle_count == b.triangle_count && a.edge_count == b.edge_count &&
		             a.boundary_edge_count == b.boundary_edge_count && a.component_count == b.component_count );
		assert_int_equal( dbvh_tree_build( &view, &options, NULL, &again, NULL ), DBVH_OK );
		if ( options.topology || tree->twins == NULL )
			assert_true( dbvh_tree_get_stats( again ).content_hash == dbvh_tree_get_stats( tree ).content_hash );
		dbvh_tree_destroy( again );
		dbvh_mesh_destroy( mesh );
		dbvh_tree_destroy( tree );
		shape_free( &s );
	}
}

// A tree from a file whose vertices move is the one that was built and moved; the file stays as it is.
static void refits( void **state ) {
	(void)state;
	for ( int quality = 0; quality < 2; ++quality ) {
		shape s = { 0 };
		shape_add_sphere( &s, 1.0, 60, 40 );
		dbvh_tree_options options = { .thread_count = 1, .quality = (dbvh_quality)quality };
		dbvh_tree *tree = tree_of( &s, &options );
		size_t count, moved_count;
		uint8_t *bytes = bytes_of( tree, &count ), *kept = malloc( count );
		assert_non_null( kept );
		memcpy( kept, bytes, count );
		for ( int turn = 0; turn < 2; ++turn ) {
			for ( size_t i = 0; i < s.vertex_count; ++i )
				s.positions[3 * i] += 0.1 * s.positions[3 * i + 1];
			const dbvh_mesh_view view = shape_view( &s );
			dbvh_tree *back[2] = { NULL, NULL };
			assert_int_equal( dbvh_tree_borrow( bytes, count, NULL, NULL, &back[0], NULL ), DBVH_OK );
			assert_int_equal( dbvh_tree_parse( bytes, count, NULL, NULL, &back[1], NULL ), DBVH_OK );
			assert_int_equal( dbvh_tree_refit( tree, &view, NULL ), DBVH_OK );
			uint8_t *moved = bytes_of( tree, &moved_count );
			for ( int k = 0; k < 2; ++k ) {
				for ( int i = 0; i <= turn; ++i ) // a second time is none
					assert_int_equal( dbvh_tree_refit( back[k], &view, NULL ), DBVH_OK );
				if ( turn == 0 )
					expect_same_bytes( back[k], moved, moved_count );
				assert_int_equal( dbvh_tree_validate( back[k], NULL ), DBVH_OK );
				dbvh_tree_destroy( back[k] );
			}
			assert_memory_equal( bytes, kept, count );
			// A tree that was refitted can be saved and read again.
			dbvh_tree *again = NULL;
			assert_int_equal( dbvh_tree_parse( moved, moved_count, NULL, NULL, &again, NULL ), DBVH_OK );
			expect_same_bytes( again, moved, moved_count );
			dbvh_tree_destroy( again );
			free( moved );
		}
		free( kept );
		free( bytes );
		dbvh_tree_destroy( tree );
		shape_free( &s );
	}
}

// ------------------------------------------------------------------------------------------------
// Forgeries

static dbvh_status status_of( const uint8_t *bytes, size_t count, dbvh_error *error ) {
	dbvh_tree *tree = NULL;
	const dbvh_status status = dbvh_tree_parse( bytes, count, NULL, NULL, &tree, error );
	dbvh_tree_destroy( tree );
	return status;
}

static void damage_is_found( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_box( &s, 1, 1, 1, 2 );
	dbvh_tree *tree = tree_with_topology( &s );
	size_t count;
	uint8_t *bytes = bytes_of( tree, &count );
	dbvh_error error;
	for ( size_t i = 1; i < count; i += i < 600 ? 1 : 97 ) {
		const dbvh_status status = status_of( bytes, i, &error );
		assert_true( status == DBVH_TRUNCATED );
		assert_true( error.text[0] != '\0' );
	}
	for ( size_t i = 0; i < count; ++i ) {
		bytes[i] ^= (uint8_t)( 1u << i % 8 );
		const dbvh_status status = status_of( bytes, count, &error );
		if ( status == DBVH_OK )
			fail_msg( "byte %zu is not looked at", i );
		bytes[i] ^= (uint8_t)( 1u << i % 8 );
	}
	// Versions before and after, which cannot be known, and what is no tree.
	for ( uint32_t version = 0; version < 4; ++version ) {
		dbvhi_bytes_put( bytes + DBVHI_HEAD_VERSION, 4, version );
		fuzz_tree_seal( bytes, count );
		assert_int_equal( status_of( bytes, count, &error ),
		                  version == DBVH_TREE_FILE_VERSION ? DBVH_OK : DBVH_UNKNOWN_FORMAT );
		assert_true( version == DBVH_TREE_FILE_VERSION || strstr( error.text, "version" ) != NULL );
	}
	assert_int_equal( status_of( (const uint8_t *)"solid a", 7, &error ), DBVH_UNKNOWN_FORMAT );
	free( bytes );
	dbvh_tree_destroy( tree );
	shape_free( &s );
}

// Files whose checksums are right and whose content is not: whatever is accepted can be used.
static void forgeries( void **state ) {
	(void)state;
	rng r = rng_announce( "forged trees", 3 );
	size_t accepted = 0, refused = 0;
	for ( size_t round = 0; round < rounds( 18 ); ++round ) {
		shape s = { 0 };
		add_kind( &s, &r, round % 8 == 0 ? 3 : 4 );
		const dbvh_tree_options options = options_of( &r, (int)round );
		dbvh_tree *tree = tree_of( &s, &options );
		size_t count;
		uint8_t *bytes = bytes_of( tree, &count ), *forged = malloc( count );
		assert_non_null( forged );
		for ( int i = 0; i < 24; ++i ) {
			memcpy( forged, bytes, count );
			for ( size_t k = 1 + rng_below( &r, 3 ); k > 0; --k )
				forge_word( forged, count, &r );
			fuzz_tree_seal( forged, count );
			const dbvh_file_check check = i % 2 == 0 ? DBVH_FILE_CHECK_SAMPLED : DBVH_FILE_CHECK_WHOLE;
			const dbvh_status status = fuzz_tree_file( forged, count, check );
			accepted += status == DBVH_OK;
			refused += status != DBVH_OK;
		}
		free( forged );
		free( bytes );
		dbvh_tree_destroy( tree );
		shape_free( &s );
	}
	printf( "%zu forgeries accepted, %zu refused\n", accepted, refused );
	assert_outcomes( accepted > 0 && refused > 0 );
}

// ------------------------------------------------------------------------------------------------
// Files

static void put_file( const char *path, const void *bytes, size_t count ) {
	FILE *file = fopen( path, "wb" );
	assert_non_null( file );
	assert_true( fwrite( bytes, 1, count, file ) == count );
	assert_int_equal( fclose( file ), 0 );
}

static size_t files_in( const char *folder ) {
	size_t count = 0;
	DIR *open = opendir( folder );
	assert_non_null( open );
	for ( struct dirent *entry = readdir( open ); entry != NULL; entry = readdir( open ) )
		count += entry->d_name[0] != '.';
	closedir( open );
	return count;
}

static void remove_folder( const char *folder ) {
	DIR *open = opendir( folder );
	assert_non_null( open );
	for ( struct dirent *entry = readdir( open ); entry != NULL; entry = readdir( open ) ) {
		char path[600];
		snprintf( path, sizeof path, "%s/%s", folder, entry->d_name );
		if ( entry->d_name[0] != '.' )
			unlink( path );
	}
	closedir( open );
	assert_int_equal( rmdir( folder ), 0 );
}

static void files( void **state ) {
	(void)state;
	rng r = rng_announce( "files", 4 );
	char folder[] = "tree-files-XXXXXX", path[64];
	assert_non_null( mkdtemp( folder ) );
	snprintf( path, sizeof path, "%s/a.dbvh", folder );
	shape s = { 0 };
	shape_add_torus( &s, 1.0, 0.25, 40, 24 );
	dbvh_tree *tree = tree_with_topology( &s ), *back = NULL;
	dbvh_error error;
	assert_int_equal( dbvh_tree_save( tree, path, &error ), DBVH_OK );
	size_t count;
	uint8_t *bytes = bytes_of( tree, &count );
	for ( int how = 0; how < 4; ++how ) {
		const dbvh_tree_load_options options = { .check = how / 2 ? DBVH_TRUSTED : DBVH_FILE_CHECK_WHOLE };
		const dbvh_status status = how % 2 == 0 ? dbvh_tree_load( path, &options, NULL, &back, &error )
		                                        : dbvh_tree_map( path, &options, NULL, &back, &error );
		assert_int_equal( status, DBVH_OK );
		compare( tree, back, &r );
		expect_same_bytes( back, bytes, count );
		// Onto the file that it is in, which it keeps.
		assert_int_equal( dbvh_tree_save( back, path, &error ), DBVH_OK );
		expect_same_bytes( back, bytes, count );
		dbvh_tree_destroy( back );
	}
	assert_int_equal( files_in( folder ), 1 );
	// A disk that takes no more: what was there stays, and nothing is left behind.
	struct rlimit before, less;
	assert_int_equal( getrlimit( RLIMIT_FSIZE, &before ), 0 );
	less = before;
	less.rlim_cur = count / 2;
	signal( SIGXFSZ, SIG_IGN );
	assert_int_equal( setrlimit( RLIMIT_FSIZE, &less ), 0 );
	const dbvh_status refused = dbvh_tree_save( tree, path, &error );
	assert_int_equal( setrlimit( RLIMIT_FSIZE, &before ), 0 );
	assert_int_equal( refused, DBVH_IO );
	assert_int_equal( files_in( folder ), 1 );
	assert_int_equal( dbvh_tree_load( path, NULL, NULL, &back, &error ), DBVH_OK );
	dbvh_tree_destroy( back );
	// Saving keeps the permissions of the file that it replaces, and a link to it stays a link.
	char link[64];
	struct stat facts;
	snprintf( link, sizeof link, "%s/link.dbvh", folder );
	assert_int_equal( chmod( path, 0600 ), 0 );
	assert_int_equal( symlink( "a.dbvh", link ), 0 );
	for ( int i = 0; i < 2; ++i ) {
		assert_int_equal( stat( path, &facts ), 0 );
		const ino_t before_save = facts.st_ino;
		assert_int_equal( dbvh_tree_save( tree, i == 0 ? path : link, &error ), DBVH_OK );
		assert_int_equal( stat( path, &facts ), 0 );
		assert_true( facts.st_ino != before_save && ( facts.st_mode & 0777 ) == 0600 );
		assert_int_equal( lstat( link, &facts ), 0 );
		assert_true( S_ISLNK( facts.st_mode ) );
		assert_int_equal( files_in( folder ), 2 );
	}
	assert_int_equal( unlink( link ), 0 );
	// A sparse file of a TiB is no longer looked at than its head is, with and without that of a tree.
	for ( int i = 0; i < 2; ++i ) {
		put_file( path, i == 0 ? (const void *)"rubbish" : bytes, i == 0 ? 7 : count );
		if ( truncate( path, (off_t)1 << 40 ) != 0 ) {
			printf( "no sparse files here\n" );
			break;
		}
		const dbvh_status expected = i == 0 ? DBVH_UNKNOWN_FORMAT : DBVH_MALFORMED;
		assert_int_equal( dbvh_tree_load( path, NULL, NULL, &back, &error ), expected );
		assert_int_equal( dbvh_tree_map( path, NULL, NULL, &back, &error ), expected );
	}
	// Paths that are no files, and files that are too short.
	assert_int_equal( dbvh_tree_save( tree, "no/such/folder/a.dbvh", &error ), DBVH_IO );
	assert_int_equal( dbvh_tree_load( "no-such-file", NULL, NULL, &back, &error ), DBVH_IO );
	assert_int_equal( dbvh_tree_map( folder, NULL, NULL, &back, &error ), DBVH_IO );
	put_file( path, "", 0 );
	assert_int_equal( dbvh_tree_map( path, NULL, NULL, &back, &error ), DBVH_TRUNCATED );
	put_file( path, bytes, count - 1 );
	assert_int_equal( dbvh_tree_map( path, NULL, NULL, &back, &error ), DBVH_TRUNCATED );
	free( bytes );
	dbvh_tree_destroy( tree );
	shape_free( &s );
	remove_folder( folder );
}

static dbvh_tree *cached( const shape *s, const char *folder, bool mapped, dbvh_cache_report *report ) {
	const dbvh_mesh_view view = shape_view( s );
	dbvh_tree *tree = NULL;
	assert_int_equal( dbvh_tree_build_cached( &view, NULL, folder, mapped, NULL, NULL, &tree, report, NULL ), DBVH_OK );
	return tree;
}

static void caches( void **state ) {
	(void)state;
	char folder[] = "tree-cache-XXXXXX", path[64];
	assert_non_null( mkdtemp( folder ) );
	shape s = { 0 };
	shape_add_box( &s, 1, 1, 1, 4 );
	add_grid( &s, 4 );
	const uint32_t a = s.indices[0], b = s.indices[1], c = s.indices[2];
	shape_triangle( &s, b, a, c ); // the same as the first
	const dbvh_mesh_view view = shape_view( &s );
	dbvh_cache_report report;
	for ( int i = 0; i < 3; ++i ) {
		dbvh_tree *tree = cached( &s, folder, i == 2, &report );
		assert_int_equal( report.was_cached, i > 0 );
		assert_int_equal( report.is_saved, i == 0 );
		assert_int_equal( report.error.status, DBVH_OK );
		assert_true( dbvh_tree_get_stats( tree ).triangle_count == s.triangle_count );
		dbvh_tree_destroy( tree );
	}
	const dbvh_tree_options topology = { .topology = true };
	const uint64_t key = dbvh_tree_key( &view, NULL );
	assert_true( key != 0 && key != dbvh_tree_key( &view, &topology ) );
	snprintf( path, sizeof path, "%s/%016llx.dbvh", folder, (unsigned long long)key );
	assert_int_equal( access( path, R_OK ), 0 );
	// The tree of another mesh under the key of this one, as if hashes had collided, and what is damaged.
	shape other = { 0 };
	shape_add_box( &other, 1, 2, 1, 4 );
	dbvh_tree *wrong = tree_of( &other, NULL );
	for ( int i = 0; i < 2; ++i ) {
		if ( i == 0 )
			assert_int_equal( dbvh_tree_save( wrong, path, NULL ), DBVH_OK );
		else
			put_file( path, "rubbish", 7 );
		dbvh_tree *tree = cached( &s, folder, false, &report );
		assert_true( !report.was_cached && report.is_saved && report.error.status != DBVH_OK );
		assert_true( dbvh_tree_get_stats( tree ).content_hash != dbvh_tree_get_stats( wrong ).content_hash );
		dbvh_tree_destroy( tree );
		dbvh_tree_destroy( cached( &s, folder, false, &report ) );
		assert_true( report.was_cached );
	}
	dbvh_tree_destroy( wrong );
	shape_free( &other );
	// An entry that cannot be read is reported; one that is missing is not.
	assert_int_equal( unlink( path ), 0 );
	assert_int_equal( symlink( strrchr( path, '/' ) + 1, path ), 0 );
	dbvh_tree_destroy( cached( &s, folder, false, &report ) );
	assert_true( !report.was_cached && report.is_saved && report.error.status == DBVH_IO );
	// Options that are none are refused, whatever is in the folder: 257 is not 1 because a byte has no more room.
	static const dbvh_tree_options none[] = { { .leaf_size = 257 }, { .split = (dbvh_split)256 } };
	for ( size_t i = 0; i < 2; ++i ) {
		dbvh_tree *tree = NULL;
		dbvh_error error;
		assert_int_equal( dbvh_tree_build_cached( &view, &none[i], folder, false, NULL, NULL, &tree, &report, &error ),
		                  DBVH_INVALID_ARGUMENT );
		assert_true( tree == NULL && !report.was_cached && error.text[0] != '\0' );
		assert_true( dbvh_tree_key( &view, &none[i] ) == 0 );
	}
	// A folder that is not there.
	dbvh_tree_destroy( cached( &s, "no/such/folder", false, &report ) );
	assert_true( !report.was_cached && !report.is_saved && report.error.status == DBVH_IO );
	shape_free( &s );
	remove_folder( folder );
}

static void arguments( void **state ) {
	(void)state;
	dbvh_tree *tree = NULL;
	dbvh_error error;
	size_t count;
	const dbvh_tree_load_options none = { .check = (dbvh_file_check)9 };
	static _Alignas( 64 ) const uint8_t zero[128];
	dbvh_mesh *mesh;
	assert_int_equal( dbvh_tree_save( NULL, "a", &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_tree_load( NULL, NULL, NULL, &tree, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_tree_load( "a", NULL, NULL, NULL, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_tree_map( "a", &none, NULL, &tree, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_tree_write( NULL, NULL, 0, &count, &error ), DBVH_INVALID_ARGUMENT );
	// Room for one byte too few: how many there are, and not one of them.
	shape s = { 0 };
	shape_add_box( &s, 1.0, 1.0, 1.0, 1 );
	dbvh_tree *box = tree_of( &s, NULL );
	size_t needed;
	uint8_t *bytes = bytes_of( box, &needed );
	memset( bytes, 0x5a, needed );
	assert_int_equal( dbvh_tree_write( box, bytes, needed - 1, &count, &error ), DBVH_OK );
	assert_true( count == needed && error.status == DBVH_OK );
	for ( size_t i = 0; i < needed; ++i )
		assert_int_equal( bytes[i], 0x5a );
	assert_int_equal( dbvh_tree_write( box, bytes, needed, NULL, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_tree_write( box, NULL, needed, &count, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( count, 0 );
	free( bytes );
	dbvh_tree_destroy( box );
	shape_free( &s );
	assert_int_equal( dbvh_tree_borrow( zero + 1, 64, NULL, NULL, &tree, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_tree_borrow( zero, 64, NULL, NULL, &tree, &error ), DBVH_UNKNOWN_FORMAT );
	assert_int_equal( dbvh_tree_borrow( zero, 0, NULL, NULL, &tree, &error ), DBVH_TRUNCATED );
	assert_int_equal( dbvh_tree_get_mesh( NULL, NULL, &mesh, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_tree_get_options( NULL ).leaf_size, 0 );
	assert_true( dbvh_tree_key( NULL, NULL ) == 0 );
}

// A file of each version of the format, made once and committed: of this one what is written today, of others a
// sentence.
static void committed_files( void **state ) {
	(void)state;
	char path[512];
	snprintf( path, sizeof path, "%s/tree-v%d.dbvh", DUALBVH_TREE_DATA, DBVH_TREE_FILE_VERSION );
	shape s = { 0 };
	shape_add_box( &s, 1.0, 0.5, 0.25, 2 );
	shape_triangle( &s, s.indices[1], s.indices[0], s.indices[2] ); // the same as the first
	dbvh_tree *tree = tree_with_topology( &s ), *back = NULL;
	dbvh_error error;
	if ( getenv( "DUALBVH_WRITE_TREE_DATA" ) != NULL )
		assert_int_equal( dbvh_tree_save( tree, path, NULL ), DBVH_OK );
	const dbvh_tree_load_options whole = { .check = DBVH_FILE_CHECK_WHOLE, .thread_count = 1 };
	const dbvh_status status = dbvh_tree_load( path, &whole, NULL, &back, &error );
	if ( status != DBVH_OK )
		fail_msg( "%s: %s", path, error.text );
	// Trees may get better; what they say stays.
	static answers today, then;
	rng r = { 1 };
	for ( int i = 0; i < 20; ++i ) {
		const dbvh_pose pose = random_pose( &r, 2.0 );
		ask( tree, &pose, DBVH_POLICY_DEFAULT, &today );
		ask( back, &pose, DBVH_POLICY_DEFAULT, &then );
		assert_int_equal( today.hit.verdict, then.hit.verdict );
		assert_int_equal( today.hit.pair_count, then.hit.pair_count );
		assert_memory_equal( today.pairs, then.pairs, sizeof then.pairs );
		assert_true( today.distance.distance == then.distance.distance );
		assert_int_equal( today.relation.relation, then.relation.relation );
	}
	static uint8_t bytes[1 << 16];
	FILE *file = fopen( path, "rb" );
	assert_non_null( file );
	const size_t count = fread( bytes, 1, sizeof bytes, file );
	fclose( file );
	expect_same_bytes( back, bytes, count );
	dbvh_tree_destroy( back );
	dbvh_tree_destroy( tree );
	shape_free( &s );
	for ( int version = 0; version < 3; version += 2 ) {
		snprintf( path, sizeof path, "%s/tree-v%d.dbvh", DUALBVH_TREE_DATA, version );
		assert_int_equal( dbvh_tree_load( path, NULL, NULL, &back, &error ), DBVH_UNKNOWN_FORMAT );
		assert_non_null( strstr( error.text, "version" ) );
	}
}

int main( int argc, char **argv ) {
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test( memory_round_trips ),
	    cmocka_unit_test( same_bytes ),
	    cmocka_unit_test( meshes_come_back ),
	    cmocka_unit_test( refits ),
	    cmocka_unit_test( damage_is_found ),
	    cmocka_unit_test( forgeries ),
	    cmocka_unit_test( files ),
	    cmocka_unit_test( caches ),
	    cmocka_unit_test( arguments ),
	    cmocka_unit_test( committed_files ),
	};
	return test_main( argc, argv, tests );
}
