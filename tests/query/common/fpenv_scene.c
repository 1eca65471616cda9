// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Scenes of all kinds and scales for fpenv_calls.c.

#include "fpenv_calls.h"
#include "support/line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Near 1 mostly; also where squares, products of three and volumes leave the doubles, and among the subnormal numbers.
static int random_exponent( rng *r ) {
	static const int exponents[] = { 0, 0, 0, 0, 0, 0, -1066, -1030, -700, -350, 300, 900 };
	return exponents[rng_below( r, sizeof exponents / sizeof exponents[0] )];
}

static void add_mesh( shape *s, rng *r, bool grid ) {
	switch ( rng_below( r, 6 ) ) {
	case 0:
		shape_add_box( s, 1.0, 0.5, grid ? 0.5 : 0.3, 1 + (uint32_t)rng_below( r, 2 ) );
		break;
	case 1:
		shape_add_sphere( s, 1.0, 5 + (uint32_t)rng_below( r, 4 ), 4 + (uint32_t)rng_below( r, 3 ) );
		break;
	case 2:
		shape_add_torus( s, 0.8, 0.3, 5 + (uint32_t)rng_below( r, 4 ), 4 );
		break;
	case 3:
		add_grid( s, 2 + (uint32_t)rng_below( r, 2 ) );
		break;
	default:
		add_soup( s, r, 8 + rng_below( r, 24 ), 0.3, 0.1, grid );
		break;
	}
}

static char *text_of( const shape *s, dbvh_mesh_format format ) {
	const size_t room = 256 * ( s->vertex_count + 3 * s->triangle_count + 4 );
	char *const text = malloc( room );
	size_t at = 0;
	if ( text == NULL )
		exit( 1 );
	const double *const p = s->positions;
	// More digits than are needed, and fewer: readers round.
#define ADD( ... ) at += (size_t)snprintf( text + at, room - at, __VA_ARGS__ )
	if ( format == DBVH_MESH_FORMAT_OFF )
		ADD( "OFF\n%zu %zu 0\n", s->vertex_count, s->triangle_count );
	if ( format == DBVH_MESH_FORMAT_STL )
		ADD( "solid x\n" );
	for ( size_t i = 0; i < s->vertex_count && format != DBVH_MESH_FORMAT_STL; ++i )
		ADD( "%s%.25e %.13g %.17g\n", format == DBVH_MESH_FORMAT_OBJ ? "v " : "", p[3 * i], p[3 * i + 1],
		     p[3 * i + 2] );
	for ( size_t i = 0; i < s->triangle_count; ++i ) {
		const uint32_t *const t = s->indices + 3 * i;
		if ( format == DBVH_MESH_FORMAT_OBJ )
			ADD( "f %u %u %u\n", t[0] + 1, t[1] + 1, t[2] + 1 );
		else if ( format == DBVH_MESH_FORMAT_OFF )
			ADD( "3 %u %u %u\n", t[0], t[1], t[2] );
		else {
			ADD( "facet normal 0 0 0\nouter loop\n" );
			for ( int k = 0; k < 3; ++k )
				ADD( "vertex %.11g %.9g %.8g\n", p[3 * t[k]], p[3 * t[k] + 1], p[3 * t[k] + 2] );
			ADD( "endloop\nendfacet\n" );
		}
	}
	if ( format == DBVH_MESH_FORMAT_STL )
		ADD( "endsolid x\n" );
#undef ADD
	return text;
}

static void fill( double *out, size_t count, rng *r, double size, bool grid ) {
	for ( size_t i = 0; i < count; ++i )
		out[i] = size * ( grid ? coarse( r ) : rng_range( r, -1.0, 1.0 ) );
}

static void make_primitives( call_scene *s, rng *r, bool grid ) {
	const double size = s->size;
	for ( int i = 0; i < 2; ++i ) {
		fill( s->sphere[i].centre, 3, r, size, grid );
		s->sphere[i].radius = 0.5 * size * ( grid ? 1.0 : rng_unit( r ) );
		fill( s->box[i].centre, 3, r, size, grid );
		const dbvh_pose turned = grid ? exact_pose( r, 1.0 ) : random_pose( r, 1.0 );
		for ( int k = 0; k < 3; ++k ) {
			const double low = size * ( grid ? coarse( r ) : rng_range( r, -1.0, 1.0 ) );
			s->aabb[i].min[k] = low;
			s->aabb[i].max[k] = low + 0.75 * size;
			s->box[i].half[k] = 0.25 * size * (double)( 1 + rng_below( r, 4 ) );
			s->obb[i].centre[k] = s->box[i].centre[k];
			s->obb[i].half[k] = s->box[i].half[k];
			s->ellipsoid[i].centre[k] = s->sphere[i].centre[k];
			s->ellipsoid[i].half[k] = s->box[i].half[k];
			for ( int j = 0; j < 3; ++j ) {
				s->obb[i].axis[j][k] = turned.rot[k][j];
				s->ellipsoid[i].axis[j][k] = turned.rot[k][j];
			}
		}
		fill( s->capsule[i].from, 3, r, size, grid );
		fill( s->capsule[i].to, 3, r, size, grid );
		s->capsule[i].radius = 0.25 * size;
		fill( &s->triangle[i].corner[0][0], 9, r, size, grid );
		fill( s->triangles[i], 9, r, size, grid );
	}
	random_direction( r, s->plane.normal );
	s->plane.offset = 0.25 * size;
	fill( s->segment.from, 3, r, 2.0 * size, grid );
	fill( s->segment.to, 3, r, 2.0 * size, grid );
	fill( s->ray.from, 3, r, 2.0 * size, grid );
	for ( int k = 0; k < 3; ++k )
		s->ray.direction[k] = s->sphere[0].centre[k] - s->ray.from[k];
	for ( int side = 0; side < 2; ++side ) {
		for ( int column = 0; column < COLUMNS; ++column ) {
			for ( int i = 0; i < BATCH; ++i ) {
				const double x = size * ( grid ? coarse( r ) : rng_range( r, -1.0, 1.0 ) );
				s->columns[side][column][i] = column < 9    ? x
				                              : column < 12 ? fabs( x )
				                                            : s->columns[side][column - 12][i] + fabs( x );
			}
		}
		fill( &s->by[side][0][0], 3 * (size_t)BATCH, r, 2.0 * size, grid );
	}
}

void make_call_scene( call_scene *s, rng *r ) {
	memset( s, 0, sizeof *s );
	const bool grid = rng_below( r, 3 ) == 0;
	const int exponent = random_exponent( r );
	s->size = ldexp( 1.0, exponent );
	s->has_separation = exponent == 0 && rng_below( r, 4 ) == 0;
	s->has_sweeps = rng_below( r, 4 ) == 0;
	s->policy = (dbvh_policy)rng_below( r, DBVH_POLICY_PACKED_MIXED + 1 );
	s->has_files = rng_below( r, 8 ) == 0;
	for ( int i = 0; i < 2; ++i ) {
		shape unit = { 0 };
		add_mesh( &unit, r, grid );
		s->meshes[i] = scaled_copy( &unit, exponent );
		shape_free( &unit );
		s->views[i] = shape_view( &s->meshes[i] );
	}
	s->options = random_options( r );
	s->options.topology = true;
	s->options.thread_count = 1;
	for ( int i = 0; i < 2; ++i )
		s->trees[i] = tree_of( &s->meshes[i], &s->options );
	s->pose_a = rng_below( r, 2 ) == 0 ? dbvh_pose_identity() : exact_pose( r, 1.0 );
	const double reach = rng_below( r, 4 ) == 0 ? 6.0 : 1.5; // far and near
	for ( int i = 0; i < 4; ++i )
		s->poses[i] = grid ? exact_pose( r, reach ) : random_pose( r, reach );
	for ( int k = 0; k < 3; ++k ) {
		s->pose_a.pos[k] *= s->size;
		for ( int i = 0; i < 4; ++i )
			s->poses[i].pos[k] *= s->size;
	}
	s->reach = 0.25 * s->size;
	for ( int i = 0; i < 3; ++i )
		s->farthest[i] = s->size * ( i == 2 ? 1.0 : 16.0 );
	fill( &s->points[0][0], 9, r, s->size, grid );
	fill( s->shift, 3, r, 2.0 * s->size, grid );
	fill( s->quaternion, 4, r, 1.0, false );
	for ( int i = 0; i < 16; ++i )
		s->matrix[i] = (float)ldexp( rng_range( r, -1.0, 1.0 ), i == 3 ? -140 : 0 );
	for ( int i = 0; i < 3; ++i ) {
		random_direction( r, s->directions[i] );
		fill( s->lines[i].from, 3, r, 2.0 * s->size, grid );
		fill( s->lines[i].to, 3, r, 2.0 * s->size, grid );
		s->lines[i].is_ray = i == 0;
		s->motions[i] = dbvh_motion_translation( &s->poses[i], s->shift );
		random_direction( r, s->motions[i].axis );
		s->motions[i].angle = i == 0 ? 0.0 : rng_range( r, -0.5, 0.5 );
	}
	make_primitives( s, r, grid );
	s->shapes[0] = ( dbvh_shape ){ DBVH_SHAPE_KIND_SPHERE, { .sphere = s->sphere[0] } };
	s->shapes[1] = ( dbvh_shape ){ DBVH_SHAPE_KIND_AABB, { .aabb = s->aabb[0] } };
	s->shapes[2] = ( dbvh_shape ){ DBVH_SHAPE_KIND_BOX, { .box = s->box[0] } };
	s->shapes[3] = ( dbvh_shape ){ DBVH_SHAPE_KIND_OBB, { .obb = s->obb[0] } };
	s->shapes[4] = ( dbvh_shape ){ DBVH_SHAPE_KIND_ELLIPSOID, { .ellipsoid = s->ellipsoid[0] } };
	s->shapes[5] = ( dbvh_shape ){ DBVH_SHAPE_KIND_CAPSULE, { .capsule = s->capsule[0] } };
	s->shapes[6] = ( dbvh_shape ){ DBVH_SHAPE_KIND_PLANE, { .plane = s->plane } };
	s->shapes[7] = ( dbvh_shape ){ DBVH_SHAPE_KIND_HALF_SPACE, { .plane = s->plane } };
	s->texts[0] = text_of( &s->meshes[0], DBVH_MESH_FORMAT_OBJ );
	s->texts[1] = text_of( &s->meshes[0], DBVH_MESH_FORMAT_OFF );
	s->texts[2] = text_of( &s->meshes[0], DBVH_MESH_FORMAT_STL );
}

void free_call_scene( call_scene *s ) {
	for ( int i = 0; i < 2; ++i ) {
		dbvh_tree_destroy( s->trees[i] );
		shape_free( &s->meshes[i] );
	}
	for ( int i = 0; i < 3; ++i )
		free( s->texts[i] );
}
