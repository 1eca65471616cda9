// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// dualbvh export: where bodies clash, as a file for other programs.

#include "cli/args.h"
#include "cli/help.h"
#include "cli/progress.h"
#include "cli/timeout.h"
#include "cmd/cmd.h"
#include "cmd/scene_job.h"
#include "load/load.h"
#include "load/pair.h"
#include "load/poses.h"
#include "picture/model.h"
#include "text/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct settings {
	scene_job job;
	mesh_pair pair; // used where poses are given
	const char *from, *to, *show, *section;
	uint32_t samples;
} settings;

enum {
	OPT_OUTPUT,
	OPT_SHOW,
	OPT_LEVEL,
	OPT_SECTION,
	OPT_POSES,
	OPT_FROM,
	OPT_TO,
	OPT_SAMPLES,
	OPT_POSE_FORMAT,
	OPT_NORMALISE,
	OPT_NORMALIZE,
	OPT_SPLIT,
	OPT_PACKAGE,
	OPT_SRDF,
	OPT_STATE,
	OPT_CLEARANCE,
	OPT_ALLOW,
	OPT_ALLOW_SAME,
	OPT_DEPTH,
	OPT_CACHE,
	OPT_SKIP_BAD_FACES,
	OPT_ALLOW_OUTSIDE,
	OPT_MOST_MEMORY,
	OPT_TIMEOUT,
	OPT_QUIET,
	OPT_HELP,
	OPT_VERSION,
	OPT_COUNT
};
static const arg_option options[OPT_COUNT] = {
    { "output", 'o', "FILE", ARG_TO( ARG_TEXTS, job.pictures.models ),
      "a .glb, .obj, .ply or .svg file; may be repeated" },
    { "show", 0, "WHAT,...", ARG_TO( ARG_TEXT, show ),
      "of bodies, contacts, clusters, overlap, levels, separation, distance (bodies,contacts,separation,distance)" },
    { "level", 0, "N", ARG_COUNT_TO( job.pictures.level, 0, 64 ), "the level of the trees that 'levels' shows (4)" },
    { "section", 0, "PLANE", ARG_TO( ARG_TEXT, section ),
      "an .svg is the section by a plane: x=3.5, y=0 or z=-1; x, y or z: through the deepest point of the worst "
      "clash" },
    { "poses", 'p', "FILE", ARG_TO( ARG_TEXT, pair.pose_file ),
      "of two meshes: the poses of B, for a plot of the distance" },
    { "from", 0, "POSE", ARG_TO( ARG_TEXT, from ), "with --to: where B starts (default: where its file puts it)" },
    { "to", 0, "POSE", ARG_TO( ARG_TEXT, to ), "of two meshes: where B goes, for a plot of the distance over time" },
    { "samples", 0, "N", ARG_COUNT_TO( samples, 1, 2000 ), "with --to: in N steps, which are N + 1 poses (100)" },
    POSES_FORMAT_ENTRY( pair.pose_options ),
    POSES_NORMALISE_ENTRY( pair.pose_options ),
    POSES_NORMALIZE_ENTRY( pair.pose_options ),
    SCENE_SPLIT_ENTRY( job.split ),
    SCENE_PACKAGE_ENTRY( job.packages ),
    SCENE_SRDF_ENTRY( job.srdf ),
    SCENE_STATE_ENTRY( job.state ),
    { "clearance", 'c', "D", ARG_TO( ARG_NOT_NEGATIVE, job.general.clearance ),
      "bodies less than D apart clash, too (0)" },
    SCENE_ALLOW_ENTRY( job.allowed ),
    SCENE_ALLOW_SAME_ENTRY( job.same ),
    SCENE_DEPTH_ENTRY( job.wants_depth ),
    CACHE_ENTRY( job.cache ),
    SKIP_BAD_FACES_ENTRY( job.skips_bad_faces ),
    SCENE_TRUST_ENTRIES( job.trust ),
    TIMEOUT_OF_PICTURES_ENTRY( job.timeout ),
    { "quiet", 'q', NULL, ARG_TO( ARG_FLAG, job.quiet ), "print nothing but complaints" },
    ARG_HELP_ENTRY,
    ARG_VERSION_ENTRY,
};

static int help( void ) {
	help_text(
	    "Usage: dualbvh export FILE... -o OUTPUT [OPTION]...\n"
	    "\n"
	    "Writes where bodies clash, as 'dualbvh scene' finds it, for other programs: GLB (floats round the middle, "
	    "and\n"
	    "the exact numbers in extras), OBJ and PLY with all digits. '--show overlap' is what two bodies have in "
	    "common, as\n"
	    "a closed mesh. An .svg is a drawing of a section, hatched, with the overlaps in red and their areas; or a "
	    "plot of\n"
	    "the distance of two meshes over the poses of one, or over time on its way: what other files show then is the "
	    "first\n"
	    "pose.\n" );
	help_options( options, OPT_COUNT );
	help_text( POSES_HELP "\n"
	                      "Example: dualbvh export housing.stl shaft.stl -o clash.glb -o contact.ply --show contacts\n"
	                      "Example: dualbvh export housing.stl shaft.stl --section z=12.5 -o section.svg\n"
	                      "Example: dualbvh export gear.ply gear.ply --to '1 0 0 30 0 1 0 0 0 0 1 0' -o distance.svg\n"
	                      "\n"
	                      "Exit status:\n"
	                      "  0  the files were written, whatever they show\n"
	                      "  2  a mistake in the command line or the input, or an output that cannot be written" );
	return finish_output( EXIT_CLEAR );
}

static bool operand( void *target, const char *text ) {
	return args_texts_add( &( (settings *)target )->job.files, text );
}

static const arg_table table = { "export", options, OPT_COUNT, help, operand };

static const struct {
	const char *name;
	unsigned layer;
} layers[] = { { "bodies", LAYER_BODIES },    { "contacts", LAYER_CONTACTS }, { "clusters", LAYER_CLUSTERS },
               { "overlap", LAYER_OVERLAP },  { "levels", LAYER_LEVELS },     { "separation", LAYER_SEPARATION },
               { "distance", LAYER_DISTANCE } };
enum { LAYER_COUNT = sizeof( layers ) / sizeof( layers[0] ) };

static int check_layers( settings *w ) {
	w->job.pictures.layers = LAYER_BODIES | LAYER_CONTACTS | LAYER_SEPARATION | LAYER_DISTANCE;
	if ( w->show == NULL )
		return ARGS_GO_ON;
	w->job.pictures.layers = 0;
	for ( const char *at = w->show;; ) {
		const size_t length = strcspn( at, "," );
		int found = -1;
		for ( int i = 0; i < LAYER_COUNT; ++i )
			if ( strlen( layers[i].name ) == length && memcmp( layers[i].name, at, length ) == 0 )
				found = i;
		if ( found < 0 )
			return args_refuse( "export",
			                    "'%.*s' is no value for --show, which takes bodies, contacts, clusters, overlap, "
			                    "levels, separation or distance, or several with commas between them",
			                    (int)length, at );
		w->job.pictures.layers |= layers[found].layer;
		if ( at[length] == '\0' )
			break;
		at += length + 1;
	}
	w->job.pictures.wishes.trees = ( w->job.pictures.layers & LAYER_LEVELS ) != 0;
	return ARGS_GO_ON;
}

// "z=3.5" or "z".
static int check_section( settings *w ) {
	const char *text = w->section;
	section_plane *plane = &w->job.pictures.section;
	if ( text == NULL )
		return ARGS_GO_ON;
	const char *axis = *text != '\0' ? strchr( "xyz", *text ) : NULL;
	w->job.pictures.has_section = true;
	*plane = ( section_plane ){ .axis = axis != NULL ? (int)( axis - "xyz" ) : 0,
	                            .is_given = axis != NULL && text[1] == '=' };
	if ( axis == NULL || !( plane->is_given ? parse_reals( text + 2, &plane->at, 1 ) : text[1] == '\0' ) )
		return args_refuse( "export", "'%s' is no value for --section, which takes x, y or z, or a plane such as z=3.5",
		                    text );
	return ARGS_GO_ON;
}

// Refuse options that would change nothing.
static int check_pointless( const settings *w, uint64_t given, bool moves ) {
	static const int not_of_poses[] = { OPT_SPLIT, OPT_PACKAGE,    OPT_SRDF,  OPT_STATE,  OPT_CLEARANCE,
	                                    OPT_ALLOW, OPT_ALLOW_SAME, OPT_DEPTH, OPT_SECTION };
	static const int of_poses[] = { OPT_POSE_FORMAT, OPT_NORMALISE, OPT_NORMALIZE };
	for ( size_t i = 0; moves && i < sizeof not_of_poses / sizeof not_of_poses[0]; ++i )
		if ( ( given >> not_of_poses[i] & 1 ) != 0 )
			return args_refuse( "export", "--%s means nothing with --poses and --to", options[not_of_poses[i]].name );
	for ( size_t i = 0; !moves && i < sizeof of_poses / sizeof of_poses[0]; ++i )
		if ( ( given >> of_poses[i] & 1 ) != 0 )
			return args_refuse( "export", "--%s needs --poses or --to", options[of_poses[i]].name );
	if ( ( given >> OPT_SAMPLES & 1 ) != 0 && w->to == NULL )
		return args_refuse( "export", "--samples needs --to" );
	if ( ( given >> OPT_LEVEL & 1 ) != 0 && ( w->job.pictures.layers & LAYER_LEVELS ) == 0 )
		return args_refuse( "export", "--level needs 'levels' in --show" );
	return ARGS_GO_ON;
}

static int check_settings( settings *w, uint64_t given ) {
	w->job.has_clearance = w->job.has_general = ( given >> OPT_CLEARANCE & 1 ) != 0;
	const bool moves = w->pair.pose_file != NULL || w->to != NULL;
	bool has_svg = false;
	if ( w->job.files.count == 0 )
		return args_refuse( "export", "no file is named" );
	if ( w->job.pictures.models.count == 0 )
		return args_refuse( "export", "-o FILE is missing: where is the model to go?" );
	if ( w->pair.pose_file != NULL && ( w->to != NULL || w->from != NULL ) )
		return args_refuse( "export", "--poses and --%s exclude each other", w->to != NULL ? "to" : "from" );
	if ( w->from != NULL && w->to == NULL )
		return args_refuse( "export", "--from needs --to" );
	if ( moves && w->job.files.count != 2 )
		return args_refuse( "export", "--poses and --to are for two meshes; %zu are named", w->job.files.count );
	for ( size_t i = 0; i < w->job.pictures.models.count; ++i ) {
		const char *file = w->job.pictures.models.texts[i], *ending = strrchr( file, '.' );
		static const char *const known[] = { ".glb", ".obj", ".ply", ".svg" };
		int found = -1;
		for ( int k = 0; k < 4; ++k )
			if ( ending != NULL && strcmp( ending, known[k] ) == 0 )
				found = k;
		if ( found < 0 )
			return args_refuse(
			    "export", "'%s' is no value for --output, which takes a name that ends in .glb, .obj, .ply or .svg",
			    file );
		has_svg = has_svg || found == 3;
		if ( found == 3 && !moves && w->section == NULL )
			return args_refuse( "export",
			                    "a plot needs poses: --poses FILE, or --to POSE; and a section --section PLANE" );
	}
	if ( w->section != NULL && !has_svg )
		return args_refuse( "export", "--section needs -o FILE.svg" );
	int status = check_section( w );
	if ( status == ARGS_GO_ON )
		status = check_layers( w );
	if ( status == ARGS_GO_ON )
		status = check_pointless( w, given, moves );
	if ( status != ARGS_GO_ON || !moves )
		return status;
	w->pair.file_a = w->job.files.texts[0];
	w->pair.file_b = w->job.files.texts[1];
	w->pair.quiet = w->job.quiet;
	w->pair.cache = w->job.cache;
	w->pair.skips_bad_faces = w->job.skips_bad_faces;
	w->pair.trust = w->job.trust;
	const char *const inputs[] = { w->pair.pose_file, w->from, w->to }; // poses may be files, too
	const int checked = pair_check_options( &w->pair, "export" );
	return checked == ARGS_GO_ON ? picture_outputs_check( &w->job.pictures, "export", inputs, 3, false ) : checked;
}

// Export two meshes at poses or on a way.
static int run_pair( settings *w ) {
	mesh_pair *p = &w->pair;
	picture made = { 0 };
	bool ok = pair_load( p, true, true );
	picture_wishes wishes = picture_outputs_wishes( &w->job.pictures );
	wishes.distance = true;
	if ( wishes.most_overlaps > 1 )
		wishes.most_overlaps = 1; // models show the first pose
	timeout_begin( w->job.timeout );
	if ( ok && w->to != NULL ) {
		const dbvh_pose identity = dbvh_pose_identity();
		dbvh_motion motion;
		ok = ( w->from != NULL ? pose_argument( "--from", w->from, &p->pose_options, &p->poses )
		                       : poses_append( &p->poses, &identity ) ) &&
		     pose_argument( "--to", w->to, &p->pose_options, &p->poses );
		if ( ok && dbvh_motion_between( &p->poses.poses[0], &p->poses.poses[1], NULL, &motion, NULL ) != DBVH_OK ) {
			complain( "there is no way from the one pose to the other" );
			ok = false;
		}
		const picture_pair pair = { .files = { p->file_a, p->file_b },
		                            .meshes = { p->mesh_a, p->mesh_b },
		                            .trees = { p->tree_a, p->tree_b },
		                            .metres = p->metres };
		ok = ok &&
		     picture_from_motions( &pair, NULL, &motion, 1, w->samples > 0 ? w->samples : 100, NULL, &wishes, &made );
	} else if ( ok )
		ok = picture_from_pair( p, &wishes, &made );
	const int status = ok ? picture_outputs_write( &w->job.pictures, &made, w->job.quiet ) : EXIT_ERROR;
	progress_end();
	picture_free( &made );
	return finish_output( status );
}

int cmd_export( int argc, char **argv ) {
	settings w = { .job = { .command = "export",
	                        .split = "auto",
	                        .sort = "depth",
	                        .pictures_only = true,
	                        .pictures = { .level = 4 } } };
	uint64_t given;
	int status = args_read( &table, argc, argv, &w, &given );
	if ( status == ARGS_GO_ON )
		status = check_settings( &w, given );
	if ( status == ARGS_GO_ON )
		status = scene_job_check( &w.job );
	if ( status == ARGS_GO_ON && w.pair.file_b != NULL ) {
		progress_begin( !w.job.quiet );
		status = run_pair( &w );
		pair_free( &w.pair );
	} else if ( status == ARGS_GO_ON )
		status = scene_job_run( &w.job );
	scene_job_free( &w.job );
	return status;
}
