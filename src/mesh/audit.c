// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The audit: the topology of the mesh, summed up, and what only the stored vertices and triangles tell.

#include "base/alloc.h"
#include "base/assert.h"
#include "base/fpenv.h"
#include "base/status.h"
#include "mesh/buckets.h"
#include "mesh/topology.h"
#include "mesh/view.h"

static void order_two( uint32_t *a, uint32_t *b ) {
	if ( *a > *b ) {
		const uint32_t t = *a;
		*a = *b;
		*b = t;
	}
}

// Triangles are put into buckets by their lowest point; those with the same other two are neighbours there.
static bool count_duplicates( const dbvhi_topology *t, const dbvh_allocator *allocator, size_t *count_out ) {
	DBVHI_ASSERT( count_out != NULL );
	dbvhi_buckets buckets;
	if ( !dbvhi_buckets_alloc( &buckets, allocator, t->point_count, t->triangle_count ) )
		return false;
	dbvhi_buckets_clear( &buckets );
	for ( int pass = 0; pass < 2; ++pass ) {
		for ( size_t i = 0; i < t->triangle_count; ++i ) {
			uint32_t p[3];
			memcpy( p, t->corner + 3 * i, sizeof p );
			order_two( &p[0], &p[1] );
			order_two( &p[1], &p[2] );
			order_two( &p[0], &p[1] );
			if ( pass == 0 )
				dbvhi_buckets_count( &buckets, p[0] );
			else
				dbvhi_buckets_put( &buckets, p[0], (uint64_t)p[1] << 32 | p[2] );
		}
		if ( pass == 0 )
			dbvhi_buckets_begin( &buckets );
	}
	dbvhi_buckets_sort( &buckets );
	*count_out = 0;
	for ( size_t i = 0; i < t->point_count; ++i )
		for ( size_t k = buckets.begin[i] + 1; k < buckets.begin[i + 1]; ++k )
			*count_out += buckets.keys[k] == buckets.keys[k - 1];
	dbvhi_buckets_free( &buckets, allocator );
	return true;
}

static bool count_unused( const dbvh_mesh_view *view, const dbvh_allocator *allocator, size_t *count_out ) {
	uint8_t *used = dbvhi_alloc( allocator, view->vertex_count, sizeof *used );
	if ( used == NULL )
		return false;
	memset( used, 0, view->vertex_count );
	const size_t triangle_count = dbvhi_view_triangle_count( view );
	for ( size_t i = 0; i < triangle_count; ++i ) {
		uint32_t t[3];
		dbvhi_view_triangle( view, i, t );
		for ( int k = 0; k < 3; ++k )
			used[t[k]] = 1;
	}
	*count_out = 0;
	for ( size_t i = 0; i < view->vertex_count; ++i )
		*count_out += used[i] == 0;
	dbvhi_free( allocator, used, view->vertex_count, sizeof *used );
	return true;
}

static void bounds_of_points( const dbvhi_topology *t, double lower[3], double upper[3] ) {
	for ( size_t i = 0; i < 3 * t->point_count; ++i ) {
		const double x = t->position[i];
		if ( i < 3 || x < lower[i % 3] )
			lower[i % 3] = x;
		if ( i < 3 || x > upper[i % 3] )
			upper[i % 3] = x;
	}
}

// An edge counts if a triangle with an area has it.
static void count_real_edges( const dbvhi_topology *t, dbvh_mesh_audit_result *result ) {
	for ( size_t e = 0; e < t->edge_count; ++e ) {
		bool counts = false;
		for ( uint32_t k = t->edge_begin[e]; k < t->edge_begin[e + 1]; ++k )
			counts = counts || !t->degenerate[t->side[k] / 3];
		result->edge_count += counts;
	}
}

static bool run( const dbvh_mesh_view *view, const dbvhi_topology *t, const dbvh_allocator *allocator,
                 dbvh_mesh_audit_result *result ) {
	result->vertex_count = view->vertex_count;
	result->triangle_count = t->triangle_count;
	result->component_count = t->component_count;
	for ( size_t i = 0; i < t->triangle_count; ++i )
		result->degenerate_triangle_count += t->degenerate[i];
	for ( size_t i = 0; i < t->component_count; ++i ) {
		result->boundary_edge_count += t->components[i].boundary_edges;
		result->nonmanifold_edge_count += t->components[i].nonmanifold_edges;
		result->closed_component_count += t->components[i].closed;
		result->oriented_component_count += t->components[i].oriented;
	}
	count_real_edges( t, result );
	bounds_of_points( t, result->bounds.min, result->bounds.max );
	return count_unused( view, allocator, &result->unused_vertex_count ) &&
	       count_duplicates( t, allocator, &result->duplicate_triangle_count );
}

static dbvh_status check( const dbvh_mesh_view *view, const dbvh_allocator *allocator, dbvh_allocator *own,
                          dbvh_error *error ) {
	DBVHI_TRY( dbvh_mesh_view_check( view, error ) );
	const dbvh_status status = dbvhi_allocator_take( allocator, own, error );
	return status == DBVH_OK ? DBVH_OK : dbvhi_error_status( error, status );
}

static dbvh_status no_memory_to_audit( const dbvh_mesh_view *view, dbvh_error *error ) {
	return dbvhi_error_set( error, DBVH_OUT_OF_MEMORY, "no memory to audit %zu triangles",
	                        dbvhi_view_triangle_count( view ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_mesh_audit( const dbvh_mesh_view *view, const dbvh_allocator *allocator,
                                                    dbvh_mesh_audit_result *result_out, dbvh_mesh_component *components,
                                                    size_t component_capacity, dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( result_out == NULL )
		return dbvhi_error_null( error, "result_out" );
	*result_out = ( dbvh_mesh_audit_result ){ .vertex_count = 0 };
	dbvh_allocator a;
	DBVHI_TRY( check( view, allocator, &a, error ) );
	dbvh_mesh_audit_result result = { .vertex_count = 0 };
	dbvhi_topology *topology = dbvhi_topology_create( view, &a, &result.distinct_vertex_count );
	const bool done = topology != NULL && run( view, topology, &a, &result );
	if ( done ) {
		*result_out = result;
		for ( size_t i = 0; components != NULL && i < component_capacity && i < topology->component_count; ++i )
			components[i] = topology->components[i];
	}
	dbvhi_topology_destroy( topology, &a );
	return done ? DBVH_OK : no_memory_to_audit( view, error );
}

dbvh_status dbvh_mesh_audit( const dbvh_mesh_view *view, const dbvh_allocator *allocator,
                             dbvh_mesh_audit_result *result_out, dbvh_mesh_component *components,
                             size_t component_capacity, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status,
	                        do_mesh_audit( view, allocator, result_out, components, component_capacity, error ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_mesh_label_components( const dbvh_mesh_view *view,
                                                               const dbvh_allocator *allocator, uint32_t *labels_out,
                                                               size_t *component_count_out, dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( component_count_out != NULL )
		*component_count_out = 0;
	if ( labels_out == NULL )
		return dbvhi_error_null( error, "labels_out" );
	dbvh_allocator a;
	DBVHI_TRY( check( view, allocator, &a, error ) );
	dbvhi_topology *topology = dbvhi_topology_create( view, &a, NULL );
	if ( topology == NULL )
		return no_memory_to_audit( view, error );
	memcpy( labels_out, topology->component, topology->triangle_count * sizeof *labels_out );
	if ( component_count_out != NULL )
		*component_count_out = topology->component_count;
	dbvhi_topology_destroy( topology, &a );
	return DBVH_OK;
}

dbvh_status dbvh_mesh_label_components( const dbvh_mesh_view *view, const dbvh_allocator *allocator,
                                        uint32_t *labels_out, size_t *component_count_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status,
	                        do_mesh_label_components( view, allocator, labels_out, component_count_out, error ) );
}
