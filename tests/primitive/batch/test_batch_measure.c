// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Batches of distances, hits and sweeps give bit by bit what single calls give, on every instruction set of the
// machine: pairs, and one against many, with motions and without.

#include "dualbvh/shape_cast.h"
#include "primitive/batch/kernel.h"
#include "simd/isa.h"
#include "tables.h"

static const uint64_t seed_default = 20261125;

enum { NUMBERS = 7 };

// An answer as numbers, so that what lies between the members of a struct does not matter.
typedef struct answer {
	double x[NUMBERS];
} answer;

static answer of_hit_interval( const dbvh_hit_interval *s ) {
	return ( answer ){ { s->intersects, s->inside, s->enter, s->exit, s->point[0], s->point[1], s->point[2] } };
}

static answer of_hit( const dbvh_hit *c ) {
	return ( answer ){ { c->intersects, c->t, c->point[0], c->point[1], c->point[2] } };
}

static answer of_sweep( const dbvh_shape_cast_result *s ) {
	return ( answer ){ { s->intersects, s->at_start, s->at_end, s->enter, s->exit } };
}

static table s, t, s_by, t_by;
static bool s_moves, t_moves;

static union {
	double distance[COUNT];
	dbvh_hit_interval hit_interval[COUNT];
	dbvh_hit hit[COUNT];
	dbvh_shape_cast_result sweep[COUNT];
} out;

#define SINGLE( name, type_a, type_b )                                                                                 \
	static dbvh_status single_##name( const double *x, const double *y, const double *x_by, const double *y_by,        \
	                                  answer *answer_out ) {                                                           \
		dbvh_##type_a a;                                                                                               \
		dbvh_##type_b b;                                                                                               \
		(void)x_by;                                                                                                    \
		(void)y_by;                                                                                                    \
		memcpy( &a, x, sizeof a );                                                                                     \
		memcpy( &b, y, sizeof b );

#define DISTANCE( name, type_a, type_b, array_a, array_b )                                                             \
	SINGLE( name, type_a, type_b )                                                                                     \
	dbvh_signed_distance gap;                                                                                          \
	const dbvh_status status = dbvh_##name##_signed_distance( &a, &b, &gap );                                          \
	*answer_out = ( answer ){ { gap.distance } };                                                                      \
	return status;                                                                                                     \
	}                                                                                                                  \
	static dbvh_status batch_##name( dbvh_error *error, answer *answers, size_t count ) {                              \
		const dbvh_##type_a##_array a = array_a( &s );                                                                 \
		const dbvh_##type_b##_array b = array_b( &t );                                                                 \
		const dbvh_status status = dbvh_##name##_distance_batch( &a, &b, out.distance, error );                        \
		for ( size_t i = 0; i < count; ++i )                                                                           \
			answers[i] = ( answer ){ { out.distance[i] } };                                                            \
		return status;                                                                                                 \
	}

#define HIT( name, type_a, type_b, array_a, array_b, result )                                                          \
	SINGLE( name, type_a, type_b )                                                                                     \
	dbvh_##result one;                                                                                                 \
	const dbvh_status status = dbvh_##name##_hit( &a, &b, &one );                                                      \
	*answer_out = of_##result( &one );                                                                                 \
	return status;                                                                                                     \
	}                                                                                                                  \
	static dbvh_status batch_##name( dbvh_error *error, answer *answers, size_t count ) {                              \
		const dbvh_##type_a##_array a = array_a( &s );                                                                 \
		const dbvh_##type_b##_array b = array_b( &t );                                                                 \
		const dbvh_status status = dbvh_##name##_hit_batch( &a, &b, out.result, error );                               \
		for ( size_t i = 0; i < count; ++i )                                                                           \
			answers[i] = of_##result( &out.result[i] );                                                                \
		return status;                                                                                                 \
	}

#define SWEEP( name, type_a, type_b, array_a, array_b, one_by, many_by )                                               \
	SINGLE( sweep_##name, type_a, type_b )                                                                             \
	dbvh_shape_cast_result one;                                                                                        \
	const dbvh_status status = dbvh_##name##_cast( &a, x_by, &b one_by, &one );                                        \
	*answer_out = of_sweep( &one );                                                                                    \
	return status;                                                                                                     \
	}                                                                                                                  \
	static dbvh_status batch_sweep_##name( dbvh_error *error, answer *answers, size_t count ) {                        \
		const dbvh_##type_a##_array a = array_a( &s );                                                                 \
		const dbvh_##type_b##_array b = array_b( &t );                                                                 \
		const double *a_by[3], *b_by[3];                                                                               \
		columns3( &s_by, 0, a_by );                                                                                    \
		columns3( &t_by, 0, b_by );                                                                                    \
		(void)b_by;                                                                                                    \
		const dbvh_status status =                                                                                     \
		    dbvh_##name##_cast_batch( &a, s_moves ? a_by : NULL, &b many_by, out.sweep, error );                       \
		for ( size_t i = 0; i < count; ++i )                                                                           \
			answers[i] = of_sweep( &out.sweep[i] );                                                                    \
		return status;                                                                                                 \
	}

#define BOTH_ONE , y_by
#define BOTH_MANY , t_moves ? b_by : NULL

DISTANCE( sphere_sphere, sphere, sphere, spheres, spheres )
DISTANCE( sphere_aabb, sphere, aabb, spheres, aabbs )
DISTANCE( sphere_triangle, sphere, triangle, spheres, triangles )
DISTANCE( capsule_capsule, capsule, capsule, capsules, capsules )
HIT( ray_sphere, ray, sphere, rays, spheres, hit_interval )
HIT( segment_sphere, segment, sphere, segments, spheres, hit_interval )
HIT( ray_aabb, ray, aabb, rays, aabbs, hit_interval )
HIT( segment_aabb, segment, aabb, segments, aabbs, hit_interval )
HIT( ray_triangle, ray, triangle, rays, triangles, hit )
HIT( segment_triangle, segment, triangle, segments, triangles, hit )
SWEEP( sphere_sphere, sphere, sphere, spheres, spheres, BOTH_ONE, BOTH_MANY )
SWEEP( aabb_aabb, aabb, aabb, aabbs, aabbs, BOTH_ONE, BOTH_MANY )
SWEEP( sphere_triangle, sphere, triangle, spheres, triangles, BOTH_ONE, BOTH_MANY )
SWEEP( sphere_plane, sphere, plane, spheres, planes, , )

static const struct {
	const char *name;
	enum kind a, b;
	dbvh_status ( *single )( const double *x, const double *y, const double *x_by, const double *y_by, answer *out );
	dbvh_status ( *batch )( dbvh_error *error, answer *answers, size_t count );
} pairs[] = {
    { "sphere_sphere_distance", SPHERE, SPHERE, single_sphere_sphere, batch_sphere_sphere },
    { "sphere_aabb_distance", SPHERE, AABB, single_sphere_aabb, batch_sphere_aabb },
    { "sphere_triangle_distance", SPHERE, TRIANGLE, single_sphere_triangle, batch_sphere_triangle },
    { "capsule_capsule_distance", CAPSULE, CAPSULE, single_capsule_capsule, batch_capsule_capsule },
    { "ray_sphere_hit", RAY, SPHERE, single_ray_sphere, batch_ray_sphere },
    { "segment_sphere_hit", SEGMENT, SPHERE, single_segment_sphere, batch_segment_sphere },
    { "ray_aabb_hit", RAY, AABB, single_ray_aabb, batch_ray_aabb },
    { "segment_aabb_hit", SEGMENT, AABB, single_segment_aabb, batch_segment_aabb },
    { "ray_triangle_hit", RAY, TRIANGLE, single_ray_triangle, batch_ray_triangle },
    { "segment_triangle_hit", SEGMENT, TRIANGLE, single_segment_triangle, batch_segment_triangle },
    { "sphere_sphere_sweep", SPHERE, SPHERE, single_sweep_sphere_sphere, batch_sweep_sphere_sphere },
    { "aabb_aabb_sweep", AABB, AABB, single_sweep_aabb_aabb, batch_sweep_aabb_aabb },
    { "sphere_triangle_sweep", SPHERE, TRIANGLE, single_sweep_sphere_triangle, batch_sweep_sphere_triangle },
    { "sphere_plane_sweep", SPHERE, PLANE, single_sweep_sphere_plane, batch_sweep_sphere_plane },
};

static bool is_same( const answer *x, const answer *y ) {
	return memcmp( x, y, sizeof *x ) == 0;
}

static void fill_case( size_t p, uint64_t seed, uint64_t round, size_t i ) {
	maker m;
	maker_start( &m, seed, round * COUNT + i );
	make( &m, pairs[p].a, s.row[i] );
	make( &m, pairs[p].b, t.row[i] );
	for ( int k = 0; k < 3; ++k ) {
		// Towards the other, along an axis, anywhere.
		const double way = t.row[i][k] - s.row[i][k];
		s_by.row[i][k] = i % 3 == 0 && isfinite( way ) ? way * 1.5 : one_in( &m, 4 ) ? 0.0 : coordinate( &m );
		t_by.row[i][k] = one_in( &m, 2 ) ? 0.0 : coordinate( &m );
	}
	if ( one_in( &m, 100 ) )
		s_by.row[i][1] = NAN;
}

static void test_batches_agree( void **state ) {
	(void)state;
	const rng r = rng_announce( "primitive measures", seed_default );
	size_t isa_count;
	const dbvhi_isa *isa = dbvhi_isa_available( &isa_count );
	for ( size_t p = 0; p < sizeof pairs / sizeof pairs[0]; ++p ) {
		uint64_t some = 0, none = 0, refused = 0;
		for ( uint64_t round = 0; round < rounds( 24 ); ++round ) {
			s.width = widths[pairs[p].a];
			t.width = widths[pairs[p].b];
			s_by.width = t_by.width = 3;
			s.count = s_by.count = round % 3 == 1 ? 1 : COUNT - (size_t)( round % 9 );
			t.count = t_by.count = round % 3 == 2 ? 1 : COUNT - (size_t)( round % 9 );
			s_moves = round % 5 != 0;
			t_moves = round % 4 != 0;
			for ( size_t i = 0; i < COUNT; ++i )
				fill_case( p, r.state + p, round, i );
			transpose( &s );
			transpose( &t );
			transpose( &s_by );
			transpose( &t_by );
			const size_t count = s.count == 1 ? t.count : s.count;
			static answer expected[COUNT], answers[COUNT];
			dbvh_status first = DBVH_OK;
			int64_t element = -1;
			for ( size_t i = 0; i < count; ++i ) {
				const size_t j = s.count == 1 ? 0 : i, k = t.count == 1 ? 0 : i;
				const dbvh_status status = pairs[p].single( s.row[j], t.row[k], s_moves ? s_by.row[j] : NULL,
				                                            t_moves ? t_by.row[k] : NULL, &expected[i] );
				if ( status != DBVH_OK && first == DBVH_OK ) {
					first = status;
					element = (int64_t)i;
				}
				some += expected[i].x[0] != 0.0;
				none += status == DBVH_OK && expected[i].x[0] == 0.0;
				refused += status != DBVH_OK;
			}
			for ( size_t k = 0; k < isa_count; ++k ) {
				assert_true( dbvhi_isa_select( isa[k].name ) );
				dbvh_error error;
				assert_int_equal( pairs[p].batch( &error, answers, count ), first );
				assert_int_equal( error.status, first );
				assert_int_equal( error.element, element );
				for ( size_t i = 0; i < count; ++i ) {
					if ( !is_same( &answers[i], &expected[i] ) )
						fail_msg( "%s on %s: round %llu, pair %zu: %a %a %a %a instead of %a %a %a %a", pairs[p].name,
						          isa[k].name, (unsigned long long)round, i, answers[i].x[0], answers[i].x[1],
						          answers[i].x[2], answers[i].x[3], expected[i].x[0], expected[i].x[1],
						          expected[i].x[2], expected[i].x[3] );
				}
			}
			dbvhi_isa_select( NULL );
		}
		assert_outcomes( some > 0 && none > 0 && refused > 0 );
		printf( "%-26s %llu with an answer, %llu without, %llu refused, on %zu instruction sets\n", pairs[p].name,
		        (unsigned long long)some, (unsigned long long)none, (unsigned long long)refused, isa_count );
		fflush( stdout );
	}
}

// Most lanes must be told by the kernels, or a batch is a loop.
static void test_kernels_decide( void **state ) {
	(void)state;
	const rng start = rng_announce( "measure kernels", seed_default );
	rng r = start;
	enum { MANY = 1024 };
	static double column[24][MANY], low[MANY], high[MANY];
	static uint8_t answers[MANY], left[MANY];
	const double *a[15], *b[15], *by[3];
	for ( int k = 0; k < 9; ++k ) {
		a[k] = column[k];
		b[k] = column[9 + k];
	}
	for ( int k = 0; k < 3; ++k )
		by[k] = column[18 + k];
	const dbvhi_lanes_kernels *lanes = dbvhi_lanes_table[dbvhi_isa_level()];
	const struct {
		const char *name;
		dbvhi_measure_kernel *kernel, *sieve; // NULL for none
		int radius_a, radius_b;               // columns
		bool a_is_box, b_is_box;
	} list[] = {
	    { "sphere_sphere_distance", lanes->sphere_sphere_distance, NULL, 3, 3, false, false },
	    { "sphere_aabb_distance", lanes->sphere_aabb_distance, NULL, 3, -1, false, true },
	    { "sphere_triangle_distance", lanes->sphere_triangle_distance, NULL, 3, -1, false, false },
	    { "capsule_capsule_distance", lanes->capsule_capsule_distance, NULL, 6, 6, false, false },
	    { "ray_sphere_hit", lanes->ray_sphere_hit, lanes->ray_sphere_sieve, -1, 3, false, false },
	    { "segment_sphere_hit", lanes->segment_sphere_hit, lanes->segment_sphere_sieve, -1, 3, false, false },
	    { "ray_aabb_hit", lanes->ray_aabb_hit, lanes->ray_aabb_sieve, -1, -1, false, true },
	    { "segment_aabb_hit", lanes->segment_aabb_hit, lanes->segment_aabb_sieve, -1, -1, false, true },
	    { "ray_triangle_hit", lanes->ray_triangle_hit, lanes->ray_triangle_sieve, -1, -1, false, false },
	    { "segment_triangle_hit", lanes->segment_triangle_hit, lanes->segment_triangle_sieve, -1, -1, false, false },
	    { "sphere_sphere_sweep", lanes->sphere_sphere_sweep, lanes->sphere_sphere_sieve, 3, 3, false, false },
	    { "aabb_aabb_sweep", lanes->aabb_aabb_sweep, lanes->aabb_aabb_sieve, -1, -1, true, true },
	    { "sphere_triangle_sweep", lanes->sphere_triangle_sweep, lanes->sphere_triangle_sieve, 3, -1, false, false },
	    { "sphere_plane_sweep", lanes->sphere_plane_sweep, NULL, 3, -1, false, false },
	};
	for ( size_t p = 0; p < sizeof list / sizeof list[0]; ++p ) {
		for ( size_t i = 0; i < MANY; ++i ) {
			for ( int k = 0; k < 24; ++k )
				column[k][i] = rng_range( &r, -1.0, 1.0 );
			if ( list[p].radius_a >= 0 )
				column[list[p].radius_a][i] = fabs( column[list[p].radius_a][i] ) * 0.5;
			if ( list[p].radius_b >= 0 )
				column[9 + list[p].radius_b][i] = fabs( column[9 + list[p].radius_b][i] ) * 0.5;
			for ( int side = 0; side < 2; ++side ) {
				double( *box )[MANY] = column + 9 * side;
				if ( side == 0 ? !list[p].a_is_box : !list[p].b_is_box )
					continue;
				for ( int k = 0; k < 3; ++k )
					box[3 + k][i] = box[k][i] + fabs( box[3 + k][i] );
			}
		}
		const dbvhi_measure_run run = {
		    .a = a, .b = b, .a_by = by, .count = MANY, .state = answers, .low = low, .high = high };
		size_t unsure = 0, sieved = 0;
		if ( list[p].sieve != NULL )
			list[p].sieve( &run );
		else
			memset( answers, DBVHI_LANE_UNSURE, sizeof answers );
		memcpy( left, answers, sizeof left );
		list[p].kernel( &run );
		for ( size_t i = 0; i < MANY; ++i ) {
			sieved += left[i] == DBVHI_LANE_APART;
			unsure += left[i] != DBVHI_LANE_APART && answers[i] == DBVHI_LANE_UNSURE;
		}
		printf( "%-26s %4.1f%% of the lanes are sieved, %4.1f%% left to single calls\n", list[p].name,
		        100.0 * (double)sieved / MANY, 100.0 * (double)unsure / MANY );
		assert_true( unsure < MANY / 8 );
	}
}

static void test_arguments( void **state ) {
	(void)state;
	double distance[4] = { 9.0, 9.0, 9.0, 9.0 };
	const double x[4] = { 0.0, 1.0, 2.0, 3.0 };
	const double *const by[3] = { x, x, x }, *const torn[3] = { x, NULL, x };
	dbvh_shape_cast_result sweep[4];
	dbvh_error error;
	dbvh_sphere_array a = { { x, x, x }, x, 4 }, b = { { x, x, x }, x, 3 };
	assert_int_equal( dbvh_sphere_sphere_distance_batch( &a, &b, distance, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_sphere_sphere_distance_batch( &a, NULL, distance, &error ), DBVH_INVALID_ARGUMENT );
	b.count = 4;
	assert_int_equal( dbvh_sphere_sphere_distance_batch( &a, &b, NULL, NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_sphere_sphere_cast_batch( &a, torn, &b, NULL, sweep, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_sphere_sphere_cast_batch( &a, by, &b, torn, sweep, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_sphere_sphere_cast_batch( &a, by, &b, NULL, sweep, &error ), DBVH_OK );
	assert_true( sweep[3].intersects && sweep[3].at_start && sweep[3].at_end == ( 27.0 <= 36.0 ) );
	a.count = b.count = 0;
	assert_int_equal( dbvh_sphere_sphere_distance_batch( &a, &b, distance, &error ), DBVH_OK );
	assert_true( distance[0] == 9.0 );
}

// Cases that longer runs have found, on every instruction set.
static void test_found( void **state ) {
	(void)state;
	enum { EIGHT = 8 };
	double x[12][EIGHT], distance[EIGHT];
	// Segments that are nearly parallel, for which the determinant is rounding, and negative.
	static const double a[7] = { -1.0, -0.875, 0.125, -1.0, 0.625, 0.125, 0.0 };
	static const double b[7] = { -0x1.70cd2d4b46b8p-41,  -0x1.ce339bff0778p-6, 0x1.91d3510a0dfap-38,
	                             -0x1.c4e206433f2fep-35, 0x1.44ebc2a8744c8p-6, 0x1.b36d2cdce003p-37,
	                             0x1.a5a702bdf328ap-28 };
	for ( int k = 0; k < 6; ++k ) {
		for ( int i = 0; i < EIGHT; ++i ) {
			x[k][i] = a[k];
			x[6 + k][i] = b[k];
		}
	}
	double none[EIGHT] = { 0.0 }, thin[EIGHT];
	for ( int i = 0; i < EIGHT; ++i )
		thin[i] = b[6];
	const dbvh_capsule_array rods = { { x[0], x[1], x[2] }, { x[3], x[4], x[5] }, none, EIGHT };
	const dbvh_capsule_array beads = { { x[6], x[7], x[8] }, { x[9], x[10], x[11] }, thin, EIGHT };
	dbvh_capsule rod, bead;
	dbvh_signed_distance gap;
	memcpy( &rod, a, sizeof rod );
	memcpy( &bead, b, sizeof bead );
	assert_int_equal( dbvh_capsule_capsule_signed_distance( &rod, &bead, &gap ), DBVH_OK );
	// A box so far along a ray that it looked as if there were no axis without motion.
	const double zero[EIGHT] = { 0.0 };
	double one[EIGHT], low[EIGHT], far[EIGHT], farther[EIGHT];
	for ( int i = 0; i < EIGHT; ++i ) {
		one[i] = 1.0;
		low[i] = -1.0;
		far[i] = 0x1p1021;
		farther[i] = 0x1.4p1021;
	}
	const dbvh_ray_array ray = { { zero, zero, zero }, { one, zero, zero }, EIGHT };
	const dbvh_aabb_array box = { { far, low, low }, { farther, one, one }, EIGHT };
	static dbvh_hit_interval hit_interval[EIGHT];
	size_t isa_count;
	const dbvhi_isa *isa = dbvhi_isa_available( &isa_count );
	for ( size_t k = 0; k < isa_count; ++k ) {
		assert_true( dbvhi_isa_select( isa[k].name ) );
		assert_int_equal( dbvh_capsule_capsule_distance_batch( &rods, &beads, distance, NULL ), DBVH_OK );
		assert_int_equal( dbvh_ray_aabb_hit_batch( &ray, &box, hit_interval, NULL ), DBVH_OK );
		for ( int i = 0; i < EIGHT; ++i ) {
			assert_true( distance[i] == gap.distance );
			assert_true( hit_interval[i].intersects && hit_interval[i].enter == far[i] &&
			             hit_interval[i].exit == farther[i] );
		}
	}
	dbvhi_isa_select( NULL );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = { cmocka_unit_test( test_arguments ), cmocka_unit_test( test_kernels_decide ),
	                                    cmocka_unit_test( test_found ), cmocka_unit_test( test_batches_agree ) };
	return test_main( argc, argv, tests );
}
