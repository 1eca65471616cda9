// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The options of `dualbvh scene`, and the run from files to reports.

#pragma once

#include "assembly/baseline.h"
#include "assembly/joints.h"
#include "cli/args.h"
#include "formats/assemble.h"
#include "picture/outputs.h"
#include "report/outputs.h"
#include "results/results.h"

typedef struct scene_job {
	const char *command; // for sentences
	// From the command line.
	arg_texts files, packages, allowed, same, ignore_files, reports, compared, from_bcf, matrices;
	const char *split, *srdf, *baseline, *review, *explained, *joints, *state, *sort, *fail_on;
	dbvh_pair_rule general; // only the values that were given
	bool has_general, has_clearance, has_touch_gap, has_touch_overlap, has_allowed_depth, has_allowed_volume;
	double sag, timeout;
	scene_tolerance tolerance; // limits of --baseline, --review and --compare
	const char *cache;         // a folder of trees; NULL: none
	scene_trust trust;
	uint32_t thread_count;
	bool wants_depth, wants_edges, wants_distance, skips_bad_faces, as_json, quiet, known_pairs_only;
	results_options results; // --output with --joints
	picture_outputs pictures;
	bool pictures_only; // nothing but these is asked for, and what they show is no failure
	// Set during the run.
	const dbvh_body_pair *explained_pairs; // the first 20 pairs of --explain
	size_t explained_count;                // all of them
	scene_split how;
	scene_order order;
	scene_severity least_severity;
	scene_assembly assembly;
	scene_opened opened;  // files that the files have named
	const double *values; // the row of --state; NULL: all joints are at 0
	scene_rows rows;      // the rows of --joints
	scene_trees trees;
	scene_rule_book *book;
	dbvh_scene *scene;
	scene_findings findings;
	scene_earlier earlier; // the run that the findings are compared with
	scene_ignores ignores;
	report_outputs outputs;
} scene_job;

// Options of every command that reads scenes, for the tables; each member is that of the settings.
#define SCENE_SPLIT_ENTRY( split )                                                                                     \
	{                                                                                                                  \
		"split", 0, "HOW", ARG_TO( ARG_TEXT, split ),                                                                  \
		    "bodies of a mesh file: auto (default; its objects: o, g, solid), file (one), object or component"         \
	}
#define SCENE_PACKAGE_ENTRY( packages )                                                                                \
	{ "package", 0, "NAME=DIR", ARG_TO( ARG_TEXTS, packages ), "where a URDF's package://NAME is; may be repeated" }
#define SCENE_SRDF_ENTRY( srdf )                                                                                       \
	{ "srdf", 0, "FILE", ARG_TO( ARG_TEXT, srdf ), "which links of the robot may collide, and named states" }
#define SCENE_STATE_ENTRY( state )                                                                                     \
	{ "state", 0, "NAME", ARG_TO( ARG_TEXT, state ), "the robot stands as a state of its files says (all joints at 0)" }
#define SCENE_SAG_ENTRY( sag )                                                                                         \
	{                                                                                                                  \
		"sag", 0, "D", ARG_TO( ARG_NOT_NEGATIVE, sag ),                                                                \
		    "triangles may be D from what they stand for: for each body whose file says nothing (0), and for STEP "    \
		    "(0.1 mm); added to --touch-gap, --touch-overlap and --allowed-depth of its pairs"                         \
	}
#define SCENE_ALLOW_ENTRY( allowed )                                                                                   \
	{                                                                                                                  \
		"allow", 0, "A,B", ARG_TO( ARG_TEXTS, allowed ),                                                               \
		    "bodies that A names may meet those that B names; may be repeated"                                         \
	}
#define SCENE_ALLOW_SAME_ENTRY( same )                                                                                 \
	{                                                                                                                  \
		"allow-same", 0, "PROPERTY", ARG_TO( ARG_TEXTS, same ),                                                        \
		    "bodies with one value of a property, such as system, may meet; may be repeated"                           \
	}
#define SCENE_MATRIX_ENTRY( matrices )                                                                                 \
	{                                                                                                                  \
		"matrix", 0, "FILE", ARG_TO( ARG_TEXTS, matrices ),                                                            \
		    "a table (CSV) of rules: patterns in its first row and column, what is asked of the two in each cell; "    \
		    "may be repeated"                                                                                          \
	}
#define SCENE_IGNORE_ENTRY( files )                                                                                    \
	{                                                                                                                  \
		"ignore", 0, "FILE", ARG_TO( ARG_TEXTS, files ),                                                               \
		    "clashes to let be: an id, or two patterns, and a reason on each line; may be repeated"                    \
	}
#define SCENE_DEPTH_ENTRY( wants_depth )                                                                               \
	{                                                                                                                  \
		"depth", 0, NULL, ARG_TO( ARG_FLAG, wants_depth ),                                                             \
		    "find how far a body has to be moved to come free for all that overlap, not only for the worst 100; up "   \
		    "to "                                                                                                      \
		    "a second a pair"                                                                                          \
	}
#define SCENE_ALLOWED_DEPTH_ENTRY( general )                                                                           \
	{                                                                                                                  \
		"allowed-depth", 0, "L", ARG_TO( ARG_NOT_NEGATIVE, general.allowed_depth ),                                    \
		    "an overlap that is nowhere deeper than L is a fit, and no clash (0: none is); sags are added"             \
	}
#define SCENE_ALLOWED_VOLUME_ENTRY( general )                                                                          \
	{                                                                                                                  \
		"allowed-volume", 0, "V", ARG_TO( ARG_NOT_NEGATIVE, general.allowed_volume ),                                  \
		    "an overlap of a volume of at most V is a fit; with --allowed-depth both limits hold"                      \
	}
#define SCENE_SORT_ENTRY( sort )                                                                                       \
	{ "sort", 0, "HOW", ARG_TO( ARG_TEXT, sort ), "overlaps by their depth (default) or volume, the worst first" }

// Checks what the table of options cannot. ARGS_GO_ON, or the exit status after a sentence.
int scene_job_check( scene_job *job );
int scene_job_run( scene_job *job );
// Asks about each row of joints by itself; the scene is built. Returns the exit status.
int scene_job_configurations( scene_job *job, const scene_rows *rows );
// scene_job_configurations() for a job that was ended before its scene was built.
int scene_job_no_configurations( scene_job *job, const scene_rows *rows );
// The distances in each row of joints, or the ways between them, as --distance, --clearance and --edges ask. The scene
// may be NULL: the job was ended before. Returns the exit status.
int scene_job_robot( scene_job *job, const scene_rows *rows );
// scene_job_configurations() into the file of --output.
int scene_job_configurations_to_file( scene_job *job, const scene_rows *rows );
// Writes the answer to a configuration; prints the first line for people about all.
void scene_put_configuration( json *j, const scene_job *job, size_t configuration, const dbvh_body_pair *pairs,
                              size_t count );
void scene_print_configurations( const scene_job *job, size_t done, size_t colliding );
// Ends the JSON object of a run over rows of joints: what is finished, and why the rest is not. `refusal`: the sentence
// about the row that was refused, or NULL.
void scene_put_end( json *j, size_t done, size_t total, const char *refusal );

void scene_job_free( scene_job *job );

// Reads the file of --baseline or --review; `now` in seconds since 1970. ARGS_GO_ON, or the exit status after a
// sentence.
int scene_job_read_earlier( scene_job *job, int64_t now );
// Compares the findings with the earlier run, if there is one; `now` in seconds since 1970.
int scene_job_stand( scene_job *job, int64_t now );
// Writes the file of --review anew. EXIT_CLEAR, or EXIT_ERROR after a sentence.
int scene_job_keep_review( scene_job *job );

// The pairs that --explain names. ARGS_GO_ON, or the exit status after a sentence.
int scene_job_find_explained( scene_job *job, const dbvh_body_pair **pairs_out, size_t *count_out );
// Prints what is known of each of them, after the search. Returns the exit status.
int scene_job_explain( const scene_job *job );
