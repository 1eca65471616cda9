// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The search for the first contact in two packed trees: piece after piece of time, each with the kernel of
// query/toi/kernel.inl, for which points move on straight lines in a piece and deviate from them a little.
//
// Pieces begin when the spheres of the meshes may touch, and are so short that little is turned in them; pairs of nodes
// for which a piece is still too long are put aside and searched again in both of its halves. The pose at the beginning
// of each piece is computed anew, so rounding does not add up.
//
// Margins are those of common/packed_search.c and, for velocities, of query/toi/kernel.inl: with V for the longest
// displacement of a point in the piece, a float velocity is off by less than 16 u V. The error of the doubles and the
// deviation of the poses from rotations are added (prepare()).

#include "base/alloc.h"
#include "base/assert.h"
#include "query/common/packed_search.h"
#include "query/distance/distance.h"
#include "query/toi/kernel.h"
#include "query/toi/toi.h"
#include "simd/isa.h"

#include <math.h>
#include <string.h>

#define U 0x1p-24

// The largest turn in a piece, in radians, and the largest deviation from straight lines, relative to the radii.
#define MOST_TURN 0.016
#define MOST_BEND 0.01
// The largest rounding of positions in a piece, relative to that deviation.
#define MOST_COARSE 10.0
// The longest displacement in a piece, in radii of the meshes.
#define MOST_WAY 8.0
// The longest stride past a time in which the children of the roots are disjoint, in pieces.
#define MOST_STRIDE 16.0
// The shortest piece, so that there is progress.
#define SHORTEST 0x1p-40

typedef struct traversal {
	dbvhi_toi_search *search;
	dbvhi_motion_run run;
	dbvhi_toi_kernel *kernel;
	const dbvhi_packed *packed_a, *packed_b;
	dbvh_motion fixed, moved; // motions of the search, in the unit of the meshes
	dbvh_pose frame;          // pose of the fixed mesh at time 0, straightened
	bool turning, both;       // the moved mesh turns; the fixed one does, too
	double rates;             // bounds both angular velocities together
	double margin;            // rounding of doubles, and deviation of the poses
	// The state at `time`, in the frame of the fixed mesh.
	double time;
	dbvhi_mesh_pair meshes;
	dbvhi_swinging swinging;
	dbvhi_vec centre, pivot;
	dbvh_workspace *workspace;
	uint64_t charged;             // tests of the kernel that have been charged
	uint64_t next_trial;          // steps after which try_other_means() is called
	uint64_t next_promise;        // steps after which a guess that promises an end is trusted again
	bool was_asked, was_revolved; // dbvhi_toi_revolved_promises() and dbvhi_toi_revolved() have been called
	bool ended;                   // nothing is left to search, or the budget is spent
	bool done;                    // another means has proved that nothing more intersects
} traversal;

static void release( void *memory, const dbvh_allocator *allocator ) {
	dbvhi_toi_memory *m = memory;
	dbvhi_free( allocator, m->stack, m->stack_capacity, sizeof *m->stack );
	dbvhi_free( allocator, m->packed_stack, m->packed_capacity, sizeof *m->packed_stack );
}

static const dbvhi_slot_kind memory_kind = { sizeof( dbvhi_toi_memory ), release };

dbvhi_toi_memory *dbvhi_toi_memory_of( dbvh_workspace *workspace ) {
	return dbvhi_workspace_slot( workspace, &memory_kind );
}

dbvh_status dbvhi_workspace_require_toi( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b ) {
	const dbvhi_tree_sizes of_a = dbvhi_tree_sizes_of( a ), of_b = dbvhi_tree_sizes_of( b );
	return dbvhi_workspace_require_toi_sizes( workspace, &of_a, &of_b );
}

dbvh_status dbvhi_workspace_require_toi_sizes( dbvh_workspace *workspace, const dbvhi_tree_sizes *a,
                                               const dbvhi_tree_sizes *b ) {
	dbvhi_toi_memory *m = dbvhi_toi_memory_of( workspace );
	if ( m == NULL )
		return DBVH_OUT_OF_MEMORY;
	void *stack = m->stack, *packed = m->packed_stack;
	bool grown = dbvhi_grow( &workspace->allocator, &stack, &m->stack_capacity, DBVHI_TOI_STACK( a->room, b->room ),
	                         sizeof *m->stack );
	if ( grown && a->is_packed && b->is_packed ) {
		const size_t pairs = DBVHI_TOI_PACKED_STACK( (size_t)a->packed_depth, b->packed_depth );
		grown = dbvhi_grow( &workspace->allocator, &packed, &m->packed_capacity,
		                    4 * pairs + 3 * DBVHI_TOI_WAITING * DBVHI_TOI_PIECES, sizeof *m->packed_stack );
	}
	m->stack = stack;
	m->packed_stack = packed;
	return grown ? dbvhi_workspace_require_near( workspace, a->is_packed && b->is_packed ) : DBVH_OUT_OF_MEMORY;
}

static float float_above( double x ) {
	const float f = (float)x;
	return (double)f < x ? nextafterf( f, INFINITY ) : f;
}

static dbvhi_mat mat( const double m[3][3] ) {
	dbvhi_mat out;
	memcpy( out.m, m, sizeof out.m );
	return out;
}

// The matrix of x -> v x x.
static dbvhi_mat cross_of( dbvhi_vec v ) {
	return ( dbvhi_mat ){ { { 0.0, -v.v[2], v.v[1] }, { v.v[2], 0.0, -v.v[0] }, { -v.v[1], v.v[0], 0.0 } } };
}

// Set the state at a time.
static void stand_at( traversal *t, double time ) {
	DBVHI_ASSERT( time >= 0.0 && time <= 1.0 );
	t->time = time;
	dbvh_pose own = t->frame;
	if ( t->both ) {
		dbvh_motion rest = t->fixed;
		rest.from = t->frame;
		own = dbvh_motion_pose( &rest, time );
	}
	const dbvh_pose other = dbvh_motion_pose( &t->moved, time );
	const dbvhi_mat rot = mat( own.rot );
	t->meshes.pose = dbvh_pose_relative( &own, &other );
	t->swinging.shift = dbvhi_mat_apply_transposed( &rot, dbvhi_vec_of( t->moved.shift ) );
	if ( !t->turning )
		return;
	const dbvhi_vec here = dbvhi_vec_of( own.pos ), gone = dbvhi_scale( time, dbvhi_vec_of( t->moved.shift ) );
	t->swinging.turn = dbvhi_mat_apply_transposed( &rot, dbvhi_scale( t->moved.angle, dbvhi_vec_of( t->moved.axis ) ) );
	t->centre =
	    dbvhi_mat_apply_transposed( &rot, dbvhi_sub( dbvhi_add( dbvhi_vec_of( t->moved.centre ), gone ), here ) );
	if ( !t->both )
		return;
	t->swinging.spin = dbvhi_mat_apply_transposed( &rot, dbvhi_scale( t->fixed.angle, dbvhi_vec_of( t->fixed.axis ) ) );
	t->pivot = dbvhi_mat_apply_transposed( &rot, dbvhi_sub( dbvhi_vec_of( t->fixed.centre ), here ) );
}

static dbvhi_vec velocity_at( const traversal *t, dbvhi_vec x ) {
	dbvhi_vec v = t->swinging.shift;
	if ( t->turning )
		v = dbvhi_add( v, dbvhi_cross( t->swinging.turn, dbvhi_sub( x, t->centre ) ) );
	return t->both ? dbvhi_sub( v, dbvhi_cross( t->swinging.spin, dbvhi_sub( x, t->pivot ) ) ) : v;
}

// Bound the acceleration of a point during the time `left`, as dbvhi_bend() does, rounding included.
static double bend_at( const traversal *t, dbvhi_vec x, double left ) {
	if ( !t->turning )
		return 0.0;
	const dbvhi_vec arm = dbvhi_sub( x, t->centre );
	if ( !t->both )
		return ( dbvhi_length( dbvhi_cross( t->swinging.turn, arm ) ) + t->margin ) * t->swinging.rate;
	return dbvhi_bend( &t->swinging, arm, dbvhi_sub( t->centre, t->pivot ), left ) + 4.0 * t->rates * t->margin;
}

static dbvhi_vec place_point( const traversal *t, const double x[3] ) {
	const dbvhi_mat rot = mat( t->meshes.pose.rot );
	return dbvhi_add( dbvhi_mat_apply( &rot, dbvhi_vec_of( x ) ), dbvhi_vec_of( t->meshes.pose.pos ) );
}

static void put_matrix( float out[3][3], const dbvhi_mat *m, double scale ) {
	for ( int i = 0; i < 3; ++i )
		for ( int j = 0; j < 3; ++j )
			out[i][j] = (float)( scale * m->m[i][j] );
}

static void put_vector( float out[3], dbvhi_vec v, double scale ) {
	for ( int i = 0; i < 3; ++i )
		out[i] = (float)( scale * v.v[i] );
}

// Set the kernel up for the piece that begins at t->time.
static void init_piece( traversal *t, double piece ) {
	DBVHI_ASSERT( piece > 0.0 );
	dbvhi_motion_run *run = &t->run;
	dbvhi_packed_run *packed = &run->near.packed;
	const dbvhi_packed *a = t->packed_a, *b = t->packed_b;
	dbvhi_toi_charge( t->search, DBVHI_TOI_PIECE_WORK );
	const dbvh_pose *pose = &t->meshes.pose;
	const dbvhi_mat rot = mat( pose->rot );
	const dbvhi_vec middle = place_point( t, b->centre );
	double apart = 0.0;
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j ) {
			packed->column[j][i] = pose->rot[i][j];
			packed->rot[i][j] = (float)pose->rot[i][j];
		}
		packed->pos_exact[i] = middle.v[i] - a->centre[i];
		packed->pos[i] = (float)packed->pos_exact[i];
		apart += fabs( packed->pos_exact[i] );
	}
	const double origin_error = dbvhi_packed_origin_error( &t->meshes );
	packed->margin = float_above( dbvhi_packed_margin( &t->meshes, packed->pos_exact, origin_error ) + t->margin );
	packed->origin_error = float_above( (double)packed->unit * origin_error );

	const dbvhi_vec drift = velocity_at( t, middle );
	put_vector( run->drift, drift, piece );
	double way = dbvhi_length( drift ) * piece;
	run->is_turning = t->turning;
	if ( t->turning ) {
		const dbvhi_swinging *s = &t->swinging;
		const dbvhi_vec relative = t->both ? dbvhi_sub( s->turn, s->spin ) : s->turn;
		const dbvhi_vec arm = dbvhi_sub( middle, t->centre );
		const dbvhi_mat turn = cross_of( relative ), velocity = dbvhi_mat_mul( &turn, &rot );
		dbvhi_mat bend = dbvhi_mat_mul( &turn, &velocity );
		dbvhi_vec aside = dbvhi_cross( relative, dbvhi_cross( relative, arm ) );
		double more = 0.0, later = 1.0;
		const double square = 0.5 * piece * piece;
		if ( t->both ) {
			const dbvhi_vec wobble = dbvhi_cross( s->turn, s->spin ), between = dbvhi_sub( t->centre, t->pivot );
			const dbvhi_mat wobbling = cross_of( wobble ), add = dbvhi_mat_mul( &wobbling, &rot );
			for ( int i = 0; i < 3; ++i )
				for ( int j = 0; j < 3; ++j )
					bend.m[i][j] += add.m[i][j];
			aside = dbvhi_add( aside, dbvhi_cross( wobble, arm ) );
			aside = dbvhi_add( aside, dbvhi_cross( s->spin, dbvhi_sub( dbvhi_cross( s->spin, between ),
			                                                           dbvhi_scale( 2.0, s->shift ) ) ) );
			// Change of the acceleration with time, for all of b.
			const double swing = dbvhi_length( dbvhi_cross( s->turn, arm ) ) + s->rate * 1.01 * b->extent;
			more = piece * ( s->spread * swing + s->drift );
			later += piece * s->rate;
		}
		put_matrix( run->velocity, &velocity, piece );
		put_matrix( run->bend, &bend, square );
		put_vector( run->bend_drift, aside, square );
		// Rounding of floats, and of the doubles, which cancel.
		more += 32.0 * U * ( s->spread * b->extent + dbvhi_length( aside ) ) + 4.0 * t->rates * t->margin;
		// note: the squares of deviations below the margin may underflow, so the margin is added.
		run->bend_more = float_above( square * more + (double)packed->margin );
		run->bend_spread = float_above( 1.01 * square * s->spread * later );
		run->twist = float_above( 1.01 * piece * s->twist );
		way += 1.01 * piece * s->twist * b->extent;
	}
	run->way = float_above( way * ( 1.0 + 0x1p-20 ) );
	// note: scaled by this, lengths below 2^-23 may underflow when squared; they are within the margin.
	run->shrink = (float)( 1.0 / ( apart + way + a->extent + b->extent + 0x1p-60 ) );
	run->coarse = (float)( 2.0 / MOST_COARSE * (double)( packed->margin_relative * run->way ) );
	run->bend_margin = 9.0f * packed->margin;
}

// ------------------------------------------------------------------------------------------------
// Pieces

// Sort the candidates by time. There are few: sixteen at most.
static void sort_candidates( dbvhi_near_candidate *c, uint32_t count ) {
	DBVHI_ASSERT( count <= DBVHI_NEAR_CANDIDATES );
	for ( uint32_t i = 1; i < count; ++i ) {
		const dbvhi_near_candidate x = c[i];
		uint32_t j = i;
		for ( ; j > 0 && c[j - 1].lower > x.lower; --j )
			c[j] = c[j - 1];
		c[j] = x;
	}
}

// Other means: a search in doubles, whose boxes tell at any level that meshes slide along each other without contact;
// and bodies of revolution, for a mesh that turns inside another and misses it in any position. Both are tried first
// after FIRST_TRIAL steps, then whenever the search has taken TRIAL_GROWTH times as many, for a TRIAL_PARTth of its
// steps and at least LEAST_TRIAL, so that other motions lose little.
#define FIRST_TRIAL 40000
#define LEAST_TRIAL 1600
#define TRIAL_PART 32
#define TRIAL_GROWTH 2
// Boxes of packed nodes are guessed first. A guess that promises an end may then take as many steps as the search so
// far, but not again before the search has taken PROMISE_GROWTH times as many.
#define PROMISE_GROWTH 4
// Bodies of revolution are tried, once, when the search has taken as long as they would if a few triangles promise
// success, else when it has taken so many times as long.
#define LATE_REVOLVED 4

static bool is_stopped( const traversal *t ) {
	return dbvhi_purse_status( &t->search->purse ) != DBVH_OK;
}

// Steps of bodies of revolution: to measure both meshes, and to divide them as often again.
static uint64_t revolved_steps( const dbvhi_toi_search *s ) {
	return 2 * DBVHI_TOI_REVOLVED_WORK * (uint64_t)( s->fixed->triangle_count + s->moved->triangle_count );
}

static bool try_revolved( traversal *t ) {
	dbvhi_toi_search *s = t->search;
	const uint64_t steps = revolved_steps( s );
	if ( t->was_revolved || s->work <= steps )
		return false;
	const bool is_late = s->work > LATE_REVOLVED * steps, may_ask = !t->was_asked;
	t->was_asked = true;
	if ( !is_late && !( may_ask && dbvhi_toi_revolved_promises( s, t->time ) ) )
		return false;
	s->work_limit = s->work + 2 * steps;
	t->was_revolved = true;
	return dbvhi_toi_revolved( s, t->time );
}

// The number of steps after which other means are tried again.
static uint64_t next_trial( const traversal *t ) {
	const dbvhi_toi_search *s = t->search;
	const uint64_t next = TRIAL_GROWTH * s->work, revolved = ( t->was_asked ? LATE_REVOLVED : 1 ) * revolved_steps( s );
	return !t->was_revolved && s->work <= revolved && revolved < next ? revolved : next;
}

static bool search_in_doubles( traversal *t, bool guesses, uint64_t steps ) {
	dbvhi_toi_search *s = t->search;
	s->guesses = guesses;
	s->work_limit = s->work + steps;
	const bool done = dbvhi_toi_doubles( s, t->time, dbvhi_toi_memory_of( t->workspace )->stack );
	s->guesses = false;
	s->is_over = is_stopped( t );
	return done;
}

static bool try_doubles( traversal *t ) {
	dbvhi_toi_search *s = t->search;
	const uint64_t part = s->work / TRIAL_PART, steps = part > LEAST_TRIAL ? part : LEAST_TRIAL;
	if ( dbvhi_tree_has_reference( s->fixed ) && dbvhi_tree_has_reference( s->moved ) )
		return search_in_doubles( t, false, steps );
	if ( !search_in_doubles( t, true, steps ) || s->is_over )
		return false;
	const bool is_trusted = s->work >= t->next_promise;
	if ( is_trusted )
		t->next_promise = PROMISE_GROWTH * s->work;
	return search_in_doubles( t, false, is_trusted ? s->work : steps );
}

static void try_other_means( traversal *t ) {
	dbvhi_toi_search *s = t->search;
	t->done = try_doubles( t );
	s->work_limit = UINT64_MAX;
	s->is_over = is_stopped( t );
	if ( !t->done && !s->is_over )
		t->done = try_revolved( t );
	s->work_limit = UINT64_MAX;
	s->is_over = is_stopped( t );
	t->next_trial = next_trial( t );
}

// Tests after which the kernel pauses.
#define PAUSE 64

// Charge the tests since the last call, and try other means when it is time. False if the search has ended.
static bool goes_on( traversal *t ) {
	dbvhi_toi_search *s = t->search;
	dbvhi_packed_run *packed = &t->run.near.packed;
	const uint64_t tests = packed->node_tests + packed->leaf_tests;
	dbvhi_toi_charge( s, DBVHI_TOI_PACKED_WORK * ( tests - t->charged ) );
	t->charged = tests;
	packed->pause = tests + PAUSE;
	if ( !s->is_over && s->work > t->next_trial )
		try_other_means( t );
	t->ended = t->done || is_stopped( t );
	return !t->ended;
}

// Search all pairs on the stack, in the piece that begins at t->time. Pairs that are put aside go behind those that
// wait already.
static void search_piece( traversal *t, double piece ) {
	DBVHI_ASSERT( piece > 0.0 );
	dbvhi_toi_search *s = t->search;
	dbvhi_nearest_run *near = &t->run.near;
	const double begin = t->time, end = begin + piece;
	const double latest = fmin( s->cutoff, end );
	t->run.limit = float_above( ( latest - begin ) / piece * ( 1.0 + 0x1p-40 ) );
	near->candidate_count = 0;
	while ( !t->ended && t->kernel( &t->run ) ) {
		sort_candidates( near->candidates, near->candidate_count );
		for ( uint32_t i = 0; i < near->candidate_count && !s->is_over; ++i ) {
			const dbvhi_near_candidate *c = &near->candidates[i];
			const double from = begin + piece * ( (double)c->lower * ( 1.0 - 0x1p-20 ) );
			if ( from > s->cutoff || from > end )
				break;
			dbvhi_toi_triangles( s, c->a, c->b, from, end );
		}
		near->candidate_count = 0;
		t->run.limit = float_above( ( fmin( s->cutoff, end ) - begin ) / piece * ( 1.0 + 0x1p-40 ) );
		goes_on( t );
	}
	goes_on( t );
}

static void push( dbvhi_nearest_run *near, int32_t a, int32_t b, int32_t lanes ) {
	DBVHI_ASSERT( near->packed.stack_count < near->packed.stack_capacity );
	near->stack_key[near->packed.stack_count] = 0.0f;
	dbvhi_packed_push( &near->packed, a, b, lanes );
}

// Search the pairs that were put aside from `first` on, in both halves of a piece, and those put aside there in turn.
static void search_halves( traversal *t, double begin, double piece, uint32_t first, int level ) {
	DBVHI_ASSERT( level >= 1 && level <= DBVHI_TOI_PIECES );
	DBVHI_ASSERT( first <= t->run.wait_count );
	dbvhi_motion_run *run = &t->run;
	const uint32_t last = run->wait_count;
	if ( first == last )
		return;
	const double half = 0.5 * piece;
	for ( int k = 0; k < 2; ++k ) {
		const double from = k == 0 ? begin : begin + half;
		if ( from > t->search->cutoff )
			break;
		stand_at( t, from );
		init_piece( t, half );
		for ( uint32_t i = last; i-- > first; )
			push( &run->near, run->wait_a[i], run->wait_b[i], run->wait_lanes[i] );
		run->most_bend = level + 1 < DBVHI_TOI_PIECES ? (float)MOST_BEND : INFINITY;
		run->wait_capacity = last + DBVHI_TOI_WAITING;
		search_piece( t, half );
		if ( !t->ended )
			search_halves( t, from, half, last, level + 1 );
		run->wait_count = last;
		if ( t->ended )
			return;
	}
}

// Returns a time from now before which the spheres of the meshes do not meet. *piece is the length of the next piece.
static double look_ahead( const traversal *t, double left, double *piece ) {
	const dbvhi_node *a = dbvhi_tree_root( t->search->fixed ), *b = dbvhi_tree_root( t->search->moved );
	const dbvhi_vec x = place_point( t, b->sphere_outside.v ), way = dbvhi_sub( x, a->sphere_outside ),
	                v = velocity_at( t, x );
	const double radii = a->radius + b->radius, length = dbvhi_length( way );
	const double gap = length - radii * ( 1.0 + 1e-6 ) - t->margin;
	const double bend = bend_at( t, x, left ) * ( 1.0 + 0x1p-20 );
	// The margin limits the division: it does not shrink with shorter pieces.
	const double size = radii + 8.0 * t->margin / MOST_BEND;
	*piece = fmin( left, MOST_WAY * size / ( dbvhi_length( v ) + 1e-300 ) );
	if ( t->turning ) {
		const dbvhi_swinging *s = &t->swinging;
		const double soon = MOST_TURN / ( s->twist + sqrt( MOST_TURN * s->wobble ) + 1e-300 );
		const double straight = sqrt( 2.0 * MOST_BEND * size / ( bend_at( t, x, fmin( left, soon ) ) + 1e-300 ) );
		*piece = fmin( *piece, fmin( soon, straight ) );
	}
	*piece = fmax( *piece, SHORTEST );
	return gap > 0.0 ? dbvhi_closing_time( gap, 0.0 - dbvhi_dot( way, v ) / length, bend ) : 0.0;
}

static void prepare( traversal *t, const dbvhi_toi_search *s, dbvh_workspace *w ) {
	DBVHI_ASSERT( s->fixed->packed != NULL && s->moved->packed != NULL );
	// The relative pose may deviate from a rotation by more than both poses together: by less than three times as much.
	t->meshes = ( dbvhi_mesh_pair ){
	    .fixed = s->fixed, .moved = s->moved, .pose = s->motion.from, .deviation = 3.0 * s->deviation };
	dbvhi_motion_run *run = &t->run;
	dbvhi_packed_run *packed = &run->near.packed;
	dbvhi_packed_init( &t->meshes, packed );
	packed->margin_relative = float_above( dbvhi_packed_relative_margin( t->meshes.deviation ) );
	t->packed_a = s->fixed->packed;
	t->packed_b = s->moved->packed;
	t->fixed = s->fixed_motion;
	t->moved = s->motion;
	for ( int k = 0; k < 3; ++k ) {
		t->fixed.from.pos[k] /= s->scale;
		t->fixed.centre[k] /= s->scale;
		t->moved.from.pos[k] /= s->scale;
		t->moved.centre[k] /= s->scale;
		t->moved.shift[k] /= s->scale;
	}
	t->frame = dbvhi_pose_straightened( &t->fixed.from );
	t->turning = t->moved.angle != 0.0;
	t->both = t->fixed.angle != 0.0;
	t->rates = ( fabs( t->moved.angle ) + fabs( t->fixed.angle ) ) * ( 1.0 + 0x1p-20 );
	t->margin = ( 24.0 * s->deviation * s->size + 2.0 * s->error ) / s->scale;
	t->swinging = dbvhi_swinging_of( dbvhi_scale( t->moved.angle, dbvhi_vec_of( t->moved.axis ) ),
	                                 dbvhi_scale( t->fixed.angle, dbvhi_vec_of( t->fixed.axis ) ),
	                                 dbvhi_vec_of( t->moved.shift ) );
	const size_t pairs = DBVHI_TOI_PACKED_STACK( (size_t)t->packed_a->depth, t->packed_b->depth );
	const size_t waiting = (size_t)DBVHI_TOI_WAITING * DBVHI_TOI_PIECES;
	packed->stack_a = dbvhi_toi_memory_of( w )->packed_stack;
	packed->stack_b = packed->stack_a + pairs;
	packed->stack_capacity = (uint32_t)pairs;
	packed->pause = PAUSE;
	packed->stack_lanes = packed->stack_b + pairs;
	run->near.stack_key = (float *)( packed->stack_lanes + pairs );
	run->near.stack_rank = NULL;
	run->wait_a = packed->stack_lanes + 2 * pairs;
	run->wait_b = run->wait_a + waiting;
	run->wait_lanes = run->wait_b + waiting;
	run->near.candidates = dbvhi_distance_memory_of( w )->candidates;
	t->kernel = dbvhi_toi_kernel_table[dbvhi_isa_level()];
}

// Search the whole trees in the piece from now. If `most_bend` is negative, only the children of the roots are
// compared: those that may intersect are put aside.
static void search_roots( traversal *t, double piece, float most_bend ) {
	init_piece( t, piece );
	push( &t->run.near, 0, 0, 0xffff );
	t->run.wait_count = 0;
	t->run.wait_capacity = DBVHI_TOI_WAITING;
	t->run.most_bend = most_bend;
	t->run.bend_margin = most_bend < 0.0f ? -1.0f : t->run.bend_margin;
	search_piece( t, piece );
}

bool dbvhi_toi_packed( dbvhi_toi_search *search, dbvh_workspace *workspace ) {
	traversal t;
	memset( &t, 0, sizeof t );
	t.search = search;
	t.workspace = workspace;
	t.next_trial = FIRST_TRIAL;
	prepare( &t, search, workspace );
	double stride = 1.0;
	for ( double time = search->begin; time <= 1.0 && time <= search->cutoff && !t.ended; ) {
		double piece;
		stand_at( &t, time );
		const double left = 1.0 - time, ahead = look_ahead( &t, left, &piece );
		if ( ahead > left || time + ahead > search->cutoff )
			break;
		if ( ahead > 0.5 * piece ) {
			dbvhi_toi_charge( search, DBVHI_TOI_PIECE_WORK );
			t.ended = is_stopped( &t );
			time += ahead;
			continue;
		}
		// Strides are lengthened as long as the children of the roots are disjoint.
		if ( stride > 1.0 ) {
			const double longer = fmin( left, stride * piece );
			search_roots( &t, longer, -1.0f );
			if ( t.ended )
				break;
			stride = t.run.wait_count == 0 ? fmin( 2.0 * stride, MOST_STRIDE ) : 1.0;
			if ( t.run.wait_count == 0 && longer >= left )
				break;
			time += t.run.wait_count == 0 ? longer : 0.0;
			continue;
		}
		const uint64_t before = t.run.near.packed.node_tests;
		search_roots( &t, piece, (float)MOST_BEND );
		if ( t.run.wait_count == 0 && t.run.near.packed.node_tests == before + 1 )
			stride = 2.0;
		if ( !t.ended )
			search_halves( &t, time, piece, 0, 1 );
		if ( piece >= left )
			break;
		time += piece;
	}
	dbvhi_packed_count( &search->counters, &t.run.near.packed );
	if ( t.ended && !t.done )
		search->certified = t.time;
	return !t.ended || t.done;
}
