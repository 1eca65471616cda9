// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Every predicate in three kinds of numbers, the cheapest that knows.

#include "primitive/core.h"

#include "primitive/number.h"

#include <math.h>

#define UNKNOWN DBVHI_UNKNOWN
#define NO_FOOT 3

// The smaller of two signs of distance - sum, of which one belongs to the nearer part; it is the sign for both parts.
static int lesser( int a, int b ) {
	if ( a == -1 || b == -1 )
		return -1;
	if ( a == UNKNOWN || b == UNKNOWN )
		return UNKNOWN;
	return a < b ? a : b;
}

// 1 if either is, else unknown if either is.
static int greater( int a, int b ) {
	if ( a == 1 || b == 1 )
		return 1;
	if ( a == UNKNOWN || b == UNKNOWN )
		return UNKNOWN;
	return a > b ? a : b;
}

// Exact numbers take room; SCOPE gives it back at the end of a block, but for what is kept.
#define SCOPE
#define KEEP( number )
#define STATIC static
#define HELPER static inline // worth a copy at each call
// clang-format off
#define KIND near
#include "primitive/core.inl"
#include "primitive/core_motion.inl"
#include "primitive/core_box.inl"
#include "primitive/core_zonotope.inl"
// The other kinds decide few questions: their code is made small.
#undef STATIC
#undef HELPER
#define STATIC static __attribute__( ( cold ) )
#define HELPER STATIC
#define KIND pair
#include "primitive/core.inl"
#include "primitive/core_motion.inl"
#include "primitive/core_box.inl"
#include "primitive/core_zonotope.inl"
#undef SCOPE
#undef KEEP
#define SCOPE DBVHI_DYADIC_SCOPE;
#define KEEP( number ) DBVHI_DYADIC_KEEP( number );
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" // a scope in another
#define KIND exact
#include "primitive/core.inl"
#include "primitive/core_motion.inl"
#include "primitive/core_box.inl"
#include "primitive/core_zonotope.inl"
#pragma GCC diagnostic pop
// clang-format on

// In pairs of doubles: the latest of the first times and the earliest of the last ones.
void dbvhi_slabs_guess( const dbvhi_slabs *slabs, double *first_out, double *last_out ) {
	pair_slabs s;
	*first_out = 0.0;
	*last_out = INFINITY;
	if ( !slabs_of_pair( &s, slabs ) )
		return;
	for ( int i = 0; i < 3; ++i ) {
		if ( s.way[i] == 0 )
			continue;
		const double first = dbvhi_dd_down( dbvhi_dd_div( s.low[i].v, s.rate[i].v ) );
		const double last = dbvhi_dd_up( dbvhi_dd_div( s.high[i].v, s.rate[i].v ) );
		*first_out = first > *first_out ? first : *first_out;
		*last_out = last < *last_out ? last : *last_out;
	}
}

#define DECIDE( name, parameters, arguments )                                                                          \
	static __attribute__( ( noinline ) ) int name##_in_room parameters {                                               \
		DBVHI_DYADIC_ROOM;                                                                                             \
		return name##_exact arguments;                                                                                 \
	}                                                                                                                  \
                                                                                                                       \
	int dbvhi_##name parameters {                                                                                      \
		int answer = name##_near arguments;                                                                            \
		if ( answer == UNKNOWN )                                                                                       \
			answer = name##_pair arguments;                                                                            \
		if ( answer == UNKNOWN )                                                                                       \
			answer = name##_in_room arguments;                                                                         \
		return answer;                                                                                                 \
	}

DECIDE( points_compared, ( const double a[3], const double b[3], const dbvhi_sum *sum ), ( a, b, sum ) )
DECIDE( point_path_compared, ( const double point[3], const dbvhi_path *path, const dbvhi_sum *sum ),
        ( point, path, sum ) )
DECIDE( point_aabb_compared, ( const double point[3], const dbvh_aabb *aabb, const dbvhi_sum *sum ),
        ( point, aabb, sum ) )
DECIDE( point_obb_compared, ( const double point[3], const dbvh_obb *obb, const dbvhi_sum *sum ), ( point, obb, sum ) )
DECIDE( point_triangle_compared, ( const double point[3], const dbvh_triangle *triangle, const dbvhi_sum *sum ),
        ( point, triangle, sum ) )
DECIDE( paths_compared, ( const dbvhi_path *a, const dbvhi_path *b, const dbvhi_sum *sum ), ( a, b, sum ) )
DECIDE( path_aabb_compared, ( const dbvhi_path *path, const dbvh_aabb *aabb, const dbvhi_sum *sum ),
        ( path, aabb, sum ) )
DECIDE( path_triangle_compared, ( const dbvhi_path *path, const dbvh_triangle *triangle, const dbvhi_sum *sum ),
        ( path, triangle, sum ) )
DECIDE( point_plane_compared, ( const double point[3], const dbvh_plane *plane, const dbvhi_sum *sum ),
        ( point, plane, sum ) )
DECIDE( obb_plane_compared, ( const dbvh_obb *obb, const dbvh_plane *plane, const dbvhi_sum *sum ),
        ( obb, plane, sum ) )
DECIDE( point_obb_depth_compared, ( const double point[3], const dbvh_obb *obb, const dbvhi_sum *sum ),
        ( point, obb, sum ) )
DECIDE( point_plane_side, ( const double point[3], const dbvh_plane *plane ), ( point, plane ) )
DECIDE( obb_plane_side, ( const dbvh_obb *obb, const dbvh_plane *plane ), ( obb, plane ) )
DECIDE( obbs_separated, ( const dbvh_obb *a, const dbvh_obb *b ), ( a, b ) )
DECIDE( path_obb_separated, ( const dbvhi_path *path, const dbvh_obb *obb ), ( path, obb ) )
DECIDE( triangle_obb_separated, ( const dbvh_triangle *triangle, const dbvh_obb *obb ), ( triangle, obb ) )
DECIDE( triangle_aabb_separated, ( const dbvh_triangle *triangle, const dbvh_aabb *aabb ), ( triangle, aabb ) )
DECIDE( path_ball_phase, ( const dbvhi_path *path, const double centre[3], const dbvhi_sum *radius, double t ),
        ( path, centre, radius, t ) )
DECIDE( path_aabb_phase, ( const dbvhi_path *path, const dbvh_aabb *aabb, const dbvhi_sum *radius, double t ),
        ( path, aabb, radius, t ) )
DECIDE( slabs_met, ( const dbvhi_slabs *slabs ), ( slabs ) )
DECIDE( slabs_during, ( const dbvhi_slabs *slabs, double t ), ( slabs, t ) )
DECIDE( slabs_until, ( const dbvhi_slabs *slabs, double t ), ( slabs, t ) )
DECIDE( slabs_since, ( const dbvhi_slabs *slabs, double t ), ( slabs, t ) )
DECIDE( point_ray_compared, ( const double point[3], const dbvhi_path *ray, const dbvhi_sum *sum ),
        ( point, ray, sum ) )
DECIDE( path_plane_phase, ( const dbvhi_path *path, const dbvh_plane *plane, double radius, double t ),
        ( path, plane, radius, t ) )
DECIDE( path_plane_side, ( const dbvhi_path *path, const dbvh_plane *plane ), ( path, plane ) )
DECIDE( path_plane_compared, ( const dbvhi_path *path, const dbvh_plane *plane, double radius ),
        ( path, plane, radius ) )
DECIDE( place_triangle_compared,
        ( const dbvhi_path *path, double t, const dbvh_triangle *triangle, const dbvhi_sum *sum ),
        ( path, t, triangle, sum ) )
DECIDE( zonotope_compared, ( const dbvhi_zonotope *zonotope, const dbvhi_sum *sum ), ( zonotope, sum ) )
DECIDE( zonotope_depth_compared, ( const dbvhi_zonotope *zonotope, const dbvhi_sum *sum ), ( zonotope, sum ) )
DECIDE( triangle_body_compared, ( const dbvh_triangle *triangle, const dbvhi_body *body, const dbvhi_sum *sum ),
        ( triangle, body, sum ) )
DECIDE( path_triangle_depth_compared, ( const dbvhi_path *path, const dbvh_triangle *triangle, const dbvhi_sum *sum ),
        ( path, triangle, sum ) )
