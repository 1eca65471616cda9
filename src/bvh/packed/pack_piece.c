// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "bvh/packed/pack_piece.h"

#include "base/assert.h"
#include "base/inline.h"
#include "bvh/fragment.h"
#include "math/quaternion.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define U 0x1p-24 // half an ulp of 1.0f

// Rounds a nonnegative number up to a float, plus one unit in the last place to be safe.
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

// Rounds a nonnegative number up. Both roundings avoid a library call, because there are ten a triangle.
static int32_t steps_up( double x ) {
	DBVHI_ASSERT( x >= 0.0 && x < 0x1p31 );
	const int32_t whole = (int32_t)x;
	return whole + ( (double)whole < x );
}

// Rounds to within 1/2 + 2^-28 of a step, for numbers below 2^23.
static int32_t nearest_step( double x ) {
	DBVHI_ASSERT( x > -0x1p23 && x < 0x1p23 );
	return (int32_t)( x + 8388608.5 ) - 8388608;
}

// Stores a lower number of a pair; must precede the upper one, whose value includes it.
static void set_lower( dbvhi_packed_box *box, int which, int32_t steps ) {
	DBVHI_ASSERT( (unsigned)which < 10 && which % 2 == 0 );
	DBVHI_ASSERT( steps >= INT16_MIN && steps <= INT16_MAX );
	box->pair[which / 2] = steps & 0xffff;
}

// Returns what the upper number of a pair has to hold, given the lower one.
static double above_lower( const dbvhi_packed_box *box, int which, double steps ) {
	DBVHI_ASSERT( (unsigned)which < 10 && which % 2 == 1 );
	return steps - (double)(uint32_t)box->pair[which / 2] / 65536.0;
}

static void set_upper( dbvhi_packed_box *box, int which, int32_t steps ) {
	DBVHI_ASSERT( (unsigned)which < 10 && which % 2 == 1 );
	DBVHI_ASSERT( steps >= INT16_MIN && steps <= INT16_MAX );
	box->pair[which / 2] = (int32_t)( (uint32_t)steps << 16 | (uint32_t)box->pair[which / 2] );
}

// note: any neighbouring quaternion would do, since the box is fitted to the stored one.
void dbvhi_pack_turn( dbvhi_packed_box *box, const dbvhi_mat *axes, double rot_out[3][3] ) {
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

void dbvhi_pack_lengths( dbvhi_packed_spheres *out, dbvhi_packed_box *box, int lane, const double half[3],
                         const double offset[3], double radius ) {
	double largest = 0.0;
	for ( int i = 0; i < 3; ++i )
		largest = dbvhi_larger( largest, dbvhi_larger( half[i], fabs( offset[i] ) ) );
	// note: the box fits the sphere except for rounding where both are tiny beside the mesh.
	out->radius[lane] = round_up( dbvhi_larger( radius, 1.0001 * largest ) );
	const double steps = (double)DBVHI_STEPS / (double)*(volatile float *)&out->radius[lane];
	set_lower( box, DBVHI_OFFSET_0, nearest_step( steps * offset[0] ) );
	set_upper( box, DBVHI_OFFSET_1, nearest_step( above_lower( box, DBVHI_OFFSET_1, steps * offset[1] ) ) );
	set_lower( box, DBVHI_OFFSET_2, nearest_step( steps * offset[2] ) );
	// Adds a step: less than one is the rounding of the offset, the rest covers the rounding of the kernel's products.
	set_upper( box, DBVHI_HALF_0, steps_up( above_lower( box, DBVHI_HALF_0, steps * half[0] + 1.0 ) ) );
	set_lower( box, DBVHI_HALF_1, steps_up( steps * half[1] + 1.0 ) );
	set_upper( box, DBVHI_HALF_2, steps_up( above_lower( box, DBVHI_HALF_2, steps * half[2] + 1.0 ) ) );
}

// The sphere's centre is rounded to float and the box turned by the rounded quaternion; both volumes grow by that
// motion.
void dbvhi_pack_child( const dbvhi_packer *p, const dbvhi_node *node, const dbvhi_frame *frame, uint32_t depth,
                       dbvhi_packed_spheres *out, dbvhi_packed_box *box, int lane, double *extent ) {
	DBVHI_ASSERT( (unsigned)lane < DBVHI_WIDTH );
	const dbvhi_vec sphere = dbvhi_frame_point( frame, node->sphere_inside );
	const double *origin = p->centre;
	double ball[3], shift[3], offset[3];
	for ( int k = 0; k < 3; ++k ) {
		ball[k] = sphere.v[k] - origin[k];
		out->centre[k][lane] = (float)ball[k];
	}
	for ( int k = 0; k < 3; ++k ) {
		// note: volatile, because gcc 12 at -O3 used the value from before the rounding here.
		const double rounded = (double)*(volatile float *)&out->centre[k][lane];
		shift[k] = ball[k] - rounded;
		offset[k] = frame->origin.v[k] - origin[k] - rounded;
	}
	const double radius = node->radius + p->widening;
	double wide[3];
	for ( int k = 0; k < 3; ++k )
		wide[k] = node->half.v[k] + p->widening;
	const double longest = dbvhi_larger( dbvhi_larger( wide[0], wide[1] ), wide[2] ); // the extents need not be sorted
	// The error of the positions in doubles: products of as many steps as the node is deep, at sizes up to the root's.
	const double doubt = 0x1p-44 * ( length3( frame->origin.v ) + length3( sphere.v ) + length3( origin ) ) +
	                     0x1p-46 * depth * ( radius + longest ) + 0x1p-44 * p->root_radius +
	                     ( p->is_scaled ? DBVHI_SCALED_LEAST : 0.0 );
	*extent = dbvhi_larger( *extent, length3( ball ) );

	double rot[3][3], half[3];
	dbvhi_pack_turn( box, &frame->axes, rot );
	for ( int i = 0; i < 3; ++i ) {
		half[i] = doubt;
		for ( int j = 0; j < 3; ++j ) {
			const double cosine =
			    rot[0][i] * frame->axes.m[0][j] + rot[1][i] * frame->axes.m[1][j] + rot[2][i] * frame->axes.m[2][j];
			half[i] += fabs( cosine ) * wide[j];
		}
	}
	dbvhi_pack_lengths( out, box, lane, half, offset, radius + length3( shift ) + doubt );
}

// Rounds up to the upper 16 bits of a float. For numbers neither negative nor close to the largest float.
static uint32_t round_up_16( double x ) {
	DBVHI_ASSERT( x >= 0.0 );
	const float up = round_up( x );
	uint32_t bits;
	memcpy( &bits, &up, sizeof bits );
	return ( bits >> 16 ) + 1;
}

void dbvhi_gather_leaf( const dbvhi_packer *p, uint32_t first, uint32_t count, dbvhi_leaf_corners *out ) {
	DBVHI_ASSERT( count >= 1 && count <= DBVHI_WIDTH );
	DBVHI_ASSERT( first >= p->low );
	if ( p->corners == NULL && p->fragment == NULL && !p->is_scaled ) {
		dbvhi_leaf_table[dbvhi_isa_level()]->gather( p->vertices, p->corner + 3 * (size_t)first, count, p->centre,
		                                             out );
		return;
	}
	out->error = p->fragment_error;
	for ( uint32_t lane = 0; lane < DBVHI_WIDTH; ++lane ) {
		const size_t leaf_index = (size_t)first + ( lane < count ? lane : 0 );
		const double *at[3];
		double whole[9], part[9], scaled[9];
		for ( size_t corner = 0; corner < 3; ++corner )
			at[corner] = p->corners != NULL ? p->corners + 9 * ( leaf_index - p->low ) + 3 * corner
			                                : p->vertices + 3 * (size_t)p->corner[3 * leaf_index + corner];
		if ( p->fragment != NULL && p->fragment[leaf_index - p->low] != DBVHI_WHOLE ) {
			for ( size_t corner = 0; corner < 3; ++corner ) {
				memcpy( whole + 3 * corner, at[corner], 3 * sizeof( double ) );
				at[corner] = part + 3 * corner;
			}
			dbvhi_fragment_corners( whole, p->fragment[leaf_index - p->low], part );
		}
		for ( size_t corner = 0; p->is_scaled && corner < 3; ++corner ) {
			for ( size_t k = 0; k < 3; ++k )
				scaled[3 * corner + k] = dbvhi_times_power( p->down, at[corner][k] );
			at[corner] = scaled + 3 * corner;
		}
		for ( size_t corner = 0; corner < 3; ++corner ) {
			for ( size_t k = 0; k < 3; ++k )
				out->x[3 * corner + k][lane] = at[corner][k] - p->centre[k];
		}
	}
}

// LEAST_CORNER: a corner that is a subnormal float is off by 2^-150 at most, which as a rounding of floats is one of
// 2^-126.
#define LEAST_CORNER 0x1p-120

void dbvhi_pack_leaf( const dbvhi_leaf_isa *isa, const dbvhi_leaf_corners *corners, uint32_t first, uint32_t count,
                      dbvhi_packed_leaf *out, double *extent ) {
	DBVHI_ASSERT( count >= 1 && count <= DBVHI_WIDTH );
	dbvhi_leaf_size size;
	isa->pack( corners, out, &size );
	const double far = length3( size.far );
	*extent = dbvhi_larger( *extent, far );
	// Differences of corners inherit the rounding of both relative to the centre. That error and the error of fragments
	// are charged as a rounding of floats (2^-24 of `largest`).
	const double largest = size.largest + 0x1p24 * corners->error + 0x1p-28 * far + LEAST_CORNER;
	out->sizes = round_up_16( largest ) << 16 | round_up_16( size.edge + 0x1p-49 * far );
	out->first_and_count = first << 2 | ( count - 1 );
}

static void pack_leaf( const dbvhi_packer *p, dbvhi_packed_leaf *out, uint32_t first, uint32_t count, double *extent ) {
	dbvhi_leaf_corners corners;
	dbvhi_gather_leaf( p, first, count, &corners );
	dbvhi_pack_leaf( dbvhi_leaf_table[dbvhi_isa_level()], &corners, first, count, out, extent );
}

static bool is_leaf( const dbvhi_packer *p, uint32_t node ) {
	return p->nodes[node].total <= DBVHI_WIDTH;
}

// FILL: at most this many triangles, two full leaves a child, and a packed node is filled from one side; otherwise the
// nodes of its leaves would be half empty.
#define FILL 32

int dbvhi_next_to_open( uint32_t total, const dbvhi_openable *open, int count ) {
	DBVHI_ASSERT( count >= 1 && count <= DBVHI_WIDTH );
	const bool fill = total <= FILL;
	const uint32_t least = total > DBVHI_PIECE ? DBVHI_PIECE_LEAST : DBVHI_WIDTH;
	int best = -1;
	for ( int i = 0; i < count; ++i ) {
		if ( open[i].total <= least )
			continue;
		if ( best < 0 || ( fill ? open[i].total < open[best].total : open[i].radius > open[best].radius ) )
			best = i;
	}
	return best;
}

static dbvhi_openable openable( const dbvhi_packer *p, uint32_t node ) {
	return ( dbvhi_openable ){ p->nodes[node].total, p->nodes[node].radius + p->widening };
}

int dbvhi_open_children( const dbvhi_packer *p, uint32_t root, uint32_t out[DBVHI_WIDTH] ) {
	dbvhi_openable open[DBVHI_WIDTH] = { openable( p, root ) };
	int count = 0;
	out[count++] = root;
	while ( count < DBVHI_WIDTH ) {
		const int best = dbvhi_next_to_open( p->nodes[root].total, open, count );
		if ( best < 0 )
			break;
		const uint32_t first = p->nodes[out[best]].first;
		out[best] = first;
		open[best] = openable( p, first );
		open[count] = openable( p, first + 1 );
		out[count++] = first + 1;
	}
	return count;
}

static dbvhi_opening opening_below( const dbvhi_packer *p, const dbvhi_opening *parent, uint32_t node ) {
	return ( dbvhi_opening ){ node, parent->steps + 1, dbvhi_frame_step( &parent->frame, &p->nodes[node] ) };
}

int dbvhi_open_frames( const dbvhi_packer *p, const dbvhi_opening *root, dbvhi_opening out[DBVHI_WIDTH] ) {
	dbvhi_openable open[DBVHI_WIDTH] = { openable( p, root->node ) };
	int count = 0;
	out[count++] = *root;
	while ( count < DBVHI_WIDTH ) {
		const int best = dbvhi_next_to_open( p->nodes[root->node].total, open, count );
		if ( best < 0 )
			break;
		const dbvhi_opening parent = out[best];
		const uint32_t first = p->nodes[parent.node].first;
		out[best] = opening_below( p, &parent, first );
		open[best] = openable( p, first );
		open[count] = openable( p, first + 1 );
		out[count++] = opening_below( p, &parent, first + 1 );
	}
	return count;
}

// ------------------------------------------------------------------------------------------------
// The walk over a piece, and over the top, which ends at leaves and at the roots of pieces.

static bool is_piece( const dbvhi_packer *p, uint32_t node ) {
	return p->nodes[0].total > DBVHI_PIECE && p->nodes[node].total <= DBVHI_PIECE;
}

typedef struct counts {
	uint32_t nodes, leaves, deepest;
} counts;

static void note_piece( dbvhi_top *top, uint32_t node, uint32_t depth ) {
	if ( top->pieces != NULL ) {
		top->pieces[top->piece_count].root.node = node;
		top->pieces[top->piece_count].depth = depth;
	}
	top->piece_count += 1;
}

// Counts in the order of fill().
static counts count( const dbvhi_packer *p, uint32_t root, dbvhi_top *top, dbvhi_pending *stack ) {
	counts c = { .nodes = 1 };
	uint32_t height = 0;
	stack[height].depth = 1;
	stack[height++].from.node = root;
	while ( height > 0 ) {
		const uint32_t node = stack[--height].from.node, depth = stack[height].depth;
		c.deepest = depth > c.deepest ? depth : c.deepest;
		uint32_t children[DBVHI_WIDTH];
		const int child_count = dbvhi_open_children( p, node, children );
		for ( int lane = 0; lane < child_count; ++lane ) {
			if ( is_leaf( p, children[lane] ) ) {
				c.leaves += 1;
			} else if ( top != NULL && is_piece( p, children[lane] ) ) {
				note_piece( top, children[lane], depth + 1 );
			} else {
				c.nodes += 1;
				stack[height].depth = depth + 1;
				stack[height++].from.node = children[lane];
			}
		}
	}
	return c;
}

void dbvhi_count_piece( const dbvhi_packer *p, dbvhi_piece *piece, dbvhi_pending *stack ) {
	const counts c = count( p, piece->root.node, NULL, stack );
	piece->node_count = c.nodes;
	piece->leaf_count = c.leaves;
	piece->deepest = c.deepest;
}

void dbvhi_count_top( const dbvhi_packer *p, dbvhi_top *top, dbvhi_pending *stack ) {
	top->piece_count = 0;
	const counts c = count( p, 0, top, stack );
	top->node_count = c.nodes;
	top->leaf_count = c.leaves;
	top->deepest = c.deepest;
}

void dbvhi_clear_packed_node( dbvhi_packed_spheres *spheres, dbvhi_packed_box boxes[DBVHI_WIDTH] ) {
	memset( spheres, 0, sizeof *spheres );
	memset( boxes, 0, DBVHI_WIDTH * sizeof *boxes );
	for ( int lane = 0; lane < DBVHI_WIDTH; ++lane )
		spheres->radius[lane] = DBVHI_NO_CHILD;
}

// The root of a part of the block and where the part begins.
typedef struct part {
	dbvhi_opening root;
	uint32_t first_node, first_leaf;
} part;

static void fill( const dbvhi_packer *p, const part *from, dbvhi_top *top, double *extent,
                  const dbvhi_packed_arrays *out, dbvhi_packed_visitor *visit, void *context, dbvhi_pending *stack ) {
	uint32_t height = 0, next_node = from->first_node + 1, next_leaf = from->first_leaf, next_piece = 0;
	stack[height++] = ( dbvhi_pending ){ from->first_node, 0, from->root };
	while ( height > 0 ) {
		const dbvhi_pending at = stack[--height];
		dbvhi_opening children[DBVHI_WIDTH];
		const int child_count = dbvhi_open_frames( p, &at.from, children );
		dbvhi_packed_spheres *spheres = &out->spheres[at.node];
		dbvhi_packed_box *boxes = &out->boxes[DBVHI_WIDTH * (size_t)at.node];
		if ( visit != NULL )
			visit( context, at.node, &at.from );
		dbvhi_clear_packed_node( spheres, boxes );
		for ( int lane = 0; lane < child_count; ++lane ) {
			const dbvhi_node *node = &p->nodes[children[lane].node];
			dbvhi_pack_child( p, node, &children[lane].frame, children[lane].steps, spheres, &boxes[lane], lane,
			                  extent );
			if ( is_leaf( p, children[lane].node ) ) {
				boxes[lane].child = ~(int32_t)next_leaf;
				pack_leaf( p, &out->leaves[next_leaf++], node->low, node->total, extent );
			} else if ( top != NULL && is_piece( p, children[lane].node ) ) {
				DBVHI_ASSERT( top->pieces[next_piece].root.node == children[lane].node );
				top->pieces[next_piece].root = children[lane];
				boxes[lane].child = (int32_t)top->pieces[next_piece++].first_node;
			} else {
				boxes[lane].child = (int32_t)next_node;
				stack[height++] = ( dbvhi_pending ){ next_node++, 0, children[lane] };
			}
		}
	}
}

void dbvhi_fill_piece( const dbvhi_packer *p, dbvhi_piece *piece, const dbvhi_packed_arrays *out,
                       dbvhi_packed_visitor *visit, void *context, dbvhi_pending *stack ) {
	const part from = { piece->root, piece->first_node, piece->first_leaf };
	fill( p, &from, NULL, &piece->extent, out, visit, context, stack );
}

void dbvhi_fill_top( const dbvhi_packer *p, dbvhi_top *top, const dbvhi_packed_arrays *out, dbvhi_packed_visitor *visit,
                     void *context, dbvhi_pending *stack ) {
	const dbvhi_frame mesh = dbvhi_frame_mesh();
	const part from = { { 0, 1, dbvhi_frame_step( &mesh, &p->nodes[0] ) }, 0, 0 };
	top->extent = 0.0;
	fill( p, &from, top, &top->extent, out, visit, context, stack );
}
