// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The questions of tests/answers in a module of their own, for js/test.

#include "answers/answers.h"

#include "web.h"

static answers_result result;

// Asks all, and returns the hash, or its complement where a call failed.
uint64_t WEB_EXPORT( web_answers )( void ) {
	const answers_options options = { 0 };
	answers_run( &options, &result );
	return result.failed_call[0] == '\0' ? result.hash : ~result.hash;
}

uint64_t WEB_EXPORT( web_answers_expected )( void ) {
	return ANSWERS_HASH;
}

double WEB_EXPORT( web_answers_count )( void ) {
	return (double)result.query_count;
}
