// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "base/parallel.h"
#include "base/fpenv.h"

#ifdef _OPENMP
#include <omp.h>
#endif

uint32_t dbvhi_thread_count( uint32_t requested ) {
#ifdef _OPENMP
	if ( omp_in_parallel() )
		return 1;
	// OpenMP ends the program when it cannot start as many as it is told to.
	const uint32_t wanted = requested != 0 ? requested : (uint32_t)omp_get_max_threads();
	return wanted < DBVHI_MAX_THREADS ? wanted : DBVHI_MAX_THREADS;
#else
	(void)requested;
	return 1;
#endif
}

void dbvhi_parallel_for( size_t count, size_t grain, uint32_t thread_count, dbvhi_task *task, void *context ) {
#ifdef _OPENMP
	if ( thread_count > 1 && count > 1 ) {
#pragma omp parallel num_threads( thread_count )
		{
			// Threads outlive a loop, and keep the modes of whatever started them.
			const dbvhi_fpenv own = dbvhi_fpenv_enter();
#pragma omp for schedule( dynamic, grain )
			for ( size_t i = 0; i < count; ++i )
				task( context, i, (uint32_t)omp_get_thread_num() );
			dbvhi_fpenv_leave( own );
		}
		return;
	}
#endif
	(void)grain;
	(void)thread_count;
	for ( size_t i = 0; i < count; ++i )
		task( context, i, 0 );
}
