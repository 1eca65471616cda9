// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// One input of the fuzzers of ignore lists, baselines and reviews.

#pragma once

#include "assembly/baseline.h"
#include "assembly/ignores.h"
#include "assembly/review.h"
#include "body.h"
#include "text/day.h"
#include "text/hash.h"

// Two bodies, "a" and "b/c", that clash, under the id 0123456789abcdef.
typedef struct fuzz_pair {
	scene_assembly assembly;
	scene_trees trees;
	scene_findings findings;
	uint64_t fingerprint;
} fuzz_pair;

static inline void fuzz_pair_open( fuzz_pair *p ) {
	const dbvh_pose pose = dbvh_pose_identity();
	memset( p, 0, sizeof *p );
	FUZZ_REQUIRE( scene_add_body( &p->assembly.model, "a", 0, &pose ) == 0 &&
	              scene_add_body( &p->assembly.model, "b/c", 0, &pose ) == 1 );
	p->trees = ( scene_trees ){ .fingerprints = &p->fingerprint, .mesh_count = 1 };
	p->findings = ( scene_findings ){ .assembly = &p->assembly, .trees = &p->trees, .is_finished = true };
	p->findings.clashes = (scene_clash *)calloc( 1, sizeof( scene_clash ) );
	FUZZ_REQUIRE( p->findings.clashes != NULL );
	p->findings.clashes[0] = ( scene_clash ){ .b = 1, .id = UINT64_C( 0x0123456789abcdef ), .ignored_by = SCENE_NONE };
	p->findings.clash_count = 1;
}

static inline void fuzz_pair_close( fuzz_pair *p ) {
	scene_findings_free( &p->findings );
	scene_assembly_free( &p->assembly );
}

static inline void fuzz_check_error( dbvh_status status, const dbvh_error *error ) {
	FUZZ_REQUIRE( error->status == status && memchr( error->text, '\0', sizeof error->text ) != NULL );
}

static inline dbvh_status fuzz_ignores( const void *bytes, size_t count ) {
	fuzz_pair p;
	scene_ignores list = { 0 };
	dbvh_error error;
	fuzz_pair_open( &p );
	const dbvh_status status = scene_ignores_parse( &list, "fuzz", (const unsigned char *)bytes, count, &error );
	fuzz_check_error( status, &error );
	for ( size_t i = 0; i < list.count; ++i )
		FUZZ_REQUIRE( *list.entries[i].reason != '\0' && list.entries[i].has_id == ( list.entries[i].a == NULL ) );
	FUZZ_REQUIRE( scene_ignores_apply( &list, &p.findings ) );
	const uint32_t by = p.findings.clashes[0].ignored_by;
	FUZZ_REQUIRE( by == SCENE_NONE || ( by < list.count && list.entries[by].used == 1 ) );
	scene_ignores_free( &list );
	fuzz_pair_close( &p );
	return status;
}

static inline dbvh_status fuzz_baseline( const void *bytes, size_t count ) {
	fuzz_pair p;
	dbvh_error error;
	fuzz_pair_open( &p );
	const scene_tolerance tolerance = { -1.0, -1.0 };
	const dbvh_status status =
	    scene_compare_bytes( &p.findings, (const unsigned char *)bytes, count, &tolerance, &error );
	fuzz_check_error( status, &error );
	FUZZ_REQUIRE( p.findings.has_baseline == ( status == DBVH_OK ) );
	for ( size_t i = 0; i < p.findings.absent_count; ++i )
		FUZZ_REQUIRE( p.findings.absent[i].why < SCENE_ABSENCE_COUNT );
	fuzz_pair_close( &p );
	return status;
}

// What is written can be read, and is written as it is.
static inline void fuzz_write_again( const scene_earlier *review ) {
	enum { ROOM = 1 << 16 };
	static unsigned char texts[2][ROOM];
	size_t lengths[2];
	scene_earlier read = { 0 };
	dbvh_error error;
	for ( int i = 0; i < 2; ++i ) {
		FILE *file = tmpfile();
		FUZZ_REQUIRE( file != NULL && scene_review_write( i == 0 ? review : &read, file ) );
		rewind( file );
		lengths[i] = fread( texts[i], 1, ROOM, file );
		fclose( file );
		if ( lengths[i] == ROOM )
			break;
		if ( i == 0 )
			FUZZ_REQUIRE( scene_review_read( &read, texts[0], lengths[0], &error ) == DBVH_OK );
		else
			FUZZ_REQUIRE( lengths[0] == lengths[1] && memcmp( texts[0], texts[1], lengths[0] ) == 0 );
	}
	scene_earlier_free( &read );
}

static inline dbvh_status fuzz_review( const void *bytes, size_t count ) {
	fuzz_pair p;
	scene_earlier review = { 0 }, next = { 0 };
	dbvh_error error;
	fuzz_pair_open( &p );
	const scene_tolerance tolerance = { -1.0, -1.0 };
	const dbvh_status status = scene_review_read( &review, (const unsigned char *)bytes, count, &error );
	fuzz_check_error( status, &error );
	if ( status == DBVH_OK ) {
		scene_print_day( 0, review.today );
		FUZZ_REQUIRE( scene_stand( &p.findings, &review, &tolerance ) );
		FUZZ_REQUIRE( scene_review_next( &p.findings, &review, &next ) );
		fuzz_write_again( &next );
	}
	scene_earlier_free( &review );
	scene_earlier_free( &next );
	fuzz_pair_close( &p );
	return status;
}
