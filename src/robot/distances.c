// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Distances of pairs of bodies in many configurations. In each the pairs that may matter by their boxes are listed and
// put in order: by their numbers where all that are nearer than a margin are wanted, by the gaps of their boxes where
// the nearest is. Configurations do not know of each other, so nothing depends on which thread does which.

#include "base/fpenv.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "base/status.h"
#include "query/common/account.h"
#include "query/common/arguments.h"
#include "query/common/workspace.h"
#include "robot/robot.h"
#include "scene/moving.h"
#include "scene/rounded.h"

#include <math.h>
#include <string.h>

// Configurations that one thread does in a row, whatever their number.
#define DISTANCE_BLOCK 32

// Scratch memory of one thread.
typedef struct measuring_scratch {
	dbvh_pose *links, *poses;
	dbvhi_posed_root *roots; // of the attached bodies
	double *boxes;
	uint64_t *sweep_keys;
	// Pairs that may matter, by their numbers, and the keys that order them; they grow.
	dbvh_body_pair *pairs;
	uint64_t *keys;
	size_t pair_count, pair_capacity, key_capacity;
} measuring_scratch;

typedef struct measuring_batch {
	const dbvh_robot *robot;
	dbvh_scene *scene;
	const dbvh_robot_distances_query *query;
	const double *q;
	size_t count;
	dbvhi_moving moving;
	double largest_margin; // of any pair of an attached body
	dbvh_robot_distances_result *results;
} measuring_batch;

// One configuration under way.
typedef struct measuring {
	const measuring_batch *batch;
	measuring_scratch *scratch;
	dbvhi_share *share;
	dbvh_workspace *workspace;
	dbvh_robot_distances_result *result;
	dbvh_robot_distance *room; // the caller's, for `room_count` pairs
	size_t room_count;
	double deviation; // bounds that of every pose
	double slack;     // see dbvhi_roots_slack()
	double reach;     // CLOSEST: pairs farther apart than this do not matter
	uint32_t body;    // place of the attached body whose neighbours are being listed
	bool is_over;
} measuring;

static bool wants_closest( const measuring *m ) {
	return m->batch->query->find == DBVH_FIND_CLOSEST;
}

static bool is_lower_pair( dbvh_body_pair x, dbvh_body_pair y ) {
	return x.a != y.a ? x.a < y.a : x.b < y.b;
}

static void end_with( measuring *m, dbvh_status status ) {
	m->result->status = status;
	m->is_over = true;
}

// ------------------------------------------------------------------------------------------------
// One pair

typedef struct posed_body {
	const dbvh_pose *pose;
	dbvhi_posed_root root;
} posed_body;

static void root_at( const measuring *m, uint32_t body, const dbvh_pose *pose, dbvhi_posed_root *out,
                     double box_out[DBVHI_BOX_NUMBERS] ) {
	const dbvhi_body *b = &m->batch->scene->bodies[body];
	dbvhi_posed_root_make( b->tree, pose, dbvhi_stretched( b->options.radius, m->deviation ) + m->slack, out, box_out );
}

static posed_body posed_body_of( const measuring *m, uint32_t body ) {
	const measuring_batch *t = m->batch;
	const uint32_t place = t->moving.place[body];
	if ( place != DBVH_NO_BODY )
		return ( posed_body ){ &m->scratch->poses[place], m->scratch->roots[place] };
	posed_body standing = { .pose = &t->scene->bodies[body].pose };
	double box[DBVHI_BOX_NUMBERS];
	root_at( m, body, standing.pose, &standing.root, box );
	return standing;
}

// The distance of a pair, if it is at most `reach`. Where nothing but a collision matters, that is looked for first.
static dbvh_status measure_pair( measuring *m, const dbvhi_rounded_pair *of, double reach,
                                 dbvh_distance_result *result ) {
	memset( result, 0, sizeof *result );
	DBVHI_TRY( dbvhi_share_next( m->share ) );
	if ( reach == 0.0 ) {
		const dbvh_collide_query any = { .find = DBVH_FIND_ANY, .budget = m->share->budget };
		dbvh_collide_result met;
		DBVHI_TRY( dbvhi_rounded_collide( of, &any, m->workspace, &met ) );
		if ( met.verdict != DBVH_INTERSECTING )
			return DBVH_OK;
		DBVHI_TRY( dbvhi_share_next( m->share ) );
	}
	const dbvh_distance_query query = { .limit = isfinite( reach ) ? reach : 0.0, .budget = m->share->budget };
	return dbvhi_rounded_distance( of, &query, m->workspace, result, NULL );
}

// A vector of length 1, or of length 0.
static void unit_of( const double v[3], double out[3] ) {
	const double largest = fmax( fabs( v[0] ), fmax( fabs( v[1] ), fabs( v[2] ) ) );
	const bool is_direction = largest > 0.0 && isfinite( largest );
	double scaled[3], square = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		scaled[k] = is_direction ? v[k] / largest : 0.0;
		square += scaled[k] * scaled[k];
	}
	for ( int k = 0; k < 3; ++k )
		out[k] = is_direction ? scaled[k] / sqrt( square ) : 0.0;
}

static void keep_measured( measuring *m, const dbvh_robot_distance *measured ) {
	dbvh_robot_distances_result *out = m->result;
	const dbvh_robot_distance *nearest = &out->nearest;
	if ( !out->found || measured->distance < nearest->distance ||
	     ( measured->distance == nearest->distance && is_lower_pair( measured->bodies, nearest->bodies ) ) )
		out->nearest = *measured;
	out->found = true;
	if ( wants_closest( m ) ) {
		out->pair_count = 1;
		m->reach = out->nearest.distance;
		return;
	}
	if ( out->written_count < m->room_count )
		m->room[out->written_count++] = *measured;
	out->pair_count += 1;
	m->is_over = m->batch->query->find == DBVH_FIND_ANY;
}

// Does a distance matter that has been found for a pair?
static bool is_wanted( const measuring *m, double distance, double margin ) {
	if ( wants_closest( m ) )
		return distance <= m->reach;
	return distance < margin || distance == 0.0;
}

static void ask_near_pair( measuring *m, dbvh_body_pair pair ) {
	const dbvh_scene *scene = m->batch->scene;
	dbvh_pair_rule rule;
	(void)dbvhi_scene_rule( scene, pair.a, pair.b, &rule );
	const double margin = fmax( rule.clearance, m->batch->query->margin );
	const double reach = wants_closest( m ) ? m->reach : margin;
	if ( wants_closest( m ) && reach == 0.0 && m->result->found && !is_lower_pair( pair, m->result->nearest.bodies ) )
		return;
	const posed_body a = posed_body_of( m, pair.a ), b = posed_body_of( m, pair.b );
	if ( dbvhi_posed_roots_apart( &a.root, &b.root, dbvhi_stretched( reach, m->deviation ) ) )
		return;
	dbvhi_rounded_pair of = dbvhi_rounded_pair_of( &scene->bodies[pair.a], &scene->bodies[pair.b] );
	of.pose_a = a.pose;
	of.pose_b = b.pose;
	dbvh_distance_result result;
	const dbvh_status status = measure_pair( m, &of, reach, &result );
	if ( status != DBVH_OK ) {
		// A pair that has spent its budget leaves the other pairs theirs.
		end_with( m, status );
		m->is_over = status != DBVH_BUDGET_SPENT;
	}
	if ( !dbvhi_has_results( status ) || !result.found || !is_wanted( m, result.distance, margin ) )
		return;
	dbvh_robot_distance measured = {
	    .bodies = pair, .distance = result.distance, .margin = margin, .triangles = result.pair };
	memcpy( measured.point_a, result.point_a, sizeof measured.point_a );
	memcpy( measured.point_b, result.point_b, sizeof measured.point_b );
	if ( result.distance > 0.0 )
		unit_of( result.between, measured.normal );
	keep_measured( m, &measured );
}

// ------------------------------------------------------------------------------------------------
// The pairs that may matter

// How far apart the boxes of two bodies are.
static double gap_of_boxes( const double *a, const double *b ) {
	double square = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		const double gap = fmax( a[k] - b[3 + k], b[k] - a[3 + k] );
		square += gap > 0.0 ? gap * gap : 0.0;
	}
	return sqrt( square );
}

static uint64_t key_of_gap( double gap, size_t index ) {
	const float rounded = (float)gap;
	uint32_t bits;
	memcpy( &bits, &rounded, sizeof bits );
	return (uint64_t)bits << 32 | (uint32_t)index;
}

static bool are_boxes_within( const double *a, const double *b, double distance ) {
	for ( int k = 0; k < 3; ++k ) {
		if ( a[k] - b[3 + k] > distance || b[k] - a[3 + k] > distance )
			return false;
	}
	return true;
}

// How far apart the boxes of a pair may be.
static double box_reach( const measuring *m ) {
	return dbvhi_stretched( wants_closest( m ) ? m->reach : m->batch->largest_margin, m->deviation );
}

static bool list_near_pair( measuring *m, uint32_t x, const double *box_x, uint32_t y, const double *box_y ) {
	measuring_scratch *d = m->scratch;
	const dbvh_allocator *allocator = &m->batch->scene->allocator;
	const size_t n = d->pair_count;
	if ( !are_boxes_within( box_x, box_y, box_reach( m ) ) )
		return true;
	if ( !dbvhi_grow_array( allocator, &d->pairs, &d->pair_capacity, n + 1, sizeof *d->pairs ) ||
	     !dbvhi_grow_array( allocator, &d->keys, &d->key_capacity, n + 1, sizeof *d->keys ) ) {
		end_with( m, DBVH_OUT_OF_MEMORY );
		return false;
	}
	const dbvh_body_pair pair = { x < y ? x : y, x < y ? y : x };
	d->pairs[n] = pair;
	d->keys[n] = wants_closest( m ) ? key_of_gap( gap_of_boxes( box_x, box_y ), n ) : (uint64_t)pair.a << 32 | pair.b;
	d->pair_count += 1;
	return true;
}

static bool list_attached_pair( void *context, const dbvhi_moving_pair *pair ) {
	measuring *m = context;
	const double *boxes = m->scratch->boxes;
	const uint32_t *bodies = m->batch->moving.bodies;
	return list_near_pair( m, bodies[pair->a], boxes + DBVHI_BOX_NUMBERS * (size_t)pair->a, bodies[pair->b],
	                       boxes + DBVHI_BOX_NUMBERS * (size_t)pair->b );
}

static void list_attached_pairs( measuring *m ) {
	const dbvhi_moving *moving = &m->batch->moving;
	if ( moving->is_listed ) {
		for ( size_t i = 0; i < moving->pair_count && !m->is_over; ++i )
			(void)list_attached_pair( m, &moving->pairs[i] );
		return;
	}
	const double reach = box_reach( m );
	dbvhi_moving_sweep( moving, m->scratch->boxes, DBVHI_BOX_NUMBERS, &reach, m->scratch->sweep_keys,
	                    list_attached_pair, m );
}

static bool list_neighbour( void *context, uint32_t other ) {
	measuring *m = context;
	const measuring_batch *t = m->batch;
	const uint32_t mine = t->moving.bodies[m->body];
	dbvh_pair_rule rule;
	if ( t->moving.place[other] != DBVH_NO_BODY || !dbvhi_scene_rule( t->scene, mine, other, &rule ) )
		return true;
	return list_near_pair( m, mine, m->scratch->boxes + DBVHI_BOX_NUMBERS * (size_t)m->body, other,
	                       t->scene->phase.boxes + DBVHI_BOX_NUMBERS * (size_t)other );
}

static void list_neighbours( measuring *m ) {
	const measuring_batch *t = m->batch;
	const double reach = box_reach( m );
	for ( uint32_t k = 0; k < t->robot->attached_count && t->moving.has_others && !m->is_over; ++k ) {
		const double *own = m->scratch->boxes + DBVHI_BOX_NUMBERS * (size_t)k;
		double box[DBVHI_BOX_NUMBERS];
		for ( int i = 0; i < 3; ++i ) {
			box[i] = own[i] - reach;
			box[3 + i] = own[3 + i] + reach;
		}
		m->body = k;
		dbvhi_broad_phase_overlaps( &t->scene->phase, box, list_neighbour, m );
	}
}

static void ask_listed( measuring *m ) {
	measuring_scratch *d = m->scratch;
	if ( d->pair_count > 0 )
		dbvhi_sort_u64( d->keys, d->pair_count );
	for ( size_t i = 0; i < d->pair_count && !m->is_over; ++i ) {
		const uint64_t key = d->keys[i];
		ask_near_pair( m, wants_closest( m ) ? d->pairs[(uint32_t)key]
		                                     : ( dbvh_body_pair ){ (uint32_t)( key >> 32 ), (uint32_t)key } );
	}
	d->pair_count = 0;
}

// How large the robot is.
static double extent_of_robot( const measuring *m ) {
	double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
	for ( size_t i = 0; i < m->batch->robot->attached_count; ++i ) {
		const double *box = m->scratch->boxes + DBVHI_BOX_NUMBERS * i;
		for ( int k = 0; k < 3; ++k ) {
			low[k] = fmin( low[k], box[k] );
			high[k] = fmax( high[k], box[3 + k] );
		}
	}
	return ( high[0] - low[0] ) + ( high[1] - low[1] ) + ( high[2] - low[2] );
}

// The nearest pair: the robot's own first, since they bound how far the rest is looked for. Without any, bodies that
// are no farther than the robot is large are looked for before all are.
static void find_closest( measuring *m ) {
	list_attached_pairs( m );
	ask_listed( m );
	if ( m->reach == INFINITY ) {
		m->reach = extent_of_robot( m );
		list_neighbours( m );
		ask_listed( m );
		if ( m->is_over || m->result->found )
			return;
		m->reach = INFINITY;
	}
	list_neighbours( m );
	ask_listed( m );
}

// ------------------------------------------------------------------------------------------------
// One configuration

static dbvh_status pose_bodies( measuring *m, const double *row ) {
	const measuring_batch *t = m->batch;
	measuring_scratch *d = m->scratch;
	DBVHI_TRY( dbvhi_robot_check_row( t->robot, t->query->layout, row ) );
	dbvhi_robot_place_links( t->robot, t->query->layout, row, d->links );
	dbvhi_robot_place_bodies( t->robot, d->links, d->poses );
	for ( size_t k = 0; k < t->robot->attached_count; ++k )
		root_at( m, t->moving.bodies[k], &d->poses[k], &d->roots[k], d->boxes + DBVHI_BOX_NUMBERS * k );
	return DBVH_OK;
}

static void measure_configuration( const measuring_batch *t, size_t index, measuring_scratch *d, dbvhi_share *share,
                                   dbvh_workspace *workspace ) {
	const dbvh_robot_distances_query *query = t->query;
	dbvh_robot_distances_result *out = &t->results[index];
	memset( out, 0, sizeof *out );
	measuring m = { .batch = t,
	                .scratch = d,
	                .share = share,
	                .workspace = workspace,
	                .result = out,
	                .deviation = fmax( t->scene->deviation, DBVHI_PLACED_DEVIATION ),
	                .reach = query->limit > 0.0 ? query->limit : INFINITY };
	m.slack = dbvhi_roots_slack( m.deviation, 2.0 * t->scene->largest );
	if ( query->distances != NULL && query->find == DBVH_FIND_ALL ) {
		m.room = query->distances + query->distance_begin[index];
		m.room_count = query->distance_begin[index + 1] - query->distance_begin[index];
	}
	out->status = pose_bodies( &m, dbvhi_robot_row( t->robot, query->layout, t->q, index ) );
	if ( out->status != DBVH_OK )
		return;
	d->pair_count = 0;
	if ( wants_closest( &m ) ) {
		find_closest( &m );
	} else {
		list_attached_pairs( &m );
		list_neighbours( &m );
		ask_listed( &m );
	}
	// One pair is enough, whatever others would have needed.
	if ( out->found && query->find == DBVH_FIND_ANY && dbvhi_has_results( out->status ) )
		out->status = DBVH_OK;
	if ( !dbvhi_has_results( out->status ) )
		*out = ( dbvh_robot_distances_result ){ .status = out->status };
}

// ------------------------------------------------------------------------------------------------
// Blocks of configurations

static size_t end_of_measured( const measuring_batch *t, size_t block ) {
	return ( block + 1 ) * DISTANCE_BLOCK < t->count ? ( block + 1 ) * DISTANCE_BLOCK : t->count;
}

static void leave_configurations( measuring_batch *t, size_t first, size_t end, dbvh_status why ) {
	for ( size_t i = first; i < end; ++i )
		t->results[i] = ( dbvh_robot_distances_result ){ .status = why };
}

static void leave_measured_block( void *context, size_t block, dbvh_status why ) {
	leave_configurations( context, block * DISTANCE_BLOCK, end_of_measured( context, block ), why );
}

static void one_measured_block( void *context, size_t block, uint32_t thread, dbvhi_share *share ) {
	measuring_batch *t = context;
	const size_t end = end_of_measured( t, block );
	for ( size_t i = block * DISTANCE_BLOCK; i < end; ++i ) {
		const dbvh_status status = dbvhi_share_next( share );
		if ( status != DBVH_OK ) {
			leave_configurations( t, i, end, status );
			return;
		}
		measure_configuration( t, i, dbvhi_moving_scratch( &t->moving, thread ), share,
		                       dbvhi_workspace_of( t->scene->workspace, thread ) );
		dbvhi_share_element( share );
	}
}

// ------------------------------------------------------------------------------------------------
// The call

// Lay out the arrays of a scratch, which follow it. Returns the bytes that they take.
static size_t lay_out_measuring( measuring_scratch *d, char *memory, const dbvh_robot *robot ) {
	const size_t bodies = robot->attached_count;
	dbvhi_pieces p = { .memory = memory };
	(void)dbvhi_piece( &p, 1, sizeof *d );
	*d = ( measuring_scratch ){ .links = NULL };
	d->links = dbvhi_piece( &p, robot->link_count, sizeof *d->links );
	d->poses = dbvhi_piece( &p, bodies, sizeof *d->poses );
	d->roots = dbvhi_piece( &p, bodies, sizeof *d->roots );
	d->boxes = dbvhi_piece( &p, DBVHI_BOX_NUMBERS * bodies, sizeof *d->boxes );
	d->sweep_keys = dbvhi_piece( &p, bodies, sizeof *d->sweep_keys );
	return p.bytes;
}

static void free_measuring( const dbvh_allocator *a, const measuring_scratch *d ) {
	dbvhi_free( a, d->pairs, d->pair_capacity, sizeof *d->pairs );
	dbvhi_free( a, d->keys, d->key_capacity, sizeof *d->keys );
}

static dbvh_status first_unmeasured( const measuring_batch *t, dbvh_error *error ) {
	for ( size_t i = 0; i < t->count; ++i ) {
		const dbvh_status status = t->results[i].status;
		if ( status == DBVH_NOT_FINITE || status == DBVH_NOT_RIGID )
			return dbvhi_robot_blame_row( status, i, error );
		if ( status == DBVH_OK )
			continue;
		dbvhi_error_set( error, status, "configuration %zu: %s", i, dbvh_status_text( status ) );
		if ( error != NULL )
			error->element = (int64_t)i;
		return status;
	}
	return DBVH_OK;
}

static dbvh_status measure_all( measuring_batch *t, uint32_t thread_count, dbvh_error *error ) {
	for ( uint32_t i = 0; i < thread_count; ++i ) {
		measuring_scratch *d = dbvhi_moving_scratch( &t->moving, i );
		(void)lay_out_measuring( d, (char *)d, t->robot );
	}
	dbvhi_account account = { .budget = t->query->budget,
	                          .progress = t->query->progress,
	                          .user = t->query->user,
	                          .count = t->count,
	                          .every = 1 };
	static const dbvhi_account_work of_blocks = { one_measured_block, leave_measured_block };
	const size_t blocks = ( t->count + DISTANCE_BLOCK - 1 ) / DISTANCE_BLOCK;
	const dbvh_status status =
	    dbvhi_account_run( &account, &t->scene->allocator, blocks, 1, thread_count, &of_blocks, t );
	for ( uint32_t i = 0; i < thread_count; ++i )
		free_measuring( &t->scene->allocator, dbvhi_moving_scratch( &t->moving, i ) );
	return status == DBVH_OK ? first_unmeasured( t, error ) : dbvhi_error_status( error, status );
}

static double largest_margin_of( const measuring_batch *t, const uint32_t *bodies ) {
	double largest = t->query->margin;
	for ( size_t k = 0; k < t->robot->attached_count; ++k )
		largest = fmax( largest, t->scene->bodies[bodies[k]].reach );
	return largest;
}

// note: lists of pairs grow, so an allocator of the caller's stays on the calling thread.
static dbvh_status run_measuring( measuring_batch *t, uint32_t *bodies, dbvh_error *error ) {
	const size_t count = t->robot->attached_count, blocks = ( t->count + DISTANCE_BLOCK - 1 ) / DISTANCE_BLOCK;
	const uint32_t thread_count =
	    t->scene->has_own_allocator ? 1 : dbvhi_thread_count_for( t->query->thread_count, blocks );
	for ( size_t k = 0; k < count; ++k )
		bodies[k] = t->robot->attached[k].body;
	t->largest_margin = largest_margin_of( t, bodies );
	measuring_scratch measured;
	const size_t bytes = lay_out_measuring( &measured, NULL, t->robot );
	dbvh_status status = dbvhi_moving_begin( &t->moving, t->scene, bodies, count, bytes, false, thread_count, error );
	if ( status == DBVH_OK )
		status = measure_all( t, thread_count, error );
	dbvhi_moving_end( &t->moving );
	return status;
}

static dbvh_status check_distances( const dbvh_robot_distances_query *q, size_t count, dbvh_error *error ) {
	DBVHI_TRY( dbvhi_check_find( q->find, true, error ) );
	DBVHI_TRY( dbvhi_check_range( q->margin, 0x1p500, "query.margin", error ) );
	DBVHI_TRY( dbvhi_check_range( q->limit, INFINITY, "query.limit", error ) );
	if ( ( q->distances == NULL ) != ( q->distance_begin == NULL ) )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "query.distances and query.distance_begin go together" );
	for ( size_t i = 0; i < count && q->distance_begin != NULL; ++i ) {
		if ( q->distance_begin[i] > q->distance_begin[i + 1] )
			return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "query.distance_begin[%zu] is above the next one",
			                        i );
	}
	return DBVH_OK;
}

dbvh_robot_distances_query dbvh_robot_distances_query_default( void ) {
	return ( dbvh_robot_distances_query ){ .find = DBVH_FIND_ANY };
}

static DBVHI_NOINLINE_FP dbvh_status do_robot_distance_batch( const dbvh_robot *robot, dbvh_scene *scene,
                                                              const double *q, size_t count,
                                                              const dbvh_robot_distances_query *query,
                                                              dbvh_robot_distances_result *results_out,
                                                              dbvh_error *error ) {
	dbvhi_error_clear( error );
	dbvh_robot_distances_query asked = query != NULL ? *query : dbvh_robot_distances_query_default();
	DBVHI_TRY( dbvhi_robot_check_layout( robot, asked.layout, error ) );
	DBVHI_TRY( dbvhi_check_given( scene, "scene", error ) );
	if ( count == 0 )
		return DBVH_OK;
	DBVHI_TRY( dbvhi_check_given( results_out, "results_out", error ) );
	measuring_batch t = {
	    .robot = robot, .scene = scene, .query = &asked, .q = q, .count = count, .results = results_out };
	leave_configurations( &t, 0, count, DBVH_OK );
	if ( robot->width[asked.layout] > 0 )
		DBVHI_TRY( dbvhi_check_given( q, "q", error ) );
	DBVHI_TRY( check_distances( &asked, count, error ) );
	DBVHI_TRY( dbvhi_robot_check_attached( robot, scene, error ) );
	asked.budget = dbvhi_scene_budget( scene, asked.budget );
	dbvh_status status = dbvhi_scene_update_for( scene, asked.budget );
	if ( status != DBVH_OK ) {
		leave_configurations( &t, 0, count, status );
		return dbvhi_error_status( error, status );
	}
	const size_t room = robot->attached_count + 1;
	uint32_t *bodies = dbvhi_alloc( &scene->allocator, room, sizeof *bodies );
	status = bodies != NULL ? run_measuring( &t, bodies, error ) : dbvhi_error_status( error, DBVH_OUT_OF_MEMORY );
	dbvhi_free( &scene->allocator, bodies, room, sizeof *bodies );
	return status;
}

dbvh_status dbvh_robot_distance_batch( const dbvh_robot *robot, dbvh_scene *scene, const double *q, size_t count,
                                       const dbvh_robot_distances_query *query,
                                       dbvh_robot_distances_result *results_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_robot_distance_batch( robot, scene, q, count, query, results_out, error ) );
}
