// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "picture/shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	LEAST = 256,     // triangles that no body goes without
	MOST_FOCUS = 256 // boxes of one body
};

typedef struct sharing {
	const picture *p;
	picture_shapes *out;
	bool *is_near;       // by body
	uint32_t *far_shape; // by mesh, of bodies that are not near; PICTURE_NONE: not made yet
	uint32_t *whole_shape;
	size_t near_most, far_most; // triangles of a body that are drawn
} sharing;

static size_t triangles_of( const picture *p, uint32_t body ) {
	return p->meshes[p->bodies[body].mesh].view.triangle_count;
}

static void find_near( sharing *s ) {
	const picture *p = s->p;
	for ( size_t i = 0; i < p->clash_count; ++i )
		s->is_near[p->clashes[i].a] = s->is_near[p->clashes[i].b] = true;
	for ( size_t i = 0; i < p->track_count; ++i )
		s->is_near[p->tracks[i].body] = true;
}

static int compare_counts( const void *a, const void *b ) {
	const size_t x = *(const size_t *)a, y = *(const size_t *)b;
	return ( x > y ) - ( x < y );
}

// The most triangles of a body for which all bodies together have no more than the budget. So small bodies stay whole,
// and the largest ones give. counts[] is sorted on the way.
static size_t ceiling( size_t *counts, size_t count, size_t budget ) {
	qsort( counts, count, sizeof *counts, compare_counts );
	for ( size_t i = 0; i < count; ++i ) {
		const size_t share = budget / ( count - i );
		if ( counts[i] > share )
			return share;
		budget -= counts[i];
	}
	return SIZE_MAX;
}

// Bodies that clash have three quarters of the budget, if they need as much; the others have the rest.
static bool share_out( sharing *s, size_t budget ) {
	const uint32_t body_count = s->p->body_count;
	size_t *counts = malloc( ( body_count + 1 ) * sizeof *counts );
	size_t near = 0, near_count = 0, far_count = 0;
	if ( counts == NULL )
		return false;
	for ( uint32_t i = 0; i < body_count; ++i )
		if ( s->is_near[i] ) {
			near += triangles_of( s->p, i );
			counts[near_count++] = triangles_of( s->p, i );
		} else {
			counts[body_count - ++far_count] = triangles_of( s->p, i );
		}
	const size_t most = far_count > 0 ? budget - budget / 4 : budget;
	s->near_most = ceiling( counts, near_count, most );
	s->far_most = ceiling( counts + near_count, far_count, budget - ( near < most ? near : most ) );
	free( counts );
	return true;
}

// The box of a place in the frame of a body.
static dbvh_aabb to_body( const dbvh_aabb *box, const dbvh_pose *pose ) {
	dbvh_aabb out;
	for ( int i = 0; i < 3; ++i ) {
		out.min[i] = out.max[i] = 0.0;
		for ( int k = 0; k < 3; ++k ) {
			const double x = pose->rot[k][i] * ( box->min[k] - pose->pos[k] );
			const double y = pose->rot[k][i] * ( box->max[k] - pose->pos[k] );
			out.min[i] += fmin( x, y );
			out.max[i] += fmax( x, y );
		}
	}
	return out;
}

// The boxes of a body that somebody may look at.
static size_t find_focus( const picture *p, uint32_t body, dbvh_aabb *out ) {
	size_t count = 0;
	for ( size_t i = 0; i < p->clash_count; ++i ) {
		const picture_clash *c = &p->clashes[i];
		if ( c->a != body && c->b != body )
			continue;
		const dbvh_pose pose = picture_pose( p, body, c->frame );
		for ( size_t k = 0; k < c->place_count && count < MOST_FOCUS; ++k )
			out[count++] = to_body( &p->places[c->first_place + k].box, &pose );
		dbvh_aabb point;
		memcpy( point.min, c->point, sizeof point.min );
		memcpy( point.max, c->point, sizeof point.max );
		if ( c->place_count == 0 && count < MOST_FOCUS )
			out[count++] = to_body( &point, &pose );
	}
	return count;
}

// Adds a shape, and gives its number; fewer triangles where the target says so.
static uint32_t add_shape( sharing *s, uint32_t mesh, size_t most, const dbvh_aabb *focus, size_t focus_count ) {
	const dbvh_mesh_view *view = &s->p->meshes[mesh].view;
	picture_shape *shape = &s->out->shapes[s->out->count];
	const size_t wanted = most > LEAST ? most : LEAST;
	*shape = ( picture_shape ){ .mesh = mesh, .view = *view };
	if ( wanted < view->triangle_count - view->triangle_count / 20 ) {
		if ( !simplify( view, wanted, focus, focus_count, &shape->own ) )
			return PICTURE_NONE;
		shape->is_simplified = shape->own.triangle_count > 0 && shape->own.triangle_count < view->triangle_count;
	}
	if ( shape->is_simplified )
		shape->view = ( dbvh_mesh_view ){ .positions = shape->own.positions,
		                                  .vertex_count = shape->own.vertex_count,
		                                  .indices = shape->own.indices,
		                                  .triangle_count = shape->own.triangle_count };
	return (uint32_t)s->out->count++;
}

static uint32_t shape_of( sharing *s, uint32_t body ) {
	const uint32_t mesh = s->p->bodies[body].mesh;
	const bool near = s->is_near[body];
	const size_t most = near ? s->near_most : s->far_most;
	const bool is_whole = most >= s->p->meshes[mesh].view.triangle_count;
	if ( near && !is_whole ) {
		dbvh_aabb focus[MOST_FOCUS];
		return add_shape( s, mesh, most, focus, find_focus( s->p, body, focus ) );
	}
	uint32_t *known = is_whole ? &s->whole_shape[mesh] : &s->far_shape[mesh];
	if ( *known == PICTURE_NONE )
		*known = add_shape( s, mesh, most, NULL, 0 );
	return *known;
}

static bool make( sharing *s, size_t budget ) {
	picture_shapes *out = s->out;
	find_near( s );
	if ( !share_out( s, budget ) )
		return false;
	for ( size_t i = 0; i < s->p->mesh_count; ++i )
		s->far_shape[i] = s->whole_shape[i] = PICTURE_NONE;
	for ( uint32_t i = 0; i < s->p->body_count; ++i ) {
		const uint32_t shape = shape_of( s, i );
		if ( shape == PICTURE_NONE )
			return false;
		out->of_body[i] = shape;
		out->shapes[shape].is_near |= s->is_near[i];
		out->drawn += out->shapes[shape].view.triangle_count;
		out->whole += triangles_of( s->p, i );
		out->simplified_count += out->shapes[shape].is_simplified;
	}
	return true;
}

bool picture_shapes_make( const picture *p, size_t budget, picture_shapes *out ) {
	*out = ( picture_shapes ){ 0 };
	sharing s = { .p = p, .out = out };
	// Each body adds at most one.
	out->shapes = calloc( p->body_count + 1, sizeof *out->shapes );
	out->of_body = calloc( p->body_count + 1, sizeof *out->of_body );
	s.is_near = calloc( p->body_count + 1, sizeof *s.is_near );
	s.far_shape = calloc( p->mesh_count + 1, sizeof *s.far_shape );
	s.whole_shape = calloc( p->mesh_count + 1, sizeof *s.whole_shape );
	const bool ok = out->shapes != NULL && out->of_body != NULL && s.is_near != NULL && s.far_shape != NULL &&
	                s.whole_shape != NULL && make( &s, budget );
	free( s.is_near );
	free( s.far_shape );
	free( s.whole_shape );
	if ( !ok )
		picture_shapes_free( out );
	return ok;
}

void picture_shapes_free( picture_shapes *s ) {
	for ( size_t i = 0; s->shapes != NULL && i < s->count; ++i ) {
		free( s->shapes[i].own.positions );
		free( s->shapes[i].own.indices );
	}
	free( s->shapes );
	free( s->of_body );
	*s = ( picture_shapes ){ 0 };
}
