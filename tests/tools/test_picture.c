// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Parts of pictures: simplification leaves alone what is looked at and makes nothing up, varints and base64 read back,
// the rasteriser puts things where they belong.

#include "picture/bytes.h"
#include "picture/legend.h"
#include "picture/lettering.h"
#include "picture/model.h"
#include "picture/plot.h"
#include "picture/png.h"
#include "picture/raster.h"
#include "picture/simplify.h"
#include "support/scene.h"
#include "support/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------
// Simplification

static bool is_vertex_of( const shape *s, const double *x ) {
	for ( size_t i = 0; i < s->vertex_count; ++i )
		if ( memcmp( s->positions + 3 * i, x, 3 * sizeof *x ) == 0 )
			return true;
	return false;
}

static const double from_above[3] = { 0.62, -0.62, 0.48 };

static size_t count_in( const double *positions, const uint32_t *corners, size_t triangle_count,
                        const dbvh_aabb *box ) {
	size_t count = 0;
	for ( size_t i = 0; i < triangle_count; ++i ) {
		bool inside = true;
		for ( size_t k = 0; k < 9; ++k ) {
			const double x = positions[3 * (size_t)corners[3 * i + k / 3] + k % 3];
			inside = inside && x >= box->min[k % 3] && x <= box->max[k % 3];
		}
		count += inside;
	}
	return count;
}

static void simplifies( void **unused ) {
	(void)unused;
	shape s = { 0 };
	shape_add_sphere( &s, 1.0, 80, 80 );
	const dbvh_mesh_view view = shape_view( &s );
	const dbvh_aabb focus = { { 0.8, -0.3, -0.3 }, { 1.1, 0.3, 0.3 } };
	for ( int has_focus = 0; has_focus < 2; ++has_focus ) {
		simple_mesh m;
		const size_t target = has_focus ? 4000 : 1000;
		assert_true( simplify( &view, target, &focus, (size_t)has_focus, &m ) );
		assert_true( m.triangle_count > target / 4 && m.triangle_count < 2 * target );
		assert_true( m.triangle_count < view.triangle_count );
		for ( size_t i = 0; i < m.vertex_count; ++i )
			assert_true( is_vertex_of( &s, m.positions + 3 * i ) );
		for ( size_t i = 0; i < 3 * m.triangle_count; ++i )
			assert_true( m.indices[i] < m.vertex_count );
		for ( size_t i = 0; i < m.triangle_count; ++i ) {
			const uint32_t *c = m.indices + 3 * i;
			assert_true( c[0] != c[1] && c[1] != c[2] && c[2] != c[0] );
		}
		const size_t whole = count_in( s.positions, view.indices, view.triangle_count, &focus );
		const size_t left = count_in( m.positions, m.indices, m.triangle_count, &focus );
		assert_true( whole > 50 );
		assert_true( has_focus ? left == whole : left < whole );
		free( m.positions );
		free( m.indices );
	}
	shape_free( &s );
}

// Hostile ones: all in one point, in a line, very far apart.
static void simplifies_anything( void **unused ) {
	(void)unused;
	const double scales[] = { 0.0, 1e-300, 1.0, 1e150 };
	for ( size_t i = 0; i < sizeof scales / sizeof scales[0]; ++i )
		for ( int flat = 0; flat < 3; ++flat ) {
			shape s = { 0 };
			shape_add_box( &s, 1.0, 1.0, 1.0, 6 );
			for ( size_t k = 0; k < 3 * s.vertex_count; ++k )
				s.positions[k] *= (int)( k % 3 ) < flat ? 0.0 : scales[i];
			const dbvh_mesh_view view = shape_view( &s );
			const dbvh_aabb focus = { { 0.0, 0.0, 0.0 }, { 0.0, 0.0, 0.0 } };
			for ( size_t focus_count = 0; focus_count < 2; ++focus_count ) {
				simple_mesh m;
				assert_true( simplify( &view, 100, &focus, focus_count, &m ) );
				assert_true( m.triangle_count <= view.triangle_count );
				for ( size_t k = 0; k < 3 * m.triangle_count; ++k )
					assert_true( m.indices[k] < m.vertex_count );
				free( m.positions );
				free( m.indices );
			}
			shape_free( &s );
		}
}

// ------------------------------------------------------------------------------------------------
// Bytes

static uint64_t read_varint( const bytes *b, size_t *at ) {
	uint64_t x = 0;
	for ( int shift = 0;; shift += 7 ) {
		const unsigned char byte = b->at[( *at )++];
		x |= (uint64_t)( byte & 127 ) << shift;
		if ( byte < 128 )
			return x;
	}
}

static void varints( void **unused ) {
	(void)unused;
	rng r = rng_announce( "varints", 20261122 );
	bytes b = { 0 };
	enum { COUNT = 2000 };
	int64_t numbers[COUNT];
	for ( int i = 0; i < COUNT; ++i ) {
		numbers[i] = (int64_t)( rng_u64( &r ) >> rng_below( &r, 64 ) );
		if ( rng_below( &r, 2 ) == 0 )
			numbers[i] = -numbers[i];
		bytes_varint_signed( &b, numbers[i] );
	}
	size_t at = 0;
	for ( int i = 0; i < COUNT; ++i ) {
		const uint64_t folded = read_varint( &b, &at );
		const int64_t x = folded % 2 == 0 ? (int64_t)( folded / 2 ) : -(int64_t)( folded / 2 ) - 1;
		assert_true( x == numbers[i] );
	}
	assert_int_equal( at, b.count );
	bytes_free( &b );
}

static void base64( void **unused ) {
	(void)unused;
	static const char *const pairs[][2] = { { "", "" },
	                                        { "f", "Zg==" },
	                                        { "fo", "Zm8=" },
	                                        { "foo", "Zm9v" },
	                                        { "foob", "Zm9vYg==" },
	                                        { "fooba", "Zm9vYmE=" },
	                                        { "foobar", "Zm9vYmFy" } }; // RFC 4648, section 10
	for ( size_t i = 0; i < sizeof pairs / sizeof pairs[0]; ++i ) {
		bytes b = { 0 };
		char text[32] = "";
		FILE *file = fmemopen( text, sizeof text, "w" );
		bytes_put( &b, pairs[i][0], strlen( pairs[i][0] ) );
		bytes_write_base64( &b, file );
		fclose( file );
		assert_string_equal( text, pairs[i][1] );
		bytes_free( &b );
	}
}

// ------------------------------------------------------------------------------------------------
// The rasteriser

enum { WIDTH = 64, HEIGHT = 48 };

static const float white[3] = { 1, 1, 1 }, red[3] = { 1, 0, 0 }, black[3] = { 0, 0, 0 };

static void at( const unsigned char *pixels, int x, int y, unsigned char out[3] ) {
	memcpy( out, pixels + 3 * ( y * WIDTH + x ), 3 );
}

// The silhouette of a simplified body is that of the true one: pixels that only one of the two covers are few.
enum { SHADOW_WIDTH = 320, SHADOW_HEIGHT = 240 };

static void draw_shadow( raster *r, const camera *c, const double *positions, const uint32_t *corners, size_t count,
                         unsigned char *pixels ) {
	const raster_style style = { { 0, 0, 0 }, 0.0f };
	raster_clear( r, white );
	for ( size_t i = 0; i < count; ++i ) {
		double seen[3][3];
		for ( size_t k = 0; k < 3; ++k )
			camera_see( c, positions + 3 * (size_t)corners[3 * i + k], seen[k] );
		raster_triangle( r, c, (const double( * )[3])seen, &style );
	}
	raster_pixels( r, pixels );
}

static void expect_same_shadow( const shape *s, size_t target, const double middle[3], double size ) {
	static const double directions[6][3] = { { 1, 0, 0 }, { 0, 1, 0 },    { 0.1, 0, 1 },
	                                         { 1, 1, 1 }, { -1, 2, 0.5 }, { 2, -1, -1 } };
	const dbvh_mesh_view view = shape_view( s );
	simple_mesh m;
	raster r;
	unsigned char *pixels = malloc( 2 * 3 * (size_t)SHADOW_WIDTH * SHADOW_HEIGHT );
	unsigned char *others = pixels + 3 * (size_t)SHADOW_WIDTH * SHADOW_HEIGHT;
	assert_true( pixels != NULL && raster_create( &r, SHADOW_WIDTH, SHADOW_HEIGHT ) );
	assert_true( simplify( &view, target, NULL, 0, &m ) );
	assert_true( m.triangle_count < view.triangle_count / 2 );
	for ( int i = 0; i < 6; ++i ) {
		const camera c = camera_at( middle, size, directions[i] );
		size_t area = 0, different = 0;
		draw_shadow( &r, &c, s->positions, s->indices, view.triangle_count, pixels );
		draw_shadow( &r, &c, m.positions, m.indices, m.triangle_count, others );
		for ( size_t k = 0; k < (size_t)SHADOW_WIDTH * SHADOW_HEIGHT; ++k ) {
			area += pixels[3 * k] < 128;
			different += ( pixels[3 * k] < 128 ) != ( others[3 * k] < 128 );
		}
		assert_true( area > 3000 );
#ifdef DUALBVH_WITH_MESHOPTIMIZER
		assert_true( different * 100 < area );
#else
		assert_true( different * 10 < area );
#endif
	}
	free( m.positions );
	free( m.indices );
	free( pixels );
	raster_free( &r );
}

static void keeps_silhouettes( void **unused ) {
	(void)unused;
	const double origin[3] = { 0 }, breast[3] = { 0.0, 0.0, 0.5 };
	shape ball = { 0 }, ring = { 0 }, statue = { 0 };
	shape_add_sphere( &ball, 1.0, 100, 100 );
	shape_add_torus( &ring, 1.0, 0.3, 120, 60 );
	shape_add_statue( &statue );
	expect_same_shadow( &ball, 2000, origin, 2.2 );
	expect_same_shadow( &ring, 2000, origin, 2.8 );
	expect_same_shadow( &statue, 3000, breast, 1.1 );
	shape_free( &ball );
	shape_free( &ring );
	shape_free( &statue );
}

// A square across the view, so deep, from left to right.
static void draw_square( raster *r, const camera *c, double left, double right, double depth,
                         const raster_style *style ) {
	const double corner[4][3] = {
	    { left, -1.0, depth }, { right, -1.0, depth }, { right, 1.0, depth }, { left, 1.0, depth } };
	const double first[3][3] = { { corner[0][0], corner[0][1], depth },
	                             { corner[1][0], corner[1][1], depth },
	                             { corner[2][0], corner[2][1], depth } };
	const double second[3][3] = { { corner[0][0], corner[0][1], depth },
	                              { corner[2][0], corner[2][1], depth },
	                              { corner[3][0], corner[3][1], depth } };
	raster_triangle( r, c, first, style );
	raster_triangle( r, c, second, style );
}

static void camera_sees( void **unused ) {
	(void)unused;
	// Far from the origin, and from the right, from above and towards it.
	const double point[3] = { 0x1p30, -0x1p30, 0x1p20 }, size = 0x1p-10;
	const double moves[3][3] = { { 1, 1, 0 }, { 0, 0, 1 }, { 0.62, -0.62, 0.48 } };
	const camera c = camera_at( point, size, from_above );
	double at[3];
	camera_see( &c, point, at );
	for ( int i = 0; i < 3; ++i ) {
		double x[3], seen[3];
		for ( int k = 0; k < 3; ++k )
			x[k] = point[k] + size * moves[i][k];
		camera_see( &c, x, seen );
		assert_true( i == 0 ? seen[0] > 1.4 * size : fabs( seen[0] ) < 1e-2 * size );
		assert_true( i == 0   ? fabs( seen[1] ) < 1e-2 * size
		             : i == 1 ? seen[1] > 0.8 * size
		                      : fabs( seen[1] ) < 1e-2 * size );
		assert_true( i == 2 ? seen[2] < at[2] - 0.9 * size : seen[2] <= at[2] + 1e-2 * size );
	}
}

// The red that a triangle across the view is drawn with, whose last corner is so far to the right and so deep, as a
// ghost where it has a density.
static unsigned char red_of( double right, double deep, float density ) {
	static const double origin[3] = { 0.0, 0.0, 0.0 };
	const camera c = camera_at( origin, 2.0, from_above );
	const double corner[3][3] = { { -9.0, -9.0, c.away }, { right, -9.0, c.away + deep }, { -9.0, 9.0, c.away } };
	const raster_style style = { { 1, 0, 0 }, density };
	unsigned char pixels[3 * WIDTH * HEIGHT], p[3];
	raster r;
	assert_true( raster_create( &r, WIDTH, HEIGHT ) );
	raster_clear( &r, black );
	raster_triangle( &r, &c, corner, &style );
	raster_settle( &r, red );
	raster_pixels( &r, pixels );
	at( pixels, WIDTH / 4, HEIGHT / 2, p );
	raster_free( &r );
	return p[0];
}

static void lights( void **unused ) {
	(void)unused;
	// 255 ( 0.6 + 0.45 light ): the lamp along the normal, and by a surface turned by 45 degrees.
	assert_int_equal( red_of( 9.0, 0.0, 0.0f ), 238 );
	assert_int_equal( red_of( 9.0, 18.0, 0.0f ), 240 );
	// A corner beyond floats leaves a colour.
	assert_in_range( red_of( 1e60, 0.0, 0.5f ), 20, 255 );
}

static void rasterises( void **unused ) {
	(void)unused;
	const double origin[3] = { 0.0, 0.0, 0.0 };
	const camera c = camera_at( origin, 2.0, from_above );
	const raster_style solid_red = { { 1, 0, 0 }, 0.0f }, solid_green = { { 0, 1, 0 }, 0.0f },
	                   ghost = { { 0, 0, 1 }, 0.5f };
	unsigned char pixels[3 * WIDTH * HEIGHT], p[3];
	double seen[3];
	camera_see( &c, origin, seen );
	assert_true( fabs( seen[0] ) < 1e-12 && fabs( seen[1] ) < 1e-12 && seen[2] > c.near );
	raster r;
	assert_true( raster_create( &r, WIDTH, HEIGHT ) );
	raster_clear( &r, white );
	// The nearer one is in front, whichever comes first; what is behind the camera is not there.
	draw_square( &r, &c, -1.0, 0.0, seen[2] + 1.0, &solid_red );
	draw_square( &r, &c, -1.0, 0.5, seen[2], &solid_green );
	draw_square( &r, &c, -0.5, 0.0, seen[2] + 2.0, &solid_red );
	draw_square( &r, &c, -9.0, 9.0, -seen[2], &solid_red );
	raster_pixels( &r, pixels );
	at( pixels, WIDTH / 2 - 4, HEIGHT / 2, p );
	assert_true( p[1] > 100 && p[0] < 20 );
	at( pixels, WIDTH - 1, HEIGHT / 2, p );
	assert_true( p[0] == 255 && p[1] == 255 && p[2] == 255 );
	// A ghost lets through, the same from two in either order; a line is on top of all.
	draw_square( &r, &c, 0.6, 0.9, seen[2] - 0.5, &ghost );
	draw_square( &r, &c, -0.9, -0.2, seen[2] + 0.5, &ghost ); // behind the green one
	const float blue[3] = { 0, 0, 1 };
	raster_settle( &r, blue );
	const double from[3] = { -1.0, 0.0, seen[2] + 5.0 }, to[3] = { 1.0, 0.0, seen[2] + 5.0 };
	raster_line( &r, &c, from, to, 4.0, black );
	raster_pixels( &r, pixels );
	at( pixels, WIDTH / 2 - 6, HEIGHT / 2, p );
	assert_true( p[0] == 0 && p[1] == 0 && p[2] == 0 );
	at( pixels, WIDTH / 2 - 6, HEIGHT / 2 + 10, p );
	assert_true( p[1] > 100 && p[2] < 20 );
	size_t ghostly = 0;
	for ( size_t i = 0; i < (size_t)WIDTH * HEIGHT; ++i )
		ghostly += pixels[3 * i] < 250 && pixels[3 * i] > 100 && pixels[3 * i + 2] == 255;
	assert_true( ghostly > 20 );
	const double corners[3][3] = { { 0.7, 0.5, seen[2] }, { 0.9, 0.5, seen[2] }, { 0.8, 0.8, seen[2] } };
	raster_polygon( &r, &c, corners, 3, red );
	raster_free( &r );
}

// Random triangles against the plainest rasteriser: at each sample, which of them is there and nearest?
static bool covers( const double p[3][3], double x, double y, double *depth_out, bool *is_sure_out ) {
	const double area = ( p[1][0] - p[0][0] ) * ( p[2][1] - p[0][1] ) - ( p[1][1] - p[0][1] ) * ( p[2][0] - p[0][0] );
	bool is_inside = true;
	*depth_out = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		const double *a = p[( k + 1 ) % 3], *b = p[( k + 2 ) % 3];
		const double weight = ( ( b[0] - a[0] ) * ( y - a[1] ) - ( b[1] - a[1] ) * ( x - a[0] ) ) / area;
		is_inside = is_inside && weight >= 0.0;
		*is_sure_out = *is_sure_out && fabs( weight ) > 1e-9;
		*depth_out += weight * p[k][2];
	}
	return is_inside;
}

static void rasterises_at_random( void **unused ) {
	(void)unused;
	enum { TRIANGLES = 6 };
	rng r = rng_announce( "raster", 23 );
	const double origin[3] = { 0.0, 0.0, 0.0 };
	const camera c = camera_at( origin, 2.0, from_above );
	raster made;
	size_t drawn = 0, empty = 0;
	assert_true( raster_create( &made, WIDTH, HEIGHT ) );
	for ( size_t n = rounds( 40 ); n-- > 0; ) {
		double p[TRIANGLES][3][3];
		float colours[TRIANGLES];
		raster_clear( &made, white );
		for ( size_t i = 0; i < TRIANGLES; ++i ) {
			double corner[3][3];
			for ( int k = 0; k < 3; ++k ) {
				corner[k][2] = ( 1.0 + 9.0 * rng_unit( &r ) ) * ( 1.0 + c.near );
				for ( int j = 0; j < 2; ++j )
					corner[k][j] = corner[k][2] * ( 3.0 * rng_unit( &r ) - 1.5 ) / c.scale;
				p[i][k][2] = 1.0 / corner[k][2];
				p[i][k][0] = 0.5 * made.width + 0.5 * made.height * c.scale * corner[k][0] * p[i][k][2];
				p[i][k][1] = 0.5 * made.height - 0.5 * made.height * c.scale * corner[k][1] * p[i][k][2];
			}
			const raster_style style = { { (float)( i + 1 ) / 8.0f, 0.0f, 0.0f }, 0.0f };
			const uint64_t before = made.work;
			raster_triangle( &made, &c, (const double( * )[3])corner, &style );
			assert_true( made.work >= before + RASTER_TRIANGLE );
			colours[i] = style.colour[0];
		}
		for ( size_t at = 0; at < (size_t)made.width * (size_t)made.height; ++at ) {
			const double x = (double)( at % (size_t)made.width ) + 0.5, y = (double)( at / (size_t)made.width ) + 0.5;
			double nearest = 0.0, depth;
			size_t winner = TRIANGLES;
			bool is_sure = true;
			for ( size_t i = 0; i < TRIANGLES; ++i )
				if ( covers( (const double( * )[3])p[i], x, y, &depth, &is_sure ) ) {
					is_sure = is_sure && fabs( depth - nearest ) > 1e-6;
					if ( depth > nearest ) {
						nearest = depth;
						winner = i;
					}
				}
			if ( !is_sure )
				continue;
			const float red_there = made.colour[3 * at], green = made.colour[3 * at + 1];
			drawn += winner < TRIANGLES;
			empty += winner == TRIANGLES;
			if ( winner == TRIANGLES )
				assert_true( green == 1.0f );
			else // shaded, by no more than four tenths
				assert_true( green == 0.0f && red_there <= colours[winner] && red_there >= 0.59f * colours[winner] );
		}
	}
	assert_true( drawn > 0 && empty > 0 );
	raster_free( &made );
}

// A place so far to the right of the eye, and so far in front of it.
static void place_by_eye( const camera *c, double right, double forward, double out[3] ) {
	for ( int k = 0; k < 3; ++k )
		out[k] = c->point[k] + right * (double)c->view[k][0] + ( c->away - forward ) * (double)c->view[k][2];
}

// A ball with a point that is in the picture may be seen; most balls at random may not.
static void culls( void **unused ) {
	(void)unused;
	rng r = rng_announce( "balls", 24 );
	const double origin[3] = { 0.0, 0.0, 0.0 }, aspect = 4.0 / 3.0;
	const camera c = camera_at( origin, 2.0, from_above );
	size_t hidden = 0, shown = 0;
	for ( size_t n = rounds( 20000 ); n-- > 0; ) {
		double middle[3], direction[3], length = 0.0, at[3], x[3];
		const double radius = 3.0 * rng_unit( &r );
		place_by_eye( &c, 0.0, 0.0, middle );
		for ( int k = 0; k < 3; ++k ) {
			middle[k] += 24.0 * rng_unit( &r ) - 12.0;
			direction[k] = 2.0 * rng_unit( &r ) - 1.0;
			length += direction[k] * direction[k];
		}
		const bool may = camera_may_see( &c, aspect, middle, radius );
		for ( int k = 0; k < 3; ++k )
			x[k] = middle[k] + 0.999 * radius * direction[k] / sqrt( length );
		camera_see( &c, x, at );
		const bool is_in =
		    at[2] >= c.near && fabs( at[0] ) * c.scale <= aspect * at[2] && fabs( at[1] ) * c.scale <= at[2];
		assert_true( may || !is_in );
		hidden += !may;
		shown += is_in;
	}
	assert_true( shown > 0 && hidden > shown );
	// Just outside of a side, and just in it, is where they tell.
	const double sine = aspect / sqrt( c.scale * c.scale + aspect * aspect ), cosine = sqrt( 1.0 - sine * sine );
	for ( int i = 0; i < 2; ++i ) {
		const double across = 8.0 * sine + ( i == 0 ? 0.99 : 1.01 ) * cosine,
		             along = 8.0 * cosine - ( i == 0 ? 0.99 : 1.01 ) * sine;
		double middle[3];
		place_by_eye( &c, across, along, middle );
		assert_true( camera_may_see( &c, aspect, middle, 1.0 ) == ( i == 0 ) );
	}
	double behind[3];
	place_by_eye( &c, 0.0, -1.01, behind );
	assert_false( camera_may_see( &c, aspect, behind, 1.0 ) );
}

static uint32_t big( const unsigned char *at ) {
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void makes_png( void **unused ) {
	(void)unused;
	unsigned char pixels[3 * 5 * 4];
	for ( size_t i = 0; i < sizeof pixels; ++i )
		pixels[i] = (unsigned char)( 37 * i );
	bytes b = { 0 };
	assert_true( png_make( pixels, 5, 4, &b ) );
	assert_memory_equal( b.at, "\211PNG\r\n\032\n", 8 );
	size_t from = 8;
	static const char *const names[] = { "IHDR", "IDAT", "IEND" };
	for ( int i = 0; i < 3; ++i ) {
		assert_memory_equal( b.at + from + 4, names[i], 4 );
		from += 12 + big( b.at + from );
	}
	assert_int_equal( from, b.count );
	assert_int_equal( big( b.at + 16 ), 5 );
	assert_int_equal( big( b.at + 20 ), 4 );
	assert_int_equal( big( b.at + b.count - 4 ), 0xAE426082 ); // checksum of every IEND
	bytes_free( &b );
}

// ------------------------------------------------------------------------------------------------
// Plots

// A plot of frames from 0 to `time`, at most `distance` apart, as text.
static char *plot( double time, double distance, const char *title ) {
	char *text = NULL;
	size_t size = 0;
	picture p = { .time_name = "pose" };
	p.title = picture_print( &p, "%s", title );
	picture_add_frame( &p, 0.0, 0.0, PICTURE_CLASHING );
	picture_add_frame( &p, time, distance, PICTURE_CLEAR );
	FILE *file = open_memstream( &text, &size );
	plot_write_svg( &p, file );
	fclose( file );
	picture_free( &p );
	return text;
}

static size_t count_of( const char *text, const char *what ) {
	size_t count = 0;
	for ( ; ( text = strstr( text, what ) ) != NULL; ++text )
		++count;
	return count;
}

enum { PAGE_WIDTH = 200, PAGE_HEIGHT = 40 };

static size_t count_dark( const unsigned char *pixels ) {
	size_t count = 0;
	for ( size_t i = 0; i < (size_t)PAGE_WIDTH * PAGE_HEIGHT; ++i )
		count += pixels[3 * i] == 0;
	return count;
}

// What is written on an empty page at a place; the number of its dark pixels.
static size_t write_on_page( unsigned char *pixels, int x, int y, const char *text, size_t most, int *width_out ) {
	const lettering l = { pixels, PAGE_WIDTH, PAGE_HEIGHT };
	memset( pixels, 255, 3 * (size_t)PAGE_WIDTH * PAGE_HEIGHT );
	*width_out = lettering_write( &l, x, y, text, most );
	return count_dark( pixels );
}

static void letters( void **unused ) {
	(void)unused;
	unsigned char *pixels = malloc( 3 * (size_t)PAGE_WIDTH * PAGE_HEIGHT ),
	              *others = malloc( 3 * (size_t)PAGE_WIDTH * PAGE_HEIGHT );
	const size_t size = 3 * (size_t)PAGE_WIDTH * PAGE_HEIGHT;
	int width, other;
	assert_true( pixels != NULL && others != NULL );
	// An upright of seven pixels, each drawn as two by two.
	assert_int_equal( write_on_page( pixels, 4, 4, "|", 9, &width ), 28 );
	assert_int_equal( width, LETTER_WIDTH );
	// All letters of ASCII differ.
	for ( char c = 33; c < 127; ++c )
		for ( char d = (char)( c + 1 ); d < 127; ++d ) {
			const char first[2] = { c, '\0' }, second[2] = { d, '\0' };
			assert_true( write_on_page( pixels, 4, 4, first, 9, &width ) > 0 );
			write_on_page( others, 4, 4, second, 9, &other );
			assert_int_not_equal( memcmp( pixels, others, size ), 0 );
		}
	// Long texts lose their middle; characters beyond ASCII are one box each.
	write_on_page( pixels, 4, 4, "abcdefghij", 7, &width );
	write_on_page( others, 4, 4, "ab...ij", 7, &other );
	assert_memory_equal( pixels, others, size );
	assert_int_equal( width, 7 * LETTER_WIDTH );
	assert_int_equal( lettering_width( "abcdefghij", 7 ), 7 * LETTER_WIDTH );
	write_on_page( pixels, 4, 4, "\xC3\xA9\xE2\x82\xAC\x01", 9, &width );
	assert_int_equal( width, 3 * LETTER_WIDTH );
	// Nothing is written beside the page; texts that break off within a character end there.
	assert_int_equal( write_on_page( pixels, -500, 4, "A", 9, &width ), 0 );
	assert_true( write_on_page( pixels, -6, -8, "AA", 9, &width ) > 0 );
	assert_true( write_on_page( pixels, PAGE_WIDTH - 4, PAGE_HEIGHT - 6, "AA", 9, &width ) > 0 );
	write_on_page( pixels, 4, 4, "\xE2", 9, &width );
	assert_int_equal( width, LETTER_WIDTH );
	free( pixels );
	free( others );
}

static void scales( void **unused ) {
	(void)unused;
	static const double pairs[][2] = { { 1.0, 1.0 },  { 1.99, 1.0 }, { 2.0, 2.0 },    { 4.9, 2.0 },   { 5.0, 5.0 },
	                                   { 9.99, 5.0 }, { 130, 100 },  { 0.031, 0.02 }, { 7e-9, 5e-9 }, { 6e20, 5e20 } };
	for ( size_t i = 0; i < sizeof pairs / sizeof pairs[0]; ++i )
		assert_true( fabs( legend_round_length( pairs[i][0] ) - pairs[i][1] ) <= 1e-12 * pairs[i][1] );
}

static void plots( void **unused ) {
	(void)unused;
	static const double ranges[] = { 1.0, 0.7, 5e-324, 4e-323, 1e-310, 2.2250738585072014e-308, 1e-300, 1e300, 1e308 };
	for ( size_t i = 0; i < sizeof ranges / sizeof ranges[0]; ++i ) {
		char *text = plot( ranges[i], ranges[i], "a" );
		assert_true( count_of( text, "class=\"grid\"" ) <= 42 );
		assert_true( i > 1 || count_of( text, "class=\"grid\"" ) > 6 );
		assert_non_null( strstr( text, "</svg>" ) );
		assert_null( strstr( text, "nan" ) );
		free( text );
	}
	char *text = plot( 1.0, 1.0, "a\xff<\x01&b" );
	assert_int_equal( count_of( text, "a\xEF\xBF\xBD&lt;\xEF\xBF\xBD&amp;b" ), 2 );
	free( text );
}

// ------------------------------------------------------------------------------------------------
// GLB

static dbvh_status write_glb( double at ) {
	char *text = NULL;
	size_t size = 0;
	picture p = { 0 };
	double points[] = { at, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0 };
	uint32_t triangle[] = { 0, 1, 2 };
	char name[] = "a";
	model_object object = {
	    .name = name, .points = points, .point_count = 3, .triangles = triangle, .triangle_count = 3 };
	const model m = { .objects = &object, .count = 1 };
	FILE *file = open_memstream( &text, &size );
	const dbvh_status status = model_write_glb( &m, &p, file );
	fclose( file );
	assert_true( status == DBVH_OK ? size > 12 && memcmp( text, "glTF", 4 ) == 0 : size == 0 );
	free( text );
	return status;
}

static void refuses_what_floats_lack( void **unused ) {
	(void)unused;
	assert_int_equal( write_glb( 2.0 ), DBVH_OK );
	assert_int_equal( write_glb( 3e38 ), DBVH_OK );
	assert_int_equal( write_glb( 4e38 ), DBVH_LIMIT );
	assert_int_equal( write_glb( -1e308 ), DBVH_LIMIT );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( simplifies ),
	    cmocka_unit_test( simplifies_anything ),
	    cmocka_unit_test( varints ),
	    cmocka_unit_test( base64 ),
	    cmocka_unit_test( camera_sees ),
	    cmocka_unit_test( lights ),
	    cmocka_unit_test( rasterises ),
	    cmocka_unit_test( rasterises_at_random ),
	    cmocka_unit_test( culls ),
	    cmocka_unit_test( makes_png ),
	    cmocka_unit_test( plots ),
	    cmocka_unit_test( refuses_what_floats_lack ),
	    cmocka_unit_test( keeps_silhouettes ),
	    cmocka_unit_test( letters ),
	    cmocka_unit_test( scales ),
	};
	return test_main( argc, argv, tests );
}
