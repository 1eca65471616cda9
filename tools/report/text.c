// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The report for people: what there is, what is wrong, and the worst of it.

#include "assembly/earlier.h"
#include "assembly/sentences.h"
#include "cli/complain.h"
#include "cli/terminal.h"
#include "report/report.h"
#include "text/hash.h"
#include "text/measure.h"
#include "text/utf8.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WORST = 10, MOST_GROUPS = 5, MOST_NOTES = 20 };

void report_put( FILE *file, const char *text ) {
	utf8_print( file, text );
}

static void print_unit( double metres, FILE *file ) {
	static const struct {
		double metres;
		const char *name;
	} units[] = { { 1.0, "metres" }, { 0.01, "centimetres" }, { 0.001, "millimetres" }, { 0.0254, "inches" } };
	const char *name = NULL;
	for ( size_t i = 0; i < sizeof units / sizeof units[0]; ++i )
		if ( metres == units[i].metres )
			name = units[i].name;
	if ( name != NULL )
		fprintf( file, "lengths are in %s\n", name );
	else if ( metres > 0.0 )
		fprintf( file, "lengths are in units of %g m\n", metres );
}

static void print_counts( const scene_report *report, FILE *file ) {
	const scene_findings *f = report->findings;
	const scene_model *model = &f->assembly->model;
	size_t meshes = 0;
	for ( size_t i = 0; i < f->trees->mesh_count; ++i )
		meshes += f->trees->trees[i] != NULL;
	fprintf( file, "%zu bod%s of %zu mesh%s, %zu triangle%s; %zu pair%s of bodies near enough to be looked at\n",
	         model->body_count, model->body_count == 1 ? "y" : "ies", meshes, meshes == 1 ? "" : "es",
	         f->trees->triangle_count, plural( f->trees->triangle_count ), f->pair_count, plural( f->pair_count ) );
	size_t assumed = 0;
	for ( size_t i = 0; i < model->rule_count; ++i )
		assumed += model->rules[i].is_assumed;
	if ( assumed > 0 )
		fprintf( file, "%zu pair%s of neighbouring links may meet, since no SRDF says otherwise\n", assumed,
		         plural( assumed ) );
	print_unit( model->metres, file );
}

static void print_verdict( const scene_report *report, const report_counts *counts, FILE *file ) {
	const scene_findings *f = report->findings;
	if ( counts->clashes == 0 )
		fprintf( file, "%s%s%s", terminal_begin( file, f->is_finished ? TERMINAL_GOOD : TERMINAL_UNSURE ),
		         f->is_finished ? "no clashes" : "no clashes so far", terminal_end( file ) );
	else {
		char *kinds = report_kinds_text( counts );
		fprintf( file, "%s%zu clash%s%s: %s", terminal_begin( file, TERMINAL_BAD ), counts->clashes,
		         counts->clashes == 1 ? "" : "es", terminal_end( file ), kinds != NULL ? kinds : "?" );
		free( kinds );
		if ( counts->clashes > 1 )
			fprintf( file, "; %zu group%s in %zu place%s", f->group_count, plural( f->group_count ), f->cluster_count,
			         plural( f->cluster_count ) );
	}
	if ( counts->kinds[DBVH_CLASH_KIND_FIT] > 0 )
		fprintf( file, "; %zu fit%s", counts->kinds[DBVH_CLASH_KIND_FIT],
		         plural( counts->kinds[DBVH_CLASH_KIND_FIT] ) );
	if ( counts->ignored > 0 )
		fprintf( file, "; %zu ignored", counts->ignored );
	fputc( '\n', file );
	if ( f->has_baseline ) {
		const size_t *of = counts->standings;
		fprintf( file, "against %s: ", report->baseline );
		for ( int i = SCENE_NEW; i < SCENE_STANDING_COUNT; ++i )
			if ( of[i] > 0 || i == SCENE_NEW || i == SCENE_UNCHANGED )
				fprintf( file, "%zu %s, ", of[i], scene_standing_word( (scene_standing)i ) );
		fprintf( file, "%zu absent%s\n", f->absent_count,
		         of[SCENE_UNCHANGED] + of[SCENE_RENAMED] + of[SCENE_IMPROVED] + of[SCENE_ACCEPTED] > 0
		             ? "; what is unchanged does not count for the exit status"
		             : "" );
		if ( !f->baseline_has_same_rules )
			fputs( "  its rules were others\n", file );
	}
	if ( f->is_recheck )
		fputs( "only pairs that clashed before were looked at\n", file );
	if ( f->scene == NULL )
		fprintf( file, "%s before a pair was looked at\n", f->is_late ? "out of time" : "interrupted" );
	else if ( !f->is_finished )
		fprintf( file, "%s: %zu of %zu pairs were looked at; there may be more clashes\n",
		         f->is_late ? "out of time" : "interrupted", f->done_count, f->pair_count );
	if ( f->sketched_count > 0 )
		fprintf( file, "the places of %zu clash%s are those of boxes: the run was ended before they were looked at\n",
		         f->sketched_count, f->sketched_count == 1 ? "" : "es" );
}

// How it stood in the baseline, as far as that is why it counts.
static void print_was( const scene_findings *f, const scene_clash *c, FILE *file ) {
	if ( c->was == SCENE_NONE || c->standing == SCENE_UNCHANGED )
		return;
	const scene_was *was = &f->was[c->was];
	const earlier_review *review = scene_review_of( f, c );
	if ( c->standing == SCENE_NEW )
		fputs( ", again: it was resolved", file );
	else if ( review != NULL &&
	          ( c->standing == SCENE_ACCEPTED || c->standing == SCENE_EXPIRED || c->standing == SCENE_UNSURE ) ) {
		fputs( c->standing == SCENE_UNSURE ? ", which may be worse than it was, accepted: " : ", accepted: ", file );
		report_put( file, review->accepted );
	} else if ( c->standing == SCENE_RENAMED ) {
		fputs( ", as ", file );
		report_put( file, was->a );
		fputs( " and ", file );
		report_put( file, was->b );
	} else if ( c->standing == SCENE_MOVED )
		fprintf( file, ", %.6g from where it was", was->moved );
	else if ( was->has_severity && was->severity != scene_severity_of( c ) )
		fprintf( file, ", %s before", scene_severity_word( was->severity ) );
	else if ( strcmp( was->kind, scene_kind_word( c->kind ) ) != 0 )
		fprintf( file, ", %s before", was->kind );
	else if ( was->has_measure ) {
		char number[MEASURE_ROOM];
		const bool is_depth = c->kind != DBVH_CLASH_KIND_CLEARANCE && !was->is_volume;
		fprintf( file, ", %s%s before",
		         measure_text( was->measure, f->assembly->model.metres, was->is_volume ? 3 : 1, number ),
		         is_depth ? " deep" : "" );
	}
}

static void print_worst( const scene_report *report, FILE *file ) {
	const scene_findings *f = report->findings;
	const size_t shown = f->worst_count < MOST_WORST ? f->worst_count : MOST_WORST, width = terminal_width( file );
	if ( f->worst_count > shown )
		fprintf( file, "the worst %zu:\n", shown );
	if ( width > 0 && shown > 0 )
		report_table( report, shown, width, file );
	for ( size_t i = 0; i < shown && width == 0; ++i ) {
		const scene_clash *c = &f->clashes[f->worst[i]];
		char *sentence = scene_clash_sentence( f, c ), id[SCENE_HASH_ROOM];
		fprintf( file, "  %s  ", scene_hash_print( c->id, id ) );
		if ( c->standing != SCENE_NOT_COMPARED && !( c->standing == SCENE_UNCHANGED ) )
			fprintf( file, "%s: ", scene_standing_word( c->standing ) );
		if ( c->rule != NULL && c->rule->name != NULL ) {
			report_put( file, c->rule->name );
			fputs( ": ", file );
		}
		report_put( file, sentence != NULL ? sentence : "?" );
		print_was( f, c, file );
		fprintf( file, ", near %.6g %.6g %.6g\n", c->point[0], c->point[1], c->point[2] );
		free( sentence );
	}
	if ( f->worst_count > shown )
		fprintf( file, "  and %zu more\n", f->worst_count - shown );
}

static void print_groups( const scene_report *report, FILE *file ) {
	const scene_findings *f = report->findings;
	if ( f->worst_count <= MOST_WORST )
		return;
	fputs( "what has most of them:\n", file );
	for ( size_t i = 0; i < f->group_count && i < MOST_GROUPS; ++i ) {
		const scene_group *g = &f->groups[i];
		fputs( "  ", file );
		report_put( file, scene_path( f, g->body ) );
		fprintf( file, ": %zu clash%s in %u place%s\n", g->count, g->count == 1 ? "" : "es", g->cluster_count,
		         plural( g->cluster_count ) );
	}
	if ( f->group_count > MOST_GROUPS )
		fprintf( file, "  and %zu more\n", f->group_count - MOST_GROUPS );
}

static void print_absent( const scene_report *report, FILE *file ) {
	static const char *const why[SCENE_ABSENCE_COUNT] = { "a body is not there any more",
	                                                      "resolved",
	                                                      "a body has changed or moved",
	                                                      "the rules have changed",
	                                                      "not looked at, this run was ended early",
	                                                      "nothing that would explain it has changed" };
	const scene_findings *f = report->findings;
	for ( size_t i = 0; i < f->absent_count && i < MOST_WORST; ++i ) {
		const scene_absent *absent = &f->absent[i];
		fputs( "  absent: ", file );
		report_put( file, absent->kind );
		fputs( " of ", file );
		report_put( file, absent->a );
		fputs( " and ", file );
		report_put( file, absent->b );
		fprintf( file, ": %s\n", why[absent->why] );
	}
	if ( f->absent_count > MOST_WORST )
		fprintf( file, "  and %zu more\n", f->absent_count - MOST_WORST );
}

static void print_unused_rule( const scene_rule *rule, FILE *file ) {
	fputs( "note: ", file );
	if ( rule->file != NULL ) {
		report_put( file, rule->file );
		fprintf( file, ":%lld: ", (long long)rule->line );
	}
	fputs( "the rule for '", file );
	report_put( file, rule->a != NULL ? rule->a : rule->b );
	if ( rule->a != NULL && rule->b != NULL ) {
		fputs( "' and '", file );
		report_put( file, rule->b );
	}
	fputs( "'", file );
	if ( rule->same != NULL ) {
		fputs( " of the same '", file );
		report_put( file, rule->same );
		fputs( "'", file );
	}
	fputs( " matches nothing\n", file );
}

static void print_unused_ignore( const scene_ignore *entry, FILE *file ) {
	char id[SCENE_HASH_ROOM];
	fputs( "note: ", file );
	report_put( file, entry->file );
	if ( entry->line > 0 )
		fprintf( file, ":%lld", (long long)entry->line );
	if ( entry->has_id )
		fprintf( file, ": %s is no clash any more (", scene_hash_print( entry->id, id ) );
	else {
		fputs( ": '", file );
		report_put( file, entry->a );
		fputs( "' and '", file );
		report_put( file, entry->b );
		fputs( "' have no clash to ignore (", file );
	}
	report_put( file, entry->reason );
	fputs( ")\n", file );
}

void report_notes( const scene_model *model, const scene_ignores *ignores, FILE *file ) {
	size_t count = 0;
	for ( size_t i = 0; i < model->rule_count; ++i )
		if ( !model->rules[i].is_used && !model->rules[i].is_assumed && count++ < MOST_NOTES )
			print_unused_rule( &model->rules[i], file );
	for ( size_t i = 0; i < ignores->count; ++i )
		if ( ignores->entries[i].used == 0 && count++ < MOST_NOTES )
			print_unused_ignore( &ignores->entries[i], file );
	if ( model->renamed_count > 0 )
		fprintf( file, "note: %zu bod%s the path of another one, and a number behind it: name#2\n",
		         model->renamed_count, model->renamed_count == 1 ? "y has" : "ies have" );
	for ( size_t i = 0; i < model->note_count; ++i ) {
		if ( count++ >= MOST_NOTES )
			continue;
		fputs( "note: ", file );
		report_put( file, model->notes[i] );
		fputc( '\n', file );
	}
	if ( count > MOST_NOTES )
		fprintf( file, "and %zu notes more\n", count - MOST_NOTES );
}

void report_text( const scene_report *report, FILE *file ) {
	const report_counts counts = report_count( report->findings );
	print_counts( report, file );
	print_verdict( report, &counts, file );
	print_worst( report, file );
	print_groups( report, file );
	print_absent( report, file );
	report_notes( &report->findings->assembly->model, report->ignores, file );
}
