// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "picture/outputs.h"

#include "cli/complain.h"
#include "cli/progress.h"
#include "cli/replace.h"
#include "picture/limits.h"
#include "picture/model.h"
#include "picture/page.h"
#include "picture/plot.h"
#include "picture/thumbnail.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool picture_outputs_any( const picture_outputs *outputs ) {
	return outputs->html != NULL || outputs->png != NULL || outputs->models.count > 0;
}

bool picture_outputs_are_printed( const picture_outputs *outputs ) {
	bool any = outputs->html != NULL && is_standard_output( outputs->html );
	for ( size_t i = 0; i < outputs->models.count; ++i )
		any = any || is_standard_output( outputs->models.texts[i] );
	return any;
}

picture_wishes picture_outputs_wishes( const picture_outputs *outputs ) {
	picture_wishes wishes = outputs->wishes;
	if ( outputs->models.count > 0 && ( outputs->has_section || ( outputs->layers & LAYER_OVERLAP ) != 0 ) )
		wishes.most_overlaps = SIZE_MAX;
	else if ( outputs->html != NULL )
		wishes.most_overlaps = PICTURE_MOST_OVERLAPS;
	return wishes;
}

// Find out before the work whether a file can be written: begin to write it, and give that up.
static int check_place( const char *path, const char *what ) {
	replacement trial;
	if ( is_written_as_it_is( path ) )
		return ARGS_GO_ON;
	if ( !replacement_open( &trial, path, what ) )
		return EXIT_ERROR;
	replacement_abandon( &trial );
	return ARGS_GO_ON;
}

int picture_outputs_spare( const picture_outputs *outputs, const char *command, const char *const *inputs,
                           size_t input_count ) {
	int status = args_spare_inputs( command, outputs->html, inputs, input_count );
	for ( size_t i = 0; status == ARGS_GO_ON && i < outputs->models.count; ++i )
		status = args_spare_inputs( command, outputs->models.texts[i], inputs, input_count );
	return status;
}

int picture_outputs_check( const picture_outputs *outputs, const char *command, const char *const *inputs,
                           size_t input_count, bool reports ) {
	int status = picture_outputs_spare( outputs, command, inputs, input_count );
	for ( size_t i = 0; status == ARGS_GO_ON && i < outputs->models.count; ++i )
		status = check_place( outputs->models.texts[i], "the file" );
	if ( status != ARGS_GO_ON || outputs->html == NULL )
		return status;
	if ( reports && is_standard_output( outputs->html ) )
		return args_refuse( command,
		                    "the report goes to standard output, and the page cannot go there, too; with --quiet "
		                    "it can" );
	status = check_place( outputs->html, "the page" );
	char *frame = status == ARGS_GO_ON ? page_frame_load() : NULL;
	if ( status == ARGS_GO_ON && frame == NULL )
		status = EXIT_ERROR;
	free( frame );
	return status;
}

static int no_memory( void ) {
	return complain_memory();
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
		} else if ( !quiet && !is_written_as_it_is( outputs->html ) ) {
			progress_end();
			say_size( outputs->html, size, &shapes );
		}
	}
	picture_shapes_free( &shapes );
	free( frame );
	return status;
}

static int write_thumbnails( const picture_outputs *outputs, const picture *p, bool quiet ) {
	enum { MOST = 100 };
	picture_shapes shapes;
	progress_stage( "drawing", outputs->png );
	if ( !picture_shapes_make( p, THUMBNAIL_BUDGET, &shapes ) )
		return no_memory();
	const int count = thumbnails_write( p, &shapes, outputs->png, MOST );
	picture_shapes_free( &shapes );
	progress_end();
	if ( count >= 0 && !quiet )
		printf( "%s: %d picture%s\n", outputs->png, count, plural( (size_t)count ) );
	return count >= 0 ? EXIT_CLEAR : EXIT_ERROR;
}

static bool has_ending( const char *file, const char *ending ) {
	const char *dot = strrchr( file, '.' );
	return dot != NULL && strcmp( dot, ending ) == 0;
}

static void say_section( const char *path, const section *s ) {
	char place[64];
	size_t bodies = 0;
	double area = 0.0;
	for ( size_t i = 0; i < s->part_count; ++i ) {
		bodies += s->parts[i].body != PICTURE_NONE;
		area += s->parts[i].clash != PICTURE_NONE ? s->parts[i].area : 0.0;
	}
	printf( "%s: a section at %s of %zu bod%s", path, section_place( s, place ), bodies, bodies == 1 ? "y" : "ies" );
	if ( s->part_count > bodies )
		printf( ", %zu overlap%s of area %.6g", s->part_count - bodies, plural( s->part_count - bodies ), area );
	puts( s->was_moved ? ", just above what lies in the plane" : "" );
}

static int write_section( const char *path, const picture_outputs *outputs, const picture *p, bool quiet ) {
	section s;
	replacement file;
	progress_stage( "cutting", path );
	const dbvh_status status = section_cut( p, &outputs->section, &s );
	progress_end();
	if ( status == DBVH_OUT_OF_MEMORY )
		return no_memory();
	if ( status != DBVH_OK )
		return complain( "%s: the section cannot be made: %s", path, dbvh_status_name( status ) );
	int result = EXIT_ERROR;
	if ( replacement_open( &file, path, "the file" ) ) {
		section_write_svg( &s, p, file.stream );
		result = replacement_close( &file ) ? EXIT_CLEAR : EXIT_ERROR;
	}
	if ( result == EXIT_CLEAR && !quiet && !is_written_as_it_is( path ) )
		say_section( path, &s );
	section_free( &s );
	return result;
}

static int write_model( const char *path, const model *m, const picture *p ) {
	replacement file;
	dbvh_status status = DBVH_OK;
	progress_stage( "writing", path );
	if ( !replacement_open( &file, path, "the file" ) )
		return EXIT_ERROR;
	if ( has_ending( path, ".svg" ) && p->frame_count > 0 )
		plot_write_svg( p, file.stream );
	else if ( has_ending( path, ".glb" ) )
		status = model_write_glb( m, p, file.stream );
	else if ( has_ending( path, ".obj" ) )
		status = model_write_obj( m, p, file.stream );
	else if ( has_ending( path, ".ply" ) )
		status = model_write_ply( m, p, file.stream );
	if ( status == DBVH_OK )
		return replacement_close( &file ) ? EXIT_CLEAR : EXIT_ERROR;
	replacement_abandon( &file );
	if ( status == DBVH_LIMIT )
		return complain(
		    "%s: coordinates are beyond what the floats of a GLB hold, or it would have more than 4 GiB; OBJ "
		    "and PLY hold all",
		    path );
	return no_memory();
}

static bool is_section( const picture_outputs *outputs, size_t number ) {
	return outputs->has_section && has_ending( outputs->models.texts[number], ".svg" );
}

static int write_models( const picture_outputs *outputs, const picture *p, bool quiet ) {
	model m;
	int status = model_make( p, outputs->layers, outputs->level, &m ) ? EXIT_CLEAR : no_memory();
	for ( size_t i = 0; status == EXIT_CLEAR && i < outputs->models.count; ++i )
		status = is_section( outputs, i ) ? write_section( outputs->models.texts[i], outputs, p, quiet )
		                                  : write_model( outputs->models.texts[i], &m, p );
	progress_end();
	for ( size_t i = 0; status == EXIT_CLEAR && !quiet && i < outputs->models.count; ++i )
		if ( is_written_as_it_is( outputs->models.texts[i] ) || is_section( outputs, i ) )
			continue;
		else if ( has_ending( outputs->models.texts[i], ".svg" ) )
			printf( "%s: a plot of %zu poses\n", outputs->models.texts[i], p->frame_count );
		else
			printf( "%s: %zu object%s\n", outputs->models.texts[i], m.count, plural( m.count ) );
	model_free( &m );
	return status;
}

int picture_outputs_write( const picture_outputs *outputs, const picture *p, bool quiet ) {
	int status = EXIT_CLEAR;
	if ( outputs->html != NULL )
		status = write_page( outputs, p, quiet );
	if ( status == EXIT_CLEAR && outputs->png != NULL )
		status = write_thumbnails( outputs, p, quiet );
	if ( status == EXIT_CLEAR && outputs->models.count > 0 )
		status = write_models( outputs, p, quiet );
	return status;
}

int picture_outputs_write_pair( const picture_outputs *outputs, const mesh_pair *pair, bool quiet ) {
	picture p = { 0 };
	const picture_wishes wishes = picture_outputs_wishes( outputs );
	const int status =
	    picture_from_pair( pair, &wishes, &p ) ? picture_outputs_write( outputs, &p, quiet ) : EXIT_ERROR;
	picture_free( &p );
	return status;
}
