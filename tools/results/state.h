// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The state of a file of results, kept beside it in FILE.state: what the run is about, and how much of the file is
// finished and on disk. It is replaced as a whole, so that it is true at any moment, whatever ends the process.

#pragma once

#include "results/fingerprint.h"
#include "results/ranks.h"

// Sums over all cases.
enum { TALLY_COUNTS = 16 };
typedef struct results_tally {
	uint64_t counts[TALLY_COUNTS];
	uint64_t least_case; // the first one with `least`
	double least;        // INFINITY where no case has such a number
} results_tally;

results_tally tally_zero( void );
void tally_least( results_tally *t, double x, uint64_t of_case );
void tally_add( results_tally *t, const results_tally *more );

typedef enum results_end { END_NONE, END_SIGNAL, END_TIMEOUT, END_COMPLETE } results_end;

typedef struct results_state {
	ranks ranks;
	uint64_t finished, of; // cases of this rank
	uint64_t bytes;        // size of the file with these cases
	results_end end;
	results_tally tally;
} results_state;

typedef enum state_found { STATE_THERE, STATE_NONE, STATE_BAD } state_found;

// Reads the state of `file`. STATE_BAD after a sentence.
state_found state_read( const char *file, fingerprint *about, results_state *out );

// Replaces it, and returns when it is on disk. False after a sentence.
bool state_write( const char *file, const fingerprint *about, const results_state *state );

void state_remove( const char *file );

// False, and in `text` what differs, as "its options were ... and are ...".
bool state_is_of( const fingerprint *theirs, const fingerprint *ours, char text[512] );
