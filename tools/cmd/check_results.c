// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// `dualbvh check --output`: a record a pose. docs/command.md describes the fields.

#include "cmd/check.h"
#include "text/number.h"

#include <stdio.h>

// A record of the .npy file; which fields are written depends on the options.
typedef struct row {
	uint64_t pose, pair_count, near_pair_count, clusters;
	int64_t pair[2];
	uint8_t interference, relation, exact_relation;
	bool intersecting, within_clearance;
	uint8_t fit;
	double volume[2], local_depth[2], penetration_depth[2]; // lower and upper end
} row;

static record record_of( const check_job *w ) {
	record r = { .count = 0 };
	record_add( &r, "pose", RECORD_COUNT, 1, offsetof( row, pose ) );
	record_add( &r, "interference", RECORD_CODE, 1, offsetof( row, interference ) );
	record_add( &r, "intersecting", RECORD_BOOL, 1, offsetof( row, intersecting ) );
	record_add( &r, "pair", RECORD_INDEX, 2, offsetof( row, pair ) );
	if ( w->all )
		record_add( &r, "pair_count", RECORD_COUNT, 1, offsetof( row, pair_count ) );
	if ( w->has_clearance )
		record_add( &r, "within_clearance", RECORD_BOOL, 1, offsetof( row, within_clearance ) );
	if ( w->has_clearance && w->all )
		record_add( &r, "near_pair_count", RECORD_COUNT, 1, offsetof( row, near_pair_count ) );
	if ( w->relation ) {
		record_add( &r, "relation", RECORD_CODE, 1, offsetof( row, relation ) );
		record_add( &r, "exact_relation", RECORD_CODE, 1, offsetof( row, exact_relation ) );
	}
	if ( check_wants_overlap( w ) )
		record_add( &r, "fit", RECORD_CODE, 1, offsetof( row, fit ) );
	if ( w->overlap )
		record_add( &r, "volume", RECORD_REAL, 2, offsetof( row, volume ) );
	if ( w->overlap || w->depth )
		record_add( &r, "local_depth", RECORD_REAL, 2, offsetof( row, local_depth ) );
	if ( w->depth )
		record_add( &r, "penetration_depth", RECORD_REAL, 2, offsetof( row, penetration_depth ) );
	if ( w->contacts )
		record_add( &r, "clusters", RECORD_COUNT, 1, offsetof( row, clusters ) );
	return r;
}

static row row_of( size_t pose, const check_answer *a ) {
	const bool intersecting = a->surfaces.verdict == DBVH_INTERSECTING;
	return ( row ){
	    .pose = pose,
	    .pair_count = a->surfaces.pair_count,
	    .near_pair_count = a->near.pair_count,
	    .clusters = a->contacts.cluster_count,
	    .pair = { intersecting ? (int64_t)a->surfaces.first.a : -1, intersecting ? (int64_t)a->surfaces.first.b : -1 },
	    .interference = (uint8_t)a->interference,
	    .relation = (uint8_t)a->relation.relation,
	    .exact_relation = (uint8_t)a->relation.exact,
	    .intersecting = intersecting,
	    .within_clearance = a->near.within,
	    .fit = (uint8_t)a->fit,
	    .volume = { a->overlap.measure.volume.lower, a->overlap.measure.volume.upper },
	    .local_depth = { a->local.least.lower, a->local.least.upper },
	    .penetration_depth = { a->way_out.depth.lower, a->way_out.depth.upper } };
}

typedef struct sums {
	check_job *job;
	record record;
} sums;

enum { SUM_INTERSECTING, SUM_NEAR, SUM_INTERFERING, SUM_UNDECIDABLE, SUM_RELATIONS };

static dbvh_status answer( void *user, size_t i, results_form form, FILE *file, results_tally *tally ) {
	sums *s = user;
	check_answer a;
	const dbvh_status status = check_run( s->job, pair_pose( &s->job->pair, i ), &a );
	if ( status == DBVH_OK || status == DBVH_CANCELLED )
		check_keep( s->job, i, &a, status == DBVH_OK );
	if ( status != DBVH_OK )
		return status;
	tally->counts[SUM_INTERSECTING] += a.surfaces.verdict == DBVH_INTERSECTING;
	tally->counts[SUM_NEAR] += a.near.within;
	tally->counts[SUM_INTERFERING] += a.interference == INTERFERENCE_YES;
	tally->counts[SUM_UNDECIDABLE] += a.interference == INTERFERENCE_UNDECIDABLE;
	++tally->counts[SUM_RELATIONS + a.relation.relation];
	if ( form == RESULTS_NPY ) {
		const row r = row_of( i, &a );
		record_write( &s->record, &r, file );
		return DBVH_OK;
	}
	json j = { .file = file };
	check_json_answer( &j, s->job, i, &a );
	putc( '\n', file );
	return DBVH_OK;
}

static void summary( void *user, const results_tally *tally, size_t finished ) {
	const check_job *w = ( (const sums *)user )->job;
	check_text text = { .intersecting = tally->counts[SUM_INTERSECTING],
	                    .near = tally->counts[SUM_NEAR],
	                    .interfering = tally->counts[SUM_INTERFERING],
	                    .undecidable = tally->counts[SUM_UNDECIDABLE] };
	for ( int i = 0; i <= DBVH_RELATION_UNDECIDABLE; ++i )
		text.relations[i] = tally->counts[SUM_RELATIONS + i];
	if ( !w->pair.quiet )
		check_text_end( w, &text, finished );
}

static int status( void *user, const results_tally *tally ) {
	(void)user;
	return tally->counts[SUM_INTERFERING] > 0   ? EXIT_INTERFERENCE
	       : tally->counts[SUM_UNDECIDABLE] > 0 ? EXIT_UNDECIDABLE
	                                            : EXIT_CLEAR;
}

// Everything on the command line that an answer depends on.
static void describe( const check_job *w, fingerprint *about ) {
	char number[3][REAL_ROOM];
	pair_describe( &w->pair, about );
	fingerprint_say( about, "questions", "%s%s%s%s%s", w->all ? " --all" : "", w->contacts ? " --contacts" : "",
	                 w->has_clearance ? " --clearance " : "",
	                 w->has_clearance ? real_text( w->clearance, number[0] ) : "", w->relation ? " --relation" : "" );
	if ( check_wants_overlap( w ) )
		fingerprint_say( about, "overlap", "%s%s --allowed-depth %s --allowed-volume %s",
		                 w->overlap ? " --overlap" : "", w->depth ? " --depth" : "",
		                 w->has_allowed_depth ? real_text( w->allowed_depth, number[1] ) : "none",
		                 w->has_allowed_volume ? real_text( w->allowed_volume, number[2] ) : "none" );
	if ( !w->relation )
		return;
	fingerprint_say( about, "relation", "%s%s --touch-gap %s --touch-overlap %s --fill %s",
	                 w->allow_touching ? " --allow-touching" : "",
	                 w->tolerance.open_holds_nothing ? " --open-holds-nothing" : "",
	                 real_text( w->tolerance.touch_gap, number[1] ), real_text( w->tolerance.touch_overlap, number[2] ),
	                 w->pair.fill == DBVH_FILL_RULE_EVEN_ODD ? "even-odd" : "nonzero" );
}

int check_to_file( check_job *w ) {
	static fingerprint about;
	sums s = { .job = w, .record = record_of( w ) };
	w->lists_pairs = w->results.form == RESULTS_JSON_LINES;
	describe( w, &about );
	const results_work work = { .doing = "poses checked",
	                            .one = "pose",
	                            .case_count = pair_pose_count( &w->pair ),
	                            .record = &s.record,
	                            .about = &about,
	                            .user = &s,
	                            .answer = answer,
	                            .summary = summary,
	                            .status = status };
	return results_run( &w->results, "check", &work );
}
