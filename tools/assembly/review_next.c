// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The review that a run makes of the one before it.

#include "assembly/compare.h"
#include "assembly/review.h"
#include "text/grow.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool copy_text( char **to, const char *from ) {
	*to = scene_copy( from );
	return from == NULL || *to != NULL;
}

static bool copy_review( earlier_review *to, const earlier_review *from ) {
	*to = ( earlier_review ){ 0 };
	bool ok = copy_text( &to->accepted, from->accepted ) && copy_text( &to->lapsed, from->lapsed ) &&
	          copy_text( &to->by, from->by ) && copy_text( &to->until, from->until ) &&
	          copy_text( &to->assignee, from->assignee ) && copy_text( &to->status, from->status ) &&
	          copy_text( &to->unsure, from->unsure ) && copy_text( &to->found, from->found ) &&
	          copy_text( &to->resolved, from->resolved ) && copy_text( &to->gone, from->gone ) &&
	          copy_text( &to->edited, from->edited );
	to->has_edited_as = from->has_edited_as;
	to->edited_as = from->edited_as;
	for ( size_t i = 0; ok && i < from->comment_count; ++i )
		ok = scene_review_comment( to, from->comments[i] );
	for ( size_t i = 0; ok && i < from->seen_count; ++i )
		ok = scene_review_see( to, from->seen[i] );
	return ok;
}

// Has the text these lines, one behind the other?
static bool has_lines( const char *text, const char *lines ) {
	const size_t length = strlen( lines );
	for ( const char *at = strstr( text, lines ); at != NULL; at = strstr( at + 1, lines ) )
		if ( ( at == text || at[-1] == '\n' ) && ( at[length] == '\0' || at[length] == '\n' ) )
			return true;
	return false;
}

// An acceptance that the clash has outgrown: the reason stays, for whoever decides again, before those of older ones.
static bool lapse( earlier_review *r ) {
	char *newer = r->accepted, *older = r->lapsed;
	if ( newer == NULL )
		return true;
	r->accepted = NULL;
	if ( older == NULL || has_lines( older, newer ) ) {
		r->lapsed = older != NULL ? older : newer;
		free( older != NULL ? newer : NULL );
		return true;
	}
	const size_t room = strlen( newer ) + strlen( older ) + 2;
	r->lapsed = malloc( room );
	if ( r->lapsed != NULL )
		snprintf( r->lapsed, room, "%s\n%s", newer, older );
	free( newer );
	free( older );
	return r->lapsed != NULL;
}

static void set_day( char **place, const char *today, const char *behind ) {
	const size_t room = strlen( today ) + strlen( behind ) + 1;
	char *made = malloc( room );
	if ( made != NULL )
		snprintf( made, room, "%s%s", today, behind );
	free( *place );
	*place = made;
}

static void clear_text( char **place ) {
	free( *place );
	*place = NULL;
}

// The number of a body of the model in the new review.
static uint32_t place_new_body( scene_earlier *to, const scene_findings *f, uint32_t body ) {
	const uint32_t number = scene_earlier_body( to, scene_path( f, body ) );
	if ( number == SCENE_NONE ||
	     ( !to->bodies[number].has_shape && !scene_earlier_refresh_body( &to->bodies[number], f, body ) ) )
		return SCENE_NONE;
	return number;
}

// A path for a body that is not in the model any more: its own, with " (gone)" behind it as often as another body has
// that. NULL: no memory.
static char *free_path( const scene_earlier *to, const scene_findings *f, const char *own ) {
	static const char mark[] = " (gone)";
	size_t length = strlen( own );
	char *path = scene_copy( own );
	while ( path != NULL && ( scene_names_find( &f->assembly->model.paths, path ) != SCENE_NONE ||
	                          scene_names_find( &to->paths, path ) != SCENE_NONE ) ) {
		char *longer = realloc( path, length + sizeof mark );
		if ( longer == NULL )
			free( path );
		else
			memcpy( longer + length, mark, sizeof mark );
		length += sizeof mark - 1;
		path = longer;
	}
	return path;
}

// The number of a body that is not in the model any more.
static uint32_t place_lost_body( scene_earlier *to, const scene_findings *f, earlier_body *from ) {
	if ( from->next != SCENE_NONE )
		return from->next;
	char *path = free_path( to, f, from->path );
	const uint32_t number = path != NULL ? scene_earlier_body( to, path ) : SCENE_NONE;
	free( path );
	if ( number == SCENE_NONE )
		return number;
	from->next = number;
	earlier_body *made = &to->bodies[number];
	char *own = made->path;
	*made = *from;
	made->path = own;
	made->guid = NULL;
	return copy_text( &made->guid, from->guid ) ? number : SCENE_NONE;
}

static uint32_t place_body( scene_earlier *to, const scene_findings *f, earlier_body *from ) {
	return from->now != SCENE_NONE ? place_new_body( to, f, from->now ) : place_lost_body( to, f, from );
}

// May the next run still find that the acceptance covers the clash? One that had the time to measure all has said that
// it does not.
static bool is_open_question( const scene_clash *c ) {
	return c->standing == SCENE_UNSURE && c->is_cut_short;
}

// Set the review of a clash that is there: what it stands for now. False where there is no memory.
static bool update_present( earlier_review *r, const scene_clash *c, const char *today ) {
	bool ok = true;
	if ( c->standing == SCENE_NEW || c->standing == SCENE_WORSENED || c->standing == SCENE_MOVED ||
	     ( c->standing == SCENE_UNSURE && !is_open_question( c ) ) )
		ok = lapse( r );
	clear_text( &r->resolved );
	clear_text( &r->gone );
	if ( !is_open_question( c ) )
		clear_text( &r->unsure );
	else if ( r->unsure == NULL && *today != '\0' )
		set_day( &r->unsure, today, "" );
	if ( r->found == NULL && *today != '\0' )
		set_day( &r->found, today, "" );
	return ok;
}

// Join two measurements of one overlap.
static dbvh_interval intersect( dbvh_interval x, dbvh_interval y ) {
	const dbvh_interval both = { fmax( x.lower, y.lower ), fmin( x.upper, y.upper ) };
	return both.lower <= both.upper ? both : x;
}

static void drop_frames( earlier_place *p ) {
	p->is_in_a = p->is_in_b = p->has_frames = false;
}

// Drop the frames where the next review will have other triangles of a body than this one: among them the place in its
// frame means nothing. A body that is not there stays as it was.
static void drop_stale_frames( const scene_findings *f, const earlier_body *body, earlier_clash *c ) {
	if ( body->now != SCENE_NONE && !scene_has_same_shape( f, body ) ) {
		drop_frames( &c->middle );
		drop_frames( &c->point );
	}
}

// Keep the place of an earlier run. `turns`: the bodies have changed places in the order of their paths.
static void keep_place( earlier_place *to, const earlier_place *from, bool turns ) {
	if ( !from->is_known )
		return;
	to->is_known = true;
	memcpy( to->world, from->world, sizeof to->world );
	memcpy( to->in_a, turns ? from->in_b : from->in_a, sizeof to->in_a );
	memcpy( to->in_b, turns ? from->in_a : from->in_b, sizeof to->in_b );
	to->is_in_a = to->is_in_b = to->has_frames = from->has_frames;
}

// Keep the measures of an earlier run, as far as it has some. `is_same`: the overlap is the same, so that both runs
// measured one thing.
static void keep_measures( earlier_clash *to, const earlier_clash *from, bool is_same ) {
	to->kind = from->kind;
	if ( from->has_severity )
		to->severity = from->severity;
	if ( from->has_depth ) {
		to->depth = to->has_depth && is_same ? intersect( from->depth, to->depth ) : from->depth;
		to->has_depth = true;
	}
	if ( from->has_volume ) {
		to->volume = to->has_volume && is_same ? intersect( from->volume, to->volume ) : from->volume;
		to->has_volume = true;
	}
	if ( from->has_distance ) {
		to->distance = from->distance;
		to->has_distance = true;
	}
}

static void forget_place( earlier_place *to, const earlier_place *from ) {
	if ( !from->is_known )
		*to = ( earlier_place ){ 0 };
}

// Leave out of the next review what an acceptance of unknown measures has not: its first measures may be larger ones.
static void forget_measures( earlier_clash *to, const earlier_clash *from ) {
	to->has_depth = to->has_depth && from->has_depth;
	to->has_volume = to->has_volume && from->has_volume;
	to->has_distance = to->has_distance && from->has_distance;
	forget_place( &to->middle, &from->middle );
	forget_place( &to->point, &from->point );
}

// Add a clash that this run says nothing about, as it was. NULL: no memory.
static earlier_clash *add_as_it_was( scene_earlier *to, const scene_findings *f, const earlier_clash *then,
                                     scene_earlier *before ) {
	const uint32_t a = place_body( to, f, &before->bodies[then->a] ), b = place_body( to, f, &before->bodies[then->b] );
	earlier_clash *made = a != SCENE_NONE && b != SCENE_NONE ? scene_earlier_add( to ) : NULL;
	if ( made == NULL )
		return NULL;
	*made = *then;
	made->a = a;
	made->b = b;
	made->rule = NULL;
	if ( !copy_review( &made->review, &then->review ) || !copy_text( &made->rule, then->rule ) )
		return NULL;
	drop_stale_frames( f, &before->bodies[then->a], made );
	drop_stale_frames( f, &before->bodies[then->b], made );
	// The bodies of the review become those of now: the next run cannot see that they have changed meanwhile.
	if ( made->review.accepted != NULL && made->review.unsure == NULL && *before->today != '\0' &&
	     !scene_is_same_pair( f, before, then ) )
		set_day( &made->review.unsure, before->today, "" );
	return made;
}

static bool add_present( scene_earlier *to, const scene_findings *f, scene_earlier *before, uint32_t index ) {
	const scene_clash *c = &f->clashes[index];
	const scene_was *was = c->was != SCENE_NONE ? &f->was[c->was] : NULL;
	const earlier_clash *then = was != NULL ? &before->clashes[was->number] : NULL;
	if ( then == NULL && ( c->kind == DBVH_CLASH_KIND_FIT || c->ignored_by != SCENE_NONE ) )
		return true;
	if ( c->ignored_by != SCENE_NONE ) // nobody is told of it, and so nothing is decided about it
		return add_as_it_was( to, f, then, before ) != NULL;
	const uint32_t a = place_new_body( to, f, c->a ), b = place_new_body( to, f, c->b );
	earlier_clash *made = a != SCENE_NONE && b != SCENE_NONE ? scene_earlier_add( to ) : NULL;
	if ( made == NULL )
		return false;
	*made = ( earlier_clash ){ .id = c->id, .a = a, .b = b, .now = index };
	if ( !scene_earlier_refresh( made, f, c ) || ( then != NULL && !copy_review( &made->review, &then->review ) ) )
		return false;
	// Measures of a clash that is as it was stay, so that many small steps add up and the file rests; those of an
	// accepted one are what was accepted.
	const bool stays = then != NULL && before->bodies[then->a].now != SCENE_NONE &&
	                   before->bodies[then->b].now != SCENE_NONE &&
	                   ( c->standing == SCENE_UNCHANGED || c->standing == SCENE_RENAMED ||
	                     c->standing == SCENE_ACCEPTED || c->standing == SCENE_EXPIRED || is_open_question( c ) );
	if ( stays )
		keep_measures( made, then, was->is_same_pair );
	if ( stays ) {
		const bool turns = before->bodies[then->a].now == c->b;
		keep_place( &made->middle, &then->middle, turns );
		keep_place( &made->point, &then->point, turns );
		drop_stale_frames( f, &before->bodies[then->a], made );
		drop_stale_frames( f, &before->bodies[then->b], made );
	}
	if ( is_open_question( c ) )
		forget_measures( made, then );
	return update_present( &made->review, c, before->today );
}

static void update_absent( earlier_review *r, scene_absence why, const char *today ) {
	static const char *const words[SCENE_ABSENCE_COUNT] = { " body missing",  NULL, " body changed",
	                                                        " rules changed", NULL, " unexplained" };
	if ( why == SCENE_ABSENT_UNFINISHED || r->resolved != NULL )
		return;
	if ( why == SCENE_ABSENT_RESOLVED ) {
		set_day( &r->resolved, today, "" );
		clear_text( &r->gone );
	} else if ( r->gone == NULL )
		set_day( &r->gone, today, words[why] );
}

static bool add_absent( scene_earlier *to, const scene_findings *f, const earlier_clash *then, scene_earlier *before ) {
	earlier_clash *made = add_as_it_was( to, f, then, before );
	if ( made != NULL )
		update_absent( &made->review, scene_why_absent( f, before, then ), before->today );
	return made != NULL;
}

static int by_hash( const void *a, const void *b ) {
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

// Add the bodies that have the name of a listed one but for a number: where the order of the file changes, all of them
// are needed to tell which is which.
static bool add_families( scene_earlier *to, const scene_findings *f ) {
	const size_t count = to->body_count;
	uint64_t *families = malloc( ( count + 1 ) * sizeof *families );
	bool ok = families != NULL;
	for ( size_t i = 0; ok && i < count; ++i )
		families[i] = scene_path_family( to->bodies[i].path );
	if ( ok && count > 1 )
		qsort( families, count, sizeof *families, by_hash );
	for ( uint32_t i = 0; ok && count > 0 && i < f->assembly->model.body_count; ++i ) {
		const uint64_t family = scene_path_family( scene_path( f, i ) );
		if ( bsearch( &family, families, count, sizeof *families, by_hash ) != NULL )
			ok = place_new_body( to, f, i ) != SCENE_NONE;
	}
	free( families );
	return ok;
}

bool scene_review_next( const scene_findings *f, scene_earlier *before, scene_earlier *to ) {
	to->has_review = true;
	const double metres = f->assembly->model.metres;
	to->rules = f->rules;
	to->metres = metres > 0.0 ? metres : before->metres;
	memcpy( to->today, before->today, sizeof to->today );
	bool ok = true;
	for ( size_t i = 0; i < before->body_count; ++i )
		before->bodies[i].next = SCENE_NONE;
	for ( uint32_t i = 0; ok && i < f->clash_count; ++i )
		ok = add_present( to, f, before, i );
	for ( size_t i = 0; ok && i < before->clash_count; ++i )
		if ( before->clashes[i].now == SCENE_NONE )
			ok = add_absent( to, f, &before->clashes[i], before );
	return ok && add_families( to, f );
}
