// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// dualbvh info: what is in a mesh file, what is odd about it, and what its tree looks like.

#include "cli/args.h"
#include "cli/complain.h"
#include "cli/help.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cmd/cmd.h"
#include "formats/skipped.h"
#include "load/load.h"
#include "text/json.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct settings {
	const char **files; // room for every argument
	const char *cache;
	scene_trust trust;
	int file_count;
	bool as_json, skips_bad_faces;
} settings;

static const arg_option options[] = {
    { "json", 0, NULL, ARG_TO( ARG_FLAG, as_json ), "print one JSON object, schema dualbvh.info/1" },
    CACHE_ENTRY( cache ),
    SKIP_BAD_FACES_ENTRY( skips_bad_faces ),
    SCENE_TRUST_ENTRIES( trust ),
    ARG_HELP_ENTRY,
    ARG_VERSION_ENTRY,
};
enum { OPTION_COUNT = sizeof( options ) / sizeof( options[0] ) };

static int help( void ) {
	help_text( "Usage: dualbvh info [--json] [--cache DIR] [--skip-bad-faces] MESH...\n"
	           "\n"
	           "Counts, bounds, an audit (open edges, degenerate triangles, ...) and the tree of each mesh.\n" );
	help_options( options, OPTION_COUNT );
	help_text( "\n"
	           "Example: dualbvh info gear.stl\n"
	           "\n"
	           "Exit status: 0, or 2 where a mesh cannot be read." );
	return finish_output( EXIT_CLEAR );
}

typedef struct facts {
	const char *file;
	dbvh_mesh_faces faces;
	size_t skipped;
	dbvh_mesh_audit_result audit;
	dbvh_tree_stats tree;
	double seconds; // build time
} facts;

static void print_text( const facts *f ) {
	const dbvh_mesh_audit_result *a = &f->audit;
	const dbvh_tree_stats *t = &f->tree;
	printf( "%s\n", f->file );
	printf( "  triangles        %zu", a->triangle_count );
	if ( a->degenerate_triangle_count > 0 || a->duplicate_triangle_count > 0 )
		printf( " (%zu degenerate, %zu duplicate)", a->degenerate_triangle_count, a->duplicate_triangle_count );
	if ( f->faces.polygon_count > 0 )
		printf( "\n  polygons         %zu with more than three corners (%zu concave, %zu not planar)",
		        f->faces.polygon_count, f->faces.concave_count, f->faces.nonplanar_count );
	if ( f->skipped > 0 )
		printf( "\n  left out         %zu %s", f->skipped, scene_skipped_words( f->skipped ) );
	printf( "\n  vertices         %zu (%zu distinct, %zu unused)\n", a->vertex_count, a->distinct_vertex_count,
	        a->unused_vertex_count );
	for ( int k = 0; k < 3; ++k )
		printf( "  %s%c %.9g to %.9g\n", k == 0 ? "bounds           " : "                 ", "xyz"[k],
		        a -> bounds.min[k], a->bounds.max[k] );
	printf( "  components       %zu (%zu closed, %zu consistently oriented)\n", a->component_count,
	        a->closed_component_count, a->oriented_component_count );
	printf( "  edges            %zu (%zu open, %zu with more than two triangles)\n", a->edge_count,
	        a->boundary_edge_count, a->nonmanifold_edge_count );
	printf( "  tree             %zu nodes, %zu leaves, depth %u, %.1f MiB\n", t->node_count, t->leaf_count, t->depth,
	        (double)t->bytes / 1048576.0 );
	if ( t->packed_bytes > 0 )
		printf( "  packed form      %.1f bytes a triangle\n", (double)t->packed_bytes / (double)t->triangle_count );
	printf( "  built in         %.1f ms, %.2f million triangles a second\n", f->seconds * 1e3,
	        (double)t->triangle_count * 1e-6 / f->seconds );
	printf( "  smallest sphere  radius %.9g round (%.9g, %.9g, %.9g)\n", t->sphere.radius, t->sphere.centre[0],
	        t->sphere.centre[1], t->sphere.centre[2] );
	printf( "  box              %.9g by %.9g by %.9g round (%.9g, %.9g, %.9g)\n", 2.0 * t->box.half[0],
	        2.0 * t->box.half[1], 2.0 * t->box.half[2], t->box.centre[0], t->box.centre[1], t->box.centre[2] );
}

static void print_json( json *j, const facts *f ) {
	const dbvh_mesh_audit_result *a = &f->audit;
	const dbvh_tree_stats *t = &f->tree;
	json_open( j, '{' );
	json_put_string( j, "file", f->file );
	json_put_count( j, "triangles", a->triangle_count );
	json_put_count( j, "vertices", a->vertex_count );
	json_put_reals( j, "lower", a->bounds.min, 3 );
	json_put_reals( j, "upper", a->bounds.max, 3 );
	json_key( j, "polygons" );
	json_open( j, '{' );
	json_put_count( j, "count", f->faces.polygon_count );
	json_put_count( j, "concave", f->faces.concave_count );
	json_put_count( j, "not_planar", f->faces.nonplanar_count );
	json_close( j, '}' );
	if ( f->skipped > 0 )
		json_put_count( j, "skipped_faces", f->skipped );
	json_key( j, "audit" );
	json_open( j, '{' );
	json_put_count( j, "distinct_vertices", a->distinct_vertex_count );
	json_put_count( j, "unused_vertices", a->unused_vertex_count );
	json_put_count( j, "degenerate_triangles", a->degenerate_triangle_count );
	json_put_count( j, "duplicate_triangles", a->duplicate_triangle_count );
	json_put_count( j, "edges", a->edge_count );
	json_put_count( j, "boundary_edges", a->boundary_edge_count );
	json_put_count( j, "nonmanifold_edges", a->nonmanifold_edge_count );
	json_put_count( j, "components", a->component_count );
	json_put_count( j, "closed_components", a->closed_component_count );
	json_put_count( j, "oriented_components", a->oriented_component_count );
	json_close( j, '}' );
	json_key( j, "tree" );
	json_open( j, '{' );
	json_put_count( j, "nodes", t->node_count );
	json_put_count( j, "leaves", t->leaf_count );
	json_put_count( j, "depth", t->depth );
	json_put_count( j, "bytes", t->bytes );
	json_put_count( j, "packed_bytes", t->packed_bytes );
	json_put_real( j, "build_seconds", f->seconds );
	json_put_reals( j, "sphere_centre", t->sphere.centre, 3 );
	json_put_real( j, "sphere_radius", t->sphere.radius );
	json_put_reals( j, "box_centre", t->box.centre, 3 );
	json_key( j, "box_axes" );
	json_open( j, '[' );
	for ( int k = 0; k < 3; ++k )
		json_reals( j, t->box.axis[k], 3 );
	json_close( j, ']' );
	json_put_reals( j, "box_half_extents", t->box.half, 3 );
	// A 64-bit number is more than many JSON readers keep.
	char hash[24];
	snprintf( hash, sizeof( hash ), "%016llx", (unsigned long long)t->content_hash );
	json_put_string( j, "content_hash", hash );
	json_close( j, '}' );
	json_close( j, '}' );
	json_break( j );
}

static bool gather( const char *file, facts *f ) {
	dbvh_mesh *mesh;
	dbvh_tree *tree;
	dbvh_error error = { 0 };
	if ( !load_tree( file, NULL, &mesh, &tree, &f->seconds ) )
		return false;
	const dbvh_mesh_view view = dbvh_mesh_get_view( mesh );
	progress_stage( "auditing", file );
	const dbvh_status status = dbvh_mesh_audit( &view, NULL, &f->audit, NULL, 0, &error );
	f->file = file;
	f->faces = dbvh_mesh_get_faces( mesh );
	dbvh_mesh_get_skipped_faces( mesh, &f->skipped );
	f->tree = dbvh_tree_get_stats( tree );
	dbvh_tree_destroy( tree );
	dbvh_mesh_destroy( mesh );
	if ( status != DBVH_OK )
		complain_of( file, &error );
	return status == DBVH_OK;
}

static bool operand( void *target, const char *text ) {
	settings *w = target;
	w->files[w->file_count++] = text;
	return true;
}

static const arg_table table = { "info", options, OPTION_COUNT, help, operand };

int cmd_info( int argc, char **argv ) {
	settings w = { .files = (const char **)argv }; // never runs ahead of where arguments are read
	uint64_t given;
	const int verdict = args_read( &table, argc, argv, &w, &given );
	if ( verdict != ARGS_GO_ON )
		return verdict;
	if ( w.file_count == 0 )
		return args_refuse( "info", "no mesh is named" );

	use_cache( w.cache );
	use_faces( w.skips_bad_faces );
	use_trust( &w.trust );
	int status = EXIT_CLEAR;
	json j = { .file = stdout };
	if ( w.as_json ) {
		json_open( &j, '{' );
		json_put_string( &j, "schema", "dualbvh.info/1" );
		json_key( &j, "meshes" );
		json_open( &j, '[' );
	}
	int done = 0;
	interrupt_begin();
	for ( ; done < w.file_count && !interrupted(); ++done ) {
		facts f;
		progress_begin( true );
		const bool good = gather( w.files[done], &f );
		progress_end();
		if ( !good )
			status = EXIT_ERROR; // the others are still worth printing
		else if ( w.as_json )
			print_json( &j, &f );
		else
			print_text( &f );
	}
	if ( w.as_json ) {
		json_close( &j, ']' );
		if ( done < w.file_count ) {
			json_put_bool( &j, "interrupted", true );
			json_put_count( &j, "finished", (uint64_t)done );
		}
		json_close( &j, '}' );
		putchar( '\n' );
	}
	status = finish_output( status );
	return done < w.file_count ? interrupt_finish( status ) : status;
}
