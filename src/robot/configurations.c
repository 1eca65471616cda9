// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Configurations by their joints: placed some hundreds at a time, and asked about as configurations of a scene.

#include "base/fpenv.h"
#include "base/status.h"
#include "query/common/account.h"
#include "query/common/arguments.h"
#include "robot/robot.h"
#include "scene/scene.h"

#include <math.h>
#include <string.h>

// Configurations that are placed in a row. A multiple of the block of scene/batch.c, so that answers are those of one
// call.
#define AT_ONCE 1024

typedef struct run {
	const dbvh_robot *robot;
	dbvh_scene *scene;
	dbvh_robot_layout layout;
	const double *q;
	size_t count, before; // configurations, and those that are done
	const dbvh_configurations_query *query;
	const dbvh_budget *budget; // the query's, or the scene's; NULL: none
	dbvh_configuration_result *results;
	uint32_t *bodies;
	dbvh_pose *poses;
	dbvh_error *error;
} run;

static bool on_progress( void *user, size_t done, size_t total ) {
	const run *r = user;
	(void)total;
	return r->query->progress( r->query->user, r->before + done, r->count );
}

// Places the bodies in a configuration. One that is refused gets poses that the scene refuses with the same status.
static void place_row( run *r, size_t row, dbvh_pose *poses_out ) {
	const double *q = dbvhi_robot_row( r->robot, r->layout, r->q, row );
	const dbvh_status status = dbvhi_robot_check_row( r->robot, r->layout, q );
	if ( status == DBVH_OK ) {
		(void)dbvh_robot_place( r->robot, r->layout, q, 1, NULL, poses_out, NULL );
		return;
	}
	for ( size_t i = 0; i < r->robot->attached_count; ++i ) {
		poses_out[i] = dbvh_pose_identity();
		poses_out[i].rot[0][0] = status == DBVH_NOT_FINITE ? NAN : 2.0;
	}
}

// Refuses rows of a robot that carries no body, about which the scene is told nothing.
static void refuse_rows( run *r, size_t count ) {
	for ( size_t i = 0; i < count; ++i ) {
		const double *q = dbvhi_robot_row( r->robot, r->layout, r->q, r->before + i );
		const dbvh_status status = dbvhi_robot_check_row( r->robot, r->layout, q );
		if ( status != DBVH_OK )
			r->results[r->before + i] = ( dbvh_configuration_result ){ .status = status };
	}
}

// Asks about the next configurations. `spent` is what they took.
static dbvh_status ask_some( run *r, size_t count, uint64_t *spent ) {
	dbvh_configurations_query query = *r->query;
	dbvh_budget budget = r->budget != NULL ? *r->budget : dbvh_budget_default();
	for ( size_t i = 0; i < count; ++i )
		place_row( r, r->before + i, r->poses + i * r->robot->attached_count );
	if ( budget.max_total > 0 )
		budget.max_total -= *spent;
	budget.spent = spent;
	query.budget = r->budget != NULL ? &budget : NULL;
	query.bodies = r->bodies;
	query.body_count = r->robot->attached_count;
	query.pair_begin = query.pair_begin != NULL ? query.pair_begin + r->before : NULL;
	query.progress = query.progress != NULL ? on_progress : NULL;
	query.user = r;
	const dbvh_status status =
	    dbvh_scene_collide_batch( r->scene, r->poses, count, &query, r->results + r->before, r->error );
	if ( r->robot->attached_count == 0 && status == DBVH_OK )
		refuse_rows( r, count );
	return status;
}

// Returns why nothing more is asked, or OK.
static dbvh_status end_of( const run *r, dbvh_status status, uint64_t spent ) {
	if ( status == DBVH_CANCELLED )
		return status;
	return r->budget != NULL && r->budget->max_total > 0 && spent >= r->budget->max_total ? DBVH_BUDGET_SPENT : DBVH_OK;
}

// Is the failure that of single configurations?
static bool is_of_elements( dbvh_status status ) {
	return dbvhi_has_results( status ) || status == DBVH_NOT_FINITE || status == DBVH_NOT_RIGID;
}

static dbvh_status first_failure( const run *r ) {
	for ( size_t i = 0; i < r->count; ++i ) {
		const dbvh_status status = r->results[i].status;
		if ( status == DBVH_NOT_FINITE || status == DBVH_NOT_RIGID )
			return dbvhi_robot_blame_row( status, i, r->error );
		if ( status == DBVH_OK )
			continue;
		dbvhi_error_set( r->error, status, "configuration %zu: %s", i, dbvh_status_text( status ) );
		if ( r->error != NULL )
			r->error->element = (int64_t)i;
		return status;
	}
	dbvhi_error_clear( r->error );
	return DBVH_OK;
}

static dbvh_status run_all( run *r ) {
	uint64_t spent = 0;
	dbvh_status over = DBVH_OK;
	while ( r->before < r->count && over == DBVH_OK ) {
		const size_t left = r->count - r->before, count = left < AT_ONCE ? left : AT_ONCE;
		const dbvh_status status = ask_some( r, count, &spent );
		if ( !is_of_elements( status ) )
			return status;
		r->before += count;
		over = end_of( r, status, spent );
	}
	for ( ; r->before < r->count; ++r->before )
		r->results[r->before] = ( dbvh_configuration_result ){ .status = over };
	if ( r->budget != NULL && r->budget->spent != NULL )
		*r->budget->spent += spent;
	return first_failure( r );
}

static dbvh_status check_call( const dbvh_robot *robot, const dbvh_scene *scene, dbvh_robot_layout layout,
                               const double *q, size_t count, const dbvh_configurations_query *query,
                               const dbvh_configuration_result *results_out, dbvh_error *error ) {
	DBVHI_TRY( dbvhi_robot_check_layout( robot, layout, error ) );
	DBVHI_TRY( dbvhi_check_given( scene, "scene", error ) );
	if ( count > 0 && robot->width[layout] > 0 )
		DBVHI_TRY( dbvhi_check_given( q, "q", error ) );
	if ( count > 0 )
		DBVHI_TRY( dbvhi_check_given( results_out, "results_out", error ) );
	if ( query->bodies != NULL || query->body_count > 0 )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT,
		                        "query.bodies is given: the bodies are those that are attached to the robot" );
	return DBVH_OK;
}

static DBVHI_NOINLINE_FP dbvh_status do_robot_collide_batch( const dbvh_robot *robot, dbvh_scene *scene,
                                                             dbvh_robot_layout layout, const double *q, size_t count,
                                                             const dbvh_configurations_query *query,
                                                             dbvh_configuration_result *results_out,
                                                             dbvh_error *error ) {
	dbvhi_error_clear( error );
	const dbvh_configurations_query standard = dbvh_configurations_query_default();
	query = query != NULL ? query : &standard;
	DBVHI_TRY( check_call( robot, scene, layout, q, count, query, results_out, error ) );
	run r = { .robot = robot,
	          .scene = scene,
	          .layout = layout,
	          .q = q,
	          .count = count,
	          .query = query,
	          .budget = dbvhi_scene_budget( scene, query->budget ),
	          .results = results_out,
	          .error = error };
	const size_t bodies = robot->attached_count, some = count < AT_ONCE ? count : AT_ONCE;
	r.bodies = dbvhi_alloc( &robot->allocator, bodies + 1, sizeof *r.bodies );
	r.poses = dbvhi_alloc( &robot->allocator, bodies * some + 1, sizeof *r.poses );
	dbvh_status status = DBVH_OUT_OF_MEMORY;
	if ( r.bodies != NULL && r.poses != NULL ) {
		for ( size_t i = 0; i < bodies; ++i )
			r.bodies[i] = robot->attached[i].body;
		status = run_all( &r );
	} else {
		dbvhi_error_status( error, status );
	}
	dbvhi_free( &robot->allocator, r.bodies, bodies + 1, sizeof *r.bodies );
	dbvhi_free( &robot->allocator, r.poses, bodies * some + 1, sizeof *r.poses );
	return status;
}

dbvh_status dbvh_robot_collide_batch( const dbvh_robot *robot, dbvh_scene *scene, dbvh_robot_layout layout,
                                      const double *q, size_t count, const dbvh_configurations_query *query,
                                      dbvh_configuration_result *results_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status,
	                        do_robot_collide_batch( robot, scene, layout, q, count, query, results_out, error ) );
}
