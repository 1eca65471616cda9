// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// soak_pairs [PAIRS]: compares the predicate for two triangles, and the double filter of each
// instruction set, with separating axes in whole numbers, on PAIRS pairs (a million by default), and prints a table.
// With --part, the K-th of N shares (K from 1), so that several processes can divide the work.
//
// Everything is a whole number, or one over a power of two, so that a pair takes a fraction of a microsecond; what
// needs doubles of any kind is compared by tests/exact/test_tri_tri_pairs.c, with GMP.

// clock_gettime() is POSIX, and the dialect here is strict C.
#define _POSIX_C_SOURCE 200809L

#include "dualbvh/collide.h"
#include "exact/tri_tri.h"
#include "query/collide/kernel.h"
#include "simd/isa.h"
#include "support/command_line.h"
#include "support/oracle.h"
#include "turn.h"
#include "whole.h"

#include <string.h>
#include <time.h>

#define BATCH DBVHI_TRIANGLE_BATCH
#define MOST_PRINTED 5

// One batch of the double filter. The pose places B's triangles.
typedef struct batch {
	int64_t a[BATCH][9], b[BATCH][9]; // a over pose.one, b whole
	whole_pose pose;
	double scale; // a power of two that multiplies all coordinates
} batch;

static int64_t within( rng *r, int64_t most ) {
	return (int64_t)rng_below( r, (uint64_t)( 2 * most + 1 ) ) - most;
}

// A corner whose coordinates are at most 4095, from one number.
static void corner_of( uint64_t bits, int width, int64_t out[3] ) {
	for ( int k = 0; k < 3; ++k )
		out[k] =
		    (int64_t)( bits >> ( 16 * k ) & ( ( UINT64_C( 1 ) << width ) - 1 ) ) - ( INT64_C( 1 ) << ( width - 1 ) );
}

static void make_random( rng *r, batch *out ) {
	for ( int i = 0; i < BATCH; ++i ) {
		for ( int corner = 0; corner < 3; ++corner ) {
			corner_of( rng_u64( r ), 13, out->a[i] + 3 * corner );
			corner_of( rng_u64( r ), 13, out->b[i] + 3 * corner );
		}
	}
}

// Few grid points, so that corners and edges of the two triangles coincide.
static void make_grid( rng *r, batch *out ) {
	for ( int i = 0; i < BATCH; ++i ) {
		const int64_t most = 1 + (int64_t)( i % 4 );
		for ( int k = 0; k < 9; ++k ) {
			const uint64_t bits = rng_u64( r );
			out->a[i][k] = (int64_t)( ( bits & 0xffff ) % (uint64_t)( 2 * most + 1 ) ) - most;
			out->b[i][k] = (int64_t)( ( bits >> 16 & 0xffff ) % (uint64_t)( 2 * most + 1 ) ) - most;
		}
	}
}

// All in one plane, of any direction.
static void make_flat( rng *r, batch *out ) {
	const int drop = (int)rng_below( r, 3 );
	for ( int i = 0; i < BATCH; ++i ) {
		const int64_t most = 2 + (int64_t)rng_below( r, 30 ), p = within( r, 3 ), q = within( r, 3 );
		for ( int corner = 0; corner < 6; ++corner ) {
			int64_t *const x = ( corner < 3 ? out->a[i] : out->b[i] ) + 3 * ( corner % 3 );
			const int64_t u = within( r, most ), v = within( r, most );
			x[drop] = p * u + q * v;
			x[( drop + 1 ) % 3] = u;
			x[( drop + 2 ) % 3] = v;
		}
	}
}

// B has corners of A, or points in the middle of its sides.
static void make_shared( rng *r, batch *out ) {
	make_random( r, out );
	for ( int i = 0; i < BATCH; ++i ) {
		const uint64_t bits = rng_u64( r );
		for ( int corner = 0; corner < 3; ++corner ) {
			const uint64_t what = bits >> ( 8 * corner ) & 7, from = ( bits >> ( 8 * corner + 3 ) & 31 ) % 3;
			for ( int k = 0; k < 3; ++k ) {
				int64_t *const x = &out->b[i][3 * corner + k];
				const int64_t p = out->a[i][3 * from + (uint64_t)k],
				              q = out->a[i][3 * ( ( from + 1 ) % 3 ) + (uint64_t)k];
				if ( what < 2 )
					*x = p;
				else if ( what == 2 )
					*x = ( p + q ) / 2;
				else if ( what == 3 )
					*x = 2 * p - q > 4095 || 2 * p - q < -4096 ? p : 2 * p - q; // beyond the end of a side
			}
		}
	}
}

// Large triangles whose planes are one or a step apart, or cross at a hair's angle.
static void make_parallel( rng *r, batch *out ) {
	const int drop = (int)rng_below( r, 3 );
	for ( int i = 0; i < BATCH; ++i ) {
		const int64_t p = within( r, 1 ), q = within( r, 1 );
		for ( int corner = 0; corner < 6; ++corner ) {
			int64_t *const x = ( corner < 3 ? out->a[i] : out->b[i] ) + 3 * ( corner % 3 );
			const int64_t u = within( r, 1300 ), v = within( r, 1300 );
			x[drop] = p * u + q * v + ( rng_below( r, 3 ) == 0 ? within( r, 1 ) : 0 );
			x[( drop + 1 ) % 3] = u;
			x[( drop + 2 ) % 3] = v;
		}
	}
}

// Segments and points.
static void make_collapsed( rng *r, batch *out ) {
	make_grid( r, out );
	for ( int i = 0; i < BATCH; ++i ) {
		const uint64_t bits = rng_u64( r );
		int64_t *const x = bits & 1 ? out->a[i] : out->b[i], *const y = bits & 1 ? out->b[i] : out->a[i];
		// Collinear corners, p and q and a point on their line.
		const int64_t t = (int64_t)( bits >> 1 & 3 ) - 1;
		for ( int k = 0; k < 3; ++k )
			x[6 + k] = x[k] + t * ( x[3 + k] - x[k] );
		if ( bits & 8 )
			memcpy( x + 3, x, 3 * sizeof *x );
		if ( bits & 16 )
			memcpy( y + 6, y, 3 * sizeof *y );
	}
}

// Slivers: two corners a step or two apart, the third far away.
static void make_slivers( rng *r, batch *out ) {
	make_random( r, out );
	for ( int i = 0; i < BATCH; ++i ) {
		for ( int k = 0; k < 3; ++k ) {
			const uint64_t bits = rng_u64( r );
			out->a[i][3 + k] = out->a[i][k] + (int64_t)( ( bits & 255 ) % 3 ) - 1;
			out->b[i][3 + k] = out->b[i][k] + (int64_t)( ( bits >> 8 & 255 ) % 3 ) - 1;
			// and aimed at each other
			out->b[i][6 + k] = out->a[i][6 + k] + (int64_t)( ( bits >> 16 & 255 ) % 5 ) - 2;
		}
	}
}

// Numbers of 29 bits, a corner of B on A, or a step beside it.
static void make_large( rng *r, batch *out ) {
	const int64_t most = WHOLE_MAX - 8;
	for ( int i = 0; i < BATCH; ++i ) {
		const int64_t weights[3] = { (int64_t)rng_below( r, 5 ), (int64_t)rng_below( r, 5 ), 1 };
		const int64_t sum = weights[0] + weights[1] + weights[2];
		int64_t *const a = out->a[i], *const b = out->b[i];
		for ( int k = 0; k < 9; ++k ) {
			a[k] = within( r, most );
			b[k] = within( r, most );
		}
		for ( int k = 0; k < 3; ++k ) {
			// The last corner makes the mean of all three whole.
			const int64_t rest =
			    ( ( weights[0] * a[k] + weights[1] * a[3 + k] + weights[2] * a[6 + k] ) % sum + sum ) % sum;
			a[6 + k] -= rest;
			b[k] = ( weights[0] * a[k] + weights[1] * a[3 + k] + weights[2] * a[6 + k] ) / sum +
			       within( r, 1 ) * (int64_t)rng_below( r, 2 );
		}
	}
}

static void make_right( rng *r, batch *out ) {
	out->pose = right_pose( r, 12 );
	for ( int i = 0; i < BATCH; ++i ) {
		const int64_t most = i % 2 == 0 ? 4 : 600;
		for ( int k = 0; k < 9; ++k ) {
			out->a[i][k] = within( r, most );
			out->b[i][k] = within( r, most );
		}
	}
}

// Any turn; A's corners are anywhere, on the image of B's, or a step beside them.
static void make_turned( rng *r, batch *out ) {
	out->pose = any_pose( r, 8.0 );
	for ( int i = 0; i < BATCH; ++i ) {
		int64_t image[9];
		for ( int k = 0; k < 9; ++k )
			out->b[i][k] = within( r, i % 2 == 0 ? 3 : 40 );
		whole_place( &out->pose, out->b[i], image );
		const uint64_t bits = rng_u64( r );
		for ( int corner = 0; corner < 3; ++corner ) {
			const int from = (int)( ( bits >> ( 8 * corner + 2 ) & 63 ) % 3 );
			for ( int k = 0; k < 3; ++k ) {
				int64_t *const x = &out->a[i][3 * corner + k];
				const int64_t p = image[3 * from + k], q = image[3 * ( ( from + 1 ) % 3 ) + k];
				switch ( bits >> ( 8 * corner ) & 3 ) {
				case 0:
					*x = p + within( r, 1 );
					break;
				case 1:
					*x = ( p + q ) / 2 + within( r, 1 );
					break;
				default:
					*x = within( r, 50 ) * TURN_ONE;
					break;
				}
			}
		}
	}
}

static void make_scaled( rng *r, batch *out ) {
	switch ( rng_below( r, 4 ) ) {
	case 0:
		make_grid( r, out );
		break;
	case 1:
		make_parallel( r, out );
		break;
	case 2:
		make_right( r, out );
		break;
	default:
		make_random( r, out );
		break;
	}
	out->scale = ldexp( 1.0, (int)rng_below( r, 2060 ) - 1070 );
}

static const struct {
	const char *name;
	void ( *make )( rng *r, batch *out );
	unsigned share; // hundredths of all pairs
} regimes[] = {
    { "random", make_random, 16 },           { "small grid", make_grid, 16 },
    { "one plane", make_flat, 10 },          { "shared corners", make_shared, 12 },
    { "nearly parallel", make_parallel, 8 }, { "collapsed", make_collapsed, 10 },
    { "slivers", make_slivers, 6 },          { "29 bits, near touch", make_large, 6 },
    { "right angles", make_right, 10 },      { "any turn, near touch", make_turned, 5 },
    { "scaled by 2^e", make_scaled, 1 },
};

#define REGIMES ( sizeof regimes / sizeof regimes[0] )

typedef struct tally {
	uint64_t pairs, meeting, unsure, wrong;
} tally;

static void report( const char *what, const double a[9], const double b[9], const dbvh_pose *pose, bool truth ) {
	printf( "WRONG, %s: the truth is %s\n\tconst double a[9] = {", what, truth ? "meeting" : "apart" );
	for ( int k = 0; k < 9; ++k )
		printf( "%s%a", k > 0 ? ", " : " ", a[k] );
	printf( " };\n\tconst double b[9] = {" );
	for ( int k = 0; k < 9; ++k )
		printf( "%s%a", k > 0 ? ", " : " ", b[k] );
	printf( " };\n\tpose" );
	for ( int i = 0; i < 3; ++i )
		printf( " { %a, %a, %a | %a }", pose->rot[i][0], pose->rot[i][1], pose->rot[i][2], pose->pos[i] );
	printf( "\n" );
	fflush( stdout );
}

static void compare( const char *name, const batch *x, const dbvhi_isa *isa, bool swap, tally *t ) {
	const dbvh_pose pose = whole_to_pose( &x->pose, x->scale );
	const bool posed =
	    x->pose.one != 1 ||
	    memcmp( &pose, &( dbvh_pose ){ { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 0, 0, 0 } }, sizeof pose ) != 0;
	dbvhi_triangle_batch filter;
	double a[BATCH][9], b[BATCH][9], largest = 0.0;
	bool truth[BATCH];
	for ( int i = 0; i < BATCH; ++i ) {
		int64_t image[9], size = 0;
		whole_place( &x->pose, x->b[i], image );
		for ( int k = 0; k < 9; ++k ) {
			a[i][k] = (double)x->a[i][k] / (double)x->pose.one * x->scale;
			b[i][k] = (double)x->b[i][k] * x->scale;
			largest = fmax( largest, fabs( b[i][k] ) );
			filter.fixed[k][i] = a[i][k];
			filter.moved[k][i] = b[i][k];
			size |= llabs( x->a[i][k] ) | llabs( image[k] );
		}
		if ( size > WHOLE_MAX ) {
			printf( "%s: a coordinate is too large for the oracle\n", name );
			exit( EXIT_FAILURE );
		}
		truth[i] = size <= ORACLE_INT_MAX ? oracle_triangles_meet_int( x->a[i], image )
		                                  : whole_triangles_meet( x->a[i], image );
	}
	memcpy( filter.rot, pose.rot, sizeof filter.rot );
	memcpy( filter.pos, pose.pos, sizeof filter.pos );
	filter.error = dbvhi_move_error( &pose, largest );
	dbvhi_triangle_kernel_table[isa->rank]( &filter );
	for ( int i = 0; i < BATCH; ++i ) {
		bool meet = !truth[i];
		const bool turn_round = swap && !posed;
		const dbvh_status status = dbvh_triangles_intersect( (const dbvh_triangle *)( turn_round ? b[i] : a[i] ),
		                                                     (const dbvh_triangle *)( turn_round ? a[i] : b[i] ),
		                                                     posed ? &pose : NULL, &meet, NULL );
		t->pairs += 1;
		t->meeting += truth[i];
		t->unsure += filter.answer[i] == DBVHI_BATCH_UNSURE;
		const bool filter_wrong =
		    filter.answer[i] != DBVHI_BATCH_UNSURE && ( filter.answer[i] == DBVHI_BATCH_MEET ) != truth[i];
		if ( status == DBVH_OK && meet == truth[i] && !filter_wrong )
			continue;
		if ( t->wrong++ < MOST_PRINTED ) {
			char what[128];
			snprintf( what, sizeof what, "%s, %s %s", name, filter_wrong ? "filter" : "predicate",
			          filter_wrong ? isa->name : dbvh_status_name( status ) );
			report( what, a[i], b[i], &pose, truth[i] );
		}
	}
}

static double now( void ) {
	struct timespec t;
	clock_gettime( CLOCK_MONOTONIC, &t );
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main( int argc, char **argv ) {
	const test_command_line line =
	    test_command_line_read( argc, argv, ( test_usage ){ .operands = "[PAIRS]", .parts = true }, &regimes[0].name,
	                            REGIMES, sizeof regimes[0] );
	const uint64_t pairs = test_operand( &line, 0, 1000000 ), part = line.part, parts = line.parts;
	const uint64_t seed = rng_announce( "soak_pairs", 20261122 ).state;
	size_t isa_count;
	const dbvhi_isa *const isas = dbvhi_isa_available( &isa_count );
	tally all = { 0 };
	double began = now();
	const double start = began;
	bool one_sided = false;
	printf( "%-24s %14s %14s %14s %14s %8s %10s\n", "regime", "pairs", "meeting", "apart", "filter unsure", "wrong",
	        "ns/pair" );
	for ( size_t k = 0; k < REGIMES; ++k ) {
		if ( !test_is_chosen( regimes[k].name ) )
			continue;
		rng r = { seed };
		r.state = rng_u64( &r ) + k;
		r.state = rng_u64( &r ) + part;
		r.state = rng_u64( &r );
		tally t = { 0 };
		const uint64_t count = ( pairs * regimes[k].share / 100 / parts + BATCH - 1 ) / BATCH;
		for ( uint64_t i = 0; i < count; ++i ) {
			batch x;
			x.pose = ( whole_pose ){ { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 0, 0, 0 }, 1 };
			x.scale = 1.0;
			regimes[k].make( &r, &x );
			compare( regimes[k].name, &x, &isas[i % isa_count], i / isa_count % 2 == 1, &t );
		}
		const double ended = now();
		printf( "%-24s %14llu %14llu %14llu %14llu %8llu %10.0f\n", regimes[k].name, (unsigned long long)t.pairs,
		        (unsigned long long)t.meeting, (unsigned long long)( t.pairs - t.meeting ),
		        (unsigned long long)t.unsure, (unsigned long long)t.wrong, 1e9 * ( ended - began ) / (double)t.pairs );
		fflush( stdout );
		began = ended;
		// A few thousand pairs of any kind meet both outcomes, or the regime says nothing.
		one_sided |= t.pairs > 4000 && ( t.meeting == 0 || t.meeting == t.pairs );
		all.pairs += t.pairs;
		all.meeting += t.meeting;
		all.unsure += t.unsure;
		all.wrong += t.wrong;
	}
	printf( "%-24s %14llu %14llu %14llu %14llu %8llu %10.0f\n", "all", (unsigned long long)all.pairs,
	        (unsigned long long)all.meeting, (unsigned long long)( all.pairs - all.meeting ),
	        (unsigned long long)all.unsure, (unsigned long long)all.wrong,
	        1e9 * ( began - start ) / (double)all.pairs );
	if ( one_sided )
		printf( "a regime has one outcome only\n" );
	return all.wrong == 0 && !one_sided ? EXIT_SUCCESS : EXIT_FAILURE;
}
