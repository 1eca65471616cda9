// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "parallel.h"

#ifdef _OPENMP
#include <omp.h>
#endif

enum { MOST_THREADS = 256 };

uint32_t parallel_threads( uint32_t thread_count ) {
#ifdef _OPENMP
	if ( thread_count == 0 )
		thread_count = (uint32_t)omp_get_max_threads();
	return thread_count < MOST_THREADS ? thread_count : MOST_THREADS;
#else
	(void)thread_count;
	return 1;
#endif
}

void parallel_for( size_t count, uint32_t thread_count, void ( *step )( void *context, size_t i, uint32_t thread ),
                   void *context ) {
	thread_count = parallel_threads( thread_count );
#ifdef _OPENMP
	if ( thread_count > 1 && count > 1 ) {
#pragma omp parallel for schedule( dynamic ) num_threads( (int)thread_count )
		for ( size_t i = 0; i < count; ++i )
			step( context, i, (uint32_t)omp_get_thread_num() );
		return;
	}
#endif
	for ( size_t i = 0; i < count; ++i )
		step( context, i, 0 );
}
