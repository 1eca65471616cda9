// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "exact/tri_solid.h"

#include "base/assert.h"
#include "exact/number/big3.h"

#include <limits.h>
#include <math.h>

#define DBVHI_NO_SIGN 2

// ------------------------------------------------------------------------------------------------
// Doubles with a bound of their error: |v - V| <= e. With u = 2^-53 a rounded sum is off by u |sum| more, a rounded
// product by |a| db + |b| da + da db + u |product|, and where it underflows by 2^-1074. The bounds are rounded
// themselves, each by less than 4 u of it, and no formula here is 200 operations deep: the sign wants 2^-40 more.

typedef struct bounded {
	double v, e;
} bounded;

#define U 0x1p-53

static void bounded_add( bounded *out, const bounded *a, const bounded *b ) {
	const double v = a->v + b->v;
	*out = ( bounded ){ v, a->e + b->e + U * fabs( v ) };
}

static void bounded_sub( bounded *out, const bounded *a, const bounded *b ) {
	const double v = a->v - b->v;
	*out = ( bounded ){ v, a->e + b->e + U * fabs( v ) };
}

static void bounded_mul( bounded *out, const bounded *a, const bounded *b ) {
	const double v = a->v * b->v;
	*out = ( bounded ){ v, fabs( a->v ) * b->e + fabs( b->v ) * a->e + a->e * b->e + U * fabs( v ) + 0x1p-1070 };
}

// The sign of a, if |a| is above its bound. An infinite or NaN bound gives DBVHI_NO_SIGN.
static int bounded_sign( const bounded *a ) {
	const double bound = a->e * ( 1.0 + 0x1p-40 );
	return a->v > bound ? 1 : a->v < -bound ? -1 : DBVHI_NO_SIGN;
}

static void bounded_absolute( bounded *a ) {
	a->v = fabs( a->v );
}

static int bounded_compare( const bounded *a, const bounded *b ) {
	bounded d;
	bounded_sub( &d, a, b );
	return bounded_sign( &d );
}

static void bounded_cross( bounded out[3], const bounded a[3], const bounded b[3] ) {
	bounded x, y;
	for ( int i = 0; i < 3; ++i ) {
		const int i1 = ( i + 1 ) % 3, i2 = ( i + 2 ) % 3;
		bounded_mul( &x, &a[i1], &b[i2] );
		bounded_mul( &y, &a[i2], &b[i1] );
		bounded_sub( &out[i], &x, &y );
	}
}

static void bounded_dot( bounded *out, const bounded a[3], const bounded b[3] ) {
	bounded x, y;
	bounded_mul( &x, &a[0], &b[0] );
	bounded_mul( &y, &a[1], &b[1] );
	bounded_add( &x, &x, &y );
	bounded_mul( &y, &a[2], &b[2] );
	bounded_add( out, &x, &y );
}

static void bounded_difference( bounded out[3], const bounded a[3], const bounded b[3] ) {
	for ( int k = 0; k < 3; ++k )
		bounded_sub( &out[k], &a[k], &b[k] );
}

#define N( degree ) bounded
#define F( name ) bounded_##name
#define LARGE
#include "exact/tri_solid.inl"
#undef N
#undef F
#undef LARGE

// ------------------------------------------------------------------------------------------------
// Integers

#define whole_add dbvhi_big_add
#define whole_sub dbvhi_big_sub
#define whole_mul dbvhi_big_mul
#define whole_dot dbvhi_big3_dot
#define whole_cross dbvhi_big3_cross
#define whole_difference dbvhi_big3_sub
#define whole_compare dbvhi_big_compare
#define whole_sign( a ) ( ( a )->sign )
#define whole_absolute( a ) ( ( a )->sign = ( a )->sign != 0 )

#define N( degree ) dbvhi_big_##degree
#define F( name ) whole_##name
#define LARGE __attribute__( ( noinline ) )
#include "exact/tri_solid.inl"
#undef N
#undef F
#undef LARGE

// ------------------------------------------------------------------------------------------------
// What the numbers are made from

static int lowest( const double *x, int count, int unit ) {
	DBVHI_ASSERT( count > 0 );
	for ( int i = 0; i < count; ++i ) {
		const int bit = dbvhi_lowest_bit( x[i] );
		unit = bit < unit ? bit : unit;
	}
	return unit;
}

// x / 2^unit from x / 2^from, from >= unit.
static void refine( dbvhi_big_1 *x, int from, int unit ) {
	if ( x->sign != 0 )
		dbvhi_big_shift( x, x, (uint32_t)( from - unit ) );
}

// Corner c, coordinate k, in units of 2^unit, after the pose.
static void placed( dbvhi_big_1 *out, const dbvhi_posed_triangle *t, int c, int k, int unit_rot, int unit_corner,
                    int unit ) {
	dbvhi_big_1 a, b, product;
	dbvhi_big_from_double( out, t->pose->pos[k], unit );
	for ( int j = 0; j < 3; ++j ) {
		dbvhi_big_from_double( &a, t->pose->rot[k][j], unit_rot );
		dbvhi_big_from_double( &b, t->corners[3 * c + j], unit_corner );
		dbvhi_big_mul( &product, &a, &b );
		refine( &product, unit_rot + unit_corner, unit );
		dbvhi_big_add( out, out, &product );
	}
}

// Units of 0 where there is nothing but zeros.
typedef struct units {
	int rot, corner;
	int placed; // not above the unit of any placed coordinate
} units;

static int known( int unit ) {
	return unit == INT_MAX ? 0 : unit;
}

static units units_of( const dbvhi_posed_triangle *t ) {
	units u = { known( lowest( t->pose->rot[0], 9, INT_MAX ) ), known( lowest( t->corners, 9, INT_MAX ) ), 0 };
	u.placed = lowest( t->pose->pos, 3, u.rot + u.corner );
	return u;
}

// `axis` may be NULL.
static void whole_scene( const dbvhi_solid *s, const dbvhi_posed_triangle *t, dbvhi_big_1 p[3][3], dbvhi_big_1 m[3][3],
                         dbvhi_big_1 axis[3][3] ) {
	const units u = units_of( t );
	const int unit_axis = known( lowest( s->axis[0], 9, INT_MAX ) );
	const int unit_length = known( lowest( s->minus, 3, lowest( s->plus, 3, INT_MAX ) ) );
	int unit = lowest( s->second, 3, lowest( s->first, 3, u.placed ) );
	unit = unit_axis + unit_length < unit ? unit_axis + unit_length : unit;
	dbvhi_big_1 a, b;
	for ( int c = 0; c < 3; ++c ) {
		for ( int k = 0; k < 3; ++k ) {
			placed( &a, t, c, k, u.rot, u.corner, unit );
			dbvhi_big_add( &a, &a, &a );
			dbvhi_big_from_double( &b, s->first[k], unit );
			dbvhi_big_sub( &a, &a, &b );
			dbvhi_big_from_double( &b, s->second[k], unit );
			dbvhi_big_sub( &p[c][k], &a, &b );
		}
	}
	for ( int i = 0; i < 3; ++i ) {
		dbvhi_big_1 length;
		dbvhi_big_from_double( &length, s->plus[i], unit_length );
		dbvhi_big_from_double( &b, s->minus[i], unit_length );
		dbvhi_big_add( &length, &length, &b );
		for ( int k = 0; k < 3; ++k ) {
			dbvhi_big_from_double( &b, s->axis[i][k], unit_axis );
			dbvhi_big_mul( &m[i][k], &length, &b );
			refine( &m[i][k], unit_axis + unit_length, unit );
			if ( axis != NULL )
				dbvhi_big_copy( &axis[i][k], &b );
		}
	}
}

static void bounded_scene( const dbvhi_solid *s, const dbvhi_posed_triangle *t, bounded p[3][3], bounded m[3][3],
                           bounded axis[3][3] ) {
	for ( int c = 0; c < 3; ++c ) {
		for ( int k = 0; k < 3; ++k ) {
			const bounded x = { 2.0 * t->image[3 * c + k], 2.0 * t->error }, first = { s->first[k], 0.0 },
			              second = { s->second[k], 0.0 };
			bounded_sub( &p[c][k], &x, &first );
			bounded_sub( &p[c][k], &p[c][k], &second );
		}
	}
	for ( int i = 0; i < 3; ++i ) {
		const bounded plus = { s->plus[i], 0.0 }, minus = { s->minus[i], 0.0 };
		bounded length;
		bounded_add( &length, &plus, &minus );
		for ( int k = 0; k < 3; ++k ) {
			axis[i][k] = ( bounded ){ s->axis[i][k], 0.0 };
			bounded_mul( &m[i][k], &length, &axis[i][k] );
		}
	}
}

// Kept apart, so that their large frames are there only where they are needed.
static bool box_exact( const dbvhi_solid *s, const dbvhi_posed_triangle *t ) {
	dbvhi_big_1 p[3][3], m[3][3], axis[3][3];
	whole_scene( s, t, p, m, axis );
	return whole_box_meets( p, m, axis ) == 1;
}

static bool ellipsoid_exact( const dbvhi_solid *s, const dbvhi_posed_triangle *t ) {
	dbvhi_big_1 p[3][3], m[3][3];
	whole_scene( s, t, p, m, NULL );
	return whole_ellipsoid_meets( p, m ) == 1;
}

bool dbvhi_box_intersects_triangle( const dbvhi_solid *box, const dbvhi_posed_triangle *triangle,
                                    uint64_t *exact_tests ) {
	bounded p[3][3], m[3][3], axis[3][3];
	bounded_scene( box, triangle, p, m, axis );
	const int intersects = bounded_box_meets( p, m, axis );
	if ( intersects != DBVHI_NO_SIGN )
		return intersects == 1;
	*exact_tests += 1;
	return box_exact( box, triangle );
}

bool dbvhi_ellipsoid_intersects_triangle( const dbvhi_solid *ellipsoid, const dbvhi_posed_triangle *triangle,
                                          uint64_t *exact_tests ) {
	bounded p[3][3], m[3][3], axis[3][3];
	bounded_scene( ellipsoid, triangle, p, m, axis );
	const int intersects = bounded_ellipsoid_meets( p, m );
	if ( intersects != DBVHI_NO_SIGN )
		return intersects == 1;
	*exact_tests += 1;
	return ellipsoid_exact( ellipsoid, triangle );
}

static bool plane_exact( const double normal[3], double offset, bool is_half_space, const dbvhi_posed_triangle *t ) {
	units u = units_of( t );
	const int unit_normal = known( lowest( normal, 3, INT_MAX ) );
	// The offset is to be a whole number of the product's units.
	const int unit_offset = dbvhi_lowest_bit( offset );
	if ( unit_offset != INT_MAX && unit_offset - unit_normal < u.placed )
		u.placed = unit_offset - unit_normal;
	dbvhi_big_2 height[3], product, level;
	dbvhi_big_1 x, n;
	for ( int c = 0; c < 3; ++c ) {
		dbvhi_big_from_double( &level, offset, unit_normal + u.placed );
		dbvhi_big_copy( &height[c], &level );
		height[c].sign = -height[c].sign;
		for ( int k = 0; k < 3; ++k ) {
			placed( &x, t, c, k, u.rot, u.corner, u.placed );
			dbvhi_big_from_double( &n, normal[k], unit_normal );
			dbvhi_big_mul( &product, &x, &n );
			dbvhi_big_add( &height[c], &height[c], &product );
		}
	}
	return whole_plane_meets( height, is_half_space ) == 1;
}

bool dbvhi_plane_intersects_triangle( const double normal[3], double offset, bool is_half_space,
                                      const dbvhi_posed_triangle *triangle, uint64_t *exact_tests ) {
	bounded height[3], n[3], x[3];
	const bounded d = { offset, 0.0 };
	for ( int c = 0; c < 3; ++c ) {
		for ( int k = 0; k < 3; ++k ) {
			n[k] = ( bounded ){ normal[k], 0.0 };
			x[k] = ( bounded ){ triangle->image[3 * c + k], triangle->error };
		}
		bounded_dot( &height[c], n, x );
		bounded_sub( &height[c], &height[c], &d );
	}
	const int intersects = bounded_plane_meets( height, is_half_space );
	if ( intersects != DBVHI_NO_SIGN )
		return intersects == 1;
	*exact_tests += 1;
	return plane_exact( normal, offset, is_half_space, triangle );
}
