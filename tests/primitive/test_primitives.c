// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Primitives against oracles in exact arithmetic. A scale of 2500 is ten million cases of each (rounds.h).

#include "rounds.h"
#include "signed_distance.h"

static const uint64_t seed_default = 20261121;

static int sphere_a( const cores *c, vec p, num s ) {
	return oracle_point_point( p, V( ( (const dbvh_sphere *)c->a )->centre ), s );
}

// ------------------------------------------------------------------------------------------------
// Spheres

static int spheres_compared( const cores *c, vec shift, num s ) {
	return oracle_point_point( vadd( V( ( (const dbvh_sphere *)c->a )->centre ), shift ),
	                           V( ( (const dbvh_sphere *)c->b )->centre ), s );
}

static int sphere_b( const cores *c, vec p, num s ) {
	return oracle_point_point( p, V( ( (const dbvh_sphere *)c->b )->centre ), s );
}

static verdict sphere_sphere( maker *m, uint64_t index ) {
	dbvh_sphere a = make_sphere( m ), b = make_sphere( m );
	dbvh_signed_distance gap;
	bool meet;
	const dbvh_sphere point_b = { { b.centre[0], b.centre[1], b.centre[2] }, 0.0 };
	dbvh_sphere point_a = a;
	point_a.radius = 0.0;
	verdict v = { dbvh_sphere_sphere_signed_distance( &point_a, &point_b, &gap ) != DBVH_OK, false };
	a.radius = touching( m, gap.distance, a.radius );
	v.wrong |= dbvh_sphere_sphere_intersect( &a, &b, &meet ) != DBVH_OK;
	v.intersects = oracle_point_point( V( a.centre ), V( b.centre ), add( N( a.radius ), N( b.radius ) ) ) <= 0;
	v.wrong |= meet != v.intersects;
	if ( GAPS ) {
		const cores c = { &a,       &b,       spheres_compared,
		                  sphere_a, sphere_b, NULL,
		                  a.radius, b.radius, fmax( SIZE_OF( a ), SIZE_OF( b ) ) };
		v.wrong |= dbvh_sphere_sphere_signed_distance( &a, &b, &gap ) != DBVH_OK || !gap_is_right( &c, &gap );
	}
	return v;
}

static int sphere_aabb_compared( const cores *c, vec shift, num s ) {
	return oracle_point_aabb( vadd( V( ( (const dbvh_sphere *)c->a )->centre ), shift ), c->b, s );
}

static int aabb_b( const cores *c, vec p, num s ) {
	return oracle_point_aabb( p, c->b, s );
}

static int aabb_depth( const cores *c, num s ) {
	const dbvh_sphere *a = c->a;
	const dbvh_aabb *b = c->b;
	int sign = 1;
	for ( int k = 0; k < 3; ++k ) {
		const int up = cmp( sub( N( b->max[k] ), N( a->centre[k] ) ), s );
		const int down = cmp( sub( N( a->centre[k] ), N( b->min[k] ) ), s );
		sign = up < sign ? up : sign;
		sign = down < sign ? down : sign;
	}
	return sign < 0 ? -1 : sign;
}

static verdict sphere_aabb( maker *m, uint64_t index ) {
	const dbvh_aabb b = make_aabb( m );
	dbvh_sphere a = make_sphere( m );
	dbvh_signed_distance gap;
	bool meet;
	dbvh_sphere point_a = a;
	point_a.radius = 0.0;
	verdict v = { dbvh_sphere_aabb_signed_distance( &point_a, &b, &gap ) != DBVH_OK, false };
	a.radius = touching( m, gap.distance, a.radius );
	v.wrong |= dbvh_sphere_aabb_intersect( &a, &b, &meet ) != DBVH_OK;
	v.intersects = oracle_point_aabb( V( a.centre ), &b, N( a.radius ) ) <= 0;
	v.wrong |= meet != v.intersects;
	if ( GAPS ) {
		const cores c = { &a,       &b,     sphere_aabb_compared,
		                  sphere_a, aabb_b, aabb_depth,
		                  a.radius, 0.0,    fmax( SIZE_OF( a ), SIZE_OF( b ) ) };
		v.wrong |= dbvh_sphere_aabb_signed_distance( &a, &b, &gap ) != DBVH_OK || !gap_is_right( &c, &gap );
	}
	return v;
}

static int sphere_obb_compared( const cores *c, vec shift, num s ) {
	return oracle_point_obb( vadd( V( ( (const dbvh_sphere *)c->a )->centre ), shift ), c->b, s );
}

static int obb_b( const cores *c, vec p, num s ) {
	return oracle_point_obb( p, c->b, s );
}

static int obb_depth( const cores *c, num s ) {
	return oracle_obb_depth( V( ( (const dbvh_sphere *)c->a )->centre ), c->b, s );
}

static verdict sphere_obb( maker *m, uint64_t index ) {
	const dbvh_obb b = make_obb( m );
	dbvh_sphere a = make_sphere( m );
	dbvh_signed_distance gap = { 0 };
	bool meet;
	verdict v = { false, false };
	if ( one_in( m, 4 ) ) {
		dbvh_sphere point_a = a;
		point_a.radius = 0.0;
		v.wrong = dbvh_sphere_obb_signed_distance( &point_a, &b, &gap ) != DBVH_OK;
		a.radius = touching( m, gap.distance, a.radius );
	}
	v.wrong |= dbvh_sphere_obb_intersect( &a, &b, &meet ) != DBVH_OK;
	v.intersects = oracle_point_obb( V( a.centre ), &b, N( a.radius ) ) <= 0;
	v.wrong |= meet != v.intersects;
	if ( index % 8 == 0 ) {
		const cores c = { &a,       &b,    sphere_obb_compared,
		                  sphere_a, obb_b, obb_depth,
		                  a.radius, 0.0,   fmax( SIZE_OF( a ), obb_size( &b ) ) };
		v.wrong |= dbvh_sphere_obb_signed_distance( &a, &b, &gap ) != DBVH_OK || !gap_is_right( &c, &gap );
	}
	return v;
}

static int sphere_capsule_compared( const cores *c, vec shift, num s ) {
	const dbvh_capsule *b = c->b;
	return oracle_point_segment( vadd( V( ( (const dbvh_sphere *)c->a )->centre ), shift ), V( b->from ), V( b->to ),
	                             s );
}

static int capsule_b( const cores *c, vec p, num s ) {
	const dbvh_capsule *b = c->b;
	return oracle_point_segment( p, V( b->from ), V( b->to ), s );
}

static verdict sphere_capsule( maker *m, uint64_t index ) {
	const dbvh_capsule b = make_capsule( m );
	dbvh_sphere a = make_sphere( m );
	dbvh_capsule axis = b;
	axis.radius = 0.0;
	dbvh_signed_distance gap;
	bool meet;
	dbvh_sphere point_a = a;
	point_a.radius = 0.0;
	verdict v = { dbvh_sphere_capsule_signed_distance( &point_a, &axis, &gap ) != DBVH_OK, false };
	a.radius = touching( m, gap.distance, a.radius );
	v.wrong |= dbvh_sphere_capsule_intersect( &a, &b, &meet ) != DBVH_OK;
	v.intersects =
	    oracle_point_segment( V( a.centre ), V( b.from ), V( b.to ), add( N( a.radius ), N( b.radius ) ) ) <= 0;
	v.wrong |= meet != v.intersects;
	if ( GAPS ) {
		const cores c = { &a,       &b,       sphere_capsule_compared,           sphere_a, capsule_b, NULL,
		                  a.radius, b.radius, fmax( SIZE_OF( a ), SIZE_OF( b ) ) };
		v.wrong |= dbvh_sphere_capsule_signed_distance( &a, &b, &gap ) != DBVH_OK || !gap_is_right( &c, &gap );
	}
	return v;
}

static int sphere_triangle_compared( const cores *c, vec shift, num s ) {
	vec t[3];
	corners_of( c->b, t );
	return oracle_point_triangle( vadd( V( ( (const dbvh_sphere *)c->a )->centre ), shift ), t, s );
}

static int triangle_b( const cores *c, vec p, num s ) {
	vec t[3];
	corners_of( c->b, t );
	return oracle_point_triangle( p, t, s );
}

static verdict sphere_triangle( maker *m, uint64_t index ) {
	const dbvh_triangle b = make_triangle( m );
	dbvh_sphere a = make_sphere( m );
	dbvh_signed_distance gap;
	bool meet;
	verdict v = { false, false };
	if ( one_in( m, 3 ) ) {
		dbvh_sphere point_a = a;
		point_a.radius = 0.0;
		v.wrong = dbvh_sphere_triangle_signed_distance( &point_a, &b, &gap ) != DBVH_OK;
		a.radius = touching( m, gap.distance, a.radius );
	}
	vec t[3];
	corners_of( &b, t );
	v.wrong |= dbvh_sphere_triangle_intersect( &a, &b, &meet ) != DBVH_OK;
	v.intersects = oracle_point_triangle( V( a.centre ), t, N( a.radius ) ) <= 0;
	v.wrong |= meet != v.intersects;
	if ( index % 8 == 0 ) {
		const cores c = { &a,       &b,  sphere_triangle_compared,          sphere_a, triangle_b, NULL,
		                  a.radius, 0.0, fmax( SIZE_OF( a ), SIZE_OF( b ) ) };
		v.wrong |= dbvh_sphere_triangle_signed_distance( &a, &b, &gap ) != DBVH_OK || !gap_is_right( &c, &gap );
	}
	return v;
}

// ------------------------------------------------------------------------------------------------
// Capsules and triangles

static int capsules_compared( const cores *c, vec shift, num s ) {
	const dbvh_capsule *a = c->a, *b = c->b;
	return oracle_segment_segment( vadd( V( a->from ), shift ), vadd( V( a->to ), shift ), V( b->from ), V( b->to ),
	                               s );
}

static verdict capsule_capsule( maker *m, uint64_t index ) {
	dbvh_capsule a = make_capsule( m ), b = make_capsule( m );
	dbvh_signed_distance gap;
	bool meet;
	verdict v = { false, false };
	if ( one_in( m, 3 ) ) {
		dbvh_capsule p = a, q = b;
		p.radius = q.radius = 0.0;
		v.wrong = dbvh_capsule_capsule_signed_distance( &p, &q, &gap ) != DBVH_OK;
		a.radius = touching( m, gap.distance, a.radius );
		b.radius = one_in( m, 2 ) ? 0.0 : b.radius;
	}
	v.wrong |= dbvh_capsule_capsule_intersect( &a, &b, &meet ) != DBVH_OK;
	v.intersects = oracle_segment_segment( V( a.from ), V( a.to ), V( b.from ), V( b.to ),
	                                       add( N( a.radius ), N( b.radius ) ) ) <= 0;
	v.wrong |= meet != v.intersects;
	if ( index % 8 == 0 ) {
		const cores c = { &a,        &b,        capsules_compared,
		                  capsule_a, capsule_b, NULL,
		                  a.radius,  b.radius,  fmax( SIZE_OF( a ), SIZE_OF( b ) ) };
		v.wrong |= dbvh_capsule_capsule_signed_distance( &a, &b, &gap ) != DBVH_OK || !gap_is_right( &c, &gap );
	}
	return v;
}

static int capsule_triangle_compared( const cores *c, vec shift, num s ) {
	const dbvh_capsule *a = c->a;
	vec t[3];
	corners_of( c->b, t );
	return oracle_segment_triangle( vadd( V( a->from ), shift ), vadd( V( a->to ), shift ), t, s );
}

static verdict capsule_triangle( maker *m, uint64_t index ) {
	const dbvh_triangle b = make_triangle( m );
	dbvh_capsule a = make_capsule( m );
	double distance = 0.0;
	bool meet;
	verdict v = { false, false };
	if ( one_in( m, 4 ) ) {
		dbvh_capsule p = a;
		p.radius = 0.0;
		v.wrong = dbvh_capsule_triangle_distance( &p, &b, &distance ) != DBVH_OK;
		a.radius = touching( m, distance, a.radius );
	}
	vec t[3];
	corners_of( &b, t );
	v.wrong |= dbvh_capsule_triangle_intersect( &a, &b, &meet ) != DBVH_OK;
	v.intersects = oracle_segment_triangle( V( a.from ), V( a.to ), t, N( a.radius ) ) <= 0;
	v.wrong |= meet != v.intersects;
	if ( index % 8 == 0 ) {
		const cores c = { .a = &a, .b = &b, .compare = capsule_triangle_compared, .radius_a = a.radius };
		v.wrong |= dbvh_capsule_triangle_distance( &a, &b, &distance ) != DBVH_OK || !distance_is_right( &c, distance );
	}
	return v;
}

static int capsule_aabb_compared( const cores *c, vec shift, num s ) {
	const dbvh_capsule *a = c->a;
	return oracle_segment_aabb( vadd( V( a->from ), shift ), vadd( V( a->to ), shift ), c->b, s );
}

static verdict capsule_aabb( maker *m, uint64_t index ) {
	const dbvh_aabb b = make_aabb( m );
	dbvh_capsule a = make_capsule( m );
	double distance = 0.0;
	bool meet;
	verdict v = { false, false };
	if ( one_in( m, 4 ) ) {
		dbvh_capsule p = a;
		p.radius = 0.0;
		v.wrong = dbvh_capsule_aabb_distance( &p, &b, &distance ) != DBVH_OK;
		a.radius = touching( m, distance, a.radius );
	}
	v.wrong |= dbvh_capsule_aabb_intersect( &a, &b, &meet ) != DBVH_OK;
	v.intersects = oracle_segment_aabb( V( a.from ), V( a.to ), &b, N( a.radius ) ) <= 0;
	v.wrong |= meet != v.intersects;
	if ( index % 8 == 0 ) {
		const cores c = { .a = &a, .b = &b, .compare = capsule_aabb_compared, .radius_a = a.radius };
		v.wrong |= dbvh_capsule_aabb_distance( &a, &b, &distance ) != DBVH_OK || !distance_is_right( &c, distance );
	}
	return v;
}

static verdict segment_triangle( maker *m, uint64_t index ) {
	(void)index;
	const dbvh_triangle b = make_triangle( m );
	const dbvh_segment a = make_segment( m );
	bool meet;
	vec t[3];
	corners_of( &b, t );
	verdict v = { dbvh_segment_triangle_intersect( &a, &b, &meet ) != DBVH_OK, false };
	v.intersects = oracle_segment_triangle( V( a.from ), V( a.to ), t, N( 0.0 ) ) <= 0;
	v.wrong |= meet != v.intersects;
	return v;
}

// ------------------------------------------------------------------------------------------------
// Boxes

static verdict aabb_aabb( maker *m, uint64_t index ) {
	(void)index;
	const dbvh_aabb a = make_aabb( m ), b = make_aabb( m );
	bool meet;
	dbvh_signed_distance gap;
	verdict v = { dbvh_aabb_aabb_intersect( &a, &b, &meet ) != DBVH_OK ||
	                  dbvh_aabb_aabb_signed_distance( &a, &b, &gap ) != DBVH_OK,
	              true };
	num square = N( 0.0 ), least = N( 0.0 );
	for ( int k = 0; k < 3; ++k ) {
		const num up = sub( N( a.max[k] ), N( b.min[k] ) ), down = sub( N( b.max[k] ), N( a.min[k] ) );
		const num overlap = cmp( up, down ) < 0 ? up : down;
		v.intersects = v.intersects && sgn( overlap ) >= 0;
		if ( sgn( overlap ) < 0 )
			square = add( square, mul( overlap, overlap ) );
		least = k == 0 || cmp( overlap, least ) < 0 ? overlap : least;
	}
	v.wrong |= meet != v.intersects;
	if ( v.intersects ) {
		v.wrong |= gap.distance != 0.0 || ( isfinite( gap.depth ) && cmp( N( gap.depth ), least ) < 0 ) ||
		           ( gap.depth != 0.0 && cmp( N( before( gap.depth ) ), least ) >= 0 );
	} else {
		const num d = N( isfinite( gap.distance ) ? gap.distance : 0.0 ), e = N( before( gap.distance ) );
		v.wrong |= gap.depth != 0.0 || ( isfinite( gap.distance ) && cmp( mul( d, d ), square ) < 0 ) ||
		           cmp( mul( e, e ), square ) >= 0;
	}
	const double size = fmax( SIZE_OF( a ), SIZE_OF( b ) );
	if ( size < 0x1p900 && size > 0x1p-900 ) {
		double length = 0.0;
		for ( int k = 0; k < 3; ++k ) {
			const double slack = 0x1p-43 * size, way = ( gap.distance - gap.depth ) * gap.normal[k];
			length += gap.normal[k] * gap.normal[k];
			v.wrong |= !( fabs( gap.point_b[k] - gap.point_a[k] - way ) <= slack ) ||
			           gap.point_a[k] < a.min[k] - slack || gap.point_a[k] > a.max[k] + slack ||
			           gap.point_b[k] < b.min[k] - slack || gap.point_b[k] > b.max[k] + slack;
		}
		v.wrong |= !( fabs( length - 1.0 ) <= 0x1p-48 );
	}
	return v;
}

static verdict box_box( maker *m, uint64_t index ) {
	(void)index;
	dbvh_box a = make_box( m ), b = make_box( m );
	if ( one_in( m, 3 ) ) { // touching up to rounding
		const int k = (int)rng_below( &m->r, 3 );
		const double half = fabs( a.centre[k] - b.centre[k] ) - b.half[k];
		a.half[k] = half > 0.0 && isfinite( half ) ? half : a.half[k];
	}
	bool meet;
	verdict v = { dbvh_box_box_intersect( &a, &b, &meet ) != DBVH_OK, true };
	for ( int k = 0; k < 3; ++k )
		v.intersects = v.intersects && cmp( magnitude( sub( N( a.centre[k] ), N( b.centre[k] ) ) ),
		                                    add( N( a.half[k] ), N( b.half[k] ) ) ) <= 0;
	v.wrong |= meet != v.intersects;
	return v;
}

// Next to each other, with edges that are parallel or nearly: where separating axes are in doubt.
static void stack( maker *m, const dbvh_obb *a, dbvh_obb *b ) {
	const int k = (int)rng_below( &m->r, 3 );
	memcpy( b->axis, a->axis, sizeof b->axis );
	for ( int i = 0; i < 3; ++i ) {
		const double step = a->axis[k][i] * ( a->half[k] + b->half[k] ) * ( one_in( m, 2 ) ? 1.0 : 0.96875 );
		b->centre[i] = isfinite( a->centre[i] + step ) ? a->centre[i] + step : b->centre[i];
		if ( one_in( m, 4 ) )
			b->axis[i][( i + 1 ) % 3] += ldexp( 1.0, -(int)rng_below( &m->r, 50 ) - 22 );
	}
}

static verdict obb_obb( maker *m, uint64_t index ) {
	(void)index;
	dbvh_obb a = make_obb( m ), b = make_obb( m );
	if ( one_in( m, 4 ) )
		stack( m, &a, &b );
	bool meet, back;
	verdict v = { dbvh_obb_obb_intersect( &a, &b, &meet ) != DBVH_OK ||
	                  dbvh_obb_obb_intersect( &b, &a, &back ) != DBVH_OK,
	              oracle_obb_obb( &a, &b ) };
	v.wrong |= meet != v.intersects || back != v.intersects;
	return v;
}

static verdict triangle_obb( maker *m, uint64_t index ) {
	(void)index;
	const dbvh_triangle a = make_triangle( m );
	const dbvh_obb b = make_obb( m );
	bool meet;
	verdict v = { dbvh_triangle_obb_intersect( &a, &b, &meet ) != DBVH_OK, oracle_triangle_obb( &a, &b ) };
	v.wrong |= meet != v.intersects;
	return v;
}

static verdict triangle_aabb( maker *m, uint64_t index ) {
	(void)index;
	const dbvh_triangle a = make_triangle( m );
	const dbvh_aabb b = make_aabb( m );
	bool meet;
	verdict v = { dbvh_triangle_aabb_intersect( &a, &b, &meet ) != DBVH_OK, oracle_triangle_aabb( &a, &b ) };
	v.wrong |= meet != v.intersects;
	return v;
}

static bool is_upper( double x, num truth ) {
	return ( isinf( x ) ? x > 0.0 : cmp( N( x ), truth ) >= 0 ) && cmp( N( before( x ) ), truth ) < 0;
}

static bool is_lower( double x, num truth ) {
	return is_upper( -x, neg( truth ) );
}

static verdict bounds( maker *m, uint64_t index ) {
	(void)index;
	const dbvh_obb o = make_obb( m );
	const dbvh_box b = make_box( m );
	const dbvh_sphere s = make_sphere( m );
	const dbvh_capsule c = make_capsule( m );
	dbvh_aabb of_o, of_b, of_s, of_c;
	verdict v = { dbvh_obb_to_aabb( &o, &of_o ) != DBVH_OK || dbvh_box_to_aabb( &b, &of_b ) != DBVH_OK ||
	                  dbvh_sphere_to_aabb( &s, &of_s ) != DBVH_OK || dbvh_capsule_to_aabb( &c, &of_c ) != DBVH_OK,
	              one_in( m, 2 ) };
	for ( int k = 0; k < 3; ++k ) {
		num reach = N( 0.0 );
		for ( int i = 0; i < 3; ++i )
			reach = add( reach, mul( N( o.half[i] ), magnitude( N( o.axis[i][k] ) ) ) );
		v.wrong |= !is_upper( of_o.max[k], add( N( o.centre[k] ), reach ) ) ||
		           !is_lower( of_o.min[k], sub( N( o.centre[k] ), reach ) );
		v.wrong |= !is_upper( of_b.max[k], add( N( b.centre[k] ), N( b.half[k] ) ) ) ||
		           !is_lower( of_b.min[k], sub( N( b.centre[k] ), N( b.half[k] ) ) );
		v.wrong |= !is_upper( of_s.max[k], add( N( s.centre[k] ), N( s.radius ) ) ) ||
		           !is_lower( of_s.min[k], sub( N( s.centre[k] ), N( s.radius ) ) );
		v.wrong |= !is_upper( of_c.max[k], add( N( fmax( c.from[k], c.to[k] ) ), N( c.radius ) ) ) ||
		           !is_lower( of_c.min[k], sub( N( fmin( c.from[k], c.to[k] ) ), N( c.radius ) ) );
	}
	return v;
}

// ------------------------------------------------------------------------------------------------
// Planes: the side by all corners, the distance of the nearest

static bool level_is_right( const dbvh_plane_distance *level, const dbvh_plane *plane, const vec *corner, int count,
                            double radius ) {
	int side = oracle_plane_side( corner[0], plane );
	for ( int i = 0; i < count; ++i ) {
		if ( oracle_plane_side( corner[i], plane ) != side || oracle_point_plane( corner[i], plane, N( radius ) ) <= 0 )
			side = 0;
	}
	if ( level->side != side || side == 0 )
		return level->side == side && level->distance == 0.0;
	const double distance = level->distance * side;
	if ( !( distance > 0.0 ) )
		return false;
	bool within = isinf( distance ), beyond = true;
	for ( int i = 0; i < count; ++i ) {
		within = within || oracle_point_plane( corner[i], plane, add( N( radius ), N( distance ) ) ) <= 0;
		beyond = beyond && oracle_point_plane( corner[i], plane, add( N( radius ), N( before( distance ) ) ) ) > 0;
	}
	return within && beyond;
}

static int plane_b( const cores *c, vec p, num s ) {
	return oracle_point_plane( p, c->b, s );
}

static int sphere_plane_compared( const cores *c, vec shift, num s ) {
	return oracle_point_plane( vadd( V( ( (const dbvh_sphere *)c->a )->centre ), shift ), c->b, s );
}

static verdict planes( maker *m, uint64_t index ) {
	vec corner[8];
	dbvh_plane_distance level;
	verdict v = { false, false };
	const maker start = *m;
	switch ( index % 6 ) {
	case 0: {
		dbvh_sphere a = make_sphere( m );
		const dbvh_plane plane = make_plane( m );
		v.wrong |= dbvh_point_plane_distance( a.centre, &plane, &level ) != DBVH_OK;
		corner[0] = V( a.centre );
		v.wrong |= !level_is_right( &level, &plane, corner, 1, 0.0 );
		a.radius = touching( m, fabs( level.distance ), a.radius );
		v.wrong |= dbvh_sphere_plane_distance( &a, &plane, &level ) != DBVH_OK ||
		           !level_is_right( &level, &plane, corner, 1, a.radius );
		int side;
		v.wrong |= dbvh_sphere_plane_side( &a, &plane, &side ) != DBVH_OK || side != level.side;
		dbvh_signed_distance gap;
		const double *n = plane.normal;
		const double size =
		    fmax( SIZE_OF( a ), fabs( plane.offset ) / sqrt( n[0] * n[0] + n[1] * n[1] + n[2] * n[2] ) );
		const cores c = { &a, &plane, sphere_plane_compared, sphere_a, plane_b, NULL, a.radius, 0.0, size };
		v.wrong |= dbvh_sphere_plane_signed_distance( &a, &plane, &gap ) != DBVH_OK ||
		           !distance_is_right( &c, gap.distance ) || !depth_is_right( &c, gap.depth );
		if ( m->family < 5 && m->scale == 1.0 && isfinite( size ) )
			v.wrong |= !points_are_right( &c, &gap );
		break;
	}
	case 1: {
		const dbvh_aabb a = make_aabb( m );
		const dbvh_plane plane = make_plane( m );
		for ( int k = 0; k < 8; ++k )
			corner[k] = ( vec ){ { N( ( k & 1 ) != 0 ? a.max[0] : a.min[0] ), N( ( k & 2 ) != 0 ? a.max[1] : a.min[1] ),
			                       N( ( k & 4 ) != 0 ? a.max[2] : a.min[2] ) } };
		v.wrong |= dbvh_aabb_plane_distance( &a, &plane, &level ) != DBVH_OK ||
		           !level_is_right( &level, &plane, corner, 8, 0.0 );
		break;
	}
	case 2:
	case 3: {
		const dbvh_obb a = make_obb( m );
		const dbvh_plane plane = make_plane( m );
		for ( int k = 0; k < 8; ++k ) {
			corner[k] = V( a.centre );
			for ( int i = 0; i < 3; ++i ) {
				const vec step = vmul( N( a.half[i] ), V( a.axis[i] ) );
				corner[k] = ( k >> i & 1 ) != 0 ? vadd( corner[k], step ) : vsub( corner[k], step );
			}
		}
		v.wrong |= dbvh_obb_plane_distance( &a, &plane, &level ) != DBVH_OK ||
		           !level_is_right( &level, &plane, corner, 8, 0.0 );
		break;
	}
	case 4: {
		const dbvh_capsule a = make_capsule( m );
		const dbvh_plane plane = make_plane( m );
		corner[0] = V( a.from );
		corner[1] = V( a.to );
		v.wrong |= dbvh_capsule_plane_distance( &a, &plane, &level ) != DBVH_OK ||
		           !level_is_right( &level, &plane, corner, 2, a.radius );
		break;
	}
	default: {
		const dbvh_triangle a = make_triangle( m );
		const dbvh_plane plane = make_plane( m );
		corners_of( &a, corner );
		v.wrong |= dbvh_triangle_plane_distance( &a, &plane, &level ) != DBVH_OK ||
		           !level_is_right( &level, &plane, corner, 3, 0.0 );
	}
	}
	v.intersects = level.side == 0;
	if ( index % 6 == 1 ) {
		int side;
		maker again = start;
		const dbvh_aabb a = make_aabb( &again );
		const dbvh_plane plane = make_plane( &again );
		v.wrong |= dbvh_aabb_plane_side( &a, &plane, &side ) != DBVH_OK || side != level.side;
	}
	return v;
}

// ------------------------------------------------------------------------------------------------
// Segments and rays

static bool point_is_near( const dbvh_hit_interval *hit_interval, const double from[3], const double step[3] ) {
	for ( int k = 0; k < 3; ++k ) {
		const double way = hit_interval->enter == 0.0 ? 0.0 : hit_interval->enter * step[k];
		if ( isfinite( way ) && fabs( way ) < 1e300 && fabs( from[k] ) < 1e300 &&
		     !( fabs( hit_interval->point[k] - from[k] - way ) <=
		        0x1p-49 * ( fabs( from[k] ) + fabs( way ) ) + 0x1p-1070 ) )
			return false;
	}
	return true;
}

typedef struct ball_line {
	vec from, step;
	bool bounded;
	num radius;
} ball_line;

static bool ball_span_is_right( const ball_line *l, const dbvh_hit_interval *hit_interval, bool *intersects ) {
	const bool moves = sgn( l->step.x[0] ) != 0 || sgn( l->step.x[1] ) != 0 || sgn( l->step.x[2] ) != 0;
	const bool inside = cmp( dot( l->from, l->from ), mul( l->radius, l->radius ) ) <= 0;
	*intersects = moves ? oracle_ball_met( l->from, l->step, l->bounded, l->radius ) : inside;
	if ( hit_interval->intersects != *intersects || !*intersects )
		return hit_interval->intersects == *intersects;
	if ( hit_interval->inside != inside )
		return false;
	if ( !moves )
		return hit_interval->enter == 0.0 && hit_interval->exit == 0.0;
	if ( inside ? hit_interval->enter != 0.0
	            : oracle_first_root( l->from, l->step, l->radius, N( hit_interval->enter ) ) > 0 ||
	                  ( isfinite( nextafter( hit_interval->enter, INFINITY ) ) &&
	                    oracle_first_root( l->from, l->step, l->radius,
	                                       N( nextafter( hit_interval->enter, INFINITY ) ) ) <= 0 ) )
		return false;
	const vec end = vadd( l->from, l->step );
	if ( l->bounded && cmp( dot( end, end ), mul( l->radius, l->radius ) ) <= 0 )
		return hit_interval->exit == 1.0;
	if ( isfinite( hit_interval->exit ) &&
	     oracle_last_root( l->from, l->step, l->radius, N( hit_interval->exit ) ) < 0 )
		return false;
	return hit_interval->exit == 0.0 ||
	       oracle_last_root( l->from, l->step, l->radius, N( before( hit_interval->exit ) ) ) < 0;
}

static verdict line_sphere( maker *m, uint64_t index ) {
	const bool is_ray = index % 2 == 0;
	const dbvh_sphere s = make_sphere( m );
	dbvh_hit_interval hit_interval;
	verdict v = { false, false };
	ball_line l = { .bounded = !is_ray, .radius = N( s.radius ) };
	if ( is_ray ) {
		const dbvh_ray ray = make_ray( m );
		v.wrong |= dbvh_ray_sphere_hit( &ray, &s, &hit_interval ) != DBVH_OK;
		l.from = vsub( V( ray.from ), V( s.centre ) );
		l.step = V( ray.direction );
		v.wrong |= !ball_span_is_right( &l, &hit_interval, &v.intersects );
		v.wrong |= v.intersects && !point_is_near( &hit_interval, ray.from, ray.direction );
	} else {
		const dbvh_segment g = make_segment( m );
		bool meet;
		const double step[3] = { g.to[0] - g.from[0], g.to[1] - g.from[1], g.to[2] - g.from[2] };
		v.wrong |= dbvh_segment_sphere_hit( &g, &s, &hit_interval ) != DBVH_OK ||
		           dbvh_segment_sphere_intersect( &g, &s, &meet ) != DBVH_OK;
		l.from = vsub( V( g.from ), V( s.centre ) );
		l.step = vsub( V( g.to ), V( g.from ) );
		v.wrong |= !ball_span_is_right( &l, &hit_interval, &v.intersects ) || meet != v.intersects;
		v.wrong |= v.intersects && !point_is_near( &hit_interval, g.from, step );
	}
	return v;
}

static bool box_span_is_right( const dbvh_hit_interval *hit_interval, bool met, bool bounded, bool moves, fraction from,
                               fraction to, bool endless ) {
	if ( hit_interval->intersects != met || !met )
		return hit_interval->intersects == met;
	if ( hit_interval->inside != ( sgn( from.n ) == 0 ) )
		return false;
	if ( !moves )
		return hit_interval->enter == 0.0 && hit_interval->exit == 0.0;
	(void)bounded;
	if ( fraction_compare( fraction_of( N( hit_interval->enter ) ), from ) > 0 )
		return false;
	const double next = nextafter( hit_interval->enter, INFINITY );
	if ( isfinite( next ) && fraction_compare( fraction_of( N( next ) ), from ) <= 0 )
		return false;
	if ( endless )
		return isinf( hit_interval->exit );
	if ( isfinite( hit_interval->exit ) && fraction_compare( fraction_of( N( hit_interval->exit ) ), to ) < 0 )
		return false;
	return hit_interval->exit == 0.0 || fraction_compare( fraction_of( N( before( hit_interval->exit ) ) ), to ) < 0;
}

static verdict line_box( maker *m, uint64_t index ) {
	const bool is_ray = index % 2 == 0, oriented = index / 2 % 2 == 0;
	const dbvh_aabb aabb = make_aabb( m );
	const dbvh_obb obb = make_obb( m );
	dbvh_hit_interval hit_interval;
	verdict v = { false, false };
	vec from, step;
	bool meet = false, also = false;
	if ( is_ray ) {
		const dbvh_ray ray = make_ray( m );
		v.wrong |= ( oriented ? dbvh_ray_obb_hit( &ray, &obb, &hit_interval )
		                      : dbvh_ray_aabb_hit( &ray, &aabb, &hit_interval ) ) != DBVH_OK;
		from = V( ray.from );
		step = V( ray.direction );
		meet = also = hit_interval.intersects;
		v.wrong |= hit_interval.intersects && !point_is_near( &hit_interval, ray.from, ray.direction );
	} else {
		const dbvh_segment g = make_segment( m );
		const double way[3] = { g.to[0] - g.from[0], g.to[1] - g.from[1], g.to[2] - g.from[2] };
		v.wrong |= ( oriented ? dbvh_segment_obb_hit( &g, &obb, &hit_interval )
		                      : dbvh_segment_aabb_hit( &g, &aabb, &hit_interval ) ) != DBVH_OK;
		v.wrong |= ( oriented ? dbvh_segment_obb_intersect( &g, &obb, &meet )
		                      : dbvh_segment_aabb_intersect( &g, &aabb, &meet ) ) != DBVH_OK;
		from = V( g.from );
		step = vsub( V( g.to ), V( g.from ) );
		also = hit_interval.intersects;
		v.wrong |= hit_interval.intersects && !point_is_near( &hit_interval, g.from, way );
	}
	fraction first, last;
	bool endless = false;
	v.intersects = oriented ? oracle_clip_obb( from, step, !is_ray, &obb, &first, &last, &endless )
	                        : oracle_clip_aabb( from, step, !is_ray, V( aabb.min ), V( aabb.max ), &first, &last );
	const bool moves = sgn( step.x[0] ) != 0 || sgn( step.x[1] ) != 0 || sgn( step.x[2] ) != 0;
	v.wrong |= meet != v.intersects || also != v.intersects ||
	           !box_span_is_right( &hit_interval, v.intersects, !is_ray, moves, first, last, endless );
	return v;
}

// ------------------------------------------------------------------------------------------------

// Does the ray meet the segment? Cramer's rule in the plane of both; collinear ones by their order along the ray.
static bool ray_meets_segment( vec p, vec d, vec a, vec b ) {
	const vec e = vsub( b, a ), w = vsub( a, p ), n = cross( d, e );
	if ( sgn( dot( n, n ) ) != 0 ) {
		const num at = dot( cross( w, e ), n ), along = dot( cross( w, d ), n );
		return sgn( dot( w, n ) ) == 0 && sgn( at ) >= 0 && sgn( along ) >= 0 && cmp( along, dot( n, n ) ) <= 0;
	}
	const vec to_a = cross( w, d ), we = cross( w, e );
	if ( sgn( dot( d, d ) ) == 0 ) // the point p
		return oracle_point_segment( p, a, b, N( 0.0 ) ) == 0;
	return sgn( dot( to_a, to_a ) ) == 0 && sgn( dot( we, we ) ) == 0 &&
	       ( sgn( dot( w, d ) ) >= 0 || sgn( dot( vsub( b, p ), d ) ) >= 0 );
}

static verdict line_triangle( maker *m, uint64_t index ) {
	const bool is_ray = index % 2 == 0;
	const dbvh_triangle b = make_triangle( m );
	dbvh_hit hit;
	verdict v = { false, false };
	vec t[3], from, d;
	corners_of( &b, t );
	if ( is_ray ) {
		const dbvh_ray ray = make_ray( m );
		v.wrong |= dbvh_ray_triangle_hit( &ray, &b, &hit ) != DBVH_OK;
		from = V( ray.from );
		d = V( ray.direction );
	} else {
		const dbvh_segment g = make_segment( m );
		v.wrong |= dbvh_segment_triangle_hit( &g, &b, &hit ) != DBVH_OK;
		from = V( g.from );
		d = vsub( V( g.to ), V( g.from ) );
		v.intersects = oracle_segment_triangle( from, V( g.to ), t, N( 0.0 ) ) <= 0;
	}
	const vec ab = vsub( t[1], t[0] ), ac = vsub( t[2], t[0] ), w = vsub( t[0], from );
	num det = det3( d, ab, ac ), at = det3( w, ab, ac ), x = neg( det3( d, w, ac ) ), y = neg( det3( d, ab, w ) );
	if ( sgn( det ) < 0 ) {
		det = neg( det );
		at = neg( at );
		x = neg( x );
		y = neg( y );
	}
	const bool inside =
	    sgn( det ) > 0 && sgn( at ) >= 0 && sgn( x ) >= 0 && sgn( y ) >= 0 && cmp( add( x, y ), det ) <= 0;
	if ( is_ray ) {
		v.intersects = inside || oracle_point_triangle( from, t, N( 0.0 ) ) == 0;
		for ( int k = 0; k < 3 && sgn( det ) == 0 && !v.intersects; ++k )
			v.intersects = ray_meets_segment( from, d, t[k], t[( k + 1 ) % 3] );
	}
	v.wrong |= hit.intersects != v.intersects;
	if ( inside && hit.intersects && isfinite( hit.t ) ) { // the nearest double
		const num off = magnitude( sub( mul( N( hit.t ), det ), at ) );
		const double up = nextafter( hit.t, INFINITY );
		v.wrong |= hit.t < 0.0 || ( isfinite( up ) && cmp( off, magnitude( sub( mul( N( up ), det ), at ) ) ) > 0 ) ||
		           ( hit.t > 0.0 && cmp( off, magnitude( sub( mul( N( before( hit.t ) ), det ), at ) ) ) > 0 );
	}
	return v;
}

// ------------------------------------------------------------------------------------------------
// Planes

static num height( const double n[3], num offset, vec at ) {
	return sub( dot( V( n ), at ), offset );
}

// Oracle by the heights of both ends: a quotient, and no root.
static verdict line_plane( maker *m, uint64_t index ) {
	const bool is_ray = index % 2 == 0;
	const dbvh_plane plane = make_plane( m );
	dbvh_hit_interval hit_interval;
	verdict v = { false, false };
	double from[3], way[3];
	vec step;
	if ( is_ray ) {
		const dbvh_ray ray = make_ray( m );
		v.wrong |= dbvh_ray_plane_hit( &ray, &plane, &hit_interval ) != DBVH_OK;
		memcpy( from, ray.from, sizeof from );
		memcpy( way, ray.direction, sizeof way );
		step = V( way );
	} else {
		const dbvh_segment g = make_segment( m );
		v.wrong |= dbvh_segment_plane_hit( &g, &plane, &hit_interval ) != DBVH_OK;
		memcpy( from, g.from, sizeof from );
		for ( int k = 0; k < 3; ++k )
			way[k] = g.to[k] - g.from[k];
		step = vsub( V( g.to ), V( g.from ) );
	}
	const num start = height( plane.normal, N( plane.offset ), V( from ) ), rate = dot( V( plane.normal ), step );
	const bool crosses =
	    sgn( start ) * sgn( rate ) < 0 && ( is_ray || cmp( magnitude( start ), magnitude( rate ) ) <= 0 );
	v.intersects = sgn( start ) == 0 || crosses;
	const bool moves = sgn( step.x[0] ) != 0 || sgn( step.x[1] ) != 0 || sgn( step.x[2] ) != 0;
	const bool within = sgn( start ) == 0 && sgn( rate ) == 0 && moves;
	fraction first = { magnitude( start ), sgn( rate ) != 0 ? magnitude( rate ) : N( 1.0 ) }, last = first;
	if ( within )
		last = fraction_of( N( 1.0 ) );
	v.wrong |= !box_span_is_right( &hit_interval, v.intersects, !is_ray, moves, first, last, within && is_ray );
	v.wrong |= v.intersects && !point_is_near( &hit_interval, from, way );
	return v;
}

// Is x the double nearest to a number?
static bool is_nearest( double x, num truth ) {
	const num twice = add( truth, truth );
	return cmp( twice, add( N( x ), N( before( x ) ) ) ) >= 0 &&
	       cmp( twice, add( N( x ), N( nextafter( x, INFINITY ) ) ) ) <= 0;
}

// The normal against the true one, by the sine between them; no quotient either. 'Intersects': a plane there is.
static verdict plane_of_points( maker *m, uint64_t index ) {
	double p[3][3];
	for ( int i = 0; i < 3; ++i )
		point( m, p[i] );
	if ( index % 8 == 0 ) { // nearly in a line
		for ( int k = 0; k < 3; ++k )
			p[2][k] = 2.0 * p[1][k] - p[0][k];
		if ( !( isfinite( p[2][0] ) && isfinite( p[2][1] ) && isfinite( p[2][2] ) ) )
			memcpy( p[2], p[1], sizeof p[2] );
	}
	dbvh_plane plane;
	const dbvh_status status = dbvh_plane_from_points( p[0], p[1], p[2], &plane );
	const vec n = cross( vsub( V( p[1] ), V( p[0] ) ), vsub( V( p[2] ), V( p[0] ) ) );
	const bool is_line = sgn( n.x[0] ) == 0 && sgn( n.x[1] ) == 0 && sgn( n.x[2] ) == 0;
	verdict v = { false, !is_line };
	if ( is_line || status == DBVH_LIMIT )
		return ( verdict ){ is_line ? status != DBVH_INVALID_ARGUMENT : m->family < 5, !is_line };
	v.wrong = status != DBVH_OK || !is_nearest( plane.offset, dot( V( plane.normal ), V( p[0] ) ) );
	const vec unit = V( plane.normal ), sine = cross( unit, n );
	v.wrong |= sgn( dot( unit, n ) ) <= 0;
	v.wrong |= cmp( dot( sine, sine ), mul( N( 0x1p-99 ), dot( n, n ) ) ) > 0;
	v.wrong |= cmp( magnitude( sub( dot( unit, unit ), N( 1.0 ) ) ), N( 0x1p-50 ) ) > 0;
	dbvh_plane also;
	const double longer[3] = { 2.0 * plane.normal[0], 2.0 * plane.normal[1], 2.0 * plane.normal[2] };
	if ( dbvh_plane_from_point( p[1], longer, &also ) != DBVH_LIMIT )
		v.wrong |= memcmp( also.normal, longer, sizeof longer ) != 0 ||
		           !is_nearest( also.offset, dot( V( longer ), V( p[1] ) ) );
	return v;
}

static const family families[] = {
    { "sphere_sphere", sphere_sphere },
    { "sphere_aabb", sphere_aabb },
    { "sphere_obb", sphere_obb },
    { "sphere_capsule", sphere_capsule },
    { "sphere_triangle", sphere_triangle },
    { "capsule_capsule", capsule_capsule },
    { "capsule_triangle", capsule_triangle },
    { "capsule_aabb", capsule_aabb },
    { "segment_triangle", segment_triangle },
    { "line_plane", line_plane },
    { "plane_of_points", plane_of_points },
    { "aabb_aabb", aabb_aabb },
    { "box_box", box_box },
    { "obb_obb", obb_obb },
    { "triangle_obb", triangle_obb },
    { "triangle_aabb", triangle_aabb },
    { "bounds", bounds },
    { "planes", planes },
    { "line_sphere", line_sphere },
    { "line_box", line_box },
    { "line_triangle", line_triangle },
};

static void test_against_oracles( void **state ) {
	(void)state;
	run_families( families, sizeof families / sizeof families[0], "primitives", seed_default, 4000 );
}

// Cases that long runs have found.
static void test_found( void **state ) {
	(void)state;
	// A needle whose normal is lost to underflow, and a ball round a corner of it.
	const double tiny = 0x0.0000000000001p-1022;
	const dbvh_sphere ball = { { -0x1.fffffffffffffp-2, -tiny, -tiny }, 0.25 };
	const dbvh_triangle needle = { { { -0x1.fffffffffffffp-2, -tiny, -tiny },
	                                 { 1.0, tiny, -0x1.8000000000001p-1 },
	                                 { -1.25, -2.0 * tiny, 0x1.8000000000001p-2 } } };
	const cores c = { &ball, &needle, sphere_triangle_compared, sphere_a, triangle_b, NULL, ball.radius, 0.0, 1.25 };
	dbvh_signed_distance gap;
	assert_int_equal( dbvh_sphere_triangle_signed_distance( &ball, &needle, &gap ), DBVH_OK );
	assert_true( gap_is_right( &c, &gap ) );

	// A capsule of the least length there is, on the end of another.
	const dbvh_capsule rod = { { 0.0, 0x1.0000000000001p-1, 0.75 }, { 0.0, -0.75, 0x1.fffffffffffffp-3 }, 0.5 };
	const dbvh_capsule bead = { { 0.0, 0x1.0000000000001p-1, 0.75 }, { -tiny, 0x1.0000000000001p-1, 0.75 }, 0.25 };
	const cores d = { &rod, &bead, capsules_compared, capsule_a, capsule_b, NULL, rod.radius, bead.radius, 0.75 };
	assert_int_equal( dbvh_capsule_capsule_signed_distance( &rod, &bead, &gap ), DBVH_OK );
	assert_true( gap_is_right( &d, &gap ) );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = { cmocka_unit_test( test_against_oracles ), cmocka_unit_test( test_found ) };
	return test_main( argc, argv, tests );
}
