// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Batches of configurations of the bodies of a scene, and of the motions between them.

#include "ask.h"
#include "scene.h"
#include "time_of_impact.h"

namespace dualbvh_python {

namespace {

using configuration_t = dbvh_configuration_result;
using edge_t = dbvh_edge_result;

nb::object configuration_dtype() {
	using T = configuration_t;
	return make_dtype( { { "intersecting", format( "?" ), offsetof( T, verdict ) + bool_in_int },
	                     { "first", body_pair_dtype(), offsetof( T, first ) },
	                     { "pair_count", format( "u8" ), offsetof( T, pair_count ) },
	                     { "has_distance", format( "?" ), offsetof( T, has_distance ) },
	                     { "distance", format( "f8" ), offsetof( T, distance ) },
	                     { "nearest", body_pair_dtype(), offsetof( T, nearest ) },
	                     { "status", format( "i4" ), offsetof( T, status ) } },
	                   sizeof( T ) );
}

nb::object edge_dtype() {
	using T = edge_t;
	return make_dtype( { { "verdict", format( "i4" ), offsetof( T, verdict ) },
	                     { "time", format( "f8" ), offsetof( T, time ) },
	                     { "upper", format( "f8" ), offsetof( T, upper ) },
	                     { "bodies", body_pair_dtype(), offsetof( T, bodies ) },
	                     { "impact", toi_dtype(), offsetof( T, impact ) },
	                     { "status", format( "i4" ), offsetof( T, status ) } },
	                   sizeof( T ) );
}

/// The bodies that poses are given for, and their number.
struct chosen {
	const uint32_t *bodies;
	size_t count;
	/// How many are named.
	size_t given() const {
		return bodies ? count : 0;
	}
	chosen( const std::optional<std::vector<uint32_t>> &given, size_t per_configuration )
	    : bodies( given ? given->data() : nullptr ), count( per_configuration ) {
		if ( given ) {
			if ( given->size() != per_configuration )
				raise( DBVH_INVALID_ARGUMENT, "poses must be n x m x ..., m being the number of bodies" );
		}
	}
};

dbvh_configurations_query configurations_query( const chosen &which, double max_distance, dbvh_policy policy,
                                                thread_count threads, interruption &interrupted ) {
	dbvh_configurations_query query = dbvh_configurations_query_default();
	query.policy = policy;
	query.bodies = which.bodies;
	query.body_count = which.count;
	query.max_distance = max_distance;
	query.thread_count = threads;
	query.budget = interrupted.budget();
	query.progress = interruption::go_on;
	query.user = &interrupted;
	return query;
}

nb::object collide_batch( scene &s, nb::handle poses_in, const std::optional<std::vector<uint32_t>> &bodies,
                          double max_distance, dbvh_policy policy, thread_count threads, uint64_t max_work,
                          uint64_t max_total, const std::string &errors, nb::handle dtype ) {
	const refusals refused( errors );
	const configuration_list poses( poses_in, "poses" );
	const chosen which( bodies, poses.bodies() );
	new_array results( poses.count(), dtype );
	configuration_t *out = results.data<configuration_t>();
	interruption interrupted( max_work, max_total );
	const dbvh_configurations_query query = configurations_query( which, max_distance, policy, threads, interrupted );
	dbvh_error error;
	const dbvh_status status = s.alone_with( which.bodies, which.given(), [&]( dbvh_scene *inner ) {
		return dbvh_scene_collide_batch( inner, poses.data(), poses.count(), &query, out, &error );
	} );
	refused.check( status, error, interrupted );
	return results.release();
}

records_and_lists collide_pairs_batch( scene &s, nb::handle poses_in,
                                       const std::optional<std::vector<uint32_t>> &bodies, double max_distance,
                                       dbvh_policy policy, thread_count threads, uint64_t max_work, uint64_t max_total,
                                       const std::string &errors, nb::handle dtype ) {
	const refusals refused( errors );
	const configuration_list poses( poses_in, "poses" );
	const chosen which( bodies, poses.bodies() );
	new_array results( poses.count(), dtype );
	configuration_t *out = results.data<configuration_t>();
	interruption interrupted( max_work, max_total );
	dbvh_configurations_query query = configurations_query( which, max_distance, policy, threads, interrupted );
	query.find = DBVH_FIND_ALL;
	lists<dbvh_body_pair> pairs( poses.count() );
	dbvh_error error;
	const dbvh_status status = s.alone_with( which.bodies, which.given(), [&]( dbvh_scene *inner ) {
		return count_and_list(
		    pairs, error, [&]( size_t i ) { return out[i].pair_count; },
		    [&]( dbvh_body_pair *room, size_t, const size_t *begin ) {
			    query.pairs = room;
			    query.pair_begin = begin;
			    return dbvh_scene_collide_batch( inner, poses.data(), poses.count(), &query, out, &error );
		    } );
	} );
	refused.check( status, error, interrupted );
	return { results.release(), pairs_to_array( pairs.all ), pairs.offsets() };
}

nb::object motion_batch( scene &s, nb::handle poses_in, const std::optional<std::vector<uint32_t>> &bodies,
                         const std::optional<std::vector<std::pair<size_t, size_t>>> &edges, nb::handle centres,
                         bool first, double tolerance, dbvh_policy policy, thread_count threads, uint64_t max_work,
                         uint64_t max_total, const std::string &errors, nb::handle dtype ) {
	const refusals refused( errors );
	const configuration_list poses( poses_in, "poses" );
	const chosen which( bodies, poses.bodies() );
	std::optional<doubles> straight;
	if ( !centres.is_none() ) {
		straight.emplace( centres, "centres" );
		straight->expect( { (long)which.count, 3 } );
	}
	std::vector<dbvh_edge> ways;
	if ( edges )
		for ( const auto &[from, to] : *edges )
			ways.push_back( { from, to } );
	const size_t count = edges ? ways.size() : poses.count() > 0 ? poses.count() - 1 : 0;
	new_array results( count, dtype );
	edge_t *out = results.data<edge_t>();
	interruption interrupted( max_work, max_total );
	dbvh_motions_query query = dbvh_motions_query_default();
	query.find = first ? DBVH_FIND_CLOSEST : DBVH_FIND_ANY;
	query.policy = policy;
	query.bodies = which.bodies;
	query.body_count = which.count;
	static const dbvh_edge none = { 0, 0 };
	query.edges = edges ? ( ways.empty() ? &none : ways.data() ) : nullptr;
	query.edge_count = ways.size();
	query.centres = straight ? reinterpret_cast<const double( * )[3]>( straight->data() ) : nullptr;
	query.tolerance = tolerance;
	query.budget = interrupted.budget();
	query.thread_count = threads;
	query.progress = interruption::go_on;
	query.user = &interrupted;
	dbvh_error error;
	const dbvh_status status = s.alone_with( which.bodies, which.given(), [&]( dbvh_scene *inner ) {
		return dbvh_scene_motion_batch( inner, poses.data(), poses.count(), &query, out, &error );
	} );
	if ( status != DBVH_BUDGET_SPENT )
		refused.check( status, error, interrupted );
	return results.release();
}

} // namespace

void bind_scene_batches( nb::class_<scene> &c, nb::module_ &m ) {
	const nb::object configurations = configuration_dtype(), edges = edge_dtype();
	m.attr( "CONFIGURATION_DTYPE" ) = configurations;
	m.attr( "EDGE_DTYPE" ) = edges;
	const auto bodies = nb::arg( "bodies" ) = nb::none();
	const auto policy = nb::arg( "policy" ) = DBVH_POLICY_DEFAULT;
	using numbers = std::optional<std::vector<uint32_t>>;
	c.def(
	    "collide_batch",
	    [configurations]( scene &s, nb::handle poses, const numbers &of, double max_distance, dbvh_policy p,
	                      thread_count threads, uint64_t max_work, uint64_t max_total, const std::string &errors ) {
		    return collide_batch( s, poses, of, max_distance, p, threads, max_work, max_total, errors, configurations );
	    },
	    nb::arg( "poses" ), bodies, nb::kw_only(), nb::arg( "max_distance" ) = 0.0, policy, nb::arg( "threads" ) = 0,
	    nb::arg( "max_work" ) = 0, nb::arg( "max_total" ) = 0, nb::arg( "errors" ) = "raise",
	    nb::sig(
	        "def collide_batch(self, poses: ArrayLike, bodies: Sequence[int] | None = None, *, max_distance: float "
	        "= 0.0, policy: Policy = Policy.DEFAULT, threads: int = 0, max_work: int = 0, max_total: int = 0, errors: "
	        "OnError = 'raise') -> Records" ),
	    R"(Whether any pair of bodies collides, for each of n configurations: the query of motion planners about a robot.

poses         n x m x 4 x 4, n x m x 3 x 4 or n x m x 12: where m bodies are in each configuration
bodies        which ones; None: all, ascending. Bodies that are not named stay where they are
max_distance  above 0: also the least distance of any pair, as far as it is at most this
threads       0: as many as OpenMP would use
max_work      steps that each pair of bodies may take in a configuration; 0: no limit
max_total     steps that the whole call may take: what is finished are the configurations up to one; 0: no limit
errors        as of dualbvh.collide_batch()

Returns n records of CONFIGURATION_DTYPE: intersecting, first, pair_count, has_distance, distance, nearest, status. The
scene stays as it is.)" );
	c.def(
	    "collide_pairs_batch",
	    [configurations]( scene &s, nb::handle poses, const numbers &of, double max_distance, dbvh_policy p,
	                      thread_count threads, uint64_t max_work, uint64_t max_total, const std::string &errors ) {
		    return collide_pairs_batch( s, poses, of, max_distance, p, threads, max_work, max_total, errors,
		                                configurations );
	    },
	    nb::arg( "poses" ), bodies, nb::kw_only(), nb::arg( "max_distance" ) = 0.0, policy, nb::arg( "threads" ) = 0,
	    nb::arg( "max_work" ) = 0, nb::arg( "max_total" ) = 0, nb::arg( "errors" ) = "raise",
	    nb::sig(
	        "def collide_pairs_batch(self, poses: ArrayLike, bodies: Sequence[int] | None = None, *, max_distance: "
	        "float = 0.0, policy: Policy = Policy.DEFAULT, threads: int = 0, max_work: int = 0, max_total: int = 0, "
	        "errors: OnError = 'raise') -> "
	        "tuple[Records, NDArray[np.uint32], NDArray[np.uint64]]" ),
	    "collide_batch() with every pair of bodies that collides: the records, all pairs, m x 2, and n + 1 offsets "
	    "into "
	    "them." );
	c.def(
	    "motion_batch",
	    [edges]( scene &s, nb::handle poses, const numbers &of,
	             const std::optional<std::vector<std::pair<size_t, size_t>>> &ways, nb::handle centres, bool first,
	             double tolerance, dbvh_policy p, thread_count threads, uint64_t max_work, uint64_t max_total,
	             const std::string &errors ) {
		    return motion_batch( s, poses, of, ways, centres, first, tolerance, p, threads, max_work, max_total, errors,
		                         edges );
	    },
	    nb::arg( "poses" ), bodies, nb::kw_only(), nb::arg( "edges" ) = nb::none(), nb::arg( "centres" ) = nb::none(),
	    nb::arg( "first" ) = false, nb::arg( "tolerance" ) = 0.0, policy, nb::arg( "threads" ) = 0,
	    nb::arg( "max_work" ) = 0, nb::arg( "max_total" ) = 0, nb::arg( "errors" ) = "raise",
	    nb::sig( "def motion_batch(self, poses: ArrayLike, bodies: Sequence[int] | None = None, *, edges: "
	             "Sequence[tuple[int, int]] | None = None, centres: ArrayLike | None = None, first: bool = False, "
	             "tolerance: float = 0.0, policy: Policy = Policy.DEFAULT, threads: int = 0, max_work: int = 0, "
	             "max_total: int = 0, errors: "
	             "OnError = 'raise') -> Records" ),
	    R"(Whether bodies meet between configurations, each moving by a screw of its own. The answer is about every time, not about
samples. A robot that moves in joint space goes elsewhere (up to 18 mm away at 0.3 rad a joint): for it
nothing is certain between the configurations.

poses, bodies  as of collide_batch()
edges          pairs of indices of configurations; None: from each to the next
centres        m x 3: for each body the point of it that goes straight; None: screw motions
first          look for the first contact of all pairs, not for any
max_work       steps that each pair of bodies may take on an edge, which is UNDECIDED then; 0: no limit
max_total      steps that the whole call may take, as of collide_batch()

Returns a record of EDGE_DTYPE an edge: verdict (TimeOfImpactVerdict), time, upper, bodies, impact, status.)" );
}

} // namespace dualbvh_python
