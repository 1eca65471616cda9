// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Calls that WASI lacks, for files that the module does not have: cmake/Wasi.cmake includes this everywhere.

#pragma once

static inline unsigned geteuid( void ) {
	return 0;
}

static inline int fchown( int descriptor, unsigned user, unsigned group ) {
	(void)descriptor;
	(void)user;
	(void)group;
	return -1;
}
