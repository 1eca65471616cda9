// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The smallest enclosing sphere, written once and compiled where it is needed for an instruction set.

#pragma once

#include "base/assert.h"
#include "primitive/fit/sphere_fit.h"

#include <stdbool.h>

#define SPHERE_LANES 8

typedef double sphere_lanes __attribute__( ( vector_size( 8 * SPHERE_LANES ) ) );
typedef long long sphere_mask __attribute__( ( vector_size( 8 * SPHERE_LANES ) ) );

static inline __attribute__( ( always_inline ) ) void sphere_load( sphere_lanes *out, const double *from ) {
	__builtin_memcpy( out, from, sizeof *out );
}

// The point farthest from a centre, the first of several, and its squared distance. In lanes; the last points may be
// looked at twice.
static size_t farthest( dbvhi_point_set points, dbvhi_vec centre, double *distance_sq_out ) {
	DBVHI_ASSERT( points.count > 0 );
	if ( points.count < SPHERE_LANES ) {
		size_t one = 0;
		double one_sq = -1.0;
		for ( size_t i = 0; i < points.count; ++i ) {
			const double dx = points.x[i] - centre.v[0], dy = points.y[i] - centre.v[1], dz = points.z[i] - centre.v[2];
			const double sq = dx * dx + dy * dy + dz * dz;
			one = sq > one_sq ? i : one;
			one_sq = sq > one_sq ? sq : one_sq;
		}
		*distance_sq_out = one_sq;
		return one;
	}
	const sphere_lanes zero = { 0 };
	const sphere_lanes cx = zero + centre.v[0], cy = zero + centre.v[1], cz = zero + centre.v[2];
	sphere_lanes best_sq = zero - 1.0;
	sphere_mask best = { 0 };
	for ( size_t next = 0; next < points.count; next += SPHERE_LANES ) {
		const size_t i = next + SPHERE_LANES <= points.count ? next : points.count - SPHERE_LANES;
		sphere_lanes x, y, z;
		sphere_load( &x, points.x + i );
		sphere_load( &y, points.y + i );
		sphere_load( &z, points.z + i );
		const sphere_lanes dx = x - cx, dy = y - cy, dz = z - cz, sq = dx * dx + dy * dy + dz * dz;
		const sphere_mask farther = sq > best_sq;
		best = ( farther & (long long)i ) | ( ~farther & best );
		best_sq = (sphere_lanes)( ( farther & (sphere_mask)sq ) | ( ~farther & (sphere_mask)best_sq ) );
	}
	size_t one = (size_t)best[0];
	double one_sq = best_sq[0];
	for ( int l = 1; l < SPHERE_LANES; ++l ) {
		const size_t i = (size_t)best[l] + (size_t)l;
		const bool farther = best_sq[l] > one_sq || ( best_sq[l] == one_sq && i < one );
		one = farther ? i : one;
		one_sq = farther ? best_sq[l] : one_sq;
	}
	*distance_sq_out = one_sq;
	return one;
}

#undef SPHERE_LANES

// The computed distance is off by a factor of at most (1 + 3u): each difference, square, sum and the root rounds once
// or is halved by the root. Underflow of a square loses at most 2^-537 of distance.
static double sphere_round_up( double distance_sq ) {
	DBVHI_ASSERT( distance_sq >= 0.0 );
	return sqrt( distance_sq ) * ( 1.0 + 8.0 * 0x1p-53 ) + 0x1p-530;
}

static dbvhi_sphere sphere_about( dbvhi_vec centre, dbvhi_point_set points ) {
	double distance_sq;
	farthest( points, centre, &distance_sq );
	return ( dbvhi_sphere ){ centre, sphere_round_up( distance_sq ) };
}

static dbvhi_vec point_at( dbvhi_point_set points, size_t i ) {
	DBVHI_ASSERT( i < points.count );
	return ( dbvhi_vec ){ { points.x[i], points.y[i], points.z[i] } };
}

// The sphere through the last point of a set and some of the others, with its centre in their affine hull: the centre
// relative to `apex` is sum c_i e_i with e_i the edges from it, and c solves the Gram system. *inside tells whether the
// centre lies in the hull of the points: then no smaller sphere encloses them. False if the points are (numerically)
// affinely dependent.
static bool circumsphere( dbvhi_vec apex, const dbvhi_vec *edges, int count, dbvhi_vec *centre_out, double *radius_sq,
                          bool *inside ) {
	DBVHI_ASSERT( count >= 0 && count <= 3 );
	dbvhi_vec offset;
	*inside = true;
	if ( count == 1 ) {
		offset = dbvhi_scale( 0.5, edges[0] );
	} else if ( count == 2 ) {
		const double aa = dbvhi_dot( edges[0], edges[0] ), bb = dbvhi_dot( edges[1], edges[1] );
		const double ab = dbvhi_dot( edges[0], edges[1] ), det = aa * bb - ab * ab;
		if ( !( det > 1e-14 * aa * bb && det > 1e-300 ) )
			return false;
		const double half = 0.5 / det, c0 = bb * ( aa - ab ) * half, c1 = aa * ( bb - ab ) * half;
		*inside = c0 >= 0.0 && c1 >= 0.0 && c0 + c1 <= 1.0;
		offset = dbvhi_add( dbvhi_scale( c0, edges[0] ), dbvhi_scale( c1, edges[1] ) );
	} else {
		// 3x3 with a unit row and column where there are only two edges.
		double gram[3][3] = { { 0 } }, half[3] = { 0 };
		for ( int i = 0; i < 3; ++i ) {
			for ( int j = 0; j < 3; ++j )
				gram[i][j] = i < count && j < count ? dbvhi_dot( edges[i], edges[j] ) : 0.0;
			half[i] = 0.5 * gram[i][i];
			if ( i >= count )
				gram[i][i] = 1.0;
		}
		const double minor0 = gram[1][1] * gram[2][2] - gram[1][2] * gram[2][1];
		const double minor1 = gram[1][2] * gram[2][0] - gram[1][0] * gram[2][2];
		const double minor2 = gram[1][0] * gram[2][1] - gram[1][1] * gram[2][0];
		const double det = gram[0][0] * minor0 + gram[0][1] * minor1 + gram[0][2] * minor2;
		double volume = 1.0;
		for ( int i = 0; i < count; ++i )
			volume *= gram[i][i];
		// The determinant over the product of the squared edge lengths is the squared sine product of the edges.
		if ( !( det > 1e-14 * volume ) )
			return false;
		double c[3];
		c[0] = ( half[0] * minor0 + half[1] * ( gram[0][2] * gram[2][1] - gram[0][1] * gram[2][2] ) +
		         half[2] * ( gram[0][1] * gram[1][2] - gram[0][2] * gram[1][1] ) ) /
		       det;
		c[1] = ( half[0] * minor1 + half[1] * ( gram[0][0] * gram[2][2] - gram[0][2] * gram[2][0] ) +
		         half[2] * ( gram[0][2] * gram[1][0] - gram[0][0] * gram[1][2] ) ) /
		       det;
		c[2] = ( half[0] * minor2 + half[1] * ( gram[0][1] * gram[2][0] - gram[0][0] * gram[2][1] ) +
		         half[2] * ( gram[0][0] * gram[1][1] - gram[0][1] * gram[1][0] ) ) /
		       det;
		double rest = 1.0;
		for ( int i = 0; i < count; ++i ) {
			*inside = *inside && c[i] >= 0.0;
			rest -= c[i];
		}
		*inside = *inside && rest >= 0.0;
		offset = dbvhi_scale( c[0], edges[0] );
		for ( int i = 1; i < count; ++i )
			offset = dbvhi_add( offset, dbvhi_scale( c[i], edges[i] ) );
	}
	*radius_sq = dbvhi_dot( offset, offset );
	*centre_out = dbvhi_add( apex, offset );
	return true;
}

typedef struct support_set {
	dbvhi_vec points[5];
	int count;
} support_set;

// The smallest sphere that encloses a set of at most five points, the last of which lies on it; the set shrinks to the
// points that define it. Every subset with the last point is tried, small ones first, until one encloses all with its
// centre in its own hull; where rounding hides that, the smallest that encloses all is taken.
static bool solve( support_set *set, dbvhi_vec *centre_out, double *radius_sq_out ) {
	const int others = set->count - 1;
	const dbvhi_vec apex = set->points[others];
	double best_sq = INFINITY;
	unsigned best_mask = 0;
	dbvhi_vec best_centre = apex;
	bool optimal = false;
	for ( int size = 1; size <= 3 && !optimal; ++size ) {
		for ( unsigned mask = 1; mask < 1u << others && !optimal; ++mask ) {
			dbvhi_vec edges[3];
			int count = 0;
			for ( int i = 0; i < others && count <= size; ++i ) {
				if ( ( mask >> i & 1 ) == 0 )
					continue;
				if ( count < 3 )
					edges[count] = dbvhi_sub( set->points[i], apex );
				count += 1;
			}
			if ( count != size )
				continue;
			dbvhi_vec centre;
			double radius_sq;
			bool inside;
			if ( !circumsphere( apex, edges, count, &centre, &radius_sq, &inside ) || radius_sq >= best_sq )
				continue;
			bool encloses = true;
			for ( int i = 0; i < others && encloses; ++i ) {
				const dbvhi_vec d = dbvhi_sub( set->points[i], centre );
				encloses = ( mask >> i & 1 ) != 0 || dbvhi_dot( d, d ) <= radius_sq * ( 1.0 + 1e-12 );
			}
			if ( encloses ) {
				best_sq = radius_sq;
				best_mask = mask;
				best_centre = centre;
				optimal = inside;
			}
		}
	}
	if ( best_mask == 0 )
		return false;
	support_set kept = { .count = 0 };
	for ( int i = 0; i < others; ++i ) {
		if ( best_mask >> i & 1 )
			kept.points[kept.count++] = set->points[i];
	}
	kept.points[kept.count++] = apex;
	*set = kept;
	*centre_out = best_centre;
	*radius_sq_out = best_sq;
	return true;
}

// A search for the smallest sphere: the points that define the sphere so far.
typedef struct sphere_search {
	support_set set;
	dbvhi_vec centre;
	double radius_sq;
} sphere_search;

// The smallest sphere round two points.
static sphere_search sphere_between( dbvhi_vec first, dbvhi_vec second ) {
	const dbvhi_vec between = dbvhi_sub( second, first );
	const double distance_sq = dbvhi_dot( between, between );
	return ( sphere_search ){ .set = { .points = { first, second }, .count = 2 },
	                          .centre = dbvhi_add( first, dbvhi_scale( 0.5, dbvhi_sub( second, first ) ) ),
	                          .radius_sq = 0.25 * distance_sq };
}

// The farthest point from any point is on the boundary of a good start; so is the farthest from that.
static sphere_search sphere_start( dbvhi_point_set points ) {
	double distance_sq;
	const dbvhi_vec first = point_at( points, farthest( points, point_at( points, 0 ), &distance_sq ) );
	const dbvhi_vec second = point_at( points, farthest( points, first, &distance_sq ) );
	return sphere_between( first, second );
}

// Goes on until no point is outside, from a start among the points.
static dbvhi_sphere sphere_finish( sphere_search *s, dbvhi_point_set points ) {
	double best_sq = INFINITY;
	dbvhi_vec best_centre = s->centre;
	// A pivot that is truly outside makes the radius grow, so the loop ends; the count guards against rounding.
	for ( int pass = 0; pass < 64; ++pass ) {
		double distance_sq;
		const size_t pivot = farthest( points, s->centre, &distance_sq );
		if ( distance_sq < best_sq ) {
			best_sq = distance_sq;
			best_centre = s->centre;
		}
		if ( distance_sq <= s->radius_sq * ( 1.0 + 1e-12 ) )
			return ( dbvhi_sphere ){ best_centre, sphere_round_up( best_sq ) };
		s->set.points[s->set.count++] = point_at( points, pivot );
		double grown_sq;
		if ( !solve( &s->set, &s->centre, &grown_sq ) ) {
			s->set.count -= 1; // the search may go on among other points
			break;
		}
		if ( !( grown_sq > s->radius_sq ) )
			break;
		s->radius_sq = grown_sq;
	}
	// Rounding has ended the loop: the last centre tried may be better than the best measured; `about` measures it
	// afresh.
	const dbvhi_sphere last = sphere_about( s->centre, points );
	const dbvhi_sphere best = { best_centre, sphere_round_up( best_sq ) };
	return last.radius < best.radius ? last : best;
}

static dbvhi_sphere sphere_smallest( dbvhi_point_set points ) {
	DBVHI_ASSERT( points.count > 0 );
	sphere_search search = sphere_start( points );
	return sphere_finish( &search, points );
}
