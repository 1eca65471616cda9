// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "primitive/signed_distance.h"

#include "base/assert.h"
#include "primitive/round.h"

#include <math.h>

static const dbvhi_dd zero = { 0.0, 0.0 };

static dbvhi_dd from_double( double x ) {
	return ( dbvhi_dd ){ x, 0.0 };
}

// num / den in [0, 1]; 0 for 0 / 0.
static dbvhi_dd share( dbvhi_dd num, dbvhi_dd den ) {
	if ( !( num.hi > 0.0 ) || !( den.hi > 0.0 ) )
		return zero;
	const dbvhi_dd q = dbvhi_dd_div( num, den );
	if ( q.hi >= 1.0 )
		return from_double( 1.0 );
	return q.hi > 0.0 ? q : zero; // NaN too
}

int dbvhi_scale_of( const double *const list[], const int counts[], int list_count ) {
	DBVHI_ASSERT( list_count > 0 );
	double largest = 0.0;
	for ( int i = 0; i < list_count; ++i ) {
		for ( int k = 0; k < counts[i]; ++k )
			largest = fabs( list[i][k] ) > largest ? fabs( list[i][k] ) : largest;
	}
	int exponent = 0;
	frexp( largest, &exponent );
	return exponent;
}

dbvhi_exact_point3 dbvhi_exact_point3_at( const double x[3], int exponent ) {
	return ( dbvhi_exact_point3 ){ { from_double( ldexp( x[0], -exponent ) ), from_double( ldexp( x[1], -exponent ) ),
	                                 from_double( ldexp( x[2], -exponent ) ) } };
}

bool dbvhi_unit( const double x[3], double out[3] ) {
	const double size = fmax( fmax( fabs( x[0] ), fabs( x[1] ) ), fabs( x[2] ) );
	if ( !( size > 0.0 ) )
		return false;
	int exponent;
	frexp( size, &exponent );
	double y[3];
	for ( int k = 0; k < 3; ++k )
		y[k] = ldexp( x[k], -exponent );
	const double length = sqrt( y[0] * y[0] + y[1] * y[1] + y[2] * y[2] );
	for ( int k = 0; k < 3; ++k )
		out[k] = y[k] / length;
	return true;
}

void dbvhi_perpendicular( const double direction[3], double out[3] ) {
	double u[3];
	if ( !dbvhi_unit( direction, u ) ) {
		out[0] = 1.0;
		out[1] = out[2] = 0.0;
		return;
	}
	int least = 0;
	for ( int k = 1; k < 3; ++k )
		least = fabs( u[k] ) < fabs( u[least] ) ? k : least;
	const int j = ( least + 1 ) % 3, k = ( least + 2 ) % 3;
	double v[3];
	v[least] = 0.0;
	v[j] = u[k];
	v[k] = -u[j];
	dbvhi_unit( v, out );
}

// x over the power of two next to its size, which is returned, 0 for 0. Lengths near the smallest double would lose
// their products to underflow.
static double scaled_to_one( const double x[3], double out[3] ) {
	const double size = fmax( fmax( fabs( x[0] ), fabs( x[1] ) ), fabs( x[2] ) );
	int exponent = 0;
	if ( size > 0.0 )
		frexp( size, &exponent );
	for ( int k = 0; k < 3; ++k )
		out[k] = ldexp( x[k], -exponent );
	return size;
}

void dbvhi_across( const double x[3], const double y[3], double out[3] ) {
	double d[3], e[3], n[3], size = 0.0;
	const double size_d = scaled_to_one( x, d ), size_e = scaled_to_one( y, e );
	for ( int k = 0; k < 3; ++k ) {
		const int k1 = ( k + 1 ) % 3, k2 = ( k + 2 ) % 3;
		n[k] = dbvhi_dd_sub( dbvhi_dd_product( d[k1], e[k2] ), dbvhi_dd_product( d[k2], e[k1] ) ).hi;
		size = fmax( size, fabs( n[k] ) );
	}
	// Less than this is what pairs of doubles have lost, and may point anywhere; the two are parallel then.
	if ( !( size > 0x1p-80 ) || !dbvhi_unit( n, out ) )
		dbvhi_perpendicular( size_d > size_e ? d : e, out );
}

// ------------------------------------------------------------------------------------------------
// Nearest points

static dbvhi_dd distance( const dbvhi_exact_point3 *a, const dbvhi_exact_point3 *b ) {
	const dbvhi_exact_point3 d = dbvhi_exact_point3_minus( a, b );
	return dbvhi_dd_root( dbvhi_exact_point3_dot( &d, &d ) );
}

double dbvhi_exact_point3_distance( const dbvhi_exact_point3 *a, const dbvhi_exact_point3 *b ) {
	return distance( a, b ).hi;
}

dbvhi_exact_point3 dbvhi_nearest_on_segment( const dbvhi_exact_point3 *point, const dbvhi_exact_point3 *from,
                                             const dbvhi_exact_point3 *to ) {
	const dbvhi_exact_point3 d = dbvhi_exact_point3_minus( to, from ), w = dbvhi_exact_point3_minus( point, from );
	const dbvhi_dd t = share( dbvhi_exact_point3_dot( &w, &d ), dbvhi_exact_point3_dot( &d, &d ) );
	return t.hi >= 1.0 ? *to : dbvhi_exact_point3_along( from, t, &d );
}

typedef struct nearer {
	dbvhi_exact_point3 a, b;
	dbvhi_dd distance;
} nearer;

static bool less( dbvhi_dd a, dbvhi_dd b ) {
	return a.hi < b.hi || ( a.hi == b.hi && a.lo < b.lo );
}

static void offer( nearer *best, const dbvhi_exact_point3 *a, const dbvhi_exact_point3 *b ) {
	const dbvhi_dd d = distance( a, b );
	if ( less( d, best->distance ) )
		*best = ( nearer ){ *a, *b, d };
}

// Every candidate is a pair of points of the shapes, so what is ill-conditioned may be a bad candidate, but no wrong
// answer: others are about as near then.
void dbvhi_nearest_on_segments( const dbvhi_exact_point3 *a, const dbvhi_exact_point3 *a_end,
                                const dbvhi_exact_point3 *b, const dbvhi_exact_point3 *b_end, dbvhi_exact_point3 *on_a,
                                dbvhi_exact_point3 *on_b ) {
	nearer best = { *a, *b, { INFINITY, 0.0 } };
	dbvhi_exact_point3 x = dbvhi_nearest_on_segment( a, b, b_end ), y;
	offer( &best, a, &x );
	x = dbvhi_nearest_on_segment( a_end, b, b_end );
	offer( &best, a_end, &x );
	x = dbvhi_nearest_on_segment( b, a, a_end );
	offer( &best, &x, b );
	x = dbvhi_nearest_on_segment( b_end, a, a_end );
	offer( &best, &x, b_end );
	const dbvhi_exact_point3 d = dbvhi_exact_point3_minus( a_end, a ), e = dbvhi_exact_point3_minus( b_end, b ),
	                         w = dbvhi_exact_point3_minus( b, a );
	const dbvhi_exact_point3 n = dbvhi_exact_point3_cross( &d, &e ), we = dbvhi_exact_point3_cross( &w, &e );
	const dbvhi_dd nn = dbvhi_exact_point3_dot( &n, &n ), num = dbvhi_exact_point3_dot( &we, &n );
	if ( nn.hi > 0.0 && num.hi > 0.0 ) {
		x = dbvhi_exact_point3_along( a, share( num, nn ), &d );
		y = dbvhi_nearest_on_segment( &x, b, b_end );
		x = dbvhi_nearest_on_segment( &y, a, a_end );
		offer( &best, &x, &y );
	}
	*on_a = best.a;
	*on_b = best.b;
}

dbvhi_exact_point3 dbvhi_nearest_on_triangle( const dbvhi_exact_point3 *point, const dbvhi_exact_point3 corner[3] ) {
	nearer best = { *point, corner[0], { INFINITY, 0.0 } };
	for ( int k = 0; k < 3; ++k ) {
		const dbvhi_exact_point3 x = dbvhi_nearest_on_segment( point, &corner[k], &corner[( k + 1 ) % 3] );
		offer( &best, point, &x );
	}
	const dbvhi_exact_point3 ab = dbvhi_exact_point3_minus( &corner[1], &corner[0] ),
	                         ac = dbvhi_exact_point3_minus( &corner[2], &corner[0] );
	const dbvhi_exact_point3 n = dbvhi_exact_point3_cross( &ab, &ac ),
	                         w = dbvhi_exact_point3_minus( point, &corner[0] );
	const dbvhi_exact_point3 c = dbvhi_exact_point3_cross( &ab, &w ), b = dbvhi_exact_point3_cross( &w, &ac );
	const dbvhi_dd nn = dbvhi_exact_point3_dot( &n, &n ), to_b = dbvhi_exact_point3_dot( &b, &n ),
	               to_c = dbvhi_exact_point3_dot( &c, &n );
	if ( nn.hi > 0.0 && to_b.hi >= 0.0 && to_c.hi >= 0.0 && !less( nn, dbvhi_dd_add( to_b, to_c ) ) ) {
		dbvhi_exact_point3 x = dbvhi_exact_point3_along( &corner[0], share( to_b, nn ), &ab );
		x = dbvhi_exact_point3_along( &x, share( to_c, nn ), &ac );
		offer( &best, point, &x );
	}
	return best.b;
}

// ------------------------------------------------------------------------------------------------
// Rounding

typedef struct question {
	dbvhi_compare *compare;
	const void *context;
	double radius_a, radius_b;
} question;

static int is_within( const void *context, double x ) {
	const question *q = context;
	const dbvhi_sum sum = dbvhi_sum3( q->radius_a, q->radius_b, x );
	return q->compare( q->context, &sum ) <= 0;
}

static int is_clear( const void *context, double x ) {
	const question *q = context;
	const dbvhi_sum sum = dbvhi_sum3( q->radius_a, q->radius_b, -x );
	return q->compare( q->context, &sum ) >= 0;
}

double dbvhi_distance_of( dbvhi_compare *compare, const void *context, double radius_a, double radius_b,
                          double guess ) {
	DBVHI_ASSERT( radius_a >= 0.0 && radius_b >= 0.0 );
	const question q = { compare, context, radius_a, radius_b };
	const dbvhi_sum radii = dbvhi_sum2( radius_a, radius_b );
	if ( compare( context, &radii ) <= 0 )
		return 0.0;
	return dbvhi_round_up( is_within, &q, guess, 0.0, INFINITY );
}

double dbvhi_depth_of( dbvhi_compare *compare, const void *context, double radius, double guess ) {
	DBVHI_ASSERT( radius >= 0.0 );
	const question q = { compare, context, radius, 0.0 };
	return dbvhi_round_up( is_clear, &q, guess, 0.0, INFINITY );
}

typedef struct depth_question {
	dbvhi_compare *compare;
	const void *context;
	double radius;
} depth_question;

// under + radius <= x
static int is_out( const void *context, double x ) {
	const depth_question *q = context;
	const dbvhi_sum sum = dbvhi_sum2( x, -q->radius );
	return q->compare( q->context, &sum ) <= 0;
}

void dbvhi_gap_inside( dbvhi_compare *compare_depth, const void *context, double radius,
                       const dbvhi_near_points *points, double under, int exponent,
                       dbvh_signed_distance *signed_distance_out ) {
	DBVHI_ASSERT( radius >= 0.0 );
	const depth_question q = { compare_depth, context, radius };
	*signed_distance_out = ( dbvh_signed_distance ){ 0 };
	signed_distance_out->depth =
	    is_out( &q, 0.0 ) ? 0.0 : dbvhi_round_up( is_out, &q, ldexp( under, exponent ) + radius, 0.0, INFINITY );
	const dbvhi_dd r = from_double( ldexp( radius, -exponent ) );
	for ( int k = 0; k < 3; ++k ) {
		const dbvhi_dd n = from_double( points->fallback[k] );
		signed_distance_out->normal[k] = n.hi;
		signed_distance_out->point_a[k] = ldexp( dbvhi_dd_add( points->a.x[k], dbvhi_dd_mul( n, r ) ).hi, exponent );
		signed_distance_out->point_b[k] = ldexp( points->b.x[k].hi, exponent );
	}
}

// The smallest double that is not less.
static double rounded_up( dbvhi_dd x ) {
	return x.lo > 0.0 ? nextafter( x.hi, INFINITY ) : x.hi;
}

void dbvhi_gap_of( dbvhi_compare *compare, const void *context, double radius_a, double radius_b,
                   const dbvhi_near_points *points, int exponent, dbvh_signed_distance *signed_distance_out ) {
	DBVHI_ASSERT( radius_a >= 0.0 && radius_b >= 0.0 );
	DBVHI_ASSERT( signed_distance_out != NULL );
	const question q = { compare, context, radius_a, radius_b };
	const dbvhi_sum radii = dbvhi_sum2( radius_a, radius_b );
	const dbvhi_exact_point3 between = dbvhi_exact_point3_minus( &points->b, &points->a );
	const dbvhi_dd length = dbvhi_dd_root( dbvhi_exact_point3_dot( &between, &between ) );
	const dbvhi_dd ra = from_double( ldexp( radius_a, -exponent ) ), rb = from_double( ldexp( radius_b, -exponent ) );
	const dbvhi_dd reach = dbvhi_dd_add( ra, rb );
	*signed_distance_out = ( dbvh_signed_distance ){ 0 };
	const int side = compare( context, &radii );
	if ( side > 0 ) {
		const double guess = ldexp( rounded_up( dbvhi_dd_sub( length, reach ) ), exponent );
		signed_distance_out->distance = dbvhi_round_up( is_within, &q, guess, 0.0, INFINITY );
	} else if ( side < 0 ) {
		const double guess = ldexp( rounded_up( dbvhi_dd_sub( reach, length ) ), exponent );
		signed_distance_out->depth = dbvhi_round_up( is_clear, &q, guess, 0.0, INFINITY );
	}
	const double v[3] = { between.x[0].hi, between.x[1].hi, between.x[2].hi };
	// Nearer points have no direction that could be trusted; any that is at right angles to both shapes will do.
	if ( !( length.hi > 0x1p-48 ) || !dbvhi_unit( v, signed_distance_out->normal ) ) {
		for ( int k = 0; k < 3; ++k )
			signed_distance_out->normal[k] = points->fallback[k];
	}
	for ( int k = 0; k < 3; ++k ) {
		const dbvhi_dd n = from_double( signed_distance_out->normal[k] );
		const dbvhi_dd a = dbvhi_dd_add( points->a.x[k], dbvhi_dd_mul( n, ra ) );
		const dbvhi_dd b = dbvhi_dd_sub( points->b.x[k], dbvhi_dd_mul( n, rb ) );
		signed_distance_out->point_a[k] = ldexp( a.hi, exponent );
		signed_distance_out->point_b[k] = ldexp( b.hi, exponent );
	}
}
