// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "assembly/describe.h"

#include "base/parallel.h"
#include "dualbvh/contact.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// The buffers of one thread.
typedef struct helper {
	dbvh_contacts *contacts;
	dbvh_overlap *overlap;
	dbvh_workspace *workspace;
} helper;

typedef struct describing {
	scene_findings *findings;
	dbvh_aabb *boxes; // by body, in the world
	uint32_t *bodies; // the bodies that take part in a clash
	helper *helpers;  // by thread
	const scene_watch *watch;
	bool takes_time;               // penetration depths may take a second each
	_Atomic bool has_failed;       // for want of memory
	_Atomic size_t sketched_count; // see the findings
} describing;

static bool is_over( void *user ) {
	const describing *d = user;
	return d->watch->is_over != NULL && d->watch->is_over( d->watch->user );
}

static const scene_body *body_of( const describing *d, uint32_t body ) {
	return &d->findings->assembly->model.bodies[body];
}

static dbvh_mesh_view mesh_of( const describing *d, uint32_t body ) {
	return dbvh_mesh_get_view( d->findings->assembly->model.meshes[body_of( d, body )->mesh].mesh );
}

static const dbvh_tree *tree_of( const describing *d, uint32_t body ) {
	return d->findings->trees->trees[body_of( d, body )->mesh];
}

// ------------------------------------------------------------------------------------------------
// Boxes

static void place( const dbvh_pose *pose, const double x[3], double out[3] ) {
	for ( int i = 0; i < 3; ++i )
		out[i] = pose->rot[i][0] * x[0] + pose->rot[i][1] * x[1] + pose->rot[i][2] * x[2] + pose->pos[i];
}

static void find_box( void *context, size_t index, uint32_t thread ) {
	describing *d = context;
	const uint32_t body = d->bodies[index];
	const dbvh_mesh_view view = mesh_of( d, body );
	const double *x = view.positions;
	dbvh_aabb box = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
	(void)thread;
	for ( size_t i = 0; i < view.vertex_count; ++i ) {
		double at[3];
		place( &body_of( d, body )->pose, x + 3 * i, at );
		for ( int k = 0; k < 3; ++k ) {
			box.min[k] = fmin( box.min[k], at[k] );
			box.max[k] = fmax( box.max[k], at[k] );
		}
	}
	d->boxes[body] = box;
}

static void common_region( const dbvh_aabb *a, const dbvh_aabb *b, dbvh_aabb *out ) {
	for ( int k = 0; k < 3; ++k ) {
		const double low = fmax( a->min[k], b->min[k] ), high = fmin( a->max[k], b->max[k] );
		out->min[k] = fmin( low, high );
		out->max[k] = fmax( low, high );
	}
}

static double diagonal( const dbvh_aabb *box ) {
	double sum = 0.0;
	for ( int k = 0; k < 3; ++k )
		sum += ( box->max[k] - box->min[k] ) * ( box->max[k] - box->min[k] );
	return sqrt( sum );
}

// ------------------------------------------------------------------------------------------------
// Points

static dbvh_tree *tree_of_triangle( const dbvh_mesh_view *view, uint32_t triangle ) {
	const uint32_t *corners = (const uint32_t *)view->indices + 3 * (size_t)triangle;
	const uint32_t indices[3] = { 0, 1, 2 };
	double positions[9];
	for ( int i = 0; i < 3; ++i )
		memcpy( positions + 3 * i, (const double *)view->positions + 3 * (size_t)corners[i], 3 * sizeof( double ) );
	const dbvh_mesh_view one = { .positions = positions, .vertex_count = 3, .indices = indices, .triangle_count = 1 };
	const dbvh_tree_options options = { .topology = true, .thread_count = 1 };
	dbvh_tree *tree = NULL;
	return dbvh_tree_build( &one, &options, NULL, &tree, NULL ) == DBVH_OK ? tree : NULL;
}

// The middle of what the first two triangles share. False where they share nothing.
static bool meeting_point( describing *d, helper *h, scene_clash *c ) {
	const dbvh_mesh_view a = mesh_of( d, c->a ), b = mesh_of( d, c->b );
	dbvh_tree *tree_a = tree_of_triangle( &a, c->first.a ), *tree_b = tree_of_triangle( &b, c->first.b );
	const dbvh_pose *pose_a = &body_of( d, c->a )->pose;
	bool meets = false;
	if ( tree_a == NULL || tree_b == NULL )
		d->has_failed = true;
	else if ( dbvh_contacts_find( tree_a, pose_a, tree_b, &body_of( d, c->b )->pose, NULL, h->contacts, NULL ) ==
	          DBVH_OK ) {
		const dbvh_contacts_view found = dbvh_contacts_get( h->contacts );
		double mean[3] = { 0 };
		for ( size_t i = 0; i < found.point_count; ++i )
			for ( int k = 0; k < 3; ++k )
				mean[k] += found.points[i].position[k] / (double)found.point_count;
		meets = found.point_count > 0;
		if ( meets )
			place( pose_a, mean, c->point );
	}
	dbvh_tree_destroy( tree_a );
	dbvh_tree_destroy( tree_b );
	return meets;
}

// Does a gap count as a touch, by the rule and the sags of both bodies?
static bool nearest_point( describing *d, helper *h, scene_clash *c ) {
	dbvh_distance_result near;
	const dbvh_budget budget = { .is_cancelled = is_over, .user = d };
	const dbvh_distance_query query = { .budget = &budget };
	if ( dbvh_distance( tree_of( d, c->a ), &body_of( d, c->a )->pose, tree_of( d, c->b ), &body_of( d, c->b )->pose,
	                    &query, h->workspace, &near, NULL ) != DBVH_OK ||
	     !near.found )
		return false;
	c->distance = near.distance;
	c->first = near.pair;
	for ( int k = 0; k < 3; ++k )
		c->point[k] = 0.5 * near.point_a[k] + 0.5 * near.point_b[k];
	return true;
}

static void corner_of( const describing *d, uint32_t body, double out[3] ) {
	const dbvh_mesh_view view = mesh_of( d, body );
	const size_t vertex = *(const uint32_t *)view.indices;
	place( &body_of( d, body )->pose, (const double *)view.positions + 3 * vertex, out );
}

static void find_point( describing *d, helper *h, scene_clash *c ) {
	switch ( c->kind ) {
	case DBVH_CLASH_KIND_CLEARANCE:
		c->has_first = true;
		return;
	case DBVH_CLASH_KIND_CONTAINMENT: // surfaces may meet or not: what is inside is where to look
		corner_of( d, c->exact == DBVH_RELATION_B_IN_A ? c->b : c->a, c->point );
		return;
	case DBVH_CLASH_KIND_DUPLICATE:
		corner_of( d, c->a, c->point );
		return;
	default:
		break;
	}
	const bool is_sketch = is_over( d );
	d->sketched_count += is_sketch;
	c->has_first = !is_sketch && c->exact != DBVH_RELATION_DISJOINT && meeting_point( d, h, c );
	if ( !c->has_first && !is_sketch && c->kind == DBVH_CLASH_KIND_TOUCH )
		c->has_first = nearest_point( d, h, c );
	if ( !c->has_first )
		for ( int k = 0; k < 3; ++k )
			c->point[k] = 0.5 * c->region.min[k] + 0.5 * c->region.max[k];
}

// ------------------------------------------------------------------------------------------------
// Measures

// Do the interiors have common points, as far as that is decided?
static bool overlaps( const scene_clash *c ) {
	return c->exact == DBVH_RELATION_OVERLAPPING || c->exact == DBVH_RELATION_A_IN_B ||
	       c->exact == DBVH_RELATION_B_IN_A || c->exact == DBVH_RELATION_EQUAL;
}

// The most work for one measure of a pair, about a second; and for a penetration depth that nobody asked for.
enum { MOST_WORK = 20000000, LITTLE_WORK = 1000000 };

static dbvh_budget budget_of( describing *d ) {
	return ( dbvh_budget ){ .max_work = MOST_WORK, .is_cancelled = is_over, .user = d };
}

// Find the volume of what the two have in common, its connected parts and its type.
static void measure_volume( describing *d, helper *h, scene_clash *c ) {
	dbvh_budget budget = budget_of( d );
	const dbvh_overlap_query query = { .thread_count = 1, .budget = &budget };
	// note: the first call about a tree also looks whether it intersects itself, by some steps a triangle.
	budget.max_work += 64 * ( (uint64_t)dbvh_tree_get_stats( tree_of( d, c->a ) ).triangle_count +
	                          dbvh_tree_get_stats( tree_of( d, c->b ) ).triangle_count );
	dbvh_overlap_result found;
	const dbvh_status status = dbvh_overlap_find( tree_of( d, c->a ), &body_of( d, c->a )->pose, tree_of( d, c->b ),
	                                              &body_of( d, c->b )->pose, &query, h->overlap, &found, NULL );
	c->overlap.reason = status == DBVH_OK ? found.reason : DBVH_OVERLAP_REASON_BUDGET;
	const dbvh_interval v = found.measure.volume;
	if ( c->overlap.reason == DBVH_OVERLAP_REASON_SELF_INTERSECTION && v.upper - v.lower <= 1e-3 * v.upper ) {
		c->overlap.has_volume = true;
		c->overlap.volume = v;
	}
	if ( c->overlap.reason != DBVH_OVERLAP_REASON_DECIDED )
		return;
	c->overlap.type = scene_type_word( found.kind );
	c->overlap.volume = found.measure.volume;
	c->overlap.components = found.component_count;
}

// Find how deep the two are in each other. An interval that a budget has left wide is valid.
static void measure_depth( describing *d, helper *h, scene_clash *c ) {
	const dbvh_budget budget = budget_of( d );
	const dbvh_local_depth_query query = { .budget = &budget };
	const dbvh_pose *pose = &body_of( d, c->a )->pose;
	dbvh_local_depth_result found;
	const dbvh_status status = dbvh_local_depth( tree_of( d, c->a ), pose, tree_of( d, c->b ),
	                                             &body_of( d, c->b )->pose, &query, h->workspace, &found, NULL );
	if ( ( status != DBVH_OK && status != DBVH_BUDGET_SPENT && status != DBVH_CANCELLED ) ||
	     !isfinite( found.least.upper ) )
		return;
	const dbvh_local_depth_side *side =
	    found.a_in_b.depth.upper <= found.b_in_a.depth.upper ? &found.a_in_b : &found.b_in_a;
	c->overlap.has_depth = true;
	c->overlap.depth = found.least;
	c->overlap.a_in_b = found.a_in_b.depth;
	c->overlap.b_in_a = found.b_in_a.depth;
	place( pose, side->deepest, c->overlap.deepest );
	place( pose, side->nearest, c->overlap.nearest );
}

static void measure( describing *d, helper *h, scene_clash *c ) {
	c->overlap.reason = DBVH_OVERLAP_REASON_BUDGET;
	if ( is_over( d ) )
		return;
	measure_volume( d, h, c );
	measure_depth( d, h, c );
}

// Find the shortest move of B after which the two no longer overlap, as far as the budget goes.
static void part_one( void *context, size_t index, uint32_t thread ) {
	describing *d = context;
	scene_clash *c = &d->findings->clashes[d->findings->worst[index]];
	dbvh_budget budget = budget_of( d );
	if ( !d->takes_time )
		budget.max_work = LITTLE_WORK;
	const dbvh_penetration_query query = { .budget = &budget };
	const dbvh_pose *pose = &body_of( d, c->a )->pose;
	dbvh_penetration_result found;
	if ( !overlaps( c ) || is_over( d ) )
		return;
	const dbvh_status status =
	    dbvh_penetration_depth( tree_of( d, c->a ), pose, tree_of( d, c->b ), &body_of( d, c->b )->pose, &query,
	                            d->helpers[thread].workspace, &found, NULL );
	if ( ( status != DBVH_OK && status != DBVH_BUDGET_SPENT && status != DBVH_CANCELLED ) ||
	     !isfinite( found.depth.upper ) )
		return;
	c->overlap.has_penetration = true;
	c->overlap.penetration = found.depth;
	for ( int i = 0; i < 3; ++i ) // from the frame of A
		c->overlap.separation[i] = pose->rot[i][0] * found.translation[0] + pose->rot[i][1] * found.translation[1] +
		                           pose->rot[i][2] * found.translation[2];
}

static void describe_one( void *context, size_t index, uint32_t thread ) {
	describing *d = context;
	scene_clash *c = &d->findings->clashes[index];
	const dbvh_aabb *a = &d->boxes[c->a], *b = &d->boxes[c->b];
	common_region( a, b, &c->region );
	c->size = fmin( diagonal( a ), diagonal( b ) );
	if ( overlaps( c ) )
		measure( d, &d->helpers[thread], c );
	else if ( c->kind == DBVH_CLASH_KIND_CLEARANCE )
		c->overlap.type = "encroaching";
	else if ( c->exact == DBVH_RELATION_TOUCHING )
		c->overlap.type = "touching";
	c->is_cut_short = is_over( d );
	find_point( d, &d->helpers[thread], c );
}

// ------------------------------------------------------------------------------------------------

static size_t list_bodies( const scene_findings *f, uint32_t *bodies ) {
	const size_t count = f->assembly->model.body_count;
	bool *takes_part = calloc( count + 1, sizeof *takes_part );
	size_t listed = 0;
	for ( size_t i = 0; takes_part != NULL && i < f->clash_count; ++i )
		takes_part[f->clashes[i].a] = takes_part[f->clashes[i].b] = true;
	for ( uint32_t i = 0; i < count; ++i )
		if ( takes_part == NULL || takes_part[i] )
			bodies[listed++] = i;
	free( takes_part );
	return listed;
}

static bool begin( describing *d, uint32_t threads ) {
	d->helpers = calloc( threads, sizeof *d->helpers );
	bool ok = d->helpers != NULL;
	for ( uint32_t i = 0; ok && i < threads; ++i )
		ok = dbvh_contacts_create( NULL, &d->helpers[i].contacts, NULL ) == DBVH_OK &&
		     dbvh_overlap_create( NULL, &d->helpers[i].overlap, NULL ) == DBVH_OK &&
		     dbvh_workspace_create( NULL, &d->helpers[i].workspace, NULL ) == DBVH_OK;
	return ok;
}

static void end( describing *d, uint32_t threads ) {
	for ( uint32_t i = 0; d->helpers != NULL && i < threads; ++i ) {
		dbvh_contacts_destroy( d->helpers[i].contacts );
		dbvh_overlap_destroy( d->helpers[i].overlap );
		dbvh_workspace_destroy( d->helpers[i].workspace );
	}
	free( d->helpers );
}

dbvh_status scene_describe( scene_findings *findings, uint32_t thread_count, const scene_watch *watch ) {
	const size_t body_count = findings->assembly->model.body_count;
	const uint32_t threads = dbvhi_thread_count( thread_count );
	describing d = { .findings = findings, .watch = watch };
	d.boxes = malloc( ( body_count + 1 ) * sizeof *d.boxes );
	d.bodies = malloc( ( body_count + 1 ) * sizeof *d.bodies );
	const bool ok = begin( &d, threads ) && d.boxes != NULL && d.bodies != NULL;
	if ( ok ) {
		dbvhi_parallel_for( list_bodies( findings, d.bodies ), 1, threads, find_box, &d );
		dbvhi_parallel_for( findings->clash_count, 1, threads, describe_one, &d );
	}
	findings->sketched_count = d.sketched_count;
	end( &d, threads );
	free( d.bodies );
	free( d.boxes );
	return ok && !d.has_failed ? DBVH_OK : DBVH_OUT_OF_MEMORY;
}

dbvh_status scene_part_worst( scene_findings *findings, size_t most, uint32_t thread_count, const scene_watch *watch ) {
	static const scene_watch none = { 0 };
	watch = watch != NULL ? watch : &none;
	const uint32_t threads = dbvhi_thread_count( thread_count );
	const bool takes_time = most > SCENE_MOST_PARTED;
	describing d = { .findings = findings, .watch = watch, .takes_time = takes_time };
	const bool ok = begin( &d, threads );
	if ( ok )
		dbvhi_parallel_for( most < findings->worst_count ? most : findings->worst_count, 1, threads, part_one, &d );
	end( &d, threads );
	return ok ? DBVH_OK : DBVH_OUT_OF_MEMORY;
}
