// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "picture/thumbnail.h"

#include "cli/complain.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/replace.h"
#include "os/os.h"
#include "picture/colours.h"
#include "picture/legend.h"
#include "picture/png.h"
#include "picture/viewpoint.h"
#include "text/reason.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const float background[3] = COLOUR_FLOATS( COLOUR_BACKGROUND ), ghost[3] = COLOUR_FLOATS( COLOUR_REST ),
                   contact[3] = COLOUR_FLOATS( COLOUR_CONTACT ), edge[3] = COLOUR_FLOATS( COLOUR_EDGE ),
                   witness[3] = COLOUR_FLOATS( COLOUR_MARK ), edge_of_tree[3] = COLOUR_FLOATS( COLOUR_B );

enum { LOOK_EVERY = 1024 }; // triangles

typedef struct drawing {
	const picture *p;
	const picture_shapes *shapes;
	const double ( *balls )[4];
	const picture_clash *clash; // NULL: all bodies
	camera camera;
	raster *raster;
	bool is_over; // somebody wants an end
} drawing;

static bool may_see( const drawing *d, uint32_t shape, const dbvh_pose *pose ) {
	double middle[3];
	picture_place_point( pose, d->balls[shape], middle );
	return camera_may_see( &d->camera, (double)THUMBNAIL_WIDTH / THUMBNAIL_HEIGHT, middle, d->balls[shape][3] );
}

static void draw_body( drawing *d, uint32_t body, const raster_style *style ) {
	const uint32_t number = d->shapes->of_body[body];
	const picture_shape *shape = &d->shapes->shapes[number];
	const dbvh_pose pose = picture_pose( d->p, body, d->clash != NULL ? d->clash->frame : PICTURE_NONE );
	const double *positions = shape->view.positions;
	const uint32_t *corners = shape->view.indices;
	if ( d->is_over || !may_see( d, number, &pose ) )
		return;
	for ( size_t i = 0; i < shape->view.triangle_count; ++i ) {
		double seen[3][3];
		if ( i % LOOK_EVERY == 0 && interrupted() ) {
			d->is_over = true;
			return;
		}
		for ( int k = 0; k < 3; ++k ) {
			double x[3];
			picture_place_point( &pose, positions + 3 * (size_t)corners[3 * i + (size_t)k], x );
			camera_see( &d->camera, x, seen[k] );
		}
		raster_triangle( d->raster, &d->camera, (const double( * )[3])seen, style );
	}
}

static void draw_bodies( drawing *d ) {
	const picture_clash *c = d->clash;
	const raster_style a = { COLOUR_FLOATS( COLOUR_A ), 0.0f }, b = { COLOUR_FLOATS( COLOUR_B ), 0.0f },
	                   rest = { COLOUR_FLOATS( COLOUR_REST ), c != NULL ? 0.3f : 0.0f };
	if ( c != NULL ) {
		draw_body( d, c->a, &a );
		if ( c->b != c->a )
			draw_body( d, c->b, &b );
	}
	for ( uint32_t i = 0; i < d->p->body_count; ++i )
		if ( c == NULL || ( i != c->a && i != c->b ) )
			draw_body( d, i, &rest );
	raster_settle( d->raster, ghost );
}

static void draw_step( drawing *d, const double *from, const double *to, double width, const float colour[3] ) {
	double a[3], b[3];
	camera_see( &d->camera, from, a );
	camera_see( &d->camera, to, b );
	raster_line( d->raster, &d->camera, a, b, width, colour );
}

static void draw_lines( drawing *d, double width, const float colour[3] ) {
	const picture *p = d->p;
	for ( size_t i = 0; i < d->clash->line_count; ++i ) {
		const picture_line *line = &p->lines[d->clash->first_line + i];
		const size_t steps = line->count == 1 ? 1 : line->count - !line->closed;
		for ( size_t k = 0; k < steps; ++k )
			draw_step( d, p->points[line->first + k], p->points[line->first + ( k + 1 ) % line->count],
			           line->count == 1 ? 2.5 * width : width, colour );
	}
}

// The shortest way between two bodies, or out of one.
static void draw_way( drawing *d, const double ends[2][3] ) {
	draw_step( d, ends[0], ends[1], 6.0, edge );
	draw_step( d, ends[0], ends[1], 3.0, witness );
	for ( int k = 0; k < 2; ++k )
		draw_step( d, ends[k], ends[k], 8.0, edge );
}

static void draw_contacts( drawing *d ) {
	const picture_clash *c = d->clash;
	for ( size_t i = 0; i < c->region_count; ++i ) {
		enum { MOST = 16 };
		const picture_region *region = &d->p->regions[c->first_region + i];
		double corners[MOST][3];
		for ( size_t k = 0; k < region->count && k < MOST; ++k )
			camera_see( &d->camera, d->p->points[region->first + k], corners[k] );
		raster_polygon( d->raster, &d->camera, (const double( * )[3])corners, region->count, contact );
	}
	draw_lines( d, 5.0, edge );
	draw_lines( d, 2.5, contact );
	if ( c->has_witness )
		draw_way( d, (const double( * )[3])c->witness );
	else if ( c->has_deepest )
		draw_way( d, (const double( * )[3])c->deepest );
}

// ------------------------------------------------------------------------------------------------
// The maker

// Around the box of its corners, and a little more than rounding takes away.
static void find_ball( const dbvh_mesh_view *view, double ball[4] ) {
	const double *x = view->positions;
	dbvh_aabb box = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
	for ( size_t i = 0; i < view->vertex_count; ++i )
		for ( int k = 0; k < 3; ++k ) {
			box.min[k] = fmin( box.min[k], x[3 * i + (size_t)k] );
			box.max[k] = fmax( box.max[k], x[3 * i + (size_t)k] );
		}
	double square = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		ball[k] = 0.5 * box.min[k] + 0.5 * box.max[k];
		square += ( box.max[k] - ball[k] ) * ( box.max[k] - ball[k] );
	}
	ball[3] = 1.0001 * sqrt( square );
}

bool thumbnail_begin( thumbnail_maker *m, const picture *p, const picture_shapes *shapes ) {
	*m = ( thumbnail_maker ){ .p = p, .shapes = shapes };
	m->balls = malloc( ( shapes->count + 1 ) * sizeof *m->balls );
	m->pixels = malloc( 3 * (size_t)THUMBNAIL_WIDTH * THUMBNAIL_HEIGHT );
	if ( m->balls == NULL || m->pixels == NULL || !raster_create( &m->raster, THUMBNAIL_WIDTH, THUMBNAIL_HEIGHT ) )
		return false;
	for ( size_t i = 0; i < shapes->count; ++i )
		find_ball( &shapes->shapes[i].view, m->balls[i] );
	return true;
}

void thumbnail_end( thumbnail_maker *m ) {
	raster_free( &m->raster );
	free( m->balls );
	free( m->pixels );
	*m = ( thumbnail_maker ){ 0 };
}

// ------------------------------------------------------------------------------------------------
// The volumes of a level of the trees

typedef enum volumes { VOLUMES_SPHERES, VOLUMES_BOXES, VOLUMES_ELLIPSOIDS, VOLUMES_COUNT } volumes;

// A body about a centre, by what its axes are scaled with; a ball or a cube of half extents 1 becomes the volume.
typedef struct volume {
	const double *centre;
	double across[3][3];
	const dbvh_pose *pose;
} volume;

static void see_of_volume( const drawing *d, const volume *v, const double t[3], double out[3] ) {
	double local[3], x[3];
	for ( int k = 0; k < 3; ++k )
		local[k] = v->centre[k] + t[0] * v->across[0][k] + t[1] * v->across[1][k] + t[2] * v->across[2][k];
	picture_place_point( v->pose, local, x );
	camera_see( &d->camera, x, out );
}

static void draw_quad( drawing *d, const volume *v, const double t[4][3], const raster_style *style ) {
	double seen[4][3];
	for ( int k = 0; k < 4; ++k )
		see_of_volume( d, v, t[k], seen[k] );
	for ( int half = 0; half < 2; ++half ) {
		double corner[3][3];
		memcpy( corner[0], seen[0], sizeof corner[0] );
		memcpy( corner[1], seen[half + 1], sizeof corner[1] );
		memcpy( corner[2], seen[half + 2], sizeof corner[2] );
		raster_triangle( d->raster, &d->camera, (const double( * )[3])corner, style );
	}
}

static void draw_ball( drawing *d, const volume *v, const raster_style *style ) {
	enum { SLICES = 48, STACKS = 24 };
	const double pi = 3.14159265358979323846;
	for ( int i = 0; i < SLICES * STACKS; ++i ) {
		double t[4][3];
		for ( int k = 0; k < 4; ++k ) {
			const double round = 2.0 * pi * ( i % SLICES + ( k == 1 || k == 2 ) ) / SLICES;
			const double down = pi * ( i / SLICES + ( k >= 2 ) ) / STACKS;
			t[k][0] = sin( down ) * cos( round );
			t[k][1] = sin( down ) * sin( round );
			t[k][2] = cos( down );
		}
		draw_quad( d, v, (const double( * )[3])t, style );
	}
}

static void draw_cube( drawing *d, const volume *v, const raster_style *style ) {
	for ( int side = 0; side < 6; ++side ) {
		double t[4][3];
		for ( int k = 0; k < 4; ++k ) {
			t[k][side % 3] = side < 3 ? 1.0 : -1.0;
			t[k][( side + 1 ) % 3] = k == 1 || k == 2 ? 1.0 : -1.0;
			t[k][( side + 2 ) % 3] = k >= 2 ? 1.0 : -1.0;
		}
		draw_quad( d, v, (const double( * )[3])t, style );
	}
}

static void draw_edges( drawing *d, const volume *v, const float colour[3] ) {
	for ( int i = 0; i < 8; ++i )
		for ( int axis = 0; axis < 3; ++axis ) {
			double from[3], to[3], seen[2][3];
			for ( int k = 0; k < 3; ++k )
				from[k] = to[k] = ( i >> k & 1 ) != 0 ? 1.0 : -1.0;
			to[axis] = 1.0;
			see_of_volume( d, v, from, seen[0] );
			see_of_volume( d, v, to, seen[1] );
			if ( ( i >> axis & 1 ) == 0 )
				raster_line( d->raster, &d->camera, seen[0], seen[1], 0.75, colour );
		}
}

static volume volume_of( const picture_node *node, volumes kind, const dbvh_pose *pose ) {
	volume v = { .centre = kind == VOLUMES_SPHERES ? node->sphere.centre
	                       : kind == VOLUMES_BOXES ? node->box.centre
	                                               : node->ellipsoid.centre,
	             .pose = pose };
	for ( int i = 0; i < 3; ++i )
		for ( int k = 0; k < 3; ++k )
			v.across[i][k] = kind == VOLUMES_SPHERES ? node->sphere.radius * ( i == k )
			                 : kind == VOLUMES_BOXES ? node->box.half[i] * node->box.axis[i][k]
			                                         : node->ellipsoid.half[i] * node->ellipsoid.axis[i][k];
	return v;
}

static void draw_level( drawing *d, const picture_levels *tree, volumes kind, bool edges ) {
	const raster_style style = { COLOUR_FLOATS( COLOUR_B ), 0.45f };
	const dbvh_pose pose = picture_pose( d->p, tree->body, PICTURE_NONE );
	for ( size_t i = 0; i < tree->count && !interrupted(); ++i ) {
		const picture_node *node = &tree->nodes[i];
		if ( node->level != THUMBNAIL_LEVEL && !( node->level < THUMBNAIL_LEVEL && node->triangle_count == 1 ) )
			continue;
		const volume v = volume_of( node, kind, &pose );
		if ( edges )
			draw_edges( d, &v, edge_of_tree );
		else if ( kind == VOLUMES_BOXES )
			draw_cube( d, &v, &style );
		else
			draw_ball( d, &v, &style );
	}
}

static camera camera_of_all( const picture *p ) {
	const dbvh_aabb all = picture_bounds( p );
	double middle[3], sum = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		middle[k] = 0.5 * all.min[k] + 0.5 * all.max[k];
		sum += ( all.max[k] - all.min[k] ) * ( all.max[k] - all.min[k] );
	}
	return camera_at( middle, sqrt( sum ), viewpoint_default );
}

bool thumbnail_make( thumbnail_maker *m, uint32_t clash, bytes *out ) {
	drawing d = { .p = m->p, .shapes = m->shapes, .balls = (const double( * )[4])m->balls, .raster = &m->raster };
	d.clash = clash != PICTURE_NONE ? &m->p->clashes[clash] : NULL;
	d.camera = camera_of_all( m->p );
	if ( d.clash != NULL ) {
		double direction[3];
		viewpoint_choose( m->p, clash, NULL, direction );
		d.camera = camera_at( d.clash->point, 2.4 * d.clash->size, direction );
	}
	raster_clear( d.raster, background );
	draw_bodies( &d );
	if ( d.clash != NULL )
		draw_contacts( &d );
	if ( d.is_over )
		return true;
	raster_pixels( d.raster, m->pixels );
	const lettering page = { m->pixels, THUMBNAIL_WIDTH, THUMBNAIL_HEIGHT };
	legend_draw( &page, m->p, d.clash, &d.camera );
	return png_make( m->pixels, THUMBNAIL_WIDTH, THUMBNAIL_HEIGHT, out );
}

static bool make_volumes( thumbnail_maker *m, volumes kind, bytes *out ) {
	const raster_style solid = { COLOUR_FLOATS( COLOUR_A ), 0.0f };
	drawing d = { .p = m->p, .shapes = m->shapes, .balls = (const double( * )[4])m->balls, .raster = &m->raster };
	d.camera = camera_of_all( m->p );
	raster_clear( d.raster, background );
	for ( size_t i = 0; i < m->p->level_count; ++i )
		draw_body( &d, m->p->levels[i].body, &solid );
	for ( size_t i = 0; i < m->p->level_count; ++i )
		draw_level( &d, &m->p->levels[i], kind, false );
	raster_settle( d.raster, edge_of_tree );
	for ( size_t i = 0; i < m->p->level_count && kind == VOLUMES_BOXES; ++i )
		draw_level( &d, &m->p->levels[i], kind, true );
	raster_pixels( d.raster, m->pixels );
	return png_make( m->pixels, THUMBNAIL_WIDTH, THUMBNAIL_HEIGHT, out );
}

// ------------------------------------------------------------------------------------------------
// A folder of them

static bool write_file( const char *path, const bytes *made ) {
	replacement file;
	if ( !replacement_open( &file, path, "the picture" ) )
		return false;
	fwrite( made->at, 1, made->count, file.stream );
	return replacement_close( &file );
}

// Each kind of volumes of the trees. False after a sentence.
static bool write_trees( thumbnail_maker *m, const char *folder, int *written ) {
	static const char *const names[VOLUMES_COUNT] = { "spheres", "boxes", "ellipsoids" };
	char *path = malloc( strlen( folder ) + 32 );
	bool ok = path != NULL;
	for ( int kind = 0; ok && kind < VOLUMES_COUNT && !interrupted(); ++kind ) {
		bytes made = { 0 };
		sprintf( path, "%s/tree-%s.png", folder, names[kind] );
		ok = make_volumes( m, (volumes)kind, &made );
		if ( !ok )
			complain_memory();
		if ( ok && !interrupted() ) {
			ok = write_file( path, &made );
			*written += ok;
		}
		bytes_free( &made );
	}
	free( path );
	return ok;
}

// False after a sentence. A picture that was given up is not counted.
static bool write_one( thumbnail_maker *m, const char *folder, uint32_t clash, int *written ) {
	const char *id = clash != PICTURE_NONE ? m->p->clashes[clash].id : "";
	char *path = malloc( strlen( folder ) + strlen( id ) + 32 );
	bytes made = { 0 };
	bool ok = path != NULL && thumbnail_make( m, clash, &made );
	if ( !ok )
		complain_memory();
	if ( ok && made.count > 0 ) {
		sprintf( path, "%s/%03d%s%s.png", folder, *written + ( clash != PICTURE_NONE ), *id != '\0' ? "-" : "", id );
		ok = write_file( path, &made );
		*written += ok;
	}
	free( path );
	bytes_free( &made );
	return ok;
}

int thumbnails_write( const picture *p, const picture_shapes *shapes, const char *folder, size_t most ) {
	int written = 0;
	thumbnail_maker maker = { 0 };
	bool *told = calloc( p->group_count + 1, sizeof *told );
	bool ok = told != NULL && thumbnail_begin( &maker, p, shapes );
	if ( !ok )
		complain_memory();
	else if ( !os_make_folder( folder ) && errno != EEXIST ) {
		complain( "%s: the folder cannot be made: %s", folder, reason_of( errno ) );
		ok = false;
	}
	size_t count = p->group_count;
	for ( size_t i = 0; i < p->clash_count; ++i )
		count += p->clashes[i].group == PICTURE_NONE;
	if ( ok && p->clash_count == 0 )
		ok = write_one( &maker, folder, PICTURE_NONE, &written );
	for ( size_t i = 0; ok && i < p->clash_count && (size_t)written < most && !interrupted(); ++i ) {
		const uint32_t group = p->clashes[i].group;
		if ( group != PICTURE_NONE && told[group] )
			continue;
		progress_step( "pictures", (size_t)written, count < most ? count : most );
		ok = write_one( &maker, folder, (uint32_t)i, &written );
		if ( group != PICTURE_NONE )
			told[group] = true;
	}
	if ( ok && p->level_count > 0 )
		ok = write_trees( &maker, folder, &written );
	thumbnail_end( &maker );
	free( told );
	return ok ? written : -1;
}
