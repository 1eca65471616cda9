// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "picture/outputs.h"

#include "command.h"
#include "picture/page.h"
#include "progress.h"
#include "replace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool picture_outputs_any( const picture_outputs *outputs ) {
	return outputs->html != NULL || outputs->png != NULL || outputs->models.count > 0;
}

static int no_memory( void ) {
	return complain( "%s", dbvh_status_text( DBVH_OUT_OF_MEMORY ) );
}

static void say_size( const char *file, long size, const picture_shapes *shapes ) {
	printf( "%s: a page of %.1f MB", file, (double)size / 1e6 );
	if ( shapes->simplified_count > 0 )
		printf( "; far from clashes %zu of %zu triangles are drawn", shapes->drawn, shapes->whole );
	putchar( '\n' );
}

static int write_page( const picture_outputs *outputs, const picture *p, bool quiet ) {
	char *frame = page_frame_load();
	picture_shapes shapes = { 0 };
	replacement file;
	if ( frame == NULL )
		return EXIT_ERROR;
	progress_stage( "drawing", outputs->html );
	int status = EXIT_CLEAR;
	if ( !picture_shapes_make( p, outputs->budget > 0 ? outputs->budget : PICTURE_BUDGET, &shapes ) ) {
		status = no_memory();
	} else if ( !replacement_open( &file, outputs->html, "the page" ) ) {
		status = EXIT_ERROR;
	} else {
		const bool written = page_write( p, &shapes, frame, file.stream );
		const long size = ftell( file.stream );
		if ( !written ) {
			replacement_abandon( &file );
			status = strstr( frame, "<!--dualbvh:picture-->" ) == NULL
			             ? complain( "the frame of the page has no mark where the picture belongs" )
			             : no_memory();
		} else if ( !replacement_close( &file ) ) {
			status = EXIT_ERROR;
		} else if ( !quiet ) {
			progress_end();
			say_size( outputs->html, size, &shapes );
		}
	}
	picture_shapes_free( &shapes );
	free( frame );
	return status;
}

int picture_outputs_write( const picture_outputs *outputs, const picture *p, bool quiet ) {
	int status = EXIT_CLEAR;
	if ( outputs->html != NULL )
		status = write_page( outputs, p, quiet );
	return status;
}

int picture_outputs_write_pair( const picture_outputs *outputs, const mesh_pair *pair, bool quiet ) {
	picture p = { 0 };
	const int status =
	    picture_from_pair( pair, &outputs->wishes, &p ) ? picture_outputs_write( outputs, &p, quiet ) : EXIT_ERROR;
	picture_free( &p );
	return status;
}
