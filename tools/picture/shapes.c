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
	double near_part, far_part; // share of their triangles that is drawn
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

static void share_out( sharing *s, size_t budget ) {
	double near = 0.0, far = 0.0;
	for ( uint32_t i = 0; i < s->p->body_count; ++i )
		*( s->is_near[i] ? &near : &far ) += (double)triangles_of( s->p, i );
	s->near_part = s->far_part = 1.0;
	if ( near + far <= (double)budget )
		return;
	const double most = far > 0.0 ? 0.75 * (double)budget : (double)budget;
	if ( near > most )
		s->near_part = most / near;
	if ( far > 0.0 )
		s->far_part = fmin( ( (double)budget - fmin( near, most ) ) / far, 1.0 );
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
static uint32_t add_shape( sharing *s, uint32_t mesh, double part, const dbvh_aabb *focus, size_t focus_count ) {
	const dbvh_mesh_view *view = &s->p->meshes[mesh].view;
	picture_shape *shape = &s->out->shapes[s->out->count];
	const double wanted = fmax( part * (double)view->triangle_count, LEAST );
	*shape = ( picture_shape ){ .mesh = mesh, .view = *view };
	if ( wanted < 0.95 * (double)view->triangle_count ) {
		if ( !simplify( view, (size_t)wanted, focus, focus_count, &shape->own ) )
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
	const double part = near ? s->near_part : s->far_part;
	if ( near && part < 1.0 ) {
		dbvh_aabb focus[MOST_FOCUS];
		return add_shape( s, mesh, part, focus, find_focus( s->p, body, focus ) );
	}
	uint32_t *known = part < 1.0 ? &s->far_shape[mesh] : &s->whole_shape[mesh];
	if ( *known == PICTURE_NONE )
		*known = add_shape( s, mesh, part, NULL, 0 );
	return *known;
}

static bool make( sharing *s, size_t budget ) {
	picture_shapes *out = s->out;
	find_near( s );
	share_out( s, budget );
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
