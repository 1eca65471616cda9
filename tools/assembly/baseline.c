// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "assembly/baseline.h"

#include "model/refuse.h"
#include "model/whole_file.h"
#include "text/grow.h"
#include "text/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static dbvh_status no_memory( dbvh_error *error ) {
	*error = ( dbvh_error ){ .status = DBVH_OUT_OF_MEMORY, .byte = -1, .element = -1 };
	return DBVH_OUT_OF_MEMORY;
}

#ifdef DUALBVH_WITH_JANSSON
#include <jansson.h>

static dbvh_status refuse( dbvh_error *error, int64_t line, const char *sentence ) {
	*error = ( dbvh_error ){ .status = DBVH_MALFORMED, .line = line, .byte = -1, .element = -1 };
	snprintf( error->text, sizeof error->text, "%s", sentence );
	return DBVH_MALFORMED;
}

static dbvh_status refuse_clash( dbvh_error *error, size_t number, const char *what ) {
	char sentence[96];
	snprintf( sentence, sizeof sentence, "clash %zu %s", number, what );
	return refuse( error, 0, sentence );
}

// ------------------------------------------------------------------------------------------------
// Values

static const char *text_of( const json_t *object, const char *key ) {
	return json_string_value( json_object_get( object, key ) );
}

static bool read_hash( const json_t *object, const char *key, uint64_t *out ) {
	const char *text = text_of( object, key );
	return text != NULL && scene_hash_read( text, strlen( text ), out );
}

static bool read_real( const json_t *object, const char *key, double *out ) {
	const json_t *value = json_object_get( object, key );
	*out = json_number_value( value );
	return json_is_number( value );
}

static bool read_reals( const json_t *object, const char *key, double *out, size_t count ) {
	const json_t *list = json_object_get( object, key );
	bool ok = json_array_size( list ) == count;
	for ( size_t i = 0; i < count && ok; ++i ) {
		out[i] = json_number_value( json_array_get( list, i ) );
		ok = json_is_number( json_array_get( list, i ) );
	}
	return ok;
}

static bool read_pose( const json_t *object, dbvh_pose *out ) {
	double rows[12];
	if ( !read_reals( object, "pose", rows, 12 ) )
		return false;
	for ( int i = 0; i < 3; ++i ) {
		memcpy( out->rot[i], rows + 4 * i, sizeof out->rot[i] );
		out->pos[i] = rows[4 * i + 3];
	}
	return true;
}

// ------------------------------------------------------------------------------------------------
// Bodies and clashes

static dbvh_status read_bodies( scene_earlier *e, const json_t *list, dbvh_error *error ) {
	for ( size_t i = 0; i < json_array_size( list ); ++i ) {
		const json_t *from = json_array_get( list, i );
		const char *path = text_of( from, "path" ), *guid = text_of( from, "guid" );
		uint64_t fingerprint;
		if ( path == NULL || !read_hash( from, "fingerprint", &fingerprint ) )
			return refuse( error, 0, "one of its clashing_bodies lacks a path or a fingerprint" );
		const uint32_t number = scene_earlier_body( e, path );
		if ( number == SCENE_NONE )
			return no_memory( error );
		earlier_body *body = &e->bodies[number];
		if ( body->has_fingerprint )
			continue; // a second one of this path
		body->has_fingerprint = true;
		body->fingerprint = fingerprint;
		body->has_shape = read_hash( from, "shape", &body->shape );
		body->has_pose = read_pose( from, &body->pose );
		body->guid = scene_copy( guid );
		if ( guid != NULL && body->guid == NULL )
			return no_memory( error );
	}
	return DBVH_OK;
}

// Reports of schema 1 have depths by boxes, which are no local depths: they have one number, or other names. Those
// before version 0.2.0 have no regions.
static void read_measures( const scene_earlier *e, earlier_clash *c, const json_t *from ) {
	const earlier_body *a = &e->bodies[c->a], *b = &e->bodies[c->b];
	double lower[3], upper[3], depth[2], volume[2];
	c->has_depth = read_reals( from, "depth", depth, 2 ) && depth[0] <= depth[1];
	if ( c->has_depth )
		c->depth = ( dbvh_interval ){ depth[0], depth[1] };
	c->has_volume = read_reals( from, "volume", volume, 2 ) && volume[0] <= volume[1];
	if ( c->has_volume )
		c->volume = ( dbvh_interval ){ volume[0], volume[1] };
	c->has_distance = read_real( from, "distance", &c->distance );
	const char *severity = text_of( from, "severity" );
	c->has_severity = severity != NULL && scene_severity_read( severity, &c->severity );
	c->has_terms = read_hash( from, "terms", &c->terms );
	if ( !read_reals( from, "lower", lower, 3 ) || !read_reals( from, "upper", upper, 3 ) )
		return;
	c->middle.is_known = true;
	for ( int k = 0; k < 3; ++k )
		c->middle.world[k] = 0.5 * lower[k] + 0.5 * upper[k];
	if ( a->has_pose && b->has_pose )
		scene_earlier_place( &c->middle, c->middle.world, &a->pose, &b->pose );
}

static dbvh_status read_clash( scene_earlier *e, size_t number, const json_t *from, dbvh_error *error ) {
	const char *id = text_of( from, "id" ), *a = text_of( from, "a" ), *b = text_of( from, "b" ),
	           *kind = text_of( from, "kind" ), *rule = text_of( from, "rule" );
	uint64_t hash;
	dbvh_clash_kind which;
	if ( id == NULL || a == NULL || b == NULL || kind == NULL )
		return refuse_clash( error, number, "lacks one of id, kind, a and b" );
	if ( !scene_hash_read( id, strlen( id ), &hash ) )
		return refuse_clash( error, number, "has an id that is not sixteen hexadecimal digits" );
	if ( !scene_kind_read( kind, &which ) )
		return refuse_clash( error, number, "is of a kind that this version does not know" );
	const uint32_t body_a = scene_earlier_body( e, a ), body_b = scene_earlier_body( e, b );
	earlier_clash *c = body_a != SCENE_NONE && body_b != SCENE_NONE ? scene_earlier_add( e ) : NULL;
	if ( c == NULL )
		return no_memory( error );
	c->id = hash;
	c->a = body_a;
	c->b = body_b;
	c->kind = which;
	c->rule = scene_copy( rule );
	read_measures( e, c, from );
	return rule == NULL || c->rule != NULL ? DBVH_OK : no_memory( error );
}

static dbvh_status read_report( scene_earlier *e, const json_t *root, dbvh_error *error ) {
	const char *schema = text_of( root, "schema" );
	const json_t *clashes = json_object_get( root, "clashes" ), *bodies = json_object_get( root, "clashing_bodies" );
	if ( schema == NULL ||
	     ( strcmp( schema, "dualbvh.clashes/1" ) != 0 && strcmp( schema, "dualbvh.clashes/2" ) != 0 ) )
		return refuse( error, 0, "it is no report of dualbvh scene: its \"schema\" is not \"dualbvh.clashes/2\"" );
	if ( !read_hash( root, "rules", &e->rules ) || !json_is_array( clashes ) || !json_is_array( bodies ) )
		return refuse( error, 0, "it lacks one of rules, clashes and clashing_bodies" );
	if ( !read_real( root, "metres", &e->metres ) || !( e->metres > 0.0 ) )
		e->metres = 0.0;
	dbvh_status status = read_bodies( e, bodies, error );
	for ( size_t i = 0; status == DBVH_OK && i < json_array_size( clashes ); ++i )
		status = read_clash( e, i, json_array_get( clashes, i ), error );
	return status;
}

dbvh_status scene_baseline_read( scene_earlier *e, const unsigned char *bytes, size_t count, dbvh_error *error ) {
	json_error_t where;
	*error = ( dbvh_error ){ .byte = -1, .element = -1 };
	json_t *root = json_loadb( (const char *)bytes, count, 0, &where );
	if ( root == NULL )
		return refuse( error, where.line, where.text );
	const dbvh_status status = read_report( e, root, error );
	json_decref( root );
	return status;
}

#else

dbvh_status scene_baseline_read( scene_earlier *e, const unsigned char *bytes, size_t count, dbvh_error *error ) {
	(void)e, (void)bytes, (void)count;
	return scene_refuse_without( error, "jansson", "reports" );
}

#endif

dbvh_status scene_compare_bytes( scene_findings *findings, const unsigned char *bytes, size_t count,
                                 const scene_tolerance *tolerance, dbvh_error *error ) {
	scene_earlier e = { 0 };
	dbvh_status status = scene_baseline_read( &e, bytes, count, error );
	if ( status == DBVH_OK && !scene_stand( findings, &e, tolerance ) )
		status = no_memory( error );
	scene_earlier_free( &e );
	return status;
}

dbvh_status scene_compare( scene_findings *findings, const char *file, const scene_tolerance *tolerance,
                           dbvh_error *error ) {
	size_t count;
	unsigned char *bytes;
	dbvh_status status = scene_disk_read( file, &bytes, &count, NULL, error );
	if ( status != DBVH_OK )
		return status;
	status = scene_compare_bytes( findings, bytes, count, tolerance, error );
	free( bytes );
	return status;
}
