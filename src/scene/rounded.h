// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Two bodies that may have radii: each is the points at most its radius from its mesh. With r, the sum of the radii
// rounded up to a double, they collide where their meshes are at most r apart, and their distance is that of the
// meshes less r.

#pragma once

#include "scene/scene.h"

// The smallest double that is not less than a + b.
double dbvhi_add_up( double a, double b );

// The sum of the radii of two bodies, rounded up. 0: neither has one.
double dbvhi_rounded_reach( const dbvhi_body *a, const dbvhi_body *b );

// Two bodies by their trees, poses and the sum of their radii.
typedef struct dbvhi_rounded_pair {
	const dbvh_tree *a, *b;
	const dbvh_pose *pose_a, *pose_b;
	double radius_a, radius_b, reach;
} dbvhi_rounded_pair;

dbvhi_rounded_pair dbvhi_rounded_pair_of( const dbvhi_body *a, const dbvhi_body *b );

// Do the two collide? As dbvhi_collide(), whose query and status this has.
dbvh_status dbvhi_rounded_collide( const dbvhi_rounded_pair *pair, const dbvh_collide_query *query,
                                   dbvh_workspace *workspace, dbvh_collide_result *result );

// dbvh_distance() of the two.
dbvh_status dbvhi_rounded_distance( const dbvhi_rounded_pair *pair, const dbvh_distance_query *query,
                                    dbvh_workspace *workspace, dbvh_distance_result *result, dbvh_error *error );

// dbvh_closest_point() of a body.
dbvh_status dbvhi_rounded_closest_point( const dbvhi_body *body, const double point[3],
                                         const dbvh_closest_point_query *query, dbvh_workspace *workspace,
                                         dbvh_closest_point_result *result, dbvh_error *error );

// INVALID_ARGUMENT where a body of the scene has a radius, which `function` takes no account of.
dbvh_status dbvhi_refuse_rounded( const dbvh_scene *scene, const char *function, dbvh_error *error );
