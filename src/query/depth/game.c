// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "query/depth/game.h"

#include "base/inline.h"

#include <math.h>
#include <string.h>

enum { MOST_PIVOTS = 24 };

// The game as a linear program: the greatest sum of y >= 0 with sum over i of y[i] row[i][k] <= 1 for each column k.
// Then y divided by its sum is the best mean, and the prices of the columns, divided by theirs, mix the corners.
typedef struct program {
	double a[DBVHI_GAME_COLUMNS][DBVHI_GAME_ROWS + DBVHI_GAME_COLUMNS]; // by column of the table: coefficients of y,
	                                                                    // then of the slack variables
	double right[DBVHI_GAME_COLUMNS];
	double price[DBVHI_GAME_ROWS + DBVHI_GAME_COLUMNS]; // the gain by each variable
	int basis[DBVHI_GAME_COLUMNS];
	int of[DBVHI_GAME_ROWS]; // row of the game that each y belongs to
	int rows, columns;
} program;

static double least_of( const double *row, int columns ) {
	double least = row[0];
	for ( int k = 1; k < columns; ++k )
		least = dbvhi_smaller( least, row[k] );
	return least;
}

// Rows are taken less `least`, the least of all entries, and divided by the difference to `most`, the least of their
// greatest entries, so that those of use are up to 1. Greater entries are cut: they belong to triangles that are far
// away. A row whose entries are all above `most` is left out: no mean is better with it.
#define MOST_ENTRY 0x1p20
static void set_program( program *g, const dbvhi_game *t, double least, double most ) {
	const double scale = 1.0 / ( most - least );
	g->rows = 0;
	g->columns = t->columns;
	for ( int i = 0; i < t->rows; ++i ) {
		if ( least_of( t->row[i], t->columns ) > most )
			continue;
		for ( int k = 0; k < t->columns; ++k )
			g->a[k][g->rows] = dbvhi_smaller( ( t->row[i][k] - least ) * scale, MOST_ENTRY ) + 1.0;
		g->of[g->rows++] = i;
	}
	for ( int k = 0; k < t->columns; ++k ) {
		for ( int j = 0; j < t->columns; ++j )
			g->a[k][g->rows + j] = j == k ? 1.0 : 0.0;
		g->right[k] = 1.0;
		g->basis[k] = g->rows + k;
	}
	for ( int i = 0; i < g->rows + g->columns; ++i )
		g->price[i] = i < g->rows ? 1.0 : 0.0;
}

// The column that limits a variable first; -1: none.
static int leaving_column( const program *g, int enters ) {
	int leaves = -1;
	double least = INFINITY;
	for ( int k = 0; k < g->columns; ++k ) {
		if ( g->a[k][enters] > 0x1p-40 && g->right[k] < least * g->a[k][enters] ) {
			least = g->right[k] / g->a[k][enters];
			leaves = k;
		}
	}
	return leaves;
}

// Bring the variable of the greatest price into the basis. False if there is none left.
static bool pivot( program *g ) {
	const int count = g->rows + g->columns;
	int enters = 0;
	for ( int i = 1; i < count; ++i )
		enters = g->price[i] > g->price[enters] ? i : enters;
	const int leaves = g->price[enters] > 0x1p-44 ? leaving_column( g, enters ) : -1;
	if ( leaves < 0 )
		return false;
	const double by = 1.0 / g->a[leaves][enters];
	for ( int i = 0; i < count; ++i )
		g->a[leaves][i] *= by;
	g->right[leaves] *= by;
	g->basis[leaves] = enters;
	for ( int k = 0; k < g->columns; ++k ) {
		const double part = g->a[k][enters];
		for ( int i = 0; i < count && k != leaves; ++i )
			g->a[k][i] -= part * g->a[leaves][i];
		g->right[k] -= k != leaves ? part * g->right[leaves] : 0.0;
	}
	const double part = g->price[enters];
	for ( int i = 0; i < count; ++i )
		g->price[i] -= part * g->a[leaves][i];
	return true;
}

// Divide shares that are not negative by their sum. False if that is not possible.
static bool scale_shares( double *share, int count ) {
	double sum = 0.0;
	for ( int i = 0; i < count; ++i ) {
		share[i] = dbvhi_larger( share[i], 0.0 );
		sum += share[i];
	}
	for ( int i = 0; i < count; ++i )
		share[i] /= sum;
	return sum > 0x1p-100 && sum < 0x1p100;
}

bool dbvhi_game_solve( dbvhi_game *t ) {
	program g;
	double least = INFINITY, most = 0.0;
	for ( int i = 0; i < t->rows; ++i ) {
		double alone = t->row[i][0];
		for ( int k = 0; k < t->columns; ++k ) {
			least = t->row[i][k] < least ? t->row[i][k] : least;
			alone = dbvhi_larger( alone, t->row[i][k] );
		}
		most = i == 0 || alone < most ? alone : most;
	}
	if ( !( most - least > 0x1p-200 && most - least < 0x1p200 ) )
		return false;
	set_program( &g, t, least, most );
	for ( int i = 0; i < MOST_PIVOTS && pivot( &g ); ++i ) {
	}
	double share[DBVHI_GAME_ROWS] = { 0.0 };
	for ( int k = 0; k < t->columns; ++k ) {
		if ( g.basis[k] < g.rows )
			share[g.of[g.basis[k]]] = g.right[k];
		t->column_share[k] = -g.price[g.rows + k];
	}
	t->is_solved = scale_shares( t->column_share, t->columns ) && scale_shares( share, t->rows );
	if ( t->is_solved )
		memcpy( t->row_share, share, sizeof share );
	return t->is_solved;
}
