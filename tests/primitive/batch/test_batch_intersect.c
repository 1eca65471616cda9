// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Batches say what single calls say, on every instruction set of the machine: pairs, and one against many.

#include "simd/isa.h"
#include "tables.h"

static const uint64_t seed_default = 20261123;

#define MEET( name, kind_a, kind_b, type_a, type_b, array_a, array_b )                                                 \
	static dbvh_status single_##name( const double *x, const double *y, int *out ) {                                   \
		dbvh_##type_a a;                                                                                               \
		dbvh_##type_b b;                                                                                               \
		bool meet;                                                                                                     \
		memcpy( &a, x, sizeof a );                                                                                     \
		memcpy( &b, y, sizeof b );                                                                                     \
		const dbvh_status status = dbvh_##name##_intersect( &a, &b, &meet );                                           \
		*out = meet ? 1 : 0;                                                                                           \
		return status;                                                                                                 \
	}                                                                                                                  \
	static dbvh_status batch_##name( const table *s, const table *t, int8_t *out, dbvh_error *error ) {                \
		const dbvh_##type_a##_array a = array_a( s );                                                                  \
		const dbvh_##type_b##_array b = array_b( t );                                                                  \
		return dbvh_##name##_intersect_batch( &a, &b, (uint8_t *)out, error );                                         \
	}

#define SIDE( name, type_a, array_a )                                                                                  \
	static dbvh_status single_##name( const double *x, const double *y, int *out ) {                                   \
		dbvh_##type_a a;                                                                                               \
		dbvh_plane b;                                                                                                  \
		dbvh_plane_distance level;                                                                                     \
		memcpy( &a, x, sizeof a );                                                                                     \
		memcpy( &b, y, sizeof b );                                                                                     \
		const dbvh_status status = dbvh_##name##_distance( &a, &b, &level );                                           \
		*out = level.side;                                                                                             \
		return status;                                                                                                 \
	}                                                                                                                  \
	static dbvh_status batch_##name( const table *s, const table *t, int8_t *out, dbvh_error *error ) {                \
		const dbvh_##type_a##_array a = array_a( s );                                                                  \
		const dbvh_plane_array b = planes( t );                                                                        \
		return dbvh_##name##_side_batch( &a, &b, out, error );                                                         \
	}

MEET( sphere_sphere, SPHERE, SPHERE, sphere, sphere, spheres, spheres )
MEET( sphere_aabb, SPHERE, AABB, sphere, aabb, spheres, aabbs )
MEET( aabb_aabb, AABB, AABB, aabb, aabb, aabbs, aabbs )
MEET( obb_obb, OBB, OBB, obb, obb, obbs, obbs )
MEET( sphere_triangle, SPHERE, TRIANGLE, sphere, triangle, spheres, triangles )
MEET( capsule_capsule, CAPSULE, CAPSULE, capsule, capsule, capsules, capsules )
MEET( segment_sphere, SEGMENT, SPHERE, segment, sphere, segments, spheres )
MEET( segment_aabb, SEGMENT, AABB, segment, aabb, segments, aabbs )
MEET( capsule_obb, CAPSULE, OBB, capsule, obb, capsules, obbs )
SIDE( sphere_plane, sphere, spheres )
SIDE( aabb_plane, aabb, aabbs )

static const struct {
	const char *name;
	enum kind a, b;
	dbvh_status ( *single )( const double *x, const double *y, int *out );
	dbvh_status ( *batch )( const table *a, const table *b, int8_t *out, dbvh_error *error );
} pairs[] = {
    { "sphere_sphere", SPHERE, SPHERE, single_sphere_sphere, batch_sphere_sphere },
    { "sphere_aabb", SPHERE, AABB, single_sphere_aabb, batch_sphere_aabb },
    { "aabb_aabb", AABB, AABB, single_aabb_aabb, batch_aabb_aabb },
    { "obb_obb", OBB, OBB, single_obb_obb, batch_obb_obb },
    { "sphere_triangle", SPHERE, TRIANGLE, single_sphere_triangle, batch_sphere_triangle },
    { "capsule_capsule", CAPSULE, CAPSULE, single_capsule_capsule, batch_capsule_capsule },
    { "segment_sphere", SEGMENT, SPHERE, single_segment_sphere, batch_segment_sphere },
    { "segment_aabb", SEGMENT, AABB, single_segment_aabb, batch_segment_aabb },
    { "capsule_obb", CAPSULE, OBB, single_capsule_obb, batch_capsule_obb },
    { "sphere_plane", SPHERE, PLANE, single_sphere_plane, batch_sphere_plane },
    { "aabb_plane", AABB, PLANE, single_aabb_plane, batch_aabb_plane },
};

static table s, t;

static void test_batches_agree( void **state ) {
	(void)state;
	const rng r = rng_announce( "primitive batches", seed_default );
	size_t isa_count;
	const dbvhi_isa *isa = dbvhi_isa_available( &isa_count );
	for ( size_t p = 0; p < sizeof pairs / sizeof pairs[0]; ++p ) {
		uint64_t yes = 0, no = 0, refused = 0;
		for ( uint64_t round = 0; round < rounds( 24 ); ++round ) {
			s.width = widths[pairs[p].a];
			t.width = widths[pairs[p].b];
			s.count = round % 3 == 1 ? 1 : COUNT - (size_t)( round % 9 );
			t.count = round % 3 == 2 ? 1 : COUNT - (size_t)( round % 9 );
			for ( size_t i = 0; i < COUNT; ++i ) {
				maker m;
				maker_start( &m, r.state + p, round * COUNT + i );
				make( &m, pairs[p].a, s.row[i] );
				make( &m, pairs[p].b, t.row[i] );
			}
			transpose( &s );
			transpose( &t );
			const size_t count = s.count == 1 ? t.count : s.count;
			int expected[COUNT];
			dbvh_status first = DBVH_OK;
			int64_t element = -1;
			for ( size_t i = 0; i < count; ++i ) {
				const dbvh_status status =
				    pairs[p].single( s.row[s.count == 1 ? 0 : i], t.row[t.count == 1 ? 0 : i], &expected[i] );
				if ( status != DBVH_OK && first == DBVH_OK ) {
					first = status;
					element = (int64_t)i;
				}
				yes += expected[i] != 0;
				no += status == DBVH_OK && expected[i] == 0;
				refused += status != DBVH_OK;
			}
			for ( size_t k = 0; k < isa_count; ++k ) {
				assert_true( dbvhi_isa_select( isa[k].name ) );
				int8_t out[COUNT];
				dbvh_error error;
				assert_int_equal( pairs[p].batch( &s, &t, out, &error ), first );
				assert_int_equal( error.status, first );
				assert_int_equal( error.element, element );
				for ( size_t i = 0; i < count; ++i ) {
					if ( out[i] != expected[i] )
						fail_msg( "%s on %s: round %llu, pair %zu: %d instead of %d", pairs[p].name, isa[k].name,
						          (unsigned long long)round, i, out[i], expected[i] );
				}
			}
			dbvhi_isa_select( NULL );
		}
		assert_outcomes( yes > 0 && no > 0 && refused > 0 );
		printf( "%-16s %llu yes, %llu no, %llu refused, on %zu instruction sets\n", pairs[p].name,
		        (unsigned long long)yes, (unsigned long long)no, (unsigned long long)refused, isa_count );
	}
}

static void test_arguments( void **state ) {
	(void)state;
	uint8_t out[4] = { 9, 9, 9, 9 };
	const double x[4] = { 0.0, 1.0, 2.0, 3.0 };
	dbvh_error error;
	dbvh_sphere_array a = { { x, x, x }, x, 4 }, b = { { x, x, x }, x, 3 };
	assert_int_equal( dbvh_sphere_sphere_intersect_batch( &a, &b, out, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_sphere_sphere_intersect_batch( NULL, &b, out, &error ), DBVH_INVALID_ARGUMENT );
	b.count = 4;
	assert_int_equal( dbvh_sphere_sphere_intersect_batch( &a, &b, NULL, &error ), DBVH_INVALID_ARGUMENT );
	b.radius = NULL;
	assert_int_equal( dbvh_sphere_sphere_intersect_batch( &a, &b, out, NULL ), DBVH_INVALID_ARGUMENT );
	a.count = b.count = 0;
	assert_int_equal( dbvh_sphere_sphere_intersect_batch( &a, &b, out, &error ), DBVH_OK );
	assert_int_equal( out[0], 9 );
	b.radius = x;
	a.count = b.count = 1;
	assert_int_equal( dbvh_sphere_sphere_intersect_batch( &a, &b, out, &error ), DBVH_OK );
	assert_int_equal( out[0], 1 );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = { cmocka_unit_test( test_batches_agree ), cmocka_unit_test( test_arguments ) };
	return test_main( argc, argv, tests );
}
