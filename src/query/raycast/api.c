// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Ray casts and closest points: the public functions, one at a time and in batches.

#include "base/assert.h"
#include "base/fpenv.h"
#include "base/status.h"
#include "math/pose.h"
#include "query/common/arguments.h"
#include "query/common/batch.h"
#include "query/raycast/raycast.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

#define U 0x1p-53

dbvh_status dbvhi_placed_init( const dbvh_tree *tree, const dbvh_pose *pose, dbvhi_placed_mesh *out ) {
	DBVHI_ASSERT( tree != NULL && out != NULL );
	*out = ( dbvhi_placed_mesh ){ .tree = tree, .to_mesh = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
	if ( pose == NULL )
		return DBVH_OK;
	DBVHI_TRY( dbvh_pose_check( pose, &out->deviation, NULL ) );
	out->pose = pose;
	out->error = dbvhi_move_error( pose, tree->largest );
	out->offset = dbvhi_norm1( dbvhi_vec_of( pose->pos ) );
	// note: the inverse, not the transpose, since the pose is taken literally even if it is not quite a rotation.
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
	*error_out = 128.0 * U * ( dbvhi_norm1( dbvhi_vec_of( point ) ) + placed->offset );
	return dbvhi_placed_direction( placed, away );
}

// ------------------------------------------------------------------------------------------------
// One at a time

dbvh_raycast_query dbvh_raycast_query_default( void ) {
	return ( dbvh_raycast_query ){ .find = DBVH_FIND_ANY };
}

dbvh_closest_point_query dbvh_closest_point_query_default( void ) {
	return ( dbvh_closest_point_query ){ .limit = 0.0 };
}

static dbvh_status check_raycast( const dbvh_tree *tree, const dbvh_raycast_query *query, dbvh_error *error ) {
	DBVHI_TRY( dbvhi_check_given( tree, "tree", error ) );
	DBVHI_TRY( dbvhi_check_find( query->find, true, error ) );
	return dbvhi_check_room( query->hits, query->hit_capacity, "hit", error );
}

// Names of a ray or a segment and of its members, for errors.
typedef struct line_kind {
	bool is_ray;
	const char *one, *to, *many;
} line_kind;

static const line_kind kind_ray = { true, "ray", ".direction", "rays" };
static const line_kind kind_segment = { false, "segment", ".to", "segments" };

// Check that the six doubles of a ray or a segment are finite.
static dbvh_status check_line( const line_kind *kind, const double *line, const char *name, dbvh_error *error ) {
	dbvh_status status = dbvhi_check_finite( line, 3, ".from", error );
	if ( status == DBVH_OK )
		status = dbvhi_check_finite( line + 3, 3, kind->to, error );
	return dbvhi_blame_part( status, name, error );
}

static DBVHI_NOINLINE_FP dbvh_status do_raycast( const dbvh_tree *tree, const dbvh_pose *pose, const double *line,
                                                 const line_kind *kind, const dbvh_raycast_query *query,
                                                 dbvh_workspace *workspace, dbvh_raycast_result *result_out,
                                                 dbvh_error *error ) {
	DBVHI_TRY( dbvhi_answer_clear( result_out, sizeof *result_out, "result_out", error ) );
	const dbvh_raycast_query any = { .find = DBVH_FIND_ANY };
	const dbvh_raycast_query *q = query != NULL ? query : &any;
	DBVHI_TRY( check_raycast( tree, q, error ) );
	DBVHI_TRY( dbvhi_check_no_parts( q->hit_begin, "hit", error ) );
	DBVHI_TRY( dbvhi_check_given( line, kind->one, error ) );
	dbvhi_placed_mesh placed;
	dbvh_status status = dbvhi_placed_init( tree, pose, &placed );
	if ( status != DBVH_OK )
		return dbvhi_blame_pose( status, pose, "pose", error );
	dbvh_workspace *own;
	status = dbvhi_workspace_borrow( &workspace, tree, &own );
	if ( status == DBVH_OK )
		status = dbvhi_workspace_require( workspace, tree, tree, q->find == DBVH_FIND_ALL ? q->hit_capacity : 0 );
	if ( status == DBVH_OK )
		status = dbvhi_raycast( &placed, line, line + 3, kind->is_ray, q, workspace, result_out );
	dbvh_workspace_destroy( own );
	if ( status == DBVH_NOT_FINITE )
		check_line( kind, line, kind->one, error );
	return status;
}

dbvh_status dbvh_raycast( const dbvh_tree *tree, const dbvh_pose *pose, const dbvh_ray *ray,
                          const dbvh_raycast_query *query, dbvh_workspace *workspace, dbvh_raycast_result *result_out,
                          dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status,
	                        dbvhi_error_finish( error, do_raycast( tree, pose, (const double *)ray, &kind_ray, query,
	                                                               workspace, result_out, error ) ) );
}

dbvh_status dbvh_segment_cast( const dbvh_tree *tree, const dbvh_pose *pose, const dbvh_segment *segment,
                               const dbvh_raycast_query *query, dbvh_workspace *workspace,
                               dbvh_raycast_result *result_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status,
	                        dbvhi_error_finish( error, do_raycast( tree, pose, (const double *)segment, &kind_segment,
	                                                               query, workspace, result_out, error ) ) );
}

static dbvh_status check_closest( const dbvh_tree *tree, const dbvh_closest_point_query *query, dbvh_error *error ) {
	const dbvh_status status = dbvhi_check_given( tree, "tree", error );
	return status == DBVH_OK ? dbvhi_check_range( query->limit, INFINITY, "query.limit", error ) : status;
}

static DBVHI_NOINLINE_FP dbvh_status do_closest_point( const dbvh_tree *tree, const dbvh_pose *pose,
                                                       const double point[3], const dbvh_closest_point_query *query,
                                                       dbvh_workspace *workspace, dbvh_closest_point_result *result_out,
                                                       dbvh_error *error ) {
	DBVHI_TRY( dbvhi_answer_clear( result_out, sizeof *result_out, "result_out", error ) );
	const dbvh_closest_point_query plain = { .limit = 0.0 };
	const dbvh_closest_point_query *q = query != NULL ? query : &plain;
	DBVHI_TRY( check_closest( tree, q, error ) );
	DBVHI_TRY( dbvhi_check_given( point, "point", error ) );
	dbvhi_placed_mesh placed;
	dbvh_status status = dbvhi_placed_init( tree, pose, &placed );
	if ( status != DBVH_OK )
		return dbvhi_blame_pose( status, pose, "pose", error );
	dbvh_workspace *own;
	status = dbvhi_workspace_borrow( &workspace, tree, &own );
	if ( status == DBVH_OK )
		status = dbvhi_workspace_require( workspace, tree, tree, 0 );
	if ( status == DBVH_OK )
		status = dbvhi_closest_point( &placed, point, q, workspace, result_out );
	dbvh_workspace_destroy( own );
	if ( status == DBVH_NOT_FINITE )
		dbvhi_check_finite( point, 3, "point", error );
	return status;
}

dbvh_status dbvh_closest_point( const dbvh_tree *tree, const dbvh_pose *pose, const double point[3],
                                const dbvh_closest_point_query *query, dbvh_workspace *workspace,
                                dbvh_closest_point_result *result_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV(
	    dbvh_status,
	    dbvhi_error_finish( error, do_closest_point( tree, pose, point, query, workspace, result_out, error ) ) );
}

// ------------------------------------------------------------------------------------------------
// Many

typedef struct work {
	dbvhi_placed_mesh placed;
	const line_kind *kind;
	dbvh_raycast_query raycast;
	dbvh_closest_point_query closest;
} work;

static dbvh_status one_line( const dbvhi_batch *batch, size_t i, const dbvh_budget *budget, dbvh_workspace *workspace,
                             void *result ) {
	const work *w = batch->query;
	const double *line = (const double *)batch->list + 6 * i;
	dbvh_raycast_query query = w->raycast;
	query.budget = budget;
	query.hit_capacity = 0;
	if ( batch->parts != NULL ) {
		query.hits += batch->parts[i];
		query.hit_capacity = batch->parts[i + 1] - batch->parts[i];
	}
	return dbvhi_raycast( &w->placed, line, line + 3, w->kind->is_ray, &query, workspace, result );
}

static void blame_line( const dbvhi_batch *batch, size_t i, dbvh_status status, dbvh_error *error ) {
	(void)status;
	check_line( ( (const work *)batch->query )->kind, (const double *)batch->list + 6 * i, "", error );
}

static dbvh_status one_point( const dbvhi_batch *batch, size_t i, const dbvh_budget *budget, dbvh_workspace *workspace,
                              void *result ) {
	const work *w = batch->query;
	dbvh_closest_point_query query = w->closest;
	query.budget = budget;
	return dbvhi_closest_point( &w->placed, (const double *)batch->list + 3 * i, &query, workspace, result );
}

static void blame_point( const dbvhi_batch *batch, size_t i, dbvh_status status, dbvh_error *error ) {
	(void)status;
	dbvhi_check_finite( (const double *)batch->list + 3 * i, 3, "", error );
}

// The most lines or points that a thread is handed at a time.
#define MOST_QUERIES 256

static DBVHI_NOINLINE_FP dbvh_status do_raycast_batch( const dbvh_tree *tree, const dbvh_pose *pose,
                                                       const double *lines, const line_kind *kind, size_t line_count,
                                                       const dbvh_raycast_query *query,
                                                       const dbvh_batch_options *options,
                                                       dbvh_raycast_result *results_out, dbvh_error *error ) {
	dbvhi_batch_clear( results_out, line_count, sizeof *results_out, error );
	const dbvh_raycast_query any = { .find = DBVH_FIND_ANY };
	const dbvh_raycast_query *q = query != NULL ? query : &any;
	DBVHI_TRY( check_raycast( tree, q, error ) );
	work w = { .kind = kind, .raycast = *q };
	DBVHI_TRY( dbvhi_blame_pose( dbvhi_placed_init( tree, pose, &w.placed ), pose, "pose", error ) );
	dbvhi_batch batch = { .a = tree,
	                      .b = tree,
	                      .query = &w,
	                      .budget = q->budget,
	                      .list = lines,
	                      .name = kind->many,
	                      .count = line_count,
	                      .most = MOST_QUERIES,
	                      .results = results_out,
	                      .result_size = sizeof *results_out,
	                      .status_at = offsetof( dbvh_raycast_result, status ),
	                      .ask = one_line,
	                      .blame = blame_line };
	if ( q->find == DBVH_FIND_ALL )
		DBVHI_TRY( dbvhi_batch_divide( &batch, q->hit_begin, q->hit_capacity, "hit", error ) );
	return dbvhi_batch_run( &batch, options, error );
}

static_assert( sizeof( dbvh_ray ) == 6 * sizeof( double ) && sizeof( dbvh_segment ) == 6 * sizeof( double ),
               "rays and segments are six doubles" );

dbvh_status dbvh_raycast_batch( const dbvh_tree *tree, const dbvh_pose *pose, const dbvh_ray *rays, size_t ray_count,
                                const dbvh_raycast_query *query, const dbvh_batch_options *options,
                                dbvh_raycast_result *results_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV(
	    dbvh_status, dbvhi_error_finish( error, do_raycast_batch( tree, pose, (const double *)rays, &kind_ray,
	                                                              ray_count, query, options, results_out, error ) ) );
}

dbvh_status dbvh_segment_cast_batch( const dbvh_tree *tree, const dbvh_pose *pose, const dbvh_segment *segments,
                                     size_t segment_count, const dbvh_raycast_query *query,
                                     const dbvh_batch_options *options, dbvh_raycast_result *results_out,
                                     dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV(
	    dbvh_status,
	    dbvhi_error_finish( error, do_raycast_batch( tree, pose, (const double *)segments, &kind_segment, segment_count,
	                                                 query, options, results_out, error ) ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_closest_point_batch( const dbvh_tree *tree, const dbvh_pose *pose,
                                                             const double *points, size_t point_count,
                                                             const dbvh_closest_point_query *query,
                                                             const dbvh_batch_options *options,
                                                             dbvh_closest_point_result *results_out,
                                                             dbvh_error *error ) {
	dbvhi_batch_clear( results_out, point_count, sizeof *results_out, error );
	const dbvh_closest_point_query plain = { .limit = 0.0 };
	const dbvh_closest_point_query *q = query != NULL ? query : &plain;
	DBVHI_TRY( check_closest( tree, q, error ) );
	work w = { .closest = *q };
	DBVHI_TRY( dbvhi_blame_pose( dbvhi_placed_init( tree, pose, &w.placed ), pose, "pose", error ) );
	const dbvhi_batch batch = { .a = tree,
	                            .b = tree,
	                            .query = &w,
	                            .budget = q->budget,
	                            .list = points,
	                            .name = "points",
	                            .count = point_count,
	                            .most = MOST_QUERIES,
	                            .results = results_out,
	                            .result_size = sizeof *results_out,
	                            .status_at = offsetof( dbvh_closest_point_result, status ),
	                            .ask = one_point,
	                            .blame = blame_point };
	return dbvhi_batch_run( &batch, options, error );
}

dbvh_status dbvh_closest_point_batch( const dbvh_tree *tree, const dbvh_pose *pose, const double *points,
                                      size_t point_count, const dbvh_closest_point_query *query,
                                      const dbvh_batch_options *options, dbvh_closest_point_result *results_out,
                                      dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status,
	                        dbvhi_error_finish( error, do_closest_point_batch( tree, pose, points, point_count, query,
	                                                                           options, results_out, error ) ) );
}
