// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The instruction set that kernels are run for. This file knows processors and no kernel: each feature has a table of
// its own kernels (DBVHI_KERNEL_TABLE) indexed by dbvhi_isa_level(). cmake/Kernels.cmake compiles a kernel's one body
// for every set.

#pragma once

#include <stddef.h>

// Ranks of the sets, ascending; the indices of every table of kernels.
typedef enum dbvhi_isa_rank {
	DBVHI_ISA_SCALAR,
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

// DBVHI_KERNEL_TABLE( type, kernel ) defines `kernel_table` with the kernels of the build by rank: `type` is the type
// of one, and the kernel for a set is called kernel_scalar, kernel_baseline and so on.
#ifdef DBVHI_HAVE_X86_KERNELS
#define DBVHI_KERNEL_TABLE( type, kernel )                                                                             \
	extern type kernel##_scalar, kernel##_baseline, kernel##_avx2, kernel##_avx512;                                    \
	type *const kernel##_table[DBVHI_ISA_COUNT] = { [DBVHI_ISA_SCALAR] = &kernel##_scalar,                             \
	                                                [DBVHI_ISA_BASELINE] = &kernel##_baseline,                         \
	                                                [DBVHI_ISA_AVX2] = &kernel##_avx2,                                 \
	                                                [DBVHI_ISA_AVX512] = &kernel##_avx512 };
#elif defined( DBVHI_HAVE_NEON_KERNELS )
#define DBVHI_KERNEL_TABLE( type, kernel )                                                                             \
	extern type kernel##_scalar, kernel##_baseline, kernel##_neon;                                                     \
	type *const kernel##_table[DBVHI_ISA_COUNT] = { [DBVHI_ISA_SCALAR] = &kernel##_scalar,                             \
	                                                [DBVHI_ISA_BASELINE] = &kernel##_baseline,                         \
	                                                [DBVHI_ISA_NEON] = &kernel##_neon };
#else
#define DBVHI_KERNEL_TABLE( type, kernel )                                                                             \
	extern type kernel##_scalar, kernel##_baseline;                                                                    \
	type *const kernel##_table[DBVHI_ISA_COUNT] = {                                                                    \
	    [DBVHI_ISA_SCALAR] = &kernel##_scalar, [DBVHI_ISA_BASELINE] = &kernel##_baseline };
#endif
