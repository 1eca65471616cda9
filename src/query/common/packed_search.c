// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Margins of positions. The kernels work in floats, u = 2^-24, about the centres of the two trees. With C the extent of
// the moved tree and t the distance of the centres, the position of one of its spheres in the fixed frame is off by
//     rot rounded to float           sqrt(3) u C        three products and sums     3 sqrt(3) u C
//     pos rounded to float           u t                the sum with it             u (C + t)
// and the subtraction of the other centre by u times a local distance: 10 u C + 5 u t covers them. All else is relative
// to the radii: dbvhi_packed_relative_margin().

#include "query/common/packed_search.h"

#include "base/assert.h"
#include "math/quaternion.h"

#include <math.h>
#include <string.h>

#define U 0x1p-24

// Adding TURN_GRID and taking it away again leaves multiples of 2^-30. If the quaternion of a pose has components that
// are mere rounding, products of these with the small ones of boxes would be subnormal floats, which cost some
// processors a hundred cycles each. The numbers are off by 2^-31 at most, each, at a length of 2 or more: the unit
// quaternion by 2^-31, an entry of its matrix by 2^-29.
#define TURN_GRID 0x1.8p22

// An upper limit of the length, cheaper than it.
static double size3( const double x[3] ) {
	return fabs( x[0] ) + fabs( x[1] ) + fabs( x[2] );
}

static inline double origin_error_of( const dbvhi_mesh_pair *pair ) {
	DBVHI_ASSERT( pair->fixed->packed != NULL && pair->moved->packed != NULL );
	const dbvhi_packed *a = pair->fixed->packed, *b = pair->moved->packed;
	return 0x1p-48 * ( size3( a->centre ) + size3( b->centre ) + size3( pair->pose.pos ) + a->extent + b->extent );
}

double dbvhi_packed_origin_error( const dbvhi_mesh_pair *pair ) {
	return origin_error_of( pair );
}

double dbvhi_packed_margin( const dbvhi_mesh_pair *pair, const double offset[3], double origin_error ) {
	DBVHI_ASSERT( origin_error >= 0.0 );
	const dbvhi_packed *a = pair->fixed->packed, *b = pair->moved->packed;
	return U * ( 12.0 * b->extent + 5.0 * size3( offset ) + 2.0 * a->extent ) + origin_error;
}

// Place the centre of the moved tree: x -> rot (x + centre_b) + pos - centre_a.
static inline void place_centre( const dbvhi_mesh_pair *pair, dbvhi_packed_run *run ) {
	const dbvhi_packed *a = pair->fixed->packed, *b = pair->moved->packed;
	const dbvh_pose *pose = &pair->pose;
	for ( int i = 0; i < 3; ++i ) {
		double p = pose->pos[i] - a->centre[i];
		for ( int j = 0; j < 3; ++j ) {
			p += pose->rot[i][j] * b->centre[j];
			run->rot[i][j] = (float)pose->rot[i][j];
		}
		run->pos_exact[i] = p;
		run->pos[i] = (float)p;
	}
}

static inline void place_leaves( const dbvhi_mesh_pair *pair, dbvhi_packed_run *run ) {
	const dbvhi_packed *a = pair->fixed->packed, *b = pair->moved->packed;
	const double unit = a->unit < b->unit ? a->unit : b->unit;
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j ) {
			run->column[j][i] = pair->pose.rot[i][j];
			run->rot_unit[i][j] = (float)( unit * pair->pose.rot[i][j] );
		}
	}
	run->unit = (float)unit;
	run->origin_error = (float)( 1.001 * unit * origin_error_of( pair ) );
	run->leaves_a = dbvhi_packed_leaves_of( a );
	run->leaves_b = dbvhi_packed_leaves_of( b );
}

static inline void place_nodes( const dbvhi_mesh_pair *pair, dbvhi_packed_run *run ) {
	const dbvhi_packed *a = pair->fixed->packed, *b = pair->moved->packed;
	const double margin = dbvhi_packed_margin( pair, run->pos_exact, origin_error_of( pair ) );
	run->margin = (float)( margin * ( 1.0 + 4.0 * U ) );
	run->margin_relative = (float)dbvhi_packed_relative_margin( pair->deviation );
	double turn[4], square = 0.0;
	dbvhi_quaternion_from_rotation( pair->pose.rot, turn );
	for ( int k = 0; k < 4; ++k ) {
		const double on_grid = ( turn[k] + TURN_GRID ) - TURN_GRID;
		run->turn[k] = (float)( DBVHI_TURN_LENGTH * on_grid );
		square += on_grid * on_grid;
	}
	run->turn_scale = (float)( 2.0 / ( (double)DBVHI_NORM_SCALE * DBVHI_TURN_LENGTH * DBVHI_TURN_LENGTH * square ) );
	run->is_large = a->bytes + b->bytes > DBVHI_NEAR_BYTES;
	run->spheres_a = dbvhi_packed_spheres_of( a );
	run->spheres_b = dbvhi_packed_spheres_of( b );
	run->boxes_a = dbvhi_packed_boxes_of( a );
	run->boxes_b = dbvhi_packed_boxes_of( b );
	run->node_count_a = a->node_count;
	run->node_count_b = b->node_count;
}

static inline void clear( dbvhi_packed_run *run ) {
	memset( run, 0, sizeof *run );
	run->pause = UINT64_MAX;
}

void dbvhi_packed_init_leaves( const dbvhi_mesh_pair *pair, dbvhi_packed_run *run ) {
	clear( run );
	place_centre( pair, run );
	place_leaves( pair, run );
}

void dbvhi_packed_init( const dbvhi_mesh_pair *pair, dbvhi_packed_run *run ) {
	clear( run );
	place_centre( pair, run );
	place_leaves( pair, run );
	place_nodes( pair, run );
}

void dbvhi_packed_init_nodes( const dbvhi_mesh_pair *pair, dbvhi_packed_run *run ) {
	place_centre( pair, run );
	place_nodes( pair, run );
	run->node_tests = run->box_tests = run->leaf_tests = 0;
}

bool dbvhi_packed_is_separated( const dbvhi_mesh_pair *pair, double max_distance, const dbvhi_packed_run *run ) {
	DBVHI_ASSERT( max_distance >= 0.0 );
	const double *offset = run->pos_exact;
	// The pose may stretch the moved tree by 2 d; the margin covers the position.
	const double a = pair->fixed->packed->extent, b = pair->moved->packed->extent * ( 1.0 + 2.0 * pair->deviation );
	const double least = ( a + b + max_distance ) * ( 1.0 + 0x1p-40 ) + (double)run->margin;
	return offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2] > least * least;
}
