// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "picture/colours.h"
#include "picture/section.h"
#include "text/xml.h"

#include <float.h>
#include <math.h>

enum { WIDTH = 800, HEIGHT = 560, MARGIN = 40, TOP = 56, ROW = 26, FOOT = 90, MOST_NAMES = 12 };

// From coordinates of the section to pixels: up is up.
typedef struct drawing {
	const section *s;
	const picture *p;
	FILE *file;
	double scale, left, bottom;  // pixels
	const section_part *largest; // overlap; NULL: there is none
} drawing;

static double x_of( const drawing *d, double across ) {
	return d->left + ( across - d->s->lower[0] ) * d->scale;
}

static double y_of( const drawing *d, double up ) {
	return d->bottom - ( up - d->s->lower[1] ) * d->scale;
}

static const char *unit_of( const picture *p ) {
	return p->metres == 1.0      ? " m"
	       : p->metres == 0.01   ? " cm"
	       : p->metres == 0.001  ? " mm"
	       : p->metres == 0.0254 ? " in"
	                             : "";
}

static const char *class_of( const drawing *d, const section_part *part ) {
	const picture_clash *worst = d->p->clash_count > 0 ? &d->p->clashes[0] : NULL;
	if ( part->body == PICTURE_NONE )
		return "overlap";
	return worst != NULL && part->body == worst->a ? "a" : worst != NULL && part->body == worst->b ? "b" : "rest";
}

// A hatch of lines 8 pixels apart, in the units of the section.
static void put_hatch( const drawing *d, const char *name, int angle, int red, int green, int blue, double gap ) {
	fprintf(
	    d->file,
	    "<pattern id=\"%s\" patternUnits=\"userSpaceOnUse\" width=\"%.9g\" height=\"%.9g\" "
	    "patternTransform=\"rotate(%d)\"><line y2=\"%.9g\" stroke=\"#%02x%02x%02x\" stroke-width=\"%.9g\"/></pattern>",
	    name, gap / d->scale, gap / d->scale, angle, gap / d->scale, (unsigned)red, (unsigned)green, (unsigned)blue,
	    2.0 / d->scale );
}

static void put_hatch_of( const drawing *d, const char *name, int angle, const int colour[3], double gap ) {
	put_hatch( d, name, angle, colour[0], colour[1], colour[2], gap );
}

static void put_style( const drawing *d ) {
	static const int a[] = { COLOUR_A }, b[] = { COLOUR_B }, rest[] = { COLOUR_REST }, red[] = { COLOUR_OVERLAP };
	fputs( "<defs>", d->file );
	put_hatch_of( d, "hatch-a", 45, a, 8.0 );
	put_hatch_of( d, "hatch-b", -45, b, 8.0 );
	put_hatch_of( d, "hatch-rest", 20, rest, 10.0 );
	put_hatch_of( d, "hatch-overlap", 90, red, 4.0 );
	fputs( "</"
	       "defs>\n<style>path{fill-rule:evenodd;stroke-width:1.5;vector-effect:non-scaling-stroke}.open{fill:none!"
	       "important;"
	       "stroke-dasharray:6 "
	       "4}.dim{fill:none;stroke:#333;stroke-width:1}.thin{stroke:#333;stroke-width:.6;stroke-dasharray:2 3}",
	       d->file );
	static const struct {
		const char *name;
		const int *colour;
	} classes[] = { { "a", a }, { "b", b }, { "rest", rest }, { "overlap", red } };
	for ( size_t i = 0; i < 4; ++i )
		fprintf( d->file, ".%s{fill:url(#hatch-%s);stroke:#%02x%02x%02x}", classes[i].name, classes[i].name,
		         (unsigned)classes[i].colour[0], (unsigned)classes[i].colour[1], (unsigned)classes[i].colour[2] );
	fputs( "</style>\n", d->file );
}

static void put_name( const drawing *d, const section_part *part ) {
	if ( part->body != PICTURE_NONE ) {
		xml_text( d->file, d->p->bodies[part->body].path );
		return;
	}
	const picture_clash *c = &d->p->clashes[part->clash];
	fputs( "overlap of ", d->file );
	xml_text( d->file, d->p->bodies[c->a].path );
	fputs( " and ", d->file );
	xml_text( d->file, d->p->bodies[c->b].path );
}

// Coordinates from the lower corner on, which browsers keep as floats.
static void put_part( const drawing *d, const section_part *part ) {
	const section *s = d->s;
	fprintf( d->file, "<path class=\"%s%s\" data-area=\"%.15g\" d=\"", class_of( d, part ),
	         part->is_open ? " open" : "", part->area );
	for ( size_t i = 0; i < part->curve_count; ++i ) {
		const section_curve *c = &s->curves[part->first_curve + i];
		for ( size_t k = 0; k < c->count; ++k ) {
			const double *x = s->points[c->first + k];
			fprintf( d->file, "%s%.9g %.9g", k == 0 ? "M" : "L", x[0] - s->lower[0], x[1] - s->lower[1] );
		}
		fputs( c->is_closed ? "Z" : "", d->file );
	}
	fputs( "\"><title>", d->file );
	put_name( d, part );
	fputs( "</title></path>\n", d->file );
}

// A dimension below the drawing, in row `row`, or right of it.
static void put_dimension( const drawing *d, int k, int row, double low, double high, const char *class ) {
	const double away = ( row + 1 ) * ROW - 8.0;
	const double from = k == 0 ? x_of( d, low ) : y_of( d, low ), to = k == 0 ? x_of( d, high ) : y_of( d, high );
	const double line = k == 0 ? d->bottom + away : x_of( d, d->s->upper[0] ) + away;
	const double edge = k == 0 ? d->bottom : x_of( d, d->s->upper[0] );
	const char *text = "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"middle\" class=\"%s-text\"%s>%.6g%s</text>\n";
	char turn[80] = "";
	if ( k == 0 )
		fprintf(
		    d->file,
		    "<path class=\"thin\" d=\"M%.2f %.2fV%.2fM%.2f %.2fV%.2f\"/><path class=\"dim\" marker-start=\"url(#tip)\" "
		    "marker-end=\"url(#tip)\" d=\"M%.2f %.2fH%.2f\"/>",
		    from, edge, line + 4.0, to, edge, line + 4.0, from, line, to );
	else {
		fprintf(
		    d->file,
		    "<path class=\"thin\" d=\"M%.2f %.2fH%.2fM%.2f %.2fH%.2f\"/><path class=\"dim\" marker-start=\"url(#tip)\" "
		    "marker-end=\"url(#tip)\" d=\"M%.2f %.2fV%.2f\"/>",
		    edge, from, line + 4.0, edge, to, line + 4.0, line, from, to );
		snprintf( turn, sizeof turn, " transform=\"rotate(-90 %.2f %.2f)\"", line - 4.0, 0.5 * ( from + to ) );
	}
	fprintf( d->file, text, k == 0 ? 0.5 * ( from + to ) : line - 4.0, k == 0 ? line - 4.0 : 0.5 * ( from + to ), class,
	         turn, high - low, unit_of( d->p ) );
}

static void put_dimensions( const drawing *d ) {
	fputs( "<defs><marker id=\"tip\" orient=\"auto-start-reverse\" refX=\"9\" refY=\"3\" markerWidth=\"10\" "
	       "markerHeight=\"6\">"
	       "<path d=\"M0 0L9 3L0 6Z\" fill=\"#333\"/></marker></defs>\n",
	       d->file );
	for ( int k = 0; k < 2; ++k ) {
		if ( d->largest != NULL )
			put_dimension( d, k, 0, d->largest->lower[k], d->largest->upper[k], "overlap" );
		put_dimension( d, k, 1, d->s->lower[k], d->s->upper[k], "all" );
	}
}

static void put_legend( const drawing *d, double top ) {
	size_t shown = 0;
	for ( size_t i = 0; i < d->s->part_count; ++i ) {
		const section_part *part = &d->s->parts[i];
		const bool is_rest = part->body != PICTURE_NONE && class_of( d, part )[0] == 'r';
		if ( is_rest || shown >= MOST_NAMES )
			continue;
		const double y = top + 20.0 * (double)shown++;
		fprintf( d->file,
		         "<g transform=\"translate(%d %.2f) scale(%.9g)\"><rect class=\"%s\" width=\"%.9g\" height=\"%.9g\" "
		         "vector-effect=\"non-scaling-stroke\"/></g><text x=\"%d\" y=\"%.2f\">",
		         MARGIN, y, d->scale, class_of( d, part ), 18.0 / d->scale, 13.0 / d->scale, MARGIN + 26, y + 11.0 );
		put_name( d, part );
		if ( part->is_open )
			fputs( ": not closed</text>\n", d->file );
		else if ( part->area < DBL_MIN ) // and the curves have one
			fprintf( d->file, ": area below %.1g</text>\n", DBL_MIN );
		else
			fprintf( d->file, ": area %.6g%s%s</text>\n", part->area, unit_of( d->p ),
			         *unit_of( d->p ) != '\0' ? "&#178;" : "" );
	}
}

static size_t legend_rows( const drawing *d ) {
	size_t rows = 0;
	for ( size_t i = 0; i < d->s->part_count; ++i )
		rows += d->s->parts[i].body == PICTURE_NONE || class_of( d, &d->s->parts[i] )[0] != 'r';
	return rows < MOST_NAMES ? rows : MOST_NAMES;
}

static void put_heading( const drawing *d, double height ) {
	char place[64];
	const bool has_parts = d->s->part_count > 0; // else the bounds are empty
	section_place( d->s, place );
	fprintf(
	    d->file,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" font-family=\"sans-serif\" font-size=\"13\" "
	    "role=\"img\" data-lower=\"%.17g %.17g\" data-scale=\"%.9g\">\n<title>",
	    WIDTH + 2 * MARGIN, height, has_parts ? d->s->lower[0] : 0.0, has_parts ? d->s->lower[1] : 0.0, d->scale );
	xml_text( d->file, d->p->title );
	fprintf( d->file, ", section at %s</title>\n", place );
	put_style( d );
	fprintf( d->file,
	         "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n<text x=\"%d\" y=\"24\" font-size=\"16\">",
	         MARGIN );
	xml_text( d->file, d->p->title );
	fprintf( d->file,
	         ", section at %s%s</text>\n<text x=\"%d\" y=\"42\" fill=\"#555\">%c to the right, %c up%s</text>\n", place,
	         d->s->was_moved ? " (just above)" : "", MARGIN, "xyz"[d->s->across], "xyz"[d->s->up],
	         d -> s -> part_count == 0 ? "; the plane meets nothing" : "" );
}

void section_write_svg( const section *s, const picture *p, FILE *file ) {
	drawing d = { .s = s, .p = p, .file = file, .left = MARGIN };
	for ( size_t i = 0; i < s->part_count; ++i )
		if ( s->parts[i].clash != PICTURE_NONE && ( d.largest == NULL || s->parts[i].area > d.largest->area ) )
			d.largest = &s->parts[i];
	const double width = s->part_count > 0 ? s->upper[0] - s->lower[0] : 1.0;
	const double tall = s->part_count > 0 ? s->upper[1] - s->lower[1] : 1.0;
	d.scale = fmin( ( WIDTH - 2 * ROW ) / fmax( width, 1e-300 ), HEIGHT / fmax( tall, 1e-300 ) );
	if ( !isfinite( d.scale ) || !( d.scale > 0.0 ) )
		d.scale = 1.0;
	d.bottom = TOP + tall * d.scale;
	put_heading( &d, d.bottom + FOOT + 20.0 * (double)legend_rows( &d ) );
	fprintf( file, "<g transform=\"matrix(%.9g 0 0 %.9g %.2f %.4f)\">\n", d.scale, -d.scale, d.left, d.bottom );
	for ( size_t i = 0; i < s->part_count; ++i )
		put_part( &d, &s->parts[i] );
	fputs( "</g>\n", file );
	if ( s->part_count > 0 )
		put_dimensions( &d );
	put_legend( &d, d.bottom + 2 * ROW + 16.0 );
	fputs( "</svg>\n", file );
}
