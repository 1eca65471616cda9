// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The instruction set of the kernels, as callers see it.

#include "dualbvh/isa.h"

#include "base/status.h"
#include "simd/isa.h"

const char *dbvh_isa_name( void ) {
	return dbvhi_isa_current()->name;
}

dbvh_status dbvh_isa_select( const char *name, dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( dbvhi_isa_select( name ) )
		return DBVH_OK;
	return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT,
	                        "name is \"%.32s\", which is no instruction set that this machine and build have", name );
}
