// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "common/poses.h"

#include "base/hash.h"
#include "base/parallel.h"
#include "cli/progress.h"
#include "common/cache.h"
#include "common/mpi.h"
#include "common/stats.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

static void give_up( const char *why ) {
	fprintf( stderr, "dualbvh-bench: placing poses: %s\n", why );
	mpi_exit( 2 );
}

// ------------------------------------------------------------------------------------------------
// Configurations

static void direction( size_t index, double out[3] ) {
	double azimuth = 0.0, polar = 0.0;
	if ( index == POSES_DIRECTIONS - 1 ) {
		polar = PI;
	} else if ( index > 0 ) {
		azimuth = (double)( ( index - 1 ) % 24 ) * PI / 12.0;
		polar = (double)( ( index - 1 ) / 24 + 1 ) * PI / 12.0;
	}
	out[0] = sin( polar ) * cos( azimuth );
	out[1] = sin( polar ) * sin( azimuth );
	out[2] = cos( polar );
}

// Rz( e0 ) * Rx( e1 ) * Rz( e2 ); the middle angle takes 0 to 180 degrees.
static void orientation( size_t index, double out[3][3] ) {
	const double e0 = (double)( index / 24 ) * PI / 3.0, e1 = (double)( index / 6 % 4 ) * PI / 3.0,
	             e2 = (double)( index % 6 ) * PI / 3.0;
	const double c0 = cos( e0 ), s0 = sin( e0 ), c1 = cos( e1 ), s1 = sin( e1 ), c2 = cos( e2 ), s2 = sin( e2 );
	out[0][0] = c0 * c2 - s0 * c1 * s2;
	out[0][1] = -c0 * s2 - s0 * c1 * c2;
	out[0][2] = s0 * s1;
	out[1][0] = s0 * c2 + c0 * c1 * s2;
	out[1][1] = -s0 * s2 + c0 * c1 * c2;
	out[1][2] = -c0 * s1;
	out[2][0] = s1 * s2;
	out[2][1] = s1 * c2;
	out[2][2] = c1;
}

// Rx( e0 ) * Ry( e1 ) * Rz( e2 ); the middle angle takes -90 to 90 degrees.
static void orientation_xyz( size_t index, double out[3][3] ) {
	const double e0 = (double)( index / 24 ) * PI / 3.0, e1 = (double)( index / 6 % 4 ) * PI / 3.0 - PI / 2.0,
	             e2 = (double)( index % 6 ) * PI / 3.0;
	const double c0 = cos( e0 ), s0 = sin( e0 ), c1 = cos( e1 ), s1 = sin( e1 ), c2 = cos( e2 ), s2 = sin( e2 );
	out[0][0] = c1 * c2;
	out[0][1] = -c1 * s2;
	out[0][2] = s1;
	out[1][0] = c0 * s2 + s0 * s1 * c2;
	out[1][1] = c0 * c2 - s0 * s1 * s2;
	out[1][2] = -s0 * c1;
	out[2][0] = s0 * s2 - c0 * s1 * c2;
	out[2][1] = s0 * c2 + c0 * s1 * s2;
	out[2][2] = c0 * c1;
}

// The pose of the copy whose centre lies `reach` from the fixed one's.
static dbvh_pose pose_at( const double centre[3], const double along[3], double rot[3][3], double reach ) {
	dbvh_pose pose;
	memcpy( pose.rot, rot, sizeof( pose.rot ) );
	for ( int i = 0; i < 3; ++i )
		pose.pos[i] =
		    centre[i] + reach * along[i] - ( rot[i][0] * centre[0] + rot[i][1] * centre[1] + rot[i][2] * centre[2] );
	return pose;
}

// ------------------------------------------------------------------------------------------------
// Lines

// The line on which the copy comes in: along `along`, away from the centre, from `start` to `end`.
typedef struct line {
	double along[3], rot[3][3];
	double start, end;
} line;

typedef struct work {
	const dbvh_tree *tree;
	poses_options options;
	double centre[3], radius, size;
	size_t total, count; // lines there are, lines taken
	uint64_t key;
	double ( *reaches )[POSES_ROWS]; // count; how far the centres are apart, NAN where there is no such pose
	dbvh_workspace *workspaces[DBVHI_MAX_THREADS];
	atomic_size_t done;
} work;

static double grid_cell( const work *w ) {
	const double half = 2.0 * w->radius + 0.01 * ( POSES_LEVELS - 1 ) * w->size;
	return 2.0 * half / w->options.cells;
}

// False where there is nothing to be found on it.
static bool make_line( const work *w, size_t index, line *out ) {
	const size_t which = (size_t)( (double)index * (double)w->total / (double)w->count );
	if ( w->options.angles == POSES_ANGLES_XYZ )
		orientation_xyz( which % POSES_ORIENTATIONS, out->rot );
	else
		orientation( which % POSES_ORIENTATIONS, out->rot );
	if ( w->options.method == POSES_SPHERE ) {
		direction( which / POSES_ORIENTATIONS, out->along );
		out->start = 4.4 * w->radius;
		out->end = -4.0 * w->radius;
		return true;
	}
	const double cell = grid_cell( w );
	const size_t n = w->options.cells;
	size_t at = which / POSES_ORIENTATIONS;
	double sum = 0.0;
	for ( int k = 0; k < 3; ++k, at /= n ) {
		out->along[k] = ( (double)( at % n ) + 0.5 - 0.5 * (double)n ) * cell;
		sum += out->along[k] * out->along[k];
	}
	out->start = sqrt( sum ); // not 0, since n is even
	for ( int k = 0; k < 3; ++k )
		out->along[k] /= out->start;
	const double half_diagonal = 0.5 * sqrt( 3.0 ) * cell;
	out->end = fmax( out->start - half_diagonal, 0.0 );
	// Spheres farther apart than that hold nothing that comes near enough on the way.
	return out->end - 2.0 * w->radius <= 0.01 * ( POSES_LEVELS - 1 ) * w->size;
}

// The allowed error of distances: large beside the margins of a traversal in floats, so that these can prune.
static double distance_error( const work *w ) {
	return w->options.loose ? 0.25 * POSES_ACCURACY * w->size : 0.0;
}

// The distance at a reach: not above the truth, and below it by at most distance_error().
static double distance_at( const work *w, const line *l, double reach, dbvh_workspace *workspace ) {
	const dbvh_pose pose = pose_at( w->centre, l->along, (double( * )[3])l->rot, reach );
	const dbvh_distance_query query = { .absolute_error = distance_error( w ) };
	dbvh_distance_result far;
	if ( dbvh_distance( w->tree, NULL, w->tree, &pose, &query, workspace, &far, NULL ) != DBVH_OK )
		give_up( "a distance could not be measured" );
	return far.distance - distance_error( w );
}

// A place at the wanted distance between the centre and the start, or NAN.
static double halve( const work *w, const line *l, double wanted, double tolerance, dbvh_workspace *workspace ) {
	double low = 0.0, high = l->start;
	while ( high - low > tolerance ) {
		const double middle = 0.5 * ( low + high );
		if ( distance_at( w, l, middle, workspace ) < wanted )
			low = middle;
		else
			high = middle;
	}
	return low > 0.0 ? high : NAN;
}

static void place_line_by_halves( const work *w, const line *l, double reaches[POSES_ROWS],
                                  dbvh_workspace *workspace ) {
	const double tolerance = 0.25 * POSES_ACCURACY * w->size;
	for ( int level = 0; level < POSES_LEVELS; ++level )
		reaches[level] = halve( w, l, 0.01 * level * w->size + tolerance, tolerance, workspace );
	reaches[POSES_HITS] = reaches[0] - 0.02 * w->radius;
}

static bool collides( const work *w, const line *l, double reach, dbvh_workspace *workspace ) {
	const dbvh_pose pose = pose_at( w->centre, l->along, (double( * )[3])l->rot, reach );
	dbvh_collide_result result;
	if ( dbvh_collide( w->tree, NULL, w->tree, &pose, NULL, workspace, &result, NULL ) != DBVH_OK )
		give_up( "a pose could not be tested" );
	return result.verdict == DBVH_INTERSECTING;
}

// Enclosing spheres that touch collide only by rounding, which the first step leaves behind.
static void place_line_by_steps( const work *w, const line *l, double reaches[POSES_ROWS], dbvh_workspace *workspace ) {
	const double step = 0.01 * w->size, start = 2.0 * w->radius;
	int taken = 0;
	while ( start - taken * step > l->end && !collides( w, l, start - taken * step, workspace ) )
		taken += 1;
	if ( start - taken * step <= l->end )
		return;
	for ( int level = 0; level < POSES_LEVELS; ++level )
		reaches[level] = start - ( taken - level ) * step;
	reaches[POSES_HITS] = reaches[0] - 0.02 * w->radius;
}

// Moving by x changes the distance by at most x, so a step as long as what is still to go never jumps over the place:
// it is the first one from outside.
static void place_line( const work *w, size_t index, dbvh_workspace *workspace ) {
	double *reaches = w->reaches[index];
	for ( int row = 0; row < POSES_ROWS; ++row )
		reaches[row] = NAN;
	line l;
	if ( !make_line( w, index, &l ) )
		return;
	if ( w->options.stop == POSES_STOP_HALVES ) {
		place_line_by_halves( w, &l, reaches, workspace );
		return;
	}
	if ( w->options.stop == POSES_STOP_STEPS ) {
		place_line_by_steps( w, &l, reaches, workspace );
		return;
	}
	const double tolerance = 0.25 * POSES_ACCURACY * w->size;
	double reach = l.start, distance = distance_at( w, &l, reach, workspace );
	for ( int level = POSES_LEVELS - 1; level >= 0; --level ) {
		// Just outside of the wanted distance, so that level 0 never intersects.
		const double wanted = 0.01 * level * w->size + tolerance;
		// A line that begins too near has nothing to offer for this level.
		if ( distance < wanted )
			continue;
		while ( distance - wanted > tolerance ) {
			reach -= distance - wanted;
			if ( reach < l.end )
				return;
			distance = distance_at( w, &l, reach, workspace );
		}
		reaches[level] = reach;
	}
	if ( isnan( reaches[0] ) )
		return;
	reaches[POSES_HITS] = reach - 0.02 * w->radius;
	if ( collides( w, &l, reach, workspace ) )
		give_up( "a pose that should just not touch does" );
}

// ------------------------------------------------------------------------------------------------
// Blocks of lines: what is dealt out and kept while the rest is not there yet

enum { BLOCK = 256 };

static size_t block_count( const work *w ) {
	return ( w->count + BLOCK - 1 ) / BLOCK;
}

static size_t block_size( const work *w, size_t block ) {
	const size_t begin = block * BLOCK;
	return w->count - begin < BLOCK ? w->count - begin : BLOCK;
}

static void block_path( const work *w, size_t block, char path[CACHE_PATH_SIZE] ) {
	char name[80];
	snprintf( name, sizeof( name ), "poses-%016llx-block-%zu.bin", (unsigned long long)w->key, block );
	cache_path( name, path );
}

static void whole_path( const work *w, char path[CACHE_PATH_SIZE] ) {
	char name[80];
	snprintf( name, sizeof( name ), "poses-%016llx.bin", (unsigned long long)w->key );
	cache_path( name, path );
}

static void place_block( void *context, size_t index, uint32_t thread ) {
	work *w = context;
	const size_t block = index * mpi_rank_count() + mpi_rank(), begin = block * BLOCK, size = block_size( w, block );
	char path[CACHE_PATH_SIZE];
	block_path( w, block, path );
	const size_t bytes = size * sizeof( *w->reaches );
	if ( !cache_load( path, w->key + block, w->reaches[begin], bytes ) ) {
		if ( w->workspaces[thread] == NULL && dbvh_workspace_create( NULL, &w->workspaces[thread], NULL ) != DBVH_OK )
			give_up( "out of memory" );
		for ( size_t i = 0; i < size; ++i ) {
			place_line( w, begin + i, w->workspaces[thread] );
			const size_t done = atomic_fetch_add( &w->done, 1 ) * mpi_rank_count();
			if ( thread == 0 )
				progress_step( "placing", done, w->count );
		}
		cache_store( path, w->key + block, w->reaches[begin], bytes );
	} else {
		atomic_fetch_add( &w->done, size );
	}
}

// ------------------------------------------------------------------------------------------------
// The whole

static work make_work( const dbvh_tree *tree, const poses_options *options ) {
	const dbvh_tree_stats stats = dbvh_tree_get_stats( tree );
	const dbvh_sphere *sphere = options->sphere != NULL ? options->sphere : &stats.sphere;
	work w = { .tree = tree, .options = *options, .radius = sphere->radius };
	memcpy( w.centre, sphere->centre, sizeof( w.centre ) );
	w.size = options->size == POSES_RADIUS     ? w.radius
	         : options->size == POSES_DIAMETER ? 2.0 * w.radius
	                                           : options->length;
	if ( w.options.cells == 0 )
		w.options.cells = POSES_CELLS;
	w.total = POSES_TOTAL;
	if ( options->method == POSES_GRID )
		w.total = (size_t)POSES_ORIENTATIONS * w.options.cells * w.options.cells * w.options.cells;
	w.count = options->sample == 0 || options->sample > w.total ? w.total : options->sample;
	// The key of the cache: everything that the poses depend on.
	const double lengths[] = { w.size, w.radius, w.centre[0], w.centre[1], w.centre[2], POSES_ACCURACY };
	const uint64_t numbers[] = {
	    stats.content_hash, stats.triangle_count, (uint64_t)options->method, w.options.cells, w.count, BLOCK };
	w.key = cache_hash_text( DBVHI_HASH_SEED, "poses 3" );
	w.key = cache_hash( w.key, lengths, sizeof( lengths ) );
	w.key = cache_hash( w.key, numbers, sizeof( numbers ) );
	if ( options->loose )
		w.key = cache_hash_text( w.key, "loose" );
	if ( options->stop == POSES_STOP_HALVES )
		w.key = cache_hash_text( w.key, "halves" );
	if ( options->stop == POSES_STOP_STEPS )
		w.key = cache_hash_text( w.key, "steps" );
	if ( options->angles == POSES_ANGLES_XYZ )
		w.key = cache_hash_text( w.key, "xyz" );
	return w;
}

static pose_set make_set( const work *w, uint64_t *hash_out ) {
	pose_set set = { .diameter = 2.0 * w->radius, .size = w->size, .lines = w->count };
	uint64_t hash = w->key;
	for ( int row = 0; row < POSES_ROWS; ++row ) {
		set.rows[row] = malloc( ( w->count > 0 ? w->count : 1 ) * sizeof( dbvh_pose ) );
		if ( set.rows[row] == NULL )
			give_up( "out of memory" );
	}
	for ( size_t i = 0; i < w->count; ++i ) {
		line l;
		make_line( w, i, &l );
		bool all = true;
		for ( int row = 0; row < POSES_ROWS; ++row )
			all = all && !isnan( w->reaches[i][row] );
		// The sphere method is to have the same lines in every row.
		if ( w->options.method == POSES_SPHERE && !all ) {
			set.missed += 1;
			continue;
		}
		for ( int row = 0; row < POSES_ROWS; ++row )
			if ( !isnan( w->reaches[i][row] ) ) {
				const dbvh_pose pose = pose_at( w->centre, l.along, l.rot, w->reaches[i][row] );
				set.rows[row][set.counts[row]++] = pose;
				hash = cache_hash( hash, &pose, sizeof( pose ) );
			}
	}
	if ( w->options.method == POSES_SPHERE )
		set.count = set.counts[0];
	*hash_out = hash;
	return set;
}

// The file holds the ways on the lines and, after them, the hash of the poses that they gave: another machine's sines
// may give others, and then level 0 has not been checked.
pose_set poses_at_distances( const dbvh_tree *tree, const poses_options *options ) {
	work w = make_work( tree, options );
	const size_t bytes = ( w.count + 1 ) * sizeof( *w.reaches );
	w.reaches = calloc( ( block_count( &w ) + 1 ) * BLOCK, sizeof( *w.reaches ) ); // room for whole blocks
	if ( w.reaches == NULL )
		give_up( "out of memory" );
	char path[CACHE_PATH_SIZE];
	whole_path( &w, path );
	uint64_t hash, kept;
	if ( cache_load( path, w.key, w.reaches, bytes ) ) {
		pose_set set = make_set( &w, &hash );
		memcpy( &kept, w.reaches[w.count], sizeof( kept ) );
		if ( kept == hash ) {
			free( w.reaches );
			return set;
		}
		pose_set_free( &set );
	}

	const double start = stats_now();
	progress_begin( mpi_rank() == 0 );
	const size_t blocks = block_count( &w );
	const size_t mine = blocks > mpi_rank() ? ( blocks - mpi_rank() - 1 ) / mpi_rank_count() + 1 : 0;
	dbvhi_parallel_for( mine, 1, dbvhi_thread_count( 0 ), place_block, &w );
	for ( int i = 0; i < DBVHI_MAX_THREADS; ++i )
		dbvh_workspace_destroy( w.workspaces[i] );
	mpi_exchange( w.reaches, BLOCK * sizeof( *w.reaches ), blocks );
	progress_end();
	pose_set set = make_set( &w, &hash );
	memset( w.reaches[w.count], 0, sizeof( *w.reaches ) );
	memcpy( w.reaches[w.count], &hash, sizeof( hash ) );
	if ( mpi_rank() == 0 ) {
		const bool stored = cache_store( path, w.key, w.reaches, bytes );
		fprintf( stderr, "placed %zu lines at %d distances in %.1f s%s\n", w.count, POSES_LEVELS, stats_now() - start,
		         stored ? "; they are kept for the next time" : "; they could NOT be kept" );
		for ( size_t block = 0; stored && block < blocks; ++block ) {
			block_path( &w, block, path );
			remove( path );
		}
	}
	free( w.reaches );
	return set;
}

pose_set poses_by_sphere( const dbvh_tree *tree, size_t sample ) {
	return poses_at_distances( tree, &( poses_options ){ .sample = sample } );
}

void pose_set_free( pose_set *set ) {
	for ( int row = 0; row < POSES_ROWS; ++row )
		free( set->rows[row] );
	*set = ( pose_set ){ 0 };
}

void poses_forget( const dbvh_tree *tree, const poses_options *options ) {
	const work w = make_work( tree, options );
	char path[CACHE_PATH_SIZE];
	whole_path( &w, path );
	remove( path );
	for ( size_t block = 0; block < block_count( &w ); ++block ) {
		block_path( &w, block, path );
		remove( path );
	}
}
