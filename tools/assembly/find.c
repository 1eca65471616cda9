// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "assembly/describe.h"
#include "assembly/findings.h"
#include "assembly/standing.h"
#include "assembly/ways.h"
#include "text/hash.h"

#include <stdlib.h>

static uint64_t id_of( const scene_findings *f, const scene_clash *c ) {
	const char *rule = c->rule != NULL ? c->rule->name : NULL;
	uint64_t hash = scene_hash_text( SCENE_HASH_START, scene_path( f, c->a ) );
	hash = scene_hash_text( hash, scene_path( f, c->b ) );
	return scene_hash_text( scene_hash_text( hash, rule ), scene_trouble_word( c->kind ) );
}

// ------------------------------------------------------------------------------------------------
// The search

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
	if ( dbvh_scene_get_rule( f->scene, c.a, c.b, &rule ) ) {
		const scene_body *bodies = f->assembly->model.bodies;
		c.clearance = rule.clearance;
		c.overlap.allowed_depth = rule.allowed_depth + bodies[c.a].sag + bodies[c.b].sag;
		c.overlap.allowed_volume = rule.allowed_volume;
	}
	c.id = id_of( f, &c );
	c.has_terms = scene_terms( f, c.a, c.b, &c.terms );
	return c;
}

dbvh_status scene_find( const scene_assembly *assembly, const scene_trees *trees, const scene_rule_book *book,
                        dbvh_scene *scene, uint32_t thread_count, const scene_watch *watch,
                        scene_findings *findings_out, dbvh_error *error ) {
	static const scene_watch none = { 0 };
	scene_findings *f = findings_out;
	watch = watch != NULL ? watch : &none;
	*f = ( scene_findings ){ .assembly = assembly, .trees = trees, .scene = scene, .book = book };
	f->rules = scene_rules_fingerprint( &assembly->model );
	dbvh_scene_result result;
	const dbvh_scene_query query = { .find = DBVH_FIND_ALL,
	                                 .lists_fits = true,
	                                 .thread_count = thread_count,
	                                 .progress = watch->progress,
	                                 .user = watch->user };
	// Memory that is never written to costs nothing: there is room for all pairs outside of crowds (scene.h). Where a
	// crowd has more, the query is repeated.
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
	if ( status == DBVH_OK && !scene_ways_judge( f, thread_count, watch ) )
		status = DBVH_OUT_OF_MEMORY;
	return status == DBVH_OK ? scene_describe( f, thread_count, watch ) : status;
}
