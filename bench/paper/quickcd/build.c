// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Building from the top down: where to divide, and what each node keeps.

#include "mesh/view.h"
#include "tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct item {
	double centroid[3]; // in the tree's frame
	uint32_t triangle;
} item;

typedef struct builder {
	quickcd_tree *tree;
	const dbvh_mesh_view *view;
	item *items;
	quickcd_point *grid; // three a triangle, in leaf order, of a flying tree
	size_t median_depth; // from here on nodes are halved: no input makes the tree deep
	bool failed;
} builder;

// The data that a node passes to its parent.
typedef struct summary {
	double lower[QUICKCD_MOST], upper[QUICKCD_MOST]; // bounds of the points on the grid
	uint32_t *hull;                                  // the vertices of the hull; NULL: too many to be kept
	size_t hull_count;
} summary;

static float round_up( double x ) {
	const float f = (float)x;
	return (double)f >= x ? f : nextafterf( f, INFINITY );
}

// ------------------------------------------------------------------------------------------------
// The frame

static void corners_of( const dbvh_mesh_view *view, uint32_t triangle, double out[9] ) {
	uint32_t v[3];
	dbvhi_view_triangle( view, triangle, v );
	for ( int c = 0; c < 3; ++c )
		dbvhi_view_vertex( view, v[c], out + 3 * c );
}

static void to_frame( const quickcd_tree *t, const double x[3], double out[3] ) {
	for ( int k = 0; k < 3; ++k )
		out[k] = ( x[k] * t->scale - t->centre[k] ) * t->stretch;
}

// A power of two that brings `size` to at most 1, and not above 2^`most`.
static double to_one( double size, int most ) {
	int exponent = 0;
	frexp( size, &exponent );
	return ldexp( 1.0, size > 0.0 && -exponent < most ? -exponent : most );
}

static void choose_frame( builder *b ) {
	quickcd_tree *t = b->tree;
	for ( uint32_t i = 0; i < t->triangle_count; ++i ) {
		double x[9];
		corners_of( b->view, i, x );
		for ( int k = 0; k < 9; ++k )
			t->largest = fmax( t->largest, fabs( x[k] ) );
	}
	t->scale = to_one( t->largest, 1000 );
	double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY }, half = 0.0;
	for ( uint32_t i = 0; i < t->triangle_count; ++i ) {
		double x[9];
		corners_of( b->view, i, x );
		for ( int k = 0; k < 9; ++k ) {
			low[k % 3] = fmin( low[k % 3], x[k] * t->scale );
			high[k % 3] = fmax( high[k % 3], x[k] * t->scale );
		}
	}
	for ( int k = 0; k < 3; ++k ) {
		t->centre[k] = 0.5 * low[k] + 0.5 * high[k];
		half = fmax( half, fmax( t->centre[k] - low[k], high[k] - t->centre[k] ) );
	}
	t->stretch = to_one( half, 60 );
	for ( uint32_t i = 0; i < t->triangle_count; ++i ) {
		double x[9];
		corners_of( b->view, i, x );
		b->items[i] = ( item ){ .triangle = i };
		for ( int c = 0; c < 3; ++c ) {
			double y[3];
			to_frame( t, x + 3 * c, y );
			for ( int k = 0; k < 3; ++k )
				b->items[i].centroid[k] += y[k] / 3.0;
		}
	}
}

// ------------------------------------------------------------------------------------------------
// Dividing

static int compare_items( const item *a, const item *b, int axis ) {
	if ( a->centroid[axis] != b->centroid[axis] )
		return a->centroid[axis] < b->centroid[axis] ? -1 : 1;
	return ( a->triangle > b->triangle ) - ( a->triangle < b->triangle );
}

#define COMPARE_ON( axis )                                                                                             \
	static int compare_##axis( const void *a, const void *b ) {                                                        \
		return compare_items( a, b, axis );                                                                            \
	}
COMPARE_ON( 0 )
COMPARE_ON( 1 )
COMPARE_ON( 2 )

// The axis along which centroids vary most ("splatter"), and their mean along it.
static int splatter( const item *items, size_t count, double *mean_out ) {
	double mean[3] = { 0 }, variance[3] = { 0 };
	for ( size_t i = 0; i < count; ++i )
		for ( int k = 0; k < 3; ++k )
			mean[k] += items[i].centroid[k];
	for ( int k = 0; k < 3; ++k )
		mean[k] /= (double)count;
	for ( size_t i = 0; i < count; ++i )
		for ( int k = 0; k < 3; ++k ) {
			const double d = items[i].centroid[k] - mean[k];
			variance[k] += d * d;
		}
	int axis = 0;
	for ( int k = 1; k < 3; ++k )
		if ( variance[k] > variance[axis] )
			axis = k;
	*mean_out = mean[axis];
	return axis;
}

static size_t divide( const builder *b, item *items, size_t count, size_t depth ) {
	double mean;
	const int axis = splatter( items, count, &mean );
	if ( depth < b->median_depth ) {
		size_t left = 0, right = count;
		while ( left < right ) {
			if ( items[left].centroid[axis] <= mean ) {
				left += 1;
				continue;
			}
			const item t = items[left];
			items[left] = items[--right];
			items[right] = t;
		}
		if ( left > 0 && left < count )
			return left;
	}
	qsort( items, count, sizeof *items, axis == 0 ? compare_0 : axis == 1 ? compare_1 : compare_2 );
	return count / 2;
}

// ------------------------------------------------------------------------------------------------
// Slabs of the environment

static void slabs_of_triangles( const quickcd_tree *t, uint32_t first, uint32_t count, float *node ) {
	const int k = t->options.k, half = quickcd_half( k );
	const signed char( *d )[3] = quickcd_directions( k );
	for ( int i = 0; i < k / 2; ++i ) {
		double low = INFINITY, high = -INFINITY;
		for ( uint32_t c = 3 * first; c < 3 * ( first + count ); ++c ) {
			double y[3];
			to_frame( t, t->corners + 3 * (size_t)c, y );
			const double along = d[i][0] * y[0] + d[i][1] * y[1] + d[i][2] * y[2];
			low = along < low ? along : low;
			high = along > high ? along : high;
		}
		// Coordinates are at most about 1: each is off by 2^-53, the two sums by 2^-52 at most.
		node[i] = -round_up( 0x1p-49 - low );
		node[half + i] = -round_up( high + 0x1p-49 );
	}
}

static void slabs_of_children( const quickcd_tree *t, const float *first, const float *second, float *node ) {
	const int k = t->options.k, half = quickcd_half( k );
	for ( int i = 0; i < k / 2; ++i ) {
		node[i] = fminf( first[i], second[i] );
		node[half + i] = fminf( first[half + i], second[half + i] );
	}
}

static void put_links( quickcd_tree *t, size_t node, uint32_t first, uint32_t count ) {
	const int k = t->options.k, half = quickcd_half( k ), stride = quickcd_stride( k );
	float *at = t->nodes + node * (size_t)stride;
	t->sizes[node] = 0.0f;
	for ( int i = 0; i < 3; ++i )
		t->sizes[node] = fmaxf( t->sizes[node], -at[half + i] - at[i] );
	const bool padded = k != 18 && k != 24;
	for ( int i = k / 2; i < half; ++i )
		at[i] = at[half + i] = 0.0f;
	memcpy( at + ( padded ? half - 1 : 2 * half ), &first, sizeof first );
	memcpy( at + ( padded ? 2 * half - 1 : 2 * half + 1 ), &count, sizeof count );
	t->links[node] = ( quickcd_links ){ first, count };
}

// ------------------------------------------------------------------------------------------------
// Points of the flying tree

static bool add_points( builder *b, const double ( *points )[3], size_t count, quickcd_shape *shape ) {
	quickcd_tree *t = b->tree;
	if ( t->point_count + count > t->point_capacity ) {
		const size_t capacity = 2 * t->point_capacity + count + 64;
		float *bigger = realloc( t->points, 3 * capacity * sizeof *bigger );
		if ( bigger == NULL )
			return false;
		t->points = bigger;
		t->point_capacity = capacity;
	}
	*shape = ( quickcd_shape ){ (uint32_t)t->point_count, (uint32_t)count, UINT32_MAX };
	for ( size_t i = 0; i < count; ++i )
		for ( size_t k = 0; k < 3; ++k )
			t->points[3 * ( t->point_count + i ) + k] = (float)points[i][k];
	t->point_count += count;
	return true;
}

static bool add_hull( builder *b, const quickcd_hull *hull, quickcd_shape *shape ) {
	quickcd_tree *t = b->tree;
	if ( t->hull_count == t->hull_capacity ) {
		const size_t capacity = 2 * t->hull_capacity + 16;
		quickcd_hull *bigger = realloc( t->hulls, capacity * sizeof *bigger );
		if ( bigger == NULL )
			return false;
		t->hulls = bigger;
		t->hull_capacity = capacity;
	}
	*shape = ( quickcd_shape ){ 0, 0, (uint32_t)t->hull_count };
	t->hulls[t->hull_count++] = *hull;
	return true;
}

static void extend( int k, const quickcd_point *p, summary *s ) {
	const signed char( *d )[3] = quickcd_directions( k );
	for ( int i = 0; i < k / 2; ++i ) {
		const double along = (double)( d[i][0] * p->x[0] + d[i][1] * p->x[1] + d[i][2] * p->x[2] ) * 0x1p-24;
		s->lower[i] = along < s->lower[i] ? along : s->lower[i];
		s->upper[i] = along > s->upper[i] ? along : s->upper[i];
	}
}

static bool use_hull_vertices( builder *b, const summary *s, quickcd_shape *shape ) {
	double( *points )[3] = malloc( s->hull_count * sizeof *points );
	if ( points == NULL )
		return false;
	for ( size_t i = 0; i < s->hull_count; ++i )
		for ( int x = 0; x < 3; ++x )
			points[i][x] = (double)b->grid[s->hull[i]].x[x] * 0x1p-24;
	const bool good = add_points( b, (const double( * )[3])points, s->hull_count, shape );
	free( points );
	return good;
}

// The box, where a DOP has too many corners that rounding cannot tell apart.
static size_t box_corners( const summary *s, double ( *out )[3] ) {
	for ( int c = 0; c < 8; ++c )
		for ( int x = 0; x < 3; ++x )
			out[c][x] = c >> x & 1 ? s->upper[x] : s->lower[x];
	return 8;
}

// Reduces s->hull, which holds candidates, to the hull of these points, and says what the node is rotated by.
static bool shape_node( builder *b, size_t node, summary *s ) {
	quickcd_tree *t = b->tree;
	const bool climbs = t->options.rotation == QUICKCD_HILL || ( t->options.rotation == QUICKCD_MIXED && node == 0 );
	quickcd_hull hull = { 0 };
	const bool with_edges = climbs && s->hull_count > QUICKCD_CLIMB;
	if ( s->hull != NULL ) {
		const size_t candidates = s->hull_count;
		quickcd_point *points = malloc( candidates * sizeof *points );
		uint32_t *chosen = malloc( candidates * sizeof *chosen );
		size_t n = 0;
		if ( points != NULL && chosen != NULL ) {
			for ( size_t i = 0; i < candidates; ++i )
				points[i] = b->grid[s->hull[i]];
			n = quickcd_hull_make( points, candidates, chosen, with_edges ? &hull : NULL );
			for ( size_t i = 0; i < n; ++i )
				chosen[i] = s->hull[chosen[i]];
			memcpy( s->hull, chosen, n * sizeof *chosen );
			s->hull_count = n;
		}
		free( points );
		free( chosen );
		if ( n == 0 )
			return false;
	}
	quickcd_shape *shape = &t->shapes[node];
	if ( with_edges && s->hull_count > QUICKCD_CLIMB ) {
		if ( add_hull( b, &hull, shape ) )
			return true;
		quickcd_hull_free( &hull );
		return false;
	}
	quickcd_hull_free( &hull );
	if ( climbs )
		return use_hull_vertices( b, s, shape );
	double corners[QUICKCD_CORNERS][3];
	size_t count = 0;
	// No DOP has fewer corners than a segment.
	if ( s->hull == NULL || s->hull_count > 4 ) {
		count = quickcd_corners( t->options.k, s->lower, s->upper, corners );
		if ( count == 0 )
			count = box_corners( s, corners );
	}
	const bool own = s->hull != NULL && ( count == 0 || s->hull_count <= count );
	const bool good =
	    own ? use_hull_vertices( b, s, shape ) : add_points( b, (const double( * )[3])corners, count, shape );
	// A parent is expected to have more. Only climbing needs them, and the root of a mixed tree collects its own.
	if ( s->hull_count > QUICKCD_LIST ) {
		free( s->hull );
		s->hull = NULL;
		s->hull_count = 0;
	}
	return good;
}

static bool list_all( uint32_t first, uint32_t count, summary *s ) {
	free( s->hull );
	s->hull_count = 3 * (size_t)count;
	s->hull = malloc( s->hull_count * sizeof *s->hull );
	for ( uint32_t i = 0; s->hull != NULL && i < 3 * count; ++i )
		s->hull[i] = 3 * first + i;
	return s->hull != NULL;
}

// The candidates of a parent are the vertices of its children's hulls.
static bool join( summary *first, summary *second, summary *out ) {
	for ( int i = 0; i < QUICKCD_MOST; ++i ) {
		out->lower[i] = fmin( first->lower[i], second->lower[i] );
		out->upper[i] = fmax( first->upper[i], second->upper[i] );
	}
	if ( first->hull == NULL || second->hull == NULL )
		return true;
	out->hull_count = first->hull_count + second->hull_count;
	out->hull = malloc( out->hull_count * sizeof *out->hull );
	if ( out->hull == NULL )
		return false;
	memcpy( out->hull, first->hull, first->hull_count * sizeof *out->hull );
	memcpy( out->hull + first->hull_count, second->hull, second->hull_count * sizeof *out->hull );
	return true;
}

// ------------------------------------------------------------------------------------------------
// Nodes

static bool make_leaf( builder *b, size_t node, size_t first, size_t count, summary *out ) {
	quickcd_tree *t = b->tree;
	for ( size_t i = first; i < first + count; ++i ) {
		double *x = t->corners + 9 * i;
		corners_of( b->view, b->items[i].triangle, x );
		t->triangle[i] = b->items[i].triangle;
		for ( int c = 0; c < 3 && t->options.flying; ++c ) {
			double y[3];
			to_frame( t, x + 3 * c, y );
			for ( int k = 0; k < 3; ++k )
				b->grid[3 * i + (size_t)c].x[k] = (int32_t)rint( y[k] * QUICKCD_GRID );
			extend( t->options.k, &b->grid[3 * i + (size_t)c], out );
		}
	}
	slabs_of_triangles( t, (uint32_t)first, (uint32_t)count, t->nodes + node * (size_t)quickcd_stride( t->options.k ) );
	put_links( t, node, (uint32_t)first, (uint32_t)count );
	return !t->options.flying || list_all( (uint32_t)first, (uint32_t)count, out );
}

static bool make_node( builder *b, size_t node, size_t first, size_t count, size_t depth, summary *out ) {
	quickcd_tree *t = b->tree;
	*out = ( summary ){ 0 };
	for ( int i = 0; i < QUICKCD_MOST; ++i ) {
		out->lower[i] = INFINITY;
		out->upper[i] = -INFINITY;
	}
	t->depth = depth > t->depth ? depth : t->depth;
	bool good;
	if ( count <= t->options.leaf_size ) {
		good = make_leaf( b, node, first, count, out );
	} else {
		const size_t left = divide( b, b->items + first, count, depth ), child = t->node_count;
		t->node_count += 2;
		summary one, two = { 0 };
		good = make_node( b, child, first, left, depth + 1, &one ) &&
		       make_node( b, child + 1, first + left, count - left, depth + 1, &two );
		if ( good ) {
			const size_t stride = (size_t)quickcd_stride( t->options.k );
			slabs_of_children( t, t->nodes + child * stride, t->nodes + ( child + 1 ) * stride,
			                   t->nodes + node * stride );
			put_links( t, node, (uint32_t)child, 0 );
			good = !t->options.flying || join( &one, &two, out );
		}
		free( one.hull );
		free( two.hull );
		if ( good && node == 0 && t->options.flying && t->options.rotation == QUICKCD_MIXED && out->hull == NULL )
			good = list_all( 0, (uint32_t)count, out );
	}
	return good && ( !t->options.flying || shape_node( b, node, out ) );
}

static bool are_valid( const dbvh_mesh_view *view, const quickcd_options *o ) {
	return ( o->k == 6 || o->k == 14 || o->k == 18 || o->k == 24 || o->k == 26 ) && o->leaf_size > 0 &&
	       (unsigned)o->rotation <= QUICKCD_MIXED && (unsigned)o->rule <= QUICKCD_LARGER_FIRST &&
	       dbvh_mesh_view_check( view, NULL ) == DBVH_OK;
}

quickcd_tree *quickcd_build( const dbvh_mesh_view *view, const quickcd_options *options ) {
	if ( !are_valid( view, options ) )
		return NULL;
	quickcd_tree *t = calloc( 1, sizeof *t );
	if ( t == NULL )
		return NULL;
	const size_t n = dbvhi_view_triangle_count( view ), slots = 2 * n - 1;
	t->options = *options;
	t->triangle_count = n;
	t->corners = malloc( 9 * n * sizeof *t->corners );
	t->triangle = malloc( n * sizeof *t->triangle );
	t->nodes = malloc( slots * (size_t)quickcd_stride( options->k ) * sizeof *t->nodes );
	t->links = malloc( slots * sizeof *t->links );
	t->sizes = malloc( slots * sizeof *t->sizes );
	t->shapes = options->flying ? malloc( slots * sizeof *t->shapes ) : NULL;
	builder b = { .tree = t, .view = view };
	b.items = malloc( n * sizeof *b.items );
	b.grid = options->flying ? malloc( 3 * n * sizeof *b.grid ) : NULL;
	while ( ( n >> b.median_depth ) > 0 )
		b.median_depth += 1;
	b.median_depth = 2 * b.median_depth + 8;
	bool good = t->corners != NULL && t->triangle != NULL && t->nodes != NULL && t->links != NULL && t->sizes != NULL &&
	            b.items != NULL && ( !options->flying || ( t->shapes != NULL && b.grid != NULL ) );
	if ( good ) {
		summary root = { 0 };
		choose_frame( &b );
		t->node_count = 1;
		good = make_node( &b, 0, 0, n, 1, &root );
		free( root.hull );
	}
	free( b.items );
	free( b.grid );
	if ( !good ) {
		quickcd_free( t );
		return NULL;
	}
	return t;
}

void quickcd_free( quickcd_tree *t ) {
	if ( t == NULL )
		return;
	for ( size_t i = 0; i < t->hull_count; ++i )
		quickcd_hull_free( &t->hulls[i] );
	free( t->hulls );
	free( t->points );
	free( t->shapes );
	free( t->links );
	free( t->sizes );
	free( t->nodes );
	free( t->triangle );
	free( t->corners );
	free( t );
}

quickcd_size quickcd_get_size( const quickcd_tree *t ) {
	quickcd_size size = { .nodes = t->node_count, .depth = t->depth, .points = t->point_count, .hulls = t->hull_count };
	size.bytes = sizeof *t + t->triangle_count * ( 9 * sizeof *t->corners + sizeof *t->triangle ) +
	             t->node_count * ( (size_t)quickcd_stride( t->options.k ) * sizeof *t->nodes + sizeof *t->links +
	                               sizeof *t->sizes );
	if ( t->options.flying )
		size.bytes += t->node_count * sizeof *t->shapes + 3 * t->point_count * sizeof *t->points;
	for ( size_t i = 0; i < t->hull_count; ++i )
		size.bytes += sizeof *t->hulls + quickcd_hull_bytes( &t->hulls[i] );
	return size;
}
