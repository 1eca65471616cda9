// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Upper bounds of the distance d from the boundary of Y over an item.
//
// The distance from a triangle is a convex function, and so is any mean of the distances from several triangles: the
// greatest value within a hull is at a corner. d is at most the distance from any triangle of the boundary, and so at
// most any mean of these. Two opposite walls, for example, are half of their distance apart from the middle, and the
// mean of both says so at any corner; where three or more walls meet in a ridge of d, a mean of all of them is level
// there. The planes of Y's bounding box serve as triangles, too: beyond them is nothing of Y.
//
// The best mean of all rows is the value of a matrix game. The best mean of two rows, mixed with one row at a time,
// comes close to it, and whatever mean it ends with is a valid bound. Without that pair to begin with, along ridges
// between two walls, tori take up to twice as long.

#include "base/assert.h"
#include "query/depth/local.h"

#include <math.h>
#include <string.h>

static inline double larger( double a, double b ) {
	return a > b ? a : b;
}

// The greatest column of (1 - part) p + part q, and that column.
static inline double greatest( const double *p, const double *q, double part, int columns, int *column_out ) {
	double most = -1.0;
	int column = 0;
	for ( int k = 0; k < columns; ++k ) {
		const double x = ( 1.0 - part ) * p[k] + part * q[k];
		column = x > most ? k : column;
		most = larger( most, x );
	}
	*column_out = column;
	return most;
}

// The part of row q in the mean of p and q whose greatest column is least, nearly: that maximum is a convex function of
// the part, and the lines of the columns that are greatest at both ends of a range cross where it may be least.
static double best_part( const double *p, const double *q, int columns, double *most_out ) {
	int at_low, at_high, at;
	double low = 0.0, high = 1.0, best = 0.0;
	double most = greatest( p, q, 0.0, columns, &at_low );
	const double last = greatest( p, q, 1.0, columns, &at_high );
	if ( last < most ) {
		most = last;
		best = 1.0;
	}
	for ( int step = 0; step < 6 && at_low != at_high; ++step ) {
		const double slope_low = q[at_low] - p[at_low], slope_high = q[at_high] - p[at_high];
		if ( !( slope_low < 0.0 && slope_high > 0.0 ) )
			break;
		const double part = ( p[at_high] - p[at_low] ) / ( slope_low - slope_high );
		if ( !( part > low && part < high ) )
			break;
		const double here = greatest( p, q, part, columns, &at );
		if ( here < most ) {
			most = here;
			best = part;
		}
		if ( at == at_low || at == at_high )
			break;
		if ( q[at] < p[at] ) {
			low = part;
			at_low = at;
		} else {
			high = part;
			at_high = at;
		}
	}
	*most_out = most;
	return best;
}

// True if no mean of two rows is below a bound in all columns: somewhere both of them are above it.
static inline bool is_no_better( const double *p, const double *q, int columns, double bound ) {
	bool none = false;
	for ( int k = 0; k < columns; ++k )
		none = none || ( p[k] >= bound && q[k] >= bound );
	return none;
}

enum { ROUNDS = 3 };

// The greatest column of the best mean that is found, rounded up: each of at most 1 + 3 * 14 mixtures rounds by 3 u of
// its terms, which are not negative.
static double least_bound( dbvhi_bound_table *t ) {
	double mean[8], least = INFINITY;
	int first = 0, column;
	for ( int i = 0; i < t->rows; ++i ) {
		t->share[i] = 0.0;
		const double alone = greatest( t->row[i], t->row[i], 0.0, t->columns, &column );
		if ( alone < least ) {
			least = alone;
			first = i;
		}
	}
	if ( t->rows == 0 )
		return INFINITY;
	int second = first;
	double share = 0.0;
	for ( int i = 0; i < t->rows; ++i ) {
		for ( int j = 0; j < i; ++j ) {
			double most;
			if ( is_no_better( t->row[i], t->row[j], t->columns, least ) )
				continue;
			const double part = best_part( t->row[i], t->row[j], t->columns, &most );
			if ( most < least ) {
				least = most;
				first = i;
				second = j;
				share = part;
			}
		}
	}
	for ( int k = 0; k < t->columns; ++k )
		mean[k] = ( 1.0 - share ) * t->row[first][k] + share * t->row[second][k];
	t->share[first] = 1.0 - share;
	t->share[second] += share;
	for ( int round = 0; round < ROUNDS; ++round ) {
		const double before = least;
		for ( int j = 0; j < t->rows; ++j ) {
			double most;
			if ( is_no_better( mean, t->row[j], t->columns, least ) )
				continue;
			const double part = best_part( mean, t->row[j], t->columns, &most );
			if ( !( most < least ) || part == 0.0 )
				continue;
			least = most;
			for ( int k = 0; k < t->columns; ++k )
				mean[k] = ( 1.0 - part ) * mean[k] + part * t->row[j][k];
			for ( int i = 0; i < t->rows; ++i )
				t->share[i] *= 1.0 - part;
			t->share[j] += part;
		}
		if ( !( least < before * ( 1.0 - 0x1p-12 ) ) )
			break;
	}
	return least * ( 1.0 + 0x1p-44 );
}

double dbvhi_bound_at_corner( const dbvhi_bound_table *t, int corner ) {
	double least = INFINITY;
	for ( int i = 0; i < t->rows; ++i )
		least = t->row[i][corner] < least ? t->row[i][corner] : least;
	return least;
}

static void add_row( const dbvhi_item_search *s, const dbvhi_item *it, uint32_t leaf, dbvhi_bound_table *t ) {
	double image[9];
	dbvhi_solid_image( s->y, leaf, image );
	for ( int k = 0; k < it->corner_count; ++k ) {
		t->row[t->rows][k] = dbvhi_point_filter_high( image, it->corner[k], s->y->placed.error );
		if ( !( t->row[t->rows][k] < INFINITY ) )
			t->row[t->rows][k] = 0x1p1000; // note: that row is of no use, but rows and triangles go together
	}
	t->rows += 1;
}

double dbvhi_along_box( const dbvhi_item_search *s, int axis, const double x[3] ) {
	double at = 0.0;
	for ( int k = 0; k < 3; ++k )
		at += s->box.axes.m[k][axis] * ( x[k] - s->box.origin.v[k] );
	return at;
}

// The distance of a point from a plane of Y's box; 0 beyond it. The axes are of length 1 but for what the
// pose deviates from a rotation, which the box has been enlarged by, too.
static double above_plane( const dbvhi_item_search *s, int plane, const double x[3] ) {
	const double at = dbvhi_along_box( s, plane % 3, x );
	return larger( s->half[plane % 3] + ( plane < 3 ? at : -at ), 0.0 );
}

static void add_box_planes( const dbvhi_item_search *s, const dbvhi_item *it, dbvhi_bound_table *t ) {
	for ( int plane = 0; plane < 6; ++plane ) {
		for ( int i = 0; i < it->corner_count; ++i )
			t->row[t->rows][i] = above_plane( s, plane, it->corner[i] );
		t->rows += 1;
	}
}

// Add a triangle to those that bound an item. False if it is there already, or is no part of the boundary.
static bool add_near( dbvhi_item_search *s, dbvhi_item *it, uint32_t leaf, dbvhi_bound_table *t ) {
	for ( int i = 0; i < it->near_count; ++i ) {
		if ( it->near[i] == leaf )
			return false;
	}
	if ( leaf == UINT32_MAX || it->near_count == DBVHI_ITEM_TRIANGLES ||
	     dbvhi_boundary_side( &s->boundary, leaf ) == 0 )
		return false;
	it->near[it->near_count++] = leaf;
	add_row( s, it, leaf, t );
	return true;
}

void dbvhi_item_bound_again( dbvhi_item_search *s, dbvhi_item *it, dbvhi_bound_table *t ) {
	t->rows = 0;
	t->columns = it->corner_count;
	add_box_planes( s, it, t );
	for ( int i = 0; i < it->near_count; ++i )
		add_row( s, it, it->near[i], t );
	it->bound = fmin( it->bound, least_bound( t ) + s->pair->slack );
}

// Put the triangles of the mean first, and keep no more than leave room for others.
static void keep_useful( dbvhi_item *it, const dbvhi_bound_table *t ) {
	double share[DBVHI_ITEM_TRIANGLES];
	memcpy( share, t->share + 6, sizeof share );
	for ( int i = 1; i < it->near_count; ++i ) {
		for ( int j = i; j > 0 && share[j] > share[j - 1]; --j ) {
			const double x = share[j];
			const uint32_t leaf = it->near[j];
			share[j] = share[j - 1];
			it->near[j] = it->near[j - 1];
			share[j - 1] = x;
			it->near[j - 1] = leaf;
		}
	}
	it->near_count = it->near_count < DBVHI_ITEM_TRIANGLES - 3 ? it->near_count : DBVHI_ITEM_TRIANGLES - 3;
}

// Add the triangle nearest to the corner where the least distance known is greatest, of those that have not had their
// turn. False if there is none.
static bool add_nearest_to_corner( dbvhi_item_search *s, dbvhi_item *it, dbvhi_bound_table *t, unsigned *done ) {
	int worst = -1;
	double most = dbvhi_search_goal( s );
	for ( int k = 0; k < it->corner_count; ++k ) {
		const double at = dbvhi_bound_at_corner( t, k );
		if ( ( *done >> k & 1 ) == 0 && at > most ) {
			most = at;
			worst = k;
		}
	}
	if ( worst < 0 )
		return false;
	*done |= 1u << worst;
	const uint32_t from = it->near_count > 0 ? it->near[0] : UINT32_MAX;
	const dbvhi_near at = dbvhi_solid_near( s->y, it->corner[worst], from, INFINITY );
	if ( add_near( s, it, at.leaf, t ) )
		it->bound = fmin( it->bound, least_bound( t ) + s->pair->slack );
	return true;
}

void dbvhi_item_bound( dbvhi_item_search *s, dbvhi_item *it, double radius, const dbvhi_near *near,
                       dbvhi_bound_table *t ) {
	const bool is_boundary = near->leaf != UINT32_MAX && dbvhi_boundary_side( &s->boundary, near->leaf ) != 0;
	it->nearest = is_boundary ? near->leaf : UINT32_MAX;
	if ( add_near( s, it, near->leaf, t ) ) {
		it->bound = fmin( it->bound, near->high + radius + s->pair->slack );
		it->bound = fmin( it->bound, least_bound( t ) + s->pair->slack );
	}
	unsigned done = 0;
	while ( it->kind != DBVHI_ITEM_NODE && it->kind != DBVHI_ITEM_GROUP && it->bound > dbvhi_search_goal( s ) &&
	        it->near_count < DBVHI_ITEM_TRIANGLES && add_nearest_to_corner( s, it, t, &done ) ) {
	}
	// note: dividing rounds corners, so that parts may not quite cover the whole.
	it->bound = it->bound * ( 1.0 + 0x1p-48 ) + s->pair->slack;
	keep_useful( it, t );
}
