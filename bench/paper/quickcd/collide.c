// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A query: what depends on the pose, the climb of one node, triangles at leaves, and what was found.

#include "base/sort.h"
#include "dualbvh/isa.h"
#include "exact/tri_tri.h"
#include "tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// u, half a step of a float at 1.
#define U 0x1p-24

static float round_up( double x ) {
	const float f = (float)x;
	return (double)f >= x ? f : nextafterf( f, INFINITY );
}

static bool is_within( double x, double exponent_low, double exponent_high ) {
	return x >= exponent_low && x <= exponent_high;
}

// A point y of the flying frame is
//
//     ratio rot y + T,   ratio = scale_e stretch_e / ( scale_f stretch_f ),
//     T = stretch_e ( scale_e / scale_f rot centre_f + scale_e pos - centre_e )
//
// in the environment's. Along d_i that is ratio ( rot^T d_i ) y + d_i T. Write L for ratio |rot^T d_i|_1, which is more
// than 0.99 ratio, and bounds the first term. What is lost, in units of u L: 0.5 for a point on the grid, or 3 for a
// corner of a DOP (2 where corners were made one, 0.5 as they become floats, 0.5 for the points on the grid that made
// the DOP); 1 for the direction as a float; 3 for products and sums; 1 for adding `raise`; and by climbing 0.8, as the
// direction climbed in is off by 2^-26 for the vertex found and for the one that should have been, and 1 as the value
// becomes a float. That is less than 10. Adding `raise` also loses u |d_i T|. T itself is off by 8 times 2^-53 times
// the sum of the sizes of its terms, d_i T by three roundings more. What underflows is less than 2^-130.
void quickcd_aim( quickcd_run *run ) {
	const quickcd_tree *e = run->environment, *f = run->flying;
	const double( *rot )[3] = run->pose->rot;
	const int k = e->options.k;
	const signed char( *d )[3] = quickcd_directions( k );
	const double of_scales = e->scale / f->scale;
	double offset[3], offset_error = 0.0, offset_size = 0.0;
	run->ratio = of_scales * ( e->stretch / f->stretch );
	for ( int i = 0; i < 3; ++i ) {
		double sum = 0.0, size = 0.0;
		for ( int j = 0; j < 3; ++j ) {
			sum += rot[i][j] * f->centre[j];
			size += fabs( rot[i][j] * f->centre[j] );
		}
		const double pos = e->scale * run->pose->pos[i];
		offset[i] = e->stretch * ( of_scales * sum + pos - e->centre[i] );
		offset_error += 0x1p-50 * e->stretch * ( of_scales * size + fabs( pos ) + fabs( e->centre[i] ) );
		offset_size += fabs( offset[i] );
	}
	// Meshes too unlike in size, or too far apart, for floats to hold both: no direction separates.
	const bool blind = !is_within( of_scales, 0x1p-500, 0x1p500 ) || !is_within( run->ratio, 0x1p-60, 0x1p60 ) ||
	                   !( offset_size < 0x1p90 ) || !( offset_error < 0x1p90 );
	memset( run->direction, 0, sizeof run->direction );
	for ( int i = 0; i < QUICKCD_LANES; ++i )
		run->raise[0][i] = run->raise[1][i] = INFINITY;
	for ( int i = 0; i < k / 2; ++i ) {
		double length = 0.0, along = 0.0;
		for ( int j = 0; j < 3; ++j ) {
			const double turned = d[i][0] * rot[0][j] + d[i][1] * rot[1][j] + d[i][2] * rot[2][j];
			length += fabs( turned ) * run->ratio;
			along += d[i][j] * offset[j];
			run->turned[i][j] = rint( turned * 0x1p25 ) * 0x1p-25;
			run->direction[j][i] = blind ? 0.0f : (float)( turned * run->ratio );
		}
		if ( blind )
			continue;
		const double error =
		    U * ( 12.0 * length + 2.0 * fabs( along ) ) + offset_error + 0x1p-50 * offset_size + 0x1p-120;
		run->raise[0][i] = round_up( along + error );
		run->raise[1][i] = round_up( error - along );
	}
	run->nearest_ready = false;
}

// ------------------------------------------------------------------------------------------------
// Climbing

static void find_nearest( quickcd_run *run ) {
	for ( int i = 0; i < run->environment->options.k / 2; ++i ) {
		double most = -INFINITY;
		for ( int s = 0; s < QUICKCD_SEEDS; ++s ) {
			const signed char *d = quickcd_all_directions[s / 2];
			const double size = sqrt( (double)( d[0] * d[0] + d[1] * d[1] + d[2] * d[2] ) );
			const double along =
			    ( d[0] * run->turned[i][0] + d[1] * run->turned[i][1] + d[2] * run->turned[i][2] ) / size;
			if ( ( s % 2 == 0 ? along : -along ) > most ) {
				most = s % 2 == 0 ? along : -along;
				run->nearest[0][i] = (uint8_t)s;
				run->nearest[1][i] = (uint8_t)( s ^ 1 );
			}
		}
	}
	run->nearest_ready = true;
}

static float value_at( const quickcd_run *run, const quickcd_hull *hull, uint32_t v, int i ) {
	const float *p = hull->vertices + 3 * (size_t)v;
	return (float)( run->ratio * ( run->turned[i][0] * (double)p[0] + run->turned[i][1] * (double)p[1] +
	                               run->turned[i][2] * (double)p[2] ) );
}

void quickcd_climb( quickcd_run *run, const quickcd_hull *hull, float highest[QUICKCD_LANES],
                    float lowest[QUICKCD_LANES] ) {
	if ( !run->nearest_ready )
		find_nearest( run );
	for ( int i = 0; i < run->environment->options.k / 2; ++i ) {
		const double *up = run->turned[i];
		const double down[3] = { -up[0], -up[1], -up[2] };
		const uint32_t top =
		    quickcd_hull_climb( hull, up, hull->seed[run->nearest[0][i]], &run->counters.climbing_steps );
		const uint32_t bottom =
		    quickcd_hull_climb( hull, down, hull->seed[run->nearest[1][i]], &run->counters.climbing_steps );
		highest[i] = value_at( run, hull, top, i );
		lowest[i] = value_at( run, hull, bottom, i );
	}
}

// ------------------------------------------------------------------------------------------------
// Leaves

static double smaller( double a, double b ) {
	return a < b ? a : b;
}

static double larger( double a, double b ) {
	return a > b ? a : b;
}

static void bounds_of( const double x[9], double low[3], double high[3] ) {
	for ( int k = 0; k < 3; ++k ) {
		low[k] = smaller( smaller( x[k], x[3 + k] ), x[6 + k] );
		high[k] = larger( larger( x[k], x[3 + k] ), x[6 + k] );
	}
}

static bool record( quickcd_run *run, uint32_t i, uint32_t j ) {
	quickcd_work *w = run->work;
	if ( w->key_count == w->key_capacity ) {
		const size_t capacity = 2 * w->key_capacity + 256;
		uint64_t *keys = realloc( w->keys, capacity * sizeof *keys );
		if ( keys != NULL )
			w->keys = keys;
		dbvh_pair *pairs = realloc( w->pairs, capacity * sizeof *pairs );
		if ( pairs != NULL )
			w->pairs = pairs;
		if ( keys == NULL || pairs == NULL ) {
			w->failed = true;
			return true;
		}
		w->key_capacity = capacity;
	}
	w->keys[w->key_count++] = (uint64_t)run->environment->triangle[i] << 32 | run->flying->triangle[j];
	return !run->find_all;
}

static bool meet( const quickcd_run *run, const double *fixed, const double *moved, const double *image ) {
	const dbvhi_answer answer = dbvhi_triangles_filter( fixed, image, run->error );
	return answer != DBVHI_UNSURE ? answer == DBVHI_INTERSECTING
	                              : dbvhi_triangles_intersect_exact( fixed, moved, image, run->pose, run->error );
}

// Leaves of one triangle each: their DOPs overlap, so the triangles are looked at straight away.
static bool single_leaves( quickcd_run *run, uint32_t i, uint32_t j ) {
	const double *fixed = run->environment->corners + 9 * (size_t)i, *moved = run->flying->corners + 9 * (size_t)j;
	double image[9];
	dbvhi_triangle_move( run->pose, moved, image );
	run->counters.triangle_tests += 1;
	return meet( run, fixed, moved, image ) && record( run, i, j );
}

bool quickcd_leaves( quickcd_run *run, quickcd_links environment, quickcd_links flying ) {
	if ( environment.count == 1 && flying.count == 1 )
		return single_leaves( run, environment.first, flying.first );
	// Larger leaves are gone through again and again: their triangles are moved once, and boxes keep most from the
	// test.
	quickcd_work *w = run->work;
	if ( w->image_stamps[flying.first] != w->query ) {
		w->image_stamps[flying.first] = w->query;
		for ( uint32_t j = flying.first; j < flying.first + flying.count; ++j ) {
			double *image = w->images + 15 * (size_t)j;
			dbvhi_triangle_move( run->pose, run->flying->corners + 9 * (size_t)j, image );
			bounds_of( image, image + 9, image + 12 );
		}
	}
	// Differences are rounded by less than half: twice the error suffices.
	const double reach = 2.0 * run->error;
	run->counters.triangle_boxes += (uint64_t)environment.count * flying.count;
	for ( uint32_t i = environment.first; i < environment.first + environment.count; ++i ) {
		const double *fixed = run->environment->corners + 9 * (size_t)i;
		double low[3], high[3];
		bounds_of( fixed, low, high );
		for ( uint32_t j = flying.first; j < flying.first + flying.count; ++j ) {
			const double *image = w->images + 15 * (size_t)j;
			const int apart = ( image[9] - high[0] > reach ) | ( low[0] - image[12] > reach ) |
			                  ( image[10] - high[1] > reach ) | ( low[1] - image[13] > reach ) |
			                  ( image[11] - high[2] > reach ) | ( low[2] - image[14] > reach );
			if ( apart )
				continue;
			run->counters.triangle_tests += 1;
			if ( meet( run, fixed, run->flying->corners + 9 * (size_t)j, image ) && record( run, i, j ) )
				return true;
		}
	}
	return false;
}

// ------------------------------------------------------------------------------------------------
// Work

quickcd_work *quickcd_work_create( void ) {
	return calloc( 1, sizeof( quickcd_work ) );
}

void quickcd_work_free( quickcd_work *w ) {
	if ( w == NULL )
		return;
	free( w->stamps );
	free( w->slabs );
	free( w->image_stamps );
	free( w->images );
	free( w->stack );
	free( w->keys );
	free( w->pairs );
	free( w );
}

bool quickcd_work_fit( quickcd_work *w, const quickcd_tree *environment, const quickcd_tree *flying ) {
	if ( flying->node_count > w->node_capacity || flying->triangle_count > w->triangle_capacity ) {
		const size_t nodes = flying->node_count, triangles = flying->triangle_count;
		free( w->stamps );
		free( w->slabs );
		free( w->image_stamps );
		free( w->images );
		w->stamps = calloc( nodes, sizeof *w->stamps );
		w->slabs = malloc( 2 * QUICKCD_LANES * nodes * sizeof *w->slabs );
		w->image_stamps = calloc( triangles, sizeof *w->image_stamps );
		w->images = malloc( 15 * triangles * sizeof *w->images );
		w->query = 0;
		w->node_capacity = w->triangle_capacity = 0;
		if ( w->stamps == NULL || w->slabs == NULL || w->image_stamps == NULL || w->images == NULL )
			return false;
		w->node_capacity = nodes;
		w->triangle_capacity = triangles;
	}
	const size_t depth = 2 * ( environment->depth + flying->depth + 2 );
	if ( depth > w->stack_capacity ) {
		free( w->stack );
		w->stack = malloc( depth * sizeof *w->stack );
		w->stack_capacity = w->stack != NULL ? depth : 0;
	}
	return w->stack != NULL;
}

quickcd_kernel quickcd_kernel_current( int k ) {
#ifdef QUICKCD_HAVE_X86_KERNELS
	const char *isa = dbvh_isa_name();
	if ( strcmp( isa, "avx512" ) == 0 )
		return quickcd_kernel_avx512( k );
	if ( strcmp( isa, "avx2" ) == 0 )
		return quickcd_kernel_avx2( k );
#endif
	return quickcd_kernel_baseline( k );
}

static void next_query( quickcd_work *w ) {
	w->key_count = 0;
	w->failed = false;
	if ( ++w->query == 0 ) {
		// Once in four thousand million queries: old stamps would look new.
		memset( w->stamps, 0, w->node_capacity * sizeof *w->stamps );
		memset( w->image_stamps, 0, w->triangle_capacity * sizeof *w->image_stamps );
		w->query = 1;
	}
}

bool quickcd_collide( const quickcd_tree *environment, const quickcd_tree *flying, const dbvh_pose *pose,
                      dbvh_find find, quickcd_work *work, quickcd_result *out ) {
	*out = ( quickcd_result ){ 0 };
	if ( !flying->options.flying || environment->options.k != flying->options.k ||
	     dbvh_pose_check( pose, NULL, NULL ) != DBVH_OK || !quickcd_work_fit( work, environment, flying ) )
		return false;
	next_query( work );
	quickcd_run run;
	run.environment = environment;
	run.flying = flying;
	run.pose = pose;
	run.work = work;
	run.find_all = find == DBVH_FIND_ALL;
	run.error = dbvhi_move_error( pose, flying->largest );
	run.counters = ( quickcd_counters ){ 0 };
	quickcd_aim( &run );
	const quickcd_kernel kernel = quickcd_kernel_current( environment->options.k );
	( flying->options.rule == QUICKCD_LARGER_FIRST ? kernel.traverse_larger : kernel.traverse )( &run );
	out->counters = run.counters;
	if ( work->failed )
		return false;
	out->verdict = work->key_count > 0 ? DBVH_INTERSECTING : DBVH_DISJOINT;
	out->pair_count = work->key_count;
	out->pairs = work->pairs;
	dbvhi_sort_u64( work->keys, work->key_count );
	for ( size_t i = 0; i < work->key_count; ++i )
		work->pairs[i] = ( dbvh_pair ){ (uint32_t)( work->keys[i] >> 32 ), (uint32_t)work->keys[i] };
	return true;
}
