// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The command `dualbvh`: picks the subcommand.

#include "args.h"
#include "command.h"
#include "ending.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *name;
	int ( *run )( int argc, char **argv );
	const char *help;
} commands[] = {
    { "info", cmd_info, "count, measure and audit meshes" },
    { "check", cmd_check, "tell whether two meshes interfere, at one pose or many" },
    { "distance", cmd_distance, "tell how far apart two meshes are, at one pose or many" },
    { "sweep", cmd_sweep, "tell when a mesh in motion intersects another one" },
    { "self", cmd_self, "tell whether a mesh intersects itself" },
    { "gen", cmd_gen, "make a mesh: sphere, box, gear, hand, cabin, ..." },
};
enum { COMMAND_COUNT = sizeof( commands ) / sizeof( commands[0] ) };

static int help( void ) {
	puts( "dualbvh tells exactly whether rigid triangle meshes meet.\n"
	      "\n"
	      "Usage: dualbvh COMMAND ARGUMENT...\n" );
	for ( int i = 0; i < COMMAND_COUNT; ++i )
		printf( "  %-9s %s\n", commands[i].name, commands[i].help );
	puts( "\n"
	      "'dualbvh COMMAND --help' says more. Meshes are read from STL, OBJ, PLY and OFF files.\n"
	      "\n"
	      "Exit status:\n"
	      "  0  nothing interferes\n"
	      "  1  something interferes\n"
	      "  2  a mistake in the command line or the input, an output that cannot be written, or no memory\n"
	      "  3  the question is undecidable for these meshes\n"
	      "\n"
	      "Ctrl-C ends check, distance, sweep and info after the pose, leg or mesh at hand; what is finished is\n"
	      "summed up first. A second one ends at once." );
	return finish_output( EXIT_APART );
}

static int run( int argc, char **argv ) {
	if ( argc < 2 )
		return args_refuse( "", "what is to be done? Name a command: info, check, distance, sweep, self or gen" );
	if ( strcmp( argv[1], "--help" ) == 0 || strcmp( argv[1], "-h" ) == 0 || strcmp( argv[1], "help" ) == 0 )
		return help();
	if ( strcmp( argv[1], "--version" ) == 0 ) {
		printf( "dualbvh %s\n", dbvh_version() );
		return finish_output( EXIT_APART );
	}
	for ( int i = 0; i < COMMAND_COUNT; ++i )
		if ( strcmp( argv[1], commands[i].name ) == 0 )
			return commands[i].run( argc - 1, argv + 1 );
	if ( argv[1][0] == '-' ) {
		static const char *const names[] = { "--help", "--version" };
		return args_refuse( "", "there is no option '%s'%s", argv[1], args_suggest( argv[1], names, 2, "" ) );
	}
	const char *names[COMMAND_COUNT];
	for ( int i = 0; i < COMMAND_COUNT; ++i )
		names[i] = commands[i].name;
	return args_refuse( "", "there is no command '%s'%s", argv[1], args_suggest( argv[1], names, COMMAND_COUNT, "" ) );
}

int main( int argc, char **argv ) {
	ending_guard();
	return ending_own( run( argc, argv ) );
}
