// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Procedural meshes, for `dualbvh gen`, for tests and for benchmarks that must run without downloaded data.
// All of them are deterministic, indexed, oriented outwards and, unless said otherwise, closed. In doubles, and so not
// by cglm, whose numbers are floats: mirrored parts are equal bit by bit, and recorded counts rest on these digits.

#pragma once

#include "shape/shape.h"

// Adds a UV sphere round the origin, poles on the z axis: 2 * slices * (stacks - 1) triangles.
// slices >= 3, stacks >= 2. 200 by 200 gives the 79,600 triangles of Scenario II (Chang et al. 2009, section 4).
void shape_add_sphere( shape *s, double radius, uint32_t slices, uint32_t stacks );

// Adds the box [-x, x] * [-y, y] * [-z, z], each face cut into n * n squares: 12 n^2 triangles, n >= 1.
void shape_add_box( shape *s, double x, double y, double z, uint32_t n );

// Adds a torus round the z axis: 2 * major_segments * minor_segments triangles, both >= 3.
void shape_add_torus( shape *s, double major_radius, double minor_radius, uint32_t major_segments,
                      uint32_t minor_segments );

// Adds a spur gear round the z axis with involute flanks, cut off at the root circle, and a bore along the axis; the
// middle of the first tooth points along +x. Pitch radius module * teeth / 2, tip radius one module more, root radius
// 1.25 modules less. With an even number of teeth, opposite teeth are exact mirror images, bit by bit.
// teeth * (8 * flank_segments + 28) triangles. Adds nothing and returns false where no such gear exists.
typedef struct shape_gear {
	uint32_t teeth; // at least 8
	double module;
	double pressure_angle; // radians, in (0, pi / 4)
	double thickness;
	double bore_radius;      // smaller than the root radius
	double backlash;         // gap: how much narrower each tooth is on the pitch circle
	uint32_t flank_segments; // at least 1
} shape_gear;
shape_gear shape_gear_default( void ); // 24 teeth, tip radius 13
bool shape_add_gear( shape *s, const shape_gear *gear );

// Adds a right hand: 404 triangles, metres, 0.19 long. The wrist is at the origin, the fingers point along +x, the
// thumb along +y, the back of the hand faces +z.
void shape_add_hand( shape *s );

// Adds the cabin of an aeroplane: 169,944 triangles, metres, x to the tail (0 to 20), y to the right, z up, the floor
// at z = 0. Walls, ceiling and floor are open sheets, seats and bins are closed bodies.
void shape_add_cabin( shape *s );

// Adds a robed figure on a plinth: 15,536 triangles, one closed surface, standing on z = 0 and facing +x, height 1.
void shape_add_statue( shape *s );

// Adds a pipe about the z axis from -length / 2 to length / 2, a ring of `slices` corners at each of its four rims:
// 8 * slices triangles. slices >= 3, 0 < inner < outer.
void shape_add_pipe( shape *s, double inner, double outer, double length, uint32_t slices );

// Adds a staircase of `steps` unit cubes along the diagonal of x and z; each shares one edge, exactly, with the next.
// 12 * steps triangles in closed bodies that all touch: a trap for tests of touching.
void shape_add_stairs( shape *s, uint32_t steps );

// ------------------------------------------------------------------------------------------------
// What shapes are made from

// Cosine and sine of k / n of a full turn, reduced by integers first: quarter turns are exact, and angles that mirror
// each other have coordinates that do so too, bit by bit.
void shape_turn( uint32_t k, uint32_t n, double *cosine, double *sine );

// The rotation by `degrees` about an axis, which need not have unit length, then a move by `at`.
// Multiples of 90 degrees about a coordinate axis are exact.
dbvh_pose shape_pose( const double axis[3], double degrees, const double at[3] );

// Applies a pose to the vertices from `first` on.
void shape_place( shape *s, size_t first, const dbvh_pose *pose );

// Adds a closed box with rounded edges, centre c, half extents h, cut into cells[k] pieces along axis k:
// 4 * (n0 n1 + n1 n2 + n2 n0) triangles. roundness 0 is a box, 1 an ellipsoid.
void shape_add_cushion( shape *s, const double c[3], const double h[3], const uint32_t cells[3], double roundness );
