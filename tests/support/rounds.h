// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

// How many random cases: the default number, multiplied by DUALBVH_TEST_SCALE.
static inline size_t rounds( size_t count ) {
	const char *const text = getenv( "DUALBVH_TEST_SCALE" );
	const double factor = text != NULL ? strtod( text, NULL ) : 1.0;
	return factor > 0.0 ? (size_t)ceil( (double)count * factor ) : count;
}

// Less than a tenth of the random cases, as scripts/test asks of the sanitizers, means that inputs which do not depend
// on chance are fewer or smaller too, at least one of each kind.
static inline bool is_short_run( void ) {
	return rounds( 100 ) < 10;
}
