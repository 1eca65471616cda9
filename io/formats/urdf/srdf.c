// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Reads an SRDF file, which adds to a robot which links may meet, and named states. The meaning is MoveIt's: links with
// disabled default collisions may meet any other, a pair that is enabled is tested all the same, and a pair that is
// disabled is not, whatever else is said of it. Groups, end effectors, virtual and passive joints have no meaning here.

#include "formats/files.h"
#include "formats/xml.h"
#include "model/links.h"
#include "model/refuse.h"
#include "text/grow.h"

#include <stdlib.h>
#include <string.h>

// In the order in which rules are added: of two alike the later one holds.
typedef enum entry_kind { ENTRY_DEFAULT, ENTRY_ENABLE, ENTRY_DISABLE, ENTRY_KIND_COUNT } entry_kind;

typedef struct entry {
	entry_kind kind;
	uint32_t link_a, link_b; // b: SCENE_NONE for a default
	char *reason;
	int64_t line;
} entry;

typedef struct reader {
	scene_model *model;
	scene_link_names names;
	entry *entries;
	size_t entry_count, entry_capacity;
	bool in_state;
	uint32_t state;
	scene_xml *xml;
} reader;

static void refuse_memory( reader *r ) {
	scene_xml_refuse( r->xml, DBVH_OUT_OF_MEMORY, "there is no memory for what the file says" );
}

// ------------------------------------------------------------------------------------------------
// Pairs

// Find a name behind the prefix of its robot.
static uint32_t find( reader *r, const scene_names *names, const char *text ) {
	char *full = scene_prefixed( r->model, text );
	const uint32_t found = full != NULL ? scene_names_find( names, full ) : SCENE_NONE;
	if ( full == NULL )
		refuse_memory( r );
	free( full );
	return found;
}

static bool link_of( reader *r, const char *element, const char *const *attributes, const char *name, uint32_t *out ) {
	const char *text = scene_xml_get( attributes, name );
	char more[120];
	if ( text == NULL ) {
		scene_xml_refuse( r->xml, DBVH_MALFORMED, "<%s> has no %s", element, name );
		return false;
	}
	*out = find( r, &r->names.links, text );
	if ( *out != SCENE_NONE || scene_xml_has_failed( r->xml ) )
		return *out != SCENE_NONE;
	scene_suggest( r->model, SCENE_KIN_LINK, text, more, sizeof more );
	scene_xml_refuse( r->xml, DBVH_MALFORMED, "the robot has no link '%.80s'%s", text, more );
	return false;
}

static void read_entry( reader *r, entry_kind kind, const char *element, const char *const *attributes ) {
	entry e = { .kind = kind, .link_b = SCENE_NONE, .line = scene_xml_line( r->xml ) };
	if ( kind == ENTRY_DEFAULT ? !link_of( r, element, attributes, "link", &e.link_a )
	                           : !link_of( r, element, attributes, "link1", &e.link_a ) ||
	                                 !link_of( r, element, attributes, "link2", &e.link_b ) )
		return;
	const char *reason = scene_xml_get( attributes, "reason" );
	e.reason = scene_copy( reason != NULL && reason[0] != '\0' ? reason : "disabled in the SRDF" );
	if ( e.reason == NULL || !scene_grow( &r->entries, &r->entry_capacity, r->entry_count, sizeof *r->entries ) ) {
		free( e.reason );
		refuse_memory( r );
		return;
	}
	r->entries[r->entry_count++] = e;
}

// ------------------------------------------------------------------------------------------------
// States

static bool is_taken( const reader *r, const char *name ) {
	for ( size_t i = 0; i < r->model->state_count; ++i )
		if ( strcmp( r->model->states[i].name, name ) == 0 )
			return true;
	return false;
}

// A state is called by its name; where another group has one of that name, by that of its group before it.
static char *name_of_state( reader *r, const char *name, const char *group ) {
	char *full = scene_prefixed( r->model, name );
	if ( full == NULL || !is_taken( r, full ) )
		return full;
	free( full );
	char *both = malloc( strlen( group ) + strlen( name ) + 2 );
	if ( both == NULL )
		return NULL;
	strcat( strcat( strcpy( both, group ), "/" ), name );
	full = scene_prefixed( r->model, both );
	free( both );
	return full;
}

static void begin_state( reader *r, const char *const *attributes ) {
	const char *name = scene_xml_get( attributes, "name" ), *group = scene_xml_get( attributes, "group" );
	if ( name == NULL || name[0] == '\0' ) {
		scene_xml_refuse( r->xml, DBVH_MALFORMED, "<group_state> has no name" );
		return;
	}
	char *full = name_of_state( r, name, group != NULL ? group : "" );
	if ( full != NULL && is_taken( r, full ) ) {
		scene_xml_refuse( r->xml, DBVH_MALFORMED, "there are two states '%.100s'", name );
	} else {
		r->state = full != NULL ? scene_add_state( r->model, full ) : SCENE_NONE;
		r->in_state = r->state != SCENE_NONE;
		if ( !r->in_state )
			refuse_memory( r );
	}
	free( full );
}

static void note( reader *r, const char *what, const char *joint ) {
	if ( !scene_add_note( r->model, "state '%s': joint '%s' %s", r->model->states[r->state].name, joint, what ) )
		refuse_memory( r );
}

static void read_value( reader *r, const char *const *attributes ) {
	const char *name = scene_xml_get( attributes, "name" ), *text = scene_xml_get( attributes, "value" );
	char more[120];
	double value;
	if ( name == NULL || text == NULL ) {
		scene_xml_refuse( r->xml, DBVH_MALFORMED, "<joint> of a state has no %s", name == NULL ? "name" : "value" );
		return;
	}
	const uint32_t number = find( r, &r->names.joints, name );
	if ( number == SCENE_NONE ) {
		scene_suggest( r->model, SCENE_KIN_JOINT, name, more, sizeof more );
		scene_xml_refuse( r->xml, DBVH_MALFORMED, "the robot has no joint '%.80s'%s", name, more );
		return;
	}
	const scene_link *link = &r->model->links[number];
	if ( link->mimic != SCENE_NONE ) {
		note( r, "follows another one; what is said of it is not looked at", name );
	} else if ( link->kind == SCENE_JOINT_FIXED ) {
		note( r, "does not move; what is said of it is not looked at", name );
	} else if ( !scene_xml_reals( text, &value, 1 ) ) {
		scene_xml_refuse( r->xml, DBVH_MALFORMED, "the value of joint '%.80s' is a number, and '%.60s' is not", name,
		                  text );
	} else {
		if ( value < link->lower || value > link->upper )
			note( r, "is beyond its limits", name );
		r->model->states[r->state].values[number] = value;
	}
}

// ------------------------------------------------------------------------------------------------
// Elements

static void begin_in_robot( reader *r, const char *element, const char *const *attributes ) {
	static const char *const kinds[] = { "disable_default_collisions", "enable_collisions", "disable_collisions" };
	for ( int i = 0; i < ENTRY_KIND_COUNT; ++i )
		if ( strcmp( element, kinds[i] ) == 0 )
			read_entry( r, (entry_kind)i, element, attributes );
	if ( strcmp( element, "group_state" ) == 0 )
		begin_state( r, attributes );
	else if ( strcmp( element, "link" ) == 0 || strcmp( element, "joint" ) == 0 )
		scene_xml_refuse( r->xml, DBVH_UNKNOWN_FORMAT, "<%s>: this is a URDF, and no SRDF", element );
}

// Places are depths.
static int on_begin( void *user, scene_xml *xml, int outer, const char *element, const char *const *attributes ) {
	reader *r = user;
	const int depth = outer + 1;
	r->xml = xml;
	if ( depth == 1 && strcmp( element, "robot" ) != 0 )
		scene_xml_refuse( xml, DBVH_UNKNOWN_FORMAT, "an SRDF file begins with <robot>, and this one with <%.60s>",
		                  element );
	else if ( depth == 2 )
		begin_in_robot( r, element, attributes );
	else if ( depth == 3 && r->in_state && strcmp( element, "joint" ) == 0 )
		read_value( r, attributes );
	return depth;
}

static void on_end( void *user, scene_xml *xml, int depth ) {
	(void)xml;
	if ( depth == 2 )
		( (reader *)user )->in_state = false;
}

// ------------------------------------------------------------------------------------------------
// Rules

// Remove the rules that were assumed for neighbours in this robot: the SRDF states them.
static bool drop_assumed( scene_model *model ) {
	char *prefix = scene_exact_pattern( model->prefix != NULL ? model->prefix : "" );
	size_t kept = 0;
	for ( size_t i = 0; prefix != NULL && i < model->rule_count; ++i ) {
		scene_rule *rule = &model->rules[i];
		if ( rule->is_assumed && strncmp( rule->a, prefix, strlen( prefix ) ) == 0 ) {
			free( rule->a );
			free( rule->b );
			free( rule->name );
			free( rule->reason );
		} else {
			model->rules[kept++] = *rule;
		}
	}
	if ( prefix != NULL )
		model->rule_count = kept;
	free( prefix );
	return prefix != NULL;
}

static bool add_rule( scene_model *model, entry *e ) {
	char *a = scene_exact_pattern( model->links[e->link_a].name );
	char *b = e->link_b != SCENE_NONE ? scene_exact_pattern( model->links[e->link_b].name ) : NULL;
	const dbvh_pair_rule rule = { .may_collide = e->kind != ENTRY_ENABLE };
	const uint32_t number =
	    a != NULL && ( b != NULL || e->link_b == SCENE_NONE ) ? scene_add_rule( model, a, b, &rule ) : SCENE_NONE;
	free( a );
	free( b );
	if ( number == SCENE_NONE )
		return false;
	model->rules[number].line = e->line;
	if ( e->kind != ENTRY_ENABLE ) {
		model->rules[number].reason = e->reason;
		e->reason = NULL;
	}
	return true;
}

// Rules of links without bodies would match nothing; such links are no mistake.
static bool add_rules( reader *r ) {
	scene_model *model = r->model;
	bool *has_body = calloc( model->link_count, sizeof *has_body ), good = has_body != NULL;
	for ( size_t i = 0; good && i < model->body_count; ++i )
		if ( model->bodies[i].link != SCENE_NONE )
			has_body[model->bodies[i].link] = true;
	for ( int kind = 0; good && kind < ENTRY_KIND_COUNT; ++kind ) {
		for ( size_t i = 0; good && i < r->entry_count; ++i ) {
			entry *e = &r->entries[i];
			if ( (int)e->kind == kind && has_body[e->link_a] && ( e->link_b == SCENE_NONE || has_body[e->link_b] ) )
				good = add_rule( model, e );
		}
	}
	free( has_body );
	return good;
}

dbvh_status scene_read_srdf( const unsigned char *bytes, size_t count, scene_model *model, dbvh_error *error ) {
	if ( model->link_count == 0 )
		return scene_refuse_at( error, DBVH_INVALID_ARGUMENT, 0,
		                        "an SRDF file is about a robot, and there is none yet" );
	reader r = { .model = model };
	if ( !scene_link_names_make( model, &r.names ) )
		return scene_refuse_memory( error );
	const scene_xml_handler handler = { on_begin, on_end, &r, NULL };
	dbvh_status status = scene_xml_read( bytes, count, &handler, error );
	if ( status == DBVH_OK ) {
		if ( !drop_assumed( model ) || !add_rules( &r ) )
			status = scene_refuse_memory( error );
	}
	for ( size_t i = 0; i < r.entry_count; ++i )
		free( r.entries[i].reason );
	free( r.entries );
	scene_link_names_free( &r.names );
	return status;
}
