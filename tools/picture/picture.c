// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "picture/picture.h"

#include "text/grow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void picture_free( picture *p ) {
	for ( size_t i = 0; i < p->body_count; ++i )
		free( p->bodies[i].path );
	for ( size_t i = 0; i < p->clash_count; ++i ) {
		free( p->clashes[i].id );
		free( p->clashes[i].sentence );
	}
	for ( size_t i = 0; i < p->group_count; ++i )
		free( p->groups[i].name );
	for ( size_t i = 0; i < p->track_count; ++i )
		free( p->tracks[i].poses );
	for ( size_t i = 0; i < p->level_count; ++i )
		free( p->levels[i].nodes );
	for ( size_t i = 0; i < p->note_count; ++i )
		free( p->notes[i] );
	for ( size_t i = 0; i < p->owned_count; ++i )
		free( p->owned[i] );
	free( p->owned );
	free( p->title );
	free( p->meshes );
	free( p->bodies );
	free( p->clashes );
	free( p->groups );
	free( p->places );
	free( p->lines );
	free( p->regions );
	free( p->points );
	free( p->tracks );
	free( p->frames );
	free( p->notes );
	*p = ( picture ){ 0 };
}

char *picture_print( picture *p, const char *format, ... ) {
	va_list arguments;
	va_start( arguments, format );
	char *text = scene_print( format, arguments );
	va_end( arguments );
	p->has_failed |= text == NULL;
	return text;
}

// Room for one more of a list of the picture.
static bool grow( picture *p, void *array, size_t *capacity, size_t count, size_t size ) {
	const bool ok = scene_grow( array, capacity, count, size );
	p->has_failed |= !ok;
	return ok;
}

void *picture_own( picture *p, void *memory ) {
	if ( memory == NULL || !grow( p, &p->owned, &p->owned_capacity, p->owned_count, sizeof *p->owned ) ) {
		p->has_failed = true;
		free( memory );
		return NULL;
	}
	p->owned[p->owned_count++] = memory;
	return memory;
}

static dbvh_aabb box_of( const dbvh_mesh_view *view, const dbvh_pose *pose ) {
	const double *x = view->positions;
	dbvh_aabb box = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
	for ( size_t i = 0; i < view->vertex_count; ++i ) {
		double placed[3];
		if ( pose != NULL )
			picture_place_point( pose, x + 3 * i, placed );
		for ( int k = 0; k < 3; ++k ) {
			const double at = pose != NULL ? placed[k] : x[3 * i + (size_t)k];
			box.min[k] = fmin( box.min[k], at );
			box.max[k] = fmax( box.max[k], at );
		}
	}
	return box;
}

uint32_t picture_add_mesh( picture *p, const dbvh_mesh_view *view, const dbvh_tree *tree ) {
	for ( size_t i = p->mesh_count; i-- > 0; )
		if ( p->meshes[i].view.positions == view->positions && p->meshes[i].view.indices == view->indices )
			return (uint32_t)i;
	return picture_append_mesh( p, view, tree );
}

uint32_t picture_append_mesh( picture *p, const dbvh_mesh_view *view, const dbvh_tree *tree ) {
	if ( !grow( p, &p->meshes, &p->mesh_capacity, p->mesh_count, sizeof *p->meshes ) )
		return PICTURE_NONE;
	p->meshes[p->mesh_count] = ( picture_mesh ){ *view, tree, box_of( view, NULL ) };
	return (uint32_t)p->mesh_count++;
}

uint32_t picture_add_body( picture *p, const char *path, const char *file, uint32_t mesh, const dbvh_pose *pose ) {
	char *copy = picture_print( p, "%s", path );
	if ( copy == NULL || mesh == PICTURE_NONE ||
	     !grow( p, &p->bodies, &p->body_capacity, p->body_count, sizeof *p->bodies ) ) {
		free( copy );
		return PICTURE_NONE;
	}
	p->bodies[p->body_count] = ( picture_body ){ .path = copy,
	                                             .file = file,
	                                             .mesh = mesh,
	                                             .pose = pose != NULL ? *pose : dbvh_pose_identity(),
	                                             .link = PICTURE_NONE };
	return (uint32_t)p->body_count++;
}

uint32_t picture_add_group( picture *p, const char *name ) {
	char *copy = picture_print( p, "%s", name );
	if ( copy == NULL || !grow( p, &p->groups, &p->group_capacity, p->group_count, sizeof *p->groups ) ) {
		free( copy );
		return PICTURE_NONE;
	}
	p->groups[p->group_count] = ( picture_group ){ copy };
	return (uint32_t)p->group_count++;
}

uint32_t picture_add_clash( picture *p, const picture_clash *clash ) {
	const bool ok = clash->id != NULL && clash->sentence != NULL &&
	                grow( p, &p->clashes, &p->clash_capacity, p->clash_count, sizeof *p->clashes );
	if ( !ok ) {
		p->has_failed = true;
		free( clash->id );
		free( clash->sentence );
		return PICTURE_NONE;
	}
	picture_clash *c = &p->clashes[p->clash_count];
	*c = *clash;
	c->first_place = p->place_count;
	c->first_line = p->line_count;
	c->first_region = p->region_count;
	c->place_count = c->line_count = c->region_count = 0;
	return (uint32_t)p->clash_count++;
}

uint32_t picture_add_frame( picture *p, double time, double distance, picture_state state ) {
	if ( !grow( p, &p->frames, &p->frame_capacity, p->frame_count, sizeof *p->frames ) )
		return PICTURE_NONE;
	p->frames[p->frame_count] = ( picture_frame ){ time, distance, state };
	return (uint32_t)p->frame_count++;
}

dbvh_pose *picture_add_track( picture *p, uint32_t body ) {
	dbvh_pose *poses = calloc( p->frame_count + 1, sizeof *poses );
	if ( poses == NULL || !grow( p, &p->tracks, &p->track_capacity, p->track_count, sizeof *p->tracks ) ) {
		p->has_failed = true;
		free( poses );
		return NULL;
	}
	p->tracks[p->track_count++] = ( picture_track ){ body, poses };
	return poses;
}

void picture_add_note( picture *p, const char *format, ... ) {
	va_list arguments;
	va_start( arguments, format );
	char *text = scene_print( format, arguments );
	va_end( arguments );
	if ( text == NULL || !grow( p, &p->notes, &p->note_capacity, p->note_count, sizeof *p->notes ) ) {
		p->has_failed = true;
		free( text );
		return;
	}
	p->notes[p->note_count++] = text;
}

// ------------------------------------------------------------------------------------------------
// Contacts

static bool add_point( picture *p, const double x[3], const dbvh_pose *pose ) {
	if ( !grow( p, &p->points, &p->point_capacity, p->point_count, sizeof *p->points ) )
		return false;
	double *out = p->points[p->point_count++];
	if ( pose != NULL )
		picture_place_point( pose, x, out );
	else
		memcpy( out, x, 3 * sizeof *x );
	return true;
}

// The box round a box that is moved.
static dbvh_aabb place_box( const dbvh_aabb *box, const dbvh_pose *pose ) {
	dbvh_aabb out;
	if ( pose == NULL )
		return *box;
	for ( int i = 0; i < 3; ++i ) {
		out.min[i] = out.max[i] = pose->pos[i];
		for ( int k = 0; k < 3; ++k ) {
			const double x = pose->rot[i][k] * box->min[k], y = pose->rot[i][k] * box->max[k];
			out.min[i] += fmin( x, y );
			out.max[i] += fmax( x, y );
		}
	}
	return out;
}

static void add_lines( picture *p, const dbvh_contacts_view *found, const dbvh_pose *pose, uint32_t first_place ) {
	const uint32_t clash = (uint32_t)p->clash_count - 1;
	for ( size_t i = 0; i < found->polyline_count; ++i ) {
		const dbvh_polyline *from = &found->polylines[i];
		if ( !grow( p, &p->lines, &p->line_capacity, p->line_count, sizeof *p->lines ) )
			return;
		p->lines[p->line_count++] = ( picture_line ){ .first = p->point_count,
		                                              .count = from->point_count,
		                                              .clash = clash,
		                                              .place = first_place + from->cluster,
		                                              .closed = from->closed,
		                                              .is_boundary = from->kind == DBVH_POLYLINE_KIND_BOUNDARY };
		for ( size_t k = 0; k < from->point_count; ++k )
			if ( !add_point( p, found->points[found->path[from->first + k].point].position, pose ) )
				return;
	}
}

// A contact in a single point is a line of one point; a flat one a region.
static void add_pieces( picture *p, const dbvh_contacts_view *found, const dbvh_pose *pose, uint32_t first_place ) {
	const uint32_t clash = (uint32_t)p->clash_count - 1;
	for ( size_t i = 0; i < found->contact_count; ++i ) {
		const dbvh_contact *from = &found->contacts[i];
		const uint32_t *corners = found->corners + from->first_corner;
		const size_t first = p->point_count;
		const bool is_point = from->kind == DBVH_CONTACT_KIND_POINT && found->points[corners[0]].steps == 0;
		if ( is_point && grow( p, &p->lines, &p->line_capacity, p->line_count, sizeof *p->lines ) )
			p->lines[p->line_count++] =
			    ( picture_line ){ .first = first, .count = 1, .clash = clash, .place = first_place + from->cluster };
		else if ( from->kind == DBVH_CONTACT_KIND_POLYGON &&
		          grow( p, &p->regions, &p->region_capacity, p->region_count, sizeof *p->regions ) )
			p->regions[p->region_count++] = ( picture_region ){
			    .first = first, .count = from->corner_count, .clash = clash, .place = first_place + from->cluster };
		else
			continue;
		for ( uint32_t k = 0; k < from->corner_count; ++k )
			if ( !add_point( p, found->points[corners[k]].position, pose ) )
				return;
	}
}

void picture_add_contacts( picture *p, const dbvh_contacts_view *found, const dbvh_pose *pose ) {
	const uint32_t first_place = (uint32_t)p->place_count;
	if ( p->clash_count == 0 )
		return;
	for ( size_t i = 0; i < found->cluster_count; ++i ) {
		const dbvh_cluster *from = &found->clusters[i];
		if ( !grow( p, &p->places, &p->place_capacity, p->place_count, sizeof *p->places ) )
			return;
		p->places[p->place_count++] = ( picture_place ){ place_box( &from->bounds, pose ), from->length, from->area,
		                                                 (uint32_t)p->clash_count - 1 };
	}
	add_lines( p, found, pose, first_place );
	add_pieces( p, found, pose, first_place );
	picture_clash *c = &p->clashes[p->clash_count - 1];
	c->place_count = p->place_count - c->first_place;
	c->line_count = p->line_count - c->first_line;
	c->region_count = p->region_count - c->first_region;
}

void picture_add_overlap( picture *p, const dbvh_overlap_view *found, const dbvh_pose *pose ) {
	const dbvh_pose identity = dbvh_pose_identity();
	picture_clash *c = &p->clashes[p->clash_count - 1];
	if ( found->face_count == 0 )
		return;
	double *vertices = picture_own( p, malloc( 3 * found->vertex_count * sizeof *vertices ) );
	uint32_t *corners = picture_own( p, malloc( 3 * found->face_count * sizeof *corners ) );
	if ( vertices == NULL || corners == NULL )
		return;
	for ( size_t i = 0; i < found->vertex_count; ++i )
		picture_place_point( pose != NULL ? pose : &identity, found->vertices + 3 * i, vertices + 3 * i );
	memcpy( corners, found->indices, 3 * found->face_count * sizeof *corners );
	c->solid_vertices = vertices;
	c->solid_corners = corners;
	c->solid_vertex_count = found->vertex_count;
	c->solid_face_count = found->face_count;
}

bool picture_places_box( const picture *p, const picture_clash *clash, dbvh_aabb *out ) {
	*out = ( dbvh_aabb ){ { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
	for ( size_t i = 0; i < clash->place_count; ++i )
		for ( int k = 0; k < 3; ++k ) {
			const dbvh_aabb *box = &p->places[clash->first_place + i].box;
			out->min[k] = fmin( out->min[k], box->min[k] );
			out->max[k] = fmax( out->max[k], box->max[k] );
		}
	return clash->place_count > 0;
}

// ------------------------------------------------------------------------------------------------
// Where things are

dbvh_pose picture_pose( const picture *p, uint32_t body, uint32_t frame ) {
	for ( size_t i = 0; frame < p->frame_count && i < p->track_count; ++i )
		if ( p->tracks[i].body == body )
			return p->tracks[i].poses[frame];
	return p->bodies[body].pose;
}

dbvh_aabb picture_bounds_of( const picture *p, uint32_t body, uint32_t frame ) {
	const dbvh_pose pose = picture_pose( p, body, frame );
	return box_of( &p->meshes[p->bodies[body].mesh].view, &pose );
}

dbvh_aabb picture_box_of( const picture *p, uint32_t body, uint32_t frame ) {
	const dbvh_aabb *box = &p->meshes[p->bodies[body].mesh].box;
	const dbvh_pose pose = picture_pose( p, body, frame );
	return box->min[0] <= box->max[0] ? place_box( box, &pose ) : *box;
}

static void include( dbvh_aabb *all, const dbvh_aabb *box ) {
	for ( int k = 0; k < 3; ++k ) {
		all->min[k] = fmin( all->min[k], box->min[k] );
		all->max[k] = fmax( all->max[k], box->max[k] );
	}
}

dbvh_aabb picture_bounds( const picture *p ) {
	dbvh_aabb all = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
	for ( uint32_t i = 0; i < p->body_count; ++i ) {
		const dbvh_aabb box = picture_bounds_of( p, i, p->frame_count > 0 ? 0 : PICTURE_NONE );
		include( &all, &box );
	}
	for ( size_t i = 0; i < p->track_count; ++i )
		for ( uint32_t frame = 1; frame < p->frame_count; ++frame ) {
			const dbvh_aabb box = picture_box_of( p, p->tracks[i].body, frame );
			include( &all, &box );
		}
	return all;
}
