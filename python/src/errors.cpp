// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "errors.h"

#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace dualbvh_python {

[[noreturn]] void raise( const dbvh_error &error ) {
	raise( error, "" );
}

[[noreturn]] void raise( const dbvh_error &error, const std::string &file ) {
	const nb::object name = file.empty() ? nb::object( nb::none() ) : nb::object( nb::str( file.c_str() ) );
	const nb::object exception = nb::module_::import_( "dualbvh.errors" )
	                                 .attr( "from_status" )( dbvh_status_name( error.status ), error.text, error.line,
	                                                         error.byte, error.element, name );
	PyErr_SetObject( exception.type().ptr(), exception.ptr() );
	throw nb::python_error();
}

[[noreturn]] void raise( dbvh_status status, const char *text, int64_t element ) {
	dbvh_error error = { status, 0, -1, element, "" };
	for ( size_t i = 0; i + 1 < sizeof error.text && text[i]; ++i )
		error.text[i] = text[i];
	raise( error );
}

} // namespace dualbvh_python
