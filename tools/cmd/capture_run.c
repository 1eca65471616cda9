// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "cmd/capture_run.h"

#include "cli/complain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------
// Trees

static dbvh_tree *build_one( const dbvh_mesh_view *mesh, dbvh_tree_options options, uint32_t thread_count,
                             bool reference, dbvh_error *error ) {
	dbvh_tree *tree = NULL;
	options.thread_count = thread_count;
	options.reference = options.reference || reference;
	return dbvh_tree_build( mesh, &options, NULL, &tree, error ) == DBVH_OK ? tree : NULL;
}

static bool build_two( const dbvh_capture *x, uint32_t thread_count, bool reference, dbvh_tree *out[2],
                       dbvh_error *error ) {
	out[0] = out[1] = build_one( &x->mesh_a, x->options_a, thread_count, reference, error );
	if ( out[0] != NULL && x->mesh_b.positions != NULL )
		out[1] = build_one( &x->mesh_b, x->options_b, thread_count, reference, error );
	return out[0] != NULL && out[1] != NULL;
}

static void free_two( dbvh_tree *trees[2] ) {
	if ( trees[1] != trees[0] )
		dbvh_tree_destroy( trees[1] );
	dbvh_tree_destroy( trees[0] );
	trees[0] = trees[1] = NULL;
}

bool capture_build( const dbvh_capture *capture, uint32_t thread_count, capture_trees *out, dbvh_error *error ) {
	*out = ( capture_trees ){ .own = { NULL, NULL } };
	if ( build_two( capture, thread_count, false, out->own, error ) &&
	     ( !capture_has_policy( capture ) || build_two( capture, thread_count, true, out->reference, error ) ) )
		return true;
	capture_free( out );
	return false;
}

void capture_free( capture_trees *trees ) {
	free_two( trees->own );
	free_two( trees->reference );
}

bool capture_has_policy( const dbvh_capture *capture ) {
	switch ( capture->call ) {
	case DBVH_CAPTURE_CALL_COLLIDE:
	case DBVH_CAPTURE_CALL_CLEARANCE:
	case DBVH_CAPTURE_CALL_DISTANCE:
	case DBVH_CAPTURE_CALL_TIME_OF_IMPACT:
	case DBVH_CAPTURE_CALL_SELF_COLLIDE:
		return true;
	default:
		return false;
	}
}

// ------------------------------------------------------------------------------------------------
// Hashes of lists

static uint64_t fold( uint64_t hash, uint64_t x ) {
	hash = ( hash ^ x ) * UINT64_C( 0x9e3779b97f4a7c15 );
	return hash ^ hash >> 29;
}

static uint64_t fold_real( uint64_t hash, double x ) {
	uint64_t bits;
	memcpy( &bits, &x, sizeof bits );
	return fold( hash, bits );
}

static uint64_t hash_pairs( const dbvh_pair *pairs, size_t count ) {
	uint64_t hash = count;
	for ( size_t i = 0; i < count; ++i )
		hash = fold( fold( hash, pairs[i].a ), pairs[i].b );
	return hash;
}

static uint64_t hash_hits( const dbvh_ray_hit *hits, size_t count ) {
	uint64_t hash = count;
	for ( size_t i = 0; i < count; ++i )
		hash = fold_real( fold( hash, hits[i].triangle ), hits[i].t );
	return hash;
}

static uint64_t hash_contacts( const dbvh_contacts_view *v ) {
	uint64_t hash = v->contact_count;
	for ( size_t i = 0; i < v->contact_count; ++i ) {
		const dbvh_contact *c = &v->contacts[i];
		hash = fold( fold( fold( hash, c->pair.a ), c->pair.b ), (uint64_t)c->kind );
		hash = fold( fold( hash, c->corner_count ), c->cluster );
	}
	for ( size_t i = 0; i < v->corner_count; ++i )
		hash = fold( hash, v->corners[i] );
	for ( size_t i = 0; i < v->point_count; ++i )
		for ( int k = 0; k < 3; ++k )
			hash = fold_real( hash, v->points[i].position[k] );
	for ( size_t i = 0; i < v->polyline_count; ++i ) {
		const dbvh_polyline *l = &v->polylines[i];
		hash = fold_real( fold( fold( hash, l->point_count ), (uint64_t)l->kind ), l->length );
	}
	return hash;
}

// ------------------------------------------------------------------------------------------------
// Calls

typedef struct asked {
	const dbvh_capture *capture;
	const dbvh_tree *a, *b;
	dbvh_policy policy;
	uint32_t thread_count;
	dbvh_workspace *workspace; // may be NULL
} asked;

static const dbvh_pose *pose_a( const asked *q ) {
	return q->capture->placed_a ? &q->capture->pose_a : NULL;
}

static const dbvh_pose *pose_b( const asked *q ) {
	return q->capture->placed_b ? &q->capture->pose_b : NULL;
}

static void *room_for( size_t count, size_t size ) {
	return count <= SIZE_MAX / size ? malloc( count * size ) : NULL;
}

static dbvh_status collide_once( const asked *q, const dbvh_collide_query *query, dbvh_collide_result *r ) {
	return q->capture->call == DBVH_CAPTURE_CALL_SELF_COLLIDE
	           ? dbvh_self_collide( q->a, query, q->workspace, r, NULL )
	           : dbvh_collide( q->a, pose_a( q ), q->b, pose_b( q ), query, q->workspace, r, NULL );
}

// Query again for the list, when its length is known.
static dbvh_status run_collide( const asked *q, dbvh_capture_answer *out ) {
	dbvh_collide_query query = {
	    .find = q->capture->collide.find, .policy = q->policy, .thread_count = q->thread_count };
	dbvh_collide_result r;
	dbvh_status status = collide_once( q, &query, &r );
	if ( status != DBVH_OK )
		return status;
	out->verdict = r.verdict;
	if ( query.find != DBVH_FIND_ALL )
		return DBVH_OK;
	out->count = r.pair_count;
	out->first = r.first;
	if ( r.pair_count == 0 )
		return DBVH_OK;
	query.pairs = room_for( r.pair_count, sizeof *query.pairs );
	query.pair_capacity = r.pair_count;
	status = query.pairs != NULL ? collide_once( q, &query, &r ) : DBVH_OUT_OF_MEMORY;
	if ( status == DBVH_OK )
		out->hash = hash_pairs( query.pairs, r.pair_written );
	free( query.pairs );
	return status;
}

static dbvh_status run_clearance( const asked *q, dbvh_capture_answer *out ) {
	dbvh_clearance_query query = q->capture->clearance;
	query.policy = q->policy;
	dbvh_clearance_result r;
	dbvh_status status = dbvh_check_clearance( q->a, pose_a( q ), q->b, pose_b( q ), &query, q->workspace, &r, NULL );
	if ( status != DBVH_OK )
		return status;
	out->verdict = r.within;
	if ( query.find != DBVH_FIND_ALL )
		return DBVH_OK;
	out->count = r.pair_count;
	out->first = r.first;
	if ( r.pair_count == 0 )
		return DBVH_OK;
	query.pairs = room_for( r.pair_count, sizeof *query.pairs );
	query.pair_capacity = r.pair_count;
	status = query.pairs != NULL
	             ? dbvh_check_clearance( q->a, pose_a( q ), q->b, pose_b( q ), &query, q->workspace, &r, NULL )
	             : DBVH_OUT_OF_MEMORY;
	if ( status == DBVH_OK )
		out->hash = hash_pairs( query.pairs, r.pair_written );
	free( query.pairs );
	return status;
}

static bool is_exact( const dbvh_distance_query *query ) {
	return query->relative_error == 0.0 && query->absolute_error == 0.0;
}

static dbvh_status run_distance( const asked *q, dbvh_capture_answer *out ) {
	dbvh_distance_query query = q->capture->distance;
	query.policy = q->policy;
	dbvh_distance_result r;
	const dbvh_status status = dbvh_distance( q->a, pose_a( q ), q->b, pose_b( q ), &query, q->workspace, &r, NULL );
	if ( status != DBVH_OK )
		return status;
	out->verdict = r.found;
	out->value = r.distance;
	if ( r.found && r.distance > 0.0 && is_exact( &query ) )
		out->first = r.pair;
	return DBVH_OK;
}

static dbvh_status run_relate( const asked *q, dbvh_capture_answer *out ) {
	dbvh_relate_result r;
	const dbvh_status status =
	    dbvh_relate( q->a, pose_a( q ), q->b, pose_b( q ), &q->capture->relate, q->workspace, &r, NULL );
	if ( status != DBVH_OK )
		return status;
	out->verdict = r.relation;
	uint64_t hash = fold( 0, (uint64_t)r.exact );
	hash = fold( fold( hash, (uint64_t)r.surface_relation ), (uint64_t)r.undecided );
	hash = fold( fold( fold( hash, r.ambiguous_a ), r.ambiguous_b ), r.surfaces_intersect );
	out->hash = hash;
	out->count = r.surfaces_intersect;
	return DBVH_OK;
}

static dbvh_status run_toi( const asked *q, dbvh_capture_answer *out ) {
	const dbvh_capture *x = q->capture;
	dbvh_toi_query query = x->toi;
	query.policy = q->policy;
	dbvh_toi_result r;
	const dbvh_status status = dbvh_time_of_impact( q->a, x->placed_a ? &x->motion_a : NULL, q->b,
	                                                x->placed_b ? &x->motion_b : NULL, &query, q->workspace, &r, NULL );
	if ( status != DBVH_OK )
		return status;
	out->verdict = r.verdict;
	out->value = r.time;
	out->upper = r.upper;
	return DBVH_OK;
}

static dbvh_status cast_once( const asked *q, const dbvh_raycast_query *query, dbvh_raycast_result *r ) {
	const dbvh_capture *x = q->capture;
	return x->call == DBVH_CAPTURE_CALL_RAYCAST
	           ? dbvh_raycast( q->a, pose_a( q ), &x->ray, query, q->workspace, r, NULL )
	           : dbvh_segment_cast( q->a, pose_a( q ), &x->segment, query, q->workspace, r, NULL );
}

static dbvh_status run_raycast( const asked *q, dbvh_capture_answer *out ) {
	dbvh_raycast_query query = q->capture->raycast;
	dbvh_raycast_result r;
	dbvh_status status = cast_once( q, &query, &r );
	if ( status != DBVH_OK )
		return status;
	out->verdict = r.intersects;
	if ( query.find == DBVH_FIND_ANY || !r.intersects )
		return DBVH_OK;
	out->first.a = r.first.triangle;
	out->value = r.first.t;
	if ( query.find != DBVH_FIND_ALL )
		return DBVH_OK;
	out->count = r.hit_count;
	query.hits = room_for( r.hit_count, sizeof *query.hits );
	query.hit_capacity = r.hit_count;
	status = query.hits != NULL ? cast_once( q, &query, &r ) : DBVH_OUT_OF_MEMORY;
	if ( status == DBVH_OK )
		out->hash = hash_hits( query.hits, r.hit_written );
	free( query.hits );
	return status;
}

static dbvh_status run_closest_point( const asked *q, dbvh_capture_answer *out ) {
	const dbvh_capture *x = q->capture;
	dbvh_closest_point_result r;
	const dbvh_status status =
	    dbvh_closest_point( q->a, pose_a( q ), x->point, &x->closest_point, q->workspace, &r, NULL );
	if ( status != DBVH_OK )
		return status;
	out->verdict = r.found;
	out->first.a = r.triangle;
	out->value = r.distance;
	return DBVH_OK;
}

static dbvh_status run_contacts( const asked *q, dbvh_capture_answer *out ) {
	const dbvh_contacts_query query = { .thread_count = q->thread_count };
	dbvh_contacts *contacts = NULL;
	dbvh_status status = dbvh_contacts_create( NULL, &contacts, NULL );
	if ( status == DBVH_OK )
		status = dbvh_contacts_find( q->a, pose_a( q ), q->b, pose_b( q ), &query, contacts, NULL );
	if ( status == DBVH_OK ) {
		const dbvh_contacts_view view = dbvh_contacts_get( contacts );
		out->verdict = view.cluster_count;
		out->count = view.contact_count;
		if ( view.contact_count > 0 )
			out->first = view.contacts[0].pair;
		out->hash = hash_contacts( &view );
	}
	dbvh_contacts_destroy( contacts );
	return status;
}

static dbvh_capture_answer run( const asked *q ) {
	dbvh_capture_answer out = { .known = true };
	dbvh_status status = DBVH_INVALID_ARGUMENT;
	switch ( q->capture->call ) {
	case DBVH_CAPTURE_CALL_COLLIDE:
	case DBVH_CAPTURE_CALL_SELF_COLLIDE:
		status = run_collide( q, &out );
		break;
	case DBVH_CAPTURE_CALL_CLEARANCE:
		status = run_clearance( q, &out );
		break;
	case DBVH_CAPTURE_CALL_DISTANCE:
		status = run_distance( q, &out );
		break;
	case DBVH_CAPTURE_CALL_RELATE:
		status = run_relate( q, &out );
		break;
	case DBVH_CAPTURE_CALL_TIME_OF_IMPACT:
		status = run_toi( q, &out );
		break;
	case DBVH_CAPTURE_CALL_CONTACTS:
		status = run_contacts( q, &out );
		break;
	case DBVH_CAPTURE_CALL_RAYCAST:
	case DBVH_CAPTURE_CALL_SEGMENT_CAST:
		status = run_raycast( q, &out );
		break;
	case DBVH_CAPTURE_CALL_CLOSEST_POINT:
		status = run_closest_point( q, &out );
		break;
	}
	if ( status != DBVH_OK )
		out = ( dbvh_capture_answer ){ .known = true, .status = status };
	return out;
}

dbvh_capture_answer capture_run( const dbvh_capture *capture, const capture_trees *trees, dbvh_policy policy,
                                 uint32_t thread_count ) {
	const bool packed =
	    policy == DBVH_POLICY_DEFAULT || policy == DBVH_POLICY_PACKED || policy == DBVH_POLICY_PACKED_MIXED;
	dbvh_tree *const *const t = packed || !capture_has_policy( capture ) ? trees->own : trees->reference;
	const asked q = { .capture = capture, .a = t[0], .b = t[1], .policy = policy, .thread_count = thread_count };
	return run( &q );
}

// ------------------------------------------------------------------------------------------------
// One triangle at a time

enum { MOST_TREES = 20000, MOST_PAIRS = 4000000 };

typedef struct singles {
	dbvh_tree **trees;
	size_t count;
} singles;

static void free_singles( singles *s ) {
	for ( size_t i = 0; i < s->count; ++i )
		dbvh_tree_destroy( s->trees[i] );
	free( s->trees );
}

// Captures that were loaded have doubles and 32-bit indices; others get no reference.
static bool make_singles( const dbvh_mesh_view *view, singles *out ) {
	*out = ( singles ){ 0 };
	if ( view->triangle_count == 0 || view->triangle_count > MOST_TREES || view->vertex_stride != 0 ||
	     view->triangle_stride != 0 || view->position_type != DBVH_POSITION_TYPE_FLOAT64 ||
	     view->index_type != DBVH_INDEX_TYPE_UINT32 )
		return false;
	out->trees = calloc( view->triangle_count, sizeof *out->trees );
	const double *const positions = view->positions;
	const uint32_t *const indices = view->indices;
	const dbvh_tree_options options = { .thread_count = 1, .reference = true };
	for ( size_t i = 0; out->trees != NULL && i < view->triangle_count; ++i ) {
		double corners[9];
		for ( int k = 0; k < 9; ++k )
			corners[k] = positions[3 * (size_t)indices[3 * i + (size_t)k / 3] + (size_t)k % 3];
		const dbvh_mesh_view one = { .positions = corners, .vertex_count = 3, .index_type = DBVH_INDEX_TYPE_NONE };
		if ( dbvh_tree_build( &one, &options, NULL, &out->trees[i], NULL ) != DBVH_OK )
			break;
		out->count += 1;
	}
	if ( out->count == view->triangle_count )
		return true;
	free_singles( out );
	return false;
}

// The answers of all pairs, or of all triangles, joined. False: one call was refused.
static bool join_pairs( asked *q, const singles *a, const singles *b, dbvh_capture_answer *out ) {
	const bool is_distance = q->capture->call == DBVH_CAPTURE_CALL_DISTANCE;
	uint64_t hash = 0;
	for ( size_t i = 0; i < a->count; ++i ) {
		for ( size_t j = 0; j < b->count; ++j ) {
			q->a = a->trees[i];
			q->b = b->trees[j];
			const dbvh_capture_answer one = run( q );
			if ( one.status != DBVH_OK )
				return false;
			if ( one.verdict == 0 || ( is_distance && out->verdict != 0 && one.value >= out->value ) )
				continue;
			if ( out->verdict == 0 || is_distance )
				out->first = ( dbvh_pair ){ (uint32_t)i, (uint32_t)j };
			out->verdict = 1;
			out->value = one.value;
			out->count += 1;
			hash = fold( fold( hash, i ), j );
		}
	}
	out->hash = hash;
	return true;
}

static void get_triangle( const dbvh_mesh_view *view, size_t i, dbvh_triangle *out ) {
	const double *const positions = view->positions;
	const uint32_t *const indices = view->indices;
	for ( size_t k = 0; k < 9; ++k )
		out->corner[k / 3][k % 3] = positions[3 * (size_t)indices[3 * i + k / 3] + k % 3];
}

static bool join_self( const dbvh_capture *x, dbvh_capture_answer *out ) {
	for ( size_t i = 0; i < x->mesh_a.triangle_count; ++i ) {
		dbvh_triangle a, b;
		get_triangle( &x->mesh_a, i, &a );
		for ( size_t j = i + 1; j < x->mesh_a.triangle_count; ++j ) {
			bool intersect = false;
			get_triangle( &x->mesh_a, j, &b );
			if ( dbvh_triangles_self_intersect( &a, &b, &intersect, NULL ) != DBVH_OK )
				return false;
			if ( !intersect )
				continue;
			if ( out->count == 0 )
				out->first = ( dbvh_pair ){ (uint32_t)i, (uint32_t)j };
			out->verdict = 1;
			out->count += 1;
		}
	}
	return true;
}

static bool join_triangles( asked *q, const singles *a, dbvh_capture_answer *out ) {
	for ( size_t i = 0; i < a->count; ++i ) {
		q->a = a->trees[i];
		const dbvh_capture_answer one = run( q );
		if ( one.status != DBVH_OK )
			return false;
		if ( one.verdict == 0 )
			continue;
		out->count += 1;
		// Equal distances in doubles need not be equal distances, so the triangles are not compared.
		if ( out->verdict == 0 || one.value < out->value )
			out->value = one.value;
		out->verdict = 1;
	}
	return true;
}

bool capture_reference( const dbvh_capture *capture, dbvh_capture_answer *out, capture_parts *parts_out ) {
	*out = ( dbvh_capture_answer ){ .known = true };
	*parts_out = ( capture_parts ){ .verdict = true };
	dbvh_capture copy = *capture;
	asked q = { .capture = &copy, .policy = DBVH_POLICY_DUAL, .thread_count = 1 };
	bool all = false;
	switch ( capture->call ) {
	case DBVH_CAPTURE_CALL_COLLIDE:
	case DBVH_CAPTURE_CALL_SELF_COLLIDE:
		all = capture->collide.find == DBVH_FIND_ALL;
		copy.collide.find = DBVH_FIND_ANY;
		break;
	case DBVH_CAPTURE_CALL_CLEARANCE:
		all = capture->clearance.find == DBVH_FIND_ALL;
		copy.clearance.find = DBVH_FIND_ANY;
		break;
	case DBVH_CAPTURE_CALL_DISTANCE:
		// An answer with allowed errors is compared with the exact one.
		copy.distance.relative_error = copy.distance.absolute_error = 0.0;
		parts_out->value = true;
		break;
	case DBVH_CAPTURE_CALL_CONTACTS:
		copy.call = DBVH_CAPTURE_CALL_COLLIDE;
		copy.collide = ( dbvh_collide_query ){ .find = DBVH_FIND_ANY };
		*parts_out = ( capture_parts ){ .count = true, .first = true };
		break;
	case DBVH_CAPTURE_CALL_RAYCAST:
	case DBVH_CAPTURE_CALL_SEGMENT_CAST:
		all = capture->raycast.find == DBVH_FIND_ALL;
		copy.raycast.find = capture->raycast.find == DBVH_FIND_ANY ? DBVH_FIND_ANY : DBVH_FIND_CLOSEST;
		parts_out->value = true;
		break;
	case DBVH_CAPTURE_CALL_CLOSEST_POINT:
		parts_out->value = true;
		break;
	default:
		return false; // for relations and motions a part says nothing of the whole
	}
	const bool one_mesh = capture->call > DBVH_CAPTURE_CALL_CONTACTS;
	const dbvh_mesh_view *const view_b = capture->mesh_b.positions != NULL ? &capture->mesh_b : &capture->mesh_a;
	const size_t other = one_mesh && capture->call != DBVH_CAPTURE_CALL_SELF_COLLIDE ? 1 : view_b->triangle_count;
	if ( capture->mesh_a.triangle_count == 0 || other > MOST_PAIRS / capture->mesh_a.triangle_count )
		return false;
	parts_out->count = parts_out->count || all;
	parts_out->first = parts_out->first || ( all && !one_mesh );
	singles a = { 0 }, b = { 0 };
	if ( !make_singles( &capture->mesh_a, &a ) || ( !one_mesh && !make_singles( view_b, &b ) ) ) {
		free_singles( &a );
		return false;
	}
	bool done;
	if ( capture->call == DBVH_CAPTURE_CALL_SELF_COLLIDE )
		done = join_self( capture, out );
	else if ( one_mesh )
		done = join_triangles( &q, &a, out );
	else if ( dbvh_workspace_create( NULL, &q.workspace, NULL ) == DBVH_OK )
		done = join_pairs( &q, &a, &b, out );
	else
		done = false;
	dbvh_workspace_destroy( q.workspace );
	free_singles( &a );
	free_singles( &b );
	return done;
}

// ------------------------------------------------------------------------------------------------
// Comparison

static bool is_same_real( double x, double y ) {
	return x == y || ( isnan( x ) && isnan( y ) );
}

// Both values are at least the distance and at most the distance plus the allowed errors: neither may be below the
// other one less the errors.
static bool are_distances( const dbvh_distance_query *q, double x, double y ) {
	const double low = fmin( x, y ), high = fmax( x, y );
	if ( is_exact( q ) )
		return is_same_real( x, y );
	return high <= ( low + q->relative_error * low + q->absolute_error ) * ( 1.0 + 0x1p-50 );
}

// The first contact lies between `value` and `upper` of each answer.
static const char *toi_difference( const dbvh_capture_answer *x, const dbvh_capture_answer *y ) {
	const bool clear_x = x->verdict == DBVH_TOI_VERDICT_CLEAR, clear_y = y->verdict == DBVH_TOI_VERDICT_CLEAR;
	const bool contact_x = x->verdict == DBVH_TOI_VERDICT_CONTACT, contact_y = y->verdict == DBVH_TOI_VERDICT_CONTACT;
	if ( ( clear_x && contact_y ) || ( contact_x && clear_y ) )
		return "verdict";
	if ( contact_x && contact_y && ( x->value > y->upper || y->value > x->upper ) )
		return "time";
	return NULL;
}

const char *capture_difference( const dbvh_capture *capture, const dbvh_capture_answer *x, const dbvh_capture_answer *y,
                                const capture_parts *parts ) {
	static const capture_parts every = { true, true, true, true, true };
	const capture_parts *const p = parts != NULL ? parts : &every;
	if ( x->status != y->status )
		return "status";
	if ( capture->call == DBVH_CAPTURE_CALL_TIME_OF_IMPACT )
		return toi_difference( x, y );
	if ( p->verdict && x->verdict != y->verdict )
		return "verdict";
	if ( p->count && x->count != y->count )
		return "count";
	if ( p->first && ( x->first.a != y->first.a || x->first.b != y->first.b ) )
		return "first";
	if ( p->value &&
	     !( capture->call == DBVH_CAPTURE_CALL_DISTANCE ? are_distances( &capture->distance, x->value, y->value )
	                                                    : is_same_real( x->value, y->value ) ) )
		return "value";
	if ( p->hash && x->hash != y->hash )
		return "list";
	return NULL;
}

// ------------------------------------------------------------------------------------------------
// Writing

static dbvh_policy own_policy( const dbvh_capture *x ) {
	switch ( x->call ) {
	case DBVH_CAPTURE_CALL_COLLIDE:
	case DBVH_CAPTURE_CALL_SELF_COLLIDE:
		return x->collide.policy;
	case DBVH_CAPTURE_CALL_CLEARANCE:
		return x->clearance.policy;
	case DBVH_CAPTURE_CALL_DISTANCE:
		return x->distance.policy;
	case DBVH_CAPTURE_CALL_TIME_OF_IMPACT:
		return x->toi.policy;
	default:
		return DBVH_POLICY_DEFAULT;
	}
}

int capture_write( dbvh_capture *capture, const dbvh_tree *a, const dbvh_tree *b, const char *path ) {
	const asked q = { .capture = capture, .a = a, .b = b, .policy = own_policy( capture ), .thread_count = 1 };
	capture->answer = run( &q );
	dbvh_error error;
	return dbvh_capture_save( capture, path, &error ) == DBVH_OK ? EXIT_CLEAR : complain_of( path, &error );
}
