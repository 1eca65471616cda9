// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Lattices of 3MF: the polyhedra hold every point of the beams and balls, and none of their corners is farther out than
// the sag; what is refused.

#include "dualbvh/dualbvh.h"
#include "formats/files.h"
#include "model/beams.h"
#include "support/rng.h"
#include "support/rounds.h"
#include "support/unit.h"
#include "zip_files.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

enum { MOST_VERTICES = 6, MOST_BEAMS = 6, TEXT_ROOM = 8000 };

typedef enum cap { CAP_BALL, CAP_HALF_BALL, CAP_FLAT } cap;

typedef struct beam {
	uint32_t v[2];
	double r[2];
	cap caps[2];
} beam;

typedef struct lattice {
	double vertices[MOST_VERTICES][3], balls[MOST_VERTICES]; // balls: 0 where none is listed
	uint32_t vertex_count, beam_count;
	beam beams[MOST_BEAMS];
} lattice;

static const char *const words[] = { "sphere", "hemisphere", "butt" };

static void make_lattice( rng *r, lattice *l ) {
	*l = ( lattice ){ .vertex_count = MOST_VERTICES, .beam_count = 1 + (uint32_t)rng_below( r, MOST_BEAMS ) };
	const double away = rng_below( r, 2 ) == 0 ? 0.0 : 5000.0;
	for ( uint32_t i = 0; i < l->vertex_count; ++i ) {
		for ( int k = 0; k < 3; ++k )
			l->vertices[i][k] =
			    away + ( rng_below( r, 3 ) == 0 ? 4.0 * (double)rng_below( r, 3 ) : rng_range( r, 0.0, 10.0 ) );
		l->balls[i] = rng_below( r, 3 ) == 0 ? rng_range( r, 0.5, 2.0 ) : 0.0;
	}
	for ( uint32_t i = 0; i < l->beam_count; ++i ) {
		beam *b = &l->beams[i];
		b->v[0] = (uint32_t)rng_below( r, l->vertex_count );
		b->v[1] = ( b->v[0] + 1 + (uint32_t)rng_below( r, l->vertex_count - 1 ) ) % l->vertex_count;
		for ( int k = 0; k < 2; ++k ) {
			b->r[k] = rng_range( r, 0.1, 1.0 );
			b->caps[k] = (cap)rng_below( r, 3 );
		}
	}
}

static void put( char text[TEXT_ROOM], size_t *at, const char *format, ... ) {
	va_list arguments;
	va_start( arguments, format );
	const int length = vsnprintf( text + *at, TEXT_ROOM - *at, format, arguments );
	va_end( arguments );
	assert_true( length >= 0 && *at + (size_t)length < TEXT_ROOM );
	*at += (size_t)length;
}

static void write_lattice( const lattice *l, const char *item, char text[TEXT_ROOM] ) {
	size_t at = 0;
	put( text, &at,
	     "<model requiredextensions='b' xmlns:b='x/beamlattice/2017/02'><resources><object id='1'><mesh><vertices>" );
	for ( uint32_t i = 0; i < l->vertex_count; ++i )
		put( text, &at, "<vertex x='%.17g' y='%.17g' z='%.17g'/>", l->vertices[i][0], l->vertices[i][1],
		     l->vertices[i][2] );
	put( text, &at, "</vertices><b:beamlattice radius='1' minlength='0.01' ballmode='mixed' ballradius='1'><b:beams>" );
	for ( uint32_t i = 0; i < l->beam_count; ++i )
		put( text, &at, "<b:beam v1='%u' v2='%u' r1='%.17g' r2='%.17g' cap1='%s' cap2='%s'/>",
		     (unsigned)l->beams[i].v[0], (unsigned)l->beams[i].v[1], l->beams[i].r[0], l->beams[i].r[1],
		     words[l->beams[i].caps[0]], words[l->beams[i].caps[1]] );
	put( text, &at, "</b:beams><b:balls>" );
	for ( uint32_t i = 0; i < l->vertex_count; ++i )
		if ( l->balls[i] > 0.0 )
			put( text, &at, "<b:ball vindex='%u' r='%.17g'/>", (unsigned)i, l->balls[i] );
	put( text, &at,
	     "</b:balls></b:beamlattice></mesh></object></resources><build><item objectid='1' %s/></build></model>", item );
}

static dbvh_status read_text( const char *text, double sag, scene_model *model, dbvh_error *error ) {
	const zip_text file = { "3D/3dmodel.model", text };
	size_t count;
	unsigned char *bytes = zip_texts( &file, 1, &count );
	*model = ( scene_model ){ .wants_sag = sag };
	const dbvh_status status = scene_read_3mf( bytes, count, NULL, model, error );
	free( bytes );
	return status;
}

// ------------------------------------------------------------------------------------------------
// What the lattice is

static double distance_of( const double a[3], const double b[3] ) {
	return sqrt( ( a[0] - b[0] ) * ( a[0] - b[0] ) + ( a[1] - b[1] ) * ( a[1] - b[1] ) +
	             ( a[2] - b[2] ) * ( a[2] - b[2] ) );
}

// Where a point is along a beam, and how far from its axis.
static void place_on( const lattice *l, const beam *b, const double p[3], double *along, double *off, double *length ) {
	const double *o = l->vertices[b->v[0]], *e = l->vertices[b->v[1]];
	double w[3], x[3];
	*length = distance_of( o, e );
	*along = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		w[k] = ( e[k] - o[k] ) / *length;
		x[k] = p[k] - o[k];
		*along += x[k] * w[k];
	}
	*off = 0.0;
	for ( int k = 0; k < 3; ++k )
		*off += ( x[k] - *along * w[k] ) * ( x[k] - *along * w[k] );
	*off = sqrt( *off );
}

// An upper bound of the distance of a point from a beam with its half balls: from the nearest of some of its points.
static double away_from_beam( const lattice *l, const beam *b, const double p[3] ) {
	double z, off, length;
	place_on( l, b, p, &z, &off, &length );
	const double to = fmin( fmax( z, 0.0 ), length ), radius = b->r[0] + ( b->r[1] - b->r[0] ) * to / length;
	double away = hypot( z - to, fmax( off - radius, 0.0 ) );
	if ( b->caps[0] == CAP_HALF_BALL && z <= 0.0 )
		away = fmin( away, fmax( hypot( z, off ) - b->r[0], 0.0 ) );
	if ( b->caps[1] == CAP_HALF_BALL && z >= length )
		away = fmin( away, fmax( hypot( z - length, off ) - b->r[1], 0.0 ) );
	return away;
}

static double ball_at( const lattice *l, uint32_t vertex ) {
	double radius = l->balls[vertex];
	for ( uint32_t i = 0; i < l->beam_count; ++i )
		for ( int k = 0; k < 2; ++k )
			if ( l->beams[i].v[k] == vertex && l->beams[i].caps[k] == CAP_BALL )
				radius = fmax( radius, l->beams[i].r[k] );
	return radius;
}

static double away_from_lattice( const lattice *l, const double p[3] ) {
	double away = INFINITY;
	for ( uint32_t i = 0; i < l->beam_count; ++i )
		away = fmin( away, away_from_beam( l, &l->beams[i], p ) );
	for ( uint32_t i = 0; i < l->vertex_count; ++i )
		if ( ball_at( l, i ) > 0.0 )
			away = fmin( away, fmax( distance_of( p, l->vertices[i] ) - ball_at( l, i ), 0.0 ) );
	return away;
}

// A random point of the lattice, mostly close to its surface.
static void pick_point( rng *r, const lattice *l, double p[3] ) {
	double u[3], size = 0.0;
	do {
		for ( int k = 0; k < 3; ++k )
			u[k] = rng_range( r, -1.0, 1.0 );
		size = sqrt( u[0] * u[0] + u[1] * u[1] + u[2] * u[2] );
	} while ( size < 0.1 || size > 1.0 );
	const double share = rng_below( r, 4 ) == 0 ? rng_unit( r ) : 1.0 - 1e-9;
	const uint32_t vertex = (uint32_t)rng_below( r, l->vertex_count );
	if ( rng_below( r, 2 ) == 0 && ball_at( l, vertex ) > 0.0 ) {
		for ( int k = 0; k < 3; ++k )
			p[k] = l->vertices[vertex][k] + u[k] / size * share * ball_at( l, vertex );
		return;
	}
	const beam *b = &l->beams[rng_below( r, l->beam_count )];
	const double *o = l->vertices[b->v[0]], *e = l->vertices[b->v[1]];
	const double length = distance_of( o, e ), t = rng_below( r, 4 ) == 0 ? (double)rng_below( r, 2 ) : rng_unit( r );
	double along = 0.0, off = 0.0;
	for ( int k = 0; k < 3; ++k )
		along += u[k] * ( e[k] - o[k] ) / length;
	const int end = along > 0.0;
	if ( b->caps[end] == CAP_HALF_BALL && ( t == 0.0 || t == 1.0 ) ) {
		const double *centre = end == 1 ? e : o;
		for ( int k = 0; k < 3; ++k )
			p[k] = centre[k] + u[k] / size * share * b->r[end];
		return;
	}
	for ( int k = 0; k < 3; ++k ) {
		u[k] -= along * ( e[k] - o[k] ) / length;
		off += u[k] * u[k];
	}
	const double radius = share * ( b->r[0] + t * ( b->r[1] - b->r[0] ) ) / fmax( sqrt( off ), 1e-3 );
	for ( int k = 0; k < 3; ++k )
		p[k] = o[k] + t * ( e[k] - o[k] ) + radius * u[k];
}

static void enclose( void **state ) {
	(void)state;
	rng r = rng_announce( "lattice", 33 );
	const size_t total = rounds( 40 );
	size_t fine = 0, outside = 0;
	for ( size_t round = 0; round < total; ++round ) {
		lattice l;
		char text[TEXT_ROOM];
		scene_model model;
		dbvh_error error;
		make_lattice( &r, &l );
		write_lattice( &l, "", text );
		const double wanted = round % 2 == 0 ? rng_range( &r, 0.01, 0.09 ) : 0.0;
		if ( read_text( text, wanted, &model, &error ) != DBVH_OK )
			fail_msg( "%s", error.text );
		assert_int_equal( model.body_count, 1 );
		const double sag = model.bodies[0].sag;
		assert_true( sag > 0.0 && ( wanted == 0.0 || sag <= wanted + 1e-7 ) );
		fine += wanted > 0.0 && sag < 0.1;
		const dbvh_mesh_view view = dbvh_mesh_get_view( model.meshes[0].mesh );
		dbvh_mesh_audit_result audit;
		assert_int_equal( dbvh_mesh_audit( &view, NULL, &audit, NULL, 0, NULL ), DBVH_OK );
		assert_int_equal( audit.closed_component_count, audit.component_count );
		assert_int_equal( audit.oriented_component_count, audit.component_count );
		const double *positions = view.positions;
		for ( size_t i = l.vertex_count; i < view.vertex_count; ++i )
			if ( !( away_from_lattice( &l, positions + 3 * i ) <= sag * ( 1.0 + 1e-9 ) ) )
				fail_msg( "corner %zu is %g away, and the sag is %g", i, away_from_lattice( &l, positions + 3 * i ),
				          sag );
		dbvh_tree_options options = dbvh_tree_options_default();
		options.topology = true;
		dbvh_tree *tree;
		assert_int_equal( dbvh_tree_build( &view, &options, NULL, &tree, NULL ), DBVH_OK );
		for ( int i = 0; i < 200; ++i ) {
			double p[3];
			dbvh_location location;
			pick_point( &r, &l, p );
			assert_true( away_from_lattice( &l, p ) <= 1e-9 );
			assert_int_equal( dbvh_locate_point( tree, &model.bodies[0].pose, p, &location, NULL ), DBVH_OK );
			if ( location == DBVH_LOCATION_OUTSIDE )
				fail_msg( "round %zu: a point of the lattice is outside: %.17g %.17g %.17g", round, p[0], p[1], p[2] );
			for ( int k = 0; k < 3; ++k )
				p[k] += rng_range( &r, -3.0, 3.0 );
			assert_int_equal( dbvh_locate_point( tree, &model.bodies[0].pose, p, &location, NULL ), DBVH_OK );
			outside += location == DBVH_LOCATION_OUTSIDE;
			if ( location != DBVH_LOCATION_OUTSIDE )
				assert_true( away_from_lattice( &l, p ) <= sag * ( 1.0 + 1e-9 ) );
		}
		dbvh_tree_destroy( tree );
		scene_model_free( &model );
	}
	assert_outcomes( fine > 0 && outside > 0 );
}

// Far from the origin vertices are rounded coarsely, and yet no plane of a ball cuts it. Differences of the coordinates
// are exact there.
static void far_ball( void **state ) {
	(void)state;
	const double centre[3] = { 5e6, -7e6 + 0.25, 3e6 };
	for ( uint32_t sides = 8; sides <= 128; sides += 20 ) {
		shape s = { 0 };
		double nearest = INFINITY;
		const double sag = scene_add_ball( &s, centre, 1.0, sides );
		for ( size_t i = 0; i < s.triangle_count; ++i ) {
			double v[3][3], n[3], size = 0.0, along = 0.0;
			for ( int j = 0; j < 3; ++j )
				for ( int k = 0; k < 3; ++k )
					v[j][k] = s.positions[3 * s.indices[3 * i + (size_t)j] + (size_t)k] - centre[k];
			for ( int k = 0; k < 3; ++k ) {
				const int x = ( k + 1 ) % 3, y = ( k + 2 ) % 3;
				n[k] = ( v[1][x] - v[0][x] ) * ( v[2][y] - v[0][y] ) - ( v[1][y] - v[0][y] ) * ( v[2][x] - v[0][x] );
				size += n[k] * n[k];
				along += n[k] * v[0][k];
			}
			nearest = fmin( nearest, along / sqrt( size ) );
		}
		if ( !( nearest >= 1.0 - 1e-12 && nearest <= 1.0 + sag ) )
			fail_msg( "%u sides: a plane is %.17g from the centre", (unsigned)sides, nearest );
		shape_free( &s );
	}
}

// A transform stretches the sag, and a motion does not. A turn of few digits, which two bodies may not have both, goes
// into the mesh.
static void stretch( void **state ) {
	(void)state;
	rng r = { 5 };
	lattice l;
	double sags[4];
	static const char *const items[] = { "", "transform='0 1 0 -1 0 0 0 0 1 7 8 9'",
	                                     "transform='3 0 0 0 3 0 0 0 3 0 0 0'",
	                                     "transform='0.850105 0.38697 -0.357179 -0.519533 0.727127 -0.448743 0.0860643 "
	                                     "0.567045 0.819178 1 2 3'" };
	make_lattice( &r, &l );
	for ( int i = 0; i < 4; ++i ) {
		char text[TEXT_ROOM];
		scene_model model;
		dbvh_error error;
		double deviation;
		write_lattice( &l, items[i], text );
		assert_int_equal( read_text( text, 0.0, &model, &error ), DBVH_OK );
		sags[i] = model.bodies[0].sag;
		assert_int_equal( dbvh_pose_check( &model.bodies[0].pose, &deviation, NULL ), DBVH_OK );
		assert_true( deviation <= 0.125 * DBVH_POSE_TOLERANCE );
		scene_model_free( &model );
	}
	assert_true( sags[1] == sags[0] && fabs( sags[2] - 3.0 * sags[0] ) <= 1e-12 );
	assert_true( fabs( sags[3] - sags[0] ) <= 1e-5 * sags[0] );
}

#define LATTICE( attributes, content )                                                                                 \
	"<model requiredextensions='b' xmlns:b='x/beamlattice/2017/02'><resources><object id='1'><mesh><vertices>"         \
	"<vertex x='0' y='0' z='0'/><vertex x='4' y='0' z='0'/></vertices><b:beamlattice " attributes ">" content          \
	"</b:beamlattice></mesh></object></resources><build><item objectid='1'/></build></model>"

static void refuse( void **state ) {
	(void)state;
	static const struct {
		const char *text, *sentence;
	} cases[] = {
	    { LATTICE( "", "" ), "object 1: the lattice has no radius" },
	    { LATTICE( "radius='0'", "" ), "radius of a lattice is a number above 0, and '0' is not" },
	    { LATTICE( "radius='1' minlength='-1'", "" ), "minlength of a lattice is a number above 0" },
	    { LATTICE( "radius='1' cap='round'", "" ), "cap is sphere, hemisphere or butt, and 'round' is not" },
	    { LATTICE( "radius='1' ballmode='all'", "" ), "the lattice has no ballradius" },
	    { LATTICE( "radius='1'", "<b:beams><b:beam v1='0'/></b:beams>" ), "v2 of a lattice is a whole number" },
	    { LATTICE( "radius='1'", "<b:beams><b:beam v1='0' v2='2'/></b:beams>" ),
	      "a lattice names vertex 2, and there are 2" },
	    { LATTICE( "radius='1'", "<b:beams><b:beam v1='0.5' v2='1'/></b:beams>" ),
	      "v1 of a lattice is a whole number" },
	    { LATTICE( "radius='1'", "<b:beams><b:beam v1='0' v2='1' r2='x'/></b:beams>" ),
	      "r2 of a lattice is a number above 0" },
	    { LATTICE( "radius='1' ballmode='mixed'", "<b:balls><b:ball vindex='1'/></b:balls>" ), "a ball has no radius" },
	    { LATTICE( "radius='1' minlength='5'", "<b:beams><b:beam v1='0' v2='1'/></b:beams>" ),
	      "nothing that is to be built has triangles" },
	    { LATTICE( "radius='1'", "<b:beams><b:beam v1='1' v2='1'/></b:beams>" ),
	      "nothing that is to be built has triangles" },
	};
	for ( size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i ) {
		scene_model model;
		dbvh_error error;
		const dbvh_status status = read_text( cases[i].text, 0.0, &model, &error );
		if ( status == DBVH_OK || strstr( error.text, cases[i].sentence ) == NULL )
			fail_msg( "case %zu: %s: %s", i, dbvh_status_name( status ), error.text );
		scene_model_free( &model );
	}
}

// Balls everywhere, beams that are too short, and clipping.
static void notes( void **state ) {
	(void)state;
	scene_model model;
	dbvh_error error;
	assert_int_equal(
	    read_text( LATTICE( "radius='0.5' ballmode='all' ballradius='1' minlength='0.5' clippingmode='inside' "
	                        "clippingmesh='7' cap='butt'",
	                        "<b:beams><b:beam v1='0' v2='1'/><b:beam v1='0' v2='0'/></b:beams>" ),
	               0.0, &model, &error ),
	    DBVH_OK );
	const dbvh_mesh_view view = dbvh_mesh_get_view( model.meshes[0].mesh );
	dbvh_mesh_audit_result audit;
	assert_int_equal( dbvh_mesh_audit( &view, NULL, &audit, NULL, 0, NULL ), DBVH_OK );
	assert_int_equal( audit.component_count, 3 );
	assert_true( audit.bounds.min[0] <= -1.0 && audit.bounds.max[0] >= 5.0 && audit.bounds.max[0] < 5.1 );
	static const char *const expected[] = { "1 lattice of beams: polyhedra round it, at most",
	                                        "1 lattice is clipped by a mesh", "1 beam shorter than the minlength" };
	assert_int_equal( model.note_count, 3 );
	for ( size_t i = 0; i < 3; ++i )
		assert_non_null( strstr( model.notes[i], expected[i] ) );
	scene_model_free( &model );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( enclose ), cmocka_unit_test( far_ball ), cmocka_unit_test( stretch ),
	    cmocka_unit_test( refuse ),  cmocka_unit_test( notes ),
	};
	return test_main( argc, argv, tests );
}
