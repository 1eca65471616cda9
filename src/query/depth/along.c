// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// How far one of two solids is to be moved along a direction until they are free, for the first time and for good.
//
// The first time: from 0 on, each witness (witness.h) leads past a stretch in which they overlap. Where witnesses reach
// no farther, the next length at which they are free bounds it from above. For good: from a length at which the convex
// hulls are apart, backwards by the distance between the meshes, as long as there is one.

#include "base/alloc.h"
#include "query/depth/depth.h"
#include "query/depth/free.h"
#include "query/depth/witness.h"
#include "query/distance/distance.h"

#include <math.h>
#include <string.h>

#define MOST_STEPS 2000
#define UP ( 1.0 + 0x1p-46 ) // covers the rounding of a direction of length 1, and of lengths along it

typedef struct search {
	const dbvhi_solid_pair *pair;
	dbvhi_ball_pool *pool;
	double way[3]; // length 1
	double width;
	dbvh_status status;
} search;

static void shift_by( const search *s, double length, double out[3] ) {
	for ( int k = 0; k < 3; ++k )
		out[k] = length * s->way[k];
}

// True if the solids overlap after moving by `length`. *trial_out (may be NULL) tells more.
static bool overlaps( search *s, double length, dbvhi_trial *trial_out ) {
	double shift[3];
	dbvhi_trial trial;
	shift_by( s, length, shift );
	if ( s->status == DBVH_OK )
		s->status = dbvhi_solid_pair_try( s->pair, shift, &trial );
	if ( trial_out != NULL )
		*trial_out = trial;
	return s->status != DBVH_OK || trial.common;
}

// The reach of the best witness that is found at a length; at most 0: none.
static double reach_at( search *s, double length, dbvhi_witness_pair *w ) {
	double shift[3];
	shift_by( s, length, shift );
	const double reach = dbvhi_witness_improve( s->pair, s->pool, shift, INFINITY, w );
	if ( reach > s->width * length )
		return reach;
	const double scale = fmax( s->width * length, 0x1p-10 * s->pair->size );
	s->status = dbvhi_witness_all_over( s->pair, shift, scale, INFINITY, w );
	return s->status == DBVH_OK ? dbvhi_witness_reach( s->pair, w, shift ) : 0.0;
}

// Bound the first free length, up to `end`, at which the solids are free.
static dbvh_interval find_first( search *s, double end ) {
	dbvh_interval out = { 0.0, end * UP };
	dbvhi_witness_pair w = { .fixed = { .radius = 0.0 } };
	for ( int i = 0; i < MOST_STEPS && s->status == DBVH_OK && out.lower < out.upper * ( 1.0 - s->width ); ++i ) {
		const double reach = reach_at( s, out.lower, &w ) * ( 1.0 - 0x1p-40 );
		const double next = out.lower + fmax( reach, 0.0 ), beyond = next + 0.5 * s->width * next;
		if ( reach > 0.0 )
			out.lower = next * ( 1.0 - 0x1p-46 );
		if ( reach > s->width * next )
			continue;
		if ( s->status == DBVH_OK && beyond < out.upper && !overlaps( s, beyond, NULL ) ) {
			out.upper = beyond * UP;
			break;
		}
		if ( !( reach > 0x1p-6 * s->width * next ) )
			break;
	}
	// note: where witnesses did not lead to a free length, some free one is sought between both ends.
	double low = out.lower;
	for ( int i = 0; i < 24 && s->status == DBVH_OK && low < out.upper * ( 1.0 - s->width ); ++i ) {
		const double middle = 0.5 * ( low + out.upper );
		if ( overlaps( s, middle, NULL ) )
			low = middle;
		else
			out.upper = middle * UP;
	}
	return out;
}

// A lower bound of the distance of the meshes after moving by `length`.
static double gap_at( search *s, double length ) {
	dbvh_pose pose = s->pair->pair.pose;
	double shift[3];
	shift_by( s, length, shift );
	for ( int k = 0; k < 3; ++k )
		pose.pos[k] += shift[k];
	const dbvh_distance_query query = { .relative_error = 0.0 };
	dbvh_distance_result result;
	memset( &result, 0, sizeof result );
	dbvhi_meter_charge( s->pair->meter, 256 );
	const dbvh_status status = dbvhi_distance_measure( s->pair->pair.fixed, NULL, s->pair->pair.moved, &pose, &query,
	                                                   NULL, 1, s->pair->workspace, &result );
	if ( status != DBVH_OK )
		s->status = status;
	return s->status == DBVH_OK ? result.distance * ( 1.0 - 0x1p-40 ) - s->pair->slack : 0.0;
}

// Bound the length beyond which the solids are free, from one beyond which their hulls are apart.
static dbvh_interval find_last( search *s, double at_least, double apart ) {
	dbvh_interval out = { at_least, apart * UP };
	for ( int i = 0; i < MOST_STEPS && s->status == DBVH_OK && out.upper > out.lower; ++i ) {
		const double gap = gap_at( s, out.upper );
		if ( !( gap > 0.0 ) )
			break;
		out.upper = fmax( out.upper - gap, out.lower ) * UP;
		if ( !( gap > 0x1p-8 * s->width * out.upper ) )
			break;
	}
	// The longest length at which they were found to overlap, sought from the far end.
	double low = out.lower;
	for ( int i = 0; i < 16 && s->status == DBVH_OK; ++i ) {
		const double length = out.upper - ldexp( out.upper - low, i - 15 );
		if ( length > low && overlaps( s, length, NULL ) && s->status == DBVH_OK ) {
			out.lower = fmax( out.lower, length * ( 1.0 - 0x1p-46 ) );
			break;
		}
	}
	return out;
}

static double hull_width( const dbvhi_freeing *f, const double d[3] ) {
	double most = -INFINITY, least = INFINITY;
	for ( size_t i = 0; i < f->pair->pair.fixed->topology->point_count; ++i )
		most = fmax( most, dbvhi_dot3( d, f->point[0] + 3 * i ) );
	for ( size_t i = 0; i < f->pair->pair.moved->topology->point_count; ++i )
		least = fmin( least, dbvhi_dot3( d, f->point[1] + 3 * i ) );
	return most - least + 8.0 * f->pair->slack;
}

static dbvh_status find_both( search *s, dbvh_penetration_along_result *result ) {
	dbvhi_freeing freeing;
	dbvh_status status = dbvhi_freeing_begin( &freeing, s->pair, false );
	if ( status == DBVH_OK )
		status = dbvhi_workspace_require_distance( s->pair->workspace, s->pair->pair.fixed, s->pair->pair.moved );
	if ( status == DBVH_OK ) {
		const double apart = fmax( hull_width( &freeing, s->way ), 0.0 );
		dbvhi_ball_pool_fill( s->pool, s->pair );
		result->free_for_good = ( dbvh_interval ){ 0.0, apart * UP };
		result->first_free = find_first( s, apart );
		result->free_for_good = find_last( s, result->first_free.lower, apart );
		// note: the length from which on they are free is one at which they are.
		result->first_free.upper = fmin( result->first_free.upper, result->free_for_good.upper );
		status = s->status;
	}
	dbvhi_freeing_end( &freeing );
	return status;
}

// The direction of the moved mesh in the frame of the pair, for a direction of B in that of A. False if it has no
// length.
static bool set_way( search *s, const double direction[3] ) {
	double most = 0.0, unit[3];
	for ( int k = 0; k < 3; ++k )
		most = fmax( most, fabs( direction[k] ) );
	if ( !( most > 0.0 ) )
		return false;
	for ( int k = 0; k < 3; ++k )
		unit[k] = direction[k] / most;
	for ( int k = 0; k < 3; ++k )
		s->way[k] = s->pair->pair.a_moves ? -dbvhi_dot3( s->pair->pair.pose.rot[k], unit ) : unit[k];
	const double length = dbvhi_length3( s->way );
	for ( int k = 0; k < 3; ++k )
		s->way[k] /= length;
	return true;
}

dbvh_status dbvhi_penetration_along( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                     const dbvh_pose *pose_b, const double direction[3],
                                     const dbvh_penetration_query *query, dbvh_workspace *workspace, dbvhi_meter *meter,
                                     dbvh_penetration_along_result *result ) {
	const dbvh_interval unknown = { 0.0, INFINITY }, none = { 0.0, 0.0 };
	result->first_free = result->free_for_good = unknown;
	dbvhi_solid_pair pair;
	dbvh_status status = dbvhi_solid_pair_init( &pair, a, pose_a, b, pose_b, workspace, meter );
	if ( status != DBVH_OK )
		return status;
	result->undecided = dbvhi_depth_open( a, b );
	status = dbvhi_solid_pair_relate( &pair, &result->relation );
	if ( status != DBVH_OK || result->undecided != DBVH_UNDECIDED_NOT )
		return status;
	search s = { .pair = &pair, .width = query->relative_width > 0.0 ? query->relative_width : 0.01 };
	if ( !set_way( &s, direction ) )
		return DBVH_INVALID_ARGUMENT;
	s.pool = dbvhi_alloc( &workspace->allocator, 1, sizeof *s.pool );
	status = s.pool == NULL ? DBVH_OUT_OF_MEMORY : find_both( &s, result );
	dbvhi_free( &workspace->allocator, s.pool, 1, sizeof *s.pool );
	if ( result->relation == DBVH_RELATION_DISJOINT || result->relation == DBVH_RELATION_TOUCHING )
		result->first_free = none;
	return status == DBVH_OK ? dbvhi_purse_status( meter->purse ) : status;
}
