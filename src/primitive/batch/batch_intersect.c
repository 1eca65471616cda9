// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Many pairs at once: a kernel answers for most lanes, the functions for single pairs for the rest, so that verdicts
// and refusals are theirs.

#include "base/fpenv.h"
#include "primitive/batch/columns.h"
#include "primitive/batch/kernel.h"
#include "simd/isa.h"

// Decides one pair: 1 or 0, or the side.
typedef dbvh_status decide( const double *a, const double *b, int *answer_out );

static dbvh_status run_decide( const columns *a, const columns *b, dbvhi_lanes_kernel *kernel, decide *one,
                               uint8_t *out, dbvh_error *error ) {
	dbvhi_error_clear( error );
	size_t count;
	const dbvh_status refused = check_columns( a, b, out, error, &count );
	if ( refused != DBVH_OK || count == 0 )
		return refused;

	wide_columns room[2];
	const bool a_is_one = a->count == 1 && count > 1, b_is_one = b->count == 1 && count > 1;
	const dbvhi_lanes_run lanes = { lane_columns( a->column, a->width, a_is_one, &room[0] ),
	                                lane_columns( b->column, b->width, b_is_one, &room[1] ),
	                                a_is_one,
	                                b_is_one,
	                                count,
	                                out };
	kernel( &lanes );
	dbvh_status first = DBVH_OK;
	for ( size_t i = 0; i < count; ++i ) {
		// Eight answers that are 0 or 1 stand as they are.
		uint64_t eight;
		if ( i + sizeof eight <= count ) {
			memcpy( &eight, out + i, sizeof eight );
			if ( ( eight & UINT64_C( 0x0202020202020202 ) ) == 0 ) {
				i += sizeof eight - 1;
				continue;
			}
		}
		if ( out[i] == DBVHI_LANE_BELOW )
			out[i] = (uint8_t)-1;
		else if ( out[i] == DBVHI_LANE_UNSURE ) {
			double x[MOST_COLUMNS], y[MOST_COLUMNS];
			int answer = 0;
			gather( a, i, x );
			gather( b, i, y );
			const dbvh_status status = one( x, y, &answer );
			out[i] = (uint8_t)answer;
			if ( status != DBVH_OK && first == DBVH_OK )
				first = blame_pair( a, b, i, status, error );
		}
	}
	return first;
}

// ------------------------------------------------------------------------------------------------

#define DECIDE_BATCH( name, verdict, type_a, type_b, answer_type )                                                     \
	static DBVHI_NOINLINE_FP dbvh_status do_##name##_##verdict##_batch(                                                \
	    const dbvh_##type_a##_array *a, const dbvh_##type_b##_array *b, answer_type *out, dbvh_error *error ) {        \
		dbvhi_error_clear( error );                                                                                    \
		if ( a == NULL || b == NULL )                                                                                  \
			return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "array a or array b is NULL" );                      \
		const columns x = of_##type_a( a ), y = of_##type_b( b );                                                      \
		return run_decide( &x, &y, dbvhi_lanes_table[dbvhi_isa_level()]->name, one_##name, (uint8_t *)out, error );    \
	}                                                                                                                  \
	dbvh_status dbvh_##name##_##verdict##_batch( const dbvh_##type_a##_array *a, const dbvh_##type_b##_array *b,       \
	                                             answer_type *out, dbvh_error *error ) {                               \
		DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_##name##_##verdict##_batch( a, b, out, error ) );                      \
	}

#define MEET( name, type_a, type_b )                                                                                   \
	static dbvh_status one_##name( const double *x, const double *y, int *answer_out ) {                               \
		dbvh_##type_a a;                                                                                               \
		dbvh_##type_b b;                                                                                               \
		bool meet;                                                                                                     \
		memcpy( &a, x, sizeof a );                                                                                     \
		memcpy( &b, y, sizeof b );                                                                                     \
		const dbvh_status status = dbvh_##name##_intersect( &a, &b, &meet );                                           \
		*answer_out = meet ? 1 : 0;                                                                                    \
		return status;                                                                                                 \
	}                                                                                                                  \
	DECIDE_BATCH( name, intersect, type_a, type_b, uint8_t )

MEET( sphere_sphere, sphere, sphere )
MEET( sphere_aabb, sphere, aabb )
MEET( aabb_aabb, aabb, aabb )
MEET( obb_obb, obb, obb )
MEET( sphere_triangle, sphere, triangle )
MEET( capsule_capsule, capsule, capsule )
MEET( segment_sphere, segment, sphere )
MEET( segment_aabb, segment, aabb )
MEET( capsule_obb, capsule, obb )

#define SIDE( name, type_a )                                                                                           \
	static dbvh_status one_##name( const double *x, const double *y, int *answer_out ) {                               \
		dbvh_##type_a a;                                                                                               \
		dbvh_plane b;                                                                                                  \
		memcpy( &a, x, sizeof a );                                                                                     \
		memcpy( &b, y, sizeof b );                                                                                     \
		return dbvh_##name##_side( &a, &b, answer_out );                                                               \
	}                                                                                                                  \
	DECIDE_BATCH( name, side, type_a, plane, int8_t )

SIDE( sphere_plane, sphere )
SIDE( aabb_plane, aabb )
