// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// glTF 2.0 while it is read (Khronos Group: glTF 2.0 Specification, 2021; ISO/IEC 12113:2022). Nothing here recurses on
// what the file says, and all memory is bounded by a multiple of its size. Functions that return bool fill in
// g->error where they return false.

#pragma once

#ifdef DUALBVH_WITH_JANSSON

#include "formats/files.h"
#include "formats/json/load.h"
#include "model/placement.h"
#include "model/refuse.h"

typedef struct gltf_buffer {
	const unsigned char *bytes; // NULL: not opened yet
	size_t count;               // stated by the file, and not more than there is
	unsigned char *opened;      // bytes of the source, to be released
	size_t opened_count;
	unsigned char *decoded; // content of a data: URI, to be freed
} gltf_buffer;

typedef struct gltf {
	const scene_source *source;
	scene_model *model;
	dbvh_error *error; // never NULL
	json_t *root;
	const json_t *nodes, *meshes, *accessors, *views; // arrays; NULL where there are none
	const json_t *buffer_list;
	gltf_buffer *buffers;
	size_t buffer_count;
	const unsigned char *binary; // chunk of a GLB; NULL: there is none
	size_t binary_count;
	size_t most_zeros;       // in an accessor without a view
	size_t budget;           // corners that may still be read
	unsigned char **decoded; // by bufferView: its bytes where it is compressed and was read; to be freed
	size_t decode_budget;    // bytes that may still be decompressed
	void *unpacked;          // by draco.cpp: positions and corners of the primitive that is read; to be freed
	uint32_t *numbers;  // used by mesh.c: new number of each vertex of a primitive; all UINT32_MAX between primitives
	size_t number_room; // capacity of `numbers`
	size_t copied;      // triangles of meshes that are scaled in more than one way, but for the first way
	// For notes: what was left out, and how often.
	size_t lines, incomplete, without_positions, skins, morphs, flat_to_nothing, without_triangles;
} gltf;

// ------------------------------------------------------------------------------------------------
// container.c: GLB, JSON, versions and extensions. Sets root and what hangs on it.

bool gltf_open( gltf *g, const unsigned char *bytes, size_t count );
void gltf_close( gltf *g );

// Refuses an element of the file with a sentence: "accessor 3 ...".
bool gltf_refuse( gltf *g, dbvh_status status, const char *format, ... ) SCENE_PRINTF_LIKE( 3, 4 );

// The elements of an array; 0 for NULL.
size_t gltf_count( const json_t *array );

// A whole number of an object, which is element `number` of what is called `what`; *out stays what it is if the key is
// not there. False if it is something else.
bool gltf_get_count( gltf *g, const json_t *object, const char *what, size_t number, const char *key, size_t *out );

// `count` numbers. *found_out: the key is there.
bool gltf_get_reals( gltf *g, const json_t *object, const char *what, size_t number, const char *key, size_t count,
                     double *out, bool *found_out );

// An array of an object, or NULL in *out where the key is not there.
bool gltf_get_array( gltf *g, const json_t *object, const char *what, size_t number, const char *key,
                     const json_t **out );

// The extension of an object, or NULL.
const json_t *gltf_extension( const json_t *object, const char *name );

// ------------------------------------------------------------------------------------------------
// buffer.c: the bytes of a buffer, wherever they are. Opened when first asked for.

bool gltf_buffer_bytes( gltf *g, size_t buffer, const unsigned char **bytes_out, size_t *count_out );
void gltf_buffers_free( gltf *g );

// ------------------------------------------------------------------------------------------------
// view.c: the bytes of a bufferView.

typedef struct gltf_view {
	const unsigned char *bytes;
	size_t count, stride; // stride 0: the file does not say
} gltf_view;

// View number `number`, which `user` (for sentences) names; decompressed where the file has it so.
bool gltf_view_open( gltf *g, size_t number, const char *user, gltf_view *out );
void gltf_views_free( gltf *g );

// ------------------------------------------------------------------------------------------------
// meshopt.c

typedef enum gltf_packed_mode { GLTF_PACKED_ATTRIBUTES, GLTF_PACKED_TRIANGLES, GLTF_PACKED_INDICES } gltf_packed_mode;

typedef enum gltf_packed_filter {
	GLTF_FILTER_NONE,
	GLTF_FILTER_OCTAHEDRAL,
	GLTF_FILTER_QUATERNION,
	GLTF_FILTER_EXPONENTIAL,
	GLTF_FILTER_COLOR,
} gltf_packed_filter;

// A compressed view as EXT_meshopt_compression describes it, checked: strides of vertices are multiples of 4 up to 256,
// those of indices 2 or 4, and corners of triangles come in threes.
typedef struct gltf_packed {
	const unsigned char *bytes;
	size_t size, count, stride;
	gltf_packed_mode mode;
	gltf_packed_filter filter;
} gltf_packed;

// Decompresses a view into p->count * p->stride bytes.
bool gltf_meshopt_decode( gltf *g, size_t view, const char *extension, const gltf_packed *p, void *out );

// ------------------------------------------------------------------------------------------------
// accessor.c

typedef enum gltf_component {
	GLTF_BYTE = 5120,
	GLTF_UBYTE = 5121,
	GLTF_SHORT = 5122,
	GLTF_USHORT = 5123,
	GLTF_UINT = 5125,
	GLTF_FLOAT = 5126,
} gltf_component;

// Elements that were checked to lie within their buffer.
typedef struct gltf_accessor {
	size_t number, count;
	gltf_component component;
	size_t width; // components of an element
	bool normalized;
	const unsigned char *bytes; // NULL: all zero
	size_t stride;
	size_t sparse_count; // elements that stand elsewhere, their indices ascending
	const unsigned char *sparse_indices, *sparse_values;
	gltf_component sparse_component;
} gltf_accessor;

// Bytes of a component.
size_t gltf_size_of( gltf_component component );

// Accessor number `number`, which `user` (for sentences) names.
bool gltf_accessor_open( gltf *g, size_t number, const char *user, gltf_accessor *out );

// Element i as numbers: floats as they are, whole ones too, or divided as the format says where they are normalized.
void gltf_accessor_reals( const gltf_accessor *a, size_t i, double *out );

// The first component of element i, of an accessor of whole numbers.
uint32_t gltf_accessor_index( const gltf_accessor *a, size_t i );

// ------------------------------------------------------------------------------------------------
// draco.cpp, or draco.c where it is not built in: KHR_draco_mesh_compression.

// Decompresses a primitive. The accessors say how many positions and corners there are, and of which type the positions
// are; they get bytes, which stay until the next call or gltf_close().
bool gltf_draco_decode( gltf *g, const json_t *extension, const char *user, gltf_accessor *positions,
                        gltf_accessor *corners );

// ------------------------------------------------------------------------------------------------
// mesh.c: the triangles of a mesh of the file.

typedef struct gltf_geometry {
	double *positions;
	uint32_t *corners;
	size_t vertex_count, vertex_room, triangle_count, triangle_room;
} gltf_geometry;

void gltf_geometry_free( gltf_geometry *geometry );

// All primitives together. Without triangles it is no error, but nothing to use.
bool gltf_read_mesh( gltf *g, size_t mesh, gltf_geometry *out );

// ------------------------------------------------------------------------------------------------
// node.c: where meshes stand.

// One body to be: a node, or an instance of one.
typedef struct gltf_place {
	uint32_t node, mesh;
	uint32_t instance; // from 0; UINT32_MAX: the node itself
	scene_affine world;
} gltf_place;

typedef struct gltf_graph {
	size_t node_count;
	uint32_t *parents; // UINT32_MAX: a root
	uint32_t *depths;  // by node, for those that are shown
	gltf_place *places;
	size_t place_count, place_room;
	size_t path_bytes; // sum over all paths, for their limit
} gltf_graph;

void gltf_graph_free( gltf_graph *graph );

// Everything of the default scene, or of all root nodes, in the order of the tree.
bool gltf_read_graph( gltf *g, gltf_graph *out );

// The path of a place: the names of the node and its ancestors. To be freed; NULL where there is no memory.
char *gltf_path( const gltf *g, const gltf_graph *graph, const gltf_place *place );

#endif
