// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The subcommands.

#pragma once

// The subcommands in the order of --help: the name, what it does, and for the commonest what it may be given.
#define COMMANDS( X )                                                                                                  \
	X( info, "count, measure and audit meshes", NULL )                                                                 \
	X( check, "do two meshes interfere? At one pose or many", "A.stl B.stl" )                                          \
	X( scene, "which bodies of an assembly clash? Rules, ignores, baselines, reports", "FILE..." )                     \
	X( distance, "the distance between two meshes, at one pose or many", NULL )                                        \
	X( toi, "time of impact: when does a moving mesh first touch another one?", NULL )                                 \
	X( self, "does a mesh intersect itself?", NULL )                                                                   \
	X( view, "a page that shows where bodies clash, for any browser", "A.stl B.stl" )                                  \
	X( export, "where bodies clash, as GLB, OBJ, PLY; distances as an SVG plot", NULL )                                \
	X( replay, "ask a captured question again, in every way there is", NULL )                                          \
	X( build, "build the tree of a mesh and save it, for all the others to load", NULL )                               \
	X( gen, "generate a mesh: sphere, box, gear, hand, cabin, ...", NULL )

// cmd_info() and so on: argv[0] is the subcommand's own name. Each returns an exit status.
#define DECLARE_COMMAND( name, help, example ) int cmd_##name( int argc, char **argv );
COMMANDS( DECLARE_COMMAND )
#undef DECLARE_COMMAND
