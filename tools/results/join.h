// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// How the files of all ranks become one, without a word between the ranks: whoever finishes last does it.

#pragma once

#include "results/parts.h"

typedef enum join_result {
	JOIN_DONE,   // this was the last rank: the file is whole, *all is its state
	JOIN_OTHERS, // others are at work
	JOIN_JOINED, // another rank was the last while this one waited, and has joined the parts
	JOIN_ABSENT, // nobody is, and some have not begun; after a sentence for each
	JOIN_DEAD,   // nobody is, and some have died or were stopped; after a sentence for each
	JOIN_FAILED, // the file cannot be written; after a sentence
} join_result;

// Closes the part of a rank that is at its end, complete or not. If it is the last one, joins all parts, or names those
// that are missing; where a launcher starts the ranks, only after some seconds in which they could have begun.
join_result join( part *p, const results_options *o, const results_work *work, results_state *all );
