// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "paper/algorithm_library.h"

#include "base/parallel.h"
#include "common/mpi.h"

#include <stdio.h>
#include <stdlib.h>

// Room for the pairs of one pose. A hand in a cabin intersects a few hundred.
enum { PAIR_ROOM = 1 << 14 };

typedef struct prepared {
	const dbvh_tree *a, *b;
	dbvh_policy policy;
	bool all_threads;
} prepared;

typedef struct scratch {
	dbvh_workspace *workspace;
	dbvh_pair *pairs;
	dbvh_collide_result *results; // one for each pose of a batch
	size_t *begins;
	size_t capacity, pair_capacity;
} scratch;

static void must( bool fact, const char *what ) {
	if ( fact )
		return;
	fprintf( stderr, "dualbvh-bench: %s\n", what );
	mpi_exit( 2 );
}

dbvh_tree_options library_text_options( void ) {
	return ( dbvh_tree_options ){ .box_fit = DBVH_BOX_FIT_COVARIANCE, .split = DBVH_SPLIT_MEAN };
}

dbvh_tree_options library_program_options( void ) {
	return ( dbvh_tree_options ){
	    .box_fit = DBVH_BOX_FIT_RAPID, .split = DBVH_SPLIT_VARIANCE, .sphere_fit = DBVH_NODE_SPHERE_RITTER };
}

void *library_prepare( const algorithm *self, algorithm_scene *scene ) {
	static const dbvh_policy policies[] = {
	    [LIBRARY_RAPID] = DBVH_POLICY_RAPID,      [LIBRARY_SAT_LITE] = DBVH_POLICY_SAT_LITE,
	    [LIBRARY_DUAL] = DBVH_POLICY_DUAL,        [LIBRARY_DUAL_CENTRED] = DBVH_POLICY_DUAL,
	    [LIBRARY_RAPID_R] = DBVH_POLICY_RAPID,    [LIBRARY_SAT_LITE_R] = DBVH_POLICY_SAT_LITE,
	    [LIBRARY_DUAL_R] = DBVH_POLICY_DUAL,      [LIBRARY_RAPID_BEST] = DBVH_POLICY_RAPID,
	    [LIBRARY_DUAL_BEST] = DBVH_POLICY_DUAL,   [LIBRARY_PACKED] = DBVH_POLICY_PACKED,
	    [LIBRARY_PACKED_ALL] = DBVH_POLICY_PACKED };
	prepared *p = calloc( 1, sizeof( *p ) );
	must( p != NULL, "out of memory" );
	dbvh_tree_options options = self->variant <= LIBRARY_DUAL_CENTRED ? library_text_options()
	                            : self->variant <= LIBRARY_DUAL_R     ? library_program_options()
	                                                                  : dbvh_tree_options_default();
	if ( self->variant == LIBRARY_DUAL_CENTRED )
		options.sphere_fit = DBVH_NODE_SPHERE_BOX_CENTRE;
	p->a = algorithm_tree( scene, 0, &options );
	p->b = algorithm_tree( scene, 1, &options );
	p->policy = policies[self->variant];
	p->all_threads = self->all_threads;
	return p;
}

void library_release( void *p ) {
	free( p ); // the trees are the scene's
}

void *library_scratch( const void *context ) {
	const prepared *p = context;
	scratch *s = calloc( 1, sizeof( *s ) );
	must( s != NULL, "out of memory" );
	s->pairs = malloc( PAIR_ROOM * sizeof( *s->pairs ) );
	must( s->pairs != NULL && dbvh_workspace_create( NULL, &s->workspace, NULL ) == DBVH_OK, "out of memory" );
	must( dbvh_workspace_reserve_threads( s->workspace, p->a, p->b, PAIR_ROOM, p->all_threads ? 0 : 1, NULL ) ==
	          DBVH_OK,
	      "out of memory" );
	s->pair_capacity = PAIR_ROOM;
	return s;
}

void library_free_scratch( void *context ) {
	scratch *s = context;
	dbvh_workspace_destroy( s->workspace );
	free( s->pairs );
	free( s->results );
	free( s->begins );
	free( s );
}

static void answer( const dbvh_collide_result *result, dbvh_find find, const dbvh_pair *pairs, algorithm_answer *out ) {
	*out = ( algorithm_answer ){
	    .verdict = result->verdict, .pair_count = result->pair_count, .counters = result->counters };
	if ( find != DBVH_FIND_ALL ) {
		out->pair_count = 0;
		return;
	}
	must( result->pair_written == result->pair_count, "a pose has more pairs than there is room for" );
	for ( size_t i = 0; i < result->pair_written; ++i )
		out->pair_hash += algorithm_pair_hash( pairs[i].a, pairs[i].b );
}

// One batch; room for the pairs of each pose is the same share of it.
static void ask_batch( const prepared *p, scratch *s, const dbvh_pose *poses, size_t count, dbvh_find find,
                       algorithm_answer *answers ) {
	if ( count > s->capacity ) {
		s->capacity = count;
		s->pair_capacity = count * PAIR_ROOM;
		s->results = realloc( s->results, count * sizeof( *s->results ) );
		s->begins = realloc( s->begins, ( count + 1 ) * sizeof( *s->begins ) );
		free( s->pairs );
		s->pairs = malloc( s->pair_capacity * sizeof( *s->pairs ) ); // pages nobody writes to cost nothing
		must( s->results != NULL && s->begins != NULL && s->pairs != NULL, "out of memory" );
	}
	for ( size_t i = 0; i <= count; ++i )
		s->begins[i] = i * PAIR_ROOM;
	const bool all = find == DBVH_FIND_ALL;
	const dbvh_collide_query query = { .find = find,
	                                   .policy = p->policy,
	                                   .pairs = all ? s->pairs : NULL,
	                                   .pair_capacity = all ? s->pair_capacity : 0,
	                                   .pair_begin = all ? s->begins : NULL };
	const dbvh_batch_options options = { .workspace = s->workspace };
	must( dbvh_collide_batch( p->a, NULL, p->b, poses, count, &query, &options, s->results, NULL ) == DBVH_OK,
	      "a batch failed" );
	for ( size_t i = 0; i < count; ++i )
		answer( &s->results[i], find, s->pairs + i * PAIR_ROOM, &answers[i] );
}

void library_run( const void *context, void *own, const dbvh_pose *poses, size_t count, dbvh_find find,
                  algorithm_answer *answers ) {
	const prepared *p = context;
	scratch *s = own;
	if ( p->all_threads && count > 1 ) {
		ask_batch( p, s, poses, count, find, answers );
		return;
	}
	const dbvh_collide_query query = { .find = find,
	                                   .policy = p->policy,
	                                   .pairs = s->pairs,
	                                   .pair_capacity = PAIR_ROOM,
	                                   .thread_count = p->all_threads ? dbvhi_thread_count( 0 ) : 1 };
	for ( size_t i = 0; i < count; ++i ) {
		dbvh_collide_result result;
		must( dbvh_collide( p->a, NULL, p->b, &poses[i], &query, s->workspace, &result, NULL ) == DBVH_OK,
		      "a query failed" );
		answer( &result, find, s->pairs, &answers[i] );
	}
}
