// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Certified edges in joint space. A pair is free for a piece of time if, in its middle, the two are farther apart than
// their clearance and what they can move in half of it; docs/design/edges.md has the proof. Pieces are halved, the
// earlier half first, and only the pairs that were not free are asked about again. Before that, collisions that a few
// times show are looked for: halving alone is slow where an edge collides.
//
// Edges are handed to threads in blocks that do not know of each other, as in scene/motions.c.

#include "base/fpenv.h"
#include "base/parallel.h"
#include "base/status.h"
#include "math/pose.h"
#include "query/collide/collide.h"
#include "query/common/account.h"
#include "query/common/arguments.h"
#include "query/common/workspace.h"
#include "robot/bounds.h"
#include "scene/moving.h"
#include "scene/rounded.h"

#include <math.h>
#include <string.h>

// Edges that one thread does in a row, whatever their number.
#define BLOCK 16
// A piece is halved at most so often.
#define MOST_HALVINGS 48
// Times at which collisions are looked for before pieces are halved: up to 2^5 - 1, and both ends.
#define MOST_TRIED_LEVELS 5
// Between two of these times a point moves at most this share of the robot's reach, if these are enough.
#define TRIED_STEP 0.06
// CLOSE below this share of the robot's reach, if the query says nothing.
#define STANDARD_TOLERANCE 0x1p-17
// The rounding of a relative pose, against the positions of both and the extents of the bodies (scene/boxes.c has
// 2^-46 for each of the two).
#define RELATIVE_ERROR 0x1p-45
// A computed pose is off the exact one in the middle of a piece, and another at the time that is spoken of.
#define BOTH_WAYS 2.0
#define UP ( 1.0 + 0x1p-40 )

// A pair of attached bodies, by their places among these.
typedef struct own_pair {
	uint32_t a, b;
	uint32_t common; // depth of the deepest link that both hang on; 0: the world
	double clearance, reach;
} own_pair;

// A pair that was not free from the beginning of an edge on.
typedef struct candidate {
	uint32_t a; // place of an attached body
	uint32_t b; // place of another; or, if `stands`, that of a body in thread_scratch.standing
	bool stands;
	double clearance, reach; // between the bodies, and the sum of their radii (scene/rounded.h)
	double speed, error;     // the two come nearer by at most speed in a unit of time; the error of a question
} candidate;

typedef struct standing_body {
	uint32_t body;
	dbvhi_posed_root root;
} standing_body;

// The root volume of an attached body at a time.
typedef struct placed_body {
	double time; // the time that `root` is for; NAN: none
	dbvhi_posed_root root;
} placed_body;

typedef struct frame {
	double begin, half;
	uint32_t level;
	size_t first, count; // its pairs, in thread_scratch.list
} frame;

typedef struct thread_scratch {
	dbvhi_joint_way *ways;
	dbvhi_joint_sweep *sweeps;
	double *row;
	dbvh_pose *links, *poses;
	placed_body *placed;
	double *speeds;           // for each attached body, depth_count numbers: see dbvhi_body_speeds()
	double *reaches, *errors; // for each attached body
	uint32_t *order;          // the own pairs, those that collided last first
	// Arrays that grow.
	candidate *candidates;
	size_t candidate_count, candidate_capacity;
	standing_body *standing;
	size_t standing_count, standing_capacity;
	uint32_t *list; // candidates of the frames
	size_t list_capacity;
} thread_scratch;

typedef struct batch {
	const dbvh_robot *robot;
	dbvh_scene *scene;
	const dbvh_robot_edges_query *query;
	const double *q;
	size_t edge_count;
	dbvhi_moving moving;
	own_pair *pairs;
	size_t pair_count, pair_capacity;
	dbvhi_body_extent *extents;
	uint32_t depth_count;
	dbvh_robot_edge_result *results;
} batch;

// One edge under way.
typedef struct checking {
	const batch *batch;
	thread_scratch *scratch;
	dbvhi_share *share;
	dbvh_workspace *workspace;
	dbvh_robot_edge_result *result;
	const double *from, *to;
	double time; // for which scratch->poses are
	double tolerance;
	double deviation; // bounds that of every pose
	double slack;     // see dbvhi_roots_slack()
	double hit;       // the least time of a collision; INFINITY: none was found
	uint32_t body;    // place of the body whose neighbours are being listed
	dbvh_status status;
	bool is_over;
} checking;

static dbvh_edge edge_of( const batch *t, size_t index ) {
	return t->query->edges != NULL ? t->query->edges[index] : ( dbvh_edge ){ index, index + 1 };
}

static void fail( checking *c, dbvh_status status ) {
	c->status = status;
	c->is_over = true;
}

// ------------------------------------------------------------------------------------------------
// Places

static void go_to( checking *c, double time ) {
	const batch *t = c->batch;
	thread_scratch *d = c->scratch;
	if ( c->time == time )
		return;
	c->time = time;
	dbvhi_robot_row_at( t->robot, t->query->layout, c->from, c->to, d->ways, time, d->row );
	dbvhi_robot_place_links( t->robot, t->query->layout, d->row, d->links );
	dbvhi_robot_place_bodies( t->robot, d->links, d->poses );
}

static const dbvhi_posed_root *root_of( const checking *c, uint32_t place ) {
	placed_body *p = &c->scratch->placed[place];
	if ( p->time != c->time ) {
		double box[DBVHI_BOX_NUMBERS];
		const uint32_t body = c->batch->robot->attached[place].body;
		dbvhi_posed_root_make( c->batch->scene->bodies[body].tree, &c->scratch->poses[place], 0.0, &p->root, box );
		p->time = c->time;
	}
	return &p->root;
}

static const dbvhi_posed_root *other_root( const checking *c, const candidate *pair ) {
	return pair->stands ? &c->scratch->standing[pair->b].root : root_of( c, pair->b );
}

// The distance that the meshes of a pair must have more than. Radii add to it, and to nothing else: points of the
// meshes are what moves.
static double apart_of( const candidate *pair ) {
	return dbvhi_add_up( pair->clearance, pair->reach );
}

// How far apart the meshes must be at the computed poses for a pair to be free for `half` to both sides.
static double needed( const checking *c, const candidate *pair, double half ) {
	return ( apart_of( pair ) + pair->speed * half + pair->error ) * ( 1.0 + 4.0 * c->deviation ) * UP;
}

// Are the roots of a pair certainly farther apart than a distance?
static bool are_roots_apart( const checking *c, const candidate *pair, double distance ) {
	return dbvhi_posed_roots_apart( root_of( c, pair->a ), other_root( c, pair ), distance + c->slack );
}

// ------------------------------------------------------------------------------------------------
// Questions

// Two bodies in the order of their numbers, by which a relative pose is rounded.
typedef struct couple {
	dbvh_body_pair pair;
	const dbvh_tree *tree_a, *tree_b;
	const dbvh_pose *pose_a, *pose_b;
} couple;

static couple couple_of( const checking *c, const candidate *pair ) {
	const batch *t = c->batch;
	const dbvhi_body *bodies = t->scene->bodies;
	const uint32_t a = t->robot->attached[pair->a].body;
	const uint32_t b = pair->stands ? c->scratch->standing[pair->b].body : t->robot->attached[pair->b].body;
	const dbvh_pose *pose_a = &c->scratch->poses[pair->a];
	const dbvh_pose *pose_b = pair->stands ? &bodies[b].pose : &c->scratch->poses[pair->b];
	if ( a < b )
		return ( couple ){ { a, b }, bodies[a].tree, bodies[b].tree, pose_a, pose_b };
	return ( couple ){ { b, a }, bodies[b].tree, bodies[a].tree, pose_b, pose_a };
}

static bool may_ask( checking *c ) {
	const dbvh_status status = dbvhi_share_next( c->share );
	if ( status != DBVH_OK )
		fail( c, status );
	c->result->question_count += status == DBVH_OK;
	return status == DBVH_OK;
}

// Are the two at most so far apart, above 0? True where there is no answer.
static bool are_within( checking *c, const candidate *pair, double distance ) {
	const couple x = couple_of( c, pair );
	dbvh_clearance_query query = { .max_distance = distance };
	dbvh_clearance_result result = { .within = true };
	if ( !may_ask( c ) )
		return true;
	query.budget = c->share->budget;
	const dbvh_status status =
	    dbvh_check_clearance( x.tree_a, x.pose_a, x.tree_b, x.pose_b, &query, c->workspace, &result, NULL );
	if ( status != DBVH_OK )
		fail( c, status );
	return status != DBVH_OK || result.within;
}

// Do the two collide, or keep less than their clearance, at the time that is looked at?
static bool do_collide( checking *c, const candidate *pair ) {
	const double apart = apart_of( pair );
	if ( are_roots_apart( c, pair, dbvhi_stretched( apart, c->deviation ) ) )
		return false;
	if ( apart > 0.0 ) // bodies at exactly their clearance keep it, those that touch collide
		return are_within( c, pair, pair->clearance > 0.0 ? nextafter( apart, 0.0 ) : apart ) && !c->is_over;
	const couple x = couple_of( c, pair );
	dbvh_collide_query query = { .find = DBVH_FIND_ANY };
	dbvh_collide_result result;
	memset( &result, 0, sizeof result );
	if ( !may_ask( c ) )
		return false;
	query.budget = c->share->budget;
	const dbvh_status status = dbvhi_collide( x.tree_a, x.pose_a, x.tree_b, x.pose_b, &query, c->workspace, &result );
	if ( status != DBVH_OK )
		fail( c, status );
	return status == DBVH_OK && result.verdict == DBVH_INTERSECTING;
}

static bool is_free( checking *c, const candidate *pair, double half ) {
	const double distance = needed( c, pair, half );
	return are_roots_apart( c, pair, distance ) || !are_within( c, pair, distance );
}

static void note_pair( checking *c, const candidate *pair, dbvh_robot_verdict verdict, double within ) {
	dbvh_robot_edge_result *out = c->result;
	out->verdict = verdict;
	out->time = c->time;
	out->within = within;
	out->bodies = couple_of( c, pair ).pair;
}

// The pair that collides comes first from now on.
static void put_first( uint32_t *list, size_t at ) {
	const uint32_t met = list[at];
	memmove( list + 1, list, at * sizeof *list );
	list[0] = met;
}

// Looks for a collision at a time, among pairs of the list. Returns whether there is one.
static bool find_collision( checking *c, size_t first, size_t count, double time ) {
	if ( count == 0 )
		return false;
	uint32_t *list = c->scratch->list + first;
	go_to( c, time );
	for ( size_t i = 0; i < count && !c->is_over; ++i ) {
		const candidate *pair = &c->scratch->candidates[list[i]];
		if ( !do_collide( c, pair ) )
			continue;
		note_pair( c, pair, DBVH_ROBOT_VERDICT_COLLIDES, pair->clearance );
		c->hit = time;
		c->is_over = c->batch->query->find == DBVH_FIND_ANY || time == 0.0;
		put_first( list, i );
		return true;
	}
	return false;
}

// ------------------------------------------------------------------------------------------------
// Candidates: pairs that the roots alone do not prove free for the whole edge, seen from its middle.

static void add_candidate( checking *c, const candidate *pair ) {
	thread_scratch *d = c->scratch;
	const dbvh_allocator *a = &c->batch->scene->allocator;
	if ( !dbvhi_grow_array( a, &d->candidates, &d->candidate_capacity, d->candidate_count + 1,
	                        sizeof *d->candidates ) ||
	     !dbvhi_grow_array( a, &d->list, &d->list_capacity, d->candidate_count + 1, sizeof *d->list ) ) {
		fail( c, DBVH_OUT_OF_MEMORY );
		return;
	}
	d->list[d->candidate_count] = (uint32_t)d->candidate_count;
	d->candidates[d->candidate_count++] = *pair;
}

static double sizes_of( const dbvh_pose *pose, const dbvh_tree *tree ) {
	return fabs( pose->pos[0] ) + fabs( pose->pos[1] ) + fabs( pose->pos[2] ) + 2.0 * tree->largest;
}

static void list_own_pairs( checking *c ) {
	const batch *t = c->batch;
	const thread_scratch *d = c->scratch;
	for ( size_t i = 0; i < t->pair_count && !c->is_over; ++i ) {
		const own_pair *own = &t->pairs[d->order[i]];
		candidate pair = {
		    .a = own->a, .b = own->b, .clearance = fmax( own->clearance, t->query->clearance ), .reach = own->reach };
		pair.speed =
		    d->speeds[own->a * t->depth_count + own->common] + d->speeds[own->b * t->depth_count + own->common];
		pair.error = BOTH_WAYS * ( d->errors[own->a] + d->errors[own->b] );
		pair.error += RELATIVE_ERROR * 4.0 * ( d->reaches[own->a] + d->reaches[own->b] );
		if ( !are_roots_apart( c, &pair, needed( c, &pair, 0.5 ) ) )
			add_candidate( c, &pair );
	}
}

static bool list_standing( void *context, uint32_t other ) {
	checking *c = context;
	const batch *t = c->batch;
	thread_scratch *d = c->scratch;
	const uint32_t mine = t->robot->attached[c->body].body;
	dbvh_pair_rule rule;
	if ( t->moving.place[other] != DBVH_NO_BODY || !dbvhi_scene_rule( t->scene, mine, other, &rule ) )
		return true;
	const dbvhi_body *body = &t->scene->bodies[other];
	if ( !dbvhi_grow_array( &t->scene->allocator, &d->standing, &d->standing_capacity, d->standing_count + 1,
	                        sizeof *d->standing ) ) {
		fail( c, DBVH_OUT_OF_MEMORY );
		return false;
	}
	standing_body *place = &d->standing[d->standing_count];
	double box[DBVHI_BOX_NUMBERS];
	place->body = other;
	dbvhi_posed_root_make( body->tree, &body->pose, 0.0, &place->root, box );
	const candidate pair = { .a = c->body,
	                         .b = (uint32_t)d->standing_count++,
	                         .stands = true,
	                         .clearance = fmax( rule.clearance, t->query->clearance ),
	                         .reach = dbvhi_rounded_reach( &t->scene->bodies[mine], body ),
	                         .speed = d->speeds[c->body * t->depth_count],
	                         .error =
	                             BOTH_WAYS * d->errors[c->body] +
	                             RELATIVE_ERROR * ( 4.0 * d->reaches[c->body] + sizes_of( &body->pose, body->tree ) ) };
	if ( !are_roots_apart( c, &pair, needed( c, &pair, 0.5 ) ) )
		add_candidate( c, &pair );
	else
		--d->standing_count;
	return !c->is_over;
}

// The boxes of bodies that stay are grown by half of what rules ask for and by their own radius; this one is grown by
// all that rules ask for, and by its radius.
static void list_standing_pairs( checking *c ) {
	const batch *t = c->batch;
	const thread_scratch *d = c->scratch;
	for ( uint32_t k = 0; k < t->robot->attached_count && t->moving.has_others && !c->is_over; ++k ) {
		const dbvhi_body *body = &t->scene->bodies[t->robot->attached[k].body];
		const double clearance = fmax( t->query->clearance, body->reach );
		const candidate alone = { .clearance = clearance,
		                          .reach = body->options.radius,
		                          .speed = d->speeds[k * t->depth_count],
		                          .error = BOTH_WAYS * d->errors[k] + 4.0 * RELATIVE_ERROR * d->reaches[k] };
		dbvhi_posed_root root;
		double box[DBVHI_BOX_NUMBERS];
		dbvhi_posed_root_make( body->tree, &d->poses[k],
		                       needed( c, &alone, 0.5 ) + RELATIVE_ERROR * t->scene->largest + c->slack, &root, box );
		c->body = k;
		dbvhi_broad_phase_overlaps( &t->scene->phase, box, list_standing, c );
	}
}

// ------------------------------------------------------------------------------------------------
// Pieces of time

// Looks for collisions at the ends and at times that halve the edge again and again. Returns how many levels of pieces
// have been looked at in their middle.
static uint32_t try_times( checking *c, size_t first, size_t count ) {
	const thread_scratch *d = c->scratch;
	double speed = 0.0, reach = 0.0;
	for ( size_t i = 0; i < count; ++i )
		speed = fmax( speed, d->candidates[d->list[first + i]].speed );
	for ( size_t k = 0; k < c->batch->robot->attached_count; ++k )
		reach = fmax( reach, d->reaches[k] );
	uint32_t levels = 1;
	for ( double step = 0.5 * speed; levels < MOST_TRIED_LEVELS && step > TRIED_STEP * reach; ++levels )
		step *= 0.5;
	for ( int end = 1; end >= 0 && !c->is_over; --end )
		if ( end < c->hit )
			(void)find_collision( c, first, count, end );
	for ( uint32_t level = 1; level < levels; ++level ) {
		const double step = ldexp( 1.0, -(int)level );
		for ( double time = 0.5 * step; time < c->hit && time < 1.0 && !c->is_over; time += step )
			(void)find_collision( c, first, count, time );
	}
	return levels;
}

// Ends an edge at a piece that is too short to be halved.
static void end_here( checking *c, const candidate *pair, double within ) {
	if ( c->hit == INFINITY )
		note_pair( c, pair, DBVH_ROBOT_VERDICT_CLOSE, within );
	c->is_over = true;
}

// Asks about the pairs of a piece. Those that are not free come behind its list; returns how many they are. The first
// of them that is as near as the tolerance is *close_out.
static size_t ask_piece( checking *c, const frame *f, const candidate **close_out ) {
	thread_scratch *d = c->scratch;
	const size_t kept_first = f->first + f->count;
	size_t kept = 0;
	*close_out = NULL;
	if ( !dbvhi_grow_array( &c->batch->scene->allocator, &d->list, &d->list_capacity, kept_first + f->count,
	                        sizeof *d->list ) ) {
		fail( c, DBVH_OUT_OF_MEMORY );
		return 0;
	}
	go_to( c, f->begin + f->half );
	for ( size_t i = 0; i < f->count && !c->is_over; ++i ) {
		const uint32_t number = d->list[f->first + i];
		const candidate *pair = &d->candidates[number];
		if ( is_free( c, pair, f->half ) )
			continue;
		d->list[kept_first + kept++] = number;
		if ( pair->speed * f->half <= c->tolerance || f->level >= MOST_HALVINGS )
			*close_out = *close_out != NULL ? *close_out : pair;
	}
	return kept;
}

// The pairs of a piece that were not free: looks for a collision, and puts its halves on the stack, the earlier one on
// top, unless they are too short. *tried is how many levels of pieces have been looked at in their middle.
static void halve( checking *c, const frame *f, size_t kept, const candidate *close, uint32_t *tried, frame *stack,
                   size_t *top ) {
	const size_t first = f->first + f->count;
	const double middle = f->begin + f->half;
	if ( f->level == 0 )
		*tried = try_times( c, first, kept );
	else if ( f->level >= *tried && middle < c->hit )
		(void)find_collision( c, first, kept, middle );
	if ( c->is_over )
		return;
	go_to( c, middle );
	if ( close != NULL ) {
		end_here( c, close, dbvhi_add_up( needed( c, close, f->half ), -close->reach ) );
		return;
	}
	if ( middle < c->hit )
		stack[( *top )++] = ( frame ){ middle, 0.5 * f->half, f->level + 1, first, kept };
	stack[( *top )++] = ( frame ){ f->begin, 0.5 * f->half, f->level + 1, first, kept };
}

// The middle is tried first; other times only if the bounds about the middle are not enough.
static void search( checking *c ) {
	frame stack[MOST_HALVINGS + 2];
	size_t top = 1;
	uint32_t tried = 1;
	stack[0] = ( frame ){ .half = 0.5, .count = c->scratch->candidate_count };
	if ( !c->is_over )
		(void)find_collision( c, 0, stack[0].count, 0.5 );
	while ( top > 0 && !c->is_over ) {
		const frame f = stack[--top];
		const candidate *close = NULL;
		if ( f.begin >= c->hit )
			continue;
		const size_t kept = ask_piece( c, &f, &close );
		if ( c->is_over )
			return;
		if ( kept == 0 )
			c->result->free_until = f.begin + 2.0 * f.half;
		else
			halve( c, &f, kept, close, &tried, stack, &top );
	}
}

// ------------------------------------------------------------------------------------------------
// One edge

static dbvh_status begin_edge( checking *c ) {
	const batch *t = c->batch;
	const dbvh_robot *robot = t->robot;
	const dbvh_robot_layout layout = t->query->layout;
	thread_scratch *d = c->scratch;
	DBVHI_TRY( dbvhi_robot_check_row( robot, layout, c->from ) );
	DBVHI_TRY( dbvhi_robot_check_row( robot, layout, c->to ) );
	for ( size_t i = 0; i < robot->link_count; ++i )
		dbvhi_joint_way_between( &robot->links[i], layout, c->from, c->to, &d->ways[i] );
	DBVHI_TRY( dbvhi_robot_sweeps( robot, layout, c->from, c->to, d->ways, d->sweeps ) );
	double reach = 0.0;
	for ( size_t k = 0; k < robot->attached_count; ++k ) {
		dbvhi_body_speeds( robot, &robot->attached[k], &t->extents[k], d->sweeps, d->speeds + k * t->depth_count,
		                   &d->reaches[k], &d->errors[k] );
		d->placed[k].time = NAN;
		reach = fmax( reach, d->reaches[k] );
		if ( !isfinite( d->reaches[k] + d->speeds[k * t->depth_count] + d->errors[k] ) )
			return DBVH_LIMIT;
	}
	c->tolerance = t->query->tolerance > 0.0 ? t->query->tolerance : STANDARD_TOLERANCE * reach;
	c->deviation = fmax( t->scene->deviation, DBVHI_PLACED_DEVIATION );
	c->slack = dbvhi_roots_slack( c->deviation, 2.0 * t->scene->largest );
	d->candidate_count = d->standing_count = 0;
	return DBVH_OK;
}

static void check_edge( const batch *t, size_t index, thread_scratch *d, dbvhi_share *share,
                        dbvh_workspace *workspace ) {
	dbvh_robot_edge_result *out = &t->results[index];
	const dbvh_edge edge = edge_of( t, index );
	const dbvh_robot_layout layout = t->query->layout;
	*out = ( dbvh_robot_edge_result ){ .verdict = DBVH_ROBOT_VERDICT_CLEAR };
	checking c = { .batch = t,
	               .scratch = d,
	               .share = share,
	               .workspace = workspace,
	               .result = out,
	               .from = dbvhi_robot_row( t->robot, layout, t->q, edge.from ),
	               .to = dbvhi_robot_row( t->robot, layout, t->q, edge.to ),
	               .time = NAN,
	               .hit = INFINITY };
	const dbvh_status status = begin_edge( &c );
	if ( status != DBVH_OK ) {
		*out = ( dbvh_robot_edge_result ){ .verdict = DBVH_ROBOT_VERDICT_UNDECIDED, .status = status };
		return;
	}
	go_to( &c, 0.5 );
	list_own_pairs( &c );
	list_standing_pairs( &c );
	search( &c );
	if ( c.status != DBVH_OK )
		*out = ( dbvh_robot_edge_result ){ .verdict = DBVH_ROBOT_VERDICT_UNDECIDED,
		                                   .free_until = out->free_until,
		                                   .question_count = out->question_count,
		                                   .status = c.status };
	else if ( out->verdict == DBVH_ROBOT_VERDICT_CLEAR )
		out->free_until = out->time = 1.0;
}

// The own pair that collided comes first on the next edge.
static void remember_pair( const batch *t, thread_scratch *d, dbvh_body_pair bodies ) {
	const dbvhi_attached *attached = t->robot->attached;
	for ( size_t i = 0; i < t->pair_count; ++i ) {
		const own_pair *own = &t->pairs[d->order[i]];
		if ( attached[own->a].body == bodies.a && attached[own->b].body == bodies.b ) {
			put_first( d->order, i );
			return;
		}
	}
}

// ------------------------------------------------------------------------------------------------
// Blocks of edges

static size_t end_of_edges( const batch *t, size_t block ) {
	return ( block + 1 ) * BLOCK < t->edge_count ? ( block + 1 ) * BLOCK : t->edge_count;
}

static void leave_edges( batch *t, size_t first, size_t end, dbvh_status why ) {
	for ( size_t i = first; i < end; ++i )
		t->results[i] = ( dbvh_robot_edge_result ){ .verdict = DBVH_ROBOT_VERDICT_UNDECIDED, .status = why };
}

static void leave_edge_block( void *context, size_t block, dbvh_status why ) {
	leave_edges( context, block * BLOCK, end_of_edges( context, block ), why );
}

static void one_edge_block( void *context, size_t block, uint32_t thread, dbvhi_share *share ) {
	batch *t = context;
	thread_scratch *d = dbvhi_moving_scratch( &t->moving, thread );
	for ( size_t i = 0; i < t->pair_count; ++i )
		d->order[i] = (uint32_t)i;
	const size_t end = end_of_edges( t, block );
	for ( size_t i = block * BLOCK; i < end; ++i ) {
		const dbvh_status status = dbvhi_share_next( share );
		if ( status != DBVH_OK ) {
			leave_edges( t, i, end, status );
			return;
		}
		check_edge( t, i, d, share, dbvhi_workspace_of( t->scene->workspace, thread ) );
		if ( t->results[i].verdict == DBVH_ROBOT_VERDICT_COLLIDES )
			remember_pair( t, d, t->results[i].bodies );
		dbvhi_share_element( share );
	}
}

// ------------------------------------------------------------------------------------------------
// The call

// Lays out the arrays of a scratch, which follow it. Returns the bytes that they take.
static size_t lay_out_scratch( thread_scratch *d, char *memory, const batch *t ) {
	const dbvh_robot *robot = t->robot;
	const size_t bodies = robot->attached_count;
	dbvhi_pieces p = { .memory = memory };
	(void)dbvhi_piece( &p, 1, sizeof *d );
	*d = ( thread_scratch ){ .ways = NULL };
	d->ways = dbvhi_piece( &p, robot->link_count, sizeof *d->ways );
	d->sweeps = dbvhi_piece( &p, robot->link_count, sizeof *d->sweeps );
	d->row = dbvhi_piece( &p, robot->width[t->query->layout], sizeof *d->row );
	d->links = dbvhi_piece( &p, robot->link_count, sizeof *d->links );
	d->poses = dbvhi_piece( &p, bodies, sizeof *d->poses );
	d->placed = dbvhi_piece( &p, bodies, sizeof *d->placed );
	d->speeds = dbvhi_piece( &p, bodies * t->depth_count, sizeof *d->speeds );
	d->reaches = dbvhi_piece( &p, bodies, sizeof *d->reaches );
	d->errors = dbvhi_piece( &p, bodies, sizeof *d->errors );
	d->order = dbvhi_piece( &p, t->pair_count, sizeof *d->order );
	return p.bytes;
}

static void free_scratch( const dbvh_allocator *a, const thread_scratch *d ) {
	dbvhi_free( a, d->candidates, d->candidate_capacity, sizeof *d->candidates );
	dbvhi_free( a, d->standing, d->standing_capacity, sizeof *d->standing );
	dbvhi_free( a, d->list, d->list_capacity, sizeof *d->list );
}

static uint32_t common_depth( const dbvh_robot *robot, uint32_t a, uint32_t b ) {
	while ( a != b ) {
		const bool a_is_deeper =
		    b == DBVH_NO_LINK || ( a != DBVH_NO_LINK && robot->links[a].depth >= robot->links[b].depth );
		if ( a_is_deeper )
			a = robot->links[a].parent;
		else
			b = robot->links[b].parent;
	}
	return a == DBVH_NO_LINK ? 0 : robot->links[a].depth;
}

static dbvh_status list_pairs_of_robot( batch *t, dbvh_error *error ) {
	const dbvh_robot *robot = t->robot;
	const dbvhi_attached *attached = robot->attached;
	for ( size_t a = 0; a < robot->attached_count; ++a ) {
		for ( size_t b = a + 1; b < robot->attached_count; ++b ) {
			dbvh_pair_rule rule;
			if ( !dbvhi_scene_rule( t->scene, attached[a].body, attached[b].body, &rule ) )
				continue;
			if ( !dbvhi_grow_array( &t->scene->allocator, &t->pairs, &t->pair_capacity, t->pair_count + 1,
			                        sizeof *t->pairs ) )
				return dbvhi_error_status( error, DBVH_OUT_OF_MEMORY );
			t->pairs[t->pair_count++] =
			    ( own_pair ){ .a = (uint32_t)a,
			                  .b = (uint32_t)b,
			                  .common = common_depth( robot, attached[a].link, attached[b].link ),
			                  .clearance = rule.clearance,
			                  .reach = dbvhi_rounded_reach( &t->scene->bodies[attached[a].body],
			                                                &t->scene->bodies[attached[b].body] ) };
		}
	}
	return DBVH_OK;
}

// Make what all edges share: the pairs, and the extents of bodies.
static dbvh_status prepare( batch *t, uint32_t *bodies, dbvh_error *error ) {
	const dbvh_robot *robot = t->robot;
	for ( size_t k = 0; k < robot->attached_count; ++k ) {
		const dbvhi_attached *attached = &robot->attached[k];
		const dbvhi_link *link = &robot->links[attached->link];
		bodies[k] = attached->body;
		t->depth_count = link->depth + 1 > t->depth_count ? link->depth + 1 : t->depth_count;
		t->extents[k] = dbvhi_body_extent_of( link, attached, t->scene->bodies[attached->body].tree );
	}
	return list_pairs_of_robot( t, error );
}

static dbvh_status first_failed_edge( const batch *t, dbvh_error *error ) {
	for ( size_t i = 0; i < t->edge_count; ++i ) {
		const dbvh_status status = t->results[i].status;
		if ( status == DBVH_OK )
			continue;
		const char *why = status == DBVH_LIMIT        ? "an angle is above 2^20, or a length is too large"
		                  : status == DBVH_NOT_FINITE ? "a configuration has a number that is NaN or infinite"
		                  : status == DBVH_NOT_RIGID
		                      ? "a configuration has a quaternion, or a cosine with its sine, that is not of length 1"
		                      : dbvh_status_text( status );
		dbvhi_error_set( error, status, "edge %zu: %s", i, why );
		if ( error != NULL )
			error->element = (int64_t)i;
		return status;
	}
	return DBVH_OK;
}

static dbvh_status run_edges( batch *t, uint32_t thread_count, dbvh_error *error ) {
	for ( uint32_t i = 0; i < thread_count; ++i ) {
		thread_scratch *d = dbvhi_moving_scratch( &t->moving, i );
		(void)lay_out_scratch( d, (char *)d, t );
	}
	dbvhi_account account = { .budget = t->query->budget,
	                          .progress = t->query->progress,
	                          .user = t->query->user,
	                          .count = t->edge_count,
	                          .every = 1 };
	static const dbvhi_account_work of_blocks = { one_edge_block, leave_edge_block };
	const dbvh_status status = dbvhi_account_run( &account, &t->scene->allocator, ( t->edge_count + BLOCK - 1 ) / BLOCK,
	                                              1, thread_count, &of_blocks, t );
	for ( uint32_t i = 0; i < thread_count; ++i )
		free_scratch( &t->scene->allocator, dbvhi_moving_scratch( &t->moving, i ) );
	return status == DBVH_OK ? first_failed_edge( t, error ) : dbvhi_error_status( error, status );
}

// Memory grows as the search goes on: with an allocator of the caller's it stays on the calling thread.
static dbvh_status run( batch *t, uint32_t *bodies, dbvh_error *error ) {
	const size_t blocks = ( t->edge_count + BLOCK - 1 ) / BLOCK;
	const uint32_t thread_count =
	    t->scene->has_own_allocator ? 1 : dbvhi_thread_count_for( t->query->thread_count, blocks );
	thread_scratch measured;
	DBVHI_TRY( prepare( t, bodies, error ) );
	dbvh_status status = dbvhi_moving_begin( &t->moving, t->scene, bodies, t->robot->attached_count,
	                                         lay_out_scratch( &measured, NULL, t ), false, thread_count, error );
	if ( status == DBVH_OK )
		status = run_edges( t, thread_count, error );
	dbvhi_moving_end( &t->moving );
	return status;
}

static dbvh_status check_edges( const dbvh_robot_edges_query *q, size_t configurations, dbvh_error *error ) {
	DBVHI_TRY( dbvhi_check_find( q->find, true, error ) );
	if ( q->find == DBVH_FIND_ALL )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT,
		                        "query.find is DBVH_FIND_ALL: edges end at one collision" );
	DBVHI_TRY( dbvhi_check_range( q->clearance, 0x1p500, "query.clearance", error ) );
	DBVHI_TRY( dbvhi_check_range( q->tolerance, 0x1p500, "query.tolerance", error ) );
	for ( size_t i = 0; i < q->edge_count && q->edges != NULL; ++i ) {
		if ( q->edges[i].from >= configurations || q->edges[i].to >= configurations )
			return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT,
			                        "query.edges[%zu] names a configuration that is not there: there are %zu", i,
			                        configurations );
	}
	return DBVH_OK;
}

static DBVHI_NOINLINE_FP dbvh_status do_robot_edge_batch( const dbvh_robot *robot, dbvh_scene *scene, const double *q,
                                                          size_t configuration_count,
                                                          const dbvh_robot_edges_query *query,
                                                          dbvh_robot_edge_result *results_out, dbvh_error *error ) {
	dbvhi_error_clear( error );
	dbvh_robot_edges_query asked = query != NULL ? *query : dbvh_robot_edges_query_default();
	const size_t count = asked.edges != NULL ? asked.edge_count : configuration_count > 0 ? configuration_count - 1 : 0;
	DBVHI_TRY( dbvhi_robot_check_layout( robot, asked.layout, error ) );
	DBVHI_TRY( dbvhi_check_given( scene, "scene", error ) );
	if ( count == 0 )
		return DBVH_OK;
	DBVHI_TRY( dbvhi_check_given( results_out, "results_out", error ) );
	batch t = { .robot = robot, .scene = scene, .query = &asked, .q = q, .edge_count = count, .results = results_out };
	leave_edges( &t, 0, count, DBVH_OK );
	if ( robot->width[asked.layout] > 0 )
		DBVHI_TRY( dbvhi_check_given( q, "q", error ) );
	DBVHI_TRY( check_edges( &asked, configuration_count, error ) );
	DBVHI_TRY( dbvhi_robot_check_attached( robot, scene, error ) );
	asked.budget = dbvhi_scene_budget( scene, asked.budget );
	dbvh_status status = dbvhi_scene_update_for( scene, asked.budget );
	if ( status != DBVH_OK ) {
		leave_edges( &t, 0, count, status );
		return dbvhi_error_status( error, status );
	}
	const size_t bodies = robot->attached_count;
	uint32_t *numbers = dbvhi_alloc( &scene->allocator, bodies + 1, sizeof *numbers );
	t.extents = dbvhi_alloc( &scene->allocator, bodies + 1, sizeof *t.extents );
	status = numbers != NULL && t.extents != NULL ? run( &t, numbers, error )
	                                              : dbvhi_error_status( error, DBVH_OUT_OF_MEMORY );
	dbvhi_free( &scene->allocator, numbers, bodies + 1, sizeof *numbers );
	dbvhi_free( &scene->allocator, t.extents, bodies + 1, sizeof *t.extents );
	dbvhi_free( &scene->allocator, t.pairs, t.pair_capacity, sizeof *t.pairs );
	return status;
}

dbvh_status dbvh_robot_edge_batch( const dbvh_robot *robot, dbvh_scene *scene, const double *q,
                                   size_t configuration_count, const dbvh_robot_edges_query *query,
                                   dbvh_robot_edge_result *results_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status,
	                        do_robot_edge_batch( robot, scene, q, configuration_count, query, results_out, error ) );
}
