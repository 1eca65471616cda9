// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "report/outputs.h"

#include "cli/interrupt.h"
#include "cli/replace.h"
#include "report/archive.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	void ( *write )( const scene_report *report, FILE *file );
	bool may_be_stdout;
} kinds[] = {
#define KIND_ROW( name, may_be_stdout ) { #name, report_##name, may_be_stdout },
    REPORT_KINDS( KIND_ROW )
#undef KIND_ROW
};
enum { KIND_COUNT = sizeof( kinds ) / sizeof( kinds[0] ) };

// ------------------------------------------------------------------------------------------------
// What is asked for

// The kind that a text begins with, and '=' behind it; or -1.
static int kind_of( const char *text ) {
	for ( int i = 0; i < KIND_COUNT; ++i ) {
		const size_t length = strlen( kinds[i].name );
		if ( strncmp( text, kinds[i].name, length ) == 0 && text[length] == '=' )
			return i;
	}
	return -1;
}

// The comma that ends the first report of a text: one with a kind behind it, for files may have commas.
static char *end_of( char *text ) {
	for ( char *comma = strchr( text, ',' ); comma != NULL; comma = strchr( comma + 1, ',' ) )
		if ( kind_of( comma + 1 ) >= 0 )
			return comma;
	return NULL;
}

static int add( report_outputs *outputs, const char *text, size_t length ) {
	report_output *list = realloc( outputs->list, ( outputs->count + 1 ) * sizeof *list );
	char *copy = malloc( length + 1 );
	if ( list != NULL )
		outputs->list = list;
	if ( list == NULL || copy == NULL ) {
		free( copy );
		return complain_memory();
	}
	memcpy( copy, text, length );
	copy[length] = '\0';
	report_output *output = &outputs->list[outputs->count++];
	*output = ( report_output ){ .kind = kind_of( copy ), .text = copy };
	if ( output->kind < 0 )
		return args_refuse( "scene", "'%s' is no value for --report, which takes " REPORT_NAMES "then '=' and a file",
		                    copy );
	const bool is_archive = kinds[output->kind].write == report_bcf || kinds[output->kind].write == report_bcf21;
	if ( is_archive && !archive_is_known() )
		return complain( "this dualbvh was built without libzip, which writes BCF" );
	output->file = copy + strlen( kinds[output->kind].name ) + 1;
	if ( *output->file == '\0' )
		return args_refuse( "scene", "--report %s names no file", copy );
	if ( strcmp( output->file, "-" ) == 0 && !kinds[output->kind].may_be_stdout )
		return args_refuse( "scene", "--report %s: only " REPORT_STDOUT_NAMES "goes to standard output", copy );
	return ARGS_GO_ON;
}

int report_outputs_parse( const arg_texts *texts, report_outputs *outputs_out ) {
	*outputs_out = ( report_outputs ){ 0 };
	for ( size_t i = 0; i < texts->count; ++i ) {
		char *copy = malloc( strlen( texts->texts[i] ) + 1 );
		if ( copy == NULL )
			return complain_memory();
		strcpy( copy, texts->texts[i] );
		int status = ARGS_GO_ON;
		for ( char *from = copy; from != NULL && status == ARGS_GO_ON; ) {
			char *end = end_of( from );
			status = add( outputs_out, from, end != NULL ? (size_t)( end - from ) : strlen( from ) );
			from = end != NULL ? end + 1 : NULL;
		}
		free( copy );
		if ( status != ARGS_GO_ON )
			return status;
	}
	return ARGS_GO_ON;
}

void report_outputs_free( report_outputs *outputs ) {
	for ( size_t i = 0; i < outputs->count; ++i )
		free( outputs->list[i].text );
	free( outputs->list );
	*outputs = ( report_outputs ){ 0 };
}

// ------------------------------------------------------------------------------------------------
// Writing

static bool write_file( const scene_report *report, const report_output *output ) {
	replacement file;
	if ( !replacement_open( &file, output->file, "the report" ) )
		return false;
	errno = 0;
	kinds[output->kind].write( report, file.stream );
	if ( !report_is_given_up( report ) )
		return replacement_close( &file );
	replacement_abandon( &file );
	complain( "%s: the report is not written: interrupted", output->file );
	return true;
}

bool report_is_given_up( const scene_report *report ) {
	return !report->was_interrupted && interrupted();
}

bool report_outputs_write( report_outputs *outputs, const scene_report *report ) {
	bool ok = true;
	for ( size_t i = 0; i < outputs->count && !report_is_given_up( report ); ++i ) {
		const report_output *output = &outputs->list[i];
		if ( strcmp( output->file, "-" ) == 0 )
			kinds[output->kind].write( report, stdout );
		else
			ok = write_file( report, output ) && ok;
	}
	outputs->is_given_up = report_is_given_up( report );
	return ok;
}
