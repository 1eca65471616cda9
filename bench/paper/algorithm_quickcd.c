// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "paper/algorithm_quickcd.h"

#include "common/mpi.h"

#include <stdio.h>
#include <stdlib.h>

enum { ENVIRONMENT_LEAF = 1, FLYING_LEAF = 40 };

typedef struct prepared {
	quickcd_tree *environment, *flying;
} prepared;

static void must( bool fact, const char *what ) {
	if ( fact )
		return;
	fprintf( stderr, "dualbvh-bench: QuickCD: %s\n", what );
	mpi_exit( 2 );
}

void *algorithm_quickcd_prepare( const algorithm *self, algorithm_scene *scene ) {
	prepared *p = calloc( 1, sizeof( *p ) );
	must( p != NULL, "out of memory" );
	const int k = self->variant % 100;
	const quickcd_rotation rotation = (quickcd_rotation)( self->variant / 100 );
	p->environment =
	    quickcd_build( algorithm_mesh( scene, 0 ),
	                   &( quickcd_options ){ .k = k, .leaf_size = ENVIRONMENT_LEAF, .rotation = rotation } );
	p->flying =
	    quickcd_build( algorithm_mesh( scene, 1 ),
	                   &( quickcd_options ){ .k = k, .leaf_size = FLYING_LEAF, .flying = true, .rotation = rotation } );
	must( p->environment != NULL && p->flying != NULL, "a tree could not be built" );
	return p;
}

void algorithm_quickcd_release( void *context ) {
	prepared *p = context;
	quickcd_free( p->environment );
	quickcd_free( p->flying );
	free( p );
}

void *algorithm_quickcd_scratch( const void *context ) {
	(void)context;
	quickcd_work *work = quickcd_work_create();
	must( work != NULL, "out of memory" );
	return work;
}

void algorithm_quickcd_free_scratch( void *scratch ) {
	quickcd_work_free( scratch );
}

void algorithm_quickcd_run( const void *context, void *scratch, const dbvh_pose *poses, size_t count, dbvh_find find,
                            algorithm_answer *answers ) {
	const prepared *p = context;
	for ( size_t i = 0; i < count; ++i ) {
		quickcd_result result;
		must( quickcd_collide( p->environment, p->flying, &poses[i], find, scratch, &result ), "a query failed" );
		answers[i] = ( algorithm_answer ){ .verdict = result.verdict,
		                                   .counters = { .box_tests = result.counters.volume_tests,
		                                                 .triangle_tests = result.counters.triangle_tests } };
		if ( find != DBVH_FIND_ALL )
			continue;
		answers[i].pair_count = result.pair_count;
		for ( size_t k = 0; k < result.pair_count; ++k )
			answers[i].pair_hash += algorithm_pair_hash( result.pairs[k].a, result.pairs[k].b );
	}
}
