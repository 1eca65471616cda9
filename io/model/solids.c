// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "model/solids.h"

#include "dualbvh/robot.h"
#include "model/refuse.h"
#include "shape/shape.h"

#include <math.h>

#define TAU 6.28318530717958647692

// Sides of a round, and of a sphere also how many rings lie from pole to pole: an even number.
enum { SIDES = 48, RINGS = 24 };

// Room for the rounding of vertices and planes.
#define ROUNDING ( 1.0 + 0x1p-44 )

static void ring( shape *s, double radius, double z ) {
	for ( int i = 0; i < SIDES; ++i ) {
		double sine, cosine;
		dbvh_sine_cosine( TAU / SIDES * i, &sine, &cosine );
		shape_vertex( s, radius * cosine, radius * sine, z );
	}
}

// A lid on the ring that begins at `first`: a fan round the vertex `top`, or the other way round for a floor.
static void fan( shape *s, uint32_t first, uint32_t top, bool is_floor ) {
	for ( uint32_t i = 0; i < SIDES; ++i ) {
		const uint32_t here = first + i, next = first + ( i + 1 ) % SIDES;
		shape_triangle( s, top, is_floor ? next : here, is_floor ? here : next );
	}
}

static void add_box( shape *s, const double size[3] ) {
	for ( int i = 0; i < 8; ++i )
		shape_vertex( s, ( i & 1 ? 0.5 : -0.5 ) * size[0], ( i & 2 ? 0.5 : -0.5 ) * size[1],
		              ( i & 4 ? 0.5 : -0.5 ) * size[2] );
	static const uint32_t faces[6][4] = { { 0, 2, 3, 1 }, { 4, 5, 7, 6 }, { 0, 1, 5, 4 },
	                                      { 2, 6, 7, 3 }, { 0, 4, 6, 2 }, { 1, 3, 7, 5 } };
	for ( int i = 0; i < 6; ++i ) {
		shape_triangle( s, faces[i][0], faces[i][1], faces[i][2] );
		shape_triangle( s, faces[i][0], faces[i][2], faces[i][3] );
	}
}

static double add_cylinder( shape *s, double radius, double length ) {
	double sine, cosine;
	dbvh_sine_cosine( TAU / 2.0 / SIDES, &sine, &cosine );
	const double outer = radius / cosine * ROUNDING, half = 0.5 * length;
	ring( s, outer, -half );
	ring( s, outer, half );
	shape_ring_strip( s, 0, SIDES, SIDES, SIDES );
	const uint32_t floor_centre = shape_vertex( s, 0.0, 0.0, -half ), lid_centre = shape_vertex( s, 0.0, 0.0, half );
	fan( s, 0, floor_centre, true );
	fan( s, SIDES, lid_centre, false );
	return outer - radius;
}

// The distance of the origin from the plane of a triangle.
static double plane_distance( const shape *s, const uint32_t t[3] ) {
	const double *a = s->positions + 3 * t[0], *b = s->positions + 3 * t[1], *c = s->positions + 3 * t[2];
	double n[3], size = 0.0, along = 0.0;
	for ( int i = 0; i < 3; ++i ) {
		const int j = ( i + 1 ) % 3, k = ( i + 2 ) % 3;
		n[i] = ( b[j] - a[j] ) * ( c[k] - a[k] ) - ( b[k] - a[k] ) * ( c[j] - a[j] );
		size += n[i] * n[i];
		along += n[i] * a[i];
	}
	return fabs( along ) / sqrt( size );
}

// A sphere, its two halves `length` apart and joined by a cylinder; that has no triangles where length is 0.
static double add_capsule( shape *s, double radius, double length ) {
	const bool is_long = length > 0.0;
	for ( int i = 1; i < RINGS; ++i ) {
		double sine, cosine;
		dbvh_sine_cosine( TAU / 2.0 / RINGS * i, &sine, &cosine );
		ring( s, sine, -cosine );
		if ( is_long && i == RINGS / 2 )
			ring( s, sine, -cosine );
	}
	const uint32_t ring_count = RINGS - 1 + is_long;
	const uint32_t south = shape_vertex( s, 0.0, 0.0, -1.0 ), north = shape_vertex( s, 0.0, 0.0, 1.0 );
	for ( uint32_t i = 0; i + 1 < ring_count; ++i ) {
		if ( is_long && i == RINGS / 2 - 1 )
			continue; // later: it has no height yet
		shape_ring_strip( s, i * SIDES, SIDES, ( i + 1 ) * SIDES, SIDES );
	}
	fan( s, 0, south, true );
	fan( s, ( ring_count - 1 ) * SIDES, north, false );
	if ( s->failed )
		return 0.0;
	// Vertices are on the sphere of radius 1; planes cut it. Grown until the nearest plane touches the solid.
	double nearest = 1.0;
	for ( size_t i = 0; i < s->triangle_count; ++i )
		nearest = fmin( nearest, plane_distance( s, s->indices + 3 * i ) );
	const double outer = radius / nearest * ROUNDING;
	const uint32_t lower_count = ( RINGS / 2 ) * SIDES; // rings below the middle, and the lower one in it
	for ( uint32_t v = 0; v < s->vertex_count; ++v ) {
		double *p = s->positions + 3 * v;
		for ( int k = 0; k < 3; ++k )
			p[k] *= outer;
		p[2] += ( v < lower_count || v == south ? -0.5 : 0.5 ) * length;
	}
	if ( is_long )
		shape_ring_strip( s, ( RINGS / 2 - 1 ) * SIDES, SIDES, RINGS / 2 * SIDES, SIDES );
	return outer - radius;
}

dbvh_status scene_solid( scene_solid_kind kind, const double size[3], dbvh_mesh **mesh_out, double *sag_out,
                         dbvh_error *error ) {
	shape s = { 0 };
	*sag_out = 0.0;
	*mesh_out = NULL;
	switch ( kind ) {
	case SCENE_SOLID_BOX:
		add_box( &s, size );
		break;
	case SCENE_SOLID_SPHERE:
		*sag_out = add_capsule( &s, size[0], 0.0 );
		break;
	case SCENE_SOLID_CYLINDER:
		*sag_out = add_cylinder( &s, size[0], size[1] );
		break;
	case SCENE_SOLID_CAPSULE:
		*sag_out = add_capsule( &s, size[0], size[1] );
		break;
	}
	dbvh_status status = DBVH_OUT_OF_MEMORY;
	if ( s.failed ) {
		scene_refuse_memory( error );
	} else {
		const dbvh_mesh_view view = shape_view( &s );
		status = dbvh_mesh_create( &view, NULL, mesh_out, error );
	}
	shape_free( &s );
	return status;
}
