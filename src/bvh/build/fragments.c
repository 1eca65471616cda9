// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "bvh/build/fragments.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "mesh/view.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct measure {
	double least;  // squared length of an edge, below which nothing is divided
	double enough; // what a step has to save
} measure;

static double area_of( const double p[9] ) {
	const double ux = p[3] - p[0], uy = p[4] - p[1], uz = p[5] - p[2];
	const double vx = p[6] - p[0], vy = p[7] - p[1], vz = p[8] - p[2];
	const double x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
	return 0.5 * sqrt( x * x + y * y + z * z );
}

static double env( const char *name, double otherwise ) {
	const char *value = getenv( name );
	return value != NULL ? atof( value ) : otherwise;
}

static double form;
static double saved( const double corners[9], double square, int edge ) {
	(void)edge;
	return square - form * area_of( corners );
}

// The fragments of a part of a triangle; written to `out` if that is not NULL. Returns how many.
static size_t divide( const measure *m, const double corners[9], uint32_t triangle, uint32_t path,
                      dbvhi_fragment *out ) {
	double square;
	const int edge = dbvhi_longest_edge( corners, &square );
	if ( path >> DBVHI_FRAGMENT_STEPS != 0 || square < m->least || !( saved( corners, square, edge ) > m->enough ) ) {
		if ( out != NULL )
			*out = ( dbvhi_fragment ){ triangle, path };
		return 1;
	}
	size_t count = 0;
	for ( unsigned side = 0; side < 2; ++side ) {
		double half[9];
		dbvhi_fragment_half( corners, edge, side, half );
		count += divide( m, half, triangle, 2 * path + side, out != NULL ? out + count : NULL );
	}
	return count;
}

static void corners_of( const dbvh_mesh_view *view, size_t triangle, double out[9] ) {
	uint32_t index[3];
	dbvhi_view_triangle( view, triangle, index );
	for ( int corner = 0; corner < 3; ++corner )
		dbvhi_view_vertex( view, index[corner], out + 3 * corner );
}

static bool *find_twins( const uint32_t *first, size_t count, const dbvh_allocator *allocator ) {
	bool *out = dbvhi_alloc( allocator, count, sizeof *out );
	if ( out == NULL )
		return NULL;
	memset( out, 0, count * sizeof *out );
	for ( size_t i = 0; i < count; ++i ) {
		if ( first[i] != i )
			out[i] = out[first[i]] = true;
	}
	return out;
}

dbvh_status dbvhi_fragments_choose( const dbvh_mesh_view *view, const uint32_t *first, size_t distinct,
                                    const dbvh_allocator *allocator, dbvhi_fragment **fragments_out,
                                    size_t *count_out ) {
	*fragments_out = NULL;
	const double tau = env( "FRAG_TAU", 8.0 ), cap = env( "FRAG_CAP", 1.5 );
	if ( cap <= 1.0 )
		return DBVH_OK;
	form = env( "FRAG_FORM", 4.0 );
	const size_t count = dbvhi_view_triangle_count( view );
	bool *twin = NULL;
	if ( first != NULL ) {
		twin = find_twins( first, count, allocator );
		if ( twin == NULL )
			return DBVH_OUT_OF_MEMORY;
	}
	double largest = 0.0, area = 0.0, most = 0.0;
	double corners[9];
	for ( size_t i = 0; i < count; ++i ) {
		corners_of( view, i, corners );
		for ( int k = 0; k < 9; ++k )
			largest = fmax( largest, fabs( corners[k] ) );
		area += area_of( corners );
	}
	measure m = { .enough = tau * area / (double)count,
	              .least = 4.0 * DBVHI_FRAGMENT_LEAST * largest * DBVHI_FRAGMENT_LEAST * largest };
	size_t total = 0;
	const size_t limit = (size_t)( cap * (double)distinct );
	for ( size_t i = 0; i < count; ++i ) {
		double square;
		corners_of( view, i, corners );
		const int edge = dbvhi_longest_edge( corners, &square );
		most = fmax( most, saved( corners, square, edge ) );
	}
	double high = most;
	for ( int pass = 0; pass < 30; ++pass ) {
		total = 0;
		for ( size_t i = 0; i < count; ++i ) {
			if ( twin != NULL && twin[i] ) {
				total += first[i] == i;
				continue;
			}
			corners_of( view, i, corners );
			total += divide( &m, corners, (uint32_t)i, DBVHI_WHOLE, NULL );
		}
		if ( pass == 0 && total <= limit )
			break;
		if ( pass > 0 && total <= limit && total > limit - limit / 100 )
			break;
		double low = m.enough;
		static double bounds[2];
		if ( pass == 0 ) {
			bounds[0] = m.enough;
			bounds[1] = high;
		} else if ( total > limit )
			bounds[0] = low;
		else
			bounds[1] = low;
		m.enough = pass == 28 ? bounds[1] : sqrt( bounds[0] * bounds[1] );
	}
	dbvh_status status = DBVH_OK;
	if ( total > distinct ) {
		dbvhi_fragment *out = dbvhi_alloc( allocator, total, sizeof *out );
		status = out != NULL ? DBVH_OK : DBVH_OUT_OF_MEMORY;
		size_t at = 0;
		for ( size_t i = 0; i < count && out != NULL; ++i ) {
			if ( twin != NULL && twin[i] ) {
				if ( first[i] == i )
					out[at++] = ( dbvhi_fragment ){ (uint32_t)i, DBVHI_WHOLE };
				continue;
			}
			corners_of( view, i, corners );
			at += divide( &m, corners, (uint32_t)i, DBVHI_WHOLE, out + at );
		}
		DBVHI_ASSERT( out == NULL || at == total );
		*fragments_out = out;
		*count_out = total;
	}
	dbvhi_free( allocator, twin, count, sizeof *twin );
	return status;
}
