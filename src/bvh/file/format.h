// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The format of tree files, described byte by byte in docs/tree-format.md: a head, a table of sections, a table of
// checksums, and the sections, each an array of the tree as it lies in memory on a little-endian machine. Nothing in it
// depends on its address, so a mapped file is a tree.

#pragma once

#include "bvh/tree.h"
#include "dualbvh/tree_file.h"

#define DBVHI_FILE_VERSION DBVH_TREE_FILE_VERSION
// The magic reveals damage as that of PNG does: 0x89 a lost eighth bit, the line ends a translation of line ends.
#define DBVHI_FILE_MAGIC                                                                                               \
	"\x89"                                                                                                             \
	"DBVH\r\n\x1a"
#define DBVHI_FILE_ORDER UINT32_C( 0x01020304 )

// Offsets in the head, and its length. All numbers are little-endian.
enum {
	DBVHI_HEAD_MAGIC = 0,
	DBVHI_HEAD_VERSION = 8,             // u32
	DBVHI_HEAD_ORDER = 12,              // u32
	DBVHI_HEAD_BYTES = 16,              // u64: bytes of the whole file
	DBVHI_HEAD_FRONT = 24,              // u64: bytes of the head and both tables
	DBVHI_HEAD_SECTIONS = 32,           // u32
	DBVHI_HEAD_PACKED_VERSION = 36,     // u32: version of the packed form's layout
	DBVHI_HEAD_CONTENT = 40,            // u64: content hash of the mesh
	DBVHI_HEAD_OPTIONS_HASH = 48,       // u64: hash of the options below
	DBVHI_HEAD_OPTIONS = 56,            // 12 bytes, see dbvhi_head_options
	DBVHI_HEAD_FLAGS = 68,              // u32
	DBVHI_HEAD_MESH_TRIANGLES = 72,     // u64
	DBVHI_HEAD_TRIANGLES = 80,          // u64
	DBVHI_HEAD_NODES = 88,              // u64
	DBVHI_HEAD_LEAVES = 96,             // u64
	DBVHI_HEAD_DEPTH = 104,             // u32
	DBVHI_HEAD_ELLIPSOID_LEAST = 108,   // u32
	DBVHI_HEAD_LARGEST = 112,           // f64
	DBVHI_HEAD_FRAGMENT_ERROR = 120,    // f64
	DBVHI_HEAD_ELLIPSOIDS_CHOSEN = 128, // u64
	DBVHI_HEAD_ELLIPSOIDS_PACKED = 136, // u64
	DBVHI_HEAD_TABLES_SUM = 144,        // u32: CRC-32C of both tables
	DBVHI_HEAD_RESERVED = 148,          // zero
	DBVHI_HEAD_SUM = 188,               // u32: CRC-32C of the head before it
	DBVHI_HEAD_LENGTH = 192,
};

// The bytes of the options, from DBVHI_HEAD_OPTIONS on: one each, enumerators by number.
enum {
	DBVHI_OPTION_LEAF_SIZE,
	DBVHI_OPTION_SPHERE_FIT,
	DBVHI_OPTION_BOX_FIT,
	DBVHI_OPTION_SPLIT,
	DBVHI_OPTION_TOPOLOGY,
	DBVHI_OPTION_FILL,
	DBVHI_OPTION_ELLIPSOIDS,
	DBVHI_OPTION_FRAGMENTS,
	DBVHI_OPTION_QUALITY,
	DBVHI_OPTION_REFERENCE,
	DBVHI_OPTION_BYTES = 12, // unused bytes are zero
};

#define DBVHI_FLAG_KEEPS_ORDER 1u // dbvh_tree.keeps_order
#define DBVHI_FLAG_SHEETS 2u      // dbvhi_topology.has_sheets

// Kinds of sections; each occurs once at most, in this order.
typedef enum dbvhi_section_kind {
	DBVHI_SECTION_ROOT = 1, // dbvhi_node
	DBVHI_SECTION_PACKED,
	DBVHI_SECTION_TRIANGLE,
	DBVHI_SECTION_FRAGMENT,
	DBVHI_SECTION_CORNER,
	DBVHI_SECTION_VERTICES,
	DBVHI_SECTION_CORNERS,
	DBVHI_SECTION_NODES,
	DBVHI_SECTION_TWIN_BEGIN,
	DBVHI_SECTION_TWIN_NUMBER,
	DBVHI_SECTION_LEAF_INDEX, // dbvh_tree.leaf
	DBVHI_SECTION_ELLIPSOIDS,
	DBVHI_SECTION_ELLIPSOID_AT,
	DBVHI_SECTION_ELLIPSOID_WANTED,
	DBVHI_SECTION_POINT_POSITION, // the topology, from here on
	DBVHI_SECTION_POINT,
	DBVHI_SECTION_EDGE,
	DBVHI_SECTION_EDGE_BEGIN,
	DBVHI_SECTION_SIDE,
	DBVHI_SECTION_COMPONENT,
	DBVHI_SECTION_DEGENERATE,
	DBVHI_SECTION_WINDING,
	DBVHI_SECTION_COMPONENTS, // records of DBVHI_COMPONENT_BYTES
	DBVHI_SECTION_EVEN,
	DBVHI_SECTION_BOUNDS,
	DBVHI_SECTION_SHEET_BOUNDS,
	DBVHI_SECTION_END,
} dbvhi_section_kind;

// A record of a component has four u64, two bytes, and six bytes of zero.
#define DBVHI_COMPONENT_BYTES 40

// An entry of the table of sections: kind and bytes an element (u32 each), offset in the file and number of elements
// (u64 each).
#define DBVHI_ENTRY_BYTES 24

// Sections begin at multiples of this, so that rows of vectors are aligned wherever the file is mapped.
#define DBVHI_SECTION_ALIGNMENT 64

// DBVHI_CHECKSUM_BLOCK bytes of a section have a CRC-32C of their own, so that several threads can check it, and an
// error can say where a file is damaged.
#define DBVHI_CHECKSUM_BLOCK ( (size_t)1 << 20 )

// A section in memory, in this machine's byte order.
typedef struct dbvhi_section {
	const void *bytes;
	uint64_t count, offset; // number of elements, and offset in the file
	uint32_t element;       // bytes of an element
} dbvhi_section;

// All sections of a tree; an absent one has the count 0.
typedef struct dbvhi_sections {
	dbvhi_section of[DBVHI_SECTION_END]; // by kind
	dbvhi_node_ellipsoid *ellipsoids;    // copies with zeroed padding
	uint8_t *components;
	size_t ellipsoid_count, component_count;
	uint64_t file_bytes, front_bytes;
	uint32_t section_count;
	uint64_t first_block[DBVHI_SECTION_END + 1]; // by kind: number of blocks before its first
	uint64_t block_count;
} dbvhi_sections;

// A block of a section: where it begins in the section, and its length.
typedef struct dbvhi_file_block {
	dbvhi_section_kind kind;
	uint64_t begin;
	size_t count;
} dbvhi_file_block;

// Returns the bytes of an element of each kind.
uint32_t dbvhi_section_element( dbvhi_section_kind kind );

static inline uint64_t dbvhi_section_bytes( const dbvhi_section *s ) {
	return s->count * s->element;
}

static inline uint64_t dbvhi_blocks_of( const dbvhi_section *s ) {
	return ( dbvhi_section_bytes( s ) + DBVHI_CHECKSUM_BLOCK - 1 ) / DBVHI_CHECKSUM_BLOCK;
}

static inline uint64_t dbvhi_align_section( uint64_t at ) {
	return ( at + DBVHI_SECTION_ALIGNMENT - 1 ) / DBVHI_SECTION_ALIGNMENT * DBVHI_SECTION_ALIGNMENT;
}

// Sets the offsets of the tables and sections from their counts.
void dbvhi_sections_place( dbvhi_sections *s );

// Returns the block that entry `index` of the table of checksums belongs to.
dbvhi_file_block dbvhi_sections_block( const dbvhi_sections *s, uint64_t index );

// Convert options to bytes and back; false for bytes that are no valid options. Thread counts are not kept.
void dbvhi_options_put( const dbvh_tree_options *options, uint8_t out[DBVHI_OPTION_BYTES] );
bool dbvhi_options_get( const uint8_t bytes[DBVHI_OPTION_BYTES], dbvh_tree_options *out );
uint64_t dbvhi_options_hash( const uint8_t bytes[DBVHI_OPTION_BYTES] );

// True if this machine's byte order is that of the file.
static inline bool dbvhi_is_little_endian( void ) {
	const uint16_t one = 1;
	uint8_t first;
	memcpy( &first, &one, 1 );
	return first == 1;
}

// The version of the packed form that the head of a tree's file has: that of its block. A tree without one has the
// first.
static inline uint32_t dbvhi_tree_packed_version( const dbvh_tree *tree ) {
	return tree->packed != NULL ? tree->packed->version : DBVHI_PACKED_VERSION;
}

// Converts the byte order of a part of a section; `at` is the part's offset in the section, a multiple of its element's
// words. Does nothing on a little-endian machine.
void dbvhi_section_swap( dbvhi_section_kind kind, uint64_t at, uint8_t *bytes, size_t count );

// ------------------------------------------------------------------------------------------------
// A tree from the bytes of a file, in place.

// Checks made before a tree is handed out.
typedef struct dbvhi_load_checks {
	bool is_trusted; // check the front only: counts and offsets of sections
	uint32_t sample; // otherwise also checksums, and dbvhi_tree_check() with this sample
	uint32_t thread_count;
} dbvhi_load_checks;

// Reads bytes of a file to their final address; called by several threads at once. False on failure: the source knows
// why.
typedef bool dbvhi_supply( void *source, uint64_t at, void *bytes, size_t count );

// Checks load options; INVALID_ARGUMENT for an unknown check, naming the options `name`.
dbvh_status dbvhi_load_options_check( const dbvh_tree_load_options *options, const char *name, dbvh_error *error );

// Checks the head of a file of `size` bytes, of which the first `count` are given (at least DBVHI_HEAD_LENGTH, or all):
// magic, version, checksum and size. TRUNCATED, UNKNOWN_FORMAT, MALFORMED.
dbvh_status dbvhi_file_head( const uint8_t *bytes, size_t count, size_t size, dbvh_error *error );

// Makes a tree whose arrays lie in `backing`, aligned to DBVHI_SECTION_ALIGNMENT. The tree takes ownership; after an
// error `backing` is still the caller's. With a supply, bytes are read piece by piece, each checked while in the cache,
// and converted on a big-endian machine; without, they are present and only read, and a big-endian machine refuses.
// TRUNCATED, UNKNOWN_FORMAT, MALFORMED, INVARIANT, LIMIT, OUT_OF_MEMORY; IO without a sentence if the supply fails.
dbvh_status dbvhi_file_tree( dbvhi_backing backing, dbvhi_supply *supply, void *source, dbvhi_load_checks checks,
                             const dbvh_allocator *allocator, dbvh_tree **tree_out, dbvh_error *error );

// ------------------------------------------------------------------------------------------------
// Writing a tree as the bytes of a file.

// Consumes consecutive bytes; false stops the writing.
typedef bool dbvhi_sink( void *user, const void *bytes, size_t count );

// Collects the sections of a tree. LIMIT, OUT_OF_MEMORY; dbvhi_sections_free() is to be called in any case.
dbvh_status dbvhi_sections_of( const dbvh_tree *tree, dbvhi_sections *out, dbvh_error *error );
void dbvhi_sections_free( const dbvh_tree *tree, dbvhi_sections *s );

// Writes all bytes of the file to a sink: IO without a sentence if the sink stops, OUT_OF_MEMORY.
dbvh_status dbvhi_sections_write( const dbvh_tree *tree, const dbvhi_sections *s, dbvhi_sink *sink, void *user );
