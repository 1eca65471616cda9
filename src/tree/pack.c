// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "tree/pack.h"

#include "base/alloc.h"
#include "math/quaternion.h"
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
	dbvhi_packed_spheres *spheres;
	dbvhi_packed_box *boxes; // DBVHI_WIDTH a node
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

// Lower numbers go in before the upper ones that they are part of.
static void set_lower( dbvhi_packed_box *box, int which, double steps ) {
	box->pair[which / 2] = (int32_t)rint( steps ) & 0xffff;
}

// To the nearest step, or to the next above.
static void set_upper( dbvhi_packed_box *box, int which, double steps, bool up ) {
	const uint32_t lower = (uint32_t)box->pair[which / 2];
	const double above = steps - (double)lower / 65536.0;
	const int32_t upper = (int32_t)( up ? ceil( above ) : rint( above ) );
	box->pair[which / 2] = (int32_t)( (uint32_t)upper << 16 | lower );
}

// The rotation as the numbers hold it. Which of the neighbouring ones is taken does not matter: the box is fitted to what
// it has become.
static void pack_turn( dbvhi_packed_box *box, const dbvhi_mat *axes, double rot_out[3][3] ) {
	double q[4], largest = 0.0;
	dbvhi_quaternion_from_rotation( axes->m, q );
	for ( int k = 0; k < 4; ++k )
		largest = fmax( largest, fabs( q[k] ) );
	for ( int k = 0; k < 4; k += 2 ) {
		set_lower( box, DBVHI_TURN_W + k, q[k] / largest * 32700.0 );
		set_upper( box, DBVHI_TURN_W + k + 1, q[k + 1] / largest * 32700.0, false );
	}
	for ( int k = 0; k < 4; ++k )
		q[k] = dbvhi_packed_number( box, DBVHI_TURN_W + k );
	dbvhi_rotation_from_quaternion( q, rot_out );
}

// The sphere's centre is rounded to float and the box turned a little; both are widened by what that moves them.
static void pack_child( packer *p, uint32_t at, int lane, const opening *child ) {
	dbvhi_packed_spheres *out = &p->spheres[at];
	dbvhi_packed_box *box = &p->boxes[DBVHI_WIDTH * (size_t)at + (size_t)lane];
	const dbvhi_node *node = &p->tree->nodes[child->node];
	const dbvhi_frame *frame = &child->frame;
	const dbvhi_vec sphere = dbvhi_frame_point( frame, node->sphere_inside );
	const double *origin = p->packed->centre;
	double ball[3], shift[3], way[3];
	for ( int k = 0; k < 3; ++k ) {
		ball[k] = sphere.v[k] - origin[k];
		out->centre[k][lane] = (float)ball[k];
	}
	for ( int k = 0; k < 3; ++k ) {
		// Read back through memory: gcc 12 at -O3 used the value from before the rounding here.
		const double rounded = (double)*(volatile float *)&out->centre[k][lane];
		shift[k] = ball[k] - rounded;
		way[k] = frame->origin.v[k] - origin[k] - rounded;
	}
	// What the double positions may be off: products of as many steps as the tree is deep, at sizes up to the root's.
	const double doubt =
		0x1p-44 * ( length3( frame->origin.v ) + length3( sphere.v ) + length3( origin ) ) +
		0x1p-46 * p->tree->depth * ( node->radius + node->half.v[2] ) + 0x1p-44 * p->tree->nodes[0].radius;
	p->extent = fmax( p->extent, length3( ball ) );

	double rot[3][3], offset[3], half[3], radius = node->radius + length3( shift ) + doubt;
	pack_turn( box, &frame->axes, rot );
	double largest = 0.0;
	for ( int i = 0; i < 3; ++i ) {
		offset[i] = way[i];
		half[i] = doubt;
		for ( int j = 0; j < 3; ++j ) {
			const double cosine = rot[0][i] * frame->axes.m[0][j] + rot[1][i] * frame->axes.m[1][j] +
								  rot[2][i] * frame->axes.m[2][j];
			half[i] += fabs( cosine ) * node->half.v[j];
		}
		largest = fmax( largest, fmax( half[i], fabs( offset[i] ) ) );
	}
	// The box is no larger than the sphere, but for roundings where both are tiny beside the mesh.
	radius = fmax( radius, 1.0001 * largest );
	out->radius[lane] = round_up( radius );
	const double step = (double)*(volatile float *)&out->radius[lane] / (double)DBVHI_STEPS;
	// Less than one step for the rounding of the offset, and something for those of the kernel's products.
	for ( int i = 0; i < 3; ++i )
		half[i] = half[i] / step + 1.0;
	set_lower( box, DBVHI_OFFSET_0, offset[0] / step );
	set_upper( box, DBVHI_OFFSET_1, offset[1] / step, false );
	set_lower( box, DBVHI_OFFSET_2, offset[2] / step );
	set_upper( box, DBVHI_HALF_0, half[0], true );
	set_lower( box, DBVHI_HALF_1, ceil( half[1] ) );
	set_upper( box, DBVHI_HALF_2, half[2], true );
}

// The upper half of the bits of a float, counted up. For floats that are neither negative nor close to the largest.
static uint32_t round_up_16( double x ) {
	const float up = round_up( x );
	uint32_t bits;
	memcpy( &bits, &up, sizeof bits );
	return ( bits >> 16 ) + 1;
}

static double longest_edge( const double corners[9] ) {
	double longest = 0.0;
	for ( int i = 0; i < 3; ++i ) {
		double edge[3];
		for ( int k = 0; k < 3; ++k )
			edge[k] = corners[3 * ( ( i + 1 ) % 3 ) + k] - corners[3 * i + k];
		longest = fmax( longest, length3( edge ) );
	}
	return longest;
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
		const double origin = (double)*(volatile float *)&out->origin[k];
		largest = fmax( largest, fmax( high[k] - origin, origin - low[k] ) );
	}
	p->extent = fmax( p->extent, length3( far ) );
	double edge = 0.0;
	for ( uint32_t i = 0; i < triangles.count; ++i )
		edge = fmax( edge, longest_edge( corners + 9 * i ) );
	out->sizes = round_up_16( largest ) << 16 | round_up_16( edge );
	out->first_and_count = triangles.first << 2 | ( triangles.count - 1 );
	for ( int corner = 0; corner < 3; ++corner ) {
		for ( int k = 0; k < 3; ++k ) {
			const double origin = (double)*(volatile float *)&out->origin[k];
			for ( uint32_t lane = 0; lane < DBVHI_WIDTH; ++lane ) {
				const uint32_t i = lane < triangles.count ? lane : 0;
				const double x = corners[9 * i + (uint32_t)( 3 * corner + k )];
				out->corner[corner][k][lane] = (float)( x - p->packed->centre[k] - origin );
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
		dbvhi_packed_box *boxes = &p->boxes[DBVHI_WIDTH * (size_t)at.node];
		memset( &p->spheres[at.node], 0, sizeof p->spheres[0] );
		memset( boxes, 0, DBVHI_WIDTH * sizeof *boxes );
		for ( int lane = count; lane < DBVHI_WIDTH; ++lane )
			p->spheres[at.node].radius[lane] = DBVHI_NO_CHILD;
		for ( int lane = 0; lane < count; ++lane ) {
			const opening *child = &children[lane];
			pack_child( p, at.node, lane, child );
			if ( p->spans[child->node].count <= DBVHI_WIDTH ) {
				boxes[lane].child = ~(int32_t)p->leaf_count;
				pack_leaf( p, &p->leaves[p->leaf_count++], p->spans[child->node] );
			} else {
				boxes[lane].child = (int32_t)p->node_count;
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
	dbvhi_packed_spheres *spheres = dbvhi_alloc( allocator, node_room, sizeof *spheres );
	dbvhi_packed_box *boxes = dbvhi_alloc( allocator, DBVHI_WIDTH * node_room, sizeof *boxes );
	dbvhi_packed_leaf *leaves = dbvhi_alloc( allocator, header.leaf_count, sizeof *leaves );
	dbvh_status status = DBVH_OUT_OF_MEMORY;
	if ( spheres != NULL && boxes != NULL && leaves != NULL ) {
		packer p = {
			.tree = tree, .packed = &header, .spheres = spheres, .boxes = boxes, .leaves = leaves, .spans = spans };
		pack_all( &p, stack );
		header.node_count = p.node_count;
		header.extent = p.extent * ( 1.0 + 0x1p-20 );
		int exponent;
		frexp( header.extent, &exponent );
		header.unit = ldexp( 1.0, 16 - exponent );
		const size_t sphere_bytes = header.node_count * sizeof *spheres;
		const size_t box_bytes = DBVHI_WIDTH * header.node_count * sizeof *boxes;
		header.sphere_offset = align_up( sizeof header );
		header.box_offset = align_up( header.sphere_offset + sphere_bytes );
		header.leaf_offset = align_up( header.box_offset + box_bytes );
		header.bytes = header.leaf_offset + header.leaf_count * sizeof *leaves;
		char *block = dbvhi_alloc( allocator, header.bytes, 1 );
		if ( block != NULL ) {
			memset( block, 0, header.leaf_offset ); // gaps too: equal trees are equal bytes
			memcpy( block, &header, sizeof header );
			memcpy( block + header.sphere_offset, spheres, sphere_bytes );
			memcpy( block + header.box_offset, boxes, box_bytes );
			memcpy( block + header.leaf_offset, leaves, header.leaf_count * sizeof *leaves );
			*packed_out = (dbvhi_packed *)block;
			status = DBVH_OK;
		}
	}
	dbvhi_free( allocator, spheres, node_room, sizeof *spheres );
	dbvhi_free( allocator, boxes, DBVHI_WIDTH * node_room, sizeof *boxes );
	dbvhi_free( allocator, leaves, header.leaf_count, sizeof *leaves );
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
