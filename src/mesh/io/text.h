// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A text file as lines of words. Lines end with \n, \r\n or a lone \r. Every byte is looked at once, so that no line is
// too long; only a word is at hand as a whole.

#pragma once

#include "mesh/io/stream.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A word in the stream's memory, valid until the next word is asked for.
typedef struct dbvhi_word {
	const char *begin;
	size_t length;
} dbvhi_word;

typedef struct dbvhi_text {
	dbvhi_stream *stream;
	int64_t line;     // number of the stream's line, from 1
	char comment;     // a word that begins with it and the rest of its line are skipped; '\0' for none
	bool continued;   // whether a backslash at the end of a line joins it with the next
	bool lone_return; // whether the end of the line before was \r without \n
} dbvhi_text;

// Starts a text at the stream's position.
dbvhi_text dbvhi_text_make( dbvhi_stream *stream, char comment );

// The next word of this line. False at its end; the line's end is not passed.
bool dbvhi_text_word( dbvhi_text *text, dbvhi_word *word );

// Goes to the beginning of the next line. False where the text ends instead.
bool dbvhi_text_next_line( dbvhi_text *text );

// The next word of this line or a later one. False at the end of the text.
bool dbvhi_text_word_anywhere( dbvhi_text *text, dbvhi_word *word );

// Goes back to the beginning of the word that was found last, or to `length` characters behind it.
void dbvhi_text_back( dbvhi_text *text, dbvhi_word word, size_t length );

// Brings the rest of this line to hand: its words stay where they are until the next line.
void dbvhi_text_hold_line( dbvhi_text *text );

// Is the word equal to this one, given in lower case, without regard to case?
bool dbvhi_word_is( dbvhi_word word, const char *lower_case );

// A copy for messages: at most 40 characters, with '?' for what does not print.
#define DBVHI_WORD_ROOM 48
const char *dbvhi_word_show( dbvhi_word word, char room[DBVHI_WORD_ROOM] );
