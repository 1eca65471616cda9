// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "plot.h"

#include <stdlib.h>
#include <string.h>

static bool is_drawn( const report *r, size_t row ) {
	return r->rows[row].paper_row < PAPER_ROWS;
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
		for ( size_t c = 0; c < contender_count; ++c )
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
		fputs( "set logscale x\nset format x '1e%T'\n", pipe );
	// Colour and shape by algorithm, whichever of them are drawn.
	static const char *const colours[] = { "#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b",
	                                       "#e377c2", "#000000", "#bcbd22", "#17becf", "#7f7f7f", "#555555" };
	const char *before = "plot";
	size_t column = 2;
	for ( size_t c = 0; c < contender_count; ++c )
		if ( report_has( r, c ) ) {
			fprintf( pipe, "%s $data using 1:%zu with linespoints lw 2 pt %zu ps 0.7 lc '%s' title '%s'", before,
			         column++, 4 + c % 12, colours[c % 12], contender_table[c].name );
			before = ",";
		}
	fputs( "\n", pipe );
	if ( pclose( pipe ) != 0 ) {
		fprintf( stderr, "gnuplot could not draw %s/%s.svg\n", folder, stem );
		return false;
	}
	return true;
}
