// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The parts that queries of two primitives share: primitives.cpp and shape_cast.cpp.

#pragma once

#include "dualbvh/primitives.h"
#include "errors.h"
#include "shape.h"

#include <algorithm>
#include <string>
#include <vector>

namespace dualbvh_python {

template <class A, class B> [[noreturn]] void refuse( const char *question ) {
	throw nb::type_error(
	    (std::string( "there is no " ) + question + "() of " + kind_name<A> + " and " + kind_name<B>).c_str() );
}

/// Returns the number of pairs of two lists of the same length, or of one shape and a list.
inline size_t pair_count( size_t a, size_t b ) {
	if ( a != b && a != 1 && b != 1 )
		raise( DBVH_INVALID_ARGUMENT, "a and b must be as many shapes, or one of either" );
	return a == 0 || b == 0 ? 0 : std::max( a, b );
}

/// The columns that the library's batches take.
class columns {
  public:
	template <class T>
	explicit columns( const std::vector<T> &shapes ) : width( sizeof( T ) / sizeof( double ) ), count( shapes.size() ) {
		const double *rows = reinterpret_cast<const double *>( shapes.data() );
		numbers.resize( width * count );
		for ( size_t i = 0; i < count; ++i )
			for ( size_t k = 0; k < width; ++k )
				numbers[k * count + i] = rows[i * width + k];
	}
	/// A structure of arrays: a pointer a column, then the count.
	template <class Array> Array as() const {
		Array array;
		const double **column = reinterpret_cast<const double **>( &array );
		for ( size_t k = 0; k < width; ++k )
			column[k] = numbers.data() + k * count;
		array.count = count;
		return array;
	}

  private:
	size_t width, count;
	std::vector<double> numbers;
};

} // namespace dualbvh_python
