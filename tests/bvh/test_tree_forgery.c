// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Files that somebody has forged with care: every checksum is right, and one rule is broken. Each is refused with the
// sentence of that rule, by the default check unless the rule is asked of a few places only.

#include "bvh/packed/pack.h"
#include "support/forged_tree.h"
#include "support/scene.h"
#include "support/unit.h"

#include <math.h>
#include <string.h>

// Subjects are two boxes, except for FRAGMENTS: 24 triangles, 16 points, 36 edges with 72 sides, 2 components.
typedef enum subject { PLAIN, TOPOLOGY, REFERENCE, FRAGMENTS, ELLIPSOIDS, TWINS, BOTH, NO_TWIN, SUBJECTS } subject;

static dbvh_tree *tree_of_subject( subject which ) {
	shape s = { 0 };
	if ( which == FRAGMENTS ) {
		shape_add_box( &s, 1.0, 1.0, 0.01, 3 );
		shape_add_box( &s, 0.01, 2.0, 0.02, 1 ); // long triangles
	} else {
		shape_add_box( &s, 1.0, 0.75, 0.5, 1 );
	}
	const size_t first = s.vertex_count;
	shape_add_box( &s, 0.5, 0.75, 1.0, 1 );
	for ( size_t i = first; i < s.vertex_count; ++i )
		s.positions[3 * i] += 4.0;
	const bool has_twin = which == TWINS || which == BOTH;
	if ( has_twin )
		shape_triangle( &s, s.indices[1], s.indices[0], s.indices[2] );
	if ( which == NO_TWIN )
		shape_triangle( &s, s.indices[1], s.indices[0], (uint32_t)first );
	const dbvh_tree_options options = {
	    .thread_count = 1,
	    .topology = which == TOPOLOGY || which == BOTH || which == NO_TWIN,
	    .reference = which == REFERENCE,
	    .fragments = which == FRAGMENTS ? DBVH_FRAGMENTS_ALL : DBVH_FRAGMENTS_NONE,
	    .ellipsoids = which == ELLIPSOIDS ? DBVH_ELLIPSOIDS_ALL : DBVH_ELLIPSOIDS_NONE,
	};
	dbvh_tree *tree = tree_of( &s, &options );
	assert_int_equal( tree->fragment != NULL, which == FRAGMENTS );
	assert_int_equal( tree->twins != NULL, has_twin );
	assert_int_equal( tree->ellipsoid_count > 0, which == ELLIPSOIDS );
	shape_free( &s );
	return tree;
}

// ------------------------------------------------------------------------------------------------
// Files taken apart

typedef struct forgery {
	uint8_t *bytes;
	size_t count;
	dbvhi_sections s; // places of the sections in `bytes`
} forgery;

static void find_sections( forgery *f ) {
	memset( &f->s, 0, sizeof f->s );
	for ( int kind = 1; kind < DBVHI_SECTION_END; ++kind )
		f->s.of[kind].element = dbvhi_section_element( (dbvhi_section_kind)kind );
	const uint64_t entries = dbvhi_bytes_get( f->bytes + DBVHI_HEAD_SECTIONS, 4, false );
	for ( uint64_t i = 0; i < entries; ++i ) {
		const uint8_t *entry = f->bytes + DBVHI_HEAD_LENGTH + DBVHI_ENTRY_BYTES * i;
		f->s.of[dbvhi_bytes_get( entry, 4, false )].count = dbvhi_bytes_get( entry + 16, 8, false );
	}
	dbvhi_sections_place( &f->s );
	assert_true( f->s.file_bytes == f->count );
}

static forgery forgery_of( subject which ) {
	forgery f = { .count = 0 };
	dbvh_tree *tree = tree_of_subject( which );
	assert_int_equal( dbvh_tree_write( tree, NULL, 0, &f.count, NULL ), DBVH_OK );
	f.bytes = malloc( f.count );
	assert_non_null( f.bytes );
	assert_int_equal( dbvh_tree_write( tree, f.bytes, f.count, &f.count, NULL ), DBVH_OK );
	dbvh_tree_destroy( tree );
	find_sections( &f );
	return f;
}

static uint8_t *section( const forgery *f, dbvhi_section_kind kind ) {
	return f->bytes + f->s.of[kind].offset;
}

// Gives a section another number of elements, none of them for no section: of the new ones all bytes are zero.
static void resize( forgery *f, dbvhi_section_kind kind, uint64_t elements ) {
	dbvhi_sections s = f->s;
	s.of[kind].count = elements;
	dbvhi_sections_place( &s );
	uint8_t *bytes = calloc( 1, (size_t)s.file_bytes ), *entry = bytes + DBVHI_HEAD_LENGTH;
	assert_non_null( bytes );
	memcpy( bytes, f->bytes, DBVHI_HEAD_LENGTH );
	dbvhi_bytes_put( bytes + DBVHI_HEAD_BYTES, 8, s.file_bytes );
	dbvhi_bytes_put( bytes + DBVHI_HEAD_FRONT, 8, s.front_bytes );
	dbvhi_bytes_put( bytes + DBVHI_HEAD_SECTIONS, 4, s.section_count );
	for ( int k = 1; k < DBVHI_SECTION_END; ++k ) {
		if ( s.of[k].count == 0 )
			continue;
		dbvhi_bytes_put( entry, 4, (uint64_t)k );
		dbvhi_bytes_put( entry + 4, 4, s.of[k].element );
		dbvhi_bytes_put( entry + 8, 8, s.of[k].offset );
		dbvhi_bytes_put( entry + 16, 8, s.of[k].count );
		entry += DBVHI_ENTRY_BYTES;
		const uint64_t before = dbvhi_section_bytes( &f->s.of[k] ), after = dbvhi_section_bytes( &s.of[k] );
		memcpy( bytes + s.of[k].offset, section( f, (dbvhi_section_kind)k ),
		        (size_t)( before < after ? before : after ) );
	}
	free( f->bytes );
	f->bytes = bytes;
	f->count = (size_t)s.file_bytes;
	find_sections( f );
}

// In the file's order, of which these tests are sure where a tree can be forged at all.
static void put_words( forgery *f, dbvhi_section_kind kind, size_t first, const uint32_t *words, size_t count ) {
	for ( size_t i = 0; i < count; ++i )
		dbvhi_bytes_put( section( f, kind ) + 4 * ( first + i ), 4, words[i] );
}

static void expect( forgery *f, dbvh_file_check check, dbvh_status status, const char *sentence ) {
	dbvh_error error;
	dbvh_tree *tree = NULL;
	const dbvh_tree_load_options options = { .check = check, .thread_count = 1 };
	fuzz_tree_seal( f->bytes, f->count );
	const dbvh_status found = dbvh_tree_parse( f->bytes, f->count, &options, NULL, &tree, &error );
	dbvh_tree_destroy( tree );
	if ( found != status || ( sentence != NULL && strstr( error.text, sentence ) == NULL ) )
		fail_msg( "\"%s\" with check %d: status %d (%s), not %d", sentence != NULL ? sentence : "", (int)check,
		          (int)found, error.text, (int)status );
}

static void expect_refused( forgery *f, const char *sentence ) {
	expect( f, DBVH_FILE_CHECK_SAMPLED, DBVH_INVARIANT, sentence );
	expect( f, DBVH_FILE_CHECK_WHOLE, DBVH_INVARIANT, sentence );
}

// ------------------------------------------------------------------------------------------------
// One rule each

// A number of the head (`kind` 0) or of a section becomes `value`; where `bytes` is 0, the section gets so many more
// elements, or fewer.
typedef struct change {
	int kind;
	size_t at, bytes;
	uint64_t value;
} change;

typedef struct aim {
	subject of;
	dbvh_status status;
	const char *sentence;
	change changes[4];
	bool whole_alone; // the default check lets it pass
} aim;

#define MORE( kind )                                                                                                   \
	{ kind, 0, 0, 1 }
#define FEWER( kind )                                                                                                  \
	{ kind, 0, 0, UINT64_MAX }
#define NAN_BITS UINT64_C( 0x7ff8000000000000 )
#define HALF_BITS UINT64_C( 0x3fe0000000000000 )
#define HEAD_AIM( subject, at, bytes, value, sentence )                                                                \
	{ subject, DBVH_MALFORMED, sentence, { { 0, at, bytes, value } }, false }
#define AIM( subject, sentence, ... )                                                                                  \
	{ subject, DBVH_INVARIANT, sentence, { __VA_ARGS__ }, false }
#define LENGTH_AIM( subject, sentence, ... )                                                                           \
	{ subject, DBVH_MALFORMED, sentence, { __VA_ARGS__ }, false }
#define WHOLE_AIM( sentence, ... )                                                                                     \
	{ TOPOLOGY, DBVH_INVARIANT, sentence, { __VA_ARGS__ }, true }

static const char impossible[] = "the number of triangles, nodes or leaves is not possible",
                  alone[] = "without a reference tree", parts[] = "the parts of the topology have other lengths";

static const aim aims[] = {
    // The head, and lengths.
    HEAD_AIM( PLAIN, DBVHI_HEAD_MESH_TRIANGLES, 8, 0, impossible ),
    HEAD_AIM( PLAIN, DBVHI_HEAD_MESH_TRIANGLES, 8, UINT64_MAX, impossible ),
    HEAD_AIM( PLAIN, DBVHI_HEAD_TRIANGLES, 8, 0, impossible ),
    HEAD_AIM( PLAIN, DBVHI_HEAD_TRIANGLES, 8, UINT32_MAX, impossible ),
    HEAD_AIM( PLAIN, DBVHI_HEAD_NODES, 8, 0, impossible ),
    HEAD_AIM( PLAIN, DBVHI_HEAD_NODES, 8, 48, impossible ),
    HEAD_AIM( PLAIN, DBVHI_HEAD_LEAVES, 8, 0, impossible ),
    HEAD_AIM( PLAIN, DBVHI_HEAD_LEAVES, 8, 25, impossible ),
    HEAD_AIM( PLAIN, DBVHI_HEAD_DEPTH, 4, 0, "the depth is not possible" ),
    HEAD_AIM( PLAIN, DBVHI_HEAD_DEPTH, 4, 129, "the depth is not possible" ),
    HEAD_AIM( PLAIN, DBVHI_HEAD_FLAGS, 4, 4, "a flag that is not known" ),
    HEAD_AIM( PLAIN, DBVHI_HEAD_RESERVED, 4, 1, "what is reserved is not zero" ),
    AIM( PLAIN, "the head says another version", { 0, DBVHI_HEAD_PACKED_VERSION, 4, 4 } ),
    AIM( PLAIN, "it is of another version", { 0, DBVHI_HEAD_PACKED_VERSION, 4, 4 }, { DBVHI_SECTION_PACKED, 0, 4, 4 } ),
    AIM( PLAIN, "its parts are not where they should be", { DBVHI_SECTION_PACKED, 100, 4, 1 } ),
    HEAD_AIM( PLAIN, DBVHI_HEAD_OPTIONS + DBVHI_OPTION_LEAF_SIZE, 1, 65, "the options are none" ),
    HEAD_AIM( PLAIN, DBVHI_HEAD_OPTIONS + DBVHI_OPTION_REFERENCE, 1, 1, alone ),
    HEAD_AIM( PLAIN, DBVHI_HEAD_OPTIONS + DBVHI_OPTION_TOPOLOGY, 1, 1, alone ),
    HEAD_AIM( PLAIN, DBVHI_HEAD_NODES, 8, 46, alone ),
    HEAD_AIM( PLAIN, DBVHI_HEAD_FRAGMENT_ERROR, 8, HALF_BITS, "more triangles than in the mesh" ),
    HEAD_AIM( PLAIN, DBVHI_HEAD_MESH_TRIANGLES, 8, 23, "more triangles than in the mesh" ),
    HEAD_AIM( TOPOLOGY, DBVHI_HEAD_OPTIONS + DBVHI_OPTION_TOPOLOGY, 1, 0, parts ),
    HEAD_AIM( TOPOLOGY, DBVHI_HEAD_FLAGS, 4, DBVHI_FLAG_SHEETS, parts ),
    HEAD_AIM( ELLIPSOIDS, DBVHI_HEAD_ELLIPSOIDS_CHOSEN, 8, 100, "more or fewer ellipsoids" ),
    HEAD_AIM( ELLIPSOIDS, DBVHI_HEAD_ELLIPSOIDS_PACKED, 8, 100, "more or fewer ellipsoids" ),
    LENGTH_AIM( PLAIN, "there is not one root", MORE( DBVHI_SECTION_ROOT ) ),
    LENGTH_AIM( PLAIN, "not a number for each triangle", FEWER( DBVHI_SECTION_TRIANGLE ) ),
    LENGTH_AIM( PLAIN, "shorter than its head", { DBVHI_SECTION_PACKED, 0, 0, (uint64_t)-3000 } ),
    LENGTH_AIM( PLAIN, alone, FEWER( DBVHI_SECTION_CORNER ) ),
    LENGTH_AIM( PLAIN, alone, { DBVHI_SECTION_VERTICES, 0, 0, 100 } ),
    LENGTH_AIM( REFERENCE, "the nodes or the corners", FEWER( DBVHI_SECTION_NODES ) ),
    LENGTH_AIM( REFERENCE, "the nodes or the corners", FEWER( DBVHI_SECTION_CORNERS ) ),
    LENGTH_AIM( REFERENCE, "the nodes or the corners", MORE( DBVHI_SECTION_VERTICES ) ),
    LENGTH_AIM( PLAIN, "the fragments are more or fewer", { DBVHI_SECTION_FRAGMENT, 0, 0, 23 } ),
    LENGTH_AIM( FRAGMENTS, "the fragments are more or fewer", FEWER( DBVHI_SECTION_FRAGMENT ) ),
    LENGTH_AIM( TWINS, "have other lengths", FEWER( DBVHI_SECTION_TWIN_BEGIN ) ),
    LENGTH_AIM( TWINS, "have other lengths", FEWER( DBVHI_SECTION_TWIN_NUMBER ) ),
    LENGTH_AIM( ELLIPSOIDS, "more or fewer ellipsoids", FEWER( DBVHI_SECTION_ELLIPSOID_AT ) ),
    LENGTH_AIM( ELLIPSOIDS, "more or fewer ellipsoids", MORE( DBVHI_SECTION_ELLIPSOID_WANTED ) ),
    LENGTH_AIM( TOPOLOGY, parts, FEWER( DBVHI_SECTION_LEAF_INDEX ) ),
    LENGTH_AIM( TOPOLOGY, parts, FEWER( DBVHI_SECTION_POINT ) ),
    LENGTH_AIM( TOPOLOGY, parts, FEWER( DBVHI_SECTION_EDGE ) ),
    LENGTH_AIM( TOPOLOGY, parts, FEWER( DBVHI_SECTION_COMPONENT ) ),
    LENGTH_AIM( TOPOLOGY, parts, FEWER( DBVHI_SECTION_DEGENERATE ) ),
    LENGTH_AIM( TOPOLOGY, parts, FEWER( DBVHI_SECTION_WINDING ) ),
    LENGTH_AIM( TOPOLOGY, parts, FEWER( DBVHI_SECTION_EVEN ) ),
    LENGTH_AIM( TOPOLOGY, parts, FEWER( DBVHI_SECTION_BOUNDS ) ),
    LENGTH_AIM( TOPOLOGY, parts, MORE( DBVHI_SECTION_SHEET_BOUNDS ) ),
    LENGTH_AIM( TOPOLOGY, parts, MORE( DBVHI_SECTION_COMPONENTS ) ),
    LENGTH_AIM( TOPOLOGY, parts, { DBVHI_SECTION_SIDE, 0, 0, 1 } ),
    HEAD_AIM( ELLIPSOIDS, DBVHI_HEAD_OPTIONS + DBVHI_OPTION_BOX_FIT, 1, DBVH_BOX_FIT_RAPID, "the options are none" ),
    HEAD_AIM( ELLIPSOIDS, DBVHI_HEAD_OPTIONS + DBVHI_OPTION_ELLIPSOIDS, 1, 0, "more or fewer ellipsoids" ),
    HEAD_AIM( PLAIN, DBVHI_HEAD_ELLIPSOID_LEAST, 4, 1, "more or fewer ellipsoids" ),
    HEAD_AIM( FRAGMENTS, DBVHI_HEAD_OPTIONS + DBVHI_OPTION_FRAGMENTS, 1, DBVH_FRAGMENTS_NONE, "the fragments are" ),
    HEAD_AIM( FRAGMENTS, DBVHI_HEAD_OPTIONS + DBVHI_OPTION_LEAF_SIZE, 1, 2, alone ),
    HEAD_AIM( FRAGMENTS, DBVHI_HEAD_FLAGS, 4, DBVHI_FLAG_KEEPS_ORDER, "the fragments are" ),
    HEAD_AIM( REFERENCE, DBVHI_HEAD_FLAGS, 4, DBVHI_FLAG_KEEPS_ORDER, "the nodes or the corners" ),
    HEAD_AIM( REFERENCE, DBVHI_HEAD_OPTIONS + DBVHI_OPTION_REFERENCE, 1, 0, "the options do not ask for" ),
    // Counts, and what is said twice.
    AIM( PLAIN, "the recorded depth is not possible", { 0, DBVHI_HEAD_DEPTH, 4, 5 } ),
    AIM( PLAIN, "the recorded depth is not possible", { 0, DBVHI_HEAD_DEPTH, 4, 25 } ),
    AIM( PLAIN, "the root does not have all triangles", { DBVHI_SECTION_ROOT, 188, 4, 23 } ),
    AIM( PLAIN, "the root does not have all triangles", { DBVHI_SECTION_ROOT, 184, 4, 1 } ),
    AIM( ELLIPSOIDS, "has more or fewer triangles than recorded", { 0, DBVHI_HEAD_ELLIPSOID_LEAST, 4, 1 } ),
    AIM( ELLIPSOIDS, "wanted of a node without", { DBVHI_SECTION_ELLIPSOID_WANTED, 7, 1, 0x80 } ),
    { PLAIN,
      DBVH_INVARIANT,
      "the content hash is not",
      { { 0, DBVHI_HEAD_CONTENT, 8, 5 }, { DBVHI_SECTION_PACKED, 16, 8, 5 } },
      true },
    { TOPOLOGY,
      DBVH_INVARIANT,
      "the content hash is not",
      { { 0, DBVHI_HEAD_CONTENT, 8, 5 }, { DBVHI_SECTION_PACKED, 16, 8, 5 } },
      true },
    // Marks.
    AIM( ELLIPSOIDS, "a flag of an ellipsoid", { DBVHI_SECTION_ELLIPSOIDS, 160, 1, 2 } ),
    AIM( ELLIPSOIDS, "a flag of an ellipsoid", { DBVHI_SECTION_ELLIPSOIDS, 167, 1, 1 } ),
    AIM( TOPOLOGY, "a mark of a triangle", { DBVHI_SECTION_DEGENERATE, 3, 1, 2 } ),
    AIM( TOPOLOGY, "a mark of a triangle", { DBVHI_SECTION_WINDING, 3, 1, 4 } ),
    AIM( TOPOLOGY, "a mark of a triangle", { DBVHI_SECTION_WINDING, 3, 1, 0xfe } ),
    AIM( TOPOLOGY, "a triangle's place is beyond", { DBVHI_SECTION_LEAF_INDEX, 4, 4, 24 } ),
    AIM( TOPOLOGY, "a flag of a component", { DBVHI_SECTION_EVEN, 1, 1, 2 } ),
    AIM( TOPOLOGY, "a flag of a component", { DBVHI_SECTION_COMPONENTS, 32, 1, 2 } ),
    AIM( TOPOLOGY, "a flag of a component", { DBVHI_SECTION_COMPONENTS, 33, 1, 2 } ),
    AIM( TOPOLOGY, "a flag of a component", { DBVHI_SECTION_COMPONENTS, 39, 1, 1 } ),
    AIM( TOPOLOGY, "has no triangles, or too many", { DBVHI_SECTION_COMPONENTS, 0, 8, 0 } ),
    AIM( TOPOLOGY, "has no triangles, or too many", { DBVHI_SECTION_COMPONENTS, 0, 8, 25 } ),
    AIM( TOPOLOGY, "bounds of a component are not finite", { DBVHI_SECTION_BOUNDS, 0, 8, NAN_BITS } ),
    AIM( TOPOLOGY, "ends beyond the sides", { DBVHI_SECTION_EDGE_BEGIN, 4 * 36, 4, 71 } ),
    AIM( FRAGMENTS, "the error of fragments", { 0, DBVHI_HEAD_FRAGMENT_ERROR, 8, NAN_BITS } ),
    AIM( FRAGMENTS, "the error of fragments", { 0, DBVHI_HEAD_FRAGMENT_ERROR, 8, 0 } ),
    AIM( FRAGMENTS, "a triangle is in two leaves or does not exist", { DBVHI_SECTION_FRAGMENT, 0, 4, 0 } ),
    AIM( FRAGMENTS, "a triangle is in two leaves or does not exist", { DBVHI_SECTION_FRAGMENT, 0, 4, 0x2000 } ),
    AIM( FRAGMENTS, "a triangle is in two leaves or does not exist", { DBVHI_SECTION_FRAGMENT, 0, 4, 0xffffffff } ),
    AIM( FRAGMENTS, "the fragments of a triangle are not the whole", { DBVHI_SECTION_FRAGMENT, 0, 4, 0x1001 } ),
    // The topology.
    AIM( TOPOLOGY, "a triangle's place is not where it is", { DBVHI_SECTION_LEAF_INDEX, 0, 4, 0 },
         { DBVHI_SECTION_LEAF_INDEX, 4, 4, 0 } ),
    AIM( TOPOLOGY, "not numbered as triangles use them", { DBVHI_SECTION_POINT, 0, 4, 7 } ),
    AIM( TOPOLOGY, "not numbered as triangles use them", { DBVHI_SECTION_POINT, 4 * 71, 4, 16 } ),
    AIM( TOPOLOGY, "points that no triangle uses", MORE( DBVHI_SECTION_POINT_POSITION ) ),
    AIM( TOPOLOGY, "some sides belong to no edge", { DBVHI_SECTION_EDGE, 0, 4, UINT32_MAX } ),
    AIM( TOPOLOGY, "some sides belong to no edge", { DBVHI_SECTION_EDGE_BEGIN, 0, 4, 1 } ),
    AIM( TOPOLOGY, "numbered by their lowest triangle", { DBVHI_SECTION_COMPONENT, 0, 4, 1 } ),
    AIM( TOPOLOGY, "begin with its first triangle", { DBVHI_SECTION_COMPONENTS, 8, 8, 1 } ),
    AIM( TOPOLOGY, "a component without triangles", MORE( DBVHI_SECTION_COMPONENTS ), MORE( DBVHI_SECTION_EVEN ),
         MORE( DBVHI_SECTION_BOUNDS ), { DBVHI_SECTION_COMPONENTS, 80, 8, 1 } ),
    AIM( TOPOLOGY, "more or fewer triangles than it says", { DBVHI_SECTION_COMPONENTS, 0, 8, 24 } ),
    AIM( TOPOLOGY, "more or fewer triangles than it says", { DBVHI_SECTION_COMPONENTS, 0, 8, 11 } ),
    AIM( TOPOLOGY, "more or fewer triangles than it says", { DBVHI_SECTION_COMPONENTS, 40, 8, 24 } ),
    AIM( TOPOLOGY, "an edge has no sides", { DBVHI_SECTION_EDGE_BEGIN, 4, 4, 0 } ),
    AIM( TOPOLOGY, "an edge has no sides", { DBVHI_SECTION_EDGE_BEGIN, 4, 4, 73 } ),
    AIM( TOPOLOGY, "an edge has no sides", { DBVHI_SECTION_EDGE_BEGIN, 4, 4, UINT32_MAX } ),
    AIM( TOPOLOGY, "do not name each other", { DBVHI_SECTION_SIDE, 0, 4, 72 } ),
    AIM( TOPOLOGY, "do not name each other", { DBVHI_SECTION_SIDE, 0, 4, 71 } ),
    AIM( TOPOLOGY, "leaves its bounds", { DBVHI_SECTION_BOUNDS, 0, 8, HALF_BITS } ),
    AIM( TOPOLOGY, "a point is not where a triangle has it", { DBVHI_SECTION_POINT_POSITION, 0, 8, 0 } ),
    // Only making the topology anew finds these.
    WHOLE_AIM( "not what the mesh has", { DBVHI_SECTION_DEGENERATE, 5, 1, 1 } ),
    WHOLE_AIM( "not what the mesh has", { DBVHI_SECTION_WINDING, 5, 1, DBVHI_WINDING_COPY } ),
    WHOLE_AIM( "not what the mesh has", { DBVHI_SECTION_COMPONENTS, 16, 8, 4 } ),
    WHOLE_AIM( "not what the mesh has", { DBVHI_SECTION_COMPONENTS, 24, 8, 4 } ),
    WHOLE_AIM( "not what the mesh has", { DBVHI_SECTION_COMPONENTS, 32, 1, 0 } ),
    WHOLE_AIM( "not what the mesh has", { DBVHI_SECTION_COMPONENTS, 33, 1, 0 } ),
    WHOLE_AIM( "not what the mesh has", { DBVHI_SECTION_BOUNDS, 24, 8, UINT64_C( 0x4059000000000000 ) } ),
};

static void apply( forgery *f, const change *c ) {
	if ( c->kind == 0 ) {
		dbvhi_bytes_put( f->bytes + c->at, c->bytes, c->value );
	} else if ( c->bytes == 0 ) {
		const uint64_t count = f->s.of[c->kind].count + c->value;
		resize( f, (dbvhi_section_kind)c->kind, (int64_t)count > 0 ? count : 1 );
	} else {
		dbvhi_bytes_put( section( f, (dbvhi_section_kind)c->kind ) + c->at, c->bytes, c->value );
	}
}

static void each_rule_has_its_sentence( void **state ) {
	(void)state;
	for ( int i = 0; i < SUBJECTS; ++i ) {
		forgery f = forgery_of( (subject)i );
		expect( &f, DBVH_FILE_CHECK_WHOLE, DBVH_OK, NULL );
		free( f.bytes );
	}
	for ( size_t i = 0; i < sizeof aims / sizeof aims[0]; ++i ) {
		const aim *a = &aims[i];
		forgery f = forgery_of( a->of );
		for ( size_t k = 0; k < 4; ++k ) {
			if ( a->changes[k].bytes > 0 || a->changes[k].value > 0 )
				apply( &f, &a->changes[k] );
		}
		expect( &f, DBVH_FILE_CHECK_SAMPLED, a->whole_alone ? DBVH_OK : a->status,
		        a->whole_alone ? NULL : a->sentence );
		expect( &f, DBVH_FILE_CHECK_WHOLE, a->status, a->sentence );
		free( f.bytes );
	}
}

// ------------------------------------------------------------------------------------------------
// Several changes at once

// Edges begin where the section of sides has no element, or has ended.
static void edges_without_sides( void **state ) {
	(void)state;
	static const uint32_t begins[][3] = { { 0, 5, 0 }, { 0, 71, 0 }, { 0, 1, 0 } };
	for ( size_t i = 0; i < sizeof begins / sizeof begins[0]; ++i ) {
		forgery f = forgery_of( TOPOLOGY );
		resize( &f, DBVHI_SECTION_SIDE, 0 );
		resize( &f, DBVHI_SECTION_EDGE_BEGIN, 3 );
		memset( section( &f, DBVHI_SECTION_EDGE ), 0xff, (size_t)dbvhi_section_bytes( &f.s.of[DBVHI_SECTION_EDGE] ) );
		put_words( &f, DBVHI_SECTION_EDGE_BEGIN, 0, begins[i], 3 );
		expect_refused( &f, "an edge has no sides" );
		free( f.bytes );
	}
	forgery f = forgery_of( TOPOLOGY );
	// The only edge, with two sides of which the last one is beyond the section.
	resize( &f, DBVHI_SECTION_SIDE, 1 );
	resize( &f, DBVHI_SECTION_EDGE_BEGIN, 3 );
	memset( section( &f, DBVHI_SECTION_EDGE ), 0xff, (size_t)dbvhi_section_bytes( &f.s.of[DBVHI_SECTION_EDGE] ) );
	put_words( &f, DBVHI_SECTION_EDGE, 0, ( uint32_t[1] ){ 0 }, 1 );
	put_words( &f, DBVHI_SECTION_SIDE, 0, ( uint32_t[1] ){ 0 }, 1 );
	put_words( &f, DBVHI_SECTION_EDGE_BEGIN, 0, ( uint32_t[3] ){ 0, 60, 1 }, 3 );
	expect_refused( &f, "an edge has no sides" );
	free( f.bytes );
}

static void sides_out_of_order( void **state ) {
	(void)state;
	forgery f = forgery_of( TOPOLOGY );
	const uint8_t *side = section( &f, DBVHI_SECTION_SIDE );
	const uint32_t swapped[2] = { (uint32_t)dbvhi_bytes_get( side + 4, 4, false ),
	                              (uint32_t)dbvhi_bytes_get( side, 4, false ) };
	put_words( &f, DBVHI_SECTION_SIDE, 0, swapped, 2 );
	expect_refused( &f, "the sides of an edge are not in order" );
	free( f.bytes );
}

// The topology of another mesh, in which the triangle that is there twice is somewhere else.
static void twins_elsewhere( void **state ) {
	(void)state;
	forgery f = forgery_of( BOTH ), other = forgery_of( NO_TWIN );
	for ( int kind = DBVHI_SECTION_POINT_POSITION; kind < DBVHI_SECTION_END; ++kind ) {
		const size_t bytes = (size_t)dbvhi_section_bytes( &other.s.of[kind] );
		resize( &f, (dbvhi_section_kind)kind, other.s.of[kind].count );
		if ( bytes > 0 )
			memcpy( section( &f, (dbvhi_section_kind)kind ), section( &other, (dbvhi_section_kind)kind ), bytes );
	}
	memcpy( f.bytes + DBVHI_HEAD_FLAGS, other.bytes + DBVHI_HEAD_FLAGS, 4 );
	expect_refused( &f, "two triangles that are the same have other points" );
	free( f.bytes );
	free( other.bytes );
}

static void put_extent( forgery *f, double factor ) {
	dbvhi_packed head;
	memcpy( &head, section( f, DBVHI_SECTION_PACKED ), sizeof head );
	head.extent *= factor;
	head.unit = dbvhi_packed_unit( head.extent );
	memcpy( section( f, DBVHI_SECTION_PACKED ), &head, sizeof head );
}

// A forged large extent makes margins so large that nothing separates: every query then tests all pairs.
static void extents( void **state ) {
	(void)state;
	for ( int i = 0; i < SUBJECTS; ++i ) {
		static const double factors[] = { 1e30, 1e6, 2.0 };
		for ( size_t k = 0; k < sizeof factors / sizeof factors[0]; ++k ) {
			forgery f = forgery_of( (subject)i );
			put_extent( &f, factors[k] );
			expect_refused( &f, "the extent is larger than what there is" );
			free( f.bytes );
		}
	}
}

// A small tree has one leaf that is looked at.
static void boxes_too_small( void **state ) {
	(void)state;
	forgery f = forgery_of( PLAIN );
	uint8_t *packed = section( &f, DBVHI_SECTION_PACKED );
	dbvhi_packed head;
	memcpy( &head, packed, sizeof head );
	for ( size_t i = 0; i < (size_t)DBVHI_WIDTH * head.node_count; ++i ) {
		uint8_t *at = packed + head.box_offset + i * sizeof( dbvhi_packed_box );
		dbvhi_packed_box box;
		memcpy( &box, at, sizeof box );
		const dbvhi_packed_box empty = { .child = 0 };
		if ( memcmp( &box, &empty, sizeof box ) == 0 )
			continue;
		// One step of 32,767: an even number is the lower half of its pair, an odd one all of it.
		for ( int k = DBVHI_HALF_0; k < DBVHI_HALF_0 + 3; ++k ) {
			if ( k % 2 == 0 )
				box.pair[k / 2] = (int32_t)( ( (uint32_t)box.pair[k / 2] & 0xffff0000 ) | 1 );
			else
				box.pair[k / 2] = (int32_t)( ( (uint32_t)box.pair[k / 2] & 0xffff ) | 0x10000 );
		}
		memcpy( at, &box, sizeof box );
	}
	expect_refused( &f, "a triangle leaves the box" );
	free( f.bytes );
}

// Records that are exchanged, copied and counted up, at random: what the whole check takes answers as its mesh does.
static void records( void **state ) {
	(void)state;
	rng r = rng_announce( "tree forgery: records", 20261123 );
	shape s = { 0 };
	shape_add_torus( &s, 1.0, 0.3, 8, 6 );
	const dbvh_tree_options options = { .thread_count = 1, .topology = true };
	dbvh_tree *probe = tree_of( &s, &options );
	size_t taken = 0, refused = 0;
	for ( int i = 0; i < SUBJECTS; ++i ) {
		forgery f = forgery_of( (subject)i );
		uint8_t *forged = malloc( f.count );
		assert_non_null( forged );
		for ( size_t k = 0; k < rounds( 300 ); ++k ) {
			memcpy( forged, f.bytes, f.count );
			for ( uint64_t changes = 1 + rng_below( &r, 3 ); changes > 0; --changes )
				forge_structure( forged, &r );
			fuzz_tree_seal( forged, f.count );
			const dbvh_tree_load_options whole = { .check = DBVH_FILE_CHECK_WHOLE, .thread_count = 1 };
			dbvh_tree *tree = NULL;
			const dbvh_status status = dbvh_tree_parse( forged, f.count, &whole, NULL, &tree, NULL );
			if ( status == DBVH_OK )
				forged_tree_answers( tree, probe, &r );
			taken += status == DBVH_OK;
			refused += status != DBVH_OK;
			dbvh_tree_destroy( tree );
			fuzz_tree_file( forged, f.count, DBVH_FILE_CHECK_SAMPLED );
		}
		free( forged );
		free( f.bytes );
	}
	printf( "%zu forgeries refused, %zu taken\n", refused, taken );
	assert_true( taken > 0 && refused > taken );
	dbvh_tree_destroy( probe );
	shape_free( &s );
}

// Sums that are right in themselves, over tables whose own sum is not, and something between two sections.
static void sums_and_gaps( void **state ) {
	(void)state;
	forgery f = forgery_of( PLAIN );
	const dbvh_tree_load_options options = { .thread_count = 1 };
	dbvh_tree *tree = NULL;
	dbvh_error error;
	fuzz_tree_seal( f.bytes, f.count );
	f.bytes[DBVHI_HEAD_TABLES_SUM] ^= 1;
	dbvhi_bytes_put( f.bytes + DBVHI_HEAD_SUM, 4, dbvhi_crc32c( 0, f.bytes, DBVHI_HEAD_SUM ) );
	assert_int_equal( dbvh_tree_parse( f.bytes, f.count, &options, NULL, &tree, &error ), DBVH_MALFORMED );
	assert_string_equal( error.text, "the checksum of the tables is not that of their bytes" );
	const dbvhi_section *s = &f.s.of[DBVHI_SECTION_TRIANGLE];
	const uint64_t end = s->offset + dbvhi_section_bytes( s );
	assert_true( end % DBVHI_SECTION_ALIGNMENT != 0 );
	f.bytes[end] = 1;
	expect( &f, DBVH_FILE_CHECK_SAMPLED, DBVH_MALFORMED, "there is something between two sections" );
	free( f.bytes );
}

// Two places of fragments that are the same part of different triangles change their triangles.
static void fragments_exchanged( void **state ) {
	(void)state;
	forgery f = forgery_of( FRAGMENTS );
	uint8_t *number = section( &f, DBVHI_SECTION_TRIANGLE ), *path = section( &f, DBVHI_SECTION_FRAGMENT );
	const size_t count = (size_t)f.s.of[DBVHI_SECTION_TRIANGLE].count;
	size_t tried = 0;
	for ( size_t i = 0; i < count; ++i ) {
		for ( size_t j = i + 1; j < count; ++j ) {
			uint8_t one[4], other[4];
			memcpy( one, number + 4 * i, 4 );
			memcpy( other, number + 4 * j, 4 );
			if ( memcmp( one, other, 4 ) == 0 || memcmp( path + 4 * i, path + 4 * j, 4 ) != 0 ||
			     dbvhi_bytes_get( path + 4 * i, 4, false ) == DBVHI_WHOLE )
				continue;
			memcpy( number + 4 * i, other, 4 );
			memcpy( number + 4 * j, one, 4 );
			expect( &f, DBVH_FILE_CHECK_WHOLE, DBVH_INVARIANT, "two fragments of a triangle have other corners" );
			memcpy( number + 4 * i, one, 4 );
			memcpy( number + 4 * j, other, 4 );
			tried += 1;
		}
	}
	assert_true( tried > 10 );
	expect( &f, DBVH_FILE_CHECK_WHOLE, DBVH_OK, NULL );
	free( f.bytes );
}

// A fragment that is twice as large as it was, and so there twice in part; and one that has lost its second half.
static void fragments_overlap( void **state ) {
	(void)state;
	forgery f = forgery_of( FRAGMENTS );
	uint8_t *path = section( &f, DBVHI_SECTION_FRAGMENT );
	for ( uint64_t i = 0; i < f.s.of[DBVHI_SECTION_FRAGMENT].count; ++i ) {
		const uint64_t was = dbvhi_bytes_get( path + 4 * i, 4, false );
		if ( was == DBVHI_WHOLE )
			continue;
		dbvhi_bytes_put( path + 4 * i, 4, was / 2 );
		expect_refused( &f, "the fragments of a triangle are not the whole" );
		if ( was >> DBVHI_FRAGMENT_STEPS == 0 ) {
			dbvhi_bytes_put( path + 4 * i, 4, 2 * was );
			expect_refused( &f, "the fragments of a triangle are not the whole" );
		}
		dbvhi_bytes_put( path + 4 * i, 4, was );
	}
	free( f.bytes );
}

static void without_packed_form( void **state ) {
	(void)state;
	forgery f = forgery_of( REFERENCE );
	resize( &f, DBVHI_SECTION_PACKED, 0 );
	expect_refused( &f, "there is no packed form of a mesh that has one" );
	free( f.bytes );
}

// Lists of triangles that are the same, made anew: of each place its own, or what stands in `lists`.
static void put_lists( forgery *f, size_t place_count, uint32_t lists[][4], const uint32_t counts[] ) {
	uint32_t next = 0;
	for ( size_t i = 0; i < place_count; ++i ) {
		put_words( f, DBVHI_SECTION_TWIN_BEGIN, i, &next, 1 );
		put_words( f, DBVHI_SECTION_TWIN_NUMBER, next, lists[i], counts[i] );
		next += counts[i];
	}
	put_words( f, DBVHI_SECTION_TWIN_BEGIN, place_count, &next, 1 );
}

// A triangle that is there twice, beside one that is divided: the divided one is listed as a duplicate, or has one.
static void divided_and_twin( void **state ) {
	(void)state;
	enum { MOST = 400 };
	shape s = { 0 };
	shape_add_box( &s, 1.0, 1.0, 0.01, 3 );
	const uint32_t twin = (uint32_t)s.triangle_count;
	shape_triangle( &s, s.indices[1], s.indices[0], s.indices[2] );
	shape_add_box( &s, 0.01, 2.0, 0.02, 1 );
	const dbvh_tree_options options = { .thread_count = 1, .fragments = DBVH_FRAGMENTS_ALL };
	dbvh_tree *tree = tree_of( &s, &options );
	forgery f = { .count = 0 };
	assert_true( tree->twins != NULL && tree->fragment != NULL && tree->triangle_count < MOST );
	const size_t count = tree->triangle_count;
	static uint32_t lists[MOST][4];
	uint32_t counts[MOST];
	size_t of_twin = MOST, divided = MOST;
	for ( size_t i = 0; i < count; ++i ) {
		counts[i] = tree->twins->begin[i + 1] - tree->twins->begin[i];
		assert_true( counts[i] <= 2 );
		memcpy( lists[i], tree->twins->number + tree->twins->begin[i], counts[i] * sizeof lists[i][0] );
		of_twin = counts[i] == 2 ? i : of_twin;
		divided = counts[i] == 1 && tree->fragment[i] != DBVHI_WHOLE && tree->triangle[i] > twin ? i : divided;
	}
	assert_true( of_twin < count && divided < count );
	assert_int_equal( dbvh_tree_write( tree, NULL, 0, &f.count, NULL ), DBVH_OK );
	f.bytes = malloc( f.count );
	assert_int_equal( dbvh_tree_write( tree, f.bytes, f.count, &f.count, NULL ), DBVH_OK );
	find_sections( &f );
	put_lists( &f, count, lists, counts );
	expect( &f, DBVH_FILE_CHECK_WHOLE, DBVH_OK, NULL );
	lists[of_twin][counts[of_twin]++] = lists[divided][0];
	counts[divided] = 0;
	put_lists( &f, count, lists, counts );
	expect_refused( &f, "a triangle is at two places or does not exist" );
	counts[of_twin] = 1;
	lists[divided][1] = lists[of_twin][1];
	lists[divided][0] = lists[of_twin][2];
	counts[divided] = 2;
	put_lists( &f, count, lists, counts );
	expect_refused( &f, "a place has none, or too many" );
	free( f.bytes );
	dbvh_tree_destroy( tree );
	shape_free( &s );
}

int main( int argc, char **argv ) {
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test( each_rule_has_its_sentence ),
	    cmocka_unit_test( edges_without_sides ),
	    cmocka_unit_test( sides_out_of_order ),
	    cmocka_unit_test( twins_elsewhere ),
	    cmocka_unit_test( extents ),
	    cmocka_unit_test( boxes_too_small ),
	    cmocka_unit_test( records ),
	    cmocka_unit_test( sums_and_gaps ),
	    cmocka_unit_test( fragments_exchanged ),
	    cmocka_unit_test( fragments_overlap ),
	    cmocka_unit_test( without_packed_form ),
	    cmocka_unit_test( divided_and_twin ),
	};
	return test_main( argc, argv, tests );
}
