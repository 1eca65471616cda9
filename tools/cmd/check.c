// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// dualbvh check: does B, at each of its poses, interfere with A?

#include "cmd/check.h"

#include "cli/args.h"
#include "cli/help.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/timeout.h"
#include "cmd/capture_run.h"
#include "cmd/cmd.h"
#include "cmd/hint.h"
#include "load/load.h"
#include "text/number.h"

#include <stdio.h>
#include <string.h>

typedef check_job settings;

enum {
	OPT_POSES,
	OPT_POSE_FORMAT,
	OPT_NORMALISE,
	OPT_NORMALIZE,
	OPT_ALL,
	OPT_CLEARANCE,
	OPT_VERDICT,
	OPT_ALLOW_TOUCHING,
	OPT_TOUCH_GAP,
	OPT_TOUCH_OVERLAP,
	OPT_OPEN_HOLDS_NOTHING,
	OPT_FILL,
	OPT_OVERLAP,
	OPT_DEPTH,
	OPT_ALLOWED_DEPTH,
	OPT_ALLOWED_VOLUME,
	OPT_CONTACTS,
	OPT_POLICY,
	OPT_QUALITY,
	OPT_ELLIPSOIDS,
	OPT_STATS,
	OPT_TIMEOUT,
	OPT_OUTPUT,
	OPT_RESUME,
	OPT_RANK,
	OPT_EXIT_ZERO,
	OPT_CAPTURE,
	OPT_HTML,
	OPT_PNG,
	OPT_JSON,
	OPT_CACHE,
	OPT_SKIP_BAD_FACES,
	OPT_ALLOW_OUTSIDE,
	OPT_MOST_MEMORY,
	OPT_QUIET,
	OPT_HELP,
	OPT_VERSION,
	OPT_COUNT
};
static const arg_option options[OPT_COUNT] = {
    PAIR_POSES_ENTRY,
    POSES_FORMAT_ENTRY( pair.pose_options ),
    POSES_NORMALISE_ENTRY( pair.pose_options ),
    POSES_NORMALIZE_ENTRY( pair.pose_options ),
    { "all", 'a', NULL, ARG_TO( ARG_FLAG, all ), "find every pair of triangles, not only whether there is one" },
    { "clearance", 'c', "D", ARG_TO( ARG_NOT_NEGATIVE, clearance ),
      "interference is a distance of at most D, exactly D included" },
    { "relation", 0, NULL, ARG_TO( ARG_FLAG, relation ),
      "relate the meshes as bodies: disjoint, touching, overlapping, one inside the other, equal" },
    { "allow-touching", 0, NULL, ARG_TO( ARG_FLAG, allow_touching ), "with --relation: touching is not interference" },
    { "touch-gap", 0, "D", ARG_TO( ARG_NOT_NEGATIVE, tolerance.touch_gap ),
      "with --relation: a gap of at most D still counts as touching (0)" },
    { "touch-overlap", 0, "D", ARG_TO( ARG_NOT_NEGATIVE, tolerance.touch_overlap ),
      "with --relation: an overlap that moving one whole mesh by at most D removes counts as touching (0)" },
    { "open-holds-nothing", 0, NULL, ARG_TO( ARG_FLAG, tolerance.open_holds_nothing ),
      "with --relation: open meshes are surfaces only, so that nothing is undecidable" },
    { "fill", 0, "RULE", ARG_TO( ARG_TEXT, fill_name ),
      "with --relation: what meshes enclose, by the nonzero winding rule (default) or even-odd" },
    { "overlap", 0, NULL, ARG_TO( ARG_FLAG, overlap ),
      "measure what the bodies have in common: its local depth, volume, type and parts" },
    { "depth", 0, NULL, ARG_TO( ARG_FLAG, depth ),
      "measure how deep they overlap: the local depth, and the penetration depth, the least move that frees B" },
    { "allowed-depth", 0, "L", ARG_TO( ARG_NOT_NEGATIVE, allowed_depth ),
      "an overlap that is nowhere deeper than L is a fit, and no interference" },
    { "allowed-volume", 0, "V", ARG_TO( ARG_NOT_NEGATIVE, allowed_volume ),
      "an overlap of a volume of at most V is a fit; with --allowed-depth both limits hold" },
    { "contacts", 0, NULL, ARG_TO( ARG_FLAG, contacts ), "describe where the surfaces intersect" },
    PAIR_POLICY_ENTRY,
    PAIR_QUALITY_ENTRY,
    { "ellipsoids", 0, "WHICH", ARG_TO( ARG_TEXT, ellipsoids_name ),
      "fit ellipsoids to all nodes of the trees, or to chosen ones; chosen for a policy that compares them, else "
      "none" },
    { "stats", 0, NULL, ARG_TO( ARG_FLAG, wants_stats ),
      "say how many tests each stage of the search made at all poses together, and how long it took" },
    TIMEOUT_ENTRY,
    RESULTS_OUTPUT_ENTRY( results, "pose" ),
    RESULTS_RESUME_ENTRY( results ),
    RESULTS_RANK_ENTRY( results ),
    RESULTS_EXIT_ZERO_ENTRY( results ),
    CAPTURE_ENTRY( pair.capture_file ),
    PICTURE_HTML_ENTRY( pictures ),
    PICTURE_PNG_ENTRY( pictures ),
    { "json", 0, NULL, ARG_TO( ARG_FLAG, pair.as_json ), "print one JSON object, schema dualbvh.check/3" },
    CACHE_ENTRY( pair.cache ),
    SKIP_BAD_FACES_ENTRY( pair.skips_bad_faces ),
    SCENE_TRUST_ENTRIES( pair.trust ),
    PAIR_QUIET_ENTRY,
    ARG_HELP_ENTRY,
    ARG_VERSION_ENTRY,
};

static int help( void ) {
	help_text( "Usage: dualbvh check A B [OPTION]...\n"
	           "\n"
	           "Tells whether mesh B interferes with mesh A. A stays where its file puts it; B is placed by each\n"
	           "pose of --poses in turn, or stays too. The answer is exact, whatever the policy. Interference is\n"
	           "  - that the surfaces intersect, that is have at least one point in common: touching counts, lying\n"
	           "    inside without touching does not (a hard clash);\n"
	           "  - with --clearance D: a distance of at most D between the surfaces (a clearance or soft clash);\n"
	           "  - with --relation: any relation but disjoint. Containment counts, and touching does unless\n"
	           "    --allow-touching is given; whether an open mesh contains a part of the other one is\n"
	           "    undecidable, unless --open-holds-nothing is given;\n"
	           "  - with both: either of the two;\n"
	           "  - with --overlap, --depth, --allowed-depth or --allowed-volume: an overlap of the bodies that is no\n"
	           "    fit. Touching is none; containment is one.\n" );
	help_options( options, OPT_COUNT );
	help_text( POSES_HELP RESULTS_HELP
	           "\n"
	           "Lengths are in the unit of the files. --all counts pairs of triangles, and JSON lists them.\n"
	           "--contacts gives the points, polylines and flat regions that the surfaces share, in connected\n"
	           "clusters, in the coordinates of A's file. Text is a summary, JSON has everything.\n"
	           "\n"
	           "Example: two gears, the second one moved by 25 along x, then by 26.5.\n"
	           "  $ cat moves.txt\n"
	           "  1 0 0 25    0 1 0 0   0 0 1 0   # a comment\n"
	           "  1 0 0 26.5  0 1 0 0   0 0 1 0\n"
	           "  $ dualbvh check gear.ply gear.ply --poses moves.txt --all\n"
	           "  $ dualbvh check gear.ply gear.ply --poses moves.txt --relation --clearance 0.25\n"
	           "\n"
	           "Exit status:\n"
	           "  0  nothing interferes\n"
	           "  1  something interferes, at one pose at least\n"
	           "  2  a mistake in the command line or the input, or an output that cannot be written\n"
	           "  3  --relation, or whether it is a fit, is undecidable at one pose at least, or --timeout ended the "
	           "work, and nothing interferes\n"
	           "     for certain at any" );
	return finish_output( EXIT_CLEAR );
}

// Print how to see the result: with poses by a page of this command, without by `dualbvh view`.
static void show_hint( const check_job *w ) {
	const mesh_pair *p = &w->pair;
	char number[REAL_ROOM];
	hint_begin( p->pose_file != NULL ? "check" : "view" );
	hint_add( NULL, p->file_a );
	hint_add( NULL, p->file_b );
	if ( w->has_clearance )
		hint_add( "clearance", real_text( w->clearance, number ) );
	if ( p->skips_bad_faces )
		hint_add( "skip-bad-faces", NULL );
	if ( p->trust.allow_outside )
		hint_add( "allow-outside", NULL );
	if ( p->pose_file != NULL ) {
		hint_add( "poses", p->pose_file );
		if ( p->pose_options.format_name != NULL )
			hint_add( "pose-format", p->pose_options.format_name );
		if ( p->pose_options.normalise )
			hint_add( "normalise", NULL );
		if ( w->relation || check_wants_overlap( w ) )
			hint_add( "relation", NULL );
		hint_add( "html", "check.html" );
	}
	hint_end();
}

static int run_queries( check_job *w ) {
	const size_t count = pair_pose_count( &w->pair );
	bool interfering = false, undecidable = false;
	w->lists_pairs = w->pair.as_json;
	json j = { .file = stdout };
	check_text text = { 0 };
	if ( w->pair.as_json )
		check_json_begin( &j, w );
	size_t i = 0;
	interrupt_begin();
	for ( ; i < count && !interrupted() && !timeout_expired(); ++i ) {
		check_answer answer;
		progress_step( "poses checked", i, count );
		const double start = progress_now();
		const dbvh_status status = check_run( w, pair_pose( &w->pair, i ), &answer );
		check_stats_add( &w->stats, &answer, progress_now() - start );
		if ( status == DBVH_OK || status == DBVH_CANCELLED )
			check_keep( w, i, &answer, status == DBVH_OK );
		if ( status == DBVH_CANCELLED ) {
			interfering |= answer.interference == INTERFERENCE_YES;
			break;
		}
		if ( status != DBVH_OK )
			return complain( "pose %zu: %s", i, dbvh_status_text( status ) );
		interfering |= answer.interference == INTERFERENCE_YES;
		undecidable |= answer.interference == INTERFERENCE_UNDECIDABLE;
		if ( w->pair.as_json )
			check_json_answer( &j, w, i, &answer );
		else if ( !w->pair.quiet )
			check_text_answer( w, &text, i, &answer );
		else if ( interfering )
			return EXIT_INTERFERENCE; // nothing that follows changes the exit status
		if ( ferror( stdout ) )
			return finish_output( EXIT_ERROR ); // nobody listens any more
	}
	progress_end();
	if ( w->pair.as_json )
		check_json_end( &j, w, i );
	else if ( !w->pair.quiet )
		check_text_end( w, &text, i );
	if ( w->wants_stats && !w->pair.as_json )
		check_stats_print( &w->stats, w->pair.policy );
	if ( interfering && !w->pair.as_json && !w->pair.quiet && !picture_outputs_any( &w->pictures ) &&
	     ( w->pair.pose_file == NULL || strcmp( w->pair.pose_file, "-" ) != 0 ) )
		show_hint( w );
	undecidable |= i < count && timeout_expired();
	const int status = finish_output( interfering ? EXIT_INTERFERENCE : undecidable ? EXIT_UNDECIDABLE : EXIT_CLEAR );
	return i < count ? interrupt_finish( status ) : status;
}

// Write the question of several that asks for most.
static int write_capture( const check_job *w ) {
	dbvh_capture x = pair_capture( &w->pair, w->relation || w->contacts || check_wants_overlap( w ) );
	const dbvh_find find = w->all ? DBVH_FIND_ALL : DBVH_FIND_ANY;
	if ( w->contacts ) {
		x.call = DBVH_CAPTURE_CALL_CONTACTS;
	} else if ( w->relation || check_wants_overlap( w ) ) {
		x.call = DBVH_CAPTURE_CALL_RELATE;
		x.relate = w->tolerance;
	} else if ( w->has_clearance ) {
		x.call = DBVH_CAPTURE_CALL_CLEARANCE;
		x.clearance = ( dbvh_clearance_query ){ .max_distance = w->clearance, .find = find, .policy = w->pair.policy };
	} else {
		x.call = DBVH_CAPTURE_CALL_COLLIDE;
		x.collide = ( dbvh_collide_query ){ .find = find, .policy = w->pair.policy };
	}
	return capture_write( &x, w->pair.tree_a, w->pair.tree_b, w->pair.capture_file );
}

static int run( check_job *w ) {
	const bool draws = picture_outputs_any( &w->pictures );
	if ( !pair_load( &w->pair, w->relation || w->contacts || draws || check_wants_overlap( w ),
	                 draws || w->results.file != NULL ) ||
	     !pair_check_capture( &w->pair ) || ( draws && !pair_keep_facts( &w->pair ) ) )
		return EXIT_ERROR;
	int status = w->pair.capture_file != NULL ? write_capture( w ) : EXIT_CLEAR;
	if ( status != EXIT_CLEAR )
		return status;
	timeout_begin( w->timeout );
	status = w->results.file != NULL ? check_to_file( w ) : run_queries( w );
	if ( !draws || status == EXIT_ERROR || interrupted() )
		return status;
	progress_begin( !w->pair.quiet );
	const bool drawn =
	    picture_outputs_write_pair( &w->pictures, &w->pair, w->pair.quiet || w->pair.as_json ) == EXIT_CLEAR;
	return interrupt_finish( finish_output( drawn ? status : EXIT_ERROR ) );
}

static bool operand( void *target, const char *text ) {
	return pair_operand( &( (settings *)target )->pair, "check", text );
}

static const arg_table table = { "check", options, OPT_COUNT, help, operand };

// For a policy that compares ellipsoids the trees get those that are expected to gain, unless --ellipsoids is given.
static int check_ellipsoids( settings *w ) {
	static const char *const words[] = { "all", "chosen" };
	const bool is_given = w->ellipsoids_name != NULL;
	const int found = is_given ? args_find_word( "check", "ellipsoids", w->ellipsoids_name, words, 2 ) : 1;
	if ( found < 0 )
		return EXIT_ERROR;
	w->pair.ellipsoids = found == 0                                ? DBVH_ELLIPSOIDS_ALL
	                     : is_given || w->pair.compares_ellipsoids ? DBVH_ELLIPSOIDS_MIXED
	                                                               : DBVH_ELLIPSOIDS_NONE;
	return ARGS_GO_ON;
}

// Options that mean nothing without others, or beside them.
static int check_settings( settings *w, uint64_t given ) {
	for ( int i = OPT_OPEN_HOLDS_NOTHING; i <= OPT_FILL; ++i )
		if ( ( given >> i & 1 ) != 0 && !w->relation && !check_wants_overlap( w ) )
			return args_refuse( "check", "--%s needs --relation", options[i].name );
	if ( !fill_rule_find( "check", w->fill_name, &w->pair.fill ) )
		return EXIT_ERROR;
	for ( int i = OPT_ALLOW_TOUCHING; i <= OPT_TOUCH_OVERLAP; ++i )
		if ( ( given >> i & 1 ) != 0 && !w->relation )
			return args_refuse( "check", "--%s needs --relation", options[i].name );
	if ( w->allow_touching && w->has_clearance )
		return args_refuse(
		    "check", "--allow-touching and --clearance exclude each other: touching meshes violate every clearance" );
	if ( w->wants_stats && ( w->pair.quiet || w->results.file != NULL ) )
		return args_refuse( "check", "--stats and --%s exclude each other", w->pair.quiet ? "quiet" : "output" );
	if ( w->contacts && w->pair.quiet )
		return args_refuse( "check", "--contacts and --quiet exclude each other" );
	return ARGS_GO_ON;
}

int cmd_check( int argc, char **argv ) {
	settings w = { 0 };
	uint64_t given;
	int status = args_read( &table, argc, argv, &w, &given );
	w.has_clearance = ( given >> OPT_CLEARANCE & 1 ) != 0;
	w.has_allowed_depth = ( given >> OPT_ALLOWED_DEPTH & 1 ) != 0;
	w.has_allowed_volume = ( given >> OPT_ALLOWED_VOLUME & 1 ) != 0;
	if ( status == ARGS_GO_ON )
		status = pair_check_options( &w.pair, "check" );
	if ( status == ARGS_GO_ON )
		status = check_settings( &w, given );
	if ( status == ARGS_GO_ON )
		status = check_ellipsoids( &w );
	if ( status == ARGS_GO_ON )
		status = pair_check_results( &w.pair, &w.results, "check" );
	if ( status == ARGS_GO_ON )
		status =
		    picture_outputs_check( &w.pictures, "check", pair_inputs( &w.pair ).files, PAIR_FILE_COUNT, !w.pair.quiet );
	if ( status != ARGS_GO_ON )
		return status;
	w.pictures.wishes.relation = w.relation;
	w.pictures.wishes.relate = w.tolerance;
	w.pictures.wishes.allows_touching = w.allow_touching;
	w.pictures.wishes.has_clearance = w.has_clearance;
	w.pictures.wishes.clearance = w.clearance;
	progress_begin( !w.pair.quiet );
	status = run( &w );
	progress_end();
	check_free( &w );
	pair_free( &w.pair );
	return status;
}
