// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The library's own policies as contenders.

#pragma once

#include "algorithm.h"

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

void *library_prepare( const contender *self, contender_scene *scene );
void library_release( void *prepared );
void *library_scratch( const void *prepared );
void library_drop( void *scratch );
void library_ask( const void *prepared, void *scratch, const dbvh_pose *poses, size_t count, dbvh_find find,
                  contender_answer *answers );

#define LIBRARY_FUNCTIONS library_prepare, library_release, library_scratch, library_drop, library_ask
