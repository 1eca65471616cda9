// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The subcommands that run scenarios and show the paper's tables.

#include "common/mpi.h"
#include "paper/scenario.h"

#include <stdlib.h>

// Print the measurements, and write the files that were asked for. Returns an exit status.
static int show( const bench_options *options, const report *reports, size_t count, bool together ) {
	if ( mpi_rank() != 0 )
		return EXIT_SUCCESS;
	bool good = true;
	for ( size_t k = 0; k < count; ++k ) {
		report_print( &reports[k] );
		report_equation( &reports[k] );
		good = measure_agree( reports[k].rows, reports[k].row_count, reports[k].algorithms, reports[k].cells ) && good;
	}
	if ( together )
		report_tables( reports, 3 ); // not the turned spheres
	if ( good )
		puts( "all answers are the same" );
	if ( options->csv != NULL )
		report_csv( reports, count, options->csv );
	if ( options->json != NULL )
		report_json( reports, count, options->json );
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

static report *room( size_t count ) {
	report *reports = calloc( count, sizeof( *reports ) );
	if ( reports == NULL ) {
		fputs( "dualbvh-bench: out of memory\n", stderr );
		mpi_exit( 2 );
	}
	return reports;
}

static int finish( const bench_options *options, report *reports, size_t count, bool together, bool whole ) {
	int status = EXIT_SUCCESS;
	if ( whole )
		status = show( options, reports, count, together );
	else
		fputs( "this slice is done; a run without --slice puts all of them together\n", stderr );
	free( reports );
	return status;
}

int bench_scenario1( const bench_options *options ) {
	report *reports = room( 1 );
	const bool whole = scenario1_run( options, reports );
	return finish( options, reports, 1, false, whole );
}

int bench_scenario2( const bench_options *options ) {
	report *reports = room( 2 );
	const bool whole = scenario2_run( options, &reports[0], &reports[1] );
	return finish( options, reports, 2, false, whole );
}

int bench_scenario3( const bench_options *options ) {
	report *reports = room( 1 );
	const bool whole = scenario3_run( options, reports );
	return finish( options, reports, 1, false, whole );
}

int bench_paper( const bench_options *options ) {
	report *reports = room( 4 );
	bool whole = scenario1_run( options, &reports[0] );
	whole = scenario2_run( options, &reports[1], &reports[3] ) && whole;
	whole = scenario3_run( options, &reports[2] ) && whole;
	return finish( options, reports, 4, true, whole );
}
