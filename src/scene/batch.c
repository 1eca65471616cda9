// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Many configurations of some bodies of a scene. They are handed to threads in blocks; within a block the pairs that
// collided last are asked first. Blocks do not know of each other, so nothing depends on who does which.

#include "base/fpenv.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "base/status.h"
#include "math/pose.h"
#include "query/common/account.h"
#include "query/common/arguments.h"
#include "query/common/workspace.h"
#include "scene/moving.h"
#include "scene/posed_roots.h"
#include "scene/rounded.h"

#include <math.h>
#include <string.h>

// Configurations that one thread does in a row, whatever their number.
#define BLOCK 128
// A configuration takes some microseconds.
#define CONFIGURATIONS_BETWEEN_QUESTIONS 64

dbvh_configurations_query dbvh_configurations_query_default( void ) {
	return ( dbvh_configurations_query ){ .find = DBVH_FIND_ANY };
}

// Scratch memory of one thread.
typedef struct scratch {
	double *boxes;                    // boxes of the moved bodies in this configuration
	dbvhi_root_lanes *roots;          // root volumes of the moved bodies, eight at a time,
	dbvhi_posed_lanes *posed[2];      // and after the poses of a configuration, by its parity
	size_t gathered;                  // the next configuration, if its poses have been gathered
	uint64_t near[DBVHI_MOST_LISTED]; // for each moved body a bit for every other whose box overlaps its own
	uint32_t *order;                  // the moved pairs, those that collided last first
	uint64_t *keys;                   // for the sweep of more bodies than can be listed
	dbvhi_moving_pair met;            // the pair that collided last, for the sweep
	uint64_t *found;   // the lowest colliding pairs of body numbers: a heap once the caller's room is full
	size_t found_room; // room that the caller has for the pairs of a configuration
} scratch;

static size_t lanes_of( size_t body_count ) {
	return ( body_count + DBVHI_ROOT_LANES - 1 ) / DBVHI_ROOT_LANES * DBVHI_ROOT_LANES;
}

// Lay out the arrays of a scratch, which follow it. Returns the bytes that they take.
static size_t lay_out( scratch *d, char *memory, size_t body_count, size_t found_room ) {
	const size_t pairs = dbvhi_moving_most_pairs( body_count );
	dbvhi_pieces p = { .memory = memory };
	(void)dbvhi_piece( &p, 1, sizeof *d );
	d->boxes = dbvhi_piece( &p, DBVHI_BOX_NUMBERS * body_count, sizeof( double ) );
	const size_t lanes = lanes_of( body_count );
	d->roots = dbvhi_piece( &p, lanes / DBVHI_ROOT_LANES, sizeof *d->roots );
	for ( int i = 0; i < 2; ++i )
		d->posed[i] = dbvhi_piece( &p, lanes / DBVHI_ROOT_LANES, sizeof *d->posed[i] );
	d->gathered = SIZE_MAX;
	d->order = dbvhi_piece( &p, pairs, sizeof *d->order );
	d->keys = dbvhi_piece( &p, body_count > DBVHI_MOST_LISTED ? body_count : 0, sizeof *d->keys );
	d->found = dbvhi_piece( &p, found_room, sizeof *d->found );
	return p.bytes;
}

typedef struct batch {
	dbvh_scene *scene;
	const dbvh_configurations_query *query;
	const dbvh_pose *poses;
	size_t configuration_count;
	dbvhi_moving moving;
	dbvh_configuration_result *results;
} batch;

// One configuration under way.
typedef struct checking {
	const batch *batch;
	scratch *scratch;
	size_t index, end;      // number of the configuration, and the end of its block
	const dbvh_pose *poses; // poses of this configuration
	dbvhi_share *share;
	dbvh_workspace *workspace;
	dbvh_configuration_result *result;
	uint32_t body;            // index of the moved body whose neighbours are being asked
	double reach;             // how far apart a pair may be and still matter,
	double wide;              // and how far apart its boxes
	double deviation;         // bounds that of every pose
	double slack;             // how far the roots of a pair must certainly be apart
	size_t room, found_count; // pairs that are kept, of the caller's room for them
	bool is_over;
} checking;

// Keeps the lowest pairs that the caller has room for.
static void keep_pair( checking *c, uint64_t key ) {
	scratch *d = c->scratch;
	if ( c->found_count < c->room ) {
		d->found[c->found_count++] = key;
		if ( c->found_count == c->room )
			dbvhi_heap_make( d->found, c->room );
	} else if ( c->room > 0 && key < d->found[0] ) {
		dbvhi_heap_replace_highest( d->found, c->room, key );
	}
}

static void record( checking *c, uint32_t a, uint32_t b ) {
	dbvh_configuration_result *out = c->result;
	const dbvh_body_pair pair = { a < b ? a : b, a < b ? b : a };
	const uint64_t key = (uint64_t)pair.a << 32 | pair.b;
	const bool is_all = c->batch->query->find == DBVH_FIND_ALL;
	if ( out->verdict == DBVH_DISJOINT || ( is_all && key < ( (uint64_t)out->first.a << 32 | out->first.b ) ) )
		out->first = pair;
	out->verdict = DBVH_INTERSECTING;
	out->pair_count += 1;
	if ( is_all )
		keep_pair( c, key );
	c->is_over = c->batch->query->find == DBVH_FIND_ANY;
}

static bool is_nearer( const checking *c, double distance, dbvh_body_pair pair ) {
	const dbvh_configuration_result *out = c->result;
	if ( !out->has_distance || distance != out->distance )
		return !out->has_distance || distance < out->distance;
	return pair.a != out->nearest.a ? pair.a < out->nearest.a : pair.b < out->nearest.b;
}

// Two bodies in the order of the scene's own queries, by which a relative pose is rounded.
typedef struct couple {
	dbvh_body_pair pair;
	dbvhi_rounded_pair of;
} couple;

static couple couple_of( const dbvh_scene *scene, uint32_t a, const dbvh_pose *pose_a, uint32_t b,
                         const dbvh_pose *pose_b ) {
	if ( a > b )
		return couple_of( scene, b, pose_b, a, pose_a );
	couple x = { { a, b }, dbvhi_rounded_pair_of( &scene->bodies[a], &scene->bodies[b] ) };
	x.of.pose_a = pose_a;
	x.of.pose_b = pose_b;
	return x;
}

static void set_reach( checking *c, double reach ) {
	c->reach = reach;
	c->wide = dbvhi_stretched( reach, c->deviation );
}

static void keep_nearest( checking *c, double distance, dbvh_body_pair pair ) {
	if ( !is_nearer( c, distance, pair ) )
		return;
	c->result->has_distance = true;
	c->result->distance = distance;
	c->result->nearest = pair;
	set_reach( c, distance );
}

static dbvh_status measure_couple( checking *c, const couple *x, bool *meets_out ) {
	const dbvh_distance_query near = {
	    .limit = isfinite( c->reach ) ? c->reach : 0.0, .policy = c->batch->query->policy, .budget = c->share->budget };
	dbvh_distance_result result;
	const dbvh_status status = dbvhi_rounded_distance( &x->of, &near, c->workspace, &result, NULL );
	if ( !dbvhi_has_results( status ) || !result.found || result.distance > c->batch->query->max_distance )
		return status;
	*meets_out = result.distance == 0.0;
	keep_nearest( c, result.distance, x->pair );
	return status;
}

static dbvh_status collide_couple( checking *c, const couple *x, bool *meets_out ) {
	const dbvh_collide_query any = {
	    .find = DBVH_FIND_ANY, .policy = c->batch->query->policy, .budget = c->share->budget };
	dbvh_collide_result result;
	const dbvh_status status = dbvhi_rounded_collide( &x->of, &any, c->workspace, &result );
	*meets_out = status == DBVH_OK && result.verdict == DBVH_INTERSECTING;
	if ( *meets_out && c->batch->query->max_distance > 0.0 )
		keep_nearest( c, 0.0, x->pair );
	return status;
}

// Asks a pair whose boxes are near enough. Returns whether it collides.
static bool ask_couple( checking *c, const couple *x ) {
	bool meets = false;
	dbvh_status status = dbvhi_share_next( c->share );
	if ( status != DBVH_OK ) {
		c->result->status = status;
		c->is_over = true;
		return false;
	}
	status = c->reach > 0.0 ? measure_couple( c, x, &meets ) : collide_couple( c, x, &meets );
	if ( status != DBVH_OK ) {
		// A pair that has spent its budget leaves the other pairs theirs; any other failure ends the configuration.
		c->result->status = status;
		c->is_over = status != DBVH_BUDGET_SPENT;
	}
	if ( meets )
		record( c, x->pair.a, x->pair.b );
	return meets;
}

// Are the boxes near enough?
static bool is_near( const checking *c, const double *a, const double *b ) {
	if ( c->reach == 0.0 )
		return dbvhi_boxes_overlap( a, b );
	for ( int k = 0; k < 3; ++k ) {
		if ( a[k] - b[3 + k] > c->wide || b[k] - a[3 + k] > c->wide )
			return false;
	}
	return true;
}

static bool ask_other( void *context, uint32_t other ) {
	checking *c = context;
	const batch *t = c->batch;
	const uint32_t mine = t->moving.bodies[c->body];
	dbvh_pair_rule rule;
	if ( t->moving.place[other] != DBVH_NO_BODY || !dbvhi_scene_rule( t->scene, mine, other, &rule ) )
		return true;
	// The reach may have shrunk since the walk began.
	if ( is_near( c, c->scratch->boxes + 6 * (size_t)c->body, t->scene->phase.boxes + 6 * (size_t)other ) ) {
		const couple x = couple_of( t->scene, mine, &c->poses[c->body], other, &t->scene->bodies[other].pose );
		ask_couple( c, &x );
	}
	return !c->is_over;
}

static size_t room_of( const dbvh_configurations_query *query, size_t index ) {
	if ( query->find != DBVH_FIND_ALL || query->pairs == NULL || query->pair_begin == NULL )
		return 0;
	return query->pair_begin[index + 1] - query->pair_begin[index];
}

static void hand_over_pairs( checking *c ) {
	const dbvh_configurations_query *query = c->batch->query;
	const uint64_t *found = c->scratch->found;
	dbvhi_sort_u64( c->scratch->found, c->found_count );
	for ( size_t i = 0; i < c->found_count; ++i )
		query->pairs[query->pair_begin[c->index] + i] =
		    ( dbvh_body_pair ){ (uint32_t)( found[i] >> 32 ), (uint32_t)found[i] };
	c->result->written_count = c->found_count;
}

static bool has_near( const checking *c ) {
	return c->batch->query->max_distance == 0.0 && c->batch->moving.is_listed;
}

static void gather_poses( const checking *c, size_t index ) {
	const dbvhi_moving *m = &c->batch->moving;
	const dbvhi_posed_roots_kernels *kernel = dbvhi_posed_roots_table[dbvhi_isa_level()];
	for ( size_t first = 0; first < m->body_count; first += DBVHI_ROOT_LANES )
		kernel->gather( c->batch->poses + index * m->body_count + first, m->body_count - first,
		                &c->scratch->posed[index % 2][first / DBVHI_ROOT_LANES] );
	c->scratch->gathered = index;
}

// Poses all bodies and makes their boxes. c->deviation becomes the largest there is.
static dbvh_status pose_all( checking *c ) {
	const batch *t = c->batch;
	const dbvhi_moving *m = &t->moving;
	scratch *d = c->scratch;
	const dbvhi_posed_roots_kernels *kernel = dbvhi_posed_roots_table[dbvhi_isa_level()];
	const size_t count = m->body_count, lanes = lanes_of( count ), eights = lanes / DBVHI_ROOT_LANES;
	dbvhi_posed_lanes *posed = d->posed[c->index % 2];
	bool is_right = true;
	if ( d->gathered != c->index )
		gather_poses( c, c->index );
	for ( size_t e = 0; e < eights; ++e ) {
		dbvhi_posed_lanes *p = &posed[e];
		kernel->place( &d->roots[e], p );
		for ( int i = 0; i < DBVHI_ROOT_LANES; ++i ) {
			is_right =
			    is_right && p->checked[i] <= 1.0 && p->deviation[i] <= DBVH_POSE_TOLERANCE && p->determinant[i] >= 0.0;
			c->deviation = p->deviation[i] > c->deviation ? p->deviation[i] : c->deviation;
		}
	}
	for ( size_t k = 0; k < count && !is_right; ++k ) {
		double deviation;
		DBVHI_TRY( dbvhi_pose_check( &c->poses[k], &deviation ) );
	}
	// See boxes.c. Bodies that stay were placed without these poses in mind: their share is the largest there is.
	for ( size_t e = 0; e < eights; ++e )
		kernel->grow( &d->roots[e], 8.0 * c->deviation, t->scene->largest + t->scene->largest_radius, &posed[e] );
	for ( size_t k = 0; k < count; ++k ) {
		const dbvhi_posed_lanes *p = &posed[k / DBVHI_ROOT_LANES];
		const size_t lane = k % DBVHI_ROOT_LANES;
		for ( int j = 0; j < 3; ++j ) {
			d->boxes[6 * k + (size_t)j] = p->lower[j][lane];
			d->boxes[6 * k + 3 + (size_t)j] = p->upper[j][lane];
		}
		if ( !has_near( c ) )
			continue;
		d->near[k] = 0;
		for ( size_t e = 0; e < eights; ++e )
			d->near[k] |= (uint64_t)kernel->near( p, (int)lane, &posed[e] ) << ( DBVHI_ROOT_LANES * e );
	}
	if ( c->index + 1 < c->end )
		gather_poses( c, c->index + 1 );
	return DBVH_OK;
}

static dbvhi_posed_root root_of( const checking *c, uint32_t body ) {
	const scratch *d = c->scratch;
	const dbvhi_posed_lanes *p = &d->posed[c->index % 2][body / DBVHI_ROOT_LANES];
	const dbvhi_root_lanes *r = &d->roots[body / DBVHI_ROOT_LANES];
	const uint32_t lane = body % DBVHI_ROOT_LANES;
	dbvhi_posed_root root = { .reach = r->reach[lane] + p->margin[lane], .margin = p->margin[lane] };
	for ( int k = 0; k < 3; ++k ) {
		for ( int j = 0; j < 3; ++j )
			root.axis[j][k] = p->axis[j][k][lane];
		root.centre[k] = p->centre[k][lane];
		root.ball[k] = p->ball[k][lane];
		root.half.v[k] = r->half[k][lane];
	}
	return root;
}

static bool is_pair_near( const checking *c, const dbvhi_moving_pair *pair ) {
	const scratch *d = c->scratch;
	if ( !has_near( c ) ) {
		if ( !is_near( c, d->boxes + 6 * (size_t)pair->a, d->boxes + 6 * (size_t)pair->b ) )
			return false;
	} else if ( ( d->near[pair->a] >> pair->b & 1 ) == 0 ) {
		return false;
	}
	if ( c->reach > 0.0 )
		return true;
	const dbvhi_posed_root a = root_of( c, pair->a ), b = root_of( c, pair->b );
	return !dbvhi_posed_roots_apart( &a, &b, c->slack );
}

static bool ask_moving_pair( checking *c, const dbvhi_moving_pair *pair ) {
	const dbvhi_moving *m = &c->batch->moving;
	const couple x =
	    couple_of( c->batch->scene, m->bodies[pair->a], &c->poses[pair->a], m->bodies[pair->b], &c->poses[pair->b] );
	return ask_couple( c, &x );
}

// The pair that collided last comes first.
static void ask_listed_pairs( checking *c ) {
	const dbvhi_moving *m = &c->batch->moving;
	uint32_t *order = c->scratch->order;
	for ( size_t i = 0; i < m->pair_count && !c->is_over; ++i ) {
		const uint32_t met = order[i];
		if ( is_pair_near( c, &m->pairs[met] ) && ask_moving_pair( c, &m->pairs[met] ) && i > 0 &&
		     c->batch->query->find == DBVH_FIND_ANY ) {
			memmove( order + 1, order, i * sizeof *order );
			order[0] = met;
		}
	}
}

static bool ask_swept( void *context, const dbvhi_moving_pair *pair ) {
	checking *c = context;
	if ( is_pair_near( c, pair ) && ask_moving_pair( c, pair ) )
		c->scratch->met = *pair;
	return !c->is_over;
}

static void ask_swept_pairs( checking *c ) {
	const scratch *d = c->scratch;
	const dbvhi_moving_pair met = d->met;
	if ( c->batch->query->find == DBVH_FIND_ANY && met.a != met.b && !ask_swept( c, &met ) )
		return;
	dbvhi_moving_sweep( &c->batch->moving, d->boxes, DBVHI_BOX_NUMBERS, &c->wide, c->scratch->keys, ask_swept, c );
}

static void check_configuration( const batch *t, size_t index, size_t end, scratch *d, dbvhi_share *share,
                                 dbvh_workspace *workspace ) {
	const dbvh_configurations_query *query = t->query;
	const dbvhi_moving *m = &t->moving;
	dbvh_configuration_result *out = &t->results[index];
	memset( out, 0, sizeof *out );
	checking c = { .batch = t,
	               .scratch = d,
	               .index = index,
	               .end = end,
	               .poses = t->poses + index * m->body_count,
	               .share = share,
	               .workspace = workspace,
	               .result = out,
	               .deviation = t->scene->deviation,
	               .room = room_of( query, index ) };
	out->status = pose_all( &c );
	if ( out->status != DBVH_OK )
		return;
	set_reach( &c, query->max_distance );
	c.slack = dbvhi_roots_slack( c.deviation, 2.0 * t->scene->largest );
	if ( m->is_listed )
		ask_listed_pairs( &c );
	else
		ask_swept_pairs( &c );
	for ( size_t k = 0; k < m->body_count && m->has_others && !c.is_over; ++k ) {
		double wide[DBVHI_BOX_NUMBERS];
		for ( int j = 0; j < 3; ++j ) {
			wide[j] = d->boxes[6 * k + (size_t)j] - c.wide;
			wide[3 + j] = d->boxes[6 * k + 3 + (size_t)j] + c.wide;
		}
		c.body = (uint32_t)k;
		dbvhi_broad_phase_overlaps( &t->scene->phase, wide, ask_other, &c );
	}
	// One that collides is enough, whatever others would have needed.
	if ( out->verdict == DBVH_INTERSECTING && query->find == DBVH_FIND_ANY && dbvhi_has_results( out->status ) )
		out->status = DBVH_OK;
	if ( dbvhi_has_results( out->status ) )
		hand_over_pairs( &c );
	else
		*out = ( dbvh_configuration_result ){ .status = out->status };
}

static size_t end_of_block( const batch *t, size_t block ) {
	return ( block + 1 ) * BLOCK < t->configuration_count ? ( block + 1 ) * BLOCK : t->configuration_count;
}

static void leave_from( batch *t, size_t first, size_t end, dbvh_status why ) {
	for ( size_t i = first; i < end; ++i )
		t->results[i] = ( dbvh_configuration_result ){ .status = why };
}

static void leave_block( void *context, size_t block, dbvh_status why ) {
	leave_from( context, block * BLOCK, end_of_block( context, block ), why );
}

static void one_block( void *context, size_t block, uint32_t thread, dbvhi_share *share ) {
	batch *t = context;
	scratch *d = dbvhi_moving_scratch( &t->moving, thread );
	for ( size_t i = 0; i < t->moving.pair_count; ++i )
		d->order[i] = (uint32_t)i;
	d->met = ( dbvhi_moving_pair ){ 0, 0 };
	const size_t end = end_of_block( t, block );
	for ( size_t i = block * BLOCK; i < end; ++i ) {
		const dbvh_status status = dbvhi_share_next( share );
		if ( status != DBVH_OK ) {
			leave_from( t, i, end, status );
			return;
		}
		check_configuration( t, i, end, d, share, dbvhi_workspace_of( t->scene->workspace, thread ) );
		dbvhi_share_element( share );
	}
}

// ------------------------------------------------------------------------------------------------
// The call

static dbvh_status check_query( const dbvh_scene *scene, const dbvh_configurations_query *q, size_t count,
                                dbvh_error *error ) {
	DBVHI_TRY( dbvhi_check_find( q->find, false, error ) );
	DBVHI_TRY( dbvhi_scene_check_policy( scene, q->policy, error ) );
	DBVHI_TRY( dbvhi_check_range( q->max_distance, INFINITY, "query.max_distance", error ) );
	if ( ( q->pairs == NULL ) != ( q->pair_begin == NULL ) )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "query.pairs and query.pair_begin go together" );
	for ( size_t i = 0; i < count && q->pair_begin != NULL; ++i ) {
		if ( q->pair_begin[i] > q->pair_begin[i + 1] )
			return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "query.pair_begin[%zu] is above the next one", i );
	}
	return dbvhi_moving_check( scene, q->bodies, q->body_count, error );
}

static dbvh_status first_failure( const batch *t, dbvh_error *error ) {
	size_t finished = 0;
	for ( size_t i = 0; i < t->configuration_count; ++i )
		finished += t->results[i].status == DBVH_OK;
	for ( size_t i = 0; i < t->configuration_count; ++i ) {
		const dbvh_status status = t->results[i].status;
		if ( status == DBVH_OK )
			continue;
		if ( error != NULL )
			error->element = (int64_t)i;
		if ( status == DBVH_CANCELLED || status == DBVH_BUDGET_SPENT )
			return dbvhi_error_set( error, status, "%s ended the call: %zu of %zu configurations have an answer",
			                        status == DBVH_CANCELLED ? "a callback" : "the budget", finished,
			                        t->configuration_count );
		for ( size_t k = 0; k < t->moving.body_count; ++k ) {
			dbvh_error detail;
			if ( dbvh_pose_check( &t->poses[i * t->moving.body_count + k], NULL, &detail ) != DBVH_OK )
				return dbvhi_error_set( error, status, "configuration %zu, pose %zu: %s", i, k, detail.text );
		}
		return dbvhi_error_set( error, status, "configuration %zu: %s", i, dbvh_status_text( status ) );
	}
	return DBVH_OK;
}

static dbvh_status run_configurations( batch *t, uint32_t thread_count, size_t found_room, dbvh_error *error ) {
	const dbvh_configurations_query *q = t->query;
	for ( uint32_t i = 0; i < thread_count; ++i ) {
		scratch *d = dbvhi_moving_scratch( &t->moving, i );
		(void)lay_out( d, (char *)d, t->moving.body_count, found_room );
		for ( size_t k = 0; k < lanes_of( t->moving.body_count ); ++k ) {
			// Lanes beyond the last body are those of the first one of the eight.
			const size_t body = k < t->moving.body_count ? k : k / DBVHI_ROOT_LANES * DBVHI_ROOT_LANES;
			const dbvhi_body *moved = &t->scene->bodies[t->moving.bodies[body]];
			dbvhi_root_lane( moved->tree, moved->options.radius, &d->roots[k / DBVHI_ROOT_LANES],
			                 (int)( k % DBVHI_ROOT_LANES ) );
		}
	}
	dbvhi_account account = { .budget = q->budget,
	                          .progress = q->progress,
	                          .user = q->user,
	                          .count = t->configuration_count,
	                          .every = CONFIGURATIONS_BETWEEN_QUESTIONS };
	static const dbvhi_account_work of_blocks = { one_block, leave_block };
	const size_t blocks = ( t->configuration_count + BLOCK - 1 ) / BLOCK;
	const dbvh_status status =
	    dbvhi_account_run( &account, &t->scene->allocator, blocks, 1, thread_count, &of_blocks, t );
	if ( status != DBVH_OK )
		return dbvhi_error_status( error, status );
	return first_failure( t, error );
}

static DBVHI_NOINLINE_FP dbvh_status do_scene_collide_batch( dbvh_scene *scene, const dbvh_pose *poses, size_t count,
                                                             const dbvh_configurations_query *query,
                                                             dbvh_configuration_result *results_out,
                                                             dbvh_error *error ) {
	dbvhi_error_clear( error );
	dbvh_configurations_query q = query != NULL ? *query : dbvh_configurations_query_default();
	DBVHI_TRY( dbvhi_check_given( scene, "scene", error ) );
	if ( count > 0 )
		DBVHI_TRY( dbvhi_check_given( poses, "poses", error ) );
	if ( count > 0 )
		DBVHI_TRY( dbvhi_check_given( results_out, "results_out", error ) );
	if ( count > 0 )
		memset( results_out, 0, count * sizeof *results_out );
	DBVHI_TRY( check_query( scene, &q, count, error ) );
	q.budget = dbvhi_scene_budget( scene, q.budget );
	batch t = { .scene = scene, .query = &q, .poses = poses, .configuration_count = count, .results = results_out };
	dbvh_status status = dbvhi_scene_update_for( scene, q.budget );
	if ( dbvhi_has_results( status ) && status != DBVH_OK )
		leave_from( &t, 0, count, status );
	if ( status != DBVH_OK )
		return dbvhi_error_status( error, status );
	const size_t body_count = q.bodies != NULL ? q.body_count : scene->body_count;
	// Distances grow workspaces as they go, and bodies with a radius are compared by their distances.
	const bool one_alone = ( q.max_distance > 0.0 || scene->rounded_count > 0 ) && scene->has_own_allocator;
	const uint32_t thread_count =
	    one_alone ? 1 : dbvhi_thread_count_for( q.thread_count, ( count + BLOCK - 1 ) / BLOCK );
	size_t found_room = 0;
	for ( size_t i = 0; i < count; ++i )
		found_room = room_of( &q, i ) > found_room ? room_of( &q, i ) : found_room;
	const size_t others = scene->body_count > body_count ? scene->body_count - body_count : 0;
	const size_t most_pairs = body_count * ( body_count - ( body_count > 0 ) ) / 2 + body_count * others;
	found_room = found_room < most_pairs ? found_room : most_pairs;
	scratch measured;
	const size_t scratch_bytes = lay_out( &measured, NULL, body_count, found_room );
	status = dbvhi_moving_begin( &t.moving, scene, q.bodies, body_count, scratch_bytes, false, thread_count, error );
	if ( status == DBVH_OK )
		status = run_configurations( &t, thread_count, found_room, error );
	dbvhi_moving_end( &t.moving );
	return status;
}

dbvh_status dbvh_scene_collide_batch( dbvh_scene *scene, const dbvh_pose *poses, size_t configuration_count,
                                      const dbvh_configurations_query *query, dbvh_configuration_result *results_out,
                                      dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status,
	                        do_scene_collide_batch( scene, poses, configuration_count, query, results_out, error ) );
}
