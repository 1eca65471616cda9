// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The predicates of tri_solid.h, written once for numbers of either kind. The including file defines
//     N(degree)       the type of a product of so many coordinates
//     F(name)         the name of a function or macro of this kind, on pointers to any of these types
//     F(add), F(sub), F(mul)     the result of mul() is none of its operands
//     F(dot), F(cross), F(difference)     of three numbers each
//     F(compare)      F(sign) of the difference
//     F(absolute)     of one, in place
//     F(sign)         -1, 0, 1 or, where it is not known, DBVHI_NO_SIGN
// and all functions here take P, the corners, and M, the half axes, in a unit that both share, seen from the centre.
// Answers are 1 (yes), 0 (no) or DBVHI_NO_SIGN.
//
// How long the integers get: an entry of P or M is less than 3,200 bits long, whatever the exponents. The longest
// product has ten of them, where it is asked on which side of an edge an ellipsoid's section lies. Stack is what they
// take most of, so questions that need many at a time are functions of their own.

// ------------------------------------------------------------------------------------------------
// Three values

static int F( both )( int a, int b ) {
	return a == 0 || b == 0 ? 0 : a == 1 && b == 1 ? 1 : DBVHI_NO_SIGN;
}

static int F( either )( int a, int b ) {
	return a == 1 || b == 1 ? 1 : a == 0 && b == 0 ? 0 : DBVHI_NO_SIGN;
}

// Is a sign one of -1, 0, 1, given as bits 1, 2, 4?
static int F( is )( int sign, int wanted ) {
	return sign == DBVHI_NO_SIGN ? DBVHI_NO_SIGN : wanted >> ( sign + 1 ) & 1;
}

// ------------------------------------------------------------------------------------------------
// A box: separating axes. Any axis that separates is proof; if none of these does they intersect, also where the box or
// the triangle is flat: a box that is a little larger on all sides is separated strictly by one of them, or intersects
// it.

// Is the box strictly on one side of the triangle along L?
static int F( apart_along )( const N( 2 ) l[3], const N( 1 ) p[3][3], const N( 1 ) m[3][3] ) {
	N( 3 ) reach, part, way;
	F( dot )( &reach, l, m[0] );
	F( absolute )( &reach );
	for ( int i = 1; i < 3; ++i ) {
		F( dot )( &part, l, m[i] );
		F( absolute )( &part );
		F( add )( &reach, &reach, &part );
	}
	int above = 1, below = 1;
	for ( int c = 0; c < 3; ++c ) {
		F( dot )( &way, l, p[c] );
		above = F( both )( above, F( is )( F( compare )( &way, &reach ), 4 ) );
		F( add )( &way, &way, &reach );
		below = F( both )( below, F( is )( F( sign )( &way ), 1 ) );
	}
	return F( either )( above, below );
}

static int F( box_meets )( const N( 1 ) p[3][3], const N( 1 ) m[3][3], const N( 1 ) axis[3][3] ) {
	N( 1 ) edge[3][3];
	N( 2 ) l[3];
	int apart = 0;
	for ( int i = 0; i < 3 && apart != 1; ++i ) {
		F( cross )( l, axis[( i + 1 ) % 3], axis[( i + 2 ) % 3] );
		apart = F( either )( apart, F( apart_along )( l, p, m ) );
	}
	for ( int c = 0; c < 3; ++c )
		F( difference )( edge[c], p[( c + 1 ) % 3], p[c] );
	if ( apart != 1 ) {
		F( cross )( l, edge[0], edge[1] );
		apart = F( either )( apart, F( apart_along )( l, p, m ) );
	}
	for ( int k = 0; k < 9 && apart != 1; ++k ) {
		F( cross )( l, edge[k / 3], axis[k % 3] );
		apart = F( either )( apart, F( apart_along )( l, p, m ) );
	}
	return apart == DBVHI_NO_SIGN ? DBVHI_NO_SIGN : 1 - apart;
}

// ------------------------------------------------------------------------------------------------
// An ellipsoid: the unit ball, seen through M. With q = adj(M) x, which is det(M) times the point of the ball's space,
//     a corner is inside      if |q|^2 <= det^2,
//     a line p + t d intersects it if |M^T (p x d)|^2 <= |adj(M) d|^2, and nearest the centre within the edge if q . qd
//     has
//                             different signs at its ends,
//     a plane n intersects it      if (n . p)^2 <= |M^T n|^2, in a section with the centre M M^T n (n . p) / |M^T n|^2.
// A triangle none of whose edges intersects it either holds that centre, or no part of the section.

// The section's centre, as seen from an edge, where n is the plane's normal, mn = M^T n, square = |mn|^2, height = n .
// p.
static LARGE int F( centre_inward )( const N( 1 ) p[3], const N( 1 ) next[3], const N( 1 ) m[3][3], const N( 2 ) n[3],
                                     const N( 3 ) mn[3], const N( 6 ) * square, const N( 3 ) * height ) {
	N( 3 ) inward[3];
	N( 10 ) here, there;
	{
		N( 1 ) edge[3];
		F( difference )( edge, next, p );
		F( cross )( inward, n, edge );
	}
	N( 4 ) part;
	N( 8 ) along, term;
	for ( int i = 0; i < 3; ++i ) {
		F( dot )( &part, m[i], inward );
		F( mul )( i == 0 ? &along : &term, &mn[i], &part );
		if ( i > 0 )
			F( add )( &along, &along, &term );
	}
	F( mul )( &here, height, &along );
	F( dot )( &part, inward, p );
	F( mul )( &there, &part, square );
	return F( compare )( &here, &there );
}

static LARGE int F( height_within )( const N( 3 ) * height, const N( 6 ) * square ) {
	N( 6 ) height_square;
	F( mul )( &height_square, height, height );
	return F( compare )( &height_square, square );
}

static LARGE int F( section_inside )( const N( 1 ) p[3][3], const N( 1 ) m[3][3] ) {
	N( 2 ) n[3];
	N( 3 ) mn[3], height;
	N( 6 ) square;
	{
		N( 1 ) edge[2][3];
		for ( int c = 0; c < 2; ++c )
			F( difference )( edge[c], p[c + 1], p[c] );
		F( cross )( n, edge[0], edge[1] );
	}
	for ( int i = 0; i < 3; ++i )
		F( dot )( &mn[i], m[i], n );
	F( dot )( &square, mn, mn );
	F( dot )( &height, n, p[0] );
	int intersects = F( is )( F( sign )( &square ), 4 ); // else there is no plane
	intersects = F( both )( intersects, F( is )( F( height_within )( &height, &square ), 3 ) );
	for ( int c = 0; c < 3 && intersects != 0; ++c )
		intersects = F( both )(
		    intersects, F( is )( F( centre_inward )( p[c], p[( c + 1 ) % 3], m, n, mn, &square, &height ), 6 ) );
	return intersects;
}

// The image q of a point.
static void F( image )( N( 3 ) out[3], const N( 2 ) adjugate[3][3], const N( 1 ) p[3] ) {
	for ( int i = 0; i < 3; ++i )
		F( dot )( &out[i], adjugate[i], p );
}

static LARGE int F( corner_inside )( const N( 2 ) adjugate[3][3], const N( 1 ) m[3][3], const N( 1 ) p[3] ) {
	N( 6 ) det_square, length;
	{
		N( 3 ) q[3], det;
		F( dot )( &det, adjugate[0], m[0] );
		F( mul )( &det_square, &det, &det );
		F( image )( q, adjugate, p );
		F( dot )( &length, q, q );
	}
	return F( is )( F( compare )( &length, &det_square ), 3 );
}

// The offset from the image of one end of an edge to that of the other; is the centre's foot on it?
static LARGE int F( foot_inside )( N( 3 ) way[3], const N( 2 ) adjugate[3][3], const N( 1 ) p[3],
                                   const N( 1 ) next[3] ) {
	N( 3 ) q[2][3];
	N( 6 ) height;
	F( image )( q[0], adjugate, p );
	F( image )( q[1], adjugate, next );
	F( difference )( way, q[1], q[0] );
	F( dot )( &height, q[0], way );
	const int near = F( sign )( &height );
	F( dot )( &height, q[1], way );
	return F( both )( F( is )( near, 1 ), F( is )( F( sign )( &height ), 4 ) );
}

// |M^T x|^2, where x = p x edge.
static LARGE void F( arm_square )( N( 6 ) * out, const N( 1 ) m[3][3], const N( 1 ) p[3], const N( 1 ) next[3] ) {
	N( 3 ) y[3];
	{
		N( 1 ) edge[3];
		N( 2 ) arm[3];
		F( difference )( edge, next, p );
		F( cross )( arm, p, edge );
		for ( int i = 0; i < 3; ++i )
			F( dot )( &y[i], m[i], arm );
	}
	F( dot )( out, y, y );
}

static LARGE int F( edge_meets )( const N( 2 ) adjugate[3][3], const N( 1 ) m[3][3], const N( 1 ) p[3],
                                  const N( 1 ) next[3] ) {
	N( 3 ) way[3];
	const int hit = F( foot_inside )( way, adjugate, p, next );
	if ( hit == 0 )
		return 0;
	N( 6 ) near, far;
	F( arm_square )( &near, m, p, next );
	F( dot )( &far, way, way );
	return F( both )( hit, F( is )( F( compare )( &near, &far ), 3 ) );
}

static LARGE int F( outline_meets )( const N( 1 ) p[3][3], const N( 1 ) m[3][3] ) {
	N( 2 ) adjugate[3][3];
	for ( int i = 0; i < 3; ++i )
		F( cross )( adjugate[i], m[( i + 1 ) % 3], m[( i + 2 ) % 3] );
	int intersects = 0;
	for ( int c = 0; c < 3 && intersects != 1; ++c )
		intersects = F( either )( intersects, F( corner_inside )( adjugate, m, p[c] ) );
	for ( int c = 0; c < 3 && intersects != 1; ++c )
		intersects = F( either )( intersects, F( edge_meets )( adjugate, m, p[c], p[( c + 1 ) % 3] ) );
	return intersects;
}

static int F( ellipsoid_meets )( const N( 1 ) p[3][3], const N( 1 ) m[3][3] ) {
	const int intersects = F( outline_meets )( p, m );
	return intersects == 1 ? 1 : F( either )( intersects, F( section_inside )( p, m ) );
}

// ------------------------------------------------------------------------------------------------
// A plane, or the half-space below it: heights above it, in `height`.

static int F( plane_meets )( const N( 2 ) height[3], bool is_half_space ) {
	int above = 1, below = 1;
	for ( int c = 0; c < 3; ++c ) {
		const int s = F( sign )( &height[c] );
		above = F( both )( above, F( is )( s, 4 ) );
		below = F( both )( below, F( is )( s, 1 ) );
	}
	const int apart = is_half_space ? above : F( either )( above, below );
	return apart == DBVHI_NO_SIGN ? DBVHI_NO_SIGN : 1 - apart;
}
