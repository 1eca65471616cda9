// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Spheres, capsules and segments against triangles.

#include "exact/probe.h"
#include "primitive/check.h"
#include "primitive/gap.h"

#include <string.h>

typedef struct sphere_pair {
	const dbvh_sphere *sphere;
	const dbvh_triangle *triangle;
} sphere_pair;

typedef struct capsule_pair {
	dbvhi_path axis;
	const dbvh_triangle *triangle;
} capsule_pair;

static int compare_sphere( const void *context, const dbvhi_sum *sum ) {
	const sphere_pair *p = context;
	return dbvhi_point_triangle_compared( p->sphere->centre, p->triangle, sum );
}

static int compare_capsule( const void *context, const dbvhi_sum *sum ) {
	const capsule_pair *p = context;
	return dbvhi_path_triangle_compared( &p->axis, p->triangle, sum );
}

dbvh_status dbvh_sphere_triangle_meet( const dbvh_sphere *a, const dbvh_triangle *b, bool *meet_out ) {
	if ( meet_out != NULL )
		*meet_out = false;
	const dbvh_status status = dbvhi_check_pair( meet_out, dbvhi_check_sphere( a ), dbvhi_check_triangle( b ) );
	if ( status != DBVH_OK )
		return status;
	double corners[9];
	memcpy( corners, b->corner, sizeof corners );
	const dbvhi_point_range range = dbvhi_point_filter( corners, a->centre, 0.0 );
	if ( range.low > a->radius || range.high < a->radius ) {
		*meet_out = range.high < a->radius;
		return DBVH_OK;
	}
	const dbvhi_sum radius = dbvhi_sum1( a->radius );
	*meet_out = dbvhi_point_triangle_compared( a->centre, b, &radius ) <= 0;
	return DBVH_OK;
}

dbvh_status dbvh_sphere_triangle_gap( const dbvh_sphere *a, const dbvh_triangle *b, dbvh_gap *gap_out ) {
	if ( gap_out != NULL )
		memset( gap_out, 0, sizeof *gap_out );
	const dbvh_status status = dbvhi_check_pair( gap_out, dbvhi_check_sphere( a ), dbvhi_check_triangle( b ) );
	if ( status != DBVH_OK )
		return status;
	const int exponent =
	    dbvhi_scale_of( ( const double *[] ){ a->centre, b->corner[0], b->corner[1], b->corner[2], &a->radius },
	                    ( const int[] ){ 3, 3, 3, 3, 1 }, 5 );
	dbvhi_spot3 corner[3];
	double edge[2][3];
	for ( int k = 0; k < 3; ++k )
		corner[k] = dbvhi_spot3_at( b->corner[k], exponent );
	dbvhi_near_points points;
	points.a = dbvhi_spot3_at( a->centre, exponent );
	points.b = dbvhi_nearest_on_triangle( &points.a, corner );
	for ( int k = 0; k < 3; ++k ) {
		edge[0][k] = corner[1].x[k].hi - corner[0].x[k].hi;
		edge[1][k] = corner[2].x[k].hi - corner[0].x[k].hi;
	}
	dbvhi_across( edge[0], edge[1], points.fallback );
	const sphere_pair pair = { a, b };
	dbvhi_gap_of( compare_sphere, &pair, a->radius, 0.0, &points, exponent, gap_out );
	return DBVH_OK;
}

dbvh_status dbvh_capsule_triangle_meet( const dbvh_capsule *a, const dbvh_triangle *b, bool *meet_out ) {
	if ( meet_out != NULL )
		*meet_out = false;
	const dbvh_status status = dbvhi_check_pair( meet_out, dbvhi_check_capsule( a ), dbvhi_check_triangle( b ) );
	if ( status != DBVH_OK )
		return status;
	const dbvhi_path axis = dbvhi_path_segment( a->from, a->to );
	const dbvhi_sum radius = dbvhi_sum1( a->radius );
	*meet_out = dbvhi_path_triangle_compared( &axis, b, &radius ) <= 0;
	return DBVH_OK;
}

dbvh_status dbvh_segment_triangle_meet( const dbvh_segment *segment, const dbvh_triangle *triangle, bool *meet_out ) {
	if ( meet_out != NULL )
		*meet_out = false;
	const dbvh_status status =
	    dbvhi_check_pair( meet_out, dbvhi_check_segment( segment ), dbvhi_check_triangle( triangle ) );
	if ( status != DBVH_OK )
		return status;
	const dbvhi_path axis = dbvhi_path_segment( segment->from, segment->to );
	const dbvhi_sum zero = dbvhi_sum1( 0.0 );
	*meet_out = dbvhi_path_triangle_compared( &axis, triangle, &zero ) <= 0;
	return DBVH_OK;
}

// ------------------------------------------------------------------------------------------------
// Where a line meets it

static void cross_at( const dbvhi_line *line, const dbvh_triangle *triangle, dbvh_crossing *out ) {
	double corners[9];
	memcpy( corners, triangle->corner, sizeof corners );
	dbvhi_line_range range;
	const dbvhi_answer answer = dbvhi_line_filter( corners, line, 0.0, &range );
	if ( answer == DBVHI_APART )
		return;
	dbvhi_ratio t;
	if ( answer == DBVHI_MEET )
		dbvhi_line_parameter( NULL, corners, line, &t );
	else if ( !dbvhi_line_exact( NULL, corners, line, &t ) )
		return;
	out->meets = true;
	out->t = dbvhi_ratio_round( &t );
	for ( int k = 0; k < 3; ++k ) {
		if ( line->is_ray || isfinite( line->step[k] ) )
			out->point[k] = line->from[k] + ( out->t == 0.0 ? 0.0 : out->t * line->step[k] );
		else // the difference of the ends overflows, the point does not
			out->point[k] = ( 1.0 - out->t ) * line->from[k] + out->t * line->to[k];
	}
}

dbvh_status dbvh_ray_triangle_hit( const dbvh_ray *ray, const dbvh_triangle *triangle, dbvh_crossing *crossing_out ) {
	if ( crossing_out != NULL )
		memset( crossing_out, 0, sizeof *crossing_out );
	const dbvh_status status =
	    dbvhi_check_pair( crossing_out, dbvhi_check_ray( ray ), dbvhi_check_triangle( triangle ) );
	if ( status != DBVH_OK )
		return status;
	dbvhi_line line = { .is_ray = true };
	for ( int k = 0; k < 3; ++k ) {
		line.from[k] = ray->from[k];
		line.to[k] = line.step[k] = ray->direction[k];
	}
	cross_at( &line, triangle, crossing_out );
	return DBVH_OK;
}

dbvh_status dbvh_segment_triangle_hit( const dbvh_segment *segment, const dbvh_triangle *triangle,
                                       dbvh_crossing *crossing_out ) {
	if ( crossing_out != NULL )
		memset( crossing_out, 0, sizeof *crossing_out );
	const dbvh_status status =
	    dbvhi_check_pair( crossing_out, dbvhi_check_segment( segment ), dbvhi_check_triangle( triangle ) );
	if ( status != DBVH_OK )
		return status;
	dbvhi_line line = { .is_ray = false };
	for ( int k = 0; k < 3; ++k ) {
		line.from[k] = segment->from[k];
		line.to[k] = segment->to[k];
		line.step[k] = segment->to[k] - segment->from[k];
	}
	cross_at( &line, triangle, crossing_out );
	return DBVH_OK;
}

// The nearest of an end and the triangle, or of the segment and an edge; where it passes through there is no distance.
dbvh_status dbvh_capsule_triangle_distance( const dbvh_capsule *a, const dbvh_triangle *b, double *distance_out ) {
	if ( distance_out != NULL )
		*distance_out = 0.0;
	const dbvh_status status = dbvhi_check_pair( distance_out, dbvhi_check_capsule( a ), dbvhi_check_triangle( b ) );
	if ( status != DBVH_OK )
		return status;
	const int exponent =
	    dbvhi_scale_of( ( const double *[] ){ a->from, a->to, b->corner[0], b->corner[1], b->corner[2], &a->radius },
	                    ( const int[] ){ 3, 3, 3, 3, 3, 1 }, 6 );
	dbvhi_spot3 corner[3], on_a, on_b;
	for ( int k = 0; k < 3; ++k )
		corner[k] = dbvhi_spot3_at( b->corner[k], exponent );
	const dbvhi_spot3 from = dbvhi_spot3_at( a->from, exponent ), to = dbvhi_spot3_at( a->to, exponent );
	on_b = dbvhi_nearest_on_triangle( &from, corner );
	double least = dbvhi_spot3_distance( &from, &on_b );
	on_b = dbvhi_nearest_on_triangle( &to, corner );
	least = fmin( least, dbvhi_spot3_distance( &to, &on_b ) );
	for ( int k = 0; k < 3; ++k ) {
		dbvhi_nearest_on_segments( &from, &to, &corner[k], &corner[( k + 1 ) % 3], &on_a, &on_b );
		least = fmin( least, dbvhi_spot3_distance( &on_a, &on_b ) );
	}
	const capsule_pair pair = { dbvhi_path_segment( a->from, a->to ), b };
	const double guess = ldexp( least - ldexp( a->radius, -exponent ), exponent );
	*distance_out = dbvhi_distance_of( compare_capsule, &pair, a->radius, 0.0, guess );
	return DBVH_OK;
}
