// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// All numbers of slabs, for one instruction set: KERNEL is what it is called.

#include "lanes.h"
#include "tree.h"

#define HALF 4
#define STRIDE 8
#define NAME( x ) x##_6
#include "traverse.inl"
#undef HALF
#undef STRIDE
#undef NAME

#define HALF 8
#define STRIDE 16
#define NAME( x ) x##_14
#include "traverse.inl"
#undef HALF
#undef STRIDE
#undef NAME

#define HALF 12
#define STRIDE 26
#define NAME( x ) x##_24
#include "traverse.inl"
#undef HALF
#undef STRIDE
#undef NAME

#define HALF 16
#define STRIDE 32
#define NAME( x ) x##_26
#include "traverse.inl"
#undef HALF
#undef STRIDE
#undef NAME

quickcd_kernel KERNEL( int k ) {
	switch ( k ) {
	case 6:
		return ( quickcd_kernel ){ traverse_6, traverse_larger_6, reorient_6 };
	case 14:
		return ( quickcd_kernel ){ traverse_14, traverse_larger_14, reorient_14 };
	case 26:
		return ( quickcd_kernel ){ traverse_26, traverse_larger_26, reorient_26 };
	default: // 18 with padding, and 24
		return ( quickcd_kernel ){ traverse_24, traverse_larger_24, reorient_24 };
	}
}
