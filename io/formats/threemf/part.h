// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The model parts of a 3MF package: objects, and the items to be built of them. 3MF Core Specification 1.3, the paths
// of the Production Extension, and the lattices of the Beam Lattice Extension.

#pragma once

#include "formats/threemf/lattice.h"
#include "model/placement.h"
#include "text/names.h"

typedef struct threemf_component {
	uint32_t part, id; // id of the object
	scene_affine transform;
} threemf_component;

// A mesh, with the beams of its lattice or without, or components.
typedef struct threemf_object {
	uint32_t part, id;
	char *name; // NULL: none
	char *type; // NULL: "model"
	double *positions;
	uint32_t *indices;
	size_t vertex_count, vertex_capacity, triangle_count, triangle_capacity; // capacities of triples
	threemf_component *components;
	size_t component_count, component_capacity;
	threemf_lattice lattice;
	double sag;   // how much larger the polyhedra of the lattice are; 0 until it is built
	bool is_open; // while what is in it is placed: it cannot be in itself
} threemf_object;

typedef struct threemf {
	char **parts; // their names in the archive; the first is the root
	size_t part_count, part_capacity;
	scene_names part_numbers;
	threemf_object *objects;
	size_t object_count, object_capacity;
	threemf_component *items; // items of the root
	size_t item_count, item_capacity;
	double metres; // length of the root's unit
} threemf;

void threemf_free( threemf *t );

// The number of a part, which is added where it is new; a '/' at its beginning means nothing. UINT32_MAX where there is
// no memory.
uint32_t threemf_part( threemf *t, const char *name );

// Adds what a model part says, and the parts that it names.
dbvh_status threemf_read_part( threemf *t, uint32_t part, const unsigned char *bytes, size_t count, dbvh_error *error );
