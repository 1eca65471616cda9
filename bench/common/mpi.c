// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "common/mpi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef BENCH_WITH_MPI

#include <limits.h>
#include <mpi.h>

static size_t rank, ranks = 1;

void mpi_begin( int *argc, char ***argv ) {
	int provided, number;
	// Only the main thread calls MPI; a mistake in MPI ends the run, which the parts on disk survive.
	if ( MPI_Init_thread( argc, argv, MPI_THREAD_FUNNELED, &provided ) != MPI_SUCCESS )
		exit( 2 );
	MPI_Comm_rank( MPI_COMM_WORLD, &number );
	rank = (size_t)number;
	MPI_Comm_size( MPI_COMM_WORLD, &number );
	ranks = (size_t)number;
	if ( rank > 0 && freopen( "/dev/null", "w", stdout ) == NULL )
		mpi_exit( 2 );
}

void mpi_end( void ) {
	MPI_Finalize();
}

size_t mpi_rank( void ) {
	return rank;
}

size_t mpi_rank_count( void ) {
	return ranks;
}

static void *allocate( size_t bytes ) {
	void *memory = malloc( bytes > 0 ? bytes : 1 );
	if ( memory == NULL ) {
		fputs( "dualbvh-bench: out of memory\n", stderr );
		mpi_exit( 2 );
	}
	return memory;
}

void mpi_exchange( void *records, size_t size, size_t count ) {
	if ( ranks == 1 || count == 0 )
		return;
	if ( count > INT_MAX || size > INT_MAX ) {
		fputs( "dualbvh-bench: too many records for MPI\n", stderr );
		mpi_exit( 2 );
	}
	int *counts = allocate( 2 * ranks * sizeof( int ) ), *begins = counts + ranks;
	for ( size_t r = 0, begin = 0; r < ranks; ++r ) {
		counts[r] = (int)( count / ranks + ( r < count % ranks ) );
		begins[r] = (int)begin;
		begin += (size_t)counts[r];
	}
	char *all = records, *mine = allocate( (size_t)counts[rank] * size ), *packed = allocate( count * size );
	for ( size_t i = rank, k = 0; i < count; i += ranks, ++k )
		memcpy( mine + k * size, all + i * size, size );
	MPI_Datatype record;
	MPI_Type_contiguous( (int)size, MPI_BYTE, &record );
	MPI_Type_commit( &record );
	MPI_Allgatherv( mine, counts[rank], record, packed, counts, begins, record, MPI_COMM_WORLD );
	MPI_Type_free( &record );
	for ( size_t i = 0; i < count; ++i )
		memcpy( all + i * size, packed + ( (size_t)begins[i % ranks] + i / ranks ) * size, size );
	free( packed );
	free( mine );
	free( counts );
}

int mpi_max( int number ) {
	int highest = number;
	MPI_Allreduce( &number, &highest, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD );
	return highest;
}

_Noreturn void mpi_exit( int status ) {
	MPI_Abort( MPI_COMM_WORLD, status );
	exit( status );
}

#else

void mpi_begin( int *argc, char ***argv ) {
	(void)argc;
	(void)argv;
}

void mpi_end( void ) {}

size_t mpi_rank( void ) {
	return 0;
}

size_t mpi_rank_count( void ) {
	return 1;
}

void mpi_exchange( void *records, size_t size, size_t count ) {
	(void)records;
	(void)size;
	(void)count;
}

int mpi_max( int number ) {
	return number;
}

_Noreturn void mpi_exit( int status ) {
	exit( status );
}

#endif
