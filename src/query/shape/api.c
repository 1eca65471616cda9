// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// dbvh_collide_shape(): a posed mesh against a solid shape or a plane. The search goes down the tree, whose frames are
// placed by the pose like any point of the mesh, so that a box stays the affine image it is. Nodes are separated along
// directions: the shape is symmetric about its centre, so its reach along a direction is all that is needed of it.

#include "base/assert.h"
#include "base/fpenv.h"
#include "base/sort.h"
#include "base/status.h"
#include "bvh/packed_volume.h"
#include "bvh/tree.h"
#include "dualbvh/shape.h"
#include "exact/tri_solid.h"
#include "exact/tri_tri.h"
#include "exact/tri_tri_distance.h"
#include "primitive/check.h"
#include "query/common/arguments.h"
#include "query/common/work.h"
#include "query/common/workspace.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// A shape in the forms that the tests of nodes and of triangles take.
typedef struct figure {
	dbvh_shape_kind kind;
	const dbvh_shape *shape;
	// For nodes: rounded; the margin covers it.
	dbvhi_vec centre, arm[3];
	int arm_count;
	bool is_round;     // an ellipsoid: its reach is the root of a sum of squares
	double radius;     // radius of the ball round each point of the core; 0 for a solid
	dbvhi_vec axis[3]; // further directions that may separate
	int axis_count;
	double size;      // bound of every coordinate
	dbvh_plane plane; // times a power of two: its normal is neither so short nor so long that products leave the range
	// For triangles.
	dbvhi_solid solid;
	double core[9]; // the centre, or the segment, as a triangle without an area
} figure;

typedef struct shape_search {
	const dbvh_tree *tree;
	const dbvh_pose *pose;
	const figure *figure;
	double margin, stretch; // margin of positions, and the most that the pose stretches a sphere
	double error;           // error of a placed corner
	bool find_all;
	uint64_t *keys; // triangles found
	size_t capacity, count;
	uint64_t lowest;
	dbvh_counters counters;
	dbvhi_work work;
	bool is_cut_short;         // the budget has ended the search
	dbvh_workspace *workspace; // its set of triangles that fragments may find again
} shape_search;

static dbvhi_vec vec( const double v[3] ) {
	return ( dbvhi_vec ){ { v[0], v[1], v[2] } };
}

// ------------------------------------------------------------------------------------------------
// What is given

// Report a shape that primitive/check.h refuses.
static dbvh_status blame( dbvh_status status, const char *kind, const char *rule, dbvh_error *error ) {
	if ( status == DBVH_NOT_FINITE )
		rule = "a number is NaN or infinite";
	else if ( status == DBVH_NOT_RIGID )
		rule = "the axes are too far from unit vectors at right angles";
	return status == DBVH_OK ? status : dbvhi_error_set( error, status, "shape.as.%s: %s", kind, rule );
}

static dbvh_status check( const dbvh_shape *shape, dbvh_error *error ) {
	switch ( shape->kind ) {
	case DBVH_SHAPE_KIND_SPHERE:
		return blame( dbvhi_check_sphere( &shape->as.sphere ), "sphere", "the radius is negative", error );
	case DBVH_SHAPE_KIND_AABB:
		return blame( dbvhi_check_aabb( &shape->as.aabb ), "aabb", "min is above max", error );
	case DBVH_SHAPE_KIND_BOX:
		return blame( dbvhi_check_box( &shape->as.box ), "box", "half is negative", error );
	case DBVH_SHAPE_KIND_OBB:
		return blame( dbvhi_check_obb( &shape->as.obb ), "obb", "half is negative", error );
	case DBVH_SHAPE_KIND_ELLIPSOID: {
		const dbvh_ellipsoid *e = &shape->as.ellipsoid;
		dbvh_obb box;
		static_assert( sizeof box == sizeof *e, "an ellipsoid has the members of a box" );
		memcpy( &box, e, sizeof box );
		dbvh_status status = dbvhi_check_obb( &box );
		if ( status != DBVH_NOT_FINITE && !( e->half[0] > 0.0 && e->half[1] > 0.0 && e->half[2] > 0.0 ) )
			status = DBVH_INVALID_ARGUMENT;
		return blame( status, "ellipsoid", "half is not above 0", error );
	}
	case DBVH_SHAPE_KIND_CAPSULE:
		return blame( dbvhi_check_capsule( &shape->as.capsule ), "capsule", "the radius is negative", error );
	case DBVH_SHAPE_KIND_PLANE:
	case DBVH_SHAPE_KIND_HALF_SPACE:
		return blame( dbvhi_check_plane( &shape->as.plane ), "plane", "the normal is zero", error );
	}
	return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "shape.kind is %d, which is no dbvh_shape_kind",
	                        (int)shape->kind );
}

static const double unit_axes[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };

// The solid 2 x = first + second + sum ti (plus[i] + minus[i]) axis[i].
static void set_solid( figure *f, const double first[3], const double second[3], const double axis[3][3],
                       const double plus[3], const double minus[3], double minus_sign ) {
	dbvhi_solid *s = &f->solid;
	memcpy( s->first, first, sizeof s->first );
	memcpy( s->second, second, sizeof s->second );
	memcpy( s->axis, axis, sizeof s->axis );
	f->arm_count = 3;
	f->axis_count = 3;
	for ( int i = 0; i < 3; ++i ) {
		s->plus[i] = plus[i];
		s->minus[i] = minus_sign * minus[i];
		f->centre.v[i] = 0.5 * first[i] + 0.5 * second[i];
		f->axis[i] = vec( axis[i] );
		f->arm[i] = dbvhi_scale( 0.5 * s->plus[i] + 0.5 * s->minus[i], f->axis[i] );
		f->size += fabs( first[i] ) + fabs( second[i] ) + fabs( plus[i] ) + fabs( minus[i] );
	}
}

static void set_core( figure *f, const double from[3], const double to[3], double radius ) {
	memcpy( f->core, from, 3 * sizeof( double ) );
	memcpy( f->core + 3, to, 3 * sizeof( double ) );
	memcpy( f->core + 6, to, 3 * sizeof( double ) );
	f->radius = radius;
	f->size = radius;
	f->arm_count = 1;
	for ( int i = 0; i < 3; ++i ) {
		f->centre.v[i] = 0.5 * from[i] + 0.5 * to[i];
		f->arm[0].v[i] = 0.5 * to[i] - 0.5 * from[i];
		f->size += fabs( from[i] ) + fabs( to[i] );
	}
}

static void set_plane( figure *f, const dbvh_plane *plane ) {
	double longest = 0.0;
	for ( int k = 0; k < 3; ++k )
		longest = fmax( longest, fabs( plane->normal[k] ) );
	const int shift = -3 - ilogb( longest );
	for ( int k = 0; k < 3; ++k )
		f->plane.normal[k] = ldexp( plane->normal[k], shift );
	f->plane.offset = ldexp( plane->offset, shift );
}

static void prepare( const dbvh_shape *shape, figure *f ) {
	memset( f, 0, sizeof *f );
	f->kind = shape->kind;
	f->shape = shape;
	switch ( shape->kind ) {
	case DBVH_SHAPE_KIND_SPHERE:
		set_core( f, shape->as.sphere.centre, shape->as.sphere.centre, shape->as.sphere.radius );
		break;
	case DBVH_SHAPE_KIND_AABB:
		set_solid( f, shape->as.aabb.min, shape->as.aabb.max, unit_axes, shape->as.aabb.max, shape->as.aabb.min, -1.0 );
		break;
	case DBVH_SHAPE_KIND_BOX:
		set_solid( f, shape->as.box.centre, shape->as.box.centre, unit_axes, shape->as.box.half, shape->as.box.half,
		           1.0 );
		break;
	case DBVH_SHAPE_KIND_OBB:
		set_solid( f, shape->as.obb.centre, shape->as.obb.centre, shape->as.obb.axis, shape->as.obb.half,
		           shape->as.obb.half, 1.0 );
		break;
	case DBVH_SHAPE_KIND_ELLIPSOID:
		set_solid( f, shape->as.ellipsoid.centre, shape->as.ellipsoid.centre, shape->as.ellipsoid.axis,
		           shape->as.ellipsoid.half, shape->as.ellipsoid.half, 1.0 );
		f->is_round = true;
		break;
	case DBVH_SHAPE_KIND_CAPSULE:
		set_core( f, shape->as.capsule.from, shape->as.capsule.to, shape->as.capsule.radius );
		break;
	case DBVH_SHAPE_KIND_PLANE:
	case DBVH_SHAPE_KIND_HALF_SPACE:
		set_plane( f, &shape->as.plane );
		break;
	}
}

// ------------------------------------------------------------------------------------------------
// Nodes. The box of a node is placed as the affine image it is, so its only error is rounding: with u = 2^-53, K steps
// from the root and S the sum of all lengths, as much as in a traversal of two trees (docs/design/margins.md), and 16 u
// S for a projection.

static double reach_of_figure( const figure *f, dbvhi_vec along, double length ) {
	double sum = 0.0;
	for ( int i = 0; i < f->arm_count; ++i ) {
		const double arm = fabs( dbvhi_dot( along, f->arm[i] ) );
		sum += f->is_round ? arm * arm : arm;
	}
	// note: squares that underflow are lost, so the margin has what is below 2^-500 of a length.
	return ( f->is_round ? sqrt( sum ) + 0x1p-500 * length : sum ) + f->radius * length;
}

static double reach_of_node( const dbvhi_node *node, const dbvhi_frame *at, dbvhi_vec along ) {
	double sum = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		const dbvhi_vec axis = { { at->axes.m[0][k], at->axes.m[1][k], at->axes.m[2][k] } };
		sum += node->half.v[k] * fabs( dbvhi_dot( along, axis ) );
	}
	return sum;
}

static bool is_apart_along( const shape_search *s, const dbvhi_node *node, const dbvhi_frame *at, dbvhi_vec way,
                            dbvhi_vec along ) {
	// note: directions are about 1 long.
	return fabs( dbvhi_dot( way, along ) ) >
	       reach_of_node( node, at, along ) + reach_of_figure( s->figure, along, 1.001 ) + s->margin;
}

static bool is_plane( const figure *f ) {
	return f->kind == DBVH_SHAPE_KIND_PLANE || f->kind == DBVH_SHAPE_KIND_HALF_SPACE;
}

static bool is_apart( const shape_search *s, const dbvhi_node *node, const dbvhi_frame *at ) {
	const figure *f = s->figure;
	if ( is_plane( f ) ) {
		const dbvhi_vec n = vec( f->plane.normal );
		const double steep = fabs( n.v[0] ) + fabs( n.v[1] ) + fabs( n.v[2] );
		const double height = dbvhi_dot( n, at->origin ) - f->plane.offset;
		// A half-space has only one side.
		const double beyond = f->kind == DBVH_SHAPE_KIND_HALF_SPACE ? height : fabs( height );
		return isfinite( height ) &&
		       beyond > reach_of_node( node, at, n ) + steep * s->margin + fabs( f->plane.offset ) * 0x1p-48;
	}
	const dbvhi_vec ball = dbvhi_frame_point( at, node->sphere_inside ), between = dbvhi_sub( ball, f->centre );
	const double square = dbvhi_dot( between, between );
	if ( square > 0x1p-900 && square < INFINITY ) {
		const double length = sqrt( square );
		const dbvhi_vec along = dbvhi_scale( 1.0 / length, between );
		if ( length > node->radius * s->stretch + reach_of_figure( f, along, 1.001 ) + s->margin )
			return true;
	}
	const dbvhi_vec way = dbvhi_sub( at->origin, f->centre );
	for ( int k = 0; k < 3; ++k ) {
		const dbvhi_vec axis = { { at->axes.m[0][k], at->axes.m[1][k], at->axes.m[2][k] } };
		if ( is_apart_along( s, node, at, way, axis ) )
			return true;
	}
	for ( int i = 0; i < f->axis_count; ++i ) {
		if ( is_apart_along( s, node, at, way, f->axis[i] ) )
			return true;
	}
	return false;
}

static double margin_of( const dbvh_tree *tree, const dbvh_pose *pose, const figure *f ) {
	const dbvhi_node *root = dbvhi_tree_root( tree );
	double offsets = f->size, size = 4.0 * root->radius;
	for ( int k = 0; k < 3; ++k ) {
		offsets += fabs( root->pos.v[k] ) + fabs( pose->pos[k] );
		size += root->half.v[k];
	}
	const double steps = (double)tree->depth + 2.0;
	return 0x1p-53 * ( 64.0 * offsets + 64.0 * steps * steps * size ) + 0x1p-1040;
}

// ------------------------------------------------------------------------------------------------
// Triangles

static bool meets_triangle( shape_search *s, const double corners[9] ) {
	const figure *f = s->figure;
	double image[9];
	dbvhi_triangle_move( s->pose, corners, image );
	s->counters.triangle_tests += 1;
	const dbvhi_posed_triangle triangle = { corners, image, s->pose, s->error };
	switch ( f->kind ) {
	case DBVH_SHAPE_KIND_PLANE:
	case DBVH_SHAPE_KIND_HALF_SPACE:
		return dbvhi_plane_intersects_triangle( f->shape->as.plane.normal, f->shape->as.plane.offset,
		                                        f->kind == DBVH_SHAPE_KIND_HALF_SPACE, &triangle,
		                                        &s->counters.exact_tests );
	case DBVH_SHAPE_KIND_ELLIPSOID:
		return dbvhi_ellipsoid_intersects_triangle( &f->solid, &triangle, &s->counters.exact_tests );
	case DBVH_SHAPE_KIND_AABB:
	case DBVH_SHAPE_KIND_BOX:
	case DBVH_SHAPE_KIND_OBB:
		return dbvhi_box_intersects_triangle( &f->solid, &triangle, &s->counters.exact_tests );
	default:
		break;
	}
	dbvhi_tri_tri_bounds gap;
	dbvhi_triangles_gap( f->core, image, s->error, &gap );
	if ( gap.upper <= f->radius )
		return true;
	if ( gap.lower > f->radius )
		return false;
	s->counters.exact_tests += 1;
	const dbvhi_posed_pair pair = { f->core, corners, image, s->pose, s->error };
	return dbvhi_triangles_within_exact( &pair, &gap, f->radius );
}

static void record( shape_search *s, uint32_t triangle ) {
	if ( s->count < s->capacity ) {
		s->keys[s->count] = triangle;
	} else if ( s->capacity > 0 ) {
		// Out of room: keep the lowest ones, in a heap from here on.
		if ( s->count == s->capacity )
			dbvhi_heap_make( s->keys, s->capacity );
		dbvhi_heap_replace_highest( s->keys, s->capacity, triangle );
	}
	s->count += 1;
	s->lowest = triangle < s->lowest ? triangle : s->lowest;
}

// Record a triangle of the tree and all identical to it. Returns true if the search is over.
static bool found( shape_search *s, uint32_t place ) {
	DBVHI_ASSERT( place < s->tree->triangle_count );
	uint32_t twin_count;
	const uint32_t *twins = dbvhi_tree_twins( s->tree, place, &twin_count );
	for ( uint32_t i = 0; i < ( s->find_all ? twin_count : 1 ); ++i )
		record( s, twins[i] );
	return !s->find_all;
}

// ------------------------------------------------------------------------------------------------
// The search

// Is this the first fragment of its triangle to be found?
static bool is_new( shape_search *s, uint32_t place ) {
	return !s->find_all || !dbvhi_tree_is_divided( s->tree, place ) ||
	       dbvhi_seen_pairs_add( &s->workspace->seen, &s->workspace->allocator,
	                             ( dbvhi_seen_pair ){ .key = s->tree->triangle[place] } );
}

static bool compare_leaf( shape_search *s, uint32_t first, uint32_t count ) {
	for ( uint32_t i = first; i < first + count; ++i ) {
		double room[9];
		if ( !meets_triangle( s, dbvhi_tree_triangle( s->tree, i, room ) ) )
			continue;
		if ( is_new( s, i ) ? found( s, i ) : s->workspace->seen.failed )
			return true;
	}
	return false;
}

static bool goes_on( shape_search *s ) {
	s->is_cut_short = !dbvhi_work_charge( &s->work, s->counters.box_tests, &s->counters );
	return !s->is_cut_short;
}

// Search the packed form. A level leaves at most three nodes on the stack.
static void traverse_packed( shape_search *s, int32_t *stack ) {
	const dbvhi_packed *packed = s->tree->packed;
	const dbvhi_packed_spheres *spheres = dbvhi_packed_spheres_of( packed );
	const dbvhi_packed_box *boxes = dbvhi_packed_boxes_of( packed );
	dbvhi_frame world;
	memcpy( world.axes.m, s->pose->rot, sizeof world.axes.m );
	memcpy( world.origin.v, s->pose->pos, sizeof world.origin.v );
	size_t top = 0;
	stack[top++] = 0;
	while ( top > 0 ) {
		const uint32_t at = (uint32_t)stack[--top];
		for ( int lane = 0; lane < DBVHI_WIDTH && spheres[at].radius[lane] > 0.0f; ++lane ) {
			dbvhi_node volume;
			dbvhi_packed_volume( packed, at, lane, &volume );
			const dbvhi_frame frame = dbvhi_frame_step( &world, &volume );
			s->counters.box_tests += 1;
			if ( !goes_on( s ) )
				return;
			if ( is_apart( s, &volume, &frame ) )
				continue;
			const int32_t child = boxes[DBVHI_WIDTH * (size_t)at + (size_t)lane].child;
			if ( child >= 0 ) {
				stack[top++] = child;
				continue;
			}
			const uint32_t leaf = dbvhi_packed_leaves_of( packed )[~child].first_and_count;
			if ( compare_leaf( s, leaf >> 2, ( leaf & 3 ) + 1 ) )
				return;
		}
	}
}

// Search the reference tree. The stack of pairs of nodes serves for frames: `a` is the node, rot and pos its frame,
// placed.
static void traverse( shape_search *s, dbvhi_node_pair *stack ) {
	dbvhi_frame world;
	memcpy( world.axes.m, s->pose->rot, sizeof world.axes.m );
	memcpy( world.origin.v, s->pose->pos, sizeof world.origin.v );
	const dbvhi_frame root = dbvhi_frame_step( &world, &dbvhi_tree_nodes( s->tree )[0] );
	size_t top = 0;
	stack[top++] = ( dbvhi_node_pair ){ root.axes, root.origin, 0, 0 };
	while ( top > 0 ) {
		const dbvhi_node_pair at = stack[--top];
		const dbvhi_node *node = &dbvhi_tree_nodes( s->tree )[at.a];
		const dbvhi_frame frame = { at.rot, at.pos };
		s->counters.box_tests += 1;
		if ( !goes_on( s ) )
			return;
		if ( is_apart( s, node, &frame ) )
			continue;
		if ( dbvhi_node_is_leaf( node ) ) {
			if ( compare_leaf( s, node->first, node->count ) )
				return;
			continue;
		}
		for ( uint32_t k = 2; k-- > 0; ) {
			const dbvhi_frame child = dbvhi_frame_step( &frame, &dbvhi_tree_nodes( s->tree )[node->first + k] );
			stack[top++] = ( dbvhi_node_pair ){ child.axes, child.origin, node->first + k, 0 };
		}
	}
}

static dbvh_status search( const dbvh_tree *tree, const dbvh_pose *pose, const dbvh_shape *shape,
                           const dbvh_collide_shape_query *query, dbvh_workspace *workspace,
                           dbvh_collide_shape_result *result ) {
	const dbvh_pose identity = dbvh_pose_identity();
	double deviation = 0.0;
	const dbvh_pose *at = pose != NULL ? pose : &identity;
	DBVHI_TRY( dbvh_pose_check( at, &deviation, NULL ) );
	figure f;
	prepare( shape, &f );
	dbvhi_purse purse;
	dbvhi_meter meter;
	if ( query->budget != NULL )
		dbvhi_meter_open( &meter, &purse, query->budget );
	shape_search s = {
	    .tree = tree,
	    .pose = at,
	    .figure = &f,
	    .margin = margin_of( tree, at, &f ),
	    // note: a direction is stretched by at most this; the Gram matrix has three entries a row.
	    .stretch = 1.0 + 2.0 * deviation,
	    .error = dbvhi_move_error( at, tree->largest ),
	    .find_all = query->find == DBVH_FIND_ALL,
	    .keys = workspace->keys,
	    .capacity = query->find == DBVH_FIND_ALL ? query->triangle_capacity : 0,
	    .lowest = UINT64_MAX,
	    .work = { .meter = query->budget != NULL ? &meter : NULL },
	    .workspace = workspace,
	};
	dbvhi_seen_pairs_clear( &workspace->seen );
	if ( tree->packed != NULL )
		traverse_packed( &s, workspace->packed_stack );
	else
		traverse( &s, workspace->stack );
	if ( query->budget != NULL )
		dbvhi_meter_close( &meter );
	if ( workspace->seen.failed )
		return DBVH_OUT_OF_MEMORY;
	result->counters = s.counters;
	const dbvh_status ended = s.is_cut_short ? dbvhi_purse_status( &purse ) : DBVH_OK;
	if ( s.count == 0 )
		return ended;
	result->intersects = true;
	result->first = (uint32_t)s.lowest;
	result->triangle_count = s.count;
	result->triangle_written = s.count < s.capacity ? s.count : s.capacity;
	dbvhi_sort_u64( s.keys, result->triangle_written );
	for ( size_t i = 0; i < result->triangle_written; ++i )
		query->triangles[i] = (uint32_t)s.keys[i];
	return ended;
}

dbvh_collide_shape_query dbvh_collide_shape_query_default( void ) {
	return ( dbvh_collide_shape_query ){ .find = DBVH_FIND_ANY };
}

static DBVHI_NOINLINE_FP dbvh_status do_collide_shape( const dbvh_tree *tree, const dbvh_pose *pose,
                                                       const dbvh_shape *shape, const dbvh_collide_shape_query *query,
                                                       dbvh_workspace *workspace, dbvh_collide_shape_result *result_out,
                                                       dbvh_error *error ) {
	DBVHI_TRY( dbvhi_answer_clear( result_out, sizeof *result_out, "result_out", error ) );
	const dbvh_collide_shape_query verdict_alone = { .find = DBVH_FIND_ANY };
	const dbvh_collide_shape_query *q = query != NULL ? query : &verdict_alone;
	DBVHI_TRY( dbvhi_check_given( tree, "tree", error ) );
	DBVHI_TRY( dbvhi_check_given( shape, "shape", error ) );
	DBVHI_TRY( dbvhi_check_find( q->find, false, error ) );
	DBVHI_TRY( dbvhi_check_room( q->triangles, q->triangle_capacity, "triangle", error ) );
	DBVHI_TRY( check( shape, error ) );
	dbvh_workspace *own;
	DBVHI_TRY( dbvhi_workspace_borrow( &workspace, tree, &own ) );
	dbvh_status status =
	    dbvhi_workspace_require( workspace, tree, tree, q->find == DBVH_FIND_ALL ? q->triangle_capacity : 0 );
	if ( status == DBVH_OK )
		status = search( tree, pose, shape, q, workspace, result_out );
	dbvh_workspace_destroy( own );
	return dbvhi_blame_pose( status, pose, "pose", error );
}

dbvh_status dbvh_collide_shape( const dbvh_tree *tree, const dbvh_pose *pose, const dbvh_shape *shape,
                                const dbvh_collide_shape_query *query, dbvh_workspace *workspace,
                                dbvh_collide_shape_result *result_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV(
	    dbvh_status,
	    dbvhi_error_finish( error, do_collide_shape( tree, pose, shape, query, workspace, result_out, error ) ) );
}
