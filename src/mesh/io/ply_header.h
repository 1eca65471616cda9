// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The header of a PLY file: which elements follow, in which order, and what each of them is made of.

#pragma once

#include "mesh/builder.h"
#include "mesh/io/stream.h"

// In the order of the names in ply_header.c.
typedef enum dbvhi_ply_type {
	DBVHI_PLY_INT8,
	DBVHI_PLY_UINT8,
	DBVHI_PLY_INT16,
	DBVHI_PLY_UINT16,
	DBVHI_PLY_INT32,
	DBVHI_PLY_UINT32,
	DBVHI_PLY_FLOAT32,
	DBVHI_PLY_FLOAT64,
	DBVHI_PLY_TYPE_COUNT
} dbvhi_ply_type;

typedef enum dbvhi_ply_role {
	DBVHI_PLY_X, // the values of x, y and z are their axes
	DBVHI_PLY_Y,
	DBVHI_PLY_Z,
	DBVHI_PLY_CORNERS, // the list of vertices of a face
	DBVHI_PLY_SKIPPED
} dbvhi_ply_role;

typedef struct dbvhi_ply_property {
	dbvhi_ply_type type;
	dbvhi_ply_type count_type; // type of the count, if it is a list
	bool is_list;
	dbvhi_ply_role role;
} dbvhi_ply_property;

typedef enum dbvhi_ply_kind { DBVHI_PLY_VERTEX, DBVHI_PLY_FACE, DBVHI_PLY_OTHER } dbvhi_ply_kind;

typedef struct dbvhi_ply_element {
	dbvhi_ply_kind kind;
	int64_t count;
	size_t first_property, property_count;
	unsigned roles; // a bit for each role that has been given away
} dbvhi_ply_element;

typedef struct dbvhi_ply_header {
	dbvhi_ply_element *elements;
	size_t element_count, element_capacity;
	dbvhi_ply_property *properties;
	size_t property_count, property_capacity;
	bool ascii, big_endian;
	int64_t line_count; // lines up to the first byte of the data
} dbvhi_ply_header;

size_t dbvhi_ply_type_size( dbvhi_ply_type type );

// Fills *header, which the caller frees in any case, and leaves the stream at the data. Errors go to mesh->error.
dbvh_status dbvhi_ply_header_read( dbvhi_builder *mesh, dbvhi_stream *stream, dbvhi_ply_header *header );
void dbvhi_ply_header_free( dbvhi_ply_header *header, const dbvh_allocator *allocator );
