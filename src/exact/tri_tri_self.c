// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "base/assert.h"
#include "base/inline.h"
#include "exact/tri_tri.h"
#include "exact/vec3.h"

#include <math.h>
#include <string.h>

#define U 0x1p-53

// ------------------------------------------------------------------------------------------------
// What is shared

// The different points among the corners of two triangles: those that both have first, then those of one alone.
typedef struct corner_sets {
	int common;
	int only_a, only_b;
	int a[3], b[3]; // corners of a and b, 0 to 2: the common ones in the same order, then the others
} corner_sets;

static inline bool same_point( const double *p, const double *q ) {
	return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

// Is corner i of t equal to an earlier one?
static inline bool is_repeated( const double t[9], int i ) {
	DBVHI_ASSERT( (unsigned)i < 3 );
	return ( i > 0 && same_point( t, t + 3 * i ) ) || ( i > 1 && same_point( t + 3, t + 3 * i ) );
}

static inline int corner_equal_to( const double t[9], const double *p ) {
	for ( int i = 0; i < 3; ++i ) {
		if ( same_point( t + 3 * i, p ) )
			return i;
	}
	return -1;
}

static corner_sets sort_corners( const double a[9], const double b[9] ) {
	corner_sets s = { 0 };
	bool used[3] = { false, false, false };
	int alone[3];
	for ( int i = 0; i < 3; ++i ) {
		if ( is_repeated( a, i ) )
			continue;
		const int j = corner_equal_to( b, a + 3 * i );
		if ( j < 0 ) {
			alone[s.only_a++] = i;
			continue;
		}
		used[j] = true;
		s.a[s.common] = i;
		s.b[s.common++] = j;
	}
	for ( int i = 0; i < s.only_a; ++i )
		s.a[s.common + i] = alone[i];
	for ( int j = 0; j < 3; ++j ) {
		if ( !used[j] && !is_repeated( b, j ) )
			s.b[s.common + s.only_b++] = j;
	}
	return s;
}

// ------------------------------------------------------------------------------------------------
// The filter

// exact/tri_tri.c derives the bound of a determinant of differences up to `size`; here coordinates carry no error.
static inline double determinant_bound( double size ) {
	return 64.0 * U * size * size * size;
}

// -1, 1, or 0 if that is not certain. Rounding a difference and adding three products up costs less than 5 u of the sum
// of the magnitudes, whatever `direction` is; underflow of a product is far below the last term.
static int certain_side( vec3 direction, vec3 d ) {
	const double px = direction.x * d.x, py = direction.y * d.y, pz = direction.z * d.z;
	const double sum = px + py + pz;
	const double bound = 8.0 * U * ( fabs( px ) + fabs( py ) + fabs( pz ) ) + 0x1p-900;
	return sum > bound ? 1 : sum < -bound ? -1 : 0;
}

static inline vec3 unit( vec3 a ) {
	const double s = 1.0 / sqrt( vec3_dot( a, a ) );
	return ( vec3 ){ s * a.x, s * a.y, s * a.z };
}

// Is there a plane through the shared corner with one triangle strictly on either side of it? Sought from the
// directions of the four edges by turning towards the one that is worst off (Rosenblatt's perceptron); any direction is
// good as a witness, so only its signs matter.
static bool cones_apart( vec3 a, vec3 b, vec3 c, vec3 d, double size ) {
	if ( !( size > 0x1p-200 && size < 0x1p200 ) )
		return false;
	const vec3 uc = unit( c ), ud = unit( d );
	const vec3 u[4] = { unit( a ), unit( b ), { -uc.x, -uc.y, -uc.z }, { -ud.x, -ud.y, -ud.z } };
	vec3 axis = { u[0].x + u[1].x + u[2].x + u[3].x, u[0].y + u[1].y + u[2].y + u[3].y,
	              u[0].z + u[1].z + u[2].z + u[3].z };
	for ( int round = 0; round < 12; ++round ) {
		int worst = 0;
		double least = vec3_dot( axis, u[0] );
		for ( int i = 1; i < 4; ++i ) {
			const double side = vec3_dot( axis, u[i] );
			worst = side < least ? i : worst;
			least = side < least ? side : least;
		}
		if ( least > 0x1p-30 )
			return certain_side( axis, a ) > 0 && certain_side( axis, b ) > 0 && certain_side( axis, c ) < 0 &&
			       certain_side( axis, d ) < 0;
		axis = ( vec3 ){ axis.x + u[worst].x, axis.y + u[worst].y, axis.z + u[worst].z };
	}
	return false;
}

// ------------------------------------------------------------------------------------------------
// In one plane, or nearly, determinants of four points say nothing. But if the projections of two sets along a
// coordinate axis are disjoint, then so are the sets.

typedef struct flat {
	double x, y;
} flat;

// The axis along which a plane with this normal loses least.
static inline int steepest_axis( vec3 n ) {
	const double x = fabs( n.x ), y = fabs( n.y ), z = fabs( n.z );
	return x > y ? ( x > z ? 0 : 2 ) : ( y > z ? 1 : 2 );
}

static inline flat flatten( vec3 a, int axis ) {
	DBVHI_ASSERT( (unsigned)axis < 3 );
	return axis == 0 ? ( flat ){ a.y, a.z } : axis == 1 ? ( flat ){ a.z, a.x } : ( flat ){ a.x, a.y };
}

// The side of p on which q lies, seen from their common origin: 1, -1, or 0 if that is not certain. Both are
// differences of doubles, rounded once: see two_shared_filter().
static inline int flat_side( flat p, flat q, double underflow ) {
	const double left = p.x * q.y, right = p.y * q.x;
	const double sum = left - right, bound = 8.0 * U * ( fabs( left ) + fabs( right ) ) + underflow;
	return sum > bound ? 1 : sum < -bound ? -1 : 0;
}

// Cones from one corner, between a and b and between c and d: does one edge have its own cone on one side, and the
// other strictly on the other?
static bool flat_cones_apart( vec3 a, vec3 b, vec3 c, vec3 d, double size ) {
	const vec3 na = vec3_cross( a, b ), nb = vec3_cross( c, d );
	const int axis = steepest_axis( vec3_size( na ) > vec3_size( nb ) ? na : nb );
	const flat p[4] = { flatten( a, axis ), flatten( b, axis ), flatten( c, axis ), flatten( d, axis ) };
	const double underflow = size * size * 0x1p-120;
	for ( int i = 0; i < 4; ++i ) {
		const int own = flat_side( p[i], p[i ^ 1], underflow );
		const int other = flat_side( p[i], p[i ^ 2], underflow ), last = flat_side( p[i], p[i ^ 3], underflow );
		if ( own * other < 0 && own * last < 0 )
			return true;
	}
	return false;
}

// Does the axis tell six points apart, given relative to one of them, the first three from the others? Its coordinates
// may be anything; the sums round as in certain_side().
static bool tells_apart( vec3 axis, const vec3 p[6], double size ) {
	const double bound = 16.0 * U * ( fabs( axis.x ) + fabs( axis.y ) + fabs( axis.z ) ) * size + 0x1p-900;
	double at[6];
	for ( int i = 0; i < 6; ++i )
		at[i] = vec3_dot( axis, p[i] );
	const double low_a = fmin( at[0], fmin( at[1], at[2] ) ), high_a = fmax( at[0], fmax( at[1], at[2] ) );
	const double low_b = fmin( at[3], fmin( at[4], at[5] ) ), high_b = fmax( at[3], fmax( at[4], at[5] ) );
	return low_a - high_b > bound || low_b - high_a > bound;
}

// Whole triangles, where the signs of the determinants say nothing: the axes on which disjoint triangles are disjoint.
static bool axes_tell_apart( const double a[9], const double b[9] ) {
	vec3 p[6];
	double size = 0.0;
	for ( int i = 0; i < 6; ++i ) {
		p[i] = vec3_between( i < 3 ? a + 3 * i : b + 3 * ( i - 3 ), a );
		size = dbvhi_larger( size, vec3_size( p[i] ) );
	}
	if ( !( size > 0x1p-200 && size < 0x1p200 ) )
		return false;
	vec3 edge[6];
	for ( int i = 0; i < 3; ++i ) {
		const int j = ( i + 1 ) % 3;
		edge[i] = ( vec3 ){ p[j].x - p[i].x, p[j].y - p[i].y, p[j].z - p[i].z };
		edge[3 + i] = ( vec3 ){ p[3 + j].x - p[3 + i].x, p[3 + j].y - p[3 + i].y, p[3 + j].z - p[3 + i].z };
	}
	const vec3 normal[2] = { vec3_cross( edge[0], edge[1] ), vec3_cross( edge[3], edge[4] ) };
	for ( int i = 0; i < 6; ++i ) {
		if ( tells_apart( vec3_cross( normal[i / 3], edge[i] ), p, size ) )
			return true;
	}
	if ( tells_apart( normal[0], p, size ) || tells_apart( normal[1], p, size ) )
		return true;
	for ( int i = 0; i < 9; ++i ) {
		if ( tells_apart( vec3_cross( edge[i / 3], edge[3 + i % 3] ), p, size ) )
			return true;
	}
	return false;
}

// Triangles (v, a, b) and (v, c, d). They have more than v in common if and only if each straddles the other's plane
// and the two segments that they cut out of the line where the planes cross run from v the same way. With alpha_a = det
// [c, d, a] and so on, relative to v, segment ab pierces (v, c, d) if and only if beta_c - beta_d + alpha_a - alpha_b
// has the sign of -beta_c, and cd pierces (v, a, b) if and only if it has that of -alpha_a: one of the two happens
// where alpha_a and beta_c differ in sign, none where they agree.
static dbvhi_answer one_shared_filter( const double *v, const double *pa, const double *pb, const double *pc,
                                       const double *pd ) {
	const vec3 a = vec3_between( pa, v ), b = vec3_between( pb, v ), c = vec3_between( pc, v ),
	           d = vec3_between( pd, v );
	const double size =
	    dbvhi_larger( dbvhi_larger( vec3_size( a ), vec3_size( b ) ), dbvhi_larger( vec3_size( c ), vec3_size( d ) ) );
	if ( !dbvhi_is_between( size, 0x1p300 ) )
		return DBVHI_UNSURE;
	const double bound = determinant_bound( size );
	const vec3 normal_b = vec3_cross( c, d );
	const double alpha_a = vec3_dot( normal_b, a ), alpha_b = vec3_dot( normal_b, b );
	if ( ( alpha_a > bound && alpha_b > bound ) || ( alpha_a < -bound && alpha_b < -bound ) )
		return DBVHI_DISJOINT;
	const vec3 normal_a = vec3_cross( a, b );
	const double beta_c = vec3_dot( normal_a, c ), beta_d = vec3_dot( normal_a, d );
	if ( ( beta_c > bound && beta_d > bound ) || ( beta_c < -bound && beta_d < -bound ) )
		return DBVHI_DISJOINT;
	if ( fabs( alpha_a ) > bound && fabs( alpha_b ) > bound && fabs( beta_c ) > bound && fabs( beta_d ) > bound )
		return ( alpha_a > 0.0 ) != ( beta_c > 0.0 ) ? DBVHI_INTERSECTING : DBVHI_DISJOINT;
	return cones_apart( a, b, c, d, size ) || flat_cones_apart( a, b, c, d, size ) ? DBVHI_DISJOINT : DBVHI_UNSURE;
}

// Triangles (p, q, a) and (p, q, b) in different planes have only the segment pq in common. In one plane, or in what
// cannot be decided from one, they have no more if a and b are on different sides of pq in a projection that leaves
// both an area: there the images have only that of pq in common, and no other point of either triangle has its image on
// that.
static dbvhi_answer two_shared_filter( const double *p, const double *q, const double *pa, const double *pb ) {
	const vec3 e = vec3_between( q, p ), a = vec3_between( pa, p ), b = vec3_between( pb, p );
	const double size = dbvhi_larger( vec3_size( e ), dbvhi_larger( vec3_size( a ), vec3_size( b ) ) );
	if ( !dbvhi_is_between( size, 0x1p300 ) )
		return DBVHI_UNSURE;
	const vec3 normal = vec3_cross( e, a );
	if ( fabs( vec3_dot( normal, b ) ) > determinant_bound( size ) )
		return DBVHI_DISJOINT;
	const vec3 other = vec3_cross( e, b );
	const double ex = fabs( e.x ), ey = fabs( e.y ), ez = fabs( e.z );
	const double ax = fabs( a.x ), ay = fabs( a.y ), az = fabs( a.z );
	const double bx = fabs( b.x ), by = fabs( b.y ), bz = fabs( b.z );
	// Each product of two rounded differences is off by less than 3.1 u of it, and their difference rounds once more.
	const double slack = 8.0 * U;
	const double normal_bound[3] = { slack * ( ey * az + ez * ay ), slack * ( ez * ax + ex * az ),
	                                 slack * ( ex * ay + ey * ax ) };
	const double other_bound[3] = { slack * ( ey * bz + ez * by ), slack * ( ez * bx + ex * bz ),
	                                slack * ( ex * by + ey * bx ) };
	const double n[3] = { normal.x, normal.y, normal.z }, o[3] = { other.x, other.y, other.z };
	const double underflow = size * size * 0x1p-120;
	for ( int k = 0; k < 3; ++k ) {
		if ( fabs( n[k] ) > normal_bound[k] + underflow && fabs( o[k] ) > other_bound[k] + underflow &&
		     ( n[k] > 0.0 ) != ( o[k] > 0.0 ) )
			return DBVHI_DISJOINT;
	}
	return DBVHI_UNSURE;
}

// The pairs of equal corners of a and b, corner i of a and j of b as bit 3 i + j. Only an equal x costs a branch: most
// pairs of triangles share a corner or two, and a predictor cannot know which.
static inline unsigned equal_corners( const double a[9], const double b[9] ) {
	typedef double double4 __attribute__( ( vector_size( 32 ) ) );
	typedef int64_t long4 __attribute__( ( vector_size( 32 ) ) );
	const double4 x = { b[0], b[3], b[6], NAN };
	long4 bits = { 0 };
	for ( int i = 0; i < 3; ++i ) {
		const double own = a[3 * i];
		bits |= ( x == ( double4 ){ own, own, own, own } ) & ( ( long4 ){ 1, 2, 4, 0 } << ( 3 * i ) );
	}
	unsigned maybe = (unsigned)( bits[0] | bits[1] | bits[2] ), equal = 0;
	for ( ; maybe != 0; maybe &= maybe - 1 ) {
		const int bit = __builtin_ctz( maybe );
		const double *const p = a + 3 * ( bit / 3 ), *const q = b + 3 * ( bit % 3 );
		equal |= (unsigned)( ( p[1] == q[1] ) & ( p[2] == q[2] ) ) << bit;
	}
	return equal;
}

// With corners that coincide within a triangle, or all three common.
static dbvhi_answer odd_filter( const double a[9], const double b[9] ) {
	const corner_sets s = sort_corners( a, b );
	if ( s.common == 3 )
		return DBVHI_INTERSECTING;
	return s.common == 2 && ( s.only_a == 0 || s.only_b == 0 ) ? DBVHI_DISJOINT : DBVHI_UNSURE;
}

dbvhi_answer dbvhi_self_intersect_filter( const double a[9], const double b[9] ) {
	const unsigned equal = equal_corners( a, b );
	if ( equal == 0 ) {
		const dbvhi_answer answer = dbvhi_triangles_filter( a, b, 0.0 );
		return answer == DBVHI_UNSURE && axes_tell_apart( a, b ) ? DBVHI_DISJOINT : answer;
	}
	const int first = __builtin_ctz( equal ), i = first / 3, j = first % 3;
	const unsigned rest = equal & ( equal - 1 );
	static const int next[5] = { 0, 1, 2, 0, 1 };
	if ( rest == 0 )
		return one_shared_filter( a + 3 * i, a + 3 * next[i + 1], a + 3 * next[i + 2], b + 3 * next[j + 1],
		                          b + 3 * next[j + 2] );
	const int second = __builtin_ctz( rest ), k = second / 3, l = second % 3;
	if ( ( rest & ( rest - 1 ) ) != 0 || i == k || j == l )
		return odd_filter( a, b );
	return two_shared_filter( a + 3 * i, a + 3 * k, a + 3 * ( 3 - i - k ), b + 3 * ( 3 - j - l ) );
}

// ------------------------------------------------------------------------------------------------
// The decision

// A triangle with corner v is the union of all segments from v to its far side: the opposite edge, or, where the three
// are collinear, the other two corners by themselves. None of these contains v. A common point x other than v makes the
// ray from v through x leave each triangle on its far side, and the nearer of the two lies in both: so there is one if
// and only if the far side of one triangle intersects the other triangle.
static bool far_side_meets( dbvhi_points *s, const int t[3], int distinct, const int other[3] ) {
	if ( distinct == 1 )
		return false;
	if ( distinct == 3 && dbvhi_points_projection( s, t[0], t[1], t[2], NULL ) >= 0 )
		return dbvhi_segment_intersects_triangle( s, t[1], t[2], other );
	for ( int i = 1; i < distinct; ++i ) {
		if ( dbvhi_segment_intersects_triangle( s, t[i], t[i], other ) )
			return true;
	}
	return false;
}

// Corners p, q common; a and b the others. Collinear triangles with an excess over pq on the same side overlap there.
static bool beyond_edge( dbvhi_points *s, int p, int q, int a, int b ) {
	DBVHI_ASSERT( (unsigned)p < 6 && (unsigned)q < 6 && (unsigned)a < 6 && (unsigned)b < 6 );
	const int axis = dbvhi_points_projection( s, p, q, a, NULL );
	if ( axis >= 0 ) {
		// (p, q, b) in another plane, or collinear, has no more than pq on that of (p, q, a).
		return dbvhi_points_orient3d( s, p, q, a, b ) == 0 &&
		       dbvhi_points_orient2d( s, axis, p, q, a ) * dbvhi_points_orient2d( s, axis, p, q, b ) > 0;
	}
	if ( dbvhi_points_projection( s, p, q, b, NULL ) >= 0 )
		return false;
	// On one line, where any coordinate in which p and q differ tells the order.
	int k = 0;
	while ( s->p[p][k] == s->p[q][k] )
		++k;
	const double low = fmin( s->p[p][k], s->p[q][k] ), high = fmax( s->p[p][k], s->p[q][k] );
	const double at_a = s->p[a][k], at_b = s->p[b][k];
	return ( at_a < low && at_b < low ) || ( at_a > high && at_b > high );
}

bool dbvhi_self_intersect_exact( const double a[9], const double b[9] ) {
	static const dbvh_pose identity = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 0, 0, 0 } };
	const corner_sets s = sort_corners( a, b );
	if ( s.common == 0 )
		return dbvhi_triangles_intersect_exact( a, b, b, &identity, 0.0 );
	if ( s.common == 3 )
		return true;
	dbvhi_points points;
	dbvhi_points_init( &points, a, b, b, &identity, 0.0 );
	if ( s.common == 2 ) {
		if ( s.only_a == 0 || s.only_b == 0 )
			return false; // one of them is the segment itself
		return beyond_edge( &points, s.a[0], s.a[1], s.a[2], 3 + s.b[2] );
	}
	const int all_a[3] = { 0, 1, 2 }, all_b[3] = { 3, 4, 5 };
	const int sorted_a[3] = { s.a[0], s.a[1], s.a[2] }, sorted_b[3] = { 3 + s.b[0], 3 + s.b[1], 3 + s.b[2] };
	return far_side_meets( &points, sorted_a, 1 + s.only_a, all_b ) ||
	       far_side_meets( &points, sorted_b, 1 + s.only_b, all_a );
}
