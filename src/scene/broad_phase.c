// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "scene/broad_phase.h"

#include "base/assert.h"
#include "base/sort.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

const double dbvhi_box_nowhere[DBVHI_BOX_NUMBERS] = { INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY };

// Boxes of equal size on a grid that all touch their neighbours have 13 pairs a box.
#define PAIRS_A_BOX 16
#define PAIRS_ALWAYS 65536
// Groups whose pairs are found between two questions whether to go on.
#define GROUPS_AT_ONCE 1024

// ------------------------------------------------------------------------------------------------
// Memory

void dbvhi_broad_phase_init( dbvhi_broad_phase *phase, const dbvh_allocator *allocator ) {
	memset( phase, 0, sizeof *phase );
	phase->allocator = *allocator;
	phase->has_tree = phase->has_list = true; // both empty
	phase->pairs_a_box = PAIRS_A_BOX;
	phase->pairs_always = PAIRS_ALWAYS;
}

void dbvhi_broad_phase_free( dbvhi_broad_phase *p ) {
	const dbvh_allocator *a = &p->allocator;
	dbvhi_free( a, p->boxes, p->box_capacity, DBVHI_BOX_NUMBERS * sizeof( double ) );
	dbvhi_free( a, p->seat, p->seat_capacity, sizeof *p->seat );
	for ( int k = 0; k <= DBVHI_LARGE_TREE; ++k )
		dbvhi_bulk_free( &p->tree[k], a );
	dbvhi_number_set_free( &p->since_tree, a );
	dbvhi_number_set_free( &p->since_list, a );
	dbvhi_free( a, p->pairs, p->pair_capacity, sizeof *p->pairs );
	dbvhi_free( a, p->scratch, p->scratch_capacity, sizeof *p->scratch );
	memset( p, 0, sizeof *p );
}

static bool copy_arrays( dbvhi_broad_phase *to, const dbvhi_broad_phase *from ) {
	const dbvh_allocator *a = &to->allocator;
	bool has_copied =
	    dbvhi_copy_array( a, &to->boxes, &to->box_capacity, from->boxes, from->count,
	                      DBVHI_BOX_NUMBERS * sizeof( double ) ) &&
	    dbvhi_copy_array( a, &to->seat, &to->seat_capacity, from->seat, from->count, sizeof *to->seat ) &&
	    dbvhi_copy_array( a, &to->pairs, &to->pair_capacity, from->pairs, from->pair_count, sizeof *to->pairs ) &&
	    dbvhi_number_set_copy( &to->since_tree, &from->since_tree, a, from->count ) &&
	    dbvhi_number_set_copy( &to->since_list, &from->since_list, a, from->count );
	for ( int k = 0; k <= DBVHI_LARGE_TREE && has_copied; ++k )
		has_copied = dbvhi_bulk_copy( &to->tree[k], &from->tree[k], a );
	return has_copied;
}

dbvh_status dbvhi_broad_phase_copy( dbvhi_broad_phase *to, const dbvhi_broad_phase *from,
                                    const dbvh_allocator *allocator ) {
	dbvhi_broad_phase_init( to, allocator );
	to->count = from->count;
	to->has_tree = from->has_tree;
	to->has_list = from->has_list;
	to->is_crowded = from->is_crowded;
	to->pair_count = from->pair_count;
	to->pairs_a_box = from->pairs_a_box;
	to->pairs_always = from->pairs_always;
	return copy_arrays( to, from ) ? DBVH_OK : DBVH_OUT_OF_MEMORY;
}

dbvh_status dbvhi_broad_phase_resize( dbvhi_broad_phase *p, size_t count ) {
	if ( !dbvhi_grow_array( &p->allocator, &p->boxes, &p->box_capacity, count, DBVHI_BOX_NUMBERS * sizeof( double ) ) ||
	     !dbvhi_grow_array( &p->allocator, &p->seat, &p->seat_capacity, count, sizeof *p->seat ) ||
	     !dbvhi_number_set_require( &p->since_tree, &p->allocator, count ) ||
	     !dbvhi_number_set_require( &p->since_list, &p->allocator, count ) )
		return DBVH_OUT_OF_MEMORY;
	for ( size_t i = p->count; i < count; ++i ) {
		memcpy( p->boxes + DBVHI_BOX_NUMBERS * i, dbvhi_box_nowhere, sizeof dbvhi_box_nowhere );
		p->seat[i].tree = DBVHI_NO_TREE;
	}
	if ( count < p->count )
		p->has_tree = p->has_list = false;
	// With more boxes a list may be longer: a crowd may be none any more.
	if ( count > p->count && p->is_crowded )
		p->has_list = false;
	p->count = count;
	return DBVH_OK;
}

void dbvhi_broad_phase_set( dbvhi_broad_phase *p, uint32_t number, const double box[DBVHI_BOX_NUMBERS] ) {
	double *mine = p->boxes + DBVHI_BOX_NUMBERS * (size_t)number;
	if ( memcmp( mine, box, DBVHI_BOX_NUMBERS * sizeof( double ) ) == 0 )
		return;
	memcpy( mine, box, DBVHI_BOX_NUMBERS * sizeof( double ) );
	if ( p->has_tree )
		dbvhi_number_set_add( &p->since_tree, number );
	if ( p->has_list )
		dbvhi_number_set_add( &p->since_list, number );
}

// ------------------------------------------------------------------------------------------------
// The trees

// Tell the boxes of a tree where they are.
static void seat_boxes( dbvhi_broad_phase *p, uint32_t k ) {
	const dbvhi_bulk_tree *t = &p->tree[k];
	for ( size_t i = 0; i < t->places; ++i ) {
		if ( t->order[i] != DBVHI_NO_NUMBER )
			p->seat[t->order[i]] = ( dbvhi_seat ){ (uint32_t)i, k };
	}
}

static size_t live_in_small( const dbvhi_broad_phase *p ) {
	size_t live = 0;
	for ( int k = 0; k < DBVHI_SMALL_TREES; ++k )
		live += p->tree[k].live;
	return live;
}

static void clear_small( dbvhi_broad_phase *p, int end ) {
	for ( int k = 0; k < end; ++k )
		p->tree[k].live = p->tree[k].places = 0;
}

// Put all boxes into the large tree.
static dbvh_status make_large( dbvhi_broad_phase *p, dbvhi_meter *watch ) {
	p->has_tree = false;
	if ( !dbvhi_grow_array( &p->allocator, &p->scratch, &p->scratch_capacity, 2 * p->count, sizeof *p->scratch ) )
		return DBVH_OUT_OF_MEMORY;
	clear_small( p, DBVHI_SMALL_TREES );
	DBVHI_TRY(
	    dbvhi_bulk_make( &p->tree[DBVHI_LARGE_TREE], &p->allocator, p->boxes, NULL, p->count, p->scratch, watch ) );
	seat_boxes( p, DBVHI_LARGE_TREE );
	p->has_tree = true;
	return DBVH_OK;
}

// Put the boxes of the small trees up to number `last` into that one.
static dbvh_status merge_small( dbvhi_broad_phase *p, uint32_t last, size_t live, dbvhi_meter *watch ) {
	// The numbers lie behind the room for keys.
	if ( !dbvhi_grow_array( &p->allocator, &p->scratch, &p->scratch_capacity, 3 * live, sizeof *p->scratch ) )
		return DBVH_OUT_OF_MEMORY;
	uint32_t *numbers = (uint32_t *)( p->scratch + 2 * live );
	size_t count = 0;
	for ( uint32_t k = 0; k <= last; ++k ) {
		for ( size_t i = 0; i < p->tree[k].places; ++i ) {
			if ( p->tree[k].order[i] != DBVHI_NO_NUMBER )
				numbers[count++] = p->tree[k].order[i];
		}
	}
	DBVHI_ASSERT( count == live );
	clear_small( p, (int)last );
	DBVHI_TRY( dbvhi_bulk_make( &p->tree[last], &p->allocator, p->boxes, numbers, count, p->scratch, watch ) );
	seat_boxes( p, last );
	return DBVH_OK;
}

// Empty the first small tree, which is full, into the first one that has room, or into the large one.
static dbvh_status empty_first( dbvhi_broad_phase *p, dbvhi_meter *watch ) {
	size_t live = p->tree[0].live, room = DBVHI_SMALL_ROOM;
	if ( live_in_small( p ) > p->count / 4 )
		return make_large( p, watch );
	for ( uint32_t k = 1; k < DBVHI_SMALL_TREES; ++k ) {
		live += p->tree[k].live;
		room *= 4;
		if ( live <= room )
			return merge_small( p, k, live, watch );
	}
	return make_large( p, watch );
}

static dbvh_status insert_box( dbvhi_broad_phase *p, uint32_t number, dbvhi_meter *watch ) {
	if ( p->tree[0].places == DBVHI_SMALL_ROOM ) {
		DBVHI_TRY( empty_first( p, watch ) );
		if ( p->seat[number].tree != DBVHI_NO_TREE ) // all boxes have gone into the large tree
			return DBVH_OK;
	}
	dbvhi_bulk_tree *first = &p->tree[0];
	if ( first->places == 0 && !dbvhi_bulk_make_empty( first, &p->allocator, DBVHI_SMALL_ROOM,
	                                                   p->boxes + DBVHI_BOX_NUMBERS * (size_t)number ) )
		return DBVH_OUT_OF_MEMORY;
	p->seat[number] = ( dbvhi_seat ){ (uint32_t)first->places++, 0 };
	dbvhi_bulk_put( first, p->seat[number].place, number, p->boxes );
	return DBVH_OK;
}

// Put a box that has changed where it is now.
static dbvh_status mend_box( dbvhi_broad_phase *p, uint32_t number, dbvhi_meter *watch ) {
	const double *box = p->boxes + DBVHI_BOX_NUMBERS * (size_t)number;
	const dbvhi_seat seat = p->seat[number];
	const bool is_somewhere = dbvhi_box_is_somewhere( box );
	if ( seat.tree == DBVHI_NO_TREE )
		return is_somewhere ? insert_box( p, number, watch ) : DBVH_OK;
	dbvhi_bulk_tree *t = &p->tree[seat.tree];
	if ( !is_somewhere || seat.tree == 0 || dbvhi_bulk_is_home( t, seat.place, box ) ) {
		dbvhi_bulk_put( t, seat.place, number, p->boxes );
		return DBVH_OK;
	}
	dbvhi_bulk_put( t, seat.place, DBVHI_NO_NUMBER, p->boxes );
	p->seat[number].tree = DBVHI_NO_TREE;
	return insert_box( p, number, watch );
}

// Few enough to go one by one: one box costs as much as about eight of all that are done in a row.
static bool are_few( const dbvhi_broad_phase *p, const dbvhi_number_set *changed ) {
	return changed->count < p->count / 8;
}

// Many boxes have changed: keep the order if it is good enough.
static dbvh_status refit_or_make( dbvhi_broad_phase *p, dbvhi_meter *watch ) {
	const bool is_whole = p->has_tree && p->tree[DBVHI_LARGE_TREE].live == p->count && live_in_small( p ) == 0;
	return is_whole && dbvhi_bulk_refit( &p->tree[DBVHI_LARGE_TREE], p->boxes ) ? DBVH_OK : make_large( p, watch );
}

dbvh_status dbvhi_broad_phase_update( dbvhi_broad_phase *p, dbvhi_meter *watch ) {
	if ( p->has_tree && p->since_tree.count == 0 )
		return DBVH_OK;
	dbvh_status status = DBVH_OK;
	if ( p->has_tree && are_few( p, &p->since_tree ) ) {
		for ( size_t i = 0; i < p->since_tree.count && status == DBVH_OK; ++i )
			status = mend_box( p, p->since_tree.numbers[i], watch );
		p->has_tree = status == DBVH_OK;
	} else {
		status = refit_or_make( p, watch );
	}
	dbvhi_number_set_clear( &p->since_tree );
	return status;
}

// ------------------------------------------------------------------------------------------------
// Pairs

static int bits_of( size_t count ) {
	int bits = 1;
	while ( bits < 32 && count >> bits != 0 )
		++bits;
	return bits;
}

static void sort_pairs( dbvhi_broad_phase *p ) {
	const int bits = bits_of( p->count );
	const uint64_t *sorted = dbvhi_sort_by_bits( p->pairs, p->scratch, p->pair_count, bits, bits );
	if ( sorted == p->pairs )
		return;
	// The two change places.
	uint64_t *keep = p->pairs;
	p->pairs = p->scratch;
	p->scratch = keep;
	const size_t capacity = p->pair_capacity;
	p->pair_capacity = p->scratch_capacity;
	p->scratch_capacity = capacity;
}

// ------------------------------------------------------------------------------------------------
// The list

// There are too many for a list. Its memory goes back.
static void give_up_list( dbvhi_broad_phase *p ) {
	dbvhi_free( &p->allocator, p->pairs, p->pair_capacity, sizeof *p->pairs );
	p->pairs = NULL;
	p->pair_count = p->pair_capacity = 0;
	p->is_crowded = true;
}

static dbvh_status find_all_pairs( dbvhi_broad_phase *p, dbvhi_meter *watch ) {
	if ( live_in_small( p ) > 0 )
		DBVHI_TRY( make_large( p, watch ) );
	const dbvhi_bulk_tree *large = &p->tree[DBVHI_LARGE_TREE];
	const dbvhi_box_tree tree = dbvhi_bulk_view( large, p->boxes );
	const dbvhi_box_pairs_kernels *kernel = dbvhi_box_pairs_table[dbvhi_isa_level()];
	const size_t most = dbvhi_broad_phase_most_pairs( p ), groups = large->live > 0 ? large->level_groups[0] : 0;
	size_t group = 0, other = 0;
	p->pair_count = 0;
	p->is_crowded = false;
	while ( group < groups ) {
		if ( !dbvhi_grow_array( &p->allocator, &p->pairs, &p->pair_capacity, p->pair_count + DBVHI_BOX_PAIRS_SLACK,
		                        sizeof *p->pairs ) )
			return DBVH_OUT_OF_MEMORY;
		const size_t end = group + GROUPS_AT_ONCE < groups ? group + GROUPS_AT_ONCE : groups, before = p->pair_count;
		const size_t room = p->pair_capacity - before < PAIRS_ALWAYS ? p->pair_capacity : before + PAIRS_ALWAYS;
		p->pair_count = kernel->pairs( &tree, &group, &other, end, p->pairs, before, room );
		if ( !dbvhi_meter_charge( watch, ( p->pair_count - before ) / 4 + 16 * GROUPS_AT_ONCE ) )
			return dbvhi_purse_status( watch->purse );
		if ( p->pair_count > most ) {
			give_up_list( p );
			return DBVH_OK;
		}
	}
	if ( !dbvhi_grow_array( &p->allocator, &p->scratch, &p->scratch_capacity, p->pair_count, sizeof *p->scratch ) )
		return DBVH_OUT_OF_MEMORY;
	sort_pairs( p );
	return DBVH_OK;
}

typedef struct partners {
	dbvhi_broad_phase *phase;
	dbvhi_meter *watch;
	uint32_t number;
	size_t count, most; // in phase->scratch
	dbvh_status status;
} partners;

static bool add_partner( void *context, uint32_t other ) {
	partners *found = context;
	dbvhi_broad_phase *p = found->phase;
	// Two that both moved find each other twice.
	if ( other == found->number || ( p->since_list.has[other] && other < found->number ) )
		return true;
	if ( !dbvhi_meter_charge( found->watch, 1 ) )
		found->status = dbvhi_purse_status( found->watch->purse );
	else if ( !dbvhi_grow_array( &p->allocator, &p->scratch, &p->scratch_capacity, found->count + 1,
	                             sizeof *p->scratch ) )
		found->status = DBVH_OUT_OF_MEMORY;
	if ( found->status != DBVH_OK )
		return false;
	const uint32_t low = other < found->number ? other : found->number, high = other ^ found->number ^ low;
	p->scratch[found->count++] = (uint64_t)low << 32 | high;
	return found->count <= found->most;
}

// Takes the pairs of what moved out of the list, and puts in those that it has now.
static dbvh_status mend_list( dbvhi_broad_phase *p, dbvhi_meter *watch ) {
	const uint8_t *is_moved = p->since_list.has;
	partners found = { .phase = p, .watch = watch, .most = dbvhi_broad_phase_most_pairs( p ) };
	for ( size_t i = 0; i < p->since_list.count && found.count <= found.most; ++i ) {
		found.number = p->since_list.numbers[i];
		dbvhi_broad_phase_overlaps( p, p->boxes + DBVHI_BOX_NUMBERS * (size_t)found.number, add_partner, &found );
		if ( found.status != DBVH_OK )
			return found.status;
	}
	dbvhi_sort_u64( p->scratch, found.count );
	size_t kept = 0;
	for ( size_t i = 0; i < p->pair_count; ++i ) {
		const uint64_t pair = p->pairs[i];
		p->pairs[kept] = pair;
		kept += !is_moved[pair >> 32] && !is_moved[(uint32_t)pair];
	}
	if ( kept + found.count > found.most ) {
		give_up_list( p );
		return DBVH_OK;
	}
	if ( !dbvhi_grow_array( &p->allocator, &p->pairs, &p->pair_capacity, kept + found.count, sizeof *p->pairs ) )
		return DBVH_OUT_OF_MEMORY;
	// From the back, so that nothing is written over that has not been read.
	p->pair_count = kept + found.count;
	size_t to = p->pair_count, old = kept, fresh = found.count;
	while ( fresh > 0 )
		p->pairs[--to] = old > 0 && p->pairs[old - 1] > p->scratch[fresh - 1] ? p->pairs[--old] : p->scratch[--fresh];
	return DBVH_OK;
}

dbvh_status dbvhi_broad_phase_list( dbvhi_broad_phase *p, dbvhi_meter *watch ) {
	dbvh_status status = dbvhi_broad_phase_update( p, watch );
	if ( status != DBVH_OK || ( p->has_list && p->since_list.count == 0 ) )
		return status;
	const bool can_mend = p->has_list && !p->is_crowded && are_few( p, &p->since_list );
	status = can_mend ? mend_list( p, watch ) : find_all_pairs( p, watch );
	dbvhi_number_set_clear( &p->since_list );
	p->has_list = status == DBVH_OK;
	return status;
}

// ------------------------------------------------------------------------------------------------
// One box

// Visit the boxes of one tree. Returns whether to go on.
static bool overlaps_of( const dbvhi_broad_phase *p, const dbvhi_bulk_tree *t, const double box[DBVHI_BOX_NUMBERS],
                         dbvhi_box_visitor *visit, void *context ) {
	const dbvhi_box_tree tree = dbvhi_bulk_view( t, p->boxes );
	const dbvhi_box_pairs_kernels *kernel = dbvhi_box_pairs_table[dbvhi_isa_level()];
	float wide[6];
	for ( int k = 0; k < 6; ++k )
		wide[k] = (float)( box[k] - t->middle[k % 3] );
	enum { ROOM = 64 };
	uint32_t groups[ROOM];
	uint16_t masks[ROOM];
	for ( size_t group = 0; group < t->level_groups[0]; ) {
		const size_t count = kernel->overlaps( &tree, wide, &group, groups, masks, ROOM );
		for ( size_t i = 0; i < count; ++i ) {
			for ( uint32_t mask = masks[i]; mask != 0; mask &= mask - 1 ) {
				const uint32_t number = t->order[16 * (size_t)groups[i] + (size_t)__builtin_ctz( mask )];
				if ( number == DBVHI_NO_NUMBER )
					continue;
				const double *other = p->boxes + DBVHI_BOX_NUMBERS * (size_t)number;
				if ( dbvhi_box_is_somewhere( other ) && dbvhi_boxes_overlap( other, box ) && !visit( context, number ) )
					return false;
			}
		}
	}
	return true;
}

void dbvhi_broad_phase_overlaps( const dbvhi_broad_phase *p, const double box[DBVHI_BOX_NUMBERS],
                                 dbvhi_box_visitor *visit, void *context ) {
	if ( !( box[0] <= box[3] && box[1] <= box[4] && box[2] <= box[5] ) )
		return;
	for ( int k = 0; k <= DBVHI_LARGE_TREE; ++k ) {
		if ( p->tree[k].live > 0 && !overlaps_of( p, &p->tree[k], box, visit, context ) )
			return;
	}
}
