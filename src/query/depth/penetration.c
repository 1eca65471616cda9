// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The penetration depth of two solids by subdivision of the space of translations. Cubes of translations are looked at
// from the origin outwards. A cube in which every translation is proved to leave an overlap is done with; another is
// divided in eight. The nearest cube that is left bounds the depth from below, the shortest translation that is known
// to free bounds it from above, and where a cube's centre frees it becomes a start for a shorter one.

#include "base/alloc.h"
#include "base/assert.h"
#include "query/depth/convex.h"
#include "query/depth/depth.h"
#include "query/depth/free.h"
#include "query/depth/hull.h"
#include "query/depth/witness.h"

#include <math.h>
#include <string.h>

#define MOST_CUBES ( (size_t)1 << 18 )
#define ROOT3 1.7320508075688774 // rounded up

typedef struct cube {
	double centre[3], half;
	double near;                // the distance of the cube from the origin, rounded down
	dbvhi_witness_pair witness; // witness of the cube that it is a part of
} cube;

typedef struct search {
	const dbvhi_solid_pair *pair;
	const dbvh_allocator *allocator;
	dbvhi_ball_pool *pool;
	dbvhi_freeing freeing;
	cube *heap; // the nearest first
	size_t count, capacity;
	double width; // wanted, relative
	double lower;
	double floor; // a lower bound that is known before any cube was looked at
	bool no_memory;
	bool full; // no memory or no room for more cubes, or one that could not be decided though it was small
} search;

static double nearest_of( const double centre[3], double half ) {
	double x[3];
	for ( int k = 0; k < 3; ++k )
		x[k] = fmax( fabs( centre[k] ) - half, 0.0 );
	return dbvhi_length3( x ) * ( 1.0 - 0x1p-50 );
}

// Cubes in the order of their distance; of equally near ones, the larger, then the one with lower coordinates first.
static bool is_cube_before( const cube *a, const cube *b ) {
	if ( a->near != b->near )
		return a->near < b->near;
	if ( a->half != b->half )
		return a->half > b->half;
	for ( int k = 0; k < 3; ++k ) {
		if ( a->centre[k] != b->centre[k] )
			return a->centre[k] < b->centre[k];
	}
	return false;
}

#define HEAP_ITEM cube
#define HEAP_BEFORE is_cube_before
#include "query/depth/heap.inl"

static void push_cube( search *s, const cube *c ) {
	s->no_memory =
	    s->no_memory || !dbvhi_grow_array( s->allocator, &s->heap, &s->capacity, s->count + 1, sizeof *s->heap );
	if ( s->count == MOST_CUBES || s->no_memory ) {
		s->full = true;
		s->lower = fmin( s->lower, c->near );
		return;
	}
	heap_push( s->heap, &s->count, c );
}

static void divide_cube( search *s, const cube *c ) {
	for ( int part = 0; part < 8; ++part ) {
		cube next = { .half = 0.5 * c->half, .witness = c->witness };
		for ( int k = 0; k < 3; ++k )
			next.centre[k] = c->centre[k] + ( ( part >> k & 1 ) != 0 ? next.half : -next.half );
		next.near = nearest_of( next.centre, next.half );
		if ( next.near < s->freeing.length )
			push_cube( s, &next );
	}
}

// Try translations around a cube that is small beside the width wanted: where it could not be proved to be blocked,
// free ones are often near.
static void try_around( search *s, const cube *c ) {
	for ( double far = 2.0 * c->half; far < 2.0 * s->width * s->freeing.length; far *= 4.0 ) {
		for ( int i = 0; i < 27; ++i ) {
			const double way[3] = { i % 3 - 1.0, i / 3 % 3 - 1.0, i / 9 - 1.0 };
			double shift[3];
			for ( int k = 0; k < 3; ++k )
				shift[k] = c->centre[k] + far * way[k];
			if ( dbvhi_freeing_try( &s->freeing, shift ) ) {
				dbvhi_freeing_descend( &s->freeing, s->lower );
				return;
			}
		}
	}
}

// Look at a cube: it is blocked, or it is divided. True unless the budget is spent.
static bool look_at_cube( search *s, cube *c ) {
	const double wanted = ROOT3 * c->half * ( 1.0 + 0x1p-50 );
	const double reach = dbvhi_witness_improve( s->pair, s->pool, c->centre, wanted, &c->witness );
	if ( !dbvhi_meter_charge( s->pair->meter, 16 ) )
		return false;
	if ( reach > wanted )
		return true;
	if ( !( reach > 0.0 ) ) {
		dbvhi_freeing *f = &s->freeing;
		if ( dbvhi_freeing_try( f, c->centre ) )
			dbvhi_freeing_descend( f, s->lower );
		else if ( f->trial.touching &&
		          dbvhi_witness_at( s->pair, c->centre, f->trial.first, c->half, wanted, &c->witness ) > wanted )
			return true;
	}
	const double small = 0.125 * s->width * s->freeing.length;
	if ( c->half <= 4.0 * small && c->half > 2.0 * small ) {
		const dbvh_status status = dbvhi_witness_all_over( s->pair, c->centre, c->half, wanted, &c->witness );
		if ( status != DBVH_OK ) {
			s->freeing.status = status;
			return false;
		}
		if ( dbvhi_witness_reach( s->pair, &c->witness, c->centre ) > wanted )
			return true;
	}
	if ( c->half <= small && c->half > 0.0625 * small &&
	     dbvhi_freeing_project( &s->freeing, c->centre, NULL, c->centre ) )
		dbvhi_freeing_descend( &s->freeing, s->lower );
	if ( c->half <= small && c->half > 0.5 * small )
		try_around( s, c );
	if ( c->half < 0x1p-6 * small )
		s->full = true;
	divide_cube( s, c );
	return s->freeing.status == DBVH_OK;
}

// Look at cubes until the depth is as narrow as wanted, or the budget ends it. Sets s->lower.
static void subdivide( search *s, const cube *root ) {
	push_cube( s, root );
	while ( s->count > 0 && !s->full ) {
		s->lower = fmin( fmax( s->heap[0].near, s->floor ), s->freeing.length );
		if ( s->lower >= s->freeing.length * ( 1.0 - s->width ) )
			return;
		cube c = heap_pop( s->heap, &s->count );
		if ( !look_at_cube( s, &c ) )
			return;
	}
	if ( !s->full )
		s->lower = s->freeing.length;
}

static dbvh_status begin_search( search *s, const dbvhi_solid_pair *pair, const dbvh_penetration_query *query ) {
	*s = ( search ){ .pair = pair,
	                 .allocator = &pair->workspace->allocator,
	                 .width = query->relative_width > 0.0 ? query->relative_width : 0.01 };
	const dbvh_status status = dbvhi_freeing_begin( &s->freeing, pair, query->strict );
	s->pool = dbvhi_alloc( s->allocator, 1, sizeof *s->pool );
	return status == DBVH_OK && s->pool == NULL ? DBVH_OUT_OF_MEMORY : status;
}

static void end_search( search *s ) {
	dbvhi_freeing_end( &s->freeing );
	dbvhi_free( s->allocator, s->pool, 1, sizeof *s->pool );
	dbvhi_free( s->allocator, s->heap, s->capacity, sizeof *s->heap );
}

// Bound the depth by the convex hulls: from above by a translation that frees them, from below where both solids are
// almost convex.
static dbvh_status bound_by_hulls( search *s ) {
	const dbvhi_mesh_pair *p = &s->pair->pair;
	const dbvhi_hull_points points = {
	    .at = { s->freeing.point[0], s->freeing.point[1] },
	    .count = { p->fixed->topology->point_count, p->moved->topology->point_count },
	    .size = s->pair->size,
	    .error = 0x1p-48 * s->pair->size,
	};
	const double defect = dbvhi_convex_defect( s->pair );
	dbvhi_hull_depth hull;
	const dbvh_status status = dbvhi_hull_depth_find( &points, isfinite( defect ) ? 0x1p-44 : 0x1p-10, 4000,
	                                                  s->allocator, s->pair->meter, &hull );
	if ( status != DBVH_OK )
		return status;
	dbvhi_freeing_try_hull( &s->freeing, hull.direction, hull.depth.upper );
	if ( isfinite( defect ) )
		s->floor = fmax( hull.depth.lower - defect, 0.0 );
	return s->freeing.status;
}

// True if the interval is as narrow as wanted.
static bool is_narrow( const search *s ) {
	return s->lower >= s->freeing.length * ( 1.0 - s->width );
}

// Bound the depth of solids whose interiors overlap.
static dbvh_status bound( search *s, dbvh_depth_proof *proof_out ) {
	dbvhi_convex_depth convex;
	bool is_convex;
	dbvh_status status = dbvhi_convex_depth_find( s->pair, &convex, &is_convex );
	if ( status != DBVH_OK )
		return status;
	if ( is_convex && dbvhi_freeing_try_hull( &s->freeing, convex.direction, convex.depth.upper ) ) {
		s->lower = convex.depth.lower;
		*proof_out = DBVH_DEPTH_PROOF_CONVEX;
		return DBVH_OK;
	}
	status = bound_by_hulls( s );
	s->lower = s->floor;
	if ( status != DBVH_OK || is_narrow( s ) ) {
		*proof_out = status == DBVH_OK ? DBVH_DEPTH_PROOF_CONVEX : DBVH_DEPTH_PROOF_NONE;
		return status;
	}
	const double here[3] = { 0.0, 0.0, 0.0 };
	cube root = { .half = 0.0 };
	dbvhi_ball_pool_fill( s->pool, s->pair );
	s->floor = fmax( s->floor, dbvhi_witness_improve( s->pair, s->pool, here, INFINITY, &root.witness ) );
	if ( !( s->floor > 0.0 ) ) {
		status = dbvhi_witness_all_over( s->pair, here, 0x1p-4 * s->freeing.length, INFINITY, &root.witness );
		s->floor = fmax( s->floor, dbvhi_witness_reach( s->pair, &root.witness, here ) );
	}
	s->lower = fmin( s->floor, s->freeing.length );
	*proof_out = s->lower > 0.0 ? DBVH_DEPTH_PROOF_BALLS : DBVH_DEPTH_PROOF_NONE;
	if ( status != DBVH_OK )
		return status;
	dbvhi_freeing_search( &s->freeing );
	if ( s->freeing.status != DBVH_OK || !isfinite( s->freeing.length ) )
		return s->freeing.status;
	root.half = s->freeing.length;
	subdivide( s, &root );
	*proof_out = s->lower > 0.0 ? DBVH_DEPTH_PROOF_BALLS : DBVH_DEPTH_PROOF_NONE;
	return s->no_memory ? DBVH_OUT_OF_MEMORY : s->freeing.status;
}

static void report( const search *s, const dbvh_pose *pose_a, const dbvh_pose *pose_b,
                    dbvh_penetration_result *result ) {
	result->depth = ( dbvh_interval ){ fmin( s->lower, s->freeing.length ), s->freeing.length };
	result->reached = is_narrow( s );
	dbvhi_depth_translation( s->pair, pose_a, pose_b, s->freeing.shift, result->translation, &result->pose_b );
}

dbvh_status dbvhi_penetration_depth( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                     const dbvh_pose *pose_b, const dbvh_penetration_query *query,
                                     dbvh_workspace *workspace, dbvhi_meter *meter, dbvh_penetration_result *result ) {
	const dbvh_pose identity = dbvh_pose_identity();
	result->pose_b = pose_b != NULL ? *pose_b : identity;
	result->depth = ( dbvh_interval ){ 0.0, INFINITY };
	dbvhi_solid_pair pair;
	dbvh_status status = dbvhi_solid_pair_init( &pair, a, pose_a, b, pose_b, workspace, meter );
	if ( status != DBVH_OK )
		return status;
	result->undecided = dbvhi_depth_open( a, b );
	status = dbvhi_solid_pair_relate( &pair, &result->relation );
	if ( status != DBVH_OK || result->undecided != DBVH_UNDECIDED_NOT )
		return status;
	const bool touching = result->relation == DBVH_RELATION_TOUCHING;
	if ( result->relation == DBVH_RELATION_DISJOINT || ( touching && !query->strict ) ) {
		result->depth = ( dbvh_interval ){ 0.0, 0.0 };
		result->proof = DBVH_DEPTH_PROOF_DISJOINT;
		result->reached = true;
		return DBVH_OK;
	}
	search s;
	status = begin_search( &s, &pair, query );
	if ( status == DBVH_OK )
		status = bound( &s, &result->proof );
	if ( status == DBVH_OK || status == DBVH_BUDGET_SPENT || status == DBVH_CANCELLED ) {
		report( &s, pose_a, pose_b, result );
		if ( status == DBVH_OK )
			status = dbvhi_purse_status( meter->purse );
	}
	end_search( &s );
	return status;
}
