// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Facts that outlive a call. Two triangles have met: whether they still do is one exact test, and where they do not,
// others near them may. And at some pose the meshes were more than a length apart: as long as no point of the
// moved mesh has gone that far since, they are apart, without a search. The length is asked for with a clearance check,
// which is worth it only where it will serve a few calls; what triangles that are near each other say of the distance
// tells how long it may be.

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
#define LONGEST_STEP 0.5
// A length is asked for that serves as many steps as this.
#define FEWEST_STEPS 4.0
#define MOST_STEPS 12.0
// Where some triangles are known to be so far apart, the meshes are most likely farther than this part of it.
#define LIKELY_PART 0.5
// And a length that is shorter than so many steps is not asked for then.
#define LEAST_STEPS 2.0
// What checks have cost and spared, in searches: so much of a loss ends them for a number of calls, twice as many each
// time; so much of a gain forgets that.
#define MOST_LOSS 6.0
#define MOST_GAIN 8.0
#define FIRST_REST 16
#define LONGEST_REST 1024
// A clearance check takes longer than a search that does as many tests.
#define CHECK_COST 1.3
// So often in a row a question has to have been in vain before it is asked less often.
#define FEW_TIMES 4
#define MOST_TIMES 12

// Two triangles, in leaf order.
typedef struct place {
	uint32_t fixed, moved;
} place;

// Of a question that is not always worth it.
typedef struct patience {
	uint32_t rest; // calls in which it is not asked
	uint32_t vain; // how often in a row it was in vain
} patience;

// What a dbvh_cache holds. Meshes are known by the hashes of their triangles.
typedef struct state {
	uint64_t hash_fixed, hash_moved;
	dbvh_pose pose; // of the last call
	uint32_t has_pose;
	// Those that met in the last call.
	uint32_t has_hit;
	place hit;
	patience still, nearby; // do they still meet? do others about them?
	// From the roots to two that met.
	uint32_t has_ways;
	// Two that were near each other when the meshes were apart.
	uint32_t has_near;
	place near;
	// At this pose the meshes were more than `clear` apart; 0: it is not known.
	double clear;
	dbvh_pose clear_pose;
	double deviation; // of it
	double steps;     // how many steps a length is to serve where nothing is known
	double search;    // what the last search has cost that found nothing; 0: there was none
	double balance;   // what lengths have spared since, and cost
	uint32_t rest, next_rest;
	dbvhi_way_down way_fixed, way_moved;
} __attribute__( ( may_alias ) ) state;
_Static_assert( sizeof( state ) <= sizeof( dbvh_cache ), "a cache has room for its state" );

// Bounds how far any point of the moved mesh is from where `before` puts it. All points lie in a ball: its centre goes
// some way, and about that the difference of two matrices turns. For rotations that difference stretches by its
// Frobenius norm over sqrt(2) at most; a matrix of deviation d is within 3 d of a rotation, in every direction. The
// rest is rounding: of each sum 2^-50 times what it is of. Infinite where the turn alone goes farther than
// `longest_turn` times the radius.
static double way_from( const dbvh_pose *before, double deviation_before, const dbvhi_mesh_pair *m,
                        double longest_turn ) {
	double centre[3] = { 0.0, 0.0, 0.0 }, radius = 2.0 * m->moved->largest; // more than sqrt(3) times that
	if ( dbvhi_tree_in_floats( m->moved ) ) {
		memcpy( centre, m->moved->packed->centre, sizeof centre );
		radius = m->moved->packed->extent;
	}
	double change[3][3], turned = 0.0;
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j ) {
			change[i][j] = m->pose.rot[i][j] - before->rot[i][j];
			turned += change[i][j] * change[i][j];
		}
	}
	if ( turned > 2.0 * longest_turn * longest_turn )
		return INFINITY;
	double square = 0.0, sizes = radius;
	for ( int i = 0; i < 3; ++i ) {
		double shift = m->pose.pos[i] - before->pos[i];
		for ( int j = 0; j < 3; ++j )
			shift += change[i][j] * centre[j];
		square += shift * shift;
		sizes += fabs( m->pose.pos[i] ) + fabs( before->pos[i] ) + 8.0 * fabs( centre[i] );
	}
	const double stretch = 0.70710678118654757 * sqrt( turned ) + 12.0 * ( deviation_before + m->deviation );
	return ( sqrt( square ) + radius * stretch ) * ( 1.0 + 0x1p-40 ) + 0x1p-48 * sizes;
}

static bool are_of( place p, const dbvhi_mesh_pair *m ) {
	return p.fixed < m->fixed->triangle_count && p.moved < m->moved->triangle_count;
}

static bool does_meet( place p, dbvhi_mesh_pair *m, dbvh_counters *counters ) {
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

static bool may_ask( patience *p ) {
	const bool may = p->rest == 0;
	p->rest -= !may;
	return may;
}

static void note( patience *p, bool was_in_vain ) {
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
	bool is_nearby; // they have not moved far
} call;

// At most so far apart are the meshes, as the triangles say that were near each other last.
static double most_apart( const state *s, call *c ) {
	if ( s->has_near == 0 || !are_of( s->near, &c->meshes ) )
		return INFINITY;
	dbvhi_pair_room room;
	const dbvhi_posed_pair pair = dbvhi_mesh_pair_triangles( &c->meshes, s->near.fixed, s->near.moved, &room );
	dbvhi_tri_tri_bounds gap;
	dbvhi_triangles_gap( pair.fixed, pair.image, pair.error, &gap );
	return gap.upper;
}

// Are the meshes more than a length apart? Where they are not, two triangles that are nearer are kept.
static dbvh_status ask_clearance( state *s, call *c, double length, bool *clear_out, dbvh_counters *counters ) {
	*clear_out = true;
	if ( c->is_packed && dbvhi_roots_are_disjoint( &c->meshes, length, counters ) )
		return DBVH_OK;
	const dbvh_collide_query any = { .find = DBVH_FIND_ANY, .policy = c->query->policy };
	dbvhi_place_pair near = { .fixed = UINT32_MAX };
	dbvh_collide_result found;
	const dbvh_status status = dbvhi_clearance_near( &c->meshes, length, &any, c->workspace, &near, &found );
	if ( status != DBVH_OK )
		return status;
	dbvhi_counters_add( counters, &found.counters );
	*clear_out = found.verdict == DBVH_DISJOINT;
	if ( near.fixed != UINT32_MAX ) {
		s->has_near = 1;
		s->near = ( place ){ near.fixed, near.moved };
	}
	return DBVH_OK;
}

// About the time that tests take, a vector of spheres being 1, and what else a search takes.
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

// How much room to ask for; 0: none.
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
	// As many steps it takes at least until they are far enough apart.
	s->rest = (uint32_t)( LEAST_STEPS / LIKELY_PART - most / c->step );
	return 0.0;
}

// Is there enough room round the moved mesh for a few steps? Then that is kept, and the answer is known.
static dbvh_status look_around( state *s, call *c, bool *clear_out, dbvh_counters *counters ) {
	*clear_out = false;
	const double length = length_to_ask( s, c );
	if ( length == 0.0 )
		return DBVH_OK;
	const double before = cost_of( counters );
	const dbvh_status status = ask_clearance( s, c, length, clear_out, counters );
	if ( status != DBVH_OK )
		return status;
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

// Is there a place to begin at? Where it is not known, that of the triangles that met last.
static bool find_start( state *s, call *c ) {
	if ( s->has_hit == 0 || !c->is_nearby || !c->is_packed || c->query->find != DBVH_FIND_ANY ||
	     c->query->budget != NULL || !may_ask( &s->nearby ) )
		return false;
	if ( s->has_ways == 0 && are_of( s->hit, &c->meshes ) ) {
		dbvhi_way_down_find( c->meshes.fixed, s->hit.fixed, &s->way_fixed );
		dbvhi_way_down_find( c->meshes.moved, s->hit.moved, &s->way_moved );
		s->has_ways = 1;
	}
	return s->has_ways != 0;
}

// From the roots, but where there was a contact in the last call from about there.
static dbvh_status search( state *s, call *c, dbvh_counters *spent, dbvh_collide_result *result ) {
	const bool has_start = find_start( s, c );
	const dbvhi_start start = { &s->way_fixed, &s->way_moved, c->step };
	dbvhi_place_pair found = { .fixed = UINT32_MAX };
	const dbvhi_collide_options options = { .start = has_start ? &start : NULL, .place_out = &found };
	const double before = cost_of( spent );
	const dbvh_status status = dbvhi_collide_near( &c->meshes, spent, &options, c->query, c->workspace, result );
	s->clear = 0.0;
	if ( has_start )
		note( &s->nearby, !found.is_near_start );
	s->has_ways = has_start && found.is_near_start;
	if ( found.fixed != UINT32_MAX ) {
		s->has_hit = 1;
		s->hit = ( place ){ found.fixed, found.moved };
		return status;
	}
	// What met last is near now.
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
		const dbvh_status status = look_around( s, c, &clear, spent );
		if ( status != DBVH_OK )
			return status;
	}
	if ( !clear )
		return search( s, c, spent, result );
	result->counters = *spent;
	return DBVH_OK;
}

// Where the volumes of the whole meshes are near each other, or nobody has asked.
static __attribute__( ( noinline ) ) dbvh_status ask_cache( dbvhi_roots roots, double deviation, const dbvh_tree *a,
                                                            const dbvh_pose *pose_a, const dbvh_tree *b,
                                                            const dbvh_pose *pose_b, const dbvh_collide_query *query,
                                                            dbvh_cache *cache, dbvh_workspace *workspace,
                                                            dbvh_collide_result *result ) {
	call c;
	const dbvh_status status =
	    dbvhi_roots_place( &c.meshes, a, pose_a, b, pose_b, 0.0, query->policy, deviation, &roots );
	if ( status != DBVH_OK )
		return status;
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
		status = dbvhi_check_form( a, b, q->policy, error );
	if ( status == DBVH_OK )
		status = dbvhi_check_no_parts( q->pair_begin, "pair", error );
	if ( status != DBVH_OK )
		return status;
	// As without a cache: it is not asked where these are apart.
	double deviation;
	const dbvhi_roots roots = dbvhi_roots_ask( a, pose_a, b, pose_b, 0.0, q->policy, &deviation );
	if ( dbvhi_roots_disjoint( roots ) ) {
		dbvhi_roots_count( roots, &result_out->counters );
		return DBVH_OK;
	}
	status = ask_cache( roots, deviation, a, pose_a, b, pose_b, q, cache, workspace, result_out );
	return status == DBVH_OK ? status : dbvhi_blame_poses( status, pose_a, pose_b, error );
}

dbvh_status dbvh_collide_cached( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                 const dbvh_pose *pose_b, const dbvh_collide_query *query, dbvh_cache *cache,
                                 dbvh_workspace *workspace, dbvh_collide_result *result_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status,
	                        dbvhi_error_finish( error, do_collide_cached( a, pose_a, b, pose_b, query, cache, workspace,
	                                                                      result_out, error ) ) );
}
