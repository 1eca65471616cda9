// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "paper/plot.h"

#include <stdlib.h>
#include <string.h>

static bool is_drawn( const report *r, size_t row ) {
	return r->rows[row].paper_row < PAPER_ROWS;
}

// A family of algorithms ("quickcd", "quickcd-6") has one colour; dashes distinguish its members.
typedef struct style {
	const char *colour;
	int dash, point;
	bool first;
} style;

static style style_of( size_t c ) {
	static const struct {
		const char *prefix, *colour;
	} families[] = { { "rapid", "#1f77b4" },
	                 { "quickcd", "#ff9f2e" },
	                 { "sat-lite", "#2ca02c" },
	                 { "dual", "#d62728" },
	                 { "packed", "#000000" } };
	enum { FAMILIES = sizeof( families ) / sizeof( families[0] ) };
	for ( size_t f = 0; f < FAMILIES; ++f ) {
		const size_t length = strlen( families[f].prefix );
		if ( strncmp( algorithm_table[c].name, families[f].prefix, length ) != 0 )
			continue;
		int member = 0;
		for ( size_t i = 0; i < c; ++i )
			member += strncmp( algorithm_table[i].name, families[f].prefix, length ) == 0;
		return ( style ){ families[f].colour, 1 + member, 4 + member, member == 0 };
	}
	return ( style ){ "#9467bd", 1, 4, true };
}

bool plot_report( const report *r, const char *folder, const char *stem ) {
	if ( system( "command -v gnuplot >/dev/null 2>&1" ) != 0 ) {
		fprintf( stderr, "no gnuplot on this machine: %s/%s.svg is not drawn\n", folder, stem );
		return true;
	}
	// A quote would end gnuplot's string.
	if ( strpbrk( folder, "'\n" ) != NULL ) {
		fprintf( stderr, "a folder for plots must not have a quote in its name: %s\n", folder );
		return false;
	}
	FILE *pipe = popen( "gnuplot", "w" );
	if ( pipe == NULL )
		return false;
	fputs( "$data << END\n", pipe );
	for ( size_t row = 0; row < r->row_count; ++row ) {
		if ( !is_drawn( r, row ) )
			continue;
		fprintf( pipe, "%.9g", r->rows[row].x );
		for ( size_t c = 0; c < algorithm_count; ++c )
			if ( report_has( r, c ) ) {
				const measure_cell *cell = report_cell( r, row, c );
				fprintf( pipe, " %.6g", cell->queries > 0 ? cell->seconds / (double)cell->queries * 1e6 : 0.0 );
			}
		fputc( '\n', pipe );
	}
	fprintf( pipe,
	         "END\n"
	         "set terminal svg size 900,600 dynamic font 'sans-serif,14' background '#ffffff'\n"
	         "set output '%s/%s.svg'\n"
	         "set title '%s: microseconds a query' noenhanced\n"
	         "set xlabel '%s' noenhanced\n"
	         "set ylabel 'microseconds'\n"
	         "set logscale y\n"
	         "set format y '%%g'\n"
	         "set grid xtics ytics lc '#dddddd'\n"
	         "set key outside right noenhanced\n",
	         folder, stem, r->name, r->axis );
	if ( r->logarithmic )
		fputs( "set logscale x\nset format x '1e%T'\nset xrange [*:*] noextend\n", pipe );
	const char *before = "plot";
	size_t column = 2;
	for ( size_t c = 0; c < algorithm_count; ++c )
		if ( report_has( r, c ) ) {
			const style how = style_of( c );
			fprintf( pipe, "%s $data using 1:%zu with linespoints lw %s dt %d pt %d ps 0.6 lc rgb '%s' title '%s'",
			         before, column++, how.first ? "2.5" : "1.2", how.dash, how.point, how.colour,
			         algorithm_table[c].name );
			before = ",";
		}
	fputs( "\n", pipe );
	if ( pclose( pipe ) != 0 ) {
		fprintf( stderr, "gnuplot could not draw %s/%s.svg\n", folder, stem );
		return false;
	}
	return true;
}
