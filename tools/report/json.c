// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Schema dualbvh.clashes/2, which docs/command.md describes. It is also what --baseline reads.

#include "assembly/earlier.h"
#include "assembly/sentences.h"
#include "model/properties.h"
#include "report/report.h"
#include "text/hash.h"

#include <stdlib.h>

static void put_hash( json *j, const char *key, uint64_t hash ) {
	char text[SCENE_HASH_ROOM];
	json_put_string( j, key, scene_hash_print( hash, text ) );
}

static void put_summary( json *j, const scene_report *report ) {
	const scene_findings *f = report->findings;
	const scene_model *model = &f->assembly->model;
	json_key( j, "files" );
	json_open( j, '[' );
	for ( size_t i = 0; i < f->assembly->file_count; ++i )
		json_text( j, f->assembly->files[i] );
	json_close( j, ']' );
	json_put_string( j, "split", report->split );
	if ( model->metres > 0.0 )
		json_put_real( j, "metres", model->metres );
	json_put_count( j, "bodies", model->body_count );
	json_put_count( j, "meshes", f->trees->mesh_count );
	json_put_count( j, "triangles", f->trees->triangle_count );
	if ( model->skipped_count > 0 )
		json_put_count( j, "skipped_faces", model->skipped_count );
	json_put_count( j, "pairs", f->pair_count );
	json_put_bool( j, "finished", f->is_finished );
	if ( !f->is_finished ) {
		json_put_bool( j, f->is_late ? "timed_out" : "interrupted", true );
		json_put_count( j, "pairs_done", f->done_count );
	}
	if ( f->is_recheck )
		json_put_bool( j, "rechecked", true );
	json_put_string( j, "sorted_by", f->order == SCENE_BY_VOLUME ? "volume" : "depth" );
	if ( f->sketched_count > 0 )
		json_put_count( j, "sketched", f->sketched_count );
	put_hash( j, "rules", f->rules );
	const report_counts counts = report_count( f );
	json_key( j, "counts" );
	json_open( j, '{' );
	for ( int i = 0; i < CLASH_KIND_COUNT; ++i )
		json_put_count( j, scene_kind_word( (dbvh_clash_kind)i ), counts.kinds[i] );
	json_put_count( j, "ignored", counts.ignored );
	if ( f->has_baseline ) {
		for ( int i = SCENE_NEW; i < SCENE_STANDING_COUNT; ++i )
			json_put_count( j, scene_standing_word( (scene_standing)i ), counts.standings[i] );
		json_put_count( j, "absent", f->absent_count );
	}
	json_close( j, '}' );
}

static void put_overlap( json *j, const scene_clash *c ) {
	const scene_overlap *o = &c->overlap;
	const bool is_of_fit = c->kind == DBVH_CLASH_KIND_FIT || c->kind == DBVH_CLASH_KIND_UNDECIDABLE;
	if ( o->type != NULL )
		json_put_string( j, "type", o->type );
	if ( o->has_depth ) {
		json_put_interval( j, "depth", o->depth );
		json_put_interval( j, "depth_a_in_b", o->a_in_b );
		json_put_interval( j, "depth_b_in_a", o->b_in_a );
		json_put_reals( j, "deepest", o->deepest, 3 );
		json_put_reals( j, "nearest", o->nearest, 3 );
	}
	if ( scene_knows_volume( o ) && o->volume.upper > 0.0 ) {
		json_put_interval( j, "volume", o->volume );
		if ( o->reason == DBVH_OVERLAP_REASON_DECIDED )
			json_put_count( j, "components", o->components );
	}
	if ( o->has_penetration ) {
		json_put_interval( j, "penetration_depth", o->penetration );
		json_put_reals( j, "separation", o->separation, 3 );
	}
	if ( is_of_fit && o->allowed_depth > 0.0 )
		json_put_real( j, "allowed_depth", o->allowed_depth );
	if ( is_of_fit && o->allowed_volume > 0.0 )
		json_put_real( j, "allowed_volume", o->allowed_volume );
}

static void put_where( json *j, const scene_findings *f, const scene_clash *c ) {
	put_overlap( j, c );
	if ( c->kind == DBVH_CLASH_KIND_CLEARANCE || c->kind == DBVH_CLASH_KIND_TOUCH )
		json_put_real( j, "distance", c->distance );
	if ( c->kind == DBVH_CLASH_KIND_CLEARANCE )
		json_put_real( j, "clearance", c->clearance );
	if ( c->has_first ) {
		json_key( j, "triangles" );
		json_open( j, '[' );
		const dbvh_pair triangles = scene_clash_triangles( f, c );
		json_count( j, triangles.a );
		json_count( j, triangles.b );
		json_close( j, ']' );
	}
	json_put_reals( j, "point", c->point, 3 );
	json_put_reals( j, "lower", c->region.min, 3 );
	json_put_reals( j, "upper", c->region.max, 3 );
}

static void put_was_measure( json *j, const scene_clash *c, const scene_was *was ) {
	if ( c->kind == DBVH_CLASH_KIND_CLEARANCE )
		json_put_real( j, "distance", was->measure.lower );
	else
		json_put_interval( j, was->is_volume ? "volume" : "depth", was->measure );
}

// Write the baseline's version of a clash where it differs.
static void put_was( json *j, const scene_findings *f, const scene_clash *c ) {
	if ( c->was == SCENE_NONE || c->standing == SCENE_UNCHANGED )
		return;
	const scene_was *was = &f->was[c->was];
	json_key( j, "was" );
	json_open( j, '{' );
	json_put_string( j, "id", was->id );
	json_put_string( j, "kind", was->kind );
	json_put_string( j, "a", was->a );
	json_put_string( j, "b", was->b );
	if ( was->has_severity )
		json_put_string( j, "severity", scene_severity_word( was->severity ) );
	if ( was->has_measure )
		put_was_measure( j, c, was );
	json_put_real( j, "moved", was->moved );
	json_close( j, '}' );
}

static void put_review( json *j, const earlier_review *review ) {
	if ( review == NULL )
		return;
	const struct {
		const char *key, *text;
	} texts[] = { { "accepted", review->accepted }, { "lapsed", review->lapsed },     { "by", review->by },
	              { "until", review->until },       { "assignee", review->assignee }, { "status", review->status },
	              { "found", review->found } };
	for ( size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i )
		if ( texts[i].text != NULL )
			json_put_string( j, texts[i].key, texts[i].text );
}

static void put_clash( json *j, const scene_report *report, const scene_clash *c ) {
	const scene_findings *f = report->findings;
	json_open( j, '{' );
	put_hash( j, "id", c->id );
	json_put_string( j, "kind", scene_kind_word( c->kind ) );
	json_put_string( j, "a", scene_path( f, c->a ) );
	json_put_string( j, "b", scene_path( f, c->b ) );
	json_put_string( j, "relation", scene_relation_word( c->relation ) );
	json_put_string( j, "exact_relation", scene_relation_word( c->exact ) );
	if ( c->rule != NULL && c->rule->name != NULL )
		json_put_string( j, "rule", c->rule->name );
	put_where( j, f, c );
	if ( c->has_terms )
		put_hash( j, "terms", c->terms );
	if ( c->ignored_by != SCENE_NONE )
		json_put_string( j, "ignored", report->ignores->entries[c->ignored_by].reason );
	else {
		json_put_count( j, "group", c->group );
		json_put_count( j, "cluster", c->cluster );
	}
	json_put_string( j, "severity", scene_severity_word( scene_severity_of( c ) ) );
	if ( c->standing != SCENE_NOT_COMPARED )
		json_put_string( j, "standing", scene_standing_word( c->standing ) );
	put_was( j, f, c );
	put_review( j, scene_review_of( f, c ) );
	char *sentence = scene_clash_sentence( f, c );
	if ( sentence != NULL )
		json_put_string( j, "sentence", sentence );
	free( sentence );
	json_close( j, '}' );
	json_break( j );
}

static void put_pose( json *j, const dbvh_pose *pose ) {
	double rows[12];
	for ( int i = 0; i < 3; ++i ) {
		for ( int k = 0; k < 3; ++k )
			rows[4 * i + k] = pose->rot[i][k];
		rows[4 * i + 3] = pose->pos[i];
	}
	json_put_reals( j, "pose", rows, 12 );
}

// Only those that a clash is about: what a later run compares itself with.
static void put_bodies( json *j, const scene_findings *f ) {
	const size_t count = f->assembly->model.body_count;
	bool *takes_part = calloc( count + 1, sizeof *takes_part );
	for ( size_t i = 0; takes_part != NULL && i < f->clash_count; ++i )
		takes_part[f->clashes[i].a] = takes_part[f->clashes[i].b] = true;
	json_key( j, "clashing_bodies" );
	json_open( j, '[' );
	json_break( j );
	for ( uint32_t i = 0; i < count; ++i ) {
		if ( takes_part != NULL && !takes_part[i] )
			continue;
		json_open( j, '{' );
		json_put_string( j, "path", scene_path( f, i ) );
		json_put_string( j, "file", scene_file_of( f, i ) );
		put_hash( j, "fingerprint", scene_body_fingerprint( f, i ) );
		const scene_body *body = &f->assembly->model.bodies[i];
		put_hash( j, "shape", f->trees->fingerprints[body->mesh] );
		if ( scene_guid_of( body ) != NULL )
			json_put_string( j, "guid", scene_guid_of( body ) );
		put_pose( j, &body->pose );
		json_close( j, '}' );
		json_break( j );
	}
	json_close( j, ']' );
	free( takes_part );
}

static void put_groups( json *j, const scene_findings *f ) {
	json_key( j, "groups" );
	json_open( j, '[' );
	json_break( j );
	for ( size_t i = 0; i < f->group_count; ++i ) {
		json_open( j, '{' );
		json_put_string( j, "body", scene_path( f, f->groups[i].body ) );
		json_put_count( j, "clashes", f->groups[i].count );
		json_put_count( j, "first_cluster", f->groups[i].first_cluster );
		json_put_count( j, "clusters", f->groups[i].cluster_count );
		json_close( j, '}' );
		json_break( j );
	}
	json_close( j, ']' );
	json_key( j, "clusters" );
	json_open( j, '[' );
	json_break( j );
	for ( size_t i = 0; i < f->cluster_count; ++i ) {
		json_open( j, '{' );
		json_put_count( j, "clashes", f->clusters[i].count );
		json_put_reals( j, "lower", f->clusters[i].region.min, 3 );
		json_put_reals( j, "upper", f->clusters[i].region.max, 3 );
		json_close( j, '}' );
		json_break( j );
	}
	json_close( j, ']' );
}

static void put_absent( json *j, const scene_report *report ) {
	static const char *const why[SCENE_ABSENCE_COUNT] = { "body_missing",  "resolved",   "body_changed",
	                                                      "rules_changed", "unfinished", "same" };
	const scene_findings *f = report->findings;
	if ( !f->has_baseline )
		return;
	json_put_string( j, "baseline", report->baseline );
	json_put_bool( j, "baseline_has_same_rules", f->baseline_has_same_rules );
	json_key( j, "absent" );
	json_open( j, '[' );
	for ( size_t i = 0; i < f->absent_count; ++i ) {
		json_open( j, '{' );
		json_put_string( j, "id", f->absent[i].id );
		json_put_string( j, "kind", f->absent[i].kind );
		json_put_string( j, "a", f->absent[i].a );
		json_put_string( j, "b", f->absent[i].b );
		json_put_string( j, "why", why[f->absent[i].why] );
		json_close( j, '}' );
		json_break( j );
	}
	json_close( j, ']' );
}

static void put_ignores( json *j, const scene_ignores *ignores ) {
	json_key( j, "ignores" );
	json_open( j, '[' );
	for ( size_t i = 0; i < ignores->count; ++i ) {
		const scene_ignore *entry = &ignores->entries[i];
		json_open( j, '{' );
		if ( entry->has_id )
			put_hash( j, "id", entry->id );
		else {
			json_put_string( j, "a", entry->a );
			json_put_string( j, "b", entry->b );
		}
		json_put_string( j, "reason", entry->reason );
		json_put_string( j, "file", entry->file );
		json_put_count( j, "used", entry->used );
		json_close( j, '}' );
		json_break( j );
	}
	json_close( j, ']' );
}

static void put_notes( json *j, const scene_model *model ) {
	json_key( j, "unused_rules" );
	json_open( j, '[' );
	for ( size_t i = 0; i < model->rule_count; ++i ) {
		const scene_rule *rule = &model->rules[i];
		if ( rule->is_used || rule->is_assumed )
			continue;
		json_open( j, '{' );
		if ( rule->name != NULL )
			json_put_string( j, "name", rule->name );
		if ( rule->a != NULL )
			json_put_string( j, "a", rule->a );
		if ( rule->b != NULL )
			json_put_string( j, "b", rule->b );
		if ( rule->same != NULL )
			json_put_string( j, "same", rule->same );
		if ( rule->file != NULL ) {
			json_put_string( j, "file", rule->file );
			json_put_count( j, "line", (size_t)rule->line );
		}
		json_close( j, '}' );
	}
	json_close( j, ']' );
	json_put_count( j, "renamed", model->renamed_count );
	json_key( j, "notes" );
	json_open( j, '[' );
	for ( size_t i = 0; i < model->note_count; ++i )
		json_text( j, model->notes[i] );
	json_close( j, ']' );
}

void report_json( const scene_report *report, FILE *file ) {
	const scene_findings *f = report->findings;
	json j = { .file = file };
	json_open( &j, '{' );
	json_put_string( &j, "schema", "dualbvh.clashes/2" );
	json_put_string( &j, "version", dbvh_version() );
	put_summary( &j, report );
	json_key( &j, "clashes" );
	json_open( &j, '[' );
	json_break( &j );
	for ( size_t i = 0; i < f->clash_count && !report_is_given_up( report ); ++i )
		put_clash( &j, report, &f->clashes[i] );
	json_close( &j, ']' );
	put_groups( &j, f );
	put_bodies( &j, f );
	put_absent( &j, report );
	put_ignores( &j, report->ignores );
	put_notes( &j, &f->assembly->model );
	json_close( &j, '}' );
	fputc( '\n', file );
}
