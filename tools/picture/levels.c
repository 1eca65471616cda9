// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The upper levels of trees, and which of their nodes a search looks at.

#include "dualbvh/primitives.h"
#include "picture/limits.h"
#include "picture/picture.h"
#include "text/grow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PAIRS = 4000000 }; // pairs of nodes that picture_mark_visited() looks at

// ------------------------------------------------------------------------------------------------
// Levels

// The ellipsoid round the triangles of a node whose tree has none for it; all zero where there is none.
static dbvh_ellipsoid fit( const dbvh_mesh_view *view, const uint32_t *triangles, size_t count, double *room ) {
	dbvh_ellipsoid out = { 0 };
	const double *positions = view->positions;
	for ( size_t i = 0; i < count; ++i )
		for ( int k = 0; k < 3; ++k ) {
			const uint32_t corner = ( (const uint32_t *)view->indices )[3 * (size_t)triangles[i] + (size_t)k];
			memcpy( room + 9 * i + 3 * (size_t)k, positions + 3 * (size_t)corner, 3 * sizeof *room );
		}
	if ( dbvh_ellipsoid_fit( room, 3 * count, NULL, &out, NULL ) != DBVH_OK )
		memset( &out, 0, sizeof out );
	return out;
}

static bool describe( picture_levels *tree, const dbvh_mesh_view *view, const dbvh_tree_node *nodes,
                      const uint32_t *order, size_t order_count ) {
	tree->nodes = calloc( tree->count + 1, sizeof *tree->nodes );
	double *room = malloc( ( 9 * order_count + 1 ) * sizeof *room );
	const bool ok = tree->nodes != NULL && room != NULL;
	for ( size_t i = 0; ok && i < tree->count; ++i ) {
		const dbvh_tree_node *from = &nodes[i];
		tree->nodes[i] = ( picture_node ){ .level = from->level,
		                                   .parent = from->parent,
		                                   .triangle_count = from->triangle_count,
		                                   .sphere = from->sphere,
		                                   .box = from->box };
		if ( from->has_ellipsoid )
			tree->nodes[i].ellipsoid = from->ellipsoid;
		else if ( (size_t)from->first + from->triangle_count <= order_count )
			tree->nodes[i].ellipsoid = fit( view, order + from->first, from->triangle_count, room );
	}
	free( room );
	return ok;
}

// The nodes of a tree; of one that keeps no reference tree, those of one that is built for this.
static bool list_nodes( const dbvh_tree *tree, const dbvh_mesh_view *view, dbvh_tree_node *nodes, size_t capacity,
                        uint32_t *order, size_t order_capacity, size_t *count ) {
	if ( dbvh_tree_get_nodes( tree, nodes, capacity, order, order_capacity, count, NULL ) == DBVH_OK )
		return true;
	dbvh_tree_options options = dbvh_tree_get_options( tree );
	dbvh_tree *own = NULL;
	options.reference = true;
	const bool ok = dbvh_tree_build( view, &options, NULL, &own, NULL ) == DBVH_OK &&
	                dbvh_tree_get_nodes( own, nodes, capacity, order, order_capacity, count, NULL ) == DBVH_OK;
	dbvh_tree_destroy( own );
	return ok;
}

bool picture_add_levels( picture *p, uint32_t body, size_t most ) {
	const picture_mesh *mesh = &p->meshes[p->bodies[body].mesh];
	if ( mesh->tree == NULL || p->level_count >= sizeof p->levels / sizeof p->levels[0] )
		return true;
	const dbvh_tree_stats stats = dbvh_tree_get_stats( mesh->tree );
	picture_levels *tree = &p->levels[p->level_count];
	*tree = ( picture_levels ){ .body = body, .depth = stats.depth, .total = stats.node_count };
	const size_t capacity = most < stats.node_count ? most : stats.node_count;
	dbvh_tree_node *nodes = malloc( ( capacity + 1 ) * sizeof *nodes );
	uint32_t *order = malloc( ( stats.fragment_count + 1 ) * sizeof *order );
	const bool ok = nodes != NULL && order != NULL &&
	                list_nodes( mesh->tree, &mesh->view, nodes, capacity, order, stats.fragment_count, &tree->count ) &&
	                describe( tree, &mesh->view, nodes, order, stats.fragment_count );
	free( nodes );
	free( order );
	p->level_count += ok;
	p->has_failed |= !ok;
	return ok;
}

// ------------------------------------------------------------------------------------------------
// What a search looks at

typedef struct looking {
	const dbvh_tree_node *nodes[2];
	dbvh_pose pose[2];
	picture_levels *seen[2];
	uint32_t ( *stack )[2];
	size_t count, capacity, done;
} looking;

static void turn( const dbvh_pose *pose, const double x[3], double out[3] ) {
	for ( int i = 0; i < 3; ++i )
		out[i] = pose->rot[i][0] * x[0] + pose->rot[i][1] * x[1] + pose->rot[i][2] * x[2];
}

static bool spheres_meet( const looking *l, const dbvh_tree_node *a, const dbvh_tree_node *b ) {
	double x[3], y[3], sum = 0.0;
	picture_place_point( &l->pose[0], a->sphere.centre, x );
	picture_place_point( &l->pose[1], b->sphere.centre, y );
	for ( int k = 0; k < 3; ++k )
		sum += ( x[k] - y[k] ) * ( x[k] - y[k] );
	const double reach = a->sphere.radius + b->sphere.radius;
	return sum <= reach * reach;
}

static dbvh_obb placed( const dbvh_pose *pose, const dbvh_obb *box ) {
	dbvh_obb out = *box;
	picture_place_point( pose, box->centre, out.centre );
	for ( int k = 0; k < 3; ++k )
		turn( pose, box->axis[k], out.axis[k] );
	return out;
}

static bool boxes_meet( const looking *l, const dbvh_tree_node *a, const dbvh_tree_node *b ) {
	const dbvh_obb x = placed( &l->pose[0], &a->box ), y = placed( &l->pose[1], &b->box );
	bool meet = true;
	return dbvh_obb_obb_intersect( &x, &y, &meet ) != DBVH_OK || meet;
}

static bool push( looking *l, uint32_t a, uint32_t b ) {
	if ( !scene_grow( &l->stack, &l->capacity, l->count, sizeof *l->stack ) )
		return false;
	l->stack[l->count][0] = a;
	l->stack[l->count++][1] = b;
	return true;
}

static void mark( picture_levels *tree, uint32_t node ) {
	if ( node < tree->count )
		tree->nodes[node].is_visited = true;
}

static bool look( looking *l ) {
	bool ok = push( l, 0, 0 );
	while ( ok && l->count > 0 && l->done++ < MOST_PAIRS && ( l->done % 4096 != 0 || !picture_is_over() ) ) {
		const uint32_t at[2] = { l->stack[--l->count][0], l->stack[l->count][1] };
		const dbvh_tree_node *a = &l->nodes[0][at[0]], *b = &l->nodes[1][at[1]];
		mark( l->seen[0], at[0] );
		mark( l->seen[1], at[1] );
		if ( !spheres_meet( l, a, b ) || !boxes_meet( l, a, b ) || ( a->is_leaf && b->is_leaf ) )
			continue;
		const bool of_a = !a->is_leaf && ( b->is_leaf || a->box.half[2] >= b->box.half[2] );
		const uint32_t child = of_a ? a->child : b->child;
		for ( uint32_t k = 0; ok && k < 2; ++k )
			ok = of_a ? push( l, child + k, at[1] ) : push( l, at[0], child + k );
	}
	return ok;
}

static dbvh_tree_node *all_nodes( const picture_mesh *mesh ) {
	const size_t count = dbvh_tree_get_stats( mesh->tree ).node_count;
	dbvh_tree_node *nodes = malloc( ( count + 1 ) * sizeof *nodes );
	if ( nodes != NULL && list_nodes( mesh->tree, &mesh->view, nodes, count, NULL, 0, NULL ) )
		return nodes;
	free( nodes );
	return NULL;
}

void picture_mark_visited( picture *p, const dbvh_pose *pose_a, const dbvh_pose *pose_b ) {
	const dbvh_pose identity = dbvh_pose_identity();
	if ( p->level_count < 2 )
		return;
	dbvh_tree_node *nodes[2] = { all_nodes( &p->meshes[p->bodies[p->levels[0].body].mesh] ),
	                             all_nodes( &p->meshes[p->bodies[p->levels[1].body].mesh] ) };
	looking l = { .nodes = { nodes[0], nodes[1] },
	              .pose = { pose_a != NULL ? *pose_a : identity, pose_b != NULL ? *pose_b : identity },
	              .seen = { &p->levels[0], &p->levels[1] } };
	if ( nodes[0] == NULL || nodes[1] == NULL || !look( &l ) )
		p->has_failed = true;
	free( l.stack );
	free( nodes[0] );
	free( nodes[1] );
}
