// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The subcommands of dualbvh-bench, and the options that they share.

#pragma once

#include "common/measure_options.h"
#include "common/poses.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct bench_options {
	const char *mesh; // NULL: the default
	size_t sample;    // SIZE_MAX: not given
	size_t rounds;    // 0: not given
	FILE *csv;        // NULL: none is written
	// The scenarios and `paper` alone.
	FILE *json;
	const char *interior, *hand;
	size_t frames;
	size_t gaps;     // 0: all
	bool size_box;   // 100 % is the longest edge of the mesh's box
	bool sphere_box; // the enclosing sphere is that about the centre of the mesh's box, not the smallest
	poses_options poses;
	measure_options measure;
} bench_options;

// Each returns an exit status.
int bench_assembly( const bench_options *options );
int bench_batches( const bench_options *options );
int bench_axes( const bench_options *options );
int bench_build( const bench_options *options );
int bench_clearance( const bench_options *options );
int bench_coherence( const bench_options *options );
int bench_contacts( const bench_options *options );
int bench_overlap( const bench_options *options );
int bench_counts( const bench_options *options );
int bench_depth( const bench_options *options );
int bench_scenes( const bench_options *options );
int bench_ellipsoid( const bench_options *options );
int bench_field( const bench_options *options );
int bench_files( const bench_options *options );
int bench_flat( const bench_options *options );
int bench_fragments( const bench_options *options );
int bench_mixed( const bench_options *options );
int bench_toi( const bench_options *options );
int bench_parts( const bench_options *options );
int bench_paper( const bench_options *options );
int bench_penetration( const bench_options *options );
int bench_primitives( const bench_options *options );
int bench_policies( const bench_options *options );
int bench_quickcd( const bench_options *options );
int bench_runaway( const bench_options *options );
int bench_runaway_toi( const bench_options *options );
int bench_scenario1( const bench_options *options );
int bench_scenario2( const bench_options *options );
int bench_scenario3( const bench_options *options );
int bench_selftest( const bench_options *options );
int bench_spheres( const bench_options *options );
int bench_threads( const bench_options *options );
int bench_variants( const bench_options *options );
int bench_verify( const bench_options *options );
