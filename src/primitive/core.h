// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The predicates behind all primitives. A ball, a capsule or a sphere in motion is a point or a segment with a radius,
// so nearly every verdict and every rounding is one question: is the distance of two shapes without radii below, at or
// above a sum of doubles? Each function returns that sign, exactly, for all finite inputs.

#pragma once

#include "dualbvh/primitives.h"
#include "exact/number/dd.h"

#include <math.h>

// A sum of doubles, which need not be one.
typedef struct dbvhi_sum {
	double term[3];
	int count;
} dbvhi_sum;

static inline dbvhi_sum dbvhi_sum1( double a ) {
	return ( dbvhi_sum ){ { a, 0.0, 0.0 }, 1 };
}

static inline dbvhi_sum dbvhi_sum2( double a, double b ) {
	return ( dbvhi_sum ){ { a, b, 0.0 }, 2 };
}

static inline dbvhi_sum dbvhi_sum3( double a, double b, double c ) {
	return ( dbvhi_sum ){ { a, b, c }, 3 };
}

// The points from - less + t (ahead - behind), t in [begin, end]. `less` and `behind` may be NULL for the origin.
typedef struct dbvhi_path {
	const double *from, *less;
	const double *ahead, *behind;
	double begin, end;
} dbvhi_path;

static inline dbvhi_path dbvhi_path_segment( const double from[3], const double to[3] ) {
	return ( dbvhi_path ){ from, NULL, to, from, 0.0, 1.0 };
}

// sign( distance - sum ), in the order of the names; a negative sum gives 1.
int dbvhi_points_compared( const double a[3], const double b[3], const dbvhi_sum *sum );
int dbvhi_point_path_compared( const double point[3], const dbvhi_path *path, const dbvhi_sum *sum );
int dbvhi_point_aabb_compared( const double point[3], const dbvh_aabb *aabb, const dbvhi_sum *sum );
int dbvhi_point_obb_compared( const double point[3], const dbvh_obb *obb, const dbvhi_sum *sum );
int dbvhi_point_triangle_compared( const double point[3], const dbvh_triangle *triangle, const dbvhi_sum *sum );
int dbvhi_paths_compared( const dbvhi_path *a, const dbvhi_path *b, const dbvhi_sum *sum );
int dbvhi_path_aabb_compared( const dbvhi_path *path, const dbvh_aabb *aabb, const dbvhi_sum *sum );
int dbvhi_path_triangle_compared( const dbvhi_path *path, const dbvh_triangle *triangle, const dbvhi_sum *sum );

int dbvhi_point_ray_compared( const double point[3], const dbvhi_path *ray, const dbvhi_sum *sum );
// The point of the path at time t against the triangle.
int dbvhi_place_triangle_compared( const dbvhi_path *path, double t, const dbvh_triangle *triangle,
                                   const dbvhi_sum *sum );

// Distances from a plane. A box or triangle must not intersect the plane; its nearest point counts.
int dbvhi_point_plane_compared( const double point[3], const dbvh_plane *plane, const dbvhi_sum *sum );
int dbvhi_obb_plane_compared( const dbvh_obb *obb, const dbvh_plane *plane, const dbvhi_sum *sum );

// sign( how deep a point in the box is under the nearest face - sum ).
int dbvhi_point_obb_depth_compared( const double point[3], const dbvh_obb *obb, const dbvhi_sum *sum );

// sign( the length of the shortest way out of a triangle that the path passes through, or touches - sum ).
int dbvhi_path_triangle_depth_compared( const dbvhi_path *path, const dbvh_triangle *triangle, const dbvhi_sum *sum );

// The side of the plane: the sign of normal . x - offset.
int dbvhi_point_plane_side( const double point[3], const dbvh_plane *plane );
// 1 or -1 where the box is wholly on one side, else 0.
int dbvhi_obb_plane_side( const dbvh_obb *obb, const dbvh_plane *plane );

// Is there no axis that separates them strictly? 1: there is one, 0 or -1: they intersect.
int dbvhi_obbs_separated( const dbvh_obb *a, const dbvh_obb *b );
int dbvhi_path_obb_separated( const dbvhi_path *path, const dbvh_obb *obb );
int dbvhi_triangle_obb_separated( const dbvh_triangle *triangle, const dbvh_obb *obb );
int dbvhi_triangle_aabb_separated( const dbvh_triangle *triangle, const dbvh_aabb *aabb );

// The phase of contact, at time t, of a path that is not a point and intersects a ball, or a ball swept over a box.
typedef enum dbvhi_phase {
	DBVHI_BEFORE = -3, // apart, and the contact is still to come
	DBVHI_BEGINS = -1, // at the first time of contact
	DBVHI_DURING = 0,
	DBVHI_ENDS = 1,   // at the last time of contact
	DBVHI_AFTER = 3,  // apart, and the contact is over
	DBVHI_GRAZES = 4, // at the only time of contact
} dbvhi_phase;
int dbvhi_path_ball_phase( const dbvhi_path *path, const double centre[3], const dbvhi_sum *radius, double t );
int dbvhi_path_aabb_phase( const dbvhi_path *path, const dbvh_aabb *aabb, const dbvhi_sum *radius, double t );

// The times at which a point in motion is in a box, or two boxes meet: min - from_max <= t step <= max - from_min in
// each coordinate, or the path in the box along its own axes where there is one. Only ahead, behind and from of the
// path are read. t >= 0, and t <= 1 if that is bounded.
typedef struct dbvhi_slabs {
	dbvhi_path path;
	bool bounded;
	const double *min, *max, *from_min, *from_max;
	const dbvh_obb *obb;
} dbvhi_slabs;

int dbvhi_slabs_met( const dbvhi_slabs *slabs );              // 1 if there is such a time, else 0
int dbvhi_slabs_during( const dbvhi_slabs *slabs, double t ); // 1 if t is one
// For slabs that are met: is t no later than the first such time; no earlier than the last one? Times before 0 and
// after 1 count too.
int dbvhi_slabs_until( const dbvhi_slabs *slabs, double t );
int dbvhi_slabs_since( const dbvhi_slabs *slabs, double t );

// Approximations of the first and the last such time.
void dbvhi_slabs_guess( const dbvhi_slabs *slabs, double *first_out, double *last_out );

enum { DBVHI_GENERATORS = 6 };

// A segment or a box, twice as large as it is: p + q and all sums of t ( more - less )( axis - back ), |t| <= 1. `back`
// may be NULL for the origin; where it is not, the axis has a length, and more - less is 1.
typedef struct dbvhi_body {
	const double *p, *q;
	const double *axis[3], *back[3];
	double more[3], less[3];
	int count;
} dbvhi_body;

typedef struct dbvhi_generator {
	const double *axis, *back;
	double of_a[2], of_b[2]; // half the width is of_a[0] - of_a[1] + of_b[0] - of_b[1]
} dbvhi_generator;

// All differences of a point of a and one of b.
typedef struct dbvhi_zonotope {
	const double *a[2], *b[2]; // twice the centre of each is the sum of these
	dbvhi_generator generator[DBVHI_GENERATORS];
	int count;
	bool has_point; // `t` is a point that may be the nearest, |t| <= 1
	dbvhi_dd t[DBVHI_GENERATORS];
} dbvhi_zonotope;

// sign( distance - sum )
int dbvhi_zonotope_compared( const dbvhi_zonotope *zonotope, const dbvhi_sum *sum );
// sign( the length of the shortest way out - sum ), of bodies that intersect.
int dbvhi_zonotope_depth_compared( const dbvhi_zonotope *zonotope, const dbvhi_sum *sum );
// sign( the least distance of a corner of the box from the triangle - sum ), if the two do not intersect.
int dbvhi_triangle_body_compared( const dbvh_triangle *triangle, const dbvhi_body *body, const dbvhi_sum *sum );

// A sphere whose centre moves towards or away from a plane, and where it ends.
int dbvhi_path_plane_phase( const dbvhi_path *path, const dbvh_plane *plane, double radius, double t );
int dbvhi_path_plane_side( const dbvhi_path *path, const dbvh_plane *plane );
int dbvhi_path_plane_compared( const dbvhi_path *path, const dbvh_plane *plane, double radius );

// ------------------------------------------------------------------------------------------------
// Guesses of times of contact, in pairs of doubles; what is handed over is rounded by comparison (round.h).

// The largest double that is not greater, and the smallest that is not less.
DBVHI_INLINE double dbvhi_dd_down( dbvhi_dd x ) {
	return x.lo < 0.0 ? nextafter( x.hi, -INFINITY ) : x.hi;
}

DBVHI_INLINE double dbvhi_dd_up( dbvhi_dd x ) {
	return x.lo > 0.0 ? nextafter( x.hi, INFINITY ) : x.hi;
}

// When a point that starts at `from`, in pairs of doubles, and moves by `step` in one unit of time passes through the
// ball of a radius about the origin: about the first and the last time, or twice that of its nearest point where it
// misses the ball. `step` is not 0.
void dbvhi_ball_times( const dbvhi_dd from[3], const dbvhi_dd step[3], double radius, double *first_out,
                       double *last_out );

// About when a ball on a path is as high above the plane as its radius, and as low below. The path is not parallel to
// the plane. Only from, ahead and behind of it are read.
void dbvhi_plane_times( const dbvhi_path *path, const dbvh_plane *plane, double radius, double *first_out,
                        double *last_out );
