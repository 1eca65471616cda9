// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Meshes in motion: translations against first times in rational arithmetic, everything against the exact collision
// test at many times. Cases whose answer is known are in test_motions.c. DUALBVH_TEST_SCALE multiplies the number
// of scenes.

#include "base/os.h"
#include "dualbvh/isa.h"
#include "support/oracle.h"
#include "support/rational.h"
#include "support/scene.h"
#include "support/unit.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t seed_default = 20261121;

static const double default_tolerance = 0x1p-20;

// ------------------------------------------------------------------------------------------------
// The first time of contact of two triangles in translation, as a quotient

typedef struct sum {
	mpq_t best, time, first;
	mpq_t from[3], step[3], x[3], m[3][3], det, part, other;
	rational_triangle a, b;
	bool found;
} sum;

static void sum_init( sum *s ) {
	mpq_inits( s->best, s->time, s->first, s->det, s->part, s->other, NULL );
	for ( int i = 0; i < 3; ++i ) {
		mpq_inits( s->from[i], s->step[i], s->x[i], NULL );
		for ( int j = 0; j < 3; ++j )
			mpq_init( s->m[i][j] );
	}
	rational_triangle_init( &s->a );
	rational_triangle_init( &s->b );
	s->found = false;
}

static void sum_clear( sum *s ) {
	mpq_clears( s->best, s->time, s->first, s->det, s->part, s->other, NULL );
	for ( int i = 0; i < 3; ++i ) {
		mpq_clears( s->from[i], s->step[i], s->x[i], NULL );
		for ( int j = 0; j < 3; ++j )
			mpq_clear( s->m[i][j] );
	}
	rational_triangle_clear( &s->a );
	rational_triangle_clear( &s->b );
}

static void take( sum *s, const mpq_t time ) {
	if ( !s->found || mpq_cmp( time, s->best ) < 0 )
		mpq_set( s->best, time );
	s->found = true;
}

// Corners of `points`, going by `step`, against a triangle.
static void corners_against_face( sum *s, const rational_triangle *points, const rational_triangle *face ) {
	for ( int i = 0; i < 3; ++i ) {
		for ( int k = 0; k < 3; ++k )
			mpq_set( s->from[k], points->p[i][k] );
		if ( rational_clip( face, s->from, s->step, false, s->first, NULL ) )
			take( s, s->first );
	}
}

static void determinant( sum *s, mpq_t out ) {
	mpq_set_ui( out, 0, 1 );
	for ( int i = 0; i < 3; ++i ) {
		const int j = ( i + 1 ) % 3, k = ( i + 2 ) % 3;
		mpq_mul( s->part, s->m[1][j], s->m[2][k] );
		mpq_mul( s->other, s->m[1][k], s->m[2][j] );
		mpq_sub( s->part, s->part, s->other );
		mpq_mul( s->part, s->part, s->m[0][i] );
		mpq_add( out, out, s->part );
	}
}

static bool is_part( const mpq_t x ) {
	return mpq_sgn( x ) >= 0 && mpq_cmp_ui( x, 1, 1 ) <= 0;
}

// Edges that cross: a + s d = b + u e + t v. Where the three directions span no space an end of one touches the other,
// which is found among the corners.
static void edges( sum *s ) {
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j ) {
			const int i1 = ( i + 1 ) % 3, j1 = ( j + 1 ) % 3;
			// Rows: d, -e, -v; to be combined to b - a.
			mpq_t rows[4][3];
			for ( int k = 0; k < 3; ++k ) {
				for ( int r = 0; r < 4; ++r )
					mpq_init( rows[r][k] );
				mpq_sub( rows[0][k], s->a.p[i1][k], s->a.p[i][k] );
				mpq_sub( rows[1][k], s->b.p[j][k], s->b.p[j1][k] );
				mpq_neg( rows[2][k], s->step[k] );
				mpq_sub( rows[3][k], s->b.p[j][k], s->a.p[i][k] );
			}
			bool inside = true;
			for ( int r = 0; r < 3; ++r )
				for ( int k = 0; k < 3; ++k )
					mpq_set( s->m[r][k], rows[r][k] );
			determinant( s, s->det );
			inside = mpq_sgn( s->det ) != 0;
			for ( int which = 0; inside && which < 3; ++which ) {
				for ( int r = 0; r < 3; ++r )
					for ( int k = 0; k < 3; ++k )
						mpq_set( s->m[r][k], rows[r == which ? 3 : r][k] );
				determinant( s, s->time );
				mpq_div( s->time, s->time, s->det );
				inside = is_part( s->time );
			}
			if ( inside )
				take( s, s->time ); // the last one is t
			for ( int k = 0; k < 3; ++k )
				for ( int r = 0; r < 4; ++r )
					mpq_clear( rows[r][k] );
		}
	}
}

static void set_step( sum *s, const double a[3], const double b[3] ) {
	for ( int k = 0; k < 3; ++k ) {
		mpq_set_d( s->step[k], b[k] );
		mpq_set_d( s->part, a[k] );
		mpq_sub( s->step[k], s->step[k], s->part );
	}
}

// The first contact of two meshes, in s->best; false if there is none.
static bool first_time( sum *s, const shape *a, const dbvh_motion *motion_a, const shape *b,
                        const dbvh_motion *motion_b ) {
	const dbvh_mesh_view view_a = shape_view( a ), view_b = shape_view( b );
	s->found = false;
	for ( size_t i = 0; i < view_a.triangle_count; ++i ) {
		double ta[9], tb[9];
		oracle_triangle( &view_a, i, ta );
		rational_triangle_set( &s->a, ta, &motion_a->from );
		for ( size_t j = 0; j < view_b.triangle_count; ++j ) {
			oracle_triangle( &view_b, j, tb );
			rational_triangle_set( &s->b, tb, &motion_b->from );
			set_step( s, motion_a->shift, motion_b->shift );
			corners_against_face( s, &s->b, &s->a );
			edges( s );
			set_step( s, motion_b->shift, motion_a->shift );
			corners_against_face( s, &s->a, &s->b );
		}
	}
	return s->found;
}

// ------------------------------------------------------------------------------------------------
// Scenes

typedef struct scene {
	shape a, b;
	dbvh_tree *tree_a, *tree_b;
	dbvh_motion motion_a, motion_b;
	dbvh_workspace *workspace;
} scene;

static void build( scene *s, rng *r ) {
	const dbvh_mesh_view a = shape_view( &s->a ), b = shape_view( &s->b );
	const dbvh_tree_options options_a = random_options( r ), options_b = random_options( r );
	assert_int_equal( dbvh_tree_build( &a, &options_a, NULL, &s->tree_a, NULL ), DBVH_OK );
	assert_int_equal( dbvh_tree_build( &b, &options_b, NULL, &s->tree_b, NULL ), DBVH_OK );
}

static void tear_down( scene *s ) {
	dbvh_tree_destroy( s->tree_a );
	dbvh_tree_destroy( s->tree_b );
	shape_free( &s->a );
	shape_free( &s->b );
}

static void add_something( shape *s, rng *r ) {
	switch ( rng_below( r, 6 ) ) {
	case 0:
		add_soup( s, r, 1 + rng_below( r, 6 ), 0.5, 0.5, true );
		break;
	case 1:
		shape_add_sphere( s, 1.0, (uint32_t)( 4 + rng_below( r, 3 ) ), 3 );
		break;
	case 2:
		shape_add_box( s, 0.125 * (double)( 1 + rng_below( r, 8 ) ), 0.125 * (double)( 1 + rng_below( r, 8 ) ),
		               0.125 * (double)( 1 + rng_below( r, 8 ) ), 1 );
		break;
	case 3:
		add_grid( s, 1 );
		break;
	case 4: // needles, segments and points
		add_soup( s, r, 1 + rng_below( r, 5 ), 0.5, 1.0, rng_below( r, 2 ) == 0 );
		break;
	default:
		add_soup( s, r, 1 + rng_below( r, 8 ), pow( 10.0, rng_range( r, -2.0, 0.0 ) ), 0.2, false );
		break;
	}
}

// Scales beyond the range of floats, and at the ends of the range of the packed form.
static const int exponents[] = { 990, -1000, 36, -37 };

static void random_shift( rng *r, bool grid, double reach, double out[3] ) {
	for ( int k = 0; k < 3; ++k )
		out[k] = reach * ( grid ? 4.0 * coarse( r ) : rng_range( r, -4.0, 4.0 ) );
	if ( rng_below( r, 3 ) == 0 )
		out[rng_below( r, 3 )] = 0.0;
	if ( rng_below( r, 20 ) == 0 )
		memset( out, 0, 3 * sizeof( double ) );
}

static void scale_scene( scene *s, int exponent ) {
	scale_and_move( &s->a, 0, ldexp( 1.0, exponent ), 0, 0, 0 );
	scale_and_move( &s->b, 0, ldexp( 1.0, exponent ), 0, 0, 0 );
	dbvh_motion *const motions[2] = { &s->motion_a, &s->motion_b };
	for ( int i = 0; i < 2; ++i ) {
		for ( int k = 0; k < 3; ++k ) {
			motions[i]->from.pos[k] = ldexp( motions[i]->from.pos[k], exponent );
			motions[i]->shift[k] = ldexp( motions[i]->shift[k], exponent );
			motions[i]->centre[k] = ldexp( motions[i]->centre[k], exponent );
		}
	}
}

static void random_translations( scene *s, rng *r ) {
	const bool grid = rng_below( r, 2 ) == 0;
	add_something( &s->a, r );
	add_something( &s->b, r );
	const dbvh_pose at = grid ? exact_pose( r, 3.0 ) : random_pose( r, 3.0 );
	double shift[3];
	random_shift( r, grid, 1.0, shift );
	// Mostly towards the other one.
	if ( rng_below( r, 4 ) != 0 ) {
		for ( int k = 0; k < 3; ++k )
			shift[k] = ( grid ? coarse( r ) : rng_range( r, -1.0, 1.0 ) ) - ( grid ? 2.0 : 1.5 ) * at.pos[k];
	}
	s->motion_b = dbvh_motion_translation( &at, shift );
	s->motion_a = dbvh_motion_translation( NULL, NULL );
	if ( rng_below( r, 3 ) == 0 ) {
		const dbvh_pose other = grid ? exact_pose( r, 1.0 ) : random_pose( r, 1.0 );
		random_shift( r, grid, 0.25, shift );
		s->motion_a = dbvh_motion_translation( &other, shift );
	}
	if ( rng_below( r, 8 ) == 0 )
		scale_scene( s, exponents[rng_below( r, 4 )] );
	if ( rng_below( r, 10 ) == 0 )
		s->motion_b.from = sheared( r, s->motion_b.from, 1.8e-6 );
}

static void random_turns( scene *s, rng *r ) {
	add_something( &s->a, r );
	add_something( &s->b, r );
	const bool grid = rng_below( r, 3 ) == 0;
	const dbvh_pose from = grid ? exact_pose( r, 3.0 ) : random_pose( r, 3.0 );
	const dbvh_pose to = grid ? exact_pose( r, 3.0 ) : random_pose( r, 3.0 );
	const double centre[3] = { rng_range( r, -2, 2 ), rng_range( r, -2, 2 ), rng_range( r, -2, 2 ) };
	assert_int_equal( dbvh_motion_between( &from, &to, rng_below( r, 2 ) == 0 ? NULL : centre, &s->motion_b, NULL ),
	                  DBVH_OK );
	s->motion_a = dbvh_motion_translation( NULL, NULL );
	if ( rng_below( r, 4 ) == 0 ) // several turns
		s->motion_b.angle *= rng_range( r, -6.0, 6.0 );
	if ( rng_below( r, 6 ) == 0 ) // hardly a turn
		s->motion_b.angle *= pow( 10.0, rng_range( r, -16.0, -1.0 ) );
	if ( rng_below( r, 3 ) == 0 ) {
		const dbvh_pose other = random_pose( r, 1.0 );
		double shift[3];
		random_shift( r, grid, 0.25, shift );
		s->motion_a = dbvh_motion_translation( &other, shift );
	}
	if ( rng_below( r, 2 ) == 0 ) {
		const dbvh_motion keep = s->motion_a;
		s->motion_a = s->motion_b;
		s->motion_b = keep;
	}
	if ( rng_below( r, 10 ) == 0 )
		s->motion_b.from = sheared( r, s->motion_b.from, 1.8e-6 );
}

// Two motions that turn: any way, or as one, or about one axis, or about parallel axes like gears, or nearly so.
static void random_both( scene *s, rng *r ) {
	do
		random_turns( s, r );
	while ( s->motion_a.angle == 0.0 && s->motion_b.angle == 0.0 );
	if ( s->motion_b.angle == 0.0 ) {
		const dbvh_motion keep = s->motion_a;
		s->motion_a = s->motion_b;
		s->motion_b = keep;
	}
	const dbvh_motion *b = &s->motion_b;
	const dbvh_pose from = s->motion_a.from, to = random_pose( r, 2.0 );
	const uint64_t kind = rng_below( r, 6 );
	if ( kind == 0 ) {
		assert_int_equal( dbvh_motion_between( &from, &to, NULL, &s->motion_a, NULL ), DBVH_OK );
		s->motion_a.angle *= rng_range( r, -2.0, 2.0 );
	} else {
		s->motion_a = *b;
		s->motion_a.from = from;
	}
	dbvh_motion *a = &s->motion_a;
	if ( kind == 2 )
		a->angle *= rng_below( r, 2 ) == 0 ? rng_range( r, -2.0, 2.0 ) : -1.0;
	if ( kind == 3 ) {
		for ( int k = 0; k < 3; ++k )
			a->centre[k] += rng_range( r, -2, 2 );
		a->angle *= rng_below( r, 2 ) == 0 ? 1.0 : rng_range( r, -3.0, 3.0 );
	}
	if ( kind == 4 ) {
		const double little = pow( 10.0, rng_range( r, -17.0, -1.0 ) );
		a->angle *= 1.0 + little;
		a->centre[rng_below( r, 3 )] += rng_below( r, 2 ) == 0 ? little : 0.0;
		a->axis[rng_below( r, 3 )] += rng_below( r, 2 ) == 0 ? little : 0.0;
		a->shift[rng_below( r, 3 )] += rng_below( r, 2 ) == 0 ? little : 0.0;
	}
	if ( kind == 5 )
		a->angle *= pow( 10.0, rng_range( r, -16.0, 0.0 ) );
	const dbvh_pose bent = sheared( r, a->from, 1.8e-6 );
	double deviation;
	if ( rng_below( r, 10 ) == 0 && dbvh_pose_check( &bent, NULL, NULL ) == DBVH_OK )
		a->from = bent;
	else if ( rng_below( r, 16 ) == 0 && dbvh_pose_check( &s->motion_b.from, &deviation, NULL ) == DBVH_OK &&
	          deviation < 1e-6 ) { // the fastest turn that is allowed
		const double most = fmax( fabs( a->angle ), fabs( s->motion_b.angle ) );
		a->angle *= 1023.0 / most;
		s->motion_b.angle *= 1023.0 / most;
	}
	if ( rng_below( r, 8 ) == 0 )
		scale_scene( s, exponents[rng_below( r, 4 )] );
}

// ------------------------------------------------------------------------------------------------
// Checks

static dbvh_toi_result ask( const scene *s, double tolerance ) {
	const dbvh_toi_query query = { .tolerance = tolerance };
	dbvh_toi_result result;
	assert_int_equal(
	    dbvh_time_of_impact( s->tree_a, &s->motion_a, s->tree_b, &s->motion_b, &query, s->workspace, &result, NULL ),
	    DBVH_OK );
	return result;
}

static bool intersects( const scene *s, double t ) {
	const dbvh_pose a = dbvh_motion_pose( &s->motion_a, t ), b = dbvh_motion_pose( &s->motion_b, t );
	dbvh_collide_result result;
	assert_int_equal( dbvh_collide( s->tree_a, &a, s->tree_b, &b, NULL, s->workspace, &result, NULL ), DBVH_OK );
	return result.verdict == DBVH_INTERSECTING;
}

// Count contradictions within a result, and between it and the collision test at many times.
static size_t contradictions( const scene *s, const dbvh_toi_result *x, double tolerance, size_t samples, rng *r ) {
	size_t wrong = 0;
	const bool clear = x->verdict == DBVH_TOI_VERDICT_CLEAR;
	wrong += clear && ( x->time != 1.0 || !isinf( x->upper ) );
	wrong += !( x->time >= 0.0 && x->time <= 1.0 );
	wrong += x->verdict == DBVH_TOI_VERDICT_CONTACT &&
	         !( x->upper >= x->time && x->upper <= fmin( 1.0, x->time + tolerance ) && intersects( s, x->upper ) );
	for ( size_t i = 0; i < samples; ++i ) {
		double t = x->time * rng_unit( r );
		if ( i % 2 == 0 )
			t = x->time * ( 1.0 - exp2( -53.0 * rng_unit( r ) ) );
		if ( i < 2 )
			t = i == 0 ? 0.0 : clear ? 1.0 : nextafter( x->time, 0.0 );
		wrong += ( clear || t < x->time ) && intersects( s, t );
	}
	return wrong;
}

// The pair is that near at that time, and the points are that far apart.
static size_t wrong_witness( const scene *s, const dbvh_toi_result *x, double size ) {
	if ( x->verdict == DBVH_TOI_VERDICT_CLEAR )
		return 0;
	double ta[9], tb[9], square = 0.0;
	dbvh_triangles_distance_result apart = { .distance = 0.0 };
	const dbvh_mesh_view a = shape_view( &s->a ), b = shape_view( &s->b );
	oracle_triangle( &a, x->pair.a, ta );
	oracle_triangle( &b, x->pair.b, tb );
	const dbvh_pose pa = dbvh_motion_pose( &s->motion_a, x->time ), pb = dbvh_motion_pose( &s->motion_b, x->time );
	const dbvh_pose relative = dbvh_pose_relative( &pa, &pb );
	const dbvh_status status =
	    dbvh_triangles_distance( (const dbvh_triangle *)ta, (const dbvh_triangle *)tb, &relative, &apart, NULL );
	// Relative poses of two sheared poses may be ones that only the collision test takes.
	if ( status == DBVH_NOT_RIGID && dbvh_pose_check( &pa, NULL, NULL ) == DBVH_OK &&
	     dbvh_pose_check( &pb, NULL, NULL ) == DBVH_OK )
		return 0;
	assert_int_equal( status, DBVH_OK );
	for ( int k = 0; k < 3; ++k ) {
		const double d = ( x->point_a[k] - x->point_b[k] ) / size;
		square += d * d;
	}
	// Lengths are those of A's frame here, which a sheared pose stretches a little.
	const double slack = 1.002 * x->distance + 0x1p-40 * size;
	return ( apart.distance > slack ) + ( size * sqrt( square ) > slack );
}

static double size_of( const scene *s ) {
	double size = 0.0;
	const dbvh_motion *const motions[2] = { &s->motion_a, &s->motion_b };
	for ( int i = 0; i < 2; ++i ) {
		for ( int k = 0; k < 3; ++k )
			size = fmax( size, fmax( fabs( motions[i]->from.pos[k] ),
			                         fmax( fabs( motions[i]->shift[k] ), fabs( motions[i]->centre[k] ) ) ) );
	}
	for ( size_t i = 0; i < 3 * s->a.vertex_count; ++i )
		size = fmax( size, fabs( s->a.positions[i] ) );
	for ( size_t i = 0; i < 3 * s->b.vertex_count; ++i )
		size = fmax( size, fabs( s->b.positions[i] ) );
	return size;
}

static size_t contradict( const dbvh_toi_result *x, const dbvh_toi_result *y, double tolerance ) {
	if ( x->verdict == DBVH_TOI_VERDICT_CONTACT && y->verdict == DBVH_TOI_VERDICT_CONTACT )
		return ( x->time > y->upper ) + ( y->time > x->upper );
	if ( x->verdict == DBVH_TOI_VERDICT_CLEAR || y->verdict == DBVH_TOI_VERDICT_CLEAR )
		return ( x->verdict == DBVH_TOI_VERDICT_CONTACT ) + ( y->verdict == DBVH_TOI_VERDICT_CONTACT );
	return fabs( x->time - y->time ) > 2.0 * tolerance;
}

// Both orders must give times that are compatible, and both forms of the trees, and any instruction set.
static size_t contradicts_itself( const scene *s, const dbvh_toi_result *x, double tolerance ) {
	static const char *const names[] = { "avx512", "avx2", "neon", "baseline", "scalar" };
	dbvh_toi_result y;
	assert_int_equal(
	    dbvh_time_of_impact( s->tree_b, &s->motion_b, s->tree_a, &s->motion_a, NULL, s->workspace, &y, NULL ),
	    DBVH_OK );
	size_t wrong = contradict( x, &y, tolerance );
	const dbvh_toi_query reference = { .policy = DBVH_POLICY_DUAL };
	if ( has_form( s->tree_a, s->tree_b, reference.policy ) ) {
		assert_int_equal(
		    dbvh_time_of_impact( s->tree_a, &s->motion_a, s->tree_b, &s->motion_b, &reference, s->workspace, &y, NULL ),
		    DBVH_OK );
		wrong += contradict( x, &y, tolerance );
	}
	for ( int i = 0; i < 4; ++i ) {
		if ( dbvh_isa_select( names[i], NULL ) != DBVH_OK )
			continue;
		assert_int_equal(
		    dbvh_time_of_impact( s->tree_a, &s->motion_a, s->tree_b, &s->motion_b, NULL, s->workspace, &y, NULL ),
		    DBVH_OK );
		wrong += contradict( x, &y, tolerance );
	}
	assert_int_equal( dbvh_isa_select( NULL, NULL ), DBVH_OK );
	return wrong;
}

typedef struct count {
	size_t scenes, contact, start, close, wrong;
	double widest;
} count;

static void tell( const char *what, const count *c ) {
	print_message( "%s: %zu motions, %zu contacts (%zu from the beginning), %zu close, widest %.1e, %zu wrong\n", what,
	               c->scenes, c->contact, c->start, c->close, c->widest, c->wrong );
}

static void add( count *c, const dbvh_toi_result *x, size_t wrong, const char *what, size_t i ) {
	c->scenes += 1;
	c->contact += x->verdict == DBVH_TOI_VERDICT_CONTACT;
	c->start += x->verdict == DBVH_TOI_VERDICT_CONTACT && x->upper == 0.0;
	c->close += x->verdict == DBVH_TOI_VERDICT_CLOSE;
	c->wrong += wrong != 0;
	if ( x->verdict == DBVH_TOI_VERDICT_CONTACT )
		c->widest = fmax( c->widest, x->upper - x->time );
	if ( wrong != 0 && c->wrong < 6 )
		print_message( "%s %zu: verdict %d, time %.17g, upper %.17g\n", what, i, (int)x->verdict, x->time, x->upper );
}

// ------------------------------------------------------------------------------------------------
// Tests

static void translations_against_rationals( void **state ) {
	(void)state;
	rng r = rng_announce( "translations", seed_default );
	count c = { 0 };
	sum exact;
	sum_init( &exact );
	scene s = { 0 };
	assert_int_equal( dbvh_workspace_create( NULL, &s.workspace, NULL ), DBVH_OK );
	size_t missed_by_a_hair = 0;
	mpq_t time;
	mpq_init( time );
	for ( size_t i = 0; i < rounds( 150 ); ++i ) {
		random_translations( &s, &r );
		build( &s, &r );
		const dbvh_toi_result x = ask( &s, 0.0 );
		bool truth = first_time( &exact, &s.a, &s.motion_a, &s.b, &s.motion_b );
		size_t wrong = 0;
		// Triangles that cross at the beginning need not do so with their corners and edges at any time.
		if ( intersects( &s, 0.0 ) ) {
			wrong += !( x.verdict == DBVH_TOI_VERDICT_CONTACT && x.time == 0.0 && x.upper == 0.0 );
			mpq_set_ui( exact.best, 0, 1 );
			truth = true;
		}
		mpq_set_d( time, x.time );
		if ( truth && x.verdict != DBVH_TOI_VERDICT_CLEAR )
			wrong += mpq_cmp( time, exact.best ) > 0;
		// A true contact is within the tolerance of `upper`: what a query intersects at rounded poses is no farther
		// from it than rounding, unless one slides along the other.
		if ( x.verdict == DBVH_TOI_VERDICT_CONTACT && truth )
			wrong += mpq_get_d( exact.best ) > x.upper + default_tolerance;
		wrong += truth && x.verdict == DBVH_TOI_VERDICT_CLEAR;
		missed_by_a_hair += !truth && x.verdict != DBVH_TOI_VERDICT_CLEAR;
		wrong += contradictions( &s, &x, default_tolerance, 50, &r );
		wrong += wrong_witness( &s, &x, size_of( &s ) );
		wrong += contradicts_itself( &s, &x, default_tolerance );
		add( &c, &x, wrong, "translation", i );
		tear_down( &s );
		s = ( scene ){ .workspace = s.workspace };
	}
	tell( "translations", &c );
	print_message( "of these, in real arithmetic without contact: %zu\n", missed_by_a_hair );
	assert_int_equal( c.wrong, 0 );
	if ( c.scenes >= 150 ) {
		assert_outcomes( c.contact > c.scenes / 10 );
		assert_outcomes( c.contact + c.close < c.scenes );
		assert_outcomes( c.start > 0 );
		assert_outcomes( missed_by_a_hair < c.scenes / 20 );
	}
	mpq_clear( time );
	dbvh_workspace_destroy( s.workspace );
	sum_clear( &exact );
}

// Lengths of any exponents in one scene, and larger meshes with fewer motions.
static void odd_scenes( void **state ) {
	(void)state;
	rng r = rng_announce( "odd scenes", seed_default + 3 );
	count c = { 0 };
	scene s = { 0 };
	assert_int_equal( dbvh_workspace_create( NULL, &s.workspace, NULL ), DBVH_OK );
	for ( size_t i = 0; i < rounds( 240 ); ++i ) {
		const bool large = i % 6 == 0;
		if ( large ) {
			shape_add_torus( &s.a, 1.0, 0.3, 40, 24 );
			shape_add_hand( &s.b );
			scale_and_move( &s.b, 0, 4.0, 0, 0, 0 );
			const dbvh_pose from = random_pose( &r, 3.0 ), to = random_pose( &r, 3.0 );
			assert_int_equal( dbvh_motion_between( &from, &to, NULL, &s.motion_b, NULL ), DBVH_OK );
			if ( i % 12 == 0 )
				s.motion_b.angle = 0.0;
			s.motion_a = dbvh_motion_translation( NULL, NULL );
		} else if ( i % 2 == 0 ) {
			random_translations( &s, &r );
		} else if ( i % 3 == 0 ) {
			random_both( &s, &r );
		} else {
			random_turns( &s, &r );
		}
		double *const lengths[6] = { s.motion_a.from.pos, s.motion_a.shift, s.motion_a.centre,
		                             s.motion_b.from.pos, s.motion_b.shift, s.motion_b.centre };
		for ( int k = 0; !large && k < 6; ++k ) {
			for ( int j = 0; j < 3; ++j )
				lengths[k][j] =
				    ldexp( lengths[k][j], (int)rng_below( &r, 60 ) - ( rng_below( &r, 5 ) == 0 ? 400 : 50 ) );
		}
		build( &s, &r );
		const dbvh_toi_result x = ask( &s, 0.0 );
		size_t wrong = contradictions( &s, &x, default_tolerance, 300, &r );
		wrong += contradicts_itself( &s, &x, default_tolerance );
		add( &c, &x, wrong, "odd scene", i );
		tear_down( &s );
		s = ( scene ){ .workspace = s.workspace };
	}
	tell( "odd scenes", &c );
	assert_int_equal( c.wrong, 0 );
	dbvh_workspace_destroy( s.workspace );
}

// Memory that comes with numbers in it, which might be taken for what a search has put there.
static void *alloc_filled( void *user, size_t bytes, size_t alignment ) {
	double *memory = dbvhi_os_alloc( bytes, alignment );
	for ( size_t i = 0; memory != NULL && i < bytes / sizeof *memory; ++i )
		memory[i] = *(const double *)user;
	return memory;
}

static void free_filled( void *user, void *memory, size_t bytes ) {
	(void)user;
	(void)bytes;
	dbvhi_os_free( memory );
}

static size_t depends_on_memory( const scene *s, const dbvh_toi_result *x, double tolerance ) {
	static double filling = -3.75;
	const dbvh_allocator allocator = { alloc_filled, free_filled, &filling };
	filling = -filling;
	scene other = *s;
	assert_int_equal( dbvh_workspace_create( &allocator, &other.workspace, NULL ), DBVH_OK );
	const dbvh_toi_result y = ask( &other, tolerance );
	dbvh_workspace_destroy( other.workspace );
	return x->verdict != y.verdict || x->time != y.time || x->upper != y.upper || x->distance != y.distance ||
	       memcmp( &x->counters, &y.counters, sizeof x->counters ) != 0;
}

static void turns( const char *what, uint64_t seed, size_t scenes, void ( *make )( scene *, rng * ) ) {
	rng r = rng_announce( what, seed );
	count c = { 0 };
	scene s = { 0 };
	assert_int_equal( dbvh_workspace_create( NULL, &s.workspace, NULL ), DBVH_OK );
	for ( size_t i = 0; i < rounds( scenes ); ++i ) {
		make( &s, &r );
		build( &s, &r );
		const double tolerance = rng_below( &r, 2 ) == 0 ? default_tolerance : pow( 2.0, rng_range( &r, -30.0, -4.0 ) );
		const dbvh_toi_result x = ask( &s, tolerance );
		size_t wrong = contradictions( &s, &x, tolerance, 300, &r );
		wrong += wrong_witness( &s, &x, size_of( &s ) );
		wrong += contradicts_itself( &s, &x, fmax( tolerance, default_tolerance ) );
		wrong += depends_on_memory( &s, &x, tolerance );
		add( &c, &x, wrong, what, i );
		tear_down( &s );
		s = ( scene ){ .workspace = s.workspace };
	}
	tell( what, &c );
	assert_int_equal( c.wrong, 0 );
	if ( c.scenes >= 600 ) {
		assert_outcomes( c.contact > c.scenes / 20 );
		assert_outcomes( c.contact + c.close < c.scenes );
	}
	dbvh_workspace_destroy( s.workspace );
}

static void turns_against_collisions( void **state ) {
	(void)state;
	turns( "turns", seed_default + 1, 600, random_turns );
}

static void both_against_collisions( void **state ) {
	(void)state;
	turns( "both turn", seed_default + 4, 600, random_both );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( translations_against_rationals ),
	    cmocka_unit_test( turns_against_collisions ),
	    cmocka_unit_test( both_against_collisions ),
	    cmocka_unit_test( odd_scenes ),
	};
	return test_main( argc, argv, tests );
}
