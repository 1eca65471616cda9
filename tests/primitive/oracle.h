// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Primitives in exact arithmetic by other means than the library's: normal equations and Gram determinants where it has
// cross products, clipping and solving where it has separating axes, roots where it has nearest points.

#pragma once

#include "dualbvh/shape_cast.h"
#include "number.h"

// num / den, den > 0
typedef struct fraction {
	num n, d;
} fraction;

int fraction_compare( fraction a, fraction b );
fraction fraction_of( num x );

// sign( distance - s ); a negative s gives 1.
int oracle_point_point( vec a, vec b, num s );
int oracle_point_segment( vec p, vec a, vec b, num s );
int oracle_point_triangle( vec p, const vec t[3], num s );
int oracle_segment_segment( vec a, vec b, vec c, vec d, num s );
int oracle_segment_triangle( vec a, vec b, const vec t[3], num s );
int oracle_point_aabb( vec p, const dbvh_aabb *box, num s );
int oracle_segment_aabb( vec a, vec b, const dbvh_aabb *box, num s );
int oracle_point_obb( vec p, const dbvh_obb *box, num s );
int oracle_point_plane( vec p, const dbvh_plane *plane, num s );
int oracle_plane_side( vec p, const dbvh_plane *plane );
// sign( how deep a point in the box is under a face - s )
int oracle_obb_depth( vec p, const dbvh_obb *box, num s );

// The part of the line a + t d, t >= 0 and t <= 1 if `bounded`, that is in the box; false where there is none. Of a
// line that does not move, 0 to 0.
bool oracle_clip_aabb( vec a, vec d, bool bounded, vec low, vec high, fraction *from, fraction *to );
bool oracle_clip_obb( vec a, vec d, bool bounded, const dbvh_obb *box, fraction *from, fraction *to, bool *endless );

bool oracle_obb_obb( const dbvh_obb *a, const dbvh_obb *b );
bool oracle_triangle_obb( const dbvh_triangle *a, const dbvh_obb *b );
bool oracle_triangle_aabb( const dbvh_triangle *a, const dbvh_aabb *b );

// The time at which a segment is nearest to the box.
fraction oracle_nearest_time_aabb( vec a, vec d, const dbvh_aabb *box );

// A ball of radius s about the origin and a point a + t d that meets it for some t: the sign of t minus the first root,
// and of t minus the last one. d is not 0.
int oracle_first_root( vec a, vec d, num s, num t );
int oracle_last_root( vec a, vec d, num s, num t );
// Do they intersect for t >= 0, and t <= 1 if `bounded`?
bool oracle_ball_met( vec a, vec d, bool bounded, num s );

// The sign of the rate at which the distance from the box changes at a time t.
int oracle_rate_aabb( vec a, vec d, const dbvh_aabb *box, num t );

// A segment or a box: its centre, axes, and half of each edge.
typedef struct oracle_solid {
	vec centre, axis[3], step[3];
	int count;
} oracle_solid;

oracle_solid oracle_solid_of_segment( vec from, vec to );
oracle_solid oracle_solid_of_aabb( const dbvh_aabb *b );
oracle_solid oracle_solid_of_obb( const dbvh_obb *b );

// sign( distance of a, moved by `shift`, and b - s )
int oracle_solids( const oracle_solid *a, const oracle_solid *b, vec shift, num s );
// sign( the shortest translation after which two overlapping solids only touch - s )
int oracle_solids_depth( const oracle_solid *a, const oracle_solid *b, num s );
// The same along n only, or -n.
int oracle_way_out( const oracle_solid *a, const oracle_solid *b, vec n, num s );
int oracle_segment_triangle_depth( vec from, vec to, const vec t[3], num s );
// sign( distance of a triangle and a solid that do not intersect - s )
int oracle_triangle_solid( const vec t[3], const oracle_solid *b, num s );

// The minor of the rows i and the columns j, up to three of each: for Cramer's rule.
enum { ORACLE_GENERATORS = 6 };
num oracle_minor( num g[ORACLE_GENERATORS][ORACLE_GENERATORS], const int *i, const int *j, int n );
