// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "results/ranks.h"

#include "cli/args.h"
#include "text/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 1 << 20 };

// Launchers, the more particular first: Open MPI's mpirun may run under Slurm. Slurm names the tasks of a step, not
// those of a job: a batch script is no rank, though it has a SLURM_PROCID and SLURM_NTASKS.
static const struct {
	const char *rank, *count;
} launchers[] = { { "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" },
                  { "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE" },
                  { "PMI_RANK", "PMI_SIZE" },
                  { "SLURM_PROCID", "SLURM_STEP_NUM_TASKS" } };
enum { LAUNCHER_COUNT = sizeof launchers / sizeof launchers[0] };

static bool read( const char *rank, const char *count, ranks *out ) {
	return parse_count( count, 1, MOST_RANKS, &out->count ) && parse_count( rank, 0, out->count - 1, &out->rank );
}

static bool from_option( const char *option, const char *command, ranks *out ) {
	char copy[32];
	const size_t length = strlen( option );
	if ( length < sizeof copy ) {
		memcpy( copy, option, length + 1 );
		char *slash = strchr( copy, '/' );
		if ( slash != NULL ) {
			*slash = '\0';
			if ( read( copy, slash + 1, out ) )
				return true;
		}
	}
	args_refuse( command, "'%s' is no value for --rank, which takes K/N: rank K, from 0, of N", option );
	return false;
}

bool ranks_find( const char *option, const char *command, ranks *out ) {
	*out = ( ranks ){ .rank = 0, .count = 1 };
	if ( option != NULL )
		return from_option( option, command, out );
	for ( int i = 0; i < LAUNCHER_COUNT; ++i ) {
		const char *rank = getenv( launchers[i].rank ), *count = getenv( launchers[i].count );
		if ( rank == NULL || count == NULL )
			continue;
		if ( read( rank, count, out ) )
			return true;
		args_refuse( command, "the environment says %s=%.20s and %s=%.20s, which is no rank; --rank 0/1 goes without",
		             launchers[i].rank, rank, launchers[i].count, count );
		return false;
	}
	return true;
}
