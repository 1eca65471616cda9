// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Sweeps against the analytic answer in exact arithmetic, and against samples in time. A scale of 5000 is ten million
// cases of each (rounds.h).

#include "oracle.h"
#include "rounds.h"

static const uint64_t seed_default = 20261122;

enum { SAMPLES = 24, DENSE = 4096 };

static double before( double x ) {
	return nextafter( x, -INFINITY );
}

static double after( double x ) {
	return nextafter( x, INFINITY );
}

static const double nowhere[3] = { 0.0, 0.0, 0.0 };

typedef struct motion {
	double a[3], b[3];
	const double *a_by, *b_by;
	vec step; // a less b
} motion;

// Away, towards, along, not at all; `from` and `to` are points of the two shapes.
static void make_motion( maker *m, motion *out, const double from[3], const double to[3] ) {
	memset( out->a, 0, sizeof out->a );
	memset( out->b, 0, sizeof out->b );
	const uint64_t kind = rng_below( &m->r, 8 );
	const double speed = kind == 0 ? 0.0 : kind < 3 ? 1.0 : rng_range( &m->r, -1.0, 3.0 );
	for ( int k = 0; k < 3; ++k ) {
		const double way = to[k] - from[k];
		if ( kind < 5 && isfinite( way * speed ) )
			out->a[k] = kind == 2 ? way * 0.5 : way * speed;
		else
			out->a[k] =
			    one_in( m, 4 ) ? 0.0 : coordinate( m ) * ( fabs( m->scale ) < 1e100 && m->family < 5 ? 2.0 : 1.0 );
		out->b[k] = one_in( m, 3 ) ? 0.0 : coordinate( m );
	}
	out->a_by = one_in( m, 8 ) ? NULL : out->a;
	out->b_by = one_in( m, 2 ) ? NULL : out->b;
	if ( one_in( m, 12 ) ) { // alike: no relative motion
		memcpy( out->b, out->a, sizeof out->b );
		out->a_by = out->a;
		out->b_by = out->b;
	}
	out->step = vsub( V( out->a_by != NULL ? out->a_by : nowhere ), V( out->b_by != NULL ? out->b_by : nowhere ) );
}

static bool moves( const motion *o ) {
	return sgn( o->step.x[0] ) != 0 || sgn( o->step.x[1] ) != 0 || sgn( o->step.x[2] ) != 0;
}

// Samples: at no time do they intersect outside [first, last], and at all times well inside they do.
typedef bool meets_at( const void *context, double t );

static bool samples_agree( maker *m, const dbvh_shape_cast_result *s, meets_at *intersects, const void *context ) {
	// Mostly a few; of some sweeps as many as would not miss a thing in practice.
	const int samples = one_in( m, 400 ) ? DENSE : SAMPLES;
	const size_t mark = number_used;
	for ( int i = 0; i <= samples; ++i ) {
		double t = samples == DENSE ? (double)i / DENSE : i <= 8 ? i / 8.0 : rng_unit( &m->r );
		if ( samples == SAMPLES && i > 8 && s->intersects && one_in( m, 2 ) )
			t = s->enter + ( s->exit - s->enter ) * t;
		number_used = mark;
		const bool met = intersects( context, t );
		if ( met && ( !s->intersects || t < s->enter || t > s->exit ) )
			return false;
		if ( !met && s->intersects && t > after( s->enter ) && t < before( s->exit ) )
			return false;
	}
	return true;
}

static bool is_consistent( const dbvh_shape_cast_result *s, bool contact, bool at_start, bool at_end ) {
	if ( s->intersects != contact || s->at_start != at_start || s->at_end != at_end )
		return false;
	if ( !contact )
		return s->enter == 0.0 && s->exit == 0.0;
	return s->enter >= 0.0 && s->enter <= s->exit && s->exit <= 1.0 && ( !at_start || s->enter == 0.0 ) &&
	       ( !at_end || s->exit == 1.0 );
}

// ------------------------------------------------------------------------------------------------

typedef struct case_of {
	const dbvh_sphere *sphere;
	const void *other;
	vec from, step;
	num radius;
} case_of;

static vec place( const case_of *c, double t ) {
	return vadd( c->from, vmul( N( t ), c->step ) );
}

static bool spheres_meet( const void *context, double t ) {
	const case_of *c = context;
	const vec at = place( c, t );
	return cmp( dot( at, at ), mul( c->radius, c->radius ) ) <= 0;
}

static verdict sphere_sphere( maker *m, uint64_t index ) {
	(void)index;
	const dbvh_sphere a = make_sphere( m ), b = make_sphere( m );
	motion o;
	dbvh_shape_cast_result s;
	make_motion( m, &o, a.centre, b.centre );
	verdict v = { dbvh_sphere_sphere_cast( &a, o.a_by, &b, o.b_by, &s ) != DBVH_OK, false };
	const case_of c = { &a, &b, vsub( V( a.centre ), V( b.centre ) ), o.step, add( N( a.radius ), N( b.radius ) ) };
	const bool start = spheres_meet( &c, 0.0 ), end = spheres_meet( &c, 1.0 );
	v.intersects = moves( &o ) ? oracle_ball_met( c.from, c.step, true, c.radius ) : start;
	v.wrong |= !is_consistent( &s, v.intersects, start, end );
	if ( v.intersects && !v.wrong && moves( &o ) ) {
		if ( !start )
			v.wrong |= oracle_first_root( c.from, c.step, c.radius, N( s.enter ) ) > 0 ||
			           oracle_first_root( c.from, c.step, c.radius, N( after( s.enter ) ) ) <= 0;
		if ( !end )
			v.wrong |= oracle_last_root( c.from, c.step, c.radius, N( s.exit ) ) < 0 ||
			           oracle_last_root( c.from, c.step, c.radius, N( before( s.exit ) ) ) >= 0;
	}
	v.wrong |= !samples_agree( m, &s, spheres_meet, &c );
	return v;
}

typedef struct boxes {
	const dbvh_aabb *a, *b;
	vec step;
} boxes;

static bool boxes_meet( const void *context, double t ) {
	const boxes *c = context;
	for ( int k = 0; k < 3; ++k ) {
		const num moved = mul( N( t ), c->step.x[k] );
		if ( cmp( add( N( c->a->min[k] ), moved ), N( c->b->max[k] ) ) > 0 ||
		     cmp( add( N( c->a->max[k] ), moved ), N( c->b->min[k] ) ) < 0 )
			return false;
	}
	return true;
}

static verdict aabb_aabb( maker *m, uint64_t index ) {
	(void)index;
	const dbvh_aabb a = make_aabb( m ), b = make_aabb( m );
	motion o;
	dbvh_shape_cast_result s;
	make_motion( m, &o, one_in( m, 2 ) ? a.min : a.max, one_in( m, 2 ) ? b.min : b.max );
	verdict v = { dbvh_aabb_aabb_cast( &a, o.a_by, &b, o.b_by, &s ) != DBVH_OK, false };
	const boxes c = { &a, &b, o.step };
	fraction first, last;
	v.intersects = oracle_clip_aabb( V( nowhere ), o.step, true, vsub( V( b.min ), V( a.max ) ),
	                                 vsub( V( b.max ), V( a.min ) ), &first, &last );
	v.wrong |= !is_consistent( &s, v.intersects, boxes_meet( &c, 0.0 ), boxes_meet( &c, 1.0 ) );
	if ( v.intersects && !v.wrong && moves( &o ) ) {
		v.wrong |= fraction_compare( fraction_of( N( s.enter ) ), first ) > 0 ||
		           fraction_compare( fraction_of( N( after( s.enter ) ) ), first ) <= 0 ||
		           fraction_compare( fraction_of( N( s.exit ) ), last ) < 0 ||
		           ( s.exit > 0.0 && fraction_compare( fraction_of( N( before( s.exit ) ) ), last ) >= 0 );
	}
	v.wrong |= !samples_agree( m, &s, boxes_meet, &c );
	return v;
}

static bool plane_met( const void *context, double t ) {
	const case_of *c = context;
	return oracle_point_plane( place( c, t ), c->other, c->radius ) <= 0;
}

// Has the sphere not reached the plane yet, seen from where it starts: is it on that side, no nearer than the radius?
static int reached( const case_of *c, double start, double t ) {
	const int side = oracle_plane_side( place( c, start ), c->other );
	if ( oracle_plane_side( place( c, t ), c->other ) * side < 0 )
		return 1;
	return -oracle_point_plane( place( c, t ), c->other, c->radius );
}

static verdict sphere_plane( maker *m, uint64_t index ) {
	(void)index;
	const dbvh_sphere a = make_sphere( m );
	const dbvh_plane b = make_plane( m );
	motion o;
	dbvh_shape_cast_result s;
	double target[3];
	point( m, target );
	make_motion( m, &o, a.centre, target );
	o.step = V( o.a_by != NULL ? o.a_by : nowhere );
	verdict v = { dbvh_sphere_plane_cast( &a, o.a_by, &b, &s ) != DBVH_OK, false };
	const case_of c = { &a, &b, V( a.centre ), o.step, N( a.radius ) };
	const bool start = plane_met( &c, 0.0 ), end = plane_met( &c, 1.0 );
	v.intersects =
	    start || end || oracle_plane_side( place( &c, 0.0 ), &b ) != oracle_plane_side( place( &c, 1.0 ), &b );
	v.wrong |= !is_consistent( &s, v.intersects, start, end );
	if ( v.intersects && !v.wrong ) {
		if ( !start )
			v.wrong |= reached( &c, 0.0, s.enter ) > 0 || reached( &c, 0.0, after( s.enter ) ) <= 0;
		if ( !end )
			v.wrong |= reached( &c, 1.0, s.exit ) > 0 || reached( &c, 1.0, before( s.exit ) ) <= 0;
	}
	v.wrong |= !samples_agree( m, &s, plane_met, &c );
	return v;
}

static bool aabb_met( const void *context, double t ) {
	const case_of *c = context;
	return oracle_point_aabb( place( c, t ), c->other, c->radius ) <= 0;
}

// Is t certainly no later than the first contact (way 1), or no earlier than the last (way -1)?
static bool aabb_ahead( const case_of *c, double t, int way ) {
	return oracle_point_aabb( place( c, t ), c->other, c->radius ) >= 0 &&
	       oracle_rate_aabb( c->from, c->step, c->other, N( t ) ) * way < 0;
}

static bool aabb_time_is_right( const case_of *c, double t, int way ) {
	const double later = way > 0 ? after( t ) : before( t ), earlier = way > 0 ? before( t ) : after( t );
	const int distance = oracle_point_aabb( place( c, t ), c->other, c->radius );
	// A time at which the distance is the radius and does not change is the first if it changed just before.
	const bool holds = aabb_ahead( c, t, way ) || ( distance == 0 && aabb_ahead( c, earlier, way ) );
	return holds && !aabb_ahead( c, later, way );
}

static verdict sphere_aabb( maker *m, uint64_t index ) {
	(void)index;
	const dbvh_aabb b = make_aabb( m );
	const dbvh_sphere a = make_sphere( m );
	motion o;
	dbvh_shape_cast_result s;
	make_motion( m, &o, a.centre, one_in( m, 2 ) ? b.min : b.max );
	verdict v = { dbvh_sphere_aabb_cast( &a, o.a_by, &b, o.b_by, &s ) != DBVH_OK, false };
	const case_of c = { &a, &b, V( a.centre ), o.step, N( a.radius ) };
	const bool start = aabb_met( &c, 0.0 ), end = aabb_met( &c, 1.0 );
	v.intersects = oracle_segment_aabb( c.from, place( &c, 1.0 ), &b, c.radius ) <= 0;
	v.wrong |= !is_consistent( &s, v.intersects, start, end );
	if ( v.intersects && !v.wrong ) {
		v.wrong |= !start && !aabb_time_is_right( &c, s.enter, 1 );
		v.wrong |= !end && !aabb_time_is_right( &c, s.exit, -1 );
	}
	v.wrong |= !samples_agree( m, &s, aabb_met, &c );
	return v;
}

static bool triangle_met( const void *context, double t ) {
	const case_of *c = context;
	const dbvh_triangle *b = c->other;
	const vec corner[3] = { V( b->corner[0] ), V( b->corner[1] ), V( b->corner[2] ) };
	return oracle_point_triangle( place( c, t ), corner, c->radius ) <= 0;
}

static verdict sphere_triangle( maker *m, uint64_t index ) {
	(void)index;
	const dbvh_triangle b = make_triangle( m );
	const dbvh_sphere a = make_sphere( m );
	motion o;
	dbvh_shape_cast_result s;
	make_motion( m, &o, a.centre, b.corner[rng_below( &m->r, 3 )] );
	verdict v = { dbvh_sphere_triangle_cast( &a, o.a_by, &b, o.b_by, &s ) != DBVH_OK, false };
	const case_of c = { &a, &b, V( a.centre ), o.step, N( a.radius ) };
	const vec corner[3] = { V( b.corner[0] ), V( b.corner[1] ), V( b.corner[2] ) };
	const bool start = triangle_met( &c, 0.0 ), end = triangle_met( &c, 1.0 );
	v.intersects = oracle_segment_triangle( c.from, place( &c, 1.0 ), corner, c.radius ) <= 0;
	v.wrong |= !is_consistent( &s, v.intersects, start, end );
	if ( v.intersects && !v.wrong ) {
		// Nothing before the first time, and something by the next double.
		if ( !start )
			v.wrong |= oracle_segment_triangle( c.from, place( &c, s.enter ), corner, c.radius ) < 0 ||
			           oracle_segment_triangle( c.from, place( &c, after( s.enter ) ), corner, c.radius ) > 0;
		if ( !end )
			v.wrong |= oracle_segment_triangle( place( &c, s.exit ), place( &c, 1.0 ), corner, c.radius ) < 0 ||
			           oracle_segment_triangle( place( &c, before( s.exit ) ), place( &c, 1.0 ), corner, c.radius ) > 0;
	}
	v.wrong |= !samples_agree( m, &s, triangle_met, &c );
	return v;
}

// ------------------------------------------------------------------------------------------------
// Where they touch

// Is x + t by, rounded to nearest, the place?
static bool is_moved( const double x[3], const double *by, double t, const double place_out[3] ) {
	for ( int k = 0; k < 3; ++k ) {
		const num truth = by != NULL ? add( N( x[k] ), mul( N( t ), N( by[k] ) ) ) : N( x[k] ),
		          twice = add( truth, truth );
		if ( cmp( twice, add( N( place_out[k] ), N( before( place_out[k] ) ) ) ) < 0 ||
		     cmp( twice, add( N( place_out[k] ), N( after( place_out[k] ) ) ) ) > 0 )
			return false;
	}
	return true;
}

static double size_of( const double *x, size_t count, double size ) {
	for ( size_t i = 0; i < count; ++i )
		size = fmax( size, fabs( x[i] ) );
	return size;
}

// At the first time of a cast the shapes touch, but for the rounding of their places, and at any time they are on the
// exact path. Sizes are such that squares are doubles.
static verdict contacts( maker *m, uint64_t index ) {
	m->family %= 5;
	m->scale = 1.0;
	const int kind = (int)( index % 5 );
	const dbvh_sphere a = make_sphere( m ), b = make_sphere( m );
	const dbvh_aabb p = make_aabb( m ), q = make_aabb( m );
	const dbvh_triangle t = make_triangle( m );
	const dbvh_plane plane = make_plane( m );
	motion o;
	make_motion( m, &o, kind == 1 ? p.min : a.centre, kind == 0 ? b.centre : kind == 3 ? t.corner[0] : q.min );
	dbvh_shape_cast_result s;
	dbvh_shape_cast_contact at;
	const dbvh_status cast = kind == 0   ? dbvh_sphere_sphere_cast( &a, o.a_by, &b, o.b_by, &s )
	                         : kind == 1 ? dbvh_aabb_aabb_cast( &p, o.a_by, &q, o.b_by, &s )
	                         : kind == 2 ? dbvh_sphere_aabb_cast( &a, o.a_by, &q, o.b_by, &s )
	                         : kind == 3 ? dbvh_sphere_triangle_cast( &a, o.a_by, &t, o.b_by, &s )
	                                     : dbvh_sphere_plane_cast( &a, o.a_by, &plane, &s );
	verdict v = { cast != DBVH_OK, s.intersects };
	const double time = s.intersects && one_in( m, 2 ) ? s.exit : s.intersects ? s.enter : rng_unit( &m->r );
	const dbvh_status status = kind == 0   ? dbvh_sphere_sphere_cast_contact( &a, o.a_by, &b, o.b_by, time, &at )
	                           : kind == 1 ? dbvh_aabb_aabb_cast_contact( &p, o.a_by, &q, o.b_by, time, &at )
	                           : kind == 2 ? dbvh_sphere_aabb_cast_contact( &a, o.a_by, &q, o.b_by, time, &at )
	                           : kind == 3 ? dbvh_sphere_triangle_cast_contact( &a, o.a_by, &t, o.b_by, time, &at )
	                                       : dbvh_sphere_plane_cast_contact( &a, o.a_by, &plane, time, &at );
	v.wrong |= status != DBVH_OK;
	double size = size_of( a.centre, 4, size_of( b.centre, 4, size_of( p.min, 6, size_of( q.min, 6, 0.0 ) ) ) );
	size = size_of( t.corner[0], 9, size_of( o.a, 3, size_of( o.b, 3, size ) ) );
	size = fmax( size, fabs( plane.offset ) / size_of( plane.normal, 3, 0.0 ) );
	if ( kind != 1 )
		v.wrong |= !is_moved( a.centre, o.a_by, time, at.position_a );
	if ( kind == 0 )
		v.wrong |= !is_moved( b.centre, o.b_by, time, at.position_b );
	if ( kind == 3 )
		v.wrong |= !is_moved( t.corner[0], o.b_by, time, at.position_b );
	for ( int k = 0; k < 3 && kind == 1; ++k ) {
		const double middle = 0.5 * ( p.min[k] + p.max[k] ) + ( o.a_by != NULL ? time * o.a_by[k] : 0.0 );
		v.wrong |= !( fabs( at.position_a[k] - middle ) <= 0x1p-49 * size );
	}
	if ( s.intersects )
		v.wrong |= !( at.contact.distance <= 0x1p-45 * size );
	if ( s.intersects && ( time == s.enter ? !s.at_start : !s.at_end ) )
		v.wrong |= !( at.contact.depth <= 0x1p-45 * size );
	return v;
}

static const family families[] = {
    { "sphere_sphere", sphere_sphere },     { "aabb_aabb", aabb_aabb },
    { "sphere_plane", sphere_plane },       { "sphere_aabb", sphere_aabb },
    { "sphere_triangle", sphere_triangle }, { "contacts", contacts },
};

static void test_against_oracles( void **state ) {
	(void)state;
	run_families( families, sizeof families / sizeof families[0], "sweep", seed_default, 2000 );
}

// Cases that the published listings of these functions get wrong.
static void test_known_mistakes( void **state ) {
	(void)state;
	dbvh_shape_cast_result s;
	const dbvh_sphere a = { { 0.0, 0.0, 0.0 }, 1.0 }, b = { { 4.0, 0.0, 0.0 }, 1.0 };
	const double towards[3] = { 4.0, 0.0, 0.0 }, away[3] = { -4.0, 0.0, 0.0 }, short_of[3] = { 1.5, 0.0, 0.0 };
	const double touching[3] = { 2.0, 0.0, 0.0 }, beyond[3] = { 8.0, 0.0, 0.0 };
	assert_int_equal( dbvh_sphere_sphere_cast( &a, towards, &b, NULL, &s ), DBVH_OK );
	assert_true( s.intersects && s.enter == 0.5 && s.exit == 1.0 && s.at_end && !s.at_start );
	assert_int_equal( dbvh_sphere_sphere_cast( &a, beyond, &b, NULL, &s ), DBVH_OK );
	assert_true( s.intersects && s.enter == 0.25 && s.exit == 0.75 && !s.at_end );
	assert_int_equal( dbvh_sphere_sphere_cast( &a, away, &b, NULL, &s ), DBVH_OK );
	assert_false( s.intersects );
	assert_int_equal( dbvh_sphere_sphere_cast( &a, short_of, &b, NULL, &s ), DBVH_OK );
	assert_false( s.intersects );
	assert_int_equal( dbvh_sphere_sphere_cast( &a, touching, &b, NULL, &s ), DBVH_OK );
	assert_true( s.intersects && s.enter == 1.0 && s.exit == 1.0 && s.at_end );
	assert_int_equal( dbvh_sphere_sphere_cast( &a, towards, &b, towards, &s ), DBVH_OK ); // no relative motion
	assert_false( s.intersects );
	assert_int_equal( dbvh_sphere_sphere_cast( &a, away, &a, NULL, &s ), DBVH_OK ); // initial overlap, then apart
	assert_true( s.intersects && s.at_start && s.enter == 0.0 && s.exit == 0.5 && !s.at_end );

	const dbvh_aabb p = { { 0.0, 0.0, 0.0 }, { 1.0, 1.0, 1.0 } }, q = { { 2.0, 0.0, 0.0 }, { 3.0, 1.0, 1.0 } };
	const dbvh_aabb aside = { { 2.0, 5.0, 0.0 }, { 3.0, 6.0, 1.0 } }, next = { { 1.0, 0.0, 0.0 }, { 2.0, 1.0, 1.0 } };
	assert_int_equal( dbvh_aabb_aabb_cast( &p, beyond, &q, NULL, &s ), DBVH_OK );
	assert_true( s.intersects && s.enter == 0.125 && s.exit == 0.375 );
	assert_int_equal( dbvh_aabb_aabb_cast( &p, beyond, &aside, NULL, &s ), DBVH_OK ); // an axis without motion
	assert_false( s.intersects );
	assert_int_equal( dbvh_aabb_aabb_cast( &p, away, &next, NULL, &s ), DBVH_OK ); // touching, then apart
	assert_true( s.intersects && s.at_start && s.exit == 0.0 );

	const dbvh_plane ground = { { 0.0, 0.0, 1.0 }, 0.0 };
	const dbvh_sphere below = { { 0.0, 0.0, -3.0 }, 1.0 };
	const double up[3] = { 0.0, 0.0, 2.0 }, far_up[3] = { 0.0, 0.0, 8.0 };
	assert_int_equal( dbvh_sphere_plane_cast( &below, up, &ground, &s ), DBVH_OK );
	assert_true( s.intersects && s.enter == 1.0 && s.at_end );
	assert_int_equal( dbvh_sphere_plane_cast( &below, far_up, &ground, &s ), DBVH_OK );
	assert_true( s.intersects && s.enter == 0.25 && s.exit == 0.5 && !s.at_end );

	const dbvh_triangle t = { { { -1.0, -1.0, 0.0 }, { 3.0, -1.0, 0.0 }, { -1.0, 3.0, 0.0 } } };
	assert_int_equal( dbvh_sphere_triangle_cast( &below, far_up, &t, NULL, &s ), DBVH_OK );
	assert_true( s.intersects && s.enter == 0.25 && s.exit == 0.5 );
	assert_int_equal( dbvh_sphere_aabb_cast( &below, far_up, &p, NULL, &s ), DBVH_OK );
	assert_true( s.intersects && s.enter == 0.25 && s.exit == 0.625 );
}

static void test_refusals( void **state ) {
	(void)state;
	dbvh_shape_cast_result s;
	const double nan_by[3] = { 0.0, NAN, 0.0 };
	const dbvh_sphere a = { { 0.0, 0.0, 0.0 }, 1.0 }, negative = { { 0.0, 0.0, 0.0 }, -1.0 };
	const dbvh_sphere infinite = { { INFINITY, 0.0, 0.0 }, 1.0 };
	const dbvh_aabb box = { { 0.0, 0.0, 0.0 }, { 1.0, 1.0, 1.0 } }, turned = { { 1.0, 0.0, 0.0 }, { 0.0, 1.0, 1.0 } };
	const dbvh_triangle t = { { { 0.0, 0.0, 0.0 }, { 1.0, 0.0, NAN }, { 0.0, 1.0, 0.0 } } };
	const dbvh_plane none = { { 0.0, 0.0, 0.0 }, 1.0 };
	assert_int_equal( dbvh_sphere_sphere_cast( &a, nan_by, &a, NULL, &s ), DBVH_NOT_FINITE );
	assert_int_equal( dbvh_sphere_sphere_cast( &a, NULL, &infinite, NULL, &s ), DBVH_NOT_FINITE );
	assert_int_equal( dbvh_sphere_sphere_cast( &negative, NULL, &a, NULL, &s ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_sphere_sphere_cast( &a, NULL, NULL, NULL, &s ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_sphere_sphere_cast( &a, NULL, &a, NULL, NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_aabb_aabb_cast( &box, NULL, &turned, NULL, &s ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_aabb_aabb_cast( &box, nan_by, &box, NULL, &s ), DBVH_NOT_FINITE );
	assert_int_equal( dbvh_sphere_aabb_cast( &a, NULL, &box, nan_by, &s ), DBVH_NOT_FINITE );
	assert_int_equal( dbvh_sphere_triangle_cast( &a, NULL, &t, NULL, &s ), DBVH_NOT_FINITE );
	assert_int_equal( dbvh_sphere_plane_cast( &a, NULL, &none, &s ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_sphere_plane_cast( &a, nan_by, &( dbvh_plane ){ { 1.0, 0.0, 0.0 }, 0.0 }, &s ),
	                  DBVH_NOT_FINITE );
	assert_false( s.intersects );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( test_known_mistakes ),
	    cmocka_unit_test( test_refusals ),
	    cmocka_unit_test( test_against_oracles ),
	};
	return test_main( argc, argv, tests );
}
