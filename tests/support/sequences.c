// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#define _POSIX_C_SOURCE 200809L

#include "support/sequences.h"

#include "support/rng.h"

#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// Sequences that one process runs.
enum { AT_ONCE = 500 };

typedef struct sequence {
	uint64_t setup;
	sequence_step steps[SEQUENCE_MOST];
	size_t count;
} sequence;

static sequence make( const sequence_test *test, uint64_t seed, size_t index ) {
	rng r = { seed ^ ( (uint64_t)index * UINT64_C( 0xd1342543de82ef95 ) ) };
	sequence s = { .setup = rng_u64( &r ), .count = 1 + rng_below( &r, SEQUENCE_MOST ) };
	for ( size_t i = 0; i < s.count; ++i )
		s.steps[i] = ( sequence_step ){ (uint32_t)rng_below( &r, test->kind_count ), rng_u64( &r ) };
	return s;
}

static bool is_right( const sequence_test *test, const sequence *s, bool tells ) {
	size_t step = 0;
	const char *wrong = test->run( test->world, s->setup, s->steps, s->count, &step );
	if ( wrong != NULL && tells )
		printf( "%s: step %zu (%s): %s\n", test->name, step + 1,
		        step < s->count ? test->kinds[s->steps[step].kind] : "the end", wrong );
	return wrong == NULL;
}

// Run a sequence in a process of its own, because it may crash.
static bool is_right_alone( const sequence_test *test, const sequence *s, bool tells ) {
	fflush( NULL );
	const pid_t child = fork();
	if ( child == 0 ) {
		const bool right = is_right( test, s, tells );
		fflush( NULL );
		_exit( right ? 0 : 1 );
	}
	int status = 0;
	if ( child < 0 || waitpid( child, &status, 0 ) < 0 )
		return false;
	if ( tells && WIFSIGNALED( status ) )
		printf( "%s: it crashes with signal %d\n", test->name, WTERMSIG( status ) );
	return WIFEXITED( status ) && WEXITSTATUS( status ) == 0;
}

// Leaves out runs of steps, half of them at first, then fewer, as long as it still fails.
static void shrink( const sequence_test *test, sequence *s ) {
	for ( size_t width = s->count / 2 > 0 ? s->count / 2 : 1;; width = width > 1 ? width / 2 : 1 ) {
		bool is_shorter = false;
		for ( size_t at = 0; at + width <= s->count && s->count > 1; ) {
			sequence less = *s;
			memmove( less.steps + at, less.steps + at + width, ( s->count - at - width ) * sizeof *less.steps );
			less.count -= width;
			if ( less.count > 0 && !is_right_alone( test, &less, false ) ) {
				*s = less;
				is_shorter = true;
			} else {
				at += 1;
			}
		}
		if ( width == 1 && !is_shorter )
			return;
	}
}

static void report( const sequence_test *test, uint64_t seed, size_t index ) {
	sequence s = make( test, seed, index );
	printf( "%s: sequence %zu of seed %llu fails; %zu steps\n", test->name, index, (unsigned long long)seed, s.count );
	shrink( test, &s );
	printf( "%s: shrunk to %zu steps, setup 0x%llx\n", test->name, s.count, (unsigned long long)s.setup );
	for ( size_t i = 0; i < s.count; ++i )
		printf( "  %2zu %s 0x%llx\n", i + 1, test->kinds[s.steps[i].kind], (unsigned long long)s.steps[i].seed );
	(void)is_right_alone( test, &s, true );
}

static bool are_right( const sequence_test *test, uint64_t seed, size_t first, size_t end ) {
	for ( size_t i = first; i < end; ++i ) {
		const sequence s = make( test, seed, i );
		if ( !is_right( test, &s, false ) )
			return false;
	}
	return true;
}

size_t run_sequences( const sequence_test *test, uint64_t seed, size_t count ) {
	for ( size_t first = 0; first < count; first += AT_ONCE ) {
		const size_t end = first + AT_ONCE < count ? first + AT_ONCE : count;
		fflush( NULL );
		const pid_t child = fork();
		if ( child == 0 )
			_exit( are_right( test, seed, first, end ) ? 0 : 1 );
		int status = 0;
		if ( child > 0 && waitpid( child, &status, 0 ) >= 0 && WIFEXITED( status ) && WEXITSTATUS( status ) == 0 )
			continue;
		for ( size_t i = first; i < end; ++i ) {
			const sequence s = make( test, seed, i );
			if ( is_right_alone( test, &s, false ) )
				continue;
			report( test, seed, i );
			return 1;
		}
		printf( "%s: sequences %zu to %zu of seed %llu fail together, none of them alone\n", test->name, first, end - 1,
		        (unsigned long long)seed );
		return 1;
	}
	return 0;
}
