// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The triangles of both meshes with corners moved by tiny random steps, so that they are in general position, and exact
// signs about them. See crossed.c.
//
// Corners are whole numbers of units of 2^unit about `centre`, below 2^50, so that differences of two corners, and sums
// of two such differences, are exact in doubles.

#pragma once

#include "query/overlap/overlap.h"

typedef struct dbvhi_soup_triangle {
	uint32_t corner[3];
	uint32_t source; // its number in its mesh
	uint8_t body;
	int32_t winding, parity; // by what the numbers of its body below the triangle exceed those above it
} dbvhi_soup_triangle;

typedef struct dbvhi_soup {
	dbvh_overlap *o;
	double *corner; // 3 a corner: points of the first mesh, then those of the second
	size_t corner_count;
	dbvhi_soup_triangle *triangle;
	size_t triangle_count;
	uint32_t *index[2]; // by triangle of a mesh: its index in `triangle`, or DBVHI_NONE
	double centre[3];
	int unit;
	double low[2][3], high[2][3]; // the box of the triangles of each mesh, in units
	double step;                  // bounds by what each coordinate differs from the exact one, in units
	bool generic;                 // false once a determinant was 0: corners are not in general position
	uint64_t work;                // steps of the budget that are not charged yet
} dbvhi_soup;

// True if one of the meshes encloses nothing: copies of triangles cancel each other.
bool dbvhi_soup_is_empty( const dbvhi_soup *soup );

// Charge the signs that were asked for since the last time. False if the budget is spent.
bool dbvhi_soup_charge( dbvhi_soup *soup );

// Make the soup, with random steps below 2^bits units; corners only if neither mesh encloses nothing. UNDECIDED if a
// mesh is not closed. The soup must be all zero.
dbvhi_overlap_outcome dbvhi_soup_make( dbvhi_soup *soup, dbvh_overlap *o, int bits );
void dbvhi_soup_free( dbvhi_soup *soup );

// True if each triangle has an area. Where one has none, the soup is not generic any more.
bool dbvhi_soup_has_areas( dbvhi_soup *soup );

// The vector from one corner to another: exact.
void dbvhi_soup_vector( const dbvhi_soup *soup, uint32_t from, uint32_t to, double out[3] );

// A double, and a bound of its error.
typedef struct dbvhi_rough {
	double value, error;
} dbvhi_rough;

// A point where an edge crosses a triangle; the corner `from`, if `to` is the same.
typedef struct dbvhi_crossing_point {
	uint32_t from, to;
	uint32_t triangle;
} dbvhi_crossing_point;

// Signs. They are exact; where one is 0 the soup is not generic any more, and the result has no meaning.

// 1 above the triangle, on the side of its normal, -1 below.
int dbvhi_soup_side( dbvhi_soup *soup, uint32_t triangle, uint32_t corner );
int dbvhi_soup_side_of_point( dbvhi_soup *soup, uint32_t triangle, const dbvhi_crossing_point *point );
// The sign of det [b - a, c - a, d - a].
int dbvhi_soup_orient( dbvhi_soup *soup, uint32_t a, uint32_t b, uint32_t c, uint32_t d );
// The signs of determinants of vectors of whole numbers.
int dbvhi_soup_det2( dbvhi_soup *soup, const double u[2], const double v[2] );
int dbvhi_soup_det3( dbvhi_soup *soup, const double u[3], const double v[3], const double w[3] );

// Returns the position of a point, and a bound of the error of its coordinates.
double dbvhi_soup_position( dbvhi_soup *soup, const dbvhi_crossing_point *point, double out[3] );
// Where the way from one point to another crosses the plane of a triangle, which parts them: a number from 0 to 1.
dbvhi_rough dbvhi_soup_ratio( dbvhi_soup *soup, uint32_t triangle, const dbvhi_crossing_point *from,
                              const dbvhi_crossing_point *to );
