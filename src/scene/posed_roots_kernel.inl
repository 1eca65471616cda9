// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Compiled for every instruction set: see posed_roots.h. Formulas are those of boxes.c and math/pose.c.

#include "scene/posed_roots.h"
#include "simd/kernel_name.h"
#include "simd/vec_d.h"

#include <float.h>

#define FOR_VECTORS for ( size_t i = 0; i < DBVHI_ROOT_LANES; i += WIDTH )

LANES_INLINE vd get( const double *column, size_t i ) {
	return load( column, i, 0 );
}

LANES_INLINE void put( double *column, size_t i, vd x ) {
	memcpy( column + i, &x, sizeof x );
}

static void gather( const dbvh_pose *restrict poses, size_t count, dbvhi_posed_lanes *restrict p ) {
	for ( int i = 0; i < DBVHI_ROOT_LANES; ++i ) {
		const dbvh_pose *pose = &poses[(size_t)i < count ? i : 0];
		for ( int k = 0; k < 3; ++k ) {
			for ( int j = 0; j < 3; ++j )
				p->rot[k][j][i] = pose->rot[k][j];
			p->pos[k][i] = pose->pos[k];
		}
	}
}

LANES_INLINE vd dot( const vd a[3], const vd b[3] ) {
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// The sums of dbvh_pose_check() in math/pose.c, for lanes.
LANES_INLINE void check_lanes( const vd rot[3][3], const vd pos[3], size_t i, dbvhi_posed_lanes *p ) {
	vd checked = set( 0.0 ), largest = set( 0.0 );
	for ( int k = 0; k < 3; ++k ) {
		for ( int j = k; j < 3; ++j ) {
			const vd product =
			    rot[0][k] * rot[0][j] + rot[1][k] * rot[1][j] + rot[2][k] * rot[2][j] - set( j == k ? 1.0 : 0.0 );
			checked = j == k ? checked + product : checked;
			largest = larger( size_of( product ), largest );
		}
	}
	for ( int k = 0; k < 3; ++k )
		checked = checked + ( pos[k] - pos[k] );
	put( p->checked, i, checked );
	put( p->deviation, i, largest + set( 6.0 * 0x1p-52 ) );
	put( p->determinant, i,
	     rot[0][0] * ( rot[1][1] * rot[2][2] - rot[1][2] * rot[2][1] ) -
	         rot[0][1] * ( rot[1][0] * rot[2][2] - rot[1][2] * rot[2][0] ) +
	         rot[0][2] * ( rot[1][0] * rot[2][1] - rot[1][1] * rot[2][0] ) );
}

static void place( const dbvhi_root_lanes *restrict r, dbvhi_posed_lanes *restrict p ) {
	FOR_VECTORS {
		vd rot[3][3], pos[3], root[3][3], half[3], middle[3], sphere[3];
		for ( int k = 0; k < 3; ++k ) {
			for ( int j = 0; j < 3; ++j ) {
				rot[k][j] = get( p->rot[k][j], i );
				root[j][k] = get( r->rot[k][j], i ); // by columns
			}
			pos[k] = get( p->pos[k], i );
			half[k] = get( r->half[k], i );
			middle[k] = get( r->pos[k], i );
			sphere[k] = get( r->sphere[k], i );
		}
		check_lanes( rot, pos, i, p );
		const vd reach = get( r->reach, i );
		for ( int k = 0; k < 3; ++k ) {
			vd size[3];
			for ( int j = 0; j < 3; ++j ) {
				const vd along = dot( rot[k], root[j] );
				put( p->axis[j][k], i, along );
				size[j] = size_of( along );
			}
			const vd centre = pos[k] + dot( rot[k], middle ), ball = pos[k] + dot( rot[k], sphere );
			const vd wide = dot( size, half );
			put( p->centre[k], i, centre );
			put( p->ball[k], i, ball );
			put( p->lower[k], i, larger( centre - wide, ball - reach ) );
			put( p->upper[k], i, smaller( centre + wide, ball + reach ) );
		}
	}
}

static void grow( const dbvhi_root_lanes *restrict r, double per_length, double all, dbvhi_posed_lanes *restrict p ) {
	const vd most = set( DBL_MAX ), least = set( -DBL_MAX );
	FOR_VECTORS {
		const vd largest = get( r->largest, i );
		const vd offset =
		    size_of( get( p->pos[0], i ) ) + size_of( get( p->pos[1], i ) ) + size_of( get( p->pos[2], i ) );
		const vd radius = get( r->radius, i );
		const vd grown = set( per_length ) * ( largest + set( all ) + radius ) + set( 1.0 + 0x1p-40 ) * radius;
		const vd margin = grown + set( 0x1p-46 ) * ( set( 2.0 ) * largest + offset ) + set( 0x1p-1060 );
		put( p->margin, i, margin );
		for ( int k = 0; k < 3; ++k ) {
			const vd low = get( p->lower[k], i ) - margin, high = get( p->upper[k], i ) + margin;
			put( p->lower[k], i, choose( MASK( low >= least ), low, least ) );
			put( p->upper[k], i, choose( MASK( high <= most ), high, most ) );
		}
	}
}

static uint32_t near( const dbvhi_posed_lanes *of, int at, const dbvhi_posed_lanes *p ) {
	uint64_t lanes = 0;
	FOR_VECTORS {
		vm near = MASK( get( p->lower[0], i ) <= set( of->upper[0][at] ) );
		near &= MASK( set( of->lower[0][at] ) <= get( p->upper[0], i ) );
		for ( int k = 1; k < 3; ++k ) {
			near &= MASK( get( p->lower[k], i ) <= set( of->upper[k][at] ) );
			near &= MASK( set( of->lower[k][at] ) <= get( p->upper[k], i ) );
		}
		lanes |= bits_of( near ) << i;
	}
	return (uint32_t)lanes;
}

extern const dbvhi_posed_roots_kernels DBVHI_KERNEL_NAME( dbvhi_posed_roots );
const dbvhi_posed_roots_kernels DBVHI_KERNEL_NAME( dbvhi_posed_roots ) = { gather, place, grow, near };
