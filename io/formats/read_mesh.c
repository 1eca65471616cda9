// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Mesh files: one body, or one for each object or connected component.

#include "dualbvh/tree_file.h"
#include "formats/files.h"
#include "formats/outline.h"
#include "formats/skipped.h"
#include "model/parts.h"
#include "model/refuse.h"
#include "text/ending.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static dbvh_status add_body( scene_model *model, dbvh_mesh *mesh, const char *path, dbvh_error *error ) {
	const dbvh_pose pose = dbvh_pose_identity();
	const uint32_t number = scene_add_mesh( model, mesh, path );
	if ( number == SCENE_NONE || scene_add_body( model, path, number, &pose ) == SCENE_NONE )
		return scene_refuse_memory( error );
	return DBVH_OK;
}

// Makes a body of each label. names[i] is the name of label i; NULL: "component-1" and so on.
static dbvh_status add_parts( scene_model *model, const dbvh_mesh *mesh, const uint32_t *labels, size_t count,
                              char *const *names, const char *stem, dbvh_error *error ) {
	dbvh_mesh **parts = malloc( count * sizeof *parts );
	uint32_t **numbers = malloc( count * sizeof *numbers );
	dbvh_status status = parts != NULL && numbers != NULL ? scene_cut( mesh, labels, count, parts, numbers, error )
	                                                      : scene_refuse_memory( error );
	for ( size_t i = 0; i < count && parts != NULL && numbers != NULL; ++i ) {
		if ( status != DBVH_OK ) {
			dbvh_mesh_destroy( parts[i] );
			free( numbers[i] );
			continue;
		}
		char number[32];
		snprintf( number, sizeof number, "component-%zu", i + 1 );
		const char *name = names != NULL ? names[i] : number;
		char *path = malloc( strlen( stem ) + strlen( name ) + 2 );
		if ( path != NULL ) {
			sprintf( path, "%s%s%s", stem, *name != '\0' ? "/" : "", name );
			status = add_body( model, parts[i], path, error );
			if ( status == DBVH_OK )
				model->meshes[model->mesh_count - 1].numbers = numbers[i];
			else
				free( numbers[i] );
		} else {
			free( numbers[i] );
			dbvh_mesh_destroy( parts[i] );
			status = scene_refuse_memory( error );
		}
		free( path );
	}
	free( parts );
	free( numbers );
	return status;
}

static dbvh_status add_components( scene_model *model, const dbvh_mesh *mesh, const char *stem, dbvh_error *error ) {
	const dbvh_mesh_view view = dbvh_mesh_get_view( mesh );
	uint32_t *labels = malloc( view.triangle_count * sizeof *labels );
	size_t count;
	dbvh_status status = labels != NULL ? dbvh_mesh_label_components( &view, NULL, labels, &count, error )
	                                    : scene_refuse_memory( error );
	if ( status == DBVH_OK )
		status = add_parts( model, mesh, labels, count, NULL, stem, error );
	free( labels );
	return status;
}

// Objects that continue each other become one, by the name of the first of them.
static dbvh_status join_objects( scene_model *model, const dbvh_mesh *mesh, scene_outline *outline, const char *stem,
                                 dbvh_error *error ) {
	const size_t before = outline->count;
	uint32_t *first_of = malloc( before * sizeof *first_of );
	dbvh_status status = first_of != NULL ? scene_join_open( mesh, outline->labels, &outline->count, first_of, error )
	                                      : scene_refuse_memory( error );
	for ( size_t i = 0; i < outline->count && status == DBVH_OK; ++i ) { // first_of[i] is i or more
		char *name = outline->names[i];
		outline->names[i] = outline->names[first_of[i]];
		outline->names[first_of[i]] = name;
	}
	const size_t joined = before - outline->count;
	for ( size_t i = outline->count; i < before && status == DBVH_OK; ++i )
		free( outline->names[i] );
	free( first_of );
	if ( status == DBVH_OK && joined > 0 &&
	     !scene_add_note( model,
	                      "%s: %zu of its %zu objects continue%s another one across open edges, and %s no bod%s of "
	                      "%s own; --split object parts them",
	                      stem, joined, before, joined == 1 ? "s" : "", joined == 1 ? "is" : "are",
	                      joined == 1 ? "y" : "ies", joined == 1 ? "its" : "their" ) )
		status = scene_refuse_memory( error );
	return status;
}

static dbvh_status add_objects( scene_model *model, const unsigned char *bytes, size_t count, dbvh_mesh *mesh,
                                const char *stem, scene_split split, dbvh_error *error ) {
	scene_outline outline;
	dbvh_status status = DBVH_OK;
	if ( !scene_outline_read( bytes, count, &outline ) ) {
		dbvh_mesh_destroy( mesh );
		return scene_refuse_memory( error );
	}
	// A format without objects does not look like one that has them.
	const bool has_objects = scene_outline_fits( &outline, mesh );
	if ( has_objects && !scene_outline_leave_out( &outline, mesh ) )
		status = scene_refuse_memory( error );
	else if ( has_objects && split == SCENE_SPLIT_AUTO && outline.count > 1 )
		status = join_objects( model, mesh, &outline, stem, error );
	if ( status != DBVH_OK ) {
		dbvh_mesh_destroy( mesh );
	} else if ( !has_objects ||
	            ( outline.count == 1 && ( split == SCENE_SPLIT_AUTO || outline.names[0][0] == '\0' ) ) ) {
		status = add_body( model, mesh, stem, error );
	} else {
		status = add_parts( model, mesh, outline.labels, outline.count, outline.names, stem, error );
		dbvh_mesh_destroy( mesh );
	}
	scene_outline_free( &outline );
	return status;
}

// The mesh of a tree of 'dualbvh build'. The model keeps the tree.
static dbvh_status parse_tree( const unsigned char *bytes, size_t count, scene_model *model, dbvh_mesh **mesh_out,
                               dbvh_error *error ) {
	dbvh_tree *tree;
	dbvh_status status = dbvh_tree_parse( bytes, count, NULL, NULL, &tree, error );
	*mesh_out = NULL;
	if ( status == DBVH_OK )
		status = dbvh_tree_get_mesh( tree, NULL, mesh_out, error );
	if ( status != DBVH_OK ) {
		dbvh_tree_destroy( tree );
		return status;
	}
	if ( scene_add_tree( model, tree ) )
		return DBVH_OK;
	dbvh_mesh_destroy( *mesh_out );
	*mesh_out = NULL;
	return scene_refuse_memory( error );
}

dbvh_mesh_format scene_mesh_format( const char *name ) {
	for ( int format = 1; format < DBVH_MESH_FORMAT_COUNT; ++format )
		if ( scene_has_ending( name, dbvh_mesh_format_ending( (dbvh_mesh_format)format ) ) )
			return (dbvh_mesh_format)format;
	return DBVH_MESH_FORMAT_AUTO;
}

// Parse by content; by the ending where that does not tell.
static dbvh_status parse( const unsigned char *bytes, size_t count, const char *name, scene_model *model,
                          dbvh_mesh **mesh_out, dbvh_error *error ) {
	dbvh_error unseen, other;
	error = error != NULL ? error : &unseen;
	if ( dbvh_is_tree_file( bytes, count ) )
		return parse_tree( bytes, count, model, mesh_out, error );
	const dbvh_status status = scene_parse_mesh( bytes, count, DBVH_MESH_FORMAT_AUTO, name, model, mesh_out, error );
	const dbvh_mesh_format format = scene_mesh_format( name );
	if ( status != DBVH_UNKNOWN_FORMAT || format == DBVH_MESH_FORMAT_AUTO )
		return status;
	const dbvh_status second = scene_parse_mesh( bytes, count, format, name, model, mesh_out, &other );
	if ( second != DBVH_UNKNOWN_FORMAT )
		*error = other;
	return second != DBVH_UNKNOWN_FORMAT ? second : status;
}

const char *scene_split_word( scene_split split ) {
	static const char *const words[SCENE_SPLIT_COUNT] = { "file", "object", "component", "auto" };
	return words[split];
}

dbvh_status scene_read_mesh( const unsigned char *bytes, size_t count, const scene_source *source, scene_split split,
                             scene_model *model, dbvh_error *error ) {
	dbvh_mesh *mesh;
	dbvh_status status = parse( bytes, count, source->name, model, &mesh, error );
	if ( status != DBVH_OK )
		return status;
	char *stem = scene_stem( source->name );
	if ( stem == NULL ) {
		dbvh_mesh_destroy( mesh );
		return scene_refuse_memory( error );
	}
	if ( split == SCENE_SPLIT_OBJECT || split == SCENE_SPLIT_AUTO ) {
		status = add_objects( model, bytes, count, mesh, stem, split, error );
	} else if ( split == SCENE_SPLIT_COMPONENT ) {
		status = add_components( model, mesh, stem, error );
		dbvh_mesh_destroy( mesh );
	} else {
		status = add_body( model, mesh, stem, error );
	}
	free( stem );
	return status;
}
