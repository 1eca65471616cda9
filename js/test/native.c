// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The answers of the native library to questions that js/test/questions.js makes of the package: reads a file of
// meshes, poses, rays and points from stdin, and writes a row of doubles for each to stdout.

#include "dualbvh/dualbvh.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void get( void *to, size_t size, size_t count ) {
	if ( fread( to, size, count, stdin ) != count )
		exit( 2 );
}

static double number( void ) {
	double x;
	get( &x, sizeof x, 1 );
	return x;
}

static void put( double x ) {
	fwrite( &x, sizeof x, 1, stdout );
}

static void put_all( const double *x, size_t count ) {
	fwrite( x, sizeof *x, count, stdout );
}

static dbvh_tree *read_tree( void ) {
	const size_t vertices = (size_t)number(), triangles = (size_t)number();
	double *positions = malloc( 3 * vertices * sizeof *positions );
	uint32_t *indices = malloc( 3 * triangles * sizeof *indices );
	if ( positions == NULL || indices == NULL )
		exit( 2 );
	get( positions, 3 * sizeof *positions, vertices );
	for ( size_t i = 0; i < 3 * triangles; ++i )
		indices[i] = (uint32_t)number();
	const dbvh_mesh_view view = {
	    .positions = positions, .vertex_count = vertices, .indices = indices, .triangle_count = triangles };
	const dbvh_tree_options options = { .topology = true };
	dbvh_tree *tree;
	if ( dbvh_tree_build( &view, &options, NULL, &tree, NULL ) != DBVH_OK )
		exit( 2 );
	free( positions );
	free( indices );
	return tree;
}

static void ask_pair( const dbvh_tree *a, const dbvh_tree *b, const dbvh_pose *pose ) {
	static dbvh_pair pairs[4096];
	const dbvh_collide_query all = { .find = DBVH_FIND_ALL, .pairs = pairs, .pair_capacity = 4096 };
	dbvh_collide_result hit;
	dbvh_distance_result gap;
	dbvh_relate_result relation;
	dbvh_contacts *contacts;
	dbvh_collide( a, NULL, b, pose, &all, NULL, &hit, NULL );
	dbvh_distance( a, NULL, b, pose, NULL, NULL, &gap, NULL );
	dbvh_relate( a, NULL, b, pose, NULL, NULL, &relation, NULL );
	dbvh_contacts_create( NULL, &contacts, NULL );
	dbvh_contacts_find( a, NULL, b, pose, NULL, contacts, NULL );
	const dbvh_contacts_view view = dbvh_contacts_get( contacts );
	put( hit.verdict );
	put( (double)hit.pair_count );
	put( hit.first.a );
	put( hit.first.b );
	put( gap.distance );
	put( relation.relation );
	put( (double)view.contact_count );
	put( (double)view.point_count );
	put( (double)view.polyline_count );
	double sum = 0.0; // of coordinates that are the same bits everywhere, in one order
	for ( size_t i = 0; i < view.point_count; ++i )
		sum += view.points[i].position[0] + view.points[i].position[1] + view.points[i].position[2];
	put( sum );
	dbvh_contacts_destroy( contacts );
	const double shift[3] = { -4.0, 1.0, 0.5 };
	const dbvh_motion motion = dbvh_motion_translation( pose, shift );
	dbvh_toi_result toi;
	dbvh_time_of_impact( a, NULL, b, &motion, NULL, NULL, &toi, NULL );
	put( toi.verdict == DBVH_TOI_VERDICT_CLEAR );
	put( toi.time );
}

int main( void ) {
	dbvh_tree *a = read_tree(), *b = read_tree();
	const size_t poses = (size_t)number(), rays = (size_t)number(), points = (size_t)number();
	for ( size_t i = 0; i < poses; ++i ) {
		double columns[16];
		get( columns, sizeof columns, 1 );
		const dbvh_pose pose = dbvh_pose_from_column_major( columns );
		ask_pair( a, b, &pose );
	}
	for ( size_t i = 0; i < rays; ++i ) {
		dbvh_ray ray;
		get( &ray, sizeof ray, 1 );
		const dbvh_raycast_query query = { .find = DBVH_FIND_CLOSEST };
		dbvh_raycast_result r;
		dbvh_raycast( a, NULL, &ray, &query, NULL, &r, NULL );
		put( r.intersects );
		put( r.intersects ? r.first.t : INFINITY );
		put( r.first.triangle );
	}
	for ( size_t i = 0; i < points; ++i ) {
		double point[3];
		get( point, sizeof point, 1 );
		dbvh_closest_point_result r;
		dbvh_location location;
		dbvh_closest_point( a, NULL, point, NULL, NULL, &r, NULL );
		dbvh_locate_point( a, NULL, point, &location, NULL );
		put( r.distance );
		put( r.triangle );
		put_all( r.point, 3 );
		put( location );
	}
	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
	return 0;
}
