// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "picture/contact_finder.h"

#include "assembly/findings.h"
#include "dualbvh/contact.h"
#include "picture/limits.h"

#include <math.h>

enum { DEPTH_WORK = 2000000 }; // steps for the depth of one clash

bool contact_finder_create( picture *p, size_t most_overlaps, contact_finder *out ) {
	*out = ( contact_finder ){ .p = p, .most_overlaps = most_overlaps };
	return dbvh_contacts_create( NULL, &out->contacts, NULL ) == DBVH_OK &&
	       ( most_overlaps == 0 || dbvh_overlap_create( NULL, &out->overlap, NULL ) == DBVH_OK ) &&
	       dbvh_workspace_create( NULL, &out->workspace, NULL ) == DBVH_OK;
}

void contact_finder_destroy( contact_finder *f ) {
	dbvh_contacts_destroy( f->contacts );
	dbvh_overlap_destroy( f->overlap );
	dbvh_workspace_destroy( f->workspace );
}

static void add_contacts( contact_finder *f, const dbvh_tree *const trees[2], const dbvh_pose poses[2] ) {
	picture *p = f->p;
	const dbvh_budget budget = picture_budget( PICTURE_MOST_WORK );
	const dbvh_contacts_query query = { .budget = &budget };
	if ( p->point_count > PICTURE_MOST_POINTS || picture_is_over() ||
	     dbvh_contacts_find( trees[0], &poses[0], trees[1], &poses[1], &query, f->contacts, NULL ) != DBVH_OK ) {
		p->clashes[p->clash_count - 1].contacts_left_out = true;
		return;
	}
	const dbvh_contacts_view found = dbvh_contacts_get( f->contacts );
	picture_add_contacts( p, &found, &poses[0] );
}

// Find how deep the two are in each other. An interval that a budget has left wide is valid.
static void add_depth( contact_finder *f, const dbvh_tree *const trees[2], const dbvh_pose poses[2],
                       picture_clash *c ) {
	const dbvh_budget budget = picture_budget( DEPTH_WORK );
	const dbvh_local_depth_query query = { .budget = &budget };
	dbvh_local_depth_result found;
	const dbvh_status status =
	    dbvh_local_depth( trees[0], &poses[0], trees[1], &poses[1], &query, f->workspace, &found, NULL );
	if ( ( status != DBVH_OK && status != DBVH_BUDGET_SPENT ) || !isfinite( found.least.upper ) )
		return;
	const dbvh_local_depth_side *side =
	    found.a_in_b.depth.upper <= found.b_in_a.depth.upper ? &found.a_in_b : &found.b_in_a;
	c->has_depth = found.least.upper > 0.0;
	c->has_deepest = found.least.lower > 0.0;
	c->depth = found.least;
	picture_place_point( &poses[0], side->deepest, c->deepest[0] );
	picture_place_point( &poses[0], side->nearest, c->deepest[1] );
}

// Find the overlap, with its measures. One that takes too long, or has none, is left out.
static void add_overlap( contact_finder *f, const dbvh_tree *const trees[2], const dbvh_pose poses[2] ) {
	picture *p = f->p;
	const dbvh_budget budget = picture_budget( PICTURE_MOST_WORK );
	const dbvh_overlap_query query = { .mesh = true, .budget = &budget };
	dbvh_overlap_result result;
	if ( f->overlap == NULL || p->clash_count > f->most_overlaps || picture_is_over() )
		return;
	if ( dbvh_overlap_find( trees[0], &poses[0], trees[1], &poses[1], &query, f->overlap, &result, NULL ) != DBVH_OK ||
	     !( result.measure.volume.upper > 0.0 ) )
		return;
	picture_clash *c = &p->clashes[p->clash_count - 1];
	c->has_volume = result.reason == DBVH_OVERLAP_REASON_DECIDED;
	c->volume = result.measure.volume;
	c->type = c->has_volume ? scene_type_word( result.kind ) : NULL;
	const dbvh_overlap_view found = dbvh_overlap_get( f->overlap );
	picture_add_overlap( p, &found, &poses[0] );
	add_depth( f, trees, poses, c );
}

void contact_finder_add( contact_finder *f, const dbvh_tree *const trees[2], const dbvh_pose poses[2] ) {
	add_contacts( f, trees, poses );
	add_overlap( f, trees, poses );
}

void contact_finder_look_at( const picture *p, picture_clash *c ) {
	dbvh_aabb all;
	const bool has_places = picture_places_box( p, c, &all );
	const dbvh_aabb a = picture_box_of( p, c->a, c->frame ), b = picture_box_of( p, c->b, c->frame );
	double least = INFINITY, largest = c->has_witness ? 2.0 * c->distance : 0.0;
	for ( int k = 0; k < 3; ++k ) {
		const double low = fmax( a.min[k], b.min[k] ), high = fmin( a.max[k], b.max[k] );
		if ( has_places ) {
			c->point[k] = 0.5 * all.min[k] + 0.5 * all.max[k];
			largest = fmax( largest, all.max[k] - all.min[k] );
		} else if ( c->has_witness )
			c->point[k] = 0.5 * c->witness[0][k] + 0.5 * c->witness[1][k];
		else
			c->point[k] = 0.5 * low + 0.5 * high;
		least = fmin( least, fmin( hypot( a.max[0] - a.min[0], a.max[1] - a.min[1] ),
		                           hypot( b.max[0] - b.min[0], b.max[1] - b.min[1] ) ) );
	}
	c->size = fmax( largest, 0.2 * least );
}
