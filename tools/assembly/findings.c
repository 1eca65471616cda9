// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "assembly/findings.h"

#include "assembly/describe.h"
#include "text/hash.h"

#include <stdlib.h>
#include <string.h>

const char *scene_path( const scene_findings *findings, uint32_t body ) {
	return findings->assembly->model.bodies[body].path;
}

const char *scene_kind_word( dbvh_clash_kind kind ) {
	static const char *const words[] = { "hard", "containment", "duplicate", "touch", "clearance", "undecidable" };
	return words[kind];
}

const char *scene_relation_word( dbvh_relation relation ) {
	static const char *const words[] = { "disjoint", "touching", "overlapping", "a_in_b",
	                                     "b_in_a",   "equal",    "undecidable" };
	return words[relation];
}

uint64_t scene_body_fingerprint( const scene_findings *findings, uint32_t body ) {
	const scene_body *b = &findings->assembly->model.bodies[body];
	return scene_hash_real( scene_hash_pose( findings->trees->fingerprints[b->mesh], &b->pose ), b->sag );
}

const char *scene_standing_word( scene_standing standing ) {
	static const char *const words[SCENE_STANDING_COUNT] = { NULL, "new", "worsened", "moved", "renamed", "unchanged" };
	return words[standing];
}

bool scene_is_known( const scene_clash *clash ) {
	return clash->standing == SCENE_UNCHANGED || clash->standing == SCENE_RENAMED;
}

bool scene_clash_counts( const scene_findings *findings, const scene_clash *clash ) {
	(void)findings;
	return clash->ignored_by == SCENE_NONE && !scene_is_known( clash );
}

void scene_findings_free( scene_findings *findings ) {
	for ( size_t i = 0; i < findings->absent_count; ++i ) {
		free( findings->absent[i].id );
		free( findings->absent[i].a );
		free( findings->absent[i].b );
		free( findings->absent[i].kind );
	}
	for ( size_t i = 0; i < findings->was_count; ++i ) {
		free( findings->was[i].id );
		free( findings->was[i].a );
		free( findings->was[i].b );
		free( findings->was[i].kind );
	}
	free( findings->was );
	free( findings->clashes );
	free( findings->worst );
	free( findings->groups );
	free( findings->clusters );
	free( findings->grouped );
	free( findings->absent );
	*findings = ( scene_findings ){ 0 };
}

// ------------------------------------------------------------------------------------------------
// Ids

// What stays the same while a clash stays the same trouble: an overlap that becomes a containment is no new one, a
// touch that becomes an overlap is.
static const char *trouble( dbvh_clash_kind kind ) {
	static const char *const words[] = { "overlap", "overlap", "overlap", "touch", "clearance", "undecidable" };
	return words[kind];
}

static uint64_t id_of( const scene_findings *f, const scene_clash *c ) {
	const char *rule = c->rule != NULL ? c->rule->name : NULL;
	uint64_t hash = scene_hash_text( SCENE_HASH_START, scene_path( f, c->a ) );
	hash = scene_hash_text( hash, scene_path( f, c->b ) );
	return scene_hash_text( scene_hash_text( hash, rule ), trouble( c->kind ) );
}

// ------------------------------------------------------------------------------------------------
// Asking

// Bodies are numbered by their paths: a is the lesser path, and the library's order is that of paths.
static scene_clash from_library( const scene_findings *f, const scene_rule_book *book, const dbvh_clash *found ) {
	scene_clash c = { .a = found->a,
	                  .b = found->b,
	                  .kind = found->kind,
	                  .relation = found->relation,
	                  .exact = found->exact,
	                  .distance = found->distance,
	                  .first = found->first,
	                  .group = SCENE_NONE,
	                  .cluster = SCENE_NONE,
	                  .ignored_by = SCENE_NONE,
	                  .was = SCENE_NONE };
	for ( int k = 0; k < 3; ++k )
		c.point[k] = 0.5 * found->point_a[k] + 0.5 * found->point_b[k];
	c.rule = scene_rules_of( book, c.a, c.b );
	dbvh_pair_rule rule;
	if ( dbvh_scene_get_rule( f->scene, c.a, c.b, &rule ) )
		c.clearance = rule.clearance;
	c.id = id_of( f, &c );
	return c;
}

dbvh_status scene_find( const scene_assembly *assembly, const scene_trees *trees, const scene_rule_book *book,
                        dbvh_scene *scene, bool wants_depth, uint32_t thread_count, const scene_watch *watch,
                        scene_findings *findings_out, dbvh_error *error ) {
	static const scene_watch none = { 0 };
	scene_findings *f = findings_out;
	watch = watch != NULL ? watch : &none;
	*f = ( scene_findings ){ .assembly = assembly, .trees = trees, .scene = scene };
	f->rules = scene_rules_fingerprint( &assembly->model );
	f->has_searched_depths = wants_depth;
	dbvh_scene_result result;
	const dbvh_scene_query query = {
	    .find = DBVH_FIND_ALL, .thread_count = thread_count, .progress = watch->progress, .user = watch->user };
	// Memory that is not written to costs nothing: there is room for all pairs that are no crowd (scene.h), and where
	// more are found in one they are asked for again.
	const size_t bodies = dbvh_scene_body_count( scene );
	dbvh_clash *found = NULL;
	dbvh_status status = DBVH_OK;
	for ( size_t room = 16 * bodies + 65536, held = 0; status == DBVH_OK && held < room; room = result.found_count ) {
		free( found );
		held = room;
		found = malloc( room * sizeof *found );
		if ( found == NULL )
			return DBVH_OUT_OF_MEMORY;
		status = dbvh_scene_clashes( scene, &query, found, room, &result, error );
	}
	f->pair_count = result.pair_count;
	f->done_count = result.done_count;
	f->is_finished = status == DBVH_OK;
	if ( status == DBVH_OK || status == DBVH_CANCELLED ) {
		f->clash_count = result.written_count;
		f->clashes = malloc( ( f->clash_count + 1 ) * sizeof *f->clashes );
		status = f->clashes != NULL ? DBVH_OK : DBVH_OUT_OF_MEMORY;
	}
	for ( size_t i = 0; i < f->clash_count && status == DBVH_OK; ++i )
		f->clashes[i] = from_library( f, book, &found[i] );
	free( found );
	return status == DBVH_OK ? scene_describe( f, wants_depth, thread_count, watch ) : status;
}

// ------------------------------------------------------------------------------------------------
// The worst first

typedef struct judged {
	int class; // 0 is worst
	double size;
	uint32_t index;
} judged;

static int by_badness( const void *a, const void *b ) {
	const judged *x = a, *y = b;
	if ( x->class != y->class )
		return x->class < y->class ? -1 : 1;
	if ( x->size != y->size )
		return x->size > y->size ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

// Overlaps before touches before gaps; of overlaps the deepest, of gaps the one that lacks most. What is not new, where
// that is known, comes behind all that is.
static judged judge( const scene_findings *f, uint32_t index ) {
	static const int classes[] = { 0, 0, 0, 2, 1, 3 };
	const scene_clash *c = &f->clashes[index];
	judged j = { classes[c->kind], c->has_separation ? c->depth : 0.0, index };
	if ( c->kind == DBVH_CLASH_KIND_CLEARANCE )
		j.size = c->clearance - c->distance;
	if ( scene_is_known( c ) )
		j.class += 4;
	return j;
}

bool scene_sort_worst( scene_findings *f ) {
	judged *order = malloc( ( f->clash_count + 1 ) * sizeof *order );
	f->worst = malloc( ( f->clash_count + 1 ) * sizeof *f->worst );
	f->worst_count = 0;
	if ( order == NULL || f->worst == NULL ) {
		free( order );
		return false;
	}
	for ( size_t i = 0; i < f->clash_count; ++i )
		if ( f->clashes[i].ignored_by == SCENE_NONE )
			order[f->worst_count++] = judge( f, (uint32_t)i );
	qsort( order, f->worst_count, sizeof *order, by_badness );
	for ( size_t i = 0; i < f->worst_count; ++i )
		f->worst[i] = order[i].index;
	free( order );
	return true;
}
