// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Clocks, medians, and what a result must say about the machine it was measured on.

#pragma once

#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

// Seconds since some moment, from a clock that only goes forward.
double stats_now( void );

// Seconds that the calling thread has been running. What one thread does is timed with this: on a machine that others
// use as well, the clock on the wall also counts the time in which the thread had to wait for a core.
double stats_thread_now( void );

// A round is at least this long, in seconds; what is faster is repeated within it.
#define STATS_ROUND 0.01

// The median of `count` > 0 numbers, which are sorted by it.
double stats_median( double *values, size_t count );

// Competitors are timed in turn, round after round, so that whatever else the machine does strikes all of them alike.
// samples holds one round after the other: samples[round * competitors + competitor].
double stats_competitor_median( const double *samples, size_t rounds, size_t competitors, size_t competitor );

// Its name and version.
const char *stats_compiler( void );

// Lines that begin with `prefix`: commit, CPU model, compiler. No host names, no paths.
void stats_print_machine( FILE *out, const char *prefix );

#ifdef __cplusplus
}
#endif
