// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "tree/split.h"

#include "base/sort.h"

#include <string.h>

// Three times the centroid, relative to the mean, along an axis: only the sign and the order matter.
static double along( const dbvhi_build_triangle *triangle, const dbvhi_fit *fit, int axis ) {
	double sum = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		const double *c = triangle->corners + k;
		const double mean = fit->mean.v[k];
		sum += fit->frame.axes.m[k][axis] * ( ( c[0] - mean ) + ( c[3] - mean ) + ( c[6] - mean ) );
	}
	return sum;
}

static void swap( dbvhi_build_triangle *a, dbvhi_build_triangle *b ) {
	const dbvhi_build_triangle t = *a;
	*a = *b;
	*b = t;
}

size_t dbvhi_split_mean( dbvhi_build_triangle *triangles, size_t count, const dbvhi_fit *fit ) {
	for ( int axis = 2; axis >= 0; --axis ) {
		size_t low = 0, high = count;
		while ( low < high ) {
			if ( along( &triangles[low], fit, axis ) <= 0.0 )
				low += 1;
			else
				swap( &triangles[low], &triangles[--high] );
		}
		if ( low > 0 && low < count )
			return low;
	}
	return count / 2;
}

// Orders like the number rounded to float, ties by triangle number.
static uint64_t key_of( const dbvhi_build_triangle *triangle, const dbvhi_fit *fit, int axis ) {
	const float value = (float)along( triangle, fit, axis );
	uint32_t bits;
	memcpy( &bits, &value, sizeof bits );
	bits = bits >> 31 ? ~bits : bits | 0x80000000u;
	return (uint64_t)bits << 32 | triangle->number;
}

size_t dbvhi_split_median( dbvhi_build_triangle *triangles, size_t count, const dbvhi_fit *fit, uint64_t *keys ) {
	for ( size_t i = 0; i < count; ++i )
		keys[i] = key_of( &triangles[i], fit, 2 );
	dbvhi_sort_u64( keys, count );
	const uint64_t middle = keys[count / 2];
	size_t low = 0, high = count;
	while ( low < high ) {
		if ( key_of( &triangles[low], fit, 2 ) < middle )
			low += 1;
		else
			swap( &triangles[low], &triangles[--high] );
	}
	return low;
}
