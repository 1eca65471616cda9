// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "picture/page.h"

#include "model/model.h"
#include "os/os.h"
#include "picture/bytes.h"
#include "picture/limits.h"
#include "picture/viewpoint.h"
#include "text/json.h"
#include "text/xml.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char mark[] = "<!--dualbvh:picture-->";

// Steps of a coordinate over the length of a body: what is looked at closely is finer than the rest.
static const double fine_steps = 4194303.0, coarse_steps = 65535.0;

// Steps of a contact over its length, as powers of two. In a page with many contacts those behind the worst clashes
// have fewer: half a step is a quarter of a pixel where the contact is 1,000 pixels long.
enum { FINE_CONTACT = 20, NEAR_CONTACT = 16, FAR_CONTACT = 11, MANY_POINTS = 65536 };
enum { MOST_PLAIN_JSON = 1000000 }; // bytes; longer JSON is packed

typedef struct packing {
	const picture *p;
	const picture_shapes *shapes;
	json j;
	bytes data;
	double lower[3];     // corner of the picture
	size_t solid_points; // vertices of all overlaps
} packing;

// A key with where its bytes begin and how many they are.
static void put_range( packing *w, const char *key, size_t from ) {
	json_key( &w->j, key );
	json_open( &w->j, '[' );
	json_count( &w->j, from );
	json_count( &w->j, w->data.count - from );
	json_close( &w->j, ']' );
}

static size_t begin_range( packing *w ) {
	bytes_align( &w->data, 8, 0 );
	return w->data.count;
}

static void put_pose( json *j, const dbvh_pose *pose ) {
	json_open( j, '[' );
	for ( int i = 0; i < 3; ++i ) {
		for ( int k = 0; k < 3; ++k )
			json_number( j, pose->rot[i][k] );
		json_number( j, pose->pos[i] );
	}
	json_close( j, ']' );
}

// ------------------------------------------------------------------------------------------------
// Triangles

typedef struct numbering {
	uint32_t *new_of; // by vertex; PICTURE_NONE: not used yet
	uint32_t *old_of;
	uint32_t count;
} numbering;

// Vertices are numbered as triangles first use them, so that a corner is told by how far it lies back, 0 being a new
// one.
static void put_corners( packing *w, const dbvh_mesh_view *view, numbering *n ) {
	const uint32_t *corner = view->indices;
	memset( n->new_of, 0xFF, view->vertex_count * sizeof *n->new_of );
	for ( size_t i = 0; i < 3 * view->triangle_count; ++i ) {
		uint32_t *known = &n->new_of[corner[i]];
		if ( *known == PICTURE_NONE ) {
			n->old_of[n->count] = corner[i];
			*known = n->count++;
			bytes_varint( &w->data, 0 );
		} else
			bytes_varint( &w->data, n->count - *known );
	}
}

static void put_positions( packing *w, const dbvh_mesh_view *view, const numbering *n, const double lower[3],
                           double step ) {
	const double *positions = view->positions;
	int64_t last[3] = { 0 };
	for ( int k = 0; k < 3; ++k )
		for ( uint32_t i = 0; i < n->count; ++i ) {
			const double x = positions[3 * (size_t)n->old_of[i] + (size_t)k];
			const double steps = step > 0.0 ? floor( ( x - lower[k] ) / step + 0.5 ) : 0.0;
			const int64_t at = steps >= 0.0 && steps <= fine_steps ? (int64_t)steps : 0; // no overflow at 1e308
			bytes_varint_signed( &w->data, at - last[k] );
			last[k] = at;
		}
}

// `whole`: how many triangles it stands for.
static bool put_shape( packing *w, const dbvh_mesh_view *view, bool is_fine, size_t whole ) {
	const double *x = view->positions;
	double lower[3] = { INFINITY, INFINITY, INFINITY }, length = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		double upper = -INFINITY;
		for ( size_t i = 0; i < view->vertex_count; ++i ) {
			lower[k] = fmin( lower[k], x[3 * i + (size_t)k] );
			upper = fmax( upper, x[3 * i + (size_t)k] );
		}
		length = fmax( length, upper - lower[k] );
	}
	const double step = length / ( is_fine ? fine_steps : coarse_steps );
	numbering n = { malloc( ( view->vertex_count + 1 ) * sizeof *n.new_of ),
	                malloc( ( view->vertex_count + 1 ) * sizeof *n.old_of ), 0 };
	const bool ok = n.new_of != NULL && n.old_of != NULL;
	if ( ok ) {
		json_open( &w->j, '{' );
		size_t from = begin_range( w );
		put_corners( w, view, &n );
		put_range( w, "corners", from );
		from = begin_range( w );
		put_positions( w, view, &n, lower, step );
		put_range( w, "positions", from );
		json_put_count( &w->j, "vertices", n.count );
		json_put_count( &w->j, "triangles", view->triangle_count );
		json_put_count( &w->j, "whole", whole );
		json_put_reals( &w->j, "lower", lower, 3 );
		json_put_real( &w->j, "step", step );
		json_close( &w->j, '}' );
		json_break( &w->j );
	}
	free( n.new_of );
	free( n.old_of );
	return ok;
}

// ------------------------------------------------------------------------------------------------
// Bodies, clashes, frames

// The overlap of a clash: a shape behind those of the bodies.
static bool put_solid( packing *w, const picture_clash *clash ) {
	const dbvh_mesh_view view = { .positions = clash->solid_vertices,
	                              .vertex_count = clash->solid_vertex_count,
	                              .indices = clash->solid_corners,
	                              .triangle_count = clash->solid_face_count };
	return put_shape( w, &view, w->solid_points <= MANY_POINTS, view.triangle_count );
}

static bool put_bodies( packing *w ) {
	const picture *p = w->p;
	bool ok = true;
	for ( size_t i = 0; i < p->clash_count; ++i )
		w->solid_points += p->clashes[i].solid_vertex_count;
	json_key( &w->j, "shapes" );
	json_open( &w->j, '[' );
	for ( size_t i = 0; ok && i < w->shapes->count; ++i ) {
		const picture_shape *shape = &w->shapes->shapes[i];
		ok = put_shape( w, &shape->view, shape->is_near, p->meshes[shape->mesh].view.triangle_count );
	}
	for ( size_t i = 0; ok && i < p->clash_count; ++i )
		ok = p->clashes[i].solid_face_count == 0 || put_solid( w, &p->clashes[i] );
	json_close( &w->j, ']' );
	json_key( &w->j, "bodies" );
	json_open( &w->j, '[' );
	for ( size_t i = 0; i < p->body_count; ++i ) {
		json_open( &w->j, '{' );
		json_put_string( &w->j, "path", p->bodies[i].path );
		if ( p->bodies[i].file != NULL )
			json_put_string( &w->j, "file", p->bodies[i].file );
		json_put_count( &w->j, "shape", w->shapes->of_body[i] );
		json_key( &w->j, "pose" );
		put_pose( &w->j, &p->bodies[i].pose );
		if ( p->bodies[i].link != PICTURE_NONE ) {
			json_put_count( &w->j, "link", p->bodies[i].link );
			json_key( &w->j, "local" );
			put_pose( &w->j, &p->bodies[i].local );
		}
		json_close( &w->j, '}' );
		json_break( &w->j );
	}
	json_close( &w->j, ']' );
	return ok;
}

static void put_two_points( json *j, const char *key, const double x[2][3] ) {
	json_key( j, key );
	json_open( j, '[' );
	json_reals( j, x[0], 3 );
	json_reals( j, x[1], 3 );
	json_close( j, ']' );
}

static void put_span( json *j, const char *key, size_t first, size_t count ) {
	const double span[2] = { (double)first, (double)count };
	if ( count > 0 )
		json_put_reals( j, key, span, 2 );
}

// `view` is the direction in which the eye is; NULL: not looked for. `solid` is the number of its overlap's shape.
static void put_clash( json *j, const picture_clash *c, const double *view, size_t solid ) {
	json_open( j, '{' );
	json_put_string( j, "id", c->id );
	json_put_string( j, "kind", c->kind );
	json_put_count( j, "a", c->a );
	json_put_count( j, "b", c->b );
	json_put_string( j, "sentence", c->sentence );
	if ( c->standing != NULL )
		json_put_string( j, "standing", c->standing );
	json_put_reals( j, "point", c->point, 3 );
	json_put_real( j, "size", c->size );
	if ( c->has_middle )
		json_put_reals( j, "middle", c->middle, 3 );
	if ( view != NULL )
		json_put_reals( j, "view", view, 3 );
	if ( c->has_first ) {
		json_key( j, "pair" );
		json_open( j, '[' );
		json_count( j, c->first.a );
		json_count( j, c->first.b );
		json_close( j, ']' );
	}
	if ( c->has_witness ) {
		put_two_points( j, "witness", c->witness );
		json_put_real( j, "distance", c->distance );
	}
	if ( c->has_move )
		json_put_reals( j, "move", c->move, 3 );
	if ( c->type != NULL )
		json_put_string( j, "type", c->type );
	if ( c->has_depth )
		json_put_interval( j, "depth", c->depth );
	if ( c->has_deepest )
		put_two_points( j, "deepest", c->deepest );
	if ( c->has_volume )
		json_put_interval( j, "volume", c->volume );
	if ( c->group != PICTURE_NONE )
		json_put_count( j, "group", c->group );
	if ( c->frame != PICTURE_NONE )
		json_put_count( j, "frame", c->frame );
	put_span( j, "places", c->first_place, c->place_count );
	put_span( j, "lines", c->first_line, c->line_count );
	put_span( j, "regions", c->first_region, c->region_count );
	if ( c->solid_face_count > 0 )
		json_put_count( j, "solid", solid );
	if ( c->contacts_left_out )
		json_put_bool( j, "contacts_left_out", true );
	json_put_bool( j, "counts", c->counts );
	json_close( j, '}' );
	json_break( j );
}

// The box with the fewest digits that is at most 1 % of its length larger: cameras look at it, nobody reads it.
static dbvh_aabb round_box( const dbvh_aabb *box ) {
	dbvh_aabb out = *box;
	double length = 0.0;
	for ( int k = 0; k < 3; ++k )
		length = fmax( length, box->max[k] - box->min[k] );
	const double digits = -floor( log10( 0.01 * length ) );
	if ( !( length > 0.0 ) || !( digits >= 0.0 && digits < 300.0 ) )
		return out;
	const double scale = pow( 10.0, digits ); // dividing by it gives the nearest double, which has few digits
	for ( int k = 0; k < 3; ++k ) {
		out.min[k] = floor( box->min[k] * scale ) / scale;
		out.max[k] = ceil( box->max[k] * scale ) / scale;
	}
	return isfinite( out.min[0] + out.min[1] + out.min[2] + out.max[0] + out.max[1] + out.max[2] ) ? out : *box;
}

static void put_clashes( packing *w ) {
	const picture *p = w->p;
	json *j = &w->j;
	json_key( j, "groups" );
	json_open( j, '[' );
	for ( size_t i = 0; i < p->group_count; ++i )
		json_text( j, p->groups[i].name );
	json_close( j, ']' );
	json_key( j, "clashes" );
	json_open( j, '[' );
	dbvh_workspace *workspace = NULL;
	dbvh_workspace_create( NULL, &workspace, NULL );
	size_t solid = w->shapes->count;
	for ( uint32_t i = 0; i < p->clash_count; ++i ) {
		double view[3];
		if ( i < PICTURE_MOST_VIEWS )
			viewpoint_choose( p, i, workspace, view );
		put_clash( j, &p->clashes[i], i < PICTURE_MOST_VIEWS ? view : NULL, solid );
		solid += p->clashes[i].solid_face_count > 0;
	}
	dbvh_workspace_destroy( workspace );
	json_close( j, ']' );
	json_key( j, "places" );
	json_open( j, '[' );
	for ( size_t i = 0; i < p->place_count; ++i ) {
		const picture_place *place = &p->places[i];
		const dbvh_aabb box = round_box( &place->box );
		json_open( j, '{' );
		json_put_reals( j, "lower", box.min, 3 );
		json_put_reals( j, "upper", box.max, 3 );
		json_put_real( j, "length", place->length );
		json_put_real( j, "area", place->area );
		json_close( j, '}' );
		json_break( j );
	}
	json_close( j, ']' );
}

// Points of one clash: how many, the exponent of their step, and for each coordinate how many steps each point is
// beyond the one before; the first beyond the lower corner of the picture.
static void put_points( packing *w, size_t first, size_t count, int bits ) {
	const double( *points )[3] = (const double( * )[3])w->p->points + first;
	const double *origin = w->lower;
	double length = 0.0, farthest = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		double low = INFINITY, high = -INFINITY;
		for ( size_t i = 0; i < count; ++i ) {
			low = fmin( low, points[i][k] );
			high = fmax( high, points[i][k] );
		}
		length = fmax( length, high - low );
		farthest = fmax( farthest, fmax( fabs( low - origin[k] ), fabs( high - origin[k] ) ) );
	}
	// No fewer steps than doubles of the page tell apart.
	const int exponent = ilogb( fmax( length, fmax( ldexp( farthest, bits - 50 ), DBL_MIN ) ) ) + 1 - bits;
	bytes_varint( &w->data, count );
	bytes_varint_signed( &w->data, exponent );
	for ( int k = 0; k < 3; ++k ) {
		int64_t last = 0;
		for ( size_t i = 0; i < count; ++i ) {
			const double steps = rint( ldexp( points[i][k] - origin[k], -exponent ) );
			const int64_t at = fabs( steps ) < 0x1p53 ? (int64_t)steps : 0;
			bytes_varint_signed( &w->data, at - last );
			last = at;
		}
	}
}

static void put_all_points( packing *w ) {
	const picture *p = w->p;
	size_t first = 0;
	const size_t from = begin_range( w );
	for ( size_t i = 0; i < p->clash_count; ++i ) {
		const picture_clash *c = &p->clashes[i];
		size_t count = 0;
		for ( size_t k = 0; k < c->line_count; ++k )
			count += p->lines[c->first_line + k].count;
		for ( size_t k = 0; k < c->region_count; ++k )
			count += p->regions[c->first_region + k].count;
		if ( count > 0 )
			put_points( w, first, count,
			            p->point_count <= MANY_POINTS ? FINE_CONTACT
			            : i < PICTURE_MOST_VIEWS      ? NEAR_CONTACT
			                                          : FAR_CONTACT );
		first += count;
	}
	put_range( w, "points", from );
	json_put_count( &w->j, "point_count", first );
}

// Numbers that there may be many of, in the packed part.
static void put_contacts( packing *w ) {
	const picture *p = w->p;
	put_all_points( w );
	size_t from = begin_range( w );
	for ( size_t i = 0; i < p->line_count; ++i ) {
		const picture_line *line = &p->lines[i];
		bytes_u32( &w->data, (uint32_t)line->first );
		bytes_u32( &w->data, (uint32_t)line->count );
		bytes_u32( &w->data, line->place );
		bytes_u32( &w->data, ( line->closed ? 1u : 0u ) | ( line->is_boundary ? 2u : 0u ) );
	}
	put_range( w, "lines", from );
	from = begin_range( w );
	for ( size_t i = 0; i < p->region_count; ++i ) {
		const picture_region *region = &p->regions[i];
		bytes_u32( &w->data, (uint32_t)region->first );
		bytes_u32( &w->data, (uint32_t)region->count );
		bytes_u32( &w->data, region->place );
	}
	put_range( w, "regions", from );
}

static void put_link( json *j, const scene_link *link ) {
	static const char *const kinds[] = {
	    [SCENE_JOINT_FIXED] = "fixed", [SCENE_JOINT_REVOLUTE] = "revolute", [SCENE_JOINT_PRISMATIC] = "prismatic" };
	json_open( j, '{' );
	json_put_string( j, "name", link->name );
	if ( link->joint != NULL )
		json_put_string( j, "joint", link->joint );
	if ( link->parent != SCENE_NONE )
		json_put_count( j, "parent", link->parent );
	json_put_string( j, "kind", kinds[link->kind] );
	json_key( j, "origin" );
	put_pose( j, &link->origin );
	json_put_reals( j, "axis", link->axis, 3 );
	if ( isfinite( link->lower ) )
		json_put_real( j, "lower", link->lower );
	if ( isfinite( link->upper ) )
		json_put_real( j, "upper", link->upper );
	if ( link->mimic != SCENE_NONE ) {
		json_put_count( j, "mimic", link->mimic );
		json_put_real( j, "factor", link->factor );
		json_put_real( j, "offset", link->offset );
	}
	json_close( j, '}' );
	json_break( j );
}

// The tree of links, and the numbers of their joints frame by frame: the page moves bodies by them, in place of tracks.
static void put_links( packing *w ) {
	const picture *p = w->p;
	json_key( &w->j, "links" );
	json_open( &w->j, '[' );
	for ( size_t i = 0; i < p->link_count; ++i )
		put_link( &w->j, &p->links[i] );
	json_close( &w->j, ']' );
	const size_t from = begin_range( w );
	for ( size_t i = 0; i < p->frame_count * p->link_count; ++i )
		bytes_f64( &w->data, p->joint_values[i] );
	put_range( w, "joint_values", from );
}

static void put_frames( packing *w ) {
	const picture *p = w->p;
	json *j = &w->j;
	if ( p->frame_count == 0 )
		return;
	json_put_string( j, "time_name", p->time_name );
	size_t from = begin_range( w );
	for ( size_t i = 0; i < p->frame_count; ++i ) {
		bytes_f64( &w->data, p->frames[i].time );
		bytes_f64( &w->data, p->frames[i].distance );
		bytes_f64( &w->data, (double)p->frames[i].state );
	}
	put_range( w, "frames", from );
	if ( p->link_count > 0 ) {
		put_links( w );
		return;
	}
	json_key( j, "tracks" );
	json_open( j, '[' );
	for ( size_t i = 0; i < p->track_count; ++i ) {
		from = begin_range( w );
		for ( size_t k = 0; k < p->frame_count; ++k ) {
			const dbvh_pose *pose = &p->tracks[i].poses[k];
			for ( int row = 0; row < 3; ++row ) {
				for ( int c = 0; c < 3; ++c )
					bytes_f64( &w->data, pose->rot[row][c] );
				bytes_f64( &w->data, pose->pos[row] );
			}
		}
		json_open( j, '{' );
		json_put_count( j, "body", p->tracks[i].body );
		put_range( w, "poses", from );
		json_close( j, '}' );
	}
	json_close( j, ']' );
}

static void put_volume( bytes *b, const double centre[3], const double axis[3][3], const double half[3] ) {
	for ( int k = 0; k < 3; ++k )
		bytes_f32( b, centre[k] );
	for ( int k = 0; k < 9; ++k )
		bytes_f32( b, axis[k / 3][k % 3] );
	for ( int k = 0; k < 3; ++k )
		bytes_f32( b, half[k] );
}

static void put_levels( packing *w ) {
	const picture *p = w->p;
	json *j = &w->j;
	json_key( j, "trees" );
	json_open( j, '[' );
	for ( size_t i = 0; i < p->level_count; ++i ) {
		const picture_levels *tree = &p->levels[i];
		json_open( j, '{' );
		json_put_count( j, "body", tree->body );
		json_put_count( j, "count", tree->count );
		json_put_count( j, "total", tree->total );
		json_put_count( j, "depth", tree->depth );
		size_t from = begin_range( w );
		for ( size_t k = 0; k < tree->count; ++k ) {
			const picture_node *node = &tree->nodes[k];
			bytes_u32( &w->data, node->level );
			bytes_u32( &w->data, node->parent );
			bytes_u32( &w->data, node->triangle_count );
			bytes_u32( &w->data, node->is_visited );
		}
		put_range( w, "nodes", from );
		from = begin_range( w );
		for ( size_t k = 0; k < tree->count; ++k ) {
			const picture_node *node = &tree->nodes[k];
			for ( int c = 0; c < 3; ++c )
				bytes_f32( &w->data, node->sphere.centre[c] );
			bytes_f32( &w->data, node->sphere.radius );
			put_volume( &w->data, node->box.centre, node->box.axis, node->box.half );
			put_volume( &w->data, node->ellipsoid.centre, node->ellipsoid.axis, node->ellipsoid.half );
		}
		put_range( w, "volumes", from );
		json_close( j, '}' );
	}
	json_close( j, ']' );
}

// ------------------------------------------------------------------------------------------------
// The whole

static bool put_picture( packing *w ) {
	const picture *p = w->p;
	const dbvh_aabb all = picture_bounds( p );
	json *j = &w->j;
	for ( int k = 0; k < 3; ++k )
		w->lower[k] = isfinite( all.min[k] ) ? all.min[k] : 0.0;
	json_open( j, '{' );
	json_put_string( j, "schema", "dualbvh.picture/2" );
	json_put_string( j, "version", dbvh_version() );
	json_put_string( j, "title", p->title != NULL ? p->title : "dualbvh" );
	if ( p->metres > 0.0 )
		json_put_real( j, "metres", p->metres );
	json_put_bool( j, "complete", p->is_complete );
	json_put_reals( j, "lower", all.min, 3 );
	json_put_reals( j, "upper", all.max, 3 );
	json_key( j, "triangles" );
	json_open( j, '{' );
	json_put_count( j, "drawn", w->shapes->drawn );
	json_put_count( j, "whole", w->shapes->whole );
	json_put_count( j, "simplified_bodies", w->shapes->simplified_count );
	json_close( j, '}' );
	json_key( j, "notes" );
	json_open( j, '[' );
	for ( size_t i = 0; i < p->note_count; ++i )
		json_text( j, p->notes[i] );
	json_close( j, ']' );
	json_break( j );
	const bool ok = put_bodies( w );
	put_clashes( w );
	put_contacts( w );
	put_frames( w );
	put_levels( w );
	if ( p->review != NULL )
		json_put_string( j, "review", p->review );
	json_put_count( j, "bytes", w->data.count );
	json_close( j, '}' );
	return ok && !w->data.has_failed;
}

// Nothing in it may look like the end of the element that it stands in.
static void write_json( const char *text, size_t count, FILE *file ) {
	for ( size_t i = 0; i < count; ++i )
		if ( text[i] == '<' )
			fputs( "\\u003c", file );
		else
			fputc( text[i], file );
}

bool page_write( const picture *p, const picture_shapes *shapes, const char *frame, FILE *file ) {
	const char *hole = strstr( frame, mark );
	packing w = { .p = p, .shapes = shapes };
	bytes packed = { 0 }, packed_json = { 0 };
	os_text text = { 0 };
	const bool is_open = hole != NULL && os_text_open( &text );
	w.j.file = text.stream;
	bool ok = is_open && put_picture( &w );
	ok = is_open && os_text_close( &text ) && ok && bytes_deflate( w.data.at, w.data.count, 9, &packed );
	if ( ok && text.count > MOST_PLAIN_JSON )
		ok = bytes_deflate( text.bytes, text.count, 9, &packed_json );
	if ( ok ) {
		fwrite( frame, 1, (size_t)( hole - frame ), file );
		fputs( "<title>", file );
		xml_text( file, p->title != NULL ? p->title : "dualbvh" );
		if ( packed_json.count > 0 ) {
			fputs( "</title>\n<script type=\"text/plain\" id=\"packed-picture\">", file );
			bytes_write_base64( &packed_json, file );
		} else {
			fputs( "</title>\n<script type=\"application/json\" id=\"picture\">", file );
			write_json( text.bytes, text.count, file );
		}
		fputs( "</script>\n<script type=\"text/plain\" id=\"arrays\">", file );
		bytes_write_base64( &packed, file );
		fputs( "</script>\n", file );
		fputs( hole + strlen( mark ), file );
	}
	free( text.bytes );
	bytes_free( &w.data );
	bytes_free( &packed );
	bytes_free( &packed_json );
	return ok;
}
