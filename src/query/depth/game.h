// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Matrix games of a few rows and columns: the mean of the rows whose greatest column is least, and the mean of the
// columns whose least row is greatest. In real arithmetic the two numbers are the same (von Neumann's minimax theorem).

#pragma once

#include <stdbool.h>

enum { DBVHI_GAME_ROWS = 14, DBVHI_GAME_COLUMNS = 8 };

typedef struct dbvhi_game {
	double row[DBVHI_GAME_ROWS][DBVHI_GAME_COLUMNS];
	int rows, columns;
	double row_share[DBVHI_GAME_ROWS], column_share[DBVHI_GAME_COLUMNS]; // parts in the two means, not negative
	bool is_solved;
} dbvhi_game;

// Solve a game by the simplex method. Shares are nearly the best ones, and sum up to 1 but for rounding. False, with
// the shares of rows unchanged, if all rows have the same greatest number or numbers are out of range.
bool dbvhi_game_solve( dbvhi_game *game );
