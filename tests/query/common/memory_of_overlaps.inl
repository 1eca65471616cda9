// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The functions of overlap.h, for test_memory.c.

DOOR( overlap_create ) {
	PLAIN;
	dbvh_overlap *o = (dbvh_overlap *)s;
	const dbvh_status status = dbvh_overlap_create( &s->allocator, &o, NULL );
	if ( status != DBVH_OK )
		OUT( o );
	dbvh_overlap_destroy( o );
	return status;
}
DOOR( overlap_find ) {
	dbvh_overlap_result out;
	START( out );
	const dbvh_overlap_query q = { .mesh = variant == 1, .relative_width = variant == 1 ? 1e-30 : 0.0 };
	const dbvh_status status = dbvh_overlap_find( s->at->a, NULL, s->at->b, &s->at->pose, &q, s->overlap, &out, NULL );
	OUT( out );
	const dbvh_overlap_view v = dbvh_overlap_get( s->overlap );
	const size_t counts[] = { v.component_count, v.vertex_count, v.face_count };
	OUT( counts );
	return status;
}
DOOR( local_depth_components ) {
	dbvh_overlap_result overlap;
	dbvh_local_depth_result out;
	dbvh_component_depth parts[2];
	memset( parts, 0, sizeof parts );
	START( out );
	const dbvh_budget budget = { .max_work = 20000 };
	const dbvh_local_depth_query q = { .allowed_depth = 0.01, .verdict_only = variant != 0, .budget = &budget };
	const dbvh_status status = dbvh_local_depth_components( s->at->a, NULL, s->at->b, &s->at->pose, &q, s->overlap,
	                                                        parts, 2, &overlap, &out, NULL );
	OUT( out );
	OUT( parts );
	return status == DBVH_BUDGET_SPENT ? DBVH_OK : status;
}
DOOR( overlap_batch ) {
	dbvh_overlap_result out[POSES];
	START( out );
	dbvh_pose poses[POSES];
	for ( int i = 0; i < POSES; ++i )
		poses[i] = s->at->pose;
	const dbvh_batch_options o = { .thread_count = (uint32_t)variant, .workspace = s->workspace };
	dbvh_error e;
	const dbvh_status status = dbvh_overlap_batch( s->at->a, NULL, s->at->b, poses, POSES, NULL, &o, out, &e );
	check_error( status, &e );
	OUT( out );
	return status;
}
