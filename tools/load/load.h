// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// What the subcommands share. They print; the library never does.

#pragma once

#include "dualbvh/dualbvh.h"
#include "formats/trust.h"

#if defined( __GNUC__ )
#define PRINTF_LIKE( string, first ) __attribute__( ( format( printf, string, first ) ) )
#else
#define PRINTF_LIKE( string, first )
#endif

// Exit statuses. Disagreement is for replay. Undecidable: an open mesh may hold the other or not, and nothing
// interferes otherwise.
enum { EXIT_CLEAR = 0, EXIT_INTERFERENCE = 1, EXIT_ERROR = 2, EXIT_UNDECIDABLE = 3, EXIT_DISAGREEMENT = 4 };

// argv[0] is the subcommand's own name. Each returns an exit status.
int cmd_info( int argc, char **argv );
int cmd_check( int argc, char **argv );
int cmd_scene( int argc, char **argv );
int cmd_distance( int argc, char **argv );
int cmd_toi( int argc, char **argv );
int cmd_self( int argc, char **argv );
int cmd_gen( int argc, char **argv );
int cmd_build( int argc, char **argv );
int cmd_view( int argc, char **argv );
int cmd_export( int argc, char **argv );
int cmd_replay( int argc, char **argv );

// Prints "dualbvh: ..." and a line end to stderr; returns EXIT_ERROR.
int complain( const char *format, ... ) PRINTF_LIKE( 1, 2 );

// Prints the error of a file with its line or byte where there is one; returns EXIT_ERROR.
int complain_of( const char *file, const dbvh_error *error );

// Pushes out what is buffered. Returns `status`, or EXIT_ERROR with a sentence where standard output took not all.
int finish_output( int status );

// Reads a mesh and builds its tree, with complaints. Returns false then, and *mesh and *tree are NULL. *metres is the
// unit of the mesh, as far as its file has one (else it stays); if it is not 0 before, a mesh of another unit is
// converted into it, with a sentence. NULL: nobody asks. `seconds`, unless it is NULL, is how long the build took.
bool load_tree( const char *file, double *metres, dbvh_mesh **mesh, dbvh_tree **tree, double *seconds );

// The same by these options (NULL: the defaults): a file that holds a tree without what they ask for is built anew from
// its mesh.
bool load_tree_by( const char *file, const dbvh_tree_options *options, double *metres, dbvh_mesh **mesh,
                   dbvh_tree **tree, double *seconds );

// The same with a topology, and a rule of what the mesh encloses.
bool load_solid( const char *file, dbvh_fill_rule fill, double *metres, dbvh_mesh **mesh, dbvh_tree **tree );

// A tree alone, by these options; that of a file that has one with them, else one that is built. *skipped: how many
// faces its mesh was read without.
bool load_tree_alone( const char *file, const dbvh_tree_options *options, dbvh_tree **tree, double *seconds,
                      size_t *skipped );

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

// Whether everything that is loaded from now on is read without such faces.
void use_faces( bool skips_bad_ones );

// A folder of trees for everything that is loaded from now on. NULL: none.
void use_cache( const char *folder );

// How far the files of scenes are trusted that are read from now on.
void use_trust( const scene_trust *trust );

// "s" unless n is 1.
const char *plural( size_t n );
