// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// One search for the first contact: the motions, the cost so far and the result so far. A traversal (packed.c,
// doubles.c) discards pairs of nodes that certainly do not intersect before `cutoff`, and hands the pairs of triangles
// that are left to dbvhi_toi_triangles(), which updates the result and the cutoff.

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

// A pair of nodes on the stack: the pose of b's box in the frame of a's box at time `begin`, and the motion from there.
// The frame goes with a. Points of b turn about `centre` with the angular velocity `turn` while the centre moves by
// `shift` in a unit of time, and a itself turns about `pivot` with `spin`; so a point x of b has, in this frame, the
// velocity shift + turn x (x - centre) - spin x (x - pivot). If neither mesh turns, only `shift` is set; if b alone
// turns, `spin` and `pivot` are 0. Lengths are scaled.
typedef struct dbvhi_toi_entry {
	dbvhi_mat rot;
	dbvhi_vec pos;
	dbvhi_vec shift, turn, centre;
	dbvhi_vec spin, pivot;
	double begin, end;
	double bound; // no contact before this time
	uint32_t a, b;
	uint32_t splits, steps;    // divisions in time; steps in time or down a tree, for the rounding margin
	dbvhi_node node_a, node_b; // from dbvhi_toi_node()
} dbvhi_toi_entry;

// A cache of nodes from dbvhi_toi_node(): an entry has the last one of those that share it.
#define DBVHI_TOI_KEPT 64

typedef struct dbvhi_toi_kept {
	dbvhi_node tight;
	uint32_t round; // number of the search in which the entry is valid
	uint32_t node;  // 0: none
} dbvhi_toi_kept;

typedef struct dbvhi_toi_search {
	const dbvh_tree *fixed, *moved;
	bool a_moves;                           // the caller's A is the moved mesh
	const dbvh_motion *motion_a, *motion_b; // the caller's, for the exact decision; NULL: at rest
	// The following are in a frame that moves with the shift of `fixed`, lengths multiplied by `scale`. Axes have
	// length 1.
	double scale;             // a power of two
	dbvh_motion fixed_motion; // turns only if both meshes turn; the shift is 0
	dbvh_motion motion;       // motion of the moved mesh relative to the shift of the fixed one
	double deviation;         // sum of how far the matrices of both poses are from rotations
	double size;              // bounds every coordinate and every displacement
	double error;             // rounding of a corner, here and in a query; derived in api.c
	double tolerance;
	double begin; // start of the search: earlier times are not examined
	// Cost, in the steps of dbvh_budget.
	dbvhi_purse purse;
	dbvhi_meter meter;
	uint64_t work, work_limit; // steps so far; limit of a trial that may be given up (UINT64_MAX: no limit)
	bool is_over;              // the budget or the work limit has been spent
	bool guesses;              // boxes are measured by samples of their triangles, so the outcome proves nothing
	double certified;          // time before which nothing intersects, when the search was over early
	dbvhi_toi_kept ( *kept )[2][DBVHI_TOI_KEPT]; // [of the moved tree][is guessed]
	uint32_t round;                              // number of the search
	// Result so far.
	double cutoff; // pairs that do not intersect before this time are discarded
	double time;   // the least time of a pair that could not be advanced any further; INFINITY: none
	double upper;  // a time at which some pair intersects; INFINITY: none is known
	double distance;
	bool met_there;                          // the pair below intersects at `time` itself
	uint32_t fixed_triangle, moved_triangle; // in leaf order
	double point_fixed[3], point_moved[3], normal[3];
	dbvh_counters counters;
} dbvhi_toi_search;

// Check a motion. NULL is valid: at rest. *deviation_out is how far the matrix of its pose is from a rotation.
dbvh_status dbvhi_motion_check( const dbvh_motion *motion, double *deviation_out );

dbvh_status dbvhi_check_toi_query( const dbvh_toi_query *query, dbvh_error *error );

// Put into `error` what is wrong with a motion, if that is why a call was refused with `status`. Returns `status`.
dbvh_status dbvhi_blame_motion( dbvh_status status, const dbvh_motion *motion, const char *name, dbvh_error *error );

// dbvh_time_of_impact() within `budget` instead of the query's, for arguments that have been checked: trees and a
// workspace that are not NULL, a valid query. `result` must be all zero.
dbvh_status dbvhi_time_of_impact( const dbvh_tree *a, const dbvh_motion *motion_a, const dbvh_tree *b,
                                  const dbvh_motion *motion_b, const dbvh_toi_query *query, const dbvh_budget *budget,
                                  dbvh_workspace *workspace, dbvh_toi_result *result );

// The axis divided by its length. False if its length is 0 or not finite.
bool dbvhi_motion_axis( const dbvh_motion *motion, double axis_out[3] );

// A pose whose matrix is a rotation, from one whose matrix deviates a little from a rotation. Entries change by at most
// twice that deviation; the position stays.
dbvh_pose dbvhi_pose_straightened( const dbvh_pose *bent );

// A lower bound of the time until a gap closes whose two sides approach each other with a speed of at most `speed` now
// and an acceleration of at most `bend`: INFINITY if a negative acceleration turns them back before. NaN gives 0.
static inline double dbvhi_closing_time( double gap, double speed, double bend ) {
	double time = INFINITY;
	if ( bend > 0.0 ) {
		const double root = sqrt( speed * speed + 2.0 * bend * gap );
		time = speed > 0.0 ? 2.0 * gap / ( speed + root ) : ( root - speed ) / bend;
	} else if ( !( speed <= 0.0 ) ) {
		// Rounding of the discriminant is added to it: it is about 0 if the sides turn back just as they touch.
		const double square = speed * speed, under = square + 2.0 * bend * gap + 0x1p-48 * square;
		time = under < 0.0 ? INFINITY : 2.0 * gap / ( speed + sqrt( under ) );
	}
	return time > 0.0 && gap > 0.0 ? time * ( 1.0 - 0x1p-30 ) : 0.0;
}

// The motion of a mesh that turns with the angular velocity `turn` while its centre moves with `shift`, seen from a
// frame that turns with `spin`. doubles.c has the formulas. Angles and lengths are those of a unit of time.
typedef struct dbvhi_swinging {
	dbvhi_vec turn, spin, shift;
	double rate;   // bounds |turn|
	double twist;  // bounds |turn - spin|
	double wobble; // bounds |turn x spin|
	double spread; // bounds the change of the acceleration from point to point, for each unit of length
	double drift;  // bounds the part of its change with time that is the same for all points
} dbvhi_swinging;

static inline dbvhi_swinging dbvhi_swinging_of( dbvhi_vec turn, dbvhi_vec spin, dbvhi_vec shift ) {
	const double more = 1.0 + 0x1p-30, rate = dbvhi_length( turn ), own = dbvhi_length( spin ), both = rate + own;
	dbvhi_swinging s = { .turn = turn, .spin = spin, .shift = shift, .rate = rate * more, .twist = rate * more };
	if ( own > 0.0 ) {
		// Cancellation: the differences and products may be nothing but rounding.
		s.twist = dbvhi_length( dbvhi_sub( turn, spin ) ) * more + 0x1p-48 * both;
		s.wobble = dbvhi_length( dbvhi_cross( turn, spin ) ) * more + 0x1p-48 * both * both;
		s.drift = own * dbvhi_length( dbvhi_cross( spin, shift ) ) * more + 0x1p-48 * own * own * dbvhi_length( shift );
	}
	s.spread = ( s.twist * s.twist + s.wobble ) * more;
	return s;
}

// Bound the acceleration, during the time `left`, of a point at the offset `arm` from its centre, which is at the
// offset `way` from the centre of the frame. The rounding of the acceleration computed here is left to the caller.
static inline double dbvhi_bend( const dbvhi_swinging *s, dbvhi_vec arm, dbvhi_vec way, double left ) {
	DBVHI_ASSERT( left >= 0.0 );
	const dbvhi_vec relative = dbvhi_sub( s->turn, s->spin );
	const dbvhi_vec own = dbvhi_add( dbvhi_cross( relative, dbvhi_cross( relative, arm ) ),
	                                 dbvhi_cross( dbvhi_cross( s->turn, s->spin ), arm ) );
	const dbvhi_vec aside = dbvhi_sub( dbvhi_cross( s->spin, way ), dbvhi_scale( 2.0, s->shift ) );
	const dbvhi_vec now = dbvhi_add( own, dbvhi_cross( s->spin, aside ) );
	return dbvhi_length( now ) + left * ( s->spread * dbvhi_length( dbvhi_cross( s->turn, arm ) ) + s->drift );
}

// The same relative motion, seen from the frame of the other mesh.
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

// The motion of a ball of points, by its middle, for a limited time. Let n be a direction of length 1 or less, fixed in
// the frame of the observer. In a time t the middle goes down along n by at most
//     -t n . velocity + t^2 / 2 dbvhi_course_bend();
// the acceleration is bounded for all points of the ball, the velocity holds for its middle.
//
// A component of the acceleration that changes by c in a unit of time moves a point by c t^3 / 6: as much as a third of
// c t would if it were there at once. The acceleration changes by the bound of dbvhi_bend(), and because the frame
// turns. If both meshes turn about parallel axes, or one alone turns, all of this is perpendicular to the axis, so its
// component along n is at most the sine of the angle between n and the axis: a mesh that slides along a plane
// perpendicular to the axis is not bent towards that plane at all. If the axes are not quite parallel, the part of
// h = turn perpendicular to k = spin is at most |h x k| / |k|, and so is that of w = h - k. So the component along k of
// w x (w x r) + (h x k) x r is at most ( |w| + |k| ) |r| times that quotient.
typedef struct dbvhi_course {
	dbvhi_vec velocity, acceleration; // at the beginning
	double length;                    // |acceleration|
	double change;                    // bounds the change of a component of the acceleration
	double lift;                      // the part of that change that need not be perpendicular to the axis
	double swell;                     // bounds the change of |acceleration|
	double rounding;                  // bounds the rounding error of the acceleration
	double doubt;                     // bounds the rounding error of the velocity, which may cancel
} dbvhi_course;

// Compute the course of a ball of that radius during the time `left`; `arm` and `way` are those of dbvhi_bend().
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

// The axis for dbvhi_course_bend(), of length 1: that of the observer's turn or, if the observer does not turn, that of
// the moving mesh; any vector if nothing turns. The reversed motion may have another one.
static inline dbvhi_vec dbvhi_swinging_axis( const dbvhi_swinging *s ) {
	const dbvhi_vec axis = dbvhi_dot( s->spin, s->spin ) > 0.0 ? s->spin : s->turn;
	const double length = dbvhi_length( axis );
	return length > 0.0 ? dbvhi_scale( 1.0 / length, axis ) : axis;
}

// Bound the acceleration against n, for all points of a course and all of its time. `axis` is that of
// dbvhi_swinging_axis().
static inline double dbvhi_course_bend( const dbvhi_course *c, dbvhi_vec axis, dbvhi_vec n ) {
	const double sine = dbvhi_length( dbvhi_cross( axis, n ) ) + 0x1p-48;
	const double change = fmin( c->change, c->change * sine + c->lift ) * ( 1.0 + 0x1p-30 );
	const double bend = change - dbvhi_dot( n, c->acceleration );
	return fmin( bend, ( c->length + c->swell ) * ( 1.0 + 0x1p-30 ) ) + c->rounding;
}

// Cost in steps of dbvh_budget, some nanoseconds each: one step of two triangles in motion; a vector of sixteen pairs
// of packed nodes or of triangles; two nodes in doubles; a triangle measured for a body of revolution; a triangle
// sampled, or measured, for a box; a
// piece of time; an exact point that two triangles share.
#define DBVHI_TOI_STEP_WORK 100
#define DBVHI_TOI_PACKED_WORK 16
#define DBVHI_TOI_NODES_WORK 40
#define DBVHI_TOI_REVOLVED_WORK 64
#define DBVHI_TOI_SAMPLE_WORK 10
#define DBVHI_TOI_TIGHT_WORK 5
#define DBVHI_TOI_PIECE_WORK 64
#define DBVHI_TOI_SHARED_WORK 512

static inline void dbvhi_toi_charge( dbvhi_toi_search *s, uint64_t work ) {
	s->work += work;
	s->is_over =
	    !dbvhi_meter_charge( &s->meter, work + dbvhi_meter_long_steps( &s->meter ) ) || s->work > s->work_limit;
}

// Compare triangle i of the fixed mesh with j of the moved one, both in leaf order, from time `begin` to `end`. If the
// search is over first, the pair is undecided.
void dbvhi_toi_triangles( dbvhi_toi_search *search, uint32_t i, uint32_t j, double begin, double end );

// Get a packed node, not the root, with a box that is tight in doubles; bvh/any_node.h says how nodes are numbered and
// placed. A guess of it has the same axes, but encloses only a few of the triangles. False if the search is over first.
bool dbvhi_toi_node( dbvhi_toi_search *search, const dbvh_tree *tree, uint32_t node, bool guess, dbvhi_node *out );

// The traversal of two trees in doubles, from time `begin` on. `stack` has room for DBVHI_TOI_STACK. False if the
// search is over first; then nothing intersects before search->certified or before the cutoff, whichever is earlier.
bool dbvhi_toi_doubles( dbvhi_toi_search *search, double begin, dbvhi_toi_entry *stack );

// The search of two packed trees, from search->begin on.
bool dbvhi_toi_packed( dbvhi_toi_search *search, dbvh_workspace *workspace );

// True if the bodies of revolution that the meshes sweep from time `begin` on are disjoint: then nothing intersects
// from that time on. False if they are not, if there is no common axis, or if the search is over first.
bool dbvhi_toi_revolved( dbvhi_toi_search *search, double begin );

// Guess the outcome of dbvhi_toi_revolved() from a few triangles of each mesh.
bool dbvhi_toi_revolved_promises( dbvhi_toi_search *search, double begin );

// The most pairs of nodes that one piece of time puts aside, and how many times a piece is halved for their sake.
#define DBVHI_TOI_WAITING 256
#define DBVHI_TOI_PIECES 20
// Capacity of the stack of pairs: those put aside in one piece, sixteen for each level of both trees, and a vector.
#define DBVHI_TOI_PACKED_STACK( depth_a, depth_b ) ( DBVHI_TOI_WAITING + 16 * ( ( depth_a ) + ( depth_b ) + 2 ) + 64 )

// Capacity of the stack of dbvhi_toi_doubles(); `room_a` and `room_b` are from dbvhi_any_room().
#define DBVHI_TOI_STACK( room_a, room_b ) ( ( room_a ) + ( room_b ) + DBVHI_TOI_SPLITS + 2 )

// The memory of a workspace for this query.
typedef struct dbvhi_toi_memory {
	dbvhi_toi_entry *stack;
	size_t stack_capacity;
	int32_t *packed_stack; // packed search: the stack's three arrays and its keys (floats), three of pairs put aside
	size_t packed_capacity;
	dbvhi_toi_kept kept[2][2][DBVHI_TOI_KEPT];
	uint32_t round; // number of the last search
} dbvhi_toi_memory;

// The query's memory in a workspace: never NULL after dbvhi_workspace_require_toi().
dbvhi_toi_memory *dbvhi_toi_memory_of( dbvh_workspace *workspace );

// Allocate what a search of these two trees needs.
dbvh_status dbvhi_workspace_require_toi( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b );
dbvh_status dbvhi_workspace_require_toi_sizes( dbvh_workspace *workspace, const dbvhi_tree_sizes *a,
                                               const dbvhi_tree_sizes *b );

// Load triangle i of the fixed mesh and j of the moved one exactly as a query at the poses of time t sees them. False
// if these have no relative pose. `meshes` and `room` have to live as long as *out.
bool dbvhi_toi_pair_at( const dbvhi_toi_search *search, uint32_t i, uint32_t j, double t, dbvhi_mesh_pair *meshes,
                        dbvhi_pair_room *room, dbvhi_posed_pair *out );
