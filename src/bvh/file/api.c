// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Trees to and from files and memory, as callers know it.

#include "base/alloc.h"
#include "base/fpenv.h"
#include "base/status.h"
#include "bvh/file/disk.h"
#include "bvh/file/format.h"
#include "dualbvh/tree_file.h"
#include "mesh/io/file.h"

// SAMPLE: one leaf in so many is checked in full, unless the caller wants more.
#define SAMPLE 256

dbvh_tree_load_options dbvh_tree_load_options_default( void ) {
	return ( dbvh_tree_load_options ){ .check = DBVH_FILE_CHECK_SAMPLED };
}

dbvh_status dbvhi_load_options_check( const dbvh_tree_load_options *options, const char *name, dbvh_error *error ) {
	return (unsigned)options->check <= DBVH_FILE_CHECK_NONE
	           ? DBVH_OK
	           : dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "%s.check is %u, which is no dbvh_file_check", name,
	                              (unsigned)options->check );
}

dbvh_tree_options dbvh_tree_get_options( const dbvh_tree *tree ) {
	return tree != NULL ? tree->options : dbvh_tree_options_default();
}

bool dbvh_is_tree_file( const void *bytes, size_t byte_count ) {
	return bytes != NULL && byte_count >= 8 && memcmp( bytes, DBVHI_FILE_MAGIC, 8 ) == 0;
}

// ------------------------------------------------------------------------------------------------
// Out

dbvh_status dbvhi_tree_save_as( const dbvh_tree *tree, const char *path, dbvhi_replaced kind, dbvh_error *error ) {
	dbvhi_error_clear( error );
	dbvhi_sections s;
	dbvhi_replacement file;
	dbvh_status status = dbvhi_sections_of( tree, &s, error );
	if ( status == DBVH_OK )
		status = dbvhi_file_create( path, kind, &file, error );
	if ( status == DBVH_OK ) {
		const dbvh_status written = dbvhi_sections_write( tree, &s, dbvhi_replacement_append, &file );
		status = dbvhi_file_finish( &file, written == DBVH_OK, error );
		if ( written == DBVH_OUT_OF_MEMORY )
			status = dbvhi_error_status( error, written );
	}
	dbvhi_sections_free( tree, &s );
	return status;
}

static DBVHI_NOINLINE_FP dbvh_status do_tree_save( const dbvh_tree *tree, const char *path, dbvh_error *error ) {
	if ( tree == NULL || path == NULL )
		return dbvhi_error_null( error, tree == NULL ? "tree" : "path" );
	return dbvhi_tree_save_as( tree, path, DBVHI_REPLACE_TARGET, error );
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

static DBVHI_NOINLINE_FP dbvh_status do_tree_write( const dbvh_tree *tree, void *bytes, size_t capacity,
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

typedef struct loading {
	dbvhi_load_checks checks;
	dbvh_allocator allocator;
} loading;

static dbvh_status check_arguments( const void *input, const char *name, const dbvh_tree_load_options *options,
                                    const dbvh_allocator *allocator, dbvh_tree **tree_out, loading *out,
                                    dbvh_error *error ) {
	DBVHI_TRY( dbvhi_answer_clear( tree_out, sizeof *tree_out, "tree_out", error ) );
	if ( input == NULL )
		return dbvhi_error_null( error, name );
	const dbvh_tree_load_options o = options != NULL ? *options : dbvh_tree_load_options_default();
	DBVHI_TRY( dbvhi_load_options_check( &o, "options", error ) );
	out->checks = ( dbvhi_load_checks ){ .is_trusted = o.check == DBVH_FILE_CHECK_NONE,
	                                     .sample = o.check == DBVH_FILE_CHECK_WHOLE ? 1 : SAMPLE,
	                                     .thread_count = o.thread_count };
	return dbvhi_allocator_take( allocator, &out->allocator, error );
}

// Makes a tree of bytes, or releases them.
static dbvh_status make_tree( const loading *l, dbvhi_backing backing, dbvhi_supply *supply, void *source,
                              dbvh_tree **tree_out, dbvh_error *error ) {
	const dbvh_status status = dbvhi_file_tree( backing, supply, source, l->checks, &l->allocator, tree_out, error );
	if ( status == DBVH_OK )
		( *tree_out )->options.thread_count = l->checks.thread_count;
	else if ( backing.release != NULL )
		backing.release( &l->allocator, backing.bytes, backing.size );
	return status;
}

// Makes a tree in memory of its own.
static dbvh_status make_copied_tree( const loading *l, size_t size, dbvhi_supply *supply, void *source,
                                     dbvh_tree **tree_out, dbvh_error *error ) {
	const dbvhi_backing backing = {
	    .bytes = dbvhi_alloc( &l->allocator, size, 1 ), .size = size, .release = dbvhi_release_memory };
	if ( backing.bytes == NULL )
		return dbvhi_error_set( error, DBVH_OUT_OF_MEMORY, "no memory for a file of %zu bytes", size );
	dbvhi_want_large_pages( &l->allocator, backing.bytes, size );
	return make_tree( l, backing, supply, source, tree_out, error );
}

static dbvh_status load_tree( const char *path, dbvhi_disk_owner owner, const loading *l, dbvh_tree **tree_out,
                              dbvh_error *error ) {
	dbvhi_disk_source file;
	DBVHI_TRY( dbvhi_disk_open( path, owner, &file, error ) );
	return dbvhi_disk_close( &file, make_copied_tree( l, file.size, dbvhi_disk_take, &file, tree_out, error ), error );
}

static dbvh_status map_tree( const char *path, dbvhi_disk_owner owner, const loading *l, dbvh_tree **tree_out,
                             dbvh_error *error ) {
	dbvhi_backing backing;
	const dbvh_status status = dbvhi_disk_map( path, owner, !l->checks.is_trusted, &backing, error );
	return status == DBVH_OK ? make_tree( l, backing, NULL, NULL, tree_out, error ) : status;
}

dbvh_status dbvhi_tree_open( const char *path, dbvhi_disk_owner owner, bool mapped,
                             const dbvh_tree_load_options *options, const dbvh_allocator *allocator,
                             dbvh_tree **tree_out, dbvh_error *error ) {
	loading l;
	DBVHI_TRY( check_arguments( path, "path", options, allocator, tree_out, &l, error ) );
	return ( mapped ? map_tree : load_tree )( path, owner, &l, tree_out, error );
}

dbvh_status dbvh_tree_load( const char *path, const dbvh_tree_load_options *options, const dbvh_allocator *allocator,
                            dbvh_tree **tree_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status,
	                        dbvhi_tree_open( path, DBVHI_DISK_ANYONE, false, options, allocator, tree_out, error ) );
}

dbvh_status dbvh_tree_map( const char *path, const dbvh_tree_load_options *options, const dbvh_allocator *allocator,
                           dbvh_tree **tree_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status,
	                        dbvhi_tree_open( path, DBVHI_DISK_ANYONE, true, options, allocator, tree_out, error ) );
}

static bool take_from_memory( void *source, uint64_t at, void *bytes, size_t count ) {
	memcpy( bytes, (const char *)source + at, count );
	return true;
}

static DBVHI_NOINLINE_FP dbvh_status do_tree_parse( const void *bytes, size_t byte_count,
                                                    const dbvh_tree_load_options *options,
                                                    const dbvh_allocator *allocator, dbvh_tree **tree_out,
                                                    dbvh_error *error ) {
	loading l;
	DBVHI_TRY( check_arguments( bytes, "bytes", options, allocator, tree_out, &l, error ) );
	if ( byte_count == 0 )
		return dbvhi_error_set( error, DBVH_TRUNCATED, "the file is empty" );
	// note: the cast is safe, the source is only read.
	return make_copied_tree( &l, byte_count, take_from_memory, (void *)(uintptr_t)bytes, tree_out, error );
}

dbvh_status dbvh_tree_parse( const void *bytes, size_t byte_count, const dbvh_tree_load_options *options,
                             const dbvh_allocator *allocator, dbvh_tree **tree_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_tree_parse( bytes, byte_count, options, allocator, tree_out, error ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_tree_borrow( const void *bytes, size_t byte_count,
                                                     const dbvh_tree_load_options *options,
                                                     const dbvh_allocator *allocator, dbvh_tree **tree_out,
                                                     dbvh_error *error ) {
	loading l;
	DBVHI_TRY( check_arguments( bytes, "bytes", options, allocator, tree_out, &l, error ) );
	if ( byte_count == 0 )
		return dbvhi_error_set( error, DBVH_TRUNCATED, "the file is empty" );
	if ( (uintptr_t)bytes % DBVHI_SECTION_ALIGNMENT != 0 )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "bytes is not aligned to %d", DBVHI_SECTION_ALIGNMENT );
	// note: never written; the arrays of a borrowed tree are read only.
	const dbvhi_backing backing = { .bytes = (char *)(uintptr_t)bytes, .size = byte_count };
	return make_tree( &l, backing, NULL, NULL, tree_out, error );
}

dbvh_status dbvh_tree_borrow( const void *bytes, size_t byte_count, const dbvh_tree_load_options *options,
                              const dbvh_allocator *allocator, dbvh_tree **tree_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_tree_borrow( bytes, byte_count, options, allocator, tree_out, error ) );
}
