// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "call.h"
#include "file_name.h"
#include "objects.h"
#include "state.h"

#include <array>
#include <cstdio>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <tuple>
#include <vector>

namespace dualbvh_python {

namespace {

nb::module_ numpy() {
	return nb::module_::import_( "numpy" );
}

/// Tells whether rows of three can be read in place.
bool rows_fit( const buffer &memory ) {
	const Py_buffer &view = memory.get();
	const size_t element = (size_t)view.itemsize;
	return view.ndim == 2 && view.shape[1] == 3 && view.strides[1] == view.itemsize &&
	       ( view.shape[0] < 2 || view.strides[0] >= 3 * view.itemsize ) && (size_t)view.buf % element == 0 &&
	       (size_t)view.strides[0] % element == 0;
}

void expect_rows( nb::handle array, const char *what ) {
	const nb::tuple shape( array.attr( "shape" ) );
	if ( shape.size() != 2 || nb::cast<long>( shape[1] ) != 3 )
		raise( DBVH_INVALID_ARGUMENT,
		       ( std::string( what ) + " must be n x 3, not of shape " + text_of( shape ) ).c_str() );
}

/// Borrows an array, or a copy that numpy makes of it as `dtype`, whose format is one of `types`.
nb::object borrow_rows( nb::handle object, const char *what, const char *types, const char *kinds, const char *dtype,
                        buffer &memory ) {
	nb::object array = numpy().attr( "asarray" )( object );
	expect_rows( array, what );
	const std::string kind = nb::cast<std::string>( array.attr( "dtype" ).attr( "kind" ) );
	if ( std::string( kinds ).find( kind ) == std::string::npos )
		throw nb::type_error(
		    ( std::string( what ) + " must not be an array of " + text_of( nb::object( array.attr( "dtype" ) ) ) )
		        .c_str() );
	if ( memory.borrow( array, PyBUF_STRIDES | PyBUF_FORMAT ) ) {
		if ( memory.type() && std::string( types ).find( memory.type() ) != std::string::npos && rows_fit( memory ) )
			return array;
		memory.~buffer();
		new ( &memory ) buffer;
	}
	array = numpy().attr( "array" )( array, nb::arg( "dtype" ) = dtype, nb::arg( "order" ) = "C" );
	if ( !memory.borrow( array, PyBUF_STRIDES | PyBUF_FORMAT ) )
		throw nb::type_error( "numpy gave an array that lends no memory" );
	return array;
}

/// Finds a negative index, which the library would read as a huge one.
void refuse_negative( const mesh &m, const dbvh_error &error ) {
	if ( error.status != DBVH_INDEX_RANGE || error.element < 0 )
		return;
	const nb::object row = m.faces[error.element];
	const nb::object least = row.attr( "min" )();
	if ( !nb::cast<bool>( numpy().attr( "less" )( least, 0 ).attr( "item" )() ) )
		return;
	char text[160];
	snprintf( text, sizeof text, "face %lld names vertex %s, and vertices are numbered from 0",
	          (long long)error.element, text_of( least ).c_str() );
	raise( DBVH_INDEX_RANGE, text, error.element );
}

std::unique_ptr<mesh> load( nb::handle path, dbvh_mesh_format format, bool skip_bad_faces ) {
	const file_name file( path );
	const char *name = file.encoded.c_str();
	dbvh_mesh *loaded = nullptr;
	dbvh_error error;
	dbvh_mesh_read_options options = dbvh_mesh_read_options_default();
	options.skip_bad_faces = skip_bad_faces;
	const dbvh_status status =
	    without_gil( [&] { return dbvh_mesh_load_with( name, format, &options, nullptr, &loaded, &error ); } );
	if ( status != DBVH_OK )
		raise( error, file.shown );
	return std::make_unique<mesh>( loaded, file.base() );
}

std::unique_ptr<mesh> parse( nb::handle bytes, dbvh_mesh_format format, bool skip_bad_faces ) {
	buffer memory;
	if ( !memory.borrow( bytes, PyBUF_SIMPLE ) )
		throw nb::type_error( "data must be bytes, or something else that lends contiguous memory" );
	dbvh_mesh *parsed = nullptr;
	dbvh_error error;
	dbvh_mesh_read_options options = dbvh_mesh_read_options_default();
	options.skip_bad_faces = skip_bad_faces;
	const dbvh_status status = without_gil( [&] {
		return dbvh_mesh_parse_with( memory.get().buf, (size_t)memory.get().len, format, &options, nullptr, &parsed,
		                             &error );
	} );
	check( status, error );
	return std::make_unique<mesh>( parsed );
}

void save( const mesh &m, nb::handle path, dbvh_mesh_format format ) {
	const file_name file( path );
	const char *name = file.encoded.c_str();
	dbvh_error error;
	const dbvh_status status = without_gil( [&] { return dbvh_mesh_save( &m.view, name, format, &error ); } );
	if ( status != DBVH_OK )
		raise( error, file.shown );
}

/// The mesh that a function of the library makes.
template <class Make> std::unique_ptr<mesh> made_by( Make &&make ) {
	dbvh_mesh *made = nullptr;
	dbvh_error error;
	const dbvh_status status = without_gil( [&] { return make( &made, &error ); } );
	check( status, error );
	return std::make_unique<mesh>( made );
}

nb::object doubles( nb::handle object, buffer &memory ) {
	nb::object array = numpy().attr( "array" )( object, nb::arg( "dtype" ) = "f8", nb::arg( "order" ) = "C" );
	if ( !memory.borrow( array, PyBUF_STRIDES | PyBUF_FORMAT ) )
		throw nb::type_error( "numpy gave an array that lends no memory" );
	return array;
}

std::unique_ptr<mesh> hull( nb::handle points ) {
	buffer memory;
	const nb::object array = doubles( points, memory );
	expect_rows( array, "points" );
	dbvh_mesh_view view{};
	view.positions = memory.get().buf;
	view.vertex_count = (size_t)memory.get().shape[0];
	return made_by(
	    [&]( dbvh_mesh **out, dbvh_error *error ) { return dbvh_mesh_create_hull( &view, nullptr, out, error ); } );
}

std::unique_ptr<mesh> boxes( nb::handle rows ) {
	buffer memory;
	const nb::object array = doubles( rows, memory );
	const Py_buffer &view = memory.get();
	if ( view.ndim != 3 || view.shape[1] != 2 || view.shape[2] != 3 )
		raise( DBVH_INVALID_ARGUMENT, "boxes must be n x 2 x 3: the min and the max of each" );
	return made_by( [&]( dbvh_mesh **out, dbvh_error *error ) {
		return dbvh_mesh_create_boxes( static_cast<const dbvh_aabb *>( view.buf ), (size_t)view.shape[0], nullptr, out,
		                               error );
	} );
}

std::unique_ptr<mesh> height_field( nb::handle heights, std::array<double, 2> origin, std::array<double, 2> step ) {
	buffer memory;
	const nb::object array = doubles( heights, memory );
	const Py_buffer &view = memory.get();
	if ( view.ndim != 2 )
		raise( DBVH_INVALID_ARGUMENT, "heights must have two dimensions: rows along y, columns along x" );
	const dbvh_height_field field = { static_cast<const double *>( view.buf ),
	                                  (size_t)view.shape[1],
	                                  (size_t)view.shape[0],
	                                  { origin[0], origin[1] },
	                                  { step[0], step[1] } };
	return made_by( [&]( dbvh_mesh **out, dbvh_error *error ) {
		return dbvh_mesh_create_height_field( &field, nullptr, out, error );
	} );
}

/// An array over memory of a mesh, which cannot be written to and keeps the mesh alive.
template <class T> nb::object view_of( nb::handle self, const void *memory, size_t rows ) {
	return nb::cast( nb::ndarray<nb::numpy, const T, nb::shape<-1, 3>>( memory, { rows, 3 }, self ) );
}

nb::object vertices_of( nb::handle self ) {
	const mesh &m = nb::cast<const mesh &>( self );
	return m.owned ? view_of<double>( self, m.view.positions, m.view.vertex_count ) : m.vertices;
}

nb::object faces_of( nb::handle self ) {
	const mesh &m = nb::cast<const mesh &>( self );
	if ( m.owned )
		return view_of<uint32_t>( self, m.view.indices, m.view.triangle_count );
	return m.faces.is_none() ? numpy().attr( "arange" )( m.view.vertex_count / 3 * 3 ).attr( "reshape" )( -1, 3 )
	                         : m.faces;
}

size_t triangle_count( const mesh &m ) {
	return m.view.index_type == DBVH_INDEX_TYPE_NONE ? m.view.vertex_count / 3 : m.view.triangle_count;
}

std::string describe( const mesh &m ) {
	char text[120];
	snprintf( text, sizeof text, "<dualbvh.Mesh: %zu triangle%s, %zu vertices", triangle_count( m ),
	          triangle_count( m ) == 1 ? "" : "s", m.view.vertex_count );
	return text + ( m.source.empty() ? "" : ", from '" + m.source + "'" ) + ">";
}

// ------------------------------------------------------------------------------------------------
// Audit

struct audit {
	dbvh_mesh_audit_result result;
	nb::object components;
};

nb::object component_dtype() {
	using T = dbvh_mesh_component;
	return make_dtype( { { "triangle_count", format( "u8" ), offsetof( T, triangle_count ) },
	                     { "first_triangle", format( "u8" ), offsetof( T, first_triangle ) },
	                     { "boundary_edges", format( "u8" ), offsetof( T, boundary_edges ) },
	                     { "nonmanifold_edges", format( "u8" ), offsetof( T, nonmanifold_edges ) },
	                     { "closed", format( "?" ), offsetof( T, closed ) },
	                     { "oriented", format( "?" ), offsetof( T, oriented ) } },
	                   sizeof( T ) );
}

audit audit_of( const mesh &m ) {
	dbvh_mesh_audit_result result;
	dbvh_error error;
	std::vector<dbvh_mesh_component> components( 64 );
	dbvh_status status = without_gil( [&] {
		for ( ;; ) {
			const dbvh_status s =
			    dbvh_mesh_audit( &m.view, nullptr, &result, components.data(), components.size(), &error );
			if ( s != DBVH_OK || result.component_count <= components.size() )
				return s;
			components.resize( result.component_count );
		}
	} );
	check( status, error );
	new_array array( result.component_count, component_dtype() );
	for ( size_t i = 0; i < result.component_count; ++i )
		array.data<dbvh_mesh_component>()[i] = components[i];
	return { result, array.release() };
}

nb::object label_components( const mesh &m ) {
	new_array labels( triangle_count( m ), format( "u4" ) );
	uint32_t *out = labels.data<uint32_t>();
	dbvh_error error;
	const dbvh_status status =
	    without_gil( [&] { return dbvh_mesh_label_components( &m.view, nullptr, out, nullptr, &error ); } );
	check( status, error );
	return labels.release();
}

nb::object bounds_of( const mesh &m ) {
	const dbvh_aabb box = audit_of( m ).result.bounds;
	new_array array( 6, format( "f8" ) );
	for ( int i = 0; i < 3; ++i ) {
		array.data<double>()[i] = box.min[i];
		array.data<double>()[3 + i] = box.max[i];
	}
	return array.release().attr( "reshape" )( 2, 3 );
}

std::string describe( const audit &a ) {
	const dbvh_mesh_audit_result &r = a.result;
	char text[300];
	snprintf( text, sizeof text,
	          "<dualbvh.MeshAudit: %zu triangles (%zu degenerate, %zu duplicate), %zu component%s (%zu closed), %zu "
	          "boundary edges, %zu non-manifold edges>",
	          r.triangle_count, r.degenerate_triangle_count, r.duplicate_triangle_count, r.component_count,
	          r.component_count == 1 ? "" : "s", r.closed_component_count, r.boundary_edge_count,
	          r.nonmanifold_edge_count );
	return text;
}

template <size_t dbvh_mesh_audit_result::*member> size_t count_of( const audit &a ) {
	return a.result.*member;
}

void bind_audit( nb::module_ &m ) {
	using R = dbvh_mesh_audit_result;
	nb::class_<audit>( m, "MeshAudit", "Facts and defects of a mesh. No defect keeps a mesh from being used." )
	    .def_prop_ro( "vertex_count", count_of<&R::vertex_count>, "Vertices stored, used or not." )
	    .def_prop_ro( "distinct_vertex_count", count_of<&R::distinct_vertex_count>,
	                  "Different coordinates among them." )
	    .def_prop_ro( "unused_vertex_count", count_of<&R::unused_vertex_count>, "Vertices that no triangle names." )
	    .def_prop_ro( "triangle_count", count_of<&R::triangle_count> )
	    .def_prop_ro( "degenerate_triangle_count", count_of<&R::degenerate_triangle_count>,
	                  "Triangles of zero area, decided exactly." )
	    .def_prop_ro( "duplicate_triangle_count", count_of<&R::duplicate_triangle_count>,
	                  "Triangles with the same three points as an earlier one, in any order." )
	    .def_prop_ro( "edge_count", count_of<&R::edge_count>, "Distinct edges of triangles that have an area." )
	    .def_prop_ro( "boundary_edge_count", count_of<&R::boundary_edge_count>, "Edges with one triangle." )
	    .def_prop_ro( "nonmanifold_edge_count", count_of<&R::nonmanifold_edge_count>, "Edges with three or more." )
	    .def_prop_ro( "component_count", count_of<&R::component_count> )
	    .def_prop_ro( "closed_component_count", count_of<&R::closed_component_count> )
	    .def_prop_ro( "oriented_component_count", count_of<&R::oriented_component_count> )
	    .def_prop_ro(
	        "components", []( const audit &a ) { return a.components; }, nb::sig( "def components(self) -> Records" ),
	        "One record a connected component: triangle_count, first_triangle, boundary_edges, nonmanifold_edges, "
	        "closed,\noriented." )
	    .def_prop_ro(
	        "is_closed", []( const audit &a ) { return a.result.closed_component_count == a.result.component_count; },
	        "Every edge of every component has exactly two triangles." )
	    .def(
	        "__getstate__", []( const audit &a ) { return std::pair( to_state( &a.result, 1 ), a.components ); },
	        nb::sig( "def __getstate__(self) -> tuple[Any, ...]" ) )
	    .def(
	        "__setstate__",
	        []( audit *self, const std::pair<byte_state, nb::object> &state ) {
		        new ( self ) audit{ from_state<R>( state.first ).at( 0 ), state.second };
	        },
	        nb::arg( "state" ), nb::sig( "def __setstate__(self, state: tuple[Any, ...]) -> None" ) )
	    .def( "__repr__", []( const audit &a ) { return describe( a ); } );
}

} // namespace

mesh::mesh( nb::handle vertices_in, nb::handle faces_in ) {
	vertices = borrow_rows( vertices_in, "vertices", "df", "fiub", "f8", vertex_memory );
	view.positions = vertex_memory.get().buf;
	view.vertex_count = (size_t)vertex_memory.get().shape[0];
	view.vertex_stride = (size_t)vertex_memory.get().strides[0];
	view.position_type = vertex_memory.type() == 'f' ? DBVH_POSITION_TYPE_FLOAT32 : DBVH_POSITION_TYPE_FLOAT64;
	faces = nb::borrow( faces_in );
	if ( faces.is_none() ) {
		view.index_type = DBVH_INDEX_TYPE_NONE;
	} else {
		faces = borrow_rows( faces_in, "faces", "iIlLqQ", "iu", "i8", face_memory );
		view.indices = face_memory.get().buf;
		view.triangle_count = (size_t)face_memory.get().shape[0];
		view.triangle_stride = (size_t)face_memory.get().strides[0];
		view.index_type = face_memory.get().itemsize == 4 ? DBVH_INDEX_TYPE_UINT32 : DBVH_INDEX_TYPE_UINT64;
	}
	if ( view.vertex_count < 2 ) // numpy's strides mean nothing then
		view.vertex_stride = 0;
	if ( view.triangle_count < 2 )
		view.triangle_stride = 0;
	dbvh_error error;
	const dbvh_status status = without_gil( [&] { return dbvh_mesh_view_check( &view, &error ); } );
	if ( status != DBVH_OK && !faces.is_none() )
		refuse_negative( *this, error );
	check( status, error );
}

mesh::mesh( dbvh_mesh *from, std::string name )
    : view( dbvh_mesh_get_view( from ) ), owned( from ), source( std::move( name ) ) {}

nb::object as_mesh( nb::handle object ) {
	if ( nb::isinstance<mesh>( object ) )
		return nb::borrow( object );
	if ( nb::isinstance<nb::str>( object ) || nb::hasattr( object, "__fspath__" ) )
		return nb::cast( load( object, DBVH_MESH_FORMAT_AUTO, false ) );
	return nb::module_::import_( "dualbvh.interop" ).attr( "mesh_from" )( object );
}

void bind_mesh( nb::module_ &m ) {
	nb::enum_<dbvh_mesh_format>( m, "MeshFormat", "A file format of meshes." )
	    .value( "AUTO", DBVH_MESH_FORMAT_AUTO, "by content, then by the file's ending" )
	    .value( "STL", DBVH_MESH_FORMAT_STL, "written as binary" )
	    .value( "STL_ASCII", DBVH_MESH_FORMAT_STL_ASCII )
	    .value( "OBJ", DBVH_MESH_FORMAT_OBJ )
	    .value( "PLY", DBVH_MESH_FORMAT_PLY, "written as binary, little endian, in doubles" )
	    .value( "PLY_ASCII", DBVH_MESH_FORMAT_PLY_ASCII )
	    .value( "OFF", DBVH_MESH_FORMAT_OFF );
	bind_audit( m );

	nb::class_<mesh>( m, "Mesh", nb::is_weak_referenceable(), R"(A triangle mesh: vertices and faces.

Mesh(vertices, faces=None)
    vertices  n x 3, in any unit. Arrays of float64 or float32 whose rows are contiguous are borrowed, others copied.
    faces     m x 3 numbers of vertices, from 0. int32, int64, uint32 and uint64 are borrowed. None: vertices 3i, 3i + 1
              and 3i + 2 are triangle i.

The answers are exact about these coordinates. Borrowed arrays must not be changed while a tree is built from them; a tree
keeps its own copy. Raises InvalidArgument (shapes), NotFinite, IndexRange, Empty, Limit; TypeError for what holds no
numbers.)" )
	    .def( nb::init<nb::handle, nb::handle>(), nb::arg( "vertices" ), nb::arg( "faces" ) = nb::none(),
	          nb::sig( "def __init__(self, vertices: ArrayLike, faces: ArrayLike | None = None) -> None" ) )
	    .def_static( "load", load, nb::arg( "path" ), nb::arg( "format" ) = DBVH_MESH_FORMAT_AUTO,
	                 nb::arg( "skip_bad_faces" ) = false,
	                 nb::sig( "def load(path: str | bytes | os.PathLike[str], format: MeshFormat = MeshFormat.AUTO, "
	                          "skip_bad_faces: bool = False) -> Mesh" ),
	                 "Reads an STL, OBJ, PLY or OFF file. Polygons become triangles without new vertices; numbers are "
	                 "read with\ncorrect rounding. Raises IoError, UnknownFormat, Malformed, Truncated and the like; "
	                 "the exception has the line or\nthe byte. skip_bad_faces: faces that cross or touch themselves, "
	                 "which are Malformed otherwise, are left out:\nskipped_faces tells which." )
	    .def_static( "parse", parse, nb::arg( "data" ), nb::arg( "format" ) = DBVH_MESH_FORMAT_AUTO,
	                 nb::arg( "skip_bad_faces" ) = false,
	                 nb::sig( "def parse(data: Buffer, format: MeshFormat = MeshFormat.AUTO, skip_bad_faces: bool = "
	                          "False) -> Mesh" ),
	                 "load() of a file in memory." )
	    .def_static(
	        "hull", hull, nb::arg( "points" ), nb::sig( "def hull(points: ArrayLike) -> Mesh" ),
	        "The convex hull of n x 3 points, exactly: of points in a plane a flat polygon, on a line a triangle "
	        "that has shrunk\nto a segment, of one point to a point." )
	    .def_static(
	        "boxes", boxes, nb::arg( "boxes" ), nb::sig( "def boxes(boxes: ArrayLike) -> Mesh" ),
	        "The surfaces of boxes, n x 2 x 3: the min and the max of each. Twelve triangles a box; the cells of "
	        "an octree." )
	    .def_static(
	        "height_field", height_field, nb::arg( "heights" ), nb::arg( "origin" ) = nb::make_tuple( 0.0, 0.0 ),
	        nb::arg( "step" ) = nb::make_tuple( 1.0, 1.0 ),
	        nb::sig( "def height_field(heights: ArrayLike, origin: tuple[float, float] = (0.0, 0.0), step: "
	                 "tuple[float, float] = (1.0, 1.0)) -> Mesh" ),
	        "The surface of a grid of heights: heights[k, i] is at x = origin[0] + i step[0], y = origin[1] + k "
	        "step[1]. NaN is a\nhole." )
	    .def_static( "of", as_mesh, nb::arg( "object" ), nb::sig( "def of(object: MeshLike) -> Mesh" ),
	                 "A Mesh of what has triangles: a Mesh, the name of a file, a trimesh.Trimesh, a TriangleMesh of "
	                 "Open3D, or a tuple\nof vertices and faces. Without a copy where possible." )
	    .def( "save", save, nb::arg( "path" ), nb::arg( "format" ) = DBVH_MESH_FORMAT_AUTO,
	          nb::sig( "def save(self, path: str | bytes | os.PathLike[str], format: MeshFormat = MeshFormat.AUTO) -> "
	                   "None" ),
	          "Writes a file, its format by default after the ending. Text formats print the shortest digits that read "
	          "back to the\nsame double; STL rounds to float." )
	    .def( "audit", audit_of, "Is it closed, oriented, without defects? O(n log n)." )
	    .def( "component_labels", label_components, nb::sig( "def component_labels(self) -> NDArray[np.uint32]" ),
	          "For each triangle the index of its connected component in audit().components." )
	    .def_prop_ro( "vertices", vertices_of, nb::sig( "def vertices(self) -> NDArray[Any]" ),
	                  "n x 3: the array that was given, or a view that cannot be written to." )
	    .def_prop_ro( "faces", faces_of, nb::sig( "def faces(self) -> NDArray[Any]" ), "m x 3 numbers of vertices." )
	    .def_prop_ro( "vertex_count", []( const mesh &self ) { return self.view.vertex_count; } )
	    .def_prop_ro( "triangle_count", triangle_count )
	    .def_prop_ro(
	        "polygon_counts",
	        []( const mesh &self ) {
		        const dbvh_mesh_faces faces = self.owned ? dbvh_mesh_get_faces( self.owned.get() ) : dbvh_mesh_faces{};
		        return std::tuple( faces.polygon_count, faces.concave_count, faces.nonplanar_count );
	        },
	        "Faces of more than three corners that were in the file; of them, concave ones, and ones that are not "
	        "flat." )
	    .def_prop_ro(
	        "skipped_faces",
	        []( const mesh &self ) {
		        std::vector<std::tuple<size_t, std::optional<int64_t>>> out;
		        size_t count = 0;
		        const dbvh_skipped_face *faces =
		            self.owned ? dbvh_mesh_get_skipped_faces( self.owned.get(), &count ) : nullptr;
		        for ( size_t i = 0; i < count; ++i )
			        out.emplace_back( faces[i].face,
			                          faces[i].line > 0 ? std::optional<int64_t>( faces[i].line ) : std::nullopt );
		        return out;
	        },
	        nb::sig( "def skipped_faces(self) -> list[tuple[int, int | None]]" ),
	        "Faces of the file that skip_bad_faces left out: number and line, if it has lines. The mesh is open there, "
	        "and "
	        "triangles\nare numbered without them." )
	    .def_prop_ro( "bounds", bounds_of, nb::sig( "def bounds(self) -> NDArray[np.float64]" ),
	                  "2 x 3: the least and the largest coordinates of the vertices in use." )
	    .def(
	        "__reduce__",
	        []( nb::handle self ) {
		        return nb::make_tuple( self.type(), nb::make_tuple( vertices_of( self ), faces_of( self ) ) );
	        },
	        nb::sig( "def __reduce__(self) -> tuple[Any, ...]" ) )
	    .def( "__repr__", []( const mesh &self ) { return describe( self ); } );
}

} // namespace dualbvh_python
