// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Quotients of integers: compared exactly, and rounded to doubles.

#pragma once

#include "exact/number/big.h"

// num 2^unit / den, num >= 0, den > 0. The longest are squared volumes over squared areas.
typedef struct dbvhi_ratio {
	dbvhi_big_6 num;
	dbvhi_big_4 den;
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
#define dbvhi_big_quotient( num, den, unit ) dbvhi_any_quotient( DBVHI_IN( num ), DBVHI_IN( den ), unit )
double dbvhi_any_quotient( const dbvhi_any *num, const dbvhi_any *den, int unit );

// The smallest double that is not less than the square root; infinite beyond the largest.
double dbvhi_ratio_root_up( const dbvhi_ratio *a );
