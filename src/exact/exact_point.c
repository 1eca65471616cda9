// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Every question is the sign of a polynomial in the infinitesimals of dbvhi_perturbed_point, whose coefficients are
// determinants of differences of points: the first that is not 0 decides. This is what Edelsbrunner and Muecke call
// simulation of simplicity, with infinitesimals that mean something: they are the directions that the caller asked
// about.
//
// Bounds, with E the error of the coordinates, S the largest computed |difference|, u = 2^-53: as in exact/tri_tri.c
// and exact/orient.c, a 2x2 determinant of differences is within S (9 E + 12 u S), a 3x3 one within S^2 (40 E + 64 u
// S). With one factor a dbvhi_vector, whose entries are at most 1 and off by 2^-51 = 4 u, the same sums give 2 (2E +
// uS) + 2 S 4u + 6 u S < 8 E + 16 u S for two rows, and 6 (2 S (2E + uS) + 4 u S^2) (1 + ...) + 42.1 u S^2 < 32 S E +
// 80 u S^2 for three.

#include "exact/exact_point.h"

#include "base/assert.h"
#include "base/inline.h"
#include "exact/number/big3.h"
#include "exact/tri_tri.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define U 0x1p-53

static const dbvhi_limb one_limb[1] = { 1 };

const dbvhi_vector dbvhi_unit_vector[3] = {
    { { 1, 0, 0 }, { 1, 0, 0 }, { 1, 0, 0 }, { one_limb, one_limb, one_limb } },
    { { 0, 1, 0 }, { 0, 1, 0 }, { 0, 1, 0 }, { one_limb, one_limb, one_limb } },
    { { 0, 0, 1 }, { 0, 0, 1 }, { 0, 0, 1 }, { one_limb, one_limb, one_limb } },
};

static bool is_comfortable( double size, double error ) {
	return size > 0x1p-300 && size < 0x1p300 && error < size * 0x1p-20;
}

// ------------------------------------------------------------------------------------------------
// Integers

// Places corners exactly, as integers over one common unit.
static void place_corners( const dbvhi_corner *corners, int count, const dbvh_pose *pose, dbvhi_point_1 *out ) {
	DBVHI_ASSERT( count > 0 && count <= 8 );
	int unit_rot = INT_MAX, unit_moved = INT_MAX, unit_other = INT_MAX;
	bool any_moved = false;
	for ( int i = 0; i < count; ++i ) {
		any_moved = any_moved || corners[i].moved;
		for ( int k = 0; k < 3; ++k ) {
			int *unit = corners[i].moved ? &unit_moved : &unit_other;
			*unit = dbvhi_lower( *unit, dbvhi_lowest_bit( corners[i].at[k] ) );
		}
	}
	if ( any_moved ) {
		for ( int i = 0; i < 3; ++i ) {
			unit_other = dbvhi_lower( unit_other, dbvhi_lowest_bit( pose->pos[i] ) );
			for ( int j = 0; j < 3; ++j )
				unit_rot = dbvhi_lower( unit_rot, dbvhi_lowest_bit( pose->rot[i][j] ) );
		}
		if ( unit_moved == INT_MAX )
			unit_moved = 0;
		unit_other = dbvhi_lower( unit_other, unit_rot + unit_moved );
	}
	const int unit = unit_other == INT_MAX ? 0 : unit_other;
	for ( int i = 0; i < count; ++i ) {
		if ( !corners[i].moved ) {
			for ( int k = 0; k < 3; ++k )
				dbvhi_big_from_double( &out[i][k], corners[i].at[k], unit );
			continue;
		}
		dbvhi_big_1 x[3], factor, product;
		// The coordinate carries the whole unit, so that its product with a matrix entry is over `unit`.
		for ( int j = 0; j < 3; ++j )
			dbvhi_big_from_double( &x[j], corners[i].at[j], unit - unit_rot );
		for ( int k = 0; k < 3; ++k ) {
			dbvhi_big_from_double( &out[i][k], pose->pos[k], unit );
			for ( int j = 0; j < 3; ++j ) {
				dbvhi_big_from_double( &factor, pose->rot[k][j], unit_rot );
				dbvhi_big_mul( &product, &factor, &x[j] );
				dbvhi_big_add( &out[i][k], &out[i][k], &product );
			}
		}
	}
}

// A coordinate of a vector; the longest are products of two normals.
static const dbvhi_big_4 *open_vector( const dbvhi_vector *vector, int k, dbvhi_big_4 *out ) {
	out->sign = vector->sign[k];
	out->length = vector->length[k];
	DBVHI_ASSERT( vector->length[k] <= DBVHI_DEGREE_LIMBS( 4 ) );
	memcpy( out->limb, vector->limb[k], vector->length[k] * sizeof( dbvhi_limb ) );
	return out;
}

// Takes the common powers of two out of a vector of integers and stores it.
static void close_vector( dbvhi_vector *vector, dbvhi_limb *const limb[3], dbvhi_any3 numbers ) {
	const dbvhi_any *x[3];
	for ( int k = 0; k < 3; ++k )
		x[k] = (const dbvhi_any *)( (const char *)numbers.first + (size_t)k * numbers.bytes );
	uint32_t shift = UINT32_MAX;
	for ( int k = 0; k < 3; ++k ) {
		const uint32_t zeros = x[k]->sign != 0 ? dbvhi_limbs_trailing_zeros( x[k]->limb ) : UINT32_MAX;
		shift = zeros < shift ? zeros : shift;
	}
	int exponent[3], highest = INT_MIN;
	double m[3];
	for ( int k = 0; k < 3; ++k ) {
		vector->limb[k] = limb[k];
		vector->sign[k] = x[k]->sign;
		vector->length[k] = dbvhi_limbs_shift_right( limb[k], x[k]->limb, x[k]->length, shift );
		m[k] = x[k]->sign * dbvhi_limbs_lead( limb[k], vector->length[k], &exponent[k] );
		if ( x[k]->sign != 0 && exponent[k] > highest )
			highest = exponent[k];
	}
	for ( int k = 0; k < 3; ++k )
		vector->near[k] = x[k]->sign != 0 ? ldexp( m[k], exponent[k] - highest ) : 0.0;
}

void dbvhi_vector_along( dbvhi_vector *vector, dbvhi_vector_limbs *limbs, const dbvhi_target *target, int from, int to,
                         const dbvh_pose *pose ) {
	DBVHI_ASSERT( (unsigned)from < 3 && (unsigned)to < 3 && from != to );
	const dbvhi_corner corners[2] = { { target->corners + 3 * from, target->moved },
	                                  { target->corners + 3 * to, target->moved } };
	dbvhi_point_1 p[2];
	place_corners( corners, 2, pose, p );
	dbvhi_big3_sub( p[1], p[1], p[0] );
	dbvhi_limb *const limb[3] = { limbs->limb[0], limbs->limb[1], limbs->limb[2] };
	close_vector( vector, limb, DBVHI_IN3( p[1] ) );
}

static void corners_of( const dbvhi_target *target, dbvhi_corner out[3] ) {
	for ( int i = 0; i < 3; ++i )
		out[i] = ( dbvhi_corner ){ target->corners + 3 * i, target->moved };
}

// The normal of a triangle whose corners are placed.
static __attribute__( ( noinline ) ) void normal_of( dbvhi_big_2 out[3], const dbvhi_point_1 *p ) {
	dbvhi_point_1 u, v;
	dbvhi_big3_sub( u, p[1], p[0] );
	dbvhi_big3_sub( v, p[2], p[0] );
	dbvhi_big3_cross( out, u, v );
}

void dbvhi_vector_across( dbvhi_vector *vector, dbvhi_wide_limbs *limbs, const dbvhi_target *a, const dbvhi_target *b,
                          const dbvh_pose *pose ) {
	dbvhi_corner corners[3];
	dbvhi_point_1 p[3];
	dbvhi_big_2 normal_a[3], normal_b[3];
	dbvhi_big_4 product[3];
	corners_of( a, corners );
	place_corners( corners, 3, pose, p );
	normal_of( normal_a, p );
	corners_of( b, corners );
	place_corners( corners, 3, pose, p );
	normal_of( normal_b, p );
	dbvhi_big3_cross( product, normal_a, normal_b );
	dbvhi_limb *const limb[3] = { limbs->limb[0], limbs->limb[1], limbs->limb[2] };
	close_vector( vector, limb, DBVHI_IN3( product ) );
}

// p x q along the axis before x.
static void minor_of( dbvhi_big_8 *out, int x, const dbvhi_vector *p, const dbvhi_vector *q ) {
	DBVHI_ASSERT( (unsigned)x < 3 );
	const int y = ( x + 1 ) % 3;
	dbvhi_big_4 px, py, qx, qy;
	dbvhi_big_det2( out, open_vector( p, x, &px ), open_vector( q, y, &qy ), open_vector( p, y, &py ),
	                open_vector( q, x, &qx ) );
}

// Are p and q equal or opposite, limb by limb? Parallel vectors of different lengths are not found here.
static bool share_limbs( const dbvhi_vector *p, const dbvhi_vector *q ) {
	bool same = true, opposite = true;
	for ( int k = 0; k < 3; ++k ) {
		if ( p->limb[k] != q->limb[k] || p->length[k] != q->length[k] )
			return false;
		same = same && p->sign[k] == q->sign[k];
		opposite = opposite && p->sign[k] == -q->sign[k];
	}
	return same || opposite;
}

int dbvhi_vector_det2( int axis, const dbvhi_vector *p, const dbvhi_vector *q ) {
	DBVHI_ASSERT( (unsigned)axis < 3 );
	const int x = ( axis + 1 ) % 3, y = ( axis + 2 ) % 3;
	const double det = p->near[x] * q->near[y] - p->near[y] * q->near[x];
	// Two products of numbers up to 1, each off by 2^-51: 4 * 2^-51 and the rounding.
	if ( fabs( det ) > 0x1p-48 )
		return dbvhi_sign_of( det );
	if ( ( p->sign[x] == 0 || q->sign[y] == 0 ) && ( p->sign[y] == 0 || q->sign[x] == 0 ) )
		return 0;
	dbvhi_big_8 value;
	minor_of( &value, x, p, q );
	return value.sign;
}

int dbvhi_vector_det3( const dbvhi_vector *p, const dbvhi_vector *q, const dbvhi_vector *r ) {
	const double *a = p->near, *b = q->near, *c = r->near;
	const double det = a[0] * ( b[1] * c[2] - b[2] * c[1] ) + a[1] * ( b[2] * c[0] - b[0] * c[2] ) +
	                   a[2] * ( b[0] * c[1] - b[1] * c[0] );
	// Six products of three numbers up to 1: 18 * 2^-51 and the rounding.
	if ( fabs( det ) > 0x1p-45 )
		return dbvhi_sign_of( det );
	// Vectors in the plane of two axes are common: drawings have right angles.
	for ( int k = 0; k < 3; ++k ) {
		if ( p->sign[k] == 0 && q->sign[k] == 0 && r->sign[k] == 0 )
			return 0;
	}
	if ( share_limbs( p, q ) || share_limbs( p, r ) || share_limbs( q, r ) )
		return 0;
	dbvhi_big_8 minor;
	dbvhi_big_4 w;
	dbvhi_big value, term;
	dbvhi_big_from_integer( &value, 0 );
	for ( int k = 0; k < 3; ++k ) {
		minor_of( &minor, ( k + 1 ) % 3, p, q );
		dbvhi_big_mul( &term, &minor, open_vector( r, k, &w ) );
		dbvhi_big_add( &value, &value, &term );
	}
	return value.sign;
}

bool dbvhi_vector_same_way( const dbvhi_vector *p, const dbvhi_vector *q ) {
	for ( int k = 0; k < 3; ++k ) {
		if ( p->sign[k] != q->sign[k] )
			return false;
	}
	for ( int axis = 0; axis < 3; ++axis ) {
		if ( dbvhi_vector_det2( axis, p, q ) != 0 )
			return false;
	}
	return true;
}

// ------------------------------------------------------------------------------------------------
// Places

void dbvhi_target_init( dbvhi_target *target, const double corners[9], const dbvh_pose *pose, bool moved,
                        double move_error ) {
	DBVHI_ASSERT( move_error >= 0.0 );
	DBVHI_ASSERT( corners != NULL );
	target->corners = corners;
	target->moved = moved;
	target->error = moved ? move_error : 0.0;
	if ( moved )
		dbvhi_triangle_move( pose, corners, target->image );
	else
		memcpy( target->image, corners, sizeof target->image );
}

void dbvhi_exact_point_at_corner( dbvhi_exact_point *point, dbvhi_corner corner, const dbvh_pose *pose,
                                  double move_error ) {
	DBVHI_ASSERT( corner.at != NULL && move_error >= 0.0 );
	point->from = corner;
	point->to = ( dbvhi_corner ){ NULL, false };
	point->error = corner.moved ? move_error : 0.0;
	for ( int k = 0; k < 3; ++k ) {
		point->at[k] = corner.at[k];
		if ( corner.moved )
			point->at[k] = pose->rot[k][0] * corner.at[0] + pose->rot[k][1] * corner.at[1] +
			               pose->rot[k][2] * corner.at[2] + pose->pos[k];
	}
}

// The rest of a point on an edge whose `num` and `den` are known.
static void finish_on_edge( dbvhi_exact_point *point, const dbvhi_target *a, int edge ) {
	DBVHI_ASSERT( (unsigned)edge < 3 );
	DBVHI_ASSERT( point->den.sign != 0 );
	const int p = edge, q = ( edge + 1 ) % 3;
	point->from = ( dbvhi_corner ){ a->corners + 3 * p, a->moved };
	point->to = ( dbvhi_corner ){ a->corners + 3 * q, a->moved };
	if ( point->den.sign < 0 ) {
		point->den.sign = 1;
		point->num.sign = -point->num.sign;
	}
	int e_num, e_den;
	const double num = dbvhi_big_lead( &point->num, &e_num ), den = dbvhi_big_lead( &point->den, &e_den );
	const double share = ldexp( num / den, e_num - e_den );
	double largest = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		const double from = a->image[3 * p + k], to = a->image[3 * q + k];
		// This form of the interpolation cannot overflow; the share is between 0 and 1.
		point->at[k] = from * ( 1.0 - share ) + to * share;
		largest = dbvhi_larger( largest, dbvhi_larger( fabs( from ), fabs( to ) ) );
	}
	// The share is off by a few u, each product and sum by one.
	point->error = a->error + 16.0 * U * largest + 0x1p-1060;
}

void dbvhi_exact_point_at_middle( dbvhi_exact_point *point, const dbvhi_target *target, int edge ) {
	DBVHI_ASSERT( (unsigned)edge < 3 );
	dbvhi_big_from_integer( &point->num, 1 );
	dbvhi_big_from_integer( &point->den, 2 );
	finish_on_edge( point, target, edge );
}

void dbvhi_exact_point_at_edges( dbvhi_exact_point *point, const dbvhi_target *a, int edge_a, const dbvhi_target *b,
                                 int edge_b, const dbvh_pose *pose ) {
	DBVHI_ASSERT( (unsigned)edge_a < 3 && (unsigned)edge_b < 3 );
	const int next_a = ( edge_a + 1 ) % 3, next_b = ( edge_b + 1 ) % 3;
	const dbvhi_corner corners[4] = { { a->corners + 3 * edge_a, a->moved },
	                                  { a->corners + 3 * next_a, a->moved },
	                                  { b->corners + 3 * edge_b, b->moved },
	                                  { b->corners + 3 * next_b, b->moved } };
	dbvhi_point_1 p[4];
	place_corners( corners, 4, pose, p );
	dbvhi_big3_sub( p[1], p[1], p[0] ); // along the edge of A
	dbvhi_big3_sub( p[3], p[3], p[2] ); // along that of B
	dbvhi_big3_sub( p[2], p[2], p[0] ); // from one to the other
	for ( int axis = 0; axis < 3; ++axis ) {
		const int x = ( axis + 1 ) % 3, y = ( axis + 2 ) % 3;
		dbvhi_big_det2( &point->den, &p[1][x], &p[3][y], &p[1][y], &p[3][x] );
		dbvhi_big_det2( &point->num, &p[2][x], &p[3][y], &p[2][y], &p[3][x] );
		if ( point->den.sign != 0 )
			break;
	}
	finish_on_edge( point, a, edge_a );
}

void dbvhi_exact_point_at_face( dbvhi_exact_point *point, const dbvhi_target *a, int edge_a, const dbvhi_target *b,
                                const dbvh_pose *pose ) {
	DBVHI_ASSERT( (unsigned)edge_a < 3 );
	const int next = ( edge_a + 1 ) % 3;
	dbvhi_corner corners[5] = { { a->corners + 3 * edge_a, a->moved }, { a->corners + 3 * next, a->moved } };
	corners_of( b, corners + 2 );
	dbvhi_point_1 p[5];
	dbvhi_big_2 normal[3];
	place_corners( corners, 5, pose, p );
	normal_of( normal, p + 2 );
	dbvhi_big3_sub( p[1], p[1], p[0] );
	dbvhi_big3_sub( p[2], p[2], p[0] );
	dbvhi_big3_dot( &point->den, normal, p[1] );
	dbvhi_big3_dot( &point->num, normal, p[2] );
	finish_on_edge( point, a, edge_a );
}

// ------------------------------------------------------------------------------------------------
// Signs of a triangle and a point, or a direction

// Corners 0 to 2 are the triangle, 3 and 4 the point. Integers are made when first needed.
typedef struct seen {
	const dbvhi_exact_point *point;
	const dbvhi_target *target;
	const dbvh_pose *pose;
	double error; // largest rounding error of a coordinate of the point or the triangle
	bool ready;
	dbvhi_point_1 p[5];
} seen;

static void look( seen *s, const dbvhi_exact_point *point, const dbvhi_target *target, const dbvh_pose *pose ) {
	s->point = point;
	s->target = target;
	s->pose = pose;
	s->error = dbvhi_larger( point->error, target->error );
	s->ready = false;
}

static __attribute__( ( noinline ) ) void make_integers( seen *s ) {
	if ( s->ready )
		return;
	s->ready = true;
	dbvhi_corner corners[5];
	corners_of( s->target, corners );
	corners[3] = s->point->from;
	corners[4] = s->point->to;
	place_corners( corners, s->point->to.at != NULL ? 5 : 4, s->pose, s->p );
}

// The value of a linear function at the point, times its denominator, from the values at the two ends.
static __attribute__( ( noinline ) ) int blend( const dbvhi_exact_point *point, const dbvhi_big_3 *at_from,
                                                const dbvhi_big_3 *along ) {
	if ( point->to.at == NULL )
		return at_from->sign;
	dbvhi_big_6 start, way;
	dbvhi_big_mul( &start, &point->den, at_from );
	dbvhi_big_mul( &way, &point->num, along );
	dbvhi_big_add( &start, &start, &way );
	return start.sign;
}

// Values at the point's ends; `along` is left alone where it has one end.
static __attribute__( ( noinline ) ) void ends_of_det2( const seen *s, int axis, int a, int b, dbvhi_big_3 *at_from,
                                                        dbvhi_big_3 *along ) {
	DBVHI_ASSERT( (unsigned)axis < 3 );
	DBVHI_ASSERT( (unsigned)a < 3 && (unsigned)b < 3 && a != b );
	const int x = ( axis + 1 ) % 3, y = ( axis + 2 ) % 3;
	dbvhi_point_1 u, v;
	dbvhi_big3_sub( u, s->p[b], s->p[a] );
	dbvhi_big3_sub( v, s->p[3], s->p[a] );
	dbvhi_big_det2( at_from, &u[x], &v[y], &u[y], &v[x] );
	if ( s->point->to.at == NULL )
		return;
	dbvhi_big3_sub( v, s->p[4], s->p[3] );
	dbvhi_big_det2( along, &u[x], &v[y], &u[y], &v[x] );
}

static __attribute__( ( noinline ) ) void ends_of_det3( const seen *s, dbvhi_big_3 *at_from, dbvhi_big_3 *along ) {
	dbvhi_big_2 normal[3];
	dbvhi_point_1 difference;
	normal_of( normal, s->p );
	dbvhi_big3_sub( difference, s->p[3], s->p[0] );
	dbvhi_big3_dot( at_from, normal, difference );
	if ( s->point->to.at == NULL )
		return;
	dbvhi_big3_sub( difference, s->p[4], s->p[3] );
	dbvhi_big3_dot( along, normal, difference );
}

static __attribute__( ( noinline ) ) int spot_exact_orient2d( const seen *s, int axis, int a, int b ) {
	DBVHI_ASSERT( (unsigned)axis < 3 );
	DBVHI_ASSERT( (unsigned)a < 3 && (unsigned)b < 3 && a != b );
	dbvhi_big_3 at_from, along;
	ends_of_det2( s, axis, a, b, &at_from, &along );
	return blend( s->point, &at_from, &along );
}

static __attribute__( ( noinline ) ) int spot_exact_orient3d( const seen *s ) {
	dbvhi_big_3 at_from, along;
	ends_of_det3( s, &at_from, &along );
	return blend( s->point, &at_from, &along );
}

// det2 [b - a, point - a] of corners a and b, with coordinate `axis` left out.
static int spot_orient2d( seen *s, int axis, int a, int b ) {
	DBVHI_ASSERT( (unsigned)axis < 3 );
	DBVHI_ASSERT( (unsigned)a < 3 && (unsigned)b < 3 && a != b );
	const int x = ( axis + 1 ) % 3, y = ( axis + 2 ) % 3;
	const double *p = s->target->image + 3 * a, *q = s->target->image + 3 * b, *at = s->point->at;
	const double ux = q[x] - p[x], uy = q[y] - p[y], vx = at[x] - p[x], vy = at[y] - p[y];
	const double size = dbvhi_larger( dbvhi_larger( fabs( ux ), fabs( uy ) ), dbvhi_larger( fabs( vx ), fabs( vy ) ) );
	if ( is_comfortable( size, s->error ) ) {
		const double det = ux * vy - uy * vx;
		if ( fabs( det ) > size * ( 9.0 * s->error + 12.0 * U * size ) )
			return dbvhi_sign_of( det );
	}
	make_integers( s );
	return spot_exact_orient2d( s, axis, a, b );
}

// det3 [b - a, c - a, point - a].
static int spot_orient3d( seen *s ) {
	const double *p = s->target->image, *at = s->point->at;
	double u[3], v[3], w[3], size = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		u[k] = p[3 + k] - p[k];
		v[k] = p[6 + k] - p[k];
		w[k] = at[k] - p[k];
		size = dbvhi_larger( size, dbvhi_larger( dbvhi_larger( fabs( u[k] ), fabs( v[k] ) ), fabs( w[k] ) ) );
	}
	if ( is_comfortable( size, s->error ) ) {
		const double det = u[0] * ( v[1] * w[2] - v[2] * w[1] ) + u[1] * ( v[2] * w[0] - v[0] * w[2] ) +
		                   u[2] * ( v[0] * w[1] - v[1] * w[0] );
		if ( fabs( det ) > size * size * ( 40.0 * s->error + 64.0 * U * size ) )
			return dbvhi_sign_of( det );
	}
	make_integers( s );
	return spot_exact_orient3d( s );
}

// det2 [b - a, vector].
static int vector_orient2d( seen *s, int axis, int a, int b, const dbvhi_vector *vector ) {
	DBVHI_ASSERT( (unsigned)axis < 3 );
	DBVHI_ASSERT( (unsigned)a < 3 && (unsigned)b < 3 && a != b );
	const int x = ( axis + 1 ) % 3, y = ( axis + 2 ) % 3;
	const double *p = s->target->image + 3 * a, *q = s->target->image + 3 * b;
	const double ux = q[x] - p[x], uy = q[y] - p[y], size = dbvhi_larger( fabs( ux ), fabs( uy ) );
	if ( is_comfortable( size, s->target->error ) ) {
		const double det = ux * vector->near[y] - uy * vector->near[x];
		if ( fabs( det ) > 8.0 * s->target->error + 16.0 * U * size )
			return dbvhi_sign_of( det );
	}
	make_integers( s );
	dbvhi_point_1 u;
	dbvhi_big_4 vx, vy;
	dbvhi_big_6 value;
	dbvhi_big3_sub( u, s->p[b], s->p[a] );
	dbvhi_big_det2( &value, &u[x], open_vector( vector, y, &vy ), &u[y], open_vector( vector, x, &vx ) );
	return value.sign;
}

// One coordinate after the other: three at once, opened, are more than the stack should hold.
static __attribute__( ( noinline ) ) int sign_along( const dbvhi_big_2 normal[3], const dbvhi_vector *vector ) {
	dbvhi_big_4 opened;
	dbvhi_big_6 value, term;
	dbvhi_big_mul( &value, &normal[0], open_vector( vector, 0, &opened ) );
	for ( int k = 1; k < 3; ++k ) {
		dbvhi_big_mul( &term, &normal[k], open_vector( vector, k, &opened ) );
		dbvhi_big_add( &value, &value, &term );
	}
	return value.sign;
}

static __attribute__( ( noinline ) ) int vector_exact_orient3d( const seen *s, const dbvhi_vector *vector ) {
	dbvhi_big_2 normal[3];
	normal_of( normal, s->p );
	return sign_along( normal, vector );
}

// det3 [b - a, c - a, vector].
static int vector_orient3d( seen *s, const dbvhi_vector *vector ) {
	const double *p = s->target->image, *w = vector->near;
	double u[3], v[3], size = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		u[k] = p[3 + k] - p[k];
		v[k] = p[6 + k] - p[k];
		size = dbvhi_larger( size, dbvhi_larger( fabs( u[k] ), fabs( v[k] ) ) );
	}
	if ( is_comfortable( size, s->target->error ) ) {
		const double det = u[0] * ( v[1] * w[2] - v[2] * w[1] ) + u[1] * ( v[2] * w[0] - v[0] * w[2] ) +
		                   u[2] * ( v[0] * w[1] - v[1] * w[0] );
		if ( fabs( det ) > size * ( 32.0 * s->target->error + 80.0 * U * size ) )
			return dbvhi_sign_of( det );
	}
	make_integers( s );
	return vector_exact_orient3d( s, vector );
}

// det2 [b - a, c - a].
static int triangle_orient2d( seen *s, int axis ) {
	DBVHI_ASSERT( (unsigned)axis < 3 );
	const int x = ( axis + 1 ) % 3, y = ( axis + 2 ) % 3;
	const double *p = s->target->image;
	const double ux = p[3 + x] - p[x], uy = p[3 + y] - p[y], vx = p[6 + x] - p[x], vy = p[6 + y] - p[y];
	const double size = dbvhi_larger( dbvhi_larger( fabs( ux ), fabs( uy ) ), dbvhi_larger( fabs( vx ), fabs( vy ) ) );
	if ( is_comfortable( size, s->target->error ) ) {
		const double det = ux * vy - uy * vx;
		if ( fabs( det ) > size * ( 9.0 * s->target->error + 12.0 * U * size ) )
			return dbvhi_sign_of( det );
	}
	make_integers( s );
	dbvhi_point_1 u, v;
	dbvhi_big_2 value;
	dbvhi_big3_sub( u, s->p[1], s->p[0] );
	dbvhi_big3_sub( v, s->p[2], s->p[0] );
	dbvhi_big_det2( &value, &u[x], &v[y], &u[y], &v[x] );
	return value.sign;
}

dbvhi_tri_feature dbvhi_exact_point_on_triangle( const dbvhi_exact_point *point, const dbvhi_target *target,
                                                 const dbvh_pose *pose ) {
	const double error = dbvhi_larger( point->error, target->error );
	for ( int k = 0; k < 3; ++k ) {
		const double *p = target->image + k;
		const double low = fmin( fmin( p[0], p[3] ), p[6] ), high = dbvhi_larger( dbvhi_larger( p[0], p[3] ), p[6] );
		if ( point->at[k] < low - 2.5 * error || point->at[k] > high + 2.5 * error )
			return DBVHI_NOWHERE;
	}
	// Coordinates without rounding errors are compared directly: meshes often intersect in corners.
	for ( int i = 0; i < 3 && error == 0.0; ++i ) {
		const double *p = target->image + 3 * i;
		if ( p[0] == point->at[0] && p[1] == point->at[1] && p[2] == point->at[2] )
			return i;
	}
	seen s;
	look( &s, point, target, pose );
	if ( spot_orient3d( &s ) != 0 )
		return DBVHI_NOWHERE;
	int axis = 0, turn = 0;
	while ( axis < 3 && ( turn = triangle_orient2d( &s, axis ) ) == 0 )
		axis += 1;
	if ( axis == 3 )
		return DBVHI_NOWHERE;
	int side[3], zeros = 0;
	for ( int i = 0; i < 3; ++i ) {
		side[i] = turn * spot_orient2d( &s, axis, i, ( i + 1 ) % 3 );
		if ( side[i] < 0 )
			return DBVHI_NOWHERE;
		zeros += side[i] == 0;
	}
	if ( zeros == 0 )
		return DBVHI_FACE;
	for ( int i = 0; i < 3; ++i ) {
		// The corner between edges i and i + 1 is i + 1.
		if ( zeros == 2 && side[i] == 0 && side[( i + 1 ) % 3] == 0 )
			return ( i + 1 ) % 3;
		if ( zeros == 1 && side[i] == 0 )
			return 3 + i;
	}
	return DBVHI_NOWHERE;
}

// ------------------------------------------------------------------------------------------------
// Rays

// The side of the line from corner a to corner b, as seen along the axis, on which the perturbed point is.
static int side_of_edge( seen *s, const dbvhi_perturbed_point *perturbed, int axis, int a, int b ) {
	DBVHI_ASSERT( (unsigned)axis < 3 );
	DBVHI_ASSERT( (unsigned)a < 3 && (unsigned)b < 3 && a != b );
	for ( int j = 0; j < 3; ++j ) {
		const int seen_along = ( axis + j ) % 3;
		int sign = spot_orient2d( s, seen_along, a, b );
		for ( int i = 0; i < perturbed->level_count && sign == 0; ++i )
			sign = perturbed->sign[i] * vector_orient2d( s, seen_along, a, b, perturbed->level[i] );
		for ( int i = 0; i < 3 && sign == 0; ++i )
			sign = vector_orient2d( s, seen_along, a, b, &dbvhi_unit_vector[i] );
		if ( sign != 0 )
			return sign;
	}
	return 0;
}

int dbvhi_perturbed_point_crosses( const dbvhi_perturbed_point *perturbed, int axis, const dbvhi_target *target,
                                   const dbvh_pose *pose ) {
	DBVHI_ASSERT( (unsigned)axis < 3 );
	DBVHI_ASSERT( perturbed->level_count >= 0 && perturbed->level_count <= 3 );
	seen s;
	look( &s, perturbed->point, target, pose );
	const int first = side_of_edge( &s, perturbed, axis, 0, 1 );
	if ( first == 0 || side_of_edge( &s, perturbed, axis, 1, 2 ) != first ||
	     side_of_edge( &s, perturbed, axis, 2, 0 ) != first )
		return 0;
	int turn = 0;
	for ( int j = 0; j < 3 && turn == 0; ++j )
		turn = triangle_orient2d( &s, ( axis + j ) % 3 );
	if ( turn != first )
		return 0;
	int above = spot_orient3d( &s );
	for ( int i = 0; i < perturbed->level_count && above == 0; ++i )
		above = perturbed->sign[i] * vector_orient3d( &s, perturbed->level[i] );
	for ( int i = 0; i < 3 && above == 0; ++i )
		above = vector_orient3d( &s, &dbvhi_unit_vector[i] );
	return above == -turn ? turn : 0;
}

// The sign of det [axis, v, perturbed point].
static int side_of_vector( const dbvhi_perturbed_point *perturbed, int axis, const dbvhi_vector *v ) {
	DBVHI_ASSERT( (unsigned)axis < 3 );
	for ( int j = 0; j < 3; ++j ) {
		for ( int i = 0; i < perturbed->level_count; ++i ) {
			const int sign = perturbed->sign[i] * dbvhi_vector_det2( ( axis + j ) % 3, v, perturbed->level[i] );
			if ( sign != 0 )
				return sign;
		}
	}
	return 0;
}

int dbvhi_perturbed_point_crosses_wedge( const dbvhi_perturbed_point *perturbed, int axis, const dbvhi_vector *p,
                                         const dbvhi_vector *q ) {
	DBVHI_ASSERT( (unsigned)axis < 3 );
	DBVHI_ASSERT( perturbed->level_count == 3 );
	int turn = 0;
	for ( int j = 0; j < 3 && turn == 0; ++j )
		turn = dbvhi_vector_det2( ( axis + j ) % 3, p, q );
	if ( turn == 0 || side_of_vector( perturbed, axis, p ) != turn || side_of_vector( perturbed, axis, q ) != -turn )
		return 0;
	int above = 0;
	for ( int i = 0; i < perturbed->level_count && above == 0; ++i )
		above = perturbed->sign[i] * dbvhi_vector_det3( p, q, perturbed->level[i] );
	return above == -turn ? turn : 0;
}
