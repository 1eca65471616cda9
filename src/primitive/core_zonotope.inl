// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Segments and boxes of any axes against each other: the differences of their points are a zonotope, all sums of t h g,
// |t| <= 1, over the axes g and half widths h of both, and the question is where a point w is to it. Everything is
// twice as large as it is, so that the centre of a box of corners is a sum. Included after core_box.inl.
//
// The normals of its faces are products of two axes. A point outside is nearest to a face that it is beyond of; a face
// is a parallelogram of two axes, or made of several where others lie in its plane. To take one that is none is no
// mistake: its points are points of the zonotope.

#define zonotope_parts PASTE( KIND, _zonotope_parts )
#define set_dd PASTE( KIND, _set_dd )

typedef struct zonotope_parts {
	vector w, axis[DBVHI_GENERATORS];
	number half[DBVHI_GENERATORS];
	int count;
} zonotope_parts;

STATIC void NAME( zonotope_of )( zonotope_parts *out, const dbvhi_zonotope *in ) {
	number term;
	for ( int k = 0; k < 3; ++k ) {
		difference( &out->w.x[k], in->a[0][k], in->b[0][k] );
		difference( &term, in->a[1][k], in->b[1][k] );
		add( &out->w.x[k], &out->w.x[k], &term );
	}
	out->count = in->count;
	for ( int i = 0; i < in->count; ++i ) {
		const dbvhi_generator *g = &in->generator[i];
		NAME( v_difference )( &out->axis[i], g->axis, g->back );
		difference( &out->half[i], g->of_a[0], g->of_a[1] );
		if ( g->of_b[0] != g->of_b[1] ) {
			difference( &term, g->of_b[0], g->of_b[1] );
			add( &out->half[i], &out->half[i], &term );
		}
	}
}

// Twice the sum, and the square of that: as square_of().
STATIC bool NAME( square_of_twice )( const dbvhi_sum *terms, number *sum, number *square, int *answer ) {
	NAME( sum_of )( sum, terms );
	add( sum, sum, sum );
	mul( square, sum, sum );
	const int s = sign( sum );
	*answer = s == -1 ? 1 : UNKNOWN;
	return s == 0 || s == 1;
}

// A point of the zonotope bounds the distance from above, and the plane through it across the way there from below.
STATIC int NAME( zonotope_bounds )( const zonotope_parts *z, const dbvhi_zonotope *in, const number *square ) {
	SCOPE
	vector rest, part;
	number t, q, rr;
	for ( int k = 0; k < 3; ++k )
		copy( &rest.x[k], &z->w.x[k] );
	for ( int i = 0; i < z->count; ++i ) {
		SCOPE
		set_dd( &t, in->t[i] );
		mul( &t, &t, &z->half[i] );
		NAME( v_scale )( &part, &t, &z->axis[i] );
		NAME( v_sub )( &rest, &rest, &part );
		KEEP( &rest.x[0] )
		KEEP( &rest.x[1] )
		KEEP( &rest.x[2] )
	}
	NAME( v_dot )( &rr, &rest, &rest );
	sub( &q, &rr, square );
	const int above = sign( &q );
	if ( above == -1 )
		return -1;
	NAME( v_dot )( &t, &rest, &z->w );
	for ( int i = 0; i < z->count; ++i ) {
		SCOPE
		NAME( v_dot )( &q, &z->axis[i], &rest );
		absolute( &q, &q );
		mul( &q, &q, &z->half[i] );
		sub( &t, &t, &q );
		KEEP( &t )
	}
	if ( sign( &t ) != 1 )
		return UNKNOWN;
	const int below = NAME( ratio_compared )( &t, &rr, square );
	return below == 1 || ( below == 0 && above == 0 ) ? below : UNKNOWN;
}

// The axis of generators i and j: its square, the height of w along it, and how far that is beyond the zonotope.
STATIC void NAME( zonotope_axis )( const zonotope_parts *z, int i, int j, vector *n, number *nn, number *h,
                                   number *over ) {
	number term;
	NAME( v_cross )( n, &z->axis[i], &z->axis[j] );
	NAME( v_dot )( nn, n, n );
	NAME( v_dot )( h, n, &z->w );
	absolute( over, h );
	for ( int k = 0; k < z->count; ++k ) {
		if ( k == i || k == j )
			continue;
		SCOPE
		NAME( v_dot )( &term, &z->axis[k], n );
		absolute( &term, &term );
		mul( &term, &term, &z->half[k] );
		sub( over, over, &term );
		KEEP( over )
	}
}

// m from the middle of a parallelogram of axes i and j, whose normal is n.
STATIC int NAME( point_face_of_two )( const zonotope_parts *z, int i, int j, const vector *m, const vector *n,
                                      const number *nn, const number *square ) {
	SCOPE
	const vector *p = &z->axis[i], *q = &z->axis[j];
	number u, v, pp, pq, qq, foot, reach;
	NAME( v_dot )( &u, m, p );
	NAME( v_dot )( &v, m, q );
	NAME( v_dot )( &pp, p, p );
	NAME( v_dot )( &pq, p, q );
	NAME( v_dot )( &qq, q, q );
	bool inside = true, outside = false;
	for ( int side = 0; side < 2; ++side ) {
		SCOPE
		if ( side == 0 )
			NAME( minor )( &foot, &u, &qq, &v, &pq );
		else
			NAME( minor )( &foot, &v, &pp, &u, &pq );
		absolute( &foot, &foot );
		mul( &reach, &z->half[side == 0 ? i : j], nn );
		sub( &foot, &reach, &foot );
		const int within = sign( &foot );
		outside = outside || within == -1;
		inside = inside && ( within == 0 || within == 1 );
	}
	if ( inside && sign( nn ) == 1 ) {
		NAME( v_dot )( &u, n, m );
		return NAME( ratio_compared )( &u, nn, square );
	}
	vector step[2], w, along;
	NAME( v_scale )( &step[0], &z->half[i], p );
	NAME( v_scale )( &step[1], &z->half[j], q );
	int least = 1;
	for ( int edge = 0; edge < 4 && least != -1; ++edge ) {
		SCOPE
		const vector *d = &step[edge & 1], *e = &step[1 - ( edge & 1 )];
		( edge & 2 ) != 0 ? NAME( v_sub )( &w, m, e ) : NAME( v_add )( &w, m, e );
		NAME( v_add )( &w, &w, d );
		NAME( v_add )( &along, d, d );
		least = lesser( least, NAME( point_segment )( &w, &along, square ) );
	}
	return least == -1 || outside ? least : UNKNOWN;
}

// The faces of axes i and j on the side of w.
STATIC int NAME( point_faces )( const zonotope_parts *z, int i, int j, int side, const vector *n, const number *nn,
                                const number *square ) {
	SCOPE
	vector base, part, m;
	number term;
	int open[DBVHI_GENERATORS], opens = 0, least = 1;
	for ( int k = 0; k < 3; ++k )
		copy( &base.x[k], &z->w.x[k] );
	for ( int k = 0; k < z->count; ++k ) {
		if ( k == i || k == j || sign( &z->half[k] ) == 0 )
			continue;
		SCOPE
		NAME( v_dot )( &term, &z->axis[k], n );
		const int way = sign( &term );
		if ( way == 0 || way == UNKNOWN ) {
			open[opens++] = k;
			continue;
		}
		NAME( v_scale )( &part, &z->half[k], &z->axis[k] );
		way == side ? NAME( v_sub )( &base, &base, &part ) : NAME( v_add )( &base, &base, &part );
		KEEP( &base.x[0] )
		KEEP( &base.x[1] )
		KEEP( &base.x[2] )
	}
	for ( int pattern = 0; pattern < 1 << opens && least != -1; ++pattern ) {
		SCOPE
		for ( int k = 0; k < 3; ++k )
			copy( &m.x[k], &base.x[k] );
		for ( int o = 0; o < opens; ++o ) {
			NAME( v_scale )( &part, &z->half[open[o]], &z->axis[open[o]] );
			( pattern >> o & 1 ) != 0 ? NAME( v_sub )( &m, &m, &part ) : NAME( v_add )( &m, &m, &part );
		}
		least = lesser( least, NAME( point_face_of_two )( z, i, j, &m, n, nn, square ) );
	}
	return least;
}

STATIC int NAME( zonotope_compared )( const dbvhi_zonotope *in, const dbvhi_sum *terms ) {
	SCOPE
	number sum, square, nn, h, over;
	vector n;
	zonotope_parts z;
	int answer;
	if ( !NAME( square_of_twice )( terms, &sum, &square, &answer ) )
		return answer;
	NAME( zonotope_of )( &z, in );
	if ( in->has_point ) {
		const int bounds = NAME( zonotope_bounds )( &z, in, &square );
		if ( bounds != UNKNOWN )
			return bounds;
	}
	bool apart = false, known = true;
	for ( int i = 0; i < z.count; ++i ) {
		for ( int j = i + 1; j < z.count; ++j ) {
			SCOPE
			NAME( zonotope_axis )( &z, i, j, &n, &nn, &h, &over );
			const int beyond = sign( &over );
			if ( beyond == 1 && NAME( ratio_compared )( &over, &nn, &square ) == 1 )
				return 1;
			apart = apart || beyond == 1;
			known = known && beyond != UNKNOWN;
		}
	}
	if ( !apart && known ) {
		const int s = sign( &sum ); // the distance is 0
		return s == UNKNOWN ? UNKNOWN : -s;
	}
	int least = 1;
	for ( int i = 0; i < z.count && least != -1; ++i ) {
		for ( int j = i + 1; j < z.count && least != -1; ++j ) {
			SCOPE
			NAME( zonotope_axis )( &z, i, j, &n, &nn, &h, &over );
			if ( sign( &over ) == 1 )
				least = lesser( least, NAME( point_faces )( &z, i, j, sign( &h ), &n, &nn, &square ) );
		}
	}
	return least == -1 || ( apart && known ) ? least : UNKNOWN;
}

// The depth of a point in the zonotope under the nearest face, against a sum.
STATIC int NAME( zonotope_depth_compared )( const dbvhi_zonotope *in, const dbvhi_sum *terms ) {
	SCOPE
	number sum, square, nn, h, over;
	vector n;
	zonotope_parts z;
	int answer, least = 1;
	if ( !NAME( square_of_twice )( terms, &sum, &square, &answer ) )
		return answer;
	NAME( zonotope_of )( &z, in );
	for ( int i = 0; i < z.count; ++i ) {
		for ( int j = i + 1; j < z.count; ++j ) {
			SCOPE
			NAME( zonotope_axis )( &z, i, j, &n, &nn, &h, &over );
			const int size = sign( &nn );
			if ( size == 0 ) // parallel
				continue;
			const int under = NAME( ratio_compared )( &over, &nn, &square );
			least = lesser( least, under == 1 || under == -1 || size == 1 ? under : UNKNOWN );
		}
	}
	return least;
}

// ------------------------------------------------------------------------------------------------
// A triangle and a box: the nearest of an edge and the box, or of the triangle and a corner of the box.

STATIC int NAME( triangle_body_compared )( const dbvh_triangle *triangle, const dbvhi_body *body,
                                           const dbvhi_sum *terms ) {
	SCOPE
	number sum, square, half, term;
	vector corner, part, axis;
	triangle_parts parts;
	int answer, least = 1;
	if ( !NAME( square_of_twice )( terms, &sum, &square, &answer ) )
		return answer;
	NAME( parts_of )( &parts, triangle );
	// Twice as large, too.
	for ( int k = 0; k < 3; ++k ) {
		NAME( v_add )( &parts.corner[k], &parts.corner[k], &parts.corner[k] );
		NAME( v_add )( &parts.edge[k], &parts.edge[k], &parts.edge[k] );
	}
	for ( int k = 0; k < 3; ++k ) {
		add( &parts.normal.x[k], &parts.normal.x[k], &parts.normal.x[k] );
		add( &parts.normal.x[k], &parts.normal.x[k], &parts.normal.x[k] );
	}
	NAME( v_dot )( &parts.nn, &parts.normal, &parts.normal );
	for ( int pattern = 0; pattern < 1 << body->count && least != -1; ++pattern ) {
		SCOPE
		for ( int k = 0; k < 3; ++k ) {
			set( &corner.x[k], body->p[k] );
			set( &term, body->q[k] );
			add( &corner.x[k], &corner.x[k], &term );
		}
		for ( int i = 0; i < body->count; ++i ) {
			NAME( v_difference )( &axis, body->axis[i], body->back[i] );
			difference( &half, body->more[i], body->less[i] );
			NAME( v_scale )( &part, &half, &axis );
			( pattern >> i & 1 ) != 0 ? NAME( v_add )( &corner, &corner, &part )
			                          : NAME( v_sub )( &corner, &corner, &part );
		}
		least = lesser( least, NAME( point_triangle )( &corner, &parts, &square ) );
	}
	return least;
}

#undef zonotope_parts
#undef set_dd
#undef box_parts
#undef KIND
#undef NAME
#undef number
#undef vector
#undef triangle_parts
#undef set
#undef copy
#undef difference
#undef add
#undef sub
#undef mul
#undef sign
#undef absolute
#undef positive
#undef value_of
#undef PASTE
#undef PASTE2
