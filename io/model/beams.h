// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The beams of a lattice as closed polyhedra round them, a component for each beam and for each end: frustums, balls
// and half balls. Beams of a lattice cross at their ends, and taper; a body that is a tree with one radius has neither.
//
// A polyhedron is circumscribed: its sides touch the round that it stands for, so that no point of a beam lies outside
// of it, rounding included. It is at most the sag larger.

#pragma once

#include "shape/shape.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum scene_cap {
	SCENE_CAP_BALL,      // a whole ball about the end
	SCENE_CAP_HALF_BALL, // half of it, beyond the end
	SCENE_CAP_FLAT
} scene_cap;

typedef struct scene_beam {
	double ends[2][3], radii[2]; // the radii are above 0, the ends are different points
	scene_cap caps[2];
} scene_beam;

// The number of sides of the rounds, a multiple of 4 from 8 to 128, with which the sag of a ball of this radius is at
// most `sag`, as far as 128 sides reach; 0: a twentieth of the radius.
uint32_t scene_beam_sides( double radius, double sag );

// Add a beam without its ends that are whole balls, which several beams may share. Returns the sag. Cost: 4 triangles a
// side, and about half a side squared for half a ball.
double scene_add_beam( shape *s, const scene_beam *beam, uint32_t sides );

// Add a ball. Returns the sag.
double scene_add_ball( shape *s, const double centre[3], double radius, uint32_t sides );
