// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Trees whose vertices have moved: sound, the same on every instruction set and any number of threads, and the same
// answers as from a tree that is built anew. What cannot be refitted is refused and left as it was.

#include "bvh/tree.h"
#include "simd/isa.h"
#include "support/scene.h"
#include "support/unit.h"

#include <math.h>
#include <string.h>

static dbvh_tree *build( const dbvh_mesh_view *view, uint32_t threads ) {
	dbvh_tree_options options = dbvh_tree_options_default();
	dbvh_tree *tree = NULL;
	options.thread_count = threads;
	assert_int_equal( dbvh_tree_build( view, &options, NULL, &tree, NULL ), DBVH_OK );
	return tree;
}

static void expect_sound( const dbvh_tree *tree, const char *what ) {
	dbvh_error error;
	if ( dbvh_tree_validate( tree, &error ) != DBVH_OK )
		fail_msg( "%s: not sound: %s", what, error.text );
}

static void add_kind( shape *s, rng *r, int kind ) {
	if ( kind == 0 )
		shape_add_torus( s, 1.0, 0.25, 40, 24 );
	else if ( kind == 1 )
		shape_add_box( s, 1, 1, 1, 12 );
	else if ( kind == 2 )
		add_soup( s, r, 1500, 0.05, 0.1, false );
	else if ( kind == 3 )
		shape_add_sphere( s, 1.0, 50, 40 ); // more than one piece
	else
		add_soup( s, r, 1 + rng_below( r, 40 ), 0.4, 0.0, false );
}

// Deform as a function of the vertex's position, so that vertices at one place stay at one place.
static void deform( const shape *s, double *out, int how, double t ) {
	for ( size_t i = 0; i < s->vertex_count; ++i ) {
		const double *p = s->positions + 3 * i;
		double *q = out + 3 * i;
		const double c = cos( t ), n = sin( t );
		switch ( how ) {
		case 0: // waves
			q[0] = p[0] + 0.1 * t * sin( 5.0 * p[1] );
			q[1] = p[1] + 0.1 * t * sin( 4.0 * p[2] + p[0] );
			q[2] = p[2] + 0.1 * t * sin( 7.0 * p[0] );
			break;
		case 1: // a twist
			q[0] = cos( t * p[2] ) * p[0] - sin( t * p[2] ) * p[1];
			q[1] = sin( t * p[2] ) * p[0] + cos( t * p[2] ) * p[1];
			q[2] = p[2];
			break;
		case 2: // turned, stretched, and far away
			q[0] = c * p[0] - n * p[1] + 1000.0 * t;
			q[1] = 20.0 * ( n * p[0] + c * p[1] );
			q[2] = 0.01 * p[2] - 1e5 * t;
			break;
		case 3: // flat
			q[0] = p[0];
			q[1] = p[1];
			q[2] = 0.0;
			break;
		default: // upside down
			q[0] = -p[1];
			q[1] = p[2];
			q[2] = 3.0 * p[0];
		}
	}
}

static dbvh_pose pose_near( rng *r, const dbvh_tree *tree ) {
	const dbvh_tree_stats stats = dbvh_tree_get_stats( tree );
	const double angle = rng_range( r, 0.0, 6.0 ), c = cos( angle ), n = sin( angle );
	dbvh_pose pose = { .rot = { { c, -n, 0 }, { n, c, 0 }, { 0, 0, 1 } } };
	const double *centre = stats.sphere.centre;
	// A turn about the middle, and a shift.
	pose.pos[0] = centre[0] - c * centre[0] + n * centre[1] + rng_range( r, -1.5, 1.5 ) * stats.sphere.radius;
	pose.pos[1] = centre[1] - n * centre[0] - c * centre[1] + rng_range( r, -1.0, 1.0 ) * stats.sphere.radius;
	pose.pos[2] = rng_range( r, -0.5, 0.5 ) * stats.sphere.radius;
	return pose;
}

#define ROOM 64

static size_t compare( const dbvh_tree *moved, const dbvh_tree *fresh, rng *r, dbvh_policy policy ) {
	size_t meeting = 0;
	for ( int i = 0; i < 6; ++i ) {
		const dbvh_pose pose = pose_near( r, fresh );
		dbvh_pair a[ROOM], b[ROOM];
		dbvh_collide_result of_moved, of_fresh;
		dbvh_collide_query query = { .find = DBVH_FIND_ALL, .pairs = a, .pair_capacity = ROOM, .policy = policy };
		assert_int_equal( dbvh_collide( moved, NULL, moved, &pose, &query, NULL, &of_moved, NULL ), DBVH_OK );
		query.pairs = b;
		query.policy = DBVH_POLICY_DEFAULT;
		assert_int_equal( dbvh_collide( fresh, NULL, fresh, &pose, &query, NULL, &of_fresh, NULL ), DBVH_OK );
		assert_int_equal( of_moved.verdict, of_fresh.verdict );
		assert_int_equal( of_moved.pair_count, of_fresh.pair_count );
		assert_int_equal( of_moved.pair_written, of_fresh.pair_written );
		assert_memory_equal( a, b, of_fresh.pair_written * sizeof a[0] );
		meeting += of_fresh.verdict == DBVH_INTERSECTING;
		if ( i > 0 || policy != DBVH_POLICY_DEFAULT )
			continue;
		dbvh_distance_result near_moved, near_fresh;
		assert_int_equal( dbvh_distance( moved, NULL, moved, &pose, NULL, NULL, &near_moved, NULL ), DBVH_OK );
		assert_int_equal( dbvh_distance( fresh, NULL, fresh, &pose, NULL, NULL, &near_fresh, NULL ), DBVH_OK );
		assert_true( near_moved.distance == near_fresh.distance );
	}
	return meeting;
}

static void same_answers( void **state ) {
	(void)state;
	rng r = rng_announce( "refit", 31 );
	size_t meeting = 0, asked = 0;
	for ( int kind = 0; kind < 6; ++kind ) {
		shape s = { 0 };
		add_kind( &s, &r, kind );
		const dbvh_mesh_view view = shape_view( &s );
		double *const positions = malloc( 3 * s.vertex_count * sizeof *positions );
		assert_non_null( positions );
		dbvh_mesh_view moved_view = view;
		moved_view.positions = positions;
		dbvh_tree *const tree = build( &view, 1 );
		const uint64_t hash = tree->hash;
		for ( int how = 0; how < 5; ++how ) {
			deform( &s, positions, how, rng_range( &r, 0.05, 1.5 ) );
			dbvh_tree *const fresh = build( &moved_view, 1 );
			assert_int_equal( dbvh_tree_refit( tree, &moved_view, NULL ), DBVH_OK );
			expect_sound( tree, "refitted" );
			assert_true( tree->hash == fresh->hash && tree->largest == fresh->largest );
			meeting += compare( tree, fresh, &r, DBVH_POLICY_DEFAULT );
			asked += 6;
			dbvh_tree_destroy( fresh );
		}
		assert_int_equal( dbvh_tree_refit( tree, &view, NULL ), DBVH_OK );
		assert_true( tree->hash == hash );
		expect_sound( tree, "back again" );
		dbvh_tree_destroy( tree );
		free( positions );
		shape_free( &s );
	}
	printf( "refit: %zu of %zu poses meet\n", meeting, asked );
	assert_outcomes( meeting > 10 && meeting < asked - 10 );
}

// Triangles with corners on a small grid.
static dbvh_mesh_view grid_triangles( rng *r, size_t count, double *corners, uint32_t *indices ) {
	for ( size_t i = 0; i < 9 * count; ++i )
		corners[i] = (double)rng_below( r, 4 );
	for ( size_t i = 0; i < 3 * count; ++i )
		indices[i] = (uint32_t)i;
	return ( dbvh_mesh_view ){
	    .positions = corners, .vertex_count = 3 * count, .indices = indices, .triangle_count = count };
}

// Small trees with many ties.
static void distances( void **state ) {
	(void)state;
	rng r = rng_announce( "refit: distances", 33 );
	size_t apart = 0, found = 0;
	for ( size_t n = rounds( 400 ); n > 0; --n ) {
		double before[54], after[54], other[54];
		uint32_t numbers[18], others[18];
		const size_t count = 2 + rng_below( &r, 5 );
		const dbvh_mesh_view view = grid_triangles( &r, count, before, numbers ),
		                     there = grid_triangles( &r, 1 + rng_below( &r, 3 ), other, others );
		for ( size_t i = 0; i < 9 * count; ++i )
			after[i] = i % 3 == 0 ? 4.0 * before[i] : before[i];
		dbvh_mesh_view moved = view;
		moved.positions = after;
		dbvh_tree *const tree = build( &view, 1 ), *const fresh = build( &moved, 1 ), *const b = build( &there, 1 );
		assert_int_equal( dbvh_tree_refit( tree, &moved, NULL ), DBVH_OK );
		dbvh_pose pose = dbvh_pose_identity();
		pose.pos[2] = (double)rng_below( &r, 8 );
		dbvh_distance_result x, y;
		assert_int_equal( dbvh_distance( tree, NULL, b, &pose, NULL, NULL, &x, NULL ), DBVH_OK );
		assert_int_equal( dbvh_distance( fresh, NULL, b, &pose, NULL, NULL, &y, NULL ), DBVH_OK );
		// The pair named at distance 0 depends on the tree.
		const bool same_pair = x.distance == 0.0 || ( x.pair.a == y.pair.a && x.pair.b == y.pair.b );
		if ( x.distance != y.distance || !same_pair )
			fail_msg( "%.17g of %u, %u in place of %.17g of %u, %u", x.distance, x.pair.a, x.pair.b, y.distance,
			          y.pair.a, y.pair.b );
		apart += x.distance > 0.0;
		found += x.found;
		dbvh_tree_destroy( tree );
		dbvh_tree_destroy( fresh );
		dbvh_tree_destroy( b );
	}
	assert_outcomes( found > 0 && ( found < 20 || ( apart > 0 && apart < found ) ) );
}

static void threads_and_sets( void **state ) {
	(void)state;
	size_t count;
	const dbvhi_isa *isa = dbvhi_isa_available( &count );
	shape s = { 0 };
	shape_add_torus( &s, 1.0, 0.25, 80, 40 );
	const dbvh_mesh_view view = shape_view( &s );
	double *const positions = malloc( 3 * s.vertex_count * sizeof *positions );
	assert_non_null( positions );
	dbvh_mesh_view moved_view = view;
	moved_view.positions = positions;
	deform( &s, positions, 0, 0.7 );
	dbvh_tree *const first = build( &view, 1 );
	assert_int_equal( dbvh_tree_refit( first, &moved_view, NULL ), DBVH_OK );
	for ( size_t i = 0; i < count; ++i ) {
		dbvhi_isa_select( isa[i].name );
		for ( uint32_t threads = 1; threads < 4; ++threads ) {
			dbvh_tree *const tree = build( &view, threads );
			assert_int_equal( dbvh_tree_refit( tree, &moved_view, NULL ), DBVH_OK );
			assert_memory_equal( tree->packed, first->packed, first->packed->bytes );
			assert_memory_equal( &tree->root, &first->root, sizeof first->root );
			dbvh_tree_destroy( tree );
		}
	}
	dbvhi_isa_select( NULL );
	dbvh_tree_destroy( first );
	free( positions );
	shape_free( &s );
}

// Trees that are built in a hurry are other trees with the same answers, and can be refitted as well.
static void fast_trees( void **state ) {
	(void)state;
	rng r = rng_announce( "fast trees", 33 );
	size_t count, meeting = 0;
	const dbvhi_isa *isa = dbvhi_isa_available( &count );
	// Fewer kinds where each takes long, as under the sanitizers; the twins of kind 5 are among them.
	for ( int kind = 0; kind < 8; kind += rounds( 10 ) < 2 ? 5 : 1 ) {
		shape s = { 0 };
		if ( kind == 5 )
			add_soup( &s, &r, 4200, 0.05, 0.3, true ); // with twins, for several threads
		else
			add_kind( &s, &r, kind );
		dbvh_mesh_view view = shape_view( &s );
		dbvh_tree *const best = build( &view, 1 );
		dbvh_tree *first = NULL;
		dbvh_tree_options options = dbvh_tree_options_default();
		options.quality = DBVH_QUALITY_FAST;
		for ( size_t i = 0; i < count; ++i ) {
			ledger books = { .fill = (unsigned char)( 31 * i ) };
			const dbvh_allocator allocator = ledger_allocator( &books );
			dbvh_tree *tree = NULL;
			dbvhi_isa_select( isa[i].name );
			options.thread_count = (uint32_t)( 1 + i % 3 );
			assert_int_equal( dbvh_tree_build( &view, &options, i == 0 ? NULL : &allocator, &tree, NULL ), DBVH_OK );
			if ( i == 0 ) {
				first = tree;
				continue;
			}
			assert_int_equal( tree->packed->bytes, first->packed->bytes );
			assert_memory_equal( tree->packed, first->packed, first->packed->bytes );
			dbvh_tree_destroy( tree );
			assert_true( books.live == 0 && books.bytes == 0 && books.mistakes == 0 );
		}
		dbvhi_isa_select( NULL );
		expect_sound( first, "fast" );
		assert_true( first->hash == best->hash && first->largest == best->largest );
		meeting += compare( first, best, &r, DBVH_POLICY_DEFAULT );
		assert_int_equal( dbvh_tree_refit( first, &view, NULL ), DBVH_OK );
		expect_sound( first, "fast, refitted" );
		dbvh_tree_destroy( first );
		dbvh_tree_destroy( best );
		shape_free( &s );
	}
	printf( "refit: %zu poses of fast trees meet\n", meeting );
	assert_outcomes( meeting > 5 );
}

// A mesh that floats would not hold is built like any other.
static void fast_in_any_unit( void **state ) {
	(void)state;
	static const double sizes[] = { 0x1p-60, 0x1p60, 0x1p1010, 0x1p-1060, 0.0 };
	for ( size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i ) {
		shape s = { 0 };
		shape_add_box( &s, sizes[i], sizes[i], sizes[i], 6 );
		const dbvh_mesh_view view = shape_view( &s );
		dbvh_tree_options options = dbvh_tree_options_default();
		dbvh_tree *tree = NULL;
		options.quality = DBVH_QUALITY_FAST;
		assert_int_equal( dbvh_tree_build( &view, &options, NULL, &tree, NULL ), DBVH_OK );
		assert_int_equal( sizes[i] < 0x1p1000, tree->packed != NULL && tree->nodes == NULL );
		expect_sound( tree, "in any unit" );
		dbvh_tree_destroy( tree );
		shape_free( &s );
	}
}

static void refuse( dbvh_tree *tree, const dbvh_mesh_view *view, dbvh_status status, const char *text ) {
	const size_t bytes = tree->packed != NULL ? tree->packed->bytes : 0;
	void *const kept = malloc( bytes + 1 );
	assert_non_null( kept );
	if ( bytes > 0 )
		memcpy( kept, tree->packed, bytes );
	const dbvhi_node root = tree->root;
	dbvh_error error;
	assert_int_equal( dbvh_tree_refit( tree, view, &error ), status );
	assert_int_equal( error.status, status );
	assert_string_equal( error.text, text );
	assert_memory_equal( kept, tree->packed, bytes );
	assert_memory_equal( &root, &tree->root, sizeof root );
	expect_sound( tree, text );
	free( kept );
}

static void refusals( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_box( &s, 1, 1, 1, 3 );
	dbvh_mesh_view view = shape_view( &s );
	dbvh_tree *const tree = build( &view, 1 );
	dbvh_error error;
	assert_int_equal( dbvh_tree_refit( NULL, &view, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_tree_refit( tree, NULL, &error ), DBVH_INVALID_ARGUMENT );
	view.triangle_count -= 1;
	refuse( tree, &view, DBVH_INVALID_ARGUMENT, "view has 107 triangles, but tree has 108" );
	view.triangle_count += 1;
	double *const x = s.positions + 3, was = *x;
	*x = (double)NAN;
	refuse( tree, &view, DBVH_NOT_FINITE, "vertex 1 has a coordinate that is NaN or infinite" );
	*x = was;
	// A corner goes its own way.
	const uint32_t other = shape_vertex( &s, 0.1, 0.2, 5.0 ), corner = s.indices[3 * 7];
	s.indices[3 * 7] = other;
	view = shape_view( &s );
	assert_int_equal( dbvh_tree_refit( tree, &view, &error ), DBVH_INVALID_ARGUMENT );
	assert_non_null( strstr( error.text, "has a corner that another triangle shared, and no longer does" ) );
	expect_sound( tree, "after a corner was torn off" );
	s.indices[3 * 7] = corner;
	dbvh_tree_destroy( tree );
	shape_free( &s );
}

// Refits between any places and sizes, there and back: the tree is sound and answers as a new one.
static void all_scales( void **state ) {
	(void)state;
	rng r = rng_announce( "refit: all scales", 34 );
	size_t fitted = 0, scaled = 0;
	for ( size_t round = 0; round < rounds( 400 ); ++round ) {
		shape s = { 0 };
		if ( rng_below( &r, 2 ) == 0 )
			shape_add_box( &s, 1, 1, 1, 1 + (uint32_t)rng_below( &r, 3 ) );
		else
			add_soup( &s, &r, 1 + rng_below( &r, 12 ), 0.5, 0.0, false );
		double *const positions = malloc( 3 * s.vertex_count * sizeof *positions );
		assert_non_null( positions );
		// The size before and after, each with an offset from the origin that is some multiple of it.
		const int size[2] = { (int)rng_below( &r, 60 ) - 36, rng_below( &r, 2 ) == 0
		                                                         ? (int)rng_below( &r, 90 ) - 50
		                                                         : (int)rng_below( &r, 2090 ) - 1074 };
		for ( size_t k = 0; k < 2; ++k ) {
			const double away = rng_below( &r, 2 ) == 0 ? 0.0 : ldexp( 1.0, (int)rng_below( &r, 60 ) - 20 );
			double offset[3];
			for ( int j = 0; j < 3; ++j )
				offset[j] = away * rng_range( &r, -1.0, 1.0 );
			double *const out = k == 0 ? s.positions : positions;
			for ( size_t i = 0; i < 3 * s.vertex_count; ++i )
				out[i] = ldexp( s.positions[i] + ( size[k] < 0 ? 0.0 : offset[i % 3] ), size[k] ) +
				         ( size[k] < 0 && size[k] > -60 ? offset[i % 3] : 0.0 );
			if ( k == 0 )
				memcpy( positions, s.positions, 3 * s.vertex_count * sizeof *positions );
		}
		dbvh_mesh_view view = shape_view( &s );
		dbvh_tree *const tree = build( &view, 1 );
		view.positions = positions;
		dbvh_error error;
		const bool moves = dbvh_mesh_view_check( &view, NULL ) == DBVH_OK && tree->corners == NULL;
		dbvh_tree *const fresh = moves ? build( &view, 1 ) : NULL;
		if ( moves ) {
			assert_int_equal( dbvh_tree_refit( tree, &view, &error ), DBVH_OK );
			expect_sound( tree, "of any scale" );
			fitted += 1;
			scaled += tree->packed != NULL && dbvhi_packed_is_scaled( tree->packed );
			assert_true( tree->hash == fresh->hash && tree->largest == fresh->largest );
			compare( tree, fresh, &r, DBVH_POLICY_DEFAULT );
			view.positions = s.positions;
			assert_int_equal( dbvh_tree_refit( tree, &view, &error ), DBVH_OK );
		}
		expect_sound( tree, "of any scale" );
		dbvh_tree_destroy( fresh );
		dbvh_tree_destroy( tree );
		free( positions );
		shape_free( &s );
	}
	printf( "%zu refitted, %zu of them in a unit of their own\n", fitted, scaled );
	assert_outcomes( rounds( 400 ) < 100 || ( scaled > 20 && fitted > scaled + 20 ) );
}

// Refits to a mesh of any size at the origin, from one that was far away.
static void far_and_tiny( void **state ) {
	(void)state;
	for ( int e = -1074; e <= 20; e += e < -60 || e > -30 ? 7 : 1 ) {
		shape s = { 0 };
		shape_add_box( &s, 1, 1, 1, 1 );
		scale_and_move( &s, 0, 1.0, 1e6 + 0.1, 0.3, -0.7e6 );
		dbvh_mesh_view view = shape_view( &s );
		dbvh_tree *const tree = build( &view, 1 );
		for ( size_t i = 0; i < s.vertex_count; ++i ) {
			for ( size_t k = 0; k < 3; ++k )
				s.positions[3 * i + k] = ldexp( ( i >> k & 1 ) != 0 ? 1.0 : 0.0, e );
		}
		dbvh_error error;
		assert_int_equal( dbvh_tree_refit( tree, &view, &error ), DBVH_OK );
		expect_sound( tree, "far and tiny" );
		dbvh_tree_destroy( tree );
		shape_free( &s );
	}
}

// A tree that keeps its reference tree becomes what a build with its options makes.
static void with_reference( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_torus( &s, 1.0, 0.3, 16, 10 );
	dbvh_mesh_view view = shape_view( &s );
	const dbvh_tree_options kinds[] = { { .reference = true },
	                                    { .topology = true },
	                                    { .ellipsoids = DBVH_ELLIPSOIDS_ALL },
	                                    { .fragments = DBVH_FRAGMENTS_ALL },
	                                    { .leaf_size = 3 } };
	for ( size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i ) {
		dbvh_tree *tree, *fresh;
		dbvh_error error;
		assert_int_equal( dbvh_tree_build( &view, &kinds[i], NULL, &tree, NULL ), DBVH_OK );
		for ( size_t k = 0; k < 3 * s.vertex_count; ++k )
			s.positions[k] *= 1.0 + 0.01 * (double)( k % 7 );
		assert_int_equal( dbvh_tree_refit( tree, &view, &error ), DBVH_OK );
		assert_int_equal( dbvh_tree_build( &view, &kinds[i], NULL, &fresh, NULL ), DBVH_OK );
		expect_sound( tree, "built anew" );
		const dbvh_tree_stats is = dbvh_tree_get_stats( tree ), wanted = dbvh_tree_get_stats( fresh );
		assert_true( is.content_hash == wanted.content_hash && is.bytes == wanted.bytes );
		assert_true( tree->packed->bytes == fresh->packed->bytes );
		assert_memory_equal( tree->packed, fresh->packed, (size_t)fresh->packed->bytes );
		s.positions[0] = (double)NAN;
		assert_int_equal( dbvh_tree_refit( tree, &view, &error ), DBVH_NOT_FINITE );
		s.positions[0] = 1.0;
		expect_sound( tree, "after a refusal" );
		dbvh_tree_destroy( fresh );
		dbvh_tree_destroy( tree );
	}
	shape_free( &s );
}

// Triangles that are the same move together, or not at all.
static void twins( void **state ) {
	(void)state;
	rng r = rng_announce( "refit: twins", 32 );
	shape s = { 0 };
	add_soup( &s, &r, 200, 0.3, 0.0, false );
	const size_t vertices = s.vertex_count, triangles = s.triangle_count;
	for ( size_t i = 0; i < vertices; ++i )
		shape_vertex( &s, s.positions[3 * i], s.positions[3 * i + 1], s.positions[3 * i + 2] );
	for ( size_t i = 0; i < triangles; ++i ) {
		const uint32_t more = (uint32_t)vertices;
		shape_triangle( &s, s.indices[3 * i + 1] + more, s.indices[3 * i] + more, s.indices[3 * i + 2] + more );
	}
	dbvh_mesh_view view = shape_view( &s );
	dbvh_tree *const tree = build( &view, 1 );
	assert_true( tree->twins != NULL && tree->triangle_count == triangles );
	double *const positions = malloc( 3 * s.vertex_count * sizeof *positions );
	assert_non_null( positions );
	deform( &s, positions, 1, 0.8 );
	view.positions = positions;
	assert_int_equal( dbvh_tree_refit( tree, &view, NULL ), DBVH_OK );
	expect_sound( tree, "twins" );
	dbvh_tree *const fresh = build( &view, 1 );
	compare( tree, fresh, &r, DBVH_POLICY_DEFAULT );
	dbvh_tree_destroy( fresh );
	positions[3 * vertices] += 0.125;
	dbvh_error error;
	assert_int_equal( dbvh_tree_refit( tree, &view, &error ), DBVH_INVALID_ARGUMENT );
	assert_non_null( strstr( error.text, "was the same as another, and no longer is" ) );
	expect_sound( tree, "twins that part" );
	dbvh_tree_destroy( tree );
	free( positions );
	shape_free( &s );
}

static void no_memory( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_box( &s, 1, 1, 1, 3 );
	const dbvh_mesh_view view = shape_view( &s );
	ledger books = { 0 };
	const dbvh_allocator allocator = ledger_allocator( &books );
	dbvh_tree *tree = NULL;
	dbvh_tree_options options = dbvh_tree_options_default();
	options.quality = DBVH_QUALITY_FAST;
	size_t refused = 0;
	for ( dbvh_status built = DBVH_OUT_OF_MEMORY; built != DBVH_OK; ) {
		books.calls = 0;
		books.fail_at = refused + 1;
		built = dbvh_tree_build( &view, &options, &allocator, &tree, NULL );
		assert_true( built == DBVH_OK || ( books.live == 0 && books.mistakes == 0 && tree == NULL ) );
		refused += built != DBVH_OK;
	}
	assert_true( refused > 10 && refused < 60 );
	const size_t live = books.live, bytes = books.bytes;
	size_t failures = 0;
	dbvh_status status = DBVH_OUT_OF_MEMORY;
	while ( status != DBVH_OK ) {
		books.calls = 0;
		books.fail_at = failures + 1;
		status = dbvh_tree_refit( tree, &view, NULL );
		assert_true( status == DBVH_OK || status == DBVH_OUT_OF_MEMORY );
		assert_true( books.live == live && books.bytes == bytes && books.mistakes == 0 );
		failures += status != DBVH_OK;
	}
	assert_true( failures > 5 && failures < 40 );
	dbvh_tree_destroy( tree );
	assert_int_equal( books.live, 0 );
	shape_free( &s );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( same_answers ),     cmocka_unit_test( distances ),
	    cmocka_unit_test( with_reference ),   cmocka_unit_test( threads_and_sets ),
	    cmocka_unit_test( refusals ),         cmocka_unit_test( all_scales ),
	    cmocka_unit_test( far_and_tiny ),     cmocka_unit_test( twins ),
	    cmocka_unit_test( no_memory ),        cmocka_unit_test( fast_trees ),
	    cmocka_unit_test( fast_in_any_unit ),
	};
	return test_main( argc, argv, tests );
}
