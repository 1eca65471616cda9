// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The meshes that experiments run on, whether they come from files or are generated.

#pragma once

#include "dualbvh/dualbvh.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scene_mesh {
	char label[160]; // heading of a table; says "generated" if the mesh is
	double *positions;
	uint32_t *indices;
	dbvh_mesh_view view;
} scene_mesh;

// The mesh of a file given by hand. Ends the program, with a sentence, if it cannot be read.
scene_mesh scene_file( const char *path );

// The Happy Buddha of the paper, else the generated statue with as many triangles.
scene_mesh scene_buddha( void );

// The interior of an aeroplane, else the generated cabin.
scene_mesh scene_cabin( void );

// The generated cabin of 169,944 triangles.
scene_mesh scene_cabin_generated( void );

// A hand: 0 or 1 for the two real ones (805 and 488 triangles), else the generated one of 404.
scene_mesh scene_hand( int which );

// A sphere of the paper's Scenario II, 79,600 triangles.
scene_mesh scene_sphere( double radius );

// A torus; small, for tests.
scene_mesh scene_torus( uint32_t major_segments, uint32_t minor_segments );

// The mesh of --mesh: a file of that name, else scene_buddha(). `file` may be NULL.
scene_mesh scene_choose( const char *file );

void scene_free( scene_mesh *mesh );

// dbvh_tree_build() that ends the program, with a sentence, when it fails.
dbvh_tree *scene_tree( const dbvh_mesh_view *view, const dbvh_tree_options *options );

// The same with its reference tree, for policies that go down that one, and for whoever looks at its nodes.
dbvh_tree *scene_reference_tree( const dbvh_mesh_view *view, const dbvh_tree_options *options );

#ifdef __cplusplus
}
#endif
