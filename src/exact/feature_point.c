// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "base/assert.h"
#include "base/inline.h"
#include "exact/number/dd.h"
#include "exact/number/ratio.h"
#include "exact/tri_tri_features.h"

#include <limits.h>
#include <math.h>

// The weight of a corner as the determinant of up to four of the six points, with a sign.
typedef struct weight {
	int corner; // local, of the triangle in whose frame the point is wanted
	int point[4];
	bool negative;
} weight;

typedef struct mean {
	int dimension; // size of the determinants: 3, 2 (after dropping `axis`) or 1 (differences along `axis`)
	int axis;
	int count;
	weight weights[3];
} mean;

// ------------------------------------------------------------------------------------------------
// Which determinants

static void add_weight( mean *m, int corner, int p, int q, int r, int t, bool negative ) {
	DBVHI_ASSERT( (unsigned)corner < 6 );
	m->weights[m->count++] = ( weight ){ corner, { p, q, r, t }, negative };
}

// The point of a side at a corner of the other triangle: how far that is from each end along some axis.
static void side_at_corner( dbvhi_points *s, mean *m, const int own[3], int i, int j, int corner ) {
	m->dimension = 1;
	double widest = -1.0;
	for ( int axis = 0; axis < 3; ++axis ) {
		const double width = fabs( s->p[own[i]][axis] - s->p[own[j]][axis] );
		// Rounded images of different points may coincide.
		if ( width > widest && dbvhi_points_compare( s, axis, own[i], own[j] ) != 0 ) {
			widest = width;
			m->axis = axis;
		}
	}
	add_weight( m, i, own[j], corner, 0, 0, false );
	add_weight( m, j, corner, own[i], 0, 0, false );
}

// The point of a side that crosses a side of the other triangle and lies in its plane, or the other has no plane.
static void side_at_side( dbvhi_points *s, mean *m, const int own[3], int i, int j, int k, int l ) {
	m->dimension = 2;
	m->axis = 0;
	while ( m->axis < 2 && ( dbvhi_points_orient2d( s, m->axis, k, l, own[i] ) == 0 ||
	                         dbvhi_points_orient2d( s, m->axis, k, l, own[j] ) == 0 ) )
		m->axis += 1;
	add_weight( m, i, k, l, own[j], 0, false );
	add_weight( m, j, k, l, own[i], 0, true );
}

static void inside_at_corner( dbvhi_points *s, mean *m, const int own[3], int corner ) {
	m->dimension = 2;
	m->axis = 0;
	while ( m->axis < 2 && dbvhi_points_orient2d( s, m->axis, own[0], own[1], own[2] ) == 0 )
		m->axis += 1;
	for ( int i = 0; i < 3; ++i )
		add_weight( m, i, corner, own[dbvhi_next_corner( i )], own[dbvhi_next_corner( dbvhi_next_corner( i ) )], 0,
		            false );
}

static mean mean_of( dbvhi_points *s, int place, const int own[3], int other_place, const int other[3] ) {
	DBVHI_ASSERT( place >= 0 && place <= DBVHI_FACE );
	DBVHI_ASSERT( other_place >= 0 && other_place <= DBVHI_FACE );
	mean m = { 0 };
	const bool at_corner = other_place < DBVHI_EDGE( 0 );
	if ( place == DBVHI_FACE ) {
		if ( at_corner ) {
			inside_at_corner( s, &m, own, other[other_place] );
			return m;
		}
		const int k = other_place - DBVHI_EDGE( 0 );
		m.dimension = 3;
		for ( int i = 0; i < 3; ++i )
			add_weight( &m, i, other[k], other[dbvhi_next_corner( k )], own[dbvhi_next_corner( i )],
			            own[dbvhi_next_corner( dbvhi_next_corner( i ) )], false );
		return m;
	}
	const int i = place - DBVHI_EDGE( 0 ), j = dbvhi_next_corner( i );
	if ( at_corner ) {
		side_at_corner( s, &m, own, i, j, other[other_place] );
		return m;
	}
	if ( other_place != DBVHI_FACE && ( dbvhi_points_orient3d( s, other[0], other[1], other[2], own[i] ) == 0 ||
	                                    dbvhi_points_orient3d( s, other[0], other[1], other[2], own[j] ) == 0 ) ) {
		const int k = other_place - DBVHI_EDGE( 0 );
		side_at_side( s, &m, own, i, j, other[k], other[dbvhi_next_corner( k )] );
		return m;
	}
	m.dimension = 3;
	add_weight( &m, i, other[0], other[1], other[2], own[j], false );
	add_weight( &m, j, other[0], other[1], other[2], own[i], true );
	return m;
}

// ------------------------------------------------------------------------------------------------
// In pairs of doubles, with a bound
//
// Each operation is off by 2^-103 of its result at most (exact/number/dd.h). Let M bound the magnitudes that are summed
// to a coordinate, rot x + pos included, and S every difference that enters a determinant; S <= 2 M. A coordinate is
// off by 3 * 2^-103 M (1 + u), a difference of two by eta = 2^-99 M at most. A 3x3 determinant moves with its entries
// by 18 S^2 eta, and its evaluation adds (18 + 10) 2^-103 S^3 < 2^-97.2 M S^2: together less than 2^-94 M S^2. The
// others likewise: 4 S eta + 2^-100 M S < 2^-96 M S, and eta. A factor of four is put on top of each, which covers the
// rounding of M and S.
//
// With weights w_i off by e each, W their sum and D the width of the triangle, the mean moves by n e D / (W - n e), and
// its evaluation adds less than 2^-98 (D + |x|): the weights have one sign, so that all w_i / W are at most 1.
//
// All magnitudes are kept within 2^-150 .. 2^150, so that products of four of them and their errors stay normal
// numbers.

typedef struct wide {
	dbvhi_dd p[6][3];
	double largest; // M
} wide;

static void widen( const dbvhi_points *s, wide *out ) {
	out->largest = 0.0;
	for ( int corner = 0; corner < 3; ++corner ) {
		for ( int k = 0; k < 3; ++k ) {
			const double x = s->fixed[3 * corner + k];
			out->p[corner][k] = ( dbvhi_dd ){ x, 0.0 };
			out->largest = dbvhi_larger( out->largest, fabs( x ) );
			dbvhi_dd sum = { s->pose->pos[k], 0.0 };
			double size = fabs( sum.hi );
			for ( int j = 0; j < 3; ++j ) {
				const dbvhi_dd term = dbvhi_dd_product( s->pose->rot[k][j], s->moved[3 * corner + j] );
				sum = dbvhi_dd_add( sum, term );
				size += fabs( term.hi );
			}
			out->p[3 + corner][k] = sum;
			out->largest = dbvhi_larger( out->largest, size );
		}
	}
}

static bool is_identity( const dbvh_pose *pose ) {
	for ( int i = 0; i < 9; ++i ) {
		if ( pose->rot[i / 3][i % 3] != ( i % 4 == 0 ? 1.0 : 0.0 ) )
			return false;
	}
	return true;
}

// One corner, to the same precision; `largest` comes to bound what is summed to its coordinates.
static void widen_corner( const dbvhi_points *s, bool is_shift, int corner, dbvhi_dd out[3], double *largest ) {
	const double *x = corner < 3 ? s->fixed + 3 * corner : s->moved + 3 * ( corner - 3 );
	for ( int k = 0; k < 3; ++k ) {
		double size;
		if ( corner < 3 ) {
			out[k] = ( dbvhi_dd ){ x[k], 0.0 };
			size = fabs( x[k] );
		} else if ( is_shift ) {
			out[k] = dbvhi_dd_sum( x[k], s->pose->pos[k] );
			size = fabs( x[k] ) + fabs( s->pose->pos[k] );
		} else {
			out[k] = ( dbvhi_dd ){ s->pose->pos[k], 0.0 };
			size = fabs( s->pose->pos[k] );
			for ( int j = 0; j < 3; ++j ) {
				const dbvhi_dd term = dbvhi_dd_product( s->pose->rot[k][j], x[j] );
				out[k] = dbvhi_dd_add( out[k], term );
				size += fabs( term.hi );
			}
		}
		*largest = dbvhi_larger( *largest, size );
	}
}

// The double nearest to x +- error, if that is certain: rounding is monotone, so if both ends round to the same double,
// so does what is between.
static bool round_certainly( dbvhi_dd x, double error, double *out ) {
	if ( x.hi + ( x.lo + error ) != x.hi || x.hi + ( x.lo - error ) != x.hi )
		return false;
	*out = x.hi + 0.0; // no -0
	return true;
}

// Write the coordinates of a moved corner that are certain, and say which in a mask.
static int moved_corner_in_doubles( const dbvhi_points *s, int corner, double out[3] ) {
	double largest = 0.0;
	dbvhi_dd x[3];
	widen_corner( s, is_identity( s->pose ), 3 + corner, x, &largest );
	if ( !dbvhi_is_between( largest, 0x1p150 ) )
		return 0;
	int certain = 0;
	for ( int k = 0; k < 3; ++k )
		certain |= (int)round_certainly( x[k], 0x1p-99 * largest, &out[k] ) << k;
	return certain;
}

static dbvhi_dd minor( dbvhi_dd a, dbvhi_dd b, dbvhi_dd c, dbvhi_dd d ) {
	return dbvhi_dd_sub( dbvhi_dd_mul( a, d ), dbvhi_dd_mul( b, c ) );
}

static void difference_in_pairs( const dbvhi_dd p[3], const dbvhi_dd q[3], dbvhi_dd out[3], double *size ) {
	for ( int k = 0; k < 3; ++k ) {
		out[k] = dbvhi_dd_sub( p[k], q[k] );
		*size = dbvhi_larger( *size, fabs( out[k].hi ) );
	}
}

static dbvhi_dd dot( const dbvhi_dd a[3], const dbvhi_dd b[3] ) {
	return dbvhi_dd_add( dbvhi_dd_add( dbvhi_dd_mul( a[0], b[0] ), dbvhi_dd_mul( a[1], b[1] ) ),
	                     dbvhi_dd_mul( a[2], b[2] ) );
}

// The point where the side from p to q passes through the plane of the triangle t: p + h / (h - h') (q - p), where h =
// n (p - t_0) and h' likewise are determinants as above, with 18 S^2 eta and (18 + 12) 2^-103 S^3 for their errors: the
// same bound. With the quotient off by 3 of these over |h - h'|, and by 2^-100 of itself, and p and q by 2^-101 M, the
// point is off by less than the bound below. Where the point is wanted in the frame before the pose, `own` are the
// doubles there of which p and q are the images; else NULL.
static int crossing_in_doubles( const dbvhi_points *s, const int t[3], int p, int q, const double *own[2],
                                double out[3] ) {
	const bool is_shift = is_identity( s->pose );
	double largest = 0.0, size = 0.0;
	dbvhi_dd corner[3][3], end[2][3], u[3], v[3], w[3], n[3];
	for ( int i = 0; i < 3; ++i )
		widen_corner( s, is_shift, t[i], corner[i], &largest );
	widen_corner( s, is_shift, p, end[0], &largest );
	widen_corner( s, is_shift, q, end[1], &largest );
	if ( !dbvhi_is_between( largest, 0x1p150 ) )
		return 0;
	difference_in_pairs( corner[1], corner[0], u, &size );
	difference_in_pairs( corner[2], corner[0], v, &size );
	for ( int k = 0; k < 3; ++k ) {
		const int x = dbvhi_next_corner( k ), y = dbvhi_next_corner( x );
		n[k] = minor( u[x], u[y], v[x], v[y] );
	}
	difference_in_pairs( end[0], corner[0], w, &size );
	const dbvhi_dd h = dot( n, w );
	difference_in_pairs( end[1], corner[0], w, &size );
	const dbvhi_dd all = dbvhi_dd_sub( h, dot( n, w ) );
	size = 1.0625 * size + 0x1p-90 * largest;
	if ( !dbvhi_is_between( size, 0x1p150 ) )
		return 0;
	const double off = 0x1p-92 * largest * size * size, total = fabs( all.hi );
	if ( !( 2.0 * off < 0x1p-4 * total ) )
		return 0;
	if ( own != NULL ) {
		for ( int i = 0; i < 6; ++i ) {
			end[i / 3][i % 3] = ( dbvhi_dd ){ own[i / 3][i % 3], 0.0 };
			largest = dbvhi_larger( largest, fabs( own[i / 3][i % 3] ) );
		}
	}
	double width = 0.0;
	difference_in_pairs( end[1], end[0], w, &width );
	const dbvhi_dd part = dbvhi_dd_div( h, all );
	const double error = 8.0 * off * ( width / total ) + 0x1p-97 * ( width + largest );
	// A coordinate that both ends have is the point's, too: common in flat and upright parts, whose zeros no bound
	// makes certain.
	const bool are_exact = own != NULL || is_shift || ( p < 3 && q < 3 );
	int certain = 0;
	for ( int k = 0; k < 3; ++k ) {
		const bool same = are_exact && w[k].hi == 0.0;
		certain |= (int)round_certainly( dbvhi_dd_add( end[0][k], dbvhi_dd_mul( part, w[k] ) ),
		                                 same ? 0.0 : 4.0 * error, &out[k] )
		           << k;
	}
	return certain;
}

static dbvhi_dd coordinate_difference( const wide *w, int k, int a, int b, double *size ) {
	DBVHI_ASSERT( (unsigned)k < 3 );
	DBVHI_ASSERT( (unsigned)a < 6 && (unsigned)b < 6 );
	const dbvhi_dd d = dbvhi_dd_sub( w->p[a][k], w->p[b][k] );
	*size = dbvhi_larger( *size, fabs( d.hi ) );
	return d;
}

static dbvhi_dd evaluate( const wide *w, const mean *m, const weight *t, double *size ) {
	const int *p = t->point;
	if ( m->dimension == 1 )
		return coordinate_difference( w, m->axis, p[0], p[1], size );
	if ( m->dimension == 2 ) {
		const int x = dbvhi_next_corner( m->axis ), y = dbvhi_next_corner( x );
		return minor( coordinate_difference( w, x, p[1], p[0], size ), coordinate_difference( w, y, p[1], p[0], size ),
		              coordinate_difference( w, x, p[2], p[0], size ),
		              coordinate_difference( w, y, p[2], p[0], size ) );
	}
	dbvhi_dd u[3][3];
	for ( int i = 0; i < 3; ++i ) {
		for ( int k = 0; k < 3; ++k )
			u[i][k] = coordinate_difference( w, k, p[i], p[3], size );
	}
	dbvhi_dd sum = dbvhi_dd_mul( u[0][0], minor( u[1][1], u[1][2], u[2][1], u[2][2] ) );
	sum = dbvhi_dd_add( sum, dbvhi_dd_mul( u[0][1], minor( u[1][2], u[1][0], u[2][2], u[2][0] ) ) );
	return dbvhi_dd_add( sum, dbvhi_dd_mul( u[0][2], minor( u[1][0], u[1][1], u[2][0], u[2][1] ) ) );
}

// Writes the coordinates that are certain, and says which in a mask.
static int position_in_doubles( const dbvhi_points *s, const mean *m, const double *corners, double out[3] ) {
	wide w;
	widen( s, &w );
	if ( !dbvhi_is_between( w.largest, 0x1p150 ) )
		return 0;
	dbvhi_dd weights[3], sum = { 0.0, 0.0 };
	double size = 0.0, width = 0.0;
	for ( int i = 0; i < m->count; ++i ) {
		weights[i] = evaluate( &w, m, &m->weights[i], &size );
		if ( m->weights[i].negative )
			weights[i] = dbvhi_dd_negate( weights[i] );
		sum = i == 0 ? weights[i] : dbvhi_dd_add( sum, weights[i] );
	}
	size = 1.0625 * size + 0x1p-90 * w.largest;
	if ( !dbvhi_is_between( size, 0x1p150 ) )
		return 0;
	const double off = m->dimension == 3   ? 0x1p-92 * w.largest * size * size
	                   : m->dimension == 2 ? 0x1p-94 * w.largest * size
	                                       : 0x1p-97 * w.largest;
	const double total = fabs( sum.hi );
	if ( !( m->count * off < 0x1p-4 * total ) )
		return 0;
	const double *const origin = corners + 3 * m->weights[0].corner;
	for ( int i = 1; i < m->count; ++i ) {
		for ( int k = 0; k < 3; ++k )
			width = dbvhi_larger( width, fabs( corners[3 * m->weights[i].corner + k] - origin[k] ) );
	}
	if ( !dbvhi_is_between( width, 0x1p150 ) )
		return 0;
	int certain = 0;
	for ( int k = 0; k < 3; ++k ) {
		dbvhi_dd shift = { 0.0, 0.0 };
		for ( int i = 1; i < m->count; ++i ) {
			const dbvhi_dd edge = dbvhi_dd_sum( corners[3 * m->weights[i].corner + k], -origin[k] );
			shift = dbvhi_dd_add( shift, dbvhi_dd_mul( weights[i], edge ) );
		}
		const dbvhi_dd x = dbvhi_dd_add( ( dbvhi_dd ){ origin[k], 0.0 }, dbvhi_dd_div( shift, sum ) );
		const double error = 4.0 * m->count * off * ( width / total ) + 0x1p-97 * ( width + fabs( origin[k] ) );
		certain |= (int)round_certainly( x, 4.0 * error, &out[k] ) << k;
	}
	return certain;
}

// ------------------------------------------------------------------------------------------------
// In integers

static void weight_of( dbvhi_points *s, const mean *m, int i, dbvhi_big_3 *out ) {
	const int *p = m->weights[i].point;
	dbvhi_big_2 area;
	dbvhi_big_1 length;
	if ( m->dimension == 3 ) {
		dbvhi_points_det3( s, p[0], p[1], p[2], p[3], out );
	} else if ( m->dimension == 2 ) {
		dbvhi_points_det2( s, m->axis, p[0], p[1], p[2], &area );
		dbvhi_big_copy( out, &area );
	} else {
		dbvhi_points_difference( s, m->axis, p[0], p[1], &length );
		dbvhi_big_copy( out, &length );
	}
}

static void position_in_integers( dbvhi_points *s, const mean *m, const double *corners, int wanted, double out[3] ) {
	int unit = INT_MAX;
	for ( int i = 0; i < 9; ++i ) {
		const int bit = dbvhi_lowest_bit( corners[i] );
		unit = bit < unit ? bit : unit;
	}
	dbvhi_big_3 weights[3], sum;
	dbvhi_big_from_integer( &sum, 0 );
	for ( int i = 0; i < m->count; ++i ) {
		weight_of( s, m, i, &weights[i] );
		if ( m->weights[i].negative )
			weights[i].sign = -weights[i].sign;
		dbvhi_big_add( &sum, &sum, &weights[i] );
	}
	for ( int k = 0; k < 3; ++k ) {
		if ( ( wanted & 1 << k ) == 0 )
			continue;
		dbvhi_big_4 numerator, product;
		dbvhi_big_1 x;
		dbvhi_big_from_integer( &numerator, 0 );
		for ( int i = 0; i < m->count; ++i ) {
			dbvhi_big_from_double( &x, corners[3 * m->weights[i].corner + k], unit );
			dbvhi_big_mul( &product, &weights[i], &x );
			dbvhi_big_add( &numerator, &numerator, &product );
		}
		out[k] = dbvhi_big_quotient( &numerator, &sum, unit );
	}
}

// ------------------------------------------------------------------------------------------------

// The commonest cells in doubles, with fewer operations than a mean takes: a moved corner, and a side that passes
// through the inside of a triangle. Says in a mask which coordinates are certain.
static int position_of_few( const dbvhi_points *s, dbvhi_cell cell, bool in_moved, double out[3] ) {
	static const int corners[2][3] = { { 0, 1, 2 }, { 3, 4, 5 } };
	if ( !in_moved && cell.moved < DBVHI_EDGE( 0 ) )
		return moved_corner_in_doubles( s, cell.moved, out );
	const bool of_moved = cell.fixed == DBVHI_FACE;
	const int place = of_moved ? cell.moved : cell.fixed;
	if ( ( of_moved ? cell.fixed : cell.moved ) != DBVHI_FACE || place == DBVHI_FACE || place < DBVHI_EDGE( 0 ) ||
	     ( in_moved && !of_moved ) )
		return 0;
	const int k = place - DBVHI_EDGE( 0 ), l = dbvhi_next_corner( k );
	const double *own[2] = { s->moved + 3 * k, s->moved + 3 * l };
	return crossing_in_doubles( s, corners[!of_moved], corners[of_moved][k], corners[of_moved][l],
	                            in_moved ? own : NULL, out );
}

void dbvhi_cell_position( dbvhi_points *points, dbvhi_cell cell, bool in_moved, double position_out[3] ) {
	DBVHI_ASSERT( cell.fixed >= 0 && cell.fixed <= DBVHI_FACE );
	DBVHI_ASSERT( cell.moved >= 0 && cell.moved <= DBVHI_FACE );
	static const int fixed_corners[3] = { 0, 1, 2 }, moved_corners[3] = { 3, 4, 5 };
	const double *const corners = in_moved ? points->moved : points->fixed;
	const int place = in_moved ? cell.moved : cell.fixed;
	if ( place < DBVHI_EDGE( 0 ) ) {
		for ( int k = 0; k < 3; ++k )
			position_out[k] = corners[3 * place + k] + 0.0; // no -0
		return;
	}
	if ( position_of_few( points, cell, in_moved, position_out ) == 7 )
		return;
	const mean m = mean_of( points, place, in_moved ? moved_corners : fixed_corners, in_moved ? cell.fixed : cell.moved,
	                        in_moved ? fixed_corners : moved_corners );
	int missing = 7 & ~position_in_doubles( points, &m, corners, position_out );
	// A coordinate on which all corners agree is the point's, too: common in flat and upright parts, whose zeros the
	// doubles above never make certain.
	for ( int k = 0; k < 3; ++k ) {
		bool equal = true;
		for ( int i = 1; i < m.count; ++i )
			equal = equal && corners[3 * m.weights[i].corner + k] == corners[3 * m.weights[0].corner + k];
		if ( equal ) {
			position_out[k] = corners[3 * m.weights[0].corner + k] + 0.0;
			missing &= ~( 1 << k );
		}
	}
	if ( missing != 0 )
		position_in_integers( points, &m, corners, missing, position_out );
}
