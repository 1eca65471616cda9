// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The overlap tests of two nodes, given the pose (R, T) of box b in the frame of box a. All are closed and
// conservative: they call two volumes apart only if the gap on some axis exceeds `margin`, which bounds every rounding
// of the carried pose (docs/design/margins.md). The unnormalised cross axes, whose gaps shrink to nothing
// where edges are nearly parallel, need no care of their own: the margin is absolute.

#pragma once

#include "base/assert.h"
#include "base/inline.h"
#include "math/vec.h"

#include <stdbool.h>

DBVHI_INLINE bool dbvhi_spheres_disjoint( dbvhi_vec centre_a, double radius_a, dbvhi_vec centre_b, double radius_b,
                                          double margin ) {
	const dbvhi_vec d = dbvhi_sub( centre_b, centre_a );
	const double reach = radius_a + radius_b + margin;
	// The margin covers what squares lose relatively; the last term covers underflow.
	return dbvhi_dot( d, d ) > reach * reach + 0x1p-1060;
}

// Axis a_i: row i of R.
DBVHI_INLINE bool dbvhi_disjoint_on_a( const dbvhi_mat *r, dbvhi_vec t, dbvhi_vec a, dbvhi_vec b, double margin,
                                       int i ) {
	DBVHI_ASSERT( (unsigned)i < 3 );
	return fabs( t.v[i] ) >
	       a.v[i] + margin + b.v[0] * fabs( r->m[i][0] ) + b.v[1] * fabs( r->m[i][1] ) + b.v[2] * fabs( r->m[i][2] );
}

// Axis b_j: column j of R.
DBVHI_INLINE bool dbvhi_disjoint_on_b( const dbvhi_mat *r, dbvhi_vec t, dbvhi_vec a, dbvhi_vec b, double margin,
                                       int j ) {
	DBVHI_ASSERT( (unsigned)j < 3 );
	const double s = t.v[0] * r->m[0][j] + t.v[1] * r->m[1][j] + t.v[2] * r->m[2][j];
	return fabs( s ) >
	       b.v[j] + margin + a.v[0] * fabs( r->m[0][j] ) + a.v[1] * fabs( r->m[1][j] ) + a.v[2] * fabs( r->m[2][j] );
}

// Axis c_ij = a_i x b_j, not normalised.
DBVHI_INLINE bool dbvhi_disjoint_on_c( const dbvhi_mat *r, dbvhi_vec t, dbvhi_vec a, dbvhi_vec b, double margin, int i,
                                       int j ) {
	DBVHI_ASSERT( (unsigned)i < 3 && (unsigned)j < 3 );
	const int i1 = ( i + 1 ) % 3, i2 = ( i + 2 ) % 3, j1 = ( j + 1 ) % 3, j2 = ( j + 2 ) % 3;
	const double s = t.v[i2] * r->m[i1][j] - t.v[i1] * r->m[i2][j];
	return fabs( s ) > margin + a.v[i1] * fabs( r->m[i2][j] ) + a.v[i2] * fabs( r->m[i1][j] ) +
	                       b.v[j1] * fabs( r->m[i][j2] ) + b.v[j2] * fabs( r->m[i][j1] );
}

// The fifteen axes but for a0, which the traversal tries before it has the whole pose; leaves at the first axis that
// separates (Gottschalk, Lin and Manocha 1996, section 5).
DBVHI_INLINE bool dbvhi_boxes_disjoint_15_after_a0( const dbvhi_mat *r, dbvhi_vec t, dbvhi_vec a, dbvhi_vec b,
                                                    double margin ) {
	return dbvhi_disjoint_on_b( r, t, a, b, margin, 0 ) || dbvhi_disjoint_on_a( r, t, a, b, margin, 1 ) ||
	       dbvhi_disjoint_on_a( r, t, a, b, margin, 2 ) || dbvhi_disjoint_on_b( r, t, a, b, margin, 1 ) ||
	       dbvhi_disjoint_on_b( r, t, a, b, margin, 2 ) || dbvhi_disjoint_on_c( r, t, a, b, margin, 0, 0 ) ||
	       dbvhi_disjoint_on_c( r, t, a, b, margin, 0, 1 ) || dbvhi_disjoint_on_c( r, t, a, b, margin, 0, 2 ) ||
	       dbvhi_disjoint_on_c( r, t, a, b, margin, 1, 0 ) || dbvhi_disjoint_on_c( r, t, a, b, margin, 1, 1 ) ||
	       dbvhi_disjoint_on_c( r, t, a, b, margin, 1, 2 ) || dbvhi_disjoint_on_c( r, t, a, b, margin, 2, 0 ) ||
	       dbvhi_disjoint_on_c( r, t, a, b, margin, 2, 1 ) || dbvhi_disjoint_on_c( r, t, a, b, margin, 2, 2 );
}

// The six face axes (van den Bergen 1997) but for a0.
DBVHI_INLINE bool dbvhi_boxes_disjoint_6_after_a0( const dbvhi_mat *r, dbvhi_vec t, dbvhi_vec a, dbvhi_vec b,
                                                   double margin ) {
	return dbvhi_disjoint_on_b( r, t, a, b, margin, 0 ) || dbvhi_disjoint_on_a( r, t, a, b, margin, 1 ) ||
	       dbvhi_disjoint_on_a( r, t, a, b, margin, 2 ) || dbvhi_disjoint_on_b( r, t, a, b, margin, 1 ) ||
	       dbvhi_disjoint_on_b( r, t, a, b, margin, 2 );
}

// Five axes for boxes whose spheres overlap (Chang, Wang and Kim 2009, section 3.2); boxes_overlap() of
// query/common/node_stages.inl has the same for packed nodes. Extents ascend, so index 0 is the
// thin side and c22 is the product of the two long ones. Most boxes that get here overlap and are tried on all five:
// computing them without branches between is faster than leaving early.
DBVHI_INLINE bool dbvhi_boxes_disjoint_5( const dbvhi_mat *r, dbvhi_vec t, dbvhi_vec a, dbvhi_vec b, double margin ) {
	return (int)dbvhi_disjoint_on_a( r, t, a, b, margin, 0 ) | (int)dbvhi_disjoint_on_b( r, t, a, b, margin, 0 ) |
	       (int)dbvhi_disjoint_on_c( r, t, a, b, margin, 2, 2 ) | (int)dbvhi_disjoint_on_c( r, t, a, b, margin, 1, 2 ) |
	       (int)dbvhi_disjoint_on_c( r, t, a, b, margin, 2, 1 );
}
