// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Asking a captured question again, and comparing answers. What a policy or a number of threads may change is left out
// of answers (dbvh_capture_answer), but for errors that a distance query allows and the tolerance of a time of impact.

#pragma once

#include "dualbvh/dualbvh.h"

typedef struct capture_trees {
	dbvh_tree *own[2];       // by mesh: the same tree twice where the capture has one mesh, or B is A
	dbvh_tree *reference[2]; // the same with reference trees, for the policies that ask for them
} capture_trees;

// Builds the trees. False: *error says why not, and there is nothing to free.
bool capture_build( const dbvh_capture *capture, uint32_t thread_count, capture_trees *out, dbvh_error *error );
void capture_free( capture_trees *trees );

// Does the call depend on a policy?
bool capture_has_policy( const dbvh_capture *capture );

// Makes the call, under another policy and with so many threads.
dbvh_capture_answer capture_run( const dbvh_capture *capture, const capture_trees *trees, dbvh_policy policy,
                                 uint32_t thread_count );

// The answer from one triangle of each mesh at a time, each a tree of its own. False: the call has no such reference,
// the meshes are too large for it, or there is no memory. Of the answer, `*parts_out` says what is to be compared.
typedef struct capture_parts {
	bool verdict, count, first, value, hash;
} capture_parts;
bool capture_reference( const dbvh_capture *capture, dbvh_capture_answer *out, capture_parts *parts_out );

// The first difference of two answers, as a word; NULL: they agree. `parts` NULL: compare all that two runs must have
// alike.
const char *capture_difference( const dbvh_capture *capture, const dbvh_capture_answer *x, const dbvh_capture_answer *y,
                                const capture_parts *parts );

// Asks once with the capture's own policy, adds the answer, and saves all. An exit status, EXIT_CLEAR where it is done;
// else after a sentence.
int capture_write( dbvh_capture *capture, const dbvh_tree *a, const dbvh_tree *b, const char *path );

// The entry of an option table.
#define CAPTURE_ENTRY( member )                                                                                        \
	{                                                                                                                  \
		"capture", 0, "FILE", ARG_TO( ARG_TEXT, member ),                                                              \
		    "also write the question and its answer to FILE, for 'dualbvh replay'; one pose at most"                   \
	}
