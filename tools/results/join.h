// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// How the files of all ranks become one, without a word between the ranks: whoever finishes last does it.

#pragma once

#include "results/parts.h"

typedef enum join_result {
	JOIN_DONE,   // this was the last rank: the file is whole, *all is its state
	JOIN_OTHERS, // others are at work, or to begin
	JOIN_FAILED, // nobody is at work, and some have died; or the file cannot be written. After sentences
} join_result;

// Closes the part of a rank that is at its end, complete or not. If it is the last one, joins all parts, or names those
// that are missing. `wait`: others that have not begun are about to.
join_result join( part *p, const char *file, const results_work *work, bool wait, results_state *all );
