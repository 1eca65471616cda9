// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#pragma once

// Returns why the system refuses a file, by errno, in the words that the library has for it.
const char *reason_of( int number );
