// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "query/depth/solid.h"

#include "base/assert.h"
#include "query/relation/relation.h"

#include <math.h>
#include <string.h>

typedef struct nearest {
	dbvhi_visitor visitor; // note: must be the first member; visit_near() casts from it
	const dbvhi_placed_mesh *placed;
	const double *point;
	double slack; // bounds distances in the frame of the mesh over those in the common one
	dbvhi_near near;
	double limit;
} nearest;

static double visit_near( dbvhi_visitor *visitor, uint32_t leaf ) {
	nearest *n = (nearest *)visitor;
	double image[9];
	dbvhi_placed_image( n->placed, leaf, image );
	visitor->counters.triangle_tests += 1;
	const dbvhi_point_range range = dbvhi_point_filter( image, n->point, n->placed->error );
	n->near.low = fmin( n->near.low, range.low );
	if ( range.high < n->near.high ) {
		n->near.high = range.high;
		n->near.leaf = leaf;
	}
	return fmin( n->near.high, n->limit ) * n->slack;
}

dbvhi_near dbvhi_solid_near( const dbvhi_solid *solid, const double point[3], uint32_t hint, double limit ) {
	nearest n = { .placed = &solid->placed,
	              .point = point,
	              .slack = 1.0 + 2.0 * solid->placed.deviation + 0x1p-40,
	              .near = { INFINITY, INFINITY, UINT32_MAX },
	              .limit = limit };
	dbvhi_visitor_init( &n.visitor, visit_near, limit * n.slack, solid->meter );
	if ( hint != UINT32_MAX )
		n.visitor.reach = visit_near( &n.visitor, hint );
	double error;
	const dbvhi_vec local = dbvhi_placed_point( &solid->placed, point, &error );
	dbvhi_walk_point( solid->placed.tree, local, error, solid->workspace, &n.visitor );
	dbvhi_work_charge( &n.visitor.work, n.visitor.counters.box_tests / 4, &n.visitor.counters );
	// note: triangles that were not visited are beyond the limit, or beyond the nearest one.
	n.near.low = fmin( n.near.low, fmin( n.near.high, limit ) );
	if ( n.visitor.is_cut_short )
		n.near.low = 0.0;
	return n.near;
}

bool dbvhi_solid_holds( const dbvhi_solid *solid, const double point[3], const dbvhi_near *near ) {
	dbvhi_exact_point exact;
	dbvhi_exact_point_at_corner( &exact, ( dbvhi_corner ){ point, false }, solid->rays.pose, 0.0 );
	dbvhi_meter_charge( solid->meter, 64 + dbvhi_meter_long_steps( solid->meter ) );
	const bool is_off = near != NULL && near->low > 0.0;
	if ( !is_off && dbvhi_is_on_surface( &solid->rays, &exact, true ) )
		return false;
	const dbvhi_perturbed_point perturbed = { .point = &exact, .level_count = 0 };
	return ( dbvhi_is_inside( &solid->rays, &perturbed, 0 ) & DBVHI_ENCLOSED ) != 0;
}

// The nearest point of a triangle by its Voronoi regions (Ericson 2005, section 5.1.5). The corners are seen from the
// point.
void dbvhi_solid_foot( const dbvhi_solid *solid, uint32_t leaf, const double point[3], double foot_out[3] ) {
	double c[9], w[3] = { 0.0, 0.0, 0.0 }, ab[3], ac[3];
	dbvhi_solid_image( solid, leaf, c );
	for ( int k = 0; k < 3; ++k ) {
		ab[k] = c[3 + k] - c[k];
		ac[k] = c[6 + k] - c[k];
	}
	double d[6];
	for ( int i = 0; i < 3; ++i ) {
		d[2 * i] = d[2 * i + 1] = 0.0;
		for ( int k = 0; k < 3; ++k ) {
			d[2 * i] += ab[k] * ( point[k] - c[3 * i + k] );
			d[2 * i + 1] += ac[k] * ( point[k] - c[3 * i + k] );
		}
	}
	const double vc = d[0] * d[3] - d[2] * d[1], vb = d[4] * d[1] - d[0] * d[5], va = d[2] * d[5] - d[4] * d[3];
	if ( d[0] <= 0.0 && d[1] <= 0.0 ) {
		w[0] = 1.0;
	} else if ( d[2] >= 0.0 && d[3] <= d[2] ) {
		w[1] = 1.0;
	} else if ( d[5] >= 0.0 && d[4] <= d[5] ) {
		w[2] = 1.0;
	} else if ( vc <= 0.0 && d[0] >= 0.0 && d[2] <= 0.0 ) {
		w[1] = d[0] / ( d[0] - d[2] );
		w[0] = 1.0 - w[1];
	} else if ( vb <= 0.0 && d[1] >= 0.0 && d[5] <= 0.0 ) {
		w[2] = d[1] / ( d[1] - d[5] );
		w[0] = 1.0 - w[2];
	} else if ( va <= 0.0 && d[3] - d[2] >= 0.0 && d[4] - d[5] >= 0.0 ) {
		w[2] = ( d[3] - d[2] ) / ( ( d[3] - d[2] ) + ( d[4] - d[5] ) );
		w[1] = 1.0 - w[2];
	} else {
		w[1] = vb / ( va + vb + vc );
		w[2] = vc / ( va + vb + vc );
		w[0] = 1.0 - w[1] - w[2];
	}
	for ( int k = 0; k < 3; ++k )
		foot_out[k] = w[0] * c[k] + w[1] * c[3 + k] + w[2] * c[6 + k];
}

double dbvhi_length3( const double v[3] ) {
	const double most = fmax( fabs( v[0] ), fmax( fabs( v[1] ), fabs( v[2] ) ) );
	if ( !( most > 0.0 && most < INFINITY ) )
		return most;
	const double x = v[0] / most, y = v[1] / most, z = v[2] / most;
	return most * sqrt( x * x + y * y + z * z );
}

bool dbvhi_normalise3( double v[3] ) {
	const double length = dbvhi_length3( v );
	if ( !( length > 0x1p-1000 && length < INFINITY ) )
		return false;
	for ( int k = 0; k < 3; ++k )
		v[k] /= length;
	return true;
}

// True if the content of `a` is behind that of `b` in an order that names neither first.
static bool is_behind( const dbvh_tree *a, const dbvh_tree *b ) {
	if ( a == b )
		return false;
	if ( a->mesh_triangle_count != b->mesh_triangle_count )
		return a->mesh_triangle_count > b->mesh_triangle_count;
	for ( size_t i = 0; i < a->mesh_triangle_count; ++i ) {
		const double *p = a->corners + 9 * (size_t)a->leaf[i], *q = b->corners + 9 * (size_t)b->leaf[i];
		for ( int k = 0; k < 9; ++k ) {
			if ( p[k] != q[k] )
				return p[k] > q[k];
		}
	}
	return false;
}

static dbvh_status place( dbvhi_solid *solid, const dbvh_tree *tree, const dbvh_pose *pose, bool moved,
                          dbvhi_solid_pair *pair ) {
	*solid =
	    ( dbvhi_solid ){ .rays = dbvhi_place( tree, pose, moved ), .workspace = pair->workspace, .meter = pair->meter };
	return dbvhi_placed_init( tree, moved ? pose : NULL, &solid->placed );
}

dbvh_status dbvhi_solid_pair_init( dbvhi_solid_pair *out, const dbvh_tree *a, const dbvh_pose *pose_a,
                                   const dbvh_tree *b, const dbvh_pose *pose_b, dbvh_workspace *workspace,
                                   dbvhi_meter *meter ) {
	dbvh_status status = dbvhi_mesh_pair_init( &out->pair, a, pose_a, b, pose_b );
	if ( status != DBVH_OK )
		return status;
	dbvhi_mesh_pair *p = &out->pair;
	const dbvh_pose identity = dbvh_pose_identity();
	if ( memcmp( &p->pose, &identity, sizeof identity ) == 0 && is_behind( p->fixed, p->moved ) ) {
		const dbvh_tree *fixed = p->fixed;
		p->fixed = p->moved;
		p->moved = fixed;
		p->a_moves = !p->a_moves;
	}
	out->workspace = workspace;
	out->meter = meter;
	status = dbvhi_workspace_require( workspace, a, b, 0 );
	if ( status == DBVH_OK )
		status = place( &out->solid[0], p->fixed, &p->pose, false, out );
	if ( status == DBVH_OK )
		status = place( &out->solid[1], p->moved, &p->pose, true, out );
	// note: rows of a pose sum up to at most sqrt(3), and a little.
	out->size = p->fixed->largest + 2.0 * p->moved->largest;
	for ( int k = 0; k < 3; ++k )
		out->size += fabs( p->pose.pos[k] );
	out->slack = 0x1p-44 * out->size + 0x1p-1060;
	return status;
}

dbvh_status dbvhi_solid_pair_try( const dbvhi_solid_pair *pair, const double shift[3], dbvhi_trial *out ) {
	*out = ( dbvhi_trial ){ .pose = pair->pair.pose };
	for ( int k = 0; k < 3; ++k )
		out->pose.pos[k] += shift[k];
	return dbvhi_relate_interiors( pair->pair.fixed, NULL, pair->pair.moved, &out->pose, pair->workspace, pair->meter,
	                               &out->common, &out->touching, &out->first );
}

dbvh_status dbvhi_solid_pair_relate( const dbvhi_solid_pair *pair, dbvh_relation *relation_out ) {
	const dbvh_relate_query exact = { .touch_gap = 0.0 };
	dbvh_relate_result result;
	const dbvh_status status = dbvhi_relate( pair->pair.fixed, NULL, pair->pair.moved, &pair->pair.pose, &exact,
	                                         pair->workspace, pair->meter, &result );
	*relation_out = result.relation;
	if ( pair->pair.a_moves && result.relation == DBVH_RELATION_A_IN_B )
		*relation_out = DBVH_RELATION_B_IN_A;
	else if ( pair->pair.a_moves && result.relation == DBVH_RELATION_B_IN_A )
		*relation_out = DBVH_RELATION_A_IN_B;
	return status;
}
