// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "cli/timeout.h"

#include "cli/progress.h"
#include "text/number.h"

#include <stdio.h>

static double seconds, deadline;
static _Atomic bool over; // several threads look

static bool look( void *user ) {
	(void)user;
	if ( !over && progress_now() > deadline )
		over = true;
	return over;
}

static const dbvh_budget budget = { .is_cancelled = look };

void timeout_begin( double given ) {
	seconds = given;
	deadline = progress_now() + given;
	over = false;
}

const dbvh_budget *timeout_budget( void ) {
	return seconds > 0.0 ? &budget : NULL;
}

bool timeout_expired( void ) {
	return seconds > 0.0 && look( NULL );
}

void timeout_print( void ) {
	char number[REAL_ROOM];
	printf( "not decided within %s s\n", real_text( seconds, number ) );
}
