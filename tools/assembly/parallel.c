// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Threads as in the library (base/parallel.c): OpenMP only says how many there should be, POSIX threads do the work,
// and a thread that cannot be created is one fewer.

#include "assembly/parallel.h"

#ifdef _OPENMP
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#endif

enum { MOST_THREADS = 256 };

#ifdef _OPENMP

typedef struct loop {
	size_t count;
	_Atomic size_t next;
	void ( *step )( void *context, size_t i, uint32_t thread );
	void *context;
} loop;

typedef struct helper {
	pthread_t thread;
	loop *of;
	uint32_t number;
} helper;

static void work( loop *l, uint32_t thread ) {
	for ( size_t i; ( i = atomic_fetch_add( &l->next, 1 ) ) < l->count; )
		l->step( l->context, i, thread );
}

static void *help( void *argument ) {
	const helper *h = argument;
	work( h->of, h->number );
	return NULL;
}

uint32_t parallel_threads( uint32_t thread_count ) {
	if ( thread_count == 0 )
		thread_count = (uint32_t)omp_get_max_threads();
	return thread_count < MOST_THREADS ? thread_count : MOST_THREADS;
}

void parallel_for( size_t count, uint32_t thread_count, void ( *step )( void *context, size_t i, uint32_t thread ),
                   void *context ) {
	loop l = { .count = count, .step = step, .context = context };
	helper helpers[MOST_THREADS];
	uint32_t started = 1;
	thread_count = parallel_threads( thread_count );
	for ( uint32_t i = 1; i < thread_count && i < count; ++i, ++started ) {
		helpers[i] = ( helper ){ .of = &l, .number = i };
		if ( pthread_create( &helpers[i].thread, NULL, help, &helpers[i] ) != 0 )
			break;
	}
	work( &l, 0 );
	for ( uint32_t i = 1; i < started; ++i )
		pthread_join( helpers[i].thread, NULL );
}

#else

uint32_t parallel_threads( uint32_t thread_count ) {
	(void)thread_count;
	return 1;
}

void parallel_for( size_t count, uint32_t thread_count, void ( *step )( void *context, size_t i, uint32_t thread ),
                   void *context ) {
	(void)thread_count;
	for ( size_t i = 0; i < count; ++i )
		step( context, i, 0 );
}

#endif
