// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The predicates of solid.h, written once for numbers of either kind. The including file defines
//     NUMBER          the type
//     F(name)         the name of a function of this kind
//     F(add), F(sub), F(mul)     of pointers; the result of mul() is none of its operands
//     F(absolute)     of one, in place
//     F(sign)         -1, 0, 1 or, where it is not known, DBVHI_NO_SIGN
// and all functions here take P, the corners, and M, the half axes, in a unit that both share, seen from the centre.
// Answers are 1 (yes), 0 (no) or DBVHI_NO_SIGN.
//
// How long the integers get: an entry of P or M is less than 3,200 bits long, whatever the exponents. The longest
// product has ten of them, where it is asked on which side of an edge an ellipsoid's section lies: less than 32,100
// bits.

static void F( cross )( NUMBER out[3], const NUMBER a[3], const NUMBER b[3] ) {
	NUMBER x, y;
	for ( int i = 0; i < 3; ++i ) {
		const int i1 = ( i + 1 ) % 3, i2 = ( i + 2 ) % 3;
		F( mul )( &x, &a[i1], &b[i2] );
		F( mul )( &y, &a[i2], &b[i1] );
		F( sub )( &out[i], &x, &y );
	}
}

static void F( dot )( NUMBER *out, const NUMBER a[3], const NUMBER b[3] ) {
	NUMBER x, y;
	F( mul )( &x, &a[0], &b[0] );
	F( mul )( &y, &a[1], &b[1] );
	F( add )( &x, &x, &y );
	F( mul )( &y, &a[2], &b[2] );
	F( add )( out, &x, &y );
}

static void F( difference )( NUMBER out[3], const NUMBER a[3], const NUMBER b[3] ) {
	for ( int k = 0; k < 3; ++k )
		F( sub )( &out[k], &a[k], &b[k] );
}

// |M^T x| squared.
static void F( image_square )( NUMBER *out, const NUMBER m[3][3], const NUMBER x[3] ) {
	NUMBER y[3];
	for ( int i = 0; i < 3; ++i )
		F( dot )( &y[i], m[i], x );
	F( dot )( out, y, y );
}

static int F( compare )( const NUMBER *a, const NUMBER *b ) {
	NUMBER d;
	F( sub )( &d, a, b );
	return F( sign )( &d );
}

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
// A box: separating axes. Any axis that separates is proof; if none of these does they meet, also where the box or the
// triangle is flat: a box that is a little larger on all sides is separated strictly by one of them, or meets it.

// Is the box strictly on one side of the triangle along L?
static int F( apart_along )( const NUMBER l[3], const NUMBER p[3][3], const NUMBER m[3][3] ) {
	NUMBER reach, part, way;
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

static int F( box_meets )( const NUMBER p[3][3], const NUMBER m[3][3], const NUMBER axis[3][3] ) {
	NUMBER edge[3][3], l[3];
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
//     a line p + t d meets it if |M^T (p x d)|^2 <= |adj(M) d|^2, and nearest the centre within the edge if q . qd has
//                             different signs at its ends,
//     a plane n meets it      if (n . p)^2 <= |M^T n|^2, in a section with the centre M M^T n (n . p) / |M^T n|^2.
// A triangle none of whose edges meets it either holds that centre, or no part of the section.

static int F( section_inside )( const NUMBER p[3][3], const NUMBER m[3][3], const NUMBER edge[3][3] ) {
	NUMBER n[3], mn[3], square, height, height_square;
	F( cross )( n, edge[0], edge[1] );
	for ( int i = 0; i < 3; ++i )
		F( dot )( &mn[i], m[i], n );
	F( dot )( &square, mn, mn );
	F( dot )( &height, n, p[0] );
	F( mul )( &height_square, &height, &height );
	int meets = F( is )( F( sign )( &square ), 4 ); // else there is no plane
	meets = F( both )( meets, F( is )( F( compare )( &height_square, &square ), 3 ) );
	for ( int c = 0; c < 3 && meets != 0; ++c ) {
		NUMBER inward[3], part[3], along, here, there;
		F( cross )( inward, n, edge[c] );
		for ( int i = 0; i < 3; ++i )
			F( dot )( &part[i], m[i], inward );
		F( dot )( &along, mn, part );
		F( mul )( &here, &height, &along );
		F( dot )( &along, inward, p[c] );
		F( mul )( &there, &along, &square );
		meets = F( both )( meets, F( is )( F( compare )( &here, &there ), 6 ) );
	}
	return meets;
}

static int F( ellipsoid_meets )( const NUMBER p[3][3], const NUMBER m[3][3] ) {
	NUMBER adjugate[3][3], det, det_square, q[3][3], edge[3][3], length;
	for ( int i = 0; i < 3; ++i )
		F( cross )( adjugate[i], m[( i + 1 ) % 3], m[( i + 2 ) % 3] );
	F( dot )( &det, adjugate[0], m[0] );
	F( mul )( &det_square, &det, &det );
	int meets = 0;
	for ( int c = 0; c < 3; ++c ) {
		for ( int i = 0; i < 3; ++i )
			F( dot )( &q[c][i], adjugate[i], p[c] );
		F( dot )( &length, q[c], q[c] );
		meets = F( either )( meets, F( is )( F( compare )( &length, &det_square ), 3 ) );
		if ( meets == 1 )
			return 1;
	}
	for ( int c = 0; c < 3; ++c ) {
		const int next = ( c + 1 ) % 3;
		NUMBER way[3], arm[3], near, far;
		F( difference )( edge[c], p[next], p[c] );
		F( difference )( way, q[next], q[c] );
		F( dot )( &near, q[c], way );
		F( dot )( &far, q[next], way );
		int hit = F( both )( F( is )( F( sign )( &near ), 1 ), F( is )( F( sign )( &far ), 4 ) );
		if ( hit == 0 )
			continue;
		F( cross )( arm, p[c], edge[c] );
		F( image_square )( &near, m, arm );
		F( dot )( &far, way, way );
		hit = F( both )( hit, F( is )( F( compare )( &near, &far ), 3 ) );
		meets = F( either )( meets, hit );
		if ( meets == 1 )
			return 1;
	}
	for ( int c = 0; c < 3; ++c )
		F( difference )( edge[c], p[( c + 1 ) % 3], p[c] );
	return F( either )( meets, F( section_inside )( p, m, edge ) );
}

// ------------------------------------------------------------------------------------------------
// A plane: heights above it, in `height`.

static int F( plane_meets )( const NUMBER height[3] ) {
	int above = 1, below = 1;
	for ( int c = 0; c < 3; ++c ) {
		const int s = F( sign )( &height[c] );
		above = F( both )( above, F( is )( s, 4 ) );
		below = F( both )( below, F( is )( s, 1 ) );
	}
	const int apart = F( either )( above, below );
	return apart == DBVHI_NO_SIGN ? DBVHI_NO_SIGN : 1 - apart;
}
