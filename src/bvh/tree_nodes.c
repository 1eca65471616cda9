// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// dbvh_tree_get_nodes(): lists the nodes of the reference tree. The frame of a node is that of its box, so a listed
// node is enough to place its children.

#include "base/fpenv.h"
#include "base/status.h"
#include "bvh/tree.h"

#include <math.h>

static dbvhi_frame frame_of( const dbvh_tree_node *node ) {
	dbvhi_frame frame;
	for ( int i = 0; i < 3; ++i ) {
		frame.origin.v[i] = node->box.centre[i];
		for ( int k = 0; k < 3; ++k )
			frame.axes.m[i][k] = node->box.axis[k][i];
	}
	return frame;
}

static void describe( const dbvhi_frame *parent, const dbvhi_node *from, dbvh_tree_node *out ) {
	const dbvhi_frame frame = dbvhi_frame_step( parent, from );
	const dbvhi_vec centre = dbvhi_frame_point( parent, from->sphere_outside );
	out->child = DBVH_NO_NODE;
	out->is_leaf = dbvhi_node_is_leaf( from );
	out->first = from->low;
	out->triangle_count = from->total;
	out->sphere.radius = from->radius;
	for ( int i = 0; i < 3; ++i ) {
		out->sphere.centre[i] = centre.v[i];
		out->box.centre[i] = frame.origin.v[i];
		out->box.half[i] = from->half.v[i];
		for ( int k = 0; k < 3; ++k )
			out->box.axis[k][i] = frame.axes.m[i][k];
	}
}

// Converts a node's ellipsoid from the frame of its box into the mesh. Half lengths grow by the error of their inverses
// and of the turned axes: some ten roundings, below 2^-48 of each.
static void describe_ellipsoid( const dbvh_tree *tree, size_t index, dbvh_tree_node *out ) {
	out->has_ellipsoid = tree->ellipsoids != NULL && tree->ellipsoid_at[index] != DBVHI_NO_ELLIPSOID;
	out->ellipsoid = ( dbvh_ellipsoid ){ { 0 }, { { 0 } }, { 0 } };
	if ( !out->has_ellipsoid )
		return;
	const dbvhi_frame frame = frame_of( out );
	const dbvhi_node_ellipsoid *from = &tree->ellipsoids[tree->ellipsoid_at[index]];
	const dbvhi_vec centre = dbvhi_frame_point( &frame, from->reach.centre );
	for ( int k = 0; k < 3; ++k ) {
		const dbvhi_vec row = { { from->to_ball.m[k][0], from->to_ball.m[k][1], from->to_ball.m[k][2] } };
		const double half = 1.0 / sqrt( dbvhi_dot( row, row ) );
		const dbvhi_vec axis = dbvhi_mat_apply( &frame.axes, dbvhi_scale( half, row ) );
		out->ellipsoid.centre[k] = centre.v[k];
		out->ellipsoid.half[k] = half * ( 1.0 + 0x1p-48 );
		for ( int i = 0; i < 3; ++i )
			out->ellipsoid.axis[k][i] = axis.v[i];
	}
}

// Lists nodes breadth first. While a listed node waits for its children, its `child` is their index in the tree.
static size_t walk( const dbvh_tree *tree, dbvh_tree_node *nodes, size_t capacity ) {
	const dbvhi_node *all = dbvhi_tree_nodes( tree );
	const dbvhi_frame mesh = dbvhi_frame_mesh();
	size_t count = 0;
	if ( capacity == 0 )
		return 0;
	describe( &mesh, &all[0], &nodes[count] );
	describe_ellipsoid( tree, 0, &nodes[count] );
	nodes[count].level = 0;
	nodes[count].parent = DBVH_NO_NODE;
	nodes[count++].child = all[0].first;
	for ( size_t i = 0; i < count; ++i ) {
		dbvh_tree_node *node = &nodes[i];
		if ( node->is_leaf || count + 2 > capacity ) {
			node->child = DBVH_NO_NODE;
			continue;
		}
		const dbvhi_frame frame = frame_of( node );
		const uint32_t first = node->child;
		node->child = (uint32_t)count;
		for ( uint32_t k = 0; k < 2; ++k ) {
			dbvh_tree_node *child = &nodes[count++];
			describe( &frame, &all[first + k], child );
			describe_ellipsoid( tree, first + k, child );
			child->level = node->level + 1;
			child->parent = (uint32_t)i;
			child->child = all[first + k].first;
		}
	}
	return count;
}

static DBVHI_NOINLINE_FP dbvh_status do_tree_get_nodes( const dbvh_tree *tree, dbvh_tree_node *nodes, size_t capacity,
                                                        uint32_t *order, size_t order_capacity, size_t *count_out,
                                                        dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( count_out != NULL )
		*count_out = 0;
	if ( tree == NULL || ( nodes == NULL && capacity > 0 ) )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "tree or nodes is NULL" );
	if ( !dbvhi_tree_has_reference( tree ) )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT,
		                        "tree keeps no reference tree: build it with dbvh_tree_options.reference" );
	const size_t count = walk( tree, nodes, capacity );
	for ( size_t i = 0; order != NULL && i < order_capacity && i < tree->triangle_count; ++i )
		order[i] = tree->triangle[i];
	if ( count_out != NULL )
		*count_out = count;
	return DBVH_OK;
}

dbvh_status dbvh_tree_get_nodes( const dbvh_tree *tree, dbvh_tree_node *nodes, size_t capacity, uint32_t *order,
                                 size_t order_capacity, size_t *count_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status,
	                        dbvhi_error_finish( error, do_tree_get_nodes( tree, nodes, capacity, order, order_capacity,
	                                                                      count_out, error ) ) );
}
