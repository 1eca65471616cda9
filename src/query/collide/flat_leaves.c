// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "base/assert.h"
#include "query/collide/collide.h"

#include <math.h>
#include <string.h>

static double height_of( const double corner[3], const double normal[3] ) {
	return normal[0] * corner[0] + normal[1] * corner[1] + normal[2] * corner[2];
}

static void leaf_normal( const dbvh_tree *tree, uint32_t place, double out[3] ) {
	const double *p[3];
	dbvhi_tree_corners( tree, place, p );
	double u[3], v[3];
	for ( int k = 0; k < 3; ++k ) {
		u[k] = p[1][k] - p[0][k];
		v[k] = p[2][k] - p[0][k];
	}
	for ( int k = 0; k < 3; ++k )
		out[k] = u[( k + 1 ) % 3] * v[( k + 2 ) % 3] - u[( k + 2 ) % 3] * v[( k + 1 ) % 3];
}

// Heights of the points of two meshes along one direction. Any direction will do: points apart along it are apart.
typedef struct heights {
	double fixed[3], moved[3]; // the direction, in the frames of both meshes
	double offset;             // offset of the moved mesh
	double margin;
} heights;

// u = 2^-53; N = |direction|_1, L the largest coordinates of the two meshes, P that of the position. A height in the
// fixed mesh is off by 3.1 u L N; a number of the turned direction by 3.1 u N, which makes 9.3 u L N of a height, as
// much again for its three products, 3.1 u P N for the offset, and u ( 3.1 L + P ) N for its sum with that. What is
// left of the factors is for the differences. Nothing underflows beside that: no mesh with a packed form is smaller
// than 2^-40.
static bool take_direction( heights *h, const dbvhi_mesh_pair *m, const double direction[3] ) {
	const double size = fabs( direction[0] ) + fabs( direction[1] ) + fabs( direction[2] ), *pos = m->pose.pos;
	const double far = dbvhi_larger( fabs( pos[0] ), dbvhi_larger( fabs( pos[1] ), fabs( pos[2] ) ) );
	memcpy( h->fixed, direction, sizeof h->fixed );
	for ( int k = 0; k < 3; ++k )
		h->moved[k] =
		    m->pose.rot[0][k] * direction[0] + m->pose.rot[1][k] * direction[1] + m->pose.rot[2][k] * direction[2];
	h->offset = height_of( pos, direction );
	h->margin = 0x1p-53 * size * ( 8.0 * m->fixed->largest + 32.0 * m->moved->largest + 8.0 * far );
	return size > 0x1p-400;
}

typedef struct triangles {
	const dbvh_tree *tree;
	uint32_t begin, end;
} triangles;

static triangles of_leaf( const dbvh_tree *tree, const dbvhi_packed_leaf *leaf ) {
	const uint32_t begin = leaf->first_and_count >> 2;
	return ( triangles ){ tree, begin, begin + ( leaf->first_and_count & 3 ) + 1 };
}

// The least and the largest height of some triangles, plus an offset.
static inline void reach_of( const triangles *t, const double direction[3], double offset, double *low, double *high ) {
	*low = INFINITY;
	*high = -INFINITY;
	for ( uint32_t i = t->begin; i < t->end; ++i ) {
		const double *p[3];
		dbvhi_tree_corners( t->tree, i, p );
		for ( int corner = 0; corner < 3; ++corner ) {
			const double height = height_of( p[corner], direction ) + offset;
			*low = height < *low ? height : *low;
			*high = height > *high ? height : *high;
		}
	}
}

static bool are_apart_along( const heights *h, const triangles *a, const triangles *b ) {
	double low_a, high_a, low_b, high_b;
	reach_of( a, h->fixed, 0.0, &low_a, &high_a );
	// note: one corner of b shows most leaves that touch.
	const double *p[3];
	dbvhi_tree_corners( b->tree, b->begin, p );
	const double first = height_of( p[0], h->moved ) + h->offset;
	if ( !( first - high_a > h->margin || low_a - first > h->margin ) )
		return false;
	reach_of( b, h->moved, h->offset, &low_b, &high_b );
	return low_a - high_b > h->margin || low_b - high_a > h->margin;
}

static bool are_parallel( const double a[3], const double b[3] ) {
	const double both = height_of( a, b );
	return both * both > 0.999 * height_of( a, a ) * height_of( b, b );
}

// Does the test still pay? It ends when about one triangle was looked at in vain for every four pairs of nodes.
static bool is_worth_it( const dbvhi_packed_run *run ) {
	return run->flat_spent < 64 + run->node_tests / 4 + run->flat_gained;
}

// Compare two leaves along the normals of their first triangles. Fragments count as whole triangles.
static int are_separated( dbvhi_packed_run *run, int32_t leaf_a, int32_t leaf_b ) {
	const dbvhi_mesh_pair *m = run->context;
	const triangles a = of_leaf( m->fixed, &run->leaves_a[leaf_a] ), b = of_leaf( m->moved, &run->leaves_b[leaf_b] );
	if ( !is_worth_it( run ) )
		return 0;
	double normal[3], of_b[3], turned[3];
	heights h;
	leaf_normal( a.tree, a.begin, normal );
	bool apart = take_direction( &h, m, normal ) && are_apart_along( &h, &a, &b );
	if ( !apart ) {
		leaf_normal( b.tree, b.begin, of_b );
		for ( int k = 0; k < 3; ++k )
			turned[k] = height_of( of_b, m->pose.rot[k] );
		apart = !are_parallel( normal, turned ) && take_direction( &h, m, turned ) && are_apart_along( &h, &a, &b );
	}
	const uint64_t looked = a.end - a.begin + b.end - b.begin;
	if ( apart )
		run->flat_gained += 8 * looked;
	else
		run->flat_spent += 2 * looked;
	return apart;
}

void dbvhi_packed_use_flat_leaves( dbvhi_packed_run *run, const dbvhi_mesh_pair *meshes ) {
	DBVHI_ASSERT( run->leaves_separated == NULL );
	run->leaves_separated = are_separated;
	run->context = meshes;
}
