// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Small solids of whole coordinates, with which contacts without a crossing are the rule.

#pragma once

#include "shapes/shapes.h"
#include "support/rng.h"

// The box from `low` to `high`; `turned` cuts the faces along their other diagonals, `inwards` turns it inside out.
void add_block( shape *s, const double low[3], const double high[3], bool turned, bool inwards );

// A prism over a polygon without holes in the plane z = 0, given anticlockwise, which is cut into triangles by ears.
void add_prism( shape *s, const double ( *polygon )[2], size_t count, double low, double high );

// A tetrahedron, oriented outwards; false if it has no volume.
bool add_tetra( shape *s, const double p[4][3] );

// The surface of a set of unit cubes with lower corners in 0 .. n - 1: cell x + n ( y + n z ). Vertices are shared;
// where two cubes share an edge only, four triangles do.
void add_voxels( shape *s, const bool *cell, uint32_t n );

// One of many kinds in [0, size]^3, oriented outwards; cavities and several components are among them.
void add_random_solid( shape *s, rng *r, int size );
