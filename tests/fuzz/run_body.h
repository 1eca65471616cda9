// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// One input of the fuzzers of ignore lists, baselines, reviews, matrices and BCF.

#pragma once

#include "assembly/baseline.h"
#include "assembly/bcf.h"
#include "assembly/ignores.h"
#include "assembly/matrix.h"
#include "assembly/review.h"
#include "body.h"
#include "text/day.h"
#include "text/hash.h"

#include <math.h>

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
		scene_day_print( 0, review.today );
		FUZZ_REQUIRE( scene_stand( &p.findings, &review, &tolerance ) );
		FUZZ_REQUIRE( scene_review_next( &p.findings, &review, &next ) );
		fuzz_write_again( &next );
	}
	scene_earlier_free( &review );
	scene_earlier_free( &next );
	fuzz_pair_close( &p );
	return status;
}

// Rules of a matrix have two patterns, a line and finite numbers, and can be applied.
static inline dbvh_status fuzz_matrix( const void *bytes, size_t count ) {
	fuzz_pair p;
	dbvh_error error;
	fuzz_pair_open( &p );
	scene_model *m = &p.assembly.model;
	const dbvh_status status = scene_matrix_parse( m, (const unsigned char *)bytes, count, &error );
	fuzz_check_error( status, &error );
	for ( size_t i = 0; i < m->rule_count; ++i ) {
		const scene_rule *rule = &m->rules[i];
		FUZZ_REQUIRE( rule->a != NULL && rule->b != NULL && rule->line > 0 );
		FUZZ_REQUIRE( rule->rule.clearance >= 0.0 && rule->rule.clearance < HUGE_VAL );
		FUZZ_REQUIRE( !rule->rule.may_collide || rule->rule.clearance == 0.0 );
	}
	scene_rule_book *book = scene_rules_open( m );
	FUZZ_REQUIRE( book != NULL );
	scene_rules_of( book, 0, 1 );
	scene_rules_close( book );
	fuzz_pair_close( &p );
	return status;
}

static inline dbvh_status fuzz_take( scene_earlier *review, const void *bytes, size_t count, bcf_news *news ) {
	dbvh_error error = { .status = DBVH_OK };
	const bool is_archive = count >= 2 && memcmp( bytes, "PK", 2 ) == 0;
	*news = ( bcf_news ){ 0 };
	const dbvh_status status =
	    is_archive ? bcf_take( review, (const unsigned char *)bytes, count, 1800000000, news, &error )
	               : bcf_take_markup( review->clashes, (const unsigned char *)bytes, count, 1800000000, news, &error );
	FUZZ_REQUIRE( status == DBVH_OK || memchr( error.text, '\0', sizeof error.text ) != NULL );
	bcf_news_free( news );
	return status;
}

// The archive, or the markup of one topic, of the clash 0123456789abcdef. Taken again it says nothing new, and the
// review can be written and read.
static inline dbvh_status fuzz_bcf( const void *bytes, size_t count ) {
	scene_earlier review = { 0 };
	earlier_clash *clash = scene_earlier_add( &review );
	bcf_news news;
	FUZZ_REQUIRE( clash != NULL );
	clash->id = UINT64_C( 0x0123456789abcdef );
	clash->a = scene_earlier_body( &review, "a" );
	clash->b = scene_earlier_body( &review, "b/c" );
	const dbvh_status status = fuzz_take( &review, bytes, count, &news );
	if ( status == DBVH_OK ) {
		const size_t comments = clash->review.comment_count;
		FUZZ_REQUIRE( fuzz_take( &review, bytes, count, &news ) == DBVH_OK );
		FUZZ_REQUIRE( clash->review.comment_count == comments );
		fuzz_write_again( &review );
	}
	scene_earlier_free( &review );
	return status;
}
