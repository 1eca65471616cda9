// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "base/cpu.h"

#include <stdint.h>

#if defined( __x86_64__ ) && defined( __GNUC__ )

#include <cpuid.h>

// Bits of the answers of CPUID (Intel, Software Developer's Manual, volume 2, CPUID).
#define SSE42 ( 1u << 20 )                                   // leaf 1, ecx
#define FMA ( 1u << 12 )                                     // leaf 1, ecx
#define OSXSAVE ( 1u << 27 )                                 // leaf 1, ecx
#define AVX ( 1u << 28 )                                     // leaf 1, ecx
#define AVX2 ( 1u << 5 )                                     // leaf 7, ebx
#define AVX512 ( 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31 ) // leaf 7, ebx: F, DQ, BW, VL

// Bits of XCR0, in which the system says what registers it saves.
#define YMM 0x06u
#define ZMM 0xe6u

enum { ASKED = 1, HAS_SSE42 = 2, HAS_AVX2 = 4, HAS_AVX512 = 8 };

static uint32_t saved_registers( void ) {
	uint32_t low, high;
	__asm__( "xgetbv" : "=a"( low ), "=d"( high ) : "c"( 0 ) );
	(void)high;
	return low;
}

static bool has_all( uint32_t found, uint32_t wanted ) {
	return ( found & wanted ) == wanted;
}

// note: macOS claims to save the registers of AVX-512 only once a program has used them, so that it gets AVX2.
static unsigned ask( void ) {
	unsigned a, b, c = 0, d, sets = 0;
	if ( !__get_cpuid( 1, &a, &b, &c, &d ) )
		c = 0;
	const uint32_t leaf_1 = c, saved = has_all( leaf_1, OSXSAVE ) ? saved_registers() : 0;
	if ( !__get_cpuid_count( 7, 0, &a, &b, &c, &d ) )
		b = 0;
	if ( has_all( leaf_1, SSE42 ) )
		sets |= HAS_SSE42;
	if ( has_all( saved, YMM ) && has_all( leaf_1, AVX | FMA ) && has_all( b, AVX2 ) )
		sets |= HAS_AVX2;
	if ( ( sets & HAS_AVX2 ) != 0 && has_all( saved, ZMM ) && has_all( b, AVX512 ) )
		sets |= HAS_AVX512;
	return sets;
}

// The answers, kept: on a virtual machine each CPUID takes microseconds. Threads that race here store the same.
static bool has( unsigned set ) {
	static _Atomic unsigned known;
	unsigned sets = known;
	if ( sets == 0 )
		known = sets = ask() | ASKED;
	return ( sets & set ) != 0;
}

bool dbvhi_cpu_has_sse42( void ) {
	return has( HAS_SSE42 );
}

bool dbvhi_cpu_has_avx2( void ) {
	return has( HAS_AVX2 );
}

bool dbvhi_cpu_has_avx512( void ) {
	return has( HAS_AVX512 );
}

#else

bool dbvhi_cpu_has_sse42( void ) {
	return false;
}

bool dbvhi_cpu_has_avx2( void ) {
	return false;
}

bool dbvhi_cpu_has_avx512( void ) {
	return false;
}

#endif
