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

#include "base/inline.h"
#include "query/depth/local.h"

#include <math.h>
#include <string.h>

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

// ------------------------------------------------------------------------------------------------
// Directions

// Inward normals of triangles, and a direction with which all of them have a positive product.
typedef struct facing {
	double normal[DBVHI_GAME_ROWS][3];
	int count;
	double way[3]; // a unit vector
} facing;

// True if all products with the direction are positive. It is made a unit vector.
static bool suits_all( facing *f ) {
	double least = INFINITY;
	if ( f->count == 0 || !dbvhi_normalise3( f->way ) )
		return false;
	for ( int i = 0; i < f->count; ++i )
		least = fmin( least, dbvhi_dot3( f->way, f->normal[i] ) );
	return least > 2.0 * DBVHI_LEAST_PRODUCT;
}

// Find a direction: the mean of all normals or, if not that, the best one in a cube of directions. That is a game, in
// which a row has the products of a normal with the corners of the cube. False if there is none.
static bool find_way( facing *f ) {
	for ( int k = 0; k < 3; ++k ) {
		f->way[k] = 0.0;
		for ( int i = 0; i < f->count; ++i )
			f->way[k] += f->normal[i][k];
	}
	if ( suits_all( f ) )
		return true;
	dbvhi_game g = { .rows = f->count, .columns = 8 };
	for ( int i = 0; i < f->count; ++i ) {
		for ( int j = 0; j < 8; ++j ) {
			g.row[i][j] = 0.0;
			for ( int k = 0; k < 3; ++k )
				g.row[i][j] += ( j >> k & 1 ) != 0 ? f->normal[i][k] : -f->normal[i][k];
		}
	}
	if ( f->count < 2 || !dbvhi_game_solve( &g ) )
		return false;
	for ( int k = 0; k < 3; ++k ) {
		f->way[k] = 0.0;
		for ( int j = 0; j < 8; ++j )
			f->way[k] += ( j >> k & 1 ) != 0 ? g.column_share[j] : -g.column_share[j];
	}
	return suits_all( f );
}

// Add a normal that has no positive product with the direction, and find another direction. False if there is none.
static bool turn_towards( facing *f, const double normal[3] ) {
	if ( f->count == DBVHI_GAME_ROWS || ( normal[0] == 0.0 && normal[1] == 0.0 && normal[2] == 0.0 ) )
		return false;
	memcpy( f->normal[f->count++], normal, sizeof f->normal[0] );
	return find_way( f );
}

// ------------------------------------------------------------------------------------------------
// Triangles around a cell

enum { MOST_UNKNOWN = 64 };

typedef struct around {
	dbvhi_visitor visitor; // note: must be the first member; visitors cast from it
	const dbvhi_solid *solid;
	dbvhi_boundary *boundary;
	const double *middle;
	double radius; // radius of the ball in which triangles matter
	// For the simple case: `most` is at least the greatest away . ( x - middle ) of a point x of them, and must be
	// below `allowed`.
	double away[3];
	double most, allowed;
	facing *facing;                 // the direction, and normals that it had to turn towards
	bool has_turned, is_lost;       // it has turned in this visit; no direction is known any more
	uint32_t unknown[MOST_UNKNOWN]; // triangles of which the side is not known
	int unknown_count;
} around;

static bool is_within( const around *a, const double c[9] ) {
	return dbvhi_point_filter( c, a->middle, a->solid->placed.error ).low <= a->radius;
}

// Learn how far a triangle reaches along `away` within the ball, where its plane is a disc.
static void add_extent( around *a, const double c[9], const double n[3], bool is_thin ) {
	double corner = -INFINITY, height = 0.0;
	for ( int i = 0; i < 3; ++i ) {
		double to[3];
		for ( int k = 0; k < 3; ++k )
			to[k] = c[3 * i + k] - a->middle[k];
		corner = fmax( corner, dbvhi_dot3( a->away, to ) );
		height = dbvhi_dot3( n, to );
	}
	if ( !is_thin ) {
		const double along = dbvhi_dot3( n, a->away ),
		             disc = sqrt( fmax( a->radius * a->radius - height * height, 0.0 ) );
		corner = fmin( corner, height * along + disc * sqrt( fmax( 1.0 - along * along, 0.0 ) ) );
	}
	a->most = fmax( a->most, corner );
}

static double visit_extent( dbvhi_visitor *visitor, uint32_t leaf ) {
	around *a = (around *)visitor;
	double c[9], n[3];
	dbvhi_solid_image( a->solid, leaf, c );
	visitor->counters.triangle_tests += 1;
	if ( is_within( a, c ) )
		add_extent( a, c, n, !normal_of_triangle( c, n ) );
	return a->most < a->allowed ? visitor->reach : -1.0;
}

// Turn the direction towards a normal, if it does not face that one.
static void face_normal( around *a, const double inward[3] ) {
	if ( dbvhi_dot3( inward, a->facing->way ) > 2.0 * DBVHI_LEAST_PRODUCT )
		return;
	a->has_turned = true;
	a->is_lost = !turn_towards( a->facing, inward );
}

static double visit_facing( dbvhi_visitor *visitor, uint32_t leaf ) {
	around *a = (around *)visitor;
	double c[9], n[3];
	dbvhi_solid_image( a->solid, leaf, c );
	visitor->counters.triangle_tests += 1;
	const bool is_thin = !normal_of_triangle( c, n );
	const int side = dbvhi_boundary_known( a->boundary, leaf );
	for ( int k = 0; k < 3; ++k )
		n[k] *= side < 0 ? -1.0 : 1.0;
	if ( ( side != 0 && !is_thin && dbvhi_dot3( n, a->facing->way ) > 2.0 * DBVHI_LEAST_PRODUCT ) ||
	     !is_within( a, c ) )
		return visitor->reach;
	a->is_lost = is_thin || ( side == 0 && a->unknown_count == MOST_UNKNOWN );
	// note: sides that are not known yet are looked for later, since the workspace is in use.
	if ( !a->is_lost && side == 0 )
		a->unknown[a->unknown_count++] = leaf;
	else if ( !a->is_lost )
		face_normal( a, n );
	return a->is_lost ? -1.0 : visitor->reach;
}

// Visit the triangles of the ball. False if the budget is spent.
static bool walk_around( around *a, double ( *visit )( dbvhi_visitor *visitor, uint32_t leaf ) ) {
	// note: a pose may stretch lengths by half its deviation.
	dbvhi_visitor_init( &a->visitor, visit, a->radius * ( 1.0 + 2.0 * a->solid->placed.deviation ), a->solid->meter );
	double error;
	const dbvhi_vec local = dbvhi_placed_point( &a->solid->placed, a->middle, &error );
	dbvhi_walk_point( a->solid->placed.tree, local, error, a->solid->workspace, &a->visitor );
	dbvhi_work_charge( &a->visitor.work, a->visitor.counters.box_tests / 4, &a->visitor.counters );
	return !a->visitor.is_cut_short;
}

// Turn the direction towards all normals of the ball that it does not face, one at a time.
static void face_all( around *a ) {
	a->unknown_count = 0;
	a->is_lost = !walk_around( a, visit_facing ) || a->is_lost;
	for ( int i = 0; i < a->unknown_count && !a->is_lost; ++i ) {
		double c[9], n[3];
		const int side = dbvhi_boundary_side( a->boundary, a->unknown[i] );
		dbvhi_solid_image( a->solid, a->unknown[i], c );
		normal_of_triangle( c, n );
		for ( int k = 0; k < 3; ++k )
			n[k] *= side;
		face_normal( a, n );
	}
}

static void face_cones( around *a ) {
	double other[3];
	const dbvhi_cones_answer answer =
	    dbvhi_cones_ask( a->solid, a->boundary->cones, a->middle, a->radius, a->facing->way, other );
	a->has_turned = answer == DBVHI_CONES_DO_NOT;
	a->is_lost = answer == DBVHI_CONES_CUT_SHORT || ( a->has_turned && !turn_towards( a->facing, other ) );
}

// True if all boundary in the ball has inward normals that have a positive product with some direction: the best one
// for those that are known, until no other is against it.
enum { MOST_TURNS = 10 };

static bool has_common_side( around *a, facing *f ) {
	a->facing = f;
	for ( int turn = 0; turn < MOST_TURNS; ++turn ) {
		a->has_turned = a->is_lost = false;
		if ( a->boundary->cones != NULL )
			face_cones( a );
		else
			face_all( a );
		if ( a->is_lost || !a->has_turned )
			return !a->is_lost;
	}
	return false;
}

// Begin with the triangles known to be near the cell: the walls of a ridge are among them. False if one in the ball has
// no normal, or they face no direction.
static bool look_at_known( around *a, const dbvhi_item *it, facing *f ) {
	for ( int i = 0; i < it->near_count; ++i ) {
		double c[9], n[3];
		dbvhi_solid_image( a->solid, it->near[i], c );
		if ( !is_within( a, c ) )
			continue;
		const bool is_thin = !normal_of_triangle( c, n );
		const int side = dbvhi_boundary_side( a->boundary, it->near[i] );
		add_extent( a, c, n, is_thin );
		for ( int k = 0; k < 3; ++k )
			n[k] *= side;
		if ( is_thin || side == 0 )
			return false;
		memcpy( f->normal[f->count++], n, sizeof n );
	}
	return find_way( f );
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
	dbvhi_solid_foot( s->y, near->leaf, middle, a.away );
	for ( int k = 0; k < 3; ++k )
		a.away[k] = middle[k] - a.away[k];
	const double length = dbvhi_length3( a.away );
	for ( int k = 0; k < 3; ++k )
		a.away[k] = length > 0.0 ? a.away[k] / length : 0.0;
	facing f = { .count = 0 };
	if ( look_at_known( &a, it, &f ) && has_common_side( &a, &f ) )
		return true;
	return a.most < a.allowed && walk_around( &a, visit_extent ) && a.most < a.allowed;
}

// ------------------------------------------------------------------------------------------------

// Learn of the middle of a cell. Where it is deeper than all before, climb from there to a local maximum: away from the
// nearest point, in steps that become shorter.
void dbvhi_cell_learn( dbvhi_item_search *s, const dbvhi_item *it, const double middle[3], double radius,
                       const dbvhi_near *near, const dbvhi_game *table ) {
	double deepest[3];
	if ( dbvhi_bound_deepest( table, it, deepest ) )
		dbvhi_search_learn( s, deepest );
	double p[3] = { middle[0], middle[1], middle[2] }, step = radius;
	dbvhi_near here = *near;
	if ( !dbvhi_search_learn_near( s, p, &here ) )
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
		if ( there.low > here.low && dbvhi_search_learn_near( s, next, &there ) ) {
			memcpy( p, next, sizeof p );
			here = there;
		} else {
			step *= 0.5;
		}
	}
}

// ------------------------------------------------------------------------------------------------
// Shrinking: points no deeper than what is known need no look

// The part of a cell, from one of its faces on, in which a row is at most `known`. A row is a convex function: between
// the corners of an edge it is at most on the line through both values.
static double shallow_part( const double row[8], int axis, int face, double known ) {
	double part = 1.0;
	for ( int i = 0; i < 8; ++i ) {
		if ( ( i >> axis & 1 ) != face )
			continue;
		const double here = row[i], there = row[i ^ 1 << axis];
		if ( here > known )
			return 0.0;
		if ( there > known )
			part = dbvhi_smaller( ( known - here ) / ( there - here ), part );
	}
	return part;
}

// The greatest such part by any row alone.
static double shallow_part_by_all( const dbvhi_game *table, int axis, int face, double known ) {
	double most = 0.0;
	for ( int i = 0; i < table->rows; ++i )
		most = dbvhi_larger( shallow_part( table->row[i], axis, face, known ), most );
	return most;
}

// Keep the part of a cell between two parts of its edges along an axis.
static void keep_part( dbvhi_item *it, int axis, double from, double to ) {
	for ( int i = 0; i < 8; ++i ) {
		double *low = it->corner[i], *high = it->corner[i ^ 1 << axis];
		for ( int k = 0; k < 3 && ( i >> axis & 1 ) == 0; ++k ) {
			const double first = low[k], way = high[k] - low[k];
			low[k] = first + from * way;
			high[k] = first + to * way;
		}
	}
}

// note: corners that are rounded may leave out points that are deeper by a rounding than what is cut off: less than the
// slack, of which there are two to what is known.
#define WORTH_SHRINKING 0.25
bool dbvhi_cell_shrink( dbvhi_item_search *s, dbvhi_item *it, const dbvhi_game *table ) {
	const double known = dbvhi_larger( s->best, s->enough ) - s->pair->slack, less = known - s->pair->slack;
	double from[3], to[3], least = 1.0;
	for ( int axis = 0; axis < 3; ++axis ) {
		from[axis] = shallow_part_by_all( table, axis, 0, less );
		to[axis] = 1.0 - shallow_part_by_all( table, axis, 1, less );
		least = dbvhi_smaller( to[axis] - from[axis], least );
	}
	if ( least > 1.0 - WORTH_SHRINKING )
		return false;
	s->dropped = dbvhi_larger( known, s->dropped );
	if ( !( least > 0.0 ) )
		it->bound = dbvhi_smaller( known, it->bound );
	for ( int axis = 0; axis < 3 && least > 0.0; ++axis )
		keep_part( it, axis, from[axis], to[axis] );
	return true;
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
