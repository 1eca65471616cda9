// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Functions that tell what has been loaded: its parts and their names.

#include "api/loaded.h"

#include "base/fpenv.h"

#include <stdlib.h>
#include <string.h>

void dbvh_loaded_destroy( dbvh_loaded *loaded ) {
	if ( loaded == NULL )
		return;
	dbvh_scene_destroy( loaded->scene );
	dbvh_robot_destroy( loaded->robot );
	scene_trees_free( &loaded->trees );
	scene_link_names_free( &loaded->names );
	free( loaded->rules.list );
	scene_assembly_free( &loaded->assembly );
	free( loaded );
}

dbvh_scene *dbvh_loaded_scene( dbvh_loaded *loaded ) {
	return loaded != NULL ? loaded->scene : NULL;
}

dbvh_robot *dbvh_loaded_robot( dbvh_loaded *loaded ) {
	return loaded != NULL ? loaded->robot : NULL;
}

double dbvh_loaded_metres( const dbvh_loaded *loaded ) {
	return loaded != NULL ? loaded->assembly.model.metres : 0.0;
}

size_t dbvh_loaded_count( const dbvh_loaded *loaded, dbvh_loaded_kind kind ) {
	if ( loaded == NULL )
		return 0;
	const scene_model *model = &loaded->assembly.model;
	switch ( kind ) {
	case DBVH_LOADED_KIND_BODY:
		return model->body_count;
	case DBVH_LOADED_KIND_LINK:
	case DBVH_LOADED_KIND_JOINT:
		return model->link_count;
	case DBVH_LOADED_KIND_STATE:
		return model->state_count;
	case DBVH_LOADED_KIND_NOTE:
		return model->note_count;
	case DBVH_LOADED_KIND_COUNT:
		break;
	}
	return 0;
}

const char *dbvh_loaded_name( const dbvh_loaded *loaded, dbvh_loaded_kind kind, size_t number ) {
	if ( number >= dbvh_loaded_count( loaded, kind ) )
		return NULL;
	const scene_model *model = &loaded->assembly.model;
	switch ( kind ) {
	case DBVH_LOADED_KIND_BODY:
		return model->bodies[number].path;
	case DBVH_LOADED_KIND_LINK:
		return model->links[number].name;
	case DBVH_LOADED_KIND_JOINT:
		return model->links[number].joint != NULL ? model->links[number].joint : "";
	case DBVH_LOADED_KIND_STATE:
		return model->states[number].name;
	case DBVH_LOADED_KIND_NOTE:
		return model->notes[number];
	case DBVH_LOADED_KIND_COUNT:
		break;
	}
	return NULL;
}

static uint32_t search( const dbvh_loaded *loaded, dbvh_loaded_kind kind, const char *name ) {
	const size_t count = dbvh_loaded_count( loaded, kind );
	for ( size_t i = 0; i < count; ++i )
		if ( strcmp( dbvh_loaded_name( loaded, kind, i ), name ) == 0 )
			return (uint32_t)i;
	return UINT32_MAX;
}

uint32_t dbvh_loaded_find( const dbvh_loaded *loaded, dbvh_loaded_kind kind, const char *name ) {
	if ( loaded == NULL || name == NULL )
		return UINT32_MAX;
	switch ( kind ) {
	case DBVH_LOADED_KIND_BODY:
		return scene_names_find( &loaded->assembly.model.paths, name );
	case DBVH_LOADED_KIND_LINK:
		return scene_names_find( &loaded->names.links, name );
	case DBVH_LOADED_KIND_JOINT:
		return scene_names_find( &loaded->names.joints, name );
	case DBVH_LOADED_KIND_STATE:
	case DBVH_LOADED_KIND_NOTE:
	case DBVH_LOADED_KIND_COUNT:
		break;
	}
	return search( loaded, kind, name );
}

const dbvh_mesh *dbvh_loaded_mesh( const dbvh_loaded *loaded, uint32_t body ) {
	if ( body >= dbvh_loaded_count( loaded, DBVH_LOADED_KIND_BODY ) )
		return NULL;
	const scene_model *model = &loaded->assembly.model;
	return model->meshes[model->bodies[body].mesh].mesh;
}

bool dbvh_loaded_get_property( const dbvh_loaded *loaded, uint32_t body, size_t index, const char **key_out,
                               const char **value_out ) {
	if ( body >= dbvh_loaded_count( loaded, DBVH_LOADED_KIND_BODY ) )
		return false;
	const scene_body *of = &loaded->assembly.model.bodies[body];
	if ( index >= of->property_count )
		return false;
	if ( key_out != NULL )
		*key_out = of->properties[index].key;
	if ( value_out != NULL )
		*value_out = of->properties[index].value;
	return true;
}

bool dbvh_loaded_get_rule( const dbvh_loaded *loaded, size_t index, uint32_t *a_out, uint32_t *b_out,
                           dbvh_pair_rule *rule_out ) {
	if ( loaded == NULL || index >= loaded->rules.count )
		return false;
	const scene_given_rule *given = &loaded->rules.list[index];
	if ( a_out != NULL )
		*a_out = given->a;
	if ( b_out != NULL )
		*b_out = given->b;
	if ( rule_out != NULL )
		*rule_out = given->rule;
	return true;
}

static DBVHI_NOINLINE_FP bool get_state( const dbvh_loaded *loaded, size_t state, dbvh_robot_layout layout,
                                         double *q_out ) {
	if ( q_out == NULL || state >= dbvh_loaded_count( loaded, DBVH_LOADED_KIND_STATE ) ||
	     (unsigned)layout >= DBVH_ROBOT_LAYOUT_COUNT || loaded->robot == NULL )
		return false;
	const scene_model *model = &loaded->assembly.model;
	loaded_row( model, loaded->robot, layout, model->states[state].values, q_out );
	return true;
}

bool dbvh_loaded_get_state( const dbvh_loaded *loaded, size_t state, dbvh_robot_layout layout, double *q_out ) {
	DBVHI_IN_DEFAULT_FPENV( bool, get_state( loaded, state, layout, q_out ) );
}
