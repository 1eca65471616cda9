// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Distances, hits and sweeps of many pairs: a kernel answers for most lanes, the functions for single pairs for the
// rest, so that every answer is theirs.

#include "base/assert.h"
#include "base/fpenv.h"
#include "dualbvh/shape_cast.h"
#include "primitive/batch/columns.h"
#include "primitive/batch/kernel.h"
#include "primitive/line.h"
#include "simd/isa.h"

enum { BLOCK = 128, PAD = DBVHI_MOST_LANES, MOST_DENSE = 7 + 9 + 6 };

// One pair; *out is an answer.
typedef dbvh_status single( const double *a, const double *a_by, const double *b, const double *b_by, void *out );
// The answer of a pair that has one, from what the kernel found.
typedef void finish( const double *a, double low, double high, void *out );

typedef struct kind {
	dbvhi_measure_kernel *sieve; // NULL for none
	dbvhi_measure_kernel *kernel;
	single *one;
	finish *fill;   // NULL: the kernel's numbers are the answer
	size_t size;    // bytes of an answer
	bool has_high;  // the answer has two numbers
	bool has_shape; // `fill` wants the first shape
} kind;

typedef struct pairs {
	const columns *a, *b;
	const double *const *a_by, *const *b_by;
} pairs;

static void gather_by( const double *const by[3], size_t i, double out[3] ) {
	DBVHI_ASSERT( by[0] != NULL && by[1] != NULL && by[2] != NULL );
	for ( int k = 0; k < 3; ++k )
		out[k] = by[k][i];
}

static bool lacks_column( const double *const by[3] ) {
	return by != NULL && ( by[0] == NULL || by[1] == NULL || by[2] == NULL );
}

// The pair by the function for one.
static dbvh_status ask_one( const pairs *p, const kind *what, size_t i, void *out ) {
	double x[MOST_COLUMNS], y[MOST_COLUMNS], x_by[3], y_by[3];
	gather( p->a, i, x );
	gather( p->b, i, y );
	if ( p->a_by != NULL )
		gather_by( p->a_by, p->a->count == 1 ? 0 : i, x_by );
	if ( p->b_by != NULL )
		gather_by( p->b_by, p->b->count == 1 ? 0 : i, y_by );
	return what->one( x, p->a_by != NULL ? x_by : NULL, y, p->b_by != NULL ? y_by : NULL, out );
}

// Pairs that a sieve has left, side by side.
typedef struct dense {
	uint8_t place[BLOCK + PAD]; // in the block
	size_t count;
	const double *a[MOST_COLUMNS], *b[MOST_COLUMNS], *a_by[3], *b_by[3];
	double column[MOST_DENSE][BLOCK + PAD];
	int used;
} dense;

static void gather_columns( dense *to, const double *const *from, int width, bool is_one, size_t begin,
                            const double **out ) {
	DBVHI_ASSERT( width <= MOST_COLUMNS );
	for ( int k = 0; k < width; ++k ) {
		if ( is_one ) {
			out[k] = from[k];
			continue;
		}
		double *const column = to->column[to->used++];
		for ( size_t i = 0; i < to->count; ++i )
			column[i] = from[k][begin + to->place[i]];
		out[k] = column;
	}
}

// Asks the sieve, then the kernel about the remaining pairs; pairs that the sieve removes have no answer. The last
// vector is padded. Not inlined: the columns should not be on the stack while single pairs are decided.
static __attribute__( ( noinline ) ) void ask_sieved( const pairs *p, const kind *what,
                                                      const dbvhi_measure_run *lanes ) {
	dense d; // all of it is much
	d.count = 0;
	d.used = 0;
	what->sieve( lanes );
	for ( size_t i = 0; i < lanes->count; ++i ) {
		d.place[d.count] = (uint8_t)i;
		d.count += lanes->state[i] != DBVHI_LANE_APART;
	}
	if ( d.count == 0 )
		return;
	if ( d.count * 4 > lanes->count * 3 ) {
		what->kernel( lanes );
		return;
	}
	const size_t left = d.count;
	while ( d.count % PAD != 0 ) {
		d.place[d.count] = d.place[left - 1];
		d.count += 1;
	}
	uint8_t state[BLOCK + PAD];
	double low[BLOCK + PAD], high[BLOCK + PAD];
	dbvhi_measure_run some = *lanes;
	gather_columns( &d, lanes->a, p->a->width, lanes->a_is_one, lanes->first, d.a );
	gather_columns( &d, lanes->b, p->b->width, lanes->b_is_one, lanes->first, d.b );
	some.a = d.a;
	some.b = d.b;
	if ( lanes->a_by != NULL ) {
		gather_columns( &d, lanes->a_by, 3, lanes->a_is_one, lanes->first, d.a_by );
		some.a_by = d.a_by;
	}
	if ( lanes->b_by != NULL ) {
		gather_columns( &d, lanes->b_by, 3, lanes->b_is_one, lanes->first, d.b_by );
		some.b_by = d.b_by;
	}
	some.first = 0;
	some.count = d.count;
	some.state = state;
	some.low = low;
	some.high = lanes->high != NULL ? high : NULL;
	what->kernel( &some );
	for ( size_t i = 0; i < left; ++i ) {
		const size_t at = d.place[i];
		lanes->state[at] = state[i];
		lanes->low[at] = low[i];
		if ( lanes->high != NULL )
			lanes->high[at] = high[i];
	}
}

static dbvh_status run_measure( const columns *a, const double *const a_by[3], const columns *b,
                                const double *const b_by[3], const kind *what, void *answers, dbvh_error *error ) {
	size_t count;
	const dbvh_status refused = check_columns( a, b, answers, error, &count );
	if ( refused != DBVH_OK || count == 0 )
		return refused;
	if ( lacks_column( a_by ) || lacks_column( b_by ) )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "an array of a translation is NULL" );
	const pairs all = { a, b, a_by, b_by };
	// Eight lanes at a time of which there is nothing more to say: the first bit is that of an answer.
	const uint64_t busy = what->fill != NULL ? UINT64_C( 0x0303030303030303 ) : UINT64_C( 0x0202020202020202 );
	uint8_t state[BLOCK];
	double low[BLOCK], high[BLOCK];
	wide_columns room[4];
	dbvhi_measure_run lanes = { .a_is_one = a->count == 1 && count > 1,
	                            .b_is_one = b->count == 1 && count > 1,
	                            .state = state,
	                            .high = what->has_high ? high : NULL };
	lanes.a = lane_columns( a->column, a->width, lanes.a_is_one, &room[0] );
	lanes.b = lane_columns( b->column, b->width, lanes.b_is_one, &room[1] );
	lanes.a_by = a_by != NULL ? lane_columns( a_by, 3, lanes.a_is_one, &room[2] ) : NULL;
	lanes.b_by = b_by != NULL ? lane_columns( b_by, 3, lanes.b_is_one, &room[3] ) : NULL;
	dbvh_status first = DBVH_OK;
	for ( size_t begin = 0; begin < count; begin += BLOCK ) {
		const size_t size = count - begin < BLOCK ? count - begin : BLOCK;
		char *const out = (char *)answers + begin * what->size;
		lanes.first = begin;
		lanes.count = size;
		lanes.low = what->fill != NULL ? low : (double *)out;
		if ( what->sieve != NULL )
			ask_sieved( &all, what, &lanes );
		else
			what->kernel( &lanes );
		if ( what->fill != NULL )
			memset( out, 0, size * what->size );
		for ( size_t k = 0; k < size; ++k ) {
			uint64_t eight;
			if ( k + sizeof eight <= size ) {
				memcpy( &eight, state + k, sizeof eight );
				if ( ( eight & busy ) == 0 ) {
					k += sizeof eight - 1;
					continue;
				}
			}
			char *const at = out + k * what->size;
			if ( state[k] == DBVHI_LANE_MEET && what->fill != NULL ) {
				double x[MOST_COLUMNS];
				if ( what->has_shape )
					gather( a, begin + k, x );
				what->fill( x, low[k], what->has_high ? high[k] : 0.0, at );
			} else if ( state[k] == DBVHI_LANE_UNSURE ) {
				const dbvh_status status = ask_one( &all, what, begin + k, at );
				if ( status != DBVH_OK && first == DBVH_OK )
					first = blame_pair( a, b, begin + k, status, error );
			}
		}
	}
	return first;
}

// ------------------------------------------------------------------------------------------------

// One pair of a kind by the function for one: `call` fills `answer`, of which `value` is kept.
#define ONE( name, type_a, type_b, answer_type, call, value )                                                          \
	static dbvh_status one_##name( const double *x, const double *x_by, const double *y, const double *y_by,           \
	                               void *out ) {                                                                       \
		dbvh_##type_a a;                                                                                               \
		dbvh_##type_b b;                                                                                               \
		answer_type answer;                                                                                            \
		(void)x_by;                                                                                                    \
		(void)y_by;                                                                                                    \
		memcpy( &a, x, sizeof a );                                                                                     \
		memcpy( &b, y, sizeof b );                                                                                     \
		const dbvh_status status = call;                                                                               \
		memcpy( out, &value, sizeof value );                                                                           \
		return status;                                                                                                 \
	}

// Define the batch function for pairs that stand still. The arguments behind the type of an answer are those of a
// `kind`.
#define MEASURE_BATCH( name, type_a, type_b, answer_type, ... )                                                        \
	static DBVHI_NOINLINE_FP dbvh_status do_##name##_batch(                                                            \
	    const dbvh_##type_a##_array *a, const dbvh_##type_b##_array *b, answer_type *out, dbvh_error *error ) {        \
		dbvhi_error_clear( error );                                                                                    \
		if ( a == NULL || b == NULL )                                                                                  \
			return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "array a or array b is NULL" );                      \
		const columns x = of_##type_a( a ), y = of_##type_b( b );                                                      \
		const dbvhi_lanes_kernels *const kernels = dbvhi_lanes_table[dbvhi_isa_level()];                               \
		const kind what = { __VA_ARGS__ };                                                                             \
		return run_measure( &x, NULL, &y, NULL, &what, out, error );                                                   \
	}                                                                                                                  \
	dbvh_status dbvh_##name##_batch( const dbvh_##type_a##_array *a, const dbvh_##type_b##_array *b, answer_type *out, \
	                                 dbvh_error *error ) {                                                             \
		DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_##name##_batch( a, b, out, error ) );                                  \
	}

#define DISTANCE( name, type_a, type_b )                                                                               \
	ONE( name##_distance, type_a, type_b, dbvh_signed_distance, dbvh_##name##_signed_distance( &a, &b, &answer ),      \
	     answer.distance )                                                                                             \
	MEASURE_BATCH( name##_distance, type_a, type_b, double, NULL, kernels->name##_distance, one_##name##_distance,     \
	               NULL, sizeof( double ), false, false )

DISTANCE( sphere_sphere, sphere, sphere )
DISTANCE( sphere_aabb, sphere, aabb )
DISTANCE( sphere_triangle, sphere, triangle )
DISTANCE( capsule_capsule, capsule, capsule )

// ------------------------------------------------------------------------------------------------
// Hits

static void fill_hit_interval( const double *a, bool bounded, double low, double high, void *out ) {
	dbvh_hit_interval hit_interval = { .intersects = true, .inside = low == 0.0, .enter = low, .exit = high };
	dbvhi_hit_interval_point( a, a + 3, bounded, &hit_interval );
	memcpy( out, &hit_interval, sizeof hit_interval );
}

static void fill_ray_hit_interval( const double *a, double low, double high, void *out ) {
	fill_hit_interval( a, false, low, high, out );
}

static void fill_segment_hit_interval( const double *a, double low, double high, void *out ) {
	fill_hit_interval( a, true, low, high, out );
}

static void fill_ray_hit( const double *a, double low, double high, void *out ) {
	dbvh_hit hit = { .intersects = true, .t = low };
	(void)high;
	dbvhi_hit_point( a, a + 3, false, &hit );
	memcpy( out, &hit, sizeof hit );
}

static void fill_segment_hit( const double *a, double low, double high, void *out ) {
	dbvh_hit hit = { .intersects = true, .t = low };
	(void)high;
	dbvhi_hit_point( a, a + 3, true, &hit );
	memcpy( out, &hit, sizeof hit );
}

#define HIT( name, type_a, type_b, result, high )                                                                      \
	ONE( name##_hit, type_a, type_b, dbvh_##result, dbvh_##name##_hit( &a, &b, &answer ), answer )                     \
	MEASURE_BATCH( name##_hit, type_a, type_b, dbvh_##result, kernels->name##_sieve, kernels->name##_hit,              \
	               one_##name##_hit, fill_##type_a##_##result, sizeof( dbvh_##result ), high, true )

HIT( ray_sphere, ray, sphere, hit_interval, true )
HIT( segment_sphere, segment, sphere, hit_interval, true )
HIT( ray_aabb, ray, aabb, hit_interval, true )
HIT( segment_aabb, segment, aabb, hit_interval, true )
HIT( ray_triangle, ray, triangle, hit, false )
HIT( segment_triangle, segment, triangle, hit, false )

// ------------------------------------------------------------------------------------------------
// Sweeps

static void fill_sweep( const double *a, double low, double high, void *out ) {
	(void)a;
	const dbvh_shape_cast_result sweep = {
	    .intersects = true, .at_start = low == 0.0, .at_end = high == 1.0, .enter = low, .exit = high };
	memcpy( out, &sweep, sizeof sweep );
}

#define SWEEP( name, type_a, type_b )                                                                                  \
	ONE( name##_sweep, type_a, type_b, dbvh_shape_cast_result, dbvh_##name##_cast( &a, x_by, &b, y_by, &answer ),      \
	     answer )                                                                                                      \
	static DBVHI_NOINLINE_FP dbvh_status do_##name##_cast_batch(                                                       \
	    const dbvh_##type_a##_array *a, const double *const a_by[3], const dbvh_##type_b##_array *b,                   \
	    const double *const b_by[3], dbvh_shape_cast_result *result_out, dbvh_error *error ) {                         \
		dbvhi_error_clear( error );                                                                                    \
		if ( a == NULL || b == NULL )                                                                                  \
			return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "array a or array b is NULL" );                      \
		const columns x = of_##type_a( a ), y = of_##type_b( b );                                                      \
		const dbvhi_lanes_kernels *const kernels = dbvhi_lanes_table[dbvhi_isa_level()];                               \
		const kind what = { kernels->name##_sieve,                                                                     \
		                    kernels->name##_sweep,                                                                     \
		                    one_##name##_sweep,                                                                        \
		                    fill_sweep,                                                                                \
		                    sizeof( dbvh_shape_cast_result ),                                                          \
		                    true,                                                                                      \
		                    false };                                                                                   \
		return run_measure( &x, a_by, &y, b_by, &what, result_out, error );                                            \
	}                                                                                                                  \
	dbvh_status dbvh_##name##_cast_batch( const dbvh_##type_a##_array *a, const double *const a_by[3],                 \
	                                      const dbvh_##type_b##_array *b, const double *const b_by[3],                 \
	                                      dbvh_shape_cast_result *result_out, dbvh_error *error ) {                    \
		DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_##name##_cast_batch( a, a_by, b, b_by, result_out, error ) );          \
	}

SWEEP( sphere_sphere, sphere, sphere )
SWEEP( aabb_aabb, aabb, aabb )
SWEEP( sphere_triangle, sphere, triangle )
ONE( sphere_plane_sweep, sphere, plane, dbvh_shape_cast_result, dbvh_sphere_plane_cast( &a, x_by, &b, &answer ),
     answer )

static DBVHI_NOINLINE_FP dbvh_status do_sphere_plane_cast_batch( const dbvh_sphere_array *a,
                                                                 const double *const a_by[3], const dbvh_plane_array *b,
                                                                 dbvh_shape_cast_result *result_out,
                                                                 dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( a == NULL || b == NULL )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "array a or array b is NULL" );
	const columns x = of_sphere( a ), y = of_plane( b );
	const kind what = { NULL,
	                    dbvhi_lanes_table[dbvhi_isa_level()]->sphere_plane_sweep,
	                    one_sphere_plane_sweep,
	                    fill_sweep,
	                    sizeof( dbvh_shape_cast_result ),
	                    true,
	                    false };
	return run_measure( &x, a_by, &y, NULL, &what, result_out, error );
}

dbvh_status dbvh_sphere_plane_cast_batch( const dbvh_sphere_array *a, const double *const a_by[3],
                                          const dbvh_plane_array *b, dbvh_shape_cast_result *result_out,
                                          dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_sphere_plane_cast_batch( a, a_by, b, result_out, error ) );
}
