// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// How far two closed triangles are apart, when one of them is moved by a pose: bounds in doubles, and behind them the
// exact comparison with a given length and the distance itself, rounded up. Triangles that intersect are 0 apart.

#pragma once

#include "dualbvh/base.h"
#include "exact/number/dd.h"

// The features that hold the nearest points, as far as doubles can tell: the edges from corner `a` of the fixed
// triangle and from corner `b` of the moved one, s and t of their lengths from there; or, with `is_face`, above the
// inside of the fixed or the moved triangle (`face_is_fixed`) corner `a` of the other, s and t of the edges from the
// face's first corner to the second and to the third.
typedef struct dbvhi_near_place {
	bool is_known, is_face, face_is_fixed;
	uint8_t a, b;
	double s, t;
} dbvhi_near_place;

// Two points, one of each triangle, that are about the nearest, and bounds of the distance that hold for certain.
typedef struct dbvhi_tri_tri_bounds {
	dbvhi_near_place place;
	double fixed[3], moved[3];
	double direction[3]; // from the fixed to the moved triangle, of length 1; 0 where there is none
	double lower, upper; // 0 and infinity where doubles cannot tell
} dbvhi_tri_tri_bounds;

// `image` and `error` as in exact/tri_tri.h.
void dbvhi_triangles_gap( const double fixed[9], const double image[9], double error, dbvhi_tri_tri_bounds *out );

// Two triangles as all of these functions take them.
typedef struct dbvhi_posed_pair {
	const double *fixed, *moved; // nine doubles each; `moved` before the pose
	const double *image;         // nine doubles: moved by the pose, rounded
	const dbvh_pose *pose;
	double error;
} dbvhi_posed_pair;

// Is the distance at most `reach` (>= 0, infinity allowed)? Exact. `gap` is that of the same triangles.
bool dbvhi_triangles_within_exact( const dbvhi_posed_pair *pair, const dbvhi_tri_tri_bounds *gap, double reach );

// The distance, a pair of points at that distance, and their features.
typedef struct dbvhi_witness {
	double distance;           // the smallest double that is not less than the exact distance
	double fixed[3], moved[3]; // the points, rounded
	double between[3];         // from one to the other, each component right to a few units in the last place,
	bool is_way_whole;         // unless this is false: some are too small for that
	uint32_t corners_fixed, corners_moved; // the corners, a bit each, of the vertex, edge or face each point is on
} dbvhi_witness;

// If the distance is at most `limit`, returns true and all there is to know about it; else false. Where several
// features give the same rounded distance, the one of fewest corners is named. Where the triangles intersect, both
// points are about one that they share and the corners are all.
bool dbvhi_triangles_distance_exact( const dbvhi_posed_pair *pair, const dbvhi_tri_tri_bounds *gap, double limit,
                                     dbvhi_witness *out );

// The same, in pairs of doubles: false where these cannot tell, as where the distance is a double itself.
bool dbvhi_triangles_distance_near( const dbvhi_posed_pair *pair, const dbvhi_tri_tri_bounds *gap, double limit,
                                    dbvhi_witness *out );

// The distance alone, rounded up.
bool dbvhi_triangles_rounded_near( const dbvhi_posed_pair *pair, const dbvhi_tri_tri_bounds *gap, double *distance );

// Looks for the nearest features again, in pairs of doubles, where those that doubles have found are not the nearest:
// edges or faces that are parallel but for roundings, whose nearest points lie at corners that doubles cannot tell from
// others. Changes the place and the points of `gap`; false where it knows no better ones.
bool dbvhi_triangles_find_place( const dbvhi_posed_pair *pair, dbvhi_tri_tri_bounds *gap );

// Are they certainly not so near that their distance is rounded up to less than `distance`?
bool dbvhi_triangles_no_nearer( const dbvhi_posed_pair *pair, const dbvhi_tri_tri_bounds *gap, double distance );

// Two planes, perpendicular to the way between two triangles where they are nearest to each other, each through one of
// the nearest points. How far a triangle reaches beyond its own bounds how near it comes to any on the other side. In
// pairs of doubles.
typedef struct dbvhi_distance_planes {
	dbvhi_dd normal[2][3]; // from the fixed to the moved triangle; and seen from the moved mesh before the pose
	double corner[2][3];   // a point of each plane: a corner of the fixed triangle, one of the moved before the pose
	double size;           // sum of the magnitudes of the normal's components
	// Bounds for the sum of two triangles' reaches beyond these planes, in units of the normal's length: below
	// `no_nearer` their distance, rounded up, is at least the known one, below `farther` it is larger.
	double no_nearer, farther;
} dbvhi_distance_planes;

// Planes for two triangles and their rounded distance. False where pairs of doubles do not suffice.
bool dbvhi_distance_planes_init( const dbvhi_posed_pair *pair, const dbvhi_tri_tri_bounds *gap, double distance,
                                 dbvhi_distance_planes *out );

// How far a triangle of the fixed or of the moved mesh, before the pose, reaches beyond its plane at most; negative
// where it does not come near it.
double dbvhi_height_beyond( const dbvhi_distance_planes *planes, const double triangle[9], bool moved );

// The sign of the rounded distance of two triangles, which do not intersect, minus that of two others, which is known.
// Neighbours in a mesh often share the corners that it is taken between; the others are mostly distinguished in
// doubles.
int dbvhi_triangles_compare_exact( const dbvhi_posed_pair *pair, const dbvhi_tri_tri_bounds *gap,
                                   const dbvhi_posed_pair *known, const dbvhi_witness *witness );

// Two planes perpendicular to the offset between the features of a witness, each through one of them, separate the
// triangles of two meshes that are known to be on the outer sides: no two of those are nearer than the features. Is a
// triangle, which has the corners of the feature of its mesh, on its outer side? Exact; where the features are no two
// corners or two edges, false. `image` as in exact/tri_tri.h; for one of the fixed mesh it is the triangle.
bool dbvhi_triangle_is_behind( const dbvhi_posed_pair *known, const dbvhi_witness *witness, const double triangle[9],
                               const double image[9], bool moved );
