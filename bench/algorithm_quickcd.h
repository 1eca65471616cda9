// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// QuickCD, the k-DOP tree of Klosowski et al. (1998), as contenders: A is the environment, B the flying mesh, with leaf
// thresholds of 1 and 40.

#pragma once

#include "algorithm.h"
#include "quickcd.h"

// What `variant` is.
#define QUICKCD_VARIANT( k, rotation ) ( ( k ) + 100 * (int)( rotation ) )

void *contender_quickcd_prepare( const contender *self, contender_scene *scene );
void contender_quickcd_release( void *prepared );
void *contender_quickcd_scratch( const void *prepared );
void contender_quickcd_drop( void *scratch );
void contender_quickcd_ask( const void *prepared, void *scratch, const dbvh_pose *poses, size_t count, dbvh_find find,
                            contender_answer *answers );

#define QUICKCD_FUNCTIONS                                                                                              \
	contender_quickcd_prepare, contender_quickcd_release, contender_quickcd_scratch, contender_quickcd_drop,           \
	    contender_quickcd_ask
