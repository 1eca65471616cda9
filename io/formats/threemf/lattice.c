// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "formats/threemf/lattice.h"

#include "formats/xml.h"
#include "model/refuse.h"
#include "text/grow.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void threemf_lattice_free( threemf_lattice *l ) {
	free( l->beams );
	free( l->balls );
	*l = ( threemf_lattice ){ 0 };
}

// ------------------------------------------------------------------------------------------------
// Attributes

// A length above 0. An attribute that is not there leaves *out.
static bool length_of( const char *const *attributes, const char *name, double *out, char why[THREEMF_WHY_ROOM] ) {
	const char *text = scene_xml_get( attributes, name );
	if ( text == NULL || ( scene_xml_reals( text, out, 1 ) && *out > 0.0 ) )
		return true;
	snprintf( why, THREEMF_WHY_ROOM, "%s of a lattice is a number above 0, and '%.30s' is not", name, text );
	return false;
}

static bool cap_of( const char *const *attributes, const char *name, scene_cap *out, char why[THREEMF_WHY_ROOM] ) {
	static const char *const words[] = { "sphere", "hemisphere", "butt" }; // in the order of scene_cap
	const char *text = scene_xml_get( attributes, name );
	if ( text == NULL )
		return true;
	for ( int i = 0; i < 3; ++i )
		if ( strcmp( text, words[i] ) == 0 ) {
			*out = (scene_cap)i;
			return true;
		}
	snprintf( why, THREEMF_WHY_ROOM, "%s is sphere, hemisphere or butt, and '%.30s' is not", name, text );
	return false;
}

static dbvh_status vertex_of( const char *const *attributes, const char *name, size_t count, uint32_t *out,
                              char why[THREEMF_WHY_ROOM] ) {
	const char *text = scene_xml_get( attributes, name );
	double number = -1.0;
	if ( text == NULL || !scene_xml_reals( text, &number, 1 ) || !( number >= 0.0 ) || number != floor( number ) ) {
		snprintf( why, THREEMF_WHY_ROOM, "%s of a lattice is a whole number, and '%.30s' is not", name,
		          text != NULL ? text : "" );
		return DBVH_MALFORMED;
	}
	if ( !( number < (double)count ) ) {
		snprintf( why, THREEMF_WHY_ROOM, "a lattice names vertex %.30s, and there are %zu", text, count );
		return DBVH_INDEX_RANGE;
	}
	*out = (uint32_t)number;
	return DBVH_OK;
}

bool threemf_lattice_begin( threemf_lattice *l, const char *const *attributes, char why[THREEMF_WHY_ROOM] ) {
	const char *clipping = scene_xml_get( attributes, "clippingmode" ), *mode = scene_xml_get( attributes, "ballmode" );
	if ( l->is_there ) {
		snprintf( why, THREEMF_WHY_ROOM, "there are two lattices" );
		return false;
	}
	l->is_there = true;
	l->is_clipped = clipping != NULL && strcmp( clipping, "none" ) != 0;
	l->has_ball_everywhere = mode != NULL && strcmp( mode, "all" ) == 0;
	l->has_balls = l->has_ball_everywhere || ( mode != NULL && strcmp( mode, "mixed" ) == 0 );
	if ( !length_of( attributes, "radius", &l->radius, why ) ||
	     !length_of( attributes, "ballradius", &l->ball_radius, why ) ||
	     !length_of( attributes, "minlength", &l->least_length, why ) || !cap_of( attributes, "cap", &l->cap, why ) )
		return false;
	if ( l->radius > 0.0 && ( !l->has_ball_everywhere || l->ball_radius > 0.0 ) )
		return true;
	snprintf( why, THREEMF_WHY_ROOM, "the lattice has no %s", l->radius > 0.0 ? "ballradius" : "radius" );
	return false;
}

dbvh_status threemf_lattice_beam( threemf_lattice *l, const char *const *attributes, size_t vertex_count,
                                  char why[THREEMF_WHY_ROOM] ) {
	threemf_beam beam = { .radii = { l->radius }, .caps = { l->cap, l->cap } };
	dbvh_status status = vertex_of( attributes, "v1", vertex_count, &beam.vertices[0], why );
	if ( status == DBVH_OK )
		status = vertex_of( attributes, "v2", vertex_count, &beam.vertices[1], why );
	if ( status != DBVH_OK )
		return status;
	if ( !length_of( attributes, "r1", &beam.radii[0], why ) )
		return DBVH_MALFORMED;
	beam.radii[1] = beam.radii[0];
	if ( !length_of( attributes, "r2", &beam.radii[1], why ) || !cap_of( attributes, "cap1", &beam.caps[0], why ) ||
	     !cap_of( attributes, "cap2", &beam.caps[1], why ) )
		return DBVH_MALFORMED;
	if ( !scene_grow( &l->beams, &l->beam_capacity, l->beam_count, sizeof *l->beams ) )
		return DBVH_OUT_OF_MEMORY;
	l->beams[l->beam_count++] = beam;
	return DBVH_OK;
}

dbvh_status threemf_lattice_ball( threemf_lattice *l, const char *const *attributes, size_t vertex_count,
                                  char why[THREEMF_WHY_ROOM] ) {
	threemf_ball ball = { .radius = l->ball_radius };
	const dbvh_status status = vertex_of( attributes, "vindex", vertex_count, &ball.vertex, why );
	if ( status != DBVH_OK )
		return status;
	if ( !length_of( attributes, "r", &ball.radius, why ) )
		return DBVH_MALFORMED;
	if ( !( ball.radius > 0.0 ) ) {
		snprintf( why, THREEMF_WHY_ROOM, "a ball has no radius" );
		return DBVH_MALFORMED;
	}
	if ( !scene_grow( &l->balls, &l->ball_capacity, l->ball_count, sizeof *l->balls ) )
		return DBVH_OUT_OF_MEMORY;
	l->balls[l->ball_count++] = ball;
	return DBVH_OK;
}

// ------------------------------------------------------------------------------------------------
// The mesh

static double length_between( const double a[3], const double b[3] ) {
	const double d[3] = { b[0] - a[0], b[1] - a[1], b[2] - a[2] };
	return sqrt( d[0] * d[0] + d[1] * d[1] + d[2] * d[2] );
}

static void widen( double *radius, double by ) {
	*radius = fmax( *radius, by );
}

// Drop beams that are too short, or whose ends are one point. A beam whose length is not finite stays, and is refused
// with its mesh.
static void drop_short_beams( threemf_lattice *l, const double *vertices ) {
	size_t kept = 0;
	for ( size_t i = 0; i < l->beam_count; ++i ) {
		const uint32_t *v = l->beams[i].vertices;
		const double length = length_between( vertices + 3 * (size_t)v[0], vertices + 3 * (size_t)v[1] );
		if ( length == 0.0 || length < l->least_length )
			++l->short_count;
		else
			l->beams[kept++] = l->beams[i];
	}
	l->beam_count = kept;
}

// The radius of the ball at each vertex, 0 where there is none: one ball is the end of all beams that meet there.
// Returns the largest radius of all.
static double find_balls( const threemf_lattice *l, double *radius_of ) {
	double most = 0.0;
	for ( size_t i = 0; i < l->beam_count; ++i ) {
		const threemf_beam *beam = &l->beams[i];
		for ( int k = 0; k < 2; ++k ) {
			widen( &most, beam->radii[k] );
			if ( l->has_ball_everywhere )
				widen( &radius_of[beam->vertices[k]], l->ball_radius );
		}
	}
	// A listed ball is of its own radius, whatever others have.
	for ( size_t i = 0; l->has_balls && i < l->ball_count; ++i )
		radius_of[l->balls[i].vertex] = l->balls[i].radius;
	for ( size_t i = 0; i < l->beam_count; ++i )
		for ( int k = 0; k < 2; ++k )
			if ( l->beams[i].caps[k] == SCENE_CAP_BALL )
				widen( &radius_of[l->beams[i].vertices[k]], l->beams[i].radii[k] );
	return most;
}

// Is there room for the vertices and triangles, in the ledger and in 32 bits?
static bool has_room( const threemf_lattice *l, const double *radius_of, size_t vertex_count, uint32_t sides,
                      scene_model *model ) {
	uint64_t vertices = 0;
	for ( size_t i = 0; i < vertex_count; ++i )
		vertices += radius_of[i] > 0.0 ? sides * ( sides / 2 ) + 2 : 0;
	for ( size_t i = 0; i < l->beam_count; ++i )
		for ( int k = 0; k < 2; ++k )
			vertices += l->beams[i].caps[k] == SCENE_CAP_HALF_BALL ? sides * ( sides / 4 + 1 ) + sides + 3 : sides + 1;
	return vertices + vertex_count <= INT32_MAX / 2 &&
	       scene_ledger_fits( scene_ledger_of( model ), vertices * ( SCENE_VERTEX_COST + 2 * SCENE_TRIANGLE_COST ) );
}

static double add_all( const threemf_lattice *l, const double *radius_of, size_t vertex_count, uint32_t sides,
                       shape *mesh ) {
	double sag = 0.0;
	for ( size_t i = 0; i < l->beam_count && !mesh->failed; ++i ) {
		const threemf_beam *from = &l->beams[i];
		scene_beam beam = { .radii = { from->radii[0], from->radii[1] }, .caps = { from->caps[0], from->caps[1] } };
		for ( int k = 0; k < 2; ++k )
			memcpy( beam.ends[k], mesh->positions + 3 * (size_t)from->vertices[k], sizeof beam.ends[k] );
		widen( &sag, scene_add_beam( mesh, &beam, sides ) );
	}
	for ( size_t i = 0; i < vertex_count && !mesh->failed; ++i ) {
		double centre[3];
		memcpy( centre, mesh->positions + 3 * i, sizeof centre );
		if ( radius_of[i] > 0.0 )
			widen( &sag, scene_add_ball( mesh, centre, radius_of[i], sides ) );
	}
	return sag;
}

dbvh_status threemf_lattice_build( threemf_lattice *l, double sag, scene_model *model, shape *mesh, double *sag_out,
                                   dbvh_error *error ) {
	const size_t vertex_count = mesh->vertex_count;
	double *radius_of = calloc( vertex_count + 1, sizeof *radius_of );
	if ( radius_of == NULL )
		return scene_refuse_memory( error );
	drop_short_beams( l, mesh->positions );
	double most = find_balls( l, radius_of );
	for ( size_t i = 0; i < vertex_count; ++i )
		widen( &most, radius_of[i] );
	const uint32_t sides = most > 0.0 ? scene_beam_sides( most, sag ) : 0;
	dbvh_status status = DBVH_OK;
	if ( !has_room( l, radius_of, vertex_count, sides, model ) )
		status = scene_refuse_ceiling( scene_ledger_of( model ), error );
	else {
		*sag_out = add_all( l, radius_of, vertex_count, sides, mesh );
		if ( mesh->failed )
			status = scene_refuse_memory( error );
	}
	free( radius_of );
	l->is_built = status == DBVH_OK;
	return status;
}
