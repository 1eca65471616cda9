// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "call.h"
#include "dualbvh/tree_file.h"
#include "objects.h"
#include "records.h"
#include "tree_options.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <vector>

namespace dualbvh_python {

namespace {

dbvh_tree_stats stats( const tree &t ) {
	return dbvh_tree_get_stats( reading( t ) );
}

void build( tree *self, nb::handle object, const dbvh_tree_options &options ) {
	const nb::object holder = as_mesh( object );
	const mesh &from = nb::cast<const mesh &>( holder );
	dbvh_tree *built = nullptr;
	dbvh_error error;
	const dbvh_status status =
	    without_gil( [&] { return dbvh_tree_build( &from.view, &options, nullptr, &built, &error ); } );
	check( status, error );
	new ( self ) tree( built );
}

void refit( tree &t, nb::handle object ) {
	const nb::object holder = as_mesh( object );
	const mesh &to = nb::cast<const mesh &>( holder );
	const writing alone( t );
	dbvh_error error;
	const dbvh_status status = without_gil( [&] { return dbvh_tree_refit( alone, &to.view, &error ); } );
	check( status, error );
}

std::string describe( const tree &t ) {
	const dbvh_tree_stats s = stats( t );
	char text[160];
	snprintf( text, sizeof text, "<dualbvh.Tree: %zu triangle%s, radius %.6g, %.1f MB%s>", s.triangle_count,
	          s.triangle_count == 1 ? "" : "s", s.sphere.radius, (double)s.bytes / 1e6,
	          dbvh_tree_get_options( reading( t ) ).topology ? "" : ", without topology" );
	return text;
}

std::vector<nb::object> open_loops( const tree &t, std::optional<size_t> component ) {
	const reading use( t );
	const size_t which = component.value_or( DBVH_ALL_COMPONENTS );
	dbvh_error error;
	size_t loop_count = 0, point_count = 0;
	check( dbvh_tree_open_loops( use, which, nullptr, 0, nullptr, 0, &loop_count, &point_count, &error ), error );
	std::vector<dbvh_open_loop> loops( loop_count );
	std::vector<double> points( 3 * point_count );
	const dbvh_status status = without_gil( [&] {
		return dbvh_tree_open_loops( use, which, loops.data(), loop_count,
		                             reinterpret_cast<double( * )[3]>( points.data() ), point_count, nullptr, nullptr,
		                             &error );
	} );
	check( status, error );
	std::vector<nb::object> result;
	for ( const dbvh_open_loop &loop : loops ) {
		new_array array( 3 * loop.point_count, format( "f8" ) );
		for ( size_t i = 0; i < 3 * loop.point_count; ++i )
			array.data<double>()[i] = points[3 * loop.first_point + i];
		result.push_back( array.release().attr( "reshape" )( -1, 3 ) );
	}
	return result;
}

nb::object node_dtype() {
	using T = dbvh_tree_node;
	return make_dtype(
	    { { "level", format( "u4" ), offsetof( T, level ) },
	      { "parent", format( "u4" ), offsetof( T, parent ) },
	      { "child", format( "u4" ), offsetof( T, child ) },
	      { "is_leaf", format( "?" ), offsetof( T, is_leaf ) },
	      { "first", format( "u4" ), offsetof( T, first ) },
	      { "triangle_count", format( "u4" ), offsetof( T, triangle_count ) },
	      { "sphere_centre", triple_format(), offsetof( T, sphere.centre ) },
	      { "sphere_radius", format( "f8" ), offsetof( T, sphere.radius ) },
	      { "box_centre", triple_format(), offsetof( T, box.centre ) },
	      { "box_axes", nb::make_tuple( "f8", nb::make_tuple( 3, 3 ) ), offsetof( T, box.axis ) },
	      { "box_half", triple_format(), offsetof( T, box.half ) },
	      { "has_ellipsoid", format( "?" ), offsetof( T, has_ellipsoid ) },
	      { "ellipsoid_centre", triple_format(), offsetof( T, ellipsoid.centre ) },
	      { "ellipsoid_axes", nb::make_tuple( "f8", nb::make_tuple( 3, 3 ) ), offsetof( T, ellipsoid.axis ) },
	      { "ellipsoid_half", triple_format(), offsetof( T, ellipsoid.half ) } },
	    sizeof( T ) );
}

std::pair<nb::object, nb::object> nodes( const tree &t, std::optional<size_t> most, nb::handle dtype ) {
	const reading use( t );
	const dbvh_tree_stats facts = dbvh_tree_get_stats( use );
	const size_t capacity = std::min( most.value_or( facts.node_count ), facts.node_count );
	std::vector<dbvh_tree_node> list( capacity );
	std::vector<uint32_t> order( facts.fragment_count );
	size_t count = 0;
	dbvh_error error;
	const dbvh_status status = without_gil(
	    [&] { return dbvh_tree_get_nodes( use, list.data(), capacity, order.data(), order.size(), &count, &error ); } );
	check( status, error );
	return { copy_to_array( list.data(), count, dtype ), copy_to_array( order, format( "u4" ) ) };
}

std::unique_ptr<dbvh_mesh, mesh_deleter> mesh_of( const tree &t ) {
	const reading use( t );
	dbvh_mesh *made = nullptr;
	dbvh_error error;
	const dbvh_status status = without_gil( [&] { return dbvh_tree_get_mesh( use, nullptr, &made, &error ); } );
	check( status, error );
	return std::unique_ptr<dbvh_mesh, mesh_deleter>( made );
}

/// The least and the largest coordinates of the triangles, whose vertices are all that the mesh has.
nb::object bounds( const tree &t ) {
	const auto owned = mesh_of( t );
	const dbvh_mesh_view view = dbvh_mesh_get_view( owned.get() );
	const auto *positions = static_cast<const double *>( view.positions );
	new_array box( 6, format( "f8" ) );
	double *const least = box.data<double>(), *const most = least + 3;
	std::copy_n( positions, 3, least );
	std::copy_n( positions, 3, most );
	for ( size_t i = 0; i < 3 * view.vertex_count; ++i ) {
		least[i % 3] = std::min( least[i % 3], positions[i] );
		most[i % 3] = std::max( most[i % 3], positions[i] );
	}
	return box.release().attr( "reshape" )( 2, 3 );
}

nb::object triangles( const tree &t ) {
	const auto owned = mesh_of( t );
	const dbvh_mesh_view view = dbvh_mesh_get_view( owned.get() );
	const auto *positions = static_cast<const double *>( view.positions );
	const auto *corners = static_cast<const uint32_t *>( view.indices );
	std::vector<double> list( 9 * view.triangle_count );
	for ( size_t i = 0; i < 3 * view.triangle_count; ++i )
		std::copy_n( positions + 3 * size_t( corners[i] ), 3, list.begin() + std::ptrdiff_t( 3 * i ) );
	return copy_to_array( list, format( "f8" ) ).attr( "reshape" )( view.triangle_count, 3, 3 );
}

void validate( const tree &t ) {
	const reading use( t );
	dbvh_error error;
	const dbvh_status status = without_gil( [&] { return dbvh_tree_validate( use, &error ); } );
	check( status, error );
}

[[noreturn]] void refuse_use( const char *why ) {
	PyErr_SetString( PyExc_RuntimeError, why );
	throw nb::python_error();
}

} // namespace

reading::reading( const tree &t ) : from( &t ) {
	if ( t.written )
		refuse_use( "the tree is being refitted by another call" );
	++t.readers;
}

writing::writing( tree &t ) : to( t ) {
	if ( t.readers > 0 || t.written )
		refuse_use( "the tree is in use, by a call on another thread or by a Scene, and cannot be refitted" );
	t.written = true;
}

void bind_tree( nb::module_ &m ) {
	nb::enum_<dbvh_fill_rule>( m, "FillRule", "The rule by which the closed surfaces of a mesh enclose points." )
	    .value( "NONZERO", DBVH_FILL_RULE_NONZERO, "those with a winding number that is not 0: bodies are united" )
	    .value( "EVEN_ODD", DBVH_FILL_RULE_EVEN_ODD, "those from where a ray crosses an odd number of triangles" );
	nb::enum_<dbvh_ellipsoids>( m, "Ellipsoids", "The choice of nodes that have an ellipsoid, too." )
	    .value( "NONE", DBVH_ELLIPSOIDS_NONE )
	    .value( "MIXED", DBVH_ELLIPSOIDS_MIXED, "where sample queries say that it saves more than it costs" )
	    .value( "ALL", DBVH_ELLIPSOIDS_ALL, "all nodes, for measurements" );
	nb::enum_<dbvh_fragments>( m, "Fragments", "The division of long triangles. Answers do not depend on it." )
	    .value( "FEW", DBVH_FRAGMENTS_FEW, "the few that are many times longer than the rest" )
	    .value( "NONE", DBVH_FRAGMENTS_NONE )
	    .value( "CHOSEN", DBVH_FRAGMENTS_CHOSEN, "where sample queries say that it saves more than it costs" )
	    .value( "ALL", DBVH_FRAGMENTS_ALL, "all long ones, for measurements" );
	nb::enum_<dbvh_node_sphere>( m, "SphereFit", "The sphere that encloses a node." )
	    .value( "SMALLEST", DBVH_NODE_SPHERE_SMALLEST )
	    .value( "BOX_CENTRE", DBVH_NODE_SPHERE_BOX_CENTRE )
	    .value( "RITTER", DBVH_NODE_SPHERE_RITTER );
	nb::enum_<dbvh_box_fit>( m, "BoxFit", "The choice of the axes of a node's box." )
	    .value( "BEST", DBVH_BOX_FIT_BEST )
	    .value( "COVARIANCE", DBVH_BOX_FIT_COVARIANCE )
	    .value( "RAPID", DBVH_BOX_FIT_RAPID );
	nb::enum_<dbvh_quality>( m, "Quality",
	                         "The time of a build against the speed of queries. Answers do not depend on it." )
	    .value( "BEST", DBVH_QUALITY_BEST, "the tree that queries are fastest with" )
	    .value( "FAST", DBVH_QUALITY_FAST, "several times faster to build, for meshes that change all the time" );
	nb::enum_<dbvh_split>( m, "Split", "The division of the triangles of a node." )
	    .value( "COST", DBVH_SPLIT_COST )
	    .value( "MEAN", DBVH_SPLIT_MEAN )
	    .value( "VARIANCE", DBVH_SPLIT_VARIANCE );

	const nb::object dtype = node_dtype();
	m.attr( "TREE_NODE_DTYPE" ) = dtype;
	nb::class_<tree> c( m, "Tree", nb::is_weak_referenceable(),
	                    R"(A bounding volume hierarchy over one mesh, which every query takes.

Tree(mesh, *, topology=True, reference=False, quality=Quality.BEST, fill=FillRule.NONZERO, ellipsoids=Ellipsoids.NONE,
     fragments=Fragments.FEW, leaf_size=0, sphere_fit=..., box_fit=..., split=..., threads=0)
    mesh      what Mesh.of() takes: a Mesh, the name of a file, a mesh of trimesh or Open3D, (vertices, faces)
    topology  keep what relate(), contacts(), locate_point() and the like need; False builds faster, and takes a
              fraction of the memory
    reference keep the reference tree even without topology, for the policies that ask for it
    quality   Quality.FAST builds several times faster, for slower queries; topology asks for BEST
    fill      what the mesh encloses, for those
    fragments Fragments.CHOSEN divides long triangles, as CAD and robots have them, where that makes queries faster
    threads   0: as many as OpenMP would use; the tree does not depend on it

Independent of the mesh; it changes only by refit(), and is free to be used from any number of threads at once.
O(n log n). Raises what Mesh() raises.)" );
	c.def(
	     "__init__",
	     []( tree *self, nb::handle object, DUALBVH_TREE_OPTIONS ) {
		     build( self, object, DUALBVH_TREE_OPTIONS_GIVEN );
	     },
	     nb::arg( "mesh" ), nb::kw_only(), DUALBVH_TREE_OPTION_ARGUMENTS,
	     nb::sig( "def __init__(self, mesh: MeshLike, *, " DUALBVH_TREE_OPTION_SIGNATURE ") -> None" ) )
	    .def_prop_ro( "triangle_count", []( const tree &t ) { return stats( t ).triangle_count; } )
	    .def_prop_ro(
	        "node_count", []( const tree &t ) { return stats( t ).node_count; },
	        "Nodes of the reference tree, kept or not." )
	    .def_prop_ro(
	        "fragment_count", []( const tree &t ) { return stats( t ).fragment_count; },
	        "Triangles in the leaves: fewer than the mesh has where some are the same, more where some are divided." )
	    .def_prop_ro( "leaf_count", []( const tree &t ) { return stats( t ).leaf_count; } )
	    .def_prop_ro( "depth", []( const tree &t ) { return stats( t ).depth; } )
	    .def_prop_ro(
	        "bytes", []( const tree &t ) { return stats( t ).bytes; }, "Memory of the whole tree." )
	    .def_prop_ro(
	        "packed_bytes", []( const tree &t ) { return stats( t ).packed_bytes; },
	        "Bytes of the packed form; 0 where there is none." )
	    .def_prop_ro(
	        "content_hash", []( const tree &t ) { return stats( t ).content_hash; },
	        "A hash of the triangles, in file order." )
	    .def_prop_ro(
	        "box", []( const tree &t ) { return stats( t ).box; }, nb::sig( "def box(self) -> Obb" ),
	        "An oriented box that encloses the mesh, in its frame, the shortest side first." )
	    .def_prop_ro( "bounds", bounds, nb::sig( "def bounds(self) -> NDArray[np.float64]" ),
	                  "2 x 3: the least and the largest coordinates of the mesh, in its frame, as of Mesh. O(n)." )
	    .def_prop_ro( "topology", []( const tree &t ) { return dbvh_tree_get_options( reading( t ) ).topology; } )
	    .def_prop_ro(
	        "centre", []( const tree &t ) { return to_array( stats( t ).sphere.centre ); },
	        "The centre of the smallest sphere that encloses the mesh, in its frame." )
	    .def_prop_ro(
	        "radius", []( const tree &t ) { return stats( t ).sphere.radius; }, "The radius of that sphere." )
	    .def(
	        "refit", refit, nb::arg( "mesh" ), nb::sig( "def refit(self, mesh: MeshLike) -> None" ),
	        R"(Moves the vertices: `mesh`, which Mesh.of() takes, has the triangles that the tree was built from, in the same order
and with the same corners, elsewhere.

Some ten times cheaper than building, and as exact; where the mesh has changed much, a new tree is faster to ask. A tree
that keeps its reference tree (as with topology, the default) is built anew instead, in the time of a build. Raises
InvalidArgument for another mesh; what Mesh() raises, Limit; RuntimeError while another thread uses the tree or a Scene
holds it. The tree is as it was then.)" )
	    .def(
	        "nodes", [dtype]( const tree &t, std::optional<size_t> most ) { return nodes( t, most, dtype ); },
	        nb::arg( "most" ) = nb::none(),
	        nb::sig( "def nodes(self, most: int | None = None) -> tuple[Records, NDArray[np.uint32]]" ),
	        "The upper part of the reference tree, level by level, at most so many nodes; None: all. For pictures and "
	        "studies;\nthe tree has to keep it (reference or topology).\nRecords of TREE_NODE_DTYPE, and the numbers "
	        "of "
	        "triangles in the order of the leaves: those of a "
	        "node are order[first:\nfirst + triangle_count]. 2**32 - 1 stands for no node." )
	    .def( "triangles", triangles, nb::sig( "def triangles(self) -> NDArray[np.float64]" ),
	          "The corners of the triangles that it was built from, in their order, n x 3 x 3." )
	    .def( "validate", validate, "Checks every invariant; raises Invariant with the first that is broken." )
	    .def( "open_loops", open_loops, nb::arg( "component" ) = nb::none(),
	          nb::sig( "def open_loops(self, component: int | None = None) -> list[NDArray[np.float64]]" ),
	          "The holes and ends of the surface: the points, k x 3, of every loop of open edges, of one component or "
	          "of all.\nRaises NoTopology, InvalidArgument (no such component)." )
	    .def( "__repr__", []( const tree &t ) { return describe( t ); } );
	bind_tree_files( m, c );
}

} // namespace dualbvh_python
