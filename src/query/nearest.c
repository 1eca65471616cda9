// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "query/nearest.h"

#include "exact/triangles.h"

#include <math.h>
#include <string.h>

static dbvhi_posed_pair posed( const dbvhi_nearest *s, const dbvhi_near_pair *pair, double image[9] ) {
	const double *fixed = s->fixed->corners + 9 * (size_t)pair->fixed;
	const double *moved = s->moved->corners + 9 * (size_t)pair->moved;
	dbvhi_triangle_move( s->pose, moved, image );
	return ( dbvhi_posed_pair ){ fixed, moved, image, s->pose, s->error };
}

// The distance itself, if it is not above `limit`.
static bool measure( dbvhi_nearest *s, const dbvhi_near_pair *pair, double limit, dbvhi_witness *out ) {
	double image[9];
	const dbvhi_posed_pair p = posed( s, pair, image );
	s->counters.exact_tests += 1;
	return dbvhi_triangles_distance_exact( &p, &pair->gap, limit, out );
}

static bool has_corner( const double triangle[9], const double corner[3] ) {
	for ( int i = 0; i < 3; ++i ) {
		if ( memcmp( triangle + 3 * i, corner, 3 * sizeof( double ) ) == 0 )
			return true;
	}
	return false;
}

static bool has_corners( const double triangle[9], const double other[9], uint32_t corners ) {
	for ( int i = 0; i < 3; ++i ) {
		if ( ( corners >> i & 1 ) != 0 && !has_corner( triangle, other + 3 * i ) )
			return false;
	}
	return true;
}

// Does a pair have the vertices, edges or faces that the best one's distance is taken between? Neighbours in a mesh do,
// and are as near then without any arithmetic.
static bool shares_feature( const dbvhi_nearest *s, const dbvhi_near_pair *pair ) {
	return has_corners( s->fixed->corners + 9 * (size_t)pair->fixed, s->fixed->corners + 9 * (size_t)s->pair.fixed,
	                    s->witness.corners_fixed ) &&
	       has_corners( s->moved->corners + 9 * (size_t)pair->moved, s->moved->corners + 9 * (size_t)s->pair.moved,
	                    s->witness.corners_moved );
}

static void drop( dbvhi_nearest *s, uint32_t i ) {
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
	s->found = true;
	s->touched = true;
	s->pair = *pair;
	s->witness = *witness;
	s->best = fmin( s->best, witness->distance );
}

void dbvhi_nearest_settle( dbvhi_nearest *s ) {
	drop_beyond( s, s->best );
	while ( s->count > 0 ) {
		const uint32_t i = most_promising( s );
		const dbvhi_near_pair pair = s->waiting[i];
		drop( s, i );
		dbvhi_witness witness;
		if ( s->found && s->witness.distance > 0.0 && shares_feature( s, &pair ) ) {
			if ( pair.key >= s->pair.key )
				continue;
			// The corners of the feature are others in that pair's order, so it has to be measured; but only once, when
			// no lower one is left.
			bool lower = false;
			for ( uint32_t k = 0; k < s->count; ++k )
				lower = lower || ( s->waiting[k].key < pair.key && shares_feature( s, &s->waiting[k] ) );
			if ( lower )
				continue;
		}
		if ( !measure( s, &pair, s->best, &witness ) )
			continue;
		if ( s->found && !( witness.distance < s->witness.distance ) && pair.key > s->pair.key )
			continue;
		take( s, &pair, &witness );
		set_bound( s );
		drop_beyond( s, s->bound );
	}
}

bool dbvhi_nearest_triangles( dbvhi_nearest *s, uint32_t i, uint32_t j ) {
	dbvhi_near_pair pair = { .fixed = i, .moved = j };
	double image[9];
	const dbvhi_posed_pair p = posed( s, &pair, image );
	s->counters.triangle_tests += 1;
	dbvhi_triangles_gap( p.fixed, image, p.error, &pair.gap );
	if ( pair.gap.lower > s->bound )
		return false;
	const uint32_t fixed = s->fixed->triangle[i], moved = s->moved->triangle[j];
	pair.key = s->a_moves ? (uint64_t)moved << 32 | fixed : (uint64_t)fixed << 32 | moved;
	if ( pair.gap.lower == 0.0 ) {
		// They may meet, and then all is over.
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
	if ( s->count == DBVHI_NEAREST_ROOM ) {
		drop_beyond( s, s->best );
		if ( s->count == DBVHI_NEAREST_ROOM )
			dbvhi_nearest_settle( s );
	}
	if ( pair.gap.lower <= s->best )
		s->waiting[s->count++] = pair;
	return s->bound < 0.0;
}
