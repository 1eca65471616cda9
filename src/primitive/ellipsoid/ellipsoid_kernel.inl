// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The steps of src/primitive/ellipsoid/ellipsoid_descent.c on sixteen boxes at a time. A step that leaves no lane open
// ends a block.

#include "base/assert.h"
#include "primitive/ellipsoid/ellipsoid_kernel.h"
#include "simd/kernel_name.h"
#include "simd/vec_f.h"

enum { ELLIPSOID_SWEEPS = 3 };

typedef struct vf3 {
	vf v[3];
} vf3;

VECTOR_INLINE vf vf3_dot( const vf3 *a, const vf3 *b ) {
	return vf_fma( a->v[2], b->v[2], vf_fma( a->v[1], b->v[1], vf_mul( a->v[0], b->v[0] ) ) );
}

VECTOR_INLINE vf3 vf3_load( const float ( *p )[16] ) {
	return ( vf3 ){ { vf_load( p[0] ), vf_load( p[1] ), vf_load( p[2] ) } };
}

// Along the ellipsoid's axes.
VECTOR_INLINE vf3 along_axes( const dbvhi_ellipsoid_run *run, const vf3 *x ) {
	vf3 out;
	for ( int k = 0; k < 3; ++k )
		out.v[k] = vf_fma( vf_set( run->axes[k][2] ), x->v[2],
		                   vf_fma( vf_set( run->axes[k][1] ), x->v[1], vf_mul( vf_set( run->axes[k][0] ), x->v[0] ) ) );
	return out;
}

// Lanes that the plane across r proves apart. `edge` are the box's axes in the ball's space, x the place of r along
// them.
VECTOR_INLINE uint32_t plane_apart( const vf3 *r, vf square, const vf *edge_along, const vf *half, const vf *x,
                                    vf outer_square ) {
	(void)r;
	vf support = square;
	for ( int i = 0; i < 3; ++i )
		support = vf_sub( support, vf_fma( half[i], vf_abs( edge_along[i] ), vf_mul( x[i], edge_along[i] ) ) );
	return vf_greater( support, vf_set( 0.0f ) ) &
	       vf_greater( vf_mul( support, support ), vf_mul( outer_square, square ) );
}

VECTOR_INLINE void ellipsoid_block( const dbvhi_ellipsoid_run *run, const dbvhi_obb_block *block,
                                    uint16_t *intersect_out, uint16_t *open_out ) {
	const uint32_t all = 0xffff;
	vf3 offset, axis[3], nearest;
	vf half[3], x[3], beyond[3], far;
	for ( int k = 0; k < 3; ++k )
		offset.v[k] = vf_sub( vf_set( run->centre[k] ), vf_load( block->centre[k] ) );
	for ( int i = 0; i < 3; ++i ) {
		axis[i] = vf3_load( block->axes[i] );
		half[i] = vf_load( block->half[i] );
		const vf d = vf3_dot( &axis[i], &offset );
		x[i] = vf_max( vf_min( d, half[i] ), vf_sub( vf_set( 0.0f ), half[i] ) );
		beyond[i] = vf_sub( x[i], d );
		far = i == 0 ? vf_mul( beyond[i], beyond[i] ) : vf_fma( beyond[i], beyond[i], far );
	}
	uint32_t apart = vf_greater( far, vf_set( run->far_square ) );
	uint32_t meet = vf_greater( vf_set( run->near_square ), far );
	*intersect_out = (uint16_t)meet;
	*open_out = 0;
	if ( ( apart | meet ) == all )
		return;

	for ( int k = 0; k < 3; ++k )
		nearest.v[k] =
		    vf_fma( beyond[2], axis[2].v[k], vf_fma( beyond[1], axis[1].v[k], vf_mul( beyond[0], axis[0].v[k] ) ) );
	vf3 r = along_axes( run, &nearest );
	for ( int k = 0; k < 3; ++k )
		r.v[k] = vf_mul( r.v[k], vf_set( run->inverse[k] ) );
	const vf inner = vf_set( run->inner_square ), outer = vf_set( run->outer_square );
	vf square = vf3_dot( &r, &r );
	meet |= vf_greater( inner, square ) & ~apart;
	*intersect_out = (uint16_t)meet;
	if ( ( apart | meet ) == all )
		return;

	vf3 edge[3];
	vf along[3];
	for ( int i = 0; i < 3; ++i ) {
		const vf3 turn = along_axes( run, &axis[i] );
		vf rho;
		for ( int k = 0; k < 3; ++k ) {
			const vf n = vf_mul( turn.v[k], vf_set( run->half[k] ) );
			rho = k == 0 ? vf_mul( n, n ) : vf_fma( n, n, rho );
			edge[i].v[k] = vf_mul( turn.v[k], vf_set( run->inverse[k] ) );
		}
		apart |= vf_greater( vf_mul( beyond[i], beyond[i] ), vf_mul( outer, rho ) );
		along[i] = vf3_dot( &r, &edge[i] );
	}
	apart |= plane_apart( &r, square, along, half, x, outer );
	apart &= ~meet;
	if ( ( apart | meet ) == all )
		return;

	vf inverse[3];
	for ( int i = 0; i < 3; ++i )
		inverse[i] = vf_div( vf_set( 1.0f ), vf3_dot( &edge[i], &edge[i] ) );
	for ( int sweep = 0; sweep < ELLIPSOID_SWEEPS; ++sweep ) {
		for ( int i = 0; i < 3; ++i ) {
			vf next = vf_sub( x[i], vf_mul( vf3_dot( &r, &edge[i] ), inverse[i] ) );
			next = vf_max( vf_min( next, half[i] ), vf_sub( vf_set( 0.0f ), half[i] ) );
			const vf step = vf_sub( next, x[i] );
			for ( int k = 0; k < 3; ++k )
				r.v[k] = vf_fma( step, edge[i].v[k], r.v[k] );
			x[i] = next;
		}
		square = vf3_dot( &r, &r );
		for ( int i = 0; i < 3; ++i )
			along[i] = vf3_dot( &r, &edge[i] );
		meet |= vf_greater( inner, square ) & ~apart;
		apart |= plane_apart( &r, square, along, half, x, outer ) & ~meet;
		if ( ( apart | meet ) == all )
			break;
	}
	*intersect_out = (uint16_t)meet;
	*open_out = (uint16_t)( all & ~( apart | meet ) );
}

dbvhi_ellipsoid_kernel DBVHI_KERNEL_NAME( dbvhi_ellipsoid_kernel );

void DBVHI_KERNEL_NAME( dbvhi_ellipsoid_kernel )( const dbvhi_ellipsoid_run *run ) {
	for ( size_t i = 0; i < run->block_count; ++i )
		ellipsoid_block( run, &run->blocks[i], &run->meet[i], &run->open[i] );
}
