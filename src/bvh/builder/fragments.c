// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The cost of a triangle is the volume that nodes around it and its neighbours enclose in vain. Its excess measures
// that: the squared length of its longest edge, proportional to the surface of its sphere, minus that of a compact
// triangle of the same area. Halving lowers the sum of squares, and so of excesses, for triangles that are longer than
// wide, and not for compact ones, however large. So parts are halved whose excess exceeds a limit, and the limit is as
// low as the number of fragments allows.

#include "base/alloc.h"
#include "base/assert.h"
#include "base/inline.h"
#include "bvh/builder/builder.h"
#include "mesh/view.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

// SQUARE_BY_AREA: squared length over area of a right-angled isosceles triangle, the widest of the triangles that are
// similar to their halves.
#define SQUARE_BY_AREA 4.0

typedef struct division {
	double least; // squared edge length below which nothing is halved
	double limit; // limit of the excess
} division;

static double area_of( const double p[9] ) {
	const double ux = p[3] - p[0], uy = p[4] - p[1], uz = p[5] - p[2];
	const double vx = p[6] - p[0], vy = p[7] - p[1], vz = p[8] - p[2];
	const double x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
	return 0.5 * sqrt( x * x + y * y + z * z );
}

static bool is_short( const division *d, double square, double area ) {
	return square < d->least || !( square - SQUARE_BY_AREA * area > d->limit );
}

// Lists the fragments of a part of a triangle in `out`, if not NULL. Returns their number. A half has half of the area.
static size_t divide( const division *d, const double corners[9], double area, dbvhi_fragment part,
                      dbvhi_fragment *out ) {
	double square;
	const int edge = dbvhi_longest_edge( corners, &square );
	if ( part.path >> DBVHI_FRAGMENT_STEPS != 0 || is_short( d, square, area ) ) {
		if ( out != NULL )
			*out = part;
		return 1;
	}
	size_t count = 0;
	for ( unsigned side = 0; side < 2; ++side ) {
		double half[9];
		dbvhi_fragment_half( corners, edge, side, half );
		const dbvhi_fragment child = { part.triangle, 2 * part.path + side };
		count += divide( d, half, 0.5 * area, child, out != NULL ? out + count : NULL );
	}
	return count;
}

// Returns the sum of the squared lengths of the same fragments.
static double squares_of( const division *d, const double corners[9], double area, int steps ) {
	double square;
	const int edge = dbvhi_longest_edge( corners, &square );
	if ( steps == DBVHI_FRAGMENT_STEPS || is_short( d, square, area ) )
		return square;
	double sum = 0.0;
	for ( unsigned side = 0; side < 2; ++side ) {
		double half[9];
		dbvhi_fragment_half( corners, edge, side, half );
		sum += squares_of( d, half, 0.5 * area, steps + 1 );
	}
	return sum;
}

typedef struct mesh {
	const dbvh_mesh_view *view;
	const uint32_t *first;
	size_t count, distinct;
	uint32_t *longest; // triangles with more excess than the rule asks for
	size_t long_count;
	double largest, area; // largest coordinate; mean area
	double square, sum;   // squared length of the longest edge, and the sum over all triangles
} mesh;

static void corners_of( const dbvh_mesh_view *view, size_t triangle, double out[9] ) {
	uint32_t index[3];
	dbvhi_view_triangle( view, triangle, index );
	for ( int corner = 0; corner < 3; ++corner )
		dbvhi_view_vertex( view, index[corner], out + 3 * corner );
}

static double excess_of( const double corners[9] ) {
	double square;
	dbvhi_longest_edge( corners, &square );
	return square - SQUARE_BY_AREA * area_of( corners );
}

static void measure( mesh *m ) {
	double corners[9], area = 0.0;
	for ( size_t i = 0; i < m->count; ++i ) {
		corners_of( m->view, i, corners );
		area += area_of( corners );
		double square;
		dbvhi_longest_edge( corners, &square );
		m->square = dbvhi_larger( m->square, square );
		m->sum += square;
		for ( int k = 0; k < 9; ++k )
			m->largest = dbvhi_larger( m->largest, fabs( corners[k] ) );
	}
	m->area = area / (double)m->count;
}

static bool leave_twins_whole( mesh *m, const dbvh_allocator *allocator ) {
	if ( m->first == NULL )
		return true;
	bool *twin = dbvhi_alloc( allocator, m->count, sizeof *twin );
	if ( twin == NULL )
		return false;
	memset( twin, 0, m->count * sizeof *twin );
	for ( size_t i = 0; i < m->count; ++i ) {
		if ( m->first[i] != i )
			twin[i] = twin[m->first[i]] = true;
	}
	size_t kept = 0;
	for ( size_t i = 0; i < m->long_count; ++i ) {
		if ( !twin[m->longest[i]] )
			m->longest[kept++] = m->longest[i];
	}
	m->long_count = kept;
	dbvhi_free( allocator, twin, m->count, sizeof *twin );
	return true;
}

static void list_long( mesh *m, double limit ) {
	double corners[9];
	for ( size_t i = 0; i < m->count; ++i ) {
		corners_of( m->view, i, corners );
		if ( excess_of( corners ) > limit )
			m->longest[m->long_count++] = (uint32_t)i;
	}
}

// Returns the number of fragments that a division gives.
static size_t count_fragments( const mesh *m, const division *d ) {
	size_t count = m->distinct - m->long_count;
	for ( size_t i = 0; i < m->long_count; ++i ) {
		double corners[9];
		corners_of( m->view, m->longest[i], corners );
		count += divide( d, corners, area_of( corners ), ( dbvhi_fragment ){ m->longest[i], DBVHI_WHOLE }, NULL );
	}
	return count;
}

// Finds the lowest limit, to about a percent, that leaves at most `most` fragments. Returns their number.
static size_t find_limit( const mesh *m, division *d, size_t most ) {
	size_t count = count_fragments( m, d );
	if ( count <= most )
		return count;
	double low = d->limit, high = low;
	for ( size_t i = 0; i < m->long_count; ++i ) {
		double corners[9];
		corners_of( m->view, m->longest[i], corners );
		high = fmax( high, excess_of( corners ) );
	}
	for ( int step = 0; step < 24 && !( count <= most && count >= most - most / 64 ); ++step ) {
		d->limit = sqrt( low * high );
		count = count_fragments( m, d );
		if ( count > most )
			low = d->limit;
		else
			high = d->limit;
	}
	d->limit = high;
	return count_fragments( m, d );
}

// Returns the sum of squared lengths after the division.
static double left_of( const mesh *m, const division *d ) {
	double sum = m->sum;
	for ( size_t i = 0; i < m->long_count; ++i ) {
		double corners[9], square;
		corners_of( m->view, m->longest[i], corners );
		dbvhi_longest_edge( corners, &square );
		sum += squares_of( d, corners, area_of( corners ), 0 ) - square;
	}
	return sum;
}

static void list_fragments( const mesh *m, const division *d, dbvhi_fragment *out ) {
	size_t next = 0;
	for ( size_t i = 0; i < m->count; ++i ) {
		const dbvhi_fragment whole = { (uint32_t)i, DBVHI_WHOLE };
		if ( m->first != NULL && m->first[i] != i )
			continue;
		if ( next < m->long_count && m->longest[next] == i ) {
			double corners[9];
			corners_of( m->view, i, corners );
			out += divide( d, corners, area_of( corners ), whole, out );
			next += 1;
		} else {
			*out++ = whole;
		}
	}
	DBVHI_ASSERT( next == m->long_count );
}

// True if squares of coordinates and of the smallest fragments are far from overflow and underflow.
static bool is_usual( const mesh *m ) {
	return m->largest > 0x1p-200 && m->largest < 0x1p200 && m->area > 0x1p-600;
}

static dbvh_status choose( mesh *m, dbvhi_fragment_rule rule, const dbvh_allocator *allocator,
                           dbvhi_fragment **fragments_out, size_t *count_out ) {
	const double size = DBVHI_FRAGMENT_LEAST * m->largest;
	division d = { .least = 4.0 * size * size, .limit = rule.excess * m->area };
	if ( m->square > d.limit )
		list_long( m, d.limit );
	if ( m->long_count == 0 )
		return DBVH_OK;
	if ( !leave_twins_whole( m, allocator ) )
		return DBVH_OUT_OF_MEMORY;
	const size_t count = find_limit( m, &d, (size_t)( rule.most * (double)m->distinct ) );
	if ( count <= m->distinct || count > UINT32_MAX / 4 ||
	     ( rule.left < 1.0 && left_of( m, &d ) > rule.left * m->sum ) )
		return DBVH_OK;
	*fragments_out = dbvhi_alloc( allocator, count, sizeof **fragments_out );
	if ( *fragments_out == NULL )
		return DBVH_OUT_OF_MEMORY;
	list_fragments( m, &d, *fragments_out );
	*count_out = count;
	return DBVH_OK;
}

dbvh_status dbvhi_fragments_choose( const dbvh_mesh_view *view, const uint32_t *first, size_t distinct,
                                    dbvhi_fragment_rule rule, const dbvh_allocator *allocator,
                                    dbvhi_fragment **fragments_out, size_t *count_out ) {
	*fragments_out = NULL;
	*count_out = 0;
	mesh m = { .view = view, .first = first, .count = dbvhi_view_triangle_count( view ), .distinct = distinct };
	measure( &m );
	if ( !is_usual( &m ) )
		return DBVH_OK;
	m.longest = dbvhi_alloc( allocator, m.count, sizeof *m.longest );
	dbvh_status status = DBVH_OUT_OF_MEMORY;
	if ( m.longest != NULL )
		status = choose( &m, rule, allocator, fragments_out, count_out );
	dbvhi_free( allocator, m.longest, m.count, sizeof *m.longest );
	return status;
}
