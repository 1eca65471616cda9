// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The scenes that people write: docs/scene-format.md says what is in them, docs/scene.schema.json says it to editors.

#include "formats/json/scene.h"

#include "formats/files.h"
#include "model/refuse.h"

#ifdef DUALBVH_WITH_JANSSON

#include <string.h>

bool json_unit_of( const json_keys *k, double *metres_out ) {
	static const struct {
		const char *name;
		double metres;
	} units[] = { { "m", 1.0 },           { "metre", 1.0 },       { "meter", 1.0 },       { "mm", 1e-3 },
	              { "millimetre", 1e-3 }, { "millimeter", 1e-3 }, { "cm", 1e-2 },         { "centimetre", 1e-2 },
	              { "centimeter", 1e-2 }, { "um", 1e-6 },         { "micrometre", 1e-6 }, { "micrometer", 1e-6 },
	              { "micron", 1e-6 },     { "km", 1e3 },          { "in", 0.0254 },       { "inch", 0.0254 },
	              { "ft", 0.3048 },       { "foot", 0.3048 } };
	const char *text = NULL;
	if ( !json_keys_text( k, "unit", &text ) )
		return false;
	*metres_out = 0.0;
	for ( size_t i = 0; text != NULL && i < sizeof units / sizeof units[0]; ++i )
		if ( strcmp( text, units[i].name ) == 0 )
			*metres_out = units[i].metres;
	return text == NULL || *metres_out > 0.0 ||
	       json_keys_refuse( k, "'unit' is '%.40s'; it is m, mm, cm, um, km, in or ft", text );
}

static bool check_root( json_scene *s ) {
	static const char *const known[] = { "$schema", "schema", "unit",   "defaults", "include",
	                                     "bodies",  "rules",  "ignore", "states" };
	static const char schema[] = "dualbvh.scene/1";
	const json_keys k = { s->root, "scene", s->error };
	const char *text = schema, *unused = NULL;
	double metres;
	if ( !json_keys_check( &k, known, sizeof known / sizeof known[0] ) || !json_keys_text( &k, "schema", &text ) ||
	     !json_keys_text( &k, "$schema", &unused ) || !json_unit_of( &k, &metres ) )
		return false;
	if ( strcmp( text, schema ) != 0 )
		return json_keys_refuse( &k, "'schema' is '%.40s'; %s is read", text, schema );
	if ( metres > 0.0 )
		s->model->metres = metres;
	return true;
}

dbvh_status scene_read_json( const unsigned char *bytes, size_t count, const scene_source *source, scene_model *model,
                             dbvh_error *error ) {
	dbvh_error own = { .byte = -1, .element = -1 };
	const json_level *outer = source->level;
	json_t *root = scene_json_load( bytes, count, false, &own );
	json_scene s = { .model = model,
	                 .error = &own,
	                 .root = root,
	                 .level = { .outer = outer,
	                            .source = source,
	                            .bytes = bytes,
	                            .count = count,
	                            .depth = outer != NULL ? outer->depth + 1 : 0 } };
	const size_t first_body = model->body_count;
	bool good = root != NULL && check_root( &s ) && json_read_defaults( &s ) && json_read_includes( &s ) &&
	            json_read_bodies( &s ) && json_read_rules( &s ) && json_read_ignores( &s ) && json_read_states( &s );
	if ( good && model->body_count == first_body ) {
		scene_refuse( &own, DBVH_EMPTY, "there is no body in the scene: neither 'bodies' nor 'include' names one" );
		good = false;
	}
	json_decref( root );
	if ( error != NULL )
		*error = own;
	return good ? DBVH_OK : own.status;
}

#else

dbvh_status scene_read_json( const unsigned char *bytes, size_t count, const scene_source *source, scene_model *model,
                             dbvh_error *error ) {
	(void)bytes, (void)count, (void)source, (void)model;
	return scene_refuse_without( error, "jansson", "JSON scenes" );
}

#endif
