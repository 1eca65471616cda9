// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// dualbvh info: what is in a mesh file, what is odd about it, and what its tree looks like.

#include "args.h"
#include "command.h"
#include "json.h"
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>

enum { OPT_JSON, OPT_HELP, OPT_VERSION, OPT_COUNT };
static const arg_option options[OPT_COUNT] = {
    { "json", 0, NULL, "print one JSON object, schema dualbvh.info/1" },
    { "help", 'h', NULL, "print this" },
    { "version", 0, NULL, "print the version" },
};

static int help( void ) {
	puts( "Usage: dualbvh info [--json] MESH...\n"
	      "\n"
	      "Counts, bounds, an audit (open edges, degenerate triangles, ...) and the tree of each mesh.\n" );
	args_help( options, OPT_COUNT );
	puts( "\n"
	      "Example: dualbvh info gear.stl\n"
	      "\n"
	      "Exit status: 0, or 2 where a mesh cannot be read." );
	return finish_output( EXIT_APART );
}

typedef struct facts {
	const char *file;
	dbvh_mesh_audit_result audit;
	dbvh_tree_stats tree;
	double seconds; // that its build took
} facts;

static void print_text( const facts *f ) {
	const dbvh_mesh_audit_result *a = &f->audit;
	const dbvh_tree_stats *t = &f->tree;
	printf( "%s\n", f->file );
	printf( "  triangles        %zu", a->triangle_count );
	if ( a->degenerate_triangle_count > 0 || a->duplicate_triangle_count > 0 )
		printf( " (%zu degenerate, %zu duplicate)", a->degenerate_triangle_count, a->duplicate_triangle_count );
	printf( "\n  vertices         %zu (%zu distinct, %zu unused)\n", a->vertex_count, a->distinct_vertex_count,
	        a->unused_vertex_count );
	for ( int k = 0; k < 3; ++k )
		printf( "  %s%c %.9g to %.9g\n", k == 0 ? "bounds           " : "                 ", "xyz"[k], a -> lower[k],
		        a -> upper[k] );
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
	printf( "  smallest sphere  radius %.9g round (%.9g, %.9g, %.9g)\n", t->sphere_radius, t->sphere_centre[0],
	        t->sphere_centre[1], t->sphere_centre[2] );
	printf( "  box              %.9g by %.9g by %.9g round (%.9g, %.9g, %.9g)\n", 2.0 * t->box_half_extents[0],
	        2.0 * t->box_half_extents[1], 2.0 * t->box_half_extents[2], t->box_centre[0], t->box_centre[1],
	        t->box_centre[2] );
}

static void count( json *j, const char *key, uint64_t n ) {
	json_key( j, key );
	json_count( j, n );
}

static void reals( json *j, const char *key, const double *x, int n ) {
	json_key( j, key );
	json_reals( j, x, n );
}

static void print_json( json *j, const facts *f ) {
	const dbvh_mesh_audit_result *a = &f->audit;
	const dbvh_tree_stats *t = &f->tree;
	json_open( j, '{' );
	json_key( j, "file" );
	json_string( j, f->file );
	count( j, "triangles", a->triangle_count );
	count( j, "vertices", a->vertex_count );
	reals( j, "lower", a->lower, 3 );
	reals( j, "upper", a->upper, 3 );
	json_key( j, "audit" );
	json_open( j, '{' );
	count( j, "distinct_vertices", a->distinct_vertex_count );
	count( j, "unused_vertices", a->unused_vertex_count );
	count( j, "degenerate_triangles", a->degenerate_triangle_count );
	count( j, "duplicate_triangles", a->duplicate_triangle_count );
	count( j, "edges", a->edge_count );
	count( j, "boundary_edges", a->boundary_edge_count );
	count( j, "nonmanifold_edges", a->nonmanifold_edge_count );
	count( j, "components", a->component_count );
	count( j, "closed_components", a->closed_component_count );
	count( j, "oriented_components", a->oriented_component_count );
	json_close( j, '}' );
	json_key( j, "tree" );
	json_open( j, '{' );
	count( j, "nodes", t->node_count );
	count( j, "leaves", t->leaf_count );
	count( j, "depth", t->depth );
	count( j, "bytes", t->bytes );
	count( j, "packed_bytes", t->packed_bytes );
	json_key( j, "build_seconds" );
	json_real( j, f->seconds );
	reals( j, "sphere_centre", t->sphere_centre, 3 );
	json_key( j, "sphere_radius" );
	json_real( j, t->sphere_radius );
	reals( j, "box_centre", t->box_centre, 3 );
	json_key( j, "box_axes" );
	json_open( j, '[' );
	for ( int k = 0; k < 3; ++k )
		json_reals( j, t->box_axes[k], 3 );
	json_close( j, ']' );
	reals( j, "box_half_extents", t->box_half_extents, 3 );
	// A 64-bit number is more than many JSON readers keep.
	char hash[24];
	snprintf( hash, sizeof( hash ), "%016llx", (unsigned long long)t->content_hash );
	json_key( j, "content_hash" );
	json_string( j, hash );
	json_close( j, '}' );
	json_close( j, '}' );
	json_break( j );
}

static bool gather( const char *file, facts *f ) {
	dbvh_mesh *mesh;
	dbvh_tree *tree;
	dbvh_error error = { 0 };
	if ( !load_tree( file, &mesh, &tree, &f->seconds ) )
		return false;
	const dbvh_mesh_view view = dbvh_mesh_get_view( mesh );
	progress_stage( "auditing", file );
	const dbvh_status status = dbvh_mesh_audit( &view, NULL, &f->audit, NULL, 0, &error );
	f->file = file;
	f->tree = dbvh_tree_get_stats( tree );
	dbvh_tree_destroy( tree );
	dbvh_mesh_destroy( mesh );
	if ( status != DBVH_OK )
		complain_of( file, &error );
	return status == DBVH_OK;
}

int cmd_info( int argc, char **argv ) {
	args a = { .command = "info", .options = options, .option_count = OPT_COUNT, .argv = argv, .argc = argc, .at = 1 };
	const char *value;
	bool as_json = false;
	int file_count = 0;
	for ( int got = args_next( &a, &value ); got != ARG_END; got = args_next( &a, &value ) ) {
		switch ( got ) {
		case OPT_JSON:
			as_json = true;
			break;
		case OPT_HELP:
			return help();
		case OPT_VERSION:
			printf( "dualbvh %s\n", dbvh_version() );
			return finish_output( EXIT_APART );
		case ARG_OPERAND:
			argv[file_count++] = (char *)value; // never runs ahead of where arguments are read
			break;
		default:
			return EXIT_TROUBLE;
		}
	}
	if ( file_count == 0 )
		return args_refuse( "info", "no mesh is named" );

	int status = EXIT_APART;
	json j = { .file = stdout };
	if ( as_json ) {
		json_open( &j, '{' );
		json_key( &j, "schema" );
		json_string( &j, "dualbvh.info/1" );
		json_key( &j, "meshes" );
		json_open( &j, '[' );
	}
	for ( int i = 0; i < file_count; ++i ) {
		facts f;
		progress_begin( true );
		const bool good = gather( argv[i], &f );
		progress_end();
		if ( !good )
			status = EXIT_TROUBLE; // the others are still worth printing
		else if ( as_json )
			print_json( &j, &f );
		else
			print_text( &f );
	}
	if ( as_json ) {
		json_close( &j, ']' );
		json_close( &j, '}' );
		putchar( '\n' );
	}
	return finish_output( status );
}
