// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Spheres, capsules and segments against triangles.

#include "exact/tri_ray.h"
#include "primitive/line.h"
#include "primitive/pair.h"
#include "primitive/signed_distance.h"

#include <float.h>
#include <string.h>

typedef struct sphere_pair {
	const dbvh_sphere *sphere;
	const dbvh_triangle *triangle;
} sphere_pair;

typedef struct capsule_pair {
	dbvhi_path axis;
	const dbvh_triangle *triangle;
} capsule_pair;

static int compare_sphere_triangle( const void *context, const dbvhi_sum *sum ) {
	const sphere_pair *p = context;
	return dbvhi_point_triangle_compared( p->sphere->centre, p->triangle, sum );
}

static int compare_capsule( const void *context, const dbvhi_sum *sum ) {
	const capsule_pair *p = context;
	return dbvhi_path_triangle_compared( &p->axis, p->triangle, sum );
}

DBVHI_PRIMITIVE( sphere_triangle_intersect, sphere, triangle, bool ) {
	double corners[9];
	memcpy( corners, b->corner, sizeof corners );
	const dbvhi_point_range range = dbvhi_point_filter( corners, a->centre, 0.0 );
	if ( range.low > a->radius || range.high < a->radius ) {
		*out = range.high < a->radius;
		return;
	}
	const dbvhi_sum radius = dbvhi_sum1( a->radius );
	*out = dbvhi_point_triangle_compared( a->centre, b, &radius ) <= 0;
}

DBVHI_PRIMITIVE( sphere_triangle_signed_distance, sphere, triangle, dbvh_signed_distance ) {
	const int exponent =
	    dbvhi_scale_of( ( const double *[] ){ a->centre, b->corner[0], b->corner[1], b->corner[2], &a->radius },
	                    ( const int[] ){ 3, 3, 3, 3, 1 }, 5 );
	dbvhi_exact_point3 corner[3];
	double edge[2][3];
	for ( int k = 0; k < 3; ++k )
		corner[k] = dbvhi_exact_point3_at( b->corner[k], exponent );
	dbvhi_near_points points;
	points.a = dbvhi_exact_point3_at( a->centre, exponent );
	points.b = dbvhi_nearest_on_triangle( &points.a, corner );
	for ( int k = 0; k < 3; ++k ) {
		edge[0][k] = corner[1].x[k].hi - corner[0].x[k].hi;
		edge[1][k] = corner[2].x[k].hi - corner[0].x[k].hi;
	}
	dbvhi_across( edge[0], edge[1], points.fallback );
	const sphere_pair pair = { a, b };
	dbvhi_gap_of( compare_sphere_triangle, &pair, a->radius, 0.0, &points, exponent, out );
}

DBVHI_PRIMITIVE( capsule_triangle_intersect, capsule, triangle, bool ) {
	const dbvhi_path axis = dbvhi_path_segment( a->from, a->to );
	const dbvhi_sum radius = dbvhi_sum1( a->radius );
	*out = dbvhi_path_triangle_compared( &axis, b, &radius ) <= 0;
}

DBVHI_PRIMITIVE( segment_triangle_intersect, segment, triangle, bool ) {
	const dbvhi_path axis = dbvhi_path_segment( a->from, a->to );
	const dbvhi_sum zero = dbvhi_sum1( 0.0 );
	*out = dbvhi_path_triangle_compared( &axis, b, &zero ) <= 0;
}

// ------------------------------------------------------------------------------------------------
// Where a line intersects it

void dbvhi_hit_point( const double from[3], const double to[3], bool bounded, dbvh_hit *hit ) {
	const double t = hit->t;
	for ( int k = 0; k < 3; ++k ) {
		const double step = bounded ? to[k] - from[k] : to[k];
		if ( !bounded || isfinite( step ) )
			hit->point[k] = from[k] + ( t == 0.0 ? 0.0 : t * step );
		else // the difference of the ends overflows, the point does not
			hit->point[k] = ( 1.0 - t ) * from[k] + t * to[k];
	}
}

// The point at a parameter below the normal numbers, which as a double has lost digits, or all of them, while the step
// may be long: t 2^TINY in its place. Where that is denormal, too, t step is none.
#define TINY 1100

static void point_near_start( const dbvhi_line *line, dbvhi_ratio *t, double point[3] ) {
	t->unit += TINY;
	const double scaled = dbvhi_ratio_round( t ); // below 2^78
	for ( int k = 0; k < 3; ++k ) {
		const double step = line->is_ray ? line->to[k] : line->to[k] - line->from[k];
		int exponent;
		const double fraction = frexp( step, &exponent );
		point[k] = line->from[k] + ( isfinite( step ) ? ldexp( scaled * fraction, exponent - TINY ) : 0.0 );
	}
}

static void cross_at( const dbvhi_line *line, const dbvh_triangle *triangle, dbvh_hit *out ) {
	double corners[9];
	memcpy( corners, triangle->corner, sizeof corners );
	dbvhi_line_range range;
	const dbvhi_answer answer = dbvhi_line_filter( corners, line, 0.0, &range );
	if ( answer == DBVHI_DISJOINT )
		return;
	dbvhi_ratio t;
	if ( answer == DBVHI_INTERSECTING )
		dbvhi_line_parameter( NULL, corners, line, &t );
	else if ( !dbvhi_line_exact( NULL, corners, line, &t ) )
		return;
	out->intersects = true;
	out->t = dbvhi_ratio_round( &t );
	if ( out->t < DBL_MIN && t.num.sign != 0 )
		point_near_start( line, &t, out->point );
	else
		dbvhi_hit_point( line->from, line->to, !line->is_ray, out );
}

DBVHI_PRIMITIVE( ray_triangle_hit, ray, triangle, dbvh_hit ) {
	dbvhi_line line = { .is_ray = true };
	for ( int k = 0; k < 3; ++k ) {
		line.from[k] = a->from[k];
		line.to[k] = line.step[k] = a->direction[k];
	}
	cross_at( &line, b, out );
}

DBVHI_PRIMITIVE( segment_triangle_hit, segment, triangle, dbvh_hit ) {
	dbvhi_line line = { .is_ray = false };
	for ( int k = 0; k < 3; ++k ) {
		line.from[k] = a->from[k];
		line.to[k] = a->to[k];
		line.step[k] = a->to[k] - a->from[k];
	}
	cross_at( &line, b, out );
}

// ------------------------------------------------------------------------------------------------
// Distances of capsules

// The nearest features of a segment and a triangle: an end and the triangle, or the segment and an edge. For a segment
// that passes through the triangle these give the shortest way out.
static double nearest_features( const dbvhi_exact_point3 end[2], const dbvhi_exact_point3 corner[3],
                                dbvhi_near_points *out ) {
	double least = INFINITY;
	for ( int i = 0; i < 5; ++i ) {
		dbvhi_exact_point3 on_a = end[i & 1], on_b;
		if ( i < 2 )
			on_b = dbvhi_nearest_on_triangle( &end[i], corner );
		else
			dbvhi_nearest_on_segments( &end[0], &end[1], &corner[i - 2], &corner[( i - 1 ) % 3], &on_a, &on_b );
		const double distance = dbvhi_exact_point3_distance( &on_a, &on_b );
		if ( distance < least ) {
			least = distance;
			out->a = on_a;
			out->b = on_b;
		}
	}
	return least;
}

// Along which unit vector, from a to b, is the overlap of a segment and a triangle least? Any axis gives a true bound,
// so those that rounding has turned do no harm.
static void least_overlap( const dbvhi_exact_point3 end[2], const dbvhi_exact_point3 corner[3], double normal_out[3] ) {
	double d[3], edge[3][3], axis[7][3], least = INFINITY;
	int count = 0;
	for ( int k = 0; k < 3; ++k ) {
		d[k] = end[1].x[k].hi - end[0].x[k].hi;
		for ( int i = 0; i < 3; ++i )
			edge[i][k] = corner[( i + 1 ) % 3].x[k].hi - corner[i].x[k].hi;
	}
	for ( int i = 0; i < 3; ++i ) {
		dbvhi_across( d, edge[i], axis[count++] );
		dbvhi_across( edge[i], edge[( i + 1 ) % 3], axis[count++] );
	}
	dbvhi_perpendicular( d, axis[count++] );
	for ( int i = 0; i < count; ++i ) {
		dbvhi_exact_point3 n;
		double on_a[2], on_b[3];
		for ( int k = 0; k < 3; ++k )
			n.x[k] = ( dbvhi_dd ){ axis[i][k], 0.0 };
		// From one end, so that what is small is not lost.
		for ( int k = 0; k < 3; ++k ) {
			const dbvhi_exact_point3 w = dbvhi_exact_point3_minus( &corner[k], &end[0] );
			on_b[k] = dbvhi_exact_point3_dot( &n, &w ).hi;
		}
		const dbvhi_exact_point3 way = dbvhi_exact_point3_minus( &end[1], &end[0] );
		on_a[0] = 0.0;
		on_a[1] = dbvhi_exact_point3_dot( &n, &way ).hi;
		const double up = fmax( on_a[0], on_a[1] ) - fmin( fmin( on_b[0], on_b[1] ), on_b[2] );
		const double down = fmax( fmax( on_b[0], on_b[1] ), on_b[2] ) - fmin( on_a[0], on_a[1] );
		for ( int side = 0; side < 2; ++side ) {
			if ( !( ( side == 0 ? up : down ) < least ) )
				continue;
			least = side == 0 ? up : down;
			for ( int k = 0; k < 3; ++k )
				normal_out[k] = side == 0 ? axis[i][k] : -axis[i][k];
		}
	}
}

// The axis of the capsule and the triangle, and how near they are, all over 2^exponent.
typedef struct capsule_near {
	dbvhi_exact_point3 end[2], corner[3];
	dbvhi_near_points points;
	double least;
	int exponent;
} capsule_near;

static void capsule_measure( const dbvh_capsule *a, const dbvh_triangle *b, capsule_near *out ) {
	memset( out, 0, sizeof *out );
	const int exponent = out->exponent =
	    dbvhi_scale_of( ( const double *[] ){ a->from, a->to, b->corner[0], b->corner[1], b->corner[2], &a->radius },
	                    ( const int[] ){ 3, 3, 3, 3, 3, 1 }, 6 );
	for ( int k = 0; k < 3; ++k )
		out->corner[k] = dbvhi_exact_point3_at( b->corner[k], exponent );
	out->end[0] = dbvhi_exact_point3_at( a->from, exponent );
	out->end[1] = dbvhi_exact_point3_at( a->to, exponent );
	out->least = nearest_features( out->end, out->corner, &out->points );
}

DBVHI_PRIMITIVE( capsule_triangle_distance, capsule, triangle, double ) {
	capsule_near near;
	capsule_measure( a, b, &near );
	const capsule_pair pair = { dbvhi_path_segment( a->from, a->to ), b };
	const double guess = ldexp( near.least - ldexp( a->radius, -near.exponent ), near.exponent );
	*out = dbvhi_distance_of( compare_capsule, &pair, a->radius, 0.0, guess );
}

static int compare_capsule_depth( const void *context, const dbvhi_sum *sum ) {
	const capsule_pair *p = context;
	return dbvhi_path_triangle_depth_compared( &p->axis, p->triangle, sum );
}

DBVHI_PRIMITIVE( capsule_triangle_signed_distance, capsule, triangle, dbvh_signed_distance ) {
	capsule_near near;
	capsule_measure( a, b, &near );
	const capsule_pair pair = { dbvhi_path_segment( a->from, a->to ), b };
	const dbvhi_sum zero = dbvhi_sum1( 0.0 );
	// The offset between the points tells the normal, unless they are too near: of several shortest ways out, theirs.
	const dbvhi_exact_point3 offset = dbvhi_exact_point3_minus( &near.points.a, &near.points.b );
	const double way[3] = { offset.x[0].hi, offset.x[1].hi, offset.x[2].hi };
	if ( !( near.least > 0x1p-47 ) || !dbvhi_unit( way, near.points.fallback ) )
		least_overlap( near.end, near.corner, near.points.fallback );
	if ( compare_capsule( &pair, &zero ) > 0 ) {
		dbvhi_gap_of( compare_capsule, &pair, a->radius, 0.0, &near.points, near.exponent, out );
		return;
	}
	dbvhi_gap_inside( compare_capsule_depth, &pair, a->radius, &near.points, near.least, near.exponent, out );
}
