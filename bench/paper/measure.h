// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Asks every algorithm about every pose, in parts that can be dealt out to threads and ranks, kept on disk and taken up
// again. The parts, and with them all answers and counts, do not depend on how they are dealt out.

#pragma once

#include "common/measure_options.h"
#include "paper/algorithm.h"

// One line of a table: a list of poses and what is asked about them.
typedef struct measure_row {
	const char *name;
	double x; // x coordinate in plots
	const dbvh_pose *poses;
	size_t count;
	dbvh_find find;
	size_t paper_row; // PAPER_ROWS: none
} measure_row;

// The result of one algorithm on a row, or on a part of it. No padding: it goes to disk.
typedef struct measure_cell {
	double seconds; // one thread, once through; the least of several alternate rounds, part by part
	uint64_t queries, intersecting, pairs;
	uint64_t hash; // hash of all answers in order: equal exactly if the answers are
	dbvh_counters counters;
} measure_cell;

enum { MEASURE_PART = 1024 };

// cells[row * algorithm_count + algorithm], all zero for those that were not chosen. Returns false where only a slice
// was computed, and nothing is to be shown. A line on stderr says what was taken up from an earlier run, and which
// ranks of it did not come to an end. `progress` names what is being done.
bool measure_rows( const char *progress, const dbvh_mesh_view *a, const dbvh_mesh_view *b, const measure_row *rows,
                   size_t row_count, const measure_options *options, measure_cell *cells );

// Do all that were chosen say the same? Names the first that does not on stdout.
bool measure_agree( const measure_row *rows, size_t row_count, uint32_t algorithms, const measure_cell *cells );
