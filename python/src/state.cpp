// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "state.h"

namespace dualbvh_python {

std::string state_mark( size_t element_bytes ) {
	const char *order = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? "big" : "little";
	return std::string( "dualbvh " ) + dbvh_version() + ", " + order + ", " + std::to_string( element_bytes );
}

void expect_state( const byte_state &state, size_t element_bytes ) {
	const std::string want = state_mark( element_bytes ), &got = std::get<0>( state );
	if ( got != want )
		raise( DBVH_INVALID_ARGUMENT, ( "the state is of '" + got + "', and this is '" + want + "'" ).c_str() );
	if ( std::get<1>( state ).size() % element_bytes != 0 )
		raise( DBVH_INVALID_ARGUMENT, "the state ends in the middle of an element" );
}

} // namespace dualbvh_python
