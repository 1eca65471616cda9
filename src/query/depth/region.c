// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "query/depth/region.h"

#include "base/alloc.h"
#include "base/assert.h"

#include <math.h>
#include <string.h>

static void face_corners( const dbvh_overlap_view *view, size_t face, double corners_out[3][3] ) {
	for ( int i = 0; i < 3; ++i )
		memcpy( corners_out[i], view->vertices + 3 * (size_t)view->indices[3 * face + (size_t)i],
		        sizeof corners_out[i] );
}

static void grow_box( double box[6], const double x[3], double by ) {
	for ( int k = 0; k < 3; ++k ) {
		box[k] = fmin( box[k], x[k] - by );
		box[3 + k] = fmax( box[3 + k], x[k] + by );
	}
}

dbvh_status dbvhi_regions_begin( dbvhi_regions *regions, const dbvhi_solid_pair *pair, const dbvh_overlap_view *view ) {
	*regions =
	    ( dbvhi_regions ){ .view = *view, .rounding = 4.0 * pair->slack, .allocator = pair->workspace->allocator };
	regions->boxes = dbvhi_alloc( &regions->allocator, view->component_count, sizeof *regions->boxes );
	if ( regions->boxes == NULL )
		return DBVH_OUT_OF_MEMORY;
	for ( size_t i = 0; i < view->component_count; ++i ) {
		double *box = regions->boxes[i];
		for ( int k = 0; k < 6; ++k )
			box[k] = k < 3 ? INFINITY : -INFINITY;
		const dbvh_overlap_component *c = &view->components[i];
		for ( size_t f = c->first_face; f < c->first_face + c->face_count; ++f ) {
			double corner[3][3];
			face_corners( view, f, corner );
			for ( int k = 0; k < 3; ++k )
				grow_box( box, corner[k], regions->rounding );
		}
	}
	return DBVH_OK;
}

void dbvhi_regions_end( dbvhi_regions *regions ) {
	dbvhi_free( &regions->allocator, regions->boxes, regions->view.component_count, sizeof *regions->boxes );
}

dbvh_status dbvhi_region_begin( dbvhi_region *region, const dbvhi_regions *all, size_t component, uint32_t body ) {
	const dbvh_overlap_component *c = &all->view.components[component];
	*region = ( dbvhi_region ){ .all = all, .component = component, .capacity = c->face_count };
	region->faces = dbvhi_alloc( &all->allocator, region->capacity, sizeof *region->faces );
	if ( region->faces == NULL )
		return DBVH_OUT_OF_MEMORY;
	for ( size_t f = c->first_face; f < c->first_face + c->face_count; ++f ) {
		if ( all->view.sources[f].body == body )
			region->faces[region->face_count++] = (uint32_t)f;
	}
	return DBVH_OK;
}

void dbvhi_region_end( dbvhi_region *region ) {
	dbvhi_free( &region->all->allocator, region->faces, region->capacity, sizeof *region->faces );
}

void dbvhi_region_face( const dbvhi_region *region, uint32_t face, double corners_out[3][3] ) {
	face_corners( &region->all->view, face, corners_out );
}

uint32_t dbvhi_region_triangle( const dbvhi_region *region, uint32_t face ) {
	return region->all->view.sources[face].triangle;
}

// Three times the middle of a face along an axis.
static double middle_along( const dbvhi_region *region, uint32_t face, int axis ) {
	double corner[3][3];
	dbvhi_region_face( region, face, corner );
	return corner[0][axis] + corner[1][axis] + corner[2][axis];
}

uint32_t dbvhi_region_divide( dbvhi_region *region, uint32_t first, uint32_t count ) {
	DBVHI_ASSERT( count > 1 );
	uint32_t *faces = region->faces + first;
	double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
	for ( uint32_t i = 0; i < count; ++i ) {
		for ( int k = 0; k < 3; ++k ) {
			const double at = middle_along( region, faces[i], k );
			low[k] = fmin( low[k], at );
			high[k] = fmax( high[k], at );
		}
	}
	int longest = 0;
	for ( int k = 1; k < 3; ++k )
		longest = high[k] - low[k] > high[longest] - low[longest] ? k : longest;
	const double middle = 0.5 * ( low[longest] + high[longest] );
	uint32_t below = 0;
	for ( uint32_t i = 0; i < count; ++i ) {
		if ( middle_along( region, faces[i], longest ) < middle ) {
			const uint32_t face = faces[i];
			faces[i] = faces[below];
			faces[below++] = face;
		}
	}
	return below > 0 && below < count ? below : count / 2;
}

// The angle that a triangle takes up seen from a point (Van Oosterom and Strackee 1983).
static double angle_of( const double face[3][3], const double from[3] ) {
	double v[3][3], length[3];
	for ( int i = 0; i < 3; ++i ) {
		for ( int k = 0; k < 3; ++k )
			v[i][k] = face[i][k] - from[k];
		length[i] = dbvhi_length3( v[i] );
	}
	double across[3];
	dbvhi_cross3( v[1], v[2], across );
	return 2.0 * atan2( dbvhi_dot3( v[0], across ),
	                    length[0] * length[1] * length[2] + dbvhi_dot3( v[0], v[1] ) * length[2] +
	                        dbvhi_dot3( v[1], v[2] ) * length[0] + dbvhi_dot3( v[2], v[0] ) * length[1] );
}

static bool is_in_box( const double box[6], const double point[3] ) {
	bool inside = true;
	for ( int k = 0; k < 3; ++k )
		inside = inside && point[k] >= box[k] && point[k] <= box[3 + k];
	return inside;
}

// A point nearer to a surface than this part of the size of a component is not judged by angles: a triangle whose plane
// goes through the point would count from either side.
#define CLEAR 0x1p-30

int dbvhi_region_place( const dbvhi_region *region, const double point[3], double clear ) {
	const dbvhi_regions *all = region->all;
	const double *box = all->boxes[region->component];
	if ( !is_in_box( box, point ) )
		return -1;
	bool alone = true;
	for ( size_t i = 0; i < all->view.component_count && alone; ++i )
		alone = i == region->component || !is_in_box( all->boxes[i], point );
	if ( alone )
		return 1;
	double size = 0.0, sum = 0.0;
	for ( int k = 0; k < 3; ++k )
		size = fmax( size, box[3 + k] - box[k] );
	if ( !( clear > CLEAR * size + 2.0 * all->rounding ) )
		return 0;
	const dbvh_overlap_component *c = &all->view.components[region->component];
	for ( size_t f = c->first_face; f < c->first_face + c->face_count; ++f ) {
		double corner[3][3];
		face_corners( &all->view, f, corner );
		sum += angle_of( (const double( * )[3])corner, point );
	}
	const double winding = sum / ( 4.0 * 3.14159265358979323846 );
	return fabs( winding - 1.0 ) < 0x1p-10 ? 1 : fabs( winding ) < 0x1p-10 ? -1 : 0;
}
