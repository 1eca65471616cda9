// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "query/distance/nearest.h"

#include "base/assert.h"

#include <math.h>
#include <string.h>

static dbvhi_posed_pair posed( dbvhi_nearest *s, const dbvhi_near_pair *pair, double image[9] ) {
	return dbvhi_mesh_pair_triangles( &s->meshes, pair->fixed, pair->moved, image );
}

// The distance itself, if it is not above `limit`.
static bool measure( dbvhi_nearest *s, const dbvhi_near_pair *pair, double limit, dbvhi_witness *out ) {
	double image[9];
	const dbvhi_posed_pair p = posed( s, pair, image );
	s->counters.exact_tests += 1;
	return dbvhi_triangles_distance_exact( &p, &pair->gap, limit, out );
}

static void drop( dbvhi_nearest *s, uint32_t i ) {
	DBVHI_ASSERT( i < s->count );
	s->waiting[i] = s->waiting[--s->count];
}

static void drop_beyond( dbvhi_nearest *s, double distance ) {
	for ( uint32_t i = s->count; i-- > 0; ) {
		if ( s->waiting[i].gap.lower > distance )
			drop( s, i );
	}
}

// Which one to compare first: of those that may be the nearest, the lowest, so that others that are as near are no
// better and need not be compared.
static uint32_t most_promising( const dbvhi_nearest *s ) {
	DBVHI_ASSERT( s->count > 0 );
	double least = INFINITY;
	for ( uint32_t i = 0; i < s->count; ++i )
		least = fmin( least, s->waiting[i].gap.upper );
	uint32_t best = 0;
	uint64_t key = UINT64_MAX;
	for ( uint32_t i = 0; i < s->count; ++i ) {
		if ( s->waiting[i].gap.lower <= least && s->waiting[i].key < key ) {
			key = s->waiting[i].key;
			best = i;
		}
	}
	return best;
}

static bool allows_error( const dbvhi_nearest *s ) {
	return s->relative_error > 0.0 || s->absolute_error > 0.0;
}

static void set_bound( dbvhi_nearest *s ) {
	if ( !s->touched || !allows_error( s ) || isinf( s->best ) ) {
		s->bound = s->best;
		return;
	}
	const double bound = ( s->best - s->absolute_error ) / ( 1.0 + s->relative_error );
	s->bound = bound - fabs( bound ) * 0x1p-50;
}

static void take( dbvhi_nearest *s, const dbvhi_near_pair *pair, const dbvhi_witness *witness ) {
	DBVHI_ASSERT( witness->distance >= 0.0 );
	s->found = true;
	s->touched = true;
	s->pair = *pair;
	s->witness = *witness;
	s->best = fmin( s->best, witness->distance );
}

// The sign of a pair's distance minus that of the best one, both rounded up.
static int compare( dbvhi_nearest *s, const dbvhi_near_pair *pair ) {
	DBVHI_ASSERT( s->found );
	double image[9], image_best[9];
	const dbvhi_posed_pair p = posed( s, pair, image ), best = posed( s, &s->pair, image_best );
	s->counters.exact_tests += 1;
	return dbvhi_triangles_compare_exact( &p, &pair->gap, &best, &s->witness );
}

// ------------------------------------------------------------------------------------------------
// Ties. All triangles round a vertex are as near as that vertex is, and each would be compared with each of as many.
// But what is behind a plane through it is no nearer: that is decided once a triangle, and of pairs that are behind on
// both sides only those that are lower than the best can be better.

#define MANY_EXACT 256 // exact comparisons before that is looked at

// Which answer: 2 round, or 2 round + 1 where the triangle is behind.
static bool is_behind( dbvhi_nearest *s, bool moved, uint32_t leaf ) {
	DBVHI_ASSERT( s->behind != NULL && s->round > 0 );
	DBVHI_ASSERT( leaf < ( moved ? s->meshes.moved : s->meshes.fixed )->triangle_count );
	uint32_t *answer = &s->behind[moved ? s->meshes.fixed->triangle_count + leaf : leaf];
	if ( *answer / 2 != s->round ) {
		double image[9], image_plane[9];
		const dbvhi_posed_pair plane = posed( s, &s->plane_pair, image_plane );
		const double *triangle = ( moved ? s->meshes.moved : s->meshes.fixed )->corners + 9 * (size_t)leaf;
		if ( moved )
			dbvhi_triangle_move( &s->meshes.pose, triangle, image );
		s->counters.exact_tests += 1;
		*answer =
		    2 * s->round + dbvhi_triangle_is_behind( &plane, &s->plane, triangle, moved ? image : triangle, moved );
	}
	return *answer % 2 != 0;
}

// Begins to look, or looks from a plane that tells more.
static void set_plane( dbvhi_nearest *s ) {
	if ( !s->found || s->counters.exact_tests < MANY_EXACT ||
	     ( s->behind != NULL && s->witness.distance >= s->plane.distance ) )
		return;
	if ( s->behind == NULL ) {
		s->behind = s->behind_memory;
		memset( s->behind, 0,
		        ( s->meshes.fixed->triangle_count + s->meshes.moved->triangle_count ) * sizeof *s->behind );
	}
	s->plane_pair = s->pair;
	s->plane = s->witness;
	s->round += 1;
}

void dbvhi_nearest_settle( dbvhi_nearest *s ) {
	dbvhi_near_pair lowest = s->pair; // of those that are as near as the best
	dbvhi_witness witness;
	drop_beyond( s, s->best );
	while ( s->count > 0 ) {
		const uint32_t i = most_promising( s );
		const dbvhi_near_pair pair = s->waiting[i];
		drop( s, i );
		if ( s->found ) {
			const int order = compare( s, &pair );
			if ( order == 0 && pair.key < lowest.key )
				lowest = pair;
			if ( order >= 0 )
				continue;
		}
		if ( !measure( s, &pair, s->best, &witness ) )
			continue;
		take( s, &pair, &witness );
		lowest = pair;
		set_bound( s );
		drop_beyond( s, s->bound );
	}
	// The witness is that pair's own, so that it does not depend on the order in which pairs were found.
	if ( s->found && lowest.key != s->pair.key && measure( s, &lowest, s->best, &witness ) )
		take( s, &lowest, &witness );
	set_bound( s );
	set_plane( s );
}

bool dbvhi_nearest_triangles( dbvhi_nearest *s, uint32_t i, uint32_t j ) {
	DBVHI_ASSERT( s->count <= DBVHI_NEAREST_CAPACITY );
	DBVHI_ASSERT( !( s->bound > s->best ) );
	dbvhi_near_pair pair = { .fixed = i, .moved = j, .key = dbvhi_mesh_pair_key( &s->meshes, i, j ) };
	if ( dbvhi_tree_is_divided( s->meshes.fixed, i ) || dbvhi_tree_is_divided( s->meshes.moved, j ) ) {
		// Once is enough: what was not near enough then is not now.
		if ( dbvhi_noted_recall( s->noted, pair.key ) )
			return false;
	}
	if ( s->behind != NULL && pair.key > s->pair.key && is_behind( s, false, i ) && is_behind( s, true, j ) )
		return false;
	double image[9];
	const dbvhi_posed_pair p = posed( s, &pair, image );
	s->counters.triangle_tests += 1;
	dbvhi_triangles_gap( p.fixed, image, p.error, &pair.gap );
	if ( pair.gap.lower > s->bound )
		return false;
	if ( pair.gap.lower == 0.0 ) {
		// They may intersect, and then all is over.
		dbvhi_witness witness;
		if ( !measure( s, &pair, s->best, &witness ) )
			return false;
		if ( !s->found || witness.distance < s->witness.distance ||
		     ( witness.distance == s->witness.distance && pair.key < s->pair.key ) )
			take( s, &pair, &witness );
		s->touched = true;
		set_bound( s );
		return witness.distance == 0.0 || s->bound < 0.0;
	}
	if ( pair.gap.upper < s->best ) {
		s->best = pair.gap.upper;
		s->touched = true;
		set_bound( s );
	}
	if ( s->count == DBVHI_NEAREST_CAPACITY ) {
		drop_beyond( s, s->best );
		if ( s->count == DBVHI_NEAREST_CAPACITY )
			dbvhi_nearest_settle( s );
	}
	if ( pair.gap.lower <= s->best )
		s->waiting[s->count++] = pair;
	return s->bound < 0.0;
}
