// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "base/assert.h"
#include "base/inline.h"
#include "bvh/ellipsoid/ellipsoid_test.h"
#include "bvh/packed/pack.h"
#include "bvh/tree.h"
#include "math/quaternion.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Lanes on the offset from the root to where the walk is.
typedef struct step {
	uint32_t node;
	int lane;
} step;

#define MAX_DEPTH 128

static double length3( const double x[3] ) {
	return sqrt( x[0] * x[0] + x[1] * x[1] + x[2] * x[2] );
}

// The header but for what comes with the content. Only then is anything else in the block looked at.
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
	     packed->reserved != 0 )
		return "its parts are not where they should be";
	if ( memcmp( packed->centre, plan->centre, sizeof packed->centre ) != 0 )
		return "its centre is not the tree's";
	// Before the content is held against them.
	if ( !( packed->extent > 0.0 && packed->extent <= DBL_MAX ) || packed->unit != dbvhi_packed_unit( packed->extent ) )
		return "its unit does not fit its extent";
	return NULL;
}

// dbvhi_packed_number() as a whole number.
static int64_t in_65536ths( const dbvhi_packed_box *box, int which ) {
	const int32_t pair = box->pair[which / 2];
	return which % 2 == 0 ? (int64_t)(int16_t)( pair & 0xffff ) * 65536 : (int64_t)pair;
}

// Children take the first lanes; the others reach nothing, and what they hold is 0. *extent grows with the centres.
static const char *check_lanes( const dbvhi_packed *packed, uint32_t node, double *extent ) {
	DBVHI_ASSERT( node < packed->node_count );
	const dbvhi_packed_spheres *s = &dbvhi_packed_spheres_of( packed )[node];
	const dbvhi_packed_box *boxes = &dbvhi_packed_boxes_of( packed )[DBVHI_WIDTH * (size_t)node];
	bool ended = false;
	for ( int i = 0; i < DBVHI_WIDTH; ++i ) {
		const double centre[3] = { (double)s->centre[0][i], (double)s->centre[1][i], (double)s->centre[2][i] };
		if ( s->radius[i] == DBVHI_NO_CHILD ) {
			static const dbvhi_packed_box empty;
			if ( i == 0 )
				return "a node has no children";
			if ( memcmp( &boxes[i], &empty, sizeof empty ) != 0 || centre[0] != 0.0 || centre[1] != 0.0 ||
			     centre[2] != 0.0 )
				return "a lane without a child holds something";
			ended = true;
			continue;
		}
		if ( ended )
			return "a child comes after a lane without one";
		// The packed root's children are no larger than the root, but for roundings and a step, and for what double
		// positions may be off: three times 2^-44 of how far away the mesh is, which may be more than its extent.
		const double most = 4.0 * packed->extent + 0x1p-40 * length3( packed->centre );
		if ( !( s->radius[i] > 0.0f && (double)s->radius[i] <= most ) )
			return "a radius is not possible";
		// A root only where it may tell.
		const double square = centre[0] * centre[0] + centre[1] * centre[1] + centre[2] * centre[2];
		if ( !( square <= 0.99 * packed->extent * packed->extent && square <= 0.99 * *extent * *extent ) ) {
			if ( !( sqrt( square ) <= packed->extent ) )
				return "a child's centre is beyond the extent";
			*extent = dbvhi_larger( *extent, sqrt( square ) );
		}
		// What the kernels square and divide by: its largest number is 32,700, but for roundings.
		int64_t turn = 0;
		for ( int k = 0; k < 4; ++k ) {
			const int64_t size = llabs( in_65536ths( &boxes[i], DBVHI_TURN_W + k ) );
			turn = size > turn ? size : turn;
		}
		if ( turn < 32690 * INT64_C( 65536 ) || turn > 32710 * INT64_C( 65536 ) )
			return "a box's rotation is none";
		// What a box reaches beyond its sphere is in no margin.
		for ( int k = 0; k < 3; ++k ) {
			if ( llabs( in_65536ths( &boxes[i], DBVHI_OFFSET_0 + k ) ) > 32760 * INT64_C( 65536 ) ||
			     in_65536ths( &boxes[i], DBVHI_HALF_0 + k ) <= 0 )
				return "a box is larger than its sphere";
		}
	}
	return NULL;
}

// A corner against the volumes of one lane, as the kernel decodes them but in double: what it loses in float is in the
// margins.
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

// What is in an ellipsoid is so with all of its triangle.
static const char *check_ellipsoid( const dbvhi_packed *packed, const step *at, const double corner[3] ) {
	const uint32_t mark = packed->ellipsoid_count > 0 ? dbvhi_packed_marks_of( packed )[at->node] : 0;
	if ( mark > packed->ellipsoid_count )
		return "a mark names no ellipsoid";
	if ( mark != 0 &&
	     !( dbvhi_packed_ellipsoid_reached( packed, &dbvhi_packed_ellipsoids_of( packed )[mark - 1], corner ) <= 1.0 ) )
		return "a triangle leaves the ellipsoid";
	return NULL;
}

// No number of it is infinite or none: the largest exponent is that of a finite one.
static bool is_finite_leaf( const dbvhi_packed_leaf *leaf ) {
	uint32_t bits[sizeof *leaf / sizeof( uint32_t )], largest = 0;
	memcpy( bits, leaf, sizeof bits );
	for ( size_t i = 0; i < offsetof( dbvhi_packed_leaf, sizes ) / sizeof bits[0]; ++i ) {
		const uint32_t size = bits[i] & 0x7fffffff;
		largest = size > largest ? size : largest;
	}
	return largest < 0x7f800000;
}

// Each of its triangles is there, and in no other leaf.
static const char *check_leaf_links( const dbvh_tree *tree, const dbvhi_packed_leaf *leaf, unsigned char *seen,
                                     uint32_t *triangles_seen ) {
	const uint32_t first = leaf->first_and_count >> 2, count = ( leaf->first_and_count & 3 ) + 1;
	if ( first > tree->triangle_count || count > tree->triangle_count - first )
		return "a leaf's triangles are out of range";
	*triangles_seen += count;
	for ( uint32_t t = 0; t < count; ++t ) {
		if ( seen[first + t]++ != 0 )
			return "a triangle is in two leaves";
	}
	return is_finite_leaf( leaf ) ? NULL : "a number of a leaf is not finite";
}

static const char *check_leaf( const dbvh_tree *tree, const dbvhi_packed_leaf *leaf, const step *path, uint32_t depth,
                               double *extent ) {
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
				if ( !( fabs( local ) + 0x1p24 * tree->fragment_error <= size ) )
					return "a leaf is larger than it says";
			}
			if ( !( length3( p ) <= tree->packed->extent ) )
				return "a triangle is beyond the extent";
			for ( int k = 0; k < 3; ++k )
				far[k] = dbvhi_larger( far[k], fabs( p[k] ) );
			for ( uint32_t d = 0; d < depth; ++d ) {
				const char *rule = check_corner( tree->packed, &path[d], p, tree->fragment_error );
				if ( rule == NULL )
					rule = check_ellipsoid( tree->packed, &path[d], whole + 3 * corner );
				if ( rule != NULL )
					return rule;
			}
		}
	}
	*extent = dbvhi_larger( *extent, length3( far ) );
	return NULL;
}

// The marks name each ellipsoid once, and S is what the way to the ball says: T S T^T is the identity, as far as S is
// right to the 2^-43rd of the longest square.
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

// No corner is farther from the centre along an axis than this is long.
static double reach_of_corners( const dbvh_tree *tree ) {
	const double *numbers = tree->corners != NULL ? tree->corners : tree->vertices;
	const size_t count = tree->corners != NULL ? 3 * tree->triangle_count : tree->vertex_count;
	double far[3] = { 0.0, 0.0, 0.0 };
	for ( size_t i = 0; i < count; ++i ) {
		for ( size_t k = 0; k < 3; ++k )
			far[k] = dbvhi_larger( far[k], fabs( numbers[3 * i + k] - tree->packed->centre[k] ) );
	}
	return length3( far );
}

// Everything behind the header, whose counts and offsets are right.
static const char *check_content( const dbvh_tree *tree, uint32_t sample, unsigned char *seen ) {
	const dbvhi_packed *packed = tree->packed;
	const dbvhi_packed_spheres *spheres = dbvhi_packed_spheres_of( packed );
	const dbvhi_packed_box *boxes = dbvhi_packed_boxes_of( packed );
	const dbvhi_packed_leaf *leaves = dbvhi_packed_leaves_of( packed );
	step path[MAX_DEPTH];
	uint32_t depth = 1, deepest = 1, nodes_seen = 1, leaves_seen = 0, triangles_seen = 0;
	double extent = 0.0;
	path[0] = ( step ){ 0, -1 };
	while ( depth > 0 ) {
		step *at = &path[depth - 1];
		if ( at->lane == -1 ) {
			const char *rule = check_lanes( packed, at->node, &extent );
			if ( rule != NULL )
				return rule;
		}
		if ( ++at->lane == DBVHI_WIDTH || spheres[at->node].radius[at->lane] == DBVHI_NO_CHILD ) {
			depth -= 1;
			continue;
		}
		const int32_t child = boxes[DBVHI_WIDTH * (size_t)at->node + (size_t)at->lane].child;
		if ( child < 0 ) {
			if ( (uint32_t)~child >= packed->leaf_count || ++leaves_seen > packed->leaf_count )
				return "a leaf is linked to twice, or does not exist";
			const char *rule = check_leaf_links( tree, &leaves[~child], seen, &triangles_seen );
			if ( rule == NULL && ( leaves_seen - 1 ) % sample == 0 )
				rule = check_leaf( tree, &leaves[~child], path, depth, &extent );
			if ( rule != NULL )
				return rule;
			continue;
		}
		if ( (uint32_t)child >= packed->node_count || ++nodes_seen > packed->node_count || depth == packed->depth )
			return "a node is linked to twice, or deeper than recorded";
		path[depth++] = ( step ){ (uint32_t)child, -1 };
		deepest = depth > deepest ? depth : deepest;
	}
	if ( nodes_seen != packed->node_count || leaves_seen != packed->leaf_count )
		return "some nodes or leaves cannot be reached";
	if ( triangles_seen != tree->triangle_count )
		return "some triangles are in no leaf";
	if ( deepest != packed->depth )
		return "the recorded depth is not the depth";
	// Margins grow with it: so do searches. Where not every leaf has been looked at, corners say how far they can
	// reach.
	if ( packed->extent > 1.01 * ( sample == 1 ? extent : dbvhi_larger( extent, reach_of_corners( tree ) ) ) )
		return "the extent is larger than what there is";
	return packed->ellipsoid_count > 0 ? check_ellipsoids( packed ) : NULL;
}

dbvh_status dbvhi_packed_check( const dbvh_tree *tree, uint32_t sample, unsigned char *seen, const char **rule_out ) {
	dbvhi_packed plan;
	DBVHI_ASSERT( sample >= 1 );
	*rule_out = NULL;
	const dbvh_status status = dbvhi_tree_has_reference( tree ) && !tree->keeps_order && sample == 1
	                               ? dbvhi_packed_plan( tree, &plan )
	                               : dbvhi_packed_plan_alone( tree, &plan );
	if ( status != DBVH_OK )
		return status;
	*rule_out = plan.node_count == 0 ? "there is one where floats would not do" : check_header( tree->packed, &plan );
	if ( *rule_out == NULL )
		*rule_out = check_content( tree, sample, seen );
	return DBVH_OK;
}
