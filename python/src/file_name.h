// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#pragma once

#include "arrays.h"
#include "errors.h"

#include <string>

namespace dualbvh_python {

/// The name of a file, in the system's encoding and as text for messages.
struct file_name {
	nb::bytes encoded;
	std::string shown;
	explicit file_name( nb::handle path )
	    : encoded( nb::bytes( nb::module_::import_( "os" ).attr( "fsencode" )( path ) ) ) {
		const nb::object text = nb::module_::import_( "os" ).attr( "fsdecode" )( path );
		shown = nb::cast<std::string>( text.attr( "encode" )( "utf-8", "replace" ).attr( "decode" )( "utf-8" ) );
		if ( shown.find( '\0' ) != std::string::npos )
			raise( DBVH_INVALID_ARGUMENT, "the name of a file has no zero byte in it" );
	}
	std::string base() const {
		const size_t slash = shown.rfind( '/' );
		return slash == std::string::npos ? shown : shown.substr( slash + 1 );
	}
};

} // namespace dualbvh_python
