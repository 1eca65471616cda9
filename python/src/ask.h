// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Calls of queries, one at a time and in batches. Query, result and function are arguments; the parts that all calls
// share are here: releasing the GIL, checking for signals, turning results into arrays and errors into exceptions.

#pragma once

#include "dualbvh/depth.h"
#include "dualbvh/toi.h"
#include "objects.h"
#include "records.h"

#include <algorithm>
#include <tuple>
#include <type_traits>
#include <vector>

namespace dualbvh_python {

// ------------------------------------------------------------------------------------------------
// Meshes at poses

/// A mesh at a pose.
struct posed_tree {
	reading tree;
	pose_argument pose;
	posed_tree( const class tree &t, nb::handle at, const char *what = "pose" ) : tree( t ), pose( at, what ) {}
};

/// Two meshes, each at a pose.
struct posed_pair {
	posed_tree a, b;
	posed_pair( const tree &a, const tree &b, nb::handle pose_b, nb::handle pose_a )
	    : a( a, pose_a, "pose_a" ), b( b, pose_b, "pose_b" ) {}
};

/// Two meshes, B at many poses.
struct posed_batch {
	posed_tree a;
	reading b;
	pose_list poses_b;
	posed_batch( const tree &a, const tree &b, nb::handle poses_b, nb::handle pose_a )
	    : a( a, pose_a, "pose_a" ), b( b ), poses_b( poses_b, "poses_b" ) {}
};

/// The arguments that all batches share.
struct batch_arguments {
	uint32_t threads;
	uint64_t max_work, max_total;
	const std::string &errors;
};

/// True for results that tell that the budget was spent, by a verdict or a wide interval: that is an answer then, no
/// exception.
template <class Result>
constexpr bool is_answer_when_spent =
    std::is_same_v<Result, dbvh_toi_result> || std::is_same_v<Result, dbvh_local_depth_result> ||
    std::is_same_v<Result, dbvh_penetration_result> || std::is_same_v<Result, dbvh_penetration_along_result>;

// ------------------------------------------------------------------------------------------------
// Single queries

/// Runs one query. `call( query, workspace, result, error )` calls a function of the library with these as its last
/// arguments.
template <class Result, class Query, class Call> Result ask_one( Query query, uint64_t max_work, Call &&call ) {
	interruption interrupted( max_work );
	workspace_lease workspace;
	query.budget = interrupted.budget();
	Result result;
	dbvh_error error;
	dbvh_workspace *const scratch = workspace;
	const dbvh_status status = without_gil( [&] { return call( query, scratch, &result, &error ); } );
	if ( !( is_answer_when_spent<Result> && status == DBVH_BUDGET_SPENT ) )
		check( status, error, interrupted );
	return result;
}

template <class Query, class Result>
using pair_function = dbvh_status ( * )( const dbvh_tree *, const dbvh_pose *, const dbvh_tree *, const dbvh_pose *,
                                         const Query *, dbvh_workspace *, Result *, dbvh_error * );

/// Runs one query of two meshes.
template <class Query, class Result>
Result ask_pair( pair_function<Query, Result> function, const posed_pair &pair, const Query &query,
                 uint64_t max_work ) {
	return ask_one<Result>( query, max_work,
	                        [&]( const Query &q, dbvh_workspace *workspace, Result *result, dbvh_error *error ) {
		                        return function( pair.a.tree, pair.a.pose.get(), pair.b.tree, pair.b.pose.get(), &q,
		                                         workspace, result, error );
	                        } );
}

// ------------------------------------------------------------------------------------------------
// Single queries with lists

/// The members of a query that hold the array for its list and the array's capacity, and that of the result for the
/// list's length.
template <class Query, class Result, class T> struct list_place {
	T *Query::*room;
	size_t Query::*capacity;
	size_t Result::*count;
};
template <class Query, class Result, class T>
list_place( T *Query::*, size_t Query::*, size_t Result::* ) -> list_place<Query, Result, T>;

/// Returns the whole list. Runs the query again where the list is longer than the first array.
template <class Query, class Result, class T, class Call>
std::vector<T> ask_list( const list_place<Query, Result, T> &place, Query query, uint64_t max_work, Call &&call ) {
	std::vector<T> list( 8192 / sizeof( T ) );
	query.find = DBVH_FIND_ALL;
	const Result last = ask_one<Result>(
	    query, max_work, [&]( const Query &asked, dbvh_workspace *workspace, Result *result, dbvh_error *error ) {
		    return ask_for_all( list, result->*place.count, [&]( T *room, size_t capacity ) {
			    Query q = asked;
			    q.*place.room = room;
			    q.*place.capacity = capacity;
			    return call( q, workspace, result, error );
		    } );
	    } );
	list.resize( last.*place.count );
	return list;
}

template <class Query, class Result, class T>
std::vector<T> ask_pair_list( pair_function<Query, Result> function, const list_place<Query, Result, T> &place,
                              const posed_pair &pair, const Query &query, uint64_t max_work ) {
	return ask_list( place, query, max_work,
	                 [&]( const Query &q, dbvh_workspace *workspace, Result *result, dbvh_error *error ) {
		                 return function( pair.a.tree, pair.a.pose.get(), pair.b.tree, pair.b.pose.get(), &q, workspace,
		                                  result, error );
	                 } );
}

// ------------------------------------------------------------------------------------------------
// Batches

/// Runs a batch of `count` elements in one call, `call( query, options, results, error )`. Returns records of `dtype`.
template <class Result, class Query, class Call>
nb::object ask_batch( size_t count, Query query, const batch_arguments &how, nb::handle dtype, Call &&call ) {
	const refusals refused( how.errors );
	new_array results( count, dtype );
	Result *const out = results.data<Result>();
	interruption interrupted( how.max_work, how.max_total );
	workspace_lease workspace;
	const dbvh_batch_options options = batch_options( how.threads, workspace );
	query.budget = interrupted.budget();
	dbvh_error error;
	const dbvh_status status = without_gil( [&] { return call( query, options, out, &error ); } );
	if ( !( is_answer_when_spent<Result> && status == DBVH_BUDGET_SPENT ) )
		refused.check( status, error, interrupted );
	return results.release();
}

template <class Query, class Result>
using pair_batch_function = dbvh_status ( * )( const dbvh_tree *, const dbvh_pose *, const dbvh_tree *,
                                               const dbvh_pose *, size_t, const Query *, const dbvh_batch_options *,
                                               Result *, dbvh_error * );

/// Runs a batch of queries of two meshes, B at many poses.
template <class Query, class Result>
nb::object ask_pair_batch( pair_batch_function<Query, Result> function, const posed_batch &batch, const Query &query,
                           const batch_arguments &how, nb::handle dtype ) {
	return ask_batch<Result>( batch.poses_b.count(), query, how, dtype,
	                          [&]( const Query &q, const dbvh_batch_options &options, Result *out, dbvh_error *error ) {
		                          return function( batch.a.tree, batch.a.pose.get(), batch.b, batch.poses_b.data(),
		                                           batch.poses_b.count(), &q, &options, out, error );
	                          } );
}

// ------------------------------------------------------------------------------------------------
// Batches with lists for answers

/// All lists of a batch in one array, and the index where each begins.
template <class T> struct lists {
	std::vector<T> all;
	std::vector<size_t> begin;
	explicit lists( size_t count ) : begin( count + 1 ) {}
	nb::object offsets() const {
		new_array array( begin.size(), format( "u8" ) );
		std::copy( begin.begin(), begin.end(), array.data<uint64_t>() );
		return array.release();
	}
};

/// Runs a batch once to count, and again with exactly the room needed: `ask( room, capacity, begin )`, with NULL, 0,
/// NULL at first; `count_of( i )` is the length of list i by the last run.
template <class T, class CountOf, class Ask>
dbvh_status count_and_list( lists<T> &into, const dbvh_error &error, CountOf &&count_of, Ask &&ask ) {
	const dbvh_status counted = ask( nullptr, 0, nullptr );
	if ( counted != DBVH_OK && ( error.element < 0 || counted == DBVH_CANCELLED ) )
		return counted;
	for ( size_t i = 0; i + 1 < into.begin.size(); ++i )
		into.begin[i + 1] = into.begin[i] + count_of( i );
	into.all.resize( into.begin.back() );
	return into.all.empty() ? counted : ask( into.all.data(), into.all.size(), into.begin.data() );
}

/// ask_batch() with lists. `begin` is the member of the query for the index where each list begins. Returns the
/// records.
template <class Query, class Result, class T, class Call>
nb::object ask_batch_lists( const list_place<Query, Result, T> &place, const size_t *Query::*begin, lists<T> &into,
                            Query query, const batch_arguments &how, nb::handle dtype, Call &&call ) {
	query.find = DBVH_FIND_ALL;
	return ask_batch<Result>(
	    into.begin.size() - 1, query, how, dtype,
	    [&]( const Query &asked, const dbvh_batch_options &options, Result *out, dbvh_error *error ) {
		    return count_and_list(
		        into, *error, [&]( size_t i ) { return out[i].*place.count; },
		        [&]( T *room, size_t capacity, const size_t *beginnings ) {
			        Query q = asked;
			        q.*place.room = room;
			        q.*place.capacity = capacity;
			        q.*begin = beginnings;
			        return call( q, options, out, error );
		        } );
	    } );
}

/// Records, all lists in one array, and the index where each begins.
using records_and_lists = std::tuple<nb::object, nb::object, nb::object>;

} // namespace dualbvh_python
