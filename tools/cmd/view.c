// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// dualbvh view: a page that shows where bodies clash.

#include "base/os.h"
#include "cli/args.h"
#include "cli/help.h"
#include "cli/timeout.h"
#include "cmd/cmd.h"
#include "cmd/scene_job.h"
#include "load/load.h"
#include "load/poses.h"

#include <stdio.h>

typedef scene_job settings;

enum {
	OPT_OUTPUT,
	OPT_PNG,
	OPT_SPLIT,
	OPT_PACKAGE,
	OPT_SRDF,
	OPT_STATE,
	OPT_CLEARANCE,
	OPT_ALLOW_TOUCHING,
	OPT_SAG,
	OPT_ALLOW,
	OPT_ALLOW_SAME,
	OPT_MATRIX,
	OPT_IGNORE,
	OPT_BASELINE,
	OPT_ALLOWED_DEPTH,
	OPT_ALLOWED_VOLUME,
	OPT_DEPTH,
	OPT_SORT,
	OPT_TREES,
	OPT_TRIANGLES,
	OPT_TITLE,
	OPT_THREADS,
	OPT_CACHE,
	OPT_SKIP_BAD_FACES,
	OPT_ALLOW_OUTSIDE,
	OPT_MOST_MEMORY,
	OPT_TIMEOUT,
	OPT_QUIET,
	OPT_HELP,
	OPT_VERSION,
	OPT_COUNT
};
static const arg_option options[OPT_COUNT] = {
    { "output", 'o', "FILE", ARG_TO( ARG_TEXT, pictures.html ),
      "the page (view.html, or view-2.html and so on where that is there)" },
    { "png", 0, "FOLDER", ARG_TO( ARG_TEXT, pictures.png ),
      "a small picture of each group of clashes, beside what FOLDER holds; without -o, no page" },
    SCENE_SPLIT_ENTRY( split ),
    SCENE_PACKAGE_ENTRY( packages ),
    SCENE_SRDF_ENTRY( srdf ),
    SCENE_STATE_ENTRY( state ),
    { "clearance", 'c', "D", ARG_TO( ARG_NOT_NEGATIVE, general.clearance ),
      "bodies less than D apart clash, too, and the shortest way between them is drawn (0)" },
    { "allow-touching", 0, NULL, ARG_TO( ARG_FLAG, general.may_touch ), "touching is no clash" },
    SCENE_SAG_ENTRY( sag ),
    SCENE_ALLOW_ENTRY( allowed ),
    SCENE_ALLOW_SAME_ENTRY( same ),
    SCENE_MATRIX_ENTRY( matrices ),
    SCENE_IGNORE_ENTRY( ignore_files ),
    { "baseline", 0, "FILE", ARG_TO( ARG_TEXT, baseline ), "the JSON of an earlier run of scene: what is new is said" },
    SCENE_ALLOWED_DEPTH_ENTRY( general ),
    SCENE_ALLOWED_VOLUME_ENTRY( general ),
    SCENE_DEPTH_ENTRY( wants_depth ),
    SCENE_SORT_ENTRY( sort ),
    { "trees", 0, NULL, ARG_TO( ARG_FLAG, pictures.wishes.trees ),
      "also show the trees of the two bodies that clash worst: spheres, boxes and ellipsoids, level by level; with "
      "--png level 4" },
    { "triangles", 0, "N", ARG_COUNT_TO( pictures.budget, 1000, 100000000 ),
      "draw about N triangles; what is far from clashes is simplified beyond that (1000000)" },
    { "title", 0, "TEXT", ARG_TO( ARG_TEXT, pictures.wishes.title ), "what the page is called" },
    { "threads", 0, "N", ARG_COUNT_TO( thread_count, 0, 256 ), "use at most N threads; 0: as many as there are" },
    CACHE_ENTRY( cache ),
    SKIP_BAD_FACES_ENTRY( skips_bad_faces ),
    SCENE_TRUST_ENTRIES( trust ),
    TIMEOUT_OF_PICTURES_ENTRY( timeout ),
    { "quiet", 'q', NULL, ARG_TO( ARG_FLAG, quiet ), "print nothing but complaints" },
    ARG_HELP_ENTRY,
    ARG_VERSION_ENTRY,
};

static int help( void ) {
	help_text(
	    "Usage: dualbvh view FILE... [-o PAGE] [OPTION]...\n"
	    "\n"
	    "Writes a page that shows where bodies clash: the two in two colours, all others as ghosts, the lines and\n"
	    "regions of contact drawn thick, and a list to step through. It is one file, for any browser, and needs no\n"
	    "network. Files are meshes and assemblies, as 'dualbvh scene' reads them, and clashes are what it finds.\n"
	    "'check', 'distance', 'self' and 'toi' show poses and motions, with --html.\n" );
	help_options( options, OPT_COUNT );
	help_text( "\n"
	           "Example: dualbvh view housing.stl shaft.stl -o where.html\n"
	           "\n"
	           "Exit status:\n"
	           "  0  the page was written, whatever it shows\n"
	           "  2  a mistake in the command line or the input, or an output that cannot be written" );
	return finish_output( EXIT_CLEAR );
}

static bool operand( void *target, const char *text ) {
	return args_texts_add( &( (settings *)target )->files, text );
}

static const arg_table table = { "view", options, OPT_COUNT, help, operand };

// view.html, or the first of view-2.html, view-3.html, ... that is not there: a page that nobody named replaces
// nothing.
static const char *free_name( char *text, size_t room ) {
	dbvhi_os_facts facts;
	snprintf( text, room, "view.html" );
	for ( unsigned i = 2; dbvhi_os_facts_of( text, true, &facts ) && i < 1000000; ++i )
		snprintf( text, room, "view-%u.html", i );
	return text;
}

int cmd_view( int argc, char **argv ) {
	settings w = { .command = "view", .split = "auto", .sort = "depth", .pictures_only = true };
	uint64_t given;
	int status = args_read( &table, argc, argv, &w, &given );
	w.has_clearance = ( given >> OPT_CLEARANCE & 1 ) != 0;
	w.has_allowed_depth = ( given >> OPT_ALLOWED_DEPTH & 1 ) != 0;
	w.has_allowed_volume = ( given >> OPT_ALLOWED_VOLUME & 1 ) != 0;
	w.has_general =
	    w.has_clearance || ( given >> OPT_ALLOW_TOUCHING & 1 ) != 0 || w.has_allowed_depth || w.has_allowed_volume;
	char page[32];
	if ( w.pictures.html == NULL && w.pictures.png == NULL )
		w.pictures.html = free_name( page, sizeof page );
	if ( status == ARGS_GO_ON && w.files.count == 0 )
		status = args_refuse( "view", "no file is named" );
	if ( status == ARGS_GO_ON )
		status = scene_job_check( &w );
	if ( status == ARGS_GO_ON )
		status = scene_job_run( &w );
	scene_job_free( &w );
	return status;
}
