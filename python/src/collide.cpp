// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "dualbvh/collide.h"

#include "ask.h"
#include "dualbvh/cache.h"
#include "dualbvh/self.h"
#include "state.h"

#include <atomic>

namespace dualbvh_python {

namespace {

using result_t = dbvh_collide_result;

static_assert( DBVH_DISJOINT == 0 && DBVH_INTERSECTING == 1, "a verdict is read as a bool" );

nb::object collide_dtype() {
	return make_dtype( { { "intersecting", format( "?" ), offsetof( result_t, verdict ) + bool_in_int },
	                     { "first", pair_dtype(), offsetof( result_t, first ) },
	                     { "status", format( "i4" ), offsetof( result_t, status ) },
	                     { "pair_count", format( "u8" ), offsetof( result_t, pair_count ) },
	                     { "counters", counters_dtype(), offsetof( result_t, counters ) } },
	                   sizeof( result_t ) );
}

/// A dbvh_cache, which one call at a time may use.
struct cache {
	dbvh_cache inner = dbvh_cache_default();
	std::atomic_flag busy = ATOMIC_FLAG_INIT;
};

/// The cache for one call: none where another thread, or a call that a signal handler interrupted, is using it.
class cache_lease {
  public:
	explicit cache_lease( cache *from ) : held( from && !from->busy.test_and_set() ? from : nullptr ) {}
	~cache_lease() {
		if ( held )
			held->busy.clear();
	}
	cache_lease( const cache_lease & ) = delete;
	cache_lease &operator=( const cache_lease & ) = delete;
	dbvh_cache *get() const {
		return held ? &held->inner : nullptr;
	}

  private:
	cache *held;
};

constexpr list_place pair_list_of{ &dbvh_collide_query::pairs, &dbvh_collide_query::pair_capacity,
                                   &result_t::pair_count };

dbvh_collide_query collide_query( dbvh_policy policy, uint32_t threads = 0 ) {
	dbvh_collide_query query = dbvh_collide_query_default();
	query.policy = policy;
	query.thread_count = threads;
	return query;
}

result_t collide( const tree &a, const tree &b, nb::handle pose_b, nb::handle pose_a, cache *from, dbvh_policy policy,
                  thread_count threads, uint64_t max_work ) {
	const cache_lease known( from );
	const posed_pair pair( a, b, pose_b, pose_a );
	const dbvh_collide_query query = collide_query( policy, threads );
	if ( !known.get() )
		return ask_pair( dbvh_collide, pair, query, max_work );
	return ask_one<result_t>(
	    query, max_work,
	    [&]( const dbvh_collide_query &q, dbvh_workspace *workspace, result_t *result, dbvh_error *error ) {
		    return dbvh_collide_cached( pair.a.tree, pair.a.pose.get(), pair.b.tree, pair.b.pose.get(), &q, known.get(),
		                                workspace, result, error );
	    } );
}

nb::object collide_pairs( const tree &a, const tree &b, nb::handle pose_b, nb::handle pose_a, dbvh_policy policy,
                          thread_count threads, uint64_t max_work ) {
	return pairs_to_array( ask_pair_list( dbvh_collide, pair_list_of, { a, b, pose_b, pose_a },
	                                      collide_query( policy, threads ), max_work ) );
}

/// dbvh_self_collide() of a tree, as ask_one() and ask_list() call it.
auto self_call( const reading &tree ) {
	return [&tree]( const dbvh_collide_query &query, dbvh_workspace *workspace, result_t *result, dbvh_error *error ) {
		return dbvh_self_collide( tree, &query, workspace, result, error );
	};
}

result_t self_collide( const tree &t, dbvh_policy policy, thread_count threads, uint64_t max_work ) {
	const reading use( t );
	return ask_one<result_t>( collide_query( policy, threads ), max_work, self_call( use ) );
}

nb::object self_pairs( const tree &t, dbvh_policy policy, thread_count threads, uint64_t max_work ) {
	const reading use( t );
	return pairs_to_array( ask_list( pair_list_of, collide_query( policy, threads ), max_work, self_call( use ) ) );
}

records_and_lists collide_pairs_batch( const posed_batch &batch, dbvh_policy policy, const batch_arguments &how,
                                       nb::handle dtype ) {
	lists<dbvh_pair> pairs( batch.poses_b.count() );
	const nb::object records = ask_batch_lists(
	    pair_list_of, &dbvh_collide_query::pair_begin, pairs, collide_query( policy ), how, dtype,
	    [&]( const dbvh_collide_query &q, const dbvh_batch_options &options, result_t *out, dbvh_error *error ) {
		    return dbvh_collide_batch( batch.a.tree, batch.a.pose.get(), batch.b, batch.poses_b.data(),
		                               batch.poses_b.count(), &q, &options, out, error );
	    } );
	return { records, pairs_to_array( pairs.all ), pairs.offsets() };
}

std::string describe( const result_t &r ) {
	if ( r.verdict == DBVH_DISJOINT )
		return "<dualbvh.CollideResult: disjoint>";
	return "<dualbvh.CollideResult: intersecting, triangle " + std::to_string( r.first.a ) + " of A and " +
	       std::to_string( r.first.b ) + " of B, for one>";
}

} // namespace

void bind_collide( nb::module_ &m ) {
	nb::enum_<dbvh_policy>( m, "Policy",
	                        "The comparison of two nodes. Answers are the same for all; the cost differs." )
	    .value( "DEFAULT", DBVH_POLICY_DEFAULT, "the packed form where both trees have one, else DUAL" )
	    .value( "DUAL", DBVH_POLICY_DUAL, "spheres, then five axes (Chang et al. 2009)" )
	    .value( "RAPID", DBVH_POLICY_RAPID, "boxes, all fifteen axes (Gottschalk et al. 1996)" )
	    .value( "SAT_LITE", DBVH_POLICY_SAT_LITE, "boxes, the six face axes (van den Bergen 1997)" )
	    .value( "SPHERE", DBVH_POLICY_SPHERE, "spheres alone" )
	    .value( "PACKED", DBVH_POLICY_PACKED, "as DEFAULT without ellipsoids" )
	    .value( "ELLIPSOID", DBVH_POLICY_ELLIPSOID, "as DUAL, with ellipsoids where nodes have them" )
	    .value( "MIXED", DBVH_POLICY_MIXED, "as DUAL, then an ellipsoid against a box or an ellipsoid (Larsson 2008)" )
	    .value( "PACKED_MIXED", DBVH_POLICY_PACKED_MIXED, "the same stages on the packed form" );

	nb::class_<dbvh_counters>( m, "Counters", "Counts of the work of a query." )
	    .def_ro( "sphere_tests", &dbvh_counters::sphere_tests, "pairs of spheres compared" )
	    .def_ro( "box_tests", &dbvh_counters::box_tests, "pairs of boxes compared" )
	    .def_ro( "triangle_tests", &dbvh_counters::triangle_tests, "pairs of triangles compared" )
	    .def_ro( "exact_tests", &dbvh_counters::exact_tests, "of those, undecided by the floating-point filter" )
	    .def_ro( "ellipsoid_pair_tests", &dbvh_counters::ellipsoid_pair_tests,
	             "pairs of nodes compared by their ellipsoids" )
	    .def_ro( "ellipsoid_box_tests", &dbvh_counters::ellipsoid_box_tests,
	             "pairs of nodes compared by the ellipsoid of one and the box of the other" )
	    .def_ro( "ellipsoid_separated", &dbvh_counters::ellipsoid_separated,
	             "of both, pairs that were found to be disjoint" )
	    .def( "__repr__", []( const dbvh_counters &c ) {
		    return "<dualbvh.Counters: " + std::to_string( c.sphere_tests ) + " spheres, " +
		           std::to_string( c.box_tests ) + " boxes, " + std::to_string( c.triangle_tests ) + " triangles, " +
		           std::to_string( c.exact_tests ) + " exact>";
	    } );

	nb::class_<result_t>( m, "CollideResult",
	                      "The answer of collide(). True in a condition where the meshes intersect." )
	    .def_prop_ro( "intersecting", []( const result_t &r ) { return r.verdict == DBVH_INTERSECTING; } )
	    .def( "__bool__", []( const result_t &r ) { return r.verdict == DBVH_INTERSECTING; } )
	    .def_prop_ro(
	        "first",
	        []( const result_t &r ) -> std::optional<triangle_pair> {
		        if ( r.verdict == DBVH_DISJOINT )
			        return std::nullopt;
		        return to_pair( r.first );
	        },
	        "A triangle of A and one of B that intersect, by their numbers; None where there are none." )
	    .def_ro( "counters", &result_t::counters )
	    .def( "__repr__", describe );

	bind_state<dbvh_counters>( m, "Counters" );
	bind_state<result_t>( m, "CollideResult" );
	const nb::object dtype = collide_dtype();
	m.attr( "COLLIDE_DTYPE" ) = dtype;

	nb::class_<cache>(
	    m, "Cache", nb::is_weak_referenceable(),
	    "The record of earlier calls of collide() about one pair of meshes, which makes the next one "
	    "faster where they\nhave moved little. No answer depends on it. For one thread at a time: a call "
	    "that finds it in use goes without. A copy is an\nempty one, as is what a pickle gives." )
	    .def( nb::init<>() )
	    .def(
	        "__reduce__", []( nb::handle self ) { return nb::make_tuple( self.type(), nb::tuple() ); },
	        nb::sig( "def __reduce__(self) -> tuple[Any, ...]" ) )
	    .def( "__repr__", []( const cache & ) { return "<dualbvh.Cache>"; } );

	m.def(
	    "collide", collide, nb::arg( "a" ), nb::arg( "b" ), nb::arg( "pose_b" ) = nb::none(),
	    nb::arg( "pose_a" ) = nb::none(), nb::kw_only(), nb::arg( "cache" ) = nb::none(),
	    nb::arg( "policy" ) = DBVH_POLICY_DEFAULT, nb::arg( "threads" ) = 1, nb::arg( "max_work" ) = 0,
	    nb::sig( "def collide(a: Tree, b: Tree, pose_b: PoseLike | None = None, pose_a: PoseLike | None = None, *, "
	             "cache: Cache | None = None, policy: Policy = Policy.DEFAULT, threads: int = 1, max_work: int = 0) -> "
	             "CollideResult" ),
	    R"(Do the meshes of two trees, A at pose_a and B at pose_b, have a point in common?

pose_a, pose_b  4 x 4, 3 x 4, 12 numbers (rows of [R|t]) or (quaternion x y z w, translation), from the frame of the mesh
                into a common one; None is the identity
cache           a Cache kept from call to call for this pair of meshes, which moves little between them
threads         for one heavy query; the answer does not depend on it
max_work        steps after which BudgetSpent is raised; 10**6 take some milliseconds; 0: no limit

Exact about the numbers given, without a tolerance: touching counts, a mesh inside another without a common point does not
(see relate()). Raises InvalidArgument, NotFinite, NotRigid (rot^T rot is off by more than 2e-6; see orthonormalise()).)" );

	m.def( "collide_pairs", collide_pairs, nb::arg( "a" ), nb::arg( "b" ), nb::arg( "pose_b" ) = nb::none(),
	       nb::arg( "pose_a" ) = nb::none(), nb::kw_only(), nb::arg( "policy" ) = DBVH_POLICY_DEFAULT,
	       nb::arg( "threads" ) = 1, nb::arg( "max_work" ) = 0,
	       nb::sig( "def collide_pairs(a: Tree, b: Tree, pose_b: PoseLike | None = None, pose_a: PoseLike | None = "
	                "None, *, policy: Policy = Policy.DEFAULT, threads: int = 1, max_work: int = 0) -> "
	                "NDArray[np.uint32]" ),
	       "Every pair of triangles that intersect, m x 2: a triangle of A and one of B, sorted. Arguments and "
	       "exceptions as of\ncollide()." );

	const auto batch = [dtype]( const tree &a, const tree &b, nb::handle poses_b, nb::handle pose_a, dbvh_policy policy,
	                            thread_count threads, uint64_t max_work, uint64_t max_total,
	                            const std::string &errors ) {
		return ask_pair_batch( dbvh_collide_batch, { a, b, poses_b, pose_a }, collide_query( policy ),
		                       { threads, max_work, max_total, errors }, dtype );
	};
	m.def(
	    "collide_batch", batch, nb::arg( "a" ), nb::arg( "b" ), nb::arg( "poses_b" ), nb::arg( "pose_a" ) = nb::none(),
	    nb::kw_only(), nb::arg( "policy" ) = DBVH_POLICY_DEFAULT, nb::arg( "threads" ) = 0, nb::arg( "max_work" ) = 0,
	    nb::arg( "max_total" ) = 0, nb::arg( "errors" ) = "raise",
	    nb::sig( "def collide_batch(a: Tree, b: Tree, poses_b: PosesLike, pose_a: PoseLike | None = None, *, policy: "
	             "Policy = Policy.DEFAULT, threads: int = 0, max_work: int = 0, max_total: int = 0, errors: OnError = "
	             "'raise') -> "
	             "Records" ),
	    R"(collide() for B at each of n poses, on several threads.

poses_b   n x 4 x 4, n x 3 x 4, n x 12, or (quaternions n x 4, translations n x 3)
threads   0: as many as OpenMP would use; -1: all cores; no answer depends on it
max_work  steps that each pose may take; 0: no limit
max_total steps that the whole call may take: what is finished are the poses up to one; 0: no limit
errors    'raise': the exception of the first pose that is refused, with its index in `element`. 'keep': its record is all
          zero but for `status`; one with a NaN is such a pose

Returns n records of COLLIDE_DTYPE: intersecting, first (a, b), status, pair_count, counters.)" );

	const auto pairs_batch = [dtype]( const tree &a, const tree &b, nb::handle poses_b, nb::handle pose_a,
	                                  dbvh_policy policy, thread_count threads, uint64_t max_work, uint64_t max_total,
	                                  const std::string &errors ) {
		return collide_pairs_batch( { a, b, poses_b, pose_a }, policy, { threads, max_work, max_total, errors },
		                            dtype );
	};
	m.def( "collide_pairs_batch", pairs_batch, nb::arg( "a" ), nb::arg( "b" ), nb::arg( "poses_b" ),
	       nb::arg( "pose_a" ) = nb::none(), nb::kw_only(), nb::arg( "policy" ) = DBVH_POLICY_DEFAULT,
	       nb::arg( "threads" ) = 0, nb::arg( "max_work" ) = 0, nb::arg( "max_total" ) = 0,
	       nb::arg( "errors" ) = "raise",
	       nb::sig( "def collide_pairs_batch(a: Tree, b: Tree, poses_b: PosesLike, pose_a: PoseLike | None = None, *, "
	                "policy: Policy = Policy.DEFAULT, threads: int = 0, max_work: int = 0, max_total: int = 0, errors: "
	                "OnError = 'raise') "
	                "-> tuple[Records, NDArray[np.uint32], NDArray[np.uint64]]" ),
	       "collide_pairs() for B at each of n poses: the records of collide_batch(), all pairs, m x 2, and n + 1 "
	       "offsets; those of\npose i are pairs[offsets[i]:offsets[i + 1]]. Takes twice the time of a batch that only "
	       "counts." );

	m.def(
	    "self_collide", self_collide, nb::arg( "tree" ), nb::kw_only(), nb::arg( "policy" ) = DBVH_POLICY_DEFAULT,
	    nb::arg( "threads" ) = 1, nb::arg( "max_work" ) = 0,
	    nb::sig( "def self_collide(tree: Tree, *, policy: Policy = Policy.DEFAULT, threads: int = 1, max_work: int = "
	             "0) -> CollideResult" ),
	    "Do triangles of one mesh intersect beyond the corners and edges that they share?" );
	m.def(
	    "self_pairs", self_pairs, nb::arg( "tree" ), nb::kw_only(), nb::arg( "policy" ) = DBVH_POLICY_DEFAULT,
	    nb::arg( "threads" ) = 1, nb::arg( "max_work" ) = 0,
	    nb::sig( "def self_pairs(tree: Tree, *, policy: Policy = Policy.DEFAULT, threads: int = 1, max_work: int = 0) "
	             "-> NDArray[np.uint32]" ),
	    "All pairs of triangles that do, m x 2, the lower number first, sorted." );
}

} // namespace dualbvh_python
