// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Predicates over one kind of numbers; see core.h and number.h. KIND is near, pair or exact. Signs are -1, 0, 1 or
// UNKNOWN, and no exact one is unknown.
//
// Features: the distance of two shapes is the least one of their parts, corner and edge and face, and that of two parts
// counts only where the feet of the perpendicular lie on them. Without that it is a lower bound. Shapes of zero length
// or area have no such feet, and are covered by their parts.

#define PASTE2( a, b ) a##b
#define PASTE( a, b ) PASTE2( a, b )
#define NAME( name ) PASTE( PASTE( name, _ ), KIND )
#define number PASTE( KIND, _number )
#define vector PASTE( KIND, _vector )
#define triangle_parts PASTE( KIND, _triangle_parts )
#define set PASTE( KIND, _set )
#define copy PASTE( KIND, _copy )
#define difference PASTE( KIND, _difference )
#define add PASTE( KIND, _add )
#define sub PASTE( KIND, _sub )
#define mul PASTE( KIND, _mul )
#define sign PASTE( KIND, _sign )
#define absolute PASTE( KIND, _abs )
#define positive PASTE( KIND, _positive )
#define value_of PASTE( KIND, _value )

typedef struct vector {
	number x[3];
} vector;

// ------------------------------------------------------------------------------------------------
// Vectors

STATIC void NAME( v_sub )( vector *out, const vector *a, const vector *b ) {
	for ( int k = 0; k < 3; ++k )
		sub( &out->x[k], &a->x[k], &b->x[k] );
}

STATIC void NAME( v_add )( vector *out, const vector *a, const vector *b ) {
	for ( int k = 0; k < 3; ++k )
		add( &out->x[k], &a->x[k], &b->x[k] );
}

STATIC void NAME( v_scale )( vector *out, const number *s, const vector *a ) {
	for ( int k = 0; k < 3; ++k )
		mul( &out->x[k], s, &a->x[k] );
}

STATIC void NAME( v_set )( vector *out, const double x[3] ) {
	for ( int k = 0; k < 3; ++k )
		set( &out->x[k], x[k] );
}

// a - b; b may be NULL
STATIC void NAME( v_difference )( vector *out, const double a[3], const double b[3] ) {
	for ( int k = 0; k < 3; ++k ) {
		if ( b != NULL )
			difference( &out->x[k], a[k], b[k] );
		else
			set( &out->x[k], a[k] );
	}
}

// out = a b - c d
STATIC void NAME( minor )( number *out, const number *a, const number *b, const number *c, const number *d ) {
	SCOPE
	number left, right;
	mul( &left, a, b );
	mul( &right, c, d );
	sub( out, &left, &right );
	KEEP( out )
}

STATIC void NAME( v_cross )( vector *out, const vector *a, const vector *b ) {
	for ( int k = 0; k < 3; ++k ) {
		const int k1 = ( k + 1 ) % 3, k2 = ( k + 2 ) % 3;
		NAME( minor )( &out->x[k], &a->x[k1], &b->x[k2], &a->x[k2], &b->x[k1] );
	}
}

HELPER void NAME( v_dot )( number *out, const vector *a, const vector *b ) {
	SCOPE
	number x, y, z;
	mul( &x, &a->x[0], &b->x[0] );
	mul( &y, &a->x[1], &b->x[1] );
	mul( &z, &a->x[2], &b->x[2] );
	add( &x, &x, &y );
	add( out, &x, &z );
	KEEP( out )
}

HELPER void NAME( sum_of )( number *out, const dbvhi_sum *sum ) {
	set( out, sum->term[0] );
	for ( int i = 1; i < sum->count; ++i ) {
		number term;
		set( &term, sum->term[i] );
		add( out, out, &term );
	}
}

// The start and the step of a path, from `begin` to `end`.
STATIC void NAME( path_of )( const dbvhi_path *path, vector *from, vector *step ) {
	NAME( v_difference )( from, path->from, path->less );
	NAME( v_difference )( step, path->ahead, path->behind );
	if ( path->begin != 0.0 ) {
		number begin;
		vector moved;
		set( &begin, path->begin );
		NAME( v_scale )( &moved, &begin, step );
		NAME( v_add )( from, from, &moved );
	}
	if ( path->begin != 0.0 || path->end != 1.0 ) {
		number share;
		difference( &share, path->end, path->begin );
		vector whole;
		for ( int k = 0; k < 3; ++k )
			copy( &whole.x[k], &step->x[k] );
		NAME( v_scale )( step, &share, &whole );
	}
}

// sign( w^2 - square )
HELPER int NAME( length_compared )( const vector *w, const number *square ) {
	SCOPE
	number q;
	NAME( v_dot )( &q, w, w );
	sub( &q, &q, square );
	return sign( &q );
}

// sign( h^2 - square n^2 ), which is that of |h| / |n| - sqrt( square ) unless n = 0
STATIC int NAME( ratio_compared )( const number *h, const number *nn, const number *square ) {
	SCOPE
	number q;
	NAME( minor )( &q, h, h, square, nn );
	return sign( &q );
}

// ------------------------------------------------------------------------------------------------
// Points and segments

// The point at w from the start of the segment d.
STATIC int NAME( point_segment )( const vector *w, const vector *d, const number *square ) {
	SCOPE
	number along, dd, rest, h;
	NAME( v_dot )( &along, w, d );
	const int after_start = sign( &along );
	if ( after_start <= 0 )
		return NAME( length_compared )( w, square );
	NAME( v_dot )( &dd, d, d );
	sub( &rest, &dd, &along );
	const int before_end = sign( &rest );
	vector v;
	if ( before_end <= 0 ) {
		NAME( v_sub )( &v, w, d );
		return NAME( length_compared )( &v, square );
	}
	// |w x d|^2 against square d^2
	number cc;
	NAME( v_cross )( &v, w, d );
	NAME( v_dot )( &cc, &v, &v );
	mul( &h, square, &dd );
	sub( &h, &cc, &h );
	const int line = sign( &h );
	if ( after_start == 1 && before_end == 1 )
		return line;
	if ( line == 1 && sign( &dd ) == 1 )
		return 1;
	NAME( v_sub )( &v, w, d );
	const int start = NAME( length_compared )( w, square ), end = NAME( length_compared )( &v, square );
	return start == -1 || end == -1 ? -1 : UNKNOWN;
}

// The sign for the common perpendicular of two lines, if both its feet lie on the segments, or it is too long in any
// case; else NO_FOOT. w: from the start of d to that of e.
STATIC int NAME( lines )( const vector *w, const vector *d, const vector *e, const number *square ) {
	SCOPE
	vector n, c;
	number nn, h, p, rest;
	NAME( v_cross )( &n, d, e );
	NAME( v_dot )( &nn, &n, &n );
	const int hit = sign( &nn );
	if ( hit == 0 )
		return NO_FOOT;
	NAME( v_dot )( &h, w, &n );
	const int line = NAME( ratio_compared )( &h, &nn, square );
	if ( hit == 1 && line == 1 )
		return 1;
	bool known = hit == 1;
	for ( int side = 0; side < 2; ++side ) {
		SCOPE
		NAME( v_cross )( &c, w, side == 0 ? e : d );
		NAME( v_dot )( &p, &c, &n );
		sub( &rest, &nn, &p );
		const int low = sign( &p ), high = sign( &rest );
		if ( low == -1 || high == -1 )
			return NO_FOOT;
		known = known && low != UNKNOWN && high != UNKNOWN;
	}
	return known ? line : UNKNOWN;
}

STATIC int NAME( segment_segment )( const vector *p, const vector *d, const vector *q, const vector *e,
                                    const number *square ) {
	SCOPE
	vector w, p_end, q_end, v;
	NAME( v_sub )( &w, q, p );
	const int line = NAME( lines )( &w, d, e, square );
	if ( line == 1 || line == 0 || line == -1 )
		return line;
	NAME( v_add )( &p_end, p, d );
	NAME( v_add )( &q_end, q, e );
	int least = NAME( point_segment )( &w, d, square );
	NAME( v_sub )( &v, &q_end, p );
	least = lesser( least, NAME( point_segment )( &v, d, square ) );
	NAME( v_sub )( &v, p, q );
	least = lesser( least, NAME( point_segment )( &v, e, square ) );
	NAME( v_sub )( &v, &p_end, q );
	least = lesser( least, NAME( point_segment )( &v, e, square ) );
	return least == -1 || line == NO_FOOT ? least : UNKNOWN;
}

// ------------------------------------------------------------------------------------------------
// Triangles

typedef struct triangle_parts {
	vector corner[3], edge[3], normal; // edge k from corner k to the next
	number nn;
} triangle_parts;

STATIC void NAME( parts_of )( triangle_parts *out, const dbvh_triangle *triangle ) {
	for ( int k = 0; k < 3; ++k ) {
		NAME( v_set )( &out->corner[k], triangle->corner[k] );
		NAME( v_difference )( &out->edge[k], triangle->corner[( k + 1 ) % 3], triangle->corner[k] );
	}
	NAME( v_cross )( &out->normal, &out->edge[0], &out->edge[1] );
	NAME( v_dot )( &out->nn, &out->normal, &out->normal );
}

// The counterpart of lines() for the face and a point, at w[k] from corner k.
STATIC int NAME( point_face )( const vector w[3], const triangle_parts *t, const number *square ) {
	SCOPE
	const int area = sign( &t->nn );
	if ( area == 0 )
		return NO_FOOT;
	number h;
	NAME( v_dot )( &h, &t->normal, &w[0] );
	const int plane = NAME( ratio_compared )( &h, &t->nn, square );
	if ( area == 1 && plane == 1 )
		return 1;
	bool known = area == 1;
	for ( int k = 0; k < 3; ++k ) {
		SCOPE
		vector c;
		number p;
		NAME( v_cross )( &c, &t->edge[k], &w[k] );
		NAME( v_dot )( &p, &c, &t->normal );
		const int inside = sign( &p );
		if ( inside == -1 )
			return NO_FOOT;
		known = known && inside != UNKNOWN;
	}
	return known ? plane : UNKNOWN;
}

STATIC int NAME( point_triangle )( const vector *point, const triangle_parts *t, const number *square ) {
	SCOPE
	vector w[3];
	for ( int k = 0; k < 3; ++k )
		NAME( v_sub )( &w[k], point, &t->corner[k] );
	const int face = NAME( point_face )( w, t, square );
	if ( face == 1 || face == 0 || face == -1 )
		return face;
	int least = 1;
	for ( int k = 0; k < 3 && least != -1; ++k )
		least = lesser( least, NAME( point_segment )( &w[k], &t->edge[k], square ) );
	return least == -1 || face == NO_FOOT ? least : UNKNOWN;
}

// Does the segment from p to p_end pass through the inside of the triangle, from one side of its plane to the other? Or
// does it certainly touch or pass through: 1 yes, 0 no, UNKNOWN. v[k]: from p to corner k.
STATIC int NAME( pierces )( const vector v[3], const vector *p_end, const vector *d, const triangle_parts *t ) {
	SCOPE
	vector w, c;
	number h;
	NAME( v_dot )( &h, &t->normal, &v[0] );
	const int start = sign( &h );
	NAME( v_sub )( &w, &t->corner[0], p_end );
	NAME( v_dot )( &h, &t->normal, &w );
	const int end = sign( &h );
	if ( start == 0 || end == 0 || ( start != UNKNOWN && start == end ) )
		return 0;
	bool positive_side = false, negative_side = false, known = start != UNKNOWN && end != UNKNOWN;
	for ( int k = 0; k < 3; ++k ) {
		SCOPE
		NAME( v_cross )( &c, &v[k], &v[( k + 1 ) % 3] );
		NAME( v_dot )( &h, d, &c );
		const int side = sign( &h );
		positive_side = positive_side || side == 1;
		negative_side = negative_side || side == -1;
		known = known && side != UNKNOWN;
	}
	if ( positive_side && negative_side )
		return 0;
	return known ? 1 : UNKNOWN;
}

// A segment and a triangle that it does not pass through: an end and the face, or two edges, are nearest. Of one that
// it does pass through that is the shortest way out. v[k]: from p to corner k; w: from corner k to either end.
STATIC int NAME( segment_triangle_features )( const vector *d, const triangle_parts *t, const vector v[3],
                                              const vector w[2][3], const number *square ) {
	SCOPE
	bool known = true;
	int least = 1;
	for ( int end = 0; end < 2; ++end ) {
		const int face = NAME( point_face )( w[end], t, square );
		if ( face == -1 )
			return -1;
		known = known && face != UNKNOWN;
		least = face == 0 ? 0 : least;
	}
	for ( int k = 0; k < 3; ++k ) {
		int part[4];
		part[0] = NAME( point_segment )( &v[k], d, square );
		part[1] = NAME( point_segment )( &w[0][k], &t->edge[k], square );
		part[2] = NAME( point_segment )( &w[1][k], &t->edge[k], square );
		part[3] = NAME( lines )( &v[k], d, &t->edge[k], square );
		for ( int i = 0; i < 4; ++i ) {
			if ( part[i] == -1 )
				return -1;
			known = known && part[i] != UNKNOWN;
			least = part[i] == 0 ? 0 : least;
		}
	}
	return known ? least : UNKNOWN;
}

STATIC void NAME( segment_triangle_ways )( const vector *p, const vector *p_end, const triangle_parts *t, vector v[3],
                                           vector w[2][3] ) {
	for ( int k = 0; k < 3; ++k ) {
		NAME( v_sub )( &v[k], &t->corner[k], p );
		NAME( v_sub )( &w[0][k], p, &t->corner[k] );
		NAME( v_sub )( &w[1][k], p_end, &t->corner[k] );
	}
}

STATIC int NAME( segment_triangle )( const vector *p, const vector *d, const triangle_parts *t, const number *sum,
                                     const number *square ) {
	SCOPE
	vector p_end, v[3], w[2][3];
	number h[2], q;
	NAME( v_add )( &p_end, p, d );
	NAME( segment_triangle_ways )( p, &p_end, t, v, w );
	// Both ends on one side of the plane and too far from it.
	int sides[2], far = 0;
	for ( int end = 0; end < 2; ++end ) {
		SCOPE
		NAME( v_dot )( &h[end], &t->normal, &w[end][0] );
		sides[end] = sign( &h[end] );
		NAME( minor )( &q, &h[end], &h[end], square, &t->nn );
		far += sign( &q ) == 1;
	}
	if ( far == 2 && sides[0] != UNKNOWN && sides[0] == sides[1] && sign( &t->nn ) == 1 )
		return 1;

	const int pierced = NAME( pierces )( v, &p_end, d, t );
	if ( pierced == 1 ) {
		const int s = sign( sum ); // the distance is 0
		return s == UNKNOWN ? UNKNOWN : -s;
	}
	const int least = NAME( segment_triangle_features )( d, t, v, w, square );
	return least == -1 || pierced == 0 ? least : UNKNOWN;
}

// ------------------------------------------------------------------------------------------------
// Boxes along the axes. `low` and `high` are the corners as seen from the point, or from the start of the segment.

STATIC void NAME( corners_of )( vector *low, vector *high, const vector *point, const dbvh_aabb *aabb ) {
	vector corner;
	NAME( v_set )( &corner, aabb->min );
	NAME( v_sub )( low, &corner, point );
	NAME( v_set )( &corner, aabb->max );
	NAME( v_sub )( high, &corner, point );
}

// From the nearest point of the box to the point.
STATIC void NAME( excess_of )( vector *out, const vector *low, const vector *high ) {
	number zero, below, above;
	set( &zero, 0.0 );
	for ( int k = 0; k < 3; ++k ) {
		positive( &below, &low->x[k] );
		sub( &above, &zero, &high->x[k] );
		positive( &above, &above );
		sub( &out->x[k], &above, &below );
	}
}

STATIC int NAME( point_aabb )( const vector *low, const vector *high, const number *square ) {
	SCOPE
	vector excess;
	NAME( excess_of )( &excess, low, high );
	return NAME( length_compared )( &excess, square );
}

// The segment d and the edges of the box along axis i: as lines(), the least of four. With u the axis, n = d x u and w
// a corner: w n, then the feet (w x u) n along d and (w x d) n along u, both in units of n^2.
STATIC int NAME( lines_of_axis )( int i, const vector *d, const number *dd, const vector *low, const vector *high,
                                  const number *side, const number *square ) {
	SCOPE
	const int j = ( i + 1 ) % 3, k = ( i + 2 ) % 3;
	number nn, a, b;
	mul( &a, &d->x[j], &d->x[j] );
	mul( &b, &d->x[k], &d->x[k] );
	add( &nn, &a, &b );
	const int hit = sign( &nn );
	if ( hit == 0 )
		return NO_FOOT;
	bool known = hit == 1;
	int least = NO_FOOT;
	number reach, q, at, rest, dd_low;
	mul( &reach, side, &nn );
	mul( &dd_low, &low->x[i], dd );
	for ( int corner = 0; corner < 4; ++corner ) {
		SCOPE
		const number *wj = ( corner & 1 ) != 0 ? &high->x[j] : &low->x[j];
		const number *wk = ( corner & 2 ) != 0 ? &high->x[k] : &low->x[k];
		NAME( minor )( &q, wj, &d->x[k], wk, &d->x[j] );
		const int line = NAME( ratio_compared )( &q, &nn, square );
		if ( line == 1 )
			continue;
		mul( &a, wj, &d->x[j] );
		mul( &b, wk, &d->x[k] );
		add( &at, &a, &b );
		sub( &rest, &nn, &at );
		int low_side = sign( &at ), high_side = sign( &rest );
		if ( low_side == -1 || high_side == -1 )
			continue;
		bool feet = low_side != UNKNOWN && high_side != UNKNOWN;
		// (w d) d_i - w_i d^2
		mul( &a, &low->x[i], &d->x[i] );
		add( &at, &at, &a );
		mul( &b, &at, &d->x[i] );
		sub( &at, &b, &dd_low );
		sub( &rest, &reach, &at );
		low_side = sign( &at );
		high_side = sign( &rest );
		if ( low_side == -1 || high_side == -1 )
			continue;
		feet = feet && low_side != UNKNOWN && high_side != UNKNOWN;
		if ( !feet || line == UNKNOWN )
			known = false;
		else if ( line == -1 )
			return -1;
		else
			least = 0;
	}
	return known ? least : UNKNOWN;
}

// Does an axis perpendicular to d and to an edge separate the segment from the box strictly: 1; by more than the
// square: 2; not: 0; not known: 3.
STATIC int NAME( separated_across )( int i, const vector *d, const vector *low, const vector *high,
                                     const number *square ) {
	SCOPE
	const int j = ( i + 1 ) % 3, k = ( i + 2 ) % 3;
	const int sj = sign( &d->x[j] ), sk = sign( &d->x[k] );
	if ( sj == UNKNOWN || sk == UNKNOWN )
		return 3;
	// d_j y_k - d_k y_j over the box
	number least, most, zero, nn, a, b;
	NAME( minor )( &least, &d->x[j], sj > 0 ? &low->x[k] : &high->x[k], &d->x[k], sk > 0 ? &high->x[j] : &low->x[j] );
	NAME( minor )( &most, &d->x[j], sj > 0 ? &high->x[k] : &low->x[k], &d->x[k], sk > 0 ? &low->x[j] : &high->x[j] );
	set( &zero, 0.0 );
	sub( &most, &zero, &most );
	const int above = sign( &least ), below = sign( &most );
	if ( above == 1 || below == 1 ) {
		mul( &a, &d->x[j], &d->x[j] );
		mul( &b, &d->x[k], &d->x[k] );
		add( &nn, &a, &b );
		return NAME( ratio_compared )( above == 1 ? &least : &most, &nn, square ) == 1 ? 2 : 1;
	}
	return above == UNKNOWN || below == UNKNOWN ? 3 : 0;
}

STATIC int NAME( segment_aabb )( const vector *d, const vector *low, const vector *high, const number sides[3],
                                 const number *sum, const number *square ) {
	SCOPE
	// Boxes around both; then the ends.
	number zero, forth, back, a, b;
	vector gap, low_end, high_end;
	set( &zero, 0.0 );
	bool separated = false, doubt = false;
	for ( int k = 0; k < 3; ++k ) {
		positive( &forth, &d->x[k] );
		sub( &back, &zero, &d->x[k] );
		positive( &back, &back );
		sub( &a, &low->x[k], &forth );
		sub( &b, &zero, &high->x[k] );
		sub( &b, &b, &back );
		const int above = sign( &a ), below = sign( &b );
		separated = separated || above == 1 || below == 1;
		doubt = doubt || above == UNKNOWN || below == UNKNOWN;
		positive( &a, &a );
		positive( &b, &b );
		add( &gap.x[k], &a, &b );
	}
	if ( NAME( length_compared )( &gap, square ) == 1 )
		return 1;
	NAME( v_sub )( &low_end, low, d );
	NAME( v_sub )( &high_end, high, d );
	const int start = NAME( point_aabb )( low, high, square );
	const int end = NAME( point_aabb )( &low_end, &high_end, square );
	if ( start == -1 || end == -1 )
		return -1;
	for ( int k = 0; k < 3; ++k ) {
		const int across = NAME( separated_across )( k, d, low, high, square );
		if ( across == 2 )
			return 1;
		separated = separated || across == 1;
		doubt = doubt || across == 3;
	}
	if ( !separated && !doubt ) {
		const int s = sign( sum ); // the distance is 0
		return s == UNKNOWN ? UNKNOWN : -s;
	}
	bool known = separated && start != UNKNOWN && end != UNKNOWN;
	int least = start == 0 || end == 0 ? 0 : 1;
	number dd;
	NAME( v_dot )( &dd, d, d );
	for ( int k = 0; k < 3; ++k ) {
		const int edges = NAME( lines_of_axis )( k, d, &dd, low, high, &sides[k], square );
		if ( edges == -1 )
			return -1;
		known = known && edges != UNKNOWN;
		least = edges == 0 ? 0 : least;
	}
	for ( int corner = 0; corner < 8; ++corner ) {
		SCOPE
		vector w;
		for ( int k = 0; k < 3; ++k )
			copy( &w.x[k], ( corner >> k & 1 ) != 0 ? &high->x[k] : &low->x[k] );
		const int one = NAME( point_segment )( &w, d, square );
		if ( one == -1 )
			return -1;
		known = known && one != UNKNOWN;
		least = one == 0 ? 0 : least;
	}
	return known ? least : UNKNOWN;
}

// ------------------------------------------------------------------------------------------------
// The predicates

// Fills in the sum and its square; returns false where `answer` is known already, or not to be known.
STATIC bool NAME( square_of )( const dbvhi_sum *terms, number *sum, number *square, int *answer ) {
	NAME( sum_of )( sum, terms );
	mul( square, sum, sum );
	const int s = sign( sum );
	*answer = s == -1 ? 1 : UNKNOWN;
	return s == 0 || s == 1;
}

STATIC int NAME( points_compared )( const double a[3], const double b[3], const dbvhi_sum *terms ) {
	SCOPE
	number sum, square;
	vector w;
	int answer;
	if ( !NAME( square_of )( terms, &sum, &square, &answer ) )
		return answer;
	NAME( v_difference )( &w, a, b );
	return NAME( length_compared )( &w, &square );
}

STATIC int NAME( point_path_compared )( const double point[3], const dbvhi_path *path, const dbvhi_sum *terms ) {
	SCOPE
	number sum, square;
	vector p, d, w;
	int answer;
	if ( !NAME( square_of )( terms, &sum, &square, &answer ) )
		return answer;
	NAME( path_of )( path, &p, &d );
	if ( path->less == NULL && path->begin == 0.0 ) {
		NAME( v_difference )( &w, point, path->from );
	} else {
		NAME( v_set )( &w, point );
		NAME( v_sub )( &w, &w, &p );
	}
	return NAME( point_segment )( &w, &d, &square );
}

STATIC int NAME( point_aabb_compared )( const double point[3], const dbvh_aabb *aabb, const dbvhi_sum *terms ) {
	SCOPE
	number sum, square;
	vector low, high;
	int answer;
	if ( !NAME( square_of )( terms, &sum, &square, &answer ) )
		return answer;
	NAME( v_difference )( &low, aabb->min, point );
	NAME( v_difference )( &high, aabb->max, point );
	return NAME( point_aabb )( &low, &high, &square );
}

STATIC int NAME( point_triangle_compared )( const double point[3], const dbvh_triangle *triangle,
                                            const dbvhi_sum *terms ) {
	SCOPE
	number sum, square;
	vector p;
	triangle_parts parts;
	int answer;
	if ( !NAME( square_of )( terms, &sum, &square, &answer ) )
		return answer;
	NAME( v_set )( &p, point );
	NAME( parts_of )( &parts, triangle );
	return NAME( point_triangle )( &p, &parts, &square );
}

STATIC int NAME( paths_compared )( const dbvhi_path *a, const dbvhi_path *b, const dbvhi_sum *terms ) {
	SCOPE
	number sum, square;
	vector p, d, q, e;
	int answer;
	if ( !NAME( square_of )( terms, &sum, &square, &answer ) )
		return answer;
	NAME( path_of )( a, &p, &d );
	NAME( path_of )( b, &q, &e );
	return NAME( segment_segment )( &p, &d, &q, &e, &square );
}

STATIC int NAME( path_aabb_compared )( const dbvhi_path *path, const dbvh_aabb *aabb, const dbvhi_sum *terms ) {
	SCOPE
	number sum, square, sides[3];
	vector p, d, low, high;
	int answer;
	if ( !NAME( square_of )( terms, &sum, &square, &answer ) )
		return answer;
	NAME( path_of )( path, &p, &d );
	NAME( corners_of )( &low, &high, &p, aabb );
	for ( int k = 0; k < 3; ++k )
		difference( &sides[k], aabb->max[k], aabb->min[k] );
	return NAME( segment_aabb )( &d, &low, &high, sides, &sum, &square );
}

STATIC int NAME( path_triangle_compared )( const dbvhi_path *path, const dbvh_triangle *triangle,
                                           const dbvhi_sum *terms ) {
	SCOPE
	number sum, square;
	vector p, d;
	triangle_parts parts;
	int answer;
	if ( !NAME( square_of )( terms, &sum, &square, &answer ) )
		return answer;
	NAME( path_of )( path, &p, &d );
	NAME( parts_of )( &parts, triangle );
	return NAME( segment_triangle )( &p, &d, &parts, &sum, &square );
}

STATIC int NAME( path_triangle_depth_compared )( const dbvhi_path *path, const dbvh_triangle *triangle,
                                                 const dbvhi_sum *terms ) {
	SCOPE
	number sum, square;
	vector p, p_end, d, v[3], w[2][3];
	triangle_parts parts;
	int answer;
	if ( !NAME( square_of )( terms, &sum, &square, &answer ) )
		return answer;
	NAME( path_of )( path, &p, &d );
	NAME( v_add )( &p_end, &p, &d );
	NAME( parts_of )( &parts, triangle );
	NAME( segment_triangle_ways )( &p, &p_end, &parts, v, w );
	return NAME( segment_triangle_features )( &d, &parts, v, w, &square );
}

// ------------------------------------------------------------------------------------------------
// Motion

// `away`: from the nearest point of the shape, or 0 in it. Where the distance is that of the radius exactly, its rate
// says whether contact begins or ends there; a rate of 0 is for the caller, who gets `graze`.
STATIC int NAME( phase )( const vector *away, const vector *step, const number *square, int graze ) {
	SCOPE
	const int distance = NAME( length_compared )( away, square );
	if ( distance == UNKNOWN )
		return UNKNOWN;
	if ( distance == -1 )
		return DBVHI_DURING;
	number rate;
	NAME( v_dot )( &rate, away, step );
	const int s = sign( &rate );
	if ( s == UNKNOWN )
		return UNKNOWN;
	if ( distance == 0 )
		return s == 0 ? graze : s < 0 ? DBVHI_BEGINS : DBVHI_ENDS;
	return s < 0 ? DBVHI_BEFORE : DBVHI_AFTER;
}

STATIC void NAME( place )( const dbvhi_path *path, double t, vector *at, vector *step ) {
	vector moved;
	number time;
	NAME( v_difference )( at, path->from, path->less );
	NAME( v_difference )( step, path->ahead, path->behind );
	set( &time, t );
	NAME( v_scale )( &moved, &time, step );
	NAME( v_add )( at, at, &moved );
}

STATIC int NAME( path_ball_phase )( const dbvhi_path *path, const double centre[3], const dbvhi_sum *radius,
                                    double t ) {
	SCOPE
	number sum, square;
	vector at, step, c;
	NAME( sum_of )( &sum, radius );
	mul( &square, &sum, &sum );
	NAME( place )( path, t, &at, &step );
	NAME( v_set )( &c, centre );
	NAME( v_sub )( &at, &at, &c );
	return NAME( phase )( &at, &step, &square, DBVHI_GRAZES );
}

// At the least distance from the box, which is the radius: contact lasts if nothing changes on either side of it.
STATIC int NAME( grazing )( const vector *low, const vector *high, const vector *excess, const vector *step ) {
	SCOPE
	bool begins = false, ends = false;
	for ( int k = 0; k < 3; ++k ) {
		const int way = sign( &step->x[k] ), out = sign( &excess->x[k] );
		const int under = sign( &low->x[k] ), over = sign( &high->x[k] );
		if ( way == UNKNOWN || out == UNKNOWN || under == UNKNOWN || over == UNKNOWN )
			return UNKNOWN;
		if ( way == 0 )
			continue;
		begins = begins || out != 0 || ( under == 0 && way > 0 ) || ( over == 0 && way < 0 );
		ends = ends || out != 0 || ( under == 0 && way < 0 ) || ( over == 0 && way > 0 );
	}
	return begins ? ends ? DBVHI_GRAZES : DBVHI_BEGINS : ends ? DBVHI_ENDS : DBVHI_DURING;
}

STATIC int NAME( path_aabb_phase )( const dbvhi_path *path, const dbvh_aabb *aabb, const dbvhi_sum *radius, double t ) {
	SCOPE
	number sum, square;
	vector at, step, low, high, excess;
	NAME( sum_of )( &sum, radius );
	mul( &square, &sum, &sum );
	NAME( place )( path, t, &at, &step );
	NAME( corners_of )( &low, &high, &at, aabb );
	NAME( excess_of )( &excess, &low, &high );
	const int phase = NAME( phase )( &excess, &step, &square, DBVHI_GRAZES );
	return phase == DBVHI_GRAZES ? NAME( grazing )( &low, &high, &excess, &step ) : phase;
}
