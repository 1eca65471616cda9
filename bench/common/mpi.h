// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Several processes that share one run. With -DDUALBVH_WITH_MPI=ON these are the ranks of mpirun; without, there is
// one. mpi.c is the only file with MPI. Item i of anything that is dealt out belongs to rank i mod mpi_rank_count(), so
// that results by index are the same for any number of ranks.

#pragma once

#include <stdbool.h>
#include <stddef.h>

// Called at the beginning and the end of the program. All ranks but the first are silent on stdout from then on.
void mpi_begin( int *argc, char ***argv );
void mpi_end( void );

size_t mpi_rank( void );
size_t mpi_rank_count( void );

static inline bool mpi_owns( size_t item ) {
	return item % mpi_rank_count() == mpi_rank();
}

// Every rank has filled its own of `count` records of `size` bytes; afterwards every rank has all.
void mpi_exchange( void *records, size_t size, size_t count );

// The largest of the ranks' numbers.
int mpi_max( int number );

// Ends all ranks with this exit status.
_Noreturn void mpi_exit( int status );
