// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Bodies of revolution: the volumes that the meshes sweep in a whole turn about a common axis. If these are disjoint,
// so are the meshes at any time. A shaft in its bore, a ball in its socket and a plate that turns on another are
// decided so, however little play they have and however many triangles, where bounds in space and time take as many
// steps as there are pairs of triangles that pass each other.
//
// A turn does not change the height of a point along the axis, its distance from the axis, nor its distance from a
// point of the axis. So a triangle keeps within a box of these numbers, and two triangles whose boxes are disjoint
// never intersect. The moved mesh is measured about the axis of its turn; the fixed mesh about its own, or about that
// of the moved one if it is at rest. If the two axes are a small distance apart and at a small angle, and while the
// moved one is shifted along them or aside, the numbers differ by no more than that distance and that angle times the
// size.
//
// Boxes of nodes would be too wide, so runs of triangles in leaf order, which lie near each other, are measured as they
// are met: pairs of runs whose boxes are not disjoint are divided.

#include "base/assert.h"
#include "exact/tri_tri.h"
#include "query/toi/toi.h"

#include <math.h>
#include <string.h>

// The most divisions of runs, one within the other. Pairs that need more are left to the other searches.
#define MOST_LEVELS 20

// Points of the axis that distances are measured from: in the middle of each mesh, and the centre of the turn.
enum { POINTS = 3, NUMBERS = 2 + POINTS };

typedef struct body {
	const dbvh_tree *tree;
	dbvh_pose pose;
	dbvhi_vec centre; // point of the axis at the height 0
	double lift[2];   // least and largest shift along the axis
} body;

typedef struct revolved {
	dbvhi_toi_search *search;
	dbvhi_vec axis;
	double point[POINTS]; // heights of the points of the axis
	double doubt;         // bounds the error of a number: rounding, and the difference of the axes
	body fixed, moved;
} revolved;

typedef struct box {
	double low[NUMBERS], high[NUMBERS];
} box;

// A lower bound of the distance of the origin from a triangle, exact but for rounding. The distance along any direction
// is a lower bound, and along that of the nearest point, on an edge or inside the face, it is the distance itself.
static double nearest( const dbvhi_vec p[3] ) {
	double least = 0.0;
	for ( int c = 0; c < 4; ++c ) {
		const dbvhi_vec from = p[c % 3], edge = dbvhi_sub( p[( c + 1 ) % 3], from );
		dbvhi_vec n;
		if ( c < 3 ) {
			const double square = dbvhi_dot( edge, edge ), along = -dbvhi_dot( from, edge );
			const double at = square > 0.0 ? fmin( fmax( along / square, 0.0 ), 1.0 ) : 0.0;
			n = dbvhi_add( from, dbvhi_scale( at, edge ) );
		} else {
			n = dbvhi_cross( edge, dbvhi_sub( p[2], from ) );
		}
		const double length = dbvhi_length( n );
		if ( !( length > 0x1p-400 ) )
			continue;
		n = dbvhi_scale( 1.0 / length, n );
		const double x = dbvhi_dot( n, p[0] ), y = dbvhi_dot( n, p[1] ), z = dbvhi_dot( n, p[2] );
		least = fmax( least, fmax( fmin( fmin( x, y ), z ), -fmax( fmax( x, y ), z ) ) );
	}
	return least;
}

static void widen( box *b, int number, double low, double high ) {
	DBVHI_ASSERT( (unsigned)number < NUMBERS );
	b->low[number] = fmin( b->low[number], low );
	b->high[number] = fmax( b->high[number], high );
}

static void add_triangle( const revolved *r, const body *m, uint32_t triangle, box *out ) {
	double scaled[9], placed[9], room[9];
	const double *corners = dbvhi_tree_triangle( m->tree, triangle, room );
	for ( int k = 0; k < 9; ++k )
		scaled[k] = r->search->scale * corners[k];
	dbvhi_triangle_move( &m->pose, scaled, placed );
	dbvhi_vec arm[3], across[3];
	double height[3], outermost = 0.0;
	for ( int c = 0; c < 3; ++c ) {
		arm[c] = dbvhi_sub( dbvhi_vec_of( placed + 3 * c ), m->centre );
		height[c] = dbvhi_dot( r->axis, arm[c] );
		across[c] = dbvhi_sub( arm[c], dbvhi_scale( height[c], r->axis ) );
		outermost = fmax( outermost, dbvhi_length( across[c] ) );
		widen( out, 0, height[c] + m->lift[0], height[c] + m->lift[1] );
	}
	widen( out, 1, nearest( across ), outermost );
	for ( int p = 0; p < POINTS; ++p ) {
		double farthest = 0.0;
		for ( int c = 0; c < 3; ++c ) {
			arm[c] = dbvhi_add( across[c], dbvhi_scale( height[c] - r->point[p], r->axis ) );
			farthest = fmax( farthest, dbvhi_length( arm[c] ) );
		}
		// The shift along the axis changes the distance from the point by at most its length.
		const double way = fmax( -m->lift[0], m->lift[1] );
		widen( out, 2 + p, nearest( arm ) - way, farthest + way );
	}
}

// A run of triangles in leaf order.
typedef struct run {
	uint32_t low, count;
} run;

static run all_of( const dbvh_tree *tree ) {
	return ( run ){ 0, (uint32_t)tree->triangle_count };
}

// The box of a run; of every `step`th of its triangles.
static void measure_run( const revolved *r, const body *m, run of, uint32_t step, box *out ) {
	DBVHI_ASSERT( step >= 1 );
	for ( int k = 0; k < NUMBERS; ++k ) {
		out->low[k] = INFINITY;
		out->high[k] = -INFINITY;
	}
	for ( uint32_t i = of.low; i < of.low + of.count && !r->search->is_over; i += step ) {
		add_triangle( r, m, i, out );
		dbvhi_toi_charge( r->search, DBVHI_TOI_REVOLVED_WORK );
	}
}

static bool are_apart( const revolved *r, const box *a, const box *b ) {
	for ( int k = 0; k < NUMBERS; ++k ) {
		if ( a->low[k] > b->high[k] + r->doubt || b->low[k] > a->high[k] + r->doubt )
			return true;
	}
	return false;
}

// True if no triangle of one run ever intersects one of the other; false if that is not known.
static bool miss( const revolved *r, run a, const box *box_a, run b, const box *box_b, int level ) {
	DBVHI_ASSERT( level >= 0 && a.count > 0 && b.count > 0 );
	if ( are_apart( r, box_a, box_b ) )
		return !r->search->is_over;
	if ( r->search->is_over || ( a.count == 1 && b.count == 1 ) || level == MOST_LEVELS )
		return false;
	const bool divides_a = a.count > b.count;
	const run whole = divides_a ? a : b;
	for ( uint32_t k = 0; k < 2; ++k ) {
		const uint32_t first = whole.count / 2;
		const run half = k == 0 ? ( run ){ whole.low, first } : ( run ){ whole.low + first, whole.count - first };
		box smaller;
		measure_run( r, divides_a ? &r->fixed : &r->moved, half, 1, &smaller );
		if ( !( divides_a ? miss( r, half, &smaller, b, box_b, level + 1 )
		                  : miss( r, a, box_a, half, &smaller, level + 1 ) ) )
			return false;
	}
	return true;
}

// The height of the middle of a mesh along the axis.
static double height_of( const revolved *r, const body *m ) {
	const dbvhi_vec x = dbvhi_scale( r->search->scale, dbvhi_tree_root( m->tree )->sphere_outside );
	double height = 0.0;
	for ( int i = 0; i < 3; ++i ) {
		double at = m->pose.pos[i] - m->centre.v[i];
		for ( int j = 0; j < 3; ++j )
			at += m->pose.rot[i][j] * x.v[j];
		height += r->axis.v[i] * at;
	}
	return height;
}

// False if nothing turns, or not about one axis.
static bool init_revolved( dbvhi_toi_search *s, double begin, revolved *out ) {
	const dbvh_motion *moved = &s->motion, *fixed = &s->fixed_motion;
	if ( moved->angle == 0.0 )
		return false;
	revolved r = { .search = s, .axis = dbvhi_vec_of( moved->axis ) };
	const bool both = fixed->angle != 0.0;
	const dbvhi_vec shift = dbvhi_vec_of( moved->shift ), centre = dbvhi_vec_of( moved->centre );
	// The offset of the moved axis from the fixed one, at both ends of the time.
	double aside = 0.0, tilt = 0.0;
	const dbvhi_vec pivot = both ? dbvhi_vec_of( fixed->centre ) : centre;
	for ( int k = 0; k < 2; ++k ) {
		const double t = k == 0 ? begin : 1.0;
		const dbvhi_vec way = dbvhi_add( dbvhi_sub( centre, pivot ), dbvhi_scale( t, shift ) );
		const double along = dbvhi_dot( r.axis, way );
		r.moved.lift[k] = along;
		aside = fmax( aside, dbvhi_length( dbvhi_sub( way, dbvhi_scale( along, r.axis ) ) ) );
	}
	if ( r.moved.lift[0] > r.moved.lift[1] ) {
		const double keep = r.moved.lift[0];
		r.moved.lift[0] = r.moved.lift[1];
		r.moved.lift[1] = keep;
	}
	if ( both )
		tilt = dbvhi_length( dbvhi_cross( r.axis, dbvhi_vec_of( fixed->axis ) ) );
	// note: a turn about an axis tilted by a small angle moves points by up to 2 tilt times their arm. Rounding here is
	// that of a placed corner, api.c.
	r.doubt = 2.0 * s->error + ( aside + 2.1 * tilt * s->size ) * ( 1.0 + 0x1p-30 );
	if ( !( r.doubt < 0x1p-4 * s->size ) )
		return false;
	r.fixed.tree = s->fixed;
	r.fixed.pose = fixed->from;
	r.fixed.centre = pivot;
	r.moved.tree = s->moved;
	r.moved.pose = moved->from;
	r.moved.centre = centre;
	r.point[0] = 0.0;
	r.point[1] = height_of( &r, &r.fixed );
	r.point[2] = height_of( &r, &r.moved );
	*out = r;
	return true;
}

// The number of triangles of each mesh for a guess.
#define SAMPLE 24

bool dbvhi_toi_revolved_promises( dbvhi_toi_search *s, double begin ) {
	revolved r;
	if ( !init_revolved( s, begin, &r ) )
		return false;
	box a, b;
	const run fixed = all_of( s->fixed ), moved = all_of( s->moved );
	measure_run( &r, &r.fixed, fixed, 1 + fixed.count / SAMPLE, &a );
	measure_run( &r, &r.moved, moved, 1 + moved.count / SAMPLE, &b );
	return are_apart( &r, &a, &b );
}

bool dbvhi_toi_revolved( dbvhi_toi_search *s, double begin ) {
	revolved r;
	if ( !init_revolved( s, begin, &r ) )
		return false;
	box a, b;
	const run fixed = all_of( s->fixed ), moved = all_of( s->moved );
	measure_run( &r, &r.fixed, fixed, 1, &a );
	measure_run( &r, &r.moved, moved, 1, &b );
	return miss( &r, fixed, &a, moved, &b, 0 );
}
