// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "simd/isa.h"

#include "base/cpu.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// Lists all instruction sets of the build, the fastest first.
static const dbvhi_isa all[] = {
#ifdef DBVHI_HAVE_X86_KERNELS
    { "avx512", DBVHI_ISA_AVX512 },     { "avx2", DBVHI_ISA_AVX2 },
#endif
#ifdef DBVHI_HAVE_NEON_KERNELS
    { "neon", DBVHI_ISA_NEON },
#endif
    { "baseline", DBVHI_ISA_BASELINE },
#ifdef DBVHI_HAVE_SCALAR_KERNELS
    { "scalar", DBVHI_ISA_SCALAR },
#endif
};

#define ALL_COUNT ( sizeof all / sizeof all[0] )

// Counts the sets at the head of the list that the machine lacks.
static size_t first_available( void ) {
#ifdef DBVHI_HAVE_X86_KERNELS
	return dbvhi_cpu_has_avx512() ? 0 : dbvhi_cpu_has_avx2() ? 1 : 2;
#else
	return 0;
#endif
}

const dbvhi_isa *dbvhi_isa_available( size_t *count_out ) {
	const size_t first = first_available();
	*count_out = ALL_COUNT - first;
	return all + first;
}

static const dbvhi_isa *find( const char *name ) {
	size_t count;
	const dbvhi_isa *isa = dbvhi_isa_available( &count );
	for ( size_t i = 0; i < count; ++i ) {
		if ( strcmp( isa[i].name, name ) == 0 )
			return &isa[i];
	}
	return NULL;
}

// The set in use; NULL until the first use. Threads that race here find the same set and store it twice.
static _Atomic( const dbvhi_isa * ) current;

int dbvhi_isa_rank_in_use = -1;

static void use( const dbvhi_isa *isa ) {
	atomic_store_explicit( &current, isa, memory_order_relaxed );
	__atomic_store_n( &dbvhi_isa_rank_in_use, (int)isa->rank, __ATOMIC_RELAXED );
}

static const dbvhi_isa *choose_set( void ) {
	// note: an unknown name in DBVH_ISA is ignored: a wrong variable must not make answers impossible.
	const char *wanted = getenv( "DBVH_ISA" );
	const dbvhi_isa *isa = wanted != NULL ? find( wanted ) : NULL;
	return isa != NULL ? isa : all + first_available();
}

const dbvhi_isa *dbvhi_isa_current( void ) {
	const dbvhi_isa *isa = atomic_load_explicit( &current, memory_order_relaxed );
	if ( isa == NULL ) {
		isa = choose_set();
		use( isa );
	}
	return isa;
}

int dbvhi_isa_select( const char *name ) {
	const dbvhi_isa *isa = name != NULL ? find( name ) : choose_set();
	if ( isa == NULL )
		return 0;
	use( isa );
	return 1;
}
