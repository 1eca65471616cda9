// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "bvh/packed/pack.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "base/inline.h"
#include "base/parallel.h"
#include "bvh/ellipsoid/ellipsoid_test.h"
#include "bvh/tree.h"
#include "math/quaternion.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

// Sizes, and how far out coordinates may lie, that floats can square, with room for poses.
#define SMALLEST 0x1p-40
#define LARGEST 0x1p40
#define U 0x1p-24 // half an ulp of 1.0f

typedef struct packer {
	const dbvh_tree *tree;
	const dbvhi_packed *header;
	dbvhi_packed_spheres *spheres;
	dbvhi_packed_box *boxes; // DBVHI_WIDTH a node
	dbvhi_packed_leaf *leaves;
	uint8_t *marks; // NULL without ellipsoids
	dbvhi_packed_ellipsoid *ellipsoids;
	const uint32_t *ellipsoid_nodes; // of the reference tree, ascending
} packer;

// Up to a float, and one more for good measure, of a number that is not negative.
static float round_up( double x ) {
	DBVHI_ASSERT( x >= 0.0 );
	const float near = (float)( x * ( 1.0 + 2.0 * U ) );
	uint32_t bits;
	memcpy( &bits, &near, sizeof bits );
	bits += 1;
	float next;
	memcpy( &next, &bits, sizeof next );
	return next;
}

static double length3( const double x[3] ) {
	return sqrt( x[0] * x[0] + x[1] * x[1] + x[2] * x[2] );
}

typedef struct opening {
	uint32_t node; // of the reference tree
	dbvhi_frame frame;
} opening;

// Upwards, of a number that is not negative. Both without a call: there are ten a triangle.
static int32_t steps_up( double x ) {
	DBVHI_ASSERT( x >= 0.0 && x < 0x1p31 );
	const int32_t whole = (int32_t)x;
	return whole + ( (double)whole < x );
}

// To within (1/2 + 2^-28) of a step, of numbers below 2^23.
static int32_t nearest_step( double x ) {
	DBVHI_ASSERT( x > -0x1p23 && x < 0x1p23 );
	return (int32_t)( x + 8388608.5 ) - 8388608;
}

// Lower numbers go in before the upper ones that they are part of.
static void set_lower( dbvhi_packed_box *box, int which, int32_t steps ) {
	DBVHI_ASSERT( (unsigned)which < 10 && which % 2 == 0 );
	DBVHI_ASSERT( steps >= INT16_MIN && steps <= INT16_MAX );
	box->pair[which / 2] = steps & 0xffff;
}

// What an upper number has to hold above the lower one.
static double above_lower( const dbvhi_packed_box *box, int which, double steps ) {
	DBVHI_ASSERT( (unsigned)which < 10 && which % 2 == 1 );
	return steps - (double)(uint32_t)box->pair[which / 2] / 65536.0;
}

static void set_upper( dbvhi_packed_box *box, int which, int32_t steps ) {
	DBVHI_ASSERT( (unsigned)which < 10 && which % 2 == 1 );
	DBVHI_ASSERT( steps >= INT16_MIN && steps <= INT16_MAX );
	box->pair[which / 2] = (int32_t)( (uint32_t)steps << 16 | (uint32_t)box->pair[which / 2] );
}

// The rotation as the numbers hold it. Which of the neighbouring ones is taken does not matter: the box is fitted to
// what it has become.
static void pack_turn( dbvhi_packed_box *box, const dbvhi_mat *axes, double rot_out[3][3] ) {
	double q[4], largest = 0.0;
	dbvhi_quaternion_from_rotation( axes->m, q );
	for ( int k = 0; k < 4; ++k )
		largest = dbvhi_larger( largest, fabs( q[k] ) );
	const double scale = 32700.0 / largest;
	for ( int k = 0; k < 4; k += 2 ) {
		const int which = DBVHI_TURN_W + k;
		set_lower( box, which, nearest_step( scale * q[k] ) );
		set_upper( box, which + 1, nearest_step( above_lower( box, which + 1, scale * q[k + 1] ) ) );
	}
	for ( int k = 0; k < 4; ++k )
		q[k] = dbvhi_packed_number( box, DBVHI_TURN_W + k );
	dbvhi_rotation_from_quaternion( q, rot_out );
}

// The sphere's centre is rounded to float and the box turned a little; both are widened by what that moves them.
static void pack_child( const packer *p, uint32_t at, int lane, const opening *child, double *extent ) {
	DBVHI_ASSERT( (unsigned)lane < DBVHI_WIDTH );
	DBVHI_ASSERT( at < p->header->node_count );
	DBVHI_ASSERT( child->node < p->tree->node_count );
	dbvhi_packed_spheres *out = &p->spheres[at];
	dbvhi_packed_box *box = &p->boxes[DBVHI_WIDTH * (size_t)at + (size_t)lane];
	const dbvhi_node *node = &p->tree->nodes[child->node];
	const dbvhi_frame *frame = &child->frame;
	const dbvhi_vec sphere = dbvhi_frame_point( frame, node->sphere_inside );
	const double *origin = p->header->centre;
	double ball[3], shift[3], offset[3];
	for ( int k = 0; k < 3; ++k ) {
		ball[k] = sphere.v[k] - origin[k];
		out->centre[k][lane] = (float)ball[k];
	}
	for ( int k = 0; k < 3; ++k ) {
		// Read back through memory: gcc 12 at -O3 used the value from before the rounding here.
		const double rounded = (double)*(volatile float *)&out->centre[k][lane];
		shift[k] = ball[k] - rounded;
		offset[k] = frame->origin.v[k] - origin[k] - rounded;
	}
	// What the double positions may be off: products of as many steps as the tree is deep, at sizes up to the root's.
	const double doubt = 0x1p-44 * ( length3( frame->origin.v ) + length3( sphere.v ) + length3( origin ) ) +
	                     0x1p-46 * p->tree->depth * ( node->radius + node->half.v[2] ) +
	                     0x1p-44 * p->tree->nodes[0].radius;
	*extent = dbvhi_larger( *extent, length3( ball ) );

	double rot[3][3], half[3], largest = 0.0;
	pack_turn( box, &frame->axes, rot );
	for ( int i = 0; i < 3; ++i ) {
		half[i] = doubt;
		for ( int j = 0; j < 3; ++j ) {
			const double cosine =
			    rot[0][i] * frame->axes.m[0][j] + rot[1][i] * frame->axes.m[1][j] + rot[2][i] * frame->axes.m[2][j];
			half[i] += fabs( cosine ) * node->half.v[j];
		}
		largest = dbvhi_larger( largest, dbvhi_larger( half[i], fabs( offset[i] ) ) );
	}
	// The box is no larger than the sphere, but for roundings where both are tiny beside the mesh.
	out->radius[lane] = round_up( dbvhi_larger( node->radius + length3( shift ) + doubt, 1.0001 * largest ) );
	const double steps = (double)DBVHI_STEPS / (double)*(volatile float *)&out->radius[lane];
	set_lower( box, DBVHI_OFFSET_0, nearest_step( steps * offset[0] ) );
	set_upper( box, DBVHI_OFFSET_1, nearest_step( above_lower( box, DBVHI_OFFSET_1, steps * offset[1] ) ) );
	set_lower( box, DBVHI_OFFSET_2, nearest_step( steps * offset[2] ) );
	// Less than one step for the rounding of the offset, and something for those of the kernel's products.
	set_upper( box, DBVHI_HALF_0, steps_up( above_lower( box, DBVHI_HALF_0, steps * half[0] + 1.0 ) ) );
	set_lower( box, DBVHI_HALF_1, steps_up( steps * half[1] + 1.0 ) );
	set_upper( box, DBVHI_HALF_2, steps_up( above_lower( box, DBVHI_HALF_2, steps * half[2] + 1.0 ) ) );
}

// The upper half of the bits of a float, counted up. For floats that are neither negative nor close to the largest.
static uint32_t round_up_16( double x ) {
	DBVHI_ASSERT( x >= 0.0 );
	const float up = round_up( x );
	uint32_t bits;
	memcpy( &bits, &up, sizeof bits );
	return ( bits >> 16 ) + 1;
}

static double square_of_longest_edge( const double *corners, uint32_t count ) {
	DBVHI_ASSERT( count >= 1 && count <= DBVHI_WIDTH );
	double longest = 0.0;
	for ( uint32_t i = 0; i < count; ++i ) {
		const double *p = corners + 9 * i;
		for ( int corner = 0; corner < 3; ++corner ) {
			const double *q = p + 3 * corner, *r = p + 3 * ( ( corner + 1 ) % 3 );
			const double x = r[0] - q[0], y = r[1] - q[1], z = r[2] - q[2];
			longest = dbvhi_larger( longest, x * x + y * y + z * z );
		}
	}
	return longest;
}

static void pack_leaf( const packer *p, dbvhi_packed_leaf *out, uint32_t first, uint32_t count, double *extent ) {
	DBVHI_ASSERT( count >= 1 && count <= DBVHI_WIDTH );
	DBVHI_ASSERT( (size_t)first + count <= p->tree->triangle_count );
	double corners[9 * DBVHI_WIDTH];
	for ( uint32_t i = 0; i < count; ++i )
		dbvhi_tree_fragment( p->tree, first + i, corners + 9 * i );
	double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
	double x[9][DBVHI_WIDTH];
	for ( uint32_t lane = 0; lane < DBVHI_WIDTH; ++lane ) {
		const double *corner = corners + ( lane < count ? 9 * lane : 0 );
		for ( int i = 0; i < 9; ++i )
			x[i][lane] = corner[i] - p->header->centre[i % 3];
	}
	for ( int i = 0; i < 9; ++i ) {
		for ( int lane = 0; lane < DBVHI_WIDTH; ++lane ) {
			low[i % 3] = x[i][lane] < low[i % 3] ? x[i][lane] : low[i % 3];
			high[i % 3] = x[i][lane] > high[i % 3] ? x[i][lane] : high[i % 3];
		}
	}
	double largest = 0.0, far[3], origin[3];
	for ( int k = 0; k < 3; ++k ) {
		out->origin[k] = (float)( 0.5 * ( low[k] + high[k] ) );
		origin[k] = (double)*(volatile float *)&out->origin[k]; // as above
		far[k] = dbvhi_larger( fabs( low[k] ), fabs( high[k] ) );
		largest = dbvhi_larger( largest, dbvhi_larger( high[k] - origin[k], origin[k] - low[k] ) );
	}
	*extent = dbvhi_larger( *extent, length3( far ) );
	// What corners of fragments are off is charged as a rounding of floats.
	largest += 0x1p24 * p->tree->fragment_error;
	out->sizes = round_up_16( largest ) << 16 | round_up_16( sqrt( square_of_longest_edge( corners, count ) ) );
	out->first_and_count = first << 2 | ( count - 1 );
	for ( int i = 0; i < 9; ++i ) {
		for ( int lane = 0; lane < DBVHI_WIDTH; ++lane )
			out->corner[i / 3][i % 3][lane] = (float)( x[i][lane] - origin[i % 3] );
	}
}

// From the node's own frame into the mesh's axes, and as much larger as is lost on the way.
static void pack_ellipsoid( const packer *p, dbvhi_packed_ellipsoid *out, const opening *at ) {
	const dbvhi_node *node = &p->tree->nodes[at->node];
	const dbvhi_node_ellipsoid *e = &p->tree->ellipsoids[p->tree->ellipsoid_at[at->node]];
	const dbvhi_vec centre = dbvhi_frame_point( &at->frame, e->reach.centre );
	for ( int i = 0; i < 3; ++i ) {
		out->reach.centre.v[i] = centre.v[i] - p->header->centre[i];
		for ( int j = 0; j < 3; ++j )
			out->to_ball.m[i][j] = e->to_ball.m[i][0] * at->frame.axes.m[j][0] +
			                       e->to_ball.m[i][1] * at->frame.axes.m[j][1] +
			                       e->to_ball.m[i][2] * at->frame.axes.m[j][2];
	}
	dbvhi_shape_turn( &at->frame.axes, e->reach.shape, out->reach.shape );
	double farthest = 1.0;
	for ( size_t i = 3 * (size_t)node->low; i < 3 * ( (size_t)node->low + node->total ); ++i )
		farthest = dbvhi_larger( farthest, dbvhi_packed_ellipsoid_reached( p->header, out, p->tree->corners + 3 * i ) );
	farthest *= 1.0 + 0x1p-40;
	for ( int k = 0; k < 9; ++k )
		( &out->to_ball.m[0][0] )[k] /= farthest;
	for ( int k = 0; k < 6; ++k )
		out->reach.shape[k] *= farthest * farthest;
	out->reach.longest = e->reach.longest * farthest * ( 1.0 + 0x1p-40 );
}

// Marks a packed node that has an ellipsoid.
static void pack_mark( const packer *p, uint32_t packed_node, const opening *at ) {
	DBVHI_ASSERT( packed_node < p->header->node_count );
	p->marks[packed_node] = 0;
	for ( uint32_t i = 0; i < p->header->ellipsoid_count; ++i ) {
		if ( p->ellipsoid_nodes[i] == at->node ) {
			p->marks[packed_node] = (uint8_t)( i + 1 );
			pack_ellipsoid( p, &p->ellipsoids[i], at );
		}
	}
}

static uint32_t find_ellipsoids( const dbvh_tree *tree, uint32_t nodes_out[DBVHI_ELLIPSOIDS_MOST] ) {
	uint32_t count = 0;
	for ( size_t i = 0; i < tree->node_count && tree->ellipsoid_packed > 0; ++i ) {
		const uint32_t at = tree->ellipsoid_at[i];
		if ( at != DBVHI_NO_ELLIPSOID && tree->ellipsoids[at].packed )
			nodes_out[count++] = (uint32_t)i;
	}
	return count;
}

static int is_leaf( const packer *p, uint32_t node ) {
	DBVHI_ASSERT( node < p->tree->node_count );
	return p->tree->nodes[node].total <= DBVHI_WIDTH;
}

// Below so many triangles, of two full leaves a child, a packed node is filled from one side: its leaves' own nodes
// would otherwise be half empty.
#define FILL 32

// Which of the open children is replaced by its own two; -1 if none. The largest that can be; near the leaves the one
// of the fewest triangles.
static int next_to_open( const packer *p, uint32_t root, const uint32_t *open, int count ) {
	DBVHI_ASSERT( count >= 1 && count <= DBVHI_WIDTH );
	const dbvhi_node *nodes = p->tree->nodes;
	const bool fill = nodes[root].total <= FILL;
	int best = -1;
	for ( int i = 0; i < count; ++i ) {
		if ( is_leaf( p, open[i] ) )
			continue;
		if ( best < 0 || ( fill ? nodes[open[i]].total < nodes[open[best]].total
		                        : nodes[open[i]].radius > nodes[open[best]].radius ) )
			best = i;
	}
	return best;
}

// The nodes that become the children of a packed node: starting from the binary node itself, until there are four.
static int open_children( const packer *p, uint32_t root, uint32_t out[DBVHI_WIDTH] ) {
	int count = 0;
	out[count++] = root;
	while ( count < DBVHI_WIDTH ) {
		const int best = next_to_open( p, root, out, count );
		if ( best < 0 )
			break;
		const uint32_t first = p->tree->nodes[out[best]].first;
		out[best] = first;
		out[count++] = first + 1;
	}
	return count;
}

// The same with frames.
static int open_frames( const packer *p, const opening *root, opening out[DBVHI_WIDTH] ) {
	const dbvhi_node *nodes = p->tree->nodes;
	uint32_t open[DBVHI_WIDTH];
	int count = 0;
	open[count] = root->node;
	out[count++] = *root;
	while ( count < DBVHI_WIDTH ) {
		const int best = next_to_open( p, root->node, open, count );
		if ( best < 0 )
			break;
		const dbvhi_frame parent = out[best].frame;
		const uint32_t first = nodes[open[best]].first;
		open[best] = first;
		open[count] = first + 1;
		out[best] = ( opening ){ first, dbvhi_frame_step( &parent, &nodes[first] ) };
		out[count++] = ( opening ){ first + 1, dbvhi_frame_step( &parent, &nodes[first + 1] ) };
	}
	return count;
}

// The tree is packed in pieces: the subtrees that are small enough, and the top above them. Each is walked depth first,
// so that a node's descendants lie near it, once to count and once to fill, and all but the top on any thread. What the
// pieces are does not depend on the number of threads.
typedef struct piece {
	opening root;
	uint32_t depth; // of its root
	uint32_t first_node, first_leaf;
	uint32_t node_count, leaf_count, deepest;
	double extent;
} piece;

#define MAX_PIECES 1024

typedef struct pending {
	uint32_t node; // packed, to be filled
	uint32_t depth;
	opening from;
} pending;

typedef struct packing {
	packer p;
	piece top;
	piece *pieces;
	uint32_t piece_count;
	uint32_t limit; // of triangles in a piece
	pending *stacks;
	size_t stack_room; // for each thread: three entries a level
} packing;

static int is_piece( const packing *k, const piece *part, uint32_t node ) {
	return part == &k->top && k->p.tree->nodes[node].total <= k->limit;
}

// In the order of fill_piece(). Finds the pieces below the top, too; false if there are too many.
static bool count_piece( packing *k, piece *part, pending *stack ) {
	const packer *p = &k->p;
	uint32_t top = 0;
	part->node_count = 1;
	part->leaf_count = 0;
	part->deepest = 0;
	stack[top].depth = part->depth;
	stack[top++].from.node = part->root.node;
	while ( top > 0 ) {
		const uint32_t node = stack[--top].from.node, depth = stack[top].depth;
		part->deepest = depth > part->deepest ? depth : part->deepest;
		uint32_t children[DBVHI_WIDTH];
		const int count = open_children( p, node, children );
		for ( int lane = 0; lane < count; ++lane ) {
			if ( is_leaf( p, children[lane] ) ) {
				part->leaf_count += 1;
			} else if ( is_piece( k, part, children[lane] ) ) {
				if ( k->piece_count == MAX_PIECES )
					return false;
				k->pieces[k->piece_count].depth = depth + 1;
				k->pieces[k->piece_count++].root.node = children[lane];
			} else {
				part->node_count += 1;
				stack[top].depth = depth + 1;
				stack[top++].from.node = children[lane];
			}
		}
	}
	return true;
}

static void fill_piece( packing *k, piece *part, pending *stack ) {
	const packer *p = &k->p;
	uint32_t top = 0, next_node = part->first_node + 1, next_leaf = part->first_leaf, next_piece = 0;
	part->extent = 0.0;
	stack[top++] = ( pending ){ part->first_node, 0, part->root };
	while ( top > 0 ) {
		const pending at = stack[--top];
		opening children[DBVHI_WIDTH];
		const int count = open_frames( p, &at.from, children );
		dbvhi_packed_box *boxes = &p->boxes[DBVHI_WIDTH * (size_t)at.node];
		if ( p->marks != NULL )
			pack_mark( p, at.node, &at.from );
		memset( &p->spheres[at.node], 0, sizeof p->spheres[0] );
		memset( boxes, 0, DBVHI_WIDTH * sizeof *boxes );
		for ( int lane = count; lane < DBVHI_WIDTH; ++lane )
			p->spheres[at.node].radius[lane] = DBVHI_NO_CHILD;
		for ( int lane = 0; lane < count; ++lane ) {
			const dbvhi_node *node = &p->tree->nodes[children[lane].node];
			pack_child( p, at.node, lane, &children[lane], &part->extent );
			if ( is_leaf( p, children[lane].node ) ) {
				boxes[lane].child = ~(int32_t)next_leaf;
				pack_leaf( p, &p->leaves[next_leaf++], node->low, node->total, &part->extent );
			} else if ( is_piece( k, part, children[lane].node ) ) {
				k->pieces[next_piece].root = children[lane];
				boxes[lane].child = (int32_t)k->pieces[next_piece++].first_node;
			} else {
				boxes[lane].child = (int32_t)next_node;
				stack[top++] = ( pending ){ next_node++, 0, children[lane] };
			}
		}
	}
}

static void count_task( void *context, size_t index, uint32_t thread ) {
	packing *k = context;
	count_piece( k, &k->pieces[index], k->stacks + thread * k->stack_room );
}

static void fill_task( void *context, size_t index, uint32_t thread ) {
	packing *k = context;
	fill_piece( k, &k->pieces[index], k->stacks + thread * k->stack_room );
}

static size_t align_up( size_t x ) {
	return ( x + DBVHI_ALIGNMENT - 1 ) / DBVHI_ALIGNMENT * DBVHI_ALIGNMENT;
}

// Where the parts lie, from their numbers.
static void lay_out( dbvhi_packed *header ) {
	const size_t nodes = header->node_count;
	header->sphere_offset = align_up( sizeof *header );
	header->box_offset = align_up( header->sphere_offset + nodes * sizeof( dbvhi_packed_spheres ) );
	header->leaf_offset = align_up( header->box_offset + DBVHI_WIDTH * nodes * sizeof( dbvhi_packed_box ) );
	header->bytes = header->leaf_offset + header->leaf_count * sizeof( dbvhi_packed_leaf );
	if ( header->ellipsoid_count > 0 ) {
		header->mark_offset = align_up( header->bytes );
		header->ellipsoid_offset = align_up( header->mark_offset + nodes );
		header->bytes = header->ellipsoid_offset + header->ellipsoid_count * sizeof( dbvhi_packed_ellipsoid );
	}
}

double dbvhi_packed_unit( double extent ) {
	DBVHI_ASSERT( extent >= 0.0 );
	int exponent;
	frexp( extent, &exponent );
	return ldexp( 1.0, 16 - exponent );
}

static dbvh_status pack_with( packing *k, uint32_t thread_count, dbvhi_packed **packed_out ) {
	DBVHI_ASSERT( thread_count >= 1 );
	const dbvh_tree *tree = k->p.tree;
	dbvhi_packed header = { .version = DBVHI_PACKED_VERSION, .content_hash = tree->hash };
	memcpy( header.centre, tree->nodes[0].pos.v, sizeof header.centre );

	const dbvhi_frame mesh = dbvhi_frame_mesh();
	k->top = ( piece ){ .root = { 0, dbvhi_frame_step( &mesh, &tree->nodes[0] ) }, .depth = 1 };
	k->limit = (uint32_t)( tree->triangle_count / 64 > 1024 ? tree->triangle_count / 64 : 1024 );
	if ( !count_piece( k, &k->top, k->stacks ) ) {
		k->limit = 0; // so unbalanced that the top would be in too many pieces: all in one
		k->piece_count = 0;
		count_piece( k, &k->top, k->stacks );
	}
	dbvhi_parallel_for( k->piece_count, 1, thread_count, count_task, k );
	header.node_count = k->top.node_count;
	header.leaf_count = k->top.leaf_count;
	header.depth = k->top.deepest;
	for ( uint32_t i = 0; i < k->piece_count; ++i ) {
		piece *part = &k->pieces[i];
		part->first_node = header.node_count;
		part->first_leaf = header.leaf_count;
		header.node_count += part->node_count;
		header.leaf_count += part->leaf_count;
		header.depth = part->deepest > header.depth ? part->deepest : header.depth;
	}
	uint32_t ellipsoid_nodes[DBVHI_ELLIPSOIDS_MOST];
	header.ellipsoid_count = find_ellipsoids( tree, ellipsoid_nodes );
	k->p.ellipsoid_nodes = ellipsoid_nodes;
	lay_out( &header );
	char *block = dbvhi_alloc( &tree->allocator, header.bytes, 1 );
	if ( block == NULL )
		return DBVH_OUT_OF_MEMORY;
	const size_t boxes_end = header.box_offset + DBVHI_WIDTH * header.node_count * sizeof( dbvhi_packed_box );
	const size_t leaves_end = header.leaf_offset + header.leaf_count * sizeof( dbvhi_packed_leaf );
	memset( block, 0, header.sphere_offset ); // gaps too: equal trees are equal bytes
	memset( block + boxes_end, 0, header.leaf_offset - boxes_end );
	k->p.header = &header;
	k->p.spheres = (dbvhi_packed_spheres *)( block + header.sphere_offset );
	k->p.boxes = (dbvhi_packed_box *)( block + header.box_offset );
	k->p.leaves = (dbvhi_packed_leaf *)( block + header.leaf_offset );
	if ( header.ellipsoid_count > 0 ) {
		memset( block + leaves_end, 0, header.ellipsoid_offset - leaves_end );
		k->p.marks = (uint8_t *)block + header.mark_offset;
		k->p.ellipsoids = (dbvhi_packed_ellipsoid *)( block + header.ellipsoid_offset );
	}
	fill_piece( k, &k->top, k->stacks );
	dbvhi_parallel_for( k->piece_count, 1, thread_count, fill_task, k );
	double extent = k->top.extent;
	for ( uint32_t i = 0; i < k->piece_count; ++i )
		extent = dbvhi_larger( extent, k->pieces[i].extent );
	header.extent = extent * ( 1.0 + 0x1p-20 );
	header.unit = dbvhi_packed_unit( header.extent );
	memcpy( block, &header, sizeof header );
	*packed_out = (dbvhi_packed *)block;
	return DBVH_OK;
}

static bool can_be_packed( const dbvh_tree *tree ) {
	const dbvhi_node *root = &tree->nodes[0];
	return root->radius >= SMALLEST && root->radius <= LARGEST && tree->largest <= LARGEST &&
	       tree->options.leaf_size <= DBVHI_WIDTH;
}

int dbvhi_packed_children( const dbvh_tree *tree, uint32_t node, uint32_t children_out[DBVHI_WIDTH] ) {
	DBVHI_ASSERT( node < tree->node_count );
	const packer p = { .tree = tree };
	return open_children( &p, node, children_out );
}

// A node of the reference tree, and how deep the packed node is that it becomes.
typedef struct planned {
	uint32_t node, depth;
} planned;

dbvh_status dbvhi_packed_plan( const dbvh_tree *tree, dbvhi_packed *plan ) {
	*plan = ( dbvhi_packed ){ .version = DBVHI_PACKED_VERSION };
	if ( !can_be_packed( tree ) )
		return DBVH_OK;
	const packer p = { .tree = tree };
	const size_t room = 3 * (size_t)tree->depth + 4;
	planned *stack = dbvhi_alloc( &tree->allocator, room, sizeof *stack );
	if ( stack == NULL )
		return DBVH_OUT_OF_MEMORY;
	size_t top = 0;
	stack[top++] = ( planned ){ 0, 1 };
	while ( top > 0 ) {
		const planned at = stack[--top];
		plan->node_count += 1;
		plan->depth = at.depth > plan->depth ? at.depth : plan->depth;
		uint32_t children[DBVHI_WIDTH];
		const int count = open_children( &p, at.node, children );
		for ( int i = 0; i < count; ++i ) {
			if ( is_leaf( &p, children[i] ) )
				plan->leaf_count += 1;
			else
				stack[top++] = ( planned ){ children[i], at.depth + 1 };
		}
	}
	dbvhi_free( &tree->allocator, stack, room, sizeof *stack );
	plan->content_hash = tree->hash;
	plan->ellipsoid_count = (uint32_t)tree->ellipsoid_packed;
	memcpy( plan->centre, tree->nodes[0].pos.v, sizeof plan->centre );
	lay_out( plan );
	return DBVH_OK;
}

dbvh_status dbvhi_packed_nodes( const dbvh_tree *tree, uint64_t *bits ) {
	if ( !can_be_packed( tree ) )
		return DBVH_OK;
	const packer p = { .tree = tree };
	const size_t room = 3 * (size_t)tree->depth + 4;
	uint32_t *stack = dbvhi_alloc( &tree->allocator, room, sizeof *stack );
	if ( stack == NULL )
		return DBVH_OUT_OF_MEMORY;
	size_t top = 0;
	stack[top++] = 0;
	while ( top > 0 ) {
		const uint32_t node = stack[--top];
		bits[node / 64] |= UINT64_C( 1 ) << node % 64;
		uint32_t children[DBVHI_WIDTH];
		const int count = open_children( &p, node, children );
		for ( int i = 0; i < count; ++i ) {
			if ( !is_leaf( &p, children[i] ) )
				stack[top++] = children[i];
		}
	}
	dbvhi_free( &tree->allocator, stack, room, sizeof *stack );
	return DBVH_OK;
}

dbvh_status dbvhi_pack( const dbvh_tree *tree, uint32_t thread_count, dbvhi_packed **packed_out ) {
	*packed_out = NULL;
	if ( !can_be_packed( tree ) )
		return DBVH_OK;

	const dbvh_allocator *allocator = &tree->allocator;
	// Small meshes are not worth waking threads for.
	const uint32_t threads = tree->triangle_count < 4096 ? 1 : thread_count;
	packing k = { .p = { .tree = tree }, .stack_room = 3 * (size_t)tree->depth + 4 };
	const size_t stacks = k.stack_room * threads;
	k.pieces = dbvhi_alloc( allocator, MAX_PIECES, sizeof( piece ) );
	k.stacks = dbvhi_alloc( allocator, stacks, sizeof( pending ) );
	dbvh_status status = DBVH_OUT_OF_MEMORY;
	if ( k.pieces != NULL && k.stacks != NULL )
		status = pack_with( &k, threads, packed_out );
	dbvhi_free( allocator, k.stacks, stacks, sizeof( pending ) );
	dbvhi_free( allocator, k.pieces, MAX_PIECES, sizeof( piece ) );
	return status;
}
