// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Features of the processor that the system lets programs use, asked of the processor itself: __builtin_cpu_supports()
// answers 0 to everything in programs that are linked with the runtime library of some compilers (zig's, and so in
// wheels).

#pragma once

#include <stdbool.h>

// False on processors that are no x86-64. A set counts only if the system saves its registers.
bool dbvhi_cpu_has_sse42( void );
bool dbvhi_cpu_has_avx2( void );   // and FMA
bool dbvhi_cpu_has_avx512( void ); // F, VL, DQ and BW
