// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The modes that a caller's floating-point unit may be in, as the words of its control registers.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// On x86, the x87 word in the upper half and MXCSR in the lower.
typedef uint64_t fpmode;

typedef struct named_fpmode {
	const char *name;
	fpmode mode;
} named_fpmode;

#if defined( __SSE__ )

static inline fpmode fpmode_get( void ) {
	uint32_t mxcsr;
	uint16_t x87;
	__asm__ volatile( "stmxcsr %0" : "=m"( mxcsr ) : : "memory" );
	__asm__ volatile( "fnstcw %0" : "=m"( x87 ) : : "memory" );
	return (fpmode)x87 << 32 | mxcsr;
}

static inline void fpmode_set( fpmode mode ) {
	const uint32_t mxcsr = (uint32_t)mode;
	const uint16_t x87 = (uint16_t)( mode >> 32 );
	__asm__ volatile( "ldmxcsr %0" : : "m"( mxcsr ) : "memory" );
	__asm__ volatile( "fnclex" : : : "memory" );
	__asm__ volatile( "fldcw %0" : : "m"( x87 ) : "memory" );
}

#define FPMODE( x87, mxcsr ) ( (fpmode)( x87 ) << 32 | ( mxcsr ) )
#define FPMODE_DEFAULT FPMODE( 0x037f, 0x1f80 )
// The flags in the lower word, and those of them that subnormal numbers raise: operands and results.
#define FPMODE_FLAGS 0x3fu
#define FPMODE_SUBNORMAL 0x12u

static const named_fpmode fpmodes[] = {
    { "flush to zero, as -ffast-math sets it", FPMODE( 0x037f, 0x9fc0 ) },
    { "FTZ", FPMODE( 0x037f, 0x9f80 ) },
    { "DAZ", FPMODE( 0x037f, 0x1fc0 ) },
    { "downward", FPMODE( 0x077f, 0x3f80 ) },
    { "upward", FPMODE( 0x0b7f, 0x5f80 ) },
    { "toward zero", FPMODE( 0x0f7f, 0x7f80 ) },
    { "unmasked", FPMODE( 0x0340, 0x0000 ) },
    { "unmasked, upward, FTZ and DAZ, single precision", FPMODE( 0x0840, 0xc040 ) },
    { "unmasked, toward zero, flags raised", FPMODE( 0x0e40, 0x603d ) },
};

#elif defined( __aarch64__ )

static inline fpmode fpmode_get( void ) {
	fpmode mode;
	__asm__ volatile( "mrs %0, fpcr" : "=r"( mode ) : : "memory" );
	return mode;
}

static inline void fpmode_set( fpmode mode ) {
	__asm__ volatile( "msr fpcr, %0" : : "r"( mode ) : "memory" );
}

#define FPMODE_DEFAULT UINT64_C( 0 )

// Traps are absent from most of these machines: their bits read as zero.
static const named_fpmode fpmodes[] = {
    { "flush to zero", 1u << 24 }, { "default NaN", 1u << 25 }, { "upward", 1u << 22 },
    { "downward", 2u << 22 },      { "toward zero", 3u << 22 }, { "toward zero, flush to zero", 7u << 22 },
};

#elif defined( __s390x__ )

static inline fpmode fpmode_get( void ) {
	uint32_t mode;
	__asm__ volatile( "efpc %0" : "=d"( mode ) : : "memory" );
	return mode;
}

static inline void fpmode_set( fpmode mode ) {
	__asm__ volatile( "sfpc %0" : : "d"( (uint32_t)mode ) : "memory" );
}

#define FPMODE_DEFAULT UINT64_C( 0 )

static const named_fpmode fpmodes[] = {
    { "toward zero", 1 },
    { "upward", 2 },
    { "downward", 3 },
    { "unmasked", 0xf8000000u },
    { "unmasked, upward", 0xf8000002u },
};

#else

#include <fenv.h>

static inline fpmode fpmode_get( void ) {
	return (fpmode)fegetround();
}

static inline void fpmode_set( fpmode mode ) {
	fesetround( (int)mode );
}

#define FPMODE_DEFAULT ( (fpmode)FE_TONEAREST )

static const named_fpmode fpmodes[] = {
#if defined( FE_UPWARD )
    { "upward", FE_UPWARD },
    { "downward", FE_DOWNWARD },
    { "toward zero", FE_TOWARDZERO },
#else
    { "to nearest, the only mode of this machine", FE_TONEAREST },
#endif
};

#endif

#define FPMODE_COUNT ( sizeof fpmodes / sizeof fpmodes[0] )
