// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The exact distance of two triangles: which of their features may be the nearest, as far as doubles can tell, and the
// exact distances of those.

#include "base/assert.h"
#include "base/inline.h"
#include "exact/feature_distance.h"
#include "exact/number/big3.h"
#include "exact/tri_tri.h"
#include "exact/tri_tri_distance.h"
#include "exact/tri_tri_features.h"

#include <math.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------
// Which features: those that doubles do not show to be farther apart than `reach`

// ... and another pair, whose distance is known.
typedef struct comparison {
	const dbvhi_posed_pair *pair, *known;
	const dbvhi_witness *witness;
	int sign;
} comparison;

static bool is_among( const double corner[3], const double triangle[9], uint32_t corners ) {
	DBVHI_ASSERT( corners <= 7 );
	for ( int i = 0; i < 3; ++i ) {
		if ( ( corners >> i & 1 ) != 0 && memcmp( corner, triangle + 3 * i, 3 * sizeof( double ) ) == 0 )
			return true;
	}
	return false;
}

static bool are_among( const double triangle[9], uint32_t corners, const double other[9], uint32_t other_corners ) {
	DBVHI_ASSERT( corners <= 7 && other_corners <= 7 );
	for ( int i = 0; i < 3; ++i ) {
		if ( ( corners >> i & 1 ) != 0 && !is_among( triangle + 3 * i, other, other_corners ) )
			return false;
	}
	return true;
}

static bool has_known_feature( const comparison *c ) {
	return are_among( c->known->fixed, c->witness->corners_fixed, c->pair->fixed, 7 ) &&
	       are_among( c->known->moved, c->witness->corners_moved, c->pair->moved, 7 );
}

static bool same_corners( const double a[9], uint32_t corners_a, const double b[9], uint32_t corners_b ) {
	DBVHI_ASSERT( corners_a <= 7 && corners_b <= 7 );
	return __builtin_popcount( corners_a ) == __builtin_popcount( corners_b ) &&
	       are_among( a, corners_a, b, corners_b ) && are_among( b, corners_b, a, corners_a );
}

typedef struct search {
	dbvhi_points points;
	double along[6]; // the corners on the direction from one triangle to the other
	double size;     // largest difference of two corners: S in tri_tri_distance.c
	double slack;    // see there
	bool has_direction;
	bool comfortable;        // squares of coordinates are in the range of doubles
	const comparison *known; // a feature whose distance is known is left out; NULL: none is
} search;

static double size_of_pair( const dbvhi_points *s ) {
	double size = 0.0;
	for ( int i = 1; i < 6; ++i ) {
		for ( int k = 0; k < 3; ++k )
			size = dbvhi_larger( size, fabs( s->p[i][k] - s->p[0][k] ) );
	}
	return size;
}

static void search_init( search *s, const dbvhi_posed_pair *pair, const dbvhi_tri_tri_bounds *gap ) {
	dbvhi_points_init( &s->points, pair->fixed, pair->moved, pair->image, pair->pose, pair->error );
	s->known = NULL;
	s->has_direction = false;
	s->comfortable = false;
	if ( isinf( gap->upper ) )
		return;
	const double size = s->size = size_of_pair( &s->points );
	s->slack = 4.0 * pair->error + 128.0 * 0x1p-53 * size + 0x1p-1060;
	s->comfortable = size > 0x1p-200 && size < 0x1p200;
	for ( int i = 0; i < 6; ++i )
		s->along[i] = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		s->has_direction = s->has_direction || gap->direction[k] != 0.0;
		for ( int i = 0; i < 6; ++i )
			s->along[i] += gap->direction[k] * ( s->points.p[i][k] - s->points.p[0][k] );
	}
}

// The distance of a point from a segment, or from another point where both ends are the same.
static double from_segment( const double p[3], const double a[3], const double b[3] ) {
	double we = 0.0, ee = 0.0, squared = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		we += ( p[k] - a[k] ) * ( b[k] - a[k] );
		ee += ( b[k] - a[k] ) * ( b[k] - a[k] );
	}
	const double t = ee > 0.0 ? dbvhi_larger( dbvhi_smaller( we / ee, 1.0 ), 0.0 ) : 0.0;
	for ( int k = 0; k < 3; ++k ) {
		const double x = p[k] - a[k] - t * ( b[k] - a[k] );
		squared += x * x;
	}
	return sqrt( squared );
}

static bool is_known( const search *s, const dbvhi_feature *f ) {
	if ( s->known == NULL )
		return false;
	uint32_t fixed, moved;
	dbvhi_feature_corners( f, &fixed, &moved );
	const comparison *c = s->known;
	return same_corners( c->pair->fixed, fixed, c->known->fixed, c->witness->corners_fixed ) &&
	       same_corners( c->pair->moved, moved, c->known->moved, c->witness->corners_moved );
}

static double dot3( const double a[3], const double b[3] ) {
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void subtract( double out[3], const double a[3], const double b[3] ) {
	for ( int k = 0; k < 3; ++k )
		out[k] = a[k] - b[k];
}

static void cross3( double out[3], const double a[3], const double b[3] ) {
	for ( int k = 0; k < 3; ++k )
		out[k] = a[( k + 1 ) % 3] * b[( k + 2 ) % 3] - a[( k + 2 ) % 3] * b[( k + 1 ) % 3];
}

// Do the nearest points of two lines lie on the segments, as far as doubles can tell? `w` is from the start of e to
// that of d. Differences are at most 2 S in each coordinate and off by 2 E + 2 u S. So dot products are at most 12 S^2
// and off by 12 S (2 E + 2 u S) + 36 u S^2, and the differences of two products of these, and sums of two such, by less
// than S^3 (2304 E + 6000 u S), counting their own rounding.
static bool lines_may_be_nearest_inside( const search *s, const double d[3], const double e[3], const double w[3] ) {
	const double dd = dot3( d, d ), de = dot3( d, e ), ee = dot3( e, e ), dw = dot3( d, w ), ew = dot3( e, w );
	const double bound = s->size * s->size * s->size * ( 2400.0 * s->points.error + 8192.0 * 0x1p-53 * s->size );
	const double along_d = de * ew - ee * dw, along_e = dd * ew - de * dw, whole = dd * ee - de * de;
	return along_d >= -bound && along_e >= -bound && along_d - whole <= 2.0 * bound && along_e - whole <= 2.0 * bound;
}

// Is the foot of the perpendicular from a corner inside a face, as far as doubles can tell? n is perpendicular to the
// face. The products of an edge and the way to the corner are at most 8 S^2 in each coordinate, like n, and off by at
// most 16 S (2 E + 2 u S) + 24 u S^2; so their dot products are off by less than S^3 (1536 E + 3300 u S).
static bool foot_may_be_inside( const search *s, const dbvhi_feature *f, const double n[3] ) {
	const double bound = s->size * s->size * s->size * ( 1600.0 * s->points.error + 4096.0 * 0x1p-53 * s->size );
	for ( int i = 0; i < 3; ++i ) {
		const double *from = s->points.p[f->b[i]];
		double edge[3], way[3], product[3];
		subtract( edge, s->points.p[f->b[( i + 1 ) % 3]], from );
		subtract( way, s->points.p[f->a[0]], from );
		cross3( product, edge, way );
		// n is that of the corners in reverse.
		if ( dot3( product, n ) > bound )
			return false;
	}
	return true;
}

// May the feature be the one that is nearest, and as near as `reach`? NaN, from differences that overflow, says yes.
static bool may_be_nearest( const search *s, const dbvhi_feature *f, int corners_a, int corners_b, double reach ) {
	if ( s->has_direction ) {
		double low[2] = { INFINITY, INFINITY }, high[2] = { -INFINITY, -INFINITY };
		bool finite = true;
		for ( int i = 0; i < corners_a; ++i ) {
			const double x = s->along[f->a[i]];
			finite = finite && isfinite( x );
			low[0] = dbvhi_smaller( low[0], x );
			high[0] = dbvhi_larger( high[0], x );
		}
		for ( int i = 0; i < corners_b; ++i ) {
			const double x = s->along[f->b[i]];
			finite = finite && isfinite( x );
			low[1] = dbvhi_smaller( low[1], x );
			high[1] = dbvhi_larger( high[1], x );
		}
		if ( finite && dbvhi_larger( low[1] - high[0], low[0] - high[1] ) - s->slack > reach )
			return false;
	}
	if ( !s->comfortable )
		return true;
	const dbvhi_points *points = &s->points;
	const double *p = points->p[f->a[0]];
	// A point and a segment, or another point: their distance itself. The place on the segment is off by a few u S, and
	// so the distance by no more than that.
	if ( f->kind <= 3 )
		return from_segment( p, points->p[f->b[0]], points->p[f->b[corners_b - 1]] ) - s->slack <= reach;
	// Else the gap on the direction that is perpendicular to both.
	double d[3], e[3], w[3], n[3];
	subtract( d, f->kind == 5 ? points->p[f->a[1]] : points->p[f->b[2]], f->kind == 5 ? p : points->p[f->b[0]] );
	subtract( e, points->p[f->b[1]], points->p[f->b[0]] );
	subtract( w, p, points->p[f->b[0]] );
	cross3( n, d, e );
	const double length = sqrt( dot3( n, n ) );
	if ( length > 0x1p-450 ) {
		const double corners[2][3] = { { dot3( n, w ), f->kind == 5 ? dot3( n, w ) + dot3( n, d ) : dot3( n, w ), 0.0 },
		                               { 0.0, dot3( n, e ), f->kind == 5 ? 0.0 : dot3( n, d ) } };
		const double low_a = dbvhi_smaller( corners[0][0], corners[0][1] ),
		             high_a = dbvhi_larger( corners[0][0], corners[0][1] );
		const double low_b = dbvhi_smaller( corners[1][0], dbvhi_smaller( corners[1][1], corners[1][2] ) );
		const double high_b = dbvhi_larger( corners[1][0], dbvhi_larger( corners[1][1], corners[1][2] ) );
		if ( dbvhi_larger( low_b - high_a, low_a - high_b ) / length - s->slack > reach )
			return false;
	}
	return f->kind == 5 ? lines_may_be_nearest_inside( s, d, e, w ) : foot_may_be_inside( s, f, n );
}

// Calls `visit` for each feature whose distance counts, those of fewer corners first, until it returns true.
typedef bool visitor( void *context, const search *s, const dbvhi_feature *f, const dbvhi_feature_distance *d );

static bool each_feature( search *s, const double *reach, visitor *visit, void *context ) {
	dbvhi_feature_distance d;
	for ( int kind = 2; kind <= 5; ++kind ) {
		for ( int swapped = 0; swapped < ( kind == 3 || kind == 4 ? 2 : 1 ); ++swapped ) {
			const int first = swapped ? 3 : 0, second = swapped ? 0 : 3;
			for ( int i = 0; i < 3; ++i ) {
				for ( int j = 0; j < ( kind == 4 ? 1 : 3 ); ++j ) {
					const dbvhi_feature f = { kind,
					                          { first + i, first + ( i + 1 ) % 3, 0 },
					                          { second + j, second + ( j + 1 ) % 3, second + ( j + 2 ) % 3 } };
					const int corners_a = kind == 5 ? 2 : 1, corners_b = kind == 2 ? 1 : kind == 4 ? 3 : 2;
					if ( may_be_nearest( s, &f, corners_a, corners_b, *reach ) && !is_known( s, &f ) &&
					     dbvhi_feature_measure( &s->points, &f, &d ) && visit( context, s, &f, &d ) )
						return true;
				}
			}
		}
	}
	return false;
}

// ------------------------------------------------------------------------------------------------

static bool meet( const dbvhi_posed_pair *pair, const dbvhi_tri_tri_bounds *gap ) {
	if ( gap->lower > 0.0 )
		return false;
	const dbvhi_answer answer = dbvhi_triangles_filter( pair->fixed, pair->image, pair->error );
	if ( answer != DBVHI_UNSURE )
		return answer == DBVHI_INTERSECTING;
	return dbvhi_triangles_intersect_exact( pair->fixed, pair->moved, pair->image, pair->pose, pair->error );
}

static bool is_within( void *context, const search *s, const dbvhi_feature *f, const dbvhi_feature_distance *d ) {
	(void)s;
	(void)f;
	return dbvhi_ratio_compare_square( &d->squared, *(const double *)context ) <= 0;
}

bool dbvhi_triangles_within_exact( const dbvhi_posed_pair *pair, const dbvhi_tri_tri_bounds *gap, double reach ) {
	DBVHI_ASSERT( reach >= 0.0 );
	DBVHI_ASSERT( gap->lower <= gap->upper );
	if ( meet( pair, gap ) )
		return true;
	if ( reach == 0.0 )
		return false;
	search s;
	search_init( &s, pair, gap );
	return each_feature( &s, &reach, is_within, &reach );
}

// ------------------------------------------------------------------------------------------------
// The features that doubles have found, if pairs of doubles show that no others are nearer

static dbvhi_feature feature_at( const dbvhi_near_place *at ) {
	if ( at->is_face ) {
		const int face = at->face_is_fixed ? 0 : 3;
		return ( dbvhi_feature ){ 4, { 3 - face + at->a, 0, 0 }, { face, face + 1, face + 2 } };
	}
	const bool inside_a = at->s > 0.0 && at->s<1.0, inside_b = at->t> 0.0 && at->t < 1.0;
	const int next_a = ( at->a + 1 ) % 3, next_b = 3 + ( at->b + 1 ) % 3;
	const int a = at->s == 1.0 ? next_a : at->a, b = at->t == 1.0 ? next_b : 3 + at->b;
	if ( inside_a && inside_b )
		return ( dbvhi_feature ){ 5, { at->a, next_a, 0 }, { 3 + at->b, next_b, 0 } };
	if ( inside_a )
		return ( dbvhi_feature ){ 3, { b, 0, 0 }, { at->a, next_a, 0 } };
	if ( inside_b )
		return ( dbvhi_feature ){ 3, { a, 0, 0 }, { 3 + at->b, next_b, 0 } };
	return ( dbvhi_feature ){ 2, { a, 0, 0 }, { b, 0, 0 } };
}

// Their distance, rounded up; infinite where that is not known to be the triangles'.
static double measure_place( const dbvhi_posed_pair *pair, const dbvhi_tri_tri_bounds *gap, search *s, dbvhi_feature *f,
                             dbvhi_feature_distance *d ) {
	if ( !gap->place.is_known || !( gap->lower > 0.0 ) )
		return INFINITY;
	*f = feature_at( &gap->place );
	if ( !dbvhi_feature_measure( &s->points, f, d ) )
		return INFINITY;
	const double distance = dbvhi_ratio_root_up( &d->squared );
	return distance > 0.0 && dbvhi_triangles_no_nearer( pair, gap, distance ) ? distance : INFINITY;
}

typedef struct least {
	double limit; // nothing above it counts; later, what the best so far has
	bool found;
	dbvhi_witness *witness;
} least;

static void bear_witness( const search *s, const dbvhi_feature *f, const dbvhi_feature_distance *d,
                          dbvhi_witness *out ) {
	const bool a_is_moved = f->a[0] >= 3;
	double at[3], way[3];
	out->is_way_whole = dbvhi_feature_way( &s->points, f, d, at, way );
	for ( int k = 0; k < 3; ++k ) {
		const double other = at[k] + way[k];
		out->fixed[k] = a_is_moved ? other : at[k];
		out->moved[k] = a_is_moved ? at[k] : other;
		out->between[k] = a_is_moved ? 0.0 - way[k] : way[k];
	}
	dbvhi_feature_corners( f, &out->corners_fixed, &out->corners_moved );
}

static bool take_if_nearer( void *context, const search *s, const dbvhi_feature *f, const dbvhi_feature_distance *d ) {
	least *l = context;
	// Only a smaller distance replaces the best so far.
	const double most = l->found ? nextafter( l->limit, 0.0 ) : l->limit;
	if ( dbvhi_ratio_compare_square( &d->squared, most ) > 0 )
		return false;
	l->found = true;
	l->limit = dbvhi_ratio_root_up( &d->squared );
	l->witness->distance = l->limit;
	bear_witness( s, f, d, l->witness );
	return false;
}

// A point that both share, rounded to nearest.
static __attribute__( ( noinline ) ) void common_point( const dbvhi_posed_pair *pair, double out[3] ) {
	dbvhi_points points;
	dbvhi_shared_points meeting;
	dbvhi_points_init( &points, pair->fixed, pair->moved, pair->image, pair->pose, pair->error );
	dbvhi_triangles_cut( &points, &meeting );
	dbvhi_cell_position( &points, meeting.cell[0], false, out );
}

static __attribute__( ( noinline ) ) bool
nearest_feature( const dbvhi_posed_pair *pair, const dbvhi_tri_tri_bounds *gap, double limit, dbvhi_witness *out ) {
	search s;
	search_init( &s, pair, gap );
	dbvhi_feature f;
	dbvhi_feature_distance d;
	const double distance = measure_place( pair, gap, &s, &f, &d );
	if ( distance < INFINITY ) {
		out->distance = distance;
		bear_witness( &s, &f, &d, out );
		return distance <= limit;
	}
	least l = { .limit = fmin( limit, gap->upper ), .witness = out };
	each_feature( &s, &l.limit, take_if_nearer, &l );
	return l.found;
}

bool dbvhi_triangles_distance_exact( const dbvhi_posed_pair *pair, const dbvhi_tri_tri_bounds *gap, double limit,
                                     dbvhi_witness *out ) {
	DBVHI_ASSERT( limit >= 0.0 );
	DBVHI_ASSERT( gap->lower <= gap->upper );
	if ( meet( pair, gap ) ) {
		*out = ( dbvhi_witness ){ .corners_fixed = 7, .corners_moved = 7 };
		common_point( pair, out->fixed );
		memcpy( out->moved, out->fixed, sizeof out->moved );
		return true;
	}
	return nearest_feature( pair, gap, limit, out );
}

// ------------------------------------------------------------------------------------------------

static bool is_nearer( void *context, const search *s, const dbvhi_feature *f, const dbvhi_feature_distance *d ) {
	(void)s;
	(void)f;
	comparison *c = context;
	if ( c->sign > 0 && dbvhi_ratio_compare_square( &d->squared, c->witness->distance ) > 0 )
		return false;
	c->sign = 0;
	if ( dbvhi_ratio_compare_square( &d->squared, nextafter( c->witness->distance, 0.0 ) ) <= 0 )
		c->sign = -1;
	return c->sign < 0;
}

// Is the product of the witness's way with that from one corner to another certainly not above 0, or with `sign` -1 not
// below? Each component of the way is off by less than 8 u, a product, a difference and two sums add 4: 32 u of the sum
// of the terms' magnitudes is more than all, but for the error of the corners.
static bool is_beyond( const dbvhi_witness *witness, const double from[3], const double to[3], double error,
                       double sign ) {
	double height = 0.0, magnitude = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		const double step = to[k] - from[k], term = witness->between[k] * step;
		if ( !( fabs( term ) >= 0x1p-900 ) && witness->between[k] != 0.0 && step != 0.0 )
			return false;
		height += sign * term;
		magnitude += fabs( term ) * ( 32.0 * 0x1p-53 ) + fabs( witness->between[k] ) * error;
	}
	return height + magnitude <= 0.0;
}

// Do two planes perpendicular to the witness's way, each through its feature, have the triangles on their outer sides?
// The features lie in them, so that the triangles, which have the features, are at that distance. In doubles: false
// where these cannot tell.
static bool is_tied( const comparison *c ) {
	if ( !c->witness->is_way_whole )
		return false;
	const int first_fixed = __builtin_ctz( c->witness->corners_fixed ),
	          first_moved = __builtin_ctz( c->witness->corners_moved );
	for ( int i = 0; i < 3; ++i ) {
		const double *corner = c->pair->fixed + 3 * i;
		if ( !is_among( corner, c->known->fixed, c->witness->corners_fixed ) &&
		     !is_beyond( c->witness, c->known->fixed + 3 * first_fixed, corner, 0.0, 1.0 ) )
			return false;
		if ( !is_among( c->pair->moved + 3 * i, c->known->moved, c->witness->corners_moved ) &&
		     !is_beyond( c->witness, c->known->image + 3 * first_moved, c->pair->image + 3 * i,
		                 c->pair->error * ( 2.0 + 0x1p-20 ), -1.0 ) )
			return false;
	}
	return true;
}

int dbvhi_triangles_compare_exact( const dbvhi_posed_pair *pair, const dbvhi_tri_tri_bounds *gap,
                                   const dbvhi_posed_pair *known, const dbvhi_witness *witness ) {
	DBVHI_ASSERT( witness->distance > 0.0 );
	comparison c = { pair, known, witness, 1 };
	const double reach = witness->distance;
	if ( gap->upper < reach )
		return -1;
	if ( gap->lower > reach )
		return 1;
	const bool shares_feature = has_known_feature( &c );
	if ( shares_feature && is_tied( &c ) )
		return 0;
	search s;
	search_init( &s, pair, gap );
	dbvhi_feature f;
	dbvhi_feature_distance d;
	const double distance = measure_place( pair, gap, &s, &f, &d );
	if ( distance < INFINITY )
		return ( distance > reach ) - ( distance < reach );
	if ( shares_feature ) {
		c.sign = 0;
		s.known = &c;
	}
	each_feature( &s, &reach, is_nearer, &c );
	return c.sign;
}

// ------------------------------------------------------------------------------------------------

// The corners of a feature, by their numbers in a triangle that may be another one. False where it lacks one.
static bool find_corners( const double known[9], uint32_t corners, const double triangle[9], int out[2] ) {
	DBVHI_ASSERT( corners >= 1 && corners <= 7 );
	int count = 0;
	for ( int i = 0; i < 3; ++i ) {
		if ( ( corners >> i & 1 ) == 0 )
			continue;
		int k = 0;
		while ( k < 3 && memcmp( known + 3 * i, triangle + 3 * k, 3 * sizeof( double ) ) != 0 )
			k += 1;
		if ( k == 3 )
			return false;
		out[count++] = k;
	}
	return true;
}

bool dbvhi_triangle_is_behind( const dbvhi_posed_pair *known, const dbvhi_witness *witness, const double triangle[9],
                               const double image[9], bool moved ) {
	DBVHI_ASSERT( witness->corners_fixed <= 7 && witness->corners_moved <= 7 );
	const int count = __builtin_popcount( witness->corners_fixed );
	if ( count > 2 || count != __builtin_popcount( witness->corners_moved ) )
		return false;
	const double *fixed_triangle = moved ? known->fixed : triangle, *moved_triangle = moved ? triangle : known->moved;
	int p[2], q[2];
	if ( !find_corners( known->fixed, witness->corners_fixed, fixed_triangle, p ) ||
	     !find_corners( known->moved, witness->corners_moved, moved_triangle, q ) )
		return false;
	dbvhi_points points;
	dbvhi_points_init( &points, fixed_triangle, moved_triangle, moved ? image : known->image, known->pose,
	                   known->error );
	dbvhi_points_integers( &points );
	dbvhi_point_1 way, e, f;
	dbvhi_big_2 normal[3];
	dbvhi_big_3 height;
	dbvhi_big3_sub( way, points.exact[3 + q[0]], points.exact[p[0]] );
	int sign = 1;
	if ( count == 2 ) {
		dbvhi_big3_sub( e, points.exact[p[1]], points.exact[p[0]] );
		dbvhi_big3_sub( f, points.exact[3 + q[1]], points.exact[3 + q[0]] );
		dbvhi_big3_cross( normal, e, f );
		dbvhi_big3_dot( &height, way, normal );
		sign = height.sign;
	}
	for ( int i = 0; i < 3 && sign != 0; ++i ) {
		dbvhi_big3_sub( e, points.exact[moved ? 3 + i : i], points.exact[moved ? 3 + q[0] : p[0]] );
		if ( count == 2 )
			dbvhi_big3_dot( &height, e, normal );
		else
			dbvhi_big3_dot( &height, e, way );
		if ( sign * height.sign == ( moved ? -1 : 1 ) )
			return false;
	}
	return sign != 0;
}
