// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Pieces of the triangles of X: convex polygons of at most eight corners.

#include "query/depth/local.h"

#include <math.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------
// Pieces that the surface of Y does not meet

typedef struct crossing {
	dbvhi_visitor visitor; // note: must be the first member; visit_crossing() casts from it
	const dbvhi_solid *solid;
	const dbvhi_item *it;
	double low[3], high[3]; // bounding box of the item, enlarged
	double normal[3], at;   // the plane of a piece, its normal of length 1; zero for others
	double margin;
	bool apart;
} crossing;

// True if the corners of a triangle or an item are all on one side of a plane, farther than a margin.
static bool is_beyond( const double points[][3], int count, const double n[3], double at, double margin ) {
	double low = INFINITY, high = -INFINITY;
	for ( int i = 0; i < count; ++i ) {
		const double along = dbvhi_dot3( n, points[i] ) - at;
		low = along < low ? along : low;
		high = along > high ? along : high;
	}
	return low > margin || high < -margin;
}

static double visit_crossing( dbvhi_visitor *visitor, uint32_t leaf ) {
	crossing *c = (crossing *)visitor;
	double image[9], t[3][3], ab[3], ac[3], n[3];
	dbvhi_solid_image( c->solid, leaf, image );
	memcpy( t, image, sizeof t );
	visitor->counters.triangle_tests += 1;
	for ( int k = 0; k < 3; ++k ) {
		const double low = fmin( t[0][k], fmin( t[1][k], t[2][k] ) ), high = fmax( t[0][k], fmax( t[1][k], t[2][k] ) );
		if ( low > c->high[k] || high < c->low[k] )
			return visitor->reach;
		ab[k] = t[1][k] - t[0][k];
		ac[k] = t[2][k] - t[0][k];
	}
	dbvhi_cross3( ab, ac, n );
	const double length = dbvhi_length3( n );
	const bool is_thin = !( length > 0x1p-8 * dbvhi_length3( ab ) * dbvhi_length3( ac ) );
	for ( int k = 0; k < 3; ++k )
		n[k] /= is_thin ? 1.0 : length;
	c->apart =
	    ( !is_thin && is_beyond( c->it->corner, c->it->corner_count, n, dbvhi_dot3( n, t[0] ), c->margin ) ) ||
	    ( c->it->kind == DBVHI_ITEM_PIECE && is_beyond( (const double( * )[3])t, 3, c->normal, c->at, c->margin ) );
	return c->apart ? visitor->reach : -1.0;
}

// True if no triangle of Y certainly meets an item. note: the normal of a triangle that is not thin is off by less than
// 2^-8 of the margin's 2^-42, over the item's size.
bool dbvhi_piece_is_apart( const dbvhi_item_search *s, const dbvhi_item *it, const double middle[3], double radius ) {
	crossing c = { .solid = s->y, .it = it, .margin = 4.0 * s->pair->slack, .apart = true };
	for ( int k = 0; k < 3; ++k ) {
		c.low[k] = INFINITY;
		c.high[k] = -INFINITY;
		for ( int i = 0; i < it->corner_count; ++i ) {
			c.low[k] = fmin( c.low[k], it->corner[i][k] - c.margin );
			c.high[k] = fmax( c.high[k], it->corner[i][k] + c.margin );
		}
	}
	if ( it->kind == DBVHI_ITEM_PIECE ) {
		double t[9], ab[3], ac[3];
		dbvhi_solid_image( s->x, it->number, t );
		for ( int k = 0; k < 3; ++k ) {
			ab[k] = t[3 + k] - t[k];
			ac[k] = t[6 + k] - t[k];
		}
		dbvhi_cross3( ab, ac, c.normal );
		const double length = dbvhi_length3( c.normal );
		const bool is_thin = !( length > 0x1p-8 * dbvhi_length3( ab ) * dbvhi_length3( ac ) );
		for ( int k = 0; k < 3; ++k )
			c.normal[k] = is_thin ? 0.0 : c.normal[k] / length;
		c.at = dbvhi_dot3( c.normal, t );
	}
	dbvhi_visitor_init( &c.visitor, visit_crossing, radius * ( 1.0 + 2.0 * s->y->placed.deviation + 0x1p-20 ),
	                    s->pair->meter );
	double error;
	const dbvhi_vec local = dbvhi_placed_point( &s->y->placed, middle, &error );
	dbvhi_walk_point( s->y->placed.tree, local, error, s->y->workspace, &c.visitor );
	dbvhi_work_charge( &c.visitor.work, c.visitor.counters.box_tests / 4, &c.visitor.counters );
	return c.apart && !c.visitor.is_cut_short;
}

// ------------------------------------------------------------------------------------------------
// Lower bounds

// A point just inside X beside a point of a piece, by `part` of the way to its middle and as much again along its
// normal, of either side.
static bool learn_beside( dbvhi_item_search *s, const double from[3], const double middle[3], double part,
                          const double step[3] ) {
	for ( int side = 0; side < 2; ++side ) {
		double p[3];
		for ( int k = 0; k < 3; ++k )
			p[k] = from[k] + part * ( middle[k] - from[k] + ( side == 0 ? -step[k] : step[k] ) );
		if ( dbvhi_search_learn( s, p ) )
			return true;
	}
	return false;
}

// Where several triangles of Y are as near to a point as `nearest`, find the one whose foot lies most along `normal`:
// the normal of a contact is that of the faces that meet in it, not of a side that happens to be as near.
static uint32_t foot_along( const dbvhi_item_search *s, const dbvhi_item *it, const double p[3], uint32_t nearest,
                            double distance, const double normal[3] ) {
	double most = -1.0;
	for ( int i = -1; i < it->near_count; ++i ) {
		const uint32_t leaf = i < 0 ? nearest : it->near[i];
		double foot[3];
		dbvhi_solid_foot( s->y, leaf, p, foot );
		for ( int k = 0; k < 3; ++k )
			foot[k] -= p[k];
		const double along = fabs( dbvhi_dot3( foot, normal ) );
		if ( along > most && ( i < 0 || dbvhi_length3( foot ) <= distance * ( 1.0 + 0x1p-44 ) ) ) {
			most = along * ( 1.0 + 0x1p-20 );
			nearest = leaf;
		}
	}
	return nearest;
}

// Learn of a point of a face of a component, which is within the rounding of a point that is in both.
static void learn_of_face( dbvhi_item_search *s, const dbvhi_item *it, const double p[3], const dbvhi_near *near,
                           const double normal[3] ) {
	const double depth = near->low - s->region->all->rounding;
	if ( !( depth > s->best ) )
		return;
	s->best = depth;
	s->nearest = foot_along( s, it, p, near->leaf, near->low, normal );
	memcpy( s->deepest, p, sizeof s->deepest );
}

// Learn of a corner, or the middle, whose distance is at most `most`. `step` is normal to the piece.
static void learn_of_corner( dbvhi_item_search *s, const dbvhi_item *it, const double from[3], const double middle[3],
                             double most, const double step[3] ) {
	if ( !( most > s->best * ( 1.0 + 0x1p-40 ) ) )
		return;
	const uint32_t hint = it->near_count > 0 ? it->near[0] : UINT32_MAX;
	const dbvhi_near near = dbvhi_solid_near( s->y, from, hint, INFINITY );
	if ( s->region != NULL ) {
		learn_of_face( s, it, from, &near, step );
		return;
	}
	if ( !( near.low > s->best * ( 1.0 + 0x1p-40 ) ) )
		return;
	const double least = 64.0 * s->pair->slack / ( dbvhi_length3( step ) * 16.0 );
	const double parts[3] = { least > 0x1p-36 ? least : 0x1p-36, 0x1p-24, 0x1p-12 };
	for ( int level = 0; level < 3 && !learn_beside( s, from, middle, parts[level], step ); ++level ) {
	}
}

void dbvhi_piece_learn( dbvhi_item_search *s, const dbvhi_item *it, const double middle[3], double radius,
                        const dbvhi_near *near, const dbvhi_game *table ) {
	double c[9], ab[3], ac[3], n[3], most[8];
	dbvhi_solid_image( s->x, it->number, c );
	for ( int k = 0; k < 3; ++k ) {
		ab[k] = c[3 + k] - c[k];
		ac[k] = c[6 + k] - c[k];
	}
	dbvhi_cross3( ab, ac, n );
	const double length = dbvhi_length3( n );
	if ( !( length > 0.0 ) )
		return;
	for ( int k = 0; k < 3; ++k )
		n[k] *= 0.0625 * radius / length;
	for ( int i = 0; i < it->corner_count; ++i )
		most[i] = dbvhi_bound_at_corner( table, i );
	// note: the deepest one first, so that most of the others need no look.
	for ( int left = it->corner_count; left > 0; --left ) {
		int next = 0;
		for ( int i = 1; i < it->corner_count; ++i )
			next = most[i] > most[next] ? i : next;
		learn_of_corner( s, it, it->corner[next], middle, most[next], n );
		most[next] = -1.0;
	}
	learn_of_corner( s, it, middle, middle, near->high, n );
	double deepest[3];
	if ( dbvhi_bound_deepest( table, it, deepest ) )
		learn_of_corner( s, it, deepest, middle, it->bound, n );
}

// ------------------------------------------------------------------------------------------------
// Making and dividing pieces

// Cut a polygon: keep the part where height is at least 0, given at the corners. Returns the number of its corners, at
// most one more than before.
static int cut( const double polygon[][3], const double *height, int count, double out[][3] ) {
	int left = 0;
	for ( int i = 0; i < count; ++i ) {
		const int j = ( i + 1 ) % count;
		if ( height[i] >= 0.0 )
			memcpy( out[left++], polygon[i], sizeof out[0] );
		if ( ( height[i] >= 0.0 ) == ( height[j] >= 0.0 ) )
			continue;
		const double part = height[i] / ( height[i] - height[j] );
		for ( int k = 0; k < 3; ++k )
			out[left][k] = polygon[i][k] + part * ( polygon[j][k] - polygon[i][k] );
		left += 1;
	}
	return left;
}

// Look at a convex polygon, in two parts if it has too many corners for an item.
static void look_at_polygon( dbvhi_item_search *s, const dbvhi_item *from, uint32_t leaf, const double polygon[][3],
                             int count ) {
	if ( count < 3 )
		return;
	dbvhi_item part = *from;
	part.kind = DBVHI_ITEM_PIECE;
	part.number = leaf;
	part.corner_count = (uint8_t)( count > 8 ? 6 : count );
	memcpy( part.corner, polygon, part.corner_count * sizeof part.corner[0] );
	dbvhi_search_look( s, &part );
	if ( count <= 8 )
		return;
	part = *from;
	part.kind = DBVHI_ITEM_PIECE;
	part.number = leaf;
	part.corner_count = (uint8_t)( count - 4 );
	memcpy( part.corner, polygon + 5, (size_t)( count - 5 ) * sizeof part.corner[0] );
	memcpy( part.corner[count - 5], polygon[0], sizeof part.corner[0] );
	dbvhi_search_look( s, &part );
}

// Look at the part of a triangle of X within Y's box.
void dbvhi_pieces_of_triangle( dbvhi_item_search *s, const dbvhi_item *node, uint32_t leaf ) {
	double c[9], polygon[2][12][3], height[12];
	int count = 3, at = 0;
	dbvhi_solid_image( s->x, leaf, c );
	memcpy( polygon[0], c, sizeof c );
	for ( int plane = 0; plane < 6 && count > 0; ++plane ) {
		for ( int i = 0; i < count; ++i ) {
			const double along = dbvhi_along_box( s, plane % 3, polygon[at][i] );
			height[i] = s->half[plane % 3] + ( plane < 3 ? along : -along );
		}
		count = cut( (const double( * )[3])polygon[at], height, count, polygon[!at] );
		at = !at;
	}
	look_at_polygon( s, node, leaf, (const double( * )[3])polygon[at], count );
}

// The heights of a piece's corners above a plane through an edge of a triangle of Y, at a right angle to the triangle:
// through that edge that leaves most of the piece outside. False if none cuts the piece well.
static bool heights_above_edge( const dbvhi_item_search *s, const dbvhi_item *it, uint32_t leaf, double least,
                                double height[8] ) {
	double c[9], n[3], most = 0.0;
	double ab[3], ac[3];
	dbvhi_solid_image( s->y, leaf, c );
	for ( int k = 0; k < 3; ++k ) {
		ab[k] = c[3 + k] - c[k];
		ac[k] = c[6 + k] - c[k];
	}
	dbvhi_cross3( ab, ac, n );
	for ( int i = 0; i < 3; ++i ) {
		double along[3], across[3], at[8], low = 0.0, high = 0.0;
		for ( int k = 0; k < 3; ++k )
			along[k] = c[3 * ( ( i + 1 ) % 3 ) + k] - c[3 * i + k];
		dbvhi_cross3( n, along, across );
		const double length = dbvhi_length3( across );
		if ( !( length > 0.0 ) )
			return false;
		for ( int j = 0; j < it->corner_count; ++j ) {
			at[j] = 0.0;
			for ( int k = 0; k < 3; ++k )
				at[j] += across[k] / length * ( it->corner[j][k] - c[3 * i + k] );
			low = fmin( low, at[j] );
			high = fmax( high, at[j] );
		}
		const double well = fmin( -low, high );
		if ( well > most && well > least ) {
			most = well;
			memcpy( height, at, sizeof at );
		}
	}
	return most > 0.0;
}

// The heights of a piece's corners above the plane through its middle at a right angle to its longest extent.
static void heights_above_middle( const dbvhi_item *it, const double middle[3], double height[8] ) {
	double way[3] = { 0.0, 0.0, 0.0 }, most = -1.0;
	for ( int i = 0; i < it->corner_count; ++i ) {
		for ( int j = 0; j < i; ++j ) {
			double along[3];
			for ( int k = 0; k < 3; ++k )
				along[k] = it->corner[i][k] - it->corner[j][k];
			const double length = dbvhi_length3( along );
			if ( length > most ) {
				most = length;
				memcpy( way, along, sizeof way );
			}
		}
	}
	for ( int i = 0; i < it->corner_count; ++i ) {
		height[i] = 0.0;
		for ( int k = 0; k < 3; ++k )
			height[i] += way[k] * ( it->corner[i][k] - middle[k] );
	}
}

// The heights of a piece's corners above the plane of a triangle of the boundary of Y, on its outer side, less a
// little. False if that does not cut the piece well.
static bool heights_above_plane( dbvhi_item_search *s, const dbvhi_item *it, uint32_t leaf, double size,
                                 double height[8] ) {
	double c[9], ab[3], ac[3], n[3], low = 0.0, high = 0.0;
	dbvhi_solid_image( s->y, leaf, c );
	for ( int k = 0; k < 3; ++k ) {
		ab[k] = c[3 + k] - c[k];
		ac[k] = c[6 + k] - c[k];
	}
	dbvhi_cross3( ab, ac, n );
	const double length = -dbvhi_boundary_side( &s->boundary, leaf ) * dbvhi_length3( n );
	if ( length == 0.0 )
		return false;
	for ( int j = 0; j < it->corner_count; ++j ) {
		height[j] = -8.0 * s->pair->slack;
		for ( int k = 0; k < 3; ++k )
			height[j] += n[k] / length * ( it->corner[j][k] - c[k] );
		low = fmin( low, height[j] );
		high = fmax( high, height[j] );
	}
	return fmin( -low, high ) > 0x1p-10 * size;
}

// Divide a piece: along an edge of the triangle that bounds it, where it reaches far beyond that edge; along the plane
// of that triangle; along an edge beyond which it reaches a little, of that triangle or of the others of the mean:
// within its edges the distance from a triangle is that from a plane, beyond them it is not, and bends; or in the
// middle.
#define FAR_BEYOND 0.9 // parts of the radius of a piece
#define A_LITTLE 0.01
#define SMALL_CUT 64.0
void dbvhi_piece_divide( dbvhi_item_search *s, const dbvhi_item *it ) {
	double middle[3], height[8], part[12][3];
	const double radius = dbvhi_item_middle( it, middle );
	const uint32_t leaf = it->nearest;
	// note: beyond an edge by g, a distance of h grows by g^2 / ( 2 h ).
	const double little =
	    fmax( fmin( A_LITTLE * radius, sqrt( 0.5 * s->width ) * it->bound ), SMALL_CUT * s->pair->slack );
	bool is_cut = leaf != UINT32_MAX && ( heights_above_edge( s, it, leaf, FAR_BEYOND * radius, height ) ||
	                                      heights_above_plane( s, it, leaf, radius, height ) ||
	                                      heights_above_edge( s, it, leaf, little, height ) );
	for ( int i = 0; i < 2 && i < it->near_count && !is_cut; ++i )
		is_cut = it->near[i] != leaf && heights_above_edge( s, it, it->near[i], little, height );
	if ( !is_cut )
		heights_above_middle( it, middle, height );
	for ( int side = 0; side < 2; ++side ) {
		const int count = cut( it->corner, height, it->corner_count, part );
		look_at_polygon( s, it, it->number, (const double( * )[3])part, count );
		for ( int i = 0; i < it->corner_count; ++i )
			height[i] = -height[i];
	}
}
