// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The report for people: what there is, what is wrong, and the worst of it.

#include "command.h"
#include "report/report.h"
#include "scene/hash.h"

#include <stdlib.h>

enum { MOST_WORST = 10, MOST_GROUPS = 5, MOST_NOTES = 20 };

static void print_counts( const scene_report *report, FILE *file ) {
	const scene_findings *f = report->findings;
	const scene_model *model = &f->assembly->model;
	size_t meshes = 0;
	for ( size_t i = 0; i < f->trees->mesh_count; ++i )
		meshes += f->trees->trees[i] != NULL;
	fprintf( file, "%zu bod%s of %zu mesh%s, %zu triangle%s; %zu pair%s of bodies near enough to be looked at\n",
	         model->body_count, model->body_count == 1 ? "y" : "ies", meshes, meshes == 1 ? "" : "es",
	         f->trees->triangle_count, plural( f->trees->triangle_count ), f->pair_count, plural( f->pair_count ) );
}

static void print_verdict( const scene_report *report, const report_counts *counts, FILE *file ) {
	const scene_findings *f = report->findings;
	if ( counts->clashes == 0 )
		fprintf( file, "%s", f->is_finished ? "no clashes" : "no clashes so far" );
	else {
		char *kinds = report_kinds_text( counts );
		fprintf( file, "%zu clash%s: %s", counts->clashes, counts->clashes == 1 ? "" : "es",
		         kinds != NULL ? kinds : "?" );
		free( kinds );
		if ( counts->clashes > 1 )
			fprintf( file, "; %zu group%s in %zu place%s", f->group_count, plural( f->group_count ), f->cluster_count,
			         plural( f->cluster_count ) );
	}
	if ( counts->ignored > 0 )
		fprintf( file, "; %zu ignored", counts->ignored );
	fputc( '\n', file );
	if ( f->has_baseline ) {
		fprintf( file, "against %s: %zu new, %zu unchanged, %zu absent%s\n", report->baseline, counts->fresh,
		         counts->unchanged, f->absent_count,
		         counts->unchanged > 0 ? "; only new ones count for the exit status" : "" );
		if ( !f->baseline_has_same_rules )
			fputs( "  its rules were others\n", file );
	}
	if ( !f->is_finished )
		fprintf( file, "%s: %zu of %zu pairs were looked at; there may be more clashes\n",
		         f->is_late ? "out of time" : "interrupted", f->done_count, f->pair_count );
}

static void print_worst( const scene_report *report, FILE *file ) {
	const scene_findings *f = report->findings;
	const size_t shown = f->worst_count < MOST_WORST ? f->worst_count : MOST_WORST;
	if ( f->worst_count > shown )
		fprintf( file, "\nThe worst %zu:\n", shown );
	else if ( shown > 0 )
		fputc( '\n', file );
	for ( size_t i = 0; i < shown; ++i ) {
		const scene_clash *c = &f->clashes[f->worst[i]];
		char *sentence = report_sentence( f, c ), id[SCENE_HASH_ROOM];
		fprintf( file, "  %s  %s%s%s%s", scene_hash_print( c->id, id ),
		         f->has_baseline && c->standing == SCENE_NEW ? "new: " : "",
		         c->rule != NULL && c->rule->name != NULL ? c->rule->name : "",
		         c->rule != NULL && c->rule->name != NULL ? ": " : "", sentence != NULL ? sentence : "?" );
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
	fputs( "\nWhat has most of them:\n", file );
	for ( size_t i = 0; i < f->group_count && i < MOST_GROUPS; ++i )
		fprintf( file, "  %s: %zu clash%s in %u place%s\n", scene_path( f, f->groups[i].body ), f->groups[i].count,
		         f->groups[i].count == 1 ? "" : "es", f->groups[i].cluster_count,
		         plural( f->groups[i].cluster_count ) );
	if ( f->group_count > MOST_GROUPS )
		fprintf( file, "  and %zu more\n", f->group_count - MOST_GROUPS );
}

static void print_absent( const scene_report *report, FILE *file ) {
	static const char *const why[SCENE_ABSENCE_COUNT] = {
	    "a body is not there any more", "a body has changed or moved", "the rules have changed",
	    "not looked at, this run was ended early", "nothing that would explain it has changed" };
	const scene_findings *f = report->findings;
	for ( size_t i = 0; i < f->absent_count && i < MOST_WORST; ++i )
		fprintf( file, "%s  absent: %s of %s and %s: %s\n", i == 0 ? "\n" : "", f->absent[i].kind, f->absent[i].a,
		         f->absent[i].b, why[f->absent[i].why] );
	if ( f->absent_count > MOST_WORST )
		fprintf( file, "  and %zu more\n", f->absent_count - MOST_WORST );
}

static void print_notes( const scene_report *report, FILE *file ) {
	const scene_model *model = &report->findings->assembly->model;
	size_t printed = 0;
	for ( size_t i = 0; i < model->rule_count; ++i ) {
		const scene_rule *rule = &model->rules[i];
		if ( rule->is_used || printed++ >= MOST_NOTES )
			continue;
		fprintf( file, "note: the rule for '%s'", rule->a != NULL ? rule->a : rule->b );
		if ( rule->a != NULL && rule->b != NULL )
			fprintf( file, " and '%s'", rule->b );
		fputs( " matches nothing\n", file );
	}
	for ( size_t i = 0; i < report->ignores->count; ++i ) {
		const scene_ignore *entry = &report->ignores->entries[i];
		if ( entry->used > 0 || printed++ >= MOST_NOTES )
			continue;
		char id[SCENE_HASH_ROOM];
		fprintf( file, "note: %s", entry->file );
		if ( entry->line > 0 )
			fprintf( file, ":%lld", (long long)entry->line );
		if ( entry->has_id )
			fprintf( file, ": %s is no clash any more", scene_hash_print( entry->id, id ) );
		else
			fprintf( file, ": '%s' and '%s' have no clash to ignore", entry->a, entry->b );
		fprintf( file, " (%s)\n", entry->reason );
	}
	if ( model->renamed_count > 0 )
		fprintf( file, "note: %zu bod%s a number behind the path, which another one has\n", model->renamed_count,
		         model->renamed_count == 1 ? "y has" : "ies have" );
	for ( size_t i = 0; i < model->note_count; ++i )
		if ( printed++ < MOST_NOTES )
			fprintf( file, "note: %s\n", model->notes[i] );
	if ( printed > MOST_NOTES )
		fprintf( file, "and %zu notes more\n", printed - MOST_NOTES );
}

void report_text( const scene_report *report, FILE *file ) {
	const report_counts counts = report_count( report->findings );
	print_counts( report, file );
	print_verdict( report, &counts, file );
	print_worst( report, file );
	print_groups( report, file );
	print_absent( report, file );
	print_notes( report, file );
}
