// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "distance.h"

#include "ask.h"
#include "state.h"

#include <cmath>

namespace dualbvh_python {

namespace {

using result_t = dbvh_distance_result;

nb::object distance_dtype() {
	using T = result_t;
	return make_dtype( { { "found", format( "?" ), offsetof( T, found ) },
	                     { "distance", format( "f8" ), offsetof( T, distance ) },
	                     { "pair", pair_dtype(), offsetof( T, pair ) },
	                     { "point_a", triple_format(), offsetof( T, point_a ) },
	                     { "point_b", triple_format(), offsetof( T, point_b ) },
	                     { "between", triple_format(), offsetof( T, between ) },
	                     { "at_least", format( "f8" ), offsetof( T, at_least ) },
	                     { "counters", counters_dtype(), offsetof( T, counters ) },
	                     { "status", format( "i4" ), offsetof( T, status ) } },
	                   sizeof( T ) );
}

nb::object clearance_dtype() {
	using T = dbvh_clearance_result;
	return make_dtype( { { "within", format( "?" ), offsetof( T, within ) },
	                     { "first", pair_dtype(), offsetof( T, first ) },
	                     { "counters", counters_dtype(), offsetof( T, counters ) },
	                     { "status", format( "i4" ), offsetof( T, status ) } },
	                   sizeof( T ) );
}

dbvh_clearance_query clearance_query( double max_distance, dbvh_policy policy ) {
	dbvh_clearance_query query = dbvh_clearance_query_default();
	query.max_distance = max_distance;
	query.policy = policy;
	return query;
}

result_t distance( const tree &a, const tree &b, nb::handle pose_b, nb::handle pose_a, double relative_error,
                   double absolute_error, double limit, dbvh_policy policy, uint64_t max_work ) {
	return ask_pair( dbvh_distance, { a, b, pose_b, pose_a },
	                 distance_query( relative_error, absolute_error, limit, policy ), max_work );
}

dbvh_clearance_result check_clearance( const tree &a, const tree &b, double max_distance, nb::handle pose_b,
                                       nb::handle pose_a, dbvh_policy policy, uint64_t max_work ) {
	return ask_pair( dbvh_check_clearance, { a, b, pose_b, pose_a }, clearance_query( max_distance, policy ),
	                 max_work );
}

nb::object clearance_pairs( const tree &a, const tree &b, double max_distance, nb::handle pose_b, nb::handle pose_a,
                            dbvh_policy policy, uint64_t max_work ) {
	constexpr list_place pairs{ &dbvh_clearance_query::pairs, &dbvh_clearance_query::pair_capacity,
	                            &dbvh_clearance_result::pair_count };
	return pairs_to_array( ask_pair_list( dbvh_check_clearance, pairs, { a, b, pose_b, pose_a },
	                                      clearance_query( max_distance, policy ), max_work ) );
}

std::string describe( const result_t &r ) {
	if ( !r.found )
		return "<dualbvh.DistanceResult: nothing within the limit>";
	return "<dualbvh.DistanceResult: " + number_text( r.distance ) + ", from triangle " + std::to_string( r.pair.a ) +
	       " of A at " + point_text( r.point_a ) + " to triangle " + std::to_string( r.pair.b ) + " of B at " +
	       point_text( r.point_b ) + ">";
}

std::string describe( const dbvh_clearance_result &r ) {
	if ( !r.within )
		return "<dualbvh.ClearanceResult: farther apart>";
	return "<dualbvh.ClearanceResult: within, triangle " + std::to_string( r.first.a ) + " of A and " +
	       std::to_string( r.first.b ) + " of B, for one>";
}

void bind_results( nb::module_ &m ) {
	nb::class_<result_t>( m, "DistanceResult", "The distance of two meshes. float() is the distance itself." )
	    .def_ro( "found", &result_t::found, "False: nothing is within the limit, and distance is infinite." )
	    .def_prop_ro(
	        "distance", []( const result_t &r ) { return r.found ? r.distance : (double)INFINITY; },
	        "The smallest double that is not less than the exact distance; 0 where they intersect." )
	    .def( "__float__", []( const result_t &r ) { return r.found ? r.distance : (double)INFINITY; } )
	    .def_prop_ro(
	        "pair", []( const result_t &r ) { return to_pair( r.pair ); },
	        "A triangle of A and one of B at that distance." )
	    .def_prop_ro(
	        "point_a", []( const result_t &r ) { return to_array( r.point_a ); },
	        "A point of each, in the common frame, at that distance." )
	    .def_prop_ro( "point_b", []( const result_t &r ) { return to_array( r.point_b ); } )
	    .def_prop_ro(
	        "between", []( const result_t &r ) { return to_array( r.between ); },
	        "From point_a to point_b, right to a few units in the last place." )
	    .def_ro( "counters", &result_t::counters )
	    .def( "__repr__", []( const result_t &r ) { return describe( r ); } );

	using C = dbvh_clearance_result;
	nb::class_<C>( m, "ClearanceResult",
	               "The answer of check_clearance(). True in a condition where the meshes are within the distance." )
	    .def_ro( "within", &C::within )
	    .def( "__bool__", []( const C &r ) { return r.within; } )
	    .def_prop_ro(
	        "first",
	        []( const C &r ) -> std::optional<triangle_pair> {
		        if ( !r.within )
			        return std::nullopt;
		        return to_pair( r.first );
	        },
	        "A triangle of A and one of B that are; None where there are none." )
	    .def_ro( "counters", &C::counters )
	    .def( "__repr__", []( const C &r ) { return describe( r ); } );
	bind_state<result_t>( m, "DistanceResult" );
	bind_state<C>( m, "ClearanceResult" );
}

} // namespace

dbvh_distance_query distance_query( double relative_error, double absolute_error, double limit, dbvh_policy policy ) {
	dbvh_distance_query query = dbvh_distance_query_default();
	query.relative_error = relative_error;
	query.absolute_error = absolute_error;
	query.limit = limit;
	query.policy = policy;
	return query;
}

void bind_distance( nb::module_ &m ) {
	bind_results( m );
	const nb::object distances = distance_dtype(), clearances = clearance_dtype();
	m.attr( "DISTANCE_DTYPE" ) = distances;
	m.attr( "CLEARANCE_DTYPE" ) = clearances;

	m.def( "distance", distance, nb::arg( "a" ), nb::arg( "b" ), nb::arg( "pose_b" ) = nb::none(),
	       nb::arg( "pose_a" ) = nb::none(), nb::kw_only(), nb::arg( "relative_error" ) = 0.0,
	       nb::arg( "absolute_error" ) = 0.0, nb::arg( "limit" ) = INFINITY, nb::arg( "policy" ) = DBVH_POLICY_DEFAULT,
	       nb::arg( "max_work" ) = 0,
	       nb::sig( "def distance(a: Tree, b: Tree, pose_b: PoseLike | None = None, pose_a: PoseLike | None = None, *, "
	                "relative_error: float = 0.0, absolute_error: float = 0.0, limit: float = float('inf'), policy: "
	                "Policy = Policy.DEFAULT, max_work: int = 0) -> DistanceResult" ),
	       R"(The distance of A at pose_a and B at pose_b. Surfaces are compared; 0 where they intersect.

pose_a, pose_b                  as of collide()
relative_error, absolute_error  the answer may be larger by that part of it (0 to 1) and by that length; 0 is exact
limit                           look no farther: `found` is False beyond it

Lengths are in the unit of the meshes. Raises what collide() raises.)" );

	const auto batch = [distances]( const tree &a, const tree &b, nb::handle poses_b, nb::handle pose_a,
	                                double relative_error, double absolute_error, double limit, dbvh_policy policy,
	                                thread_count threads, uint64_t max_work, uint64_t max_total,
	                                const std::string &errors ) {
		return ask_pair_batch( dbvh_distance_batch, { a, b, poses_b, pose_a },
		                       distance_query( relative_error, absolute_error, limit, policy ),
		                       { threads, max_work, max_total, errors }, distances );
	};
	m.def( "distance_batch", batch, nb::arg( "a" ), nb::arg( "b" ), nb::arg( "poses_b" ),
	       nb::arg( "pose_a" ) = nb::none(), nb::kw_only(), nb::arg( "relative_error" ) = 0.0,
	       nb::arg( "absolute_error" ) = 0.0, nb::arg( "limit" ) = INFINITY, nb::arg( "policy" ) = DBVH_POLICY_DEFAULT,
	       nb::arg( "threads" ) = 0, nb::arg( "max_work" ) = 0, nb::arg( "max_total" ) = 0,
	       nb::arg( "errors" ) = "raise",
	       nb::sig( "def distance_batch(a: Tree, b: Tree, poses_b: PosesLike, pose_a: PoseLike | None = None, *, "
	                "relative_error: float = 0.0, absolute_error: float = 0.0, limit: float = float('inf'), policy: "
	                "Policy = Policy.DEFAULT, threads: int = 0, max_work: int = 0, max_total: int = 0, errors: OnError "
	                "= 'raise') -> "
	                "Records" ),
	       "distance() for B at each of n poses, on several threads; poses_b, threads and errors as of "
	       "collide_batch(). Returns n\nrecords of DISTANCE_DTYPE: found, distance, pair, point_a, point_b, between, "
	       "at_least, counters, status." );

	m.def(
	    "check_clearance", check_clearance, nb::arg( "a" ), nb::arg( "b" ), nb::arg( "max_distance" ),
	    nb::arg( "pose_b" ) = nb::none(), nb::arg( "pose_a" ) = nb::none(), nb::kw_only(),
	    nb::arg( "policy" ) = DBVH_POLICY_DEFAULT, nb::arg( "max_work" ) = 0,
	    nb::sig( "def check_clearance(a: Tree, b: Tree, max_distance: float, pose_b: PoseLike | None = None, pose_a: "
	             "PoseLike | None = None, *, policy: Policy = Policy.DEFAULT, max_work: int = 0) -> ClearanceResult" ),
	    "Are they at most max_distance apart? Decided exactly, and faster than distance(). 0 asks whether they "
	    "intersect." );
	m.def(
	    "clearance_pairs", clearance_pairs, nb::arg( "a" ), nb::arg( "b" ), nb::arg( "max_distance" ),
	    nb::arg( "pose_b" ) = nb::none(), nb::arg( "pose_a" ) = nb::none(), nb::kw_only(),
	    nb::arg( "policy" ) = DBVH_POLICY_DEFAULT, nb::arg( "max_work" ) = 0,
	    nb::sig( "def clearance_pairs(a: Tree, b: Tree, max_distance: float, pose_b: PoseLike | None = None, pose_a: "
	             "PoseLike | None = None, *, policy: Policy = Policy.DEFAULT, max_work: int = 0) -> "
	             "NDArray[np.uint32]" ),
	    "Every pair of triangles, m x 2, at most max_distance apart, sorted." );

	const auto clearance_batch = [clearances]( const tree &a, const tree &b, double max_distance, nb::handle poses_b,
	                                           nb::handle pose_a, dbvh_policy policy, thread_count threads,
	                                           uint64_t max_work, uint64_t max_total, const std::string &errors ) {
		return ask_pair_batch( dbvh_check_clearance_batch, { a, b, poses_b, pose_a },
		                       clearance_query( max_distance, policy ), { threads, max_work, max_total, errors },
		                       clearances );
	};
	m.def( "check_clearance_batch", clearance_batch, nb::arg( "a" ), nb::arg( "b" ), nb::arg( "max_distance" ),
	       nb::arg( "poses_b" ), nb::arg( "pose_a" ) = nb::none(), nb::kw_only(),
	       nb::arg( "policy" ) = DBVH_POLICY_DEFAULT, nb::arg( "threads" ) = 0, nb::arg( "max_work" ) = 0,
	       nb::arg( "max_total" ) = 0, nb::arg( "errors" ) = "raise",
	       nb::sig( "def check_clearance_batch(a: Tree, b: Tree, max_distance: float, poses_b: PosesLike, pose_a: "
	                "PoseLike | None = None, *, policy: Policy = Policy.DEFAULT, threads: int = 0, max_work: int = 0, "
	                "max_total: int = 0, errors: OnError = 'raise') -> Records" ),
	       "check_clearance() for B at each of n poses; arguments as of collide_batch(). Returns n records of "
	       "CLEARANCE_DTYPE:\nwithin, first, counters, status." );
}

} // namespace dualbvh_python
