// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A scene after any sequence of calls says what a scene says that is made afresh of the same bodies: all queries, all
// edits, refits of trees, rules, budgets that end, callbacks that cancel, memory that fails. Half of the scenes take
// the least for a crowd, and ask pairs a few at a time.

#include "dualbvh/shape.h"
#include "scene/scene.h"
#include "support/scene.h"
#include "support/sequences.h"
#include "support/unit.h"

#include <math.h>
#include <string.h>

enum { TREES = 5, NUMBERS = 7, PAIRS = NUMBERS * ( NUMBERS - 1 ) / 2, MOVED = 3 };

typedef struct world {
	shape shapes[TREES];
	double *base[TREES]; // the vertices as they were at first
	dbvh_tree *trees[TREES];
	bool is_changed[TREES];
} world;

typedef struct model_body {
	bool is_there, has_rule;
	int tree;
	dbvh_pose pose;
	dbvh_body_options options;
	dbvh_pair_rule rule;
} model_body;

// A scene, and what it has been told.
typedef struct machine {
	world *w;
	rng r; // the step's generator
	dbvh_scene *scene, *fresh;
	ledger books;
	bool has_books;
	model_body bodies[NUMBERS];
	dbvh_pair_rule of_scene, of_pairs[NUMBERS][NUMBERS];
	bool has_pair_rule[NUMBERS][NUMBERS];
	dbvh_budget of_all;
	bool has_budget;
	// The budget, cancellation and progress callback of the query under way, and whether it may fail by them.
	dbvh_budget own;
	const dbvh_budget *budget;
	int asks;
	bool may_spend, may_cancel, has_progress;
} machine;

#define TEXT_OF( x ) #x
#define PLACE( line ) TEXT_OF( line )
#define MUST( x )                                                                                                      \
	do {                                                                                                               \
		if ( !( x ) )                                                                                                  \
			return "line " PLACE( __LINE__ ) ": " #x;                                                                  \
	} while ( 0 )
#define PASS_ON( x )                                                                                                   \
	do {                                                                                                               \
		const char *const wrong = ( x );                                                                               \
		if ( wrong != NULL )                                                                                           \
			return wrong;                                                                                              \
	} while ( 0 )

// ------------------------------------------------------------------------------------------------
// What happens

static bool one_in( machine *m, uint64_t n ) {
	return rng_below( &m->r, n ) == 0;
}

// A random pose, mostly on a grid, so that bodies touch and coincide.
static dbvh_pose somewhere( machine *m ) {
	dbvh_pose pose = dbvh_pose_identity();
	if ( !one_in( m, 4 ) ) {
		for ( int k = 0; k < 3; ++k )
			pose.pos[k] = 0.5 * (double)rng_below( &m->r, k == 0 ? 8 : 3 );
		return pose;
	}
	double xyzw[4], pos[3];
	for ( int k = 0; k < 4; ++k )
		xyzw[k] = rng_range( &m->r, -1.0, 1.0 );
	for ( int k = 0; k < 3; ++k )
		pos[k] = rng_range( &m->r, 0.0, 3.0 );
	return dbvh_pose_from_quaternion( xyzw, pos );
}

static dbvh_pair_rule some_rule( machine *m ) {
	return ( dbvh_pair_rule ){ .may_collide = one_in( m, 4 ),
	                           .may_touch = one_in( m, 3 ),
	                           .clearance = one_in( m, 2 ) ? 0.25 * (double)rng_below( &m->r, 6 ) : 0.0,
	                           .touch_gap = one_in( m, 3 ) ? 0.125 : 0.0,
	                           .touch_overlap = one_in( m, 3 ) ? 0.0625 : 0.0,
	                           .allowed_depth = one_in( m, 8 ) ? 0.11 : 0.0,
	                           .allowed_volume = one_in( m, 8 ) ? 0.07 : 0.0 };
}

static size_t list_numbers( const machine *m, uint32_t numbers[NUMBERS] ) {
	size_t count = 0;
	for ( uint32_t i = 0; i < NUMBERS; ++i ) {
		if ( m->bodies[i].is_there )
			numbers[count++] = i;
	}
	return count;
}

// Mostly the number of a body, sometimes any number.
static uint32_t some_body( machine *m ) {
	uint32_t numbers[NUMBERS];
	const size_t count = list_numbers( m, numbers );
	return count == 0 || one_in( m, 30 ) ? (uint32_t)rng_below( &m->r, NUMBERS ) : numbers[rng_below( &m->r, count )];
}

// From now on memory may fail, until settle().
static void trouble_memory( machine *m ) {
	if ( !m->has_books || !one_in( m, 3 ) )
		return;
	m->books.fail_at = m->books.calls + 1 + rng_below( &m->r, 4 );
	m->books.once = one_in( m, 2 );
}

// Has memory failed?
static bool settle( machine *m ) {
	const bool has_failed = m->books.fail_at != 0 && m->books.calls >= m->books.fail_at;
	m->books.fail_at = 0;
	return has_failed;
}

static const char *add_body( machine *m ) {
	uint32_t number = 0, got;
	while ( number < NUMBERS && m->bodies[number].is_there )
		++number;
	if ( number == NUMBERS )
		return NULL;
	model_body b = { .is_there = true, .tree = (int)rng_below( &m->r, TREES ), .pose = somewhere( m ) };
	b.options = ( dbvh_body_options ){ .group = (uint32_t)rng_below( &m->r, 4 ),
	                                   .mask = one_in( m, 4 ) ? (uint32_t)rng_below( &m->r, 4 ) : 0,
	                                   .sag = one_in( m, 6 ) ? 0.0625 : 0.0 };
	trouble_memory( m );
	const dbvh_status status = dbvh_scene_add_body( m->scene, m->w->trees[b.tree], &b.pose, &b.options, &got, NULL );
	if ( settle( m ) && status == DBVH_OUT_OF_MEMORY ) {
		MUST( got == DBVH_NO_BODY );
		return NULL;
	}
	MUST( status == DBVH_OK && got == number );
	m->bodies[number] = b;
	return NULL;
}

static const char *remove_body( machine *m ) {
	const uint32_t number = some_body( m );
	const dbvh_status status = dbvh_scene_remove_body( m->scene, number, NULL );
	MUST( status == ( m->bodies[number].is_there ? DBVH_OK : DBVH_INVALID_ARGUMENT ) );
	m->bodies[number] = ( model_body ){ .is_there = false };
	for ( int i = 0; i < NUMBERS; ++i )
		m->has_pair_rule[number][i] = m->has_pair_rule[i][number] = false;
	return NULL;
}

static const char *set_pose( machine *m ) {
	const uint32_t number = some_body( m );
	dbvh_pose pose = somewhere( m );
	const bool is_bad = one_in( m, 10 );
	if ( is_bad )
		pose.rot[1][1] = one_in( m, 2 ) ? NAN : 3.0;
	const dbvh_status status = dbvh_scene_set_pose( m->scene, number, &pose, NULL );
	MUST( ( status == DBVH_OK ) == ( m->bodies[number].is_there && !is_bad ) );
	if ( status == DBVH_OK )
		m->bodies[number].pose = pose;
	return NULL;
}

static const char *set_poses( machine *m ) {
	uint32_t numbers[NUMBERS];
	dbvh_pose poses[NUMBERS];
	const size_t count = list_numbers( m, numbers );
	for ( size_t i = 0; i < count; ++i )
		poses[i] = one_in( m, 3 ) ? m->bodies[numbers[i]].pose : somewhere( m );
	const bool is_bad = count > 0 && one_in( m, 8 );
	if ( is_bad )
		poses[count - 1].pos[0] = INFINITY;
	const uint32_t *given = one_in( m, 2 ) ? numbers : NULL;
	const dbvh_status status = dbvh_scene_set_poses( m->scene, given, poses, count, NULL );
	MUST( ( status == DBVH_OK ) == !is_bad );
	for ( size_t i = 0; i < count && !is_bad; ++i )
		m->bodies[numbers[i]].pose = poses[i];
	return NULL;
}

static const char *set_default_rule( machine *m ) {
	const dbvh_pair_rule rule = some_rule( m ), none = dbvh_pair_rule_default();
	const bool removes = one_in( m, 2 );
	MUST( dbvh_scene_set_default_rule( m->scene, removes ? NULL : &rule, NULL ) == DBVH_OK );
	m->of_scene = removes ? none : rule;
	return NULL;
}

static const char *set_body_rule( machine *m ) {
	const uint32_t number = some_body( m );
	const dbvh_pair_rule rule = some_rule( m );
	const bool removes = one_in( m, 3 );
	trouble_memory( m );
	const dbvh_status status = dbvh_scene_set_body_rule( m->scene, number, removes ? NULL : &rule, NULL );
	if ( settle( m ) && status == DBVH_OUT_OF_MEMORY )
		return NULL;
	MUST( status == ( m->bodies[number].is_there ? DBVH_OK : DBVH_INVALID_ARGUMENT ) );
	m->bodies[number].has_rule = status == DBVH_OK && !removes;
	m->bodies[number].rule = rule;
	return NULL;
}

static const char *set_pair_rule( machine *m ) {
	const uint32_t x = some_body( m ), y = some_body( m ), a = x < y ? x : y, b = x < y ? y : x;
	const dbvh_pair_rule rule = some_rule( m );
	const bool removes = one_in( m, 3 );
	trouble_memory( m );
	const dbvh_status status = dbvh_scene_set_pair_rule( m->scene, x, y, removes ? NULL : &rule, NULL );
	if ( settle( m ) && status == DBVH_OUT_OF_MEMORY )
		return NULL;
	const bool is_pair = a != b && m->bodies[a].is_there && m->bodies[b].is_there;
	MUST( status == ( is_pair ? DBVH_OK : DBVH_INVALID_ARGUMENT ) );
	if ( is_pair ) {
		m->has_pair_rule[a][b] = !removes;
		m->of_pairs[a][b] = rule;
	}
	return NULL;
}

// A snapshot goes on for the scene, which is changed a little more before it is destroyed: the two are independent.
static const char *clone( machine *m ) {
	const dbvh_allocator allocator = ledger_allocator( &m->books );
	dbvh_scene *copy;
	trouble_memory( m );
	const dbvh_status status = dbvh_scene_clone( m->scene, m->has_books ? &allocator : NULL, &copy, NULL );
	if ( settle( m ) && status == DBVH_OUT_OF_MEMORY ) {
		MUST( copy == NULL );
		return NULL;
	}
	MUST( status == DBVH_OK );
	const uint32_t number = some_body( m );
	if ( m->bodies[number].is_there )
		MUST( dbvh_scene_remove_body( m->scene, number, NULL ) == DBVH_OK );
	dbvh_scene_destroy( m->scene );
	m->scene = copy;
	return NULL;
}

static const char *set_budget( machine *m ) {
	m->has_budget = one_in( m, 3 );
	m->of_all = ( dbvh_budget ){ .max_work = one_in( m, 2 ) ? 1 + rng_below( &m->r, 60 ) : 0,
	                             .max_total = one_in( m, 2 ) ? 1 + rng_below( &m->r, 300 ) : 0 };
	MUST( dbvh_scene_set_budget( m->scene, m->has_budget ? &m->of_all : NULL, NULL ) == DBVH_OK );
	return NULL;
}

// The trees of bodies change their shape, while the scene holds them; or refuse to.
static const char *refit( machine *m ) {
	const int at = (int)rng_below( &m->r, TREES );
	shape *s = &m->w->shapes[at];
	const bool is_bad = one_in( m, 6 );
	const double scale = one_in( m, 2 ) ? 1.0 : one_in( m, 2 ) ? 2.5 : 0.5;
	const double way = 0.5 * (double)rng_below( &m->r, 7 ) - 1.5, kept = s->positions[0];
	for ( size_t i = 0; i < 3 * s->vertex_count && !is_bad; ++i )
		s->positions[i] = scale * m->w->base[at][i] + ( i % 3 == 0 ? way : 0.0 );
	if ( is_bad )
		s->positions[0] = NAN;
	const dbvh_mesh_view view = shape_view( s );
	const dbvh_status status = dbvh_tree_refit( m->w->trees[at], &view, NULL );
	MUST( status == ( is_bad ? DBVH_NOT_FINITE : DBVH_OK ) );
	if ( is_bad )
		s->positions[0] = kept;
	m->w->is_changed[at] = true;
	return NULL;
}

// ------------------------------------------------------------------------------------------------
// The same scene, made afresh

static dbvh_scene *make_afresh( const machine *m ) {
	dbvh_scene *scene;
	uint32_t number, end = NUMBERS;
	if ( dbvh_scene_create( NULL, &scene, NULL ) != DBVH_OK )
		return NULL;
	while ( end > 0 && !m->bodies[end - 1].is_there )
		--end;
	for ( uint32_t i = 0; i < end; ++i ) {
		const model_body *b = &m->bodies[i];
		(void)dbvh_scene_add_body( scene, m->w->trees[b->tree], b->is_there ? &b->pose : NULL, &b->options, &number,
		                           NULL );
	}
	(void)dbvh_scene_set_default_rule( scene, &m->of_scene, NULL );
	for ( uint32_t i = 0; i < end; ++i ) {
		if ( !m->bodies[i].is_there )
			(void)dbvh_scene_remove_body( scene, i, NULL );
		else if ( m->bodies[i].has_rule )
			(void)dbvh_scene_set_body_rule( scene, i, &m->bodies[i].rule, NULL );
	}
	for ( uint32_t i = 0; i < end; ++i ) {
		for ( uint32_t k = i + 1; k < end; ++k ) {
			if ( m->has_pair_rule[i][k] )
				(void)dbvh_scene_set_pair_rule( scene, i, k, &m->of_pairs[i][k], NULL );
		}
	}
	return scene;
}

static bool is_cancelled( void *user ) {
	machine *m = user;
	return m->asks-- <= 0;
}

static bool progress( void *user, size_t done, size_t total ) {
	machine *m = user;
	return done <= total && m->asks-- > 0;
}

// Draw the budget, the callbacks and the allocation failures of the next query.
static void trouble( machine *m ) {
	m->budget = NULL;
	m->may_spend = m->has_budget;
	m->may_cancel = m->has_progress = false;
	m->asks = 1 << 20;
	if ( one_in( m, 4 ) ) {
		m->own = ( dbvh_budget ){ .max_work = one_in( m, 3 ) ? 1 + rng_below( &m->r, 40 ) : 0,
		                          .max_total = one_in( m, 2 ) ? 1 + rng_below( &m->r, 150 ) : 0,
		                          .is_cancelled = is_cancelled,
		                          .user = m };
		m->budget = &m->own;
		m->may_spend = m->own.max_work != 0 || m->own.max_total != 0;
	}
	m->has_progress = one_in( m, 6 );
	if ( ( m->has_progress || m->budget != NULL ) && one_in( m, 2 ) ) {
		m->asks = (int)rng_below( &m->r, 3 );
		m->may_cancel = true;
	}
	trouble_memory( m );
}

// Is that how the query may have ended?
static bool is_expected( machine *m, dbvh_status status ) {
	const bool no_memory = settle( m );
	return status == DBVH_OK || ( status == DBVH_OUT_OF_MEMORY && no_memory ) ||
	       ( status == DBVH_BUDGET_SPENT && m->may_spend ) || ( status == DBVH_CANCELLED && m->may_cancel );
}

static bool has_results( dbvh_status status ) {
	return status == DBVH_OK || status == DBVH_BUDGET_SPENT || status == DBVH_CANCELLED;
}

static bool is_same_pair( dbvh_body_pair x, uint32_t a, uint32_t b ) {
	return x.a == a && x.b == b;
}

static bool is_among( const dbvh_body_pair *list, size_t count, uint32_t a, uint32_t b ) {
	for ( size_t i = 0; i < count; ++i ) {
		if ( is_same_pair( list[i], a, b ) )
			return true;
	}
	return false;
}

static dbvh_scene_query some_query( machine *m, dbvh_body_pair *open ) {
	const dbvh_scene_query query = { .find = one_in( m, 3 ) ? DBVH_FIND_ANY : DBVH_FIND_ALL,
	                                 .has_body = one_in( m, 4 ),
	                                 .body = some_body( m ),
	                                 .thread_count = 1 + one_in( m, 16 ),
	                                 .progress = m->has_progress ? progress : NULL,
	                                 .user = m,
	                                 .budget = m->budget,
	                                 .open = open,
	                                 .open_capacity = PAIRS };
	return query;
}

// Check how a query ended that may be of one body: it is refused if that body is not there. *has_answer_out tells
// whether there is an answer to compare.
static const char *check_end( machine *m, bool has_body, uint32_t body, dbvh_status status, bool *has_answer_out ) {
	const bool is_refused = has_body && !m->bodies[body].is_there;
	const bool may_end_so = is_expected( m, status );
	MUST( is_refused ? status == DBVH_INVALID_ARGUMENT : may_end_so );
	*has_answer_out = has_results( status );
	return NULL;
}

// The same query without limits, on one thread.
static dbvh_scene_query whole_of( const dbvh_scene_query *query ) {
	return ( dbvh_scene_query ){
	    .find = DBVH_FIND_ALL, .has_body = query->has_body, .body = query->body, .thread_count = 1 };
}

// The pairs of collisions or clashes; each of them begins with its two bodies.
static void copy_pairs( const void *list, size_t size, size_t count, dbvh_body_pair *out ) {
	for ( size_t i = 0; i < count; ++i )
		memcpy( &out[i], (const char *)list + i * size, sizeof *out );
}

// Compare the pairs found with the complete answer; both are sorted as results are.
static const char *check_found( const dbvh_scene_query *query, dbvh_status status, const dbvh_scene_result *result,
                                const dbvh_body_pair *found, const dbvh_body_pair *truth, size_t truth_count ) {
	MUST( result->found_count == result->written_count && result->open_count == result->open_written );
	MUST( result->found_count <= truth_count );
	for ( size_t i = 0; i < result->found_count; ++i )
		MUST( is_among( truth, truth_count, found[i].a, found[i].b ) );
	if ( query->find == DBVH_FIND_ANY && result->found_count > 0 ) {
		MUST( status == DBVH_OK && result->found_count == 1 );
		MUST( result->open_count > 0 || is_same_pair( found[0], truth[0].a, truth[0].b ) );
		return NULL;
	}
	MUST( result->done_count + result->open_count == result->pair_count );
	MUST( ( status == DBVH_OK ) == ( result->open_count == 0 && !result->has_more ) );
	for ( size_t i = 0; i < truth_count; ++i )
		MUST( is_among( found, result->found_count, truth[i].a, truth[i].b ) || result->has_more ||
		      is_among( query->open, result->open_written, truth[i].a, truth[i].b ) );
	return NULL;
}

// ------------------------------------------------------------------------------------------------
// Queries

static const char *ask_pairs( machine *m ) {
	dbvh_body_pair got[PAIRS], truth[PAIRS];
	dbvh_scene_result result, expected;
	trouble( m );
	m->may_cancel = false;
	m->may_spend = m->has_budget;
	const dbvh_status status = dbvh_scene_pairs( m->scene, got, PAIRS, &result, NULL );
	MUST( is_expected( m, status ) );
	MUST( dbvh_scene_pairs( m->fresh, truth, PAIRS, &expected, NULL ) == DBVH_OK );
	// Boxes are grown by the largest deviation that there has been: there may be more.
	for ( size_t i = 0; i < expected.written_count && status == DBVH_OK; ++i )
		MUST( is_among( got, result.written_count, truth[i].a, truth[i].b ) );
	for ( size_t i = 1; i < result.written_count; ++i )
		MUST( got[i - 1].a < got[i].a || ( got[i - 1].a == got[i].a && got[i - 1].b < got[i].b ) );
	return NULL;
}

static const char *ask_collide( machine *m ) {
	dbvh_scene_collision got[PAIRS], all[PAIRS];
	dbvh_body_pair open[PAIRS], found[PAIRS] = { { 0, 0 } }, truth[PAIRS];
	dbvh_scene_result result, expected;
	bool has_answer;
	trouble( m );
	dbvh_scene_query query = some_query( m, open );
	const dbvh_status status = dbvh_scene_collide( m->scene, &query, got, PAIRS, &result, NULL );
	PASS_ON( check_end( m, query.has_body, query.body, status, &has_answer ) );
	if ( !has_answer )
		return NULL;
	const dbvh_scene_query whole = whole_of( &query );
	MUST( dbvh_scene_collide( m->fresh, &whole, all, PAIRS, &expected, NULL ) == DBVH_OK );
	copy_pairs( all, sizeof *all, expected.found_count, truth );
	copy_pairs( got, sizeof *got, result.written_count, found );
	// All pairs of bodies with dbvh_collide(): the oracle of both scenes.
	size_t met = 0;
	for ( uint32_t i = 0; i < NUMBERS; ++i ) {
		for ( uint32_t k = i + 1; k < NUMBERS; ++k ) {
			const model_body *a = &m->bodies[i], *b = &m->bodies[k];
			dbvh_collide_result one;
			if ( !dbvh_scene_get_rule( m->fresh, i, k, NULL ) ||
			     ( query.has_body && i != query.body && k != query.body ) )
				continue;
			MUST( dbvh_collide( m->w->trees[a->tree], &a->pose, m->w->trees[b->tree], &b->pose, NULL, NULL, &one,
			                    NULL ) == DBVH_OK );
			if ( one.verdict == DBVH_INTERSECTING )
				MUST( met < expected.found_count && is_same_pair( truth[met++], i, k ) );
		}
	}
	MUST( met == expected.found_count );
	return check_found( &query, status, &result, found, truth, expected.found_count );
}

static const char *ask_clashes( machine *m ) {
	dbvh_clash got[PAIRS], all[PAIRS];
	dbvh_body_pair open[PAIRS], found[PAIRS] = { { 0, 0 } }, truth[PAIRS];
	dbvh_scene_result result, expected;
	bool has_answer;
	trouble( m );
	dbvh_scene_query query = some_query( m, open );
	const dbvh_status status = dbvh_scene_clashes( m->scene, &query, got, PAIRS, &result, NULL );
	PASS_ON( check_end( m, query.has_body, query.body, status, &has_answer ) );
	if ( !has_answer )
		return NULL;
	const dbvh_scene_query whole = whole_of( &query );
	MUST( dbvh_scene_clashes( m->fresh, &whole, all, PAIRS, &expected, NULL ) == DBVH_OK );
	copy_pairs( all, sizeof *all, expected.found_count, truth );
	copy_pairs( got, sizeof *got, result.written_count, found );
	PASS_ON( check_found( &query, status, &result, found, truth, expected.found_count ) );
	for ( size_t i = 0; i < result.written_count; ++i ) {
		size_t at = 0;
		while ( at < expected.found_count && !is_same_pair( truth[at], got[i].a, got[i].b ) )
			++at;
		MUST( at < expected.found_count && got[i].kind == all[at].kind && got[i].relation == all[at].relation &&
		      got[i].exact == all[at].exact && got[i].distance == all[at].distance );
	}
	return NULL;
}

// The lowest of the pairs that are nearest to each other, from the function for two meshes.
static bool find_nearest( const machine *m, const dbvh_scene_distance_query *query, dbvh_scene_distance_result *out ) {
	const double limit = query->limit > 0.0 ? query->limit : INFINITY;
	*out = ( dbvh_scene_distance_result ){ .found = false };
	for ( uint32_t i = 0; i < NUMBERS; ++i ) {
		for ( uint32_t k = i + 1; k < NUMBERS; ++k ) {
			const model_body *a = &m->bodies[i], *b = &m->bodies[k];
			dbvh_distance_result one;
			if ( !dbvh_scene_get_rule( m->fresh, i, k, NULL ) ||
			     ( query->has_body && i != query->body && k != query->body ) )
				continue;
			if ( dbvh_distance( m->w->trees[a->tree], &a->pose, m->w->trees[b->tree], &b->pose, NULL, NULL, &one,
			                    NULL ) != DBVH_OK )
				return false;
			if ( one.distance <= limit && ( !out->found || one.distance < out->distance ) )
				*out = ( dbvh_scene_distance_result ){ .found = true, .a = i, .b = k, .distance = one.distance };
		}
	}
	return true;
}

static const char *ask_distance( machine *m ) {
	trouble( m );
	const dbvh_scene_distance_query query = { .limit = one_in( m, 3 ) ? 0.5 * (double)rng_below( &m->r, 4 ) : 0.0,
	                                          .has_body = one_in( m, 4 ),
	                                          .body = some_body( m ),
	                                          .thread_count = 1 + one_in( m, 16 ),
	                                          .progress = m->has_progress ? progress : NULL,
	                                          .user = m,
	                                          .budget = m->budget };
	dbvh_scene_distance_result got, truth;
	const dbvh_status status = dbvh_scene_distance( m->scene, &query, &got, NULL );
	bool has_answer;
	PASS_ON( check_end( m, query.has_body, query.body, status, &has_answer ) );
	MUST( find_nearest( m, &query, &truth ) );
	if ( status == DBVH_OK )
		MUST( got.found == truth.found && got.a == truth.a && got.b == truth.b && got.distance == truth.distance );
	else if ( has_answer )
		MUST( ( !truth.found || got.at_least <= truth.distance ) &&
		      ( !got.found || ( truth.found && got.distance >= truth.distance ) ) );
	return NULL;
}

// Queries of one pair of bodies answer whatever the rules say about that pair.
static const char *ask_pair( machine *m ) {
	const uint32_t a = some_body( m ), b = some_body( m );
	const model_body *of_a = &m->bodies[a], *of_b = &m->bodies[b];
	const bool is_pair = a != b && of_a->is_there && of_b->is_there;
	dbvh_relate_result relation, related;
	dbvh_distance_result distance, apart;
	trouble_memory( m );
	dbvh_status status = dbvh_scene_pair_distance( m->scene, a, b, NULL, &distance, NULL );
	bool no_memory = settle( m );
	MUST( is_pair || status == DBVH_INVALID_ARGUMENT );
	if ( is_pair && !( no_memory && status == DBVH_OUT_OF_MEMORY ) ) {
		MUST( status == DBVH_OK );
		MUST( dbvh_distance( m->w->trees[of_a->tree], &of_a->pose, m->w->trees[of_b->tree], &of_b->pose, NULL, NULL,
		                     &apart, NULL ) == DBVH_OK );
		MUST( apart.distance == distance.distance );
	}
	trouble_memory( m );
	status = dbvh_scene_relate( m->scene, a, b, NULL, &relation, NULL );
	no_memory = settle( m );
	if ( no_memory && status == DBVH_OUT_OF_MEMORY )
		return NULL;
	MUST( dbvh_scene_relate( m->fresh, a, b, NULL, &related, NULL ) == status );
	MUST( status != DBVH_OK || ( related.relation == relation.relation && related.exact == relation.exact ) );
	dbvh_contacts *contacts;
	MUST( dbvh_contacts_create( NULL, &contacts, NULL ) == DBVH_OK );
	status = dbvh_scene_contacts( m->scene, a, b, NULL, contacts, NULL );
	const dbvh_status expected = dbvh_scene_contacts( m->fresh, a, b, NULL, contacts, NULL );
	dbvh_contacts_destroy( contacts );
	MUST( status == expected && ( is_pair || status == DBVH_INVALID_ARGUMENT ) );
	return NULL;
}

// Up to three bodies, and where they are to be.
static size_t some_moves( machine *m, uint32_t bodies[MOVED], dbvh_pose *poses, size_t configurations ) {
	uint32_t numbers[NUMBERS];
	const size_t there = list_numbers( m, numbers );
	size_t count = 1 + rng_below( &m->r, MOVED );
	count = count < there ? count : there;
	for ( size_t i = 0; i < count; ++i ) {
		const size_t at = i + rng_below( &m->r, there - i );
		bodies[i] = numbers[at];
		numbers[at] = numbers[i];
	}
	for ( size_t i = 0; i < count * configurations; ++i )
		poses[i] = somewhere( m );
	return count;
}

static const char *ask_batch( machine *m ) {
	enum { COUNT = 3 };
	uint32_t bodies[MOVED];
	dbvh_pose poses[COUNT * MOVED];
	dbvh_configuration_result got[COUNT], truth[COUNT];
	const size_t count = some_moves( m, bodies, poses, COUNT );
	if ( count == 0 )
		return NULL;
	trouble( m );
	dbvh_configurations_query query = { .find = one_in( m, 2 ) ? DBVH_FIND_ANY : DBVH_FIND_ALL,
	                                    .bodies = bodies,
	                                    .body_count = count,
	                                    .max_distance = one_in( m, 3 ) ? 0.75 : 0.0,
	                                    .thread_count = 1,
	                                    .progress = m->has_progress ? progress : NULL,
	                                    .user = m,
	                                    .budget = m->budget };
	const dbvh_status status = dbvh_scene_collide_batch( m->scene, poses, COUNT, &query, got, NULL );
	MUST( is_expected( m, status ) );
	query.progress = NULL;
	query.budget = NULL;
	MUST( dbvh_scene_collide_batch( m->fresh, poses, COUNT, &query, truth, NULL ) == DBVH_OK );
	for ( int i = 0; i < COUNT && has_results( status ); ++i ) {
		MUST( status != DBVH_OK || got[i].status == DBVH_OK );
		if ( got[i].status == DBVH_OK )
			MUST( got[i].verdict == truth[i].verdict && got[i].pair_count == truth[i].pair_count );
		else
			MUST( has_results( got[i].status ) && got[i].pair_count <= truth[i].pair_count );
		const bool is_whole = got[i].status == DBVH_OK && !( query.find == DBVH_FIND_ANY && got[i].verdict != 0 );
		if ( is_whole && query.max_distance > 0.0 )
			MUST( got[i].has_distance == truth[i].has_distance && got[i].distance == truth[i].distance &&
			      is_same_pair( got[i].nearest, truth[i].nearest.a, truth[i].nearest.b ) );
	}
	return NULL;
}

static const char *ask_motions( machine *m ) {
	uint32_t bodies[MOVED];
	dbvh_pose poses[2 * MOVED];
	dbvh_edge_result got, truth;
	if ( !one_in( m, 3 ) ) // these take long
		return NULL;
	const size_t count = some_moves( m, bodies, poses, 2 );
	if ( count == 0 )
		return NULL;
	trouble( m );
	dbvh_motions_query query = { .find = one_in( m, 2 ) ? DBVH_FIND_ANY : DBVH_FIND_CLOSEST,
	                             .bodies = bodies,
	                             .body_count = count,
	                             .tolerance = 0.01,
	                             .thread_count = 1,
	                             .progress = m->has_progress ? progress : NULL,
	                             .user = m,
	                             .budget = m->budget };
	const dbvh_status status = dbvh_scene_motion_batch( m->scene, poses, 2, &query, &got, NULL );
	MUST( is_expected( m, status ) );
	query.progress = NULL;
	query.budget = NULL;
	MUST( dbvh_scene_motion_batch( m->fresh, poses, 2, &query, &truth, NULL ) == DBVH_OK );
	if ( status == DBVH_OK && truth.verdict == DBVH_TOI_VERDICT_CLEAR )
		MUST( got.verdict == truth.verdict );
	if ( status == DBVH_OK && query.find == DBVH_FIND_CLOSEST )
		MUST( got.verdict == truth.verdict && got.time == truth.time &&
		      is_same_pair( got.bodies, truth.bodies.a, truth.bodies.b ) );
	return NULL;
}

static const char *ask_ray( machine *m ) {
	dbvh_ray ray;
	dbvh_scene_hit got, truth;
	for ( int k = 0; k < 3; ++k ) {
		ray.from[k] = one_in( m, 2 ) ? 0.25 * (double)rng_below( &m->r, 12 ) - 1.0 : rng_range( &m->r, -3.0, 3.0 );
		ray.direction[k] = one_in( m, 2 ) ? (double)rng_below( &m->r, 3 ) - 1.0 : rng_range( &m->r, -1.0, 1.0 );
	}
	trouble_memory( m );
	m->may_spend = m->has_budget;
	m->may_cancel = false;
	const dbvh_status status = dbvh_scene_raycast( m->scene, &ray, &got, NULL );
	MUST( is_expected( m, status ) );
	MUST( dbvh_scene_raycast( m->fresh, &ray, &truth, NULL ) == DBVH_OK );
	if ( status == DBVH_OK )
		MUST( got.body == truth.body && ( got.body == DBVH_NO_BODY || got.hit.t == truth.hit.t ) );
	else if ( has_results( status ) && got.body != DBVH_NO_BODY )
		MUST( truth.body != DBVH_NO_BODY && got.hit.t >= truth.hit.t );
	return NULL;
}

static const char *ask_point( machine *m ) {
	double point[3];
	dbvh_scene_closest_point_result got, truth;
	for ( int k = 0; k < 3; ++k )
		point[k] = one_in( m, 2 ) ? 0.25 * (double)rng_below( &m->r, 12 ) : rng_range( &m->r, -3.0, 6.0 );
	trouble( m );
	dbvh_closest_point_query query = { .limit = one_in( m, 3 ) ? 1.0 : 0.0, .budget = m->budget };
	const dbvh_status status = dbvh_scene_closest_point( m->scene, point, &query, &got, NULL );
	MUST( is_expected( m, status ) );
	query.budget = NULL;
	MUST( dbvh_scene_closest_point( m->fresh, point, &query, &truth, NULL ) == DBVH_OK );
	if ( status == DBVH_OK )
		MUST( got.body == truth.body && got.closest.distance == truth.closest.distance );
	else if ( has_results( status ) && got.body != DBVH_NO_BODY )
		MUST( truth.body != DBVH_NO_BODY && got.closest.distance >= truth.closest.distance );
	return NULL;
}

static const char *ask_box( machine *m ) {
	dbvh_aabb box;
	uint32_t got[NUMBERS], truth[NUMBERS];
	size_t count = 0, expected = 0;
	for ( int k = 0; k < 3; ++k ) {
		box.min[k] = 0.25 * (double)rng_below( &m->r, 14 ) - 1.0;
		box.max[k] = box.min[k] + 0.25 * (double)rng_below( &m->r, 8 );
	}
	trouble_memory( m );
	m->may_spend = m->has_budget;
	m->may_cancel = false;
	const dbvh_status status = dbvh_scene_overlap_aabb( m->scene, &box, got, NUMBERS, &count, NULL );
	MUST( is_expected( m, status ) );
	MUST( dbvh_scene_overlap_aabb( m->fresh, &box, truth, NUMBERS, &expected, NULL ) == DBVH_OK );
	MUST( status == DBVH_OK ? count == expected : count <= expected );
	MUST( count == 0 || memcmp( got, truth, count * sizeof *got ) == 0 );
	return NULL;
}

static const char *look( machine *m ) {
	uint32_t numbers[NUMBERS];
	const size_t count = list_numbers( m, numbers );
	MUST( dbvh_scene_body_count( m->scene ) == count );
	uint32_t next = 0;
	for ( size_t i = 0; i < count; ++i, ++next ) {
		const dbvh_tree *tree;
		dbvh_pose pose;
		next = dbvh_scene_next_body( m->scene, next );
		MUST( next == numbers[i] && dbvh_scene_get_body( m->scene, next, &tree, &pose, NULL ) );
		MUST( tree == m->w->trees[m->bodies[next].tree] && memcmp( &pose, &m->bodies[next].pose, sizeof pose ) == 0 );
	}
	MUST( dbvh_scene_next_body( m->scene, next ) == DBVH_NO_BODY );
	for ( uint32_t i = 0; i < NUMBERS; ++i ) {
		for ( uint32_t k = 0; k < NUMBERS; ++k ) {
			dbvh_pair_rule x, y;
			MUST( dbvh_scene_get_rule( m->scene, i, k, &x ) == dbvh_scene_get_rule( m->fresh, i, k, &y ) );
			MUST( x.may_collide == y.may_collide && x.may_touch == y.may_touch && x.clearance == y.clearance &&
			      x.touch_gap == y.touch_gap && x.touch_overlap == y.touch_overlap &&
			      x.allowed_depth == y.allowed_depth && x.allowed_volume == y.allowed_volume );
		}
	}
	return NULL;
}

// ------------------------------------------------------------------------------------------------
// Sequences

typedef struct kind {
	const char *name;
	const char *( *run )( machine *m );
	bool asks;
} kind;

static const kind kinds[] = { { "add_body", add_body, false },
                              { "add_body", add_body, false },
                              { "add_body", add_body, false },
                              { "remove_body", remove_body, false },
                              { "set_pose", set_pose, false },
                              { "set_pose", set_pose, false },
                              { "set_poses", set_poses, false },
                              { "set_default_rule", set_default_rule, false },
                              { "set_body_rule", set_body_rule, false },
                              { "set_pair_rule", set_pair_rule, false },
                              { "set_budget", set_budget, false },
                              { "clone", clone, false },
                              { "refit", refit, false },
                              { "pairs", ask_pairs, true },
                              { "collide", ask_collide, true },
                              { "collide", ask_collide, true },
                              { "clashes", ask_clashes, true },
                              { "distance", ask_distance, true },
                              { "a pair", ask_pair, true },
                              { "collide_batch", ask_batch, true },
                              { "motion_batch", ask_motions, true },
                              { "raycast", ask_ray, true },
                              { "closest_point", ask_point, true },
                              { "overlap_aabb", ask_box, true },
                              { "look", look, true } };
enum { KINDS = sizeof kinds / sizeof *kinds };

static void build( world *w, int at ) {
	static const bool has_topology[TREES] = { false, true, true, false, true };
	const dbvh_mesh_view view = shape_view( &w->shapes[at] );
	dbvh_tree_options options = dbvh_tree_options_default();
	options.topology = has_topology[at];
	assert_int_equal( dbvh_tree_build( &view, &options, NULL, &w->trees[at], NULL ), DBVH_OK );
}

static void restore( world *w ) {
	for ( int i = 0; i < TREES; ++i ) {
		if ( !w->is_changed[i] )
			continue;
		memcpy( w->shapes[i].positions, w->base[i], 3 * w->shapes[i].vertex_count * sizeof( double ) );
		dbvh_tree_destroy( w->trees[i] );
		build( w, i );
		w->is_changed[i] = false;
	}
}

static const char *do_step( machine *m, const sequence_step *step ) {
	const kind *k = &kinds[step->kind];
	m->r = ( rng ){ step->seed };
	if ( k->asks && ( m->fresh = make_afresh( m ) ) == NULL )
		return "no scene";
	const char *wrong = k->run( m );
	dbvh_scene_destroy( m->fresh );
	m->fresh = NULL;
	m->books.fail_at = 0;
	return wrong;
}

static const char *run_steps( void *of, uint64_t setup, const sequence_step *steps, size_t count, size_t *step_out ) {
	machine m = { .w = of, .has_books = setup % 4 != 0 };
	const dbvh_allocator allocator = ledger_allocator( &m.books );
	if ( dbvh_scene_create( m.has_books ? &allocator : NULL, &m.scene, NULL ) != DBVH_OK )
		return "no scene";
	if ( setup / 4 % 2 == 0 ) {
		m.scene->phase.pairs_a_box = 0;
		m.scene->phase.pairs_always = setup / 8 % 4;
		m.scene->most_asked = 1 + setup / 32 % 4;
	}
	const char *wrong = NULL;
	for ( *step_out = 0; *step_out < count; ++*step_out ) {
		wrong = do_step( &m, &steps[*step_out] );
		if ( wrong != NULL )
			break;
	}
	dbvh_scene_destroy( m.scene );
	if ( wrong == NULL && ( m.books.live != 0 || m.books.mistakes != 0 ) )
		wrong = "memory was not given back as it was taken";
	restore( of );
	return wrong;
}

static world make_world( void ) {
	world w = { .is_changed = { false } };
	const double corners[3][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } };
	for ( int i = 0; i < 3; ++i )
		shape_vertex( &w.shapes[0], corners[i][0], corners[i][1], corners[i][2] );
	shape_triangle( &w.shapes[0], 0, 1, 2 );
	shape_add_box( &w.shapes[1], 0.5, 0.5, 0.5, 1 );
	shape_add_box( &w.shapes[2], 1.0, 0.25, 0.5, 1 );
	add_grid( &w.shapes[3], 2 );
	shape_add_box( &w.shapes[4], 1.25, 1.0, 1.25, 1 ); // an open one
	w.shapes[4].triangle_count -= 2;
	for ( int i = 0; i < TREES; ++i ) {
		const size_t bytes = 3 * w.shapes[i].vertex_count * sizeof( double );
		w.base[i] = malloc( bytes );
		assert_non_null( w.base[i] );
		memcpy( w.base[i], w.shapes[i].positions, bytes );
		build( &w, i );
	}
	return w;
}

static void same_as_afresh( void **state ) {
	(void)state;
	const rng r = rng_announce( "scene_state", 271 );
	world w = make_world();
	const char *names[KINDS];
	for ( size_t i = 0; i < KINDS; ++i )
		names[i] = kinds[i].name;
	const sequence_test test = {
	    .name = "scene_state", .kinds = names, .kind_count = KINDS, .run = run_steps, .world = &w };
	const size_t count = rounds( 2000 );
	const size_t failed = run_sequences( &test, r.state, count );
	printf( "scene_state: %zu sequences of up to %d steps, %zu wrong\n", count, SEQUENCE_MOST, failed );
	for ( int i = 0; i < TREES; ++i ) {
		dbvh_tree_destroy( w.trees[i] );
		shape_free( &w.shapes[i] );
		free( w.base[i] );
	}
	assert_int_equal( failed, 0 );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = { cmocka_unit_test( same_as_afresh ) };
	return test_main( argc, argv, tests );
}
