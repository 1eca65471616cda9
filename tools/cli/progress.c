// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "cli/progress.h"

#include "base/os.h"
#include "os/os.h"

#include <stdio.h>

static struct {
	bool on, shown;
	double start, last;
} state;

double progress_now( void ) {
	return dbvhi_os_seconds();
}

static bool due( void ) {
	if ( !state.on )
		return false;
	const double t = progress_now();
	if ( t - state.start < 0.5 || t - state.last < 0.1 )
		return false;
	state.last = t;
	state.shown = true;
	return true;
}

void progress_begin( bool wanted ) {
	state.on = wanted && os_is_terminal( stderr );
	state.start = state.on ? progress_now() : 0.0;
}

void progress_stage( const char *doing, const char *what ) {
	if ( due() )
		fprintf( stderr, "\r\033[K%s %s ...", doing, what );
}

void progress_step( const char *doing, size_t done, size_t total ) {
	if ( total > 0 && due() )
		fprintf( stderr, "\r\033[K%s: %zu of %zu, %.0f %%", doing, done, total, 100.0 * (double)done / (double)total );
}

void progress_end( void ) {
	if ( state.shown )
		fputs( "\r\033[K", stderr );
	state.shown = false;
	state.on = false;
}
