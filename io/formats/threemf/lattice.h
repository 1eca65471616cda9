// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The lattice of a 3MF mesh: beams between its vertices, and balls at them. 3MF Beam Lattice Extension 1.2.

#pragma once

#include "model/beams.h"
#include "model/model.h"

typedef struct threemf_beam {
	uint32_t vertices[2];
	double radii[2];
	scene_cap caps[2];
} threemf_beam;

typedef struct threemf_ball {
	uint32_t vertex;
	double radius;
} threemf_ball;

// All zero: there is none.
typedef struct threemf_lattice {
	bool is_there, is_built, is_clipped; // is_clipped: a mesh cuts it, which is not read
	bool has_balls, has_ball_everywhere; // balls count; vertices with a beam have one even where none is listed
	double radius, ball_radius, least_length;
	scene_cap cap;
	threemf_beam *beams;
	size_t beam_count, beam_capacity;
	threemf_ball *balls;
	size_t ball_count, ball_capacity;
	size_t short_count; // beams shorter than the least length, which do not count
} threemf_lattice;

void threemf_lattice_free( threemf_lattice *lattice );

enum { THREEMF_WHY_ROOM = 100 }; // room for a sentence about what is wrong

// Reads the attributes of <beamlattice>. False after saying why.
bool threemf_lattice_begin( threemf_lattice *lattice, const char *const *attributes, char why[THREEMF_WHY_ROOM] );

// Read the attributes of <beam> and <ball>; the vertices of the mesh stand before them. Errors: MALFORMED, INDEX_RANGE
// after saying why; OUT_OF_MEMORY.
dbvh_status threemf_lattice_beam( threemf_lattice *lattice, const char *const *attributes, size_t vertex_count,
                                  char why[THREEMF_WHY_ROOM] );
dbvh_status threemf_lattice_ball( threemf_lattice *lattice, const char *const *attributes, size_t vertex_count,
                                  char why[THREEMF_WHY_ROOM] );

// Adds closed polyhedra round the beams and balls to a mesh that has the vertices already. `sag`: how much larger they
// may be, as far as 128 sides reach; 0: a twentieth of the largest radius. Errors: LIMIT (the ledger of the model),
// OUT_OF_MEMORY.
dbvh_status threemf_lattice_build( threemf_lattice *lattice, double sag, scene_model *model, shape *mesh,
                                   double *sag_out, dbvh_error *error );
