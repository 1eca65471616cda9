// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "tree/fit.h"

#include <stdbool.h>
#include <string.h>

static dbvhi_point_set gather( const dbvhi_build_triangle *triangles, size_t count, dbvhi_scratch scratch ) {
	for ( size_t i = 0; i < count; ++i ) {
		for ( int corner = 0; corner < 3; ++corner ) {
			scratch.x[3 * i + corner] = triangles[i].corners[3 * corner];
			scratch.y[3 * i + corner] = triangles[i].corners[3 * corner + 1];
			scratch.z[3 * i + corner] = triangles[i].corners[3 * corner + 2];
		}
	}
	return ( dbvhi_point_set ){ scratch.x, scratch.y, scratch.z, 3 * count };
}

static dbvhi_vec corner_of( const dbvhi_build_triangle *triangle, int corner ) {
	const double *c = triangle->corners + 3 * corner;
	return ( dbvhi_vec ){ { c[0], c[1], c[2] } };
}

// Moments of the corners, where the surface has no area to speak of.
static void point_moments( dbvhi_point_set points, dbvhi_vec origin, dbvhi_moments *moments ) {
	memset( moments, 0, sizeof *moments );
	moments->area = (double)points.count;
	for ( size_t i = 0; i < points.count; ++i ) {
		const double p[3] = { points.x[i] - origin.v[0], points.y[i] - origin.v[1], points.z[i] - origin.v[2] };
		for ( int k = 0; k < 3; ++k ) {
			moments->first[k] += p[k];
			moments->second[k] += p[k] * p[k];
			moments->second[3 + k] += p[k] * p[( k + 1 ) % 3];
		}
	}
}

// Axes along the longest edge of a triangle and its normal: the smallest box round one triangle is flush with it.
static dbvhi_mat triangle_axes( const dbvhi_build_triangle *triangle ) {
	dbvhi_vec longest = { { 0 } }, other = { { 0 } };
	double longest_sq = -1.0;
	for ( int i = 0; i < 3; ++i ) {
		const dbvhi_vec p = corner_of( triangle, i ), q = corner_of( triangle, ( i + 1 ) % 3 );
		const dbvhi_vec edge = dbvhi_sub( q, p );
		const double length_sq = dbvhi_dot( edge, edge );
		if ( length_sq > longest_sq ) {
			longest_sq = length_sq;
			longest = edge;
			other = dbvhi_sub( corner_of( triangle, ( i + 2 ) % 3 ), p );
		}
	}
	return dbvhi_frame_from( longest, other );
}

static void measure( dbvhi_node *node, const dbvhi_frame *frame, dbvhi_point_set points ) {
	double half[3] = { 0 }, largest = 0.0;
	for ( size_t i = 0; i < points.count; ++i ) {
		const double x = points.x[i] - frame->origin.v[0];
		const double y = points.y[i] - frame->origin.v[1];
		const double z = points.z[i] - frame->origin.v[2];
		largest = fmax( largest, fmax( fmax( fabs( x ), fabs( y ) ), fabs( z ) ) );
		for ( int k = 0; k < 3; ++k ) {
			const double along = frame->axes.m[0][k] * x + frame->axes.m[1][k] * y + frame->axes.m[2][k] * z;
			half[k] = fmax( half[k], fabs( along ) );
		}
	}
	const double error = dbvhi_projection_error( largest );
	for ( int k = 0; k < 3; ++k )
		half[k] += error;
	// Measuring again may swap extents that are equal but for rounding.
	half[1] = fmax( half[1], half[0] );
	half[2] = fmax( half[2], half[1] );
	memcpy( node->half.v, half, sizeof half );
}

// Which axes, and roughly how far along them: the caller measures again.
static dbvhi_box fit_box( const dbvhi_build_triangle *triangles, size_t count, dbvhi_point_set points,
						  const dbvhi_moments *moments, dbvhi_vec mean, const dbvh_tree_options *options ) {
	const bool best = options->box_fit == DBVH_BOX_BEST;
	if ( count == 1 && best ) {
		const dbvhi_mat axes = triangle_axes( &triangles[0] );
		return dbvhi_box_along( &axes, points );
	}
	double covariance[6];
	for ( int k = 0; k < 3; ++k ) {
		covariance[k] = moments->second[k] / moments->area - mean.v[k] * mean.v[k];
		covariance[3 + k] = moments->second[3 + k] / moments->area - mean.v[k] * mean.v[( k + 1 ) % 3];
	}
	const dbvhi_mat eigen = dbvhi_eigenvectors( covariance );
	dbvhi_box box = dbvhi_box_along( &eigen, points );
	if ( best && points.count <= DBVHI_EXTREMAL_POINTS ) {
		dbvhi_box_refine( &box, points );
	} else if ( best ) {
		double x[DBVHI_EXTREMAL_POINTS], y[DBVHI_EXTREMAL_POINTS], z[DBVHI_EXTREMAL_POINTS];
		const size_t few = dbvhi_extremal_points( points, x, y, z );
		dbvhi_box turned = box;
		dbvhi_box_refine( &turned, ( dbvhi_point_set ){ x, y, z, few } );
		turned = dbvhi_box_along( &turned.axes, points );
		if ( dbvhi_box_cost( &turned.half ) < dbvhi_box_cost( &box.half ) )
			box = turned;
	}
	return box;
}

dbvhi_fit dbvhi_fit_node( dbvhi_node *node, const dbvhi_build_triangle *triangles, size_t count,
						  const dbvhi_frame *parent, const dbvh_tree_options *options, dbvhi_scratch scratch ) {
	const dbvhi_point_set points = gather( triangles, count, scratch );
	const dbvhi_vec origin = corner_of( &triangles[0], 0 );

	dbvhi_moments moments = { 0 };
	for ( size_t i = 0; i < count; ++i )
		dbvhi_moments_add( &moments, triangles[i].corners, origin );
	if ( !( moments.area > 0.0 ) )
		point_moments( points, origin, &moments );
	dbvhi_vec mean;
	for ( int k = 0; k < 3; ++k )
		mean.v[k] = moments.first[k] / moments.area;

	const dbvhi_box box = fit_box( triangles, count, points, &moments, mean, options );

	dbvhi_fit fit;
	fit.mean = dbvhi_add( origin, mean );
	// Orthonormal once more: the parent's axes are so only to within the roundings of all steps above, and what is lost
	// here would double at every level.
	const dbvhi_mat step = dbvhi_mat_mul_transposed( &parent->axes, &box.axes );
	node->rot = dbvhi_frame_from( ( dbvhi_vec ){ { step.m[0][0], step.m[1][0], step.m[2][0] } },
								  ( dbvhi_vec ){ { step.m[0][1], step.m[1][1], step.m[2][1] } } );
	node->pos = dbvhi_mat_apply_transposed( &parent->axes, dbvhi_sub( box.centre, parent->origin ) );
	fit.frame = dbvhi_frame_step( parent, node );
	measure( node, &fit.frame, points );

	const dbvhi_vec centre = options->sphere_fit == DBVH_SPHERE_BOX_CENTRE ? fit.frame.origin
																		   : dbvhi_sphere_smallest( points ).centre;
	node->sphere_outside = dbvhi_mat_apply_transposed( &parent->axes, dbvhi_sub( centre, parent->origin ) );
	const dbvhi_sphere sphere = dbvhi_sphere_about( dbvhi_frame_point( parent, node->sphere_outside ), points );
	node->sphere_inside =
		dbvhi_mat_apply_transposed( &fit.frame.axes, dbvhi_sub( sphere.centre, fit.frame.origin ) );
	node->radius = sphere.radius;
	node->pad = 0.0;
	return fit;
}
