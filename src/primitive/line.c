// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Segments and rays through spheres, boxes and planes.

#include "primitive/line.h"

#include "base/assert.h"
#include "primitive/core.h"
#include "primitive/pair.h"
#include "primitive/round.h"

static const double largest = 0x1.fffffffffffffp1023;

// A segment or a ray: from + t step, the step being ahead - behind.
typedef struct line {
	dbvhi_path path;
	bool bounded;
} line;

static line line_of_segment( const dbvh_segment *s ) {
	return ( line ){ dbvhi_path_segment( s->from, s->to ), true };
}

static line line_of_ray( const dbvh_ray *r ) {
	return ( line ){ { r->from, NULL, r->direction, NULL, 0.0, 1.0 }, false };
}

static void line_step_of( const line *l, dbvhi_dd step[3] ) {
	for ( int k = 0; k < 3; ++k )
		step[k] =
		    l->bounded ? dbvhi_dd_sum( l->path.ahead[k], -l->path.behind[k] ) : ( dbvhi_dd ){ l->path.ahead[k], 0.0 };
}

static bool line_stands_still( const line *l ) {
	for ( int k = 0; k < 3; ++k ) {
		if ( l->path.ahead[k] != ( l->bounded ? l->path.behind[k] : 0.0 ) )
			return false;
	}
	return true;
}

void dbvhi_hit_interval_point( const double from[3], const double to[3], bool bounded,
                               dbvh_hit_interval *hit_interval ) {
	for ( int k = 0; k < 3; ++k ) {
		const double step = bounded ? to[k] - from[k] : to[k];
		double x = from[k];
		if ( hit_interval->enter > 0.0 ) {
			x += hit_interval->enter * step;
			// The difference of the ends overflows before the point does.
			if ( !isfinite( step ) )
				x = ( 1.0 - hit_interval->enter ) * from[k] + hit_interval->enter * to[k];
		}
		hit_interval->point[k] = x;
	}
}

static void fill_point( const line *l, dbvh_hit_interval *hit_interval ) {
	dbvhi_hit_interval_point( l->path.from, l->path.ahead, l->bounded, hit_interval );
}

// ------------------------------------------------------------------------------------------------
// Spheres

typedef struct sphere_question {
	const line *line;
	const dbvh_sphere *sphere;
} sphere_question;

static int sphere_until( const void *context, double t ) {
	const sphere_question *q = context;
	const dbvhi_sum radius = dbvhi_sum1( q->sphere->radius );
	const int phase = dbvhi_path_ball_phase( &q->line->path, q->sphere->centre, &radius, t );
	return phase == DBVHI_BEFORE || phase == DBVHI_BEGINS || phase == DBVHI_GRAZES;
}

static int sphere_since( const void *context, double t ) {
	const sphere_question *q = context;
	const dbvhi_sum radius = dbvhi_sum1( q->sphere->radius );
	const int phase = dbvhi_path_ball_phase( &q->line->path, q->sphere->centre, &radius, t );
	return phase == DBVHI_AFTER || phase == DBVHI_ENDS || phase == DBVHI_GRAZES;
}

static bool meets_sphere( const line *l, const dbvh_sphere *sphere ) {
	const dbvhi_sum radius = dbvhi_sum1( sphere->radius );
	return ( l->bounded ? dbvhi_point_path_compared( sphere->centre, &l->path, &radius )
	                    : dbvhi_point_ray_compared( sphere->centre, &l->path, &radius ) ) <= 0;
}

static void hit_sphere( const line *l, const dbvh_sphere *sphere, dbvh_hit_interval *hit_interval ) {
	DBVHI_ASSERT( sphere->radius >= 0.0 );
	if ( !meets_sphere( l, sphere ) )
		return;
	const sphere_question question = { l, sphere };
	const dbvhi_sum radius = dbvhi_sum1( sphere->radius );
	hit_interval->intersects = true;
	hit_interval->inside = dbvhi_points_compared( l->path.from, sphere->centre, &radius ) <= 0;
	if ( !line_stands_still( l ) ) {
		dbvhi_dd from[3], step[3];
		double first, last;
		for ( int k = 0; k < 3; ++k )
			from[k] = dbvhi_dd_sum( l->path.from[k], -sphere->centre[k] );
		line_step_of( l, step );
		dbvhi_ball_times( from, step, sphere->radius, &first, &last );
		if ( !hit_interval->inside )
			hit_interval->enter = dbvhi_round_down( sphere_until, &question, first, 0.0, l->bounded ? 1.0 : largest );
		if ( l->bounded && dbvhi_points_compared( l->path.ahead, sphere->centre, &radius ) <= 0 )
			hit_interval->exit = 1.0;
		else
			hit_interval->exit = dbvhi_round_up( sphere_since, &question, last, 0.0, l->bounded ? 1.0 : INFINITY );
	}
	fill_point( l, hit_interval );
}

DBVHI_PRIMITIVE( segment_sphere_hit, segment, sphere, dbvh_hit_interval ) {
	const line l = line_of_segment( a );
	hit_sphere( &l, b, out );
}

DBVHI_PRIMITIVE( ray_sphere_hit, ray, sphere, dbvh_hit_interval ) {
	const line l = line_of_ray( a );
	hit_sphere( &l, b, out );
}

DBVHI_PRIMITIVE( segment_sphere_intersect, segment, sphere, bool ) {
	const line l = line_of_segment( a );
	*out = meets_sphere( &l, b );
}

// ------------------------------------------------------------------------------------------------
// Boxes

static int line_slabs_until( const void *context, double t ) {
	return dbvhi_slabs_until( context, t );
}

static int line_slabs_since( const void *context, double t ) {
	return dbvhi_slabs_since( context, t );
}

static dbvhi_slabs slabs_of( const line *l, const dbvh_aabb *aabb, const dbvh_obb *obb ) {
	dbvhi_slabs slabs = { .path = l->path, .bounded = l->bounded, .obb = obb };
	if ( aabb != NULL ) {
		slabs.min = aabb->min;
		slabs.max = aabb->max;
		slabs.from_min = slabs.from_max = l->path.from;
	}
	return slabs;
}

static void hit_slabs( const line *l, const dbvhi_slabs *slabs, dbvh_hit_interval *hit_interval ) {
	if ( !dbvhi_slabs_met( slabs ) )
		return;
	hit_interval->intersects = true;
	hit_interval->inside = dbvhi_slabs_during( slabs, 0.0 );
	if ( !line_stands_still( l ) ) {
		double first, last;
		dbvhi_slabs_guess( slabs, &first, &last );
		if ( !hit_interval->inside )
			hit_interval->enter = dbvhi_round_down( line_slabs_until, slabs, first, 0.0, l->bounded ? 1.0 : largest );
		if ( l->bounded && dbvhi_slabs_during( slabs, 1.0 ) )
			hit_interval->exit = 1.0;
		else
			hit_interval->exit = dbvhi_round_up( line_slabs_since, slabs, last, 0.0, l->bounded ? 1.0 : INFINITY );
	}
	fill_point( l, hit_interval );
}

DBVHI_PRIMITIVE( segment_aabb_hit, segment, aabb, dbvh_hit_interval ) {
	const line l = line_of_segment( a );
	const dbvhi_slabs slabs = slabs_of( &l, b, NULL );
	hit_slabs( &l, &slabs, out );
}

DBVHI_PRIMITIVE( ray_aabb_hit, ray, aabb, dbvh_hit_interval ) {
	const line l = line_of_ray( a );
	const dbvhi_slabs slabs = slabs_of( &l, b, NULL );
	hit_slabs( &l, &slabs, out );
}

DBVHI_PRIMITIVE( segment_obb_hit, segment, obb, dbvh_hit_interval ) {
	const line l = line_of_segment( a );
	const dbvhi_slabs slabs = slabs_of( &l, NULL, b );
	hit_slabs( &l, &slabs, out );
}

DBVHI_PRIMITIVE( ray_obb_hit, ray, obb, dbvh_hit_interval ) {
	const line l = line_of_ray( a );
	const dbvhi_slabs slabs = slabs_of( &l, NULL, b );
	hit_slabs( &l, &slabs, out );
}

DBVHI_PRIMITIVE( segment_aabb_intersect, segment, aabb, bool ) {
	const line l = line_of_segment( a );
	const dbvhi_slabs slabs = slabs_of( &l, b, NULL );
	*out = dbvhi_slabs_met( &slabs ) != 0;
}

DBVHI_PRIMITIVE( segment_obb_intersect, segment, obb, bool ) {
	const dbvhi_path path = dbvhi_path_segment( a->from, a->to );
	*out = dbvhi_path_obb_separated( &path, b ) <= 0;
}

// ------------------------------------------------------------------------------------------------
// Planes

typedef struct plane_question {
	const line *line;
	const dbvh_plane *plane;
} plane_question;

static int line_plane_until( const void *context, double t ) {
	const plane_question *q = context;
	const int phase = dbvhi_path_plane_phase( &q->line->path, q->plane, 0.0, t );
	return phase == DBVHI_BEFORE || phase == DBVHI_GRAZES;
}

static int line_plane_since( const void *context, double t ) {
	const plane_question *q = context;
	const int phase = dbvhi_path_plane_phase( &q->line->path, q->plane, 0.0, t );
	return phase == DBVHI_AFTER || phase == DBVHI_GRAZES;
}

// On which side a segment ends, or a ray at infinity; for one that starts in the plane, 0 is within.
static int side_of_end( const line *l, const dbvh_plane *plane, int side_of_start ) {
	if ( l->bounded )
		return dbvhi_point_plane_side( l->path.ahead, plane );
	const dbvh_plane parallel = { { plane->normal[0], plane->normal[1], plane->normal[2] }, 0.0 };
	const int way = dbvhi_point_plane_side( l->path.ahead, &parallel );
	return way != 0 ? way : side_of_start;
}

static void hit_plane( const line *l, const dbvh_plane *plane, dbvh_hit_interval *hit_interval ) {
	const int start = dbvhi_point_plane_side( l->path.from, plane ), end = side_of_end( l, plane, start );
	if ( start != 0 && start == end )
		return;
	hit_interval->intersects = true;
	hit_interval->inside = start == 0;
	if ( start != 0 ) {
		const plane_question question = { l, plane };
		double first, last;
		dbvhi_plane_times( &l->path, plane, 0.0, &first, &last );
		hit_interval->enter = dbvhi_round_down( line_plane_until, &question, first, 0.0, l->bounded ? 1.0 : largest );
		hit_interval->exit = dbvhi_round_up( line_plane_since, &question, last, 0.0, l->bounded ? 1.0 : INFINITY );
	} else if ( end == 0 && !line_stands_still( l ) ) {
		hit_interval->exit = l->bounded ? 1.0 : INFINITY;
	}
	fill_point( l, hit_interval );
}

DBVHI_PRIMITIVE( segment_plane_hit, segment, plane, dbvh_hit_interval ) {
	const line l = line_of_segment( a );
	hit_plane( &l, b, out );
}

DBVHI_PRIMITIVE( ray_plane_hit, ray, plane, dbvh_hit_interval ) {
	const line l = line_of_ray( a );
	hit_plane( &l, b, out );
}
