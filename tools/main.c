// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The command `dualbvh`: picks the subcommand.

#include "args.h"
#include "command.h"

#include <signal.h>
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
    { "sweep", cmd_sweep, "tell when a mesh in motion meets another one" },
    { "self", cmd_self, "tell whether a mesh meets itself" },
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
	      "  2  a mistake in the command line or the input, or an output that cannot be written\n"
	      "  3  the question is undecidable for these meshes" );
	return finish_output( EXIT_APART );
}

int main( int argc, char **argv ) {
	// A reader that goes away must give a failed write and exit status 2, not a death without a word.
	signal( SIGPIPE, SIG_IGN );
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
	return args_refuse( "", "there is no %s '%s'", argv[1][0] == '-' ? "option" : "command", argv[1] );
}
