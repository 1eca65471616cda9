// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "common/scene.h"

#include "shapes/shapes.h"
#include "support/data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void give_up( const char *what, const char *why ) {
	fprintf( stderr, "dualbvh-bench: %s: %s\n", what, why );
	exit( 2 );
}

static scene_mesh copy_mesh( const char *label, const dbvh_mesh_view *view ) {
	scene_mesh mesh = { .view = *view };
	const size_t position_bytes = 3 * view->vertex_count * sizeof( double );
	const size_t index_bytes = 3 * view->triangle_count * sizeof( uint32_t );
	mesh.positions = malloc( position_bytes );
	mesh.indices = malloc( index_bytes );
	if ( mesh.positions == NULL || mesh.indices == NULL )
		give_up( label, "out of memory" );
	memcpy( mesh.positions, view->positions, position_bytes );
	memcpy( mesh.indices, view->indices, index_bytes );
	mesh.view.positions = mesh.positions;
	mesh.view.indices = mesh.indices;
	snprintf( mesh.label, sizeof( mesh.label ), "%s, %zu triangles", label, view->triangle_count );
	return mesh;
}

static scene_mesh copy_shape( const char *label, shape *s ) {
	if ( s->failed )
		give_up( label, "out of memory" );
	const dbvh_mesh_view view = shape_view( s );
	const scene_mesh mesh = copy_mesh( label, &view );
	shape_free( s );
	return mesh;
}

// A mesh from the folder of real meshes; false if there is none.
static bool find( const char *name, scene_mesh *out ) {
	dbvh_mesh *mesh = data_mesh( name );
	if ( mesh == NULL )
		return false;
	const dbvh_mesh_view view = dbvh_mesh_get_view( mesh );
	*out = copy_mesh( name, &view );
	dbvh_mesh_destroy( mesh );
	return true;
}

scene_mesh scene_file( const char *path ) {
	dbvh_error error;
	dbvh_mesh *mesh = NULL;
	if ( dbvh_mesh_load( path, DBVH_MESH_FORMAT_AUTO, NULL, &mesh, &error ) != DBVH_OK )
		give_up( path, error.text );
	const char *name = strrchr( path, '/' );
	const dbvh_mesh_view view = dbvh_mesh_get_view( mesh );
	const scene_mesh copy = copy_mesh( name != NULL ? name + 1 : path, &view );
	dbvh_mesh_destroy( mesh );
	return copy;
}

scene_mesh scene_buddha( void ) {
	scene_mesh mesh;
	if ( find( "stanford/happy_vrip_res4.ply", &mesh ) )
		return mesh;
	shape s = { 0 };
	shape_add_statue( &s );
	return copy_shape( "GENERATED statue (no Buddha on this machine)", &s );
}

scene_mesh scene_cabin( void ) {
	scene_mesh mesh;
	if ( find( "airplane/b738_interior.obj", &mesh ) )
		return mesh;
	return scene_cabin_generated();
}

scene_mesh scene_cabin_generated( void ) {
	shape s = { 0 };
	shape_add_cabin( &s );
	return copy_shape( "GENERATED cabin", &s );
}

scene_mesh scene_hand( int which ) {
	static const char *const names[] = { "hands/fg_hand_R_805.obj", "hands/fg_pilot_hand_R_488.obj" };
	scene_mesh mesh;
	if ( which >= 0 && which < 2 && find( names[which], &mesh ) )
		return mesh;
	shape s = { 0 };
	shape_add_hand( &s );
	return copy_shape( "GENERATED hand", &s );
}

scene_mesh scene_sphere( double radius ) {
	shape s = { 0 };
	shape_add_sphere( &s, radius, 200, 200 );
	return copy_shape( "sphere", &s );
}

scene_mesh scene_torus( uint32_t major_segments, uint32_t minor_segments ) {
	shape s = { 0 };
	shape_add_torus( &s, 1.0, 0.4, major_segments, minor_segments );
	return copy_shape( "torus", &s );
}

scene_mesh scene_choose( const char *file ) {
	return file != NULL ? scene_file( file ) : scene_buddha();
}

void scene_free( scene_mesh *mesh ) {
	free( mesh->positions );
	free( mesh->indices );
	*mesh = ( scene_mesh ){ 0 };
}

dbvh_tree *scene_tree( const dbvh_mesh_view *view, const dbvh_tree_options *options ) {
	dbvh_error error;
	dbvh_tree *tree = NULL;
	if ( dbvh_tree_build( view, options, NULL, &tree, &error ) != DBVH_OK )
		give_up( "a tree", error.text );
	return tree;
}

dbvh_tree *scene_reference_tree( const dbvh_mesh_view *view, const dbvh_tree_options *options ) {
	dbvh_tree_options with = options != NULL ? *options : dbvh_tree_options_default();
	with.reference = true;
	return scene_tree( view, &with );
}
