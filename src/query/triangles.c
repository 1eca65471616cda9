// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Queries about two single triangles.

#include "base/fpenv.h"
#include "base/status.h"
#include "dualbvh/collide.h"
#include "dualbvh/distance.h"
#include "exact/tri_tri.h"
#include "exact/tri_tri_distance.h"
#include "math/pose.h"
#include "query/common/arguments.h"

#include <math.h>
#include <string.h>

typedef struct posed {
	dbvh_pose pose;
	double image[9];
	dbvhi_posed_pair pair;
} posed;

// Check two triangles and the pose of the second (NULL: the identity), and place it.
static dbvh_status pose_second( const dbvh_triangle *a, const dbvh_triangle *b, const dbvh_pose *pose_b,
                                const void *place, const char *place_name, posed *out, dbvh_error *error ) {
	dbvh_status status = dbvhi_check_given( a, "a", error );
	if ( status == DBVH_OK )
		status = dbvhi_check_given( b, "b", error );
	if ( status == DBVH_OK )
		status = dbvhi_check_given( place, place_name, error );
	if ( status != DBVH_OK )
		return status;
	const double *p = dbvhi_triangle_numbers( a ), *q = dbvhi_triangle_numbers( b );
	double largest = 0.0;
	bool finite = true;
	for ( int k = 0; k < 9; ++k ) {
		finite = finite && isfinite( p[k] ) && isfinite( q[k] );
		largest = fmax( largest, fabs( q[k] ) );
	}
	if ( !finite ) {
		status = dbvhi_check_finite( p, 9, "a.corner", error );
		return status == DBVH_OK ? dbvhi_check_finite( q, 9, "b.corner", error ) : status;
	}
	out->pose = pose_b != NULL ? *pose_b : dbvh_pose_identity();
	status = dbvh_pose_check( &out->pose, NULL, NULL );
	if ( status != DBVH_OK )
		return dbvhi_blame_pose( status, pose_b, "pose_b", error );
	dbvhi_triangle_move( &out->pose, q, out->image );
	out->pair = ( dbvhi_posed_pair ){ p, q, out->image, &out->pose, dbvhi_move_error( &out->pose, largest ) };
	return DBVH_OK;
}

static DBVHI_NOINLINE_FP dbvh_status do_triangles_intersect( const dbvh_triangle *a, const dbvh_triangle *b,
                                                             const dbvh_pose *pose_b, bool *intersect_out,
                                                             dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( intersect_out != NULL )
		*intersect_out = false;
	posed p;
	DBVHI_TRY( pose_second( a, b, pose_b, intersect_out, "intersect_out", &p, error ) );
	const dbvhi_answer answer = dbvhi_triangles_filter( p.pair.fixed, p.image, p.pair.error );
	*intersect_out = answer != DBVHI_UNSURE ? answer == DBVHI_INTERSECTING
	                                        : dbvhi_triangles_intersect_exact( p.pair.fixed, p.pair.moved, p.image,
	                                                                           &p.pose, p.pair.error );
	return DBVH_OK;
}

dbvh_status dbvh_triangles_intersect( const dbvh_triangle *a, const dbvh_triangle *b, const dbvh_pose *pose_b,
                                      bool *intersect_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status,
	                        dbvhi_error_finish( error, do_triangles_intersect( a, b, pose_b, intersect_out, error ) ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_triangles_distance( const dbvh_triangle *a, const dbvh_triangle *b,
                                                            const dbvh_pose *pose_b,
                                                            dbvh_triangles_distance_result *result_out,
                                                            dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( result_out != NULL )
		memset( result_out, 0, sizeof *result_out );
	posed p;
	DBVHI_TRY( pose_second( a, b, pose_b, result_out, "result_out", &p, error ) );
	dbvhi_tri_tri_bounds gap;
	dbvhi_triangles_gap( p.pair.fixed, p.image, p.pair.error, &gap );
	dbvhi_witness witness;
	dbvhi_triangles_distance_exact( &p.pair, &gap, INFINITY, &witness );
	result_out->distance = witness.distance;
	memcpy( result_out->point_a, witness.fixed, sizeof witness.fixed );
	memcpy( result_out->point_b, witness.moved, sizeof witness.moved );
	return DBVH_OK;
}

dbvh_status dbvh_triangles_distance( const dbvh_triangle *a, const dbvh_triangle *b, const dbvh_pose *pose_b,
                                     dbvh_triangles_distance_result *result_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status,
	                        dbvhi_error_finish( error, do_triangles_distance( a, b, pose_b, result_out, error ) ) );
}
