// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "model/model.h"

#include "model/properties.h"
#include "text/grow.h"
#include "text/names.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = INT32_MAX };

void scene_model_free( scene_model *model ) {
	for ( size_t i = 0; i < model->mesh_count; ++i ) {
		dbvh_mesh_destroy( model->meshes[i].mesh );
		free( model->meshes[i].name );
		free( model->meshes[i].numbers );
	}
	for ( size_t i = 0; i < model->tree_count; ++i )
		dbvh_tree_destroy( model->trees[i] );
	free( model->trees );
	for ( size_t i = 0; i < model->body_count; ++i ) {
		free( model->bodies[i].path );
		scene_properties_free( &model->bodies[i] );
	}
	for ( size_t i = 0; i < model->link_count; ++i ) {
		free( model->links[i].name );
		free( model->links[i].joint );
	}
	for ( size_t i = 0; i < model->state_count; ++i ) {
		free( model->states[i].name );
		free( model->states[i].values );
	}
	for ( size_t i = 0; i < model->rule_count; ++i ) {
		free( model->rules[i].a );
		free( model->rules[i].b );
		free( model->rules[i].name );
		free( model->rules[i].reason );
		free( model->rules[i].same );
	}
	for ( size_t i = 0; i < model->ignore_count; ++i ) {
		free( model->ignores[i].id );
		free( model->ignores[i].a );
		free( model->ignores[i].b );
		free( model->ignores[i].reason );
	}
	for ( size_t i = 0; i < model->group_count; ++i )
		free( model->group_names[i] );
	for ( size_t i = 0; i < model->note_count; ++i )
		free( model->notes[i] );
	free( model->meshes );
	free( model->bodies );
	free( model->links );
	free( model->states );
	free( model->rules );
	free( model->ignores );
	free( model->notes );
	scene_names_free( &model->paths );
	scene_ledger_close( &model->own_ledger );
	memset( model, 0, sizeof *model );
}

scene_ledger *scene_ledger_of( scene_model *model ) {
	return model->ledger != NULL ? model->ledger : &model->own_ledger;
}

uint32_t scene_add_mesh( scene_model *model, dbvh_mesh *mesh, const char *name ) {
	char *name_copy = scene_copy( name );
	const dbvh_mesh_view view = dbvh_mesh_get_view( mesh );
	const uint64_t cost = SCENE_VERTEX_COST * view.vertex_count + SCENE_TRIANGLE_COST * view.triangle_count;
	if ( name_copy == NULL || model->mesh_count >= MOST || !scene_ledger_spend( scene_ledger_of( model ), cost ) ||
	     !scene_grow( &model->meshes, &model->mesh_capacity, model->mesh_count, sizeof *model->meshes ) ) {
		free( name_copy );
		dbvh_mesh_destroy( mesh );
		return SCENE_NONE;
	}
	model->meshes[model->mesh_count] = ( scene_mesh ){ .mesh = mesh, .name = name_copy };
	return (uint32_t)model->mesh_count++;
}

uint32_t scene_triangle_number( const scene_model *model, uint32_t body, uint32_t triangle ) {
	const uint32_t *numbers = model->meshes[model->bodies[body].mesh].numbers;
	return numbers != NULL ? numbers[triangle] : triangle;
}

bool scene_add_tree( scene_model *model, dbvh_tree *tree ) {
	if ( !scene_grow( &model->trees, &model->tree_capacity, model->tree_count, sizeof( dbvh_tree * ) ) ) {
		dbvh_tree_destroy( tree );
		return false;
	}
	model->trees[model->tree_count++] = tree;
	return true;
}

bool scene_take_trees( scene_model *model, scene_model *from ) {
	while ( from->tree_count > 0 )
		if ( !scene_add_tree( model, from->trees[--from->tree_count] ) )
			return false;
	return true;
}

// ------------------------------------------------------------------------------------------------
// Paths

// The path without empty parts behind the prefix, and room for "#" and a number behind it.
static char *clean_path( const char *prefix, const char *path ) {
	static const char unnamed[] = "unnamed";
	const size_t prefix_length = prefix != NULL ? strlen( prefix ) : 0;
	size_t parts = 1;
	for ( const char *c = path; *c != '\0'; ++c )
		parts += *c == '/';
	// The worst case: every part is empty.
	char *made = malloc( prefix_length + strlen( path ) + parts * ( sizeof unnamed - 1 ) + 17 ), *to = made;
	if ( made == NULL )
		return NULL;
	if ( prefix_length > 0 )
		memcpy( to, prefix, prefix_length );
	to += prefix_length;
	for ( ;; ) {
		const size_t length = strcspn( path, "/" );
		const char *part = length > 0 ? path : unnamed;
		const size_t part_length = length > 0 ? length : sizeof unnamed - 1;
		memcpy( to, part, part_length );
		to += part_length;
		path += length;
		if ( *path == '\0' )
			break;
		++path;
		*to++ = '/';
	}
	*to = '\0';
	return made;
}

// The first of path#2, path#3, ... that is free; `path` has room for it. The search continues from the last number used
// for this path.
static void number_path( scene_model *model, char *path, uint32_t taken_by ) {
	const size_t length = strlen( path );
	uint32_t *next = &model->bodies[taken_by].next_number;
	do {
		*next = *next < 2 ? 2 : *next + 1;
		snprintf( path + length, 16, "#%lu", (unsigned long)*next );
	} while ( scene_names_find( &model->paths, path ) != SCENE_NONE );
}

uint32_t scene_add_body( scene_model *model, const char *path, uint32_t mesh, const dbvh_pose *pose ) {
	char *own = clean_path( model->prefix, path );
	if ( own == NULL || model->body_count >= MOST ||
	     !scene_ledger_spend( scene_ledger_of( model ), SCENE_BODY_COST + 2 * strlen( own ) ) ||
	     !scene_grow( &model->bodies, &model->body_capacity, model->body_count, sizeof *model->bodies ) ) {
		free( own );
		return SCENE_NONE;
	}
	const uint32_t taken_by = scene_names_find( &model->paths, own );
	if ( taken_by != SCENE_NONE ) {
		number_path( model, own, taken_by );
		++model->renamed_count;
	}
	const uint32_t number = (uint32_t)model->body_count;
	if ( !scene_names_add( &model->paths, own, number ) ) {
		free( own );
		return SCENE_NONE;
	}
	model->bodies[model->body_count++] = ( scene_body ){ .path = own, .mesh = mesh, .link = SCENE_NONE, .pose = *pose };
	return number;
}

char *scene_prefixed( const scene_model *model, const char *name ) {
	const char *prefix = model->prefix != NULL ? model->prefix : "";
	char *made = malloc( strlen( prefix ) + strlen( name ) + 1 );
	return made != NULL ? strcat( strcpy( made, prefix ), name ) : NULL;
}

// ------------------------------------------------------------------------------------------------
// Links, states, rules, notes

// States have a number for each link, also for one that comes later.
static bool grow_states( scene_model *model, size_t link_count ) {
	for ( size_t i = 0; i < model->state_count; ++i ) {
		double *values = realloc( model->states[i].values, link_count * sizeof *values );
		if ( values == NULL )
			return false;
		values[link_count - 1] = 0.0;
		model->states[i].values = values;
	}
	return true;
}

uint32_t scene_add_link( scene_model *model, const char *name, uint32_t parent ) {
	char *name_copy = scene_copy( name );
	if ( name_copy == NULL || model->link_count >= MOST ||
	     !scene_grow( &model->links, &model->link_capacity, model->link_count, sizeof *model->links ) ||
	     !grow_states( model, model->link_count + 1 ) ) {
		free( name_copy );
		return SCENE_NONE;
	}
	model->links[model->link_count] = ( scene_link ){ .name = name_copy,
	                                                  .parent = parent,
	                                                  .origin = dbvh_pose_identity(),
	                                                  .axis = { 1.0, 0.0, 0.0 },
	                                                  .lower = -INFINITY,
	                                                  .upper = INFINITY,
	                                                  .mimic = SCENE_NONE };
	return (uint32_t)model->link_count++;
}

uint32_t scene_add_state( scene_model *model, const char *name ) {
	char *name_copy = scene_copy( name );
	double *values = calloc( model->link_count > 0 ? model->link_count : 1, sizeof *values );
	if ( name_copy == NULL || values == NULL || model->state_count >= MOST ||
	     !scene_grow( &model->states, &model->state_capacity, model->state_count, sizeof *model->states ) ) {
		free( name_copy );
		free( values );
		return SCENE_NONE;
	}
	model->states[model->state_count] = ( scene_state ){ name_copy, values };
	return (uint32_t)model->state_count++;
}

uint32_t scene_add_rule( scene_model *model, const char *a, const char *b, const dbvh_pair_rule *rule ) {
	char *own_a = scene_copy( a ), *own_b = scene_copy( b );
	if ( ( a != NULL && own_a == NULL ) || ( b != NULL && own_b == NULL ) || model->rule_count >= MOST ||
	     !scene_grow( &model->rules, &model->rule_capacity, model->rule_count, sizeof *model->rules ) ) {
		free( own_a );
		free( own_b );
		return SCENE_NONE;
	}
	model->rules[model->rule_count] = ( scene_rule ){ .a = own_a, .b = own_b, .rule = *rule, .severity = SCENE_MAJOR };
	return (uint32_t)model->rule_count++;
}

uint32_t scene_add_ignore( scene_model *model, const char *id, const char *a, const char *b, const char *reason ) {
	scene_ignore_entry own = { 0 };
	if ( !scene_set_text( &own.id, id ) || !scene_set_text( &own.a, a ) || !scene_set_text( &own.b, b ) ||
	     !scene_set_text( &own.reason, reason ) || model->ignore_count >= MOST ||
	     !scene_grow( &model->ignores, &model->ignore_capacity, model->ignore_count, sizeof *model->ignores ) ) {
		free( own.id );
		free( own.a );
		free( own.b );
		free( own.reason );
		return SCENE_NONE;
	}
	model->ignores[model->ignore_count] = own;
	return (uint32_t)model->ignore_count++;
}

bool scene_set_text( char **place, const char *text ) {
	char *own = scene_copy( text );
	if ( text != NULL && own == NULL )
		return false;
	free( *place );
	*place = own;
	return true;
}

bool scene_add_note( scene_model *model, const char *format, ... ) {
	va_list arguments;
	va_start( arguments, format );
	char *text = scene_print( format, arguments );
	va_end( arguments );
	if ( text == NULL ||
	     !scene_grow( &model->notes, &model->note_capacity, model->note_count, sizeof *model->notes ) ) {
		free( text );
		return false;
	}
	model->notes[model->note_count++] = text;
	return true;
}

// ------------------------------------------------------------------------------------------------
// Patterns

// Does the pattern match text[0 .. length)? The usual walk: on a mismatch the last '*' takes one character more.
static bool matches( const char *pattern, const char *text, size_t length ) {
	const char *star = NULL;
	size_t i = 0, star_at = 0;
	while ( i < length ) {
		if ( *pattern == '*' ) {
			star = ++pattern;
			star_at = i;
		} else if ( *pattern == '\\' && pattern[1] == text[i] ) {
			pattern += 2;
			++i;
		} else if ( *pattern == '?' || ( *pattern != '\0' && *pattern != '\\' && *pattern == text[i] ) ) {
			++pattern;
			++i;
		} else if ( star != NULL ) {
			pattern = star;
			i = ++star_at;
		} else {
			return false;
		}
	}
	while ( *pattern == '*' )
		++pattern;
	return *pattern == '\0';
}

bool scene_matches_text( const char *pattern, const char *text ) {
	return matches( pattern, text, strlen( text ) );
}

bool scene_matches( const char *pattern, const char *path ) {
	for ( size_t i = 0;; ++i ) {
		const bool is_end = path[i] == '\0';
		if ( ( is_end || path[i] == '/' ) && matches( pattern, path, i ) )
			return true;
		if ( is_end )
			return false;
	}
}

char *scene_exact_pattern( const char *text ) {
	char *made = malloc( 2 * strlen( text ) + 1 ), *to = made;
	if ( made == NULL )
		return NULL;
	for ( ; *text != '\0'; ++text ) {
		if ( strchr( "*?\\", *text ) != NULL )
			*to++ = '\\';
		*to++ = *text;
	}
	*to = '\0';
	return made;
}
