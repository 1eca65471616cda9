// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Readers of scenes: one function a format, all of one shape. They read bytes that are in memory and ask for further
// files through scene_source, so that fuzzers need no disk. A reader that refuses a file says why in *error and leaves
// the model as far as it came: the caller frees it.

#pragma once

#include "formats/trust.h"
#include "model/model.h"

// Gives the bytes of a file that another one names, as that names it (relative to it, package://..., a data: URI is the
// reader's own business). False after filling in *error. The reader calls release with what it got.
typedef struct scene_source {
	bool ( *open )( void *user, const char *name, unsigned char **bytes_out, size_t *count_out, dbvh_error *error );
	void ( *release )( void *user, unsigned char *bytes, size_t count );
	void *user;
	const char *name; // name of the file that is read, for names of meshes and sentences
	// For JSON scenes: the source that an included file's own files come from, and the file that includes it.
	const struct scene_source *outer;
	const struct json_level *level;
} scene_source;

// How a mesh file becomes bodies.
typedef enum scene_split {
	SCENE_SPLIT_FILE,      // one body
	SCENE_SPLIT_OBJECT,    // one for each `o` or `g` of OBJ, `solid` of STL; other formats: one
	SCENE_SPLIT_COMPONENT, // one for each connected component
	SCENE_SPLIT_AUTO,      // objects, where the file has several; objects that continue each other (model/parts.h) are
	                       // one
	SCENE_SPLIT_COUNT
} scene_split;

// "file", "object", ...
const char *scene_split_word( scene_split split );

dbvh_status scene_read_gltf( const unsigned char *bytes, size_t count, const scene_source *source, scene_model *model,
                             dbvh_error *error ); // GLB as well
dbvh_status scene_read_3mf( const unsigned char *bytes, size_t count, const scene_source *source, scene_model *model,
                            dbvh_error *error );
dbvh_status scene_read_urdf( const unsigned char *bytes, size_t count, const scene_source *source, scene_model *model,
                             dbvh_error *error );
// Adds rules and states to a model that a URDF has filled.
dbvh_status scene_read_srdf( const unsigned char *bytes, size_t count, scene_model *model, dbvh_error *error );
// Bodies of other files, rules, clearances, sags, states.
dbvh_status scene_read_json( const unsigned char *bytes, size_t count, const scene_source *source, scene_model *model,
                             dbvh_error *error );
// The format of a mesh file by the ending of its name; AUTO where that is of none.
dbvh_mesh_format scene_mesh_format( const char *name );
dbvh_status scene_read_mesh( const unsigned char *bytes, size_t count, const scene_source *source, scene_split split,
                             scene_model *model, dbvh_error *error );

// Reads by assimp, chosen by the ending of source->name; scene_is_import() tells which endings.
dbvh_status scene_read_import( const unsigned char *bytes, size_t count, const scene_source *source, scene_model *model,
                               dbvh_error *error );
bool scene_is_import( const char *name );
// Triangles within `sag` millimetres of the surfaces; 0: 0.1. It is the sag of the bodies, too.
dbvh_status scene_read_step( const unsigned char *bytes, size_t count, const scene_source *source, double sag,
                             scene_model *model, dbvh_error *error );

// Reads any of these formats but SRDF, chosen by content, then by the ending of source->name. Lengths of a file whose
// unit is known and differs from the model's are converted, and a note says so.
dbvh_status scene_read_bytes( const unsigned char *bytes, size_t count, const scene_source *source, scene_split split,
                              scene_model *model, dbvh_error *error );

// The files that other files have named and that were read, by their real paths; to be freed. All zero: none.
typedef struct scene_opened {
	char **paths;
	size_t count, capacity;
} scene_opened;
void scene_opened_free( scene_opened *opened );

// scene_read_bytes() from disk; further files are looked for beside it and in packages.
typedef struct scene_read_options {
	scene_split split;
	const char *const *packages; // "name=dir"
	size_t package_count;
	scene_trust trust;
	double sag; // for geometry that is not made of triangles, in the unit of its file; 0: the reader's default
	scene_opened *opened;              // is told what is opened; NULL: nobody asks. Not for several threads
	bool skip_bad_faces;               // see dbvh_mesh_read_options; for all mesh files
	bool wants_visual, holds_no_joint; // see scene_model
} scene_read_options;
dbvh_status scene_read_file( const char *path, const scene_read_options *options, scene_model *model,
                             dbvh_error *error );

// Is this a format that only a scene reader knows (glTF, 3MF, URDF, JSON, STEP, those of assimp)?
bool scene_is_scene_file( const char *path, const unsigned char *bytes, size_t count );

// All bodies of a file, where they stand, as one mesh: what check, distance and the rest read. Triangles follow the
// bodies in their order.
dbvh_status scene_flatten( scene_model *model, dbvh_mesh **mesh_out, dbvh_error *error );
