// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// QuickCD, the k-DOP tree of Klosowski et al. (1998), as algorithms: A is the environment, B the flying mesh, with leaf
// thresholds of 1 and 40.

#pragma once

#include "paper/algorithm.h"
#include "quickcd.h"

// The value of `variant`.
#define QUICKCD_VARIANT( k, rotation ) ( ( k ) + 100 * (int)( rotation ) )

void *algorithm_quickcd_prepare( const algorithm *self, algorithm_scene *scene );
void algorithm_quickcd_release( void *prepared );
void *algorithm_quickcd_scratch( const void *prepared );
void algorithm_quickcd_free_scratch( void *scratch );
void algorithm_quickcd_run( const void *prepared, void *scratch, const dbvh_pose *poses, size_t count, dbvh_find find,
                            algorithm_answer *answers );

#define QUICKCD_FUNCTIONS                                                                                              \
	algorithm_quickcd_prepare, algorithm_quickcd_release, algorithm_quickcd_scratch, algorithm_quickcd_free_scratch,   \
	    algorithm_quickcd_run
