// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// All threads come from here: parallel.c is the only file that includes <omp.h>, and the only one that starts threads
// of the layer of the operating system (base/os.h). Results do not depend on the number of threads.

#pragma once

#include "base/assert.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// One piece of work. `thread` is below dbvhi_thread_count( requested ); tasks that run at the same time have different
// ones.
typedef void dbvhi_task( void *context, size_t index, uint32_t thread );

// DBVHI_MAX_THREADS bounds the threads of a loop.
#define DBVHI_MAX_THREADS 256

// Returns how many threads a loop would use: `requested`, or for 0 OpenMP's choice, without OpenMP what OMP_NUM_THREADS
// says, else the number of processors; 1 when called from a parallel region or a task.
uint32_t dbvhi_thread_count( uint32_t requested );

// dbvhi_thread_count(), but at most the number of pieces of work, and at least 1.
static inline uint32_t dbvhi_thread_count_for( uint32_t requested, size_t piece_count ) {
	const uint32_t thread_count = dbvhi_thread_count( requested );
	if ( piece_count >= thread_count )
		return thread_count;
	return piece_count > 0 ? (uint32_t)piece_count : 1;
}

// Returns how many of `count` pieces to hand out at a time: `wanted`, or for 0 a sixteenth of a thread's share, at most
// `most`. Larger grains make handing out cheap, smaller ones keep threads from waiting for the last long piece.
static inline size_t dbvhi_grain( uint32_t wanted, size_t count, uint32_t thread_count, size_t most ) {
	DBVHI_ASSERT( thread_count >= 1 && most >= 1 );
	if ( wanted != 0 )
		return wanted;
	const size_t even = count / ( 16 * (size_t)thread_count );
	return even < 1 ? 1 : even < most ? even : most;
}

// Runs task( context, i, thread ) for every i below `count`, handing out `grain` indices (at least 1) at a time, and
// waits for all. It cannot fail: if the system creates no more threads, the existing ones do the work, at the least the
// calling one. Threads live as long as the loop, so a fork at any other time finds none.
void dbvhi_parallel_for( size_t count, size_t grain, uint32_t thread_count, dbvhi_task *task, void *context );

// dbvhi_parallel_for(), which in addition calls watch( context ) about every half millisecond while the calling thread
// only waits for others (`watch` NULL: never).
void dbvhi_parallel_for_watched( size_t count, size_t grain, uint32_t thread_count, dbvhi_task *task,
                                 void ( *watch )( void *context ), void *context );
