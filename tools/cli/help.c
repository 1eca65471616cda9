// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "cli/help.h"

#include "cli/terminal.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MOST_COLUMNS = 100, LEAST_COLUMNS = 40, OPTION_COLUMN = 31, NARROW_COLUMN = 10, FEW_OPTIONS = 8 };

// 0: nothing is wrapped.
static size_t width_of( void ) {
	const size_t width = terminal_width( stdout );
	return width == 0 ? 0 : width < LEAST_COLUMNS ? LEAST_COLUMNS : width > MOST_COLUMNS ? MOST_COLUMNS : width;
}

// Prints the words of [at, end), from `column` on, with further lines indented to `hang`.
static void put_words( const char *at, const char *end, size_t column, size_t hang, size_t width ) {
	bool is_first = true;
	while ( at < end ) {
		while ( at < end && isspace( (unsigned char)*at ) )
			++at;
		const char *word = at;
		while ( at < end && !isspace( (unsigned char)*at ) )
			++at;
		const size_t length = (size_t)( at - word );
		if ( length == 0 )
			break;
		if ( !is_first && column + 1 + length > width ) {
			printf( "\n%*s", (int)hang, "" );
			column = hang;
			is_first = true;
		}
		printf( "%s%.*s", is_first ? "" : " ", (int)length, word );
		column += length + !is_first;
		is_first = false;
	}
	putchar( '\n' );
}

static size_t indent_of( const char *line ) {
	return strspn( line, " " );
}

static const char *end_of_line( const char *line ) {
	return line + strcspn( line, "\n" );
}

// The column at which the text of an item begins, which further lines of it have as their indentation; 0: no item.
static size_t item_column( const char *line ) {
	const size_t indent = indent_of( line );
	const char *mark = line + indent;
	if ( indent == 0 || mark[0] == '$' )
		return 0;
	if ( mark[0] == '-' && mark[1] == ' ' )
		return indent + 2;
	const size_t length = strcspn( mark, " \n" ), gap = strspn( mark + length, " " );
	const bool is_number = length == strspn( mark, "0123456789" );
	const char next = mark[length + gap];
	// A row of numbers is an example.
	return gap >= 2 && ( is_number ? isalpha( (unsigned char)next ) || next == '-' : isalpha( (unsigned char)*mark ) )
	           ? indent + length + gap
	           : 0;
}

// The end of the paragraph or item that begins at `line`: lines with the same indentation `hang` belong to it.
static const char *end_of_block( const char *line, size_t hang ) {
	const char *end = end_of_line( line );
	while ( *end == '\n' && end[1] != '\n' && end[1] != '\0' && indent_of( end + 1 ) == hang )
		end = end_of_line( end + 1 );
	return end;
}

void help_text( const char *text ) {
	const size_t width = width_of();
	if ( width == 0 ) {
		puts( text );
		return;
	}
	for ( const char *line = text;; ) {
		const size_t indent = indent_of( line ), hang = item_column( line );
		const char *end = end_of_line( line );
		if ( end == line )
			putchar( '\n' );
		else if ( indent == 0 || hang > 0 ) {
			end = end_of_block( line, hang );
			printf( "%.*s", (int)hang, line );
			put_words( line + hang, end, hang, hang, width );
		} else
			printf( "%.*s\n", (int)( end - line ), line );
		if ( *end == '\0' )
			break;
		line = end + 1;
	}
}

void help_item( const char *name, size_t width, const char *text ) {
	const size_t columns = width_of(), hang = width + 3;
	printf( "  %-*s ", (int)width, name );
	if ( columns == 0 )
		puts( text );
	else
		put_words( text, text + strlen( text ), hang, hang, columns );
}

// ------------------------------------------------------------------------------------------------
// Options

// Options of one name are about one thing, whatever the command. Those without a group are what a command is asked.
static const struct {
	const char *title;
	const char *names[16];
} groups[] = {
    { "Options", { NULL } },
    { "Reading files",
      { "split", "package", "srdf", "pose-format", "normalise", "skip-bad-faces", "allow-outside", "most-memory" } },
    { "Writing results",
      { "output", "json", "report", "html", "png", "title", "triangles", "capture", "resume", "rank", "exit-zero",
        "quiet" } },
    { "Time and effort", { "threads", "timeout", "cache", "policy", "ellipsoids", "stats" } },
    { "Help", { "help", "version" } },
};
enum {
	GROUP_COUNT = sizeof groups / sizeof groups[0],
	MOST_NAMES = sizeof groups[0].names / sizeof groups[0].names[0]
};

static int group_of( const arg_option *option ) {
	for ( int g = 1; g < GROUP_COUNT; ++g )
		for ( int i = 0; i < MOST_NAMES && groups[g].names[i] != NULL; ++i )
			if ( strcmp( groups[g].names[i], option->name ) == 0 )
				return g;
	return 0;
}

static void put_option( const arg_option *option ) {
	const size_t width = width_of();
	const char *value = option->value;
	char left[64], letter[8] = "    ";
	if ( option->letter != 0 )
		snprintf( letter, sizeof letter, "-%c, ", option->letter );
	snprintf( left, sizeof left, "--%s%s%s", option->name, value != NULL ? " " : "", value != NULL ? value : "" );
	if ( width == 0 ) {
		printf( "  %s%-24s %s\n", letter, left, option->help );
		return;
	}
	const bool is_narrow = width < 2 * OPTION_COLUMN;
	const size_t hang = is_narrow ? NARROW_COLUMN : OPTION_COLUMN;
	const size_t used = 6 + strlen( left );
	printf( "  %s%s%s%s", letter, terminal_begin( stdout, TERMINAL_STRONG ), left, terminal_end( stdout ) );
	if ( used >= hang )
		printf( "\n%*s", (int)hang, "" );
	else
		printf( "%*s", (int)( hang - used ), "" );
	put_words( option->help, option->help + strlen( option->help ), hang, hang, width );
}

static size_t count_visible( const arg_option *options, size_t count ) {
	size_t visible = 0;
	for ( size_t i = 0; i < count; ++i )
		visible += options[i].help != NULL;
	return visible;
}

void help_options( const arg_option *options, size_t count ) {
	const bool is_grouped = count_visible( options, count ) > FEW_OPTIONS;
	bool is_open = false;
	for ( int g = 0; g < GROUP_COUNT; ++g ) {
		bool has_title = false;
		for ( size_t i = 0; i < count; ++i ) {
			if ( options[i].help == NULL || ( is_grouped && group_of( &options[i] ) != g ) || ( !is_grouped && g > 0 ) )
				continue;
			if ( is_grouped && !has_title )
				printf( "%s%s%s:%s\n", is_open ? "\n" : "", terminal_begin( stdout, TERMINAL_STRONG ), groups[g].title,
				        terminal_end( stdout ) );
			has_title = is_open = true;
			put_option( &options[i] );
		}
	}
}
