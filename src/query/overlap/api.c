// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "base/fpenv.h"
#include "base/status.h"
#include "exact/tri_tri.h"
#include "query/common/arguments.h"
#include "query/overlap/overlap.h"
#include "query/relation/ball.h"

#include <math.h>
#include <string.h>

#define DEFAULT_WIDTH 1e-9

const char *dbvh_overlap_kind_name( dbvh_overlap_kind kind ) {
	static const char *const names[] = { "NONE",   "TOUCHING", "PROTRUSION", "A_PIERCES_B", "B_PIERCES_A",
	                                     "MUTUAL", "A_IN_B",   "B_IN_A",     "DUPLICATE",   "UNDECIDED" };
	return (unsigned)kind <= DBVH_OVERLAP_KIND_UNDECIDED ? names[kind] : "?";
}

const char *dbvh_overlap_reason_name( dbvh_overlap_reason reason ) {
	static const char *const names[] = { "DECIDED", "OPEN", "SELF_INTERSECTION", "BUDGET", "ARITHMETIC" };
	return (unsigned)reason <= DBVH_OVERLAP_REASON_ARITHMETIC ? names[reason] : "?";
}

// ------------------------------------------------------------------------------------------------
// The object

dbvh_status dbvh_overlap_create( const dbvh_allocator *allocator, dbvh_overlap **overlap_out, dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( overlap_out == NULL )
		return dbvhi_error_null( error, "overlap_out" );
	*overlap_out = NULL;
	dbvh_allocator a;
	dbvh_status status = dbvhi_allocator_take( allocator, &a, error );
	if ( status != DBVH_OK )
		return status;
	dbvh_overlap *o = dbvhi_alloc( &a, 1, sizeof *o );
	if ( o == NULL )
		return dbvhi_error_status( error, DBVH_OUT_OF_MEMORY );
	memset( o, 0, sizeof *o );
	o->allocator = a;
	status = dbvh_contacts_create( &a, &o->contacts, error );
	if ( status == DBVH_OK )
		status = dbvh_workspace_create( &a, &o->workspace, error );
	if ( status != DBVH_OK ) {
		dbvh_overlap_destroy( o );
		return status;
	}
	*overlap_out = o;
	return DBVH_OK;
}

#define RELEASE( array, capacity ) dbvhi_free( &a, array, capacity, sizeof *( array ) )

static void release_body( const dbvh_allocator *allocator, dbvhi_overlap_body *b ) {
	const dbvh_allocator a = *allocator;
	RELEASE( b->points.keys, b->points.capacity );
	RELEASE( b->points.table, b->points.table_capacity );
	RELEASE( b->segments.keys, b->segments.capacity );
	RELEASE( b->segments.table, b->segments.table_capacity );
	RELEASE( b->cuts, b->cut_capacity );
	RELEASE( b->outline, b->outline_capacity );
	RELEASE( b->inner, b->inner_capacity );
	RELEASE( b->where, b->where_capacity );
	RELEASE( b->touched, b->touched_capacity );
	RELEASE( b->units, b->unit_capacity );
	RELEASE( b->cluster_where, b->cluster_where_capacity );
}

void dbvh_overlap_destroy( dbvh_overlap *o ) {
	if ( o == NULL )
		return;
	const dbvh_allocator a = o->allocator;
	dbvh_contacts_destroy( o->contacts );
	dbvh_workspace_destroy( o->workspace );
	for ( int i = 0; i < DBVHI_MOST_SOLIDS; ++i )
		dbvhi_solid_sides_free( &o->solids[i], &a );
	for ( int m = 0; m < 2; ++m )
		release_body( &a, &o->body[m] );
	RELEASE( o->segments, o->segment_capacity );
	RELEASE( o->table, o->table_capacity );
	RELEASE( o->faces, o->face_capacity );
	RELEASE( o->patch, o->patch_capacity );
	RELEASE( o->surface, o->surface_capacity );
	RELEASE( o->seam, o->seam_capacity );
	RELEASE( o->scratch, o->scratch_capacity );
	RELEASE( o->sheets, o->sheet_capacity );
	RELEASE( o->queue, o->queue_capacity );
	RELEASE( o->surface_of, o->surface_of_capacity );
	RELEASE( o->component_of, o->component_of_capacity );
	RELEASE( o->moments, o->moments_capacity );
	RELEASE( o->components, o->component_capacity );
	RELEASE( o->corners, o->corner_capacity );
	RELEASE( o->drafts, o->draft_capacity );
	RELEASE( o->vertex_at, o->vertex_at_capacity );
	RELEASE( o->vertices, o->vertex_capacity );
	RELEASE( o->indices, o->index_capacity );
	RELEASE( o->sources, o->source_capacity );
	dbvhi_free( &a, o, 1, sizeof *o );
}

dbvh_overlap_view dbvh_overlap_get( const dbvh_overlap *overlap ) {
	if ( overlap == NULL )
		return ( dbvh_overlap_view ){ 0 };
	return overlap->view;
}

dbvh_overlap_query dbvh_overlap_query_default( void ) {
	return ( dbvh_overlap_query ){ .relative_width = 0.0 };
}

// ------------------------------------------------------------------------------------------------
// Records of trees

// Find the record of a tree, or take the oldest one and make it ready. `busy` is not taken for it.
static dbvh_status know( dbvh_overlap *o, const dbvh_tree *tree, const dbvhi_solid_sides *busy,
                         dbvhi_solid_sides **out ) {
	dbvhi_solid_sides *oldest = NULL;
	o->clock += 1;
	for ( int i = 0; i < DBVHI_MOST_SOLIDS; ++i ) {
		dbvhi_solid_sides *s = &o->solids[i];
		if ( s->ready && s->tree == tree && s->hash == tree->hash && s->revision == tree->revision &&
		     s->triangle_count == tree->topology->triangle_count && s->fill == tree->options.fill ) {
			s->used = o->clock;
			*out = s;
			return DBVH_OK;
		}
		if ( s != busy && ( oldest == NULL || s->used < oldest->used ) )
			oldest = s;
	}
	oldest->used = o->clock;
	*out = oldest;
	if ( o->charges_learning )
		return dbvhi_solid_sides_learn( oldest, tree, &o->allocator, o->workspace, o->meter );
	const dbvh_budget *budget = o->meter->purse->budget;
	const dbvh_budget free_of_charge = { .is_cancelled = budget != NULL ? budget->is_cancelled : NULL,
	                                     .user = budget != NULL ? budget->user : NULL };
	dbvhi_purse purse;
	dbvhi_meter meter;
	dbvhi_meter_open( &meter, &purse, &free_of_charge );
	return dbvhi_solid_sides_learn( oldest, tree, &o->allocator, o->workspace, &meter );
}

// ------------------------------------------------------------------------------------------------
// Undecided

// True if open components of the body come near the other one.
static bool is_open( const dbvh_overlap *o, int m ) {
	const dbvhi_topology *t = o->body[m].topology;
	if ( !t->has_sheets )
		return false;
	const dbvhi_ball sheets = dbvhi_ball_of_box( &o->body[m].placed, t->sheet_bounds ),
	                 other = dbvhi_ball_of_tree( &o->body[!m].placed );
	return !dbvhi_balls_are_apart( &sheets, &other );
}

static uint32_t first_open( const dbvhi_topology *t ) {
	for ( uint32_t i = 0; i < t->triangle_count; ++i ) {
		if ( !t->even[t->component[i]] && !t->degenerate[i] )
			return i;
	}
	return 0;
}

// A volume that the overlap does not exceed: that of the box of the smaller body.
static double volume_bound( const dbvh_overlap *o ) {
	double least = INFINITY;
	for ( int m = 0; m < 2; ++m ) {
		const dbvhi_node *root = dbvhi_tree_root( o->body[m].tree );
		// note: a pose stretches by far less than 1 %, and so do roundings.
		least = fmin( least, 8.0 * 1.01 * root->half.v[0] * root->half.v[1] * root->half.v[2] + 0x1p-1074 );
	}
	return least;
}

static dbvh_overlap_measure measure_by_boxes( const dbvh_overlap *o ) {
	const dbvh_interval anywhere = { -INFINITY, INFINITY };
	dbvh_overlap_measure m = { .volume = { 0.0, volume_bound( o ) }, .area = { 0.0, INFINITY } };
	for ( int k = 0; k < 3; ++k )
		m.centroid[k] = m.box_min[k] = m.box_max[k] = anywhere;
	return m;
}

// Leave the result undecided, with the measures that are known all the same.
static void leave_undecided( const dbvh_overlap *o, dbvh_overlap_result *result ) {
	DBVHI_ASSERT( result->reason != DBVH_OVERLAP_REASON_DECIDED );
	result->component_count = result->face_count = 0;
	result->kind = DBVH_OVERLAP_KIND_UNDECIDED;
	if ( result->reason == DBVH_OVERLAP_REASON_SELF_INTERSECTION ) {
		const dbvhi_solid_sides *s = o->body[result->body].solid;
		result->triangle = s->crossed[0];
		result->other_triangle = s->crossed[1];
	}
	if ( result->reason == DBVH_OVERLAP_REASON_OPEN )
		result->triangle = first_open( o->body[result->body].topology );
	if ( o->swapped )
		result->body = !result->body;
}

// ------------------------------------------------------------------------------------------------

typedef struct overlap_call {
	const dbvh_tree *tree[2];
	const dbvh_pose *pose[2];
	const dbvh_overlap_query *query;
} overlap_call;

// Make the mesh that stays the first.
static dbvh_status begin( dbvh_overlap *o, overlap_call *c ) {
	dbvh_status status = dbvhi_pose_relate( c->pose[0], c->pose[1], &o->relative );
	if ( status != DBVH_OK )
		return status;
	o->swapped = o->relative.a_moves;
	// note: where neither moves, either may be the first, but always the same.
	if ( !o->swapped && dbvhi_pose_is_identity( &o->relative.frame_from_moved ) )
		o->swapped = c->tree[0]->hash > c->tree[1]->hash;
	if ( o->swapped ) {
		const overlap_call given = *c;
		for ( int m = 0; m < 2; ++m ) {
			c->tree[m] = given.tree[!m];
			c->pose[m] = given.pose[!m];
		}
		status = dbvhi_pose_relate( c->pose[0], c->pose[1], &o->relative );
		DBVHI_ASSERT( status != DBVH_OK || !o->relative.a_moves );
	}
	for ( int m = 0; m < 2; ++m ) {
		dbvhi_overlap_body *b = &o->body[m];
		b->tree = c->tree[m];
		b->topology = c->tree[m]->topology;
		b->placed = dbvhi_place( c->tree[m], &o->relative.frame_from_moved, m == 1 );
		b->any_outside = b->any_inside = b->any_same = false;
	}
	o->error = dbvhi_move_error( &o->relative.frame_from_moved, c->tree[1]->largest ) + 0x1p-52 * c->tree[0]->largest +
	           0x1p-1074;
	return status;
}

// Clusters serve where one unit does for both bodies, and where the pose keeps areas as they are but for rounding.
static void choose_clusters( dbvh_overlap *o ) {
	int exponent[2];
	for ( int m = 0; m < 2; ++m )
		frexp( dbvhi_tree_root( o->body[m].tree )->radius, &exponent[m] );
	const int difference = exponent[0] - exponent[1];
	for ( int m = 0; m < 2; ++m ) {
		dbvhi_overlap_body *b = &o->body[m];
		const bool serve = b->solid->clusters.count > 0 && difference > -64 && difference < 64 &&
		                   ( m == 0 || dbvhi_turn_deviation( o->relative.frame_from_moved.rot ) < 1.0 );
		b->clusters = serve ? &b->solid->clusters : NULL;
		b->unit_count = b->touched_count = 0;
	}
}

static dbvhi_overlap_outcome find_outcome( dbvh_overlap *o, const overlap_call *c, dbvh_overlap_result *result ) {
	dbvhi_overlap_outcome outcome = dbvhi_overlap_cut( o, result );
	if ( outcome == DBVHI_OVERLAP_OK )
		outcome = dbvhi_overlap_sides( o );
	if ( outcome == DBVHI_OVERLAP_OK )
		outcome = dbvhi_overlap_spread( o, result );
	if ( outcome == DBVHI_OVERLAP_OK )
		outcome = dbvhi_overlap_components(
		    o, c->query->relative_width > 0.0 ? c->query->relative_width : DEFAULT_WIDTH, result );
	if ( outcome == DBVHI_OVERLAP_OK && c->query->mesh )
		outcome = dbvhi_overlap_mesh( o );
	result->face_count = o->view.face_count;
	return outcome;
}

// Measure what can be measured although a mesh crosses itself.
static dbvhi_overlap_outcome measure_crossed( dbvh_overlap *o, dbvh_overlap_result *result ) {
	const dbvhi_overlap_outcome outcome = dbvhi_overlap_crossed( o, &result->measure );
	return outcome == DBVHI_OVERLAP_OK ? DBVHI_OVERLAP_UNDECIDED : outcome;
}

static dbvh_status find( dbvh_overlap *o, const overlap_call *given, dbvh_overlap_result *result, dbvh_error *error ) {
	overlap_call c = *given;
	dbvh_status status = begin( o, &c );
	if ( status != DBVH_OK )
		return dbvhi_blame_poses( status, given->pose[0], given->pose[1], error );
	for ( int m = 0; m < 2 && !c.query->open_holds_nothing; ++m ) {
		if ( is_open( o, m ) ) {
			result->reason = DBVH_OVERLAP_REASON_OPEN;
			result->body = (uint32_t)m;
			result->measure = measure_by_boxes( o );
			leave_undecided( o, result );
			return DBVH_OK;
		}
	}
	for ( int m = 0; m < 2 && status == DBVH_OK; ++m )
		status = know( o, c.tree[m], m == 1 ? o->body[0].solid : NULL, &o->body[m].solid );
	if ( status == DBVH_OK )
		status = dbvhi_contacts_list( c.tree[0], c.pose[0], c.tree[1], c.pose[1], c.query->thread_count, o->contacts,
		                              o->meter, error );
	dbvhi_overlap_outcome outcome = DBVHI_OVERLAP_STOPPED;
	if ( status == DBVH_OK ) {
		o->found = dbvh_contacts_get( o->contacts );
		choose_clusters( o );
		outcome = find_outcome( o, &c, result );
	}
	if ( outcome != DBVHI_OVERLAP_OK )
		result->measure = measure_by_boxes( o );
	if ( outcome == DBVHI_OVERLAP_UNDECIDED && result->reason == DBVH_OVERLAP_REASON_SELF_INTERSECTION )
		outcome = measure_crossed( o, result );
	if ( outcome == DBVHI_OVERLAP_NO_MEMORY )
		return DBVH_OUT_OF_MEMORY;
	if ( status == DBVH_OK && outcome == DBVHI_OVERLAP_STOPPED )
		status = dbvhi_purse_status( o->meter->purse );
	if ( status == DBVH_BUDGET_SPENT || status == DBVH_CANCELLED )
		result->reason = DBVH_OVERLAP_REASON_BUDGET;
	else if ( status != DBVH_OK )
		return status;
	if ( result->reason != DBVH_OVERLAP_REASON_DECIDED )
		leave_undecided( o, result );
	return status;
}

dbvh_status dbvhi_overlap_check( const dbvh_tree *a, const dbvh_tree *b, const dbvh_overlap_query *query,
                                 dbvh_error *error ) {
	dbvh_status status = dbvhi_check_trees( a, b, error );
	if ( status == DBVH_OK )
		status = dbvhi_check_topology( a, "tree a", error );
	if ( status == DBVH_OK )
		status = dbvhi_check_topology( b, "tree b", error );
	if ( status == DBVH_OK )
		status = dbvhi_check_finite( &query->relative_width, 1, "query.relative_width", error );
	return status == DBVH_OK ? dbvhi_check_range( query->relative_width, 1.0, "query.relative_width", error ) : status;
}

dbvh_status dbvhi_overlap_find( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                const dbvh_pose *pose_b, const dbvh_overlap_query *query, const dbvh_budget *budget,
                                dbvh_overlap *overlap, dbvh_overlap_result *result, dbvh_error *error ) {
	memset( result, 0, sizeof *result );
	overlap->view = ( dbvh_overlap_view ){ 0 };
	dbvhi_purse purse;
	dbvhi_meter meter;
	dbvhi_meter_open( &meter, &purse, budget );
	overlap->meter = &meter;
	const overlap_call call = { { a, b }, { pose_a, pose_b }, query };
	const dbvh_status status = find( overlap, &call, result, error );
	overlap->meter = NULL;
	dbvhi_meter_close( &meter );
	if ( status != DBVH_OK )
		overlap->view = ( dbvh_overlap_view ){ 0 };
	if ( status != DBVH_OK && status != DBVH_BUDGET_SPENT && status != DBVH_CANCELLED )
		memset( result, 0, sizeof *result );
	return status;
}

static DBVHI_NOINLINE_FP dbvh_status do_overlap_find( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                                      const dbvh_pose *pose_b, const dbvh_overlap_query *query,
                                                      dbvh_overlap *overlap, dbvh_overlap_result *result_out,
                                                      dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( result_out == NULL )
		return dbvhi_error_null( error, "result_out" );
	memset( result_out, 0, sizeof *result_out );
	if ( overlap == NULL )
		return dbvhi_error_null( error, "overlap" );
	overlap->view = ( dbvh_overlap_view ){ 0 };
	overlap->charges_learning = true;
	const dbvh_overlap_query defaults = dbvh_overlap_query_default();
	const dbvh_overlap_query *q = query != NULL ? query : &defaults;
	const dbvh_status status = dbvhi_overlap_check( a, b, q, error );
	return status != DBVH_OK ? status
	                         : dbvhi_overlap_find( a, pose_a, b, pose_b, q, q->budget, overlap, result_out, error );
}

dbvh_status dbvh_overlap_find( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b, const dbvh_pose *pose_b,
                               const dbvh_overlap_query *query, dbvh_overlap *overlap, dbvh_overlap_result *result_out,
                               dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, dbvhi_error_finish( error, do_overlap_find( a, pose_a, b, pose_b, query,
	                                                                                 overlap, result_out, error ) ) );
}
