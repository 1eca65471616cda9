// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "base/assert.h"
#include "base/fpenv.h"
#include "base/parallel.h"
#include "base/status.h"
#include "query/collide/collide.h"
#include "query/common/arguments.h"
#include "query/common/roots.h"
#include "reference/reference.h"

#include <string.h>

dbvh_status dbvhi_check_collide_query( const dbvh_collide_query *query, dbvh_error *error ) {
	DBVHI_TRY( dbvhi_check_find( query->find, false, error ) );
	DBVHI_TRY( dbvhi_check_policy( query->policy, error ) );
	return dbvhi_check_room( query->pairs, query->pair_capacity, "pair", error );
}

const char *dbvh_verdict_name( dbvh_verdict verdict ) {
	return verdict == DBVH_DISJOINT ? "DISJOINT" : verdict == DBVH_INTERSECTING ? "INTERSECTING" : "?";
}

// Run a traversal without the packed form of both trees in the unit of the mesh, or beyond the reach of floats there:
// that of packed forms in one unit of their own, or the reference.
static __attribute__( ( noinline ) ) void traverse_others( dbvhi_pair_search *search,
                                                           const dbvhi_collide_options *options, dbvh_policy policy,
                                                           uint32_t thread_count ) {
	const dbvhi_mesh_pair *m = &search->meshes;
	if ( options->max_distance == 0.0 && dbvhi_mesh_pair_is_scaled( m, policy ) )
		dbvhi_traverse_scaled( search );
	else
		dbvhi_reference_collide( search, policy, dbvhi_is_packed( m->fixed, m->moved, policy ) ? 1 : thread_count );
}

// Run the traversal for a pair.
static void run_traversal( dbvhi_pair_search *search, const dbvhi_collide_options *options, dbvh_policy policy,
                           uint32_t thread_count ) {
	const dbvhi_mesh_pair *m = &search->meshes;
	if ( !dbvhi_mesh_pair_is_packed( m, policy ) )
		traverse_others( search, options, policy, thread_count );
	else if ( options->max_distance > 0.0 )
		options->traverse_packed( search, thread_count );
	else if ( dbvhi_pair_is_small( m ) )
		dbvhi_traverse_small( search );
	else if ( thread_count > 1 )
		dbvhi_traverse_parallel( search, thread_count );
	else
		dbvhi_traverse_packed( search, options->start );
}

// Search a pair whose roots are near each other, in a workspace that is large enough; `spent` counts the tests that
// have shown it.
static dbvh_status search_pair( const dbvhi_mesh_pair *meshes, const dbvh_counters *spent,
                                const dbvhi_collide_options *options, const dbvh_collide_query *query,
                                uint32_t thread_count, dbvh_workspace *workspace, dbvh_collide_result *result ) {
	DBVHI_ASSERT( workspace != NULL );
	DBVHI_ASSERT( thread_count >= 1 );
	dbvhi_pair_search search = {
	    .meshes = *meshes,
	    .find_all = query->find == DBVH_FIND_ALL,
	    .max_distance = options->max_distance,
	    .distinct = options->distinct,
	    .ellipsoids = query->policy == DBVH_POLICY_PACKED         ? DBVHI_NO_ELLIPSOIDS
	                  : query->policy == DBVH_POLICY_PACKED_MIXED ? DBVHI_MIXED_ELLIPSOIDS
	                                                              : DBVHI_PAIRED_ELLIPSOIDS,
	    .workspace = workspace,
	    .key_capacity = query->find == DBVH_FIND_ALL ? query->pair_capacity : 0,
	    .lowest_key = UINT64_MAX,
	    .counters = *spent,
	};
	dbvhi_pair_search_begin( &search );
	dbvhi_purse purse;
	dbvhi_meter own;
	dbvhi_meter_open( &own, &purse, query->budget );
	search.work.meter = options->meter != NULL ? options->meter : query->budget != NULL ? &own : NULL;
	run_traversal( &search, options, query->policy, thread_count );
	if ( options->meter == NULL && query->budget != NULL )
		dbvhi_meter_close( &own );
	if ( options->last_out != NULL && search.has_last )
		*options->last_out = ( dbvhi_leaf_pair ){ search.last_fixed, search.last_moved, search.is_near_start };
	dbvhi_pair_search_finish( &search, query, result );
	return dbvhi_pair_search_status( &search );
}

static dbvh_status reserve( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b,
                            const dbvhi_collide_options *options, const dbvh_collide_query *q, uint32_t thread_count ) {
	const size_t pair_capacity = q->find == DBVH_FIND_ALL ? q->pair_capacity : 0;
	DBVHI_TRY( dbvhi_workspace_require( workspace, a, b, pair_capacity ) );
	if ( thread_count > 1 )
		DBVHI_TRY( dbvhi_is_packed( a, b, q->policy )
		               ? dbvhi_workspace_require_parallel( workspace, a, b, pair_capacity, thread_count )
		               : dbvhi_workspace_require_reference( workspace, a, b, pair_capacity, thread_count ) );
	if ( options->max_distance > 0.0 )
		DBVHI_TRY( options->reserve( workspace, a, b, thread_count ) );
	return DBVH_OK;
}

// The room that a search without a workspace makes: a traversal of packed forms does not use the stack of the
// reference.
static dbvh_status require_alone( dbvh_workspace *workspace, const dbvhi_mesh_pair *m, const dbvh_collide_query *q ) {
	dbvhi_tree_sizes fixed = dbvhi_tree_sizes_of( m->fixed ), moved = dbvhi_tree_sizes_of( m->moved );
	if ( dbvhi_mesh_pair_is_packed( m, q->policy ) )
		fixed.room = moved.room = 0;
	const size_t pair_capacity = q->find == DBVH_FIND_ALL ? q->pair_capacity : 0;
	return m->a_moves ? dbvhi_workspace_require_sizes( workspace, &moved, &fixed, pair_capacity )
	                  : dbvhi_workspace_require_sizes( workspace, &fixed, &moved, pair_capacity );
}

// Search without a workspace. Not inlined: its memory is no part of other calls' frames. The traversal of clearances
// takes more stack than is left beside that.
static __attribute__( ( noinline ) ) dbvh_status
collide_near_alone( const dbvhi_mesh_pair *meshes, const dbvh_counters *spent, const dbvhi_collide_options *options,
                    const dbvh_collide_query *q, dbvh_collide_result *result_out ) {
	dbvhi_scratch scratch;
	DBVHI_ASSERT( options->max_distance == 0.0 && q->thread_count <= 1 );
	dbvh_workspace *own = dbvhi_workspace_begin( &scratch, meshes->a_moves ? meshes->moved : meshes->fixed );
	dbvh_status status = require_alone( own, meshes, q );
	if ( status == DBVH_OK )
		status = search_pair( meshes, spent, options, q, 1, own, result_out );
	dbvh_workspace_destroy( own );
	return status;
}

dbvh_status dbvhi_collide_near( const dbvhi_mesh_pair *meshes, const dbvh_counters *spent,
                                const dbvhi_collide_options *options, const dbvh_collide_query *q,
                                dbvh_workspace *workspace, dbvh_collide_result *result_out ) {
	if ( options->ready_threads > 0 )
		return search_pair( meshes, spent, options, q, options->ready_threads, workspace, result_out );
	const uint32_t thread_count = q->thread_count > 1 ? dbvhi_thread_count( q->thread_count ) : 1;
	if ( workspace == NULL && q->thread_count <= 1 && options->max_distance == 0.0 )
		return collide_near_alone( meshes, spent, options, q, result_out );
	const dbvh_tree *a = meshes->a_moves ? meshes->moved : meshes->fixed;
	const dbvh_tree *b = meshes->a_moves ? meshes->fixed : meshes->moved;
	dbvh_workspace *own = NULL;
	if ( workspace == NULL )
		DBVHI_TRY( dbvhi_workspace_borrow( &workspace, a, &own ) );
	dbvh_status status = reserve( workspace, a, b, options, q, thread_count );
	if ( status == DBVH_OK )
		status = search_pair( meshes, spent, options, q, thread_count, workspace, result_out );
	if ( own != NULL )
		dbvh_workspace_destroy( own );
	return status;
}

// Collide meshes whose roots have not been compared or are near each other. Not inlined: the common early end in
// collide_in() needs no stack frame then.
static __attribute__( ( noinline ) ) dbvh_status
collide_placed( dbvhi_roots roots, double deviation, dbvh_workspace *workspace, const dbvh_tree *a,
                const dbvh_pose *pose_a, const dbvh_tree *b, const dbvh_pose *pose_b,
                const dbvhi_collide_options *options, const dbvh_collide_query *q, dbvh_collide_result *result_out ) {
	dbvhi_mesh_pair meshes;
	DBVHI_TRY( dbvhi_init_pair( &meshes, a, pose_a, b, pose_b, options->max_distance, q->policy, deviation, &roots ) );
	if ( dbvhi_roots_disjoint( roots ) ) {
		dbvhi_roots_count( roots, &result_out->counters );
		return DBVH_OK;
	}
	dbvh_counters spent = { 0 };
	dbvhi_roots_count( roots, &spent );
	return dbvhi_collide_near( &meshes, &spent, options, q, workspace, result_out );
}

// dbvh_collide() with a query that is not NULL and a result that is all zero.
static inline dbvh_status collide_in( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_pose *pose_a,
                                      const dbvh_tree *b, const dbvh_pose *pose_b, const dbvhi_collide_options *options,
                                      const dbvh_collide_query *q, dbvh_collide_result *result_out ) {
	double deviation;
	const dbvhi_roots roots = dbvhi_test_roots( a, pose_a, b, pose_b, options->max_distance, q->policy, &deviation );
	if ( !dbvhi_roots_disjoint( roots ) )
		return collide_placed( roots, deviation, workspace, a, pose_a, b, pose_b, options, q, result_out );
	dbvhi_roots_count( roots, &result_out->counters );
	return DBVH_OK;
}

dbvh_status dbvhi_collide( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b, const dbvh_pose *pose_b,
                           const dbvh_collide_query *query, dbvh_workspace *workspace, dbvh_collide_result *result ) {
	static const dbvhi_collide_options ready = { .ready_threads = 1 };
	return collide_in( workspace, a, pose_a, b, pose_b, &ready, query, result );
}

static const dbvh_collide_query verdict_alone = { .find = DBVH_FIND_ANY };

dbvh_status dbvhi_collide_checked( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                   const dbvh_pose *pose_b, const dbvhi_collide_options *options,
                                   const dbvh_collide_query *query, dbvh_workspace *workspace,
                                   dbvh_collide_result *result_out ) {
	memset( result_out, 0, sizeof *result_out );
	return collide_in( workspace, a, pose_a, b, pose_b, options, query != NULL ? query : &verdict_alone, result_out );
}

dbvh_collide_query dbvh_collide_query_default( void ) {
	return ( dbvh_collide_query ){ .find = DBVH_FIND_ANY };
}

static DBVHI_NOINLINE_FP dbvh_status do_collide( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                                 const dbvh_pose *pose_b, const dbvh_collide_query *query,
                                                 dbvh_workspace *workspace, dbvh_collide_result *result_out,
                                                 dbvh_error *error ) {
	DBVHI_TRY( dbvhi_answer_clear( result_out, sizeof *result_out, "result_out", error ) );
	const dbvh_collide_query *q = query != NULL ? query : &verdict_alone;
	DBVHI_TRY( dbvhi_check_trees( a, b, error ) );
	DBVHI_TRY( dbvhi_check_collide_query( q, error ) );
	DBVHI_TRY( dbvhi_check_form( a, b, q->policy, error ) );
	DBVHI_TRY( dbvhi_check_no_parts( q->pair_begin, "pair", error ) );
	static const dbvhi_collide_options plain = { .max_distance = 0.0 };
	const dbvh_status status = collide_in( workspace, a, pose_a, b, pose_b, &plain, q, result_out );
	return status == DBVH_OK ? status : dbvhi_blame_poses( status, pose_a, pose_b, error );
}

dbvh_status dbvh_collide( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b, const dbvh_pose *pose_b,
                          const dbvh_collide_query *query, dbvh_workspace *workspace, dbvh_collide_result *result_out,
                          dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, dbvhi_error_finish( error, do_collide( a, pose_a, b, pose_b, query, workspace,
	                                                                            result_out, error ) ) );
}
