// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A year of a model: 52 random revisions by a generator that knows what it has done to each clash. After each, every
// clash has the id and the standing of the truth, and the review file rests when nothing changes.

#include "review_text.h"
#include "shapes/shapes.h"
#include "support/rng.h"
#include "support/rounds.h"
#include "support/unit.h"
#include "text/day.h"
#include "text/hash.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 16, WEEKS = 52, MOST_TEXT = 1 << 17 };

static const char *const files[] = { "test" };
static const scene_tolerance tolerance = { 0.01, 0.2 };

typedef enum act {
	ACT_REST,
	ACT_RENAME,
	ACT_TOGETHER,
	ACT_BOTH,
	ACT_DEEPER,
	ACT_HIGHER,
	ACT_SLIDE,
	ACT_JITTER,
	ACT_REPAIR,
	ACT_DELETE,
	ACT_ALLOW,
	ACT_ACCEPT,
	ACT_COUNT
} act;

// A small box in the top of a large one, far from all others. The first slots have small boxes of one shape and name,
// which the model numbers in the order of the file; the others have a shape of their own. Some have their places in
// their vertices, as exporters of buildings write them, and some have a small box that lacks a triangle, so that nobody
// knows a depth.
typedef struct slot {
	char large[64], small[64];
	double size;            // half the side of the small box
	double at[3], x, depth; // place of the large box; the small one on it
	bool is_numbered, is_baked, is_open, is_lifted, is_deleted, is_allowed, is_accepted;
	int until;                   // the last week of the acceptance; -1: no end
	bool is_known, was_resolved; // the review has it
	uint64_t id;
	double ref_at[3], ref_x, ref_depth;    // the place and depth in the review
	double last_at[3], last_x, last_depth; // the place and depth in the last run
	bool was_lifted, is_flagged;           // flagged: the pair has changed while its clash was not there
} slot;

typedef struct world {
	slot slots[SLOTS];
	int name_count, week;
	rng r;
	char review[MOST_TEXT];
	size_t seen[SCENE_STANDING_COUNT], absences[SCENE_ABSENCE_COUNT];
} world;

typedef struct stage {
	scene_assembly assembly;
	scene_trees trees;
	scene_rule_book *book;
	dbvh_scene *scene;
	scene_findings found;
	int slot_of[2 * SLOTS];
} stage;

static double eighth( rng *r, uint64_t most ) {
	return 0.125 * ( (double)rng_below( r, 2 * most + 1 ) - (double)most );
}

static void new_name( world *w, char *out, const char *stem ) {
	static const char *const folders[] = { "", "north/", "south/level-1/" };
	snprintf( out, 64, "%s%s-%d", folders[rng_below( &w->r, 3 )], stem, ++w->name_count );
}

static void start( world *w, uint64_t seed ) {
	memset( w, 0, sizeof *w );
	w->r = ( rng ){ seed };
	for ( int i = 0; i < SLOTS; ++i ) {
		slot *s = &w->slots[i];
		s->is_numbered = i < SLOTS / 4;
		s->is_baked = i >= SLOTS / 2 && i % 2 == 0;
		s->is_open = i >= SLOTS * 5 / 8;
		s->size = s->is_numbered ? 0.5 : 0.5 + 0.015625 * i;
		new_name( w, s->large, "beam" );
		if ( s->is_numbered )
			strcpy( s->small, "bolts/bolt" );
		else
			new_name( w, s->small, "bolt" );
		s->at[0] = 40.0 * i;
		s->x = eighth( &w->r, 8 );
		s->depth = 0.25;
		s->is_lifted = rng_below( &w->r, 4 ) == 0;
		s->until = -1;
	}
}

// ------------------------------------------------------------------------------------------------
// A revision

static void change( world *w, slot *s, act what ) {
	rng *r = &w->r;
	switch ( what ) {
	case ACT_RENAME:
		new_name( w, s->large, "beam" );
		if ( !s->is_numbered && rng_below( r, 2 ) == 0 )
			new_name( w, s->small, "bolt" );
		break;
	case ACT_BOTH: // renamed and moved in one week: known by shape and by how they stand to each other
		new_name( w, s->large, "beam" );
		new_name( w, s->small, "bolt" ); // fallthrough
	case ACT_TOGETHER:
		s->at[1] += 1.0 + eighth( r, 4 );
		break;
	case ACT_DEEPER:
		s->depth = fmin( s->depth + 0.0625, 0.4375 );
		break;
	case ACT_HIGHER:
		s->depth = fmax( s->depth - 0.0625, 0.0625 );
		break;
	case ACT_SLIDE:
		s->x += s->x > 0.0 ? -0.5 : 0.5;
		break;
	case ACT_JITTER:
		s->x += 0.0009765625;
		s->depth += s->depth < 0.4 ? 0.0009765625 : -0.0009765625;
		break;
	case ACT_REPAIR:
		s->is_lifted = !s->is_lifted;
		break;
	case ACT_DELETE:
		s->is_deleted = !s->is_deleted;
		break;
	case ACT_ALLOW:
		s->is_allowed = !s->is_allowed;
		break;
	default:
		break;
	}
}

static bool is_there( const slot *s ) {
	return !s->is_lifted && !s->is_deleted && !s->is_allowed;
}

// At most one of the numbered ones changes its place in a week: of two nobody could say which is which.
static void revise( world *w ) {
	bool numbered_moves = false;
	for ( int i = 0; i < SLOTS; ++i ) {
		slot *s = &w->slots[i];
		act what = rng_below( &w->r, 2 ) == 0 ? ACT_REST : (act)rng_below( &w->r, ACT_COUNT );
		const bool is_away = s->is_lifted || s->is_deleted;
		if ( s->is_numbered && ( what == ACT_BOTH || what == ACT_DELETE ) )
			what = ACT_REST;
		if ( is_away && what != ACT_REPAIR && what != ACT_DELETE )
			what = ACT_REST;
		if ( ( what == ACT_REPAIR && s->is_deleted ) || ( what == ACT_DELETE && s->is_lifted ) )
			what = ACT_REST;
		if ( s->is_numbered && what != ACT_RENAME && what != ACT_ALLOW && what != ACT_REST && what != ACT_ACCEPT ) {
			what = numbered_moves ? ACT_REST : what;
			numbered_moves = true;
		}
		if ( what == ACT_BOTH && ( s->is_baked || !is_there( s ) ) )
			what = ACT_REST;
		change( w, s, what );
	}
}

// A box round `at`, which lacks a triangle where it is open.
static uint32_t add_box( scene_model *m, double size, const double at[3], bool is_open ) {
	shape s = { 0 };
	dbvh_mesh *mesh;
	shape_add_box( &s, size, size, size, 1 );
	for ( size_t i = 0; i < 3 * s.vertex_count; ++i )
		s.positions[i] += at[i % 3];
	dbvh_mesh_view view = shape_view( &s );
	view.triangle_count -= is_open;
	assert_int_equal( dbvh_mesh_create( &view, NULL, &mesh, NULL ), DBVH_OK );
	shape_free( &s );
	return scene_add_mesh( m, mesh, "box" );
}

static void add_slot_body( world *w, stage *st, int index, bool is_small ) {
	static const double none[3] = { 0 };
	slot *s = &w->slots[index];
	scene_model *m = &st->assembly.model;
	dbvh_pose pose = dbvh_pose_identity();
	double at[3];
	memcpy( at, s->at, sizeof at );
	if ( is_small ) {
		at[0] += s->x;
		at[2] += 2.0 + s->size - s->depth + ( s->is_lifted ? 3.0 : 0.0 );
	}
	if ( is_small && s->is_deleted )
		return;
	if ( !is_small )
		at[2] -= 0.0625 * index;
	const uint32_t mesh =
	    add_box( m, is_small ? s->size : 2.0 + 0.0625 * index, s->is_baked ? at : none, is_small && s->is_open );
	if ( !s->is_baked )
		memcpy( pose.pos, at, sizeof at );
	const uint32_t body = scene_add_body( m, is_small ? s->small : s->large, mesh, &pose );
	assert_true( body < 2 * SLOTS );
	st->slot_of[body] = index;
}

static void add_rules( world *w, stage *st ) {
	const dbvh_pair_rule may = { .may_collide = true };
	for ( int i = 0; i < SLOTS; ++i )
		if ( w->slots[i].is_allowed )
			assert_int_not_equal( scene_add_rule( &st->assembly.model, w->slots[i].large, "*", &may ), SCENE_NONE );
}

// The bodies come in a random order.
static void raise( world *w, stage *st ) {
	scene_model *m = &st->assembly.model;
	int order[2 * SLOTS];
	uint32_t failed;
	*st = ( stage ){ .assembly = { .files = files, .file_count = 1 } };
	for ( int i = 0; i < 2 * SLOTS; ++i ) {
		const int k = (int)rng_below( &w->r, (uint64_t)i + 1 );
		order[i] = order[k];
		order[k] = i;
	}
	for ( int i = 0; i < 2 * SLOTS; ++i )
		add_slot_body( w, st, order[i] / 2, order[i] % 2 == 1 );
	add_rules( w, st );
	st->assembly.file_of = calloc( 2 * SLOTS + 1, sizeof *st->assembly.file_of );
	assert_int_equal( scene_build_trees( m, 1, NULL, NULL, NULL, &st->trees, &failed, NULL ), DBVH_OK );
	assert_int_equal( dbvh_scene_create( NULL, &st->scene, NULL ), DBVH_OK );
	for ( uint32_t i = 0; i < m->body_count; ++i ) {
		uint32_t number;
		assert_int_equal( dbvh_scene_add_body( st->scene, st->trees.trees[m->bodies[i].mesh], &m->bodies[i].pose, NULL,
		                                       &number, NULL ),
		                  DBVH_OK );
	}
	st->book = scene_rules_open( m );
	assert_int_equal( scene_rules_apply( st->book, st->scene, NULL ), DBVH_OK );
	assert_int_equal( scene_find( &st->assembly, &st->trees, st->book, st->scene, 1, NULL, &st->found, NULL ),
	                  DBVH_OK );
}

static void strike( stage *st ) {
	scene_findings_free( &st->found );
	dbvh_scene_destroy( st->scene );
	scene_rules_close( st->book );
	scene_trees_free( &st->trees );
	scene_assembly_free( &st->assembly );
}

// ------------------------------------------------------------------------------------------------
// The truth

static bool holds( const world *w, const slot *s ) {
	return s->is_accepted && ( s->until < 0 || w->week <= s->until );
}

// Is the pair another one than in the last run?
static bool has_changed( const slot *s ) {
	return s->is_deleted || s->x != s->last_x || s->depth != s->last_depth || s->is_lifted != s->was_lifted ||
	       ( s->is_baked && memcmp( s->at, s->last_at, sizeof s->at ) != 0 );
}

// How far the middle of the overlap is from where the review has it, in the world, and seen from both bodies; those
// have other triangles where places are in vertices.
static double moved( const slot *s ) {
	double in_world = 0.0, relative = pow( s->x - s->ref_x, 2 ) + pow( s->depth - s->ref_depth, 2 );
	for ( int k = 0; k < 3; ++k ) {
		const double there = s->at[k] + ( k == 0 ? s->x : k == 2 ? -0.5 * s->depth : 0.0 );
		const double ref = s->ref_at[k] + ( k == 0 ? s->ref_x : k == 2 ? -0.5 * s->ref_depth : 0.0 );
		in_world += pow( there - ref, 2 );
	}
	return sqrt( s->is_baked ? in_world : fmin( in_world, relative ) );
}

static scene_standing expected( const world *w, const slot *s, bool is_renamed ) {
	if ( !s->is_known || s->was_resolved )
		return SCENE_NEW;
	if ( !s->is_open && s->depth - s->ref_depth > tolerance.worse )
		return SCENE_WORSENED;
	if ( moved( s ) > tolerance.moved )
		return SCENE_MOVED;
	if ( s->is_accepted && s->is_open && ( has_changed( s ) || s->is_flagged ) )
		return SCENE_UNSURE;
	if ( s->is_accepted )
		return holds( w, s ) ? SCENE_ACCEPTED : SCENE_EXPIRED;
	if ( !s->is_open && s->ref_depth - s->depth > tolerance.worse )
		return SCENE_IMPROVED;
	return is_renamed ? SCENE_RENAMED : SCENE_UNCHANGED;
}

static void remember( slot *s, scene_standing standing, uint64_t id ) {
	const bool is_over =
	    standing == SCENE_NEW || standing == SCENE_WORSENED || standing == SCENE_MOVED || standing == SCENE_UNSURE;
	s->is_accepted = s->is_accepted && !is_over;
	if ( is_over || standing == SCENE_IMPROVED ) {
		memcpy( s->ref_at, s->at, sizeof s->at );
		s->ref_x = s->x;
		s->ref_depth = s->depth;
	}
	s->is_known = true;
	s->was_resolved = s->is_flagged = false;
	s->id = id;
}

static bool is_same_path( const char *was, const char *now ) {
	return strcmp( was, now ) == 0;
}

static void check_clash( world *w, const stage *st, const scene_clash *c, bool *found ) {
	const int index = st->slot_of[c->a];
	slot *s = &w->slots[index];
	assert_int_equal( index, st->slot_of[c->b] );
	assert_true( is_there( s ) && !found[index] );
	found[index] = true;
	const scene_was *was = c->was != SCENE_NONE ? &st->found.was[c->was] : NULL;
	const char *a = scene_path( &st->found, c->a ), *b = scene_path( &st->found, c->b );
	const bool is_renamed = was != NULL && !( is_same_path( was->a, a ) && is_same_path( was->b, b ) ) &&
	                        !( is_same_path( was->a, b ) && is_same_path( was->b, a ) );
	const scene_standing truth = expected( w, s, is_renamed );
	if ( c->standing != truth )
		printf( "week %d, slot %d: %s, not %s\n", w->week, index, scene_standing_word( c->standing ),
		        scene_standing_word( truth ) );
	assert_int_equal( c->standing, truth );
	assert_true( was != NULL || !s->is_known );
	if ( s->is_known )
		assert_true( c->id == s->id );
	for ( int i = 0; i < SLOTS; ++i )
		assert_true( i == index || !w->slots[i].is_known || w->slots[i].id != c->id );
	assert_int_equal( scene_clash_counts( &st->found, c ), truth == SCENE_NEW || truth == SCENE_WORSENED ||
	                                                           truth == SCENE_MOVED || truth == SCENE_UNSURE ||
	                                                           truth == SCENE_EXPIRED );
	++w->seen[truth];
	remember( s, truth, c->id );
}

static scene_absence reason( const slot *s ) {
	return s->is_deleted ? SCENE_ABSENT_MISSING : s->is_allowed ? SCENE_ABSENT_RULES : SCENE_ABSENT_RESOLVED;
}

// Every earlier clash that is not there is absent for the reason that the generator knows.
static void check_absent( world *w, const stage *st, const scene_earlier *earlier, const bool *found ) {
	for ( size_t i = 0; i < earlier->clash_count; ++i ) {
		const earlier_clash *c = &earlier->clashes[i];
		slot *s = NULL;
		for ( int k = 0; k < SLOTS; ++k )
			if ( w->slots[k].is_known && w->slots[k].id == c->id )
				s = &w->slots[k];
		assert_non_null( s );
		if ( ( c->now == SCENE_NONE ) != !found[s - w->slots] )
			printf( "week %d, slot %d: %s\n", w->week, (int)( s - w->slots ), earlier->bodies[c->a].path );
		assert_int_equal( c->now == SCENE_NONE, !found[s - w->slots] );
		if ( c->now != SCENE_NONE )
			continue;
		const scene_absence why = scene_why_absent( &st->found, earlier, c );
		const bool is_late = why == SCENE_ABSENT_SAME && reason( s ) == SCENE_ABSENT_RESOLVED;
		if ( !is_late ) // the body rests where it was lifted to
			assert_int_equal( why, reason( s ) );
		++w->absences[why];
		s->is_flagged = s->is_flagged || ( s->is_accepted && has_changed( s ) );
		s->was_resolved = s->was_resolved || reason( s ) == SCENE_ABSENT_RESOLVED;
	}
}

// ------------------------------------------------------------------------------------------------
// The file

static void print_week( int week, char text[11] ) {
	scene_day_print( (int64_t)86400 * ( 20000 + 7 * week ), text );
}

static void stand( stage *st, const world *w, scene_earlier *earlier ) {
	dbvh_error error;
	*earlier = ( scene_earlier ){ 0 };
	if ( *w->review != '\0' )
		assert_int_equal( scene_review_read( earlier, (const unsigned char *)w->review, strlen( w->review ), &error ),
		                  DBVH_OK );
	print_week( w->week, earlier->today );
	assert_true( scene_stand( &st->found, earlier, &tolerance ) );
}

// Somebody accepts a clash by hand: lines behind that of its id.
static void accept_some( world *w ) {
	for ( int i = 0; i < SLOTS; ++i ) {
		slot *s = &w->slots[i];
		char id[SCENE_HASH_ROOM], line[32], added[128], day[11];
		if ( !is_there( s ) || !s->is_known || s->is_accepted || rng_below( &w->r, 10 ) > 0 )
			continue;
		s->until = rng_below( &w->r, 2 ) == 0 ? -1 : w->week + (int)rng_below( &w->r, 6 );
		snprintf( line, sizeof line, "clash: %s\n", scene_hash_print( s->id, id ) );
		char *at = strstr( w->review, line );
		assert_non_null( at );
		at += strlen( line );
		char *end = strstr( at, "\n\n" ), *until = strstr( at, "\nuntil: " ), *by = strstr( at, "\nby: " );
		// An acceptance that has lapsed leaves its lines.
		if ( until != NULL && until < end )
			memmove( until, strchr( until + 1, '\n' ), strlen( strchr( until + 1, '\n' ) ) + 1 );
		by = strstr( at, "\nby: " );
		if ( by != NULL && by < strstr( at, "\n\n" ) )
			memmove( by, strchr( by + 1, '\n' ), strlen( strchr( by + 1, '\n' ) ) + 1 );
		print_week( s->until < 0 ? 0 : s->until, day );
		snprintf( added, sizeof added, "accepted: it is made so\nby: Ann\n%s%s%s",
		          s->until < 0 ? "" : "until: ", s->until < 0 ? "" : day, s->until < 0 ? "" : "\n" );
		memmove( at + strlen( added ), at, strlen( at ) + 1 );
		memcpy( at, added, strlen( added ) );
		s->is_accepted = true;
		// note: the acceptance is of what the file has.
	}
}

// The next review, and the same model against it: nothing is news, and the file stays as it is.
static void check_rest( world *w ) {
	static char again[MOST_TEXT];
	const rng before = w->r;
	stage st;
	scene_earlier earlier, next = { 0 };
	raise( w, &st );
	stand( &st, w, &earlier );
	for ( size_t i = 0; i < st.found.clash_count; ++i )
		assert_true( scene_is_known( &st.found.clashes[i] ) || st.found.clashes[i].standing == SCENE_EXPIRED );
	assert_true( scene_review_next( &st.found, &earlier, &next ) );
	write_review( &next, again, sizeof again );
	assert_string_equal( again, w->review );
	scene_earlier_free( &earlier );
	scene_earlier_free( &next );
	strike( &st );
	w->r = before;
}

static void live_a_week( world *w ) {
	bool found[SLOTS] = { false };
	stage st;
	scene_earlier earlier, next = { 0 };
	if ( w->week > 0 )
		revise( w );
	const rng order = w->r;
	raise( w, &st );
	stand( &st, w, &earlier );
	for ( size_t i = 0; i < st.found.clash_count; ++i )
		check_clash( w, &st, &st.found.clashes[i], found );
	for ( int i = 0; i < SLOTS; ++i )
		assert_int_equal( found[i], is_there( &w->slots[i] ) );
	check_absent( w, &st, &earlier, found );
	for ( int i = 0; i < SLOTS; ++i ) {
		slot *s = &w->slots[i];
		memcpy( s->last_at, s->at, sizeof s->at );
		s->last_x = s->x;
		s->last_depth = s->depth;
		s->was_lifted = s->is_lifted;
	}
	assert_true( scene_review_next( &st.found, &earlier, &next ) );
	write_review( &next, w->review, sizeof w->review );
	scene_earlier_free( &earlier );
	scene_earlier_free( &next );
	strike( &st );
	const rng now = w->r;
	w->r = order; // the same model in the same order
	if ( w->week % 8 == 0 )
		check_rest( w );
	w->r = now;
	accept_some( w );
}

static void test_year( void **state ) {
	(void)state;
	static world w;
	rng r = rng_announce( "year", 7 );
	for ( size_t n = rounds( 5 ) < 4 ? 4 : rounds( 5 ); n-- > 0; ) {
		start( &w, rng_u64( &r ) );
		for ( w.week = 0; w.week < WEEKS; ++w.week )
			live_a_week( &w );
		for ( int i = SCENE_NEW; i < SCENE_STANDING_COUNT; ++i )
			assert_outcomes( w.seen[i] > 0 );
		assert_outcomes( w.absences[SCENE_ABSENT_MISSING] > 0 && w.absences[SCENE_ABSENT_RESOLVED] > 0 &&
		                 w.absences[SCENE_ABSENT_RULES] > 0 );
	}
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = { cmocka_unit_test( test_year ) };
	return test_main( argc, argv, tests );
}
