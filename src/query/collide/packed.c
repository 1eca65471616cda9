// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The traversal of two packed trees: sets the kernel going and decides what it cannot.
//
// Margins. The kernel works in floats, u = 2^-24, about the centres of the two trees. With C the extent of the moved
// tree and t the distance of the centres, the position of one of its spheres in the fixed frame is off by
//     rot rounded to float           sqrt(3) u C        three products and sums     3 sqrt(3) u C
//     pos rounded to float           u t                the sum with it             u (C + t)
// and the subtraction of the other centre by u times a local distance: 10 u C + 5 u t covers them.
//
// All else is relative to R, the sum of the two radii, since only boxes whose spheres overlap are looked at, and no box
// is larger than its sphere. The quaternion that turns one box into the other's frame is off by 18 u, so an entry of
// its matrix by 36 u, and by 25 u for its evaluation, and by u / 32 for the grid that its numbers are put on (below);
// call it 64 u. The way between the spheres loses 40 u R as it is turned, that between the boxes, at most 2.8 R, 210 u
// R more by their offsets. An axis of A then has 250 u R + 210 u R of error, an axis of B 760 u R + 210 u R, an edge
// cross 870 u R + 140 u R: 1152 u R is enough for all. Where the pose is no rotation, its entries differ from those of
// the quaternion: with d for the largest entry of |rot^T rot - I|, rot is within 3 d of the nearest rotation (by its
// polar form), so what the quaternion is made of is off by 9 d and three times 6 d, for a length of 2 or more, the unit
// quaternion by 7 d, its rotation by 14 d, and a point of the moved sphere by at most 17 d in each of three directions:
// 51 d r.

#include "base/status.h"
#include "bvh/ellipsoid/ellipsoid_choice.h"
#include "dualbvh/isa.h"
#include "math/quaternion.h"
#include "query/collide/kernel.h"
#include "query/common/hit_collector.h"
#include "simd/isa.h"

#include <math.h>
#include <string.h>

DBVHI_KERNEL_TABLE( dbvhi_collide_kernel, dbvhi_collide_kernel )
DBVHI_KERNEL_TABLE( dbvhi_triangle_kernel, dbvhi_triangle_kernel )

#define U 0x1p-24

// Adding it and taking it away again leaves multiples of 2^-30. Where the quaternion of a pose has components that are
// but rounding, products of these with the small ones of boxes would be subnormal floats, which cost some processors a
// hundred cycles each. The numbers are off by 2^-31 at most, each, at a length of 2 or more: the unit quaternion by
// 2^-31, an entry of its matrix by 2^-29.
#define TURN_GRID 0x1.8p22

// Not less than the length, and cheaper.
static double size3( const double x[3] ) {
	return fabs( x[0] ) + fabs( x[1] ) + fabs( x[2] );
}

void dbvhi_packed_init( const dbvhi_hit_collector *s, dbvhi_packed_run *run ) {
	memset( run, 0, sizeof *run );
	run->pause = s->meter != NULL ? DBVHI_PAUSE : UINT64_MAX;
	const dbvhi_packed *a = s->fixed->packed, *b = s->moved->packed;
	const dbvh_pose *pose = s->pose;
	const double unit = a->unit < b->unit ? a->unit : b->unit;
	// x -> rot (x + centre_b) + pos - centre_a
	for ( int i = 0; i < 3; ++i ) {
		double p = pose->pos[i] - a->centre[i];
		for ( int j = 0; j < 3; ++j ) {
			p += pose->rot[i][j] * b->centre[j];
			run->column[j][i] = pose->rot[i][j];
			run->rot[i][j] = (float)pose->rot[i][j];
			run->rot_unit[i][j] = (float)( unit * pose->rot[i][j] );
		}
		run->pos_exact[i] = p;
		run->pos[i] = (float)p;
	}
	const double apart = size3( run->pos_exact );
	const double offsets = size3( a->centre ) + size3( b->centre ) + size3( pose->pos );
	// Sums of up to seven terms in double, here and where the kernel moves a leaf's origin.
	const double origin_error = 0x1p-48 * ( offsets + a->extent + b->extent );
	const double margin = U * ( 12.0 * b->extent + 5.0 * apart + 2.0 * a->extent ) + origin_error;
	run->margin = (float)( margin * ( 1.0 + 4.0 * U ) );
	run->margin_relative = (float)( 1152.0 * U + 51.0 * s->deviation );
	double turn[4], square = 0.0;
	dbvhi_quaternion_from_rotation( pose->rot, turn );
	for ( int k = 0; k < 4; ++k ) {
		const double on_grid = ( turn[k] + TURN_GRID ) - TURN_GRID;
		run->turn[k] = (float)( DBVHI_TURN_LENGTH * on_grid );
		square += on_grid * on_grid;
	}
	run->turn_scale = (float)( 2.0 / ( (double)DBVHI_NORM_SCALE * DBVHI_TURN_LENGTH * DBVHI_TURN_LENGTH * square ) );
	run->unit = (float)unit;
	run->origin_error = (float)( 1.001 * unit * origin_error );
	run->first_only = !s->find_all;
	run->is_large = a->bytes + b->bytes > DBVHI_NEAR_BYTES;
	run->spheres_a = dbvhi_packed_spheres_of( a );
	run->spheres_b = dbvhi_packed_spheres_of( b );
	run->boxes_a = dbvhi_packed_boxes_of( a );
	run->boxes_b = dbvhi_packed_boxes_of( b );
	run->leaves_a = dbvhi_packed_leaves_of( a );
	run->leaves_b = dbvhi_packed_leaves_of( b );
}

bool dbvhi_packed_is_beyond( const dbvhi_hit_collector *s, const dbvhi_packed_run *run ) {
	const double *way = run->pos_exact;
	// The pose may stretch the moved tree by 2 d; the margin covers the position.
	const double a = s->fixed->packed->extent, b = s->moved->packed->extent * ( 1.0 + 2.0 * s->deviation );
	const double least = ( a + b + s->reach ) * ( 1.0 + 0x1p-40 ) + (double)run->margin;
	return way[0] * way[0] + way[1] * way[1] + way[2] * way[2] > least * least;
}

// The pose maps the one mesh to the other as it is, so no frame of a node comes in: what the way is off is that of the
// position and of rounding.
static int are_parted( dbvhi_packed_run *run, int32_t a, int32_t b ) {
	const dbvhi_hit_collector *s = run->context;
	const dbvhi_packed *fixed = s->fixed->packed, *moved = s->moved->packed;
	const dbvhi_packed_ellipsoid *in_a = &dbvhi_packed_ellipsoids_of( fixed )[run->marks_a[a] - 1];
	const dbvhi_packed_ellipsoid *in_b = &dbvhi_packed_ellipsoids_of( moved )[run->marks_b[b] - 1];
	dbvhi_mat rot;
	dbvhi_vec pos;
	memcpy( rot.m, s->pose->rot, sizeof rot.m );
	memcpy( pos.v, run->pos_exact, sizeof pos.v );
	run->ellipsoid_tests += 1;
	if ( dbvhi_ellipsoids_apart( &in_a->reach, &in_b->reach, &rot, pos, run->ellipsoid_margin ) )
		return 1;
	// A query whose ellipsoids part nothing is not asked to pay for more of them.
	run->patience -= 1;
	if ( run->patience == 0 )
		run->parted = NULL;
	return 0;
}

void dbvhi_packed_use_ellipsoids( const dbvhi_hit_collector *s, dbvhi_packed_run *run ) {
	const dbvhi_packed *a = s->fixed->packed, *b = s->moved->packed;
	if ( !s->ellipsoids || a->ellipsoid_count == 0 || b->ellipsoid_count == 0 )
		return;
	run->parted = are_parted;
	run->marks_a = dbvhi_packed_marks_of( a );
	run->marks_b = dbvhi_packed_marks_of( b );
	run->context = s;
	const bool all =
	    s->fixed->options.ellipsoids == DBVH_ELLIPSOIDS_ALL || s->moved->options.ellipsoids == DBVH_ELLIPSOIDS_ALL;
	run->patience = all ? UINT32_MAX : dbvhi_packed_costs.patience;
	// As for `origin_error`: sums of products that are not larger than these, and than the extents.
	run->ellipsoid_margin =
	    0x1p-48 * ( size3( a->centre ) + size3( b->centre ) + size3( s->pose->pos ) + a->extent + b->extent );
}

// The double filter on up to eight candidates, then the exact decision where that is unsure. Returns true if the search
// is over.
static bool decide( dbvhi_hit_collector *s, dbvhi_triangle_kernel *filter, dbvhi_triangle_batch *batch,
                    const dbvhi_candidate *candidates, uint32_t count ) {
	for ( uint32_t lane = 0; lane < DBVHI_TRIANGLE_BATCH; ++lane ) {
		// Lanes beyond the last repeat it.
		const dbvhi_candidate c = candidates[lane < count ? lane : count - 1];
		const double *fixed = s->fixed->corners + 9 * (size_t)c.a, *moved = s->moved->corners + 9 * (size_t)c.b;
		for ( int k = 0; k < 9; ++k ) {
			batch->fixed[k][lane] = fixed[k];
			batch->moved[k][lane] = moved[k];
		}
	}
	filter( batch );
	for ( uint32_t lane = 0; lane < count; ++lane ) {
		const dbvhi_candidate c = candidates[lane];
		bool over = false;
		if ( batch->answer[lane] == DBVHI_BATCH_UNSURE ) {
			over = dbvhi_hit_collector_triangles( s, c.a, c.b );
		} else {
			s->counters.triangle_tests += 1;
			over = batch->answer[lane] == DBVHI_BATCH_MEET && dbvhi_hit_collector_found( s, c.a, c.b );
		}
		if ( over )
			return true;
	}
	return false;
}

bool dbvhi_packed_decide( dbvhi_hit_collector *s, const dbvhi_packed_run *run ) {
	dbvhi_triangle_kernel *filter = dbvhi_triangle_kernel_table[dbvhi_isa_level()];
	dbvhi_triangle_batch batch;
	memcpy( batch.rot, s->pose->rot, sizeof batch.rot );
	memcpy( batch.pos, s->pose->pos, sizeof batch.pos );
	if ( s->error < 0.0 )
		s->error = dbvhi_move_error( s->pose, s->moved->largest );
	batch.error = s->error;
	for ( uint32_t i = 0; i < run->candidate_count; i += DBVHI_TRIANGLE_BATCH ) {
		const uint32_t left = run->candidate_count - i;
		const uint32_t count = left < DBVHI_TRIANGLE_BATCH ? left : DBVHI_TRIANGLE_BATCH;
		if ( decide( s, filter, &batch, run->candidates + i, count ) )
			return true;
	}
	return false;
}

const char *dbvh_isa_name( void ) {
	return dbvhi_isa_current()->name;
}

dbvh_status dbvh_isa_select( const char *name, dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( dbvhi_isa_select( name ) )
		return DBVH_OK;
	return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT,
	                        "name is \"%.32s\", which is no instruction set that this machine and build have", name );
}

void dbvhi_packed_attach( dbvhi_packed_run *run, const dbvh_workspace *workspace ) {
	run->stack_a = workspace->packed_stack;
	run->stack_b = workspace->packed_stack + workspace->packed_capacity;
	run->stack_lanes = workspace->packed_stack + 2 * workspace->packed_capacity;
	run->leaf_a = workspace->leaf_queue;
	run->leaf_b = workspace->leaf_queue + DBVHI_LEAF_QUEUE;
	run->candidates = workspace->candidates;
	run->queue = workspace->box_queue;
	run->stack_cautious = (uint32_t)workspace->packed_cautious;
}

void dbvhi_packed_count( dbvh_counters *counters, const dbvhi_packed_run *run ) {
	counters->sphere_tests += 16 * run->node_tests;
	counters->box_tests += run->box_tests;
	counters->ellipsoid_tests += run->ellipsoid_tests;
}

void dbvhi_traverse_packed( dbvhi_hit_collector *search ) {
	dbvhi_packed_run run;
	dbvhi_packed_init( search, &run );
	search->counters.sphere_tests += 1;
	if ( dbvhi_packed_is_beyond( search, &run ) )
		return;
	dbvhi_packed_use_ellipsoids( search, &run );
	dbvhi_packed_attach( &run, search->workspace );
	run.stack_a[0] = 0;
	run.stack_b[0] = 0;
	run.stack_lanes[0] = 0xffff;
	run.stack_count = 1;
	dbvhi_collide_kernel *go_on = dbvhi_collide_kernel_table[dbvhi_isa_level()];
	bool over = false;
	while ( !over && go_on( &run ) )
		over = dbvhi_packed_decide( search, &run ) || !dbvhi_search_goes_on( search, &run );
	dbvhi_packed_count( &search->counters, &run );
}
