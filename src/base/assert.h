// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Assertions of internal rules, checked in Debug and sanitizer builds (CMake option DUALBVH_ASSERTS); other builds only
// type-check them. Mistakes of callers are no assertions: those return a status.
//
// DBVHI_ASSERT is for checks that cost next to nothing: indices, lane masks, capacities, denominators. DBVHI_VALIDATE
// is for checks that take a loop: sorted keys, numbers in normal form. Both abort the program with file, line and rule.

#pragma once

// DUALBVH_ASSERTS is 0 for none, 1 for the cheap ones, 2 for all.
#ifndef DUALBVH_ASSERTS
#define DUALBVH_ASSERTS 0
#endif

_Noreturn void dbvhi_assert_failed( const char *rule, const char *file, int line );

#define DBVHI_CHECKED( rule ) ( ( rule ) ? (void)0 : dbvhi_assert_failed( #rule, __FILE__, __LINE__ ) )
// Names the rule in code that never runs, so that variables used by rules alone raise no warning.
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
