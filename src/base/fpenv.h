// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The floating-point environment. Every answer rests on IEEE arithmetic in its default mode: round to nearest,
// subnormal numbers kept, no traps. A caller may have changed that (linking with -ffast-math is enough to flush
// subnormals to zero), so every public function that computes is a thin wrapper:
//
//     dbvh_status dbvh_thing( const dbvh_tree *tree, bool *out ) {
//     	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_thing( tree, out ) );
//     }
//
// The function inside is `static DBVHI_NOINLINE_FP`: compilers do not know that arithmetic depends on the control word,
// and would move inlined arithmetic across a change of it. A call that reads and writes memory stays in place.
// tools/lint/fpenv.sh (a test) finds public functions without the wrapper.
//
// A control word that has its default value is only read. Any other is replaced, and restored with its status flags. In
// the first case, flags that the call raises stay raised, as after any arithmetic. Worker threads have control words of
// their own, which parallel.c sets.

#pragma once

#include <float.h>
#include <stdint.h>

// note: fast-math and excess precision would break the proven error bounds.
#if defined( __FAST_MATH__ ) || ( defined( __FINITE_MATH_ONLY__ ) && __FINITE_MATH_ONLY__ ) ||                         \
    defined( __ASSOCIATIVE_MATH__ ) || defined( __RECIPROCAL_MATH__ )
#error "dualbvh is exact only in IEEE arithmetic: compile it without -ffast-math, -Ofast and the like"
#endif
#if FLT_EVAL_METHOD != 0
#error "dualbvh needs expressions rounded to their own type: -msse2 -mfpmath=sse, or -fexcess-precision=fast"
#endif

#if defined( __has_attribute )
#if __has_attribute( noipa )
#define DBVHI_NOINLINE_FP __attribute__( ( noipa ) )
#endif
#endif
#if !defined( DBVHI_NOINLINE_FP )
#define DBVHI_NOINLINE_FP __attribute__( ( noinline ) )
#endif

#if defined( __SSE__ )

// MXCSR: exceptions masked (bits 7 to 12), to nearest (13 and 14), no FTZ (15), no DAZ (6); bits 0 to 5 are the flags.
#define DBVHI_MXCSR_CONTROL 0xffc0u
#define DBVHI_MXCSR_DEFAULT 0x1f80u
// The x87 word: exceptions masked, 64 bits, to nearest. The C library prints numbers by its rounding, and i386 passes
// doubles through it.
#define DBVHI_X87_CONTROL 0x0f3fu
#define DBVHI_X87_DEFAULT 0x033fu

typedef struct dbvhi_fpenv {
	uint32_t mxcsr;
	uint16_t x87;
} dbvhi_fpenv;

static inline int dbvhi_fpenv_is_default( dbvhi_fpenv env ) {
	return ( env.mxcsr & DBVHI_MXCSR_CONTROL ) == DBVHI_MXCSR_DEFAULT &&
	       ( env.x87 & DBVHI_X87_CONTROL ) == DBVHI_X87_DEFAULT;
}

static inline dbvhi_fpenv dbvhi_fpenv_enter( void ) {
	dbvhi_fpenv caller;
	__asm__ volatile( "stmxcsr %0" : "=m"( caller.mxcsr ) : : "memory" );
	__asm__ volatile( "fnstcw %0" : "=m"( caller.x87 ) : : "memory" );
	if ( __builtin_expect( !dbvhi_fpenv_is_default( caller ), 0 ) ) {
		const uint32_t mxcsr = DBVHI_MXCSR_DEFAULT;
		const uint16_t x87 = DBVHI_X87_DEFAULT | 0x40; // bit 6 reads as 1
		__asm__ volatile( "ldmxcsr %0" : : "m"( mxcsr ) : "memory" );
		__asm__ volatile( "fldcw %0" : : "m"( x87 ) : "memory" );
	}
	return caller;
}

static inline void dbvhi_fpenv_leave( dbvhi_fpenv caller ) {
	if ( __builtin_expect( !dbvhi_fpenv_is_default( caller ), 0 ) ) {
		__asm__ volatile( "ldmxcsr %0" : : "m"( caller.mxcsr ) : "memory" );
		// A flag of the x87 unit that is no longer masked would trap at its next operation.
		if ( ( caller.x87 & 0x3f ) != 0x3f )
			__asm__ volatile( "fnclex" : : : "memory" );
		__asm__ volatile( "fldcw %0" : : "m"( caller.x87 ) : "memory" );
	}
}

#elif defined( __aarch64__ )

// FPCR is zero by default: to nearest, nothing flushed, no NaN replaced, no traps. The flags are in another register,
// FPSR.
typedef struct dbvhi_fpenv {
	uint64_t fpcr;
} dbvhi_fpenv;

static inline dbvhi_fpenv dbvhi_fpenv_enter( void ) {
	dbvhi_fpenv caller;
	__asm__ volatile( "mrs %0, fpcr" : "=r"( caller.fpcr ) : : "memory" );
	if ( __builtin_expect( caller.fpcr != 0, 0 ) )
		__asm__ volatile( "msr fpcr, xzr" : : : "memory" );
	return caller;
}

static inline void dbvhi_fpenv_leave( dbvhi_fpenv caller ) {
	if ( __builtin_expect( caller.fpcr != 0, 0 ) )
		__asm__ volatile( "msr fpcr, %0" : : "r"( caller.fpcr ) : "memory" );
}

#elif defined( __s390x__ )

// The FPC register holds a byte of masks, a byte of flags, a byte for traps, and the rounding modes of decimal and
// binary numbers.
#define DBVHI_FPC_CONTROL 0xff000077u

typedef struct dbvhi_fpenv {
	uint32_t fpc;
} dbvhi_fpenv;

static inline dbvhi_fpenv dbvhi_fpenv_enter( void ) {
	dbvhi_fpenv caller;
	__asm__ volatile( "efpc %0" : "=d"( caller.fpc ) : : "memory" );
	if ( __builtin_expect( ( caller.fpc & DBVHI_FPC_CONTROL ) != 0, 0 ) )
		__asm__ volatile( "sfpc %0" : : "d"( 0u ) : "memory" );
	return caller;
}

static inline void dbvhi_fpenv_leave( dbvhi_fpenv caller ) {
	if ( __builtin_expect( ( caller.fpc & DBVHI_FPC_CONTROL ) != 0, 0 ) )
		__asm__ volatile( "sfpc %0" : : "d"( caller.fpc ) : "memory" );
}

#else

#include <fenv.h>

typedef struct dbvhi_fpenv {
	fenv_t env;
} dbvhi_fpenv;

static inline dbvhi_fpenv dbvhi_fpenv_enter( void ) {
	dbvhi_fpenv caller;
	fegetenv( &caller.env );
	fesetenv( FE_DFL_ENV );
	return caller;
}

static inline void dbvhi_fpenv_leave( dbvhi_fpenv caller ) {
	fesetenv( &caller.env );
}

#endif

// Makes the body of a public function: calls a DBVHI_NOINLINE_FP function in the default environment and returns its
// result.
#define DBVHI_IN_DEFAULT_FPENV( type, call )                                                                           \
	const dbvhi_fpenv caller_fpenv = dbvhi_fpenv_enter();                                                              \
	const type answer = call;                                                                                          \
	dbvhi_fpenv_leave( caller_fpenv );                                                                                 \
	return answer
