// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The cost of contact geometry beside the query that it rests on: a mesh against its copy a little beside itself and
// turned about its centre, and a box pressed on another, face on face.

#include "common/experiment.h"
#include "common/scene.h"
#include "common/stats.h"
#include "shapes/shapes.h"

#include <stdlib.h>
#include <string.h>

enum { VARIANTS = 2 }; // all pairs, contacts

static bool measure( const bench_options *options, const char *work, const dbvh_tree *tree, const dbvh_pose *pose,
                     dbvh_workspace *workspace, dbvh_contacts *contacts ) {
	double samples[64 * VARIANTS];
	if ( dbvh_contacts_find( tree, NULL, tree, pose, NULL, contacts, NULL ) != DBVH_OK )
		return false;
	const dbvh_contacts_view v = dbvh_contacts_get( contacts );
	dbvh_collide_query query = { .find = DBVH_FIND_ALL, .pair_capacity = v.contact_count };
	query.pairs = calloc( v.contact_count + 1, sizeof *query.pairs );
	if ( query.pairs == NULL )
		return false;
	bool same = true;
	dbvh_collide_result result;
	for ( size_t round = 0; round < options->rounds; ++round ) {
		for ( size_t k = 0; k < VARIANTS; ++k ) {
			double spent = 0.0;
			size_t runs = 0;
			for ( ; spent < STATS_ROUND; ++runs ) {
				const double start = stats_thread_now();
				const dbvh_status status =
				    k == 0 ? dbvh_collide( tree, NULL, tree, pose, &query, workspace, &result, NULL )
				           : dbvh_contacts_find( tree, NULL, tree, pose, NULL, contacts, NULL );
				spent += stats_thread_now() - start;
				same = same && status == DBVH_OK;
			}
			samples[VARIANTS * round + k] = spent / (double)runs;
		}
		// The same pairs, of course.
		const dbvh_contacts_view now = dbvh_contacts_get( contacts );
		same = same && now.contact_count == result.pair_count;
		for ( size_t i = 0; same && i < result.pair_count; ++i )
			same = now.contacts[i].pair.a == query.pairs[i].a && now.contacts[i].pair.b == query.pairs[i].b;
	}
	const double all = stats_competitor_median( samples, options->rounds, VARIANTS, 0 );
	const double found = stats_competitor_median( samples, options->rounds, VARIANTS, 1 );
	const double each = v.contact_count > 0 ? 1e9 / (double)v.contact_count : 0.0;
	printf( "%-36s %8zu %8zu %9zu %9.3f %9.0f %9.3f %9.0f %7.2f\n", work, v.contact_count, v.point_count,
	        v.polyline_count, all * 1e3, all * each, found * 1e3, found * each, found / all );
	if ( options->csv != NULL )
		fprintf( options->csv, "\"%s\",%zu,%zu,%zu,%.4f,%.1f,%.4f,%.1f,%.3f\n", work, v.contact_count, v.point_count,
		         v.polyline_count, all * 1e3, all * each, found * 1e3, found * each, found / all );
	free( query.pairs );
	return same;
}

int bench_contacts( const bench_options *options ) {
	bool same = true;
	dbvh_workspace *workspace = NULL;
	dbvh_contacts *contacts = NULL;
	if ( dbvh_workspace_create( NULL, &workspace, NULL ) != DBVH_OK ||
	     dbvh_contacts_create( NULL, &contacts, NULL ) != DBVH_OK )
		return 2;
	dbvh_tree_options with = dbvh_tree_options_default();
	with.topology = true;
	printf( "\n%-36s %8s %8s %9s %9s %9s %9s %9s %7s\n", "one thread", "pairs", "points", "polylines", "pairs, ms",
	        "ns each", "found, ms", "ns each", "ratio" );
	if ( options->csv != NULL )
		fputs( "work,pairs,points,polylines,ms_pairs,ns_a_pair,ms_contacts,ns_a_contact,ratio\n", options->csv );

	scene_mesh mesh = scene_choose( options->mesh );
	dbvh_tree *tree = scene_tree( &mesh.view, &with );
	const dbvh_tree_stats stats = dbvh_tree_get_stats( tree );
	static const double steps[] = { 0.003, 0.03, 0.3 };
	for ( size_t i = 0; i < sizeof steps / sizeof steps[0]; ++i ) {
		dbvh_pose pose = dbvh_pose_identity();
		const double way[3] = { 0.6, 0.48, 0.64 };
		for ( int k = 0; k < 3; ++k )
			pose.pos[k] = steps[i] * stats.sphere.radius * way[k];
		char work[64];
		snprintf( work, sizeof work, "beside itself by %g of its radius", steps[i] );
		same = measure( options, work, tree, &pose, workspace, contacts ) && same;
	}
	static const double angles[] = { 20.0, 90.0 };
	for ( size_t i = 0; i < sizeof angles / sizeof angles[0]; ++i ) {
		const double axis[3] = { 1.0, 2.0, 3.0 }, at[3] = { 0.0, 0.0, 0.0 };
		dbvh_pose pose = shape_pose( axis, angles[i], at );
		for ( int k = 0; k < 3; ++k ) {
			pose.pos[k] = stats.sphere.centre[k];
			for ( int l = 0; l < 3; ++l )
				pose.pos[k] -= pose.rot[k][l] * stats.sphere.centre[l];
		}
		char work[64];
		snprintf( work, sizeof work, "turned by %g degrees", angles[i] );
		same = measure( options, work, tree, &pose, workspace, contacts ) && same;
	}
	dbvh_tree_destroy( tree );
	scene_free( &mesh );

	shape box = { 0 };
	shape_add_box( &box, 1.0, 1.0, 1.0, 24 );
	const dbvh_mesh_view view = shape_view( &box );
	tree = scene_tree( &view, &with );
	dbvh_pose pose = dbvh_pose_identity();
	pose.pos[0] = 2.0;
	same = measure( options, "boxes of 6,912, face on face", tree, &pose, workspace, contacts ) && same;
	dbvh_tree_destroy( tree );
	shape_free( &box );
	dbvh_contacts_destroy( contacts );
	dbvh_workspace_destroy( workspace );
	if ( !same )
		puts( "the pairs DIFFER" );
	return same ? EXIT_SUCCESS : EXIT_FAILURE;
}
