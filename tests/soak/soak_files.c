// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Tree files for scripts/soak files:
//
//   forge BYTES [SEED]       files of that many bytes in all, forged with right checksums: none may do harm
//   exchange COUNT [SEED]    so many files in which records change places and numbers change: what is taken for whole
//                            answers as a tree of the mesh that it says it has
//   copy FROM TO             loads one file and saves it as another, again and again, to be killed meanwhile
//   race PATH WRITERS ROUNDS processes that save different trees as one file, and one that reads it
//   share FILE               two processes map a file: its memory counts once
//   answers FILE, read FILE  saves a tree, or reads one, and prints what it answers

#define _DEFAULT_SOURCE

#include "fuzz/tree_body.h"
#include "shapes/shapes.h"
#include "support/forged_tree.h"

#include <sys/wait.h>
#include <unistd.h>

static dbvh_tree *tree_of( const shape *s, const dbvh_tree_options *options ) {
	const dbvh_mesh_view view = shape_view( s );
	dbvh_tree *tree = NULL;
	FUZZ_REQUIRE( dbvh_tree_build( &view, options, NULL, &tree, NULL ) == DBVH_OK );
	return tree;
}

static uint8_t *bytes_of( const dbvh_tree *tree, size_t *count ) {
	size_t needed = 0;
	FUZZ_REQUIRE( dbvh_tree_write( tree, NULL, 0, &needed, NULL ) == DBVH_OK );
	uint8_t *bytes = malloc( needed );
	FUZZ_REQUIRE( bytes != NULL && dbvh_tree_write( tree, bytes, needed, count, NULL ) == DBVH_OK );
	return bytes;
}

// ------------------------------------------------------------------------------------------------
// Forgeries

static dbvh_tree *random_tree( rng *r ) {
	shape s = { 0 };
	dbvh_tree_options o = { .thread_count = 1 };
	switch ( rng_below( r, 3 ) ) {
	case 0:
		shape_add_torus( &s, 1.0, 0.3, 5 + (uint32_t)rng_below( r, 20 ), 4 + (uint32_t)rng_below( r, 8 ) );
		break;
	case 1:
		shape_add_box( &s, 1.0, 0.1, 2.0, 1 + (uint32_t)rng_below( r, 3 ) );
		shape_triangle( &s, s.indices[0], s.indices[1], s.indices[2] );
		break;
	default:
		for ( uint64_t n = 1 + rng_below( r, 40 ); n > 0; --n ) {
			uint32_t corner[3];
			for ( int k = 0; k < 3; ++k )
				corner[k] = shape_vertex( &s, rng_range( r, -1, 1 ), rng_range( r, -1, 1 ), rng_range( r, -1, 1 ) );
			shape_triangle( &s, corner[0], corner[1], corner[2] );
		}
	}
	if ( rng_below( r, 8 ) == 0 ) { // long triangles beside small ones
		shape_add_box( &s, 6.0, 0.05, 0.05, 1 );
		o.fragments = DBVH_FRAGMENTS_ALL;
	}
	o.topology = rng_below( r, 3 ) == 0;
	o.reference = rng_below( r, 6 ) == 0;
	if ( o.fragments == DBVH_FRAGMENTS_FEW )
		o.fragments = rng_below( r, 6 ) == 0 ? DBVH_FRAGMENTS_ALL : DBVH_FRAGMENTS_NONE;
	o.ellipsoids = rng_below( r, 6 ) == 0 ? DBVH_ELLIPSOIDS_ALL : DBVH_ELLIPSOIDS_NONE;
	o.quality = rng_below( r, 4 ) == 0 ? DBVH_QUALITY_FAST : DBVH_QUALITY_BEST;
	dbvh_tree *tree = tree_of( &s, &o );
	shape_free( &s );
	return tree;
}

static int forge_all( double wanted, uint64_t seed ) {
	rng r = { seed };
	double done = 0.0;
	size_t accepted = 0, refused = 0;
	while ( done < wanted ) {
		dbvh_tree *tree = random_tree( &r );
		size_t count;
		uint8_t *bytes = bytes_of( tree, &count ), *forged = malloc( count );
		FUZZ_REQUIRE( forged != NULL );
		for ( int i = 0; i < 60 && done < wanted; ++i ) {
			const size_t length = rng_below( &r, 12 ) == 0 ? rng_below( &r, count ) + 1 : count;
			memcpy( forged, bytes, count );
			for ( uint64_t k = rng_below( &r, 4 ); k > 0; --k )
				forge_word( forged, length, &r );
			if ( rng_below( &r, 20 ) != 0 )
				fuzz_tree_seal( forged, length );
			const dbvh_file_check check = rng_below( &r, 4 ) == 0 ? DBVH_FILE_CHECK_WHOLE : DBVH_FILE_CHECK_SAMPLED;
			const dbvh_status status = fuzz_tree_file( forged, length, check );
			accepted += status == DBVH_OK;
			refused += status != DBVH_OK;
			done += (double)length;
		}
		free( forged );
		free( bytes );
		dbvh_tree_destroy( tree );
	}
	printf( "%.0f bytes in %zu files, seed %llu: %zu accepted, %zu refused, none did harm\n", done, accepted + refused,
	        (unsigned long long)seed, accepted, refused );
	return accepted > 0 && refused > 0 ? 0 : 1;
}

static int exchange_all( uint64_t wanted, uint64_t seed ) {
	rng r = { seed };
	shape s = { 0 };
	shape_add_torus( &s, 1.0, 0.3, 8, 6 );
	dbvh_tree *probe =
	    tree_of( &s, &( dbvh_tree_options ){ .thread_count = 1, .topology = true, .ellipsoids = DBVH_ELLIPSOIDS_ALL } );
	uint64_t done = 0, accepted = 0, other = 0, per_change[3] = { 0 };
	while ( done < wanted ) {
		dbvh_tree *tree = random_tree( &r );
		size_t count;
		uint8_t *bytes = bytes_of( tree, &count ), *forged = malloc( count );
		FUZZ_REQUIRE( forged != NULL );
		for ( int i = 0; i < 200 && done < wanted; ++i, ++done ) {
			const uint64_t changes = 1 + rng_below( &r, 3 );
			memcpy( forged, bytes, count );
			for ( uint64_t k = 0; k < changes; ++k )
				forge_structure( forged, &r );
			fuzz_tree_seal( forged, count );
			const dbvh_tree_load_options whole = { .check = DBVH_FILE_CHECK_WHOLE, .thread_count = 1 };
			dbvh_tree *found = NULL;
			if ( dbvh_tree_parse( forged, count, &whole, NULL, &found, NULL ) != DBVH_OK )
				continue;
			accepted += 1;
			if ( memcmp( forged, bytes, count ) != 0 ) {
				other += 1;
				per_change[changes - 1] += 1;
				forged_tree_answers( found, probe, &r );
			}
			dbvh_tree_destroy( found );
		}
		free( forged );
		free( bytes );
		dbvh_tree_destroy( tree );
	}
	printf( "%llu forgeries, seed %llu: %llu taken for whole, %llu of them other bytes (of one change %llu, two %llu, "
	        "three %llu), each of which answered as the tree of its mesh\n",
	        (unsigned long long)done, (unsigned long long)seed, (unsigned long long)accepted, (unsigned long long)other,
	        (unsigned long long)per_change[0], (unsigned long long)per_change[1], (unsigned long long)per_change[2] );
	dbvh_tree_destroy( probe );
	shape_free( &s );
	return other > 0 && other < done ? 0 : 1;
}

// ------------------------------------------------------------------------------------------------
// Processes

static int copy( const char *from, const char *to ) {
	dbvh_tree *tree = NULL;
	dbvh_error error;
	if ( dbvh_tree_map( from, NULL, NULL, &tree, &error ) != DBVH_OK ) {
		fprintf( stderr, "%s: %s\n", from, error.text );
		return 1;
	}
	for ( int i = 0; i < 100000; ++i ) {
		if ( dbvh_tree_save( tree, to, &error ) != DBVH_OK ) {
			fprintf( stderr, "%s: %s\n", to, error.text );
			return 1;
		}
	}
	return 0;
}

static int race( const char *path, int writers, int rounds ) {
	for ( int w = 0; w < writers; ++w ) {
		if ( fork() != 0 )
			continue;
		shape s = { 0 };
		shape_add_torus( &s, 1.0, 0.3, 40 + (uint32_t)w, 20 );
		dbvh_tree *tree = tree_of( &s, &( dbvh_tree_options ){ .thread_count = 1 } );
		int failed = 0;
		for ( int i = 0; i < rounds; ++i ) {
			dbvh_tree *found = NULL;
			failed += dbvh_tree_save( tree, path, NULL ) != DBVH_OK;
			failed += dbvh_tree_map( path, NULL, NULL, &found, NULL ) != DBVH_OK;
			dbvh_tree_destroy( found );
		}
		_exit( failed > 0 );
	}
	int failed = 0, status;
	while ( wait( &status ) > 0 )
		failed += status != 0;
	printf( "%d writers, %d rounds, %d failed\n", writers, rounds, failed );
	return failed > 0;
}

// Kilobytes of the file's pages that count for this process alone, divided by how many share them.
static double proportional( const char *name ) {
	FILE *maps = fopen( "/proc/self/smaps", "r" );
	char line[512];
	double pss = 0.0, kilobytes;
	bool ours = false;
	while ( maps != NULL && fgets( line, sizeof line, maps ) != NULL ) {
		if ( strchr( line, '-' ) != NULL && strchr( line, ':' ) != NULL && line[0] <= 'f' && line[0] >= '0' &&
		     line[0] != 'P' )
			ours = strstr( line, name ) != NULL;
		if ( ours && sscanf( line, "Pss: %lf kB", &kilobytes ) == 1 )
			pss += kilobytes;
	}
	if ( maps != NULL )
		fclose( maps );
	return pss;
}

static void touch( const dbvh_tree *tree ) {
	dbvh_tree_validate( tree, NULL );
}

static int share( const char *path ) {
	int ready[2], go[2];
	FUZZ_REQUIRE( pipe( ready ) == 0 && pipe( go ) == 0 );
	const char *name = strrchr( path, '/' ) != NULL ? strrchr( path, '/' ) + 1 : path;
	for ( int k = 0; k < 2; ++k ) {
		if ( fork() != 0 )
			continue;
		dbvh_tree *tree = NULL;
		const dbvh_tree_load_options trusted = { .check = DBVH_TRUSTED };
		FUZZ_REQUIRE( dbvh_tree_map( path, &trusted, NULL, &tree, NULL ) == DBVH_OK );
		touch( tree );
		char byte = 0;
		FUZZ_REQUIRE( write( ready[1], &byte, 1 ) == 1 && read( go[0], &byte, 1 ) == 1 );
		const double pss = proportional( name );
		FUZZ_REQUIRE( write( ready[1], &pss, sizeof pss ) == sizeof pss && read( go[0], &byte, 1 ) == 1 );
		_exit( 0 );
	}
	char bytes[2] = { 0 };
	for ( int k = 0; k < 2; ++k )
		FUZZ_REQUIRE( read( ready[0], &bytes[k], 1 ) == 1 );
	FUZZ_REQUIRE( write( go[1], bytes, 2 ) == 2 );
	double sum = 0.0, pss;
	for ( int k = 0; k < 2; ++k ) {
		FUZZ_REQUIRE( read( ready[0], &pss, sizeof pss ) == sizeof pss );
		sum += pss;
	}
	FUZZ_REQUIRE( write( go[1], bytes, 2 ) == 2 );
	while ( wait( NULL ) > 0 )
		;
	FILE *file = fopen( path, "rb" );
	FUZZ_REQUIRE( file != NULL && fseek( file, 0, SEEK_END ) == 0 );
	const double size = (double)ftell( file ) / 1024.0;
	fclose( file );
	printf( "the file has %.1f MiB; two processes that have read all of it hold %.1f MiB of it together (Pss)\n",
	        size / 1024.0, sum / 1024.0 );
	return sum > 0.5 * size && sum < 1.05 * size ? 0 : 1;
}

// ------------------------------------------------------------------------------------------------
// Answers

static void print_answers( const dbvh_tree *tree ) {
	rng r = { 7 };
	for ( int i = 0; i < 60; ++i ) {
		const double a = rng_range( &r, 0.0, 6.0 ), c = 0.8, s = 0.6;
		dbvh_pose pose = { .rot = { { c, -s, 0 }, { s, c, 0 }, { 0, 0, 1 } }, .pos = { 0.3 * a, 0.2, 0.1 * a } };
		dbvh_collide_result hit;
		dbvh_distance_result near;
		dbvh_relate_result relation;
		const dbvh_collide_query all = { .find = DBVH_FIND_ALL };
		dbvh_collide( tree, NULL, tree, &pose, &all, NULL, &hit, NULL );
		dbvh_distance( tree, NULL, tree, &pose, NULL, NULL, &near, NULL );
		dbvh_relate( tree, NULL, tree, &pose, NULL, NULL, &relation, NULL );
		printf( "%d: %d %zu %a %d\n", i, (int)hit.verdict, hit.pair_count, near.distance, (int)relation.relation );
	}
}

static int answers( const char *path, bool saves ) {
	shape s = { 0 };
	shape_add_torus( &s, 1.0, 0.3, 24, 12 );
	const dbvh_tree_options o = { .topology = true, .thread_count = 1 };
	dbvh_tree *tree = saves ? tree_of( &s, &o ) : NULL, *back = NULL;
	dbvh_error error;
	if ( saves && dbvh_tree_save( tree, path, &error ) != DBVH_OK ) {
		fprintf( stderr, "%s: %s\n", path, error.text );
		return 1;
	}
	if ( dbvh_tree_load( path, NULL, NULL, &back, &error ) != DBVH_OK ) {
		fprintf( stderr, "%s: %s\n", path, error.text );
		return 1;
	}
	print_answers( back );
	dbvh_tree_destroy( back );
	const dbvh_status mapped = dbvh_tree_map( path, NULL, NULL, &back, &error );
	fprintf( stderr, "mapped: %s\n", mapped == DBVH_OK ? "yes" : error.text );
	dbvh_tree_destroy( back );
	dbvh_tree_destroy( tree );
	shape_free( &s );
	return 0;
}

int main( int argc, char **argv ) {
	const char *what = argc > 1 ? argv[1] : "";
	if ( strcmp( what, "forge" ) == 0 && argc >= 3 )
		return forge_all( atof( argv[2] ), argc > 3 ? strtoull( argv[3], NULL, 0 ) : 1 );
	if ( strcmp( what, "exchange" ) == 0 && argc >= 3 )
		return exchange_all( (uint64_t)atof( argv[2] ), argc > 3 ? strtoull( argv[3], NULL, 0 ) : 1 );
	if ( strcmp( what, "copy" ) == 0 && argc == 4 )
		return copy( argv[2], argv[3] );
	if ( strcmp( what, "race" ) == 0 && argc == 5 )
		return race( argv[2], atoi( argv[3] ), atoi( argv[4] ) );
	if ( strcmp( what, "share" ) == 0 && argc == 3 )
		return share( argv[2] );
	if ( strcmp( what, "answers" ) == 0 && argc == 3 )
		return answers( argv[2], true );
	if ( strcmp( what, "read" ) == 0 && argc == 3 )
		return answers( argv[2], false );
	fprintf( stderr, "soak_files: forge BYTES, exchange COUNT, copy FROM TO, race PATH WRITERS ROUNDS, share FILE, "
	                 "answers FILE or read FILE\n" );
	return 2;
}
