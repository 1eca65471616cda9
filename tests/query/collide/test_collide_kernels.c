// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Every kernel that this machine can run, one after the other in one process, against the reference tree and the scalar
// filter.

#define _POSIX_C_SOURCE 200112L // setenv()

#include "dualbvh/isa.h"
#include "exact/tri_tri.h"
#include "math/pose.h"
#include "query/collide/collide.h"
#include "query/collide/kernel.h"
#include "query/common/roots.h"
#include "simd/isa.h"
#include "support/environment.h"
#include "support/scene.h"
#include "support/triangles.h"
#include "support/unit.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t seed_default = 20261120;

static void put( dbvhi_triangle_batch *batch, int lane, const double a[9], const double b[9] ) {
	for ( int k = 0; k < 9; ++k ) {
		batch->fixed[k][lane] = a[k];
		batch->moved[k][lane] = b[k];
	}
}

// The batch filter gives the answers of the scalar one, lane by lane, whatever else is in the batch.
static void triangle_filters( void **state ) {
	(void)state;
	size_t isa_count;
	const dbvhi_isa *isa = dbvhi_isa_available( &isa_count );
	rng r = rng_announce( "kernels: triangles", seed_default );
	size_t answers[3] = { 0 };
	for ( int round = 0; round < 20000; ++round ) {
		dbvhi_triangle_batch batch;
		double a[DBVHI_TRIANGLE_BATCH][9], b[DBVHI_TRIANGLE_BATCH][9];
		const double angle = round % 3 == 0 ? 0.0 : rng_range( &r, 0.0, 6.3 );
		const double quaternion[4] = { 0.0, 0.6 * sin( angle ), 0.8 * sin( angle ), cos( angle ) };
		const double offset[3] = { rng_range( &r, -1, 1 ), rng_range( &r, -1, 1 ), rng_range( &r, -1, 1 ) };
		const dbvh_pose pose = dbvh_pose_from_quaternion( quaternion, offset );
		double largest = 0.0;
		for ( int lane = 0; lane < DBVHI_TRIANGLE_BATCH; ++lane ) {
			// Every third round has integers, for signs that are 0; some have very different sizes.
			const double scale = round % 5 == 1 ? ldexp( 1.0, (int)rng_below( &r, 600 ) - 300 ) : 1.0;
			for ( int k = 0; k < 9; ++k ) {
				a[lane][k] = round % 3 == 0 ? (double)rng_below( &r, 4 ) : scale * rng_range( &r, -1, 1 );
				b[lane][k] = round % 3 == 0 ? (double)rng_below( &r, 4 ) : scale * rng_range( &r, -1, 1 );
				largest = fmax( largest, fabs( b[lane][k] ) );
			}
			put( &batch, lane, a[lane], b[lane] );
		}
		memcpy( batch.rot, pose.rot, sizeof batch.rot );
		memcpy( batch.pos, pose.pos, sizeof batch.pos );
		batch.error = dbvhi_move_error( &pose, largest );
		for ( size_t i = 0; i < isa_count; ++i ) {
			dbvhi_triangle_kernel_table[isa[i].rank]( &batch );
			for ( int lane = 0; lane < DBVHI_TRIANGLE_BATCH; ++lane ) {
				double image[9];
				dbvhi_triangle_move( &pose, b[lane], image );
				const dbvhi_answer expected = dbvhi_triangles_filter( a[lane], image, batch.error );
				const double found = batch.answer[lane];
				// A filter may be less sure than the other, but never of the opposite.
				if ( expected == DBVHI_DISJOINT )
					assert_true( found == DBVHI_BATCH_APART || found == DBVHI_BATCH_UNSURE );
				if ( expected == DBVHI_INTERSECTING )
					assert_true( found == DBVHI_BATCH_MEET || found == DBVHI_BATCH_UNSURE );
				if ( found != DBVHI_BATCH_UNSURE && expected == DBVHI_UNSURE )
					assert_true( dbvhi_triangles_intersect_exact( a[lane], b[lane], image, &pose, batch.error ) ==
					             ( found == DBVHI_BATCH_MEET ) );
				answers[found == DBVHI_BATCH_APART ? 0 : found == DBVHI_BATCH_MEET ? 1 : 2] += 1;
			}
		}
	}
	printf( "kernels: %zu apart, %zu meet, %zu unsure\n", answers[0], answers[1], answers[2] );
	assert_outcomes( answers[0] > 1000 && answers[1] > 1000 && answers[2] > 1000 );
}

// A pair of triangles in a plane across an axis, or nearly: on a grid of few digits, on one of many, or anywhere.
static void make_flat( rng *r, int kind, double scale, double a[9], double b[9] ) {
	const int axis = (int)rng_below( r, 3 );
	const double height = kind % 3 == 0 ? 1.0 : rng_range( r, -1, 1 );
	const bool in_plane = rng_below( r, 4 ) > 0;
	for ( int k = 0; k < 18; ++k ) {
		double x = kind % 3 == 0   ? (double)rng_below( r, 5 )
		           : kind % 3 == 1 ? (double)rng_below( r, 7 ) / 7.0
		                           : rng_range( r, -1, 1 );
		if ( k % 3 == axis )
			x = in_plane ? height : height + 0x1p-50 * (double)rng_below( r, 3 );
		( k < 9 ? a : b )[k % 9] = scale * x;
	}
}

// Each answer of the filter for flat pairs is that of integers; on a grid in planes across an axis it answers more than
// half.
static void flat_filters( void **state ) {
	(void)state;
	size_t isa_count;
	const dbvhi_isa *isa = dbvhi_isa_available( &isa_count );
	rng r = rng_announce( "kernels: flat", seed_default + 2 );
	size_t answers[3] = { 0 }, grid_unsure = 0, grid_all = 0;
	for ( int round = 0; round < (int)rounds( 6000 ); ++round ) {
		const int kind = round % 6;
		// Moved along the axes, by a number of few digits or of many, or turned about an axis, by a right angle or not.
		const double axis[3] = { round % 7 == 0, round % 7 == 1, 1.0 }, size = kind < 3 ? 1.0 : 1.0 / 3.0;
		double at[3];
		for ( int k = 0; k < 3; ++k )
			at[k] = round % 5 < 2 ? 0.0 : size * (double)rng_below( &r, 3 );
		const bool by_right_angle = round % 7 > 1 && round % 4 == 3, is_turned = round % 4 == 2;
		const dbvh_pose pose = shape_pose( axis,
		                                   is_turned        ? rng_range( &r, 0, 360 )
		                                   : by_right_angle ? 90.0
		                                                    : 0.0,
		                                   at );
		const double scale = round % 11 == 10 ? ldexp( 1.0, (int)rng_below( &r, 2100 ) - 1074 ) : 1.0;
		dbvhi_triangle_batch batch;
		double a[DBVHI_TRIANGLE_BATCH][9], b[DBVHI_TRIANGLE_BATCH][9], largest = 0.0;
		for ( int lane = 0; lane < DBVHI_TRIANGLE_BATCH; ++lane ) {
			make_flat( &r, kind, scale, a[lane], b[lane] );
			put( &batch, lane, a[lane], b[lane] );
			for ( int k = 0; k < 9; ++k )
				largest = fmax( largest, fabs( b[lane][k] ) );
		}
		memcpy( batch.rot, pose.rot, sizeof batch.rot );
		memcpy( batch.pos, pose.pos, sizeof batch.pos );
		batch.error = dbvhi_move_error( &pose, largest );
		for ( size_t i = 0; i < isa_count; ++i ) {
			for ( int lane = 0; lane < DBVHI_TRIANGLE_BATCH; ++lane )
				batch.answer[lane] = lane == 7 ? DBVHI_BATCH_MEET : DBVHI_BATCH_UNSURE;
			dbvhi_flat_kernel_table[isa[i].rank]( &batch );
			assert_true( batch.answer[7] == DBVHI_BATCH_MEET ); // known before
			for ( int lane = 0; lane < 7; ++lane ) {
				double image[9];
				dbvhi_triangle_move( &pose, b[lane], image );
				const double found = batch.answer[lane];
				answers[found == DBVHI_BATCH_APART ? 0 : found == DBVHI_BATCH_MEET ? 1 : 2] += 1;
				const bool meet = dbvhi_triangles_intersect_exact( a[lane], b[lane], image, &pose, batch.error );
				if ( found != DBVHI_BATCH_UNSURE )
					assert_true( meet == ( found == DBVHI_BATCH_MEET ) );
				const bool on_grid = kind == 0 && round % 5 == 0 && round % 4 < 2 && scale == 1.0;
				grid_all += on_grid;
				grid_unsure += on_grid && found == DBVHI_BATCH_UNSURE;
			}
		}
	}
	printf( "kernels: flat: %zu apart, %zu meet, %zu unsure; on a grid %zu of %zu unsure\n", answers[0], answers[1],
	        answers[2], grid_unsure, grid_all );
	assert_outcomes( answers[0] > 1000 && answers[1] > 1000 && answers[2] > 1000 );
	// The unsure ones are off the plane, or have no area.
	assert_outcomes( 2 * grid_unsure < grid_all );
}

// Turned by steps of 30 degrees about two axes, as benches and assemblies place parts: faces that were drawn in one
// plane are off it by roundings.
static dbvh_pose turned_pose( rng *r ) {
	const double z[3] = { 0, 0, 1 }, x[3] = { 1, 0, 0 }, nowhere[3] = { 0, 0, 0 };
	const double third = rng_below( r, 2 ) ? 1.0 / 3.0 : 0.0;
	const double at[3] = { third * (double)rng_below( r, 2 ), 2.0 * third * (double)rng_below( r, 2 ), third };
	// Every third pose is turned by right angles, or not at all.
	const double step = rng_below( r, 3 ) ? 30.0 : 90.0, count = 360.0 / step;
	const dbvh_pose first = shape_pose( z, step * (double)rng_below( r, (uint64_t)count ), nowhere ),
	                second = shape_pose( x, step * (double)rng_below( r, (uint64_t)count ), at );
	dbvh_pose out = second;
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			out.rot[i][j] = second.rot[i][0] * first.rot[0][j] + second.rot[i][1] * first.rot[1][j] +
			                second.rot[i][2] * first.rot[2][j];
	}
	return out;
}

// Two triangles of one plane after the pose, but for roundings; `kind` 0: of corners on a grid, which are often the
// same or on one line, 1: of corners anywhere, 2: not of one plane.
static void make_turned( rng *r, int kind, const dbvh_pose *pose, double scale, double a[9], double b[9] ) {
	const int axis = (int)rng_below( r, 3 );
	const double height = rng_below( r, 2 ) ? 0.5 : rng_range( r, -1, 1 );
	for ( int corner = 0; corner < 6; ++corner ) {
		double p[3];
		for ( int k = 0; k < 3; ++k )
			p[k] = kind % 3 == 0 ? (double)rng_below( r, 4 ) / 3.0 : rng_range( r, -1, 1 );
		if ( kind < 2 )
			p[axis] = height;
		for ( int k = 0; k < 3; ++k ) {
			if ( corner < 3 )
				a[3 * corner + k] = scale * p[k];
			else
				b[3 * ( corner - 3 ) + k] =
				    scale * ( pose->rot[0][k] * ( p[0] - pose->pos[0] ) + pose->rot[1][k] * ( p[1] - pose->pos[1] ) +
				              pose->rot[2][k] * ( p[2] - pose->pos[2] ) );
		}
	}
}

typedef struct fine_lanes {
	dbvh_pose pose;
	double a[DBVHI_TRIANGLE_BATCH][9], b[DBVHI_TRIANGLE_BATCH][9];
} fine_lanes;

// Counted for every instruction set.
typedef struct fine_tally {
	size_t apart, meet, unsure;
	size_t all, all_meet, all_unsure; // answers of integers, and pairs that the scalar filter leaves unsure
} fine_tally;

// Each answer of the filter in pairs of doubles is that of integers, on every instruction set.
static void ask_fine( const fine_lanes *lanes, fine_tally *counts ) {
	size_t isa_count;
	const dbvhi_isa *isa = dbvhi_isa_available( &isa_count );
	dbvhi_triangle_batch batch;
	double largest = 0.0;
	for ( int lane = 0; lane < DBVHI_TRIANGLE_BATCH; ++lane ) {
		put( &batch, lane, lanes->a[lane], lanes->b[lane] );
		for ( int k = 0; k < 9; ++k )
			largest = fmax( largest, fabs( lanes->b[lane][k] ) );
	}
	memcpy( batch.rot, lanes->pose.rot, sizeof batch.rot );
	memcpy( batch.pos, lanes->pose.pos, sizeof batch.pos );
	batch.error = dbvhi_move_error( &lanes->pose, largest );
	bool meet[DBVHI_TRIANGLE_BATCH];
	for ( int lane = 0; lane < 7; ++lane ) {
		const double *a = lanes->a[lane], *b = lanes->b[lane];
		double image[9];
		dbvhi_triangle_move( &lanes->pose, b, image );
		meet[lane] = dbvhi_triangles_intersect_exact( a, b, image, &lanes->pose, batch.error );
		counts->all += isa_count;
		counts->all_meet += meet[lane] ? isa_count : 0;
		counts->all_unsure += dbvhi_triangles_filter( a, image, batch.error ) == DBVHI_UNSURE ? isa_count : 0;
	}
	for ( size_t i = 0; i < isa_count; ++i ) {
		for ( int lane = 0; lane < DBVHI_TRIANGLE_BATCH; ++lane )
			batch.answer[lane] = lane == 7 ? DBVHI_BATCH_APART : DBVHI_BATCH_UNSURE;
		dbvhi_fine_kernel_table[isa[i].rank]( &batch );
		assert_true( batch.answer[7] == DBVHI_BATCH_APART ); // known before
		for ( int lane = 0; lane < 7; ++lane ) {
			const double found = batch.answer[lane];
			*( found == DBVHI_BATCH_APART  ? &counts->apart
			   : found == DBVHI_BATCH_MEET ? &counts->meet
			                               : &counts->unsure ) += 1;
			if ( found != DBVHI_BATCH_UNSURE )
				assert_true( meet[lane] == ( found == DBVHI_BATCH_MEET ) );
		}
	}
}

// On faces that were turned into one plane the filter in pairs of doubles answers nearly all, if corners are anywhere.
static void fine_filters( void **state ) {
	(void)state;
	rng r = rng_announce( "kernels: fine", seed_default + 3 );
	fine_tally anywhere = { 0 }, other = { 0 };
	for ( int round = 0; round < (int)rounds( 4000 ); ++round ) {
		const int kind = round % 4;
		fine_lanes lanes = { .pose = turned_pose( &r ) };
		const double scale = round % 7 == 6 ? ldexp( 1.0, (int)rng_below( &r, 600 ) - 300 ) : 1.0;
		for ( int lane = 0; lane < DBVHI_TRIANGLE_BATCH; ++lane )
			make_turned( &r, kind, &lanes.pose, scale, lanes.a[lane], lanes.b[lane] );
		for ( int k = 0; k < 3; ++k )
			lanes.pose.pos[k] *= scale;
		ask_fine( &lanes, kind % 3 > 0 && scale == 1.0 ? &anywhere : &other );
	}
	printf( "kernels: fine: %zu apart, %zu meet, %zu unsure; of %zu of corners anywhere %zu were unsure, %zu are\n",
	        anywhere.apart + other.apart, anywhere.meet + other.meet, anywhere.unsure + other.unsure, anywhere.all,
	        anywhere.all_unsure, anywhere.unsure );
	assert_outcomes( anywhere.apart + other.apart > 1000 && anywhere.meet + other.meet > 1000 && other.unsure > 0 );
	assert_outcomes( 4 * anywhere.all_unsure > anywhere.all && 100 * anywhere.unsure < anywhere.all );
}

// The corners in another order.
static void shuffle_corners( rng *r, double t[9] ) {
	double from[9];
	memcpy( from, t, sizeof from );
	const int first = (int)rng_below( r, 3 ), step = 1 + (int)rng_below( r, 2 );
	for ( int corner = 0; corner < 3; ++corner )
		memcpy( &t[3 * corner], &from[3 * ( ( first + step * corner ) % 3 )], 3 * sizeof *t );
}

// Upright, with one corner at this point of the plane z = 0 and the others above and below it.
static void make_upright( rng *r, double x, double y, double t[9] ) {
	const double at[9] = { x, y, 0.0, x + rng_range( r, -1, 1 ), y + rng_range( r, -1, 1 ), rng_range( r, 0.5, 1 ),
	                       x, y, 0.0 };
	memcpy( t, at, sizeof at );
	t[6] += rng_range( r, -1, 1 );
	t[7] += rng_range( r, -1, 1 );
	t[8] = rng_below( r, 4 ) ? rng_range( r, -1, -0.5 ) : 0.0;
}

// 2^-118 to 2^-122, or its negative: what is added to anything else is lost.
static double speck( rng *r ) {
	return ldexp( rng_below( r, 2 ) ? 1.0 : -1.0, -118 - (int)rng_below( r, 5 ) );
}

// Turned about z by numbers of few digits. Of the corners on the line from x = 1 to x = 1.5 the lower halves of the
// products and of the sums cancel but for a speck, which is lost: an edge that seems to go through numbers of few
// digits, where a corner of the other triangle is, passes it by.
static void make_cancelling( rng *r, fine_lanes *out ) {
	const double r0 = 5.0 / 8.0, r1 = rint( 0x1p24 * sqrt( 1.0 - r0 * r0 ) ) * 0x1p-24, x = 1.0 + 0x1p-52;
	out->pose = ( dbvh_pose ){ .rot = { { r0, -r1, 0 }, { r1, r0, 0 }, { 0, 0, 1 } },
	                           .pos = { -fma( r0, x, -( r0 * x ) ), -fma( r1, x, -( r1 * x ) ), 0 } };
	for ( int lane = 0; lane < DBVHI_TRIANGLE_BATCH; ++lane ) {
		const double b[9] = { x, speck( r ), 0, x + 0.5, speck( r ), 0, x, rng_below( r, 2 ) ? 0.25 : -0.25, 0 };
		memcpy( out->b[lane], b, sizeof b );
		const double between = 1.0 + (double)( 1 + rng_below( r, 3 ) ) / 8.0;
		make_upright( r, r0 * between + 0x1p-53, r1 * between + 0x1p-52, out->a[lane] );
	}
}

// Moved by 2^-54, which is the lower half of what comes to 1: beside that the specks of the other corners are lost.
static void make_halved( rng *r, fine_lanes *out ) {
	const double small = 0x1p-54;
	out->pose = dbvh_pose_identity();
	out->pose.pos[0] = out->pose.pos[1] = small;
	for ( int lane = 0; lane < DBVHI_TRIANGLE_BATCH; ++lane ) {
		const bool below = rng_below( r, 2 );
		const double b[9] = { speck( r ), speck( r ), 0, 1, 1, 0, below, !below, 0 };
		memcpy( out->b[lane], b, sizeof b );
		make_upright( r, 0.25 + small, 0.25 + small, out->a[lane] );
	}
}

// A corner of the one is where a corner of the other is moved to, all but at 0, up to the last bits that a pair of
// doubles has, or a little more. `flat`: in the plane z = 0.
static void make_tips( rng *r, bool flat, fine_lanes *out ) {
	double quaternion[4] = { 0 }, tip[3];
	const double nowhere[3] = { 0, 0, 0 };
	for ( int k = flat ? 2 : 0; k < 4; ++k )
		quaternion[k] = rng_range( r, 0.1, 1 );
	out->pose = dbvh_pose_from_quaternion( quaternion, nowhere );
	for ( int k = 0; k < 3; ++k )
		tip[k] = flat && k == 2 ? 0.0 : rng_range( r, 0.1, 1 );
	double left[3];
	for ( int k = 0; k < 3; ++k ) {
		const double *row = out->pose.rot[k];
		double sum = 0.0, low = 0.0;
		for ( int j = 0; j < 3; ++j ) {
			const double product = row[j] * tip[j], next = sum + product, back = next - sum;
			low += fma( row[j], tip[j], -product ) + ( ( sum - ( next - back ) ) + ( product - back ) );
			sum = next;
		}
		out->pose.pos[k] = -sum;
		left[k] = low;
	}
	for ( int lane = 0; lane < DBVHI_TRIANGLE_BATCH; ++lane ) {
		for ( int k = 0; k < 9; ++k ) {
			const bool level = flat && k % 3 == 2;
			out->a[lane][k] = level ? 0.0 : rng_range( r, -1, 1 );
			out->b[lane][k] = level ? 0.0 : rng_range( r, -1, 1 );
		}
		memcpy( out->b[lane], tip, sizeof tip );
		const int last = rng_below( r, 2 ) ? -52 : -52 + (int)rng_below( r, 24 );
		for ( int k = 0; k < 3; ++k )
			out->a[lane][k] = left[k] * ( 1.0 + ldexp( (double)rng_below( r, 5 ) - 2.0, last ) );
	}
}

// A corner that is off a line or plane by less than pairs of doubles resolve is not reported on one side, or touching.
static void last_bits( void **state ) {
	(void)state;
	static const char *const name[] = { "cancelling", "halved", "tips", "flat tips" };
	rng r = rng_announce( "kernels: last bits", seed_default + 6 );
	fine_tally counts[4] = { { 0 } };
	for ( int round = 0; round < (int)rounds( 2000 ); ++round ) {
		const int kind = round % 4;
		fine_lanes lanes;
		if ( kind == 0 )
			make_cancelling( &r, &lanes );
		else if ( kind == 1 )
			make_halved( &r, &lanes );
		else
			make_tips( &r, kind == 3, &lanes );
		for ( int lane = 0; lane < DBVHI_TRIANGLE_BATCH; ++lane ) {
			shuffle_corners( &r, lanes.a[lane] );
			shuffle_corners( &r, lanes.b[lane] );
		}
		ask_fine( &lanes, &counts[kind] );
	}
	for ( int kind = 0; kind < 4; ++kind ) {
		const fine_tally *t = &counts[kind];
		printf( "kernels: last bits: %s: of %zu, %zu of which meet, %zu are apart, %zu meet, %zu are unsure\n",
		        name[kind], t->all, t->all_meet, t->apart, t->meet, t->unsure );
		assert_true( 10 * t->all_meet > t->all && 10 * ( t->all - t->all_meet ) > t->all );
		assert_true( t->apart + t->meet > 0 && t->unsure > 0 );
	}
}

static dbvh_tree *valid_tree_of( const shape *s ) {
	dbvh_tree *tree = tree_of( s, &keeps_reference );
	assert_int_equal( dbvh_tree_validate( tree, NULL ), DBVH_OK );
	return tree;
}

// One kernel checks a pose and compares the roots: it says of the pose what the check by itself says, bit by bit, on
// every instruction set.
static void poses_at_the_roots( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_box( &s, 1.0, 0.5, 0.25, 1 );
	dbvh_tree *const tree = valid_tree_of( &s );
	const dbvhi_node *root = dbvhi_tree_root( tree );
	size_t isa_count, refused = 0, near = 0, apart = 0;
	const dbvhi_isa *isa = dbvhi_isa_available( &isa_count );
	rng r = rng_announce( "kernels: poses", seed_default + 4 );
	static const double odd[] = { NAN, INFINITY, -INFINITY, 0x1p59, -1.0, 0.0, DBL_MAX };
	for ( int round = 0; round < (int)rounds( 4000 ); ++round ) {
		double quaternion[4], at[3];
		for ( int k = 0; k < 4; ++k )
			quaternion[k] = rng_range( &r, -1, 1 );
		for ( int k = 0; k < 3; ++k )
			at[k] = rng_range( &r, -2, 2 );
		dbvh_pose pose = dbvh_pose_from_quaternion( quaternion, at );
		if ( round % 4 == 1 )
			pose.rot[rng_below( &r, 3 )][rng_below( &r, 3 )] +=
			    ldexp( rng_range( &r, -1, 1 ), -(int)rng_below( &r, 40 ) );
		if ( round % 4 == 2 )
			*( rng_below( &r, 2 ) ? &pose.rot[rng_below( &r, 3 )][rng_below( &r, 3 )]
			                      : &pose.pos[rng_below( &r, 3 )] ) = odd[rng_below( &r, 7 )];
		for ( int k = 0; round % 8 == 3 && k < 3; ++k )
			pose.rot[k][2] = -pose.rot[k][2];
		double expected;
		const dbvh_status status = dbvhi_pose_check( &pose, &expected );
		const bool far = fabs( pose.pos[0] ) + fabs( pose.pos[1] ) + fabs( pose.pos[2] ) > DBVHI_PACKED_REACH;
		dbvh_collide_result result = { 0 };
		const dbvh_collide_query query = { .policy = DBVH_POLICY_RAPID };
		if ( status == DBVH_OK )
			assert_int_equal( dbvh_collide( tree, NULL, tree, &pose, &query, NULL, &result, NULL ), DBVH_OK );
		for ( size_t i = 0; i < isa_count; ++i ) {
			double deviation = -1.0;
			const dbvhi_roots roots = dbvhi_roots_kernel_table[isa[i].rank]( root, root, &pose, 0.0, &deviation );
			assert_int_equal( roots == DBVHI_ROOTS_REFUSED, status != DBVH_OK || far );
			refused += roots == DBVHI_ROOTS_REFUSED;
			if ( roots == DBVHI_ROOTS_REFUSED )
				continue;
			assert_memory_equal( &deviation, &expected, sizeof expected );
			near += dbvhi_roots_near( roots );
			apart += dbvhi_roots_disjoint( roots );
			assert_true( !dbvhi_roots_disjoint( roots ) || result.verdict == DBVH_DISJOINT );
		}
	}
	printf( "kernels: poses: %zu refused, %zu near, %zu apart\n", refused, near, apart );
	assert_outcomes( refused > 100 && near > 100 && apart > 100 );
	dbvh_tree_destroy( tree );
	shape_free( &s );
}

// Do any two of the triangles of a mesh and of its copy intersect? By the question about two triangles alone.
static bool any_intersect( const dbvh_mesh_view *view, const dbvh_pose *pose ) {
	const double *p = view->positions;
	const uint32_t *corner = view->indices;
	for ( size_t pair = 0; pair < view->triangle_count * view->triangle_count; ++pair ) {
		const size_t t[2] = { pair % view->triangle_count, pair / view->triangle_count };
		dbvh_triangle triangle[2];
		for ( int k = 0; k < 9; ++k ) {
			for ( int side = 0; side < 2; ++side )
				memcpy( (char *)&triangle[side] + sizeof( double ) * (size_t)k,
				        &p[3 * corner[3 * t[side] + (size_t)k / 3] + (size_t)k % 3], sizeof( double ) );
		}
		bool intersect;
		assert_int_equal( dbvh_triangles_intersect( &triangle[0], &triangle[1], pose, &intersect, NULL ), DBVH_OK );
		if ( intersect )
			return true;
	}
	return false;
}

// Turned at random and moved so that a corner comes to a face, up to the last bits of the way, which is long: the mesh
// is far from where its coordinates begin.
static dbvh_pose touching_pose( rng *r, const dbvh_mesh_view *view ) {
	const double *p = view->positions;
	const double nowhere[3] = { 0 };
	double quaternion[4], low[3], high[3], least = INFINITY, turned[3] = { 0 };
	for ( int k = 0; k < 4; ++k )
		quaternion[k] = rng_range( r, -1, 1 );
	dbvh_pose pose = dbvh_pose_from_quaternion( quaternion, nowhere );
	const int across = (int)rng_below( r, 3 );
	for ( int k = 0; k < 3; ++k )
		low[k] = high[k] = p[k];
	for ( size_t i = 0; i < view->vertex_count; ++i, p += 3 ) {
		double to[3];
		for ( int k = 0; k < 3; ++k ) {
			to[k] = pose.rot[k][0] * p[0] + pose.rot[k][1] * p[1] + pose.rot[k][2] * p[2];
			low[k] = fmin( low[k], p[k] );
			high[k] = fmax( high[k], p[k] );
		}
		if ( to[across] < least ) {
			least = to[across];
			memcpy( turned, to, sizeof turned );
		}
	}
	for ( int k = 0; k < 3; ++k )
		pose.pos[k] = ( k == across ? high[k] : rng_range( r, low[k], high[k] ) ) - turned[k];
	const uint64_t step = rng_below( r, 3 );
	if ( step > 0 )
		pose.pos[across] = nextafter( pose.pos[across], step == 1 ? -INFINITY : INFINITY );
	return pose;
}

// The boxes of roots that touch, or all but, are not told apart.
static void roots_that_touch( void **state ) {
	(void)state;
	shape box = { 0 }, far = { 0 };
	shape_add_box( &box, 1.0, 0.5, 0.25, 1 );
	const dbvh_mesh_view near_view = shape_view( &box );
	const double *p = near_view.positions;
	const uint32_t *corner = near_view.indices;
	for ( size_t i = 0; i < near_view.vertex_count; ++i, p += 3 )
		shape_vertex( &far, p[0] + 1000.0, p[1] - 2000.0, p[2] + 3000.0 );
	for ( size_t t = 0; t < near_view.triangle_count; ++t, corner += 3 )
		shape_triangle( &far, corner[0], corner[1], corner[2] );
	const dbvh_mesh_view view = shape_view( &far );
	dbvh_tree *const tree = valid_tree_of( &far );
	const dbvhi_node *root = dbvhi_tree_root( tree );
	size_t isa_count, meet = 0, all = 0;
	const dbvhi_isa *isa = dbvhi_isa_available( &isa_count );
	rng r = rng_announce( "kernels: touching roots", seed_default + 7 );
	for ( ; all < rounds( 400 ); ++all ) {
		const dbvh_pose pose = touching_pose( &r, &view );
		if ( !any_intersect( &view, &pose ) )
			continue;
		meet += 1;
		for ( size_t i = 0; i < isa_count; ++i ) {
			double deviation = -1.0;
			assert_true(
			    dbvhi_roots_near( dbvhi_roots_kernel_table[isa[i].rank]( root, root, &pose, 0.0, &deviation ) ) );
		}
	}
	printf( "kernels: touching roots: %zu of %zu meet\n", meet, all );
	assert_outcomes( 8 * meet > all && 8 * ( all - meet ) > all );
	dbvh_tree_destroy( tree );
	shape_free( &box );
	shape_free( &far );
}

// A frame round a square hole.
static void add_frame( shape *s ) {
	for ( int side = 0; side < 4; ++side ) {
		const double far = side % 2 == 0 ? 0.75 : -0.75, axis[3] = { 0, 0, 1 };
		const size_t first = s->vertex_count;
		const double at[3] = { side < 2 ? far : 0.0, side < 2 ? 0.0 : far, 0.0 };
		shape_add_box( s, 0.25, 1.0, 0.125, 3 );
		const dbvh_pose pose = shape_pose( axis, side < 2 ? 0.0 : 90.0, at );
		shape_place( s, first, &pose );
	}
}

// Plates whose roots lie on each other, somewhere: where a search for one contact begins with a guess, which may be
// wrong.
static void plates_that_touch( void **state ) {
	(void)state;
	shape frame = { 0 }, plate = { 0 };
	add_frame( &frame );
	shape_add_box( &plate, 0.25, 0.125, 0.0625, 4 );
	dbvh_tree *const a = valid_tree_of( &frame ), *const b = valid_tree_of( &plate );
	size_t isa_count, meet = 0, touching = 0, all = 0;
	const dbvhi_isa *isa = dbvhi_isa_available( &isa_count );
	rng r = rng_announce( "kernels: plates that touch", seed_default + 8 );
	for ( ; all < rounds( 200 ); ++all ) {
		const double up[3] = { 0, 0, 1 }, at[3] = { rng_range( &r, -1.2, 1.2 ), rng_range( &r, -1.2, 1.2 ), 0.1875 };
		const dbvh_pose pose = shape_pose( up, 15.0 * (double)rng_below( &r, 24 ), at );
		const dbvh_collide_query query = { .policy = DBVH_POLICY_RAPID };
		dbvh_collide_result expected, result;
		assert_int_equal( dbvh_collide( a, NULL, b, &pose, &query, NULL, &expected, NULL ), DBVH_OK );
		meet += expected.verdict == DBVH_INTERSECTING;
		for ( size_t i = 0; i < isa_count; ++i ) {
			double deviation = -1.0;
			touching += dbvhi_roots_kernel_table[isa[i].rank]( dbvhi_tree_root( a ), dbvhi_tree_root( b ), &pose, 0.0,
			                                                   &deviation ) == DBVHI_ROOTS_TOUCHING;
			assert_int_equal( dbvh_isa_select( isa[i].name, NULL ), DBVH_OK );
			assert_int_equal( dbvh_collide( a, NULL, b, &pose, NULL, NULL, &result, NULL ), DBVH_OK );
			assert_int_equal( result.verdict, expected.verdict );
		}
		assert_int_equal( dbvh_isa_select( NULL, NULL ), DBVH_OK );
	}
	printf( "kernels: plates that touch: %zu of %zu meet\n", meet, all );
	assert_outcomes( 4 * meet > all && 16 * ( all - meet ) > all && 2 * touching > isa_count * all );
	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
	shape_free( &frame );
	shape_free( &plate );
}

// A search for all pairs on the ladder: each rung is asked no more than the one before, and some of them all, down to
// the exact decision. The pairs are as many as on the reference trees.
static void every_rung_is_asked( void **state ) {
	(void)state;
	shape plate = { 0 };
	shape_add_box( &plate, 1.0, 1.0, 0.0625, 6 );
	dbvh_tree *const tree = valid_tree_of( &plate );
	dbvh_workspace *workspace = NULL;
	assert_int_equal( dbvh_workspace_create( NULL, &workspace, NULL ), DBVH_OK );
	assert_int_equal( dbvh_workspace_reserve( workspace, tree, tree, 0, NULL ), DBVH_OK );
	rng r = rng_announce( "kernels: rungs", seed_default + 9 );
	size_t asked[DBVHI_RUNG_COUNT] = { 0 }, exact = 0, all = 0;
	for ( size_t i = 0; i < rounds( 200 ); ++i ) {
		const double up[3] = { 0, 0, 1 }, third = 1.0 / 3.0;
		const double at[3] = { third * (double)rng_below( &r, 3 ), third * (double)rng_below( &r, 3 ),
		                       i % 4 == 0 ? 0.1 : 0.125 };
		const dbvh_pose pose = shape_pose( up, 15.0 * (double)rng_below( &r, 24 ), at );
		const dbvh_collide_query query = { .find = DBVH_FIND_ALL, .policy = DBVH_POLICY_RAPID };
		dbvh_collide_result expected;
		assert_int_equal( dbvh_collide( tree, NULL, tree, &pose, &query, NULL, &expected, NULL ), DBVH_OK );
		dbvhi_pair_search search = { .find_all = true, .workspace = workspace, .lowest_key = UINT64_MAX };
		assert_int_equal( dbvhi_mesh_pair_init( &search.meshes, tree, NULL, tree, &pose ), DBVH_OK );
		dbvhi_pair_search_begin( &search );
		dbvhi_traverse_packed( &search, NULL );
		assert_int_equal( search.key_count, expected.pair_count );
		for ( uint32_t rung = 0; rung < DBVHI_RUNG_COUNT; ++rung ) {
			assert_true( rung == 0 || search.rung_batches[rung] <= search.rung_batches[rung - 1] );
			asked[rung] += search.rung_batches[rung];
		}
		exact += search.counters.exact_tests;
		all += search.key_count;
	}
	printf( "kernels: rungs: of %zu pairs %zu, %zu and %zu batches on the rungs, %zu pairs exactly\n", all, asked[0],
	        asked[1], asked[2], exact );
	assert_outcomes( asked[DBVHI_RUNG_FINE] > 0 && exact > 0 );
	dbvh_workspace_destroy( workspace );
	dbvh_tree_destroy( tree );
	shape_free( &plate );
}

// A gear, turned as a whole unless `turn` is NULL.
static dbvh_tree *gear_of( const dbvh_pose *turn, double *height_out ) {
	shape gear = { 0 }, turned = { 0 };
	const shape_gear wheel = shape_gear_default();
	shape_add_gear( &gear, &wheel );
	const dbvh_mesh_view view = shape_view( &gear );
	const double *p = view.positions;
	const uint32_t *corner = view.indices;
	double top = -INFINITY, bottom = INFINITY;
	for ( size_t i = 0; i < view.vertex_count; ++i, p += 3 ) {
		double q[3] = { p[0], p[1], p[2] };
		top = fmax( top, p[2] );
		bottom = fmin( bottom, p[2] );
		for ( int k = 0; turn != NULL && k < 3; ++k )
			q[k] = turn->rot[k][0] * p[0] + turn->rot[k][1] * p[1] + turn->rot[k][2] * p[2];
		shape_vertex( &turned, q[0], q[1], q[2] );
	}
	for ( size_t t = 0; t < view.triangle_count; ++t, corner += 3 )
		shape_triangle( &turned, corner[0], corner[1], corner[2] );
	dbvh_tree *const tree = valid_tree_of( &turned );
	*height_out = top - bottom;
	shape_free( &gear );
	shape_free( &turned );
	return tree;
}

// The box about a whole mesh is flush with its faces, however it lies in its file: two gears one on the other, with a
// millionth of their height between them, are told apart by their boxes.
static void stacks( void **state ) {
	(void)state;
	rng r = rng_announce( "kernels: stacks", seed_default + 5 );
	for ( int round = 0; round < 8; ++round ) {
		double quaternion[4];
		for ( int k = 0; k < 4; ++k )
			quaternion[k] = rng_range( &r, -1, 1 );
		const double nowhere[3] = { 0 };
		const dbvh_pose turn = round == 0 ? dbvh_pose_identity() : dbvh_pose_from_quaternion( quaternion, nowhere );
		double height;
		dbvh_tree *const tree = gear_of( &turn, &height );
		dbvh_pose above = dbvh_pose_identity();
		for ( int k = 0; k < 3; ++k )
			above.pos[k] = height * ( 1.0 + 1e-6 ) * turn.rot[k][2];
		dbvh_collide_result result;
		assert_int_equal( dbvh_collide( tree, NULL, tree, &above, NULL, NULL, &result, NULL ), DBVH_OK );
		assert_int_equal( result.verdict, DBVH_DISJOINT );
		assert_int_equal( result.counters.box_tests, 1 );
		dbvh_tree_destroy( tree );
	}
}

#define ROOM 100000

// The complete list of pairs, and the verdict of the first contact, on every kernel and on the reference tree.
static void whole_queries( void **state ) {
	(void)state;
	enum { MESHES = 6 };
	shape s[MESHES] = { 0 };
	shape_add_sphere( &s[0], 1.0, 60, 40 );
	shape_add_torus( &s[1], 1.0, 0.3, 70, 30 );
	shape_add_box( &s[2], 1.0, 0.5, 0.25, 8 );
	shape_add_box( &s[3], 0.01, 0.01, 0.02, 1 ); // far smaller than its partners
	// Meshes of one node, as large as their partners and larger: all of their leaves count.
	shape_add_box( &s[4], 0.9, 0.7, 0.5, 1 );
	rng r = rng_announce( "kernels: queries", seed_default + 1 );
	add_soup( &s[5], &r, 14, 2.5, 0.0, false );
	dbvh_tree *tree[MESHES];
	for ( int i = 0; i < MESHES; ++i )
		tree[i] = valid_tree_of( &s[i] );

	size_t isa_count;
	const dbvhi_isa *isa = dbvhi_isa_available( &isa_count );
	for ( size_t i = 0; i < isa_count; ++i )
		printf( "kernels: %s\n", isa[i].name );
	dbvh_pair *expected = malloc( ROOM * sizeof *expected ), *found = malloc( ROOM * sizeof *found );
	assert_true( expected != NULL && found != NULL );
	dbvh_workspace *workspace = NULL;
	assert_int_equal( dbvh_workspace_create( NULL, &workspace, NULL ), DBVH_OK );
	size_t meeting = 0, apart = 0, pairs = 0;
	for ( int round = 0; round < 600; ++round ) {
		const dbvh_tree *a = tree[rng_below( &r, MESHES )], *b = tree[rng_below( &r, MESHES )];
		double quaternion[4], offset[3];
		for ( int k = 0; k < 4; ++k )
			quaternion[k] = rng_range( &r, -1, 1 );
		for ( int k = 0; k < 3; ++k )
			offset[k] = rng_range( &r, -1.2, 1.2 );
		const dbvh_pose pose = dbvh_pose_from_quaternion( quaternion, offset );
		dbvh_collide_query query = {
		    .find = DBVH_FIND_ALL, .policy = DBVH_POLICY_RAPID, .pairs = expected, .pair_capacity = ROOM };
		dbvh_collide_result wanted, got;
		assert_int_equal( dbvh_collide( a, NULL, b, &pose, &query, workspace, &wanted, NULL ), DBVH_OK );
		assert_true( wanted.pair_count <= ROOM );
		query.policy = DBVH_POLICY_PACKED;
		query.pairs = found;
		for ( size_t i = 0; i < isa_count; ++i ) {
			assert_int_equal( dbvh_isa_select( isa[i].name, NULL ), DBVH_OK );
			assert_string_equal( dbvh_isa_name(), isa[i].name );
			assert_int_equal( dbvh_collide( a, NULL, b, &pose, &query, workspace, &got, NULL ), DBVH_OK );
			assert_int_equal( got.verdict, wanted.verdict );
			assert_int_equal( got.pair_count, wanted.pair_count );
			assert_int_equal( memcmp( expected, found, wanted.pair_count * sizeof *found ), 0 );
			assert_int_equal( dbvh_collide( a, NULL, b, &pose, NULL, workspace, &got, NULL ), DBVH_OK );
			assert_int_equal( got.verdict, wanted.verdict );
		}
		meeting += wanted.verdict == DBVH_INTERSECTING;
		apart += wanted.verdict == DBVH_DISJOINT;
		pairs += wanted.pair_count;
	}
	printf( "kernels: %zu meeting, %zu apart, %zu pairs on each of %zu kernels\n", meeting, apart, pairs, isa_count );
	assert_outcomes( meeting > 100 && apart > 100 );
	assert_int_equal( dbvh_isa_select( "abacus", NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_isa_select( NULL, NULL ), DBVH_OK );
	dbvh_workspace_destroy( workspace );
	free( expected );
	free( found );
	for ( int i = 0; i < MESHES; ++i ) {
		dbvh_tree_destroy( tree[i] );
		shape_free( &s[i] );
	}
}

// A mesh of one node is compared as a whole with one of many, but not where its sphere's centre is farther from the
// centre of the packed form than the margin of positions allows for.
static void roots_as_wholes( void **state ) {
	(void)state;
	shape sphere = { 0 }, box = { 0 };
	shape_add_sphere( &sphere, 1.0, 20, 10 );
	shape_add_box( &box, 0.9, 0.7, 0.5, 1 );
	dbvh_tree *const large = valid_tree_of( &sphere ), *const small = valid_tree_of( &box );
	dbvh_workspace *workspace = NULL;
	assert_int_equal( dbvh_workspace_create( NULL, &workspace, NULL ), DBVH_OK );
	assert_int_equal( dbvhi_workspace_require( workspace, large, small, 0 ), DBVH_OK );
	for ( int case_of = 0; case_of < 4; ++case_of ) {
		const bool is_moved = case_of % 2 == 0, is_far = case_of >= 2;
		const dbvh_tree *a = is_moved ? large : small, *b = is_moved ? small : large;
		const dbvh_pose pose = shape_pose( ( double[3] ){ 1, 2, 3 }, 40.0, ( double[3] ){ 0.5, 0.4, 0.3 } );
		dbvhi_mesh_pair meshes;
		assert_int_equal( dbvhi_mesh_pair_init( &meshes, a, NULL, b, &pose ), DBVH_OK );
		dbvhi_packed_run run;
		dbvhi_whole room;
		dbvhi_packed_init( &meshes, &run );
		dbvhi_packed_attach( &run, workspace );
		small->root.sphere_inside.v[0] += is_far ? 2.0 : 0.0;
		dbvhi_packed_push_roots( &meshes, &run, &room );
		small->root.sphere_inside.v[0] -= is_far ? 2.0 : 0.0;
		assert_int_equal( run.stack_lanes[0], is_far ? 0xffff : is_moved ? 0xf : 0x1111 );
		assert_int_equal( run.whole_a + run.whole_b, is_far ? 0 : small->packed->leaf_count );
	}
	dbvh_workspace_destroy( workspace );
	dbvh_tree_destroy( large );
	dbvh_tree_destroy( small );
	shape_free( &sphere );
	shape_free( &box );
}

// A value of DBVH_ISA that names no set is ignored.
static void unknown_names( void **state ) {
	(void)state;
	static const char *const values[] = { "bogus", "", "AVX2", "scalar " };
	assert_int_equal( set_environment( "DBVH_ISA", NULL ), 0 );
	assert_int_equal( dbvh_isa_select( NULL, NULL ), DBVH_OK );
	const char *const fastest = dbvh_isa_name();
	for ( size_t i = 0; i < sizeof values / sizeof *values; ++i ) {
		assert_int_equal( set_environment( "DBVH_ISA", values[i] ), 0 );
		assert_int_equal( dbvh_isa_select( NULL, NULL ), DBVH_OK );
		assert_string_equal( dbvh_isa_name(), fastest );
	}
	assert_int_equal( set_environment( "DBVH_ISA", "scalar" ), 0 );
	assert_int_equal( dbvh_isa_select( NULL, NULL ), DBVH_OK );
	assert_string_equal( dbvh_isa_name(), "scalar" );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( triangle_filters ),
	    cmocka_unit_test( flat_filters ),
	    cmocka_unit_test( fine_filters ),
	    cmocka_unit_test( last_bits ),
	    cmocka_unit_test( poses_at_the_roots ),
	    cmocka_unit_test( roots_that_touch ),
	    cmocka_unit_test( plates_that_touch ),
	    cmocka_unit_test( every_rung_is_asked ),
	    cmocka_unit_test( stacks ),
	    cmocka_unit_test( whole_queries ),
	    cmocka_unit_test( roots_as_wholes ),
	    cmocka_unit_test( unknown_names ),
	};
	return test_main( argc, argv, tests );
}
