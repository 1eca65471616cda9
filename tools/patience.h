// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// --timeout: how long the answers of a command may take together, from when its meshes are loaded.

#pragma once

#include "args.h"

// The entry of an option table; `timeout` is a member of the wishes, 0 without the option.
#define PATIENCE_ENTRY                                                                                                 \
	{                                                                                                                  \
		"timeout", 0, "S", ARG_TO( ARG_POSITIVE, timeout ),                                                            \
		    "stop after S seconds of answering, with what is known by then; exit status 3 unless it is 1"              \
	}

// From now on. 0: for ever.
void patience_begin( double seconds );

// For queries, which it cancels; NULL where there is no end.
const dbvh_budget *patience_budget( void );

// Has it ended, as a query or this function was the first to see? Stays so.
bool patience_over( void );

// Prints "not decided within 2 s" and a line end.
void patience_print( void );
