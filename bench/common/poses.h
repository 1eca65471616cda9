// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Poses at an exact distance: the two methods of Trenkel, Weller and Zachmann (2007), the first of them as Chang, Wang
// and Kim (2009) use it for their Scenario I. A copy of the mesh comes in along a straight line through the centre of
// the smallest enclosing sphere and stops where the two are as far apart as asked for, for the first time.

#pragma once

#include "dualbvh/dualbvh.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
	POSES_DIRECTIONS = 266,   // every 15 degrees: 24 * 11, and the poles
	POSES_ORIENTATIONS = 144, // Euler angles z-x-z every 60 degrees: 6 * 4 * 6, of which 84 differ
	POSES_TOTAL = POSES_DIRECTIONS * POSES_ORIENTATIONS,
	POSES_LEVELS = 6, // 0 % to 5 % of the size
	POSES_HITS = 6,   // the row of poses that is 1 % of the diameter inwards of level 0
	POSES_ROWS = 7,
	POSES_CELLS = 16, // cells of the grid along each axis
};

// Distances are right to this part of the size. Level 0 is this near at most, and apart.
#define POSES_ACCURACY 1e-5

typedef enum poses_method {
	// Lines from far outside, out of every direction: one pose for each direction and orientation.
	POSES_SPHERE,
	// Lines from the centre of each cell of a grid round the mesh, as far as the cell reaches, so that hollows are
	// found that lie behind something. (The paper leaves open how far; "cells whose distance is higher can be
	// deleted".) The number of poses is not known before, and differs between the levels.
	POSES_GRID,
} poses_method;

// The length that is 100 %. Trenkel et al. do not define it; Chang et al. name the radius of a bounding sphere.
typedef enum poses_size {
	POSES_DIAMETER, // diameter of the enclosing sphere
	POSES_RADIUS,
	POSES_LENGTH, // poses_options.length
} poses_size;

// The place on its line where a copy stops.
typedef enum poses_stop {
	POSES_STOP_FIRST,  // the first place from outside
	POSES_STOP_HALVES, // a place that halving the way to the centre finds: it may lie in a hollow, behind something
	// Level 0 is the first of the steps of 1 % of the size, from where the enclosing spheres touch, at which the copy
	// collides; level i is i steps back out along the same line. No distances but those of the steps: docs/experiments/
	// paper.md says why the paper's authors must have placed theirs so.
	POSES_STOP_STEPS,
} poses_stop;

// How Euler angles are counted, every 60 degrees.
typedef enum poses_angles {
	POSES_ANGLES_ZXZ, // the middle one from 0 to 180 degrees
	POSES_ANGLES_XYZ, // the middle one from -90 to 90
} poses_angles;

typedef struct poses_options {
	poses_method method;
	poses_stop stop;
	poses_angles angles;
	poses_size size;
	size_t sample;  // an even subset of that many lines; 0, or more than there are: all of them
	uint32_t cells; // cells of the grid along each axis; 0: POSES_CELLS, else an even number
	double length;  // POSES_LENGTH
	// The enclosing sphere: its centre is what the copy is aimed at. NULL: the smallest.
	const dbvh_sphere *sphere;
	// Distances only as exact as the accuracy needs: other poses, within the same. Where faces are parallel, as in a
	// gearwheel, each pair of triangles is equally far but for roundings, and an exact distance asks for all of them.
	bool loose;
} poses_options;

typedef struct pose_set {
	double diameter; // diameter of the mesh's enclosing sphere
	double size;     // the length that is 100 %
	size_t lines;    // tried
	size_t count;    // sphere method: poses in each row
	size_t missed;   // sphere method: lines on which the copy passes without coming near enough; they are left out
	size_t counts[POSES_ROWS];
	dbvh_pose *rows[POSES_ROWS];
} pose_set;

// Read from the cache where it has them, else computed on all threads (and ranks) and kept there; parts of an
// interrupted run are taken up. Level 0 is checked with dbvh_collide(): apart, or by steps the only level that is not.
// Ends the program, with a sentence, where that is not as it should be. Method: steps as long as what is still to go,
// by dbvh_distance().
pose_set poses_at_distances( const dbvh_tree *tree, const poses_options *options );

// Poses by the sphere method; distances are parts of the diameter.
pose_set poses_by_sphere( const dbvh_tree *tree, size_t sample );

void pose_set_free( pose_set *set );

// Forgets what the cache has for this mesh, so that a test sees the work done.
void poses_forget( const dbvh_tree *tree, const poses_options *options );

#ifdef __cplusplus
}
#endif
