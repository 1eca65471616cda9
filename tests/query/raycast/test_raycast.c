// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Posed meshes against lines and points: every triangle in rational arithmetic, on the same questions.

#include "exact/number/ratio.h"
#include "support/data.h"
#include "support/line.h"
#include "support/rational.h"
#include "support/scene.h"
#include "support/unit.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t seed_default = 20261123;

// ------------------------------------------------------------------------------------------------
// A scene: a mesh, its tree, and its triangles as rationals where it is posed

typedef struct scene {
	shape mesh;
	dbvh_tree *tree;
	bool posed;
	dbvh_pose pose;
	rational_triangle *triangles;
	double largest; // a bound of the coordinates of mesh and pose
} scene;

static double *corners_of( const shape *s, size_t i, double out[9] ) {
	for ( size_t k = 0; k < 9; ++k )
		out[k] = s->positions[3 * s->indices[3 * i + k / 3] + k % 3];
	return out;
}

static void scene_open( scene *s, const dbvh_tree_options *options ) {
	const dbvh_mesh_view view = shape_view( &s->mesh );
	assert_int_equal( dbvh_tree_build( &view, options, NULL, &s->tree, NULL ), DBVH_OK );
	s->triangles = malloc( s->mesh.triangle_count * sizeof *s->triangles );
	assert_true( s->triangles != NULL );
	s->largest = 0.0;
	for ( size_t i = 0; i < s->mesh.triangle_count; ++i ) {
		double corners[9];
		rational_triangle_init( &s->triangles[i] );
		rational_triangle_set( &s->triangles[i], corners_of( &s->mesh, i, corners ), s->posed ? &s->pose : NULL );
		for ( int k = 0; k < 9; ++k )
			s->largest = fmax( s->largest, fabs( corners[k] ) );
	}
	for ( int k = 0; k < 3 && s->posed; ++k )
		s->largest = fmax( s->largest, fabs( s->pose.pos[k] ) );
}

static void scene_close( scene *s ) {
	for ( size_t i = 0; i < s->mesh.triangle_count; ++i )
		rational_triangle_clear( &s->triangles[i] );
	free( s->triangles );
	dbvh_tree_destroy( s->tree );
	shape_free( &s->mesh );
}

static const dbvh_pose *pose_of( const scene *s ) {
	return s->posed ? &s->pose : NULL;
}

// ------------------------------------------------------------------------------------------------
// What rounding is right

static void set_abs_difference( mpq_t out, double x, mpq_t truth ) {
	mpq_set_d( out, x );
	mpq_sub( out, out, truth );
	mpq_abs( out, out );
}

// Is x the double nearest to the truth, the even one of two?
static bool is_nearest_double( double x, mpq_t truth ) {
	if ( isinf( x ) ) {
		mpq_t limit; // half a step beyond the largest
		mpq_init( limit );
		mpz_ui_pow_ui( mpq_numref( limit ), 2, 1024 );
		mpz_t half;
		mpz_init( half );
		mpz_ui_pow_ui( half, 2, 970 );
		mpz_sub( mpq_numref( limit ), mpq_numref( limit ), half );
		const bool right = mpq_cmp( truth, limit ) >= 0;
		mpz_clear( half );
		mpq_clear( limit );
		return right;
	}
	mpq_t own, other;
	mpq_inits( own, other, NULL );
	set_abs_difference( own, x, truth );
	bool right = true;
	for ( int side = 0; side < 2; ++side ) {
		const double neighbour = nextafter( x, side == 0 ? -1.0 : INFINITY );
		if ( isinf( neighbour ) || neighbour < 0.0 )
			continue;
		set_abs_difference( other, neighbour, truth );
		const int order = mpq_cmp( own, other );
		uint64_t bits;
		memcpy( &bits, &x, sizeof bits );
		const bool odd = ( bits & 1 ) != 0;
		right = right && ( order < 0 || ( order == 0 && !odd ) );
	}
	mpq_clears( own, other, NULL );
	return right;
}

// The sign of x^2 - truth.
static int compare_square( double x, mpq_t truth ) {
	mpq_t square;
	mpq_init( square );
	mpq_set_d( square, x );
	mpq_mul( square, square, square );
	const int order = mpq_cmp( square, truth );
	mpq_clear( square );
	return order;
}

static bool is_root_up( double x, mpq_t square ) {
	if ( isinf( x ) )
		return compare_square( 0x1.fffffffffffffp1023, square ) < 0;
	if ( compare_square( x, square ) < 0 )
		return false;
	return x == 0.0 || compare_square( nextafter( x, 0.0 ), square ) < 0;
}

// ------------------------------------------------------------------------------------------------
// Lines

typedef struct line_tally {
	size_t lines, hits, ties, mistakes, exact_tests, triangle_tests;
} line_tally;

typedef struct true_hit {
	uint32_t triangle;
	mpq_t t;
} true_hit;

static int compare_hits( const void *a, const void *b ) {
	const true_hit *x = a, *y = b;
	const int order = mpq_cmp( x->t, y->t );
	return order != 0 ? order : ( x->triangle > y->triangle ) - ( x->triangle < y->triangle );
}

#define MOST_HITS 400

static void report( line_tally *sums, const char *what, const test_line *line ) {
	if ( sums->mistakes++ < 5 )
		print_message( "probe: %s: %a %a %a to %a %a %a kind %d\n", what, line->from[0], line->from[1], line->from[2],
		               line->to[0], line->to[1], line->to[2], line->is_ray );
}

static void check_line( const scene *s, const test_line *line, dbvh_workspace *workspace, line_tally *sums ) {
	static true_hit truth[MOST_HITS];
	size_t count = 0;
	mpq_t t;
	mpq_init( t );
	for ( uint32_t i = 0; i < (uint32_t)s->mesh.triangle_count; ++i ) {
		if ( !rational_first_hit( &s->triangles[i], line, t ) )
			continue;
		assert_true( count < MOST_HITS );
		truth[count].triangle = i;
		mpq_init( truth[count].t );
		mpq_set( truth[count++].t, t );
	}
	mpq_clear( t );
	qsort( truth, count, sizeof truth[0], compare_hits );
	sums->lines += 1;
	sums->hits += count > 0;
	for ( size_t i = 0; i + 1 < count; ++i )
		sums->ties += mpq_cmp( truth[i].t, truth[i + 1].t ) == 0;

	dbvh_raycast_result result;
	assert_int_equal( line_cast( s->tree, pose_of( s ), line, NULL, workspace, &result, NULL ), DBVH_OK );
	if ( result.intersects != ( count > 0 ) )
		report( sums, "any", line );
	dbvh_raycast_query query = { .find = DBVH_FIND_CLOSEST };
	assert_int_equal( line_cast( s->tree, pose_of( s ), line, &query, workspace, &result, NULL ), DBVH_OK );
	if ( result.intersects != ( count > 0 ) || ( count > 0 && ( result.first.triangle != truth[0].triangle ||
	                                                            !is_nearest_double( result.first.t, truth[0].t ) ) ) )
		report( sums, "first", line );
	sums->exact_tests += result.counters.exact_tests;
	sums->triangle_tests += result.counters.triangle_tests;
	const dbvh_ray_hit first = result.first;

	dbvh_ray_hit hits[MOST_HITS];
	const size_t rooms[3] = { 0, count / 2, MOST_HITS };
	for ( int room = 0; room < 3; ++room ) {
		query = ( dbvh_raycast_query ){ .find = DBVH_FIND_ALL, .hits = hits, .hit_capacity = rooms[room] };
		assert_int_equal( line_cast( s->tree, pose_of( s ), line, &query, workspace, &result, NULL ), DBVH_OK );
		const size_t written = count < rooms[room] ? count : rooms[room];
		bool right = result.intersects == ( count > 0 ) && result.hit_count == count && result.hit_written == written;
		right = right && ( count == 0 || memcmp( &result.first, &first, sizeof first ) == 0 );
		for ( size_t i = 0; i < written && right; ++i )
			right = hits[i].triangle == truth[i].triangle && is_nearest_double( hits[i].t, truth[i].t );
		// The point, from t as it is handed over.
		for ( size_t i = 0; i < written && right && isfinite( hits[i].t ); ++i ) {
			for ( int k = 0; k < 3; ++k ) {
				const double step = line->is_ray ? line->to[k] : line->to[k] - line->from[k];
				const double expected = line->from[k] + hits[i].t * step;
				right = right && ( hits[i].point[k] == expected || !isfinite( expected ) );
			}
		}
		if ( !right )
			report( sums, "all", line );
	}
	for ( size_t i = 0; i < count; ++i )
		mpq_clear( truth[i].t );
}

// ------------------------------------------------------------------------------------------------
// Points

typedef struct point_tally {
	size_t points, on_mesh, ties, within, mistakes, exact_tests, triangle_tests;
} point_tally;

static void check_point( const scene *s, const double point[3], double bound, dbvh_workspace *workspace,
                         point_tally *sums ) {
	mpq_t least, square;
	mpq_inits( least, square, NULL );
	uint32_t best = 0;
	size_t ties = 0;
	for ( uint32_t i = 0; i < (uint32_t)s->mesh.triangle_count; ++i ) {
		rational_distance_squared( &s->triangles[i], point, square );
		const int order = i == 0 ? -1 : mpq_cmp( square, least );
		ties = order == 0 ? ties + 1 : order < 0 ? 0 : ties;
		if ( order < 0 ) {
			mpq_set( least, square );
			best = i;
		}
	}
	sums->points += 1;
	sums->on_mesh += mpq_sgn( least ) == 0;
	sums->ties += ties > 0;
	dbvh_closest_point_result found;
	assert_int_equal( dbvh_closest_point( s->tree, pose_of( s ), point, NULL, workspace, &found, NULL ), DBVH_OK );
	sums->exact_tests += found.counters.exact_tests;
	sums->triangle_tests += found.counters.triangle_tests;
	bool right = found.found && found.triangle == best && is_root_up( found.distance, least );
	// The point that is handed over lies at the distance, but for its own error.
	if ( right && isfinite( found.distance ) && s->largest < 1e300 ) {
		const double off = 0x1p-46 * s->largest + 0x1p-1070;
		double scale = off;
		for ( int k = 0; k < 3; ++k )
			scale = fmax( scale, fabs( found.point[k] - point[k] ) );
		double sum = 0.0;
		for ( int k = 0; k < 3; ++k )
			sum += ( found.point[k] - point[k] ) / scale * ( ( found.point[k] - point[k] ) / scale );
		const double distance = scale * sqrt( sum );
		right = fabs( distance - found.distance ) <= 2.0 * off + 0x1p-50 * distance;
	}
	if ( !right && sums->mistakes++ < 5 )
		print_message( "probe: nearest of %a %a %a: triangle %u at %a, the truth is %u at %g\n", point[0], point[1],
		               point[2], found.triangle, found.distance, best, sqrt( mpq_get_d( least ) ) );

	// Bounds: a random one, the distance itself, and the next below it.
	const double bounds[3] = { bound, found.distance, nextafter( found.distance, 0.0 ) };
	for ( int i = 0; i < 3; ++i ) {
		if ( !isfinite( bounds[i] ) )
			continue;
		const bool within = compare_square( bounds[i], least ) >= 0;
		sums->within += within;
		dbvh_closest_point_result bounded;
		assert_int_equal( dbvh_closest_point( s->tree, pose_of( s ), point,
		                                      &( dbvh_closest_point_query ){ .limit = bounds[i] }, workspace, &bounded,
		                                      NULL ),
		                  DBVH_OK );
		if ( ( bounded.found != within ||
		       ( within && ( bounded.triangle != best || bounded.distance != found.distance ||
		                     memcmp( bounded.point, found.point, sizeof found.point ) != 0 ) ) ) &&
		     sums->mistakes++ < 5 )
			print_message( "probe: within %a of %a %a %a: %d, the truth is %d\n", bounds[i], point[0], point[1],
			               point[2], bounded.found, within );
	}
	mpq_clears( least, square, NULL );
}

// ------------------------------------------------------------------------------------------------
// Random scenes

static void random_scene( scene *s, rng *r, size_t i, bool *grid_out ) {
	*s = ( scene ){ 0 };
	const bool grid = i % 2 == 0;
	switch ( rng_below( r, 4 ) ) {
	case 0:
		add_soup( &s->mesh, r, 1 + rng_below( r, 60 ), 0.4, 0.3, grid );
		break;
	case 1:
		add_grid( &s->mesh, 4 );
		break;
	case 2:
		shape_add_box( &s->mesh, 0.5, 0.75, 1.0, 1 + (uint32_t)rng_below( r, 3 ) );
		break;
	default:
		shape_add_sphere( &s->mesh, 1.0, 8, 5 );
		break;
	}
	switch ( i % 5 ) {
	case 0:
		break;
	case 1:
		s->pose = exact_pose( r, 1.0 );
		break;
	case 2:
		s->pose = random_pose( r, 1.0 );
		break;
	case 3:
		s->pose = six_digits( random_pose( r, 1.0 ) );
		break;
	default:
		s->pose = sheared( r, random_pose( r, 1.0 ), 1.8e-6 );
		break;
	}
	s->posed = i % 5 != 0;
	*grid_out = grid && i % 5 < 2;
}

static void scene_scale( scene *s, int exponent ) {
	shape scaled = scaled_copy( &s->mesh, exponent );
	shape_free( &s->mesh );
	s->mesh = scaled;
	for ( int k = 0; k < 3 && s->posed; ++k )
		s->pose.pos[k] = ldexp( s->pose.pos[k], exponent );
}

static double number( rng *r, bool grid ) {
	return grid ? 2.0 * coarse( r ) : rng_range( r, -2.0, 2.0 );
}

// A corner of the mesh where it is posed, rounded.
static void corner_point( const scene *s, rng *r, double out[3] ) {
	const double *p = s->mesh.positions + 3 * rng_below( r, s->mesh.vertex_count );
	for ( int k = 0; k < 3; ++k )
		out[k] = !s->posed
		             ? p[k]
		             : s->pose.rot[k][0] * p[0] + s->pose.rot[k][1] * p[1] + s->pose.rot[k][2] * p[2] + s->pose.pos[k];
}

static void random_point( const scene *s, rng *r, bool grid, int exponent, double out[3] ) {
	if ( rng_below( r, 4 ) == 0 ) {
		double other[3];
		corner_point( s, r, out );
		corner_point( s, r, other );
		for ( int k = 0; k < 3 && rng_below( r, 2 ) == 0; ++k )
			out[k] = 0.5 * ( out[k] + other[k] );
		return;
	}
	for ( int k = 0; k < 3; ++k )
		out[k] = ldexp( number( r, grid ), exponent );
}

static test_line random_line( const scene *s, rng *r, bool grid, int exponent ) {
	test_line line = { .is_ray = rng_below( r, 2 ) != 0 };
	random_point( s, r, grid, exponent, line.from );
	random_point( s, r, grid, exponent, line.to );
	switch ( rng_below( r, 8 ) ) {
	case 0: // of no length
		for ( int k = 0; k < 3; ++k )
			line.to[k] = line.is_ray ? 0.0 : line.from[k];
		break;
	case 1: // along an axis
		for ( int k = 0; k < 2; ++k )
			line.to[k] = line.is_ray ? 0.0 : line.from[k];
		break;
	default: // a ray towards a point
		for ( int k = 0; k < 3 && line.is_ray; ++k )
			line.to[k] -= line.from[k];
		break;
	}
	if ( rng_below( r, 16 ) == 0 ) { // from far away, or of an odd length
		const double far = ldexp( 1.0, (int)rng_below( r, 40 ) );
		for ( int k = 0; k < 3; ++k ) {
			if ( line.is_ray ) {
				line.from[k] -= far * line.to[k];
				line.to[k] *= rng_below( r, 2 ) == 0 ? far : 1.0 / far;
			} else {
				line.to[k] *= far;
			}
		}
	}
	return line;
}

static void random_probes( void **state ) {
	(void)state;
	rng r = rng_announce( "probe", seed_default );
	dbvh_workspace *workspace = NULL;
	assert_int_equal( dbvh_workspace_create( NULL, &workspace, NULL ), DBVH_OK );
	line_tally lines = { 0 };
	point_tally points = { 0 };
	const size_t count = rounds( 150 );
	for ( size_t i = 0; i < count; ++i ) {
		scene s;
		bool grid;
		random_scene( &s, &r, i, &grid );
		// Where floats will not do, and where doubles hardly do.
		static const int exponents[8] = { 0, 0, 0, 20, -30, 80, -300, 900 };
		const int exponent = exponents[rng_below( &r, 8 )];
		scene_scale( &s, exponent );
		const dbvh_tree_options options = random_options( &r );
		scene_open( &s, rng_below( &r, 2 ) == 0 ? NULL : &options );
		for ( int k = 0; k < 12; ++k ) {
			const test_line line = random_line( &s, &r, grid, exponent );
			bool usable = true;
			for ( int j = 0; j < 3; ++j )
				usable = usable && isfinite( line.from[j] ) && isfinite( line.to[j] );
			if ( usable )
				check_line( &s, &line, workspace, &lines );
			double point[3];
			random_point( &s, &r, grid, exponent, point );
			check_point( &s, point, ldexp( rng_unit( &r ), exponent ), workspace, &points );
		}
		scene_close( &s );
	}
	printf( "probe: %zu lines, %zu hit, %zu ties; %zu triangles compared, %zu exactly; %zu mistakes\n", lines.lines,
	        lines.hits, lines.ties, lines.triangle_tests, lines.exact_tests, lines.mistakes );
	printf(
	    "probe: %zu points, %zu on the mesh, %zu ties, %zu within; %zu triangles compared, %zu exactly; %zu mistakes\n",
	    points.points, points.on_mesh, points.ties, points.within, points.triangle_tests, points.exact_tests,
	    points.mistakes );
	assert_int_equal( lines.mistakes, 0 );
	assert_int_equal( points.mistakes, 0 );
	assert_true( lines.hits > lines.lines / 10 && lines.hits < lines.lines * 9 / 10 && lines.ties > lines.lines / 50 );
	assert_true( points.on_mesh > points.points / 50 && points.ties > points.points / 10 );
	assert_true( points.within > points.points && points.within < 3 * points.points );
	dbvh_workspace_destroy( workspace );
}

// ------------------------------------------------------------------------------------------------
// By hand

// Two triangles of the unit square in z = 0: 0 below the diagonal from (0, 0) to (1, 1), 1 above it.
static void defined_lines( void **state ) {
	(void)state;
	static const struct {
		test_line line;
		bool intersects;
		uint32_t triangle;
		double t;
		size_t count;
	} cases[] = {
	    { { { 0.5, 0.25, 1 }, { 0.5, 0.25, -1 }, false }, true, 0, 0.5, 1 },
	    { { { 0.25, 0.5, 1 }, { 0, 0, -4 }, true }, true, 1, 0.25, 1 },
	    { { { 0.25, 0.5, 1 }, { 0, 0, 4 }, true }, false, 0, 0, 0 },
	    { { { 0.5, 0.5, 1 }, { 0.5, 0.5, -1 }, false }, true, 0, 0.5, 2 }, // through the diagonal
	    { { { 0.5, 0.5, 1 }, { 0.5, 0.5, 0 }, false }, true, 0, 1, 2 },    // ends on it
	    { { { 0.5, 0.5, 0 }, { 0.5, 0.5, 1 }, false }, true, 0, 0, 2 },    // begins on it
	    { { { 0.5, 0.5, 1 }, { 0.5, 0.5, 0x1p-1074 }, false }, false, 0, 0, 0 },
	    { { { 1, 0, 1 }, { 1, 0, -1 }, false }, true, 0, 0.5, 1 },        // through a corner of one
	    { { { 0, 0, 1 }, { 0, 0, -1 }, false }, true, 0, 0.5, 2 },        // and of both
	    { { { -1, 0.75, 0 }, { 3, 0.75, 0 }, false }, true, 1, 0.25, 2 }, // in the plane
	    { { { 2, 0.75, 0 }, { -1, 0, 0 }, true }, true, 0, 1, 2 },
	    { { { -1, 0, 0 }, { 1, 0, 0 }, true }, true, 0, 1, 2 }, // along an edge
	    { { { -1, 1.5, 0 }, { 1, 0, 0 }, true }, false, 0, 0, 0 },
	    { { { -1, 0.5, 0x1p-1000 }, { 1, 0, 0 }, true }, false, 0, 0, 0 }, // beside the plane
	    { { { 0.25, 0.5, 0 }, { 0.25, 0.5, 0 }, false }, true, 1, 0, 1 },  // a point
	    { { { 0.25, 0.5, 0 }, { 0, 0, 0 }, true }, true, 1, 0, 1 },
	    { { { 0.25, 0.5, 1 }, { 0, 0, 0 }, true }, false, 0, 0, 0 },
	    { { { 0.25, 0.5, 1 }, { 0, 0, -0x1p-1070 }, true }, true, 1, INFINITY, 1 },
	};
	shape s = { 0 };
	add_grid( &s, 1 );
	dbvh_tree *tree = tree_of( &s, NULL );
	dbvh_ray_hit hits[4];
	for ( size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i ) {
		const dbvh_raycast_query query = { .find = DBVH_FIND_ALL, .hits = hits, .hit_capacity = 4 };
		dbvh_raycast_result result;
		assert_int_equal( line_cast( tree, NULL, &cases[i].line, &query, NULL, &result, NULL ), DBVH_OK );
		if ( result.intersects != cases[i].intersects || result.hit_count != cases[i].count ||
		     ( result.intersects && ( result.first.t != cases[i].t || result.first.triangle != cases[i].triangle ) ) )
			print_message( "probe: case %zu: %d, %zu hits, triangle %u at %g\n", i, result.intersects, result.hit_count,
			               result.first.triangle, result.first.t );
		assert_int_equal( result.intersects, cases[i].intersects );
		assert_int_equal( result.hit_count, cases[i].count );
		if ( result.intersects ) {
			assert_true( result.first.t == cases[i].t );
			assert_int_equal( result.first.triangle, cases[i].triangle );
		}
	}
	dbvh_tree_destroy( tree );
	shape_free( &s );
}

// ------------------------------------------------------------------------------------------------
// Many at a time, and what is refused

static void check_batches( bool rays ) {
	rng r = rng_announce( "probe: batches", seed_default + 1 );
	shape s = { 0 };
	shape_add_torus( &s, 1.0, 0.4, 60, 30 );
	dbvh_tree *tree = tree_of( &s, NULL );
	const dbvh_pose pose = random_pose( &r, 1.0 );
	enum { COUNT = 500, BAD = 317 };
	static test_line lines[COUNT];
	static double points[COUNT][3];
	for ( int i = 0; i < COUNT; ++i ) {
		for ( int k = 0; k < 3; ++k ) {
			lines[i].from[k] = rng_range( &r, -2, 2 );
			lines[i].to[k] = rng_range( &r, -2, 2 );
			points[i][k] = rng_range( &r, -2, 2 );
		}
		lines[i].is_ray = rays;
	}
	static dbvh_raycast_result counted[COUNT], results[COUNT], alone;
	static dbvh_closest_point_result nearest[COUNT], own;
	dbvh_error error;
	dbvh_raycast_query query = { .find = DBVH_FIND_ALL };
	assert_int_equal( line_cast_batch( tree, &pose, lines, COUNT, &query, NULL, counted, &error ), DBVH_OK );
	static size_t begin[COUNT + 1];
	for ( size_t i = 0; i < COUNT; ++i )
		begin[i + 1] = begin[i] + counted[i].hit_count;
	assert_true( begin[COUNT] > COUNT / 4 );
	dbvh_ray_hit *hits = malloc( begin[COUNT] * sizeof *hits );
	assert_true( hits != NULL );
	query.hits = hits;
	query.hit_capacity = begin[COUNT];
	query.hit_begin = begin;
	for ( uint32_t threads = 1; threads <= 4; threads += 3 ) {
		memset( hits, 0, begin[COUNT] * sizeof *hits );
		const dbvh_batch_options options = { .thread_count = threads };
		assert_int_equal( line_cast_batch( tree, &pose, lines, COUNT, &query, &options, results, &error ), DBVH_OK );
		assert_int_equal( dbvh_closest_point_batch( tree, &pose, points[0], COUNT,
		                                            &( dbvh_closest_point_query ){ .limit = 0.5 }, &options, nearest,
		                                            &error ),
		                  DBVH_OK );
		size_t meeting = 0, found = 0;
		for ( size_t i = 0; i < COUNT; ++i ) {
			dbvh_ray_hit mine[64];
			const dbvh_raycast_query single = { .find = DBVH_FIND_ALL, .hits = mine, .hit_capacity = 64 };
			assert_int_equal( line_cast( tree, &pose, &lines[i], &single, NULL, &alone, NULL ), DBVH_OK );
			assert_memory_equal( &alone, &results[i], sizeof alone );
			assert_true( alone.hit_count == 0 || memcmp( mine, hits + begin[i], alone.hit_count * sizeof *mine ) == 0 );
			meeting += alone.intersects;
			assert_int_equal( dbvh_closest_point( tree, &pose, points[i], &( dbvh_closest_point_query ){ .limit = 0.5 },
			                                      NULL, &own, NULL ),
			                  DBVH_OK );
			assert_memory_equal( &own, &nearest[i], sizeof own );
			found += own.found;
		}
		assert_true( meeting > 0 && meeting < COUNT && found > 0 && found < COUNT );
	}

	// One that is refused spoils no other.
	const dbvh_raycast_result before = results[BAD + 1];
	lines[BAD].to[1] = NAN;
	points[BAD][2] = INFINITY;
	const dbvh_batch_options options = { .thread_count = 2 };
	assert_int_equal( line_cast_batch( tree, &pose, lines, COUNT, &query, &options, results, &error ),
	                  DBVH_NOT_FINITE );
	assert_int_equal( error.element, BAD );
	assert_int_equal( results[BAD].status, DBVH_NOT_FINITE );
	assert_memory_equal( &before, &results[BAD + 1], sizeof before );
	assert_int_equal( dbvh_closest_point_batch( tree, &pose, points[0], COUNT,
	                                            &( dbvh_closest_point_query ){ .limit = 1.0 }, &options, nearest,
	                                            &error ),
	                  DBVH_NOT_FINITE );
	assert_int_equal( error.element, BAD );
	assert_int_equal( nearest[BAD].status, DBVH_NOT_FINITE );
	assert_int_equal( nearest[BAD + 1].status, DBVH_OK );

	// Regions that do not fit.
	begin[3] = begin[COUNT] + 1;
	assert_int_equal( line_cast_batch( tree, &pose, lines, COUNT, &query, &options, results, &error ),
	                  DBVH_INVALID_ARGUMENT );
	query.hit_begin = NULL;
	assert_int_equal( line_cast_batch( tree, &pose, lines, COUNT, &query, NULL, results, &error ),
	                  DBVH_INVALID_ARGUMENT );
	free( hits );
	dbvh_tree_destroy( tree );
	shape_free( &s );
}

static void batches( void **state ) {
	(void)state;
	check_batches( true );
	check_batches( false );
}

static void arguments( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_box( &s, 1, 1, 1, 2 );
	dbvh_tree *tree = tree_of( &s, NULL );
	test_line line = { { 0, 0, 0 }, { 2, 0, 0 }, false };
	dbvh_raycast_result result;
	dbvh_closest_point_result nearest;
	const double point[3] = { 3, 0, 0 }, odd[3] = { NAN, 0, 0 };
	dbvh_pose pose = dbvh_pose_identity();
	assert_int_equal( line_cast( tree, NULL, &line, NULL, NULL, &result, NULL ), DBVH_OK );
	assert_true( result.intersects );
	assert_int_equal( line_cast( NULL, NULL, &line, NULL, NULL, &result, NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_raycast( tree, NULL, NULL, NULL, NULL, &result, NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( line_cast( tree, NULL, &line, NULL, NULL, NULL, NULL ), DBVH_INVALID_ARGUMENT );
	dbvh_raycast_query query = { .find = DBVH_FIND_ALL, .hit_capacity = 1 };
	assert_int_equal( line_cast( tree, NULL, &line, &query, NULL, &result, NULL ), DBVH_INVALID_ARGUMENT );
	line.is_ray = true;
	line.to[2] = INFINITY;
	assert_int_equal( line_cast( tree, NULL, &line, NULL, NULL, &result, NULL ), DBVH_NOT_FINITE );
	assert_false( result.intersects );
	assert_int_equal( dbvh_closest_point( tree, NULL, point, NULL, NULL, &nearest, NULL ), DBVH_OK );
	assert_true( nearest.found && nearest.distance == 2.0 && nearest.point[0] == 1.0 );
	assert_int_equal( dbvh_closest_point( tree, NULL, odd, NULL, NULL, &nearest, NULL ), DBVH_NOT_FINITE );
	assert_int_equal(
	    dbvh_closest_point( tree, NULL, point, &( dbvh_closest_point_query ){ .limit = NAN }, NULL, &nearest, NULL ),
	    DBVH_INVALID_ARGUMENT );
	assert_int_equal(
	    dbvh_closest_point( tree, NULL, point, &( dbvh_closest_point_query ){ .limit = -1.0 }, NULL, &nearest, NULL ),
	    DBVH_INVALID_ARGUMENT );
	assert_int_equal(
	    dbvh_closest_point( NULL, NULL, point, &( dbvh_closest_point_query ){ .limit = 1.0 }, NULL, &nearest, NULL ),
	    DBVH_INVALID_ARGUMENT );
	assert_int_equal(
	    dbvh_closest_point( tree, NULL, point, &( dbvh_closest_point_query ){ .limit = 1.0 }, NULL, NULL, NULL ),
	    DBVH_INVALID_ARGUMENT );
	pose.rot[0][0] = 2.0;
	assert_int_equal(
	    dbvh_closest_point( tree, &pose, point, &( dbvh_closest_point_query ){ .limit = 1.0 }, NULL, &nearest, NULL ),
	    DBVH_NOT_RIGID );
	pose.rot[0][0] = NAN;
	line.to[2] = 0.0;
	assert_int_equal( line_cast( tree, &pose, &line, NULL, NULL, &result, NULL ), DBVH_NOT_FINITE );
	assert_int_equal( dbvh_raycast_batch( tree, NULL, NULL, 0, NULL, NULL, NULL, NULL ), DBVH_OK );
	assert_int_equal( dbvh_closest_point_batch( tree, NULL, NULL, 0, &( dbvh_closest_point_query ){ .limit = 1.0 },
	                                            NULL, NULL, NULL ),
	                  DBVH_OK );
	assert_int_equal( dbvh_segment_cast_batch( tree, NULL, NULL, 1, NULL, NULL, NULL, NULL ), DBVH_INVALID_ARGUMENT );

	// Nothing is allocated once the workspace has been reserved.
	ledger books = { 0 };
	const dbvh_allocator allocator = ledger_allocator( &books );
	dbvh_workspace *workspace = NULL;
	assert_int_equal( dbvh_workspace_create( &allocator, &workspace, NULL ), DBVH_OK );
	assert_int_equal( dbvh_workspace_reserve( workspace, tree, tree, 5, NULL ), DBVH_OK );
	const size_t calls = books.calls;
	dbvh_ray_hit hits[5];
	query = ( dbvh_raycast_query ){ .find = DBVH_FIND_ALL, .hits = hits, .hit_capacity = 5 };
	assert_int_equal( line_cast( tree, NULL, &line, &query, workspace, &result, NULL ), DBVH_OK );
	assert_int_equal( dbvh_closest_point( tree, NULL, point, NULL, workspace, &nearest, NULL ), DBVH_OK );
	assert_int_equal( books.calls, calls );
	// One that cannot grow says so.
	books.fail_at = books.calls + 1;
	dbvh_ray_hit more[50];
	query = ( dbvh_raycast_query ){ .find = DBVH_FIND_ALL, .hits = more, .hit_capacity = 50 };
	assert_int_equal( line_cast( tree, NULL, &line, &query, workspace, &result, NULL ), DBVH_OUT_OF_MEMORY );
	dbvh_workspace_destroy( workspace );
	assert_int_equal( books.live, 0 );
	assert_int_equal( books.mistakes, 0 );
	dbvh_tree_destroy( tree );
	shape_free( &s );
}

// ------------------------------------------------------------------------------------------------
// Larger meshes: the boxes must not lose what the predicates of the triangles find without them

static void larger_meshes( void **state ) {
	(void)state;
	rng r = rng_announce( "probe: larger meshes", seed_default + 2 );
	dbvh_workspace *workspace = NULL;
	assert_int_equal( dbvh_workspace_create( NULL, &workspace, NULL ), DBVH_OK );
	size_t hit = 0, missed = 0;
	for ( int which = 0; which < 3; ++which ) {
		shape s = { 0 };
		if ( which == 0 )
			shape_add_statue( &s );
		else if ( which == 1 )
			shape_add_torus( &s, 1.0, 0.3, 100, 50 );
		else
			add_soup( &s, &r, 4000, 0.1, 0.1, false );
		dbvh_tree *tree = tree_of( &s, NULL );
		// Each triangle as a mesh of its own.
		dbvh_tree **single = malloc( s.triangle_count * sizeof *single );
		assert_true( single != NULL );
		for ( size_t i = 0; i < s.triangle_count; ++i ) {
			shape one = { 0 };
			double c[9];
			corners_of( &s, i, c );
			for ( int k = 0; k < 3; ++k )
				shape_vertex( &one, c[3 * k], c[3 * k + 1], c[3 * k + 2] );
			shape_triangle( &one, 0, 1, 2 );
			single[i] = tree_of( &one, NULL );
			shape_free( &one );
		}
		const dbvh_pose pose = random_pose( &r, 1.0 );
		const size_t count = rounds( 20 );
		for ( size_t n = 0; n < count; ++n ) {
			test_line line = { .is_ray = n % 2 == 0 };
			double point[3];
			for ( int k = 0; k < 3; ++k ) {
				line.from[k] = rng_range( &r, -3, 3 );
				line.to[k] = n % 2 == 0 ? pose.pos[k] + rng_range( &r, -1, 1 ) - line.from[k] : rng_range( &r, -3, 3 );
				point[k] = pose.pos[k] + rng_range( &r, -2, 2 );
			}
			const dbvh_raycast_query first = { .find = DBVH_FIND_CLOSEST };
			dbvh_raycast_result all, one;
			dbvh_closest_point_result whole, part;
			assert_int_equal( line_cast( tree, &pose, &line, &first, workspace, &all, NULL ), DBVH_OK );
			assert_int_equal( dbvh_closest_point( tree, &pose, point, NULL, workspace, &whole, NULL ), DBVH_OK );
			double t = INFINITY, distance = INFINITY;
			for ( size_t i = 0; i < s.triangle_count; ++i ) {
				assert_int_equal( line_cast( single[i], &pose, &line, &first, workspace, &one, NULL ), DBVH_OK );
				t = one.intersects ? fmin( t, one.first.t ) : t;
				assert_int_equal( dbvh_closest_point( single[i], &pose, point, NULL, workspace, &part, NULL ),
				                  DBVH_OK );
				distance = fmin( distance, part.distance );
			}
			assert_int_equal( all.intersects, isfinite( t ) );
			assert_true( !all.intersects || all.first.t == t );
			assert_true( whole.distance == distance );
			hit += all.intersects;
			missed += !all.intersects;
		}
		for ( size_t i = 0; i < s.triangle_count; ++i )
			dbvh_tree_destroy( single[i] );
		free( single );
		dbvh_tree_destroy( tree );
		shape_free( &s );
	}
	printf( "probe: larger meshes: %zu lines hit, %zu missed\n", hit, missed );
	// As many only where there were enough: the sanitizers are given a tenth.
	assert_true( rounds( 20 ) < 20 || ( hit > 5 && missed > 5 ) );
	dbvh_workspace_destroy( workspace );
}

// ------------------------------------------------------------------------------------------------
// Rounding of quotients: halfway cases, and everything from below the smallest double to beyond the largest

static void rounding( void **state ) {
	(void)state;
	rng r = rng_announce( "probe: rounding", seed_default + 3 );
	size_t halfway = 0, infinite = 0, tiny = 0, orders[3] = { 0 };
	static dbvhi_ratio ratio, other;
	mpq_t truth, previous, x;
	mpq_inits( truth, previous, x, NULL );
	const size_t count = rounds( 4000 );
	for ( size_t i = 0; i < count; ++i ) {
		const int64_t num = (int64_t)( rng_u64( &r ) >> ( 1 + rng_below( &r, 12 ) ) ) + 1;
		const int64_t den = i % 2 == 0 ? 1 : (int64_t)( rng_u64( &r ) >> ( 1 + rng_below( &r, 62 ) ) ) + 1;
		const int unit = (int)rng_below( &r, 2300 ) - 1180;
		dbvhi_big_from_integer( &ratio.num, num );
		dbvhi_big_from_integer( &ratio.den, den );
		ratio.unit = unit;
		mpq_set_si( truth, num, (unsigned long)den );
		mpq_canonicalize( truth );
		if ( unit >= 0 )
			mpq_mul_2exp( truth, truth, (mp_bitcnt_t)unit );
		else
			mpq_div_2exp( truth, truth, (mp_bitcnt_t)-unit );
		const double rounded = dbvhi_ratio_round( &ratio ), root = dbvhi_ratio_root_up( &ratio );
		assert_true( is_nearest_double( rounded, truth ) );
		assert_true( is_root_up( root, truth ) );
		infinite += isinf( rounded );
		tiny += rounded < 0x1p-1022;
		if ( isfinite( rounded ) ) {
			// Halfway between two doubles: as far from this one as from a neighbour.
			mpq_t own;
			mpq_init( own );
			set_abs_difference( own, rounded, truth );
			for ( int side = 0; side < 2; ++side ) {
				const double neighbour = nextafter( rounded, side == 0 ? 0.0 : INFINITY );
				if ( isfinite( neighbour ) && mpq_sgn( own ) != 0 ) {
					set_abs_difference( x, neighbour, truth );
					halfway += mpq_equal( x, own ) != 0;
				}
			}
			mpq_clear( own );
		}
		if ( i > 0 ) {
			const int order = dbvhi_ratio_compare( &ratio, &other ), expected = mpq_cmp( truth, previous );
			assert_true( ( order > 0 ) == ( expected > 0 ) && ( order < 0 ) == ( expected < 0 ) );
			orders[order + 1] += 1;
		}
		if ( i % 3 == 0 ) {
			dbvhi_ratio_copy( &other, &ratio );
			mpq_set( previous, truth );
		}
	}
	mpq_clears( truth, previous, x, NULL );
	printf( "probe: rounding: %zu halfway, %zu infinite, %zu below the normal doubles\n", halfway, infinite, tiny );
	assert_true( halfway > 10 && infinite > 10 && tiny > 10 && orders[0] > 10 && orders[2] > 10 );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( rounding ), cmocka_unit_test( defined_lines ), cmocka_unit_test( random_probes ),
	    cmocka_unit_test( batches ),  cmocka_unit_test( arguments ),     cmocka_unit_test( larger_meshes ),
	};
	return test_main( argc, argv, tests );
}
