// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Several processes that share one run. With -DDUALBVH_WITH_MPI=ON these are the ranks of mpirun; without, there is
// one. mpi.c is the only file with MPI. Item i of anything that is dealt out belongs to rank i mod share_ranks(), so
// that results by index are the same for any number of ranks.

#pragma once

#include <stdbool.h>
#include <stddef.h>

// At the beginning and the end of the program. All ranks but the first are silent on stdout from then on.
void share_begin( int *argc, char ***argv );
void share_end( void );

size_t share_rank( void );
size_t share_ranks( void );

static inline bool share_mine( size_t item ) {
	return item % share_ranks() == share_rank();
}

// Every rank has filled its own of `count` records of `size` bytes; afterwards every rank has all.
void share_records( void *records, size_t size, size_t count );

// The largest of the ranks' numbers.
int share_highest( int number );

// Ends all ranks with this exit status.
_Noreturn void share_give_up( int status );
