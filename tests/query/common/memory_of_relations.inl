// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The doors of relation.h and depth.h, a part of test_memory.c.

DOOR( penetration_depth ) {
	dbvh_penetration_result out;
	START( out );
	const dbvh_budget budget = { .max_work = 20000 };
	const dbvh_penetration_query q = { .strict = variant != 0, .budget = &budget };
	const dbvh_status status =
	    dbvh_penetration_depth( s->at->a, NULL, s->at->b, &s->at->pose, &q, s->workspace, &out, NULL );
	OUT( out );
	return status == DBVH_BUDGET_SPENT ? DBVH_OK : status;
}
DOOR( penetration_along ) {
	PLAIN;
	dbvh_penetration_along_result out;
	START( out );
	const dbvh_budget budget = { .max_work = 20000 };
	const dbvh_penetration_query q = { .budget = &budget };
	static const double way[3] = { 1.0, 0.5, -0.25 };
	const dbvh_status status =
	    dbvh_penetration_along( s->at->a, NULL, s->at->b, &s->at->pose, way, &q, s->workspace, &out, NULL );
	OUT( out );
	return status == DBVH_BUDGET_SPENT ? DBVH_OK : status;
}
DOOR( penetration_depth_batch ) {
	dbvh_penetration_result out[POSES];
	START( out );
	dbvh_pose poses[POSES];
	some_poses( s, poses );
	const dbvh_batch_options o = { .thread_count = (uint32_t)variant, .workspace = s->workspace };
	const dbvh_budget budget = { .max_work = 5000 };
	const dbvh_penetration_query q = { .budget = &budget };
	const dbvh_status status =
	    dbvh_penetration_depth_batch( s->at->a, NULL, s->at->b, poses, POSES, &q, &o, out, NULL );
	OUT( out );
	return status == DBVH_BUDGET_SPENT ? DBVH_OK : status;
}
DOOR( local_depth_batch ) {
	dbvh_local_depth_result out[POSES];
	START( out );
	dbvh_pose poses[POSES];
	some_poses( s, poses );
	const dbvh_batch_options o = { .thread_count = (uint32_t)variant, .workspace = s->workspace };
	const dbvh_budget budget = { .max_work = 5000 };
	const dbvh_local_depth_query q = { .budget = &budget };
	const dbvh_status status = dbvh_local_depth_batch( s->at->a, NULL, s->at->b, poses, POSES, &q, &o, out, NULL );
	OUT( out );
	return status == DBVH_BUDGET_SPENT ? DBVH_OK : status;
}
DOOR( local_depth ) {
	dbvh_local_depth_result out;
	START( out );
	const dbvh_budget budget = { .max_work = 20000 };
	const dbvh_local_depth_query q = { .allowed_depth = 0.01, .verdict_only = variant != 0, .budget = &budget };
	const dbvh_status status = dbvh_local_depth( s->at->a, NULL, s->at->b, &s->at->pose, &q, s->workspace, &out, NULL );
	OUT( out );
	return status == DBVH_BUDGET_SPENT ? DBVH_OK : status;
}
DOOR( relate ) {
	dbvh_relate_result out;
	START( out );
	const dbvh_relate_query o = { .touch_gap = variant == 0 ? 0.0 : 8.0, .touch_overlap = variant == 0 ? 0.0 : 0.01 };
	const dbvh_status status = dbvh_relate( s->at->a, NULL, s->at->b, &s->at->pose, &o, s->workspace, &out, NULL );
	OUT( out );
	return status;
}
DOOR( relate_batch ) {
	dbvh_relate_result out[POSES];
	START( out );
	dbvh_pose poses[POSES];
	some_poses( s, poses );
	const dbvh_batch_options o = { .thread_count = (uint32_t)variant, .workspace = s->workspace };
	dbvh_error e;
	const dbvh_status status = dbvh_relate_batch( s->at->a, NULL, s->at->b, poses, POSES, NULL, &o, out, &e );
	check_error( status, &e );
	OUT( out );
	return status;
}
