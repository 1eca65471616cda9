// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "model/baked.h"

#include "model/refuse.h"

#include <stdlib.h>
#include <string.h>

void scene_baked_free( scene_baked *table ) {
	free( table->slots );
	*table = ( scene_baked ){ 0 };
}

// FNV-1a over the bytes, and its high bits brought down to where the slot is taken from.
static size_t hash( uint32_t geometry, const double linear[9] ) {
	unsigned char bytes[9 * sizeof( double )];
	memcpy( bytes, linear, sizeof bytes );
	uint64_t h = UINT64_C( 0xcbf29ce484222325 ) ^ geometry;
	for ( size_t i = 0; i < sizeof bytes; ++i )
		h = ( h ^ bytes[i] ) * UINT64_C( 0x100000001b3 );
	return (size_t)( h ^ h >> 29 );
}

// The slot of an entry: the one that holds it, or the free one where it belongs. The table is never full.
static scene_baked_entry *slot_of( const scene_baked *table, uint32_t geometry, const double linear[9] ) {
	size_t at = hash( geometry, linear ) & ( table->slot_count - 1 );
	for ( ;; at = ( at + 1 ) & ( table->slot_count - 1 ) ) {
		scene_baked_entry *slot = &table->slots[at];
		if ( slot->mesh == SCENE_NONE ||
		     ( slot->geometry == geometry && memcmp( slot->linear, linear, sizeof slot->linear ) == 0 ) )
			return slot;
	}
}

static bool grow( scene_baked *table ) {
	const scene_baked old = *table;
	const size_t slot_count = old.slot_count > 0 ? 2 * old.slot_count : 64;
	scene_baked_entry *slots = malloc( slot_count * sizeof *slots );
	if ( slots == NULL )
		return false;
	for ( size_t i = 0; i < slot_count; ++i )
		slots[i].mesh = SCENE_NONE;
	table->slots = slots;
	table->slot_count = slot_count;
	for ( size_t i = 0; i < old.slot_count; ++i )
		if ( old.slots[i].mesh != SCENE_NONE )
			*slot_of( table, old.slots[i].geometry, old.slots[i].linear ) = old.slots[i];
	free( old.slots );
	return true;
}

// ------------------------------------------------------------------------------------------------

static const unsigned char *at( const void *array, size_t stride, size_t packed, size_t i ) {
	return (const unsigned char *)array + i * ( stride != 0 ? stride : packed );
}

static void read_position( const dbvh_mesh_view *view, size_t i, double out[3] ) {
	if ( view->position_type == DBVH_POSITION_TYPE_FLOAT64 ) {
		memcpy( out, at( view->positions, view->vertex_stride, 3 * sizeof( double ), i ), 3 * sizeof( double ) );
		return;
	}
	float narrow[3];
	memcpy( narrow, at( view->positions, view->vertex_stride, sizeof narrow, i ), sizeof narrow );
	for ( int k = 0; k < 3; ++k )
		out[k] = (double)narrow[k];
}

static void read_triangle( const dbvh_mesh_view *view, size_t i, uint32_t out[3] ) {
	uint64_t wide[3];
	switch ( view->index_type ) {
	case DBVH_INDEX_TYPE_UINT32:
		memcpy( out, at( view->indices, view->triangle_stride, 3 * sizeof( uint32_t ), i ), 3 * sizeof( uint32_t ) );
		return;
	case DBVH_INDEX_TYPE_UINT64:
		memcpy( wide, at( view->indices, view->triangle_stride, sizeof wide, i ), sizeof wide );
		for ( int k = 0; k < 3; ++k )
			out[k] = (uint32_t)wide[k];
		return;
	case DBVH_INDEX_TYPE_NONE:
		break;
	}
	for ( uint32_t k = 0; k < 3; ++k )
		out[k] = 3 * (uint32_t)i + k;
}

// The caller has checked the view.
static dbvh_mesh *bake( const dbvh_mesh_view *view, const double *l, dbvh_error *error ) {
	const size_t triangle_count =
	    view->index_type == DBVH_INDEX_TYPE_NONE ? view->vertex_count / 3 : view->triangle_count;
	double *positions = malloc( 3 * sizeof( double ) * view->vertex_count );
	uint32_t *indices = malloc( 3 * sizeof( uint32_t ) * triangle_count );
	dbvh_mesh *mesh = NULL;
	if ( positions == NULL || indices == NULL ) {
		scene_refuse_memory( error );
	} else {
		for ( size_t i = 0; i < view->vertex_count; ++i ) {
			double p[3];
			read_position( view, i, p );
			for ( int k = 0; k < 3; ++k )
				positions[3 * i + (size_t)k] = l[3 * k] * p[0] + l[3 * k + 1] * p[1] + l[3 * k + 2] * p[2];
		}
		const double det = l[0] * ( l[4] * l[8] - l[5] * l[7] ) + l[1] * ( l[5] * l[6] - l[3] * l[8] ) +
		                   l[2] * ( l[3] * l[7] - l[4] * l[6] );
		for ( size_t i = 0; i < triangle_count; ++i ) {
			uint32_t *t = &indices[3 * i];
			read_triangle( view, i, t );
			if ( det < 0.0 ) {
				const uint32_t keep = t[1];
				t[1] = t[2];
				t[2] = keep;
			}
		}
		const dbvh_mesh_view baked = { .positions = positions,
		                               .vertex_count = view->vertex_count,
		                               .indices = indices,
		                               .triangle_count = triangle_count };
		if ( dbvh_mesh_create( &baked, NULL, &mesh, error ) != DBVH_OK )
			mesh = NULL;
	}
	free( positions );
	free( indices );
	return mesh;
}

uint32_t scene_baked_mesh( scene_baked *table, scene_model *model, uint32_t geometry, const dbvh_mesh_view *view,
                           const double linear[3][3], const char *name, dbvh_error *error ) {
	static const double identity[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
	double l[9];
	for ( int i = 0; i < 9; ++i )
		l[i] = linear[i / 3][i % 3] + 0.0; // no -0: equal maps have equal bytes
	if ( 2 * ( table->count + 1 ) > table->slot_count && !grow( table ) )
		goto no_memory;
	scene_baked_entry *slot = slot_of( table, geometry, l );
	if ( slot->mesh != SCENE_NONE )
		return slot->mesh;

	dbvh_mesh *mesh = NULL;
	const uint64_t triangles = view->index_type == DBVH_INDEX_TYPE_NONE ? view->vertex_count / 3 : view->triangle_count;
	if ( !scene_ledger_fits( scene_ledger_of( model ),
	                         SCENE_VERTEX_COST * view->vertex_count + SCENE_TRIANGLE_COST * triangles ) )
		goto no_memory;
	if ( memcmp( l, identity, sizeof l ) == 0 ) {
		if ( dbvh_mesh_create( view, NULL, &mesh, error ) != DBVH_OK )
			return SCENE_NONE;
	} else {
		if ( dbvh_mesh_view_check( view, error ) != DBVH_OK || ( mesh = bake( view, l, error ) ) == NULL )
			return SCENE_NONE;
	}
	const uint32_t number = scene_add_mesh( model, mesh, name );
	if ( number == SCENE_NONE )
		goto no_memory;
	*slot = ( scene_baked_entry ){ .geometry = geometry, .mesh = number };
	memcpy( slot->linear, l, sizeof l );
	++table->count;
	return number;

no_memory:
	scene_refuse_memory( error );
	return SCENE_NONE;
}
