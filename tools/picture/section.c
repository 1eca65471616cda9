// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "picture/section.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The work on one section: the plane as a tree of one triangle.
typedef struct cutting {
	section *s;
	const picture *p;
	dbvh_tree *plane;
	dbvh_contacts *contacts;
	bool is_above; // the plane was moved already, off what lay in it
} cutting;

static bool grow( void **array, size_t *capacity, size_t count, size_t size ) {
	if ( count < *capacity )
		return true;
	const size_t room = *capacity == 0 ? 64 : 2 * *capacity;
	void *more = realloc( *array, room * size );
	if ( more == NULL )
		return false;
	*array = more;
	*capacity = room;
	return true;
}

static void open_bounds( double lower[2], double upper[2] ) {
	for ( int k = 0; k < 2; ++k ) {
		lower[k] = INFINITY;
		upper[k] = -INFINITY;
	}
}

static void widen( double lower[2], double upper[2], const double x[2] ) {
	for ( int k = 0; k < 2; ++k ) {
		lower[k] = fmin( lower[k], x[k] );
		upper[k] = fmax( upper[k], x[k] );
	}
}

static dbvh_status build( const dbvh_mesh_view *view, dbvh_tree **out ) {
	dbvh_tree_options options = dbvh_tree_options_default();
	options.topology = true;
	return dbvh_tree_build( view, &options, NULL, out, NULL );
}

// The plane as a triangle whose inner circle is larger than the box of all bodies; its normal points along the axis.
static dbvh_status build_plane( cutting *c, const dbvh_aabb *all ) {
	static const double corners[3][2] = { { -4.0, -2.0 }, { 4.0, -2.0 }, { 0.0, 4.0 } };
	static const uint32_t indices[3] = { 0, 1, 2 };
	const int axis = c->s->plane.axis;
	double vertices[3][3], reach = 0.0;
	for ( int k = 0; k < 3; ++k )
		reach = fmax( reach, all->max[k] - all->min[k] );
	for ( int i = 0; i < 3; ++i ) {
		vertices[i][axis] = c->s->plane.at;
		for ( int k = 0; k < 2; ++k ) {
			const int other = ( axis + 1 + k ) % 3;
			vertices[i][other] = 0.5 * ( all->min[other] + all->max[other] ) + corners[i][k] * reach;
		}
	}
	const dbvh_mesh_view view = { .positions = vertices,
	                              .vertex_count = 3,
	                              .position_type = DBVH_POSITION_TYPE_FLOAT64,
	                              .indices = indices,
	                              .triangle_count = 1,
	                              .index_type = DBVH_INDEX_TYPE_UINT32 };
	return build( &view, &c->plane );
}

// Does something lie in the plane or only touch it?
static bool is_degenerate( const dbvh_contacts_view *found ) {
	for ( size_t i = 0; i < found->polyline_count; ++i )
		if ( !found->polylines[i].closed || !found->polylines[i].directed )
			return true;
	for ( size_t i = 0; i < found->contact_count; ++i )
		if ( found->contacts[i].kind != DBVH_CONTACT_KIND_SEGMENT )
			return true;
	return false;
}

// Adds a curve to the part that is added last. Returns twice the area that it goes round anticlockwise.
static double add_curve( section *s, const dbvh_contacts_view *found, const dbvh_polyline *from ) {
	section_part *part = &s->parts[s->part_count - 1];
	const section_curve curve = { s->point_count, from->point_count, from->closed };
	double twice = 0.0;
	for ( size_t i = 0; i < curve.count; ++i ) {
		const double *x = found->points[found->path[from->first + i].point].position;
		double *to = s->points[s->point_count++];
		to[0] = x[s->across];
		to[1] = x[s->up];
		widen( part->lower, part->upper, to );
	}
	const double *first = s->points[curve.first];
	for ( size_t i = 1; i + 1 < curve.count; ++i ) {
		const double *a = s->points[curve.first + i], *b = s->points[curve.first + i + 1];
		twice += ( a[0] - first[0] ) * ( b[1] - first[1] ) - ( a[1] - first[1] ) * ( b[0] - first[0] );
	}
	s->curves[s->curve_count++] = curve;
	++part->curve_count;
	return twice;
}

static bool has_room( section *s, const dbvh_contacts_view *found ) {
	void *points = s->points, *curves = s->curves, *parts = s->parts;
	bool ok = grow( &parts, &s->part_capacity, s->part_count, sizeof *s->parts );
	for ( size_t need = s->point_count + found->path_count; ok && s->point_capacity < need; )
		ok = grow( &points, &s->point_capacity, s->point_capacity, sizeof *s->points );
	for ( size_t need = s->curve_count + found->polyline_count; ok && s->curve_capacity < need; )
		ok = grow( &curves, &s->curve_capacity, s->curve_capacity, sizeof *s->curves );
	s->points = points;
	s->curves = curves;
	s->parts = parts;
	return ok;
}

// Is the mesh open anywhere, in the plane or not? It encloses nothing then.
static bool is_open_somewhere( const dbvh_tree *tree ) {
	size_t loops = 0;
	return dbvh_tree_open_loops( tree, DBVH_ALL_COMPONENTS, NULL, 0, NULL, 0, &loops, NULL, NULL ) == DBVH_OK &&
	       loops > 0;
}

static dbvh_status add_part( cutting *c, const dbvh_contacts_view *found, const dbvh_tree *tree, uint32_t body,
                             uint32_t clash ) {
	section *s = c->s;
	double twice = 0.0;
	if ( found->polyline_count == 0 )
		return DBVH_OK;
	if ( !has_room( s, found ) )
		return DBVH_OUT_OF_MEMORY;
	section_part *part = &s->parts[s->part_count++];
	*part = ( section_part ){ .body = body, .clash = clash, .first_curve = s->curve_count };
	part->is_open = is_open_somewhere( tree );
	open_bounds( part->lower, part->upper );
	for ( size_t i = 0; i < found->polyline_count; ++i ) {
		twice += add_curve( s, found, &found->polylines[i] );
		part->is_open = part->is_open || !found->polylines[i].closed || !found->polylines[i].directed;
	}
	part->area = part->is_open ? 0.0 : 0.5 * fabs( twice );
	widen( s->lower, s->upper, part->lower );
	widen( s->lower, s->upper, part->upper );
	return DBVH_OK;
}

// Cuts a mesh. *moves_out: something lies in the plane, and the section just above it is wanted.
static dbvh_status cut( cutting *c, const dbvh_tree *tree, const dbvh_pose *pose, uint32_t body, uint32_t clash,
                        bool *moves_out ) {
	const dbvh_pose identity = dbvh_pose_identity();
	const dbvh_status status = dbvh_contacts_find( c->plane, &identity, tree, pose, NULL, c->contacts, NULL );
	if ( status != DBVH_OK )
		return status;
	const dbvh_contacts_view found = dbvh_contacts_get( c->contacts );
	*moves_out = !c->is_above && is_degenerate( &found );
	return *moves_out ? DBVH_OK : add_part( c, &found, tree, body, clash );
}

static bool meets( const section *s, const dbvh_aabb *box ) {
	return box->min[s->plane.axis] <= s->plane.at && s->plane.at <= box->max[s->plane.axis];
}

static dbvh_status cut_body( cutting *c, uint32_t body, bool *moves_out ) {
	const picture_mesh *mesh = &c->p->meshes[c->p->bodies[body].mesh];
	const dbvh_pose pose = picture_pose( c->p, body, 0 );
	const dbvh_aabb box = picture_box_of( c->p, body, 0 );
	dbvh_tree *made = NULL;
	if ( !meets( c->s, &box ) )
		return DBVH_OK;
	dbvh_status status = mesh->tree != NULL ? DBVH_OK : build( &mesh->view, &made );
	if ( status == DBVH_OK )
		status = cut( c, mesh->tree != NULL ? mesh->tree : made, &pose, body, PICTURE_NONE, moves_out );
	dbvh_tree_destroy( made );
	return status;
}

static dbvh_status cut_overlap( cutting *c, uint32_t number, bool *moves_out ) {
	const picture_clash *clash = &c->p->clashes[number];
	const dbvh_pose identity = dbvh_pose_identity();
	const dbvh_mesh_view view = { .positions = clash->solid_vertices,
	                              .vertex_count = clash->solid_vertex_count,
	                              .position_type = DBVH_POSITION_TYPE_FLOAT64,
	                              .indices = clash->solid_corners,
	                              .triangle_count = clash->solid_face_count,
	                              .index_type = DBVH_INDEX_TYPE_UINT32 };
	double lowest = INFINITY, highest = -INFINITY;
	dbvh_tree *made = NULL;
	for ( size_t i = 0; i < clash->solid_vertex_count; ++i ) {
		lowest = fmin( lowest, clash->solid_vertices[3 * i + (size_t)c->s->plane.axis] );
		highest = fmax( highest, clash->solid_vertices[3 * i + (size_t)c->s->plane.axis] );
	}
	if ( !( lowest <= c->s->plane.at && c->s->plane.at <= highest ) )
		return DBVH_OK;
	dbvh_status status = build( &view, &made );
	if ( status == DBVH_OK )
		status = cut( c, made, &identity, PICTURE_NONE, number, moves_out );
	dbvh_tree_destroy( made );
	return status;
}

static dbvh_status cut_all( cutting *c, const dbvh_aabb *all, bool *moves_out ) {
	section *s = c->s;
	s->point_count = s->curve_count = s->part_count = 0;
	open_bounds( s->lower, s->upper );
	*moves_out = false;
	dbvh_status status = build_plane( c, all );
	for ( uint32_t i = 0; status == DBVH_OK && !*moves_out && i < c->p->body_count; ++i )
		status = cut_body( c, i, moves_out );
	for ( uint32_t i = 0; status == DBVH_OK && !*moves_out && i < c->p->clash_count; ++i )
		if ( c->p->clashes[i].solid_face_count > 0 )
			status = cut_overlap( c, i, moves_out );
	dbvh_tree_destroy( c->plane );
	c->plane = NULL;
	return status;
}

static double place_of( const picture *p, int axis, const dbvh_aabb *all ) {
	if ( p->clash_count == 0 )
		return 0.5 * all->min[axis] + 0.5 * all->max[axis];
	return p->clashes[0].has_deepest ? p->clashes[0].deepest[0][axis] : p->clashes[0].point[axis];
}

dbvh_status section_cut( const picture *p, const section_plane *plane, section *out ) {
	const dbvh_aabb all = picture_bounds( p );
	cutting c = { .s = out, .p = p };
	bool moves = false;
	// Seen from above, from the front, and from the right.
	*out = ( section ){ .across = plane->axis == 0 ? 1 : 0, .up = plane->axis == 2 ? 1 : 2, .plane = *plane };
	if ( !plane->is_given )
		out->plane.at = place_of( p, plane->axis, &all );
	dbvh_status status = dbvh_contacts_create( NULL, &c.contacts, NULL );
	if ( status == DBVH_OK )
		status = cut_all( &c, &all, &moves );
	if ( status == DBVH_OK && moves ) {
		int exponent;
		frexp( fmax( fmax( fabs( all.min[plane->axis] ), fabs( all.max[plane->axis] ) ), fabs( out->plane.at ) ),
		       &exponent );
		out->plane.at += ldexp( 1.0, exponent - 53 );
		out->was_moved = c.is_above = true;
		status = cut_all( &c, &all, &moves );
	}
	dbvh_contacts_destroy( c.contacts );
	if ( status != DBVH_OK )
		section_free( out );
	return status;
}

void section_free( section *s ) {
	free( s->points );
	free( s->curves );
	free( s->parts );
	*s = ( section ){ 0 };
}

char *section_place( const section *s, char out[64] ) {
	snprintf( out, 64, "%c = %.10g", "xyz"[s->plane.axis], s -> plane.at );
	return out;
}
