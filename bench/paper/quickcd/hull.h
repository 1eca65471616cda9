// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Convex hulls of integer points, exact, and the way along their edges to the vertex farthest in a direction.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Coordinates are at most this in absolute value.
#define QUICKCD_GRID ( 1 << 24 )

typedef struct quickcd_point {
	int32_t x[3];
} quickcd_point;

// The thirteen directions that all DOPs take theirs from: axes, then those across edges, then across corners of a cube.
extern const signed char quickcd_all_directions[13][3];

enum { QUICKCD_SEEDS = 26 }; // the thirteen, each followed by its opposite

// Vertices and, for each, those next to it along an edge of the hull (or of a triangulation of its faces).
typedef struct quickcd_hull {
	uint32_t vertex_count;
	float *vertices;              // three each, coordinates times 2^-24
	uint32_t *begin;              // vertex_count + 1
	uint32_t *neighbour;          // local numbers
	uint32_t seed[QUICKCD_SEEDS]; // the farthest vertex in each of those directions
} quickcd_hull;

// Chooses the points that span the hull of all, no point twice: their numbers go to `chosen`, which has room for
// `count`. Points inside faces and edges are left out. With `hull` not NULL the edges are made as well, to be freed
// with quickcd_hull_free(). Returns their number, 0 where memory runs out. count > 0. Expected O(n log n).
size_t quickcd_hull_make( const quickcd_point *points, size_t count, uint32_t *chosen, quickcd_hull *hull );
void quickcd_hull_free( quickcd_hull *hull );
size_t quickcd_hull_bytes( const quickcd_hull *hull );

// The vertex farthest along a direction whose coordinates are multiples of 2^-25 below 2, starting from vertex `from`.
// Every product and sum is exact, and so is the answer: on a convex polytope a vertex that none of its neighbours
// exceeds is a farthest one. *steps is raised by the vertices looked at.
uint32_t quickcd_hull_climb( const quickcd_hull *hull, const double direction[3], uint32_t from, uint64_t *steps );
