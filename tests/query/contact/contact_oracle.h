// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Contacts, slowly and by other means: every pair of triangles is clipped in rationals (GMP), points are the same when
// their coordinates are, and everything else follows from that. No signs of determinants, no numbers of edges.

#pragma once

#include "dualbvh/contact.h"

typedef struct oracle_contact {
	dbvh_pair pair;
	int count;          // number of extreme points
	uint32_t points[6]; // in no particular order; distinct
} oracle_contact;

typedef struct oracle_contacts {
	oracle_contact *contacts;
	size_t contact_count;
	size_t point_count;
	struct oracle_point *points; // exact
	// Only of meshes that do not pass through themselves:
	size_t step_count, polyline_count, closed_count, cluster_count;
	double length;
	double area;
	bool generic; // no polygon, no isolated point, two steps at every point
} oracle_contacts;

// All contacts of A and B, where B is placed by `pose_b` (NULL: the identity) or, if a_moves, A is placed by it;
// positions are in the frame of A either way.
oracle_contacts *oracle_contacts_find( const dbvh_mesh_view *a, const dbvh_mesh_view *b, const dbvh_pose *pose,
                                       bool a_moves );
void oracle_contacts_free( oracle_contacts *contacts );

// Is each coordinate the double nearest to that of the point?
bool oracle_is_nearest( const oracle_contacts *contacts, uint32_t point, const double position[3] );
