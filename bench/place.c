// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "place.h"

#include "base/hash.h"
#include "base/parallel.h"
#include "dualbvh/distance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PI 3.14159265358979323846

static void give_up( const char *why ) {
	fprintf( stderr, "dualbvh-bench: placing poses: %s\n", why );
	exit( 2 );
}

// ------------------------------------------------------------------------------------------------
// Configurations

static void direction( size_t index, double out[3] ) {
	double azimuth = 0.0, polar = 0.0;
	if ( index == PLACE_DIRECTIONS - 1 ) {
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

// Where the copy is when its centre lies `reach` from the fixed one's.
static dbvh_pose pose_at( const double centre[3], const double along[3], double rot[3][3], double reach ) {
	dbvh_pose pose;
	memcpy( pose.rot, rot, sizeof( pose.rot ) );
	for ( int i = 0; i < 3; ++i )
		pose.pos[i] =
		    centre[i] + reach * along[i] - ( rot[i][0] * centre[0] + rot[i][1] * centre[1] + rot[i][2] * centre[2] );
	return pose;
}

// ------------------------------------------------------------------------------------------------
// Placing

typedef struct work {
	const dbvh_tree *tree;
	double centre[3], radius;
	size_t count;
	dbvh_pose *rows[PLACE_ROWS]; // count each
	bool *missed;
} work;

// Moving by x changes the distance by at most x, so a step as long as what is still to go never jumps over the place:
// it is the first one from outside.
static void place_one( void *context, size_t index, uint32_t thread ) {
	(void)thread;
	work *w = context;
	const size_t total = (size_t)PLACE_DIRECTIONS * PLACE_ORIENTATIONS;
	const size_t configuration = (size_t)( (double)index * (double)total / (double)w->count );
	const double diameter = 2.0 * w->radius, tolerance = 0.25 * PLACE_ACCURACY * diameter;
	double along[3], rot[3][3];
	direction( configuration / PLACE_ORIENTATIONS, along );
	orientation( configuration % PLACE_ORIENTATIONS, rot );
	double reach = 2.2 * diameter, rest = INFINITY;
	dbvh_workspace *workspace = NULL;
	if ( dbvh_workspace_create( NULL, &workspace ) != DBVH_OK )
		give_up( "out of memory" );
	for ( int level = PLACE_LEVELS - 1; level >= 0; --level ) {
		// Just outside of the wanted distance, so that level 0 never meets.
		const double wanted = 0.01 * level * diameter + tolerance;
		for ( ;; ) {
			const dbvh_pose pose = pose_at( w->centre, along, rot, reach );
			dbvh_distance_result far;
			if ( dbvh_distance( w->tree, NULL, w->tree, &pose, NULL, workspace, &far ) != DBVH_OK )
				give_up( "a distance could not be measured" );
			rest = far.distance - wanted;
			if ( rest <= tolerance )
				break;
			reach -= rest;
			if ( reach < -2.0 * diameter ) {
				w->missed[index] = true;
				dbvh_workspace_destroy( workspace );
				return;
			}
		}
		w->rows[level][index] = pose_at( w->centre, along, rot, reach );
	}
	w->rows[PLACE_HITS][index] = pose_at( w->centre, along, rot, reach - 0.01 * diameter );

	dbvh_result result;
	if ( dbvh_collide( w->tree, NULL, w->tree, &w->rows[0][index], NULL, workspace, &result ) != DBVH_OK ||
	     result.verdict != DBVH_APART )
		give_up( "a pose that should just not touch does" );
	dbvh_workspace_destroy( workspace );
}

// ------------------------------------------------------------------------------------------------
// The cache

typedef struct cache_header {
	char magic[16];
	uint64_t content_hash, triangle_count, sample, count, missed;
	double diameter, accuracy;
	uint64_t pose_hash;
} cache_header;

static const char cache_magic[16] = "dbvh place v1\n";

static uint64_t hash_poses( const place_set *set ) {
	uint64_t hash = DBVHI_HASH_SEED;
	for ( int row = 0; row < PLACE_ROWS; ++row )
		for ( size_t i = 0; i < set->count; ++i ) {
			uint64_t words[12];
			memcpy( words, &set->rows[row][i], sizeof( words ) );
			for ( int k = 0; k < 12; ++k )
				hash = dbvhi_hash_word( hash, words[k] );
		}
	return hash;
}

static cache_header cache_expect( const dbvh_tree *tree, size_t sample ) {
	const dbvh_tree_stats stats = dbvh_tree_get_stats( tree );
	cache_header header = { .content_hash = stats.content_hash,
	                        .triangle_count = stats.triangle_count,
	                        .sample = sample,
	                        .diameter = 2.0 * stats.sphere_radius,
	                        .accuracy = PLACE_ACCURACY };
	memcpy( header.magic, cache_magic, sizeof( header.magic ) );
	return header;
}

static void cache_path( const cache_header *header, char *path, size_t size ) {
	const char *home = getenv( "XDG_CACHE_HOME" );
	char folder[600];
	snprintf( folder, sizeof( folder ), "%s%s", home != NULL ? home : BENCH_CACHE_FOLDER,
	          home != NULL ? "/dualbvh" : "" );
	mkdir( folder, 0777 ); // it may be there already; if it cannot be made, nothing is kept
	snprintf( path, size, "%s/place-%016llx-%llu.bin", folder, (unsigned long long)header->content_hash,
	          (unsigned long long)header->sample );
}

static void allocate( place_set *set, size_t count ) {
	for ( int row = 0; row < PLACE_ROWS; ++row ) {
		set->rows[row] = malloc( ( count > 0 ? count : 1 ) * sizeof( dbvh_pose ) );
		if ( set->rows[row] == NULL )
			give_up( "out of memory" );
	}
}

static bool cache_read( const cache_header *expected, place_set *set ) {
	char path[700];
	cache_path( expected, path, sizeof( path ) );
	FILE *file = fopen( path, "rb" );
	cache_header header;
	if ( file == NULL )
		return false;
	bool good = fread( &header, sizeof( header ), 1, file ) == 1 &&
	            memcmp( header.magic, expected->magic, sizeof( header.magic ) ) == 0 &&
	            header.content_hash == expected->content_hash && header.triangle_count == expected->triangle_count &&
	            header.sample == expected->sample && header.diameter == expected->diameter &&
	            header.accuracy == expected->accuracy && header.count + header.missed == header.sample;
	if ( good ) {
		*set = ( place_set ){ .diameter = header.diameter, .count = header.count, .missed = header.missed };
		allocate( set, set->count );
		for ( int row = 0; good && row < PLACE_ROWS; ++row )
			good = fread( set->rows[row], sizeof( dbvh_pose ), set->count, file ) == set->count;
		good = good && hash_poses( set ) == header.pose_hash;
		if ( !good )
			place_free( set );
	}
	fclose( file );
	return good;
}

// Under another name first, so that a reader never sees half a file. Failing costs the next run its time, no more.
static void cache_write( cache_header header, const place_set *set ) {
	char path[700], draft[720];
	cache_path( &header, path, sizeof( path ) );
	snprintf( draft, sizeof( draft ), "%s.new", path );
	header.count = set->count;
	header.missed = set->missed;
	header.pose_hash = hash_poses( set );
	FILE *file = fopen( draft, "wb" );
	if ( file == NULL )
		return;
	bool good = fwrite( &header, sizeof( header ), 1, file ) == 1;
	for ( int row = 0; good && row < PLACE_ROWS; ++row )
		good = fwrite( set->rows[row], sizeof( dbvh_pose ), set->count, file ) == set->count;
	good = fclose( file ) == 0 && good;
	if ( !good || rename( draft, path ) != 0 )
		remove( draft );
}

// ------------------------------------------------------------------------------------------------

static size_t whole_sample( size_t sample ) {
	const size_t total = (size_t)PLACE_DIRECTIONS * PLACE_ORIENTATIONS;
	return sample == 0 || sample > total ? total : sample;
}

place_set place_poses( const dbvh_tree *tree, size_t sample ) {
	const cache_header header = cache_expect( tree, whole_sample( sample ) );
	place_set set = { 0 };
	if ( cache_read( &header, &set ) )
		return set;

	const dbvh_tree_stats stats = dbvh_tree_get_stats( tree );
	set = ( place_set ){ .diameter = header.diameter };
	allocate( &set, header.sample );
	work w = { .tree = tree, .radius = stats.sphere_radius, .count = header.sample };
	memcpy( w.centre, stats.sphere_centre, sizeof( w.centre ) );
	memcpy( w.rows, set.rows, sizeof( w.rows ) );
	w.missed = calloc( w.count, sizeof( *w.missed ) );
	if ( w.missed == NULL )
		give_up( "out of memory" );
	fprintf( stderr, "placing %zu poses at %d distances; they are kept for the next time\n", w.count, PLACE_LEVELS );
	dbvhi_parallel_for( w.count, 1, 0, place_one, &w );

	for ( size_t i = 0; i < w.count; ++i ) {
		if ( w.missed[i] ) {
			set.missed += 1;
			continue;
		}
		for ( int row = 0; row < PLACE_ROWS; ++row )
			set.rows[row][set.count] = set.rows[row][i];
		set.count += 1;
	}
	free( w.missed );
	cache_write( header, &set );
	return set;
}

void place_free( place_set *set ) {
	for ( int row = 0; row < PLACE_ROWS; ++row )
		free( set->rows[row] );
	*set = ( place_set ){ 0 };
}

void place_forget( const dbvh_tree *tree, size_t sample ) {
	const cache_header header = cache_expect( tree, whole_sample( sample ) );
	char path[700];
	cache_path( &header, path, sizeof( path ) );
	remove( path );
}
