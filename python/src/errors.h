// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Conversion of a dbvh_status to a Python exception.

#pragma once

#include "dualbvh/base.h"

#include <string>

namespace dualbvh_python {

/// Throws the exception of dualbvh.errors that stands for the status, with the library's message and the other members
/// of the error. The GIL must be held.
[[noreturn]] void raise( const dbvh_error &error );

/// raise() for an error about a file, whose name begins the message.
[[noreturn]] void raise( const dbvh_error &error, const std::string &file );

/// raise() for an error that the binding finds itself. `element` is that of dbvh_error.
[[noreturn]] void raise( dbvh_status status, const char *text, int64_t element = -1 );

inline void check( dbvh_status status, const dbvh_error &error ) {
	if ( status != DBVH_OK )
		raise( error );
}

/// check() for functions that take no dbvh_error.
inline void check( dbvh_status status ) {
	if ( status != DBVH_OK )
		raise( status, dbvh_status_text( status ) );
}

} // namespace dualbvh_python
