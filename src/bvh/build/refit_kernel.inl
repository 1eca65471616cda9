// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Compiled for every instruction set: see refit.h.

#include "bvh/build/refit.h"
#include "simd/kernel_name.h"

#define LANES 8

static void reach( const dbvhi_points *points, const double axes[3][3], const double from[3], double low[3],
                   double high[3] ) {
	double least[3][LANES], most[3][LANES];
	size_t i = 0;
	for ( int k = 0; k < 3; ++k ) {
		for ( int l = 0; l < LANES; ++l ) {
			least[k][l] = low[k];
			most[k][l] = high[k];
		}
	}
	// The last ones twice, rather than fewer at a time.
	for ( size_t next = 0; next < points->count && points->count >= LANES; next += LANES ) {
		i = next + LANES <= points->count ? next : points->count - LANES;
		const double *x = points->x + i, *y = points->y + i, *z = points->z + i;
		for ( int l = 0; l < LANES; ++l ) {
			const double dx = x[l] - from[0], dy = y[l] - from[1], dz = z[l] - from[2];
			for ( int k = 0; k < 3; ++k ) {
				const double along = axes[0][k] * dx + axes[1][k] * dy + axes[2][k] * dz;
				least[k][l] = along < least[k][l] ? along : least[k][l];
				most[k][l] = along > most[k][l] ? along : most[k][l];
			}
		}
	}
	for ( i = 0; i < points->count && points->count < LANES; ++i ) {
		const double dx = points->x[i] - from[0], dy = points->y[i] - from[1], dz = points->z[i] - from[2];
		for ( int k = 0; k < 3; ++k ) {
			const double along = axes[0][k] * dx + axes[1][k] * dy + axes[2][k] * dz;
			least[k][0] = along < least[k][0] ? along : least[k][0];
			most[k][0] = along > most[k][0] ? along : most[k][0];
		}
	}
	for ( int k = 0; k < 3; ++k ) {
		for ( int l = 0; l < LANES; ++l ) {
			low[k] = least[k][l] < low[k] ? least[k][l] : low[k];
			high[k] = most[k][l] > high[k] ? most[k][l] : high[k];
		}
	}
}

static double farthest( const dbvhi_points *points, const double centre[3], double most ) {
	double lanes[LANES];
	for ( int l = 0; l < LANES; ++l )
		lanes[l] = most;
	for ( size_t next = 0; next < points->count && points->count >= LANES; next += LANES ) {
		const size_t i = next + LANES <= points->count ? next : points->count - LANES;
		const double *x = points->x + i, *y = points->y + i, *z = points->z + i;
		for ( int l = 0; l < LANES; ++l ) {
			const double dx = x[l] - centre[0], dy = y[l] - centre[1], dz = z[l] - centre[2];
			const double square = dx * dx + dy * dy + dz * dz;
			lanes[l] = square > lanes[l] ? square : lanes[l];
		}
	}
	for ( size_t i = 0; i < points->count && points->count < LANES; ++i ) {
		const double dx = points->x[i] - centre[0], dy = points->y[i] - centre[1], dz = points->z[i] - centre[2];
		const double square = dx * dx + dy * dy + dz * dz;
		lanes[0] = square > lanes[0] ? square : lanes[0];
	}
	for ( int l = 0; l < LANES; ++l )
		most = lanes[l] > most ? lanes[l] : most;
	return most;
}

extern const dbvhi_refit_isa DBVHI_KERNEL_NAME( dbvhi_refit );
const dbvhi_refit_isa DBVHI_KERNEL_NAME( dbvhi_refit ) = { reach, farthest };
