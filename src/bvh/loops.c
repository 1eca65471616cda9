// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "base/fpenv.h"
#include "base/status.h"
#include "bvh/tree.h"

typedef struct found {
	const dbvhi_topology *topology;
	dbvh_open_loop *loops;
	double ( *points )[3];
	size_t loop_capacity, point_capacity, loop_count, point_count;
} found;

static void add_loop( void *context, uint32_t component, const uint32_t *points, size_t point_count ) {
	found *f = context;
	dbvh_open_loop loop = { .component = component, .first_point = f->point_count, .point_count = point_count };
	for ( size_t i = 0; i < point_count; ++i ) {
		const double *p = f->topology->position + 3 * (size_t)points[i];
		for ( int k = 0; k < 3; ++k ) {
			loop.bounds.min[k] = i == 0 || p[k] < loop.bounds.min[k] ? p[k] : loop.bounds.min[k];
			loop.bounds.max[k] = i == 0 || p[k] > loop.bounds.max[k] ? p[k] : loop.bounds.max[k];
			if ( f->point_count < f->point_capacity )
				f->points[f->point_count][k] = p[k];
		}
		f->point_count += 1;
	}
	for ( int k = 0; k < 3; ++k )
		loop.centre[k] = 0.5 * loop.bounds.min[k] + 0.5 * loop.bounds.max[k];
	if ( f->loop_count < f->loop_capacity )
		f->loops[f->loop_count] = loop;
	f->loop_count += 1;
}

static DBVHI_NOINLINE_FP dbvh_status do_tree_open_loops( const dbvh_tree *tree, size_t component, dbvh_open_loop *loops,
                                                         size_t loop_capacity, double ( *points )[3],
                                                         size_t point_capacity, size_t *loop_count_out,
                                                         size_t *point_count_out, dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( loop_count_out != NULL )
		*loop_count_out = 0;
	if ( point_count_out != NULL )
		*point_count_out = 0;
	if ( tree == NULL )
		return dbvhi_error_null( error, "tree" );
	if ( loops == NULL && loop_capacity > 0 )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "loops is NULL, but loop_capacity is %zu",
		                        loop_capacity );
	if ( points == NULL && point_capacity > 0 )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "points is NULL, but point_capacity is %zu",
		                        point_capacity );
	if ( tree->topology == NULL )
		return dbvhi_error_set( error, DBVH_NO_TOPOLOGY, "tree was built without dbvh_tree_options.topology" );
	if ( component != DBVH_ALL_COMPONENTS && component >= tree->topology->component_count )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "component is %zu, but the mesh has %zu components",
		                        component, tree->topology->component_count );
	found f = { tree->topology, loops, points, loop_capacity, point_capacity, 0, 0 };
	if ( !dbvhi_topology_loops( tree->topology, component, &tree->allocator, add_loop, &f ) )
		return DBVH_OUT_OF_MEMORY;
	if ( loop_count_out != NULL )
		*loop_count_out = f.loop_count;
	if ( point_count_out != NULL )
		*point_count_out = f.point_count;
	return DBVH_OK;
}

dbvh_status dbvh_tree_open_loops( const dbvh_tree *tree, size_t component, dbvh_open_loop *loops, size_t loop_capacity,
                                  double ( *points )[3], size_t point_capacity, size_t *loop_count_out,
                                  size_t *point_count_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV(
	    dbvh_status,
	    dbvhi_error_finish( error, do_tree_open_loops( tree, component, loops, loop_capacity, points, point_capacity,
	                                                   loop_count_out, point_count_out, error ) ) );
}
