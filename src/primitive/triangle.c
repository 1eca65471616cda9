// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Spheres, capsules and segments against triangles.

#include "base/fpenv.h"
#include "exact/tri_ray.h"
#include "primitive/check.h"
#include "primitive/line.h"
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

static DBVHI_NOINLINE_FP dbvh_status do_sphere_triangle_meet( const dbvh_sphere *a, const dbvh_triangle *b,
                                                              bool *intersect_out ) {
	if ( intersect_out != NULL )
		*intersect_out = false;
	const dbvh_status status = dbvhi_check_pair( intersect_out, dbvhi_check_sphere( a ), dbvhi_check_triangle( b ) );
	if ( status != DBVH_OK )
		return status;
	double corners[9];
	memcpy( corners, b->corner, sizeof corners );
	const dbvhi_point_range range = dbvhi_point_filter( corners, a->centre, 0.0 );
	if ( range.low > a->radius || range.high < a->radius ) {
		*intersect_out = range.high < a->radius;
		return DBVH_OK;
	}
	const dbvhi_sum radius = dbvhi_sum1( a->radius );
	*intersect_out = dbvhi_point_triangle_compared( a->centre, b, &radius ) <= 0;
	return DBVH_OK;
}

dbvh_status dbvh_sphere_triangle_intersect( const dbvh_sphere *a, const dbvh_triangle *b, bool *intersect_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_sphere_triangle_meet( a, b, intersect_out ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_sphere_triangle_gap( const dbvh_sphere *a, const dbvh_triangle *b,
                                                             dbvh_signed_distance *signed_distance_out ) {
	if ( signed_distance_out != NULL )
		memset( signed_distance_out, 0, sizeof *signed_distance_out );
	const dbvh_status status =
	    dbvhi_check_pair( signed_distance_out, dbvhi_check_sphere( a ), dbvhi_check_triangle( b ) );
	if ( status != DBVH_OK )
		return status;
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
	dbvhi_gap_of( compare_sphere_triangle, &pair, a->radius, 0.0, &points, exponent, signed_distance_out );
	return DBVH_OK;
}

dbvh_status dbvh_sphere_triangle_signed_distance( const dbvh_sphere *a, const dbvh_triangle *b,
                                                  dbvh_signed_distance *signed_distance_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_sphere_triangle_gap( a, b, signed_distance_out ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_capsule_triangle_meet( const dbvh_capsule *a, const dbvh_triangle *b,
                                                               bool *intersect_out ) {
	if ( intersect_out != NULL )
		*intersect_out = false;
	const dbvh_status status = dbvhi_check_pair( intersect_out, dbvhi_check_capsule( a ), dbvhi_check_triangle( b ) );
	if ( status != DBVH_OK )
		return status;
	const dbvhi_path axis = dbvhi_path_segment( a->from, a->to );
	const dbvhi_sum radius = dbvhi_sum1( a->radius );
	*intersect_out = dbvhi_path_triangle_compared( &axis, b, &radius ) <= 0;
	return DBVH_OK;
}

dbvh_status dbvh_capsule_triangle_intersect( const dbvh_capsule *a, const dbvh_triangle *b, bool *intersect_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_capsule_triangle_meet( a, b, intersect_out ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_segment_triangle_meet( const dbvh_segment *segment,
                                                               const dbvh_triangle *triangle, bool *intersect_out ) {
	if ( intersect_out != NULL )
		*intersect_out = false;
	const dbvh_status status =
	    dbvhi_check_pair( intersect_out, dbvhi_check_segment( segment ), dbvhi_check_triangle( triangle ) );
	if ( status != DBVH_OK )
		return status;
	const dbvhi_path axis = dbvhi_path_segment( segment->from, segment->to );
	const dbvhi_sum zero = dbvhi_sum1( 0.0 );
	*intersect_out = dbvhi_path_triangle_compared( &axis, triangle, &zero ) <= 0;
	return DBVH_OK;
}

dbvh_status dbvh_segment_triangle_intersect( const dbvh_segment *segment, const dbvh_triangle *triangle,
                                             bool *intersect_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_segment_triangle_meet( segment, triangle, intersect_out ) );
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

static DBVHI_NOINLINE_FP dbvh_status do_ray_triangle_hit( const dbvh_ray *ray, const dbvh_triangle *triangle,
                                                          dbvh_hit *hit_out ) {
	if ( hit_out != NULL )
		memset( hit_out, 0, sizeof *hit_out );
	const dbvh_status status = dbvhi_check_pair( hit_out, dbvhi_check_ray( ray ), dbvhi_check_triangle( triangle ) );
	if ( status != DBVH_OK )
		return status;
	dbvhi_line line = { .is_ray = true };
	for ( int k = 0; k < 3; ++k ) {
		line.from[k] = ray->from[k];
		line.to[k] = line.step[k] = ray->direction[k];
	}
	cross_at( &line, triangle, hit_out );
	return DBVH_OK;
}

dbvh_status dbvh_ray_triangle_hit( const dbvh_ray *ray, const dbvh_triangle *triangle, dbvh_hit *hit_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_ray_triangle_hit( ray, triangle, hit_out ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_segment_triangle_hit( const dbvh_segment *segment,
                                                              const dbvh_triangle *triangle, dbvh_hit *hit_out ) {
	if ( hit_out != NULL )
		memset( hit_out, 0, sizeof *hit_out );
	const dbvh_status status =
	    dbvhi_check_pair( hit_out, dbvhi_check_segment( segment ), dbvhi_check_triangle( triangle ) );
	if ( status != DBVH_OK )
		return status;
	dbvhi_line line = { .is_ray = false };
	for ( int k = 0; k < 3; ++k ) {
		line.from[k] = segment->from[k];
		line.to[k] = segment->to[k];
		line.step[k] = segment->to[k] - segment->from[k];
	}
	cross_at( &line, triangle, hit_out );
	return DBVH_OK;
}

dbvh_status dbvh_segment_triangle_hit( const dbvh_segment *segment, const dbvh_triangle *triangle, dbvh_hit *hit_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_segment_triangle_hit( segment, triangle, hit_out ) );
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

static DBVHI_NOINLINE_FP dbvh_status do_capsule_triangle_distance( const dbvh_capsule *a, const dbvh_triangle *b,
                                                                   double *distance_out ) {
	if ( distance_out != NULL )
		*distance_out = 0.0;
	const dbvh_status status = dbvhi_check_pair( distance_out, dbvhi_check_capsule( a ), dbvhi_check_triangle( b ) );
	if ( status != DBVH_OK )
		return status;
	capsule_near near;
	capsule_measure( a, b, &near );
	const capsule_pair pair = { dbvhi_path_segment( a->from, a->to ), b };
	const double guess = ldexp( near.least - ldexp( a->radius, -near.exponent ), near.exponent );
	*distance_out = dbvhi_distance_of( compare_capsule, &pair, a->radius, 0.0, guess );
	return DBVH_OK;
}

dbvh_status dbvh_capsule_triangle_distance( const dbvh_capsule *a, const dbvh_triangle *b, double *distance_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_capsule_triangle_distance( a, b, distance_out ) );
}

static int compare_capsule_depth( const void *context, const dbvhi_sum *sum ) {
	const capsule_pair *p = context;
	return dbvhi_path_triangle_depth_compared( &p->axis, p->triangle, sum );
}

static DBVHI_NOINLINE_FP dbvh_status do_capsule_triangle_gap( const dbvh_capsule *a, const dbvh_triangle *b,
                                                              dbvh_signed_distance *signed_distance_out ) {
	if ( signed_distance_out != NULL )
		memset( signed_distance_out, 0, sizeof *signed_distance_out );
	const dbvh_status status =
	    dbvhi_check_pair( signed_distance_out, dbvhi_check_capsule( a ), dbvhi_check_triangle( b ) );
	if ( status != DBVH_OK )
		return status;
	capsule_near near;
	capsule_measure( a, b, &near );
	const capsule_pair pair = { dbvhi_path_segment( a->from, a->to ), b };
	const dbvhi_sum zero = dbvhi_sum1( 0.0 );
	// The offset between the points tells the normal, unless they are too near: of several shortest ways out, theirs.
	const dbvhi_exact_point3 out = dbvhi_exact_point3_minus( &near.points.a, &near.points.b );
	const double way[3] = { out.x[0].hi, out.x[1].hi, out.x[2].hi };
	if ( !( near.least > 0x1p-47 ) || !dbvhi_unit( way, near.points.fallback ) )
		least_overlap( near.end, near.corner, near.points.fallback );
	if ( compare_capsule( &pair, &zero ) > 0 ) {
		dbvhi_gap_of( compare_capsule, &pair, a->radius, 0.0, &near.points, near.exponent, signed_distance_out );
		return DBVH_OK;
	}
	dbvhi_gap_inside( compare_capsule_depth, &pair, a->radius, &near.points, near.least, near.exponent,
	                  signed_distance_out );
	return DBVH_OK;
}

dbvh_status dbvh_capsule_triangle_signed_distance( const dbvh_capsule *a, const dbvh_triangle *b,
                                                   dbvh_signed_distance *signed_distance_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_capsule_triangle_gap( a, b, signed_distance_out ) );
}
