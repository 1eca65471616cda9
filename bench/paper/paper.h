// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Tables 1 and 2 of Chang, Wang and Kim (2009), number by number. Their machine: Intel Core Duo, 1.66 GHz.

#pragma once

#include <stddef.h>

typedef enum paper_column {
	PAPER_NONE,
	PAPER_RAPID,
	PAPER_QUICKCD,
	PAPER_SAT_LITE,
	PAPER_DUAL,
} paper_column;

// The rows of both tables, from 0: Scenario I at 0 % to 5 %, Scenario II at gaps 1e-1 to 1e-5, Scenario III.
enum {
	PAPER_ROW_1 = 0,
	PAPER_ROW_2 = 6,
	PAPER_ROW_3 = 11,
	PAPER_ROWS = 12,
	PAPER_CONFIGURATIONS = 38304, // in each row of Scenario I
	PAPER_FRAMES = 2528,          // in Scenario III
};

const char *paper_row_name( size_t row );

// How many queries a row stands for.
size_t paper_queries( size_t row );

// Table 1, seconds for the whole row; 0 for PAPER_NONE.
double paper_seconds( size_t row, paper_column column );

// Table 2, for the whole row. spheres is 0 where the algorithm has none.
typedef struct paper_counts {
	double spheres, boxes, triangles;
} paper_counts;

// False where the paper has no counts (QuickCD).
int paper_table2( size_t row, paper_column column, paper_counts *out );
