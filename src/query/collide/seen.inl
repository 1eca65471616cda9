// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Pairs of triangles that lie nearly in one plane, a pair a lane, over a number type: triangle_filter.inl includes this
// for doubles, fine_filter.inl for pairs of doubles. NUMBER is the type, SEEN( name ) its name for something; before,
// these are defined:
//     SEEN( point )        a structure with the three coordinates k[]
//     SEEN( choose )       one of three numbers by two masks
//     SEEN( difference )   of two coordinates
//     SEEN( det )          ux vy - uy vx, rounded, from four differences
//     SEEN( is_zero )      is that determinant certainly 0, for the edge that ends at (ex, ey) and the corner (x, y)?
//     SEEN( are_equal )    are two coordinates the same?
//
// Seen along the axis that the first triangle's normal is nearest to, two triangles are disjoint if and only if the
// line through an edge of one has the other strictly on its far side. If they are disjoint as seen, they are in space.
// If all six corners lie in one plane across that axis, which can be known for certain, they meet if they meet as seen.

// Corners of a triangle seen along the chosen axis.
typedef struct SEEN( triangle ) {
	NUMBER x[3], y[3];
} SEEN( triangle );

typedef struct SEEN( pair ) {
	SEEN( triangle ) a, b;
	vm first, second, third; // the axis
	vm in_plane;             // all six corners certainly lie in one plane across it
} SEEN( pair );

// The mask, of those of three coordinates, that belongs to x, to y and to the height over the plane.
LANES_INLINE vm SEEN( mask_x )( const SEEN( pair ) * p, const vm of[3] ) {
	return ( of[1] & p->first ) | ( of[2] & p->second ) | ( of[0] & p->third );
}

LANES_INLINE vm SEEN( mask_y )( const SEEN( pair ) * p, const vm of[3] ) {
	return ( of[2] & p->first ) | ( of[0] & p->second ) | ( of[1] & p->third );
}

LANES_INLINE vm SEEN( mask_height )( const SEEN( pair ) * p, const vm of[3] ) {
	return ( of[0] & p->first ) | ( of[1] & p->second ) | ( of[2] & p->third );
}

// `normal`: magnitudes of the first triangle's; `known`: that coordinate of the moved triangle is exact.
LANES_INLINE void SEEN( project )( const vd normal[3], const SEEN( point ) a[3], const SEEN( point ) b[3],
                                   const vm known[3], SEEN( pair ) * out ) {
	out->third = MASK( normal[2] > larger( normal[0], normal[1] ) );
	out->second = MASK( normal[1] > normal[0] ) & ~out->third;
	out->first = ~( out->second | out->third );
	NUMBER height_a[3], height_b[3];
	for ( int corner = 0; corner < 3; ++corner ) {
		const NUMBER *p = a[corner].k, *q = b[corner].k;
		out->a.x[corner] = SEEN( choose )( out->first, out->second, p[1], p[2], p[0] );
		out->a.y[corner] = SEEN( choose )( out->first, out->second, p[2], p[0], p[1] );
		height_a[corner] = SEEN( choose )( out->first, out->second, p[0], p[1], p[2] );
		out->b.x[corner] = SEEN( choose )( out->first, out->second, q[1], q[2], q[0] );
		out->b.y[corner] = SEEN( choose )( out->first, out->second, q[2], q[0], q[1] );
		height_b[corner] = SEEN( choose )( out->first, out->second, q[0], q[1], q[2] );
	}
	out->in_plane = SEEN( mask_height )( out, known );
	for ( int corner = 1; corner < 3; ++corner )
		out->in_plane &= SEEN( are_equal )( height_a[0], height_a[corner] );
	for ( int corner = 0; corner < 3; ++corner )
		out->in_plane &= SEEN( are_equal )( height_a[0], height_b[corner] );
}

// Look at the edges of t. *apart becomes the largest depth at which an edge certainly has all of `other` on its far
// side: above 0, the triangles are apart. *meet becomes the least height that `other` certainly reaches on the near
// side of an edge: at 0 or above, no edge of t separates them. `bound`: the error of a determinant; `exact` and
// `plain`: the coordinates are exact, and numbers of one double.
LANES_INLINE void SEEN( edges_of )( const SEEN( triangle ) * t, const SEEN( triangle ) * other, vd turn, vd bound,
                                    vm exact, vm plain, vd *apart, vd *meet ) {
	for ( int k = 0; k < 3; ++k ) {
		const int next = ( k + 1 ) % 3;
		const NUMBER ux = SEEN( difference )( t->x[next], t->x[k] ), uy = SEEN( difference )( t->y[next], t->y[k] );
		vd least[3], most[3];
		for ( int corner = 0; corner < 3; ++corner ) {
			const NUMBER x = other->x[corner], y = other->y[corner];
			const NUMBER vx = SEEN( difference )( x, t->x[k] ), vy = SEEN( difference )( y, t->y[k] );
			const vd side = turn * SEEN( det )( ux, uy, vx, vy );
			const vm nothing = exact & SEEN( is_zero )( ux, uy, vx, vy, t->x[next], t->y[next], x, y, exact, plain );
			least[corner] = choose( nothing, set( 0.0 ), side - bound );
			most[corner] = choose( nothing, set( 0.0 ), side + bound );
		}
		*apart = larger( *apart, -larger( most[0], larger( most[1], most[2] ) ) );
		*meet = smaller( *meet, larger( least[0], larger( least[1], least[2] ) ) );
	}
}

LANES_INLINE vd SEEN( orientation_of )( const SEEN( triangle ) * t ) {
	return SEEN( det )( SEEN( difference )( t->x[1], t->x[0] ), SEEN( difference )( t->y[1], t->y[0] ),
	                    SEEN( difference )( t->x[2], t->x[0] ), SEEN( difference )( t->y[2], t->y[0] ) );
}

// The answer of each lane; `in_plane`: all six corners certainly lie in one plane.
LANES_INLINE vd SEEN( decide )( const SEEN( pair ) * p, vm in_plane, vd bound, vm exact, vm plain ) {
	const vd zero = set( 0.0 ), one = set( 1.0 );
	const vd area_a = SEEN( orientation_of )( &p->a ), area_b = SEEN( orientation_of )( &p->b );
	const vm oriented = MASK( size_of( area_a ) > bound ) & MASK( size_of( area_b ) > bound );
	vd apart = set( -1.0 ), meet = one;
	SEEN( edges_of )( &p->a, &p->b, choose( MASK( area_a > zero ), one, -one ), bound, exact, plain, &apart, &meet );
	SEEN( edges_of )( &p->b, &p->a, choose( MASK( area_b > zero ), one, -one ), bound, exact, plain, &apart, &meet );
	return choose(
	    oriented & MASK( apart > zero ), set( DBVHI_BATCH_APART ),
	    choose( oriented & in_plane & MASK( meet >= zero ), set( DBVHI_BATCH_MEET ), set( DBVHI_BATCH_UNSURE ) ) );
}
