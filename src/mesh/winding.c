// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Copies. A component of which every triangle is there more than once (the same three points, in any order) is one
// surface stored several times, or once for each of its sides. All but the lowest triangle of each place are copies.
//
// Orientation. Where as many triangles run up every edge as down, the surface has a winding number about every point as
// it is. Else triangles are turned until neighbours agree, if every edge has two, and the surface is kept as most of
// its triangles were. What neither does counts by the even-odd rule.

#include "base/alloc.h"
#include "base/assert.h"
#include "mesh/buckets.h"
#include "mesh/topology.h"

#include <string.h>

static bool runs_up( const dbvhi_topology *t, uint32_t side ) {
	DBVHI_ASSERT( side < 3 * t->triangle_count );
	return dbvhi_topology_start( t, side ) < dbvhi_topology_end( t, side );
}

void dbvhi_topology_see_edge( dbvhi_topology *t, size_t e ) {
	DBVHI_ASSERT( e < t->edge_count );
	size_t up[2] = { 0, 0 }, down[2] = { 0, 0 };
	for ( uint32_t k = t->edge_begin[e]; k < t->edge_begin[e + 1]; ++k ) {
		const uint32_t side = t->side[k];
		if ( t->winding[side / 3] == DBVHI_WINDING_COPY )
			continue;
		for ( int i = 0; i <= ( t->degenerate[side / 3] ? 0 : 1 ); ++i )
			*( runs_up( t, side ) ? &up[i] : &down[i] ) += 1;
	}
	unsigned bits = 0;
	for ( int i = 0; i < 2; ++i ) {
		const size_t all = up[i] + down[i];
		bits |= ( all % 2 == 0 ? DBVHI_EDGES_EVEN : 0u ) << i;
		bits |= ( up[i] == down[i] ? DBVHI_EDGES_BALANCED : 0u ) << i;
		bits |= ( all == 0 || all == 2 ? DBVHI_EDGES_OF_TWO : 0u ) << i;
	}
	t->even[t->component[t->side[t->edge_begin[e]] / 3]] &= (uint8_t)bits;
}

// ------------------------------------------------------------------------------------------------
// Copies

static bool same_points( const dbvhi_topology *t, uint32_t i, uint32_t j ) {
	DBVHI_ASSERT( i < t->triangle_count && j < t->triangle_count );
	const uint32_t *p = t->corner + 3 * (size_t)i, *q = t->corner + 3 * (size_t)j;
	for ( int k = 0; k < 3; ++k ) {
		if ( p[k] != q[0] && p[k] != q[1] && p[k] != q[2] )
			return false;
	}
	return true;
}

// Is there another triangle in the place of this one, which has an area?
static bool has_copy( const dbvhi_topology *t, uint32_t triangle ) {
	DBVHI_ASSERT( triangle < t->triangle_count );
	const uint32_t edge = t->edge[3 * (size_t)triangle];
	for ( uint32_t k = t->edge_begin[edge]; k < t->edge_begin[edge + 1]; ++k ) {
		if ( t->side[k] / 3 != triangle && same_points( t, triangle, t->side[k] / 3 ) )
			return true;
	}
	return false;
}

// Components that may be there several times: their first triangle is. Returns how many there are.
static size_t list_suspects( const dbvhi_topology *t, uint8_t *suspect ) {
	size_t count = 0;
	memset( suspect, 0xff, t->component_count );
	for ( uint32_t i = 0; i < t->triangle_count; ++i ) {
		uint8_t *s = &suspect[t->component[i]];
		if ( *s != 0xff || t->degenerate[i] )
			continue;
		*s = has_copy( t, i );
		count += *s;
	}
	for ( size_t c = 0; c < t->component_count; ++c )
		suspect[c] = suspect[c] == 1;
	return count;
}

// A place is told by its lowest edge and its highest point.
static void sort_places( const dbvhi_topology *t, const uint8_t *suspect, dbvhi_buckets *buckets ) {
	dbvhi_buckets_clear( buckets );
	for ( int pass = 0; pass < 2; ++pass ) {
		for ( size_t i = 0; i < t->triangle_count; ++i ) {
			if ( !suspect[t->component[i]] || t->degenerate[i] )
				continue;
			const uint32_t *e = t->edge + 3 * i, *p = t->corner + 3 * i;
			uint32_t edge = e[0] < e[1] ? e[0] : e[1], point = p[0] > p[1] ? p[0] : p[1];
			edge = e[2] < edge ? e[2] : edge;
			point = p[2] > point ? p[2] : point;
			if ( pass == 0 )
				dbvhi_buckets_count( buckets, edge );
			else
				dbvhi_buckets_put( buckets, edge, (uint64_t)point << 32 | i );
		}
		if ( pass == 0 )
			dbvhi_buckets_begin( buckets );
	}
	dbvhi_buckets_sort( buckets );
}

// suspect: 1 stays where every place is taken twice, 2 where copies are the other way round besides.
static void try_suspects( dbvhi_topology *t, uint8_t *suspect, const dbvhi_buckets *buckets, bool mark ) {
	for ( size_t b = 0; b < t->edge_count; ++b ) {
		for ( size_t k = buckets->begin[b]; k < buckets->begin[b + 1]; ) {
			const uint32_t first = (uint32_t)buckets->keys[k], c = t->component[first];
			size_t end = k + 1;
			while ( end < buckets->begin[b + 1] && buckets->keys[end] >> 32 == buckets->keys[k] >> 32 )
				end += 1;
			if ( !mark && end == k + 1 )
				suspect[c] = 0;
			for ( size_t i = k + 1; i < end && suspect[c] != 0; ++i ) {
				const uint32_t other = (uint32_t)buckets->keys[i];
				if ( mark )
					t->winding[other] = DBVHI_WINDING_COPY;
				else if ( !dbvhi_topology_same_turn( t, first, other ) )
					suspect[c] = 2;
			}
			k = end;
		}
	}
}

static bool find_copies( dbvhi_topology *t, const dbvh_allocator *allocator, uint8_t *suspect ) {
	if ( list_suspects( t, suspect ) == 0 )
		return true;
	dbvhi_buckets buckets;
	if ( !dbvhi_buckets_alloc( &buckets, allocator, t->edge_count, t->triangle_count ) )
		return false;
	sort_places( t, suspect, &buckets );
	try_suspects( t, suspect, &buckets, false );
	try_suspects( t, suspect, &buckets, true );
	dbvhi_buckets_free( &buckets, allocator );
	for ( size_t c = 0; c < t->component_count; ++c ) {
		if ( suspect[c] != 0 )
			t->even[c] = DBVHI_EDGES_UNSEEN;
	}
	for ( size_t e = 0; e < t->edge_count; ++e ) {
		if ( suspect[t->component[t->side[t->edge_begin[e]] / 3]] != 0 )
			dbvhi_topology_see_edge( t, e );
	}
	return true;
}

// ------------------------------------------------------------------------------------------------
// Orientation

// The triangles that make a component's edges even: all, or those with an area.
static bool takes_part( const dbvhi_topology *t, bool all, uint32_t triangle ) {
	DBVHI_ASSERT( triangle < t->triangle_count );
	return t->winding[triangle] != DBVHI_WINDING_COPY && ( all || !t->degenerate[triangle] );
}

// Turns triangles until neighbours agree, beginning with one that stays; then all of them if most were the other way
// round. False if neighbours cannot agree, or as many are turned as not.
static bool turn_piece( dbvhi_topology *t, bool all, uint32_t first, uint32_t *queue ) {
	DBVHI_ASSERT( first < t->triangle_count );
	size_t count = 0;
	int64_t kept = 0;
	bool agree = true;
	queue[count++] = first;
	t->winding[first] = 1;
	for ( size_t i = 0; i < count; ++i ) {
		const uint32_t triangle = queue[i];
		kept += t->degenerate[triangle] ? 0 : t->winding[triangle];
		for ( uint32_t side = 3 * triangle; side < 3 * triangle + 3; ++side ) {
			const uint32_t edge = t->edge[side];
			if ( edge == DBVHI_NO_EDGE )
				continue;
			for ( uint32_t k = t->edge_begin[edge]; k < t->edge_begin[edge + 1]; ++k ) {
				const uint32_t other = t->side[k] / 3;
				if ( t->side[k] == side || !takes_part( t, all, other ) )
					continue;
				const bool against = runs_up( t, side ) != runs_up( t, t->side[k] );
				const int8_t turn = against ? t->winding[triangle] : (int8_t)-t->winding[triangle];
				if ( t->winding[other] == 0 ) {
					t->winding[other] = turn;
					queue[count++] = other;
				}
				agree = agree && t->winding[other] == turn;
			}
		}
	}
	for ( size_t i = 0; i < count && kept < 0; ++i )
		t->winding[queue[i]] = (int8_t)-t->winding[queue[i]];
	return agree && kept != 0;
}

// The possible plans for a component.
enum { SHEET, AS_IT_IS, TURN_ALL, TURN_AREAS, PARITY };

static uint8_t plan_for( unsigned edges, bool both_ways ) {
	const bool even_all = ( edges & DBVHI_EDGES_EVEN ) != 0, even_areas = ( edges & 2 * DBVHI_EDGES_EVEN ) != 0;
	if ( !even_all && !even_areas )
		return SHEET;
	if ( both_ways )
		return PARITY;
	if ( ( edges & 3 * DBVHI_EDGES_BALANCED ) != 0 )
		return AS_IT_IS;
	if ( ( edges & 2 * DBVHI_EDGES_OF_TWO ) != 0 )
		return TURN_AREAS;
	return ( edges & DBVHI_EDGES_OF_TWO ) != 0 ? TURN_ALL : PARITY;
}

static bool orient( dbvhi_topology *t, const dbvh_allocator *allocator, uint8_t *plan ) {
	bool any_turned = false;
	for ( size_t c = 0; c < t->component_count; ++c ) {
		plan[c] = plan_for( t->even[c], plan[c] == 2 );
		t->even[c] = plan[c] != SHEET;
		any_turned = any_turned || plan[c] == TURN_ALL || plan[c] == TURN_AREAS;
	}
	if ( any_turned ) {
		uint32_t *queue = dbvhi_alloc( allocator, t->triangle_count, sizeof *queue );
		if ( queue == NULL )
			return false;
		for ( uint32_t i = 0; i < t->triangle_count; ++i ) {
			uint8_t *p = &plan[t->component[i]];
			const bool all = *p == TURN_ALL;
			if ( ( all || *p == TURN_AREAS ) && t->winding[i] == 0 && takes_part( t, all, i ) &&
			     !turn_piece( t, all, i, queue ) )
				*p = PARITY;
		}
		dbvhi_free( allocator, queue, t->triangle_count, sizeof *queue );
	}
	for ( uint32_t i = 0; i < t->triangle_count; ++i ) {
		const uint8_t p = plan[t->component[i]];
		if ( t->winding[i] == DBVHI_WINDING_COPY )
			continue;
		if ( t->degenerate[i] )
			t->winding[i] = 0;
		else if ( p == AS_IT_IS )
			t->winding[i] = 1;
		else if ( p == PARITY )
			t->winding[i] = DBVHI_WINDING_PARITY;
	}
	return true;
}

bool dbvhi_topology_wind( dbvhi_topology *t, const dbvh_allocator *allocator ) {
	uint8_t *suspect = dbvhi_alloc( allocator, t->component_count, sizeof *suspect );
	if ( suspect == NULL )
		return false;
	const bool done = find_copies( t, allocator, suspect ) && orient( t, allocator, suspect );
	dbvhi_free( allocator, suspect, t->component_count, sizeof *suspect );
	return done;
}
