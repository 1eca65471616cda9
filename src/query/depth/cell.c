// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Cells of the common space, in which only local maxima of the distance d from the boundary of Y count.
//
// No local maximum. Let c be the middle of a cell, R its radius, b a bound of d in it. What is nearest to a point p of
// the cell is within d(p) of p, and so within the lesser of b + R and d(c) + 2 R of c. Let p be inside Y, and x nearest
// to it. No point of the outside is nearer, so p - x is a normal of the outside at x, and such normals are means of the
// inward normals of the triangles at x. If some direction u has a positive product with the inward normals of all
// triangles of the boundary that near to c, then with p - x, too, and d grows along u at p. Or, more simply: if all
// boundary points that near are on one side of the cell, d grows away from them.

#include "query/depth/local.h"

#include <math.h>
#include <string.h>

enum { MOST_AROUND = 64 };

typedef struct around {
	dbvhi_visitor visitor; // note: must be the first member; visit_around() casts from it
	const dbvhi_solid *solid;
	dbvhi_boundary *boundary;
	const double *middle;
	double radius;  // radius of the ball in which triangles matter
	double way[3];  // a unit vector
	double most;    // at least the greatest way . ( x - middle ) of a point x of them
	double allowed; // for the simple case `most` must be below this
	uint32_t leaf[MOST_AROUND];
	double normal[MOST_AROUND][3]; // normals of length 1
	int count;
	int side;         // side of the nearest triangle
	double inward[3]; // its inward normal
	bool has_sides;   // a common side is possible still
} around;

// A triangle whose inward normal has less than this product with that of the nearest triangle ends the search for a
// common side early: such cells hardly ever have one.
#define OPPOSITE -0.5

// The unit normal of a triangle, along its orientation. False if it is so thin that it has none.
static bool normal_of_triangle( const double c[9], double n[3] ) {
	double ab[3], ac[3];
	for ( int k = 0; k < 3; ++k ) {
		ab[k] = c[3 + k] - c[k];
		ac[k] = c[6 + k] - c[k];
	}
	dbvhi_cross3( ab, ac, n );
	const double length = dbvhi_length3( n );
	const bool is_thin = !( length > 0x1p-20 * dbvhi_length3( ab ) * dbvhi_length3( ac ) );
	for ( int k = 0; k < 3; ++k )
		n[k] /= is_thin ? 1.0 : length;
	return !is_thin;
}

// Learn how far a triangle reaches along `way` within the ball, where its plane is a disc.
static void add_extent( around *a, const double c[9], const double n[3], bool is_thin ) {
	double corner = -INFINITY, height = 0.0;
	for ( int i = 0; i < 3; ++i ) {
		double to[3];
		for ( int k = 0; k < 3; ++k )
			to[k] = c[3 * i + k] - a->middle[k];
		corner = fmax( corner, dbvhi_dot3( a->way, to ) );
		height = dbvhi_dot3( n, to );
	}
	if ( !is_thin ) {
		const double along = dbvhi_dot3( n, a->way ),
		             disc = sqrt( fmax( a->radius * a->radius - height * height, 0.0 ) );
		corner = fmin( corner, height * along + disc * sqrt( fmax( 1.0 - along * along, 0.0 ) ) );
	}
	a->most = fmax( a->most, corner );
}

static double visit_around( dbvhi_visitor *visitor, uint32_t leaf ) {
	around *a = (around *)visitor;
	double c[9], n[3];
	dbvhi_solid_image( a->solid, leaf, c );
	visitor->counters.triangle_tests += 1;
	if ( dbvhi_point_filter( c, a->middle, a->solid->placed.error ).low > a->radius )
		return visitor->reach;
	const bool is_thin = !normal_of_triangle( c, n );
	add_extent( a, c, n, is_thin );
	// note: sides that are not known yet are looked for later, since the workspace is in use. That it is the same as
	// that of the nearest triangle is but a guess, which may end the search too early.
	const int known = dbvhi_boundary_known( a->boundary, leaf ), side = known != 0 ? known : a->side;
	a->has_sides = a->has_sides && a->count < MOST_AROUND && !is_thin && side * dbvhi_dot3( n, a->inward ) >= OPPOSITE;
	if ( !a->has_sides )
		return a->most < a->allowed ? visitor->reach : -1.0;
	a->leaf[a->count] = leaf;
	memcpy( a->normal[a->count], n, sizeof n );
	a->count += 1;
	return visitor->reach;
}

// True if the inward normals of all triangles have a positive product with some direction: their mean or, if not that,
// the mean turned towards the normal that is farthest from it, some times (the perceptron).
enum { MOST_TURNS = 16 };

static bool have_common_side( const around *a, double way[3] ) {
	for ( int turn = 0; turn <= MOST_TURNS && dbvhi_normalise3( way ); ++turn ) {
		int farthest = 0;
		double least = INFINITY;
		for ( int i = 0; i < a->count; ++i ) {
			const double product = dbvhi_dot3( way, a->normal[i] );
			farthest = product < least ? i : farthest;
			least = product < least ? product : least;
		}
		if ( least > 2.0 * DBVHI_LEAST_PRODUCT )
			return true;
		for ( int k = 0; k < 3; ++k )
			way[k] += a->normal[farthest][k];
	}
	return false;
}

static bool has_common_side( around *a ) {
	double mean[3] = { 0.0, 0.0, 0.0 };
	for ( int i = 0; i < a->count; ++i ) {
		const int side = dbvhi_boundary_side( a->boundary, a->leaf[i] );
		if ( side == 0 || side * dbvhi_dot3( a->normal[i], a->inward ) < OPPOSITE )
			return false;
		for ( int k = 0; k < 3; ++k ) {
			a->normal[i][k] *= side;
			mean[k] += a->normal[i][k];
		}
	}
	return a->count > 0 && have_common_side( a, mean );
}

bool dbvhi_cell_has_no_maximum( dbvhi_item_search *s, const dbvhi_item *it, const double middle[3], double radius,
                                const dbvhi_near *near ) {
	if ( near->leaf == UINT32_MAX || dbvhi_boundary_side( &s->boundary, near->leaf ) == 0 )
		return false;
	const double most = fmin( near->high + radius, it->bound );
	const double reach = ( most + radius ) * ( 1.0 + 0x1p-20 ) + s->pair->slack;
	around a;
	a.solid = s->y;
	a.boundary = &s->boundary;
	a.middle = middle;
	a.radius = reach;
	a.most = -INFINITY;
	a.allowed = -radius - s->pair->slack - 0x1p-16 * reach;
	a.count = 0;
	a.side = dbvhi_boundary_side( &s->boundary, near->leaf );
	double c[9];
	dbvhi_solid_image( s->y, near->leaf, c );
	a.has_sides = normal_of_triangle( c, a.inward );
	for ( int k = 0; k < 3; ++k )
		a.inward[k] *= a.side;
	dbvhi_solid_foot( s->y, near->leaf, middle, a.way );
	for ( int k = 0; k < 3; ++k )
		a.way[k] = middle[k] - a.way[k];
	const double length = dbvhi_length3( a.way );
	for ( int k = 0; k < 3; ++k )
		a.way[k] = length > 0.0 ? a.way[k] / length : 0.0;
	if ( s->boundary.cones != NULL ) {
		const dbvhi_cones_answer answer =
		    dbvhi_cones_ask( s->y, s->boundary.cones, middle, reach, length > 0.0 ? a.way : a.inward );
		if ( answer != DBVHI_CONES_DO_NOT )
			return answer == DBVHI_CONES_FACE_ONE_WAY;
	}
	// note: a pose may stretch lengths by half its deviation.
	dbvhi_visitor_init( &a.visitor, visit_around, reach * ( 1.0 + 2.0 * s->y->placed.deviation ), s->pair->meter );
	double error;
	const dbvhi_vec local = dbvhi_placed_point( &s->y->placed, middle, &error );
	dbvhi_walk_point( s->y->placed.tree, local, error, s->y->workspace, &a.visitor );
	dbvhi_work_charge( &a.visitor.work, a.visitor.counters.box_tests / 4, &a.visitor.counters );
	return !a.visitor.is_cut_short && ( a.most < a.allowed || ( a.has_sides && has_common_side( &a ) ) );
}

// ------------------------------------------------------------------------------------------------

// Learn of the middle of a cell. Where it is deeper than all before, climb from there to a local maximum: away from the
// nearest point, in steps that become shorter.
void dbvhi_cell_learn( dbvhi_item_search *s, const double middle[3], double radius, const dbvhi_near *near ) {
	double p[3] = { middle[0], middle[1], middle[2] }, step = radius;
	dbvhi_near here = *near;
	if ( !( here.low > s->best ) || !dbvhi_search_learn( s, p ) )
		return;
	for ( int i = 0; i < 12 && here.leaf != UINT32_MAX; ++i ) {
		double foot[3], next[3];
		dbvhi_solid_foot( s->y, here.leaf, p, foot );
		for ( int k = 0; k < 3; ++k )
			foot[k] = p[k] - foot[k];
		const double length = dbvhi_length3( foot );
		if ( !( length > 0.0 ) )
			return;
		for ( int k = 0; k < 3; ++k )
			next[k] = p[k] + step / length * foot[k];
		const dbvhi_near there = dbvhi_solid_near( s->y, next, here.leaf, INFINITY );
		if ( there.low > here.low && dbvhi_search_learn( s, next ) ) {
			memcpy( p, next, sizeof p );
			here = there;
		} else {
			step *= 0.5;
		}
	}
}

// note: no point of a cell that no surface meets is on another side of one than its middle.
bool dbvhi_cell_is_outside( const dbvhi_item_search *s, const double middle[3], double radius,
                            const dbvhi_near *near ) {
	const dbvhi_near own = dbvhi_solid_near( s->x, middle, UINT32_MAX, 2.0 * radius );
	if ( !( own.low > radius ) )
		return false;
	if ( !dbvhi_solid_holds( s->x, middle, &own ) )
		return true;
	return s->region != NULL && near->low > radius &&
	       dbvhi_region_place( s->region, middle, fmin( near->low, own.low ) ) < 0;
}

// The corners of a cell are numbered by bits; its halves share the middles of its longest edges.
void dbvhi_cell_divide( dbvhi_item_search *s, const dbvhi_item *it ) {
	int longest = 0;
	double lengths[3];
	for ( int axis = 0; axis < 3; ++axis ) {
		double along[3];
		for ( int k = 0; k < 3; ++k )
			along[k] = it->corner[1 << axis][k] - it->corner[0][k];
		lengths[axis] = dbvhi_length3( along );
		longest = lengths[axis] > lengths[longest] ? axis : longest;
	}
	for ( int half = 0; half < 2; ++half ) {
		dbvhi_item part = *it;
		for ( int i = 0; i < 8; ++i ) {
			const int other = i ^ 1 << longest;
			for ( int k = 0; k < 3 && ( i >> longest & 1 ) != half; ++k )
				part.corner[i][k] = 0.5 * ( it->corner[i][k] + it->corner[other][k] );
		}
		dbvhi_search_look( s, &part );
	}
}
