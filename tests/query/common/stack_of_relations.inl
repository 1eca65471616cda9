// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The doors of relation.h and depth.h, a part of test_stack.c.

DOOR( penetration_depth ) {
	dbvh_penetration_result out;
	const dbvh_budget budget = { .max_work = 20000 };
	const dbvh_penetration_query o = { .strict = rng_below( &s->r, 4 ) == 0, .budget = &budget };
	if ( s->at == &s->pairs[5] && rng_below( &s->r, 8 ) != 0 ) // takes long
		return;
	const dbvh_status status = dbvh_penetration_depth( s->at->a, s->pa, s->at->b, s->pb, &o, s->workspace, &out, NULL );
	s->done += status == DBVH_OK || status == DBVH_BUDGET_SPENT;
}
DOOR( penetration_depth_batch ) {
	dbvh_penetration_result out;
	const dbvh_budget budget = { .max_work = 20000 };
	const dbvh_penetration_query q = { .budget = &budget };
	const dbvh_batch_options o = { .thread_count = 1, .workspace = s->workspace };
	const dbvh_status status =
	    dbvh_penetration_depth_batch( s->at->a, s->pa, s->at->b, &s->pose_b, 1, &q, &o, &out, NULL );
	s->done += status == DBVH_OK || status == DBVH_BUDGET_SPENT;
}
DOOR( penetration_along ) {
	dbvh_penetration_along_result out;
	const dbvh_budget budget = { .max_work = 20000 };
	const dbvh_penetration_query o = { .budget = &budget };
	static const double way[3] = { 1.0, 0.5, -0.25 };
	const dbvh_status status =
	    dbvh_penetration_along( s->at->a, s->pa, s->at->b, s->pb, way, &o, s->workspace, &out, NULL );
	s->done += status == DBVH_OK || status == DBVH_BUDGET_SPENT;
}
DOOR( local_depth ) {
	dbvh_local_depth_result out;
	const dbvh_budget budget = { .max_work = 20000 };
	const dbvh_local_depth_query o = { .allowed_depth = 0.01, .budget = &budget };
	const dbvh_status status = dbvh_local_depth( s->at->a, s->pa, s->at->b, s->pb, &o, s->workspace, &out, NULL );
	s->done += status == DBVH_OK || status == DBVH_BUDGET_SPENT;
}
DOOR( local_depth_batch ) {
	dbvh_local_depth_result out;
	const dbvh_budget budget = { .max_work = 20000 };
	const dbvh_local_depth_query q = { .budget = &budget };
	const dbvh_batch_options o = { .thread_count = 1, .workspace = s->workspace };
	const dbvh_status status = dbvh_local_depth_batch( s->at->a, s->pa, s->at->b, &s->pose_b, 1, &q, &o, &out, NULL );
	s->done += status == DBVH_OK || status == DBVH_BUDGET_SPENT;
}
DOOR( depth_proof_name ) {
	s->done += dbvh_depth_proof_name( DBVH_DEPTH_PROOF_NONE ) != NULL;
}
DOOR( fit_verdict_name ) {
	s->done += dbvh_fit_verdict_name( DBVH_FIT_VERDICT_FIT ) != NULL;
}
DOOR( locate_point ) {
	dbvh_location out;
	s->done += dbvh_locate_point( s->at->a, s->pb, s->point, &out, NULL ) == DBVH_OK;
}
DOOR( relate ) {
	dbvh_relate_result out;
	if ( s->at == &s->pairs[5] && rng_below( &s->r, 8 ) != 0 ) // takes long
		return;
	const dbvh_relate_query o = { .touch_gap = 0.0, .touch_overlap = rng_below( &s->r, 2 ) == 0 ? 0.0 : 0.1 };
	s->done += dbvh_relate( s->at->a, s->pa, s->at->b, s->pb, &o, s->workspace, &out, NULL ) == DBVH_OK;
}
DOOR( relate_batch ) {
	dbvh_relate_result out;
	if ( s->at == &s->pairs[5] && rng_below( &s->r, 8 ) != 0 ) // takes long
		return;
	const dbvh_batch_options o = { .thread_count = 1, .workspace = s->workspace };
	s->done += dbvh_relate_batch( s->at->a, s->pa, s->at->b, &s->pose_b, 1, NULL, &o, &out, NULL ) == DBVH_OK;
}
DOOR( separating_translation ) {
	dbvh_separation out;
	s->done += !may_move( s ) || dbvh_separating_translation( s->at->a, s->pa, s->at->b, s->pb, NULL, s->contacts, &out,
	                                                          NULL ) == DBVH_OK;
}
