// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Small functions whose loops have constant bounds only once they are inlined into their caller.

#pragma once

#if defined( __GNUC__ )
#define DBVHI_INLINE static inline __attribute__( ( always_inline ) )
#else
#define DBVHI_INLINE static inline
#endif
