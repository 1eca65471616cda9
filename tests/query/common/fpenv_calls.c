// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "fpenv_calls.h"

#include "fpenv_answers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROOM 512

// ------------------------------------------------------------------------------------------------
// Trees and queries

static void put_result( answers *out, const dbvh_collide_result *r, const dbvh_pair *pairs ) {
	put( out, r->verdict );
	put( out, (uint64_t)r->first.a << 32 | r->first.b );
	put( out, r->status );
	put( out, r->pair_count );
	for ( size_t i = 0; pairs != NULL && i < r->pair_written; ++i )
		put( out, (uint64_t)pairs[i].a << 32 | pairs[i].b );
}

static void put_line( answers *out, const dbvh_raycast_result *r ) {
	put( out, r->intersects );
	put( out, r->hit_count );
	put( out, r->first.triangle );
	put_doubles( out, &r->first.t, 1 );
	put_doubles( out, r->first.point, 3 );
}

static void put_nearest( answers *out, const dbvh_closest_point_result *r ) {
	put( out, r->found );
	put( out, r->triangle );
	put_doubles( out, &r->distance, 1 );
	put_doubles( out, r->point, 3 );
}

static void put_motion( answers *out, const dbvh_toi_result *r ) {
	put( out, r->verdict );
	put_doubles( out, &r->time, 1 );
	put_doubles( out, &r->upper, 1 );
	put_doubles( out, &r->distance, 1 );
	put( out, (uint64_t)r->pair.a << 32 | r->pair.b );
	put_doubles( out, r->point_a, 3 );
	put_doubles( out, r->point_b, 3 );
	put_doubles( out, r->normal, 3 );
}

static void put_contacts( answers *out, const dbvh_contacts *contacts ) {
	const dbvh_contacts_view v = dbvh_contacts_get( contacts );
	put( out, v.contact_count );
	for ( size_t i = 0; i < v.point_count; ++i ) {
		put_doubles( out, v.points[i].position, 3 );
		put( out, v.points[i].steps );
	}
	for ( size_t i = 0; i < v.polyline_count; ++i )
		put_doubles( out, &v.polylines[i].length, 1 );
	for ( size_t i = 0; i < v.cluster_count; ++i ) {
		put_doubles( out, v.clusters[i].bounds.min, 3 );
		put_doubles( out, v.clusters[i].bounds.max, 3 );
		put_doubles( out, &v.clusters[i].length, 1 );
		put_doubles( out, &v.clusters[i].area, 1 );
	}
}

static void call_trees( const call_scene *s, answers *out ) {
	dbvh_tree *tree = NULL;
	dbvh_tree_options options = s->options;
	options.thread_count = out->threads;
	ASK( dbvh_tree_build( &s->views[0], &options, NULL, &tree, NULL ) );
	if ( tree == NULL )
		return;
	const dbvh_tree_stats stats = dbvh_tree_get_stats( tree );
	put( out, stats.content_hash );
	put( out, stats.bytes );
	put( out, stats.ellipsoid_packed );
	put_doubles( out, stats.sphere.centre, 3 );
	put_doubles( out, &stats.sphere.radius, 1 );
	if ( options.topology ) {
		double points[ROOM][3];
		size_t loops = 0, count = 0;
		ASK( dbvh_tree_open_loops( tree, DBVH_ALL_COMPONENTS, NULL, 0, points, ROOM, &loops, &count, NULL ) );
		put( out, loops );
		put_doubles( out, points[0], 3 * ( count < ROOM ? count : ROOM ) );
	}
	put_doubles( out, stats.box.half, 3 );
	dbvh_tree_node nodes[3];
	size_t node_count = 0;
	ASK( dbvh_tree_get_nodes( tree, nodes, 3, NULL, 0, &node_count, NULL ) );
	for ( size_t i = 0; i < node_count; ++i ) {
		put_doubles( out, nodes[i].box.centre, 3 );
		put_doubles( out, nodes[i].sphere.centre, 3 );
	}
	ASK( dbvh_tree_refit( tree, &s->views[0], NULL ) );
	const dbvh_tree_stats refitted = dbvh_tree_get_stats( tree );
	put_doubles( out, &refitted.sphere.radius, 1 );
	put_doubles( out, refitted.box.half, 3 );
	ASK( dbvh_tree_validate( tree, NULL ) );
	put( out, dbvh_tree_validate( s->trees[0], NULL ) );
	dbvh_tree_destroy( tree );
}

static void call_tree_files( const call_scene *s, answers *out ) {
	static _Alignas( 64 ) uint8_t bytes[1 << 20];
	char path[64]; // several programs of one folder may call this at once
	snprintf( path, sizeof path, "fpenv_calls_tree_%ld.dbvh", (long)getpid() );
	const dbvh_tree_load_options whole = { .check = DBVH_FILE_CHECK_WHOLE, .thread_count = 1 };
	dbvh_tree *back[4] = { NULL };
	dbvh_mesh *mesh = NULL;
	dbvh_cache_report report;
	size_t count = 0;
	ASK( dbvh_tree_write( s->trees[0], bytes, sizeof bytes, &count, NULL ) );
	if ( count > sizeof bytes )
		exit( 1 );
	put_bytes( out, bytes, count );
	ASK( dbvh_tree_parse( bytes, count, &whole, NULL, &back[0], NULL ) );
	ASK( dbvh_tree_borrow( bytes, count, &whole, NULL, &back[1], NULL ) );
	ASK( dbvh_tree_get_mesh( s->trees[0], NULL, &mesh, NULL ) );
	put( out, dbvh_mesh_get_view( mesh ).vertex_count );
	ASK( dbvh_tree_key( &s->views[0], NULL ) );
	ASK( dbvh_tree_build_cached( &s->views[0], NULL, "no/such/folder", false, NULL, NULL, &back[2], &report, NULL ) );
	put( out, report.error.status );
	if ( s->has_files ) { // brought to the disk, which takes its time
		ASK( dbvh_tree_save( s->trees[0], path, NULL ) );
		ASK( dbvh_tree_load( path, &whole, NULL, &back[3], NULL ) );
		dbvh_tree_destroy( back[3] );
		ASK( dbvh_tree_map( path, &whole, NULL, &back[3], NULL ) );
		remove( path );
	}
	dbvh_mesh_destroy( mesh );
	for ( int i = 0; i < 4; ++i )
		dbvh_tree_destroy( back[i] );
}

static void put_side( answers *out, const dbvh_local_depth_side *side ) {
	put_doubles( out, &side->depth.lower, 2 );
	put_doubles( out, side->deepest, 3 );
	put_doubles( out, side->nearest, 3 );
	put_doubles( out, side->direction, 3 );
}

static void call_depths( const call_scene *s, dbvh_workspace *workspace, const dbvh_batch_options *batch,
                         answers *out ) {
	const dbvh_tree *const a = s->trees[0], *const b = s->trees[1];
	const dbvh_pose *const pa = &s->poses[0], *const pb = &s->poses[1];
	const dbvh_budget budget = { .max_work = 20000 };
	const dbvh_penetration_query q = { .budget = &budget };
	dbvh_penetration_result depth, depths[2];
	ASK( dbvh_penetration_depth( a, pa, b, pb, &q, workspace, &depth, NULL ) );
	put_doubles( out, &depth.depth.lower, 2 );
	put_doubles( out, depth.translation, 3 );
	put_pose( out, &depth.pose_b );
	ASK( dbvh_penetration_depth_batch( a, pa, b, s->poses, 2, &q, batch, depths, NULL ) );
	for ( int i = 0; i < 2; ++i )
		put_doubles( out, &depths[i].depth.lower, 2 );
	dbvh_penetration_along_result along;
	ASK( dbvh_penetration_along( a, pa, b, pb, s->directions[0], &q, workspace, &along, NULL ) );
	put_doubles( out, &along.first_free.lower, 2 );
	put_doubles( out, &along.free_for_good.lower, 2 );
	const dbvh_local_depth_query local = { .budget = &budget };
	dbvh_local_depth_result fit, fits[2];
	ASK( dbvh_local_depth( a, pa, b, pb, &local, workspace, &fit, NULL ) );
	put_side( out, &fit.a_in_b );
	put_side( out, &fit.b_in_a );
	put( out, fit.verdict );
	ASK( dbvh_local_depth_batch( a, pa, b, s->poses, 2, &local, batch, fits, NULL ) );
	for ( int i = 0; i < 2; ++i )
		put_doubles( out, &fits[i].least.lower, 2 );
}

static void call_queries( const call_scene *s, answers *out ) {
	const dbvh_tree *const a = s->trees[0], *const b = s->trees[1];
	const dbvh_pose *const pa = &s->pose_a, *const pb = &s->poses[0];
	dbvh_workspace *workspace = NULL;
	dbvh_contacts *contacts = NULL;
	dbvh_pair pairs[ROOM];
	dbvh_collide_result result, results[4];
	if ( dbvh_workspace_create( NULL, &workspace, NULL ) != DBVH_OK ||
	     dbvh_contacts_create( NULL, &contacts, NULL ) != DBVH_OK )
		exit( 1 );
	for ( int i = 0; i < 2; ++i ) {
		for ( int find = 0; find < 2; ++find ) {
			const dbvh_collide_query query = { .find = (dbvh_find)find,
			                                   .policy = i == 0 ? DBVH_POLICY_DEFAULT : s->policy,
			                                   .pairs = pairs,
			                                   .pair_capacity = ROOM,
			                                   .thread_count = find == DBVH_FIND_ALL ? out->threads : 1 };
			ASK( dbvh_collide( a, pa, b, pb, &query, workspace, &result, NULL ) );
			put_result( out, &result, query.find == DBVH_FIND_ALL ? pairs : NULL );
		}
	}
	const dbvh_collide_query first = { .find = DBVH_FIND_ANY };
	dbvh_cache cache = dbvh_cache_default();
	for ( int i = 0; i < 4; ++i ) {
		ASK( dbvh_collide_cached( a, pa, b, &s->poses[i / 2], &first, &cache, workspace, &result, NULL ) );
		put_result( out, &result, NULL );
	}
	const dbvh_batch_options batch = { .thread_count = out->threads, .grain = 1 };
	ASK( dbvh_collide_batch( a, pa, b, s->poses, 4, &first, &batch, results, NULL ) );
	for ( int i = 0; i < 4; ++i )
		put_result( out, &results[i], NULL );
	const dbvh_clearance_query near_ones = {
	    .max_distance = s->reach, .find = DBVH_FIND_ALL, .pairs = pairs, .pair_capacity = ROOM };
	dbvh_clearance_result clearance;
	ASK( dbvh_check_clearance( a, pa, b, pb, &near_ones, workspace, &clearance, NULL ) );
	put( out, clearance.within );
	put( out, clearance.pair_count );
	for ( size_t i = 0; i < clearance.pair_written; ++i )
		put( out, (uint64_t)pairs[i].a << 32 | pairs[i].b );
	bool meet = false;
	ASK( dbvh_triangles_intersect( (const dbvh_triangle *)( s->triangles[0] ),
	                               (const dbvh_triangle *)( s->triangles[1] ), pb, &meet, NULL ) );
	put( out, meet );
	ASK( dbvh_triangles_self_intersect( (const dbvh_triangle *)( s->triangles[0] ),
	                                    (const dbvh_triangle *)( s->triangles[1] ), &meet, NULL ) );
	put( out, meet );
	dbvh_triangles_distance_result measured;
	ASK( dbvh_triangles_distance( (const dbvh_triangle *)s->triangles[0], (const dbvh_triangle *)s->triangles[1], pb,
	                              &measured, NULL ) );
	put_doubles( out, &measured.distance, 1 );
	put_doubles( out, measured.point_a, 3 );
	put_doubles( out, measured.point_b, 3 );
	dbvh_distance_result d;
	ASK( dbvh_distance( a, pa, b, pb, NULL, workspace, &d, NULL ) );
	put_doubles( out, &d.distance, 1 );
	put_doubles( out, d.between, 3 );
	put_doubles( out, d.point_a, 3 );
	put( out, (uint64_t)d.pair.a << 32 | d.pair.b );
	const dbvh_distance_query reference = { .policy = DBVH_POLICY_DUAL };
	ASK( dbvh_distance( a, pa, b, pb, &reference, workspace, &d, NULL ) );
	put_doubles( out, &d.distance, 1 );
	dbvh_distance_result distances[4];
	ASK( dbvh_distance_batch( a, pa, b, s->poses, 4, NULL, &batch, distances, NULL ) );
	dbvh_clearance_result clearances[4];
	const dbvh_clearance_query near_by = { .max_distance = s->reach };
	ASK( dbvh_check_clearance_batch( a, pa, b, s->poses, 4, &near_by, &batch, clearances, NULL ) );
	for ( int i = 0; i < 4; ++i ) {
		put_doubles( out, &distances[i].distance, 1 );
		put( out, clearances[i].within );
	}

	dbvh_relate_result relation, relations[4];
	ASK( dbvh_relate_batch( a, pa, b, s->poses, 4, NULL, &batch, relations, NULL ) );
	for ( int i = 0; i < 4; ++i )
		put( out, relations[i].relation );
	ASK( dbvh_relate( a, pa, b, pb, NULL, workspace, &relation, NULL ) );
	put( out, relation.relation );
	put( out, relation.undecided );
	for ( int i = 0; i < 3; ++i ) {
		dbvh_location location = DBVH_LOCATION_OUTSIDE;
		ASK( dbvh_locate_point( a, pa, s->points[i], &location, NULL ) );
		put( out, location );
	}
	ASK( dbvh_contacts_find( a, pa, b, pb, &( dbvh_contacts_query ){ .thread_count = out->threads }, contacts, NULL ) );
	put_contacts( out, contacts );
	dbvh_extent extents[3];
	bool common = false;
	ASK( dbvh_overlap_extents( a, pa, b, pb, (const double *)s->directions, 3,
	                           &( dbvh_contacts_query ){ .thread_count = out->threads }, contacts, extents, &common,
	                           NULL ) );
	for ( int i = 0; i < 3 && common; ++i ) {
		put_doubles( out, &extents[i].min, 1 );
		put_doubles( out, &extents[i].max, 1 );
	}
	dbvh_overlap *overlap = NULL;
	ASK( dbvh_overlap_create( NULL, &overlap, NULL ) );
	for ( int mesh = 0; mesh < 2; ++mesh ) {
		dbvh_overlap_result overlapping;
		const dbvh_overlap_query asked = { .mesh = mesh == 1, .thread_count = out->threads };
		ASK( dbvh_overlap_find( a, pa, b, pb, &asked, overlap, &overlapping, NULL ) );
		put_doubles( out, (const double *)&overlapping.measure, sizeof overlapping.measure / sizeof( double ) );
		put( out, overlapping.kind );
		const dbvh_overlap_view view = dbvh_overlap_get( overlap );
		put_doubles( out, view.vertices, 3 * view.vertex_count );
		put_bytes( out, view.indices, 3 * view.face_count * sizeof *view.indices );
	}
	dbvh_component_depth parts[2];
	dbvh_overlap_result overlapping;
	dbvh_local_depth_result deep;
	const dbvh_budget budget = { .max_work = 20000 };
	const dbvh_local_depth_query local = { .budget = &budget };
	memset( parts, 0, sizeof parts );
	ASK( dbvh_local_depth_components( a, pa, b, pb, &local, overlap, parts, 2, &overlapping, &deep, NULL ) );
	put_side( out, &deep.a_in_b );
	put_side( out, &deep.b_in_a );
	for ( int i = 0; i < 2; ++i ) {
		put_side( out, &parts[i].a_in_b );
		put_doubles( out, parts[i].normal, 3 );
	}
	dbvh_overlap_destroy( overlap );
	dbvh_overlap_result overlaps[4];
	ASK( dbvh_overlap_batch( a, pa, b, s->poses, 4, NULL, &batch, overlaps, NULL ) );
	for ( int i = 0; i < 4; ++i )
		put_doubles( out, &overlaps[i].measure.volume.lower, 2 );
	if ( s->has_separation ) {
		dbvh_separation separation;
		memset( &separation, 0, sizeof separation );
		ASK( dbvh_separating_translation( a, pa, b, pb, NULL, contacts, &separation, NULL ) );
		put_doubles( out, separation.translation, 3 );
		put_pose( out, &separation.pose_b );
	}
	call_depths( s, workspace, &batch, out );
	const dbvh_collide_query self = {
	    .find = DBVH_FIND_ALL, .pairs = pairs, .pair_capacity = ROOM, .thread_count = out->threads };
	ASK( dbvh_self_collide( a, &self, workspace, &result, NULL ) );
	put_result( out, &result, pairs );
	dbvh_contacts_destroy( contacts );
	dbvh_workspace_destroy( workspace );
}

static void call_probes( const call_scene *s, answers *out ) {
	const dbvh_tree *const a = s->trees[0];
	const dbvh_pose *const pa = &s->poses[0];
	const dbvh_batch_options batch = { .thread_count = out->threads, .grain = 1 };
	dbvh_raycast_result line, lines[3];
	dbvh_closest_point_result nearest, near[3];
	dbvh_ray_hit hits[ROOM];
	const dbvh_raycast_query first = { .find = DBVH_FIND_CLOSEST };
	const dbvh_raycast_query all = { .find = DBVH_FIND_ALL, .hits = hits, .hit_capacity = ROOM };
	for ( int i = 0; i < 3; ++i ) {
		ASK( line_cast( a, pa, &s->lines[i], &all, NULL, &line, NULL ) );
		put_line( out, &line );
		for ( size_t k = 0; k < line.hit_written; ++k ) {
			put( out, hits[k].triangle );
			put_doubles( out, &hits[k].t, 1 );
			put_doubles( out, hits[k].point, 3 );
		}
		ASK( dbvh_closest_point( a, pa, s->points[i], &( dbvh_closest_point_query ){ .limit = s->farthest[i] }, NULL,
		                         &nearest, NULL ) );
		put_nearest( out, &nearest );
	}
	ASK( line_cast_batch( a, pa, s->lines, 1, &first, &batch, lines, NULL ) );
	ASK( line_cast_batch( a, pa, s->lines + 1, 2, &first, &batch, lines + 1, NULL ) );
	for ( int i = 0; i < 3; ++i )
		put_line( out, &lines[i] );
	ASK( dbvh_closest_point_batch( a, pa, &s->points[0][0], 3, &( dbvh_closest_point_query ){ .limit = 1.0 }, &batch,
	                               near, NULL ) );
	for ( int i = 0; i < 3; ++i )
		put_nearest( out, &near[i] );
	uint32_t triangles[ROOM];
	for ( int i = 0; i < 7; ++i ) {
		const dbvh_collide_shape_query query = {
		    .find = DBVH_FIND_ALL, .triangles = triangles, .triangle_capacity = ROOM };
		dbvh_collide_shape_result result;
		memset( &result, 0, sizeof result );
		ASK( dbvh_collide_shape( a, pa, &s->shapes[i], &query, NULL, &result, NULL ) );
		put( out, result.triangle_count );
		put_bytes( out, triangles, result.triangle_written * sizeof triangles[0] );
	}
}

static void call_motions( const call_scene *s, answers *out ) {
	const dbvh_tree *const a = s->trees[0], *const b = s->trees[1];
	const dbvh_batch_options batch = { .thread_count = out->threads, .grain = 1 };
	dbvh_toi_result results[3];
	dbvh_motion between;
	memset( &between, 0, sizeof between );
	ASK( dbvh_motion_between( &s->poses[0], &s->poses[1], s->points[0], &between, NULL ) );
	put_doubles( out, between.shift, 3 );
	put_doubles( out, between.axis, 3 );
	put_doubles( out, &between.angle, 1 );
	static const double times[3] = { 0.0, 0.3, 1.0 };
	for ( int i = 0; i < 3; ++i ) {
		dbvh_pose pose;
		ASK( ( pose = dbvh_motion_pose( &s->motions[i], times[i] ), 0 ) );
		put_pose( out, &pose );
		if ( !s->has_sweeps )
			continue;
		ASK( dbvh_time_of_impact( a, i == 2 ? &s->motions[0] : NULL, b, &s->motions[i], NULL, NULL, &results[0],
		                          NULL ) );
		put_motion( out, &results[0] );
	}
	if ( !s->has_sweeps )
		return;
	ASK( dbvh_time_of_impact_batch( a, NULL, b, s->motions, 3, NULL, &batch, results, NULL ) );
	for ( int i = 0; i < 3; ++i )
		put_motion( out, &results[i] );
}

static void call_poses( const call_scene *s, answers *out ) {
	dbvh_pose pose;
	float matrix[16];
	double deviation;
	ASK( ( pose = dbvh_pose_from_quaternion( s->quaternion, s->points[0] ), 0 ) );
	put_pose( out, &pose );
	ASK( ( pose = dbvh_pose_from_column_major_float( s->matrix ), 0 ) );
	put_pose( out, &pose );
	ASK( ( dbvh_pose_to_column_major_float( &s->poses[0], matrix ), 0 ) );
	put_bytes( out, matrix, sizeof matrix );
	ASK( dbvh_pose_check( &s->poses[1], &deviation, NULL ) );
	put_doubles( out, &deviation, 1 );
	dbvh_error error;
	ASK( dbvh_pose_check( &s->poses[1], NULL, &error ) );
	put_bytes( out, error.text, strlen( error.text ) );
	double moved = 0.0;
	ASK( dbvh_pose_orthonormalise( &s->poses[1], &pose, &moved, NULL ) );
	put_pose( out, &pose );
	put_doubles( out, &moved, 1 );
	ASK( ( pose = dbvh_pose_relative( &s->poses[1], &s->poses[2] ), 0 ) );
	put_pose( out, &pose );
}

// ------------------------------------------------------------------------------------------------
// Meshes

static void put_mesh( answers *out, dbvh_mesh *mesh ) {
	if ( mesh == NULL )
		return;
	const dbvh_mesh_view view = dbvh_mesh_get_view( mesh );
	put_doubles( out, view.positions, 3 * view.vertex_count );
	put( out, view.triangle_count );
	dbvh_mesh_destroy( mesh );
}

static void put_file( answers *out, const char *path ) {
	static char bytes[1 << 16];
	FILE *const file = fopen( path, "rb" );
	if ( file == NULL ) // the mesh was refused: floats do not hold it
		return;
	put_bytes( out, bytes, fread( bytes, 1, sizeof bytes, file ) );
	fclose( file );
	remove( path );
}

static void call_meshes( const call_scene *s, answers *out ) {
	static const dbvh_mesh_format formats[3] = { DBVH_MESH_FORMAT_OBJ, DBVH_MESH_FORMAT_OFF, DBVH_MESH_FORMAT_STL };
	static const dbvh_mesh_format written[3] = { DBVH_MESH_FORMAT_OBJ, DBVH_MESH_FORMAT_STL_ASCII,
	                                             DBVH_MESH_FORMAT_STL };
	char path[64];
	snprintf( path, sizeof path, "test_fpenv.%ld.tmp", (long)getpid() );
	for ( int i = 0; i < 3; ++i ) {
		dbvh_mesh *mesh = NULL;
		ASK( dbvh_mesh_parse( s->texts[i], strlen( s->texts[i] ), formats[i], NULL, &mesh, NULL ) );
		put_mesh( out, mesh );
	}
	dbvh_mesh *mesh = NULL;
	ASK( dbvh_mesh_create( &s->views[0], NULL, &mesh, NULL ) );
	put_mesh( out, mesh );
	ASK( dbvh_mesh_create_hull( &s->views[1], NULL, &mesh, NULL ) );
	put_mesh( out, mesh );
	const dbvh_aabb box = { { 0.1, 0.2, 0.3 }, { 1.1, 1.2, 1.3 } };
	ASK( dbvh_mesh_create_boxes( &box, 1, NULL, &mesh, NULL ) );
	put_mesh( out, mesh );
	const double heights[4] = { 0.1, 0.2, 0.3, 0.4 };
	const dbvh_height_field field = { heights, 2, 2, { 0.1, 0.7 }, { 0.3, 1.0 / 3.0 } };
	ASK( dbvh_mesh_create_height_field( &field, NULL, &mesh, NULL ) );
	put_mesh( out, mesh );
	ASK( dbvh_mesh_view_check( &s->views[1], NULL ) );
	dbvh_mesh_audit_result audit;
	memset( &audit, 0, sizeof audit );
	ASK( dbvh_mesh_audit( &s->views[0], NULL, &audit, NULL, 0, NULL ) );
	size_t components = 0;
	uint32_t *labels = malloc( s->views[0].triangle_count * sizeof *labels );
	if ( labels == NULL )
		abort();
	ASK( dbvh_mesh_label_components( &s->views[0], NULL, labels, &components, NULL ) );
	put( out, components );
	put( out, labels[s->views[0].triangle_count - 1] );
	free( labels );
	put( out, audit.degenerate_triangle_count );
	put( out, audit.edge_count );
	put_doubles( out, audit.bounds.min, 3 );
	put_doubles( out, audit.bounds.max, 3 );
	if ( !s->has_files )
		return;
	for ( int i = 0; i < 3; ++i ) {
		ASK( dbvh_mesh_save( &s->views[0], path, written[i], NULL ) );
		put_file( out, path );
	}
	static uint8_t bytes[1 << 16];
	const dbvh_capture capture = { .call = DBVH_CAPTURE_CALL_SELF_COLLIDE, .mesh_a = s->views[0] };
	dbvh_capture *back = NULL;
	ASK( dbvh_capture_save( &capture, path, NULL ) );
	FILE *file = fopen( path, "rb" );
	const size_t count = file != NULL ? fread( bytes, 1, sizeof bytes, file ) : 0;
	if ( file != NULL )
		fclose( file );
	put_bytes( out, bytes, count );
	ASK( dbvh_capture_parse( bytes, count, NULL, &back, NULL ) );
	dbvh_capture_destroy( back );
	ASK( dbvh_capture_load( path, NULL, &back, NULL ) );
	put( out, back != NULL ? back->mesh_a.triangle_count : 0 );
	dbvh_capture_destroy( back );
	file = fopen( path, "wb" );
	if ( file == NULL )
		exit( 1 );
	fputs( s->texts[0], file );
	fclose( file );
	mesh = NULL;
	ASK( dbvh_mesh_load( path, DBVH_MESH_FORMAT_OBJ, NULL, &mesh, NULL ) );
	put_mesh( out, mesh );
	static const char bad[] = "v .1 .1 0\nv .9 .1 0\nv .9 .9 0\nv .1 .9 0\nv .3 .3 0\nv .3 .6 0\nv .6 .6 0\nv .6 .3 0\n"
	                          "f 1 2 3 4 1 5 6 7 8 5\nf 1 3 2 4\n";
	const dbvh_mesh_read_options options = { .skip_bad_faces = true };
	file = fopen( path, "wb" );
	if ( file == NULL )
		exit( 1 );
	fputs( bad, file );
	fclose( file );
	mesh = NULL;
	ASK( dbvh_mesh_load_with( path, DBVH_MESH_FORMAT_OBJ, &options, NULL, &mesh, NULL ) );
	put_mesh( out, mesh );
	mesh = NULL;
	ASK( dbvh_mesh_parse_with( bad, strlen( bad ), DBVH_MESH_FORMAT_OBJ, &options, NULL, &mesh, NULL ) );
	put_mesh( out, mesh );
	remove( path );
}

// ------------------------------------------------------------------------------------------------
// Primitives, one at a time

#define MEET( call ) ( ASK( call ), put( out, meet ) )
#define NUMBER( call ) ( ASK( call ), put_doubles( out, &number, 1 ) )
#define SIDE( call ) ( ASK( call ), put( out, (uint64_t)side ) )
#define BOUNDS( call ) ( ASK( call ), put_doubles( out, bounds.min, 3 ), put_doubles( out, bounds.max, 3 ) )
#define LEVEL( call ) ( ASK( call ), put( out, (uint64_t)level.side ), put_doubles( out, &level.distance, 1 ) )
#define GAP( call ) ( ASK( call ), put_gap( out, &gap ) )
#define SPAN( call ) ( ASK( call ), put_span( out, &span ) )
#define CROSSING( call ) ( ASK( call ), put_crossing( out, &crossing ) )
#define SWEEP( call ) ( ASK( call ), put_sweep( out, &sweep ) )
#define TOUCH( call )                                                                                                  \
	( ASK( call ), put_doubles( out, touch.position_a, 3 ), put_doubles( out, touch.position_b, 3 ),                   \
	  put_gap( out, &touch.contact ) )

static void put_gap( answers *out, const dbvh_signed_distance *gap ) {
	put_doubles( out, &gap->distance, 1 );
	put_doubles( out, &gap->depth, 1 );
	put_doubles( out, gap->point_a, 3 );
	put_doubles( out, gap->point_b, 3 );
	put_doubles( out, gap->normal, 3 );
}

static void put_span( answers *out, const dbvh_hit_interval *span ) {
	put( out, span->intersects );
	put_doubles( out, &span->enter, 1 );
	put_doubles( out, &span->exit, 1 );
	put_doubles( out, span->point, 3 );
}

static void put_crossing( answers *out, const dbvh_hit *crossing ) {
	put( out, crossing->intersects );
	put_doubles( out, &crossing->t, 1 );
	put_doubles( out, crossing->point, 3 );
}

static void put_sweep( answers *out, const dbvh_shape_cast_result *sweep ) {
	put( out, sweep->intersects );
	put_doubles( out, &sweep->enter, 1 );
	put_doubles( out, &sweep->exit, 1 );
}

static void call_pairs( const call_scene *s, answers *out ) {
	const dbvh_sphere *const sphere = s->sphere;
	const dbvh_aabb *const aabb = s->aabb;
	const dbvh_obb *const obb = s->obb;
	const dbvh_capsule *const capsule = s->capsule;
	const dbvh_triangle *const triangle = s->triangle;
	bool meet = false;
	double number = 0.0;
	dbvh_signed_distance gap;
	dbvh_aabb bounds;
	memset( &gap, 0, sizeof gap );
	memset( &bounds, 0, sizeof bounds );
	MEET( dbvh_sphere_sphere_intersect( &sphere[0], &sphere[1], &meet ) );
	GAP( dbvh_sphere_sphere_signed_distance( &sphere[0], &sphere[1], &gap ) );
	MEET( dbvh_sphere_aabb_intersect( &sphere[0], &aabb[1], &meet ) );
	GAP( dbvh_sphere_aabb_signed_distance( &sphere[0], &aabb[1], &gap ) );
	MEET( dbvh_sphere_obb_intersect( &sphere[0], &obb[1], &meet ) );
	GAP( dbvh_sphere_obb_signed_distance( &sphere[0], &obb[1], &gap ) );
	MEET( dbvh_sphere_capsule_intersect( &sphere[0], &capsule[1], &meet ) );
	GAP( dbvh_sphere_capsule_signed_distance( &sphere[0], &capsule[1], &gap ) );
	MEET( dbvh_sphere_triangle_intersect( &sphere[0], &triangle[1], &meet ) );
	GAP( dbvh_sphere_triangle_signed_distance( &sphere[0], &triangle[1], &gap ) );
	MEET( dbvh_aabb_aabb_intersect( &aabb[0], &aabb[1], &meet ) );
	GAP( dbvh_aabb_aabb_signed_distance( &aabb[0], &aabb[1], &gap ) );
	MEET( dbvh_box_box_intersect( &s->box[0], &s->box[1], &meet ) );
	MEET( dbvh_obb_obb_intersect( &obb[0], &obb[1], &meet ) );
	GAP( dbvh_obb_obb_signed_distance( &obb[0], &obb[1], &gap ) );
	MEET( dbvh_aabb_obb_intersect( &aabb[0], &obb[1], &meet ) );
	GAP( dbvh_aabb_obb_signed_distance( &aabb[0], &obb[1], &gap ) );
	BOUNDS( dbvh_box_to_aabb( &s->box[0], &bounds ) );
	BOUNDS( dbvh_obb_to_aabb( &obb[0], &bounds ) );
	BOUNDS( dbvh_sphere_to_aabb( &sphere[0], &bounds ) );
	BOUNDS( dbvh_capsule_to_aabb( &capsule[0], &bounds ) );
	MEET( dbvh_capsule_capsule_intersect( &capsule[0], &capsule[1], &meet ) );
	GAP( dbvh_capsule_capsule_signed_distance( &capsule[0], &capsule[1], &gap ) );
	MEET( dbvh_capsule_triangle_intersect( &capsule[0], &triangle[1], &meet ) );
	NUMBER( dbvh_capsule_triangle_distance( &capsule[0], &triangle[1], &number ) );
	GAP( dbvh_capsule_triangle_signed_distance( &capsule[0], &triangle[1], &gap ) );
	MEET( dbvh_capsule_aabb_intersect( &capsule[0], &aabb[1], &meet ) );
	NUMBER( dbvh_capsule_aabb_distance( &capsule[0], &aabb[1], &number ) );
	GAP( dbvh_capsule_aabb_signed_distance( &capsule[0], &aabb[1], &gap ) );
	MEET( dbvh_capsule_obb_intersect( &capsule[0], &obb[1], &meet ) );
	NUMBER( dbvh_capsule_obb_distance( &capsule[0], &obb[1], &number ) );
	GAP( dbvh_capsule_obb_signed_distance( &capsule[0], &obb[1], &gap ) );
	MEET( dbvh_triangle_aabb_intersect( &triangle[0], &aabb[1], &meet ) );
	MEET( dbvh_triangle_obb_intersect( &triangle[0], &obb[1], &meet ) );
	NUMBER( dbvh_triangle_aabb_distance( &triangle[0], &aabb[1], &number ) );
	NUMBER( dbvh_triangle_obb_distance( &triangle[0], &obb[1], &number ) );
}

static void call_planes_and_lines( const call_scene *s, answers *out ) {
	const dbvh_segment *const segment = &s->segment;
	const dbvh_ray *const ray = &s->ray;
	const dbvh_plane *const plane = &s->plane;
	bool meet = false;
	int side = 0;
	dbvh_plane_distance level;
	dbvh_signed_distance gap;
	dbvh_hit_interval span;
	dbvh_hit crossing;
	dbvh_shape_cast_result sweep;
	memset( &level, 0, sizeof level );
	memset( &gap, 0, sizeof gap );
	memset( &span, 0, sizeof span );
	memset( &crossing, 0, sizeof crossing );
	memset( &sweep, 0, sizeof sweep );
	dbvh_shape_cast_contact touch;
	memset( &touch, 0, sizeof touch );
	LEVEL( dbvh_point_plane_distance( s->points[0], plane, &level ) );
	LEVEL( dbvh_sphere_plane_distance( &s->sphere[0], plane, &level ) );
	LEVEL( dbvh_aabb_plane_distance( &s->aabb[0], plane, &level ) );
	LEVEL( dbvh_obb_plane_distance( &s->obb[0], plane, &level ) );
	LEVEL( dbvh_capsule_plane_distance( &s->capsule[0], plane, &level ) );
	LEVEL( dbvh_triangle_plane_distance( &s->triangle[0], plane, &level ) );
	SIDE( dbvh_sphere_plane_side( &s->sphere[0], plane, &side ) );
	SIDE( dbvh_aabb_plane_side( &s->aabb[0], plane, &side ) );
	GAP( dbvh_sphere_plane_signed_distance( &s->sphere[0], plane, &gap ) );
	SPAN( dbvh_segment_sphere_hit( segment, &s->sphere[0], &span ) );
	SPAN( dbvh_ray_sphere_hit( ray, &s->sphere[0], &span ) );
	SPAN( dbvh_segment_aabb_hit( segment, &s->aabb[0], &span ) );
	SPAN( dbvh_ray_aabb_hit( ray, &s->aabb[0], &span ) );
	SPAN( dbvh_segment_obb_hit( segment, &s->obb[0], &span ) );
	SPAN( dbvh_ray_obb_hit( ray, &s->obb[0], &span ) );
	SPAN( dbvh_segment_plane_hit( segment, plane, &span ) );
	SPAN( dbvh_ray_plane_hit( ray, plane, &span ) );
	CROSSING( dbvh_segment_triangle_hit( segment, &s->triangle[0], &crossing ) );
	CROSSING( dbvh_ray_triangle_hit( ray, &s->triangle[0], &crossing ) );
	MEET( dbvh_segment_sphere_intersect( segment, &s->sphere[0], &meet ) );
	MEET( dbvh_segment_aabb_intersect( segment, &s->aabb[0], &meet ) );
	MEET( dbvh_segment_obb_intersect( segment, &s->obb[0], &meet ) );
	MEET( dbvh_segment_triangle_intersect( segment, &s->triangle[0], &meet ) );
	SWEEP( dbvh_sphere_sphere_cast( &s->sphere[0], s->shift, &s->sphere[1], NULL, &sweep ) );
	SWEEP( dbvh_aabb_aabb_cast( &s->aabb[0], s->shift, &s->aabb[1], NULL, &sweep ) );
	SWEEP( dbvh_sphere_aabb_cast( &s->sphere[0], s->shift, &s->aabb[1], NULL, &sweep ) );
	SWEEP( dbvh_sphere_triangle_cast( &s->sphere[0], s->shift, &s->triangle[1], NULL, &sweep ) );
	SWEEP( dbvh_sphere_plane_cast( &s->sphere[0], s->shift, plane, &sweep ) );
	TOUCH( dbvh_sphere_sphere_cast_contact( &s->sphere[0], s->shift, &s->sphere[1], NULL, 0.3, &touch ) );
	TOUCH( dbvh_aabb_aabb_cast_contact( &s->aabb[0], s->shift, &s->aabb[1], NULL, 0.3, &touch ) );
	TOUCH( dbvh_sphere_aabb_cast_contact( &s->sphere[0], s->shift, &s->aabb[1], NULL, 0.3, &touch ) );
	TOUCH( dbvh_sphere_triangle_cast_contact( &s->sphere[0], s->shift, &s->triangle[1], NULL, 0.3, &touch ) );
	TOUCH( dbvh_sphere_plane_cast_contact( &s->sphere[0], s->shift, plane, 0.3, &touch ) );
	dbvh_plane made;
	memset( &made, 0, sizeof made );
	ASK( dbvh_plane_from_point( s->points[0], plane->normal, &made ) );
	put_doubles( out, made.normal, 4 );
	ASK(
	    dbvh_plane_from_points( s->triangle[0].corner[0], s->triangle[0].corner[1], s->triangle[0].corner[2], &made ) );
	put_doubles( out, made.normal, 4 );
}

static void call_ellipsoids( const call_scene *s, answers *out ) {
	const dbvh_ellipsoid *const e = s->ellipsoid;
	bool meet = false;
	double number = 0.0;
	for ( int method = 0; method < DBVH_ELLIPSOID_METHOD_COUNT; ++method )
		MEET( dbvh_ellipsoid_obb_intersect( &e[0], &s->obb[1], (dbvh_ellipsoid_method)method, &meet ) );
	MEET( dbvh_ellipsoid_ellipsoid_intersect( &e[0], &e[1], &meet ) );
	MEET( dbvh_ellipsoid_sphere_intersect( &e[0], &s->sphere[1], &meet ) );
	MEET( dbvh_ellipsoid_aabb_intersect( &e[0], &s->aabb[1], &meet ) );
	dbvh_shape_cast_result sweep;
	memset( &sweep, 0, sizeof sweep );
	SWEEP( dbvh_ellipsoid_obb_cast( &e[0], s->shift, &s->obb[1], NULL, &sweep ) );
	NUMBER( ( number = dbvh_ellipsoid_margin( &e[0], &s->obb[1] ), 0 ) );
	MEET( dbvh_ellipsoid_point_intersect( &e[0], s->obb[1].centre, &meet ) );
	MEET( dbvh_ellipsoid_segment_intersect( &e[0], s->obb[0].centre, s->obb[1].centre, &meet ) );
	const double points[4][3] = { { 0, 0, 0 }, { 1, 0, 0.1 }, { 0, 1, 0.2 }, { 0.3, 0, 1 } };
	const uint32_t faces[4][3] = { { 0, 2, 1 }, { 0, 1, 3 }, { 1, 2, 3 }, { 0, 3, 2 } };
	const dbvh_polyhedron tetrahedron = { points, 4, faces, 4 };
	MEET( dbvh_ellipsoid_polyhedron_intersect( &e[0], &tetrahedron, &meet ) );
	dbvh_ellipsoid image;
	memset( &image, 0, sizeof image );
	ASK( dbvh_ellipsoid_transform( &e[0], points + 1, s->shift, &image ) );
	put_doubles( out, image.half, 3 );
	dbvh_sphere ball;
	memset( &ball, 0, sizeof ball );
	ASK( dbvh_sphere_fit( s->meshes[0].positions, s->meshes[0].vertex_count, NULL, &ball, NULL ) );
	put_doubles( out, ball.centre, 3 );
	put_doubles( out, &ball.radius, 1 );
	dbvh_obb box;
	memset( &box, 0, sizeof box );
	ASK( dbvh_obb_fit( s->meshes[0].positions, s->meshes[0].vertex_count, NULL, &box, NULL ) );
	put_doubles( out, box.centre, 3 );
	put_doubles( out, box.half, 3 );
	dbvh_ellipsoid fitted;
	memset( &fitted, 0, sizeof fitted );
	ASK( dbvh_ellipsoid_fit( s->meshes[0].positions, s->meshes[0].vertex_count, NULL, &fitted, NULL ) );
	put_doubles( out, fitted.centre, 3 );
	put_doubles( out, &fitted.axis[0][0], 9 );
	put_doubles( out, fitted.half, 3 );
	dbvh_ellipsoid thin = e[1];
	dbvh_obb flat = s->obb[1];
	memset( thin.half, 0, sizeof thin.half[0] );
	memset( flat.half, 0, sizeof flat.half[0] );
	ASK( dbvh_ellipsoid_repair( &thin, 0.0 ) );
	put_doubles( out, thin.half, 3 );
	ASK( dbvh_obb_repair( &flat, 0.0 ) );
	put_doubles( out, flat.half, 3 );
	dbvh_obb_pack *pack = NULL;
	uint8_t intersects[2] = { 0 };
	ASK( dbvh_obb_pack_create( s->obb, 2, NULL, &pack, NULL ) );
	if ( pack != NULL ) {
		ASK( dbvh_ellipsoid_obb_intersect_batch( &e[0], pack, intersects, NULL ) );
		put_bytes( out, intersects, sizeof intersects );
	}
	dbvh_obb_pack_destroy( pack );
}

// ------------------------------------------------------------------------------------------------
// Primitives, many at a time

#define VECTOR( c, at )                                                                                                \
	{ ( c )[at], ( c )[( at ) + 1], ( c )[( at ) + 2] }
#define MEETS( call ) ( ASK( call ), put_bytes( out, intersects, sizeof intersects ) )
#define NUMBERS( call ) ( ASK( call ), put_doubles( out, numbers, BATCH ) )
#define SPANS( call )                                                                                                  \
	do {                                                                                                               \
		ASK( call );                                                                                                   \
		for ( int i = 0; i < BATCH; ++i )                                                                              \
			put_span( out, &spans[i] );                                                                                \
	} while ( 0 )
#define CROSSINGS( call )                                                                                              \
	do {                                                                                                               \
		ASK( call );                                                                                                   \
		for ( int i = 0; i < BATCH; ++i )                                                                              \
			put_crossing( out, &crossings[i] );                                                                        \
	} while ( 0 )
#define SWEEPS( call )                                                                                                 \
	do {                                                                                                               \
		ASK( call );                                                                                                   \
		for ( int i = 0; i < BATCH; ++i )                                                                              \
			put_sweep( out, &sweeps[i] );                                                                              \
	} while ( 0 )

static void call_batches( const call_scene *s, answers *out ) {
	const double( *x )[BATCH] = s->columns[0], ( *y )[BATCH] = s->columns[1];
	// Columns 0 to 8 are three points, 9 to 11 sizes, 12 to 14 the upper ends of boxes.
	const dbvh_sphere_array sphere_a = { VECTOR( x, 0 ), x[9], BATCH }, sphere_b = { VECTOR( y, 0 ), y[9], BATCH };
	const dbvh_aabb_array aabb_a = { VECTOR( x, 0 ), VECTOR( x, 12 ), BATCH },
	                      aabb_b = { VECTOR( y, 0 ), VECTOR( y, 12 ), BATCH };
	const dbvh_obb_array obb_a = { VECTOR( x, 0 ),
	                               { VECTOR( s->columns[0], 3 ), VECTOR( s->columns[0], 6 ), VECTOR( y, 3 ) },
	                               VECTOR( x, 9 ),
	                               BATCH };
	const dbvh_obb_array obb_b = {
	    VECTOR( y, 0 ), { VECTOR( y, 3 ), VECTOR( y, 6 ), VECTOR( x, 3 ) }, VECTOR( y, 9 ), BATCH };
	const dbvh_capsule_array capsule_a = { VECTOR( x, 0 ), VECTOR( x, 3 ), x[9], BATCH },
	                         capsule_b = { VECTOR( y, 0 ), VECTOR( y, 3 ), y[9], BATCH };
	const dbvh_segment_array segment = { VECTOR( x, 0 ), VECTOR( x, 3 ), BATCH };
	const dbvh_ray_array ray = { VECTOR( x, 0 ), VECTOR( x, 3 ), BATCH };
	const dbvh_triangle_array triangle = { { VECTOR( y, 0 ), VECTOR( y, 3 ), VECTOR( y, 6 ) }, BATCH };
	const dbvh_plane_array plane = { VECTOR( y, 3 ), y[0], BATCH };
	const double *const a_by[3] = VECTOR( s->by[0], 0 ), *const b_by[3] = VECTOR( s->by[1], 0 );
	uint8_t intersects[BATCH] = { 0 };
	double numbers[BATCH];
	dbvh_hit_interval spans[BATCH];
	dbvh_hit crossings[BATCH];
	dbvh_shape_cast_result sweeps[BATCH];
	MEETS( dbvh_sphere_sphere_intersect_batch( &sphere_a, &sphere_b, intersects, NULL ) );
	MEETS( dbvh_sphere_aabb_intersect_batch( &sphere_a, &aabb_b, intersects, NULL ) );
	MEETS( dbvh_aabb_aabb_intersect_batch( &aabb_a, &aabb_b, intersects, NULL ) );
	MEETS( dbvh_obb_obb_intersect_batch( &obb_a, &obb_b, intersects, NULL ) );
	MEETS( dbvh_sphere_triangle_intersect_batch( &sphere_a, &triangle, intersects, NULL ) );
	MEETS( dbvh_capsule_capsule_intersect_batch( &capsule_a, &capsule_b, intersects, NULL ) );
	MEETS( dbvh_segment_sphere_intersect_batch( &segment, &sphere_b, intersects, NULL ) );
	MEETS( dbvh_segment_aabb_intersect_batch( &segment, &aabb_b, intersects, NULL ) );
	MEETS( dbvh_capsule_obb_intersect_batch( &capsule_a, &obb_b, intersects, NULL ) );
	MEETS( dbvh_sphere_plane_side_batch( &sphere_a, &plane, (int8_t *)intersects, NULL ) );
	MEETS( dbvh_aabb_plane_side_batch( &aabb_a, &plane, (int8_t *)intersects, NULL ) );
	NUMBERS( dbvh_sphere_sphere_distance_batch( &sphere_a, &sphere_b, numbers, NULL ) );
	NUMBERS( dbvh_sphere_aabb_distance_batch( &sphere_a, &aabb_b, numbers, NULL ) );
	NUMBERS( dbvh_sphere_triangle_distance_batch( &sphere_a, &triangle, numbers, NULL ) );
	NUMBERS( dbvh_capsule_capsule_distance_batch( &capsule_a, &capsule_b, numbers, NULL ) );
	SPANS( dbvh_ray_sphere_hit_batch( &ray, &sphere_b, spans, NULL ) );
	SPANS( dbvh_segment_sphere_hit_batch( &segment, &sphere_b, spans, NULL ) );
	SPANS( dbvh_ray_aabb_hit_batch( &ray, &aabb_b, spans, NULL ) );
	SPANS( dbvh_segment_aabb_hit_batch( &segment, &aabb_b, spans, NULL ) );
	CROSSINGS( dbvh_ray_triangle_hit_batch( &ray, &triangle, crossings, NULL ) );
	CROSSINGS( dbvh_segment_triangle_hit_batch( &segment, &triangle, crossings, NULL ) );
	SWEEPS( dbvh_sphere_sphere_cast_batch( &sphere_a, a_by, &sphere_b, b_by, sweeps, NULL ) );
	SWEEPS( dbvh_aabb_aabb_cast_batch( &aabb_a, a_by, &aabb_b, b_by, sweeps, NULL ) );
	SWEEPS( dbvh_sphere_triangle_cast_batch( &sphere_a, a_by, &triangle, b_by, sweeps, NULL ) );
	SWEEPS( dbvh_sphere_plane_cast_batch( &sphere_a, a_by, &plane, sweeps, NULL ) );
}

void call_everything( const call_scene *s, answers *out ) {
	out->count = 0;
	call_trees( s, out );
	call_tree_files( s, out );
	call_queries( s, out );
	call_probes( s, out );
	call_motions( s, out );
	call_poses( s, out );
	call_meshes( s, out );
	call_pairs( s, out );
	call_planes_and_lines( s, out );
	call_ellipsoids( s, out );
	call_batches( s, out );
	call_scenes( s, out );
	call_robots( s, out );
}
