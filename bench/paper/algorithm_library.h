// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The library's own policies as algorithms.

#pragma once

#include "paper/algorithm.h"

enum {
	// The paper's text.
	LIBRARY_RAPID,
	LIBRARY_SAT_LITE,
	LIBRARY_DUAL,         // spheres as small as can be
	LIBRARY_DUAL_CENTRED, // spheres about the boxes' centres
	// The paper's programs, as their counts show them: on the tree of RAPID's program, with Ritter's spheres.
	LIBRARY_RAPID_R,
	LIBRARY_SAT_LITE_R,
	LIBRARY_DUAL_R,
	// This library's tree.
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

// The trees of the paper's text, and those of the programs that it modified.
dbvh_tree_options library_text_options( void );
dbvh_tree_options library_program_options( void );

#define LIBRARY_FUNCTIONS library_prepare, library_release, library_scratch, library_free_scratch, library_run
