// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file mesh.h
/// Triangle meshes: a borrowed view of the caller's arrays, an owned mesh with readers and writers, and an audit (is it
/// watertight, manifold, oriented?). All functions are safe from any thread.

#ifndef DUALBVH_MESH_H
#define DUALBVH_MESH_H

#include "dualbvh/base.h"
#include "dualbvh/geometry.h"

#ifdef __cplusplus
extern "C" {
#endif

// ------------------------------------------------------------------------------------------------
// Views

typedef enum dbvh_position_type {
	DBVH_POSITION_TYPE_FLOAT64, ///< three doubles a vertex
	DBVH_POSITION_TYPE_FLOAT32, ///< three floats a vertex, widened without rounding
} dbvh_position_type;

typedef enum dbvh_index_type {
	DBVH_INDEX_TYPE_UINT32, ///< three uint32_t a triangle
	DBVH_INDEX_TYPE_UINT64, ///< three uint64_t a triangle
	DBVH_INDEX_TYPE_NONE,   ///< no indices: vertices 3i, 3i+1, 3i+2 are triangle i, and triangle_count is not read
} dbvh_index_type;

/// The largest number of triangles in one mesh, and of vertices (2^30).
#define DBVH_MAX_ELEMENTS ( (size_t)1 << 30 )

/// The caller's arrays, borrowed for the duration of a call. Zero-initialise it, then set the members that your arrays
/// need.
typedef struct dbvh_mesh_view {
	const void *positions;
	size_t vertex_count;
	size_t vertex_stride; ///< bytes from one vertex to the next; 0 means tightly packed
	dbvh_position_type position_type;
	const void *indices;
	size_t triangle_count;
	size_t triangle_stride; ///< bytes from one index triple to the next; 0 means tightly packed
	dbvh_index_type index_type;
} dbvh_mesh_view;

/// Checks a view: pointers and strides, DBVH_MAX_ELEMENTS, at least one triangle, finite positions (also of vertices
/// that no triangle uses), indices in range. error->element names the offender. Reads every element once.
DBVH_API dbvh_status dbvh_mesh_view_check( const dbvh_mesh_view *view, dbvh_error *error );

// ------------------------------------------------------------------------------------------------
// Owned meshes

/// Vertices as doubles, triangles as three uint32_t, in the order of the file. Immutable.
typedef struct dbvh_mesh dbvh_mesh;

typedef enum dbvh_mesh_format {
	DBVH_MESH_FORMAT_AUTO, ///< readers: decide by content, then by the file's ending; writers: by the ending
	DBVH_MESH_FORMAT_STL,  ///< readers take both kinds; writers write binary (positions rounded to float)
	DBVH_MESH_FORMAT_STL_ASCII,
	DBVH_MESH_FORMAT_OBJ,
	DBVH_MESH_FORMAT_PLY, ///< readers take all three kinds; writers write binary little endian with double positions
	DBVH_MESH_FORMAT_PLY_ASCII,
	DBVH_MESH_FORMAT_OFF,
	DBVH_MESH_FORMAT_COUNT ///< not a format
} dbvh_mesh_format;

/// Returns the ending of the names of such files, in lower case and without the point: "stl" for both kinds of STL;
/// NULL for DBVH_MESH_FORMAT_AUTO and what is no format. Any thread, constant time.
DBVH_API const char *dbvh_mesh_format_ending( dbvh_mesh_format format );

/// Reads a mesh file: STL (ASCII and binary), OBJ, PLY (ASCII, binary of both orders), OFF and its COFF, NOFF, STOFF
/// variants. Numbers are read with correct rounding whatever the locale. A polygon of n corners becomes n - 2
/// triangles without new vertices; triangle numbers follow the file. STL vertices with equal coordinates become one
/// vertex. Normals, colours, texture coordinates, materials, lines and points are skipped.
/// - Polygons are cut as they look along the axis in which their normal is longest, decided exactly: into a fan
///   around their first corner where that is right, as it is for convex ones, else into pieces that a sweep cuts off.
///   They may be concave and need not be planar: then they may be looked at along any axis or near their normal. A hole
///   that a bridge joins with the rim (an edge that is walked there and back) stays a hole. A polygon that has two
///   corners at one position which are neither neighbours nor ends of a bridge, or that crosses or touches itself, is
///   MALFORMED, or left out: dbvh_mesh_read_options. A corner at the position of its neighbour adds a triangle without
///   area. n log n steps for n corners.
/// - OBJ: faces may name later vertices, or earlier ones by negative numbers; lines may be continued with a backslash.
/// - PLY and OFF: faces of fewer than three corners are lines and points, and no triangles; in OBJ they are MALFORMED.
/// - STL: facets have three corners; a binary file is known by its size, also if it begins with "solid"; an ASCII file
///   without its last `endsolid` is TRUNCATED.
/// - Zero bytes and white space may follow the promised content; anything else there is MALFORMED.
/// - Variants whose triangles would be lost silently (PLY tristrips, OFF in four dimensions, binary OFF, UTF-16) are
///   UNKNOWN_FORMAT.
/// - error->element is the number of the vertex or face in the file, from 0.
/// - Memory: the mesh as it grows, a piece of the file of 64 KiB, and the longest word in it if that is longer. For
///   triangles, PLY and OFF say how large the mesh is, so that no array is there twice. Otherwise arrays double: above
///   32 MiB in place with the GNU C library, else, also with an allocator of the caller's, the old array and the new
///   one are there together for a moment. An STL takes 6 to 12 bytes more for each different vertex. A file without a
///   size, such as a pipe, is held as a whole. All of it is bounded by a small multiple of the file's size, whatever
///   its header claims.
/// - Errors: IO (also where the file becomes shorter meanwhile), UNKNOWN_FORMAT, MALFORMED, TRUNCATED, INDEX_RANGE,
///   NOT_FINITE, EMPTY (a well-formed file without triangles), LIMIT, OUT_OF_MEMORY; *mesh_out is NULL then and *error
///   has line or byte offset and a sentence.
/// - Cost: one pass. Safe from any thread.
DBVH_API dbvh_status dbvh_mesh_load( const char *path, dbvh_mesh_format format, const dbvh_allocator *allocator,
                                     dbvh_mesh **mesh_out, dbvh_error *error );

/// dbvh_mesh_load() of a file in memory, which is read in place. With DBVH_MESH_FORMAT_AUTO the content alone decides.
DBVH_API dbvh_status dbvh_mesh_parse( const void *bytes, size_t byte_count, dbvh_mesh_format format,
                                      const dbvh_allocator *allocator, dbvh_mesh **mesh_out, dbvh_error *error );

/// Options of the readers. All zero is the default.
typedef struct dbvh_mesh_read_options {
	/// Leave out polygons that cross or touch themselves, as if the file did not have them, instead of refusing the
	/// file as MALFORMED: dbvh_mesh_get_skipped_faces() lists them. The mesh is open where they were, and its triangles
	/// are numbered without them. A file that has nothing else is EMPTY.
	bool skip_bad_faces;
} dbvh_mesh_read_options;

/// Returns the defaults: all zero. Any thread, constant time.
DBVH_API dbvh_mesh_read_options dbvh_mesh_read_options_default( void );

/// dbvh_mesh_load() and dbvh_mesh_parse() with options; NULL stands for the defaults.
DBVH_API dbvh_status dbvh_mesh_load_with( const char *path, dbvh_mesh_format format,
                                          const dbvh_mesh_read_options *options, const dbvh_allocator *allocator,
                                          dbvh_mesh **mesh_out, dbvh_error *error );
DBVH_API dbvh_status dbvh_mesh_parse_with( const void *bytes, size_t byte_count, dbvh_mesh_format format,
                                           const dbvh_mesh_read_options *options, const dbvh_allocator *allocator,
                                           dbvh_mesh **mesh_out, dbvh_error *error );

/// Makes an owned mesh, a copy of a view, which is checked as by dbvh_mesh_view_check(). Errors: those of that check,
/// and OUT_OF_MEMORY; *mesh_out is NULL then.
DBVH_API dbvh_status dbvh_mesh_create( const dbvh_mesh_view *view, const dbvh_allocator *allocator,
                                       dbvh_mesh **mesh_out, dbvh_error *error );

/// Writes a view to a file as dbvh_tree_save() (tree_file.h) does: to a temporary file beside it, which is then
/// renamed, so that a full disk leaves the old file whole. Text formats print the shortest digits that read back to the
/// same double. Errors: IO, UNKNOWN_FORMAT (no known ending), and those of dbvh_mesh_view_check(); LIMIT where the
/// format cannot hold the mesh (a position beyond float in a binary STL).
DBVH_API dbvh_status dbvh_mesh_save( const dbvh_mesh_view *view, const char *path, dbvh_mesh_format format,
                                     dbvh_error *error );

/// Counts of the polygons of a file, which are faces of more than three corners, before they became triangles. All 0
/// for a mesh that is not from a file.
typedef struct dbvh_mesh_faces {
	size_t polygon_count;
	size_t concave_count;   ///< polygons with a reflex corner
	size_t nonplanar_count; ///< polygons with a corner off their plane by more than a millionth of their size
} dbvh_mesh_faces;

/// Returns the counts of the polygons of the file; all 0 for NULL. Constant time, any thread.
DBVH_API dbvh_mesh_faces dbvh_mesh_get_faces( const dbvh_mesh *mesh );

/// A face of a file that was left out.
typedef struct dbvh_skipped_face {
	size_t face;         ///< its number in the file, from 0, as dbvh_error.element has it
	size_t corner_count; ///< corners of the face, which would have become corner_count - 2 triangles
	size_t triangle;     ///< the number that its first triangle would have had; the next triangle that is kept has it
	int64_t line, byte;  ///< place in the file, as in dbvh_error
} dbvh_skipped_face;

/// Lists the faces that dbvh_mesh_read_options.skip_bad_faces left out, in the order of the file; the array, of
/// *count_out faces, is valid until the mesh is destroyed. NULL and 0 where there is none, and for NULL. Constant time,
/// any thread.
DBVH_API const dbvh_skipped_face *dbvh_mesh_get_skipped_faces( const dbvh_mesh *mesh, size_t *count_out );

/// Returns a view of an owned mesh: tightly packed doubles and uint32_t. Valid until the mesh is destroyed. Constant
/// time, any thread.
DBVH_API dbvh_mesh_view dbvh_mesh_get_view( const dbvh_mesh *mesh );

/// Frees a mesh. NULL is allowed.
DBVH_API void dbvh_mesh_destroy( dbvh_mesh *mesh );

// ------------------------------------------------------------------------------------------------
// Meshes of shapes
//
// Boxes, hulls, height fields and the cells of octrees are bodies of scenes, and operands of every query, as meshes:
// the surface, and what it encloses where a query says so. Spheres, capsules and clouds of points are meshes of points
// and segments with a radius (dbvh_body_options.radius).

/// Makes the convex hull of points: those vertices of `points` that are corners of it, in their order, and triangles
/// that run counter-clockwise seen from outside. Only the vertices of the view are read: it needs no triangles. The
/// hull is exact: no point is outside of it, every vertex is a corner that the hull of the others does not have, and
/// faces of more than three corners, decided exactly, are cut into triangles in one plane. The hull of points in a
/// plane is a flat polygon that is cut into triangles, that of points on a line is one triangle that has shrunk to a
/// segment, and that of equal points one that has shrunk to a point. Which of two equal points is taken is not said.
/// Cost: some n log n steps for points in general, and n times the number of corners at worst; 40 bytes a point.
/// Errors: INVALID_ARGUMENT, EMPTY (no points), NOT_FINITE with the number of the point, LIMIT, OUT_OF_MEMORY;
/// *mesh_out is NULL then. Safe from any thread.
DBVH_API dbvh_status dbvh_mesh_create_hull( const dbvh_mesh_view *points, const dbvh_allocator *allocator,
                                            dbvh_mesh **mesh_out, dbvh_error *error );

/// Makes the surfaces of boxes, such as the occupied cells of an octree: eight vertices each, the coordinates of its
/// min and max as they are, and twelve triangles that run counter-clockwise seen from outside. Boxes that touch are not
/// joined. A box without an extent in some direction is flat, and has triangles without an area. Errors:
/// INVALID_ARGUMENT (also a min above its max), EMPTY (no box), NOT_FINITE, both with the number of the box, LIMIT
/// (more than 2^30 / 12 boxes), OUT_OF_MEMORY; *mesh_out is NULL then. Safe from any thread.
DBVH_API dbvh_status dbvh_mesh_create_boxes( const dbvh_aabb *boxes, size_t box_count, const dbvh_allocator *allocator,
                                             dbvh_mesh **mesh_out, dbvh_error *error );

/// A grid of heights: that of column i and row k is heights[k * column_count + i]. NaN is a hole. The vertex there is
/// (origin[0] + i step[0], origin[1] + k step[1], height), each coordinate the double nearest to that.
typedef struct dbvh_height_field {
	const double *heights;
	size_t column_count, row_count; ///< at least 2 each
	double origin[2], step[2];      ///< finite; a step is above 0
} dbvh_height_field;

/// Makes the surface of a height field: two triangles a cell, cut from (i, k) to (i + 1, k + 1), whose normals have a z
/// above 0. Triangles with a corner in a hole are left out; the vertex of a hole stays, at the height 0. Errors:
/// INVALID_ARGUMENT, NOT_FINITE (an infinite height, with its number, or a coordinate that would be), EMPTY (nothing
/// but holes), LIMIT, OUT_OF_MEMORY; *mesh_out is NULL then. Safe from any thread.
DBVH_API dbvh_status dbvh_mesh_create_height_field( const dbvh_height_field *field, const dbvh_allocator *allocator,
                                                    dbvh_mesh **mesh_out, dbvh_error *error );

// ------------------------------------------------------------------------------------------------
// Audit

/// One connected component: triangles joined through shared edges, where vertices with bit-equal coordinates (-0 equal
/// to 0) are the same vertex.
typedef struct dbvh_mesh_component {
	size_t triangle_count;
	size_t first_triangle; ///< the lowest number of a triangle in it
	size_t boundary_edges;
	size_t nonmanifold_edges;
	bool closed;   ///< every edge has exactly two triangles (degenerate triangles are left out of the count)
	bool oriented; ///< no two neighbours run along their common edge in the same direction
} dbvh_mesh_component;

/// Facts and defects of a mesh. No defect keeps a mesh from being used.
typedef struct dbvh_mesh_audit_result {
	size_t vertex_count;          ///< vertices stored, used or not
	size_t distinct_vertex_count; ///< different coordinates among the stored vertices
	size_t unused_vertex_count;   ///< stored vertices that no triangle names
	size_t triangle_count;
	size_t degenerate_triangle_count; ///< triangles of zero area, decided exactly (collinear or coincident corners)
	size_t duplicate_triangle_count;  ///< triangles with the three points of an earlier one, in any order
	size_t edge_count;                ///< distinct edges of triangles that are not degenerate
	size_t boundary_edge_count;       ///< edges with one triangle
	size_t nonmanifold_edge_count;    ///< edges with three or more triangles
	size_t component_count;
	size_t closed_component_count;
	size_t oriented_component_count;
	dbvh_aabb bounds; ///< bounding box of the vertices that triangles use
} dbvh_mesh_audit_result;

/// Audits a mesh. `components` may be NULL; otherwise up to component_capacity records are written, ordered by
/// first_triangle, and result_out->component_count says how many there are. A degenerate triangle is joined to its
/// neighbours but adds no edges to any count. Cost O(n log n) time, O(n) memory. Errors: those of
/// dbvh_mesh_view_check() and OUT_OF_MEMORY.
DBVH_API dbvh_status dbvh_mesh_audit( const dbvh_mesh_view *view, const dbvh_allocator *allocator,
                                      dbvh_mesh_audit_result *result_out, dbvh_mesh_component *components,
                                      size_t component_capacity, dbvh_error *error );

/// Labels each triangle with its component, for example to cut a mesh into its connected parts: labels_out, room for
/// one number a triangle, gets the index that the component has in the records of dbvh_mesh_audit().
/// `component_count_out` may be NULL. Cost and errors: those of dbvh_mesh_audit(); on an error nothing is written to
/// labels_out.
DBVH_API dbvh_status dbvh_mesh_label_components( const dbvh_mesh_view *view, const dbvh_allocator *allocator,
                                                 uint32_t *labels_out, size_t *component_count_out, dbvh_error *error );

#ifdef __cplusplus
}
#endif

#endif // DUALBVH_MESH_H
