// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Extents of overlaps, and translations that separate.

#include "dualbvh/relation.h"
#include "support/data.h"
#include "support/oracle.h"
#include "support/scene.h"
#include "support/unit.h"

#include <string.h>

static double dot( const double a[3], const double b[3] ) {
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void apply( const dbvh_pose *pose, const double x[3], double out[3] ) {
	double y[3];
	for ( int k = 0; k < 3; ++k )
		y[k] = dot( pose->rot[k], x ) + pose->pos[k];
	memcpy( out, y, sizeof y );
}

// ------------------------------------------------------------------------------------------------
// Convex bodies: their common part is cut out plane by plane

// Its extent along d by linear programming the slow way: corners are where three planes of faces meet.
typedef struct half_spaces {
	size_t count;
	double n[64][3], h[64];
} half_spaces;

static void add_faces( half_spaces *out, const shape *s, const dbvh_pose *pose ) {
	for ( size_t i = 0; i < s->triangle_count; ++i ) {
		double p[3][3], n[3], size = 0.0;
		for ( int c = 0; c < 3; ++c )
			apply( pose, s->positions + 3 * (size_t)s->indices[3 * i + (size_t)c], p[c] );
		for ( int k = 0; k < 3; ++k ) {
			const int x = ( k + 1 ) % 3, y = ( k + 2 ) % 3;
			n[k] = ( p[1][x] - p[0][x] ) * ( p[2][y] - p[0][y] ) - ( p[1][y] - p[0][y] ) * ( p[2][x] - p[0][x] );
			size += n[k] * n[k];
		}
		bool known = false;
		for ( int k = 0; k < 3; ++k )
			n[k] /= sqrt( size );
		for ( size_t j = 0; j < out->count; ++j )
			known = known || dot( out->n[j], n ) > 1.0 - 1e-12;
		if ( known )
			continue;
		memcpy( out->n[out->count], n, sizeof n );
		out->h[out->count++] = dot( n, p[0] );
	}
}

static bool extent_of( const half_spaces *s, const double d[3], double *low, double *high ) {
	bool any = false;
	for ( size_t i = 0; i < s->count; ++i ) {
		for ( size_t j = i + 1; j < s->count; ++j ) {
			for ( size_t k = j + 1; k < s->count; ++k ) {
				const double *a = s->n[i], *b = s->n[j], *c = s->n[k];
				double bc[3], ca[3], ab[3], x[3];
				for ( int l = 0; l < 3; ++l ) {
					const int y = ( l + 1 ) % 3, z = ( l + 2 ) % 3;
					bc[l] = b[y] * c[z] - b[z] * c[y];
					ca[l] = c[y] * a[z] - c[z] * a[y];
					ab[l] = a[y] * b[z] - a[z] * b[y];
				}
				const double det = dot( a, bc );
				if ( fabs( det ) < 1e-9 )
					continue;
				for ( int l = 0; l < 3; ++l )
					x[l] = ( s->h[i] * bc[l] + s->h[j] * ca[l] + s->h[k] * ab[l] ) / det;
				bool in = true;
				for ( size_t l = 0; l < s->count && in; ++l )
					in = dot( s->n[l], x ) <= s->h[l] + 1e-9;
				if ( !in )
					continue;
				const double at = dot( d, x );
				*low = any ? fmin( *low, at ) : at;
				*high = any ? fmax( *high, at ) : at;
				any = true;
			}
		}
	}
	return any;
}

static void add_tetrahedron( shape *s, rng *r ) {
	double p[4][3], u[3][3], det;
	do {
		for ( int k = 0; k < 12; ++k )
			p[k / 3][k % 3] = rng_range( r, -1.0, 1.0 );
		for ( int k = 0; k < 9; ++k )
			u[k / 3][k % 3] = p[1 + k / 3][k % 3] - p[0][k % 3];
		det = u[0][0] * ( u[1][1] * u[2][2] - u[1][2] * u[2][1] ) -
		      u[0][1] * ( u[1][0] * u[2][2] - u[1][2] * u[2][0] ) + u[0][2] * ( u[1][0] * u[2][1] - u[1][1] * u[2][0] );
	} while ( fabs( det ) < 0.1 );
	for ( int k = 0; k < 4; ++k )
		shape_vertex( s, p[k][0], p[k][1], p[k][2] );
	const uint32_t x = det > 0.0 ? 2 : 1, y = 3 - x;
	shape_triangle( s, 0, x, y );
	shape_triangle( s, 0, y, 3 );
	shape_triangle( s, y, x, 3 );
	shape_triangle( s, x, 0, 3 );
}

static void test_convex( void **state ) {
	(void)state;
	rng r = rng_announce( "convex", 31 );
	dbvh_contacts *contacts = new_contacts();
	size_t overlapping = 0, apart = 0, inside = 0;
	double worst = 0.0;
	for ( size_t i = 0; i < rounds( 400 ); ++i ) {
		shape two[2] = { { 0 }, { 0 } };
		dbvh_tree *tree[2];
		dbvh_pose pose[2];
		half_spaces common = { 0 };
		for ( int side = 0; side < 2; ++side ) {
			if ( rng_below( &r, 2 ) == 0 )
				add_tetrahedron( &two[side], &r );
			else
				shape_add_box( &two[side], rng_range( &r, 0.1, 1 ), rng_range( &r, 0.1, 1 ), rng_range( &r, 0.1, 1 ),
				               1 + (uint32_t)rng_below( &r, 3 ) );
			// Every fourth mesh is small enough to be inside the other.
			const bool small = i % 4 == (size_t)side;
			if ( small )
				scale_and_move( &two[side], 0, 0.1, 0.0, 0.0, 0.0 );
			tree[side] = tree_with_topology( &two[side] );
			pose[side] = random_pose( &r, small ? 0.3 : 0.7 );
		}
		const bool of_a = i % 3 != 0, of_b = i % 3 != 1;
		const dbvh_pose identity = dbvh_pose_identity();
		const dbvh_pose b_in_a = dbvh_pose_relative( of_a ? &pose[0] : &identity, of_b ? &pose[1] : &identity );
		add_faces( &common, &two[0], &identity );
		add_faces( &common, &two[1], &b_in_a );
		double d[4][3];
		for ( int k = 0; k < 4; ++k )
			random_direction( &r, d[k] );
		dbvh_extent e[4];
		bool any;
		assert_int_equal( dbvh_overlap_extents( tree[0], of_a ? &pose[0] : NULL, tree[1], of_b ? &pose[1] : NULL, d[0],
		                                        4, NULL, contacts, e, &any, NULL ),
		                  DBVH_OK );
		inside += any && dbvh_contacts_get( contacts ).contact_count == 0;
		for ( int k = 0; k < 4; ++k ) {
			double low = 0.0, high = 0.0;
			const bool truth = extent_of( &common, d[k], &low, &high );
			assert_true( truth == any );
			worst = fmax( worst, fmax( fabs( low - e[k].min ), fabs( high - e[k].max ) ) );
		}
		overlapping += any;
		apart += !any;
		for ( int side = 0; side < 2; ++side ) {
			dbvh_tree_destroy( tree[side] );
			shape_free( &two[side] );
		}
	}
	printf( "convex: %zu overlapping (%zu one inside the other), %zu apart, off by %.1e at worst\n", overlapping,
	        inside, apart, worst );
	assert_outcomes( overlapping > 0 && apart > 0 && inside > 0 );
	assert_true( worst < 1e-8 );
	dbvh_contacts_destroy( contacts );
}

// ------------------------------------------------------------------------------------------------
// Bodies that are not convex: points of both, drawn at random, are in the interval and come near its ends

static void test_sampled( void **state ) {
	(void)state;
	rng r = rng_announce( "sampled", 32 );
	dbvh_contacts *contacts = new_contacts();
	size_t hits = 0, scenes = 0;
	double closest = 1.0;
	for ( size_t i = 0; i < rounds( 12 ); ++i ) {
		shape a = { 0 }, b = { 0 };
		shape_add_torus( &a, 1.0, 0.4, 20, 12 );
		if ( i % 2 == 0 )
			shape_add_torus( &b, 1.0, 0.3, 16, 10 );
		else
			shape_add_sphere( &b, 1.1, 16, 12 );
		const dbvh_pose pose = random_pose( &r, 0.6 );
		dbvh_tree *tree_a = tree_with_topology( &a ), *tree_b = tree_with_topology( &b );
		double d[3];
		random_direction( &r, d );
		dbvh_extent e;
		bool any;
		assert_int_equal( dbvh_overlap_extents( tree_a, NULL, tree_b, &pose, d, 1, NULL, contacts, &e, &any, NULL ),
		                  DBVH_OK );
		double low = INFINITY, high = -INFINITY;
		for ( int k = 0; k < 20000; ++k ) {
			const double x[3] = { rng_range( &r, -1.4, 1.4 ), rng_range( &r, -1.4, 1.4 ), rng_range( &r, -0.4, 0.4 ) };
			dbvh_location in_a, in_b = DBVH_LOCATION_OUTSIDE;
			assert_int_equal( dbvh_locate_point( tree_a, NULL, x, &in_a, NULL ), DBVH_OK );
			if ( in_a == DBVH_LOCATION_INSIDE )
				assert_int_equal( dbvh_locate_point( tree_b, &pose, x, &in_b, NULL ), DBVH_OK );
			if ( in_b != DBVH_LOCATION_INSIDE )
				continue;
			hits += 1;
			low = fmin( low, dot( d, x ) );
			high = fmax( high, dot( d, x ) );
			assert_true( any && e.min <= dot( d, x ) && dot( d, x ) <= e.max );
		}
		if ( any && high > low ) {
			scenes += 1;
			closest = fmin( closest, ( high - low ) / ( e.max - e.min ) );
		}
		dbvh_tree_destroy( tree_a );
		dbvh_tree_destroy( tree_b );
		shape_free( &a );
		shape_free( &b );
	}
	printf( "sampled: %zu points of both in %zu scenes, which reach over at least %.2f of the extent\n", hits, scenes,
	        closest );
	assert_true( hits > 100 && scenes > 0 && closest > 0.5 );
	dbvh_contacts_destroy( contacts );
}

// ------------------------------------------------------------------------------------------------
// Separation

// The separation is checked with the oracle, and with means that did not find it.
static void check_separation( const shape *a, const dbvh_pose *pose_a, const dbvh_tree *tree_a, const shape *b,
                              const dbvh_pose *pose_b, const dbvh_tree *tree_b, const dbvh_separation *s ) {
	const dbvh_mesh_view view_a = shape_view( a ), view_b = shape_view( b );
	assert_int_equal( truth_of( &view_a, pose_a, &view_b, &s->pose_b, NULL ), 0 );
	// No vertex of one in the other. One is enough for bodies in one piece.
	dbvh_location at;
	double x[3];
	const dbvh_pose identity = dbvh_pose_identity();
	apply( &s->pose_b, b->positions, x );
	assert_int_equal( dbvh_locate_point( tree_a, pose_a, x, &at, NULL ), DBVH_OK );
	assert_int_equal( at, DBVH_LOCATION_OUTSIDE );
	apply( pose_a != NULL ? pose_a : &identity, a->positions, x );
	assert_int_equal( dbvh_locate_point( tree_b, &s->pose_b, x, &at, NULL ), DBVH_OK );
	assert_int_equal( at, DBVH_LOCATION_OUTSIDE );
	// Only moved, by what is said.
	const dbvh_pose *was = pose_b != NULL ? pose_b : &identity;
	assert_memory_equal( s->pose_b.rot, was->rot, sizeof was->rot );
	for ( int k = 0; k < 3; ++k ) {
		const double turned = dot( ( pose_a != NULL ? pose_a : &identity )->rot[k], s->translation );
		assert_true( fabs( was->pos[k] + turned - s->pose_b.pos[k] ) < 1e-12 );
	}
	assert_true( fabs( sqrt( dot( s->translation, s->translation ) ) - s->length ) < 1e-14 );
}

static void test_separate_boxes( void **state ) {
	(void)state;
	static const struct {
		double at[3], half, least; // B's place and half its size, and the shortest translation
	} cases[] = {
	    { { 1.5, 0, 0 }, 1, 0.5 },       { { 1.5, 1.75, 0 }, 1, 0.25 }, { { 0, 0, 0 }, 1, 2.0 },
	    { { 2, 0, 0 }, 1, 0.0 },         { { 0, 0.25, 0 }, 0.5, 1.25 }, { { 2, 2, 2 }, 1, 0.0 },
	    { { -1, -1, 1.875 }, 1, 0.125 },
	};
	dbvh_contacts *contacts = new_contacts();
	shape a = { 0 };
	shape_add_box( &a, 1, 1, 1, 2 );
	dbvh_tree *tree_a = tree_with_topology( &a );
	for ( size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i ) {
		shape b = { 0 };
		shape_add_box( &b, cases[i].half, cases[i].half, cases[i].half, 1 );
		dbvh_tree *tree_b = tree_with_topology( &b );
		dbvh_pose pose = dbvh_pose_identity();
		memcpy( pose.pos, cases[i].at, sizeof pose.pos );
		dbvh_separation s;
		assert_int_equal( dbvh_separating_translation( tree_a, NULL, tree_b, &pose, NULL, contacts, &s, NULL ),
		                  DBVH_OK );
		printf( "boxes: %.17g, shortest %g\n", s.length, cases[i].least );
		assert_false( s.disjoint );
		assert_true( s.length > cases[i].least && s.length < cases[i].least + 1e-5 );
		check_separation( &a, NULL, tree_a, &b, &pose, tree_b, &s );
		dbvh_tree_destroy( tree_b );
		shape_free( &b );
	}
	dbvh_pose pose = dbvh_pose_identity();
	pose.pos[0] = 2.5;
	dbvh_separation s;
	assert_int_equal( dbvh_separating_translation( tree_a, NULL, tree_a, &pose, NULL, contacts, &s, NULL ), DBVH_OK );
	assert_true( s.disjoint && s.length == 0.0 );
	assert_memory_equal( &s.pose_b, &pose, sizeof pose );
	dbvh_tree_destroy( tree_a );
	shape_free( &a );
	dbvh_contacts_destroy( contacts );
}

static void test_separate_random( void **state ) {
	(void)state;
	rng r = rng_announce( "separate", 33 );
	dbvh_contacts *contacts = new_contacts();
	size_t apart = 0, separated = 0;
	double worst = 0.0;
	for ( size_t i = 0; i < 4 || i < rounds( 40 ); ++i ) { // fewer may all meet
		shape a = { 0 }, b = { 0 };
		const bool spheres = i % 2 == 0;
		if ( spheres ) {
			shape_add_sphere( &a, 1.0, 24, 16 );
			shape_add_sphere( &b, 0.7, 20, 12 );
		} else {
			shape_add_torus( &a, 1.0, 0.3, 20, 10 );
			shape_add_torus( &b, 1.0, 0.25, 18, 9 );
		}
		dbvh_tree *tree_a = tree_with_topology( &a ), *tree_b = tree_with_topology( &b );
		const dbvh_pose pose_a = random_pose( &r, 0.7 ), pose_b = random_pose( &r, 0.7 );
		const dbvh_pose *pa = i % 3 == 0 ? NULL : &pose_a, *pb = i % 3 == 1 ? NULL : &pose_b;
		dbvh_separation s;
		assert_int_equal( dbvh_separating_translation( tree_a, pa, tree_b, pb, NULL, contacts, &s, NULL ), DBVH_OK );
		apart += s.disjoint;
		if ( !s.disjoint ) {
			separated += 1;
			assert_true( s.length > 0.0 );
			check_separation( &a, pa, tree_a, &b, pb, tree_b, &s );
			if ( spheres ) {
				// The depth of the round spheres, which enclose the meshes.
				double gap = 0.0;
				for ( int k = 0; k < 3; ++k ) {
					const double x = ( pa != NULL ? pa->pos[k] : 0.0 ) - ( pb != NULL ? pb->pos[k] : 0.0 );
					gap += x * x;
				}
				worst = fmax( worst, s.length - ( 1.7 - sqrt( gap ) ) );
			}
		}
		dbvh_tree_destroy( tree_a );
		dbvh_tree_destroy( tree_b );
		shape_free( &a );
		shape_free( &b );
	}
	printf( "separate: %zu separated, %zu were apart, at most %.4f more than round spheres need\n", separated, apart,
	        worst );
	assert_true( worst < 0.01 );
	assert_outcomes( separated > 0 && apart > 0 );
	dbvh_contacts_destroy( contacts );
}

// ------------------------------------------------------------------------------------------------

// Both posed: what is returned is a pose of B in the common frame. And where no double is long enough, that is said.
static void test_separate_posed( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_box( &s, 1, 1, 1, 1 );
	static const dbvh_tree_options options = { .topology = true };
	dbvh_tree *tree = tree_of( &s, &options );
	dbvh_contacts *contacts = NULL;
	assert_int_equal( dbvh_contacts_create( NULL, &contacts, NULL ), DBVH_OK );
	static const double axis[3] = { 0, 0, 1 }, at[3] = { 5, 6, 7 }, near[3] = { 5.25, 6.125, 7 };
	const dbvh_pose pose_a = shape_pose( axis, 90.0, at ), pose_b = shape_pose( axis, 30.0, near );
	dbvh_separation r;
	assert_int_equal( dbvh_separating_translation( tree, &pose_a, tree, &pose_b, NULL, contacts, &r, NULL ), DBVH_OK );
	assert_true( !r.disjoint && r.length > 0.25 && r.length < 4.0 );
	dbvh_relate_result relation;
	assert_int_equal( dbvh_relate( tree, &pose_a, tree, &r.pose_b, NULL, NULL, &relation, NULL ), DBVH_OK );
	assert_true( relation.relation == DBVH_RELATION_DISJOINT || relation.relation == DBVH_RELATION_TOUCHING );
	dbvh_tree_destroy( tree );
	shape_free( &s );

	shape large = { 0 };
	shape_add_box( &large, 0x1.8p1023, 0x1.8p1023, 0x1.8p1023, 1 );
	tree = tree_of( &large, &options );
	dbvh_error error;
	const dbvh_status status = dbvh_separating_translation( tree, NULL, tree, NULL, NULL, contacts, &r, &error );
	assert_int_equal( status, DBVH_LIMIT );
	assert_string_equal( error.text, "no translation within the range of doubles separates the meshes" );
	dbvh_tree_destroy( tree );
	shape_free( &large );
	dbvh_contacts_destroy( contacts );
}

static void test_refusals( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_box( &s, 1, 1, 1, 1 );
	dbvh_tree *with = tree_with_topology( &s ), *without = tree_of( &s, NULL );
	dbvh_contacts *contacts = new_contacts();
	double d[1][3] = { { 1, 0, 0 } };
	const double *way = d[0];
	dbvh_extent e = { 1, 1 };
	bool any = true;
	assert_int_equal( dbvh_overlap_extents( with, NULL, without, NULL, way, 1, NULL, contacts, &e, &any, NULL ),
	                  DBVH_NO_TOPOLOGY );
	assert_true( e.min == 0.0 && e.max == 0.0 && !any );
	assert_int_equal( dbvh_overlap_extents( with, NULL, with, NULL, NULL, 1, NULL, contacts, &e, &any, NULL ),
	                  DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_overlap_extents( with, NULL, with, NULL, way, 1, NULL, contacts, NULL, &any, NULL ),
	                  DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_overlap_extents( with, NULL, with, NULL, way, 1, NULL, NULL, &e, &any, NULL ),
	                  DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_overlap_extents( with, NULL, with, NULL, NULL, 0, NULL, contacts, NULL, NULL, NULL ),
	                  DBVH_OK );
	d[0][1] = INFINITY;
	assert_int_equal( dbvh_overlap_extents( with, NULL, with, NULL, way, 1, NULL, contacts, &e, &any, NULL ),
	                  DBVH_NOT_FINITE );
	dbvh_separation out;
	assert_int_equal( dbvh_separating_translation( with, NULL, without, NULL, NULL, contacts, &out, NULL ),
	                  DBVH_NO_TOPOLOGY );
	assert_int_equal( dbvh_separating_translation( with, NULL, with, NULL, NULL, contacts, NULL, NULL ),
	                  DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_separating_translation( with, NULL, with, NULL, NULL, NULL, &out, NULL ),
	                  DBVH_INVALID_ARGUMENT );
	dbvh_pose pose = dbvh_pose_identity();
	pose.pos[2] = NAN;
	assert_int_equal( dbvh_separating_translation( with, NULL, with, &pose, NULL, contacts, &out, NULL ),
	                  DBVH_NOT_FINITE );
	dbvh_contacts_destroy( contacts );
	dbvh_tree_destroy( with );
	dbvh_tree_destroy( without );
	shape_free( &s );
}

static void test_memory( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_box( &s, 1, 1, 1, 3 );
	dbvh_tree *tree = tree_with_topology( &s );
	dbvh_pose pose = dbvh_pose_identity();
	pose.pos[0] = 1.1;
	const double d[1][3] = { { 1, 0, 0 } };
	size_t failures = 0;
	for ( size_t fail_at = 1;; ++fail_at ) {
		ledger books = { .fail_at = fail_at };
		const dbvh_allocator allocator = ledger_allocator( &books );
		dbvh_contacts *contacts = NULL;
		dbvh_status status = dbvh_contacts_create( &allocator, &contacts, NULL );
		dbvh_extent e;
		dbvh_separation out;
		if ( status == DBVH_OK )
			status =
			    dbvh_overlap_extents( tree, NULL, tree, &pose, (const double *)d, 1, NULL, contacts, &e, NULL, NULL );
		if ( status == DBVH_OK ) {
			assert_true( fabs( e.max - e.min - 0.9 ) < 1e-12 );
			status = dbvh_separating_translation( tree, NULL, tree, &pose, NULL, contacts, &out, NULL );
		}
		dbvh_contacts_destroy( contacts );
		assert_int_equal( books.live, 0 );
		assert_int_equal( books.mistakes, 0 );
		if ( status == DBVH_OK )
			break;
		assert_int_equal( status, DBVH_OUT_OF_MEMORY );
		failures += 1;
	}
	printf( "%zu allocations failed one by one\n", failures );
	assert_true( failures > 20 );
	dbvh_tree_destroy( tree );
	shape_free( &s );
}

static void test_real( void **state ) {
	(void)state;
	dbvh_mesh *mesh = data_mesh( "classics/spot.obj" );
	if ( mesh == NULL ) {
		printf( "no real meshes here\n" );
		return;
	}
	const dbvh_mesh_view view = dbvh_mesh_get_view( mesh );
	dbvh_tree_options options = dbvh_tree_options_default();
	options.topology = true;
	dbvh_tree *tree = NULL;
	assert_int_equal( dbvh_tree_build( &view, &options, NULL, &tree, NULL ), DBVH_OK );
	dbvh_contacts *contacts = new_contacts();
	dbvh_pose pose = dbvh_pose_identity();
	pose.pos[0] = 0.3;
	dbvh_separation s;
	assert_int_equal( dbvh_separating_translation( tree, NULL, tree, &pose, NULL, contacts, &s, NULL ), DBVH_OK );
	dbvh_relate_result result;
	assert_int_equal( dbvh_relate( tree, NULL, tree, &s.pose_b, NULL, NULL, &result, NULL ), DBVH_OK );
	assert_int_equal( result.relation, DBVH_RELATION_DISJOINT );
	printf( "spot beside itself: apart after %.4f\n", s.length );
	dbvh_contacts_destroy( contacts );
	dbvh_tree_destroy( tree );
	dbvh_mesh_destroy( mesh );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( test_convex ),         cmocka_unit_test( test_sampled ),
	    cmocka_unit_test( test_separate_boxes ), cmocka_unit_test( test_separate_random ),
	    cmocka_unit_test( test_separate_posed ), cmocka_unit_test( test_refusals ),
	    cmocka_unit_test( test_memory ),         cmocka_unit_test( test_real ),
	};
	return test_main( argc, argv, tests );
}
