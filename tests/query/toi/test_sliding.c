// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Meshes that slide along each other with next to no gap: that they are found clear, and not where they intersect after
// all; that no such sweep takes many steps; and what a budget leaves of one. DUALBVH_TEST_SCALE multiplies random
// rounds.

#include "query/toi/toi.h"
#include "support/rounds.h"
#include "support/scene.h"
#include "support/unit.h"

#include <string.h>

static const uint64_t seed_default = 20261122;
static const double up[3] = { 0.0, 0.0, 1.0 }, none[3] = { 0.0, 0.0, 0.0 };

typedef struct slide {
	shape a, b;
	dbvh_motion motion_a, motion_b;
} slide;

static slide slide_at_rest( void ) {
	slide s;
	memset( &s, 0, sizeof s );
	s.motion_a = s.motion_b = dbvh_motion_translation( NULL, NULL );
	return s;
}

static void turn( dbvh_motion *motion, const double axis[3], double angle ) {
	memcpy( motion->axis, axis, sizeof motion->axis );
	motion->angle = angle;
}

// The same in a frame of no special directions. What turns has no turn at the beginning, or the one of `from`.
static void lay_aslant( slide *s ) {
	const double axis[3] = { 1.0, 2.0, -0.5 }, at[3] = { 0.3, -0.2, 0.7 };
	const dbvh_pose pose = shape_pose( axis, 40.0, at );
	dbvh_motion *const motions[2] = { &s->motion_a, &s->motion_b };
	for ( int m = 0; m < 2; ++m ) {
		double *const vectors[4] = { motions[m]->from.pos, motions[m]->centre, motions[m]->axis, motions[m]->shift };
		double rot[3][3];
		for ( int v = 0; v < 4; ++v ) {
			double turned[3];
			for ( int i = 0; i < 3; ++i ) {
				turned[i] = v < 2 ? pose.pos[i] : 0.0;
				for ( int j = 0; j < 3; ++j )
					turned[i] += pose.rot[i][j] * vectors[v][j];
			}
			memcpy( vectors[v], turned, sizeof turned );
		}
		for ( int i = 0; i < 3; ++i )
			for ( int j = 0; j < 3; ++j ) {
				rot[i][j] = 0.0;
				for ( int k = 0; k < 3; ++k )
					rot[i][j] += pose.rot[i][k] * motions[m]->from.rot[k][j];
			}
		memcpy( motions[m]->from.rot, rot, sizeof rot );
	}
}

// The time of impact of a sweep and its cost. 65 times before it are checked with dbvh_collide().
static dbvh_toi_result ask( const slide *s, const dbvh_toi_query *query, uint64_t *work ) {
	const dbvh_tree_options options = { .reference = query->policy != DBVH_POLICY_DEFAULT };
	dbvh_tree *a = tree_of( &s->a, &options ), *b = tree_of( &s->b, &options );
	const dbvh_budget budget = { .max_work = UINT64_C( 1 ) << 62 };
	dbvh_toi_query q = *query;
	if ( q.budget == NULL )
		q.budget = &budget;
	dbvh_toi_result x;
	assert_int_equal( dbvh_time_of_impact( a, &s->motion_a, b, &s->motion_b, &q, NULL, &x, NULL ), DBVH_OK );
	for ( int i = 0; i <= 64; ++i ) {
		const double t = x.verdict == DBVH_TOI_VERDICT_CLEAR ? i / 64.0 : x.time * ( i / 64.0 ) - 1e-12;
		const dbvh_pose pa = dbvh_motion_pose( &s->motion_a, t ), pb = dbvh_motion_pose( &s->motion_b, t );
		dbvh_collide_result result;
		if ( t < q.start )
			continue;
		assert_int_equal( dbvh_collide( a, &pa, b, &pb, NULL, NULL, &result, NULL ), DBVH_OK );
		assert_int_equal( result.verdict, DBVH_DISJOINT );
	}
	if ( work != NULL )
		*work = x.counters.box_tests + x.counters.sphere_tests + 16 * x.counters.triangle_tests;
	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
	return x;
}

static void free_slide( slide *s ) {
	shape_free( &s->a );
	shape_free( &s->b );
}

static void quad( shape *s, uint32_t a, uint32_t b, uint32_t c, uint32_t d ) {
	shape_triangle( s, a, b, c );
	shape_triangle( s, a, c, d );
}

static void add_plate( shape *s, uint32_t cells, double z ) {
	for ( uint32_t i = 0; i <= cells; ++i )
		for ( uint32_t j = 0; j <= cells; ++j )
			shape_vertex( s, 2.0 * i / cells - 1.0, 2.0 * j / cells - 1.0, z );
	for ( uint32_t i = 0; i < cells; ++i )
		for ( uint32_t j = 0; j < cells; ++j ) {
			const uint32_t at = i * ( cells + 1 ) + j;
			quad( s, at, at + cells + 1, at + cells + 2, at + 1 );
		}
}

// The mantle of a prism about z, in rings.
static void add_mantle( shape *s, double radius, uint32_t sides, uint32_t rings, double low, double high ) {
	for ( uint32_t r = 0; r <= rings; ++r )
		for ( uint32_t i = 0; i < sides; ++i ) {
			double c, d;
			shape_turn( i, sides, &c, &d );
			shape_vertex( s, radius * c, radius * d, low + ( high - low ) * r / rings );
		}
	for ( uint32_t r = 0; r < rings; ++r )
		for ( uint32_t i = 0; i < sides; ++i ) {
			const uint32_t at = r * sides + i, next = r * sides + ( i + 1 ) % sides;
			quad( s, at, next, next + sides, at + sides );
		}
}

static void add_bore_and_shaft( slide *s, uint32_t sides, double gap ) {
	add_mantle( &s->a, 1.0 / cos( 3.14159265358979323846 / sides ), sides, 8, -1.0, 1.0 );
	add_mantle( &s->b, 1.0 - gap, sides, 8, -1.2, 1.2 );
}

static const dbvh_policy policies[] = { DBVH_POLICY_DEFAULT, DBVH_POLICY_DUAL };

static void expect_clear( const char *what, slide *s, double gap, uint64_t most ) {
	for ( int aslant = 0; aslant < 2; ++aslant ) {
		for ( int p = 0; p < 2; ++p ) {
			const dbvh_toi_query query = { .policy = policies[p] };
			uint64_t work;
			const dbvh_toi_result x = ask( s, &query, &work );
			if ( x.verdict != DBVH_TOI_VERDICT_CLEAR || work > most )
				print_message( "%s at %g, policy %d: verdict %d, work %llu\n", what, gap, p, (int)x.verdict,
				               (unsigned long long)work );
			assert_int_equal( x.verdict, DBVH_TOI_VERDICT_CLEAR );
			assert_true( work <= most );
		}
		if ( aslant == 0 )
			lay_aslant( s );
	}
	free_slide( s );
}

// Gaps far below what floats tell apart at this size; the work hardly depends on them, nor on the triangles.
static void sliding_is_clear( void **state ) {
	(void)state;
	const int step = is_short_run() ? 7 : rounds( 10 ) < 4 ? 2 : 1;
	for ( int g = 3; g <= 10; g += step ) {
		const double gap = pow( 10.0, -g );
		slide s = slide_at_rest();
		add_plate( &s.a, 20, 0.0 );
		add_plate( &s.b, 20, gap );
		turn( &s.motion_b, up, 1.0 );
		expect_clear( "plates", &s, gap, 2000000 );
		s = slide_at_rest();
		shape_add_box( &s.a, 1.0, 1.0, 0.5, 10 );
		shape_add_box( &s.b, 1.0, 1.0, 0.5, 10 );
		s.motion_b.from.pos[2] = 1.0 + gap;
		s.motion_b.shift[0] = 1.3;
		s.motion_b.shift[1] = 0.4;
		expect_clear( "boxes", &s, gap, 1000000 );
		s = slide_at_rest();
		add_bore_and_shaft( &s, 48, gap );
		turn( &s.motion_b, up, 2.0 );
		s.motion_b.shift[2] = 0.1;
		expect_clear( "shaft", &s, gap, 8000000 );
		s = slide_at_rest();
		add_bore_and_shaft( &s, 48, gap );
		turn( &s.motion_a, up, 2.0 );
		expect_clear( "bore", &s, gap, 8000000 );
		s = slide_at_rest();
		add_bore_and_shaft( &s, 48, gap );
		turn( &s.motion_a, up, -1.0 );
		turn( &s.motion_b, up, 2.0 );
		expect_clear( "shaft and bore", &s, gap, 8000000 );
	}
}

static void expect_contact( const char *what, slide *s, double from, double to ) {
	for ( int p = 0; p < 2; ++p ) {
		const dbvh_toi_query query = { .policy = policies[p] };
		const dbvh_toi_result x = ask( s, &query, NULL );
		if ( x.verdict != DBVH_TOI_VERDICT_CONTACT || !( x.time > from && x.time < to ) )
			print_message( "%s, policy %d: verdict %d at %g\n", what, p, (int)x.verdict, x.time );
		assert_int_equal( x.verdict, DBVH_TOI_VERDICT_CONTACT );
		assert_true( x.time > from && x.time < to );
	}
	free_slide( s );
}

// Parts that turn inside others and would never meet them by turning alone. Each case adds one way to reach contact: a
// shift aside, a shift along the axis, a tilted axis, a part that is not round.
static void sliding_until_contact( void **state ) {
	(void)state;
	// Aside.
	slide s = slide_at_rest();
	add_bore_and_shaft( &s, 64, 1e-3 );
	turn( &s.motion_b, up, 2.0 );
	s.motion_b.shift[0] = 1.25e-3;
	expect_contact( "aside", &s, 0.5, 0.95 );
	// Along the axis, onto a lid.
	s = slide_at_rest();
	add_bore_and_shaft( &s, 64, 1e-3 );
	const uint32_t first = (uint32_t)s.a.vertex_count;
	for ( int i = 0; i < 4; ++i )
		shape_vertex( &s.a, i % 3 == 0 ? -1.0 : 1.0, i < 2 ? -1.0 : 1.0, 1.4 );
	quad( &s.a, first, first + 1, first + 2, first + 3 );
	turn( &s.motion_b, up, 2.0 );
	s.motion_b.shift[2] = 0.25;
	expect_contact( "along", &s, 0.75, 0.85 );
	// Two axes that are not quite the same: both are about the shaft's, but the bore turns about another.
	s = slide_at_rest();
	add_bore_and_shaft( &s, 64, 4e-3 );
	const double tilt[3] = { 1.0, 0.0, 0.0 };
	s.motion_a.from = s.motion_b.from = shape_pose( tilt, 0.4, none );
	for ( int k = 0; k < 3; ++k )
		s.motion_b.axis[k] = s.motion_a.from.rot[k][2];
	s.motion_b.angle = 1.1;
	turn( &s.motion_a, up, 1.0 );
	expect_contact( "tilted", &s, 0.3, 0.9 );
	// A shaft with an arm, turned until the arm meets a stop.
	s = slide_at_rest();
	add_bore_and_shaft( &s, 64, 1e-3 );
	const uint32_t stop = (uint32_t)s.a.vertex_count;
	shape_vertex( &s.a, 0.0, 1.1, 1.1 );
	shape_vertex( &s.a, 0.0, 1.5, 1.1 );
	shape_vertex( &s.a, -0.2, 1.2, 1.15 );
	shape_triangle( &s.a, stop, stop + 1, stop + 2 );
	const uint32_t arm = (uint32_t)s.b.vertex_count;
	shape_vertex( &s.b, 1.1, 0.0, 1.05 );
	shape_vertex( &s.b, 1.3, 0.0, 1.05 );
	shape_vertex( &s.b, 1.2, 0.0, 1.3 );
	shape_triangle( &s.b, arm, arm + 1, arm + 2 );
	turn( &s.motion_b, up, 2.0 );
	expect_contact( "a stop", &s, 0.75, 0.8 );
}

// A plate with one corner raised above the gap, which a sample of its triangles is likely to miss: guessed boxes are
// disjoint for the whole time, and the other plate comes to the corner in the end.
static void bump( void **state ) {
	(void)state;
	rng r = rng_announce( "bump", seed_default + 3 );
	for ( size_t i = 0; i < rounds( 40 ); ++i ) {
		slide s = slide_at_rest();
		const uint32_t cells = 24;
		add_plate( &s.a, cells, 0.0 );
		add_plate( &s.b, 10, 1e-9 );
		for ( size_t v = 0; v < s.b.vertex_count; ++v )
			s.b.positions[3 * v] *= 0.2;
		turn( &s.motion_b, up, -1.2 );
		// Past the first and before the last place of the moved plate.
		const double angle = rng_range( &r, 0.8, 1.1 ), radius = rng_range( &r, 0.7, 0.9 );
		const uint32_t x = (uint32_t)lrint( ( radius * cos( angle ) + 1.0 ) * 0.5 * cells ),
		               y = (uint32_t)lrint( ( radius * sin( angle ) + 1.0 ) * 0.5 * cells );
		s.a.positions[3 * (size_t)( x * ( cells + 1 ) + y ) + 2] = 1e-6;
		if ( rng_below( &r, 2 ) == 0 )
			lay_aslant( &s );
		expect_contact( "a bump", &s, 0.01, 0.99 );
	}
}

// Steps of searches that bodies of revolution end: they are tried early if a few triangles promise success.
static void revolved_early( void **state ) {
	(void)state;
	for ( uint32_t sides = 48; sides <= 192; sides *= 2 ) {
		slide s = slide_at_rest();
		add_bore_and_shaft( &s, sides, 1e-6 );
		turn( &s.motion_b, up, 2.0 );
		const size_t triangles = s.a.triangle_count + s.b.triangle_count;
		uint64_t spent = 0;
		const dbvh_budget budget = { .max_work = UINT64_C( 1 ) << 40, .spent = &spent };
		const dbvh_toi_query query = { .budget = &budget };
		dbvh_tree *a = tree_of( &s.a, NULL ), *b = tree_of( &s.b, NULL );
		dbvh_toi_result x;
		assert_int_equal( dbvh_time_of_impact( a, NULL, b, &s.motion_b, &query, NULL, &x, NULL ), DBVH_OK );
		assert_int_equal( x.verdict, DBVH_TOI_VERDICT_CLEAR );
		assert_true( spent > DBVHI_TOI_REVOLVED_WORK * triangles );
		assert_true( spent < 4 * DBVHI_TOI_REVOLVED_WORK * triangles );
		dbvh_tree_destroy( a );
		dbvh_tree_destroy( b );
		free_slide( &s );
	}
}

// ------------------------------------------------------------------------------------------------
// Courses

static dbvhi_vec in_common_frame( const dbvh_motion *m, double t, const double x[3] ) {
	const dbvh_pose pose = dbvh_motion_pose( m, t );
	dbvhi_vec out;
	for ( int k = 0; k < 3; ++k )
		out.v[k] = pose.rot[k][0] * x[0] + pose.rot[k][1] * x[1] + pose.rot[k][2] * x[2] + pose.pos[k];
	return out;
}

// How high a point of b is along a direction that goes with a.
static double height( const dbvh_motion *a, const dbvh_motion *b, double t, const double x[3], const double n[3] ) {
	const dbvh_pose pose = dbvh_motion_pose( a, t );
	const dbvhi_vec at = in_common_frame( b, t, x );
	double sum = 0.0;
	for ( int j = 0; j < 3; ++j )
		for ( int k = 0; k < 3; ++k )
			sum += n[j] * pose.rot[k][j] * ( at.v[k] - pose.pos[k] );
	return sum;
}

static dbvhi_vec turn_of( const dbvh_motion *m ) {
	return dbvhi_scale( m->angle, ( dbvhi_vec ){ { m->axis[0], m->axis[1], m->axis[2] } } );
}

// The bound along a direction, against the way itself; and what it would be without each of its parts.
static void courses( void **state ) {
	(void)state;
	rng r = rng_announce( "courses", seed_default );
	size_t wrong = 0, no_lift = 0, no_frame = 0, no_change = 0, no_spread = 0, flat = 0;
	for ( size_t i = 0; i < rounds( 20000 ); ++i ) {
		dbvh_motion m[2];
		const bool tilted = rng_below( &r, 2 ) == 0;
		for ( int k = 0; k < 2; ++k ) {
			const dbvh_pose from = random_pose( &r, 1.0 );
			m[k] = dbvh_motion_translation( &from, NULL );
			random_direction( &r, m[k].axis );
			m[k].angle = rng_range( &r, -3.0, 3.0 );
			for ( int j = 0; j < 3; ++j ) {
				m[k].shift[j] = rng_below( &r, 2 ) == 0 ? 0.0 : rng_range( &r, -2.0, 2.0 );
				m[k].centre[j] = rng_below( &r, 2 ) == 0 ? 0.0 : rng_range( &r, -2.0, 2.0 );
			}
		}
		const uint64_t kind = rng_below( &r, 4 );
		if ( kind == 0 )
			m[0].angle = 0.0;
		if ( kind <= 1 ) {
			memcpy( m[1].axis, m[0].axis, sizeof m[0].axis );
			if ( tilted )
				m[1].axis[rng_below( &r, 3 )] += pow( 10.0, rng_range( &r, -6.0, -0.5 ) );
			assert_true( dbvhi_motion_axis( &m[1], m[1].axis ) );
		}
		const bool reversed = rng_below( &r, 2 ) == 0;
		const dbvh_motion *a = &m[reversed], *b = &m[!reversed];
		dbvhi_vec shift, way;
		const double begin = rng_unit( &r ), left = pow( 10.0, rng_range( &r, -2.0, 0.0 ) );
		for ( int k = 0; k < 3; ++k ) {
			shift.v[k] = m[1].shift[k] - m[0].shift[k];
			way.v[k] = m[1].centre[k] - m[0].centre[k] + begin * shift.v[k];
		}
		dbvhi_swinging s = dbvhi_swinging_of( turn_of( &m[1] ), turn_of( &m[0] ), shift );
		if ( reversed ) {
			s = dbvhi_swinging_reversed( &s );
			way = dbvhi_scale( -1.0, way );
		}
		const dbvhi_vec axis = dbvhi_swinging_axis( &s );
		double x[3], other[3], n[3], aside[3];
		const double radius = rng_below( &r, 2 ) == 0 ? 0.0 : rng_unit( &r );
		random_direction( &r, aside );
		random_direction( &r, n );
		const dbvh_pose frame = dbvh_motion_pose( a, begin );
		const bool along = rng_below( &r, 2 ) == 0;
		for ( int k = 0; k < 3; ++k ) {
			x[k] = rng_range( &r, -2.0, 2.0 );
			other[k] = x[k] + radius * aside[k];
			if ( along )
				n[k] = frame.rot[0][k] * axis.v[0] + frame.rot[1][k] * axis.v[1] + frame.rot[2][k] * axis.v[2];
		}
		dbvhi_vec arms[2], direction;
		for ( int k = 0; k < 3; ++k ) {
			const double *const points[2] = { x, other };
			for ( int p = 0; p < 2; ++p )
				arms[p].v[k] = in_common_frame( b, begin, points[p] ).v[k] - b->centre[k] - begin * b->shift[k];
			direction.v[k] = frame.rot[k][0] * n[0] + frame.rot[k][1] * n[1] + frame.rot[k][2] * n[2];
		}
		const dbvhi_course course = dbvhi_course_of( &s, arms[0], way, radius, left );
		const dbvhi_vec velocity = dbvhi_course_of( &s, arms[1], way, 0.0, left ).velocity;
		dbvhi_course parts[4] = { course, course, course, course };
		parts[0].lift = 0.0;
		parts[1].change = course.swell;
		parts[2].change = parts[2].swell = s.spread * radius;
		parts[3] = dbvhi_course_of( &s, arms[0], way, 0.0, left );
		const double bend = dbvhi_course_bend( &course, axis, direction );
		flat += along && !tilted && kind <= 1 && fabs( bend ) < 1e-9;
		for ( int k = 1; k <= 4; ++k ) {
			const double later = left * k / 4.0;
			const double rise = height( a, b, begin + later, other, n ) - height( a, b, begin, other, n );
			const double straight = later * dbvhi_dot( direction, velocity ), half = 0.5 * later * later;
			const double slack = 1e-12;
			wrong += rise < straight - half * bend - slack;
			no_lift += rise < straight - half * dbvhi_course_bend( &parts[0], axis, direction ) - slack;
			no_frame += rise < straight - half * dbvhi_course_bend( &parts[1], axis, direction ) - slack;
			no_change += rise < straight - half * dbvhi_course_bend( &parts[2], axis, direction ) - slack;
			no_spread += rise < straight - half * dbvhi_course_bend( &parts[3], axis, direction ) - slack;
		}
	}
	print_message( "courses: %zu wrong; without a part of the bound %zu, %zu, %zu, %zu; %zu not bent at all\n", wrong,
	               no_lift, no_frame, no_change, no_spread, flat );
	assert_int_equal( wrong, 0 );
	assert_outcomes( no_lift > 0 && no_frame > 0 && no_change > 0 && no_spread > 0 && flat > 0 );
}

// Gaps that are closed, or not, by what slows down.
static void closing_times( void **state ) {
	(void)state;
	rng r = rng_announce( "closing times", seed_default + 1 );
	size_t never = 0, closed = 0, near = 0;
	for ( size_t i = 0; i < rounds( 20000 ); ++i ) {
		const double speed = rng_range( &r, 0.01, 2.0 ), bend = -rng_range( &r, 0.01, 2.0 );
		const double highest = speed * speed / ( -2.0 * bend );
		const bool grazes = rng_below( &r, 2 ) == 0;
		const double gap = grazes ? highest * ( 1.0 + ldexp( (double)rng_below( &r, 9 ) - 4.0, -52 ) )
		                          : highest * rng_range( &r, 0.1, 2.0 );
		const double time = dbvhi_closing_time( gap, speed, bend );
		// The way at its highest is not past the gap; or it has not come that far before the time.
		never += isinf( time );
		if ( isinf( time ) ) {
			const long double most = (long double)speed * speed / ( -2.0L * bend );
			assert_true( most < gap );
			continue;
		}
		closed += 1;
		near += grazes;
		const long double t = time, s = speed, b = bend;
		assert_true( t * s + 0.5L * b * t * t <= gap );
		assert_true( t <= -s / b ); // on the way up
		if ( !grazes && gap < 0.99 * highest )
			assert_true( t * s + 0.5L * b * t * t > gap * ( 1.0L - 1e-6L ) );
	}
	assert_true( never > rounds( 1000 ) && closed > rounds( 1000 ) && near > rounds( 100 ) );
}

// ------------------------------------------------------------------------------------------------
// Budgets, and times to begin at

static bool after_some( void *user ) {
	int *left = user;
	return --*left < 0;
}

static void spent( void **state ) {
	(void)state;
	rng r = rng_announce( "budgets", seed_default + 2 );
	size_t stopped = 0, later = 0, completed = 0;
	for ( size_t i = 0; i < rounds( 8 ); ++i ) {
		slide s = slide_at_rest();
		shape_add_torus( &s.a, 1.0, 0.35, 40, 24 );
		shape_add_torus( &s.b, 1.0, 0.3, 40, 24 );
		const double axis[3] = { 0.0, 1.0, 0.2 * rng_unit( &r ) };
		s.motion_b.from.pos[0] = 1.0;
		s.motion_b.from = shape_pose( ( const double[3] ){ 1.0, 0.0, 0.0 }, 90.0, s.motion_b.from.pos );
		s.motion_b.centre[0] = 1.0;
		turn( &s.motion_b, axis, rng_range( &r, 0.5, 6.0 ) );
		s.motion_b.shift[0] = rng_range( &r, -0.5, 0.5 );
		dbvh_workspace *workspace;
		assert_int_equal( dbvh_workspace_create( NULL, &workspace, NULL ), DBVH_OK );
		for ( int p = 0; p < 2; ++p ) {
			const dbvh_tree_options options = { .reference = p == 1 };
			dbvh_tree *a = tree_of( &s.a, &options ), *b = tree_of( &s.b, &options );
			dbvh_toi_query query = { .policy = policies[p] };
			dbvh_toi_result whole, x;
			assert_int_equal( dbvh_time_of_impact( a, &s.motion_a, b, &s.motion_b, &query, workspace, &whole, NULL ),
			                  DBVH_OK );
			double known = 0.0;
			for ( uint64_t work = 1; work < UINT64_C( 1 ) << 40; work *= 4 ) {
				const dbvh_budget budget = { .max_work = work };
				query.budget = &budget;
				const dbvh_status status =
				    dbvh_time_of_impact( a, &s.motion_a, b, &s.motion_b, &query, workspace, &x, NULL );
				if ( status == DBVH_OK ) {
					completed += 1;
					assert_memory_equal( &x, &whole, sizeof x );
					continue;
				}
				assert_int_equal( status, DBVH_BUDGET_SPENT );
				assert_int_equal( x.verdict, DBVH_TOI_VERDICT_UNDECIDED );
				// Never past the first contact; the more it may cost, the farther it gets.
				assert_true( x.time >= 0.0 && x.time <= fmin( whole.time, whole.upper ) );
				stopped += 1;
				later += x.time > known;
				known = fmax( known, x.time );
			}
			// A second call goes on from there.
			query.budget = NULL;
			query.start = known;
			assert_int_equal( dbvh_time_of_impact( a, &s.motion_a, b, &s.motion_b, &query, workspace, &x, NULL ),
			                  DBVH_OK );
			assert_true( x.time >= known );
			assert_int_equal( x.verdict, whole.verdict );
			assert_true( fabs( x.time - whole.time ) < 0x1p-20 );
			int patience = 0;
			const dbvh_budget nervous = { .is_cancelled = after_some, .user = &patience };
			query.start = 0.0;
			query.budget = &nervous;
			const dbvh_status status =
			    dbvh_time_of_impact( a, &s.motion_a, b, &s.motion_b, &query, workspace, &x, NULL );
			assert_true( status == DBVH_CANCELLED || ( status == DBVH_OK && patience == 0 ) );
			// A batch grants the whole budget to each motion.
			const dbvh_budget little = { .max_work = 20000 };
			query.budget = &little;
			dbvh_motion motions[5];
			dbvh_toi_result results[5], single;
			for ( int k = 0; k < 5; ++k ) {
				motions[k] = s.motion_b;
				motions[k].angle *= 0.25 * k;
			}
			const dbvh_batch_options how = { .thread_count = 2 };
			dbvh_time_of_impact_batch( a, &s.motion_a, b, motions, 5, &query, &how, results, NULL );
			for ( int k = 0; k < 5; ++k ) {
				const dbvh_status alone =
				    dbvh_time_of_impact( a, &s.motion_a, b, &motions[k], &query, workspace, &single, NULL );
				assert_int_equal( results[k].status, alone );
				single.status = alone;
				assert_memory_equal( &results[k], &single, sizeof single );
			}
			patience = 0;
			query.budget = &nervous;
			const dbvh_status all =
			    dbvh_time_of_impact_batch( a, &s.motion_a, b, motions, 5, &query, &how, results, NULL );
			// note: on a slow machine the first question may come when every motion is finished.
			bool is_cancelled = false;
			for ( int k = 0; k < 5; ++k ) {
				assert_true( results[k].status == DBVH_OK || results[k].status == DBVH_CANCELLED );
				is_cancelled = is_cancelled || results[k].status == DBVH_CANCELLED;
			}
			assert_int_equal( all, is_cancelled ? DBVH_CANCELLED : DBVH_OK );
			assert_true( !is_cancelled || patience < 0 );
			dbvh_tree_destroy( a );
			dbvh_tree_destroy( b );
		}
		dbvh_workspace_destroy( workspace );
		free_slide( &s );
	}
	print_message( "budgets: %zu spent, %zu of them later than the one before, %zu enough\n", stopped, later,
	               completed );
	assert_true( stopped > 0 && later > 0 && completed > 0 );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( closing_times ),         cmocka_unit_test( courses ), cmocka_unit_test( sliding_is_clear ),
	    cmocka_unit_test( sliding_until_contact ), cmocka_unit_test( spent ),   cmocka_unit_test( bump ),
	    cmocka_unit_test( revolved_early ),
	};
	return test_main( argc, argv, tests );
}
