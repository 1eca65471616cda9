// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Correct rounding by comparison: the double next to a number that is only known through an exact predicate, near a
// guess that may be off by as much as it likes.

#pragma once

#include "exact/number/dyadic.h"
#include "primitive/core.h"

// Is x at most, or at least, the number that is sought?
typedef int dbvhi_round_question( const void *context, double x );

// For 0 <= low <= high. The largest x in [low, high] with an answer of not 0, to a question that is answered so up to
// some point not before `low`; and the smallest x in [low, high] with such an answer, to one that is answered so from
// some point not after `high` on, which may be infinite and is not asked.
double dbvhi_round_down( dbvhi_round_question *ask, const void *context, double guess, double low, double high );
double dbvhi_round_up( dbvhi_round_question *ask, const void *context, double guess, double low, double high );

// The smallest double that is not less than a number, near a guess.
double dbvhi_dyadic_up( const dbvhi_dyadic *number, double guess );

// The smallest double that is not less than a sum, and the largest that is not greater.
double dbvhi_sum_up( const dbvhi_sum *sum );
double dbvhi_sum_down( const dbvhi_sum *sum );
