// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Measured values beside the paper's Tables 1 and 2: on the terminal, as CSV and as JSON.

#pragma once

#include "paper/measure.h"

#include <stdio.h>

enum { REPORT_ROWS = 24 };

// One scenario.
typedef struct report {
	char name[40];    // "Scenario I"
	char title[600];  // meshes, sizes, methods: what the numbers are of
	char axis[80];    // label of the x axis
	bool logarithmic; // x is drawn so
	size_t row_count;
	measure_row rows[REPORT_ROWS]; // without the poses
	measure_cell cells[REPORT_ROWS * ALGORITHM_MAX];
	double primitive[REPORT_ROWS]; // C_p, seconds, measured on its own
	uint32_t algorithms;
} report;

static inline const measure_cell *report_cell( const report *r, size_t row, size_t c ) {
	return &r->cells[row * algorithm_count + c];
}

static inline bool report_has( const report *r, size_t c ) {
	return ( r->algorithms >> c & 1 ) != 0;
}

// Seconds for as many queries as the paper's row has; what a sample took, scaled up.
double report_seconds( const report *r, size_t row, size_t c );

// Equation (1): T = N_v C_v + N_p C_p. N_v counts pairs of nodes that were compared (spheres where there are spheres);
// C_v is what one of them costs with all that follows from it but triangles. Of the paper only T and the counts are
// known: both costs are then least squares of the relative error over the rows of one algorithm, neither below 0.
// Seconds.
typedef struct report_costs {
	double volume, primitive;
} report_costs;

report_costs report_fit( const double *seconds, const double *volumes, const double *primitives, size_t count );

// C_p of our own rows. Of the meshes and poses that were measured.
void report_measure_primitive( report *r, const dbvh_mesh_view *a, const dbvh_mesh_view *b, size_t row,
                               const measure_row *poses );

// Every algorithm and row: times, then counts, ours beside the paper's with the ratio. No line is longer than 120.
void report_print( const report *r );

// Tables 1 and 2 alone, for those that the paper has and the packed form, who is ahead of whom, and Table 2 relative to
// the boxes of rapid.
void report_tables( const report *reports, size_t count );

// Equation (1), ours and the paper's.
void report_equation( const report *r );

void report_csv( const report *reports, size_t count, FILE *file );
void report_json( const report *reports, size_t count, FILE *file );
