// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// For each margin an input that is wrong without it. Where directed search finds none, the test says how much is left,
// so that a margin that is larger than it need be is known to be (docs/mutation.md has the numbers).

#include "bvh/packed/pack.h"
#include "bvh/tree.h"
#include "dualbvh/isa.h"
#include "query/collide/collide.h"
#include "query/collide/kernel.h"
#include "query/common/packed_search.h"
#include "reference/overlap.h"
#include "simd/isa.h"
#include "support/clearance.h"
#include "support/scene.h"
#include "support/unit.h"

#include <math.h>
#include <string.h>

#define U 0x1p-24

static void add_triangle( shape *s, const double p[9] ) {
	uint32_t v[3];
	for ( int corner = 0; corner < 3; ++corner )
		v[corner] = shape_vertex( s, p[3 * corner], p[3 * corner + 1], p[3 * corner + 2] );
	shape_triangle( s, v[0], v[1], v[2] );
}

static dbvh_tree *tree_of_triangle( const double p[9] ) {
	shape s = { 0 };
	add_triangle( &s, p );
	dbvh_tree *const tree = tree_of( &s, &keeps_reference );
	shape_free( &s );
	return tree;
}

// Asks all policies, on all instruction sets, whether there is a pair at most `reach` apart.
static void assert_found( const dbvh_tree *a, const dbvh_tree *b, const dbvh_pose *pose, double reach ) {
	size_t count;
	const dbvhi_isa *const isas = dbvhi_isa_available( &count );
	for ( size_t i = 0; i < count; ++i ) {
		assert_int_equal( dbvh_isa_select( isas[i].name, NULL ), DBVH_OK );
		for ( int policy = 0; policy <= DBVH_POLICY_PACKED_MIXED; ++policy ) {
			const dbvh_collide_query query = { .policy = (dbvh_policy)policy };
			dbvh_collide_result r;
			assert_int_equal( check_clearance( a, NULL, b, pose, reach, &query, NULL, &r, NULL ), DBVH_OK );
			assert_int_equal( r.verdict, DBVH_INTERSECTING );
			assert_int_equal( check_clearance( b, pose, a, NULL, reach, &query, NULL, &r, NULL ), DBVH_OK );
			assert_int_equal( r.verdict, DBVH_INTERSECTING );
		}
	}
	assert_int_equal( dbvh_isa_select( NULL, NULL ), DBVH_OK );
}

// round_up() of src/bvh/packed/pack_piece.c: triangles whose circumscribed circle no box comes near. In two of five the
// float nearest to its radius is too small.
static void radii_are_rounded_up( void **state ) {
	(void)state;
	rng r = rng_announce( "margins, radii", 20261122 );
	size_t below = 0;
	for ( size_t i = 0; i < rounds( 500 ); ++i ) {
		double p[9], turn = rng_range( &r, 0.0, 7.0 );
		const double radius = rng_range( &r, 1.0, 2.0 );
		for ( int corner = 0; corner < 3; ++corner ) {
			p[3 * corner] = radius * cos( turn );
			p[3 * corner + 1] = radius * sin( turn );
			p[3 * corner + 2] = 0.0;
			turn += 2.0943951023931953;
		}
		below += (double)(float)radius < radius;
		dbvh_tree *const tree = tree_of_triangle( p );
		dbvh_error error;
		if ( dbvh_tree_validate( tree, &error ) != DBVH_OK )
			fail_msg( "triangle %zu, radius %a: %s", i, radius, error.text );
		dbvh_tree_destroy( tree );
	}
	assert_outcomes( below > 0 );
}

// dbvhi_packed_relative_margin() of src/query/common/mesh_pair.c, `51 deviation`: a pose that is all but refused
// stretches B along a diagonal, on which B's farthest corner lies. Only a grain at that corner reaches A, and only by
// the stretch. At the present tolerance of poses the relative margin alone would do (docs/mutation.md).
static void stretched_corners_are_reached( void **state ) {
	(void)state;
	rng r = rng_announce( "margins, deviation", 20261122 );
	const double d = DBVH_POSE_TOLERANCE * ( 1.0 - 2.0 * DBVH_POSE_TOLERANCE ) - 0x1p-48;
	for ( size_t i = 0; i < rounds( 80 ); ++i ) {
		dbvh_pose pose = dbvh_pose_identity();
		for ( int row = 0; row < 3; ++row ) {
			for ( int column = 0; column < 3; ++column )
				pose.rot[row][column] += 0.5 * d;
			pose.pos[row] = rng_range( &r, -1e-3, 1e-3 );
		}
		assert_int_equal( dbvh_pose_check( &pose, NULL, NULL ), DBVH_OK );
		// An equilateral triangle round the origin; u is the diagonal.
		const double u[3] = { sqrt( 1.0 / 3.0 ), sqrt( 1.0 / 3.0 ), sqrt( 1.0 / 3.0 ) };
		double x[3], v[3], length, along, b[9];
		do {
			random_direction( &r, x );
			along = x[0] * u[0] + x[1] * u[1] + x[2] * u[2];
			for ( int k = 0; k < 3; ++k )
				v[k] = x[k] - along * u[k];
			length = sqrt( v[0] * v[0] + v[1] * v[1] + v[2] * v[2] );
		} while ( length < 0.1 );
		const double size = rng_range( &r, 1.0, 2.0 );
		for ( int k = 0; k < 3; ++k ) {
			v[k] /= length;
			b[k] = size * u[k];
			b[3 + k] = size * ( -0.5 * u[k] + 0.75 * v[k] );
			b[6 + k] = size * ( -0.5 * u[k] - 0.75 * v[k] );
		}
		// The image of the corner, a hair inside it, and a grain across the image there.
		double image[9], inner[3], a[9];
		for ( int corner = 0; corner < 3; ++corner ) {
			for ( int row = 0; row < 3; ++row ) {
				image[3 * corner + row] = pose.pos[row];
				for ( int k = 0; k < 3; ++k )
					image[3 * corner + row] += pose.rot[row][k] * b[3 * corner + k];
			}
		}
		const double grain = 1e-9;
		const double n[3] = { u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0] };
		for ( int k = 0; k < 3; ++k ) {
			inner[k] = image[k] + grain * ( 0.5 * ( image[3 + k] + image[6 + k] ) - image[k] );
			a[k] = inner[k] + grain * n[k];
			a[3 + k] = inner[k] - grain * n[k];
			a[6 + k] = inner[k] + grain * u[k];
		}
		bool meet = false;
		assert_int_equal(
		    dbvh_triangles_intersect( (const dbvh_triangle *)a, (const dbvh_triangle *)b, &pose, &meet, NULL ),
		    DBVH_OK );
		assert_true( meet );
		dbvh_tree *const tree_a = tree_of_triangle( a ), *const tree_b = tree_of_triangle( b );
		assert_found( tree_a, tree_b, &pose, 0.0 );
		dbvh_tree_destroy( tree_a );
		dbvh_tree_destroy( tree_b );
	}
}

// Would the fifteen axes separate two boxes if there were no margin?
static bool seem_apart( const dbvhi_node *a, const dbvhi_node *b, const dbvh_pose *pose ) {
	dbvhi_mat rot;
	dbvhi_vec pos;
	memcpy( rot.m, pose->rot, sizeof rot.m );
	memcpy( pos.v, pose->pos, sizeof pos.v );
	const dbvhi_mat turned = dbvhi_mat_mul_transposed( &a->rot, &rot ), r = dbvhi_mat_mul( &turned, &b->rot );
	const dbvhi_vec way = dbvhi_sub( dbvhi_add( dbvhi_mat_apply( &rot, b->pos ), pos ), a->pos );
	const dbvhi_vec t = dbvhi_mat_apply_transposed( &a->rot, way );
	return dbvhi_disjoint_on_a( &r, t, a->half, b->half, 0.0, 0 ) ||
	       dbvhi_boxes_disjoint_15_after_a0( &r, t, a->half, b->half, 0.0 );
}

// src/query/common/roots.inl: a triangle that reaches another with one corner, or fails to, by a rounding. Where
// integers say that it does, so do the queries, though without the margin the boxes of some would be apart.
static void roots_that_touch_are_kept( void **state ) {
	(void)state;
	rng r = rng_announce( "margins, roots", 20261123 );
	size_t meeting = 0, apart = 0, needed = 0;
	for ( size_t i = 0; i < rounds( 2000 ); ++i ) {
		double n[3], u[3], v[3], q[4], at[3], b[9], corner[9], a[9], length;
		random_direction( &r, n );
		do {
			random_direction( &r, u );
			const double along = u[0] * n[0] + u[1] * n[1] + u[2] * n[2];
			for ( int k = 0; k < 3; ++k )
				u[k] -= along * n[k];
			length = sqrt( u[0] * u[0] + u[1] * u[1] + u[2] * u[2] );
		} while ( length < 0.1 );
		for ( int k = 0; k < 3; ++k ) {
			v[k] = n[( k + 1 ) % 3] * u[( k + 2 ) % 3] - n[( k + 2 ) % 3] * u[( k + 1 ) % 3];
			at[k] = rng_range( &r, -1e6, 1e6 );
		}
		for ( int k = 0; k < 4; ++k )
			q[k] = rng_range( &r, -1, 1 );
		const dbvh_pose pose = dbvh_pose_from_quaternion( q, at );
		// B in the frame of A: a corner at 0, the others behind. It is moved back, far from its own origin.
		for ( int k = 0; k < 3; ++k ) {
			corner[k] = 0.0;
			corner[3 + k] = -n[k] + 0.3 * u[k];
			corner[6 + k] = -n[k] - 0.2 * u[k] + 0.2 * v[k];
		}
		for ( int c = 0; c < 3; ++c ) {
			for ( int k = 0; k < 3; ++k ) {
				b[3 * c + k] = 0.0;
				for ( int j = 0; j < 3; ++j )
					b[3 * c + k] += pose.rot[j][k] * ( corner[3 * c + j] - at[j] );
			}
		}
		// A across n, about where B's first corner comes to lie.
		for ( int k = 0; k < 3; ++k ) {
			a[k] = u[k];
			a[3 + k] = v[k] - u[k];
			a[6 + k] = -u[k] - v[k];
		}
		bool meet = false;
		assert_int_equal(
		    dbvh_triangles_intersect( (const dbvh_triangle *)a, (const dbvh_triangle *)b, &pose, &meet, NULL ),
		    DBVH_OK );
		meeting += meet;
		apart += !meet;
		if ( !meet )
			continue;
		dbvh_tree *const tree_a = tree_of_triangle( a ), *const tree_b = tree_of_triangle( b );
		const dbvhi_node *const root_a = dbvhi_tree_root( tree_a ), *const root_b = dbvhi_tree_root( tree_b );
		needed += seem_apart( root_a, root_b, &pose );
		assert_found( tree_a, tree_b, &pose, 0.0 );
		dbvh_tree_destroy( tree_a );
		dbvh_tree_destroy( tree_b );
	}
	printf( "margins: %zu meet and %zu are apart by a rounding; the boxes of %zu that meet are not apart by the margin "
	        "alone\n",
	        meeting, apart, needed );
	assert_outcomes( meeting > rounds( 2000 ) / 10 && apart > rounds( 2000 ) / 10 && needed > 0 );
}

// DBVHI_PACKED_REACH of src/query/common/mesh_pair.h, the range of packed trees: beyond it the squares of floats
// overflow, and a mesh that is far away and within a long reach would be left out.
static void far_offsets_are_reached( void **state ) {
	(void)state;
	rng r = rng_announce( "margins, range", 20261122 );
	shape grains = { 0 };
	add_soup( &grains, &r, 40, 0.3, 0.0, false );
	dbvh_tree *const a = tree_of( &grains, &keeps_reference );
	scale_and_move( &grains, 0, 0x1p38, 0.0, 0.0, 0.0 );
	dbvh_tree *const b = tree_of( &grains, &keeps_reference );
	for ( size_t i = 0; i < rounds( 60 ); ++i ) {
		const int e = i % 3 == 0 ? 50 + (int)( i % 90 ) : 60 + (int)( i % 8 );
		dbvh_pose pose = random_pose( &r, 1.0 );
		for ( int k = 0; k < 3; ++k )
			pose.pos[k] = ldexp( rng_range( &r, -1.0, 1.0 ), e );
		dbvh_distance_result exact, packed;
		const dbvh_distance_query dual = { .policy = DBVH_POLICY_DUAL }, fast = { .policy = DBVH_POLICY_PACKED };
		assert_int_equal( dbvh_distance( a, NULL, b, &pose, &dual, NULL, &exact, NULL ), DBVH_OK );
		assert_int_equal( dbvh_distance( a, NULL, b, &pose, &fast, NULL, &packed, NULL ), DBVH_OK );
		assert_true( exact.distance == packed.distance && exact.distance > 0.0 );
		assert_found( a, b, &pose, exact.distance );
		assert_found( b, a, &pose, 2.0 * exact.distance );
	}
	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
	shape_free( &grains );
}

// bvh/packed/validate.c: a corner of a leaf that has moved by no more than the leaf is large.
static void moved_corners_are_seen( void **state ) {
	(void)state;
	rng r = rng_announce( "margins, leaf corners", 20261122 );
	shape s = { 0 };
	add_soup( &s, &r, 50, 0.4, 0.0, false );
	dbvh_tree *const tree = tree_of( &s, &keeps_reference );
	dbvh_error error;
	assert_int_equal( dbvh_tree_validate( tree, &error ), DBVH_OK );
	dbvhi_packed_leaf *const leaves = (dbvhi_packed_leaf *)dbvhi_packed_leaves_of( tree->packed );
	for ( size_t i = 0; i < rounds( 60 ); ++i ) {
		dbvhi_packed_leaf *const leaf = &leaves[rng_below( &r, tree->packed->leaf_count )];
		const uint32_t count = ( leaf->first_and_count & 3 ) + 1;
		const size_t corner = rng_below( &r, 3 ), k = rng_below( &r, 3 ), t = rng_below( &r, count );
		if ( t == 0 && count < DBVHI_WIDTH )
			continue; // the unused lanes repeat it, and would no longer
		float *const x = &leaf->corner[corner][k][t];
		const float kept = *x, size = dbvhi_packed_size( leaf->sizes );
		// Towards the middle, so that no other rule is broken.
		*x = kept - copysignf( 0x1p-22f * size, kept );
		assert_int_equal( dbvh_tree_validate( tree, &error ), DBVH_INVARIANT );
		assert_non_null( strstr( error.text, "a corner is farther from its place" ) );
		*x = kept;
	}
	assert_int_equal( dbvh_tree_validate( tree, &error ), DBVH_OK );
	dbvh_tree_destroy( tree );
	shape_free( &s );
}

// ------------------------------------------------------------------------------------------------
// dbvhi_packed_relative_margin(), `1152 u`: how much of it is needed

typedef struct packed_scene {
	double a[4][9], b[4][9]; // up to four triangles each: one leaf
	size_t count_a, count_b;
	dbvh_pose pose;
} packed_scene;

// Does the kernel keep at least one pair for the triangles, with these margins?
static bool is_kept( const dbvh_tree *a, const dbvh_tree *b, const dbvh_pose *pose, dbvh_workspace *workspace,
                     const dbvhi_isa *isa, double relative, double absolute ) {
	const dbvhi_mesh_pair meshes = { .fixed = a, .moved = b, .pose = *pose, .corner_error = -1.0 };
	dbvhi_packed_run run;
	dbvhi_packed_init( &meshes, &run );
	run.margin_relative = (float)relative;
	run.margin = (float)( absolute * (double)run.margin );
	dbvhi_packed_attach( &run, workspace );
	dbvhi_packed_push( &run, 0, 0, 0xffff );
	return dbvhi_collide_kernel_table[isa->rank]( &run ) != 0;
}

// The least relative margin, in u, with which the pair is kept; negative where boxes and spheres have room to spare.
static double least_margin( const packed_scene *s, const dbvhi_isa *isa, dbvh_workspace *workspace, double absolute ) {
	dbvh_tree *const a = tree_of_triangle( s->a[0] ), *const b = tree_of_triangle( s->b[0] );
	assert_int_equal( dbvh_workspace_reserve( workspace, a, b, 0, NULL ), DBVH_OK );
	double low = -4096.0, high = 1152.0;
	assert_true( is_kept( a, b, &s->pose, workspace, isa, high * U, 1.0 ) );
	while ( high - low > 0.5 ) {
		const double middle = 0.5 * ( low + high );
		if ( is_kept( a, b, &s->pose, workspace, isa, middle * U, absolute ) )
			high = middle;
		else
			low = middle;
	}
	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
	return high;
}

// Two triangles that touch in one point, corner on face or edge on edge, as well as doubles can tell; the exact
// predicate says that they do.
static bool make_touching( packed_scene *s, const double p[24] ) {
	double image[9];
	memcpy( s->a[0], p, sizeof s->a[0] );
	memcpy( s->b[0], p + 9, sizeof s->b[0] );
	const double *const w = p + 18;
	memset( s->pose.pos, 0, sizeof s->pose.pos );
	for ( int corner = 0; corner < 3; ++corner ) {
		for ( int row = 0; row < 3; ++row ) {
			image[3 * corner + row] = 0.0;
			for ( int k = 0; k < 3; ++k )
				image[3 * corner + row] += s->pose.rot[row][k] * s->b[0][3 * corner + k];
		}
	}
	// A corner of B on a point of A, a hair deeper than touching.
	const double sum = fabs( w[0] ) + fabs( w[1] ) + fabs( w[2] );
	for ( int k = 0; k < 3; ++k ) {
		const double at =
		    ( fabs( w[0] ) * s->a[0][k] + fabs( w[1] ) * s->a[0][3 + k] + fabs( w[2] ) * s->a[0][6 + k] ) / sum;
		const double to = w[3] > 0.0 ? image[k] : ( image[k] + fabs( w[4] ) * image[3 + k] ) / ( 1.0 + fabs( w[4] ) );
		const double middle = ( image[k] + image[3 + k] + image[6 + k] ) / 3.0;
		s->pose.pos[k] = at - ( to + 1e-12 * ( middle - to ) );
	}
	bool meet = false;
	return dbvh_triangles_intersect( (const dbvh_triangle *)( s->a[0] ), (const dbvh_triangle *)( s->b[0] ), &s->pose,
	                                 &meet, NULL ) == DBVH_OK &&
	       meet;
}

static void what_the_relative_margin_is_for( void **state ) {
	(void)state;
	rng r = rng_announce( "margins, relative", 20261122 );
	size_t count;
	const dbvhi_isa *const isas = dbvhi_isa_available( &count );
	dbvh_workspace *workspace = NULL;
	assert_int_equal( dbvh_workspace_create( NULL, &workspace, NULL ), DBVH_OK );
	double worst[2] = { -INFINITY, -INFINITY };
	size_t tried = 0;
	for ( size_t climb = 0; climb < rounds( 8 ); ++climb ) {
		// With the absolute margin as it is, and with none.
		const double absolute = climb % 2 == 0 ? 1.0 : 0.0;
		const dbvhi_isa *const isa = &isas[climb / 2 % count];
		packed_scene s;
		double p[24], best = -INFINITY;
		for ( size_t step = 0; step < 120; ++step ) {
			double q[24];
			const double size = step < 20 ? 1.0 : ldexp( 1.0, -(int)rng_below( &r, 30 ) );
			if ( step < 20 )
				s.pose = random_pose( &r, 0.0 );
			for ( int k = 0; k < 24; ++k )
				q[k] = step < 20 ? rng_range( &r, -1.0, 1.0 ) : p[k] + size * rng_range( &r, -1.0, 1.0 );
			const dbvh_pose kept = s.pose;
			if ( !make_touching( &s, q ) ) {
				s.pose = kept;
				continue;
			}
			const double needed = least_margin( &s, isa, workspace, absolute );
			tried += 1;
			if ( needed > best ) {
				best = needed;
				memcpy( p, q, sizeof p );
			}
		}
		worst[climb % 2] = fmax( worst[climb % 2], best );
	}
	printf( "relative margin needed at most, in u, of 1152: %.1f; without the absolute margin %.1f (%zu scenes)\n",
	        worst[0], worst[1], tried );
	assert_true( worst[0] <= 1152.0 / 2.0 );
	dbvh_workspace_destroy( workspace );
}

// ------------------------------------------------------------------------------------------------
// The filter for leaves (leaf_filter.inl): what floats know for certain

// A point of a triangle, of an edge or a corner of it.
static void point_of( rng *r, const double t[9], double out[3] ) {
	double w[3], sum = 0.0;
	for ( int k = 0; k < 3; ++k )
		w[k] = rng_range( r, 0.05, 1.0 );
	const size_t none = rng_below( r, 3 ), kind = rng_below( r, 3 );
	if ( kind > 0 )
		w[none] = 0.0;
	if ( kind > 1 )
		w[( none + 1 ) % 3] = 0.0;
	for ( int k = 0; k < 3; ++k )
		sum += w[k];
	for ( int k = 0; k < 3; ++k )
		out[k] = ( w[0] * t[k] + w[1] * t[3 + k] + w[2] * t[6 + k] ) / sum;
}

// Two triangles with a point of one at a point of the other, or as far from there as floats only just tell.
static void make_near( rng *r, packed_scene *s ) {
	double at[3], to[3];
	const double size_b = ldexp( 1.0, -(int)rng_below( r, 8 ) ), thin = ldexp( 1.0, -(int)rng_below( r, 10 ) );
	for ( int k = 0; k < 9; ++k ) {
		s->a[0][k] = rng_range( r, -1.0, 1.0 ) * ( k % 3 == 0 ? thin : 1.0 );
		s->b[0][k] = rng_range( r, -1.0, 1.0 ) * size_b;
	}
	s->pose = random_pose( r, 0.0 );
	point_of( r, s->a[0], at );
	point_of( r, s->b[0], to );
	const double hair = ldexp( 1.0, -(int)( 6 + rng_below( r, 20 ) ) );
	for ( int row = 0; row < 3; ++row ) {
		double turned = 0.0;
		for ( int k = 0; k < 3; ++k )
			turned += s->pose.rot[row][k] * to[k];
		s->pose.pos[row] = at[row] - turned + hair * rng_range( r, -1.0, 1.0 );
	}
}

static void floats_know_what_they_say( void **state ) {
	(void)state;
	rng r = rng_announce( "margins, leaves", 20261122 );
	size_t count, known = 0, apart = 0, asked = 0;
	const dbvhi_isa *const isas = dbvhi_isa_available( &count );
	dbvh_workspace *workspace = NULL;
	assert_int_equal( dbvh_workspace_create( NULL, &workspace, NULL ), DBVH_OK );
	for ( size_t i = 0; i < rounds( 8000 ); ++i ) {
		packed_scene s;
		make_near( &r, &s );
		bool meet;
		assert_int_equal( dbvh_triangles_intersect( (const dbvh_triangle *)( s.a[0] ),
		                                            (const dbvh_triangle *)( s.b[0] ), &s.pose, &meet, NULL ),
		                  DBVH_OK );
		dbvh_tree *const a = tree_of_triangle( s.a[0] ), *const b = tree_of_triangle( s.b[0] );
		assert_int_equal( dbvh_workspace_reserve( workspace, a, b, 0, NULL ), DBVH_OK );
		const dbvhi_mesh_pair meshes = { .fixed = a, .moved = b, .pose = s.pose, .corner_error = -1.0 };
		const dbvhi_isa *const isa = &isas[i % count];
		dbvhi_packed_run run;
		dbvhi_packed_init( &meshes, &run );
		run.keeps_contacts = true;
		dbvhi_packed_attach( &run, workspace );
		dbvhi_packed_push( &run, 0, 0, 0xffff );
		const bool few = i / count % 2 == 0;
		const int kept =
		    few ? dbvhi_small_kernel_table[isa->rank]( &run, 1, 1 ) : dbvhi_collide_kernel_table[isa->rank]( &run );
		assert_int_equal( run.candidate_count + run.contact_count, kept );
		assert_true( meet ? kept : run.contact_count == 0 );
		known += run.contact_count;
		asked += run.candidate_count;
		apart += kept == 0;
		dbvh_tree_destroy( a );
		dbvh_tree_destroy( b );
	}
	printf( "triangles that nearly touch: %zu meet for certain, %zu are apart, %zu are left\n", known, apart, asked );
	assert_true( known > rounds( 8000 ) / 5 && apart > rounds( 8000 ) / 50 && asked > rounds( 8000 ) / 5 );
	dbvh_workspace_destroy( workspace );
}

// Two triangles that overlap seen from above, one a hair over the other, in it, or tilted by a hair.
static void make_flat( rng *r, packed_scene *s ) {
	const double hair =
	    rng_below( r, 4 ) == 0 ? 0.0 : ldexp( rng_range( r, -1.0, 1.0 ), -(int)( 16 + rng_below( r, 40 ) ) );
	const double tilt =
	    rng_below( r, 2 ) == 0 ? 0.0 : ldexp( rng_range( r, -1.0, 1.0 ), -(int)( 16 + rng_below( r, 40 ) ) );
	s->pose = random_pose( r, rng_below( r, 2 ) == 0 ? 0.0 : 8.0 );
	for ( int corner = 0; corner < 3; ++corner ) {
		double flat[3] = { rng_range( r, -1.0, 1.0 ), rng_range( r, -1.0, 1.0 ), 0.0 };
		for ( int row = 0; row < 3; ++row )
			s->a[0][3 * corner + row] =
			    s->pose.rot[row][0] * flat[0] + s->pose.rot[row][1] * flat[1] + s->pose.pos[row];
		double *b = s->b[0] + 3 * corner;
		b[0] = rng_range( r, -1.0, 1.0 );
		b[1] = rng_range( r, -1.0, 1.0 );
		b[2] = hair + tilt * b[0];
	}
}

static void leaves_are_apart_that_are_said_to_be( void **state ) {
	(void)state;
	rng r = rng_announce( "margins, flat leaves", 20261122 );
	dbvh_workspace *workspace = NULL;
	assert_int_equal( dbvh_workspace_create( NULL, &workspace, NULL ), DBVH_OK );
	size_t apart = 0, meeting = 0;
	for ( size_t i = 0; i < 4000 + rounds( 4000 ); ++i ) {
		packed_scene s;
		make_flat( &r, &s );
		bool meet;
		assert_int_equal( dbvh_triangles_intersect( (const dbvh_triangle *)( s.a[0] ),
		                                            (const dbvh_triangle *)( s.b[0] ), &s.pose, &meet, NULL ),
		                  DBVH_OK );
		dbvh_tree *const a = tree_of_triangle( s.a[0] ), *const b = tree_of_triangle( s.b[0] );
		const dbvhi_mesh_pair meshes = { .fixed = a, .moved = b, .pose = s.pose, .corner_error = -1.0 };
		dbvhi_packed_run run;
		dbvhi_packed_init( &meshes, &run );
		dbvhi_packed_use_flat_leaves( &run, &meshes );
		const int said = run.leaves_separated( &run, 0, 0 );
		assert_false( said && meet );
		apart += said != 0;
		meeting += meet;
		dbvh_tree_destroy( a );
		dbvh_tree_destroy( b );
	}
	printf( "flat leaves: %zu are told apart, %zu meet, of %zu\n", apart, meeting, 4000 + rounds( 4000 ) );
	assert_outcomes( apart > 1000 && meeting > 200 );
	dbvh_workspace_destroy( workspace );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( radii_are_rounded_up ),      cmocka_unit_test( stretched_corners_are_reached ),
	    cmocka_unit_test( roots_that_touch_are_kept ), cmocka_unit_test( far_offsets_are_reached ),
	    cmocka_unit_test( moved_corners_are_seen ),    cmocka_unit_test( what_the_relative_margin_is_for ),
	    cmocka_unit_test( floats_know_what_they_say ), cmocka_unit_test( leaves_are_apart_that_are_said_to_be ),
	};
	return test_main( argc, argv, tests );
}
