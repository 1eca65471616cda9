// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// glTF and GLB: nodes with a mesh become bodies. Meshes are read one by one, for all the nodes that show it, so that
// the triangles of the file are in memory once, and a second time for each way in which a mesh is scaled.

#include "formats/gltf/gltf.h"

#include "formats/files.h"
#include "formats/json/values.h"
#include "model/baked.h"
#include "model/properties.h"
#include "model/refuse.h"

#ifdef DUALBVH_WITH_JANSSON

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A body made of a place: a mesh of the model (SCENE_NONE: nothing to see) and a pose.
typedef struct body {
	uint32_t mesh;
	dbvh_pose pose;
} body;

// A small file may scale a large mesh in a thousand ways.
static const size_t most_copied = (size_t)1 << 26;

static bool is_zero( const scene_affine *a ) {
	for ( int i = 0; i < 3; ++i )
		for ( int j = 0; j < 3; ++j )
			if ( a->row[i][j] != 0.0 )
				return false;
	return true;
}

// A map that flattens is baked as it is.
static void split( const scene_affine *a, dbvh_pose *pose, double linear[3][3] ) {
	bool is_rigid;
	if ( scene_split_affine( a->row, pose, linear, &is_rigid ) )
		return;
	*pose = dbvh_pose_identity();
	for ( int i = 0; i < 3; ++i ) {
		memcpy( linear[i], a->row[i], sizeof linear[i] );
		pose->pos[i] = a->row[i][3];
	}
}

static bool add_place( gltf *g, scene_baked *baked, const gltf_place *place, const dbvh_mesh_view *view,
                       const char *name, body *out ) {
	double linear[3][3];
	dbvh_error inner;
	out->mesh = SCENE_NONE;
	if ( is_zero( &place->world ) ) {
		++g->flat_to_nothing;
		return true;
	}
	split( &place->world, &out->pose, linear );
	const size_t before = g->model->mesh_count;
	const bool is_first = baked->count == 0;
	out->mesh = scene_baked_mesh( baked, g->model, place->mesh, view, linear, name, &inner );
	if ( out->mesh != SCENE_NONE ) {
		g->copied += g->model->mesh_count > before && !is_first ? view->triangle_count : 0;
		return g->copied <= most_copied ||
		       gltf_refuse( g, DBVH_LIMIT,
		                    "meshes that are scaled in many ways have more than 2^26 triangles in all of them" );
	}
	if ( inner.status == DBVH_NOT_FINITE )
		return gltf_refuse( g, inner.status, "node %lu scales mesh %lu beyond the range of numbers",
		                    (unsigned long)place->node, (unsigned long)place->mesh );
	return gltf_refuse( g, inner.status, "mesh %lu: %.200s", (unsigned long)place->mesh, inner.text );
}

// All places of a mesh: indices[0 .. count).
static bool read_places( gltf *g, const gltf_graph *graph, const uint32_t *indices, size_t count, body *bodies ) {
	const uint32_t mesh = graph->places[indices[0]].mesh;
	const char *own = json_string_value( json_object_get( json_array_get( g->meshes, mesh ), "name" ) );
	char name[160];
	scene_baked baked = { 0 };
	gltf_geometry geometry;
	bool good = gltf_read_mesh( g, mesh, &geometry );
	snprintf( name, sizeof name, "mesh %lu%s%.100s%s", (unsigned long)mesh, own != NULL ? " ('" : "",
	          own != NULL ? own : "", own != NULL ? "')" : "" );
	const dbvh_mesh_view view = { .positions = geometry.positions,
	                              .vertex_count = geometry.vertex_count,
	                              .indices = geometry.corners,
	                              .triangle_count = geometry.triangle_count };
	g->without_triangles += good && view.triangle_count == 0;
	for ( size_t i = 0; i < count && good; ++i ) {
		bodies[indices[i]].mesh = SCENE_NONE;
		if ( view.triangle_count > 0 )
			good = add_place( g, &baked, &graph->places[indices[i]], &view, name, &bodies[indices[i]] );
	}
	scene_baked_free( &baked );
	gltf_geometry_free( &geometry );
	return good;
}

// Sorts the places by mesh, in the order in which meshes are first shown.
static bool order_places( gltf *g, const gltf_graph *graph, uint32_t *order ) {
	const size_t mesh_count = gltf_count( g->meshes );
	size_t *begin = calloc( mesh_count + 1, sizeof *begin );
	if ( begin == NULL )
		return gltf_refuse( g, DBVH_OUT_OF_MEMORY, "there is no memory for the nodes of the file" );
	for ( size_t i = 0; i < graph->place_count; ++i )
		++begin[graph->places[i].mesh + 1];
	for ( size_t i = 0; i < mesh_count; ++i )
		begin[i + 1] += begin[i];
	for ( size_t i = 0; i < graph->place_count; ++i )
		order[begin[graph->places[i].mesh]++] = (uint32_t)i;
	free( begin );
	return true;
}

// The name of the material of the first primitive, or NULL.
static const char *material_of( const gltf *g, uint32_t mesh ) {
	const json_t *primitives = json_object_get( json_array_get( g->meshes, mesh ), "primitives" );
	const json_t *number = json_object_get( json_array_get( primitives, 0 ), "material" );
	const json_t *materials = json_object_get( g->root, "materials" );
	if ( !json_is_integer( number ) || json_integer_value( number ) < 0 )
		return NULL;
	return json_string_value(
	    json_object_get( json_array_get( materials, (size_t)json_integer_value( number ) ), "name" ) );
}

// The extras of the node, of its mesh and of the nodes above it, the nearest first, and the material.
static bool add_properties( gltf *g, const gltf_graph *graph, const gltf_place *place, uint32_t number ) {
	enum { MOST_LEVELS = 32 };
	const json_t *mesh = json_array_get( g->meshes, place->mesh );
	const char *material = material_of( g, place->mesh );
	uint32_t node = place->node;
	for ( int level = 0; level < MOST_LEVELS && node != UINT32_MAX; ++level, node = graph->parents[node] ) {
		const json_t *extras = json_object_get( json_array_get( g->nodes, node ), "extras" );
		if ( extras != NULL && !json_values_add( g->model, number, extras ) )
			return false;
		if ( level == 0 && !json_values_add( g->model, number, json_object_get( mesh, "extras" ) ) )
			return false;
	}
	return material == NULL || scene_add_property( g->model, number, "material", material );
}

static bool add_bodies( gltf *g, const gltf_graph *graph, const body *bodies ) {
	size_t added = 0;
	for ( size_t i = 0; i < graph->place_count; ++i ) {
		if ( bodies[i].mesh == SCENE_NONE )
			continue;
		char *path = gltf_path( g, graph, &graph->places[i] );
		const uint32_t number =
		    path != NULL ? scene_add_body( g->model, path, bodies[i].mesh, &bodies[i].pose ) : SCENE_NONE;
		const bool good = number != SCENE_NONE && add_properties( g, graph, &graph->places[i], number );
		free( path );
		if ( !good )
			return gltf_refuse( g, DBVH_OUT_OF_MEMORY, "there is no memory for %zu bodies", graph->place_count );
		++added;
	}
	return added > 0 || gltf_refuse( g, DBVH_EMPTY, "no node that the file shows has a mesh with triangles" );
}

static bool read_bodies( gltf *g, const gltf_graph *graph ) {
	const size_t count = graph->place_count;
	uint32_t *order = malloc( ( count + 1 ) * sizeof *order );
	body *bodies = malloc( ( count + 1 ) * sizeof *bodies );
	bool good = order != NULL && bodies != NULL;
	if ( !good )
		gltf_refuse( g, DBVH_OUT_OF_MEMORY, "there is no memory for %zu bodies", count );
	good = good && order_places( g, graph, order );
	for ( size_t first = 0, end; good && first < count; first = end ) {
		const uint32_t mesh = graph->places[order[first]].mesh;
		for ( end = first + 1; end < count && graph->places[order[end]].mesh == mesh; ++end ) {
		}
		good = read_places( g, graph, order + first, end - first, bodies );
	}
	good = good && add_bodies( g, graph, bodies );
	free( order );
	free( bodies );
	return good;
}

static bool add_notes( gltf *g ) {
	const struct {
		size_t count;
		const char *one, *many;
	} notes[] = {
	    { g->lines, "primitive of points or lines is left out", "primitives of points or lines are left out" },
	    { g->incomplete, "primitive ends with corners that make no triangle",
	      "primitives end with corners that make no triangle" },
	    { g->without_positions, "primitive without positions is left out",
	      "primitives without positions are left out" },
	    { g->without_triangles, "mesh has no triangles, and makes no body",
	      "meshes have no triangles, and make no body" },
	    { g->flat_to_nothing, "node is scaled to nothing, and makes no body",
	      "nodes are scaled to nothing, and make no body" },
	    { g->skins, "node has a skin, which is ignored: its mesh stands as it was modelled",
	      "nodes have skins, which are ignored: their meshes stand as they were modelled" },
	    { g->morphs, "primitive has morph targets, which are ignored",
	      "primitives have morph targets, which are ignored" },
	};
	for ( size_t i = 0; i < sizeof notes / sizeof notes[0]; ++i )
		if ( notes[i].count > 0 && !scene_add_note( g->model, "%s: %zu %s", g->source->name, notes[i].count,
		                                            notes[i].count == 1 ? notes[i].one : notes[i].many ) )
			return gltf_refuse( g, DBVH_OUT_OF_MEMORY, "there is no memory for notes" );
	return true;
}

dbvh_status scene_read_gltf( const unsigned char *bytes, size_t count, const scene_source *source, scene_model *model,
                             dbvh_error *error ) {
	dbvh_error own = { .byte = -1, .element = -1 };
	gltf g = { .source = source, .model = model, .error = &own };
	gltf_graph graph = { 0 };
	const bool good =
	    gltf_open( &g, bytes, count ) && gltf_read_graph( &g, &graph ) && read_bodies( &g, &graph ) && add_notes( &g );
	if ( good )
		model->metres = 1.0;
	gltf_graph_free( &graph );
	gltf_close( &g );
	if ( error != NULL )
		*error = own;
	return good ? DBVH_OK : own.status;
}

#else

dbvh_status scene_read_gltf( const unsigned char *bytes, size_t count, const scene_source *source, scene_model *model,
                             dbvh_error *error ) {
	(void)bytes, (void)count, (void)source, (void)model;
	return scene_refuse_without( error, "jansson", "glTF" );
}

#endif
