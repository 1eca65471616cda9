// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// What results have in common: pairs of triangles, counters, and how a batch treats an element that is refused.

#pragma once

#include "arrays.h"
#include "call.h"
#include "dualbvh/query.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dualbvh_python {

using triangle_pair = std::pair<uint32_t, uint32_t>;

inline triangle_pair to_pair( const dbvh_pair &pair ) {
	return { pair.a, pair.b };
}

nb::object pair_dtype();
nb::object counters_dtype();
nb::object triple_format(); ///< three doubles

/// What a batch does with elements that are refused: raise the exception of the first ("raise"), or leave it at their
/// status ("keep").
class refusals {
  public:
	explicit refusals( const std::string &errors );
	/// Throws unless all is well, or single elements are to blame and are to be kept.
	void check( dbvh_status status, const dbvh_error &error, const interruption &interrupted ) const;

  private:
	bool keep;
};

inline dbvh_batch_options batch_options( uint32_t threads, dbvh_workspace *workspace ) {
	dbvh_batch_options options = dbvh_batch_options_default();
	options.thread_count = threads;
	options.workspace = workspace;
	return options;
}

/// Everything of a list whose length is known only once it was asked for: `ask( out, capacity )` returns a status and
/// sets `count`. Asks again with room for all where there was too little.
template <class T, class Ask> dbvh_status ask_for_all( std::vector<T> &list, size_t &count, Ask &&ask ) {
	for ( ;; ) {
		const dbvh_status status = ask( list.data(), list.size() );
		if ( status != DBVH_OK || count <= list.size() )
			return status;
		list.resize( count );
	}
}

/// Pairs of triangles as an array of m x 2.
nb::object pairs_to_array( const dbvh_pair *pairs, size_t count );

/// offsets[i + 1] - offsets[i] elements belong to i: the sums of counts, which `count_of( i )` gives.
template <class Count> nb::object offsets_of( size_t count, Count &&count_of ) {
	new_array offsets( count + 1, format( "u8" ) );
	static_assert( sizeof( size_t ) == sizeof( uint64_t ) || sizeof( size_t ) == 4, "sizes fit" );
	uint64_t *out = offsets.data<uint64_t>();
	out[0] = 0;
	for ( size_t i = 0; i < count; ++i )
		out[i + 1] = out[i] + count_of( i );
	return offsets.release();
}

/// A number as %.Ng prints it, for reprs.
std::string number_text( double x );
std::string point_text( const double ( &x )[3] );

} // namespace dualbvh_python
