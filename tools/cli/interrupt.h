// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Endings that the command does not decide itself: Ctrl-C, and libraries that call exit().

#pragma once

#include <stdbool.h>

// From now on exit() called by anybody but main() ends with status 2 and a sentence. OpenMP's runtime does so, with
// status 1, where it gets no memory, also before main(), or no thread.
void exit_guard_begin( void );

// main() returns through this: its own exit is not guarded against.
int exit_guard_end( int status );

// From now on the first SIGINT or SIGTERM is only noted; the second one has its usual effect. For work that can end
// between two steps.
void interrupt_begin( void );
bool interrupted( void );

// After all output, in place of returning `status`: dies of the signal that was noted, as a shell expects (130, or
// 143).
int interrupt_finish( int status );
