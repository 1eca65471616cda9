// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Predicates on oriented boxes and on planes. Included after core.inl.
//
// A box is the image of a cube, a parallelepiped whose axes are only nearly at right angles: its faces have the
// products of two axes for normals. Separating axes of two of them are the normals and the products of an edge of each;
// with extents 0 it is a limit of larger ones, so no further axis is needed.

#define box_parts PASTE( KIND, _box_parts )

typedef struct box_parts {
	vector axis[3], normal[3]; // normal i is the product of the other two axes
	number half[3], volume;    // |axis 0 . normal 0|
} box_parts;

STATIC void NAME( normals_of )( box_parts *out ) {
	for ( int i = 0; i < 3; ++i )
		NAME( v_cross )( &out->normal[i], &out->axis[( i + 1 ) % 3], &out->axis[( i + 2 ) % 3] );
	NAME( v_dot )( &out->volume, &out->axis[0], &out->normal[0] );
	absolute( &out->volume, &out->volume );
}

STATIC void NAME( box_of )( box_parts *out, const dbvh_obb *obb ) {
	for ( int i = 0; i < 3; ++i ) {
		NAME( v_set )( &out->axis[i], obb->axis[i] );
		set( &out->half[i], obb->half[i] );
	}
	NAME( normals_of )( out );
}

// Half the width of the box along a direction, times its length.
STATIC void NAME( width_along )( number *out, const box_parts *box, const vector *direction ) {
	number term;
	set( out, 0.0 );
	for ( int i = 0; i < 3; ++i ) {
		SCOPE
		NAME( v_dot )( &term, &box->axis[i], direction );
		absolute( &term, &term );
		mul( &term, &term, &box->half[i] );
		add( out, out, &term );
		KEEP( out )
	}
}

// ------------------------------------------------------------------------------------------------
// A point

// A point of the box near `w` bounds the distance from above, and the plane through it across the way there from below.
// Any coefficients do; these are the best for axes at right angles.
STATIC int NAME( point_obb_bounds )( const vector *w, const box_parts *box, const dbvh_obb *obb,
                                     const number *square ) {
	SCOPE
	vector rest, part;
	number at, reach, rr;
	for ( int k = 0; k < 3; ++k )
		copy( &rest.x[k], &w->x[k] );
	for ( int i = 0; i < 3; ++i ) {
		NAME( v_dot )( &at, w, &box->axis[i] );
		const double t = value_of( &at ), h = obb->half[i];
		if ( !( t == t ) )
			return UNKNOWN;
		set( &at, t > h ? h : t < -h ? -h : t );
		NAME( v_scale )( &part, &at, &box->axis[i] );
		NAME( v_sub )( &rest, &rest, &part );
	}
	if ( NAME( length_compared )( &rest, square ) == -1 )
		return -1;
	NAME( v_dot )( &at, &rest, w );
	NAME( width_along )( &reach, box, &rest );
	sub( &at, &at, &reach );
	NAME( v_dot )( &rr, &rest, &rest );
	return sign( &at ) == 1 && NAME( ratio_compared )( &at, &rr, square ) == 1 ? 1 : UNKNOWN;
}

// w from the middle of a face across axis i: as lines().
STATIC int NAME( point_parallelogram )( int i, const vector *w, const box_parts *box, const number *square ) {
	SCOPE
	const int j = ( i + 1 ) % 3, k = ( i + 2 ) % 3;
	const vector *aj = &box->axis[j], *ak = &box->axis[k];
	number h, nn, u, v, jj, jk, kk, foot, reach;
	NAME( v_dot )( &nn, &box->normal[i], &box->normal[i] );
	NAME( v_dot )( &h, &box->normal[i], w );
	const int plane = NAME( ratio_compared )( &h, &nn, square );
	if ( plane == 1 )
		return NO_FOOT; // or one that is too far
	NAME( v_dot )( &u, w, aj );
	NAME( v_dot )( &v, w, ak );
	NAME( v_dot )( &jj, aj, aj );
	NAME( v_dot )( &jk, aj, ak );
	NAME( v_dot )( &kk, ak, ak );
	bool known = true;
	for ( int side = 0; side < 2; ++side ) {
		SCOPE
		if ( side == 0 )
			NAME( minor )( &foot, &u, &kk, &v, &jk );
		else
			NAME( minor )( &foot, &v, &jj, &u, &jk );
		absolute( &foot, &foot );
		mul( &reach, &box->half[side == 0 ? j : k], &nn );
		sub( &foot, &reach, &foot );
		const int inside = sign( &foot );
		if ( inside == -1 )
			return NO_FOOT;
		known = known && inside != UNKNOWN;
	}
	return known ? plane : UNKNOWN;
}

STATIC int NAME( point_obb_compared )( const double point[3], const dbvh_obb *obb, const dbvhi_sum *terms ) {
	SCOPE
	number sum, square, h, limit;
	vector w, step[3], m, n;
	box_parts box;
	int answer;
	if ( !NAME( square_of )( terms, &sum, &square, &answer ) )
		return answer;
	NAME( v_difference )( &w, point, obb->centre );
	NAME( box_of )( &box, obb );
	const int bounds = NAME( point_obb_bounds )( &w, &box, obb, &square );
	if ( bounds != UNKNOWN )
		return bounds;

	int inside = 1;
	for ( int i = 0; i < 3; ++i ) {
		NAME( v_scale )( &step[i], &box.half[i], &box.axis[i] );
		SCOPE
		NAME( v_dot )( &h, &box.normal[i], &w );
		absolute( &h, &h );
		mul( &limit, &box.half[i], &box.volume );
		sub( &h, &limit, &h );
		const int within = sign( &h );
		inside = within == -1 || inside == 0 ? 0 : within == UNKNOWN ? UNKNOWN : inside;
	}
	if ( inside == 1 ) {
		const int s = sign( &sum ); // the distance is 0
		return s == UNKNOWN ? UNKNOWN : -s;
	}
	bool known = inside == 0;
	int least = 1;
	for ( int i = 0; i < 3; ++i ) {
		const int j = ( i + 1 ) % 3, k = ( i + 2 ) % 3;
		for ( int side = 0; side < 2; ++side ) {
			SCOPE
			side == 0 ? NAME( v_sub )( &m, &w, &step[i] ) : NAME( v_add )( &m, &w, &step[i] );
			const int face = NAME( point_parallelogram )( i, &m, &box, &square );
			if ( face == -1 )
				return -1;
			known = known && face != UNKNOWN;
			least = face == 0 ? 0 : least;
		}
		for ( int edge = 0; edge < 4; ++edge ) {
			SCOPE( edge & 1 ) != 0 ? NAME( v_sub )( &m, &w, &step[j] ) : NAME( v_add )( &m, &w, &step[j] );
			( edge & 2 ) != 0 ? NAME( v_sub )( &m, &m, &step[k] ) : NAME( v_add )( &m, &m, &step[k] );
			NAME( v_add )( &m, &m, &step[i] );
			NAME( v_add )( &n, &step[i], &step[i] );
			const int one = NAME( point_segment )( &m, &n, &square );
			if ( one == -1 )
				return -1;
			known = known && one != UNKNOWN;
			least = one == 0 ? 0 : least;
		}
	}
	return known ? least : UNKNOWN;
}

STATIC int NAME( point_obb_depth_compared )( const double point[3], const dbvh_obb *obb, const dbvhi_sum *terms ) {
	SCOPE
	number sum, square, h, limit, nn;
	vector w;
	box_parts box;
	int answer;
	if ( !NAME( square_of )( terms, &sum, &square, &answer ) )
		return answer;
	NAME( v_difference )( &w, point, obb->centre );
	NAME( box_of )( &box, obb );
	int least = 1;
	for ( int i = 0; i < 3; ++i ) {
		SCOPE
		NAME( v_dot )( &h, &box.normal[i], &w );
		absolute( &h, &h );
		mul( &limit, &box.half[i], &box.volume );
		sub( &h, &limit, &h );
		NAME( v_dot )( &nn, &box.normal[i], &box.normal[i] );
		least = lesser( least, NAME( ratio_compared )( &h, &nn, &square ) );
	}
	return least;
}

// ------------------------------------------------------------------------------------------------
// Separating axes

STATIC int NAME( obbs_separated )( const dbvh_obb *a, const dbvh_obb *b ) {
	SCOPE
	box_parts p, q;
	vector between, cross;
	number h, width;
	NAME( box_of )( &p, a );
	NAME( box_of )( &q, b );
	NAME( v_difference )( &between, b->centre, a->centre );
	int most = -1;
	for ( int axis = 0; axis < 15; ++axis ) {
		SCOPE
		const vector *l = axis < 3 ? &p.normal[axis] : axis < 6 ? &q.normal[axis - 3] : &cross;
		if ( axis >= 6 )
			NAME( v_cross )( &cross, &p.axis[( axis - 6 ) / 3], &q.axis[axis % 3] );
		NAME( v_dot )( &h, &between, l );
		absolute( &h, &h );
		NAME( width_along )( &width, &p, l );
		sub( &h, &h, &width );
		NAME( width_along )( &width, &q, l );
		sub( &h, &h, &width );
		const int apart = sign( &h );
		if ( apart == 1 )
			return 1;
		most = apart == UNKNOWN ? UNKNOWN : most;
	}
	return most;
}

// Are all points beyond the box along `l`, on one side?
STATIC int NAME( points_beyond )( const vector *point, int count, const box_parts *box, const vector *l ) {
	SCOPE
	number width, h, q;
	NAME( width_along )( &width, box, l );
	int above = 1, below = 1;
	for ( int i = 0; i < count; ++i ) {
		SCOPE
		NAME( v_dot )( &h, &point[i], l );
		sub( &q, &h, &width );
		const int over = sign( &q );
		add( &q, &h, &width );
		const int under = sign( &q );
		above = above == 0 || over == 0 || over == -1 ? 0 : over == UNKNOWN ? UNKNOWN : above;
		below = below == 0 || under == 0 || under == 1 ? 0 : under == UNKNOWN ? UNKNOWN : below;
	}
	return above == 1 || below == 1 ? 1 : above == UNKNOWN || below == UNKNOWN ? UNKNOWN : 0;
}

// Two or three points, seen from the centre, and the edges between them.
STATIC int NAME( hull_separated )( const vector *point, const vector *edge, int count, const box_parts *box ) {
	SCOPE
	const int edges = count == 2 ? 1 : 3;
	vector l;
	int most = 0;
	for ( int i = 0; i < 3; ++i ) {
		int beyond = NAME( points_beyond )( point, count, box, &box->normal[i] );
		for ( int k = 0; k < edges && beyond != 1; ++k ) {
			SCOPE
			NAME( v_cross )( &l, &edge[k], &box->axis[i] );
			beyond = greater( beyond, NAME( points_beyond )( point, count, box, &l ) );
		}
		if ( beyond == 1 )
			return 1;
		most = beyond == UNKNOWN ? UNKNOWN : most;
	}
	if ( count == 3 ) {
		NAME( v_cross )( &l, &edge[0], &edge[1] );
		most = greater( most, NAME( points_beyond )( point, count, box, &l ) );
	}
	return most;
}

STATIC int NAME( path_obb_separated )( const dbvhi_path *path, const dbvh_obb *obb ) {
	SCOPE
	box_parts box;
	vector point[2], step, centre;
	NAME( box_of )( &box, obb );
	NAME( path_of )( path, &point[0], &step );
	NAME( v_set )( &centre, obb->centre );
	NAME( v_sub )( &point[0], &point[0], &centre );
	NAME( v_add )( &point[1], &point[0], &step );
	return NAME( hull_separated )( point, &step, 2, &box );
}

STATIC int NAME( triangle_obb_separated )( const dbvh_triangle *triangle, const dbvh_obb *obb ) {
	SCOPE
	box_parts box;
	vector point[3], edge[3];
	NAME( box_of )( &box, obb );
	for ( int k = 0; k < 3; ++k ) {
		NAME( v_difference )( &point[k], triangle->corner[k], obb->centre );
		NAME( v_difference )( &edge[k], triangle->corner[( k + 1 ) % 3], triangle->corner[k] );
	}
	return NAME( hull_separated )( point, edge, 3, &box );
}

STATIC int NAME( triangle_aabb_separated )( const dbvh_triangle *triangle, const dbvh_aabb *aabb ) {
	SCOPE
	// Twice the size, so that the centre is a sum.
	box_parts box;
	vector point[3], edge[3], low, high;
	NAME( v_set )( &low, aabb->min );
	NAME( v_set )( &high, aabb->max );
	for ( int i = 0; i < 3; ++i ) {
		for ( int k = 0; k < 3; ++k )
			set( &box.axis[i].x[k], i == k ? 1.0 : 0.0 );
		difference( &box.half[i], aabb->max[i], aabb->min[i] );
	}
	NAME( normals_of )( &box );
	for ( int k = 0; k < 3; ++k ) {
		vector corner, from_high;
		NAME( v_set )( &corner, triangle->corner[k] );
		NAME( v_sub )( &point[k], &corner, &low );
		NAME( v_sub )( &from_high, &corner, &high );
		NAME( v_add )( &point[k], &point[k], &from_high );
		NAME( v_difference )( &edge[k], triangle->corner[( k + 1 ) % 3], triangle->corner[k] );
	}
	return NAME( hull_separated )( point, edge, 3, &box );
}

// ------------------------------------------------------------------------------------------------
// Planes

// normal . x - offset
STATIC void NAME( height_of )( number *out, vector *normal, const double point[3], const dbvh_plane *plane ) {
	vector x;
	number offset;
	NAME( v_set )( &x, point );
	NAME( v_set )( normal, plane->normal );
	set( &offset, plane->offset );
	NAME( v_dot )( out, normal, &x );
	sub( out, out, &offset );
}

STATIC int NAME( point_plane_side )( const double point[3], const dbvh_plane *plane ) {
	SCOPE
	number h;
	vector normal;
	NAME( height_of )( &h, &normal, point, plane );
	return sign( &h );
}

STATIC int NAME( point_plane_compared )( const double point[3], const dbvh_plane *plane, const dbvhi_sum *terms ) {
	SCOPE
	number sum, square, h, nn;
	vector normal;
	int answer;
	if ( !NAME( square_of )( terms, &sum, &square, &answer ) )
		return answer;
	NAME( height_of )( &h, &normal, point, plane );
	NAME( v_dot )( &nn, &normal, &normal );
	return NAME( ratio_compared )( &h, &nn, &square );
}

// The height of the nearest point of a box, negative where it intersects the plane; returns the side of the centre.
STATIC int NAME( obb_height )( number *out, vector *normal, const dbvh_obb *obb, const dbvh_plane *plane ) {
	box_parts box;
	number h, width;
	NAME( box_of )( &box, obb );
	NAME( height_of )( &h, normal, obb->centre, plane );
	NAME( width_along )( &width, &box, normal );
	absolute( out, &h );
	sub( out, out, &width );
	return sign( &h );
}

STATIC int NAME( obb_plane_side )( const dbvh_obb *obb, const dbvh_plane *plane ) {
	SCOPE
	number h;
	vector normal;
	const int side = NAME( obb_height )( &h, &normal, obb, plane );
	const int apart = sign( &h );
	return apart == 1 ? side : apart == UNKNOWN ? UNKNOWN : 0;
}

STATIC int NAME( obb_plane_compared )( const dbvh_obb *obb, const dbvh_plane *plane, const dbvhi_sum *terms ) {
	SCOPE
	number sum, square, h, nn;
	vector normal;
	int answer;
	if ( !NAME( square_of )( terms, &sum, &square, &answer ) )
		return answer;
	NAME( obb_height )( &h, &normal, obb, plane );
	NAME( v_dot )( &nn, &normal, &normal );
	return NAME( ratio_compared )( &h, &nn, &square );
}
