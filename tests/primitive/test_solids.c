// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Boxes, capsules and triangles against boxes, and capsules against triangles: verdicts, distances, depths and points
// against oracles in exact arithmetic. A scale of 5000 is ten million cases of each (rounds.h).

#include "rounds.h"
#include "signed_distance.h"

static const uint64_t seed_default = 20261124;

// Two shapes as the oracle sees them.
typedef struct solids {
	oracle_solid a, b;
} solids;

static solids both; // numbers of the case, freed together

static int solids_compared( const cores *c, vec shift, num s ) {
	(void)c;
	return oracle_solids( &both.a, &both.b, shift, s );
}

static int point_compared( const oracle_solid *of, vec p, num s ) {
	const oracle_solid point = { .centre = p };
	return oracle_solids( &point, of, V( nowhere ), s );
}

static int from_a( const cores *c, vec p, num s ) {
	(void)c;
	return point_compared( &both.a, p, s );
}

static int from_b( const cores *c, vec p, num s ) {
	(void)c;
	return point_compared( &both.b, p, s );
}

static int solids_depth( const cores *c, num s ) {
	(void)c;
	return oracle_solids_depth( &both.a, &both.b, s );
}

// No direction is a shorter way out than the depth: directions near that of the gap, along the axes and of any kind.
static bool no_way_is_shorter( maker *m, const dbvh_signed_distance *gap, double radius ) {
	if ( gap->depth == 0.0 || isinf( gap->depth ) )
		return true;
	const num s = sub( N( before( gap->depth ) ), N( radius ) );
	for ( int i = 0; i < 3; ++i ) {
		double n[3];
		for ( int k = 0; k < 3; ++k )
			n[k] = i == 0   ? gap->normal[k] + ldexp( rng_range( &m->r, -1.0, 1.0 ), -(int)rng_below( &m->r, 40 ) )
			       : i == 1 ? (double)( (int)rng_below( &m->r, 3 ) - 1 )
			                : rng_range( &m->r, -1.0, 1.0 );
		const vec v = V( n );
		if ( sgn( dot( v, v ) ) != 0 && oracle_way_out( &both.a, &both.b, v, s ) <= 0 )
			return false;
	}
	return true;
}

static bool solid_gap_is_right( maker *m, const dbvh_signed_distance *gap, double radius, double size ) {
	const cores c = { NULL, NULL, solids_compared, from_a, from_b, solids_depth, radius, 0.0, size };
	if ( !gap_is_right( &c, gap ) )
		return false;
	const bool inside = oracle_solids( &both.a, &both.b, V( nowhere ), N( 0.0 ) ) <= 0;
	return !inside || no_way_is_shorter( m, gap, radius );
}

// Faces, edges and corners in common, or nearly.
static void put_beside( maker *m, const dbvh_obb *a, dbvh_obb *b ) {
	const int k = (int)rng_below( &m->r, 3 );
	if ( one_in( m, 2 ) )
		memcpy( b->axis, a->axis, sizeof b->axis );
	const double t[3] = { one_in( m, 2 ) ? 1.0 : 0.75, one_in( m, 4 ) ? 1.0 : 0.0, one_in( m, 4 ) ? -1.0 : 0.0 };
	double centre[3];
	for ( int i = 0; i < 3; ++i ) {
		centre[i] = a->centre[i];
		for ( int j = 0; j < 3; ++j ) {
			const int at = ( k + j ) % 3;
			centre[i] += t[j] * a->axis[at][i] * ( a->half[at] + b->half[at] );
		}
	}
	if ( isfinite( centre[0] ) && isfinite( centre[1] ) && isfinite( centre[2] ) )
		memcpy( b->centre, centre, sizeof centre );
	if ( one_in( m, 4 ) )
		b->axis[k][( k + 1 ) % 3] += ldexp( 1.0, -(int)rng_below( &m->r, 50 ) - 22 );
}

static verdict obb_obb_signed_distance( maker *m, uint64_t index ) {
	(void)index;
	dbvh_obb a = make_obb( m ), b = make_obb( m );
	if ( one_in( m, 4 ) )
		put_beside( m, &a, &b );
	dbvh_signed_distance gap;
	bool meet = false;
	verdict v = { dbvh_obb_obb_signed_distance( &a, &b, &gap ) != DBVH_OK ||
	                  dbvh_obb_obb_intersect( &a, &b, &meet ) != DBVH_OK,
	              false };
	const solids pair = { oracle_solid_of_obb( &a ), oracle_solid_of_obb( &b ) };
	both = pair;
	v.intersects = oracle_solids( &pair.a, &pair.b, V( nowhere ), N( 0.0 ) ) <= 0;
	v.wrong |= meet != v.intersects || !solid_gap_is_right( m, &gap, 0.0, fmax( obb_size( &a ), obb_size( &b ) ) );
	return v;
}

static verdict aabb_obb( maker *m, uint64_t index ) {
	const dbvh_aabb a = make_aabb( m );
	const dbvh_obb b = make_obb( m );
	dbvh_signed_distance gap;
	bool meet;
	verdict v = { dbvh_aabb_obb_intersect( &a, &b, &meet ) != DBVH_OK, false };
	const solids pair = { oracle_solid_of_aabb( &a ), oracle_solid_of_obb( &b ) };
	both = pair;
	v.intersects = oracle_solids( &pair.a, &pair.b, V( nowhere ), N( 0.0 ) ) <= 0;
	v.wrong |= meet != v.intersects;
	if ( index % 4 == 0 )
		v.wrong |= dbvh_aabb_obb_signed_distance( &a, &b, &gap ) != DBVH_OK ||
		           !solid_gap_is_right( m, &gap, 0.0, fmax( SIZE_OF( a ), obb_size( &b ) ) );
	return v;
}

static verdict capsule_obb( maker *m, uint64_t index ) {
	const dbvh_obb b = make_obb( m );
	dbvh_capsule a = make_capsule( m );
	if ( one_in( m, 8 ) ) { // along an axis of the box
		const int i = (int)rng_below( &m->r, 3 );
		for ( int k = 0; k < 3; ++k ) {
			const double x = a.from[k] + b.axis[i][k];
			a.to[k] = isfinite( x ) ? x : a.to[k];
		}
	}
	double distance = 0.0;
	bool meet;
	verdict v = { false, false };
	if ( one_in( m, 4 ) ) {
		dbvh_capsule p = a;
		p.radius = 0.0;
		v.wrong = dbvh_capsule_obb_distance( &p, &b, &distance ) != DBVH_OK;
		a.radius = touching( m, distance, a.radius );
	}
	const solids pair = { oracle_solid_of_segment( V( a.from ), V( a.to ) ), oracle_solid_of_obb( &b ) };
	both = pair;
	v.wrong |= dbvh_capsule_obb_intersect( &a, &b, &meet ) != DBVH_OK;
	v.intersects = oracle_solids( &pair.a, &pair.b, V( nowhere ), N( a.radius ) ) <= 0;
	v.wrong |= meet != v.intersects;
	if ( index % 4 == 0 ) {
		dbvh_signed_distance gap;
		v.wrong |= dbvh_capsule_obb_signed_distance( &a, &b, &gap ) != DBVH_OK ||
		           dbvh_capsule_obb_distance( &a, &b, &distance ) != DBVH_OK || distance != gap.distance ||
		           !solid_gap_is_right( m, &gap, a.radius, fmax( SIZE_OF( a ), obb_size( &b ) ) );
	}
	return v;
}

static verdict capsule_aabb_signed_distance( maker *m, uint64_t index ) {
	(void)index;
	const dbvh_aabb b = make_aabb( m );
	dbvh_capsule a = make_capsule( m );
	double distance;
	dbvh_signed_distance gap;
	dbvh_capsule p = a;
	p.radius = 0.0;
	verdict v = { dbvh_capsule_aabb_distance( &p, &b, &distance ) != DBVH_OK, false };
	a.radius = touching( m, distance, a.radius );
	const solids pair = { oracle_solid_of_segment( V( a.from ), V( a.to ) ), oracle_solid_of_aabb( &b ) };
	both = pair;
	v.wrong |= dbvh_capsule_aabb_signed_distance( &a, &b, &gap ) != DBVH_OK ||
	           !solid_gap_is_right( m, &gap, a.radius, fmax( SIZE_OF( a ), SIZE_OF( b ) ) );
	v.intersects = gap.distance == 0.0;
	return v;
}

static int capsule_triangle_compared( const cores *c, vec shift, num s ) {
	const dbvh_capsule *a = c->a;
	vec t[3];
	corners_of( c->b, t );
	return oracle_segment_triangle( vadd( V( a->from ), shift ), vadd( V( a->to ), shift ), t, s );
}

static int triangle_b( const cores *c, vec p, num s ) {
	vec t[3];
	corners_of( c->b, t );
	return oracle_point_triangle( p, t, s );
}

static int capsule_triangle_depth( const cores *c, num s ) {
	const dbvh_capsule *a = c->a;
	vec t[3];
	corners_of( c->b, t );
	return oracle_segment_triangle_depth( V( a->from ), V( a->to ), t, s );
}

static verdict capsule_triangle_signed_distance( maker *m, uint64_t index ) {
	(void)index;
	const dbvh_triangle b = make_triangle( m );
	dbvh_capsule a = make_capsule( m );
	double distance;
	dbvh_signed_distance gap;
	dbvh_capsule p = a;
	p.radius = 0.0;
	verdict v = { dbvh_capsule_triangle_distance( &p, &b, &distance ) != DBVH_OK, false };
	a.radius = touching( m, distance, a.radius );
	const cores c = { &a,       &b,  capsule_triangle_compared,         capsule_a, triangle_b, capsule_triangle_depth,
	                  a.radius, 0.0, fmax( SIZE_OF( a ), SIZE_OF( b ) ) };
	v.wrong |= dbvh_capsule_triangle_signed_distance( &a, &b, &gap ) != DBVH_OK || !gap_is_right( &c, &gap );
	v.intersects = gap.distance == 0.0;
	return v;
}

static dbvh_triangle triangle;

static int triangle_box_compared( const cores *c, vec shift, num s ) {
	(void)c;
	(void)shift;
	vec t[3];
	corners_of( &triangle, t );
	return oracle_triangle_solid( t, &both.b, s );
}

static verdict triangle_box( maker *m, uint64_t index ) {
	const dbvh_triangle a = make_triangle( m );
	const dbvh_aabb aabb = make_aabb( m );
	const dbvh_obb obb = make_obb( m );
	const bool oriented = index % 2 == 0;
	double distance;
	verdict v = { ( oriented ? dbvh_triangle_obb_distance( &a, &obb, &distance )
	                         : dbvh_triangle_aabb_distance( &a, &aabb, &distance ) ) != DBVH_OK,
	              oriented ? oracle_triangle_obb( &a, &obb ) : oracle_triangle_aabb( &a, &aabb ) };
	const solids pair = { .b = oriented ? oracle_solid_of_obb( &obb ) : oracle_solid_of_aabb( &aabb ) };
	both = pair;
	triangle = a;
	const cores c = { .compare = triangle_box_compared };
	v.wrong |= v.intersects ? distance != 0.0 : distance == 0.0 || !distance_is_right( &c, distance );
	return v;
}

static const family families[] = {
    { "obb_obb_signed_distance", obb_obb_signed_distance },
    { "aabb_obb", aabb_obb },
    { "capsule_obb", capsule_obb },
    { "capsule_aabb_signed_distance", capsule_aabb_signed_distance },
    { "capsule_tri_gap", capsule_triangle_signed_distance },
    { "triangle_box", triangle_box },
};

static void test_against_oracles( void **state ) {
	(void)state;
	run_families( families, sizeof families / sizeof families[0], "solids", seed_default, 2000 );
}

static void test_refusals( void **state ) {
	(void)state;
	const dbvh_obb box = { { 0.0 }, { { 1.0, 0.0, 0.0 }, { 0.0, 1.0, 0.0 }, { 0.0, 0.0, 1.0 } }, { 1.0, 1.0, 1.0 } };
	dbvh_obb bent = box, odd = box;
	bent.axis[0][1] = 0.5;
	odd.half[1] = NAN;
	const dbvh_aabb aabb = { { 0.0, 0.0, 0.0 }, { 1.0, 1.0, 1.0 } }, turned = { { 1.0, 0.0, 0.0 }, { 0.0, 1.0, 1.0 } };
	const dbvh_capsule capsule = { { 0.0 }, { 1.0, 0.0, 0.0 }, 1.0 }, negative = { { 0.0 }, { 1.0, 0.0, 0.0 }, -1.0 };
	const dbvh_triangle flat = { { { 0.0 } } };
	dbvh_signed_distance gap;
	bool meet;
	double distance;
	assert_int_equal( dbvh_obb_obb_signed_distance( &box, &bent, &gap ), DBVH_NOT_RIGID );
	assert_int_equal( dbvh_obb_obb_signed_distance( &odd, &box, &gap ), DBVH_NOT_FINITE );
	assert_int_equal( dbvh_obb_obb_signed_distance( &box, NULL, &gap ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_obb_obb_signed_distance( &box, &box, NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_aabb_obb_intersect( &turned, &box, &meet ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_aabb_obb_signed_distance( &aabb, &bent, &gap ), DBVH_NOT_RIGID );
	assert_int_equal( dbvh_capsule_obb_intersect( &negative, &box, &meet ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_capsule_obb_distance( &capsule, &odd, &distance ), DBVH_NOT_FINITE );
	assert_int_equal( dbvh_capsule_obb_signed_distance( &capsule, &bent, &gap ), DBVH_NOT_RIGID );
	assert_int_equal( dbvh_capsule_aabb_signed_distance( &capsule, &turned, &gap ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_capsule_triangle_signed_distance( &negative, &flat, &gap ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_triangle_obb_distance( &flat, &bent, &distance ), DBVH_NOT_RIGID );
	assert_int_equal( dbvh_triangle_aabb_distance( &flat, &aabb, NULL ), DBVH_INVALID_ARGUMENT );
	assert_true( gap.distance == 0.0 && gap.depth == 0.0 );
}

// Cases whose answers are found by hand.
static void test_plain( void **state ) {
	(void)state;
	dbvh_signed_distance gap;
	double distance;
	const dbvh_obb a = { { 0.0 }, { { 1.0, 0.0, 0.0 }, { 0.0, 1.0, 0.0 }, { 0.0, 0.0, 1.0 } }, { 1.0, 2.0, 3.0 } };
	dbvh_obb b = a;
	b.centre[0] = 1.5;
	assert_int_equal( dbvh_obb_obb_signed_distance( &a, &b, &gap ), DBVH_OK );
	assert_true( gap.depth == 0.5 && gap.normal[0] == 1.0 && gap.distance == 0.0 );
	b.centre[0] = 5.0;
	b.centre[1] = 8.0;
	assert_int_equal( dbvh_obb_obb_signed_distance( &a, &b, &gap ), DBVH_OK );
	assert_true( gap.distance == 5.0 && gap.depth == 0.0 && gap.point_a[0] == 1.0 && gap.point_b[1] == 6.0 );
	const dbvh_capsule through = { { -5.0, 0.0, 0.0 }, { 5.0, 0.0, 0.0 }, 0.25 };
	assert_int_equal( dbvh_capsule_obb_signed_distance( &through, &a, &gap ), DBVH_OK );
	assert_true( gap.depth == 2.25 && fabs( gap.normal[1] ) == 1.0 );
	const dbvh_triangle t = { { { 0.0, -8.0, -8.0 }, { 0.0, 16.0, -8.0 }, { 0.0, -8.0, 16.0 } } };
	const dbvh_capsule into = { { -1.0, 0.0, 0.0 }, { 5.0, 0.0, 0.0 }, 0.5 };
	assert_int_equal( dbvh_capsule_triangle_signed_distance( &into, &t, &gap ), DBVH_OK );
	assert_true( gap.depth == 1.5 && gap.normal[0] == -1.0 && gap.point_a[0] == -1.5 && gap.point_b[0] == 0.0 );
	b.centre[1] = 0.0;
	assert_int_equal( dbvh_triangle_obb_distance( &t, &b, &distance ), DBVH_OK );
	assert_true( distance == 4.0 );
}

// Cases that long runs have found.
static void test_found( void **state ) {
	(void)state;
	dbvh_signed_distance gap;
	// Two edges of the triangle are as near to the axis that passes through it.
	const dbvh_capsule a = { { 0.0, 0.0, -1.0 }, { 1.0, -1.0, -1.0 }, 1.0 };
	const dbvh_triangle b = { { { 2.0, 1.0, -1.0 }, { -1.0, -2.0, 1.0 }, { 0.0, -1.0, -2.0 } } };
	const cores c = { &a,  &b, capsule_triangle_compared, capsule_a, triangle_b, capsule_triangle_depth, a.radius,
	                  0.0, 2.0 };
	assert_int_equal( dbvh_capsule_triangle_signed_distance( &a, &b, &gap ), DBVH_OK );
	assert_true( gap_is_right( &c, &gap ) );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = { cmocka_unit_test( test_plain ), cmocka_unit_test( test_refusals ),
	                                    cmocka_unit_test( test_found ), cmocka_unit_test( test_against_oracles ) };
	return test_main( argc, argv, tests );
}
