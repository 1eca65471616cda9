// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "answers.h"

#include "run.h"

#include <stdlib.h>

const char *const answers_kind_names[ANSWERS_KIND_COUNT] = {
    [ANSWERS_TREES] = "trees",           [ANSWERS_COLLIDE] = "collide",    [ANSWERS_CLEARANCE] = "clearance",
    [ANSWERS_DISTANCE] = "distance",     [ANSWERS_TOI] = "time of impact", [ANSWERS_RELATE] = "relate",
    [ANSWERS_LOCATE] = "locate",         [ANSWERS_RAYCAST] = "raycast",    [ANSWERS_CLOSEST_POINT] = "closest",
    [ANSWERS_CONTACTS] = "contacts",     [ANSWERS_SELF] = "self",          [ANSWERS_SHAPES] = "shapes",
    [ANSWERS_PRIMITIVES] = "primitives", [ANSWERS_SCENES] = "scenes",      [ANSWERS_OVERLAPS] = "overlaps",
    [ANSWERS_DEPTHS] = "depths",
};

static void fail( run *r, const char *why, const char *call ) {
	char *const text = r->result->failed_call;
	if ( text[0] == '\0' )
		snprintf( text, sizeof r->result->failed_call, "%s: %.200s", why, call );
}

void run_enter( run *r ) {
	if ( r->options->in_all_modes )
		fpmode_set( r->mode );
}

void run_leave( run *r, dbvh_status status, const char *call ) {
	if ( r->options->in_all_modes ) {
		const fpmode left = fpmode_get();
		fpmode_set( FPMODE_DEFAULT );
		if ( left != r->mode )
			fail( r, "the mode has changed", call );
	}
	if ( status != DBVH_OK )
		fail( r, dbvh_status_name( status ), call );
	r->result->queries[r->kind] += 1;
}

void run_kind( run *r, answers_kind kind ) {
	r->kind = kind;
	r->hash = &r->result->hashes[kind];
}

// ------------------------------------------------------------------------------------------------
// Trees

static void *allocate( size_t bytes ) {
	void *const memory = calloc( 1, bytes );
	if ( memory == NULL ) {
		fputs( "answers: out of memory\n", stderr );
		exit( 2 );
	}
	return memory;
}

// The content of the tree's file, which is the same on every machine.
static uint8_t *bytes_of( run *r, const dbvh_tree *tree, size_t *count_out ) {
	ASK( r, dbvh_tree_write( tree, NULL, 0, count_out, NULL ) );
	uint8_t *const bytes = allocate( *count_out );
	ASK( r, dbvh_tree_write( tree, bytes, *count_out, count_out, NULL ) );
	return bytes;
}

static dbvh_tree *read_tree( run *r ) {
	uint8_t head[8];
	dbvh_tree *tree = NULL;
	if ( fread( head, 1, sizeof head, r->options->load_trees ) != sizeof head ) {
		fail( r, "the stream of trees ends", "fread" );
		return NULL;
	}
	size_t count = 0;
	for ( int i = 7; i >= 0; --i )
		count = count << 8 | head[i];
	uint8_t *const bytes = allocate( count );
	const dbvh_tree_load_options options = { .check = DBVH_FILE_CHECK_WHOLE, .thread_count = r->threads };
	if ( fread( bytes, 1, count, r->options->load_trees ) != count )
		fail( r, "the stream of trees ends", "fread" );
	else
		ASK( r, dbvh_tree_parse( bytes, count, &options, NULL, &tree, NULL ) );
	free( bytes );
	return tree;
}

static void save_tree( run *r, const uint8_t *bytes, size_t count ) {
	uint8_t head[8];
	for ( int i = 0; i < 8; ++i )
		head[i] = (uint8_t)( (uint64_t)count >> ( 8 * i ) );
	if ( fwrite( head, 1, sizeof head, r->options->save_trees ) != sizeof head ||
	     fwrite( bytes, 1, count, r->options->save_trees ) != count )
		fail( r, "trees cannot be saved", "fwrite" );
}

static dbvh_tree *make_tree( run *r, const input_mesh *mesh, bool has_topology ) {
	const dbvh_mesh_view view = input_view( mesh );
	dbvh_tree *tree = NULL;
	const dbvh_tree_options options = { .thread_count = r->threads, .topology = has_topology };
	if ( r->options->load_trees != NULL )
		tree = read_tree( r );
	else
		ASK( r, dbvh_tree_build( &view, &options, NULL, &tree, NULL ) );
	if ( tree == NULL ) { // the failure is noted: go on with what there is no error about
		dbvh_tree_build( &view, &options, NULL, &tree, NULL );
	}
	size_t count;
	uint8_t *const bytes = bytes_of( r, tree, &count );
	put( r, count );
	for ( size_t i = 0; i < count; ++i )
		put( r, bytes[i] );
	if ( r->options->save_trees != NULL )
		save_tree( r, bytes, count );
	free( bytes );
	put( r, dbvh_tree_get_stats( tree ).content_hash );
	ASK( r, dbvh_tree_validate( tree, NULL ) );
	return tree;
}

// ------------------------------------------------------------------------------------------------
// Lots

static void ask_lot( run *r, uint64_t lot ) {
	r->rng = ( input_rng ){ 0x5eed0000u + lot };
	r->mode = FPMODE_DEFAULT;
	if ( r->options->in_all_modes ) {
		// note: the mode is read back, because some of its bits read as zero on some machines.
		fpmode_set( fpmodes[lot % FPMODE_COUNT].mode );
		r->mode = fpmode_get();
		fpmode_set( FPMODE_DEFAULT );
	}
	run_kind( r, ANSWERS_TREES );
	for ( int i = 0; i < 2; ++i ) {
		input_make_mesh( &r->rng, &r->meshes[i] );
		r->solid[i] = make_tree( r, &r->meshes[i], true );
		r->plain[i] = make_tree( r, &r->meshes[i], false );
	}
	ask_meshes( r );
	ask_pairs( r );
	ask_primitives( r );
	ask_scene( r );
	for ( int i = 0; i < 2; ++i ) {
		dbvh_tree_destroy( r->solid[i] );
		dbvh_tree_destroy( r->plain[i] );
	}
}

void answers_run( const answers_options *options, answers_result *result ) {
	run *const r = allocate( sizeof *r );
	*result = ( answers_result ){ .time_margin = 0.5 };
	r->options = options;
	r->result = result;
	r->threads = options->threads > 1 ? options->threads : 1;
	r->pairs = allocate( RUN_PAIRS * sizeof r->pairs[0] );
	if ( dbvh_workspace_create( NULL, &r->workspace, NULL ) != DBVH_OK ||
	     dbvh_contacts_create( NULL, &r->contacts, NULL ) != DBVH_OK ||
	     dbvh_overlap_create( NULL, &r->overlap, NULL ) != DBVH_OK )
		exit( 2 );
	const uint64_t lots = options->few ? ANSWERS_FEW_LOTS : ANSWERS_LOTS;
	for ( uint64_t lot = 0; lot < lots; ++lot )
		ask_lot( r, lot );
	r->hash = &result->hash;
	for ( int i = 0; i < ANSWERS_KIND_COUNT; ++i ) {
		put( r, result->hashes[i] );
		result->query_count += result->queries[i];
	}
	dbvh_overlap_destroy( r->overlap );
	dbvh_contacts_destroy( r->contacts );
	dbvh_workspace_destroy( r->workspace );
	free( r->pairs );
	free( r );
}
