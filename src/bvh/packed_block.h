// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The memory block of the packed form: its header and the offsets of its arrays.

#pragma once

#include "base/assert.h"
#include "bvh/packed_layout.h"
#include "math/power.h"
#include "primitive/ellipsoid/ellipsoid.h"

#include <stdbool.h>

#define DBVHI_PACKED_VERSION 3
// A block in a unit of its own has this version instead, so that libraries which know no such blocks refuse it.
#define DBVHI_PACKED_SCALED_VERSION 4

// One relocatable block: this header, the spheres of all nodes, their boxes, and the leaves; with ellipsoids, also a
// byte a node and the ellipsoids. Positions are relative to `centre`. All lengths in the block, those of
// `centre`, `extent` and `unit` included, are in units of 2^exponent.
typedef struct dbvhi_packed {
	uint32_t version;
	uint32_t depth; // nodes on the longest path, leaves not counted
	uint64_t bytes; // bytes of the whole block
	uint64_t content_hash;
	uint32_t node_count, leaf_count;
	uint64_t sphere_offset, box_offset, leaf_offset;
	double centre[3];
	double extent; // no centre of a sphere and no corner is farther from `centre`
	double unit;   // the power of two that scales `extent` to 2^15 .. 2^16
	uint32_t ellipsoid_count;
	int32_t exponent;                       // exponent of that unit; 0 unless the block is scaled
	uint64_t mark_offset, ellipsoid_offset; // 0 without ellipsoids
} dbvhi_packed;

// An ellipsoid around the triangles of a node, in the axes of the mesh.
typedef struct dbvhi_packed_ellipsoid {
	dbvhi_reach reach;
	dbvhi_mat to_ball; // | to_ball ( x - centre ) | <= 1 inside; used to validate
} dbvhi_packed_ellipsoid;

// True if the lengths of a block are in a unit of their own, because floats would not hold them in that of the mesh.
static inline bool dbvhi_packed_is_scaled( const dbvhi_packed *packed ) {
	return packed->version == DBVHI_PACKED_SCALED_VERSION;
}

// Returns the factor from the unit of the block to that of the mesh, and the one back.
static inline dbvhi_power dbvhi_packed_up( const dbvhi_packed *packed ) {
	return dbvhi_packed_is_scaled( packed ) ? dbvhi_power_of_two( packed->exponent ) : ( dbvhi_power ){ 1.0, 1.0 };
}

static inline dbvhi_power dbvhi_packed_down( const dbvhi_packed *packed ) {
	return dbvhi_packed_is_scaled( packed ) ? dbvhi_power_of_two( -packed->exponent ) : ( dbvhi_power ){ 1.0, 1.0 };
}

// Returns the centre in the unit of the mesh: exactly, as dbvhi_packed_set_centre() has made it.
static inline void dbvhi_packed_mesh_centre( const dbvhi_packed *packed, double out[3] ) {
	const dbvhi_power up = dbvhi_packed_up( packed );
	for ( int k = 0; k < 3; ++k )
		out[k] = dbvhi_times_power( up, packed->centre[k] );
}

static inline const dbvhi_packed_spheres *dbvhi_packed_spheres_of( const dbvhi_packed *packed ) {
	return (const dbvhi_packed_spheres *)( (const char *)packed + packed->sphere_offset );
}

static inline const dbvhi_packed_box *dbvhi_packed_boxes_of( const dbvhi_packed *packed ) {
	return (const dbvhi_packed_box *)( (const char *)packed + packed->box_offset );
}

static inline const dbvhi_packed_leaf *dbvhi_packed_leaves_of( const dbvhi_packed *packed ) {
	return (const dbvhi_packed_leaf *)( (const char *)packed + packed->leaf_offset );
}

// Returns the marks of the nodes: 0, or 1 + the index of the node's ellipsoid.
static inline const uint8_t *dbvhi_packed_marks_of( const dbvhi_packed *packed ) {
	DBVHI_ASSERT( packed->ellipsoid_count > 0 );
	return (const uint8_t *)packed + packed->mark_offset;
}

static inline const dbvhi_packed_ellipsoid *dbvhi_packed_ellipsoids_of( const dbvhi_packed *packed ) {
	DBVHI_ASSERT( packed->ellipsoid_count > 0 );
	return (const dbvhi_packed_ellipsoid *)( (const char *)packed + packed->ellipsoid_offset );
}

// Returns an upper bound of | to_ball ( corner - centre ) |, for a corner in the frame of the mesh.
static inline double dbvhi_packed_ellipsoid_reached( const dbvhi_packed *packed, const dbvhi_packed_ellipsoid *e,
                                                     const double corner[3] ) {
	dbvhi_vec d;
	double sizes = 0.0, sum = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		const double local = corner[k] - packed->centre[k];
		d.v[k] = local - e->reach.centre.v[k];
		sizes += fabs( local ) + fabs( e->reach.centre.v[k] );
	}
	// Bounds the rounding of two subtractions, three products and their sum.
	const double off = 0x1p-50 * sizes;
	for ( int k = 0; k < 3; ++k ) {
		const double *row = e->to_ball.m[k];
		const double x = fabs( row[0] * d.v[0] + row[1] * d.v[1] + row[2] * d.v[2] ) +
		                 off * ( fabs( row[0] ) + fabs( row[1] ) + fabs( row[2] ) );
		sum += x * x;
	}
	return sqrt( sum ) * ( 1.0 + 0x1p-50 );
}
