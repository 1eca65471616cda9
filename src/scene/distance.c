// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The two bodies that are nearest to each other. Pairs whose boxes are at most r apart are compared, those with the
// nearest boxes first; where none of them is as near as r, the same goes for a larger r.

#include "base/fpenv.h"
#include "base/status.h"
#include "query/common/arguments.h"
#include "scene/pairs.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

// A lower bound of the distance of two boxes.
static double gap_of( const double *a, const double *b ) {
	double square = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		const double gap = a[k] - b[3 + k] > b[k] - a[3 + k] ? a[k] - b[3 + k] : b[k] - a[3 + k];
		if ( gap > 0.0 )
			square += gap * gap;
	}
	// What overflows is far; what underflows is near.
	return isfinite( square ) ? sqrt( square ) * ( 1.0 - 0x1p-50 ) : 0x1p500;
}

typedef struct collecting {
	dbvh_scene *scene;
	const dbvh_scene_query *query;
	double radius;
	uint32_t body;
	bool has_memory;
} collecting;

// Each pair once: from its lower body, or from the one that is asked about.
static bool add_pair( void *context, uint32_t other ) {
	collecting *c = context;
	dbvh_scene *scene = c->scene;
	if ( other == c->body || ( other < c->body && !c->query->has_body ) )
		return true;
	const uint32_t a = other < c->body ? other : c->body, b = other < c->body ? c->body : other;
	dbvh_pair_rule rule;
	if ( !dbvhi_scene_rule( scene, a, b, &rule ) )
		return true;
	const double *boxes = scene->phase.boxes;
	if ( gap_of( boxes + 6 * (size_t)a, boxes + 6 * (size_t)b ) > c->radius )
		return true;
	c->has_memory = dbvhi_grow_array( &scene->allocator, &scene->pairs, &scene->pair_capacity, scene->pair_count + 1,
	                                  sizeof *scene->pairs );
	if ( c->has_memory )
		scene->pairs[scene->pair_count++] = ( dbvh_body_pair ){ a, b };
	return c->has_memory;
}

static int nearer( const dbvh_scene *scene, dbvh_body_pair x, dbvh_body_pair y ) {
	const double *boxes = scene->phase.boxes;
	const double gx = gap_of( boxes + 6 * (size_t)x.a, boxes + 6 * (size_t)x.b );
	const double gy = gap_of( boxes + 6 * (size_t)y.a, boxes + 6 * (size_t)y.b );
	if ( gx != gy )
		return gx < gy;
	return x.a != y.a ? x.a < y.a : x.b < y.b;
}

// Heap sort: memory is short, and so is the list.
static void sort_by_gap( dbvh_scene *scene ) {
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
	}
}

static bool collect( dbvh_scene *scene, const dbvh_scene_query *query, double radius ) {
	collecting c = { .scene = scene, .query = query, .radius = radius, .has_memory = true };
	scene->pair_count = 0;
	scene->has_list = false;
	for ( uint32_t i = query->has_body ? query->body : 0; i < scene->body_end && c.has_memory; ++i ) {
		if ( scene->bodies[i].tree == NULL )
			continue;
		double box[DBVHI_BOX_NUMBERS];
		for ( int k = 0; k < 3; ++k ) {
			box[k] = scene->phase.boxes[6 * (size_t)i + (size_t)k] - radius;
			box[3 + k] = scene->phase.boxes[6 * (size_t)i + 3 + (size_t)k] + radius;
		}
		c.body = i;
		dbvhi_broad_phase_overlaps( &scene->phase, box, add_pair, &c );
		if ( query->has_body )
			break;
	}
	sort_by_gap( scene );
	return c.has_memory;
}

typedef struct nearest {
	dbvhi_pair_question question;
	double max_distance;
	_Atomic uint64_t best; // the bits of the least distance so far, which order as the doubles do
	// What is handed over where the call is ended early: who has `keeping` may look at it.
	atomic_flag keeping;
	bool has_kept;
	dbvh_body_pair kept_pair;
	dbvh_distance_result kept;
} nearest;

static double double_of( uint64_t bits ) {
	double x;
	memcpy( &x, &bits, sizeof x );
	return x;
}

static uint64_t bits_of( double x ) {
	uint64_t bits;
	memcpy( &bits, &x, sizeof bits );
	return bits;
}

static bool is_lower( dbvh_body_pair x, dbvh_body_pair y ) {
	return x.a != y.a ? x.a < y.a : x.b < y.b;
}

static void keep( nearest *n, dbvh_body_pair pair, const dbvh_distance_result *result ) {
	const uint64_t bits = bits_of( result->distance );
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

// The outcome is the distance, or of a pair without an answer what it is at least.
static dbvh_status ask_nearest( dbvhi_pair_question *q, size_t index, dbvhi_share *share, dbvh_workspace *workspace,
                                bool *found_out ) {
	nearest *n = (nearest *)q; // its first member
	const dbvh_scene *scene = q->scene;
	const dbvh_body_pair pair = scene->pairs[index];
	const double *boxes = scene->phase.boxes;
	const double best = double_of( atomic_load_explicit( &n->best, memory_order_relaxed ) );
	if ( gap_of( boxes + 6 * (size_t)pair.a, boxes + 6 * (size_t)pair.b ) > best )
		return DBVH_OK;
	const dbvhi_body *a = &scene->bodies[pair.a], *b = &scene->bodies[pair.b];
	const dbvh_distance_query query = {
	    .limit = best > 0.0 && isfinite( best ) ? best : 0.0, .policy = q->query->policy, .budget = share->budget };
	dbvh_distance_result result;
	const dbvh_status status = dbvh_distance( a->tree, &a->pose, b->tree, &b->pose, &query, workspace, &result, NULL );
	if ( !dbvhi_has_results( status ) )
		return status;
	( (double *)scene->outcomes )[index] = status == DBVH_OK ? result.distance : result.at_least;
	if ( !result.found || result.distance > n->max_distance )
		return status;
	*found_out = status == DBVH_OK;
	keep( n, pair, &result );
	return status;
}

// The least outcome, of equal ones the lowest pair. Returns SIZE_MAX where nothing was found.
static size_t least( const nearest *n ) {
	const dbvhi_pair_question *q = &n->question;
	const double *distances = q->scene->outcomes;
	size_t at = SIZE_MAX;
	for ( size_t i = 0; i < q->end; ++i ) {
		if ( q->state[i] == DBVHI_PAIR_FOUND &&
		     ( at == SIZE_MAX || distances[i] < distances[at] ||
		       ( distances[i] == distances[at] && is_lower( q->scene->pairs[i], q->scene->pairs[at] ) ) ) )
			at = i;
	}
	return at;
}

// How far apart any two bodies can be.
static double extent_of( const dbvh_scene *scene ) {
	double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
	for ( size_t i = 0; i < scene->phase.count; ++i ) {
		const double *box = scene->phase.boxes + 6 * i;
		for ( int k = 0; k < 3 && box[0] <= box[3]; ++k ) {
			low[k] = fmin( low[k], box[k] );
			high[k] = fmax( high[k], box[3 + k] );
		}
	}
	const double extent = 2.0 * ( ( high[0] - low[0] ) + ( high[1] - low[1] ) + ( high[2] - low[2] ) );
	return isfinite( extent ) ? extent : 0x1p1000;
}

dbvh_scene_distance_query dbvh_scene_distance_query_default( void ) {
	return ( dbvh_scene_distance_query ){ .limit = 0.0 };
}

static void hand_over( dbvh_body_pair pair, const dbvh_distance_result *result, dbvh_scene_distance_result *out ) {
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
	const double *boxes = scene->phase.boxes, *outcomes = scene->outcomes;
	double least = n->has_kept && n->kept.distance < radius ? n->kept.distance : radius;
	for ( size_t i = 0; i < q->end; ++i ) {
		if ( dbvhi_pair_has_answer( q->state[i] ) )
			continue;
		const dbvh_body_pair pair = scene->pairs[i];
		const double gap = gap_of( boxes + 6 * (size_t)pair.a, boxes + 6 * (size_t)pair.b );
		const double most = q->state[i] == DBVHI_PAIR_OPEN && outcomes[i] > gap ? outcomes[i] : gap;
		least = most < least ? most : least;
	}
	return least;
}

static void hand_over_early( const nearest *n, double radius, dbvh_scene_distance_result *out ) {
	if ( n->has_kept )
		hand_over( n->kept_pair, &n->kept, out );
	out->at_least = at_least( n, radius );
}

// Once more for the two alone, so that the triangles do not depend on who was compared first.
static dbvh_status describe( const nearest *n, dbvh_body_pair pair, dbvh_scene_distance_result *out,
                             dbvh_error *error ) {
	const dbvh_scene *scene = n->question.scene;
	const dbvhi_body *a = &scene->bodies[pair.a], *b = &scene->bodies[pair.b];
	const dbvh_distance_query whole = { .policy = n->question.query->policy, .budget = n->question.query->budget };
	dbvh_distance_result result;
	const dbvh_status status =
	    dbvh_distance( a->tree, &a->pose, b->tree, &b->pose, &whole, scene->workspace, &result, error );
	if ( status == DBVH_OK )
		hand_over( pair, &result, out );
	else if ( dbvhi_has_results( status ) )
		hand_over_early( n, n->kept.distance, out );
	return status;
}

// What is left of a total after so much; false where nothing is.
static bool take_from( dbvh_budget *left, uint64_t spent, uint64_t total ) {
	if ( total != 0 && spent >= total )
		return false;
	left->max_total = total != 0 ? total - spent : 0;
	return true;
}

// With larger and larger radii. `left` is query->budget, or of no use.
static dbvh_status search( nearest *n, double limit, dbvh_budget *left, uint64_t total, uint64_t *spent,
                           dbvh_scene_distance_result *result_out, dbvh_error *error ) {
	dbvh_scene *scene = n->question.scene;
	const dbvh_scene_query *q = n->question.query;
	const double extent = extent_of( scene ), most = limit < extent ? limit : extent;
	for ( double radius = fmin( most, extent / ( 1.0 + cbrt( (double)scene->body_count ) ) / 64.0 );; ) {
		if ( !collect( scene, q, radius ) )
			return dbvhi_error_status( error, DBVH_OUT_OF_MEMORY );
		dbvh_scene_result counts = { .pair_count = scene->pair_count };
		atomic_init( &n->best, bits_of( limit ) );
		dbvh_status status = dbvhi_scene_ask( &n->question, sizeof( double ), &counts, error );
		if ( status != DBVH_OK ) {
			if ( dbvhi_has_results( status ) )
				hand_over_early( n, radius < most ? radius : limit, result_out );
			return status;
		}
		const size_t at = least( n );
		const double found = at != SIZE_MAX ? ( (double *)scene->outcomes )[at] : INFINITY;
		const bool is_done = found <= radius || radius >= most;
		if ( is_done && at == SIZE_MAX )
			return DBVH_OK;
		if ( !take_from( left, *spent, total ) ) {
			hand_over_early( n, radius < most ? radius : limit, result_out );
			return dbvhi_error_status( error, DBVH_BUDGET_SPENT );
		}
		if ( is_done ) {
			const uint64_t before = *spent;
			status = describe( n, scene->pairs[at], result_out, error );
			*spent += *spent == before; // at least one step, as any query
			return status;
		}
		// What was found is a bound for the rest.
		radius = fmin( fmin( most, found ), radius > 0.0 ? 8.0 * radius : most );
	}
}

static DBVHI_BEHIND dbvh_status do_scene_distance( dbvh_scene *scene, const dbvh_scene_distance_query *query,
                                                   dbvh_scene_distance_result *result_out, dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( result_out == NULL )
		return dbvhi_error_null( error, "result_out" );
	memset( result_out, 0, sizeof *result_out );
	const dbvh_scene_distance_query asked = query != NULL ? *query : dbvh_scene_distance_query_default();
	dbvh_status status = dbvhi_check_range( asked.limit, INFINITY, "query.limit", error );
	if ( status != DBVH_OK )
		return status;
	// The total is for all rounds.
	const dbvh_budget none = { 0 };
	const dbvh_budget *budget = asked.budget != NULL ? asked.budget : &none;
	uint64_t spent = 0;
	dbvh_budget left = *budget;
	left.spent = &spent;
	const dbvh_scene_query pairs = { .find = DBVH_FIND_CLOSEST,
	                                 .policy = asked.policy,
	                                 .has_body = asked.has_body,
	                                 .body = asked.body,
	                                 .thread_count = asked.thread_count,
	                                 .progress = asked.progress,
	                                 .user = asked.user,
	                                 .budget = asked.budget != NULL ? &left : NULL };
	dbvh_scene_query q;
	dbvh_scene_result counts;
	status = dbvhi_scene_begin( scene, &pairs, &q, &counts, error );
	if ( status != DBVH_OK )
		return status;
	const double limit = asked.limit > 0.0 ? asked.limit : INFINITY;
	nearest n = { .question = { .scene = scene, .query = &q, .ask = ask_nearest, .grows = true },
	              .max_distance = limit,
	              .keeping = ATOMIC_FLAG_INIT };
	status = search( &n, limit, &left, budget->max_total, &spent, result_out, error );
	if ( budget->spent != NULL )
		*budget->spent += spent;
	return status;
}

dbvh_status dbvh_scene_distance( dbvh_scene *scene, const dbvh_scene_distance_query *query,
                                 dbvh_scene_distance_result *result_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_scene_distance( scene, query, result_out, error ) );
}
