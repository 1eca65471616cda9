// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The command `dualbvh`: picks the subcommand.

#include "cli/args.h"
#include "cli/complain.h"
#include "cli/help.h"
#include "cli/interrupt.h"
#include "cli/version.h"
#include "cmd/cmd.h"
#include "cmd/foreign.h"
#include "dualbvh/isa.h"
#include "os/os.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	int ( *run )( int argc, char **argv );
	const char *help, *example;
} commands[] = {
#define COMMAND_ROW( name, help, example ) { #name, cmd_##name, help, example },
    COMMANDS( COMMAND_ROW )
#undef COMMAND_ROW
};
enum { COMMAND_COUNT = sizeof( commands ) / sizeof( commands[0] ) };

static int help( void ) {
	help_text( "dualbvh tells exactly whether rigid triangle meshes intersect.\n"
	           "\n"
	           "Usage: dualbvh COMMAND ARGUMENT...\n" );
	for ( int i = 0; i < COMMAND_COUNT; ++i )
		help_item( commands[i].name, 9, commands[i].help );
	help_text( "\n"
	           "'dualbvh COMMAND --help' says more. Meshes are read from STL, OBJ, PLY and OFF files and\n"
	           "from those of 'dualbvh build'; of scenes (glTF, 3MF, URDF, JSON) all bodies are read as one.\n"
	           "\n"
	           "Exit status:\n"
	           "  0  nothing interferes\n"
	           "  1  something interferes\n"
	           "  2  a mistake in the command line or the input, an output that cannot be written, or no memory\n"
	           "  3  the question is undecidable for these meshes, or --timeout ended the work\n"
	           "  4  replay: two answers differ\n"
	           "\n"
	           "Ctrl-C ends check, distance, scene, toi and info after the current pose, pair, leg or mesh, with a\n"
	           "summary of what is finished. A second Ctrl-C ends at once." );
	return finish_output( EXIT_CLEAR );
}

// Without a command: a mistake, and the way in for somebody who has just installed this.
static int show_beginning( void ) {
	complain( "no command given; the commonest are" );
	for ( int i = 0; i < COMMAND_COUNT; ++i )
		if ( commands[i].example != NULL )
			fprintf( stderr, "  dualbvh %-5s %-12s  %s\n", commands[i].name, commands[i].example, commands[i].help );
	fputs( "'dualbvh --help' lists all of them.\n", stderr );
	return EXIT_ERROR;
}

static int run( int argc, char **argv ) {
	if ( argc < 2 )
		return show_beginning();
	const bool asks_help = strcmp( argv[1], "help" ) == 0;
	if ( strcmp( argv[1], "--help" ) == 0 || strcmp( argv[1], "-h" ) == 0 || ( asks_help && argc == 2 ) )
		return help();
	if ( asks_help ) { // 'help COMMAND' is 'COMMAND --help'
		char *words[] = { argv[0], argv[2], "--help", NULL };
		return run( 3, words );
	}
	if ( strcmp( argv[1], "--version" ) == 0 )
		return print_version();
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

// The library passes over a name that it does not know.
static void check_isa( void ) {
	const char *wanted = getenv( "DBVH_ISA" );
	if ( wanted != NULL && *wanted != '\0' && strcmp( wanted, dbvh_isa_name() ) != 0 )
		fprintf( stderr,
		         "dualbvh: DBVH_ISA names kernels that this machine or build does not have; those in use are %s\n",
		         dbvh_isa_name() );
}

int main( int argc, char **argv ) {
	os_begin( &argc, &argv );
	exit_guard_begin();
	check_isa();
	foreign_hand_over( argc, argv );
	return exit_guard_end( run( argc, argv ) );
}
