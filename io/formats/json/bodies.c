// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "formats/json/scene.h"
#include "formats/json/values.h"

#ifdef DUALBVH_WITH_JANSSON

#include "dualbvh/robot.h"
#include "model/baked.h"
#include "model/refuse.h"
#include "text/ending.h"
#include "text/grow.h"
#include "text/suggest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool no_memory( json_scene *s ) {
	scene_refuse_memory( s->error );
	return false;
}

// ------------------------------------------------------------------------------------------------
// What bodies and includes have in common

static bool read_pose( const json_keys *k, dbvh_pose *out ) {
	static const char *const known[] = { "translation", "quaternion", "rpy" };
	*out = dbvh_pose_identity();
	const json_t *value = json_object_get( k->object, "pose" );
	double m[16], r[4];
	size_t count;
	if ( value == NULL )
		return true;
	if ( json_is_object( value ) ) {
		char where[100];
		snprintf( where, sizeof where, "%.80s: pose", k->where );
		const json_keys inner = { value, where, k->error };
		double t[3] = { 0, 0, 0 };
		if ( !json_keys_check( &inner, known, 3 ) )
			return false;
		const bool has_t = json_keys_has( &inner, "translation" ), has_q = json_keys_has( &inner, "quaternion" );
		if ( has_q && json_keys_has( &inner, "rpy" ) )
			return json_keys_refuse( &inner, "a rotation is a 'quaternion' or 'rpy', not both" );
		if ( has_t && ( !json_keys_reals( &inner, "translation", 3, t, &count ) || count != 3 ) )
			return json_keys_refuse( &inner, "'translation' is no array of three numbers" );
		if ( has_q && ( !json_keys_reals( &inner, "quaternion", 4, r, &count ) || count != 4 ) )
			return json_keys_refuse( &inner, "'quaternion' is no array of four numbers, x, y, z, w" );
		if ( has_q && !( fabs( r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3] - 1.0 ) <= 2e-3 ) )
			return json_keys_refuse( &inner, "'quaternion' is not of length 1; its order is x, y, z, w" );
		if ( has_q )
			*out = dbvh_pose_from_quaternion( r, t );
		if ( json_keys_has( &inner, "rpy" ) ) {
			if ( !json_keys_reals( &inner, "rpy", 3, r, &count ) || count != 3 )
				return json_keys_refuse( &inner, "'rpy' is no array of three angles in radians" );
			*out = dbvh_pose_from_rpy( r, t );
		}
		memcpy( out->pos, t, sizeof t );
	} else {
		if ( !json_keys_reals( k, "pose", 16, m, &count ) || ( count != 12 && count != 16 ) )
			return json_keys_refuse( k, "'pose' is an array of 12 numbers, the rows of [R|t], or of 16, those of the 4 "
			                            "x 4 matrix, or an object with 'translation' and 'quaternion'" );
		if ( count == 16 && ( m[12] != 0.0 || m[13] != 0.0 || m[14] != 0.0 || m[15] != 1.0 ) )
			return json_keys_refuse( k, "the last row of the matrix 'pose' is not 0 0 0 1" );
		*out = dbvh_pose_from_rows( m );
	}
	dbvh_error inner;
	return dbvh_pose_check( out, NULL, &inner ) == DBVH_OK || json_keys_refuse( k, "%.200s", inner.text );
}

// The bit of a group; its name is noted if it is new. 0 after filling in *error.
static uint32_t group_bit( json_scene *s, const json_keys *k, const json_t *name ) {
	scene_model *m = s->model;
	if ( json_string_length( name ) == 0 ) {
		json_keys_refuse( k, "a group has a name" );
		return 0;
	}
	if ( strcmp( json_string_value( name ), "default" ) == 0 )
		return 1;
	for ( size_t i = 0; i < m->group_count; ++i )
		if ( strcmp( m->group_names[i], json_string_value( name ) ) == 0 )
			return UINT32_C( 2 ) << i;
	if ( m->group_count == SCENE_MOST_GROUPS ) {
		json_keys_refuse( k, "there are more than %d groups", SCENE_MOST_GROUPS );
		return 0;
	}
	m->group_names[m->group_count] = scene_copy( json_string_value( name ) );
	if ( m->group_names[m->group_count] == NULL ) {
		no_memory( s );
		return 0;
	}
	return UINT32_C( 2 ) << m->group_count++;
}

static bool read_groups( json_scene *s, const json_keys *k, const char *key, uint32_t *out ) {
	const json_t *list;
	if ( !json_keys_array( k, key, &list ) )
		return false;
	if ( list != NULL && json_array_size( list ) == 0 )
		return json_keys_refuse( k, "'%s' names no group", key );
	for ( size_t i = 0; i < json_array_size( list ); ++i ) {
		const uint32_t bit = group_bit( s, k, json_array_get( list, i ) );
		if ( bit == 0 )
			return false;
		*out |= bit;
	}
	return true;
}

// The values that apply to a body, or to all that a file includes.
typedef struct said {
	const char *name, *file;
	dbvh_pose pose;
	uint32_t group, mask;
	double sag;               // below 0: nothing is said
	const json_t *properties; // NULL: none
} said;

static bool read_said( json_scene *s, const json_keys *k, said *out ) {
	*out = ( said ){ .sag = -1.0 };
	if ( !json_keys_text( k, "name", &out->name ) || !json_keys_text( k, "file", &out->file ) ||
	     !json_keys_length( k, "sag", &out->sag ) || !read_pose( k, &out->pose ) ||
	     !read_groups( s, k, "groups", &out->group ) || !read_groups( s, k, "against", &out->mask ) )
		return false;
	out->properties = json_object_get( k->object, "properties" );
	if ( out->properties != NULL && !json_is_object( out->properties ) )
		return json_keys_refuse( k, "'properties' is an object" );
	return out->file != NULL || json_keys_refuse( k, "there is no 'file'" );
}

// Values in the inner file override those of the outer one for each of its bodies.
static bool apply_said( json_scene *s, const said *x, size_t first_body ) {
	for ( size_t i = first_body; i < s->model->body_count; ++i ) {
		scene_body *body = &s->model->bodies[i];
		if ( body->sag == 0.0 )
			body->sag = x->sag >= 0.0 ? x->sag : s->sag;
		body->group = body->group == 0 ? x->group : body->group;
		body->mask = body->mask == 0 ? x->mask : body->mask;
		if ( !json_values_add( s->model, (uint32_t)i, x->properties ) )
			return no_memory( s );
	}
	return true;
}

// ------------------------------------------------------------------------------------------------
// Files

enum { MOST_LEVELS = 16 };

static bool open_beside( void *user, const char *name, unsigned char **bytes_out, size_t *count_out,
                         dbvh_error *error ) {
	const scene_source *inner = user, *outer = inner->outer;
	char *joined = scene_name_beside( inner->name, name );
	if ( joined == NULL ) {
		scene_refuse_memory( error );
		return false;
	}
	const bool good = outer->open( outer->user, joined, bytes_out, count_out, error );
	free( joined );
	return good;
}

static void release_beside( void *user, unsigned char *bytes, size_t count ) {
	const scene_source *inner = user;
	inner->outer->release( inner->outer->user, bytes, count );
}

// Reads a file that this one names, into any model.
static bool read_file( json_scene *s, const json_keys *k, const char *name, scene_split split, scene_model *model ) {
	const scene_source *outer = s->level.source;
	dbvh_error inner = { .byte = -1, .element = -1 };
	unsigned char *bytes;
	size_t count;
	scene_source source = {
	    .open = open_beside, .release = release_beside, .name = name, .outer = outer, .level = &s->level };
	source.user = &source;
	if ( s->level.depth >= MOST_LEVELS )
		return json_keys_refuse( k, "files include each other more than %d deep", MOST_LEVELS );
	if ( !outer->open( outer->user, name, &bytes, &count, &inner ) )
		return json_keys_refuse_inner( k, name, &inner );
	bool is_circle = false;
	for ( const json_level *level = &s->level; level != NULL; level = level->outer )
		is_circle = is_circle || ( level->count == count && memcmp( level->bytes, bytes, count ) == 0 );
	dbvh_status status = DBVH_OK;
	const bool is_json = count > 0 && bytes[0] == '{';
	// Files that include each other may double at every level.
	if ( !scene_ledger_spend( scene_ledger_of( s->model ), SCENE_INCLUDE_COST + count ) )
		status = scene_refuse_memory( &inner );
	else if ( !is_circle )
		status = scene_read_bytes( bytes, count, &source, split, model, &inner );
	outer->release( outer->user, bytes, count );
	if ( is_circle )
		return json_keys_refuse( k, "'%.60s' includes itself: the files form a circle", name );
	// Errors of an included JSON scene quote its keys alone, and may be shown.
	if ( !is_json )
		scene_hush( &inner );
	return status == DBVH_OK || json_keys_refuse_inner( k, name, &inner );
}

// ------------------------------------------------------------------------------------------------
// Bodies

// A small file may scale a large mesh in a thousand ways.
static const size_t most_triangles = (size_t)1 << 28;

// A mesh file, read once for all its bodies.
typedef struct part {
	dbvh_mesh *mesh;
	uint32_t *numbers; // number of each triangle in its file; NULL: the same as here
	char *suffix;      // appended to the name of the body: "" or "/lid"
} part;

typedef struct loaded {
	char *key; // the file, how it is split, and the sag where its reader needs one
	part *parts;
	size_t count;
	uint32_t first_geometry;
	double sag; // the largest of its bodies
} loaded;

typedef struct loader {
	loaded *files;
	size_t count, capacity;
	scene_names by_key;
	uint32_t geometry_count;
	size_t triangle_count; // sum over all meshes that were made of them
	scene_baked baked;
} loader;

static void loader_free( loader *l ) {
	for ( size_t i = 0; i < l->count; ++i ) {
		for ( size_t p = 0; p < l->files[i].count; ++p ) {
			dbvh_mesh_destroy( l->files[i].parts[p].mesh );
			free( l->files[i].parts[p].suffix );
			free( l->files[i].parts[p].numbers );
		}
		free( l->files[i].parts );
		free( l->files[i].key );
	}
	free( l->files );
	scene_names_free( &l->by_key );
	scene_baked_free( &l->baked );
}

// Parts of a file that was read into a model of its own: its bodies, or all of them as one.
static bool take_parts( json_scene *s, scene_model *read, bool is_one, loaded *out ) {
	const size_t count = is_one ? 1 : read->body_count;
	out->parts = calloc( count + 1, sizeof *out->parts );
	if ( out->parts == NULL )
		return no_memory( s );
	out->count = count;
	if ( is_one ) {
		out->parts[0].suffix = scene_copy( "" );
		return out->parts[0].suffix != NULL ? scene_flatten( read, &out->parts[0].mesh, s->error ) == DBVH_OK
		                                    : no_memory( s );
	}
	for ( size_t i = 0; i < out->count; ++i ) {
		scene_mesh *mesh = &read->meshes[read->bodies[i].mesh];
		const char *slash = strchr( read->bodies[i].path, '/' );
		out->parts[i].suffix = scene_copy( slash != NULL ? slash : "" );
		out->parts[i].mesh = mesh->mesh; // each body of a mesh file has its own
		mesh->mesh = NULL;
		out->parts[i].numbers = mesh->numbers;
		mesh->numbers = NULL;
		if ( out->parts[i].suffix == NULL )
			return no_memory( s );
	}
	return true;
}

// The sag that the triangles of a file should have; of most formats they are what they are.
static double wanted_sag( const json_scene *s, const said *x ) {
	return x->sag > 0.0 ? x->sag : s->sag > 0.0 ? s->sag : s->model->wants_sag;
}

// Only mesh files are split; others have bodies that stand somewhere, and share meshes.
static bool can_be_split( const scene_model *read ) {
	const dbvh_pose identity = dbvh_pose_identity();
	bool good = read->mesh_count == read->body_count;
	for ( size_t i = 0; good && i < read->body_count; ++i )
		good = read->bodies[i].mesh == i && memcmp( &read->bodies[i].pose, &identity, sizeof identity ) == 0;
	return good;
}

static const loaded *load_file( json_scene *s, const json_keys *k, loader *l, const said *x, scene_split split ) {
	const char *file = x->file;
	const bool is_fine = scene_has_ending( file, "step" ) || scene_has_ending( file, "stp" );
	const size_t room = strlen( file ) + 40;
	char *key = malloc( room );
	if ( key == NULL ) {
		no_memory( s );
		return NULL;
	}
	snprintf( key, room, "%d:%.17g:%s", (int)split, is_fine ? wanted_sag( s, x ) : 0.0, file );
	const uint32_t known = scene_names_find( &l->by_key, key );
	if ( known != SCENE_NONE ) {
		free( key );
		return &l->files[known];
	}
	if ( !scene_grow( &l->files, &l->capacity, l->count, sizeof *l->files ) ||
	     !scene_names_add( &l->by_key, key, (uint32_t)l->count ) ) {
		free( key );
		no_memory( s );
		return NULL;
	}
	loaded *at = &l->files[l->count++];
	*at = ( loaded ){ .key = key, .first_geometry = l->geometry_count };
	scene_model read = { .metres = s->model->metres,
	                     .wants_sag = wanted_sag( s, x ),
	                     .wants_visual = s->model->wants_visual,
	                     .holds_no_joint = s->model->holds_no_joint,
	                     .skips_bad_faces = s->model->skips_bad_faces,
	                     .ledger = scene_ledger_of( s->model ) };
	bool good = read_file( s, k, file, split, &read );
	if ( good && split != SCENE_SPLIT_FILE && !can_be_split( &read ) )
		good = json_keys_refuse( k, "'%.100s' has bodies of its own, which 'split' does not part; 'include' it", file );
	for ( size_t i = 0; i < read.body_count; ++i )
		at->sag = read.bodies[i].sag > at->sag ? read.bodies[i].sag : at->sag;
	good = good && take_parts( s, &read, split == SCENE_SPLIT_FILE, at );
	good = good && ( scene_take_trees( s->model, &read ) || no_memory( s ) );
	for ( size_t i = 0; good && i < read.note_count; ++i )
		good = scene_add_note( s->model, "%s", read.notes[i] ) || no_memory( s );
	s->model->skipped_count += read.skipped_count;
	scene_model_free( &read );
	l->geometry_count += (uint32_t)at->count;
	return good ? at : NULL;
}

static bool read_scale( const json_keys *k, double scale[3] ) {
	const json_t *value = json_object_get( k->object, "scale" );
	size_t count = 3;
	scale[0] = scale[1] = scale[2] = 1.0;
	if ( json_is_number( value ) )
		scale[0] = scale[1] = scale[2] = json_number_value( value );
	else if ( value != NULL && ( !json_keys_reals( k, "scale", 3, scale, &count ) || count != 3 ) )
		return json_keys_refuse( k, "'scale' is a number, or three of them" );
	return ( scale[0] != 0.0 && scale[1] != 0.0 && scale[2] != 0.0 ) ||
	       json_keys_refuse( k, "'scale' has a 0 in it: nothing would be left" );
}

// Leaves *out as it is where nothing is said.
static bool read_split( const json_keys *k, scene_split *out ) {
	const char *text = scene_split_word( *out );
	if ( !json_keys_text( k, "split", &text ) )
		return false;
	for ( int i = 0; i < SCENE_SPLIT_COUNT; ++i ) {
		if ( strcmp( text, scene_split_word( (scene_split)i ) ) == 0 ) {
			*out = (scene_split)i;
			return true;
		}
	}
	return json_keys_refuse( k, "'split' is 'file', 'object', 'component' or 'auto'" );
}

static bool copy_numbers( const part *p, size_t count, scene_mesh *out ) {
	if ( p->numbers == NULL )
		return true;
	out->numbers = malloc( ( count + 1 ) * sizeof *out->numbers );
	if ( out->numbers != NULL )
		memcpy( out->numbers, p->numbers, count * sizeof *out->numbers );
	return out->numbers != NULL;
}

static bool add_part( json_scene *s, const json_keys *k, loader *l, const loaded *file, size_t number, const said *x,
                      const double scale[3] ) {
	const part *p = &file->parts[number];
	const dbvh_mesh_view view = dbvh_mesh_get_view( p->mesh );
	const double linear[3][3] = { { scale[0], 0, 0 }, { 0, scale[1], 0 }, { 0, 0, scale[2] } };
	dbvh_error inner;
	const size_t before = s->model->mesh_count;
	const uint32_t mesh = scene_baked_mesh( &l->baked, s->model, file->first_geometry + (uint32_t)number, &view, linear,
	                                        x->file, &inner );
	if ( mesh == SCENE_NONE )
		return json_keys_refuse_inner( k, x->file, &inner );
	if ( s->model->mesh_count > before && !copy_numbers( p, view.triangle_count, &s->model->meshes[mesh] ) )
		return no_memory( s );
	l->triangle_count += s->model->mesh_count > before ? view.triangle_count : 0;
	if ( l->triangle_count > most_triangles )
		return json_keys_refuse( k, "the bodies up to here have more than 2^28 triangles" );
	char *path = malloc( strlen( x->name ) + strlen( p->suffix ) + 1 );
	if ( path == NULL )
		return no_memory( s );
	sprintf( path, "%s%s", x->name, p->suffix );
	const uint32_t body = scene_add_body( s->model, path, mesh, &x->pose );
	free( path );
	return body != SCENE_NONE || no_memory( s );
}

static bool read_body( json_scene *s, const json_keys *k, loader *l ) {
	static const char *const known[] = { "name", "file",   "split",   "pose",      "scale",
	                                     "sag",  "groups", "against", "properties" };
	said x;
	double scale[3];
	scene_split split = SCENE_SPLIT_FILE;
	if ( !json_keys_check( k, known, sizeof known / sizeof known[0] ) || !read_said( s, k, &x ) ||
	     !read_scale( k, scale ) || !read_split( k, &split ) )
		return false;
	const size_t renamed = s->model->renamed_count, first = s->model->body_count;
	char *stem = NULL;
	if ( x.name == NULL )
		x.name = stem = scene_stem( x.file );
	if ( x.name == NULL )
		return no_memory( s );
	const loaded *file = load_file( s, k, l, &x, split );
	bool good = file != NULL;
	for ( size_t i = 0; good && i < file->count; ++i )
		good = add_part( s, k, l, file, i, &x, scale );
	good = good && apply_said( s, &x, first );
	if ( good ) {
		// The sag of the file, scaled, is a lower bound: the scene may know of a larger one, not of a smaller one.
		const double most = file->sag * fmax( fabs( scale[0] ), fmax( fabs( scale[1] ), fabs( scale[2] ) ) );
		for ( size_t i = first; i < s->model->body_count; ++i )
			s->model->bodies[i].sag = fmax( s->model->bodies[i].sag, most );
	}
	// Two parts of a file may have the same name; two bodies of a scene may not.
	if ( good && stem == NULL && split == SCENE_SPLIT_FILE && s->model->renamed_count > renamed )
		good = json_keys_refuse( k, "there is a body '%.100s' already", x.name );
	free( stem );
	return good;
}

bool json_read_bodies( json_scene *s ) {
	const json_keys all = { s->root, "scene", s->error };
	const json_t *list;
	loader l = { 0 };
	bool good = json_keys_array( &all, "bodies", &list );
	for ( size_t i = 0; good && i < json_array_size( list ); ++i ) {
		char where[40];
		snprintf( where, sizeof where, "bodies[%zu]", i );
		const json_keys k = { json_array_get( list, i ), where, s->error };
		good = read_body( s, &k, &l );
	}
	loader_free( &l );
	return good;
}

// ------------------------------------------------------------------------------------------------
// Includes

static bool read_srdf( json_scene *s, const json_keys *k, const char *name ) {
	const scene_source *outer = s->level.source;
	dbvh_error inner = { .byte = -1, .element = -1 };
	unsigned char *bytes;
	size_t count;
	if ( !outer->open( outer->user, name, &bytes, &count, &inner ) )
		return json_keys_refuse_inner( k, name, &inner );
	const dbvh_status status = scene_read_srdf( bytes, count, s->model, &inner );
	outer->release( outer->user, bytes, count );
	scene_hush( &inner );
	return status == DBVH_OK || json_keys_refuse_inner( k, name, &inner );
}

// The bodies of the file get "name/" before their paths, within that of this file.
static bool read_named( json_scene *s, const json_keys *k, const said *x, scene_split split, const char *srdf ) {
	const char *before = s->model->prefix;
	char *prefix = NULL;
	if ( x->name != NULL ) {
		prefix = malloc( ( before != NULL ? strlen( before ) : 0 ) + strlen( x->name ) + 2 );
		if ( prefix == NULL )
			return no_memory( s );
		sprintf( prefix, "%s%s/", before != NULL ? before : "", x->name );
		s->model->prefix = prefix;
	}
	const double wants_sag = s->model->wants_sag;
	s->model->wants_sag = wanted_sag( s, x );
	const bool good = read_file( s, k, x->file, split, s->model ) && ( srdf == NULL || read_srdf( s, k, srdf ) );
	s->model->wants_sag = wants_sag;
	s->model->prefix = before;
	free( prefix );
	return good;
}

static bool read_include( json_scene *s, const json_keys *k ) {
	static const char *const known[] = { "name",  "file", "srdf",   "split",   "pose",
	                                     "scale", "sag",  "groups", "against", "properties" };
	const scene_mark mark = scene_mark_of( s->model );
	said x;
	scene_split split = SCENE_SPLIT_AUTO;
	const char *srdf = NULL;
	const json_t *factor = json_object_get( k->object, "scale" );
	if ( !json_keys_check( k, known, sizeof known / sizeof known[0] ) || !read_said( s, k, &x ) ||
	     !json_keys_text( k, "srdf", &srdf ) || !read_split( k, &split ) )
		return false;
	if ( x.name != NULL && strchr( x.name, '/' ) == x.name )
		return json_keys_refuse( k, "'name' begins with a /" );
	if ( factor != NULL && !( json_number_value( factor ) > 0.0 ) )
		return json_keys_refuse( k, "'scale' is no number above 0; only single bodies may be scaled in other ways" );
	if ( !read_named( s, k, &x, split, srdf ) )
		return false;
	dbvh_error inner;
	if ( factor != NULL && scene_scale_from( s->model, &mark, json_number_value( factor ), &inner ) != DBVH_OK )
		return json_keys_refuse_inner( k, x.file, &inner );
	if ( json_keys_has( k, "pose" ) )
		scene_move_from( s->model, &mark, &x.pose );
	return apply_said( s, &x, mark.body_count );
}

bool json_read_includes( json_scene *s ) {
	const json_keys all = { s->root, "scene", s->error };
	const json_t *list;
	if ( !json_keys_array( &all, "include", &list ) )
		return false;
	for ( size_t i = 0; i < json_array_size( list ); ++i ) {
		char where[40];
		snprintf( where, sizeof where, "include[%zu]", i );
		const json_keys k = { json_array_get( list, i ), where, s->error };
		if ( !read_include( s, &k ) )
			return false;
	}
	return true;
}

#else

typedef int json_bodies_is_empty;

#endif
