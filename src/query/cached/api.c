// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Facts that outlive a call. If two triangles have met, one exact test tells whether they still do, and if not, others
// near them may. If the meshes were more than a length apart at some pose, they are still apart as long as no point of
// the moved mesh has gone that far since, without a search. That length is found with a clearance check, which pays
// only if it will serve a few calls; triangles that were near each other bound the distance, and so how long the length
// may be.

#include "base/assert.h"
#include "base/fpenv.h"
#include "base/status.h"
#include "dualbvh/cache.h"
#include "math/pose.h"
#include "query/collide/collide.h"
#include "query/common/arguments.h"
#include "query/common/roots.h"
#include "query/distance/distance.h"

#include <math.h>
#include <string.h>

// Longest step, in sizes of the moved mesh: a longer one means that a pose has nothing to do with the last.
#define LONGEST_STEP 0.5
// Steps that a length is to serve: at least, and at most.
#define FEWEST_STEPS 4.0
#define MOST_STEPS 12.0
// Likely distance of the meshes, as a part of that of two triangles that are near each other.
#define LIKELY_PART 0.5
// Shortest length, in steps, that is asked for where such triangles are known.
#define LEAST_STEPS 2.0
// Balance of what checks have cost and spared, in searches: a loss of MOST_LOSS stops them for a number of calls, twice
// as many each time; a gain of MOST_GAIN makes that number small again.
#define MOST_LOSS 6.0
#define MOST_GAIN 8.0
#define FIRST_REST 16
#define LONGEST_REST 1024
// Cost of a clearance check by that of a search with as many tests.
#define CHECK_COST 1.3
// Times that a check has to fail in a row before it is tried less often, and the most that are counted.
#define FEW_TIMES 4
#define MOST_TIMES 12

// Two triangles by their positions in leaf order.
typedef struct leaf_pair {
	uint32_t fixed, moved;
} leaf_pair;

// Backoff of a check that does not always pay.
typedef struct backoff {
	uint32_t rest; // calls in which it is left out
	uint32_t vain; // how often in a row it failed
} backoff;

// State in a dbvh_cache. Meshes are known by the hashes of their triangles.
typedef struct state {
	uint64_t hash_fixed, hash_moved;
	dbvh_pose pose; // pose of the last call
	uint32_t has_pose;
	// Two triangles that met in the last call.
	uint32_t has_hit;
	leaf_pair hit;
	backoff still, nearby; // checks: do they still meet? do others about them?
	// Paths from the roots to two triangles that met.
	uint32_t has_paths;
	// Two triangles that were near each other when the meshes were apart.
	uint32_t has_near;
	leaf_pair near;
	// The meshes were more than `clear` apart at this pose; 0: not known.
	double clear;
	dbvh_pose clear_pose;
	double deviation; // deviation of clear_pose
	double steps;     // how many steps a length is to serve if nothing else is known
	double search;    // cost of the last search that found nothing; 0: there was none
	double balance;   // gain of lengths since: what they have spared less what they have cost
	uint32_t rest, next_rest;
	dbvhi_descent_path path_fixed, path_moved;
} __attribute__( ( may_alias ) ) state;
_Static_assert( sizeof( state ) <= sizeof( dbvh_cache ), "a cache has room for its state" );

// Bounds how far any point of the moved mesh is from where `before` puts it. Infinite if the turn alone goes farther
// than `longest_turn` times the radius of the ball around the mesh.
static double way_from( const dbvh_pose *before, double deviation_before, const dbvhi_mesh_pair *m,
                        double longest_turn ) {
	double centre[3] = { 0.0, 0.0, 0.0 },
	       radius = 2.0 * m->moved->largest; // more than sqrt(3) times the largest coordinate
	if ( dbvhi_tree_in_floats( m->moved ) ) {
		memcpy( centre, m->moved->packed->centre, sizeof centre );
		radius = m->moved->packed->extent;
	}
	return dbvhi_pose_way( before, &m->pose, deviation_before + m->deviation, centre, radius, longest_turn );
}

static bool are_of( leaf_pair p, const dbvhi_mesh_pair *m ) {
	return p.fixed < m->fixed->triangle_count && p.moved < m->moved->triangle_count;
}

static bool does_meet( leaf_pair p, dbvhi_mesh_pair *m, dbvh_counters *counters ) {
	if ( !are_of( p, m ) )
		return false;
	counters->triangle_tests += 1;
	dbvhi_pair_room room;
	const dbvhi_posed_pair pair = dbvhi_mesh_pair_triangles( m, p.fixed, p.moved, &room );
	const dbvhi_answer answer = dbvhi_triangles_filter( pair.fixed, pair.image, pair.error );
	if ( answer != DBVHI_UNSURE )
		return answer == DBVHI_INTERSECTING;
	counters->exact_tests += 1;
	return dbvhi_triangles_intersect_exact( pair.fixed, pair.moved, pair.image, pair.pose, pair.error );
}

static bool may_ask( backoff *p ) {
	const bool may = p->rest == 0;
	p->rest -= !may;
	return may;
}

static void note( backoff *p, bool was_in_vain ) {
	p->vain = !was_in_vain ? 0 : p->vain < MOST_TIMES ? p->vain + 1 : MOST_TIMES;
	p->rest = p->vain > FEW_TIMES ? p->vain - FEW_TIMES : 0;
}

static bool still_meet( state *s, dbvhi_mesh_pair *m, dbvh_counters *counters ) {
	if ( !may_ask( &s->still ) )
		return false;
	const bool yes = does_meet( s->hit, m, counters );
	note( &s->still, !yes );
	return yes;
}

typedef struct call {
	const dbvh_collide_query *query;
	dbvh_workspace *workspace;
	dbvhi_mesh_pair meshes;
	bool is_packed;
	double step;    // how far the meshes have moved since the last call; INFINITY if that is not known
	bool is_nearby; // the meshes have not moved far since then
} call;

// An upper limit of the distance of the meshes: that of the triangles that were near each other last.
static double most_apart( const state *s, call *c ) {
	if ( s->has_near == 0 || !are_of( s->near, &c->meshes ) )
		return INFINITY;
	dbvhi_pair_room room;
	const dbvhi_posed_pair pair = dbvhi_mesh_pair_triangles( &c->meshes, s->near.fixed, s->near.moved, &room );
	dbvhi_tri_tri_bounds gap;
	dbvhi_triangles_gap( pair.fixed, pair.image, pair.error, &gap );
	return gap.upper;
}

// Are the meshes more than a length apart? If not, two triangles that are nearer are kept.
static dbvh_status ask_clearance( state *s, call *c, double length, bool *clear_out, dbvh_counters *counters ) {
	*clear_out = true;
	if ( c->is_packed && dbvhi_roots_are_disjoint( &c->meshes, length, counters ) )
		return DBVH_OK;
	const dbvh_collide_query any = { .find = DBVH_FIND_ANY, .policy = c->query->policy };
	dbvhi_leaf_pair near = { .fixed = UINT32_MAX };
	dbvh_collide_result found;
	DBVHI_TRY( dbvhi_clearance_near( &c->meshes, length, &any, c->workspace, &near, &found ) );
	dbvhi_counters_add( counters, &found.counters );
	*clear_out = found.verdict == DBVH_DISJOINT;
	if ( near.fixed != UINT32_MAX ) {
		s->has_near = 1;
		s->near = ( leaf_pair ){ near.fixed, near.moved };
	}
	return DBVH_OK;
}

// About the cost of tests, a vector of spheres being 1, and of what else a search takes.
#define CALL_COST 8.0
static double cost_of( const dbvh_counters *c ) {
	return (double)c->sphere_tests / 16.0 + (double)c->box_tests / 4.0 + (double)c->triangle_tests;
}

static void spare( state *s, double cost ) {
	s->balance = fmin( s->balance + cost, MOST_GAIN * s->search );
	if ( s->balance == MOST_GAIN * s->search )
		s->next_rest = FIRST_REST;
}

static void spend( state *s, double cost ) {
	s->balance -= cost;
	if ( s->balance >= -MOST_LOSS * s->search )
		return;
	s->balance = 0.0;
	s->rest = s->next_rest < FIRST_REST ? FIRST_REST : s->next_rest;
	s->next_rest = s->rest < LONGEST_REST ? 2 * s->rest : s->rest;
}

// The length to ask for; 0: none.
static double length_to_ask( state *s, call *c ) {
	if ( c->query->budget != NULL || !c->is_nearby || c->step == 0.0 || s->search == 0.0 )
		return 0.0;
	if ( s->rest > 0 ) {
		s->rest -= 1;
		return 0.0;
	}
	const double most = most_apart( s, c );
	s->steps = fmin( fmax( s->steps, FEWEST_STEPS ), MOST_STEPS );
	if ( most == INFINITY )
		return s->steps * c->step;
	const double length = fmin( LIKELY_PART * most, MOST_STEPS * c->step );
	if ( length >= LEAST_STEPS * c->step )
		return length;
	// note: it takes at least so many steps until the meshes are far enough apart.
	s->rest = (uint32_t)( LEAST_STEPS / LIKELY_PART - most / c->step );
	return 0.0;
}

// Is there enough room round the moved mesh for a few steps? If so, that is kept, and the answer is known.
static dbvh_status look_around( state *s, call *c, bool *clear_out, dbvh_counters *counters ) {
	*clear_out = false;
	const double length = length_to_ask( s, c );
	if ( length == 0.0 )
		return DBVH_OK;
	const double before = cost_of( counters );
	DBVHI_TRY( ask_clearance( s, c, length, clear_out, counters ) );
	s->steps *= *clear_out ? 1.5 : 0.5;
	spend( s, CHECK_COST * ( CALL_COST + cost_of( counters ) - before ) );
	if ( *clear_out ) {
		spare( s, s->search );
		s->clear = length;
		s->clear_pose = c->meshes.pose;
		s->deviation = c->meshes.deviation;
	}
	return DBVH_OK;
}

// Is there a start near the last contact? If its paths are not known, they are those of the triangles that met last.
static bool find_start( state *s, call *c ) {
	if ( s->has_hit == 0 || !c->is_nearby || !c->is_packed || c->query->find != DBVH_FIND_ANY ||
	     c->query->budget != NULL || !may_ask( &s->nearby ) )
		return false;
	if ( s->has_paths == 0 && are_of( s->hit, &c->meshes ) ) {
		dbvhi_descent_path_find( c->meshes.fixed, s->hit.fixed, &s->path_fixed );
		dbvhi_descent_path_find( c->meshes.moved, s->hit.moved, &s->path_moved );
		s->has_paths = 1;
	}
	return s->has_paths != 0;
}

// Search from the roots, after a try about the contact of the last call.
static dbvh_status search( state *s, call *c, dbvh_counters *spent, dbvh_collide_result *result ) {
	const bool has_start = find_start( s, c );
	const dbvhi_start start = { &s->path_fixed, &s->path_moved, c->step };
	dbvhi_leaf_pair found = { .fixed = UINT32_MAX };
	const dbvhi_collide_options options = { .start = has_start ? &start : NULL, .last_out = &found };
	const double before = cost_of( spent );
	const dbvh_status status = dbvhi_collide_near( &c->meshes, spent, &options, c->query, c->workspace, result );
	s->clear = 0.0;
	if ( has_start )
		note( &s->nearby, !found.is_near_start );
	s->has_paths = has_start && found.is_near_start;
	if ( found.fixed != UINT32_MAX ) {
		s->has_hit = 1;
		s->hit = ( leaf_pair ){ found.fixed, found.moved };
		return status;
	}
	// note: triangles that met last are near each other now.
	if ( s->has_hit != 0 ) {
		s->has_near = 1;
		s->near = s->hit;
	} else if ( status == DBVH_OK ) {
		s->search = CALL_COST + cost_of( &result->counters ) - before;
	}
	s->has_hit = 0;
	return status;
}

static dbvh_status answer( state *s, call *c, dbvh_counters *spent, dbvh_collide_result *result ) {
	dbvhi_mesh_pair *m = &c->meshes;
	if ( s->hash_fixed != m->fixed->hash || s->hash_moved != m->moved->hash )
		*s = ( state ){ .hash_fixed = m->fixed->hash, .hash_moved = m->moved->hash };
	if ( s->clear > 0.0 && way_from( &s->clear_pose, s->deviation, m, INFINITY ) < s->clear ) {
		spare( s, s->search );
		result->counters = *spent;
		return DBVH_OK;
	}
	const double size = dbvhi_tree_in_floats( m->moved ) ? m->moved->packed->extent : m->moved->largest;
	c->step = s->has_pose != 0 ? way_from( &s->pose, 0.0, m, LONGEST_STEP ) : INFINITY;
	c->is_nearby = c->step < LONGEST_STEP * size;
	s->pose = m->pose;
	s->has_pose = 1;
	if ( !c->is_nearby )
		s->has_hit = s->has_near = 0;
	if ( s->has_hit != 0 && c->query->find == DBVH_FIND_ANY && still_meet( s, m, spent ) ) {
		const uint64_t key = dbvhi_mesh_pair_key( m, s->hit.fixed, s->hit.moved );
		result->verdict = DBVH_INTERSECTING;
		result->first = ( dbvh_pair ){ (uint32_t)( key >> 32 ), (uint32_t)key };
		result->pair_count = 1;
		result->counters = *spent;
		return DBVH_OK;
	}
	bool clear = false;
	if ( s->has_hit == 0 ) {
		DBVHI_TRY( look_around( s, c, &clear, spent ) );
	}
	if ( !clear )
		return search( s, c, spent, result );
	result->counters = *spent;
	return DBVH_OK;
}

// Answer for meshes whose roots are near each other, or have not been compared.
static __attribute__( ( noinline ) ) dbvh_status ask_cache( dbvhi_roots roots, double deviation, const dbvh_tree *a,
                                                            const dbvh_pose *pose_a, const dbvh_tree *b,
                                                            const dbvh_pose *pose_b, const dbvh_collide_query *query,
                                                            dbvh_cache *cache, dbvh_workspace *workspace,
                                                            dbvh_collide_result *result ) {
	call c;
	DBVHI_TRY( dbvhi_init_pair( &c.meshes, a, pose_a, b, pose_b, 0.0, query->policy, deviation, &roots ) );
	if ( dbvhi_roots_disjoint( roots ) ) {
		dbvhi_roots_count( roots, &result->counters );
		return DBVH_OK;
	}
	dbvh_counters spent = { 0 };
	dbvhi_roots_count( roots, &spent );
	c.query = query;
	c.workspace = workspace;
	c.is_packed = dbvhi_mesh_pair_is_packed( &c.meshes, query->policy );
	return answer( (state *)cache->reserved, &c, &spent, result );
}

dbvh_cache dbvh_cache_default( void ) {
	return ( dbvh_cache ){ { 0.0 } };
}

static DBVHI_NOINLINE_FP dbvh_status do_collide_cached( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                                        const dbvh_pose *pose_b, const dbvh_collide_query *query,
                                                        dbvh_cache *cache, dbvh_workspace *workspace,
                                                        dbvh_collide_result *result_out, dbvh_error *error ) {
	DBVHI_TRY( dbvhi_answer_clear( result_out, sizeof *result_out, "result_out", error ) );
	const dbvh_collide_query verdict_alone = { .find = DBVH_FIND_ANY };
	const dbvh_collide_query *q = query != NULL ? query : &verdict_alone;
	DBVHI_TRY( dbvhi_check_trees( a, b, error ) );
	DBVHI_TRY( dbvhi_check_given( cache, "cache", error ) );
	DBVHI_TRY( dbvhi_check_collide_query( q, error ) );
	DBVHI_TRY( dbvhi_check_form( a, b, q->policy, error ) );
	DBVHI_TRY( dbvhi_check_no_parts( q->pair_begin, "pair", error ) );
	// note: the cache is not asked if the roots are apart.
	double deviation;
	const dbvhi_roots roots = dbvhi_test_roots( a, pose_a, b, pose_b, 0.0, q->policy, &deviation );
	if ( dbvhi_roots_disjoint( roots ) ) {
		dbvhi_roots_count( roots, &result_out->counters );
		return DBVH_OK;
	}
	const dbvh_status status = ask_cache( roots, deviation, a, pose_a, b, pose_b, q, cache, workspace, result_out );
	return status == DBVH_OK ? status : dbvhi_blame_poses( status, pose_a, pose_b, error );
}

dbvh_status dbvh_collide_cached( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                 const dbvh_pose *pose_b, const dbvh_collide_query *query, dbvh_cache *cache,
                                 dbvh_workspace *workspace, dbvh_collide_result *result_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status,
	                        dbvhi_error_finish( error, do_collide_cached( a, pose_a, b, pose_b, query, cache, workspace,
	                                                                      result_out, error ) ) );
}
