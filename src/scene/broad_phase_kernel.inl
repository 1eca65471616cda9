// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Compiled for every instruction set: see broad_phase_kernel.h.

#include "scene/broad_phase_kernel.h"
#include "simd/kernel_name.h"
#include "simd/vec_f.h"

// One box in every lane.
typedef struct wide_box {
	vf lower[3], upper[3];
} wide_box;

VECTOR_INLINE wide_box box_of( const float *group, int lane ) {
	wide_box out;
	for ( int k = 0; k < 3; ++k ) {
		out.lower[k] = vf_set( group[16 * k + lane] );
		out.upper[k] = vf_set( group[16 * ( 3 + k ) + lane] );
	}
	return out;
}

// The lanes of a group that may overlap the box.
VECTOR_INLINE uint32_t overlapping( const wide_box *box, const float *group ) {
	uint32_t apart = 0;
	for ( int k = 0; k < 3; ++k )
		apart |= vf_greater( vf_load( group + 16 * k ), box->upper[k] ) |
		         vf_greater( box->lower[k], vf_load( group + 16 * ( 3 + k ) ) );
	return ~apart & 0xffff;
}

// The lanes that certainly overlap: floats that differ have doubles that differ the same way.
VECTOR_INLINE uint32_t certain( const wide_box *box, const float *group ) {
	uint32_t inside = 0xffff;
	for ( int k = 0; k < 3; ++k )
		inside &= vf_greater( box->upper[k], vf_load( group + 16 * k ) ) &
		          vf_greater( vf_load( group + 16 * ( 3 + k ) ), box->lower[k] );
	return inside;
}

// The pairs of a box of one group with boxes of another, or with those behind it in its own. More may be written than
// are counted. That a box meets none is not worth asking: the branch would be guessed wrong as often as not.
VECTOR_INLINE size_t group_pairs( const dbvhi_box_tree *tree, size_t g, size_t h, uint32_t lanes, uint64_t *pairs_out,
                                  size_t count ) {
	const float *of_g = tree->level[0] + 96 * g, *of_h = tree->level[0] + 96 * h;
	const uint32_t *first = tree->order + 16 * g, *second = tree->order + 16 * h;
	while ( lanes != 0 ) {
		const int i = __builtin_ctz( lanes );
		lanes &= lanes - 1;
		const wide_box box = box_of( of_g, i );
		uint32_t found = overlapping( &box, of_h );
		if ( g == h )
			found &= 0xfffeu << i;
		const uint32_t a = first[i];
		// A lane without a box is as far out as floats go, where a box may be, too.
		for ( uint32_t unsure = found & ~certain( &box, of_h ); unsure != 0; unsure &= unsure - 1 ) {
			const int j = __builtin_ctz( unsure );
			const uint32_t b = second[j];
			if ( a == UINT32_MAX || b == UINT32_MAX ||
			     !dbvhi_boxes_overlap( tree->boxes + 6 * (size_t)a, tree->boxes + 6 * (size_t)b ) )
				found &= ~( 1u << j );
		}
		count += vector_pairs( a, second, found, pairs_out + count );
	}
	return count;
}

// A walk over the groups of level 0, in ascending order, that lie below nodes which overlap a box. `path[k]` is the
// group of level k that is being looked at and `left[k]` its lanes that wait.
typedef struct walk {
	size_t path[8];
	uint32_t left[8];
	int top, level;
} walk;

// The first `from` groups of level 0 are passed over.
VECTOR_INLINE uint32_t lanes_from( size_t group, int level, size_t from, uint32_t lanes ) {
	// Keep the lanes of a node whose last group of level 0 is not before `from`: lane i of group p at level k stands
	// for the group of level k - 1 with number 16 p + i.
	const size_t first = from >> ( 4 * ( level - 1 ) );
	if ( first <= 16 * group )
		return lanes;
	return first - 16 * group >= 16 ? 0 : lanes & ( 0xffffu << ( first - 16 * group ) );
}

VECTOR_INLINE void walk_begin( walk *w, const dbvhi_box_tree *tree, const wide_box *box, size_t from ) {
	w->top = w->level = tree->levels - 1;
	w->path[w->top] = 0;
	w->left[w->top] = w->top == 0 ? from == 0 : lanes_from( 0, w->top, from, overlapping( box, tree->level[w->top] ) );
}

// The next group of level 0, or SIZE_MAX.
VECTOR_INLINE size_t walk_next( walk *w, const dbvhi_box_tree *tree, const wide_box *box, size_t from ) {
	if ( w->top == 0 ) {
		const bool one = w->left[0] != 0;
		w->left[0] = 0;
		return one ? 0 : SIZE_MAX;
	}
	for ( ;; ) {
		const int level = w->level;
		if ( w->left[level] == 0 ) {
			if ( level == w->top )
				return SIZE_MAX;
			w->level = level + 1;
			continue;
		}
		const int lane = __builtin_ctz( w->left[level] );
		w->left[level] &= w->left[level] - 1;
		const size_t group = 16 * w->path[level] + (size_t)lane;
		// A lane without a group is as far out as floats go: what is infinite seems to reach it.
		if ( group >= tree->level_groups[level - 1] )
			continue;
		if ( level == 1 )
			return group;
		w->path[level - 1] = group;
		w->left[level - 1] =
		    lanes_from( group, level - 1, from, overlapping( box, tree->level[level - 1] + 96 * group ) );
		w->level = level - 1;
	}
}

// The bounds of a group of boxes, which the level above has; where there is none, they are the boxes' own.
VECTOR_INLINE wide_box bounds_of( const dbvhi_box_tree *tree, size_t g ) {
	if ( tree->levels > 1 )
		return box_of( tree->level[1] + 96 * ( g / 16 ), (int)( g % 16 ) );
	wide_box all;
	for ( int k = 0; k < 3; ++k ) {
		all.lower[k] = vf_set( -__builtin_inff() );
		all.upper[k] = vf_set( __builtin_inff() );
	}
	return all;
}

static size_t find_pairs( const dbvhi_box_tree *tree, size_t *group, size_t *other, size_t end, uint64_t *pairs_out,
                          size_t count, size_t capacity ) {
	for ( size_t g = *group; g < end; ++g ) {
		const size_t from = *other > g ? *other : g;
		const wide_box bounds = bounds_of( tree, g );
		const float *boxes = tree->level[0] + 96 * g;
		walk w;
		walk_begin( &w, tree, &bounds, from );
		for ( ;; ) {
			const size_t h = walk_next( &w, tree, &bounds, from );
			if ( h == SIZE_MAX )
				break;
			// 256 pairs, and what is written beyond them.
			if ( capacity - count < 512 ) {
				*group = g;
				*other = h;
				return count;
			}
			const wide_box theirs = bounds_of( tree, h );
			count = group_pairs( tree, g, h, overlapping( &theirs, boxes ), pairs_out, count );
		}
		*other = 0;
	}
	*group = end;
	return count;
}

static size_t find_overlaps( const dbvhi_box_tree *tree, const float box[6], size_t *group, uint32_t *groups_out,
                             uint16_t *masks_out, size_t capacity ) {
	wide_box wide;
	for ( int k = 0; k < 3; ++k ) {
		wide.lower[k] = vf_set( box[k] );
		wide.upper[k] = vf_set( box[3 + k] );
	}
	size_t count = 0;
	walk w;
	walk_begin( &w, tree, &wide, *group );
	for ( ;; ) {
		const size_t h = walk_next( &w, tree, &wide, *group );
		if ( h == SIZE_MAX ) {
			*group = tree->level_groups[0];
			return count;
		}
		const uint32_t mask = overlapping( &wide, tree->level[0] + 96 * h );
		if ( mask == 0 )
			continue;
		if ( count == capacity ) {
			*group = h;
			return count;
		}
		groups_out[count] = (uint32_t)h;
		masks_out[count++] = (uint16_t)mask;
	}
}

// ------------------------------------------------------------------------------------------------
// The curve. Sixteen boxes at a time, in loops that compilers turn into vectors.

// The ten lower bits of x, two zeros before each.
static inline uint32_t spread_bits( uint32_t x ) {
	x = ( x | x << 16 ) & 0x030000ff;
	x = ( x | x << 8 ) & 0x0300f00f;
	x = ( x | x << 4 ) & 0x030c30c3;
	return ( x | x << 2 ) & 0x09249249;
}

// Skilling's transform of coordinates to the bits of the place, without branches.
static void to_places( uint32_t x[3][16], int bits, uint32_t *places_out ) {
	for ( uint32_t q = 1u << ( bits - 1 ); q > 1; q >>= 1 ) {
		const uint32_t low = q - 1;
		for ( int k = 0; k < 3; ++k ) {
			for ( int i = 0; i < 16; ++i ) {
				const uint32_t is_set = 0u - ( ( x[k][i] & q ) != 0 ), other = ( x[0][i] ^ x[k][i] ) & low & ~is_set;
				x[0][i] ^= ( low & is_set ) | other;
				x[k][i] ^= k > 0 ? other : 0;
			}
		}
	}
	for ( int i = 0; i < 16; ++i ) {
		x[1][i] ^= x[0][i];
		x[2][i] ^= x[1][i];
		uint32_t turn = 0;
		for ( uint32_t q = 1u << ( bits - 1 ); q > 1; q >>= 1 )
			turn ^= ( 0u - ( ( x[2][i] & q ) != 0 ) ) & ( q - 1 );
		places_out[i] =
		    spread_bits( x[0][i] ^ turn ) << 2 | spread_bits( x[1][i] ^ turn ) << 1 | spread_bits( x[2][i] ^ turn );
	}
}

static void find_places( const dbvhi_box_curve *c, const double *boxes, size_t count, uint32_t *keys_out ) {
	const double most = (double)( 1 << c->bits ) - 1.0;
	for ( size_t begin = 0; begin < count; begin += 16 ) {
		const size_t here = count - begin < 16 ? count - begin : 16;
		uint32_t x[3][16] = { { 0 } }, places[16];
		for ( size_t i = 0; i < here; ++i ) {
			const double *box = boxes + 6 * ( begin + i );
			for ( int k = 0; k < 3; ++k ) {
				const double at = ( 0.5 * box[k] + 0.5 * box[3 + k] - c->lower[k] ) * c->scale[k];
				const double cell = at > 0.0 ? at < most ? at : most : 0.0; // NaN: 0
				x[k][i] = (uint32_t)(int32_t)cell;
			}
		}
		to_places( x, c->bits, places );
		for ( size_t i = 0; i < here; ++i )
			keys_out[begin + i] = places[i];
	}
}

extern const dbvhi_box_pairs_kernels DBVHI_KERNEL_NAME( dbvhi_box_pairs );
const dbvhi_box_pairs_kernels DBVHI_KERNEL_NAME( dbvhi_box_pairs ) = { find_pairs, find_overlaps, find_places };
