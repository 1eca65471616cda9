// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "text/reason.h"

#include "base/reason.h"

#include <string.h>

const char *reason_of( int number ) {
	const char *reason = dbvhi_reason( number );
	return reason != NULL ? reason : strerror( number );
}
