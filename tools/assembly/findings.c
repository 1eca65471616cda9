// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "assembly/findings.h"

#include "text/hash.h"
#include "text/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *scene_path( const scene_findings *findings, uint32_t body ) {
	return findings->assembly->model.bodies[body].path;
}

const char *scene_kind_word( dbvh_clash_kind kind ) {
	static const char *const words[] = { "hard",      "containment", "duplicate", "touch",
	                                     "clearance", "undecidable", "fit" };
	return words[kind];
}

bool scene_kind_read( const char *word, dbvh_clash_kind *out ) {
	for ( int i = 0; i <= DBVH_CLASH_KIND_FIT; ++i )
		if ( strcmp( word, scene_kind_word( (dbvh_clash_kind)i ) ) == 0 ) {
			*out = (dbvh_clash_kind)i;
			return true;
		}
	return false;
}

const char *scene_trouble_word( dbvh_clash_kind kind ) {
	static const char *const words[] = { "overlap",   "overlap",     "overlap", "touch",
	                                     "clearance", "undecidable", "overlap" };
	return words[kind];
}

const char *scene_type_word( dbvh_overlap_kind kind ) {
	static const char *const words[] = {
	    [DBVH_OVERLAP_KIND_TOUCHING] = "touching",    [DBVH_OVERLAP_KIND_PROTRUSION] = "protrusion",
	    [DBVH_OVERLAP_KIND_A_PIERCES_B] = "piercing", [DBVH_OVERLAP_KIND_B_PIERCES_A] = "piercing",
	    [DBVH_OVERLAP_KIND_MUTUAL] = "piercing",      [DBVH_OVERLAP_KIND_A_IN_B] = "envelope",
	    [DBVH_OVERLAP_KIND_B_IN_A] = "envelope",      [DBVH_OVERLAP_KIND_DUPLICATE] = "duplicate",
	    [DBVH_OVERLAP_KIND_UNDECIDED] = NULL };
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
	static const char *const words[SCENE_STANDING_COUNT] = {
	    NULL, "new", "worsened", "moved", "unsure", "expired", "improved", "renamed", "accepted", "unchanged" };
	return words[standing];
}

bool scene_has_volume( const scene_clash *clash ) {
	return scene_knows_volume( &clash->overlap ) && clash->overlap.volume.upper > 0.0;
}

bool scene_is_known( const scene_clash *clash ) {
	return clash->standing >= SCENE_IMPROVED;
}

scene_severity scene_severity_of( const scene_clash *clash ) {
	return clash->rule != NULL ? clash->rule->severity : SCENE_MAJOR;
}

bool scene_clash_counts( const scene_findings *findings, const scene_clash *clash ) {
	return clash->kind != DBVH_CLASH_KIND_FIT && clash->ignored_by == SCENE_NONE && !scene_is_known( clash ) &&
	       scene_severity_of( clash ) >= findings->least_severity;
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

// The number that people read of an overlap; that of one without a measure is infinite: nobody knows how bad it is.
static double size_of( const scene_findings *f, const scene_overlap *o ) {
	if ( f->order == SCENE_BY_VOLUME )
		return scene_knows_volume( o ) ? measure_value( o->volume ) : INFINITY;
	return o->has_depth ? measure_value( o->depth ) : INFINITY;
}

// The order: the most severe first; of one severity overlaps before gaps before touches; the deepest, or largest,
// overlap first, the gap that lacks most first. Fits come after all clashes, and what the baseline knows after all
// others.
static judged judge( const scene_findings *f, uint32_t index ) {
	static const int classes[] = { 0, 0, 0, 2, 1, 3, 10 * SCENE_SEVERITY_COUNT };
	const scene_clash *c = &f->clashes[index];
	const bool overlaps = c->kind <= DBVH_CLASH_KIND_DUPLICATE || c->kind == DBVH_CLASH_KIND_FIT;
	judged j = { classes[c->kind], overlaps ? size_of( f, &c->overlap ) : 0.0, index };
	if ( c->kind == DBVH_CLASH_KIND_CLEARANCE )
		j.size = c->clearance - c->distance;
	if ( c->kind != DBVH_CLASH_KIND_FIT )
		j.class += 10 * ( SCENE_CRITICAL - (int)scene_severity_of( c ) );
	if ( scene_is_known( c ) )
		j.class += 20 * SCENE_SEVERITY_COUNT;
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
