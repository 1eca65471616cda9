// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Certified edges against three oracles that ask about pairs at configurations, and know nothing of joints: samples,
// which no edge that is CLEAR contradicts; the least distance that a search over time finds, within which no edge is
// CLEAR; and a proof of the test's own, by distances and a bound on speeds from the lengths of chains alone.

#include "robot_stage.h"

#include <stdlib.h>

enum { STANDING = 3 };

// The cell: a robot with a body on each link, bodies that stand about it, and rules.
typedef struct cell {
	robot_stage s;
	uint32_t bodies[MOST_LINKS];
	bool rounded; // bodies may have a radius
} cell;

static uint32_t add_body( cell *c, rng *r, const dbvh_pose *pose ) {
	uint32_t body;
	const dbvh_body_options options = { .radius =
	                                        c->rounded && rng_below( r, 3 ) > 0 ? rng_range( r, 0.0, 0.3 ) : 0.0 };
	assert_int_equal( dbvh_scene_add_body( c->s.scene, c->s.trees[rng_below( r, TREES )], pose, &options, &body, NULL ),
	                  DBVH_OK );
	return body;
}

static void raise_cell( cell *c, rng *r, uint32_t links, double far ) {
	raise_robot( &c->s );
	c->rounded = rng_below( r, 2 ) == 0;
	add_links( &c->s, r, links, 1.2 );
	for ( uint32_t i = 0; i < STANDING; ++i ) {
		dbvh_pose pose = random_origin( r, 3.0 );
		pose.pos[0] += far;
		(void)add_body( c, r, &pose );
	}
	for ( uint32_t i = 0; i < links; ++i ) {
		const dbvh_pose pose = random_origin( r, 0.2 );
		c->bodies[i] = add_body( c, r, NULL );
		assert_int_equal( dbvh_robot_attach( c->s.robot, i, c->bodies[i], &pose, NULL ), DBVH_OK );
	}
	// Neighbours may meet.
	for ( uint32_t i = 0; i < links; ++i ) {
		uint32_t parent;
		assert_true( dbvh_robot_get_link( c->s.robot, i, &parent, NULL, NULL ) );
		const dbvh_pair_rule meets = { .may_collide = true };
		if ( parent != DBVH_NO_LINK )
			assert_int_equal( dbvh_scene_set_pair_rule( c->s.scene, c->bodies[parent], c->bodies[i], &meets, NULL ),
			                  DBVH_OK );
		if ( rng_below( r, 4 ) == 0 ) {
			const dbvh_pair_rule padded = { .clearance = rng_range( r, 0.0, 0.2 ) };
			assert_int_equal( dbvh_scene_set_body_rule( c->s.scene, c->bodies[i], &padded, NULL ), DBVH_OK );
		}
	}
}

static void strike_cell( cell *c ) {
	strike_robot( &c->s );
}

// ------------------------------------------------------------------------------------------------
// Questions about a time

typedef struct way {
	cell *cell;
	dbvh_robot_layout layout;
	const double *from, *to;
} way;

static void put_at( const way *w, double time ) {
	double row[MOST_WIDTH];
	dbvh_pose poses[MOST_LINKS];
	assert_int_equal( dbvh_robot_between( w->cell->s.robot, w->layout, w->from, w->to, &time, 1, row, NULL ), DBVH_OK );
	assert_int_equal( dbvh_robot_place( w->cell->s.robot, w->layout, row, 1, NULL, poses, NULL ), DBVH_OK );
	for ( uint32_t i = 0; i < w->cell->s.link_count; ++i )
		assert_int_equal( dbvh_scene_set_pose( w->cell->s.scene, w->cell->bodies[i], &poses[i], NULL ), DBVH_OK );
}

// The distance of a pair less its clearance; INFINITY where it is not checked. `extra` is a clearance of all pairs;
// NO_CLEARANCE: the distance alone.
#define NO_CLEARANCE ( -1.0 )
static double gap_of( const way *w, uint32_t a, uint32_t b, double extra ) {
	dbvh_pair_rule rule;
	dbvh_distance_result result;
	if ( ( a < STANDING && b < STANDING ) || !dbvh_scene_get_rule( w->cell->s.scene, a, b, &rule ) )
		return INFINITY;
	assert_int_equal( dbvh_scene_pair_distance( w->cell->s.scene, a, b, NULL, &result, NULL ), DBVH_OK );
	return extra == NO_CLEARANCE ? result.distance : result.distance - fmax( rule.clearance, extra );
}

static double least_gap( const way *w, double time, double extra ) {
	const uint32_t count = STANDING + w->cell->s.link_count;
	double least = INFINITY;
	put_at( w, time );
	for ( uint32_t a = 0; a < count; ++a )
		for ( uint32_t b = a + 1; b < count; ++b )
			least = fmin( least, gap_of( w, a, b, extra ) );
	return least;
}

// Does a pair clash at the poses of a time? Exactly: less apart than its clearance.
static bool clashes( const way *w, double time, dbvh_body_pair pair, double extra ) {
	dbvh_pair_rule rule;
	put_at( w, time );
	assert_true( dbvh_scene_get_rule( w->cell->s.scene, pair.a, pair.b, &rule ) );
	return gap_of( w, pair.a, pair.b, extra ) <= ( fmax( rule.clearance, extra ) > 0.0 ? 1e-15 : 0.0 );
}

// ------------------------------------------------------------------------------------------------
// The proof: pairs of configurations whose distances at both ends of a piece are more than what points can have gone.

// How far any point goes in a unit of time, by the lengths of all chains together.
static double crude_speed( const way *w ) {
	const robot_stage *s = &w->cell->s;
	double reach = 0.0, speed = 0.0;
	for ( int pass = 0; pass < 2; ++pass ) {
		for ( uint32_t i = 0; i < s->link_count; ++i ) {
			uint32_t followed;
			dbvh_pose origin;
			dbvh_joint joint;
			double factor = 1.0, offset = 0.0;
			size_t at = dbvh_robot_column( s->robot, i, w->layout );
			assert_true( dbvh_robot_get_link( s->robot, i, NULL, &origin, &joint ) );
			if ( dbvh_robot_get_followed( s->robot, i, &followed, &factor, &offset ) )
				at = dbvh_robot_column( s->robot, followed, w->layout );
			if ( pass == 0 ) {
				for ( int k = 0; k < 3; ++k )
					reach += fabs( origin.pos[k] );
				reach += 1.2; // the body and its place on the link
			}
			if ( at == DBVH_NO_COLUMN )
				continue;
			const double *a = w->from + at, *b = w->to + at;
			const int moves = joint.kind == DBVH_JOINT_KIND_PLANAR ? 2 : joint.kind == DBVH_JOINT_KIND_FLOATING ? 3 : 0;
			const bool slides = joint.kind == DBVH_JOINT_KIND_PRISMATIC;
			for ( int k = 0; k < ( slides ? 1 : moves ); ++k ) {
				if ( pass == 0 )
					reach += fabs( factor * a[k] ) + fabs( factor * b[k] ) + fabs( offset );
				else
					speed += fabs( factor * ( b[k] - a[k] ) );
			}
			const bool short_way = joint.kind == DBVH_JOINT_KIND_CONTINUOUS || joint.kind == DBVH_JOINT_KIND_PLANAR ||
			                       joint.kind == DBVH_JOINT_KIND_FLOATING;
			const bool leads = factor != 1.0 || offset != 0.0;
			if ( pass == 1 && !slides && joint.kind != DBVH_JOINT_KIND_FIXED )
				speed += reach * ( short_way && !leads ? 3.15 : fabs( factor * ( b[moves] - a[moves] ) ) );
		}
	}
	return 1.01 * speed;
}

static bool is_proved( const way *w, double begin, double end, double gap_begin, double gap_end, double speed,
                       double extra, int depth ) {
	if ( gap_begin + gap_end > 2.0 * speed * ( end - begin ) )
		return true;
	if ( depth == 0 || gap_begin <= 0.0 || gap_end <= 0.0 )
		return false;
	const double middle = 0.5 * ( begin + end ), gap = least_gap( w, middle, extra );
	return is_proved( w, begin, middle, gap_begin, gap, speed, extra, depth - 1 ) &&
	       is_proved( w, middle, end, gap, gap_end, speed, extra, depth - 1 );
}

// ------------------------------------------------------------------------------------------------
// The tests

typedef struct tally {
	size_t seen[DBVH_ROBOT_VERDICT_COUNT], proofs, refuted;
} tally;

static dbvh_robot_edge_result ask( const way *w, dbvh_find find, double clearance, double tolerance ) {
	const size_t width = dbvh_robot_width( w->cell->s.robot, w->layout );
	double q[2 * MOST_WIDTH];
	memcpy( q, w->from, width * sizeof *q );
	memcpy( q + width, w->to, width * sizeof *q );
	const dbvh_robot_edges_query query = {
	    .layout = w->layout, .find = find, .clearance = clearance, .tolerance = tolerance };
	dbvh_robot_edge_result result;
	assert_int_equal( dbvh_robot_edge_batch( w->cell->s.robot, w->cell->s.scene, q, 2, &query, &result, NULL ),
	                  DBVH_OK );
	assert_int_equal( result.status, DBVH_OK );
	return result;
}

// What a result says of the time that it names, and of the times before.
static void check_result( const way *w, const dbvh_robot_edge_result *e, double clearance, double tolerance ) {
	assert_true( e->free_until >= 0.0 && e->free_until <= e->time && e->time <= 1.0 );
	if ( e->verdict == DBVH_ROBOT_VERDICT_CLEAR ) {
		assert_true( e->free_until == 1.0 );
	} else {
		assert_true( e->free_until < e->time || e->time == 0.0 );
		if ( e->verdict == DBVH_ROBOT_VERDICT_COLLIDES )
			assert_true( clashes( w, e->time, e->bodies, clearance ) );
		dbvh_pair_rule rule;
		assert_true( dbvh_scene_get_rule( w->cell->s.scene, e->bodies.a, e->bodies.b, &rule ) );
		const double own = fmax( rule.clearance, clearance );
		if ( e->verdict == DBVH_ROBOT_VERDICT_CLOSE ) {
			put_at( w, e->time );
			assert_true( gap_of( w, e->bodies.a, e->bodies.b, clearance ) <= e->within - own + 1e-15 );
			assert_true( e->within - own <= 2.0 * tolerance + 1e-10 );
		}
	}
	for ( int i = 0; i <= 16; ++i )
		if ( e->free_until > 0.0 )
			assert_true( least_gap( w, e->free_until * i / 16.0, clearance ) > 0.0 );
}

// The least gap of an edge as far as samples and halving steps around the best of them find it.
static double search_least( const way *w, double extra, int samples ) {
	double best = INFINITY, at = 0.0;
	for ( int i = 0; i <= samples; ++i ) {
		const double gap = least_gap( w, (double)i / samples, extra );
		if ( gap < best ) {
			best = gap;
			at = (double)i / samples;
		}
	}
	for ( double step = 0.5 / samples; step > 1e-9 && best > 0.0; step *= 0.5 ) {
		for ( int side = -1; side <= 1; side += 2 ) {
			const double time = fmin( 1.0, fmax( 0.0, at + side * step ) ), gap = least_gap( w, time, extra );
			if ( gap < best ) {
				best = gap;
				at = time;
			}
		}
	}
	return best;
}

static void check_edge( const way *w, rng *r, tally *t, bool thoroughly ) {
	const double clearance = rng_below( r, 2 ) == 0 ? 0.0 : rng_range( r, 0.0, 0.3 );
	const double tolerance = ldexp( 1.0, -(int)rng_below( r, 14 ) - 4 );
	const dbvh_robot_edge_result any = ask( w, DBVH_FIND_ANY, clearance, tolerance );
	const dbvh_robot_edge_result first = ask( w, DBVH_FIND_CLOSEST, clearance, tolerance );
	check_result( w, &any, clearance, tolerance );
	check_result( w, &first, clearance, tolerance );
	assert_int_equal( any.verdict == DBVH_ROBOT_VERDICT_CLEAR, first.verdict == DBVH_ROBOT_VERDICT_CLEAR );
	t->seen[any.verdict] += 1;
	const int samples = thoroughly ? 100 + (int)rounds( 9900 ) : 60;
	const double least = search_least( w, clearance, samples );
	if ( any.verdict == DBVH_ROBOT_VERDICT_CLEAR )
		assert_true( least > 0.0 );
	if ( least <= 0.0 )
		return;
	const double speed = crude_speed( w );
	if ( any.verdict != DBVH_ROBOT_VERDICT_CLEAR || !( speed < 300.0 * least ) || least == INFINITY )
		return;
	assert_true( is_proved( w, 0.0, 1.0, least_gap( w, 0.0, clearance ), least_gap( w, 1.0, clearance ), speed,
	                        clearance, 14 ) );
	t->proofs += 1;
}

// With a clearance of a hair more than a distance on the way no edge is clear, whatever the tolerance.
static void check_hair( const way *w, rng *r, tally *t ) {
	const double least = search_least( w, NO_CLEARANCE, 40 );
	if ( !( least > 0.0 ) || least == INFINITY )
		return;
	const double hair = least * ldexp( 1.0, -(int)rng_below( r, 30 ) - 10 );
	const dbvh_robot_edge_result e = ask( w, DBVH_FIND_CLOSEST, least + hair, rng_below( r, 2 ) == 0 ? 0.0 : 1e-3 );
	assert_true( e.verdict == DBVH_ROBOT_VERDICT_COLLIDES || e.verdict == DBVH_ROBOT_VERDICT_CLOSE );
	t->refuted += 1;
	t->seen[ask( w, DBVH_FIND_ANY, 0.5 * least, 0.0 ).verdict] += 1;
}

// A robot, its layout, and two configurations so far apart.
static void some_way( cell *c, rng *r, double turns, double *from, double *to, way *out ) {
	out->cell = c;
	out->layout = rng_below( r, 2 ) == 0 ? DBVH_ROBOT_LAYOUT_ANGLES : DBVH_ROBOT_LAYOUT_PINOCCHIO;
	out->from = from;
	out->to = to;
	double there[MOST_WIDTH], share = turns / 6.3;
	random_row( &c->s, r, out->layout, 3.2, 1.0, from );
	random_row( &c->s, r, out->layout, 3.2, 1.0, there );
	assert_int_equal( dbvh_robot_between( c->s.robot, out->layout, from, there, &share, 1, to, NULL ), DBVH_OK );
}

static void edges( void **state ) {
	(void)state;
	rng r = rng_announce( "robot: edges", 141 );
	tally t = { .proofs = 0 };
	for ( size_t n = 0; n < 6 + rounds( 14 ); ++n ) {
		cell c;
		raise_cell( &c, &r, 2 + (uint32_t)rng_below( &r, 5 ), 0.0 );
		for ( int k = 0; k < 8; ++k ) {
			static const double turns[] = { 0.05, 0.1, 0.3, 1.0, 3.0, 6.3, 0.0, 0.01 };
			double from[MOST_WIDTH], to[MOST_WIDTH];
			way w;
			some_way( &c, &r, turns[k], from, to, &w );
			check_edge( &w, &r, &t, n == 0 && k == 1 );
			check_hair( &w, &r, &t );
		}
		strike_cell( &c );
	}
	printf( "robot: %zu edges are clear, %zu collide, %zu are close; %zu proofs, %zu refuted by a hair\n",
	        t.seen[DBVH_ROBOT_VERDICT_CLEAR], t.seen[DBVH_ROBOT_VERDICT_COLLIDES], t.seen[DBVH_ROBOT_VERDICT_CLOSE],
	        t.proofs, t.refuted );
	assert_outcomes( t.seen[DBVH_ROBOT_VERDICT_CLEAR] > 0 && t.seen[DBVH_ROBOT_VERDICT_COLLIDES] > 0 && t.proofs > 0 &&
	                 t.refuted > 0 );
}

// A pendulum whose tip passes a needle that samples miss.
static void thin_obstacles_are_found( void **state ) {
	(void)state;
	robot_stage s;
	raise_robot( &s );
	shape needle = { 0 }, rod = { 0 };
	shape_add_box( &needle, 1e-4, 1e-4, 1.0, 1 );
	shape_add_box( &rod, 1.0, 0.05, 0.05, 1 );
	dbvh_tree *trees[2];
	dbvh_mesh_view view = shape_view( &needle );
	assert_int_equal( dbvh_tree_build( &view, NULL, NULL, &trees[0], NULL ), DBVH_OK );
	view = shape_view( &rod );
	assert_int_equal( dbvh_tree_build( &view, NULL, NULL, &trees[1], NULL ), DBVH_OK );
	const dbvh_joint joint = { .kind = DBVH_JOINT_KIND_REVOLUTE, .axis = { 0, 0, 1 } };
	dbvh_pose ahead = dbvh_pose_identity(), there = ahead;
	uint32_t link, body;
	ahead.pos[0] = 2.0;
	assert_int_equal( dbvh_robot_add_link( s.robot, DBVH_NO_LINK, NULL, &joint, &link, NULL ), DBVH_OK );
	assert_int_equal( dbvh_scene_add_body( s.scene, trees[1], NULL, NULL, &body, NULL ), DBVH_OK );
	assert_int_equal( dbvh_robot_attach( s.robot, link, body, &ahead, NULL ), DBVH_OK );
	// The tip is 3 from the axis; the needle stands at an angle of 1 rad, 3.04 or 3.002 from the axis.
	double sine, cosine;
	dbvh_sine_cosine( 1.0, &sine, &cosine );
	const double q[] = { -2.0, 2.5 };
	for ( int k = 0; k < 2; ++k ) {
		const double away = k == 0 ? 2.99 : 3.002;
		there.pos[0] = away * cosine;
		there.pos[1] = away * sine;
		uint32_t obstacle;
		dbvh_robot_edge_result e;
		assert_int_equal( dbvh_scene_add_body( s.scene, trees[0], &there, NULL, &obstacle, NULL ), DBVH_OK );
		const dbvh_robot_edges_query query = { .find = DBVH_FIND_CLOSEST };
		assert_int_equal( dbvh_robot_edge_batch( s.robot, s.scene, q, 2, &query, &e, NULL ), DBVH_OK );
		assert_int_equal( e.verdict, k == 0 ? DBVH_ROBOT_VERDICT_COLLIDES : DBVH_ROBOT_VERDICT_CLEAR );
		// The rod is 0.1 wide: its side arrives before its middle.
		const double arrives = ( 1.0 - asin( 0.05 / away ) + 2.0 ) / 4.5;
		if ( k == 0 )
			assert_true( e.free_until > arrives - 1e-3 && e.free_until < arrives );
		assert_int_equal( dbvh_scene_remove_body( s.scene, obstacle, NULL ), DBVH_OK );
	}
	dbvh_tree_destroy( trees[0] );
	dbvh_tree_destroy( trees[1] );
	shape_free( &needle );
	shape_free( &rod );
	strike_robot( &s );
}

// A triangle turns past another one that it meets on the way, with lengths whose squares are lost near the least
// double.
static void tiny_robots_are_checked( void **state ) {
	(void)state;
	for ( int exponent = -480; exponent >= -1000; exponent -= 20 ) {
		robot_stage s;
		raise_robot( &s );
		const double h = ldexp( 1.0, exponent );
		const double corners[2][3][3] = { { { 1, 0, -1 }, { 1, 0, 1 }, { 2, 0, 0 } },
		                                  { { -.125, 1.5, 0 }, { .125, 1.5, .125 }, { .125, 1.5, -.125 } } };
		shape shapes[2] = { 0 };
		dbvh_tree *trees[2];
		uint32_t bodies[2];
		for ( int i = 0; i < 2; ++i ) {
			for ( int k = 0; k < 3; ++k )
				shape_vertex( &shapes[i], h * corners[i][k][0], h * corners[i][k][1], h * corners[i][k][2] );
			shape_triangle( &shapes[i], 0, 1, 2 );
			const dbvh_mesh_view view = shape_view( &shapes[i] );
			assert_int_equal( dbvh_tree_build( &view, NULL, NULL, &trees[i], NULL ), DBVH_OK );
			assert_int_equal( dbvh_scene_add_body( s.scene, trees[i], NULL, NULL, &bodies[i], NULL ), DBVH_OK );
		}
		const dbvh_joint joint = { .kind = DBVH_JOINT_KIND_REVOLUTE, .axis = { 0, 0, 1 } };
		assert_int_equal( dbvh_robot_add_link( s.robot, DBVH_NO_LINK, NULL, &joint, NULL, NULL ), DBVH_OK );
		assert_int_equal( dbvh_robot_attach( s.robot, 0, bodies[0], NULL, NULL ), DBVH_OK );
		const double q[] = { 0.0, 4.0 };
		dbvh_robot_edge_result e;
		assert_int_equal( dbvh_robot_edge_batch( s.robot, s.scene, q, 2, NULL, &e, NULL ), DBVH_OK );
		assert_true( e.verdict == DBVH_ROBOT_VERDICT_COLLIDES || e.verdict == DBVH_ROBOT_VERDICT_CLOSE );
		for ( int i = 0; i < 2; ++i ) {
			shape_free( &shapes[i] );
			assert_int_equal( dbvh_scene_remove_body( s.scene, bodies[i], NULL ), DBVH_OK );
			dbvh_tree_destroy( trees[i] );
		}
		strike_robot( &s );
	}
}

// A slide passes another link, or a body that stands, at a distance that a rule asks for, or a hair more or less.
static void rules_ask_for_clearance( void **state ) {
	(void)state;
	for ( int kind = 0; kind < 4; ++kind ) {
		const bool stands = ( kind & 1 ) != 0;
		const dbvh_body_options options[2] = { { .radius = kind / 2 * 0.3 }, { .radius = kind / 2 * 0.4 } };
		robot_stage s;
		raise_robot( &s );
		const dbvh_joint slide = { .kind = DBVH_JOINT_KIND_PRISMATIC };
		dbvh_pose beside = dbvh_pose_identity();
		beside.pos[1] = 2.0;
		uint32_t bodies[2];
		assert_int_equal( dbvh_robot_add_link( s.robot, DBVH_NO_LINK, NULL, &slide, NULL, NULL ), DBVH_OK );
		assert_int_equal( dbvh_robot_add_link( s.robot, DBVH_NO_LINK, &beside, NULL, NULL, NULL ), DBVH_OK );
		assert_int_equal( dbvh_scene_add_body( s.scene, s.trees[0], NULL, &options[0], &bodies[0], NULL ), DBVH_OK );
		assert_int_equal( dbvh_scene_add_body( s.scene, s.trees[0], &beside, &options[1], &bodies[1], NULL ), DBVH_OK );
		assert_int_equal( dbvh_robot_attach( s.robot, 0, bodies[0], NULL, NULL ), DBVH_OK );
		if ( !stands )
			assert_int_equal( dbvh_robot_attach( s.robot, 1, bodies[1], NULL, NULL ), DBVH_OK );
		dbvh_distance_result apart;
		assert_int_equal( dbvh_scene_pair_distance( s.scene, bodies[0], bodies[1], NULL, &apart, NULL ), DBVH_OK );
		const double q[] = { -3.0, 5.0 };
		for ( int side = -1; side <= 1; side += 2 ) {
			const dbvh_pair_rule rule = { .clearance = apart.distance + side * 0x1p-12 };
			dbvh_robot_edge_result e;
			assert_int_equal( dbvh_scene_set_pair_rule( s.scene, bodies[0], bodies[1], &rule, NULL ), DBVH_OK );
			assert_int_equal( dbvh_robot_edge_batch( s.robot, s.scene, q, 2, NULL, &e, NULL ), DBVH_OK );
			assert_int_equal( e.verdict, side > 0 ? DBVH_ROBOT_VERDICT_COLLIDES : DBVH_ROBOT_VERDICT_CLEAR );
			assert_true( side < 0 || e.within == rule.clearance );
		}
		strike_robot( &s );
	}
}

// Boxes whose faces slide by each other collide if their radii just reach from one to the other.
static void touching_radii_collide( void **state ) {
	(void)state;
	for ( int kind = 0; kind < 4; ++kind ) {
		const bool reaches = ( kind & 1 ) != 0, is_one_sided = kind / 2 != 0;
		robot_stage s;
		raise_robot( &s );
		const dbvh_joint slide = { .kind = DBVH_JOINT_KIND_PRISMATIC };
		dbvh_pose beside = dbvh_pose_identity();
		beside.pos[1] = 2.0;
		// 2 - 2 * 0.2 as doubles is less than 2 * 0.8, and not less than the double before that.
		const double radius = reaches ? 0.8 : nextafter( 0.8, 0.0 );
		const dbvh_body_options moves = { .radius = is_one_sided ? 2.0 * radius : radius };
		const dbvh_body_options stands = { .radius = is_one_sided ? 0.0 : radius };
		uint32_t bodies[2];
		assert_int_equal( dbvh_robot_add_link( s.robot, DBVH_NO_LINK, NULL, &slide, NULL, NULL ), DBVH_OK );
		assert_int_equal( dbvh_scene_add_body( s.scene, s.trees[0], NULL, &moves, &bodies[0], NULL ), DBVH_OK );
		assert_int_equal( dbvh_scene_add_body( s.scene, s.trees[0], &beside, &stands, &bodies[1], NULL ), DBVH_OK );
		assert_int_equal( dbvh_robot_attach( s.robot, 0, bodies[0], NULL, NULL ), DBVH_OK );
		const double q[] = { -1.0, 1.0 };
		dbvh_robot_edge_result e;
		assert_int_equal( dbvh_robot_edge_batch( s.robot, s.scene, q, 2, NULL, &e, NULL ), DBVH_OK );
		assert_int_equal( e.verdict, reaches ? DBVH_ROBOT_VERDICT_COLLIDES : DBVH_ROBOT_VERDICT_CLOSE );
		assert_true( e.within < 1e-3 );
		strike_robot( &s );
	}
}

enum { ROWS = 40 };

typedef struct course {
	cell c;
	double q[ROWS * MOST_WIDTH];
} course;

static void lay_course( course *k, rng *r ) {
	raise_cell( &k->c, r, 6, 0.0 );
	const size_t width = dbvh_robot_width( k->c.s.robot, DBVH_ROBOT_LAYOUT_ANGLES );
	for ( size_t i = 0; i < ROWS; ++i )
		random_row( &k->c.s, r, DBVH_ROBOT_LAYOUT_ANGLES, 3.0, 1.0, k->q + i * width );
}

static void threads_do_not_matter( void **state ) {
	(void)state;
	rng r = rng_announce( "robot: threads", 142 );
	for ( size_t n = 0; n < rounds( 6 ); ++n ) {
		course k;
		lay_course( &k, &r );
		dbvh_robot_edge_result results[2][ROWS - 1];
		for ( uint32_t threads = 1; threads <= 2; ++threads ) {
			const dbvh_robot_edges_query query = { .find = (int)n % 2 == 0 ? DBVH_FIND_ANY : DBVH_FIND_CLOSEST,
			                                       .thread_count = 3 * threads - 2 };
			assert_int_equal(
			    dbvh_robot_edge_batch( k.c.s.robot, k.c.s.scene, k.q, ROWS, &query, results[threads - 1], NULL ),
			    DBVH_OK );
		}
		assert_memory_equal( results[0], results[1], sizeof results[0] );
		strike_cell( &k.c );
	}
}

static bool say_no( void *user ) {
	return ( *(int *)user )-- <= 0;
}

static void budgets_end_edges( void **state ) {
	(void)state;
	rng r = rng_announce( "robot: budgets", 143 );
	size_t ended = 0;
	for ( size_t n = 0; n < 6 + rounds( 14 ); ++n ) {
		course k;
		lay_course( &k, &r );
		dbvh_robot_edge_result all[ROWS - 1], some[ROWS - 1];
		uint64_t spent = 0;
		dbvh_budget budget = { .spent = &spent };
		dbvh_robot_edges_query query = { .budget = &budget, .thread_count = 1 };
		assert_int_equal( dbvh_robot_edge_batch( k.c.s.robot, k.c.s.scene, k.q, ROWS, &query, all, NULL ), DBVH_OK );
		budget = ( dbvh_budget ){ .max_total = 1 + rng_below( &r, spent ) };
		dbvh_error error;
		const dbvh_status status = dbvh_robot_edge_batch( k.c.s.robot, k.c.s.scene, k.q, ROWS, &query, some, &error );
		size_t i = 0;
		for ( ; i < ROWS - 1 && some[i].status == DBVH_OK; ++i )
			assert_memory_equal( &some[i], &all[i], sizeof all[i] );
		ended += i < ROWS - 1;
		assert_int_equal( status, i < ROWS - 1 ? DBVH_BUDGET_SPENT : DBVH_OK );
		for ( ; i < ROWS - 1; ++i ) {
			assert_int_equal( some[i].verdict, DBVH_ROBOT_VERDICT_UNDECIDED );
			assert_int_equal( some[i].status, DBVH_BUDGET_SPENT );
			assert_true( some[i].free_until <= all[i].time );
		}
		int left = 0;
		budget = ( dbvh_budget ){ .is_cancelled = say_no, .user = &left };
		assert_int_equal( dbvh_robot_edge_batch( k.c.s.robot, k.c.s.scene, k.q, ROWS, &query, some, &error ),
		                  DBVH_CANCELLED );
		strike_cell( &k.c );
	}
	assert_outcomes( ended > 0 );
}

static void edges_are_refused( void **state ) {
	(void)state;
	rng r = rng_announce( "robot: refusals", 144 );
	course k;
	lay_course( &k, &r );
	const dbvh_robot *robot = k.c.s.robot;
	dbvh_scene *scene = k.c.s.scene;
	dbvh_robot_edge_result results[ROWS];
	dbvh_error error;
	dbvh_robot_edges_query query = { .find = DBVH_FIND_ALL };
	assert_int_equal( dbvh_robot_edge_batch( robot, scene, k.q, ROWS, &query, results, &error ),
	                  DBVH_INVALID_ARGUMENT );
	query = ( dbvh_robot_edges_query ){ .clearance = NAN };
	assert_int_equal( dbvh_robot_edge_batch( robot, scene, k.q, ROWS, &query, results, &error ),
	                  DBVH_INVALID_ARGUMENT );
	query = ( dbvh_robot_edges_query ){ .tolerance = -1.0 };
	assert_int_equal( dbvh_robot_edge_batch( robot, scene, k.q, ROWS, &query, results, &error ),
	                  DBVH_INVALID_ARGUMENT );
	const dbvh_edge away = { 0, ROWS };
	query = ( dbvh_robot_edges_query ){ .edges = &away, .edge_count = 1 };
	assert_int_equal( dbvh_robot_edge_batch( robot, scene, k.q, ROWS, &query, results, &error ),
	                  DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_robot_edge_batch( NULL, scene, k.q, ROWS, NULL, results, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_robot_edge_batch( robot, scene, k.q, ROWS, NULL, NULL, &error ), DBVH_INVALID_ARGUMENT );
	// A bad configuration spoils its two edges and no others.
	const size_t width = dbvh_robot_width( robot, DBVH_ROBOT_LAYOUT_ANGLES );
	if ( width > 0 ) {
		k.q[5 * width] = NAN;
		assert_int_equal( dbvh_robot_edge_batch( robot, scene, k.q, ROWS, NULL, results, &error ), DBVH_NOT_FINITE );
		assert_int_equal( error.element, 4 );
		for ( size_t i = 0; i < ROWS - 1; ++i )
			assert_int_equal( results[i].status, i == 4 || i == 5 ? DBVH_NOT_FINITE : DBVH_OK );
	}
	strike_cell( &k.c );
	// An angle whose sine is not known well enough.
	robot_stage s;
	raise_robot( &s );
	const dbvh_joint joint = { .kind = DBVH_JOINT_KIND_REVOLUTE };
	assert_int_equal( dbvh_robot_add_link( s.robot, DBVH_NO_LINK, NULL, &joint, NULL, NULL ), DBVH_OK );
	const double far[] = { 0.0, 2e6, 2e6 + 1.0 };
	assert_int_equal( dbvh_robot_edge_batch( s.robot, s.scene, far, 2, NULL, results, &error ), DBVH_LIMIT );
	assert_int_equal( dbvh_robot_edge_batch( s.robot, s.scene, far + 1, 2, NULL, results, &error ), DBVH_LIMIT );
	// A robot that carries nothing refuses what one with bodies refuses.
	const double rows[] = { 0.0, NAN, 1.0 };
	dbvh_configuration_result configurations[3];
	assert_int_equal(
	    dbvh_robot_collide_batch( s.robot, s.scene, DBVH_ROBOT_LAYOUT_ANGLES, rows, 3, NULL, configurations, &error ),
	    DBVH_NOT_FINITE );
	assert_int_equal( error.element, 1 );
	for ( int i = 0; i < 3; ++i )
		assert_int_equal( configurations[i].status, i == 1 ? DBVH_NOT_FINITE : DBVH_OK );
	// A way that no double tells the length of.
	const double farthest[] = { -0x1.8p1023, 0x1.8p1023 }, half = 0.5;
	double between;
	assert_int_equal(
	    dbvh_robot_between( s.robot, DBVH_ROBOT_LAYOUT_ANGLES, farthest, farthest + 1, &half, 1, &between, &error ),
	    DBVH_LIMIT );
	// A body that is not in the scene.
	assert_int_equal( dbvh_robot_attach( s.robot, 0, 3, NULL, NULL ), DBVH_OK );
	assert_int_equal( dbvh_robot_edge_batch( s.robot, s.scene, far, 2, NULL, results, &error ), DBVH_INVALID_ARGUMENT );
	strike_robot( &s );
}

// Configurations by joints are those by poses, over several blocks, with a configuration that is refused.
static void configurations( void **state ) {
	(void)state;
	rng r = rng_announce( "robot: configurations", 145 );
	enum { COUNT = 2100, BODIES = 5 };
	cell c;
	raise_cell( &c, &r, BODIES, 0.0 );
	const size_t width = dbvh_robot_width( c.s.robot, DBVH_ROBOT_LAYOUT_ANGLES );
	double *q = calloc( COUNT * ( width + 1 ), sizeof *q );
	dbvh_pose *poses = calloc( COUNT * BODIES, sizeof *poses );
	dbvh_configuration_result *a = calloc( COUNT, sizeof *a ), *b = calloc( COUNT, sizeof *b );
	assert_true( q != NULL && poses != NULL && a != NULL && b != NULL );
	for ( size_t i = 0; i < COUNT; ++i )
		random_row( &c.s, &r, DBVH_ROBOT_LAYOUT_ANGLES, 3.0, 1.0, q + i * width );
	assert_int_equal( dbvh_robot_place( c.s.robot, DBVH_ROBOT_LAYOUT_ANGLES, q, COUNT, NULL, poses, NULL ), DBVH_OK );
	for ( int k = 0; k < 2; ++k ) {
		const dbvh_configurations_query by_poses = {
		    .max_distance = k * 0.5, .bodies = c.bodies, .body_count = BODIES };
		const dbvh_configurations_query by_joints = { .max_distance = k * 0.5 };
		assert_int_equal( dbvh_scene_collide_batch( c.s.scene, poses, COUNT, &by_poses, a, NULL ), DBVH_OK );
		assert_int_equal(
		    dbvh_robot_collide_batch( c.s.robot, c.s.scene, DBVH_ROBOT_LAYOUT_ANGLES, q, COUNT, &by_joints, b, NULL ),
		    DBVH_OK );
		assert_memory_equal( a, b, COUNT * sizeof *a );
	}
	dbvh_error error;
	if ( width > 0 ) {
		q[1500 * width] = INFINITY;
		assert_int_equal(
		    dbvh_robot_collide_batch( c.s.robot, c.s.scene, DBVH_ROBOT_LAYOUT_ANGLES, q, COUNT, NULL, b, &error ),
		    DBVH_NOT_FINITE );
		assert_int_equal( error.element, 1500 );
		assert_int_equal( b[1500].status, DBVH_NOT_FINITE );
		assert_int_equal( b[1501].status, DBVH_OK );
	}
	const dbvh_configurations_query named = { .bodies = c.bodies, .body_count = 1 };
	assert_int_equal(
	    dbvh_robot_collide_batch( c.s.robot, c.s.scene, DBVH_ROBOT_LAYOUT_ANGLES, q, COUNT, &named, b, &error ),
	    DBVH_INVALID_ARGUMENT );
	free( q );
	free( poses );
	free( a );
	free( b );
	strike_cell( &c );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( edges ),
	    cmocka_unit_test( thin_obstacles_are_found ),
	    cmocka_unit_test( tiny_robots_are_checked ),
	    cmocka_unit_test( rules_ask_for_clearance ),
	    cmocka_unit_test( touching_radii_collide ),
	    cmocka_unit_test( threads_do_not_matter ),
	    cmocka_unit_test( budgets_end_edges ),
	    cmocka_unit_test( edges_are_refused ),
	    cmocka_unit_test( configurations ),
	};
	return test_main( argc, argv, tests );
}
