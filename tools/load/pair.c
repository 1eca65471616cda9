// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "load/pair.h"

#include "cli/args.h"
#include "cli/progress.h"
#include "cli/timeout.h"
#include "load/load.h"
#include "text/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	dbvh_policy policy;
	bool compares_ellipsoids; // and is chosen for that
	const char *boxes;        // separating axes between boxes, in words
} policies[] = {
    { "default", DBVH_POLICY_DEFAULT, false, "five axes" },
    { "dual", DBVH_POLICY_DUAL, false, "five axes" },
    { "rapid", DBVH_POLICY_RAPID, false, "fifteen axes" },
    { "sat-lite", DBVH_POLICY_SAT_LITE, false, "six axes" },
    { "sphere", DBVH_POLICY_SPHERE, false, "none" },
    { "packed", DBVH_POLICY_PACKED, false, "five axes" },
    { "ellipsoid", DBVH_POLICY_ELLIPSOID, true, "five axes" },
    { "mixed", DBVH_POLICY_MIXED, true, "five axes" },
    { "packed-mixed", DBVH_POLICY_PACKED_MIXED, true, "five axes" },
};

enum { POLICY_COUNT = sizeof( policies ) / sizeof( policies[0] ) };

bool pair_buffer_grow( pair_buffer *buffer, size_t count ) {
	const size_t capacity = count + count / 4;
	free( buffer->pairs );
	buffer->pairs = capacity <= SIZE_MAX / sizeof( dbvh_pair ) ? malloc( capacity * sizeof( dbvh_pair ) ) : NULL;
	buffer->capacity = buffer->pairs != NULL ? capacity : 0;
	return buffer->pairs != NULL;
}

bool pair_operand( mesh_pair *p, const char *command, const char *text ) {
	if ( p->file_b != NULL ) {
		args_refuse( command, "two meshes are compared; '%s' is a third one", text );
		return false;
	}
	*( p->file_a == NULL ? &p->file_a : &p->file_b ) = text;
	return true;
}

static bool find_policy( mesh_pair *p, const char *command ) {
	const char *names[POLICY_COUNT];
	for ( size_t i = 0; i < POLICY_COUNT; ++i )
		names[i] = policies[i].name;
	const int found = args_find_word( command, "policy", p->policy_name, names, POLICY_COUNT );
	if ( found < 0 )
		return false;
	p->policy = policies[found].policy;
	p->compares_ellipsoids = policies[found].compares_ellipsoids;
	return true;
}

const char *pair_policy_boxes( dbvh_policy policy ) {
	for ( size_t i = 0; i < POLICY_COUNT; ++i )
		if ( policies[i].policy == policy )
			return policies[i].boxes;
	return "";
}

pair_files pair_inputs( const mesh_pair *p ) {
	return ( pair_files ){ { p->file_a, p->file_b, p->pose_file } };
}

int pair_check_options( mesh_pair *p, const char *command ) {
	if ( p->policy_name != NULL && !find_policy( p, command ) )
		return EXIT_ERROR;
	static const char *const qualities[] = { "auto", "best", "fast" };
	const int quality = p->quality_name != NULL ? args_find_word( command, "quality", p->quality_name, qualities, 3 )
	                                            : PAIR_QUALITY_AUTO;
	if ( quality < 0 )
		return EXIT_ERROR;
	p->quality = (pair_quality)quality;
	if ( !poses_check_options( &p->pose_options, command ) )
		return EXIT_ERROR;
	p->pose_options.quiet = p->quiet;
	if ( p->file_b == NULL )
		return args_refuse( command, "two meshes are needed; %s",
		                    p->file_a == NULL ? "none is named" : "one is named" );
	if ( p->as_json && p->quiet )
		return args_refuse( command, "--json and --quiet exclude each other" );
	return args_spare_inputs( command, p->capture_file, pair_inputs( p ).files, PAIR_FILE_COUNT );
}

int pair_check_results( const mesh_pair *p, results_options *results, const char *command ) {
	const pair_files inputs = pair_inputs( p );
	if ( results->file != NULL && p->as_json )
		return args_refuse( command, "--json and --output exclude each other; --output F.jsonl writes JSON" );
	return results_check_options( results, command, inputs.files, PAIR_FILE_COUNT );
}

// A policy other than these three compares the nodes of reference trees.
static dbvh_tree_options pair_options( const mesh_pair *p, bool topology ) {
	dbvh_tree_options options = dbvh_tree_options_default();
	options.topology = topology;
	options.fill = topology ? p->fill : options.fill;
	options.ellipsoids = p->ellipsoids;
	options.reference =
	    p->policy != DBVH_POLICY_DEFAULT && p->policy != DBVH_POLICY_PACKED && p->policy != DBVH_POLICY_PACKED_MIXED;
	return options;
}

// AUTO builds a tree fast where that saves more than queries lose. A fast tree of n triangles saves some n microseconds
// and makes a pose slower by no more than about n / 250: so much where all pairs of bodies that lie deep in each other
// are listed, and a hundredth of that for a first contact. Below 20,000 triangles nobody feels either.
enum { FEW_POSES = 100, MANY_TRIANGLES = 20000 };

// The number of triangles from which on a mesh gets a fast tree. A reference tree is built the same way for either.
static size_t fast_from( const mesh_pair *p, const dbvh_tree_options *options ) {
	if ( options->topology || options->reference || options->ellipsoids != DBVH_ELLIPSOIDS_NONE )
		return SIZE_MAX;
	if ( p->quality == PAIR_QUALITY_FAST )
		return 0;
	return p->quality == PAIR_QUALITY_AUTO && p->cache == NULL && pair_pose_count( p ) <= FEW_POSES ? MANY_TRIANGLES
	                                                                                                : SIZE_MAX;
}

static bool load_both( mesh_pair *p, load_source sources[2], bool topology, bool meshes ) {
	const dbvh_tree_options options = pair_options( p, topology );
	const size_t fast = fast_from( p, &options );
	if ( !load_tree_by( &sources[0], &options, fast, &p->metres, meshes ? &p->mesh_a : NULL, &p->tree_a ) )
		return false;
	if ( strcmp( p->file_a, p->file_b ) != 0 )
		return load_tree_by( &sources[1], &options, fast, &p->metres, meshes ? &p->mesh_b : NULL, &p->tree_b );
	p->mesh_b = p->mesh_a;
	p->tree_b = p->tree_a;
	return true;
}

bool pair_load( mesh_pair *p, bool topology, bool meshes ) {
	load_source sources[2] = { { .file = p->file_a }, { .file = p->file_b } };
	if ( p->pose_file != NULL && !poses_read( p->pose_file, &p->pose_options, &p->poses ) )
		return false;
	use_cache( p->cache );
	use_faces( p->skips_bad_faces );
	use_trust( &p->trust );
	if ( strcmp( p->file_a, p->file_b ) != 0 )
		load_ahead( sources );
	const bool is_loaded = load_both( p, sources, topology, meshes || p->as_json || p->capture_file != NULL );
	load_source_free( &sources[0] );
	load_source_free( &sources[1] );
	if ( !is_loaded )
		return false;
	if ( dbvh_workspace_create( NULL, &p->workspace, NULL ) == DBVH_OK )
		return true;
	complain_memory();
	return false;
}

void pair_free( mesh_pair *p ) {
	dbvh_workspace_destroy( p->workspace );
	if ( p->tree_b != p->tree_a )
		dbvh_tree_destroy( p->tree_b );
	if ( p->mesh_b != p->mesh_a )
		dbvh_mesh_destroy( p->mesh_b );
	dbvh_tree_destroy( p->tree_a );
	dbvh_mesh_destroy( p->mesh_a );
	poses_free( &p->poses );
	free( p->facts );
}

bool pair_keep_facts( mesh_pair *p ) {
	p->facts = calloc( pair_pose_count( p ) + 1, sizeof *p->facts );
	if ( p->facts == NULL )
		complain_memory();
	return p->facts != NULL;
}

size_t pair_pose_count( const mesh_pair *p ) {
	return p->pose_file != NULL ? p->poses.count : 1;
}

const dbvh_pose *pair_pose( const mesh_pair *p, size_t i ) {
	return p->pose_file != NULL ? &p->poses.poses[i] : NULL;
}

dbvh_capture pair_capture( const mesh_pair *p, bool topology ) {
	dbvh_capture x = { .mesh_a = dbvh_mesh_get_view( p->mesh_a ), .options_a = pair_options( p, topology ) };
	x.options_b = x.options_a;
	x.options_a.quality = dbvh_tree_get_options( p->tree_a ).quality;
	x.options_b.quality = dbvh_tree_get_options( p->tree_b ).quality;
	if ( p->mesh_b != p->mesh_a )
		x.mesh_b = dbvh_mesh_get_view( p->mesh_b );
	const dbvh_pose *const pose = pair_pose( p, 0 );
	x.placed_b = pose != NULL;
	if ( pose != NULL )
		x.pose_b = *pose;
	return x;
}

void pair_describe( const mesh_pair *p, fingerprint *about ) {
	fingerprint_mesh( about, "mesh A", p->mesh_a );
	fingerprint_mesh( about, "mesh B", p->mesh_b );
	uint64_t poses = SCENE_HASH_START;
	for ( size_t i = 0; i < p->poses.count; ++i )
		poses = scene_hash_pose( poses, &p->poses.poses[i] );
	fingerprint_hash( about, "poses", poses );
	fingerprint_say( about, "policy", "%s", p->policy_name != NULL ? p->policy_name : "default" );
	if ( p->ellipsoids != DBVH_ELLIPSOIDS_NONE )
		fingerprint_say( about, "ellipsoids", "%s", p->ellipsoids == DBVH_ELLIPSOIDS_ALL ? "all" : "chosen" );
}

bool pair_check_capture( const mesh_pair *p ) {
	if ( p->capture_file == NULL || pair_pose_count( p ) == 1 )
		return true;
	complain( "%s: a capture takes one pose; there are %zu", p->pose_file, pair_pose_count( p ) );
	return false;
}

void pair_print_interrupted( const mesh_pair *p, size_t finished ) {
	if ( timeout_expired() ) {
		pair_print_pose( p, finished, finished );
		timeout_print();
		return;
	}
	printf( "interrupted: %zu of %zu poses are finished\n", finished, pair_pose_count( p ) );
}

void json_interrupted( json *j, size_t finished ) {
	json_put_bool( j, timeout_expired() ? "timed_out" : "interrupted", true );
	json_put_count( j, "finished", finished );
}

void pair_print_pose( const mesh_pair *p, size_t first, size_t last ) {
	if ( p->pose_file == NULL )
		printf( "%s and %s: ", p->file_a, p->file_b );
	else if ( first == last )
		printf( "pose %zu: ", first );
	else
		printf( "poses %zu to %zu: ", first, last );
}

void json_mesh( json *j, const char *key, const char *file, const dbvh_mesh *mesh ) {
	const dbvh_mesh_view view = dbvh_mesh_get_view( mesh );
	json_key( j, key );
	json_open( j, '{' );
	json_put_string( j, "file", file );
	json_put_count( j, "triangles", view.triangle_count );
	json_put_count( j, "vertices", view.vertex_count );
	size_t skipped;
	if ( dbvh_mesh_get_skipped_faces( mesh, &skipped ) != NULL )
		json_put_count( j, "skipped_faces", skipped );
	json_close( j, '}' );
}

void pair_json( json *j, const mesh_pair *p ) {
	json_mesh( j, "a", p->file_a, p->mesh_a );
	json_mesh( j, "b", p->file_b, p->mesh_b );
	if ( p->pose_options.normalise ) {
		json_put_count( j, "normalised", p->poses.normalised );
		json_put_real( j, "largest_move", p->poses.largest_move );
	}
}

void json_counters( json *j, const dbvh_counters *counters ) {
	json_key( j, "counters" );
	json_open( j, '{' );
	json_put_count( j, "sphere_tests", counters->sphere_tests );
	json_put_count( j, "box_tests", counters->box_tests );
	json_put_count( j, "triangle_tests", counters->triangle_tests );
	json_put_count( j, "exact_tests", counters->exact_tests );
	json_put_count( j, "ellipsoid_pair_tests", counters->ellipsoid_pair_tests );
	json_put_count( j, "ellipsoid_box_tests", counters->ellipsoid_box_tests );
	json_put_count( j, "ellipsoid_separated", counters->ellipsoid_separated );
	json_close( j, '}' );
}

void json_pair( json *j, dbvh_pair pair ) {
	json_open( j, '[' );
	json_count( j, pair.a );
	json_count( j, pair.b );
	json_close( j, ']' );
}

void json_pairs( json *j, const dbvh_pair *pairs, size_t count ) {
	json_open( j, '[' );
	for ( size_t i = 0; i < count; ++i )
		json_pair( j, pairs[i] );
	json_close( j, ']' );
}
