// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Several processes that share one run, as mpirun and srun start them. They need no MPI library: each takes its cases
// and writes a file of its own, and the last one to finish joins these (results.h; docs/design/ranks.md says why).

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ranks {
	uint32_t rank, count; // 0 of 1: this process has the run to itself
} ranks;

// From "K/N", the value of --rank, or where that is NULL from what a launcher says in the environment (Open MPI, MPICH
// and its kin, Slurm). False after a sentence.
bool ranks_find( const char *option, const char *command, ranks *out );

// Case i of a run belongs to rank i mod count.
static inline size_t ranks_case_count( ranks r, size_t all ) {
	return all / r.count + ( all % r.count > r.rank );
}

static inline size_t ranks_case( ranks r, size_t k ) {
	return r.rank + k * r.count;
}
