// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// dualbvh.hpp with exceptions, in the program that has it without, too.

#define DUALBVH_EXCEPTIONS
#include <dualbvh/dualbvh.hpp>

namespace {

// The error that it throws; DBVH_OK where it throws none.
template <class F> dualbvh::Error thrown( F &&ask ) {
	try {
		ask();
	} catch ( const dualbvh::Exception &exception ) {
		return exception.error();
	}
	return dualbvh::common::no_error();
}

} // namespace

#define NAME( name ) hpp_exceptions_##name
#define VALUE( what ) ( what )
#define STATUS_OF( what ) ( thrown( [&] { (void)( what ); } ).status )
#define ERROR_OF( what, error_out ) ( ( error_out ) = thrown( [&] { ( what ); } ), ( error_out ).status != DBVH_OK )
#define DONE( what ) ( what )

#include "hpp.inl"
