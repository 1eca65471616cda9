// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Helpers of the mesh tests: parsing with checks on the error and in pieces, counting allocators, small files.

#pragma once

#include "base/os.h"
#include "dualbvh/mesh.h"
#include "support/pieces.h"
#include "support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH( array ) ( sizeof( array ) / sizeof *( array ) )

// Parse in pieces of one byte, or of a few, and in large ones if that would be many pieces.
static inline void check_pieces( const void *bytes, size_t count, dbvh_mesh_format format, const dbvh_mesh *mesh,
                                 const dbvh_error *error ) {
	static size_t latest = 0;
	latest = latest * 5 % 127 + 1;
	const size_t pieces[] = { 1, latest };
	for ( size_t i = 0; i < LENGTH( pieces ); ++i ) {
		const size_t piece = pieces[i] + count / 2048;
		const char *difference = pieces_differ( bytes, count, format, piece, mesh, error );
		if ( difference != NULL )
			fail_msg( "%s is another one in pieces of %zu bytes", difference, piece );
	}
}

// Parses and checks what holds for every outcome: a mesh or a full error, never both, and the same in pieces.
static inline dbvh_status parse_bytes( const void *bytes, size_t count, dbvh_mesh_format format,
                                       const dbvh_allocator *allocator, dbvh_mesh **mesh, dbvh_error *error ) {
	*mesh = NULL;
	memset( error, 0x55, sizeof *error );
	// A copy of exactly this size lets AddressSanitizer see a read beyond the end.
	uint8_t *copy = malloc( count + ( count == 0 ) );
	assert_non_null( copy );
	memcpy( copy, bytes, count );
	const dbvh_status status = dbvh_mesh_parse( copy, count, format, allocator, mesh, error );
	if ( allocator == NULL )
		check_pieces( copy, count, format, *mesh, error );
	free( copy );
	assert_int_equal( status, error->status );
	assert_true( memchr( error->text, '\0', sizeof error->text ) != NULL );
	if ( status == DBVH_OK ) {
		assert_non_null( *mesh );
		assert_string_equal( error->text, "" );
		assert_int_equal( error->line, 0 );
		assert_int_equal( error->byte, -1 );
		assert_int_equal( error->element, -1 );
		const dbvh_mesh_view view = dbvh_mesh_get_view( *mesh );
		assert_int_equal( dbvh_mesh_view_check( &view, NULL ), DBVH_OK );
	} else {
		assert_null( *mesh );
		assert_true( strlen( error->text ) > 0 );
	}
	return status;
}

static inline dbvh_status parse_text( const char *text, dbvh_mesh_format format, dbvh_mesh **mesh, dbvh_error *error ) {
	return parse_bytes( text, strlen( text ), format, NULL, mesh, error );
}

// Fails the allocation number `fail_at` (from 0) and keeps count of what is out.
typedef struct counting {
	size_t calls, fail_at, live_blocks, live_bytes, peak_bytes;
} counting;

static inline void *counting_alloc( void *user, size_t bytes, size_t alignment ) {
	counting *c = user;
	if ( c->calls++ == c->fail_at )
		return NULL;
	c->live_blocks += 1;
	c->live_bytes += bytes;
	c->peak_bytes = c->live_bytes > c->peak_bytes ? c->live_bytes : c->peak_bytes;
	return dbvhi_os_alloc( bytes, alignment );
}

static inline void counting_free( void *user, void *memory, size_t bytes ) {
	counting *c = user;
	assert_non_null( memory );
	assert_true( c->live_blocks > 0 && c->live_bytes >= bytes );
	c->live_blocks -= 1;
	c->live_bytes -= bytes;
	dbvhi_os_free( memory );
}

static inline dbvh_allocator counting_allocator( counting *c ) {
	return ( dbvh_allocator ){ .alloc = counting_alloc, .free = counting_free, .user = c };
}

// A growing piece of memory, for files made by tests.
typedef struct blob {
	uint8_t bytes[1 << 16];
	size_t count;
} blob;

static inline void blob_put( blob *b, const void *bytes, size_t count ) {
	assert_true( b->count + count <= sizeof b->bytes );
	memcpy( b->bytes + b->count, bytes, count );
	b->count += count;
}

static inline void blob_text( blob *b, const char *text ) {
	blob_put( b, text, strlen( text ) );
}

static inline void blob_number( blob *b, uint64_t value, size_t size, bool big_endian ) {
	for ( size_t i = 0; i < size; ++i ) {
		const uint8_t byte = (uint8_t)( value >> ( 8 * ( big_endian ? size - 1 - i : i ) ) );
		blob_put( b, &byte, 1 );
	}
}

static inline void blob_float( blob *b, float value, bool big_endian ) {
	uint32_t bits;
	memcpy( &bits, &value, sizeof bits );
	blob_number( b, bits, 4, big_endian );
}

static inline void blob_double( blob *b, double value, bool big_endian ) {
	uint64_t bits;
	memcpy( &bits, &value, sizeof bits );
	blob_number( b, bits, 8, big_endian );
}

// The tetrahedron that every format's sample is of: 4 vertices, 4 triangles, closed, outwards.
static const double tetra_positions[12] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
static const uint32_t tetra_indices[12] = { 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3 };

static inline dbvh_mesh_view tetra_view( void ) {
	return ( dbvh_mesh_view ){
	    .positions = tetra_positions, .vertex_count = 4, .indices = tetra_indices, .triangle_count = 4 };
}

static inline void blob_stl( blob *b, const char *header, uint32_t claimed ) {
	char padded[80] = { 0 };
	memcpy( padded, header, strlen( header ) );
	b->count = 0;
	blob_put( b, padded, sizeof padded );
	blob_number( b, claimed, 4, false );
	for ( int i = 0; i < 4; ++i ) {
		for ( int k = 0; k < 3; ++k )
			blob_float( b, 0.0f, false );
		for ( int k = 0; k < 9; ++k )
			blob_float( b, (float)tetra_positions[3 * tetra_indices[3 * i + k / 3] + (uint32_t)( k % 3 )], false );
		blob_number( b, 0, 2, false );
	}
}

static inline void blob_ply( blob *b, bool big_endian ) {
	b->count = 0;
	blob_text( b, "ply\nformat " );
	blob_text( b, big_endian ? "binary_big_endian" : "binary_little_endian" );
	blob_text( b, " 1.0\nelement vertex 4\nproperty double x\nproperty float32 y\nproperty int8 z\n"
	              "property uchar red\nelement face 4\nproperty list uchar ushort vertex_index\nend_header\n" );
	for ( int i = 0; i < 4; ++i ) {
		blob_double( b, tetra_positions[3 * i], big_endian );
		blob_float( b, (float)tetra_positions[3 * i + 1], big_endian );
		blob_number( b, (uint64_t)tetra_positions[3 * i + 2], 1, big_endian );
		blob_number( b, 255, 1, big_endian );
	}
	for ( int i = 0; i < 4; ++i ) {
		blob_number( b, 3, 1, big_endian );
		for ( int k = 0; k < 3; ++k )
			blob_number( b, tetra_indices[3 * i + k], 2, big_endian );
	}
}

#define TETRA_STL                                                                                                      \
	"solid a\nfacet normal 0 0 -1\nouter loop\nvertex 0 0 0\nvertex 0 1 0\nvertex 1 0 0\nendloop\nendfacet\n"          \
	"facet normal 0 -1 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 0 1\nendloop\nendfacet\n"                   \
	"facet normal -1 0 0\nouter loop\nvertex 0 0 0\nvertex 0 0 1\nvertex 0 1 0\nendloop\nendfacet\n"                   \
	"facet normal 1 1 1\nouter loop\nvertex 1 0 0\nvertex 0 1 0\nvertex 0 0 1\nendloop\nendfacet\nendsolid a\n"

#define TETRA_OBJ "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"

#define TETRA_OFF "OFF\n4 4 6\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n"

#define TETRA_PLY                                                                                                      \
	"ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 4\n"  \
	"property list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n"      \
	"3 1 2 3\n"

// All the kinds of file there are, of the same tetrahedron.
#define SAMPLE_COUNT 7

static inline dbvh_mesh_format sample_file( size_t sample, blob *b ) {
	b->count = 0;
	switch ( sample ) {
	case 0:
		blob_text( b, TETRA_STL );
		return DBVH_MESH_FORMAT_STL;
	case 1:
		blob_stl( b, "binary", 4 );
		return DBVH_MESH_FORMAT_STL;
	case 2:
		blob_text( b, TETRA_OBJ );
		return DBVH_MESH_FORMAT_OBJ;
	case 3:
		blob_text( b, TETRA_PLY );
		return DBVH_MESH_FORMAT_PLY;
	case 4:
		blob_ply( b, false );
		return DBVH_MESH_FORMAT_PLY;
	case 5:
		blob_ply( b, true );
		return DBVH_MESH_FORMAT_PLY;
	case 6:
		blob_text( b, TETRA_OFF );
		return DBVH_MESH_FORMAT_OFF;
	default:
		fail_msg( "sample_file() has no file %zu", sample );
		return DBVH_MESH_FORMAT_AUTO;
	}
}
