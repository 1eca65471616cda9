// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "scene/broad_phase.h"

#include "base/assert.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>

const double dbvhi_box_nowhere[DBVHI_BOX_NUMBERS] = { INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY };

#define GROUP_BYTES ( DBVHI_GROUP_FLOATS * sizeof( float ) )

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
	dbvhi_free( a, p->order, p->order_capacity, sizeof *p->order );
	dbvhi_free( a, p->place, p->place_capacity, sizeof *p->place );
	for ( int k = 0; k < DBVHI_BROAD_LEVELS; ++k )
		dbvhi_free( a, p->level[k], p->level_capacity[k], GROUP_BYTES );
	dbvhi_number_set_free( &p->since_tree, a );
	dbvhi_number_set_free( &p->since_list, a );
	dbvhi_free( a, p->pairs, p->pair_capacity, sizeof *p->pairs );
	dbvhi_free( a, p->scratch, p->scratch_capacity, sizeof *p->scratch );
	memset( p, 0, sizeof *p );
}

dbvh_status dbvhi_broad_phase_resize( dbvhi_broad_phase *p, size_t count ) {
	if ( !dbvhi_grow_array( &p->allocator, &p->boxes, &p->box_capacity, count, DBVHI_BOX_NUMBERS * sizeof( double ) ) ||
	     !dbvhi_number_set_require( &p->since_tree, &p->allocator, count ) ||
	     !dbvhi_number_set_require( &p->since_list, &p->allocator, count ) )
		return DBVH_OUT_OF_MEMORY;
	for ( size_t i = p->count; i < count; ++i )
		memcpy( p->boxes + DBVHI_BOX_NUMBERS * i, dbvhi_box_nowhere, sizeof dbvhi_box_nowhere );
	if ( count != p->count )
		p->has_tree = p->has_list = false;
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
// The order: a Hilbert curve through the centres, boxes of about one size together. It only has to be good, not exact.

static bool is_somewhere( const double *box ) {
	return box[0] <= box[3];
}

static void group_bounds( const dbvhi_broad_phase *p, double lower[3], double upper[3] ) {
	for ( int k = 0; k < 3; ++k ) {
		lower[k] = INFINITY;
		upper[k] = -INFINITY;
	}
	for ( size_t i = 0; i < p->count; ++i ) {
		const double *box = p->boxes + DBVHI_BOX_NUMBERS * i;
		for ( int k = 0; k < 3; ++k ) {
			lower[k] = box[k] < lower[k] ? box[k] : lower[k];
			upper[k] = box[3 + k] > upper[k] ? box[3 + k] : upper[k];
		}
	}
}

static dbvhi_box_curve curve_through( const double lower[3], const double upper[3], int bits ) {
	dbvhi_box_curve c = { .extent = 0.0, .bits = bits };
	const double cells = (double)( 1 << bits ) - 1.0;
	for ( int k = 0; k < 3; ++k ) {
		const double side = upper[k] - lower[k];
		c.lower[k] = lower[k];
		c.scale[k] = side > 0.0 && isfinite( cells / side ) ? cells / side : 0.0;
		c.extent = side > c.extent ? side : c.extent;
	}
	return c;
}

// Large boxes are few and overlap much: they are kept apart.
static uint32_t size_class( const dbvhi_box_curve *c, const double *box ) {
	double size = 0.0;
	for ( int k = 0; k < 3; ++k )
		size = box[3 + k] - box[k] > size ? box[3 + k] - box[k] : size;
	return size * 4.0 >= c->extent ? 3 : size * 16.0 >= c->extent ? 2 : size * 64.0 >= c->extent ? 1 : 0;
}

// One pass of a radix sort by `bits` bits, at most 12, of the upper half and as many as `low` of the lower one, which
// follow each other: from bit `shift` of that; stable. There are less than 2^32.
static void sort_pass( const uint64_t *from, uint64_t *to, size_t count, int low, int shift, int bits ) {
	DBVHI_ASSERT( bits <= 12 && count <= UINT32_MAX );
	uint32_t begin[4096] = { 0 };
	const uint64_t mask = ( (uint64_t)1 << bits ) - 1, lower = ( (uint64_t)1 << low ) - 1;
#define DIGIT( key ) ( ( ( ( key ) >> 32 << low ) | ( (key)&lower ) ) >> shift & mask )
	for ( size_t i = 0; i < count; ++i )
		begin[DIGIT( from[i] )] += 1;
	uint32_t sum = 0;
	for ( size_t d = 0; d <= mask; ++d ) {
		const uint32_t here = begin[d];
		begin[d] = sum;
		sum += here;
	}
	for ( size_t i = 0; i < count; ++i )
		to[begin[DIGIT( from[i] )]++] = from[i];
#undef DIGIT
}

// Sort by `bits` bits of the upper half, then by the low bits of the lower half. `keys` and `other` have room for
// `count` each; returns the array that holds the sorted keys.
static uint64_t *sort_by_bits( uint64_t *keys, uint64_t *other, size_t count, int bits, int low ) {
	if ( count < 256 || count > UINT32_MAX ) {
		dbvhi_sort_u64( keys, count );
		return keys;
	}
	const int passes = ( bits + low + 11 ) / 12, digit = ( bits + low + passes - 1 ) / passes;
	for ( int i = 0; i < passes; ++i ) {
		sort_pass( keys, other, count, low, i * digit, digit );
		uint64_t *swap = keys;
		keys = other;
		other = swap;
	}
	return keys;
}

// Boxes that fell into one cell, a cluster far smaller than the scene, are put in order by themselves. `spare` has as
// much room. Each level divides the cell by 1024; there are at most as many as doubles have exponents.
static void refine( const dbvhi_broad_phase *p, uint64_t *keys, uint64_t *spare, size_t count, int depth );

static void refine_cell( const dbvhi_broad_phase *p, uint64_t *keys, uint64_t *spare, size_t count, int depth ) {
	double lower[3] = { INFINITY, INFINITY, INFINITY }, upper[3] = { -INFINITY, -INFINITY, -INFINITY };
	for ( size_t i = 0; i < count; ++i ) {
		const double *box = p->boxes + DBVHI_BOX_NUMBERS * (size_t)(uint32_t)keys[i];
		for ( int k = 0; k < 3; ++k ) {
			const double at = 0.5 * box[k] + 0.5 * box[3 + k];
			lower[k] = at < lower[k] ? at : lower[k];
			upper[k] = at > upper[k] ? at : upper[k];
		}
	}
	const dbvhi_box_curve c = curve_through( lower, upper, 10 );
	if ( !( c.extent > 0.0 ) )
		return;
	const dbvhi_box_pairs_kernels *kernel = dbvhi_box_pairs_table[dbvhi_isa_level()];
	for ( size_t begin = 0; begin < count; begin += 16 ) {
		const size_t here = count - begin < 16 ? count - begin : 16;
		double boxes[16 * DBVHI_BOX_NUMBERS];
		uint32_t along[16];
		for ( size_t i = 0; i < here; ++i )
			memcpy( boxes + DBVHI_BOX_NUMBERS * i, p->boxes + DBVHI_BOX_NUMBERS * (size_t)(uint32_t)keys[begin + i],
			        DBVHI_BOX_NUMBERS * sizeof( double ) );
		kernel->along( &c, boxes, here, along );
		for ( size_t i = 0; i < here; ++i )
			keys[begin + i] = (uint64_t)along[i] << 32 | (uint32_t)keys[begin + i];
	}
	const uint64_t *sorted = sort_by_bits( keys, spare, count, 30, 0 );
	if ( sorted != keys )
		memcpy( keys, sorted, count * sizeof *keys );
	refine( p, keys, spare, count, depth + 1 );
}

static void refine( const dbvhi_broad_phase *p, uint64_t *keys, uint64_t *spare, size_t count, int depth ) {
	size_t begin = 0;
	while ( begin < count ) {
		const uint32_t key = (uint32_t)( keys[begin] >> 32 );
		size_t end = begin + 1;
		while ( end < count && (uint32_t)( keys[end] >> 32 ) == key )
			++end;
		if ( end - begin > DBVHI_GROUP_BOXES && depth < 8 )
			refine_cell( p, keys + begin, spare, end - begin, depth );
		begin = end;
	}
}

// Bits per axis of a cell, for some fifty cells a box: fewer bits are sorted sooner.
static int curve_bits( size_t count ) {
	int bits = 4;
	while ( bits < 10 && ( (size_t)1 << ( 3 * ( bits - 1 ) ) ) < count )
		++bits;
	return bits;
}

// The places along the curve with the sizes above them; boxes that are nowhere come last.
static void make_keys( const dbvhi_broad_phase *p, const dbvhi_box_curve *c, uint64_t *keys ) {
	enum { AT_ONCE = 512 };
	const dbvhi_box_pairs_kernels *kernel = dbvhi_box_pairs_table[dbvhi_isa_level()];
	uint32_t along[AT_ONCE];
	for ( size_t begin = 0; begin < p->count; begin += AT_ONCE ) {
		const size_t here = p->count - begin < AT_ONCE ? p->count - begin : AT_ONCE;
		const double *boxes = p->boxes + DBVHI_BOX_NUMBERS * begin;
		kernel->along( c, boxes, here, along );
		for ( size_t i = 0; i < here; ++i ) {
			const double *box = boxes + DBVHI_BOX_NUMBERS * i;
			const uint64_t above = is_somewhere( box ) ? size_class( c, box ) : 4;
			keys[begin + i] = ( above << ( 3 * c->bits ) | along[i] ) << 32 | ( begin + i );
		}
	}
}

static dbvh_status make_order( dbvhi_broad_phase *p, const double lower[3], const double upper[3],
                               dbvhi_meter *watch ) {
	const dbvhi_box_curve c = curve_through( lower, upper, curve_bits( p->count ) );
	const size_t groups = ( p->count + DBVHI_GROUP_BOXES - 1 ) / DBVHI_GROUP_BOXES;
	if ( !dbvhi_grow_array( &p->allocator, &p->order, &p->order_capacity, groups * DBVHI_GROUP_BOXES,
	                        sizeof *p->order ) ||
	     !dbvhi_grow_array( &p->allocator, &p->place, &p->place_capacity, p->count, sizeof *p->place ) ||
	     !dbvhi_grow_array( &p->allocator, &p->scratch, &p->scratch_capacity, 2 * p->count, sizeof *p->scratch ) )
		return DBVH_OUT_OF_MEMORY;
	uint64_t *keys = p->scratch, *other = p->scratch + p->count;
	make_keys( p, &c, keys );
	if ( !dbvhi_meter_charge( watch, 4 * p->count ) )
		return dbvhi_purse_status( watch->purse );
	uint64_t *sorted = sort_by_bits( keys, other, p->count, 3 * c.bits + 3, 0 );
	if ( !dbvhi_meter_charge( watch, 4 * p->count ) )
		return dbvhi_purse_status( watch->purse );
	refine( p, sorted, sorted == keys ? other : keys, p->count, 0 );
	for ( size_t i = 0; i < p->count; ++i ) {
		p->order[i] = (uint32_t)sorted[i];
		p->place[(uint32_t)sorted[i]] = (uint32_t)i;
	}
	for ( size_t i = p->count; i < groups * DBVHI_GROUP_BOXES; ++i )
		p->order[i] = UINT32_MAX;
	return DBVH_OK;
}

// ------------------------------------------------------------------------------------------------
// The tree of groups

// Puts one box into its lane. The map from doubles to floats never decreases; what is beyond floats is infinite.
static void put_lane( float *group, int lane, const double *box, const double middle[3] ) {
	for ( int k = 0; k < 3; ++k ) {
		group[16 * k + lane] = (float)( box[k] - middle[k] );
		group[16 * ( 3 + k ) + lane] = (float)( box[3 + k] - middle[k] );
	}
}

static void put_nothing( float *group, int lane ) {
	for ( int k = 0; k < 3; ++k ) {
		group[16 * k + lane] = INFINITY;
		group[16 * ( 3 + k ) + lane] = -INFINITY;
	}
}

// The bounds of a group's sixteen lanes, to the lane that stands for it on the level above.
static void put_bounds( const dbvhi_broad_phase *p, int level, size_t group ) {
	const float *from = p->level[level - 1] + DBVHI_GROUP_FLOATS * group;
	float *to = p->level[level] + DBVHI_GROUP_FLOATS * ( group / 16 ) + group % 16;
	for ( int k = 0; k < 3; ++k ) {
		float low = INFINITY, high = -INFINITY;
		for ( int i = 0; i < 16; ++i ) {
			low = from[16 * k + i] < low ? from[16 * k + i] : low;
			high = from[16 * ( 3 + k ) + i] > high ? from[16 * ( 3 + k ) + i] : high;
		}
		to[16 * k] = low;
		to[16 * ( 3 + k )] = high;
	}
}

static bool make_levels( dbvhi_broad_phase *p ) {
	size_t groups = ( p->count + 15 ) / 16;
	p->levels = 0;
	for ( int level = 0;; ++level ) {
		float **lanes = &p->level[level];
		if ( !dbvhi_grow_array( &p->allocator, lanes, &p->level_capacity[level], groups, GROUP_BYTES ) )
			return false;
		p->level_groups[level] = groups;
		p->levels = level + 1;
		if ( groups <= 1 )
			return true;
		groups = ( groups + 15 ) / 16;
	}
}

static void fill_levels( dbvhi_broad_phase *p ) {
	const size_t places = p->level_groups[0] * 16;
	for ( size_t i = 0; i < places; ++i ) {
		float *group = p->level[0] + DBVHI_GROUP_FLOATS * ( i / 16 );
		const uint32_t number = p->order[i], soon = i + 16 < places ? p->order[i + 16] : UINT32_MAX;
		if ( soon != UINT32_MAX )
			__builtin_prefetch( p->boxes + DBVHI_BOX_NUMBERS * (size_t)soon );
		if ( number == UINT32_MAX )
			put_nothing( group, (int)( i % 16 ) );
		else
			put_lane( group, (int)( i % 16 ), p->boxes + DBVHI_BOX_NUMBERS * (size_t)number, p->middle );
	}
	for ( int level = 1; level < p->levels; ++level ) {
		const size_t below = p->level_groups[level - 1];
		for ( size_t g = 0; g < below; ++g )
			put_bounds( p, level, g );
		for ( size_t g = below; g < 16 * p->level_groups[level]; ++g )
			put_nothing( p->level[level] + DBVHI_GROUP_FLOATS * ( g / 16 ), (int)( g % 16 ) );
	}
}

static dbvhi_box_tree tree_of( const dbvhi_broad_phase *p ) {
	return ( dbvhi_box_tree ){ .level = (const float *const *)p->level,
	                           .level_groups = p->level_groups,
	                           .levels = p->levels,
	                           .boxes = p->boxes,
	                           .order = p->order };
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
	const uint64_t *sorted = sort_by_bits( p->pairs, p->scratch, p->pair_count, bits, bits );
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

// How wide groups are, all together: what it costs to look for pairs grows with that.
static double width_of_groups( const dbvhi_broad_phase *p ) {
	double width = 0.0;
	for ( size_t g = 0; p->levels > 1 && g < p->level_groups[1]; ++g ) {
		const float *group = p->level[1] + DBVHI_GROUP_FLOATS * g;
		for ( int i = 0; i < 16; ++i ) {
			const float x = group[48 + i] - group[i], y = group[64 + i] - group[16 + i],
			            z = group[80 + i] - group[32 + i];
			width += x >= 0.0f ? (double)x + (double)y + (double)z : 0.0; // not where there is no group
		}
	}
	return width;
}

// Is the scene still about where it was? Far from the middle floats tell little apart.
static bool is_about_its_middle( const dbvhi_broad_phase *p ) {
	const float *top = p->level[p->levels - 1];
	for ( int k = 0; k < 3; ++k ) {
		float low = INFINITY, high = -INFINITY;
		for ( int i = 0; i < 16; ++i ) {
			low = top[16 * k + i] < low ? top[16 * k + i] : low;
			high = top[48 + 16 * k + i] > high ? top[48 + 16 * k + i] : high;
		}
		if ( !( fabsf( low + high ) <= high - low ) )
			return false;
	}
	return true;
}

// An order that is not much worse than when it was made need not be made anew.
static bool keeps_order( dbvhi_broad_phase *p ) {
	if ( !p->has_tree )
		return false;
	fill_levels( p );
	return is_about_its_middle( p ) && width_of_groups( p ) <= 1.125 * p->width;
}

static dbvh_status make_tree( dbvhi_broad_phase *p, dbvhi_meter *watch ) {
	p->has_tree = false;
	double lower[3], upper[3];
	group_bounds( p, lower, upper );
	for ( int k = 0; k < 3; ++k ) {
		const double middle = 0.5 * lower[k] + 0.5 * upper[k];
		p->middle[k] = isfinite( middle ) ? middle : 0.0;
	}
	const dbvh_status status = make_order( p, lower, upper, watch );
	if ( status != DBVH_OK || !make_levels( p ) )
		return status != DBVH_OK ? status : DBVH_OUT_OF_MEMORY;
	if ( !dbvhi_meter_charge( watch, 4 * p->count ) )
		return dbvhi_purse_status( watch->purse );
	fill_levels( p );
	p->has_tree = true;
	p->width = width_of_groups( p );
	return DBVH_OK;
}

// Puts the boxes that moved where they are now, at the places that they had.
static void mend_tree( dbvhi_broad_phase *p ) {
	for ( size_t i = 0; i < p->since_tree.count; ++i ) {
		const uint32_t number = p->since_tree.numbers[i];
		size_t place = p->place[number];
		put_lane( p->level[0] + DBVHI_GROUP_FLOATS * ( place / 16 ), (int)( place % 16 ),
		          p->boxes + DBVHI_BOX_NUMBERS * (size_t)number, p->middle );
		for ( int level = 1; level < p->levels; ++level ) {
			place /= 16;
			put_bounds( p, level, place );
		}
	}
}

// Few enough to go one by one: one box costs as much as about eight of all that are done in a row.
static bool are_few( const dbvhi_broad_phase *p, const dbvhi_number_set *moved ) {
	return moved->count < p->count / 8;
}

dbvh_status dbvhi_broad_phase_update( dbvhi_broad_phase *p, dbvhi_meter *watch ) {
	if ( p->has_tree && p->since_tree.count == 0 )
		return DBVH_OK;
	p->drift += p->since_tree.count;
	dbvh_status status = DBVH_OK;
	// An order wears out.
	if ( p->has_tree && are_few( p, &p->since_tree ) && p->drift < p->count ) {
		mend_tree( p );
	} else {
		p->drift = 0;
		if ( !keeps_order( p ) )
			status = make_tree( p, watch );
	}
	dbvhi_number_set_clear( &p->since_tree );
	return status;
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
	const dbvhi_box_tree tree = tree_of( p );
	const dbvhi_box_pairs_kernels *kernel = dbvhi_box_pairs_table[dbvhi_isa_level()];
	const size_t most = dbvhi_broad_phase_most_pairs( p ), groups = p->count > 0 ? p->level_groups[0] : 0;
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

void dbvhi_broad_phase_overlaps( const dbvhi_broad_phase *p, const double box[DBVHI_BOX_NUMBERS],
                                 dbvhi_box_visitor *visit, void *context ) {
	if ( p->count == 0 || !( box[0] <= box[3] && box[1] <= box[4] && box[2] <= box[5] ) )
		return;
	const dbvhi_box_tree tree = tree_of( p );
	const dbvhi_box_pairs_kernels *kernel = dbvhi_box_pairs_table[dbvhi_isa_level()];
	float wide[6];
	for ( int k = 0; k < 6; ++k )
		wide[k] = (float)( box[k] - p->middle[k % 3] );
	enum { ROOM = 64 };
	uint32_t groups[ROOM];
	uint16_t masks[ROOM];
	for ( size_t group = 0; group < p->level_groups[0]; ) {
		const size_t count = kernel->overlaps( &tree, wide, &group, groups, masks, ROOM );
		for ( size_t i = 0; i < count; ++i ) {
			for ( uint32_t mask = masks[i]; mask != 0; mask &= mask - 1 ) {
				const uint32_t number = p->order[16 * (size_t)groups[i] + (size_t)__builtin_ctz( mask )];
				if ( number != UINT32_MAX && is_somewhere( p->boxes + 6 * (size_t)number ) &&
				     dbvhi_boxes_overlap( p->boxes + 6 * (size_t)number, box ) && !visit( context, number ) )
					return;
			}
		}
	}
}
