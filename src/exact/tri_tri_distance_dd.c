// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The distance of two triangles in pairs of doubles, some 100 bits: enough to say which double it is rounded up to,
// unless it is one itself or all but. As in doubles (tri_tri_distance.c), no trust is put in how the nearest points
// were found: any two points bound the distance from above, and the gap along any direction from below.
//
// Errors. Coordinates are taken relative to the fixed triangle's first corner. S is the largest of them, C the largest
// sum of magnitudes that a moved coordinate is made from, v = 2^-100. One operation is off by v / 8 of its result, and
// so is a sum of products by v / 2 of the sum of their magnitudes. A moved corner is off by v C in each coordinate. A
// direction n is what it is, however it was come by: with |n| for the sum of its components' magnitudes, a corner's
// height along it is off by v |n| (S + C). A point of an edge or a face is off by 4 v (S + C).

#include "base/assert.h"
#include "exact/tri_tri_distance.h"

#include <math.h>

#define V 0x1p-100

typedef struct dd3 {
	dbvhi_dd x[3];
} dd3;

static dbvhi_dd dd_of( double x ) {
	return ( dbvhi_dd ){ x, 0.0 };
}

static dd3 dd3_sub( const dd3 *a, const dd3 *b ) {
	return ( dd3 ){
	    { dbvhi_dd_sub( a->x[0], b->x[0] ), dbvhi_dd_sub( a->x[1], b->x[1] ), dbvhi_dd_sub( a->x[2], b->x[2] ) } };
}

static dbvhi_dd dd3_dot( const dd3 *a, const dd3 *b ) {
	return dbvhi_dd_add( dbvhi_dd_add( dbvhi_dd_mul( a->x[0], b->x[0] ), dbvhi_dd_mul( a->x[1], b->x[1] ) ),
	                     dbvhi_dd_mul( a->x[2], b->x[2] ) );
}

static dd3 dd3_cross( const dd3 *a, const dd3 *b ) {
	dd3 out;
	for ( int k = 0; k < 3; ++k ) {
		const int i = ( k + 1 ) % 3, j = ( k + 2 ) % 3;
		out.x[k] = dbvhi_dd_sub( dbvhi_dd_mul( a->x[i], b->x[j] ), dbvhi_dd_mul( a->x[j], b->x[i] ) );
	}
	return out;
}

// p + s d
static dd3 dd3_along( const dd3 *p, double s, const dd3 *d ) {
	dd3 out;
	for ( int k = 0; k < 3; ++k )
		out.x[k] = dbvhi_dd_add( p->x[k], dbvhi_dd_mul( d->x[k], dd_of( s ) ) );
	return out;
}

// The root of a positive number, off by less than 8 v of it.
static dbvhi_dd dd_root( dbvhi_dd a ) {
	const double root = sqrt( a.hi );
	const dbvhi_dd rest = dbvhi_dd_sub( a, dbvhi_dd_product( root, root ) );
	return dbvhi_dd_fast_sum( root, rest.hi / ( 2.0 * root ) );
}

static double sum_of( const dd3 *a ) {
	return fabs( a->x[0].hi ) + fabs( a->x[1].hi ) + fabs( a->x[2].hi );
}

// Two triangles, and what is known of where they are nearest.
typedef struct place {
	dd3 p[6];      // the fixed corners, and the moved ones
	int corner[2]; // a corner of each that is on the feature
	dd3 normal;    // from the fixed to the moved triangle
	dd3 between;   // from point to point
	double size, reach;
	double edge; // of a corner and an edge: how long that is
	uint32_t corners[2];
	bool is_inside; // the point is certainly on the face
} place;

// A coordinate of a moved corner, and the sum of the magnitudes that it is made from.
static dbvhi_dd moved_coordinate( const dbvh_pose *pose, const double *corner, const double *origin, int k,
                                  double *magnitude ) {
	dbvhi_dd sum = dbvhi_dd_sum( pose->pos[k], -origin[k] );
	*magnitude = fabs( pose->pos[k] ) + fabs( origin[k] );
	for ( int j = 0; j < 3; ++j ) {
		const dbvhi_dd term = dbvhi_dd_product( pose->rot[k][j], corner[j] );
		sum = dbvhi_dd_add( sum, term );
		*magnitude += fabs( term.hi );
	}
	return sum;
}

// Sizes whose fourth powers, and a 2^-110th of those, are doubles.
static bool is_comfortable( double size ) {
	return size > 0x1p-180 && size < 0x1p180;
}

static bool load( place *at, const dbvhi_posed_pair *pair ) {
	at->size = at->reach = 0.0;
	for ( int i = 0; i < 3; ++i ) {
		for ( int k = 0; k < 3; ++k ) {
			at->p[i].x[k] = dbvhi_dd_sum( pair->fixed[3 * i + k], -pair->fixed[k] );
			double reach;
			at->p[3 + i].x[k] = moved_coordinate( pair->pose, pair->moved + 3 * i, pair->fixed, k, &reach );
			at->size = fmax( at->size, fmax( fabs( at->p[i].x[k].hi ), fabs( at->p[3 + i].x[k].hi ) ) );
			at->reach = fmax( at->reach, reach );
		}
	}
	return is_comfortable( at->size ) && at->reach < 0x1p180;
}

// The point of an edge: its shares are (1 - s) of the one end and s of the other.
static dd3 point_of_edge( const dd3 *p, int from, double s ) {
	const dd3 edge = dd3_sub( &p[( from + 1 ) % 3], &p[from] );
	return dd3_along( &p[from], s, &edge );
}

static void find_on_edges( place *at, const dbvhi_near_place *near ) {
	const dd3 *a = at->p, *b = at->p + 3;
	const double s = near->s, t = near->t;
	const dd3 p = point_of_edge( a, near->a, s ), q = point_of_edge( b, near->b, t );
	at->between = dd3_sub( &q, &p );
	const int next_a = ( near->a + 1 ) % 3, next_b = ( near->b + 1 ) % 3;
	at->corner[0] = s == 1.0 ? next_a : near->a;
	at->corner[1] = t == 1.0 ? next_b : near->b;
	at->corners[0] = 1u << at->corner[0];
	at->corners[1] = 1u << at->corner[1];
	const bool inside_a = s > 0.0 && s<1.0, inside_b = t> 0.0 && t < 1.0;
	const dd3 d = dd3_sub( &a[next_a], &a[near->a] ), e = dd3_sub( &b[next_b], &b[near->b] );
	const dd3 w = dd3_sub( &b[at->corner[1]], &a[at->corner[0]] );
	if ( inside_a )
		at->corners[0] = 1u << near->a | 1u << next_a;
	if ( inside_b )
		at->corners[1] = 1u << near->b | 1u << next_b;
	at->normal = w;
	if ( inside_a && inside_b ) {
		at->normal = dd3_cross( &d, &e );
	} else if ( inside_a || inside_b ) {
		const dd3 *edge = inside_a ? &d : &e;
		at->edge = sum_of( edge );
		const dbvhi_dd share = dbvhi_dd_div( dd3_dot( &w, edge ), dd3_dot( edge, edge ) );
		for ( int k = 0; k < 3; ++k )
			at->normal.x[k] = dbvhi_dd_sub( w.x[k], dbvhi_dd_mul( share, edge->x[k] ) );
	}
}

static void find_on_face( place *at, const dbvhi_near_place *near ) {
	const int face = near->face_is_fixed ? 0 : 3, other = 3 - face;
	const dd3 *t = at->p + face, *p = at->p + other + near->a;
	const dd3 e1 = dd3_sub( &t[1], &t[0] ), e2 = dd3_sub( &t[2], &t[0] );
	at->is_inside = near->s >= 0.0 && near->t >= 0.0 && near->s + near->t < 1.0;
	const dd3 on_edge = dd3_along( &t[0], near->s, &e1 ), foot = dd3_along( &on_edge, near->t, &e2 );
	at->normal = dd3_cross( &e1, &e2 );
	at->between = near->face_is_fixed ? dd3_sub( p, &foot ) : dd3_sub( &foot, p );
	at->corner[near->face_is_fixed ? 0 : 1] = 0;
	at->corner[near->face_is_fixed ? 1 : 0] = near->a;
	at->corners[near->face_is_fixed ? 0 : 1] = 7;
	at->corners[near->face_is_fixed ? 1 : 0] = 1u << near->a;
}

// The normal goes from the fixed to the moved triangle, and has a length.
static bool turn_normal( place *at ) {
	const double size = sum_of( &at->normal );
	if ( !is_comfortable( size ) )
		return false;
	const dd3 w = dd3_sub( &at->p[3 + at->corner[1]], &at->p[at->corner[0]] );
	if ( dd3_dot( &at->normal, &w ).hi < 0.0 ) {
		for ( int k = 0; k < 3; ++k )
			at->normal.x[k] = dbvhi_dd_negate( at->normal.x[k] );
	}
	return true;
}

static bool find( place *at, const dbvhi_posed_pair *pair, const dbvhi_near_place *near ) {
	if ( !near->is_known || !load( at, pair ) )
		return false;
	at->is_inside = true;
	if ( near->is_face )
		find_on_face( at, near );
	else
		find_on_edges( at, near );
	return turn_normal( at );
}

// The gap along the normal, and what it is off by at most.
static dbvhi_dd gap_along_normal( const place *at, double *error ) {
	dbvhi_dd far_a = dd3_dot( &at->normal, &at->p[0] ), near_b = dd3_dot( &at->normal, &at->p[3] );
	for ( int i = 1; i < 3; ++i ) {
		const dbvhi_dd a = dd3_dot( &at->normal, &at->p[i] ), b = dd3_dot( &at->normal, &at->p[3 + i] );
		far_a = dbvhi_dd_sub( a, far_a ).hi > 0.0 ? a : far_a;
		near_b = dbvhi_dd_sub( b, near_b ).hi < 0.0 ? b : near_b;
	}
	*error = 4.0 * V * sum_of( &at->normal ) * ( at->size + at->reach );
	return dbvhi_dd_sub( near_b, far_a );
}

// Is a - b certainly above `error` and what the operations themselves are off by?
static bool is_above( dbvhi_dd a, dbvhi_dd b, double error ) {
	return dbvhi_dd_sub( a, b ).hi > error + 32.0 * V * ( fabs( a.hi ) + fabs( b.hi ) );
}

// Is each component of the way right to some units in the last place, by far above its error? That of a normal is a
// difference of two products of differences. That of two corners is one of theirs; with an edge, that of the other
// corner's height over it, which turns with the edge.
static bool has_clear_components( const place *at ) {
	const double both = at->size + at->reach;
	const int count = __builtin_popcount( at->corners[0] ) + __builtin_popcount( at->corners[1] );
	const double error = 64.0 * V * both * ( count == 2 ? 1.0 : count == 3 ? 1.0 + both / at->edge : both );
	for ( int k = 0; k < 3; ++k ) {
		if ( !( fabs( at->normal.x[k].hi ) > 0x1p54 * error ) )
			return false;
	}
	return true;
}

// Is the gap along the normal certainly above the double before `distance`?
static bool is_no_nearer( const place *at, double distance, dbvhi_dd *height ) {
	double error;
	*height = gap_along_normal( at, &error );
	const dbvhi_dd length = dd_root( dd3_dot( &at->normal, &at->normal ) );
	return is_above( *height, dbvhi_dd_mul( length, dd_of( nextafter( distance, 0.0 ) ) ), error );
}

bool dbvhi_triangles_no_nearer( const dbvhi_posed_pair *pair, const dbvhi_tri_tri_bounds *gap, double distance ) {
	DBVHI_ASSERT( distance > 0.0 );
	place at;
	dbvhi_dd height;
	return find( &at, pair, &gap->place ) && is_no_nearer( &at, distance, &height );
}

// The distance, rounded up, and the gap along the normal.
static bool measure( const place *at, double *distance, dbvhi_dd *height ) {
	if ( !at->is_inside )
		return false;
	const dbvhi_dd squared = dd3_dot( &at->between, &at->between );
	if ( !( squared.hi > 0x1p-400 ) )
		return false;
	const dbvhi_dd upper = dd_root( squared );
	*distance = upper.lo > 0.0 ? nextafter( upper.hi, INFINITY ) : upper.hi;
	// The points are off by 4 v (S + C) each, in each coordinate.
	if ( !is_above( dd_of( *distance ), upper, 16.0 * V * ( at->size + at->reach ) ) )
		return false;
	return is_no_nearer( at, *distance, height );
}

bool dbvhi_triangles_rounded_near( const dbvhi_posed_pair *pair, const dbvhi_tri_tri_bounds *gap, double *distance ) {
	place at;
	dbvhi_dd height;
	return gap->lower > 0.0 && find( &at, pair, &gap->place ) && measure( &at, distance, &height );
}

bool dbvhi_triangles_distance_near( const dbvhi_posed_pair *pair, const dbvhi_tri_tri_bounds *gap, double limit,
                                    dbvhi_witness *out ) {
	place at;
	dbvhi_dd height;
	double distance;
	if ( !( gap->lower > 0.0 ) || !find( &at, pair, &gap->place ) || !has_clear_components( &at ) ||
	     !measure( &at, &distance, &height ) || distance > limit )
		return false;
	out->distance = distance;
	out->is_way_whole = true;
	out->corners_fixed = at.corners[0];
	out->corners_moved = at.corners[1];
	const dbvhi_dd scale = dbvhi_dd_div( height, dd3_dot( &at.normal, &at.normal ) );
	const bool on_corner[2] = { at.corners[0] == 1u << at.corner[0], at.corners[1] == 1u << at.corner[1] };
	for ( int k = 0; k < 3; ++k ) {
		out->between[k] = dbvhi_dd_mul( at.normal.x[k], scale ).hi;
		out->fixed[k] = on_corner[0] ? pair->fixed[3 * at.corner[0] + k] : gap->fixed[k];
		out->moved[k] = on_corner[1] ? pair->image[3 * at.corner[1] + k] : gap->moved[k];
	}
	return true;
}

// ------------------------------------------------------------------------------------------------
// Planes

bool dbvhi_distance_planes_init( const dbvhi_posed_pair *pair, const dbvhi_tri_tri_bounds *gap, double distance,
                                 dbvhi_distance_planes *out ) {
	DBVHI_ASSERT( distance > 0.0 );
	place at;
	if ( !find( &at, pair, &gap->place ) )
		return false;
	const dd3 w = dd3_sub( &at.p[3 + at.corner[1]], &at.p[at.corner[0]] );
	const dbvhi_dd height = dd3_dot( &at.normal, &w ), length = dd_root( dd3_dot( &at.normal, &at.normal ) );
	const dbvhi_dd most = dbvhi_dd_mul( length, dd_of( distance ) ),
	               least = dbvhi_dd_mul( length, dd_of( nextafter( distance, 0.0 ) ) );
	const double error =
	    4.0 * V * sum_of( &at.normal ) * ( at.size + at.reach ) + 64.0 * V * ( fabs( height.hi ) + fabs( most.hi ) );
	// Rounded down.
	const double under = dbvhi_dd_sub( height, least ).hi, over = dbvhi_dd_sub( height, most ).hi;
	out->no_nearer = under - 0x1p-50 * fabs( under ) - error;
	out->farther = over - 0x1p-50 * fabs( over ) - error;
	if ( !( out->no_nearer > 0.0 ) )
		return false;
	for ( int k = 0; k < 3; ++k ) {
		dbvhi_dd turned = { 0.0, 0.0 };
		for ( int j = 0; j < 3; ++j )
			turned = dbvhi_dd_add( turned, dbvhi_dd_mul( at.normal.x[j], dd_of( pair->pose->rot[j][k] ) ) );
		out->normal[0][k] = at.normal.x[k];
		out->normal[1][k] = turned;
		out->corner[0][k] = pair->fixed[3 * at.corner[0] + k];
		out->corner[1][k] = pair->moved[3 * at.corner[1] + k];
	}
	out->size = 1.01 * sum_of( &at.normal );
	return true;
}

double dbvhi_height_beyond( const dbvhi_distance_planes *planes, const double triangle[9], bool moved ) {
	const dbvhi_dd *n = planes->normal[moved];
	const double *from = planes->corner[moved], sign = moved ? -1.0 : 1.0;
	double highest = -INFINITY;
	for ( int i = 0; i < 3; ++i ) {
		// In doubles first, which tell most.
		const double *to = triangle + 3 * i;
		double height = 0.0, magnitude = 0.0, way = 0.0;
		for ( int k = 0; k < 3; ++k ) {
			const double step = to[k] - from[k], term = n[k].hi * step;
			height += sign * term;
			magnitude += fabs( term );
			way = fmax( way, fabs( step ) );
		}
		if ( !( way < 0x1p180 ) )
			return INFINITY;
		// The turned normal is off by 4 v of all its components, too.
		const double fine = 16.0 * V * planes->size * way + 0x1p-1000, coarse = 0x1p-50 * magnitude + fine;
		if ( height < -4.0 * coarse || height > 4.0 * coarse + planes->no_nearer ) {
			highest = fmax( highest, height + coarse );
			continue;
		}
		dbvhi_dd sum = { 0.0, 0.0 };
		for ( int k = 0; k < 3; ++k )
			sum = dbvhi_dd_add( sum, dbvhi_dd_mul( n[k], dbvhi_dd_sum( to[k], -from[k] ) ) );
		highest = fmax( highest, sign * sum.hi + 0x1p-52 * fabs( sum.hi ) + fine );
	}
	return highest;
}
