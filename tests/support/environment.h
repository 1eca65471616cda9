// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Variables of the environment. A file that includes this first defines _POSIX_C_SOURCE.

#pragma once

#include <stdlib.h>

// `value` NULL: the variable goes. 0 if all is well.
static inline int set_environment( const char *name, const char *value ) {
#if defined( _WIN32 )
	return (int)_putenv_s( name, value != NULL ? value : "" );
#else
	return value != NULL ? setenv( name, value, 1 ) : unsetenv( name );
#endif
}
