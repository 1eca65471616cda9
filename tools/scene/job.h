// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// What `dualbvh scene` was asked for, and the run from files to reports.

#pragma once

#include "args.h"
#include "picture/outputs.h"
#include "report/outputs.h"
#include "results/results.h"
#include "scene/joints.h"

typedef struct scene_job {
	const char *command; // for sentences
	// From the command line.
	arg_texts files, packages, allowed, ignore_files, reports;
	const char *split, *srdf, *baseline, *joints, *state;
	dbvh_pair_rule general; // of it what was named
	bool has_general, has_clearance, has_touch_gap, has_touch_overlap;
	double sag, timeout;
	const char *cache; // a folder of trees; NULL: none
	uint32_t thread_count;
	bool wants_depth, as_json, quiet;
	results_options results; // of --joints
	picture_outputs pictures;
	bool pictures_only; // nothing but these is asked for, and what they show is no failure
	// From here on the run's own.
	scene_split how;
	scene_assembly assembly;
	const double *values; // of --state; NULL: all joints are at 0
	scene_rows rows;      // of --joints
	scene_trees trees;
	scene_rule_book *book;
	dbvh_scene *scene;
	scene_findings findings;
	scene_ignores ignores;
	report_outputs outputs;
} scene_job;

// What the table of options cannot check. ARGS_GO_ON, or the exit status after a sentence.
int scene_job_check( scene_job *job );
int scene_job_run( scene_job *job );
// Of a job whose scene is built: each row of joints by itself. Returns the exit status.
int scene_job_configurations( scene_job *job, const scene_rows *rows );
// The same, into the file of --output.
int scene_job_configurations_to_file( scene_job *job, const scene_rows *rows );
// Writes one of them; the first line for people about all.
void scene_put_configuration( json *j, const scene_job *job, size_t configuration, const dbvh_body_pair *pairs,
                              size_t count );
void scene_print_configurations( const scene_job *job, size_t done, size_t colliding );

void scene_job_free( scene_job *job );
