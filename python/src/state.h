// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Pickling and copying of objects: the bytes of their data, with a mark of the version and machine that wrote them.

#pragma once

#include "arrays.h"
#include "errors.h"

#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace dualbvh_python {

using byte_state = std::tuple<std::string, nb::bytes>;

/// The version, the order of bytes and the size of one element: bytes are read where they were written, or by the same
/// version on a machine of the same kind.
std::string state_mark( size_t element_bytes );

/// Throws InvalidArgument where the mark is another one, or the bytes are not a number of whole elements.
void expect_state( const byte_state &state, size_t element_bytes );

template <class T> byte_state to_state( const T *elements, size_t count ) {
	static_assert( std::is_trivially_copyable_v<T>, "its bytes are all there is" );
	return { state_mark( sizeof( T ) ), nb::bytes( elements, count * sizeof( T ) ) };
}

template <class T> byte_state to_state( const std::vector<T> &elements ) {
	return to_state( elements.data(), elements.size() );
}

template <class T> std::vector<T> from_state( const byte_state &state ) {
	static_assert( std::is_trivially_copyable_v<T>, "its bytes are all there is" );
	expect_state( state, sizeof( T ) );
	const nb::bytes &bytes = std::get<1>( state );
	std::vector<T> elements( bytes.size() / sizeof( T ) );
	if ( !elements.empty() )
		std::memcpy( elements.data(), bytes.c_str(), bytes.size() );
	return elements;
}

/// Lets a class be pickled and copied whose objects are plain numbers.
template <class T> void bind_state( nb::module_ &m, const char *name ) {
	nb::borrow<nb::class_<T>>( m.attr( name ) )
	    .def(
	        "__getstate__", []( const T &self ) { return to_state( &self, 1 ); },
	        nb::sig( "def __getstate__(self) -> tuple[str, bytes]" ) )
	    .def(
	        "__setstate__",
	        []( T *self, const byte_state &state ) {
		        const std::vector<T> one = from_state<T>( state );
		        if ( one.size() != 1 )
			        raise( DBVH_INVALID_ARGUMENT, "the state is not of one object" );
		        new ( self ) T( one[0] );
	        },
	        nb::arg( "state" ), nb::sig( "def __setstate__(self, state: tuple[str, bytes]) -> None" ) );
}

} // namespace dualbvh_python
