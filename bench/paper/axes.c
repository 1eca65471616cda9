// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Section 3.2 of Chang, Wang and Kim (2009) done again: which axes a greedy choice takes, and what share of the pairs
// of boxes that are disjoint, though their spheres overlap, the first few of them separate. Then the appendix.

#include "paper/axes.h"

#include "bvh/tree.h"
#include "common/experiment.h"
#include "common/poses.h"
#include "common/scene.h"
#include "common/stats.h"
#include "support/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const paper_order[] = { "a0", "b0", "c22", "c12", "c21" };
static const char *const sat_lite_order[] = { "a0", "b0", "a1", "a2", "b1", "b2" };
enum { PAPER_COUNT = 5, SAT_LITE_COUNT = 6, GREEDY_COUNT = 8 };

static void give_up( const char *why ) {
	fprintf( stderr, "dualbvh-bench: %s\n", why );
	exit( 2 );
}

static axes_tally *new_tally( void ) {
	axes_tally *t = calloc( 1, sizeof *t );
	if ( t == NULL )
		give_up( "out of memory" );
	return t;
}

// ------------------------------------------------------------------------------------------------
// Shares

static uint64_t apart( const axes_tally *t ) {
	uint64_t sum = 0;
	for ( uint32_t m = 1; m < AXES_MASKS; ++m )
		sum += t->masks[m];
	return sum;
}

// The share of the pairs that are disjoint which some axis of the mask separates.
static double share( const axes_tally *t, uint32_t mask ) {
	uint64_t sum = 0;
	for ( uint32_t m = 1; m < AXES_MASKS; ++m )
		sum += ( m & mask ) != 0 ? t->masks[m] : 0;
	const uint64_t all = apart( t );
	return all > 0 ? (double)sum / (double)all : 0.0;
}

// The axis that adds most to those of the mask; of equals the first.
static int next_axis( const axes_tally *t, uint32_t mask ) {
	uint64_t gain[AXES] = { 0 };
	for ( uint32_t m = 1; m < AXES_MASKS; ++m ) {
		if ( ( m & mask ) != 0 || t->masks[m] == 0 )
			continue;
		for ( int i = 0; i < AXES; ++i )
			gain[i] += ( m >> i & 1 ) != 0 ? t->masks[m] : 0;
	}
	int best = -1;
	for ( int i = 0; i < AXES; ++i )
		if ( ( mask >> i & 1 ) == 0 && ( best < 0 || gain[i] > gain[best] ) )
			best = i;
	return best;
}

static void put_csv( const bench_options *options, const char *what, const char *order, int position, const char *axis,
                     double reached ) {
	if ( options->csv == NULL )
		return;
	// Commas are replaced: some programs end a field at its first comma, quoted or not (gnuplot's strcol() is one).
	for ( ; *what != '\0'; ++what )
		fputc( *what == ',' ? ';' : *what, options->csv );
	fprintf( options->csv, ",%s,%d,%s,%.5f\n", order, position, axis, reached );
}

static uint32_t show_order( const bench_options *options, const axes_tally *t, const char *what, const char *order,
                            const char *const *names, int count ) {
	uint32_t mask = 0;
	printf( "  %-8s", order );
	for ( int i = 0; i < count; ++i ) {
		const int axis = names != NULL ? axes_find( names[i] ) : next_axis( t, mask );
		mask |= UINT32_C( 1 ) << axis;
		const double reached = share( t, mask );
		printf( "  %3s %6.2f", axes_names[axis], 100.0 * reached );
		put_csv( options, what, order, i + 1, axes_names[axis], reached );
	}
	puts( "" );
	return mask;
}

// Prints a case; tells whether the first five of the greedy order are the paper's, in whatever order.
static bool show( const bench_options *options, const axes_tally *t, const char *what ) {
	const uint64_t all = apart( t );
	printf( "%s:\n  %llu pairs of boxes, %.1f %% apart\n", what, (unsigned long long)t->boxes,
	        100.0 * (double)all / (double)( t->boxes > 0 ? t->boxes : 1 ) );
	if ( all == 0 )
		return false;
	show_order( options, t, what, "greedy", NULL, GREEDY_COUNT );
	const uint32_t papers = show_order( options, t, what, "paper", paper_order, PAPER_COUNT );
	show_order( options, t, what, "sat-lite", sat_lite_order, SAT_LITE_COUNT );
	uint32_t greedy = 0;
	for ( int i = 0; i < PAPER_COUNT; ++i )
		greedy |= UINT32_C( 1 ) << next_axis( t, greedy );
	// The best share of any five axes, by trying all sets of five.
	double best = 0.0;
	uint32_t best_mask = 0;
	for ( uint32_t m = 1; m < AXES_MASKS; ++m ) {
		if ( __builtin_popcount( m ) != PAPER_COUNT )
			continue;
		const double s = share( t, m );
		if ( s > best ) {
			best = s;
			best_mask = m;
		}
	}
	printf( "  best five %.2f:", 100.0 * best );
	for ( int i = 0; i < AXES; ++i )
		if ( best_mask >> i & 1 )
			printf( " %s", axes_names[i] );
	printf( "; the first five of the greedy order are%s the paper's\n", greedy == papers ? "" : " not" );
	fflush( stdout );
	return greedy == papers;
}

// ------------------------------------------------------------------------------------------------
// Random boxes

typedef struct family {
	const char *name;
	void ( *make )( rng *r, double half[3] );
} family;

static void any_box( rng *r, double half[3] ) {
	for ( int k = 0; k < 3; ++k )
		half[k] = rng_unit( r );
}

static void fat_box( rng *r, double half[3] ) {
	for ( int k = 0; k < 3; ++k )
		half[k] = rng_range( r, 0.5, 1.0 );
}

// A flat box, like those of nodes on a surface: one side is a tenth to a thousandth of the others.
static void flat_box( rng *r, double half[3] ) {
	half[0] = pow( 10.0, rng_range( r, -3.0, -1.0 ) );
	half[1] = rng_range( r, 0.2, 1.0 );
	half[2] = rng_range( r, 0.2, 1.0 );
}

static void needle_box( rng *r, double half[3] ) {
	half[0] = pow( 10.0, rng_range( r, -3.0, -1.0 ) );
	half[1] = pow( 10.0, rng_range( r, -3.0, -1.0 ) );
	half[2] = rng_range( r, 0.2, 1.0 );
}

static dbvhi_vec make_half( rng *r, const family *f ) {
	dbvhi_vec half;
	f->make( r, half.v );
	for ( int i = 0; i < 2; ++i )
		for ( int j = 0; j < 2 - i; ++j )
			if ( half.v[j + 1] < half.v[j] ) {
				const double t = half.v[j];
				half.v[j] = half.v[j + 1];
				half.v[j + 1] = t;
			}
	return half;
}

static double normal( rng *r ) {
	return sqrt( -2.0 * log( 1.0 - rng_unit( r ) ) ) * cos( 6.283185307179586 * rng_unit( r ) );
}

// Boxes about their own spheres, turned anyhow, the centre of one anywhere within reach of both spheres.
static void random_pairs( rng *r, const family *f, size_t count, axes_tally *t ) {
	for ( size_t i = 0; i < count; ++i ) {
		const dbvhi_vec a = make_half( r, f ), b = make_half( r, f );
		const double reach = dbvhi_length( a ) + dbvhi_length( b );
		double q[4], at[3], square;
		for ( int k = 0; k < 4; ++k )
			q[k] = normal( r );
		do {
			square = 0.0;
			for ( int k = 0; k < 3; ++k ) {
				at[k] = rng_range( r, -reach, reach );
				square += at[k] * at[k];
			}
		} while ( square > reach * reach );
		const dbvh_pose pose = dbvh_pose_from_quaternion( q, at );
		dbvhi_mat rot;
		memcpy( rot.m, pose.rot, sizeof rot.m );
		t->boxes += 1;
		t->masks[axes_separating( &rot, ( dbvhi_vec ){ { at[0], at[1], at[2] } }, a, b, 0.0 )] += 1;
	}
}

static void random_boxes( const bench_options *options ) {
	static const family families[] = { { "random boxes of any extents", any_box },
	                                   { "random fat boxes", fat_box },
	                                   { "random flat boxes", flat_box },
	                                   { "random needles", needle_box } };
	enum { PAIRS = 1000000 };
	rng r = rng_announce( "axes", 2009 );
	for ( size_t i = 0; i < sizeof families / sizeof families[0]; ++i ) {
		axes_tally *t = new_tally();
		random_pairs( &r, &families[i], PAIRS, t );
		show( options, t, families[i].name );
		free( t );
	}
}

// ------------------------------------------------------------------------------------------------
// Real traversals

typedef struct journey {
	const dbvh_tree *a, *b;
	const dbvh_pose *poses;
	size_t count;
} journey;

static void go( const journey *j, axes_rule rule, axes_tally *t ) {
	for ( size_t i = 0; i < j->count; ++i )
		axes_walk( j->a, j->b, &j->poses[i], rule, t );
}

// The walk counts what the library counts, or it does not show what the library does.
static bool is_the_librarys( const journey *j, dbvh_policy policy, axes_rule rule ) {
	dbvh_counters sum = { 0 };
	for ( size_t i = 0; i < j->count; ++i ) {
		const dbvh_collide_query query = { .find = DBVH_FIND_ALL, .policy = policy };
		dbvh_collide_result result;
		if ( dbvh_collide( j->a, NULL, j->b, &j->poses[i], &query, NULL, &result, NULL ) != DBVH_OK )
			give_up( "a query failed" );
		sum.sphere_tests += result.counters.sphere_tests;
		sum.box_tests += result.counters.box_tests;
		sum.triangle_tests += result.counters.triangle_tests;
	}
	axes_tally *t = new_tally();
	go( j, rule, t );
	const bool same = t->spheres == sum.sphere_tests && t->boxes == sum.box_tests && t->leaves == sum.triangle_tests;
	if ( !same )
		printf( "  THE WALK COUNTS %llu spheres, %llu boxes, %llu leaves, the library %llu, %llu, %llu\n",
		        (unsigned long long)t->spheres, (unsigned long long)t->boxes, (unsigned long long)t->leaves,
		        (unsigned long long)sum.sphere_tests, (unsigned long long)sum.box_tests,
		        (unsigned long long)sum.triangle_tests );
	free( t );
	return same;
}

// How much there is to do with the first n axes of the paper's order, n from 0, and with all fifteen.
static void show_prefixes( const journey *j ) {
	printf( "  %-18s %12s %12s %12s, a pose\n", "paper's first", "spheres", "boxes", "leaves" );
	uint32_t mask = 0;
	for ( int n = 0; n <= PAPER_COUNT + 1; ++n ) {
		const axes_rule rule = { n <= PAPER_COUNT ? mask : AXES_ALL, true };
		axes_tally *t = new_tally();
		go( j, rule, t );
		const double poses = (double)j->count;
		char name[24];
		snprintf( name, sizeof name, "%d", n );
		printf( "  %-18s %12.1f %12.1f %12.2f\n", n <= PAPER_COUNT ? name : "all fifteen", (double)t->spheres / poses,
		        (double)t->boxes / poses, (double)t->leaves / poses );
		free( t );
		if ( n < PAPER_COUNT )
			mask |= UINT32_C( 1 ) << axes_find( paper_order[n] );
	}
}

// The time for each number of axes, which is how the paper chose five. Verdicts must be the library's.
static bool show_times( const bench_options *options, const char *what, const journey *j ) {
	enum { VARIANTS = AXES_SEARCH_MOST + 2 };
	double samples[64 * VARIANTS];
	size_t intersecting = 0;
	bool same = true;
	for ( size_t i = 0; i < j->count; ++i ) {
		dbvh_collide_result result;
		if ( dbvh_collide( j->a, NULL, j->b, &j->poses[i], NULL, NULL, &result, NULL ) != DBVH_OK )
			give_up( "a query failed" );
		intersecting += result.verdict == DBVH_INTERSECTING;
	}
	for ( size_t round = 0; round < options->rounds; ++round )
		for ( int v = 0; v < VARIANTS; ++v ) {
			const int n = v <= AXES_SEARCH_MOST ? v : AXES;
			double spent = 0.0;
			size_t queries = 0;
			while ( spent < STATS_ROUND ) {
				size_t found = 0;
				const double start = stats_thread_now();
				for ( size_t i = 0; i < j->count; ++i )
					found += axes_search( j->a, j->b, &j->poses[i], n );
				spent += stats_thread_now() - start;
				queries += j->count;
				same = same && found == intersecting;
			}
			samples[round * VARIANTS + (size_t)v] = spent / (double)queries * 1e6;
		}
	const double five = stats_competitor_median( samples, options->rounds, VARIANTS, PAPER_COUNT );
	printf( "  time with the first n axes (%.2f us with 5 = 1):\n  ", five );
	for ( int v = 0; v < VARIANTS; ++v ) {
		const double us = stats_competitor_median( samples, options->rounds, VARIANTS, (size_t)v );
		const char *axis = v == 0 ? "none" : v <= AXES_SEARCH_MOST ? axes_search_order[v - 1] : "all 15";
		printf( "  %s %.2f", axis, us / five );
		put_csv( options, what, "time", v <= AXES_SEARCH_MOST ? v : AXES, axis, us / five );
	}
	printf( "%s\n", same ? "" : "  VERDICTS DIFFER" );
	return same;
}

// The pairs that a search intersects which discards by spheres and all fifteen axes: no axis is favoured by what came
// before.
static bool one_journey( const bench_options *options, const char *what, const journey *j, bool prefixes ) {
	uint32_t papers = 0;
	for ( int i = 0; i < PAPER_COUNT; ++i )
		papers |= UINT32_C( 1 ) << axes_find( paper_order[i] );
	axes_tally *t = new_tally();
	go( j, ( axes_rule ){ AXES_ALL, true }, t );
	show( options, t, what );
	free( t );
	if ( prefixes )
		show_prefixes( j );
	const bool timed = show_times( options, what, j );
	const bool dual = is_the_librarys( j, DBVH_POLICY_DUAL, ( axes_rule ){ papers, true } );
	const bool rapid = is_the_librarys( j, DBVH_POLICY_RAPID, ( axes_rule ){ AXES_ALL, false } );
	return timed && dual && rapid;
}

static bool spheres( const bench_options *options, const dbvh_tree_options *tree_options, const char *tree_name ) {
	static const double gaps[] = { 1e-2, 1e-3, 1e-4, 1e-5 };
	const double turn[4] = { 0.3, 0.2, -0.5, 0.8 }, nowhere[3] = { 0.0, 0.0, 0.0 };
	const dbvh_pose poses[2] = { dbvh_pose_identity(), dbvh_pose_from_quaternion( turn, nowhere ) };
	bool same = true;
	for ( size_t i = 0; i < sizeof gaps / sizeof gaps[0]; ++i ) {
		scene_mesh inner = scene_sphere( 1.0 ), outer = scene_sphere( 1.0 + gaps[i] );
		dbvh_tree *a = scene_reference_tree( &inner.view, tree_options ),
		          *b = scene_reference_tree( &outer.view, tree_options );
		for ( int turned = 0; turned < 2; ++turned ) {
			char what[120];
			snprintf( what, sizeof what, "spheres, gap %.0e, %s, %s", gaps[i], turned ? "turned" : "aligned",
			          tree_name );
			same = one_journey( options, what, &( journey ){ a, b, &poses[turned], 1 }, i == 2 && !turned ) && same;
		}
		dbvh_tree_destroy( a );
		dbvh_tree_destroy( b );
		scene_free( &inner );
		scene_free( &outer );
	}
	return same;
}

static bool placed( const bench_options *options, const scene_mesh *mesh, const dbvh_tree_options *tree_options,
                    const char *tree_name ) {
	static const int rows[] = { 0, 1, 3, 5, POSES_HITS };
	dbvh_tree *tree = scene_reference_tree( &mesh->view, tree_options );
	pose_set set = poses_by_sphere( tree, options->sample );
	bool same = true;
	for ( size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i ) {
		char what[300];
		if ( rows[i] == POSES_HITS )
			snprintf( what, sizeof what, "%s, 1 %% inside, %zu poses, %s", mesh->label, set.count, tree_name );
		else
			snprintf( what, sizeof what, "%s, %d %%, %zu poses, %s", mesh->label, rows[i], set.count, tree_name );
		same = one_journey( options, what, &( journey ){ tree, tree, set.rows[rows[i]], set.count }, i < 2 ) && same;
	}
	pose_set_free( &set );
	dbvh_tree_destroy( tree );
	return same;
}

// ------------------------------------------------------------------------------------------------

static void appendix( const bench_options *options ) {
	const axes_plane p = axes_plane_loss();
	printf( "\nAppendix: minor axes alone, in the plane; %zu samples, exact areas%17s paper's\n", p.samples, "" );
	printf( "  loss on average            %6.2f %%  %6.1f %%\n", 100.0 * p.average, 6.4 );
	printf( "  samples with less than 10 %% %5.1f %%  %6.1f %%\n", 100.0 * (double)p.below_tenth / (double)p.samples,
	        80.7 );
	printf( "  the worst                  %6.2f %%  %6.1f %%, at %g degrees and extents of %g and %g (0, 1 and 1)\n",
	        100.0 * p.worst, 22.2, p.worst_angle, p.worst_h1, p.worst_h2 );
	if ( options->csv != NULL )
		fprintf( options->csv, "appendix,average,0,,%.5f\nappendix,below a tenth,0,,%.5f\nappendix,worst,0,,%.5f\n",
		         p.average, (double)p.below_tenth / (double)p.samples, p.worst );
}

int bench_axes( const bench_options *options ) {
	puts(
	    "\nThe share (%) of pairs of boxes apart, of those whose spheres overlap, that an order of axes has told apart "
	    "so far" );
	if ( options->csv != NULL )
		fprintf(
		    options->csv,
		    "# order time: the time of a search with the first so many axes, 5 = 1; else the share told apart so far\n"
		    "pairs,order,position,axis,share\n" );
	random_boxes( options );
	dbvh_tree_options paper = dbvh_tree_options_default();
	paper.box_fit = DBVH_BOX_FIT_COVARIANCE;
	paper.split = DBVH_SPLIT_MEAN;
	scene_mesh mesh = scene_choose( options->mesh );
	bool same = spheres( options, &paper, "the paper's tree" );
	same = placed( options, &mesh, &paper, "the paper's tree" ) && same;
	same = placed( options, &mesh, NULL, "the library's tree" ) && same;
	scene_free( &mesh );
	appendix( options );
	if ( !same )
		puts( "\nthe walk's counts DIFFER from the library's" );
	return same ? EXIT_SUCCESS : EXIT_FAILURE;
}
