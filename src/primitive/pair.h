// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The common frame of the public functions that take two shapes and fill one answer.

#pragma once

#include "base/fpenv.h"
#include "primitive/check.h"

#include <string.h>

// Define a public function, which clears its answer, refuses shapes that are out of order, and works in the default
// floating-point environment. The block behind it fills *out for two shapes that are in order.
#define DBVHI_PRIMITIVE( name, type_a, type_b, answer_type )                                                           \
	static void name##_fill( const dbvh_##type_a *a, const dbvh_##type_b *b, answer_type *out );                       \
	static DBVHI_NOINLINE_FP dbvh_status do_##name( const dbvh_##type_a *a, const dbvh_##type_b *b,                    \
	                                                answer_type *out ) {                                               \
		if ( out != NULL )                                                                                             \
			memset( out, 0, sizeof *out );                                                                             \
		const dbvh_status status = dbvhi_check_pair( out, dbvhi_check_##type_a( a ), dbvhi_check_##type_b( b ) );      \
		if ( status == DBVH_OK )                                                                                       \
			name##_fill( a, b, out );                                                                                  \
		return status;                                                                                                 \
	}                                                                                                                  \
	dbvh_status dbvh_##name( const dbvh_##type_a *a, const dbvh_##type_b *b, answer_type *out ) {                      \
		DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_##name( a, b, out ) );                                                 \
	}                                                                                                                  \
	static void name##_fill( const dbvh_##type_a *a, const dbvh_##type_b *b, answer_type *out )
