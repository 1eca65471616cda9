// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "contact.h"

#include "ask.h"
#include "state.h"
#include "team.h"

#include <cstdio>

namespace dualbvh_python {

namespace {

/// Runs a query of contacts. `call( query, contacts, error )` calls a function of the library with these as its last
/// arguments.
template <class Call> void ask_contacts( thread_count threads, uint64_t max_work, const contacts &into, Call &&call ) {
	interruption interrupted( max_work );
	dbvh_contacts_query query = dbvh_contacts_query_default();
	query.thread_count = threads;
	query.budget = interrupted.budget();
	dbvh_error error;
	const dbvh_status status = without_gil( [&] { return call( query, into.owned.get(), &error ); } );
	check( status, error, interrupted );
}

contacts find( const tree &a, const tree &b, nb::handle pose_b, nb::handle pose_a, thread_count threads,
               uint64_t max_work ) {
	const posed_pair pair( a, b, pose_b, pose_a );
	contacts found;
	ask_contacts( threads, max_work, found,
	              [&]( const dbvh_contacts_query &query, dbvh_contacts *into, dbvh_error *error ) {
		              return dbvh_contacts_find( pair.a.tree, pair.a.pose.get(), pair.b.tree, pair.b.pose.get(), &query,
		                                         into, error );
	              } );
	return found;
}

std::vector<contacts> find_batch( const posed_batch &batch, const batch_limits &limits, const std::string &errors ) {
	const refusals refused( errors );
	std::vector<contacts> found( batch.poses_b.count() );
	std::vector<dbvh_status> statuses;
	interruption interrupted;
	dbvh_error error;
	const dbvh_status status = without_gil( [&] {
		return ask_each( found.size(), limits, interrupted, error, statuses,
		                 [&]( size_t i, dbvh_workspace *, const dbvh_budget *budget, dbvh_error *e ) {
			                 dbvh_contacts_query query = dbvh_contacts_query_default();
			                 query.budget = budget;
			                 return dbvh_contacts_find( batch.a.tree, batch.a.pose.get(), batch.b,
			                                            &batch.poses_b.data()[i], &query, found[i].owned.get(), e );
		                 } );
	} );
	refused.check( status, error, interrupted );
	for ( size_t i = 0; i < found.size(); ++i ) {
		if ( statuses[i] == DBVH_OK )
			continue;
		found[i] = contacts();
		found[i].status = statuses[i];
	}
	return found;
}

// ------------------------------------------------------------------------------------------------
// Records

nb::object feature_dtype() {
	using T = dbvh_feature;
	return make_dtype( { { "triangle", format( "u4" ), offsetof( T, triangle ) },
	                     { "kind", format( "i4" ), offsetof( T, kind ) },
	                     { "index", format( "u4" ), offsetof( T, index ) } },
	                   sizeof( T ) );
}

nb::object point_dtype() {
	using T = dbvh_contact_point;
	return make_dtype( { { "position", triple_format(), offsetof( T, position ) },
	                     { "a", feature_dtype(), offsetof( T, a ) },
	                     { "b", feature_dtype(), offsetof( T, b ) },
	                     { "steps", format( "u4" ), offsetof( T, steps ) },
	                     { "cluster", format( "u4" ), offsetof( T, cluster ) } },
	                   sizeof( T ) );
}

nb::object contact_dtype() {
	using T = dbvh_contact;
	return make_dtype( { { "pair", pair_dtype(), offsetof( T, pair ) },
	                     { "kind", format( "i4" ), offsetof( T, kind ) },
	                     { "corner_count", format( "u4" ), offsetof( T, corner_count ) },
	                     { "first_corner", format( "u8" ), offsetof( T, first_corner ) },
	                     { "cluster", format( "u4" ), offsetof( T, cluster ) } },
	                   sizeof( T ) );
}

nb::object polyline_dtype() {
	using T = dbvh_polyline;
	return make_dtype( { { "first", format( "u8" ), offsetof( T, first ) },
	                     { "point_count", format( "u8" ), offsetof( T, point_count ) },
	                     { "length", format( "f8" ), offsetof( T, length ) },
	                     { "kind", format( "i4" ), offsetof( T, kind ) },
	                     { "cluster", format( "u4" ), offsetof( T, cluster ) },
	                     { "closed", format( "?" ), offsetof( T, closed ) },
	                     { "directed", format( "?" ), offsetof( T, directed ) } },
	                   sizeof( T ) );
}

nb::object path_dtype() {
	using T = dbvh_path_entry;
	return make_dtype(
	    { { "point", format( "u4" ), offsetof( T, point ) }, { "contact", format( "u4" ), offsetof( T, contact ) } },
	    sizeof( T ) );
}

nb::object cluster_dtype() {
	using T = dbvh_cluster;
	return make_dtype( { { "min", triple_format(), offsetof( T, bounds.min ) },
	                     { "max", triple_format(), offsetof( T, bounds.max ) },
	                     { "length", format( "f8" ), offsetof( T, length ) },
	                     { "area", format( "f8" ), offsetof( T, area ) },
	                     { "first_polyline", format( "u8" ), offsetof( T, first_polyline ) },
	                     { "polyline_count", format( "u8" ), offsetof( T, polyline_count ) },
	                     { "contact_count", format( "u8" ), offsetof( T, contact_count ) },
	                     { "point_count", format( "u8" ), offsetof( T, point_count ) },
	                     { "triangle_count_a", format( "u8" ), offsetof( T, triangle_count_a ) },
	                     { "triangle_count_b", format( "u8" ), offsetof( T, triangle_count_b ) } },
	                   sizeof( T ) );
}

nb::object polyline( const contacts &c, size_t index ) {
	const dbvh_contacts_view view = c.view();
	if ( index >= view.polyline_count )
		throw nb::index_error( "there is no such polyline" );
	const dbvh_polyline &line = view.polylines[index];
	new_array points( 3 * line.point_count, format( "f8" ) );
	for ( size_t i = 0; i < line.point_count; ++i )
		std::memcpy( points.data<double>() + 3 * i, view.points[view.path[line.first + i].point].position,
		             3 * sizeof( double ) );
	return points.release().attr( "reshape" )( -1, 3 );
}

using contacts_state = std::tuple<byte_state, byte_state, byte_state, byte_state, byte_state, byte_state, int32_t>;

contacts_state get_state( const contacts &c ) {
	const dbvh_contacts_view v = c.view();
	return { to_state( v.contacts, v.contact_count ),
	         to_state( v.corners, v.corner_count ),
	         to_state( v.points, v.point_count ),
	         to_state( v.polylines, v.polyline_count ),
	         to_state( v.path, v.path_count ),
	         to_state( v.clusters, v.cluster_count ),
	         c.status };
}

void set_state( contacts *self, const contacts_state &state ) {
	const auto &[contacts_of, corners, points, polylines, path, clusters, status] = state;
	new ( self )
	    contacts( contacts_arrays( from_state<dbvh_contact>( contacts_of ), from_state<uint32_t>( corners ),
	                               from_state<dbvh_contact_point>( points ), from_state<dbvh_polyline>( polylines ),
	                               from_state<dbvh_path_entry>( path ), from_state<dbvh_cluster>( clusters ) ) );
	self->status = status;
}

std::string describe( const contacts &c ) {
	const dbvh_contacts_view view = c.view();
	char text[160];
	snprintf( text, sizeof text,
	          "<dualbvh.Contacts: %zu pairs of triangles, %zu cluster%s, %zu polyline%s, %zu points>",
	          view.contact_count, view.cluster_count, view.cluster_count == 1 ? "" : "s", view.polyline_count,
	          view.polyline_count == 1 ? "" : "s", view.point_count );
	return text;
}

// ------------------------------------------------------------------------------------------------
// Overlap and separation

std::optional<nb::object> overlap_extents( const tree &a, const tree &b, nb::handle directions, nb::handle pose_b,
                                           nb::handle pose_a, thread_count threads, uint64_t max_work ) {
	const posed_pair pair( a, b, pose_b, pose_a );
	const doubles along( directions, "directions" );
	along.expect( { -1, 3 } );
	new_array extents( 2 * along.extent( 0 ), format( "f8" ) );
	dbvh_extent *out = extents.data<dbvh_extent>();
	bool common = false;
	ask_contacts( threads, max_work, contacts(),
	              [&]( const dbvh_contacts_query &query, dbvh_contacts *scratch, dbvh_error *error ) {
		              return dbvh_overlap_extents( pair.a.tree, pair.a.pose.get(), pair.b.tree, pair.b.pose.get(),
		                                           along.data(), along.extent( 0 ), &query, scratch, out, &common,
		                                           error );
	              } );
	if ( !common )
		return std::nullopt;
	return extents.release().attr( "reshape" )( -1, 2 );
}

dbvh_separation separating_translation( const tree &a, const tree &b, nb::handle pose_b, nb::handle pose_a,
                                        thread_count threads, uint64_t max_work ) {
	const posed_pair pair( a, b, pose_b, pose_a );
	dbvh_separation separation;
	ask_contacts( threads, max_work, contacts(),
	              [&]( const dbvh_contacts_query &query, dbvh_contacts *scratch, dbvh_error *error ) {
		              return dbvh_separating_translation( pair.a.tree, pair.a.pose.get(), pair.b.tree,
		                                                  pair.b.pose.get(), &query, scratch, &separation, error );
	              } );
	return separation;
}

void bind_classes( nb::module_ &m ) {
	nb::enum_<dbvh_feature_kind>( m, "FeatureKind", "A part of a mesh.", nb::is_arithmetic() )
	    .value( "VERTEX", DBVH_FEATURE_KIND_VERTEX )
	    .value( "EDGE", DBVH_FEATURE_KIND_EDGE )
	    .value( "TRIANGLE", DBVH_FEATURE_KIND_TRIANGLE );
	nb::enum_<dbvh_contact_kind>( m, "ContactKind", "The intersection of two triangles.", nb::is_arithmetic() )
	    .value( "POINT", DBVH_CONTACT_KIND_POINT )
	    .value( "SEGMENT", DBVH_CONTACT_KIND_SEGMENT )
	    .value( "POLYGON", DBVH_CONTACT_KIND_POLYGON, "they lie in one plane" );
	nb::enum_<dbvh_polyline_kind>( m, "PolylineKind", "The kind of a polyline.", nb::is_arithmetic() )
	    .value( "CURVE", DBVH_POLYLINE_KIND_CURVE, "surfaces cross, or touch along a line" )
	    .value( "BOUNDARY", DBVH_POLYLINE_KIND_BOUNDARY, "of a flat region where surfaces lie on each other" );

	const nb::object contact = contact_dtype(), point = point_dtype(), line = polyline_dtype(), path = path_dtype(),
	                 cluster = cluster_dtype();
	nb::class_<contacts>(
	    m, "Contacts", nb::is_weak_referenceable(),
	    "The contacts of two meshes. Positions and lengths are in the frame of A. Arrays are copies." )
	    .def_prop_ro(
	        "contacts",
	        [contact]( const contacts &c ) {
		        return copy_to_array( c.view().contacts, c.view().contact_count, contact );
	        },
	        nb::sig( "def contacts(self) -> Records" ),
	        "One record a pair of triangles: pair, kind (ContactKind), corner_count, first_corner, cluster." )
	    .def_prop_ro(
	        "corners",
	        []( const contacts &c ) {
		        return copy_to_array( c.view().corners, c.view().corner_count, format( "u4" ) );
	        },
	        nb::sig( "def corners(self) -> NDArray[np.uint32]" ), "Indices into points, which contacts refer to." )
	    .def_prop_ro(
	        "points",
	        [point]( const contacts &c ) { return copy_to_array( c.view().points, c.view().point_count, point ); },
	        nb::sig( "def points(self) -> Records" ),
	        "position, the features a and b that intersect there (triangle, kind, index), steps, cluster." )
	    .def_prop_ro(
	        "polylines",
	        [line]( const contacts &c ) { return copy_to_array( c.view().polylines, c.view().polyline_count, line ); },
	        nb::sig( "def polylines(self) -> Records" ),
	        "first and point_count (of path), length, kind (PolylineKind), cluster, closed, directed." )
	    .def_prop_ro(
	        "path", [path]( const contacts &c ) { return copy_to_array( c.view().path, c.view().path_count, path ); },
	        nb::sig( "def path(self) -> Records" ), "The points along polylines, and the contact of each step." )
	    .def_prop_ro(
	        "clusters",
	        [cluster]( const contacts &c ) {
		        return copy_to_array( c.view().clusters, c.view().cluster_count, cluster );
	        },
	        nb::sig( "def clusters(self) -> Records" ),
	        "Connected parts: min, max, length, area, polylines and counts of what is in them." )
	    .def_ro( "status", &contacts::status,
	             "0; of contacts_batch() with errors='keep' the number that records have as `status`, where a pose was "
	             "refused." )
	    .def( "polyline", polyline, nb::arg( "index" ),
	          nb::sig( "def polyline(self, index: int) -> NDArray[np.float64]" ),
	          "The points of a polyline, k x 3; a closed one also goes from the last to the first." )
	    .def(
	        "__len__", []( const contacts &c ) { return c.view().contact_count; }, "Pairs of triangles." )
	    .def( "__bool__", []( const contacts &c ) { return c.view().contact_count > 0; } )
	    .def( "__getstate__", get_state, nb::sig( "def __getstate__(self) -> tuple[Any, ...]" ) )
	    .def( "__setstate__", set_state, nb::arg( "state" ),
	          nb::sig( "def __setstate__(self, state: tuple[Any, ...]) -> None" ) )
	    .def( "__repr__", []( const contacts &c ) { return describe( c ); } );

	nb::class_<dbvh_separation>( m, "Separation", "A translation that separates two bodies." )
	    .def_ro( "disjoint", &dbvh_separation::disjoint, "The bodies are disjoint as given; all else is 0." )
	    .def_ro( "length", &dbvh_separation::length, "An upper bound of the penetration depth." )
	    .def_prop_ro(
	        "translation", []( const dbvh_separation &s ) { return to_array( s.translation ); },
	        "The translation of B, in the frame of A." )
	    .def_prop_ro(
	        "pose_b", []( const dbvh_separation &s ) { return pose_to_array( s.pose_b ); },
	        nb::sig( "def pose_b(self) -> NDArray[np.float64]" ), "B's pose after it, 3 x 4." )
	    .def( "__repr__", []( const dbvh_separation &s ) {
		    return s.disjoint ? std::string( "<dualbvh.Separation: disjoint>" )
		                      : "<dualbvh.Separation: by " + number_text( s.length ) + ", " +
		                            point_text( s.translation ) + ">";
	    } );
	bind_state<dbvh_separation>( m, "Separation" );
}

} // namespace

contacts::contacts() {
	dbvh_contacts *made = nullptr;
	dbvh_error error;
	check( dbvh_contacts_create( nullptr, &made, &error ), error );
	owned.reset( made );
}

dbvh_contacts_view contacts::view() const {
	if ( owned )
		return dbvh_contacts_get( owned.get() );
	const auto &[contacts, corners, points, polylines, path, clusters] = *restored;
	return { contacts.data(),  contacts.size(),  corners.data(), corners.size(), points.data(),   points.size(),
	         polylines.data(), polylines.size(), path.data(),    path.size(),    clusters.data(), clusters.size() };
}

void bind_contact( nb::module_ &m ) {
	bind_classes( m );
	m.def( "contacts", find, nb::arg( "a" ), nb::arg( "b" ), nb::arg( "pose_b" ) = nb::none(),
	       nb::arg( "pose_a" ) = nb::none(), nb::kw_only(), nb::arg( "threads" ) = 1, nb::arg( "max_work" ) = 0,
	       nb::sig( "def contacts(a: Tree, b: Tree, pose_b: PoseLike | None = None, pose_a: PoseLike | None = None, *, "
	                "threads: int = 1, max_work: int = 0) -> Contacts" ),
	       "Along which points, curves and regions do A and B intersect? Decided exactly, positions rounded once. "
	       "Raises what\ncollide() raises, NoTopology, Limit." );
	const auto batch = []( const tree &a, const tree &b, nb::handle poses_b, nb::handle pose_a, thread_count threads,
	                       uint64_t max_work, uint64_t max_total, const std::string &errors ) {
		return find_batch( { a, b, poses_b, pose_a }, { threads, max_work, max_total }, errors );
	};
	m.def( "contacts_batch", batch, nb::arg( "a" ), nb::arg( "b" ), nb::arg( "poses_b" ),
	       nb::arg( "pose_a" ) = nb::none(), nb::kw_only(), nb::arg( "threads" ) = 0, nb::arg( "max_work" ) = 0,
	       nb::arg( "max_total" ) = 0, nb::arg( "errors" ) = "raise",
	       nb::sig( "def contacts_batch(a: Tree, b: Tree, poses_b: PosesLike, pose_a: PoseLike | None = None, *, "
	                "threads: int = 0, max_work: int = 0, max_total: int = 0, errors: OnError = 'raise') -> "
	                "list[Contacts]" ),
	       "contacts() for B at each of n poses, on several threads. Limits and errors as of collide_batch(): kept, "
	       "the Contacts of\na refused pose are empty, and have its `status`." );
	m.def( "overlap_extents", overlap_extents, nb::arg( "a" ), nb::arg( "b" ), nb::arg( "directions" ),
	       nb::arg( "pose_b" ) = nb::none(), nb::arg( "pose_a" ) = nb::none(), nb::kw_only(), nb::arg( "threads" ) = 1,
	       nb::arg( "max_work" ) = 0,
	       nb::sig( "def overlap_extents(a: Tree, b: Tree, directions: ArrayLike, pose_b: PoseLike | None = None, "
	                "pose_a: PoseLike | None = None, *, threads: int = 1, max_work: int = 0) -> NDArray[np.float64] | "
	                "None" ),
	       "The extents of the common points of both bodies along n x 3 directions, in the frame of A: n x 2, the "
	       "least and the\nlargest direction . x. None where there is no common point." );
	m.def( "separating_translation", separating_translation, nb::arg( "a" ), nb::arg( "b" ),
	       nb::arg( "pose_b" ) = nb::none(), nb::arg( "pose_a" ) = nb::none(), nb::kw_only(), nb::arg( "threads" ) = 1,
	       nb::arg( "max_work" ) = 0,
	       nb::sig( "def separating_translation(a: Tree, b: Tree, pose_b: PoseLike | None = None, pose_a: PoseLike | "
	                "None = None, *, threads: int = 1, max_work: int = 0) -> Separation" ),
	       "A translation of B after which relate() says DISJOINT; its length is an upper bound of the penetration "
	       "depth." );
}

} // namespace dualbvh_python
