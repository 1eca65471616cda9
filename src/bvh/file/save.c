// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "base/alloc.h"
#include "base/crc32c.h"
#include "base/parallel.h"
#include "base/status.h"
#include "bvh/file/format.h"
#include "mesh/io/bytes.h"

#include <stddef.h>

static void add( dbvhi_sections *s, dbvhi_section_kind kind, const void *bytes, uint64_t count ) {
	if ( bytes == NULL )
		return;
	s->of[kind].bytes = bytes;
	s->of[kind].count = count;
}

// Copies ellipsoids with zeroed padding, so that equal trees are equal files.
static bool copy_ellipsoids( const dbvh_tree *tree, dbvhi_sections *s ) {
	if ( tree->ellipsoid_count == 0 )
		return true;
	s->ellipsoid_count = tree->ellipsoid_count;
	s->ellipsoids = dbvhi_alloc( &tree->allocator, s->ellipsoid_count, sizeof *s->ellipsoids );
	if ( s->ellipsoids == NULL )
		return false;
	memset( s->ellipsoids, 0, s->ellipsoid_count * sizeof *s->ellipsoids );
	for ( size_t i = 0; i < s->ellipsoid_count; ++i )
		memcpy( (char *)&s->ellipsoids[i], (const char *)&tree->ellipsoids[i],
		        offsetof( dbvhi_node_ellipsoid, packed ) + sizeof( bool ) );
	add( s, DBVHI_SECTION_ELLIPSOIDS, s->ellipsoids, s->ellipsoid_count );
	return true;
}

static bool copy_components( const dbvh_tree *tree, dbvhi_sections *s ) {
	const dbvhi_topology *t = tree->topology;
	s->component_count = t->component_count;
	s->components = dbvhi_alloc( &tree->allocator, t->component_count, DBVHI_COMPONENT_BYTES );
	if ( s->components == NULL )
		return false;
	memset( s->components, 0, t->component_count * DBVHI_COMPONENT_BYTES );
	for ( size_t i = 0; i < t->component_count; ++i ) {
		const dbvh_mesh_component *c = &t->components[i];
		uint8_t *at = s->components + i * DBVHI_COMPONENT_BYTES;
		dbvhi_bytes_put( at, 8, c->triangle_count );
		dbvhi_bytes_put( at + 8, 8, c->first_triangle );
		dbvhi_bytes_put( at + 16, 8, c->boundary_edges );
		dbvhi_bytes_put( at + 24, 8, c->nonmanifold_edges );
		at[32] = c->closed;
		at[33] = c->oriented;
	}
	add( s, DBVHI_SECTION_COMPONENTS, s->components, t->component_count );
	return true;
}

static void add_topology( dbvhi_sections *s, const dbvhi_topology *t ) {
	add( s, DBVHI_SECTION_POINT_POSITION, t->position, t->point_count );
	add( s, DBVHI_SECTION_POINT, t->corner, t->triangle_count );
	add( s, DBVHI_SECTION_EDGE, t->edge, t->triangle_count );
	add( s, DBVHI_SECTION_EDGE_BEGIN, t->edge_begin, t->edge_count + 1 );
	add( s, DBVHI_SECTION_SIDE, t->side, t->edge_begin[t->edge_count] );
	add( s, DBVHI_SECTION_COMPONENT, t->component, t->triangle_count );
	add( s, DBVHI_SECTION_DEGENERATE, t->degenerate, t->triangle_count );
	add( s, DBVHI_SECTION_WINDING, t->winding, t->triangle_count );
	add( s, DBVHI_SECTION_EVEN, t->even, t->component_count );
	add( s, DBVHI_SECTION_BOUNDS, t->bounds, t->component_count );
	add( s, DBVHI_SECTION_SHEET_BOUNDS, t->sheet_bounds, t->has_sheets );
}

dbvh_status dbvhi_sections_of( const dbvh_tree *tree, dbvhi_sections *s, dbvh_error *error ) {
	*s = ( dbvhi_sections ){ .section_count = 0 };
	for ( int kind = 1; kind < DBVHI_SECTION_END; ++kind )
		s->of[kind].element = dbvhi_section_element( (dbvhi_section_kind)kind );
	if ( tree->packed != NULL && tree->packed->ellipsoid_count > 0 && !dbvhi_is_little_endian() )
		return dbvhi_error_set( error, DBVH_LIMIT, "a tree with ellipsoids cannot be saved on a big-endian machine" );
	const size_t count = tree->triangle_count;
	add( s, DBVHI_SECTION_ROOT, &tree->root, 1 );
	add( s, DBVHI_SECTION_PACKED, tree->packed, tree->packed != NULL ? tree->packed->bytes : 0 );
	add( s, DBVHI_SECTION_TRIANGLE, tree->triangle, count );
	add( s, DBVHI_SECTION_FRAGMENT, tree->fragment, count );
	if ( tree->corners != NULL ) {
		add( s, DBVHI_SECTION_CORNERS, tree->corners, count );
		add( s, DBVHI_SECTION_NODES, tree->nodes, tree->node_count );
	} else {
		add( s, DBVHI_SECTION_CORNER, tree->corner, count );
		add( s, DBVHI_SECTION_VERTICES, tree->vertices, tree->vertex_count );
	}
	if ( tree->twins != NULL ) {
		add( s, DBVHI_SECTION_TWIN_BEGIN, tree->twins->begin, tree->twins->leaf_index_count + 1 );
		add( s, DBVHI_SECTION_TWIN_NUMBER, tree->twins->number, tree->twins->number_count );
	}
	bool good = copy_ellipsoids( tree, s );
	if ( tree->ellipsoid_count > 0 ) {
		add( s, DBVHI_SECTION_ELLIPSOID_AT, tree->ellipsoid_at, tree->node_count );
		add( s, DBVHI_SECTION_ELLIPSOID_WANTED, tree->ellipsoid_wanted, tree->node_count / 64 + 1 );
	}
	if ( tree->topology != NULL ) {
		add( s, DBVHI_SECTION_LEAF_INDEX, tree->leaf, tree->mesh_triangle_count );
		add_topology( s, tree->topology );
		good = copy_components( tree, s ) && good;
	}
	dbvhi_sections_place( s );
	return good ? DBVH_OK : dbvhi_error_status( error, DBVH_OUT_OF_MEMORY );
}

void dbvhi_sections_free( const dbvh_tree *tree, dbvhi_sections *s ) {
	dbvhi_free( &tree->allocator, s->ellipsoids, s->ellipsoid_count, sizeof *s->ellipsoids );
	dbvhi_free( &tree->allocator, s->components, s->component_count, DBVHI_COMPONENT_BYTES );
}

// ------------------------------------------------------------------------------------------------
// Bytes

// Returns the bytes of a block in file order: where they lie, or converted in `room`.
static const uint8_t *bytes_of( const dbvhi_sections *s, const dbvhi_file_block *block, uint8_t *room ) {
	const uint8_t *at = (const uint8_t *)s->of[block->kind].bytes + block->begin;
	if ( room == NULL )
		return at;
	memcpy( room, at, block->count );
	dbvhi_section_swap( block->kind, block->begin, room, block->count );
	return room;
}

static void put_head( const dbvh_tree *tree, const dbvhi_sections *s, uint8_t *head ) {
	dbvhi_options_put( &tree->options, head + DBVHI_HEAD_OPTIONS );
	memcpy( head + DBVHI_HEAD_MAGIC, DBVHI_FILE_MAGIC, 8 );
	dbvhi_bytes_put( head + DBVHI_HEAD_VERSION, 4, DBVHI_FILE_VERSION );
	dbvhi_bytes_put( head + DBVHI_HEAD_ORDER, 4, DBVHI_FILE_ORDER );
	dbvhi_bytes_put( head + DBVHI_HEAD_BYTES, 8, s->file_bytes );
	dbvhi_bytes_put( head + DBVHI_HEAD_FRONT, 8, s->front_bytes );
	dbvhi_bytes_put( head + DBVHI_HEAD_SECTIONS, 4, s->section_count );
	dbvhi_bytes_put( head + DBVHI_HEAD_PACKED_VERSION, 4, dbvhi_tree_packed_version( tree ) );
	dbvhi_bytes_put( head + DBVHI_HEAD_CONTENT, 8, tree->hash );
	dbvhi_bytes_put( head + DBVHI_HEAD_OPTIONS_HASH, 8, dbvhi_options_hash( head + DBVHI_HEAD_OPTIONS ) );
	const uint32_t flags = ( tree->keeps_order ? DBVHI_FLAG_KEEPS_ORDER : 0 ) |
	                       ( tree->topology != NULL && tree->topology->has_sheets ? DBVHI_FLAG_SHEETS : 0 );
	dbvhi_bytes_put( head + DBVHI_HEAD_FLAGS, 4, flags );
	dbvhi_bytes_put( head + DBVHI_HEAD_MESH_TRIANGLES, 8, tree->mesh_triangle_count );
	dbvhi_bytes_put( head + DBVHI_HEAD_TRIANGLES, 8, tree->triangle_count );
	dbvhi_bytes_put( head + DBVHI_HEAD_NODES, 8, tree->node_count );
	dbvhi_bytes_put( head + DBVHI_HEAD_LEAVES, 8, tree->leaf_count );
	dbvhi_bytes_put( head + DBVHI_HEAD_DEPTH, 4, tree->depth );
	dbvhi_bytes_put( head + DBVHI_HEAD_ELLIPSOID_LEAST, 4, tree->ellipsoid_least );
	dbvhi_bytes_put_double( head + DBVHI_HEAD_LARGEST, tree->largest );
	dbvhi_bytes_put_double( head + DBVHI_HEAD_FRAGMENT_ERROR, tree->fragment_error );
	dbvhi_bytes_put( head + DBVHI_HEAD_ELLIPSOIDS_CHOSEN, 8, tree->ellipsoid_chosen );
	dbvhi_bytes_put( head + DBVHI_HEAD_ELLIPSOIDS_PACKED, 8, tree->ellipsoid_packed );
}

// State of summing up all blocks in parallel.
typedef struct summing {
	const dbvhi_sections *s;
	uint8_t *sums;
	uint8_t *rooms; // a block for each thread; NULL if no conversion is needed
} summing;

static void sum_task( void *context, size_t index, uint32_t thread ) {
	const summing *sum = context;
	const dbvhi_file_block block = dbvhi_sections_block( sum->s, index );
	uint8_t *room = sum->rooms != NULL ? sum->rooms + thread * DBVHI_CHECKSUM_BLOCK : NULL;
	const uint8_t *bytes = bytes_of( sum->s, &block, room );
	dbvhi_bytes_put( sum->sums + 4 * index, 4, dbvhi_crc32c( 0, bytes, block.count ) );
}

static void put_front( const dbvh_tree *tree, const dbvhi_sections *s, uint8_t *front, uint8_t *rooms,
                       uint32_t thread_count ) {
	memset( front, 0, s->front_bytes );
	put_head( tree, s, front );
	uint8_t *at = front + DBVHI_HEAD_LENGTH;
	for ( int kind = 1; kind < DBVHI_SECTION_END; ++kind ) {
		if ( s->of[kind].count == 0 )
			continue;
		dbvhi_bytes_put( at, 4, (uint32_t)kind );
		dbvhi_bytes_put( at + 4, 4, s->of[kind].element );
		dbvhi_bytes_put( at + 8, 8, s->of[kind].offset );
		dbvhi_bytes_put( at + 16, 8, s->of[kind].count );
		at += DBVHI_ENTRY_BYTES;
	}
	summing sum = { .s = s, .sums = at, .rooms = rooms };
	dbvhi_parallel_for( (size_t)s->block_count, 1, thread_count, sum_task, &sum );
	const uint32_t tables = dbvhi_crc32c( 0, front + DBVHI_HEAD_LENGTH, s->front_bytes - DBVHI_HEAD_LENGTH );
	dbvhi_bytes_put( front + DBVHI_HEAD_TABLES_SUM, 4, tables );
	dbvhi_bytes_put( front + DBVHI_HEAD_SUM, 4, dbvhi_crc32c( 0, front, DBVHI_HEAD_SUM ) );
}

// Writes a block, and the gap behind it if it ends its section.
static bool put_block( const dbvhi_sections *s, uint64_t index, uint8_t *room, dbvhi_sink *sink, void *user ) {
	static const uint8_t zeroes[DBVHI_SECTION_ALIGNMENT];
	const dbvhi_file_block block = dbvhi_sections_block( s, index );
	if ( !sink( user, bytes_of( s, &block, room ), block.count ) )
		return false;
	const uint64_t end = block.begin + block.count;
	if ( end < dbvhi_section_bytes( &s->of[block.kind] ) )
		return true;
	const size_t gap = (size_t)( dbvhi_align_section( end ) - end );
	return gap == 0 || sink( user, zeroes, gap );
}

dbvh_status dbvhi_sections_write( const dbvh_tree *tree, const dbvhi_sections *s, dbvhi_sink *sink, void *user ) {
	const dbvh_allocator *a = &tree->allocator;
	const uint32_t thread_count = dbvhi_thread_count_for( tree->options.thread_count, s->block_count );
	const size_t room_bytes = dbvhi_is_little_endian() ? 0 : thread_count * DBVHI_CHECKSUM_BLOCK;
	uint8_t *front = dbvhi_alloc( a, s->front_bytes, 1 );
	uint8_t *rooms = room_bytes > 0 ? dbvhi_alloc( a, room_bytes, 1 ) : NULL;
	dbvh_status status = front != NULL && ( room_bytes == 0 || rooms != NULL ) ? DBVH_OK : DBVH_OUT_OF_MEMORY;
	if ( status == DBVH_OK ) {
		put_front( tree, s, front, rooms, thread_count );
		bool taken = sink( user, front, s->front_bytes );
		for ( uint64_t i = 0; i < s->block_count && taken; ++i )
			taken = put_block( s, i, rooms, sink, user );
		status = taken ? DBVH_OK : DBVH_IO;
	}
	dbvhi_free( a, front, s->front_bytes, 1 );
	dbvhi_free( a, rooms, room_bytes, 1 );
	return status;
}
