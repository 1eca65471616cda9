// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "records.h"

#include <cstdio>

namespace dualbvh_python {

nb::object pair_dtype() {
	return make_dtype(
	    { { "a", format( "u4" ), offsetof( dbvh_pair, a ) }, { "b", format( "u4" ), offsetof( dbvh_pair, b ) } },
	    sizeof( dbvh_pair ) );
}

nb::object counters_dtype() {
	using T = dbvh_counters;
	return make_dtype( { { "sphere_tests", format( "u8" ), offsetof( T, sphere_tests ) },
	                     { "box_tests", format( "u8" ), offsetof( T, box_tests ) },
	                     { "triangle_tests", format( "u8" ), offsetof( T, triangle_tests ) },
	                     { "exact_tests", format( "u8" ), offsetof( T, exact_tests ) },
	                     { "ellipsoid_pair_tests", format( "u8" ), offsetof( T, ellipsoid_pair_tests ) },
	                     { "ellipsoid_box_tests", format( "u8" ), offsetof( T, ellipsoid_box_tests ) },
	                     { "ellipsoid_separated", format( "u8" ), offsetof( T, ellipsoid_separated ) } },
	                   sizeof( T ) );
}

nb::object triple_format() {
	return format( "f8", 3 );
}

refusals::refusals( const std::string &errors ) : keep( errors == "keep" ) {
	if ( !keep && errors != "raise" )
		raise( DBVH_INVALID_ARGUMENT, "errors must be 'raise' or 'keep'" );
}

void refusals::check( dbvh_status status, const dbvh_error &error, const interruption &interrupted ) const {
	if ( keep && error.element >= 0 && status != DBVH_CANCELLED )
		return;
	dualbvh_python::check( status, error, interrupted );
}

std::string number_text( double x ) {
	char text[40];
	snprintf( text, sizeof text, "%.9g", x );
	return text;
}

std::string point_text( const double ( &x )[3] ) {
	return "(" + number_text( x[0] ) + ", " + number_text( x[1] ) + ", " + number_text( x[2] ) + ")";
}

} // namespace dualbvh_python
