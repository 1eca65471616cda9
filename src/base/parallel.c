// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// OpenMP says how many threads there should be, POSIX threads are what runs: OpenMP's run time ends the program where a
// thread cannot be made, keeps its threads spinning after a loop, and does not survive a fork. Here a loop makes its
// threads and joins them, so nothing is left behind in the host, and a thread that cannot be made is one fewer.

#define _POSIX_C_SOURCE 200809L

#include "base/parallel.h"

#include "base/assert.h"
#include "base/fpenv.h"

#ifdef _OPENMP
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

// No call uses more than 48 KiB, and sanitizers several times that; what the host keeps for each thread is on it, too.
#define STACK_BYTES ( (size_t)1 << 20 )

typedef struct loop {
	size_t count, grain;
	atomic_size_t next; // not above count by more than a grain a thread
	dbvhi_task *task;
	void *context;
} loop;

typedef struct helper {
	pthread_t thread;
	loop *of;
	uint32_t number;
} helper;

// Whoever works on a loop is not to start another.
static _Thread_local bool in_loop;

static void work( loop *l, uint32_t thread ) {
	const bool before = in_loop;
	in_loop = true;
	for ( ;; ) {
		// Looked at first, so that it cannot wrap around.
		if ( atomic_load_explicit( &l->next, memory_order_relaxed ) >= l->count )
			break;
		const size_t begin = atomic_fetch_add_explicit( &l->next, l->grain, memory_order_relaxed );
		if ( begin >= l->count )
			break;
		const size_t end = l->count - begin > l->grain ? begin + l->grain : l->count;
		for ( size_t i = begin; i < end; ++i )
			l->task( l->context, i, thread );
	}
	in_loop = before;
}

static void *help( void *argument ) {
	const helper *h = argument;
	dbvhi_fpenv_enter(); // whatever the host gives its threads; this one ends here
	work( h->of, h->number );
	return NULL;
}

static bool start( helper *h, const pthread_attr_t *attributes ) {
	// A host that keeps more than that on every stack gets its own default.
	return ( attributes != NULL && pthread_create( &h->thread, attributes, help, h ) == 0 ) ||
	       pthread_create( &h->thread, NULL, help, h ) == 0;
}

static void share( loop *l, uint32_t thread_count ) {
	helper helpers[DBVHI_MAX_THREADS - 1];
	pthread_attr_t attributes;
	const bool small = pthread_attr_init( &attributes ) == 0;
	const bool sized = small && pthread_attr_setstacksize( &attributes, STACK_BYTES ) == 0;
	// The host's signals are for the host's threads.
	sigset_t all, before;
	sigfillset( &all );
	const bool masked = pthread_sigmask( SIG_SETMASK, &all, &before ) == 0;
	uint32_t started = 0;
	// Once nothing is left to hand out nobody else is needed.
	while ( started + 1 < thread_count && atomic_load_explicit( &l->next, memory_order_relaxed ) < l->count ) {
		helpers[started] = ( helper ){ .of = l, .number = started + 1 };
		if ( !start( &helpers[started], sized ? &attributes : NULL ) )
			break;
		started += 1;
	}
	if ( masked )
		pthread_sigmask( SIG_SETMASK, &before, NULL );
	if ( small )
		pthread_attr_destroy( &attributes );
	work( l, 0 );
	for ( uint32_t i = 0; i < started; ++i )
		pthread_join( helpers[i].thread, NULL );
}
#endif

uint32_t dbvhi_thread_count( uint32_t requested ) {
#ifdef _OPENMP
	if ( in_loop || omp_in_parallel() )
		return 1;
	const uint32_t wanted = requested != 0 ? requested : (uint32_t)omp_get_max_threads();
	const uint32_t limit = (uint32_t)omp_get_thread_limit(),
	               most = limit < DBVHI_MAX_THREADS ? limit : DBVHI_MAX_THREADS;
	return wanted < most ? wanted : most;
#else
	(void)requested;
	return 1;
#endif
}

void dbvhi_parallel_for( size_t count, size_t grain, uint32_t thread_count, dbvhi_task *task, void *context ) {
	DBVHI_ASSERT( grain >= 1 );
	DBVHI_ASSERT( task != NULL );
#ifdef _OPENMP
	const size_t pieces = count / grain + ( count % grain != 0 );
	if ( thread_count > 1 && pieces > 1 ) {
		loop l = { .count = count, .grain = grain, .task = task, .context = context };
		share( &l, pieces < thread_count ? (uint32_t)pieces : thread_count );
		return;
	}
#endif
	(void)grain;
	(void)thread_count;
	for ( size_t i = 0; i < count; ++i )
		task( context, i, 0 );
}
