// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A capture of each call, of small meshes that intersect.

#pragma once

#include "dualbvh/capture.h"
#include "shapes/shapes.h"
#include "support/unit.h"

enum { CALL_COUNT = DBVH_CAPTURE_CALL_SELF_COLLIDE + 1 };

typedef struct captured {
	shape a, b;
	dbvh_capture capture;
} captured;

static inline void captured_make( captured *out, dbvh_capture_call call ) {
	*out = ( captured ){ 0 };
	shape_add_torus( &out->a, 1.0, 0.4, 10, 8 );
	shape_add_box( &out->b, 1.0, 0.75, 1.25, 2 );
	dbvh_capture *const x = &out->capture;
	x->call = call;
	x->mesh_a = shape_view( &out->a );
	x->options_a = ( dbvh_tree_options ){ .leaf_size = 4, .topology = true, .fill = DBVH_FILL_RULE_EVEN_ODD };
	const bool one = call > DBVH_CAPTURE_CALL_CONTACTS;
	if ( !one ) {
		x->mesh_b = shape_view( &out->b );
		x->options_b = ( dbvh_tree_options ){ .topology = true, .ellipsoids = DBVH_ELLIPSOIDS_MIXED };
	}
	static const double axis[3] = { 0.3, 0.2, 0.9 }, at[3] = { 0.5, 0.25, 0.1 };
	const dbvh_pose pose = shape_pose( axis, 20.0, at );
	if ( call == DBVH_CAPTURE_CALL_TIME_OF_IMPACT ) {
		static const double shift[3] = { -4.0, 0.25, 0.0 };
		dbvh_pose from = pose;
		from.pos[0] = 5.0;
		x->motion_b = dbvh_motion_translation( &from, shift );
		x->placed_b = true;
		x->toi = ( dbvh_toi_query ){ .tolerance = 0x1p-10, .start = 0.125, .policy = DBVH_POLICY_RAPID };
	} else if ( !one ) {
		x->pose_b = pose;
		x->placed_b = true;
	} else if ( call != DBVH_CAPTURE_CALL_SELF_COLLIDE ) {
		x->pose_a = pose;
		x->placed_a = true;
	}
	switch ( call ) {
	case DBVH_CAPTURE_CALL_COLLIDE:
	case DBVH_CAPTURE_CALL_SELF_COLLIDE:
		x->collide = ( dbvh_collide_query ){ .find = DBVH_FIND_ALL, .policy = DBVH_POLICY_SPHERE };
		break;
	case DBVH_CAPTURE_CALL_CLEARANCE:
		x->clearance = ( dbvh_clearance_query ){ .max_distance = 0.1, .find = DBVH_FIND_ALL };
		break;
	case DBVH_CAPTURE_CALL_DISTANCE:
		x->pose_b.pos[0] = 3.0;
		x->distance = ( dbvh_distance_query ){ .limit = 100.0 };
		break;
	case DBVH_CAPTURE_CALL_RELATE:
		x->relate = ( dbvh_relate_query ){ .touch_gap = 0.01, .touch_overlap = 0.02, .open_holds_nothing = true };
		break;
	case DBVH_CAPTURE_CALL_RAYCAST:
		x->raycast.find = DBVH_FIND_ALL;
		x->ray = ( dbvh_ray ){ { -3.0, 0.25, 0.1 }, { 1.0, 0.0, 0.0 } };
		break;
	case DBVH_CAPTURE_CALL_SEGMENT_CAST:
		x->raycast.find = DBVH_FIND_CLOSEST;
		x->segment = ( dbvh_segment ){ { -3.0, 0.25, 0.1 }, { 3.0, 0.25, 0.1 } };
		break;
	case DBVH_CAPTURE_CALL_CLOSEST_POINT:
		x->closest_point.limit = 9.0;
		x->point[2] = 2.5;
		break;
	default:
		break;
	}
}

static inline void captured_free( captured *c ) {
	shape_free( &c->a );
	shape_free( &c->b );
}
