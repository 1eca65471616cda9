// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A cache of trees: a folder whose files are named by a hash of mesh and options.

#include "base/alloc.h"
#include "base/fpenv.h"
#include "base/hash.h"
#include "base/status.h"
#include "bvh/builder/builder.h"
#include "bvh/file/disk.h"
#include "bvh/file/format.h"
#include "dualbvh/tree_file.h"
#include "mesh/view.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Returns the key of a view and options that have been checked.
static uint64_t key_of( const dbvh_mesh_view *view, const dbvh_tree_options *options ) {
	uint8_t bytes[DBVHI_OPTION_BYTES];
	dbvhi_options_put( options, bytes );
	uint64_t key = dbvhi_mesh_hash( view, dbvhi_view_triangle_count( view ) );
	key = dbvhi_hash_word( key, dbvhi_options_hash( bytes ) );
	key = dbvhi_hash_word( key, DBVHI_FILE_VERSION );
	return dbvhi_hash_word( key, DBVHI_PACKED_VERSION );
}

static DBVHI_NOINLINE_FP uint64_t do_tree_key( const dbvh_mesh_view *view, const dbvh_tree_options *options ) {
	const dbvh_tree_options chosen = options != NULL ? *options : dbvh_tree_options_default();
	return dbvhi_tree_options_check( &chosen, NULL ) == DBVH_OK && dbvh_mesh_view_check( view, NULL ) == DBVH_OK
	           ? key_of( view, &chosen )
	           : 0;
}

uint64_t dbvh_tree_key( const dbvh_mesh_view *view, const dbvh_tree_options *options ) {
	DBVHI_IN_DEFAULT_FPENV( uint64_t, do_tree_key( view, options ) );
}

// True if a triangle of the view has these corners: in this order, or for a twin in any.
static bool has_corners( const dbvh_mesh_view *view, uint32_t number, const double corners[9], bool in_any_order ) {
	uint32_t vertex[3];
	double p[9];
	dbvhi_view_triangle( view, number, vertex );
	for ( int k = 0; k < 3; ++k )
		dbvhi_view_vertex( view, vertex[k], p + 3 * k );
	if ( !in_any_order )
		return memcmp( p, corners, sizeof p ) == 0;
	unsigned taken = 0;
	for ( int k = 0; k < 3; ++k ) {
		const double *q = corners + 3 * k;
		unsigned j = 0;
		while ( j < 3 &&
		        ( ( taken >> j & 1 ) != 0 || !( p[3 * j] == q[0] && p[3 * j + 1] == q[1] && p[3 * j + 2] == q[2] ) ) )
			j += 1;
		taken |= 1u << j;
	}
	return taken == 7;
}

// True if a valid tree is one of this view with these options.
static bool is_of( const dbvh_tree *tree, const dbvh_mesh_view *view, const dbvh_tree_options *options ) {
	uint8_t wanted[DBVHI_OPTION_BYTES], found[DBVHI_OPTION_BYTES];
	dbvhi_options_put( options, wanted );
	dbvhi_options_put( &tree->options, found );
	// note: a refitted tree has the order of another mesh.
	if ( tree->mesh_triangle_count != dbvhi_view_triangle_count( view ) ||
	     ( tree->keeps_order && options->quality != DBVH_QUALITY_FAST ) || memcmp( wanted, found, sizeof wanted ) != 0 )
		return false;
	for ( size_t i = 0; i < tree->triangle_count; ++i ) {
		double room[9];
		const double *corners = dbvhi_tree_triangle( tree, (uint32_t)i, room );
		uint32_t count;
		const uint32_t *numbers = dbvhi_tree_twins( tree, (uint32_t)i, &count );
		for ( uint32_t k = 0; k < count; ++k ) {
			if ( !has_corners( view, numbers[k], corners, k > 0 ) )
				return false;
		}
	}
	return true;
}

typedef struct request {
	const dbvh_mesh_view *view;
	dbvh_tree_options options;
	dbvh_tree_load_options load_options;
	bool mapped;
	const dbvh_allocator *allocator;
} request;

// Loads the tree of a file, if it is the right one; NULL otherwise.
static dbvh_tree *lookup( const request *r, const char *path, dbvh_cache_report *report ) {
	dbvh_tree *tree = NULL;
	// note: a missing file is a cache miss, not an error.
	if ( !dbvhi_disk_has( path ) )
		return NULL;
	const dbvh_status status =
	    dbvhi_tree_open( path, DBVHI_DISK_OWN, r->mapped, &r->load_options, r->allocator, &tree, &report->error );
	if ( status != DBVH_OK || is_of( tree, r->view, &r->options ) )
		return tree;
	dbvh_tree_destroy( tree );
	dbvhi_error_set( &report->error, DBVH_INVARIANT, "%s is of another mesh", path );
	return NULL;
}

static dbvh_status lookup_or_build( const request *r, const char *folder, char *path, size_t room, dbvh_tree **tree_out,
                                    dbvh_cache_report *report, dbvh_error *error ) {
	const bool is_safe = dbvhi_disk_check_folder( folder, &report->error ) == DBVH_OK;
	snprintf( path, room, "%s/%016" PRIx64 ".dbvh", folder, key_of( r->view, &r->options ) );
	*tree_out = is_safe ? lookup( r, path, report ) : NULL;
	report->was_cached = *tree_out != NULL;
	if ( report->was_cached )
		return DBVH_OK;
	const dbvh_status status = dbvh_tree_build( r->view, &r->options, r->allocator, tree_out, error );
	if ( status != DBVH_OK || !is_safe )
		return status;
	dbvh_error refused;
	report->is_saved = dbvhi_tree_save_as( *tree_out, path, DBVHI_REPLACE_NAME, &refused ) == DBVH_OK;
	if ( !report->is_saved )
		report->error = refused;
	return DBVH_OK;
}

static DBVHI_NOINLINE_FP dbvh_status do_tree_build_cached( const dbvh_mesh_view *view, const dbvh_tree_options *options,
                                                           const char *folder, bool mapped,
                                                           const dbvh_tree_load_options *load_options,
                                                           const dbvh_allocator *allocator, dbvh_tree **tree_out,
                                                           dbvh_cache_report *report_out, dbvh_error *error ) {
	dbvh_cache_report unseen;
	dbvh_cache_report *report = report_out != NULL ? report_out : &unseen;
	*report = ( dbvh_cache_report ){ .was_cached = false };
	dbvhi_error_clear( &report->error );
	dbvhi_error_clear( error );
	if ( tree_out == NULL || folder == NULL )
		return dbvhi_error_null( error, tree_out == NULL ? "tree_out" : "folder" );
	*tree_out = NULL;
	if ( folder[0] == '\0' ) // followed by a slash it would be the root of the file system
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "the folder's name is empty" );
	request r = { .view = view,
	              .options = options != NULL ? *options : dbvh_tree_options_default(),
	              .load_options = load_options != NULL ? *load_options : dbvh_tree_load_options_default(),
	              .mapped = mapped,
	              .allocator = allocator };
	r.load_options.thread_count = r.options.thread_count;
	dbvh_allocator own;
	DBVHI_TRY( dbvhi_allocator_take( allocator, &own, error ) );
	DBVHI_TRY( dbvhi_tree_options_check( &r.options, error ) );
	DBVHI_TRY( dbvhi_load_options_check( &r.load_options, "load_options", error ) );
	DBVHI_TRY( dbvh_mesh_view_check( view, error ) );
	const size_t room = strlen( folder ) + 32;
	char *path = dbvhi_alloc( &own, room, 1 );
	if ( path == NULL )
		return dbvhi_error_status( error, DBVH_OUT_OF_MEMORY );
	const dbvh_status status = lookup_or_build( &r, folder, path, room, tree_out, report, error );
	dbvhi_free( &own, path, room, 1 );
	return status;
}

dbvh_status dbvh_tree_build_cached( const dbvh_mesh_view *view, const dbvh_tree_options *options, const char *folder,
                                    bool mapped, const dbvh_tree_load_options *load_options,
                                    const dbvh_allocator *allocator, dbvh_tree **tree_out,
                                    dbvh_cache_report *report_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_tree_build_cached( view, options, folder, mapped, load_options, allocator,
	                                                           tree_out, report_out, error ) );
}
