// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "base/alloc.h"
#include "base/assert.h"
#include "base/inline.h"
#include "base/status.h"
#include "bvh/ellipsoid_test.h"
#include "bvh/packed/pack.h"
#include "bvh/tree.h"
#include "math/quaternion.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// A lane on the path from the root to the current node.
typedef struct step {
	uint32_t node;
	int lane;
} step;

#define MAX_DEPTH 128

// The link from the root's side to a node.
typedef struct link {
	uint32_t from;  // DBVHI_WIDTH times the parent, plus its lane there
	uint32_t depth; // nodes on the path from the root, both ends counted; 0: not linked to yet
} link;

typedef struct content {
	const dbvh_tree *tree;
	uint32_t sample, deepest;
	link *links;                // by node
	unsigned char *leaf_linked; // a byte for each leaf
	double extent;
	double fragment_error; // in the unit of the block
	dbvhi_power down;      // from the unit of the mesh to that of the block
} content;

static double length3( const double x[3] ) {
	return sqrt( x[0] * x[0] + x[1] * x[1] + x[2] * x[2] );
}

// Checks the header except `extent` and `unit`. Nothing else in the block may be read before.
static const char *check_header( const dbvhi_packed *packed, const dbvhi_packed *plan ) {
	if ( packed->version != plan->version || packed->content_hash != plan->content_hash )
		return "it is of another version or mesh";
	if ( packed->node_count != plan->node_count || packed->leaf_count != plan->leaf_count ||
	     packed->ellipsoid_count != plan->ellipsoid_count )
		return "it has more or fewer nodes, leaves or ellipsoids than it should";
	if ( packed->ellipsoid_count > UINT8_MAX )
		return "there are too many ellipsoids";
	if ( packed->depth != plan->depth || packed->depth == 0 || packed->depth > MAX_DEPTH )
		return "the recorded depth is not the depth";
	if ( packed->bytes != plan->bytes || packed->sphere_offset != plan->sphere_offset ||
	     packed->box_offset != plan->box_offset || packed->leaf_offset != plan->leaf_offset ||
	     packed->mark_offset != plan->mark_offset || packed->ellipsoid_offset != plan->ellipsoid_offset ||
	     packed->exponent != plan->exponent )
		return "its parts are not where they should be";
	if ( memcmp( packed->centre, plan->centre, sizeof packed->centre ) != 0 )
		return "its centre is not the tree's";
	// note: these are compared with the content later.
	if ( !( packed->extent > 0.0 && packed->extent <= DBL_MAX ) || packed->unit != dbvhi_packed_unit( packed->extent ) )
		return "its unit does not fit its extent";
	return NULL;
}

// Returns dbvhi_packed_number() * 65,536, a whole number.
static int64_t in_65536ths( const dbvhi_packed_box *box, int which ) {
	const int32_t pair = box->pair[which / 2];
	return which % 2 == 0 ? (int64_t)(int16_t)( pair & 0xffff ) * 65536 : (int64_t)pair;
}

// Bounds the radii: the packed root's children are no larger than the root, but for rounding, a step, and the error of
// positions in doubles: three times 2^-44 of the mesh's distance from the origin, which may exceed its extent.
static double largest_radius( const dbvhi_packed *packed ) {
	return 4.0 * packed->extent + 0x1p-40 * length3( packed->centre );
}

// Checks that children take the first lanes and that unused lanes are 0. Raises *extent to the distance of the centres.
static const char *check_lanes( const dbvhi_packed *packed, uint32_t node, double *extent, int *child_count ) {
	DBVHI_ASSERT( node < packed->node_count );
	const dbvhi_packed_spheres *s = &dbvhi_packed_spheres_of( packed )[node];
	const dbvhi_packed_box *boxes = &dbvhi_packed_boxes_of( packed )[DBVHI_WIDTH * (size_t)node];
	bool ended = false;
	*child_count = DBVHI_WIDTH;
	for ( int i = 0; i < DBVHI_WIDTH; ++i ) {
		const double centre[3] = { (double)s->centre[0][i], (double)s->centre[1][i], (double)s->centre[2][i] };
		if ( s->radius[i] == DBVHI_NO_CHILD ) {
			static const dbvhi_packed_box empty;
			if ( i == 0 )
				return "a node has no children";
			if ( memcmp( &boxes[i], &empty, sizeof empty ) != 0 || centre[0] != 0.0 || centre[1] != 0.0 ||
			     centre[2] != 0.0 )
				return "a lane without a child holds something";
			*child_count = ended ? *child_count : i;
			ended = true;
			continue;
		}
		if ( ended )
			return "a child comes after a lane without one";
		if ( !( s->radius[i] > 0.0f && (double)s->radius[i] <= largest_radius( packed ) ) )
			return "a radius is not possible";
		const double distance = length3( centre );
		if ( !( distance <= packed->extent ) )
			return "a child's centre is beyond the extent";
		*extent = dbvhi_larger( *extent, distance );
		// note: kernels square and divide by the quaternion, whose largest component is 32,700, but for rounding.
		int64_t turn = 0;
		for ( int k = 0; k < 4; ++k ) {
			const int64_t size = llabs( in_65536ths( &boxes[i], DBVHI_TURN_W + k ) );
			turn = size > turn ? size : turn;
		}
		if ( turn < 32690 * INT64_C( 65536 ) || turn > 32710 * INT64_C( 65536 ) )
			return "a box's rotation is none";
		// note: no margin covers the part of a box outside its sphere.
		for ( int k = 0; k < 3; ++k ) {
			if ( llabs( in_65536ths( &boxes[i], DBVHI_OFFSET_0 + k ) ) > 32760 * INT64_C( 65536 ) ||
			     in_65536ths( &boxes[i], DBVHI_HALF_0 + k ) <= 0 )
				return "a box is larger than its sphere";
		}
	}
	return NULL;
}

// Limits in floats that lanes of a valid tree keep with room to spare, stricter than those of check_lanes().
typedef struct plain_lanes {
	float radius, square; // negative: no lane passes
} plain_lanes;

static plain_lanes plain_lanes_of( const dbvhi_packed *packed ) {
	// Only for extents whose squares are normal floats; the factors leave far more room than rounding takes.
	if ( !( packed->extent >= 0x1p-50 && packed->extent <= 0x1p50 ) )
		return ( plain_lanes ){ -1.0f, -1.0f };
	return ( plain_lanes ){ (float)dbvhi_smaller( 0.999 * largest_radius( packed ), 0x1p100 ),
	                        (float)( 0.999 * packed->extent * packed->extent ) };
}

// Return the size of a number of a box, in 1/65,536ths: of the lower and of the upper number of a pair.
static uint32_t size_of_low( int32_t pair ) {
	const uint32_t low = (uint32_t)pair << 16;
	return low >> 31 != 0 ? 0u - low : low;
}

static uint32_t size_of_high( int32_t pair ) {
	return pair < 0 ? 0u - (uint32_t)pair : (uint32_t)pair;
}

static uint32_t larger_of( uint32_t a, uint32_t b ) {
	return a > b ? a : b;
}

// True if the box of a child certainly keeps the rules of check_lanes().
static bool is_plain_box( const dbvhi_packed_box *box ) {
	const int32_t *p = box->pair;
	const uint32_t turn = larger_of( larger_of( size_of_low( p[3] ), size_of_high( p[3] ) ),
	                                 larger_of( size_of_low( p[4] ), size_of_high( p[4] ) ) );
	const uint32_t offset = larger_of( larger_of( size_of_low( p[0] ), size_of_high( p[0] ) ), size_of_low( p[1] ) );
	const bool has_halves = ( p[1] > 0 ) & ( (int32_t)( (uint32_t)p[2] << 16 ) > 0 ) & ( p[2] > 0 );
	return has_halves & ( turn - 32690u * 65536u <= 20u * 65536u ) & ( offset <= 32760u * 65536u );
}

// True if the lanes of a node certainly pass check_lanes(), as most do. Free of branches, which would be mispredicted:
// lanes with a child are irregular. Raises *farthest to the squared distances, up to a few roundings.
static bool are_plain( const dbvhi_packed *packed, uint32_t node, const plain_lanes *limits, int *child_count,
                       float *farthest ) {
	const dbvhi_packed_spheres *s = &dbvhi_packed_spheres_of( packed )[node];
	const dbvhi_packed_box *boxes = &dbvhi_packed_boxes_of( packed )[DBVHI_WIDTH * (size_t)node];
	bool plain = true, was_child = true;
	float most = *farthest;
	int count = 0;
	for ( int i = 0; i < DBVHI_WIDTH; ++i ) {
		const float x = s->centre[0][i], y = s->centre[1][i], z = s->centre[2][i], radius = s->radius[i];
		const float square = x * x + y * y + z * z;
		const int32_t *pair = boxes[i].pair;
		const bool is_child = !( radius == DBVHI_NO_CHILD );
		const bool is_empty = ( ( pair[0] | pair[1] | pair[2] | pair[3] | pair[4] | boxes[i].child ) == 0 ) &
		                      ( x == 0.0f ) & ( y == 0.0f ) & ( z == 0.0f );
		const bool is_right =
		    ( radius > 0.0f ) & ( radius <= limits->radius ) & ( square <= limits->square ) & is_plain_box( &boxes[i] );
		plain &= is_child ? is_right & was_child : is_empty;
		was_child &= is_child;
		count += is_child;
		most = square > most ? square : most;
	}
	*child_count = count;
	plain &= count > 0;
	*farthest = plain ? most : *farthest;
	return plain;
}

// Checks a corner against the volumes of one lane, decoded in double; the kernels' rounding in float is covered by
// their margins.
static const char *check_corner( const dbvhi_packed *packed, const step *at, const double p[3], double error ) {
	const dbvhi_packed_spheres *n = &dbvhi_packed_spheres_of( packed )[at->node];
	const int i = at->lane;
	const dbvhi_packed_box *box = &dbvhi_packed_boxes_of( packed )[DBVHI_WIDTH * (size_t)at->node + (size_t)i];
	const double unit = (double)n->radius[i] / (double)DBVHI_STEPS;
	double q[4];
	for ( int k = 0; k < 4; ++k )
		q[k] = dbvhi_packed_number( box, DBVHI_TURN_W + k );
	double d[3], rot[3][3];
	for ( int k = 0; k < 3; ++k )
		d[k] = p[k] - (double)n->centre[k][i];
	dbvhi_rotation_from_quaternion( q, rot );
	for ( int k = 0; k < 3; ++k ) {
		double along = 0.0;
		for ( int j = 0; j < 3; ++j )
			along += rot[j][k] * ( d[j] - unit * dbvhi_packed_number( box, DBVHI_OFFSET_0 + j ) );
		if ( !( fabs( along ) + error <= unit * dbvhi_packed_number( box, DBVHI_HALF_0 + k ) ) )
			return "a triangle leaves the box";
	}
	if ( !( sqrt( d[0] * d[0] + d[1] * d[1] + d[2] * d[2] ) + error <= (double)n->radius[i] ) )
		return "a triangle leaves the sphere";
	return NULL;
}

// Checks a corner of a whole triangle against the ellipsoid of a node: fragments need no check of their own.
static const char *check_ellipsoid( const dbvhi_packed *packed, const step *at, const double corner[3] ) {
	const uint32_t mark = packed->ellipsoid_count > 0 ? dbvhi_packed_marks_of( packed )[at->node] : 0;
	if ( mark > packed->ellipsoid_count )
		return "a mark names no ellipsoid";
	if ( mark != 0 &&
	     !( dbvhi_packed_ellipsoid_reached( packed, &dbvhi_packed_ellipsoids_of( packed )[mark - 1], corner ) <= 1.0 ) )
		return "a triangle leaves the ellipsoid";
	return NULL;
}

// True if any of `count` floats is infinite or NaN: adding one to the exponent then sets the sign bit.
static bool any_beyond( const char *floats, int count ) {
	uint32_t any = 0;
	for ( int i = 0; i < count; ++i ) {
		uint32_t bits;
		memcpy( &bits, floats + 4 * i, sizeof bits );
		any |= ( bits & 0x7f800000 ) + 0x00800000;
	}
	return any >> 31 != 0;
}

static bool is_finite_leaf( const dbvhi_packed_leaf *leaf ) {
	_Static_assert( offsetof( dbvhi_packed_leaf, sizes ) == 39 * sizeof( float ), "nine vectors and an origin" );
	const char *floats = (const char *)leaf;
	// note: whole vectors, so one number is checked twice.
	return !( (int)any_beyond( floats, 36 ) | (int)any_beyond( floats + 4 * 35, 4 ) );
}

// Checks in memory order that each triangle is in one leaf and that all numbers are finite. `counts` is zeroed and has
// a byte a triangle: at the first triangle of each leaf, its number of triangles.
static const char *check_leaves( const dbvh_tree *tree, unsigned char *counts ) {
	const dbvhi_packed_leaf *leaves = dbvhi_packed_leaves_of( tree->packed );
	const uint32_t leaf_count = tree->packed->leaf_count;
	const size_t all = tree->triangle_count;
	for ( uint32_t i = 0; i < leaf_count; ++i ) {
		const uint32_t first = leaves[i].first_and_count >> 2, count = ( leaves[i].first_and_count & 3 ) + 1;
		if ( first > all || count > all - first )
			return "a leaf's triangles are out of range";
		if ( counts[first] != 0 )
			return "a triangle is in two leaves";
		counts[first] = (unsigned char)count;
		if ( !is_finite_leaf( &leaves[i] ) )
			return "a number of a leaf is not finite";
	}
	// Jump from leaf to leaf by leaf index: passing all of them means that each triangle was met once.
	uint32_t met = 0;
	size_t at = 0;
	while ( at < all && counts[at] != 0 ) {
		at += counts[at];
		met += 1;
	}
	return at == all && met == leaf_count ? NULL : "a triangle is in two leaves or in none";
}

static const char *check_leaf( content *c, const dbvhi_packed_leaf *leaf, const step *path, uint32_t depth ) {
	const dbvh_tree *tree = c->tree;
	const uint32_t first = leaf->first_and_count >> 2, count = ( leaf->first_and_count & 3 ) + 1;
	for ( uint32_t lane = count; lane < DBVHI_WIDTH; ++lane ) {
		for ( int i = 0; i < 9; ++i ) {
			const float *corner = leaf->corner[i / 3][i % 3];
			if ( memcmp( &corner[lane], &corner[0], sizeof corner[0] ) != 0 )
				return "an unused lane of a leaf does not repeat the first triangle";
		}
	}
	const double size = (double)dbvhi_packed_size( leaf->sizes ), edge = (double)dbvhi_packed_edge( leaf->sizes );
	if ( !( size <= 4.0 * tree->packed->extent && edge <= 4.0 * tree->packed->extent ) )
		return "a leaf's size is not possible";
	double far[3] = { 0.0, 0.0, 0.0 };
	for ( uint32_t t = 0; t < count; ++t ) {
		double room[9], corners[9];
		const double *whole = dbvhi_tree_triangle( tree, first + t, room );
		dbvhi_tree_fragment( tree, first + t, corners );
		for ( int k = 0; k < 9; ++k )
			corners[k] = dbvhi_times_power( c->down, corners[k] );
		for ( int corner = 0; corner < 3; ++corner ) {
			double p[3], square = 0.0;
			for ( int k = 0; k < 3; ++k ) {
				const double along = corners[3 * ( ( corner + 1 ) % 3 ) + k] - corners[3 * corner + k];
				square += along * along;
			}
			if ( !( sqrt( square ) <= edge ) )
				return "an edge is longer than its leaf says";
			for ( int k = 0; k < 3; ++k ) {
				p[k] = corners[3 * corner + k] - tree->packed->centre[k];
				const double local = p[k] - (double)leaf->origin[k];
				if ( !( fabs( local - (double)leaf->corner[corner][k][t] ) <= 0x1.001p-24 * size ) )
					return "a corner is farther from its place in the leaf than a rounding";
				if ( !( fabs( local ) + 0x1p24 * c->fragment_error <= size ) )
					return "a leaf is larger than it says";
			}
			if ( !( length3( p ) <= tree->packed->extent ) )
				return "a triangle is beyond the extent";
			for ( int k = 0; k < 3; ++k )
				far[k] = dbvhi_larger( far[k], fabs( p[k] ) );
			for ( uint32_t d = 0; d < depth; ++d ) {
				const char *rule = check_corner( tree->packed, &path[d], p, c->fragment_error );
				if ( rule == NULL )
					rule = check_ellipsoid( tree->packed, &path[d], whole + 3 * corner );
				if ( rule != NULL )
					return rule;
			}
		}
	}
	c->extent = dbvhi_larger( c->extent, length3( far ) );
	return NULL;
}

// Checks that the marks name each ellipsoid once, and that its support S fits its map T to the ball: T S T^T = I up to
// 2^-43 of the longest square, the precision of S.
static const char *check_ellipsoids( const dbvhi_packed *packed ) {
	const dbvhi_packed_ellipsoid *ellipsoids = dbvhi_packed_ellipsoids_of( packed );
	const uint8_t *marks = dbvhi_packed_marks_of( packed );
	bool seen[256] = { false };
	uint32_t marked = 0;
	for ( uint32_t i = 0; i < packed->node_count; ++i ) {
		if ( marks[i] == 0 )
			continue;
		if ( marks[i] > packed->ellipsoid_count || seen[marks[i]] )
			return "a mark names no ellipsoid, or another node's";
		seen[marks[i]] = true;
		marked += 1;
	}
	if ( marked != packed->ellipsoid_count )
		return "an ellipsoid belongs to no node";
	for ( uint32_t i = 0; i < packed->ellipsoid_count; ++i ) {
		const dbvhi_packed_ellipsoid *e = &ellipsoids[i];
		double unit[6], length[3];
		dbvhi_shape_turn( &e->to_ball, e->reach.shape, unit );
		for ( int k = 0; k < 3; ++k ) {
			const double *row = e->to_ball.m[k];
			length[k] = sqrt( row[0] * row[0] + row[1] * row[1] + row[2] * row[2] ) * e->reach.longest;
			if ( !( length[k] >= 1.0 && length[k] <= 0x1p80 ) )
				return "a half length is longer than the longest";
		}
		for ( int k = 0; k < 3; ++k ) {
			const int next = ( k + 1 ) % 3;
			if ( !( fabs( unit[k] - 1.0 ) <= 0x1p-43 * length[k] * length[k] &&
			        fabs( unit[3 + k] ) <= 0x1p-43 * length[k] * length[next] ) )
				return "an ellipsoid's support is not that of its ball";
		}
	}
	return NULL;
}

// Bounds the distance of corners from the centre by the diagonal of their bounding box about it.
static double reach_of_corners( const content *c ) {
	const dbvh_tree *tree = c->tree;
	const double *numbers = tree->corners != NULL ? tree->corners : tree->vertices;
	const size_t count = tree->corners != NULL ? 3 * tree->triangle_count : tree->vertex_count;
	double far[3] = { 0.0, 0.0, 0.0 };
	for ( size_t i = 0; i < count; ++i ) {
		for ( size_t k = 0; k < 3; ++k )
			far[k] = dbvhi_larger( far[k],
			                       fabs( dbvhi_times_power( c->down, numbers[3 * i + k] ) - tree->packed->centre[k] ) );
	}
	return length3( far );
}

// Lists the lanes on the path from the root to a leaf; returns how many.
static uint32_t trace( const content *c, uint32_t node, int lane, step path[MAX_DEPTH] ) {
	const uint32_t depth = c->links[node].depth;
	DBVHI_ASSERT( depth >= 1 && depth <= MAX_DEPTH );
	for ( uint32_t i = depth; i-- > 0; ) {
		path[i] = ( step ){ node, lane };
		lane = (int)( c->links[node].from % DBVHI_WIDTH );
		node = c->links[node].from / DBVHI_WIDTH;
	}
	return depth;
}

// Checks a leaf that a node links to; its triangles are known to exist.
static const char *follow_leaf( content *c, uint32_t leaf, uint32_t node, int lane ) {
	const dbvhi_packed *packed = c->tree->packed;
	if ( leaf >= packed->leaf_count || c->leaf_linked[leaf]++ != 0 )
		return "a leaf is linked to twice, or does not exist";
	if ( leaf % c->sample != 0 )
		return NULL;
	step path[MAX_DEPTH];
	const uint32_t depth = trace( c, node, lane, path );
	return check_leaf( c, &dbvhi_packed_leaves_of( packed )[leaf], path, depth );
}

// Checks the links of a node. Children lie behind their parent, so that no walk is endless.
static const char *follow_links( content *c, uint32_t node, int child_count ) {
	const dbvhi_packed *packed = c->tree->packed;
	const dbvhi_packed_box *boxes = &dbvhi_packed_boxes_of( packed )[DBVHI_WIDTH * (size_t)node];
	const uint32_t depth = c->links[node].depth + 1;
	for ( int lane = 0; lane < child_count; ++lane ) {
		const int32_t child = boxes[lane].child;
		if ( child < 0 ) {
			const char *rule = follow_leaf( c, (uint32_t)~child, node, lane );
			if ( rule != NULL )
				return rule;
			continue;
		}
		if ( (uint32_t)child <= node || (uint32_t)child >= packed->node_count || c->links[child].depth != 0 ||
		     depth > packed->depth )
			return "a node is linked to twice or from behind, or deeper than recorded";
		c->links[child] = ( link ){ DBVHI_WIDTH * node + (uint32_t)lane, depth };
		c->deepest = depth > c->deepest ? depth : c->deepest;
	}
	return NULL;
}

// Checks the nodes in memory order, each behind its parent.
static const char *check_nodes( content *c ) {
	const dbvhi_packed *packed = c->tree->packed;
	const plain_lanes plain = plain_lanes_of( packed );
	float farthest = 0.0f;
	c->links[0].depth = c->deepest = 1;
	for ( uint32_t i = 0; i < packed->node_count; ++i ) {
		int child_count;
		if ( c->links[i].depth == 0 )
			return "some nodes or leaves cannot be reached";
		if ( !are_plain( packed, i, &plain, &child_count, &farthest ) ) {
			const char *rule = check_lanes( packed, i, &c->extent, &child_count );
			if ( rule != NULL )
				return rule;
		}
		const char *rule = follow_links( c, i, child_count );
		if ( rule != NULL )
			return rule;
	}
	for ( uint32_t i = 0; i < packed->leaf_count; ++i ) {
		if ( c->leaf_linked[i] == 0 )
			return "some nodes or leaves cannot be reached";
	}
	c->extent = dbvhi_larger( c->extent, sqrt( (double)farthest ) );
	return c->deepest == packed->depth ? NULL : "the recorded depth is not the depth";
}

// Checks everything behind a valid header.
static const char *check_content( content *c, unsigned char *seen ) {
	const dbvh_tree *tree = c->tree;
	const char *rule = check_leaves( tree, seen );
	if ( rule == NULL )
		rule = check_nodes( c );
	if ( rule != NULL )
		return rule;
	// note: margins grow with the extent, and so does the cost of searches. If leaves were only sampled and centres do
	// not reach the extent, all corners are looked at.
	if ( tree->packed->extent > 1.01 * c->extent &&
	     ( c->sample == 1 || tree->packed->extent > 1.01 * reach_of_corners( c ) ) )
		return "the extent is larger than what there is";
	return tree->packed->ellipsoid_count > 0 ? check_ellipsoids( tree->packed ) : NULL;
}

static dbvh_status check_with_room( const dbvh_tree *tree, uint32_t sample, unsigned char *seen,
                                    const char **rule_out ) {
	const dbvh_allocator *a = &tree->allocator;
	const size_t node_count = tree->packed->node_count, leaf_count = tree->packed->leaf_count;
	content c = { .tree = tree, .sample = sample, .down = dbvhi_packed_down( tree->packed ) };
	c.extent = dbvhi_packed_is_scaled( tree->packed ) ? DBVHI_SCALED_LEAST : 0.0;
	c.fragment_error = dbvhi_times_power( c.down, tree->fragment_error );
	c.links = dbvhi_alloc( a, node_count, sizeof *c.links );
	c.leaf_linked = dbvhi_alloc( a, leaf_count, 1 );
	const bool has_memory = c.links != NULL && c.leaf_linked != NULL;
	if ( has_memory ) {
		memset( c.links, 0, node_count * sizeof *c.links );
		memset( c.leaf_linked, 0, leaf_count );
		*rule_out = check_content( &c, seen );
	}
	dbvhi_free( a, c.links, node_count, sizeof *c.links );
	dbvhi_free( a, c.leaf_linked, leaf_count, 1 );
	return has_memory ? DBVH_OK : DBVH_OUT_OF_MEMORY;
}

dbvh_status dbvhi_packed_check( const dbvh_tree *tree, uint32_t sample, unsigned char *seen, const char **rule_out ) {
	dbvhi_packed plan;
	DBVHI_ASSERT( sample >= 1 );
	*rule_out = NULL;
	DBVHI_TRY( dbvhi_tree_has_reference( tree ) && !tree->keeps_order && sample == 1
	               ? dbvhi_packed_plan( tree, &plan )
	               : dbvhi_packed_plan_alone( tree, &plan ) );
	*rule_out = plan.node_count == 0 ? "there is one of a mesh that has none" : check_header( tree->packed, &plan );
	return *rule_out == NULL ? check_with_room( tree, sample, seen, rule_out ) : DBVH_OK;
}
