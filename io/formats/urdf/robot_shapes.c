// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "formats/urdf/robot_shapes.h"

#include "formats/skipped.h"
#include "model/refuse.h"
#include "text/ending.h"
#include "text/grow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void robot_shapes_free( robot_shapes *shapes ) {
	for ( size_t i = 0; i < shapes->file_count; ++i )
		dbvh_mesh_destroy( shapes->files[i] );
	for ( size_t i = 0; i < shapes->solid_count; ++i )
		free( shapes->solids[i].key );
	free( shapes->files );
	free( shapes->solids );
	scene_names_free( &shapes->file_names );
	scene_names_free( &shapes->solid_names );
	scene_baked_free( &shapes->baked );
}

// ------------------------------------------------------------------------------------------------
// Files

// Collada and the like, all of the file as one mesh, in metres where its unit is known.
static dbvh_status parse_import( const char *name, const unsigned char *bytes, size_t count, dbvh_mesh **mesh,
                                 dbvh_error *error ) {
	scene_model model = { 0 };
	const scene_source source = { .name = name };
	const scene_mark mark = scene_mark_of( &model );
	dbvh_status status = scene_read_import( bytes, count, &source, &model, error );
	if ( status == DBVH_OK && model.metres > 0.0 && model.metres != 1.0 )
		status = scene_scale_from( &model, &mark, model.metres, error );
	if ( status == DBVH_OK )
		status = scene_flatten( &model, mesh, error );
	if ( status != DBVH_OK )
		scene_blame( error, 0, "'%.100s': ", name );
	scene_model_free( &model );
	return status;
}

static dbvh_status parse_mesh( const char *name, const unsigned char *bytes, size_t count, scene_model *model,
                               dbvh_mesh **mesh, dbvh_error *error ) {
	if ( scene_is_import( name ) )
		return parse_import( name, bytes, count, mesh, error );
	// Parse by content, then by the ending, as files that the user names.
	dbvh_status status = scene_parse_mesh( bytes, count, DBVH_MESH_FORMAT_AUTO, name, model, mesh, error );
	const dbvh_mesh_format format = scene_mesh_format( name );
	if ( status == DBVH_UNKNOWN_FORMAT && format != DBVH_MESH_FORMAT_AUTO )
		status = scene_parse_mesh( bytes, count, format, name, model, mesh, error );
	else if ( status == DBVH_UNKNOWN_FORMAT )
		return scene_refuse( error, status, "'%.120s' is no STL, OBJ, PLY or OFF file", name );
	if ( status != DBVH_OK ) {
		scene_hush( error );
		scene_blame( error, error->line, "'%.100s': ", name );
	}
	return status;
}

// The number of the file's geometry, or SCENE_NONE.
static uint32_t open_file( robot_shapes *shapes, const scene_source *source, scene_model *model, const char *name,
                           dbvh_error *error ) {
	const uint32_t known = scene_names_find( &shapes->file_names, name );
	if ( known != SCENE_NONE )
		return known;
#ifndef DUALBVH_WITH_ASSIMP
	if ( scene_has_ending( name, "dae" ) ) {
		scene_refuse( error, DBVH_UNKNOWN_FORMAT,
		              "'%.120s' is Collada, which assimp reads, and this dualbvh was built without; make it STL, OBJ, "
		              "PLY or OFF",
		              name );
		return SCENE_NONE;
	}
#endif
	unsigned char *bytes;
	size_t count;
	// A package without a name is the folder of the file: exporters of CAD programs write it so.
	const char *asked = strncmp( name, "package:///", 11 ) == 0 ? name + 11 : name;
	if ( !source->open( source->user, asked, &bytes, &count, error ) )
		return SCENE_NONE;
	dbvh_mesh *mesh = NULL;
	const dbvh_status status = parse_mesh( name, bytes, count, model, &mesh, error );
	source->release( source->user, bytes, count );
	if ( status != DBVH_OK )
		return SCENE_NONE;
	if ( !scene_grow( &shapes->files, &shapes->file_capacity, shapes->file_count, sizeof *shapes->files ) ||
	     !scene_names_add( &shapes->file_names, name, (uint32_t)shapes->file_count ) ) {
		dbvh_mesh_destroy( mesh );
		scene_refuse_memory( error );
		return SCENE_NONE;
	}
	shapes->files[shapes->file_count] = mesh;
	return (uint32_t)shapes->file_count++;
}

static uint32_t mesh_of_file( robot_shapes *shapes, const scene_source *source, scene_model *model,
                              const robot_geometry *g, dbvh_error *error ) {
	const uint32_t file = open_file( shapes, source, model, g->file, error );
	if ( file == SCENE_NONE )
		return SCENE_NONE;
	const dbvh_mesh_view view = dbvh_mesh_get_view( shapes->files[file] );
	const double scale[3][3] = { { g->scale[0], 0, 0 }, { 0, g->scale[1], 0 }, { 0, 0, g->scale[2] } };
	const uint32_t mesh = scene_baked_mesh( &shapes->baked, model, file, &view, scale, g->file, error );
	if ( mesh == SCENE_NONE )
		scene_blame( error, 0, "'%.100s' with its scale: ", g->file );
	return mesh;
}

// ------------------------------------------------------------------------------------------------
// Solids

bool robot_shape_is_empty( const robot_geometry *g ) {
	if ( g->file != NULL )
		return false;
	switch ( g->solid ) {
	case SCENE_SOLID_BOX:
		return g->size[0] == 0.0 || g->size[1] == 0.0 || g->size[2] == 0.0;
	case SCENE_SOLID_CYLINDER:
		return g->size[0] == 0.0 || g->size[1] == 0.0;
	case SCENE_SOLID_SPHERE:
	case SCENE_SOLID_CAPSULE:
		break;
	}
	return g->size[0] == 0.0;
}

static bool keep_solid( robot_shapes *shapes, const char *key, uint32_t mesh, double sag ) {
	char *own = scene_copy( key );
	const size_t n = shapes->solid_count;
	if ( own == NULL || !scene_grow( &shapes->solids, &shapes->solid_capacity, n, sizeof *shapes->solids ) ||
	     !scene_names_add( &shapes->solid_names, own, (uint32_t)n ) ) {
		free( own );
		return false;
	}
	shapes->solids[n] = ( robot_solid ){ own, mesh, sag };
	++shapes->solid_count;
	return true;
}

static uint32_t mesh_of_solid( robot_shapes *shapes, scene_model *model, const robot_geometry *g, double *sag,
                               dbvh_error *error ) {
	static const char *const names[] = { "box", "sphere", "cylinder", "capsule" };
	char key[120];
	snprintf( key, sizeof key, "%s %.17g %.17g %.17g", names[g->solid], g->size[0], g->size[1], g->size[2] );
	const uint32_t known = scene_names_find( &shapes->solid_names, key );
	if ( known != SCENE_NONE ) {
		*sag = shapes->solids[known].sag;
		return shapes->solids[known].mesh;
	}
	dbvh_mesh *mesh;
	if ( scene_solid( g->solid, g->size, &mesh, sag, error ) != DBVH_OK )
		return SCENE_NONE;
	const uint32_t number = scene_add_mesh( model, mesh, key );
	if ( number != SCENE_NONE && keep_solid( shapes, key, number, *sag ) )
		return number;
	scene_refuse_memory( error );
	return SCENE_NONE;
}

// ------------------------------------------------------------------------------------------------

uint32_t robot_shape_mesh( robot_shapes *shapes, const scene_source *source, scene_model *model,
                           const robot_geometry *g, double *sag_out, dbvh_error *error ) {
	*sag_out = 0.0;
	return g->file != NULL ? mesh_of_file( shapes, source, model, g, error )
	                       : mesh_of_solid( shapes, model, g, sag_out, error );
}

double robot_shapes_most_sag( const robot_shapes *shapes ) {
	double most = 0.0;
	for ( size_t i = 0; i < shapes->solid_count; ++i )
		most = most < shapes->solids[i].sag ? shapes->solids[i].sag : most;
	return most;
}
