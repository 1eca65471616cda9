// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Where robots stand and how far they go, against the definition in long doubles.

#include "robot/bounds.h"
#include "robot_stage.h"

#include <stdlib.h>

static void attach_some( robot_stage *s, rng *r ) {
	const size_t count = 1 + rng_below( r, 6 );
	for ( size_t i = 0; i < count; ++i ) {
		const dbvh_pose pose = random_origin( r, 0.4 );
		uint32_t body;
		assert_int_equal( dbvh_scene_add_body( s->scene, s->trees[rng_below( r, TREES )], NULL, NULL, &body, NULL ),
		                  DBVH_OK );
		assert_int_equal( dbvh_robot_attach( s->robot, (uint32_t)rng_below( r, s->link_count ), body, &pose, NULL ),
		                  DBVH_OK );
	}
}

// A vertex of a body, in the frame of its link.
static void some_point( const robot_stage *s, rng *r, size_t place, long double out[3], uint32_t *link_out ) {
	uint32_t body;
	dbvh_pose pose;
	const dbvh_tree *tree;
	assert_true( dbvh_robot_get_body( s->robot, place, &body, link_out, &pose ) );
	assert_true( dbvh_scene_get_body( s->scene, body, &tree, NULL, NULL ) );
	int which = 0;
	while ( s->trees[which] != tree )
		++which;
	const shape *mesh = &s->shapes[which];
	const double *vertex = mesh->positions + 3 * rng_below( r, mesh->vertex_count );
	const long double x[3] = { vertex[0], vertex[1], vertex[2] };
	const frame_l frame = frame_of( &pose );
	apply_l( &frame, x, out );
}

// The bound that robot.h states, made of lengths in long doubles.
static double stated_bound( const robot_stage *s, dbvh_robot_layout layout, const double *q, uint32_t link,
                            const long double point[3] ) {
	const long double zero[3] = { 0, 0, 0 };
	long double sum = apart_l( point, zero ), numbers = 0; // of joints that follow others
	int depth = 0;
	for ( uint32_t i = link; i != DBVH_NO_LINK; ++depth ) {
		uint32_t parent, followed;
		dbvh_pose origin;
		dbvh_joint joint;
		double factor = 1.0, offset = 0.0;
		size_t at = dbvh_robot_column( s->robot, i, layout );
		assert_true( dbvh_robot_get_link( s->robot, i, &parent, &origin, &joint ) );
		const frame_l frame = frame_of( &origin );
		sum += apart_l( frame.pos, zero );
		if ( dbvh_robot_get_followed( s->robot, i, &followed, &factor, &offset ) )
			numbers += fabs( factor * q[at = dbvh_robot_column( s->robot, followed, layout )] ) + fabs( offset );
		const int moves = joint.kind == DBVH_JOINT_KIND_PLANAR      ? 2
		                  : joint.kind == DBVH_JOINT_KIND_FLOATING  ? 3
		                  : joint.kind == DBVH_JOINT_KIND_PRISMATIC ? 1
		                                                            : 0;
		for ( int k = 0; k < moves; ++k )
			sum += fabs( factor * q[at + (size_t)k] ) + fabs( offset );
		i = parent;
	}
	return (double)sum * ( ( depth + 1 ) * 0x1p-45 + (double)numbers * 0x1p-52 );
}

static void places( void **state ) {
	(void)state;
	rng r = rng_announce( "robot: places", 131 );
	double worst = 0.0;
	for ( size_t n = 0; n < rounds( 1500 ); ++n ) {
		robot_stage s;
		const double far = n % 4 == 0 ? 1e5 : 1.0;
		raise_robot( &s );
		add_links( &s, &r, 1 + (uint32_t)rng_below( &r, MOST_LINKS ), far );
		attach_some( &s, &r );
		const dbvh_robot_layout layout = n % 2 == 0 ? DBVH_ROBOT_LAYOUT_ANGLES : DBVH_ROBOT_LAYOUT_PINOCCHIO;
		double q[MOST_WIDTH];
		dbvh_pose bodies[8], links[MOST_LINKS];
		frame_l exact[MOST_LINKS];
		random_row( &s, &r, layout, 7.0, far, q );
		assert_int_equal( dbvh_robot_place( s.robot, layout, q, 1, links, bodies, NULL ), DBVH_OK );
		links_l( &s, layout, q, NULL, 0, exact );
		for ( size_t k = 0; k < dbvh_robot_body_count( s.robot ); ++k ) {
			uint32_t link;
			long double point[3], there[3], here[3], own[3];
			some_point( &s, &r, k, point, &link );
			const frame_l computed = frame_of( &bodies[k] );
			dbvh_pose pose;
			assert_true( dbvh_robot_get_body( s.robot, k, NULL, NULL, &pose ) );
			const frame_l on_link = frame_of( &pose );
			into_l( &on_link, point, own );
			apply_l( &computed, own, here );
			apply_l( &exact[link], point, there );
			const double error = (double)apart_l( here, there ), bound = stated_bound( &s, layout, q, link, point );
			assert_true( error <= bound );
			worst = fmax( worst, error / bound );
		}
		for ( uint32_t i = 0; i < s.link_count; ++i ) {
			double deviation;
			assert_int_equal( dbvh_pose_check( &links[i], &deviation, NULL ), DBVH_OK );
			assert_true( deviation <= 0x1p-48 );
		}
		strike_robot( &s );
	}
	printf( "robot: poses are off by at most %.3g of the bound\n", worst );
	assert_outcomes( worst > 1e-4 );
}

// Layouts: widths, columns, and that both are the same robot.
static void layouts( void **state ) {
	(void)state;
	rng r = rng_announce( "robot: layouts", 132 );
	for ( size_t n = 0; n < rounds( 300 ); ++n ) {
		robot_stage s;
		raise_robot( &s );
		add_links( &s, &r, MOST_LINKS, 1.0 );
		double angles[MOST_WIDTH], pairs[MOST_WIDTH];
		dbvh_pose a[MOST_LINKS], b[MOST_LINKS];
		random_row( &s, &r, DBVH_ROBOT_LAYOUT_ANGLES, 3.0, 1.0, angles );
		size_t end[2] = { 0, 0 };
		for ( uint32_t i = 0; i < s.link_count; ++i ) {
			dbvh_joint joint;
			assert_true( dbvh_robot_get_link( s.robot, i, NULL, NULL, &joint ) );
			const size_t from = dbvh_robot_column( s.robot, i, DBVH_ROBOT_LAYOUT_ANGLES );
			const size_t to = dbvh_robot_column( s.robot, i, DBVH_ROBOT_LAYOUT_PINOCCHIO );
			const bool follows = dbvh_robot_get_followed( s.robot, i, NULL, NULL, NULL );
			assert_int_equal( from == DBVH_NO_COLUMN, follows || joint.kind == DBVH_JOINT_KIND_FIXED );
			if ( from == DBVH_NO_COLUMN )
				continue;
			assert_int_equal( from, end[0] );
			assert_int_equal( to, end[1] );
			static const size_t widths[][2] = { { 0, 0 }, { 1, 1 }, { 1, 2 }, { 1, 1 }, { 3, 4 }, { 7, 7 } };
			end[0] += widths[joint.kind][0];
			end[1] += widths[joint.kind][1];
			memcpy( pairs + to, angles + from, widths[joint.kind][0] * sizeof *pairs );
			if ( joint.kind == DBVH_JOINT_KIND_CONTINUOUS || joint.kind == DBVH_JOINT_KIND_PLANAR ) {
				const size_t k = joint.kind == DBVH_JOINT_KIND_PLANAR ? 2 : 0;
				dbvh_sine_cosine( angles[from + k], &pairs[to + k + 1], &pairs[to + k] );
			}
		}
		assert_int_equal( end[0], dbvh_robot_width( s.robot, DBVH_ROBOT_LAYOUT_ANGLES ) );
		assert_int_equal( end[1], dbvh_robot_width( s.robot, DBVH_ROBOT_LAYOUT_PINOCCHIO ) );
		assert_int_equal( dbvh_robot_place( s.robot, DBVH_ROBOT_LAYOUT_ANGLES, angles, 1, a, NULL, NULL ), DBVH_OK );
		assert_int_equal( dbvh_robot_place( s.robot, DBVH_ROBOT_LAYOUT_PINOCCHIO, pairs, 1, b, NULL, NULL ), DBVH_OK );
		for ( uint32_t i = 0; i < s.link_count; ++i )
			for ( int k = 0; k < 12; ++k )
				assert_true( fabs( ( (double *)&a[i] )[k] - ( (double *)&b[i] )[k] ) < 1e-12 );
		strike_robot( &s );
	}
}

// What the certificates rest on: how far points go from the middle of a piece, against the world and against each
// other, and how far computed poses are from exact ones.
static void bounds( void **state ) {
	(void)state;
	rng r = rng_announce( "robot: bounds", 133 );
	double nearest = 0.0, error_ratio = 0.0;
	for ( size_t n = 0; n < rounds( 1500 ); ++n ) {
		robot_stage s;
		const double far = n % 5 == 0 ? 1e5 : 1.0;
		raise_robot( &s );
		add_links( &s, &r, 1 + (uint32_t)rng_below( &r, n % 2 == 0 ? 2 : MOST_LINKS ), far );
		attach_some( &s, &r );
		const dbvh_robot_layout layout = n % 2 == 0 ? DBVH_ROBOT_LAYOUT_ANGLES : DBVH_ROBOT_LAYOUT_PINOCCHIO;
		double from[MOST_WIDTH], to[MOST_WIDTH], row[MOST_WIDTH];
		random_row( &s, &r, layout, n % 7 == 0 ? 2e5 : 4.0, far, from );
		random_row( &s, &r, layout, n % 7 == 0 ? 2e5 : 4.0, far, to );
		dbvhi_joint_way ways[MOST_LINKS];
		dbvhi_joint_sweep sweeps[MOST_LINKS];
		for ( uint32_t i = 0; i < s.link_count; ++i )
			dbvhi_joint_way_between( &s.robot->links[i], layout, from, to, &ways[i] );
		assert_int_equal( dbvhi_robot_sweeps( s.robot, layout, from, to, ways, sweeps ), DBVH_OK );
		const double half = ldexp( 0.5, -(int)rng_below( &r, n % 7 == 0 ? 30 : 6 ) );
		const double middle = half * (double)( 1 + 2 * rng_below( &r, (uint64_t)( 0.5 / half ) ) );
		const long double t = middle + half * ( rng_below( &r, 3 ) == 0 ? 1.0 : rng_range( &r, -1.0, 1.0 ) );
		// The rounding of long doubles themselves; an angle of 10^6 has 2^-43 of it.
		const double noise = n % 7 == 0 ? 0x1p-38 : 0x1p-54;
		frame_l then[MOST_LINKS], now[MOST_LINKS];
		links_l( &s, layout, from, to, middle, then );
		links_l( &s, layout, from, to, t, now );
		dbvh_pose bodies[8];
		assert_int_equal( dbvh_robot_between( s.robot, layout, from, to, &middle, 1, row, NULL ), DBVH_OK );
		assert_int_equal( dbvh_robot_place( s.robot, layout, row, 1, NULL, bodies, NULL ), DBVH_OK );
		for ( size_t k = 0; k < s.robot->attached_count; ++k ) {
			double speeds[MOST_LINKS + 1], reach, error;
			long double point[3], a[3], b[3], own[3], c[3];
			uint32_t link;
			some_point( &s, &r, k, point, &link );
			const dbvhi_attached *attached = &s.robot->attached[k];
			const dbvh_tree *tree;
			assert_true( dbvh_scene_get_body( s.scene, attached->body, &tree, NULL, NULL ) );
			const dbvhi_body_extent extent = dbvhi_body_extent_of( &s.robot->links[link], attached, tree );
			dbvhi_body_speeds( s.robot, attached, &extent, sweeps, speeds, &reach, &error );
			assert_true( speeds[s.robot->links[link].depth] == 0.0 );
			// Against each link that it hangs on, and against the world.
			for ( uint32_t i = link, depth = s.robot->links[link].depth; depth-- > 0; ) {
				i = s.robot->links[i].parent;
				apply_l( &then[link], point, a );
				apply_l( &now[link], point, b );
				if ( i != DBVH_NO_LINK ) {
					long double in_a[3], in_b[3];
					into_l( &then[i], a, in_a );
					into_l( &now[i], b, in_b );
					memcpy( a, in_a, sizeof a );
					memcpy( b, in_b, sizeof b );
				}
				const long double gone = apart_l( a, b );
				assert_true( gone <= speeds[depth] * fabsl( t - middle ) + noise * reach );
				if ( speeds[depth] > 0.0 && t != middle )
					nearest = fmax( nearest, (double)( gone / ( speeds[depth] * fabsl( t - middle ) ) ) );
			}
			apply_l( &then[link], point, a );
			const frame_l computed = frame_of( &bodies[k] ), on_link = frame_of( &attached->pose );
			into_l( &on_link, point, own );
			apply_l( &computed, own, c );
			assert_true( apart_l( a, c ) <= error );
			error_ratio = fmax( error_ratio, (double)apart_l( a, c ) / error );
		}
		strike_robot( &s );
	}
	printf( "robot: points go up to %.4f of their bound; poses are off by up to %.3f of theirs\n", nearest,
	        error_ratio );
	assert_outcomes( nearest > 0.98 && error_ratio > 0.01 );
}

// A slide that stands far out, on a link that turns: its body goes by the turn times that far.
static void slides_lengthen_levers( void **state ) {
	(void)state;
	robot_stage s;
	raise_robot( &s );
	const dbvh_joint turns = { .kind = DBVH_JOINT_KIND_REVOLUTE, .axis = { 0, 0, 1 } },
	                 slides = { .kind = DBVH_JOINT_KIND_PRISMATIC };
	uint32_t body;
	assert_int_equal( dbvh_robot_add_link( s.robot, DBVH_NO_LINK, NULL, &turns, NULL, NULL ), DBVH_OK );
	assert_int_equal( dbvh_robot_add_link( s.robot, 0, NULL, &slides, NULL, NULL ), DBVH_OK );
	assert_int_equal( dbvh_scene_add_body( s.scene, s.trees[0], NULL, NULL, &body, NULL ), DBVH_OK );
	assert_int_equal( dbvh_robot_attach( s.robot, 1, body, NULL, NULL ), DBVH_OK );
	// It stays there, or comes from there, or goes there.
	static const double ends[3][2] = { { 50.0, 50.0 }, { 50.0, 0.0 }, { 0.0, 50.0 } };
	dbvhi_joint_way ways[2];
	dbvhi_joint_sweep sweeps[2];
	double speeds[3], reach, error;
	for ( int n = 0; n < 3; ++n ) {
		const double from[] = { 0.0, ends[n][0] }, to[] = { 0.001, ends[n][1] };
		for ( uint32_t i = 0; i < 2; ++i )
			dbvhi_joint_way_between( &s.robot->links[i], DBVH_ROBOT_LAYOUT_ANGLES, from, to, &ways[i] );
		assert_int_equal( dbvhi_robot_sweeps( s.robot, DBVH_ROBOT_LAYOUT_ANGLES, from, to, ways, sweeps ), DBVH_OK );
		const dbvhi_attached *attached = &s.robot->attached[0];
		const dbvhi_body_extent extent = dbvhi_body_extent_of( &s.robot->links[1], attached, s.trees[0] );
		dbvhi_body_speeds( s.robot, attached, &extent, sweeps, speeds, &reach, &error );
		const double turned = speeds[0] - speeds[1];
		assert_true( turned >= 0.001 * 50.5 && turned <= 0.001 * 50.7 );
		assert_true( speeds[1] >= fabs( to[1] - from[1] ) && speeds[1] <= fabs( to[1] - from[1] ) * 1.001 );
	}
	strike_robot( &s );
}

static void ways_end_where_they_should( void **state ) {
	(void)state;
	rng r = rng_announce( "robot: ways", 134 );
	for ( size_t n = 0; n < rounds( 300 ); ++n ) {
		robot_stage s;
		raise_robot( &s );
		add_links( &s, &r, MOST_LINKS, 1.0 );
		const dbvh_robot_layout layout = n % 2 == 0 ? DBVH_ROBOT_LAYOUT_ANGLES : DBVH_ROBOT_LAYOUT_PINOCCHIO;
		const size_t width = dbvh_robot_width( s.robot, layout );
		double from[MOST_WIDTH], to[MOST_WIDTH], rows[4 * MOST_WIDTH];
		random_row( &s, &r, layout, 9.0, 1.0, from );
		random_row( &s, &r, layout, 9.0, 1.0, to );
		const double times[4] = { 0.0, 1.0 - 0x1p-53, 1.0, 0x1p-60 };
		assert_int_equal( dbvh_robot_between( s.robot, layout, from, to, times, 4, rows, NULL ), DBVH_OK );
		assert_memory_equal( rows, from, width * sizeof *from );
		assert_memory_equal( rows + 2 * width, to, width * sizeof *to );
		// Just before the end it is there but for rounding, and just behind the start likewise.
		dbvh_pose links[4][MOST_LINKS];
		assert_int_equal( dbvh_robot_place( s.robot, layout, rows, 4, links[0], NULL, NULL ), DBVH_OK );
		const dbvh_pose *at = links[0];
		for ( uint32_t i = 0; i < s.link_count; ++i )
			for ( int k = 0; k < 12; ++k ) {
				const size_t c = s.link_count;
				assert_true( fabs( ( (const double *)&at[c + i] )[k] - ( (const double *)&at[2 * c + i] )[k] ) <
				             1e-11 );
				assert_true( fabs( ( (const double *)&at[i] )[k] - ( (const double *)&at[3 * c + i] )[k] ) < 1e-11 );
			}
		strike_robot( &s );
	}
}

static void bodies_are_attached_and_detached( void **state ) {
	(void)state;
	robot_stage s;
	raise_robot( &s );
	rng r = rng_announce( "robot: bodies", 135 );
	add_links( &s, &r, 4, 1.0 );
	const uint32_t order[] = { 5, 2, 9, 3 };
	for ( size_t i = 0; i < 4; ++i )
		assert_int_equal( dbvh_robot_attach( s.robot, (uint32_t)i, order[i], NULL, NULL ), DBVH_OK );
	assert_int_equal( dbvh_robot_attach( s.robot, 0, 9, NULL, NULL ), DBVH_OK ); // moves
	assert_int_equal( dbvh_robot_detach( s.robot, 3, NULL ), DBVH_OK );
	assert_int_equal( dbvh_robot_detach( s.robot, 3, NULL ), DBVH_INVALID_ARGUMENT );
	const uint32_t bodies[] = { 2, 5, 9 }, links[] = { 1, 0, 0 };
	assert_int_equal( dbvh_robot_body_count( s.robot ), 3 );
	for ( size_t i = 0; i < 3; ++i ) {
		uint32_t body, link;
		assert_true( dbvh_robot_get_body( s.robot, i, &body, &link, NULL ) );
		assert_int_equal( body, bodies[i] );
		assert_int_equal( link, links[i] );
	}
	assert_false( dbvh_robot_get_body( s.robot, 3, NULL, NULL, NULL ) );
	strike_robot( &s );
}

static void refusals( void **state ) {
	(void)state;
	robot_stage s;
	raise_robot( &s );
	dbvh_error error;
	uint32_t link = 7;
	dbvh_pose pose = dbvh_pose_identity();
	pose.rot[0][0] = 1.1;
	assert_int_equal( dbvh_robot_add_link( s.robot, DBVH_NO_LINK, &pose, NULL, &link, &error ), DBVH_NOT_RIGID );
	assert_int_equal( link, DBVH_NO_LINK );
	assert_int_equal( dbvh_robot_add_link( s.robot, 0, NULL, NULL, &link, &error ), DBVH_INVALID_ARGUMENT );
	dbvh_joint joint = { .kind = DBVH_JOINT_KIND_COUNT };
	assert_int_equal( dbvh_robot_add_link( s.robot, DBVH_NO_LINK, NULL, &joint, &link, &error ),
	                  DBVH_INVALID_ARGUMENT );
	joint = ( dbvh_joint ){ .kind = DBVH_JOINT_KIND_REVOLUTE, .axis = { NAN, 0, 0 } };
	assert_int_equal( dbvh_robot_add_link( s.robot, DBVH_NO_LINK, NULL, &joint, &link, &error ), DBVH_NOT_FINITE );
	joint = ( dbvh_joint ){ .kind = DBVH_JOINT_KIND_REVOLUTE, .has_limits = true, .lower = 1.0 };
	assert_int_equal( dbvh_robot_add_link( s.robot, DBVH_NO_LINK, NULL, &joint, &link, &error ),
	                  DBVH_INVALID_ARGUMENT );
	// 0: revolute, 1: continuous, 2: fixed, 3: revolute.
	const dbvh_joint_kind kinds[] = { DBVH_JOINT_KIND_REVOLUTE, DBVH_JOINT_KIND_CONTINUOUS, DBVH_JOINT_KIND_FIXED,
	                                  DBVH_JOINT_KIND_REVOLUTE };
	for ( uint32_t i = 0; i < 4; ++i ) {
		joint = ( dbvh_joint ){ .kind = kinds[i] };
		assert_int_equal( dbvh_robot_add_link( s.robot, i - 1, NULL, &joint, &link, &error ), DBVH_OK );
	}
	assert_int_equal( dbvh_robot_follow( s.robot, 0, 1, 1.0, 0.0, &error ), DBVH_INVALID_ARGUMENT ); // continuous
	assert_int_equal( dbvh_robot_follow( s.robot, 2, 0, 1.0, 0.0, &error ), DBVH_INVALID_ARGUMENT ); // fixed
	assert_int_equal( dbvh_robot_follow( s.robot, 0, 0, 1.0, 0.0, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_robot_follow( s.robot, 0, 4, 1.0, 0.0, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_robot_follow( s.robot, 0, 3, NAN, 0.0, &error ), DBVH_NOT_FINITE );
	assert_int_equal( dbvh_robot_follow( s.robot, 1, 0, 1.0, 0.0, &error ), DBVH_OK );
	assert_int_equal( dbvh_robot_follow( s.robot, 0, 3, 1.0, 0.0, &error ), DBVH_INVALID_ARGUMENT ); // is followed
	assert_int_equal( dbvh_robot_follow( s.robot, 3, 1, 1.0, 0.0, &error ), DBVH_INVALID_ARGUMENT ); // a follower
	assert_int_equal( dbvh_robot_width( s.robot, DBVH_ROBOT_LAYOUT_PINOCCHIO ), 2 );
	const double q[4] = { 0.0, 1.0, NAN, 0.0 };
	dbvh_pose links[8];
	assert_int_equal( dbvh_robot_place( s.robot, DBVH_ROBOT_LAYOUT_ANGLES, q, 2, links, NULL, &error ),
	                  DBVH_NOT_FINITE );
	assert_int_equal( error.element, 1 );
	assert_int_equal( dbvh_robot_place( s.robot, DBVH_ROBOT_LAYOUT_COUNT, q, 1, links, NULL, &error ),
	                  DBVH_INVALID_ARGUMENT );
	const double time = 1.5;
	double row[2];
	assert_int_equal( dbvh_robot_between( s.robot, DBVH_ROBOT_LAYOUT_ANGLES, q, q, &time, 1, row, &error ),
	                  DBVH_INVALID_ARGUMENT );
	joint = ( dbvh_joint ){ .kind = DBVH_JOINT_KIND_FLOATING };
	assert_int_equal( dbvh_robot_add_link( s.robot, DBVH_NO_LINK, NULL, &joint, &link, &error ), DBVH_OK );
	const double long_one[9] = { 0, 0, 1, 2, 3, 0.1, 0, 0, 1.01 };
	assert_int_equal( dbvh_robot_place( s.robot, DBVH_ROBOT_LAYOUT_ANGLES, long_one, 1, NULL, NULL, &error ),
	                  DBVH_NOT_RIGID );
	assert_int_equal( dbvh_robot_attach( s.robot, 9, 0, NULL, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_robot_attach( s.robot, 0, DBVH_NO_BODY, NULL, &error ), DBVH_INVALID_ARGUMENT );
	strike_robot( &s );
}

// An origin that is a rotation to a float's precision is made one; one that is to the last bits is kept.
static void origins_are_made_straight( void **state ) {
	(void)state;
	robot_stage s;
	raise_robot( &s );
	const double rpy[3] = { 0.3, -1.2, 2.5 }, pos[3] = { 1.0, 2.0, 3.0 };
	const dbvh_pose exact = dbvh_pose_from_rpy( rpy, pos );
	dbvh_pose rounded = exact, kept;
	for ( int i = 0; i < 9; ++i )
		( (double *)rounded.rot )[i] = (double)(float)( (double *)rounded.rot )[i];
	uint32_t link;
	double deviation;
	assert_int_equal( dbvh_robot_add_link( s.robot, DBVH_NO_LINK, &exact, NULL, &link, NULL ), DBVH_OK );
	assert_true( dbvh_robot_get_link( s.robot, link, NULL, &kept, NULL ) );
	assert_memory_equal( &kept, &exact, sizeof kept );
	assert_int_equal( dbvh_robot_add_link( s.robot, DBVH_NO_LINK, &rounded, NULL, &link, NULL ), DBVH_OK );
	assert_true( dbvh_robot_get_link( s.robot, link, NULL, &kept, NULL ) );
	assert_int_equal( dbvh_pose_check( &kept, &deviation, NULL ), DBVH_OK );
	assert_true( deviation <= 0x1p-48 + 6 * 0x1p-52 );
	strike_robot( &s );
}

// A robot without numbers takes NULL for its configurations.
static void standing_robots_need_no_numbers( void **state ) {
	(void)state;
	robot_stage s;
	raise_robot( &s );
	uint32_t body, other;
	dbvh_pose links[2];
	dbvh_configuration_result configurations[2];
	dbvh_robot_edge_result edge;
	assert_int_equal( dbvh_robot_add_link( s.robot, DBVH_NO_LINK, NULL, NULL, NULL, NULL ), DBVH_OK );
	assert_int_equal( dbvh_scene_add_body( s.scene, s.trees[0], NULL, NULL, &body, NULL ), DBVH_OK );
	assert_int_equal( dbvh_scene_add_body( s.scene, s.trees[1], NULL, NULL, &other, NULL ), DBVH_OK );
	assert_int_equal( dbvh_robot_attach( s.robot, 0, body, NULL, NULL ), DBVH_OK );
	for ( int layout = 0; layout < DBVH_ROBOT_LAYOUT_COUNT; ++layout ) {
		const dbvh_robot_layout own = (dbvh_robot_layout)layout;
		const dbvh_robot_edges_query query = { .layout = own, .find = DBVH_FIND_CLOSEST };
		assert_int_equal( dbvh_robot_place( s.robot, own, NULL, 2, links, NULL, NULL ), DBVH_OK );
		assert_int_equal( dbvh_robot_collide_batch( s.robot, s.scene, own, NULL, 2, NULL, configurations, NULL ),
		                  DBVH_OK );
		assert_int_equal( configurations[1].verdict, DBVH_INTERSECTING );
		assert_int_equal( dbvh_robot_edge_batch( s.robot, s.scene, NULL, 2, &query, &edge, NULL ), DBVH_OK );
		assert_int_equal( edge.verdict, DBVH_ROBOT_VERDICT_COLLIDES );
	}
	strike_robot( &s );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( places ),
	    cmocka_unit_test( layouts ),
	    cmocka_unit_test( bounds ),
	    cmocka_unit_test( slides_lengthen_levers ),
	    cmocka_unit_test( ways_end_where_they_should ),
	    cmocka_unit_test( bodies_are_attached_and_detached ),
	    cmocka_unit_test( refusals ),
	    cmocka_unit_test( origins_are_made_straight ),
	    cmocka_unit_test( standing_robots_need_no_numbers ),
	};
	return test_main( argc, argv, tests );
}
