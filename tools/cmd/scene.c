// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// dualbvh scene: which bodies of an assembly clash?

#include "cli/args.h"
#include "cli/help.h"
#include "cli/timeout.h"
#include "cmd/cmd.h"
#include "cmd/scene_job.h"
#include "load/load.h"

#include <stdio.h>
#include <string.h>

typedef scene_job settings;

enum {
	OPT_SPLIT,
	OPT_PACKAGE,
	OPT_SRDF,
	OPT_STATE,
	OPT_JOINTS,
	OPT_EDGES,
	OPT_DISTANCE,
	OPT_CLEARANCE,
	OPT_ALLOW_TOUCHING,
	OPT_TOUCH_GAP,
	OPT_TOUCH_OVERLAP,
	OPT_ALLOWED_DEPTH,
	OPT_ALLOWED_VOLUME,
	OPT_SAG,
	OPT_ALLOW,
	OPT_ALLOW_SAME,
	OPT_MATRIX,
	OPT_EXPLAIN,
	OPT_IGNORE,
	OPT_BASELINE,
	OPT_REVIEW,
	OPT_FROM_BCF,
	OPT_COMPARE,
	OPT_RECHECK,
	OPT_WORSE_BY,
	OPT_MOVED_BY,
	OPT_REPORT,
	OPT_HTML,
	OPT_PNG,
	OPT_DEPTH,
	OPT_SORT,
	OPT_FAIL_ON,
	OPT_THREADS,
	OPT_CACHE,
	OPT_SKIP_BAD_FACES,
	OPT_ALLOW_OUTSIDE,
	OPT_MOST_MEMORY,
	OPT_TIMEOUT,
	OPT_OUTPUT,
	OPT_RESUME,
	OPT_RANK,
	OPT_EXIT_ZERO,
	OPT_JSON,
	OPT_QUIET,
	OPT_HELP,
	OPT_VERSION,
	OPT_COUNT
};
static const arg_option options[OPT_COUNT] = {
    SCENE_SPLIT_ENTRY( split ),
    SCENE_PACKAGE_ENTRY( packages ),
    SCENE_SRDF_ENTRY( srdf ),
    SCENE_STATE_ENTRY( state ),
    { "joints", 0, "FILE", ARG_TO( ARG_TEXT, joints ),
      "many configurations, a row of joint numbers each (text or .npy): which collide, and which bodies how often" },
    { "edges", 0, NULL, ARG_TO( ARG_FLAG, wants_edges ),
      "with --joints: whether the straight way in joint space from each configuration to the next stays clear, by a "
      "proof over every time" },
    { "distance", 0, NULL, ARG_TO( ARG_FLAG, wants_distance ),
      "with --joints: the least distance in each configuration" },
    { "clearance", 'c', "D", ARG_TO( ARG_NOT_NEGATIVE, general.clearance ),
      "bodies less than D apart clash, exactly D is far enough (0)" },
    { "allow-touching", 0, NULL, ARG_TO( ARG_FLAG, general.may_touch ), "touching is no clash" },
    { "touch-gap", 0, "D", ARG_TO( ARG_NOT_NEGATIVE, general.touch_gap ),
      "a gap of at most D still counts as touching (0)" },
    { "touch-overlap", 0, "D", ARG_TO( ARG_NOT_NEGATIVE, general.touch_overlap ),
      "an overlap that moving one whole body by at most D removes counts as touching (0)" },
    SCENE_ALLOWED_DEPTH_ENTRY( general ),
    SCENE_ALLOWED_VOLUME_ENTRY( general ),
    SCENE_SAG_ENTRY( sag ),
    SCENE_ALLOW_ENTRY( allowed ),
    SCENE_ALLOW_SAME_ENTRY( same ),
    SCENE_MATRIX_ENTRY( matrices ),
    { "explain", 0, "A,B", ARG_TO( ARG_TEXT, explained ),
      "say by which rule two bodies are looked at or not, and what they do; patterns name up to 20 pairs" },
    SCENE_IGNORE_ENTRY( ignore_files ),
    { "baseline", 0, "FILE", ARG_TO( ARG_TEXT, baseline ),
      "the JSON of an earlier run: only clashes that it does not have, that have got worse or are elsewhere count for "
      "the exit status" },
    { "review", 0, "FILE", ARG_TO( ARG_TEXT, review ),
      "the file of all clashes and what was decided about them: reads it, compares as --baseline does, and writes it "
      "anew; the first run makes it" },
    { "from-bcf", 0, "FILE", ARG_TO( ARG_TEXTS, from_bcf ),
      "BCF (2.1 or 3.0) that came back from another program: its statuses, assignees and comments go into the review; "
      "may be repeated" },
    { "compare", 0, "FILE", ARG_TO( ARG_TEXTS, compared ),
      "an earlier state of the assembly, whose clashes are found first and compared with; may be repeated" },
    { "recheck", 0, NULL, ARG_TO( ARG_FLAG, known_pairs_only ),
      "look at the pairs of bodies that --baseline, --review or --compare knows, and at no others" },
    { "worse-by", 0, "D", ARG_TO( ARG_NOT_NEGATIVE, tolerance.worse ),
      "a known clash is worse where it is deeper, or nearer, by more than D (a millionth of the smaller "
      "body), or larger than a move by D makes it" },
    { "moved-by", 0, "D", ARG_TO( ARG_NOT_NEGATIVE, tolerance.moved ),
      "it is elsewhere where it is more than D away (a tenth of the smaller body)" },
    { "report", 0, "KIND=FILE", ARG_TO( ARG_TEXTS, reports ),
      "also write " REPORT_NAMES "of which " REPORT_STDOUT_NAMES "may go to -; may be repeated, or joined by commas" },
    PICTURE_HTML_ENTRY( pictures ),
    PICTURE_PNG_ENTRY( pictures ),
    SCENE_DEPTH_ENTRY( wants_depth ),
    SCENE_SORT_ENTRY( sort ),
    { "fail-on", 0, "SEVERITY", ARG_TO( ARG_TEXT, fail_on ),
      "clashes of a lesser severity, which rules set, do not count for the exit status: " SCENE_SEVERITY_WORDS
      " (minor)" },
    { "threads", 0, "N", ARG_COUNT_TO( thread_count, 0, 256 ), "use at most N threads; 0: as many as there are" },
    CACHE_ENTRY( cache ),
    SKIP_BAD_FACES_ENTRY( skips_bad_faces ),
    SCENE_TRUST_ENTRIES( trust ),
    TIMEOUT_ENTRY,
    RESULTS_OUTPUT_ENTRY( results, "configuration" ),
    RESULTS_RESUME_ENTRY( results ),
    RESULTS_RANK_ENTRY( results ),
    RESULTS_EXIT_ZERO_ENTRY( results ),
    { "json", 0, NULL, ARG_TO( ARG_FLAG, as_json ), "print one JSON object, schema dualbvh.clashes/2" },
    { "quiet", 'q', NULL, ARG_TO( ARG_FLAG, quiet ), "print nothing but complaints; the exit status tells" },
    ARG_HELP_ENTRY,
    ARG_VERSION_ENTRY,
};

static int help( void ) {
	help_text(
	    "Usage: dualbvh scene FILE... [OPTION]...\n"
	    "\n"
	    "Tells which bodies of an assembly clash, and how: hard (they overlap), containment (one is inside the\n"
	    "other), duplicate (they are the same), touch, clearance (less than --clearance apart), undecidable (the\n"
	    "surface of one is open where the other may be in it), or fit (they overlap by no more than --allowed-depth:\n"
	    "no clash). Overlaps come with their depth, their volume and their type, as certified intervals in JSON: the\n"
	    "local depth, how deep the material of one is in that of the other. The answer is exact. A file is an "
	    "assembly\n"
	    "(glTF, GLB, 3MF, URDF, STEP, Collada and others, as --version says, or a JSON scene with rules of its\n"
	    "own) or a mesh; the bodies of all files are checked against each other, but for those of one link.\n" );
	help_options( options, OPT_COUNT );
	help_text(
	    "\n"
	    "Bodies have paths, like engine/block. In patterns * stands for any characters and ? for one, and a\n"
	    "pattern that names a part of the tree names all below it. Rules for pairs go before those for one\n"
	    "body, which go before those for all; options are rules that stand behind those of the files.\n"
	    "\n"
	    "A robot (URDF) has a configuration: --state, or with --joints one a row of a file; a first row of names says\n"
	    "which joint each column is. Then every configuration has a verdict, whether surfaces meet, or with "
	    "--clearance\n"
	    "come nearer than it; --distance tells how near. --edges tells whether the robot's way from each "
	    "configuration\n"
	    "to the next is clear at every time.\n" RESULTS_HELP "\n"
	    "Every clash has an id, made from the paths, the kind of trouble and the name of the rule alone, which\n"
	    "stays from run to run; a run that is compared gives known clashes the ids that they had, whatever their\n"
	    "bodies are called now. Lengths are in the unit of the first file that says one (glTF and URDF: metres).\n"
	    "\n"
	    "What a review has accepted is covered while it is for certain no worse than it was then, and not elsewhere:\n"
	    "its bodies are as they were, or its depth is known then and now. Otherwise it is unsure, and counts.\n"
	    "\n"
	    "Example: dualbvh scene machine.glb --clearance 0.5 --allow 'bolt*,frame' --report junit=clashes.xml\n"
	    "\n"
	    "Exit status:\n"
	    "  0  no clash, fits and what --fail-on leaves out aside; with --baseline, --review or --compare: none but "
	    "known ones, as they were\n"
	    "  1  a clash that nobody ignores; with one of these: a new, worse or unsure one, or one elsewhere or no "
	    "longer accepted\n"
	    "  2  a mistake in the command line or the input, or an output that cannot be written\n"
	    "  3  clashes are undecidable, or --timeout ended the work, and nothing clashes for certain" );
	return finish_output( EXIT_CLEAR );
}

static bool operand( void *target, const char *text ) {
	return args_texts_add( &( (settings *)target )->files, text );
}

static const arg_table table = { "scene", options, OPT_COUNT, help, operand };

static int check_settings( settings *w, uint64_t given ) {
	if ( w->files.count == 0 )
		return args_refuse( "scene", "no file is named" );
	if ( w->as_json && w->quiet )
		return args_refuse( "scene", "--json and --quiet exclude each other" );
	for ( int i = OPT_EDGES; i <= OPT_DISTANCE; ++i ) {
		if ( ( given >> i & 1 ) != 0 && w->joints == NULL )
			return args_refuse( "scene", "--%s needs --joints", options[i].name );
		if ( ( given >> i & 1 ) != 0 && w->results.file != NULL )
			return args_refuse( "scene", "--%s and --output exclude each other", options[i].name );
	}
	if ( w->joints != NULL && w->results.file != NULL && ( given >> OPT_CLEARANCE & 1 ) != 0 )
		return args_refuse( "scene", "--clearance and --output exclude each other with --joints" );
	if ( w->wants_distance && ( w->wants_edges || ( given >> OPT_CLEARANCE & 1 ) != 0 ) )
		return args_refuse( "scene", "--distance is the least one, without --edges and --clearance" );
	// Configurations are looked at by their surfaces.
	static const int not_of_joints[] = {
	    OPT_ALLOW_TOUCHING, OPT_TOUCH_GAP,      OPT_TOUCH_OVERLAP, OPT_SAG,     OPT_EXPLAIN, OPT_IGNORE,
	    OPT_BASELINE,       OPT_REVIEW,         OPT_COMPARE,       OPT_RECHECK, OPT_REPORT,  OPT_PNG,
	    OPT_ALLOWED_DEPTH,  OPT_ALLOWED_VOLUME, OPT_DEPTH,         OPT_SORT,    OPT_FAIL_ON };
	for ( size_t i = 0; w->joints != NULL && i < sizeof not_of_joints / sizeof not_of_joints[0]; ++i )
		if ( ( given >> not_of_joints[i] & 1 ) != 0 )
			return args_refuse( "scene", "--%s means nothing with --joints", options[not_of_joints[i]].name );
	const bool asks_more = w->wants_edges || w->wants_distance || ( given >> OPT_CLEARANCE & 1 ) != 0;
	if ( w->joints != NULL && w->pictures.html != NULL && ( asks_more || w->results.file != NULL ) )
		return args_refuse( "scene",
		                    "with --joints, --html shows verdicts: --edges, --distance, --clearance and --output "
		                    "have no page" );
	w->has_general = ( given >> OPT_CLEARANCE & 1 ) != 0 || ( given >> OPT_ALLOW_TOUCHING & 1 ) != 0 ||
	                 ( given >> OPT_TOUCH_GAP & 1 ) != 0 || ( given >> OPT_TOUCH_OVERLAP & 1 ) != 0 ||
	                 ( given >> OPT_ALLOWED_DEPTH & 1 ) != 0 || ( given >> OPT_ALLOWED_VOLUME & 1 ) != 0;
	w->has_clearance = ( given >> OPT_CLEARANCE & 1 ) != 0;
	w->has_touch_gap = ( given >> OPT_TOUCH_GAP & 1 ) != 0;
	w->has_touch_overlap = ( given >> OPT_TOUCH_OVERLAP & 1 ) != 0;
	w->has_allowed_depth = ( given >> OPT_ALLOWED_DEPTH & 1 ) != 0;
	w->has_allowed_volume = ( given >> OPT_ALLOWED_VOLUME & 1 ) != 0;
	const int earlier = ( w->baseline != NULL ) + ( w->review != NULL ) + ( w->compared.count > 0 );
	for ( int i = OPT_RECHECK; i <= OPT_MOVED_BY; ++i )
		if ( ( given >> i & 1 ) != 0 && earlier == 0 )
			return args_refuse( "scene", "--%s needs --baseline, --review or --compare", options[i].name );
	if ( w->from_bcf.count > 0 && w->review == NULL )
		return args_refuse( "scene", "--from-bcf needs --review, the file that keeps what is said there" );
	if ( earlier > 1 )
		return args_refuse( "scene", "--baseline, --review and --compare exclude each other" );
	const char *comma = w->explained != NULL ? strchr( w->explained, ',' ) : NULL;
	if ( w->explained != NULL &&
	     ( comma == NULL || comma == w->explained || comma[1] == '\0' || strchr( comma + 1, ',' ) != NULL ) )
		return args_refuse(
		    "scene",
		    "'%s' is no value for --explain, which takes two bodies with a comma between them, as 'beam,*/bolt'",
		    w->explained );
	if ( w->explained != NULL && ( w->as_json || w->quiet || earlier > 0 || w->reports.count > 0 ) )
		return args_refuse( "scene", "--explain prints sentences alone, without reports and comparisons" );
	if ( w->results.file != NULL && w->joints == NULL )
		return args_refuse( "scene", "--output needs --joints; --report writes the clashes of a scene" );
	if ( w->results.file != NULL && w->as_json )
		return args_refuse( "scene", "--json and --output exclude each other; --output F.jsonl writes JSON" );
	const int status = results_check_options( &w->results, "scene", (const char *const *)&w->joints, 1 );
	return status == ARGS_GO_ON ? scene_job_check( w ) : status;
}

int cmd_scene( int argc, char **argv ) {
	settings w = {
	    .command = "scene", .split = "auto", .sort = "depth", .fail_on = "minor", .tolerance = { -1.0, -1.0 } };
	uint64_t given;
	int status = args_read( &table, argc, argv, &w, &given );
	if ( status == ARGS_GO_ON )
		status = check_settings( &w, given );
	if ( status == ARGS_GO_ON )
		status = scene_job_run( &w );
	scene_job_free( &w );
	return status;
}
