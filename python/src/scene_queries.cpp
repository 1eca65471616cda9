// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Queries of a scene at its present poses.

#include "closest_point.h"
#include "interval.h"
#include "raycast.h"
#include "records.h"
#include "scene.h"
#include "state.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace dualbvh_python {

namespace {

nb::object collision_dtype() {
	using T = dbvh_scene_collision;
	return make_dtype( { { "a", format( "u4" ), offsetof( T, a ) },
	                     { "b", format( "u4" ), offsetof( T, b ) },
	                     { "first", pair_dtype(), offsetof( T, first ) } },
	                   sizeof( T ) );
}

nb::object clash_dtype() {
	using T = dbvh_clash;
	return make_dtype( { { "a", format( "u4" ), offsetof( T, a ) },
	                     { "b", format( "u4" ), offsetof( T, b ) },
	                     { "kind", format( "i4" ), offsetof( T, kind ) },
	                     { "relation", format( "i4" ), offsetof( T, relation ) },
	                     { "exact", format( "i4" ), offsetof( T, exact ) },
	                     { "distance", format( "f8" ), offsetof( T, distance ) },
	                     { "first", pair_dtype(), offsetof( T, first ) },
	                     { "point_a", triple_format(), offsetof( T, point_a ) },
	                     { "point_b", triple_format(), offsetof( T, point_b ) },
	                     { "separation", triple_format(), offsetof( T, separation ) } },
	                   sizeof( T ) );
}

nb::object scene_overlap_dtype() {
	using T = dbvh_scene_overlap;
	return make_dtype( { { "a", format( "u4" ), offsetof( T, a ) },
	                     { "b", format( "u4" ), offsetof( T, b ) },
	                     { "relation", format( "i4" ), offsetof( T, relation ) },
	                     { "kind", format( "i4" ), offsetof( T, kind ) },
	                     { "reason", format( "i4" ), offsetof( T, reason ) },
	                     { "volume", interval_format(), offsetof( T, volume ) },
	                     { "component_count", format( "u8" ), offsetof( T, component_count ) },
	                     { "depth", interval_format(), offsetof( T, depth ) },
	                     { "a_in_b", interval_format(), offsetof( T, a_in_b ) },
	                     { "b_in_a", interval_format(), offsetof( T, b_in_a ) },
	                     { "deepest", triple_format(), offsetof( T, deepest ) },
	                     { "nearest", triple_format(), offsetof( T, nearest ) },
	                     { "verdict", format( "i4" ), offsetof( T, verdict ) } },
	                   sizeof( T ) );
}

/// The arguments of queries of all pairs.
struct scene_arguments {
	dbvh_policy policy;
	thread_count threads;
	uint64_t max_work, max_total;
};

dbvh_scene_query scene_query( bool any, const std::optional<uint32_t> &body, const scene_arguments &how,
                              interruption &interrupted ) {
	dbvh_scene_query query = dbvh_scene_query_default();
	query.find = any ? DBVH_FIND_ANY : DBVH_FIND_ALL;
	query.policy = how.policy;
	query.has_body = body.has_value();
	query.body = body.value_or( 0 );
	query.thread_count = how.threads;
	query.budget = interrupted.budget();
	query.progress = interruption::go_on;
	query.user = &interrupted;
	return query;
}

/// check() for a call with a budget: `note( exception )` adds the pairs found until then to the exception.
template <class Note>
void check_spent( dbvh_status status, const dbvh_error &error, const interruption &interrupted, Note &&note ) {
	try {
		check( status, error, interrupted );
	} catch ( nb::python_error &raised ) {
		if ( status == DBVH_BUDGET_SPENT )
			note( nb::borrow( raised.value() ) );
		throw;
	}
}

/// dbvh_scene_collide(), dbvh_scene_clashes() or dbvh_scene_overlaps().
template <class T, class Ask>
nb::object find( scene &s, bool any, const std::optional<uint32_t> &body, const scene_arguments &how, nb::handle dtype,
                 Ask &&ask, bool lists_fits = false ) {
	interruption interrupted( how.max_work, how.max_total );
	dbvh_scene_query query = scene_query( any, body, how, interrupted );
	query.lists_fits = lists_fits;
	std::vector<T> found( 256 );
	std::vector<dbvh_body_pair> open;
	dbvh_scene_result result{};
	dbvh_error error;
	const dbvh_status status = s.alone_with( body, [&]( dbvh_scene *inner ) {
		if ( how.max_work || how.max_total ) { // one call only: a second one would need the budget again
			const dbvh_status counted = dbvh_scene_pairs( inner, nullptr, 0, &result, &error );
			if ( counted != DBVH_OK )
				return counted;
			found.resize( result.pair_count );
			open.resize( result.pair_count );
			query.open = open.data();
			query.open_capacity = open.size();
		}
		return ask_for_all( found, result.found_count, [&]( T *out, size_t capacity ) {
			return ask( inner, &query, out, capacity, &result, &error );
		} );
	} );
	const auto list = [&] {
		return copy_to_array( found.data(), std::min( result.found_count, found.size() ), dtype );
	};
	check_spent( status, error, interrupted, [&]( const nb::object &exception ) {
		exception.attr( "found" ) = list();
		open.resize( std::min( result.open_written, open.size() ) );
		exception.attr( "open" ) = pairs_to_array( open );
	} );
	return list();
}

/// The budget of a scene, for the time of a query that takes none of its own.
class scene_budget {
  public:
	scene_budget( dbvh_scene *inner, const interruption &interrupted ) : inner( inner ) {
		dbvh_scene_set_budget( inner, interrupted.budget(), nullptr );
	}
	~scene_budget() {
		dbvh_scene_set_budget( inner, nullptr, nullptr );
	}
	scene_budget( const scene_budget & ) = delete;
	scene_budget &operator=( const scene_budget & ) = delete;

  private:
	dbvh_scene *inner;
};

nb::object pairs( scene &s, uint64_t max_total ) {
	interruption interrupted( 0, max_total );
	std::vector<dbvh_body_pair> found( 256 );
	dbvh_scene_result result{};
	dbvh_error error;
	const dbvh_status status = s.alone( [&]( dbvh_scene *inner ) {
		const scene_budget budget( inner, interrupted );
		return ask_for_all( found, result.pair_count, [&]( dbvh_body_pair *out, size_t capacity ) {
			return dbvh_scene_pairs( inner, out, capacity, &result, &error );
		} );
	} );
	found.resize( std::min( result.written_count, found.size() ) );
	check_spent( status, error, interrupted,
	             [&]( const nb::object &exception ) { exception.attr( "found" ) = pairs_to_array( found ); } );
	return pairs_to_array( found );
}

std::optional<dbvh_scene_distance_result> distance( scene &s, double limit, const std::optional<uint32_t> &body,
                                                    const scene_arguments &how ) {
	interruption interrupted( how.max_work, how.max_total );
	dbvh_scene_distance_query query = dbvh_scene_distance_query_default();
	query.limit = limit;
	query.policy = how.policy;
	query.has_body = body.has_value();
	query.body = body.value_or( 0 );
	query.thread_count = how.threads;
	query.budget = interrupted.budget();
	query.progress = interruption::go_on;
	query.user = &interrupted;
	dbvh_scene_distance_result result;
	dbvh_error error;
	const dbvh_status status = s.alone_with(
	    body, [&]( dbvh_scene *inner ) { return dbvh_scene_distance( inner, &query, &result, &error ); } );
	check_spent( status, error, interrupted, [&]( const nb::object &exception ) {
		if ( result.found )
			exception.attr( "found" ) = result;
		exception.attr( "at_least" ) = result.at_least;
	} );
	if ( !result.found )
		return std::nullopt;
	return result;
}

std::optional<std::tuple<uint32_t, dbvh_ray_hit>> raycast( scene &s, nb::handle origin, nb::handle direction,
                                                           uint64_t max_work, uint64_t max_total ) {
	const vector3 from( origin, "origin" ), along( direction, "direction" );
	dbvh_ray ray;
	std::memcpy( ray.from, from.x, sizeof from.x );
	std::memcpy( ray.direction, along.x, sizeof along.x );
	interruption interrupted( max_work, max_total );
	dbvh_scene_hit hit;
	dbvh_error error;
	const dbvh_status status = s.alone( [&]( dbvh_scene *inner ) {
		const scene_budget budget( inner, interrupted );
		return dbvh_scene_raycast( inner, &ray, &hit, &error );
	} );
	const auto first = [&]() -> std::optional<std::tuple<uint32_t, dbvh_ray_hit>> {
		if ( hit.body == DBVH_NO_BODY )
			return std::nullopt;
		return std::tuple( hit.body, hit.hit );
	};
	check_spent( status, error, interrupted,
	             [&]( const nb::object &exception ) { exception.attr( "found" ) = first(); } );
	return first();
}

std::optional<std::tuple<uint32_t, dbvh_closest_point_result>> closest_point( scene &s, nb::handle point, double limit,
                                                                              uint64_t max_work, uint64_t max_total ) {
	const vector3 x( point, "point" );
	interruption interrupted( max_work, max_total );
	dbvh_closest_point_query query = dbvh_closest_point_query_default();
	query.limit = limit;
	query.budget = interrupted.budget();
	dbvh_scene_closest_point_result result;
	dbvh_error error;
	const dbvh_status status =
	    s.alone( [&]( dbvh_scene *inner ) { return dbvh_scene_closest_point( inner, x.x, &query, &result, &error ); } );
	const auto closest = [&]() -> std::optional<std::tuple<uint32_t, dbvh_closest_point_result>> {
		if ( result.body == DBVH_NO_BODY )
			return std::nullopt;
		return std::tuple( result.body, result.closest );
	};
	check_spent( status, error, interrupted,
	             [&]( const nb::object &exception ) { exception.attr( "found" ) = closest(); } );
	return closest();
}

nb::object overlap_aabb( scene &s, const dbvh_aabb &box, uint64_t max_work, uint64_t max_total ) {
	interruption interrupted( max_work, max_total );
	std::vector<uint32_t> found( 256 );
	size_t count = 0;
	dbvh_error error;
	const dbvh_status status = s.alone( [&]( dbvh_scene *inner ) {
		const scene_budget budget( inner, interrupted );
		return ask_for_all( found, count, [&]( uint32_t *out, size_t capacity ) {
			return dbvh_scene_overlap_aabb( inner, &box, out, capacity, &count, &error );
		} );
	} );
	const auto bodies = [&] { return copy_to_array( found.data(), std::min( count, found.size() ), format( "u4" ) ); };
	check_spent( status, error, interrupted,
	             [&]( const nb::object &exception ) { exception.attr( "found" ) = bodies(); } );
	return bodies();
}

void bind_results( nb::module_ &m ) {
	nb::enum_<dbvh_clash_kind>( m, "ClashKind", "The way in which two bodies break their rule.", nb::is_arithmetic() )
	    .value( "HARD", DBVH_CLASH_KIND_HARD, "they overlap" )
	    .value( "CONTAINMENT", DBVH_CLASH_KIND_CONTAINMENT, "one is inside the other" )
	    .value( "DUPLICATE", DBVH_CLASH_KIND_DUPLICATE, "they are the same" )
	    .value( "TOUCH", DBVH_CLASH_KIND_TOUCH, "they touch and no more" )
	    .value( "CLEARANCE", DBVH_CLASH_KIND_CLEARANCE, "they are nearer than their clearance" )
	    .value( "UNDECIDABLE", DBVH_CLASH_KIND_UNDECIDABLE,
	            "one has an open surface that may hold the other, or whether they fit cannot be told" )
	    .value( "FIT", DBVH_CLASH_KIND_FIT, "they overlap within what their rule allows: no clash" );
	using D = dbvh_scene_distance_result;
	nb::class_<D>( m, "SceneDistance", "The two bodies of a scene that are closest to each other." )
	    .def_prop_ro( "bodies", []( const D &d ) { return triangle_pair( d.a, d.b ); } )
	    .def_ro( "distance", &D::distance )
	    .def( "__float__", []( const D &d ) { return d.distance; } )
	    .def_prop_ro(
	        "pair", []( const D &d ) { return to_pair( d.pair ); }, "A triangle of each." )
	    .def_prop_ro( "point_a", []( const D &d ) { return to_array( d.point_a ); } )
	    .def_prop_ro( "point_b", []( const D &d ) { return to_array( d.point_b ); } )
	    .def_prop_ro( "between", []( const D &d ) { return to_array( d.between ); } )
	    .def( "__repr__", []( const D &d ) {
		    return "<dualbvh.SceneDistance: " + number_text( d.distance ) + ", bodies " + std::to_string( d.a ) +
		           " and " + std::to_string( d.b ) + ">";
	    } );
	bind_state<D>( m, "SceneDistance" );
}

} // namespace

void bind_scene_queries( nb::class_<scene> &c, nb::module_ &m ) {
	bind_results( m );
	const nb::object collisions = collision_dtype(), clashes = clash_dtype(), overlaps = scene_overlap_dtype();
	m.attr( "SCENE_COLLISION_DTYPE" ) = collisions;
	m.attr( "CLASH_DTYPE" ) = clashes;
	m.attr( "SCENE_OVERLAP_DTYPE" ) = overlaps;
	const auto body = nb::arg( "body" ) = nb::none();
	const auto policy = nb::arg( "policy" ) = DBVH_POLICY_DEFAULT;
	c.def(
	    "pairs", pairs, nb::kw_only(), nb::arg( "max_total" ) = 0,
	    nb::sig( "def pairs(self, *, max_total: int = 0) -> NDArray[np.uint32]" ),
	    "The pairs of bodies that are checked and whose boxes overlap, n x 2, sorted. Steps are only those of crowds, "
	    "where very\nmany boxes overlap; BudgetSpent has in `found` the pairs until then." );
	c.def(
	    "collide",
	    [collisions]( scene &s, bool any, const std::optional<uint32_t> &of, dbvh_policy p, thread_count threads,
	                  uint64_t max_work, uint64_t max_total ) {
		    return find<dbvh_scene_collision>( s, any, of, { p, threads, max_work, max_total }, collisions,
		                                       dbvh_scene_collide );
	    },
	    nb::kw_only(), nb::arg( "any" ) = false, body, policy, nb::arg( "threads" ) = 0, nb::arg( "max_work" ) = 0,
	    nb::arg( "max_total" ) = 0,
	    nb::sig( "def collide(self, *, any: bool = False, body: int | None = None, policy: Policy = Policy.DEFAULT, "
	             "threads: int = 0, max_work: int = 0, max_total: int = 0) -> Records" ),
	    R"(The pairs of bodies whose surfaces meet. Records of SCENE_COLLISION_DTYPE: a, b (a < b), first, sorted.

any        the lowest pair that is found is enough
body       only pairs of which one is this body
threads    0: as many as OpenMP would use; -1: all cores
max_work   steps that each pair may take; 0: no limit
max_total  steps that all pairs together may take, in their order; 0: no limit

Raises KeyError (no such body), and BudgetSpent where some pair has no answer: its `found` is the list until then, its
`open` the pairs without an answer, n x 2. All others are clear.)" );
	c.def(
	    "clashes",
	    [clashes]( scene &s, bool any, const std::optional<uint32_t> &of, bool fits, dbvh_policy p,
	               thread_count threads, uint64_t max_work, uint64_t max_total ) {
		    return find<dbvh_clash>( s, any, of, { p, threads, max_work, max_total }, clashes, dbvh_scene_clashes,
		                             fits );
	    },
	    nb::kw_only(), nb::arg( "any" ) = false, body, nb::arg( "fits" ) = false, policy, nb::arg( "threads" ) = 0,
	    nb::arg( "max_work" ) = 0, nb::arg( "max_total" ) = 0,
	    nb::sig( "def clashes(self, *, any: bool = False, body: int | None = None, fits: bool = False, policy: Policy "
	             "= Policy.DEFAULT, threads: int = 0, max_work: int = 0, max_total: int = 0) -> Records" ),
	    "Every pair that breaks its rule: records of CLASH_DTYPE: a, b, kind (ClashKind), relation and "
	    "exact (Relation),\ndistance, first, point_a, point_b, separation. With fits=True also pairs that overlap "
	    "within "
	    "what their rule allows, as\nClashKind.FIT. Arguments and exceptions as of collide(); a pair may take max_work "
	    "for each of its queries." );
	c.def(
	    "overlaps",
	    [overlaps]( scene &s, bool any, const std::optional<uint32_t> &of, thread_count threads, uint64_t max_work,
	                uint64_t max_total ) {
		    return find<dbvh_scene_overlap>( s, any, of, { DBVH_POLICY_DEFAULT, threads, max_work, max_total },
		                                     overlaps, dbvh_scene_overlaps );
	    },
	    nb::kw_only(), nb::arg( "any" ) = false, body, nb::arg( "threads" ) = 0, nb::arg( "max_work" ) = 0,
	    nb::arg( "max_total" ) = 0,
	    nb::sig( "def overlaps(self, *, any: bool = False, body: int | None = None, threads: int = 0, max_work: int = "
	             "0, max_total: int = 0) -> Records" ),
	    R"(How much and how deep every pair overlaps that does: records of SCENE_OVERLAP_DTYPE, sorted by a and b: relation, kind
(OverlapKind), reason, volume, component_count, depth (the smaller one of a_in_b and b_in_a), deepest, nearest, verdict
(FitVerdict, by the rule). Intervals are two numbers, lower and upper: found[np.argsort(-found["depth"][:, 1])] has the
deepest first. Arguments and exceptions as of collide().)" );
	c.def(
	    "distance",
	    []( scene &s, double limit, const std::optional<uint32_t> &of, dbvh_policy p, thread_count threads,
	        uint64_t max_work, uint64_t max_total ) {
		    return distance( s, limit, of, { p, threads, max_work, max_total } );
	    },
	    nb::kw_only(), nb::arg( "limit" ) = INFINITY, body, policy, nb::arg( "threads" ) = 0, nb::arg( "max_work" ) = 0,
	    nb::arg( "max_total" ) = 0,
	    nb::sig( "def distance(self, *, limit: float = float('inf'), body: int | None = None, policy: Policy = "
	             "Policy.DEFAULT, threads: int = 0, max_work: int = 0, max_total: int = 0) -> SceneDistance | None" ),
	    "The least distance of all pairs that are checked; None: none is within the limit. Arguments as of "
	    "collide().\nBudgetSpent has in `found` the closest pair until then, or None, and in `at_least` a length that "
	    "no two bodies are closer\nthan." );
	c.def( "raycast", raycast, nb::arg( "origin" ), nb::arg( "direction" ), nb::kw_only(), nb::arg( "max_work" ) = 0,
	       nb::arg( "max_total" ) = 0,
	       nb::sig( "def raycast(self, origin: ArrayLike, direction: ArrayLike, *, max_work: int = 0, max_total: int = "
	                "0) -> tuple[int, RayHit] | None" ),
	       "The body that a ray hits first, and the hit. None: no hit. max_work is for each body, max_total for all; "
	       "BudgetSpent\nhas in `found` a hit until then, perhaps not the first, or None." );
	c.def(
	    "closest_point", closest_point, nb::arg( "point" ), nb::kw_only(), nb::arg( "limit" ) = INFINITY,
	    nb::arg( "max_work" ) = 0, nb::arg( "max_total" ) = 0,
	    nb::sig( "def closest_point(self, point: ArrayLike, *, limit: float = float('inf'), max_work: int = 0, "
	             "max_total: int = 0) -> tuple[int, ClosestPoint] | None" ),
	    "The body with the point that is closest to a given one, and that point. None: none within the limit. "
	    "max_work is for\neach body, max_total for all; BudgetSpent has in `found` the closest until then, or None." );
	c.def(
	    "overlap_aabb", overlap_aabb, nb::arg( "box" ), nb::kw_only(), nb::arg( "max_work" ) = 0,
	    nb::arg( "max_total" ) = 0,
	    nb::sig( "def overlap_aabb(self, box: Aabb, *, max_work: int = 0, max_total: int = 0) -> NDArray[np.uint32]" ),
	    "The bodies with a surface that meets a box, ascending. Limits as of raycast(); BudgetSpent has in `found` the "
	    "lowest of\nthem." );
}

} // namespace dualbvh_python
