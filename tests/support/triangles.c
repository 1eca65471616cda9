// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "support/triangles.h"

#include <float.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------
// Small tools

static int pick( rng *r, int n ) {
	return (int)rng_below( r, (uint64_t)n );
}

// An integer in [-n, n].
static double whole( rng *r, int n ) {
	return (double)( pick( r, 2 * n + 1 ) - n );
}

static void fill_whole( rng *r, int n, double *out, int count ) {
	for ( int i = 0; i < count; ++i )
		out[i] = whole( r, n );
}

static void fill_real( rng *r, double scale, double *out, int count ) {
	for ( int i = 0; i < count; ++i )
		out[i] = rng_range( r, -scale, scale );
}

static void copy3( double out[3], const double in[3] ) {
	memcpy( out, in, 3 * sizeof( double ) );
}

// out = p + s d
static void along( double out[3], const double p[3], double s, const double d[3] ) {
	for ( int i = 0; i < 3; ++i )
		out[i] = p[i] + s * d[i];
}

static void shuffle_corners( rng *r, double t[9] ) {
	for ( int i = 2; i > 0; --i ) {
		const int j = pick( r, i + 1 );
		double held[3];
		copy3( held, t + 3 * i );
		memmove( t + 3 * i, t + 3 * j, sizeof held );
		copy3( t + 3 * j, held );
	}
}

static void finish( rng *r, triangle_pair *out ) {
	shuffle_corners( r, out->a );
	shuffle_corners( r, out->b );
	if ( pick( r, 2 ) == 0 ) {
		double held[9];
		memcpy( held, out->a, sizeof held );
		memcpy( out->a, out->b, sizeof held );
		memcpy( out->b, held, sizeof held );
	}
}

static void start( triangle_pair *out ) {
	memset( out, 0, sizeof *out );
	out->pose = dbvh_pose_identity();
}

static void scale_by( triangle_pair *out, int exponent ) {
	for ( int i = 0; i < 9; ++i ) {
		out->a[i] = ldexp( out->a[i], exponent );
		out->b[i] = ldexp( out->b[i], exponent );
	}
	for ( int i = 0; i < 3; ++i )
		out->pose.pos[i] = ldexp( out->pose.pos[i], exponent );
}

// Moves one to three coordinates by one to three units in the last place.
static void nudge( rng *r, triangle_pair *out ) {
	for ( int n = 1 + pick( r, 3 ); n > 0; --n ) {
		double *const x = ( pick( r, 2 ) == 0 ? out->a : out->b ) + pick( r, 9 );
		const double towards = pick( r, 2 ) == 0 ? -DBL_MAX : DBL_MAX;
		for ( int k = 1 + pick( r, 3 ); k > 0; --k )
			*x = nextafter( *x, towards );
	}
}

// A plane through the origin in which integers stay integers: points i u + j v.
static void lattice_plane( rng *r, int n, double u[3], double v[3] ) {
	fill_whole( r, n, u, 3 );
	fill_whole( r, n, v, 3 );
}

static void in_plane( double out[3], const double origin[3], const double u[3], const double v[3], double i,
                      double j ) {
	for ( int k = 0; k < 3; ++k )
		out[k] = origin[k] + i * u[k] + j * v[k];
}

// ------------------------------------------------------------------------------------------------
// Families in small integers, where contact is exact. They leave the pair as it is, without a pose.

static void make_grid( rng *r, triangle_pair *out ) {
	start( out );
	const int n = 1 + pick( r, 4 );
	fill_whole( r, n, out->a, 9 );
	fill_whole( r, n, out->b, 9 );
}

static void make_shared_vertex( rng *r, triangle_pair *out ) {
	start( out );
	fill_whole( r, 20, out->a, 9 );
	fill_whole( r, 20, out->b, 9 );
	copy3( out->b, out->a );
	finish( r, out );
}

static void make_shared_edge( rng *r, triangle_pair *out ) {
	make_shared_vertex( r, out );
	memcpy( out->b, out->a, 6 * sizeof( double ) );
	finish( r, out );
}

static void make_identical( rng *r, triangle_pair *out ) {
	start( out );
	if ( pick( r, 2 ) == 0 )
		fill_whole( r, 3, out->a, 9 );
	else
		fill_real( r, 1.0, out->a, 9 );
	memcpy( out->b, out->a, sizeof out->b );
	finish( r, out );
}

// A vertex of B in A's plane, inside it, on its rim or a little outside; B stands to one side, or lies across.
static void make_vertex_on_face( rng *r, triangle_pair *out ) {
	start( out );
	double u[3], v[3], origin[3];
	fill_whole( r, 50, origin, 3 );
	fill_whole( r, 20, u, 3 );
	fill_whole( r, 20, v, 3 );
	const int parts = 16;
	copy3( out->a, origin );
	along( out->a + 3, origin, parts, u );
	along( out->a + 6, origin, parts, v );
	const int i = pick( r, parts + 2 );
	const int j = pick( r, parts + 2 - i ) - ( pick( r, 8 ) == 0 );
	in_plane( out->b, origin, u, v, i, j );
	const double n[3] = { u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0] };
	const double side = pick( r, 4 ) == 0 ? -1.0 : 1.0;
	for ( int corner = 1; corner < 3; ++corner ) {
		double w[3];
		fill_whole( r, 60, w, 3 );
		const double height = n[0] * w[0] + n[1] * w[1] + n[2] * w[2];
		along( out->b + 3 * corner, out->b, height < 0.0 ? -1.0 : 1.0, w );
		if ( corner == 2 && side < 0.0 )
			along( out->b + 6, out->b, height < 0.0 ? 1.0 : -1.0, w );
	}
	finish( r, out );
}

// Two edges that cross in a point, or whose lines do, just past an end.
static void make_edge_on_edge( rng *r, triangle_pair *out ) {
	start( out );
	double p[3];
	fill_whole( r, 50, p, 3 );
	for ( int side = 0; side < 2; ++side ) {
		double *const t = side == 0 ? out->a : out->b;
		double d[3];
		fill_whole( r, 20, d, 3 );
		along( t, p, -(double)pick( r, 5 ) + ( pick( r, 8 ) == 0 ), d );
		along( t + 3, p, (double)pick( r, 5 ), d );
		fill_whole( r, 90, t + 6, 3 );
	}
	finish( r, out );
}

static void make_vertex_on_edge( rng *r, triangle_pair *out ) {
	start( out );
	double d[3];
	fill_whole( r, 50, out->b, 9 );
	fill_whole( r, 20, d, 3 );
	along( out->a, out->b, -(double)pick( r, 5 ), d );
	along( out->a + 3, out->b, (double)pick( r, 5 ) - ( pick( r, 8 ) == 0 ), d );
	fill_whole( r, 90, out->a + 6, 3 );
	finish( r, out );
}

static void make_coplanar_axis( rng *r, triangle_pair *out ) {
	start( out );
	const int n = 1 + pick( r, 8 ), axis = pick( r, 3 );
	fill_whole( r, n, out->a, 9 );
	fill_whole( r, n, out->b, 9 );
	const double level = whole( r, 3 );
	for ( int corner = 0; corner < 3; ++corner )
		out->a[3 * corner + axis] = out->b[3 * corner + axis] = level;
}

static void make_coplanar_tilted( rng *r, triangle_pair *out ) {
	start( out );
	double u[3], v[3], origin[3];
	fill_whole( r, 100, origin, 3 );
	lattice_plane( r, 9, u, v );
	const int n = 1 + pick( r, 8 );
	for ( int corner = 0; corner < 6; ++corner ) {
		double *const t = corner < 3 ? out->a + 3 * corner : out->b + 3 * ( corner - 3 );
		in_plane( t, origin, u, v, whole( r, n ), whole( r, n ) );
	}
}

// The same with coordinates of up to 41 bits, and some corners off the plane by one: where 128 bits just hold the
// determinants, and just do not.
static void make_coplanar_long( rng *r, triangle_pair *out ) {
	start( out );
	double u[3], v[3], origin[3];
	fill_whole( r, 100, origin, 3 );
	lattice_plane( r, 1 << ( 4 + pick( r, 17 ) ), u, v );
	const int n = 1 << ( 1 + pick( r, 20 ) );
	for ( int corner = 0; corner < 6; ++corner ) {
		double *const t = corner < 3 ? out->a + 3 * corner : out->b + 3 * ( corner - 3 );
		in_plane( t, origin, u, v, whole( r, n ), whole( r, n ) );
		if ( pick( r, 6 ) == 0 )
			t[pick( r, 3 )] += whole( r, 1 );
	}
}

// B in A's plane and inside A, or on its rim, or A's plane moved away by one.
static void make_nested( rng *r, triangle_pair *out ) {
	start( out );
	double u[3], v[3], origin[3];
	fill_whole( r, 100, origin, 3 );
	lattice_plane( r, 9, u, v );
	const int parts = 12;
	copy3( out->a, origin );
	in_plane( out->a + 3, origin, u, v, parts, 0 );
	in_plane( out->a + 6, origin, u, v, 0, parts );
	const int first = pick( r, 2 );
	for ( int corner = 0; corner < 3; ++corner ) {
		const int i = first + pick( r, parts - first );
		in_plane( out->b + 3 * corner, origin, u, v, i, pick( r, parts - i + 1 ) );
	}
	if ( pick( r, 3 ) == 0 ) {
		const int axis = pick( r, 3 );
		for ( int corner = 0; corner < 3; ++corner )
			out->b[3 * corner + axis] += 1.0;
	}
	finish( r, out );
}

// A triangle that is a segment; the other one is anything.
static void make_segment( rng *r, triangle_pair *out ) {
	switch ( pick( r, 5 ) ) {
	case 0:
		make_vertex_on_face( r, out );
		break;
	case 1:
		make_edge_on_edge( r, out );
		break;
	case 2:
		make_coplanar_tilted( r, out );
		break;
	case 3:
		make_vertex_on_edge( r, out );
		break;
	default:
		make_grid( r, out );
		break;
	}
	const int which = 1 + pick( r, 3 );
	for ( int side = 0; side < 2; ++side ) {
		double *const t = side == 0 ? out->a : out->b;
		if ( ( which >> side & 1 ) == 0 )
			continue;
		if ( pick( r, 2 ) == 0 ) {
			copy3( t + 6, t + 3 * pick( r, 2 ) );
		} else {
			double d[3];
			for ( int i = 0; i < 3; ++i )
				d[i] = t[3 + i] - t[i];
			along( t + 6, t, whole( r, 3 ), d );
		}
	}
	finish( r, out );
}

// Two segments on one line, or on parallel lines.
static void make_collinear( rng *r, triangle_pair *out ) {
	start( out );
	double p[3], d[3];
	fill_whole( r, 20, p, 3 );
	fill_whole( r, 5, d, 3 );
	for ( int corner = 0; corner < 3; ++corner ) {
		along( out->a + 3 * corner, p, whole( r, 6 ), d );
		along( out->b + 3 * corner, p, whole( r, 6 ), d );
	}
	if ( pick( r, 4 ) == 0 ) {
		const int axis = pick( r, 3 );
		for ( int corner = 0; corner < 3; ++corner )
			out->b[3 * corner + axis] += 1.0;
	}
}

static void make_point( rng *r, triangle_pair *out ) {
	switch ( pick( r, 6 ) ) {
	case 0:
		make_vertex_on_edge( r, out );
		break;
	case 1:
		make_coplanar_tilted( r, out );
		break;
	case 2:
		make_collinear( r, out );
		break;
	case 3:
		make_grid( r, out );
		break;
	case 4:
		make_shared_vertex( r, out );
		break;
	default:
		make_nested( r, out );
		break;
	}
	const int which = 1 + pick( r, 3 );
	for ( int side = 0; side < 2; ++side ) {
		double *const t = side == 0 ? out->a : out->b;
		if ( ( which >> side & 1 ) != 0 ) {
			copy3( t + 3, t );
			copy3( t + 6, t );
		}
	}
	finish( r, out );
}

// Any of the above.
static void make_contact( rng *r, triangle_pair *out ) {
	static void ( *const makers[] )( rng *, triangle_pair * ) = {
	    make_grid,         make_shared_vertex,  make_shared_edge,   make_vertex_on_face,  make_vertex_on_face,
	    make_edge_on_edge, make_vertex_on_edge, make_coplanar_axis, make_coplanar_tilted, make_nested,
	    make_segment,      make_collinear,      make_point,         make_identical,
	};
	makers[pick( r, (int)( sizeof makers / sizeof makers[0] ) )]( r, out );
}

// ------------------------------------------------------------------------------------------------
// Families of doubles, without a pose

static void make_random( rng *r, triangle_pair *out ) {
	start( out );
	fill_real( r, 1.0, out->a, 9 );
	fill_real( r, 1.0, out->b, 9 );
}

// Small triangles near one another: what a query sees after its volumes have met.
static void make_close( rng *r, triangle_pair *out ) {
	start( out );
	double centre[3];
	fill_real( r, 1.0, centre, 3 );
	const double size = ldexp( 1.0, -pick( r, 30 ) );
	for ( int i = 0; i < 9; ++i ) {
		out->a[i] = centre[i % 3] + rng_range( r, -size, size );
		out->b[i] = centre[i % 3] + rng_range( r, -size, size );
	}
}

// A point of A by rounded barycentric coordinates is a vertex of B: within rounding of touching.
static void make_rounded_touch( rng *r, triangle_pair *out ) {
	make_random( r, out );
	double weight[3] = { rng_unit( r ), rng_unit( r ), rng_unit( r ) };
	if ( pick( r, 3 ) == 0 )
		weight[pick( r, 3 )] = 0.0;
	const double sum = weight[0] + weight[1] + weight[2];
	double p[3];
	for ( int i = 0; i < 3; ++i )
		p[i] = ( weight[0] * out->a[i] + weight[1] * out->a[3 + i] + weight[2] * out->a[6 + i] ) / sum;
	if ( pick( r, 2 ) == 0 ) {
		copy3( out->b, p ); // a vertex
	} else {
		double d[3]; // an edge through it
		fill_real( r, 1.0, d, 3 );
		along( out->b, p, -rng_unit( r ), d );
		along( out->b + 3, p, rng_unit( r ), d );
	}
	// The other corners of B on one side of A in one case of two.
	const double *const a = out->a;
	double u[3], v[3];
	for ( int i = 0; i < 3; ++i ) {
		u[i] = a[3 + i] - a[i];
		v[i] = a[6 + i] - a[i];
	}
	const double n[3] = { u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0] };
	const bool one_side = pick( r, 2 ) == 0;
	for ( int corner = 1; corner < 3 && one_side; ++corner ) {
		double w[3];
		fill_real( r, 1.0, w, 3 );
		const double height = n[0] * w[0] + n[1] * w[1] + n[2] * w[2];
		along( out->b + 3 * corner, out->b, height < 0.0 ? -1.0 : 1.0, w );
	}
	finish( r, out );
}

// Coplanar up to rounding: corners computed in doubles in a plane that doubles do not hold.
static void make_rounded_coplanar( rng *r, triangle_pair *out ) {
	start( out );
	double u[3], v[3], origin[3];
	fill_real( r, 1.0, origin, 3 );
	fill_real( r, 1.0, u, 3 );
	fill_real( r, 1.0, v, 3 );
	for ( int corner = 0; corner < 6; ++corner ) {
		double *const t = corner < 3 ? out->a + 3 * corner : out->b + 3 * ( corner - 3 );
		in_plane( t, origin, u, v, rng_range( r, -1.0, 1.0 ), rng_range( r, -1.0, 1.0 ) );
	}
	if ( pick( r, 2 ) == 0 )
		copy3( out->b + 3 * pick( r, 3 ), out->a + 3 * pick( r, 3 ) );
}

static void make_needle( rng *r, triangle_pair *out ) {
	start( out );
	double p[3];
	fill_real( r, 1.0, p, 3 );
	const double shift = ldexp( rng_range( r, -1.0, 1.0 ), -pick( r, 60 ) );
	for ( int side = 0; side < 2; ++side ) {
		double *const t = side == 0 ? out->a : out->b;
		double d[3], w[3], q[3];
		fill_real( r, 1.0, d, 3 );
		fill_real( r, 1.0, w, 3 );
		along( q, p, side == 0 ? 0.0 : shift, w );
		along( t, q, -rng_unit( r ), d );
		along( t + 3, q, rng_unit( r ), d );
		along( t + 6, pick( r, 2 ) == 0 ? q : t, ldexp( 1.0, -20 - pick( r, 40 ) ), w );
	}
	finish( r, out );
}

static void make_nudged( rng *r, triangle_pair *out ) {
	make_contact( r, out );
	nudge( r, out );
}

// Contact far from the origin: the differences are small beside the coordinates, yet exact. Integers stay below 2^53.
static void make_offset( rng *r, triangle_pair *out ) {
	make_contact( r, out );
	double offset[3];
	fill_whole( r, 1 << 29, offset, 3 );
	const double far = ldexp( 1.0, pick( r, 20 ) );
	for ( int i = 0; i < 9; ++i ) {
		out->a[i] = rint( out->a[i] ) + offset[i % 3] * far;
		out->b[i] = rint( out->b[i] ) + offset[i % 3] * far;
	}
	if ( pick( r, 3 ) == 0 )
		nudge( r, out );
}

static void make_nudged_scale( rng *r, triangle_pair *out, const int *exponents, int count ) {
	if ( pick( r, 3 ) == 0 )
		make_rounded_touch( r, out );
	else
		make_contact( r, out );
	scale_by( out, exponents[pick( r, count )] );
	if ( pick( r, 3 ) == 0 )
		nudge( r, out );
}

static void make_huge( rng *r, triangle_pair *out ) {
	static const int exponents[] = { 330, 500, 510, 900, 990, 1010 };
	make_nudged_scale( r, out, exponents, 6 );
}

// A touch that is off by 2^-20 to 2^-60 of the size: on both sides of what any filter in doubles can tell.
static void make_graded_gap( rng *r, triangle_pair *out ) {
	make_rounded_touch( r, out );
	double d[3];
	fill_real( r, 1.0, d, 3 );
	const double gap = ldexp( 1.0, -20 - pick( r, 41 ) );
	for ( int corner = 0; corner < 3; ++corner )
		along( out->b + 3 * corner, out->b + 3 * corner, gap, d );
	if ( pick( r, 2 ) == 0 ) {
		// The same away from the origin, where every difference loses digits.
		const double far = ldexp( 1.0, pick( r, 40 ) );
		for ( int i = 0; i < 9; ++i ) {
			out->a[i] += far;
			out->b[i] += far;
		}
	}
}

static void make_largest( rng *r, triangle_pair *out ) {
	start( out );
	const double top[] = { DBL_MAX, -DBL_MAX, 0x1p1023, -0x1p1023, 0x1p1022, 0.0, 1e300, -1e300 };
	for ( int i = 0; i < 9; ++i ) {
		out->a[i] = top[pick( r, 8 )];
		out->b[i] = top[pick( r, 8 )];
	}
	if ( pick( r, 3 ) == 0 )
		nudge( r, out );
	for ( int i = 0; i < 9; ++i ) {
		out->a[i] = fmax( -DBL_MAX, fmin( DBL_MAX, out->a[i] ) );
		out->b[i] = fmax( -DBL_MAX, fmin( DBL_MAX, out->b[i] ) );
	}
}

static void make_tiny( rng *r, triangle_pair *out ) {
	static const int exponents[] = { -330, -350, -500, -520, -900, -960, -1010 };
	make_nudged_scale( r, out, exponents, 7 );
}

// Multiples of the smallest positive double.
static void make_denormal( rng *r, triangle_pair *out ) {
	make_contact( r, out );
	for ( int i = 0; i < 9; ++i ) {
		out->a[i] = rint( out->a[i] );
		out->b[i] = rint( out->b[i] );
	}
	scale_by( out, -1074 + pick( r, 3 ) * 20 );
	if ( pick( r, 3 ) == 0 )
		nudge( r, out );
}

// Exact contacts and near misses where each axis has a scale of its own.
static void make_stretched( rng *r, triangle_pair *out ) {
	make_contact( r, out );
	for ( int i = 0; i < 3; ++i ) {
		const int exponent = pick( r, 1200 ) - 600;
		for ( int corner = 0; corner < 3; ++corner ) {
			out->a[3 * corner + i] = ldexp( out->a[3 * corner + i], exponent );
			out->b[3 * corner + i] = ldexp( out->b[3 * corner + i], exponent );
		}
	}
	if ( pick( r, 4 ) == 0 )
		nudge( r, out );
}

// Every coordinate has an exponent of its own, between 1e-200 and 1e200.
static void make_mixed( rng *r, triangle_pair *out ) {
	start( out );
	const int spread = pick( r, 2 ) == 0 ? 664 : 1 + pick( r, 100 );
	for ( int i = 0; i < 9; ++i ) {
		out->a[i] = ldexp( rng_range( r, -1.0, 1.0 ), pick( r, 2 * spread ) - spread );
		out->b[i] = ldexp( rng_range( r, -1.0, 1.0 ), pick( r, 2 * spread ) - spread );
	}
	if ( pick( r, 2 ) == 0 )
		copy3( out->b + 3 * pick( r, 3 ), out->a + 3 * pick( r, 3 ) );
	if ( pick( r, 4 ) == 0 )
		nudge( r, out );
}

static void make_signed_zero( rng *r, triangle_pair *out ) {
	start( out );
	for ( int i = 0; i < 9; ++i ) {
		out->a[i] = pick( r, 2 ) == 0 ? whole( r, 1 ) : ( pick( r, 2 ) == 0 ? -0.0 : 0.0 );
		out->b[i] = pick( r, 2 ) == 0 ? whole( r, 1 ) : ( pick( r, 2 ) == 0 ? -0.0 : 0.0 );
	}
}

// ------------------------------------------------------------------------------------------------
// Poses

// Turns by multiples of 90 degrees: their matrices are exact.
static void right_angles( rng *r, double rot[3][3] ) {
	int order[3] = { 0, 1, 2 };
	for ( int i = 2; i > 0; --i ) {
		const int j = pick( r, i + 1 ), held = order[i];
		order[i] = order[j];
		order[j] = held;
	}
	memset( rot, 0, 9 * sizeof( double ) );
	const bool even = ( order[1] + 3 - order[0] ) % 3 == 1;
	const int signs = pick( r, 4 );
	// The product of the signs has to be the sign of the permutation.
	rot[0][order[0]] = ( signs & 1 ) != 0 ? -1.0 : 1.0;
	rot[1][order[1]] = ( signs & 2 ) != 0 ? -1.0 : 1.0;
	rot[2][order[2]] = rot[0][order[0]] * rot[1][order[1]] * ( even ? 1.0 : -1.0 );
}

// A turn about a random axis by an angle, rounded.
static void turn( rng *r, double angle, double rot[3][3] ) {
	double axis[3], length;
	do {
		fill_real( r, 1.0, axis, 3 );
		length = sqrt( axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2] );
	} while ( length < 0.1 );
	const double s = sin( angle ), c = cos( angle ), k = 1.0 - c;
	const double x = axis[0] / length, y = axis[1] / length, z = axis[2] / length;
	const double m[3][3] = { { c + k * x * x, k * x * y - s * z, k * x * z + s * y },
	                         { k * x * y + s * z, c + k * y * y, k * y * z - s * x },
	                         { k * x * z - s * y, k * y * z + s * x, c + k * z * z } };
	memcpy( rot, m, sizeof m );
}

// B's corners are now where the pose should bring them: takes them back, by the transpose, with rounding.
static void take_back( triangle_pair *out ) {
	out->posed = true;
	for ( int corner = 0; corner < 3; ++corner ) {
		double *const x = out->b + 3 * corner;
		const double y[3] = { x[0] - out->pose.pos[0], x[1] - out->pose.pos[1], x[2] - out->pose.pos[2] };
		for ( int i = 0; i < 3; ++i )
			x[i] = out->pose.rot[0][i] * y[0] + out->pose.rot[1][i] * y[1] + out->pose.rot[2][i] * y[2];
	}
}

static void make_base( rng *r, triangle_pair *out ) {
	switch ( pick( r, 4 ) ) {
	case 0:
		make_rounded_touch( r, out );
		break;
	case 1:
		make_close( r, out );
		break;
	default:
		make_contact( r, out );
		break;
	}
}

static void make_pose_identity( rng *r, triangle_pair *out ) {
	make_base( r, out );
	out->posed = true;
}

static void make_pose_right_angle( rng *r, triangle_pair *out ) {
	make_contact( r, out );
	right_angles( r, out->pose.rot );
	fill_whole( r, 1000, out->pose.pos, 3 );
	take_back( out );
	if ( pick( r, 3 ) == 0 )
		scale_by( out, pick( r, 100 ) - 50 );
	if ( pick( r, 4 ) == 0 )
		nudge( r, out );
}

// Free placement, far from touching.
static void make_pose_random( rng *r, triangle_pair *out ) {
	make_random( r, out );
	turn( r, rng_range( r, -3.2, 3.2 ), out->pose.rot );
	fill_real( r, 1.0, out->pose.pos, 3 );
	out->posed = true;
}

static void make_pose_turned( rng *r, triangle_pair *out ) {
	make_base( r, out );
	turn( r, rng_range( r, -3.2, 3.2 ), out->pose.rot );
	fill_real( r, 3.0, out->pose.pos, 3 );
	take_back( out );
	if ( pick( r, 4 ) == 0 )
		nudge( r, out );
}

// A turn about a coordinate axis, so that some products are exact and planes stay planes.
static void make_pose_axis_turn( rng *r, triangle_pair *out ) {
	make_base( r, out );
	const int axis = pick( r, 3 ), i = ( axis + 1 ) % 3, j = ( axis + 2 ) % 3;
	const double angle = rng_range( r, -3.2, 3.2 );
	out->pose.rot[i][i] = out->pose.rot[j][j] = cos( angle );
	out->pose.rot[j][i] = sin( angle );
	out->pose.rot[i][j] = -sin( angle );
	fill_whole( r, 20, out->pose.pos, 3 );
	if ( pick( r, 2 ) == 0 )
		take_back( out );
	out->posed = true;
}

static double six_digits( double x ) {
	return rint( x * 1e6 ) / 1e6;
}

static void make_pose_six_digits( rng *r, triangle_pair *out ) {
	make_base( r, out );
	turn( r, rng_range( r, -3.2, 3.2 ), out->pose.rot );
	fill_real( r, 3.0, out->pose.pos, 3 );
	for ( int i = 0; i < 3; ++i ) {
		out->pose.pos[i] = six_digits( out->pose.pos[i] );
		for ( int j = 0; j < 3; ++j )
			out->pose.rot[i][j] = six_digits( out->pose.rot[i][j] );
	}
	take_back( out );
}

// Matrices near the limit of what is accepted.
static void make_pose_deviant( rng *r, triangle_pair *out ) {
	make_base( r, out );
	turn( r, rng_range( r, -3.2, 3.2 ), out->pose.rot );
	for ( int i = 0; i < 9; ++i )
		out->pose.rot[i / 3][i % 3] += rng_range( r, -5e-7, 5e-7 );
	fill_real( r, 3.0, out->pose.pos, 3 );
	take_back( out );
	// The transpose is not the inverse here: touching needs a sheared B, so let the pose carry a shared corner exactly.
	if ( pick( r, 2 ) == 0 ) {
		for ( int i = 0; i < 3; ++i ) {
			out->b[i] = 0.0;
			out->pose.pos[i] = out->a[i];
		}
	}
}

// Dyadic matrices that shear a little: B's corners are exact in few bits, so contact is exact although the pose is no
// rotation.
static void make_pose_sheared( rng *r, triangle_pair *out ) {
	make_contact( r, out );
	double moved[9];
	right_angles( r, out->pose.rot );
	for ( int i = 0; i < 9; ++i ) {
		if ( pick( r, 3 ) == 0 )
			out->pose.rot[i / 3][i % 3] += ldexp( whole( r, 1 ), -20 - pick( r, 12 ) );
	}
	fill_whole( r, 100, out->pose.pos, 3 );
	for ( int corner = 0; corner < 3; ++corner ) {
		const double *const x = out->b + 3 * corner;
		for ( int i = 0; i < 3; ++i ) {
			const double *const m = out->pose.rot[i];
			moved[3 * corner + i] = m[0] * x[0] + m[1] * x[1] + m[2] * x[2] + out->pose.pos[i];
		}
	}
	// A shares a feature with the moved B, exactly.
	const int kind = pick( r, 4 );
	if ( kind == 0 ) {
		copy3( out->a, moved );
	} else if ( kind == 1 ) {
		for ( int i = 0; i < 3; ++i )
			out->a[i] = 0.5 * ( moved[i] + moved[3 + i] );
	} else if ( kind == 2 ) {
		memcpy( out->a, moved, 6 * sizeof( double ) );
		for ( int i = 0; i < 3; ++i )
			out->a[6 + i] = moved[6 + i] + 0.25 * ( moved[3 + i] - moved[i] );
	} else {
		for ( int i = 0; i < 3; ++i ) {
			const double p = 0.25 * ( moved[i] + moved[3 + i] ) + 0.5 * moved[6 + i];
			out->a[i] = 2.0 * p - out->a[3 + i]; // p in the middle of an edge
		}
	}
	out->posed = true;
	shuffle_corners( r, out->a );
	shuffle_corners( r, out->b );
	if ( pick( r, 4 ) == 0 )
		nudge( r, out );
}

static void make_pose_translation( rng *r, triangle_pair *out ) {
	make_contact( r, out );
	fill_whole( r, 1 << 20, out->pose.pos, 3 );
	take_back( out );
	if ( pick( r, 3 ) == 0 )
		scale_by( out, pick( r, 100 ) - 50 );
	if ( pick( r, 4 ) == 0 )
		nudge( r, out );
}

// Translations 1e8 times the triangles: the sum absorbs most of B's digits if it is rounded.
static void make_pose_far( rng *r, triangle_pair *out ) {
	make_base( r, out );
	if ( pick( r, 2 ) == 0 )
		turn( r, rng_range( r, -3.2, 3.2 ), out->pose.rot );
	fill_real( r, 1e8, out->pose.pos, 3 );
	take_back( out );
	if ( pick( r, 2 ) == 0 )
		nudge( r, out );
}

static void make_pose_graded_gap( rng *r, triangle_pair *out ) {
	make_graded_gap( r, out );
	turn( r, rng_range( r, -3.2, 3.2 ), out->pose.rot );
	fill_real( r, ldexp( 1.0, pick( r, 45 ) - 5 ), out->pose.pos, 3 );
	take_back( out );
}

// A is far from the origin and B is brought there by a translation. A corner of B, known to many more digits than the
// translation leaves it, is in A's plane to those digits and the rest of B on one side: every rounding of the moved
// corner may put it on the wrong side of the plane, by as much as rounding a translation can.
static void make_pose_absorbed( rng *r, triangle_pair *out ) {
	start( out );
	const int far = 20 + pick( r, 30 );
	double edge[2][3];
	fill_real( r, 1.0, edge[0], 6 );
	for ( int i = 0; i < 3; ++i ) {
		out->pose.pos[i] = ldexp( rng_range( r, -1.0, 1.0 ), far );
		for ( int corner = 0; corner < 3; ++corner )
			out->a[3 * corner + i] = out->pose.pos[i] + ( corner > 0 ? edge[corner - 1][i] : 0.0 );
	}
	// A's rounded edges are exact as differences of its corners.
	double u[3], v[3];
	for ( int i = 0; i < 3; ++i ) {
		u[i] = out->a[3 + i] - out->a[i];
		v[i] = out->a[6 + i] - out->a[i];
	}
	const double n[3] = { u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0] };
	const double s = rng_range( r, 0.1, 0.4 ), t = rng_range( r, 0.1, 0.4 );
	const double height = ldexp( rng_range( r, -1.0, 1.0 ), far - 53 - pick( r, 4 ) );
	for ( int i = 0; i < 3; ++i )
		out->b[i] = s * u[i] + t * v[i] + height * n[i];
	for ( int corner = 1; corner < 3; ++corner ) {
		double w[3];
		fill_real( r, 1.0, w, 3 );
		const double side = n[0] * w[0] + n[1] * w[1] + n[2] * w[2];
		along( out->b + 3 * corner, out->b, side < 0.0 ? -1.0 : 1.0, w );
	}
	out->posed = true;
	shuffle_corners( r, out->a );
	shuffle_corners( r, out->b );
}

// B's coordinates and the translation cancel; what is left is far below their last digit's size if rounded.
static void make_pose_cancel( rng *r, triangle_pair *out ) {
	start( out );
	fill_real( r, 1.0, out->a, 9 );
	fill_real( r, 1.0, out->b, 9 );
	const int size = pick( r, 50 );
	for ( int i = 0; i < 3; ++i ) {
		const double far = ldexp( whole( r, 4 ), size );
		out->pose.pos[i] = -far;
		for ( int corner = 0; corner < 3; ++corner )
			out->b[3 * corner + i] += far;
	}
	// Corner 0 of A is corner 0 of B exactly where it fits.
	if ( pick( r, 2 ) == 0 ) {
		for ( int i = 0; i < 3; ++i )
			out->a[i] = out->b[i] + out->pose.pos[i];
	}
	out->posed = true;
	if ( pick( r, 4 ) == 0 )
		nudge( r, out );
}

static void make_pose_small_angle( rng *r, triangle_pair *out ) {
	make_base( r, out );
	turn( r, rng_range( r, -1.0, 1.0 ) * pow( 10.0, -5 - pick( r, 8 ) ), out->pose.rot );
	if ( pick( r, 2 ) == 0 )
		fill_real( r, 1e-8, out->pose.pos, 3 );
	if ( pick( r, 2 ) == 0 )
		take_back( out );
	out->posed = true;
}

// Large and small scenes under a turned pose: products overflow or underflow in doubles.
static void make_pose_scale( rng *r, triangle_pair *out ) {
	static const int exponents[] = { -1040, -1000, -700, -500, -350, 330, 500, 700, 950, 1000, 1014 };
	if ( pick( r, 2 ) == 0 )
		make_pose_right_angle( r, out );
	else
		make_pose_turned( r, out );
	scale_by( out, exponents[pick( r, 11 )] );
	for ( int i = 0; i < 9; ++i ) {
		out->a[i] = fmax( -DBL_MAX, fmin( DBL_MAX, out->a[i] ) );
		out->b[i] = fmax( -DBL_MAX, fmin( DBL_MAX, out->b[i] ) );
	}
	for ( int i = 0; i < 3; ++i )
		out->pose.pos[i] = fmax( -DBL_MAX, fmin( DBL_MAX, out->pose.pos[i] ) );
}

// Sines and off-diagonals of any smallness, denormal ones too, and coordinates of any size.
static void make_pose_mixed( rng *r, triangle_pair *out ) {
	make_contact( r, out );
	right_angles( r, out->pose.rot );
	for ( int i = 0; i < 9; ++i ) {
		if ( out->pose.rot[i / 3][i % 3] == 0.0 && pick( r, 2 ) == 0 )
			out->pose.rot[i / 3][i % 3] = ldexp( rng_range( r, -1.0, 1.0 ), -21 - pick( r, 1049 ) );
	}
	const int wide = pick( r, 2 ) == 0 ? 1000 : 10;
	for ( int i = 0; i < 9; ++i ) {
		if ( pick( r, 3 ) == 0 )
			out->b[i] = ldexp( out->b[i], pick( r, 2 * wide ) - wide );
	}
	for ( int i = 0; i < 3; ++i ) {
		out->pose.pos[i] = ldexp( whole( r, 3 ), pick( r, 3 ) == 0 ? pick( r, 2 * wide ) - wide : 0 );
		if ( pick( r, 2 ) == 0 )
			out->b[i] = 0.0; // corner 0 is brought to the translation itself
	}
	if ( pick( r, 2 ) == 0 )
		copy3( out->a, out->pose.pos );
	if ( pick( r, 2 ) == 0 )
		out->b[0] = out->b[1] = out->b[2] = 0.0;
	out->posed = true;
}

const triangle_family triangle_families[] = {
    // name, generator, both outcomes, scaling keeps every bit
    { "random", make_random, true, true, true },
    { "close", make_close, true, true, true },
    { "grid", make_grid, true, true, true },
    { "shared vertex", make_shared_vertex, true, false, true },
    { "shared edge", make_shared_edge, true, false, true },
    { "identical", make_identical, true, false, true },
    { "vertex on face", make_vertex_on_face, true, true, true },
    { "edge on edge", make_edge_on_edge, true, true, true },
    { "vertex on edge", make_vertex_on_edge, true, true, true },
    { "coplanar, axis plane", make_coplanar_axis, true, true, true },
    { "coplanar, tilted", make_coplanar_tilted, true, true, true },
    { "coplanar, long", make_coplanar_long, true, true, true },
    { "nested coplanar", make_nested, true, true, true },
    { "segments", make_segment, true, true, true },
    { "collinear segments", make_collinear, true, true, true },
    { "points", make_point, true, true, true },
    { "nudged by ulps", make_nudged, true, true, false },
    { "rounded touch", make_rounded_touch, true, true, true },
    { "rounded coplanar", make_rounded_coplanar, true, true, true },
    { "graded gap", make_graded_gap, true, true, true },
    { "needles", make_needle, true, true, true },
    { "offset", make_offset, true, true, false },
    { "huge", make_huge, true, true, false },
    { "largest", make_largest, true, true, false },
    { "tiny", make_tiny, true, true, false },
    { "denormal", make_denormal, true, true, false },
    { "stretched axes", make_stretched, true, true, false },
    { "mixed exponents", make_mixed, true, true, false },
    { "signed zeros", make_signed_zero, true, true, true },
    { "pose: identity", make_pose_identity, true, true, true },
    { "pose: right angles", make_pose_right_angle, true, true, false },
    { "pose: random", make_pose_random, true, true, true },
    { "pose: turned contact", make_pose_turned, true, true, false },
    { "pose: axis turn", make_pose_axis_turn, true, true, true },
    { "pose: six digits", make_pose_six_digits, true, true, true },
    { "pose: deviant", make_pose_deviant, true, true, true },
    { "pose: sheared contact", make_pose_sheared, true, true, false },
    { "pose: translation", make_pose_translation, true, true, false },
    { "pose: far", make_pose_far, true, true, false },
    { "pose: graded gap", make_pose_graded_gap, true, true, true },
    { "pose: absorbed", make_pose_absorbed, true, true, true },
    { "pose: cancelling", make_pose_cancel, true, true, false },
    { "pose: small angle", make_pose_small_angle, true, true, true },
    { "pose: huge and tiny", make_pose_scale, true, true, false },
    { "pose: mixed exponents", make_pose_mixed, true, true, false },
};
const size_t triangle_family_count = sizeof triangle_families / sizeof triangle_families[0];
