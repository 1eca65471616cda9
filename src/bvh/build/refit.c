// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Refitting a tree whose vertices have moved.
//
// Each child of a packed node is fitted to its own points, whatever its descendants are, so all can be fitted side by
// side: its box keeps its axes, and the centre of its sphere its place in the box. Points lie in the order in which the
// leaves use them first, so those of a subtree are a range of them, but for the few that another one has used before:
// these are found by going through the corners.
//
// What is measured is in doubles, relative to the new centre of the tree. With u = 2^-53, P for the size of a position
// and C for that of the centre, a difference to the centre is off by u ( P + C ), a projection by 4 u P more, and so
// are what centres and offsets are made of: 64 u ( P + C + R ), which is added to extents and radii, is more than all
// of that together.

#include "bvh/build/refit.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "base/fpenv.h"
#include "base/inline.h"
#include "base/parallel.h"
#include "base/status.h"
#include "bvh/build/builder.h"
#include "bvh/build/fit.h"
#include "bvh/packed/pack.h"
#include "bvh/packed/volume.h"
#include "mesh/view.h"

#include <float.h>
#include <math.h>
#include <string.h>

DBVHI_KERNEL_TABLE( const dbvhi_refit_isa, dbvhi_refit )

#define CHUNK 4096     // triangles, and points, that are gone through at a time
#define NODE_CHUNK 64  // packed nodes
#define HEAVY_NODES 64 // the first ones, at the top, are handed out a child at a time
#define NEAR 64        // up to so many triangles, the points of a subtree are brought next to each other
#define FARTHER 2048   // points of others that are kept from one pass to the next

// For each thread.
typedef struct borrowed_points {
	double x[3][FARTHER];
	double extent;
} borrowed_points;

typedef struct refit {
	dbvh_tree *tree;
	const dbvh_mesh_view *view;
	const dbvhi_refit_isa *isa;
	const dbvhi_leaf_isa *leaf_isa;
	uint32_t thread_count;
	double *x[3];          // the moved points
	uint32_t *from;        // of each, its number in the view
	uint32_t *first_point; // of each place, and one more: how many points those before it have
	uint32_t *low, *high;  // of each packed node, its triangles
	uint32_t *lowest;      // of each group of places, the lowest point
	borrowed_points *own;
	// Of chunks, put together afterwards:
	double ( *reached )[8];
	size_t wrong; // the least triangle that has come apart, SIZE_MAX if there is none
	size_t *wrong_in;
	uint64_t *hash_of;
	dbvhi_node root;
	double largest;
	dbvhi_packer packer;
	double centre_away; // from the origin of the mesh
	uint64_t hash;
} refit;

static double length3( const double x[3] ) {
	return sqrt( x[0] * x[0] + x[1] * x[1] + x[2] * x[2] );
}

static size_t chunks_of( size_t count ) {
	return ( count + CHUNK - 1 ) / CHUNK;
}

// ------------------------------------------------------------------------------------------------
// What belongs where

// Places are looked through in groups, most of which have no point of others.
#define GROUP 8

static size_t groups_of( const dbvh_tree *tree ) {
	return ( tree->triangle_count + GROUP - 1 ) / GROUP;
}

static void count_points( refit *r ) {
	const dbvh_tree *tree = r->tree;
	uint32_t next = 0;
	for ( size_t i = 0; i < groups_of( tree ); ++i )
		r->lowest[i] = UINT32_MAX;
	for ( size_t i = 0; i < tree->triangle_count; ++i ) {
		r->first_point[i] = next;
		const uint32_t *c = tree->corner + 3 * i;
		const uint32_t least = c[0] < c[1] ? c[0] : c[1], low = least < c[2] ? least : c[2];
		for ( size_t k = 0; k < 3; ++k )
			next = c[k] >= next ? c[k] + 1 : next;
		r->lowest[i / GROUP] = low < r->lowest[i / GROUP] ? low : r->lowest[i / GROUP];
	}
	r->first_point[tree->triangle_count] = next;
	DBVHI_ASSERT( next == tree->vertex_count );
}

// Children come after their parents.
static void find_ranges( refit *r ) {
	const dbvhi_packed *packed = r->tree->packed;
	const dbvhi_packed_box *boxes = dbvhi_packed_boxes_of( packed );
	const dbvhi_packed_leaf *leaves = dbvhi_packed_leaves_of( packed );
	const dbvhi_packed_spheres *spheres = dbvhi_packed_spheres_of( packed );
	for ( uint32_t node = packed->node_count; node-- > 0; ) {
		uint32_t low = UINT32_MAX, high = 0;
		for ( size_t lane = 0; lane < DBVHI_WIDTH && spheres[node].radius[lane] > 0.0f; ++lane ) {
			const int32_t child = boxes[DBVHI_WIDTH * (size_t)node + lane].child;
			const uint32_t leaf = child < 0 ? leaves[~child].first_and_count : 0;
			DBVHI_ASSERT( child < 0 || (uint32_t)child > node );
			const uint32_t first = child < 0 ? leaf >> 2 : r->low[child];
			const uint32_t end = child < 0 ? first + ( leaf & 3 ) + 1 : r->high[child];
			low = first < low ? first : low;
			high = end > high ? end : high;
		}
		r->low[node] = low;
		r->high[node] = high;
	}
}

// ------------------------------------------------------------------------------------------------
// The points

// Of a chunk of places, the points that they use first.
static void load_task( void *context, size_t index, uint32_t thread ) {
	(void)thread;
	refit *r = context;
	const dbvh_tree *tree = r->tree;
	const size_t first = index * CHUNK;
	for ( size_t i = first; i < first + CHUNK && i < tree->triangle_count; ++i ) {
		uint32_t next = r->first_point[i], corner[3];
		if ( next == r->first_point[i + 1] )
			continue;
		dbvhi_view_triangle( r->view, tree->triangle[i], corner );
		for ( size_t k = 0; k < 3; ++k ) {
			if ( tree->corner[3 * i + k] != next )
				continue;
			double p[3];
			dbvhi_view_vertex( r->view, corner[k], p );
			for ( int j = 0; j < 3; ++j )
				r->x[j][next] = p[j];
			r->from[next++] = corner[k];
		}
	}
}

static bool same_point( const refit *r, uint32_t point, uint32_t vertex ) {
	if ( r->from[point] == vertex )
		return true;
	double p[3];
	dbvhi_view_vertex( r->view, vertex, p );
	return r->x[0][point] == p[0] && r->x[1][point] == p[1] && r->x[2][point] == p[2];
}

// Whether the others still have the same.
static void compare_task( void *context, size_t index, uint32_t thread ) {
	(void)thread;
	refit *r = context;
	const dbvh_tree *tree = r->tree;
	const size_t first = index * CHUNK;
	r->wrong_in[index] = SIZE_MAX;
	const size_t count = tree->mesh_triangle_count;
	r->hash_of[index] =
	    first < count ? dbvhi_builder_hash_part( r->view, first, first + CHUNK < count ? first + CHUNK : count ) : 0;
	for ( size_t i = first; i < first + CHUNK && i < tree->triangle_count; ++i ) {
		uint32_t corner[3];
		dbvhi_view_triangle( r->view, tree->triangle[i], corner );
		for ( size_t k = 0; k < 3; ++k ) {
			if ( !same_point( r, tree->corner[3 * i + k], corner[k] ) && tree->triangle[i] < r->wrong_in[index] )
				r->wrong_in[index] = tree->triangle[i];
		}
	}
}

// Is every triangle that another stands for still the same, whatever the order of its corners?
static bool compare_twins( refit *r ) {
	const dbvhi_twins *t = r->tree->twins;
	for ( uint32_t i = 0; t != NULL && i < t->place_count; ++i ) {
		for ( uint32_t n = t->begin[i] + 1; n < t->begin[i + 1]; ++n ) {
			uint32_t corner[3];
			unsigned taken = 0;
			dbvhi_view_triangle( r->view, t->number[n], corner );
			for ( size_t k = 0; k < 3; ++k ) {
				unsigned j = 0;
				while ( j < 3 &&
				        ( ( taken >> j & 1 ) != 0 || !same_point( r, r->tree->corner[3 * i + k], corner[j] ) ) )
					j += 1;
				taken |= 1u << j;
			}
			if ( taken != 7 ) {
				r->wrong = t->number[n];
				return false;
			}
		}
	}
	return true;
}

static dbvhi_points points_in( const refit *r, size_t first, size_t end ) {
	return ( dbvhi_points ){ r->x[0] + first, r->x[1] + first, r->x[2] + first, end - first };
}

// ------------------------------------------------------------------------------------------------
// The root

static void root_task( void *context, size_t index, uint32_t thread ) {
	(void)thread;
	refit *r = context;
	const size_t first = index * CHUNK, end = first + CHUNK, count = r->tree->vertex_count;
	const dbvhi_points points = points_in( r, first, end < count ? end : count );
	double *out = r->reached[index], low[3], high[3];
	for ( int k = 0; k < 3; ++k ) {
		low[k] = INFINITY;
		high[k] = -INFINITY;
	}
	r->isa->reach( &points, r->root.rot.m, r->root.pos.v, low, high );
	for ( int k = 0; k < 3; ++k ) {
		out[k] = low[k];
		out[3 + k] = high[k];
	}
	out[6] = r->isa->farthest( &points, r->root.sphere_outside.v, 0.0 );
	out[7] = 0.0;
	for ( size_t i = 0; i < points.count; ++i )
		out[7] = dbvhi_larger(
		    out[7], dbvhi_larger( dbvhi_larger( fabs( points.x[i] ), fabs( points.y[i] ) ), fabs( points.z[i] ) ) );
}

static void measure_root( refit *r, double out[8] ) {
	const size_t chunks = chunks_of( r->tree->vertex_count );
	dbvhi_parallel_for( chunks, 1, r->thread_count, root_task, r );
	memcpy( out, r->reached[0], 8 * sizeof out[0] );
	for ( size_t i = 1; i < chunks; ++i ) {
		for ( int k = 0; k < 3; ++k )
			out[k] = fmin( out[k], r->reached[i][k] );
		for ( int k = 3; k < 8; ++k )
			out[k] = dbvhi_larger( out[k], r->reached[i][k] );
	}
}

// Where a sphere's centre goes when its box changes: it keeps its place in it. All along the axes of the box, from its
// centre.
static double carried( double place, double half, double half_now ) {
	const double part = half > 0.0 ? place / half : 0.0;
	return ( part < -1.0 ? -1.0 : part > 1.0 ? 1.0 : part ) * half_now;
}

// Its axes stay. Measured from the old centre, and again from the new one. False where floats would not do.
static bool fit_root( refit *r ) {
	dbvhi_node *root = &r->root;
	*root = r->tree->root;
	double found[8], half[3];
	measure_root( r, found );
	r->largest = found[7];
	dbvhi_vec middle, ball;
	for ( int k = 0; k < 3; ++k ) {
		middle.v[k] = 0.5 * found[k] + 0.5 * found[3 + k];
		half[k] = 0.5 * found[3 + k] - 0.5 * found[k];
		ball.v[k] = carried( root->sphere_inside.v[k], root->half.v[k], half[k] );
	}
	root->pos = dbvhi_add( root->pos, dbvhi_mat_apply( &root->rot, middle ) );
	root->sphere_outside = dbvhi_add( root->pos, dbvhi_mat_apply( &root->rot, ball ) );
	root->sphere_inside = ball;
	measure_root( r, found );
	double sum = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		half[k] = dbvhi_larger( -found[k], found[3 + k] );
		sum += half[k];
	}
	for ( int k = 0; k < 3; ++k )
		half[k] += 6.0 * dbvhi_projection_error( sum );
	// In ascending order: its frame keeps its handedness.
	for ( int pass = 0; pass < 2; ++pass ) {
		for ( int k = 0; k < 2; ++k ) {
			if ( !( half[k] > half[k + 1] ) )
				continue;
			const double swapped = half[k];
			half[k] = half[k + 1];
			half[k + 1] = swapped;
			for ( int i = 0; i < 3; ++i ) {
				const double column = root->rot.m[i][k];
				root->rot.m[i][k] = root->rot.m[i][k + 1];
				root->rot.m[i][k + 1] = -column;
			}
			const double place = root->sphere_inside.v[k];
			root->sphere_inside.v[k] = root->sphere_inside.v[k + 1];
			root->sphere_inside.v[k + 1] = -place;
		}
	}
	memcpy( root->half.v, half, sizeof half );
	root->radius = sqrt( found[6] ) * ( 1.0 + 16.0 * 0x1p-53 ) + 0x1p-500;
	return dbvhi_packed_holds( r->largest, root->radius );
}

// ------------------------------------------------------------------------------------------------
// Nodes

// Relative to the centre, and stored where exact answers come from.
static void settle_task( void *context, size_t index, uint32_t thread ) {
	(void)thread;
	refit *r = context;
	const size_t first = index * CHUNK, count = r->tree->vertex_count;
	for ( size_t i = first; i < first + CHUNK && i < count; ++i ) {
		for ( size_t k = 0; k < 3; ++k ) {
			r->tree->vertices[3 * i + k] = r->x[k][i];
			r->x[k][i] -= r->packer.centre[k];
		}
	}
}

typedef struct subtree {
	const refit *r;
	borrowed_points *own;
	uint32_t low, high;      // its triangles
	uint32_t first, end;     // the points that they use first
	size_t borrowed;         // others, in `own`
	bool overflowed;         // there are more: they are looked for again
	double ( *low_high )[3]; // while reaching
	const double ( *axes )[3];
	const double *centre; // while measuring
	double most;
} subtree;

static const double nowhere[3] = { 0.0, 0.0, 0.0 };

static void measure( subtree *s, const dbvhi_points *points ) {
	if ( s->centre == NULL )
		s->r->isa->reach( points, s->axes, nowhere, s->low_high[0], s->low_high[1] );
	else
		s->most = s->r->isa->farthest( points, s->centre, s->most );
}

static void measure_borrowed( subtree *s ) {
	const dbvhi_points points = { s->own->x[0], s->own->x[1], s->own->x[2], s->borrowed };
	measure( s, &points );
}

static void borrow( subtree *s ) {
	const uint32_t *corner = s->r->tree->corner;
	s->borrowed = 0;
	s->overflowed = false;
	for ( size_t place = s->low; place < s->high; ++place ) {
		if ( s->r->lowest[place / GROUP] >= s->first ) {
			place |= GROUP - 1; // the rest of the group
			continue;
		}
		const size_t i = 3 * place;
		if ( corner[i] >= s->first && corner[i + 1] >= s->first && corner[i + 2] >= s->first )
			continue;
		for ( size_t k = i; k < i + 3; ++k ) {
			if ( corner[k] >= s->first )
				continue;
			for ( int j = 0; j < 3; ++j )
				s->own->x[j][s->borrowed] = s->r->x[j][corner[k]];
			s->borrowed += 1;
		}
		if ( s->borrowed + 3 > FARTHER ) {
			measure_borrowed( s );
			s->borrowed = 0;
			s->overflowed = true;
		}
	}
}

// Those of a small subtree next to each other, a multiple of eight.
static void bring_near( subtree *s ) {
	const uint32_t *corner = s->r->tree->corner;
	size_t count = 0;
	for ( uint32_t i = s->first; i < s->end; ++i, ++count ) {
		for ( int j = 0; j < 3; ++j )
			s->own->x[j][count] = s->r->x[j][i];
	}
	for ( size_t place = s->low; place < s->high; ++place ) {
		if ( s->r->lowest[place / GROUP] >= s->first ) {
			place |= GROUP - 1; // the rest of the group
			continue;
		}
		const size_t i = 3 * place;
		if ( corner[i] >= s->first && corner[i + 1] >= s->first && corner[i + 2] >= s->first )
			continue;
		for ( size_t k = i; k < i + 3; ++k ) {
			for ( int j = 0; j < 3; ++j )
				s->own->x[j][count] = s->r->x[j][corner[k]];
			count += corner[k] < s->first;
		}
	}
	for ( ; count % 8 != 0; ++count ) {
		for ( int j = 0; j < 3; ++j )
			s->own->x[j][count] = s->own->x[j][0];
	}
	s->borrowed = count;
}

// All points of the subtree are measured.
static void measure_all( subtree *s, bool again ) {
	if ( s->high - s->low <= NEAR ) {
		if ( !again )
			bring_near( s );
		measure_borrowed( s );
		return;
	}
	if ( !again || s->overflowed )
		borrow( s );
	measure_borrowed( s );
	const dbvhi_points points = points_in( s->r, s->first, s->end );
	measure( s, &points );
}

// Extents that are no longer in ascending order, by more than a little: other axes come first.
static bool is_disordered( const double half[3] ) {
	return half[0] > 1.02 * half[1] || half[1] > 1.02 * half[2];
}

static void pack_ordered( const refit *r, const double half[3], const double rot[3][3], const double box[3],
                          const double ball[3], double radius, dbvhi_packed_spheres *out, dbvhi_packed_box *packed_box,
                          int lane, double *extent ) {
	int order[3] = { 0, 1, 2 };
	for ( int pass = 0; pass < 2; ++pass ) {
		for ( int k = 0; k < 2; ++k ) {
			if ( half[order[k]] > half[order[k + 1]] ) {
				const int swapped = order[k];
				order[k] = order[k + 1];
				order[k + 1] = swapped;
			}
		}
	}
	const bool turned = ( order[1] + 3 - order[0] ) % 3 == 2; // an odd permutation: one axis is reversed
	dbvhi_node node = { .radius = radius };
	dbvhi_frame frame;
	dbvhi_vec between;
	for ( int k = 0; k < 3; ++k ) {
		node.half.v[k] = half[order[k]];
		frame.origin.v[k] = box[k] + r->packer.centre[k];
		between.v[k] = ball[k] - box[k];
		for ( int i = 0; i < 3; ++i )
			frame.axes.m[i][k] = turned && k == 2 ? -rot[i][order[k]] : rot[i][order[k]];
	}
	node.sphere_inside = dbvhi_mat_apply_transposed( &frame.axes, between );
	const int32_t child = packed_box->child;
	dbvhi_pack_child( &r->packer, &node, &frame, DBVHI_BUILD_DEPTH, out, packed_box, lane, extent );
	packed_box->child = child;
}

static void refit_child( refit *r, uint32_t node, int lane, borrowed_points *own ) {
	dbvh_tree *tree = r->tree;
	dbvhi_packed *packed = tree->packed;
	dbvhi_packed_spheres *spheres = (dbvhi_packed_spheres *)( (char *)packed + packed->sphere_offset ) + node;
	dbvhi_packed_box *box =
	    (dbvhi_packed_box *)( (char *)packed + packed->box_offset ) + DBVHI_WIDTH * (size_t)node + lane;
	if ( !( spheres->radius[lane] > 0.0f ) )
		return;
	dbvhi_packed_leaf *leaf = NULL;
	if ( box->child < 0 )
		leaf = (dbvhi_packed_leaf *)( (char *)packed + packed->leaf_offset ) + ~box->child;
	const uint32_t triangles = leaf != NULL ? leaf->first_and_count : 0;
	subtree s = { .r = r, .own = own };
	s.low = leaf != NULL ? triangles >> 2 : r->low[box->child];
	s.high = leaf != NULL ? s.low + ( triangles & 3 ) + 1 : r->high[box->child];
	s.first = r->first_point[s.low];
	s.end = r->first_point[s.high];
	dbvhi_node old;
	dbvhi_packed_volume( packed, node, lane, &old );
	double reached[2][3] = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
	double half[3], centre[3] = { 0.0, 0.0, 0.0 }, ball[3], shift[3], offset[3];
	s.low_high = reached;
	s.axes = (const double( * )[3])old.rot.m;
	dbvhi_leaf_corners corners;
	if ( leaf != NULL ) {
		dbvhi_gather_leaf( &r->packer, s.low, s.high - s.low, &corners );
		r->leaf_isa->reach( &corners, s.axes, reached[0], reached[1] );
	} else {
		measure_all( &s, false );
	}
	double place[3];
	for ( int k = 0; k < 3; ++k ) {
		const double middle = 0.5 * ( reached[0][k] + reached[1][k] );
		half[k] = 0.5 * ( reached[1][k] - reached[0][k] );
		place[k] = middle + carried( old.sphere_inside.v[k], old.half.v[k], half[k] );
		for ( int i = 0; i < 3; ++i )
			centre[i] += old.rot.m[i][k] * middle;
	}
	for ( int i = 0; i < 3; ++i ) {
		ball[i] = old.rot.m[i][0] * place[0] + old.rot.m[i][1] * place[1] + old.rot.m[i][2] * place[2];
		spheres->centre[i][lane] = (float)ball[i];
		// Read back through memory: gcc 12 at -O3 uses the value from before the rounding.
		const double rounded = (double)*(volatile float *)&spheres->centre[i][lane];
		shift[i] = ball[i] - rounded;
		offset[i] = centre[i] - rounded;
	}
	s.centre = ball;
	if ( leaf != NULL )
		s.most = r->leaf_isa->farthest( &corners, ball );
	else
		measure_all( &s, true );
	const double exact = sqrt( s.most ), away = length3( ball );
	// The centre of the box is no farther from that of the sphere than twice what this reaches.
	const double doubt = 64.0 * 0x1p-53 * ( 3.0 * ( away + exact ) + r->centre_away );
	own->extent = dbvhi_larger( own->extent, away );
	const double radius = exact + doubt;
	for ( int k = 0; k < 3; ++k )
		half[k] += doubt;
	if ( is_disordered( half ) )
		pack_ordered( r, half, (const double( * )[3])old.rot.m, centre, ball, radius, spheres, box, lane,
		              &own->extent );
	else
		dbvhi_pack_lengths( spheres, box, lane, half, offset, radius + length3( shift ) );
	if ( leaf != NULL )
		dbvhi_pack_leaf( r->leaf_isa, &corners, s.low, s.high - s.low, leaf, &own->extent );
}

static size_t heavy_nodes( const refit *r ) {
	return r->tree->packed->node_count < HEAVY_NODES ? r->tree->packed->node_count : HEAVY_NODES;
}

static void node_task( void *context, size_t index, uint32_t thread ) {
	refit *r = context;
	const size_t heavy = heavy_nodes( r );
	if ( index < DBVHI_WIDTH * heavy ) {
		refit_child( r, (uint32_t)( index / DBVHI_WIDTH ), (int)( index % DBVHI_WIDTH ), &r->own[thread] );
		return;
	}
	const size_t first = heavy + ( index - DBVHI_WIDTH * heavy ) * NODE_CHUNK;
	for ( size_t node = first; node < first + NODE_CHUNK && node < r->tree->packed->node_count; ++node ) {
		for ( int lane = 0; lane < DBVHI_WIDTH; ++lane )
			refit_child( r, (uint32_t)node, lane, &r->own[thread] );
	}
}

static void refit_nodes( refit *r ) {
	dbvh_tree *tree = r->tree;
	dbvhi_packed *packed = tree->packed;
	memcpy( r->packer.centre, r->root.pos.v, sizeof r->packer.centre );
	r->packer.root_radius = r->root.radius;
	r->centre_away = length3( r->packer.centre );
	r->packer.vertices = tree->vertices;
	r->packer.corner = tree->corner;
	dbvhi_parallel_for( chunks_of( tree->vertex_count ), 1, r->thread_count, settle_task, r );
	for ( uint32_t t = 0; t < r->thread_count; ++t )
		r->own[t].extent = 0.0;
	const size_t heavy = heavy_nodes( r );
	const size_t light = ( packed->node_count - heavy + NODE_CHUNK - 1 ) / NODE_CHUNK;
	dbvhi_parallel_for( DBVHI_WIDTH * heavy + light, 1, r->thread_count, node_task, r );
	double extent = 0.0;
	for ( uint32_t t = 0; t < r->thread_count; ++t )
		extent = dbvhi_larger( extent, r->own[t].extent );
	packed->extent = extent * ( 1.0 + 0x1p-20 );
	packed->unit = dbvhi_packed_unit( packed->extent );
	packed->content_hash = r->hash;
	memcpy( packed->centre, r->packer.centre, sizeof packed->centre );
	tree->root = r->root;
	tree->largest = r->largest;
	tree->hash = r->hash;
	tree->keeps_order = true;
}

// ------------------------------------------------------------------------------------------------

static bool take_memory( refit *r ) {
	const dbvh_tree *tree = r->tree;
	const dbvh_allocator *a = &tree->allocator;
	const size_t most = tree->mesh_triangle_count > tree->vertex_count ? tree->mesh_triangle_count : tree->vertex_count;
	bool taken = true;
	for ( int k = 0; k < 3; ++k )
		taken = ( r->x[k] = dbvhi_alloc( a, tree->vertex_count, sizeof( double ) ) ) != NULL && taken;
	r->from = dbvhi_alloc( a, tree->vertex_count, sizeof *r->from );
	r->first_point = dbvhi_alloc( a, tree->triangle_count + 1, sizeof *r->first_point );
	r->low = dbvhi_alloc( a, tree->packed->node_count, sizeof *r->low );
	r->high = dbvhi_alloc( a, tree->packed->node_count, sizeof *r->high );
	r->own = dbvhi_alloc( a, r->thread_count, sizeof *r->own );
	r->reached = dbvhi_alloc( a, chunks_of( most ), sizeof *r->reached );
	r->wrong_in = dbvhi_alloc( a, chunks_of( most ), sizeof *r->wrong_in );
	r->hash_of = dbvhi_alloc( a, chunks_of( most ), sizeof *r->hash_of );
	r->lowest = dbvhi_alloc( a, groups_of( tree ), sizeof *r->lowest );
	return taken && r->from != NULL && r->first_point != NULL && r->low != NULL && r->high != NULL && r->own != NULL &&
	       r->reached != NULL && r->wrong_in != NULL && r->hash_of != NULL && r->lowest != NULL;
}

static void free_memory( refit *r ) {
	const dbvh_tree *tree = r->tree;
	const dbvh_allocator *a = &tree->allocator;
	const size_t most = tree->mesh_triangle_count > tree->vertex_count ? tree->mesh_triangle_count : tree->vertex_count;
	for ( int k = 0; k < 3; ++k )
		dbvhi_free( a, r->x[k], tree->vertex_count, sizeof( double ) );
	dbvhi_free( a, r->from, tree->vertex_count, sizeof *r->from );
	dbvhi_free( a, r->first_point, tree->triangle_count + 1, sizeof *r->first_point );
	dbvhi_free( a, r->low, tree->packed->node_count, sizeof *r->low );
	dbvhi_free( a, r->high, tree->packed->node_count, sizeof *r->high );
	dbvhi_free( a, r->own, r->thread_count, sizeof *r->own );
	dbvhi_free( a, r->reached, chunks_of( most ), sizeof *r->reached );
	dbvhi_free( a, r->wrong_in, chunks_of( most ), sizeof *r->wrong_in );
	dbvhi_free( a, r->hash_of, chunks_of( most ), sizeof *r->hash_of );
	dbvhi_free( a, r->lowest, groups_of( tree ), sizeof *r->lowest );
}

// The points are loaded, and are still shared as they were.
static dbvh_status load( refit *r, dbvh_error *error ) {
	// Of those that are the same, too.
	const size_t chunks = chunks_of( r->tree->mesh_triangle_count );
	count_points( r );
	find_ranges( r );
	dbvhi_parallel_for( chunks, 1, r->thread_count, load_task, r );
	dbvhi_parallel_for( chunks, 1, r->thread_count, compare_task, r );
	r->wrong = SIZE_MAX;
	r->hash = 0;
	for ( size_t i = 0; i < chunks; ++i ) {
		r->wrong = r->wrong_in[i] < r->wrong ? r->wrong_in[i] : r->wrong;
		r->hash += r->hash_of[i];
	}
	r->hash = dbvhi_builder_hash_whole( r->hash, r->tree->mesh_triangle_count );
	const bool apart = r->wrong != SIZE_MAX;
	if ( !apart && compare_twins( r ) )
		return DBVH_OK;
	if ( error != NULL )
		error->element = (int64_t)r->wrong;
	return apart ? dbvhi_error_set( error, DBVH_INVALID_ARGUMENT,
	                                "triangle %zu has a corner that another triangle shared, and no longer does",
	                                r->wrong )
	             : dbvhi_error_set( error, DBVH_INVALID_ARGUMENT,
	                                "triangle %zu was the same as another, and no longer is", r->wrong );
}

// What is going to be written moves out of the tree's block, which may be a file that others read.
static bool take_over( dbvh_tree *tree ) {
	if ( tree->backing.bytes == NULL || tree->is_taken_over )
		return true;
	const dbvh_allocator *a = &tree->allocator;
	const size_t vertices = 3 * tree->vertex_count;
	double *own = dbvhi_alloc( a, vertices, sizeof *own );
	dbvhi_packed *packed = dbvhi_alloc( a, tree->packed_bytes, 1 );
	if ( own == NULL || packed == NULL ) {
		dbvhi_free( a, own, vertices, sizeof *own );
		dbvhi_free( a, packed, tree->packed_bytes, 1 );
		return false;
	}
	memcpy( own, tree->vertices, vertices * sizeof *own );
	memcpy( packed, tree->packed, tree->packed_bytes );
	tree->vertices = own;
	tree->packed = packed;
	tree->is_taken_over = true;
	return true;
}

dbvh_status dbvhi_refit( dbvh_tree *tree, const dbvh_mesh_view *view, dbvh_error *error ) {
	refit r = { .tree = tree,
	            .view = view,
	            .isa = dbvhi_refit_table[dbvhi_isa_level()],
	            .leaf_isa = dbvhi_leaf_table[dbvhi_isa_level()] };
	r.thread_count = dbvhi_builder_threads( tree->triangle_count, dbvhi_thread_count( tree->options.thread_count ) );
	dbvh_status status = take_memory( &r ) ? load( &r, error ) : dbvhi_error_status( error, DBVH_OUT_OF_MEMORY );
	if ( status == DBVH_OK && !fit_root( &r ) )
		status = dbvhi_error_set( error, DBVH_LIMIT, "the mesh has become too large or too small for a packed form" );
	if ( status == DBVH_OK && !take_over( tree ) )
		status = dbvhi_error_status( error, DBVH_OUT_OF_MEMORY );
	if ( status == DBVH_OK ) {
		if ( tree->nodes != NULL )
			dbvhi_tree_drop_reference( tree );
		refit_nodes( &r );
	}
	free_memory( &r );
	return status;
}

// What keeps a reference tree, or has fragments: every node, what is made from nodes (ellipsoids), from points (the
// topology) and from the shape of triangles (fragments) would have to follow, and all that is most of a build.
static dbvh_status build_anew( dbvh_tree *tree, const dbvh_mesh_view *view, dbvh_error *error ) {
	dbvh_tree *built;
	const dbvh_status status = dbvh_tree_build( view, &tree->options, &tree->allocator, &built, error );
	if ( status != DBVH_OK )
		return status;
	const dbvh_tree before = *tree;
	*tree = *built;
	*built = before;
	dbvh_tree_destroy( built );
	return DBVH_OK;
}

static DBVHI_BEHIND dbvh_status do_tree_refit( dbvh_tree *tree, const dbvh_mesh_view *view, dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( tree == NULL )
		return dbvhi_error_null( error, "tree" );
	dbvh_status status = dbvh_mesh_view_check( view, error );
	if ( status != DBVH_OK )
		return status;
	if ( dbvhi_view_triangle_count( view ) != tree->mesh_triangle_count )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "view has %zu triangles, but tree has %zu",
		                        dbvhi_view_triangle_count( view ), tree->mesh_triangle_count );
	return tree->corners != NULL || tree->fragment != NULL ? build_anew( tree, view, error )
	                                                       : dbvhi_refit( tree, view, error );
}

dbvh_status dbvh_tree_refit( dbvh_tree *tree, const dbvh_mesh_view *view, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_tree_refit( tree, view, error ) );
}
