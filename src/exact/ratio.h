// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Quotients of integers: compared exactly, and rounded to doubles.

#pragma once

#include "exact/big.h"

// num 2^unit / den, num >= 0, den > 0.
typedef struct dbvhi_ratio {
	dbvhi_big num, den;
	int unit;
} dbvhi_ratio;

void dbvhi_ratio_zero( dbvhi_ratio *out );
void dbvhi_ratio_copy( dbvhi_ratio *out, const dbvhi_ratio *a );

// The sign of a - b.
int dbvhi_ratio_compare( const dbvhi_ratio *a, const dbvhi_ratio *b );

// The sign of a - x^2, for x >= 0 or infinite.
int dbvhi_ratio_compare_square( const dbvhi_ratio *a, double x );

// The nearest double, of two equally near ones the even; infinite beyond the largest.
double dbvhi_ratio_round( const dbvhi_ratio *a );

// The same of num 2^unit / den, of any sign, den not 0. Zero is +0.
double dbvhi_big_quotient( const dbvhi_big *num, const dbvhi_big *den, int unit );

// The smallest double that is not less than the square root; infinite beyond the largest.
double dbvhi_ratio_root_up( const dbvhi_ratio *a );
