// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The exact answers: everything over one power of two, relative to the point or to the start of the line.

#include "base/assert.h"
#include "base/inline.h"
#include "exact/number/big3.h"
#include "exact/tri_ray.h"

#include <limits.h>
#include <math.h>

static int lowest_of( const double *x, int count ) {
	int lowest = INT_MAX;
	for ( int i = 0; i < count; ++i )
		lowest = dbvhi_lower( lowest, dbvhi_lowest_bit( x[i] ) );
	return lowest;
}

// The corners of a moved triangle less `origin`, and the whole step of a line from there (NULL: none), all over the
// power of two that is returned.
static int load( const dbvh_pose *pose, const double corners[9], const double origin[3], const dbvhi_line *line,
                 dbvhi_point_1 *corner_out, dbvhi_big_1 *step_out ) {
	const int unit_corners = lowest_of( corners, 9 );
	int unit = lowest_of( origin, 3 ), unit_rot = 0;
	if ( line != NULL )
		unit = dbvhi_lower( unit, lowest_of( line->to, 3 ) );
	if ( pose != NULL ) {
		unit_rot = lowest_of( pose->rot[0], 9 );
		unit = dbvhi_lower( unit, lowest_of( pose->pos, 3 ) );
	}
	if ( unit_corners != INT_MAX )
		unit = dbvhi_lower( unit, unit_corners + unit_rot );
	if ( unit == INT_MAX )
		unit = 0; // zeros all of it
	dbvhi_big_1 factor, product;
	for ( int k = 0; k < 3; ++k ) {
		dbvhi_big_1 start;
		dbvhi_big_from_double( &start, origin[k], unit );
		if ( line != NULL ) {
			dbvhi_big_from_double( &step_out[k], line->to[k], unit );
			if ( !line->is_ray )
				dbvhi_big_sub( &step_out[k], &step_out[k], &start );
		}
		if ( pose == NULL ) {
			for ( int i = 0; i < 3; ++i ) {
				dbvhi_big_1 *out = &corner_out[i][k];
				dbvhi_big_from_double( out, corners[3 * i + k], unit );
				dbvhi_big_sub( out, out, &start );
			}
			continue;
		}
		dbvhi_big_from_double( &product, pose->pos[k], unit );
		dbvhi_big_sub( &start, &product, &start );
		for ( int i = 0; i < 3; ++i )
			dbvhi_big_copy( &corner_out[i][k], &start );
		for ( int j = 0; j < 3; ++j ) {
			if ( pose->rot[k][j] == 0.0 )
				continue;
			dbvhi_big_from_double( &factor, pose->rot[k][j], unit_rot );
			for ( int i = 0; i < 3; ++i ) {
				dbvhi_big_1 x;
				dbvhi_big_from_double( &x, corners[3 * i + j], unit - unit_rot );
				dbvhi_big_mul( &product, &factor, &x );
				dbvhi_big_add( &corner_out[i][k], &corner_out[i][k], &product );
			}
		}
	}
	return unit;
}

static void make_ratio( dbvhi_ratio *out, const dbvhi_any *num, const dbvhi_any *den ) {
	DBVHI_ASSERT( den->sign != 0 );
	dbvhi_big_copy( &out->num, num );
	dbvhi_big_copy( &out->den, den );
	out->num.sign *= out->den.sign;
	out->den.sign = 1;
	out->unit = 0;
}

// Keeps num / den if it is a parameter of the line and lower than what is there. Parameters below 0 are refused.
static __attribute__( ( noinline ) ) void keep_first( const dbvhi_any *num, const dbvhi_any *den, bool is_ray,
                                                      bool *found, dbvhi_ratio *first ) {
	DBVHI_ASSERT( den->sign != 0 );
	if ( num->sign * den->sign < 0 || ( !is_ray && dbvhi_big_compare_size( num, den ) > 0 ) )
		return;
	dbvhi_ratio t;
	make_ratio( &t, num, den );
	if ( !*found || dbvhi_ratio_compare( &t, first ) < 0 )
		dbvhi_ratio_copy( first, &t );
	*found = true;
}

static void keep_start( bool *found, dbvhi_ratio *first ) {
	dbvhi_ratio_zero( first );
	*found = true;
}

// The line along d from 0 against the segment from x to y, on one line with it or either of no length.
static __attribute__( ( noinline ) ) void collinear_hit( const dbvhi_point_1 x, const dbvhi_point_1 y,
                                                         const dbvhi_point_1 d, bool is_ray, bool *found,
                                                         dbvhi_ratio *first ) {
	dbvhi_big_2 product[3];
	dbvhi_big3_cross( product, x, y );
	if ( !dbvhi_big3_is_zero( product ) )
		return;
	bool around = true; // 0 is between x and y
	for ( int k = 0; k < 3; ++k )
		around = around && x[k].sign * y[k].sign <= 0;
	if ( dbvhi_big3_is_zero( d ) || around ) {
		if ( around )
			keep_start( found, first );
		return;
	}
	// x and y are on a line through 0, and 0 is not between them: d must run along it, and the nearer end is the first.
	dbvhi_big3_cross( product, x, d );
	if ( !dbvhi_big3_is_zero( product ) )
		return;
	dbvhi_big3_cross( product, y, d );
	if ( !dbvhi_big3_is_zero( product ) )
		return;
	int k = 0;
	while ( d[k].sign == 0 )
		++k;
	keep_first( DBVHI_IN( &x[k] ), DBVHI_IN( &d[k] ), is_ray, found, first );
	keep_first( DBVHI_IN( &y[k] ), DBVHI_IN( &d[k] ), is_ray, found, first );
}

// The line along d from 0 against the segment from x to y: t d = x + s e, e = y - x, so that t ( d x e ) = x x e and
// s ( d x e ) = x x d.
static __attribute__( ( noinline ) ) void segment_hit( const dbvhi_point_1 x, const dbvhi_point_1 y,
                                                       const dbvhi_point_1 d, bool is_ray, bool *found,
                                                       dbvhi_ratio *first ) {
	dbvhi_point_1 e;
	dbvhi_big_2 de[3], product;
	dbvhi_big3_sub( e, y, x );
	dbvhi_big3_cross( de, d, e );
	if ( dbvhi_big3_is_zero( de ) ) {
		collinear_hit( x, y, d, is_ray, found, first );
		return;
	}
	dbvhi_big_3 height;
	dbvhi_big3_dot( &height, x, de );
	if ( height.sign != 0 )
		return;
	int k = 0;
	while ( de[k].sign == 0 )
		++k;
	const int k1 = ( k + 1 ) % 3, k2 = ( k + 2 ) % 3;
	dbvhi_big_det2( &product, &x[k1], &d[k2], &x[k2], &d[k1] );
	if ( product.sign * de[k].sign < 0 || dbvhi_big_compare_size( &product, &de[k] ) > 0 )
		return;
	dbvhi_big_det2( &product, &x[k1], &e[k2], &x[k2], &e[k1] );
	keep_first( DBVHI_IN( &product ), DBVHI_IN( &de[k] ), is_ray, found, first );
}

// The start of a line in the plane: is it in the triangle? A triangle without an area has no inside.
static __attribute__( ( noinline ) ) bool starts_inside( const dbvhi_point_1 *p, bool *has_area ) {
	dbvhi_big_2 side[3], normal[3];
	for ( int i = 0; i < 3; ++i ) {
		dbvhi_big3_cross( i == 0 ? normal : side, p[i], p[( i + 1 ) % 3] );
		for ( int k = 0; k < 3 && i > 0; ++k )
			dbvhi_big_add( &normal[k], &normal[k], &side[k] );
	}
	*has_area = !dbvhi_big3_is_zero( normal );
	dbvhi_big_4 inward;
	for ( int i = 0; i < 3 && *has_area; ++i ) {
		dbvhi_big3_cross( side, p[i], p[( i + 1 ) % 3] ); // again: all three are more than the stack should hold
		dbvhi_big3_dot( &inward, normal, side );
		if ( inward.sign < 0 )
			return false;
	}
	return *has_area;
}

// Intersect the line with the plane of the triangle: 1 a hit inside, 0 no hit, -1 only an edge may still be hit.
static __attribute__( ( noinline ) ) int face_hit( const dbvhi_point_1 *p, const dbvhi_point_1 d, bool is_ray,
                                                   dbvhi_ratio *t_out ) {
	dbvhi_big_2 side[3];
	dbvhi_big_3 volume, den, num;
	int sides[3];
	dbvhi_big_from_integer( &den, 0 );
	for ( int i = 0; i < 3; ++i ) {
		dbvhi_big3_cross( side, p[i], p[( i + 1 ) % 3] );
		dbvhi_big3_dot( &volume, d, side );
		dbvhi_big_add( &den, &den, &volume );
		sides[i] = volume.sign;
		if ( i == 1 )
			dbvhi_big3_dot( &num, p[0], side );
	}
	if ( den.sign != 0 ) {
		for ( int i = 0; i < 3; ++i ) {
			if ( sides[i] * den.sign < 0 )
				return 0;
		}
		if ( num.sign * den.sign < 0 || ( !is_ray && dbvhi_big_compare_size( &num, &den ) > 0 ) )
			return 0;
		make_ratio( t_out, DBVHI_IN( &num ), DBVHI_IN( &den ) );
		return 1;
	}
	bool has_area, found;
	const bool inside = starts_inside( p, &has_area );
	if ( has_area && num.sign != 0 )
		return 0; // beside the plane
	if ( !inside )
		return -1;
	keep_start( &found, t_out );
	return 1;
}

bool dbvhi_line_exact( const dbvh_pose *pose, const double corners[9], const dbvhi_line *line, dbvhi_ratio *t_out ) {
	dbvhi_point_1 p[3], d;
	load( pose, corners, line->from, line, p, d );
	const int hit = face_hit( p, d, line->is_ray, t_out );
	if ( hit >= 0 )
		return hit > 0;
	bool found = false;
	for ( int i = 0; i < 3; ++i )
		segment_hit( p[i], p[( i + 1 ) % 3], d, line->is_ray, &found, t_out );
	return found;
}

void dbvhi_line_parameter( const dbvh_pose *pose, const double corners[9], const dbvhi_line *line,
                           dbvhi_ratio *t_out ) {
	dbvhi_point_1 p[3], d, u, v;
	dbvhi_big_2 normal[3];
	load( pose, corners, line->from, line, p, d );
	dbvhi_big3_sub( u, p[1], p[0] );
	dbvhi_big3_sub( v, p[2], p[0] );
	dbvhi_big3_cross( normal, u, v );
	dbvhi_big3_dot( &t_out->num, p[0], normal );
	dbvhi_big3_dot( &t_out->den, d, normal );
	t_out->num.sign *= t_out->den.sign;
	t_out->den.sign = 1;
	t_out->unit = 0;
}

// ------------------------------------------------------------------------------------------------
// Distance

static double quotient( const dbvhi_any *num, const dbvhi_any *den ) {
	int en, ed;
	const double n = dbvhi_big_lead( num, &en ), d = dbvhi_big_lead( den, &ed );
	return ldexp( n / d, en - ed );
}

// The square |x|^2 of a corner.
static void corner_distance( const dbvhi_point_1 x, dbvhi_ratio *out ) {
	dbvhi_big3_dot( &out->num, x, x );
	dbvhi_big_from_integer( &out->den, 1 );
}

// The nearest point of the segment from x to y. `share_out` is the weight of y.
static void edge_distance( const dbvhi_point_1 x, const dbvhi_point_1 y, dbvhi_ratio *out, double *share_out ) {
	dbvhi_point_1 e;
	dbvhi_big_2 area[3], at, length;
	dbvhi_big3_sub( e, y, x );
	dbvhi_big3_dot( &at, x, e );
	at.sign = -at.sign;
	dbvhi_big3_dot( &length, e, e );
	*share_out = 0.0;
	if ( at.sign <= 0 ) {
		corner_distance( x, out );
		return;
	}
	if ( dbvhi_big_compare( &at, &length ) >= 0 ) {
		*share_out = 1.0;
		corner_distance( y, out );
		return;
	}
	dbvhi_big3_cross( area, x, y );
	dbvhi_big3_dot( &out->num, area, area );
	dbvhi_big_copy( &out->den, &length );
	*share_out = quotient( DBVHI_IN( &at ), DBVHI_IN( &length ) );
}

// The nearest point of the plane, if it is in the triangle.
static __attribute__( ( noinline ) ) bool face_distance( const dbvhi_point_1 *p, dbvhi_ratio *out, double weights[3] ) {
	dbvhi_big_2 side[3][3], normal[3];
	for ( int i = 0; i < 3; ++i )
		dbvhi_big3_cross( side[i], p[i], p[( i + 1 ) % 3] );
	for ( int k = 0; k < 3; ++k ) {
		dbvhi_big_add( &normal[k], &side[0][k], &side[1][k] );
		dbvhi_big_add( &normal[k], &normal[k], &side[2][k] );
	}
	if ( dbvhi_big3_is_zero( normal ) )
		return false;
	dbvhi_big_4 share[3];
	dbvhi_big_3 volume;
	for ( int i = 0; i < 3; ++i ) {
		dbvhi_big3_dot( &share[i], normal, side[i] );
		if ( share[i].sign < 0 )
			return false;
	}
	dbvhi_big3_dot( &out->den, normal, normal );
	dbvhi_big3_dot( &volume, p[0], side[1] );
	dbvhi_big_mul( &out->num, &volume, &volume );
	for ( int i = 0; i < 3; ++i )
		weights[( i + 2 ) % 3] = quotient( DBVHI_IN( &share[i] ), DBVHI_IN( &out->den ) );
	return true;
}

void dbvhi_point_exact( const dbvh_pose *pose, const double corners[9], const double point[3], unsigned feature,
                        dbvhi_ratio *square_out, double weights_out[3] ) {
	DBVHI_ASSERT( feature <= 7 );
	dbvhi_point_1 p[3];
	const int unit = 2 * load( pose, corners, point, NULL, p, NULL );
	weights_out[0] = weights_out[1] = weights_out[2] = 0.0;
	square_out->unit = unit;
	for ( unsigned k = 0; k < 3; ++k ) {
		if ( feature == 1u << k ) {
			weights_out[k] = 1.0;
			corner_distance( p[k], square_out );
			return;
		}
		const unsigned next = ( k + 1 ) % 3;
		if ( feature == ( 1u << k | 1u << next ) ) {
			edge_distance( p[k], p[next], square_out, &weights_out[next] );
			weights_out[k] = 1.0 - weights_out[next];
			return;
		}
	}
	if ( face_distance( p, square_out, weights_out ) )
		return;
	// No inside, or not there: on an edge.
	unsigned best = 0;
	double share = 0.0;
	edge_distance( p[0], p[1], square_out, &share );
	for ( unsigned k = 1; k < 3; ++k ) {
		dbvhi_ratio other;
		double other_share;
		edge_distance( p[k], p[( k + 1 ) % 3], &other, &other_share );
		other.unit = unit;
		if ( dbvhi_ratio_compare( &other, square_out ) < 0 ) {
			dbvhi_ratio_copy( square_out, &other );
			best = k;
			share = other_share;
		}
	}
	weights_out[best] = 1.0 - share;
	weights_out[( best + 1 ) % 3] = share;
}
