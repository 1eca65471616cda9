// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "picture/raster.h"

#include <cglm/vec3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 2 }; // for each pixel, in each direction

static size_t sample_count( const raster *r ) {
	return (size_t)r->width * (size_t)r->height;
}

bool raster_create( raster *r, int width, int height ) {
	*r = ( raster ){ .width = SAMPLES * width, .height = SAMPLES * height };
	const size_t count = sample_count( r );
	r->depth = malloc( count * sizeof *r->depth );
	r->through = malloc( count * sizeof *r->through );
	r->colour = malloc( 3 * count * sizeof *r->colour );
	if ( r->depth != NULL && r->through != NULL && r->colour != NULL )
		return true;
	raster_free( r );
	return false;
}

void raster_clear( raster *r, const float background[3] ) {
	const size_t count = sample_count( r );
	for ( size_t i = 0; i < count; ++i ) {
		r->depth[i] = 0.0f;
		r->through[i] = 1.0f;
		memcpy( r->colour + 3 * i, background, 3 * sizeof *background );
	}
	r->work += count;
}

void raster_free( raster *r ) {
	free( r->depth );
	free( r->through );
	free( r->colour );
	*r = ( raster ){ 0 };
}

// ------------------------------------------------------------------------------------------------
// Triangles

// Project a point in front of the camera: its place in samples, and 1 over its depth.
static void project( const raster *r, const camera *c, const double x[3], double out[3] ) {
	const double half = 0.5 * r->height;
	out[2] = 1.0 / x[2];
	out[0] = 0.5 * r->width + half * c->scale * x[0] * out[2];
	out[1] = half - half * c->scale * x[1] * out[2];
}

// Samples of a row from `first` on whose depths begin with z and grow by dz.
static void fill_row( raster *r, size_t first, size_t count, double z, double dz, const float colour[3],
                      const raster_style *style, float density ) {
	const float left = 1.0f - density;
	for ( size_t i = 0; i < count; ++i ) {
		const size_t at = first + i;
		const float depth = (float)( z + (double)i * dz );
		if ( !( depth > r->depth[at] ) )
			continue;
		if ( style->density > 0.0f ) {
			r->through[at] *= left;
			continue;
		}
		r->depth[at] = depth;
		memcpy( r->colour + 3 * at, colour, 3 * sizeof *colour );
	}
}

// A number that changes evenly over the picture.
typedef struct plane {
	double across, down, base;
} plane;

// For a triangle of this area (twice, with its sign): 1 at one corner and 0 along the side of the others.
static plane weight_plane( const double a[3], const double b[3], double area ) {
	return ( plane ){ ( a[1] - b[1] ) / area, ( b[0] - a[0] ) / area, ( a[0] * b[1] - a[1] * b[0] ) / area };
}

// Between which samples of a row, given by the height of their middle, all weights are at least 0.
static void clip_row( const plane weight[3], double y, double *low, double *high ) {
	for ( int k = 0; k < 3; ++k ) {
		const double at = weight[k].down * y + weight[k].base, slope = weight[k].across;
		if ( slope > 0.0 )
			*low = fmax( *low, ceil( -at / slope - 0.5 ) );
		else if ( slope < 0.0 )
			*high = fmin( *high, floor( -at / slope - 0.5 ) );
		else if ( at < 0.0 )
			*high = -1.0;
	}
}

// Samples whose middle is in the triangle of projected corners.
static void fill( raster *r, const double p[3][3], const float colour[3], const raster_style *style, float density ) {
	const double area = ( p[1][0] - p[0][0] ) * ( p[2][1] - p[0][1] ) - ( p[1][1] - p[0][1] ) * ( p[2][0] - p[0][0] );
	if ( area == 0.0 || !isfinite( area ) )
		return;
	const double left = fmin( p[0][0], fmin( p[1][0], p[2][0] ) ), right = fmax( p[0][0], fmax( p[1][0], p[2][0] ) );
	const double top = fmin( p[0][1], fmin( p[1][1], p[2][1] ) ), bottom = fmax( p[0][1], fmax( p[1][1], p[2][1] ) );
	if ( right < 0.0 || bottom < 0.0 || left > r->width || top > r->height )
		return;
	const int y0 = (int)fmax( top, 0.0 ), y1 = (int)fmin( bottom, r->height - 1.0 );
	plane weight[3], depth = { 0 };
	for ( int k = 0; k < 3; ++k ) {
		weight[k] = weight_plane( p[( k + 1 ) % 3], p[( k + 2 ) % 3], area );
		depth.across += weight[k].across * p[k][2];
		depth.down += weight[k].down * p[k][2];
		depth.base += weight[k].base * p[k][2];
	}
	for ( int y = y0; y <= y1; ++y ) {
		const double middle = y + 0.5;
		double low = fmax( floor( left ), 0.0 ), high = fmin( right, r->width - 1.0 );
		clip_row( weight, middle, &low, &high );
		if ( !( low <= high ) )
			continue;
		const size_t count = (size_t)( high - low ) + 1;
		r->work += count;
		fill_row( r, (size_t)y * (size_t)r->width + (size_t)low, count,
		          depth.across * ( low + 0.5 ) + depth.down * middle + depth.base, depth.across, colour, style,
		          density );
	}
	r->work += (uint64_t)( y1 >= y0 ? y1 - y0 : 0 );
}

// Clip a polygon to depths of `near` and more: at most one corner is added.
static size_t clip( const double ( *corner )[3], size_t count, double near, double ( *out )[3] ) {
	size_t left = 0;
	for ( size_t i = 0; i < count; ++i ) {
		const double *a = corner[i], *b = corner[( i + 1 ) % count];
		if ( a[2] >= near )
			memcpy( out[left++], a, 3 * sizeof *a );
		if ( ( a[2] >= near ) != ( b[2] >= near ) ) {
			const double t = ( near - a[2] ) / ( b[2] - a[2] );
			for ( int k = 0; k < 3; ++k )
				out[left][k] = a[k] + t * ( b[k] - a[k] );
			++left;
		}
	}
	return left;
}

static float part( float x ) {
	return x >= 0.0f ? fminf( x, 1.0f ) : 0.0f; // NaN of a corner beyond all floats
}

// How much a surface looks towards the camera, and towards a light beside it: both sides alike.
static void shade( const camera *c, const double corner[3][3], float *facing_out, float *light_out ) {
	vec3 lamp = { 0.33f, 0.58f, -0.74f }, from, u, v, normal;
	for ( int k = 0; k < 3; ++k ) {
		from[k] = (float)( corner[0][k] / c->away );
		u[k] = (float)( ( corner[1][k] - corner[0][k] ) / c->away );
		v[k] = (float)( ( corner[2][k] - corner[0][k] ) / c->away );
	}
	glm_vec3_normalize( from );
	glm_vec3_normalize( u );
	glm_vec3_normalize( v );
	glm_vec3_crossn( u, v, normal );
	*facing_out = part( fabsf( glm_vec3_dot( normal, from ) ) );
	*light_out = part( fabsf( glm_vec3_dot( normal, lamp ) ) );
}

void raster_triangle( raster *r, const camera *c, const double corner[3][3], const raster_style *style ) {
	double left[4][3], p[3][3];
	float facing, light, colour[3];
	r->work += RASTER_TRIANGLE;
	const size_t count = clip( corner, 3, c->near, left );
	if ( count < 3 )
		return;
	shade( c, corner, &facing, &light );
	for ( int k = 0; k < 3; ++k )
		colour[k] = style->colour[k] * fminf( 0.6f + 0.45f * light, 1.0f );
	const float rim = 1.0f - facing;
	const float density = style->density * ( 0.18f + 0.82f * rim * rim );
	for ( size_t i = 2; i < count; ++i ) {
		project( r, c, left[0], p[0] );
		project( r, c, left[i - 1], p[1] );
		project( r, c, left[i], p[2] );
		fill( r, p, colour, style, density );
	}
}

void raster_settle( raster *r, const float ghost_colour[3] ) {
	const size_t count = sample_count( r );
	for ( size_t i = 0; i < count; ++i )
		for ( size_t k = 0; k < 3 && r->through[i] < 1.0f; ++k )
			r->colour[3 * i + k] = ghost_colour[k] + r->through[i] * ( r->colour[3 * i + k] - ghost_colour[k] );
}

// ------------------------------------------------------------------------------------------------
// On top

static void blend( raster *r, int x, int y, const float colour[3], float part ) {
	float *out = r->colour + 3 * ( (size_t)y * (size_t)r->width + (size_t)x );
	for ( int k = 0; k < 3; ++k )
		out[k] += part * ( colour[k] - out[k] );
}

void raster_line( raster *r, const camera *c, const double from[3], const double to[3], double width,
                  const float colour[3] ) {
	const double ends[2][3] = { { from[0], from[1], from[2] }, { to[0], to[1], to[2] } };
	double left[4][3], a[3], b[3];
	if ( clip( ends, 2, c->near, left ) < 2 )
		return;
	project( r, c, left[0], a );
	project( r, c, left[1], b );
	const double half = 0.5 * SAMPLES * width, dx = b[0] - a[0], dy = b[1] - a[1], square = dx * dx + dy * dy;
	const double x0 = fmin( a[0], b[0] ) - half, x1 = fmax( a[0], b[0] ) + half;
	const double y0 = fmin( a[1], b[1] ) - half, y1 = fmax( a[1], b[1] ) + half;
	if ( !isfinite( square ) || x1 < 0.0 || y1 < 0.0 || x0 > r->width || y0 > r->height )
		return;
	for ( int y = (int)fmax( y0, 0.0 ); y <= (int)fmin( y1, r->height - 1.0 ); ++y )
		for ( int x = (int)fmax( x0, 0.0 ); x <= (int)fmin( x1, r->width - 1.0 ); ++x ) {
			const double u = x + 0.5 - a[0], v = y + 0.5 - a[1];
			const double t = square > 0.0 ? fmin( fmax( ( u * dx + v * dy ) / square, 0.0 ), 1.0 ) : 0.0;
			const double p = u - t * dx, q = v - t * dy;
			if ( p * p + q * q <= half * half )
				blend( r, x, y, colour, 1.0f );
		}
}

void raster_polygon( raster *r, const camera *c, const double ( *corners )[3], size_t count, const float colour[3] ) {
	enum { MOST = 16 };
	double left[MOST + 1][3], p[MOST + 1][3];
	if ( count > MOST || ( count = clip( corners, count, c->near, left ) ) < 3 )
		return;
	double x0 = INFINITY, x1 = -INFINITY, y0 = INFINITY, y1 = -INFINITY;
	for ( size_t i = 0; i < count; ++i ) {
		project( r, c, left[i], p[i] );
		x0 = fmin( x0, p[i][0] ), x1 = fmax( x1, p[i][0] );
		y0 = fmin( y0, p[i][1] ), y1 = fmax( y1, p[i][1] );
	}
	if ( !( x1 >= 0.0 && y1 >= 0.0 && x0 <= r->width && y0 <= r->height ) )
		return;
	for ( int y = (int)fmax( y0, 0.0 ); y <= (int)fmin( y1, r->height - 1.0 ); ++y )
		for ( int x = (int)fmax( x0, 0.0 ); x <= (int)fmin( x1, r->width - 1.0 ); ++x ) {
			bool above = true, below = true;
			for ( size_t i = 0; i < count; ++i ) {
				const double *a = p[i], *b = p[( i + 1 ) % count];
				const double side = ( b[0] - a[0] ) * ( y + 0.5 - a[1] ) - ( b[1] - a[1] ) * ( x + 0.5 - a[0] );
				above = above && side >= 0.0;
				below = below && side <= 0.0;
			}
			if ( above || below )
				blend( r, x, y, colour, 0.65f );
		}
}

static unsigned char byte_of( float x ) {
	const float scaled = 255.0f * x + 0.5f;
	return scaled >= 255.0f ? 255 : scaled > 0.0f ? (unsigned char)scaled : 0;
}

void raster_pixels( const raster *r, unsigned char *out ) {
	const size_t row = 3 * (size_t)r->width;
	for ( size_t y = 0; y < (size_t)r->height; y += SAMPLES )
		for ( size_t x = 0; x < (size_t)r->width; x += SAMPLES ) {
			const float *first = r->colour + y * row + 3 * x;
			for ( size_t k = 0; k < 3; ++k ) {
				float sum = 0.0f;
				for ( size_t i = 0; i < SAMPLES; ++i )
					for ( size_t j = 0; j < SAMPLES; ++j )
						sum += first[i * row + 3 * j + k];
				*out++ = byte_of( sum / ( SAMPLES * SAMPLES ) );
			}
		}
}
