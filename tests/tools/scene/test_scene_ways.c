// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Clearances with a direction against what the places of boxes say, and swings against samples of them.

#include "assembly/findings.h"
#include "assembly/ways.h"
#include "shapes/shapes.h"
#include "support/rng.h"
#include "support/rounds.h"
#include "support/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const files[] = { "test" };

typedef struct stage {
	scene_assembly assembly;
	scene_trees trees;
	scene_rule_book *book;
	dbvh_scene *scene;
	scene_findings found;
} stage;

// Boxes by their lower and upper corners, in a frame that is at `pose`.
static void add_boxes( stage *s, const char *name, const double boxes[][6], size_t count, const dbvh_pose *pose ) {
	scene_model *m = &s->assembly.model;
	shape made = { 0 };
	dbvh_mesh *mesh;
	for ( size_t k = 0; k < count; ++k ) {
		const double *box = boxes[k];
		const size_t first = made.vertex_count;
		shape_add_box( &made, 0.5 * ( box[3] - box[0] ), 0.5 * ( box[4] - box[1] ), 0.5 * ( box[5] - box[2] ), 1 );
		for ( size_t i = 3 * first; i < 3 * made.vertex_count; ++i )
			made.positions[i] += 0.5 * ( box[i % 3] + box[i % 3 + 3] );
	}
	const dbvh_mesh_view view = shape_view( &made );
	assert_int_equal( dbvh_mesh_create( &view, NULL, &mesh, NULL ), DBVH_OK );
	shape_free( &made );
	assert_int_not_equal( scene_add_body( m, name, scene_add_mesh( m, mesh, "box" ), pose ), SCENE_NONE );
}

static void add_box( stage *s, const char *name, const double box[6], const dbvh_pose *pose ) {
	add_boxes( s, name, (const double( * )[6])box, 1, pose );
}

static void find( stage *s, const char *a, const char *b, double clearance, const scene_way *way ) {
	static const dbvh_pair_rule meets = { .may_collide = true };
	scene_model *m = &s->assembly.model;
	const dbvh_pair_rule rule = { .clearance = clearance };
	uint32_t failed;
	assert_int_not_equal( scene_add_rule( m, NULL, NULL, &meets ), SCENE_NONE );
	const uint32_t number = scene_add_rule( m, a, b, &rule );
	assert_int_not_equal( number, SCENE_NONE );
	m->rules[number].way = *way;
	s->assembly.files = files;
	s->assembly.file_count = 1;
	s->assembly.file_of = calloc( m->body_count + 1, sizeof *s->assembly.file_of );
	assert_int_equal( scene_build_trees( m, 1, NULL, NULL, NULL, &s->trees, &failed, NULL ), DBVH_OK );
	assert_int_equal( dbvh_scene_create( NULL, &s->scene, NULL ), DBVH_OK );
	for ( uint32_t i = 0; i < m->body_count; ++i ) {
		uint32_t body;
		assert_int_equal(
		    dbvh_scene_add_body( s->scene, s->trees.trees[m->bodies[i].mesh], &m->bodies[i].pose, NULL, &body, NULL ),
		    DBVH_OK );
	}
	scene_ways_measure( m );
	s->book = scene_rules_open( m );
	assert_int_equal( scene_rules_apply( s->book, s->scene, NULL ), DBVH_OK );
	assert_int_equal( scene_find( &s->assembly, &s->trees, s->book, s->scene, 2, NULL, &s->found, NULL ), DBVH_OK );
}

static void strike( stage *s ) {
	scene_findings_free( &s->found );
	dbvh_scene_destroy( s->scene );
	scene_rules_close( s->book );
	scene_trees_free( &s->trees );
	scene_assembly_free( &s->assembly );
}

static void random_box( rng *r, double box[6] ) {
	for ( int k = 0; k < 3; ++k ) {
		box[k] = 0.25 * ( (double)rng_below( r, 33 ) - 16.0 );
		box[k + 3] = box[k] + 0.25 * (double)( 1 + rng_below( r, 12 ) );
	}
}

static bool is_apart( const double a[6], const double b[6] ) {
	for ( int k = 0; k < 3; ++k )
		if ( a[k] > b[k + 3] || b[k] > a[k + 3] )
			return true;
	return false;
}

// How far `a` goes along an axis (sign 1 or -1) until it touches b; infinite: it passes by.
static double free_way( const double a[6], const double b[6], int axis, int sign ) {
	for ( int k = 0; k < 3; ++k )
		if ( k != axis && ( a[k] > b[k + 3] || b[k] > a[k + 3] ) )
			return INFINITY;
	const double gap = sign > 0 ? b[axis] - a[axis + 3] : a[axis] - b[axis + 3];
	return gap >= 0.0 ? gap : INFINITY;
}

// Boxes on a grid, so that many pass by each other flush, and many are as far away as the clearance to the last bit.
static void test_directions( void **state ) {
	(void)state;
	rng r = rng_announce( "directions", 33 );
	size_t counts[3] = { 0 };
	for ( size_t n = rounds( 2000 ) < 400 ? 400 : rounds( 2000 ); n-- > 0; ) {
		const dbvh_pose none = dbvh_pose_identity();
		const int axis = (int)rng_below( &r, 3 ), sign = rng_below( &r, 2 ) == 0 ? 1 : -1;
		const bool is_mutual = rng_below( &r, 4 ) == 0;
		double clearance = 0.5 * (double)( 1 + rng_below( &r, 8 ) );
		scene_way way = { .kind = SCENE_WAY_STRAIGHT };
		way.axis[axis] = sign;
		double a[6], b[6];
		random_box( &r, a );
		random_box( &r, b );
		if ( !is_apart( a, b ) )
			continue;
		const double of_b = free_way( b, a, axis, sign ), of_a = is_mutual ? free_way( a, b, axis, sign ) : INFINITY;
		const double way_free = fmin( of_a, of_b );
		if ( isfinite( way_free ) && way_free > 0.0 && n % 2 == 0 )
			clearance = way_free;
		stage s = { 0 };
		add_box( &s, "a", a, &none );
		add_box( &s, "b", b, &none );
		// "b" goes; the paths are in the other order.
		find( &s, is_mutual ? "*" : "b", is_mutual ? "*" : "a", clearance, &way );
		assert_int_equal( s.found.clash_count, way_free < clearance ? 1 : 0 );
		if ( way_free < clearance ) {
			const scene_clash *c = &s.found.clashes[0];
			assert_int_equal( c->kind, DBVH_CLASH_KIND_CLEARANCE );
			assert_true( c->distance <= way_free && c->distance > way_free - 1e-5 );
			assert_true( c->clearance == clearance );
		}
		++counts[way_free < clearance ? 0 : way_free == clearance ? 1 : 2];
		strike( &s );
	}
	assert_outcomes( counts[0] > 0 && counts[1] > 0 && counts[2] > 0 );
}

// A ceiling of one body with a wall that is nearer than the clearance, so that the pair is looked at: what is touched
// at the end of the way to the last bit is not in it, what is a ten-millionth nearer is.
static void test_ends( void **state ) {
	(void)state;
	static const double goer[6] = { 0, 0, 0, 1, 1, 1 };
	static const double room[2][6] = { { 0, 0, 2, 1, 1, 3 }, { 1.25, 0, 0, 1.5, 1, 1 } };
	static const struct {
		double clearance;
		size_t count;
	} cases[] = { { 0.5, 0 }, { 1.0 - 1e-7, 0 }, { 1.0, 0 }, { 1.0 + 1e-7, 1 }, { 1.5, 1 } };
	const scene_way way = { .kind = SCENE_WAY_STRAIGHT, .axis = { 0, 0, 1 } };
	const dbvh_pose none = dbvh_pose_identity();
	for ( size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i ) {
		stage s = { 0 };
		add_box( &s, "goer", goer, &none );
		add_boxes( &s, "room", room, 2, &none );
		find( &s, "goer", "*", cases[i].clearance, &way );
		assert_int_equal( s.found.clash_count, cases[i].count );
		strike( &s );
	}
}

// A door leaf about its hinge, and posts: at no sampled angle do they meet where the swing is free, and where it is not
// they do at the time that is named.
static void test_swings( void **state ) {
	(void)state;
	rng r = rng_announce( "swings", 34 );
	size_t counts[2] = { 0 };
	for ( size_t n = rounds( 200 ) < 60 ? 60 : rounds( 200 ); n-- > 0; ) {
		static const double leaf[6] = { 0.02, -0.02, 0, 0.9, 0.02, 2 };
		dbvh_pose at = shape_pose( ( const double[3] ){ 0, 0, 1 }, rng_range( &r, 0, 360 ),
		                           ( const double[3] ){ rng_range( &r, -5, 5 ), rng_range( &r, -5, 5 ), 0 } );
		const scene_way way = {
		    .kind = SCENE_WAY_TURN, .axis = { 0, 0, 1 }, .centre = { 0, 0, 0.5 }, .angle = rng_range( &r, -3.0, 3.0 ) };
		const double x = rng_range( &r, -1.2, 1.2 ), y = rng_range( &r, -1.2, 1.2 );
		const double post[6] = { x, y, 0.5, x + 0.1, y + 0.1, 1.5 };
		stage s = { 0 };
		add_box( &s, "door", leaf, &at );
		add_box( &s, "post", post, &at );
		find( &s, "door", "*", 0.0, &way );
		const bool is_hard = s.found.clash_count > 0 && s.found.clashes[0].kind != DBVH_CLASH_KIND_CLEARANCE;
		dbvh_motion motion = { .from = at, .axis = { 0, 0, 1 }, .angle = way.angle };
		memcpy( motion.centre, at.pos, sizeof motion.centre );
		motion.centre[2] += 0.5;
		const dbvh_tree *door = s.trees.trees[0], *other = s.trees.trees[1];
		for ( int i = 0; i <= 200 && s.found.clash_count == 0; ++i ) {
			const dbvh_pose then = dbvh_motion_pose( &motion, i / 200.0 );
			dbvh_collide_result hit;
			assert_int_equal( dbvh_collide( door, &then, other, &at, NULL, NULL, &hit, NULL ), DBVH_OK );
			assert_int_equal( hit.verdict, DBVH_DISJOINT );
		}
		if ( s.found.clash_count > 0 && !is_hard ) {
			const scene_clash *c = &s.found.clashes[0];
			const dbvh_pose then = dbvh_motion_pose( &motion, c->distance / c->clearance );
			dbvh_distance_result near;
			assert_int_equal( dbvh_distance( door, &then, other, &at, NULL, NULL, &near, NULL ), DBVH_OK );
			assert_true( near.distance < 1e-5 );
		}
		if ( !is_hard )
			++counts[s.found.clash_count];
		strike( &s );
	}
	assert_outcomes( counts[0] > 0 && counts[1] > 0 );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = { cmocka_unit_test( test_directions ), cmocka_unit_test( test_ends ),
	                                    cmocka_unit_test( test_swings ) };
	return test_main( argc, argv, tests );
}
