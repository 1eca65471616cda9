// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "picture/plot.h"

#include "picture/colours.h"
#include "text/xml.h"

#include <math.h>

enum { MOST_TICKS = 20 }; // rounding makes no endless loop

enum { WIDTH = 800, HEIGHT = 400, LEFT = 80, RIGHT = 20, TOP = 40, BOTTOM = 50, TICKS = 5 };

typedef struct axes {
	double first, last, most; // times, the largest distance
} axes;

static double x_of( const axes *a, double time ) {
	const double part = a->last > a->first ? ( time - a->first ) / ( a->last - a->first ) : 0.5;
	return LEFT + part * ( WIDTH - LEFT - RIGHT );
}

static double y_of( const axes *a, double distance ) {
	return HEIGHT - BOTTOM - ( a->most > 0.0 ? distance / a->most : 0.0 ) * ( HEIGHT - TOP - BOTTOM );
}

// 1, 2 or 5 times a power of ten, so that some TICKS of them fill the range. NaN where doubles have none so small.
static double step_of( double range ) {
	const double rough = range / TICKS, power = pow( 10.0, floor( log10( rough ) ) ), part = rough / power;
	return power * ( part < 1.5 ? 1.0 : part < 3.5 ? 2.0 : part < 7.5 ? 5.0 : 10.0 );
}

static void put_ticks( const axes *a, FILE *file ) {
	if ( a->last > a->first ) {
		const double step = step_of( a->last - a->first );
		const double first = ceil( a->first / step ) * step;
		for ( int i = 0; i <= MOST_TICKS && first + i * step <= a->last + 1e-9 * step; ++i ) {
			const double t = first + i * step;
			fprintf( file,
			         "<line x1=\"%.2f\" y1=\"%d\" x2=\"%.2f\" y2=\"%d\" class=\"grid\"/>"
			         "<text x=\"%.2f\" y=\"%d\" text-anchor=\"middle\">%.6g</text>\n",
			         x_of( a, t ), TOP, x_of( a, t ), HEIGHT - BOTTOM, x_of( a, t ), HEIGHT - BOTTOM + 18,
			         fabs( t ) < 1e-9 * step ? 0.0 : t );
		}
	}
	if ( a->most > 0.0 ) {
		const double step = step_of( a->most );
		for ( int i = 0; i <= MOST_TICKS && i * step <= a->most * 1.0000001; ++i ) {
			const double d = i * step;
			fprintf( file,
			         "<line x1=\"%d\" y1=\"%.2f\" x2=\"%d\" y2=\"%.2f\" class=\"grid\"/>"
			         "<text x=\"%d\" y=\"%.2f\" text-anchor=\"end\">%.6g</text>\n",
			         LEFT, y_of( a, d ), WIDTH - RIGHT, y_of( a, d ), LEFT - 8, y_of( a, d ) + 4.0, d );
		}
	}
}

// Half way to the neighbours on either side.
static void put_band( const picture *p, const axes *a, size_t from, size_t to, FILE *file ) {
	const picture_frame *f = p->frames;
	const double left = from > 0 ? 0.5 * ( f[from - 1].time + f[from].time ) : f[from].time;
	const double right = to + 1 < p->frame_count ? 0.5 * ( f[to].time + f[to + 1].time ) : f[to].time;
	fprintf( file, "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" class=\"clash\"/>\n", x_of( a, left ), TOP,
	         fmax( x_of( a, right ) - x_of( a, left ), 1.0 ), HEIGHT - TOP - BOTTOM );
}

void plot_write_svg( const picture *p, FILE *file ) {
	axes a = { p->frames[0].time, p->frames[p->frame_count - 1].time, 0.0 };
	for ( size_t i = 0; i < p->frame_count; ++i )
		if ( isfinite( p->frames[i].distance ) )
			a.most = fmax( a.most, p->frames[i].distance );
	fprintf( file,
	         "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
	         "font-size=\"13\" role=\"img\">\n<title>",
	         WIDTH, HEIGHT );
	xml_text( file, p->title );
	fprintf( file,
	         "</title>\n<style>.grid{stroke:#%02x%02x%02x;stroke-width:1}.clash{fill:#%02x%02x%02x;fill-opacity:.4}"
	         ".line{fill:none;stroke:#%02x%02x%02x;stroke-width:2}.dot{fill:#%02x%02x%02x}</style>\n",
	         COLOUR_GRID, COLOUR_B, COLOUR_A, COLOUR_A );
	fprintf( file, "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n<text x=\"%d\" y=\"24\" font-size=\"16\">", WIDTH,
	         HEIGHT, LEFT );
	xml_text( file, p->title );
	fputs( "</text>\n", file );
	for ( size_t i = 0, from = 0; i < p->frame_count; ++i ) {
		if ( p->frames[i].state != PICTURE_CLASHING ) {
			from = i + 1;
			continue;
		}
		if ( i + 1 == p->frame_count || p->frames[i + 1].state != PICTURE_CLASHING )
			put_band( p, &a, from, i, file );
	}
	put_ticks( &a, file );
	fputs( "<polyline class=\"line\" points=\"", file );
	for ( size_t i = 0; i < p->frame_count; ++i )
		if ( isfinite( p->frames[i].distance ) )
			fprintf( file, "%.2f,%.2f ", x_of( &a, p->frames[i].time ), y_of( &a, p->frames[i].distance ) );
	fputs( "\"/>\n", file );
	for ( size_t i = 0; i < p->frame_count && p->frame_count <= 100; ++i )
		if ( isfinite( p->frames[i].distance ) )
			fprintf( file, "<circle class=\"dot\" cx=\"%.2f\" cy=\"%.2f\" r=\"2.5\"/>\n", x_of( &a, p->frames[i].time ),
			         y_of( &a, p->frames[i].distance ) );
	fprintf( file, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", ( LEFT + WIDTH - RIGHT ) / 2,
	         HEIGHT - 10, p->time_name );
	fprintf( file,
	         "<text x=\"18\" y=\"%d\" text-anchor=\"middle\" transform=\"rotate(-90 18 %d)\">distance</text>\n</svg>\n",
	         ( TOP + HEIGHT - BOTTOM ) / 2, ( TOP + HEIGHT - BOTTOM ) / 2 );
}
