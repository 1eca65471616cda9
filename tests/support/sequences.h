// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Stateful tests: random sequences of calls on one object, each answer compared with that of an object made afresh. A
// sequence that fails, by a wrong answer or by a crash, is shrunk to one that no step can be left out of, and printed.

#pragma once

#include <stddef.h>
#include <stdint.h>

// A step depends on its kind, its own number and the state, not on its place, so every subset of steps is a sequence.
typedef struct sequence_step {
	uint32_t kind;
	uint64_t seed;
} sequence_step;

enum { SEQUENCE_MOST = 40 };

typedef struct sequence_test {
	const char *name;
	const char *const *kinds; // the name of each
	size_t kind_count;
	// Does the steps on an object of its own, which `setup` says more of. Returns NULL, or what was wrong; *step_out is
	// the step that it was found in.
	const char *( *run )( void *world, uint64_t setup, const sequence_step *steps, size_t count, size_t *step_out );
	void *world;
} sequence_test;

// Runs `count` sequences, in processes of their own, some hundreds in each. Returns how many failed; the first that
// does is shrunk, and no more are run.
size_t run_sequences( const sequence_test *test, uint64_t seed, size_t count );
