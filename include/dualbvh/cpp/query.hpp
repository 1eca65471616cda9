// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file cpp/query.hpp
/// The parts that queries share: workspaces, batches, lists. Part of dualbvh.hpp, which is what programs include.

#ifndef DUALBVH_CPP_QUERY_HPP
#define DUALBVH_CPP_QUERY_HPP

#include "dualbvh/cpp/pose.hpp"
#include "dualbvh/cpp/tree.hpp"

namespace dualbvh {
inline namespace DUALBVH_HPP_FORM {

/// Scratch memory of one thread, so that queries allocate nothing: see query.h.
class Workspace : public detail::Owner<dbvh_workspace, dbvh_workspace_destroy> {
  public:
	using Owner::Owner;
	static Outcome<Workspace> create( const Allocator *allocator = nullptr ) {
		return detail::outcome_of<Workspace>( [&]( Workspace &workspace, Error &error ) {
			return dbvh_workspace_create( allocator, &workspace.object_, &error );
		} );
	}
	Outcome<void> reserve( const Tree &a, const Tree &b, std::size_t pair_capacity = 0,
	                       std::uint32_t thread_count = 1 ) {
		return detail::outcome_of<void>( [&]( Error &error ) {
			return dbvh_workspace_reserve_threads( object_, a.get(), b.get(), pair_capacity, thread_count, &error );
		} );
	}
};

namespace detail {

inline dbvh_workspace *of( Workspace *workspace ) noexcept {
	return workspace != nullptr ? workspace->get() : nullptr;
}

// Types of the functions in C that query two meshes.
template <class Query, class R>
using PairFunction = Status( const dbvh_tree *, const Pose *, const dbvh_tree *, const Pose *, const Query *,
                             dbvh_workspace *, R *, Error * );
template <class P, class Query, class R>
using PairBatch = Status( const dbvh_tree *, const P *, const dbvh_tree *, const P *, std::size_t, const Query *,
                          const BatchOptions *, R *, Error * );
// Types of the functions in C that query one mesh.
template <class P, class Query, class R>
using MeshFunction = Status( const dbvh_tree *, const Pose *, const P *, const Query *, dbvh_workspace *, R *,
                             Error * );
template <class P, class Query, class R>
using MeshBatch = Status( const dbvh_tree *, const Pose *, const P *, std::size_t, const Query *, const BatchOptions *,
                          R *, Error * );

template <class Query, class R>
Outcome<R> ask_pair( PairFunction<Query, R> *function, const Tree &a, const Pose &pose_a, const Tree &b,
                     const Pose &pose_b, const Query &query, Workspace *workspace ) {
	return outcome_of<R>( [&]( R &result, Error &error ) {
		return function( a.get(), &pose_a, b.get(), &pose_b, &query, of( workspace ), &result, &error );
	} );
}

template <class P, class Query, class R>
Outcome<R> ask_mesh( MeshFunction<P, Query, R> *function, const Tree &tree, const Pose &pose, const P *about,
                     const Query &query, Workspace *workspace ) {
	return outcome_of<R>( [&]( R &result, Error &error ) {
		return function( tree.get(), &pose, about, &query, of( workspace ), &result, &error );
	} );
}

// Refuses a batch whose results are not as many as its elements, else calls ask( error ).
template <class F> Outcome<void> ask_batch( std::size_t questions, std::size_t answers, F &&ask ) {
	return outcome_of<void>( [&]( Error &error ) {
		if ( questions != answers )
			return refuse( error, DBVH_INVALID_ARGUMENT, "results: there must be as many as are asked for" );
		return ask( error );
	} );
}

template <class P, class Query, class R>
Outcome<void> ask_pair_batch( PairBatch<P, Query, R> *function, const Tree &a, const P &place_a, const Tree &b,
                              span<const P> places_b, span<R> results, const Query &query,
                              const BatchOptions &options ) {
	return ask_batch( places_b.size(), results.size(), [&]( Error &error ) {
		return function( a.get(), &place_a, b.get(), places_b.data(), places_b.size(), &query, &options, results.data(),
		                 &error );
	} );
}

template <class P, class Query, class R>
Outcome<void> ask_mesh_batch( MeshBatch<P, Query, R> *function, const Tree &tree, const Pose &pose,
                              span<const P> questions, span<R> results, const Query &query,
                              const BatchOptions &options ) {
	return ask_batch( questions.size(), results.size(), [&]( Error &error ) {
		return function( tree.get(), &pose, questions.data(), questions.size(), &query, &options, results.data(),
		                 &error );
	} );
}

// Gets the whole list that a query writes. `room` and `capacity` are members of the query, `count` and `written` of the
// result; it calls ask( query, result, error ).
template <class T, class Query, class R, class F>
Outcome<Array<T>> ask_all( Query query, T *Query::*room, std::size_t Query::*capacity, std::size_t R::*count,
                           std::size_t R::*written, F &&ask ) {
	query.find = DBVH_FIND_ALL;
	return outcome_of<Array<T>>( [&]( Array<T> &all, Error &error ) {
		return gather( all, error, [&]( T *list, std::size_t size, std::size_t &found, std::size_t &got, Error &e ) {
			query.*room = list;
			query.*capacity = size;
			R result{};
			const Status status = ask( query, result, e );
			found = result.*count;
			got = result.*written;
			return status;
		} );
	} );
}

} // namespace detail

} // namespace DUALBVH_HPP_FORM
} // namespace dualbvh

#endif // DUALBVH_CPP_QUERY_HPP
