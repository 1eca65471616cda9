// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "picture/frame_choice.h"

#include <stdlib.h>

static void choose( frame_choice *c, size_t i ) {
	c->count += !c->is_chosen[i];
	c->is_chosen[i] = true;
}

// Number `i` of `some`, evenly spread over `all`.
static size_t spread( size_t i, size_t some, size_t all ) {
	return some > 1 ? (size_t)( (double)i / (double)( some - 1 ) * (double)( all - 1 ) + 0.5 ) : 0;
}

static size_t count_state( const frame_states *states, picture_state state ) {
	size_t count = 0;
	for ( size_t i = 0; i < states->count; ++i )
		count += states->state( states->user, i ) == state;
	return count;
}

// Up to `most` of those that clash, evenly.
static void choose_clashing( const frame_states *states, size_t most, frame_choice *c ) {
	const size_t all = count_state( states, PICTURE_CLASHING ), some = all < most ? all : most;
	for ( size_t i = 0, met = 0, next = 0; i < states->count && next < some; ++i )
		if ( states->state( states->user, i ) == PICTURE_CLASHING && met++ == spread( next, some, all ) ) {
			choose( c, i );
			++next;
		}
}

bool frame_choice_make( const frame_states *states, size_t must, size_t most, frame_choice *out ) {
	const size_t count = states->count;
	*out = ( frame_choice ){ .is_chosen = calloc( count + 1, sizeof *out->is_chosen ) };
	if ( out->is_chosen == NULL )
		return false;
	for ( size_t i = 0; i < count && count <= most; ++i )
		choose( out, i );
	if ( count <= most )
		return true;
	if ( must < count )
		choose( out, must );
	choose_clashing( states, most - most / 4, out );
	const size_t left = most - out->count;
	for ( size_t i = 0; i < left; ++i )
		choose( out, spread( i, left, count ) );
	return true;
}

void frame_choice_free( frame_choice *c ) {
	free( c->is_chosen );
	*c = ( frame_choice ){ 0 };
}

void frame_choice_note( const frame_choice *c, const frame_states *states, const char *what, picture *p ) {
	const size_t count = states->count, clashing = count_state( states, PICTURE_CLASHING ),
	             unknown = count_state( states, PICTURE_UNKNOWN );
	size_t shown = 0;
	for ( size_t i = 0; i < count; ++i )
		shown += c->is_chosen[i] && states->state( states->user, i ) == PICTURE_CLASHING;
	p->is_complete = unknown == 0 && shown == clashing;
	if ( unknown > 0 )
		picture_add_note( p, "The work was ended early: %zu of %zu %s were not looked at.", unknown, count, what );
	if ( c->count < count )
		picture_add_note( p, "Of %zu %s %zu are shown: %zu of the %zu that clash, and others, evenly chosen.", count,
		                  what, c->count, shown, clashing );
}
