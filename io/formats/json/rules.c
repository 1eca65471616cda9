// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "formats/json/scene.h"

#ifdef DUALBVH_WITH_JANSSON

#include "model/refuse.h"
#include "text/suggest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool no_memory( json_scene *s ) {
	scene_refuse_memory( s->error );
	return false;
}

// The pattern for a file whose bodies have a prefix. To be freed; NULL where there is no memory.
static char *prefixed_pattern( const json_scene *s, const char *pattern ) {
	char *prefix = scene_exact_pattern( s->model->prefix != NULL ? s->model->prefix : "" );
	char *made = prefix != NULL ? malloc( strlen( prefix ) + strlen( pattern ) + 1 ) : NULL;
	if ( made != NULL )
		sprintf( made, "%s%s", prefix, pattern );
	free( prefix );
	return made;
}

// With a prefix even a rule that names no pattern is about the bodies of this file alone.
static uint32_t add_rule( json_scene *s, const char *a, const char *b, const dbvh_pair_rule *rule ) {
	if ( a == NULL && s->model->prefix != NULL )
		a = b = "*";
	char *own_a = a != NULL ? prefixed_pattern( s, a ) : NULL, *own_b = b != NULL ? prefixed_pattern( s, b ) : NULL;
	uint32_t number = SCENE_NONE;
	if ( ( a == NULL ) == ( own_a == NULL ) && ( b == NULL ) == ( own_b == NULL ) )
		number = scene_add_rule( s->model, own_a, own_b, rule );
	free( own_a );
	free( own_b );
	return number;
}

static bool read_severity( const json_keys *k, scene_severity *out ) {
	const char *word = NULL;
	*out = SCENE_MAJOR;
	return json_keys_text( k, "severity", &word ) &&
	       ( word == NULL || scene_severity_read( word, out ) ||
	         json_keys_refuse( k, "'%.40s' is no severity, which is " SCENE_SEVERITY_WORDS, word ) );
}

static bool read_rule( const json_keys *k, dbvh_pair_rule *rule, scene_severity *severity ) {
	*rule = dbvh_pair_rule_default();
	if ( !read_severity( k, severity ) )
		return false;
	if ( !json_keys_flag( k, "allow", &rule->may_collide ) || !json_keys_flag( k, "touch", &rule->may_touch ) ||
	     !json_keys_length( k, "clearance", &rule->clearance ) ||
	     !json_keys_length( k, "touch_gap", &rule->touch_gap ) ||
	     !json_keys_length( k, "touch_overlap", &rule->touch_overlap ) ||
	     !json_keys_length( k, "allowed_depth", &rule->allowed_depth ) ||
	     !json_keys_length( k, "allowed_volume", &rule->allowed_volume ) )
		return false;
	const bool says_more = rule->may_touch || rule->clearance > 0.0 || rule->touch_gap > 0.0 ||
	                       rule->touch_overlap > 0.0 || rule->allowed_depth > 0.0 || rule->allowed_volume > 0.0;
	if ( rule->may_collide && says_more )
		return json_keys_refuse( k, "bodies that are allowed to collide are not looked at: what else is said of them "
		                            "here would never matter" );
	return true;
}

bool json_read_defaults( json_scene *s ) {
	static const char *const known[] = { "sag",           "allow",         "touch",          "clearance", "touch_gap",
	                                     "touch_overlap", "allowed_depth", "allowed_volume", "severity" };
	const json_keys k = { json_object_get( s->root, "defaults" ), "defaults", s->error };
	dbvh_pair_rule rule;
	scene_severity severity;
	if ( k.object == NULL )
		return true;
	if ( !json_keys_check( &k, known, sizeof known / sizeof known[0] ) || !json_keys_length( &k, "sag", &s->sag ) ||
	     !read_rule( &k, &rule, &severity ) )
		return false;
	bool says_rule = false;
	for ( size_t i = 1; i < sizeof known / sizeof known[0]; ++i )
		says_rule = says_rule || json_keys_has( &k, known[i] );
	if ( !says_rule )
		return true;
	const uint32_t number = add_rule( s, NULL, NULL, &rule );
	if ( number == SCENE_NONE )
		return no_memory( s );
	s->model->rules[number].severity = severity;
	return true;
}

// Read three numbers. `is_direction`: not all of them 0; they get the length 1.
static bool read_triple( const json_keys *k, const char *key, bool is_direction, double out[3] ) {
	size_t count;
	if ( !json_keys_reals( k, key, 3, out, &count ) )
		return false;
	const double most = fmax( fabs( out[0] ), fmax( fabs( out[1] ), fabs( out[2] ) ) );
	if ( count != 3 || !( most <= 1e100 ) || ( is_direction && !( most >= 1e-100 ) ) )
		return json_keys_refuse( k, "'%s' takes three numbers up to 1e100%s", key,
		                         is_direction ? ", not all of them 0" : "" );
	if ( !is_direction )
		return true;
	const double length = hypot( hypot( out[0], out[1] ), out[2] );
	for ( int i = 0; i < 3; ++i )
		out[i] /= length;
	return true;
}

static bool read_swing( const json_keys *outer, scene_way *way ) {
	static const char *const known[] = { "centre", "axis", "degrees" };
	char where[64];
	snprintf( where, sizeof where, "%s.swing", outer->where );
	const json_keys k = { json_object_get( outer->object, "swing" ), where, outer->error };
	way->kind = SCENE_WAY_TURN;
	if ( !json_is_object( k.object ) )
		return json_keys_refuse( outer, "'swing' is no object of centre, axis and degrees" );
	if ( !json_keys_check( &k, known, sizeof known / sizeof known[0] ) ||
	     !read_triple( &k, "centre", false, way->centre ) || !read_triple( &k, "axis", true, way->axis ) )
		return false;
	const double degrees = json_number_value( json_object_get( k.object, "degrees" ) );
	if ( !( degrees != 0.0 && fabs( degrees ) <= 3600.0 ) )
		return json_keys_refuse( &k, "'degrees' takes a number of at most 3600, and not 0" );
	way->angle = degrees * ( 3.14159265358979323846 / 180.0 );
	return true;
}

// Read the way that a rule wants to be free.
static bool read_way( const json_keys *k, const dbvh_pair_rule *rule, scene_way *way ) {
	*way = ( scene_way ){ 0 };
	const bool swings = json_keys_has( k, "swing" ), goes = json_keys_has( k, "direction" );
	if ( !swings && !goes )
		return true;
	if ( !json_keys_has( k, "b" ) )
		return json_keys_refuse( k, "a rule with '%s' needs a pattern 'b': what is not to be in the way of 'a'",
		                         swings ? "swing" : "direction" );
	if ( rule->may_collide || ( swings && ( goes || rule->clearance > 0.0 ) ) ||
	     ( goes && !( rule->clearance > 0.0 ) ) )
		return json_keys_refuse( k,
		                         "'direction' goes with 'clearance', the length of the way, and 'swing' with neither" );
	if ( swings )
		return read_swing( k, way );
	way->kind = SCENE_WAY_STRAIGHT;
	return read_triple( k, "direction", true, way->axis );
}

static bool read_one_rule( json_scene *s, const json_keys *k ) {
	static const char *const known[] = {
	    "a",         "b",         "name",          "reason",        "allow",          "touch",
	    "clearance", "touch_gap", "touch_overlap", "allowed_depth", "allowed_volume", "severity",
	    "same",      "direction", "swing" };
	const char *a = NULL, *b = NULL, *name = NULL, *reason = NULL, *same = NULL;
	dbvh_pair_rule rule;
	scene_severity severity;
	scene_way way;
	if ( !json_keys_check( k, known, sizeof known / sizeof known[0] ) || !json_keys_text( k, "a", &a ) ||
	     !json_keys_text( k, "b", &b ) || !json_keys_text( k, "name", &name ) ||
	     !json_keys_text( k, "reason", &reason ) || !json_keys_text( k, "same", &same ) ||
	     !read_rule( k, &rule, &severity ) || !read_way( k, &rule, &way ) )
		return false;
	if ( a == NULL )
		return json_keys_refuse( k, "a rule needs a pattern 'a', and 'b' where it is of pairs; what holds for all "
		                            "belongs into 'defaults'" );
	if ( same != NULL && b == NULL )
		b = "*";
	const uint32_t number = add_rule( s, a, b, &rule );
	if ( number != SCENE_NONE ) {
		s->model->rules[number].severity = severity;
		s->model->rules[number].way = way;
	}
	return ( number != SCENE_NONE && scene_set_text( &s->model->rules[number].name, name ) &&
	         scene_set_text( &s->model->rules[number].same, same ) &&
	         scene_set_text( &s->model->rules[number].reason, reason ) ) ||
	       no_memory( s );
}

static bool read_one_ignore( json_scene *s, const json_keys *k ) {
	static const char *const known[] = { "id", "a", "b", "reason" };
	const char *id = NULL, *a = NULL, *b = NULL, *reason = NULL;
	if ( !json_keys_check( k, known, sizeof known / sizeof known[0] ) || !json_keys_text( k, "id", &id ) ||
	     !json_keys_text( k, "a", &a ) || !json_keys_text( k, "b", &b ) || !json_keys_text( k, "reason", &reason ) )
		return false;
	if ( ( id != NULL ) == ( a != NULL ) || ( a == NULL && b != NULL ) )
		return json_keys_refuse( k, "a clash is named by its 'id', or by patterns 'a' and 'b'" );
	if ( reason == NULL )
		return json_keys_refuse( k, "there is no 'reason': who reads this later will want to know it" );
	char *own_a = a != NULL ? prefixed_pattern( s, a ) : NULL, *own_b = b != NULL ? prefixed_pattern( s, b ) : NULL;
	const bool good = ( a == NULL ) == ( own_a == NULL ) && ( b == NULL ) == ( own_b == NULL ) &&
	                  scene_add_ignore( s->model, id, own_a, own_b, reason ) != SCENE_NONE;
	free( own_a );
	free( own_b );
	return good || no_memory( s );
}

static bool read_list( json_scene *s, const char *key, bool ( *read_one )( json_scene *, const json_keys * ) ) {
	const json_keys all = { s->root, "scene", s->error };
	const json_t *list;
	char where[40];
	if ( !json_keys_array( &all, key, &list ) )
		return false;
	for ( size_t i = 0; i < json_array_size( list ); ++i ) {
		snprintf( where, sizeof where, "%s[%zu]", key, i );
		const json_keys k = { json_array_get( list, i ), where, s->error };
		if ( !read_one( s, &k ) )
			return false;
	}
	return true;
}

bool json_read_rules( json_scene *s ) {
	return read_list( s, "rules", read_one_rule );
}

bool json_read_ignores( json_scene *s ) {
	return read_list( s, "ignore", read_one_ignore );
}

// ------------------------------------------------------------------------------------------------
// States

// The link of a joint that moves, or SCENE_NONE after filling in *error.
static uint32_t find_joint( json_scene *s, const json_keys *k, const char *name ) {
	char *full = scene_prefixed( s->model, name );
	uint32_t found = SCENE_NONE;
	if ( full == NULL ) {
		no_memory( s );
		return SCENE_NONE;
	}
	for ( uint32_t i = 0; i < s->model->link_count && found == SCENE_NONE; ++i )
		if ( s->model->links[i].joint != NULL && strcmp( s->model->links[i].joint, full ) == 0 )
			found = i;
	free( full );
	if ( found == SCENE_NONE ) {
		const char *const one = NULL;
		const char **names = malloc( ( s->model->link_count + 1 ) * sizeof one );
		const char *meant = NULL;
		size_t count = 0;
		const size_t skipped = s->model->prefix != NULL ? strlen( s->model->prefix ) : 0;
		for ( uint32_t i = 0; names != NULL && i < s->model->link_count; ++i )
			if ( s->model->links[i].joint != NULL && strlen( s->model->links[i].joint ) > skipped )
				names[count++] = s->model->links[i].joint + skipped;
		if ( names != NULL )
			meant = suggest( name, strlen( name ), names, count );
		json_keys_refuse( k, "there is no joint '%.60s'%s%.60s%s", name, meant != NULL ? " (did you mean '" : "",
		                  meant != NULL ? meant : "", meant != NULL ? "'?)" : "" );
		free( names );
	} else if ( s->model->links[found].kind == SCENE_JOINT_FIXED || s->model->links[found].mimic != SCENE_NONE ) {
		json_keys_refuse( k, "joint '%.60s' %s", name,
		                  s->model->links[found].kind == SCENE_JOINT_FIXED ? "is fixed"
		                                                                   : "follows another one, and has no number" );
		return SCENE_NONE;
	}
	return found;
}

static bool read_one_state( json_scene *s, const char *name, json_t *values ) {
	char where[80];
	const char *joint;
	json_t *value;
	snprintf( where, sizeof where, "states: '%.40s'", name );
	const json_keys k = { values, where, s->error };
	if ( *name == '\0' || !json_is_object( values ) )
		return json_keys_refuse( &k, "a state has a name, and is an object of joints and their numbers" );
	char *full = scene_prefixed( s->model, name );
	if ( full == NULL )
		return no_memory( s );
	bool is_taken = false;
	for ( size_t i = 0; i < s->model->state_count; ++i )
		is_taken = is_taken || strcmp( s->model->states[i].name, full ) == 0;
	const uint32_t number = is_taken ? SCENE_NONE : scene_add_state( s->model, full );
	free( full );
	if ( is_taken )
		return json_keys_refuse( &k, "there is a state of this name already" );
	if ( number == SCENE_NONE )
		return no_memory( s );
	json_object_foreach( values, joint, value ) {
		const uint32_t link = find_joint( s, &k, joint );
		if ( link == SCENE_NONE )
			return false;
		if ( !json_is_number( value ) )
			return json_keys_refuse( &k, "joint '%.60s' has no number", joint );
		s->model->states[number].values[link] = json_number_value( value );
	}
	return true;
}

bool json_read_states( json_scene *s ) {
	const json_keys k = { s->root, "scene", s->error };
	json_t *states = json_object_get( s->root, "states" );
	const char *name;
	json_t *values;
	if ( states != NULL && !json_is_object( states ) )
		return json_keys_refuse( &k, "'states' is no object" );
	json_object_foreach( states, name, values ) {
		if ( !read_one_state( s, name, values ) )
			return false;
	}
	return true;
}

#else

typedef int json_rules_is_empty;

#endif
