// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The section of a picture by a plane across an axis: the closed curves in which the plane meets each body and each
// overlap, and their drawing as SVG.

#pragma once

#include "picture/picture.h"

#include <stdio.h>

typedef struct section_plane {
	int axis;      // across x: 0, y: 1, z: 2
	bool is_given; // false: through the deepest point of the worst clash, or the middle of all bodies
	double at;
} section_plane;

// A curve: points[first] and so on. A closed one also has a step from its last point to its first.
typedef struct section_curve {
	size_t first, count;
	bool is_closed;
} section_curve;

// The section of a body, or of the overlap of a clash.
typedef struct section_part {
	uint32_t body, clash; // one of them is PICTURE_NONE
	size_t first_curve, curve_count;
	bool is_open; // the body is open, in the plane or elsewhere, or has no side that is inside: area is 0 then
	double area;
	double lower[2], upper[2];
} section_part;

// Coordinates are those of the frame of the picture along axes `across` and `up`, each exact point rounded once.
typedef struct section {
	int across, up;
	section_plane plane; // the plane of the section
	bool was_moved;      // the plane is not the one that was asked for, since something lay in that
	double ( *points )[2];
	size_t point_count, point_capacity;
	section_curve *curves;
	size_t curve_count, curve_capacity;
	section_part *parts; // bodies, then overlaps; those that the plane does not meet are left out
	size_t part_count, part_capacity;
	double lower[2], upper[2]; // bounds of all parts
} section;

// Cut all bodies where frame 0 has them, and all overlaps that the picture has as meshes. Which triangles the plane
// crosses and how the pieces join is decided exactly, by dbvh_contacts_find() with one large triangle in the plane.
// Where a vertex, an edge or a face lies in the plane, it is moved towards higher coordinates by a unit in the last
// place of the largest coordinate, and the section is the one just above. DBVH_OUT_OF_MEMORY, or what that query
// returns. Cost: that of the query, and building the trees of bodies that have none and of overlaps.
dbvh_status section_cut( const picture *p, const section_plane *plane, section *out );
void section_free( section *s );

// Draw it: parts hatched in their colours, overlaps in red, with a width and a height of the largest overlap and of
// all, a scale, and areas in the legend.
void section_write_svg( const section *s, const picture *p, FILE *file );

// "z = 3.5"; at most 63 bytes. Returns `out`.
char *section_place( const section *s, char out[64] );
