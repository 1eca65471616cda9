// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// --timeout: a limit on the time that a command spends answering, counted from when its meshes are loaded.

#pragma once

#include "cli/args.h"

// The entry of an option table; `timeout` is a member of the settings, 0 without the option.
#define TIMEOUT_ENTRY                                                                                                  \
	{                                                                                                                  \
		"timeout", 0, "S", ARG_TO( ARG_POSITIVE, timeout ),                                                            \
		    "stop after S seconds of answering, with what is known by then; exit status 3 unless it is 1"              \
	}

// The entry for commands that write what they know by then, and end with 0.
#define TIMEOUT_OF_PICTURES_ENTRY( member )                                                                            \
	{                                                                                                                  \
		"timeout", 0, "S", ARG_TO( ARG_POSITIVE, member ),                                                             \
		    "stop after S seconds of answering, and show what is known by then"                                        \
	}

// Starts the clock. 0: no limit.
void timeout_begin( double seconds );

// The budget that cancels queries when time is up; NULL without a limit.
const dbvh_budget *timeout_budget( void );

// Is time up? Stays so.
bool timeout_expired( void );

// Prints "not decided within 2 s" and a line end.
void timeout_print( void );
