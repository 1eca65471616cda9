// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "exact/tri_tri_features.h"

#include "base/assert.h"
#include "base/inline.h"

#include <math.h>
#include <string.h>

// Two triangles share a convex set. Each of its extreme points is a corner of one triangle in the other, or a point
// where a side of one passes through the other or crosses a side of it. These are listed, each under the smallest parts
// of the triangles that hold it, so that one point found twice is recognised. In triangles with an area no such point
// lies between two others: a corner is extreme in its triangle, and so is the point of a side in what lies across it.
//
// Above a plane means on the side to which the normal points; dbvhi_points_orient3d() is negative there.

static const int fixed_corners[3] = { 0, 1, 2 }, moved_corners[3] = { 3, 4, 5 };

static void add( dbvhi_shared_points *m, int fixed, int moved ) {
	DBVHI_ASSERT( fixed >= DBVHI_NOWHERE && fixed <= DBVHI_FACE );
	DBVHI_ASSERT( moved >= DBVHI_NOWHERE && moved <= DBVHI_FACE );
	DBVHI_ASSERT( m->count <= DBVHI_MOST_CELLS );
	if ( fixed == DBVHI_NOWHERE || moved == DBVHI_NOWHERE )
		return;
	for ( int i = 0; i < m->count; ++i ) {
		if ( m->cell[i].fixed == fixed && m->cell[i].moved == moved )
			return;
	}
	if ( m->count < DBVHI_MOST_CELLS )
		m->cell[m->count++] = ( dbvhi_cell ){ (dbvhi_tri_feature)fixed, (dbvhi_tri_feature)moved };
}

static void add_either( dbvhi_shared_points *m, bool of_fixed, int own, int other ) {
	if ( of_fixed )
		add( m, own, other );
	else
		add( m, other, own );
}

// The feature of a triangle with an area that a point lies on, from its orientations e[k] to the three sides.
static int place_by_signs( const int e[3] ) {
	int zeros = 0, zero = 0, other = 0;
	bool positive = false, negative = false;
	for ( int k = 0; k < 3; ++k ) {
		positive = positive || e[k] > 0;
		negative = negative || e[k] < 0;
		if ( e[k] == 0 ) {
			zeros += 1;
			zero = k;
		} else {
			other = k;
		}
	}
	if ( ( positive && negative ) || zeros == 3 )
		return DBVHI_NOWHERE;
	if ( zeros == 0 )
		return DBVHI_FACE;
	// Two sides meet in the corner opposite the third.
	return zeros == 1 ? DBVHI_EDGE( zero ) : dbvhi_next_corner( dbvhi_next_corner( other ) );
}

// The feature that a point in the plane of a triangle lies on.
static int place_in_plane( dbvhi_points *s, int axis, int p, const int t[3] ) {
	DBVHI_ASSERT( (unsigned)axis < 3 );
	DBVHI_ASSERT( (unsigned)p < 6 );
	int e[3];
	for ( int k = 0; k < 3; ++k )
		e[k] = dbvhi_points_orient2d( s, axis, t[k], t[dbvhi_next_corner( k )], p );
	return place_by_signs( e );
}

// The feature that holds the point where the line through p and q passes through the plane of a triangle.
static int place_of_line( dbvhi_points *s, int p, int q, const int t[3] ) {
	DBVHI_ASSERT( (unsigned)p < 6 && (unsigned)q < 6 );
	int e[3];
	for ( int k = 0; k < 3; ++k )
		e[k] = dbvhi_points_orient3d( s, p, q, t[k], t[dbvhi_next_corner( k )] );
	return place_by_signs( e );
}

// The corners and sides of `own` in the triangle `other`, which has an area and is not coplanar. `above` says where the
// corners of `own` lie.
static void cut_sides( dbvhi_points *s, dbvhi_shared_points *m, bool of_fixed, const int own[3], const int above[3],
                       const int other[3], int axis ) {
	DBVHI_ASSERT( (unsigned)axis < 3 );
	for ( int k = 0; k < 3; ++k ) {
		const int l = dbvhi_next_corner( k );
		if ( above[k] == 0 )
			add_either( m, of_fixed, k, place_in_plane( s, axis, own[k], other ) );
		if ( above[k] * above[l] < 0 )
			add_either( m, of_fixed, DBVHI_EDGE( k ), place_of_line( s, own[k], own[l], other ) );
	}
}

// 1 where going anticlockwise round the triangle enters what is above the other's plane, -1 where it leaves it, 0 where
// that cannot be decided from this point alone.
static int entering( int place, const int above[3] ) {
	DBVHI_ASSERT( place >= 0 && place <= DBVHI_FACE );
	if ( place == DBVHI_FACE )
		return 0;
	if ( place >= DBVHI_EDGE( 0 ) ) {
		const int k = place - DBVHI_EDGE( 0 );
		return above[dbvhi_next_corner( k )] - above[k] > 0 ? 1 : above[dbvhi_next_corner( k )] - above[k] < 0 ? -1 : 0;
	}
	const int before = above[dbvhi_next_corner( dbvhi_next_corner( place ) )],
	          after = above[dbvhi_next_corner( place )];
	return after - before > 0 ? 1 : after - before < 0 ? -1 : 0;
}

// Round `fixed`, the part above the plane of `moved` is entered at the start of n_fixed x n_moved and left at its end:
// the way back along the cut has that part on its left. Naming the triangles the other way round turns the cut round.
static int direction_of( const dbvhi_shared_points *m, const int above_f[3], const int above_m[3] ) {
	for ( int i = 0; i < 2; ++i ) {
		const int by_fixed = entering( m->cell[i].fixed, above_f );
		const int by_moved = -entering( m->cell[i].moved, above_m );
		const int starts = by_fixed != 0 ? by_fixed : by_moved;
		if ( starts != 0 )
			return i == 0 ? starts : -starts;
	}
	return 0;
}

// ------------------------------------------------------------------------------------------------
// Coplanar triangles

static bool crosses_2d( dbvhi_points *s, int axis, int a, int b, int c, int d ) {
	DBVHI_ASSERT( (unsigned)axis < 3 );
	DBVHI_ASSERT( (unsigned)a < 6 && (unsigned)b < 6 && (unsigned)c < 6 && (unsigned)d < 6 );
	return dbvhi_points_orient2d( s, axis, a, b, c ) * dbvhi_points_orient2d( s, axis, a, b, d ) < 0 &&
	       dbvhi_points_orient2d( s, axis, c, d, a ) * dbvhi_points_orient2d( s, axis, c, d, b ) < 0;
}

static bool on_side( int place, int side ) {
	DBVHI_ASSERT( (unsigned)side < 3 );
	return place == DBVHI_EDGE( side ) || place == side || place == dbvhi_next_corner( side );
}

// Two triangles in one plane, with areas: an axis to drop, and all signs that their common polygon depends on.
typedef struct plane {
	int axis;
	int turn[2];     // orientations of the fixed and the moved triangle
	int at[2][3][3]; // at[0][i][k]: orientation of side k of the moved triangle and corner i of the fixed one; [1]: the
	                 // same with the triangles exchanged
} plane;

// The largest difference of two coordinates of the six points.
static double width_of( const dbvhi_points *s ) {
	double width = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		double low = s->p[0][k], high = low;
		for ( int i = 1; i < 6; ++i ) {
			low = dbvhi_smaller( s->p[i][k], low );
			high = dbvhi_larger( s->p[i][k], high );
		}
		width = dbvhi_larger( width, high - low );
	}
	return width;
}

// One bound serves all signs; which it does not make sure are asked for one by one.
static void orient_corners( dbvhi_points *s, plane *in ) {
	static const int *const corners[2] = { fixed_corners, moved_corners };
	const int x = dbvhi_next_corner( in->axis ), y = dbvhi_next_corner( x );
	const double bound = dbvhi_points_error_of_2d( s, width_of( s ) );
	for ( int m = 0; m < 2; ++m ) {
		for ( int k = 0; k < 3; ++k ) {
			const int a = corners[!m][k], b = corners[!m][dbvhi_next_corner( k )];
			const double ux = s->p[b][x] - s->p[a][x], uy = s->p[b][y] - s->p[a][y];
			for ( int i = 0; i < 3; ++i ) {
				const int c = corners[m][i];
				const double det = ux * ( s->p[c][y] - s->p[a][y] ) - uy * ( s->p[c][x] - s->p[a][x] );
				in->at[m][i][k] =
				    fabs( det ) > bound ? dbvhi_sign_of( det ) : dbvhi_points_orient2d( s, in->axis, a, b, c );
			}
		}
	}
}

// How far along side `side` of triangle m a cell lies, in steps that any two cells there can be compared by: at the
// start, where the other triangle is entered, unknown, where it is left, at the end.
static int station( const plane *in, int m, int side, int place, int other_place ) {
	DBVHI_ASSERT( (unsigned)side < 3 );
	if ( place == side )
		return -2;
	if ( place == dbvhi_next_corner( side ) )
		return 2;
	if ( other_place < DBVHI_EDGE( 0 ) )
		return 0;
	return in->at[m][side][other_place - DBVHI_EDGE( 0 )] * in->turn[!m] < 0 ? -1 : 1;
}

// Is p before q on the way along a side of triangle m that holds both?
static bool is_before( dbvhi_points *s, const plane *in, int m, int side, int p, int p_other, int q, int q_other ) {
	DBVHI_ASSERT( (unsigned)side < 3 );
	const int at_p = station( in, m, side, p, p_other ), at_q = station( in, m, side, q, q_other );
	if ( at_p != at_q )
		return at_p < at_q;
	// Two corners of the other triangle.
	const int *own = m == 0 ? fixed_corners : moved_corners, *other = m == 0 ? moved_corners : fixed_corners;
	for ( int k = 0; k < 3; ++k ) {
		const int along = dbvhi_points_compare( s, k, own[dbvhi_next_corner( side )], own[side] );
		if ( along != 0 )
			return dbvhi_points_compare( s, k, other[q_other], other[p_other] ) * along > 0;
	}
	return false;
}

// Do two corners of the polygon follow each other on a side of a triangle? 1 if q comes after p anticlockwise round
// `fixed`, -1 if before, 0 if they lie on no common side.
static int follows( dbvhi_points *s, const plane *in, dbvhi_cell p, dbvhi_cell q ) {
	for ( int k = 0; k < 3; ++k ) {
		if ( on_side( p.fixed, k ) && on_side( q.fixed, k ) )
			return is_before( s, in, 0, k, p.fixed, p.moved, q.fixed, q.moved ) ? 1 : -1;
		if ( on_side( p.moved, k ) && on_side( q.moved, k ) )
			return is_before( s, in, 1, k, p.moved, p.fixed, q.moved, q.fixed ) == ( in->turn[0] == in->turn[1] ) ? 1
			                                                                                                      : -1;
	}
	return 0;
}

// Each side of either triangle holds two corners of the polygon at most, and these are next to each other in it.
static void put_in_order( dbvhi_points *s, const plane *in, dbvhi_shared_points *m ) {
	for ( int i = 0; i + 2 < m->count; ++i ) {
		for ( int j = i + 1; j < m->count; ++j ) {
			if ( follows( s, in, m->cell[i], m->cell[j] ) > 0 ) {
				const dbvhi_cell t = m->cell[i + 1];
				m->cell[i + 1] = m->cell[j];
				m->cell[j] = t;
				break;
			}
		}
	}
}

// Do side k of the fixed triangle and side l of the moved one cross, each between the ends of the other?
static bool sides_cross( const plane *in, int k, int l ) {
	return in->at[1][l][k] * in->at[1][dbvhi_next_corner( l )][k] < 0 &&
	       in->at[0][k][l] * in->at[0][dbvhi_next_corner( k )][l] < 0;
}

static void cut_coplanar( dbvhi_points *s, dbvhi_shared_points *m, plane *in ) {
	DBVHI_ASSERT( (unsigned)in->axis < 3 );
	DBVHI_ASSERT( in->turn[0] != 0 && in->turn[1] != 0 );
	orient_corners( s, in );
	for ( int k = 0; k < 3; ++k )
		add( m, k, place_by_signs( in->at[0][k] ) );
	for ( int k = 0; k < 3; ++k )
		add( m, place_by_signs( in->at[1][k] ), k );
	for ( int k = 0; k < 3; ++k ) {
		for ( int l = 0; l < 3; ++l ) {
			if ( sides_cross( in, k, l ) )
				add( m, DBVHI_EDGE( k ), DBVHI_EDGE( l ) );
		}
	}
	if ( m->count < 3 )
		return;
	put_in_order( s, in, m );
	m->facing = in->turn[0] == in->turn[1] ? 1 : -1;
}

// ------------------------------------------------------------------------------------------------
// Degenerate triangles: a segment, from its lowest to its highest corner, or a point

typedef struct needle {
	const int *corners;
	int low, high; // local; equal in a point
	int side;      // the long side, a place
	int axis;      // along which it extends; -1 in a point
} needle;

static bool are_one_point( dbvhi_points *s, int p, int q ) {
	for ( int k = 0; k < 3; ++k ) {
		if ( dbvhi_points_compare( s, k, p, q ) != 0 )
			return false;
	}
	return true;
}

static needle needle_of( dbvhi_points *s, const int t[3] ) {
	for ( int axis = 0; axis < 3; ++axis ) {
		int low = 0, high = 0;
		for ( int k = 1; k < 3; ++k ) {
			low = dbvhi_points_compare( s, axis, t[k], t[low] ) < 0 ? k : low;
			high = dbvhi_points_compare( s, axis, t[k], t[high] ) > 0 ? k : high;
		}
		if ( low != high )
			return ( needle ){ t, low, high, DBVHI_EDGE( dbvhi_next_corner( low ) == high ? low : high ), axis };
	}
	return ( needle ){ t, 0, 0, DBVHI_NOWHERE, -1 };
}

// The feature of a needle that a point lies on.
static int place_on_needle( dbvhi_points *s, const needle *n, int p ) {
	DBVHI_ASSERT( (unsigned)p < 6 );
	for ( int k = 0; k < 3; ++k ) {
		if ( are_one_point( s, n->corners[k], p ) )
			return k;
	}
	if ( n->axis < 0 )
		return DBVHI_NOWHERE;
	const int low = n->corners[n->low], high = n->corners[n->high];
	for ( int axis = 0; axis < 3; ++axis ) {
		if ( dbvhi_points_orient2d( s, axis, low, high, p ) != 0 )
			return DBVHI_NOWHERE;
	}
	const bool between =
	    dbvhi_points_compare( s, n->axis, low, p ) < 0 && dbvhi_points_compare( s, n->axis, p, high ) < 0;
	return between ? n->side : DBVHI_NOWHERE;
}

static void cut_needle_in_plane( dbvhi_points *s, dbvhi_shared_points *m, bool of_fixed, const needle *n,
                                 const int other[3], int axis ) {
	DBVHI_ASSERT( (unsigned)axis < 3 );
	const int low = n->corners[n->low], high = n->corners[n->high];
	add_either( m, of_fixed, n->low, place_in_plane( s, axis, low, other ) );
	if ( n->axis < 0 )
		return;
	add_either( m, of_fixed, n->high, place_in_plane( s, axis, high, other ) );
	for ( int k = 0; k < 3; ++k ) {
		add_either( m, of_fixed, place_on_needle( s, n, other[k] ), k );
		if ( crosses_2d( s, axis, low, high, other[k], other[dbvhi_next_corner( k )] ) )
			add_either( m, of_fixed, n->side, DBVHI_EDGE( k ) );
	}
}

static void cut_needles( dbvhi_points *s, dbvhi_shared_points *m, const needle *f, const needle *t ) {
	add( m, f->low, place_on_needle( s, t, f->corners[f->low] ) );
	add( m, f->high, place_on_needle( s, t, f->corners[f->high] ) );
	add( m, place_on_needle( s, f, t->corners[t->low] ), t->low );
	add( m, place_on_needle( s, f, t->corners[t->high] ), t->high );
	if ( f->axis < 0 || t->axis < 0 )
		return;
	const int a = f->corners[f->low], b = f->corners[f->high], c = t->corners[t->low], d = t->corners[t->high];
	if ( dbvhi_points_orient3d( s, a, b, c, d ) != 0 )
		return;
	for ( int axis = 0; axis < 3; ++axis ) {
		if ( crosses_2d( s, axis, a, b, c, d ) )
			add( m, f->side, t->side );
	}
}

// One of the triangles has an area. A needle that passes through its plane is cut like any triangle, in the limit: on
// its long side and on one of the short ones, so that the contacts of its neighbours hang together through it.
static void cut_one_needle( dbvhi_points *s, dbvhi_shared_points *m, bool of_fixed, const int own[3],
                            const int above[3], const int other[3], int axis ) {
	if ( above[0] == 0 && above[1] == 0 && above[2] == 0 ) {
		const needle n = needle_of( s, own );
		cut_needle_in_plane( s, m, of_fixed, &n, other, axis );
	} else {
		cut_sides( s, m, of_fixed, own, above, other, axis );
	}
}

// ------------------------------------------------------------------------------------------------

static void sides_above( dbvhi_points *s, const int corners[3], const int other[3], int above_out[3] ) {
	for ( int k = 0; k < 3; ++k )
		above_out[k] = -dbvhi_points_orient3d( s, other[0], other[1], other[2], corners[k] );
}

static bool all_zero( const int x[3] ) {
	return x[0] == 0 && x[1] == 0 && x[2] == 0;
}

// dbvhi_points_projection(), which begins with the axis that is most likely to do.
static int projection_of( dbvhi_points *s, const int t[3], int *turn_out ) {
	double u[3], v[3], n[3];
	for ( int k = 0; k < 3; ++k ) {
		u[k] = s->p[t[1]][k] - s->p[t[0]][k];
		v[k] = s->p[t[2]][k] - s->p[t[0]][k];
	}
	for ( int k = 0; k < 3; ++k ) {
		const int x = dbvhi_next_corner( k ), y = dbvhi_next_corner( x );
		n[k] = fabs( u[x] * v[y] - u[y] * v[x] );
	}
	const int axis = n[0] > n[1] ? ( n[0] > n[2] ? 0 : 2 ) : ( n[1] > n[2] ? 1 : 2 );
	*turn_out = dbvhi_points_orient2d( s, axis, t[0], t[1], t[2] );
	return *turn_out != 0 ? axis : dbvhi_points_projection( s, t[0], t[1], t[2], turn_out );
}

void dbvhi_triangles_cut( dbvhi_points *points, dbvhi_shared_points *out ) {
	dbvhi_points *const s = points;
	const int *const f = fixed_corners, *const t = moved_corners;
	memset( out, 0, sizeof *out );
	int turn_f, turn_t, above_f[3], above_t[3];
	const int axis_f = projection_of( s, f, &turn_f ), axis_t = projection_of( s, t, &turn_t );
	if ( axis_f < 0 && axis_t < 0 ) {
		const needle one = needle_of( s, f ), other = needle_of( s, t );
		cut_needles( s, out, &one, &other );
		return;
	}
	if ( axis_t >= 0 )
		sides_above( s, f, t, above_f );
	// note: coplanar triangles are on each other's planes alike.
	if ( axis_f >= 0 && !( axis_t >= 0 && all_zero( above_f ) ) )
		sides_above( s, t, f, above_t );
	if ( axis_f < 0 ) {
		cut_one_needle( s, out, true, f, above_f, t, axis_t );
	} else if ( axis_t < 0 ) {
		cut_one_needle( s, out, false, t, above_t, f, axis_f );
	} else if ( all_zero( above_f ) ) {
		// The same axis for both: the other's may be another one, with another sense of rotation.
		plane in = { .axis = axis_f, .turn = { turn_f, dbvhi_points_orient2d( s, axis_f, t[0], t[1], t[2] ) } };
		cut_coplanar( s, out, &in );
	} else {
		cut_sides( s, out, true, f, above_f, t, axis_t );
		cut_sides( s, out, false, t, above_t, f, axis_f );
		if ( out->count == 2 )
			out->direction = (int8_t)direction_of( out, above_f, above_t );
	}
}
