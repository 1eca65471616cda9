// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// One input of the fuzzer of tree files, of the replay of its corpus and of the test with random forgeries.

#pragma once

#include "base/crc32c.h"
#include "body.h"
#include "bvh/file/format.h"
#include "dualbvh/dualbvh.h"
#include "mesh/io/bytes.h"

// Set every checksum right, as far as the tables can be followed: a forger can compute checksums, too.
static inline void fuzz_tree_seal( uint8_t *bytes, size_t count ) {
	if ( count < DBVHI_HEAD_LENGTH )
		return;
	const uint64_t front = dbvhi_bytes_get( bytes + DBVHI_HEAD_FRONT, 8, false );
	const uint64_t sections = dbvhi_bytes_get( bytes + DBVHI_HEAD_SECTIONS, 4, false );
	if ( front >= DBVHI_HEAD_LENGTH && front <= count &&
	     sections <= ( front - DBVHI_HEAD_LENGTH ) / DBVHI_ENTRY_BYTES ) {
		uint64_t sum_at = DBVHI_HEAD_LENGTH + DBVHI_ENTRY_BYTES * sections;
		for ( uint64_t i = 0; i < sections; ++i ) {
			const uint8_t *entry = bytes + DBVHI_HEAD_LENGTH + DBVHI_ENTRY_BYTES * i;
			const uint64_t element = dbvhi_bytes_get( entry + 4, 4, false );
			const uint64_t offset = dbvhi_bytes_get( entry + 8, 8, false ),
			               elements = dbvhi_bytes_get( entry + 16, 8, false );
			if ( element == 0 || offset > count || elements > ( count - offset ) / element )
				break;
			for ( uint64_t at = 0; at < element * elements && sum_at + 4 <= front;
			      at += DBVHI_CHECKSUM_BLOCK, sum_at += 4 ) {
				const uint64_t left = element * elements - at;
				const size_t block = left < DBVHI_CHECKSUM_BLOCK ? (size_t)left : DBVHI_CHECKSUM_BLOCK;
				dbvhi_bytes_put( bytes + sum_at, 4, dbvhi_crc32c( 0, bytes + offset + at, block ) );
			}
		}
		dbvhi_bytes_put( bytes + DBVHI_HEAD_TABLES_SUM, 4,
		                 dbvhi_crc32c( 0, bytes + DBVHI_HEAD_LENGTH, (size_t)( front - DBVHI_HEAD_LENGTH ) ) );
	}
	dbvhi_bytes_put( bytes + DBVHI_HEAD_OPTIONS_HASH, 8, dbvhi_options_hash( bytes + DBVHI_HEAD_OPTIONS ) );
	dbvhi_bytes_put( bytes + DBVHI_HEAD_SUM, 4, dbvhi_crc32c( 0, bytes, DBVHI_HEAD_SUM ) );
}

// Every kind of query, none of which may go on for long: what a tree says that was forged with care may be wrong.
static inline void fuzz_tree_ask( dbvh_tree *tree ) {
	enum { ROOM = 64 };
	static dbvh_pair pairs[ROOM];
	const dbvh_budget budget = { .max_work = 20000 };
	const dbvh_tree_stats stats = dbvh_tree_get_stats( tree );
	dbvh_pose pose = dbvh_pose_identity();
	pose.pos[0] = 0.3 * stats.sphere.radius;
	if ( !( pose.pos[0] - pose.pos[0] == 0.0 ) )
		pose.pos[0] = 1.0;
	static const dbvh_policy policies[] = { DBVH_POLICY_DEFAULT, DBVH_POLICY_DUAL, DBVH_POLICY_SPHERE };
	for ( size_t i = 0; i < sizeof policies / sizeof policies[0]; ++i ) {
		dbvh_collide_result hit;
		const dbvh_collide_query collide = {
		    .find = DBVH_FIND_ALL, .policy = policies[i], .pairs = pairs, .pair_capacity = ROOM, .budget = &budget };
		dbvh_collide( tree, NULL, tree, &pose, &collide, NULL, &hit, NULL );
	}
	dbvh_distance_query nearest = dbvh_distance_query_default();
	nearest.budget = &budget;
	dbvh_distance_result distance;
	dbvh_distance( tree, NULL, tree, &pose, &nearest, NULL, &distance, NULL );
	dbvh_relate_query relate = dbvh_relate_query_default();
	relate.budget = &budget;
	dbvh_relate_result relation;
	dbvh_relate( tree, NULL, tree, &pose, &relate, NULL, &relation, NULL );
	const dbvh_ray ray = { .from = { -2.0, 0.01, 0.02 }, .direction = { 1.0, 0.1, 0.0 } };
	dbvh_raycast_query cast = dbvh_raycast_query_default();
	cast.budget = &budget;
	dbvh_raycast_result cast_result;
	dbvh_raycast( tree, NULL, &ray, &cast, NULL, &cast_result, NULL );
	const double point[3] = { 0.1, 0.2, 0.3 };
	dbvh_closest_point_query closest = dbvh_closest_point_query_default();
	closest.budget = &budget;
	dbvh_closest_point_result closest_result;
	dbvh_closest_point( tree, NULL, point, &closest, NULL, &closest_result, NULL );
	dbvh_tree_open_loops( tree, DBVH_ALL_COMPONENTS, NULL, 0, NULL, 0, NULL, NULL, NULL );
}

// Use an accepted tree: written again, it is the same bytes; its mesh is valid; it can be moved, validated, freed.
static inline void fuzz_tree_use( dbvh_tree *tree, const void *bytes, size_t count ) {
	size_t written = 0;
	uint8_t *again = (uint8_t *)malloc( count );
	FUZZ_REQUIRE( again != NULL && dbvh_tree_write( tree, again, count, &written, NULL ) == DBVH_OK );
	for ( size_t i = 0; i < count && i < written; ++i )
		if ( again[i] != ( (const uint8_t *)bytes )[i] )
			fprintf( stderr, "byte %zu of %zu: %d for %d\n", i, count, again[i], ( (const uint8_t *)bytes )[i] );
	FUZZ_REQUIRE( written == count && memcmp( again, bytes, count ) == 0 );
	free( again );
	dbvh_mesh *mesh = NULL;
	FUZZ_REQUIRE( dbvh_tree_get_mesh( tree, NULL, &mesh, NULL ) == DBVH_OK );
	const dbvh_mesh_view view = dbvh_mesh_get_view( mesh );
	FUZZ_REQUIRE( dbvh_mesh_view_check( &view, NULL ) == DBVH_OK );
	FUZZ_REQUIRE( view.triangle_count == dbvh_tree_get_stats( tree ).triangle_count );
	fuzz_tree_ask( tree );
	dbvh_tree_validate( tree, NULL );
	if ( dbvh_tree_refit( tree, &view, NULL ) == DBVH_OK )
		fuzz_tree_ask( tree );
	dbvh_mesh_destroy( mesh );
}

// Bytes as a file, checked as `check` says. They need not be aligned; the library copies them.
static inline dbvh_status fuzz_tree_file( const void *bytes, size_t count, dbvh_file_check check ) {
	const dbvh_tree_load_options options = { .check = check, .thread_count = 1 };
	dbvh_tree *tree = NULL;
	dbvh_error error;
	const dbvh_status status = dbvh_tree_parse( bytes, count, &options, NULL, &tree, &error );
	FUZZ_REQUIRE( error.status == status );
	FUZZ_REQUIRE( ( status == DBVH_OK ) == ( tree != NULL ) );
	FUZZ_REQUIRE( ( status == DBVH_OK ) == ( error.text[0] == '\0' ) );
	FUZZ_REQUIRE( error.byte >= -1 && error.byte <= (int64_t)count );
	if ( status != DBVH_OK )
		return status;
	fuzz_tree_use( tree, bytes, count );
	dbvh_tree_destroy( tree );
	return status;
}
