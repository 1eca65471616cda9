// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A picture as triangles and segments that other programs read: GLB, OBJ and PLY are written from the same list.

#pragma once

#include "picture/picture.h"

#include <stdio.h>

// Content of a model, bits.
enum {
	LAYER_BODIES = 1,      // at their poses
	LAYER_CONTACTS = 2,    // lines and regions where surfaces meet
	LAYER_CLUSTERS = 4,    // a box round each connected contact
	LAYER_OVERLAP = 8,     // the overlap of two bodies, as a closed mesh
	LAYER_LEVELS = 16,     // boxes of a level of the trees
	LAYER_SEPARATION = 32, // the move that parts two bodies, from where they meet
	LAYER_DISTANCE = 64    // the shortest way between two bodies
};

typedef enum model_role { MODEL_A, MODEL_B, MODEL_REST, MODEL_CONTACT, MODEL_MARK, MODEL_ROLE_COUNT } model_role;

extern const unsigned char model_colours[MODEL_ROLE_COUNT][3]; // red, green, blue as in colours.h

// Places are exact, in the frame of the picture.
typedef struct model_object {
	char *name;
	model_role role;
	double *points; // three each
	size_t point_count, point_capacity;
	uint32_t *triangles;
	size_t triangle_count, triangle_capacity; // in corners
	uint32_t *segments;
	size_t segment_count, segment_capacity; // in ends
} model_object;

typedef struct model {
	model_object *objects;
	size_t count, capacity;
	bool has_failed;
} model;

// False where there is no memory. Frame 0 of what moves; `level` of the trees.
bool model_make( const picture *p, unsigned layers, uint32_t level, model *out );
void model_free( model *m );

// Each writes a file. DBVH_OUT_OF_MEMORY, or DBVH_LIMIT where the format does not hold it; nothing is written then.
// GLB (glTF 2.0): floats round an origin in the middle, whose exact doubles are in the extras of the root, as are the
// clashes with all numbers.
dbvh_status model_write_glb( const model *m, const picture *p, FILE *file );
dbvh_status model_write_obj( const model *m, const picture *p, FILE *file ); // all digits
dbvh_status model_write_ply( const model *m, const picture *p, FILE *file ); // doubles, with colours and edges
