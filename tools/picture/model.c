// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "picture/model.h"

#include "text/grow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void model_free( model *m ) {
	for ( size_t i = 0; i < m->count; ++i ) {
		free( m->objects[i].name );
		free( m->objects[i].points );
		free( m->objects[i].triangles );
		free( m->objects[i].segments );
	}
	free( m->objects );
	*m = ( model ){ 0 };
}

static char *name_of( model *m, const char *format, va_list arguments ) {
	char *name = scene_print( format, arguments );
	m->has_failed |= name == NULL;
	return name;
}

static model_object *add_object( model *m, model_role role, const char *format, ... ) {
	va_list arguments;
	va_start( arguments, format );
	char *name = name_of( m, format, arguments );
	va_end( arguments );
	if ( name == NULL || !scene_grow( &m->objects, &m->capacity, m->count, sizeof *m->objects ) ) {
		m->has_failed = true;
		free( name );
		return NULL;
	}
	model_object *o = &m->objects[m->count++];
	*o = ( model_object ){ .name = name, .role = role };
	return o;
}

static uint32_t add_point( model *m, model_object *o, const double x[3] ) {
	for ( int k = 0; k < 3 && !m->has_failed; ++k )
		if ( scene_grow( &o->points, &o->point_capacity, 3 * o->point_count + (size_t)k, sizeof *o->points ) )
			o->points[3 * o->point_count + (size_t)k] = x[k];
		else
			m->has_failed = true;
	return m->has_failed ? 0 : (uint32_t)o->point_count++;
}

static void add_triangle( model *m, model_object *o, uint32_t a, uint32_t b, uint32_t c ) {
	const uint32_t corners[3] = { a, b, c };
	for ( int k = 0; k < 3 && !m->has_failed; ++k )
		if ( scene_grow( &o->triangles, &o->triangle_capacity, o->triangle_count, sizeof *o->triangles ) )
			o->triangles[o->triangle_count++] = corners[k];
		else
			m->has_failed = true;
}

static void add_segment( model *m, model_object *o, uint32_t a, uint32_t b ) {
	const uint32_t ends[2] = { a, b };
	for ( int k = 0; k < 2 && !m->has_failed; ++k )
		if ( scene_grow( &o->segments, &o->segment_capacity, o->segment_count, sizeof *o->segments ) )
			o->segments[o->segment_count++] = ends[k];
		else
			m->has_failed = true;
}

// Edges of a box: corner i has bit k where it is at the upper end of axis k.
static void add_box( model *m, model_object *o, const double corner[8][3] ) {
	uint32_t numbers[8];
	for ( int i = 0; i < 8; ++i )
		numbers[i] = add_point( m, o, corner[i] );
	for ( int i = 0; i < 8; ++i )
		for ( int bit = 1; bit < 8; bit *= 2 )
			if ( ( i & bit ) == 0 )
				add_segment( m, o, numbers[i], numbers[i | bit] );
}

static void add_aabb( model *m, model_object *o, const dbvh_aabb *box ) {
	double corner[8][3];
	for ( int i = 0; i < 8; ++i )
		for ( int k = 0; k < 3; ++k )
			corner[i][k] = ( i >> k & 1 ) != 0 ? box->max[k] : box->min[k];
	add_box( m, o, (const double( * )[3])corner );
}

static uint32_t first_frame( const picture *p ) {
	return p->frame_count > 0 ? 0 : PICTURE_NONE;
}

// ------------------------------------------------------------------------------------------------
// Layers

static void add_bodies( model *m, const picture *p ) {
	const picture_clash *worst = p->clash_count > 0 ? &p->clashes[0] : NULL;
	for ( uint32_t i = 0; i < p->body_count && !m->has_failed; ++i ) {
		const dbvh_mesh_view *view = &p->meshes[p->bodies[i].mesh].view;
		const dbvh_pose pose = picture_pose( p, i, first_frame( p ) );
		const uint32_t *corners = view->indices;
		const bool a = worst != NULL && worst->a == i, b = worst != NULL && worst->b == i;
		model_object *o = add_object( m, a ? MODEL_A : b ? MODEL_B : MODEL_REST, "%s", p->bodies[i].path );
		for ( size_t k = 0; o != NULL && k < view->vertex_count; ++k ) {
			double x[3];
			picture_place_point( &pose, (const double *)view->positions + 3 * k, x );
			add_point( m, o, x );
		}
		for ( size_t k = 0; o != NULL && k < view->triangle_count; ++k )
			add_triangle( m, o, corners[3 * k], corners[3 * k + 1], corners[3 * k + 2] );
	}
}

static void add_contacts( model *m, const picture *p, uint32_t clash ) {
	const picture_clash *c = &p->clashes[clash];
	if ( c->line_count + c->region_count == 0 )
		return;
	model_object *o = add_object( m, MODEL_CONTACT, "contact %s and %s%s%s", p->bodies[c->a].path, p->bodies[c->b].path,
	                              *c->id != '\0' ? " " : "", c->id );
	for ( size_t i = 0; o != NULL && i < c->line_count; ++i ) {
		const picture_line *line = &p->lines[c->first_line + i];
		uint32_t first = 0, last = 0;
		for ( size_t k = 0; k < line->count; ++k ) {
			const uint32_t at = add_point( m, o, p->points[line->first + k] );
			if ( k == 0 )
				first = at;
			else
				add_segment( m, o, last, at );
			last = at;
		}
		if ( line->closed || line->count == 1 )
			add_segment( m, o, last, first );
	}
	for ( size_t i = 0; o != NULL && i < c->region_count; ++i ) {
		const picture_region *region = &p->regions[c->first_region + i];
		uint32_t first = 0, last = 0;
		for ( size_t k = 0; k < region->count; ++k ) {
			const uint32_t at = add_point( m, o, p->points[region->first + k] );
			if ( k == 0 )
				first = at;
			else if ( k > 1 )
				add_triangle( m, o, first, last, at );
			last = at;
		}
	}
}

static void add_segment_between( model *m, const char *name, const picture *p, const picture_clash *c,
                                 const double *from, const double *to ) {
	model_object *o = add_object( m, MODEL_MARK, "%s %s and %s", name, p->bodies[c->a].path, p->bodies[c->b].path );
	if ( o != NULL ) {
		const uint32_t a = add_point( m, o, from ), b = add_point( m, o, to );
		add_segment( m, o, a, b );
	}
}

static void add_solid( model *m, const picture *p, const picture_clash *c ) {
	model_object *o = add_object( m, MODEL_MARK, "overlap %s and %s", p->bodies[c->a].path, p->bodies[c->b].path );
	for ( size_t i = 0; o != NULL && i < c->solid_vertex_count; ++i )
		add_point( m, o, c->solid_vertices + 3 * i );
	for ( size_t i = 0; o != NULL && i < c->solid_face_count; ++i )
		add_triangle( m, o, c->solid_corners[3 * i], c->solid_corners[3 * i + 1], c->solid_corners[3 * i + 2] );
}

static void add_marks( model *m, const picture *p, unsigned layers, uint32_t clash ) {
	const picture_clash *c = &p->clashes[clash];
	if ( ( layers & LAYER_CLUSTERS ) != 0 && c->place_count > 0 ) {
		model_object *o = add_object( m, MODEL_MARK, "clusters %s and %s", p->bodies[c->a].path, p->bodies[c->b].path );
		for ( size_t i = 0; o != NULL && i < c->place_count; ++i )
			add_aabb( m, o, &p->places[c->first_place + i].box );
	}
	if ( ( layers & LAYER_OVERLAP ) != 0 && c->solid_face_count > 0 )
		add_solid( m, p, c );
	if ( ( layers & LAYER_SEPARATION ) != 0 && c->has_move ) {
		double to[3];
		for ( int k = 0; k < 3; ++k )
			to[k] = c->point[k] + c->move[k];
		add_segment_between( m, "separation", p, c, c->point, to );
	}
	if ( ( layers & LAYER_DISTANCE ) != 0 && c->has_witness )
		add_segment_between( m, "distance", p, c, c->witness[0], c->witness[1] );
}

static void add_level( model *m, const picture *p, const picture_levels *tree, uint32_t level ) {
	const dbvh_pose pose = picture_pose( p, tree->body, first_frame( p ) );
	model_object *o =
	    add_object( m, tree == &p->levels[0] ? MODEL_A : MODEL_B, "level %u of %s", level, p->bodies[tree->body].path );
	for ( size_t i = 0; o != NULL && i < tree->count; ++i ) {
		const picture_node *node = &tree->nodes[i];
		const bool is_here = node->level == level || ( node->level < level && node->triangle_count == 1 );
		double corner[8][3];
		if ( !is_here )
			continue;
		for ( int c = 0; c < 8; ++c ) {
			double x[3];
			for ( int k = 0; k < 3; ++k ) {
				x[k] = node->box.centre[k];
				for ( int axis = 0; axis < 3; ++axis )
					x[k] += ( ( c >> axis & 1 ) != 0 ? 1.0 : -1.0 ) * node->box.half[axis] * node->box.axis[axis][k];
			}
			picture_place_point( &pose, x, corner[c] );
		}
		add_box( m, o, (const double( * )[3])corner );
	}
}

bool model_make( const picture *p, unsigned layers, uint32_t level, model *out ) {
	*out = ( model ){ 0 };
	if ( ( layers & LAYER_BODIES ) != 0 )
		add_bodies( out, p );
	for ( uint32_t i = 0; i < p->clash_count && !out->has_failed; ++i ) {
		// A clash of a later frame is not shown: bodies stand where the first frame has them.
		if ( p->clashes[i].frame != PICTURE_NONE && p->clashes[i].frame != 0 )
			continue;
		if ( ( layers & LAYER_CONTACTS ) != 0 )
			add_contacts( out, p, i );
		add_marks( out, p, layers, i );
	}
	for ( size_t i = 0; ( layers & LAYER_LEVELS ) != 0 && i < p->level_count; ++i )
		add_level( out, p, &p->levels[i], level );
	return !out->has_failed;
}
