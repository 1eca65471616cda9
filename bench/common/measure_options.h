// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// How paper/measure.h deals out its work.

#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct measure_options {
	uint32_t algorithms;  // a mask over algorithm_table
	size_t rounds;        // at least 1
	uint32_t threads;     // parts measured at a time; 0: all threads
	size_t part;          // poses in a part, at least 2; 0: MEASURE_PART
	const char *cache;    // the folder of finished parts, which then stay there; NULL: the cache, and they do not
	size_t slice, slices; // compute only parts of slice (from 1) of slices and leave; 0: all
	const char *crash;    // "row:part": end the program there without a word, as tests of an accident do; NULL
} measure_options;
