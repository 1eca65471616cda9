// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "dualbvh/closest_point.h"

#include "ask.h"
#include "closest_point.h"
#include "state.h"

#include <cmath>

namespace dualbvh_python {

namespace {

using result_t = dbvh_closest_point_result;

dbvh_closest_point_query closest_point_query( double limit ) {
	dbvh_closest_point_query query = dbvh_closest_point_query_default();
	query.limit = limit;
	return query;
}

result_t closest_point( const tree &t, nb::handle point, nb::handle pose, double limit, uint64_t max_work ) {
	const vector3 x( point, "point" );
	const posed_tree mesh( t, pose );
	return ask_one<result_t>(
	    closest_point_query( limit ), max_work,
	    [&]( const dbvh_closest_point_query &q, dbvh_workspace *workspace, result_t *result, dbvh_error *error ) {
		    return dbvh_closest_point( mesh.tree, mesh.pose.get(), x.x, &q, workspace, result, error );
	    } );
}

nb::object closest_point_batch( const tree &t, nb::handle points, nb::handle pose, double limit,
                                const batch_arguments &how, nb::handle dtype ) {
	const doubles x( points, "points" );
	x.expect( { -1, 3 } );
	const posed_tree mesh( t, pose );
	return ask_batch<result_t>(
	    x.extent( 0 ), closest_point_query( limit ), how, dtype,
	    [&]( const dbvh_closest_point_query &q, const dbvh_batch_options &options, result_t *out, dbvh_error *error ) {
		    return dbvh_closest_point_batch( mesh.tree, mesh.pose.get(), x.data(), x.extent( 0 ), &q, &options, out,
		                                     error );
	    } );
}

std::string describe( const result_t &r ) {
	if ( !r.found )
		return "<dualbvh.ClosestPoint: nothing within the limit>";
	return "<dualbvh.ClosestPoint: " + point_text( r.point ) + " on triangle " + std::to_string( r.triangle ) +
	       ", distance " + number_text( r.distance ) + ">";
}

} // namespace

nb::object closest_point_dtype() {
	return make_dtype( { { "found", format( "?" ), offsetof( result_t, found ) },
	                     { "triangle", format( "u4" ), offsetof( result_t, triangle ) },
	                     { "status", format( "i4" ), offsetof( result_t, status ) },
	                     { "distance", format( "f8" ), offsetof( result_t, distance ) },
	                     { "point", triple_format(), offsetof( result_t, point ) },
	                     { "counters", counters_dtype(), offsetof( result_t, counters ) } },
	                   sizeof( result_t ) );
}

void bind_closest_point( nb::module_ &m ) {
	nb::class_<result_t>( m, "ClosestPoint", "The point of a mesh that is closest to a given one." )
	    .def_ro( "found", &result_t::found, "False: nothing is within the limit." )
	    .def_ro( "triangle", &result_t::triangle, "That it lies on; of equally close ones the lowest." )
	    .def_ro( "distance", &result_t::distance, "The smallest double that is not less than the exact one." )
	    .def_prop_ro( "point", []( const result_t &r ) { return to_array( r.point ); } )
	    .def_ro( "counters", &result_t::counters )
	    .def( "__repr__", describe );

	bind_state<result_t>( m, "ClosestPoint" );
	const nb::object dtype = closest_point_dtype();
	m.attr( "CLOSEST_POINT_DTYPE" ) = dtype;
	m.def( "closest_point", closest_point, nb::arg( "tree" ), nb::arg( "point" ), nb::arg( "pose" ) = nb::none(),
	       nb::kw_only(), nb::arg( "limit" ) = INFINITY, nb::arg( "max_work" ) = 0,
	       nb::sig( "def closest_point(tree: Tree, point: ArrayLike, pose: PoseLike | None = None, *, limit: float = "
	                "float('inf'), max_work: int = 0) -> ClosestPoint" ),
	       "The point of the mesh at `pose` that is closest to `point`, 3 numbers in the common frame. `limit`: look "
	       "no farther.\nWhich triangle is closest is decided exactly." );
	const auto batch = [dtype]( const tree &t, nb::handle points, nb::handle pose, double limit, thread_count threads,
	                            uint64_t max_work, uint64_t max_total, const std::string &errors ) {
		return closest_point_batch( t, points, pose, limit, { threads, max_work, max_total, errors }, dtype );
	};
	m.def( "closest_point_batch", batch, nb::arg( "tree" ), nb::arg( "points" ), nb::arg( "pose" ) = nb::none(),
	       nb::kw_only(), nb::arg( "limit" ) = INFINITY, nb::arg( "threads" ) = 0, nb::arg( "max_work" ) = 0,
	       nb::arg( "max_total" ) = 0, nb::arg( "errors" ) = "raise",
	       nb::sig( "def closest_point_batch(tree: Tree, points: ArrayLike, pose: PoseLike | None = None, *, limit: "
	                "float = float('inf'), threads: int = 0, max_work: int = 0, max_total: int = 0, errors: OnError = "
	                "'raise') -> Records" ),
	       "closest_point() for n x 3 points, on several threads. Returns n records of CLOSEST_POINT_DTYPE: found, "
	       "triangle, "
	       "status,\ndistance, point, counters." );
}

} // namespace dualbvh_python
