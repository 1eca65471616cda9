// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A 3MF package: its model parts, and a body for each mesh, with its lattice, where a build item has it.

#include "formats/archive.h"
#include "formats/files.h"
#include "formats/threemf/labels.h"
#include "formats/threemf/part.h"
#include "formats/xml.h"
#include "model/baked.h"
#include "model/placement.h"
#include "model/refuse.h"
#include "text/grow.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Components in components multiply: a few lines can stand for more bodies than there is memory.
enum { MOST_DEPTH = 100, MOST_PLACED = 1 << 22 };
static const size_t most_path_bytes = (size_t)1 << 30;

// ------------------------------------------------------------------------------------------------
// The package

// The target of the relationship that says which part is the root.
typedef struct relationships {
	char *root;
} relationships;

static int on_element( void *user, scene_xml *xml, int outer, const char *element, const char *const *attributes ) {
	relationships *r = user;
	const char *type = scene_xml_get( attributes, "Type" ), *target = scene_xml_get( attributes, "Target" );
	if ( r->root != NULL || strcmp( element, "Relationship" ) != 0 || type == NULL || target == NULL ||
	     strcmp( type, "http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel" ) != 0 )
		return outer;
	r->root = scene_copy( target );
	if ( r->root == NULL )
		scene_xml_refuse( xml, DBVH_OUT_OF_MEMORY, "there is no memory for the scene" );
	return outer;
}

static dbvh_status find_root( scene_archive *archive, threemf *t, dbvh_error *error ) {
	relationships r = { NULL };
	dbvh_status status = DBVH_OK;
	if ( scene_archive_has( archive, "_rels/.rels" ) ) {
		unsigned char *bytes;
		size_t count;
		const scene_xml_handler handler = { on_element, NULL, &r, NULL };
		status = scene_archive_read( archive, "_rels/.rels", &bytes, &count, error );
		if ( status != DBVH_OK )
			return status;
		status = scene_xml_read( bytes, count, &handler, error );
		free( bytes );
		if ( status != DBVH_OK )
			scene_blame( error, error->line, "_rels/.rels: " );
	}
	if ( status == DBVH_OK && threemf_part( t, r.root != NULL ? r.root : "3D/3dmodel.model" ) == UINT32_MAX )
		status = scene_refuse_memory( error );
	free( r.root );
	return status;
}

// The root, and the parts that any part names, each once.
static dbvh_status read_parts( scene_archive *archive, threemf *t, dbvh_error *error ) {
	for ( size_t i = 0; i < t->part_count; ++i ) {
		unsigned char *bytes;
		size_t count;
		dbvh_status status = scene_archive_read( archive, t->parts[i], &bytes, &count, error );
		if ( status != DBVH_OK )
			return status;
		status = threemf_read_part( t, (uint32_t)i, bytes, count, error );
		free( bytes );
		if ( status != DBVH_OK ) {
			scene_blame( error, error->line, "%.80s: ", t->parts[i] );
			return status;
		}
	}
	return DBVH_OK;
}

// ------------------------------------------------------------------------------------------------
// Bodies

typedef struct builder {
	threemf *t;
	const threemf_labels *labels;
	scene_model *model;
	dbvh_error *error;
	char ( *keys )[24]; // keys of objects: "part id"
	scene_names numbers;
	scene_baked baked;
	char *path;
	size_t path_capacity;
	double sag; // the largest of a lattice
	size_t placed, path_bytes, left_out, helpers, without_triangles, lattices, clipped, short_beams;
} builder;

static void make_key( uint32_t part, uint32_t id, char key[24] ) {
	snprintf( key, 24, "%lu %lu", (unsigned long)part, (unsigned long)id );
}

static bool number_objects( builder *b ) {
	const threemf *t = b->t;
	b->keys = malloc( ( t->object_count + 1 ) * sizeof *b->keys );
	if ( b->keys == NULL ) {
		scene_refuse_memory( b->error );
		return false;
	}
	for ( uint32_t i = 0; i < t->object_count; ++i ) {
		make_key( t->objects[i].part, t->objects[i].id, b->keys[i] );
		if ( scene_names_find( &b->numbers, b->keys[i] ) != SCENE_NONE ) {
			scene_refuse( b->error, DBVH_MALFORMED, "%.80s: there are two objects %lu", t->parts[t->objects[i].part],
			              (unsigned long)t->objects[i].id );
			return false;
		}
		if ( !scene_names_add( &b->numbers, b->keys[i], i ) ) {
			scene_refuse_memory( b->error );
			return false;
		}
	}
	return true;
}

// Puts the name of an object behind the first `length` characters of the path: its own one, else that of its label,
// else its number. Returns the new length, 0 where there is no memory.
static size_t extend_path( builder *b, size_t length, const threemf_object *object, const threemf_label *label ) {
	char number[32];
	snprintf( number, sizeof number, "object-%lu", (unsigned long)object->id );
	const char *name = object->name != NULL && object->name[0] != '\0' ? object->name
	                   : label != NULL && label->name != NULL          ? label->name
	                                                                   : number;
	const size_t more = strlen( name ), needed = length + more + 2;
	if ( needed > b->path_capacity ) {
		char *grown = realloc( b->path, 2 * needed );
		if ( grown == NULL ) {
			scene_refuse_memory( b->error );
			return 0;
		}
		b->path = grown;
		b->path_capacity = 2 * needed;
	}
	if ( length > 0 )
		b->path[length++] = '/';
	memcpy( b->path + length, name, more + 1 );
	return length + more;
}

// Gives an object with a lattice the triangles of its beams, the first time that it is placed.
static bool build_lattice( builder *b, threemf_object *o ) {
	if ( o->lattice.is_built || !o->lattice.is_there )
		return true;
	const double unit = b->model->metres > 0.0 ? b->model->metres / b->t->metres : 1.0;
	shape mesh = { .positions = o->positions,
	               .indices = o->indices,
	               .vertex_count = o->vertex_count,
	               .vertex_capacity = o->vertex_capacity,
	               .triangle_count = o->triangle_count,
	               .triangle_capacity = o->triangle_capacity };
	const dbvh_status status =
	    threemf_lattice_build( &o->lattice, b->model->wants_sag * unit, b->model, &mesh, &o->sag, b->error );
	o->positions = mesh.positions;
	o->indices = mesh.indices;
	o->vertex_count = mesh.vertex_count;
	o->vertex_capacity = mesh.vertex_capacity;
	o->triangle_count = mesh.triangle_count;
	o->triangle_capacity = mesh.triangle_capacity;
	b->lattices += o->lattice.is_built;
	b->clipped += o->lattice.is_clipped;
	b->short_beams += o->lattice.short_count;
	return status == DBVH_OK;
}

// The largest factor by which a linear map L may stretch a length, an upper bound: its square is at most the largest
// sum of a row of L^T L, which is 1 for a turn.
static double stretch_of( const double linear[3][3] ) {
	double most = 0.0;
	for ( int i = 0; i < 3; ++i ) {
		double sum = 0.0;
		for ( int j = 0; j < 3; ++j )
			sum += fabs( linear[0][i] * linear[0][j] + linear[1][i] * linear[1][j] + linear[2][i] * linear[2][j] );
		most = fmax( most, sum );
	}
	return sqrt( most );
}

// Lattices have a sag, which tolerances of pairs take, and depths are known of poses only that together are within the
// tolerance of one. A transform with few digits is further off: all of it but the move goes into the mesh.
static void bake_inexact_turn( const scene_affine *at, dbvh_pose *pose, double linear[3][3] ) {
	double deviation;
	if ( dbvh_pose_check( pose, &deviation, NULL ) == DBVH_OK && deviation <= 0.125 * DBVH_POSE_TOLERANCE )
		return;
	const dbvh_pose identity = dbvh_pose_identity();
	memcpy( pose->rot, identity.rot, sizeof pose->rot );
	for ( int i = 0; i < 3; ++i )
		memcpy( linear[i], at->row[i], sizeof linear[i] );
}

static bool place_mesh( builder *b, uint32_t number, const scene_affine *at, size_t path_length ) {
	threemf_object *o = &b->t->objects[number];
	if ( !build_lattice( b, o ) )
		return false;
	dbvh_pose pose;
	double linear[3][3];
	bool is_rigid;
	if ( o->triangle_count == 0 ) {
		++b->without_triangles;
		return true;
	}
	if ( !scene_split_affine( at->row, &pose, linear, &is_rigid ) ) {
		scene_refuse( b->error, DBVH_MALFORMED, "'%.100s': its transform flattens it", b->path );
		return false;
	}
	if ( o->lattice.is_built )
		bake_inexact_turn( at, &pose, linear );
	b->path_bytes += path_length;
	if ( b->path_bytes > most_path_bytes ) {
		scene_refuse( b->error, DBVH_LIMIT, "the names of bodies take more than 2^30 bytes" );
		return false;
	}
	const dbvh_mesh_view view = { .positions = o->positions,
	                              .vertex_count = o->vertex_count,
	                              .indices = o->indices,
	                              .triangle_count = o->triangle_count };
	const uint32_t mesh = scene_baked_mesh( &b->baked, b->model, number, &view, linear, b->path, b->error );
	if ( mesh == SCENE_NONE ) {
		scene_blame( b->error, 0, "'%.80s': ", b->path );
		return false;
	}
	const uint32_t body = scene_add_body( b->model, b->path, mesh, &pose );
	if ( body == SCENE_NONE ) {
		scene_refuse_memory( b->error );
		return false;
	}
	b->model->bodies[body].sag = o->sag * stretch_of( linear );
	b->sag = fmax( b->sag, b->model->bodies[body].sag );
	return true;
}

static bool place_use( builder *b, const threemf_component *use, const threemf_object *owner, const scene_affine *outer,
                       size_t path_length, int depth );

static bool place_components( builder *b, uint32_t number, const scene_affine *at, size_t path_length, int depth ) {
	threemf_object *o = &b->t->objects[number];
	if ( o->is_open ) {
		scene_refuse( b->error, DBVH_MALFORMED, "object %lu is a component of itself", (unsigned long)o->id );
		return false;
	}
	o->is_open = true;
	bool good = true;
	for ( size_t i = 0; good && i < o->component_count; ++i )
		good = place_use( b, &o->components[i], o, at, path_length, depth + 1 );
	o->is_open = false;
	return good;
}

// Labels are those of objects of the root and of their components.
static const threemf_label *label_of( const builder *b, const threemf_component *use, const threemf_object *owner ) {
	if ( owner != NULL && owner->part == 0 )
		return threemf_label_of_part( b->labels, owner->id, use->id );
	return owner == NULL && use->part == 0 ? threemf_label_of_object( b->labels, use->id ) : NULL;
}

// `owner`: of the component; NULL for a build item.
static bool place_use( builder *b, const threemf_component *use, const threemf_object *owner, const scene_affine *outer,
                       size_t path_length, int depth ) {
	char key[24];
	make_key( use->part, use->id, key );
	const uint32_t number = scene_names_find( &b->numbers, key );
	if ( number == SCENE_NONE ) {
		scene_refuse( b->error, DBVH_MALFORMED, "%.80s has no object %lu, which %s", b->t->parts[use->part],
		              (unsigned long)use->id, depth == 0 ? "is to be built" : "is a component" );
		return false;
	}
	if ( depth > MOST_DEPTH || ++b->placed > MOST_PLACED ) {
		if ( depth > MOST_DEPTH )
			scene_refuse( b->error, DBVH_LIMIT, "components are nested more than %d deep", MOST_DEPTH );
		else
			scene_refuse( b->error, DBVH_LIMIT, "items and components place more than %d objects", MOST_PLACED );
		return false;
	}
	const threemf_object *o = &b->t->objects[number];
	if ( o->type != NULL && strcmp( o->type, "model" ) != 0 ) {
		++b->left_out;
		return true;
	}
	const threemf_label *label = label_of( b, use, owner );
	if ( label != NULL && label->is_helper ) {
		++b->helpers;
		return true;
	}
	const scene_affine at = scene_affine_compose( outer, &use->transform );
	const size_t length = extend_path( b, path_length, o, label );
	if ( length == 0 )
		return false;
	return o->component_count > 0 ? place_components( b, number, &at, length, depth )
	                              : place_mesh( b, number, &at, length );
}

static bool add_notes( builder *b ) {
	const size_t left_out = b->left_out, helpers = b->helpers, empty = b->without_triangles;
	if ( ( b->lattices > 0 &&
	       !scene_add_note( b->model, "%zu lattice%s of beams: polyhedra round %s, at most %.3g too large (--sag)",
	                        b->lattices, SCENE_PLURAL( b->lattices ), b->lattices == 1 ? "it" : "them", b->sag ) ) ||
	     ( b->clipped > 0 &&
	       !scene_add_note( b->model, "%zu lattice%s clipped by a mesh, which is not read: all of the beams are there",
	                        b->clipped, b->clipped == 1 ? " is" : "s are" ) ) ||
	     ( b->short_beams > 0 &&
	       !scene_add_note( b->model, "%zu beam%s shorter than the minlength of the lattice %s left out",
	                        b->short_beams, SCENE_PLURAL( b->short_beams ), b->short_beams == 1 ? "is" : "are" ) ) ) {
		scene_refuse_memory( b->error );
		return false;
	}
	if ( ( helpers > 0 && !scene_add_note( b->model,
	                                       helpers == 1 ? "%zu part is left out that modifies or supports others"
	                                                    : "%zu parts are left out that modify or support others",
	                                       helpers ) ) ||
	     ( left_out > 0 && !scene_add_note( b->model, "%zu object%s of type support, surface or other %s left out",
	                                        left_out, SCENE_PLURAL( left_out ), left_out == 1 ? "is" : "are" ) ) ||
	     ( empty > 0 && !scene_add_note( b->model, "%zu object%s without triangles %s left out", empty,
	                                     SCENE_PLURAL( empty ), empty == 1 ? "is" : "are" ) ) ) {
		scene_refuse_memory( b->error );
		return false;
	}
	return true;
}

static bool build( builder *b ) {
	const threemf *t = b->t;
	const size_t first_body = b->model->body_count;
	const scene_affine identity = scene_affine_identity();
	if ( !number_objects( b ) )
		return false;
	for ( size_t i = 0; i < t->item_count; ++i ) {
		if ( !place_use( b, &t->items[i], NULL, &identity, 0, 0 ) ) {
			scene_blame( b->error, 0, "build item %zu: ", i + 1 );
			return false;
		}
	}
	if ( b->model->body_count == first_body ) {
		scene_refuse( b->error, DBVH_EMPTY,
		              t->item_count == 0 ? "nothing is to be built: there is no <item>"
		                                 : "nothing that is to be built has triangles" );
		return false;
	}
	b->model->metres = t->metres;
	return add_notes( b );
}

dbvh_status scene_read_3mf( const unsigned char *bytes, size_t count, const scene_source *source, scene_model *model,
                            dbvh_error *error ) {
	(void)source; // a package is complete
	dbvh_error local;
	error = error != NULL ? error : &local;
	*error = ( dbvh_error ){ .byte = -1, .element = -1 };
	threemf t = { 0 };
	threemf_labels labels = { 0 };
	scene_archive *archive;
	dbvh_status status = scene_archive_open( bytes, count, &archive, error );
	if ( status == DBVH_OK )
		status = find_root( archive, &t, error );
	if ( status == DBVH_OK )
		status = read_parts( archive, &t, error );
	if ( status == DBVH_OK && !threemf_labels_read( archive, &labels ) )
		status = scene_refuse_memory( error );
	scene_archive_close( archive );
	if ( status == DBVH_OK ) {
		builder b = { .t = &t, .labels = &labels, .model = model, .error = error };
		status = build( &b ) ? DBVH_OK : error->status;
		scene_baked_free( &b.baked );
		scene_names_free( &b.numbers );
		free( b.keys );
		free( b.path );
	}
	threemf_labels_free( &labels );
	threemf_free( &t );
	return status;
}
