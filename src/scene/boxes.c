// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The boxes of posed bodies, and when they have to be made again.
//
// Two bodies whose answer is not "farther apart than their rule asks" must have boxes that overlap. The answer is about
// the relative pose of the two, composed in doubles (dbvh_pose_relative()); the boxes are about each pose alone. Let R
// bound the distance of a body's points from the position t of its pose. The relative pose takes the inverse of a
// matrix as it is, so what it differs by is rounding, some ten times, relative to |t_a| + |t_b| + R_a + R_b. So each
// box is grown by 2^-46 ( R + |t| ), which covers the box's own rounding, too: two sums of three products. The box of a
// root at a pose is that of its affine image, for any matrix, and the ball has 2^-17 of its radius for what a pose
// stretches. Boxes are grown by 8 d L besides, where d is the largest deviation max |rot^T rot - I| of any pose of the
// scene and L the largest coordinate of the tree; no input is known that needs it. Radii, sags and
// what rules ask for are lengths in the frame of one of the two: dbvhi_stretched() makes them lengths of the scene.
//
// The boxes of two roots, each along axes of its own, are compared by the fifteen axes of Gottschalk, Lin and Manocha
// (1996), as those of two meshes are in query/common/roots.inl. Their formulas are about rotations. Axes of a pose that
// deviates by d are off from right angles by d, so what a box extends along one of its own, or along the product of one
// with one of the other's, is off by 3 d of the sum of its half lengths, which is at most 3 sqrt( 3 ) times the largest
// coordinate L; and the way between the centres, at most 4 ( L_a + L_b ) long where the balls are near each other, is
// off by 6 d of that along such a product. All that is less than 64 d ( L_a + L_b ), the slack that is asked for. A
// product that is nearly 0 finds nothing apart, because the margins are not scaled by its length.

#include "math/vec.h"
#include "scene/scene.h"

#include <float.h>
#include <math.h>

void dbvhi_posed_root_make( const dbvh_tree *tree, const dbvh_pose *pose, double grown, dbvhi_posed_root *out,
                            double box_out[DBVHI_BOX_NUMBERS] ) {
	const dbvhi_node *root = dbvhi_tree_root( tree );
	const double radius = 2.0 * tree->largest;
	const double offset = fabs( pose->pos[0] ) + fabs( pose->pos[1] ) + fabs( pose->pos[2] );
	const double margin = grown + 0x1p-46 * ( radius + offset ) + 0x1p-1060;
	// The ball of a rotation that is off by 2e-6 at most.
	const double reach = root->radius * ( 1.0 + 0x1p-17 );
	out->half = root->half;
	out->reach = reach + margin;
	out->margin = margin;
	for ( int i = 0; i < 3; ++i ) {
		const double *row = pose->rot[i];
		double middle = pose->pos[i], ball = pose->pos[i], half = 0.0;
		for ( int k = 0; k < 3; ++k ) {
			middle += row[k] * root->pos.v[k];
			ball += row[k] * root->sphere_outside.v[k];
			double along = 0.0;
			for ( int j = 0; j < 3; ++j )
				along += row[j] * root->rot.m[j][k];
			out->axis[k][i] = along;
			half += fabs( along ) * root->half.v[k];
		}
		out->centre[i] = middle;
		out->ball[i] = ball;
		const double low = middle - half > ball - reach ? middle - half : ball - reach;
		const double high = middle + half < ball + reach ? middle + half : ball + reach;
		// Clamp overflow to the largest double: infinite boxes mean bodies that are nowhere.
		box_out[i] = low - margin >= -DBL_MAX ? low - margin : -DBL_MAX;
		box_out[3 + i] = high + margin <= DBL_MAX ? high + margin : DBL_MAX;
	}
}

void dbvhi_root_lane( const dbvh_tree *tree, double radius, dbvhi_root_lanes *lanes, int i ) {
	const dbvhi_node *root = dbvhi_tree_root( tree );
	for ( int k = 0; k < 3; ++k ) {
		for ( int j = 0; j < 3; ++j )
			lanes->rot[k][j][i] = root->rot.m[k][j];
		lanes->pos[k][i] = root->pos.v[k];
		lanes->half[k][i] = root->half.v[k];
		lanes->sphere[k][i] = root->sphere_outside.v[k];
	}
	lanes->reach[i] = root->radius * ( 1.0 + 0x1p-17 );
	lanes->largest[i] = tree->largest;
	lanes->radius[i] = radius;
}

void dbvhi_posed_box( const dbvh_tree *tree, const dbvh_pose *pose, double grown, double box_out[DBVHI_BOX_NUMBERS] ) {
	dbvhi_posed_root root;
	dbvhi_posed_root_make( tree, pose, grown, &root, box_out );
}

bool dbvhi_posed_roots_apart( const dbvhi_posed_root *a, const dbvhi_posed_root *b, double slack ) {
	const double m = a->margin + b->margin + slack, *ha = a->half.v, *hb = b->half.v;
	double between[3], r[3][3], size[3][3], t[3];
	for ( int k = 0; k < 3; ++k )
		between[k] = b->ball[k] - a->ball[k];
	const double near = a->reach + b->reach + slack;
	// note: squares of tiny lengths lose up to 2^-1075 each.
	if ( dbvhi_dot3( between, between ) > near * near * ( 1.0 + 0x1p-40 ) + 0x1p-1070 )
		return true;
	for ( int k = 0; k < 3; ++k )
		between[k] = b->centre[k] - a->centre[k];
	for ( int i = 0; i < 3; ++i ) {
		t[i] = dbvhi_dot3( between, a->axis[i] );
		for ( int j = 0; j < 3; ++j ) {
			r[i][j] = dbvhi_dot3( a->axis[i], b->axis[j] );
			size[i][j] = fabs( r[i][j] );
		}
		if ( fabs( t[i] ) > ha[i] + dbvhi_dot3( hb, size[i] ) + m )
			return true;
	}
	for ( int j = 0; j < 3; ++j ) {
		const double of_a = ha[0] * size[0][j] + ha[1] * size[1][j] + ha[2] * size[2][j];
		if ( fabs( dbvhi_dot3( between, b->axis[j] ) ) > of_a + hb[j] + m )
			return true;
	}
	for ( int i = 0; i < 3; ++i ) {
		const int i1 = ( i + 1 ) % 3, i2 = ( i + 2 ) % 3;
		for ( int j = 0; j < 3; ++j ) {
			const int j1 = ( j + 1 ) % 3, j2 = ( j + 2 ) % 3;
			const double of_a = ha[i1] * size[i2][j] + ha[i2] * size[i1][j];
			const double of_b = hb[j1] * size[i][j2] + hb[j2] * size[i][j1];
			if ( fabs( t[i2] * r[i1][j] - t[i1] * r[i2][j] ) > of_a + of_b + m )
				return true;
		}
	}
	return false;
}

// The growth of a body's box, in addition to the reach of its rules.
static double own_growth( const dbvh_scene *scene, const dbvhi_body *body ) {
	return 8.0 * scene->deviation * body->tree->largest +
	       dbvhi_stretched( body->options.sag + body->options.radius, scene->deviation );
}

static void place_body( dbvh_scene *scene, uint32_t number, double rule_reach ) {
	dbvhi_body *body = &scene->bodies[number];
	double box[DBVHI_BOX_NUMBERS];
	body->reach = rule_reach;
	if ( body->tree == NULL ) {
		dbvhi_broad_phase_set( &scene->phase, number, dbvhi_box_nowhere );
		return;
	}
	body->revision = body->tree->revision;
	// Half of the reach from either side.
	const double reach = 0.5 * dbvhi_stretched( rule_reach, scene->deviation );
	dbvhi_posed_box( body->tree, &body->pose, own_growth( scene, body ) + reach, box );
	dbvhi_broad_phase_set( &scene->phase, number, box );
}

// Is its box to be made, if `now` is what boxes are made by?
static bool is_stale( const dbvh_scene *scene, uint32_t number, const dbvhi_placing *now ) {
	const dbvhi_body *body = &scene->bodies[number];
	return scene->unplaced.has[number] || now->deviation != scene->placed.deviation ||
	       scene->reaches[number] != body->reach || ( body->tree != NULL && body->tree->revision != body->revision );
}

static dbvh_status place_all( dbvh_scene *scene, const dbvhi_placing *now, dbvhi_meter *watch ) {
	if ( !dbvhi_grow_array( &scene->allocator, &scene->reaches, &scene->reach_capacity, scene->body_end,
	                        sizeof( double ) ) )
		return DBVH_OUT_OF_MEMORY;
	scene->reach_count = scene->body_end;
	scene->common_reach = dbvhi_rules_reach( &scene->rules, scene->reaches, scene->body_end );
	for ( uint32_t i = 0; i < scene->body_end; ++i ) {
		const dbvh_tree *tree = scene->bodies[i].tree;
		if ( tree != NULL && tree->largest > scene->largest ) // a refit
			scene->largest = tree->largest;
		if ( !is_stale( scene, i, now ) )
			continue;
		place_body( scene, i, scene->reaches[i] );
		if ( !dbvhi_meter_charge( watch, 16 ) )
			return dbvhi_purse_status( watch->purse );
	}
	scene->placed = *now;
	dbvhi_number_set_clear( &scene->unplaced );
	return DBVH_OK;
}

dbvh_status dbvhi_scene_update( dbvh_scene *scene, dbvhi_meter *watch ) {
	dbvh_status status = DBVH_OK;
	if ( scene->phase.count != scene->body_end )
		status = dbvhi_broad_phase_resize( &scene->phase, scene->body_end );
	const dbvhi_placing now = { scene->rules.version, dbvhi_tree_refits(), scene->deviation }, *made = &scene->placed;
	if ( status == DBVH_OK &&
	     ( now.rules != made->rules || now.refits != made->refits || now.deviation != made->deviation ) )
		status = place_all( scene, &now, watch );
	if ( status != DBVH_OK )
		return status;
	for ( size_t i = 0; i < scene->unplaced.count; ++i ) {
		const uint32_t number = scene->unplaced.numbers[i];
		place_body( scene, number, scene->bodies[number].reach );
	}
	dbvhi_number_set_clear( &scene->unplaced );
	return dbvhi_broad_phase_update( &scene->phase, watch );
}

dbvh_status dbvhi_scene_update_for( dbvh_scene *scene, const dbvh_budget *budget ) {
	dbvh_budget watched = { 0 };
	if ( budget != NULL )
		watched = ( dbvh_budget ){ .is_cancelled = budget->is_cancelled, .user = budget->user };
	dbvhi_purse purse;
	dbvhi_meter watch;
	dbvhi_meter_open( &watch, &purse, watched.is_cancelled != NULL ? &watched : NULL );
	return dbvhi_scene_update( scene, &watch );
}
