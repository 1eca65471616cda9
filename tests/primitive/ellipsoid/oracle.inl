// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The 27 regions in one kind of number: define REAL and NAME( x ) first.

typedef struct NAME( vec ) {
	REAL v[3];
} NAME( vec );

static REAL NAME( dot )( NAME( vec ) a, NAME( vec ) b ) {
	return a.v[0] * b.v[0] + a.v[1] * b.v[1] + a.v[2] * b.v[2];
}

static REAL NAME( determinant )( NAME( vec ) a, NAME( vec ) b, NAME( vec ) c ) {
	return a.v[0] * ( b.v[1] * c.v[2] - b.v[2] * c.v[1] ) - a.v[1] * ( b.v[0] * c.v[2] - b.v[2] * c.v[0] ) +
	       a.v[2] * ( b.v[0] * c.v[1] - b.v[1] * c.v[0] );
}

// The ball's space: centre and edges of the box there.
typedef struct NAME( skew ) {
	NAME( vec ) centre, edge[3];
} NAME( skew );

static NAME( skew ) NAME( skew_of )( const dbvh_ellipsoid *e, const dbvh_obb *b ) {
	NAME( skew ) s;
	for ( int k = 0; k < 3; ++k ) {
		REAL sum = 0;
		for ( int c = 0; c < 3; ++c )
			sum += ( (REAL)b->centre[c] - (REAL)e->centre[c] ) * (REAL)e->axis[k][c];
		s.centre.v[k] = sum / (REAL)e->half[k];
		for ( int i = 0; i < 3; ++i ) {
			REAL along = 0;
			for ( int c = 0; c < 3; ++c )
				along += (REAL)b->axis[i][c] * (REAL)e->axis[k][c];
			s.edge[i].v[k] = along * (REAL)b->half[i] / (REAL)e->half[k];
		}
	}
	return s;
}

static NAME( vec ) NAME( point )( const NAME( skew ) * s, const REAL t[3] ) {
	NAME( vec ) x = s->centre;
	for ( int k = 0; k < 3; ++k ) {
		for ( int i = 0; i < 3; ++i )
			x.v[k] += t[i] * s->edge[i].v[k];
	}
	return x;
}

// The least point of one region: t[i] is fixed at sign[i], or free where that is 0. False where it is not in the cube.
static int NAME( region )( const NAME( skew ) * s, const int sign[3], REAL t[3] ) {
	int open[3], n = 0;
	for ( int i = 0; i < 3; ++i ) {
		t[i] = (REAL)sign[i];
		if ( sign[i] == 0 )
			open[n++] = i;
	}
	const NAME( vec ) x = NAME( point )( s, t );
	if ( n == 1 ) {
		const NAME( vec ) g = s->edge[open[0]];
		t[open[0]] = -NAME( dot )( x, g ) / NAME( dot )( g, g );
	} else if ( n == 2 ) {
		const NAME( vec ) g = s->edge[open[0]], h = s->edge[open[1]];
		const REAL gg = NAME( dot )( g, g ), gh = NAME( dot )( g, h ), hh = NAME( dot )( h, h );
		const REAL xg = NAME( dot )( x, g ), xh = NAME( dot )( x, h ), d = gg * hh - gh * gh;
		if ( !( d > 0 ) )
			return 0; // then an edge is as near
		t[open[0]] = ( xh * gh - xg * hh ) / d;
		t[open[1]] = ( xg * gh - xh * gg ) / d;
	} else if ( n == 3 ) {
		const NAME( vec ) a = s->edge[0], b = s->edge[1], c = s->edge[2];
		const REAL d = NAME( determinant )( a, b, c );
		if ( d == 0 )
			return 0;
		t[0] = -NAME( determinant )( x, b, c ) / d;
		t[1] = -NAME( determinant )( a, x, c ) / d;
		t[2] = -NAME( determinant )( a, b, x ) / d;
	}
	for ( int i = 0; i < 3; ++i ) {
		if ( !( t[i] >= -1 && t[i] <= 1 ) )
			return 0;
	}
	return 1;
}

// The nearest point of the box to the origin, over all regions.
static NAME( vec ) NAME( nearest )( const NAME( skew ) * s ) {
	NAME( vec ) best = s->centre;
	REAL least = -1;
	for ( int code = 0; code < 27; ++code ) {
		const int sign[3] = { code % 3 - 1, code / 3 % 3 - 1, code / 9 - 1 };
		REAL t[3];
		if ( !NAME( region )( s, sign, t ) )
			continue;
		const NAME( vec ) x = NAME( point )( s, t );
		const REAL square = NAME( dot )( x, x );
		if ( least < 0 || square < least ) {
			least = square;
			best = x;
		}
	}
	return best;
}

// Prove that the nearest distance is above `reach` (1), or below or at it (-1); 0: `r` proves neither.
static int NAME( proof )( const NAME( skew ) * s, NAME( vec ) r, REAL reach ) {
	const REAL square = NAME( dot )( r, r );
	if ( square <= reach * reach )
		return -1;
	REAL support = NAME( dot )( r, s->centre );
	for ( int i = 0; i < 3; ++i ) {
		const REAL along = NAME( dot )( r, s->edge[i] );
		support -= along < 0 ? -along : along;
	}
	return support > 0 && support * support > reach * reach * square ? 1 : 0;
}
