// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The exact distance of two triangles that do not meet. It is taken between a corner and a face, two edges, a corner
// and an edge, or two corners, and its square is a quotient of integers, over a power of four, once coordinates are
// integers: with n the normal of the face, or the product of the edges, and w from one feature to the other
//
//     corner and face, two edges  (n w)^2 / n^2        corner and edge e  (w x e)^2 / e^2        corners  w^2 / 1
//
// if the foot of the perpendicular lies on the features, which signs of integers of the fourth degree decide. A
// quotient is compared with the square of a double by one multiplication.

#include "exact/gap.h"
#include "exact/orient.h"
#include "exact/triangles.h"

#include <math.h>
#include <string.h>

// The square of what fits a dbvhi_big, times the square of a double.
#define WIDE ( 2 * DBVHI_BIG_LIMBS + 8 )

typedef struct wide {
	uint32_t length;
	uint32_t limb[WIDE];
} wide;

typedef struct quotient {
	wide numerator, denominator; // of the squared distance, in units of 4^unit
	int unit;
} quotient;

// ------------------------------------------------------------------------------------------------
// Magnitudes

static void wide_product( wide *out, const dbvhi_big *a, const dbvhi_big *b ) {
	out->length = dbvhi_limbs_mul( out->limb, a->limb, a->length, b->limb, b->length );
}

static void wide_from( wide *out, const dbvhi_big *a ) {
	out->length = a->length;
	memcpy( out->limb, a->limb, a->length * sizeof( uint32_t ) );
}

static void wide_add( wide *out, const wide *a ) {
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
static void wide_subtract( wide *out, const wide *a ) {
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
static void wide_shift( wide *out, const wide *a, int64_t shift ) {
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
static int compare_with( const quotient *q, double x ) {
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
	wide right, shifted;
	right.length = dbvhi_limbs_mul( right.limb, q->denominator.limb, q->denominator.length, square, square_length );
	const int64_t bits_left = bits( q->numerator.limb, q->numerator.length ) + shift;
	const int64_t bits_right = bits( right.limb, right.length );
	if ( bits_left != bits_right )
		return bits_left < bits_right ? -1 : 1;
	// Equal lengths: the shifted one is no longer than the other.
	const wide *left = &q->numerator, *other = &right;
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
static double round_up( const quotient *q ) {
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
	while ( x > 0.0 && compare_with( q, nextafter( x, 0.0 ) ) <= 0 )
		x = nextafter( x, 0.0 );
	while ( compare_with( q, x ) > 0 )
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

static void squared_length( wide *out, const dbvhi_big a[3] ) {
	wide term;
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
	wide x, y;
	wide_product( &x, a, b );
	wide_product( &y, c, d );
	const int order = dbvhi_limbs_compare( x.limb, x.length, y.limb, y.length );
	return left * order >= 0;
}

// ------------------------------------------------------------------------------------------------
// Features. Each function returns false where the foot of the perpendicular is not on them; another feature is nearer
// then. The points are 0 to 2 of the fixed and 3 to 5 of the moved triangle.

typedef struct feature {
	int kind; // how many corners: 2 two corners, 3 a corner and an edge, 4 a corner and a face, 5 two edges
	int a[3]; // the corner, or the first edge
	int b[3]; // the other corner, edge or face
} feature;

// What is needed again for the witness.
typedef struct distance {
	quotient squared;
	dbvhi_big normal[3], height; // kinds 4 and 5: n, and n w with w = a[0] - b[0]
	dbvhi_big between[3];        // kinds 2 and 3: from a to b, over the denominator
	double parameter;            // kind 5: how far along the edge of a
} distance;

static bool two_corners( const dbvhi_points *s, const feature *f, distance *out ) {
	dbvhi_big square;
	difference( out->between, s, f->b[0], f->a[0] );
	dot( &square, out->between, out->between );
	wide_from( &out->squared.numerator, &square );
	out->squared.denominator.length = 1;
	out->squared.denominator.limb[0] = 1;
	return true;
}

static bool corner_and_edge( const dbvhi_points *s, const feature *f, distance *out ) {
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

static void over_normal( const dbvhi_points *s, const feature *f, distance *out ) {
	dbvhi_big w[3];
	difference( w, s, f->a[0], f->b[0] );
	dot( &out->height, out->normal, w );
	wide_product( &out->squared.numerator, &out->height, &out->height );
	squared_length( &out->squared.denominator, out->normal );
}

static bool corner_and_face( const dbvhi_points *s, const feature *f, distance *out ) {
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

static bool two_edges( const dbvhi_points *s, const feature *f, distance *out ) {
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
	wide along, rest;
	wide_product( &along, &de, &ew );
	wide_product( &rest, &ee, &dw );
	const int left = de.sign * ew.sign, right = ee.sign * dw.sign;
	if ( left * right > 0 ) {
		// Both of one sign, and left >= right.
		wide *more = left > 0 ? &along : &rest, *less = left > 0 ? &rest : &along;
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

static bool measure( const dbvhi_points *s, const feature *f, distance *out ) {
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

// ------------------------------------------------------------------------------------------------
// Which features: those that doubles do not show to be farther apart than `reach`

typedef struct search {
	dbvhi_points points;
	double along[6]; // the corners on the direction from one triangle to the other
	double slack;    // see gap.c
	bool has_direction;
	bool comfortable; // squares of coordinates are in the range of doubles
} search;

static double size_of_pair( const dbvhi_points *s ) {
	double size = 0.0;
	for ( int i = 1; i < 6; ++i ) {
		for ( int k = 0; k < 3; ++k )
			size = fmax( size, fabs( s->p[i][k] - s->p[0][k] ) );
	}
	return size;
}

static void search_init( search *s, const dbvhi_posed_pair *pair, const dbvhi_gap *gap ) {
	dbvhi_points_init( &s->points, pair->fixed, pair->moved, pair->image, pair->pose, pair->error );
	dbvhi_points_integers( &s->points );
	s->has_direction = false;
	s->comfortable = false;
	if ( isinf( gap->upper ) )
		return;
	const double size = size_of_pair( &s->points );
	s->slack = 4.0 * pair->error + 128.0 * 0x1p-53 * size + 0x1p-1060;
	s->comfortable = size > 0x1p-400 && size < 0x1p400;
	for ( int i = 0; i < 6; ++i )
		s->along[i] = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		s->has_direction = s->has_direction || gap->direction[k] != 0.0;
		for ( int i = 0; i < 6; ++i )
			s->along[i] += gap->direction[k] * ( s->points.p[i][k] - s->points.p[0][k] );
	}
}

// The distance of a point from a segment, or from another point where both ends are the same.
static double from_segment( const double p[3], const double a[3], const double b[3] ) {
	double we = 0.0, ee = 0.0, squared = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		we += ( p[k] - a[k] ) * ( b[k] - a[k] );
		ee += ( b[k] - a[k] ) * ( b[k] - a[k] );
	}
	const double t = ee > 0.0 ? fmax( fmin( we / ee, 1.0 ), 0.0 ) : 0.0;
	for ( int k = 0; k < 3; ++k ) {
		const double x = p[k] - a[k] - t * ( b[k] - a[k] );
		squared += x * x;
	}
	return sqrt( squared );
}

// May the feature be the one that is nearest, and as near as `reach`? NaN, from differences that overflow, says yes.
static bool may_be_nearest( const search *s, const feature *f, int corners_a, int corners_b, double reach ) {
	if ( s->has_direction ) {
		double low[2] = { INFINITY, INFINITY }, high[2] = { -INFINITY, -INFINITY };
		bool finite = true;
		for ( int i = 0; i < corners_a; ++i ) {
			const double x = s->along[f->a[i]];
			finite = finite && isfinite( x );
			low[0] = fmin( low[0], x );
			high[0] = fmax( high[0], x );
		}
		for ( int i = 0; i < corners_b; ++i ) {
			const double x = s->along[f->b[i]];
			finite = finite && isfinite( x );
			low[1] = fmin( low[1], x );
			high[1] = fmax( high[1], x );
		}
		if ( finite && fmax( low[1] - high[0], low[0] - high[1] ) - s->slack > reach )
			return false;
	}
	// A point and a segment, or another point: their distance itself. The place on the segment is off by a few u S, and
	// so the distance by no more than that.
	return !( f->kind <= 3 && s->comfortable &&
	          from_segment( s->points.p[f->a[0]], s->points.p[f->b[0]], s->points.p[f->b[corners_b - 1]] ) - s->slack >
	              reach );
}

// Calls `visit` for each feature whose distance counts, those of fewer corners first, until it returns true.
typedef bool visitor( void *context, const search *s, const feature *f, const distance *d );

static bool each_feature( const search *s, const double *reach, visitor *visit, void *context ) {
	distance d;
	for ( int kind = 2; kind <= 5; ++kind ) {
		for ( int swapped = 0; swapped < ( kind == 3 || kind == 4 ? 2 : 1 ); ++swapped ) {
			const int first = swapped ? 3 : 0, second = swapped ? 0 : 3;
			for ( int i = 0; i < 3; ++i ) {
				for ( int j = 0; j < ( kind == 4 ? 1 : 3 ); ++j ) {
					const feature f = { kind,
					                    { first + i, first + ( i + 1 ) % 3, 0 },
					                    { second + j, second + ( j + 1 ) % 3, second + ( j + 2 ) % 3 } };
					const int corners_a = kind == 5 ? 2 : 1, corners_b = kind == 2 ? 1 : kind == 4 ? 3 : 2;
					if ( may_be_nearest( s, &f, corners_a, corners_b, *reach ) && measure( &s->points, &f, &d ) &&
					     visit( context, s, &f, &d ) )
						return true;
				}
			}
		}
	}
	return false;
}

// ------------------------------------------------------------------------------------------------

static bool meet( const dbvhi_posed_pair *pair, const dbvhi_gap *gap ) {
	if ( gap->lower > 0.0 )
		return false;
	const dbvhi_answer answer = dbvhi_triangles_filter( pair->fixed, pair->image, pair->error );
	if ( answer != DBVHI_UNSURE )
		return answer == DBVHI_MEET;
	return dbvhi_triangles_meet_exact( pair->fixed, pair->moved, pair->image, pair->pose, pair->error );
}

static bool is_within( void *context, const search *s, const feature *f, const distance *d ) {
	(void)s;
	(void)f;
	return compare_with( &d->squared, *(const double *)context ) <= 0;
}

bool dbvhi_triangles_within_exact( const dbvhi_posed_pair *pair, const dbvhi_gap *gap, double reach ) {
	if ( meet( pair, gap ) )
		return true;
	if ( reach == 0.0 )
		return false;
	search s;
	search_init( &s, pair, gap );
	return each_feature( &s, &reach, is_within, &reach );
}

typedef struct least {
	double limit; // nothing above it counts; later, what the best so far has
	bool found;
	dbvhi_witness *witness;
} least;

// x / y 2^exponent, with exponents of any size.
static double scaled( double x, int64_t exponent_x, double y, int64_t exponent_y, int64_t exponent ) {
	int64_t e = exponent_x - exponent_y + exponent;
	e = e > 4000 ? 4000 : e < -4000 ? -4000 : e;
	return ldexp( x / y, (int)e );
}

static uint32_t bit_of( int corner ) {
	return 1u << ( corner % 3 );
}

static void bear_witness( const search *s, const feature *f, const distance *d, dbvhi_witness *out ) {
	const dbvhi_points *points = &s->points;
	const bool a_is_moved = f->a[0] >= 3;
	int64_t low;
	const double denominator = leading( d->squared.denominator.limb, d->squared.denominator.length, &low );
	double at[3], between[3]; // from a to b
	for ( int k = 0; k < 3; ++k ) {
		int64_t e1, e2;
		if ( f->kind <= 3 ) {
			const double x = leading_big( &d->between[k], &e1 );
			between[k] = scaled( x, e1, denominator, low, points->unit );
		} else {
			// w is from b to a, so the way from a to b is - n (n w) / n^2.
			const double n = leading_big( &d->normal[k], &e1 ), height = leading_big( &d->height, &e2 );
			between[k] = -scaled( n * height, e1 + e2, denominator, low, points->unit );
		}
		at[k] = points->p[f->a[0]][k];
		if ( f->kind == 5 )
			at[k] = ( 1.0 - d->parameter ) * at[k] + d->parameter * points->p[f->a[1]][k];
	}
	for ( int k = 0; k < 3; ++k ) {
		const double other = at[k] + between[k];
		out->fixed[k] = a_is_moved ? other : at[k];
		out->moved[k] = a_is_moved ? at[k] : other;
		out->between[k] = a_is_moved ? 0.0 - between[k] : between[k];
	}
	uint32_t corners_a = bit_of( f->a[0] ), corners_b = bit_of( f->b[0] );
	if ( f->kind == 5 )
		corners_a |= bit_of( f->a[1] );
	if ( f->kind != 2 )
		corners_b |= bit_of( f->b[1] );
	if ( f->kind == 4 )
		corners_b = 7;
	out->corners_fixed = a_is_moved ? corners_b : corners_a;
	out->corners_moved = a_is_moved ? corners_a : corners_b;
}

static bool take_if_nearer( void *context, const search *s, const feature *f, const distance *d ) {
	least *l = context;
	// Only what is less than the best so far replaces it.
	const double most = l->found ? nextafter( l->limit, 0.0 ) : l->limit;
	if ( compare_with( &d->squared, most ) > 0 )
		return false;
	l->found = true;
	l->limit = round_up( &d->squared );
	l->witness->distance = l->limit;
	bear_witness( s, f, d, l->witness );
	return false;
}

// A point on an edge of one triangle and in the plane of the other, about; `gap` where no edge runs through a plane.
static void common_point( const dbvhi_posed_pair *pair, const dbvhi_gap *gap, double out[3] ) {
	double best = INFINITY;
	for ( int k = 0; k < 3; ++k ) {
		const double middle = 0.5 * gap->fixed[k] + 0.5 * gap->moved[k];
		out[k] = isfinite( middle ) ? middle : pair->fixed[k];
	}
	if ( !isinf( gap->upper ) )
		best = gap->upper;
	for ( int swapped = 0; swapped < 2; ++swapped ) {
		const double *edges = swapped ? pair->image : pair->fixed, *t = swapped ? pair->fixed : pair->image;
		double e1[3], e2[3], n[3], side[3];
		for ( int k = 0; k < 3; ++k ) {
			e1[k] = t[3 + k] - t[k];
			e2[k] = t[6 + k] - t[k];
		}
		for ( int k = 0; k < 3; ++k )
			n[k] = e1[( k + 1 ) % 3] * e2[( k + 2 ) % 3] - e1[( k + 2 ) % 3] * e2[( k + 1 ) % 3];
		for ( int i = 0; i < 3; ++i )
			side[i] = n[0] * ( edges[3 * i] - t[0] ) + n[1] * ( edges[3 * i + 1] - t[1] ) +
			          n[2] * ( edges[3 * i + 2] - t[2] );
		for ( int i = 0; i < 3; ++i ) {
			const int j = ( i + 1 ) % 3;
			const double x = side[i] / ( side[i] - side[j] );
			if ( !( x >= 0.0 && x <= 1.0 ) )
				continue;
			double point[9];
			for ( int k = 0; k < 9; ++k )
				point[k] = edges[3 * i + k % 3] + x * ( edges[3 * j + k % 3] - edges[3 * i + k % 3] );
			dbvhi_gap off;
			dbvhi_triangles_gap( point, t, 0.0, &off );
			if ( off.upper < best ) {
				best = off.upper;
				memcpy( out, point, 3 * sizeof( double ) );
			}
		}
	}
}

bool dbvhi_triangles_distance_exact( const dbvhi_posed_pair *pair, const dbvhi_gap *gap, double limit,
                                     dbvhi_witness *out ) {
	if ( meet( pair, gap ) ) {
		*out = ( dbvhi_witness ){ .corners_fixed = 7, .corners_moved = 7 };
		common_point( pair, gap, out->fixed );
		memcpy( out->moved, out->fixed, sizeof out->moved );
		return true;
	}
	search s;
	search_init( &s, pair, gap );
	least l = { .limit = fmin( limit, gap->upper ), .witness = out };
	each_feature( &s, &l.limit, take_if_nearer, &l );
	return l.found;
}
