// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "assembly/standing.h"

#include "assembly/compare.h"
#include "text/grow.h"
#include "text/hash.h"

#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------
// What the rules ask

static uint64_t hash_options( const scene_body *body ) {
	uint64_t hash = scene_hash_real( SCENE_HASH_START, body->sag );
	return scene_hash_count( scene_hash_count( hash, body->group ), body->mask );
}

bool scene_terms( const scene_findings *f, uint32_t a, uint32_t b, uint64_t *out ) {
	dbvh_pair_rule rule;
	if ( f->book == NULL || f->scene == NULL )
		return false;
	const scene_body *bodies = f->assembly->model.bodies;
	scene_rules_terms( f->book, f->scene, a, b, &rule );
	const scene_rule *by = scene_rules_of( f->book, a, b );
	const uint64_t x = hash_options( &bodies[a] ), y = hash_options( &bodies[b] );
	uint64_t hash = scene_hash_count( scene_hash_count( SCENE_HASH_START, x < y ? x : y ), x < y ? y : x );
	hash = scene_hash_count( hash, (uint64_t)rule.may_collide << 1 | rule.may_touch );
	// The length of a turn is measured: other bodies of the rule change it.
	const double clearance = by != NULL && by->way.kind == SCENE_WAY_TURN ? 0.0 : rule.clearance;
	hash = scene_hash_real( scene_hash_real( hash, clearance ), rule.touch_gap );
	hash = scene_hash_real( scene_hash_real( hash, rule.touch_overlap ), rule.allowed_depth );
	hash = scene_hash_real( hash, rule.allowed_volume );
	*out = by != NULL ? scene_rules_hash_way( hash, by ) : hash;
	return true;
}

// ------------------------------------------------------------------------------------------------
// Absent clashes

static bool is_unchanged( const scene_findings *f, const earlier_body *body ) {
	return body->has_fingerprint && body->fingerprint == scene_body_fingerprint( f, body->now );
}

// Was the run ended before its scene was built? Then some meshes were not read, and no body can be told by its
// triangles.
static bool was_never_begun( const scene_findings *f ) {
	return f->scene == NULL && !f->is_finished;
}

scene_absence scene_why_absent( const scene_findings *f, const scene_earlier *e, const earlier_clash *c ) {
	const earlier_body *a = &e->bodies[c->a], *b = &e->bodies[c->b];
	uint64_t terms;
	if ( was_never_begun( f ) )
		return SCENE_ABSENT_UNFINISHED;
	if ( a->now == SCENE_NONE || b->now == SCENE_NONE )
		return SCENE_ABSENT_MISSING;
	const bool are_same = is_unchanged( f, a ) && is_unchanged( f, b );
	if ( !c->has_terms || !scene_terms( f, a->now, b->now, &terms ) ) // an old report
		return !are_same                     ? SCENE_ABSENT_CHANGED
		       : !f->baseline_has_same_rules ? SCENE_ABSENT_RULES
		       : f->is_finished              ? SCENE_ABSENT_SAME
		                                     : SCENE_ABSENT_UNFINISHED;
	if ( terms != c->terms )
		return SCENE_ABSENT_RULES;
	if ( !f->is_finished )
		return SCENE_ABSENT_UNFINISHED;
	return are_same ? SCENE_ABSENT_SAME : SCENE_ABSENT_RESOLVED;
}

static char *id_text( uint64_t id ) {
	char text[SCENE_HASH_ROOM];
	return scene_copy( scene_hash_print( id, text ) );
}

// A clash that was resolved or gone before is no news.
static bool is_news( const earlier_clash *c ) {
	return c->review.resolved == NULL && c->review.gone == NULL;
}

static bool list_absent( scene_findings *f, const scene_earlier *e ) {
	f->absent = calloc( e->clash_count + 1, sizeof *f->absent );
	bool ok = f->absent != NULL;
	for ( size_t i = 0; ok && i < e->clash_count; ++i ) {
		const earlier_clash *c = &e->clashes[i];
		if ( c->now != SCENE_NONE || !is_news( c ) )
			continue;
		scene_absent *absent = &f->absent[f->absent_count++];
		*absent = ( scene_absent ){ id_text( c->id ),
		                            scene_copy( e->bodies[c->a].path ),
		                            scene_copy( e->bodies[c->b].path ),
		                            scene_copy( scene_kind_word( c->kind ) ),
		                            scene_why_absent( f, e, c ),
		                            (uint32_t)i };
		ok = absent->id != NULL && absent->a != NULL && absent->b != NULL && absent->kind != NULL;
	}
	return ok;
}

// ------------------------------------------------------------------------------------------------
// Known clashes

bool scene_review_holds( const earlier_review *review, const char *today ) {
	return review->accepted != NULL &&
	       ( review->until == NULL || *today == '\0' || strcmp( today, review->until ) <= 0 );
}

// The standing that people see: an acceptance covers a clash that is no worse for certain, and not elsewhere.
static scene_standing standing_of( const earlier_clash *e, const scene_comparison *compared, bool is_renamed,
                                   const char *today ) {
	if ( e->review.resolved != NULL )
		return SCENE_NEW; // it was repaired, and is there again
	if ( compared->standing == SCENE_WORSENED || compared->standing == SCENE_MOVED )
		return compared->standing;
	if ( e->review.accepted != NULL )
		return !compared->is_sure                        ? SCENE_UNSURE
		       : scene_review_holds( &e->review, today ) ? SCENE_ACCEPTED
		                                                 : SCENE_EXPIRED;
	return compared->standing == SCENE_UNCHANGED && is_renamed ? SCENE_RENAMED : compared->standing;
}

static bool judge_known( scene_findings *f, const scene_earlier *e, uint32_t number,
                         const scene_tolerance *tolerance ) {
	const earlier_clash *then = &e->clashes[number];
	const earlier_body *a = &e->bodies[then->a], *b = &e->bodies[then->b];
	scene_clash *c = &f->clashes[then->now];
	const bool is_swapped = a->now == c->b || b->now == c->a;
	const bool is_renamed = strcmp( scene_path( f, is_swapped ? c->b : c->a ), a->path ) != 0 ||
	                        strcmp( scene_path( f, is_swapped ? c->a : c->b ), b->path ) != 0;
	const scene_comparison compared = scene_compare_clash( f, e, then, tolerance );
	c->standing = standing_of( then, &compared, is_renamed, e->today );
	c->was = (uint32_t)f->was_count;
	scene_was *was = &f->was[f->was_count++];
	*was = ( scene_was ){ .id = id_text( then->id ),
	                      .a = scene_copy( a->path ),
	                      .b = scene_copy( b->path ),
	                      .kind = scene_copy( scene_kind_word( then->kind ) ),
	                      .has_measure = compared.has_measure,
	                      .is_volume = compared.is_volume,
	                      .measure = compared.measure,
	                      .has_severity = then->has_severity,
	                      .severity = then->severity,
	                      .moved = compared.moved,
	                      .is_same_pair = compared.is_same_pair,
	                      .number = number };
	return was->id != NULL && was->a != NULL && was->b != NULL && was->kind != NULL;
}

// ------------------------------------------------------------------------------------------------
// Ids

static int by_value( const void *a, const void *b ) {
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

// A known clash keeps its id while its trouble stays the same: an ignored touch that has become an overlap is not
// ignored. A clash whose own id another one keeps gets the next hash that nobody has.
static bool set_ids( scene_findings *f, const scene_earlier *e ) {
	uint64_t *taken = malloc( ( e->clash_count + 1 ) * sizeof *taken );
	if ( taken == NULL )
		return false;
	for ( size_t i = 0; i < e->clash_count; ++i )
		taken[i] = e->clashes[i].id;
	if ( e->clash_count > 1 )
		qsort( taken, e->clash_count, sizeof *taken, by_value );
	for ( size_t i = 0; i < f->clash_count; ++i ) {
		scene_clash *c = &f->clashes[i];
		const earlier_clash *then = c->was != SCENE_NONE ? &e->clashes[f->was[c->was].number] : NULL;
		if ( then != NULL && strcmp( scene_trouble_word( then->kind ), scene_trouble_word( c->kind ) ) == 0 ) {
			c->id = then->id;
			continue;
		}
		while ( ( then == NULL || c->id != then->id ) &&
		        bsearch( &c->id, taken, e->clash_count, sizeof *taken, by_value ) != NULL )
			c->id = scene_hash_count( c->id, 1 );
	}
	free( taken );
	return true;
}

bool scene_stand( scene_findings *f, scene_earlier *e, const scene_tolerance *tolerance ) {
	uint32_t *then = NULL;
	f->was = calloc( e->clash_count + 1, sizeof *f->was );
	f->has_baseline = true;
	f->baseline_has_same_rules = e->clash_count == 0 || f->rules == e->rules;
	bool ok = f->was != NULL;
	if ( ok && !was_never_begun( f ) )
		ok = scene_match_bodies( f, e, &then ) && scene_match_clashes( f, e, then, tolerance->moved );
	free( then );
	for ( size_t i = 0; i < f->clash_count; ++i ) {
		f->clashes[i].standing = SCENE_NEW;
		f->clashes[i].was = SCENE_NONE;
	}
	for ( uint32_t i = 0; ok && i < e->clash_count; ++i )
		if ( e->clashes[i].now != SCENE_NONE )
			ok = judge_known( f, e, i, tolerance );
	return ok && set_ids( f, e ) && list_absent( f, e );
}
