// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The search of local.h, best first, and dbvh_local_depth().

#include "query/depth/local.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "query/depth/depth.h"

#include <math.h>
#include <string.h>

#define MOST_ITEMS ( (size_t)1 << 16 )

static bool is_item_before( const dbvhi_item *a, const dbvhi_item *b ) {
	return a->bound > b->bound;
}

#define HEAP_ITEM dbvhi_item
#define HEAP_BEFORE is_item_before
#include "query/depth/heap.inl"

// True, with a note of its bound, if an item is not worth a look.
static bool is_settled( dbvhi_item_search *s, const dbvhi_item *it ) {
	if ( it->bound > dbvhi_search_goal( s ) )
		return false;
	s->dropped = fmax( s->dropped, it->bound );
	return true;
}

// True, with a note of its bound, if an item is so small that its parts have no better bounds than it: these are off by
// the slack as they are. No point of a cell that small is told to be inside of X or not.
#define SMALL_ITEM 16.0
static bool is_too_small( dbvhi_item_search *s, const dbvhi_item *it, double radius ) {
	if ( radius > SMALL_ITEM * s->pair->slack )
		return false;
	s->dropped = fmax( s->dropped, it->bound );
	return true;
}

static void push_item( dbvhi_item_search *s, const dbvhi_item *it ) {
	if ( is_settled( s, it ) )
		return;
	s->full = s->full || s->count == MOST_ITEMS;
	s->no_memory =
	    s->no_memory || !dbvhi_grow_array( s->allocator, &s->heap, &s->capacity, s->count + 1, sizeof *s->heap );
	if ( s->full || s->no_memory ) {
		s->dropped = fmax( s->dropped, it->bound );
		return;
	}
	heap_push( s->heap, &s->count, it );
}

double dbvhi_item_middle( const dbvhi_item *it, double middle[3] ) {
	for ( int k = 0; k < 3; ++k ) {
		middle[k] = 0.0;
		for ( int i = 0; i < it->corner_count; ++i )
			middle[k] += it->corner[i][k] / it->corner_count;
	}
	double radius = 0.0;
	for ( int i = 0; i < it->corner_count; ++i ) {
		double to[3];
		for ( int k = 0; k < 3; ++k )
			to[k] = it->corner[i][k] - middle[k];
		radius = fmax( radius, dbvhi_length3_up( to ) );
	}
	return radius;
}

bool dbvhi_search_learn( dbvhi_item_search *s, const double p[3] ) {
	const dbvhi_near near = dbvhi_solid_near( s->y, p, s->nearest, INFINITY );
	return dbvhi_search_learn_near( s, p, &near );
}

bool dbvhi_search_learn_near( dbvhi_item_search *s, const double p[3], const dbvhi_near *nearest ) {
	const dbvhi_near near = *nearest;
	if ( !( near.low > s->best ) || !dbvhi_solid_holds( s->y, p, &near ) || !dbvhi_solid_holds( s->x, p, NULL ) )
		return false;
	if ( s->region != NULL ) {
		const dbvhi_near own = dbvhi_solid_near( s->x, p, UINT32_MAX, near.low );
		if ( dbvhi_region_place( s->region, p, fmin( near.low, own.low ) ) <= 0 )
			return false;
	}
	s->best = near.low;
	s->nearest = near.leaf;
	memcpy( s->deepest, p, sizeof s->deepest );
	return true;
}

// ------------------------------------------------------------------------------------------------
// Items

// True if an item is outside of Y. Faces of a component never are.
static bool is_outside_y( const dbvhi_item_search *s, const dbvhi_item *it, const double middle[3], double radius,
                          const dbvhi_near *near ) {
	const bool is_whole = near->low > radius;
	if ( ( s->region != NULL && it->kind != DBVHI_ITEM_CELL ) || !( near->low > 0.0 ) )
		return false;
	return ( is_whole || it->kind == DBVHI_ITEM_PIECE ) && !dbvhi_solid_holds( s->y, middle, near ) &&
	       ( is_whole || dbvhi_piece_is_apart( s, it, middle, radius ) );
}

// Look at an item as it is. False if it is a cell that has been made smaller, and is to be looked at again.
static bool look_once( dbvhi_item_search *s, dbvhi_item *it, bool may_shrink ) {
	double middle[3];
	dbvhi_game table;
	const double radius = dbvhi_item_middle( it, middle ) + s->pair->slack;
	dbvhi_item_bound_again( s, it, &table );
	if ( is_settled( s, it ) )
		return true;
	const dbvhi_near near = dbvhi_solid_near( s->y, middle, it->near_count > 0 ? it->near[0] : UINT32_MAX, INFINITY );
	if ( is_outside_y( s, it, middle, radius, &near ) )
		return true;
	dbvhi_item_bound( s, it, radius, &near, &table );
	if ( is_settled( s, it ) )
		return true;
	if ( it->kind == DBVHI_ITEM_CELL ) {
		if ( may_shrink && dbvhi_cell_shrink( s, it, &table ) )
			return false;
		if ( dbvhi_cell_is_outside( s, middle, radius, &near ) ||
		     dbvhi_cell_has_no_maximum( s, it, middle, radius, &near ) )
			return true;
		dbvhi_cell_learn( s, it, middle, radius, &near, &table );
	} else if ( it->kind == DBVHI_ITEM_PIECE ) {
		dbvhi_piece_learn( s, it, middle, radius, &near, &table );
	}
	if ( !is_too_small( s, it, radius ) )
		push_item( s, it );
	return true;
}

enum { MOST_SHRINKS = 6 };
void dbvhi_search_look( dbvhi_item_search *s, dbvhi_item *it ) {
	for ( int i = 0; !look_once( s, it, i < MOST_SHRINKS ); ++i ) {
	}
}

static void set_box( dbvhi_item *it, const dbvhi_frame *frame, const double low[3], const double high[3] ) {
	it->corner_count = 8;
	for ( int i = 0; i < 8; ++i ) {
		dbvhi_vec x;
		for ( int k = 0; k < 3; ++k )
			x.v[k] = ( i >> k & 1 ) != 0 ? high[k] : low[k];
		x = dbvhi_frame_point( frame, x );
		memcpy( it->corner[i], x.v, sizeof it->corner[i] );
	}
}

// Set an item to a node. Its box is enlarged by more than all roundings on the way down (see relation/inside.c).
static void set_node( const dbvhi_item_search *s, dbvhi_item *it, uint32_t number, const dbvhi_frame *parent ) {
	const dbvhi_node *node = &dbvhi_tree_nodes( s->x->placed.tree )[number];
	it->kind = DBVHI_ITEM_NODE;
	it->number = number;
	it->frame = dbvhi_frame_step( parent, node );
	double low[3], high[3];
	for ( int k = 0; k < 3; ++k ) {
		high[k] = node->half.v[k] + 0x1p-34 * s->pair->size;
		low[k] = -high[k];
	}
	set_box( it, &it->frame, low, high );
}

static void divide_node( dbvhi_item_search *s, const dbvhi_item *it ) {
	const dbvhi_node *node = &dbvhi_tree_nodes( s->x->placed.tree )[it->number];
	for ( uint32_t i = 0; i < ( dbvhi_node_is_leaf( node ) ? node->count : 2 ); ++i ) {
		if ( dbvhi_node_is_leaf( node ) ) {
			dbvhi_pieces_of_triangle( s, it, node->first + i );
			continue;
		}
		dbvhi_item part = *it;
		set_node( s, &part, node->first + i, &it->frame );
		dbvhi_search_look( s, &part );
	}
}

// Look at a group of faces of the component: a face alone is a piece.
static void look_at_group( dbvhi_item_search *s, const dbvhi_item *from, uint32_t first, uint32_t size ) {
	const dbvhi_frame plain = dbvhi_frame_mesh();
	dbvhi_item part = *from;
	double box[6], face[3][3];
	dbvhi_region_box( s->region, first, size, box );
	part.kind = size > 1 ? DBVHI_ITEM_GROUP : DBVHI_ITEM_PIECE;
	part.first = first;
	part.size = size;
	set_box( &part, &plain, box, box + 3 );
	if ( size == 1 ) {
		const uint32_t number = s->region->faces[first].face;
		dbvhi_region_face( s->region, number, face );
		part.number = s->x->placed.tree->leaf[dbvhi_region_triangle( s->region, number )];
		part.corner_count = 3;
		memcpy( part.corner, face, sizeof face );
	}
	dbvhi_search_look( s, &part );
}

static void divide_group( dbvhi_item_search *s, const dbvhi_item *it ) {
	double box[6];
	dbvhi_region_box( s->region, it->first, it->size, box );
	const uint32_t half = dbvhi_region_divide( s->region, it->first, it->size, box );
	look_at_group( s, it, it->first, half );
	look_at_group( s, it, it->first + half, it->size - half );
}

static void divide_item( dbvhi_item_search *s, const dbvhi_item *it ) {
	switch ( it->kind ) {
	case DBVHI_ITEM_NODE:
		divide_node( s, it );
		break;
	case DBVHI_ITEM_GROUP:
		divide_group( s, it );
		break;
	case DBVHI_ITEM_PIECE:
		dbvhi_piece_divide( s, it );
		break;
	default:
		dbvhi_cell_divide( s, it );
	}
}

// ------------------------------------------------------------------------------------------------
// Where the search begins

static dbvhi_frame frame_of( const dbvhi_solid *solid ) {
	dbvhi_frame mesh = dbvhi_frame_mesh();
	if ( solid->placed.pose != NULL ) {
		memcpy( mesh.axes.m, solid->placed.pose->rot, sizeof mesh.axes.m );
		memcpy( mesh.origin.v, solid->placed.pose->pos, sizeof mesh.origin.v );
	}
	return mesh;
}

// The bounding box of a mesh in the frame of the pair, rounded outwards.
static void box_of( const dbvhi_solid_pair *pair, const dbvhi_solid *solid, double box[2][3] ) {
	const dbvhi_node *root = dbvhi_tree_root( solid->placed.tree );
	const dbvhi_frame mesh = frame_of( solid ), frame = dbvhi_frame_step( &mesh, root );
	for ( int k = 0; k < 3; ++k ) {
		double reach = 0x1p-34 * pair->size;
		for ( int axis = 0; axis < 3; ++axis )
			reach += fabs( frame.axes.m[k][axis] ) * root->half.v[axis];
		box[0][k] = frame.origin.v[k] - reach;
		box[1][k] = frame.origin.v[k] + reach;
	}
}

// Nodes that are looked at for a face of the box of Y.
enum { MOST_NODES = 4096, MOST_OPEN = 64 };

// An upper bound of the extent of a node along an axis of Y's box, or against it.
static double extent_of_node( const dbvhi_item_search *s, const dbvhi_node *node, const dbvhi_frame *frame, int axis,
                              double way ) {
	double extent = way * dbvhi_along_box( s, axis, frame->origin.v ) + 0x1p-34 * s->pair->size;
	for ( int j = 0; j < 3; ++j ) {
		double along = 0.0;
		for ( int k = 0; k < 3; ++k )
			along += s->box.axes.m[k][axis] * frame->axes.m[k][j];
		extent += fabs( along ) * node->half.v[j];
	}
	return extent;
}

// The greatest extent of Y along an axis of its box, or against it, rounded up: that of its corners, found from the
// root down. The boxes of nodes that are left at the end count as they are.
static double extent_of_y( const dbvhi_item_search *s, int axis, double way ) {
	typedef struct open_node {
		uint32_t number;
		double extent;
		dbvhi_frame frame;
	} open_node;
	const dbvhi_node *nodes = dbvhi_tree_nodes( s->y->placed.tree );
	const dbvhi_frame mesh = frame_of( s->y );
	open_node open[MOST_OPEN];
	open[0] = ( open_node ){ 0, INFINITY, dbvhi_frame_step( &mesh, nodes ) };
	double extent = -INFINITY;
	size_t top = 1;
	for ( int looked = 0; top > 0 && looked < MOST_NODES && top + 2 <= MOST_OPEN; ++looked ) {
		const open_node it = open[--top];
		const dbvhi_node *node = &nodes[it.number];
		for ( uint32_t i = 0; it.extent > extent && dbvhi_node_is_leaf( node ) && i < node->count; ++i ) {
			double corners[9];
			dbvhi_solid_image( s->y, node->first + i, corners );
			for ( int j = 0; j < 3; ++j )
				extent = fmax( extent, way * dbvhi_along_box( s, axis, corners + 3 * j ) + s->pair->slack );
		}
		if ( !( it.extent > extent ) || dbvhi_node_is_leaf( node ) )
			continue;
		for ( uint32_t i = 0; i < 2; ++i ) {
			open[top].number = node->first + i;
			open[top].frame = dbvhi_frame_step( &it.frame, &nodes[node->first + i] );
			open[top].extent = extent_of_node( s, &nodes[node->first + i], &open[top].frame, axis, way );
			top += 1;
		}
	}
	while ( top > 0 )
		extent = fmax( extent, open[--top].extent );
	return fmin( extent, s->half[axis] );
}

// Set the box that holds Y. A pose that deviates by d from a rotation moves a point of the box by up to 3 d of its
// size, as measured along axes that are not quite at right angles. Where small differences count, the box is that of
// the corners: the margin of nodes is as large as depths that are told apart.
#define SMALL_WIDTH 1e-6
static void set_box_of_y( dbvhi_item_search *s ) {
	const dbvhi_node *root = dbvhi_tree_root( s->y->placed.tree );
	const dbvhi_frame mesh = frame_of( s->y );
	const double skew = 8.0 * s->pair->pair.deviation * s->pair->size;
	s->box = dbvhi_frame_step( &mesh, root );
	for ( int k = 0; k < 3; ++k )
		s->half[k] = root->half.v[k] + 0x1p-34 * s->pair->size;
	const dbvhi_vec middle = s->box.origin;
	double move[3] = { 0.0, 0.0, 0.0 }, half[3];
	for ( int k = 0; k < 3; ++k ) {
		const bool is_small = s->width < SMALL_WIDTH;
		const double above = is_small ? extent_of_y( s, k, 1.0 ) : s->half[k],
		             below = is_small ? extent_of_y( s, k, -1.0 ) : s->half[k];
		move[k] = 0.5 * ( above - below );
		half[k] = 0.5 * ( above + below ) + s->pair->slack + skew;
	}
	for ( int i = 0; i < 3; ++i ) {
		s->half[i] = half[i];
		s->box.origin.v[i] = middle.v[i];
		for ( int k = 0; k < 3; ++k )
			s->box.origin.v[i] += move[k] * s->box.axes.m[i][k];
	}
}

static void begin_cell( dbvhi_item_search *s, const double low[3], const double high[3] ) {
	const dbvhi_frame plain = dbvhi_frame_mesh();
	dbvhi_item it = { .bound = INFINITY, .kind = DBVHI_ITEM_CELL };
	set_box( &it, &plain, low, high );
	dbvhi_search_look( s, &it );
}

static void begin_items( dbvhi_item_search *s ) {
	double own[2][3], other[2][3], low[3], high[3];
	box_of( s->pair, s->x, own );
	box_of( s->pair, s->y, other );
	const dbvhi_frame mesh = frame_of( s->x );
	dbvhi_item it = { .bound = INFINITY };
	set_node( s, &it, 0, &mesh );
	dbvhi_search_look( s, &it );
	for ( int k = 0; k < 3; ++k ) {
		low[k] = fmax( own[0][k], other[0][k] );
		high[k] = fmin( own[1][k], other[1][k] );
		if ( !( low[k] <= high[k] ) )
			return;
	}
	begin_cell( s, low, high );
}

static void search_items( dbvhi_item_search *s, double stop ) {
	bool goes_on = true;
	while ( goes_on && s->count > 0 && !s->full && !s->no_memory && s->heap[0].bound > dbvhi_search_goal( s ) &&
	        !( s->best > stop ) ) {
		const dbvhi_item it = heap_pop( s->heap, &s->count );
		divide_item( s, &it );
		goes_on = dbvhi_meter_charge( s->pair->meter, 8 );
		if ( !goes_on || s->full )
			s->dropped = fmax( s->dropped, it.bound );
	}
}

// Search a component: faces first, since d is greatest on one of them more often than not, and cells are the smaller
// the more is known.
static void search_region( dbvhi_item_search *s, double stop ) {
	const double *box = s->region->all->boxes[s->region->component];
	const dbvhi_item it = { .bound = INFINITY };
	if ( s->region->face_count > 0 )
		look_at_group( s, &it, 0, (uint32_t)s->region->face_count );
	search_items( s, stop );
	begin_cell( s, box, box + 3 );
	search_items( s, stop );
}

// Bound the depth of solid `x` of the pair (0: the fixed one) in the other one.
static dbvh_status bound_side( const dbvhi_solid_pair *pair, int x, const dbvhi_side_query *query, dbvhi_region *region,
                               dbvh_local_depth_side *out, bool *reached ) {
	const double rounding = region != NULL ? region->all->rounding : 0.0;
	dbvhi_item_search s = { .x = &pair->solid[x],
	                        .y = &pair->solid[!x],
	                        .pair = pair,
	                        .allocator = &pair->workspace->allocator,
	                        .region = region,
	                        .width = query->width,
	                        .margin = query->width < SMALL_WIDTH ? SMALL_ITEM * pair->slack : 0.0,
	                        .enough = fmax( query->enough - rounding, 0.0 ),
	                        .nearest = UINT32_MAX };
	dbvh_status status = dbvhi_boundary_begin( &s.boundary, s.y, region != NULL ? region->all->sides[!x]->side : NULL );
	s.boundary.cones = region != NULL ? region->all->sides[!x] : NULL;
	double upper = INFINITY;
	*reached = false;
	if ( status == DBVH_OK ) {
		set_box_of_y( &s );
		if ( region != NULL ) {
			search_region( &s, query->stop );
		} else {
			begin_items( &s );
			search_items( &s, query->stop );
		}
		upper = fmax( fmax( s.best, s.dropped ), s.count > 0 ? s.heap[0].bound : 0.0 ) + rounding;
		*reached = s.best >= upper * ( 1.0 - 1.001 * query->width );
	}
	out->depth = ( dbvh_interval ){ s.best, upper };
	if ( s.nearest != UINT32_MAX ) {
		memcpy( out->deepest, s.deepest, sizeof s.deepest );
		dbvhi_solid_foot( s.y, s.nearest, s.deepest, out->nearest );
	}
	dbvhi_free( s.allocator, s.heap, s.capacity, sizeof *s.heap );
	dbvhi_boundary_end( &s.boundary );
	return s.no_memory ? DBVH_OUT_OF_MEMORY : status;
}

// Take a point of the frame of the pair into that of A.
static void to_frame_of_a( const dbvhi_solid_pair *pair, double x[3] ) {
	if ( !pair->pair.a_moves )
		return;
	double error;
	const dbvhi_vec own = dbvhi_placed_point( &pair->solid[1].placed, x, &error );
	memcpy( x, own.v, sizeof own.v );
}

// Take the points of a side into the frame of A.
static void finish_side( const dbvhi_solid_pair *pair, dbvh_local_depth_side *side ) {
	if ( !( side->depth.lower > 0.0 ) )
		return;
	to_frame_of_a( pair, side->deepest );
	to_frame_of_a( pair, side->nearest );
	for ( int k = 0; k < 3; ++k )
		side->direction[k] = side->nearest[k] - side->deepest[k];
	const double length = dbvhi_length3( side->direction );
	for ( int k = 0; k < 3; ++k )
		side->direction[k] = length > 0.0 ? side->direction[k] / length : 0.0;
}

static dbvhi_side_query side_query_of( const dbvh_local_depth_query *query ) {
	const bool judging = query->verdict_only && query->allowed_depth > 0.0;
	const double width = judging ? 0x1p-40 : 1e-3;
	return ( dbvhi_side_query ){ .width = query->relative_width > 0.0 ? query->relative_width : width,
	                             .enough = judging ? query->allowed_depth : 0.0,
	                             .stop = judging ? query->allowed_depth : INFINITY };
}

dbvh_interval dbvhi_least_side( const dbvh_local_depth_side *one, const dbvh_local_depth_side *two ) {
	return ( dbvh_interval ){ fmin( one->depth.lower, two->depth.lower ), fmin( one->depth.upper, two->depth.upper ) };
}

dbvh_fit_verdict dbvhi_judge_depth( const dbvh_interval *least, double allowed ) {
	if ( least->upper <= allowed )
		return DBVH_FIT_VERDICT_FIT;
	return least->lower > allowed || !( allowed > 0.0 ) ? DBVH_FIT_VERDICT_CLASH : DBVH_FIT_VERDICT_UNDECIDED;
}

static dbvh_status bound_side_of( const dbvhi_solid_pair *pair, int x, const dbvhi_side_query *asked,
                                  const dbvhi_regions *regions, size_t component, dbvhi_sides *out, bool *reached ) {
	const int which = pair->pair.a_moves ? !x : x;
	dbvhi_region region;
	dbvh_status status = DBVH_OK;
	if ( regions != NULL )
		status = dbvhi_region_begin( &region, regions, component, (uint32_t)which );
	if ( status == DBVH_OK )
		status = bound_side( pair, x, asked, regions != NULL ? &region : NULL, &out->side[which], reached );
	if ( regions != NULL )
		dbvhi_region_end( &region );
	if ( status == DBVH_OK )
		finish_side( pair, &out->side[which] );
	return status;
}

static dbvh_status find_sides( const dbvhi_solid_pair *pair, const dbvh_local_depth_query *query,
                               const dbvhi_regions *regions, size_t component, bool wants_both, dbvhi_sides *out ) {
	const dbvhi_side_query asked = side_query_of( query );
	bool reached[2] = { false, false };
	dbvh_status status = DBVH_OK;
	*out = ( dbvhi_sides ){ .side[0].depth = { 0.0, INFINITY }, .side[1].depth = { 0.0, INFINITY } };
	for ( int i = 0; i < 2 && status == DBVH_OK; ++i ) {
		// note: the fixed mesh first, so that swapping changes nothing.
		status = bound_side_of( pair, i, &asked, regions, component, out, &reached[i] );
		if ( !wants_both && out->side[pair->pair.a_moves ? !i : i].depth.upper <= asked.enough )
			break;
	}
	out->least = dbvhi_least_side( &out->side[0], &out->side[1] );
	out->verdict = dbvhi_judge_depth( &out->least, query->allowed_depth );
	out->reached = reached[0] && reached[1];
	return status;
}

void dbvhi_tighten_side( dbvh_local_depth_side *side, const dbvh_local_depth_side *other ) {
	const double upper = fmin( side->depth.upper, other->depth.upper );
	if ( other->depth.lower > side->depth.lower )
		*side = *other;
	side->depth.upper = upper;
}

dbvh_status dbvhi_local_sides( const dbvhi_solid_pair *pair, const dbvh_local_depth_query *query,
                               const dbvhi_regions *regions, size_t component, dbvhi_sides *out ) {
	dbvh_status status = find_sides( pair, query, regions, component, false, out );
	if ( status != DBVH_OK || query->verdict_only || out->verdict != DBVH_FIT_VERDICT_UNDECIDED )
		return status;
	// note: the interval holds the limit, but the verdict can be told without one that is narrower all over.
	const dbvh_local_depth_query judge = { .allowed_depth = query->allowed_depth, .verdict_only = true };
	dbvhi_sides closer;
	status = find_sides( pair, &judge, regions, component, false, &closer );
	for ( int k = 0; k < 2; ++k )
		dbvhi_tighten_side( &out->side[k], &closer.side[k] );
	out->least = dbvhi_least_side( &out->side[0], &out->side[1] );
	out->verdict = dbvhi_judge_depth( &out->least, query->allowed_depth );
	return status;
}

dbvh_status dbvhi_judge_sides( const dbvhi_solid_pair *pair, double allowed, const dbvhi_regions *regions,
                               size_t component, dbvhi_sides *out ) {
	const dbvh_local_depth_query judge = { .allowed_depth = allowed, .verdict_only = true };
	return find_sides( pair, &judge, regions, component, true, out );
}

dbvh_status dbvhi_local_depth( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b, const dbvh_pose *pose_b,
                               const dbvh_local_depth_query *query, dbvh_workspace *workspace, dbvhi_meter *meter,
                               dbvh_local_depth_result *result ) {
	const dbvh_interval unknown = { 0.0, INFINITY };
	result->a_in_b.depth = result->b_in_a.depth = result->least = unknown;
	result->verdict = DBVH_FIT_VERDICT_UNDECIDED;
	dbvhi_solid_pair pair;
	dbvh_status status = dbvhi_solid_pair_init( &pair, a, pose_a, b, pose_b, workspace, meter );
	if ( status != DBVH_OK )
		return status;
	result->undecided = dbvhi_depth_open( a, b );
	status = dbvhi_solid_pair_relate( &pair, &result->relation );
	if ( status != DBVH_OK || result->undecided != DBVH_UNDECIDED_NOT )
		return status;
	if ( result->relation == DBVH_RELATION_DISJOINT || result->relation == DBVH_RELATION_TOUCHING ) {
		result->a_in_b.depth = result->b_in_a.depth = result->least = ( dbvh_interval ){ 0.0, 0.0 };
		result->verdict = DBVH_FIT_VERDICT_NONE;
		result->reached = true;
		return DBVH_OK;
	}
	dbvhi_sides found;
	status = dbvhi_local_sides( &pair, query, NULL, 0, &found );
	result->a_in_b = found.side[0];
	result->b_in_a = found.side[1];
	result->least = found.least;
	result->verdict = found.verdict;
	result->reached = found.reached;
	return status == DBVH_OK ? dbvhi_purse_status( meter->purse ) : status;
}
