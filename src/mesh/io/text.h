// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A text file as lines of words. The text need not be terminated; a word points into it. Lines end with \n, \r\n or a
// lone \r. Every byte is looked at once, so that no line is too long.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct dbvhi_word {
	const char *begin;
	size_t length;
} dbvhi_word;

typedef struct dbvhi_text {
	const char *at, *end;
	int64_t line;   // of `at`, from 1
	char comment;   // a word that begins with it and the rest of its line are skipped; '\0' for none
	bool continued; // whether a backslash at the end of a line joins it with the next
} dbvhi_text;

dbvhi_text dbvhi_text_make( const void *bytes, size_t count, char comment );

// The next word of this line. False at its end; the line's end is not passed.
bool dbvhi_text_word( dbvhi_text *text, dbvhi_word *word );

// Goes to the beginning of the next line. False where the text ends instead.
bool dbvhi_text_next_line( dbvhi_text *text );

// The next word of this line or a later one. False at the end of the text.
bool dbvhi_text_word_anywhere( dbvhi_text *text, dbvhi_word *word );

// Whether the word is this one (given in lower case), without regard to case.
bool dbvhi_word_is( dbvhi_word word, const char *lower_case );

// A copy for messages: at most 40 characters, with '?' for what does not print.
#define DBVHI_WORD_ROOM 48
const char *dbvhi_word_show( dbvhi_word word, char room[DBVHI_WORD_ROOM] );
