// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Loops of the command on several threads, where the library has no call that does it.

#pragma once

#include <stddef.h>
#include <stdint.h>

// Calls step( context, i, thread ) for every i below `count`, in any order, thread below the number of threads;
// 0 threads: as many as OpenMP would take. `thread` 0 is the calling one.
void parallel_for( size_t count, uint32_t thread_count, void ( *step )( void *context, size_t i, uint32_t thread ),
                   void *context );

// The number of threads that parallel_for() would use.
uint32_t parallel_threads( uint32_t thread_count );
