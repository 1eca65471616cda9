// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// One search for the first contact: what moves how, and what has been found. Traversals say which triangles to compare,
// and leave out what certainly does not intersect before `cutoff`; this records what they find.

#pragma once

#include "base/assert.h"
#include "base/budget.h"
#include "bvh/any_node.h"
#include "dualbvh/toi.h"
#include "math/vec.h"
#include "query/common/mesh_pair.h"
#include "query/common/workspace.h"

// Times a pair of nodes is divided in time, at most.
#define DBVHI_TOI_SPLITS 40

// Two nodes on the stack: where b lies in the frame of a's box at time `begin`, and how it goes on from there. The
// frame goes with a. What b is made of turns about `centre` with the angular velocity `turn` while the centre goes by
// `shift` in a unit of time, and a itself turns about `pivot` with `spin`; so a point x of b has, in this frame, the
// velocity shift + turn x (x - centre) - spin x (x - pivot). Where nothing turns only `shift` is set, where b alone
// does neither `spin` nor `pivot`. Lengths are scaled.
typedef struct dbvhi_toi_entry {
	dbvhi_mat rot;
	dbvhi_vec pos;
	dbvhi_vec shift, turn, centre;
	dbvhi_vec spin, pivot;
	double begin, end;
	double bound; // no contact before it
	uint32_t a, b;
	uint32_t splits, steps;    // in time, and of any kind
	dbvhi_node node_a, node_b; // the two of them, as dbvhi_toi_node() has them
} dbvhi_toi_entry;

typedef struct dbvhi_toi_search {
	const dbvh_tree *fixed, *moved;
	bool a_moves;                           // the caller's A is the moved mesh
	const dbvh_motion *motion_a, *motion_b; // as given, for the final decision; NULL: at rest
	// All in a frame that is shifted as `fixed` is, lengths multiplied by `scale`. Axes have length 1.
	double scale;             // a power of two
	dbvh_motion fixed_motion; // turns, if both do; the shift is 0
	dbvh_motion motion;       // of the moved mesh
	double deviation;         // of both poses from rotations
	double size;              // bounds every coordinate, and the way
	double error;             // see api.c
	double tolerance;
	double begin; // nothing before is looked at
	// What it may cost, in the steps of dbvh_budget.
	dbvhi_purse purse;
	dbvhi_meter meter;
	uint64_t work, work_limit; // all so far; what is tried for a while ends at the limit
	bool is_over;              // either has been spent
	bool guesses;              // boxes are measured by samples of their triangles: what is found is no proof
	double certified;          // how far the search had got, then
	// What has been found.
	double cutoff; // what does not intersect before this need not be looked at
	double time;   // the least time of a pair that could not be advanced any further; INFINITY: none
	double upper;  // a time at which some pair intersects; INFINITY: none is known
	double distance;
	bool met_there;                          // the pair that is named intersects at that very time
	uint32_t fixed_triangle, moved_triangle; // in leaf order
	double point_fixed[3], point_moved[3], normal[3];
	dbvh_counters counters;
} dbvhi_toi_search;

// Is this a motion? NULL is one, at rest. *deviation_out: of its pose from a rotation.
dbvh_status dbvhi_motion_check( const dbvh_motion *motion, double *deviation_out );

dbvh_status dbvhi_check_toi_query( const dbvh_toi_query *query, dbvh_error *error );

// Says what is wrong with a motion, if that is why a call was refused. Returns `status`.
dbvh_status dbvhi_blame_motion( dbvh_status status, const dbvh_motion *motion, const char *name, dbvh_error *error );

// As dbvh_time_of_impact(), within that budget instead of the query's, where the query is valid and there are trees and
// a workspace; `result` is all zero.
dbvh_status dbvhi_time_of_impact( const dbvh_tree *a, const dbvh_motion *motion_a, const dbvh_tree *b,
                                  const dbvh_motion *motion_b, const dbvh_toi_query *query, const dbvh_budget *budget,
                                  dbvh_workspace *workspace, dbvh_toi_result *result );

// The axis over its length. False where it has none.
bool dbvhi_motion_axis( const dbvh_motion *motion, double axis_out[3] );

// A rotation near the matrix of a pose that deviates a little from one: by twice as much, at most. The position stays.
dbvh_pose dbvhi_pose_straightened( const dbvh_pose *bent );

// A lower bound of the time in which a gap is closed by something that comes nearer with at most `speed` now, and with
// at most `bend` more in each unit of time; where that is negative, it may turn back before. What is not a number gives
// 0.
static inline double dbvhi_closing_time( double gap, double speed, double bend ) {
	double time = INFINITY;
	if ( bend > 0.0 ) {
		const double root = sqrt( speed * speed + 2.0 * bend * gap );
		time = speed > 0.0 ? 2.0 * gap / ( speed + root ) : ( root - speed ) / bend;
	} else if ( !( speed <= 0.0 ) ) {
		// Where it just turns back the root is 0 but for rounding, so what rounding may be is added to its square.
		const double square = speed * speed, under = square + 2.0 * bend * gap + 0x1p-48 * square;
		time = under < 0.0 ? INFINITY : 2.0 * gap / ( speed + sqrt( under ) );
	}
	return time > 0.0 && gap > 0.0 ? time * ( 1.0 - 0x1p-30 ) : 0.0;
}

// How things go on that turn with `turn` while their centre goes by `shift`, as seen from what turns with `spin`.
// doubles.c has the formulas. All angles and lengths in a unit of time.
typedef struct dbvhi_swinging {
	dbvhi_vec turn, spin, shift;
	double rate;   // bounds |turn|
	double twist;  // bounds |turn - spin|
	double wobble; // bounds |turn x spin|
	double spread; // what the acceleration changes by, from a point to the next, a unit of length
	double drift;  // and with time, as much of it as is the same everywhere
} dbvhi_swinging;

static inline dbvhi_swinging dbvhi_swinging_of( dbvhi_vec turn, dbvhi_vec spin, dbvhi_vec shift ) {
	const double more = 1.0 + 0x1p-30, rate = dbvhi_length( turn ), own = dbvhi_length( spin ), both = rate + own;
	dbvhi_swinging s = { .turn = turn, .spin = spin, .shift = shift, .rate = rate * more, .twist = rate * more };
	if ( own > 0.0 ) {
		// Differences may be nothing but rounding.
		s.twist = dbvhi_length( dbvhi_sub( turn, spin ) ) * more + 0x1p-48 * both;
		s.wobble = dbvhi_length( dbvhi_cross( turn, spin ) ) * more + 0x1p-48 * both * both;
		s.drift = own * dbvhi_length( dbvhi_cross( spin, shift ) ) * more + 0x1p-48 * own * own * dbvhi_length( shift );
	}
	s.spread = ( s.twist * s.twist + s.wobble ) * more;
	return s;
}

// Bounds the acceleration of a point that is `arm` away from its centre, which is `way` from that of the frame, for the
// time that is `left`; but for the rounding of what is computed now.
static inline double dbvhi_bend( const dbvhi_swinging *s, dbvhi_vec arm, dbvhi_vec way, double left ) {
	DBVHI_ASSERT( left >= 0.0 );
	const dbvhi_vec relative = dbvhi_sub( s->turn, s->spin );
	const dbvhi_vec own = dbvhi_add( dbvhi_cross( relative, dbvhi_cross( relative, arm ) ),
	                                 dbvhi_cross( dbvhi_cross( s->turn, s->spin ), arm ) );
	const dbvhi_vec aside = dbvhi_sub( dbvhi_cross( s->spin, way ), dbvhi_scale( 2.0, s->shift ) );
	const dbvhi_vec now = dbvhi_add( own, dbvhi_cross( s->spin, aside ) );
	return dbvhi_length( now ) + left * ( s->spread * dbvhi_length( dbvhi_cross( s->turn, arm ) ) + s->drift );
}

// The same, seen from the other one of the two.
static inline dbvhi_swinging dbvhi_swinging_reversed( const dbvhi_swinging *s ) {
	const dbvhi_vec shift = dbvhi_scale( -1.0, s->shift );
	dbvhi_swinging other = *s;
	other.turn = s->spin;
	other.spin = s->turn;
	other.shift = shift;
	other.rate = dbvhi_length( s->spin ) * ( 1.0 + 0x1p-30 );
	other.drift = s->rate * ( dbvhi_length( dbvhi_cross( s->turn, shift ) ) * ( 1.0 + 0x1p-30 ) +
	                          0x1p-48 * s->rate * dbvhi_length( shift ) );
	return other;
}

// How a point goes on, and all that is no farther from it than a radius. In the direction n, of length 1 or less and
// fixed in the frame that it is seen from, none comes down by more than - t n . velocity + t^2 / 2 dbvhi_course_bend(),
// but for what velocities differ by, in the time that is left.
//
// A component of the acceleration that changes by c in a unit of time moves a point by c t^3 / 6: as much as a third of
// c t would if it were there at once. The acceleration changes by what is bounded in dbvhi_bend(), and with the frame,
// which turns it. Where both turn about parallel axes, or one alone does, all of that is perpendicular to the axis:
// along n there is no more of it than the sine of the angle between both. What slides along a plane perpendicular to
// the axis is not bent towards it at all. Where they are not quite parallel, h = turn has at most |h x k| / |k|
// perpendicular to k = spin, and so has w = h - k. So along k there is no more of w x (w x r) + (h x k) x r than ( |w|
// + |k| ) |r| times that.
typedef struct dbvhi_course {
	dbvhi_vec velocity, acceleration; // now
	double length;                    // of the acceleration
	double change;                    // of its components
	double lift;                      // as much of it as need not be perpendicular to the axis
	double swell;                     // of its length
	double rounding;                  // of the acceleration
	double doubt;                     // of the velocity, where it may cancel
} dbvhi_course;

// Of a point that is `arm` away from its centre, as in dbvhi_bend().
static inline dbvhi_course dbvhi_course_of( const dbvhi_swinging *s, dbvhi_vec arm, dbvhi_vec way, double radius,
                                            double left ) {
	DBVHI_ASSERT( radius >= 0.0 && left >= 0.0 );
	const dbvhi_vec relative = dbvhi_sub( s->turn, s->spin ), swing = dbvhi_cross( s->turn, arm );
	const dbvhi_vec aside = dbvhi_sub( dbvhi_cross( s->spin, way ), dbvhi_scale( 2.0, s->shift ) );
	const double own = dbvhi_length( s->spin ), rates = s->rate + own;
	const double swings = dbvhi_length( swing ) + s->rate * radius;
	const double far = dbvhi_length( arm ) + dbvhi_length( way ), shift = dbvhi_length( s->shift );
	const double soon = 0.34 * left, differ = s->spread * radius, change = s->spread * swings + s->drift;
	dbvhi_course c;
	c.velocity = dbvhi_sub( dbvhi_add( s->shift, swing ), dbvhi_cross( s->spin, dbvhi_add( arm, way ) ) );
	c.acceleration = dbvhi_add( dbvhi_add( dbvhi_cross( relative, dbvhi_cross( relative, arm ) ),
	                                       dbvhi_cross( dbvhi_cross( s->turn, s->spin ), arm ) ),
	                            dbvhi_cross( s->spin, aside ) );
	c.length = dbvhi_length( c.acceleration );
	c.doubt = own > 0.0 ? 0x1p-48 * ( rates * far + shift ) : 0.0;
	c.rounding = 0x1p-47 * rates * ( rates * far + shift ) + 0x1p-300;
	c.swell = differ + soon * change;
	c.change = c.swell + soon * own * ( c.length + c.rounding + differ + left * change );
	c.lift = own > 0.0 ? ( radius + soon * swings ) * ( s->wobble / own ) * ( s->twist + own ) : 0.0;
	return c;
}

// The axis of the frame that things are seen from, or if that does not turn, their own: of length 1, or any if nothing
// turns. It is that of dbvhi_course_bend(); seen from the other mesh it may be another one.
static inline dbvhi_vec dbvhi_swinging_axis( const dbvhi_swinging *s ) {
	const dbvhi_vec axis = dbvhi_dot( s->spin, s->spin ) > 0.0 ? s->spin : s->turn;
	const double length = dbvhi_length( axis );
	return length > 0.0 ? dbvhi_scale( 1.0 / length, axis ) : axis;
}

static inline double dbvhi_course_bend( const dbvhi_course *c, dbvhi_vec axis, dbvhi_vec n ) {
	const double sine = dbvhi_length( dbvhi_cross( axis, n ) ) + 0x1p-48;
	const double change = fmin( c->change, c->change * sine + c->lift ) * ( 1.0 + 0x1p-30 );
	const double bend = change - dbvhi_dot( n, c->acceleration );
	return fmin( bend, ( c->length + c->swell ) * ( 1.0 + 0x1p-30 ) ) + c->rounding;
}

// Steps of dbvh_budget, some nanoseconds each: of two triangles in motion; of sixteen pairs of packed nodes, or of
// triangles; of two nodes in doubles; of a triangle that is measured, for a body of revolution or a box; of a piece of
// time; of a point that two triangles share exactly.
#define DBVHI_TOI_STEP_WORK 100
#define DBVHI_TOI_PACKED_WORK 16
#define DBVHI_TOI_NODES_WORK 40
#define DBVHI_TOI_REVOLVED_WORK 64
#define DBVHI_TOI_TIGHT_WORK 5
#define DBVHI_TOI_PIECE_WORK 64
#define DBVHI_TOI_SHARED_WORK 512

static inline void dbvhi_toi_charge( dbvhi_toi_search *s, uint64_t work ) {
	s->work += work;
	s->is_over =
	    !dbvhi_meter_charge( &s->meter, work + dbvhi_meter_long_steps( &s->meter ) ) || s->work > s->work_limit;
}

// Compares triangle i of the fixed mesh with j of the moved one, both in leaf order, from time `begin` to `end`. Where
// the search is over first, nothing is known of them.
void dbvhi_toi_triangles( dbvhi_toi_search *search, uint32_t i, uint32_t j, double begin, double end );

// A node with its box as tight as doubles have it; see bvh/any_node.h for its number and its place. False where the
// search is over first.
bool dbvhi_toi_node( dbvhi_toi_search *search, const dbvh_tree *tree, uint32_t node, dbvhi_node *out );

// The traversal of two trees in doubles, from a time on. `stack` has room for DBVHI_TOI_STACK. False if it is over
// before its end; until search->certified nothing intersects then, or not before the cutoff.
bool dbvhi_toi_doubles( dbvhi_toi_search *search, double begin, dbvhi_toi_entry *stack );

// The same of two packed trees.
bool dbvhi_toi_packed( dbvhi_toi_search *search, dbvh_workspace *workspace );

// Do the bodies miss each other that the meshes sweep when they turn all the way round? Nothing intersects from that
// time on, then. False also where it is over first.
bool dbvhi_toi_revolved( dbvhi_toi_search *search, double begin );

// May that be worth a try, by a few of their triangles?
bool dbvhi_toi_revolved_promises( dbvhi_toi_search *search, double begin );

// Pairs of nodes that are put aside: of one piece of time, and pieces within pieces.
#define DBVHI_TOI_WAITING 256
#define DBVHI_TOI_PIECES 20
// The pairs of one piece, then at most sixteen a level of both trees, and a vector's width.
#define DBVHI_TOI_PACKED_STACK( depth_a, depth_b ) ( DBVHI_TOI_WAITING + 16 * ( ( depth_a ) + ( depth_b ) + 2 ) + 64 )

// Of what two trees need depth first (dbvhi_any_room()).
#define DBVHI_TOI_STACK( room_a, room_b ) ( ( room_a ) + ( room_b ) + DBVHI_TOI_SPLITS + 2 )

// What it keeps in a workspace.
typedef struct dbvhi_toi_memory {
	dbvhi_toi_entry *stack;
	size_t stack_capacity;
	int32_t *packed_stack; // of the packed form: three arrays and one of floats, and three of pairs that wait
	size_t packed_capacity;
} dbvhi_toi_memory;

// Never NULL after dbvhi_workspace_require_toi().
dbvhi_toi_memory *dbvhi_toi_memory_of( dbvh_workspace *workspace );

// Room for a search of these two trees.
dbvh_status dbvhi_workspace_require_toi( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b );

// Triangle i of the fixed mesh and j of the moved one as a query at a time t has them. False where it has no relative
// pose. `meshes` and `image` have to live as long as *out.
bool dbvhi_toi_pair_at( const dbvhi_toi_search *search, uint32_t i, uint32_t j, double t, dbvhi_mesh_pair *meshes,
                        dbvhi_pair_room *room, dbvhi_posed_pair *out );
