// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "picture/camera.h"

#include <math.h>

static void unit( double x[3] ) {
	const double length = sqrt( x[0] * x[0] + x[1] * x[1] + x[2] * x[2] );
	for ( int k = 0; k < 3; ++k )
		x[k] /= length;
}

static void cross( const double a[3], const double b[3], double out[3] ) {
	for ( int k = 0; k < 3; ++k )
		out[k] = a[( k + 1 ) % 3] * b[( k + 2 ) % 3] - a[( k + 2 ) % 3] * b[( k + 1 ) % 3];
}

camera camera_at( const double point[3], double size ) {
	static const double above[3] = { 0.0, 0.0, 1.0 };
	camera c = { .forward = { -0.62, 0.62, -0.48 } };
	const double half_angle = 0.30543261909900765; // 17.5 degrees
	c.scale = 1.0 / tan( half_angle );
	const double away = 0.5 * ( size > 0.0 ? size : 1.0 ) * c.scale;
	unit( c.forward );
	cross( c.forward, above, c.right );
	unit( c.right );
	cross( c.right, c.forward, c.up );
	for ( int k = 0; k < 3; ++k )
		c.eye[k] = point[k] - away * c.forward[k];
	c.near = 0.02 * away;
	return c;
}

void camera_see( const camera *c, const double x[3], double out[3] ) {
	const double *const axes[3] = { c->right, c->up, c->forward };
	for ( int k = 0; k < 3; ++k )
		out[k] =
		    ( x[0] - c->eye[0] ) * axes[k][0] + ( x[1] - c->eye[1] ) * axes[k][1] + ( x[2] - c->eye[2] ) * axes[k][2];
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
