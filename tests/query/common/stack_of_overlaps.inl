// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The functions of overlap.h, for test_stack.c.

DOOR( overlap_create ) {
	dbvh_overlap *o = NULL;
	s->done += dbvh_overlap_create( NULL, &o, NULL ) == DBVH_OK;
	dbvh_overlap_destroy( o );
}
#define call_overlap_destroy call_overlap_create
DOOR( overlap_find ) {
	dbvh_overlap_result out;
	const dbvh_overlap_query q = { .relative_width = rng_below( &s->r, 2 ) == 0 ? 0.0 : 1e-30,
	                               .mesh = rng_below( &s->r, 2 ) == 0 };
	s->done += dbvh_overlap_find( s->at->a, s->pa, s->at->b, s->pb, &q, s->overlap, &out, NULL ) == DBVH_OK;
}
DOOR( local_depth_components ) {
	dbvh_overlap_result overlap;
	dbvh_local_depth_result out;
	dbvh_component_depth parts[2];
	const dbvh_budget budget = { .max_work = 20000 };
	const dbvh_local_depth_query q = { .budget = &budget };
	const dbvh_status status =
	    dbvh_local_depth_components( s->at->a, s->pa, s->at->b, s->pb, &q, s->overlap, parts, 2, &overlap, &out, NULL );
	s->done += status == DBVH_OK || status == DBVH_BUDGET_SPENT;
}
DOOR( overlap_get ) {
	s->done += dbvh_overlap_get( s->overlap ).component_count < SIZE_MAX;
}
DOOR( overlap_batch ) {
	dbvh_overlap_result out;
	const dbvh_batch_options o = { .thread_count = 1, .workspace = s->workspace };
	s->done += dbvh_overlap_batch( s->at->a, s->pa, s->at->b, &s->pose_b, 1, NULL, &o, &out, NULL ) == DBVH_OK;
}
DOOR( overlap_kind_name ) {
	s->done += dbvh_overlap_kind_name( (dbvh_overlap_kind)rng_below( &s->r, 12 ) )[0] != 0;
}
DOOR( overlap_reason_name ) {
	s->done += dbvh_overlap_reason_name( (dbvh_overlap_reason)rng_below( &s->r, 12 ) )[0] != 0;
}
