// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "simd/dispatch.h"
#include "tree/grove.h"

#include <string.h>

const dbvhi_grower *dbvhi_grower_current( void ) {
#ifdef DBVHI_HAVE_X86_GROWERS
	const char *name = dbvhi_isa_current()->name;
	if ( strcmp( name, "avx512" ) == 0 )
		return &dbvhi_grower_avx512;
	if ( strcmp( name, "avx2" ) == 0 )
		return &dbvhi_grower_avx2;
#endif
	return &dbvhi_grower_baseline;
}
