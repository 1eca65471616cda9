// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Random shapes as rows and as columns, for the tests of batches; a few of them to be refused.

#pragma once

#include "primitive/rounds.h"

enum { COUNT = 203, MOST = 15 };

// Shapes as rows of doubles, and as columns.
typedef struct table {
	double row[COUNT][MOST];
	double column[MOST][COUNT];
	int width;
	size_t count;
} table;

enum kind { SPHERE, AABB, OBB, CAPSULE, SEGMENT, PLANE, RAY, TRIANGLE };
static const int widths[] = { 4, 6, 15, 7, 6, 4, 6, 9 };

static inline void make( maker *m, enum kind kind, double *row ) {
	union {
		dbvh_sphere sphere;
		dbvh_aabb aabb;
		dbvh_obb obb;
		dbvh_capsule capsule;
		dbvh_segment segment;
		dbvh_plane plane;
		dbvh_ray ray;
		dbvh_triangle triangle;
	} u;
	switch ( kind ) {
	case SPHERE:
		u.sphere = make_sphere( m );
		break;
	case AABB:
		u.aabb = make_aabb( m );
		break;
	case OBB:
		u.obb = make_obb( m );
		break;
	case CAPSULE:
		u.capsule = make_capsule( m );
		break;
	case SEGMENT:
		u.segment = make_segment( m );
		break;
	case PLANE:
		u.plane = make_plane( m );
		break;
	case RAY:
		u.ray = make_ray( m );
		break;
	default:
		u.triangle = make_triangle( m );
	}
	memcpy( row, &u, (size_t)widths[kind] * sizeof( double ) );
	if ( one_in( m, 64 ) ) { // to be refused, mostly
		static const double bad[4] = { NAN, INFINITY, -INFINITY, -1.0 };
		row[rng_below( &m->r, (uint64_t)widths[kind] )] = bad[rng_below( &m->r, 4 )];
	}
}

static inline void transpose( table *t ) {
	for ( size_t i = 0; i < t->count; ++i ) {
		for ( int k = 0; k < t->width; ++k )
			t->column[k][i] = t->row[i][k];
	}
}

static inline void columns3( const table *t, int first, const double *out[3] ) {
	for ( int k = 0; k < 3; ++k )
		out[k] = t->column[first + k];
}

static inline dbvh_sphere_array spheres( const table *t ) {
	dbvh_sphere_array a = { .radius = t->column[3], .count = t->count };
	columns3( t, 0, a.centre );
	return a;
}

static inline dbvh_aabb_array aabbs( const table *t ) {
	dbvh_aabb_array a = { .count = t->count };
	columns3( t, 0, a.min );
	columns3( t, 3, a.max );
	return a;
}

static inline dbvh_obb_array obbs( const table *t ) {
	dbvh_obb_array a = { .count = t->count };
	columns3( t, 0, a.centre );
	for ( int k = 0; k < 3; ++k )
		columns3( t, 3 + 3 * k, a.axis[k] );
	columns3( t, 12, a.half );
	return a;
}

static inline dbvh_capsule_array capsules( const table *t ) {
	dbvh_capsule_array a = { .radius = t->column[6], .count = t->count };
	columns3( t, 0, a.from );
	columns3( t, 3, a.to );
	return a;
}

static inline dbvh_segment_array segments( const table *t ) {
	dbvh_segment_array a = { .count = t->count };
	columns3( t, 0, a.from );
	columns3( t, 3, a.to );
	return a;
}

static inline dbvh_plane_array planes( const table *t ) {
	dbvh_plane_array a = { .offset = t->column[3], .count = t->count };
	columns3( t, 0, a.normal );
	return a;
}

static inline dbvh_triangle_array triangles( const table *t ) {
	dbvh_triangle_array a = { .count = t->count };
	for ( int k = 0; k < 3; ++k )
		columns3( t, 3 * k, a.corner[k] );
	return a;
}

static inline dbvh_ray_array rays( const table *t ) {
	dbvh_ray_array a = { .count = t->count };
	columns3( t, 0, a.from );
	columns3( t, 3, a.direction );
	return a;
}
