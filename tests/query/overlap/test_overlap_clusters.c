// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Overlaps of fine meshes, whose clusters are added as a whole: against the same sums triangle by triangle in pairs of
// doubles, which a tiny width asks for, and against the mesh of the overlap, which must be closed and have the volume.

#include "dualbvh/overlap.h"
#include "support/rounds.h"
#include "support/scene.h"
#include "support/solids.h"
#include "support/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static dbvh_overlap *overlap;

static int set_up( void **state ) {
	(void)state;
	return dbvh_overlap_create( NULL, &overlap, NULL ) == DBVH_OK ? 0 : -1;
}

static int tear_down( void **state ) {
	(void)state;
	dbvh_overlap_destroy( overlap );
	return 0;
}

static bool meet( dbvh_interval x, dbvh_interval y ) {
	return x.lower <= y.upper && y.lower <= x.upper;
}

static bool measures_meet( const dbvh_overlap_measure *x, const dbvh_overlap_measure *y ) {
	bool good = meet( x->volume, y->volume ) && meet( x->area, y->area );
	for ( int k = 0; k < 3; ++k )
		good = good && meet( x->centroid[k], y->centroid[k] ) && meet( x->box_min[k], y->box_min[k] ) &&
		       meet( x->box_max[k], y->box_max[k] );
	return good;
}

static void print_measure( const char *name, const dbvh_overlap_measure *m ) {
	printf( "%s: volume [%.17g, %.17g] area [%.17g, %.17g]\n", name, m->volume.lower, m->volume.upper, m->area.lower,
	        m->area.upper );
	for ( int k = 0; k < 3; ++k )
		printf( "  centroid [%.17g, %.17g] box [%.17g, %.17g] to [%.17g, %.17g]\n", m->centroid[k].lower,
		        m->centroid[k].upper, m->box_min[k].lower, m->box_min[k].upper, m->box_max[k].lower,
		        m->box_max[k].upper );
}

static int compare_keys( const void *p, const void *q ) {
	const uint64_t x = *(const uint64_t *)p, y = *(const uint64_t *)q;
	return ( x > y ) - ( x < y );
}

// Every side of a face has one the other way round: none is missing, and none too many.
static bool is_closed( const dbvh_overlap_view *v ) {
	const size_t n = 3 * v->face_count;
	uint64_t *there = malloc( ( n + 1 ) * sizeof *there ), *back = malloc( ( n + 1 ) * sizeof *back );
	assert_non_null( there );
	assert_non_null( back );
	for ( size_t i = 0; i < n; ++i ) {
		const uint64_t p = v->indices[i], q = v->indices[i % 3 == 2 ? i - 2 : i + 1];
		there[i] = p << 32 | q;
		back[i] = q << 32 | p;
	}
	qsort( there, n, sizeof *there, compare_keys );
	qsort( back, n, sizeof *back, compare_keys );
	const bool same = memcmp( there, back, n * sizeof *there ) == 0;
	free( there );
	free( back );
	return same;
}

// The volume of the mesh, plainly.
static double volume_of( const dbvh_overlap_view *v ) {
	double sum = 0.0;
	for ( size_t i = 0; i < v->face_count; ++i ) {
		double x[3][3];
		for ( size_t k = 0; k < 9; ++k )
			x[k / 3][k % 3] = v->vertices[3 * (size_t)v->indices[3 * i + k / 3] + k % 3] - v->vertices[k % 3];
		for ( int k = 0; k < 3; ++k )
			sum += x[0][k] * ( x[1][( k + 1 ) % 3] * x[2][( k + 2 ) % 3] - x[1][( k + 2 ) % 3] * x[2][( k + 1 ) % 3] );
	}
	return sum / 6.0;
}

static void check_mesh( const dbvh_overlap_result *found ) {
	const dbvh_overlap_view v = dbvh_overlap_get( overlap );
	assert_true( is_closed( &v ) );
	if ( v.face_count == 0 )
		return;
	const dbvh_interval volume = found->measure.volume;
	// note: a pose may stretch the frame of the mesh by some 10^-6 against that of volumes.
	const double plain = volume_of( &v ), most = 1e-5 * volume.upper + 1e-9;
	if ( !( fabs( plain - volume.upper ) < most ) )
		printf( "volume %.17g, of the mesh %.17g\n", volume.upper, plain );
	assert_true( fabs( plain - volume.upper ) < most );
}

enum { MOST = 64 };

// Find the overlap both ways and compare; returns its relative width.
static double check( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b, const dbvh_pose *pose_b ) {
	const dbvh_overlap_query finely = { .relative_width = 0x1p-1000 }, meshed = { .mesh = true };
	dbvh_overlap_result found, again, fine;
	dbvh_overlap_component components[MOST];
	assert_int_equal( dbvh_overlap_find( a, pose_a, b, pose_b, &meshed, overlap, &again, NULL ), DBVH_OK );
	if ( again.reason == DBVH_OVERLAP_REASON_DECIDED )
		check_mesh( &again );
	assert_int_equal( dbvh_overlap_find( a, pose_a, b, pose_b, NULL, overlap, &found, NULL ), DBVH_OK );
	if ( found.reason == DBVH_OVERLAP_REASON_ARITHMETIC )
		return 0.0;
	assert_int_equal( found.reason, DBVH_OVERLAP_REASON_DECIDED );
	// The mesh has the triangles of clusters, but measures are summed as without it.
	assert_memory_equal( &found.measure, &again.measure, sizeof found.measure );
	assert_true( found.component_count < MOST );
	memcpy( components, dbvh_overlap_get( overlap ).components, found.component_count * sizeof *components );
	assert_int_equal( dbvh_overlap_find( a, pose_a, b, pose_b, &finely, overlap, &fine, NULL ), DBVH_OK );
	assert_int_equal( fine.component_count, found.component_count );
	assert_int_equal( fine.kind, found.kind );
	bool good = measures_meet( &found.measure, &fine.measure );
	for ( size_t i = 0; i < found.component_count; ++i ) {
		const dbvh_overlap_component *c = &dbvh_overlap_get( overlap ).components[i];
		good = good && measures_meet( &components[i].measure, &c->measure ) && components[i].kind == c->kind &&
		       components[i].patches_a == c->patches_a && components[i].patches_b == c->patches_b &&
		       components[i].shells == c->shells;
	}
	if ( !good ) {
		print_measure( "by clusters", &found.measure );
		print_measure( "in pairs", &fine.measure );
	}
	assert_true( good );
	const dbvh_interval v = found.measure.volume;
	return v.upper > 0.0 ? ( v.upper - v.lower ) / v.upper : 0.0;
}

// A rough ball, a torus, a ball in a hollow ball, or two balls far from each other and from the origin.
static shape fine_body( rng *r ) {
	shape s = { 0 };
	const uint32_t n = 36 + (uint32_t)rng_below( r, 20 );
	switch ( rng_below( r, 4 ) ) {
	case 0:
		shape_add_sphere( &s, 1.0, n, n );
		for ( size_t i = 0; i < 3 * s.vertex_count; ++i )
			s.positions[i] *= 1.0 + 0x1p-10 * rng_range( r, -1.0, 1.0 );
		break;
	case 1:
		shape_add_torus( &s, 1.0, 0.4, n, n );
		break;
	case 2:
		shape_add_sphere( &s, 1.0, n, n );
		shape_add_sphere( &s, 0.8, n / 2, n / 2 );
		for ( size_t i = 3 * ( s.triangle_count - (size_t)( n / 2 ) * ( n / 2 - 1 ) * 2 ); i < 3 * s.triangle_count;
		      i += 3 ) {
			const uint32_t t = s.indices[i];
			s.indices[i] = s.indices[i + 1];
			s.indices[i + 1] = t;
		}
		shape_add_sphere( &s, 0.6, n / 2, n / 2 );
		break;
	default:
		shape_add_sphere( &s, 0.7, n, n / 2 );
		for ( size_t i = 0; i < s.vertex_count; ++i )
			s.positions[3 * i] += 2.0;
		shape_add_sphere( &s, 0.7, n, n );
		break;
	}
	return s;
}

static void test_fine_bodies( void **state ) {
	(void)state;
	rng r = rng_announce( "fine bodies", 5 );
	size_t met = 0;
	const size_t count = rounds( 40 );
	for ( size_t i = 0; i < count; ++i ) {
		shape a = fine_body( &r ), b = fine_body( &r );
		const double scale = ldexp( 1.0, (int)rng_below( &r, 9 ) - 4 );
		for ( size_t k = 0; k < 3 * b.vertex_count; ++k )
			b.positions[k] *= scale;
		dbvh_tree *ta = tree_with_topology( &a ), *tb = tree_with_topology( &b );
		dbvh_pose pose_b = rng_below( &r, 3 ) == 0 ? exact_pose( &r, 1.0 ) : random_pose( &r, 1.0 + scale ),
		          pose_a = dbvh_pose_identity();
		if ( rng_below( &r, 4 ) == 0 )
			pose_b = sheared( &r, pose_b, 1.8e-6 );
		if ( rng_below( &r, 4 ) == 0 ) {
			pose_a = random_pose( &r, 1.0 );
			for ( int k = 0; k < 3; ++k ) {
				pose_a.pos[k] += 1000.0;
				pose_b.pos[k] += 1000.0;
			}
		}
		met += check( ta, &pose_a, tb, &pose_b ) > 0.0;
		check( tb, &pose_b, ta, &pose_a );
		dbvh_tree_destroy( ta );
		dbvh_tree_destroy( tb );
		shape_free( &a );
		shape_free( &b );
	}
	printf( "%zu of %zu meet\n", met, count );
	assert_outcomes( met > 0 && met < count );
}

// Two fine balls that meet in a small part of each: narrow, although clusters are far from their mesh's centre.
static void test_widths( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_sphere( &s, 1.0, 80, 60 );
	dbvh_tree *tree = tree_with_topology( &s );
	dbvh_pose pose = dbvh_pose_identity();
	const double shift[3] = { 0.9, 1.7, 1.99 }, most[3] = { 1e-12, 1e-11, 1e-9 };
	for ( int i = 0; i < 3; ++i ) {
		pose.pos[0] = shift[i];
		const double width = check( tree, NULL, tree, &pose );
		printf( "moved by %g: %.1e wide\n", shift[i], width );
		assert_true( width > 0.0 && width < most[i] );
	}
	// One inside the other as a whole.
	dbvh_pose small = dbvh_pose_identity();
	shape inner = { 0 };
	shape_add_sphere( &inner, 0.5, 80, 60 );
	dbvh_tree *held = tree_with_topology( &inner );
	assert_true( check( tree, NULL, held, &small ) < 1e-12 );
	dbvh_tree_destroy( held );
	dbvh_tree_destroy( tree );
	shape_free( &inner );
	shape_free( &s );
}

int main( int argc, char **argv ) {
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown( test_fine_bodies, set_up, tear_down ),
	    cmocka_unit_test_setup_teardown( test_widths, set_up, tear_down ),
	};
	return test_main( argc, argv, tests );
}
