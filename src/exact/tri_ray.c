// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The filters. u = 2^-53, E the error of a coordinate of the moved corners.

#include "exact/tri_ray.h"

#include "base/assert.h"
#include "exact/vec3.h"

#include <math.h>

#define U 0x1p-53

// ------------------------------------------------------------------------------------------------
// Lines
//
// With A, B, C the corners relative to `from` and D the step, the line's own volumes det [D, A, B], det [D, B, C] and
// det [D, C, A] have one sign exactly where the infinite line passes through the inside; their sum is D . N, N the
// normal, and t is det [A, B, C] / (D . N).
//
// Bounds. Let S bound the coordinates of A, B, C and T those of D. A corner is off by eta = E + uS, D by uT at most, so
// a determinant with D is moved by 6 ( 2 T S eta + S^2 u T ), second orders aside, and evaluating it adds 42.1 u T S^2:
// T S ( 12 E + 60.1 u S ) < T S ( 14 E + 64 u S ). det [A, B, C] is moved by 18 S^2 eta and evaluated with 42.1 u S^3:
// S^2 ( 18 E + 60.1 u S ) < S^2 ( 20 E + 64 u S ). E < 2^-20 S makes second orders negligible.

dbvhi_answer dbvhi_line_filter( const double image[9], const dbvhi_line *line, double error,
                                dbvhi_line_range *range_out ) {
	DBVHI_ASSERT( error >= 0.0 );
	const vec3 a = vec3_between( image, line->from ), b = vec3_between( image + 3, line->from );
	const vec3 c = vec3_between( image + 6, line->from );
	const vec3 d = { line->step[0], line->step[1], line->step[2] };
	const double s = dbvhi_larger( dbvhi_larger( vec3_size( a ), vec3_size( b ) ), vec3_size( c ) ), t = vec3_size( d );
	if ( !( s > 0x1p-240 && s < 0x1p240 && t > 0x1p-240 && t < 0x1p240 && error < s * 0x1p-20 ) )
		return DBVHI_UNSURE;
	const double bound = t * s * ( 14.0 * error + 64.0 * U * s );
	const vec3 bc = vec3_cross( b, c );
	const double ab_side = vec3_dot( d, vec3_cross( a, b ) ), bc_side = vec3_dot( d, bc ),
	             ca_side = vec3_dot( d, vec3_cross( c, a ) );
	const bool positive = ab_side > bound || bc_side > bound || ca_side > bound;
	const bool negative = ab_side < -bound || bc_side < -bound || ca_side < -bound;
	if ( positive && negative )
		return DBVHI_DISJOINT;
	const double num = vec3_dot( a, bc ), num_bound = s * s * ( 20.0 * error + 64.0 * U * s );
	const double den = ab_side + bc_side + ca_side, den_bound = 3.6 * bound; // two roundings of up to 18 T S^2 more
	// Before the start, or behind the end, of a line that crosses the plane for certain.
	const double sign = den > 0.0 ? 1.0 : -1.0;
	const bool crosses = fabs( den ) > den_bound;
	const double n = sign * num, m = fabs( den );
	if ( crosses && n < -num_bound )
		return DBVHI_DISJOINT;
	if ( crosses && !line->is_ray && n - m > 1.1 * ( num_bound + den_bound ) )
		return DBVHI_DISJOINT;
	const bool all_positive = ab_side > bound && bc_side > bound && ca_side > bound;
	const bool all_negative = ab_side < -bound && bc_side < -bound && ca_side < -bound;
	if ( !all_positive && !all_negative )
		return DBVHI_UNSURE;
	if ( !( n > num_bound ) || ( !line->is_ray && !( m - n > 1.1 * ( num_bound + den_bound ) ) ) )
		return DBVHI_UNSURE;
	range_out->low = ( n - num_bound ) / ( m + den_bound ) * ( 1.0 - 8.0 * U );
	range_out->high = ( n + num_bound ) / ( m - den_bound ) * ( 1.0 + 8.0 * U );
	return DBVHI_INTERSECTING;
}

// ------------------------------------------------------------------------------------------------
// Points
//
// The nearest point is sought in doubles (Ericson 2005, section 5.1.5) without any care for errors. What comes of it is
// a combination X of the corners with weights that are not negative, which bounds the distance from above, and a
// direction m = X / |X|, along which no corner is nearer than min m . corner, which bounds it from below. Both bounds
// hold for any weights, and agree but for roundings where X is right.
//
// With S bounding the coordinates of the corners relative to the point, each off by eta = E + uS: weights that add up
// to 1 within 4u leave X within sqrt 3 ( eta + 8 u S ) of a point of the triangle, and m . corner is off by sqrt 3 (
// eta + 5 u S ) at most. 4 E + 32 u S covers either.

typedef struct nearest_weights {
	double w[3];
} nearest_weights;

static nearest_weights seek_nearest( vec3 a, vec3 b, vec3 c ) {
	const vec3 ab = vec3_sub( b, a ), ac = vec3_sub( c, a );
	const double d1 = -vec3_dot( ab, a ), d2 = -vec3_dot( ac, a );
	if ( d1 <= 0.0 && d2 <= 0.0 )
		return ( nearest_weights ){ { 1.0, 0.0, 0.0 } };
	const double d3 = -vec3_dot( ab, b ), d4 = -vec3_dot( ac, b );
	if ( d3 >= 0.0 && d4 <= d3 )
		return ( nearest_weights ){ { 0.0, 1.0, 0.0 } };
	const double d5 = -vec3_dot( ab, c ), d6 = -vec3_dot( ac, c );
	if ( d6 >= 0.0 && d5 <= d6 )
		return ( nearest_weights ){ { 0.0, 0.0, 1.0 } };
	const double vc = d1 * d4 - d3 * d2;
	if ( vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 ) {
		const double s = d1 / ( d1 - d3 );
		return ( nearest_weights ){ { 1.0 - s, s, 0.0 } };
	}
	const double vb = d5 * d2 - d1 * d6;
	if ( vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 ) {
		const double s = d2 / ( d2 - d6 );
		return ( nearest_weights ){ { 1.0 - s, 0.0, s } };
	}
	const double va = d3 * d6 - d5 * d4;
	if ( va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 ) {
		const double s = ( d4 - d3 ) / ( ( d4 - d3 ) + ( d5 - d6 ) );
		return ( nearest_weights ){ { 0.0, 1.0 - s, s } };
	}
	const double scale = 1.0 / ( va + vb + vc );
	const double v = vb * scale, w = vc * scale;
	return ( nearest_weights ){ { 1.0 - v - w, v, w } };
}

// Is the corner x nearest for certain: do both edges lead away, x . ( y - x ) >= 0? The difference of two moved corners
// is off by 2 E + uL in each coordinate, L its size.
static bool is_nearest_corner( vec3 x, vec3 y, vec3 z, double eta ) {
	const vec3 xy = vec3_sub( y, x ), xz = vec3_sub( z, x );
	const double l = dbvhi_larger( vec3_size( xy ), vec3_size( xz ) ), s = vec3_size( x );
	const double bound = 3.1 * ( s * ( 2.0 * eta + U * l ) + l * eta ) + 16.0 * U * s * l;
	return vec3_dot( x, xy ) > bound && vec3_dot( x, xz ) > bound;
}

// Is the nearest point inside the edge xy for certain? The foot of the point is between x and y, and from it the third
// corner z leads away: ( x e^2 + s e ) . ( z - x ) > 0, e = y - x, s = -x . e. With L bounding e and z - x, the four
// factors of each product, of up to 9 S L^3 together, are off by eta of S or by 2 eta + uL of L, and there are fewer
// than 16 roundings.
static bool is_nearest_edge( vec3 x, vec3 y, vec3 z, double eta ) {
	const vec3 e = vec3_sub( y, x ), f = vec3_sub( z, x );
	const double l = dbvhi_larger( vec3_size( e ), vec3_size( f ) ), s = dbvhi_larger( vec3_size( x ), vec3_size( y ) );
	const double off = 2.0 * eta + U * l;
	const double bound = 3.1 * ( s * off + l * eta ) + 16.0 * U * s * l;
	const double at = -vec3_dot( x, e );
	if ( !( at > bound && vec3_dot( y, e ) > bound ) )
		return false;
	const double away = vec3_dot( x, f ) * vec3_dot( e, e ) + at * vec3_dot( e, f );
	return away > 20.0 * l * l * ( 3.0 * s * off + l * eta + 16.0 * U * s * l );
}

static unsigned certain_feature( const vec3 v[3], const nearest_weights *n, double eta ) {
	unsigned feature = 0;
	for ( unsigned k = 0; k < 3; ++k )
		feature |= ( n->w[k] > 0.0 ? 1u : 0u ) << k;
	for ( unsigned k = 0; k < 3; ++k ) {
		const unsigned next = ( k + 1 ) % 3, last = ( k + 2 ) % 3;
		if ( feature == 1u << k )
			return is_nearest_corner( v[k], v[next], v[last], eta ) ? feature : 0;
		if ( feature == ( 1u << k | 1u << next ) )
			return is_nearest_edge( v[k], v[next], v[last], eta ) ? feature : 0;
	}
	return 0;
}

// The point of a triangle that is nearest to one, nearly, as seen from there.
typedef struct near_point {
	vec3 v[3]; // the corners
	double size;
	nearest_weights n;
	vec3 x;
	double length, off; // its distance, and a bound of the error of that
} near_point;

// False if the numbers are too large or too small, or the point is not known.
static inline bool find_near_point( const double image[9], const double point[3], double error, near_point *out ) {
	DBVHI_ASSERT( error >= 0.0 );
	vec3 *v = out->v;
	for ( int i = 0; i < 3; ++i )
		v[i] = vec3_between( image + 3 * i, point );
	const double s = dbvhi_larger( dbvhi_larger( vec3_size( v[0] ), vec3_size( v[1] ) ), vec3_size( v[2] ) );
	if ( !( s > 0x1p-200 && s < 0x1p200 && error < s * 0x1p-20 ) )
		return false;
	out->size = s;
	nearest_weights *n = &out->n;
	*n = seek_nearest( v[0], v[1], v[2] );
	double sum = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		n->w[k] = dbvhi_larger( n->w[k], 0.0 ); // NaN too
		sum += n->w[k];
	}
	if ( !( sum > 0.5 && sum < 2.0 ) )
		return false;
	const double scale = 1.0 / sum;
	const double w0 = n->w[0] * scale, w1 = n->w[1] * scale, w2 = n->w[2] * scale;
	out->x = ( vec3 ){ w0 * v[0].x + w1 * v[1].x + w2 * v[2].x, w0 * v[0].y + w1 * v[1].y + w2 * v[2].y,
	                   w0 * v[0].z + w1 * v[1].z + w2 * v[2].z };
	out->length = sqrt( vec3_dot( out->x, out->x ) );
	out->off = 4.0 * error + 32.0 * U * s;
	return true;
}

double dbvhi_point_filter_high( const double image[9], const double point[3], double error ) {
	near_point p;
	return find_near_point( image, point, error, &p ) ? ( p.length + p.off ) * ( 1.0 + 8.0 * U ) : INFINITY;
}

dbvhi_point_range dbvhi_point_filter( const double image[9], const double point[3], double error ) {
	near_point p;
	if ( !find_near_point( image, point, error, &p ) )
		return ( dbvhi_point_range ){ 0.0, INFINITY, 0 };
	const double length = p.length, off = p.off;
	dbvhi_point_range range = { 0.0, ( length + off ) * ( 1.0 + 8.0 * U ), 0 };
	if ( !( length > off ) )
		return range;
	const double nearest =
	    dbvhi_smaller( vec3_dot( p.x, p.v[0] ), dbvhi_smaller( vec3_dot( p.x, p.v[1] ), vec3_dot( p.x, p.v[2] ) ) ) /
	    length;
	range.low = dbvhi_larger( ( nearest - off ) * ( 1.0 - 8.0 * U ), 0.0 );
	range.feature = certain_feature( p.v, &p.n, error + U * p.size );
	return range;
}
