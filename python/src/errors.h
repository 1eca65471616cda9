// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// From a dbvh_status to a Python exception.

#pragma once

#include "dualbvh/base.h"

#include <string>

namespace dualbvh_python {

/// Throws the exception of dualbvh.errors that stands for the status, with the library's sentence and what else the
/// error says. The GIL must be held.
[[noreturn]] void raise( const dbvh_error &error );

/// The same about a file, whose name the sentence begins with.
[[noreturn]] void raise( const dbvh_error &error, const std::string &file );

/// The same for a mistake that is found here. `element` as in dbvh_error.
[[noreturn]] void raise( dbvh_status status, const char *text, int64_t element = -1 );

inline void check( dbvh_status status, const dbvh_error &error ) {
	if ( status != DBVH_OK )
		raise( error );
}

/// For functions that take no dbvh_error.
inline void check( dbvh_status status ) {
	if ( status != DBVH_OK )
		raise( status, dbvh_status_text( status ) );
}

} // namespace dualbvh_python
