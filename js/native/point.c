// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Queries of one mesh: rays, segments, points and shapes.

#include "web.h"

#include <string.h>

static void write_ray( const dbvh_raycast_result *r, double *out ) {
	*out++ = r->intersects;
	*out++ = r->first.triangle;
	*out++ = r->first.t;
	out = web_put( out, r->first.point, 3 );
	*out++ = (double)r->hit_count;
	*out = r->status;
}

// Casts rays, or segments where `is_segment`, of six doubles each.
dbvh_status WEB_EXPORT( web_raycast )( const dbvh_tree *tree, const double *pose, const double *rays, size_t count,
                                       bool is_segment, dbvh_find find, double *out ) {
	dbvh_pose room;
	const dbvh_pose *placed = web_pose( pose, &room );
	const dbvh_raycast_query query = { .find = find };
	const dbvh_batch_options options = { .thread_count = 1, .workspace = web_workspace() };
	dbvh_raycast_result *results = web_room( WEB_USE_RECORDS, count * sizeof *results );
	if ( results == NULL )
		return DBVH_OUT_OF_MEMORY;
	const dbvh_status status = is_segment ? dbvh_segment_cast_batch( tree, placed, (const dbvh_segment *)rays, count,
	                                                                 &query, &options, results, &web_error )
	                                      : dbvh_raycast_batch( tree, placed, (const dbvh_ray *)rays, count, &query,
	                                                            &options, results, &web_error );
	for ( size_t i = 0; i < count; ++i )
		write_ray( &results[i], out + WEB_RAY_COLUMNS * i );
	return status;
}

// Lists all hits of a ray or segment as five doubles each: triangle, t, point. Returns their number, or -1 on error.
int WEB_EXPORT( web_raycast_all )( const dbvh_tree *tree, const double *pose, const double *ray, bool is_segment ) {
	dbvh_pose room;
	const dbvh_pose *placed = web_pose( pose, &room );
	size_t capacity = 64;
	for ( ;; ) {
		dbvh_ray_hit *hits = web_room( WEB_USE_RECORDS, capacity * sizeof *hits );
		if ( hits == NULL )
			return -1;
		const dbvh_raycast_query query = { .find = DBVH_FIND_ALL, .hits = hits, .hit_capacity = capacity };
		dbvh_raycast_result r;
		const dbvh_status status =
		    is_segment
		        ? dbvh_segment_cast( tree, placed, (const dbvh_segment *)ray, &query, web_workspace(), &r, &web_error )
		        : dbvh_raycast( tree, placed, (const dbvh_ray *)ray, &query, web_workspace(), &r, &web_error );
		if ( status != DBVH_OK )
			return -1;
		if ( r.hit_count > capacity ) {
			capacity = r.hit_count;
			continue;
		}
		double *out = web_room( WEB_USE_LIST, ( 5 * r.hit_count + 1 ) * sizeof *out );
		if ( out == NULL )
			return -1;
		for ( size_t i = 0; i < r.hit_count; ++i ) {
			*out++ = hits[i].triangle;
			*out++ = hits[i].t;
			out = web_put( out, hits[i].point, 3 );
		}
		return (int)r.hit_count;
	}
}

dbvh_status WEB_EXPORT( web_closest_point )( const dbvh_tree *tree, const double *pose, const double *points,
                                             size_t count, double limit, double *out ) {
	dbvh_pose room;
	const dbvh_closest_point_query query = { .limit = limit };
	const dbvh_batch_options options = { .thread_count = 1, .workspace = web_workspace() };
	dbvh_closest_point_result *results = web_room( WEB_USE_RECORDS, count * sizeof *results );
	if ( results == NULL )
		return DBVH_OUT_OF_MEMORY;
	const dbvh_status status =
	    dbvh_closest_point_batch( tree, web_pose( pose, &room ), points, count, &query, &options, results, &web_error );
	for ( size_t i = 0; i < count; ++i ) {
		const dbvh_closest_point_result *r = &results[i];
		*out++ = r->found;
		*out++ = r->triangle;
		*out++ = r->distance;
		out = web_put( out, r->point, 3 );
		*out++ = r->status;
	}
	return status;
}

// Writes a byte a point: its dbvh_location.
dbvh_status WEB_EXPORT( web_locate )( const dbvh_tree *tree, const double *pose, const double *points, size_t count,
                                      uint8_t *out ) {
	dbvh_pose room;
	const dbvh_pose *placed = web_pose( pose, &room );
	for ( size_t i = 0; i < count; ++i ) {
		dbvh_location location;
		const dbvh_status status = dbvh_locate_point( tree, placed, points + 3 * i, &location, &web_error );
		if ( status != DBVH_OK ) {
			web_error.element = count > 1 ? (int64_t)i : -1;
			return status;
		}
		out[i] = (uint8_t)location;
	}
	return DBVH_OK;
}

// Every member of dbvh_shape.as consists of doubles alone, so that JavaScript sends it as numbers in its order. Writes
// intersects, the lowest triangle, their number; the triangles are in the list.
dbvh_status WEB_EXPORT( web_collide_shape )( const dbvh_tree *tree, const double *pose, dbvh_shape_kind kind,
                                             const double *numbers, size_t number_count, dbvh_find find, double *out ) {
	dbvh_pose room;
	dbvh_shape shape = { .kind = kind };
	memcpy( &shape.as, numbers, number_count * sizeof *numbers );
	size_t capacity = find == DBVH_FIND_ALL ? 256 : 0;
	for ( ;; ) {
		uint32_t *triangles = web_room( WEB_USE_LIST, capacity * sizeof *triangles + 8 );
		if ( triangles == NULL )
			return DBVH_OUT_OF_MEMORY;
		const dbvh_collide_shape_query query = {
		    .find = find, .triangles = capacity > 0 ? triangles : NULL, .triangle_capacity = capacity };
		dbvh_collide_shape_result r;
		const dbvh_status status =
		    dbvh_collide_shape( tree, web_pose( pose, &room ), &shape, &query, web_workspace(), &r, &web_error );
		if ( status == DBVH_OK && capacity > 0 && r.triangle_count > r.triangle_written ) {
			capacity = r.triangle_count;
			continue;
		}
		out[0] = r.intersects;
		out[1] = r.first;
		out[2] = (double)r.triangle_count;
		return status;
	}
}
