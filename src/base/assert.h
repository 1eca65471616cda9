// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Rules that the inside of the library keeps towards itself, checked in Debug and sanitizer builds (the CMake option
// DUALBVH_ASSERTS) and compiled away in all others, where they are still type-checked. What callers do wrong is no
// matter of these: that gets a status.
//
// DBVHI_ASSERT is for what costs next to nothing: indices, lane masks, capacities, denominators. DBVHI_VALIDATE is for
// what takes a loop: keys that are sorted, numbers in normal form. Both end the program with the file, the line and the
// rule.

#pragma once

// 0: none, 1: the cheap ones, 2: all.
#ifndef DUALBVH_ASSERTS
#define DUALBVH_ASSERTS 0
#endif

_Noreturn void dbvhi_assert_failed( const char *rule, const char *file, int line );

#define DBVHI_CHECKED( rule ) ( ( rule ) ? (void)0 : dbvhi_assert_failed( #rule, __FILE__, __LINE__ ) )
// In code that is never run, so that what only rules use counts as used.
#define DBVHI_UNCHECKED( rule ) ( 0 ? (void)( rule ) : (void)0 )

#if DUALBVH_ASSERTS >= 1
#define DBVHI_ASSERT( rule ) DBVHI_CHECKED( rule )
#else
#define DBVHI_ASSERT( rule ) DBVHI_UNCHECKED( rule )
#endif

#if DUALBVH_ASSERTS >= 2
#define DBVHI_VALIDATE( rule ) DBVHI_CHECKED( rule )
#else
#define DBVHI_VALIDATE( rule ) DBVHI_UNCHECKED( rule )
#endif
