// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "formats/gltf/gltf.h"
#include "text/grow.h"

#ifdef DUALBVH_WITH_JANSSON

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

// Names of ancestors stand in every path: without limits a small file could have paths of any length.
enum { MOST_DEPTH = 256 };
static const size_t most_path_bytes = (size_t)1 << 30;

// While the graph is read.
typedef struct walk {
	gltf *g;
	gltf_graph *graph;
	scene_affine *worlds; // by node, for those that are shown
	size_t *lengths;      // by node: length of its path
	uint32_t *stack;
	size_t stack_count;
} walk;

void gltf_graph_free( gltf_graph *graph ) {
	free( graph->parents );
	free( graph->depths );
	free( graph->places );
	*graph = ( gltf_graph ){ 0 };
}

static bool no_memory( gltf *g ) {
	return gltf_refuse( g, DBVH_OUT_OF_MEMORY, "there is no memory for the nodes of the file" );
}

static const json_t *node_object( const gltf *g, uint32_t node ) {
	return json_array_get( g->nodes, node );
}

// ------------------------------------------------------------------------------------------------
// Parents and children

static bool read_children( walk *w, uint32_t node ) {
	gltf *g = w->g;
	const json_t *children;
	if ( !json_is_object( node_object( g, node ) ) )
		return gltf_refuse( g, DBVH_MALFORMED, "node %lu is no object", (unsigned long)node );
	if ( !gltf_get_array( g, node_object( g, node ), "node", node, "children", &children ) )
		return false;
	for ( size_t i = 0; i < gltf_count( children ); ++i ) {
		size_t child;
		if ( !scene_json_is_count( json_array_get( children, i ), &child ) || child >= w->graph->node_count )
			return gltf_refuse( g, DBVH_MALFORMED, "node %lu has a child that is no node: there are %zu",
			                    (unsigned long)node, w->graph->node_count );
		if ( w->graph->parents[child] != NONE )
			return gltf_refuse( g, DBVH_MALFORMED,
			                    "node %zu is a child of node %lu and of node %lu: it may have one "
			                    "parent",
			                    child, (unsigned long)w->graph->parents[child], (unsigned long)node );
		w->graph->parents[child] = node;
	}
	return true;
}

static void push_children( walk *w, uint32_t node ) {
	const json_t *children = json_object_get( node_object( w->g, node ), "children" );
	for ( size_t i = gltf_count( children ); i-- > 0; ) {
		size_t child = 0;
		scene_json_is_count( json_array_get( children, i ), &child );
		w->stack[w->stack_count++] = (uint32_t)child;
	}
}

// Every node has at most one parent: a circle is what no root leads to.
static bool refuse_circles( walk *w ) {
	size_t reached = 0;
	uint8_t *seen = calloc( w->graph->node_count, 1 );
	if ( seen == NULL )
		return no_memory( w->g );
	for ( uint32_t i = 0; i < w->graph->node_count; ++i )
		if ( w->graph->parents[i] == NONE )
			w->stack[w->stack_count++] = i;
	while ( w->stack_count > 0 ) {
		const uint32_t node = w->stack[--w->stack_count];
		seen[node] = 1;
		++reached;
		push_children( w, node );
	}
	uint32_t node = 0;
	for ( ; reached < w->graph->node_count && seen[node]; ++node ) {
	}
	free( seen );
	if ( reached == w->graph->node_count )
		return true;
	for ( size_t i = 0; i < w->graph->node_count; ++i ) // upwards for long enough to be in the circle
		node = w->graph->parents[node];
	return gltf_refuse( w->g, DBVH_MALFORMED, "node %lu is its own ancestor: the nodes form a circle",
	                    (unsigned long)node );
}

// ------------------------------------------------------------------------------------------------
// Matrices

static bool refuse_node( gltf *g, dbvh_status status, uint32_t node, const char *what ) {
	const char *name = json_string_value( json_object_get( node_object( g, node ), "name" ) );
	return gltf_refuse( g, status, "node %lu%s%.60s%s: %s", (unsigned long)node, name != NULL ? " ('" : "",
	                    name != NULL ? name : "", name != NULL ? "')" : "", what );
}

// Columns of a rotation times the scale, and the translation.
static scene_affine affine_of( const double t[3], const double r[4], const double s[3] ) {
	const dbvh_pose pose = dbvh_pose_from_quaternion( r, t );
	scene_affine out;
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			out.row[i][j] = pose.rot[i][j] * s[j];
		out.row[i][3] = t[i];
	}
	return out;
}

static bool read_matrix( gltf *g, uint32_t node, const double m[16], scene_affine *out ) {
	for ( int i = 0; i < 4; ++i )
		// A matrix that comes from floats need not have exactly 1 there.
		if ( !( fabs( m[4 * i + 3] - ( i == 3 ? 1.0 : 0.0 ) ) <= 1e-6 ) )
			return refuse_node( g, DBVH_MALFORMED, node,
			                    "its matrix is not affine: numbers 4, 8, 12 and 16 are 0, 0, 0 and 1" );
	for ( int i = 0; i < 3; ++i )
		for ( int j = 0; j < 4; ++j )
			out->row[i][j] = m[4 * j + i];
	return true;
}

static bool read_local( gltf *g, uint32_t node, scene_affine *out ) {
	const json_t *object = node_object( g, node );
	double matrix[16], t[3] = { 0, 0, 0 }, r[4] = { 0, 0, 0, 1 }, s[3] = { 1, 1, 1 };
	bool has_matrix, has_t, has_r, has_s;
	if ( !gltf_get_reals( g, object, "node", node, "matrix", 16, matrix, &has_matrix ) ||
	     !gltf_get_reals( g, object, "node", node, "translation", 3, t, &has_t ) ||
	     !gltf_get_reals( g, object, "node", node, "rotation", 4, r, &has_r ) ||
	     !gltf_get_reals( g, object, "node", node, "scale", 3, s, &has_s ) )
		return false;
	if ( has_matrix && ( has_t || has_r || has_s ) )
		return refuse_node( g, DBVH_MALFORMED, node,
		                    "it has a matrix and a translation, rotation or scale, of which only one can hold" );
	if ( has_matrix )
		return read_matrix( g, node, matrix, out );
	if ( r[0] == 0.0 && r[1] == 0.0 && r[2] == 0.0 && r[3] == 0.0 )
		return refuse_node( g, DBVH_MALFORMED, node, "its rotation is a quaternion of length 0" );
	*out = affine_of( t, r, s );
	return true;
}

static bool is_finite( const scene_affine *a ) {
	double sum = 0.0;
	for ( int i = 0; i < 3; ++i )
		for ( int j = 0; j < 4; ++j )
			sum += a->row[i][j] - a->row[i][j];
	return sum == 0.0;
}

// ------------------------------------------------------------------------------------------------
// Places

static bool add_place( walk *w, uint32_t node, uint32_t mesh, uint32_t instance, const scene_affine *world ) {
	gltf_graph *graph = w->graph;
	if ( !scene_grow( &graph->places, &graph->place_room, graph->place_count, sizeof *graph->places ) )
		return no_memory( w->g );
	graph->path_bytes += w->lengths[node] + 1;
	if ( graph->path_bytes > most_path_bytes )
		return gltf_refuse( w->g, DBVH_LIMIT, "the paths of all nodes together have more than 2^30 characters" );
	if ( !is_finite( world ) )
		return refuse_node( w->g, DBVH_NOT_FINITE, node, "its place in the scene is not finite" );
	graph->places[graph->place_count++] = ( gltf_place ){ node, mesh, instance, *world };
	return true;
}

// One attribute of EXT_mesh_gpu_instancing. *found_out: it is there.
static bool open_attribute( gltf *g, const json_t *attributes, uint32_t node, const char *key, size_t width,
                            gltf_accessor *out, bool *found_out ) {
	size_t number = SIZE_MAX;
	char what[48];
	if ( !gltf_get_count( g, attributes, "instances of node", node, key, &number ) )
		return false;
	*found_out = number != SIZE_MAX;
	if ( !*found_out )
		return true;
	snprintf( what, sizeof what, "%s of the instances of node %lu", key, (unsigned long)node );
	if ( !gltf_accessor_open( g, number, what, out ) )
		return false;
	if ( out->width != width || ( out->component != GLTF_FLOAT && !out->normalized ) )
		return gltf_refuse( g, DBVH_MALFORMED, "accessor %zu is no %s: it has the wrong 'type' or 'componentType'",
		                    number, what );
	return true;
}

static bool add_instances( walk *w, const json_t *extension, uint32_t node, uint32_t mesh ) {
	static const char *const keys[] = { "TRANSLATION", "ROTATION", "SCALE" };
	const json_t *attributes = json_object_get( extension, "attributes" );
	gltf_accessor accessors[3];
	bool found[3];
	size_t count = SIZE_MAX;
	for ( int k = 0; k < 3; ++k ) {
		if ( !open_attribute( w->g, attributes, node, keys[k], k == 1 ? 4 : 3, &accessors[k], &found[k] ) )
			return false;
		if ( found[k] && count != SIZE_MAX && accessors[k].count != count )
			return refuse_node( w->g, DBVH_MALFORMED, node, "the attributes of its instances are of different length" );
		count = found[k] ? accessors[k].count : count;
	}
	if ( count == SIZE_MAX )
		return refuse_node( w->g, DBVH_MALFORMED, node, "its instances have no TRANSLATION, ROTATION or SCALE" );
	if ( count > w->g->budget / 16 )
		return refuse_node( w->g, DBVH_LIMIT, node, "it has more instances than a file of this size should" );
	w->g->budget -= 16 * count;
	for ( size_t i = 0; i < count; ++i ) {
		double t[3] = { 0, 0, 0 }, r[4] = { 0, 0, 0, 1 }, s[3] = { 1, 1, 1 };
		double *const values[3] = { t, r, s };
		for ( int k = 0; k < 3; ++k )
			if ( found[k] )
				gltf_accessor_reals( &accessors[k], i, values[k] );
		const scene_affine local = affine_of( t, r, s );
		const scene_affine world = scene_affine_compose( &w->worlds[node], &local );
		if ( !add_place( w, node, mesh, (uint32_t)i, &world ) )
			return false;
	}
	return true;
}

static bool add_node( walk *w, uint32_t node ) {
	gltf *g = w->g;
	const json_t *object = node_object( g, node ), *name = json_object_get( object, "name" );
	const uint32_t parent = w->graph->parents[node];
	scene_affine local;
	size_t mesh = SIZE_MAX;
	w->graph->depths[node] = parent != NONE ? w->graph->depths[parent] + 1 : 1;
	if ( w->graph->depths[node] > MOST_DEPTH )
		return gltf_refuse( g, DBVH_LIMIT, "nodes are nested more than %d deep", MOST_DEPTH );
	if ( name != NULL && !json_is_string( name ) )
		return gltf_refuse( g, DBVH_MALFORMED, "node %lu: its 'name' is no text", (unsigned long)node );
	w->lengths[node] =
	    ( parent != NONE ? w->lengths[parent] + 1 : 0 ) + ( name != NULL ? json_string_length( name ) : 16 );
	if ( !read_local( g, node, &local ) || !gltf_get_count( g, object, "node", node, "mesh", &mesh ) )
		return false;
	w->worlds[node] = parent != NONE ? scene_affine_compose( &w->worlds[parent], &local ) : local;
	if ( mesh == SIZE_MAX )
		return true;
	if ( mesh >= gltf_count( g->meshes ) )
		return gltf_refuse( g, DBVH_MALFORMED, "node %lu names mesh %zu, but there %s %zu", (unsigned long)node, mesh,
		                    gltf_count( g->meshes ) == 1 ? "is" : "are", gltf_count( g->meshes ) );
	g->skins += json_object_get( object, "skin" ) != NULL;
	const json_t *instances = gltf_extension( object, "EXT_mesh_gpu_instancing" );
	if ( instances != NULL )
		return add_instances( w, instances, node, (uint32_t)mesh );
	return add_place( w, node, (uint32_t)mesh, NONE, &w->worlds[node] );
}

static bool show( walk *w, uint32_t root ) {
	w->stack[w->stack_count++] = root;
	while ( w->stack_count > 0 ) {
		const uint32_t node = w->stack[--w->stack_count];
		if ( !add_node( w, node ) )
			return false;
		push_children( w, node );
	}
	return true;
}

static bool show_scene( walk *w, const json_t *scenes, size_t scene ) {
	gltf *g = w->g;
	const json_t *roots;
	if ( scene >= gltf_count( scenes ) )
		return gltf_refuse( g, DBVH_MALFORMED, "'scene' is %zu, but there %s %zu", scene,
		                    gltf_count( scenes ) == 1 ? "is" : "are", gltf_count( scenes ) );
	if ( !gltf_get_array( g, json_array_get( scenes, scene ), "scene", scene, "nodes", &roots ) )
		return false;
	for ( size_t i = 0; i < gltf_count( roots ); ++i ) {
		size_t root;
		if ( !scene_json_is_count( json_array_get( roots, i ), &root ) || root >= w->graph->node_count )
			return gltf_refuse( g, DBVH_MALFORMED, "scene %zu names a node that is not there", scene );
		if ( w->graph->parents[root] != NONE )
			return gltf_refuse( g, DBVH_MALFORMED,
			                    "scene %zu names node %zu, which is no root: it is a child of node %lu", scene, root,
			                    (unsigned long)w->graph->parents[root] );
		if ( w->graph->depths[root] != 0 )
			return gltf_refuse( g, DBVH_MALFORMED, "scene %zu names node %zu twice", scene, root );
		if ( !show( w, (uint32_t)root ) )
			return false;
	}
	return true;
}

// The default scene; else the only one; else all root nodes.
static bool show_all( walk *w ) {
	gltf *g = w->g;
	const json_t *scenes;
	size_t scene = SIZE_MAX;
	if ( !gltf_get_array( g, g->root, "file", 0, "scenes", &scenes ) ||
	     !gltf_get_count( g, g->root, "file", 0, "scene", &scene ) )
		return false;
	if ( scene == SIZE_MAX && gltf_count( scenes ) == 1 )
		scene = 0;
	if ( scene != SIZE_MAX )
		return show_scene( w, scenes, scene );
	for ( uint32_t i = 0; i < w->graph->node_count; ++i )
		if ( w->graph->parents[i] == NONE && !show( w, i ) )
			return false;
	return true;
}

static bool read_graph( walk *w ) {
	const size_t count = w->graph->node_count;
	if ( count >= NONE )
		return gltf_refuse( w->g, DBVH_LIMIT, "the file has more than 2^32 nodes" );
	w->graph->parents = malloc( ( count + 1 ) * sizeof *w->graph->parents );
	w->graph->depths = calloc( count + 1, sizeof *w->graph->depths );
	w->worlds = malloc( ( count + 1 ) * sizeof *w->worlds );
	w->lengths = malloc( ( count + 1 ) * sizeof *w->lengths );
	w->stack = malloc( ( count + 1 ) * sizeof *w->stack );
	if ( w->graph->parents == NULL || w->graph->depths == NULL || w->worlds == NULL || w->lengths == NULL ||
	     w->stack == NULL )
		return no_memory( w->g );
	memset( w->graph->parents, 0xff, count * sizeof *w->graph->parents );
	for ( uint32_t i = 0; i < count; ++i )
		if ( !read_children( w, i ) )
			return false;
	return refuse_circles( w ) && show_all( w );
}

bool gltf_read_graph( gltf *g, gltf_graph *out ) {
	*out = ( gltf_graph ){ .node_count = gltf_count( g->nodes ) };
	walk w = { .g = g, .graph = out };
	const bool good = read_graph( &w );
	free( w.worlds );
	free( w.lengths );
	free( w.stack );
	return good;
}

char *gltf_path( const gltf *g, const gltf_graph *graph, const gltf_place *place ) {
	uint32_t chain[MOST_DEPTH];
	size_t depth = 0, length = 32;
	for ( uint32_t node = place->node; node != NONE; node = graph->parents[node] ) {
		const json_t *name = json_object_get( node_object( g, node ), "name" );
		chain[depth++] = node;
		length += json_string_length( name ) + 24;
	}
	char *made = malloc( length ), *to = made;
	if ( made == NULL )
		return NULL;
	while ( depth-- > 0 ) {
		const char *name = json_string_value( json_object_get( node_object( g, chain[depth] ), "name" ) );
		if ( name != NULL && *name != '\0' )
			to += sprintf( to, "%s", name );
		else
			to += sprintf( to, "node-%lu", (unsigned long)chain[depth] );
		*to++ = '/';
	}
	if ( place->instance != NONE )
		sprintf( to, "instance-%lu", (unsigned long)place->instance + 1 );
	else
		to[-1] = '\0';
	return made;
}

#else

typedef int gltf_node_is_empty;

#endif
