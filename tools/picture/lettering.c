// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "picture/lettering.h"

#include <stdbool.h>
#include <stdint.h>

// Letters from 32 to 126: a byte a row from the top, the five pixels of a row from bit 4 down to bit 0. The eighth row
// is below the line.
static const uint64_t letters[95] = {
    0x0000000000000000, 0x0404040404000400, 0x0A0A0A0000000000, 0x0A0A1F0A1F0A0A00, 0x040F140E051E0400,
    0x1819020408130300, 0x0C12140815120D00, 0x0404080000000000, 0x0204080808040200, 0x0804020202040800,
    0x0004150E15040000, 0x0004041F04040000, 0x00000000000C0408, 0x0000001F00000000, 0x00000000000C0C00,
    0x0001020408100000, 0x0E11131519110E00, 0x040C040404040E00, 0x0E11010204081F00, 0x1F02040201110E00,
    0x02060A121F020200, 0x1F101E0101110E00, 0x0608101E11110E00, 0x1F01020408080800, 0x0E11110E11110E00,
    0x0E11110F01020C00, 0x000C0C000C0C0000, 0x000C0C000C040800, 0x0204081008040200, 0x00001F001F000000,
    0x0804020102040800, 0x0E11010204000400, 0x0E11010D15150E00, 0x0E11111F11111100, 0x1E11111E11111E00,
    0x0E11101010110E00, 0x1E11111111111E00, 0x1F10101E10101F00, 0x1F10101E10101000, 0x0E11101711110F00,
    0x1111111F11111100, 0x0E04040404040E00, 0x0702020202120C00, 0x1112141814121100, 0x1010101010101F00,
    0x111B151511111100, 0x1119191513131100, 0x0E11111111110E00, 0x1E11111E10101000, 0x0E11111115120D00,
    0x1E11111E14121100, 0x0F10100E01011E00, 0x1F04040404040400, 0x1111111111110E00, 0x111111110A0A0400,
    0x11111115151B1100, 0x11110A040A111100, 0x11110A0404040400, 0x1F01020408101F00, 0x0E08080808080E00,
    0x0010080402010000, 0x0E02020202020E00, 0x040A110000000000, 0x000000000000001F, 0x0804020000000000,
    0x00000E010F110F00, 0x10101E1111111E00, 0x00000E1010110E00, 0x01010F1111110F00, 0x00000E111F100E00,
    0x0609081C08080800, 0x00000F11110F010E, 0x1010161911111100, 0x04000C0404040E00, 0x020006020202120C,
    0x1010121418141200, 0x0C04040404040E00, 0x00001A1515151500, 0x0000161911111100, 0x00000E1111110E00,
    0x00001E11111E1010, 0x00000F11110F0101, 0x0000161910101000, 0x00000F100E011E00, 0x08081C0808090600,
    0x0000111111130D00, 0x00001111110A0400, 0x0000111115150A00, 0x0000110A040A1100, 0x00001111110F010E,
    0x00001F0204081F00, 0x0204040804040200, 0x0404040404040400, 0x0804040204040800, 0x0000081502000000,
};

enum { SCALE = 2, ROWS = 8, COLUMNS = 5 };
#define UNKNOWN UINT64_C( 0x1F11111111111F00 )

void lettering_fill( const lettering *l, int x, int y, int width, int height, const unsigned char colour[3],
                     double opacity ) {
	for ( int row = y < 0 ? 0 : y; row < y + height && row < l->height; ++row )
		for ( int column = x < 0 ? 0 : x; column < x + width && column < l->width; ++column )
			for ( int k = 0; k < 3; ++k ) {
				unsigned char *at = &l->pixels[3 * ( row * l->width + column ) + k];
				*at = (unsigned char)( opacity * colour[k] + ( 1.0 - opacity ) * *at + 0.5 );
			}
}

// The letter at `*at`, which goes on behind it: one for each character of UTF-8.
static uint64_t next_letter( const char **at ) {
	const unsigned char c = (unsigned char)*( *at )++;
	if ( c < 0x80 )
		return c >= 32 && c < 127 ? letters[c - 32] : UNKNOWN;
	while ( ( (unsigned char)**at & 0xC0 ) == 0x80 )
		++*at;
	return UNKNOWN;
}

static size_t count_letters( const char *text ) {
	size_t count = 0;
	while ( *text != '\0' ) {
		next_letter( &text );
		++count;
	}
	return count;
}

static void put_letter( const lettering *l, int x, int y, uint64_t letter ) {
	static const unsigned char black[3] = { 0, 0, 0 };
	for ( int row = 0; row < ROWS; ++row )
		for ( int column = 0; column < COLUMNS; ++column )
			if ( ( letter >> ( 8 * ( ROWS - 1 - row ) + COLUMNS - 1 - column ) & 1 ) != 0 )
				lettering_fill( l, x + SCALE * column, y + SCALE * row, SCALE, SCALE, black, 1.0 );
}

int lettering_write( const lettering *l, int x, int y, const char *text, size_t most ) {
	const size_t count = count_letters( text ), dots = 3;
	const size_t shown = count > most ? most : count;
	const size_t head = shown > dots ? ( shown - dots ) / 2 : 0, tail = shown > dots ? shown - dots - head : 0;
	int at = x;
	for ( size_t i = 0; i < count; ++i ) {
		const uint64_t letter = next_letter( &text );
		const bool is_cut = count > most && i >= head && i < count - tail;
		if ( is_cut && i >= head + dots )
			continue;
		put_letter( l, at, y, is_cut ? letters['.' - 32] : letter );
		at += LETTER_WIDTH;
	}
	return at - x;
}

int lettering_width( const char *text, size_t most ) {
	const size_t count = count_letters( text );
	return LETTER_WIDTH * (int)( count < most ? count : most );
}
