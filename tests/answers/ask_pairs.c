// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Queries about two meshes.

#include "run.h"

enum { POSES = 16 };

typedef struct placed {
	dbvh_pose a, b[POSES];
} placed;

static const dbvh_tree *any_tree( run *r, int i ) {
	return input_between( &r->rng, 0, 1 ) == 0 ? r->plain[i] : r->solid[i];
}

static void make_poses( run *r, placed *p ) {
	const bool on_grid = input_between( &r->rng, 0, 1 ) == 0;
	p->a = input_between( &r->rng, 0, 1 ) == 0 ? dbvh_pose_identity() : input_pose( &r->rng, on_grid, 1 );
	for ( int i = 0; i < POSES; ++i )
		p->b[i] = input_pose( &r->rng, on_grid, 1 + i % 3 );
}

// ------------------------------------------------------------------------------------------------
// Collision and clearance

static void put_pairs( run *r, size_t count, size_t written ) {
	put( r, count );
	for ( size_t i = 0; i < written; ++i )
		put_pair( r, r->pairs[i] );
}

static void ask_collide( run *r, const placed *p ) {
	run_kind( r, ANSWERS_COLLIDE );
	const dbvh_tree *const a = any_tree( r, 0 ), *const b = any_tree( r, 1 );
	dbvh_collide_result result, results[POSES];
	dbvh_cache cache = dbvh_cache_default();
	const dbvh_collide_query any = { .find = DBVH_FIND_ANY, .thread_count = r->threads };
	const dbvh_collide_query all = {
	    .find = DBVH_FIND_ALL, .pairs = r->pairs, .pair_capacity = RUN_PAIRS, .thread_count = r->threads };
	const dbvh_collide_query reference = { .find = DBVH_FIND_ANY, .policy = DBVH_POLICY_DUAL };
	const dbvh_collide_query counted = { .find = DBVH_FIND_ALL };
	const dbvh_batch_options batch = { .thread_count = r->threads, .grain = 1, .workspace = r->workspace };
	for ( int i = 0; i < POSES; ++i ) {
		ASK( r, dbvh_collide( a, &p->a, b, &p->b[i], &any, r->workspace, &result, NULL ) );
		put_verdict( r, result.verdict == DBVH_INTERSECTING );
		if ( i % 2 == 0 ) {
			ASK( r, dbvh_collide( a, &p->a, b, &p->b[i], &all, r->workspace, &result, NULL ) );
			put_pairs( r, result.pair_count, result.pair_written );
		}
		if ( i % 4 == 0 ) {
			ASK( r,
			     dbvh_collide( r->solid[0], &p->a, r->solid[1], &p->b[i], &reference, r->workspace, &result, NULL ) );
			put_verdict( r, result.verdict == DBVH_INTERSECTING );
			ASK( r, dbvh_collide_cached( a, &p->a, b, &p->b[i], NULL, &cache, r->workspace, &result, NULL ) );
			put_verdict( r, result.verdict == DBVH_INTERSECTING );
		}
	}
	ASK( r, dbvh_collide_batch( a, &p->a, b, p->b, POSES, &counted, &batch, results, NULL ) );
	for ( int i = 0; i < POSES; ++i )
		put( r, results[i].pair_count );
	r->result->queries[r->kind] += POSES - 1;
}

static void ask_clearance( run *r, const placed *p ) {
	run_kind( r, ANSWERS_CLEARANCE );
	const dbvh_tree *const a = any_tree( r, 0 ), *const b = any_tree( r, 1 );
	dbvh_clearance_result result, results[POSES];
	const dbvh_batch_options batch = { .thread_count = r->threads, .grain = 1, .workspace = r->workspace };
	const double reach = (double)input_between( &r->rng, 0, 8 ) / 8.0;
	const dbvh_clearance_query any = { .max_distance = reach, .thread_count = r->threads };
	const dbvh_clearance_query in_batch = { .max_distance = reach };
	const dbvh_clearance_query all = { .max_distance = reach / 4.0,
	                                   .find = DBVH_FIND_ALL,
	                                   .pairs = r->pairs,
	                                   .pair_capacity = RUN_PAIRS,
	                                   .thread_count = r->threads };
	for ( int i = 0; i < POSES; i += 2 ) {
		ASK( r, dbvh_check_clearance( a, &p->a, b, &p->b[i], &any, r->workspace, &result, NULL ) );
		put_verdict( r, result.within );
		if ( i % 8 == 0 ) {
			ASK( r, dbvh_check_clearance( a, &p->a, b, &p->b[i], &all, r->workspace, &result, NULL ) );
			put_pairs( r, result.pair_count, result.pair_written );
		}
	}
	ASK( r, dbvh_check_clearance_batch( a, &p->a, b, p->b, POSES, &in_batch, &batch, results, NULL ) );
	for ( int i = 0; i < POSES; ++i )
		put_verdict( r, results[i].within );
	r->result->queries[r->kind] += POSES - 1;
}

// ------------------------------------------------------------------------------------------------
// Distance and time

static void put_distance( run *r, const dbvh_distance_result *d ) {
	put_doubles( r, &d->distance, 1 );
	if ( d->distance > 0.0 )
		put_pair( r, d->pair );
	r->result->yes[r->kind] += d->found && d->distance == 0.0;
}

static void ask_distance( run *r, const placed *p ) {
	run_kind( r, ANSWERS_DISTANCE );
	const dbvh_tree *const a = any_tree( r, 0 ), *const b = any_tree( r, 1 );
	dbvh_distance_result result, results[POSES];
	const dbvh_batch_options batch = { .thread_count = r->threads, .grain = 1, .workspace = r->workspace };
	const dbvh_distance_query query = { .thread_count = r->threads };
	const dbvh_distance_query near_by = { .limit = 0.5 };
	for ( int i = 0; i < POSES; i += 2 ) {
		ASK( r, dbvh_distance( a, &p->a, b, &p->b[i], &query, r->workspace, &result, NULL ) );
		put_distance( r, &result );
	}
	ASK( r, dbvh_distance_batch( a, &p->a, b, p->b, POSES, &near_by, &batch, results, NULL ) );
	for ( int i = 0; i < POSES; ++i ) {
		put( r, results[i].found );
		put_distance( r, &results[i] );
	}
	r->result->queries[r->kind] += POSES - 1;
}

// A time in steps of 1/64, none of which may be near it.
void put_time( run *r, bool is_clear, double time ) {
	put_verdict( r, !is_clear );
	if ( is_clear || time == 0.0 )
		return;
	const double steps = 64.0 * time;
	const uint64_t whole = (uint64_t)steps;
	const double above = steps - (double)whole;
	const double margin = above < 0.5 ? above : 1.0 - above;
	if ( margin < r->result->time_margin )
		r->result->time_margin = margin;
	put( r, whole );
}

static void ask_time_of_impact( run *r ) {
	enum { MOTIONS = 4 };
	run_kind( r, ANSWERS_TOI );
	const dbvh_tree *const a = any_tree( r, 0 ), *const b = any_tree( r, 1 );
	dbvh_motion motions[MOTIONS];
	dbvh_toi_result result, results[MOTIONS];
	const dbvh_batch_options batch = { .thread_count = r->threads, .grain = 1, .workspace = r->workspace };
	for ( int i = 0; i < MOTIONS; ++i )
		motions[i] = input_motion( &r->rng );
	ASK( r, dbvh_time_of_impact( a, &motions[0], b, &motions[1], NULL, r->workspace, &result, NULL ) );
	put_time( r, result.verdict == DBVH_TOI_VERDICT_CLEAR, result.time );
	ASK( r, dbvh_time_of_impact_batch( a, NULL, b, motions, MOTIONS, NULL, &batch, results, NULL ) );
	for ( int i = 0; i < MOTIONS; ++i )
		put_time( r, results[i].verdict == DBVH_TOI_VERDICT_CLEAR, results[i].time );
	r->result->queries[r->kind] += MOTIONS - 1;
}

// ------------------------------------------------------------------------------------------------
// Solids

static void put_relation( run *r, const dbvh_relate_result *d ) {
	put( r, d->relation );
	put( r, d->exact );
	put( r, d->surface_relation );
	put( r, d->undecided );
	put( r, (uint64_t)d->ambiguous_a << 1 | d->ambiguous_b );
	put_verdict( r, d->surfaces_intersect );
}

static void ask_relate( run *r, const placed *p ) {
	if ( !r->meshes[0].is_solid || !r->meshes[1].is_solid )
		return;
	run_kind( r, ANSWERS_RELATE );
	dbvh_relate_result result, results[POSES];
	const dbvh_relate_query near_by = { .touch_gap = 0.0625, .open_holds_nothing = true };
	const dbvh_batch_options batch = { .thread_count = r->threads, .grain = 1, .workspace = r->workspace };
	for ( int i = 0; i < POSES; i += 2 ) {
		ASK( r, dbvh_relate( r->solid[0], &p->a, r->solid[1], &p->b[i], i % 4 == 0 ? NULL : &near_by, r->workspace,
		                     &result, NULL ) );
		put_relation( r, &result );
	}
	ASK( r, dbvh_relate_batch( r->solid[0], &p->a, r->solid[1], p->b, POSES, NULL, &batch, results, NULL ) );
	for ( int i = 0; i < POSES; ++i )
		put_relation( r, &results[i] );
	r->result->queries[r->kind] += POSES - 1;
}

static void put_feature( run *r, dbvh_feature f ) {
	put( r, (uint64_t)f.triangle << 8 | (uint64_t)f.kind << 4 | f.index );
}

static void put_contacts( run *r, const dbvh_contacts_view *v ) {
	put_verdict( r, v->contact_count > 0 );
	for ( size_t i = 0; i < v->contact_count; ++i ) {
		put_pair( r, v->contacts[i].pair );
		put( r, v->contacts[i].kind );
		put( r, v->contacts[i].corner_count );
		put( r, v->contacts[i].cluster );
	}
	for ( size_t i = 0; i < v->corner_count; ++i )
		put( r, v->corners[i] );
	for ( size_t i = 0; i < v->point_count; ++i ) {
		put_doubles( r, v->points[i].position, 3 );
		put_feature( r, v->points[i].a );
		put_feature( r, v->points[i].b );
		put( r, v->points[i].steps );
	}
	for ( size_t i = 0; i < v->polyline_count; ++i ) {
		put( r, v->polylines[i].point_count );
		put( r, v->polylines[i].kind );
		put( r, (uint64_t)v->polylines[i].closed << 1 | v->polylines[i].directed );
	}
	for ( size_t i = 0; i < v->path_count; ++i )
		put( r, (uint64_t)v->path[i].point << 32 | v->path[i].contact );
	for ( size_t i = 0; i < v->cluster_count; ++i ) {
		put_doubles( r, v->clusters[i].bounds.min, 3 );
		put_doubles( r, v->clusters[i].bounds.max, 3 );
		put( r, v->clusters[i].triangle_count_a );
		put( r, v->clusters[i].triangle_count_b );
	}
}

static void ask_contacts( run *r, const placed *p ) {
	run_kind( r, ANSWERS_CONTACTS );
	const dbvh_contacts_query query = { .thread_count = r->threads };
	for ( int i = 0; i < POSES; i += 4 ) {
		ASK( r, dbvh_contacts_find( r->solid[0], &p->a, r->solid[1], &p->b[i], &query, r->contacts, NULL ) );
		const dbvh_contacts_view view = dbvh_contacts_get( r->contacts );
		put_contacts( r, &view );
	}
}

// Hash the parts of a result that do not depend on the order of sums, and the volume in steps of a float, because
// intervals may become narrower.
static void put_overlap( run *r, const dbvh_overlap_result *d, const dbvh_overlap_view *v ) {
	put_verdict( r, d->measure.volume.lower > 0.0 );
	put( r, d->kind );
	put( r, d->reason );
	put( r, d->component_count );
	put( r, d->face_count );
	for ( size_t i = 0; i < v->component_count; ++i ) {
		const dbvh_overlap_component *c = &v->components[i];
		put( r, c->kind );
		put( r, (uint64_t)c->patches_a << 32 | c->patches_b );
		put( r, (uint64_t)c->loops << 32 | c->shells );
	}
	if ( d->reason != DBVH_OVERLAP_REASON_DECIDED )
		return;
	const float volume = (float)d->measure.volume.upper;
	uint32_t bits;
	memcpy( &bits, &volume, sizeof bits );
	put( r, bits );
}

static void ask_overlap( run *r, const placed *p ) {
	run_kind( r, ANSWERS_OVERLAPS );
	for ( int i = 0; i < POSES; i += 4 ) {
		const dbvh_overlap_query query = {
		    .mesh = i % 8 == 0, .open_holds_nothing = i % 8 != 0, .thread_count = r->threads };
		dbvh_overlap_result result;
		ASK( r, dbvh_overlap_find( r->solid[0], &p->a, r->solid[1], &p->b[i], &query, r->overlap, &result, NULL ) );
		const dbvh_overlap_view view = dbvh_overlap_get( r->overlap );
		put_overlap( r, &result, &view );
	}
}

// Is an overlap deeper than any body of these?
static void ask_depth( run *r, const placed *p ) {
	run_kind( r, ANSWERS_DEPTHS );
	const dbvh_local_depth_query query = { .allowed_depth = 1e6, .verdict_only = true };
	for ( int i = 0; i < POSES; i += 4 ) {
		dbvh_local_depth_result result;
		ASK( r, dbvh_local_depth( r->solid[0], &p->a, r->solid[1], &p->b[i], &query, r->workspace, &result, NULL ) );
		put_verdict( r, result.verdict == DBVH_FIT_VERDICT_FIT );
		put( r, result.verdict );
		put( r, result.undecided );
	}
}

void ask_pairs( run *r ) {
	placed p;
	make_poses( r, &p );
	ask_collide( r, &p );
	ask_clearance( r, &p );
	ask_distance( r, &p );
	ask_time_of_impact( r );
	ask_relate( r, &p );
	ask_contacts( r, &p );
	ask_overlap( r, &p );
	ask_depth( r, &p );
}
