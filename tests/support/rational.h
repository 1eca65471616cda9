// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The truth about points, lines and triangles in GMP's rationals, slowly and without predicates: lines are clipped by
// linear inequalities, distances are the least over all faces of a triangle whose own solution is feasible.

#pragma once

#include "dualbvh/raycast.h"
#include "support/line.h"

#include <gmp.h>

typedef struct rational_triangle {
	mpq_t p[3][3];
} rational_triangle;

void rational_triangle_init( rational_triangle *t );
void rational_triangle_clear( rational_triangle *t );
// The corners rot x + pos, exactly; NULL is the identity.
void rational_triangle_set( rational_triangle *t, const double corners[9], const dbvh_pose *pose );

// For which t in [0, 1], or t >= 0 if `endless`, is from + t step in the closed triangle, degenerate or not? Returns
// false if there are none; else the first and, unless it is NULL, the last of them. Where step is zero both are 0.
bool rational_clip( const rational_triangle *t, mpq_t *from, mpq_t *step, bool endless, mpq_ptr first, mpq_ptr last );

// The same for a line as the library takes it.
bool rational_first_hit( const rational_triangle *t, const test_line *line, mpq_t first );

// The square of the distance from a point.
void rational_distance_squared( const rational_triangle *t, const double point[3], mpq_t out );

// Do two triangles intersect beyond the corners they share, by the definition in dualbvh/self.h?
bool rational_meet_beyond( const double a[9], const double b[9] );
