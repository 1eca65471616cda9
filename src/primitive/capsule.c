// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Spheres and capsules against capsules: a point or a segment and a segment.

#include "primitive/pair.h"
#include "primitive/signed_distance.h"

typedef struct sphere_pair {
	const dbvh_sphere *sphere;
	dbvhi_path axis;
} sphere_pair;

typedef struct capsule_pair {
	dbvhi_path a, b;
} capsule_pair;

static int compare_sphere_axis( const void *context, const dbvhi_sum *sum ) {
	const sphere_pair *p = context;
	return dbvhi_point_path_compared( p->sphere->centre, &p->axis, sum );
}

static int compare_capsules( const void *context, const dbvhi_sum *sum ) {
	const capsule_pair *p = context;
	return dbvhi_paths_compared( &p->a, &p->b, sum );
}

DBVHI_PRIMITIVE( sphere_capsule_intersect, sphere, capsule, bool ) {
	const dbvhi_path axis = dbvhi_path_segment( b->from, b->to );
	const dbvhi_sum radii = dbvhi_sum2( a->radius, b->radius );
	*out = dbvhi_point_path_compared( a->centre, &axis, &radii ) <= 0;
}

DBVHI_PRIMITIVE( sphere_capsule_signed_distance, sphere, capsule, dbvh_signed_distance ) {
	const int exponent = dbvhi_scale_of( ( const double *[] ){ a->centre, b->from, b->to, &a->radius, &b->radius },
	                                     ( const int[] ){ 3, 3, 3, 1, 1 }, 5 );
	dbvhi_near_points points;
	const dbvhi_exact_point3 from = dbvhi_exact_point3_at( b->from, exponent ),
	                         to = dbvhi_exact_point3_at( b->to, exponent );
	points.a = dbvhi_exact_point3_at( a->centre, exponent );
	points.b = dbvhi_nearest_on_segment( &points.a, &from, &to );
	double d[3];
	for ( int k = 0; k < 3; ++k )
		d[k] = to.x[k].hi - from.x[k].hi;
	dbvhi_perpendicular( d, points.fallback );
	const sphere_pair pair = { a, dbvhi_path_segment( b->from, b->to ) };
	dbvhi_gap_of( compare_sphere_axis, &pair, a->radius, b->radius, &points, exponent, out );
}

DBVHI_PRIMITIVE( capsule_capsule_intersect, capsule, capsule, bool ) {
	const capsule_pair pair = { dbvhi_path_segment( a->from, a->to ), dbvhi_path_segment( b->from, b->to ) };
	const dbvhi_sum radii = dbvhi_sum2( a->radius, b->radius );
	*out = dbvhi_paths_compared( &pair.a, &pair.b, &radii ) <= 0;
}

DBVHI_PRIMITIVE( capsule_capsule_signed_distance, capsule, capsule, dbvh_signed_distance ) {
	const int exponent = dbvhi_scale_of( ( const double *[] ){ a->from, a->to, b->from, b->to, &a->radius, &b->radius },
	                                     ( const int[] ){ 3, 3, 3, 3, 1, 1 }, 6 );
	const dbvhi_exact_point3 af = dbvhi_exact_point3_at( a->from, exponent ),
	                         at = dbvhi_exact_point3_at( a->to, exponent );
	const dbvhi_exact_point3 bf = dbvhi_exact_point3_at( b->from, exponent ),
	                         bt = dbvhi_exact_point3_at( b->to, exponent );
	dbvhi_near_points points;
	dbvhi_nearest_on_segments( &af, &at, &bf, &bt, &points.a, &points.b );
	double d[3], e[3];
	for ( int k = 0; k < 3; ++k ) {
		d[k] = at.x[k].hi - af.x[k].hi;
		e[k] = bt.x[k].hi - bf.x[k].hi;
	}
	dbvhi_across( d, e, points.fallback );
	const capsule_pair pair = { dbvhi_path_segment( a->from, a->to ), dbvhi_path_segment( b->from, b->to ) };
	dbvhi_gap_of( compare_capsules, &pair, a->radius, b->radius, &points, exponent, out );
}
