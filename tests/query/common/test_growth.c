// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// How the work of a query grows with meshes whose volumes overlap all with all, in steps of a budget at n, 2 n and 4 n;
// and that planes between groups of triangles (query/self/groups.h) leave out no pair that counts.

#include "budget_inputs.h"
#include "bvh/tree.h"
#include "query/common/packed_search.h"
#include "query/self/groups.h"
#include "support/rng.h"
#include "support/rounds.h"
#include "support/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------
// Growth

static const budget_input *input_named( const char *name ) {
	for ( size_t i = 0; i < budget_input_count; ++i ) {
		if ( strcmp( budget_inputs[i].name, name ) == 0 )
			return &budget_inputs[i];
	}
	fail_msg( "no input %s", name );
	return NULL;
}

static uint64_t work_of_self( const budget_input *input, size_t n ) {
	dbvh_tree *const tree = budget_tree( input, n );
	uint64_t spent = 0;
	const dbvh_budget budget = { .spent = &spent };
	const dbvh_collide_query query = { .budget = &budget };
	dbvh_collide_result result;
	assert_int_equal( dbvh_self_collide( tree, &query, NULL, &result, NULL ), DBVH_OK );
	assert_int_equal( result.verdict, DBVH_DISJOINT );
	dbvh_tree_destroy( tree );
	return spent;
}

// n squared is 16 at four times as many triangles, n log n below 5.
static void self_grows( void **state ) {
	(void)state;
	static const struct {
		const char *name;
		double most;
	} rows[] = { { "stack", 6.0 }, { "comb", 9.0 }, { "fan", 20.0 }, { "flat fan", 20.0 }, { "thin fan", 20.0 } };
	const size_t n = is_short_run() ? 500 : 2000;
	for ( size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i ) {
		const budget_input *const input = input_named( rows[i].name );
		const uint64_t one = work_of_self( input, n ), two = work_of_self( input, 2 * n ),
		               four = work_of_self( input, 4 * n );
		const double growth = (double)four / (double)one;
		printf( "%-12s itself: %zu triangles %.3g steps, twice %.3g, four times %.3g: %.1f\n", rows[i].name, n,
		        (double)one, (double)two, (double)four, growth );
		assert_true( growth < rows[i].most );
	}
}

// ------------------------------------------------------------------------------------------------
// Groups

enum { MOST = 2400 };

static int compare_pairs( const void *p, const void *q ) {
	return memcmp( p, q, sizeof( dbvh_pair ) );
}

// All pairs of triangles of which the float filter, or rounding, may make another verdict.
static size_t list_truth( const double *corners, size_t n, dbvh_pair *out, size_t room ) {
	size_t count = 0;
	for ( uint32_t i = 0; i < n; ++i ) {
		for ( uint32_t j = i + 1; j < n; ++j ) {
			bool meet = false;
			const dbvh_triangle *const a = (const dbvh_triangle *)( corners + 9 * (size_t)i ),
			                           *const b = (const dbvh_triangle *)( corners + 9 * (size_t)j );
			assert_int_equal( dbvh_triangles_self_intersect( a, b, &meet, NULL ), DBVH_OK );
			if ( !meet )
				continue;
			assert_true( count < room );
			out[count++] = ( dbvh_pair ){ i, j };
		}
	}
	return count;
}

// Add `more` small triangles that cross the others.
static size_t add_some( rng *r, double *corners, size_t n, size_t more ) {
	for ( size_t i = n; i < n + more; ++i ) {
		const double x = rng_unit( r ), y = rng_unit( r ), z = 1e-9 * rng_unit( r );
		const double t[9] = { x, y, z - 1e-10, x + 1e-3, y, z + 1e-10, x, y + 1e-3, z + 1e-9 };
		memcpy( corners + 9 * i, t, sizeof t );
	}
	return n + more;
}

// A stack in a plane of any direction, its gaps as small as what corners are rounded by.
static void tilted_stack( rng *r, size_t n, double gap, double *out ) {
	const double u[3] = { rng_range( r, 0.5, 1 ), rng_range( r, -1, 1 ), rng_range( r, -1, 1 ) };
	const double v[3] = { rng_range( r, -1, 1 ), rng_range( r, 0.5, 1 ), rng_range( r, -1, 1 ) };
	for ( size_t i = 0; i < n; ++i ) {
		for ( int k = 0; k < 3; ++k ) {
			const double at =
			    1.0 + gap * (double)i * ( u[( k + 1 ) % 3] * v[( k + 2 ) % 3] - u[( k + 2 ) % 3] * v[( k + 1 ) % 3] );
			out[9 * i + (size_t)k] = at;
			out[9 * i + 3 + (size_t)k] = at + u[k];
			out[9 * i + 6 + (size_t)k] = at + v[k];
		}
	}
}

static void check_pairs( const double *corners, size_t n, size_t *meeting, size_t *disjoint, uint64_t *compared ) {
	static dbvh_pair truth[1 << 21], pairs[1 << 21];
	const size_t count = list_truth( corners, n, truth, sizeof truth / sizeof truth[0] );
	const dbvh_mesh_view view = { .positions = corners, .vertex_count = 3 * n, .index_type = DBVH_INDEX_TYPE_NONE };
	dbvh_tree *tree = NULL;
	assert_int_equal( dbvh_tree_build( &view, NULL, NULL, &tree, NULL ), DBVH_OK );
	const dbvh_collide_query query = {
	    .find = DBVH_FIND_ALL, .pairs = pairs, .pair_capacity = sizeof pairs / sizeof pairs[0] };
	dbvh_collide_result result;
	assert_int_equal( dbvh_self_collide( tree, &query, NULL, &result, NULL ), DBVH_OK );
	assert_int_equal( result.pair_count, count );
	qsort( truth, count, sizeof *truth, compare_pairs );
	qsort( pairs, count, sizeof *pairs, compare_pairs );
	assert_memory_equal( pairs, truth, count * sizeof *truth );
	*meeting += count;
	*disjoint += n * ( n - 1 ) / 2 - count;
	*compared += result.counters.triangle_tests;
	dbvh_tree_destroy( tree );
}

static void groups_leave_out_no_pair( void **state ) {
	(void)state;
	static double corners[9 * MOST];
	rng r = rng_announce( "growth: groups", 31 );
	static const char *const names[] = { "stack", "fan", "flat fan", "thin fan" };
	size_t meeting = 0, disjoint = 0;
	uint64_t compared = 0;
	for ( int i = 0; i < 4; ++i ) {
		for ( size_t more = 0; more <= 40; more += 40 ) {
			const size_t n = 1000;
			input_named( names[i] )->make( n, corners );
			check_pairs( corners, add_some( &r, corners, n, more ), &meeting, &disjoint, &compared );
		}
	}
	const size_t times = rounds( 12 );
	for ( size_t i = 0; i < times; ++i ) {
		const size_t n = 1200;
		tilted_stack( &r, n, ldexp( 1.0, -(int)( 44 + rng_below( &r, 9 ) ) ), corners );
		check_pairs( corners, n, &meeting, &disjoint, &compared );
	}
	printf( "growth: %zu pairs meet, %zu do not, %llu were compared\n", meeting, disjoint,
	        (unsigned long long)compared );
	assert_outcomes( meeting > 1000 && disjoint > 1000 && compared < ( meeting + disjoint ) * 9 / 10 );
}

enum { TRIANGLES = 24 };

// Triangles of no interest, far from each other: beside them two groups of eight become nodes of their own.
static void add_bystanders( rng *r, double *out ) {
	for ( int i = 0; i < 8; ++i ) {
		for ( int k = 0; k < 9; ++k )
			out[9 * i + k] = ( k % 3 == 0 ? 10.0 * i : k % 3 == 1 ? 100.0 : 0.0 ) + rng_range( r, 0.0, 5.0 );
	}
}

// Adds up the directions from the first corner of the triangles of a fan to the others, as groups.c does.
static void add_directions( const double *corners, int first, double sign, double sum[3] ) {
	for ( int i = first; i < 24; ++i ) {
		double d[3], length = 0.0;
		for ( int k = 0; k < 3; ++k ) {
			d[k] = corners[3 * i + k] - corners[k];
			length += fabs( d[k] );
		}
		for ( int k = 0; k < 3 && length > 0.0; ++k )
			sum[k] += sign * d[k] / length;
	}
}

static void cross( const double a[3], const double b[3], double out[3] ) {
	for ( int k = 0; k < 3; ++k )
		out[k] = a[( k + 1 ) % 3] * b[( k + 2 ) % 3] - a[( k + 2 ) % 3] * b[( k + 1 ) % 3];
}

// The first triangle of each fan begins with a corner on the same ray in the plane between the fans, or a little to its
// side, and leads from there to either side of it: rounding decides whether they cross. `fans` are two times eight
// triangles, the apex first.
static void set_first( rng *r, const double way[3], const double normal[3], bool only_ray, double *fans ) {
	const double lift = rng_below( r, 4 ) == 0 ? ldexp( 1.0, -(int)( 20 + rng_below( r, 30 ) ) ) : 0.0;
	double aside[3];
	cross( normal, way, aside );
	for ( int side = 0; side < 2; ++side ) {
		double *const t = fans + 72 * side;
		const double sign = side == 0 ? 1.0 : -1.0, length = rng_range( r, 0.5, 2.0 );
		for ( int k = 0; k < 3; ++k ) {
			t[3 + k] = t[k] + length * ( way[k] + sign * lift * normal[k] );
			if ( !only_ray )
				t[6 + k] = t[k] + way[k] + 0.8 * aside[k] + sign * 0.1 * normal[k];
		}
	}
}

static void unit( double v[3] ) {
	const double length = sqrt( v[0] * v[0] + v[1] * v[1] + v[2] * v[2] );
	for ( int k = 0; k < 3; ++k )
		v[k] /= length;
}

// Two fans with one apex, about an oblique axis, one the reflection of the other but for their first triangles.
static void make_fans( rng *r, double *out ) {
	double apex[3], way[3], normal[3], axis[3];
	for ( int k = 0; k < 3; ++k ) {
		apex[k] = rng_range( r, -0.25, 0.25 );
		way[k] = rng_range( r, -1.0, 1.0 );
		axis[k] = rng_range( r, 0.5, 1.0 );
	}
	unit( axis );
	for ( int i = 0; i < 48; ++i ) {
		const double height = rng_range( r, 1.0, 3.0 );
		for ( int k = 0; k < 3; ++k ) {
			const double d = height * axis[k] + rng_range( r, -0.3, 0.3 );
			out[3 * i + k] = i % 3 == 0 ? apex[k] : i < 24 ? apex[k] + d : 2.0 * apex[k] - out[3 * ( i - 24 ) + k];
		}
	}
	for ( int pass = 0; pass < 2; ++pass ) {
		// The corners on the ray cancel in the sum; the other two of the first triangles do not.
		double along = 0.0;
		memset( normal, 0, sizeof normal );
		add_directions( out, pass == 0 ? 3 : 2, 1.0, normal );
		add_directions( out + 72, pass == 0 ? 3 : 2, -1.0, normal );
		unit( normal );
		for ( int k = 0; k < 3; ++k )
			along += way[k] * normal[k];
		for ( int k = 0; k < 3; ++k )
			way[k] -= along * normal[k];
		set_first( r, way, normal, pass > 0, out );
	}
	add_bystanders( r, out + 144 );
}

// Two stacks of parallel triangles far from the origin along x, a highest corner of the lower one at height 0 and
// another a little above that, or below. It pokes through the lowest triangle of the upper stack, or does not, by less
// than what heights over the origin are rounded by.
static void make_stacks( rng *r, double *out ) {
	// Coordinates along x have few digits, so that all of them are exact.
	const double u[3] = { rint( rng_range( r, 512, 1024 ) ) / 1024, rng_range( r, -1, 0 ), rng_range( r, -1, 1 ) };
	const double v[3] = { rint( rng_range( r, -1024, 0 ) ) / 1024, rng_range( r, 0.5, 1 ), rng_range( r, -1, 1 ) };
	double normal[3];
	cross( u, v, normal );
	unit( normal );
	const double far = rint( ldexp( rng_range( r, 1.0, 2.0 ), 8 + (int)rng_below( r, 22 ) ) );
	const double depth = ldexp( far, -54 - (int)rng_below( r, 3 ) );
	const double tip = rng_below( r, 2 ) == 0 ? depth : -depth;
	const double lift = rng_below( r, 2 ) == 0 ? 0.5 * depth : ldexp( depth, (int)rng_below( r, 14 ) );
	for ( int i = 0; i < 16; ++i ) {
		for ( int corner = 0; corner < 3; ++corner ) {
			double at[3], height = i < 8 ? -0.3 - 0.05 * i : lift + 0.05 * ( i - 8 );
			for ( int k = 0; k < 3; ++k )
				at[k] = corner == 0 ? 0.0 : corner == 1 ? u[k] : v[k];
			if ( i == 0 ) {
				height = corner == 0 ? tip : corner == 1 ? 0.0 : -1.0;
				for ( int k = 0; k < 3; ++k )
					at[k] = corner == 0 ? 0.25 * ( u[k] + v[k] ) : at[k];
			}
			double *const p = out + 9 * i + 3 * corner;
			p[0] = far + at[0];
			p[1] = at[1];
			p[2] = at[2] + height / normal[2];
		}
	}
	add_bystanders( r, out + 144 );
}

// The triangles below a node, in leaf order.
static void collect( const dbvhi_packed_run *run, int32_t node, uint32_t *places, size_t *count ) {
	for ( int i = 0; i < DBVHI_WIDTH; ++i ) {
		if ( run->spheres_a[node].radius[i] == DBVHI_NO_CHILD )
			continue;
		const int32_t child = run->boxes_a[DBVHI_WIDTH * (size_t)node + (size_t)i].child;
		if ( child >= 0 ) {
			collect( run, child, places, count );
			continue;
		}
		const uint32_t first = run->leaves_a[~child].first_and_count;
		for ( uint32_t k = 0; k <= ( first & 3 ); ++k )
			places[( *count )++] = ( first >> 2 ) + k;
	}
}

// Does any triangle below one node intersect one below the other?
static bool do_meet( const dbvh_tree *tree, const dbvhi_packed_run *run, int32_t one, int32_t other ) {
	uint32_t a[TRIANGLES], b[TRIANGLES];
	size_t a_count = 0, b_count = 0;
	collect( run, one, a, &a_count );
	collect( run, other, b, &b_count );
	for ( size_t i = 0; i < a_count; ++i ) {
		for ( size_t j = 0; j < b_count; ++j ) {
			const double *p[3], *q[3];
			dbvh_triangle x, y;
			bool meet = false;
			dbvhi_tree_corners( tree, a[i], p );
			dbvhi_tree_corners( tree, b[j], q );
			for ( int c = 0; c < 3; ++c ) {
				memcpy( x.corner[c], p[c], sizeof x.corner[c] );
				memcpy( y.corner[c], q[c], sizeof y.corner[c] );
			}
			assert_int_equal( dbvh_triangles_self_intersect( &x, &y, &meet, NULL ), DBVH_OK );
			if ( meet )
				return true;
		}
	}
	return false;
}

// Asks for a plane between the children of the root, two by two.
static void check_planes( const char *name, void ( *make )( rng *r, double *out ), size_t times ) {
	double corners[9 * TRIANGLES];
	rng r = rng_announce( name, 37 );
	size_t meeting = 0, separated = 0, neither = 0;
	for ( size_t n = 0; n < times; ++n ) {
		make( &r, corners );
		const dbvh_mesh_view view = {
		    .positions = corners, .vertex_count = 3 * TRIANGLES, .index_type = DBVH_INDEX_TYPE_NONE };
		dbvh_tree *tree = NULL;
		assert_int_equal( dbvh_tree_build( &view, NULL, NULL, &tree, NULL ), DBVH_OK );
		const dbvhi_mesh_pair meshes = { .fixed = tree, .moved = tree, .pose = dbvh_pose_identity() };
		dbvhi_packed_run run;
		dbvhi_packed_init( &meshes, &run );
		dbvhi_packed_use_groups( &run, &meshes );
		for ( int pair = 0; pair < DBVHI_WIDTH * DBVHI_WIDTH; ++pair ) {
			const int32_t one = run.boxes_a[pair % DBVHI_WIDTH].child, other = run.boxes_a[pair / DBVHI_WIDTH].child;
			if ( one < 0 || other < 0 || one == other )
				continue;
			run.node_tests = 1 << 20; // more than a question may cost
			const bool is_apart = run.groups_separated( &run, one, other, 0xffff ),
			           meet = do_meet( tree, &run, one, other );
			assert_false( is_apart && meet );
			meeting += meet;
			separated += is_apart;
			neither += !meet && !is_apart;
		}
		dbvh_tree_destroy( tree );
	}
	printf( "%s: %zu pairs of nodes meet, %zu are separated, %zu neither\n", name, meeting, separated, neither );
	assert_outcomes( meeting > 0 && separated > 0 );
}

// Planes between groups that rounding alone could misplace: one through a corner that both have, and one across the
// farthest corner of one.
static void planes_are_safe( void **state ) {
	(void)state;
	check_planes( "growth: fans", make_fans, rounds( 20000 ) );
	check_planes( "growth: far stacks", make_stacks, rounds( 4000 ) );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( self_grows ),
	    cmocka_unit_test( groups_leave_out_no_pair ),
	    cmocka_unit_test( planes_are_safe ),
	};
	return test_main( argc, argv, tests );
}
