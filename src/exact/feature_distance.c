// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "exact/feature_distance.h"

#include "base/assert.h"
#include "exact/number/big3.h"

#include <float.h>
#include <math.h>

static void corner_difference( dbvhi_big_1 out[3], const dbvhi_points *s, int a, int b ) {
	DBVHI_ASSERT( (unsigned)a < 6 && (unsigned)b < 6 );
	dbvhi_big3_sub( out, s->exact[a], s->exact[b] );
}

// Is a b >= c d?
static __attribute__( ( noinline ) ) bool at_least( const dbvhi_big_2 *a, const dbvhi_big_2 *b, const dbvhi_big_2 *c,
                                                    const dbvhi_big_2 *d ) {
	const int left = a->sign * b->sign, right = c->sign * d->sign;
	if ( left != right || left == 0 )
		return left >= right;
	dbvhi_big_4 x, y;
	dbvhi_big_mul( &x, a, b );
	dbvhi_big_mul( &y, c, d );
	return dbvhi_big_compare( &x, &y ) >= 0;
}

// ------------------------------------------------------------------------------------------------
// Features. Each function returns false where the foot of the perpendicular is not on them; another feature is nearer
// then. The points are 0 to 2 of the fixed and 3 to 5 of the moved triangle.

static uint32_t bit_of( int corner ) {
	DBVHI_ASSERT( (unsigned)corner < 6 );
	return 1u << ( corner % 3 );
}

void dbvhi_feature_corners( const dbvhi_feature *f, uint32_t *fixed, uint32_t *moved ) {
	DBVHI_ASSERT( f->kind >= 2 && f->kind <= 5 );
	const uint32_t corners_a = bit_of( f->a[0] ) | ( f->kind == 5 ? bit_of( f->a[1] ) : 0 );
	const uint32_t corners_b = f->kind == 4 ? 7 : bit_of( f->b[0] ) | ( f->kind == 2 ? 0 : bit_of( f->b[1] ) );
	*fixed = f->a[0] < 3 ? corners_a : corners_b;
	*moved = f->a[0] < 3 ? corners_b : corners_a;
}

static bool two_corners( const dbvhi_points *s, const dbvhi_feature *f, dbvhi_feature_distance *out ) {
	dbvhi_big3_sub( out->between, s->exact[f->b[0]], s->exact[f->a[0]] );
	dbvhi_big3_dot( &out->squared.num, out->between, out->between );
	dbvhi_big_from_integer( &out->squared.den, 1 );
	return true;
}

static bool corner_and_edge( const dbvhi_points *s, const dbvhi_feature *f, dbvhi_feature_distance *out ) {
	dbvhi_big_1 w[3], e[3];
	dbvhi_big_2 we, product[3];
	dbvhi_big_3 term;
	dbvhi_big_4 *const ee = &out->squared.den;
	corner_difference( w, s, f->a[0], f->b[0] );
	corner_difference( e, s, f->b[1], f->b[0] );
	dbvhi_big3_dot( &we, w, e );
	if ( we.sign <= 0 )
		return false;
	dbvhi_big3_dot( ee, e, e );
	if ( dbvhi_big_compare( &we, ee ) >= 0 )
		return false;
	dbvhi_big3_cross( product, w, e );
	dbvhi_big3_dot( &out->squared.num, product, product );
	// From the corner to its foot: e (w e) - w (e e), over e e.
	for ( int k = 0; k < 3; ++k ) {
		dbvhi_big_mul( &out->between[k], &e[k], &we );
		dbvhi_big_mul( &term, &w[k], ee );
		dbvhi_big_sub( &out->between[k], &out->between[k], &term );
	}
	return true;
}

// Dot products of the two edges f1 and f2 that leave corner i and of w, the offset from there to the point.
static __attribute__( ( noinline ) ) void edge_products( const dbvhi_points *s, int point, const int t[3], int i,
                                                         dbvhi_big_2 *f11, dbvhi_big_2 *f12, dbvhi_big_2 *wf1,
                                                         dbvhi_big_2 *wf2 ) {
	DBVHI_ASSERT( (unsigned)point < 6 && (unsigned)i < 3 );
	dbvhi_big_1 f1[3], f2[3], w[3];
	corner_difference( f1, s, t[( i + 1 ) % 3], t[i] );
	corner_difference( f2, s, t[( i + 2 ) % 3], t[i] );
	corner_difference( w, s, point, t[i] );
	dbvhi_big3_dot( f11, f1, f1 );
	dbvhi_big3_dot( f12, f1, f2 );
	dbvhi_big3_dot( wf1, w, f1 );
	dbvhi_big3_dot( wf2, w, f2 );
}

// Is the point, seen along the normal, on the inner side of the edge from f[i] to the next corner of a triangle?
static __attribute__( ( noinline ) ) bool inside_edge( const dbvhi_points *s, int point, const int t[3], int i ) {
	DBVHI_ASSERT( (unsigned)point < 6 && (unsigned)i < 3 );
	dbvhi_big_2 f11, f12, wf1, wf2;
	edge_products( s, point, t, i, &f11, &f12, &wf1, &wf2 );
	return at_least( &f11, &wf2, &f12, &wf1 );
}

static __attribute__( ( noinline ) ) void over_normal( const dbvhi_points *s, const dbvhi_feature *f,
                                                       dbvhi_feature_distance *out ) {
	dbvhi_big_1 w[3];
	corner_difference( w, s, f->a[0], f->b[0] );
	dbvhi_big3_dot( &out->height, out->normal, w );
	dbvhi_big_mul( &out->squared.num, &out->height, &out->height );
	dbvhi_big3_dot( &out->squared.den, out->normal, out->normal );
}

static bool corner_and_face( const dbvhi_points *s, const dbvhi_feature *f, dbvhi_feature_distance *out ) {
	dbvhi_big_1 e1[3], e2[3];
	corner_difference( e1, s, f->b[1], f->b[0] );
	corner_difference( e2, s, f->b[2], f->b[0] );
	dbvhi_big3_cross( out->normal, e1, e2 );
	if ( dbvhi_big3_is_zero( out->normal ) )
		return false;
	for ( int i = 0; i < 3; ++i ) {
		if ( !inside_edge( s, f->a[0], f->b, i ) )
			return false;
	}
	over_normal( s, f, out );
	return true;
}

static bool two_edges( const dbvhi_points *s, const dbvhi_feature *f, dbvhi_feature_distance *out ) {
	dbvhi_big_1 d[3], e[3], w[3];
	dbvhi_big_2 dd, de, ee, dw, ew, x, y;
	corner_difference( d, s, f->a[1], f->a[0] );
	corner_difference( e, s, f->b[1], f->b[0] );
	dbvhi_big3_cross( out->normal, d, e );
	if ( dbvhi_big3_is_zero( out->normal ) )
		return false;
	corner_difference( w, s, f->a[0], f->b[0] );
	dbvhi_big3_dot( &dd, d, d );
	dbvhi_big3_dot( &de, d, e );
	dbvhi_big3_dot( &ee, e, e );
	dbvhi_big3_dot( &dw, d, w );
	dbvhi_big3_dot( &ew, e, w );
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
	dbvhi_big_4 along;
	dbvhi_big_det2( &along, &de, &ew, &ee, &dw );
	int high, low;
	const double numerator = dbvhi_big_lead( &along, &high ), denominator = dbvhi_big_lead( &out->squared.den, &low );
	out->parameter = fmin( ldexp( numerator / denominator, high - low ), 1.0 );
	return true;
}

bool dbvhi_feature_measure( dbvhi_points *s, const dbvhi_feature *f, dbvhi_feature_distance *out ) {
	DBVHI_ASSERT( f->kind >= 2 && f->kind <= 5 );
	DBVHI_ASSERT( ( f->a[0] < 3 ) != ( f->b[0] < 3 ) );
	dbvhi_points_integers( s );
	out->squared.unit = 2 * s->unit;
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

bool dbvhi_feature_way( const dbvhi_points *points, const dbvhi_feature *f, const dbvhi_feature_distance *d,
                        double at[3], double way[3] ) {
	DBVHI_ASSERT( f->kind >= 2 && f->kind <= 5 );
	DBVHI_ASSERT( d->squared.den.sign > 0 );
	int low;
	const double denominator = dbvhi_big_lead( &d->squared.den, &low );
	bool is_whole = true;
	for ( int k = 0; k < 3; ++k ) {
		int e1, e2;
		bool is_zero;
		if ( f->kind <= 3 ) {
			const double x = dbvhi_big_lead( &d->between[k], &e1 );
			way[k] = ldexp( x / denominator, e1 - low + points->unit );
			is_zero = x == 0.0;
		} else {
			// w is from b to a, so the offset from a to b is - n (n w) / n^2.
			const double n = dbvhi_big_lead( &d->normal[k], &e1 ), height = dbvhi_big_lead( &d->height, &e2 );
			way[k] = 0.0 - ldexp( n * height / denominator, e1 + e2 - low + points->unit );
			is_zero = n == 0.0 || height == 0.0;
		}
		is_whole = is_whole && ( is_zero || fabs( way[k] ) >= DBL_MIN );
		at[k] = points->p[f->a[0]][k];
		if ( f->kind == 5 )
			at[k] = ( 1.0 - d->parameter ) * at[k] + d->parameter * points->p[f->a[1]][k];
	}
	return is_whole;
}
