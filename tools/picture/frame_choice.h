// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The poses or configurations that a page shows: all, or as many as it has room for, first of those that clash.

#pragma once

#include "picture/picture.h"

typedef struct frame_choice {
	bool *is_chosen; // by pose
	size_t count;    // how many are
} frame_choice;

// The state of each of `count` poses, by a function of the caller's.
typedef struct frame_states {
	size_t count;
	picture_state ( *state )( const void *user, size_t i );
	const void *user;
} frame_states;

// Chooses at most `most` of them, and `must` (PICTURE_NONE: none) among them. False where there is no memory; the
// caller frees.
bool frame_choice_make( const frame_states *states, size_t must, size_t most, frame_choice *out );
void frame_choice_free( frame_choice *c );

// Says in notes of the picture what is not in it ("poses"), and whether it is complete.
void frame_choice_note( const frame_choice *c, const frame_states *states, const char *what, picture *p );
