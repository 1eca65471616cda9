// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "perf/mixed_cost.h"

#include "bvh/ellipsoid/ellipsoids.h"
#include "bvh/ellipsoid_test.h"
#include "bvh/tree.h"
#include "common/stats.h"
#include "query/collide/collide.h"
#include "query/collide/kernel.h"
#include "simd/isa.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double mixed_leaf_tests( const dbvh_tree *tree, const dbvh_pose *poses, size_t count, dbvh_workspace *workspace ) {
	double sum = 0.0;
	for ( size_t i = 0; i < count && tree->packed != NULL; ++i ) {
		dbvhi_pair_search search = { .workspace = workspace, .lowest_key = UINT64_MAX };
		search.meshes = ( dbvhi_mesh_pair ){ .fixed = tree, .moved = tree, .pose = poses[i], .corner_error = -1.0 };
		dbvhi_packed_run run;
		dbvhi_packed_init( &search.meshes, &run );
		run.first_only = 1;
		dbvhi_packed_attach( &run, workspace );
		dbvhi_packed_push( &run, 0, 0, 0xffff );
		while ( dbvhi_collide_kernel_table[dbvhi_isa_level()]( &run ) &&
		        !dbvhi_packed_settle( &search, &run, DBVHI_RUNG_DOUBLES ) ) {
		}
		sum += (double)run.leaf_tests;
	}
	return sum;
}

double mixed_ellipsoid_ns( const dbvh_tree *tree, const dbvh_pose *poses, size_t count ) {
	if ( tree->ellipsoid_count == 0 || count == 0 )
		return NAN;
	double least = INFINITY;
	size_t apart = 0;
	for ( int round = 0; round < 5; ++round ) {
		const double start = stats_thread_now();
		double spent = 0.0;
		size_t times = 0;
		for ( ; spent < 2e-3; spent = stats_thread_now() - start ) {
			for ( size_t i = 0; i < count; ++i, ++times ) {
				const dbvhi_reach *e = &tree->ellipsoids[times * 7 % tree->ellipsoid_count].reach;
				dbvhi_mat rot;
				dbvhi_vec pos;
				memcpy( rot.m, poses[i].rot, sizeof rot.m );
				memcpy( pos.v, poses[i].pos, sizeof pos.v );
				apart += dbvhi_ellipsoids_disjoint( e, e, &rot, pos, 0.0 );
			}
		}
		least = fmin( least, spent / (double)times );
	}
	return apart == SIZE_MAX ? NAN : 1e9 * least; // looked at, so that they are made
}

// The least squares of the relative errors, by going along one coordinate after the other; no cost is negative.
static void fit( const mixed_row *rows, size_t count, double cost[4] ) {
	enum { TIMES = 20000 };
	double a[4][4] = { { 0 } }, b[4] = { 0 };
	for ( size_t i = 0; i < count; ++i ) {
		const mixed_row *r = &rows[i];
		const double x[4] = { 1.0 / r->us, r->spheres / r->us, r->boxes / r->us, r->triangles / r->us };
		for ( int j = 0; j < 4; ++j ) {
			b[j] += x[j];
			for ( int k = 0; k < 4; ++k )
				a[j][k] += x[j] * x[k];
		}
	}
	memset( cost, 0, 4 * sizeof *cost );
	for ( int time = 0; time < TIMES; ++time ) {
		for ( int j = 0; j < 4; ++j ) {
			double rest = b[j];
			for ( int k = 0; k < 4; ++k )
				rest -= k != j ? a[j][k] * cost[k] : 0.0;
			cost[j] = a[j][j] > 0.0 ? fmax( rest / a[j][j], 0.0 ) : 0.0;
		}
	}
}

static double time_of( const mixed_row *r, const double cost[4] ) {
	return cost[0] + cost[1] * r->spheres + cost[2] * r->boxes + cost[3] * r->triangles;
}

static double median_error( const mixed_row *rows, size_t count, const double cost[4] ) {
	double *errors = malloc( count * sizeof *errors );
	if ( errors == NULL || count == 0 ) {
		free( errors );
		return NAN;
	}
	for ( size_t i = 0; i < count; ++i )
		errors[i] = fabs( time_of( &rows[i], cost ) / rows[i].us - 1.0 );
	const double out = stats_median( errors, count );
	free( errors );
	return out;
}

void mixed_print_costs( const mixed_row *rows, size_t count, double ellipsoid_ns, bool packed ) {
	const dbvhi_ellipsoid_costs *c = packed ? &dbvhi_packed_costs : &dbvhi_reference_costs;
	const double used[4] = { 1e-3 * c->query, 1e-3 * c->sphere, 1e-3 * c->box, 1e-3 * c->triangle };
	double found[4];
	fit( rows, count, found );
	const char *const form = packed ? "packed form" : "reference tree";
	const char *const what = packed ? "query, 4 x 4 spheres, box, pair of leaves" : "query, sphere, box, triangle";
	printf( "costs of the %s in ns (%s; ellipsoid)\n"
	        "  fitted to %zu rows %8.1f %8.1f %8.1f %8.1f; %6.1f  median error %4.1f %%\n"
	        "  used by the choice %7.1f %8.1f %8.1f %8.1f; %6.1f  median error %4.1f %%\n",
	        form, what, count, 1e3 * found[0], 1e3 * found[1], 1e3 * found[2], 1e3 * found[3], ellipsoid_ns,
	        100.0 * median_error( rows, count, found ), c->query, c->sphere, c->box, c->triangle, c->ellipsoid,
	        100.0 * median_error( rows, count, used ) );
}
