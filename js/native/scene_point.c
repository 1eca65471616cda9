// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Rays and points that are asked of a whole scene.

#include "web.h"

// Writes the body, then triangle, t, point.
dbvh_status WEB_EXPORT( web_scene_raycast )( dbvh_scene *scene, const dbvh_ray *ray, double *out ) {
	dbvh_scene_hit hit;
	const dbvh_status status = dbvh_scene_raycast( scene, ray, &hit, &web_error );
	*out++ = hit.body;
	*out++ = hit.hit.triangle;
	*out++ = hit.hit.t;
	web_put( out, hit.hit.point, 3 );
	return status;
}

// Writes the body, then triangle, distance, point.
dbvh_status WEB_EXPORT( web_scene_closest_point )( dbvh_scene *scene, const double *point, double limit, double *out ) {
	const dbvh_closest_point_query query = { .limit = limit };
	dbvh_scene_closest_point_result r;
	const dbvh_status status = dbvh_scene_closest_point( scene, point, &query, &r, &web_error );
	*out++ = r.body;
	*out++ = r.closest.triangle;
	*out++ = r.closest.distance;
	web_put( out, r.closest.point, 3 );
	return status;
}
