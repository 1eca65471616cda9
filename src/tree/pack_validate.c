// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "tree/pack.h"
#include "tree/tree.h"

#include <math.h>

// Lanes on the way from the root to where the walk is.
typedef struct step {
	const dbvhi_packed_node *node;
	int lane;
} step;

#define MAX_DEPTH 128

// A corner against the volumes of one lane. The third axis is taken as the kernel takes it, but in double: what it loses
// in float is in the margins.
static const char *check_corner( const step *at, const double p[3] ) {
	const dbvhi_packed_node *n = at->node;
	const int i = at->lane;
	double d[3], s[3], axis[3][3];
	for ( int k = 0; k < 3; ++k ) {
		d[k] = p[k] - (double)n->centre[k][i];
		s[k] = d[k] - (double)n->step * n->sphere[k][i];
		axis[0][k] = (double)n->axis0[k][i];
		axis[2][k] = (double)n->axis2[k][i];
	}
	for ( int k = 0; k < 3; ++k ) {
		const int k1 = ( k + 1 ) % 3, k2 = ( k + 2 ) % 3;
		axis[1][k] = axis[2][k1] * axis[0][k2] - axis[2][k2] * axis[0][k1];
	}
	for ( int k = 0; k < 3; ++k ) {
		if ( !( fabs( axis[k][0] * d[0] + axis[k][1] * d[1] + axis[k][2] * d[2] ) <= (double)n->step * n->half[k][i] ) )
			return "a triangle leaves the box";
	}
	if ( !( sqrt( s[0] * s[0] + s[1] * s[1] + s[2] * s[2] ) <= (double)n->radius[i] ) )
		return "a triangle leaves the sphere";
	return NULL;
}

static const char *check_leaf( const dbvh_tree *tree, const dbvhi_packed_leaf *leaf, const step *path, uint32_t depth,
							   unsigned char *seen, uint32_t *triangles_seen ) {
	const uint32_t first = leaf->first_and_count >> 2, count = ( leaf->first_and_count & 3 ) + 1;
	if ( first > tree->triangle_count || count > tree->triangle_count - first )
		return "a leaf's triangles are out of range";
	*triangles_seen += count;
	for ( uint32_t t = 0; t < count; ++t ) {
		if ( seen[first + t]++ != 0 )
			return "a triangle is in two leaves";
		const double *corners = tree->corners + 9 * ( (size_t)first + t );
		for ( int corner = 0; corner < 3; ++corner ) {
			double p[3];
			for ( int k = 0; k < 3; ++k ) {
				p[k] = corners[3 * corner + k] - tree->packed->centre[k];
				const double local = p[k] - (double)leaf->origin[k];
				const double grid = (double)leaf->step * ( 256 * leaf->high[corner][k][t] + leaf->low[corner][k][t] );
				if ( !( fabs( local - grid ) <= 0.5001 * (double)leaf->step ) )
					return "a corner is farther from its grid point than half a step";
				if ( !( fabs( local ) <= (double)leaf->size ) )
					return "a leaf is larger than it says";
			}
			for ( uint32_t d = 0; d < depth; ++d ) {
				const char *rule = check_corner( &path[d], p );
				if ( rule != NULL )
					return rule;
			}
		}
	}
	return NULL;
}

const char *dbvhi_packed_broken_rule( const dbvh_tree *tree, unsigned char *seen ) {
	const dbvhi_packed *packed = tree->packed;
	if ( packed->version != DBVHI_PACKED_VERSION || packed->content_hash != tree->hash )
		return "it is of another version or mesh";
	if ( packed->depth == 0 || packed->depth > MAX_DEPTH )
		return "the recorded depth is not possible";
	const dbvhi_packed_node *nodes = dbvhi_packed_nodes( packed );
	const dbvhi_packed_leaf *leaves = dbvhi_packed_leaves( packed );
	step path[MAX_DEPTH];
	uint32_t depth = 1, nodes_seen = 1, leaves_seen = 0, triangles_seen = 0;
	path[0] = ( step ){ nodes, -1 };
	while ( depth > 0 ) {
		if ( path[depth - 1].node->child_count == 0 || path[depth - 1].node->child_count > DBVHI_WIDTH )
			return "a node has no children or too many";
		step *at = &path[depth - 1];
		if ( ++at->lane == (int)at->node->child_count ) {
			depth -= 1;
			continue;
		}
		const int32_t child = at->node->child[at->lane];
		if ( child < 0 ) {
			if ( (uint32_t)~child >= packed->leaf_count || ++leaves_seen > packed->leaf_count )
				return "a leaf is linked to twice, or does not exist";
			const char *rule = check_leaf( tree, &leaves[~child], path, depth, seen, &triangles_seen );
			if ( rule != NULL )
				return rule;
			continue;
		}
		if ( (uint32_t)child >= packed->node_count || ++nodes_seen > packed->node_count || depth == packed->depth )
			return "a node is linked to twice, or deeper than recorded";
		path[depth++] = ( step ){ &nodes[child], -1 };
	}
	if ( nodes_seen != packed->node_count || leaves_seen != packed->leaf_count )
		return "some nodes or leaves cannot be reached";
	if ( triangles_seen != tree->triangle_count )
		return "some triangles are in no leaf";
	return NULL;
}
