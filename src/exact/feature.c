// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "exact/feature.h"

#include <math.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------
// Magnitudes

static void wide_product( dbvhi_wide *out, const dbvhi_big *a, const dbvhi_big *b ) {
	out->length = dbvhi_limbs_mul( out->limb, a->limb, a->length, b->limb, b->length );
}

static void wide_from( dbvhi_wide *out, const dbvhi_big *a ) {
	out->length = a->length;
	memcpy( out->limb, a->limb, a->length * sizeof( uint32_t ) );
}

static void wide_add( dbvhi_wide *out, const dbvhi_wide *a ) {
	uint64_t carry = 0;
	uint32_t i = 0;
	for ( ; i < a->length || carry != 0; ++i ) {
		carry += i < a->length ? a->limb[i] : 0;
		carry += i < out->length ? out->limb[i] : 0;
		out->limb[i] = (uint32_t)carry;
		carry >>= 32;
	}
	out->length = i > out->length ? i : out->length;
}

// out -= a, where a is not larger
static void wide_subtract( dbvhi_wide *out, const dbvhi_wide *a ) {
	uint64_t borrow = 0;
	for ( uint32_t i = 0; i < out->length; ++i ) {
		const uint64_t difference = (uint64_t)out->limb[i] - ( i < a->length ? a->limb[i] : 0 ) - borrow;
		out->limb[i] = (uint32_t)difference;
		borrow = difference >> 63;
	}
	while ( out->length > 0 && out->limb[out->length - 1] == 0 )
		out->length -= 1;
}

static int64_t bits( const uint32_t *limb, uint32_t length ) {
	return length == 0 ? 0 : 32 * (int64_t)length - __builtin_clz( limb[length - 1] );
}

// out = a 2^shift
static void wide_shift( dbvhi_wide *out, const dbvhi_wide *a, int64_t shift ) {
	const uint32_t whole = (uint32_t)( shift / 32 ), part = (uint32_t)( shift % 32 );
	memset( out->limb, 0, whole * sizeof( uint32_t ) );
	uint64_t carry = 0;
	for ( uint32_t i = 0; i < a->length; ++i ) {
		carry |= (uint64_t)a->limb[i] << part;
		out->limb[whole + i] = (uint32_t)carry;
		carry >>= 32;
	}
	out->length = whole + a->length;
	if ( carry != 0 )
		out->limb[out->length++] = (uint32_t)carry;
}

// A positive number as fraction * 2^exponent with the fraction in [1, 2), within 2^-52 of it.
static double leading( const uint32_t *limb, uint32_t length, int64_t *exponent ) {
	const int64_t count = bits( limb, length );
	double fraction = 0.0;
	for ( uint32_t i = length, end = length > 3 ? length - 3 : 0; i-- > end; )
		fraction = fraction * 0x1p32 + limb[i];
	const int64_t dropped = length > 3 ? 32 * (int64_t)( length - 3 ) : 0;
	*exponent = count - 1;
	return ldexp( fraction, (int)( dropped - *exponent ) );
}

static double leading_big( const dbvhi_big *a, int64_t *exponent ) {
	*exponent = 0;
	return a->sign == 0 ? 0.0 : a->sign * leading( a->limb, a->length, exponent );
}

// The sign of the squared distance minus x^2, for x >= 0.
int dbvhi_quotient_compare( const dbvhi_quotient *q, double x ) {
	if ( q->numerator.length == 0 )
		return x > 0.0 ? -1 : 0;
	if ( x == 0.0 )
		return 1;
	if ( isinf( x ) )
		return -1;
	int exponent;
	const uint64_t m = (uint64_t)( frexp( x, &exponent ) * 0x1p53 );
	const int64_t shift = 2 * ( (int64_t)q->unit - ( exponent - 53 ) );
	const uint32_t words[2] = { (uint32_t)m, (uint32_t)( m >> 32 ) };
	uint32_t square[4];
	const uint32_t words_count = words[1] != 0 ? 2 : 1;
	const uint32_t square_length = dbvhi_limbs_mul( square, words, words_count, words, words_count );
	dbvhi_wide right, shifted;
	right.length = dbvhi_limbs_mul( right.limb, q->denominator.limb, q->denominator.length, square, square_length );
	const int64_t bits_left = bits( q->numerator.limb, q->numerator.length ) + shift;
	const int64_t bits_right = bits( right.limb, right.length );
	if ( bits_left != bits_right )
		return bits_left < bits_right ? -1 : 1;
	// Equal lengths: the shifted one is no longer than the other.
	const dbvhi_wide *left = &q->numerator, *other = &right;
	if ( shift > 0 ) {
		wide_shift( &shifted, left, shift );
		left = &shifted;
	} else if ( shift < 0 ) {
		wide_shift( &shifted, other, -shift );
		other = &shifted;
	}
	return dbvhi_limbs_compare( left->limb, left->length, other->limb, other->length );
}

// The smallest double that is not less than the distance. It is right to a few units in the last place to begin with.
double dbvhi_quotient_round_up( const dbvhi_quotient *q ) {
	if ( q->numerator.length == 0 )
		return 0.0;
	int64_t high, low;
	double ratio = leading( q->numerator.limb, q->numerator.length, &high ) /
	               leading( q->denominator.limb, q->denominator.length, &low );
	int64_t exponent = high - low + 2 * (int64_t)q->unit;
	if ( exponent % 2 != 0 ) {
		ratio *= 2.0;
		exponent -= 1;
	}
	exponent /= 2;
	exponent = exponent > 4000 ? 4000 : exponent < -4000 ? -4000 : exponent;
	double x = ldexp( sqrt( ratio ), (int)exponent );
	while ( x > 0.0 && dbvhi_quotient_compare( q, nextafter( x, 0.0 ) ) <= 0 )
		x = nextafter( x, 0.0 );
	while ( dbvhi_quotient_compare( q, x ) > 0 )
		x = nextafter( x, INFINITY );
	return x;
}

// ------------------------------------------------------------------------------------------------
// Vectors of integers

static void difference( dbvhi_big out[3], const dbvhi_points *s, int a, int b ) {
	for ( int k = 0; k < 3; ++k )
		dbvhi_big_sub( &out[k], &s->exact[a][k], &s->exact[b][k] );
}

static void dot( dbvhi_big *out, const dbvhi_big a[3], const dbvhi_big b[3] ) {
	dbvhi_big term;
	dbvhi_big_mul( out, &a[0], &b[0] );
	for ( int k = 1; k < 3; ++k ) {
		dbvhi_big_mul( &term, &a[k], &b[k] );
		dbvhi_big_add( out, out, &term );
	}
}

static void cross( dbvhi_big out[3], const dbvhi_big a[3], const dbvhi_big b[3] ) {
	dbvhi_big term;
	for ( int k = 0; k < 3; ++k ) {
		const int k1 = ( k + 1 ) % 3, k2 = ( k + 2 ) % 3;
		dbvhi_big_mul( &out[k], &a[k1], &b[k2] );
		dbvhi_big_mul( &term, &a[k2], &b[k1] );
		dbvhi_big_sub( &out[k], &out[k], &term );
	}
}

static bool is_zero( const dbvhi_big a[3] ) {
	return a[0].sign == 0 && a[1].sign == 0 && a[2].sign == 0;
}

static void squared_length( dbvhi_wide *out, const dbvhi_big a[3] ) {
	dbvhi_wide term;
	wide_product( out, &a[0], &a[0] );
	for ( int k = 1; k < 3; ++k ) {
		wide_product( &term, &a[k], &a[k] );
		wide_add( out, &term );
	}
}

// Is a b >= c d?
static bool at_least( const dbvhi_big *a, const dbvhi_big *b, const dbvhi_big *c, const dbvhi_big *d ) {
	const int left = a->sign * b->sign, right = c->sign * d->sign;
	if ( left != right || left == 0 )
		return left >= right;
	dbvhi_wide x, y;
	wide_product( &x, a, b );
	wide_product( &y, c, d );
	const int order = dbvhi_limbs_compare( x.limb, x.length, y.limb, y.length );
	return left * order >= 0;
}

// ------------------------------------------------------------------------------------------------
// Features. Each function returns false where the foot of the perpendicular is not on them; another feature is nearer
// then. The points are 0 to 2 of the fixed and 3 to 5 of the moved triangle.

static uint32_t bit_of( int corner ) {
	return 1u << ( corner % 3 );
}

void dbvhi_feature_corners( const dbvhi_feature *f, uint32_t *fixed, uint32_t *moved ) {
	const uint32_t corners_a = bit_of( f->a[0] ) | ( f->kind == 5 ? bit_of( f->a[1] ) : 0 );
	const uint32_t corners_b = f->kind == 4 ? 7 : bit_of( f->b[0] ) | ( f->kind == 2 ? 0 : bit_of( f->b[1] ) );
	*fixed = f->a[0] < 3 ? corners_a : corners_b;
	*moved = f->a[0] < 3 ? corners_b : corners_a;
}

static bool two_corners( const dbvhi_points *s, const dbvhi_feature *f, dbvhi_feature_distance *out ) {
	dbvhi_big square;
	difference( out->between, s, f->b[0], f->a[0] );
	dot( &square, out->between, out->between );
	wide_from( &out->squared.numerator, &square );
	out->squared.denominator.length = 1;
	out->squared.denominator.limb[0] = 1;
	return true;
}

static bool corner_and_edge( const dbvhi_points *s, const dbvhi_feature *f, dbvhi_feature_distance *out ) {
	dbvhi_big w[3], e[3], we, ee, product[3], term;
	difference( w, s, f->a[0], f->b[0] );
	difference( e, s, f->b[1], f->b[0] );
	dot( &we, w, e );
	if ( we.sign <= 0 )
		return false;
	dot( &ee, e, e );
	if ( dbvhi_limbs_compare( we.limb, we.length, ee.limb, ee.length ) >= 0 )
		return false;
	cross( product, w, e );
	squared_length( &out->squared.numerator, product );
	wide_from( &out->squared.denominator, &ee );
	// From the corner to its foot: e (w e) - w (e e), over e e.
	for ( int k = 0; k < 3; ++k ) {
		dbvhi_big_mul( &out->between[k], &e[k], &we );
		dbvhi_big_mul( &term, &w[k], &ee );
		dbvhi_big_sub( &out->between[k], &out->between[k], &term );
	}
	return true;
}

// Is the point, seen along the normal, on the inner side of the edge from f[i] to the next corner of a triangle?
static bool inside_edge( const dbvhi_points *s, int point, const int t[3], int i ) {
	dbvhi_big f1[3], f2[3], w[3], f11, f12, wf1, wf2;
	difference( f1, s, t[( i + 1 ) % 3], t[i] );
	difference( f2, s, t[( i + 2 ) % 3], t[i] );
	difference( w, s, point, t[i] );
	dot( &f11, f1, f1 );
	dot( &f12, f1, f2 );
	dot( &wf1, w, f1 );
	dot( &wf2, w, f2 );
	return at_least( &f11, &wf2, &f12, &wf1 );
}

static void over_normal( const dbvhi_points *s, const dbvhi_feature *f, dbvhi_feature_distance *out ) {
	dbvhi_big w[3];
	difference( w, s, f->a[0], f->b[0] );
	dot( &out->height, out->normal, w );
	wide_product( &out->squared.numerator, &out->height, &out->height );
	squared_length( &out->squared.denominator, out->normal );
}

static bool corner_and_face( const dbvhi_points *s, const dbvhi_feature *f, dbvhi_feature_distance *out ) {
	dbvhi_big e1[3], e2[3];
	difference( e1, s, f->b[1], f->b[0] );
	difference( e2, s, f->b[2], f->b[0] );
	cross( out->normal, e1, e2 );
	if ( is_zero( out->normal ) )
		return false;
	for ( int i = 0; i < 3; ++i ) {
		if ( !inside_edge( s, f->a[0], f->b, i ) )
			return false;
	}
	over_normal( s, f, out );
	return true;
}

static bool two_edges( const dbvhi_points *s, const dbvhi_feature *f, dbvhi_feature_distance *out ) {
	dbvhi_big d[3], e[3], w[3], dd, de, ee, dw, ew, x, y;
	difference( d, s, f->a[1], f->a[0] );
	difference( e, s, f->b[1], f->b[0] );
	cross( out->normal, d, e );
	if ( is_zero( out->normal ) )
		return false;
	difference( w, s, f->a[0], f->b[0] );
	dot( &dd, d, d );
	dot( &de, d, e );
	dot( &ee, e, e );
	dot( &dw, d, w );
	dot( &ew, e, w );
	// 0 <= de ew - ee dw <= dd ee - de^2 and 0 <= dd ew - de dw <= dd ee - de^2
	if ( !at_least( &de, &ew, &ee, &dw ) || !at_least( &dd, &ew, &de, &dw ) )
		return false;
	dbvhi_big_add( &x, &dd, &dw );
	dbvhi_big_add( &y, &ew, &de );
	if ( !at_least( &ee, &x, &de, &y ) )
		return false;
	dbvhi_big_sub( &x, &dw, &de );
	dbvhi_big_sub( &y, &ew, &ee );
	if ( !at_least( &de, &x, &dd, &y ) )
		return false;
	over_normal( s, f, out );
	// The first difference over the last, which is n^2.
	dbvhi_wide along, rest;
	wide_product( &along, &de, &ew );
	wide_product( &rest, &ee, &dw );
	const int left = de.sign * ew.sign, right = ee.sign * dw.sign;
	if ( left * right > 0 ) {
		// Both of one sign, and left >= right.
		dbvhi_wide *more = left > 0 ? &along : &rest, *less = left > 0 ? &rest : &along;
		wide_subtract( more, less );
		along = *more;
	} else {
		wide_add( &along, &rest );
	}
	out->parameter = 0.0;
	if ( along.length > 0 ) {
		int64_t high, low;
		const double numerator = leading( along.limb, along.length, &high );
		const double denominator = leading( out->squared.denominator.limb, out->squared.denominator.length, &low );
		out->parameter =
		    fmin( ldexp( numerator / denominator, (int)( high - low < -2000 ? -2000 : high - low ) ), 1.0 );
	}
	return true;
}

bool dbvhi_feature_measure( dbvhi_points *s, const dbvhi_feature *f, dbvhi_feature_distance *out ) {
	dbvhi_points_integers( s );
	out->squared.unit = s->unit;
	switch ( f->kind ) {
	case 2:
		return two_corners( s, f, out );
	case 3:
		return corner_and_edge( s, f, out );
	case 4:
		return corner_and_face( s, f, out );
	default:
		return two_edges( s, f, out );
	}
}

// x / y 2^exponent, with exponents of any size.
static double scaled( double x, int64_t exponent_x, double y, int64_t exponent_y, int64_t exponent ) {
	int64_t e = exponent_x - exponent_y + exponent;
	e = e > 4000 ? 4000 : e < -4000 ? -4000 : e;
	return ldexp( x / y, (int)e );
}

void dbvhi_feature_way( const dbvhi_points *points, const dbvhi_feature *f, const dbvhi_feature_distance *d,
                        double at[3], double way[3] ) {
	int64_t low;
	const double denominator = leading( d->squared.denominator.limb, d->squared.denominator.length, &low );
	for ( int k = 0; k < 3; ++k ) {
		int64_t e1, e2;
		if ( f->kind <= 3 ) {
			const double x = leading_big( &d->between[k], &e1 );
			way[k] = scaled( x, e1, denominator, low, points->unit );
		} else {
			// w is from b to a, so the way from a to b is - n (n w) / n^2.
			const double n = leading_big( &d->normal[k], &e1 ), height = leading_big( &d->height, &e2 );
			way[k] = 0.0 - scaled( n * height, e1 + e2, denominator, low, points->unit );
		}
		at[k] = points->p[f->a[0]][k];
		if ( f->kind == 5 )
			at[k] = ( 1.0 - d->parameter ) * at[k] + d->parameter * points->p[f->a[1]][k];
	}
}
