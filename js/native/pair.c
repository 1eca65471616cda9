// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Queries of two meshes: B at one pose or at many, which is the same call. Results are rows of the columns that web.h
// names; a pose that is refused has its status in its row.

#include "web.h"

#include <math.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------
// Collision and clearance

static void write_collide( const dbvh_collide_result *r, double *out ) {
	const double row[WEB_COLLIDE_COLUMNS] = { r->verdict == DBVH_INTERSECTING, r->first.a, r->first.b,
	                                          (double)r->pair_count, r->status };
	memcpy( out, row, sizeof row );
}

dbvh_status WEB_EXPORT( web_collide )( const dbvh_tree *a, const double *pose_a, const dbvh_tree *b, double *poses_b,
                                       size_t count, dbvh_find find, double max_work, double *out ) {
	web_query q;
	if ( !web_read_query( &q, pose_a, poses_b, count, max_work, sizeof( dbvh_collide_result ) ) )
		return DBVH_OUT_OF_MEMORY;
	const dbvh_collide_query query = { .find = find, .budget = q.budget };
	dbvh_collide_result *results = q.results;
	dbvh_status status;
	if ( count == 1 ) // without the work that a batch begins with
		results->status = status =
		    dbvh_collide( a, q.pose_a, b, q.poses_b, &query, q.options.workspace, results, &web_error );
	else
		status = dbvh_collide_batch( a, q.pose_a, b, q.poses_b, count, &query, &q.options, results, &web_error );
	for ( size_t i = 0; i < count; ++i )
		write_collide( &results[i], out + WEB_COLLIDE_COLUMNS * i );
	return status;
}

// Room for a list of pairs, which grows to as many as a query has counted.
typedef struct pair_list {
	dbvh_pair *pairs;
	size_t capacity;
} pair_list;

static bool has_room( pair_list *list, uint64_t count ) {
	list->capacity = count > 1024 ? (size_t)count : 1024;
	list->pairs = web_room( WEB_USE_LIST, list->capacity * sizeof *list->pairs );
	return list->pairs != NULL;
}

static dbvh_status list_near( const dbvh_tree *a, const dbvh_tree *b, const web_query *q, double max_distance,
                              const pair_list *list, dbvh_collide_result *out ) {
	const dbvh_clearance_query query = { .find = DBVH_FIND_ALL,
	                                     .max_distance = max_distance,
	                                     .pairs = list->pairs,
	                                     .pair_capacity = list->capacity,
	                                     .budget = q->budget };
	dbvh_clearance_result r;
	const dbvh_status status =
	    dbvh_check_clearance( a, q->pose_a, b, q->poses_b, &query, q->options.workspace, &r, &web_error );
	*out = ( dbvh_collide_result ){ .verdict = r.within ? DBVH_INTERSECTING : DBVH_DISJOINT,
	                                .first = r.first,
	                                .pair_count = r.pair_count,
	                                .pair_written = r.pair_written };
	return status;
}

// Lists all pairs of triangles that intersect, or that are at most max_distance apart where that is not negative. The
// row is that of web_collide(); the pairs are in the list.
dbvh_status WEB_EXPORT( web_pairs )( const dbvh_tree *a, const double *pose_a, const dbvh_tree *b, double *pose_b,
                                     double max_distance, double max_work, double *out ) {
	web_query q;
	pair_list list;
	dbvh_collide_result r = { 0 };
	dbvh_status status;
	if ( !web_read_query( &q, pose_a, pose_b, 1, max_work, 0 ) )
		return DBVH_OUT_OF_MEMORY;
	do {
		if ( !has_room( &list, r.pair_count ) )
			return DBVH_OUT_OF_MEMORY;
		const dbvh_collide_query query = {
		    .find = DBVH_FIND_ALL, .pairs = list.pairs, .pair_capacity = list.capacity, .budget = q.budget };
		status = max_distance >= 0
		             ? list_near( a, b, &q, max_distance, &list, &r )
		             : dbvh_collide( a, q.pose_a, b, q.poses_b, &query, q.options.workspace, &r, &web_error );
	} while ( status == DBVH_OK && r.pair_count > r.pair_written );
	r.status = status;
	r.pair_count = r.pair_written;
	write_collide( &r, out );
	return status;
}

dbvh_status WEB_EXPORT( web_self )( const dbvh_tree *tree, dbvh_find find, double max_work, double *out ) {
	web_query q;
	pair_list list;
	dbvh_collide_result r = { 0 };
	dbvh_status status;
	const bool lists = find == DBVH_FIND_ALL;
	if ( !web_read_query( &q, NULL, NULL, 0, max_work, 0 ) )
		return DBVH_OUT_OF_MEMORY;
	do {
		if ( !has_room( &list, r.pair_count ) )
			return DBVH_OUT_OF_MEMORY;
		const dbvh_collide_query query = { .find = find,
		                                   .pairs = lists ? list.pairs : NULL,
		                                   .pair_capacity = lists ? list.capacity : 0,
		                                   .budget = q.budget };
		status = dbvh_self_collide( tree, &query, q.options.workspace, &r, &web_error );
	} while ( status == DBVH_OK && lists && r.pair_count > r.pair_written );
	r.status = status;
	if ( lists )
		r.pair_count = r.pair_written;
	write_collide( &r, out );
	return status;
}

dbvh_status WEB_EXPORT( web_clearance )( const dbvh_tree *a, const double *pose_a, const dbvh_tree *b, double *poses_b,
                                         size_t count, double max_distance, double max_work, double *out ) {
	web_query q;
	if ( !web_read_query( &q, pose_a, poses_b, count, max_work, sizeof( dbvh_clearance_result ) ) )
		return DBVH_OUT_OF_MEMORY;
	const dbvh_clearance_query query = { .max_distance = max_distance, .budget = q.budget };
	dbvh_clearance_result *results = q.results;
	const dbvh_status status =
	    dbvh_check_clearance_batch( a, q.pose_a, b, q.poses_b, count, &query, &q.options, results, &web_error );
	for ( size_t i = 0; i < count; ++i ) {
		const dbvh_clearance_result *r = &results[i];
		const double row[WEB_COLLIDE_COLUMNS] = { r->within, r->first.a, r->first.b, (double)r->pair_count, r->status };
		memcpy( out + WEB_COLLIDE_COLUMNS * i, row, sizeof row );
	}
	return status;
}

// ------------------------------------------------------------------------------------------------
// Distance

void web_write_distance( const dbvh_distance_result *r, double *out ) {
	*out++ = r->found;
	*out++ = r->distance;
	*out++ = r->pair.a;
	*out++ = r->pair.b;
	out = web_put( out, r->point_a, 3 );
	out = web_put( out, r->point_b, 3 );
	out = web_put( out, r->between, 3 );
	*out++ = r->at_least;
	*out = r->status;
}

dbvh_status WEB_EXPORT( web_distance )( const dbvh_tree *a, const double *pose_a, const dbvh_tree *b, double *poses_b,
                                        size_t count, double limit, double relative_error, double absolute_error,
                                        double max_work, double *out ) {
	web_query q;
	if ( !web_read_query( &q, pose_a, poses_b, count, max_work, sizeof( dbvh_distance_result ) ) )
		return DBVH_OUT_OF_MEMORY;
	const dbvh_distance_query query = {
	    .limit = limit, .relative_error = relative_error, .absolute_error = absolute_error, .budget = q.budget };
	dbvh_distance_result *results = q.results;
	dbvh_status status;
	if ( count == 1 )
		results->status = status =
		    dbvh_distance( a, q.pose_a, b, q.poses_b, &query, q.options.workspace, results, &web_error );
	else
		status = dbvh_distance_batch( a, q.pose_a, b, q.poses_b, count, &query, &q.options, results, &web_error );
	for ( size_t i = 0; i < count; ++i )
		web_write_distance( &results[i], out + WEB_DISTANCE_COLUMNS * i );
	return status;
}

// ------------------------------------------------------------------------------------------------
// Relation

void web_write_relation( const dbvh_relate_result *r, double *out ) {
	const double row[WEB_RELATE_COLUMNS] = { r->relation,
	                                         r->exact,
	                                         r->surface_relation,
	                                         r->undecided,
	                                         r->ambiguous_a,
	                                         r->ambiguous_b,
	                                         r->surfaces_intersect,
	                                         r->first.a,
	                                         r->first.b,
	                                         r->separation[0],
	                                         r->separation[1],
	                                         r->separation[2],
	                                         (double)r->doubt_a.open_component,
	                                         (double)r->doubt_a.held_component,
	                                         (double)r->doubt_b.open_component,
	                                         (double)r->doubt_b.held_component,
	                                         r->status };
	memcpy( out, row, sizeof row );
}

dbvh_status WEB_EXPORT( web_relate )( const dbvh_tree *a, const double *pose_a, const dbvh_tree *b, double *poses_b,
                                      size_t count, double touch_gap, double touch_overlap, bool open_holds_nothing,
                                      double max_work, double *out ) {
	web_query q;
	if ( !web_read_query( &q, pose_a, poses_b, count, max_work, sizeof( dbvh_relate_result ) ) )
		return DBVH_OUT_OF_MEMORY;
	const dbvh_relate_query query = { .touch_gap = touch_gap,
	                                  .touch_overlap = touch_overlap,
	                                  .open_holds_nothing = open_holds_nothing,
	                                  .budget = q.budget };
	dbvh_relate_result *results = q.results;
	const dbvh_status status =
	    dbvh_relate_batch( a, q.pose_a, b, q.poses_b, count, &query, &q.options, results, &web_error );
	for ( size_t i = 0; i < count; ++i )
		web_write_relation( &results[i], out + WEB_RELATE_COLUMNS * i );
	return status;
}

// ------------------------------------------------------------------------------------------------
// Time of impact

static void write_toi( const dbvh_toi_result *r, double *out ) {
	*out++ = r->verdict;
	*out++ = r->time;
	*out++ = r->upper;
	*out++ = r->distance;
	*out++ = r->pair.a;
	*out++ = r->pair.b;
	out = web_put( out, r->point_a, 3 );
	out = web_put( out, r->point_b, 3 );
	out = web_put( out, r->normal, 3 );
	*out = r->status;
}

// Motions are structures of 22 doubles, as web_motion_between() writes them.
_Static_assert( sizeof( dbvh_motion ) == 22 * sizeof( double ), "a motion is 22 doubles" );

dbvh_status WEB_EXPORT( web_time_of_impact )( const dbvh_tree *a, const dbvh_motion *motion_a, const dbvh_tree *b,
                                              const dbvh_motion *motions_b, size_t count, double tolerance,
                                              double start, double max_work, double *out ) {
	web_query q;
	if ( !web_read_query( &q, NULL, NULL, count, max_work, sizeof( dbvh_toi_result ) ) )
		return DBVH_OUT_OF_MEMORY;
	const dbvh_toi_query query = { .tolerance = tolerance, .start = start, .budget = q.budget };
	dbvh_toi_result *results = q.results;
	const dbvh_status status =
	    dbvh_time_of_impact_batch( a, motion_a, b, motions_b, count, &query, &q.options, results, &web_error );
	for ( size_t i = 0; i < count; ++i )
		write_toi( &results[i], out + WEB_TOI_COLUMNS * i );
	return status;
}

dbvh_status WEB_EXPORT( web_motion_between )( const double *from, const double *to, const double *centre,
                                              dbvh_motion *out ) {
	dbvh_pose rooms[2];
	return dbvh_motion_between( web_pose( from, &rooms[0] ), web_pose( to, &rooms[1] ), centre, out, &web_error );
}

void WEB_EXPORT( web_motion_translation )( const double *from, const double *shift, dbvh_motion *out ) {
	dbvh_pose room;
	*out = dbvh_motion_translation( web_pose( from, &room ), shift );
}

// Writes the pose at time t as sixteen doubles, column-major.
void WEB_EXPORT( web_motion_pose )( const dbvh_motion *motion, double t, double *out ) {
	const dbvh_pose pose = dbvh_motion_pose( motion, t );
	for ( int column = 0; column < 4; ++column ) {
		for ( int row = 0; row < 3; ++row )
			*out++ = column < 3 ? pose.rot[row][column] : pose.pos[row];
		*out++ = column < 3 ? 0 : 1;
	}
}
