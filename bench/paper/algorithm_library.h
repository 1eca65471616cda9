// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The library's own policies as algorithms.

#pragma once

#include "paper/algorithm.h"

enum {
	LIBRARY_RAPID,
	LIBRARY_SAT_LITE,
	LIBRARY_DUAL,         // spheres as small as can be
	LIBRARY_DUAL_CENTRED, // spheres about the boxes' centres
	LIBRARY_RAPID_BEST,
	LIBRARY_DUAL_BEST,
	LIBRARY_PACKED,
	LIBRARY_PACKED_ALL,
};

void *library_prepare( const algorithm *self, algorithm_scene *scene );
void library_release( void *prepared );
void *library_scratch( const void *prepared );
void library_free_scratch( void *scratch );
void library_run( const void *prepared, void *scratch, const dbvh_pose *poses, size_t count, dbvh_find find,
                  algorithm_answer *answers );

#define LIBRARY_FUNCTIONS library_prepare, library_release, library_scratch, library_free_scratch, library_run
