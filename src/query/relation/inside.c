// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A ray through a tree. The nodes that it passes are found in doubles with a margin; every triangle in them is decided
// exactly, so that the margin costs time and no answer.
//
// Margin. Let S bound every coordinate that occurs: of the mesh, of the start in the mesh's frame, and the length of
// the ray. Taking the start into the frame of the mesh has an error of some 30 u S, each step down one of at most 16 u
// S, and there are at most 100 steps; the slab test adds a few u S. Together that is below 2^-41 S; the margin is 2^-36
// S. The ray's direction differs from that of the axis (see exact_point.h) by less than any of this.
//
// Among the denormal numbers a rounding costs a unit instead of u S: each of a step's nine products, and each position
// and extent of the node. Two vectors are taken down, the middle and half of the ray, each with an error of at most
// dbvhi_subnormal_margin().

#include "query/relation/inside.h"

#include "base/assert.h"
#include "exact/tri_tri.h"
#include "math/vec.h"

#include <math.h>

#define MARGIN 0x1p-36

// A node on the stack, and the ray in the frame of its parent's box, by its middle and half of its vector.
typedef struct waiting {
	uint32_t node;
	dbvhi_vec middle, half;
} waiting;

// Capacity of the stack: a tree is at most 100 nodes deep, and each step down leaves one node on the stack.
#define STACK 128

dbvhi_placed dbvhi_place( const dbvh_tree *tree, const dbvh_pose *pose, bool moved ) {
	DBVHI_ASSERT( tree->topology != NULL );
	return ( dbvhi_placed ){ tree, pose, moved, moved ? dbvhi_move_error( pose, tree->largest ) : 0.0 };
}

void dbvhi_placed_target( const dbvhi_placed *mesh, uint32_t leaf, dbvhi_target *target ) {
	DBVHI_ASSERT( leaf < mesh->tree->triangle_count );
	dbvhi_target_init( target, mesh->tree->corners + 9 * (size_t)leaf, mesh->pose, mesh->moved, mesh->error );
}

// Take a direction from the frame of the query into that of the mesh, rounded: by the inverse of the matrix, which need
// not be quite a rotation.
static dbvhi_vec unrotated( const dbvh_pose *pose, dbvhi_vec x ) {
	const double( *m )[3] = pose->rot;
	dbvhi_vec out;
	double det = 0.0;
	for ( int i = 0; i < 3; ++i ) {
		const int i1 = ( i + 1 ) % 3, i2 = ( i + 2 ) % 3;
		out.v[i] = 0.0;
		for ( int j = 0; j < 3; ++j ) {
			const int j1 = ( j + 1 ) % 3, j2 = ( j + 2 ) % 3;
			const double cofactor = m[j1][i1] * m[j2][i2] - m[j1][i2] * m[j2][i1];
			out.v[i] += cofactor * x.v[j];
			if ( i == 0 )
				det += cofactor * m[j][0];
		}
	}
	return dbvhi_scale( 1.0 / det, out );
}

dbvhi_vec dbvhi_unplaced( const dbvhi_placed *mesh, dbvhi_vec x ) {
	const dbvhi_vec pos = { { mesh->pose->pos[0], mesh->pose->pos[1], mesh->pose->pos[2] } };
	return unrotated( mesh->pose, dbvhi_sub( x, pos ) );
}

// True if the segment may pass through the node's box. Takes the segment into the frame of that box.
static bool passes( const dbvhi_node *node, waiting *at, double margin ) {
	at->middle = dbvhi_mat_apply_transposed( &node->rot, dbvhi_sub( at->middle, node->pos ) );
	at->half = dbvhi_mat_apply_transposed( &node->rot, at->half );
	const double *m = at->middle.v, *d = at->half.v, *h = node->half.v;
	for ( int k = 0; k < 3; ++k ) {
		if ( fabs( m[k] ) > h[k] + fabs( d[k] ) + margin )
			return false;
	}
	const double length = dbvhi_length( at->half );
	if ( !( length > 0x1p-400 ) )
		return true; // note: a point, or a segment too short for products of lengths
	for ( int k = 0; k < 3; ++k ) {
		const int x = ( k + 1 ) % 3, y = ( k + 2 ) % 3;
		const double gap = fabs( m[x] * d[y] - m[y] * d[x] ) - ( h[x] * fabs( d[y] ) + h[y] * fabs( d[x] ) );
		if ( gap > 4.0 * margin * length )
			return false;
	}
	return true;
}

// Visit the triangles near the ray from the point along the axis, or near the point alone if it is not `endless`. Stops
// when `visit` returns true.
static bool walk( const dbvhi_placed *mesh, const dbvhi_exact_point *point, int axis, bool endless,
                  dbvhi_visit_triangle *visit, void *context ) {
	const dbvh_tree *tree = mesh->tree;
	dbvhi_vec start = { { point->at[0], point->at[1], point->at[2] } }, way = { { 0.0, 0.0, 0.0 } };
	way.v[axis] = 1.0;
	double size = tree->largest;
	for ( int k = 0; k < 3; ++k ) {
		if ( mesh->moved )
			size = fmax( size, fabs( mesh->pose->pos[k] ) );
		size = fmax( size, fabs( point->at[k] ) );
	}
	if ( mesh->moved ) {
		start = dbvhi_unplaced( mesh, start );
		way = unrotated( mesh->pose, way );
	}
	// note: no point of the mesh is further from the start than this.
	const double reach = endless ? 8.0 * size : 0.0,
	             margin = MARGIN * 16.0 * size + point->error + 2.0 * dbvhi_subnormal_margin( (double)tree->depth );
	const dbvhi_node *nodes = dbvhi_tree_nodes( tree );
	waiting stack[STACK];
	int top = 0;
	stack[0] = ( waiting ){ 0, dbvhi_add( start, dbvhi_scale( 0.5 * reach, way ) ), dbvhi_scale( 0.5 * reach, way ) };
	top = 1;
	while ( top > 0 ) {
		waiting at = stack[--top];
		const dbvhi_node *node = &nodes[at.node];
		if ( !passes( node, &at, margin ) )
			continue;
		if ( dbvhi_node_is_leaf( node ) ) {
			for ( uint32_t i = node->first; i < node->first + node->count; ++i ) {
				if ( visit( context, mesh, i ) )
					return true;
			}
			continue;
		}
		stack[top++] = ( waiting ){ node->first + 1, at.middle, at.half };
		stack[top++] = ( waiting ){ node->first, at.middle, at.half };
	}
	return false;
}

// Triangles that the ray may meet in several fragments, which must be counted once. The lowest numbers not yet counted
// are kept, ascending, with the sign of the crossing. If there is no room for all, the ray is walked again for the
// rest, so no memory is allocated.
enum { MOST_DIVIDED = 64 };

typedef struct divided {
	uint32_t number, leaf;
	int sign;
} divided;

typedef struct crossing {
	const dbvhi_perturbed_point *perturbed;
	int axis;
	dbvhi_crossings seen;
	bool again;    // a further walk: triangles of one fragment have been counted
	uint64_t from; // lower numbers have been counted
	bool more;     // there was no room for all
	int count;
	divided kept[MOST_DIVIDED];
} crossing;

// The index of a number among those kept, or the index at which it belongs.
static int place_of( const crossing *c, uint32_t number ) {
	int at = 0;
	while ( at < c->count && c->kept[at].number < number )
		at += 1;
	return at;
}

static void keep( crossing *c, int at, divided one ) {
	DBVHI_ASSERT( at >= 0 && at <= c->count );
	if ( c->count == MOST_DIVIDED ) {
		c->more = true;
		if ( at == c->count )
			return;
		c->count -= 1;
	}
	for ( int i = c->count; i > at; --i )
		c->kept[i] = c->kept[i - 1];
	c->kept[at] = one;
	c->count += 1;
}

static bool count_crossing( void *context, const dbvhi_placed *mesh, uint32_t leaf ) {
	crossing *c = context;
	const dbvhi_topology *t = mesh->tree->topology;
	const uint32_t triangle = mesh->tree->triangle[leaf];
	if ( !dbvhi_is_solid( t, triangle ) )
		return false;
	const bool is_divided = dbvhi_tree_is_divided( mesh->tree, leaf );
	const int at = is_divided ? place_of( c, triangle ) : 0;
	if ( is_divided ? triangle < c->from || ( at < c->count && c->kept[at].number == triangle ) : c->again )
		return false;
	dbvhi_target target;
	dbvhi_placed_target( mesh, leaf, &target );
	const int sign = dbvhi_perturbed_point_crosses( c->perturbed, c->axis, &target, mesh->pose );
	if ( is_divided )
		keep( c, at, ( divided ){ triangle, leaf, sign } );
	else
		dbvhi_count_twins( &c->seen, mesh->tree, leaf, sign );
	return false;
}

dbvhi_crossings dbvhi_crossings_of( const dbvhi_placed *mesh, const dbvhi_perturbed_point *perturbed, int axis ) {
	DBVHI_ASSERT( (unsigned)axis < 3 );
	crossing c;
	c.perturbed = perturbed;
	c.axis = axis;
	c.seen = ( dbvhi_crossings ){ 0, 0, 0 };
	c.again = false;
	c.from = 0;
	do {
		c.more = false;
		c.count = 0;
		walk( mesh, perturbed->point, axis, true, count_crossing, &c );
		for ( int i = 0; i < c.count; ++i )
			dbvhi_count_twins( &c.seen, mesh->tree, c.kept[i].leaf, c.kept[i].sign );
		c.again = true;
		c.from = c.count > 0 ? (uint64_t)c.kept[c.count - 1].number + 1 : 0;
	} while ( c.more );
	return c.seen;
}

unsigned dbvhi_is_inside( const dbvhi_placed *mesh, const dbvhi_perturbed_point *perturbed, int axis ) {
	const dbvhi_crossings seen = dbvhi_crossings_of( mesh, perturbed, axis );
	return dbvhi_inside_by( mesh->tree, &seen );
}

typedef struct touching {
	const dbvhi_exact_point *point;
	bool needles;
} touching;

static bool touches( void *context, const dbvhi_placed *mesh, uint32_t leaf ) {
	const touching *t = context;
	dbvhi_target target;
	dbvhi_placed_target( mesh, leaf, &target );
	if ( !mesh->tree->topology->degenerate[mesh->tree->triangle[leaf]] )
		return dbvhi_exact_point_on_triangle( t->point, &target, mesh->pose ) != DBVHI_NOWHERE;
	if ( !t->needles || t->point->to.at != NULL || t->point->from.moved )
		return false;
	// note: the point is tested as a degenerate triangle against the needle.
	double degenerate[9];
	for ( int k = 0; k < 9; ++k )
		degenerate[k] = t->point->from.at[k % 3];
	const dbvh_pose identity = dbvh_pose_identity();
	return dbvhi_triangles_intersect_exact( degenerate, target.corners, target.image,
	                                        mesh->moved ? mesh->pose : &identity, target.error );
}

void dbvhi_visit_at( const dbvhi_placed *mesh, const dbvhi_exact_point *point, dbvhi_visit_triangle *visit,
                     void *context ) {
	walk( mesh, point, 0, false, visit, context );
}

bool dbvhi_is_on_surface( const dbvhi_placed *mesh, const dbvhi_exact_point *point, bool needles ) {
	touching t = { point, needles };
	return walk( mesh, point, 0, false, touches, &t );
}
