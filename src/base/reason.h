// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The words for what the system refuses, the same ones in the library and in the command.

#pragma once

#include <errno.h>
#include <stddef.h>

// Returns why a file cannot be opened, read or written, by errno; NULL for reasons that have no words here. strerror()
// would have words for all of them, but is not safe from any thread.
static inline const char *dbvhi_reason( int number ) {
	switch ( number ) {
	case ENOENT:
		return "there is no such file or folder";
	case EACCES:
		return "permission denied";
	case EISDIR:
		return "it is a folder";
	case ENOSPC:
		return "the disk is full";
	case EFBIG:
		return "it would be larger than this process may write";
	case ELOOP:
		return "it is a symbolic link";
	case 0:
		return "an earlier write failed";
	default:
		return NULL;
	}
}
