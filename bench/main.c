// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The command `dualbvh-bench`: picks the experiment.

#include "common/experiment.h"
#include "common/mpi.h"
#include "common/stats.h"
#include "paper/algorithm.h"
#include "text/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	int ( *run )( const bench_options *options );
	bool measures, scenario;
	const char *help;
} commands[] = {
    { "scenario1", bench_scenario1, true, true,
      "a mesh against its copy at 0 to 5 % of its size (Trenkel et al. 2007)" },
    { "scenario2", bench_scenario2, true, true, "concentric spheres" },
    { "scenario3", bench_scenario3, true, true, "a hand in an aeroplane (after Klosowski et al. 1998)" },
    { "paper", bench_paper, true, true, "all three, and Tables 1 and 2 of Chang, Wang and Kim (2009)" },
    { "verify", bench_verify, true, true, "measure random poses of scenario1 by other means" },
    { "policies", bench_policies, true, false, "a mesh against its copy at 0 to 5 % of its diameter, and 1 % inside" },
    { "spheres", bench_spheres, true, false, "concentric spheres: counts on three trees beside the paper's" },
    { "variants", bench_variants, true, false, "concentric spheres: which spheres and axes give the paper's counts" },
    { "clearance", bench_clearance, true, false, "distance and clearance beside a collision test of the same poses" },
    { "build", bench_build, true, false, "triangles a second and bytes a triangle" },
    { "field", bench_field, true, false, "would a distance field of one mesh pay? Beside a collision test" },
    { "files", bench_files, true, false, "trees in files: saving, loading and mapping beside building" },
    { "threads", bench_threads, true, false, "what threads gain for batches of poses and for one heavy query" },
    { "batches", bench_batches, true, false, "what a batch of poses gains over single calls, on one thread" },
    { "coherence", bench_coherence, true, false, "what a cache gains where meshes move little from call to call" },
    { "depth", bench_depth, true, false, "widths and times of penetration depth and local depth" },
    { "penetration", bench_penetration, true, false, "widths and times of the penetration depth of ten families" },
    { "contacts", bench_contacts, true, false, "contact geometry beside the query for all pairs" },
    { "overlap", bench_overlap, true, false, "volumes of overlaps, and their meshes, beside contact geometry" },
    { "counts", bench_counts, false, false,
      "a fixed set of queries to count the instructions of (bench/perf/counts.sh)" },
    { "assembly", bench_assembly, true, false, "10,000 bodies with 10 million triangles: all clashes" },
    { "scenes", bench_scenes, true, false, "many bodies: the broad phase, and a robot in many configurations" },
    { "flat", bench_flat, true, false, "plates that lie flat on each other: what the exact decision costs" },
    { "fragments", bench_fragments, true, false, "trees with fragments of long triangles beside trees without" },
    { "parts", bench_parts, true, false, "small solids, plates, pegs and gears: what most pairs of an assembly are" },
    { "quickcd", bench_quickcd, true, false, "k-DOP trees of every kind on the paper's three scenarios" },
    { "axes", bench_axes, true, false, "which separating axes a greedy choice takes, beside the paper's five" },
    { "ellipsoid", bench_ellipsoid, true, false,
      "ellipsoid against box: Tables 1 and 2 of Larsson (2008), eight methods and batches" },
    { "mixed", bench_mixed, true, false,
      "ellipsoids in the nodes of trees, chosen or in all, beside boxes and spheres alone" },
    { "primitives", bench_primitives, true, false, "tests a second of primitives, one call a pair and in batches" },
    { "toi", bench_toi, true, false, "time of impact: verified, and beside a collision test" },
    { "runaway", bench_runaway, true, false, "repeated triangles, ties, fans, needles, scales: how the time grows" },
    { "runaway-toi", bench_runaway_toi, true, false,
      "meshes that slide along each other: does the time of impact run away?" },
    { "selftest", bench_selftest, false, false, "check the benchmark's own parts" },
};
enum { COMMAND_COUNT = sizeof( commands ) / sizeof( commands[0] ) };

static int help( void ) {
	puts( "dualbvh-bench measures dualbvh.\n"
	      "\n"
	      "Usage: dualbvh-bench EXPERIMENT [OPTION VALUE]...\n" );
	for ( int i = 0; i < COMMAND_COUNT; ++i )
		printf( "  %-11s %s\n", commands[i].name, commands[i].help );
	puts( "\n"
	      "  --mesh FILE   another mesh than the Happy Buddha (found through DUALBVH_DATA, else ../shared/data; the\n"
	      "                generated statue where there is none)\n"
	      "  --sample N    an even subset of the 38,304 configurations of a distance, 0 for all (scenarios: all, else "
	      "480);\n"
	      "                verify: how many are placed and measured (1000 of all)\n"
	      "  --rounds N    alternate rounds; medians are shown, in the scenarios sums of least times (default 9, "
	      "scenarios 3)\n"
	      "  --csv FILE    write the numbers as comma-separated values too\n"
	      "\n"
	      "The scenarios, and paper:\n"
	      "  --json FILE   write the numbers as JSON too\n"
	      "  --algorithms LIST  some of those below, with commas between them\n"
	      "  --method M    of scenario1: sphere (default) or grid\n"
	      "  --stop W      of scenario1: where the copy stops, first (default); halves, a place that a binary search "
	      "finds;\n"
	      "                or steps, after which step of 1 % it collides (0 %), and so many steps back out (1 to 5 %)\n"
	      "  --angles A    how its orientations are counted: zxz (default) or xyz\n"
	      "  --size S      what 100 % is: radius (default) or diameter of the enclosing sphere, or box, the "
	      "longest\n"
	      "                edge of the axis-aligned box\n"
	      "  --sphere S    which enclosing sphere: the smallest (default), or box, the one about the centre of the\n"
	      "                axis-aligned box\n"
	      "  --cells N     of the grid along each axis, an even number (default 16)\n"
	      "  --interior F, --hand F  of scenario3: mesh files, or 'real' for those of the data folder (default: "
	      "generated)\n"
	      "  --frames N    of scenario3 (default 2528)\n"
	      "  --gaps N      of scenario2, the N widest (default 5)\n"
	      "  --threads N   parts measured at a time, 0 for all threads (default 1, for undisturbed times)\n"
	      "  --part N      poses in a part (default 1024, scenario3 158)\n"
	      "  --cache DIR   where finished parts lie; they stay, and are taken up by the next run of the same program\n"
	      "  --slice K/N   compute only the parts of slice K of N, for --cache, and show nothing\n"
	      "\n"
	      "With -DDUALBVH_WITH_MPI=ON, mpirun deals the parts out to its ranks. A rank that dies is named by mpirun "
	      "and by\n"
	      "the next run, which computes what is missing.\n"
	      "\n"
	      "Algorithms:" );
	for ( size_t c = 0; c < algorithm_count; ++c )
		printf( "%s%s", c == 0 ? "  " : c % 8 == 0 ? ",\n  " : ", ", algorithm_table[c].name );
	puts( "\n\nExit status: 0 done, 1 answers differ, 2 a mistake in the command line or the input." );
	return EXIT_SUCCESS;
}

static int refuse( const char *text, const char *what ) {
	fprintf( stderr, "dualbvh-bench: %s '%s'\nTry 'dualbvh-bench --help'.\n", text, what );
	return 2;
}

static bool read_count( const char *text, unsigned long lowest, unsigned long highest, size_t *out ) {
	char *end;
	const unsigned long n = strtoul( text, &end, 10 );
	*out = n;
	return text[0] >= '0' && text[0] <= '9' && *end == '\0' && n >= lowest && n <= highest;
}

// "2/5"
static bool read_slice( const char *text, measure_options *out ) {
	const size_t length = strcspn( text, "/" );
	char first[12];
	if ( length >= sizeof( first ) || text[length] != '/' )
		return false;
	memcpy( first, text, length );
	first[length] = '\0';
	return read_count( text + length + 1, 1, 100000, &out->slices ) && read_count( first, 1, out->slices, &out->slice );
}

static bool read_size( const char *text, bench_options *out ) {
	out->size_box = strcmp( text, "box" ) == 0;
	out->poses.size = strcmp( text, "radius" ) == 0     ? POSES_RADIUS
	                  : strcmp( text, "diameter" ) == 0 ? POSES_DIAMETER
	                                                    : POSES_LENGTH;
	if ( out->size_box || out->poses.size != POSES_LENGTH )
		return true;
	return parse_real( text, &out->poses.length ) && out->poses.length > 0.0 && isfinite( out->poses.length );
}

static bool read_file( const char *name, FILE **out ) {
	if ( *out == NULL )
		*out = mpi_rank() == 0 ? fopen( name, "w" ) : fopen( "/dev/null", "w" );
	return *out != NULL;
}

// Read an option of the scenarios. Returns 0, the exit status after a sentence, or -1 if there is no such option.
static int read_scenario_option( const char *name, const char *value, bench_options *options ) {
	size_t n;
	if ( strcmp( name, "--json" ) == 0 )
		return read_file( value, &options->json ) ? 0 : refuse( "cannot write", value );
	if ( strcmp( name, "--algorithms" ) == 0 ) {
		if ( !algorithm_choose( value, &options->measure.algorithms ) )
			return refuse( "not all of these are algorithms:", value );
	} else if ( strcmp( name, "--method" ) == 0 ) {
		if ( strcmp( value, "sphere" ) != 0 && strcmp( value, "grid" ) != 0 )
			return refuse( "--method takes sphere or grid, not", value );
		options->poses.method = value[0] == 'g' ? POSES_GRID : POSES_SPHERE;
	} else if ( strcmp( name, "--stop" ) == 0 ) {
		if ( strcmp( value, "first" ) != 0 && strcmp( value, "halves" ) != 0 && strcmp( value, "steps" ) != 0 )
			return refuse( "--stop takes first, halves or steps, not", value );
		options->poses.stop = value[0] == 'h'   ? POSES_STOP_HALVES
		                      : value[0] == 's' ? POSES_STOP_STEPS
		                                        : POSES_STOP_FIRST;
	} else if ( strcmp( name, "--angles" ) == 0 ) {
		if ( strcmp( value, "zxz" ) != 0 && strcmp( value, "xyz" ) != 0 )
			return refuse( "--angles takes zxz or xyz, not", value );
		options->poses.angles = value[0] == 'x' ? POSES_ANGLES_XYZ : POSES_ANGLES_ZXZ;
	} else if ( strcmp( name, "--size" ) == 0 ) {
		if ( !read_size( value, options ) )
			return refuse( "--size takes radius, diameter, box or a length, not", value );
	} else if ( strcmp( name, "--sphere" ) == 0 ) {
		if ( strcmp( value, "smallest" ) != 0 && strcmp( value, "box" ) != 0 )
			return refuse( "--sphere takes smallest or box, not", value );
		options->sphere_box = value[0] == 'b';
	} else if ( strcmp( name, "--cells" ) == 0 ) {
		if ( !read_count( value, 2, 64, &n ) || n % 2 != 0 )
			return refuse( "--cells takes an even number up to 64, not", value );
		options->poses.cells = (uint32_t)n;
	} else if ( strcmp( name, "--interior" ) == 0 ) {
		options->interior = value;
	} else if ( strcmp( name, "--hand" ) == 0 ) {
		options->hand = value;
	} else if ( strcmp( name, "--frames" ) == 0 ) {
		if ( !read_count( value, 1, 1000000, &options->frames ) )
			return refuse( "--frames takes a number up to a million, not", value );
	} else if ( strcmp( name, "--gaps" ) == 0 ) {
		if ( !read_count( value, 1, 5, &options->gaps ) )
			return refuse( "--gaps takes a number from 1 to 5, not", value );
	} else if ( strcmp( name, "--threads" ) == 0 ) {
		if ( !read_count( value, 0, 256, &n ) )
			return refuse( "--threads takes a number up to 256, not", value );
		options->measure.threads = (uint32_t)n;
	} else if ( strcmp( name, "--part" ) == 0 ) {
		if ( !read_count( value, 2, 1000000, &options->measure.part ) )
			return refuse( "--part takes a number of poses from 2 on, not", value );
	} else if ( strcmp( name, "--cache" ) == 0 ) {
		options->measure.cache = value;
	} else if ( strcmp( name, "--slice" ) == 0 ) {
		if ( !read_slice( value, &options->measure ) )
			return refuse( "--slice takes two numbers like 2/5, not", value );
	} else if ( strcmp( name, "--crash" ) == 0 ) {
		options->measure.crash = value; // for the test of what an accident leaves behind
	} else {
		return -1;
	}
	return 0;
}

// Returns 0, or the exit status after a sentence.
static int read_options( int argc, char **argv, bool scenario, bench_options *options ) {
	for ( int i = 0; i < argc; i += 2 ) {
		const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
		if ( value == NULL )
			return refuse( "no value, or no such option:", name );
		if ( strcmp( name, "--mesh" ) == 0 ) {
			options->mesh = value;
		} else if ( strcmp( name, "--sample" ) == 0 ) {
			if ( !read_count( value, 0, scenario ? 100000000 : POSES_TOTAL, &options->sample ) )
				return refuse( "--sample takes a number of configurations, not", value );
		} else if ( strcmp( name, "--rounds" ) == 0 ) {
			if ( !read_count( value, 1, 64, &options->rounds ) )
				return refuse( "--rounds takes a number from 1 to 64, not", value );
		} else if ( strcmp( name, "--csv" ) == 0 ) {
			if ( !read_file( value, &options->csv ) )
				return refuse( "cannot write", value );
		} else {
			const int status = scenario ? read_scenario_option( name, value, options ) : -1;
			if ( status != 0 )
				return status > 0 ? status : refuse( "there is no option", name );
		}
	}
	if ( options->measure.slices > 0 && options->measure.cache == NULL )
		return refuse( "--slice wants --cache; what it computes would be lost", "" );
	if ( options->rounds == 0 )
		options->rounds = scenario ? 3 : 9;
	options->measure.rounds = options->rounds;
	if ( !scenario && options->sample == SIZE_MAX )
		options->sample = 480;
	return 0;
}

static int run( int argc, char **argv ) {
	if ( argc < 2 || strcmp( argv[1], "--help" ) == 0 || strcmp( argv[1], "-h" ) == 0 )
		return argc < 2 ? refuse( "which experiment?", "" ) : help();
	for ( int i = 0; i < COMMAND_COUNT; ++i ) {
		if ( strcmp( argv[1], commands[i].name ) != 0 )
			continue;
		if ( argc == 3 && strcmp( argv[2], "--help" ) == 0 )
			return help();
		bench_options options = { .sample = SIZE_MAX, .poses.size = POSES_RADIUS, .measure.threads = 1 };
		algorithm_choose( NULL, &options.measure.algorithms );
		int status = read_options( argc - 2, argv + 2, commands[i].scenario, &options );
		if ( status != 0 )
			return status;
		if ( commands[i].measures )
			stats_print_machine( stdout, "" );
		if ( options.csv != NULL )
			stats_print_machine( options.csv, "# " );
		status = commands[i].run( &options );
		if ( options.csv != NULL && fclose( options.csv ) != 0 )
			return refuse( "could not write", "--csv" );
		if ( options.json != NULL && fclose( options.json ) != 0 )
			return refuse( "could not write", "--json" );
		return status;
	}
	return refuse( "there is no experiment", argv[1] );
}

int main( int argc, char **argv ) {
	mpi_begin( &argc, &argv );
	const int status = mpi_max( run( argc, argv ) );
	mpi_end();
	return status;
}
