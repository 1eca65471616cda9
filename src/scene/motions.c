// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The ways between configurations of some bodies of a scene. A way is divided into pieces of time, in each of which
// every body has a box round what it sweeps; two whose boxes never overlap in the same piece do not meet, and two that
// first do in piece i do not meet before it. Edges are handed to threads in blocks that do not know of each other, as
// in batch.c.

#include "base/fpenv.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "base/status.h"
#include "math/pose.h"
#include "query/common/account.h"
#include "query/common/arguments.h"
#include "query/toi/toi.h"
#include "scene/moving.h"
#include "scene/rounded.h"

#include <math.h>
#include <string.h>

// Edges that one thread does in a row, whatever their number.
#define BLOCK 16
// The most pieces that a way is divided into.
#define MOST_PIECES 8

dbvh_motions_query dbvh_motions_query_default( void ) {
	return ( dbvh_motions_query ){ .find = DBVH_FIND_ANY };
}

// Scratch memory of one thread.
typedef struct scratch {
	dbvh_motion *motions; // motions of the moved bodies
	double *whole;        // their boxes over the whole edge
	double *pieces;       // their boxes over pieces of the edge, MOST_PIECES a body
	uint32_t *order;      // DBVH_FIND_ANY: the moved pairs, those that met last first
	uint64_t *keys; // overlapping pairs of boxes: the first piece in which they overlap, and the pair; or for a sweep
} scratch;

// Lay out the arrays of a scratch, which follow it. Returns the bytes that they take.
static size_t lay_out_edges( scratch *d, char *memory, size_t body_count ) {
	const size_t pairs = dbvhi_moving_most_pairs( body_count );
	dbvhi_pieces p = { .memory = memory };
	(void)dbvhi_piece( &p, 1, sizeof *d );
	d->motions = dbvhi_piece( &p, body_count, sizeof *d->motions );
	d->whole = dbvhi_piece( &p, DBVHI_BOX_NUMBERS * body_count, sizeof( double ) );
	d->pieces = dbvhi_piece( &p, MOST_PIECES * DBVHI_BOX_NUMBERS * body_count, sizeof( double ) );
	d->order = dbvhi_piece( &p, pairs, sizeof *d->order );
	d->keys = dbvhi_piece( &p, pairs > 0 ? pairs : body_count, sizeof *d->keys );
	return p.bytes;
}

typedef struct batch {
	dbvh_scene *scene;
	const dbvh_motions_query *query;
	dbvh_toi_query asked; // the query for each pair
	const dbvh_pose *poses;
	size_t edge_count;
	dbvhi_moving moving;
	dbvh_edge_result *results;
} batch;

// One edge under way.
typedef struct checking {
	const batch *batch;
	scratch *scratch;
	dbvhi_share *share;
	dbvh_workspace *workspace;
	dbvh_edge_result *result;
	uint32_t pieces;
	uint32_t piece; // the one that is swept
	uint32_t body;  // the place of the one whose neighbours are being asked
	bool is_over;
} checking;

static dbvh_edge edge_of( const batch *t, size_t index ) {
	return t->query->edges != NULL ? t->query->edges[index] : ( dbvh_edge ){ index, index + 1 };
}

// ------------------------------------------------------------------------------------------------
// Boxes

// The motions of all bodies, and what poses deviate by.
static dbvh_status make_motions( checking *c, dbvh_edge edge, double *deviation_out, dbvh_error *error ) {
	const batch *t = c->batch;
	const size_t count = t->moving.body_count;
	for ( size_t k = 0; k < count; ++k ) {
		const dbvh_pose *from = &t->poses[edge.from * count + k], *to = &t->poses[edge.to * count + k];
		const double *centre = t->query->centres != NULL ? t->query->centres[k] : NULL;
		double deviation;
		const dbvh_status status = dbvh_motion_between( from, to, centre, &c->scratch->motions[k], error );
		if ( status != DBVH_OK )
			return dbvhi_blame_element( status, "body", k, error );
		(void)dbvhi_pose_check( from, &deviation );
		*deviation_out = deviation > *deviation_out ? deviation : *deviation_out;
	}
	return DBVH_OK;
}

static void make_boxes( checking *c, double deviation ) {
	const batch *t = c->batch;
	const dbvh_scene *scene = t->scene;
	scratch *d = c->scratch;
	double length = 0.0;
	for ( size_t k = 0; k < t->moving.body_count; ++k ) {
		const double mine = dbvhi_sweep_length( scene->bodies[t->moving.bodies[k]].tree, &d->motions[k] );
		length = mine > length ? mine : length;
	}
	c->pieces = length <= 0.25 ? 1 : length <= 1.0 ? 2 : length <= 3.0 ? 4 : MOST_PIECES;
	for ( size_t k = 0; k < t->moving.body_count; ++k ) {
		const dbvh_tree *tree = scene->bodies[t->moving.bodies[k]].tree;
		// The growth of batch.c, and the tolerance within which toi.h counts bodies as close, by which the boxes of
		// bodies that stay have not been grown.
		const double grown = 8.0 * deviation * ( tree->largest + scene->largest ) + 0x1p-41 * scene->largest;
		double *whole = d->whole + DBVHI_BOX_NUMBERS * k;
		for ( uint32_t i = 0; i < c->pieces; ++i ) {
			double *box = d->pieces + DBVHI_BOX_NUMBERS * ( MOST_PIECES * k + i );
			dbvhi_swept_box( tree, &d->motions[k], (double)i / c->pieces, (double)( i + 1 ) / c->pieces, grown, box );
			for ( int j = 0; j < 3; ++j ) {
				whole[j] = i == 0 || box[j] < whole[j] ? box[j] : whole[j];
				whole[3 + j] = i == 0 || box[3 + j] > whole[3 + j] ? box[3 + j] : whole[3 + j];
			}
		}
	}
}

// The first piece in which the boxes overlap; as many as there are where they never do. A body that stays has one box.
static uint32_t first_piece( const checking *c, uint32_t a, const double *other, bool moves ) {
	const double *mine = c->scratch->pieces + DBVHI_BOX_NUMBERS * MOST_PIECES * (size_t)a;
	for ( uint32_t i = 0; i < c->pieces; ++i ) {
		if ( dbvhi_boxes_overlap( mine + DBVHI_BOX_NUMBERS * i, moves ? other + DBVHI_BOX_NUMBERS * i : other ) )
			return i;
	}
	return c->pieces;
}

static uint32_t first_piece_of_pair( const checking *c, const dbvhi_moving_pair *pair ) {
	const scratch *d = c->scratch;
	if ( !dbvhi_boxes_overlap( d->whole + DBVHI_BOX_NUMBERS * (size_t)pair->a,
	                           d->whole + DBVHI_BOX_NUMBERS * (size_t)pair->b ) )
		return c->pieces;
	return first_piece( c, pair->a, d->pieces + DBVHI_BOX_NUMBERS * MOST_PIECES * (size_t)pair->b, true );
}

// ------------------------------------------------------------------------------------------------
// Asking

static bool is_earlier( const dbvh_edge_result *out, double time, dbvh_body_pair bodies ) {
	if ( out->verdict == DBVH_TOI_VERDICT_CLEAR || time != out->time )
		return out->verdict == DBVH_TOI_VERDICT_CLEAR || time < out->time;
	return bodies.a != out->bodies.a ? bodies.a < out->bodies.a : bodies.b < out->bodies.b;
}

// Two that begin this much later than what was found cannot be found earlier: a time that is found lies before the
// true one by at most the tolerance.
static bool is_too_late( const checking *c, uint32_t piece ) {
	const dbvh_edge_result *out = c->result;
	const double tolerance = c->batch->query->tolerance > 0.0 ? c->batch->query->tolerance : 0x1p-20;
	return out->verdict != DBVH_TOI_VERDICT_CLEAR && (double)piece / c->pieces - tolerance > out->time;
}

// Asks two bodies that do not meet before a piece. Returns whether they have been found in contact.
static bool ask_motion( checking *c, uint32_t a, const dbvh_motion *motion_a, uint32_t b, const dbvh_motion *motion_b,
                        uint32_t piece ) {
	if ( a > b )
		return ask_motion( c, b, motion_b, a, motion_a, piece );
	const batch *t = c->batch;
	dbvh_edge_result *out = c->result;
	dbvh_toi_result result;
	memset( &result, 0, sizeof result );
	out->status = dbvhi_share_next( c->share );
	if ( out->status != DBVH_OK ) {
		c->is_over = true;
		return false;
	}
	result.status = dbvhi_time_of_impact( t->scene->bodies[a].tree, motion_a, t->scene->bodies[b].tree, motion_b,
	                                      &t->asked, c->share->budget, c->workspace, &result );
	if ( result.status != DBVH_OK && result.status != DBVH_BUDGET_SPENT ) {
		out->status = result.status;
		c->is_over = true;
		return false;
	}
	if ( result.verdict == DBVH_TOI_VERDICT_CLEAR )
		return false;
	const bool meets = result.verdict == DBVH_TOI_VERDICT_CONTACT;
	const bool is_last = meets && t->query->find == DBVH_FIND_ANY;
	double time = result.time;
	if ( result.verdict == DBVH_TOI_VERDICT_UNDECIDED && time < (double)piece / c->pieces )
		time = (double)piece / c->pieces;
	const dbvh_body_pair bodies = { a, b };
	if ( is_last || is_earlier( out, time, bodies ) ) {
		out->verdict = result.verdict;
		out->time = time;
		out->bodies = bodies;
		out->impact = result;
	}
	out->upper = result.upper < out->upper ? result.upper : out->upper;
	c->is_over = is_last;
	return meets;
}

static bool ask_pair( checking *c, const dbvhi_moving_pair *pair, uint32_t piece ) {
	const uint32_t *bodies = c->batch->moving.bodies;
	const dbvh_motion *motions = c->scratch->motions;
	return ask_motion( c, bodies[pair->a], &motions[pair->a], bodies[pair->b], &motions[pair->b], piece );
}

// In the order of what met last; the one that ends it goes to the front.
static void ask_until_one_meets( checking *c ) {
	const dbvhi_moving *m = &c->batch->moving;
	uint32_t *order = c->scratch->order;
	for ( size_t i = 0; i < m->pair_count && !c->is_over; ++i ) {
		const uint32_t met = order[i];
		const uint32_t piece = first_piece_of_pair( c, &m->pairs[met] );
		if ( piece < c->pieces && ask_pair( c, &m->pairs[met], piece ) && i > 0 ) {
			memmove( order + 1, order, i * sizeof *order );
			order[0] = met;
		}
	}
}

// In the order of when boxes begin to overlap.
static void ask_for_first( checking *c ) {
	const dbvhi_moving *m = &c->batch->moving;
	uint64_t *keys = c->scratch->keys;
	size_t count = 0;
	for ( size_t i = 0; i < m->pair_count; ++i ) {
		const uint32_t piece = first_piece_of_pair( c, &m->pairs[i] );
		if ( piece < c->pieces )
			keys[count++] = (uint64_t)piece << 32 | i;
	}
	dbvhi_sort_u64( keys, count );
	for ( size_t i = 0; i < count && !c->is_over; ++i ) {
		const uint32_t piece = (uint32_t)( keys[i] >> 32 );
		if ( is_too_late( c, piece ) )
			break;
		ask_pair( c, &m->pairs[(uint32_t)keys[i]], piece );
	}
}

// A pair whose boxes first overlap in a given piece; more bodies than can be listed are swept once a piece.
static bool ask_swept_motion( void *context, const dbvhi_moving_pair *pair ) {
	checking *c = context;
	if ( first_piece_of_pair( c, pair ) == c->piece )
		ask_pair( c, pair, c->piece );
	return !c->is_over;
}

static void ask_swept_motions( checking *c ) {
	static const double no_reach = 0.0;
	const scratch *d = c->scratch;
	for ( c->piece = 0; c->piece < c->pieces && !c->is_over && !is_too_late( c, c->piece ); ++c->piece )
		dbvhi_moving_sweep( &c->batch->moving, d->pieces + DBVHI_BOX_NUMBERS * c->piece,
		                    MOST_PIECES * DBVHI_BOX_NUMBERS, &no_reach, d->keys, ask_swept_motion, c );
}

// A body that stays.
static bool ask_standing( void *context, uint32_t other ) {
	checking *c = context;
	const batch *t = c->batch;
	const uint32_t mine = t->moving.bodies[c->body];
	dbvh_pair_rule rule;
	if ( t->moving.place[other] != DBVH_NO_BODY || !dbvhi_scene_rule( t->scene, mine, other, &rule ) )
		return true;
	const uint32_t piece = first_piece( c, c->body, t->scene->phase.boxes + DBVHI_BOX_NUMBERS * (size_t)other, false );
	if ( piece < c->pieces && !is_too_late( c, piece ) ) {
		const dbvh_motion rest = dbvh_motion_translation( &t->scene->bodies[other].pose, NULL );
		ask_motion( c, mine, &c->scratch->motions[c->body], other, &rest, piece );
	}
	return !c->is_over;
}

static void check_edge( const batch *t, size_t index, scratch *d, dbvhi_share *share, dbvh_workspace *workspace ) {
	dbvh_edge_result *out = &t->results[index];
	*out = ( dbvh_edge_result ){ .time = 1.0, .upper = INFINITY };
	checking c = { .batch = t, .scratch = d, .share = share, .workspace = workspace, .result = out };
	double deviation = t->scene->deviation;
	const dbvh_status status = make_motions( &c, edge_of( t, index ), &deviation, NULL );
	if ( status != DBVH_OK ) {
		*out = ( dbvh_edge_result ){ .status = status };
		return;
	}
	make_boxes( &c, deviation );
	if ( !t->moving.is_listed )
		ask_swept_motions( &c );
	else if ( t->query->find == DBVH_FIND_ANY )
		ask_until_one_meets( &c );
	else
		ask_for_first( &c );
	for ( size_t k = 0; k < t->moving.body_count && t->moving.has_others && !c.is_over; ++k ) {
		c.body = (uint32_t)k;
		dbvhi_broad_phase_overlaps( &t->scene->phase, d->whole + DBVHI_BOX_NUMBERS * k, ask_standing, &c );
	}
	if ( out->status == DBVH_CANCELLED || out->status == DBVH_BUDGET_SPENT )
		*out =
		    ( dbvh_edge_result ){ .verdict = DBVH_TOI_VERDICT_UNDECIDED, .upper = out->upper, .status = out->status };
	else if ( out->status != DBVH_OK )
		*out = ( dbvh_edge_result ){ .status = out->status };
	else if ( out->verdict == DBVH_TOI_VERDICT_UNDECIDED )
		out->status = DBVH_BUDGET_SPENT;
}

static size_t end_of_edges( const batch *t, size_t block ) {
	return ( block + 1 ) * BLOCK < t->edge_count ? ( block + 1 ) * BLOCK : t->edge_count;
}

static void leave_edges( batch *t, size_t first, size_t end, dbvh_status why ) {
	for ( size_t i = first; i < end; ++i )
		t->results[i] = ( dbvh_edge_result ){ .verdict = DBVH_TOI_VERDICT_UNDECIDED, .upper = INFINITY, .status = why };
}

static void leave_edge_block( void *context, size_t block, dbvh_status why ) {
	leave_edges( context, block * BLOCK, end_of_edges( context, block ), why );
}

static void one_edge_block( void *context, size_t block, uint32_t thread, dbvhi_share *share ) {
	batch *t = context;
	scratch *d = dbvhi_moving_scratch( &t->moving, thread );
	for ( size_t i = 0; i < t->moving.pair_count; ++i )
		d->order[i] = (uint32_t)i;
	const size_t end = end_of_edges( t, block );
	for ( size_t i = block * BLOCK; i < end; ++i ) {
		const dbvh_status status = dbvhi_share_next( share );
		if ( status != DBVH_OK ) {
			leave_edges( t, i, end, status );
			return;
		}
		check_edge( t, i, d, share, dbvhi_workspace_of( t->scene->workspace, thread ) );
		dbvhi_share_element( share );
	}
}

// ------------------------------------------------------------------------------------------------
// The call

static dbvh_status check_motions_query( const dbvh_scene *scene, const dbvh_motions_query *q, size_t count,
                                        dbvh_error *error ) {
	const dbvh_toi_query asked = { .tolerance = q->tolerance, .policy = q->policy };
	DBVHI_TRY( dbvhi_check_toi_query( &asked, error ) );
	DBVHI_TRY( dbvhi_scene_check_policy( scene, q->policy, error ) );
	DBVHI_TRY( dbvhi_check_find( q->find, true, error ) );
	if ( q->find == DBVH_FIND_ALL )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "query.find is DBVH_FIND_ALL: edges end at one contact" );
	for ( size_t i = 0; i < q->edge_count && q->edges != NULL; ++i ) {
		if ( q->edges[i].from >= count || q->edges[i].to >= count )
			return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT,
			                        "query.edges[%zu] names a configuration that is not there: there are %zu", i,
			                        count );
	}
	return dbvhi_moving_check( scene, q->bodies, q->body_count, error );
}

static dbvh_status first_failed_edge( batch *t, dbvh_error *error ) {
	for ( size_t i = 0; i < t->edge_count; ++i ) {
		const dbvh_status status = t->results[i].status;
		if ( status == DBVH_OK )
			continue;
		if ( status == DBVH_NOT_RIGID || status == DBVH_NOT_FINITE ) {
			checking c = { .batch = t, .scratch = dbvhi_moving_scratch( &t->moving, 0 ) };
			double deviation = 0.0;
			(void)make_motions( &c, edge_of( t, i ), &deviation, error );
		}
		if ( error != NULL && error->status == DBVH_OK )
			dbvhi_error_set( error, status, "%s",
			                 status == DBVH_CANCELLED ? "a callback ended the call" : dbvh_status_text( status ) );
		if ( error != NULL )
			error->element = (int64_t)i;
		return status;
	}
	return DBVH_OK;
}

static dbvh_status run_edges( batch *t, uint32_t thread_count, dbvh_error *error ) {
	const dbvhi_moving *m = &t->moving;
	for ( uint32_t i = 0; i < thread_count; ++i ) {
		scratch *d = dbvhi_moving_scratch( m, i );
		(void)lay_out_edges( d, (char *)d, m->body_count );
	}
	dbvhi_account account = { .budget = t->query->budget,
	                          .progress = t->query->progress,
	                          .user = t->query->user,
	                          .count = t->edge_count,
	                          .every = 1 };
	static const dbvhi_account_work of_blocks = { one_edge_block, leave_edge_block };
	const dbvh_status status = dbvhi_account_run( &account, &t->scene->allocator, ( t->edge_count + BLOCK - 1 ) / BLOCK,
	                                              1, thread_count, &of_blocks, t );
	return status == DBVH_OK ? first_failed_edge( t, error ) : dbvhi_error_status( error, status );
}

static DBVHI_NOINLINE_FP dbvh_status do_scene_motion_batch( dbvh_scene *scene, const dbvh_pose *poses,
                                                            size_t configuration_count, const dbvh_motions_query *query,
                                                            dbvh_edge_result *results_out, dbvh_error *error ) {
	dbvhi_error_clear( error );
	dbvh_motions_query q = query != NULL ? *query : dbvh_motions_query_default();
	const size_t count = q.edges != NULL ? q.edge_count : configuration_count > 0 ? configuration_count - 1 : 0;
	dbvh_status status = dbvhi_check_given( scene, "scene", error );
	if ( status == DBVH_OK && count > 0 )
		status = dbvhi_check_given( results_out, "results_out", error );
	if ( status != DBVH_OK )
		return status;
	for ( size_t i = 0; i < count; ++i )
		results_out[i] = ( dbvh_edge_result ){ .verdict = DBVH_TOI_VERDICT_CLEAR };
	if ( count > 0 )
		status = dbvhi_check_given( poses, "poses", error );
	if ( status == DBVH_OK )
		status = check_motions_query( scene, &q, configuration_count, error );
	if ( status == DBVH_OK )
		status = dbvhi_refuse_rounded( scene, "dbvh_scene_motion_batch()", error );
	if ( status != DBVH_OK )
		return status;
	q.budget = dbvhi_scene_budget( scene, q.budget );
	const uint32_t thread_count = dbvhi_thread_count_for( q.thread_count, ( count + BLOCK - 1 ) / BLOCK );
	batch t = { .scene = scene,
	            .query = &q,
	            .asked = { .tolerance = q.tolerance, .policy = q.policy },
	            .poses = poses,
	            .edge_count = count,
	            .results = results_out };
	status = dbvhi_scene_update_for( scene, q.budget );
	if ( dbvhi_has_results( status ) && status != DBVH_OK )
		leave_edges( &t, 0, count, status );
	if ( status != DBVH_OK )
		return dbvhi_error_status( error, status );
	const size_t body_count = q.bodies != NULL ? q.body_count : scene->body_count;
	scratch measured;
	status = dbvhi_moving_begin( &t.moving, scene, q.bodies, body_count, lay_out_edges( &measured, NULL, body_count ),
	                             true, thread_count, error );
	if ( status == DBVH_OK )
		status = run_edges( &t, thread_count, error );
	dbvhi_moving_end( &t.moving );
	return status;
}

dbvh_status dbvh_scene_motion_batch( dbvh_scene *scene, const dbvh_pose *poses, size_t configuration_count,
                                     const dbvh_motions_query *query, dbvh_edge_result *results_out,
                                     dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status,
	                        do_scene_motion_batch( scene, poses, configuration_count, query, results_out, error ) );
}
