// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "scene/bulk_tree.h"

#include "base/assert.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>

#define GROUP_BYTES ( DBVHI_GROUP_FLOATS * sizeof( float ) )

// ------------------------------------------------------------------------------------------------
// Memory

void dbvhi_bulk_free( dbvhi_bulk_tree *t, const dbvh_allocator *allocator ) {
	dbvhi_free( allocator, t->order, t->order_capacity, sizeof *t->order );
	for ( int k = 0; k < DBVHI_BROAD_LEVELS; ++k )
		dbvhi_free( allocator, t->level[k], t->level_capacity[k], GROUP_BYTES );
	dbvhi_free( allocator, t->home, t->home_capacity, GROUP_BYTES );
	memset( t, 0, sizeof *t );
}

bool dbvhi_bulk_copy( dbvhi_bulk_tree *to, const dbvhi_bulk_tree *from, const dbvh_allocator *allocator ) {
	*to =
	    ( dbvhi_bulk_tree ){ .places = from->places, .live = from->live, .levels = from->levels, .width = from->width };
	memcpy( to->middle, from->middle, sizeof to->middle );
	memcpy( to->level_groups, from->level_groups, sizeof to->level_groups );
	if ( from->levels == 0 )
		return true;
	const size_t order = DBVHI_GROUP_BOXES * from->level_groups[0];
	if ( !dbvhi_copy_array( allocator, &to->order, &to->order_capacity, from->order, order, sizeof *to->order ) )
		return false;
	for ( int k = 0; k < from->levels; ++k ) {
		if ( !dbvhi_copy_array( allocator, &to->level[k], &to->level_capacity[k], from->level[k], from->level_groups[k],
		                        GROUP_BYTES ) )
			return false;
	}
	const size_t home = from->levels > 1 ? from->level_groups[1] : 0;
	return dbvhi_copy_array( allocator, &to->home, &to->home_capacity, from->home, home, GROUP_BYTES );
}

// ------------------------------------------------------------------------------------------------
// The order: a Hilbert curve through the centres, boxes of about one size together. It only has to be good, not exact.

// The boxes that a tree is made over: those with these numbers, or, with `numbers` NULL, the first `count`.
typedef struct box_list {
	const double *boxes;
	const uint32_t *numbers;
	size_t count;
} box_list;

static uint32_t number_at( const box_list *l, size_t i ) {
	return l->numbers != NULL ? l->numbers[i] : (uint32_t)i;
}

static void group_bounds( const box_list *l, double lower[3], double upper[3] ) {
	for ( int k = 0; k < 3; ++k ) {
		lower[k] = INFINITY;
		upper[k] = -INFINITY;
	}
	for ( size_t i = 0; i < l->count; ++i ) {
		const double *box = l->boxes + DBVHI_BOX_NUMBERS * (size_t)number_at( l, i );
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

uint64_t *dbvhi_sort_by_bits( uint64_t *keys, uint64_t *other, size_t count, int bits, int low ) {
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
static void refine( const double *boxes, uint64_t *keys, uint64_t *spare, size_t count, int depth );

static void refine_cell( const double *boxes, uint64_t *keys, uint64_t *spare, size_t count, int depth ) {
	double lower[3] = { INFINITY, INFINITY, INFINITY }, upper[3] = { -INFINITY, -INFINITY, -INFINITY };
	for ( size_t i = 0; i < count; ++i ) {
		const double *box = boxes + DBVHI_BOX_NUMBERS * (size_t)(uint32_t)keys[i];
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
		double room[16 * DBVHI_BOX_NUMBERS];
		uint32_t along[16];
		for ( size_t i = 0; i < here; ++i )
			memcpy( room + DBVHI_BOX_NUMBERS * i, boxes + DBVHI_BOX_NUMBERS * (size_t)(uint32_t)keys[begin + i],
			        DBVHI_BOX_NUMBERS * sizeof( double ) );
		kernel->along( &c, room, here, along );
		for ( size_t i = 0; i < here; ++i )
			keys[begin + i] = (uint64_t)along[i] << 32 | (uint32_t)keys[begin + i];
	}
	const uint64_t *sorted = dbvhi_sort_by_bits( keys, spare, count, 30, 0 );
	if ( sorted != keys )
		memcpy( keys, sorted, count * sizeof *keys );
	refine( boxes, keys, spare, count, depth + 1 );
}

static void refine( const double *boxes, uint64_t *keys, uint64_t *spare, size_t count, int depth ) {
	size_t begin = 0;
	while ( begin < count ) {
		const uint32_t key = (uint32_t)( keys[begin] >> 32 );
		size_t end = begin + 1;
		while ( end < count && (uint32_t)( keys[end] >> 32 ) == key )
			++end;
		if ( end - begin > DBVHI_GROUP_BOXES && depth < 8 )
			refine_cell( boxes, keys + begin, spare, end - begin, depth );
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
static void make_keys( const box_list *l, const dbvhi_box_curve *c, uint64_t *keys ) {
	enum { AT_ONCE = 256 };
	const dbvhi_box_pairs_kernels *kernel = dbvhi_box_pairs_table[dbvhi_isa_level()];
	uint32_t along[AT_ONCE];
	double room[AT_ONCE * DBVHI_BOX_NUMBERS];
	for ( size_t begin = 0; begin < l->count; begin += AT_ONCE ) {
		const size_t here = l->count - begin < AT_ONCE ? l->count - begin : AT_ONCE;
		const double *boxes = room;
		if ( l->numbers == NULL )
			boxes = l->boxes + DBVHI_BOX_NUMBERS * begin;
		for ( size_t i = 0; i < here && l->numbers != NULL; ++i )
			memcpy( room + DBVHI_BOX_NUMBERS * i, l->boxes + DBVHI_BOX_NUMBERS * (size_t)l->numbers[begin + i],
			        DBVHI_BOX_NUMBERS * sizeof( double ) );
		kernel->along( c, boxes, here, along );
		for ( size_t i = 0; i < here; ++i ) {
			const double *box = boxes + DBVHI_BOX_NUMBERS * i;
			const uint64_t above = dbvhi_box_is_somewhere( box ) ? size_class( c, box ) : 4;
			keys[begin + i] = ( above << ( 3 * c->bits ) | along[i] ) << 32 | number_at( l, begin + i );
		}
	}
}

static dbvh_status make_order( dbvhi_bulk_tree *t, const dbvh_allocator *allocator, const box_list *l,
                               const dbvhi_box_curve *c, uint64_t *scratch, dbvhi_meter *watch ) {
	const size_t groups = ( l->count + DBVHI_GROUP_BOXES - 1 ) / DBVHI_GROUP_BOXES;
	if ( !dbvhi_grow_array( allocator, &t->order, &t->order_capacity, groups * DBVHI_GROUP_BOXES, sizeof *t->order ) )
		return DBVH_OUT_OF_MEMORY;
	uint64_t *keys = scratch, *other = scratch + l->count;
	make_keys( l, c, keys );
	if ( !dbvhi_meter_charge( watch, 4 * l->count ) )
		return dbvhi_purse_status( watch->purse );
	uint64_t *sorted = dbvhi_sort_by_bits( keys, other, l->count, 3 * c->bits + 3, 0 );
	if ( !dbvhi_meter_charge( watch, 4 * l->count ) )
		return dbvhi_purse_status( watch->purse );
	refine( l->boxes, sorted, sorted == keys ? other : keys, l->count, 0 );
	for ( size_t i = 0; i < l->count; ++i )
		t->order[i] = (uint32_t)sorted[i];
	for ( size_t i = l->count; i < groups * DBVHI_GROUP_BOXES; ++i )
		t->order[i] = DBVHI_NO_NUMBER;
	t->places = t->live = l->count;
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

// Hand the bounds of a group's sixteen lanes to the lane that stands for it on the level above. Returns whether they
// have changed.
static bool put_bounds( const dbvhi_bulk_tree *t, int level, size_t group ) {
	const float *from = t->level[level - 1] + DBVHI_GROUP_FLOATS * group;
	float *to = t->level[level] + DBVHI_GROUP_FLOATS * ( group / 16 ) + group % 16;
	bool has_changed = false;
	for ( int k = 0; k < 3; ++k ) {
		float low = INFINITY, high = -INFINITY;
		for ( int i = 0; i < 16; ++i ) {
			low = from[16 * k + i] < low ? from[16 * k + i] : low;
			high = from[16 * ( 3 + k ) + i] > high ? from[16 * ( 3 + k ) + i] : high;
		}
		has_changed = has_changed || to[16 * k] != low || to[16 * ( 3 + k )] != high;
		to[16 * k] = low;
		to[16 * ( 3 + k )] = high;
	}
	return has_changed;
}

static bool make_levels( dbvhi_bulk_tree *t, const dbvh_allocator *allocator, size_t places ) {
	size_t groups = ( places + 15 ) / 16;
	t->levels = 0;
	for ( int level = 0;; ++level ) {
		float **lanes = &t->level[level];
		if ( !dbvhi_grow_array( allocator, lanes, &t->level_capacity[level], groups, GROUP_BYTES ) )
			return false;
		t->level_groups[level] = groups;
		t->levels = level + 1;
		if ( groups <= 1 )
			break;
		groups = ( groups + 15 ) / 16;
	}
	const size_t above = t->levels > 1 ? t->level_groups[1] : 0;
	return dbvhi_grow_array( allocator, &t->home, &t->home_capacity, above, GROUP_BYTES );
}

static void keep_home( dbvhi_bulk_tree *t ) {
	if ( t->levels > 1 )
		memcpy( t->home, t->level[1], t->level_groups[1] * GROUP_BYTES );
}

static void fill_levels( dbvhi_bulk_tree *t, const double *boxes ) {
	const size_t places = t->level_groups[0] * 16;
	for ( size_t i = 0; i < places; ++i ) {
		float *group = t->level[0] + DBVHI_GROUP_FLOATS * ( i / 16 );
		const uint32_t number = t->order[i], soon = i + 16 < places ? t->order[i + 16] : DBVHI_NO_NUMBER;
		if ( soon != DBVHI_NO_NUMBER )
			__builtin_prefetch( boxes + DBVHI_BOX_NUMBERS * (size_t)soon );
		if ( number == DBVHI_NO_NUMBER )
			put_nothing( group, (int)( i % 16 ) );
		else
			put_lane( group, (int)( i % 16 ), boxes + DBVHI_BOX_NUMBERS * (size_t)number, t->middle );
	}
	for ( int level = 1; level < t->levels; ++level ) {
		const size_t below = t->level_groups[level - 1];
		for ( size_t g = 0; g < below; ++g )
			(void)put_bounds( t, level, g );
		for ( size_t g = below; g < 16 * t->level_groups[level]; ++g )
			put_nothing( t->level[level] + DBVHI_GROUP_FLOATS * ( g / 16 ), (int)( g % 16 ) );
	}
}

// How wide groups are, all together: what it costs to look for pairs grows with that.
static double width_of_groups( const dbvhi_bulk_tree *t ) {
	double width = 0.0;
	for ( size_t g = 0; t->levels > 1 && g < t->level_groups[1]; ++g ) {
		const float *group = t->level[1] + DBVHI_GROUP_FLOATS * g;
		for ( int i = 0; i < 16; ++i ) {
			const float x = group[48 + i] - group[i], y = group[64 + i] - group[16 + i],
			            z = group[80 + i] - group[32 + i];
			width += x >= 0.0f ? (double)x + (double)y + (double)z : 0.0; // not where there is no group
		}
	}
	return width;
}

// Are the boxes still about the middle? Far from it floats tell little apart.
static bool is_about_its_middle( const dbvhi_bulk_tree *t ) {
	const float *top = t->level[t->levels - 1];
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

bool dbvhi_bulk_refit( dbvhi_bulk_tree *t, const double *boxes ) {
	fill_levels( t, boxes );
	keep_home( t );
	return is_about_its_middle( t ) && width_of_groups( t ) <= 1.125 * t->width;
}

dbvh_status dbvhi_bulk_make( dbvhi_bulk_tree *t, const dbvh_allocator *allocator, const double *boxes,
                             const uint32_t *numbers, size_t count, uint64_t *scratch, dbvhi_meter *watch ) {
	const box_list list = { boxes, numbers, count };
	double lower[3], upper[3];
	group_bounds( &list, lower, upper );
	for ( int k = 0; k < 3; ++k ) {
		const double middle = 0.5 * lower[k] + 0.5 * upper[k];
		t->middle[k] = isfinite( middle ) ? middle : 0.0;
	}
	const dbvhi_box_curve curve = curve_through( lower, upper, curve_bits( count ) );
	const dbvh_status status = make_order( t, allocator, &list, &curve, scratch, watch );
	if ( status != DBVH_OK || !make_levels( t, allocator, count ) )
		return status != DBVH_OK ? status : DBVH_OUT_OF_MEMORY;
	if ( !dbvhi_meter_charge( watch, 4 * count ) )
		return dbvhi_purse_status( watch->purse );
	fill_levels( t, boxes );
	keep_home( t );
	t->width = width_of_groups( t );
	return DBVH_OK;
}

// ------------------------------------------------------------------------------------------------
// One box

bool dbvhi_bulk_make_empty( dbvhi_bulk_tree *t, const dbvh_allocator *allocator, size_t capacity,
                            const double middle[3] ) {
	DBVHI_ASSERT( capacity % DBVHI_GROUP_BOXES == 0 );
	if ( !dbvhi_grow_array( allocator, &t->order, &t->order_capacity, capacity, sizeof *t->order ) ||
	     !make_levels( t, allocator, capacity ) )
		return false;
	for ( size_t i = 0; i < capacity; ++i )
		t->order[i] = DBVHI_NO_NUMBER;
	for ( int k = 0; k < 3; ++k )
		t->middle[k] = isfinite( middle[k] ) ? middle[k] : 0.0;
	t->places = t->live = 0;
	t->width = 0.0;
	fill_levels( t, NULL );
	keep_home( t );
	return true;
}

void dbvhi_bulk_put( dbvhi_bulk_tree *t, size_t place, uint32_t number, const double *boxes ) {
	DBVHI_ASSERT( t->levels > 0 && place < DBVHI_GROUP_BOXES * t->level_groups[0] );
	float *group = t->level[0] + DBVHI_GROUP_FLOATS * ( place / 16 );
	t->live += ( number != DBVHI_NO_NUMBER ) - (size_t)( t->order[place] != DBVHI_NO_NUMBER );
	t->order[place] = number;
	if ( number == DBVHI_NO_NUMBER )
		put_nothing( group, (int)( place % 16 ) );
	else
		put_lane( group, (int)( place % 16 ), boxes + DBVHI_BOX_NUMBERS * (size_t)number, t->middle );
	for ( int level = 1; level < t->levels; ++level ) {
		place /= 16;
		if ( !put_bounds( t, level, place ) )
			return;
	}
}

bool dbvhi_bulk_is_home( const dbvhi_bulk_tree *t, size_t place, const double box[DBVHI_BOX_NUMBERS] ) {
	if ( t->levels == 1 )
		return true; // the only group is always looked into
	const size_t group = place / 16;
	const float *home = t->home + DBVHI_GROUP_FLOATS * ( group / 16 ) + group % 16;
	for ( int k = 0; k < 3; ++k ) {
		const float low = home[16 * k], high = home[16 * ( 3 + k )], slack = 0.5f * ( high - low );
		if ( !( (float)( box[k] - t->middle[k] ) >= low - slack &&
		        (float)( box[3 + k] - t->middle[k] ) <= high + slack ) )
			return false;
	}
	return true;
}
