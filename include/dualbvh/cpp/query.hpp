// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file cpp/query.hpp
/// What queries have in common: scratch memory, batches, lists. Part of dualbvh.hpp, which is what programs include.

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

// What the queries of two meshes have in common, in C.
template <class Query, class R>
using PairFunction = Status( const dbvh_tree *, const Pose *, const dbvh_tree *, const Pose *, const Query *,
                             dbvh_workspace *, R *, Error * );
template <class P, class Query, class R>
using PairBatch = Status( const dbvh_tree *, const P *, const dbvh_tree *, const P *, std::size_t, const Query *,
                          const BatchOptions *, R *, Error * );
// And those of one mesh.
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

// A batch has as many places for answers as questions, or is refused: `ask( error )` is called where it has.
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

// Every one of a list that a query writes: `room`, `capacity` are its members, `count` and `written` those of its
// result; ask( query, result, error ).
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
