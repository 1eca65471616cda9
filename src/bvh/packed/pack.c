// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "bvh/packed/pack.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "base/inline.h"
#include "base/parallel.h"
#include "bvh/ellipsoid_test.h"
#include "bvh/tree.h"
#include "math/quaternion.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

// SMALLEST and LARGEST bound sizes and coordinates whose squares are normal floats, with room for poses.
#define SMALLEST 0x1p-40
#define LARGEST 0x1p40

typedef struct packing {
	const dbvh_tree *tree;
	dbvhi_packed header;
	dbvhi_packer p;
	dbvhi_packed_arrays arrays;
	dbvhi_top top;
	uint8_t *marks; // NULL without ellipsoids
	dbvhi_packed_ellipsoid *ellipsoids;
	const uint32_t *ellipsoid_nodes; // nodes of the reference tree, ascending
	dbvhi_pending *stacks;
	size_t stack_room; // entries for each thread: three a level
} packing;

// Turns a node's ellipsoid from the node's frame into the mesh's axes, enlarged by the rounding error on the way.
static void pack_ellipsoid( const packing *k, dbvhi_packed_ellipsoid *out, const dbvhi_opening *at ) {
	const dbvhi_node *node = &dbvhi_tree_nodes( k->tree )[at->node];
	const dbvhi_node_ellipsoid *e = &k->tree->ellipsoids[k->tree->ellipsoid_at[at->node]];
	const dbvhi_vec centre = dbvhi_frame_point( &at->frame, e->reach.centre );
	for ( int i = 0; i < 3; ++i ) {
		out->reach.centre.v[i] = centre.v[i] - k->header.centre[i];
		for ( int j = 0; j < 3; ++j )
			out->to_ball.m[i][j] = e->to_ball.m[i][0] * at->frame.axes.m[j][0] +
			                       e->to_ball.m[i][1] * at->frame.axes.m[j][1] +
			                       e->to_ball.m[i][2] * at->frame.axes.m[j][2];
	}
	dbvhi_shape_turn( &at->frame.axes, e->reach.shape, out->reach.shape );
	double farthest = 1.0;
	for ( size_t i = 3 * (size_t)node->low; i < 3 * ( (size_t)node->low + node->total ); ++i )
		farthest =
		    dbvhi_larger( farthest, dbvhi_packed_ellipsoid_reached( &k->header, out, k->tree->corners + 3 * i ) );
	farthest *= 1.0 + 0x1p-40;
	for ( int i = 0; i < 9; ++i )
		( &out->to_ball.m[0][0] )[i] /= farthest;
	for ( int i = 0; i < 6; ++i )
		out->reach.shape[i] *= farthest * farthest;
	out->reach.longest = e->reach.longest * farthest * ( 1.0 + 0x1p-40 );
}

// Marks a packed node and packs its ellipsoid, if it has one.
static void pack_mark( void *context, uint32_t packed_node, const dbvhi_opening *at ) {
	const packing *k = context;
	DBVHI_ASSERT( packed_node < k->header.node_count );
	k->marks[packed_node] = 0;
	for ( uint32_t i = 0; i < k->header.ellipsoid_count; ++i ) {
		if ( k->ellipsoid_nodes[i] == at->node ) {
			k->marks[packed_node] = (uint8_t)( i + 1 );
			pack_ellipsoid( k, &k->ellipsoids[i], at );
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

static dbvhi_packed_visitor *visitor_of( const packing *k ) {
	return k->marks != NULL ? pack_mark : NULL;
}

static void count_task( void *context, size_t index, uint32_t thread ) {
	packing *k = context;
	dbvhi_count_piece( &k->p, &k->top.pieces[index], k->stacks + thread * k->stack_room );
}

static void fill_task( void *context, size_t index, uint32_t thread ) {
	packing *k = context;
	k->top.pieces[index].extent = 0.0;
	dbvhi_fill_piece( &k->p, &k->top.pieces[index], &k->arrays, visitor_of( k ), k,
	                  k->stacks + thread * k->stack_room );
}

static size_t align_up( size_t x ) {
	return ( x + DBVHI_ALIGNMENT - 1 ) / DBVHI_ALIGNMENT * DBVHI_ALIGNMENT;
}

// Sets the offsets of the arrays from their counts.
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

void dbvhi_packed_place_pieces( dbvhi_packed *header, dbvhi_top *top ) {
	header->node_count = top->node_count;
	header->leaf_count = top->leaf_count;
	header->depth = top->deepest;
	for ( uint32_t i = 0; i < top->piece_count; ++i ) {
		dbvhi_piece *piece = &top->pieces[i];
		piece->first_node = header->node_count;
		piece->first_leaf = header->leaf_count;
		header->node_count += piece->node_count;
		header->leaf_count += piece->leaf_count;
		const uint32_t deepest = piece->depth + piece->deepest - 1;
		header->depth = deepest > header->depth ? deepest : header->depth;
	}
}

char *dbvhi_packed_allocate( dbvhi_packed *header, const dbvh_allocator *allocator, dbvhi_packed_arrays *arrays_out ) {
	lay_out( header );
	char *block = dbvhi_alloc( allocator, header->bytes, 1 );
	if ( block == NULL )
		return NULL;
	const size_t boxes_end = header->box_offset + DBVHI_WIDTH * header->node_count * sizeof( dbvhi_packed_box );
	const size_t leaves_end = header->leaf_offset + header->leaf_count * sizeof( dbvhi_packed_leaf );
	memset( block, 0, header->sphere_offset ); // zero the gaps, too: equal trees are equal bytes
	memset( block + boxes_end, 0, header->leaf_offset - boxes_end );
	if ( header->ellipsoid_count > 0 )
		memset( block + leaves_end, 0, header->ellipsoid_offset - leaves_end );
	arrays_out->spheres = (dbvhi_packed_spheres *)( block + header->sphere_offset );
	arrays_out->boxes = (dbvhi_packed_box *)( block + header->box_offset );
	arrays_out->leaves = (dbvhi_packed_leaf *)( block + header->leaf_offset );
	return block;
}

void dbvhi_packed_finish( dbvhi_packed *header, const dbvhi_top *top, char *block ) {
	double extent = top->extent;
	for ( uint32_t i = 0; i < top->piece_count; ++i )
		extent = dbvhi_larger( extent, top->pieces[i].extent );
	if ( dbvhi_packed_is_scaled( header ) ) // note: the mesh may be a point
		extent = dbvhi_larger( extent, DBVHI_SCALED_LEAST );
	header->extent = extent * ( 1.0 + 0x1p-20 );
	header->unit = dbvhi_packed_unit( header->extent );
	memcpy( block, header, sizeof *header );
}

static dbvh_status fill_block( packing *k, uint32_t thread_count, dbvhi_packed **packed_out ) {
	DBVHI_ASSERT( thread_count >= 1 );
	dbvhi_parallel_for( k->top.piece_count, 1, thread_count, count_task, k );
	dbvhi_packed_place_pieces( &k->header, &k->top );
	uint32_t ellipsoid_nodes[DBVHI_ELLIPSOIDS_MOST];
	k->header.ellipsoid_count = find_ellipsoids( k->tree, ellipsoid_nodes );
	k->ellipsoid_nodes = ellipsoid_nodes;
	char *block = dbvhi_packed_allocate( &k->header, &k->tree->allocator, &k->arrays );
	if ( block == NULL )
		return DBVH_OUT_OF_MEMORY;
	if ( k->header.ellipsoid_count > 0 ) {
		k->marks = (uint8_t *)block + k->header.mark_offset;
		k->ellipsoids = (dbvhi_packed_ellipsoid *)( block + k->header.ellipsoid_offset );
	}
	dbvhi_fill_top( &k->p, &k->top, &k->arrays, visitor_of( k ), k, k->stacks );
	dbvhi_parallel_for( k->top.piece_count, 1, thread_count, fill_task, k );
	dbvhi_packed_finish( &k->header, &k->top, block );
	*packed_out = (dbvhi_packed *)block;
	return DBVH_OK;
}

bool dbvhi_packed_holds( double largest, double radius ) {
	return radius >= SMALLEST && radius <= LARGEST && largest <= LARGEST;
}

// True if the nodes of a reference tree can be packed. Below 2^-1000 they are enlarged by what they have lost among the
// subnormal numbers, which may be more than the mesh is large.
static bool can_be_packed( const dbvh_tree *tree ) {
	return tree->largest <= DBVHI_PACKED_LARGEST && tree->options.leaf_size <= DBVHI_WIDTH &&
	       tree->largest >= 0x1p-1000;
}

// The beginning of a header: which unit the block is in.
static dbvhi_packed plan_for( const dbvh_tree *tree, double radius ) {
	dbvhi_packed plan = { .version = DBVHI_PACKED_VERSION };
	if ( !dbvhi_packed_holds( tree->largest, radius ) )
		dbvhi_packed_set_scale( &plan, tree->largest );
	return plan;
}

static dbvhi_packer packer_of( const dbvh_tree *tree ) {
	return ( dbvhi_packer ){ .nodes = dbvhi_tree_nodes( tree ),
	                         .corners = tree->corners,
	                         .fragment = tree->fragment,
	                         .fragment_error = tree->fragment_error };
}

// Copies the nodes of the reference tree in the unit of a scaled block.
static dbvhi_node *scale_nodes( const dbvh_tree *tree, dbvhi_power down ) {
	dbvhi_node *nodes = dbvhi_alloc( &tree->allocator, tree->node_count, sizeof *nodes );
	for ( size_t i = 0; nodes != NULL && i < tree->node_count; ++i ) {
		nodes[i] = dbvhi_tree_nodes( tree )[i];
		dbvhi_node_scale( &nodes[i], down, 0.0 );
	}
	return nodes;
}

static bool is_leaf( const dbvhi_packer *p, uint32_t node ) {
	return p->nodes[node].total <= DBVHI_WIDTH;
}

int dbvhi_packed_children( const dbvh_tree *tree, uint32_t node, uint32_t children_out[DBVHI_WIDTH] ) {
	DBVHI_ASSERT( node < tree->node_count );
	const dbvhi_packer p = packer_of( tree );
	return dbvhi_open_children( &p, node, children_out );
}

void dbvhi_packed_set_scale( dbvhi_packed *header, double largest ) {
	header->version = DBVHI_PACKED_SCALED_VERSION;
	header->exponent = dbvhi_packed_exponent( largest );
}

void dbvhi_packed_set_centre( dbvhi_packed *header, dbvhi_packer *p, const double centre[3] ) {
	p->is_scaled = dbvhi_packed_is_scaled( header );
	p->down = dbvhi_packed_down( header );
	for ( int k = 0; k < 3; ++k )
		p->centre[k] = dbvhi_times_power( p->down, dbvhi_times_power( dbvhi_packed_up( header ), centre[k] ) );
	memcpy( header->centre, p->centre, sizeof header->centre );
}

// A node of the reference tree, and the depth of the packed node made from it.
typedef struct planned {
	uint32_t node, depth;
} planned;

dbvh_status dbvhi_packed_plan( const dbvh_tree *tree, dbvhi_packed *plan ) {
	*plan = plan_for( tree, dbvhi_tree_nodes( tree )[0].radius );
	if ( !can_be_packed( tree ) )
		return DBVH_OK;
	const dbvhi_packer p = packer_of( tree );
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
		const int count = dbvhi_open_children( &p, at.node, children );
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
	dbvhi_node root = dbvhi_tree_nodes( tree )[0];
	dbvhi_node_scale( &root, dbvhi_power_of_two( -plan->exponent ), 0.0 );
	dbvhi_packer placed;
	dbvhi_packed_set_centre( plan, &placed, root.pos.v );
	lay_out( plan );
	return DBVH_OK;
}

dbvh_status dbvhi_packed_plan_alone( const dbvh_tree *tree, dbvhi_packed *plan ) {
	*plan = plan_for( tree, tree->root.radius );
	const dbvhi_packed *packed = tree->packed;
	const size_t most = tree->triangle_count;
	if ( !( tree->largest <= DBVHI_PACKED_LARGEST ) || packed->node_count == 0 || packed->node_count > most ||
	     packed->leaf_count == 0 || packed->leaf_count > most )
		return DBVH_OK;
	plan->node_count = packed->node_count;
	plan->leaf_count = packed->leaf_count;
	plan->depth = packed->depth;
	plan->content_hash = tree->hash;
	plan->ellipsoid_count = (uint32_t)tree->ellipsoid_packed;
	// note: the stored centre was that of the first root box; any centre near the mesh is valid.
	const dbvhi_power down = dbvhi_packed_down( plan );
	const double limit = 2.0 * dbvhi_times_power( down, tree->largest );
	for ( int k = 0; k < 3; ++k )
		plan->centre[k] =
		    fabs( packed->centre[k] ) <= limit ? packed->centre[k] : dbvhi_times_power( down, tree->root.pos.v[k] );
	lay_out( plan );
	if ( plan->bytes != tree->packed_bytes )
		plan->node_count = 0;
	return DBVH_OK;
}

dbvh_status dbvhi_packed_nodes( const dbvh_tree *tree, uint64_t *bits ) {
	// note: scaled blocks have no ellipsoids.
	if ( !can_be_packed( tree ) || !dbvhi_packed_holds( tree->largest, dbvhi_tree_nodes( tree )[0].radius ) )
		return DBVH_OK;
	const dbvhi_packer p = packer_of( tree );
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
		const int count = dbvhi_open_children( &p, node, children );
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
	// note: waking threads costs more than packing a small mesh.
	const uint32_t threads = tree->triangle_count < 4096 ? 1 : thread_count;
	packing k = { .tree = tree, .p = packer_of( tree ), .stack_room = 3 * (size_t)tree->depth + 4 };
	k.header = plan_for( tree, k.p.nodes[0].radius );
	k.header.content_hash = tree->hash;
	dbvhi_node *scaled = NULL;
	if ( dbvhi_packed_is_scaled( &k.header ) ) {
		const dbvhi_power down = dbvhi_power_of_two( -k.header.exponent );
		scaled = scale_nodes( tree, down );
		if ( scaled == NULL )
			return DBVH_OUT_OF_MEMORY;
		k.p.nodes = scaled;
		k.p.fragment_error = dbvhi_times_power( down, tree->fragment_error );
	}
	k.p.root_radius = k.p.nodes[0].radius;
	dbvhi_packed_set_centre( &k.header, &k.p, k.p.nodes[0].pos.v );
	const size_t stacks = k.stack_room * threads;
	k.stacks = dbvhi_alloc( allocator, stacks, sizeof *k.stacks );
	dbvh_status status = DBVH_OUT_OF_MEMORY;
	uint32_t pieces = 0;
	if ( k.stacks != NULL ) {
		dbvhi_count_top( &k.p, &k.top, k.stacks );
		pieces = k.top.piece_count;
		k.top.pieces = pieces > 0 ? dbvhi_alloc( allocator, pieces, sizeof *k.top.pieces ) : NULL;
		if ( pieces > 0 && k.top.pieces != NULL )
			dbvhi_count_top( &k.p, &k.top, k.stacks );
		if ( pieces == 0 || k.top.pieces != NULL )
			status = fill_block( &k, threads, packed_out );
	}
	dbvhi_free( allocator, k.top.pieces, pieces, sizeof *k.top.pieces );
	dbvhi_free( allocator, k.stacks, stacks, sizeof *k.stacks );
	dbvhi_free( allocator, scaled, tree->node_count, sizeof *scaled );
	return status;
}
