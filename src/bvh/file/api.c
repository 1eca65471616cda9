// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Trees to and from files and memory, as callers know it.

#include "base/alloc.h"
#include "base/fpenv.h"
#include "base/status.h"
#include "bvh/file/disk.h"
#include "bvh/file/load.h"
#include "bvh/file/save.h"
#include "dualbvh/tree_file.h"

// Of so many leaves one is looked at in full, unless the caller wants more.
#define SAMPLE 256

dbvh_tree_load_options dbvh_tree_load_options_default( void ) {
	return ( dbvh_tree_load_options ){ .check = DBVH_FILE_CHECK_SAMPLED };
}

dbvh_tree_options dbvh_tree_get_options( const dbvh_tree *tree ) {
	return tree != NULL ? tree->options : dbvh_tree_options_default();
}

bool dbvh_is_tree_file( const void *bytes, size_t byte_count ) {
	return bytes != NULL && byte_count >= 8 && memcmp( bytes, DBVHI_FILE_MAGIC, 8 ) == 0;
}

// ------------------------------------------------------------------------------------------------
// Out

static DBVHI_BEHIND dbvh_status do_tree_save( const dbvh_tree *tree, const char *path, dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( tree == NULL || path == NULL )
		return dbvhi_error_null( error, tree == NULL ? "tree" : "path" );
	dbvhi_sections s;
	dbvhi_disk_file file;
	dbvh_status status = dbvhi_sections_of( tree, &s, error );
	if ( status == DBVH_OK )
		status = dbvhi_disk_create( path, &file, error );
	if ( status == DBVH_OK ) {
		const dbvh_status written = dbvhi_sections_write( tree, &s, dbvhi_disk_append, &file );
		status = dbvhi_disk_finish( &file, written == DBVH_OK, error );
		if ( written == DBVH_OUT_OF_MEMORY )
			status = dbvhi_error_status( error, written );
	}
	dbvhi_sections_free( tree, &s );
	return status;
}

dbvh_status dbvh_tree_save( const dbvh_tree *tree, const char *path, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_tree_save( tree, path, error ) );
}

static bool append_bytes( void *user, const void *bytes, size_t count ) {
	char **at = user;
	memcpy( *at, bytes, count );
	*at += count;
	return true;
}

static DBVHI_BEHIND dbvh_status do_tree_write( const dbvh_tree *tree, void *bytes, size_t capacity,
                                               size_t *byte_count_out, dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( byte_count_out == NULL )
		return dbvhi_error_null( error, "byte_count_out" );
	*byte_count_out = 0;
	if ( tree == NULL || ( bytes == NULL && capacity > 0 ) )
		return dbvhi_error_null( error, tree == NULL ? "tree" : "bytes" );
	dbvhi_sections s;
	dbvh_status status = dbvhi_sections_of( tree, &s, error );
	char *at = bytes;
	if ( status == DBVH_OK && s.file_bytes <= capacity )
		status = dbvhi_sections_write( tree, &s, append_bytes, &at );
	if ( status == DBVH_OK )
		*byte_count_out = (size_t)s.file_bytes;
	dbvhi_sections_free( tree, &s );
	return dbvhi_error_finish( error, status );
}

dbvh_status dbvh_tree_write( const dbvh_tree *tree, void *bytes, size_t capacity, size_t *byte_count_out,
                             dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_tree_write( tree, bytes, capacity, byte_count_out, error ) );
}

// ------------------------------------------------------------------------------------------------
// In

typedef struct arrival {
	dbvhi_scrutiny scrutiny;
	dbvh_allocator allocator;
	uint32_t thread_count;
} arrival;

static dbvh_status begin( const void *input, const char *name, const dbvh_tree_load_options *options,
                          const dbvh_allocator *allocator, dbvh_tree **tree_out, arrival *out, dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( tree_out == NULL )
		return dbvhi_error_null( error, "tree_out" );
	*tree_out = NULL;
	if ( input == NULL )
		return dbvhi_error_null( error, name );
	const dbvh_tree_load_options o = options != NULL ? *options : dbvh_tree_load_options_default();
	if ( (unsigned)o.check > DBVH_FILE_CHECK_NONE )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "options.check is %u, which is no dbvh_file_check",
		                        (unsigned)o.check );
	out->thread_count = o.thread_count;
	out->scrutiny = ( dbvhi_scrutiny ){ .is_trusted = o.check == DBVH_FILE_CHECK_NONE,
	                                    .sample = o.check == DBVH_FILE_CHECK_WHOLE ? 1 : SAMPLE,
	                                    .thread_count = o.thread_count };
	return dbvhi_allocator_take( allocator, &out->allocator, error );
}

// What has arrived becomes a tree, or goes back.
static dbvh_status finish( const arrival *a, dbvhi_backing backing, bool may_write, dbvh_tree **tree_out,
                           dbvh_error *error ) {
	const dbvh_status status = dbvhi_file_tree( backing, may_write, a->scrutiny, &a->allocator, tree_out, error );
	if ( status == DBVH_OK )
		( *tree_out )->options.thread_count = a->thread_count;
	else if ( backing.release != NULL )
		backing.release( &a->allocator, backing.bytes, backing.size );
	return status;
}

static DBVHI_BEHIND dbvh_status do_tree_load( const char *path, const dbvh_tree_load_options *options,
                                              const dbvh_allocator *allocator, dbvh_tree **tree_out,
                                              dbvh_error *error ) {
	arrival a;
	dbvhi_backing backing;
	dbvh_status status = begin( path, "path", options, allocator, tree_out, &a, error );
	if ( status == DBVH_OK )
		status = dbvhi_disk_read( path, &a.allocator, &backing, error );
	return status == DBVH_OK ? finish( &a, backing, true, tree_out, error ) : status;
}

dbvh_status dbvh_tree_load( const char *path, const dbvh_tree_load_options *options, const dbvh_allocator *allocator,
                            dbvh_tree **tree_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_tree_load( path, options, allocator, tree_out, error ) );
}

static DBVHI_BEHIND dbvh_status do_tree_map( const char *path, const dbvh_tree_load_options *options,
                                             const dbvh_allocator *allocator, dbvh_tree **tree_out,
                                             dbvh_error *error ) {
	arrival a;
	dbvhi_backing backing;
	dbvh_status status = begin( path, "path", options, allocator, tree_out, &a, error );
	if ( status == DBVH_OK )
		status = dbvhi_disk_map( path, !a.scrutiny.is_trusted, &backing, error );
	return status == DBVH_OK ? finish( &a, backing, false, tree_out, error ) : status;
}

dbvh_status dbvh_tree_map( const char *path, const dbvh_tree_load_options *options, const dbvh_allocator *allocator,
                           dbvh_tree **tree_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_tree_map( path, options, allocator, tree_out, error ) );
}

static DBVHI_BEHIND dbvh_status do_tree_parse( const void *bytes, size_t byte_count,
                                               const dbvh_tree_load_options *options, const dbvh_allocator *allocator,
                                               dbvh_tree **tree_out, dbvh_error *error ) {
	arrival a;
	dbvh_status status = begin( bytes, "bytes", options, allocator, tree_out, &a, error );
	if ( status == DBVH_OK && byte_count == 0 )
		status = dbvhi_error_set( error, DBVH_TRUNCATED, "the file is empty" );
	if ( status != DBVH_OK )
		return status;
	dbvhi_backing backing = { .size = byte_count, .release = dbvhi_release_memory };
	backing.bytes = dbvhi_alloc( &a.allocator, byte_count, 1 );
	if ( backing.bytes == NULL )
		return dbvhi_error_status( error, DBVH_OUT_OF_MEMORY );
	memcpy( backing.bytes, bytes, byte_count );
	return finish( &a, backing, true, tree_out, error );
}

dbvh_status dbvh_tree_parse( const void *bytes, size_t byte_count, const dbvh_tree_load_options *options,
                             const dbvh_allocator *allocator, dbvh_tree **tree_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_tree_parse( bytes, byte_count, options, allocator, tree_out, error ) );
}

static DBVHI_BEHIND dbvh_status do_tree_borrow( const void *bytes, size_t byte_count,
                                                const dbvh_tree_load_options *options, const dbvh_allocator *allocator,
                                                dbvh_tree **tree_out, dbvh_error *error ) {
	arrival a;
	const dbvh_status status = begin( bytes, "bytes", options, allocator, tree_out, &a, error );
	if ( status != DBVH_OK )
		return status;
	if ( byte_count == 0 )
		return dbvhi_error_set( error, DBVH_TRUNCATED, "the file is empty" );
	if ( (uintptr_t)bytes % DBVHI_SECTION_ALIGNMENT != 0 )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "bytes is not aligned to %d", DBVHI_SECTION_ALIGNMENT );
	// Never written: the tree's arrays are read alone.
	const dbvhi_backing backing = { .bytes = (char *)(uintptr_t)bytes, .size = byte_count };
	return finish( &a, backing, false, tree_out, error );
}

dbvh_status dbvh_tree_borrow( const void *bytes, size_t byte_count, const dbvh_tree_load_options *options,
                              const dbvh_allocator *allocator, dbvh_tree **tree_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_tree_borrow( bytes, byte_count, options, allocator, tree_out, error ) );
}
