// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Threads. Where the compiler has OpenMP, it decides how many there are, so that a host program controls them as usual;
// elsewhere OMP_NUM_THREADS or the number of processors does. The system's threads run: OpenMP's run time ends the
// program if a thread cannot be created, keeps threads spinning after a loop, and does not survive a fork. Here each
// loop starts its threads, and a thread that cannot be created is one fewer.
//
// On a busy machine a new thread may not run for milliseconds, longer than a short loop takes. So the loop does not
// wait for a thread that has not begun; the thread is left behind, touches nothing but its slot once it runs, and ends.
// While such threads exist, loops start fewer new ones, since there is no core for them.

#include "base/parallel.h"

#include "base/assert.h"
#include "base/fpenv.h"
#include "base/os.h"

#ifdef _OPENMP
#include <omp.h>
#endif
#include <stdatomic.h>
#include <stdlib.h>

// STACK_BYTES covers the 60 KiB that a call uses, several times that under sanitizers, and the thread-local data of the
// host, which lies on the same stack.
#define STACK_BYTES ( (size_t)1 << 20 )

typedef struct loop {
	size_t count, grain;
	atomic_size_t next; // exceeds `count` by at most a grain a thread
	dbvhi_task *task;
	void ( *watch )( void *context ); // may be NULL
	void *context;
} loop;

// The loop's thread takes a slot from FREE through CLAIMED to WAITING. Then either the helper thread sets BEGUN and
// DONE and is joined, or the loop's thread sets LEFT, the helper ENDED, and the next claim of the slot joins it.
enum { FREE, CLAIMED, WAITING, BEGUN, DONE, LEFT, ENDED };

typedef struct helper {
	atomic_int state;
	atomic_int process; // the process that started it: after a fork, a child has its parent's slots but not the threads
	dbvhi_os_thread thread;
	loop *of; // read by the helper only after BEGUN
	uint32_t number;
} helper;

// helpers[] is static because a helper thread may outlive its loop.
static helper helpers[DBVHI_MAX_THREADS];

// True on a thread that works on a loop: nested loops run on that thread alone.
static _Thread_local bool in_loop;

static void work( loop *l, uint32_t thread ) {
	const bool before = in_loop;
	in_loop = true;
	for ( ;; ) {
		// note: read before the increment, so that the counter cannot wrap around
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

static bool moves( helper *h, int from, int to ) {
	return atomic_compare_exchange_strong_explicit( &h->state, &from, to, memory_order_acq_rel, memory_order_acquire );
}

static void help( void *argument ) {
	helper *h = argument;
	if ( moves( h, WAITING, BEGUN ) ) {
		dbvhi_fpenv_enter(); // the host may have set another environment for its threads; no need to restore it, the
		                     // thread ends here
		work( h->of, h->number );
		atomic_store_explicit( &h->state, DONE, memory_order_release );
	} else {
		atomic_store_explicit( &h->state, ENDED, memory_order_release );
	}
}

// Claims an unused slot; NULL if there is none. Counts in *left_count the threads left behind that have not run yet.
static helper *claim( uint32_t *place, uint32_t *left_count ) {
	const int process = dbvhi_os_process_number();
	for ( ; *place < DBVHI_MAX_THREADS; *place += 1 ) {
		helper *h = &helpers[*place];
		const int state = atomic_load_explicit( &h->state, memory_order_acquire );
		const bool is_ours = state == FREE || atomic_load_explicit( &h->process, memory_order_relaxed ) == process;
		*left_count += is_ours && state == LEFT;
		if ( ( is_ours && state != FREE && state != ENDED ) || !moves( h, state, CLAIMED ) )
			continue;
		if ( is_ours && state == ENDED )
			dbvhi_os_thread_join( &h->thread ); // its thread is about to return
		atomic_store_explicit( &h->process, process, memory_order_relaxed );
		*place += 1;
		return h;
	}
	return NULL;
}

static bool start( helper *h ) {
	atomic_store_explicit( &h->state, WAITING, memory_order_release );
	if ( dbvhi_os_thread_start( &h->thread, STACK_BYTES, help, h ) )
		return true;
	atomic_store_explicit( &h->state, FREE, memory_order_release );
	return false;
}

static bool is_at_work( helper *h ) {
	const int state = atomic_load_explicit( &h->state, memory_order_acquire );
	return state == BEGUN || state == WAITING;
}

// The pause grows from 0.05 to 0.5 ms, by which a call may end later than its last thread.
static void watch_until_done( const loop *l, helper *h ) {
	uint32_t pause = 50000;
	while ( is_at_work( h ) ) {
		dbvhi_os_sleep( pause );
		if ( pause < 400000 )
			pause *= 2;
		if ( is_at_work( h ) )
			l->watch( l->context );
	}
}

// Waits for a helper that has begun, and leaves one that has not.
static void finish( const loop *l, helper *h ) {
// note: ThreadSanitizer reports threads that are never joined, and AddressSanitizer's locks hang a child that is forked
// while a thread starts: both wait for every helper.
#if !defined( __SANITIZE_THREAD__ ) && !defined( __SANITIZE_ADDRESS__ )
	if ( moves( h, WAITING, LEFT ) )
		return;
#endif
	if ( l->watch != NULL )
		watch_until_done( l, h );
	dbvhi_os_thread_join( &h->thread );
	atomic_store_explicit( &h->state, FREE, memory_order_release );
}

// Joins all helpers before the library is unloaded: none of its code may run after that.
static void finish_those_left( void ) {
	const int process = dbvhi_os_process_number();
	for ( uint32_t i = 0; i < DBVHI_MAX_THREADS; ++i ) {
		const int state = atomic_load_explicit( &helpers[i].state, memory_order_acquire );
		if ( ( state == LEFT || state == ENDED ) &&
		     atomic_load_explicit( &helpers[i].process, memory_order_relaxed ) == process )
			dbvhi_os_thread_join( &helpers[i].thread );
	}
}

static void share( loop *l, uint32_t thread_count ) {
	helper *team[DBVHI_MAX_THREADS - 1];
	dbvhi_os_at_unload( finish_those_left );
	uint32_t started = 0, place = 0, left_count = 0;
	// Stop starting helpers once all work is claimed.
	while ( atomic_load_explicit( &l->next, memory_order_relaxed ) < l->count ) {
		helper *h = claim( &place, &left_count );
		if ( h == NULL )
			break;
		if ( started + left_count + 1 >= thread_count ) {
			atomic_store_explicit( &h->state, FREE, memory_order_release );
			break;
		}
		h->of = l;
		h->number = started + 1;
		if ( !start( h ) )
			break;
		team[started++] = h;
	}
	work( l, 0 );
	for ( uint32_t i = 0; i < started; ++i )
		finish( l, team[i] );
}

// ------------------------------------------------------------------------------------------------
// How many

#ifdef _OPENMP

static bool is_in_region( void ) {
	return omp_in_parallel() != 0;
}

static uint32_t usual_count( void ) {
	return (uint32_t)omp_get_max_threads();
}

static uint32_t most_threads( void ) {
	const uint32_t limit = (uint32_t)omp_get_thread_limit();
	return limit < DBVHI_MAX_THREADS ? limit : DBVHI_MAX_THREADS;
}

#else

static bool is_in_region( void ) {
	return false;
}

// The same variable as OpenMP's, so that a program may be run in the same way whatever compiler made it.
static uint32_t usual_count( void ) {
	const char *wanted = getenv( "OMP_NUM_THREADS" );
	const long count = wanted != NULL ? strtol( wanted, NULL, 10 ) : 0;
	return count > 0 && count <= DBVHI_MAX_THREADS ? (uint32_t)count : dbvhi_os_processor_count();
}

static uint32_t most_threads( void ) {
	return DBVHI_MAX_THREADS;
}

#endif

uint32_t dbvhi_thread_count( uint32_t requested ) {
	if ( in_loop || is_in_region() )
		return 1;
	const uint32_t wanted = requested != 0 ? requested : usual_count(), most = most_threads();
	return wanted < most ? wanted : most;
}

void dbvhi_parallel_for( size_t count, size_t grain, uint32_t thread_count, dbvhi_task *task, void *context ) {
	dbvhi_parallel_for_watched( count, grain, thread_count, task, NULL, context );
}

void dbvhi_parallel_for_watched( size_t count, size_t grain, uint32_t thread_count, dbvhi_task *task,
                                 void ( *watch )( void *context ), void *context ) {
	DBVHI_ASSERT( grain >= 1 );
	DBVHI_ASSERT( task != NULL );
	const size_t pieces = count / grain + ( count % grain != 0 );
	if ( thread_count > 1 && pieces > 1 ) {
		loop l = { .count = count, .grain = grain, .task = task, .watch = watch, .context = context };
		share( &l, pieces < thread_count ? (uint32_t)pieces : thread_count );
		return;
	}
	for ( size_t i = 0; i < count; ++i )
		task( context, i, 0 );
}
