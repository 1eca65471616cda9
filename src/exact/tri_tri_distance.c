// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The distance of two triangles in doubles: points that are about the nearest, by looking at features, and then bounds
// that need no trust in how the points were found. Any two points of the triangles are at least the distance apart; and
// the gap between the triangles' projections on any direction is at most the distance. Where the direction is that from
// one nearest point to the other, both bounds are the distance.
//
// Errors. Coordinates are taken relative to a corner; S is the largest of them, E the error of a moved coordinate,
// u = 2^-53. A relative coordinate is off by u S (and E), a convex combination of three by at most 16 u S in each
// coordinate, so that the distance of two such points is off by less than 80 u S + 2 E. A projection of a corner on a
// direction of length 1 is off by less than 12 u S + 2 E, the gap of two by 32 u S + 2 E.
// 128 u S + 4 E is more than either, whatever its own rounding.

#include "exact/tri_tri_distance.h"

#include "base/assert.h"
#include "base/inline.h"
#include "exact/vec3.h"

#include <math.h>

#define U 0x1p-53

// Squares of sizes between 1 / RANGE and RANGE, and squares of those, neither overflow nor underflow.
#define RANGE 0x1p200

static inline vec3 along( vec3 a, double t, vec3 d ) {
	return ( vec3 ){ a.x + t * d.x, a.y + t * d.y, a.z + t * d.z };
}

static inline double clamp( double t ) {
	return t > 0.0 ? dbvhi_smaller( t, 1.0 ) : 0.0;
}

// The nearest pair of points found so far, one of each triangle.
typedef struct nearest {
	vec3 a, b, direction;
	double squared;
	dbvhi_near_place place;
} nearest;

// The nearest points p + s d and q + t e of two segments: those of the lines where they lie inside, else at an end of
// one of them.
static inline void nearest_of_segments( vec3 p, vec3 d, vec3 q, vec3 e, double *s_out, double *t_out ) {
	const vec3 w = vec3_sub( p, q );
	const double a = vec3_dot( d, d ), b = vec3_dot( d, e ), c = vec3_dot( e, e ), dw = vec3_dot( d, w ),
	             ew = vec3_dot( e, w );
	const double determinant = a * c - b * b;
	double s = determinant > 0.0 ? clamp( ( b * ew - c * dw ) / determinant ) : 0.0;
	double t = c > 0.0 ? ( b * s + ew ) / c : 0.0;
	if ( !( t >= 0.0 && t <= 1.0 && c > 0.0 ) ) {
		t = clamp( t );
		s = a > 0.0 ? clamp( ( b * t - dw ) / a ) : 0.0;
	}
	*s_out = s;
	*t_out = t;
}

// Nine pairs of edges. Returns true if one of them is certainly the nearest, as far as doubles go: the plane
// perpendicular to the offset between their points has each triangle on its own side.
static bool nearest_edges( const vec3 a[3], const vec3 b[3], nearest *best ) {
	for ( int i = 0; i < 3; ++i ) {
		const vec3 d = vec3_sub( a[( i + 1 ) % 3], a[i] );
		for ( int j = 0; j < 3; ++j ) {
			const vec3 e = vec3_sub( b[( j + 1 ) % 3], b[j] );
			double s, t;
			nearest_of_segments( a[i], d, b[j], e, &s, &t );
			const vec3 p = along( a[i], s, d ), q = along( b[j], t, e ), between = vec3_sub( q, p );
			const double squared = vec3_dot( between, between );
			if ( !( squared < best->squared ) )
				continue;
			const dbvhi_near_place place = { .is_known = true, .a = (uint8_t)i, .b = (uint8_t)j, .s = s, .t = t };
			*best = ( nearest ){ p, q, between, squared, place };
			if ( vec3_dot( between, vec3_sub( a[( i + 2 ) % 3], p ) ) <= 0.0 &&
			     vec3_dot( between, vec3_sub( b[( j + 2 ) % 3], q ) ) >= 0.0 )
				return true;
		}
	}
	return false;
}

// The corners of `points` above or below the inside of a triangle.
static void nearest_face( const vec3 t[3], const vec3 points[3], bool t_is_fixed, nearest *best ) {
	const vec3 e1 = vec3_sub( t[1], t[0] ), e2 = vec3_sub( t[2], t[0] ), n = vec3_cross( e1, e2 );
	const double nn = vec3_dot( n, n );
	if ( !( nn > 0.0 ) )
		return;
	for ( int i = 0; i < 3; ++i ) {
		const vec3 w = vec3_sub( points[i], t[0] );
		const double height = vec3_dot( w, n ), squared = height * height / nn;
		if ( !( squared < best->squared ) )
			continue;
		const double alpha = vec3_dot( vec3_cross( w, e2 ), n ) / nn, beta = vec3_dot( vec3_cross( e1, w ), n ) / nn;
		if ( !( alpha >= 0.0 && beta >= 0.0 && alpha + beta <= 1.0 ) )
			continue;
		const vec3 foot = along( along( t[0], alpha, e1 ), beta, e2 );
		const vec3 zero = { 0.0, 0.0, 0.0 };
		const dbvhi_near_place place = {
		    .is_known = true, .is_face = true, .face_is_fixed = t_is_fixed, .a = (uint8_t)i, .s = alpha, .t = beta };
		if ( t_is_fixed )
			*best = ( nearest ){ foot, points[i], height < 0.0 ? vec3_sub( zero, n ) : n, squared, place };
		else
			*best = ( nearest ){ points[i], foot, height < 0.0 ? n : vec3_sub( zero, n ), squared, place };
	}
}

static void put( double out[3], vec3 v ) {
	out[0] = v.x;
	out[1] = v.y;
	out[2] = v.z;
}

static vec3 scaled( double factor, vec3 a ) {
	return ( vec3 ){ factor * a.x, factor * a.y, factor * a.z };
}

static double local( const double fixed[9], const double image[9], double factor, vec3 a[3], vec3 b[3] ) {
	const vec3 origin = { factor * fixed[0], factor * fixed[1], factor * fixed[2] };
	double size = 0.0;
	for ( int i = 0; i < 3; ++i ) {
		a[i] =
		    vec3_sub( ( vec3 ){ factor * fixed[3 * i], factor * fixed[3 * i + 1], factor * fixed[3 * i + 2] }, origin );
		b[i] =
		    vec3_sub( ( vec3 ){ factor * image[3 * i], factor * image[3 * i + 1], factor * image[3 * i + 2] }, origin );
		size = dbvhi_larger( size, dbvhi_larger( vec3_size( a[i] ), vec3_size( b[i] ) ) );
	}
	return size;
}

void dbvhi_triangles_gap( const double fixed[9], const double image[9], double error, dbvhi_tri_tri_bounds *out ) {
	DBVHI_ASSERT( error >= 0.0 );
	vec3 a[3], b[3];
	double size = local( fixed, image, 1.0, a, b ), unit = 1.0, unit_before = 1.0;
	if ( !dbvhi_is_between( size, RANGE ) && size > 0.0 ) {
		// Over a power of two, or two of them where one is beyond the range of doubles.
		if ( isinf( size ) ) {
			unit_before = 4.0;
			size = local( fixed, image, 0.25, a, b );
		}
		const int exponent = ilogb( size );
		unit = ldexp( 1.0, exponent );
		for ( int i = 0; i < 3; ++i ) {
			// In two steps: 2^-exponent alone may be infinite.
			const double first = ldexp( 1.0, -( exponent / 2 ) ), second = ldexp( 1.0, exponent / 2 - exponent );
			a[i] = scaled( second, scaled( first, a[i] ) );
			b[i] = scaled( second, scaled( first, b[i] ) );
		}
		error = error / unit_before / unit;
		size = 2.0;
	}
	if ( !dbvhi_is_between( size, RANGE ) || !( error < size * 0x1p-10 ) ) {
		*out = ( dbvhi_tri_tri_bounds ){ .upper = INFINITY };
		for ( int k = 0; k < 3; ++k ) {
			out->fixed[k] = fixed[k];
			out->moved[k] = image[k];
		}
		return;
	}
	nearest best = { .squared = INFINITY };
	if ( !nearest_edges( a, b, &best ) ) {
		nearest_face( a, b, true, &best );
		nearest_face( b, a, false, &best );
	}
	const vec3 between = vec3_sub( best.b, best.a );
	const double slack = 4.0 * error + 128.0 * U * size;
	vec3 g = best.direction;
	const double gg = vec3_dot( g, g );
	double lower = 0.0;
	// Squares that underflow would make the direction seem too short.
	if ( gg > 0x1p-900 ) {
		g = scaled( 1.0 / sqrt( gg ), g );
		const double far_a =
		    dbvhi_larger( vec3_dot( g, a[0] ), dbvhi_larger( vec3_dot( g, a[1] ), vec3_dot( g, a[2] ) ) );
		const double near_b =
		    dbvhi_smaller( vec3_dot( g, b[0] ), dbvhi_smaller( vec3_dot( g, b[1] ), vec3_dot( g, b[2] ) ) );
		lower = near_b - far_a - slack;
		put( out->direction, g );
	} else {
		put( out->direction, ( vec3 ){ 0.0, 0.0, 0.0 } );
	}
	const double upper = sqrt( vec3_dot( between, between ) ) + slack;
	const bool plain = unit == 1.0 && unit_before == 1.0;
	out->place = best.place;
	out->place.is_known = plain && best.place.is_known;
	out->lower = !( lower > 0.0 ) ? 0.0 : plain ? lower : nextafter( lower * unit * unit_before, 0.0 );
	out->upper = plain ? upper : nextafter( upper * unit * unit_before, INFINITY );
	const vec3 origin = { fixed[0], fixed[1], fixed[2] };
	put( out->fixed, along( origin, unit_before, scaled( unit, best.a ) ) );
	put( out->moved, along( origin, unit_before, scaled( unit, best.b ) ) );
}
