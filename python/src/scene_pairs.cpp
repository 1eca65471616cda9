// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Queries of two bodies of a scene by their numbers.

#include "contact.h"
#include "distance.h"
#include "records.h"
#include "scene.h"

#include <cmath>

namespace dualbvh_python {

namespace {

/// `call( scene, query, result, error )` is a function of the library, with all that it takes before these. `query` has
/// its budget.
template <class Result, class Query, class Call>
Result ask_bodies( scene &s, uint32_t a, uint32_t b, Query query, uint64_t max_work, Call &&call ) {
	interruption interrupted( max_work );
	query.budget = interrupted.budget();
	Result result;
	dbvh_error error;
	const dbvh_status status =
	    s.alone_with( { a, b }, [&]( dbvh_scene *inner ) { return call( inner, &query, &result, &error ); } );
	check( status, error, interrupted );
	return result;
}

dbvh_relate_result relate( scene &s, uint32_t a, uint32_t b, uint64_t max_work ) {
	return ask_bodies<dbvh_relate_result>(
	    s, a, b, dbvh_relate_query_default(), max_work,
	    [&]( dbvh_scene *inner, const dbvh_relate_query *query, dbvh_relate_result *result, dbvh_error *error ) {
		    return dbvh_scene_relate( inner, a, b, query->budget, result, error ); // tolerances are those of the rules
	    } );
}

dbvh_distance_result pair_distance( scene &s, uint32_t a, uint32_t b, double relative_error, double absolute_error,
                                    double limit, dbvh_policy policy, uint64_t max_work ) {
	return ask_bodies<dbvh_distance_result>(
	    s, a, b, distance_query( relative_error, absolute_error, limit, policy ), max_work,
	    [&]( dbvh_scene *inner, const dbvh_distance_query *query, dbvh_distance_result *result, dbvh_error *error ) {
		    return dbvh_scene_pair_distance( inner, a, b, query, result, error );
	    } );
}

contacts find_contacts( scene &s, uint32_t a, uint32_t b, thread_count threads, uint64_t max_work ) {
	dbvh_contacts_query query = dbvh_contacts_query_default();
	query.thread_count = threads;
	return ask_bodies<contacts>(
	    s, a, b, query, max_work,
	    [&]( dbvh_scene *inner, const dbvh_contacts_query *q, contacts *into, dbvh_error *error ) {
		    return dbvh_scene_contacts( inner, a, b, q, into->owned.get(), error );
	    } );
}

} // namespace

void bind_scene_pairs( nb::class_<scene> &c ) {
	c.def(
	    "relate", relate, nb::arg( "a" ), nb::arg( "b" ), nb::kw_only(), nb::arg( "max_work" ) = 0,
	    nb::sig( "def relate(self, a: int, b: int, *, max_work: int = 0) -> RelateResult" ),
	    R"(The relation of bodies a and b at their poses: disjoint, touching, overlapping, one inside the other, equal.

Touch tolerances are those of the rule of the pair and the sags of the bodies, as in clashes(); whether groups and rules
look at the pair does not matter. Raises KeyError (no such body), InvalidArgument (twice the same), NoTopology.)" );
	c.def( "pair_distance", pair_distance, nb::arg( "a" ), nb::arg( "b" ), nb::kw_only(),
	       nb::arg( "relative_error" ) = 0.0, nb::arg( "absolute_error" ) = 0.0, nb::arg( "limit" ) = INFINITY,
	       nb::arg( "policy" ) = DBVH_POLICY_DEFAULT, nb::arg( "max_work" ) = 0,
	       nb::sig( "def pair_distance(self, a: int, b: int, *, relative_error: float = 0.0, absolute_error: float = "
	                "0.0, limit: float = float('inf'), policy: Policy = Policy.DEFAULT, max_work: int = 0) -> "
	                "DistanceResult" ),
	       "The distance of bodies a and b. Arguments as of dualbvh.distance(), exceptions as of relate()." );
	c.def( "contacts", find_contacts, nb::arg( "a" ), nb::arg( "b" ), nb::kw_only(), nb::arg( "threads" ) = 1,
	       nb::arg( "max_work" ) = 0,
	       nb::sig( "def contacts(self, a: int, b: int, *, threads: int = 1, max_work: int = 0) -> Contacts" ),
	       "Along which points, curves and regions do the surfaces of bodies a and b intersect? As "
	       "dualbvh.contacts(), in the frame\nof a; exceptions as of relate()." );
}

} // namespace dualbvh_python
