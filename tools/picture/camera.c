// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "picture/camera.h"

#include <cglm/cglm.h>
#include <string.h>

camera camera_at( const double point[3], double size, const double direction[3] ) {
	vec3 eye = { (float)direction[0], (float)direction[1], (float)direction[2] }, above = { 0.0f, 0.0f, 1.0f };
	camera c = { .scale = 1.0 / (double)tanf( 0.5f * glm_rad( 35.0f ) ) };
	mat4 view;
	glm_lookat( eye, GLM_VEC3_ZERO, above, view );
	glm_mat4_pick3( view, c.view );
	memcpy( c.point, point, sizeof c.point );
	c.away = 0.5 * ( size > 0.0 ? size : 1.0 ) * c.scale;
	c.near = 0.02 * c.away;
	return c;
}

void camera_see( const camera *c, const double x[3], double out[3] ) {
	const double at[3] = { x[0] - c->point[0], x[1] - c->point[1], x[2] - c->point[2] };
	for ( int k = 0; k < 3; ++k )
		out[k] = at[0] * (double)c->view[0][k] + at[1] * (double)c->view[1][k] + at[2] * (double)c->view[2][k];
	out[2] = c->away - out[2];
}

// The planes of the sides go through the eye: a x = z / scale, up and down, and `aspect` times that sideways.
bool camera_may_see( const camera *c, double aspect, const double middle[3], double radius ) {
	double at[3];
	camera_see( c, middle, at );
	if ( !( at[2] + radius >= c->near ) )
		return false;
	const double across = aspect / c->scale, along = 1.0 / c->scale;
	return ( fabs( at[0] ) - across * at[2] ) <= radius * sqrt( 1.0 + across * across ) &&
	       ( fabs( at[1] ) - along * at[2] ) <= radius * sqrt( 1.0 + along * along );
}
