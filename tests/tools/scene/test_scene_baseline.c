// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// How clashes stand to an earlier report: two boxes that overlap, moved at random, against what their places say; and
// which clashes an acceptance covers.

#include "assembly/baseline.h"
#include "assembly/near.h"
#include "assembly/review.h"
#include "shapes/shapes.h"
#include "support/rng.h"
#include "support/rounds.h"
#include "support/scene.h"
#include "support/unit.h"
#include "text/grow.h"
#include "text/hash.h"

#include <math.h>
#include <stdio.h>
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

static uint32_t add_box( scene_model *m, double size, const double at[3] ) {
	shape s = { 0 };
	dbvh_mesh *mesh;
	shape_add_box( &s, size, size, size, 1 );
	for ( size_t i = 0; i < 3 * s.vertex_count; ++i )
		s.positions[i] += at[i % 3];
	const dbvh_mesh_view view = shape_view( &s );
	assert_int_equal( dbvh_mesh_create( &view, NULL, &mesh, NULL ), DBVH_OK );
	shape_free( &s );
	return scene_add_mesh( m, mesh, "box" );
}

// Find the clash of the two bodies that the model has.
static void find_clash( stage *s, double clearance ) {
	scene_model *m = &s->assembly.model;
	uint32_t failed;
	const dbvh_pair_rule rule = { .clearance = clearance };
	assert_int_not_equal( scene_add_rule( m, NULL, NULL, &rule ), SCENE_NONE );
	s->assembly.file_of = calloc( 3, sizeof *s->assembly.file_of );
	assert_int_equal( scene_build_trees( m, 1, NULL, NULL, NULL, &s->trees, &failed, NULL ), DBVH_OK );
	assert_int_equal( dbvh_scene_create( NULL, &s->scene, NULL ), DBVH_OK );
	for ( uint32_t i = 0; i < 2; ++i ) {
		uint32_t number;
		assert_int_equal(
		    dbvh_scene_add_body( s->scene, s->trees.trees[m->bodies[i].mesh], &m->bodies[i].pose, NULL, &number, NULL ),
		    DBVH_OK );
	}
	s->book = scene_rules_open( m );
	assert_int_equal( scene_rules_apply( s->book, s->scene, NULL ), DBVH_OK );
	assert_int_equal( scene_find( &s->assembly, &s->trees, s->book, s->scene, 1, NULL, &s->found, NULL ), DBVH_OK );
	assert_int_equal( s->found.clash_count, 1 );
}

// A box of size 4 and one of size 1, by the names of their paths. `is_baked`: their places are in their vertices.
static void raise_as( stage *s, const char *large, const double at_large[3], const char *small,
                      const double at_small[3], double clearance, bool is_baked ) {
	static const double none[3] = { 0 };
	scene_model *m = &s->assembly.model;
	*s = ( stage ){ .assembly = { .files = files, .file_count = 1 } };
	dbvh_pose pose = dbvh_pose_identity();
	memcpy( pose.pos, is_baked ? none : at_large, sizeof pose.pos );
	assert_int_equal( scene_add_body( m, large, add_box( m, 2.0, is_baked ? at_large : none ), &pose ), 0 );
	memcpy( pose.pos, is_baked ? none : at_small, sizeof pose.pos );
	assert_int_equal( scene_add_body( m, small, add_box( m, 0.5, is_baked ? at_small : none ), &pose ), 1 );
	find_clash( s, clearance );
}

static void raise( stage *s, const char *large, const double at_large[3], const char *small, const double at_small[3],
                   double clearance ) {
	raise_as( s, large, at_large, small, at_small, clearance, false );
}

static void strike( stage *s ) {
	scene_findings_free( &s->found );
	dbvh_scene_destroy( s->scene );
	scene_rules_close( s->book );
	scene_trees_free( &s->trees );
	scene_assembly_free( &s->assembly );
}

// Write the fields of a report that a comparison reads.
static void write_report( const stage *s, char *text, size_t room ) {
	const scene_findings *f = &s->found;
	const scene_clash *c = &f->clashes[0];
	char hash[SCENE_HASH_ROOM];
	size_t n = (size_t)snprintf( text, room, "{\"schema\":\"dualbvh.clashes/2\",\"rules\":\"%s\",\"clashes\":[",
	                             scene_hash_print( f->rules, hash ) );
	n += (size_t)snprintf( text + n, room - n,
	                       "{\"id\":\"%s\",\"kind\":\"%s\",\"a\":\"%s\",\"b\":\"%s\",\"distance\":%.17g,"
	                       "\"lower\":[%.17g,%.17g,%.17g],\"upper\":[%.17g,%.17g,%.17g]",
	                       scene_hash_print( c->id, hash ), scene_kind_word( c->kind ), scene_path( f, c->a ),
	                       scene_path( f, c->b ), c->distance, c->region.min[0], c->region.min[1], c->region.min[2],
	                       c->region.max[0], c->region.max[1], c->region.max[2] );
	if ( c->overlap.has_depth )
		n += (size_t)snprintf( text + n, room - n, ",\"depth\":[%.17g,%.17g]", c->overlap.depth.lower,
		                       c->overlap.depth.upper );
	if ( scene_has_volume( c ) )
		n += (size_t)snprintf( text + n, room - n, ",\"volume\":[%.17g,%.17g]", c->overlap.volume.lower,
		                       c->overlap.volume.upper );
	n += (size_t)snprintf( text + n, room - n, "}],\"clashing_bodies\":[" );
	for ( uint32_t i = 0; i < 2; ++i ) {
		const double *at = s->assembly.model.bodies[i].pose.pos;
		n += (size_t)snprintf(
		    text + n, room - n,
		    "%s{\"path\":\"%s\",\"fingerprint\":\"%s\",\"pose\":[1,0,0,%.17g,0,1,0,%.17g,0,0,1,%.17g]}",
		    i > 0 ? "," : "", scene_path( f, i ), scene_hash_print( scene_body_fingerprint( f, i ), hash ), at[0],
		    at[1], at[2] );
	}
	n += (size_t)snprintf( text + n, room - n, "]}" );
	assert_true( n < room );
}

static scene_standing compare( stage *s, const char *text, double worse, double moved ) {
	const scene_tolerance tolerance = { worse, moved };
	dbvh_error error;
	assert_int_equal( scene_compare_bytes( &s->found, (const unsigned char *)text, strlen( text ), &tolerance, &error ),
	                  DBVH_OK );
	return s->found.clashes[0].standing;
}

static double near_eighth( rng *r, uint64_t most ) {
	return 0.125 * ( (double)rng_below( r, 2 * most + 1 ) - (double)most );
}

// Local depth of the small box in the top of the large one: no more than half of the small box.
static double depth_of( double z ) {
	return fmin( 2.5 - z, 0.5 );
}

// The small box stands in the top of the large one, which is 2 above its middle. As deep as it is there, so much of it
// is in the large one, until it is inside.
static void test_random_moves( void **state ) {
	(void)state;
	rng r = rng_announce( "baseline", 17 );
	char text[2048];
	size_t counts[SCENE_STANDING_COUNT] = { 0 };
	for ( size_t n = rounds( 400 ) < 100 ? 100 : rounds( 400 ); n-- > 0; ) {
		stage s;
		double large[3], small[3], then[3];
		const bool is_baked = rng_below( &r, 4 ) == 0;
		for ( int k = 0; k < 3; ++k ) {
			large[k] = near_eighth( &r, 80 );
			then[k] = k < 2 ? near_eighth( &r, 8 ) : 2.0 + near_eighth( &r, 2 );
			small[k] = large[k] + then[k];
		}
		raise_as( &s, "large", large, "small", small, 0.0, is_baked );
		write_report( &s, text, sizeof text );
		strike( &s );

		double by[3], together[3];
		for ( int k = 0; k < 3; ++k ) {
			by[k] = rng_below( &r, 2 ) == 0 ? 0.0 : k < 2 ? near_eighth( &r, 3 ) : near_eighth( &r, 1 );
			together[k] = rng_below( &r, 2 ) == 0 ? 0.0 : near_eighth( &r, 80 );
			large[k] += together[k];
			small[k] += together[k] + by[k];
		}
		const double worse = 0.125 * (double)rng_below( &r, 3 ), moved = 0.125 * (double)rng_below( &r, 4 );
		raise_as( &s, "large", large, "small", small, 0.0, is_baked );
		const double deeper = depth_of( then[2] + by[2] ) - depth_of( then[2] );
		// The volume grows by the way down. A growth by what is allowed of the depth is 3 times that, a square
		// diagonal.
		const double larger = -by[2] / 3.0, change = fabs( larger ) > fabs( deeper ) ? larger : deeper;
		// The middle of what they have in common goes sideways with the small box, and half as far up.
		const double in_world =
		    sqrt( pow( by[0] + together[0], 2 ) + pow( by[1] + together[1], 2 ) + pow( 0.5 * by[2] + together[2], 2 ) );
		const double to_each_other = sqrt( by[0] * by[0] + by[1] * by[1] + by[2] * by[2] );
		const bool has_moved = ( is_baked ? in_world : fmin( in_world, to_each_other ) ) > moved;
		const scene_standing expected = change > worse    ? SCENE_WORSENED
		                                : has_moved       ? SCENE_MOVED
		                                : -change > worse ? SCENE_IMPROVED
		                                                  : SCENE_UNCHANGED;
		assert_int_equal( compare( &s, text, worse, moved ), expected );
		assert_true( scene_clash_counts( &s.found, &s.found.clashes[0] ) ==
		             ( expected == SCENE_WORSENED || expected == SCENE_MOVED ) );
		assert_int_equal( s.found.absent_count, 0 );
		++counts[expected];
		strike( &s );
	}
	assert_outcomes( counts[SCENE_WORSENED] > 0 && counts[SCENE_MOVED] > 0 && counts[SCENE_IMPROVED] > 0 &&
	                 counts[SCENE_UNCHANGED] > 0 );
}

// Default tolerances: a millionth beyond what the intervals leave open, and a tenth of the smaller box's diagonal, the
// root of 3.
static void test_usual_tolerances( void **state ) {
	(void)state;
	static const struct {
		double x, z;
		scene_standing expected;
	} cases[] = { { 0, 0, SCENE_UNCHANGED },     { 0, -1.7e-6, SCENE_UNCHANGED }, { 0, -0.001, SCENE_WORSENED },
	              { 0, -0.01, SCENE_WORSENED },  { 0.173, 0, SCENE_UNCHANGED },   { 0.174, 0, SCENE_MOVED },
	              { -0.174, 0, SCENE_MOVED },    { 0.174, -0.1, SCENE_WORSENED }, { 0, 0.125, SCENE_IMPROVED },
	              { 0, 1.7e-6, SCENE_UNCHANGED } };
	const double large[3] = { 0, 0, 0 }, then[3] = { 0, 0, 2.25 };
	char text[2048];
	stage s;
	raise( &s, "large", large, "small", then, 0.0 );
	write_report( &s, text, sizeof text );
	strike( &s );
	for ( size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i ) {
		const double now[3] = { cases[i].x, 0, 2.25 + cases[i].z };
		raise( &s, "large", large, "small", now, 0.0 );
		assert_int_equal( compare( &s, text, -1.0, -1.0 ), cases[i].expected );
		strike( &s );
	}
}

// The large box slides on below the small one: the clash is where it was.
static void test_what_stays( void **state ) {
	(void)state;
	const double large[3] = { 0, 0, 0 }, slid[3] = { 0.5, 0, 0 }, small[3] = { 0, 0, 2.25 };
	char text[2048];
	stage s;
	raise( &s, "large", large, "small", small, 0.0 );
	write_report( &s, text, sizeof text );
	strike( &s );
	raise( &s, "large", slid, "small", small, 0.0 );
	assert_int_equal( compare( &s, text, 0.0, 0.0 ), SCENE_UNCHANGED );
	strike( &s );
}

static void test_clearances( void **state ) {
	(void)state;
	const double large[3] = { 0, 0, 0 }, then[3] = { 0, 0, 3.0 }, nearer[3] = { 0, 0, 2.875 },
	             away[3] = { 0, 0, 3.125 };
	char text[2048];
	stage s;
	raise( &s, "large", large, "small", then, 1.0 );
	write_report( &s, text, sizeof text );
	assert_int_equal( compare( &s, text, 0.0, 0.0 ), SCENE_UNCHANGED );
	strike( &s );
	raise( &s, "large", large, "small", nearer, 1.0 );
	assert_int_equal( compare( &s, text, 0.0, 1.0 ), SCENE_WORSENED );
	strike( &s );
	raise( &s, "large", large, "small", nearer, 1.0 );
	assert_int_equal( compare( &s, text, 0.125, 1.0 ), SCENE_UNCHANGED );
	strike( &s );
	raise( &s, "large", large, "small", away, 1.0 );
	assert_int_equal( compare( &s, text, 0.0, 1.0 ), SCENE_IMPROVED );
	strike( &s );
}

static void test_kinds( void **state ) {
	(void)state;
	const double large[3] = { 0, 0, 0 }, out[3] = { 0, 0, 2.25 }, in[3] = { 0, 0, 1 };
	char text[2048];
	stage s;
	raise( &s, "large", large, "small", out, 0.0 );
	write_report( &s, text, sizeof text );
	strike( &s );
	raise( &s, "large", large, "small", in, 0.0 );
	assert_int_equal( compare( &s, text, 9.0, 9.0 ), SCENE_WORSENED ); // inside now
	write_report( &s, text, sizeof text );
	strike( &s );
	raise( &s, "large", large, "small", out, 0.0 );
	assert_int_equal( compare( &s, text, 9.0, 9.0 ), SCENE_IMPROVED );
	strike( &s );
}

static void test_other_names( void **state ) {
	(void)state;
	const double large[3] = { 0, 0, 0 }, small[3] = { 0, 0, 2.25 }, elsewhere[3] = { 0, 0.125, 2.25 };
	char text[2048];
	stage s;
	raise( &s, "large", large, "small", small, 0.0 );
	write_report( &s, text, sizeof text );
	strike( &s );
	raise( &s, "big", large, "small", small, 0.0 );
	assert_int_equal( compare( &s, text, -1.0, -1.0 ), SCENE_RENAMED );
	assert_false( scene_clash_counts( &s.found, &s.found.clashes[0] ) );
	assert_int_equal( s.found.absent_count, 0 );
	assert_string_equal( s.found.was[s.found.clashes[0].was].a, "large" );
	strike( &s );
	raise( &s, "big", large, "little", elsewhere, 0.0 );
	assert_int_equal( compare( &s, text, 9.0, 0.0 ), SCENE_NEW );
	assert_int_equal( s.found.absent_count, 1 );
	assert_int_equal( s.found.absent[0].why, SCENE_ABSENT_MISSING );
	strike( &s );
	// One body is known, and another one clashes with it about where the missing one did.
	raise( &s, "big", large, "little", elsewhere, 0.0 );
	assert_int_equal( compare( &s, text, 9.0, 9.0 ), SCENE_RENAMED );
	assert_int_equal( s.found.absent_count, 0 );
	strike( &s );
}

// Both boxes go the same way, far: in their poses they are where they were to each other, in their vertices nobody sees
// more than that they are elsewhere.
static void test_vertices_in_the_world( void **state ) {
	(void)state;
	const double large[3] = { 0, 0, 0 }, small[3] = { 0, 0, 2.25 };
	const double far_large[3] = { 1273, 0, 0 }, far_small[3] = { 1273, 0, 2.25 };
	char text[2048];
	for ( int is_baked = 0; is_baked < 2; ++is_baked ) {
		stage s;
		raise_as( &s, "large", large, "small", small, 0.0, is_baked == 1 );
		write_report( &s, text, sizeof text );
		assert_int_equal( compare( &s, text, 0.0, 0.0 ), SCENE_UNCHANGED );
		strike( &s );
		raise_as( &s, "large", far_large, "small", far_small, 0.0, is_baked == 1 );
		assert_int_equal( compare( &s, text, 9.0, 9.0 ), is_baked == 1 ? SCENE_MOVED : SCENE_UNCHANGED );
		assert_true( is_baked == 0 || s.found.was[0].moved == 1273.0 );
		strike( &s );
	}
}

// ------------------------------------------------------------------------------------------------
// Acceptances

static const scene_tolerance fine = { 0.01, 0.1 };
static const dbvh_interval wide = { 0.0, 5.0 }, unknown = { -1.0, -1.0 };

// The review of an accepted clash says this after a run.
typedef struct judged {
	scene_standing standing;
	bool is_accepted, has_lapsed, is_unsure, has_depth;
	dbvh_interval depth;
} judged;

static bool is_unknown( dbvh_interval x ) {
	return x.upper < 0.0;
}

// NULL: as measured.
static void set_depth( bool *has, dbvh_interval *depth, const dbvh_interval *to ) {
	if ( to == NULL )
		return;
	*has = !is_unknown( *to );
	*depth = *to;
}

// The small box has gone down by `deeper` after its clash was accepted.
static judged judge( scene_earlier *before, double deeper, const dbvh_interval *now, bool is_cut_short,
                     scene_earlier *after ) {
	const double large[3] = { 0, 0, 0 }, small[3] = { 0, 0, 2.25 - deeper };
	stage s;
	raise( &s, "large", large, "small", small, 0.0 );
	scene_clash *c = &s.found.clashes[0];
	set_depth( &c->overlap.has_depth, &c->overlap.depth, now );
	c->is_cut_short = is_cut_short;
	strcpy( before->today, "2027-01-15" );
	assert_true( scene_stand( &s.found, before, &fine ) );
	*after = ( scene_earlier ){ 0 };
	assert_true( scene_review_next( &s.found, before, after ) );
	assert_int_equal( after->clash_count, 1 );
	const earlier_clash *e = &after->clashes[0];
	const judged made = {
	    c->standing, e->review.accepted != NULL, e->review.lapsed != NULL, e->review.unsure != NULL, e->has_depth,
	    e->depth };
	assert_true( scene_clash_counts( &s.found, c ) == ( c->standing != SCENE_ACCEPTED ) );
	strike( &s );
	return made;
}

static void accept( scene_earlier *e, const dbvh_interval *then ) {
	const double large[3] = { 0, 0, 0 }, small[3] = { 0, 0, 2.25 };
	stage s;
	raise( &s, "large", large, "small", small, 0.0 );
	*e = ( scene_earlier ){ 0 };
	assert_true( scene_earlier_take( e, &s.found ) );
	set_depth( &e->clashes[0].has_depth, &e->clashes[0].depth, then );
	e->clashes[0].review.accepted = scene_copy( "so" );
	strike( &s );
}

// A quarter deep when it was accepted, or nobody knows how deep.
static void test_acceptances( void **state ) {
	(void)state;
	static const dbvh_interval grown = { 0.1, 0.4 }, about = { 0.2499, 0.2501 }, usual = { 0.24976, 0.25 },
	                           next = { 0.2597, 0.25996 };
	static const struct {
		const dbvh_interval *then, *now;
		double deeper;
		scene_standing expected;
		double lower, upper; // the depth in the next review
	} cases[] = {
	    { NULL, NULL, 0.0, SCENE_ACCEPTED, 0.25, 0.25 },
	    { NULL, NULL, 0.005, SCENE_ACCEPTED, 0.25, 0.25 },
	    { NULL, NULL, -0.1, SCENE_ACCEPTED, 0.25, 0.25 },
	    { NULL, NULL, 0.02, SCENE_WORSENED, 0.27, 0.27 },
	    // The same overlap, whatever the measures leave open: what is known of it by either run is known.
	    { NULL, &unknown, 0.0, SCENE_ACCEPTED, 0.25, 0.25 },
	    { &unknown, NULL, 0.0, SCENE_ACCEPTED, 0.25, 0.25 },
	    { &unknown, &unknown, 0.0, SCENE_ACCEPTED, -1, -1 },
	    { &wide, NULL, 0.0, SCENE_ACCEPTED, 0.25, 0.25 },
	    { NULL, &wide, 0.0, SCENE_ACCEPTED, 0.25, 0.25 },
	    // Another one.
	    { &unknown, NULL, 0.005, SCENE_UNSURE, 0.255, 0.255 },
	    { &unknown, NULL, -0.1, SCENE_UNSURE, 0.15, 0.15 },
	    { &unknown, &unknown, 0.005, SCENE_UNSURE, -1, -1 },
	    { NULL, &unknown, 0.005, SCENE_UNSURE, -1, -1 },
	    { &wide, NULL, 0.005, SCENE_UNSURE, 0.255, 0.255 },
	    { NULL, &wide, 0.005, SCENE_UNSURE, 0, 5 },
	    { NULL, &grown, 0.005, SCENE_UNSURE, 0.1, 0.4 },
	    { &about, NULL, 0.005, SCENE_ACCEPTED, 0.2499, 0.2501 },
	    { NULL, &about, 0.005, SCENE_ACCEPTED, 0.25, 0.25 },
	    { &usual, &next, 0.005, SCENE_ACCEPTED, 0.25, 0.25 },
	};
	for ( size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i ) {
		scene_earlier before, after;
		accept( &before, cases[i].then );
		const judged now = judge( &before, cases[i].deeper, cases[i].now, false, &after );
		assert_int_equal( now.standing, cases[i].expected );
		assert_true( now.is_accepted == ( cases[i].expected == SCENE_ACCEPTED ) );
		assert_true( now.has_lapsed != now.is_accepted && !now.is_unsure );
		assert_true( now.has_depth == ( cases[i].lower >= 0.0 ) );
		assert_true( !now.has_depth || ( fabs( now.depth.lower - cases[i].lower ) < 1e-3 &&
		                                 fabs( now.depth.upper - cases[i].upper ) < 1e-9 ) );
		scene_earlier_free( &before );
		scene_earlier_free( &after );
	}
}

// A run that was ended before it had measured the clash lets the next one decide: by measures alone, since the bodies
// of the review have gone on.
static void test_unsure_runs( void **state ) {
	(void)state;
	scene_earlier before, cut, again, last;
	accept( &before, NULL );
	judged now = judge( &before, 0.005, &unknown, true, &cut );
	assert_true( now.standing == SCENE_UNSURE && now.is_accepted && now.is_unsure && now.depth.upper < 0.2501 );
	now = judge( &cut, 0.005, &unknown, true, &again ); // the pair is that of the review
	assert_true( now.standing == SCENE_UNSURE && now.is_accepted && now.is_unsure );
	now = judge( &again, 0.005, NULL, false, &last );
	assert_true( now.standing == SCENE_ACCEPTED && now.is_accepted && !now.is_unsure && now.depth.upper < 0.2501 );
	scene_earlier_free( &last );
	now = judge( &again, 0.02, NULL, false, &last );
	assert_true( now.standing == SCENE_WORSENED && now.has_lapsed && !now.is_unsure );
	scene_earlier_free( &last );
	now = judge( &again, 0.005, &unknown, false, &last ); // it had the time
	assert_true( now.standing == SCENE_UNSURE && now.has_lapsed && !now.is_unsure );
	scene_earlier_free( &last );
	scene_earlier_free( &again );
	scene_earlier_free( &cut );
	scene_earlier_free( &before );
	// A run without time adds no depth to an acceptance that has none.
	accept( &before, &unknown );
	now = judge( &before, 0.005, NULL, true, &cut );
	assert_true( now.standing == SCENE_UNSURE && now.is_accepted && now.is_unsure && !now.has_depth );
	scene_earlier_free( &cut );
	scene_earlier_free( &before );
	// An acceptance without a place may be elsewhere.
	accept( &before, NULL );
	before.clashes[0].middle = ( earlier_place ){ 0 };
	now = judge( &before, 0.005, NULL, false, &last );
	assert_int_equal( now.standing, SCENE_UNSURE );
	scene_earlier_free( &last );
	scene_earlier_free( &before );
	accept( &before, NULL );
	before.clashes[0].point = ( earlier_place ){ 0 }; // as versions before wrote it
	now = judge( &before, 0.005, NULL, false, &last );
	assert_int_equal( now.standing, SCENE_UNSURE );
	assert_true( last.clashes[0].point.has_frames );
	scene_earlier_free( &last );
	scene_earlier_free( &before );
}

// ------------------------------------------------------------------------------------------------
// Places of acceptances

// Boxes by their lower and upper corners.
static uint32_t add_boxes( scene_model *m, const double corners[][6], size_t count ) {
	shape s = { 0 };
	dbvh_mesh *mesh;
	for ( size_t i = 0; i < count; ++i ) {
		const double *c = corners[i];
		const size_t first = s.vertex_count;
		shape_add_box( &s, 0.5 * ( c[3] - c[0] ), 0.5 * ( c[4] - c[1] ), 0.5 * ( c[5] - c[2] ), 1 );
		for ( size_t k = 3 * first; k < 3 * s.vertex_count; ++k )
			s.positions[k] += 0.5 * ( c[k % 3] + c[k % 3 + 3] );
	}
	const dbvh_mesh_view view = shape_view( &s );
	assert_int_equal( dbvh_mesh_create( &view, NULL, &mesh, NULL ), DBVH_OK );
	shape_free( &s );
	return scene_add_mesh( m, mesh, "boxes" );
}

// The body stands on a plate whose top is at 0, `turns` quarters of a turn about the axis of both, and then at `x`.
// `has_step`: the right half of the plate is lower.
static void stand_on_plate( stage *s, const double corners[][6], size_t count, int turns, double x, double clearance,
                            bool has_step ) {
	static const double plate[2][6] = { { -6, -6, -1, 6, 6, 0 } };
	static const double step[2][6] = { { -6, -6, -1, 0, 6, 0 }, { 0.5, -6, -1, 6, 6, -0.5 } };
	static const double sines[] = { 0, 1, 0, -1 };
	scene_model *m = &s->assembly.model;
	*s = ( stage ){ .assembly = { .files = files, .file_count = 1 } };
	dbvh_pose pose = dbvh_pose_identity();
	assert_int_equal( scene_add_body( m, "plate", add_boxes( m, has_step ? step : plate, has_step ? 2 : 1 ), &pose ),
	                  0 );
	pose.rot[0][0] = pose.rot[1][1] = sines[( turns + 1 ) % 4];
	pose.rot[1][0] = sines[turns % 4];
	pose.rot[0][1] = -sines[turns % 4];
	pose.pos[0] = x;
	assert_int_equal( scene_add_body( m, "stand", add_boxes( m, corners, count ), &pose ), 1 );
	find_clash( s, clearance );
}

// Everything is as deep, as large and as far from the middle of the region as it was; only some of it is where it was.
static void test_turned( void **state ) {
	(void)state;
	// The left leg goes into the plate, onto it or near it, the right one stays above.
	static const double in[3][6] = {
	    { -5, -.5, 2, 5, .5, 3 }, { -5, -.5, -.25, -4, .5, 1.9 }, { 4, -.5, .5, 5, .5, 1.9 } };
	static const double on[3][6] = {
	    { -5, -.5, 2, 5, .5, 3 }, { -5, -.5, 0, -4, .5, 1.9 }, { 4, -.5, .5, 5, .5, 1.9 } };
	static const double above[3][6] = {
	    { -5, -.5, 2, 5, .5, 3 }, { -5, -.5, .25, -4, .5, 1.9 }, { 4, -.5, .75, 5, .5, 1.9 } };
	static const double edited[3][6] = {
	    { -5, -.5, 2, 5, .5, 3 }, { 4, -.5, -.25, 5, .5, 1.9 }, { -5, -.5, .5, -4, .5, 1.9 } };
	static const double legs[3][6] = {
	    { -5, -.5, 2, 5, .5, 3 }, { 4, -.5, -.25, 5, .5, 1.9 }, { -5, -.5, -.25, -4, .5, 1.9 } };
	static const double column[1][6] = { { -2, -2, -.25, 2, 2, 3 } };
	static const struct {
		const double ( *then )[6], ( *now )[6];
		size_t count;
		double clearance;
		int turns;
		double x;
		scene_standing expected;
		bool has_step;
	} cases[] = { { legs, legs, 3, 0, 0, 0.05, SCENE_ACCEPTED, true },
	              { legs, legs, 3, 0, 2, 0, SCENE_UNSURE, true },
	              { in, in, 3, 0, 0, 0, SCENE_ACCEPTED, false },
	              { in, in, 3, 0, 2, 0, SCENE_UNSURE, false },
	              { in, in, 3, 0, 0, 0.05, SCENE_ACCEPTED, false },
	              { in, in, 3, 0, 1, 0, SCENE_UNSURE, false },
	              { in, edited, 3, 0, 0, 0, SCENE_UNSURE, false },
	              { on, on, 3, 0, 2, 0, SCENE_UNSURE, false },
	              { on, on, 3, 0, 0, 0.05, SCENE_ACCEPTED, false },
	              { above, above, 3, 0.5, 2, 0, SCENE_UNSURE, false },
	              { above, above, 3, 0.5, 0, 0.05, SCENE_ACCEPTED, false },
	              { column, column, 1, 0, 1, 0, SCENE_ACCEPTED, false },
	              { column, column, 1, 0, 2, 0, SCENE_ACCEPTED, false },
	              { column, column, 1, 0, 1, -0.05, SCENE_ACCEPTED, false } };
	for ( size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i ) {
		scene_earlier before = { 0 };
		stage s;
		stand_on_plate( &s, cases[i].then, cases[i].count, 0, 0, cases[i].clearance, cases[i].has_step );
		assert_true( scene_earlier_take( &before, &s.found ) );
		strike( &s );
		before.clashes[0].review.accepted = scene_copy( "so" );
		stand_on_plate( &s, cases[i].now, cases[i].count, cases[i].turns, cases[i].x, cases[i].clearance,
		                cases[i].has_step );
		assert_true( scene_stand( &s.found, &before, &fine ) );
		if ( s.found.clashes[0].standing != cases[i].expected )
			printf( "case %zu: %s\n", i, scene_standing_word( s.found.clashes[0].standing ) );
		assert_int_equal( s.found.clashes[0].standing, cases[i].expected );
		strike( &s );
		scene_earlier_free( &before );
	}
}

// Two bodies of boxes in one frame, which is at a random pose.
static void stand_together( stage *s, rng *r, const double a[][6], size_t a_count, const double b[][6],
                            size_t b_count ) {
	scene_model *m = &s->assembly.model;
	*s = ( stage ){ .assembly = { .files = files, .file_count = 1 } };
	const dbvh_pose pose = random_pose( r, 10.0 );
	assert_int_equal( scene_add_body( m, "a", add_boxes( m, a, a_count ), &pose ), 0 );
	assert_int_equal( scene_add_body( m, "b", add_boxes( m, b, b_count ), &pose ), 1 );
	find_clash( s, 0.0 );
}

static bool is_near( const stage *s, const double in_frame[3], double limit ) {
	double at[3];
	scene_out_of_frame( &s->assembly.model.bodies[0].pose, in_frame, at );
	return scene_is_near_clash( &s->found, &s->found.clashes[0], at, limit );
}

// The distance of a point from a box; below 0: how far inside it is.
static double distance_from( const double box[6], const double x[3] ) {
	double sum = 0.0, out = -INFINITY;
	for ( int k = 0; k < 3; ++k ) {
		const double d = fmax( box[k] - x[k], x[k] - box[k + 3] );
		sum += d > 0.0 ? d * d : 0.0;
		out = fmax( out, d );
	}
	return out > 0.0 ? sqrt( sum ) : out;
}

// Two boxes that have a box in common: no place is said to be near it that is not, and all within it are.
static void test_near( void **state ) {
	(void)state;
	rng r = rng_announce( "near", 33 );
	size_t counts[2] = { 0 };
	for ( size_t n = rounds( 300 ) < 60 ? 60 : rounds( 300 ); n-- > 0; ) {
		static const double a[1][6] = { { 0, 0, 0, 4, 4, 4 } };
		double b[1][6], common[6];
		for ( int k = 0; k < 3; ++k ) {
			b[0][k] = 0.25 * (double)rng_below( &r, 30 ) - 4.0;
			b[0][k + 3] = fmax( b[0][k], 0.0 ) + 0.25 + 0.25 * (double)rng_below( &r, 20 );
			common[k] = fmax( b[0][k], 0.0 );
			common[k + 3] = fmin( b[0][k + 3], 4.0 );
		}
		stage s;
		stand_together( &s, &r, a, 1, b, 1 );
		for ( int i = 0; i < 20; ++i ) {
			const double limit = rng_range( &r, 0.0, 1.0 );
			const double x[3] = { rng_range( &r, -2.0, 6.0 ), rng_range( &r, -2.0, 6.0 ), rng_range( &r, -2.0, 6.0 ) };
			const bool near = is_near( &s, x, limit );
			const double d = distance_from( common, x );
			assert_true( near ? d <= limit + 1e-9 : d > -1e-9 );
			++counts[near];
		}
		strike( &s );
	}
	assert_outcomes( counts[0] > 0 && counts[1] > 0 );
}

// Near a common face there is no overlap, whatever a rounded point says; the overlap is far away.
static void test_near_touch( void **state ) {
	(void)state;
	static const double a[1][6] = { { 0, 0, 0, 9, 3, 3 } };
	static const double b[2][6] = { { 8, 1, 1, 10, 2, 2 }, { -1, 0, 0, 0, 3, 3 } };
	rng r = rng_announce( "near_touch", 34 );
	for ( int n = 0; n < 20; ++n ) {
		stage s;
		stand_together( &s, &r, a, 1, b, 2 );
		for ( int i = 0; i < 50; ++i ) {
			const double x[3] = { rng_range( &r, -0.1, 0.1 ), rng_range( &r, 0.1, 2.9 ), rng_range( &r, 0.1, 2.9 ) };
			assert_false( is_near( &s, x, 0.5 ) );
		}
		strike( &s );
	}
}

// The second leg goes into the plate too, as deep as the first: an acceptance of a known volume has worsened, one
// without a volume may have.
static void test_second_leg( void **state ) {
	(void)state;
	static const double one[3][6] = {
	    { -5, -.5, 2, 5, .5, 3 }, { -5, -.5, -.25, -4, .5, 1.9 }, { 4, -.5, .5, 5, .5, 1.9 } };
	static const double both[3][6] = {
	    { -5, -.5, 2, 5, .5, 3 }, { -5, -.5, -.25, -4, .5, 1.9 }, { 4, -.5, -.25, 5, .5, 1.9 } };
	for ( int has_volume = 0; has_volume < 2; ++has_volume ) {
		scene_earlier before = { 0 };
		stage s;
		stand_on_plate( &s, one, 3, 0, 0, 0, false );
		assert_true( scene_earlier_take( &before, &s.found ) );
		strike( &s );
		before.clashes[0].has_volume = has_volume == 1;
		before.clashes[0].review.accepted = scene_copy( "so" );
		stand_on_plate( &s, both, 3, 0, 0, 0, false );
		assert_true( scene_stand( &s.found, &before, &( scene_tolerance ){ 0.0, 9.0 } ) );
		assert_int_equal( s.found.clashes[0].standing, has_volume == 1 ? SCENE_WORSENED : SCENE_UNSURE );
		strike( &s );
		scene_earlier_free( &before );
	}
}

// Where a face touches another one, whatever the rounding, and nowhere else.
static void test_near_faces( void **state ) {
	(void)state;
	static const double a[1][6] = { { 0, 0, 0, 9, 3, 3 } }, b[1][6] = { { -1, 0, 0, 0, 3, 3 } };
	rng r = rng_announce( "near_faces", 35 );
	for ( int n = 0; n < 20; ++n ) {
		stage s;
		stand_together( &s, &r, a, 1, b, 1 );
		for ( int i = 0; i < 50; ++i ) {
			const double x[3] = { rng_range( &r, -0.04, 0.04 ), rng_range( &r, 0.1, 2.9 ), rng_range( &r, 0.1, 2.9 ) };
			assert_true( is_near( &s, x, 0.05 ) );
			const double off[3] = { i % 2 == 0 ? -0.06 : 0.06, x[1], x[2] };
			assert_false( is_near( &s, off, 0.05 ) );
		}
		strike( &s );
	}
}

// Poses that have been multiplied out: the two stand to each other as they did, but for rounding.
static void test_same_pair( void **state ) {
	(void)state;
	for ( int is_other = 0; is_other < 2; ++is_other ) {
		const double lower = is_other == 1 ? 0.01 : 0.0;
		const double large[3] = { 0, 0, 0 }, small[3] = { 0.1, 0.2, 2.2500001 };
		const double far_large[3] = { 1e6, 1e6, 1e6 }, far_small[3] = { 1e6 + 0.1, 1e6 + 0.2, 1e6 + 2.2500001 - lower };
		scene_earlier before = { 0 };
		stage s;
		raise( &s, "large", large, "small", small, 0.0 );
		assert_true( scene_earlier_take( &before, &s.found ) );
		strike( &s );
		before.clashes[0].has_depth = false;
		before.clashes[0].review.accepted = scene_copy( "so" );
		raise( &s, "large", far_large, "small", far_small, 0.0 );
		assert_true( scene_stand( &s.found, &before, &fine ) );
		assert_int_equal( s.found.clashes[0].standing, is_other == 1 ? SCENE_UNSURE : SCENE_ACCEPTED );
		strike( &s );
		scene_earlier_free( &before );
	}
}

// A place in the frame of a body is one among its triangles, and goes with them.
static void test_other_triangles( void **state ) {
	(void)state;
	const double large[3] = { 0, 0, 0 }, small[3] = { 0, 0, 2.25 }, later[3] = { 0, 0, 2.2499 };
	for ( int is_baked = 0; is_baked < 2; ++is_baked ) {
		scene_earlier before = { 0 }, after = { 0 };
		stage s;
		raise_as( &s, "large", large, "small", small, 0.0, is_baked == 1 );
		assert_true( scene_earlier_take( &before, &s.found ) );
		strike( &s );
		raise_as( &s, "large", large, "small", later, 0.0, is_baked == 1 );
		assert_true( scene_stand( &s.found, &before, &fine ) );
		assert_int_equal( s.found.clashes[0].standing, SCENE_UNCHANGED );
		assert_true( scene_review_next( &s.found, &before, &after ) );
		assert_true( after.clashes[0].middle.is_known && after.clashes[0].middle.world[2] == 1.875 );
		assert_true( after.clashes[0].middle.has_frames == ( is_baked == 0 ) );
		strike( &s );
		scene_earlier_free( &before );
		scene_earlier_free( &after );
	}
}

static bool is_always_over( void *user ) {
	(void)user;
	return true;
}

static void test_no_time( void **state ) {
	(void)state;
	const double large[3] = { 0, 0, 0 }, small[3] = { 0, 0, 2.25 };
	const scene_watch watch = { NULL, is_always_over, NULL };
	stage s;
	raise( &s, "large", large, "small", small, 0.0 );
	assert_false( s.found.clashes[0].is_cut_short );
	scene_findings_free( &s.found );
	assert_int_equal( scene_find( &s.assembly, &s.trees, s.book, s.scene, 1, &watch, &s.found, NULL ), DBVH_OK );
	assert_int_equal( s.found.clash_count, 1 );
	assert_true( s.found.clashes[0].is_cut_short && !s.found.clashes[0].overlap.has_depth );
	strike( &s );
}

// The overlap is as deep as it was, and larger.
static void test_volumes( void **state ) {
	(void)state;
	static const struct {
		double factor;
		scene_standing expected;
	} cases[] = {
	    { 1.0, SCENE_UNCHANGED }, { 0.5, SCENE_WORSENED }, { 2.0, SCENE_IMPROVED }, { 0.9, SCENE_UNCHANGED } };
	for ( size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i ) {
		scene_earlier before, after;
		accept( &before, NULL );
		free( before.clashes[0].review.accepted );
		before.clashes[0].review.accepted = NULL;
		before.clashes[0].volume.lower *= cases[i].factor; // a quarter; a tenth of that is within 0.01 times 3
		before.clashes[0].volume.upper *= cases[i].factor;
		const double large[3] = { 0, 0, 0 }, small[3] = { 0, 0, 2.25 };
		stage s;
		raise( &s, "large", large, "small", small, 0.0 );
		assert_true( scene_stand( &s.found, &before, &fine ) );
		assert_int_equal( s.found.clashes[0].standing, cases[i].expected );
		assert_true( s.found.was[0].is_volume == ( cases[i].expected != SCENE_UNCHANGED ) );
		after = ( scene_earlier ){ 0 };
		assert_true( scene_review_next( &s.found, &before, &after ) );
		const dbvh_interval kept = after.clashes[0].volume;
		assert_true( fabs( kept.upper - ( cases[i].expected == SCENE_UNCHANGED ? 0.25 * cases[i].factor : 0.25 ) ) <
		             1e-9 );
		strike( &s );
		scene_earlier_free( &before );
		scene_earlier_free( &after );
	}
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( test_random_moves ),
	    cmocka_unit_test( test_usual_tolerances ),
	    cmocka_unit_test( test_what_stays ),
	    cmocka_unit_test( test_clearances ),
	    cmocka_unit_test( test_kinds ),
	    cmocka_unit_test( test_other_names ),
	    cmocka_unit_test( test_vertices_in_the_world ),
	    cmocka_unit_test( test_acceptances ),
	    cmocka_unit_test( test_unsure_runs ),
	    cmocka_unit_test( test_volumes ),
	    cmocka_unit_test( test_turned ),
	    cmocka_unit_test( test_second_leg ),
	    cmocka_unit_test( test_near ),
	    cmocka_unit_test( test_near_faces ),
	    cmocka_unit_test( test_near_touch ),
	    cmocka_unit_test( test_same_pair ),
	    cmocka_unit_test( test_other_triangles ),
	    cmocka_unit_test( test_no_time ),
	};
	return test_main( argc, argv, tests );
}
