// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "query/common/nearest.h"

#include "base/assert.h"
#include "query/common/pair_search.h"

#include <math.h>
#include <string.h>

static dbvhi_posed_pair posed( dbvhi_nearest *s, const dbvhi_near_pair *pair, dbvhi_pair_room *room ) {
	return dbvhi_mesh_pair_triangles( &s->meshes, pair->fixed, pair->moved, room );
}

// Compute the distance of a pair. False if it is above `limit`.
static bool measure_exactly( dbvhi_nearest *s, const dbvhi_near_pair *pair, double limit, dbvhi_witness *out ) {
	dbvhi_pair_room room;
	const dbvhi_posed_pair p = posed( s, pair, &room );
	double distance;
	if ( !( pair->gap.lower > 0.0 ) ) {
		s->counters.exact_tests += 1;
		return dbvhi_triangles_distance_exact( &p, &pair->gap, limit, out );
	}
	if ( dbvhi_triangles_distance_near( &p, &pair->gap, limit, out ) )
		return true;
	dbvhi_tri_tri_bounds gap = pair->gap;
	if ( !dbvhi_triangles_rounded_near( &p, &gap, &distance ) && dbvhi_triangles_find_place( &p, &gap ) &&
	     dbvhi_triangles_distance_near( &p, &gap, limit, out ) )
		return true;
	s->counters.exact_tests += 1;
	return dbvhi_triangles_distance_exact( &p, &gap, limit, out );
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

// The waiting pair to compare first: of those that may be the nearest, the one with the lowest key, so that others at
// the same distance are no better and need not be compared.
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
	s->planes_state = DBVHI_PLANES_UNKNOWN;
	s->round += 1;
}

// The sign of a pair's distance minus that of the best one, both rounded up.
static int compare_with_best( dbvhi_nearest *s, const dbvhi_near_pair *pair ) {
	DBVHI_ASSERT( s->found );
	dbvhi_pair_room room, room_best;
	if ( pair->gap.upper < s->witness.distance || pair->gap.lower > s->witness.distance )
		return pair->gap.lower > s->witness.distance ? 1 : -1;
	const dbvhi_posed_pair p = posed( s, pair, &room );
	double distance;
	dbvhi_tri_tri_bounds gap = pair->gap;
	if ( dbvhi_triangles_rounded_near( &p, &gap, &distance ) ||
	     ( dbvhi_triangles_find_place( &p, &gap ) && dbvhi_triangles_rounded_near( &p, &gap, &distance ) ) )
		return ( distance > s->witness.distance ) - ( distance < s->witness.distance );
	const dbvhi_posed_pair best = posed( s, &s->pair, &room_best );
	s->counters.exact_tests += 1;
	return dbvhi_triangles_compare_exact( &p, &gap, &best, &s->witness );
}

// ------------------------------------------------------------------------------------------------
// Ties. If faces are parallel, or many triangles meet at the nearest corner, a great many pairs have the same distance,
// and the answer is the one with the lowest key. Take two planes through the nearest points, perpendicular to the line
// between them: two triangles that both stay behind their plane, on the side away from the other mesh, are no nearer
// than the best pair, so they can only be the answer if their key is lower.

static void find_planes( dbvhi_nearest *s ) {
	dbvhi_pair_room room;
	const dbvhi_posed_pair best = posed( s, &s->pair, &room );
	dbvhi_tri_tri_bounds gap = s->pair.gap;
	const bool near = dbvhi_distance_planes_init( &best, &gap, s->witness.distance, &s->planes ) ||
	                  ( dbvhi_triangles_find_place( &best, &gap ) &&
	                    dbvhi_distance_planes_init( &best, &gap, s->witness.distance, &s->planes ) );
	s->planes_state = near ? DBVHI_PLANES_NEAR : DBVHI_PLANES_EXACT;
	if ( !near )
		s->planes.no_nearer = s->planes.farther = 0.0;
}

// The number of exact decisions after which exact planes are used: asking them costs as much as some comparisons.
#define MANY_EXACT 256

// Bound how far a triangle reaches beyond its plane, towards the other mesh; negative if it stays behind the plane.
// With exact planes, 0 for a triangle that stays behind, else INFINITY.
static double ask_planes( dbvhi_nearest *s, bool moved, uint32_t leaf ) {
	double own[9], image[9];
	const double *triangle = dbvhi_tree_triangle( moved ? s->meshes.moved : s->meshes.fixed, leaf, own );
	if ( s->planes_state == DBVHI_PLANES_NEAR )
		return dbvhi_height_beyond( &s->planes, triangle, moved );
	dbvhi_pair_room room;
	const dbvhi_posed_pair best = posed( s, &s->pair, &room );
	if ( moved )
		dbvhi_triangle_move( &s->meshes.pose, triangle, image );
	s->counters.exact_tests += 1;
	return dbvhi_triangle_is_behind( &best, &s->witness, triangle, moved ? image : triangle, moved ) ? 0.0 : INFINITY;
}

static double height_of( dbvhi_nearest *s, bool moved, uint32_t leaf ) {
	DBVHI_ASSERT( leaf < ( moved ? s->meshes.moved : s->meshes.fixed )->triangle_count );
	const uint32_t half = DBVHI_KEPT_HEIGHTS / 2;
	dbvhi_kept_height *kept = &s->heights[( moved ? half : 0 ) + leaf % half];
	if ( kept->round != s->round || kept->leaf != leaf )
		*kept = ( dbvhi_kept_height ){ ask_planes( s, moved, leaf ), s->round, leaf };
	return kept->height;
}

// True if a pair is certainly no better than the best one: farther apart, or not nearer and with a higher key.
static bool is_no_better( dbvhi_nearest *s, const dbvhi_near_pair *pair, uint64_t key ) {
	DBVHI_ASSERT( s->found && s->witness.distance > 0.0 );
	if ( s->planes_state == DBVHI_PLANES_UNKNOWN )
		find_planes( s );
	if ( s->planes_state == DBVHI_PLANES_EXACT && s->counters.exact_tests < MANY_EXACT )
		return false;
	const double a = height_of( s, false, pair->fixed ), b = height_of( s, true, pair->moved );
	const double both = a + b, most = both + 0x1p-50 * ( fabs( a ) + fabs( b ) );
	return most < s->planes.farther || ( pair->key > key && most <= s->planes.no_nearer );
}

// True if the budget is spent: then the waiting pairs are dropped, and their bounds enter `at_least`.
static bool has_to_give_up( dbvhi_nearest *s ) {
	if ( dbvhi_work_charge_exact( &s->work, &s->counters ) || !s->found )
		return false;
	for ( uint32_t i = 0; i < s->count; ++i )
		s->at_least = fmin( s->at_least, s->waiting[i].gap.lower );
	s->at_least = fmax( fmin( s->at_least, s->bound ), 0.0 );
	s->count = 0;
	return true;
}

void dbvhi_nearest_settle( dbvhi_nearest *s ) {
	dbvhi_near_pair lowest = s->pair; // the pair with the lowest key among those at the distance of the best
	dbvhi_witness witness;
	drop_beyond( s, s->best );
	while ( s->count > 0 && !has_to_give_up( s ) ) {
		const uint32_t i = most_promising( s );
		const dbvhi_near_pair pair = s->waiting[i];
		drop( s, i );
		if ( s->found ) {
			if ( is_no_better( s, &pair, lowest.key ) )
				continue;
			const int order = compare_with_best( s, &pair );
			if ( order == 0 && pair.key < lowest.key )
				lowest = pair;
			if ( order >= 0 )
				continue;
		}
		if ( !measure_exactly( s, &pair, s->best, &witness ) )
			continue;
		take( s, &pair, &witness );
		lowest = pair;
		set_bound( s );
		drop_beyond( s, s->bound );
	}
	// note: the witness must be that of the pair that is named, so that it does not depend on the order of the search.
	if ( s->found && lowest.key != s->pair.key && measure_exactly( s, &lowest, s->best, &witness ) )
		take( s, &lowest, &witness );
	set_bound( s );
}

void dbvhi_nearest_merge( dbvhi_nearest *s, dbvhi_nearest *other ) {
	DBVHI_ASSERT( !allows_error( s ) );
	other->best = fmin( other->best, s->best );
	other->bound = other->best;
	dbvhi_nearest_settle( other );
	dbvhi_counters_add( &s->counters, &other->counters );
	if ( !other->found )
		return;
	const double distance = other->witness.distance;
	if ( !s->found || distance < s->witness.distance ||
	     ( distance == s->witness.distance && other->pair.key < s->pair.key ) )
		take( s, &other->pair, &other->witness );
	set_bound( s );
}

bool dbvhi_nearest_triangles( dbvhi_nearest *s, uint32_t i, uint32_t j ) {
	DBVHI_ASSERT( s->count <= DBVHI_NEAREST_CAPACITY );
	DBVHI_ASSERT( !( s->bound > s->best ) );
	dbvhi_near_pair pair = { .fixed = i, .moved = j, .key = dbvhi_mesh_pair_key( &s->meshes, i, j ) };
	if ( s->found && pair.key == s->pair.key )
		return false;
	if ( dbvhi_tree_is_divided( s->meshes.fixed, i ) || dbvhi_tree_is_divided( s->meshes.moved, j ) ) {
		// note: a pair that was not near enough when another of its fragments brought it up is not now.
		if ( dbvhi_seen_pairs_recall( s->seen, pair.key ) )
			return false;
	}
	if ( s->found && s->witness.distance > 0.0 && is_no_better( s, &pair, s->pair.key ) )
		return false;
	dbvhi_pair_room room;
	const dbvhi_posed_pair p = posed( s, &pair, &room );
	s->counters.triangle_tests += 1;
	dbvhi_triangles_gap( p.fixed, p.image, p.error, &pair.gap );
	if ( pair.gap.lower > s->bound )
		return false;
	if ( pair.gap.lower == 0.0 ) {
		// The pair may intersect, which would end the search, so it is measured at once.
		dbvhi_witness witness;
		if ( !measure_exactly( s, &pair, s->best, &witness ) )
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
