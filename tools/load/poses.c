// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "load/poses.h"

#include "base/os.h"
#include "cli/args.h"
#include "cli/complain.h"
#include "load/pose_intake.h"
#include "text/npy.h"
#include "text/reason.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const format_names[] = { "auto", "rows12", "rows16", "columns16", "t-xyzw", "t-wxyz", "tum" };
enum { FORMAT_COUNT = sizeof( format_names ) / sizeof( format_names[0] ) };

bool poses_check_options( pose_options *w, const char *command ) {
	const int found = w->format_name != NULL
	                      ? args_find_word( command, "pose-format", w->format_name, format_names, FORMAT_COUNT )
	                      : 0;
	w->format = found < 0 ? POSES_AUTO : (pose_format)found;
	return found >= 0;
}

// Tell people what --normalise did.
static void report( const pose_intake *in ) {
	const pose_list *list = in->list;
	if ( list->normalised == 0 || in->options->quiet )
		return;
	if ( in->line == 0 && !in->is_array )
		complain( "%s: the pose is normalised; no entry moved by more than %.3g", in->name, list->largest_move );
	else
		complain( "%s: %zu of %zu poses normalised; no entry moved by more than %.3g (%s %zu)", in->name,
		          list->normalised, list->count, list->largest_move, in->is_array ? "pose" : "line", in->worst );
}

// Choose the reader by the first byte: no text begins as .npy files do.
static bool read_either( pose_intake *in, FILE *file ) {
	const int first = getc( file );
	if ( first != EOF )
		ungetc( first, file );
	if ( !( first == NPY_FIRST_BYTE ? pose_read_npy( in, file ) : pose_read_text( in, file ) ) )
		return false;
	if ( in->list->count == 0 )
		complain( "%s: there is no pose in it", in->name );
	return in->list->count > 0;
}

bool poses_read( const char *file, const pose_options *w, pose_list *list ) {
	pose_intake in;
	const bool standard_input = strcmp( file, "-" ) == 0;
	pose_intake_begin( &in, standard_input ? "standard input" : file, w, list );
	FILE *stream = standard_input ? stdin : dbvhi_os_fopen( file );
	if ( stream == NULL ) {
		complain( "%s: the file cannot be opened: %s", file, reason_of( errno ) );
		return false;
	}
	const bool good = read_either( &in, stream );
	if ( !standard_input )
		fclose( stream );
	if ( good )
		report( &in );
	else
		poses_free( list );
	return good;
}

// The pose in the value of an option.
static bool read_argument( const char *option, const char *text, const pose_options *w, pose_list *list ) {
	pose_intake in;
	pose_intake_begin( &in, option, w, list );
	if ( !pose_read_argument( &in, text ) )
		return false;
	if ( list->count == 0 )
		return pose_refuse( &in, "there is no pose in it" );
	report( &in );
	return true;
}

bool pose_argument( const char *option, const char *text, const pose_options *w, pose_list *list ) {
	pose_list one;
	const bool is_file = strpbrk( text, " ,;\t\n" ) == NULL;
	bool good = is_file ? poses_read( text, w, &one ) : read_argument( option, text, w, &one );
	if ( good && one.count != 1 ) {
		complain( "%s: %s takes one pose, and there are more", text, option );
		good = false;
	}
	good = good && poses_append( list, &one.poses[0] );
	list->normalised += one.normalised;
	list->largest_move = fmax( list->largest_move, one.largest_move );
	poses_free( &one );
	return good;
}
