// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The inside of a dbvh_contacts: results, and the memory of the search.
//
// The intersection of the two surfaces is a complex of cells, one for each part of A (vertex, edge, triangle) and part
// of B that intersect: points, segments and polygons. A cell is identified by its two parts, so whether two pairs of
// triangles share a cell is found by comparing numbers.

#pragma once

#include "base/alloc.h"
#include "base/budget.h"
#include "base/hash.h"
#include "bvh/tree.h"
#include "dualbvh/contact.h"
#include "exact/tri_tri_features.h"
#include "math/pose.h"

// A part of a mesh: its kind (dbvh_feature_kind) in the upper half, its number in the topology in the lower.
typedef uint64_t dbvhi_part;

typedef struct dbvhi_point_key {
	dbvhi_part a, b;
	uint32_t contact; // the first contact with this point
	uint32_t cell;    // index of the point among the cells of that contact
} dbvhi_point_key;

// A segment between two points, however many pairs of triangles share it.
typedef struct dbvhi_step {
	dbvhi_part a, b;     // the parts in which it lies
	uint32_t from, to;   // points, from < to
	uint32_t contact;    // the first contact with this segment
	uint32_t polygons;   // number of polygons of which it is a side
	bool along, against; // some pair's n_A x n_B runs from `from` to `to`, or from `to` to `from`
	bool done;
} dbvhi_step;

enum {
	DBVHI_STORE_PAIRS, // dbvh_pair
	DBVHI_STORE_CUTS,  // dbvhi_shared_points, "fixed" standing for A
	DBVHI_STORE_CONTACTS,
	DBVHI_STORE_CORNERS,
	DBVHI_STORE_POINTS,
	DBVHI_STORE_KEYS,      // dbvhi_point_key, one a point
	DBVHI_STORE_TABLE,     // uint32_t, hash table
	DBVHI_STORE_STEPS,     // dbvhi_step
	DBVHI_STORE_LINKS,     // uint32_t, the steps that end at each point, point after point
	DBVHI_STORE_LINK_ENDS, // size_t, the end of each point's links
	DBVHI_STORE_PARENT,    // uint32_t, parents of points in the forest of clusters
	DBVHI_STORE_TRACED,    // dbvh_polyline, in order of their steps
	DBVHI_STORE_POLYLINES,
	DBVHI_STORE_PATH,
	DBVHI_STORE_CLUSTERS,
	DBVHI_STORE_SORTED, // uint64_t
	DBVHI_STORE_MET,    // uint8_t, 1 for vertices and edges of a mesh that have a point of contact
	DBVHI_STORE_KNOWN,  // uint8_t, side of the vertices of a mesh
	DBVHI_STORE_COUNT
};

typedef struct dbvhi_store {
	void *memory;
	size_t capacity;
	size_t size; // size of an element
} dbvhi_store;

struct dbvh_contacts {
	dbvh_allocator allocator;
	dbvh_workspace *workspace;
	dbvhi_store stores[DBVHI_STORE_COUNT];
	dbvh_contacts_view view;
	size_t step_count;
	const dbvhi_topology *topology_a, *topology_b; // only during a query
};

// dbvh_contacts_find() charged to a meter; `error` has been cleared.
dbvh_status dbvhi_contacts_find( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                 const dbvh_pose *pose_b, const dbvh_contacts_query *query, dbvh_contacts *contacts,
                                 dbvhi_meter *meter, dbvh_error *error );

// The same, but without polylines and clusters.
dbvh_status dbvhi_contacts_list( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                 const dbvh_pose *pose_b, uint32_t thread_count, dbvh_contacts *contacts,
                                 dbvhi_meter *meter, dbvh_error *error );

// Make room for `count` elements, whose old values may be lost. NULL if there is no memory; never NULL for 0.
void *dbvhi_contacts_room( dbvh_contacts *c, int store, size_t count, size_t size );

// The part of a mesh for a place in a triangle: a corner, an edge or the face.
dbvhi_part dbvhi_part_of( const dbvhi_topology *topology, uint32_t triangle, int place );

// Build polylines from contacts, corners and points; build clusters from all of these. False if there is no memory.
bool dbvhi_contacts_chain( dbvh_contacts *c );
bool dbvhi_contacts_cluster( dbvh_contacts *c );

// |q - p|, without overflow on the way.
double dbvhi_distance( const double p[3], const double q[3] );

// The pose of B in the frame of A, rounded if the relative pose is that of A.
dbvh_pose dbvhi_b_in_a( const dbvhi_relative_pose *relative );
