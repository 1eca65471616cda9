// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The questions about two triangles alone.

#include "base/fpenv.h"
#include "dualbvh/distance.h"
#include "exact/tri_tri.h"
#include "exact/tri_tri_distance.h"
#include "math/pose.h"

#include <math.h>
#include <string.h>

typedef struct posed {
	dbvh_pose pose;
	double image[9];
	dbvhi_posed_pair pair;
} posed;

// Both triangles, if they are numbers and the pose (NULL: the identity) is one.
static dbvh_status pose_second( const double a[9], const double b[9], const dbvh_pose *pose_b, posed *out ) {
	double largest = 0.0;
	for ( int k = 0; k < 9; ++k ) {
		if ( !isfinite( a[k] ) || !isfinite( b[k] ) )
			return DBVH_NOT_FINITE;
		largest = fmax( largest, fabs( b[k] ) );
	}
	out->pose = pose_b != NULL ? *pose_b : dbvh_pose_identity();
	const dbvh_status status = dbvh_pose_check( &out->pose, NULL );
	if ( status != DBVH_OK )
		return status;
	dbvhi_triangle_move( &out->pose, b, out->image );
	out->pair = ( dbvhi_posed_pair ){ a, b, out->image, &out->pose, dbvhi_move_error( &out->pose, largest ) };
	return DBVH_OK;
}

static DBVHI_BEHIND dbvh_status do_triangles_intersect( const double a[9], const double b[9], const dbvh_pose *pose_b,
                                                        bool *intersect_out ) {
	if ( a == NULL || b == NULL || intersect_out == NULL )
		return DBVH_INVALID_ARGUMENT;
	*intersect_out = false;
	posed p;
	const dbvh_status status = pose_second( a, b, pose_b, &p );
	if ( status != DBVH_OK )
		return status;
	const dbvhi_answer answer = dbvhi_triangles_filter( a, p.image, p.pair.error );
	*intersect_out = answer != DBVHI_UNSURE ? answer == DBVHI_MEET
	                                        : dbvhi_triangles_meet_exact( a, b, p.image, &p.pose, p.pair.error );
	return DBVH_OK;
}

dbvh_status dbvh_triangles_intersect( const double a[9], const double b[9], const dbvh_pose *pose_b,
                                      bool *intersect_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_triangles_intersect( a, b, pose_b, intersect_out ) );
}

static DBVHI_BEHIND dbvh_status do_triangles_distance( const double a[9], const double b[9], const dbvh_pose *pose_b,
                                                       double *distance_out, double point_a_out[3],
                                                       double point_b_out[3] ) {
	if ( a == NULL || b == NULL || distance_out == NULL )
		return DBVH_INVALID_ARGUMENT;
	*distance_out = 0.0;
	posed p;
	const dbvh_status status = pose_second( a, b, pose_b, &p );
	if ( status != DBVH_OK )
		return status;
	dbvhi_tri_tri_bounds gap;
	dbvhi_triangles_gap( a, p.image, p.pair.error, &gap );
	dbvhi_witness witness;
	dbvhi_triangles_distance_exact( &p.pair, &gap, INFINITY, &witness );
	*distance_out = witness.distance;
	if ( point_a_out != NULL )
		memcpy( point_a_out, witness.fixed, sizeof witness.fixed );
	if ( point_b_out != NULL )
		memcpy( point_b_out, witness.moved, sizeof witness.moved );
	return DBVH_OK;
}

dbvh_status dbvh_triangles_distance( const double a[9], const double b[9], const dbvh_pose *pose_b,
                                     double *distance_out, double point_a_out[3], double point_b_out[3] ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status,
	                        do_triangles_distance( a, b, pose_b, distance_out, point_a_out, point_b_out ) );
}
