// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "picture/legend.h"

#include "picture/colours.h"
#include "text/measure.h"

#include <math.h>
#include <stdio.h>

enum { LONGEST_BAR = 130, MARGIN = 8, SWATCH = 14, MOST_LETTERS = 32, LONGEST_LINE = 160 };

static const unsigned char white[3] = { 255, 255, 255 }, black[3] = { 0, 0, 0 };

double legend_round_length( double most ) {
	const double power = pow( 10.0, floor( log10( most ) ) );
	return 5.0 * power <= most ? 5.0 * power : 2.0 * power <= most ? 2.0 * power : power;
}

// A line of the legend above the lower border: a square of a colour, and a text.
static void put_line( const lettering *l, int line, const unsigned char colour[3], const char *text ) {
	const int y = l->height - MARGIN - ( line + 1 ) * LETTER_HEIGHT;
	lettering_fill( l, MARGIN - 4, y - 2, SWATCH + 12 + lettering_width( text, MOST_LETTERS ), LETTER_HEIGHT, white,
	                0.8 );
	lettering_fill( l, MARGIN, y, SWATCH, SWATCH, black, 1.0 );
	lettering_fill( l, MARGIN + 1, y + 1, SWATCH - 2, SWATCH - 2, colour, 1.0 );
	lettering_write( l, MARGIN + SWATCH + 6, y, text, MOST_LETTERS );
}

static void put_names( const lettering *l, const picture *p, const picture_clash *c ) {
	static const unsigned char a[3] = { COLOUR_A }, b[3] = { COLOUR_B }, mark[3] = { COLOUR_MARK };
	char text[LONGEST_LINE], measure[MEASURE_ROOM];
	int line = 0;
	if ( c->has_witness || c->has_depth ) {
		const dbvh_interval x = c->has_witness ? ( dbvh_interval ){ c->distance, c->distance } : c->depth;
		snprintf( text, sizeof text, "%s%s", measure_text( x, p->metres, 1, measure ),
		          c->has_witness ? " apart" : " deep" );
		put_line( l, line++, mark, text );
	}
	if ( c->b != c->a )
		put_line( l, line++, b, p->bodies[c->b].path );
	put_line( l, line, a, p->bodies[c->a].path );
}

static void put_bar( const lettering *l, const picture *p, const camera *c ) {
	const double per_unit = 0.5 * l->height * c->scale / c->away, most = LONGEST_BAR / per_unit;
	char text[LONGEST_LINE], number[MEASURE_ROOM];
	if ( !( most > 1e-300 && most < 1e300 ) )
		return;
	const double length = legend_round_length( most );
	const int pixels = (int)( length * per_unit + 0.5 ), right = l->width - MARGIN, bottom = l->height - MARGIN;
	snprintf( text, sizeof text, "%s", measure_text( ( dbvh_interval ){ length, length }, p->metres, 1, number ) );
	const int width = lettering_width( text, MOST_LETTERS ), left = right - ( width > pixels ? width : pixels );
	lettering_fill( l, left - 4, bottom - LETTER_HEIGHT - 8, right - left + 8, LETTER_HEIGHT + 12, white, 0.8 );
	lettering_write( l, right - ( width + pixels ) / 2 > left ? right - ( width + pixels ) / 2 : left,
	                 bottom - LETTER_HEIGHT - 4, text, MOST_LETTERS );
	lettering_fill( l, right - pixels, bottom - 3, pixels, 3, black, 1.0 );
}

void legend_draw( const lettering *l, const picture *p, const picture_clash *clash, const camera *c ) {
	if ( clash != NULL )
		put_names( l, p, clash );
	put_bar( l, p, c );
}
