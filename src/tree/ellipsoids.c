// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "tree/ellipsoids.h"

#include "base/alloc.h"
#include "base/parallel.h"
#include "tree/fit.h"
#include "tree/tree.h"

#include <math.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------
// Tests

enum { SWEEPS = 2, STEPS = 3 };

static double clamped( double x, double half ) {
	x = x < half ? x : half;
	return x > -half ? x : -half;
}

// What a distance in the ball's space may be off: the pose by `margin`, and the computation by less than that again.
static double slack_of( const dbvhi_node_ellipsoid *e, double margin ) {
	return 2.0 * margin * e->inverse_shortest;
}

// The steps of volume/ellipsoid_descent.c that can end in "apart".
bool dbvhi_ellipsoid_box_apart( const dbvhi_node_ellipsoid *e, const dbvhi_mat *axes, dbvhi_vec offset, dbvhi_vec half,
                                double margin ) {
	const dbvhi_vec d = dbvhi_mat_apply( axes, offset );
	dbvhi_vec x, beyond;
	for ( int i = 0; i < 3; ++i ) {
		x.v[i] = clamped( d.v[i], half.v[i] );
		beyond.v[i] = x.v[i] - d.v[i];
	}
	const double far = dbvhi_dot( beyond, beyond ), most = e->longest + 2.0 * margin;
	if ( far > most * most )
		return true;
	if ( far * e->inverse_shortest * e->inverse_shortest <= 1.0 )
		return false;
	const double reach = 1.0 + slack_of( e, margin ), outer = reach * reach;
	dbvhi_vec r = dbvhi_mat_apply( &e->to_ball, dbvhi_mat_apply_transposed( axes, beyond ) );
	dbvhi_vec along = dbvhi_mat_apply( axes, dbvhi_mat_apply_transposed( &e->to_ball, r ) );
	dbvhi_vec edge[3];
	double inverse[3];
	for ( int sweep = 0;; ++sweep ) {
		const double square = dbvhi_dot( r, r );
		if ( square <= outer )
			return false;
		double support = square;
		for ( int i = 0; i < 3; ++i )
			support -= half.v[i] * fabs( along.v[i] ) + x.v[i] * along.v[i];
		if ( support > 0.0 && support * support > outer * square )
			return true;
		if ( sweep == SWEEPS )
			return false;
		for ( int i = 0; sweep == 0 && i < 3; ++i ) {
			edge[i] = dbvhi_mat_apply( &e->to_ball, ( dbvhi_vec ){ { axes->m[i][0], axes->m[i][1], axes->m[i][2] } } );
			inverse[i] = 1.0 / dbvhi_dot( edge[i], edge[i] );
		}
		for ( int i = 0; i < 3; ++i ) {
			const double next = clamped( x.v[i] - dbvhi_dot( r, edge[i] ) * inverse[i], half.v[i] );
			r = dbvhi_add( r, dbvhi_scale( next - x.v[i], edge[i] ) );
			x.v[i] = next;
		}
		for ( int i = 0; i < 3; ++i )
			along.v[i] = dbvhi_dot( r, edge[i] );
	}
}

// The separating planes of volume/ellipsoid_pair.c.
bool dbvhi_ellipsoids_apart( const dbvhi_node_ellipsoid *a, const dbvhi_node_ellipsoid *b, const dbvhi_mat *rot,
                             dbvhi_vec pos, double margin ) {
	const dbvhi_vec way = dbvhi_sub( dbvhi_add( dbvhi_mat_apply( rot, b->centre ), pos ), a->centre );
	const dbvhi_vec r = dbvhi_mat_apply( &a->to_ball, way );
	const double reach = 1.0 + slack_of( a, margin );
	if ( dbvhi_dot( r, r ) <= reach * reach )
		return false;
	const dbvhi_mat turned = dbvhi_mat_mul( rot, &b->from_ball ), shape = dbvhi_mat_mul( &a->to_ball, &turned );
	const double( *m )[3] = shape.m;
	double s = 0.5;
	for ( int step = 0; step < STEPS; ++step ) {
		double q[6];
		for ( int i = 0; i < 3; ++i ) {
			const int j = ( i + 1 ) % 3;
			q[i] = 1.0 - s + s * ( m[i][0] * m[i][0] + m[i][1] * m[i][1] + m[i][2] * m[i][2] );
			q[3 + i] = s * ( m[i][0] * m[j][0] + m[i][1] * m[j][1] + m[i][2] * m[j][2] );
		}
		// ( ( 1 - s ) A + s B ) x = r, by the adjugate: a factor changes no direction.
		const double xx = q[0], yy = q[1], zz = q[2], xy = q[3], yz = q[4], zx = q[5];
		const dbvhi_vec x = {
		    { ( yy * zz - yz * yz ) * r.v[0] + ( yz * zx - xy * zz ) * r.v[1] + ( xy * yz - yy * zx ) * r.v[2],
		      ( yz * zx - xy * zz ) * r.v[0] + ( xx * zz - zx * zx ) * r.v[1] + ( xy * zx - xx * yz ) * r.v[2],
		      ( xy * yz - yy * zx ) * r.v[0] + ( xy * zx - xx * yz ) * r.v[1] + ( xx * yy - xy * xy ) * r.v[2] } };
		const dbvhi_vec along = dbvhi_mat_apply_transposed( &shape, x );
		const double width_a = dbvhi_length( x ), width_b = dbvhi_length( along );
		if ( dbvhi_dot( r, x ) > width_a * reach + width_b )
			return true;
		const double determinant = xx * ( yy * zz - yz * yz ) + xy * ( yz * zx - xy * zz ) + zx * ( xy * yz - yy * zx );
		if ( ( 1.0 - s ) * width_a <= determinant && s * width_b <= determinant )
			return false; // a common point
		s = width_a / ( width_a + width_b );
	}
	return false;
}

// ------------------------------------------------------------------------------------------------
// Which nodes: what an ellipsoid saves, expected, beside what its test costs

// In nanoseconds, measured on the reference tree by `dualbvh-bench mixed`: a test; what a pair of leaves costs that
// pass the boxes; and what a pair of inner nodes does, everything below it included, over the root of the number of
// their triangles: near-contact of two surfaces is along a curve.
#define COST_TEST 90.0
#define COST_LEAF 80.0
#define COST_PAIR 15.0

typedef struct dice {
	uint64_t state;
} dice;

// splitmix64, as a number in [-1, 1).
static double throw_dice( dice *d ) {
	uint64_t x = ( d->state += UINT64_C( 0x9e3779b97f4a7c15 ) );
	x = ( x ^ ( x >> 30 ) ) * UINT64_C( 0xbf58476d1ce4e5b9 );
	x = ( x ^ ( x >> 27 ) ) * UINT64_C( 0x94d049bb133111eb );
	return (double)( ( x ^ ( x >> 31 ) ) >> 11 ) * 0x1p-52 - 1.0;
}

static dbvhi_mat random_turn( dice *d ) {
	double q[4], square;
	do {
		square = 0.0;
		for ( int k = 0; k < 4; ++k ) {
			q[k] = throw_dice( d );
			square += q[k] * q[k];
		}
	} while ( square > 1.0 || square < 0.01 );
	const double f = 2.0 / square, w = q[0], x = q[1], y = q[2], z = q[3];
	return ( dbvhi_mat ){ { { 1.0 - f * ( y * y + z * z ), f * ( x * y - w * z ), f * ( x * z + w * y ) },
	                        { f * ( x * y + w * z ), 1.0 - f * ( x * x + z * z ), f * ( y * z - w * x ) },
	                        { f * ( x * z - w * y ), f * ( y * z + w * x ), 1.0 - f * ( x * x + y * y ) } } };
}

// Do the faces' axes of two boxes with the same extents, one at rot and pos seen from the other, leave them together?
static bool boxes_may_meet( const dbvhi_mat *rot, dbvhi_vec pos, dbvhi_vec half ) {
	const dbvhi_vec back = dbvhi_mat_apply_transposed( rot, pos );
	for ( int i = 0; i < 3; ++i ) {
		double a = half.v[i], b = half.v[i];
		for ( int k = 0; k < 3; ++k ) {
			a += half.v[k] * fabs( rot->m[i][k] );
			b += half.v[k] * fabs( rot->m[k][i] );
		}
		if ( fabs( pos.v[i] ) > a || fabs( back.v[i] ) > b )
			return false;
	}
	return true;
}

// The part of random placements of a node like this one, among those that spheres and boxes leave together, in which
// the ellipsoids part the two.
static double share_parted( const dbvhi_node *node, const dbvhi_node_ellipsoid *e, uint64_t seed ) {
	enum { WANTED = 64, TRIES = 1024 };
	dice d = { seed };
	int kept = 0, parted = 0;
	for ( int i = 0; i < TRIES && kept < WANTED; ++i ) {
		const dbvhi_mat rot = random_turn( &d );
		// The other's sphere, and from it its box.
		dbvhi_vec gap;
		for ( int k = 0; k < 3; ++k )
			gap.v[k] = 2.0 * node->radius * throw_dice( &d );
		if ( dbvhi_dot( gap, gap ) > 4.0 * node->radius * node->radius )
			continue;
		const dbvhi_vec sphere = dbvhi_add( node->sphere_inside, gap );
		const dbvhi_vec pos = dbvhi_sub( sphere, dbvhi_mat_apply( &rot, node->sphere_inside ) );
		if ( !boxes_may_meet( &rot, pos, node->half ) )
			continue;
		kept += 1;
		parted += dbvhi_ellipsoids_apart( e, e, &rot, pos, 0.0 );
	}
	return kept > 0 ? (double)parted / kept : 0.0;
}

static bool is_worth_it( const dbvhi_node *node, const dbvhi_node_ellipsoid *e, uint64_t seed ) {
	const double saved = dbvhi_node_is_leaf( node ) ? COST_LEAF : COST_PAIR * sqrt( (double)node->total );
	// No node is asked that could not pass if everything were parted.
	return saved > COST_TEST && share_parted( node, e, seed ) * saved > COST_TEST;
}

// ------------------------------------------------------------------------------------------------
// Fitting

typedef struct work {
	dbvh_tree *tree;
	dbvhi_frame *frames;         // of each node
	dbvhi_node_ellipsoid *found; // of each node
	bool *has;
	double *room; // for each thread, six doubles a corner of the mesh
	double floor;
} work;

// In the unit of the mesh, from one in which the node is near 1.
static void keep( const dbvh_ellipsoid *e, double unit, bool aligned, dbvhi_node_ellipsoid *out ) {
	double longest = 0.0, shortest = INFINITY;
	for ( int k = 0; k < 3; ++k ) {
		const double half = e->half[k] * unit;
		for ( int c = 0; c < 3; ++c ) {
			out->to_ball.m[k][c] = e->axis[k][c] / half;
			out->from_ball.m[c][k] = e->axis[k][c] * half;
		}
		out->centre.v[k] = e->centre[k] * unit;
		longest = fmax( longest, half );
		shortest = fmin( shortest, half );
	}
	out->longest = longest * ( 1.0 + 0x1p-50 );
	out->inverse_shortest = ( 1.0 + 0x1p-50 ) / shortest;
	out->aligned = aligned;
	out->chosen = false;
}

static void fit_task( void *context, size_t index, uint32_t thread ) {
	work *w = context;
	const dbvh_tree *tree = w->tree;
	const dbvhi_node *node = &tree->nodes[index];
	w->has[index] = false;
	if ( !( node->half.v[2] > 0.0 ) )
		return;
	const size_t count = 3 * (size_t)node->total;
	double *room = w->room + (size_t)thread * 18 * tree->triangle_count;
	int exponent = 0;
	frexp( node->half.v[2], &exponent );
	const double down = ldexp( 1.0, -exponent );
	double error = 0.0;
	for ( size_t i = 0; i < count; ++i ) {
		const double *corner = tree->corners + 9 * (size_t)node->low + 3 * i;
		const dbvhi_vec d = dbvhi_sub( ( dbvhi_vec ){ { corner[0], corner[1], corner[2] } }, w->frames[index].origin );
		const dbvhi_vec local = dbvhi_mat_apply_transposed( &w->frames[index].axes, d );
		for ( size_t k = 0; k < 3; ++k ) {
			room[k * count + i] = local.v[k] * down;
			error = fmax( error, fabs( d.v[k] ) );
		}
	}
	const dbvhi_point_set points = { room, room + count, room + 2 * count, count };
	const double slack = 2.0 * dbvhi_projection_error( error * down );
	const double floor = fmax( w->floor * down, 0x1p-40 );
	const dbvh_ellipsoid least = dbvhi_ellipsoid_least( points, floor, slack, room + 3 * count );
	const dbvh_ellipsoid aligned = dbvhi_ellipsoid_aligned( points, floor, slack, room + 3 * count );
	// By the measure of boxes, which is that of bodies with such half lengths but for a factor.
	const dbvhi_vec half_least = { { least.half[0], least.half[1], least.half[2] } };
	const dbvhi_vec half_aligned = { { aligned.half[0], aligned.half[1], aligned.half[2] } };
	const bool is_aligned = dbvhi_box_cost( &half_aligned ) <= dbvhi_box_cost( &half_least );
	dbvhi_node_ellipsoid *out = &w->found[index];
	keep( is_aligned ? &aligned : &least, ldexp( 1.0, exponent ), is_aligned, out );
	out->chosen = is_worth_it( node, out, index );
	w->has[index] = out->chosen || tree->options.ellipsoids == DBVH_ELLIPSOIDS_ALL;
}

static dbvh_status collect( work *w ) {
	dbvh_tree *tree = w->tree;
	size_t count = 0;
	for ( size_t i = 0; i < tree->node_count; ++i )
		count += w->has[i];
	if ( count == 0 )
		return DBVH_OK;
	tree->ellipsoids = dbvhi_alloc( &tree->allocator, count, sizeof *tree->ellipsoids );
	tree->ellipsoid_at = dbvhi_alloc( &tree->allocator, tree->node_count, sizeof *tree->ellipsoid_at );
	tree->ellipsoid_wanted = dbvhi_alloc( &tree->allocator, tree->node_count / 64 + 1, sizeof *tree->ellipsoid_wanted );
	tree->ellipsoid_capacity = count;
	if ( tree->ellipsoids == NULL || tree->ellipsoid_at == NULL || tree->ellipsoid_wanted == NULL )
		return DBVH_OUT_OF_MEMORY;
	memset( tree->ellipsoid_wanted, 0, ( tree->node_count / 64 + 1 ) * sizeof *tree->ellipsoid_wanted );
	for ( size_t i = 0; i < tree->node_count; ++i ) {
		tree->ellipsoid_at[i] = w->has[i] ? (uint32_t)tree->ellipsoid_count : DBVHI_NO_ELLIPSOID;
		if ( w->has[i] ) {
			tree->ellipsoid_chosen += w->found[i].chosen;
			tree->ellipsoid_wanted[i / 64] |= (uint64_t)w->found[i].chosen << i % 64;
			tree->ellipsoids[tree->ellipsoid_count++] = w->found[i];
		}
	}
	return DBVH_OK;
}

dbvh_status dbvhi_add_ellipsoids( dbvh_tree *tree ) {
	if ( !( tree->largest >= 0x1p-300 && tree->largest <= 0x1p300 ) )
		return DBVH_OK;
	const dbvh_allocator *a = &tree->allocator;
	const size_t nodes = tree->node_count;
	// The largest node comes first; others need a part of its room, but threads one each.
	const uint32_t threads =
	    dbvhi_thread_count( tree->options.thread_count ) < 16 ? dbvhi_thread_count( tree->options.thread_count ) : 16;
	const size_t room = 18 * tree->triangle_count * threads;
	work w = { .tree = tree, .floor = 0x1p-28 * tree->nodes[0].half.v[2] };
	w.frames = dbvhi_alloc( a, nodes, sizeof *w.frames );
	w.found = dbvhi_alloc( a, nodes, sizeof *w.found );
	w.has = dbvhi_alloc( a, nodes, sizeof *w.has );
	w.room = dbvhi_alloc( a, room, sizeof *w.room );
	dbvh_status status = DBVH_OUT_OF_MEMORY;
	if ( w.frames != NULL && w.found != NULL && w.has != NULL && w.room != NULL ) {
		// Children come after their parents.
		const dbvhi_frame mesh = dbvhi_frame_mesh();
		w.frames[0] = dbvhi_frame_step( &mesh, &tree->nodes[0] );
		for ( size_t i = 0; i < nodes; ++i ) {
			const dbvhi_node *node = &tree->nodes[i];
			for ( uint32_t child = 0; !dbvhi_node_is_leaf( node ) && child < 2; ++child )
				w.frames[node->first + child] = dbvhi_frame_step( &w.frames[i], &tree->nodes[node->first + child] );
		}
		dbvhi_parallel_for( nodes, 16, threads, fit_task, &w );
		status = collect( &w );
	}
	dbvhi_free( a, w.frames, nodes, sizeof *w.frames );
	dbvhi_free( a, w.found, nodes, sizeof *w.found );
	dbvhi_free( a, w.has, nodes, sizeof *w.has );
	dbvhi_free( a, w.room, room, sizeof *w.room );
	return status;
}
