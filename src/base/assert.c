// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "base/assert.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void dbvhi_assert_failed( const char *rule, const char *file, int line ) {
	fprintf( stderr, "dualbvh: %s:%d: this does not hold: %s\n", file, line, rule );
	abort();
}
