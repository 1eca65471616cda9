// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "query/depth/region.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "base/inline.h"

#include <math.h>
#include <string.h>

static void face_corners( const dbvh_overlap_view *view, size_t face, double corners_out[3][3] ) {
	for ( int i = 0; i < 3; ++i )
		memcpy( corners_out[i], view->vertices + 3 * (size_t)view->indices[3 * face + (size_t)i],
		        sizeof corners_out[i] );
}

static void empty_box( double box[6] ) {
	for ( int k = 0; k < 6; ++k )
		box[k] = k < 3 ? INFINITY : -INFINITY;
}

static void grow_box( double box[6], const double low[3], const double high[3], double by ) {
	for ( int k = 0; k < 3; ++k ) {
		box[k] = dbvhi_smaller( low[k] - by, box[k] );
		box[3 + k] = dbvhi_larger( high[k] + by, box[3 + k] );
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
		empty_box( box );
		const dbvh_overlap_component *c = &view->components[i];
		for ( size_t f = c->first_face; f < c->first_face + c->face_count; ++f ) {
			double corner[3][3];
			face_corners( view, f, corner );
			for ( int k = 0; k < 3; ++k )
				grow_box( box, corner[k], corner[k], regions->rounding );
		}
	}
	return DBVH_OK;
}

void dbvhi_regions_box( const dbvhi_regions *regions, double box_out[6] ) {
	empty_box( box_out );
	for ( size_t i = 0; i < regions->view.component_count; ++i )
		grow_box( box_out, regions->boxes[i], regions->boxes[i] + 3, 0.0 );
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
		if ( all->view.sources[f].body != body )
			continue;
		dbvhi_region_item *item = &region->faces[region->face_count++];
		double corner[3][3];
		face_corners( &all->view, f, corner );
		item->face = (uint32_t)f;
		empty_box( item->box );
		for ( int k = 0; k < 3; ++k )
			grow_box( item->box, corner[k], corner[k], 0.0 );
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

void dbvhi_region_box( const dbvhi_region *region, uint32_t first, uint32_t count, double box_out[6] ) {
	empty_box( box_out );
	for ( uint32_t i = first; i < first + count; ++i )
		grow_box( box_out, region->faces[i].box, region->faces[i].box + 3, 0.0 );
}

uint32_t dbvhi_region_divide( dbvhi_region *region, uint32_t first, uint32_t count, const double box[6] ) {
	DBVHI_ASSERT( count > 1 );
	dbvhi_region_item *faces = region->faces + first;
	int longest = 0;
	for ( int k = 1; k < 3; ++k )
		longest = box[3 + k] - box[k] > box[3 + longest] - box[longest] ? k : longest;
	const double twice_middle = box[longest] + box[3 + longest];
	uint32_t below = 0;
	for ( uint32_t i = 0; i < count; ++i ) {
		if ( faces[i].box[longest] + faces[i].box[3 + longest] < twice_middle ) {
			const dbvhi_region_item face = faces[i];
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
