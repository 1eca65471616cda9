// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Meshes and their trees as the command line names them, with sentences about what is wrong. How they are read is set
// once for the whole run: by use_trust(), use_faces() and use_cache().

#pragma once

#include "dualbvh/dualbvh.h"
#include "formats/trust.h"

// Reads a mesh and builds its tree. On failure: a sentence on stderr, false, and *mesh and *tree are NULL. *metres
// becomes the unit of the file, if that has one; where *metres is above 0 before, a mesh in another unit is converted
// into it, with a sentence. `metres` and `seconds` (the time of the build) may be NULL.
bool load_tree( const char *file, double *metres, dbvh_mesh **mesh, dbvh_tree **tree, double *seconds );

// A file that a mesh is loaded from. Set `file` and leave the rest zero.
typedef struct load_source {
	const char *file;
	bool is_read;    // load_ahead() has read it: the mesh is here, or the reason why there is none
	dbvh_mesh *mesh; // owned, until load_tree_by() takes it
	dbvh_error error;
} load_source;

// Reads two mesh files side by side, if both are so large that this is worth a thread. Prints nothing: what
// load_tree_by() then makes of a source is the same as without. load_source_free() takes back what it has not taken.
void load_ahead( load_source sources[2] );
void load_source_free( load_source *source );

// load_tree() with options: a file that holds a tree without what they ask for is built anew from its mesh. A mesh of
// at least `fast_from` triangles gets a tree of DBVH_QUALITY_FAST.
bool load_tree_by( load_source *source, const dbvh_tree_options *options, size_t fast_from, double *metres,
                   dbvh_mesh **mesh, dbvh_tree **tree );

// load_tree() with a topology, for a rule of what the mesh encloses.
bool load_solid( const char *file, dbvh_fill_rule fill, double *metres, dbvh_mesh **mesh, dbvh_tree **tree );

// Loads a tree without its mesh, by these options: the tree of a file that has one with them, else one that is built.
// *skipped: how many faces its mesh was read without.
bool load_tree_alone( const char *file, const dbvh_tree_options *options, dbvh_tree **tree, double *seconds,
                      size_t *skipped );

// Finds the rule of --fill by its name (NULL: the default). False after a sentence.
bool fill_rule_find( const char *command, const char *name, dbvh_fill_rule *rule_out );

// The entry of an option table for --cache; `member` is where its value goes, which is then given to use_cache().
#define CACHE_ENTRY( member )                                                                                          \
	{                                                                                                                  \
		"cache", 0, "DIR", ARG_TO( ARG_TEXT, member ),                                                                 \
		    "keep trees in folder DIR, and take them from there when the same mesh comes again"                        \
	}

// The entry of --skip-bad-faces; its value is then given to use_faces().
#define SKIP_BAD_FACES_ENTRY( member )                                                                                 \
	{                                                                                                                  \
		"skip-bad-faces", 0, NULL, ARG_TO( ARG_FLAG, member ),                                                         \
		    "read mesh files without faces that cross or touch themselves, which are refused otherwise; they are "     \
		    "counted, and the mesh is open there"                                                                      \
	}

// Entries of an option table; `member` is a scene_trust of the settings.
#define SCENE_TRUST_ENTRIES( member )                                                                                  \
	{ "allow-outside", 0, NULL, ARG_TO( ARG_FLAG, member.allow_outside ),                                              \
	  "a scene may name files outside of its folder and its packages" },                                               \
	{                                                                                                                  \
		"most-memory", 0, "MIB", ARG_COUNT_TO( member.most_memory, 1, UINT32_MAX ),                                    \
		    "a scene may take so much for meshes and bodies (128, and 32 times the bytes of its files)"                \
	}

// Sets for everything that is loaded from now on: are bad faces left out?
void use_faces( bool skips_bad_ones );

// Sets a folder of trees for everything that is loaded from now on. NULL: none.
void use_cache( const char *folder );

// Sets how far the files of scenes are trusted that are read from now on.
void use_trust( const scene_trust *trust );
