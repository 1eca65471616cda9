// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Meshes that cost a query n squared, or a step long: what budgets have to end. Each is n triangles in 9 n doubles.

#pragma once

#include "dualbvh/dualbvh.h"

#include <stddef.h>

typedef struct budget_input {
	const char *name;
	void ( *make )( size_t n, double *corners );
	double turn, at[3]; // pose of the second copy: turned by so much about ( 1, 2, 1 ), then moved
} budget_input;

extern const budget_input budget_inputs[];
extern const size_t budget_input_count;

// A tree with topology of an input of n triangles. Ends the program where that fails.
dbvh_tree *budget_tree( const budget_input *input, size_t n );
dbvh_pose budget_pose( const budget_input *input );
