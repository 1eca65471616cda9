// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "primitive/fit/sphere_fit.h"

#include "primitive/fit/sphere_fit.inl"

dbvhi_sphere dbvhi_sphere_about( dbvhi_vec centre, dbvhi_point_set points ) {
	return sphere_about( centre, points );
}

dbvhi_sphere dbvhi_sphere_smallest( dbvhi_point_set points ) {
	return sphere_smallest( points );
}

// The pair of points that are lowest and highest along one coordinate axis, of the three such pairs the farthest apart.
static void farthest_pair( dbvhi_point_set points, dbvhi_vec *a, dbvhi_vec *b ) {
	const double *const coordinates[3] = { points.x, points.y, points.z };
	double farthest_sq = -1.0;
	for ( int k = 0; k < 3; ++k ) {
		size_t low = 0, high = 0;
		for ( size_t i = 1; i < points.count; ++i ) {
			low = coordinates[k][i] < coordinates[k][low] ? i : low;
			high = coordinates[k][i] > coordinates[k][high] ? i : high;
		}
		const dbvhi_vec p = point_at( points, low ), q = point_at( points, high ), d = dbvhi_sub( q, p );
		const double sq = dbvhi_dot( d, d );
		if ( sq > farthest_sq ) {
			farthest_sq = sq;
			*a = p;
			*b = q;
		}
	}
}

dbvhi_sphere dbvhi_sphere_ritter( dbvhi_point_set points ) {
	DBVHI_ASSERT( points.count > 0 );
	dbvhi_vec a = point_at( points, 0 ), b = a;
	farthest_pair( points, &a, &b );
	dbvhi_vec centre = dbvhi_scale( 0.5, dbvhi_add( a, b ) );
	double radius = 0.5 * dbvhi_length( dbvhi_sub( b, a ) );
	for ( size_t i = 0; i < points.count; ++i ) {
		const dbvhi_vec out = dbvhi_sub( point_at( points, i ), centre );
		const double distance = dbvhi_length( out );
		if ( !( distance > radius ) )
			continue;
		// The new sphere through this point and the far side of the old sphere contains the old sphere.
		const double larger = 0.5 * ( radius + distance );
		centre = dbvhi_add( centre, dbvhi_scale( ( distance - larger ) / distance, out ) );
		radius = larger;
	}
	// Enlarge the radius by what roundings have lost.
	const double needed = sphere_about( centre, points ).radius;
	return ( dbvhi_sphere ){ centre, radius > needed ? radius : needed };
}
