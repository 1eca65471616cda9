// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#pragma once

// Prints the version of the library, and which of the libraries that the command can do without are in. Returns an exit
// status.
int print_version( void );
