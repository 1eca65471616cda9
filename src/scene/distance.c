// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The two bodies that are nearest to each other. Pairs whose boxes are at most r apart are compared, those with the
// nearest boxes first; where none of them is as near as r, the same goes for a larger r.
//
// Pairs come in parts, those of the lower bodies first, so that a pile of bodies does not take memory by the square of
// their number. Two that meet in one part are the answer: no pair behind it is nearer, or as near and lower.

#include "base/fpenv.h"
#include "base/status.h"
#include "query/common/arguments.h"
#include "scene/pairs.h"
#include "scene/rounded.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

// A lower bound of the distance of two bodies, from their boxes.
static double gap_of( const dbvh_scene *scene, uint32_t body_a, uint32_t body_b ) {
	const double *a = scene->phase.boxes + DBVHI_BOX_NUMBERS * (size_t)body_a;
	const double *b = scene->phase.boxes + DBVHI_BOX_NUMBERS * (size_t)body_b;
	double square = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		const double gap = a[k] - b[3 + k] > b[k] - a[3 + k] ? a[k] - b[3 + k] : b[k] - a[3 + k];
		if ( gap > 0.0 )
			square += gap * gap;
	}
	// An overflowing gap is replaced by a huge lower bound, and one whose square has lost digits near 0 by 0.
	if ( square < 0x1p-960 )
		return 0.0;
	return isfinite( square ) ? sqrt( square ) / dbvhi_stretched( 1.0, scene->deviation ) : 0x1p500;
}

typedef struct collecting {
	dbvh_scene *scene;
	dbvhi_scene_call *call;
	double radius;
	uint32_t body, next; // whose pairs are looked for, and whose come then
	dbvh_status status;
} collecting;

// Each pair once: from its lower body, or from the one that is asked about.
static bool add_pair( void *context, uint32_t other ) {
	collecting *c = context;
	dbvh_scene *scene = c->scene;
	if ( !dbvhi_meter_charge( &c->call->watch, 1 ) ) {
		c->status = dbvhi_purse_status( &c->call->watch_purse );
		return false;
	}
	if ( other == c->body || ( other < c->body && !c->call->query->has_body ) )
		return true;
	const uint32_t a = other < c->body ? other : c->body, b = other < c->body ? c->body : other;
	dbvh_pair_rule rule;
	if ( !dbvhi_scene_rule( scene, a, b, &rule ) )
		return true;
	if ( gap_of( scene, a, b ) > c->radius )
		return true;
	if ( !dbvhi_grow_array( &scene->allocator, &scene->pairs, &scene->pair_capacity, scene->pair_count + 1,
	                        sizeof *scene->pairs ) ) {
		c->status = DBVH_OUT_OF_MEMORY;
		return false;
	}
	scene->pairs[scene->pair_count++] = ( dbvh_body_pair ){ a, b };
	return true;
}

static int nearer( const dbvh_scene *scene, dbvh_body_pair x, dbvh_body_pair y ) {
	const double gx = gap_of( scene, x.a, x.b ), gy = gap_of( scene, y.a, y.b );
	if ( gx != gy )
		return gx < gy;
	return x.a != y.a ? x.a < y.a : x.b < y.b;
}

// Heap sort: memory is short, and so is the list. Returns false where it has to end.
static bool sort_by_gap( dbvh_scene *scene, dbvhi_meter *watch ) {
	dbvh_body_pair *list = scene->pairs;
	const size_t count = scene->pair_count;
	for ( size_t end = count, start = count / 2; end > 1; ) {
		dbvh_body_pair x;
		if ( start > 0 ) {
			x = list[--start];
		} else {
			x = list[--end];
			list[end] = list[0];
		}
		size_t hole = start;
		for ( size_t child; ( child = 2 * hole + 1 ) < end; hole = child ) {
			if ( child + 1 < end && nearer( scene, list[child], list[child + 1] ) )
				child += 1;
			if ( !nearer( scene, x, list[child] ) )
				break;
			list[hole] = list[child];
		}
		list[hole] = x;
		if ( !dbvhi_meter_charge( watch, 32 ) )
			return false;
	}
	return true;
}

static collecting collect_from_first( dbvhi_pair_question *q, double radius ) {
	return ( collecting ){
	    .scene = q->scene, .call = &q->call, .radius = radius, .next = q->query->has_body ? q->query->body : 0 };
}

static bool has_more( const collecting *c ) {
	return c->next < c->scene->body_end;
}

// The pairs of the next bodies: as many as are asked in a row, and at least those of one body.
static dbvh_status collect( collecting *c ) {
	dbvh_scene *scene = c->scene;
	const double reach = dbvhi_stretched( c->radius, scene->deviation );
	scene->pair_count = 0;
	while ( has_more( c ) && scene->pair_count < scene->most_asked && c->status == DBVH_OK ) {
		const double *own = scene->phase.boxes + DBVHI_BOX_NUMBERS * (size_t)c->next;
		double box[DBVHI_BOX_NUMBERS];
		for ( int k = 0; k < 3; ++k ) {
			box[k] = own[k] - reach;
			box[3 + k] = own[3 + k] + reach;
		}
		c->body = c->next;
		c->next = c->call->query->has_body ? scene->body_end : c->body + 1;
		if ( scene->bodies[c->body].tree != NULL )
			dbvhi_broad_phase_overlaps( &scene->phase, box, add_pair, c );
	}
	if ( c->status == DBVH_OK && !sort_by_gap( scene, &c->call->watch ) )
		c->status = dbvhi_purse_status( &c->call->watch_purse );
	return c->status;
}

typedef struct nearest {
	dbvhi_pair_question question;
	double max_distance;
	_Atomic uint64_t best; // the bits of the least distance so far, which order as the doubles do
	// The best pair so far, returned if the call is ended early. `keeping` is its lock.
	atomic_flag keeping;
	bool has_kept;
	dbvh_body_pair kept_pair;
	dbvh_distance_result kept;
	// The nearest pair of all turns of this radius.
	bool has_found;
	dbvh_body_pair pair;
	double distance;
} nearest;

static double double_of( uint64_t bits ) {
	double x;
	memcpy( &x, &bits, sizeof x );
	return x;
}

static uint64_t order_of( double x ) {
	uint64_t bits;
	memcpy( &bits, &x, sizeof bits );
	return bits;
}

static bool is_lower( dbvh_body_pair x, dbvh_body_pair y ) {
	return x.a != y.a ? x.a < y.a : x.b < y.b;
}

static void keep( nearest *n, dbvh_body_pair pair, const dbvh_distance_result *result ) {
	const uint64_t bits = order_of( result->distance );
	uint64_t now = atomic_load_explicit( &n->best, memory_order_relaxed );
	while ( bits < now &&
	        !atomic_compare_exchange_weak_explicit( &n->best, &now, bits, memory_order_relaxed, memory_order_relaxed ) )
		;
	while ( atomic_flag_test_and_set_explicit( &n->keeping, memory_order_acquire ) )
		;
	if ( !n->has_kept || result->distance < n->kept.distance ||
	     ( result->distance == n->kept.distance && is_lower( pair, n->kept_pair ) ) ) {
		n->has_kept = true;
		n->kept_pair = pair;
		n->kept = *result;
	}
	atomic_flag_clear_explicit( &n->keeping, memory_order_release );
}

// Two that meet have been found already, and they are lower: these can only be as near.
static bool comes_too_late( nearest *n, dbvh_body_pair pair ) {
	while ( atomic_flag_test_and_set_explicit( &n->keeping, memory_order_acquire ) )
		;
	const bool is_late = n->has_kept && n->kept.distance == 0.0 && is_lower( n->kept_pair, pair );
	atomic_flag_clear_explicit( &n->keeping, memory_order_release );
	return is_late;
}

// The outcome is the distance, or of a pair without an answer what it is at least.
static dbvh_status ask_nearest( dbvhi_pair_question *q, size_t index, dbvhi_share *share, dbvh_workspace *workspace,
                                bool *found_out ) {
	nearest *n = (nearest *)q; // its first member
	const dbvh_scene *scene = q->scene;
	const dbvh_body_pair pair = q->pairs[index];
	const double best = double_of( atomic_load_explicit( &n->best, memory_order_relaxed ) );
	if ( gap_of( scene, pair.a, pair.b ) > best || ( best == 0.0 && comes_too_late( n, pair ) ) )
		return DBVH_OK;
	const dbvhi_body *a = &scene->bodies[pair.a], *b = &scene->bodies[pair.b];
	const dbvh_distance_query query = {
	    .limit = best > 0.0 && isfinite( best ) ? best : 0.0, .policy = q->query->policy, .budget = share->budget };
	const dbvhi_rounded_pair of = dbvhi_rounded_pair_of( a, b );
	dbvh_distance_result result;
	const dbvh_status status = dbvhi_rounded_distance( &of, &query, workspace, &result, NULL );
	if ( !dbvhi_has_results( status ) )
		return status;
	*(double *)dbvhi_pair_outcome( q, index ) = status == DBVH_OK ? result.distance : result.at_least;
	if ( !result.found || result.distance > n->max_distance )
		return status;
	*found_out = status == DBVH_OK;
	keep( n, pair, &result );
	return status;
}

// The least outcome, of equal ones the lowest pair.
static void take_least( nearest *n ) {
	const dbvhi_pair_question *q = &n->question;
	for ( size_t i = 0; i < q->end; ++i ) {
		const double distance = *(const double *)dbvhi_pair_outcome( q, i );
		if ( q->state[i] != DBVHI_PAIR_FOUND || ( n->has_found && distance > n->distance ) ||
		     ( n->has_found && distance == n->distance && !is_lower( q->pairs[i], n->pair ) ) )
			continue;
		n->has_found = true;
		n->pair = q->pairs[i];
		n->distance = distance;
	}
}

// How far apart any two bodies can be.
static double extent_of( const dbvh_scene *scene ) {
	double box[DBVHI_BOX_NUMBERS];
	dbvhi_broad_phase_bounds( &scene->phase, box );
	const double extent = 2.0 * ( ( box[3] - box[0] ) + ( box[4] - box[1] ) + ( box[5] - box[2] ) );
	return isfinite( extent ) ? extent : 0x1p1000;
}

dbvh_scene_distance_query dbvh_scene_distance_query_default( void ) {
	return ( dbvh_scene_distance_query ){ .limit = 0.0 };
}

static void hand_over_nearest( dbvh_body_pair pair, const dbvh_distance_result *result,
                               dbvh_scene_distance_result *out ) {
	*out = ( dbvh_scene_distance_result ){
	    .found = true, .a = pair.a, .b = pair.b, .distance = result->distance, .pair = result->pair };
	memcpy( out->point_a, result->point_a, sizeof result->point_a );
	memcpy( out->point_b, result->point_b, sizeof result->point_b );
	memcpy( out->between, result->between, sizeof result->between );
}

// No two bodies are closer, where boxes up to that radius have been compared: those that were not are farther.
static double at_least( const nearest *n, double radius ) {
	const dbvhi_pair_question *q = &n->question;
	const dbvh_scene *scene = q->scene;
	double least = n->has_kept && n->kept.distance < radius ? n->kept.distance : radius;
	for ( size_t i = 0; i < q->end; ++i ) {
		if ( dbvhi_pair_has_answer( q->state[i] ) )
			continue;
		const dbvh_body_pair pair = q->pairs[i];
		const double gap = gap_of( scene, pair.a, pair.b );
		const double outcome = *(const double *)dbvhi_pair_outcome( q, i );
		const double most = q->state[i] == DBVHI_PAIR_OPEN && outcome > gap ? outcome : gap;
		least = most < least ? most : least;
	}
	return least;
}

// `is_all`: every pair within the radius has been listed.
static void hand_over_early( const nearest *n, double radius, bool is_all, dbvh_scene_distance_result *out ) {
	if ( n->has_kept )
		hand_over_nearest( n->kept_pair, &n->kept, out );
	out->at_least = is_all ? at_least( n, radius ) : 0.0;
}

// Once more for the two alone, so that the triangles do not depend on who was compared first.
static dbvh_status describe( nearest *n, dbvh_scene_distance_result *out, dbvh_error *error ) {
	const dbvh_scene *scene = n->question.scene;
	dbvhi_scene_call *call = &n->question.call;
	const dbvhi_body *a = &scene->bodies[n->pair.a], *b = &scene->bodies[n->pair.b];
	const dbvh_distance_query whole = { .policy = n->question.query->policy,
	                                    .budget = call->budget != NULL ? &call->left : NULL };
	const uint64_t before = call->spent;
	const dbvhi_rounded_pair of = dbvhi_rounded_pair_of( a, b );
	dbvh_distance_result result;
	const dbvh_status status = dbvhi_rounded_distance( &of, &whole, scene->workspace, &result, error );
	call->spent += call->spent == before; // at least one step, as any query
	if ( status == DBVH_OK )
		hand_over_nearest( n->pair, &result, out );
	else if ( dbvhi_has_results( status ) )
		hand_over_early( n, n->kept.distance, true, out );
	return status;
}

// Asks all pairs whose boxes are at most a radius apart. `beyond`: all others are farther than that.
static dbvh_status search_within( nearest *n, double limit, double radius, double beyond,
                                  dbvh_scene_distance_result *result_out, dbvh_error *error ) {
	dbvhi_pair_question *q = &n->question;
	collecting c = collect_from_first( q, radius );
	n->has_found = false;
	atomic_init( &n->best, order_of( limit ) );
	do {
		dbvh_status status = collect( &c );
		if ( status == DBVH_OK ) {
			q->pairs = q->scene->pairs;
			q->count = q->scene->pair_count;
			q->call.listed += q->count;
			dbvh_scene_result counts = { .pair_count = q->count };
			status = dbvhi_scene_ask( q, &counts, error );
			if ( dbvhi_has_results( status ) && status != DBVH_OK )
				hand_over_early( n, beyond, !has_more( &c ), result_out );
		} else if ( dbvhi_has_results( status ) ) {
			hand_over_early( n, beyond, false, result_out );
		}
		if ( status != DBVH_OK )
			return dbvhi_error_finish( error, status );
		take_least( n );
	} while ( has_more( &c ) && !( n->has_found && n->distance == 0.0 ) );
	return DBVH_OK;
}

// With larger and larger radii.
static dbvh_status search( nearest *n, double limit, dbvh_scene_distance_result *result_out, dbvh_error *error ) {
	const dbvh_scene *scene = n->question.scene;
	const double extent = extent_of( scene ), most = limit < extent ? limit : extent;
	for ( double radius = fmin( most, extent / ( 1.0 + cbrt( (double)scene->body_count ) ) / 64.0 );; ) {
		const double beyond = radius < most ? radius : limit;
		DBVHI_TRY( search_within( n, limit, radius, beyond, result_out, error ) );
		const double found = n->has_found ? n->distance : INFINITY;
		const bool is_done = found <= radius || radius >= most;
		if ( is_done && !n->has_found )
			return DBVH_OK;
		if ( !dbvhi_scene_call_go_on( &n->question.call ) ) {
			hand_over_early( n, beyond, true, result_out );
			return dbvhi_error_status( error, DBVH_BUDGET_SPENT );
		}
		if ( is_done )
			return describe( n, result_out, error );
		// A distance found bounds the remaining search.
		radius = fmin( fmin( most, found ), radius > 0.0 ? 8.0 * radius : most );
	}
}

static DBVHI_NOINLINE_FP dbvh_status do_scene_distance( dbvh_scene *scene, const dbvh_scene_distance_query *query,
                                                        dbvh_scene_distance_result *result_out, dbvh_error *error ) {
	DBVHI_TRY( dbvhi_answer_clear( result_out, sizeof *result_out, "result_out", error ) );
	const dbvh_scene_distance_query asked = query != NULL ? *query : dbvh_scene_distance_query_default();
	DBVHI_TRY( dbvhi_check_range( asked.limit, INFINITY, "query.limit", error ) );
	const dbvh_scene_query pairs = { .find = DBVH_FIND_CLOSEST,
	                                 .policy = asked.policy,
	                                 .has_body = asked.has_body,
	                                 .body = asked.body,
	                                 .thread_count = asked.thread_count,
	                                 .progress = asked.progress,
	                                 .user = asked.user,
	                                 .budget = asked.budget };
	dbvh_scene_query q;
	dbvh_scene_result counts;
	DBVHI_TRY( dbvhi_scene_begin( scene, &pairs, &q, &counts, error ) );
	const double limit = asked.limit > 0.0 ? asked.limit : INFINITY;
	nearest n = { .question = { .scene = scene,
	                            .query = &q,
	                            .ask = ask_nearest,
	                            .grows = true,
	                            .outcome_bytes = sizeof( double ) },
	              .max_distance = limit,
	              .keeping = ATOMIC_FLAG_INIT };
	dbvhi_scene_call_begin( &n.question.call, scene, &q );
	dbvh_status status = dbvhi_scene_update( scene, &n.question.call.watch );
	status = status == DBVH_OK ? search( &n, limit, result_out, error ) : dbvhi_error_status( error, status );
	dbvhi_scene_call_end( &n.question.call );
	return status;
}

dbvh_status dbvh_scene_distance( dbvh_scene *scene, const dbvh_scene_distance_query *query,
                                 dbvh_scene_distance_result *result_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_scene_distance( scene, query, result_out, error ) );
}
