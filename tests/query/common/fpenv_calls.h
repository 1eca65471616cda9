// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Every public function that computes, called on one scene, and the bits of all that it answers.

#pragma once

#include "support/line.h"
#include "support/scene.h"

#define MOST_ANSWERS 512
#define BATCH 9
#define COLUMNS 15

// The answer of one call.
typedef struct answer {
	const char *call;
	uint64_t hash;
} answer;

typedef struct answers {
	answer list[MOST_ANSWERS];
	size_t count;
	uint32_t threads; // threads of batches; no answer depends on it
	// Asked after each call; false ends the program with its name.
	bool ( *is_restored )( void );
} answers;

typedef struct call_scene {
	shape meshes[2];
	dbvh_mesh_view views[2];
	dbvh_tree *trees[2];
	dbvh_tree_options options;
	dbvh_pose pose_a, poses[4];
	dbvh_policy policy;
	double reach, size, points[3][3], farthest[3], quaternion[4], rows[12], shift[3];
	test_line lines[3];
	dbvh_shape shapes[8];
	dbvh_motion motions[3];
	double directions[3][3], triangles[2][9];
	dbvh_sphere sphere[2];
	dbvh_aabb aabb[2];
	dbvh_box box[2];
	dbvh_obb obb[2];
	dbvh_capsule capsule[2];
	dbvh_triangle triangle[2];
	dbvh_plane plane;
	dbvh_segment segment;
	dbvh_ray ray;
	dbvh_ellipsoid ellipsoid[2];
	double columns[2][COLUMNS][BATCH], by[2][3][BATCH];
	char *texts[3];                             // OBJ, OFF and STL
	bool has_separation, has_sweeps, has_files; // not of every scene: they take long
	float matrix[16];
} call_scene;

// A scene from random numbers; the default floating-point mode is asked for.
void make_call_scene( call_scene *s, rng *r );
void free_call_scene( call_scene *s );

// Trees, queries and readers; the single primitives; their batches. No arithmetic of its own.
void call_everything( const call_scene *s, answers *out );

// Parts of call_everything(): both meshes as bodies and a third one; a robot of two links that carry the two trees, and
// a body that stands.
void call_scenes( const call_scene *s, answers *out );
void call_robots( const call_scene *s, answers *out );
