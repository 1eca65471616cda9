// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The syntax that each format allows, as tables of small files.

#include "mesh/meshes.h"

#include <locale.h>

typedef struct reader_case {
	const char *name;
	const char *text;
	dbvh_mesh_format format;
	dbvh_status status;
	size_t vertices, triangles;
	int64_t line;         // the error's line
	const char *contains; // in the error's text; NULL for anything
} reader_case;

static void run_cases( const reader_case *cases, size_t count ) {
	for ( size_t i = 0; i < count; ++i ) {
		const reader_case *c = &cases[i];
		dbvh_mesh *mesh;
		dbvh_error error;
		const dbvh_status status = parse_text( c->text, c->format, &mesh, &error );
		if ( status != c->status )
			fail_msg( "%s: %s (%s)", c->name, dbvh_status_name( status ), error.text );
		const dbvh_mesh_view view = dbvh_mesh_get_view( mesh );
		if ( status == DBVH_OK && ( view.vertex_count != c->vertices || view.triangle_count != c->triangles ) )
			fail_msg( "%s: %zu vertices, %zu triangles", c->name, view.vertex_count, view.triangle_count );
		if ( error.line != c->line )
			fail_msg( "%s: line %lld (%s)", c->name, (long long)error.line, error.text );
		if ( c->contains != NULL && strstr( error.text, c->contains ) == NULL )
			fail_msg( "%s: \"%s\"", c->name, error.text );
		dbvh_mesh_destroy( mesh );
	}
}

// The same tetrahedron comes out of every kind of file, corner by corner.
static void test_samples( void **state ) {
	(void)state;
	static blob b;
	for ( size_t sample = 0; sample < SAMPLE_COUNT; ++sample ) {
		const dbvh_mesh_format format = sample_file( sample, &b );
		const dbvh_mesh_format given[] = { format, DBVH_MESH_FORMAT_AUTO };
		for ( size_t g = 0; g < 2; ++g ) {
			dbvh_mesh *mesh;
			dbvh_error error;
			if ( parse_bytes( b.bytes, b.count, given[g], NULL, &mesh, &error ) != DBVH_OK )
				fail_msg( "sample %zu: %s", sample, error.text );
			const dbvh_mesh_view view = dbvh_mesh_get_view( mesh );
			const double *positions = view.positions;
			const uint32_t *indices = view.indices;
			assert_int_equal( view.vertex_count, 4 );
			assert_int_equal( view.triangle_count, 4 );
			for ( size_t i = 0; i < 12; ++i )
				for ( size_t k = 0; k < 3; ++k )
					assert_true( positions[3 * indices[i] + k] == tetra_positions[3 * tetra_indices[i] + k] );
			dbvh_mesh_destroy( mesh );
		}
	}
}

static void test_stl( void **state ) {
	(void)state;
#define FACET( a, b, c ) "facet normal 0 0 1\nouter loop\nvertex " a "\nvertex " b "\nvertex " c "\nendloop\nendfacet\n"
#define ABC FACET( "0 0 0", "1 0 0", "0 1 0" )
	static const reader_case cases[] = {
	    { "plain", "solid\n" ABC "endsolid", DBVH_MESH_FORMAT_STL, DBVH_OK, 3, 1, 0, NULL },
	    { "-0 is 0", "solid\n" ABC FACET( "-0 -0 0", "0 1 -0", "0 0 1" ) "endsolid", DBVH_MESH_FORMAT_STL, DBVH_OK, 4,
	      2, 0, NULL },
	    { "solids", "solid a\n" ABC "endsolid a\nsolid\n" ABC "endsolid\n", DBVH_MESH_FORMAT_AUTO, DBVH_OK, 3, 2, 0,
	      NULL },
	    { "upper case, \\r\\n",
	      "  SOLID A\r\nFACET NORMAL 0 0 1\r\nOUTER LOOP\r\nVERTEX 0 0 0\r\nVERTEX 1 0 0\r\nVERTEX 0 1 "
	      "0\r\nENDLOOP\r\nENDFACET\r\nENDSOLID\r\n",
	      DBVH_MESH_FORMAT_AUTO, DBVH_OK, 3, 1, 0, NULL },
	    { "no normal", "solid\nfacet\nouter loop\nvertex 0 0 0 vertex 1 0 0\nvertex 0 1 0 endloop endfacet endsolid",
	      DBVH_MESH_FORMAT_STL, DBVH_OK, 3, 1, 0, NULL },
	    { "nan normal",
	      "solid\nfacet normal nan -nan inf\nouter loop vertex 0 0 0 vertex 1 0 0 vertex 0 1 0 endloop "
	      "endfacet endsolid x y z",
	      DBVH_MESH_FORMAT_STL, DBVH_OK, 3, 1, 0, NULL },
	    { "name with keywords", "solid facet endsolid\n" ABC "endsolid solid\n", DBVH_MESH_FORMAT_STL, DBVH_OK, 3, 1, 0,
	      NULL },
	    { "empty", "solid\nendsolid\n", DBVH_MESH_FORMAT_STL, DBVH_EMPTY, 0, 0, 0, NULL },
	    { "no endsolid", "solid\n" ABC, DBVH_MESH_FORMAT_STL, DBVH_TRUNCATED, 0, 0, 9, "facet or endsolid" },
	    { "nan", "solid\n" ABC FACET( "0 0 0", "1 nan 0", "0 1 0" ) "endsolid", DBVH_MESH_FORMAT_STL, DBVH_NOT_FINITE,
	      0, 0, 12, "triangle 1" },
	    { "four corners", "solid\n" FACET( "0 0 0", "1 0 0", "0 1 0\nvertex 1 1 1" ) "endsolid", DBVH_MESH_FORMAT_STL,
	      DBVH_MALFORMED, 0, 0, 7, "endloop" },
	    { "two numbers", "solid\n" FACET( "0 0 0", "1 0", "0 1 0" ) "endsolid", DBVH_MESH_FORMAT_STL, DBVH_MALFORMED, 0,
	      0, 6, "\"vertex\"" },
	    { "junk", "solid\n" ABC "endsolid\njunk", DBVH_MESH_FORMAT_STL, DBVH_MALFORMED, 0, 0, 10, "junk" },
	    { "hexadecimal", "solid\n" FACET( "0 0 0", "0x1 0 0", "0 1 0" ) "endsolid", DBVH_MESH_FORMAT_STL,
	      DBVH_MALFORMED, 0, 0, 5, "0x1" },
	    { "short and no text", "sol", DBVH_MESH_FORMAT_STL, DBVH_TRUNCATED, 0, 0, 0, NULL },
	};
	run_cases( cases, LENGTH( cases ) );
}

static void test_stl_binary( void **state ) {
	(void)state;
	static blob b;
	static const struct {
		const char *header;
		uint32_t claimed;
		const char *behind;
		dbvh_status status;
	} cases[] = {
	    { "", 4, "", DBVH_OK },
	    { "solid like a text", 4, "", DBVH_OK },
	    { "solid a\nfacet normal 0 0 0", 4, "", DBVH_OK },
	    { "solid", 4, "\n \n", DBVH_OK },
	    { "solid", 5, "", DBVH_TRUNCATED },
	    { "x", UINT32_MAX, "", DBVH_TRUNCATED },
	    { "x", 3, "", DBVH_MALFORMED },
	    { "x", 4, "more", DBVH_MALFORMED },
	};
	for ( size_t i = 0; i < LENGTH( cases ); ++i ) {
		blob_stl( &b, cases[i].header, cases[i].claimed );
		blob_text( &b, cases[i].behind );
		dbvh_mesh *mesh;
		dbvh_error error;
		const dbvh_status status = parse_bytes( b.bytes, b.count, DBVH_MESH_FORMAT_STL, NULL, &mesh, &error );
		if ( status != cases[i].status )
			fail_msg( "case %zu: %s (%s)", i, dbvh_status_name( status ), error.text );
		assert_true( ( error.byte >= 0 ) == ( status != DBVH_OK ) );
		dbvh_mesh_destroy( mesh );
	}
	blob_stl( &b, "", 4 );
	const uint8_t nan_bits[4] = { 0, 0, 0xc0, 0x7f };
	memcpy( b.bytes + 84 + 2 * 50 + 12 + 12 + 4, nan_bits, 4 ); // triangle 2, second corner, y
	dbvh_mesh *mesh;
	dbvh_error error;
	assert_int_equal( parse_bytes( b.bytes, b.count, DBVH_MESH_FORMAT_AUTO, NULL, &mesh, &error ), DBVH_NOT_FINITE );
	assert_int_equal( error.element, 2 );
	assert_int_equal( error.byte, 84 + 2 * 50 + 12 + 12 );
	memset( b.bytes + 84, 0xff, 12 ); // a normal that is NaN does not matter
	memset( b.bytes + 84 + 2 * 50 + 12 + 12 + 4, 0, 4 );
	assert_int_equal( parse_bytes( b.bytes, b.count, DBVH_MESH_FORMAT_AUTO, NULL, &mesh, &error ), DBVH_OK );
	dbvh_mesh_destroy( mesh );
}

static void test_obj( void **state ) {
	(void)state;
#define V4 "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
	static const reader_case cases[] = {
	    { "corners", V4 "vt 0 0\nvn 0 0 1\nf 1 2 3\nf 1/1 2/1 3/1\nf 1//1 2//1 3//1\nf 1/1/1 2/1/1 3/1/1\nf 1// 2/ 3\n",
	      DBVH_MESH_FORMAT_OBJ, DBVH_OK, 4, 5, 0, NULL },
	    { "relative", V4 "f -4 -3 -2\nv 1 1 1\nf -1 -2/-1 -3//-1\n", DBVH_MESH_FORMAT_OBJ, DBVH_OK, 5, 2, 0, NULL },
	    { "polygon", "v 0 0 0\nv 4 0 0\nv 4 4 1\nv 2 2 0.5\nv 0 4 1\nf 1 2 3 4 5\n", DBVH_MESH_FORMAT_AUTO, DBVH_OK, 5,
	      3, 0, NULL },
	    { "warped beyond use", V4 "v 1 1 1\nf 1 2 3 4 5\n", DBVH_MESH_FORMAT_AUTO, DBVH_MALFORMED, 0, 0, 6,
	      "face 0 crosses or touches itself" },
	    { "weight, colour", "v 0 0 0 1\nv 1 0 0 0.5 0.5 0.5\nv 0 1 0 nan junk\nf 1 2 3", DBVH_MESH_FORMAT_OBJ, DBVH_OK,
	      3, 1, 0, NULL },
	    { "joined lines", "v 0 0\\\n 0\nv 1 \\\r\n0 0\nv 0 1 0\nf 1\\\n 2 \\\n 3", DBVH_MESH_FORMAT_OBJ, DBVH_OK, 3, 1,
	      0, NULL },
	    { "comment ends with backslash", "# c:\\\nv 0 0 0\nv 1 0 0\ng a\\\nv 0 1 0\nf 1 2 3", DBVH_MESH_FORMAT_OBJ,
	      DBVH_OK, 3, 1, 0, NULL },
	    { "\\r\\n", "v 0 0 0\r\nv 1 0 0\r\nv 0 1 0\r\nf 1 2 3\r\n", DBVH_MESH_FORMAT_OBJ, DBVH_OK, 3, 1, 0, NULL },
	    { "lone \\r", "v 0 0 0\rv 1 0 0\rv 0 1 0\rf 1 2 3\r", DBVH_MESH_FORMAT_AUTO, DBVH_OK, 3, 1, 0, NULL },
	    { "spaces, tabs, comments", "\n  # x\n\t v  0\t0 0 # y\n v 1 0 0\n v 0 1 0\n\n\tf 1 2 3 # z\n",
	      DBVH_MESH_FORMAT_AUTO, DBVH_OK, 3, 1, 0, NULL },
	    { "everything else",
	      "mtllib a b\no x\ng f 1 2 3\ns off\nusemtl q\nvp 1\nl 1 2\np 1\ncstype bezier\njunk 1 2\n" V4
	      "f 1 2 3\nend\n",
	      DBVH_MESH_FORMAT_AUTO, DBVH_OK, 4, 1, 0, NULL },
	    { "later vertices", "f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n", DBVH_MESH_FORMAT_OBJ, DBVH_OK, 3, 1, 0, NULL },
	    { "old faces", V4 "fo 1 2 3\n", DBVH_MESH_FORMAT_OBJ, DBVH_OK, 4, 1, 0, NULL },
	    { "zero", V4 "f 1 2 3\nf 0 1 2\n", DBVH_MESH_FORMAT_OBJ, DBVH_INDEX_RANGE, 0, 0, 6, "face 1 names vertex 0" },
	    { "too high", V4 "f 1 2 3\nf 1 2 99\nf 1 2 3\n", DBVH_MESH_FORMAT_OBJ, DBVH_INDEX_RANGE, 0, 0, 6,
	      "face 1 names vertex 99, but there are 4 vertices" },
	    { "far too high", V4 "f 1 2 99999999999999999999\n", DBVH_MESH_FORMAT_OBJ, DBVH_INDEX_RANGE, 0, 0, 5,
	      "face 0" },
	    { "4294967297", V4 "f 1 2 4294967297\n", DBVH_MESH_FORMAT_OBJ, DBVH_INDEX_RANGE, 0, 0, 5, "vertex 4294967297" },
	    { "relative too far", V4 "f -1 -2 -5\n", DBVH_MESH_FORMAT_OBJ, DBVH_INDEX_RANGE, 0, 0, 5, "vertex -5" },
	    { "relative far too far", V4 "f -99999999999999999999 1 2\n", DBVH_MESH_FORMAT_OBJ, DBVH_INDEX_RANGE, 0, 0, 5,
	      NULL },
	    { "two corners", V4 "f 1 2\n", DBVH_MESH_FORMAT_OBJ, DBVH_MALFORMED, 0, 0, 5, "2 corners" },
	    { "no corners", V4 "f\n", DBVH_MESH_FORMAT_OBJ, DBVH_MALFORMED, 0, 0, 5, "0 corners" },
	    { "no number", V4 "f 1 2 x\n", DBVH_MESH_FORMAT_OBJ, DBVH_MALFORMED, 0, 0, 5, "\"x\"" },
	    { "a fraction", V4 "f 1 2 3.5\n", DBVH_MESH_FORMAT_OBJ, DBVH_MALFORMED, 0, 0, 5, "\"3.5\"" },
	    { "slash only", V4 "f 1 2 /3\n", DBVH_MESH_FORMAT_OBJ, DBVH_MALFORMED, 0, 0, 5, "\"/3\"" },
	    { "two coordinates", "v 0 0\n", DBVH_MESH_FORMAT_OBJ, DBVH_MALFORMED, 0, 0, 1, "2 coordinates" },
	    { "decimal comma", "v 0 0,5 0\n", DBVH_MESH_FORMAT_OBJ, DBVH_MALFORMED, 0, 0, 1, "\"0,5\"" },
	    { "nan", V4 "v nan 0 0\nf 1 2 3", DBVH_MESH_FORMAT_OBJ, DBVH_NOT_FINITE, 0, 0, 5, "vertex 4" },
	    { "overflow", V4 "v 0 1e999 0\nf 1 2 3", DBVH_MESH_FORMAT_OBJ, DBVH_NOT_FINITE, 0, 0, 5, "vertex 4" },
	    { "points", V4 "p 1 2\nl 1 2\n", DBVH_MESH_FORMAT_OBJ, DBVH_EMPTY, 0, 0, 0, NULL },
	    { "byte order mark", "\xef\xbb\xbf" V4 "f 1 2 3\n", DBVH_MESH_FORMAT_AUTO, DBVH_OK, 4, 1, 0, NULL },
	};
	run_cases( cases, LENGTH( cases ) );
	// A zero byte is no text.
	dbvh_mesh *mesh;
	dbvh_error error;
	assert_int_equal( parse_bytes( "v 0 0 0\n\0v", 10, DBVH_MESH_FORMAT_OBJ, NULL, &mesh, &error ), DBVH_MALFORMED );
	assert_int_equal( error.byte, 8 );
	assert_int_equal(
	    parse_bytes( TETRA_OBJ "\0\0\n", sizeof TETRA_OBJ + 2, DBVH_MESH_FORMAT_OBJ, NULL, &mesh, &error ), DBVH_OK );
	dbvh_mesh_destroy( mesh );
}

static void test_ply( void **state ) {
	(void)state;
#define XYZ "property float x\nproperty float y\nproperty float z\n"
#define FACES "property list uchar int vertex_indices\n"
#define P3 "0 0 0\n1 0 0\n0 1 0\n"
#define HEAD( v, f ) "ply\nformat ascii 1.0\nelement vertex " v "\n" XYZ "element face " f "\n" FACES "end_header\n"
	static const reader_case cases[] = {
	    { "plain", HEAD( "3", "1" ) P3 "3 0 1 2\n", DBVH_MESH_FORMAT_AUTO, DBVH_OK, 3, 1, 0, NULL },
	    { "polygons, lines, points, nothing", HEAD( "3", "4" ) P3 "4 0 1 2 0\n2 0 1\n1 0\n0\n", DBVH_MESH_FORMAT_PLY,
	      DBVH_OK, 3, 2, 0, NULL },
	    { "order and types",
	      "ply\nformat ascii 1.0\ncomment a\nobj_info b\nelement vertex 3\nproperty uint8 red\nproperty int16 "
	      "z\nproperty "
	      "list int float q\nproperty float64 x\nproperty double y\nelement face 1\nproperty uchar c\nproperty list "
	      "uint32 int8 vertex_index\nproperty list char float texcoord\nend_header\n9 0 2 5 5 0 0\n9 0 0 1 0\n9 0 1 "
	      "nan 0 1\n7 3 0 1 2 1 .5\n",
	      DBVH_MESH_FORMAT_AUTO, DBVH_OK, 3, 1, 0, NULL },
	    { "faces first",
	      "ply\nformat ascii 1.0\nelement face 1\n" FACES "element vertex 3\n" XYZ "end_header\n3 0 1 2\n" P3,
	      DBVH_MESH_FORMAT_PLY, DBVH_OK, 3, 1, 0, NULL },
	    { "faces first, too high",
	      "ply\nformat ascii 1.0\nelement face 1\n" FACES "element vertex 3\n" XYZ "end_header\n3 0 1 3\n" P3,
	      DBVH_MESH_FORMAT_PLY, DBVH_INDEX_RANGE, 0, 0, 10, "face 0 names vertex 3, but there are 3 vertices" },
	    { "unknown elements",
	      "ply\nformat ascii 1.0\nelement a 2\nproperty list uchar int q\nelement nothing 4000000000\nelement vertex "
	      "3\n" XYZ "element face 1\n" FACES "element edge 1\nproperty int v\nend_header\n2 1 2\n0\n" P3 "3 0 1 2\n5\n",
	      DBVH_MESH_FORMAT_PLY, DBVH_OK, 3, 1, 0, NULL },
	    { "\\r\\n",
	      "ply\r\nformat ascii 1.0\r\nelement vertex 3\r\nproperty float x\r\nproperty float y\r\nproperty float "
	      "z\r\nelement face 1\r\nproperty list uchar int vertex_indices\r\nend_header\r\n0 0 0\r\n1 0 0\r\n0 1 "
	      "0\r\n3 0 1 2\r\n",
	      DBVH_MESH_FORMAT_AUTO, DBVH_OK, 3, 1, 0, NULL },
	    { "more on a line", HEAD( "3", "1" ) "0 0 0 9\n1 0 0 9 9\n0 1 0\n3 0 1 2 255 0 0\n", DBVH_MESH_FORMAT_PLY,
	      DBVH_OK, 3, 1, 0, NULL },
	    { "whole index as a float", HEAD( "3", "1" ) P3 "3 0 1.0 2\n", DBVH_MESH_FORMAT_PLY, DBVH_OK, 3, 1, 0, NULL },
	    { "no faces", HEAD( "3", "0" ) P3, DBVH_MESH_FORMAT_PLY, DBVH_EMPTY, 0, 0, 0, NULL },
	    { "no elements", "ply\nformat ascii 1.0\nend_header\n", DBVH_MESH_FORMAT_PLY, DBVH_EMPTY, 0, 0, 0, NULL },
	    { "too high", HEAD( "3", "2" ) P3 "3 0 1 2\n3 0 1 3\n", DBVH_MESH_FORMAT_PLY, DBVH_INDEX_RANGE, 0, 0, 14,
	      "face 1 names vertex 3, but there are 3 vertices" },
	    { "negative index", HEAD( "3", "1" ) P3 "3 0 1 -1\n", DBVH_MESH_FORMAT_PLY, DBVH_INDEX_RANGE, 0, 0, 13, "-1" },
	    { "negative list", HEAD( "3", "1" ) P3 "-3 0 1 2\n", DBVH_MESH_FORMAT_PLY, DBVH_MALFORMED, 0, 0, 13, "-3" },
	    { "nan list", HEAD( "3", "1" ) P3 "nan 0 1 2\n", DBVH_MESH_FORMAT_PLY, DBVH_MALFORMED, 0, 0, 13, NULL },
	    { "huge list", HEAD( "3", "1" ) P3 "4000000000 0 1 2\n", DBVH_MESH_FORMAT_PLY, DBVH_TRUNCATED, 0, 0, 14,
	      "face 0 of 1" },
	    { "huge counts", HEAD( "4000000000", "4000000000" ) P3, DBVH_MESH_FORMAT_PLY, DBVH_TRUNCATED, 0, 0, 13,
	      "vertex 3 of 4000000000" },
	    { "absurd counts", HEAD( "99999999999999999999999", "1" ) P3, DBVH_MESH_FORMAT_PLY, DBVH_TRUNCATED, 0, 0, 13,
	      NULL },
	    { "negative count", HEAD( "-1", "1" ), DBVH_MESH_FORMAT_PLY, DBVH_MALFORMED, 0, 0, 3, "\"-1\"" },
	    { "nan", HEAD( "3", "1" ) "0 0 0\n1 nan 0\n0 1 0\n3 0 1 2\n", DBVH_MESH_FORMAT_PLY, DBVH_NOT_FINITE, 0, 0, 11,
	      "vertex 1" },
	    { "no number", HEAD( "3", "1" ) "0 0 0\n1 z 0\n0 1 0\n3 0 1 2\n", DBVH_MESH_FORMAT_PLY, DBVH_MALFORMED, 0, 0,
	      11, "\"z\"" },
	    { "more", HEAD( "3", "1" ) P3 "3 0 1 2\n3 0 1 2\n", DBVH_MESH_FORMAT_PLY, DBVH_MALFORMED, 0, 0, 14, "more" },
	    { "no z", "ply\nformat ascii 1.0\nelement vertex 1\nproperty int x\nproperty int y\nend_header\n0 0",
	      DBVH_MESH_FORMAT_PLY, DBVH_MALFORMED, 0, 0, 6, "x, y or z" },
	    { "no corners", "ply\nformat ascii 1.0\nelement face 1\nproperty int x\nend_header\n0", DBVH_MESH_FORMAT_PLY,
	      DBVH_MALFORMED, 0, 0, 5, "vertex_indices" },
	    { "two x", "ply\nformat ascii 1.0\nelement vertex 1\nproperty int x\nproperty int x\nend_header\n",
	      DBVH_MESH_FORMAT_PLY, DBVH_MALFORMED, 0, 0, 5, "twice" },
	    { "x is a list", "ply\nformat ascii 1.0\nelement vertex 1\nproperty list int int x\nend_header\n",
	      DBVH_MESH_FORMAT_PLY, DBVH_MALFORMED, 0, 0, 4, "must not be a list" },
	    { "corners are no list", "ply\nformat ascii 1.0\nelement face 1\nproperty int vertex_index\nend_header\n",
	      DBVH_MESH_FORMAT_PLY, DBVH_MALFORMED, 0, 0, 4, "must be a list" },
	    { "two vertex", "ply\nformat ascii 1.0\nelement vertex 1\nelement vertex 1\nend_header\n", DBVH_MESH_FORMAT_PLY,
	      DBVH_MALFORMED, 0, 0, 4, "twice" },
	    { "strips", "ply\nformat ascii 1.0\nelement tristrips 1\nproperty list int int vertex_indices\nend_header\n",
	      DBVH_MESH_FORMAT_PLY, DBVH_UNKNOWN_FORMAT, 0, 0, 3, "strips" },
	    { "type", "ply\nformat ascii 1.0\nelement vertex 1\nproperty real x\nend_header\n", DBVH_MESH_FORMAT_PLY,
	      DBVH_MALFORMED, 0, 0, 4, "\"real\"" },
	    { "kind", "ply\nformat text 1.0\n", DBVH_MESH_FORMAT_AUTO, DBVH_MALFORMED, 0, 0, 2, "\"text\"" },
	    { "version", "ply\nformat ascii 2.0\n", DBVH_MESH_FORMAT_PLY, DBVH_MALFORMED, 0, 0, 2, "\"2.0\"" },
	    { "no format", "ply\nend_header\n", DBVH_MESH_FORMAT_PLY, DBVH_MALFORMED, 0, 0, 2, "format" },
	    { "property of nothing", "ply\nformat ascii 1.0\nproperty int x\nend_header\n", DBVH_MESH_FORMAT_PLY,
	      DBVH_MALFORMED, 0, 0, 3, "before any element" },
	    { "junk", "ply\nformat ascii 1.0\njunk\n", DBVH_MESH_FORMAT_PLY, DBVH_MALFORMED, 0, 0, 3, "\"junk\"" },
	    { "no end", "ply\nformat ascii 1.0\nelement vertex 3\n", DBVH_MESH_FORMAT_PLY, DBVH_TRUNCATED, 0, 0, 4,
	      "end_header" },
	    { "short line", "ply\nformat ascii\nelement", DBVH_MESH_FORMAT_PLY, DBVH_MALFORMED, 0, 0, 2, "version" },
	    { "not ply", "solid\n", DBVH_MESH_FORMAT_PLY, DBVH_MALFORMED, 0, 0, 1, "ply" },
	};
	run_cases( cases, LENGTH( cases ) );
}

// Every type of number as a coordinate, a length and an index, in both orders.
static void test_ply_binary_types( void **state ) {
	(void)state;
	static const struct {
		const char *name;
		size_t size;
		bool is_signed, is_float;
	} types[] = {
	    { "char", 1, true, false },    { "uint8", 1, false, false }, { "short", 2, true, false },
	    { "uint16", 2, false, false }, { "int", 4, true, false },    { "uint32", 4, false, false },
	    { "float", 4, true, true },    { "float64", 8, true, true },
	};
	static blob b;
	for ( size_t big = 0; big < 2; ++big ) {
		for ( size_t t = 0; t < LENGTH( types ); ++t ) {
			char header[512];
			snprintf( header, sizeof header,
			          "ply\r\nformat binary_%s_endian 1.0\r\nelement face 1\r\nproperty list %s %s vertex_indices\r\n"
			          "element vertex 3\r\nproperty %s x\r\nproperty list %s double skipped\r\nproperty %s y\r\n"
			          "property %s z\r\nend_header\r\n",
			          big ? "big" : "little", types[t].name, types[t].name, types[t].name, types[t].name, types[t].name,
			          types[t].name );
			b.count = 0;
			blob_text( &b, header );
			const double low = types[t].is_signed ? -7.0 : 200.0;
			const double numbers[] = { 3, 0, 1, 2, low, 0, 1, 2, low, 0, 3, 4, 5, 0, 6, 7 };
			for ( size_t i = 0; i < LENGTH( numbers ); ++i ) {
				if ( types[t].is_float && types[t].size == 4 )
					blob_float( &b, (float)numbers[i], big );
				else if ( types[t].is_float )
					blob_double( &b, numbers[i], big );
				else
					blob_number( &b, (uint64_t)(int64_t)numbers[i], types[t].size, big );
			}
			dbvh_mesh *mesh;
			dbvh_error error;
			if ( parse_bytes( b.bytes, b.count, DBVH_MESH_FORMAT_AUTO, NULL, &mesh, &error ) != DBVH_OK )
				fail_msg( "%s: %s", types[t].name, error.text );
			const dbvh_mesh_view view = dbvh_mesh_get_view( mesh );
			const double expected[] = { low, 1, 2, low, 3, 4, 5, 6, 7 };
			assert_memory_equal( view.positions, expected, sizeof expected );
			const uint32_t triangle[] = { 0, 1, 2 };
			assert_memory_equal( view.indices, triangle, sizeof triangle );
			dbvh_mesh_destroy( mesh );
		}
	}
}

// With lone \r the data may begin with \n: here it is the lowest byte of x.
static void test_ply_lone_return( void **state ) {
	(void)state;
	static blob b;
	b.count = 0;
	blob_text( &b, "ply\rformat binary_little_endian 1.0\relement vertex 3\rproperty uchar x\rproperty uchar y\r"
	               "property uchar z\relement face 1\rproperty list uchar uchar vertex_index\rend_header\r" );
	const uint8_t data[] = { '\n', 0, 0, 1, 0, 0, 0, 1, 0, 3, 0, 1, 2 };
	blob_put( &b, data, sizeof data );
	dbvh_mesh *mesh;
	dbvh_error error;
	assert_int_equal( parse_bytes( b.bytes, b.count, DBVH_MESH_FORMAT_PLY, NULL, &mesh, &error ), DBVH_OK );
	const dbvh_mesh_view view = dbvh_mesh_get_view( mesh );
	assert_true( ( (const double *)view.positions )[0] == 10.0 );
	dbvh_mesh_destroy( mesh );
}

static void test_off( void **state ) {
	(void)state;
	static const reader_case cases[] = {
	    { "plain", TETRA_OFF, DBVH_MESH_FORMAT_AUTO, DBVH_OK, 4, 4, 0, NULL },
	    { "counts beside the keyword", "OFF 3 1 0\n" P3 "3 0 1 2\n", DBVH_MESH_FORMAT_AUTO, DBVH_OK, 3, 1, 0, NULL },
	    { "counts on the keyword", "\t OFF3 1 0\n" P3 "3 0 1 2\n", DBVH_MESH_FORMAT_AUTO, DBVH_OK, 3, 1, 0, NULL },
	    { "counts line by line", "OFF\n# a\n3\n1\n\n0\n" P3 "3 0 1 2", DBVH_MESH_FORMAT_AUTO, DBVH_OK, 3, 1, 0, NULL },
	    { "no edge count", "OFF\n3 1\n" P3 "3 0 1 2", DBVH_MESH_FORMAT_OFF, DBVH_OK, 3, 1, 0, NULL },
	    { "comments", "# x\nOFF # y\n3 1 0 # z\n0 0 0 # v\n\n# w\n1 0 0\n0 1 0\n3 0 1 2 # u\n# t\n",
	      DBVH_MESH_FORMAT_AUTO, DBVH_OK, 3, 1, 0, NULL },
	    { "colours",
	      "COFF\n3 2 0\n0 0 0 255 0 0 255\n1 0 0 1 1 1 1\n0 1 0 .5 .5 .5\n3 0 1 2 255 0 0\n3 2 1 0 0.1 0.2 0.3 "
	      "1\n",
	      DBVH_MESH_FORMAT_AUTO, DBVH_OK, 3, 2, 0, NULL },
	    { "normals", "NOFF\n3 1 0\n0 0 0 0 0 1\n1 0 0\n0 0 1\n0 1 0 0 0 1\n3 0 1 2\n", DBVH_MESH_FORMAT_AUTO, DBVH_OK,
	      3, 1, 0, NULL },
	    { "all attributes",
	      "STCNOFF\n3 1 0\n0 0 0 0 0 1 1 1 1 1 0 0\n1 0 0 0 0 1 1 1 1 1 0 0\n0 1 0 0 0 1 1 1 1 1 0 "
	      "0\n3 0 1 2\n",
	      DBVH_MESH_FORMAT_AUTO, DBVH_OK, 3, 1, 0, NULL },
	    { "CNOFF", "CNOFF 3 1 0\n0 0 0 0 0 1 1 1 1 1\n1 0 0 0 0 1 1 1 1 1\n0 1 0 0 0 1 1 1 1 1\n3 0 1 2\n",
	      DBVH_MESH_FORMAT_AUTO, DBVH_OK, 3, 1, 0, NULL },
	    { "STOFF", "STOFF 3 1 0\n0 0 0 0 0\n1 0 0 0 1\n0 1 0 1 1\n3 0 1 2\n", DBVH_MESH_FORMAT_AUTO, DBVH_OK, 3, 1, 0,
	      NULL },
	    { "spread over lines", "OFF\n4 1 0\n0 0\n0\n1\n0 0\n0 1 0\n0 0 1\n4\n0\n1\n2\n3\n", DBVH_MESH_FORMAT_OFF,
	      DBVH_OK, 4, 2, 0, NULL },
	    { "lines and points", "OFF 3 4 0\n" P3 "3 0 1 2\n2 0 1\n1 2\n0\n", DBVH_MESH_FORMAT_OFF, DBVH_OK, 3, 1, 0,
	      NULL },
	    { "nOFF of three", "nOFF 3\n3 1 0\n" P3 "3 0 1 2\n", DBVH_MESH_FORMAT_OFF, DBVH_OK, 3, 1, 0, NULL },
	    { "nOFF of five", "nOFF 5\n3 1 0\n", DBVH_MESH_FORMAT_AUTO, DBVH_UNKNOWN_FORMAT, 0, 0, 1, "5 coordinates" },
	    { "4OFF", "4OFF\n3 1 0\n", DBVH_MESH_FORMAT_AUTO, DBVH_UNKNOWN_FORMAT, 0, 0, 1, "four" },
	    { "binary", "OFF BINARY\nxxxx", DBVH_MESH_FORMAT_AUTO, DBVH_UNKNOWN_FORMAT, 0, 0, 1, "binary" },
	    { "empty", "OFF 3 0 0\n" P3, DBVH_MESH_FORMAT_OFF, DBVH_EMPTY, 0, 0, 0, NULL },
	    { "too high", "OFF 3 1 0\n" P3 "3 0 1 3\n", DBVH_MESH_FORMAT_OFF, DBVH_INDEX_RANGE, 0, 0, 5,
	      "face 0 names vertex 3, but there are 3 vertices" },
	    { "negative", "OFF 3 1 0\n" P3 "3 0 1 -2\n", DBVH_MESH_FORMAT_OFF, DBVH_INDEX_RANGE, 0, 0, 5, "-2" },
	    { "missing face", "OFF 3 2 0\n" P3 "3 0 1 2\n", DBVH_MESH_FORMAT_OFF, DBVH_TRUNCATED, 0, 0, 6, "face 1" },
	    { "one face more", "OFF 3 1 0\n" P3 "3 0 1 2\n3 0 1 2\n", DBVH_MESH_FORMAT_OFF, DBVH_MALFORMED, 0, 0, 6,
	      "more" },
	    { "negative count", "OFF -3 1 0\n", DBVH_MESH_FORMAT_OFF, DBVH_MALFORMED, 0, 0, 1, "-3" },
	    { "huge count", "OFF 4000000000 4000000000 0\n" P3, DBVH_MESH_FORMAT_OFF, DBVH_TRUNCATED, 0, 0, 5, "vertex 3" },
	    { "huge face", "OFF 3 1 0\n" P3 "4000000000 0 1 2", DBVH_MESH_FORMAT_OFF, DBVH_TRUNCATED, 0, 0, 5, "face 0" },
	    { "negative face", "OFF 3 1 0\n" P3 "-3 0 1 2", DBVH_MESH_FORMAT_OFF, DBVH_MALFORMED, 0, 0, 5, "-3 corners" },
	    { "nan", "OFF 3 1 0\n0 0 0\n1 0 0\n0 inf 0\n3 0 1 2", DBVH_MESH_FORMAT_OFF, DBVH_NOT_FINITE, 0, 0, 4,
	      "vertex 2" },
	    { "no number", "OFF 3 1 0\n0 0 x\n", DBVH_MESH_FORMAT_OFF, DBVH_MALFORMED, 0, 0, 2, "\"x\"" },
	    { "a fraction", "OFF 3 1 0\n" P3 "3 0 1 2.5", DBVH_MESH_FORMAT_OFF, DBVH_MALFORMED, 0, 0, 5, "\"2.5\"" },
	    { "no keyword", "3 1 0\n", DBVH_MESH_FORMAT_OFF, DBVH_MALFORMED, 0, 0, 1, "OFF" },
	};
	run_cases( cases, LENGTH( cases ) );
}

static void test_formats( void **state ) {
	(void)state;
	static const reader_case cases[] = {
	    { "nothing", "", DBVH_MESH_FORMAT_AUTO, DBVH_EMPTY, 0, 0, 0, "empty" },
	    { "nothing, STL", "", DBVH_MESH_FORMAT_STL, DBVH_EMPTY, 0, 0, 0, "empty" },
	    { "blank", " \n\n", DBVH_MESH_FORMAT_AUTO, DBVH_UNKNOWN_FORMAT, 0, 0, 0, "neither" },
	    { "glTF", "glTF\x02", DBVH_MESH_FORMAT_AUTO, DBVH_UNKNOWN_FORMAT, 0, 0, 0, "neither" },
	    { "xml", "<?xml version=\"1.0\"?>", DBVH_MESH_FORMAT_AUTO, DBVH_UNKNOWN_FORMAT, 0, 0, 0, "neither" },
	    { "byte order mark only", "\xef\xbb\xbf", DBVH_MESH_FORMAT_AUTO, DBVH_EMPTY, 0, 0, 0, NULL },
	    { "comments only", "# a\n", DBVH_MESH_FORMAT_OBJ, DBVH_EMPTY, 0, 0, 0, NULL },
	};
	run_cases( cases, LENGTH( cases ) );
	dbvh_mesh *mesh;
	dbvh_error error;
	assert_int_equal( dbvh_mesh_parse( NULL, 5, DBVH_MESH_FORMAT_AUTO, NULL, &mesh, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_mesh_parse( NULL, 0, DBVH_MESH_FORMAT_AUTO, NULL, &mesh, NULL ), DBVH_EMPTY );
	assert_int_equal( dbvh_mesh_parse( "v", 1, DBVH_MESH_FORMAT_AUTO, NULL, NULL, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_mesh_parse( "v", 1, (dbvh_mesh_format)99, NULL, &mesh, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_mesh_load( NULL, DBVH_MESH_FORMAT_AUTO, NULL, &mesh, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_mesh_load( "no/such/file.stl", DBVH_MESH_FORMAT_AUTO, NULL, &mesh, &error ), DBVH_IO );
	assert_non_null( strstr( error.text, "no such file" ) );
	assert_int_equal( dbvh_mesh_load( ".", DBVH_MESH_FORMAT_AUTO, NULL, &mesh, &error ), DBVH_IO );
	assert_null( mesh );
}

static void test_wide_text( void **state ) {
	(void)state;
	static blob b;
	for ( int kind = 0; kind < 4; ++kind ) {
		const bool big = kind % 2 != 0, marked = kind < 2;
		b.count = 0;
		if ( marked )
			blob_number( &b, 0xfeff, 2, big );
		for ( const char *at = TETRA_OBJ; *at != '\0'; ++at )
			blob_number( &b, (uint64_t)*at, 2, big );
		dbvh_mesh *mesh;
		dbvh_error error;
		assert_int_equal( parse_bytes( b.bytes, b.count, DBVH_MESH_FORMAT_OBJ, NULL, &mesh, &error ),
		                  DBVH_UNKNOWN_FORMAT );
		assert_non_null( strstr( error.text, "UTF-16" ) );
	}
}

// Every reader, in a locale whose decimal point is a comma.
static void test_locale( void **state ) {
	(void)state;
	static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8" };
	const char *set = NULL;
	for ( size_t i = 0; i < LENGTH( names ) && set == NULL; ++i )
		set = setlocale( LC_ALL, names[i] );
	if ( set == NULL ) {
		print_message( "no locale with a decimal comma here\n" );
		skip();
	}
	dbvh_mesh *mesh;
	dbvh_error error;
	parse_text( "v 0.1 0.12345678901234567890 1e-1\nv 1 0 0\nv 0 1 0\nf 1 2 3", DBVH_MESH_FORMAT_OBJ, &mesh, &error );
	setlocale( LC_ALL, "C" );
	assert_non_null( mesh );
	const dbvh_mesh_view view = dbvh_mesh_get_view( mesh );
	const double expected[] = { 0.1, 0.12345678901234567890, 0.1 };
	assert_memory_equal( view.positions, expected, sizeof expected );
	dbvh_mesh_destroy( mesh );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( test_samples ),
	    cmocka_unit_test( test_stl ),
	    cmocka_unit_test( test_stl_binary ),
	    cmocka_unit_test( test_obj ),
	    cmocka_unit_test( test_ply ),
	    cmocka_unit_test( test_ply_binary_types ),
	    cmocka_unit_test( test_ply_lone_return ),
	    cmocka_unit_test( test_off ),
	    cmocka_unit_test( test_formats ),
	    cmocka_unit_test( test_wide_text ),
	    cmocka_unit_test( test_locale ),
	};
	return test_main( argc, argv, tests );
}
