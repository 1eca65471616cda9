// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The common frame of the casts: the first shape moves, in the frame of the second, which stays.

#pragma once

#include "base/fpenv.h"
#include "dualbvh/shape_cast.h"
#include "primitive/check.h"
#include "primitive/core.h"

#include <string.h>

DBVHI_INLINE dbvh_status dbvhi_check_motion( const void *out, dbvh_status a, dbvh_status b,
                                             const double translation_a[3], const double translation_b[3] ) {
	const dbvh_status shapes = dbvhi_check_pair( out, a, b );
	if ( shapes != DBVH_OK )
		return shapes;
	const bool finite = ( translation_a == NULL || dbvhi_finite3( translation_a ) ) &&
	                    ( translation_b == NULL || dbvhi_finite3( translation_b ) );
	return finite ? DBVH_OK : DBVH_NOT_FINITE;
}

// The path of a point of the first shape: from + t ( translation_a - translation_b ); a translation of NULL is none.
DBVHI_INLINE dbvhi_path dbvhi_path_of_cast( const double from[3], const double translation_a[3],
                                            const double translation_b[3] ) {
	static const double none[3] = { 0.0, 0.0, 0.0 };
	return ( dbvhi_path ){
	    from, NULL, translation_a != NULL ? translation_a : none, translation_b != NULL ? translation_b : none,
	    0.0,  1.0 };
}

DBVHI_INLINE bool dbvhi_begins_at_or_after( int phase ) {
	return phase == DBVHI_BEFORE || phase == DBVHI_BEGINS || phase == DBVHI_GRAZES;
}

DBVHI_INLINE bool dbvhi_ends_at_or_before( int phase ) {
	return phase == DBVHI_AFTER || phase == DBVHI_ENDS || phase == DBVHI_GRAZES;
}

// Define a public cast, which clears the result, refuses arguments that are out of order, and works in the default
// floating-point environment. The block behind it fills *out, from `a`, `b` and the translations by_a and by_b.
#define DBVHI_CAST( name, type_a, type_b )                                                                             \
	static void name##_fill( const dbvh_##type_a *a, const double by_a[3], const dbvh_##type_b *b,                     \
	                         const double by_b[3], dbvh_shape_cast_result *out );                                      \
	static DBVHI_NOINLINE_FP dbvh_status do_##name##_cast( const dbvh_##type_a *a, const double by_a[3],               \
	                                                       const dbvh_##type_b *b, const double by_b[3],               \
	                                                       dbvh_shape_cast_result *out ) {                             \
		if ( out != NULL )                                                                                             \
			memset( out, 0, sizeof *out );                                                                             \
		const dbvh_status status =                                                                                     \
		    dbvhi_check_motion( out, dbvhi_check_##type_a( a ), dbvhi_check_##type_b( b ), by_a, by_b );               \
		if ( status == DBVH_OK )                                                                                       \
			name##_fill( a, by_a, b, by_b, out );                                                                      \
		return status;                                                                                                 \
	}                                                                                                                  \
	dbvh_status dbvh_##name##_cast( const dbvh_##type_a *a, const double by_a[3], const dbvh_##type_b *b,              \
	                                const double by_b[3], dbvh_shape_cast_result *out ) {                              \
		DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_##name##_cast( a, by_a, b, by_b, out ) );                              \
	}                                                                                                                  \
	static void name##_fill( const dbvh_##type_a *a, const double by_a[3], const dbvh_##type_b *b,                     \
	                         const double by_b[3], dbvh_shape_cast_result *out )
