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
//
// Compiled for every instruction set. The results are the same in all of them: an exact product is the same number with
// fused operations and without.

#include "base/assert.h"
#include "base/inline.h"
#include "exact/tri_tri_distance_dd.h"
#include "exact/vec3.h"
#include "simd/kernel_name.h"
#include "simd/vec_dd.h"

#include <math.h>
#include <string.h>

#define V 0x1p-100

// Fourth powers of sizes between 1 / RANGE and RANGE, and a 2^-110th of those, are doubles.
#define RANGE 0x1p180

// Three of them in the lanes of a vector, the last one twice: a vector in space, or a coordinate of three corners.
typedef double4_dd dd3;

static dbvhi_dd dd_of( double x ) {
	return ( dbvhi_dd ){ x, 0.0 };
}

// The operations of exact/number/dd.h, lane by lane.

LANES_INLINE double4 spread( double x ) {
	return x - ( double4 ){ 0 };
}

LANES_INLINE dd3 dd3_spread( dbvhi_dd a ) {
	return ( dd3 ){ spread( a.hi ), spread( a.lo ) };
}

LANES_INLINE dd3 dd3_add( dd3 a, dd3 b ) {
	dd3 s = double4_exact_sum( a.hi, b.hi );
	const dd3 t = double4_exact_sum( a.lo, b.lo );
	s = double4_fast_sum( s.hi, s.lo + t.hi );
	return double4_fast_sum( s.hi, s.lo + t.lo );
}

LANES_INLINE dd3 dd3_negate( dd3 a ) {
	return ( dd3 ){ -a.hi, -a.lo };
}

LANES_INLINE dd3 dd3_sub( dd3 a, dd3 b ) {
	return dd3_add( a, dd3_negate( b ) );
}

LANES_INLINE dd3 dd3_mul( dd3 a, dd3 b ) {
	const dd3 p = double4_exact_product( a.hi, b.hi );
	return double4_fast_sum( p.hi, p.lo + ( a.hi * b.lo + a.lo * b.hi ) );
}

LANES_INLINE dbvhi_dd lane( dd3 a, int i ) {
	return ( dbvhi_dd ){ a.hi[i], a.lo[i] };
}

LANES_LONG dbvhi_dd dd3_dot( dd3 a, dd3 b ) {
	const dd3 m = dd3_mul( a, b );
	return dbvhi_dd_add( dbvhi_dd_add( lane( m, 0 ), lane( m, 1 ) ), lane( m, 2 ) );
}

LANES_INLINE dd3 dd3_next( dd3 a ) {
	return ( dd3 ){ double4_next( a.hi ), double4_next( a.lo ) };
}

LANES_INLINE dd3 dd3_after_next( dd3 a ) {
	return ( dd3 ){ ( double4 ){ a.hi[2], a.hi[0], a.hi[1], a.hi[1] },
	                ( double4 ){ a.lo[2], a.lo[0], a.lo[1], a.lo[1] } };
}

LANES_LONG dd3 dd3_cross( dd3 a, dd3 b ) {
	return dd3_sub( dd3_mul( dd3_next( a ), dd3_after_next( b ) ), dd3_mul( dd3_after_next( a ), dd3_next( b ) ) );
}

// p + s d
LANES_INLINE dd3 dd3_along( dd3 p, double s, dd3 d ) {
	return dd3_add( p, dd3_mul( d, dd3_spread( dd_of( s ) ) ) );
}

// The root of a positive number, off by less than 8 v of it.
static dbvhi_dd dd_root( dbvhi_dd a ) {
	const double root = sqrt( a.hi );
	const dbvhi_dd rest = dbvhi_dd_sub( a, dbvhi_dd_product( root, root ) );
	return dbvhi_dd_fast_sum( root, rest.hi / ( 2.0 * root ) );
}

LANES_INLINE double sum_of( dd3 a ) {
	return fabs( a.hi[0] ) + fabs( a.hi[1] ) + fabs( a.hi[2] );
}

LANES_INLINE double largest_of( double4 a ) {
	const double4 size = double4_abs( a );
	return dbvhi_larger( dbvhi_larger( size[0], size[1] ), size[2] );
}

// Two triangles, and their nearest points as far as these are known.
typedef struct place {
	dd3 x[2][3];   // coordinates of the fixed and of the moved triangle, a corner a lane
	int corner[2]; // a corner of each that is on the feature
	dd3 normal;    // from the fixed to the moved triangle
	dd3 point;     // the nearest point of the fixed triangle
	dd3 between;   // from `point` to the nearest point of the moved triangle
	double size, reach;
	double edge; // length of the edge, if the features are a corner and an edge
	// Origin of the normal, as differences of corners from[i] to to[i]: the cross product of both, or the first without
	// its component along the second, if there is a second.
	bool is_product, is_turned; // turned: times -1
	int from[2], to[2];         // corners; from[1] is -1 without a second difference
	uint32_t corners[2];
	bool is_inside; // the point is certainly on the face
} place;

// One of the six corners, the fixed ones first.
LANES_INLINE dd3 corner_of( const place *at, int i ) {
	const dd3 *x = at->x[i >= 3];
	const int k = i >= 3 ? i - 3 : i;
	return ( dd3 ){ ( double4 ){ x[0].hi[k], x[1].hi[k], x[2].hi[k], x[2].hi[k] },
	                ( double4 ){ x[0].lo[k], x[1].lo[k], x[2].lo[k], x[2].lo[k] } };
}

LANES_INLINE dd3 difference( const place *at, int to, int from ) {
	return dd3_sub( corner_of( at, to ), corner_of( at, from ) );
}

// One coordinate of three corners.
LANES_INLINE double4 column( const double corners[9], int k ) {
	return ( double4 ){ corners[k], corners[3 + k], corners[6 + k], corners[6 + k] };
}

// A coordinate of the moved corners, and the sums of the magnitudes that they are made from.
LANES_INLINE dd3 moved_coordinate( const dbvh_pose *pose, const double4 corner[3], double origin, int k,
                                   double4 *magnitude ) {
	dd3 sum = dd3_spread( dbvhi_dd_sum( pose->pos[k], -origin ) );
	*magnitude = spread( fabs( pose->pos[k] ) + fabs( origin ) );
	for ( int j = 0; j < 3; ++j ) {
		const dd3 term = double4_exact_product( spread( pose->rot[k][j] ), corner[j] );
		sum = dd3_add( sum, term );
		*magnitude += double4_abs( term.hi );
	}
	return sum;
}

static bool load_pair( place *at, const dbvhi_posed_pair *pair ) {
	double4 size = { 0 }, reach = { 0 }, moved[3];
	for ( int k = 0; k < 3; ++k )
		moved[k] = column( pair->moved, k );
	for ( int k = 0; k < 3; ++k ) {
		double4 magnitude;
		at->x[0][k] = double4_exact_sum( column( pair->fixed, k ), spread( -pair->fixed[k] ) );
		at->x[1][k] = moved_coordinate( pair->pose, moved, pair->fixed[k], k, &magnitude );
		size = double4_max( size, double4_max( double4_abs( at->x[0][k].hi ), double4_abs( at->x[1][k].hi ) ) );
		reach = double4_max( reach, magnitude );
	}
	at->size = largest_of( size );
	at->reach = largest_of( reach );
	return dbvhi_is_between( at->size, RANGE ) && at->reach < 0x1p180;
}

static void find_on_edges( place *at, const dbvhi_near_place *near ) {
	const double s = near->s, t = near->t;
	const int next_a = ( near->a + 1 ) % 3, next_b = ( near->b + 1 ) % 3;
	const dd3 from_a = corner_of( at, near->a ), from_b = corner_of( at, 3 + near->b );
	const dd3 d = dd3_sub( corner_of( at, next_a ), from_a ), e = dd3_sub( corner_of( at, 3 + next_b ), from_b );
	// Its shares are (1 - s) of the one end and s of the other.
	at->point = dd3_along( from_a, s, d );
	at->between = dd3_sub( dd3_along( from_b, t, e ), at->point );
	at->corner[0] = s == 1.0 ? next_a : near->a;
	at->corner[1] = t == 1.0 ? next_b : near->b;
	at->corners[0] = 1u << at->corner[0];
	at->corners[1] = 1u << at->corner[1];
	const bool inside_a = s > 0.0 && s<1.0, inside_b = t> 0.0 && t < 1.0;
	const dd3 w = difference( at, 3 + at->corner[1], at->corner[0] );
	if ( inside_a )
		at->corners[0] = 1u << near->a | 1u << next_a;
	if ( inside_b )
		at->corners[1] = 1u << near->b | 1u << next_b;
	at->normal = w;
	at->is_product = inside_a && inside_b;
	at->from[0] = at->is_product ? near->a : at->corner[0];
	at->to[0] = at->is_product ? next_a : 3 + at->corner[1];
	at->from[1] = inside_b ? 3 + near->b : inside_a ? near->a : -1;
	at->to[1] = inside_b ? 3 + next_b : next_a;
	if ( inside_a && inside_b ) {
		at->normal = dd3_cross( d, e );
	} else if ( inside_a || inside_b ) {
		const dd3 edge = inside_a ? d : e;
		at->edge = sum_of( edge );
		const dbvhi_dd share = dbvhi_dd_div( dd3_dot( w, edge ), dd3_dot( edge, edge ) );
		at->normal = dd3_sub( w, dd3_mul( dd3_spread( share ), edge ) );
	}
}

static void find_on_face( place *at, const dbvhi_near_place *near ) {
	const int face = near->face_is_fixed ? 0 : 3, other = 3 - face;
	const dd3 t = corner_of( at, face ), p = corner_of( at, other + near->a );
	const dd3 e1 = difference( at, face + 1, face ), e2 = difference( at, face + 2, face );
	at->is_inside = near->s >= 0.0 && near->t >= 0.0 && near->s + near->t < 1.0;
	const dd3 foot = dd3_along( dd3_along( t, near->s, e1 ), near->t, e2 );
	at->normal = dd3_cross( e1, e2 );
	at->is_product = true;
	at->from[0] = at->from[1] = face;
	at->to[0] = face + 1;
	at->to[1] = face + 2;
	at->point = near->face_is_fixed ? foot : p;
	at->between = near->face_is_fixed ? dd3_sub( p, foot ) : dd3_sub( foot, p );
	at->corner[near->face_is_fixed ? 0 : 1] = 0;
	at->corner[near->face_is_fixed ? 1 : 0] = near->a;
	at->corners[near->face_is_fixed ? 0 : 1] = 7;
	at->corners[near->face_is_fixed ? 1 : 0] = 1u << near->a;
}

// The normal goes from the fixed to the moved triangle, and has a length.
static bool turn_normal( place *at ) {
	const double size = sum_of( at->normal );
	if ( !dbvhi_is_between( size, RANGE ) )
		return false;
	at->is_turned = dd3_dot( at->normal, difference( at, 3 + at->corner[1], at->corner[0] ) ).hi < 0.0;
	if ( at->is_turned )
		at->normal = dd3_negate( at->normal );
	return true;
}

// Find the nearest points of two features, of triangles whose corners are loaded.
static void locate( place *at, const dbvhi_near_place *near ) {
	at->is_inside = true;
	if ( near->is_face )
		find_on_face( at, near );
	else
		find_on_edges( at, near );
}

static bool find( place *at, const dbvhi_posed_pair *pair, const dbvhi_near_place *near ) {
	if ( !near->is_known || !load_pair( at, pair ) )
		return false;
	locate( at, near );
	return turn_normal( at );
}

// Heights of the corners of a triangle along the normal.
LANES_INLINE dd3 heights( const place *at, int triangle ) {
	const dd3 *x = at->x[triangle], n = at->normal;
	return dd3_add( dd3_add( dd3_mul( dd3_spread( lane( n, 0 ) ), x[0] ), dd3_mul( dd3_spread( lane( n, 1 ) ), x[1] ) ),
	                dd3_mul( dd3_spread( lane( n, 2 ) ), x[2] ) );
}

// The gap along the normal, and a bound of its error.
static dbvhi_dd gap_along_normal( const place *at, double *error ) {
	const dd3 of_a = heights( at, 0 ), of_b = heights( at, 1 );
	dbvhi_dd far_a = lane( of_a, 0 ), near_b = lane( of_b, 0 );
	for ( int i = 1; i < 3; ++i ) {
		const dbvhi_dd a = lane( of_a, i ), b = lane( of_b, i );
		far_a = dbvhi_dd_sub( a, far_a ).hi > 0.0 ? a : far_a;
		near_b = dbvhi_dd_sub( b, near_b ).hi < 0.0 ? b : near_b;
	}
	*error = 4.0 * V * sum_of( at->normal ) * ( at->size + at->reach );
	return dbvhi_dd_sub( near_b, far_a );
}

// Is a - b certainly above `error` plus the rounding errors of this comparison?
static bool is_above( dbvhi_dd a, dbvhi_dd b, double error ) {
	return dbvhi_dd_sub( a, b ).hi > error + 32.0 * V * ( fabs( a.hi ) + fabs( b.hi ) );
}

LANES_INLINE vec3 rounded( dd3 p ) {
	return ( vec3 ){ p.hi[0], p.hi[1], p.hi[2] };
}

// ------------------------------------------------------------------------------------------------
// Along an axis. Parts are often aligned to each other, and then components of the way are exactly 0, and the distance
// is a difference of coordinates. Where nothing is rounded on the way to these they are known for certain.

// a + b; `exact` becomes false where the sum is rounded.
static dbvhi_dd exact_sum( dbvhi_dd a, dbvhi_dd b, bool *exact ) {
	const dbvhi_dd s = dbvhi_dd_sum( a.hi, b.hi ), t = dbvhi_dd_sum( a.lo, b.lo ), u = dbvhi_dd_sum( s.lo, t.hi );
	const dbvhi_dd first = dbvhi_dd_fast_sum( s.hi, u.hi ), v = dbvhi_dd_sum( first.lo, t.lo );
	*exact = *exact && u.lo == 0.0 && v.lo == 0.0;
	return dbvhi_dd_fast_sum( first.hi, v.hi );
}

// A coordinate of one of the six corners, from the fixed triangle's first one.
static dbvhi_dd exact_coordinate( const dbvhi_posed_pair *pair, int corner, int k, bool *exact ) {
	if ( corner < 3 )
		return dbvhi_dd_sum( pair->fixed[3 * corner + k], -pair->fixed[k] );
	dbvhi_dd sum = dbvhi_dd_sum( pair->pose->pos[k], -pair->fixed[k] );
	for ( int j = 0; j < 3; ++j ) {
		const double turn = pair->pose->rot[k][j], x = pair->moved[3 * ( corner - 3 ) + j];
		if ( turn == 0.0 || x == 0.0 )
			continue;
		const dbvhi_dd term = dbvhi_dd_product( turn, x );
		*exact = *exact && fabs( term.hi ) > 0x1p-900;
		sum = exact_sum( sum, term, exact );
	}
	return sum;
}

static dbvhi_dd exact_difference( const dbvhi_posed_pair *pair, int to, int from, int k, bool *exact ) {
	const dbvhi_dd x = exact_coordinate( pair, to, k, exact ), y = exact_coordinate( pair, from, k, exact );
	return exact_sum( x, dbvhi_dd_negate( y ), exact );
}

static bool is_surely_zero( const dbvhi_posed_pair *pair, int to, int from, int k ) {
	bool exact = true;
	return exact_difference( pair, to, from, k, &exact ).hi == 0.0 && exact;
}

// Is a component of the normal 0 because all that it is made of is?
static bool has_no_component( const place *at, const dbvhi_posed_pair *pair, int k ) {
	if ( at->normal.hi[k] != 0.0 || at->normal.lo[k] != 0.0 )
		return false;
	const int *from = at->from, *to = at->to, i = ( k + 1 ) % 3, j = ( k + 2 ) % 3;
	if ( at->is_product )
		return ( is_surely_zero( pair, to[0], from[0], i ) || is_surely_zero( pair, to[1], from[1], j ) ) &&
		       ( is_surely_zero( pair, to[0], from[0], j ) || is_surely_zero( pair, to[1], from[1], i ) );
	return is_surely_zero( pair, to[0], from[0], k ) && ( from[1] < 0 || is_surely_zero( pair, to[1], from[1], k ) );
}

// Are the nearest points of the lines, or of line and plane, certainly on the features? The parameters that doubles
// give are off by a millionth at most unless the features are nearly parallel.
static bool is_well_inside( const place *at, const dbvhi_near_place *near ) {
	const double least = 0x1p-20, most = 1.0 - least, s = near->s, t = near->t;
	const bool inside_a = s > 0.0 && s<1.0, inside_b = t> 0.0 && t < 1.0;
	if ( !at->is_product )
		return ( !inside_a || ( s > least && s < most ) ) && ( !inside_b || ( t > least && t < most ) );
	const vec3 d = rounded( difference( at, at->to[0], at->from[0] ) ),
	           e = rounded( difference( at, at->to[1], at->from[1] ) ), n = rounded( at->normal );
	if ( !( vec3_dot( n, n ) > least * vec3_dot( d, d ) * vec3_dot( e, e ) ) )
		return false;
	return near->is_face ? s > least && t > least && s + t < most : s > least && s < most && t > least && t < most;
}

// The distance, rounded up, where the way leads along an axis and nothing is rounded.
static bool axis_distance( const place *at, const dbvhi_posed_pair *pair, const dbvhi_near_place *near,
                           double *distance ) {
	int axis = -1;
	for ( int k = 0; k < 3; ++k ) {
		if ( has_no_component( at, pair, k ) )
			continue;
		if ( axis >= 0 )
			return false;
		axis = k;
	}
	if ( axis < 0 || !is_well_inside( at, near ) )
		return false;
	bool exact = true;
	const dbvhi_dd way = exact_difference( pair, 3 + at->corner[1], at->corner[0], axis, &exact );
	const dbvhi_dd length = way.hi < 0.0 ? dbvhi_dd_negate( way ) : way;
	*distance = length.lo > 0.0 ? nextafter( length.hi, INFINITY ) : length.hi;
	return exact && *distance > 0.0;
}

// ------------------------------------------------------------------------------------------------

// One component of an edge, off by less than v of `magnitude`. A moved edge is the rotation of one: where the pose is a
// turn about an axis but for roundings, that knows far more of a small component than a difference of moved corners
// does. False where products are too small for doubles.
static bool edge_component( const dbvhi_posed_pair *pair, int to, int from, int k, dbvhi_dd *out, double *magnitude ) {
	const double *corners = to < 3 ? pair->fixed : pair->moved;
	const int p = 3 * ( to % 3 ), q = 3 * ( from % 3 );
	*out = dbvhi_dd_sum( corners[p + k], -corners[q + k] );
	*magnitude = fabs( out->hi );
	if ( to < 3 )
		return true;
	*out = dd_of( 0.0 );
	*magnitude = 0.0;
	for ( int j = 0; j < 3; ++j ) {
		const dbvhi_dd step = dbvhi_dd_sum( corners[p + j], -corners[q + j] );
		const double turn = pair->pose->rot[k][j];
		if ( turn == 0.0 || step.hi == 0.0 )
			continue;
		const dbvhi_dd term = dbvhi_dd_mul( step, dd_of( turn ) );
		*out = dbvhi_dd_add( *out, term );
		*magnitude += fabs( term.hi );
		if ( !( fabs( term.hi ) > 0x1p-400 ) )
			return false;
	}
	return true;
}

// One of a product of two edges, if that is right to a few units in its last place.
static bool product_component( const place *at, const dbvhi_posed_pair *pair, int k, dbvhi_dd *out ) {
	const int i = ( k + 1 ) % 3, j = ( k + 2 ) % 3, *to = at->to, *from = at->from;
	dbvhi_dd d[2], e[2];
	double size_d[2], size_e[2];
	if ( !edge_component( pair, to[0], from[0], i, &d[0], &size_d[0] ) ||
	     !edge_component( pair, to[0], from[0], j, &d[1], &size_d[1] ) ||
	     !edge_component( pair, to[1], from[1], i, &e[0], &size_e[0] ) ||
	     !edge_component( pair, to[1], from[1], j, &e[1], &size_e[1] ) )
		return false;
	*out = dbvhi_dd_sub( dbvhi_dd_mul( d[0], e[1] ), dbvhi_dd_mul( d[1], e[0] ) );
	*out = at->is_turned ? dbvhi_dd_negate( *out ) : *out;
	const double error = 4.0 * V * ( size_d[0] * size_e[1] + size_d[1] * size_e[0] );
	return error == 0.0 || fabs( out->hi ) > 0x1p54 * error;
}

// The components of the way, times some factor, each right to some units in the last place: by far above its error.
// That of a normal is a difference of two products of differences. That of two corners is one of theirs; with an edge,
// that of the other corner's height over it, which turns with the edge. False where one is too small for that.
static bool clear_components( const place *at, const dbvhi_posed_pair *pair, dbvhi_dd out[3] ) {
	const double both = at->size + at->reach;
	const int count = __builtin_popcount( at->corners[0] ) + __builtin_popcount( at->corners[1] );
	const double error = 64.0 * V * both * ( count == 2 ? 1.0 : count == 3 ? 1.0 + both / at->edge : both );
	for ( int k = 0; k < 3; ++k ) {
		out[k] = lane( at->normal, k );
		if ( !( fabs( out[k].hi ) > 0x1p54 * error ) &&
		     !( at->is_product ? product_component( at, pair, k, &out[k] ) : has_no_component( at, pair, k ) ) )
			return false;
	}
	return true;
}

// Is the gap along the normal certainly above the double before `distance`?
static bool is_no_nearer( const place *at, double distance, dbvhi_dd *height ) {
	double error;
	*height = gap_along_normal( at, &error );
	const dbvhi_dd length = dd_root( dd3_dot( at->normal, at->normal ) );
	return is_above( *height, dbvhi_dd_mul( length, dd_of( nextafter( distance, 0.0 ) ) ), error );
}

static bool no_nearer( const dbvhi_posed_pair *pair, const dbvhi_tri_tri_bounds *gap, double distance ) {
	DBVHI_ASSERT( distance > 0.0 );
	place at;
	dbvhi_dd height;
	return find( &at, pair, &gap->place ) && is_no_nearer( &at, distance, &height );
}

// The distance, rounded up, and the gap along the normal.
static bool measure( const place *at, const dbvhi_posed_pair *pair, const dbvhi_near_place *near, double *distance,
                     dbvhi_dd *height ) {
	if ( !at->is_inside )
		return false;
	const dbvhi_dd squared = dd3_dot( at->between, at->between );
	if ( !( squared.hi > 0x1p-400 ) )
		return false;
	const dbvhi_dd upper = dd_root( squared );
	*distance = upper.lo > 0.0 ? nextafter( upper.hi, INFINITY ) : upper.hi;
	// The points are off by 4 v (S + C) each, in each coordinate.
	if ( !is_above( dd_of( *distance ), upper, 16.0 * V * ( at->size + at->reach ) ) &&
	     !axis_distance( at, pair, near, distance ) )
		return false;
	return is_no_nearer( at, *distance, height );
}

static bool rounded_near( const dbvhi_posed_pair *pair, const dbvhi_tri_tri_bounds *gap, double *distance ) {
	place at;
	dbvhi_dd height;
	return gap->lower > 0.0 && find( &at, pair, &gap->place ) && measure( &at, pair, &gap->place, distance, &height );
}

static bool distance_near( const dbvhi_posed_pair *pair, const dbvhi_tri_tri_bounds *gap, double limit,
                           dbvhi_witness *out ) {
	place at;
	dbvhi_dd height, way[3];
	double distance;
	if ( !( gap->lower > 0.0 ) || !find( &at, pair, &gap->place ) || !clear_components( &at, pair, way ) ||
	     !measure( &at, pair, &gap->place, &distance, &height ) || distance > limit )
		return false;
	out->distance = distance;
	out->is_way_whole = true;
	out->corners_fixed = at.corners[0];
	out->corners_moved = at.corners[1];
	const dbvhi_dd scale = dbvhi_dd_div( height, dd3_dot( at.normal, at.normal ) );
	const bool on_corner[2] = { at.corners[0] == 1u << at.corner[0], at.corners[1] == 1u << at.corner[1] };
	for ( int k = 0; k < 3; ++k ) {
		out->between[k] = dbvhi_dd_mul( way[k], scale ).hi + 0.0;
		out->fixed[k] = on_corner[0] ? pair->fixed[3 * at.corner[0] + k] : gap->fixed[k];
		out->moved[k] = on_corner[1] ? pair->image[3 * at.corner[1] + k] : gap->moved[k];
	}
	return true;
}

// ------------------------------------------------------------------------------------------------
// Other features

// A corner on an edge or another corner, in both orders; two edges; a corner over a face.
#define MOST_PLACES ( 18 + 9 + 6 )

typedef struct places {
	vec3 p[6]; // the corners, rounded
	dbvhi_near_place place[MOST_PLACES];
	double squared[MOST_PLACES], least;
	int count;
} places;

static void add_place( places *found, dbvhi_near_place at, vec3 way ) {
	at.is_known = true;
	const double squared = vec3_dot( way, way );
	found->squared[found->count] = squared;
	found->place[found->count++] = at;
	found->least = dbvhi_smaller( found->least, squared );
}

static vec3 vec3_along( vec3 p, double t, vec3 d ) {
	return ( vec3 ){ p.x + t * d.x, p.y + t * d.y, p.z + t * d.z };
}

static void add_corners_and_edges( places *found, bool edge_is_fixed ) {
	const vec3 *of_edge = found->p + ( edge_is_fixed ? 0 : 3 ), *corners = found->p + ( edge_is_fixed ? 3 : 0 );
	for ( int j = 0; j < 3; ++j ) {
		const vec3 e = vec3_sub( of_edge[( j + 1 ) % 3], of_edge[j] );
		const double ee = vec3_dot( e, e );
		for ( int i = 0; i < 3; ++i ) {
			const double along = vec3_dot( vec3_sub( corners[i], of_edge[j] ), e );
			// The next edge begins where this one ends, and of two corners once is enough.
			if ( along >= ee || ( along <= 0.0 && edge_is_fixed ) )
				continue;
			const double t = along > 0.0 ? dbvhi_smaller( along / ee, 1.0 ) : 0.0;
			const vec3 way = vec3_sub( corners[i], vec3_along( of_edge[j], t, e ) );
			if ( edge_is_fixed )
				add_place( found, ( dbvhi_near_place ){ .a = (uint8_t)j, .b = (uint8_t)i, .s = t }, way );
			else
				add_place( found, ( dbvhi_near_place ){ .a = (uint8_t)i, .b = (uint8_t)j, .t = t }, way );
		}
	}
}

// Edges that are about parallel are nearest at a corner of one of them.
static void add_edges( places *found ) {
	const vec3 *a = found->p, *b = found->p + 3;
	for ( int i = 0; i < 3; ++i ) {
		const vec3 d = vec3_sub( a[( i + 1 ) % 3], a[i] );
		for ( int j = 0; j < 3; ++j ) {
			const vec3 e = vec3_sub( b[( j + 1 ) % 3], b[j] ), w = vec3_sub( a[i], b[j] );
			const double dd = vec3_dot( d, d ), de = vec3_dot( d, e ), ee = vec3_dot( e, e ), dw = vec3_dot( d, w ),
			             ew = vec3_dot( e, w ), determinant = dd * ee - de * de;
			if ( !( determinant > 0x1p-30 * dd * ee ) )
				continue;
			const double s = ( de * ew - ee * dw ) / determinant, t = ( dd * ew - de * dw ) / determinant;
			if ( s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0 )
				add_place( found, ( dbvhi_near_place ){ .a = (uint8_t)i, .b = (uint8_t)j, .s = s, .t = t },
				           vec3_sub( vec3_along( b[j], t, e ), vec3_along( a[i], s, d ) ) );
		}
	}
}

static void add_faces( places *found, bool face_is_fixed ) {
	const vec3 *t = found->p + ( face_is_fixed ? 0 : 3 ), *corners = found->p + ( face_is_fixed ? 3 : 0 );
	const vec3 e1 = vec3_sub( t[1], t[0] ), e2 = vec3_sub( t[2], t[0] ), n = vec3_cross( e1, e2 );
	const double nn = vec3_dot( n, n );
	if ( !( nn > 0.0 ) )
		return;
	for ( int i = 0; i < 3; ++i ) {
		const vec3 w = vec3_sub( corners[i], t[0] );
		const double alpha = vec3_dot( vec3_cross( w, e2 ), n ) / nn, beta = vec3_dot( vec3_cross( e1, w ), n ) / nn;
		if ( !( alpha > 0.0 && beta > 0.0 && alpha + beta < 1.0 ) )
			continue;
		const dbvhi_near_place over = {
		    .is_face = true, .face_is_fixed = face_is_fixed, .a = (uint8_t)i, .s = alpha, .t = beta };
		const vec3 foot = vec3_along( vec3_along( t[0], alpha, e1 ), beta, e2 );
		add_place( found, over, vec3_sub( corners[i], foot ) );
	}
}

// Is feature pair i as near as the nearest, but for roundings? Distances in doubles are off by a few u S.
static bool may_be_least( const places *found, int i, double size ) {
	return sqrt( found->squared[i] ) <= sqrt( found->least ) + 0x1p-45 * size;
}

static bool find_place( const dbvhi_posed_pair *pair, dbvhi_tri_tri_bounds *gap ) {
	place corners;
	if ( !gap->place.is_known || !( gap->lower > 0.0 ) || !load_pair( &corners, pair ) )
		return false;
	places found = { .least = INFINITY };
	for ( int i = 0; i < 6; ++i )
		found.p[i] = rounded( corner_of( &corners, i ) );
	add_corners_and_edges( &found, false );
	add_corners_and_edges( &found, true );
	add_edges( &found );
	add_faces( &found, true );
	add_faces( &found, false );
	dbvhi_dd least = { INFINITY, 0.0 };
	place at;
	int best = -1;
	for ( int i = 0; i < found.count; ++i ) {
		if ( !may_be_least( &found, i, corners.size ) )
			continue;
		at = corners;
		locate( &at, &found.place[i] );
		const dbvhi_dd squared = dd3_dot( at.between, at.between );
		if ( best >= 0 && !( dbvhi_dd_sub( squared, least ).hi < 0.0 ) )
			continue;
		least = squared;
		best = i;
	}
	if ( best < 0 || memcmp( &found.place[best], &gap->place, sizeof gap->place ) == 0 )
		return false;
	gap->place = found.place[best];
	at = corners;
	locate( &at, &gap->place );
	for ( int k = 0; k < 3; ++k ) {
		const double point = at.point.hi[k];
		gap->fixed[k] = pair->fixed[k] + point;
		gap->moved[k] = pair->fixed[k] + ( point + at.between.hi[k] );
	}
	return true;
}

// ------------------------------------------------------------------------------------------------
// Planes

// The gap of the triangles along the normal, approximately.
static double separation( const place *at ) {
	double error;
	const dbvhi_dd gap = gap_along_normal( at, &error );
	return gap.hi > 0.0 ? dbvhi_dd_div( gap, dd_root( dd3_dot( at->normal, at->normal ) ) ).hi : 0.0;
}

// Choose the direction that separates the triangles best. Faces may be parallel but for roundings; then the direction
// between their nearest features is a little off, and the normal of one of the faces separates more.
static void choose_normal( place *at ) {
	place other = *at;
	double most = separation( at );
	for ( int face = 0; face < 6; face += 3 ) {
		other.normal = dd3_cross( difference( at, face + 1, face ), difference( at, face + 2, face ) );
		if ( !turn_normal( &other ) )
			continue;
		const double found = separation( &other );
		if ( found > most ) {
			most = found;
			at->normal = other.normal;
		}
	}
}

static bool planes_init( const dbvhi_posed_pair *pair, const dbvhi_tri_tri_bounds *gap, double distance,
                         dbvhi_distance_planes *out ) {
	DBVHI_ASSERT( distance > 0.0 );
	place at;
	if ( !find( &at, pair, &gap->place ) )
		return false;
	choose_normal( &at );
	const dbvhi_dd height = dd3_dot( at.normal, difference( &at, 3 + at.corner[1], at.corner[0] ) ),
	               length = dd_root( dd3_dot( at.normal, at.normal ) );
	const dbvhi_dd most = dbvhi_dd_mul( length, dd_of( distance ) ),
	               least = dbvhi_dd_mul( length, dd_of( nextafter( distance, 0.0 ) ) );
	const double error =
	    4.0 * V * sum_of( at.normal ) * ( at.size + at.reach ) + 64.0 * V * ( fabs( height.hi ) + fabs( most.hi ) );
	// Rounded down.
	const double under = dbvhi_dd_sub( height, least ).hi, over = dbvhi_dd_sub( height, most ).hi;
	out->no_nearer = under - 0x1p-50 * fabs( under ) - error;
	out->farther = over - 0x1p-50 * fabs( over ) - error;
	if ( !( out->no_nearer > 0.0 ) )
		return false;
	for ( int k = 0; k < 3; ++k ) {
		dbvhi_dd turned = { 0.0, 0.0 };
		for ( int j = 0; j < 3; ++j )
			turned = dbvhi_dd_add( turned, dbvhi_dd_mul( lane( at.normal, j ), dd_of( pair->pose->rot[j][k] ) ) );
		out->normal[0][k] = lane( at.normal, k );
		out->normal[1][k] = turned;
		out->corner[0][k] = pair->fixed[3 * at.corner[0] + k];
		out->corner[1][k] = pair->moved[3 * at.corner[1] + k];
	}
	out->size = 1.01 * sum_of( at.normal );
	return true;
}

static double height_beyond( const dbvhi_distance_planes *planes, const double triangle[9], bool moved ) {
	const dbvhi_dd *n = planes->normal[moved];
	const double *from = planes->corner[moved];
	const double4 sign = spread( moved ? -1.0 : 1.0 );
	// Doubles decide most corners.
	double4 height = { 0 }, magnitude = { 0 }, way = { 0 }, to[3];
	for ( int k = 0; k < 3; ++k ) {
		to[k] = column( triangle, k );
		const double4 step = to[k] - spread( from[k] ), term = spread( n[k].hi ) * step;
		height += sign * term;
		magnitude += double4_abs( term );
		way = double4_max( way, double4_abs( step ) );
	}
	// The turned normal is off by 4 v of all its components, too.
	const double4 fine = spread( 16.0 * V * planes->size ) * way + spread( 0x1p-1000 ),
	              coarse = spread( 0x1p-50 ) * magnitude + fine;
	dd3 sum = { { 0 }, { 0 } };
	bool is_summed = false;
	double highest = -INFINITY;
	for ( int i = 0; i < 3; ++i ) {
		if ( !( way[i] < 0x1p180 ) )
			return INFINITY;
		if ( way[i] == 0.0 ) { // the corner itself
			highest = dbvhi_larger( highest, 0.0 );
			continue;
		}
		if ( height[i] < -4.0 * coarse[i] || height[i] > 4.0 * coarse[i] + planes->no_nearer ) {
			highest = dbvhi_larger( highest, height[i] + coarse[i] );
			continue;
		}
		for ( int k = 0; k < 3 && !is_summed; ++k )
			sum = dd3_add( sum, dd3_mul( dd3_spread( n[k] ), double4_exact_sum( to[k], spread( -from[k] ) ) ) );
		is_summed = true;
		highest = dbvhi_larger( highest, sign[i] * sum.hi[i] + 0x1p-52 * fabs( sum.hi[i] ) + fine[i] );
	}
	return highest;
}

extern const dbvhi_distance_dd DBVHI_KERNEL_NAME( dbvhi_distance_dd );
const dbvhi_distance_dd DBVHI_KERNEL_NAME( dbvhi_distance_dd ) = {
    no_nearer, rounded_near, distance_near, find_place, planes_init, height_beyond,
};
