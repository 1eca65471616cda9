// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Smallest enclosing spheres against brute force over all supports, and against known ones.

#include "bvh/tree.h"
#include "primitive/fit/sphere_fit.h"
#include "support/scene.h"
#include "support/unit.h"

#include <float.h>
#include <string.h>

static const uint64_t seed_default = 1;

// ------------------------------------------------------------------------------------------------
// Smallest spheres

typedef struct cloud {
	double x[20000], y[20000], z[20000];
	size_t count;
} cloud;
static cloud points;

static void put( double x, double y, double z ) {
	points.x[points.count] = x;
	points.y[points.count] = y;
	points.z[points.count++] = z;
}

static long double distance_sq( const long double c[3], size_t i ) {
	const long double dx = (long double)points.x[i] - c[0], dy = (long double)points.y[i] - c[1],
	                  dz = (long double)points.z[i] - c[2];
	return dx * dx + dy * dy + dz * dz;
}

// The sphere through up to four points with its centre in their affine hull, by Gram-Schmidt: along each new direction
// the centre moves until it is as far from the new point as from the first. False where they depend on each other.
static bool through( const size_t *index, int count, long double centre[3] ) {
	long double basis[3][3],
	    p0[3] = { (long double)points.x[index[0]], (long double)points.y[index[0]], (long double)points.z[index[0]] };
	memcpy( centre, p0, sizeof p0 );
	for ( int n = 1; n < count; ++n ) {
		const long double p[3] = { (long double)points.x[index[n]], (long double)points.y[index[n]],
		                           (long double)points.z[index[n]] };
		long double e[3], length_sq = 0, rest_sq = 0;
		for ( int k = 0; k < 3; ++k ) {
			e[k] = p[k] - p0[k];
			length_sq += e[k] * e[k];
		}
		for ( int pass = 0; pass < 2; ++pass ) {
			for ( int m = 0; m < n - 1; ++m ) {
				const long double along = e[0] * basis[m][0] + e[1] * basis[m][1] + e[2] * basis[m][2];
				for ( int k = 0; k < 3; ++k )
					e[k] -= along * basis[m][k];
			}
		}
		for ( int k = 0; k < 3; ++k )
			rest_sq += e[k] * e[k];
		if ( !( rest_sq > 1e-24L * length_sq ) )
			return false;
		const long double length = sqrtl( rest_sq );
		for ( int k = 0; k < 3; ++k )
			basis[n - 1][k] = e[k] / length;
		// |c + t b - p|^2 = |c + t b - p0|^2, where b is orthogonal to c - p0: t = ( |c - p|^2 - |c - p0|^2 ) / 2 b.(p
		// - p0)
		long double to_p = 0, to_p0 = 0;
		for ( int k = 0; k < 3; ++k ) {
			to_p += ( centre[k] - p[k] ) * ( centre[k] - p[k] );
			to_p0 += ( centre[k] - p0[k] ) * ( centre[k] - p0[k] );
		}
		const long double t = ( to_p - to_p0 ) / ( 2 * length );
		for ( int k = 0; k < 3; ++k )
			centre[k] += t * basis[n - 1][k];
	}
	return true;
}

// The least radius over all spheres through two to four of the points that enclose all of the candidates.
static long double brute_force( const size_t *candidate, size_t count, long double centre_out[3] ) {
	long double best = count == 1 ? 0.0L : (long double)INFINITY;
	for ( size_t i = 0; i < count; ++i ) {
		for ( size_t j = i + 1; j < count; ++j ) {
			for ( size_t k = j; k < count; ++k ) {
				for ( size_t l = k; l < count; ++l ) {
					// k == j means two points, l == k three; the other combinations are doubles.
					if ( k == j && l != k )
						continue;
					const size_t index[4] = { candidate[i], candidate[j], candidate[k], candidate[l] };
					const int size = k == j ? 2 : l == k ? 3 : 4;
					long double c[3];
					if ( !through( index, size, c ) )
						continue;
					const long double r_sq = distance_sq( c, index[0] );
					if ( r_sq >= best * best )
						continue;
					bool encloses = true;
					for ( size_t m = 0; m < count && encloses; ++m )
						encloses = distance_sq( c, candidate[m] ) <= r_sq * ( 1 + 1e-14L );
					if ( encloses ) {
						best = sqrtl( r_sq );
						memcpy( centre_out, c, sizeof c );
					}
				}
			}
		}
	}
	// All points alike: no pair is independent.
	if ( isinf( (double)best ) || count == 1 ) {
		best = 0.0L;
		const size_t i = candidate[0];
		centre_out[0] = (long double)points.x[i];
		centre_out[1] = (long double)points.y[i];
		centre_out[2] = (long double)points.z[i];
	}
	return best;
}

static dbvhi_sphere smallest( void ) {
	const dbvhi_point_set set = { points.x, points.y, points.z, points.count };
	const dbvhi_sphere sphere = dbvhi_sphere_smallest( set );
	const long double c[3] = { (long double)sphere.centre.v[0], (long double)sphere.centre.v[1],
	                           (long double)sphere.centre.v[2] };
	for ( size_t i = 0; i < points.count; ++i ) {
		if ( sqrtl( distance_sq( c, i ) ) > (long double)sphere.radius )
			fail_msg( "the smallest sphere leaves out point %zu of %zu", i, points.count );
	}
	return sphere;
}

static double worst_excess;
static size_t spheres_checked, spheres_wrong;

static void check_radius( const char *what, long double expected ) {
	const dbvhi_sphere sphere = smallest();
	// The centre is a point of doubles: it cannot be better than their steps.
	double largest = 0.0;
	for ( size_t i = 0; i < points.count; ++i )
		largest = fmax( largest, fmax( fabs( points.x[i] ), fmax( fabs( points.y[i] ), fabs( points.z[i] ) ) ) );
	const double allowed = 1e-9 * (double)expected + 4.0 * 0x1p-53 * largest + 1e-150;
	const double off = (double)( (long double)sphere.radius - expected );
	const double excess = expected > 0 ? off / (double)expected : 0.0;
	spheres_checked += 1;
	if ( !( fabs( off ) <= allowed ) && spheres_wrong++ < 3 ) {
		printf( "%s, %zu points: the radius is %.17g, the smallest %.17Lg (%g more)\n", what, points.count,
		        sphere.radius, expected, excess );
		for ( size_t i = 0; i < points.count && i < 12; ++i )
			printf( "\t{ %a, %a, %a },\n", points.x[i], points.y[i], points.z[i] );
	}
	if ( expected > 1e-6L * (long double)largest )
		worst_excess = fmax( worst_excess, excess );
	points.count = 0;
}

static void check_brute( const char *what ) {
	size_t all[32];
	assert_true( points.count <= 32 );
	for ( size_t i = 0; i < points.count; ++i )
		all[i] = i;
	long double centre[3];
	const long double expected = brute_force( all, points.count, centre );
	// Brute force loses the spheres of points that are nearly on a line, and then says 0.
	bool apart = false;
	for ( size_t i = 1; i < points.count; ++i )
		apart = apart || points.x[i] != points.x[0] || points.y[i] != points.y[0] || points.z[i] != points.z[0];
	if ( expected == 0 && apart ) {
		points.count = 0;
		return;
	}
	check_radius( what, expected );
}

static void begin_spheres( void ) {
	worst_excess = 0.0;
	spheres_checked = spheres_wrong = 0;
}

static void end_spheres( void ) {
	printf( "tree: %zu of %zu spheres are not the smallest, the largest excess is %g\n", spheres_wrong, spheres_checked,
	        worst_excess );
	assert_int_equal( spheres_wrong, 0 );
}

static void known_spheres( void **state ) {
	(void)state;
	begin_spheres();
	rng r = rng_announce( "tree: known spheres", seed_default + 8 );
	for ( int round = 0; round < 40; ++round ) {
		const double s = pow( 10.0, rng_range( &r, -3.0, 3.0 ) );
		for ( int corner = 0; corner < 8; ++corner )
			put( corner & 1 ? s : 0, corner & 2 ? s : 0, corner & 4 ? s : 0 );
		check_radius( "cube", sqrtl( 3.0L ) / 2 * (long double)s );
		// A regular simplex has alternate corners of a cube.
		for ( int corner = 0; corner < 8; ++corner ) {
			if ( corner == 0 || corner == 3 || corner == 5 || corner == 6 )
				put( corner & 1 ? s : 0, corner & 2 ? s : 0, corner & 4 ? s : 0 );
		}
		check_radius( "regular simplex", sqrtl( 3.0L ) / 2 * (long double)s );
		put( s, 0, 0 );
		put( 0, s, 0 );
		put( 0, 0, s );
		check_radius( "equilateral triangle", sqrtl( 2.0L / 3.0L ) * (long double)s );
		const double x = coarse( &r ), y = coarse( &r ), z = coarse( &r );
		for ( int i = 0; i < 100; ++i )
			put( x, y, z );
		check_radius( "one point", 0.0L );
		for ( int i = 0; i < 50; ++i )
			put( x + ( i == 20 ), y, z - ( i == 30 ) );
		check_radius( "three points", sqrtl( 2.0L ) / 2 );
		// Collinear, equal steps.
		for ( int i = 0; i <= 100; ++i )
			put( i * 0.25, i * 0.5, i * -0.125 );
		check_radius( "a line", 12.5L * sqrtl( 1 + 4 + 0.25L ) );
		// The octahedron: three diameters.
		for ( int i = 0; i < 6; ++i )
			put( i % 3 == 0 ? ( i < 3 ? s : -s ) : 0, i % 3 == 1 ? ( i < 3 ? s : -s ) : 0,
			     i % 3 == 2 ? ( i < 3 ? s : -s ) : 0 );
		check_radius( "octahedron", (long double)s );
	}
	// Grids on spheres and circles: everything is on the boundary.
	static const uint32_t slices[] = { 5, 8, 17, 64, 100 };
	for ( size_t i = 0; i < 5; ++i ) {
		for ( int turned = 0; turned < 4; ++turned ) {
			shape s = { 0 };
			shape_add_sphere( &s, 1.0, slices[i], slices[i] );
			if ( turned != 0 ) {
				const dbvh_pose pose = random_pose( &r, turned == 1 ? 0.0 : turned == 2 ? 1.0 : 1000.0 );
				shape_place( &s, 0, &pose );
			}
			for ( size_t v = 0; v < s.vertex_count; ++v )
				put( s.positions[3 * v], s.positions[3 * v + 1], s.positions[3 * v + 2] );
			shape_free( &s );
			check_radius( "a grid on a sphere", 1.0L );
		}
		for ( uint32_t k = 0; k < 4 * slices[i]; ++k ) {
			double c, sn;
			shape_turn( k, 4 * slices[i], &c, &sn );
			put( c, 0.6 * sn, 0.8 * sn );
		}
		check_radius( "a circle", 1.0L );
		// A cap of a sphere: its rim decides.
		for ( uint32_t ring = 0; ring <= slices[i]; ++ring ) {
			for ( uint32_t k = 0; k < slices[i]; ++k ) {
				double c, sn;
				shape_turn( k, slices[i], &c, &sn );
				const double a = 0.5 * (double)ring / slices[i];
				put( sin( a ) * c, sin( a ) * sn, cos( a ) );
			}
		}
		if ( slices[i] % 2 == 0 )
			check_radius( "a cap", sinl( 0.5L ) );
		points.count = 0;
	}
	end_spheres();
}

static void random_spheres( void **state ) {
	(void)state;
	begin_spheres();
	rng r = rng_announce( "tree: random spheres", seed_default + 9 );
	for ( size_t round = rounds( 3000 ); round-- > 0; ) {
		const size_t count = 1 + rng_below( &r, 11 );
		const uint64_t kind = rng_below( &r, 9 );
		const double thin = pow( 10.0, rng_range( &r, -17.0, 0.0 ) ), away = kind == 8 ? 1000.0 : 0.0;
		double direction[3];
		random_direction( &r, direction );
		for ( size_t i = 0; i < count; ++i ) {
			double p[3], t;
			random_direction( &r, p );
			switch ( kind ) {
			case 0: // in a cube
				put( rng_unit( &r ), rng_unit( &r ), rng_unit( &r ) );
				break;
			case 1: // on a sphere
				put( p[0], p[1], p[2] );
				break;
			case 2: // on a grid: many coincidences
				put( 0.25 * (double)rng_below( &r, 3 ), 0.25 * (double)rng_below( &r, 3 ),
				     0.25 * (double)rng_below( &r, 3 ) );
				break;
			case 3: // nearly flat
				put( rng_unit( &r ), rng_unit( &r ), thin * rng_unit( &r ) );
				break;
			case 4: // nearly a line
				t = rng_unit( &r );
				put( t * direction[0] + thin * p[0], t * direction[1] + thin * p[1], t * direction[2] + thin * p[2] );
				break;
			case 5: // two clusters
				t = rng_below( &r, 2 ) != 0 ? 1.0 : 0.0;
				put( t + thin * p[0], thin * p[1], thin * p[2] );
				break;
			case 6: // nearly on a circle
				t = rng_range( &r, 0.0, 6.3 );
				put( cos( t ) + thin * p[0], sin( t ) + thin * p[1], thin * p[2] );
				break;
			case 7: // nearly on a sphere
				t = 1.0 + thin * rng_range( &r, -1.0, 1.0 );
				put( t * p[0], t * p[1], t * p[2] );
				break;
			default:
				put( p[0] + away, p[1] - away, p[2] + 0.5 * away );
				break;
			}
			if ( rng_below( &r, 8 ) == 0 && points.count > 1 ) {
				points.x[points.count - 1] = points.x[0];
				points.y[points.count - 1] = points.y[0];
				points.z[points.count - 1] = points.z[0];
			}
		}
		char what[32];
		snprintf( what, sizeof what, "kind %d, thin %.1g", (int)kind, thin );
		check_brute( what );
	}
	// Larger sets: brute force over a few points that grow by the one farthest outside, until none is.
	size_t decided = 0;
	for ( size_t round = rounds( 100 ); round-- > 0; ) {
		const size_t count = 100 + rng_below( &r, 900 );
		for ( size_t i = 0; i < count; ++i ) {
			double p[3];
			random_direction( &r, p );
			const double t = pow( rng_unit( &r ), 1.0 / 3.0 );
			put( t * p[0], 1.2 * t * p[1], 0.9 * t * p[2] );
		}
		size_t few[24] = { 0, 1, 2, 3 }, few_count = 4;
		while ( few_count < 24 ) {
			long double centre[3], most = 0;
			const long double radius = brute_force( few, few_count, centre );
			size_t farthest = 0;
			for ( size_t i = 0; i < count; ++i ) {
				if ( distance_sq( centre, i ) > most ) {
					most = distance_sq( centre, i );
					farthest = i;
				}
			}
			if ( most <= radius * radius * ( 1 + 1e-14L ) ) {
				check_radius( "a cloud", radius );
				decided += 1;
				break;
			}
			few[few_count++] = farthest;
		}
		points.count = 0;
	}
	printf( "tree: %zu clouds decided\n", decided );
	assert_outcomes( decided > 0 );
	end_spheres();
}

// The sphere in the tree is the smallest one, too.
static void spheres_of_trees( void **state ) {
	(void)state;
	rng r = rng_announce( "tree: spheres of trees", seed_default + 10 );
	begin_spheres();
	for ( size_t round = rounds( 200 ); round-- > 0; ) {
		shape s = { 0 };
		add_soup( &s, &r, 1 + rng_below( &r, 4 ), 0.8, 0.3, round % 2 );
		points.count = 0;
		for ( size_t i = 0; i < 3 * s.triangle_count; ++i ) {
			const double *const p = s.positions + 3 * s.indices[i];
			put( p[0], p[1], p[2] );
		}
		size_t all[12];
		for ( size_t i = 0; i < points.count; ++i )
			all[i] = i;
		long double centre[3];
		const long double expected = brute_force( all, points.count, centre );
		const dbvh_mesh_view view = shape_view( &s );
		dbvh_tree *tree = NULL;
		assert_int_equal( dbvh_tree_build( &view, NULL, NULL, &tree, NULL ), DBVH_OK );
		const dbvh_tree_stats stats = dbvh_tree_get_stats( tree );
		dbvh_tree_destroy( tree );
		shape_free( &s );
		spheres_checked += 1;
		spheres_wrong += !( fabs( stats.sphere.radius - (double)expected ) <= 1e-9 * (double)expected + 1e-15 );
	}
	points.count = 0;
	end_spheres();
}
int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( known_spheres ),
	    cmocka_unit_test( random_spheres ),
	    cmocka_unit_test( spheres_of_trees ),
	};
	return test_main( argc, argv, tests );
}
