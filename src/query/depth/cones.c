// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Blocks of triangles that follow each other as leaves of the tree have a box and a cone; so have pairs of blocks, and
// so on. A search for the boundary within a ball that does not face a direction passes over whole nodes whose cones do.
//
// Cones. Let l be the cosine of the cone's half angle, and m that of the greatest angle allowed between a normal and a
// direction. All normals are within that angle if the axis is within the difference of both angles, which is positive
// where l > m: if its product with the direction is at least m l + sqrt( ( 1 - m^2 ) ( 1 - l^2 ) ). Axes and normals in
// floats are off by 2^-22, and a pose turns normals by at most its deviation, 2e-6: DBVHI_LEAST_PRODUCT is more than
// all of it, and m is twice that.

#include "query/depth/cones.h"

#include "base/alloc.h"
#include "base/inline.h"

#include <math.h>
#include <string.h>

#define BLOCK 8
#define LEAST ( 2.0 * DBVHI_LEAST_PRODUCT )
// Nodes are visited so often at most: where more are needed, the answer is that there is no such direction.
#define MOST_VISITS 256
#define STACK 64

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

static bool has_normal( const float normal[3] ) {
	return normal[0] != 0.0f || normal[1] != 0.0f || normal[2] != 0.0f;
}

static double product_with( const float normal[3], const double way[3] ) {
	return normal[0] * way[0] + normal[1] * way[1] + normal[2] * way[2];
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
	double sum[3] = { 0.0, 0.0, 0.0 }, l = 1.0;
	bool all = true;
	for ( int k = 0; k < 3; ++k ) {
		double low = INFINITY, high = -INFINITY;
		for ( size_t i = 3 * first; i < 3 * end; ++i ) {
			low = dbvhi_smaller( tree->corners[3 * i + (size_t)k], low );
			high = dbvhi_larger( tree->corners[3 * i + (size_t)k], high );
		}
		out->low[k] = outwards( low, -1 );
		out->high[k] = outwards( high, 1 );
	}
	for ( size_t i = first; i < end && all; ++i ) {
		all = has_normal( s->inward[i] );
		for ( int k = 0; k < 3; ++k )
			sum[k] += s->inward[i][k];
	}
	all = all && dbvhi_normalise3( sum );
	for ( int k = 0; k < 3; ++k )
		out->axis[k] = all ? (float)sum[k] : 0.0f;
	for ( size_t i = first; i < end && all; ++i )
		l = dbvhi_smaller( product_with( s->inward[i], sum ), l );
	const double rest = ( 1.0 - LEAST * LEAST ) * dbvhi_larger( 1.0 - l * l, 0.0 );
	out->enough = all && l > LEAST ? outwards( LEAST * l + sqrt( rest ), 1 ) : DBVHI_CONE_FACES_NONE;
}

bool dbvhi_cones_make( dbvhi_solid_sides *s, const dbvh_tree *tree, const dbvh_allocator *allocator ) {
	if ( s->has_cones )
		return true;
	const size_t blocks = block_count( tree->triangle_count );
	if ( !dbvhi_grow_array( allocator, &s->cones, &s->cone_capacity, 2 * blocks + STACK, sizeof *s->cones ) ||
	     !dbvhi_grow_array( allocator, &s->inward, &s->inward_capacity, tree->triangle_count, sizeof *s->inward ) )
		return false;
	for ( size_t i = 0; i < tree->triangle_count; ++i ) {
		double normal[3] = { 0.0, 0.0, 0.0 };
		const bool all = inward_normal( s, tree, (uint32_t)i, normal );
		for ( int k = 0; k < 3; ++k )
			s->inward[i][k] = all ? (float)normal[k] : 0.0f;
	}
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
	size_t first[STACK], levels;  // the beginning of the nodes of each level, those of blocks first
	size_t root;
	size_t visits;
} cone_search;

// True if a box is certainly beyond reach.
static bool is_beyond_reach( const cone_search *c, const double low[3], const double high[3] ) {
	double square = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		const double away = dbvhi_larger( dbvhi_larger( low[k] - c->local[k], c->local[k] - high[k] ), 0.0 );
		square += away * away;
	}
	return square > c->local_reach * c->local_reach;
}

static bool is_node_beyond_reach( const cone_search *c, const dbvhi_normal_cone *node ) {
	return is_beyond_reach( c, ( const double[3] ){ node->low[0], node->low[1], node->low[2] },
	                        ( const double[3] ){ node->high[0], node->high[1], node->high[2] } );
}

static bool is_triangle_beyond_reach( const cone_search *c, size_t leaf ) {
	const double *t = c->tree->corners + 9 * leaf;
	double low[3], high[3];
	for ( int k = 0; k < 3; ++k ) {
		low[k] = dbvhi_smaller( t[k], dbvhi_smaller( t[3 + k], t[6 + k] ) );
		high[k] = dbvhi_larger( t[k], dbvhi_larger( t[3 + k], t[6 + k] ) );
	}
	return is_beyond_reach( c, low, high );
}

// Look at the triangles of a block. False, with the normal, at one within reach that does not face the way; a zero
// normal where it has none.
static bool look_at_block( cone_search *c, size_t block, double normal_out[3] ) {
	const size_t end = ( block + 1 ) * BLOCK, all = c->tree->triangle_count;
	for ( size_t i = block * BLOCK; i < ( end < all ? end : all ); ++i ) {
		const float *normal = c->sides->inward[i];
		if ( product_with( normal, c->way ) > LEAST )
			continue;
		if ( is_triangle_beyond_reach( c, i ) )
			continue;
		double image[9];
		dbvhi_solid_image( c->solid, (uint32_t)i, image );
		if ( dbvhi_point_filter( image, c->point, c->solid->placed.error ).low > c->reach )
			continue;
		for ( int k = 0; k < 3; ++k )
			normal_out[k] = normal[k];
		return false;
	}
	return true;
}

// A node of the search that is within reach and may hold a normal that does not face the way.
typedef struct open_node {
	size_t level, index;
	double product; // product of its axis with the way
} open_node;

static bool is_open( cone_search *c, size_t level, size_t index, open_node *out ) {
	const dbvhi_normal_cone *node = &c->sides->cones[c->first[level] + index];
	c->visits += 1;
	if ( is_node_beyond_reach( c, node ) )
		return false;
	*out = ( open_node ){ level, index, product_with( node->axis, c->way ) };
	return !( out->product > node->enough );
}

// Find a triangle within reach that does not face the way, or give up. False if there is none. Of two halves the one
// whose axis faces the way less is first: of a ball that holds such triangles one is found at once.
static bool find_other( cone_search *c, double normal_out[3] ) {
	open_node stack[STACK], half[2];
	size_t top = is_open( c, c->levels - 1, 0, &stack[0] ) ? 1 : 0;
	while ( top > 0 && c->visits < MOST_VISITS ) {
		const open_node node = stack[--top];
		if ( node.level == 0 ) {
			c->visits += 2;
			if ( !look_at_block( c, node.index, normal_out ) )
				return true;
			continue;
		}
		const size_t below = c->first[node.level] - c->first[node.level - 1], first = 2 * node.index;
		const bool open[2] = { is_open( c, node.level - 1, first, &half[0] ),
		                       first + 1 < below && is_open( c, node.level - 1, first + 1, &half[1] ) };
		const int last = open[0] && open[1] && half[0].product < half[1].product ? 1 : 0;
		if ( open[last] )
			stack[top++] = half[last];
		if ( open[!last] )
			stack[top++] = half[!last];
	}
	return top > 0;
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
		const double away = dbvhi_larger( c->local[k] - root->low[k], root->high[k] - c->local[k] );
		square += away * away;
	}
	return square < c->local_reach * c->local_reach;
}

dbvhi_cones_answer dbvhi_cones_ask( const dbvhi_solid *solid, const dbvhi_solid_sides *sides, const double point[3],
                                    double reach, const double way[3], double other_out[3] ) {
	cone_search c = { .solid = solid, .sides = sides, .tree = solid->placed.tree, .point = point, .reach = reach };
	double error, error_end, end[3], normal[3] = { 0.0, 0.0, 0.0 };
	for ( int k = 0; k < 3; ++k ) {
		end[k] = point[k] + way[k];
		other_out[k] = 0.0;
	}
	const dbvhi_vec from = dbvhi_placed_point( &solid->placed, point, &error ),
	                to = dbvhi_placed_point( &solid->placed, end, &error_end );
	for ( int k = 0; k < 3; ++k ) {
		c.local[k] = from.v[k];
		c.way[k] = to.v[k] - from.v[k];
	}
	// note: a pose may stretch lengths by half its deviation.
	c.local_reach = ( reach + 2.0 * error ) * ( 1.0 + 2.0 * solid->placed.deviation + 0x1p-40 );
	find_levels_of_cones( &c );
	if ( holds_all( &c ) || !dbvhi_normalise3( c.way ) )
		return DBVHI_CONES_DO_NOT;
	const bool found = find_other( &c, normal );
	const dbvh_pose *pose = solid->placed.pose;
	for ( int k = 0; k < 3; ++k )
		other_out[k] = pose != NULL ? dbvhi_dot3( pose->rot[k], normal ) : normal[k];
	if ( !dbvhi_meter_charge( solid->meter, 1 + c.visits / 8 ) )
		return DBVHI_CONES_CUT_SHORT;
	return found ? DBVHI_CONES_DO_NOT : DBVHI_CONES_FACE_ONE_WAY;
}
