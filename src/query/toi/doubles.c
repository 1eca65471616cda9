// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The search for the first contact in two trees in doubles: depth first, the child with the earliest bound first.
//
// Axes are those of the overlap tests, in the frame of a's box. Along an axis L on which the boxes have the gap g, a
// point x of the moved box approaches with the speed -+ L . v(x): that of the box's centre, plus at most the extent of
// L x turn over the box. If nothing turns, the times at which the projections overlap are an interval whose ends are
// both known, and the boxes miss each other if the intervals of all axes have no time in common.
//
// If both meshes turn, the frame goes with a. Let b turn with the angular velocity h about its centre, and let r be the
// offset of a point x from that; let a turn with k, let d be the offset from a's centre to b's, and s its change in a
// unit of time. In the common frame x is at d + r from a's centre, its velocity is h x r + s and its acceleration
// h x (h x r); so in the frame that turns with k its velocity is h x r + s - k x (d + r) and its acceleration
//     h x (h x r) - 2 k x (h x r + s) + k x (k x (d + r)) = w x (w x r) + (h x k) x r + k x (k x d - 2 s),
// w = h - k being the relative turn. The acceleration is 0 if both turn as one. It changes with r and d: by
// w^2 + |h x k| for each unit of length between two points; in a unit of time by that times |h x r|, plus
// |k x (k x s)|.

#include "base/assert.h"
#include "query/toi/toi.h"

#include <math.h>
#include <string.h>

typedef struct traversal {
	dbvhi_toi_search *search;
	bool turning, both;       // b turns, and so does a
	double angle, spin_angle; // angles of b and of a in a unit of time
	double rates;             // bounds angle + spin_angle
	dbvhi_swinging swinging;  // in the common frame
} traversal;

// ------------------------------------------------------------------------------------------------
// Bounds

// A pair can only intersect between `begin` + enter and `begin` + leave; never if leave < enter.
typedef struct interval {
	double enter, leave;
} interval;

// Intersect the interval with the times at which two projections overlap: the middle of the second one is `way` from
// that of the first now and moves with `speed`; `reach` is the sum of the radii.
static void meet_on_line( interval *i, double way, double speed, double reach ) {
	const double forth = speed < 0.0 ? -way : way, fast = fabs( speed );
	// The projections overlap while forth + fast t is in [-reach, reach]; always or never if fast is 0.
	if ( forth > reach ) {
		i->leave = -1.0;
	} else if ( fast > 0.0 ) {
		const double enter = ( -reach - forth ) / fast, leave = ( reach - forth ) / fast;
		i->enter = enter > i->enter ? enter : i->enter;
		i->leave = leave < i->leave ? leave : i->leave;
	} else if ( forth < -reach ) {
		i->leave = -1.0;
	}
}

// Intersect the interval with the times at which two spheres overlap, the second one moving. `reach` is the sum of the
// radii.
static void meet_in_sphere( interval *i, dbvhi_vec way, dbvhi_vec velocity, double reach ) {
	const double square = dbvhi_dot( velocity, velocity ), away = dbvhi_dot( way, way ) - reach * reach;
	const double along = dbvhi_dot( way, velocity );
	if ( !( away > 0.0 ) )
		return;
	// The roots of square t^2 + 2 along t + away, away > 0: both have the sign of -along.
	const double discriminant = along * along - square * away;
	// Bound the rounding of the discriminant, which cancels: near 0 the spheres just touch.
	const double doubt = 0x1p-48 * ( along * along + square * ( dbvhi_dot( way, way ) + reach * reach ) );
	if ( along >= 0.0 || discriminant < -doubt ) {
		i->leave = along >= 0.0 || square > 0.0 ? -1.0 : i->leave;
		return;
	}
	const double root = sqrt( ( discriminant > 0.0 ? discriminant : 0.0 ) + doubt );
	const double enter = away / ( root - along ), leave = ( root - along ) / square;
	i->enter = enter > i->enter ? enter : i->enter;
	i->leave = leave < i->leave ? leave : i->leave;
}

// The margin of a pair of boxes, as dbvhi_volume_margin() derives it: the deviation of both poses from rotations, and
// rounding of the poses carried down the trees, here also of velocities and of steps in time. In a turning frame the
// path of a point at the distance `size` is longer by its arc.
static double margin_of( const traversal *t, const dbvhi_toi_entry *at ) {
	const dbvhi_toi_search *s = t->search;
	const double steps = at->steps;
	const double rounding = 0x1p-53 * 64.0 * ( steps * steps + 64.0 ) * ( 1.0 + t->spin_angle );
	return ( rounding + 24.0 * s->deviation ) * s->size + s->error;
}

typedef struct pair_sizes {
	dbvhi_vec half_a, half_b;
	dbvhi_vec sphere_a, sphere_b; // in the frame of a's box
	double radius_a, radius_b;
} pair_sizes;

static void place_volumes( const traversal *t, const dbvhi_toi_entry *at, pair_sizes *out ) {
	const dbvhi_node *a = &at->node_a, *b = &at->node_b;
	const double scale = t->search->scale;
	out->half_a = dbvhi_scale( scale, a->half );
	out->half_b = dbvhi_scale( scale, b->half );
	out->sphere_a = dbvhi_scale( scale, a->sphere_inside );
	out->sphere_b = dbvhi_add( dbvhi_mat_apply( &at->rot, dbvhi_scale( scale, b->sphere_inside ) ), at->pos );
	out->radius_a = scale * a->radius;
	out->radius_b = scale * b->radius;
}

// Two boxes projected on an axis of length 1, or of at most 1 for the cross product of two edges. The speed of a point
// of b differs from that of its centre, because b turns, by at most `spread`.
typedef struct axis_view {
	double way, speed, reach, spread;
} axis_view;

// The extent of L x turn over the box of b. `along` is L, and all vectors are in the frame of that box.
static double spread_over( dbvhi_vec along, dbvhi_vec turn, dbvhi_vec half ) {
	return half.v[0] * fabs( along.v[1] * turn.v[2] - along.v[2] * turn.v[1] ) +
	       half.v[1] * fabs( along.v[2] * turn.v[0] - along.v[0] * turn.v[2] ) +
	       half.v[2] * fabs( along.v[0] * turn.v[1] - along.v[1] * turn.v[0] );
}

// The view along axis i of a's box. This and the next two functions take `w`, the velocity of b's centre, and the turn
// in the frame of b's box.
static inline axis_view look_along_a( const dbvhi_toi_entry *at, const pair_sizes *p, dbvhi_vec w, dbvhi_vec turn,
                                      bool turning, int i ) {
	DBVHI_ASSERT( (unsigned)i < 3 );
	const dbvhi_mat *r = &at->rot;
	const dbvhi_vec along = { { r->m[i][0], r->m[i][1], r->m[i][2] } };
	return ( axis_view ){ at->pos.v[i], w.v[i],
	                      p->half_a.v[i] + p->half_b.v[0] * fabs( along.v[0] ) + p->half_b.v[1] * fabs( along.v[1] ) +
	                          p->half_b.v[2] * fabs( along.v[2] ),
	                      turning ? spread_over( along, turn, p->half_b ) : 0.0 };
}

// The view along axis j of b's box.
static inline axis_view look_along_b( const dbvhi_toi_entry *at, const pair_sizes *p, dbvhi_vec w, dbvhi_vec turn,
                                      int j ) {
	DBVHI_ASSERT( (unsigned)j < 3 );
	const dbvhi_mat *r = &at->rot;
	const int j1 = ( j + 1 ) % 3, j2 = ( j + 2 ) % 3;
	axis_view out = { 0.0, 0.0, p->half_b.v[j],
	                  p->half_b.v[j1] * fabs( turn.v[j2] ) + p->half_b.v[j2] * fabs( turn.v[j1] ) };
	for ( int k = 0; k < 3; ++k ) {
		out.way += at->pos.v[k] * r->m[k][j];
		out.speed += w.v[k] * r->m[k][j];
		out.reach += p->half_a.v[k] * fabs( r->m[k][j] );
	}
	return out;
}

// The view along the cross product of axis i of a's box and axis j of b's.
static inline axis_view look_along_c( const dbvhi_toi_entry *at, const pair_sizes *p, dbvhi_vec w, dbvhi_vec turn,
                                      bool turning, int i, int j ) {
	DBVHI_ASSERT( (unsigned)i < 3 && (unsigned)j < 3 );
	const int i1 = ( i + 1 ) % 3, i2 = ( i + 2 ) % 3, j1 = ( j + 1 ) % 3, j2 = ( j + 2 ) % 3;
	const dbvhi_mat *r = &at->rot;
	// Row i of R, crossed with axis j: the axis in the frame of b's box.
	dbvhi_vec along = { { 0.0, 0.0, 0.0 } };
	along.v[j1] = r->m[i][j2];
	along.v[j2] = 0.0 - r->m[i][j1];
	return ( axis_view ){ at->pos.v[i2] * r->m[i1][j] - at->pos.v[i1] * r->m[i2][j],
	                      w.v[i2] * r->m[i1][j] - w.v[i1] * r->m[i2][j],
	                      p->half_a.v[i1] * fabs( r->m[i2][j] ) + p->half_a.v[i2] * fabs( r->m[i1][j] ) +
	                          p->half_b.v[j1] * fabs( r->m[i][j2] ) + p->half_b.v[j2] * fabs( r->m[i][j1] ),
	                      turning ? spread_over( along, turn, p->half_b ) : 0.0 };
}

static const signed char crosses[3][2] = { { 2, 2 }, { 1, 2 }, { 2, 1 } };
static const dbvhi_vec no_turn;

static void bound_straight( const traversal *t, dbvhi_toi_entry *at, const pair_sizes *p, double last ) {
	interval i = { 0.0, last - at->begin };
	const double margin = margin_of( t, at );
	meet_in_sphere( &i, dbvhi_sub( p->sphere_b, p->sphere_a ), at->shift, p->radius_a + p->radius_b + margin );
	t->search->counters.sphere_tests += 1;
	if ( i.enter <= i.leave ) {
		t->search->counters.box_tests += 1;
		for ( int k = 0; k < 3; ++k ) {
			const axis_view v = look_along_a( at, p, at->shift, no_turn, false, k );
			meet_on_line( &i, v.way, v.speed, v.reach + margin );
		}
		for ( int k = 0; k < 3; ++k ) {
			const axis_view v = look_along_b( at, p, at->shift, no_turn, k );
			meet_on_line( &i, v.way, v.speed, v.reach + margin );
		}
		for ( int k = 0; k < 3 && i.enter <= i.leave; ++k ) {
			const axis_view v = look_along_c( at, p, at->shift, no_turn, false, crosses[k][0], crosses[k][1] );
			meet_on_line( &i, v.way, v.speed, v.reach + margin );
		}
	}
	// Rounding of the last operations. That of earlier ones, and of speeds that are the difference of two, is in the
	// margin.
	at->bound = i.enter <= i.leave * ( 1.0 + 0x1p-40 ) ? at->begin + i.enter * ( 1.0 - 0x1p-40 ) : INFINITY;
}

static inline void close_in( double *ahead, const axis_view *v, double margin, double bend ) {
	const double gap = fabs( v->way ) - v->reach - margin;
	if ( !( gap > 0.0 ) )
		return;
	const double time = dbvhi_closing_time( gap, ( v->way > 0.0 ? -v->speed : v->speed ) + v->spread, bend );
	*ahead = time > *ahead ? time : *ahead;
}

// The velocity of a point of b, in the frame that goes with a.
static dbvhi_vec velocity_of( const traversal *t, const dbvhi_toi_entry *at, dbvhi_vec x ) {
	const dbvhi_vec v = dbvhi_add( at->shift, dbvhi_cross( at->turn, dbvhi_sub( x, at->centre ) ) );
	return t->both ? dbvhi_sub( v, dbvhi_cross( at->spin, dbvhi_sub( x, at->pivot ) ) ) : v;
}

static dbvhi_swinging swinging_at( const traversal *t, const dbvhi_toi_entry *at ) {
	dbvhi_swinging here = t->swinging;
	here.turn = at->turn;
	here.spin = at->spin;
	here.shift = at->shift;
	return here;
}

// Bound the acceleration of a point of b during the time `left`.
static double bend_of( const traversal *t, const dbvhi_toi_entry *at, dbvhi_vec x, double left ) {
	const dbvhi_vec arm = dbvhi_sub( x, at->centre );
	if ( !t->both )
		return ( dbvhi_length( dbvhi_cross( at->turn, arm ) ) + margin_of( t, at ) ) * t->swinging.rate;
	const dbvhi_swinging here = swinging_at( t, at );
	return dbvhi_bend( &here, arm, dbvhi_sub( at->centre, at->pivot ), left ) + 4.0 * t->rates * margin_of( t, at );
}

// Raise *ahead to the time before which the gap on an axis cannot close. `course` is that of one box, seen from the
// frame of the other, in which the axis, `along`, is fixed.
static void close_in_along( const traversal *t, double *ahead, const axis_view *v, const dbvhi_course *course,
                            dbvhi_vec axis, dbvhi_vec along, double margin ) {
	const double gap = fabs( v->way ) - v->reach - margin;
	if ( !( gap > 0.0 ) )
		return;
	const dbvhi_vec n = v->way > 0.0 ? along : dbvhi_scale( -1.0, along );
	const double bend = dbvhi_course_bend( course, axis, n ) + 4.0 * t->rates * margin;
	const double speed = course->doubt - dbvhi_dot( n, course->velocity ) + v->spread;
	*ahead = fmax( *ahead, dbvhi_closing_time( gap, speed, bend ) );
}

// Raise *ahead as close_in() does, but with the acceleration along each axis (dbvhi_course in toi.h) instead of its
// length. So boxes that slide along each other are told to be disjoint in one step, however small the gap.
static void look_closer( const traversal *t, const dbvhi_toi_entry *at, const pair_sizes *p, const axis_view v[9],
                         double left, double margin, double *ahead ) {
	const dbvhi_swinging here = swinging_at( t, at ), reversed = dbvhi_swinging_reversed( &here );
	const dbvhi_vec axis = dbvhi_swinging_axis( &here ), arm = dbvhi_sub( at->pos, at->centre );
	const dbvhi_vec way = t->both ? dbvhi_sub( at->centre, at->pivot ) : no_turn;
	const dbvhi_course of_b = dbvhi_course_of( &here, arm, way, dbvhi_length( p->half_b ), left );
	for ( int k = 0; k < 3; ++k ) {
		dbvhi_vec a = { { 0.0, 0.0, 0.0 } };
		a.v[k] = 1.0;
		close_in_along( t, ahead, &v[k], &of_b, axis, a, margin );
		close_in_along( t, ahead, &v[3 + k], &of_b, axis, dbvhi_mat_column( &at->rot, k ), margin );
		a.v[k] = 0.0;
		a.v[crosses[k][0]] = 1.0;
		close_in_along( t, ahead, &v[6 + k], &of_b, axis, dbvhi_cross( a, dbvhi_mat_column( &at->rot, crosses[k][1] ) ),
		                margin );
	}
	const dbvhi_vec back = dbvhi_sub( way, at->centre );
	const dbvhi_course of_a =
	    dbvhi_course_of( &reversed, back, dbvhi_scale( -1.0, way ), dbvhi_length( p->half_a ), left );
	const dbvhi_vec relative = dbvhi_sub( here.turn, here.spin ), axis_back = dbvhi_swinging_axis( &reversed );
	for ( int k = 0; k < 3; ++k ) {
		const dbvhi_vec along = dbvhi_mat_column( &at->rot, k );
		axis_view from_b = v[3 + k];
		from_b.way = 0.0 - from_b.way;
		from_b.spread = spread_over( along, relative, p->half_a );
		close_in_along( t, ahead, &from_b, &of_a, axis_back, along, margin );
	}
}

// The bound if something turns. The boxes are also taken to move on straight lines, enlarged by the deviation from
// these in the time that is left, which is small for pairs that need not be divided in time. A ball is not changed by a
// turn about its centre, so it is enlarged by the deviation of its centre alone.
static void bound_turning( const traversal *t, dbvhi_toi_entry *at, const pair_sizes *p, double last ) {
	const double margin = margin_of( t, at ), left = last - at->begin;
	const dbvhi_vec velocity = velocity_of( t, at, p->sphere_b );
	const double bend_centre = bend_of( t, at, p->sphere_b, left ) * ( 1.0 + 0x1p-20 );
	double bend = bend_centre + t->swinging.spread * p->radius_b;
	if ( t->both )
		bend += left * t->swinging.spread * t->swinging.rate * p->radius_b;
	interval i = { 0.0, left };
	double ahead = 0.0;
	const dbvhi_vec way = dbvhi_sub( p->sphere_b, p->sphere_a );
	const double radii = p->radius_a + p->radius_b, length = dbvhi_length( way );
	t->search->counters.sphere_tests += 1;
	meet_in_sphere( &i, way, velocity, radii + margin + 0.5 * bend_centre * left * left );
	if ( length - radii > margin )
		ahead = dbvhi_closing_time( length - radii - margin, 0.0 - dbvhi_dot( way, velocity ) / length, bend_centre );
	if ( i.enter <= i.leave && ahead < left ) {
		t->search->counters.box_tests += 1;
		const dbvhi_vec w = velocity_of( t, at, at->pos );
		const dbvhi_vec relative = t->both ? dbvhi_sub( at->turn, at->spin ) : at->turn;
		const dbvhi_vec turn = dbvhi_mat_apply_transposed( &at->rot, relative );
		const double more = margin + 0.5 * bend * left * left;
		axis_view v[9];
		for ( int k = 0; k < 3; ++k ) {
			v[k] = look_along_a( at, p, w, turn, true, k );
			v[3 + k] = look_along_b( at, p, w, turn, k );
			v[6 + k] = look_along_c( at, p, w, turn, true, crosses[k][0], crosses[k][1] );
		}
		for ( int k = 0; k < 9; ++k ) {
			meet_on_line( &i, v[k].way, v[k].speed, v[k].reach + v[k].spread * left + more );
			close_in( &ahead, &v[k], margin, bend );
		}
		if ( i.enter <= i.leave && ahead > 0.0 && ahead < left )
			look_closer( t, at, p, v, left, margin, &ahead );
	}
	ahead = ahead > i.enter * ( 1.0 - 0x1p-40 ) ? ahead : i.enter * ( 1.0 - 0x1p-40 );
	at->bound = i.enter <= i.leave * ( 1.0 + 0x1p-40 ) ? at->begin + ahead : INFINITY;
}

static void bound( const traversal *t, dbvhi_toi_entry *at ) {
	pair_sizes p;
	dbvhi_toi_charge( t->search, DBVHI_TOI_NODES_WORK );
	place_volumes( t, at, &p );
	const double last = at->end < t->search->cutoff ? at->end : t->search->cutoff;
	if ( t->turning )
		bound_turning( t, at, &p, last );
	else
		bound_straight( t, at, &p, last );
}

// ------------------------------------------------------------------------------------------------
// Steps

// See the motion of a pair from the axes `frame` at `offset`.
static void turn_frame( const traversal *t, const dbvhi_mat *frame, dbvhi_vec offset, dbvhi_toi_entry *at ) {
	at->shift = dbvhi_mat_apply_transposed( frame, at->shift );
	if ( t->turning ) {
		at->turn = dbvhi_mat_apply_transposed( frame, at->turn );
		at->centre = dbvhi_mat_apply_transposed( frame, dbvhi_sub( at->centre, offset ) );
	}
	if ( t->both ) {
		at->spin = dbvhi_mat_apply_transposed( frame, at->spin );
		at->pivot = dbvhi_mat_apply_transposed( frame, dbvhi_sub( at->pivot, offset ) );
	}
}

// Replace the moved node of a pair by `b`, which is in the frame of its box, such as a child.
static void step_moved( const traversal *t, const dbvhi_node *b, dbvhi_toi_entry *at ) {
	at->pos = dbvhi_add( dbvhi_mat_apply( &at->rot, dbvhi_scale( t->search->scale, b->pos ) ), at->pos );
	at->rot = dbvhi_mat_mul( &at->rot, &b->rot );
	at->steps += 1;
}

// Replace the fixed node of a pair by `a`, which is in the frame of its box, and with it the frame.
static void step_fixed( const traversal *t, const dbvhi_node *a, dbvhi_toi_entry *at ) {
	const dbvhi_vec offset = dbvhi_scale( t->search->scale, a->pos );
	at->rot = dbvhi_mat_mul_transposed( &a->rot, &at->rot );
	at->pos = dbvhi_mat_apply_transposed( &a->rot, dbvhi_sub( at->pos, offset ) );
	turn_frame( t, &a->rot, offset, at );
	at->steps += 1;
}

// True if a pair certainly does not intersect in its piece of time, or before the cutoff.
static bool is_discarded( const traversal *t, const dbvhi_toi_entry *at ) {
	return at->bound > fmin( at->end, t->search->cutoff );
}

static bool has_loose_box( const dbvh_tree *tree, uint32_t node ) {
	// note: the root is stored in doubles, its box aligned with faces by the build.
	return !dbvhi_tree_has_reference( tree ) && node != 0;
}

// Raise the bound of a pair to that of its tight boxes, or of guesses of these, from dbvhi_toi_node(). False if the
// search is over first.
static bool bound_tightly( const traversal *t, bool guess, dbvhi_toi_entry *at ) {
	dbvhi_toi_search *s = t->search;
	dbvhi_toi_entry tight = *at;
	if ( has_loose_box( s->fixed, at->a ) ) {
		if ( !dbvhi_toi_node( s, s->fixed, at->a, guess, &tight.node_a ) )
			return false;
		dbvhi_node seen = tight.node_a;
		dbvhi_node_seen_from( &at->node_a, &seen );
		step_fixed( t, &seen, &tight );
	}
	if ( has_loose_box( s->moved, at->b ) ) {
		if ( !dbvhi_toi_node( s, s->moved, at->b, guess, &tight.node_b ) )
			return false;
		dbvhi_node seen = tight.node_b;
		dbvhi_node_seen_from( &at->node_b, &seen );
		step_moved( t, &seen, &tight );
	}
	bound( t, &tight );
	at->bound = fmax( at->bound, tight.bound );
	return true;
}

// A wrong guess leaves a trial that is limited only this part of its remaining steps: it is likely to be one of many.
#define AFTER_WRONG_GUESS 0.5

// Discard a pair of nodes, whose stored boxes do not, by tight boxes if guesses promise that these do. While the search
// guesses, a guess is taken for granted. False if the search is over first.
static bool try_tight_boxes( const traversal *t, dbvhi_toi_entry *at ) {
	dbvhi_toi_search *s = t->search;
	dbvhi_toi_entry guessed = *at;
	if ( !bound_tightly( t, true, &guessed ) )
		return false;
	if ( s->guesses )
		at->bound = guessed.bound;
	if ( s->guesses || !is_discarded( t, &guessed ) )
		return true;
	if ( !bound_tightly( t, false, at ) )
		return false;
	if ( !is_discarded( t, at ) && s->work_limit != UINT64_MAX && s->work < s->work_limit )
		s->work_limit = s->work + (uint64_t)( AFTER_WRONG_GUESS * (double)( s->work_limit - s->work ) );
	return true;
}

// The pair with `child` instead of its fixed or its moved node. False if the search is over first.
static bool step( const traversal *t, const dbvhi_toi_entry *at, bool fixed, uint32_t child, dbvhi_toi_entry *out ) {
	const dbvhi_toi_search *s = t->search;
	const dbvh_tree *tree = fixed ? s->fixed : s->moved;
	dbvhi_node room;
	*out = *at;
	*( fixed ? &out->a : &out->b ) = child;
	dbvhi_node *node = fixed ? &out->node_a : &out->node_b;
	*node = *dbvhi_any_node( tree, child, &room );
	dbvhi_node seen = *node;
	if ( !dbvhi_tree_has_reference( tree ) )
		dbvhi_node_seen_from( fixed ? &at->node_a : &at->node_b, &seen );
	if ( fixed )
		step_fixed( t, &seen, out );
	else
		step_moved( t, &seen, out );
	bound( t, out );
	const bool is_loose = has_loose_box( s->fixed, out->a ) || has_loose_box( s->moved, out->b );
	return is_discarded( t, out ) || !is_loose || try_tight_boxes( t, out );
}

// A turn by an angle: x + once axis x x + twice axis x (axis x x). The axis is not of length 1.
typedef struct turning {
	dbvhi_vec axis;
	double once, twice;
} turning;

static turning turning_by( dbvhi_vec turn, double rate, double later ) {
	DBVHI_ASSERT( rate > 0.0 );
	const double half = sin( 0.5 * later * rate );
	return ( turning ){ turn, sin( later * rate ) / rate, 2.0 * half * half / ( rate * rate ) };
}

static dbvhi_vec turned( const turning *by, dbvhi_vec x ) {
	const dbvhi_vec once = dbvhi_cross( by->axis, x ), twice = dbvhi_cross( by->axis, once );
	return dbvhi_add( x, dbvhi_add( dbvhi_scale( by->once, once ), dbvhi_scale( by->twice, twice ) ) );
}

static dbvhi_vec turned_about( const turning *by, dbvhi_vec centre, dbvhi_vec x ) {
	return dbvhi_add( centre, turned( by, dbvhi_sub( x, centre ) ) );
}

static void turn_axes( const turning *by, dbvhi_mat *rot ) {
	for ( int j = 0; j < 3; ++j ) {
		const dbvhi_vec axis = turned( by, ( dbvhi_vec ){ { rot->m[0][j], rot->m[1][j], rot->m[2][j] } } );
		for ( int k = 0; k < 3; ++k )
			rot->m[k][j] = axis.v[k];
	}
}

// Advance a pair in time by `later`: b turns and its centre moves on, then the frame follows a.
static void advance( const traversal *t, dbvhi_toi_entry *at, double later ) {
	const dbvhi_vec way = dbvhi_scale( later, at->shift );
	at->begin += later;
	at->steps += 1;
	if ( !t->turning ) {
		at->pos = dbvhi_add( at->pos, way );
		return;
	}
	const turning forth = turning_by( at->turn, t->angle, later );
	at->pos = dbvhi_add( turned_about( &forth, at->centre, at->pos ), way );
	at->centre = dbvhi_add( at->centre, way );
	turn_axes( &forth, &at->rot );
	if ( t->both ) {
		const turning back = turning_by( at->spin, t->spin_angle, -later );
		at->pos = turned_about( &back, at->pivot, at->pos );
		at->centre = turned_about( &back, at->pivot, at->centre );
		at->shift = turned( &back, at->shift );
		at->turn = turned( &back, at->turn );
		turn_axes( &back, &at->rot );
	}
}

// The largest deviation from straight lines, relative to the radii, and the largest turn, in radians, of a pair that is
// not divided in time. A step in time costs less than the steps down the trees that a coarse bound lets through: half
// of the size and half a radian took five times as long.
#define MOST_BEND 0.02
#define MOST_TURN 0.02

static bool is_bent( const traversal *t, const dbvhi_toi_entry *at ) {
	const dbvhi_node *a = &at->node_a, *b = &at->node_b;
	const double left = fmin( at->end, t->search->cutoff ) - at->begin;
	// The margin limits the division: it does not shrink with shorter times.
	const double size = t->search->scale * ( a->radius + b->radius ) + 8.0 * margin_of( t, at ) / MOST_BEND;
	return 0.5 * left * left * bend_of( t, at, at->pos, left ) > MOST_BEND * size ||
	       ( t->swinging.twist + t->swinging.wobble * left ) * left > MOST_TURN;
}

static void start( const traversal *t, double begin, dbvhi_toi_entry *out ) {
	const dbvhi_toi_search *s = t->search;
	const dbvh_motion *m = &s->motion, *own = &s->fixed_motion;
	// The frame of the fixed mesh must be a rotation, so that lengths are the same in it. The mesh itself is where its
	// pose puts it; the margin covers the difference.
	const dbvh_pose frame = dbvhi_pose_straightened( &own->from ), relative = dbvh_pose_relative( &frame, &m->from );
	const dbvhi_node *a = dbvhi_any_root( s->fixed ), *b = dbvhi_any_root( s->moved );
	dbvhi_mat fixed, rot;
	memcpy( fixed.m, frame.rot, sizeof fixed.m );
	memcpy( rot.m, relative.rot, sizeof rot.m );
	const dbvhi_vec here = dbvhi_vec_of( frame.pos );
	// The motion in the frame of the mesh, then in that of its root's box.
	dbvhi_toi_entry mesh;
	memset( &mesh, 0, sizeof mesh );
	mesh.shift = dbvhi_mat_apply_transposed( &fixed, dbvhi_vec_of( m->shift ) );
	mesh.turn = dbvhi_mat_apply_transposed( &fixed, t->swinging.turn );
	mesh.centre = dbvhi_mat_apply_transposed( &fixed, dbvhi_sub( dbvhi_vec_of( m->centre ), here ) );
	mesh.spin = dbvhi_mat_apply_transposed( &fixed, t->swinging.spin );
	mesh.pivot = dbvhi_mat_apply_transposed( &fixed, dbvhi_sub( dbvhi_vec_of( own->centre ), here ) );
	const dbvhi_vec offset = dbvhi_scale( s->scale, a->pos );
	*out = mesh;
	turn_frame( t, &a->rot, offset, out );
	const dbvhi_mat turned = dbvhi_mat_mul_transposed( &a->rot, &rot );
	const dbvhi_vec seen = dbvhi_mat_apply_transposed( &a->rot, dbvhi_sub( dbvhi_vec_of( relative.pos ), offset ) );
	out->rot = dbvhi_mat_mul( &turned, &b->rot );
	out->pos = dbvhi_add( dbvhi_mat_apply( &turned, dbvhi_scale( s->scale, b->pos ) ), seen );
	out->end = 1.0;
	dbvhi_node rooms[2];
	out->node_a = *dbvhi_any_node( s->fixed, 0, &rooms[0] );
	out->node_b = *dbvhi_any_node( s->moved, 0, &rooms[1] );
	if ( begin > 0.0 )
		advance( t, out, begin );
	bound( t, out );
}

static void init_traversal( traversal *t ) {
	const dbvh_motion *moved = &t->search->motion, *fixed = &t->search->fixed_motion;
	t->turning = moved->angle != 0.0;
	t->both = fixed->angle != 0.0;
	t->angle = fabs( moved->angle );
	t->spin_angle = fabs( fixed->angle );
	t->rates = ( t->angle + t->spin_angle ) * ( 1.0 + 0x1p-20 );
	t->swinging =
	    dbvhi_swinging_of( dbvhi_scale( moved->angle, dbvhi_vec_of( moved->axis ) ),
	                       dbvhi_scale( fixed->angle, dbvhi_vec_of( fixed->axis ) ), dbvhi_vec_of( moved->shift ) );
}

// The order of the search: the earlier bound first; among equal ones, those whose boxes are nearer to each other, since
// these are more likely to intersect.
static bool is_sooner( const dbvhi_toi_entry *a, const dbvhi_toi_entry *b ) {
	return a->bound != b->bound ? a->bound < b->bound : dbvhi_dot( a->pos, a->pos ) < dbvhi_dot( b->pos, b->pos );
}

// Insert the last of `count` children of one pair into the others, which are in order: the soonest goes on top.
static void put_in_order( dbvhi_toi_entry *children, size_t count ) {
	const dbvhi_toi_entry last = children[count - 1];
	size_t at = count - 1;
	for ( ; at > 0 && is_sooner( &children[at - 1], &last ); --at )
		children[at] = children[at - 1];
	children[at] = last;
}

static void compare_leaves( const traversal *t, const dbvhi_toi_entry *at ) {
	dbvhi_toi_search *s = t->search;
	const dbvhi_node *a = &at->node_a, *b = &at->node_b;
	if ( s->guesses ) {
		dbvhi_toi_charge( s, (uint64_t)DBVHI_TOI_STEP_WORK * a->count * b->count );
		return;
	}
	for ( uint32_t i = a->first; i < a->first + a->count; ++i ) {
		for ( uint32_t j = b->first; j < b->first + b->count; ++j ) {
			if ( at->bound > s->cutoff || s->is_over )
				return;
			dbvhi_toi_triangles( s, i, j, at->bound, at->end );
		}
	}
}

// Certify the time up to which nothing intersects: the least bound of the pairs left on the stack.
static void give_up( dbvhi_toi_search *s, const dbvhi_toi_entry *stack, size_t count ) {
	s->certified = 1.0;
	for ( size_t i = 0; i < count; ++i )
		s->certified = fmin( s->certified, stack[i].bound );
}

// Divide a pair into two halves in time, the earlier one on top of the stack. Returns how many there are.
static size_t divide_in_time( const traversal *t, dbvhi_toi_entry at, dbvhi_toi_entry *out ) {
	at.splits += 1;
	if ( at.bound > at.begin )
		advance( t, &at, at.bound - at.begin );
	const double middle = at.begin + 0.5 * ( fmin( at.end, t->search->cutoff ) - at.begin );
	out[0] = at;
	advance( t, &out[0], middle - at.begin );
	bound( t, &out[0] );
	out[1] = at;
	out[1].end = out[0].begin;
	bound( t, &out[1] );
	return 2;
}

// Divide a pair into the pairs with the children of its larger node. Returns how many there are: 0 if both nodes are
// leaves, or if the search is over first.
static size_t divide_in_space( const traversal *t, const dbvhi_toi_entry *at, dbvhi_toi_entry *out ) {
	uint32_t children[2][DBVHI_WIDTH];
	const uint32_t count_a = dbvhi_any_children( t->search->fixed, at->a, children[0] ),
	               count_b = dbvhi_any_children( t->search->moved, at->b, children[1] );
	const bool fixed = count_b == 0 || ( count_a > 0 && at->node_a.radius > at->node_b.radius );
	const uint32_t count = fixed ? count_a : count_b;
	for ( uint32_t k = 0; k < count; ++k ) {
		if ( !step( t, at, fixed, children[fixed ? 0 : 1][k], &out[k] ) )
			return 0;
		put_in_order( out, k + 1 );
	}
	return count;
}

bool dbvhi_toi_doubles( dbvhi_toi_search *search, double begin, dbvhi_toi_entry *stack ) {
	DBVHI_ASSERT( stack != NULL && begin >= 0.0 && begin <= 1.0 );
	traversal t = { .search = search };
	init_traversal( &t );
	size_t top = 0;
	start( &t, begin, &stack[top++] );
	while ( top > 0 ) {
		if ( search->is_over ) {
			give_up( search, stack, top );
			return false;
		}
		const dbvhi_toi_entry at = stack[--top];
		if ( at.bound > search->cutoff || at.bound > at.end )
			continue;
		const bool in_time = t.turning && at.splits < DBVHI_TOI_SPLITS && is_bent( &t, &at );
		const size_t count = in_time ? divide_in_time( &t, at, &stack[top] ) : divide_in_space( &t, &at, &stack[top] );
		if ( count == 0 && !search->is_over )
			compare_leaves( &t, &at );
		if ( count == 0 && search->is_over )
			stack[top++] = at;
		top += count;
	}
	return true;
}
