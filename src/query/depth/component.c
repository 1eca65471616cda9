// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The local depth of each component of an overlap.

#include "base/fpenv.h"
#include "base/status.h"
#include "query/common/arguments.h"
#include "query/depth/local.h"
#include "query/depth/within.h"
#include "query/overlap/overlap.h"
#include "query/overlap/within.h"

#include <math.h>
#include <string.h>

typedef struct component_call {
	const dbvh_tree *a, *b;
	const dbvh_pose *pose_a, *pose_b;
	const dbvh_local_depth_query *query;
	dbvh_overlap *overlap;
	dbvh_component_depth *depths;
	size_t capacity;
} component_call;

static void join_sides( dbvh_local_depth_side *all, const dbvh_local_depth_side *side ) {
	const dbvh_interval joined = { fmax( all->depth.lower, side->depth.lower ),
	                               fmax( all->depth.upper, side->depth.upper ) };
	if ( side->depth.lower > all->depth.lower )
		*all = *side;
	all->depth = joined;
}

// The direction in which B comes free of A, where the component is least deep: out of A for points of B, and the other
// way round for points of A.
static void set_normal( dbvh_component_depth *c ) {
	const bool is_b = c->b_in_a.depth.upper < c->a_in_b.depth.upper;
	for ( int k = 0; k < 3; ++k )
		c->normal[k] = is_b ? c->b_in_a.direction[k] : 0.0 - c->a_in_b.direction[k];
}

static dbvh_status find_component( const dbvhi_solid_pair *pair, const dbvhi_regions *regions, size_t component,
                                   const dbvh_local_depth_query *query, dbvh_component_depth *out ) {
	dbvhi_sides found;
	const dbvh_status status = dbvhi_local_sides( pair, query, regions, component, &found );
	*out = ( dbvh_component_depth ){ .a_in_b = found.side[0],
	                                 .b_in_a = found.side[1],
	                                 .least = found.least,
	                                 .verdict = found.verdict,
	                                 .reached = found.reached };
	set_normal( out );
	return status;
}

// Judge all components together: they are within the limit if one and the same side of each of them is, where the
// verdict on each was told by either.
static dbvh_status judge_all( const dbvhi_solid_pair *pair, const dbvhi_regions *regions, double allowed,
                              dbvh_local_depth_result *all ) {
	dbvh_local_depth_side a_in_b = { .depth = { 0.0, 0.0 } }, b_in_a = a_in_b;
	dbvh_status status = DBVH_OK;
	for ( size_t i = 0; i < regions->view.component_count && status == DBVH_OK; ++i ) {
		dbvhi_sides found;
		status = dbvhi_judge_sides( pair, allowed, regions, i, &found );
		join_sides( &a_in_b, &found.side[0] );
		join_sides( &b_in_a, &found.side[1] );
	}
	if ( status != DBVH_OK )
		return status;
	dbvhi_tighten_side( &all->a_in_b, &a_in_b );
	dbvhi_tighten_side( &all->b_in_a, &b_in_a );
	all->least = dbvhi_least_side( &all->a_in_b, &all->b_in_a );
	all->verdict = dbvhi_judge_depth( &all->least, allowed );
	return status;
}

// True if a solid certainly reaches out of the overlap: some corner of a triangle that bounds it is outside of the
// boxes of all components.
static bool reaches_out( const dbvhi_solid *solid, const int8_t *side, const double box[6] ) {
	const dbvh_tree *tree = solid->placed.tree;
	for ( size_t i = 0; i < tree->triangle_count; ++i ) {
		const int8_t own = side[tree->triangle[i]];
		double image[9];
		if ( own != DBVHI_SOLID_BELOW && own != DBVHI_SOLID_ABOVE )
			continue;
		dbvhi_solid_image( solid, (uint32_t)i, image );
		for ( int k = 0; k < 3; ++k ) {
			if ( image[k] + solid->placed.error < box[k] || image[k] - solid->placed.error > box[3 + k] )
				return true;
		}
	}
	return false;
}

// The relation, of two solids with common inner points: where both reach out of what is common, neither is in the
// other.
static dbvh_status relate( const dbvhi_solid_pair *pair, const dbvhi_regions *regions, dbvh_relation *relation_out ) {
	double box[6];
	bool reach_out = true;
	dbvhi_regions_box( regions, box );
	for ( int m = 0; m < 2 && reach_out; ++m )
		reach_out = reaches_out( &pair->solid[m], regions->sides[m]->side, box );
	*relation_out = DBVH_RELATION_OVERLAPPING;
	return reach_out ? DBVH_OK : dbvhi_solid_pair_relate( pair, relation_out );
}

static dbvh_status find_components( const component_call *c, dbvhi_solid_pair *pair, const dbvh_overlap_view *view,
                                    dbvh_local_depth_result *all ) {
	dbvhi_regions regions;
	dbvh_status status = dbvhi_regions_begin( &regions, pair, view );
	for ( int m = 0; m < 2; ++m ) {
		const dbvhi_overlap_body *body = c->overlap->body;
		regions.sides[m] = body[body[0].tree == pair->solid[m].placed.tree ? 0 : 1].solid;
		if ( status == DBVH_OK &&
		     !dbvhi_cones_make( regions.sides[m], pair->solid[m].placed.tree, &c->overlap->allocator ) )
			status = DBVH_OUT_OF_MEMORY;
	}
	if ( status == DBVH_OK )
		status = relate( pair, &regions, &all->relation );
	all->a_in_b = all->b_in_a = ( dbvh_local_depth_side ){ .depth = { 0.0, 0.0 } };
	all->reached = true;
	for ( size_t i = 0; i < view->component_count && status == DBVH_OK; ++i ) {
		dbvh_component_depth depth;
		status = find_component( pair, &regions, i, c->query, &depth );
		join_sides( &all->a_in_b, &depth.a_in_b );
		join_sides( &all->b_in_a, &depth.b_in_a );
		all->reached = all->reached && depth.reached;
		if ( i < c->capacity )
			c->depths[i] = depth;
	}
	all->least = dbvhi_least_side( &all->a_in_b, &all->b_in_a );
	all->verdict = dbvhi_judge_depth( &all->least, c->query->allowed_depth );
	if ( status == DBVH_OK && all->verdict == DBVH_FIT_VERDICT_UNDECIDED && view->component_count > 1 )
		status = judge_all( pair, &regions, c->query->allowed_depth, all );
	dbvhi_regions_end( &regions );
	return status;
}

// note: the mesh of the overlap is in the frame of the pair, and not for the caller.
static void forget_mesh( dbvh_overlap *o, dbvh_overlap_result *found ) {
	for ( size_t i = 0; i < o->view.component_count; ++i )
		o->components[i].first_face = o->components[i].face_count = 0;
	o->view = ( dbvh_overlap_view ){ .components = o->view.components, .component_count = o->view.component_count };
	found->face_count = 0;
}

static dbvh_status find( const component_call *c, dbvhi_meter *meter, dbvh_overlap_result *found,
                         dbvh_local_depth_result *all, dbvh_error *error ) {
	const dbvh_overlap_query query = { .mesh = true, .thread_count = 1 };
	c->overlap->in_frame_of_pair = true;
	dbvh_status status =
	    dbvhi_overlap_find( c->a, c->pose_a, c->b, c->pose_b, &query, c->query->budget, c->overlap, found, error );
	c->overlap->in_frame_of_pair = false;
	const dbvh_overlap_view view = c->overlap->view;
	if ( status == DBVH_OK && ( view.component_count == 0 || dbvhi_depth_open( c->a, c->b ) != DBVH_UNDECIDED_NOT ) )
		status = dbvhi_local_depth( c->a, c->pose_a, c->b, c->pose_b, c->query, c->overlap->workspace, meter, all );
	else if ( status == DBVH_OK ) {
		dbvhi_solid_pair pair;
		status = dbvhi_solid_pair_init( &pair, c->a, c->pose_a, c->b, c->pose_b, c->overlap->workspace, meter );
		if ( status == DBVH_OK )
			status = find_components( c, &pair, &view, all );
		if ( status == DBVH_OK )
			status = dbvhi_purse_status( meter->purse );
	}
	forget_mesh( c->overlap, found );
	return status;
}

// Answer a call whose arguments but the poses have been checked.
static dbvh_status answer( const component_call *c, dbvh_overlap_result *overlap_out,
                           dbvh_local_depth_result *result_out, dbvh_error *error ) {
	result_out->a_in_b.depth = result_out->b_in_a.depth = result_out->least = ( dbvh_interval ){ 0.0, INFINITY };
	result_out->verdict = DBVH_FIT_VERDICT_UNDECIDED;
	dbvhi_depth_meter m;
	dbvhi_depth_meter_open( &m, c->query->budget );
	const dbvh_status status = find( c, &m.meter, overlap_out, result_out, error );
	return dbvhi_depth_meter_close( &m, status );
}

dbvh_status dbvhi_local_depth_within( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                      const dbvh_pose *pose_b, const dbvh_local_depth_query *query,
                                      dbvh_workspace *workspace, dbvh_overlap_result *overlap_out,
                                      dbvh_local_depth_result *result_out ) {
	const component_call c = { a, b, pose_a, pose_b, query, dbvhi_overlap_of( workspace ), NULL, 0 };
	memset( overlap_out, 0, sizeof *overlap_out );
	memset( result_out, 0, sizeof *result_out );
	if ( c.overlap == NULL )
		return DBVH_OUT_OF_MEMORY;
	const dbvh_status status = dbvhi_depth_check( a, b, query->relative_width, NULL );
	return status == DBVH_OK ? answer( &c, overlap_out, result_out, NULL ) : status;
}

static DBVHI_NOINLINE_FP dbvh_status do_local_depth_components( const component_call *given,
                                                                dbvh_overlap_result *overlap_out,
                                                                dbvh_local_depth_result *result_out,
                                                                dbvh_error *error ) {
	component_call c = *given;
	dbvhi_error_clear( error );
	if ( overlap_out == NULL )
		return dbvhi_error_null( error, "overlap_out" );
	memset( overlap_out, 0, sizeof *overlap_out );
	if ( result_out == NULL )
		return dbvhi_error_null( error, "result_out" );
	memset( result_out, 0, sizeof *result_out );
	if ( c.overlap == NULL )
		return dbvhi_error_null( error, "overlap" );
	c.overlap->view = ( dbvh_overlap_view ){ 0 };
	if ( c.depths == NULL && c.capacity > 0 )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "depths_out is NULL, and capacity is not 0" );
	const dbvh_local_depth_query defaults = dbvh_local_depth_query_default();
	c.query = c.query != NULL ? c.query : &defaults;
	dbvh_status status = dbvhi_depth_check( c.a, c.b, c.query->relative_width, error );
	if ( status == DBVH_OK )
		status = dbvhi_check_range( c.query->allowed_depth, INFINITY, "query.allowed_depth", error );
	if ( status != DBVH_OK )
		return status;
	status = answer( &c, overlap_out, result_out, error );
	if ( status == DBVH_OK || status == DBVH_BUDGET_SPENT || status == DBVH_CANCELLED )
		return status == DBVH_OK ? status : dbvhi_error_status( error, status );
	memset( overlap_out, 0, sizeof *overlap_out );
	memset( result_out, 0, sizeof *result_out );
	const size_t count = c.overlap->view.component_count, written = count < c.capacity ? count : c.capacity;
	for ( size_t i = 0; i < written; ++i )
		c.depths[i] = ( dbvh_component_depth ){ 0 };
	c.overlap->view = ( dbvh_overlap_view ){ 0 };
	return dbvhi_blame_poses( status, c.pose_a, c.pose_b, error );
}

dbvh_status dbvh_local_depth_components( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                         const dbvh_pose *pose_b, const dbvh_local_depth_query *query,
                                         dbvh_overlap *overlap, dbvh_component_depth *depths_out, size_t capacity,
                                         dbvh_overlap_result *overlap_out, dbvh_local_depth_result *result_out,
                                         dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV(
	    dbvh_status,
	    dbvhi_error_finish( error, do_local_depth_components( &( component_call ){ a, b, pose_a, pose_b, query, overlap,
	                                                                               depths_out, capacity },
	                                                          overlap_out, result_out, error ) ) );
}
