// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "assembly/baseline.h"

#include "assembly/refuse.h"
#include "assembly/whole_file.h"
#include "text/hash.h"

#include <math.h>
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
// Reading an earlier report

// A clash of the report; texts stay the report's. Reports of schema 1 have depths by boxes, which are no local depths,
// and are not compared; those before version 0.2.0 have no regions, either.
typedef struct entry {
	const char *id, *a, *b, *kind;
	bool has_depth, has_distance, has_region;
	dbvh_interval depth;
	double distance;
	double middle[3]; // middle of the region
	bool is_there;    // found in this run, too
} entry;

typedef struct known_body {
	const char *fingerprint;
	bool has_pose;
	dbvh_pose pose;
} known_body;

typedef struct baseline {
	json_t *root;
	entry *entries;
	size_t count;
	scene_names ids;   // number of an entry
	scene_names paths; // number of a body
	known_body *bodies;
	const char *rules;
} baseline;

static void close_report( baseline *b ) {
	scene_names_free( &b->ids );
	scene_names_free( &b->paths );
	free( b->entries );
	free( b->bodies );
	json_decref( b->root );
}

static const char *text_of( const json_t *object, const char *key ) {
	return json_string_value( json_object_get( object, key ) );
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

static entry read_entry( const json_t *clash ) {
	entry e = { .id = text_of( clash, "id" ),
	            .a = text_of( clash, "a" ),
	            .b = text_of( clash, "b" ),
	            .kind = text_of( clash, "kind" ) };
	double lower[3], upper[3], depth[2];
	e.has_depth = read_reals( clash, "depth", depth, 2 );
	if ( e.has_depth )
		e.depth = ( dbvh_interval ){ depth[0], depth[1] };
	e.has_distance = read_real( clash, "distance", &e.distance );
	e.has_region = read_reals( clash, "lower", lower, 3 ) && read_reals( clash, "upper", upper, 3 );
	for ( int k = 0; k < 3 && e.has_region; ++k )
		e.middle[k] = 0.5 * lower[k] + 0.5 * upper[k];
	return e;
}

static dbvh_status read_clashes( baseline *b, const json_t *list, dbvh_error *error ) {
	char sentence[96];
	b->entries = calloc( json_array_size( list ) + 1, sizeof *b->entries );
	if ( b->entries == NULL )
		return no_memory( error );
	for ( size_t i = 0; i < json_array_size( list ); ++i ) {
		const json_t *clash = json_array_get( list, i );
		entry *e = &b->entries[b->count];
		*e = read_entry( clash );
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

static dbvh_status read_bodies( baseline *b, const json_t *list, dbvh_error *error ) {
	const size_t count = json_array_size( list );
	b->bodies = calloc( count + 1, sizeof *b->bodies );
	if ( b->bodies == NULL )
		return no_memory( error );
	for ( size_t i = 0; i < count; ++i ) {
		const json_t *from = json_array_get( list, i );
		const char *path = text_of( from, "path" );
		b->bodies[i].fingerprint = text_of( from, "fingerprint" );
		b->bodies[i].has_pose = read_pose( from, &b->bodies[i].pose );
		if ( path == NULL || b->bodies[i].fingerprint == NULL )
			return refuse( error, 0, "one of its clashing_bodies lacks a path or a fingerprint" );
		if ( scene_names_find( &b->paths, path ) == SCENE_NONE && !scene_names_add( &b->paths, path, (uint32_t)i ) )
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
	if ( schema == NULL ||
	     ( strcmp( schema, "dualbvh.clashes/1" ) != 0 && strcmp( schema, "dualbvh.clashes/2" ) != 0 ) )
		return refuse( error, 0, "it is no report of dualbvh scene: its \"schema\" is not \"dualbvh.clashes/2\"" );
	if ( b->rules == NULL || !json_is_array( clashes ) || !json_is_array( bodies ) )
		return refuse( error, 0, "it lacks one of rules, clashes and clashing_bodies" );
	const dbvh_status status = read_clashes( b, clashes, error );
	return status == DBVH_OK ? read_bodies( b, bodies, error ) : status;
}

// ------------------------------------------------------------------------------------------------
// Comparison with this run

typedef enum body_change { BODY_SAME, BODY_CHANGED, BODY_MISSING } body_change;

static body_change change_of( const scene_findings *f, const baseline *b, const char *path ) {
	const uint32_t now = scene_names_find( &f->assembly->model.paths, path );
	const uint32_t then = scene_names_find( &b->paths, path );
	char text[SCENE_HASH_ROOM];
	if ( now == SCENE_NONE )
		return BODY_MISSING;
	if ( then == SCENE_NONE )
		return BODY_CHANGED; // nothing is known of it
	scene_hash_print( scene_body_fingerprint( f, now ), text );
	return strcmp( text, b->bodies[then].fingerprint ) == 0 ? BODY_SAME : BODY_CHANGED;
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

// ------------------------------------------------------------------------------------------------
// Clashes under the same id

// Rank the kinds of one overlap by how much of one body is in the other, a fit being the least; 1 for every other kind.
static int severity( const char *kind ) {
	static const char *const words[] = { "fit", "hard", "containment", "duplicate" };
	for ( int i = 0; i < 4; ++i )
		if ( strcmp( kind, words[i] ) == 0 )
			return i;
	return 1;
}

// Measures of one kind. False where there are none.
static bool measure_both( const scene_clash *c, const entry *e, dbvh_interval *now, dbvh_interval *then ) {
	if ( c->kind == DBVH_CLASH_KIND_CLEARANCE ) {
		*now = ( dbvh_interval ){ c->distance, c->distance };
		*then = ( dbvh_interval ){ e->distance, e->distance };
		return e->has_distance;
	}
	*now = c->overlap.depth;
	*then = e->depth;
	return c->overlap.has_depth && e->has_depth;
}

// Is it certainly deeper, or nearer, by more than the tolerance?
static bool is_worse( const scene_clash *c, const entry *e, bool has_measure, dbvh_interval now, dbvh_interval then,
                      double tolerance ) {
	if ( severity( scene_kind_word( c->kind ) ) > severity( e->kind ) )
		return true;
	return has_measure &&
	       ( c->kind == DBVH_CLASH_KIND_CLEARANCE ? then.lower - now.lower : now.lower - then.upper ) > tolerance;
}

// Move a point along with a body, from the body's pose in the report to its pose now.
static void follow( const dbvh_pose *then, const dbvh_pose *now, const double x[3], double out[3] ) {
	double local[3];
	for ( int k = 0; k < 3; ++k ) {
		local[k] = 0.0;
		for ( int i = 0; i < 3; ++i )
			local[k] += then->rot[i][k] * ( x[i] - then->pos[i] );
	}
	for ( int i = 0; i < 3; ++i )
		out[i] = now->rot[i][0] * local[0] + now->rot[i][1] * local[1] + now->rot[i][2] * local[2] + now->pos[i];
}

static void follow_body( const scene_findings *f, const baseline *b, uint32_t body, const double x[3], double out[3] ) {
	const uint32_t then = scene_names_find( &b->paths, scene_path( f, body ) );
	memcpy( out, x, 3 * sizeof *x );
	if ( then != SCENE_NONE && b->bodies[then].has_pose )
		follow( &b->bodies[then].pose, &f->assembly->model.bodies[body].pose, x, out );
}

static double between( const double a[3], const double b[3] ) {
	double sum = 0.0;
	for ( int k = 0; k < 3; ++k )
		sum += ( a[k] - b[k] ) * ( a[k] - b[k] );
	return sqrt( sum );
}

// How far the clash is from where it was, in the world; nothing where both bodies have gone the same way.
static double moved_by( const scene_findings *f, const baseline *b, const scene_clash *c, const entry *e ) {
	double middle[3], with_a[3], with_b[3];
	if ( !e->has_region )
		return 0.0;
	for ( int k = 0; k < 3; ++k )
		middle[k] = 0.5 * c->region.min[k] + 0.5 * c->region.max[k];
	follow_body( f, b, c->a, e->middle, with_a );
	follow_body( f, b, c->b, e->middle, with_b );
	return fmin( between( middle, e->middle ), between( with_a, with_b ) );
}

static bool note_was( scene_findings *f, scene_clash *c, const entry *e, bool has_measure, dbvh_interval measure,
                      double moved ) {
	c->was = (uint32_t)f->was_count;
	scene_was *was = &f->was[f->was_count++];
	*was = ( scene_was ){ copy( e->id ), copy( e->a ), copy( e->b ), copy( e->kind ), has_measure, measure, moved };
	return was->id != NULL && was->a != NULL && was->b != NULL && was->kind != NULL;
}

static bool compare_with( scene_findings *f, const baseline *b, scene_clash *c, entry *e,
                          const scene_tolerance *tolerance ) {
	dbvh_interval now, then;
	const bool has_measure = measure_both( c, e, &now, &then );
	const double worse = tolerance->worse >= 0.0 ? tolerance->worse : SCENE_WORSE_PART * c->size;
	const double most = tolerance->moved >= 0.0 ? tolerance->moved : SCENE_MOVED_PART * c->size;
	const double moved = moved_by( f, b, c, e );
	e->is_there = true;
	c->standing = is_worse( c, e, has_measure, now, then, worse ) ? SCENE_WORSENED
	              : !( moved <= most )                            ? SCENE_MOVED
	                                                              : SCENE_UNCHANGED;
	return note_was( f, c, e, has_measure, then, moved );
}

// ------------------------------------------------------------------------------------------------
// Renamed clashes

typedef struct keyed {
	uint64_t key;
	uint32_t number; // index of the entry
} keyed;

static int by_key( const void *a, const void *b ) {
	const keyed *x = a, *y = b;
	if ( x->key != y->key )
		return x->key < y->key ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

// The hash of what a renamed clash keeps: the triangles and places of both bodies, and the trouble.
static uint64_t key_of( const char *a, const char *b, const char *kind ) {
	const bool in_order = strcmp( a, b ) <= 0;
	uint64_t key = scene_hash_text( SCENE_HASH_START, in_order ? a : b );
	key = scene_hash_text( key, in_order ? b : a );
	return scene_hash_text( key, kind );
}

static size_t list_keys( const baseline *b, keyed *out ) {
	size_t count = 0;
	for ( uint32_t i = 0; i < b->count; ++i ) {
		const entry *e = &b->entries[i];
		const uint32_t first = scene_names_find( &b->paths, e->a ), second = scene_names_find( &b->paths, e->b );
		if ( !e->is_there && first != SCENE_NONE && second != SCENE_NONE )
			out[count++] =
			    ( keyed ){ key_of( b->bodies[first].fingerprint, b->bodies[second].fingerprint, e->kind ), i };
	}
	qsort( out, count, sizeof *out, by_key );
	return count;
}

// The entry with this key if it is the only one, else SCENE_NONE.
static uint32_t find_renamed( const scene_findings *f, const baseline *b, const keyed *keys, size_t count,
                              const scene_clash *c ) {
	char first[SCENE_HASH_ROOM], second[SCENE_HASH_ROOM];
	scene_hash_print( scene_body_fingerprint( f, c->a ), first );
	scene_hash_print( scene_body_fingerprint( f, c->b ), second );
	const uint64_t key = key_of( first, second, scene_kind_word( c->kind ) );
	size_t low = 0, high = count;
	while ( low < high ) {
		const size_t middle = low + ( high - low ) / 2;
		if ( keys[middle].key < key )
			low = middle + 1;
		else
			high = middle;
	}
	while ( low < count && keys[low].key == key && b->entries[keys[low].number].is_there )
		++low;
	return low < count && keys[low].key == key ? keys[low].number : SCENE_NONE;
}

// Bodies of the same triangles at the same places meet as they did.
static bool compare_renamed( scene_findings *f, baseline *b ) {
	keyed *keys = malloc( ( b->count + 1 ) * sizeof *keys );
	bool ok = keys != NULL;
	const size_t count = ok ? list_keys( b, keys ) : 0;
	for ( size_t i = 0; i < f->clash_count && ok && count > 0; ++i ) {
		scene_clash *c = &f->clashes[i];
		const uint32_t number = c->standing == SCENE_NEW ? find_renamed( f, b, keys, count, c ) : SCENE_NONE;
		if ( number == SCENE_NONE )
			continue;
		c->standing = SCENE_RENAMED;
		b->entries[number].is_there = true;
		ok = note_was( f, c, &b->entries[number], false, ( dbvh_interval ){ 0 }, 0.0 );
	}
	free( keys );
	return ok;
}

static bool compare_all( scene_findings *f, baseline *b, const scene_tolerance *tolerance ) {
	char text[SCENE_HASH_ROOM];
	f->was = calloc( b->count + 1, sizeof *f->was );
	bool ok = f->was != NULL;
	f->has_baseline = true;
	f->baseline_has_same_rules = strcmp( scene_hash_print( f->rules, text ), b->rules ) == 0;
	for ( size_t i = 0; i < f->clash_count && ok; ++i ) {
		scene_clash *c = &f->clashes[i];
		const uint32_t known = scene_names_find( &b->ids, scene_hash_print( c->id, text ) );
		c->standing = SCENE_NEW;
		if ( known != SCENE_NONE )
			ok = compare_with( f, b, c, &b->entries[known], tolerance );
	}
	return ok && compare_renamed( f, b ) && list_absent( f, b );
}

dbvh_status scene_compare_bytes( scene_findings *findings, const unsigned char *bytes, size_t count,
                                 const scene_tolerance *tolerance, dbvh_error *error ) {
	baseline b = { 0 };
	*error = ( dbvh_error ){ .byte = -1, .element = -1 };
	dbvh_status status = open_report( &b, bytes, count, error );
	if ( status == DBVH_OK && !compare_all( findings, &b, tolerance ) )
		status = no_memory( error );
	close_report( &b );
	return status;
}

#else

dbvh_status scene_compare_bytes( scene_findings *findings, const unsigned char *bytes, size_t count,
                                 const scene_tolerance *tolerance, dbvh_error *error ) {
	(void)findings, (void)bytes, (void)count, (void)tolerance;
	return scene_refuse_without( error, "jansson", "reports" );
}

#endif

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
