// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "base/assert.h"
#include "bvh/ellipsoid/ellipsoids.h"
#include "bvh/ellipsoid_test.h"
#include "bvh/packed/pack.h"
#include "bvh/tree.h"
#include "exact/tri_tri.h"

#include <math.h>
#include <string.h>

// Offsets along the line of approach from first touch, in diameters.
static const double offsets[DBVHI_SAMPLE_OFFSETS] = { 0.0, 0.01, 0.05, -0.01 };
enum {
	MARCH = 12,
	BISECTIONS = 11,
	STEPS_OF_ONE = 1 << 14, // a query that takes more is abandoned
};

// ------------------------------------------------------------------------------------------------
// Queries

typedef struct placed {
	dbvhi_mat rot; // frame of a from frame of b
	dbvhi_vec pos;
	uint32_t a, b;
} placed;

static bool spheres_may_meet( const dbvhi_node *a, dbvhi_vec sphere_a, const dbvhi_node *b, dbvhi_vec sphere_b ) {
	const dbvhi_vec way = dbvhi_sub( sphere_b, sphere_a );
	return dbvhi_dot( way, way ) <= ( a->radius + b->radius ) * ( a->radius + b->radius );
}

// True if no face normal of either box separates the two.
static bool boxes_may_meet( dbvhi_profile *p, const placed *at ) {
	const dbvhi_node *a = &p->tree->nodes[at->a], *b = &p->tree->nodes[at->b];
	p->done.boxes += 1;
	const dbvhi_vec back = dbvhi_mat_apply_transposed( &at->rot, at->pos );
	for ( int i = 0; i < 3; ++i ) {
		double reach_a = a->half.v[i], reach_b = b->half.v[i];
		for ( int k = 0; k < 3; ++k ) {
			reach_a += b->half.v[k] * fabs( at->rot.m[i][k] );
			reach_b += a->half.v[k] * fabs( at->rot.m[k][i] );
		}
		if ( fabs( at->pos.v[i] ) > reach_a || fabs( back.v[i] ) > reach_b )
			return false;
	}
	return true;
}

static bool may_meet( dbvhi_profile *p, const placed *at, dbvhi_vec sphere_a, dbvhi_vec sphere_b ) {
	p->done.spheres += 1;
	return spheres_may_meet( &p->tree->nodes[at->a], sphere_a, &p->tree->nodes[at->b], sphere_b ) &&
	       boxes_may_meet( p, at );
}

static bool step_moved( dbvhi_profile *p, const placed *at, uint32_t child, placed *out ) {
	DBVHI_ASSERT( child < p->tree->node_count );
	const dbvhi_node *a = &p->tree->nodes[at->a], *b = &p->tree->nodes[child];
	*out = ( placed ){ dbvhi_mat_mul( &at->rot, &b->rot ), dbvhi_add( dbvhi_mat_apply( &at->rot, b->pos ), at->pos ),
	                   at->a, child };
	return may_meet( p, out, a->sphere_inside, dbvhi_add( dbvhi_mat_apply( &at->rot, b->sphere_outside ), at->pos ) );
}

static bool step_fixed( dbvhi_profile *p, const placed *at, uint32_t child, placed *out ) {
	DBVHI_ASSERT( child < p->tree->node_count );
	const dbvhi_node *a = &p->tree->nodes[child], *b = &p->tree->nodes[at->b];
	*out = ( placed ){ dbvhi_mat_mul_transposed( &a->rot, &at->rot ),
	                   dbvhi_mat_apply_transposed( &a->rot, dbvhi_sub( at->pos, a->pos ) ), child, at->b };
	return may_meet( p, out, a->sphere_outside, dbvhi_add( dbvhi_mat_apply( &at->rot, b->sphere_inside ), at->pos ) );
}

static void compare_triangles( dbvhi_profile *p, const dbvhi_node *a, const dbvhi_node *b ) {
	for ( uint32_t i = a->low; i < a->low + a->total && !p->over; ++i ) {
		for ( uint32_t j = b->low; j < b->low + b->total && !p->over; ++j ) {
			double image[9];
			dbvhi_triangle_move( &p->pose, p->tree->corners + 9 * (size_t)j, image );
			p->met = dbvhi_triangles_filter( p->tree->corners + 9 * (size_t)i, image, p->error ) != DBVHI_DISJOINT;
			p->over = p->met;
		}
	}
}

static uint32_t open_record( dbvhi_profile *p, const placed *at, uint32_t parent ) {
	DBVHI_ASSERT( p->count <= DBVHI_SAMPLE_RECORDS );
	const uint8_t a = p->number[at->a], b = p->number[at->b];
	if ( !p->recording || a == 0 || b == 0 || p->count == DBVHI_SAMPLE_RECORDS )
		return DBVHI_NO_RECORD;
	dbvhi_sample_record *r = &p->records[p->count];
	*r = ( dbvhi_sample_record ){ .parent = parent, .a = a - 1, .b = b - 1, .below = p->done };
	r->separated = dbvhi_ellipsoids_disjoint( &p->found[at->a].reach, &p->found[at->b].reach, &at->rot, at->pos, 0.0 );
	return p->count++;
}

static void close_record( dbvhi_profile *p, uint32_t mine ) {
	if ( mine == DBVHI_NO_RECORD )
		return;
	dbvhi_work_done *below = &p->records[mine].below;
	*below = ( dbvhi_work_done ){ p->done.spheres - below->spheres, p->done.boxes - below->boxes,
	                              p->done.triangles - below->triangles };
}

// Follows the order of the reference traversal, to the depth of both trees together.
static void descend( dbvhi_profile *p, const placed *at, uint32_t parent ) {
	const dbvhi_node *a = &p->tree->nodes[at->a], *b = &p->tree->nodes[at->b];
	const uint32_t mine = open_record( p, at, parent ), nearest = mine != DBVHI_NO_RECORD ? mine : parent;
	const bool leaf_a = dbvhi_node_is_leaf( a ), leaf_b = dbvhi_node_is_leaf( b );
	p->over = p->over || ++p->steps > STEPS_OF_ONE;
	if ( leaf_a && leaf_b ) {
		p->done.triangles += a->count * b->count;
		compare_triangles( p, a, b );
	} else {
		const bool divide_a = leaf_b || ( !leaf_a && a->radius > b->radius );
		placed child[2];
		bool left[2];
		// note: both children are tested before the first is descended into.
		for ( uint32_t k = 0; k < 2; ++k )
			left[k] =
			    divide_a ? step_fixed( p, at, a->first + k, &child[k] ) : step_moved( p, at, b->first + k, &child[k] );
		for ( uint32_t k = 0; k < 2 && !p->over; ++k ) {
			if ( left[k] )
				descend( p, &child[k], nearest );
		}
	}
	close_record( p, mine );
}

// The traversal of the packed form: four by four children at once, roots untested; each side of an opened pair is a
// node's children or, if it stays behind, one child.
typedef struct side {
	uint32_t count, node[DBVHI_WIDTH];
} side;

static placed place( const dbvhi_profile *p, uint32_t a, uint32_t b ) {
	DBVHI_ASSERT( a < p->tree->node_count && b < p->tree->node_count );
	const dbvhi_frame *in_a = &p->frames[a], *in_b = &p->frames[b];
	dbvhi_mat rot;
	dbvhi_vec pos;
	memcpy( rot.m, p->pose.rot, sizeof rot.m );
	memcpy( pos.v, p->pose.pos, sizeof pos.v );
	const dbvhi_mat turned = dbvhi_mat_mul( &rot, &in_b->axes );
	const dbvhi_vec way = dbvhi_sub( dbvhi_add( dbvhi_mat_apply( &rot, in_b->origin ), pos ), in_a->origin );
	return ( placed ){ dbvhi_mat_mul_transposed( &in_a->axes, &turned ), dbvhi_mat_apply_transposed( &in_a->axes, way ),
	                   a, b };
}

static bool is_packed_leaf( const dbvhi_profile *p, uint32_t node ) {
	DBVHI_ASSERT( node < p->tree->node_count );
	return p->tree->nodes[node].total <= DBVHI_WIDTH;
}

static void divide( const dbvhi_profile *p, uint32_t node, side *out ) {
	DBVHI_ASSERT( node < p->tree->node_count );
	out->count = (uint32_t)dbvhi_packed_children( p->tree, node, out->node );
}

static void descend_wide( dbvhi_profile *p, const side *in_a, const side *in_b, uint32_t parent ) {
	const dbvhi_node *nodes = p->tree->nodes;
	p->done.spheres += 1;
	p->over = p->over || ++p->steps > STEPS_OF_ONE;
	dbvhi_vec sphere_b[DBVHI_WIDTH];
	for ( uint32_t j = 0; j < in_b->count; ++j ) {
		const dbvhi_vec local = dbvhi_frame_point( &p->frames[in_b->node[j]], nodes[in_b->node[j]].sphere_inside );
		for ( int k = 0; k < 3; ++k )
			sphere_b[j].v[k] = p->pose.rot[k][0] * local.v[0] + p->pose.rot[k][1] * local.v[1] +
			                   p->pose.rot[k][2] * local.v[2] + p->pose.pos[k];
	}
	for ( uint32_t i = 0; i < in_a->count; ++i ) {
		const uint32_t a = in_a->node[i];
		const dbvhi_vec sphere_a = dbvhi_frame_point( &p->frames[a], nodes[a].sphere_inside );
		for ( uint32_t j = 0; j < in_b->count && !p->over; ++j ) {
			const uint32_t b = in_b->node[j];
			if ( !spheres_may_meet( &nodes[a], sphere_a, &nodes[b], sphere_b[j] ) )
				continue;
			const placed at = place( p, a, b );
			if ( !boxes_may_meet( p, &at ) )
				continue;
			const bool leaf_a = is_packed_leaf( p, a ), leaf_b = is_packed_leaf( p, b );
			if ( leaf_a && leaf_b ) {
				p->done.triangles += 1;
				compare_triangles( p, &nodes[a], &nodes[b] );
				continue;
			}
			const double ratio = (double)DBVHI_SIZE_RATIO;
			const bool a_stays = leaf_a || ( !leaf_b && nodes[b].radius > ratio * nodes[a].radius );
			const bool b_stays = leaf_b || ( !leaf_a && nodes[a].radius > ratio * nodes[b].radius );
			const uint32_t mine = a_stays || b_stays ? DBVHI_NO_RECORD : open_record( p, &at, parent );
			side next_a = { 1, { a } }, next_b = { 1, { b } };
			if ( !a_stays )
				divide( p, a, &next_a );
			if ( !b_stays )
				divide( p, b, &next_b );
			descend_wide( p, &next_a, &next_b, mine != DBVHI_NO_RECORD ? mine : parent );
			close_record( p, mine );
		}
	}
}

// True if the mesh and its copy at this pose intersect, as far as filters tell.
static bool ask( dbvhi_profile *p, const dbvh_pose *pose, bool recording ) {
	const dbvhi_node *root = &p->tree->nodes[0];
	p->pose = *pose;
	p->error = dbvhi_move_error( pose, p->tree->largest );
	p->done = ( dbvhi_work_done ){ 0 };
	p->steps = 0;
	p->recording = recording;
	p->over = p->met = false;
	if ( p->wide ) {
		const placed roots = place( p, 0, 0 );
		const uint32_t mine = open_record( p, &roots, DBVHI_NO_RECORD );
		side children;
		divide( p, 0, &children );
		descend_wide( p, &children, &children, mine );
		close_record( p, mine );
		return p->met;
	}
	dbvhi_mat rot;
	dbvhi_vec pos;
	memcpy( rot.m, pose->rot, sizeof rot.m );
	memcpy( pos.v, pose->pos, sizeof pos.v );
	const placed meshes = { dbvhi_mat_mul_transposed( &root->rot, &rot ),
	                        dbvhi_mat_apply_transposed( &root->rot, dbvhi_sub( pos, root->pos ) ), 0, 0 };
	placed roots;
	if ( step_moved( p, &meshes, 0, &roots ) )
		descend( p, &roots, DBVHI_NO_RECORD );
	return p->met;
}

// ------------------------------------------------------------------------------------------------
// Poses

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

static dbvhi_vec random_direction( dice *d ) {
	for ( ;; ) {
		const dbvhi_vec v = { { throw_dice( d ), throw_dice( d ), throw_dice( d ) } };
		const double square = dbvhi_dot( v, v );
		if ( square <= 1.0 && square >= 0.01 )
			return dbvhi_scale( 1.0 / sqrt( square ), v );
	}
}

// Returns the pose that turns the copy about the centre of the mesh's sphere and moves it `reach` away.
static dbvh_pose pose_at( const dbvh_tree *tree, const dbvhi_mat *rot, dbvhi_vec along, double reach ) {
	const dbvhi_vec middle = tree->nodes[0].sphere_outside;
	const dbvhi_vec pos = dbvhi_sub( dbvhi_add( middle, dbvhi_scale( reach, along ) ), dbvhi_mat_apply( rot, middle ) );
	dbvh_pose pose;
	memcpy( pose.rot, rot->m, sizeof pose.rot );
	memcpy( pose.pos, pos.v, sizeof pose.pos );
	return pose;
}

// Returns the offset at which the copy just touches the mesh on a line; negative if it passes by.
static double touching( dbvhi_profile *p, const dbvhi_mat *rot, dbvhi_vec along ) {
	const double most = 2.0 * p->tree->nodes[0].radius;
	double outside = most, inside = most;
	for ( int i = MARCH - 1; i >= 0 && inside == most; --i ) {
		const double reach = most * i / MARCH;
		const dbvh_pose pose = pose_at( p->tree, rot, along, reach );
		if ( ask( p, &pose, false ) )
			inside = reach;
		else
			outside = reach;
	}
	if ( inside == most )
		return -1.0;
	for ( int i = 0; i < BISECTIONS; ++i ) {
		const double reach = 0.5 * ( inside + outside );
		const dbvh_pose pose = pose_at( p->tree, rot, along, reach );
		if ( ask( p, &pose, false ) )
			inside = reach;
		else
			outside = reach;
	}
	return outside;
}

void dbvhi_find_approaches( dbvhi_profile *p ) {
	dice d = { 6 };
	DBVHI_ASSERT( p->line_count <= DBVHI_SAMPLE_POSES );
	for ( uint32_t i = 0; i < p->line_count; ++i ) {
		dbvhi_approach *to = &p->approaches[p->approach_count];
		to->rot = random_turn( &d );
		to->along = random_direction( &d );
		to->reach = touching( p, &to->rot, to->along );
		p->approach_count += to->reach >= 0.0;
	}
}

void dbvhi_record_samples( dbvhi_profile *p, bool wide ) {
	p->wide = wide;
	p->count = 0;
	p->sample_count = 0;
	for ( uint32_t i = 0; i < p->approach_count; ++i ) {
		const dbvhi_approach *to = &p->approaches[i];
		for ( uint32_t k = 0; k < DBVHI_SAMPLE_OFFSETS; ++k ) {
			const double reach = to->reach + 2.0 * p->tree->nodes[0].radius * offsets[k];
			const dbvh_pose pose = pose_at( p->tree, &to->rot, to->along, reach );
			dbvhi_sample *s = &p->samples[p->sample_count++];
			s->first = p->count;
			ask( p, &pose, true );
			s->count = p->count - s->first;
			s->offset = k;
			s->all = p->done;
		}
	}
}
