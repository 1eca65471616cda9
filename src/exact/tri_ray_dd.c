// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The parameter of a hit in pairs of doubles, rounded where that is certain.
//
// With A a corner relative to the start of the line, U and V the edges from there, N = U x V and D the step, the
// parameter is A . N / D . N. v = 2^-103 bounds the relative error of a sum or a product of pairs (number/dd.h), as
// nothing underflows: the filter is sure of hits only if S, the largest coordinate of the corners, is above 2^-240, and
// the edges are longer than 2^-24 S then.
//
// Bounds. K, M and T bound the coordinates of the edges, of A and of D. Without a pose U, V and A are exact; so is D
// always. With a pose let k and m bound the coordinates of the edges and of the corner in the mesh, w that of the
// position less the start. An entry of the matrix is below 1.01, so three products and their two sums are at most
// 3.03 k and off by 9 v k: K = 3.1 k, and 10 v K is more than their error. A sum more makes A: M = 3.1 m + w, and
// 10 v M is more than its error.
//     N            two products off by 2 K 10 v K + v K^2, their difference: 44 v K^2, with second orders 45 v K^2
//     A . N        3 ( M 45 v K^2 + 2 K^2 10 v M + 2 v M K^2 ) and two sums, 10 v M K^2: 211 v M K^2
//     D . N        3 ( T 45 v K^2 + 2 v T K^2 ) and two sums, 10 v T K^2: 151 v T K^2
// The quotient is off by 8 v more.

#include "base/assert.h"
#include "exact/number/dd.h"
#include "exact/tri_ray.h"
#include "exact/vec3.h"

#define V 0x1p-103

typedef struct dd_triple {
	dbvhi_dd x[3];
} dd_triple;

static dd_triple triple_between( const double to[3], const double from[3] ) {
	dd_triple out;
	for ( int k = 0; k < 3; ++k )
		out.x[k] = dbvhi_dd_sum( to[k], -from[k] );
	return out;
}

static dbvhi_dd triple_dot( const dd_triple *a, const dd_triple *b ) {
	return dbvhi_dd_add( dbvhi_dd_add( dbvhi_dd_mul( a->x[0], b->x[0] ), dbvhi_dd_mul( a->x[1], b->x[1] ) ),
	                     dbvhi_dd_mul( a->x[2], b->x[2] ) );
}

static dd_triple triple_cross( const dd_triple *a, const dd_triple *b ) {
	dd_triple out;
	for ( int k = 0; k < 3; ++k ) {
		const int i = ( k + 1 ) % 3, j = ( k + 2 ) % 3;
		out.x[k] = dbvhi_dd_sub( dbvhi_dd_mul( a->x[i], b->x[j] ), dbvhi_dd_mul( a->x[j], b->x[i] ) );
	}
	return out;
}

static double triple_size( const dd_triple *a ) {
	return vec3_size( ( vec3 ){ a->x[0].hi, a->x[1].hi, a->x[2].hi } );
}

static dd_triple triple_turned( const double rot[3][3], const dd_triple *a ) {
	dd_triple out;
	for ( int k = 0; k < 3; ++k ) {
		const dd_triple row = { { { rot[k][0], 0.0 }, { rot[k][1], 0.0 }, { rot[k][2], 0.0 } } };
		out.x[k] = triple_dot( &row, a );
	}
	return out;
}

// A triangle relative to the start of a line, with the bounds K and M.
typedef struct seen_triangle {
	dd_triple corner, edge[2];
	double edge_size, corner_size;
} seen_triangle;

static seen_triangle see( const dbvh_pose *pose, const double corners[9], const double from[3] ) {
	seen_triangle out = { .edge = { triple_between( corners + 3, corners ), triple_between( corners + 6, corners ) } };
	out.edge_size = dbvhi_larger( triple_size( &out.edge[0] ), triple_size( &out.edge[1] ) );
	if ( pose == NULL ) {
		out.corner = triple_between( corners, from );
		out.corner_size = triple_size( &out.corner );
		return out;
	}
	const dd_triple corner = { { { corners[0], 0.0 }, { corners[1], 0.0 }, { corners[2], 0.0 } } };
	const dd_triple start = triple_between( pose->pos, from );
	out.corner_size = 3.1 * triple_size( &corner ) + triple_size( &start );
	out.edge_size *= 3.1;
	out.corner = triple_turned( pose->rot, &corner );
	for ( int k = 0; k < 3; ++k )
		out.corner.x[k] = dbvhi_dd_add( out.corner.x[k], start.x[k] );
	for ( int i = 0; i < 2; ++i )
		out.edge[i] = triple_turned( pose->rot, &out.edge[i] );
	return out;
}

bool dbvhi_line_parameter_near( const dbvh_pose *pose, const double corners[9], const dbvhi_line *line,
                                double *t_out ) {
	static const double zero[3];
	const seen_triangle t = see( pose, corners, line->from );
	const dd_triple step = triple_between( line->to, line->is_ray ? zero : line->from );
	const dd_triple normal = triple_cross( &t.edge[0], &t.edge[1] );
	const dbvhi_dd num = triple_dot( &t.corner, &normal ), den = triple_dot( &step, &normal );
	const double area = V * t.edge_size * t.edge_size;
	const double num_off = 220.0 * area * t.corner_size / fabs( num.hi );
	const double den_off = 160.0 * area * triple_size( &step ) / fabs( den.hi );
	// note: also where a divisor is 0, and NaN is no number.
	if ( !( num_off < 0x1p-20 && den_off < 0x1p-20 ) )
		return false;
	const dbvhi_dd q = dbvhi_dd_div( num, den );
	// The twentieth covers products of errors and the rounding of these bounds.
	const double off = 1.05 * ( num_off + den_off + 8.0 * V ) * fabs( q.hi );
	*t_out = q.hi;
	return q.hi + ( q.lo + off ) == q.hi && q.hi + ( q.lo - off ) == q.hi;
}
