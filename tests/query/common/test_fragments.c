// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Fragments of long triangles are the tree's own business: whatever is asked, a tree with fragments says the same as
// one without, on every kernel and by the reference tree, with room for all answers and for few.

#define _POSIX_C_SOURCE 200112L // setenv()

#include "bvh/tree.h"
#include "dualbvh/isa.h"
#include "dualbvh/tree_file.h"
#include "simd/isa.h"
#include "support/scene.h"
#include "support/unit.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t seed_default = 20261122;

enum { ROOM = 20000, MESHES = 5 };

// One mesh, without fragments and with.
typedef struct both {
	shape mesh;
	dbvh_tree *plain, *divided;
	double size;
} both;

// Needles from one side to the other, every which way.
static void add_needles( shape *s, rng *r, size_t count ) {
	for ( size_t i = 0; i < count; ++i ) {
		double from[3], to[3], aside[3];
		random_direction( r, from );
		random_direction( r, to );
		random_direction( r, aside );
		const double width = rng_range( r, 1e-3, 0.1 );
		const uint32_t a = shape_vertex( s, from[0], from[1], from[2] );
		const uint32_t b = shape_vertex( s, to[0], to[1], to[2] );
		const uint32_t c =
		    shape_vertex( s, from[0] + width * aside[0], from[1] + width * aside[1], from[2] + width * aside[2] );
		shape_triangle( s, a, b, c );
	}
}

// A prism of many sides, closed: its sides are long, and so are the triangles of its ends, all from one corner.
static void add_prism( shape *s, uint32_t sides, double length ) {
	const uint32_t first = (uint32_t)s->vertex_count;
	for ( uint32_t k = 0; k < sides; ++k ) {
		double c, d;
		shape_turn( k, sides, &c, &d );
		shape_vertex( s, 0.3 * c, 0.3 * d, -length );
		shape_vertex( s, 0.3 * c, 0.3 * d, length );
	}
	for ( uint32_t k = 0; k < sides; ++k ) {
		const uint32_t a = first + 2 * k, b = first + 2 * ( ( k + 1 ) % sides );
		shape_triangle( s, a, b, a + 1 );
		shape_triangle( s, b, b + 1, a + 1 );
		if ( k >= 1 && k + 1 < sides ) {
			shape_triangle( s, first, b, a );
			shape_triangle( s, first + 1, a + 1, b + 1 );
		}
	}
}

static dbvh_tree *build( const shape *s, dbvh_fragments fragments ) {
	dbvh_tree_options options = dbvh_tree_options_default();
	options.fragments = fragments;
	options.topology = true;
	dbvh_tree *tree = tree_of( s, &options );
	dbvh_error error = { DBVH_OK };
	if ( dbvh_tree_validate( tree, &error ) != DBVH_OK )
		fail_msg( "%s", error.text );
	return tree;
}

static both make( shape s, bool some ) {
	both out = { .mesh = s, .plain = build( &s, DBVH_FRAGMENTS_NONE ), .divided = build( &s, DBVH_FRAGMENTS_ALL ) };
	out.size = dbvh_tree_get_stats( out.plain ).sphere.radius;
	const dbvh_tree_stats stats = dbvh_tree_get_stats( out.divided );
	printf( "fragments: %zu of %zu triangles\n", stats.fragment_count, stats.triangle_count );
	assert_int_equal( some, stats.fragment_count > dbvh_tree_get_stats( out.plain ).fragment_count );
	assert_true( stats.fragment_count <= 3 * stats.triangle_count );
	return out;
}

static void free_both( both *b ) {
	dbvh_tree_destroy( b->plain );
	dbvh_tree_destroy( b->divided );
	shape_free( &b->mesh );
}

static void make_meshes( both meshes[MESHES], rng *r ) {
	shape s[MESHES] = { { 0 } };
	add_needles( &s[0], r, 150 );
	add_soup( &s[1], r, 200, 0.7, 0.3, true );
	add_prism( &s[2], 48, 2.0 );
	// Twice, so that some triangles are there twice, which stay whole; and needles among them.
	add_prism( &s[3], 12, 1.0 );
	add_prism( &s[3], 12, 1.0 );
	add_needles( &s[3], r, 30 );
	shape_gear gear = shape_gear_default();
	gear.teeth = 10;
	gear.module = 0.2;
	gear.bore_radius = 0.3;
	assert_true( shape_add_gear( &s[4], &gear ) );
	for ( int i = 0; i < MESHES; ++i )
		meshes[i] = make( s[i], true );
}

// A pose at which the meshes touch, are apart, or one is inside the other.
static dbvh_pose near_pose( rng *r, const both *a, const both *b ) {
	return rng_below( r, 4 ) == 0 ? exact_pose( r, 1.0 ) : random_pose( r, 0.8 * ( a->size + b->size ) );
}

typedef struct scene {
	both meshes[MESHES];
	dbvh_workspace *workspace;
	dbvh_pair *pairs[2];
	const dbvhi_isa *isa;
	size_t isa_count;
	rng random;
} scene;

static void begin( scene *s, const char *name, uint64_t seed ) {
	s->random = rng_announce( name, seed );
	make_meshes( s->meshes, &s->random );
	assert_int_equal( dbvh_workspace_create( NULL, &s->workspace, NULL ), DBVH_OK );
	for ( int k = 0; k < 2; ++k )
		assert_non_null( s->pairs[k] = malloc( ROOM * sizeof( dbvh_pair ) ) );
	s->isa = dbvhi_isa_available( &s->isa_count );
}

static void end( scene *s ) {
	for ( int i = 0; i < MESHES; ++i )
		free_both( &s->meshes[i] );
	dbvh_workspace_destroy( s->workspace );
	free( s->pairs[0] );
	free( s->pairs[1] );
	assert_int_equal( dbvh_isa_select( s->isa[s->isa_count - 1].name, NULL ), DBVH_OK );
}

static const both *any_mesh( scene *s ) {
	return &s->meshes[rng_below( &s->random, MESHES )];
}

static void use( const dbvhi_isa *isa ) {
	assert_int_equal( dbvh_isa_select( isa->name, NULL ), DBVH_OK );
}

// Three kinds of trees against the plain ones: a divided, b divided, both.
static const dbvh_tree *first_of( const both *a, int kind ) {
	return kind == 1 ? a->plain : a->divided;
}

static const dbvh_tree *second_of( const both *b, int kind ) {
	return kind == 0 ? b->plain : b->divided;
}

// ------------------------------------------------------------------------------------------------

static void same_list( scene *s, const dbvh_collide_result *wanted, const dbvh_collide_result *got, size_t room ) {
	assert_int_equal( got->verdict, wanted->verdict );
	assert_int_equal( got->pair_count, wanted->pair_count );
	const size_t written = wanted->pair_count < room ? wanted->pair_count : room;
	assert_int_equal( got->pair_written, written );
	assert_memory_equal( s->pairs[0], s->pairs[1], written * sizeof( dbvh_pair ) );
	if ( wanted->pair_count > 0 )
		assert_memory_equal( &got->first, &wanted->first, sizeof got->first );
}

static void collisions( void **state ) {
	(void)state;
	scene s;
	begin( &s, "fragments: collisions", seed_default );
	static const dbvh_policy policies[] = { DBVH_POLICY_PACKED, DBVH_POLICY_DUAL, DBVH_POLICY_RAPID };
	size_t meeting = 0, apart = 0, pairs = 0;
	for ( size_t round = 0; round < rounds( 60 ); ++round ) {
		const both *a = any_mesh( &s ), *b = any_mesh( &s );
		const dbvh_pose pose = near_pose( &s.random, a, b );
		dbvh_collide_query query = { .find = DBVH_FIND_ALL, .pairs = s.pairs[0], .pair_capacity = ROOM };
		dbvh_collide_result wanted, got;
		assert_int_equal( dbvh_collide( a->plain, NULL, b->plain, &pose, &query, s.workspace, &wanted, NULL ),
		                  DBVH_OK );
		assert_true( wanted.pair_count <= ROOM );
		query.pairs = s.pairs[1];
		for ( size_t i = 0; i < s.isa_count; ++i ) {
			use( &s.isa[i] );
			for ( int kind = 0; kind < 3; ++kind ) {
				const dbvh_tree *one = first_of( a, kind ), *two = second_of( b, kind );
				query.policy = policies[rng_below( &s.random, 3 )];
				query.thread_count = 1 + (uint32_t)rng_below( &s.random, 3 );
				static const size_t rooms[] = { ROOM, 0, 1, 7 };
				query.pair_capacity = rooms[rng_below( &s.random, 4 )];
				assert_int_equal( dbvh_collide( one, NULL, two, &pose, &query, s.workspace, &got, NULL ), DBVH_OK );
				same_list( &s, &wanted, &got, query.pair_capacity );
				assert_int_equal( dbvh_collide( one, NULL, two, &pose, NULL, s.workspace, &got, NULL ), DBVH_OK );
				assert_int_equal( got.verdict, wanted.verdict );
			}
		}
		meeting += wanted.verdict == DBVH_INTERSECTING;
		apart += wanted.verdict == DBVH_DISJOINT;
		pairs += wanted.pair_count;
	}
	printf( "fragments: %zu meeting, %zu apart, %zu pairs\n", meeting, apart, pairs );
	assert_outcomes( meeting > 0 && apart > 0 && pairs > 10 );
	end( &s );
}

static void themselves( void **state ) {
	(void)state;
	scene s;
	begin( &s, "fragments: themselves", seed_default + 1 );
	for ( int m = 0; m < MESHES; ++m ) {
		const both *a = &s.meshes[m];
		dbvh_collide_query query = { .find = DBVH_FIND_ALL, .pairs = s.pairs[0], .pair_capacity = ROOM };
		dbvh_collide_result wanted, got;
		assert_int_equal( dbvh_self_collide( a->plain, &query, s.workspace, &wanted, NULL ), DBVH_OK );
		query.pairs = s.pairs[1];
		for ( size_t i = 0; i < s.isa_count; ++i ) {
			use( &s.isa[i] );
			for ( int policy = 0; policy < 2; ++policy ) {
				query.policy = policy == 0 ? DBVH_POLICY_DEFAULT : DBVH_POLICY_DUAL;
				query.thread_count = 1 + (uint32_t)rng_below( &s.random, 2 );
				query.pair_capacity = rng_below( &s.random, 2 ) != 0 ? ROOM : 3;
				assert_int_equal( dbvh_self_collide( a->divided, &query, s.workspace, &got, NULL ), DBVH_OK );
				same_list( &s, &wanted, &got, query.pair_capacity );
				assert_int_equal( dbvh_self_collide( a->divided, NULL, s.workspace, &got, NULL ), DBVH_OK );
				assert_int_equal( got.verdict, wanted.verdict );
			}
		}
		printf( "fragments: %zu pairs of mesh %d\n", wanted.pair_count, m );
	}
	end( &s );
}

static void distances( void **state ) {
	(void)state;
	scene s;
	begin( &s, "fragments: distances", seed_default + 2 );
	size_t meeting = 0, apart = 0;
	for ( size_t round = 0; round < rounds( 5 ); ++round ) {
		const both *a = any_mesh( &s ), *b = any_mesh( &s );
		const dbvh_pose pose =
		    rng_below( &s.random, 4 ) == 0 ? exact_pose( &s.random, 5.0 ) : random_pose( &s.random, 2.5 * a->size );
		dbvh_distance_result wanted, got;
		assert_int_equal( dbvh_distance( a->plain, NULL, b->plain, &pose, NULL, s.workspace, &wanted, NULL ), DBVH_OK );
		dbvh_clearance_query query = { .max_distance = 1.1 * wanted.distance + 0.01,
		                               .find = DBVH_FIND_ALL,
		                               .pairs = s.pairs[0],
		                               .pair_capacity = ROOM };
		dbvh_clearance_result near, near_got;
		assert_int_equal( dbvh_check_clearance( a->plain, NULL, b->plain, &pose, &query, s.workspace, &near, NULL ),
		                  DBVH_OK );
		query.pairs = s.pairs[1];
		for ( size_t i = 0; i < s.isa_count; ++i ) {
			use( &s.isa[i] );
			for ( int kind = 0; kind < 3; ++kind ) {
				const dbvh_tree *one = first_of( a, kind ), *two = second_of( b, kind );
				const dbvh_policy policy = rng_below( &s.random, 3 ) == 0 ? DBVH_POLICY_DUAL : DBVH_POLICY_DEFAULT;
				const dbvh_distance_query distance = { .policy = policy };
				assert_int_equal( dbvh_distance( one, NULL, two, &pose, &distance, s.workspace, &got, NULL ), DBVH_OK );
				assert_true( got.distance == wanted.distance );
				// At distance 0 any pair that intersects is right.
				if ( wanted.distance > 0.0 ) {
					assert_memory_equal( &got.pair, &wanted.pair, sizeof got.pair );
					assert_memory_equal( got.between, wanted.between, sizeof got.between );
				}
				query.policy = policy;
				assert_int_equal( dbvh_check_clearance( one, NULL, two, &pose, &query, s.workspace, &near_got, NULL ),
				                  DBVH_OK );
				assert_int_equal( near_got.pair_count, near.pair_count );
				assert_memory_equal( s.pairs[0], s.pairs[1], near.pair_written * sizeof( dbvh_pair ) );
			}
		}
		meeting += wanted.distance == 0.0;
		apart += wanted.distance > 0.0;
	}
	printf( "fragments: %zu at no distance, %zu apart\n", meeting, apart );
	assert_outcomes( meeting + apart > 0 );
	end( &s );
}

static void lines_and_points( void **state ) {
	(void)state;
	scene s;
	begin( &s, "fragments: lines and points", seed_default + 3 );
	static dbvh_ray_hit hits[2][ROOM];
	static uint32_t triangles[2][ROOM];
	size_t hit_count = 0, inside = 0, met = 0;
	for ( size_t round = 0; round < rounds( 1500 ); ++round ) {
		const both *a = any_mesh( &s );
		const dbvh_pose pose = random_pose( &s.random, 1.0 );
		// Rays through corners go through edges of fragments.
		dbvh_ray ray;
		double point[3];
		random_direction( &s.random, ray.direction );
		for ( int k = 0; k < 3; ++k ) {
			point[k] = rng_range( &s.random, -1.0, 1.0 ) + pose.pos[k];
			ray.from[k] = point[k];
		}
		const dbvh_pose *at = &pose;
		if ( round % 3 == 0 ) {
			at = NULL;
			const double *p = a->mesh.positions + 3 * rng_below( &s.random, a->mesh.vertex_count ),
			             *q = a->mesh.positions + 3 * rng_below( &s.random, a->mesh.vertex_count );
			for ( int k = 0; k < 3; ++k ) {
				ray.from[k] = round % 2 == 0 ? 2.0 * p[k] - q[k] : p[k];
				ray.direction[k] = q[k] - p[k];
				point[k] = 0.5 * ( p[k] + q[k] );
			}
		}
		dbvh_raycast_query query = { .find = DBVH_FIND_ALL, .hits = hits[0], .hit_capacity = ROOM };
		dbvh_raycast_result wanted, got;
		assert_int_equal( dbvh_raycast( a->plain, at, &ray, &query, s.workspace, &wanted, NULL ), DBVH_OK );
		query.hits = hits[1];
		query.hit_capacity = round % 4 == 0 ? 2 : ROOM;
		assert_int_equal( dbvh_raycast( a->divided, at, &ray, &query, s.workspace, &got, NULL ), DBVH_OK );
		assert_int_equal( got.hit_count, wanted.hit_count );
		assert_memory_equal( hits[0], hits[1], got.hit_written * sizeof hits[0][0] );
		hit_count += wanted.hit_count;
		for ( int find = 0; find < 2; ++find ) {
			query.find = find == 0 ? DBVH_FIND_ANY : DBVH_FIND_CLOSEST;
			assert_int_equal( dbvh_raycast( a->divided, at, &ray, &query, s.workspace, &got, NULL ), DBVH_OK );
			assert_int_equal( got.intersects, wanted.intersects );
			if ( find == 1 && wanted.intersects )
				assert_memory_equal( &got.first, &wanted.first, sizeof got.first );
		}
		dbvh_closest_point_result closest[2];
		dbvh_location location[2];
		for ( int k = 0; k < 2; ++k ) {
			const dbvh_tree *tree = k == 0 ? a->plain : a->divided;
			assert_int_equal( dbvh_closest_point( tree, at, point, NULL, s.workspace, &closest[k], NULL ), DBVH_OK );
			assert_int_equal( dbvh_locate_point( tree, at, point, &location[k], NULL ), DBVH_OK );
		}
		assert_int_equal( closest[0].triangle, closest[1].triangle );
		assert_true( closest[0].distance == closest[1].distance );
		assert_memory_equal( closest[0].point, closest[1].point, sizeof closest[0].point );
		assert_int_equal( location[0], location[1] );
		inside += location[0] == DBVH_LOCATION_INSIDE;
		const dbvh_shape ball = {
		    .kind = DBVH_SHAPE_KIND_SPHERE,
		    .as.sphere = { { point[0], point[1], point[2] }, rng_range( &s.random, 0.0, 0.8 ) },
		};
		dbvh_collide_shape_query all = { .find = DBVH_FIND_ALL, .triangles = triangles[0], .triangle_capacity = ROOM };
		dbvh_collide_shape_result shapes[2];
		assert_int_equal( dbvh_collide_shape( a->plain, at, &ball, &all, s.workspace, &shapes[0], NULL ), DBVH_OK );
		all.triangles = triangles[1];
		all.triangle_capacity = round % 2 == 0 ? 3 : ROOM;
		assert_int_equal( dbvh_collide_shape( a->divided, at, &ball, &all, s.workspace, &shapes[1], NULL ), DBVH_OK );
		assert_int_equal( shapes[0].triangle_count, shapes[1].triangle_count );
		assert_memory_equal( triangles[0], triangles[1], shapes[1].triangle_written * sizeof( uint32_t ) );
		met += shapes[0].triangle_count;
	}
	printf( "fragments: %zu hits, %zu points inside, %zu triangles met\n", hit_count, inside, met );
	assert_outcomes( hit_count > 10 && inside > 0 && met > 100 );
	end( &s );
}

static void motions_and_solids( void **state ) {
	(void)state;
	scene s;
	begin( &s, "fragments: motions and solids", seed_default + 4 );
	dbvh_contacts *contacts[2] = { new_contacts(), new_contacts() };
	size_t relations[16] = { 0 }, touching = 0;
	for ( size_t round = 0; round < rounds( 20 ); ++round ) {
		// Solids: the prism, and the gear.
		const both *a = &s.meshes[round % 2 == 0 ? 2 : 4], *b = &s.meshes[round % 3 == 0 ? 4 : 2];
		const dbvh_pose pose = near_pose( &s.random, a, b ), far = random_pose( &s.random, 3.0 );
		dbvh_relate_result relation[2];
		dbvh_toi_result toi[2];
		dbvh_motion motion;
		assert_int_equal( dbvh_motion_between( &far, &pose, NULL, &motion, NULL ), DBVH_OK );
		use( &s.isa[rng_below( &s.random, s.isa_count )] );
		for ( int k = 0; k < 2; ++k ) {
			const dbvh_tree *one = k == 0 ? a->plain : a->divided, *two = k == 0 ? b->plain : b->divided;
			assert_int_equal( dbvh_relate( one, NULL, two, &pose, NULL, s.workspace, &relation[k], NULL ), DBVH_OK );
			assert_int_equal( dbvh_contacts_find( one, NULL, two, &pose, NULL, contacts[k], NULL ), DBVH_OK );
			if ( round % 4 == 0 )
				assert_int_equal( dbvh_time_of_impact( one, NULL, two, &motion, NULL, s.workspace, &toi[k], NULL ),
				                  DBVH_OK );
		}
		assert_int_equal( relation[0].relation, relation[1].relation );
		relations[relation[0].relation] += 1;
		const dbvh_contacts_view view[2] = { dbvh_contacts_get( contacts[0] ), dbvh_contacts_get( contacts[1] ) };
		assert_int_equal( view[0].contact_count, view[1].contact_count );
		assert_int_equal( view[0].point_count, view[1].point_count );
		if ( view[0].contact_count > 0 )
			assert_memory_equal( view[0].contacts, view[1].contacts,
			                     view[0].contact_count * sizeof view[0].contacts[0] );
		touching += view[0].contact_count;
		if ( round % 4 == 0 ) {
			assert_int_equal( toi[0].verdict, toi[1].verdict );
			// Both are bounds from below of the same first contact, and within the tolerance of a contact.
			if ( toi[0].verdict == DBVH_TOI_VERDICT_CONTACT )
				assert_true( fabs( toi[0].time - toi[1].time ) <= 0x1p-20 );
		}
	}
	printf( "fragments: %zu contacts\n", touching );
	assert_outcomes( touching > 0 );
	dbvh_contacts_destroy( contacts[0] );
	dbvh_contacts_destroy( contacts[1] );
	end( &s );
}

// ------------------------------------------------------------------------------------------------

// Every point of a triangle is as near to one of its fragments as the tree says, and so within its volumes; and the
// same mesh makes the same tree on any number of threads.
static void enclosure( void **state ) {
	(void)state;
	rng r = rng_announce( "fragments: enclosure", seed_default + 5 );
	for ( size_t round = 0; round < rounds( 40 ); ++round ) {
		shape s = { 0 };
		add_needles( &s, &r, 40 );
		// Far from the origin, where middles are rounded more.
		scale_and_move( &s, 0, ldexp( 1.0, (int)rng_below( &r, 20 ) - 4 ), rng_range( &r, -20.0, 20.0 ), 0.3, 0.0 );
		both b = make( s, true );
		const dbvh_tree *tree = b.divided;
		assert_true( tree->fragment_error > 0.0 );
		for ( uint32_t i = 0; i < tree->triangle_count; ++i ) {
			double corners[9];
			dbvhi_tree_fragment( tree, i, corners );
			// The same by another way: weights of the corners of the triangle are multiples of a power of two.
			double weights[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
			const double *whole = tree->corners + 9 * (size_t)i;
			double part[9];
			memcpy( part, whole, sizeof part );
			for ( int step = 31 - __builtin_clz( tree->fragment[i] ); step-- > 0; ) {
				int edge = 0;
				double longest = -1.0;
				for ( int k = 0; k < 3; ++k ) {
					const double *p = part + 3 * k, *q = part + 3 * ( ( k + 1 ) % 3 );
					const double square = ( q[0] - p[0] ) * ( q[0] - p[0] ) + ( q[1] - p[1] ) * ( q[1] - p[1] ) +
					                      ( q[2] - p[2] ) * ( q[2] - p[2] );
					edge = square > longest ? k : edge;
					longest = square > longest ? square : longest;
				}
				const int next = ( edge + 1 ) % 3, moved = ( tree->fragment[i] >> step & 1 ) == 0 ? next : edge;
				double middle[3], at[3];
				for ( int k = 0; k < 3; ++k ) {
					middle[k] = 0.5 * ( weights[edge][k] + weights[next][k] );
					at[k] = 0.5 * ( part[3 * edge + k] + part[3 * next + k] );
				}
				memcpy( weights[moved], middle, sizeof middle );
				memcpy( part + 3 * moved, at, sizeof at );
			}
			assert_memory_equal( part, corners, sizeof part );
			for ( int c = 0; c < 3; ++c ) {
				long double square = 0.0L;
				for ( int k = 0; k < 3; ++k ) {
					const long double exact = (long double)weights[c][0] * (long double)whole[k] +
					                          (long double)weights[c][1] * (long double)whole[3 + k] +
					                          (long double)weights[c][2] * (long double)whole[6 + k];
					square += ( exact - (long double)corners[3 * c + k] ) * ( exact - (long double)corners[3 * c + k] );
				}
				assert_true( sqrtl( square ) <= (long double)tree->fragment_error );
			}
		}
		free_both( &b );
	}
}

// The validator sees a fragment that is missing, one that is there twice, and volumes that do not allow for the error.
static void damage( void **state ) {
	(void)state;
	rng r = rng_announce( "fragments: damage", seed_default + 6 );
	shape s = { 0 };
	add_needles( &s, &r, 40 );
	both b = make( s, true );
	dbvh_tree *tree = b.divided;
	uint32_t at = 0;
	while ( !dbvhi_tree_is_divided( tree, at ) )
		at += 1;
	const uint32_t path = tree->fragment[at];
	static const uint32_t none = 0, beyond = 2u << DBVHI_FRAGMENT_STEPS;
	const uint32_t wrong[] = { 2 * path, path ^ 1, DBVHI_WHOLE, none, beyond };
	for ( size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i ) {
		tree->fragment[at] = wrong[i];
		assert_int_equal( dbvh_tree_validate( tree, NULL ), DBVH_INVARIANT );
	}
	tree->fragment[at] = path;
	tree->fragment_error *= 0x1p30;
	assert_int_equal( dbvh_tree_validate( tree, NULL ), DBVH_INVARIANT );
	tree->fragment_error *= 0x1p-30;
	assert_int_equal( dbvh_tree_validate( tree, NULL ), DBVH_OK );
	free_both( &b );
}

// Wherever memory ends, a build and a query that has to note more pairs than it has room for say so and lose none.
static void memory_ends( void **state ) {
	(void)state;
	shape s = { 0 };
	add_prism( &s, 16, 1.5 );
	const dbvh_mesh_view view = shape_view( &s );
	static const dbvh_fragments kinds[] = { DBVH_FRAGMENTS_ALL, DBVH_FRAGMENTS_CHOSEN };
	size_t failures = 0;
	for ( int k = 0; k < 2; ++k ) {
		const dbvh_tree_options options = { .fragments = kinds[k], .thread_count = 1 };
		dbvh_status status = DBVH_OUT_OF_MEMORY;
		for ( size_t at = 1; status == DBVH_OUT_OF_MEMORY; ++at ) {
			ledger books = { .fail_at = at };
			const dbvh_allocator allocator = ledger_allocator( &books );
			dbvh_tree *tree = NULL;
			status = dbvh_tree_build( &view, &options, &allocator, &tree, NULL );
			failures += status == DBVH_OUT_OF_MEMORY;
			assert_true( status == DBVH_OK || tree == NULL );
			dbvh_tree_destroy( tree );
			assert_int_equal( books.live, 0 );
			assert_int_equal( books.mistakes, 0 );
		}
		assert_int_equal( status, DBVH_OK );
	}
	both b = make( s, true );
	const dbvh_collide_query query = { .find = DBVH_FIND_ALL };
	dbvh_collide_result wanted, got;
	const dbvh_pose pose = dbvh_pose_from_quaternion( ( double[4] ){ 0.1, 0.7, 0.2, 0.7 }, ( double[3] ){ 0.0 } );
	assert_int_equal( dbvh_collide( b.plain, NULL, b.plain, &pose, &query, NULL, &wanted, NULL ), DBVH_OK );
	dbvh_status status = DBVH_OUT_OF_MEMORY;
	for ( size_t at = 1; status == DBVH_OUT_OF_MEMORY; ++at ) {
		ledger books = { .fail_at = at };
		const dbvh_allocator allocator = ledger_allocator( &books );
		dbvh_workspace *workspace = NULL;
		status = dbvh_workspace_create( &allocator, &workspace, NULL );
		if ( status == DBVH_OK )
			status = dbvh_collide( b.divided, NULL, b.divided, &pose, &query, workspace, &got, NULL );
		failures += status == DBVH_OUT_OF_MEMORY;
		dbvh_workspace_destroy( workspace );
		assert_int_equal( books.live, 0 );
		assert_int_equal( books.mistakes, 0 );
	}
	assert_int_equal( status, DBVH_OK );
	assert_int_equal( got.pair_count, wanted.pair_count );
	printf( "fragments: %zu failures, %zu pairs\n", failures, wanted.pair_count );
	assert_true( failures > 20 && wanted.pair_count > 0 );
	free_both( &b );
}

// A mesh whose triangles are alike, as scans have, is built as if there were no fragments; so is one of whose long
// triangles none is worth it, and one whose coordinates are all but one number.
static void alike( void **state ) {
	(void)state;
	shape s[3] = { { 0 } };
	shape_add_torus( &s[0], 1.0, 0.4, 60, 30 );
	shape_add_box( &s[1], 1.0, 1.0, 1.0, 6 );
	shape_add_sphere( &s[2], 1.0, 20, 10 );
	scale_and_move( &s[2], 0, 1.0, 0x1p20, 0.0, 0.0 );
	static const dbvh_fragments kinds[] = { DBVH_FRAGMENTS_ALL, DBVH_FRAGMENTS_CHOSEN };
	for ( int i = 0; i < 3; ++i ) {
		dbvh_tree *plain = build( &s[i], DBVH_FRAGMENTS_NONE );
		for ( int k = 0; k < 2; ++k ) {
			dbvh_tree *tree = build( &s[i], kinds[k] );
			assert_null( tree->fragment );
			assert_int_equal( tree->node_count, plain->node_count );
			assert_memory_equal( tree->nodes, plain->nodes, plain->node_count * sizeof *plain->nodes );
			assert_int_equal( tree->packed->bytes, plain->packed->bytes );
			assert_memory_equal( tree->packed, plain->packed, plain->packed->bytes );
			dbvh_tree_destroy( tree );
		}
		dbvh_tree_destroy( plain );
		shape_free( &s[i] );
	}
}

// Needles in a body of many small triangles: more than a piece of a build holds, so that there is a top above.
static shape body_with_needles( rng *r, uint32_t slices, size_t needles ) {
	shape s = { 0 };
	shape_add_sphere( &s, 0.5, slices, slices / 2 );
	add_needles( &s, r, needles );
	return s;
}

static void same_bytes( const void *a, const void *b, size_t size ) {
	assert_true( a != NULL && b != NULL );
	assert_memory_equal( a, b, size );
}

// A tree that keeps its packed form alone has the bytes of one that keeps its reference tree too, and comes back from a
// file.
static void packed_alone( void **state ) {
	(void)state;
	rng r = rng_announce( "packed alone", 20261123 );
	static const uint32_t slices[] = { 6, 24, 60, 100 };
	for ( size_t i = 0; i < sizeof slices / sizeof slices[0]; ++i ) {
		shape s = body_with_needles( &r, slices[i], 20 );
		const dbvh_tree_options alone = { .fragments = DBVH_FRAGMENTS_ALL, .thread_count = 1 + (uint32_t)( i % 3 ) };
		dbvh_tree_options with = alone;
		with.reference = true;
		dbvh_tree *tree = tree_of( &s, &alone ), *other = tree_of( &s, &with );
		const size_t count = tree->triangle_count;
		assert_true( tree->fragment != NULL && tree->nodes == NULL && other->nodes != NULL );
		assert_int_equal( count, other->triangle_count );
		same_bytes( tree->triangle, other->triangle, count * sizeof *tree->triangle );
		same_bytes( tree->fragment, other->fragment, count * sizeof *tree->fragment );
		assert_int_equal( tree->packed->bytes, other->packed->bytes );
		same_bytes( tree->packed, other->packed, tree->packed->bytes );
		assert_int_equal( dbvh_tree_validate( tree, NULL ), DBVH_OK );
		size_t size = 0;
		assert_int_equal( dbvh_tree_write( tree, NULL, 0, &size, NULL ), DBVH_OK );
		uint8_t *file = malloc( size );
		assert_non_null( file );
		assert_int_equal( dbvh_tree_write( tree, file, size, &size, NULL ), DBVH_OK );
		const dbvh_tree_load_options load = { .check = DBVH_FILE_CHECK_WHOLE };
		dbvh_tree *read = NULL;
		assert_int_equal( dbvh_tree_parse( file, size, &load, NULL, &read, NULL ), DBVH_OK );
		same_bytes( read->packed, other->packed, read->packed->bytes );
		const dbvh_mesh_view view = shape_view( &s );
		assert_int_equal( dbvh_tree_refit( tree, &view, NULL ), DBVH_OK );
		same_bytes( tree->packed, other->packed, tree->packed->bytes );
		free( file );
		dbvh_tree_destroy( read );
		dbvh_tree_destroy( other );
		dbvh_tree_destroy( tree );
		shape_free( &s );
	}
}

// The default divides the few triangles that are much longer than the rest, into fragments that are at most a tenth of
// all; if all are long, it divides none. Answers stay the same.
static void few( void **state ) {
	(void)state;
	rng r = rng_announce( "few", 20261124 );
	size_t hits = 0, misses = 0, isa_count;
	const dbvhi_isa *isa = dbvhi_isa_available( &isa_count );
	dbvh_workspace *workspace = NULL;
	assert_int_equal( dbvh_workspace_create( NULL, &workspace, NULL ), DBVH_OK );
	dbvh_pair *room[2] = { malloc( ROOM * sizeof( dbvh_pair ) ), malloc( ROOM * sizeof( dbvh_pair ) ) };
	assert_true( room[0] != NULL && room[1] != NULL );
	for ( size_t round = 0; round < 3; ++round ) {
		shape s = body_with_needles( &r, 80, 30 );
		const dbvh_tree_options whole = { .fragments = DBVH_FRAGMENTS_NONE }, fast = { .quality = DBVH_QUALITY_FAST };
		dbvh_tree *tree = tree_of( &s, NULL ), *plain = tree_of( &s, &whole ), *other = tree_of( &s, &fast );
		assert_true( tree->fragment != NULL && plain->fragment == NULL && other->fragment == NULL );
		assert_true( (double)tree->triangle_count <= 1.1 * (double)tree->mesh_triangle_count );
		assert_true( dbvh_tree_get_stats( tree ).bytes < 128 * tree->mesh_triangle_count );
		for ( size_t i = 0; i < rounds( 200 ); ++i ) {
			use( &isa[i % isa_count] );
			const dbvh_pose pose = random_pose( &r, 2.5 );
			const dbvh_collide_query query = { .find = DBVH_FIND_ALL, .pairs = room[0], .pair_capacity = ROOM };
			dbvh_collide_query again = query;
			again.pairs = room[1];
			dbvh_collide_result wanted, got;
			assert_int_equal( dbvh_collide( plain, NULL, plain, &pose, &query, workspace, &wanted, NULL ), DBVH_OK );
			assert_int_equal( dbvh_collide( tree, NULL, tree, &pose, &again, workspace, &got, NULL ), DBVH_OK );
			assert_int_equal( got.pair_count, wanted.pair_count );
			assert_memory_equal( room[0], room[1], wanted.pair_written * sizeof( dbvh_pair ) );
			hits += got.verdict == DBVH_INTERSECTING;
			misses += got.verdict == DBVH_DISJOINT;
			dbvh_distance_result far, near;
			assert_int_equal( dbvh_distance( plain, NULL, plain, &pose, NULL, workspace, &far, NULL ), DBVH_OK );
			assert_int_equal( dbvh_distance( tree, NULL, tree, &pose, NULL, workspace, &near, NULL ), DBVH_OK );
			assert_true( far.distance == near.distance );
		}
		dbvh_tree_destroy( other );
		dbvh_tree_destroy( plain );
		dbvh_tree_destroy( tree );
		shape_free( &s );
	}
	shape alone = { 0 };
	add_needles( &alone, &r, 150 );
	dbvh_tree *tree = tree_of( &alone, NULL );
	assert_null( tree->fragment );
	dbvh_tree_destroy( tree );
	shape_free( &alone );
	printf( "few: %zu intersecting, %zu disjoint\n", hits, misses );
	assert_outcomes( hits > 0 && misses > 0 );
	use( &isa[isa_count - 1] );
	dbvh_workspace_destroy( workspace );
	free( room[0] );
	free( room[1] );
}

// The choice of fragments depends neither on threads nor on kernels.
static void choice( void **state ) {
	(void)state;
	shape s = { 0 };
	add_prism( &s, 64, 3.0 );
	const size_t first_vertex = s.vertex_count;
	shape_add_sphere( &s, 0.5, 24, 16 );
	scale_and_move( &s, first_vertex, 1.0, 0.0, 0.0, 3.0 );
	size_t isa_count;
	const dbvhi_isa *isa = dbvhi_isa_available( &isa_count );
	dbvh_tree *first = NULL;
	for ( size_t i = 0; i < isa_count; ++i ) {
		use( &isa[i] );
		dbvh_tree_options options = { .fragments = DBVH_FRAGMENTS_CHOSEN, .thread_count = 1 + (uint32_t)( i % 3 ) };
		dbvh_tree *tree = tree_of( &s, &options );
		assert_int_equal( dbvh_tree_validate( tree, NULL ), DBVH_OK );
		if ( first == NULL ) {
			first = tree;
			printf( "fragments: %zu of %zu triangles\n", tree->triangle_count, tree->mesh_triangle_count );
			continue;
		}
		assert_int_equal( tree->triangle_count, first->triangle_count );
		assert_memory_equal( tree->packed, first->packed, first->packed->bytes );
		dbvh_tree_destroy( tree );
	}
	assert_true( first->triangle_count > first->mesh_triangle_count );
	dbvh_tree_destroy( first );
	shape_free( &s );
}

int main( int argc, char **argv ) {
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test( collisions ),         cmocka_unit_test( themselves ),   cmocka_unit_test( distances ),
	    cmocka_unit_test( lines_and_points ),   cmocka_unit_test( enclosure ),    cmocka_unit_test( alike ),
	    cmocka_unit_test( motions_and_solids ), cmocka_unit_test( choice ),       cmocka_unit_test( damage ),
	    cmocka_unit_test( memory_ends ),        cmocka_unit_test( packed_alone ), cmocka_unit_test( few ),
	};
	return test_main( argc, argv, tests );
}
