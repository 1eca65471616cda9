// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "dualbvh/relation.h"

#include "ask.h"
#include "state.h"
#include "team.h"

#include <vector>

namespace dualbvh_python {

namespace {

using result_t = dbvh_relate_result;

nb::object relate_dtype() {
	using T = result_t;
	return make_dtype( { { "relation", format( "i4" ), offsetof( T, relation ) },
	                     { "exact", format( "i4" ), offsetof( T, exact ) },
	                     { "surface_relation", format( "i4" ), offsetof( T, surface_relation ) },
	                     { "undecided", format( "i4" ), offsetof( T, undecided ) },
	                     { "ambiguous_a", format( "?" ), offsetof( T, ambiguous_a ) },
	                     { "ambiguous_b", format( "?" ), offsetof( T, ambiguous_b ) },
	                     { "surfaces_intersect", format( "?" ), offsetof( T, surfaces_intersect ) },
	                     { "first", pair_dtype(), offsetof( T, first ) },
	                     { "separation", triple_format(), offsetof( T, separation ) },
	                     { "status", format( "i4" ), offsetof( T, status ) } },
	                   sizeof( T ) );
}

dbvh_relate_query relate_query( double touch_gap, double touch_overlap, bool open_holds_nothing ) {
	dbvh_relate_query query = dbvh_relate_query_default();
	query.touch_gap = touch_gap;
	query.touch_overlap = touch_overlap;
	query.open_holds_nothing = open_holds_nothing;
	return query;
}

result_t relate( const tree &a, const tree &b, nb::handle pose_b, nb::handle pose_a, double touch_gap,
                 double touch_overlap, bool open_holds_nothing, uint64_t max_work ) {
	return ask_pair( dbvh_relate, { a, b, pose_b, pose_a },
	                 relate_query( touch_gap, touch_overlap, open_holds_nothing ), max_work );
}

dbvh_location locate_point( const tree &t, nb::handle point, nb::handle pose ) {
	const vector3 x( point, "point" );
	const posed_tree mesh( t, pose );
	dbvh_location location;
	dbvh_error error;
	const dbvh_status status =
	    without_gil( [&] { return dbvh_locate_point( mesh.tree, mesh.pose.get(), x.x, &location, &error ); } );
	check( status, error );
	return location;
}

nb::object locate_point_batch( const tree &t, nb::handle points, nb::handle pose, thread_count threads,
                               const std::string &errors, nb::handle dtype ) {
	const refusals refused( errors );
	const doubles x( points, "points" );
	x.expect( { -1, 3 } );
	const posed_tree mesh( t, pose );
	std::vector<dbvh_location> locations( x.extent( 0 ) );
	static_assert( sizeof( dbvh_location ) == sizeof( int32_t ), "as numpy sees it" );
	std::vector<dbvh_status> statuses;
	interruption interrupted;
	dbvh_error error;
	const dbvh_status status = without_gil( [&] {
		return ask_each( x.extent( 0 ), { threads, 0, 0 }, interrupted, error, statuses,
		                 [&]( size_t i, dbvh_workspace *, const dbvh_budget *, dbvh_error *e ) {
			                 return dbvh_locate_point( mesh.tree, mesh.pose.get(), x.data() + 3 * i, &locations[i], e );
		                 } );
	} );
	refused.check( status, error, interrupted );
	return values_or_records( locations, statuses, refused, format( "i4" ), dtype );
}

/// Components by their numbers, as Mesh.audit() orders them.
std::optional<std::pair<size_t, size_t>> to_doubt( const dbvh_doubt &doubt, dbvh_undecided undecided,
                                                   dbvh_undecided this_open ) {
	if ( undecided != this_open && undecided != DBVH_UNDECIDED_BOTH_OPEN )
		return std::nullopt;
	return std::pair( doubt.open_component, doubt.held_component );
}

std::string describe( const result_t &r ) {
	return std::string( "<dualbvh.RelateResult: " ) + dbvh_relation_name( r.relation ) +
	       ( r.relation != r.exact ? std::string( ", exactly " ) + dbvh_relation_name( r.exact ) : "" ) + ">";
}

} // namespace

void bind_relation( nb::module_ &m ) {
	nb::enum_<dbvh_relation>( m, "Relation", "The relation of two bodies.", nb::is_arithmetic() )
	    .value( "DISJOINT", DBVH_RELATION_DISJOINT, "no common point" )
	    .value( "TOUCHING", DBVH_RELATION_TOUCHING, "surfaces alone" )
	    .value( "OVERLAPPING", DBVH_RELATION_OVERLAPPING, "more, and each has points outside the other" )
	    .value( "A_IN_B", DBVH_RELATION_A_IN_B, "surfaces may touch" )
	    .value( "B_IN_A", DBVH_RELATION_B_IN_A )
	    .value( "EQUAL", DBVH_RELATION_EQUAL, "however the surfaces are cut into triangles" )
	    .value( "UNDECIDABLE", DBVH_RELATION_UNDECIDABLE, "an open surface may hold the other mesh, or may not" );
	nb::enum_<dbvh_location>( m, "Location", "The location of a point relative to a mesh.", nb::is_arithmetic() )
	    .value( "OUTSIDE", DBVH_LOCATION_OUTSIDE )
	    .value( "ON_SURFACE", DBVH_LOCATION_ON_SURFACE )
	    .value( "INSIDE", DBVH_LOCATION_INSIDE )
	    .value( "UNDECIDABLE", DBVH_LOCATION_UNDECIDABLE, "within the bounding box of open components" );
	nb::enum_<dbvh_undecided>( m, "Undecided", "Whose open components are in the way.", nb::is_arithmetic() )
	    .value( "NOT", DBVH_UNDECIDED_NOT )
	    .value( "A_OPEN", DBVH_UNDECIDED_A_OPEN )
	    .value( "B_OPEN", DBVH_UNDECIDED_B_OPEN )
	    .value( "BOTH_OPEN", DBVH_UNDECIDED_BOTH_OPEN );

	nb::class_<result_t>( m, "RelateResult", "The answer of relate()." )
	    .def_ro( "relation", &result_t::relation )
	    .def_ro( "exact", &result_t::exact, "The relation without tolerances." )
	    .def_ro( "surface_relation", &result_t::surface_relation, "The relation if open components hold nothing." )
	    .def_ro( "undecided", &result_t::undecided )
	    .def_prop_ro(
	        "doubt_a", []( const result_t &r ) { return to_doubt( r.doubt_a, r.undecided, DBVH_UNDECIDED_A_OPEN ); },
	        "If A is open and that leaves the relation in doubt: an open component of A, and one of B that it may "
	        "hold; else None." )
	    .def_prop_ro(
	        "doubt_b", []( const result_t &r ) { return to_doubt( r.doubt_b, r.undecided, DBVH_UNDECIDED_B_OPEN ); },
	        "As doubt_a, for an open B." )
	    .def_ro( "fill_a", &result_t::fill_a, "The fill rule of A." )
	    .def_ro( "fill_b", &result_t::fill_b )
	    .def_ro( "ambiguous_a", &result_t::ambiguous_a, "True if `exact` would differ with the other fill rule for A." )
	    .def_ro( "ambiguous_b", &result_t::ambiguous_b )
	    .def_ro( "surfaces_intersect", &result_t::surfaces_intersect,
	             "True if collide() says that the surfaces intersect." )
	    .def_prop_ro(
	        "first",
	        []( const result_t &r ) -> std::optional<triangle_pair> {
		        if ( !r.surfaces_intersect )
			        return std::nullopt;
		        return to_pair( r.first );
	        },
	        "A triangle of A and one of B that intersect; None where there are none." )
	    .def_prop_ro(
	        "separation", []( const result_t &r ) { return to_array( r.separation ); },
	        "A translation of B that leaves no point inside both, where touch_overlap made the relation TOUCHING." )
	    .def( "__repr__", describe );

	bind_state<result_t>( m, "RelateResult" );
	const nb::object dtype = relate_dtype();
	m.attr( "RELATE_DTYPE" ) = dtype;

	m.def(
	    "relate", relate, nb::arg( "a" ), nb::arg( "b" ), nb::arg( "pose_b" ) = nb::none(),
	    nb::arg( "pose_a" ) = nb::none(), nb::kw_only(), nb::arg( "touch_gap" ) = 0.0, nb::arg( "touch_overlap" ) = 0.0,
	    nb::arg( "open_holds_nothing" ) = false, nb::arg( "max_work" ) = 0,
	    nb::sig( "def relate(a: Tree, b: Tree, pose_b: PoseLike | None = None, pose_a: PoseLike | None = None, *, "
	             "touch_gap: float = 0.0, touch_overlap: float = 0.0, open_holds_nothing: bool = False, max_work: "
	             "int = 0) -> RelateResult" ),
	    R"(The relation of A at pose_a and B at pose_b as bodies: disjoint, touching, overlapping, one inside the other, equal.

touch_gap           meshes at most this far apart touch
touch_overlap       meshes that a move of at most this length parts touch
open_holds_nothing  open surfaces (sheet metal) hold nothing: no relation is UNDECIDABLE

Exact without tolerances. Raises what collide() raises, and NoTopology for a tree without.)" );

	const auto batch = [dtype]( const tree &a, const tree &b, nb::handle poses_b, nb::handle pose_a, double touch_gap,
	                            double touch_overlap, bool open_holds_nothing, thread_count threads, uint64_t max_work,
	                            uint64_t max_total, const std::string &errors ) {
		return ask_pair_batch( dbvh_relate_batch, { a, b, poses_b, pose_a },
		                       relate_query( touch_gap, touch_overlap, open_holds_nothing ),
		                       { threads, max_work, max_total, errors }, dtype );
	};
	m.def(
	    "relate_batch", batch, nb::arg( "a" ), nb::arg( "b" ), nb::arg( "poses_b" ), nb::arg( "pose_a" ) = nb::none(),
	    nb::kw_only(), nb::arg( "touch_gap" ) = 0.0, nb::arg( "touch_overlap" ) = 0.0,
	    nb::arg( "open_holds_nothing" ) = false, nb::arg( "threads" ) = 0, nb::arg( "max_work" ) = 0,
	    nb::arg( "max_total" ) = 0, nb::arg( "errors" ) = "raise",
	    nb::sig( "def relate_batch(a: Tree, b: Tree, poses_b: PosesLike, pose_a: PoseLike | None = None, *, "
	             "touch_gap: float = 0.0, touch_overlap: float = 0.0, open_holds_nothing: bool = False, threads: int "
	             "= 0, max_work: int = 0, max_total: int = 0, errors: OnError = 'raise') -> Records" ),
	    "relate() for B at each of n poses; poses_b, threads and errors as of collide_batch(). Returns n records of "
	    "RELATE_DTYPE,\nwhose relations are numbers of Relation." );

	m.def( "locate_point", locate_point, nb::arg( "tree" ), nb::arg( "point" ), nb::arg( "pose" ) = nb::none(),
	       nb::sig( "def locate_point(tree: Tree, point: ArrayLike, pose: PoseLike | None = None) -> Location" ),
	       "Is a point, in the common frame, inside the mesh at `pose`? Decided exactly. Raises NoTopology for a tree "
	       "without." );
	const nb::object location_dtype = value_and_status_dtype<dbvh_location>( "location", "i4" );
	m.attr( "LOCATION_DTYPE" ) = location_dtype;
	const auto points_batch = [location_dtype]( const tree &t, nb::handle points, nb::handle pose, thread_count threads,
	                                            const std::string &errors ) {
		return locate_point_batch( t, points, pose, threads, errors, location_dtype );
	};
	m.def(
	    "locate_point_batch", points_batch, nb::arg( "tree" ), nb::arg( "points" ), nb::arg( "pose" ) = nb::none(),
	    nb::kw_only(), nb::arg( "threads" ) = 0, nb::arg( "errors" ) = "raise",
	    nb::sig( "def locate_point_batch(tree: Tree, points: ArrayLike, pose: PoseLike | None = None, *, threads: int "
	             "= 0, errors: OnError = 'raise') -> NDArray[Any]" ),
	    "locate_point() for n x 3 points, on several threads. Returns n numbers of Location; with errors='keep' n "
	    "records of\nLOCATION_DTYPE: location, status." );
}

} // namespace dualbvh_python
