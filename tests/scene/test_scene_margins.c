// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Margins of the boxes of bodies and of lower bounds: bodies that meet, or are as near as a rule asks, by the last bit,
// with poses as far from rigid as DBVH_POSE_TOLERANCE allows, and far from the origin; equal hits and distances, of
// which the lowest body is reported, seen from far away.

#include "dualbvh/scene.h"
#include "support/scene.h"
#include "support/unit.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { TREES = 3 };

typedef struct world {
	rng r;
	shape shapes[TREES];
	dbvh_tree *trees[TREES];
	size_t both; // cases
} world;

static world make_world( const char *name, uint64_t seed ) {
	world w = { .r = rng_announce( name, seed ) };
	shape_add_box( &w.shapes[0], 1.0, 1.0, 1.0, 1 );
	shape_add_box( &w.shapes[1], 1.0, 0.0625, 0.5, 1 );
	shape_add_sphere( &w.shapes[2], 1.0, 8, 6 );
	// Meshes off their origins, so that the centres of their boxes are rounded.
	scale_and_move( &w.shapes[1], 0, 1.0, 0.1, -0.3, 0.2 );
	scale_and_move( &w.shapes[2], 0, 1.0, -0.2, 0.1, 0.3 );
	for ( int i = 0; i < TREES; ++i ) {
		const dbvh_mesh_view view = shape_view( &w.shapes[i] );
		dbvh_tree_options options = dbvh_tree_options_default();
		options.topology = true;
		assert_int_equal( dbvh_tree_build( &view, &options, NULL, &w.trees[i], NULL ), DBVH_OK );
	}
	return w;
}

static void free_world( world *w ) {
	for ( int i = 0; i < TREES; ++i ) {
		dbvh_tree_destroy( w->trees[i] );
		shape_free( &w->shapes[i] );
	}
}

typedef struct couple {
	const dbvh_tree *a, *b;
	dbvh_pose pose_a, pose_b;
	double direction[3], at[3];
	dbvh_pair_rule rule;
	double sag;
} couple;

// B so far from `at`, along the direction.
static void put( couple *c, double way ) {
	for ( int k = 0; k < 3; ++k )
		c->pose_b.pos[k] = c->at[k] + way * c->direction[k];
}

// Are the two a clash, by the functions for two meshes?
static bool is_clash( const couple *c ) {
	if ( c->rule.clearance > 0.0 ) {
		dbvh_distance_result d;
		assert_int_equal( dbvh_distance( c->a, &c->pose_a, c->b, &c->pose_b, NULL, NULL, &d, NULL ), DBVH_OK );
		return d.distance < c->rule.clearance;
	}
	if ( c->rule.touch_gap == 0.0 && c->sag == 0.0 ) { // neither body holds the other before they meet
		dbvh_collide_result met;
		assert_int_equal( dbvh_collide( c->a, &c->pose_a, c->b, &c->pose_b, NULL, NULL, &met, NULL ), DBVH_OK );
		return met.verdict == DBVH_INTERSECTING;
	}
	const dbvh_relate_query query = { .touch_gap = c->rule.touch_gap + 2.0 * c->sag };
	dbvh_relate_result result;
	assert_int_equal( dbvh_relate( c->a, &c->pose_a, c->b, &c->pose_b, &query, NULL, &result, NULL ), DBVH_OK );
	return result.relation != DBVH_RELATION_DISJOINT;
}

// The scene, and a batch of one and of both of its bodies, say what is said of the two alone.
static void check_scene( world *w, const couple *c ) {
	dbvh_scene *scene;
	uint32_t a, b;
	assert_int_equal( dbvh_scene_create( NULL, &scene, NULL ), DBVH_OK );
	const dbvh_body_options options = { .sag = c->sag };
	assert_int_equal( dbvh_scene_add_body( scene, c->a, &c->pose_a, &options, &a, NULL ), DBVH_OK );
	assert_int_equal( dbvh_scene_add_body( scene, c->b, &c->pose_b, &options, &b, NULL ), DBVH_OK );
	assert_int_equal( dbvh_scene_set_default_rule( scene, &c->rule, NULL ), DBVH_OK );
	dbvh_scene_result result;
	assert_int_equal( dbvh_scene_clashes( scene, NULL, NULL, 0, &result, NULL ), DBVH_OK );
	assert_int_equal( result.found_count, is_clash( c ) );
	dbvh_collide_result met;
	assert_int_equal( dbvh_collide( c->a, &c->pose_a, c->b, &c->pose_b, NULL, NULL, &met, NULL ), DBVH_OK );
	assert_int_equal( dbvh_scene_collide( scene, NULL, NULL, 0, &result, NULL ), DBVH_OK );
	assert_int_equal( result.found_count, met.verdict == DBVH_INTERSECTING );
	const dbvh_pose poses[] = { c->pose_a, c->pose_b, c->pose_b };
	const uint32_t bodies[] = { a, b, b };
	for ( size_t count = 1; count <= 2; ++count ) {
		// With one body moved, the other keeps the pose that it has in the scene.
		const dbvh_configurations_query query = { .bodies = count == 2 ? bodies : bodies + 1, .body_count = count };
		dbvh_configuration_result out;
		assert_int_equal( dbvh_scene_collide_batch( scene, count == 2 ? poses : poses + 1, 1, &query, &out, NULL ),
		                  DBVH_OK );
		assert_int_equal( out.verdict, met.verdict );
	}
	dbvh_scene_destroy( scene );
	w->both += 1;
}

// Bisection for the border between clash and no clash; both sides of it are checked.
static void check_border( world *w, couple *c ) {
	double in = 0.0, out = 16.0 + 4.0 * c->rule.clearance;
	put( c, in );
	if ( !is_clash( c ) )
		return;
	for ( int i = 0; i < 70; ++i ) {
		const double middle = 0.5 * in + 0.5 * out;
		put( c, middle );
		*( is_clash( c ) ? &in : &out ) = middle;
	}
	put( c, in );
	check_scene( w, c );
	put( c, out );
	check_scene( w, c );
}

// A random turn or the identity, shrunk or stretched as far as a pose may deviate from a rotation, or not. Boxes shrink
// with a pose; distances are measured in the frame of a body, where they shrink if its pose stretches.
static dbvh_pose some_pose( world *w, const double at[3], double side ) {
	dbvh_pose pose = rng_below( &w->r, 3 ) > 0 ? dbvh_pose_identity() : random_pose( &w->r, 1.0 );
	memcpy( pose.pos, at, sizeof pose.pos );
	const double scale = 1.0 + side * 0.49 * DBVH_POSE_TOLERANCE;
	for ( int i = 0; i < 3; ++i ) {
		for ( int k = 0; k < 3; ++k )
			pose.rot[i][k] *= scale;
	}
	return pose;
}

// `side`: 0 for rotations, 1 for poses that stretch, -1 for poses that shrink.
static couple some_couple( world *w, double far, double side ) {
	couple c = { .a = w->trees[rng_below( &w->r, TREES )], .b = w->trees[rng_below( &w->r, TREES )] };
	for ( int k = 0; k < 3; ++k )
		c.at[k] = far * rng_range( &w->r, -1.0, 1.0 );
	c.pose_a = some_pose( w, c.at, side );
	c.pose_b = some_pose( w, c.at, side );
	random_direction( &w->r, c.direction );
	if ( rng_below( &w->r, 2 ) == 0 ) {
		memset( c.direction, 0, sizeof c.direction );
		c.direction[rng_below( &w->r, 3 )] = rng_below( &w->r, 2 ) == 0 ? 1.0 : -1.0;
	}
	return c;
}

static void borders( void **state ) {
	(void)state;
	world w = make_world( "scene_margins: borders", 281 );
	static const double distances[] = { 0.0, 1.0, 1e4, 1e8, 1e12 };
	const size_t count = rounds( 1600 );
	for ( size_t i = 0; i < count; ++i ) {
		couple c = some_couple( &w, distances[i / 2 % 5], i % 2 == 0 ? -1.0 : 0.0 );
		const uint64_t kind = rng_below( &w.r, 6 );
		if ( kind == 0 )
			c.rule.clearance = rng_range( &w.r, 0.0, 3.0 );
		else if ( kind == 1 )
			c.rule.touch_gap = rng_range( &w.r, 0.0, 1.0 );
		else if ( kind == 2 )
			c.sag = rng_range( &w.r, 0.0, 0.5 );
		check_border( &w, &c );
	}
	printf( "scene_margins: %zu borders\n", w.both );
	assert_true( w.both >= count );
	free_world( &w );
}

// ------------------------------------------------------------------------------------------------
// Lengths in the frame of a body whose pose stretches or shrinks

static double distance_of( const couple *c ) {
	dbvh_distance_result d;
	assert_int_equal( dbvh_distance( c->a, &c->pose_a, c->b, &c->pose_b, NULL, NULL, &d, NULL ), DBVH_OK );
	return d.distance;
}

static dbvh_scene *scene_of( const couple *c, double radius, double sag ) {
	dbvh_scene *scene;
	uint32_t body;
	const dbvh_body_options options = { .radius = radius, .sag = sag };
	assert_int_equal( dbvh_scene_create( NULL, &scene, NULL ), DBVH_OK );
	assert_int_equal( dbvh_scene_add_body( scene, c->a, &c->pose_a, &options, &body, NULL ), DBVH_OK );
	assert_int_equal( dbvh_scene_add_body( scene, c->b, &c->pose_b, &options, &body, NULL ), DBVH_OK );
	return scene;
}

static bool has_clash( const couple *c, const dbvh_pair_rule *rule, double sag ) {
	dbvh_scene *scene = scene_of( c, 0.0, sag );
	dbvh_scene_result result;
	assert_int_equal( dbvh_scene_set_default_rule( scene, rule, NULL ), DBVH_OK );
	assert_int_equal( dbvh_scene_clashes( scene, NULL, NULL, 0, &result, NULL ), DBVH_OK );
	dbvh_scene_destroy( scene );
	return result.found_count > 0;
}

// What a scene says of two bodies and a length, where their distance is `apart`.
static void check_length( const couple *c, double length, double apart ) {
	const dbvh_pair_rule rules[] = { { .clearance = length }, { .touch_gap = length }, { .clearance = 0.0 } };
	assert_int_equal( has_clash( c, &rules[0], 0.0 ), apart < length );
	assert_int_equal( has_clash( c, &rules[1], 0.0 ), apart <= length );
	assert_int_equal( has_clash( c, &rules[2], 0.5 * length ), apart <= length );
	dbvh_scene *scene = scene_of( c, 0.5 * length, 0.0 );
	dbvh_scene_result met;
	assert_int_equal( dbvh_scene_collide( scene, NULL, NULL, 0, &met, NULL ), DBVH_OK );
	assert_int_equal( met.found_count, apart <= length );
	dbvh_scene_destroy( scene );
	scene = scene_of( c, 0.0, 0.0 );
	const dbvh_scene_distance_query within = { .limit = length };
	dbvh_scene_distance_result near;
	assert_int_equal( dbvh_scene_distance( scene, &within, &near, NULL ), DBVH_OK );
	assert_int_equal( near.found, apart <= length );
	// One body moved, the other where the scene has it; then both.
	const dbvh_pose poses[] = { c->pose_a, c->pose_b, c->pose_b };
	const uint32_t bodies[] = { 0, 1, 1 };
	for ( size_t count = 1; count <= 2; ++count ) {
		const dbvh_configurations_query query = {
		    .bodies = count == 2 ? bodies : bodies + 1, .body_count = count, .max_distance = length };
		dbvh_configuration_result out;
		assert_int_equal( dbvh_scene_collide_batch( scene, count == 2 ? poses : poses + 1, 1, &query, &out, NULL ),
		                  DBVH_OK );
		assert_int_equal( out.has_distance, apart <= length );
	}
	dbvh_scene_destroy( scene );
}

// More bodies than a batch lists the pairs of: the others lie behind one of the two, far from it and from each other.
static void check_among_many( const couple *c, double length, double apart ) {
	enum { MANY = 72 };
	uint32_t bodies[MANY];
	dbvh_pose poses[MANY] = { c->pose_a, c->pose_b };
	dbvh_scene *scene = scene_of( c, 0.0, 0.0 );
	for ( uint32_t i = 0; i < MANY; ++i ) {
		bodies[i] = i;
		if ( i < 2 )
			continue;
		poses[i] = c->pose_a;
		for ( int k = 0; k < 3; ++k )
			poses[i].pos[k] -= (double)i * 8.0 * length * c->direction[k];
		assert_int_equal( dbvh_scene_add_body( scene, c->a, &poses[i], NULL, &bodies[i], NULL ), DBVH_OK );
	}
	const dbvh_configurations_query query = { .bodies = bodies, .body_count = MANY, .max_distance = length };
	dbvh_configuration_result out;
	assert_int_equal( dbvh_scene_collide_batch( scene, poses, 1, &query, &out, NULL ), DBVH_OK );
	assert_int_equal( out.has_distance, apart <= length );
	dbvh_scene_destroy( scene );
}

// Two pairs far from each other, of which one is nearer by a hair in the frames of its bodies, and farther by their
// boxes or the other way round.
static void check_nearest( const couple *c, double apart ) {
	couple other = *c;
	dbvh_scene *scene = scene_of( c, 0.0, 0.0 );
	const double hair = 1.0 + ldexp( 1.0, -22 );
	for ( int side = -1; side <= 1; side += 2 ) {
		for ( int k = 0; k < 3; ++k ) {
			other.pose_a.pos[k] = c->pose_a.pos[k] + ( k == 0 ? 16.0 * apart + 64.0 : 0.0 );
			other.pose_b.pos[k] =
			    other.pose_a.pos[k] + ( c->pose_b.pos[k] - c->pose_a.pos[k] ) * ( side > 0 ? hair : 1.0 / hair );
		}
		uint32_t body[2];
		assert_int_equal( dbvh_scene_add_body( scene, c->a, &other.pose_a, NULL, &body[0], NULL ), DBVH_OK );
		assert_int_equal( dbvh_scene_add_body( scene, c->b, &other.pose_b, NULL, &body[1], NULL ), DBVH_OK );
		dbvh_scene_distance_result near;
		assert_int_equal( dbvh_scene_distance( scene, NULL, &near, NULL ), DBVH_OK );
		const double there = distance_of( &other );
		assert_true( near.distance == fmin( apart, there ) );
		assert_int_equal( near.a, apart <= there ? 0 : body[0] );
		for ( int k = 0; k < 2; ++k )
			assert_int_equal( dbvh_scene_remove_body( scene, body[k], NULL ), DBVH_OK );
	}
	dbvh_scene_destroy( scene );
}

static void lengths( void **state ) {
	(void)state;
	world w = make_world( "scene_margins: lengths", 285 );
	const size_t count = rounds( 400 );
	for ( size_t i = 0; i < count; ++i ) {
		couple c = some_couple( &w, 0.0, i % 3 == 0 ? 1.0 : i % 3 == 1 ? -1.0 : 0.0 );
		// What boxes are grown by for the extent of bodies hides what is missing for short lengths.
		put( &c, ldexp( rng_range( &w.r, 1.0, 2.0 ), 2 + (int)rng_below( &w.r, 18 ) ) );
		const double apart = distance_of( &c );
		check_length( &c, apart, apart );
		check_length( &c, nextafter( apart, INFINITY ), apart );
		check_length( &c, nextafter( apart, 0.0 ), apart );
		check_nearest( &c, apart );
		if ( i % 4 == 0 )
			check_among_many( &c, apart, apart );
	}
	free_world( &w );
}

// Needles whose tips meet, or nearly, at lengths whose squares are lost near the least double.
static void tiny_bodies( void **state ) {
	(void)state;
	rng r = rng_announce( "scene_margins: tiny bodies", 286 );
	size_t met = 0;
	const size_t count = rounds( 4000 );
	for ( size_t i = 0; i < count; ++i ) {
		const double size = ldexp( rng_range( &r, 1.0, 2.0 ), -530 - (int)rng_below( &r, 9 ) );
		const double way[3] = { rng_range( &r, 0.9, 1.0 ), rng_range( &r, 0.9, 1.0 ), rng_range( &r, 0.9, 1.0 ) };
		const double shift = rng_range( &r, -0.05, 0.05 );
		shape shapes[2] = { 0 };
		dbvh_tree *trees[2];
		couple c = { .pose_a = dbvh_pose_identity(), .pose_b = dbvh_pose_identity() };
		// The base of the second stands across the plane of the first, whose edge to x is at its tip.
		const double tips[2][3][3] = {
		    { { -2.0, 0.0, 0.0 }, { 0.0, 0.0, 0.0 }, { 0.0, 0.02, 0.0 } },
		    { { shift, 0.01, -0.01 }, { shift, 0.01, 0.01 }, { 2.0, 0.0, 0.0 } },
		};
		for ( int k = 0; k < 2; ++k ) {
			for ( int j = 0; j < 3; ++j ) {
				const double *t = tips[k][j]; // along the way, x, and the normal of both
				shape_vertex( &shapes[k], size * ( t[0] * way[0] + t[1] ), size * ( t[0] * way[1] + t[2] * way[2] ),
				              size * ( t[0] * way[2] - t[2] * way[1] ) );
			}
			shape_triangle( &shapes[k], 0, 1, 2 );
			const dbvh_mesh_view view = shape_view( &shapes[k] );
			assert_int_equal( dbvh_tree_build( &view, NULL, NULL, &trees[k], NULL ), DBVH_OK );
		}
		c.a = trees[0];
		c.b = trees[1];
		const bool meets = is_clash( &c );
		dbvh_scene *scene = scene_of( &c, 0.0, 0.0 );
		dbvh_scene_result result;
		dbvh_configuration_result out;
		const dbvh_pose poses[] = { c.pose_a, c.pose_b };
		assert_int_equal( dbvh_scene_collide( scene, NULL, NULL, 0, &result, NULL ), DBVH_OK );
		assert_int_equal( result.found_count, meets );
		assert_int_equal( dbvh_scene_collide_batch( scene, poses, 1, NULL, &out, NULL ), DBVH_OK );
		assert_int_equal( out.verdict == DBVH_INTERSECTING, meets );
		met += meets;
		dbvh_scene_destroy( scene );
		for ( int k = 0; k < 2; ++k ) {
			dbvh_tree_destroy( trees[k] );
			shape_free( &shapes[k] );
		}
	}
	printf( "scene_margins: %zu of %zu tiny pairs meet\n", met, count );
	assert_outcomes( met > 0 && met < count );
}

// ------------------------------------------------------------------------------------------------
// Equal answers

// A triangle at one place, and the same with another one that lies nearer to whoever asks, or farther from it, aside:
// so its box is asked first.
typedef struct twins {
	shape alone, with_other;
	dbvh_tree *trees[2];
	dbvh_scene *scene;
} twins;

static void make_twins( twins *t, const double corners[3][3], const double aside[3] ) {
	memset( t, 0, sizeof *t );
	for ( int which = 0; which < 2; ++which ) {
		shape *s = which == 0 ? &t->alone : &t->with_other;
		for ( int i = 0; i < 3; ++i )
			shape_vertex( s, corners[i][0], corners[i][1], corners[i][2] );
		shape_triangle( s, 0, 1, 2 );
		if ( which == 1 ) {
			for ( int i = 0; i < 3; ++i )
				shape_vertex( s, aside[0] + 0.01 * ( i == 1 ), aside[1] + 0.01 * ( i == 2 ), aside[2] );
			shape_triangle( s, 3, 4, 5 );
		}
		const dbvh_mesh_view view = shape_view( s );
		assert_int_equal( dbvh_tree_build( &view, NULL, NULL, &t->trees[which], NULL ), DBVH_OK );
	}
	assert_int_equal( dbvh_scene_create( NULL, &t->scene, NULL ), DBVH_OK );
	uint32_t body;
	for ( int which = 0; which < 2; ++which )
		assert_int_equal( dbvh_scene_add_body( t->scene, t->trees[which], NULL, NULL, &body, NULL ), DBVH_OK );
}

static void free_twins( twins *t ) {
	dbvh_scene_destroy( t->scene );
	for ( int which = 0; which < 2; ++which )
		dbvh_tree_destroy( t->trees[which] );
	shape_free( &t->alone );
	shape_free( &t->with_other );
}

// Two bodies are hit at the same place, by a ray from far away: the lower one counts, though the box of the other
// begins earlier.
static void equal_hits( void **state ) {
	(void)state;
	rng r = rng_announce( "scene_margins: equal hits", 282 );
	size_t hits = 0;
	const size_t count = rounds( 4000 );
	for ( size_t i = 0; i < count; ++i ) {
		const double far = ldexp( rng_range( &r, 1.0, 2.0 ), (int)rng_below( &r, 40 ) ), z = rng_range( &r, 0.1, 1.0 );
		const double corners[3][3] = { { -1, -1, z }, { 2, -1, z }, { -1, 2, z } };
		const double aside[3] = { -0.9, 1.5, z - 0.5 };
		twins t;
		make_twins( &t, corners, aside );
		// The second body is moved against the ray and along it; the ray may be slanted.
		const double slant = rng_below( &r, 2 ) == 0 ? 0.0 : rng_range( &r, -1.0, 1.0 );
		dbvh_ray ray = { .direction = { slant, 0.0, rng_range( &r, 0.3, 1.0 ) } };
		const double t_hit = far / ray.direction[2];
		ray.from[0] = -slant * t_hit;
		ray.from[2] = z - far;
		dbvh_scene_hit hit;
		assert_int_equal( dbvh_scene_raycast( t.scene, &ray, &hit, NULL ), DBVH_OK );
		dbvh_raycast_result alone;
		const dbvh_raycast_query first = { .find = DBVH_FIND_CLOSEST };
		assert_int_equal( dbvh_raycast( t.trees[0], NULL, &ray, &first, NULL, &alone, NULL ), DBVH_OK );
		assert_int_equal( hit.body, alone.intersects ? 0 : DBVH_NO_BODY );
		hits += alone.intersects;
		free_twins( &t );
	}
	printf( "scene_margins: %zu of %zu hit\n", hits, count );
	assert_outcomes( hits > count / 4 );
}

// A ray from far away that passes a corner of the box, and hits the triangle next to it: what it is in the box is less
// than what is rounded of where it enters and leaves.
static void grazing_rays( void **state ) {
	(void)state;
	rng r = rng_announce( "scene_margins: grazing rays", 284 );
	size_t hits = 0;
	const size_t count = rounds( 4000 );
	for ( size_t i = 0; i < count; ++i ) {
		double corners[3][3];
		for ( int k = 0; k < 3; ++k ) {
			corners[0][k] = rng_unit( &r );
			corners[1][k] = corners[0][k] - ( k == 0 ? 1.0 : 0.1 );
			corners[2][k] = corners[0][k] - ( k == 1 ? 1.0 : 0.1 );
		}
		twins t;
		make_twins( &t, corners, corners[1] );
		const double far = ldexp( rng_range( &r, 1.0, 2.0 ), (int)rng_below( &r, 40 ) ), near = far * 0x1p-50;
		dbvh_ray ray = { .direction = { 1.0, rng_range( &r, -1.5, -0.5 ), rng_range( &r, -0.3, 0.3 ) } };
		for ( int k = 0; k < 3; ++k ) {
			const double at = corners[0][k] + near * ( corners[1][k] + corners[2][k] - 2.0 * corners[0][k] );
			ray.from[k] = at - far * ray.direction[k];
		}
		dbvh_scene_hit hit;
		dbvh_raycast_result alone;
		const dbvh_raycast_query first = { .find = DBVH_FIND_CLOSEST };
		assert_int_equal( dbvh_scene_raycast( t.scene, &ray, &hit, NULL ), DBVH_OK );
		assert_int_equal( dbvh_raycast( t.trees[0], NULL, &ray, &first, NULL, &alone, NULL ), DBVH_OK );
		assert_int_equal( hit.body, alone.intersects ? 0 : DBVH_NO_BODY );
		hits += alone.intersects;
		free_twins( &t );
	}
	printf( "scene_margins: %zu of %zu graze\n", hits, count );
	assert_outcomes( hits > count / 20 && hits < count );
}

// The same for a point that is far away, or near.
static void equal_distances( void **state ) {
	(void)state;
	rng r = rng_announce( "scene_margins: equal distances", 283 );
	const size_t count = rounds( 4000 );
	for ( size_t i = 0; i < count; ++i ) {
		const double far = ldexp( rng_range( &r, 1.0, 2.0 ), (int)rng_below( &r, 60 ) );
		double corners[3][3], point[3];
		for ( int k = 0; k < 3; ++k ) {
			// The first corner is nearest to the point.
			corners[0][k] = rng_unit( &r );
			corners[1][k] = corners[0][k] - ( k == 0 ? 1.0 : 0.1 );
			corners[2][k] = corners[0][k] - ( k == 1 ? 1.0 : 0.1 );
			point[k] = corners[0][k] + far * rng_range( &r, 0.1, 1.0 );
		}
		// The second body enlarges the box towards the point along z, and is farther away.
		const double aside[3] = { corners[0][0] - 3.0, corners[0][1] - 3.0, corners[0][2] + 0.05 };
		twins t;
		make_twins( &t, corners, aside );
		dbvh_scene_closest_point_result closest;
		dbvh_closest_point_result alone, other;
		assert_int_equal( dbvh_scene_closest_point( t.scene, point, NULL, &closest, NULL ), DBVH_OK );
		assert_int_equal( dbvh_closest_point( t.trees[0], NULL, point, NULL, NULL, &alone, NULL ), DBVH_OK );
		assert_int_equal( dbvh_closest_point( t.trees[1], NULL, point, NULL, NULL, &other, NULL ), DBVH_OK );
		assert_true( closest.closest.distance == fmin( alone.distance, other.distance ) );
		assert_int_equal( closest.body, alone.distance <= other.distance ? 0 : 1 );
		free_twins( &t );
	}
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = { cmocka_unit_test( borders ),      cmocka_unit_test( lengths ),
	                                    cmocka_unit_test( tiny_bodies ),  cmocka_unit_test( equal_hits ),
	                                    cmocka_unit_test( grazing_rays ), cmocka_unit_test( equal_distances ) };
	return test_main( argc, argv, tests );
}
