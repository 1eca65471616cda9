// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "picture/thumbnail.h"

#include "command.h"
#include "interrupt.h"
#include "picture/colours.h"
#include "picture/png.h"
#include "picture/raster.h"
#include "progress.h"
#include "replace.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const float background[3] = COLOUR_FLOATS( COLOUR_BACKGROUND ), ghost[3] = COLOUR_FLOATS( COLOUR_REST ),
                   contact[3] = COLOUR_FLOATS( COLOUR_CONTACT ), edge[3] = COLOUR_FLOATS( COLOUR_EDGE ),
                   witness[3] = COLOUR_FLOATS( COLOUR_MARK );

typedef struct drawing {
	const picture *p;
	const picture_shapes *shapes;
	const picture_clash *clash; // NULL: all bodies
	camera camera;
	raster raster;
} drawing;

static void draw_body( drawing *d, uint32_t body, const raster_style *style ) {
	const picture_shape *shape = &d->shapes->shapes[d->shapes->of_body[body]];
	const dbvh_pose pose = picture_pose( d->p, body, d->clash != NULL ? d->clash->frame : PICTURE_NONE );
	const double *positions = shape->view.positions;
	const uint32_t *corners = shape->view.indices;
	for ( size_t i = 0; i < shape->view.triangle_count; ++i ) {
		double seen[3][3];
		for ( int k = 0; k < 3; ++k ) {
			double x[3];
			picture_place_point( &pose, positions + 3 * (size_t)corners[3 * i + (size_t)k], x );
			camera_see( &d->camera, x, seen[k] );
		}
		raster_triangle( &d->raster, &d->camera, (const double( * )[3])seen, style );
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
	raster_settle( &d->raster, ghost );
}

static void draw_step( drawing *d, const double *from, const double *to, double width, const float colour[3] ) {
	double a[3], b[3];
	camera_see( &d->camera, from, a );
	camera_see( &d->camera, to, b );
	raster_line( &d->raster, &d->camera, a, b, width, colour );
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

static void draw_contacts( drawing *d ) {
	const picture_clash *c = d->clash;
	for ( size_t i = 0; i < c->region_count; ++i ) {
		enum { MOST = 16 };
		const picture_region *region = &d->p->regions[c->first_region + i];
		double corners[MOST][3];
		for ( size_t k = 0; k < region->count && k < MOST; ++k )
			camera_see( &d->camera, d->p->points[region->first + k], corners[k] );
		raster_polygon( &d->raster, &d->camera, (const double( * )[3])corners, region->count, contact );
	}
	draw_lines( d, 5.0, edge );
	draw_lines( d, 2.5, contact );
	if ( c->has_witness ) {
		draw_step( d, c->witness[0], c->witness[1], 6.0, edge );
		draw_step( d, c->witness[0], c->witness[1], 3.0, witness );
		for ( int k = 0; k < 2; ++k )
			draw_step( d, c->witness[k], c->witness[k], 8.0, edge );
	}
}

bool thumbnail_make( const picture *p, const picture_shapes *shapes, uint32_t clash, bytes *out ) {
	drawing d = { .p = p, .shapes = shapes, .clash = clash != PICTURE_NONE ? &p->clashes[clash] : NULL };
	unsigned char *pixels = malloc( 3 * (size_t)THUMBNAIL_WIDTH * THUMBNAIL_HEIGHT );
	bool ok = pixels != NULL && raster_create( &d.raster, THUMBNAIL_WIDTH, THUMBNAIL_HEIGHT, background );
	if ( ok ) {
		if ( d.clash != NULL )
			d.camera = camera_at( d.clash->point, 2.4 * d.clash->size );
		else {
			const dbvh_aabb all = picture_bounds( p );
			double middle[3], sum = 0.0;
			for ( int k = 0; k < 3; ++k ) {
				middle[k] = 0.5 * all.min[k] + 0.5 * all.max[k];
				sum += ( all.max[k] - all.min[k] ) * ( all.max[k] - all.min[k] );
			}
			d.camera = camera_at( middle, sqrt( sum ) );
		}
		draw_bodies( &d );
		if ( d.clash != NULL )
			draw_contacts( &d );
		raster_pixels( &d.raster, pixels );
		ok = png_make( pixels, THUMBNAIL_WIDTH, THUMBNAIL_HEIGHT, out );
	}
	raster_free( &d.raster );
	free( pixels );
	return ok;
}

// ------------------------------------------------------------------------------------------------
// A folder of them

static bool write_one( const picture *p, const picture_shapes *shapes, const char *folder, int number,
                       uint32_t clash ) {
	const char *id = clash != PICTURE_NONE ? p->clashes[clash].id : "";
	char *path = malloc( strlen( folder ) + strlen( id ) + 32 );
	bytes made = { 0 };
	replacement file;
	bool ok = path != NULL && thumbnail_make( p, shapes, clash, &made );
	if ( !ok )
		complain( "%s", dbvh_status_text( DBVH_OUT_OF_MEMORY ) );
	if ( ok ) {
		sprintf( path, "%s/%03d%s%s.png", folder, number, *id != '\0' ? "-" : "", id );
		ok = replacement_open( &file, path, "the picture" );
	}
	if ( ok ) {
		fwrite( made.at, 1, made.count, file.stream );
		ok = replacement_close( &file );
	}
	free( path );
	bytes_free( &made );
	return ok;
}

int thumbnails_write( const picture *p, const picture_shapes *shapes, const char *folder, size_t most ) {
	int written = 0;
	bool *told = calloc( p->group_count + 1, sizeof *told );
	if ( told == NULL ) {
		complain( "%s", dbvh_status_text( DBVH_OUT_OF_MEMORY ) );
		return -1;
	}
	bool ok = true;
	if ( mkdir( folder, 0777 ) != 0 && errno != EEXIST ) {
		complain( "%s: the folder cannot be made: %s", folder, strerror( errno ) );
		ok = false;
	}
	size_t count = p->group_count;
	for ( size_t i = 0; i < p->clash_count; ++i )
		count += p->clashes[i].group == PICTURE_NONE;
	if ( ok && p->clash_count == 0 )
		ok = write_one( p, shapes, folder, written++, PICTURE_NONE );
	for ( size_t i = 0; ok && i < p->clash_count && (size_t)written < most && !interrupted(); ++i ) {
		const uint32_t group = p->clashes[i].group;
		if ( group != PICTURE_NONE && told[group] )
			continue;
		progress_step( "pictures", (size_t)written, count < most ? count : most );
		ok = write_one( p, shapes, folder, ++written, (uint32_t)i );
		if ( group != PICTURE_NONE )
			told[group] = true;
	}
	free( told );
	return ok ? written : -1;
}
