// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Ray casts and closest points: what one call and a batch check and prepare.

#include "base/assert.h"
#include "base/fpenv.h"
#include "base/parallel.h"
#include "base/status.h"
#include "math/pose.h"
#include "query/raycast/raycast.h"

#include <assert.h>
#include <math.h>

#define U 0x1p-53

static double sum3( const double x[3] ) {
	return fabs( x[0] ) + fabs( x[1] ) + fabs( x[2] );
}

dbvh_status dbvhi_placed_init( const dbvh_tree *tree, const dbvh_pose *pose, dbvhi_placed_mesh *out ) {
	DBVHI_ASSERT( tree != NULL && out != NULL );
	*out = ( dbvhi_placed_mesh ){ .tree = tree, .to_mesh = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
	if ( pose == NULL )
		return DBVH_OK;
	const dbvh_status status = dbvh_pose_check( pose, &out->deviation );
	if ( status != DBVH_OK )
		return status;
	out->pose = pose;
	out->error = dbvhi_move_error( pose, tree->largest );
	out->offset = sum3( pose->pos );
	// The matrix as it is, not its transpose: the pose is taken literally.
	const double( *m )[3] = pose->rot;
	double cofactor[3][3];
	for ( int i = 0; i < 3; ++i ) {
		const int i1 = ( i + 1 ) % 3, i2 = ( i + 2 ) % 3;
		for ( int j = 0; j < 3; ++j ) {
			const int j1 = ( j + 1 ) % 3, j2 = ( j + 2 ) % 3;
			cofactor[i][j] = m[i1][j1] * m[i2][j2] - m[i1][j2] * m[i2][j1];
		}
	}
	const double det = m[0][0] * cofactor[0][0] + m[0][1] * cofactor[0][1] + m[0][2] * cofactor[0][2];
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			out->to_mesh[j][i] = cofactor[i][j] / det;
	}
	return DBVH_OK;
}

dbvhi_vec dbvhi_placed_direction( const dbvhi_placed_mesh *placed, const double direction[3] ) {
	dbvhi_vec out;
	for ( int i = 0; i < 3; ++i )
		out.v[i] = placed->to_mesh[i][0] * direction[0] + placed->to_mesh[i][1] * direction[1] +
		           placed->to_mesh[i][2] * direction[2];
	return out;
}

// The inverse is off by less than 20 u in each entry, and the difference and the product round four times: 100 u of the
// sums of magnitudes covers a coordinate.
dbvhi_vec dbvhi_placed_point( const dbvhi_placed_mesh *placed, const double point[3], double *error_out ) {
	if ( placed->pose == NULL ) {
		*error_out = 0.0;
		return ( dbvhi_vec ){ { point[0], point[1], point[2] } };
	}
	double away[3];
	for ( int i = 0; i < 3; ++i )
		away[i] = point[i] - placed->pose->pos[i];
	*error_out = 128.0 * U * ( sum3( point ) + placed->offset );
	return dbvhi_placed_direction( placed, away );
}

// ------------------------------------------------------------------------------------------------
// One at a time

bool dbvhi_raycast_query_is_valid( const dbvh_raycast_query *query ) {
	return (unsigned)query->find <= DBVH_FIND_CLOSEST && ( query->hit_capacity == 0 || query->hits != NULL );
}

// A ray, or a segment: `to` is the direction of the one and the end of the other.
static DBVHI_BEHIND dbvh_status do_raycast( const dbvh_tree *tree, const dbvh_pose *pose, const double *from,
                                            const double *to, bool is_ray, const dbvh_raycast_query *query,
                                            dbvh_workspace *workspace, dbvh_raycast_result *result_out ) {
	if ( result_out == NULL )
		return DBVH_INVALID_ARGUMENT;
	memset( result_out, 0, sizeof *result_out );
	const dbvh_raycast_query any = { .find = DBVH_FIND_ANY };
	const dbvh_raycast_query *q = query != NULL ? query : &any;
	if ( tree == NULL || from == NULL || !dbvhi_raycast_query_is_valid( q ) )
		return DBVH_INVALID_ARGUMENT;
	dbvhi_placed_mesh placed;
	dbvh_status status = dbvhi_placed_init( tree, pose, &placed );
	if ( status != DBVH_OK )
		return status;
	dbvh_workspace *own;
	status = dbvhi_workspace_borrow( &workspace, tree, &own );
	if ( status == DBVH_OK )
		status = dbvhi_workspace_require( workspace, tree, tree, q->find == DBVH_FIND_ALL ? q->hit_capacity : 0 );
	if ( status == DBVH_OK )
		status = dbvhi_raycast( &placed, from, to, is_ray, q, workspace, result_out );
	dbvh_workspace_destroy( own );
	return status;
}

dbvh_status dbvh_raycast( const dbvh_tree *tree, const dbvh_pose *pose, const dbvh_ray *ray,
                          const dbvh_raycast_query *query, dbvh_workspace *workspace, dbvh_raycast_result *result_out,
                          dbvh_error *error ) {
	const double *from = ray != NULL ? ray->from : NULL, *direction = ray != NULL ? ray->direction : NULL;
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, dbvhi_error_report( error, do_raycast( tree, pose, from, direction, true,
	                                                                            query, workspace, result_out ) ) );
}

dbvh_status dbvh_segment_cast( const dbvh_tree *tree, const dbvh_pose *pose, const dbvh_segment *segment,
                               const dbvh_raycast_query *query, dbvh_workspace *workspace,
                               dbvh_raycast_result *result_out, dbvh_error *error ) {
	const double *from = segment != NULL ? segment->from : NULL, *to = segment != NULL ? segment->to : NULL;
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, dbvhi_error_report( error, do_raycast( tree, pose, from, to, false, query,
	                                                                            workspace, result_out ) ) );
}

static DBVHI_BEHIND dbvh_status do_closest_point( const dbvh_tree *tree, const dbvh_pose *pose, const double point[3],
                                                  double max_distance, dbvh_workspace *workspace,
                                                  dbvh_closest_point_result *closest_out ) {
	if ( closest_out == NULL )
		return DBVH_INVALID_ARGUMENT;
	memset( closest_out, 0, sizeof *closest_out );
	if ( tree == NULL || point == NULL || !( max_distance >= 0.0 ) )
		return DBVH_INVALID_ARGUMENT;
	dbvhi_placed_mesh placed;
	dbvh_status status = dbvhi_placed_init( tree, pose, &placed );
	if ( status != DBVH_OK )
		return status;
	dbvh_workspace *own;
	status = dbvhi_workspace_borrow( &workspace, tree, &own );
	if ( status == DBVH_OK )
		status = dbvhi_workspace_require( workspace, tree, tree, 0 );
	if ( status == DBVH_OK )
		status = dbvhi_closest_point( &placed, point, max_distance, workspace, closest_out );
	dbvh_workspace_destroy( own );
	return status;
}

dbvh_status dbvh_closest_point( const dbvh_tree *tree, const dbvh_pose *pose, const double point[3],
                                double max_distance, dbvh_workspace *workspace, dbvh_closest_point_result *closest_out,
                                dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, dbvhi_error_report( error, do_closest_point( tree, pose, point, max_distance,
	                                                                                  workspace, closest_out ) ) );
}

// ------------------------------------------------------------------------------------------------
// Many

typedef struct batch {
	dbvhi_placed_mesh placed;
	dbvh_workspace *workspace;
	// A ray, or a segment, is six doubles.
	const double *lines;
	bool is_ray;
	const dbvh_raycast_query *query;
	const size_t *hit_begin; // NULL where no hits are wanted
	dbvh_raycast_result *line_results;
	const double *points;
	double max_distance;
	dbvh_closest_point_result *nearest;
} batch;

static void one_line( void *context, size_t i, uint32_t thread ) {
	const batch *t = context;
	dbvh_raycast_query query = *t->query;
	if ( t->hit_begin != NULL ) {
		query.hits += t->hit_begin[i];
		query.hit_capacity = t->hit_begin[i + 1] - t->hit_begin[i];
	}
	dbvh_raycast_result *result = &t->line_results[i];
	result->status = dbvhi_raycast( &t->placed, t->lines + 6 * i, t->lines + 6 * i + 3, t->is_ray, &query,
	                                dbvhi_workspace_of( t->workspace, thread ), result );
}

static void one_point( void *context, size_t i, uint32_t thread ) {
	const batch *t = context;
	dbvh_closest_point_result *result = &t->nearest[i];
	result->status = dbvhi_closest_point( &t->placed, t->points + 3 * i, t->max_distance,
	                                      dbvhi_workspace_of( t->workspace, thread ), result );
}

// The most lines or points that a thread is handed at a time.
#define MOST_QUERIES 256

static dbvh_status run_batch( batch *work, size_t count, size_t room, const dbvh_batch_options *options,
                              dbvhi_task *task, dbvh_error *error ) {
	DBVHI_ASSERT( work->placed.tree != NULL );
	const dbvh_batch_options defaults = { .thread_count = 0 };
	const dbvh_batch_options *o = options != NULL ? options : &defaults;
	uint32_t thread_count = dbvhi_thread_count( o->thread_count );
	if ( count < thread_count )
		thread_count = count > 0 ? (uint32_t)count : 1;
	const dbvh_tree *tree = work->placed.tree;
	dbvh_workspace *own;
	work->workspace = o->workspace;
	dbvh_status status = dbvhi_workspace_borrow( &work->workspace, work->placed.tree, &own );
	if ( status == DBVH_OK )
		status = dbvhi_workspace_require( work->workspace, tree, tree, room );
	if ( status == DBVH_OK && thread_count > 1 )
		status = dbvhi_workspace_require_helpers( work->workspace, tree, tree, room, thread_count );
	if ( status == DBVH_OK )
		dbvhi_parallel_for( count, dbvhi_grain( o->grain, count, thread_count, MOST_QUERIES ), thread_count, task,
		                    work );
	else
		dbvhi_error_status( error, status );
	dbvh_workspace_destroy( own );
	return status;
}

static dbvh_status refuse( dbvh_error *error, const char *what, size_t i, dbvh_status status ) {
	if ( error != NULL )
		error->element = (int64_t)i;
	return dbvhi_error_set( error, status, "%s %zu: %s", what, i, dbvh_status_text( status ) );
}

static dbvh_status place_for( batch *work, const dbvh_tree *tree, const dbvh_pose *pose, dbvh_error *error ) {
	DBVHI_ASSERT( tree != NULL );
	const dbvh_status status = dbvhi_placed_init( tree, pose, &work->placed );
	return status == DBVH_OK ? status : dbvhi_pose_blame( error, status, pose, "the pose" );
}

// Sets *largest_out to the most room that a line has.
static bool regions_are_valid( const size_t *begin, size_t count, size_t capacity, size_t *largest_out ) {
	*largest_out = 0;
	if ( begin == NULL )
		return capacity == 0;
	for ( size_t i = 0; i < count; ++i ) {
		if ( begin[i] > begin[i + 1] )
			return false;
		const size_t room = begin[i + 1] - begin[i];
		*largest_out = room > *largest_out ? room : *largest_out;
	}
	return begin[count] <= capacity;
}

static DBVHI_BEHIND dbvh_status do_raycast_batch( const dbvh_tree *tree, const dbvh_pose *pose, const double *lines,
                                                  bool is_ray, size_t line_count, const dbvh_raycast_query *query,
                                                  const dbvh_batch_options *options, dbvh_raycast_result *results_out,
                                                  dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( results_out != NULL && line_count <= SIZE_MAX / sizeof *results_out )
		memset( results_out, 0, line_count * sizeof *results_out );
	const dbvh_raycast_query any = { .find = DBVH_FIND_ANY };
	dbvh_raycast_query q = query != NULL ? *query : any;
	if ( tree == NULL || ( line_count > 0 && ( lines == NULL || results_out == NULL ) ) )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "tree, %s or results_out is NULL",
		                        is_ray ? "rays" : "segments" );
	if ( !dbvhi_raycast_query_is_valid( &q ) )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "the query asks for what does not exist" );
	const size_t *begin = q.find == DBVH_FIND_ALL && options != NULL ? options->pair_begin : NULL;
	size_t room = 0;
	if ( q.find == DBVH_FIND_ALL && !regions_are_valid( begin, line_count, q.hit_capacity, &room ) )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT,
		                        "pair_begin does not divide the room for hits among the lines" );
	if ( room == 0 ) {
		begin = NULL;
		q.hit_capacity = 0;
	}
	batch work = { .lines = lines, .is_ray = is_ray, .query = &q, .hit_begin = begin, .line_results = results_out };
	dbvh_status status = place_for( &work, tree, pose, error );
	if ( status == DBVH_OK )
		status = run_batch( &work, line_count, room, options, one_line, error );
	for ( size_t i = 0; i < line_count && status == DBVH_OK; ++i ) {
		if ( results_out[i].status != DBVH_OK )
			return refuse( error, is_ray ? "ray" : "segment", i, results_out[i].status );
	}
	return status;
}

static_assert( sizeof( dbvh_ray ) == 6 * sizeof( double ) && sizeof( dbvh_segment ) == 6 * sizeof( double ),
               "rays and segments are six doubles" );

dbvh_status dbvh_raycast_batch( const dbvh_tree *tree, const dbvh_pose *pose, const dbvh_ray *rays, size_t ray_count,
                                const dbvh_raycast_query *query, const dbvh_batch_options *options,
                                dbvh_raycast_result *results_out, dbvh_error *error ) {
	const double *lines = (const double *)rays;
	DBVHI_IN_DEFAULT_FPENV(
	    dbvh_status, do_raycast_batch( tree, pose, lines, true, ray_count, query, options, results_out, error ) );
}

dbvh_status dbvh_segment_cast_batch( const dbvh_tree *tree, const dbvh_pose *pose, const dbvh_segment *segments,
                                     size_t segment_count, const dbvh_raycast_query *query,
                                     const dbvh_batch_options *options, dbvh_raycast_result *results_out,
                                     dbvh_error *error ) {
	const double *lines = (const double *)segments;
	DBVHI_IN_DEFAULT_FPENV(
	    dbvh_status, do_raycast_batch( tree, pose, lines, false, segment_count, query, options, results_out, error ) );
}

static DBVHI_BEHIND dbvh_status do_closest_point_batch( const dbvh_tree *tree, const dbvh_pose *pose,
                                                        const double *points, size_t point_count, double max_distance,
                                                        const dbvh_batch_options *options,
                                                        dbvh_closest_point_result *closest_out, dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( closest_out != NULL && point_count <= SIZE_MAX / sizeof *closest_out )
		memset( closest_out, 0, point_count * sizeof *closest_out );
	if ( tree == NULL || ( point_count > 0 && ( points == NULL || closest_out == NULL ) ) )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "the tree, the points or the results are null" );
	if ( !( max_distance >= 0.0 ) )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "the largest distance is negative or not a number" );
	batch work = { .points = points, .max_distance = max_distance, .nearest = closest_out };
	dbvh_status status = place_for( &work, tree, pose, error );
	if ( status == DBVH_OK )
		status = run_batch( &work, point_count, 0, options, one_point, error );
	for ( size_t i = 0; i < point_count && status == DBVH_OK; ++i ) {
		if ( closest_out[i].status != DBVH_OK )
			return refuse( error, "point", i, closest_out[i].status );
	}
	return status;
}

dbvh_status dbvh_closest_point_batch( const dbvh_tree *tree, const dbvh_pose *pose, const double *points,
                                      size_t point_count, double max_distance, const dbvh_batch_options *options,
                                      dbvh_closest_point_result *closest_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_closest_point_batch( tree, pose, points, point_count, max_distance, options,
	                                                             closest_out, error ) );
}
