// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Functions that os_windows.c and the command's half of the layer (tools/os/os_windows.c) share. No other file includes
// this one.

#pragma once

#include <stdbool.h>
#include <wchar.h>

// A UTF-8 name as Windows takes it, with '\' and the prefix that lifts the limit of 260 characters where it is needed;
// from malloc(). NULL with errno.
wchar_t *dbvhi_os_wide( const char *path );

// UTF-16 text as UTF-8, from malloc(). NULL with errno.
char *dbvhi_os_narrow( const wchar_t *text );

// Sets errno by GetLastError(), and returns false.
bool dbvhi_os_failed( void );
