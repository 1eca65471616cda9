// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The worst clashes as a table, for terminals: kind, depth, volume, A and B, fitted to the width.

#include "cli/terminal.h"
#include "report/report.h"
#include "text/hash.h"
#include "text/measure.h"
#include "text/utf8.h"

#include <string.h>

enum {
	KIND_COLUMNS = 11,
	DEPTH_COLUMNS = 11,
	VOLUME_COLUMNS = 12,
	STANDING_COLUMNS = 9,
	ID_COLUMNS = 16,
	GAP = 2,
	LEAST_PATH = 12
};

static size_t characters( const char *text ) {
	size_t count = 0;
	uint32_t code;
	for ( int length; *text != '\0'; text += length > 0 ? length : 1, ++count )
		length = utf8_sequence( text, &code );
	return count;
}

// Prints a text in at most so many columns; returns how many it took. One that is too long loses its beginning: the
// ends of paths tell bodies apart.
static size_t put_fitted( FILE *file, const char *text, size_t columns ) {
	const size_t count = characters( text );
	uint32_t code;
	if ( count > columns ) {
		for ( size_t skipped = count - columns + 2; skipped > 0; --skipped ) {
			const int length = utf8_sequence( text, &code );
			text += length > 0 ? length : 1;
		}
		fputs( "..", file );
	}
	utf8_print( file, text );
	return count < columns ? count : columns;
}

static terminal_style style_of( dbvh_clash_kind kind ) {
	const bool is_bad =
	    kind == DBVH_CLASH_KIND_HARD || kind == DBVH_CLASH_KIND_CONTAINMENT || kind == DBVH_CLASH_KIND_DUPLICATE;
	return is_bad ? TERMINAL_BAD : kind == DBVH_CLASH_KIND_FIT ? TERMINAL_GOOD : TERMINAL_UNSURE;
}

// The depth of an overlap as far as it is known, or the gap of a clearance.
static void put_depth( const scene_findings *f, const scene_clash *c, FILE *file ) {
	char text[MEASURE_ROOM] = "-";
	if ( c->kind == DBVH_CLASH_KIND_CLEARANCE )
		snprintf( text, sizeof text, "gap %.4g", c->distance );
	else if ( c->overlap.has_depth )
		measure_text( c->overlap.depth, f->assembly->model.metres, 1, text );
	fprintf( file, "  %-*s", DEPTH_COLUMNS, text );
}

static void put_volume( const scene_findings *f, const scene_clash *c, FILE *file ) {
	char text[MEASURE_ROOM] = "-";
	if ( scene_knows_volume( &c->overlap ) && c->overlap.volume.upper > 0.0 )
		measure_text( c->overlap.volume, f->assembly->model.metres, 3, text );
	fprintf( file, "  %-*s", VOLUME_COLUMNS, text );
}

void report_table( const scene_report *report, size_t count, size_t width, FILE *file ) {
	const scene_findings *f = report->findings;
	size_t fixed = GAP + KIND_COLUMNS + GAP + DEPTH_COLUMNS + GAP + GAP;
	if ( f->has_baseline )
		fixed += STANDING_COLUMNS + GAP;
	const bool has_volumes = width >= fixed + VOLUME_COLUMNS + GAP + 2 * LEAST_PATH;
	if ( has_volumes )
		fixed += VOLUME_COLUMNS + GAP;
	const bool has_ids = width >= fixed + ID_COLUMNS + GAP + 4 * LEAST_PATH;
	if ( has_ids )
		fixed += ID_COLUMNS + GAP;
	size_t longest = LEAST_PATH;
	for ( size_t i = 0; i < count; ++i ) {
		const scene_clash *c = &f->clashes[f->worst[i]];
		const size_t a = characters( scene_path( f, c->a ) ), b = characters( scene_path( f, c->b ) );
		longest = a > longest ? a : longest;
		longest = b > longest ? b : longest;
	}
	const size_t room = width > fixed + 2 * LEAST_PATH ? ( width - fixed ) / 2 : LEAST_PATH;
	const size_t path = longest < room ? longest : room;
	fputs( terminal_begin( file, TERMINAL_FAINT ), file );
	if ( has_ids )
		fprintf( file, "  %-*s", ID_COLUMNS, "id" );
	if ( f->has_baseline )
		fprintf( file, "  %-*s", STANDING_COLUMNS, "baseline" );
	fprintf( file, "  %-*s  %-*s", KIND_COLUMNS, "kind", DEPTH_COLUMNS, "depth" );
	if ( has_volumes )
		fprintf( file, "  %-*s", VOLUME_COLUMNS, "volume" );
	fprintf( file, "  %-*s  B%s\n", (int)path, "A", terminal_end( file ) );
	for ( size_t i = 0; i < count; ++i ) {
		const scene_clash *c = &f->clashes[f->worst[i]];
		char id[SCENE_HASH_ROOM];
		if ( has_ids )
			fprintf( file, "  %-*s", ID_COLUMNS, scene_hash_print( c->id, id ) );
		if ( f->has_baseline )
			fprintf( file, "  %-*s", STANDING_COLUMNS, scene_standing_word( c->standing ) );
		fprintf( file, "  %s%-*s%s", terminal_begin( file, style_of( c->kind ) ), KIND_COLUMNS,
		         scene_kind_word( c->kind ), terminal_end( file ) );
		put_depth( f, c, file );
		if ( has_volumes )
			put_volume( f, c, file );
		fputs( "  ", file );
		const size_t taken = put_fitted( file, scene_path( f, c->a ), path );
		fprintf( file, "%*s  ", (int)( path - taken ), "" );
		put_fitted( file, scene_path( f, c->b ), path );
		fputc( '\n', file );
	}
}
