// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The instruction set that kernels are run for. This file knows processors and no kernel: each feature has a table of
// its own kernels (DBVHI_KERNEL_TABLE) indexed by dbvhi_isa_level(). cmake/Kernels.cmake compiles a kernel's one body
// for every set.

#pragma once

#include <stddef.h>

// Ranks of the sets, ascending; the indices of every table of kernels.
typedef enum dbvhi_isa_rank {
	DBVHI_ISA_SCALAR,   // one lane, for tests alone
	DBVHI_ISA_BASELINE, // the minimum of the target, for example SSE2
	DBVHI_ISA_NEON,     // 64-bit ARM, with fused arithmetic
	DBVHI_ISA_AVX2,
	DBVHI_ISA_AVX512,
	DBVHI_ISA_COUNT,
} dbvhi_isa_rank;

typedef struct dbvhi_isa {
	const char *name;
	dbvhi_isa_rank rank;
} dbvhi_isa;

// Returns the sets that this machine can run, the fastest first, and their number in *count_out.
const dbvhi_isa *dbvhi_isa_available( size_t *count_out );

// Returns the set in use: the fastest, or the one named by the environment variable DBVH_ISA or dbvhi_isa_select().
const dbvhi_isa *dbvhi_isa_current( void );

// The rank of the set in use; negative until first asked for.
extern int dbvhi_isa_rank_in_use;
static inline dbvhi_isa_rank dbvhi_isa_level( void ) {
	const int rank = __atomic_load_n( &dbvhi_isa_rank_in_use, __ATOMIC_RELAXED );
	return rank >= 0 ? (dbvhi_isa_rank)rank : dbvhi_isa_current()->rank;
}

// Selects a set by name; NULL goes back to the default. Returns 0 if this machine lacks it.
int dbvhi_isa_select( const char *name );

// DBVHI_KERNEL_TABLE( type, kernel ) defines `kernel_table`, the kernels that the build has, at their places: `type` is
// the type of one, the kernel for a set is called kernel_baseline, kernel_avx2 and so on. Tables stand in the file
// kernels.c of a layer, because tests have tables of their own, with the scalar kernels. DBVHI_NARROW_KERNEL_TABLE is
// for kernels of vectors of four doubles, which AVX-512 does not make faster: it takes those for AVX2 (NARROW of
// dbvhi_kernel() in cmake/Kernels.cmake).
#ifdef DBVHI_HAVE_SCALAR_KERNELS
#define DBVHI_DECLARE_SCALAR( type, kernel ) extern type kernel##_scalar;
#define DBVHI_LIST_SCALAR( kernel ) [DBVHI_ISA_SCALAR] = &kernel##_scalar,
#else
#define DBVHI_DECLARE_SCALAR( type, kernel )
#define DBVHI_LIST_SCALAR( kernel )
#endif
#if defined( DBVHI_HAVE_X86_KERNELS )
#define DBVHI_DECLARE_WIDE( type, kernel ) extern type kernel##_avx2, kernel##_avx512;
#define DBVHI_LIST_WIDE( kernel ) [DBVHI_ISA_AVX2] = &kernel##_avx2, [DBVHI_ISA_AVX512] = &kernel##_avx512,
#define DBVHI_DECLARE_NARROW( type, kernel ) extern type kernel##_avx2;
#define DBVHI_LIST_NARROW( kernel ) [DBVHI_ISA_AVX2] = &kernel##_avx2, [DBVHI_ISA_AVX512] = &kernel##_avx2,
#elif defined( DBVHI_HAVE_NEON_KERNELS )
#define DBVHI_DECLARE_WIDE( type, kernel ) extern type kernel##_neon;
#define DBVHI_LIST_WIDE( kernel ) [DBVHI_ISA_NEON] = &kernel##_neon,
#else
#define DBVHI_DECLARE_WIDE( type, kernel )
#define DBVHI_LIST_WIDE( kernel )
#endif
#if !defined( DBVHI_LIST_NARROW )
#define DBVHI_DECLARE_NARROW DBVHI_DECLARE_WIDE
#define DBVHI_LIST_NARROW DBVHI_LIST_WIDE
#endif
#define DBVHI_KERNEL_TABLE_OF( type, kernel, declare, list )                                                           \
	DBVHI_DECLARE_SCALAR( type, kernel )                                                                               \
	declare( type, kernel ) extern type kernel##_baseline;                                                             \
	type *const kernel##_table[DBVHI_ISA_COUNT] = { DBVHI_LIST_SCALAR( kernel ) list( kernel )[DBVHI_ISA_BASELINE] =   \
	                                                    &kernel##_baseline };
#define DBVHI_KERNEL_TABLE( type, kernel ) DBVHI_KERNEL_TABLE_OF( type, kernel, DBVHI_DECLARE_WIDE, DBVHI_LIST_WIDE )
#define DBVHI_NARROW_KERNEL_TABLE( type, kernel )                                                                      \
	DBVHI_KERNEL_TABLE_OF( type, kernel, DBVHI_DECLARE_NARROW, DBVHI_LIST_NARROW )
