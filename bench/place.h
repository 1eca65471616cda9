// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Poses at an exact distance: the sphere method of Trenkel, Weller and Zachmann (2007), as Chang, Wang and Kim (2009)
// use it for their Scenario I. A copy of the mesh comes in from outside along a straight line through the centre of
// the smallest enclosing sphere and stops where the two are as far apart as asked for, for the first time.

#pragma once

#include "dualbvh/dualbvh.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
	PLACE_DIRECTIONS = 266,   // every 15 degrees: 24 * 11, and the poles
	PLACE_ORIENTATIONS = 144, // Euler angles z-x-z every 60 degrees: 6 * 4 * 6, of which 84 differ
	PLACE_LEVELS = 6,         // 0 % to 5 % of the diameter
	PLACE_HITS = 6,           // the row of poses that is 1 % inwards of level 0
	PLACE_ROWS = 7,
};

// Distances are right to this part of the diameter. Level 0 is this near at most, and apart.
#define PLACE_ACCURACY 1e-5

typedef struct place_set {
	double diameter; // of the mesh's smallest enclosing sphere
	size_t count;    // poses in each row
	size_t missed;   // lines on which the copy passes without coming near enough; their poses are left out
	dbvh_pose *rows[PLACE_ROWS];
} place_set;

// An even subset of `sample` of the 38,304 configurations (0 or more than there are: all of them). Read from the cache
// where it has them, else computed on all threads and kept there. Level 0 is checked with dbvh_collide(). Ends the
// program, with a sentence, where that is not as it should be.
place_set place_poses( const dbvh_tree *tree, size_t sample );

void place_free( place_set *set );

// Forgets what the cache has for this mesh, so that a test sees the work done.
void place_forget( const dbvh_tree *tree, size_t sample );

#ifdef __cplusplus
}
#endif
