// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Witnesses that two solids overlap under a translation: a ball inside each, so far overlapping that every translation
// nearby leaves them overlapping.

#pragma once

#include "query/depth/solid.h"

// A ball whose inside is inside a solid, in the frame of the pair before any translation. Radius 0: none.
typedef struct dbvhi_ball {
	double centre[3], radius;
} dbvhi_ball;

// A ball in the fixed solid and one in the moved solid. For every translation t of the moved one with
// |fixed.centre - moved.centre - t| < fixed.radius + moved.radius, the solids have a common interior point.
typedef struct dbvhi_witness_pair {
	dbvhi_ball fixed, moved;
	double pool_reach;    // greatest reach of a pair of the pool, at least, when the pool was last looked through
	double pool_shift[3]; // translation at which that was
	bool pool_known;
} dbvhi_witness_pair;

// Balls of both solids, found once a search.
enum { DBVHI_BALLS = 240 };
typedef struct dbvhi_ball_pool {
	dbvhi_ball ball[2][DBVHI_BALLS];
	int count[2];
} dbvhi_ball_pool;

void dbvhi_ball_pool_fill( dbvhi_ball_pool *pool, const dbvhi_solid_pair *pair );

// Every translation within this length of `shift` is proved to leave a common interior point; at most 0: none is.
double dbvhi_witness_reach( const dbvhi_solid_pair *pair, const dbvhi_witness_pair *w, const double shift[3] );

// Search for a witness for translations about `shift` that reaches as far as `wanted`, from one for some translation
// nearby, which is replaced by the best that is found. Returns its reach.
double dbvhi_witness_improve( const dbvhi_solid_pair *pair, const dbvhi_ball_pool *pool, const double shift[3],
                              double wanted, dbvhi_witness_pair *w );

// Search for a witness near the place where two triangles intersect after a translation, about `scale` from it, and
// improve it. Returns its reach; at most 0, with *w unchanged, if there is none.
double dbvhi_witness_at( const dbvhi_solid_pair *pair, const double shift[3], dbvh_pair triangles, double scale,
                         double wanted, dbvhi_witness_pair *w );

// The same near many of the places where the surfaces intersect. Errors: OUT_OF_MEMORY, or those of the budget.
dbvh_status dbvhi_witness_all_over( const dbvhi_solid_pair *pair, const double shift[3], double scale, double wanted,
                                    dbvhi_witness_pair *w );
