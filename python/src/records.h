// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The parts that results share: pairs of triangles, counters, and the treatment of refused elements of a batch.

#pragma once

#include "arrays.h"
#include "call.h"
#include "dualbvh/query.h"

#include <cstddef>
#include <cstring>
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

/// The treatment of refused elements of a batch: raise the exception of the first ("raise"), or only set their status
/// ("keep").
class refusals {
  public:
	explicit refusals( const std::string &errors );
	bool are_kept() const {
		return keep;
	}
	/// Throws on an error, unless it is about a single element and those are kept.
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

/// Gets the whole of a list whose length is not known before: `ask( out, capacity )` returns a status and sets `count`.
/// Calls it again with room for all where there was too little.
template <class T, class Ask> dbvh_status ask_for_all( std::vector<T> &list, size_t &count, Ask &&ask ) {
	for ( ;; ) {
		const dbvh_status status = ask( list.data(), list.size() );
		if ( status != DBVH_OK || count <= list.size() )
			return status;
		list.resize( count );
	}
}

/// A new array with a copy of `count` elements.
template <class T> nb::object copy_to_array( const T *elements, size_t count, nb::handle dtype ) {
	new_array array( count, dtype );
	if ( count > 0 )
		std::memcpy( array.data<void>(), elements, count * sizeof *elements );
	return array.release();
}

template <class T> nb::object copy_to_array( const std::vector<T> &elements, nb::handle dtype ) {
	return copy_to_array( elements.data(), elements.size(), dtype );
}

/// A dtype of one value, named `name`, and the status that a batch gives a refused element.
template <class T> struct value_and_status {
	T value;
	int32_t status;
};
template <class T> nb::object value_and_status_dtype( const char *name, const char *type ) {
	using R = value_and_status<T>;
	return make_dtype(
	    { { name, format( type ), offsetof( R, value ) }, { "status", format( "i4" ), offsetof( R, status ) } },
	    sizeof( R ) );
}

/// The array of a batch that is a loop: `values`, or records of them and of statuses where refused elements are kept.
template <class T>
nb::object values_or_records( const std::vector<T> &values, const std::vector<dbvh_status> &statuses,
                              const refusals &refused, nb::handle values_dtype, nb::handle records_dtype ) {
	if ( !refused.are_kept() )
		return copy_to_array( values, values_dtype );
	std::vector<value_and_status<T>> records( values.size() );
	for ( size_t i = 0; i < values.size(); ++i )
		records[i] = { statuses[i] == DBVH_OK ? values[i] : T{}, (int32_t)statuses[i] };
	return copy_to_array( records, records_dtype );
}

/// Pairs of numbers, of triangles or of bodies, as an array of m x 2.
template <class Pair> nb::object pairs_to_array( const std::vector<Pair> &pairs ) {
	static_assert( sizeof( Pair ) == 2 * sizeof( uint32_t ), "two numbers" );
	return copy_to_array( reinterpret_cast<const uint32_t *>( pairs.data() ), 2 * pairs.size(), format( "u4" ) )
	    .attr( "reshape" )( -1, 2 );
}

/// Formats a number as %.Ng does, for reprs.
std::string number_text( double x );
std::string point_text( const double ( &x )[3] );

} // namespace dualbvh_python
