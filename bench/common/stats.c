// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "common/stats.h"

#include "dualbvh/base.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds( clockid_t clock ) {
	struct timespec t;
	clock_gettime( clock, &t );
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double stats_now( void ) {
	return seconds( CLOCK_MONOTONIC );
}

double stats_thread_now( void ) {
	return seconds( CLOCK_THREAD_CPUTIME_ID );
}

static int compare( const void *a, const void *b ) {
	const double x = *(const double *)a, y = *(const double *)b;
	return ( x > y ) - ( x < y );
}

double stats_median( double *values, size_t count ) {
	qsort( values, count, sizeof( *values ), compare );
	return count % 2 != 0 ? values[count / 2] : 0.5 * ( values[count / 2 - 1] + values[count / 2] );
}

double stats_competitor_median( const double *samples, size_t rounds, size_t competitors, size_t competitor ) {
	double own[64];
	const size_t count = rounds < 64 ? rounds : 64;
	for ( size_t i = 0; i < count; ++i )
		own[i] = samples[i * competitors + competitor];
	return stats_median( own, count );
}

// The first line that a command prints, without its end; "unknown" where it prints none.
static void first_line( const char *command, char *text, int size ) {
	FILE *pipe = popen( command, "r" );
	if ( pipe == NULL || fgets( text, size, pipe ) == NULL )
		snprintf( text, (size_t)size, "unknown" );
	if ( pipe != NULL )
		pclose( pipe );
	text[strcspn( text, "\n" )] = '\0';
}

// Names that virtual machines give say nothing: family, model and the vector instructions do.
static void describe_cpu( char *text, size_t size ) {
	char name[100], family[40], flags[80];
	first_line( "sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2>/dev/null", name, sizeof( name ) );
	first_line( "awk -F': *' '/^cpu family/ { f = $2 } /^model\t/ { m = $2 } /^stepping/ "
	            "{ print \"family \" f \" model \" m; exit }' /proc/cpuinfo 2>/dev/null",
	            family, sizeof( family ) );
	first_line( "tr ' ' '\\n' </proc/cpuinfo 2>/dev/null | grep -E "
	            "'^(avx2|fma|avx512f|avx512bw|avx512_bf16|asimd|sve)$' | sort "
	            "-u | tr '\\n' ' '",
	            flags, sizeof( flags ) );
	const size_t length = strlen( flags );
	if ( length > 0 && flags[length - 1] == ' ' )
		flags[length - 1] = '\0';
	snprintf( text, size, "%s, %s, %s", name, family, flags );
}

void stats_print_machine( FILE *out, const char *prefix ) {
	char commit[80], cpu[240];
	// Asked for when it is printed: a commit that the build had noted would be an old one.
	first_line( "git -C '" BENCH_SOURCE_FOLDER "' describe --always --dirty --abbrev=12 2>/dev/null", commit,
	            sizeof( commit ) );
	describe_cpu( cpu, sizeof( cpu ) );
	fprintf( out, "%sdualbvh %s, commit %s\n", prefix, dbvh_version(), commit );
	fprintf( out, "%sCPU: %s\n", prefix, cpu );
	fprintf( out, "%scompiler: %s\n", prefix, stats_compiler() );
}

const char *stats_compiler( void ) {
#if defined( __clang__ )
	return "clang " __clang_version__;
#elif defined( __GNUC__ )
	return "gcc " __VERSION__;
#else
	return "unknown";
#endif
}
