// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The overlap of two bodies as a body, and how deep they penetrate each other.

#include "web.h"

#include <string.h>

static dbvh_overlap *overlap;

// Measures are doubles alone: intervals of volume, area, centroid and box.
enum { WEB_MEASURE_NUMBERS = 22 };
_Static_assert( sizeof( dbvh_overlap_measure ) == WEB_MEASURE_NUMBERS * sizeof( double ), "a measure is 22 doubles" );

static double *put_measure( double *out, const dbvh_overlap_measure *measure ) {
	memcpy( out, measure, sizeof *measure );
	return out + WEB_MEASURE_NUMBERS;
}

// Writes kind, reason, body, triangle, other triangle, the numbers of components, vertices and faces, and the measure.
dbvh_status WEB_EXPORT( web_overlap )( const dbvh_tree *a, const double *pose_a, const dbvh_tree *b,
                                       const double *pose_b, double relative_width, bool mesh, bool open_holds_nothing,
                                       double max_work, double *out ) {
	dbvh_pose rooms[2];
	const dbvh_budget budget = { .max_work = (uint64_t)max_work };
	const dbvh_overlap_query query = { .relative_width = relative_width,
	                                   .mesh = mesh,
	                                   .open_holds_nothing = open_holds_nothing,
	                                   .budget = max_work > 0 ? &budget : NULL };
	if ( overlap == NULL && dbvh_overlap_create( NULL, &overlap, &web_error ) != DBVH_OK )
		return DBVH_OUT_OF_MEMORY;
	dbvh_overlap_result r;
	const dbvh_status status = dbvh_overlap_find( a, web_pose( pose_a, &rooms[0] ), b, web_pose( pose_b, &rooms[1] ),
	                                              &query, overlap, &r, &web_error );
	const dbvh_overlap_view view = dbvh_overlap_get( overlap );
	const double row[8] = { r.kind,
	                        r.reason,
	                        r.body,
	                        r.triangle,
	                        r.other_triangle,
	                        (double)view.component_count,
	                        (double)view.vertex_count,
	                        (double)view.face_count };
	put_measure( web_put( out, row, 8 ), &r.measure );
	return status;
}

// Writes ten numbers and a measure a component: kind, patches of A and of B, loops, shells, point, first face, faces.
void WEB_EXPORT( web_overlap_components )( double *out ) {
	const dbvh_overlap_view view = dbvh_overlap_get( overlap );
	for ( size_t i = 0; i < view.component_count; ++i ) {
		const dbvh_overlap_component *c = &view.components[i];
		const double row[10] = {
		    c->kind,     c->patches_a,          c->patches_b,         c->loops, c->shells, c->point[0], c->point[1],
		    c->point[2], (double)c->first_face, (double)c->face_count };
		out = put_measure( web_put( out, row, 10 ), &c->measure );
	}
}

// Writes the addresses of the mesh's vertices, indices and sources.
void WEB_EXPORT( web_overlap_mesh )( double *out ) {
	const dbvh_overlap_view view = dbvh_overlap_get( overlap );
	out[0] = (double)(uintptr_t)view.vertices;
	out[1] = (double)(uintptr_t)view.indices;
	out[2] = (double)(uintptr_t)view.sources;
}

// ------------------------------------------------------------------------------------------------
// Depth

enum { WEB_PENETRATION_COLUMNS = 9 };  // depth, translation, relation, proof, reached, status
enum { WEB_LOCAL_DEPTH_COLUMNS = 28 }; // eleven numbers a side, least, verdict, relation, reached, status

dbvh_status WEB_EXPORT( web_penetration_depth )( const dbvh_tree *a, const double *pose_a, const dbvh_tree *b,
                                                 double *poses_b, size_t count, bool strict, double relative_width,
                                                 double max_work, double *out ) {
	web_query q;
	if ( !web_read_query( &q, pose_a, poses_b, count, max_work, sizeof( dbvh_penetration_result ) ) )
		return DBVH_OUT_OF_MEMORY;
	const dbvh_penetration_query query = { .strict = strict, .relative_width = relative_width, .budget = q.budget };
	dbvh_penetration_result *results = q.results;
	const dbvh_status status =
	    dbvh_penetration_depth_batch( a, q.pose_a, b, q.poses_b, count, &query, &q.options, results, &web_error );
	for ( size_t i = 0; i < count; ++i ) {
		const dbvh_penetration_result *r = &results[i];
		const double row[WEB_PENETRATION_COLUMNS] = { r->depth.lower,    r->depth.upper,    r->translation[0],
		                                              r->translation[1], r->translation[2], r->relation,
		                                              r->proof,          r->reached,        r->status };
		memcpy( out + WEB_PENETRATION_COLUMNS * i, row, sizeof row );
	}
	return status;
}

// Sides are doubles alone: depth, deepest, nearest, direction.
_Static_assert( sizeof( dbvh_local_depth_side ) == 11 * sizeof( double ), "a side is 11 doubles" );

dbvh_status WEB_EXPORT( web_local_depth )( const dbvh_tree *a, const double *pose_a, const dbvh_tree *b,
                                           double *poses_b, size_t count, double relative_width, double allowed_depth,
                                           double max_work, double *out ) {
	web_query q;
	if ( !web_read_query( &q, pose_a, poses_b, count, max_work, sizeof( dbvh_local_depth_result ) ) )
		return DBVH_OUT_OF_MEMORY;
	const dbvh_local_depth_query query = {
	    .relative_width = relative_width, .allowed_depth = allowed_depth, .budget = q.budget };
	dbvh_local_depth_result *results = q.results;
	const dbvh_status status =
	    dbvh_local_depth_batch( a, q.pose_a, b, q.poses_b, count, &query, &q.options, results, &web_error );
	for ( size_t i = 0; i < count; ++i ) {
		const dbvh_local_depth_result *r = &results[i];
		memcpy( out, &r->a_in_b, sizeof r->a_in_b );
		memcpy( out + 11, &r->b_in_a, sizeof r->b_in_a );
		out += 22;
		const double row[6] = { r->least.lower, r->least.upper, r->verdict, r->relation, r->reached, r->status };
		out = web_put( out, row, 6 );
	}
	return status;
}
