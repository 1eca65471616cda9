// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "robot/bounds.h"

#include "base/assert.h"
#include "bvh/any_node.h"
#include "math/angle.h"
#include "math/vec.h"

#include <math.h>

// Rounding of a bound that is a sum of a few products and square roots of what is not negative.
#define UP ( 1.0 + 0x1p-40 )
// The rounding of one joint's rotation, and of what is composed with it (docs/design/edges.md).
#define JOINT_ERROR 0x1p-45
// The rounding of a number on its way from one value to another, relative to both.
#define NUMBER_ERROR 0x1p-50
// The rounding of a turn that comes of a cosine and a sine or of a quaternion.
#define TURN_ERROR 0x1p-46

// What products of numbers near the least double may lose.
#define LEAST 0x1p-1060

// An upper bound of a length. The components are divided by the largest one, for squares below 2^-1074 would be lost.
static double length_of( const double v[3] ) {
	const double most = fmax( fmax( fabs( v[0] ), fabs( v[1] ) ), fabs( v[2] ) );
	if ( !( most > 0.0 ) )
		return most;
	const double x = v[0] / most, y = v[1] / most, z = v[2] / most;
	return most * sqrt( x * x + y * y + z * z ) * UP + LEAST;
}

// The distance of a point from a line through the origin along an axis of length 1.
static double beside_axis( const double point[3], const double axis[3] ) {
	double across[3];
	dbvhi_cross3( point, axis, across );
	// Rounding of the cross product is relative to the point, not to the result.
	return length_of( across ) + 0x1p-50 * length_of( point );
}

static bool turns_about_axis( const dbvhi_link *link ) {
	return link->joint.kind == DBVH_JOINT_KIND_REVOLUTE || link->joint.kind == DBVH_JOINT_KIND_CONTINUOUS;
}

// The corners of the root's box enclose the body, and so does the root's ball. The box is rounded by 2^-46 of its size
// (scene/boxes.c).
dbvhi_body_extent dbvhi_body_extent_of( const dbvhi_link *link, const dbvhi_attached *attached,
                                        const dbvh_tree *tree ) {
	dbvhi_posed_root root;
	double box[DBVHI_BOX_NUMBERS];
	dbvhi_posed_root_make( tree, &attached->pose, 0.0, &root, box );
	dbvhi_body_extent extent = { 0.0, 0.0 };
	for ( int corner = 0; corner < 8; ++corner ) {
		double point[3];
		for ( int i = 0; i < 3; ++i ) {
			point[i] = root.centre[i];
			for ( int k = 0; k < 3; ++k )
				point[i] +=
				    ( corner >> k & 1 ) != 0 ? root.half.v[k] * root.axis[k][i] : -root.half.v[k] * root.axis[k][i];
		}
		extent.radius = fmax( extent.radius, length_of( point ) );
		extent.beside = fmax( extent.beside, beside_axis( point, link->joint.axis ) );
	}
	const double margin = 4.0 * root.margin;
	extent.radius = fmin( extent.radius + margin, ( length_of( root.ball ) + root.reach ) * UP );
	extent.beside = fmin( extent.beside + margin, ( beside_axis( root.ball, link->joint.axis ) + root.reach ) * UP );
	extent.beside = fmin( extent.beside, extent.radius );
	return extent;
}

// ------------------------------------------------------------------------------------------------
// Joints

// A bound of a turn between two angles; INFINITY where these are so large that their sines are not known.
static double turn_from( double from, double to, double turn ) {
	return fmax( fabs( from ), fabs( to ) ) <= DBVHI_LARGEST_ANGLE ? turn * UP : INFINITY;
}

// A joint with one number that goes from one value to another.
static dbvhi_joint_sweep sweep_of_value( dbvh_joint_kind kind, double from, double to, double change, double error ) {
	if ( kind == DBVH_JOINT_KIND_PRISMATIC )
		return ( dbvhi_joint_sweep ){
		    .way = fabs( change ) * UP, .farthest = fmax( fabs( from ), fabs( to ) ) * UP, .way_error = error };
	return ( dbvhi_joint_sweep ){ .turn = turn_from( from, to, fabs( change ) ), .turn_error = error };
}

static dbvhi_joint_sweep sweep_of_follower( const dbvh_robot *robot, const dbvhi_link *link, dbvh_robot_layout layout,
                                            const double *from, const double *to ) {
	const size_t at = robot->links[link->followed].column[layout];
	const double factor = link->factor, offset = link->offset;
	const double a = factor * from[at], b = factor * to[at];
	const double error = 2.0 * NUMBER_ERROR * ( fabs( a ) + fabs( b ) + fabs( offset ) );
	return sweep_of_value( link->joint.kind, a + offset, b + offset, factor * ( to[at] - from[at] ), error );
}

static dbvhi_joint_sweep sweep_of_own( const dbvhi_link *link, dbvh_robot_layout layout, const double *from,
                                       const double *to, const dbvhi_joint_way *way ) {
	const dbvh_joint_kind kind = link->joint.kind;
	const double *a = from + link->column[layout], *b = to + link->column[layout];
	const double size = fabs( a[0] ) + fabs( b[0] );
	if ( kind == DBVH_JOINT_KIND_REVOLUTE || kind == DBVH_JOINT_KIND_PRISMATIC )
		return sweep_of_value( kind, a[0], b[0], b[0] - a[0], NUMBER_ERROR * size );
	dbvhi_joint_sweep sweep = { .turn = fabs( way->turn ) * UP + TURN_ERROR, .turn_error = TURN_ERROR };
	const int moves = kind == DBVH_JOINT_KIND_PLANAR ? 2 : kind == DBVH_JOINT_KIND_FLOATING ? 3 : 0;
	if ( layout == DBVH_ROBOT_LAYOUT_ANGLES && kind != DBVH_JOINT_KIND_FLOATING ) {
		sweep.turn_error += 4.0 * NUMBER_ERROR * ( fabs( a[moves] ) + fabs( b[moves] ) );
		sweep.turn = turn_from( a[moves], b[moves], sweep.turn + sweep.turn_error );
	}
	double begin[3] = { 0.0 }, end[3] = { 0.0 };
	for ( int i = 0; i < moves; ++i ) {
		begin[i] = a[i];
		end[i] = b[i];
	}
	const double far_begin = length_of( begin ), far_end = length_of( end );
	sweep.way = length_of( way->way );
	sweep.farthest = fmax( far_begin, far_end );
	sweep.way_error = 2.0 * NUMBER_ERROR * ( far_begin + far_end );
	return sweep;
}

static bool is_beyond( const dbvhi_joint_sweep *s ) {
	return !isfinite( s->way + s->farthest + s->turn_error + s->way_error ) || !( s->turn <= DBVHI_LARGEST_ANGLE );
}

dbvh_status dbvhi_robot_sweeps( const dbvh_robot *robot, dbvh_robot_layout layout, const double *from, const double *to,
                                const dbvhi_joint_way *ways, dbvhi_joint_sweep *sweeps_out ) {
	for ( size_t i = 0; i < robot->link_count; ++i ) {
		const dbvhi_link *link = &robot->links[i];
		dbvhi_joint_sweep *sweep = &sweeps_out[i];
		*sweep = ( dbvhi_joint_sweep ){ .turn = 0.0 };
		if ( link->follows )
			*sweep = sweep_of_follower( robot, link, layout, from, to );
		else if ( link->column[layout] != DBVH_NO_COLUMN )
			*sweep = sweep_of_own( link, layout, from, to, &ways[i] );
		if ( is_beyond( sweep ) )
			return DBVH_LIMIT;
	}
	return DBVH_OK;
}

// ------------------------------------------------------------------------------------------------
// Bodies

void dbvhi_body_speeds( const dbvh_robot *robot, const dbvhi_attached *attached, const dbvhi_body_extent *extent,
                        const dbvhi_joint_sweep *sweeps, double *speeds_out, double *reach_out, double *error_out ) {
	double radius = extent->radius, beside = extent->beside, speed = 0.0, error = 0.0;
	const uint32_t depth = robot->links[attached->link].depth;
	speeds_out[depth] = 0.0;
	for ( uint32_t i = attached->link; i != DBVH_NO_LINK; i = robot->links[i].parent ) {
		const dbvhi_link *link = &robot->links[i];
		const dbvhi_joint_sweep *s = &sweeps[i];
		const double lever = turns_about_axis( link ) ? beside : radius;
		speed = ( speed + s->turn * lever + s->way ) * UP;
		error += s->turn_error * lever + s->way_error;
		speeds_out[link->depth - 1] = speed;
		// From here on about the origin of the parent, and the axis of its joint.
		if ( link->parent != DBVH_NO_LINK )
			beside =
			    ( beside_axis( link->origin.pos, robot->links[link->parent].joint.axis ) + s->farthest + radius ) * UP;
		radius = ( length_of( link->origin.pos ) + s->farthest + radius ) * UP;
	}
	DBVHI_ASSERT( depth >= 1 );
	*reach_out = radius * UP;
	*error_out = ( error + JOINT_ERROR * ( (double)depth + 1.0 ) * radius ) * UP + LEAST;
}
