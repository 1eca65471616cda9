// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// RAPID's tests of boxes and triangles with absolute values that are no branches, as compilers of today have them: on
// boxes that are apart at random those cost it half its time.

#include "matvec.H"
#undef myfabs
#define myfabs( x ) __builtin_fabs( x )
#include "overlap.C"
