// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "cmd/scene_job.h"

#include "assembly/baseline.h"
#include "assembly/configurations.h"
#include "assembly/describe.h"
#include "assembly/matrix.h"
#include "assembly/ways.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/timeout.h"
#include "cmd/foreign.h"
#include "cmd/hint.h"
#include "formats/skipped.h"
#include "model/whole_file.h"
#include "text/number.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static int find_order( scene_job *job ) {
	static const char *const words[] = { "depth", "volume" };
	const int found = args_find_word( job->command, "sort", job->sort, words, 2 );
	job->order = found == 1 ? SCENE_BY_VOLUME : SCENE_BY_DEPTH;
	return found < 0 ? EXIT_ERROR : ARGS_GO_ON;
}

static int find_severity( scene_job *job ) {
	const char *words[SCENE_SEVERITY_COUNT];
	if ( job->fail_on == NULL )
		return ARGS_GO_ON;
	for ( int i = 0; i < SCENE_SEVERITY_COUNT; ++i )
		words[i] = scene_severity_word( (scene_severity)i );
	const int found = args_find_word( job->command, "fail-on", job->fail_on, words, SCENE_SEVERITY_COUNT );
	job->least_severity = found < 0 ? SCENE_MINOR : (scene_severity)found;
	return found < 0 ? EXIT_ERROR : ARGS_GO_ON;
}

static int find_split( scene_job *job ) {
	const char *words[SCENE_SPLIT_COUNT];
	for ( int i = 0; i < SCENE_SPLIT_COUNT; ++i )
		words[i] = scene_split_word( (scene_split)i );
	const int found = args_find_word( job->command, "split", job->split, words, SCENE_SPLIT_COUNT );
	job->how = found < 0 ? SCENE_SPLIT_AUTO : (scene_split)found;
	return found < 0 ? EXIT_ERROR : ARGS_GO_ON;
}

// No output is one of the files that the command line names as input.
static int check_outputs( scene_job *job ) {
	const char *const others[] = { job->srdf, job->baseline, job->joints, job->review };
	arg_texts inputs = { 0 };
	bool ok = true;
	for ( size_t i = 0; ok && i < job->files.count; ++i )
		ok = args_texts_add( &inputs, job->files.texts[i] );
	for ( size_t i = 0; ok && i < job->ignore_files.count; ++i )
		ok = args_texts_add( &inputs, job->ignore_files.texts[i] );
	for ( size_t i = 0; ok && i < job->compared.count; ++i )
		ok = args_texts_add( &inputs, job->compared.texts[i] );
	for ( size_t i = 0; ok && i < job->matrices.count; ++i )
		ok = args_texts_add( &inputs, job->matrices.texts[i] );
	for ( size_t i = 0; ok && i < job->from_bcf.count; ++i )
		ok = args_texts_add( &inputs, job->from_bcf.texts[i] );
	for ( size_t i = 0; ok && i < sizeof others / sizeof others[0]; ++i )
		ok = others[i] == NULL || args_texts_add( &inputs, others[i] );
	int status = ok ? picture_outputs_check( &job->pictures, job->command, inputs.texts, inputs.count,
	                                         !job->pictures_only && !job->quiet )
	                : complain_memory();
	for ( size_t i = 0; status == ARGS_GO_ON && i < job->outputs.count; ++i )
		status = args_spare_inputs( job->command, job->outputs.list[i].file, inputs.texts, inputs.count );
	args_texts_free( &inputs );
	job->quiet = job->quiet || ( job->pictures_only && picture_outputs_are_printed( &job->pictures ) );
	return status;
}

int scene_job_check( scene_job *job ) {
	int status = find_split( job );
	if ( status == ARGS_GO_ON )
		status = find_order( job );
	if ( status == ARGS_GO_ON )
		status = find_severity( job );
	if ( status == ARGS_GO_ON )
		status = report_outputs_parse( &job->reports, &job->outputs );
	return status == ARGS_GO_ON ? check_outputs( job ) : status;
}

// Free what a run has made.
static void free_run( scene_job *job ) {
	scene_findings_free( &job->findings );
	dbvh_scene_destroy( job->scene );
	scene_rules_close( job->book );
	scene_trees_free( &job->trees );
	scene_assembly_free( &job->assembly );
	scene_opened_free( &job->opened );
	scene_ignores_free( &job->ignores );
	scene_rows_free( &job->rows );
	scene_earlier_free( &job->earlier );
}

void scene_job_free( scene_job *job ) {
	free_run( job );
	args_texts_free( &job->compared );
	report_outputs_free( &job->outputs );
	args_texts_free( &job->files );
	args_texts_free( &job->packages );
	args_texts_free( &job->allowed );
	args_texts_free( &job->same );
	args_texts_free( &job->from_bcf );
	args_texts_free( &job->matrices );
	args_texts_free( &job->ignore_files );
	args_texts_free( &job->reports );
	args_texts_free( &job->pictures.models );
}

static int complain_about( const dbvh_error *error, dbvh_status status ) {
	return complain( "%s", error->text[0] != '\0' ? error->text : dbvh_status_text( status ) );
}

// ------------------------------------------------------------------------------------------------
// Progress

static bool go_on( const char *doing, size_t done, size_t total ) {
	progress_step( doing, done, total );
	return !interrupted() && !timeout_expired();
}

static bool on_tree( void *user, size_t done, size_t total ) {
	(void)user;
	return go_on( "trees built", done, total );
}

static bool on_pair( void *user, size_t done, size_t total ) {
	(void)user;
	return go_on( "pairs of bodies", done, total );
}

static bool is_over( void *user ) {
	(void)user;
	return interrupted() || timeout_expired();
}

// ------------------------------------------------------------------------------------------------
// Reading

// Add the command line's values behind those of the files; in the general rule value by value.
static bool add_general( const scene_job *job, scene_model *model ) {
	dbvh_pair_rule rule = { 0 };
	scene_severity severity = SCENE_MAJOR;
	for ( size_t i = 0; i < model->rule_count; ++i )
		if ( model->rules[i].a == NULL && model->rules[i].b == NULL ) {
			rule = model->rules[i].rule;
			severity = model->rules[i].severity;
		}
	if ( !job->has_general )
		return true;
	if ( job->has_clearance )
		rule.clearance = job->general.clearance;
	if ( job->has_touch_gap )
		rule.touch_gap = job->general.touch_gap;
	if ( job->has_touch_overlap )
		rule.touch_overlap = job->general.touch_overlap;
	if ( job->has_allowed_depth )
		rule.allowed_depth = job->general.allowed_depth;
	if ( job->has_allowed_volume )
		rule.allowed_volume = job->general.allowed_volume;
	rule.may_touch = rule.may_touch || job->general.may_touch;
	const uint32_t number = scene_add_rule( model, NULL, NULL, &rule );
	if ( number != SCENE_NONE )
		model->rules[number].severity = severity;
	return number != SCENE_NONE;
}

static int add_allowed( const scene_job *job, scene_model *model ) {
	static const dbvh_pair_rule may = { .may_collide = true };
	for ( size_t i = 0; i < job->allowed.count; ++i ) {
		const char *text = job->allowed.texts[i], *comma = strchr( text, ',' );
		if ( comma == NULL || comma == text || comma[1] == '\0' || strchr( comma + 1, ',' ) != NULL )
			return args_refuse(
			    job->command,
			    "'%s' is no value for --allow, which takes two patterns with a comma between them, as '*/bolt,*/nut'",
			    text );
		char *a = malloc( (size_t)( comma - text ) + 1 );
		if ( a == NULL )
			return complain_memory();
		memcpy( a, text, (size_t)( comma - text ) );
		a[comma - text] = '\0';
		const uint32_t made = scene_add_rule( model, a, comma + 1, &may );
		free( a );
		if ( made == SCENE_NONE )
			return complain_memory();
	}
	for ( size_t i = 0; i < job->same.count; ++i ) {
		const uint32_t made = scene_add_rule( model, "*", "*", &may );
		if ( made == SCENE_NONE || !scene_set_text( &model->rules[made].same, job->same.texts[i] ) )
			return complain_memory();
	}
	return ARGS_GO_ON;
}

static int read_ignores( scene_job *job ) {
	for ( size_t i = 0; i < job->ignore_files.count; ++i ) {
		dbvh_error error = { 0 };
		if ( scene_ignores_read( &job->ignores, job->ignore_files.texts[i], &error ) != DBVH_OK )
			return complain_of( job->ignore_files.texts[i], &error );
	}
	return ARGS_GO_ON;
}

static int choose_state( scene_job *job ) {
	const scene_model *model = &job->assembly.model;
	if ( job->state == NULL )
		return ARGS_GO_ON;
	const char *names[64];
	size_t count = 0;
	for ( size_t i = 0; i < model->state_count; ++i ) {
		if ( strcmp( model->states[i].name, job->state ) == 0 ) {
			job->values = model->states[i].values;
			return ARGS_GO_ON;
		}
		if ( count < 64 )
			names[count++] = model->states[i].name;
	}
	return complain( "there is no state '%s'%s; the files name %zu", job->state,
	                 args_suggest( job->state, names, count, "" ), model->state_count );
}

static int read_joints( scene_job *job ) {
	scene_model *model = &job->assembly.model;
	dbvh_error error = { 0 };
	size_t count;
	if ( job->joints == NULL )
		return ARGS_GO_ON;
	if ( model->link_count == 0 )
		return complain( "%s: the files have no joints", job->joints );
	if ( model->body_count > SCENE_MOST_MOVING )
		return complain( "%zu bodies are too many for --joints, which takes %d", model->body_count, SCENE_MOST_MOVING );
	unsigned char *bytes = scene_load_bytes( job->joints, &count, &error );
	if ( bytes == NULL )
		return complain_of( job->joints, &error );
	const dbvh_status status = scene_read_joints( bytes, count, model, job->values, &job->rows, &error );
	free( bytes );
	return status == DBVH_OK ? ARGS_GO_ON : complain_of( job->joints, &error );
}

// No output is one of these files.
static int spare( const scene_job *job, const char *const *files, size_t count ) {
	int status = picture_outputs_spare( &job->pictures, job->command, files, count );
	for ( size_t i = 0; status == ARGS_GO_ON && i < job->outputs.count; ++i )
		status = args_spare_inputs( job->command, job->outputs.list[i].file, files, count );
	if ( status == ARGS_GO_ON )
		status = args_spare_inputs( job->command, job->review, files, count );
	return status == ARGS_GO_ON ? args_spare_inputs( job->command, job->results.file, files, count ) : status;
}

// Spare what the files have named, and what converted files were made of, whose names are those that are shown.
static int show_originals( scene_job *job ) {
	int status = spare( job, (const char *const *)job->opened.paths, job->opened.count );
	for ( size_t i = 0; status == ARGS_GO_ON && i < job->opened.count; ++i ) {
		const char *original = foreign_original( job->opened.paths[i] );
		status = spare( job, &original, 1 );
	}
	for ( size_t i = 0; i < job->files.count; ++i )
		job->files.texts[i] = foreign_original( job->files.texts[i] );
	foreign_clean_notes( &job->assembly.model );
	return status == ARGS_GO_ON ? spare( job, job->files.texts, job->files.count ) : status;
}

static int read_all( scene_job *job ) {
	const scene_read_options options = { .split = job->how,
	                                     .packages = job->packages.texts,
	                                     .package_count = job->packages.count,
	                                     .trust = job->trust,
	                                     .sag = job->sag,
	                                     .opened = &job->opened,
	                                     .skip_bad_faces = job->skips_bad_faces };
	dbvh_error error = { 0 };
	const char *failed;
	int status = read_ignores( job );
	if ( status != ARGS_GO_ON )
		return status;
	progress_stage( "reading", job->files.texts[0] );
	if ( scene_assemble( job->files.texts, job->files.count, &options, job->srdf, &job->assembly, &failed, &error ) !=
	     DBVH_OK )
		return complain_of( failed, &error );
	scene_model *model = &job->assembly.model;
	status = show_originals( job );
	if ( status != ARGS_GO_ON )
		return status;
	if ( model->skipped_count > 0 )
		complain( "%zu %s %s left out; the notes say of which files", model->skipped_count,
		          scene_skipped_words( model->skipped_count ), model->skipped_count == 1 ? "is" : "are" );
	if ( model->body_count == 0 ) // or CI would be content
		return complain( "%s: there are no bodies", job->files.texts[0] );
	for ( size_t i = 0; i < model->body_count; ++i )
		if ( model->bodies[i].sag == 0.0 )
			model->bodies[i].sag = job->sag;
	for ( size_t i = 0; i < job->matrices.count; ++i )
		if ( scene_matrix_read( model, job->matrices.texts[i], &error ) != DBVH_OK )
			return complain_of( job->matrices.texts[i], &error );
	status = add_allowed( job, model );
	if ( status == ARGS_GO_ON &&
	     ( !add_general( job, model ) ||
	       !scene_ignores_take( &job->ignores, model, job->files.count == 1 ? job->files.texts[0] : "the scene" ) ) )
		return complain_memory();
	if ( status == ARGS_GO_ON )
		status = choose_state( job );
	return status == ARGS_GO_ON ? read_joints( job ) : status;
}

// ------------------------------------------------------------------------------------------------
// Building

static dbvh_status add_bodies( const scene_job *job, dbvh_error *error ) {
	const scene_model *model = &job->assembly.model;
	dbvh_status status = DBVH_OK;
	for ( size_t i = 0; i < model->body_count && status == DBVH_OK; ++i ) {
		const scene_body *body = &model->bodies[i];
		const dbvh_body_options options = { .group = body->group, .mask = body->mask, .sag = body->sag };
		uint32_t number;
		status = dbvh_scene_add_body( job->scene, job->trees.trees[body->mesh], &body->pose, &options, &number, error );
		if ( status != DBVH_OK )
			complain( "%s: %s: %s", job->files.texts[job->assembly.file_of[i]], body->path, error->text );
	}
	return status;
}

// Bodies of links stand where their links are. Those that rows of joints will place stay in the frames of their links.
static bool place_links( scene_job *job ) {
	scene_model *model = &job->assembly.model;
	if ( model->link_count == 0 || job->joints != NULL )
		return true;
	dbvh_pose *poses = malloc( ( model->body_count + 1 ) * sizeof *poses );
	if ( poses == NULL )
		return false;
	const bool ok = scene_place( model, job->values, poses );
	for ( size_t i = 0; i < model->body_count && ok; ++i )
		model->bodies[i].pose = poses[i];
	free( poses );
	return ok;
}

// Set the rules of the pairs of bodies that clashed in the earlier run; all others may meet.
static int apply_to_known( scene_job *job ) {
	const scene_findings bodies = { .assembly = &job->assembly, .trees = &job->trees };
	scene_earlier *e = &job->earlier;
	dbvh_error error = { 0 };
	uint32_t *then = NULL;
	dbvh_body_pair *pairs = malloc( ( e->clash_count + 1 ) * sizeof *pairs );
	size_t count = 0;
	dbvh_status status = DBVH_OUT_OF_MEMORY;
	if ( pairs != NULL && scene_match_bodies( &bodies, e, &then ) ) {
		for ( size_t i = 0; i < e->clash_count; ++i ) {
			const dbvh_body_pair pair = { e->bodies[e->clashes[i].a].now, e->bodies[e->clashes[i].b].now };
			if ( pair.a != SCENE_NONE && pair.b != SCENE_NONE && pair.a != pair.b )
				pairs[count++] = pair;
		}
		status = scene_rules_apply_to( job->book, job->scene, pairs, count, &error );
	}
	free( then );
	free( pairs );
	return status == DBVH_OK ? ARGS_GO_ON : complain_about( &error, status );
}

static int apply_to_explained( scene_job *job ) {
	const dbvh_body_pair *pairs;
	dbvh_error error = { 0 };
	size_t count;
	const int named = scene_job_find_explained( job, &pairs, &count );
	if ( named != ARGS_GO_ON )
		return named;
	const dbvh_status status = scene_rules_apply_to( job->book, job->scene, pairs, count, &error );
	return status == DBVH_OK ? ARGS_GO_ON : complain_about( &error, status );
}

// Returns ARGS_GO_ON also where the work was ended early: the scene is NULL then.
static int build_all( scene_job *job ) {
	scene_model *model = &job->assembly.model;
	dbvh_error error = { 0 };
	uint32_t failed;
	dbvh_status status =
	    scene_build_trees( model, job->thread_count, job->cache, on_tree, NULL, &job->trees, &failed, &error );
	if ( job->trees.cache_error.status != DBVH_OK )
		complain( "%s: %s", job->cache, job->trees.cache_error.text );
	if ( status == DBVH_CANCELLED )
		return ARGS_GO_ON;
	if ( status != DBVH_OK && failed != SCENE_NONE )
		return complain_of( model->meshes[failed].name, &error );
	if ( status != DBVH_OK || !place_links( job ) )
		return complain_memory();
	status = dbvh_scene_create( NULL, &job->scene, &error );
	if ( status != DBVH_OK )
		return complain_about( &error, status );
	if ( add_bodies( job, &error ) != DBVH_OK )
		return EXIT_ERROR;
	scene_ways_measure( model );
	job->book = scene_rules_open( model );
	if ( job->book == NULL )
		return complain_memory();
	if ( job->known_pairs_only )
		return apply_to_known( job );
	if ( job->explained != NULL )
		return apply_to_explained( job );
	status = ( job->joints != NULL ? scene_rules_apply_to_all : scene_rules_apply )( job->book, job->scene, &error );
	return status == DBVH_OK ? ARGS_GO_ON : complain_about( &error, status );
}

// ------------------------------------------------------------------------------------------------
// Answering

static int judge( const scene_findings *f ) {
	const report_counts counts = report_count( f );
	if ( counts.failing > 0 )
		return EXIT_INTERFERENCE;
	return counts.open > 0 || !f->is_finished ? EXIT_UNDECIDABLE : EXIT_CLEAR;
}

static const scene_watch watch = { on_pair, is_over, NULL };

static int find_clashes( scene_job *job ) {
	scene_findings *f = &job->findings;
	dbvh_error error = { 0 };
	const dbvh_status status =
	    scene_find( &job->assembly, &job->trees, job->book, job->scene, job->thread_count, &watch, f, &error );
	if ( status != DBVH_OK )
		return complain_about( &error, status );
	return ARGS_GO_ON;
}

// SOURCE_DATE_EPOCH, where somebody asks for the same bytes every time (reproducible-builds.org).
static int64_t now( void ) {
	const char *fixed = getenv( "SOURCE_DATE_EPOCH" );
	char *end;
	const long long seconds = fixed != NULL ? strtoll( fixed, &end, 10 ) : 0;
	return fixed != NULL && *fixed != '\0' && *end == '\0' && seconds >= 0 ? (int64_t)seconds : (int64_t)time( NULL );
}

static int compare_clashes( scene_job *job ) {
	scene_findings *f = &job->findings;
	f->is_late = !f->is_finished && timeout_expired();
	f->is_recheck = job->known_pairs_only;
	const int status = scene_job_stand( job, now() );
	if ( status != ARGS_GO_ON )
		return status;
	f->order = job->order;
	f->least_severity = job->least_severity;
	if ( !scene_ignores_apply( &job->ignores, f ) || !scene_sort_worst( f ) || !scene_group_clashes( f ) ||
	     scene_part_worst( f, job->wants_depth ? SIZE_MAX : SCENE_MOST_PARTED, job->thread_count, &watch ) != DBVH_OK )
		return complain_memory();
	return ARGS_GO_ON;
}

static int draw( scene_job *job ) {
	picture p = { 0 };
	if ( !picture_outputs_any( &job->pictures ) )
		return EXIT_CLEAR;
	progress_begin( !job->quiet );
	const picture_wishes wishes = picture_outputs_wishes( &job->pictures );
	const bool is_compared = job->findings.earlier != NULL && job->pictures.html != NULL;
	if ( is_compared )
		picture_add_review( &p, &job->findings, &job->earlier );
	const int status = picture_from_scene( &job->findings, &wishes, &p )
	                       ? picture_outputs_write( &job->pictures, &p, job->quiet || job->as_json )
	                       : EXIT_ERROR;
	picture_free( &p );
	return status;
}

static void hint_texts( const char *option, const arg_texts *texts ) {
	for ( size_t i = 0; i < texts->count; ++i )
		hint_add( option, texts->texts[i] );
}

static void hint_length( const char *option, double x ) {
	char text[REAL_ROOM];
	hint_add( option, real_text( x, text ) );
}

// Print how to see the clashes, by the options of `dualbvh view`.
static void show_hint( const scene_job *job ) {
	hint_begin( "view" );
	hint_texts( NULL, &job->files );
	if ( job->how != SCENE_SPLIT_AUTO )
		hint_add( "split", job->split );
	hint_texts( "package", &job->packages );
	if ( job->srdf != NULL )
		hint_add( "srdf", job->srdf );
	if ( job->state != NULL )
		hint_add( "state", job->state );
	if ( job->has_clearance )
		hint_length( "clearance", job->general.clearance );
	if ( job->general.may_touch )
		hint_add( "allow-touching", NULL );
	if ( job->has_allowed_depth )
		hint_length( "allowed-depth", job->general.allowed_depth );
	if ( job->has_allowed_volume )
		hint_length( "allowed-volume", job->general.allowed_volume );
	if ( job->order == SCENE_BY_VOLUME )
		hint_add( "sort", "volume" );
	if ( job->sag > 0.0 )
		hint_length( "sag", job->sag );
	hint_texts( "allow", &job->allowed );
	hint_texts( "allow-same", &job->same );
	hint_texts( "matrix", &job->matrices );
	hint_texts( "ignore", &job->ignore_files );
	if ( job->baseline != NULL )
		hint_add( "baseline", job->baseline );
	if ( job->skips_bad_faces )
		hint_add( "skip-bad-faces", NULL );
	if ( job->trust.allow_outside )
		hint_add( "allow-outside", NULL );
	hint_end();
}

static int report_all( scene_job *job, double seconds ) {
	const scene_report report = { .findings = &job->findings,
	                              .ignores = &job->ignores,
	                              .baseline = job->baseline != NULL     ? job->baseline
	                                          : job->review != NULL     ? job->review
	                                          : job->compared.count > 0 ? job->compared.texts[0]
	                                                                    : NULL,
	                              .split = job->split,
	                              .timeout = job->timeout,
	                              .seconds = seconds,
	                              .now = now(),
	                              .was_interrupted = interrupted() };
	progress_end();
	if ( job->as_json )
		report_json( &report, stdout );
	else if ( !job->quiet )
		report_text( &report, stdout );
	if ( !report_outputs_write( &job->outputs, &report ) )
		return finish_output( EXIT_ERROR );
	if ( draw( job ) != EXIT_CLEAR )
		return finish_output( EXIT_ERROR );
	if ( !job->quiet && !job->as_json && job->findings.worst_count > 0 && !picture_outputs_any( &job->pictures ) )
		show_hint( job );
	return finish_output( job->pictures_only ? EXIT_CLEAR : judge( &job->findings ) );
}

// The clashes of the files of --compare, by the options of this run.
static int find_compared( scene_job *job ) {
	scene_job old = *job;
	if ( job->compared.count == 0 )
		return ARGS_GO_ON;
	old.files = job->compared;
	old.opened = ( scene_opened ){ 0 };
	int status = read_all( &old );
	if ( status == ARGS_GO_ON )
		status = build_all( &old );
	if ( status == ARGS_GO_ON && old.scene != NULL )
		status = find_clashes( &old );
	if ( status == ARGS_GO_ON && !old.findings.is_finished ) {
		complain( "%s: the run was ended before all of its clashes were found", old.files.texts[0] );
		status = EXIT_UNDECIDABLE;
	}
	if ( status == ARGS_GO_ON && !scene_earlier_take( &job->earlier, &old.findings ) )
		status = complain_memory();
	free_run( &old );
	return status;
}

static int run( scene_job *job ) {
	int status = scene_job_read_earlier( job, now() );
	if ( status == ARGS_GO_ON )
		status = read_all( job );
	if ( status != ARGS_GO_ON )
		return status;
	interrupt_begin();
	timeout_begin( job->timeout );
	const double start = progress_now();
	status = find_compared( job );
	if ( status == ARGS_GO_ON )
		status = build_all( job );
	if ( status != ARGS_GO_ON )
		return status;
	if ( job->joints != NULL && ( job->wants_edges || job->wants_distance || job->has_clearance ) )
		return scene_job_robot( job, &job->rows );
	if ( job->scene == NULL && job->joints != NULL )
		return scene_job_no_configurations( job, &job->rows );
	if ( job->joints != NULL )
		return job->results.file != NULL ? scene_job_configurations_to_file( job, &job->rows )
		                                 : scene_job_configurations( job, &job->rows );
	if ( job->scene != NULL )
		status = find_clashes( job );
	else // ended early
		job->findings = ( scene_findings ){ .assembly = &job->assembly,
		                                    .trees = &job->trees,
		                                    .rules = scene_rules_fingerprint( &job->assembly.model ) };
	if ( status == ARGS_GO_ON && job->explained != NULL ) {
		progress_end();
		return job->scene != NULL && job->findings.is_finished
		           ? scene_job_explain( job )
		           : complain( "%s before the pair was looked at", timeout_expired() ? "out of time" : "interrupted" );
	}
	if ( status == ARGS_GO_ON )
		status = compare_clashes( job );
	if ( status != ARGS_GO_ON )
		return status;
	status = report_all( job, progress_now() - start );
	// The review has only findings that people could read: where an output fails, the next run tells them again.
	if ( status != EXIT_ERROR && !interrupted() && scene_job_keep_review( job ) != EXIT_CLEAR )
		status = EXIT_ERROR;
	const bool is_whole =
	    job->findings.is_finished && !job->outputs.is_given_up && !picture_outputs_any( &job->pictures );
	return is_whole ? status : interrupt_finish( status );
}

int scene_job_run( scene_job *job ) {
	progress_begin( !job->quiet );
	const int status = run( job );
	progress_end();
	return status;
}
