// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// What the fuzzers of scene files and the replay of their corpus do with one input.

#pragma once

#include "body.h"
#include "scene/files.h"

typedef dbvh_status ( *fuzz_scene_reader )( const unsigned char *bytes, size_t count, const scene_source *source,
                                            scene_model *model, dbvh_error *error );

// Files that inputs may name: their names end with the letter.
static inline const char *fuzz_scene_file( const char *name ) {
	static const struct {
		char letter;
		const char *text;
	} files[] = {
	    { 'l', "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
	           "endsolid\n" },
	    { 'j', "o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no b\nv 5 0 0\nv 6 0 0\nv 5 1 0\nf 4 5 6\n" },
	    { 'n', "{\"bodies\":[{\"file\":\"a.obj\"}],\"rules\":[{\"a\":\"*\",\"touch\":true}]}" },
	    { 'f', "<robot name='r'><link name='base'/><link name='arm'><collision><geometry><box size='1 1 1'/></geometry>"
	           "</collision></link><joint name='elbow' type='revolute'><parent link='base'/><child link='arm'/>"
	           "<axis xyz='0 0 1'/><limit lower='-1' upper='1' effort='1' velocity='1'/></joint></robot>" },
	    { 'b', "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz" },
	};
	const size_t length = strlen( name );
	for ( size_t i = 0; i < sizeof files / sizeof files[0] && length > 0; ++i )
		if ( name[length - 1] == files[i].letter )
			return files[i].text;
	return NULL;
}

static inline bool fuzz_scene_open( void *user, const char *name, unsigned char **bytes_out, size_t *count_out,
                                    dbvh_error *error ) {
	const char *text = fuzz_scene_file( name );
	if ( text == NULL ) {
		*error = ( dbvh_error ){ .status = DBVH_IO, .byte = -1, .element = -1, .text = "it is not there" };
		return false;
	}
	// As long as it is, so that AddressSanitizer sees a read beyond the end.
	*count_out = strlen( text );
	*bytes_out = malloc( *count_out );
	FUZZ_REQUIRE( *bytes_out != NULL );
	memcpy( *bytes_out, text, *count_out );
	++*(size_t *)user;
	return true;
}

static inline void fuzz_scene_release( void *user, unsigned char *bytes, size_t count ) {
	(void)count;
	--*(size_t *)user;
	free( bytes );
}

// Every number of the model is one of something, every mesh is sound, every pose a pose.
static inline void fuzz_scene_check( const scene_model *model ) {
	for ( size_t i = 0; i < model->mesh_count; ++i ) {
		const dbvh_mesh_view view = dbvh_mesh_get_view( model->meshes[i].mesh );
		FUZZ_REQUIRE( dbvh_mesh_view_check( &view, NULL ) == DBVH_OK );
		FUZZ_REQUIRE( model->meshes[i].name != NULL );
	}
	for ( size_t i = 0; i < model->body_count; ++i ) {
		const scene_body *body = &model->bodies[i];
		FUZZ_REQUIRE( body->mesh < model->mesh_count );
		FUZZ_REQUIRE( body->link == SCENE_NONE || body->link < model->link_count );
		FUZZ_REQUIRE( dbvh_pose_check( &body->pose, NULL, NULL ) == DBVH_OK );
		FUZZ_REQUIRE( body->sag >= 0.0 );
		FUZZ_REQUIRE( scene_names_find( &model->paths, body->path ) == i );
		FUZZ_REQUIRE( body->path[0] != '\0' && strstr( body->path, "//" ) == NULL );
	}
	for ( size_t i = 0; i < model->rule_count; ++i ) {
		const scene_rule *rule = &model->rules[i];
		FUZZ_REQUIRE( rule->a != NULL || rule->b == NULL );
		FUZZ_REQUIRE( rule->rule.clearance >= 0.0 && rule->rule.touch_gap >= 0.0 && rule->rule.touch_overlap >= 0.0 );
	}
	for ( size_t i = 0; i < model->link_count; ++i ) {
		const scene_link *link = &model->links[i];
		FUZZ_REQUIRE( link->parent == SCENE_NONE || link->parent < i );
		FUZZ_REQUIRE( link->mimic == SCENE_NONE || link->mimic < model->link_count );
	}
	if ( model->body_count > 0 && model->body_count < 10000 ) {
		dbvh_pose *poses = malloc( model->body_count * sizeof *poses );
		FUZZ_REQUIRE( poses != NULL );
		for ( size_t i = 0; i <= model->state_count; ++i )
			FUZZ_REQUIRE( scene_place( model, i > 0 ? model->states[i - 1].values : NULL, poses ) );
		free( poses );
	}
}

static inline dbvh_status fuzz_scene( const void *bytes, size_t count, fuzz_scene_reader reader ) {
	size_t open = 0;
	const scene_source source = {
	    .open = fuzz_scene_open, .release = fuzz_scene_release, .user = &open, .name = "input" };
	scene_model model = { 0 };
	dbvh_error error = { .byte = -1, .element = -1 };
	const dbvh_status status = reader( bytes, count, &source, &model, &error );
	FUZZ_REQUIRE( error.status == status );
	FUZZ_REQUIRE( memchr( error.text, '\0', sizeof error.text ) != NULL );
	FUZZ_REQUIRE( ( status == DBVH_OK ) == ( error.text[0] == '\0' ) );
	FUZZ_REQUIRE( error.byte >= -1 && error.byte <= (int64_t)count );
	FUZZ_REQUIRE( error.line >= 0 && error.line <= (int64_t)count + 1 );
	FUZZ_REQUIRE( open == 0 );
	if ( status == DBVH_OK ) {
		dbvh_mesh *mesh;
		fuzz_scene_check( &model );
		FUZZ_REQUIRE( model.body_count > 0 );
		const dbvh_status flat = scene_flatten( &model, &mesh, &error );
		FUZZ_REQUIRE( ( flat == DBVH_OK ) == ( mesh != NULL ) );
		dbvh_mesh_destroy( mesh );
	}
	scene_model_free( &model );
	return status;
}
