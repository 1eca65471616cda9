// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Which instruction set the kernels run for, as callers see it.

#include "dualbvh/isa.h"

#include "simd/isa.h"

const char *dbvh_isa_name( void ) {
	return dbvhi_isa_current()->name;
}

dbvh_status dbvh_isa_select( const char *name ) {
	return dbvhi_isa_select( name ) ? DBVH_OK : DBVH_INVALID_ARGUMENT;
}
