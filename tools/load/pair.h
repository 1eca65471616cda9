// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Mesh A, which stays, and mesh B, placed by each of many poses: shared by check, distance and toi.

#pragma once

#include "cli/complain.h"
#include "dualbvh/dualbvh.h"
#include "formats/trust.h"
#include "load/poses.h"
#include "results/results.h"
#include "text/json.h"

// The result of a command at a pose, so that a picture need not ask again and says the same.
typedef enum pair_state { PAIR_UNKNOWN, PAIR_CLEAR, PAIR_CLASHING, PAIR_UNDECIDABLE } pair_state;
typedef struct pair_fact {
	pair_state state; // counted for the exit status
	dbvh_relation relation;
	bool of_surfaces; // the relation: DISJOINT, or any other where they intersect
	double distance;  // NaN: not known
} pair_fact;

// The quality of both trees, by --quality.
typedef enum pair_quality { PAIR_QUALITY_AUTO, PAIR_QUALITY_BEST, PAIR_QUALITY_FAST } pair_quality;

typedef struct mesh_pair {
	// From the command line.
	const char *file_a, *file_b, *pose_file, *policy_name, *capture_file, *cache, *quality_name;
	scene_trust trust;
	pose_options pose_options;
	bool as_json, quiet, skips_bad_faces;
	// From pair_check_options().
	dbvh_policy policy;
	bool compares_ellipsoids; // the policy
	pair_quality quality;
	dbvh_ellipsoids ellipsoids; // for the trees; the caller's
	dbvh_fill_rule fill;        // for a topology
	// From pair_load().
	dbvh_mesh *mesh_a, *mesh_b;
	dbvh_tree *tree_a, *tree_b; // the same one where the files are
	dbvh_workspace *workspace;
	pose_list poses;
	double metres;    // length of a unit; 0: unknown
	pair_fact *facts; // by pose, where pair_keep_facts() was asked for; else NULL
} mesh_pair;

// Options that both have, for the tables; `pair` is the member of the settings.
#define PAIR_POSES_ENTRY                                                                                               \
	{                                                                                                                  \
		"poses", 'p', "FILE", ARG_TO( ARG_TEXT, pair.pose_file ),                                                      \
		    "the poses of B: a .npy file, or text, a pose a line, 12 numbers, the rows of [R|t]; - is standard input"  \
	}
#define PAIR_POLICY_NAMES "default, packed, dual, rapid, sat-lite, sphere, ellipsoid, mixed, packed-mixed"
#define PAIR_POLICY_ENTRY                                                                                              \
	{                                                                                                                  \
		"policy", 0, "NAME", ARG_TO( ARG_TEXT, pair.policy_name ),                                                     \
		    "how nodes are compared; no answer depends on it: " PAIR_POLICY_NAMES                                      \
	}
#define PAIR_QUALITY_ENTRY                                                                                             \
	{                                                                                                                  \
		"quality", 0, "WHICH", ARG_TO( ARG_TEXT, pair.quality_name ),                                                  \
		    "trees that are best for queries, or fast to build; no answer depends on it: auto (default: fast for up "  \
		    "to 100 poses of large meshes, unless --cache keeps the trees), best, fast"                                \
	}
#define PAIR_QUIET_ENTRY                                                                                               \
	{ "quiet", 'q', NULL, ARG_TO( ARG_FLAG, pair.quiet ), "print nothing but complaints; the exit status tells" }

// A capture of the two meshes with B at the only pose, but for the call and its query. `topology` as in pair_load().
dbvh_capture pair_capture( const mesh_pair *p, bool topology );

// False after a sentence: several poses, and a file for a capture, which holds one.
bool pair_check_capture( const mesh_pair *p );

// Room for the pairs of a query.
typedef struct pair_buffer {
	dbvh_pair *pairs;
	size_t capacity;
} pair_buffer;

// Makes room for `count` pairs and some more; what was there is lost. False where there is no memory.
bool pair_buffer_grow( pair_buffer *buffer, size_t count );

// Stores the name of a mesh. False after a sentence: two are stored already.
bool pair_operand( mesh_pair *p, const char *command, const char *text );

// Checks the options. ARGS_GO_ON, or the exit status after a sentence.
int pair_check_options( mesh_pair *p, const char *command );

// The separating axes by which a policy compares boxes, in words.
const char *pair_policy_boxes( dbvh_policy policy );

// The files of a pair; NULL: not named.
enum { PAIR_FILE_COUNT = 3 };
typedef struct pair_files {
	const char *files[PAIR_FILE_COUNT];
} pair_files;
pair_files pair_inputs( const mesh_pair *p );

// Checks --output and the options that go with it. ARGS_GO_ON, or the exit status after a sentence.
int pair_check_results( const mesh_pair *p, results_options *results, const char *command );

// Reads poses and meshes and builds the trees. The meshes are kept, beside the trees, only where they are asked for or
// JSON or a capture needs them; else they are NULL. False after a sentence.
bool pair_load( mesh_pair *p, bool topology, bool meshes );
void pair_free( mesh_pair *p );

// Allocates p->facts for all poses. False after a sentence.
bool pair_keep_facts( mesh_pair *p );

// The number of poses, at least 1: without a pose file B stays where its own file puts it, and the pose is NULL.
size_t pair_pose_count( const mesh_pair *p );
const dbvh_pose *pair_pose( const mesh_pair *p, size_t i );

// Says what both meshes, the poses and the policy are, for results that another run may go on with.
void pair_describe( const mesh_pair *p, fingerprint *about );

// Prints that only so many of all poses are finished, or that the next one took too long; or writes the keys
// "interrupted", or "timed_out", and "finished".
void pair_print_interrupted( const mesh_pair *p, size_t finished );
void json_interrupted( json *j, size_t finished );

// Prints "pose 3: ", "poses 3 to 7: " or the names of the meshes.
void pair_print_pose( const mesh_pair *p, size_t first, size_t last );

// Writes under `key` what a mesh is.
void json_mesh( json *j, const char *key, const char *file, const dbvh_mesh *mesh );

// Writes the keys "a" and "b".
void pair_json( json *j, const mesh_pair *p );

// Writes the key "counters".
void json_counters( json *j, const dbvh_counters *counters );

// Writes two triangle numbers as an array.
void json_pair( json *j, dbvh_pair pair );

// Writes an array of pairs.
void json_pairs( json *j, const dbvh_pair *pairs, size_t count );
