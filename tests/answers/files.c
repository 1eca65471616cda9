// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// dualbvh-answers-files: saves a tree of each kind as a file, or reads those that another machine saved.
//
//   dualbvh-answers-files [--web] save FOLDER
//   dualbvh-answers-files [--web] read FOLDER
//
// What is read must be, byte for byte, what this machine would write, in every way to read it: loaded, mapped, from
// memory. A big-endian machine has to refuse what tree_file.h says it refuses: maps, and trees with ellipsoids. A file
// with a wrong byte, and one that ends too early, are refused everywhere. Each refusal has a sentence. --web is for the
// build of the npm package, which has neither files, so that the C library reads and writes them, nor ellipsoids.
// Status 0: all as the header promises; 1: not; 2: wrong arguments, or files that cannot be opened.

#include "inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const dbvh_tree_options kinds[] = {
    { 0 },
    { .topology = true },
    { .topology = true, .fill = DBVH_FILL_RULE_EVEN_ODD },
    { .reference = true },
    { .quality = DBVH_QUALITY_FAST },
    { .quality = DBVH_QUALITY_FAST, .topology = true },
    { .fragments = DBVH_FRAGMENTS_ALL },
    { .fragments = DBVH_FRAGMENTS_NONE },
    { .leaf_size = 4 },
    { .sphere_fit = DBVH_NODE_SPHERE_RITTER, .box_fit = DBVH_BOX_FIT_RAPID, .split = DBVH_SPLIT_MEAN },
    { .box_fit = DBVH_BOX_FIT_COVARIANCE, .split = DBVH_SPLIT_VARIANCE, .topology = true },
    { .ellipsoids = DBVH_ELLIPSOIDS_ALL },
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

typedef struct content {
	uint8_t *bytes; // aligned to 64
	void *block;
	size_t count;
} content;

static bool is_big_endian, is_web;
static unsigned failures, refusals;
static int current; // the kind that is looked at

static void expect( bool right, const char *what ) {
	if ( right )
		return;
	++failures;
	printf( "kind %d: %s\n", current, what );
}

static void expect_refusal( dbvh_status status, const dbvh_error *error, const char *what ) {
	++refusals;
	expect( status != DBVH_OK && error->status == status && error->text[0] != '\0', what );
}

static bool has_ellipsoids( int kind ) {
	return kinds[kind].ellipsoids != DBVH_ELLIPSOIDS_NONE;
}

static content content_of_size( size_t count ) {
	void *const block = malloc( count + 64 );
	if ( block == NULL ) {
		fputs( "dualbvh-answers-files: out of memory\n", stderr );
		exit( 2 );
	}
	return ( content ){ (uint8_t *)block + ( 64 - (uintptr_t)block % 64 ) % 64, block, count };
}

// NULL where the build has no ellipsoids and says so.
static dbvh_tree *build( int kind ) {
	static input_mesh mesh;
	input_rng r = { 0xf11e0000u + (uint64_t)kind };
	input_make_mesh( &r, &mesh );
	const dbvh_mesh_view view = input_view( &mesh );
	dbvh_tree *tree = NULL;
	dbvh_error error;
	const dbvh_status status = dbvh_tree_build( &view, &kinds[kind], NULL, &tree, &error );
	if ( is_web && has_ellipsoids( kind ) )
		expect_refusal( status, &error, "ellipsoids are built" );
	else
		expect( status == DBVH_OK, "the tree is not built" );
	return tree;
}

// The content of the tree's file, by memory.
static content written( const dbvh_tree *tree ) {
	content c = { 0 };
	expect( dbvh_tree_write( tree, NULL, 0, &c.count, NULL ) == DBVH_OK, "its size is not told" );
	c = content_of_size( c.count );
	expect( dbvh_tree_write( tree, c.bytes, c.count, &c.count, NULL ) == DBVH_OK, "it is not written to memory" );
	return c;
}

static FILE *opened( const char *path, const char *mode ) {
	FILE *const file = fopen( path, mode );
	if ( file == NULL ) {
		fprintf( stderr, "dualbvh-answers-files: '%s' cannot be opened\n", path );
		exit( 2 );
	}
	return file;
}

static content content_of_file( const char *path ) {
	FILE *const file = opened( path, "rb" );
	content c = { 0 };
	if ( fseek( file, 0, SEEK_END ) == 0 )
		c = content_of_size( (size_t)ftell( file ) );
	rewind( file );
	expect( c.bytes != NULL && fread( c.bytes, 1, c.count, file ) == c.count, "the file is not read" );
	fclose( file );
	return c;
}

// ------------------------------------------------------------------------------------------------
// Saving

static void save_bytes( const dbvh_tree *tree, const char *path ) {
	const content c = written( tree );
	FILE *const file = opened( path, "wb" );
	expect( fwrite( c.bytes, 1, c.count, file ) == c.count && fclose( file ) == 0, "the bytes are not saved" );
	free( c.block );
}

static void save( int kind, const char *path ) {
	dbvh_error error;
	dbvh_tree *const tree = build( kind );
	if ( tree == NULL )
		return;
	if ( has_ellipsoids( kind ) && is_big_endian )
		expect_refusal( dbvh_tree_save( tree, path, &error ), &error, "ellipsoids are saved on a big-endian machine" );
	else if ( is_web )
		save_bytes( tree, path );
	else
		expect( dbvh_tree_save( tree, path, NULL ) == DBVH_OK, "the tree is not saved" );
	dbvh_tree_destroy( tree );
}

// ------------------------------------------------------------------------------------------------
// Reading

// One way to read: `status` and what came of it, against the content of the file.
static void expect_read( dbvh_status status, const dbvh_error *error, dbvh_tree *tree, const content *file,
                         bool refused, const char *way ) {
	if ( refused ) {
		expect_refusal( status, error, way );
		expect( ( status == DBVH_LIMIT || is_web ) && tree == NULL, way );
		return;
	}
	expect( status == DBVH_OK && tree != NULL, way );
	if ( tree == NULL )
		return;
	const content again = written( tree );
	expect( again.count == file->count && memcmp( again.bytes, file->bytes, file->count ) == 0, way );
	free( again.block );
	dbvh_tree_destroy( tree );
}

static void read_damaged( const content *file ) {
	const content other = content_of_size( file->count );
	dbvh_tree *tree = NULL;
	dbvh_error error;
	memcpy( other.bytes, file->bytes, file->count );
	other.bytes[file->count / 2] ^= 0x10;
	expect_refusal( dbvh_tree_parse( other.bytes, other.count, NULL, NULL, &tree, &error ), &error, "a wrong byte" );
	expect_refusal( dbvh_tree_parse( file->bytes, file->count - 1, NULL, NULL, &tree, &error ), &error,
	                "an early end" );
	free( other.block );
}

static void read_back( int kind, const char *path ) {
	const dbvh_tree_load_options whole = { .check = DBVH_FILE_CHECK_WHOLE };
	const bool has_limit = has_ellipsoids( kind ) && ( is_big_endian || is_web );
	const content file = content_of_file( path );
	dbvh_tree *tree = NULL;
	dbvh_error error;
	dbvh_tree *const own = has_limit ? NULL : build( kind );
	if ( own != NULL ) {
		const content mine = written( own );
		expect( mine.count == file.count && memcmp( mine.bytes, file.bytes, file.count ) == 0,
		        "it is not that of here" );
		free( mine.block );
		dbvh_tree_destroy( own );
	}
	dbvh_status status = dbvh_tree_parse( file.bytes, file.count, &whole, NULL, &tree, &error );
	expect_read( status, &error, tree, &file, has_limit, "parsed" );
	status = dbvh_tree_borrow( file.bytes, file.count, &whole, NULL, &tree, &error );
	expect_read( status, &error, tree, &file, has_limit || is_big_endian, "borrowed" );
	if ( !is_web ) {
		status = dbvh_tree_load( path, &whole, NULL, &tree, &error );
		expect_read( status, &error, tree, &file, has_limit, "loaded" );
		status = dbvh_tree_map( path, &whole, NULL, &tree, &error );
		expect_read( status, &error, tree, &file, is_big_endian, "mapped" );
	}
	read_damaged( &file );
	free( file.block );
}

int main( int argc, char **argv ) {
	const uint16_t one = 1;
	is_big_endian = *(const uint8_t *)&one == 0;
	is_web = argc == 4 && strcmp( argv[1], "--web" ) == 0;
	const char *const verb = argc > 2 ? argv[argc - 2] : "", *const folder = argv[argc - 1];
	if ( argc != ( is_web ? 4 : 3 ) || ( strcmp( verb, "save" ) != 0 && strcmp( verb, "read" ) != 0 ) ) {
		fputs( "usage: dualbvh-answers-files [--web] save|read FOLDER\n", stderr );
		return 2;
	}
	int count = 0;
	for ( current = 0; current < KINDS; ++current ) {
		char path[4096];
		snprintf( path, sizeof path, "%s/%02d.dbvh", folder, current );
		if ( strcmp( verb, "save" ) == 0 ) {
			save( current, path );
			++count;
			continue;
		}
		FILE *const file = fopen( path, "rb" );
		if ( file == NULL ) { // a big-endian machine has saved no ellipsoids
			expect( has_ellipsoids( current ), "the file is missing" );
			continue;
		}
		fclose( file );
		read_back( current, path );
		++count;
	}
	printf( "%d trees %s, %u refusals with a sentence, %u findings\n", count, *verb == 's' ? "saved" : "read", refusals,
	        failures );
	return failures == 0 ? 0 : 1;
}
