// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Two facts outlive a call. Two triangles have met: whether they still do is one exact test. And at some pose the
// meshes were more than a length apart: as long as no point of the moved mesh has gone that far since, they are apart,
// without a search. The length is asked for with a clearance check, which is worth it only where it will serve a few
// calls.

#include "base/assert.h"
#include "base/fpenv.h"
#include "base/status.h"
#include "dualbvh/cache.h"
#include "query/collide/collide.h"
#include "query/collide/roots.h"
#include "query/common/arguments.h"
#include "query/distance/nearest.h"

#include <math.h>
#include <string.h>

// Steps are longer than this part of the moved mesh's size where one pose has nothing to do with the last.
#define LONGEST_STEP 0.25
// A length is asked for that serves as many steps as this.
#define FEWEST_STEPS 4.0
#define MOST_STEPS 32.0
// After a length that was too large, as many calls as this without asking for one; twice as many after each further
// one.
#define FIRST_REST 4
#define LONGEST_REST 64
// As often as this those that met last have to have parted before they are asked less often.
#define FEW_PARTED 4
#define MOST_PARTED 12

// What a dbvh_cache holds. Meshes are known by the hashes of their triangles.
typedef struct state {
	uint64_t hash_fixed, hash_moved;
	dbvh_pose pose; // of the last call
	// Those that met last, in leaf order.
	uint32_t fixed, moved;
	uint32_t has_pose, has_hit;
	// At this pose the meshes were more than `clear` apart; 0: it is not known.
	double clear;
	dbvh_pose clear_pose;
	double deviation; // of it
	double steps;     // how many steps a length is to serve
	uint32_t rest, next_rest;
	// Calls in which those that met last are not asked, after that many in which they had parted.
	uint32_t hit_rest, parted;
} __attribute__( ( may_alias ) ) state;
_Static_assert( sizeof( state ) <= sizeof( dbvh_cache ), "a cache has room for its state" );

// Bounds how far any point of the moved mesh is from where `before` puts it. All points lie in a ball: its centre goes
// some way, and about that the difference of two matrices turns. For rotations that difference stretches by its
// Frobenius norm over sqrt(2) at most; a matrix of deviation d is within 3 d of a rotation, in every direction. The
// rest is rounding: of each sum 2^-50 times what it is of.
static double way_from( const dbvh_pose *before, double deviation_before, const dbvhi_mesh_pair *m ) {
	double centre[3] = { 0.0, 0.0, 0.0 }, radius = 2.0 * m->moved->largest; // more than sqrt(3) times that
	if ( m->moved->packed != NULL ) {
		memcpy( centre, m->moved->packed->centre, sizeof centre );
		radius = m->moved->packed->extent;
	}
	double square = 0.0, turned = 0.0, sizes = radius;
	for ( int i = 0; i < 3; ++i ) {
		double shift = m->pose.pos[i] - before->pos[i];
		for ( int j = 0; j < 3; ++j ) {
			const double d = m->pose.rot[i][j] - before->rot[i][j];
			shift += d * centre[j];
			turned += d * d;
		}
		square += shift * shift;
		sizes += fabs( m->pose.pos[i] ) + fabs( before->pos[i] ) + 8.0 * fabs( centre[i] );
	}
	const double stretch = 0.70710678118654757 * sqrt( turned ) + 12.0 * ( deviation_before + m->deviation );
	return ( sqrt( square ) + radius * stretch ) * ( 1.0 + 0x1p-40 ) + 0x1p-48 * sizes;
}

static bool do_still_meet( const state *s, dbvhi_mesh_pair *m, dbvh_counters *counters ) {
	if ( s->fixed >= m->fixed->triangle_count || s->moved >= m->moved->triangle_count )
		return false;
	counters->triangle_tests += 1;
	dbvhi_pair_room room;
	const dbvhi_posed_pair pair = dbvhi_mesh_pair_triangles( m, s->fixed, s->moved, &room );
	const dbvhi_answer answer = dbvhi_triangles_filter( pair.fixed, pair.image, pair.error );
	if ( answer != DBVHI_UNSURE )
		return answer == DBVHI_INTERSECTING;
	counters->exact_tests += 1;
	return dbvhi_triangles_intersect_exact( pair.fixed, pair.moved, pair.image, pair.pose, pair.error );
}

// False also where steps are so long that it is not worth asking.
static bool still_meet( state *s, dbvhi_mesh_pair *m, dbvh_counters *counters ) {
	if ( s->hit_rest > 0 ) {
		s->hit_rest -= 1;
		return false;
	}
	const bool yes = do_still_meet( s, m, counters );
	s->parted = yes ? 0 : s->parted < MOST_PARTED ? s->parted + 1 : MOST_PARTED;
	s->hit_rest = s->parted > FEW_PARTED ? s->parted - FEW_PARTED : 0;
	return yes;
}

typedef struct call {
	const dbvh_tree *a, *b;
	const dbvh_pose *pose_a, *pose_b;
	const dbvh_collide_query *query;
	dbvh_workspace *workspace;
	dbvhi_mesh_pair meshes;
	double step;    // how far the meshes have moved since the last call; INFINITY if that is not known
	bool is_nearby; // they have not moved far
} call;

// Is there enough room round the moved mesh for a few steps? Then that is kept, and the answer is known.
static dbvh_status look_around( state *s, const call *c, bool *clear_out, dbvh_counters *counters ) {
	*clear_out = false;
	if ( c->query->budget != NULL || !c->is_nearby || c->step == 0.0 )
		return DBVH_OK;
	if ( s->rest > 0 ) {
		s->rest -= 1;
		return DBVH_OK;
	}
	s->steps = s->steps < FEWEST_STEPS ? FEWEST_STEPS : s->steps > MOST_STEPS ? MOST_STEPS : s->steps;
	const double length = s->steps * c->step;
	const dbvh_collide_query any = { .find = DBVH_FIND_ANY, .policy = c->query->policy };
	dbvh_collide_result found;
	const dbvh_status status =
	    dbvhi_clearance_checked( c->a, c->pose_a, c->b, c->pose_b, length, NULL, &any, c->workspace, &found );
	if ( status != DBVH_OK )
		return status;
	dbvhi_counters_add( counters, &found.counters );
	if ( found.verdict == DBVH_INTERSECTING ) {
		s->steps *= 0.5;
		s->next_rest = s->next_rest < FIRST_REST         ? FIRST_REST
		               : s->next_rest < LONGEST_REST / 2 ? 2 * s->next_rest
		                                                 : LONGEST_REST;
		s->rest = s->next_rest;
		return DBVH_OK;
	}
	*clear_out = true;
	s->clear = length;
	s->clear_pose = c->meshes.pose;
	s->deviation = c->meshes.deviation;
	s->steps *= 1.5;
	s->next_rest = 0;
	return DBVH_OK;
}

static dbvh_status search( state *s, const call *c, dbvh_counters *spent, dbvh_collide_result *result ) {
	bool clear = false;
	dbvh_status status = look_around( s, c, &clear, spent );
	s->has_hit = 0;
	if ( status != DBVH_OK )
		return status;
	if ( clear ) {
		result->counters = *spent;
		return DBVH_OK;
	}
	dbvhi_place_pair place = { UINT32_MAX, UINT32_MAX };
	const dbvhi_collide_options options = { .place_out = &place };
	status = dbvhi_collide_near( &c->meshes, spent, &options, c->query, c->workspace, result );
	s->clear = 0.0;
	s->has_hit = place.fixed != UINT32_MAX;
	s->fixed = place.fixed;
	s->moved = place.moved;
	return status;
}

static dbvh_status ask( state *s, call *c, dbvh_collide_result *result ) {
	const dbvh_status status = dbvhi_mesh_pair_init( &c->meshes, c->a, c->pose_a, c->b, c->pose_b );
	if ( status != DBVH_OK )
		return status;
	dbvhi_mesh_pair *m = &c->meshes;
	dbvh_counters spent = { 0 };
	if ( dbvhi_mesh_pair_is_packed( m, c->query->policy ) && dbvhi_roots_are_disjoint( m, 0.0, &spent ) ) {
		result->counters = spent;
		return DBVH_OK;
	}
	if ( s->hash_fixed != m->fixed->hash || s->hash_moved != m->moved->hash )
		*s = ( state ){ .hash_fixed = m->fixed->hash, .hash_moved = m->moved->hash };
	if ( s->clear > 0.0 && way_from( &s->clear_pose, s->deviation, m ) < s->clear ) {
		result->counters = spent;
		return DBVH_OK;
	}
	const double size = m->moved->packed != NULL ? m->moved->packed->extent : m->moved->largest;
	c->step = s->has_pose != 0 ? way_from( &s->pose, 0.0, m ) : INFINITY;
	c->is_nearby = c->step < LONGEST_STEP * size;
	s->pose = m->pose;
	s->has_pose = 1;
	if ( s->has_hit != 0 && c->is_nearby && c->query->find == DBVH_FIND_ANY && still_meet( s, m, &spent ) ) {
		const uint64_t key = dbvhi_mesh_pair_key( m, s->fixed, s->moved );
		result->verdict = DBVH_INTERSECTING;
		result->first = ( dbvh_pair ){ (uint32_t)( key >> 32 ), (uint32_t)key };
		result->pair_count = 1;
		result->counters = spent;
		return DBVH_OK;
	}
	return search( s, c, &spent, result );
}

dbvh_cache dbvh_cache_default( void ) {
	return ( dbvh_cache ){ { 0.0 } };
}

static DBVHI_BEHIND dbvh_status do_collide_cached( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                                   const dbvh_pose *pose_b, const dbvh_collide_query *query,
                                                   dbvh_cache *cache, dbvh_workspace *workspace,
                                                   dbvh_collide_result *result_out, dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( result_out == NULL )
		return dbvhi_error_null( error, "result_out" );
	memset( result_out, 0, sizeof *result_out );
	const dbvh_collide_query verdict_alone = { .find = DBVH_FIND_ANY };
	const dbvh_collide_query *q = query != NULL ? query : &verdict_alone;
	dbvh_status status = dbvhi_check_trees( a, b, error );
	if ( status == DBVH_OK )
		status = dbvhi_check_given( cache, "cache", error );
	if ( status == DBVH_OK )
		status = dbvhi_check_collide_query( q, error );
	if ( status == DBVH_OK )
		status = dbvhi_check_no_parts( q->pair_begin, "pair", error );
	if ( status != DBVH_OK )
		return status;
	call c;
	c.a = a;
	c.b = b;
	c.pose_a = pose_a;
	c.pose_b = pose_b;
	c.query = q;
	c.workspace = workspace;
	status = ask( (state *)cache->reserved, &c, result_out );
	return status == DBVH_OK ? status : dbvhi_blame_poses( status, pose_a, pose_b, error );
}

dbvh_status dbvh_collide_cached( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                 const dbvh_pose *pose_b, const dbvh_collide_query *query, dbvh_cache *cache,
                                 dbvh_workspace *workspace, dbvh_collide_result *result_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status,
	                        dbvhi_error_finish( error, do_collide_cached( a, pose_a, b, pose_b, query, cache, workspace,
	                                                                      result_out, error ) ) );
}
