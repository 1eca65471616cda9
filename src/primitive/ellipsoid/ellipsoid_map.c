// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The image of an ellipsoid under an affine map, and an ellipsoid against a convex polyhedron: what Larsson (2008,
// section 5) names as other uses of the transformation to the unit ball.

#include "base/fpenv.h"
#include "base/status.h"
#include "primitive/ellipsoid/ellipsoid.h"

#include <math.h>

// Turns two columns until they are orthogonal (Hestenes's one-sided Jacobi rotation, which keeps short columns as exact
// as long ones). False where they are so already.
static bool make_orthogonal( dbvhi_vec *p, dbvhi_vec *q ) {
	const double pp = dbvhi_dot( *p, *p ), qq = dbvhi_dot( *q, *q ), pq = dbvhi_dot( *p, *q );
	if ( !( fabs( pq ) > 0x1p-52 * sqrt( pp ) * sqrt( qq ) ) )
		return false;
	const double theta = ( qq - pp ) / ( 2.0 * pq );
	const double t = ( theta >= 0.0 ? 1.0 : -1.0 ) / ( fabs( theta ) + sqrt( 1.0 + theta * theta ) );
	const double c = 1.0 / sqrt( 1.0 + t * t ), s = t * c;
	const dbvhi_vec was = *p;
	*p = dbvhi_sub( dbvhi_scale( c, was ), dbvhi_scale( s, *q ) );
	*q = dbvhi_add( dbvhi_scale( s, was ), dbvhi_scale( c, *q ) );
	return true;
}

static DBVHI_NOINLINE_FP dbvh_status do_ellipsoid_transform( const dbvh_ellipsoid *ellipsoid, const double linear[3][3],
                                                             const double translation[3],
                                                             dbvh_ellipsoid *ellipsoid_out ) {
	if ( ellipsoid == NULL || linear == NULL || translation == NULL || ellipsoid_out == NULL )
		return DBVH_INVALID_ARGUMENT;
	const dbvh_ellipsoid e = *ellipsoid; // a copy: the result may overwrite the argument
	*ellipsoid_out = ( dbvh_ellipsoid ){ 0 };
	DBVHI_TRY( dbvhi_volume_check( e.centre, e.axis, e.half ) );
	dbvhi_vec column[3];
	dbvh_ellipsoid out;
	double largest = 0.0;
	for ( int i = 0; i < 3; ++i ) {
		const double *row = linear[i];
		for ( int k = 0; k < 3; ++k ) {
			largest = fmax( largest, fabs( row[k] ) );
			column[k].v[i] = ( row[0] * e.axis[k][0] + row[1] * e.axis[k][1] + row[2] * e.axis[k][2] ) * e.half[k];
		}
		out.centre[i] = row[0] * e.centre[0] + row[1] * e.centre[1] + row[2] * e.centre[2] + translation[i];
		if ( !isfinite( row[0] ) || !isfinite( row[1] ) || !isfinite( row[2] ) || !isfinite( translation[i] ) )
			return DBVH_NOT_FINITE;
	}
	if ( largest > 0x1p120 )
		return DBVH_LIMIT;
	for ( int sweep = 0; sweep < 60; ++sweep ) {
		bool turned = make_orthogonal( &column[0], &column[1] );
		turned = make_orthogonal( &column[0], &column[2] ) || turned;
		turned = make_orthogonal( &column[1], &column[2] ) || turned;
		if ( !turned )
			break;
	}
	for ( int k = 0; k < 3; ++k ) {
		out.half[k] = dbvhi_length( column[k] );
		for ( int c = 0; c < 3; ++c )
			out.axis[k][c] = column[k].v[c] / out.half[k];
		if ( !( out.half[k] > 0.0 ) )
			return DBVH_LIMIT;
	}
	const dbvh_status made = dbvhi_volume_check( out.centre, out.axis, out.half );
	if ( made == DBVH_OK )
		*ellipsoid_out = out;
	return made == DBVH_NOT_RIGID ? DBVH_LIMIT : made;
}

dbvh_status dbvh_ellipsoid_transform( const dbvh_ellipsoid *ellipsoid, const double linear[3][3],
                                      const double translation[3], dbvh_ellipsoid *ellipsoid_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_ellipsoid_transform( ellipsoid, linear, translation, ellipsoid_out ) );
}

// One triangle of a polyhedron: its corners from the ellipsoid's centre, and where that is the unit ball.
typedef struct face {
	dbvhi_vec corner[3], in_ball[3];
} face;

static face face_of( const dbvh_ellipsoid *e, const double ( *points )[3], const uint32_t triangle[3] ) {
	const dbvhi_vec inverse = dbvhi_inverse_half( e );
	face f;
	for ( size_t k = 0; k < 3; ++k ) {
		const double *p = points[triangle[k]];
		f.corner[k] = ( dbvhi_vec ){ { p[0] - e->centre[0], p[1] - e->centre[1], p[2] - e->centre[2] } };
		f.in_ball[k] = dbvhi_times( inverse, dbvhi_along( e->axis, f.corner[k] ) );
	}
	return f;
}

static dbvhi_vec normal_of( const face *f ) {
	return dbvhi_cross( dbvhi_sub( f->corner[1], f->corner[0] ), dbvhi_sub( f->corner[2], f->corner[0] ) );
}

// Does the foot of the origin on the triangle's plane lie in it? In two dimensions, without the dominating component.
static bool holds_foot( const face *f, dbvhi_vec normal, double height, double square ) {
	int drop = fabs( normal.v[1] ) > fabs( normal.v[0] ) ? 1 : 0;
	drop = fabs( normal.v[2] ) > fabs( normal.v[drop] ) ? 2 : drop;
	const int x = ( drop + 1 ) % 3, y = ( drop + 2 ) % 3;
	const double foot_x = normal.v[x] * height / square, foot_y = normal.v[y] * height / square;
	bool left = true, right = true;
	for ( int k = 0; k < 3; ++k ) {
		const dbvhi_vec a = f->in_ball[k], b = f->in_ball[( k + 1 ) % 3];
		const double turn = ( b.v[x] - a.v[x] ) * ( foot_y - a.v[y] ) - ( b.v[y] - a.v[y] ) * ( foot_x - a.v[x] );
		left = left && turn >= 0.0;
		right = right && turn <= 0.0;
	}
	return left || right;
}

// Does the triangle come within 1 of the origin of the ball's space? The normal there is that of the frame, mapped: as
// a cross product of stretched edges it would lose what a thin ellipsoid stretches.
static bool meets_face( const dbvh_ellipsoid *e, const face *f ) {
	for ( int k = 0; k < 3; ++k ) {
		const dbvhi_vec a = f->in_ball[k], b = f->in_ball[( k + 1 ) % 3];
		const dbvhi_vec middle = dbvhi_scale( 0.5, dbvhi_add( a, b ) ), reach = dbvhi_scale( 0.5, dbvhi_sub( b, a ) );
		if ( dbvhi_segment_near( middle, reach, dbvhi_dot( reach, reach ) ) )
			return true;
	}
	const dbvhi_vec across = normal_of( f );
	const dbvhi_vec normal =
	    dbvhi_times( ( dbvhi_vec ){ { e->half[0], e->half[1], e->half[2] } }, dbvhi_along( e->axis, across ) );
	const double height = dbvhi_dot( across, f->corner[0] ), square = dbvhi_dot( normal, normal );
	return square > 0.0 && height * height <= square && holds_foot( f, normal, height, square );
}

static dbvh_status check_polyhedron( const dbvh_polyhedron *p ) {
	if ( p->points == NULL || p->triangles == NULL || p->point_count == 0 || p->triangle_count == 0 )
		return DBVH_INVALID_ARGUMENT;
	for ( size_t i = 0; i < p->point_count; ++i )
		for ( int k = 0; k < 3; ++k ) {
			if ( !isfinite( p->points[i][k] ) )
				return DBVH_NOT_FINITE;
			if ( fabs( p->points[i][k] ) > 0x1p120 )
				return DBVH_LIMIT;
		}
	for ( size_t i = 0; i < p->triangle_count; ++i )
		for ( int k = 0; k < 3; ++k )
			if ( p->triangles[i][k] >= p->point_count )
				return DBVH_INVALID_ARGUMENT;
	return DBVH_OK;
}

static DBVHI_NOINLINE_FP dbvh_status do_ellipsoid_meets_polyhedron( const dbvh_ellipsoid *ellipsoid,
                                                                    const dbvh_polyhedron *polyhedron,
                                                                    bool *intersect_out ) {
	if ( ellipsoid == NULL || polyhedron == NULL || intersect_out == NULL )
		return DBVH_INVALID_ARGUMENT;
	*intersect_out = false;
	DBVHI_TRY( dbvhi_volume_check( ellipsoid->centre, ellipsoid->axis, ellipsoid->half ) );
	DBVHI_TRY( check_polyhedron( polyhedron ) );
	bool inside = true, meets = false;
	for ( size_t i = 0; i < polyhedron->triangle_count && !meets; ++i ) {
		const face f = face_of( ellipsoid, polyhedron->points, polyhedron->triangles[i] );
		inside = inside && dbvhi_dot( normal_of( &f ), f.corner[0] ) >= 0.0;
		meets = meets_face( ellipsoid, &f );
	}
	*intersect_out = meets || inside;
	return DBVH_OK;
}

dbvh_status dbvh_ellipsoid_polyhedron_intersect( const dbvh_ellipsoid *ellipsoid, const dbvh_polyhedron *polyhedron,
                                                 bool *intersect_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_ellipsoid_meets_polyhedron( ellipsoid, polyhedron, intersect_out ) );
}
