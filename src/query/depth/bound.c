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
// The best mean of all rows is the value of a matrix game, and the simplex method finds it. What it ends with is a
// valid bound however it rounds, since the greatest column of that mean is computed once more. The other player's
// strategy mixes the corners to the point where d may be greatest: where all rows are distances from planes, it is
// there.

#include "base/assert.h"
#include "base/inline.h"
#include "query/depth/local.h"

#include <math.h>
#include <string.h>

static double greatest_of_row( const dbvhi_game *t, int row ) {
	double most = t->row[row][0];
	for ( int k = 1; k < t->columns; ++k )
		most = dbvhi_larger( most, t->row[row][k] );
	return most;
}

// The row whose greatest column is least, alone the mean; -1 if there is none.
static int least_row( dbvhi_game *t, double *least_out ) {
	int first = -1;
	for ( int i = 0; i < t->rows; ++i ) {
		const double alone = greatest_of_row( t, i );
		t->row_share[i] = 0.0;
		if ( first < 0 || alone < *least_out ) {
			*least_out = alone;
			first = i;
		}
	}
	if ( first >= 0 )
		t->row_share[first] = 1.0;
	return first;
}

// No mean of rows is below this.
static double least_at_best( const dbvhi_game *t ) {
	double most = 0.0;
	for ( int k = 0; k < t->columns; ++k )
		most = dbvhi_larger( most, dbvhi_bound_at_corner( t, k ) );
	return most;
}

// The greatest column of the best mean, rounded up: shares sum up to 1 but for 2^-48, and a mean of at most 14 terms
// that are not negative rounds by 15 u. Where one row alone, or no mean, is at most `goal`, it is that of the best row.
static double least_bound( dbvhi_game *t, double goal ) {
	double least = INFINITY;
	t->is_solved = false;
	const int alone = least_row( t, &least );
	if ( alone < 0 || least <= goal || least_at_best( t ) > goal || !dbvhi_game_solve( t ) )
		return least * ( 1.0 + 0x1p-44 );
	double most = 0.0;
	for ( int k = 0; k < t->columns; ++k ) {
		double mean = 0.0;
		for ( int i = 0; i < t->rows; ++i )
			mean += t->row_share[i] * t->row[i][k];
		most = dbvhi_larger( most, mean );
	}
	return dbvhi_smaller( most, least ) * ( 1.0 + 0x1p-44 );
}

bool dbvhi_bound_deepest( const dbvhi_game *t, const dbvhi_item *it, double out[3] ) {
	for ( int k = 0; k < 3; ++k ) {
		out[k] = 0.0;
		for ( int i = 0; i < it->corner_count && t->is_solved; ++i )
			out[k] += t->column_share[i] * it->corner[i][k];
	}
	return t->is_solved;
}

double dbvhi_bound_at_corner( const dbvhi_game *t, int corner ) {
	double least = INFINITY;
	for ( int i = 0; i < t->rows; ++i )
		least = t->row[i][corner] < least ? t->row[i][corner] : least;
	return least;
}

static dbvhi_columns columns_of( const dbvhi_item *it ) {
	dbvhi_columns columns;
	for ( int i = 0; i < DBVHI_GAME_COLUMNS; ++i ) {
		for ( int k = 0; k < 3; ++k )
			columns.at[k][i] = it->corner[i < it->corner_count ? i : it->corner_count - 1][k];
	}
	return columns;
}

static void add_row( const dbvhi_item_search *s, const dbvhi_columns *columns, uint32_t leaf, dbvhi_game *t ) {
	double image[9];
	dbvhi_solid_image( s->y, leaf, image );
	dbvhi_row_of_triangle( s, columns, image, t->row[t->rows++] );
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
	return dbvhi_larger( s->half[plane % 3] + ( plane < 3 ? at : -at ), 0.0 );
}

static void add_box_planes( const dbvhi_item_search *s, const dbvhi_item *it, dbvhi_game *t ) {
	for ( int plane = 0; plane < 6; ++plane ) {
		for ( int i = 0; i < it->corner_count; ++i )
			t->row[t->rows][i] = above_plane( s, plane, it->corner[i] );
		t->rows += 1;
	}
}

// Add a triangle to those that bound an item. False if it is there already, or is no part of the boundary.
static bool add_near( dbvhi_item_search *s, dbvhi_item *it, uint32_t leaf, dbvhi_game *t ) {
	for ( int i = 0; i < it->near_count; ++i ) {
		if ( it->near[i] == leaf )
			return false;
	}
	if ( leaf == UINT32_MAX || it->near_count == DBVHI_ITEM_TRIANGLES ||
	     dbvhi_boundary_side( &s->boundary, leaf ) == 0 )
		return false;
	it->near[it->near_count++] = leaf;
	const dbvhi_columns columns = columns_of( it );
	add_row( s, &columns, leaf, t );
	return true;
}

void dbvhi_item_bound_again( dbvhi_item_search *s, dbvhi_item *it, dbvhi_game *t ) {
	t->rows = 0;
	t->columns = it->corner_count;
	add_box_planes( s, it, t );
	const dbvhi_columns columns = columns_of( it );
	for ( int i = 0; i < it->near_count; ++i ) {
		add_row( s, &columns, it->near[i], t );
		it->bound = dbvhi_smaller( greatest_of_row( t, i + 6 ) + s->pair->slack, it->bound );
		if ( it->bound <= dbvhi_search_goal( s ) )
			return;
	}
	it->bound = dbvhi_smaller( it->bound, least_bound( t, dbvhi_search_goal( s ) ) + s->pair->slack );
}

// Put the triangles of the mean first, and keep no more than leave room for others.
static void keep_useful( dbvhi_item *it, const dbvhi_game *t ) {
	double share[DBVHI_ITEM_TRIANGLES];
	memcpy( share, t->row_share + 6, sizeof share );
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

typedef enum near_added { NEAR_IS_ADDED, NEAR_IS_KNOWN, NEAR_IS_ABOVE } near_added;

// Add the triangle nearest to a point of the item, unless the point is above the goal: then the item is, too.
static near_added add_nearest_to_point( dbvhi_item_search *s, dbvhi_item *it, dbvhi_game *t, const double point[3] ) {
	const uint32_t from = it->near_count > 0 ? it->near[0] : UINT32_MAX;
	const dbvhi_near at = dbvhi_solid_near( s->y, point, from, INFINITY );
	const bool is_added = add_near( s, it, at.leaf, t );
	if ( is_added )
		it->bound = dbvhi_smaller( it->bound, least_bound( t, dbvhi_search_goal( s ) ) + s->pair->slack );
	return at.low > dbvhi_search_goal( s ) ? NEAR_IS_ABOVE : is_added ? NEAR_IS_ADDED : NEAR_IS_KNOWN;
}

// Add the triangle nearest to the corner where the least distance known is greatest, of those that have not had their
// turn. False if there is none, or it is above the goal.
static bool add_nearest_to_corner( dbvhi_item_search *s, dbvhi_item *it, dbvhi_game *t, unsigned *done ) {
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
	return add_nearest_to_point( s, it, t, it->corner[worst] ) != NEAR_IS_ABOVE;
}

// Add the triangle nearest to the point where the rows known say that d may be greatest: where they are distances from
// planes, no other helps. False if none is added, or the point is so deep that none helps.
static bool add_nearest_to_deepest( dbvhi_item_search *s, dbvhi_item *it, dbvhi_game *t ) {
	double deepest[3];
	return dbvhi_bound_deepest( t, it, deepest ) && add_nearest_to_point( s, it, t, deepest ) == NEAR_IS_ADDED;
}

void dbvhi_item_bound( dbvhi_item_search *s, dbvhi_item *it, double radius, const dbvhi_near *near, dbvhi_game *t ) {
	const bool is_boundary = near->leaf != UINT32_MAX && dbvhi_boundary_side( &s->boundary, near->leaf ) != 0;
	it->nearest = is_boundary ? near->leaf : UINT32_MAX;
	if ( add_near( s, it, near->leaf, t ) ) {
		it->bound = dbvhi_smaller( it->bound, near->high + radius + s->pair->slack );
		it->bound = dbvhi_smaller( it->bound, least_bound( t, dbvhi_search_goal( s ) ) + s->pair->slack );
	}
	unsigned done = 0;
	while ( it->kind != DBVHI_ITEM_NODE && it->kind != DBVHI_ITEM_GROUP && it->bound > dbvhi_search_goal( s ) &&
	        it->near_count < DBVHI_ITEM_TRIANGLES &&
	        ( add_nearest_to_corner( s, it, t, &done ) || add_nearest_to_deepest( s, it, t ) ) ) {
	}
	// note: dividing rounds corners, so that parts may not quite cover the whole.
	it->bound = it->bound * ( 1.0 + 0x1p-48 ) + s->pair->slack;
	keep_useful( it, t );
}
