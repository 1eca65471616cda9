// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The two filters in doubles for eight pairs of triangles at a time: one for all of them, and one for those that it
// leaves unsure because their triangles lie nearly in one plane.

#include "query/collide/kernel.h"
#include "simd/kernel_name.h"
#include "simd/vec_d.h"

#define U 0x1p-53

// ------------------------------------------------------------------------------------------------
// First filter: that of exact/tri_tri.c, with the same signs, the same bounds and the same answers, but selections
// where that has branches, so that the compiler can keep a pair in each lane of its vectors. exact/tri_tri.c has the
// argument; the tests hold the two against each other.

static inline double select( int condition, double yes, double no ) {
	return condition ? yes : no;
}

static inline int above( double a, double b ) {
	return a > b;
}

static inline double larger_of( double a, double b ) {
	return a > b ? a : b;
}

static inline double magnitude_of( double a ) {
	return __builtin_fabs( a );
}

// One lane. a: the fixed corners; b: the moved ones, in place and rounded. Written out flat, since the compiler will
// not vectorise loops inside a loop.
static inline __attribute__( ( always_inline ) ) double decide( const double a[9], const double b[9], double error ) {
	const double ax = a[0], ay = a[1], az = a[2];
	const double e1x = a[3] - ax, e1y = a[4] - ay, e1z = a[5] - az;
	const double e2x = a[6] - ax, e2y = a[7] - ay, e2z = a[8] - az;
	const double bx = b[0], by = b[1], bz = b[2];
	const double f1x = b[3] - bx, f1y = b[4] - by, f1z = b[5] - bz;
	const double f2x = b[6] - bx, f2y = b[7] - by, f2z = b[8] - bz;
	const double d0x = bx - ax, d0y = by - ay, d0z = bz - az;
	const double d1x = b[3] - ax, d1y = b[4] - ay, d1z = b[5] - az;
	const double d2x = b[6] - ax, d2y = b[7] - ay, d2z = b[8] - az;

	double size = larger_of( magnitude_of( e1x ), larger_of( magnitude_of( e1y ), magnitude_of( e1z ) ) );
	size = larger_of( size, larger_of( magnitude_of( e2x ), larger_of( magnitude_of( e2y ), magnitude_of( e2z ) ) ) );
	size = larger_of( size, larger_of( magnitude_of( d0x ), larger_of( magnitude_of( d0y ), magnitude_of( d0z ) ) ) );
	size = larger_of( size, larger_of( magnitude_of( d1x ), larger_of( magnitude_of( d1y ), magnitude_of( d1z ) ) ) );
	size = larger_of( size, larger_of( magnitude_of( d2x ), larger_of( magnitude_of( d2y ), magnitude_of( d2z ) ) ) );
	size *= 2.0;
	const double bound = size * size * ( 40.0 * error + 64.0 * U * size );
	const int usable = above( size, 0x1p-300 ) & above( 0x1p300, size ) & above( size * 0x1p-20, error );

	const double nax = e1y * e2z - e1z * e2y, nay = e1z * e2x - e1x * e2z, naz = e1x * e2y - e1y * e2x;
	const double nbx = f1y * f2z - f1z * f2y, nby = f1z * f2x - f1x * f2z, nbz = f1x * f2y - f1y * f2x;
	const double sb0 = nax * d0x + nay * d0y + naz * d0z;
	const double sb1 = nax * d1x + nay * d1y + naz * d1z;
	const double sb2 = nax * d2x + nay * d2y + naz * d2z;
	const double sa0 = -( nbx * d0x + nby * d0y + nbz * d0z );
	const double sa1 = nbx * ( a[3] - bx ) + nby * ( a[4] - by ) + nbz * ( a[5] - bz );
	const double sa2 = nbx * ( a[6] - bx ) + nby * ( a[7] - by ) + nbz * ( a[8] - bz );

	const int b_over = above( sb0, bound ) & above( sb1, bound ) & above( sb2, bound );
	const int b_under = above( -bound, sb0 ) & above( -bound, sb1 ) & above( -bound, sb2 );
	const int a_over = above( sa0, bound ) & above( sa1, bound ) & above( sa2, bound );
	const int a_under = above( -bound, sa0 ) & above( -bound, sa1 ) & above( -bound, sa2 );
	const int certain = above( magnitude_of( sb0 ), bound ) & above( magnitude_of( sb1 ), bound ) &
	                    above( magnitude_of( sb2 ), bound ) & above( magnitude_of( sa0 ), bound ) &
	                    above( magnitude_of( sa1 ), bound ) & above( magnitude_of( sa2 ), bound );

	// The corner alone on its side: 0 if the others agree, else 1 or 2.
	const int a12 = ( sa1 > 0.0 ) == ( sa2 > 0.0 ), a02 = ( sa0 > 0.0 ) == ( sa2 > 0.0 );
	const int b12 = ( sb1 > 0.0 ) == ( sb2 > 0.0 ), b02 = ( sb0 > 0.0 ) == ( sb2 > 0.0 );
	const double a_side = select( a12, sa0, select( a02, sa1, sa2 ) );
	const double b_side = select( b12, sb0, select( b02, sb1, sb2 ) );

#define PICK( t, k, first, second ) select( first, t[k], select( second, t[3 + k], t[6 + k] ) )
#define PICK_NEXT( t, k, first, second ) select( first, t[3 + k], select( second, t[6 + k], t[k] ) )
#define PICK_LAST( t, k, first, second ) select( first, t[6 + k], select( second, t[k], t[3 + k] ) )
	const double p1x = PICK( a, 0, a12, a02 ), p1y = PICK( a, 1, a12, a02 ), p1z = PICK( a, 2, a12, a02 );
	const double q1x = PICK_NEXT( a, 0, a12, a02 ), q1y = PICK_NEXT( a, 1, a12, a02 ),
	             q1z = PICK_NEXT( a, 2, a12, a02 );
	const double r1x = PICK_LAST( a, 0, a12, a02 ), r1y = PICK_LAST( a, 1, a12, a02 ),
	             r1z = PICK_LAST( a, 2, a12, a02 );
	const double p2x = PICK( b, 0, b12, b02 ), p2y = PICK( b, 1, b12, b02 ), p2z = PICK( b, 2, b12, b02 );
	const double q2x = PICK_NEXT( b, 0, b12, b02 ), q2y = PICK_NEXT( b, 1, b12, b02 ),
	             q2z = PICK_NEXT( b, 2, b12, b02 );
	const double r2x = PICK_LAST( b, 0, b12, b02 ), r2y = PICK_LAST( b, 1, b12, b02 ),
	             r2z = PICK_LAST( b, 2, b12, b02 );
#undef PICK
#undef PICK_NEXT
#undef PICK_LAST
	// Each triangle turned so that the other's lone corner lies above it.
	const int keep2 = a_side > 0.0, keep1 = b_side > 0.0;
	const double Q1x = select( keep1, q1x, r1x ), Q1y = select( keep1, q1y, r1y ), Q1z = select( keep1, q1z, r1z );
	const double R1x = select( keep1, r1x, q1x ), R1y = select( keep1, r1y, q1y ), R1z = select( keep1, r1z, q1z );
	const double Q2x = select( keep2, q2x, r2x ), Q2y = select( keep2, q2y, r2y ), Q2z = select( keep2, q2z, r2z );
	const double R2x = select( keep2, r2x, q2x ), R2y = select( keep2, r2y, q2y ), R2z = select( keep2, r2z, q2z );

	// D( p1, q1, p2, q2 ) and D( p1, r1, r2, p2 ), as in exact/tri_tri.c.
	const double ux = p1x - Q2x, uy = p1y - Q2y, uz = p1z - Q2z;
	const double vx = Q1x - Q2x, vy = Q1y - Q2y, vz = Q1z - Q2z;
	const double wx = p2x - Q2x, wy = p2y - Q2y, wz = p2z - Q2z;
	const double first = ux * ( vy * wz - vz * wy ) + uy * ( vz * wx - vx * wz ) + uz * ( vx * wy - vy * wx );
	const double kx = p1x - p2x, ky = p1y - p2y, kz = p1z - p2z;
	const double lx = R1x - p2x, ly = R1y - p2y, lz = R1z - p2z;
	const double mx = R2x - p2x, my = R2y - p2y, mz = R2z - p2z;
	const double second = kx * ( ly * mz - lz * my ) + ky * ( lz * mx - lx * mz ) + kz * ( lx * my - ly * mx );

	const int apart_on_line = above( -bound, first ) | above( -bound, second );
	const int meet_on_line = above( first, bound ) & above( second, bound );
	const double unsure = DBVHI_BATCH_UNSURE, apart = DBVHI_BATCH_APART, meet = DBVHI_BATCH_MEET;
	double answer = select( apart_on_line, apart, select( meet_on_line, meet, unsure ) );
	answer = select( certain, answer, unsure );
	answer = select( a_over | a_under | b_over | b_under, apart, answer );
	return select( usable, answer, unsure );
}

dbvhi_triangle_kernel DBVHI_KERNEL_NAME( dbvhi_triangle_kernel );

void DBVHI_KERNEL_NAME( dbvhi_triangle_kernel )( dbvhi_triangle_batch *batch ) {
	for ( int lane = 0; lane < DBVHI_TRIANGLE_BATCH; ++lane ) {
		double a[9], b[9];
		for ( int k = 0; k < 9; ++k )
			a[k] = batch->fixed[k][lane];
		for ( int corner = 0; corner < 3; ++corner ) {
			const double x = batch->moved[3 * corner][lane], y = batch->moved[3 * corner + 1][lane];
			const double z = batch->moved[3 * corner + 2][lane];
			for ( int k = 0; k < 3; ++k )
				b[3 * corner + k] = batch->rot[k][0] * x + batch->rot[k][1] * y + batch->rot[k][2] * z + batch->pos[k];
		}
		batch->answer[lane] = decide( a, b, batch->error );
	}
}

// ------------------------------------------------------------------------------------------------
// Second filter, for pairs that the first leaves unsure. A pair a lane.
//
// Errors, u = 2^-53. A moved coordinate is exact where its row of the rotation is one of the axes and adding the
// position rounds nothing off, which the second half of the sum tells (Knuth's); elsewhere it is off by E. With s the
// largest difference of two coordinates, a difference is off by 2 E + u s, and an orientation, ux vy - uy vx, by less
// than s ( 9 E + 12 u s ), as in exact/tri_tri.c. It is exactly 0 where E = 0 and each product has a factor that is 0;
// and where all coordinates are multiples of a unit of 2^-25 s or so, differences and products are exact, and so is the
// orientation.

#define FOR_VECTORS for ( size_t i = 0; i < DBVHI_TRIANGLE_BATCH; i += WIDTH )

#define NUMBER vd
#define SEEN( name ) flat_##name

typedef struct flat_point {
	vd k[3];
} flat_point;

LANES_INLINE vd flat_choose( vm first, vm second, vd a, vd b, vd c ) {
	return choose( first, a, choose( second, b, c ) );
}

LANES_INLINE vd flat_difference( vd a, vd b ) {
	return a - b;
}

LANES_INLINE vd flat_det( vd ux, vd uy, vd vx, vd vy ) {
	return ux * vy - uy * vx;
}

LANES_INLINE vm flat_is_zero( vd ux, vd uy, vd vx, vd vy, vd ex, vd ey, vd x, vd y, vm exact, vm plain ) {
	const vd zero = set( 0.0 );
	(void)ex, (void)ey, (void)x, (void)y, (void)exact, (void)plain;
	return ( MASK( ux == zero ) | MASK( vy == zero ) ) & ( MASK( uy == zero ) | MASK( vx == zero ) );
}

LANES_INLINE vm flat_are_equal( vd a, vd b ) {
	return MASK( a == b );
}

#include "query/collide/seen.inl"

// The largest power of two that is not above x.
LANES_INLINE vd power_in( vd x ) {
	vm bits;
	memcpy( &bits, &x, sizeof bits );
	bits &= INT64_C( 0x7ff0000000000000 );
	memcpy( &x, &bits, sizeof x );
	return x;
}

// Is x no multiple of 2^-52 of a power of two? `grid` is one and a half times that power: adding it and taking it away
// again rounds x to such a multiple, as long as x is so small that the sum keeps its exponent.
LANES_INLINE vm off_grid( vd x, vd grid ) {
	return MASK( ( x + grid ) - grid != x ) | MASK( size_of( x ) > 0.25 * grid );
}

// The extent of both triangles in a coordinate.
LANES_INLINE vd span( const vd x[3], const vd y[3] ) {
	vd low = smaller( x[0], smaller( x[1], x[2] ) ), high = larger( x[0], larger( x[1], x[2] ) );
	low = smaller( low, smaller( y[0], smaller( y[1], y[2] ) ) );
	high = larger( high, larger( y[0], larger( y[1], y[2] ) ) );
	return high - low;
}

typedef struct flat_corners {
	flat_point a[3], b[3];
	vm known[3]; // a coordinate of the moved corners was not rounded
} flat_corners;

LANES_INLINE void place_flat( const dbvhi_triangle_batch *batch, size_t i, flat_corners *out ) {
	const vd zero = set( 0.0 );
	for ( int k = 0; k < 3; ++k ) {
		const double *row = batch->rot[k];
		vm rounded = MASK( set( dbvhi_is_axis( row ) ? 0.0 : 1.0 ) != zero );
		const vd offset = set( batch->pos[k] );
		for ( int corner = 0; corner < 3; ++corner ) {
			out->a[corner].k[k] = load( batch->fixed[3 * corner + k], i, 0 );
			const vd turned = row[0] * load( batch->moved[3 * corner], i, 0 ) +
			                  row[1] * load( batch->moved[3 * corner + 1], i, 0 ) +
			                  row[2] * load( batch->moved[3 * corner + 2], i, 0 );
			const vd sum = turned + offset, back = sum - turned;
			out->b[corner].k[k] = sum;
			rounded |= MASK( ( turned - ( sum - back ) ) + ( offset - back ) != zero );
		}
		out->known[k] = ~rounded;
	}
}

// Magnitudes of the normal of a triangle.
LANES_INLINE void normal_sizes( const flat_point a[3], vd out[3] ) {
	vd edge[2][3];
	for ( int k = 0; k < 3; ++k ) {
		edge[0][k] = a[1].k[k] - a[0].k[k];
		edge[1][k] = a[2].k[k] - a[0].k[k];
	}
	for ( int k = 0; k < 3; ++k ) {
		const int i = ( k + 1 ) % 3, j = ( k + 2 ) % 3;
		out[k] = size_of( edge[0][i] * edge[1][j] - edge[0][j] * edge[1][i] );
	}
}

dbvhi_triangle_kernel DBVHI_KERNEL_NAME( dbvhi_flat_kernel );

void DBVHI_KERNEL_NAME( dbvhi_flat_kernel )( dbvhi_triangle_batch *batch ) {
	const vd zero = set( 0.0 ), unsure = set( DBVHI_BATCH_UNSURE );
	FOR_VECTORS {
		flat_corners corners;
		flat_pair pair;
		vd normal[3];
		place_flat( batch, i, &corners );
		normal_sizes( corners.a, normal );
		flat_project( normal, corners.a, corners.b, corners.known, &pair );
		const flat_triangle *p = &pair.a, *q = &pair.b;
		const vd size = larger( span( p->x, q->x ), span( p->y, q->y ) );
		const vm usable = MASK( size > set( 0x1p-300 ) ) & MASK( size < set( 0x1p300 ) ) &
		                  MASK( set( batch->error ) < 0x1p-20 * size );
		const vm exact = flat_mask_x( &pair, corners.known ) & flat_mask_y( &pair, corners.known );
		// Coordinates that are multiples of 2^-25 of the power of two in the size have differences below 2^26 and
		// products below 2^52 such units: all is exact.
		const vd grid = 1.5 * 0x1p27 * power_in( size );
		vm coarse = exact;
		for ( int corner = 0; corner < 3; ++corner ) {
			coarse &= ~( off_grid( p->x[corner], grid ) | off_grid( p->y[corner], grid ) );
			coarse &= ~( off_grid( q->x[corner], grid ) | off_grid( q->y[corner], grid ) );
		}
		const vd error = choose( exact, zero, set( batch->error ) );
		const vd bound = choose( coarse, zero, size * ( 9.0 * error + 12.0 * U * size ) );
		const vd answer = choose( usable, flat_decide( &pair, pair.in_plane, bound, exact, exact ), unsure );
		// Keep the answers of the first filter.
		const vd before = load( batch->answer, i, 0 );
		const vd out = choose( MASK( before == unsure ), answer, before );
		memcpy( batch->answer + i, &out, sizeof out );
	}
}
