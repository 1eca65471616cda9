// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "call.h"
#include "dualbvh/tree_file.h"
#include "file_name.h"
#include "objects.h"
#include "tree_options.h"

#include <nanobind/stl/unique_ptr.h>

namespace dualbvh_python {

namespace {

dbvh_tree_load_options load_options( dbvh_file_check checks, uint32_t threads ) {
	dbvh_tree_load_options options = dbvh_tree_load_options_default();
	options.check = checks;
	options.thread_count = threads;
	return options;
}

std::unique_ptr<tree> load( nb::handle path, bool mapped, dbvh_file_check checks, thread_count threads ) {
	const file_name file( path );
	const char *name = file.encoded.c_str();
	const dbvh_tree_load_options options = load_options( checks, threads );
	dbvh_tree *loaded = nullptr;
	dbvh_error error;
	const auto function = mapped ? dbvh_tree_map : dbvh_tree_load;
	if ( without_gil( [&] { return function( name, &options, nullptr, &loaded, &error ); } ) != DBVH_OK )
		raise( error, file.shown );
	return std::make_unique<tree>( loaded );
}

void save( const tree &t, nb::handle path ) {
	const file_name file( path );
	const char *name = file.encoded.c_str();
	const reading use( t );
	dbvh_error error;
	if ( without_gil( [&] { return dbvh_tree_save( use, name, &error ); } ) != DBVH_OK )
		raise( error, file.shown );
}

std::unique_ptr<tree> parse( nb::handle bytes, dbvh_file_check checks, thread_count threads ) {
	buffer memory;
	if ( !memory.borrow( bytes, PyBUF_SIMPLE ) )
		throw nb::type_error( "data must be bytes, or something else that lends contiguous memory" );
	const dbvh_tree_load_options options = load_options( checks, threads );
	dbvh_tree *parsed = nullptr;
	dbvh_error error;
	const dbvh_status status = without_gil( [&] {
		return dbvh_tree_parse( memory.get().buf, (size_t)memory.get().len, &options, nullptr, &parsed, &error );
	} );
	check( status, error );
	return std::make_unique<tree>( parsed );
}

nb::bytes to_bytes( const tree &t ) {
	const reading use( t );
	size_t count = 0;
	dbvh_error error;
	check( without_gil( [&] { return dbvh_tree_write( use, nullptr, 0, &count, &error ); } ), error );
	nb::bytes bytes( nullptr, count );
	void *const room =
	    PyBytes_AsString( bytes.ptr() ); // no other code holds the new object yet, so that writing to it is allowed
	check( without_gil( [&] { return dbvh_tree_write( use, room, count, &count, &error ); } ), error );
	return bytes;
}

std::unique_ptr<tree> build_cached( nb::handle object, nb::handle folder, bool mapped, dbvh_file_check checks,
                                    const dbvh_tree_options &options ) {
	const nb::object holder = as_mesh( object );
	const mesh &from = nb::cast<const mesh &>( holder );
	const file_name file( folder );
	const char *name = file.encoded.c_str();
	const dbvh_tree_load_options loading = load_options( checks, options.thread_count );
	dbvh_tree *built = nullptr;
	dbvh_error error;
	const dbvh_status status = without_gil( [&] {
		return dbvh_tree_build_cached( &from.view, &options, name, mapped, &loading, nullptr, &built, nullptr, &error );
	} );
	check( status, error );
	return std::make_unique<tree>( built );
}

std::unique_ptr<mesh> mesh_of( const tree &t ) {
	const reading use( t );
	dbvh_mesh *made = nullptr;
	dbvh_error error;
	check( without_gil( [&] { return dbvh_tree_get_mesh( use, nullptr, &made, &error ); } ), error );
	return std::make_unique<mesh>( made );
}

nb::dict options_of( const tree &t ) {
	const dbvh_tree_options options = dbvh_tree_get_options( reading( t ) );
	nb::dict found;
	found["topology"] = options.topology;
	found["reference"] = options.reference;
	found["quality"] = options.quality;
	found["fill"] = options.fill;
	found["ellipsoids"] = options.ellipsoids;
	found["fragments"] = options.fragments;
	found["leaf_size"] = options.leaf_size;
	found["sphere_fit"] = options.sphere_fit;
	found["box_fit"] = options.box_fit;
	found["split"] = options.split;
	found["threads"] = options.thread_count;
	return found;
}

} // namespace

void bind_tree_files( nb::module_ &m, nb::class_<tree> &c ) {
	nb::enum_<dbvh_file_check>( m, "FileCheck", "The checks of a file before its tree is handed out." )
	    .value( "SAMPLED", DBVH_FILE_CHECK_SAMPLED,
	            "checksums, and that no query can go astray; of one leaf in 64, that volumes enclose it" )
	    .value( "WHOLE", DBVH_FILE_CHECK_WHOLE, "and everything that validate() asks" )
	    .value( "NONE", DBVH_FILE_CHECK_NONE,
	            "the head alone, for files that nobody else can have written or damaged" );
	c.def_static( "load", load, nb::arg( "path" ), nb::kw_only(), nb::arg( "mapped" ) = false,
	              nb::arg( "check" ) = DBVH_FILE_CHECK_SAMPLED, nb::arg( "threads" ) = 0,
	              nb::sig( "def load(path: FileName, *, mapped: bool = False, check: FileCheck = "
	                       "FileCheck.SAMPLED, threads: int = 0) -> Tree" ),
	              R"(Reads a tree that save() has written, some thirty times faster than building it.

mapped  answer from the file where it is, which processes then share; it must not be changed in place meanwhile

Raises IoError, UnknownFormat (no tree, or of another version), Truncated, Malformed, Invariant, Limit.)" )
	    .def( "save", save, nb::arg( "path" ), nb::sig( "def save(self, path: FileName) -> None" ),
	          "Writes the tree to a file, which is replaced as a whole. The same on every machine. Raises IoError." )
	    .def_static( "parse", parse, nb::arg( "data" ), nb::kw_only(), nb::arg( "check" ) = DBVH_FILE_CHECK_SAMPLED,
	                 nb::arg( "threads" ) = 0,
	                 nb::sig( "def parse(data: Buffer, *, check: FileCheck = FileCheck.SAMPLED, threads: int = 0) -> "
	                          "Tree" ),
	                 "load() of bytes in memory, which are copied." )
	    .def( "to_bytes", to_bytes, nb::sig( "def to_bytes(self) -> Bytes" ),
	          "The bytes that save() would write. Trees are pickled that way, too." )
	    .def_static(
	        "cached",
	        []( nb::handle object, nb::handle folder, bool mapped, dbvh_file_check checks, DUALBVH_TREE_OPTIONS ) {
		        return build_cached( object, folder, mapped, checks, DUALBVH_TREE_OPTIONS_GIVEN );
	        },
	        nb::arg( "mesh" ), nb::arg( "folder" ), nb::kw_only(), nb::arg( "mapped" ) = false,
	        nb::arg( "check" ) = DBVH_FILE_CHECK_SAMPLED, DUALBVH_TREE_OPTION_ARGUMENTS,
	        nb::sig( "def cached(mesh: MeshLike, folder: FileName, *, mapped: bool = False, "
	                 "check: FileCheck = FileCheck.SAMPLED, " DUALBVH_TREE_OPTION_SIGNATURE ") -> Tree" ),
	        "Tree(mesh, ...) from a file of `folder` where it is there, else built and saved there. What is found is "
	        "compared with\nthe mesh, triangle by triangle; a folder that cannot be written costs time and nothing "
	        "else. Raises what Tree() raises." )
	    .def( "mesh", mesh_of,
	          "The triangles as a Mesh of its own, in file order; vertices that no triangle uses are gone." )
	    .def_prop_ro( "options", options_of, nb::sig( "def options(self) -> dict[str, Any]" ),
	                  "The options of the build: Tree(mesh, **options)." )
	    .def(
	        "__reduce__",
	        []( nb::handle self ) {
		        return nb::make_tuple( nb::module_::import_( "dualbvh.interop" ).attr( "tree_from_bytes" ),
		                               nb::make_tuple( to_bytes( nb::cast<const tree &>( self ) ) ) );
	        },
	        nb::sig( "def __reduce__(self) -> tuple[Any, ...]" ) );
}

} // namespace dualbvh_python
