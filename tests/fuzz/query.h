// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// One input of the fuzzer of the queries, and of the replay of its corpus: bytes become two small meshes of odd doubles
// and their poses, every query is asked about them, and the answers are held against each other.

#pragma once

#include <stddef.h>
#include <stdint.h>

// Ends the program with abort() where two answers contradict each other.
void fuzz_query( const uint8_t *data, size_t size );

// Statistics of the inputs so far: proof that they meet all outcomes.
typedef struct fuzz_query_tally {
	uint64_t inputs; // inputs that gave two meshes with poses
	uint64_t meeting, apart, refused, related[7], moved[3], self_meeting;
	uint64_t without_area; // apart but for triangles without an area
} fuzz_query_tally;
extern fuzz_query_tally fuzz_query_seen;
