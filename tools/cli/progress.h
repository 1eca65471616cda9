// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// One line on stderr that says how far a long piece of work has come. It appears only on a terminal and only after
// half a second, and is wiped away at the end.

#pragma once

#include <stdbool.h>
#include <stddef.h>

// Call once at the start of the work; `wanted` false keeps everything silent.
void progress_begin( bool wanted );

// Names what is being done now, for example ( "reading", "gear.stl" ).
void progress_stage( const char *doing, const char *what );

// `done` of `total` steps of `doing` are over. Cheap enough for a call a step.
void progress_step( const char *doing, size_t done, size_t total );

void progress_end( void );

// Seconds, from some time on.
double progress_now( void );
