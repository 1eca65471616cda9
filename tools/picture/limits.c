// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "picture/limits.h"

#include "cli/interrupt.h"
#include "cli/timeout.h"

bool picture_is_over( void ) {
	return interrupted() || timeout_expired();
}

static bool look( void *user ) {
	(void)user;
	return picture_is_over();
}

dbvh_budget picture_budget( uint64_t most_work ) {
	return ( dbvh_budget ){ .max_work = most_work, .is_cancelled = look };
}
