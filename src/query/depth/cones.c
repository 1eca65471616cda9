// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Blocks of triangles that follow each other as leaves of the tree have a box and a cone; so have pairs of blocks, and
// so on. A search for the boundary within a ball that does not face a direction passes over whole nodes whose cones do.
//
// Cones. Let c be the product of the axis with a direction, and l the cosine of the cone's half angle. Each normal has
// at least the product c l - sqrt( ( 1 - c^2 ) ( 1 - l^2 ) ) with the direction, where both are positive. Axes and
// normals in floats are off by 2^-22, and a pose turns normals by at most its deviation, 2e-6: DBVHI_LEAST_PRODUCT is
// more than all of it, and is asked for twice.

#include "query/depth/cones.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

#define BLOCK 8
// Nodes are visited so often at most: where more are needed, the answer is that there is no such direction.
#define MOST_VISITS 256
// Times that the direction is turned towards a normal with which it has no positive product (the perceptron).
#define MOST_TURNS 16
#define STACK 64
// A normal with a lesser product with the direction ends the search early: no direction is likely to suit both.
#define OPPOSITE_NORMAL -0.5

// ------------------------------------------------------------------------------------------------
// Making

static size_t block_count( size_t triangles ) {
	return ( triangles + BLOCK - 1 ) / BLOCK;
}

// The inward normal of a triangle, of length 1. False if it has none, or is not certain to be boundary.
static bool inward_normal( const dbvhi_solid_sides *s, const dbvh_tree *tree, uint32_t leaf, double out[3] ) {
	const double *c = tree->corners + 9 * (size_t)leaf;
	const int8_t side = s->side[tree->triangle[leaf]];
	if ( side != DBVHI_SOLID_BELOW && side != DBVHI_SOLID_ABOVE )
		return false;
	double ab[3], ac[3];
	for ( int k = 0; k < 3; ++k ) {
		ab[k] = c[3 + k] - c[k];
		ac[k] = c[6 + k] - c[k];
	}
	dbvhi_cross3( ab, ac, out );
	const double square = dbvhi_dot3( out, out ), most = dbvhi_dot3( ab, ab ) * dbvhi_dot3( ac, ac );
	// note: squares that are subnormal or infinite belong to triangles that are looked at in another way.
	if ( !( square > 0x1p-40 * most && square > 0x1p-900 && most < 0x1p900 ) )
		return false;
	const double scale = ( side == DBVHI_SOLID_BELOW ? -1.0 : 1.0 ) / sqrt( square );
	for ( int k = 0; k < 3; ++k )
		out[k] *= scale;
	return true;
}

// A float not above, or not below, a double.
static float outwards( double x, int way ) {
	const float nearest = (float)x;
	return way < 0 ? ( (double)nearest > x ? nextafterf( nearest, -INFINITY ) : nearest )
	               : ( (double)nearest < x ? nextafterf( nearest, INFINITY ) : nearest );
}

// Set the node over triangles [first, end).
static void set_cone( dbvhi_normal_cone *out, const dbvhi_solid_sides *s, const dbvh_tree *tree, size_t first,
                      size_t end ) {
	double sum[3] = { 0.0, 0.0, 0.0 }, n[3], least = 1.0;
	bool all = true;
	for ( int k = 0; k < 3; ++k ) {
		double low = INFINITY, high = -INFINITY;
		for ( size_t i = 3 * first; i < 3 * end; ++i ) {
			low = fmin( low, tree->corners[3 * i + (size_t)k] );
			high = fmax( high, tree->corners[3 * i + (size_t)k] );
		}
		out->low[k] = outwards( low, -1 );
		out->high[k] = outwards( high, 1 );
	}
	for ( size_t i = first; i < end && all; ++i ) {
		all = inward_normal( s, tree, (uint32_t)i, n );
		for ( int k = 0; k < 3 && all; ++k )
			sum[k] += n[k];
	}
	all = all && dbvhi_normalise3( sum );
	for ( int k = 0; k < 3; ++k )
		out->axis[k] = all ? (float)sum[k] : 0.0f;
	for ( size_t i = first; i < end && all; ++i ) {
		inward_normal( s, tree, (uint32_t)i, n );
		least = fmin( least, dbvhi_dot3( n, sum ) );
	}
	out->least = all ? outwards( least, -1 ) : -1.0f;
}

bool dbvhi_cones_make( dbvhi_solid_sides *s, const dbvh_tree *tree, const dbvh_allocator *allocator ) {
	if ( s->has_cones )
		return true;
	const size_t blocks = block_count( tree->triangle_count );
	if ( !dbvhi_grow_array( allocator, &s->cones, &s->cone_capacity, 2 * blocks + STACK, sizeof *s->cones ) )
		return false;
	dbvhi_normal_cone *level = s->cones;
	size_t size = BLOCK;
	for ( size_t count = blocks;; count = ( count + 1 ) / 2, size *= 2 ) {
		for ( size_t i = 0; i < count; ++i ) {
			const size_t end = ( i + 1 ) * size;
			set_cone( &level[i], s, tree, i * size, end < tree->triangle_count ? end : tree->triangle_count );
		}
		level += count;
		if ( count == 1 )
			break;
	}
	s->has_cones = true;
	return true;
}

// ------------------------------------------------------------------------------------------------
// Asking

// A search for triangles within reach of a point that do not face a direction.
typedef struct cone_search {
	const dbvhi_solid *solid;
	const dbvhi_solid_sides *sides;
	const dbvh_tree *tree;
	const double *point; // in the frame of the pair
	double reach;
	double local[3], local_reach; // the same ball and a little more, in the frame of the mesh
	double way[3];                // a unit vector there
	size_t first[STACK], levels;  // where the nodes of each level begin, those of blocks first
	size_t root;
	size_t visits;
} cone_search;

static bool is_beyond_reach( const cone_search *c, const dbvhi_normal_cone *node ) {
	double square = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		const double away = fmax( fmax( node->low[k] - c->local[k], c->local[k] - node->high[k] ), 0.0 );
		square += away * away;
	}
	return square > c->local_reach * c->local_reach;
}

static bool faces_way( const cone_search *c, const dbvhi_normal_cone *node ) {
	double product = 0.0;
	for ( int k = 0; k < 3; ++k )
		product += c->way[k] * node->axis[k];
	const double l = node->least;
	if ( !( product > 0.0 && l > 0.0 ) )
		return false;
	const double rest = fmax( 1.0 - product * product, 0.0 ) * fmax( 1.0 - l * l, 0.0 );
	return product * l - sqrt( rest ) > 2.0 * DBVHI_LEAST_PRODUCT;
}

// Look at the triangles of a block. False, with the normal, at one within reach that does not face the way; a zero
// normal where it has none.
static bool look_at_block( cone_search *c, size_t block, double normal_out[3] ) {
	const size_t end = ( block + 1 ) * BLOCK, all = c->tree->triangle_count;
	for ( size_t i = block * BLOCK; i < ( end < all ? end : all ); ++i ) {
		const bool has_normal = inward_normal( c->sides, c->tree, (uint32_t)i, normal_out );
		if ( has_normal && dbvhi_dot3( normal_out, c->way ) > 2.0 * DBVHI_LEAST_PRODUCT )
			continue;
		double image[9];
		dbvhi_solid_image( c->solid, (uint32_t)i, image );
		if ( dbvhi_point_filter( image, c->point, c->solid->placed.error ).low > c->reach )
			continue;
		for ( int k = 0; k < 3; ++k )
			normal_out[k] = has_normal ? normal_out[k] : 0.0;
		return false;
	}
	return true;
}

// Find the first triangle within reach that does not face the way, or give up. False if there is none.
static bool find_other( cone_search *c, double normal_out[3] ) {
	size_t stack[STACK][2], top = 0; // level and index
	stack[top][0] = c->levels - 1;
	stack[top++][1] = 0;
	while ( top > 0 && c->visits < MOST_VISITS ) {
		const size_t level = stack[--top][0], index = stack[top][1];
		const dbvhi_normal_cone *node = &c->sides->cones[c->first[level] + index];
		c->visits += 1;
		if ( is_beyond_reach( c, node ) || faces_way( c, node ) )
			continue;
		if ( level == 0 ) {
			c->visits += 2;
			if ( !look_at_block( c, index, normal_out ) )
				return true;
			continue;
		}
		const size_t below = c->first[level] - c->first[level - 1];
		for ( size_t half = 2; half-- > 0; ) {
			if ( 2 * index + half < below ) {
				stack[top][0] = level - 1;
				stack[top++][1] = 2 * index + half;
			}
		}
	}
	return c->visits >= MOST_VISITS;
}

static void find_levels_of_cones( cone_search *c ) {
	size_t begin = 0;
	for ( size_t count = block_count( c->tree->triangle_count );; count = ( count + 1 ) / 2 ) {
		c->first[c->levels++] = begin;
		c->root = begin;
		begin += count;
		if ( count == 1 )
			return;
	}
}

// True if the whole mesh is within reach: a closed surface faces no way.
static bool holds_all( const cone_search *c ) {
	const dbvhi_normal_cone *root = &c->sides->cones[c->root];
	double square = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		const double away = fmax( c->local[k] - root->low[k], root->high[k] - c->local[k] );
		square += away * away;
	}
	return square < c->local_reach * c->local_reach;
}

dbvhi_cones_answer dbvhi_cones_ask( const dbvhi_solid *solid, const dbvhi_solid_sides *sides, const double point[3],
                                    double reach, const double way[3] ) {
	cone_search c = { .solid = solid, .sides = sides, .tree = solid->placed.tree, .point = point, .reach = reach };
	double error, error_end, end[3], normal[3] = { 0.0, 0.0, 0.0 };
	for ( int k = 0; k < 3; ++k )
		end[k] = point[k] + way[k];
	const dbvhi_vec from = dbvhi_placed_point( &solid->placed, point, &error ),
	                to = dbvhi_placed_point( &solid->placed, end, &error_end );
	for ( int k = 0; k < 3; ++k ) {
		c.local[k] = from.v[k];
		c.way[k] = to.v[k] - from.v[k];
	}
	// note: a pose may stretch lengths by half its deviation.
	c.local_reach = ( reach + 2.0 * error ) * ( 1.0 + 2.0 * solid->placed.deviation + 0x1p-40 );
	dbvhi_cones_answer answer = DBVHI_CONES_DO_NOT;
	find_levels_of_cones( &c );
	if ( holds_all( &c ) )
		return answer;
	for ( int turn = 0; turn <= MOST_TURNS && c.visits < MOST_VISITS && dbvhi_normalise3( c.way ); ++turn ) {
		if ( !find_other( &c, normal ) ) {
			answer = DBVHI_CONES_FACE_ONE_WAY;
			break;
		}
		const bool has_none = normal[0] == 0.0 && normal[1] == 0.0 && normal[2] == 0.0;
		if ( has_none || dbvhi_dot3( normal, c.way ) < OPPOSITE_NORMAL )
			break;
		for ( int k = 0; k < 3; ++k )
			c.way[k] += normal[k];
	}
	return dbvhi_meter_charge( solid->meter, 1 + c.visits / 8 ) ? answer : DBVHI_CONES_CUT_SHORT;
}
