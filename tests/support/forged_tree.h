// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Tree files forged by somebody who knows the format: elements of sections change places, are copied, counted up or
// made up, and so are numbers of the head. And what is asked of a forgery that is accepted: that it answers as a tree
// that is built of the mesh that it says it has.

#pragma once

#include "bvh/tree.h"
#include "fuzz/tree_body.h"
#include "support/forge.h"

// ------------------------------------------------------------------------------------------------
// The forger

typedef struct forged_section {
	uint8_t *bytes;
	uint64_t count, element;
} forged_section;

// The sections of a file whose tables are right, by kind.
static inline void forge_find_sections( uint8_t *file, forged_section out[DBVHI_SECTION_END] ) {
	memset( out, 0, DBVHI_SECTION_END * sizeof *out );
	const uint64_t entries = dbvhi_bytes_get( file + DBVHI_HEAD_SECTIONS, 4, false );
	for ( uint64_t i = 0; i < entries; ++i ) {
		const uint8_t *entry = file + DBVHI_HEAD_LENGTH + DBVHI_ENTRY_BYTES * i;
		out[dbvhi_bytes_get( entry, 4, false )] =
		    ( forged_section ){ file + dbvhi_bytes_get( entry + 8, 8, false ), dbvhi_bytes_get( entry + 16, 8, false ),
		                        dbvhi_bytes_get( entry + 4, 4, false ) };
	}
}

static inline void forge_exchange( const forged_section *s, uint64_t i, uint64_t j ) {
	for ( uint64_t k = 0; k < s->element; ++k ) {
		const uint8_t byte = s->bytes[i * s->element + k];
		s->bytes[i * s->element + k] = s->bytes[j * s->element + k];
		s->bytes[j * s->element + k] = byte;
	}
}

// Two places, in some of the sections that have an element for each.
static inline void forge_places( const forged_section s[DBVHI_SECTION_END], rng *r ) {
	static const int by_place[] = { DBVHI_SECTION_TRIANGLE, DBVHI_SECTION_FRAGMENT, DBVHI_SECTION_CORNER,
	                                DBVHI_SECTION_CORNERS };
	const uint64_t count = s[DBVHI_SECTION_TRIANGLE].count, i = rng_below( r, count ), j = rng_below( r, count );
	for ( size_t k = 0; k < sizeof by_place / sizeof *by_place; ++k ) {
		if ( s[by_place[k]].count == count && rng_below( r, 3 ) != 0 )
			forge_exchange( &s[by_place[k]], i, j );
	}
}

// Records of the packed form: its spheres as numbers, its boxes, its leaves, or the head, also where that has been
// forged before.
static inline forged_section forge_packed_part( const forged_section *packed, rng *r ) {
	static const size_t offset_at[] = { offsetof( dbvhi_packed, sphere_offset ), offsetof( dbvhi_packed, box_offset ),
	                                    offsetof( dbvhi_packed, leaf_offset ) };
	static const uint64_t each[] = { 16, 4, 1 }, element[] = { 4, 24, 164 };
	const uint8_t *head = packed->bytes;
	const size_t k = rng_below( r, 4 );
	if ( k < 3 ) {
		const uint64_t offset = dbvhi_bytes_get( head + offset_at[k], 8, false );
		const size_t count_at = k < 2 ? offsetof( dbvhi_packed, node_count ) : offsetof( dbvhi_packed, leaf_count );
		const uint64_t count = each[k] * dbvhi_bytes_get( head + count_at, 4, false );
		if ( count > 0 && offset <= packed->count && count <= ( packed->count - offset ) / element[k] )
			return ( forged_section ){ packed->bytes + offset, count, element[k] };
	}
	return ( forged_section ){ packed->bytes, 30, 4 };
}

// A number of a record grows or shrinks by a little, in the words that records are made of.
static inline void forge_count_up( const forged_section *s, uint64_t element, rng *r ) {
	const uint64_t size = s->element % 8 == 0 && rng_below( r, 2 ) == 0 ? 8 : s->element % 4 == 0 ? 4 : 1;
	uint8_t *at = s->bytes + element * s->element + size * rng_below( r, s->element / size );
	const uint64_t by = rng_below( r, 3 ) == 0 ? rng_u64( r ) % 5 - 2 : rng_below( r, 2 ) == 0 ? 1 : UINT64_MAX;
	dbvhi_bytes_put( at, (int)size, dbvhi_bytes_get( at, (int)size, false ) + by );
}

static inline void forge_record( const forged_section *s, rng *r ) {
	const uint64_t i = rng_below( r, s->count ), j = rng_below( r, s->count );
	switch ( rng_below( r, 6 ) ) {
	case 0:
	case 1:
		forge_exchange( s, i, j );
		break;
	case 2:
		memmove( s->bytes + i * s->element, s->bytes + j * s->element, (size_t)s->element );
		break;
	case 3:
		s->bytes[i * s->element + rng_below( r, s->element )] = (uint8_t)rng_u64( r );
		break;
	default:
		forge_count_up( s, i, r );
	}
}

// Numbers of the head, counts among them: where they are, and how long.
static inline void forge_head( uint8_t *file, rng *r ) {
	static const uint8_t numbers[][2] = { { DBVHI_HEAD_CONTENT, 8 },
	                                      { DBVHI_HEAD_FLAGS, 4 },
	                                      { DBVHI_HEAD_MESH_TRIANGLES, 8 },
	                                      { DBVHI_HEAD_TRIANGLES, 8 },
	                                      { DBVHI_HEAD_NODES, 8 },
	                                      { DBVHI_HEAD_LEAVES, 8 },
	                                      { DBVHI_HEAD_DEPTH, 4 },
	                                      { DBVHI_HEAD_ELLIPSOID_LEAST, 4 },
	                                      { DBVHI_HEAD_LARGEST, 8 },
	                                      { DBVHI_HEAD_FRAGMENT_ERROR, 8 },
	                                      { DBVHI_HEAD_ELLIPSOIDS_CHOSEN, 8 },
	                                      { DBVHI_HEAD_ELLIPSOIDS_PACKED, 8 } };
	if ( rng_below( r, 3 ) == 0 ) {
		file[DBVHI_HEAD_OPTIONS + rng_below( r, DBVHI_OPTION_BYTES )] = (uint8_t)rng_below( r, 5 );
		return;
	}
	const size_t which = rng_below( r, sizeof numbers / sizeof *numbers );
	forge_count_up( &( forged_section ){ file + numbers[which][0], 1, numbers[which][1] }, 0, r );
}

// Make one change. The tables stay as they are, so that others can follow.
static inline void forge_structure( uint8_t *file, rng *r ) {
	forged_section s[DBVHI_SECTION_END];
	forge_find_sections( file, s );
	const uint64_t choice = rng_below( r, 8 );
	if ( choice == 0 ) {
		forge_head( file, r );
	} else if ( choice < 3 ) {
		forge_places( s, r );
	} else if ( choice < 5 && s[DBVHI_SECTION_PACKED].count > 0 ) {
		const forged_section part = forge_packed_part( &s[DBVHI_SECTION_PACKED], r );
		forge_record( &part, r );
	} else {
		size_t kind;
		do
			kind = 1 + rng_below( r, DBVHI_SECTION_END - 1 );
		while ( s[kind].count == 0 );
		forge_record( &s[kind], r );
	}
}

// ------------------------------------------------------------------------------------------------
// The answers

enum { FORGED_ROOM = 256 };

static inline void forged_compare_collide( const dbvh_tree *one, const dbvh_tree *two, const dbvh_tree *probe,
                                           const dbvh_pose *pose, dbvh_policy policy ) {
	static dbvh_pair a[FORGED_ROOM], b[FORGED_ROOM];
	dbvh_collide_query query = { .find = DBVH_FIND_ALL, .policy = policy, .pairs = a, .pair_capacity = FORGED_ROOM };
	dbvh_collide_result x, y;
	// A tree without its reference form, which its file claimed, may refuse the policies that need it.
	if ( dbvh_collide( one, NULL, probe, pose, &query, NULL, &x, NULL ) != DBVH_OK ) {
		FUZZ_REQUIRE( policy != DBVH_POLICY_DEFAULT );
		return;
	}
	query.pairs = b;
	query.policy = DBVH_POLICY_DEFAULT;
	FUZZ_REQUIRE( dbvh_collide( two, NULL, probe, pose, &query, NULL, &y, NULL ) == DBVH_OK );
	FUZZ_REQUIRE( x.verdict == y.verdict && x.pair_count == y.pair_count && x.pair_written == y.pair_written );
	FUZZ_REQUIRE( memcmp( a, b, x.pair_written * sizeof *a ) == 0 );
}

static inline void forged_compare( const dbvh_tree *one, const dbvh_tree *two, const dbvh_tree *probe,
                                   const dbvh_pose *pose ) {
	forged_compare_collide( one, two, probe, pose, DBVH_POLICY_DEFAULT );
	forged_compare_collide( one, two, probe, pose, DBVH_POLICY_DUAL );
	forged_compare_collide( one, two, probe, pose, DBVH_POLICY_ELLIPSOID );
	forged_compare_collide( one, two, probe, pose, DBVH_POLICY_MIXED );
	dbvh_distance_result x, y;
	FUZZ_REQUIRE( dbvh_distance( one, NULL, probe, pose, NULL, NULL, &x, NULL ) == DBVH_OK );
	FUZZ_REQUIRE( dbvh_distance( two, NULL, probe, pose, NULL, NULL, &y, NULL ) == DBVH_OK );
	FUZZ_REQUIRE( x.distance == y.distance );
	FUZZ_REQUIRE( x.distance == 0.0 || ( x.pair.a == y.pair.a && x.pair.b == y.pair.b ) );
	if ( one->topology != NULL && probe->topology != NULL ) {
		dbvh_relate_result p, q;
		FUZZ_REQUIRE( dbvh_relate( one, NULL, probe, pose, NULL, NULL, &p, NULL ) == DBVH_OK );
		FUZZ_REQUIRE( dbvh_relate( two, NULL, probe, pose, NULL, NULL, &q, NULL ) == DBVH_OK );
		FUZZ_REQUIRE( p.relation == q.relation && p.undecided == q.undecided );
	}
}

static inline void forged_compare_points( const dbvh_tree *one, const dbvh_tree *two, rng *r ) {
	for ( int i = 0; i < 3; ++i ) {
		const double point[3] = { rng_range( r, -2, 2 ), rng_range( r, -2, 2 ), rng_range( r, -2, 2 ) };
		dbvh_closest_point_result x, y;
		FUZZ_REQUIRE( dbvh_closest_point( one, NULL, point, NULL, NULL, &x, NULL ) == DBVH_OK );
		FUZZ_REQUIRE( dbvh_closest_point( two, NULL, point, NULL, NULL, &y, NULL ) == DBVH_OK );
		FUZZ_REQUIRE( x.distance == y.distance && x.triangle == y.triangle );
		const dbvh_ray ray = { .from = { point[0], point[1], -3.0 }, .direction = { 0.1, -0.05, 1.0 } };
		dbvh_raycast_result p, q;
		FUZZ_REQUIRE( dbvh_raycast( one, NULL, &ray, NULL, NULL, &p, NULL ) == DBVH_OK );
		FUZZ_REQUIRE( dbvh_raycast( two, NULL, &ray, NULL, NULL, &q, NULL ) == DBVH_OK );
		FUZZ_REQUIRE( p.hit_count == q.hit_count && p.first.t == q.first.t );
	}
}

// A tree that was taken for whole: sound, and what a build of its own mesh with its own options answers, against that
// itself and against `probe`.
static inline void forged_tree_answers( const dbvh_tree *tree, const dbvh_tree *probe, rng *r ) {
	FUZZ_REQUIRE( dbvh_tree_validate( tree, NULL ) == DBVH_OK );
	dbvh_mesh *mesh = NULL;
	dbvh_tree *built = NULL;
	FUZZ_REQUIRE( dbvh_tree_get_mesh( tree, NULL, &mesh, NULL ) == DBVH_OK );
	const dbvh_mesh_view view = dbvh_mesh_get_view( mesh );
	dbvh_tree_options options = tree->options;
	options.thread_count = 1;
	options.ellipsoids = DBVH_ELLIPSOIDS_NONE; // ellipsoids take long, and change no answer
	if ( options.fragments == DBVH_FRAGMENTS_CHOSEN )
		options.fragments = DBVH_FRAGMENTS_NONE; // likewise
	FUZZ_REQUIRE( dbvh_tree_build( &view, &options, NULL, &built, NULL ) == DBVH_OK );
	for ( int i = 0; i < 3; ++i ) {
		dbvh_pose pose = dbvh_pose_identity();
		pose.rot[0][0] = pose.rot[1][1] = 0.6;
		pose.rot[0][1] = -0.8;
		pose.rot[1][0] = 0.8;
		for ( int k = 0; k < 3; ++k )
			pose.pos[k] = rng_range( r, -1.5, 1.5 );
		forged_compare( tree, built, i == 0 ? built : probe, &pose );
	}
	forged_compare_points( tree, built, r );
	dbvh_tree_destroy( built );
	dbvh_mesh_destroy( mesh );
}
