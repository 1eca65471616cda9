// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// dbvh_time_of_impact(): checks, the choice of the frame, the bound of rounding errors, the choice of the search.
//
// The error. Let u = 2^-53 and S the sum of all lengths involved: coordinates of both meshes (4 times the largest
// bounds the length of any corner, and the sum of its coordinates after a rotation), positions, centres, shifts, and
// the arc of a turn. An entry of a turn's matrix has an error of 8 u beside that of the angle t * angle, for which the
// arc is part of S; the product with the pose's matrix one of 16 u, a placed corner one of 30 u S in each coordinate.
// The relative pose that a query composes of two such poses has an error of 20 u an entry, and adds 20 u S. So a corner
// is never farther than 100 u S from its place in real arithmetic, neither here nor in a query, and projections on a
// direction of length 1 add less than 20 u S. 256 u S covers them together. Among the denormal numbers each of less
// than a hundred operations loses up to 2^-1075 beside that.

#include "base/assert.h"
#include "base/fpenv.h"
#include "base/status.h"
#include "query/collide/collide.h"
#include "query/common/arguments.h"
#include "query/toi/toi.h"

#include <math.h>
#include <string.h>

const char *dbvh_toi_verdict_name( dbvh_toi_verdict verdict ) {
	static const char *const names[] = { "CLEAR", "CONTACT", "CLOSE", "UNDECIDED" };
	return (unsigned)verdict <= DBVH_TOI_VERDICT_UNDECIDED ? names[verdict] : "?";
}

static double sum( const double v[3] ) {
	return 0x1p-16 * fabs( v[0] ) + 0x1p-16 * fabs( v[1] ) + 0x1p-16 * fabs( v[2] );
}

dbvh_status dbvhi_motion_check( const dbvh_motion *m, double *deviation ) {
	*deviation = 0.0;
	if ( m == NULL )
		return DBVH_OK;
	DBVHI_TRY( dbvh_pose_check( &m->from, deviation, NULL ) );
	if ( !isfinite( sum( m->shift ) ) || !isfinite( sum( m->centre ) ) || !isfinite( m->angle ) )
		return DBVH_NOT_FINITE;
	double axis[3];
	if ( m->angle == 0.0 )
		return DBVH_OK;
	if ( !isfinite( sum( m->axis ) ) )
		return DBVH_NOT_FINITE;
	return fabs( m->angle ) <= DBVH_MOTION_MAX_ANGLE && dbvhi_motion_axis( m, axis ) ? DBVH_OK : DBVH_INVALID_ARGUMENT;
}

static bool turns( const dbvh_motion *m ) {
	return m != NULL && m->angle != 0.0;
}

// The share of a turn in the size: twice its centre, and its arc; as a 65,536th, so that it does not overflow.
static double turn_size( const dbvh_motion *m, double largest ) {
	if ( !turns( m ) )
		return 0.0;
	double arm[3];
	for ( int k = 0; k < 3; ++k )
		arm[k] = 0.5 * m->from.pos[k] - 0.5 * m->centre[k];
	return 2.0 * sum( m->centre ) + fabs( m->angle ) * ( 2.0 * sum( arm ) + 0x1p-14 * largest );
}

static void scale_by( double v[3], double scale ) {
	for ( int k = 0; k < 3; ++k )
		v[k] *= scale;
}

// Set all of a search but the trees and the caller's motions, which are set already.
static void init_search( dbvhi_toi_search *s, const dbvh_toi_query *query, double deviation ) {
	const dbvh_motion rest = dbvh_motion_translation( NULL, NULL );
	const dbvh_motion *fixed = s->a_moves ? s->motion_b : s->motion_a, *moved = s->a_moves ? s->motion_a : s->motion_b;
	fixed = fixed != NULL ? fixed : &rest;
	moved = moved != NULL ? moved : &rest;
	s->fixed_motion = *fixed;
	s->motion = *moved;
	const double largest = 0x1p-16 * s->fixed->largest + 0x1p-16 * s->moved->largest;
	const double size = sum( fixed->from.pos ) + sum( fixed->shift ) + sum( moved->from.pos ) + sum( moved->shift ) +
	                    4.0 * largest + turn_size( fixed, s->fixed->largest ) + turn_size( moved, s->moved->largest );
	if ( turns( fixed ) )
		dbvhi_motion_axis( fixed, s->fixed_motion.axis );
	if ( turns( moved ) )
		dbvhi_motion_axis( moved, s->motion.axis );
	int exponent = size > 0.0 && size < INFINITY ? ilogb( size ) + 16 : 0;
	exponent = exponent < -1000 ? -1000 : exponent > 1040 ? 1040 : exponent;
	s->scale = ldexp( 1.0, -exponent );
	s->size = ldexp( size, 16 - exponent );
	s->error = 256.0 * 0x1p-53 * s->size + 0x1p-1068 * s->scale + 0x1p-1040;
	s->deviation = deviation;
	s->tolerance = query->tolerance > 0.0 ? query->tolerance : 0x1p-20;
	s->begin = s->certified = query->start;
	scale_by( s->fixed_motion.from.pos, s->scale );
	scale_by( s->fixed_motion.centre, s->scale );
	scale_by( s->motion.from.pos, s->scale );
	scale_by( s->motion.centre, s->scale );
	for ( int k = 0; k < 3; ++k ) {
		s->fixed_motion.shift[k] = 0.0;
		s->motion.shift[k] = s->scale * moved->shift[k] - s->scale * fixed->shift[k];
	}
	s->cutoff = 1.0;
	s->time = INFINITY;
	s->upper = INFINITY;
}

// Put a point that both triangles share into the result, for a pair that intersects at the time of the result itself.
static void share_point( const dbvhi_toi_search *s, dbvh_toi_result *result ) {
	dbvhi_mesh_pair meshes;
	dbvhi_posed_pair pair;
	dbvhi_pair_room room;
	if ( !dbvhi_toi_pair_at( s, s->fixed_triangle, s->moved_triangle, s->time, &meshes, &room, &pair ) )
		return;
	dbvhi_tri_tri_bounds gap;
	dbvhi_triangles_gap( pair.fixed, pair.image, pair.error, &gap );
	dbvhi_witness witness;
	if ( !dbvhi_triangles_distance_exact( &pair, &gap, 0.0, &witness ) )
		return;
	const dbvh_motion rest = dbvh_motion_translation( NULL, NULL ),
	                  *of_fixed = meshes.a_moves ? s->motion_b : s->motion_a;
	const dbvh_pose frame = dbvh_motion_pose( of_fixed != NULL ? of_fixed : &rest, s->time );
	result->distance = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		result->point_a[k] = frame.pos[k];
		for ( int j = 0; j < 3; ++j )
			result->point_a[k] += frame.rot[k][j] * witness.fixed[j];
		result->point_b[k] = result->point_a[k];
	}
}

static void hand_over( dbvhi_toi_search *s, dbvh_toi_result *result ) {
	result->counters = s->counters;
	result->time = 1.0;
	result->upper = INFINITY;
	if ( !( s->time <= 1.0 ) )
		return;
	const bool met = s->upper <= fmin( s->time + s->tolerance, 1.0 );
	result->verdict = met ? DBVH_TOI_VERDICT_CONTACT : DBVH_TOI_VERDICT_CLOSE;
	result->time = s->time;
	result->upper = met ? s->upper : INFINITY;
	result->distance = s->distance / s->scale;
	const uint32_t of_fixed = s->fixed->triangle[s->fixed_triangle], of_moved = s->moved->triangle[s->moved_triangle];
	result->pair = s->a_moves ? ( dbvh_pair ){ of_moved, of_fixed } : ( dbvh_pair ){ of_fixed, of_moved };
	const dbvh_motion *fixed = s->a_moves ? s->motion_b : s->motion_a;
	for ( int k = 0; k < 3; ++k ) {
		const double along = fixed != NULL ? s->time * fixed->shift[k] : 0.0;
		const double a = ( s->a_moves ? s->point_moved[k] : s->point_fixed[k] ) / s->scale;
		const double b = ( s->a_moves ? s->point_fixed[k] : s->point_moved[k] ) / s->scale;
		result->point_a[k] = a + along;
		result->point_b[k] = b + along;
		result->normal[k] = s->a_moves ? 0.0 - s->normal[k] : s->normal[k];
	}
	if ( !s->met_there )
		return;
	s->meter.used += DBVHI_TOI_SHARED_WORK; // charged past the budget: the answer is known already
	share_point( s, result );
}

// The index in leaf order of a triangle of the mesh.
static uint32_t leaf_index_of( const dbvh_tree *tree, uint32_t triangle ) {
	DBVHI_ASSERT( triangle < tree->mesh_triangle_count );
	if ( tree->leaf != NULL )
		return tree->leaf[triangle];
	uint32_t i = 0;
	while ( tree->triangle[i] != triangle )
		i += 1;
	return i;
}

// The pose at the start of the search. At time 0 that is the motion's own pose, not a computed one.
static const dbvh_pose *pose_at_start( const dbvhi_toi_search *s, const dbvh_motion *motion, dbvh_pose *memory ) {
	if ( motion == NULL || s->begin == 0.0 )
		return motion != NULL ? &motion->from : NULL;
	*memory = dbvh_motion_pose( motion, s->begin );
	return memory;
}

// Ask for a collision at the start first: that takes microseconds where the search for the soonest among all pairs that
// overlap already takes milliseconds.
static dbvh_status test_start( dbvhi_toi_search *s, const dbvh_toi_query *query, dbvh_workspace *workspace ) {
	const dbvh_tree *a = s->a_moves ? s->moved : s->fixed, *b = s->a_moves ? s->fixed : s->moved;
	const dbvh_collide_query verdict = { .find = DBVH_FIND_ANY, .policy = query->policy };
	const dbvhi_collide_options options = { .meter = s->purse.budget != NULL ? &s->meter : NULL };
	dbvh_collide_result result;
	dbvh_pose memory_a, memory_b;
	const dbvh_pose *pose_a = pose_at_start( s, s->motion_a, &memory_a );
	const dbvh_pose *pose_b = pose_at_start( s, s->motion_b, &memory_b );
	const dbvh_status status = dbvhi_collide_checked( a, pose_a, b, pose_b, &options, &verdict, workspace, &result );
	s->counters = result.counters;
	if ( status != DBVH_OK || result.verdict == DBVH_DISJOINT )
		return status;
	s->time = s->upper = s->begin;
	s->distance = 0.0;
	s->met_there = true;
	s->fixed_triangle = leaf_index_of( s->fixed, s->a_moves ? result.first.b : result.first.a );
	s->moved_triangle = leaf_index_of( s->moved, s->a_moves ? result.first.a : result.first.b );
	return DBVH_OK;
}

// The largest size for floats: squares of longer lengths may overflow. (Trees with a packed form are not smaller than
// 2^-40.)
#define MOST_PACKED 0x1p58

// The search of trees that are not both packed, or too large for floats. A search that takes much longer than most is
// tried as bodies of revolution, once.
static bool search_unpacked( dbvhi_toi_search *s, dbvh_workspace *workspace ) {
	s->work_limit = 8 * DBVHI_TOI_REVOLVED_WORK * ( s->fixed->triangle_count + s->moved->triangle_count );
	bool done = dbvhi_toi_doubles( s, s->begin, dbvhi_toi_memory_of( workspace )->stack );
	if ( done || dbvhi_purse_status( &s->purse ) != DBVH_OK )
		return done;
	const double begin = s->certified;
	s->is_over = false;
	s->work_limit *= 2;
	done = dbvhi_toi_revolved( s, begin );
	s->certified = begin;
	if ( done || dbvhi_purse_status( &s->purse ) != DBVH_OK )
		return done;
	s->is_over = false;
	s->work_limit = UINT64_MAX;
	return dbvhi_toi_doubles( s, begin, dbvhi_toi_memory_of( workspace )->stack );
}

// The result of a search that the budget has ended.
static void hand_over_early( const dbvhi_toi_search *s, dbvh_toi_result *result ) {
	result->counters = s->counters;
	result->verdict = DBVH_TOI_VERDICT_UNDECIDED;
	result->time = fmin( fmax( s->certified, s->begin ), s->time );
	result->upper = s->upper;
}

static dbvh_status find_first( dbvhi_toi_search *s, const dbvh_toi_query *query, const dbvh_budget *budget,
                               dbvh_workspace *workspace, dbvh_toi_result *result ) {
	double deviation_a, deviation_b;
	DBVHI_TRY( dbvhi_motion_check( s->motion_a, &deviation_a ) );
	DBVHI_TRY( dbvhi_motion_check( s->motion_b, &deviation_b ) );
	// The frame is that of the mesh that turns less.
	if ( turns( s->motion_a ) &&
	     !( turns( s->motion_b ) && fabs( s->motion_b->angle ) >= fabs( s->motion_a->angle ) ) ) {
		const dbvh_tree *keep = s->fixed;
		s->fixed = s->moved;
		s->moved = keep;
		s->a_moves = true;
	}
	init_search( s, query, deviation_a + deviation_b );
	if ( !( s->size < INFINITY ) )
		return DBVH_NOT_FINITE;
	DBVHI_TRY( dbvhi_workspace_require_toi( workspace, s->fixed, s->moved ) );
	dbvhi_toi_memory *memory = dbvhi_toi_memory_of( workspace );
	if ( memory->round == UINT32_MAX )
		memset( memory->kept, 0, sizeof memory->kept );
	memory->round = memory->round % UINT32_MAX + 1;
	s->kept = memory->kept;
	s->round = memory->round;
	dbvhi_meter_open( &s->meter, &s->purse, budget );
	const dbvh_status status = test_start( s, query, workspace );
	if ( status != DBVH_OK && dbvhi_purse_status( &s->purse ) == DBVH_OK )
		return status;
	s->work_limit = UINT64_MAX;
	const bool packed = dbvhi_is_packed( s->fixed, s->moved, query->policy ) && s->size / s->scale < MOST_PACKED;
	bool done = s->met_there;
	if ( !done && status == DBVH_OK )
		done = packed ? dbvhi_toi_packed( s, workspace ) : search_unpacked( s, workspace );
	if ( done )
		hand_over( s, result );
	else
		hand_over_early( s, result );
	dbvhi_meter_close( &s->meter );
	return done ? DBVH_OK : dbvhi_purse_status( &s->purse );
}

dbvh_status dbvhi_check_toi_query( const dbvh_toi_query *query, dbvh_error *error ) {
	DBVHI_TRY( dbvhi_check_range( query->tolerance, 1.0, "query.tolerance", error ) );
	DBVHI_TRY( dbvhi_check_range( query->start, 1.0, "query.start", error ) );
	return dbvhi_check_policy( query->policy, error );
}

// Put into `error` what is wrong with a motion that is not valid, as a sentence that its name will be put in front of.
static dbvh_status diagnose( const dbvh_motion *m, dbvh_status status, dbvh_error *error ) {
	if ( dbvh_pose_check( &m->from, NULL, NULL ) != DBVH_OK )
		return dbvhi_blame_pose( status, &m->from, ".from", error );
	if ( status == DBVH_NOT_FINITE ) {
		dbvh_status found = dbvhi_check_finite( m->shift, 3, ".shift", error );
		if ( found == DBVH_OK )
			found = dbvhi_check_finite( m->centre, 3, ".centre", error );
		if ( found == DBVH_OK && !isfinite( m->angle ) )
			return dbvhi_error_set( error, status, ".angle is NaN or infinite" );
		return found == DBVH_OK ? dbvhi_check_finite( m->axis, 3, ".axis", error ) : found;
	}
	if ( !( fabs( m->angle ) <= DBVH_MOTION_MAX_ANGLE ) )
		return dbvhi_error_set( error, status, ".angle is %.9g; its size must be at most %g", m->angle,
		                        DBVH_MOTION_MAX_ANGLE );
	return dbvhi_error_set( error, status, ".axis is zero, but .angle is not" );
}

dbvh_status dbvhi_blame_motion( dbvh_status status, const dbvh_motion *m, const char *name, dbvh_error *error ) {
	double deviation;
	if ( error == NULL || m == NULL || status == DBVH_OK || dbvhi_motion_check( m, &deviation ) != status )
		return status;
	return dbvhi_blame_part( diagnose( m, status, error ), name, error );
}

dbvh_status dbvhi_time_of_impact( const dbvh_tree *a, const dbvh_motion *motion_a, const dbvh_tree *b,
                                  const dbvh_motion *motion_b, const dbvh_toi_query *query, const dbvh_budget *budget,
                                  dbvh_workspace *workspace, dbvh_toi_result *result ) {
	DBVHI_ASSERT( a != NULL && b != NULL && workspace != NULL );
	dbvhi_toi_search s;
	memset( &s, 0, sizeof s );
	s.fixed = a;
	s.moved = b;
	s.motion_a = motion_a;
	s.motion_b = motion_b;
	return find_first( &s, query, budget, workspace, result );
}

dbvh_toi_query dbvh_toi_query_default( void ) {
	return ( dbvh_toi_query ){ .tolerance = 0.0 };
}

static DBVHI_NOINLINE_FP dbvh_status do_time_of_impact( const dbvh_tree *a, const dbvh_motion *motion_a,
                                                        const dbvh_tree *b, const dbvh_motion *motion_b,
                                                        const dbvh_toi_query *query, dbvh_workspace *workspace,
                                                        dbvh_toi_result *result_out, dbvh_error *error ) {
	DBVHI_TRY( dbvhi_answer_clear( result_out, sizeof *result_out, "result_out", error ) );
	const dbvh_toi_query plain = { 0 };
	const dbvh_toi_query *q = query != NULL ? query : &plain;
	DBVHI_TRY( dbvhi_check_trees( a, b, error ) );
	DBVHI_TRY( dbvhi_check_toi_query( q, error ) );
	DBVHI_TRY( dbvhi_check_form( a, b, q->policy, error ) );
	dbvh_workspace *own;
	DBVHI_TRY( dbvhi_workspace_borrow( &workspace, a, &own ) );
	const dbvh_status status = dbvhi_time_of_impact( a, motion_a, b, motion_b, q, q->budget, workspace, result_out );
	dbvh_workspace_destroy( own );
	if ( status == DBVH_OK )
		return status;
	dbvhi_blame_motion( status, motion_a, "motion_a", error );
	if ( error != NULL && error->status == DBVH_OK )
		dbvhi_blame_motion( status, motion_b, "motion_b", error );
	return status;
}

dbvh_status dbvh_time_of_impact( const dbvh_tree *a, const dbvh_motion *motion_a, const dbvh_tree *b,
                                 const dbvh_motion *motion_b, const dbvh_toi_query *query, dbvh_workspace *workspace,
                                 dbvh_toi_result *result_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status,
	                        dbvhi_error_finish( error, do_time_of_impact( a, motion_a, b, motion_b, query, workspace,
	                                                                      result_out, error ) ) );
}
