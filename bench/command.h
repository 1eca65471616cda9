// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The subcommands of dualbvh-bench, and the options that they share.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct bench_options {
	const char *mesh; // NULL: the default
	size_t sample;
	size_t rounds;
	FILE *csv; // NULL: none is written
} bench_options;

// Each returns an exit status.
int bench_build( const bench_options *options );
int bench_clearance( const bench_options *options );
int bench_contacts( const bench_options *options );
int bench_ellipsoid( const bench_options *options );
int bench_mixed( const bench_options *options );
int bench_policies( const bench_options *options );
int bench_selftest( const bench_options *options );
int bench_spheres( const bench_options *options );
int bench_threads( const bench_options *options );
