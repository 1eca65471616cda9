// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "cli/args.h"

#include "cli/complain.h"
#include "cli/replace.h"
#include "cli/version.h"
#include "text/number.h"
#include "text/suggest.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int args_refuse( const char *command, const char *format, ... ) {
	char text[512];
	va_list arguments;
	va_start( arguments, format );
	vsnprintf( text, sizeof( text ), format, arguments );
	va_end( arguments );
	complain( "%s%s%s", command, command[0] != '\0' ? ": " : "", text );
	fprintf( stderr, "Try 'dualbvh %s%s--help'.\n", command, command[0] != '\0' ? " " : "" );
	return EXIT_ERROR;
}

static const char *suggestion( const char *word, const char *prefix ) {
	static char text[96];
	if ( word == NULL )
		return "";
	snprintf( text, sizeof( text ), " (did you mean '%s%s'?)", prefix, word );
	return text;
}

const char *args_suggest( const char *typed, const char *const *words, size_t count, const char *prefix ) {
	return suggestion( suggest( typed, strlen( typed ), words, count ), prefix );
}

int args_find_word( const char *command, const char *option, const char *value, const char *const *words,
                    size_t count ) {
	char list[256] = "";
	for ( size_t i = 0; i < count; ++i )
		if ( strcmp( words[i], value ) == 0 )
			return (int)i;
	for ( size_t i = 0, length = 0; i < count && length < sizeof list; ++i )
		length += (size_t)snprintf( list + length, sizeof list - length, "%s%s",
		                            i > 0 ? i + 1 == count ? " or " : ", " : "", words[i] );
	args_refuse( command, "'%s' is no value for --%s, which takes %s%s", value, option, list,
	             args_suggest( value, words, count, "" ) );
	return -1;
}

// The position in the command line.
typedef struct reader {
	const arg_table *table;
	char **argv;
	int argc, at;
	bool operands_only;
} reader;

enum { GOT_OPERAND = -1, GOT_END = -2, GOT_MISTAKE = -3 };

static int find_name( const arg_table *t, const char *name, size_t length ) {
	for ( size_t i = 0; i < t->option_count; ++i )
		if ( strlen( t->options[i].name ) == length && memcmp( t->options[i].name, name, length ) == 0 )
			return (int)i;
	return GOT_MISTAKE;
}

static const char *suggest_option( const arg_table *t, const char *typed, size_t length ) {
	const char *names[64];
	size_t count = 0;
	for ( ; count < t->option_count; ++count )
		names[count] = t->options[count].name;
	return suggestion( suggest( typed, length, names, count ), "--" );
}

static int long_option( reader *r, const char *text, const char **value ) {
	const char *equals = strchr( text, '=' );
	const size_t length = equals != NULL ? (size_t)( equals - text ) : strlen( text );
	const int found = find_name( r->table, text, length );
	if ( found < 0 ) {
		args_refuse( r->table->command, "there is no option '--%.*s'%s", (int)length, text,
		             suggest_option( r->table, text, length ) );
		return GOT_MISTAKE;
	}
	const arg_option *option = &r->table->options[found];
	if ( option->value == NULL ) {
		if ( equals == NULL )
			return found;
		args_refuse( r->table->command, "option '--%s' takes no value", option->name );
		return GOT_MISTAKE;
	}
	*value = equals != NULL ? equals + 1 : r->at < r->argc ? r->argv[r->at++] : NULL;
	if ( *value != NULL )
		return found;
	args_refuse( r->table->command, "option '--%s' needs a value: %s", option->name, option->value );
	return GOT_MISTAKE;
}

static int short_option( reader *r, const char *text, const char **value ) {
	for ( size_t i = 0; i < r->table->option_count; ++i ) {
		const arg_option *option = &r->table->options[i];
		if ( option->letter != text[0] || option->letter == 0 )
			continue;
		if ( option->value == NULL && text[1] == '\0' )
			return (int)i;
		if ( option->value == NULL )
			break;
		*value = text[1] != '\0' ? text + 1 : r->at < r->argc ? r->argv[r->at++] : NULL;
		if ( *value != NULL )
			return (int)i;
		args_refuse( r->table->command, "option '-%c' needs a value: %s", option->letter, option->value );
		return GOT_MISTAKE;
	}
	args_refuse( r->table->command, "there is no option '-%s'%s", text,
	             strlen( text ) > 1 ? suggest_option( r->table, text, strlen( text ) ) : "" );
	return GOT_MISTAKE;
}

// The next argument: an index into the table, with *value set where the option has one; GOT_OPERAND with *value;
// GOT_END; or GOT_MISTAKE, after a sentence.
static int next( reader *r, const char **value ) {
	*value = NULL;
	if ( r->at >= r->argc )
		return GOT_END;
	const char *text = r->argv[r->at++];
	if ( r->operands_only || text[0] != '-' || text[1] == '\0' ) {
		*value = text;
		return GOT_OPERAND;
	}
	if ( text[1] != '-' )
		return short_option( r, text + 1, value );
	if ( text[2] != '\0' )
		return long_option( r, text + 2, value );
	r->operands_only = true;
	return next( r, value );
}

static bool all_positive( const double *x, int count ) {
	for ( int i = 0; i < count; ++i )
		if ( !( x[i] > 0.0 ) )
			return false;
	return true;
}

bool args_texts_add( arg_texts *list, const char *text ) {
	const char **texts = realloc( list->texts, ( list->count + 1 ) * sizeof *texts );
	if ( texts == NULL )
		return false;
	list->texts = texts;
	list->texts[list->count++] = text;
	return true;
}

void args_texts_free( arg_texts *list ) {
	free( list->texts );
	*list = ( arg_texts ){ 0 };
}

// Reads one value into its place. Returns NULL, or what should have stood there.
static const char *take( const arg_option *option, const char *text, void *place ) {
	static char range[80];
	if ( option->to.kind == ARG_TEXT ) {
		*(const char **)place = text;
		return NULL;
	}
	if ( option->to.kind == ARG_COUNT ) {
		snprintf( range, sizeof( range ), "a whole number from %u to %u", option->to.lowest, option->to.highest );
		return parse_count( text, option->to.lowest, option->to.highest, place ) ? NULL : range;
	}
	double *x = place;
	switch ( option->to.kind ) {
	case ARG_POSITIVE:
		return parse_reals( text, x, 1 ) && all_positive( x, 1 ) ? NULL : "a number above 0";
	case ARG_NOT_NEGATIVE:
		return parse_reals( text, x, 1 ) && *x >= 0.0 ? NULL : "a number, 0 or above";
	case ARG_PART:
		return parse_reals( text, x, 1 ) && *x >= 0.0 && *x <= 1.0 ? NULL : "a number from 0 to 1";
	case ARG_TRIPLE:
		return parse_reals( text, x, 3 ) ? NULL : "three numbers with commas between them";
	case ARG_POSITIVE_TRIPLE:
		return parse_reals( text, x, 3 ) && all_positive( x, 3 ) ? NULL
		                                                         : "three numbers above 0 with commas between them";
	default: // ARG_QUADRUPLE
		return parse_reals( text, x, 4 ) ? NULL : "four numbers with commas between them";
	}
}

// Does what one option says. ARGS_GO_ON, or the exit status.
static int apply( const arg_table *t, const arg_option *option, const char *value, void *target ) {
	void *place = (char *)target + option->to.at;
	if ( option->to.kind == ARG_HELP )
		return t->help();
	if ( option->to.kind == ARG_VERSION )
		return print_version();
	if ( option->to.kind == ARG_FLAG ) {
		*(bool *)place = true;
		return ARGS_GO_ON;
	}
	if ( option->to.kind == ARG_TEXTS )
		return args_texts_add( place, value ) ? ARGS_GO_ON : complain_memory();
	const char *wanted = take( option, value, place );
	return wanted == NULL
	           ? ARGS_GO_ON
	           : args_refuse( t->command, "'%s' is no value for --%s, which takes %s", value, option->name, wanted );
}

int args_read( const arg_table *table, int argc, char **argv, void *target, uint64_t *given_out ) {
	reader r = { .table = table, .argv = argv, .argc = argc, .at = 1 };
	const char *value;
	*given_out = 0;
	for ( int got = next( &r, &value ); got != GOT_END; got = next( &r, &value ) ) {
		if ( got == GOT_MISTAKE || ( got == GOT_OPERAND && !table->operand( target, value ) ) )
			return EXIT_ERROR;
		if ( got == GOT_OPERAND )
			continue;
		const int status = apply( table, &table->options[got], value, target );
		if ( status != ARGS_GO_ON )
			return status;
		*given_out |= UINT64_C( 1 ) << got;
	}
	return ARGS_GO_ON;
}

int args_spare_inputs( const char *command, const char *output, const char *const *inputs, size_t count ) {
	for ( size_t i = 0; output != NULL && i < count; ++i )
		if ( inputs[i] != NULL && is_same_file( output, inputs[i] ) )
			return args_refuse( command, "'%s' is read, and would be overwritten", inputs[i] );
	return ARGS_GO_ON;
}
