// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Loading tree files, which are not trusted: the offsets of sections follow from their counts, which have to fit the
// file and each other before anything else is read.

#include "base/alloc.h"
#include "base/crc32c.h"
#include "base/parallel.h"
#include "base/status.h"
#include "bvh/builder/builder.h"
#include "bvh/file/format.h"
#include "bvh/packed/pack.h"
#include "bvh/validate/validate.h"
#include "mesh/io/bytes.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stddef.h>

static uint64_t head_word( const uint8_t *head, int at ) {
	return dbvhi_bytes_get( head + at, 8, false );
}

static uint32_t head_number( const uint8_t *head, int at ) {
	return (uint32_t)dbvhi_bytes_get( head + at, 4, false );
}

static bool are_zero( const uint8_t *bytes, size_t count ) {
	unsigned any = 0;
	for ( size_t i = 0; i < count; ++i )
		any |= bytes[i];
	return any == 0;
}

static dbvh_status malformed( dbvh_error *error, uint64_t byte, const char *what ) {
	if ( error != NULL )
		error->byte = (int64_t)byte;
	return dbvhi_error_set( error, DBVH_MALFORMED, "%s", what );
}

dbvh_status dbvhi_file_head( const uint8_t *bytes, size_t count, size_t size, dbvh_error *error ) {
	const size_t known = count < 8 ? count : 8;
	if ( count == 0 || memcmp( bytes, DBVHI_FILE_MAGIC, known ) != 0 )
		return dbvhi_error_set( error, DBVH_UNKNOWN_FORMAT, "the file is no tree of dualbvh" );
	if ( count < 12 )
		return dbvhi_error_set( error, DBVH_TRUNCATED, "the file ends in its head" );
	const uint32_t version = head_number( bytes, DBVHI_HEAD_VERSION );
	if ( version != DBVHI_FILE_VERSION )
		return dbvhi_error_set( error, DBVH_UNKNOWN_FORMAT,
		                        "the file is of version %" PRIu32 " of the format, and this library reads version %d: "
		                        "build it anew from its mesh",
		                        version, DBVHI_FILE_VERSION );
	if ( count < DBVHI_HEAD_LENGTH )
		return dbvhi_error_set( error, DBVH_TRUNCATED, "the file ends in its head" );
	if ( dbvhi_crc32c( 0, bytes, DBVHI_HEAD_SUM ) != head_number( bytes, DBVHI_HEAD_SUM ) )
		return malformed( error, DBVHI_HEAD_SUM, "the checksum of the head is not that of its bytes" );
	if ( head_number( bytes, DBVHI_HEAD_ORDER ) != DBVHI_FILE_ORDER )
		return malformed( error, DBVHI_HEAD_ORDER, "the mark of the order of bytes is none" );
	const uint32_t packed_version = head_number( bytes, DBVHI_HEAD_PACKED_VERSION );
	if ( packed_version != DBVHI_PACKED_VERSION && packed_version != DBVHI_PACKED_SCALED_VERSION )
		return dbvhi_error_set( error, DBVH_UNKNOWN_FORMAT,
		                        "the file has version %" PRIu32 " of the packed form, and this library reads versions "
		                        "%d and %d: build it anew from its mesh",
		                        packed_version, DBVHI_PACKED_VERSION, DBVHI_PACKED_SCALED_VERSION );
	const uint64_t file_bytes = head_word( bytes, DBVHI_HEAD_BYTES );
	if ( file_bytes > size )
		return dbvhi_error_set( error, DBVH_TRUNCATED, "the file has %zu bytes of %" PRIu64, size, file_bytes );
	return file_bytes < size ? malformed( error, file_bytes, "something follows the end of the tree" ) : DBVH_OK;
}

// ------------------------------------------------------------------------------------------------
// Bytes that come

// AT_FIRST bytes are read first: small files as a whole.
#define AT_FIRST ( (uint64_t)1 << 17 )
// AT_A_TIME bytes are read and summed up at a time; twice that fits the cache.
#define AT_A_TIME ( (uint64_t)1 << 17 )

typedef struct input {
	uint8_t *bytes;
	uint64_t size, present; // bytes of the file, and of its beginning that are present
	dbvhi_supply *supply;   // reads the rest; NULL: all bytes are present
	void *source;
} input;

// Makes sure that the bytes from `begin` to `end` are present.
static bool bring( const input *in, uint64_t begin, uint64_t end ) {
	if ( begin < in->present )
		begin = in->present;
	return begin >= end || in->supply( in->source, begin, in->bytes + begin, (size_t)( end - begin ) );
}

// Makes all bytes up to `end` present.
static bool bring_up_to( input *in, uint64_t end ) {
	if ( !bring( in, 0, end ) )
		return false;
	in->present = end > in->present ? end : in->present;
	return true;
}

// ------------------------------------------------------------------------------------------------
// The front

// Reads the counts of sections from the table, which lies within `front` bytes.
static dbvh_status read_entries( const uint8_t *bytes, uint64_t front, uint64_t file_bytes, uint32_t count,
                                 dbvhi_sections *s, dbvh_error *error ) {
	uint32_t last = 0;
	if ( count > ( front - DBVHI_HEAD_LENGTH ) / DBVHI_ENTRY_BYTES )
		return malformed( error, DBVHI_HEAD_SECTIONS, "there are more sections than the file has room for" );
	for ( uint32_t i = 0; i < count; ++i ) {
		const uint64_t at = DBVHI_HEAD_LENGTH + (uint64_t)i * DBVHI_ENTRY_BYTES;
		const uint32_t kind = head_number( bytes, (int)at ), element = head_number( bytes, (int)at + 4 );
		const uint64_t elements = head_word( bytes, (int)at + 16 );
		if ( kind <= last || kind >= DBVHI_SECTION_END )
			return malformed( error, at, "a section is of an unknown kind, or out of order" );
		if ( element != s->of[kind].element )
			return malformed( error, at + 4, "the elements of a section have another length than its kind's" );
		if ( elements == 0 || elements > file_bytes / element )
			return malformed( error, at + 16, "a section is empty, or longer than the file" );
		s->of[kind].count = elements;
		last = kind;
	}
	dbvhi_sections_place( s );
	for ( uint32_t i = 0; i < count; ++i ) {
		const uint64_t at = DBVHI_HEAD_LENGTH + (uint64_t)i * DBVHI_ENTRY_BYTES;
		if ( head_word( bytes, (int)at + 8 ) != s->of[head_number( bytes, (int)at )].offset )
			return malformed( error, at + 8, "a section is not where it should be" );
	}
	if ( s->front_bytes != front || s->file_bytes != file_bytes )
		return malformed( error, DBVHI_HEAD_FRONT, "the sections do not make up the file" );
	const uint64_t end = DBVHI_HEAD_LENGTH + (uint64_t)count * DBVHI_ENTRY_BYTES + 4 * s->block_count;
	return are_zero( bytes + end, (size_t)( front - end ) ) ? DBVH_OK
	                                                        : malformed( error, end, "something follows the tables" );
}

static dbvh_status read_front( input *in, dbvhi_sections *s, dbvh_error *error ) {
	const uint8_t *bytes = in->bytes;
	if ( !bring_up_to( in, in->size < AT_FIRST ? in->size : AT_FIRST ) )
		return DBVH_IO;
	DBVHI_TRY( dbvhi_file_head( bytes, in->size, in->size, error ) );
	const uint64_t file_bytes = in->size, front = head_word( bytes, DBVHI_HEAD_FRONT );
	if ( front < DBVHI_HEAD_LENGTH || front > file_bytes )
		return malformed( error, DBVHI_HEAD_FRONT, "the tables are longer than the file" );
	if ( !bring_up_to( in, front ) )
		return DBVH_IO;
	if ( dbvhi_crc32c( 0, bytes + DBVHI_HEAD_LENGTH, (size_t)( front - DBVHI_HEAD_LENGTH ) ) !=
	     head_number( bytes, DBVHI_HEAD_TABLES_SUM ) )
		return malformed( error, DBVHI_HEAD_TABLES_SUM, "the checksum of the tables is not that of their bytes" );
	*s = ( dbvhi_sections ){ .section_count = 0 };
	for ( int kind = 1; kind < DBVHI_SECTION_END; ++kind )
		s->of[kind].element = dbvhi_section_element( (dbvhi_section_kind)kind );
	return read_entries( bytes, front, file_bytes, head_number( bytes, DBVHI_HEAD_SECTIONS ), s, error );
}

// ------------------------------------------------------------------------------------------------
// The tree

static bool has( const dbvhi_sections *s, dbvhi_section_kind kind, uint64_t count ) {
	return s->of[kind].count == count;
}

// True if the lengths of the topology's sections agree; all follow from four of them.
static bool topology_fits( const dbvhi_sections *s, uint64_t mesh, bool is_there, bool has_sheets ) {
	const uint64_t all = is_there ? mesh : 0, components = s->of[DBVHI_SECTION_COMPONENTS].count;
	const uint64_t points = s->of[DBVHI_SECTION_POINT_POSITION].count, edges = s->of[DBVHI_SECTION_EDGE_BEGIN].count;
	return has( s, DBVHI_SECTION_LEAF_INDEX, all ) && has( s, DBVHI_SECTION_POINT, all ) &&
	       has( s, DBVHI_SECTION_EDGE, all ) && has( s, DBVHI_SECTION_COMPONENT, all ) &&
	       has( s, DBVHI_SECTION_DEGENERATE, all ) && has( s, DBVHI_SECTION_WINDING, all ) &&
	       has( s, DBVHI_SECTION_EVEN, components ) && has( s, DBVHI_SECTION_BOUNDS, components ) &&
	       has( s, DBVHI_SECTION_SHEET_BOUNDS, has_sheets ) && ( components > 0 ) == is_there &&
	       ( points > 0 ) == is_there && ( edges > 0 ) == is_there && points <= 3 * all && components <= all &&
	       s->of[DBVHI_SECTION_SIDE].count <= 3 * all && edges <= 3 * all + 1;
}

// Checks the lengths of the sections against the head: whatever the tree needs is there, and nothing else.
static const char *check_lengths( const dbvh_tree *t, const dbvhi_sections *s, uint32_t flags ) {
	const uint64_t count = t->triangle_count, mesh = t->mesh_triangle_count, nodes = t->node_count;
	const bool keeps_reference = s->of[DBVHI_SECTION_NODES].count > 0,
	           has_twins = s->of[DBVHI_SECTION_TWIN_BEGIN].count > 0;
	const uint64_t ellipsoids = s->of[DBVHI_SECTION_ELLIPSOIDS].count, packed = s->of[DBVHI_SECTION_PACKED].count;
	if ( mesh == 0 || mesh > DBVH_MAX_ELEMENTS || count == 0 || count > UINT32_MAX / 4 || nodes == 0 ||
	     nodes > 2 * count - 1 || t->leaf_count == 0 || t->leaf_count > count )
		return "the number of triangles, nodes or leaves is not possible";
	if ( t->depth == 0 || t->depth > DBVHI_BUILD_DEPTH + 28 )
		return "the depth is not possible";
	if ( !has( s, DBVHI_SECTION_ROOT, 1 ) || !has( s, DBVHI_SECTION_TRIANGLE, count ) )
		return "there is not one root, or not a number for each triangle";
	if ( packed > 0 && packed < sizeof( dbvhi_packed ) )
		return "the packed form is shorter than its head";
	if ( keeps_reference ) {
		if ( !has( s, DBVHI_SECTION_NODES, nodes ) || !has( s, DBVHI_SECTION_CORNERS, count ) ||
		     !has( s, DBVHI_SECTION_CORNER, 0 ) || !has( s, DBVHI_SECTION_VERTICES, 0 ) ||
		     ( flags & DBVHI_FLAG_KEEPS_ORDER ) != 0 )
			return "the nodes or the corners are more or fewer than they should be";
	} else if ( packed == 0 || !has( s, DBVHI_SECTION_CORNERS, 0 ) || !has( s, DBVHI_SECTION_CORNER, count ) ||
	            s->of[DBVHI_SECTION_VERTICES].count == 0 || s->of[DBVHI_SECTION_VERTICES].count > 3 * count ||
	            nodes != 2 * count - 1 || t->leaf_count != count || dbvhi_options_keep_reference( &t->options ) ) {
		return "without a reference tree the packed form, corners or vertices are more or fewer than they should be";
	}
	if ( !has( s, DBVHI_SECTION_FRAGMENT, 0 ) &&
	     ( !has( s, DBVHI_SECTION_FRAGMENT, count ) || ( flags & DBVHI_FLAG_KEEPS_ORDER ) != 0 ||
	       !dbvhi_options_may_divide( &t->options ) ) )
		return "the fragments are more or fewer than the triangles";
	if ( has( s, DBVHI_SECTION_FRAGMENT, 0 ) && ( count > mesh || t->fragment_error != 0.0 ) )
		return "there are more triangles than in the mesh";
	if ( !has( s, DBVHI_SECTION_TWIN_BEGIN, has_twins ? count + 1 : 0 ) ||
	     !has( s, DBVHI_SECTION_TWIN_NUMBER, has_twins ? mesh : 0 ) )
		return "the lists of triangles that are the same have other lengths";
	if ( ellipsoids > nodes || ( ellipsoids == 0 && t->ellipsoid_least != 0 ) ||
	     ( ellipsoids > 0 && ( !keeps_reference || t->options.ellipsoids == DBVH_ELLIPSOIDS_NONE ) ) ||
	     !has( s, DBVHI_SECTION_ELLIPSOID_AT, ellipsoids > 0 ? nodes : 0 ) ||
	     !has( s, DBVHI_SECTION_ELLIPSOID_WANTED, ellipsoids > 0 ? nodes / 64 + 1 : 0 ) ||
	     t->ellipsoid_chosen > ellipsoids || t->ellipsoid_packed > ellipsoids || t->ellipsoid_packed > 255 )
		return "there are more or fewer ellipsoids than they should be";
	if ( !topology_fits( s, mesh, t->options.topology, ( flags & DBVHI_FLAG_SHEETS ) != 0 ) )
		return "the parts of the topology have other lengths";
	if ( keeps_reference && packed > 0 && !dbvhi_options_keep_reference( &t->options ) )
		return "there is a reference tree that the options do not ask for";
	return NULL;
}

static void *array( const dbvhi_backing *backing, const dbvhi_sections *s, dbvhi_section_kind kind ) {
	return s->of[kind].count > 0 ? backing->bytes + s->of[kind].offset : NULL;
}

static bool take_components( dbvhi_topology *t, const uint8_t *records, const dbvh_allocator *allocator ) {
	t->components = dbvhi_alloc( allocator, t->component_count, sizeof *t->components );
	if ( t->components == NULL )
		return false;
	for ( size_t i = 0; i < t->component_count; ++i ) {
		const uint8_t *at = records + i * DBVHI_COMPONENT_BYTES;
		t->components[i] = ( dbvh_mesh_component ){ .triangle_count = (size_t)dbvhi_bytes_get( at, 8, false ),
		                                            .first_triangle = (size_t)dbvhi_bytes_get( at + 8, 8, false ),
		                                            .boundary_edges = (size_t)dbvhi_bytes_get( at + 16, 8, false ),
		                                            .nonmanifold_edges = (size_t)dbvhi_bytes_get( at + 24, 8, false ),
		                                            .closed = at[32] != 0,
		                                            .oriented = at[33] != 0 };
	}
	return true;
}

static bool take_topology( dbvh_tree *tree, const dbvhi_sections *s, uint32_t flags ) {
	const dbvhi_backing *b = &tree->backing;
	dbvhi_topology *t = dbvhi_alloc( &tree->allocator, 1, sizeof *t );
	tree->topology = t;
	if ( t == NULL )
		return false;
	*t = ( dbvhi_topology ){ .triangle_count = tree->mesh_triangle_count,
	                         .point_count = (size_t)s->of[DBVHI_SECTION_POINT_POSITION].count,
	                         .edge_count = (size_t)s->of[DBVHI_SECTION_EDGE_BEGIN].count - 1,
	                         .component_count = (size_t)s->of[DBVHI_SECTION_COMPONENTS].count,
	                         .position = array( b, s, DBVHI_SECTION_POINT_POSITION ),
	                         .corner = array( b, s, DBVHI_SECTION_POINT ),
	                         .edge = array( b, s, DBVHI_SECTION_EDGE ),
	                         .edge_begin = array( b, s, DBVHI_SECTION_EDGE_BEGIN ),
	                         .side = array( b, s, DBVHI_SECTION_SIDE ),
	                         .component = array( b, s, DBVHI_SECTION_COMPONENT ),
	                         .degenerate = array( b, s, DBVHI_SECTION_DEGENERATE ),
	                         .even = array( b, s, DBVHI_SECTION_EVEN ),
	                         .winding = array( b, s, DBVHI_SECTION_WINDING ),
	                         .bounds = array( b, s, DBVHI_SECTION_BOUNDS ),
	                         .has_sheets = ( flags & DBVHI_FLAG_SHEETS ) != 0,
	                         .point_capacity = (size_t)s->of[DBVHI_SECTION_POINT_POSITION].count };
	if ( t->has_sheets )
		memcpy( t->sheet_bounds, array( b, s, DBVHI_SECTION_SHEET_BOUNDS ), sizeof t->sheet_bounds );
	return take_components( t, array( b, s, DBVHI_SECTION_COMPONENTS ), &tree->allocator );
}

static bool take_twins( dbvh_tree *tree, const dbvhi_sections *s ) {
	tree->twins = dbvhi_alloc( &tree->allocator, 1, sizeof *tree->twins );
	if ( tree->twins == NULL )
		return false;
	*tree->twins = ( dbvhi_twins ){ .leaf_index_count = tree->triangle_count,
	                                .number_count = tree->mesh_triangle_count,
	                                .begin = array( &tree->backing, s, DBVHI_SECTION_TWIN_BEGIN ),
	                                .number = array( &tree->backing, s, DBVHI_SECTION_TWIN_NUMBER ) };
	return true;
}

static bool take_arrays( dbvh_tree *t, const dbvhi_sections *s, uint32_t flags ) {
	const dbvhi_backing *b = &t->backing;
	memcpy( &t->root, array( b, s, DBVHI_SECTION_ROOT ), sizeof t->root );
	dbvhi_tree_set_packed( t, array( b, s, DBVHI_SECTION_PACKED ), (size_t)s->of[DBVHI_SECTION_PACKED].count );
	t->triangle = array( b, s, DBVHI_SECTION_TRIANGLE );
	t->fragment = array( b, s, DBVHI_SECTION_FRAGMENT );
	t->corner = array( b, s, DBVHI_SECTION_CORNER );
	t->vertices = array( b, s, DBVHI_SECTION_VERTICES );
	t->vertex_count = (size_t)s->of[DBVHI_SECTION_VERTICES].count;
	t->corners = array( b, s, DBVHI_SECTION_CORNERS );
	t->nodes = array( b, s, DBVHI_SECTION_NODES );
	t->node_capacity = (size_t)s->of[DBVHI_SECTION_NODES].count;
	t->leaf = array( b, s, DBVHI_SECTION_LEAF_INDEX );
	t->ellipsoids = array( b, s, DBVHI_SECTION_ELLIPSOIDS );
	t->ellipsoid_count = t->ellipsoid_capacity = (size_t)s->of[DBVHI_SECTION_ELLIPSOIDS].count;
	t->ellipsoid_at = array( b, s, DBVHI_SECTION_ELLIPSOID_AT );
	t->ellipsoid_wanted = array( b, s, DBVHI_SECTION_ELLIPSOID_WANTED );
	return ( s->of[DBVHI_SECTION_TWIN_BEGIN].count == 0 || take_twins( t, s ) ) &&
	       ( !t->options.topology || take_topology( t, s, flags ) );
}

// ------------------------------------------------------------------------------------------------
// What is in the sections

typedef struct summing {
	const input *in;
	const uint8_t *sums; // NULL: checksums are not checked
	const dbvhi_sections *s;
	atomic_uint_least64_t damaged; // offset of the first damaged block
	atomic_bool ended;             // the supply has failed
} summing;

// Reads a block and the gap behind it, and sums it up on the way.
static bool sum_block( const summing *sum, size_t index, uint64_t begin, uint32_t *crc_out ) {
	const dbvhi_file_block block = dbvhi_sections_block( sum->s, index );
	const uint64_t end = begin + block.count;
	*crc_out = 0;
	for ( uint64_t at = begin, next; at < end; at = next ) {
		next = end - at > AT_A_TIME ? at + AT_A_TIME : end;
		if ( !bring( sum->in, at, next == end ? dbvhi_align_section( end ) : next ) )
			return false;
		if ( sum->sums != NULL )
			*crc_out = dbvhi_crc32c( *crc_out, sum->in->bytes + at, (size_t)( next - at ) );
	}
	return true;
}

static void sum_task( void *context, size_t index, uint32_t thread ) {
	(void)thread;
	summing *sum = context;
	const dbvhi_file_block block = dbvhi_sections_block( sum->s, index );
	const uint64_t at = sum->s->of[block.kind].offset + block.begin;
	uint32_t crc;
	if ( !sum_block( sum, index, at, &crc ) )
		atomic_store_explicit( &sum->ended, true, memory_order_relaxed );
	if ( sum->sums == NULL || crc == head_number( sum->sums + 4 * index, 0 ) )
		return;
	uint_least64_t lowest = atomic_load_explicit( &sum->damaged, memory_order_relaxed );
	while ( at < lowest && !atomic_compare_exchange_weak_explicit( &sum->damaged, &lowest, at, memory_order_relaxed,
	                                                               memory_order_relaxed ) )
		;
}

// True if gaps between sections are zero: equal trees are equal files.
static bool gaps_are_zero( const uint8_t *bytes, const dbvhi_sections *s ) {
	for ( int kind = 1; kind < DBVHI_SECTION_END; ++kind ) {
		const uint64_t end = s->of[kind].offset + dbvhi_section_bytes( &s->of[kind] );
		if ( s->of[kind].count > 0 && !are_zero( bytes + end, (size_t)( dbvhi_align_section( end ) - end ) ) )
			return false;
	}
	return true;
}

// Reads the whole file, and compares checksums if asked for.
static dbvh_status bring_sections( const input *in, const dbvhi_sections *s, dbvhi_load_checks checks,
                                   dbvh_error *error ) {
	if ( in->present == in->size && checks.is_trusted )
		return DBVH_OK;
	summing sum = { .in = in, .s = s };
	if ( !checks.is_trusted )
		sum.sums = in->bytes + DBVHI_HEAD_LENGTH + DBVHI_ENTRY_BYTES * (size_t)s->section_count;
	atomic_init( &sum.damaged, UINT64_MAX );
	atomic_init( &sum.ended, false );
	const size_t block_count = (size_t)s->block_count;
	dbvhi_parallel_for( block_count, 1, dbvhi_thread_count_for( checks.thread_count, block_count ), sum_task, &sum );
	if ( atomic_load_explicit( &sum.ended, memory_order_relaxed ) )
		return DBVH_IO;
	const uint64_t damaged = atomic_load_explicit( &sum.damaged, memory_order_relaxed );
	if ( damaged != UINT64_MAX )
		return malformed( error, damaged, "the checksum of a block is not that of its bytes" );
	return checks.is_trusted || gaps_are_zero( in->bytes, s )
	           ? DBVH_OK
	           : malformed( error, 0, "there is something between two sections" );
}

// Checks flags, small numbers, and finiteness where nothing else does.
static const char *check_marks( const dbvh_tree *tree, const dbvhi_sections *s ) {
	const dbvhi_topology *t = tree->topology;
	for ( size_t i = 0; i < tree->ellipsoid_count; ++i ) {
		const uint8_t *flags = (const uint8_t *)&tree->ellipsoids[i] + offsetof( dbvhi_node_ellipsoid, aligned );
		if ( flags[0] > 1 || flags[1] > 1 || flags[2] > 1 || !are_zero( flags + 3, 5 ) )
			return "a flag of an ellipsoid is neither 0 nor 1";
	}
	if ( t == NULL )
		return NULL;
	for ( size_t i = 0; i < t->triangle_count; ++i ) {
		if ( t->degenerate[i] > 1 || t->winding[i] < -1 || t->winding[i] > DBVHI_WINDING_COPY )
			return "a mark of a triangle is none";
		if ( tree->leaf[i] >= tree->triangle_count )
			return "a triangle's place is beyond the last";
	}
	const uint8_t *records = array( &tree->backing, s, DBVHI_SECTION_COMPONENTS );
	for ( size_t i = 0; i < t->component_count; ++i ) {
		const uint8_t *flags = records + i * DBVHI_COMPONENT_BYTES + 32;
		if ( t->even[i] > 1 || flags[0] > 1 || flags[1] > 1 || !are_zero( flags + 2, 6 ) )
			return "a flag of a component is neither 0 nor 1";
		if ( t->components[i].triangle_count == 0 || t->components[i].triangle_count > t->triangle_count )
			return "a component has no triangles, or too many";
		for ( int k = 0; k < 6; ++k ) {
			if ( !( t->bounds[6 * i + (size_t)k] - t->bounds[6 * i + (size_t)k] == 0.0 ) )
				return "the bounds of a component are not finite";
		}
	}
	return t->edge_begin[t->edge_count] == s->of[DBVHI_SECTION_SIDE].count ? NULL : "an edge ends beyond the sides";
}

static const uint8_t *tree_head( const dbvh_tree *tree ) {
	return (const uint8_t *)tree->backing.bytes;
}

static dbvh_status check_content( const dbvh_tree *tree, const dbvhi_sections *s, uint32_t sample, dbvh_error *error ) {
	const char *rule = check_marks( tree, s );
	if ( rule == NULL &&
	     head_number( tree_head( tree ), DBVHI_HEAD_PACKED_VERSION ) != dbvhi_tree_packed_version( tree ) )
		rule = "the head says another version of the packed form than it has";
	if ( rule == NULL && tree->packed != NULL && tree->packed->bytes != tree->packed_bytes )
		rule = "the packed form says another length than it has";
	// note: before there were scaled blocks, other meshes had no packed form.
	if ( rule == NULL && tree->packed == NULL && tree->options.leaf_size <= DBVHI_WIDTH &&
	     dbvhi_packed_holds( tree->largest, tree->nodes[0].radius ) )
		rule = "there is no packed form of a mesh that has one";
	if ( rule == NULL && tree->fragment != NULL && tree->fragment_error != dbvhi_fragment_error( tree->largest ) )
		rule = "the error of fragments is not that of the mesh";
	return rule != NULL ? dbvhi_error_set( error, DBVH_INVARIANT, "%s", rule )
	                    : dbvhi_tree_check( tree, sample, error );
}

static void turn_bytes( const dbvhi_backing *backing, const dbvhi_sections *s ) {
	for ( int kind = 1; kind < DBVHI_SECTION_END; ++kind ) {
		if ( s->of[kind].count > 0 )
			dbvhi_section_swap( (dbvhi_section_kind)kind, 0, (uint8_t *)backing->bytes + s->of[kind].offset,
			                    (size_t)dbvhi_section_bytes( &s->of[kind] ) );
	}
}

static const char *read_head( const uint8_t *head, dbvh_tree *t, uint32_t *flags_out ) {
	const uint8_t *options = head + DBVHI_HEAD_OPTIONS;
	if ( !dbvhi_options_get( options, &t->options ) ||
	     dbvhi_options_hash( options ) != head_word( head, DBVHI_HEAD_OPTIONS_HASH ) )
		return "the options are none that a tree has";
	*flags_out = head_number( head, DBVHI_HEAD_FLAGS );
	if ( *flags_out > ( DBVHI_FLAG_KEEPS_ORDER | DBVHI_FLAG_SHEETS ) )
		return "there is a flag that is not known";
	if ( !are_zero( head + DBVHI_HEAD_RESERVED, DBVHI_HEAD_SUM - DBVHI_HEAD_RESERVED ) )
		return "what is reserved is not zero";
	t->hash = head_word( head, DBVHI_HEAD_CONTENT );
	t->mesh_triangle_count = (size_t)head_word( head, DBVHI_HEAD_MESH_TRIANGLES );
	t->triangle_count = (size_t)head_word( head, DBVHI_HEAD_TRIANGLES );
	t->node_count = (size_t)head_word( head, DBVHI_HEAD_NODES );
	t->leaf_count = (size_t)head_word( head, DBVHI_HEAD_LEAVES );
	t->depth = head_number( head, DBVHI_HEAD_DEPTH );
	t->ellipsoid_least = head_number( head, DBVHI_HEAD_ELLIPSOID_LEAST );
	t->largest = dbvhi_bytes_get_double( head + DBVHI_HEAD_LARGEST, false );
	t->fragment_error = dbvhi_bytes_get_double( head + DBVHI_HEAD_FRAGMENT_ERROR, false );
	t->ellipsoid_chosen = (size_t)head_word( head, DBVHI_HEAD_ELLIPSOIDS_CHOSEN );
	t->ellipsoid_packed = (size_t)head_word( head, DBVHI_HEAD_ELLIPSOIDS_PACKED );
	t->keeps_order = ( *flags_out & DBVHI_FLAG_KEEPS_ORDER ) != 0;
	return NULL;
}

static dbvh_status fill( dbvh_tree *tree, input *in, dbvhi_load_checks checks, dbvh_error *error ) {
	dbvhi_sections s;
	uint32_t flags = 0;
	DBVHI_TRY( read_front( in, &s, error ) );
	if ( !dbvhi_is_little_endian() && in->supply == NULL )
		return dbvhi_error_set( error, DBVH_LIMIT,
		                        "the file is little-endian, and this machine is not: it can be loaded but not mapped" );
	const char *rule = read_head( in->bytes, tree, &flags );
	if ( rule == NULL )
		rule = check_lengths( tree, &s, flags );
	if ( rule != NULL )
		return malformed( error, 0, rule );
	if ( !dbvhi_is_little_endian() && tree->ellipsoid_packed > 0 )
		return dbvhi_error_set( error, DBVH_LIMIT, "a tree with ellipsoids cannot be read on a big-endian machine" );
	DBVHI_TRY( bring_sections( in, &s, checks, error ) );
	if ( in->supply != NULL )
		turn_bytes( &tree->backing, &s );
	if ( !take_arrays( tree, &s, flags ) )
		return dbvhi_error_status( error, DBVH_OUT_OF_MEMORY );
	return checks.is_trusted ? DBVH_OK : check_content( tree, &s, checks.sample, error );
}

dbvh_status dbvhi_file_tree( dbvhi_backing backing, dbvhi_supply *supply, void *source, dbvhi_load_checks checks,
                             const dbvh_allocator *allocator, dbvh_tree **tree_out, dbvh_error *error ) {
	DBVHI_ASSERT( (uintptr_t)backing.bytes % DBVHI_SECTION_ALIGNMENT == 0 );
	dbvh_tree *tree = dbvhi_alloc( allocator, 1, sizeof *tree );
	if ( tree == NULL )
		return dbvhi_error_status( error, DBVH_OUT_OF_MEMORY );
	memset( tree, 0, sizeof *tree );
	tree->allocator = *allocator;
	tree->backing = backing;
	input in = { (uint8_t *)backing.bytes, backing.size, supply != NULL ? 0 : backing.size, supply, source };
	const dbvh_status status = fill( tree, &in, checks, error );
	if ( status == DBVH_OK ) {
		*tree_out = tree;
		return DBVH_OK;
	}
	tree->backing.release = NULL; // the caller keeps it
	dbvh_tree_destroy( tree );
	return status;
}
