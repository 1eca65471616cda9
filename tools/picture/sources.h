// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Pictures of what the commands find. Each fills an empty picture; what it points to (meshes, trees, names of files)
// must outlive it. False after a sentence.

#pragma once

#include "assembly/configurations.h"
#include "assembly/earlier.h"
#include "assembly/findings.h"
#include "load/pair.h"
#include "picture/picture.h"

// The content of a picture besides bodies and clashes.
typedef struct picture_wishes {
	bool trees;    // levels of the trees of the first clash's bodies
	bool distance; // show the distance of two meshes at every pose
	bool relation; // ask for the relation of two meshes as bodies, by `relate`; else of their surfaces alone
	dbvh_relate_query relate;
	bool allows_touching; // a touch is no clash
	bool has_clearance;   // bodies nearer than `clearance` clash
	double clearance;
	const char *title;    // NULL: the names of the files
	size_t most_clashes;  // for scenes: only the worst are shown; 0: all
	size_t most_overlaps; // for scenes: how many clashes, the worst first, get their overlap as a closed mesh
	uint64_t most_work;   // steps for all contacts and distances of a scene together; 0: PICTURE_MOST_WORK for each
} picture_wishes;

bool picture_from_scene( const scene_findings *findings, const picture_wishes *wishes, picture *p );

// Adds the review file that a run leaves which was compared with an earlier one, for pages to save with what is decided
// in them.
void picture_add_review( picture *p, const scene_findings *findings, scene_earlier *earlier );

// Two meshes at many poses of B, and of A where poses_a is not NULL; trees with topology. `times` as the frames have
// them; NULL: the numbers of the poses.
typedef struct picture_pair {
	const char *files[2];
	const dbvh_mesh *meshes[2];
	const dbvh_tree *trees[2];
	const dbvh_pose *poses_a, *poses_b; // poses_b NULL: where the file puts it, once
	const double *times;
	size_t count;
	const char *time_name; // "pose" or "time"
	double metres;
	bool is_series;         // there is a timeline, however many poses it has
	const pair_fact *facts; // by pose; NULL: nothing is known
	size_t must;            // a pose that is shown however many there are; PICTURE_NONE: none
} picture_pair;
bool picture_from_poses( const picture_pair *pair, const picture_wishes *wishes, picture *p );

// picture_from_poses() for the meshes and poses that check and distance have read.
bool picture_from_pair( const mesh_pair *pair, const picture_wishes *wishes, picture *p );

// Motions of B, and of A (NULL: it stays), leg by leg, at `samples` times each, and at the time of the impact, unless
// that is NULL.
typedef struct picture_impact {
	size_t leg;
	double time; // within the leg
	bool meets;  // else they are too near to tell
} picture_impact;
bool picture_from_motions( const picture_pair *pair, const dbvh_motion *motions_a, const dbvh_motion *motions_b,
                           size_t leg_count, size_t samples, const picture_impact *impact, const picture_wishes *wishes,
                           picture *p );

// A robot in the configurations of `rows`, and the pairs of bodies that meet in each of the first `done` of them: those
// of configuration i begin at pairs[pair_begin[i]], up to pair_begin[i + 1]. There is a row.
typedef struct picture_robot {
	const scene_assembly *assembly;
	const scene_trees *trees;
	const scene_rows *rows;
	const dbvh_body_pair *pairs;
	const size_t *pair_begin;
	size_t done;
	const scene_pair_tally *tallies; // pairs that meet in any configuration, most often first
	size_t tally_count;
} picture_robot;
bool picture_from_joints( const picture_robot *robot, const picture_wishes *wishes, picture *p );

// A mesh that meets itself in these pairs of triangles.
typedef struct picture_self_pairs {
	const dbvh_pair *pairs;
	size_t count, all_count; // how many are in `pairs`, and how many there are
	bool is_late;            // there may be more
} picture_self_pairs;
bool picture_from_self( const char *file, const dbvh_mesh *mesh, const dbvh_tree *tree, double metres,
                        const picture_self_pairs *pairs, const picture_wishes *wishes, picture *p );

// Levels of the trees of the first clash's bodies, or of the first two, where they are wished for.
void picture_add_wished_trees( picture *p, const picture_wishes *wishes );

// "gear" of "parts/gear.stl"; the caller frees it.
char *picture_name_of( picture *p, const char *file );
