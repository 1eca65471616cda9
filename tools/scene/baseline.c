// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "scene/baseline.h"

#include "scene/disk.h"
#include "scene/hash.h"
#include "scene/refuse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef DUALBVH_WITH_JANSSON
#include <jansson.h>

static dbvh_status refuse( dbvh_error *error, int64_t line, const char *sentence ) {
	*error = ( dbvh_error ){ .status = DBVH_MALFORMED, .line = line, .byte = -1, .element = -1 };
	snprintf( error->text, sizeof error->text, "%s", sentence );
	return DBVH_MALFORMED;
}

static dbvh_status no_memory( dbvh_error *error ) {
	*error = ( dbvh_error ){ .status = DBVH_OUT_OF_MEMORY, .byte = -1, .element = -1 };
	return DBVH_OUT_OF_MEMORY;
}

// ------------------------------------------------------------------------------------------------
// What the report says

// Texts stay the report's.
typedef struct entry {
	const char *id, *a, *b, *kind;
	bool is_there; // now, too
} entry;

typedef struct baseline {
	json_t *root;
	entry *entries;
	size_t count;
	scene_names ids;    // number of an entry
	scene_names bodies; // number of a fingerprint
	const char **fingerprints;
	const char *rules;
} baseline;

static void close_report( baseline *b ) {
	scene_names_free( &b->ids );
	scene_names_free( &b->bodies );
	free( b->entries );
	free( b->fingerprints );
	json_decref( b->root );
}

static const char *text_of( const json_t *object, const char *key ) {
	return json_string_value( json_object_get( object, key ) );
}

static dbvh_status read_clashes( baseline *b, const json_t *list, dbvh_error *error ) {
	char sentence[96];
	b->entries = calloc( json_array_size( list ) + 1, sizeof *b->entries );
	if ( b->entries == NULL )
		return no_memory( error );
	for ( size_t i = 0; i < json_array_size( list ); ++i ) {
		const json_t *clash = json_array_get( list, i );
		entry *e = &b->entries[b->count];
		*e = ( entry ){ text_of( clash, "id" ), text_of( clash, "a" ), text_of( clash, "b" ), text_of( clash, "kind" ),
		                false };
		if ( e->id == NULL || e->a == NULL || e->b == NULL || e->kind == NULL ) {
			snprintf( sentence, sizeof sentence, "clash %zu lacks one of id, kind, a and b", i );
			return refuse( error, 0, sentence );
		}
		if ( scene_names_find( &b->ids, e->id ) != SCENE_NONE )
			continue;
		if ( !scene_names_add( &b->ids, e->id, (uint32_t)b->count++ ) )
			return no_memory( error );
	}
	return DBVH_OK;
}

static dbvh_status read_bodies( baseline *b, const json_t *list, dbvh_error *error ) {
	const size_t count = json_array_size( list );
	b->fingerprints = calloc( count + 1, sizeof *b->fingerprints );
	if ( b->fingerprints == NULL )
		return no_memory( error );
	for ( size_t i = 0; i < count; ++i ) {
		const char *path = text_of( json_array_get( list, i ), "path" );
		b->fingerprints[i] = text_of( json_array_get( list, i ), "fingerprint" );
		if ( path == NULL || b->fingerprints[i] == NULL )
			return refuse( error, 0, "one of its clashing_bodies lacks a path or a fingerprint" );
		if ( scene_names_find( &b->bodies, path ) == SCENE_NONE && !scene_names_add( &b->bodies, path, (uint32_t)i ) )
			return no_memory( error );
	}
	return DBVH_OK;
}

static dbvh_status open_report( baseline *b, const unsigned char *bytes, size_t count, dbvh_error *error ) {
	json_error_t where;
	b->root = json_loadb( (const char *)bytes, count, 0, &where );
	if ( b->root == NULL )
		return refuse( error, where.line, where.text );
	const char *schema = text_of( b->root, "schema" );
	const json_t *clashes = json_object_get( b->root, "clashes" ),
	             *bodies = json_object_get( b->root, "clashing_bodies" );
	b->rules = text_of( b->root, "rules" );
	if ( schema == NULL || strcmp( schema, "dualbvh.clashes/1" ) != 0 )
		return refuse( error, 0, "it is no report of dualbvh scene: its \"schema\" is not \"dualbvh.clashes/1\"" );
	if ( b->rules == NULL || !json_is_array( clashes ) || !json_is_array( bodies ) )
		return refuse( error, 0, "it lacks one of rules, clashes and clashing_bodies" );
	const dbvh_status status = read_clashes( b, clashes, error );
	return status == DBVH_OK ? read_bodies( b, bodies, error ) : status;
}

// ------------------------------------------------------------------------------------------------
// Against what is now

typedef enum body_change { BODY_SAME, BODY_CHANGED, BODY_MISSING } body_change;

static body_change change_of( const scene_findings *f, const baseline *b, const char *path ) {
	const uint32_t now = scene_names_find( &f->assembly->model.paths, path );
	const uint32_t then = scene_names_find( &b->bodies, path );
	char text[SCENE_HASH_ROOM];
	if ( now == SCENE_NONE )
		return BODY_MISSING;
	if ( then == SCENE_NONE )
		return BODY_CHANGED; // nothing is known of it
	scene_hash_print( scene_body_fingerprint( f, now ), text );
	return strcmp( text, b->fingerprints[then] ) == 0 ? BODY_SAME : BODY_CHANGED;
}

static scene_absence why_absent( const scene_findings *f, const baseline *b, const entry *e ) {
	const body_change change_a = change_of( f, b, e->a ), change_b = change_of( f, b, e->b );
	if ( change_a == BODY_MISSING || change_b == BODY_MISSING )
		return SCENE_ABSENT_MISSING;
	if ( change_a == BODY_CHANGED || change_b == BODY_CHANGED )
		return SCENE_ABSENT_CHANGED;
	if ( !f->baseline_has_same_rules )
		return SCENE_ABSENT_RULES;
	return f->is_finished ? SCENE_ABSENT_SAME : SCENE_ABSENT_UNFINISHED;
}

static char *copy( const char *text ) {
	char *made = malloc( strlen( text ) + 1 );
	return made != NULL ? strcpy( made, text ) : NULL;
}

static bool list_absent( scene_findings *f, const baseline *b ) {
	f->absent = calloc( b->count + 1, sizeof *f->absent );
	bool ok = f->absent != NULL;
	for ( size_t i = 0; ok && i < b->count; ++i ) {
		const entry *e = &b->entries[i];
		if ( e->is_there )
			continue;
		scene_absent *absent = &f->absent[f->absent_count++];
		*absent = ( scene_absent ){ copy( e->id ), copy( e->a ), copy( e->b ), copy( e->kind ), why_absent( f, b, e ) };
		ok = absent->id != NULL && absent->a != NULL && absent->b != NULL && absent->kind != NULL;
	}
	return ok;
}

dbvh_status scene_compare_bytes( scene_findings *findings, const unsigned char *bytes, size_t count,
                                 dbvh_error *error ) {
	baseline b = { 0 };
	*error = ( dbvh_error ){ .byte = -1, .element = -1 };
	dbvh_status status = open_report( &b, bytes, count, error );
	if ( status == DBVH_OK ) {
		char text[SCENE_HASH_ROOM];
		findings->has_baseline = true;
		findings->baseline_has_same_rules = strcmp( scene_hash_print( findings->rules, text ), b.rules ) == 0;
		for ( size_t i = 0; i < findings->clash_count; ++i ) {
			scene_clash *c = &findings->clashes[i];
			const uint32_t known = scene_names_find( &b.ids, scene_hash_print( c->id, text ) );
			c->standing = known != SCENE_NONE ? SCENE_UNCHANGED : SCENE_NEW;
			if ( known != SCENE_NONE )
				b.entries[known].is_there = true;
		}
		if ( !list_absent( findings, &b ) )
			status = no_memory( error );
	}
	close_report( &b );
	return status;
}

#else

dbvh_status scene_compare_bytes( scene_findings *findings, const unsigned char *bytes, size_t count,
                                 dbvh_error *error ) {
	(void)findings, (void)bytes, (void)count;
	return scene_refuse_without( error, "jansson", "reports" );
}

#endif

dbvh_status scene_compare( scene_findings *findings, const char *file, dbvh_error *error ) {
	size_t count;
	unsigned char *bytes;
	dbvh_status status = scene_disk_read( file, &bytes, &count, NULL, error );
	if ( status != DBVH_OK )
		return status;
	status = scene_compare_bytes( findings, bytes, count, error );
	free( bytes );
	return status;
}
