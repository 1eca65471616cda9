// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "assembly/compare.h"

#include "assembly/near.h"
#include "text/hash.h"

#include <math.h>

// The width that dbvh_local_depth() gives an interval, relative to its upper end, unless a budget was spent.
#define USUAL_WIDTH 1e-3

// Poses that have been multiplied out agree to this part of the largest coordinate.
#define SAME_PART 1e-9

// ------------------------------------------------------------------------------------------------
// Kinds

// Rank kinds by how bad they are. A fit is no clash; a containment has more of one body in the other than a plain
// overlap. UNDECIDABLE is compared by itself.
static int rank_of( dbvh_clash_kind kind ) {
	static const int ranks[] = {
	    [DBVH_CLASH_KIND_FIT] = 0,  [DBVH_CLASH_KIND_CLEARANCE] = 1,   [DBVH_CLASH_KIND_TOUCH] = 2,
	    [DBVH_CLASH_KIND_HARD] = 3, [DBVH_CLASH_KIND_CONTAINMENT] = 4, [DBVH_CLASH_KIND_DUPLICATE] = 5 };
	return ranks[kind];
}

static bool one_is_undecidable( dbvh_clash_kind a, dbvh_clash_kind b ) {
	return ( a == DBVH_CLASH_KIND_UNDECIDABLE ) != ( b == DBVH_CLASH_KIND_UNDECIDABLE );
}

static bool is_worse_kind( dbvh_clash_kind now, dbvh_clash_kind then ) {
	if ( one_is_undecidable( now, then ) )
		return true; // nobody knows that it is not
	return now != DBVH_CLASH_KIND_UNDECIDABLE && rank_of( now ) > rank_of( then );
}

static bool is_better_kind( dbvh_clash_kind now, dbvh_clash_kind then ) {
	return now != DBVH_CLASH_KIND_UNDECIDABLE && then != DBVH_CLASH_KIND_UNDECIDABLE &&
	       rank_of( now ) < rank_of( then );
}

static bool is_overlap( dbvh_clash_kind kind ) {
	return kind != DBVH_CLASH_KIND_UNDECIDABLE && rank_of( kind ) >= rank_of( DBVH_CLASH_KIND_HARD );
}

// ------------------------------------------------------------------------------------------------
// Measures

// A measure of both runs, larger ones being worse.
typedef struct measured {
	bool is_known; // by both
	dbvh_interval now, then;
	double allowed; // a growth by so much is none
} measured;

static measured measure_depth( const scene_clash *c, const earlier_clash *e, double worse ) {
	if ( c->kind == DBVH_CLASH_KIND_CLEARANCE )
		return ( measured ){ e->kind == c->kind && e->has_distance,
		                     { -c->distance, -c->distance },
		                     { -e->distance, -e->distance },
		                     worse };
	return ( measured ){ c->overlap.has_depth && e->has_depth, c->overlap.depth, e->depth, worse };
}

// A move by `worse` sweeps no more than that times the largest section of the smaller body, which is less than the
// square of its box's diagonal.
static measured measure_volume( const scene_clash *c, const earlier_clash *e, double worse ) {
	const scene_overlap *o = &c->overlap;
	return ( measured ){ scene_has_volume( c ) && e->has_volume, o->volume, e->volume, worse * c->size * c->size };
}

static bool has_grown( const measured *m ) {
	return m->is_known && m->now.lower - m->then.upper > m->allowed;
}

static bool has_shrunk( const measured *m ) {
	return m->is_known && m->then.lower - m->now.upper > m->allowed;
}

// Is it no larger than it was, whatever the two intervals leave open? With usual widths w that is so of all that has
// not grown for certain: of now.lower <= then.upper + allowed follows now.upper - then.lower <= allowed / (1 - w) +
// then.upper * (1 / (1 - w) - (1 - w)), and then.upper <= then.lower / (1 - w): that is less than the limit here, which
// is a part of the lower end, so that a wide interval allows no more than a narrow one.
static bool is_no_larger( const measured *m ) {
	return m->is_known &&
	       m->now.upper - m->then.lower <= 1.01 * m->allowed + 2.01 * USUAL_WIDTH * fabs( m->then.lower );
}

// ------------------------------------------------------------------------------------------------
// Places

// A report without hashes of shapes has one of triangles and pose together.
bool scene_has_same_shape( const scene_findings *f, const earlier_body *then ) {
	if ( then->now == SCENE_NONE )
		return false;
	const scene_body *body = &f->assembly->model.bodies[then->now];
	const uint64_t shape = f->trees->fingerprints[body->mesh];
	if ( then->has_shape )
		return then->shape == shape;
	return then->has_fingerprint && then->has_pose &&
	       scene_hash_real( scene_hash_pose( shape, &then->pose ), body->sag ) == then->fingerprint;
}

static bool is_same_pose( const dbvh_pose *x, const dbvh_pose *y, double scale ) {
	for ( int i = 0; i < 3; ++i ) {
		if ( !( fabs( x->pos[i] - y->pos[i] ) <= SAME_PART * scale ) )
			return false;
		for ( int k = 0; k < 3; ++k )
			if ( !( fabs( x->rot[i][k] - y->rot[i][k] ) <= SAME_PART ) )
				return false;
	}
	return true;
}

static double largest_coordinate( const dbvh_pose *a, const dbvh_pose *b ) {
	double most = 0.0;
	for ( int k = 0; k < 3; ++k )
		most = fmax( most, fmax( fabs( a->pos[k] ), fabs( b->pos[k] ) ) );
	return most;
}

// Do the two bodies stand to each other as they did in the last run that knew them?
static bool stand_as_before( const scene_findings *f, const earlier_body *a, const earlier_body *b ) {
	if ( !a->has_pose || !b->has_pose )
		return false;
	const dbvh_pose *now_a = &f->assembly->model.bodies[a->now].pose, *now_b = &f->assembly->model.bodies[b->now].pose;
	const dbvh_pose then = scene_relative_pose( &a->pose, &b->pose ), now = scene_relative_pose( now_a, now_b );
	return is_same_pose( &then, &now,
	                     fmax( largest_coordinate( &a->pose, &b->pose ), largest_coordinate( now_a, now_b ) ) );
}

bool scene_is_same_pair( const scene_findings *f, const scene_earlier *earlier, const earlier_clash *e ) {
	const earlier_body *a = &earlier->bodies[e->a], *b = &earlier->bodies[e->b];
	return scene_has_same_shape( f, a ) && scene_has_same_shape( f, b ) && stand_as_before( f, a, b );
}

static double between( const double a[3], const double b[3] ) {
	double sum = 0.0;
	for ( int k = 0; k < 3; ++k )
		sum += ( a[k] - b[k] ) * ( a[k] - b[k] );
	return sqrt( sum );
}

// How far the clash is from where it was: in the world or, of two bodies that have kept their triangles, as far as they
// have moved against each other there. Where both have gone the same way the second is 0.
// note: a body whose vertices are in the world has the pose of the world wherever it is; only its triangles tell.
static double moved_by( const scene_findings *f, const scene_clash *c, const earlier_clash *e, bool have_same_shapes,
                        bool is_swapped ) {
	double middle[3], with_a[3], with_b[3];
	if ( !e->middle.is_known )
		return 0.0;
	for ( int k = 0; k < 3; ++k )
		middle[k] = 0.5 * c->region.min[k] + 0.5 * c->region.max[k];
	if ( !e->middle.has_frames || !have_same_shapes )
		return between( middle, e->middle.world );
	const scene_body *bodies = f->assembly->model.bodies;
	scene_out_of_frame( &bodies[is_swapped ? c->b : c->a].pose, e->middle.in_a, with_a );
	scene_out_of_frame( &bodies[is_swapped ? c->a : c->b].pose, e->middle.in_b, with_b );
	return fmin( between( middle, e->middle.world ), between( with_a, with_b ) );
}

// Is the clash where it was? Its deepest point then, or where the bodies touched or were nearest to each other, is in
// it still, or within what a clash may move: at the place itself or, of two bodies that have kept their triangles,
// where each of the two has taken it. A body that turns about the middle of the region leaves that where it is, and not
// this. note: the deepest points of both runs say nothing, since a flat overlap has many of them.
static bool is_where_it_was( const scene_findings *f, const scene_clash *c, const earlier_clash *e,
                             bool have_same_shapes, bool is_swapped, double most_moved ) {
	const double limit = most_moved + SAME_PART * c->size;
	double with_a[3], with_b[3];
	if ( !e->point.is_known )
		return false;
	if ( !e->point.has_frames || !have_same_shapes )
		return scene_is_near_clash( f, c, e->point.world, limit );
	const scene_body *bodies = f->assembly->model.bodies;
	scene_out_of_frame( &bodies[is_swapped ? c->b : c->a].pose, e->point.in_a, with_a );
	scene_out_of_frame( &bodies[is_swapped ? c->a : c->b].pose, e->point.in_b, with_b );
	return scene_is_near_clash( f, c, with_a, limit ) && scene_is_near_clash( f, c, with_b, limit );
}

// ------------------------------------------------------------------------------------------------

static scene_standing stand( const scene_clash *c, const earlier_clash *e, double moved, double most_moved,
                             const measured *depth, const measured *volume ) {
	const int severer =
	    c->kind != DBVH_CLASH_KIND_FIT && e->has_severity ? scene_severity_of( c ) - (int)e->severity : 0;
	if ( severer > 0 || is_worse_kind( c->kind, e->kind ) || has_grown( depth ) || has_grown( volume ) )
		return SCENE_WORSENED;
	if ( !( moved <= most_moved ) )
		return SCENE_MOVED;
	if ( severer < 0 || is_better_kind( c->kind, e->kind ) || has_shrunk( depth ) || has_shrunk( volume ) )
		return SCENE_IMPROVED;
	return SCENE_UNCHANGED;
}

// Do the measures of a clash that is not certainly worse say that it is not? A gap or a touch is no more than the
// overlap that it was.
static bool is_no_worse( const scene_clash *c, const earlier_clash *e, const measured *depth, const measured *volume ) {
	if ( c->kind == DBVH_CLASH_KIND_UNDECIDABLE )
		return false;
	if ( is_overlap( c->kind ) ) // one leg may be as deep as it was, and another one new
		return is_no_larger( depth ) && is_no_larger( volume );
	if ( c->kind == e->kind && c->kind == DBVH_CLASH_KIND_CLEARANCE )
		return is_no_larger( depth );
	return true;
}

scene_comparison scene_compare_clash( const scene_findings *f, const scene_earlier *earlier, const earlier_clash *e,
                                      const scene_tolerance *tolerance ) {
	const scene_clash *c = &f->clashes[e->now];
	const earlier_body *a = &earlier->bodies[e->a], *b = &earlier->bodies[e->b];
	const double worse = tolerance->worse >= 0.0 ? tolerance->worse : SCENE_WORSE_PART * c->size;
	const double most_moved = tolerance->moved >= 0.0 ? tolerance->moved : SCENE_MOVED_PART * c->size;
	const measured depth = measure_depth( c, e, worse ), volume = measure_volume( c, e, worse );
	const bool are_known = a->now != SCENE_NONE && b->now != SCENE_NONE;
	const bool have_same_shapes = scene_has_same_shape( f, a ) && scene_has_same_shape( f, b );
	// A clash whose body was matched with none was found by its place.
	const bool is_swapped = a->now == c->b || b->now == c->a;
	const double moved = are_known ? moved_by( f, c, e, have_same_shapes, is_swapped ) : 0.0;
	const bool is_volume = volume.is_known && !has_grown( &depth ) && !has_shrunk( &depth ) &&
	                       ( has_grown( &volume ) || has_shrunk( &volume ) );
	const bool is_gap = c->kind == DBVH_CLASH_KIND_CLEARANCE;
	const bool is_same_pair = have_same_shapes && stand_as_before( f, a, b );
	// note: only for an acceptance does anybody ask; the search for nearest points is saved for all others.
	const bool is_sure = e->review.accepted != NULL && is_no_worse( c, e, &depth, &volume ) && e->middle.is_known &&
	                     is_where_it_was( f, c, e, have_same_shapes, is_swapped, most_moved );
	return ( scene_comparison ){ .standing = stand( c, e, moved, most_moved, &depth, &volume ),
	                             .is_same_pair = is_same_pair,
	                             .is_sure = ( is_same_pair && e->review.unsure == NULL ) || is_sure,
	                             .has_measure = is_volume || depth.is_known,
	                             .is_volume = is_volume,
	                             .measure = is_volume ? volume.then
	                                        : is_gap  ? ( dbvh_interval ){ e->distance, e->distance }
	                                                  : depth.then,
	                             .moved = moved };
}
