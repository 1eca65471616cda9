// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "tree/pack.h"

#include "base/alloc.h"
#include "tree/tree.h"

#include <math.h>
#include <string.h>

#define SMALLEST 0x1p-40
#define LARGEST 0x1p40
#define U 0x1p-24 // half an ulp of 1.0f

// The triangles below a node of the reference tree, in leaf order.
typedef struct span {
	uint32_t first, count;
} span;

typedef struct packer {
	const dbvh_tree *tree;
	dbvhi_packed *packed;
	dbvhi_packed_node *nodes;
	dbvhi_packed_leaf *leaves;
	const span *spans;
	uint32_t node_count, leaf_count;
	double extent;
} packer;

// Children come after their parents, so one pass from the back sums them up.
static void measure_spans( const dbvh_tree *tree, span *spans ) {
	for ( size_t i = tree->node_count; i-- > 0; ) {
		const dbvhi_node *node = &tree->nodes[i];
		if ( dbvhi_node_is_leaf( node ) )
			spans[i] = ( span ){ node->first, node->count };
		else
			spans[i] = ( span ){ spans[node->first].first, spans[node->first].count + spans[node->first + 1].count };
	}
}

// Up to a float, and one more for good measure.
static float round_up( double x ) {
	return nextafterf( (float)( x * ( 1.0 + 2.0 * U ) ), INFINITY );
}

static double length3( const double x[3] ) {
	return sqrt( x[0] * x[0] + x[1] * x[1] + x[2] * x[2] );
}

typedef struct opening {
	uint32_t node; // of the reference tree
	dbvhi_frame frame;
} opening;

// The volumes of a reference node in float positions, before extents are counted in steps.
typedef struct float_child {
	double half[3], offset[3], radius; // of the box, from its rounded centre to the sphere's, of the sphere
} float_child;

// Axes and centres are rounded to float and the volumes widened by what that turns and shifts them: an axis by less than
// 6u (the kernel computes the third), so a point of the box, at most 2.8 radii away from its centre, by that times as
// much.
static float_child pack_position( packer *p, dbvhi_packed_node *out, int lane, const opening *child ) {
	const dbvhi_node *node = &p->tree->nodes[child->node];
	const dbvhi_frame *frame = &child->frame;
	const dbvhi_vec sphere = dbvhi_frame_point( frame, node->sphere_inside );
	const double *origin = p->packed->centre;
	double centre[3], shift[3], ball[3];
	float_child wide;
	for ( int k = 0; k < 3; ++k ) {
		centre[k] = frame->origin.v[k] - origin[k];
		ball[k] = sphere.v[k] - origin[k];
		out->centre[k][lane] = (float)centre[k];
		out->axis0[k][lane] = (float)frame->axes.m[k][0];
		out->axis2[k][lane] = (float)frame->axes.m[k][2];
	}
	for ( int k = 0; k < 3; ++k ) {
		// Read back through memory: gcc 12 at -O3 used the value from before the rounding here.
		const double rounded = (double)*(volatile float *)&out->centre[k][lane];
		shift[k] = centre[k] - rounded;
		wide.offset[k] = ball[k] - rounded;
	}
	// What the double positions may be off: products of as many steps as the tree is deep, at sizes up to the root's.
	const double doubt =
		0x1p-44 * ( length3( frame->origin.v ) + length3( sphere.v ) + length3( origin ) ) +
		0x1p-46 * p->tree->depth * ( node->radius + node->half.v[2] ) + 0x1p-44 * p->tree->nodes[0].radius;
	const double shifted = length3( shift ) + doubt;
	for ( int k = 0; k < 3; ++k )
		wide.half[k] = node->half.v[k] + 17.0 * U * node->radius + shifted;
	wide.radius = node->radius + doubt;
	p->extent = fmax( p->extent, fmax( length3( centre ), length3( ball ) ) );
	return wide;
}

#define STEPS 32760.0

// All children of a node share one step, which the largest number of steps decides. Extents are counted upwards; a
// sphere's centre is moved to the nearest step, less than sqrt(3)/2 of one, and its radius grows by a whole one.
static void pack_children( packer *p, dbvhi_packed_node *out, const opening *children, int count ) {
	float_child wide[DBVHI_WIDTH];
	double largest = 0.0;
	for ( int lane = 0; lane < count; ++lane ) {
		wide[lane] = pack_position( p, out, lane, &children[lane] );
		for ( int k = 0; k < 3; ++k )
			largest = fmax( largest, fmax( wide[lane].half[k], fabs( wide[lane].offset[k] ) ) );
	}
	out->step = round_up( largest / STEPS );
	out->child_count = (uint32_t)count;
	const double step = (double)out->step;
	for ( int lane = 0; lane < count; ++lane ) {
		for ( int k = 0; k < 3; ++k ) {
			// One step more than the ceiling covers the rounding of the kernel's product.
			out->half[k][lane] = (int16_t)( ceil( wide[lane].half[k] / step ) + 1.0 );
			out->sphere[k][lane] = (int16_t)rint( wide[lane].offset[k] / step );
		}
		out->radius[lane] = round_up( wide[lane].radius + step );
	}
	for ( int lane = count; lane < DBVHI_WIDTH; ++lane )
		out->half[0][lane] = DBVHI_NO_CHILD;
}

static void pack_leaf( packer *p, dbvhi_packed_leaf *out, span triangles ) {
	const double *corners = p->tree->corners + 9 * (size_t)triangles.first;
	double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
	for ( uint32_t i = 0; i < 3 * triangles.count; ++i ) {
		for ( int k = 0; k < 3; ++k ) {
			const double x = corners[3 * i + (uint32_t)k] - p->packed->centre[k];
			low[k] = fmin( low[k], x );
			high[k] = fmax( high[k], x );
		}
	}
	double largest = 0.0, far[3];
	for ( int k = 0; k < 3; ++k ) {
		out->origin[k] = (float)( 0.5 * ( low[k] + high[k] ) );
		far[k] = fmax( fabs( low[k] ), fabs( high[k] ) );
		largest = fmax( largest, fmax( high[k] - (double)out->origin[k], (double)out->origin[k] - low[k] ) );
	}
	p->extent = fmax( p->extent, length3( far ) );
	out->step = round_up( largest / 8388600.0 );
	out->size = round_up( largest + (double)out->step );
	out->first_and_count = triangles.first << 2 | ( triangles.count - 1 );
	for ( int corner = 0; corner < 3; ++corner ) {
		for ( int k = 0; k < 3; ++k ) {
			for ( uint32_t lane = 0; lane < DBVHI_WIDTH; ++lane ) {
				const uint32_t i = lane < triangles.count ? lane : 0;
				const double x = corners[9 * i + (uint32_t)( 3 * corner + k )] - p->packed->centre[k];
const int32_t grid = (int32_t)rint( ( x - (double)out->origin[k] ) / (double)out->step );
				out->high[corner][k][lane] = (int16_t)( grid >> 8 );
				out->low[corner][k][lane] = (uint8_t)( grid & 255 );
			}
		}
	}
}

// The nodes that become the children of a packed node: starting from the two of the binary node, the largest that can be
// opened is replaced by its own two until there are four.
static int open_children( const packer *p, uint32_t root, const dbvhi_frame *frame, opening out[DBVHI_WIDTH] ) {
	const dbvhi_node *nodes = p->tree->nodes;
	int count = 0;
	out[count++] = ( opening ){ root, *frame };
	while ( count < DBVHI_WIDTH ) {
		int best = -1;
		for ( int i = 0; i < count; ++i ) {
			if ( p->spans[out[i].node].count > DBVHI_WIDTH &&
				 ( best < 0 || nodes[out[i].node].radius > nodes[out[best].node].radius ) )
				best = i;
		}
		if ( best < 0 )
			break;
		const opening parent = out[best];
		const uint32_t first = nodes[parent.node].first;
		out[best] = ( opening ){ first, dbvhi_frame_step( &parent.frame, &nodes[first] ) };
		out[count++] = ( opening ){ first + 1, dbvhi_frame_step( &parent.frame, &nodes[first + 1] ) };
	}
	return count;
}

typedef struct pending {
	uint32_t node; // packed, to be filled
	uint32_t depth;
	opening from;
} pending;

// Depth first, so that a node's descendants lie near it. `stack` has room for three pairs a level.
static void pack_all( packer *p, pending *stack ) {
	const dbvhi_frame mesh = dbvhi_frame_mesh();
	uint32_t top = 0;
	p->node_count = 1;
	stack[top++] = ( pending ){ 0, 1, { 0, dbvhi_frame_step( &mesh, &p->tree->nodes[0] ) } };
	while ( top > 0 ) {
		const pending at = stack[--top];
		p->packed->depth = at.depth > p->packed->depth ? at.depth : p->packed->depth;
		opening children[DBVHI_WIDTH];
		const int count = open_children( p, at.from.node, &at.from.frame, children );
		dbvhi_packed_node *out = &p->nodes[at.node];
		memset( out, 0, sizeof *out );
		pack_children( p, out, children, count );
		for ( int lane = 0; lane < count; ++lane ) {
			const opening *child = &children[lane];
			if ( p->spans[child->node].count <= DBVHI_WIDTH ) {
				out->child[lane] = ~(int32_t)p->leaf_count;
				pack_leaf( p, &p->leaves[p->leaf_count++], p->spans[child->node] );
			} else {
				out->child[lane] = (int32_t)p->node_count;
				stack[top++] = ( pending ){ p->node_count++, at.depth + 1, *child };
			}
		}
	}
}

// How many leaves there will be: the highest nodes of at most four triangles.
static uint32_t count_leaves( const dbvh_tree *tree, const span *spans ) {
	uint32_t count = spans[0].count <= DBVHI_WIDTH;
	for ( size_t i = 0; i < tree->node_count; ++i ) {
		const dbvhi_node *node = &tree->nodes[i];
		if ( spans[i].count > DBVHI_WIDTH )
			count += ( spans[node->first].count <= DBVHI_WIDTH ) + ( spans[node->first + 1].count <= DBVHI_WIDTH );
	}
	return count;
}

static size_t align_up( size_t x ) {
	return ( x + DBVHI_ALIGNMENT - 1 ) / DBVHI_ALIGNMENT * DBVHI_ALIGNMENT;
}

// How many nodes there will be is known only afterwards, so they are made aside and copied into the block.
static dbvh_status pack_with( const dbvh_tree *tree, const span *spans, pending *stack, dbvhi_packed **packed_out ) {
	const dbvh_allocator *allocator = &tree->allocator;
	dbvhi_packed header = {
		.version = DBVHI_PACKED_VERSION,
		.content_hash = tree->hash,
		.leaf_count = count_leaves( tree, spans ),
	};
	memcpy( header.centre, tree->nodes[0].pos.v, sizeof header.centre );
	// Each packed node opens at least one binary node, and there is one leaf more than those.
	const size_t node_room = header.leaf_count;
	dbvhi_packed_node *nodes = dbvhi_alloc( allocator, node_room, sizeof( dbvhi_packed_node ) );
	dbvhi_packed_leaf *leaves = dbvhi_alloc( allocator, header.leaf_count, sizeof( dbvhi_packed_leaf ) );
	dbvh_status status = DBVH_OUT_OF_MEMORY;
	if ( nodes != NULL && leaves != NULL ) {
		packer p = { .tree = tree, .packed = &header, .nodes = nodes, .leaves = leaves, .spans = spans };
		pack_all( &p, stack );
		header.node_count = p.node_count;
		header.extent = p.extent * ( 1.0 + 0x1p-20 );
		header.node_offset = align_up( sizeof header );
		header.leaf_offset = align_up( header.node_offset + header.node_count * sizeof( dbvhi_packed_node ) );
		header.bytes = header.leaf_offset + header.leaf_count * sizeof( dbvhi_packed_leaf );
		char *block = dbvhi_alloc( allocator, header.bytes, 1 );
		if ( block != NULL ) {
			memset( block, 0, header.leaf_offset ); // gaps too: equal trees are equal bytes
			memcpy( block, &header, sizeof header );
			memcpy( block + header.node_offset, nodes, header.node_count * sizeof( dbvhi_packed_node ) );
			memcpy( block + header.leaf_offset, leaves, header.leaf_count * sizeof( dbvhi_packed_leaf ) );
			*packed_out = (dbvhi_packed *)block;
			status = DBVH_OK;
		}
	}
	dbvhi_free( allocator, nodes, node_room, sizeof( dbvhi_packed_node ) );
	dbvhi_free( allocator, leaves, header.leaf_count, sizeof( dbvhi_packed_leaf ) );
	return status;
}

dbvh_status dbvhi_pack( const dbvh_tree *tree, dbvhi_packed **packed_out ) {
	*packed_out = NULL;
	const dbvhi_node *root = &tree->nodes[0];
	if ( !( root->radius >= SMALLEST && root->radius <= LARGEST ) || tree->options.leaf_size > DBVHI_WIDTH )
		return DBVH_OK;

	const dbvh_allocator *allocator = &tree->allocator;
	const size_t stack_room = 3 * (size_t)tree->depth + 4;
	span *spans = dbvhi_alloc( allocator, tree->node_count, sizeof( span ) );
	pending *stack = dbvhi_alloc( allocator, stack_room, sizeof( pending ) );
	dbvh_status status = DBVH_OUT_OF_MEMORY;
	if ( spans != NULL && stack != NULL ) {
		measure_spans( tree, spans );
		status = pack_with( tree, spans, stack, packed_out );
	}
	dbvhi_free( allocator, stack, stack_room, sizeof( pending ) );
	dbvhi_free( allocator, spans, tree->node_count, sizeof( span ) );
	return status;
}
