// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Python.h includes <crypt.h> up to 3.10, of which extension modules use nothing, and zig's C library has none.
