// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "exact/number/limbs.h"

#include "base/assert.h"

#include <math.h>
#include <string.h>

#define BITS DBVHI_LIMB_BITS

uint32_t dbvhi_limbs_shift_left( dbvhi_limb *out, const dbvhi_limb *a, uint32_t na, uint32_t shift ) {
	DBVHI_ASSERT( na == 0 || a[na - 1] != 0 );
	if ( na == 0 )
		return 0;
	const uint32_t whole = shift / BITS, part = shift % BITS;
	// From the top, so that out may be a.
	dbvhi_limb above = a[na - 1];
	uint32_t length = na + whole;
	if ( part != 0 && above >> ( BITS - part ) != 0 )
		out[length++] = above >> ( BITS - part );
	for ( uint32_t i = na; i-- > 0; ) {
		const dbvhi_limb below = i > 0 ? a[i - 1] : 0;
		out[i + whole] = part == 0 ? above : above << part | below >> ( BITS - part );
		above = below;
	}
	memset( out, 0, whole * sizeof out[0] );
	return length;
}

uint32_t dbvhi_limbs_shift_right( dbvhi_limb *out, const dbvhi_limb *a, uint32_t na, uint32_t shift ) {
	DBVHI_ASSERT( na == 0 || a[na - 1] != 0 );
	const uint32_t whole = shift / BITS, part = shift % BITS;
	if ( whole >= na )
		return 0;
	const uint32_t length = na - whole;
	for ( uint32_t i = 0; i < length; ++i ) {
		const dbvhi_limb above = i + 1 < length ? a[i + whole + 1] : 0;
		out[i] = part == 0 ? a[i + whole] : a[i + whole] >> part | above << ( BITS - part );
	}
	return dbvhi_limbs_trim( out, length );
}

uint32_t dbvhi_limbs_bits( const dbvhi_limb *a, uint32_t na ) {
	DBVHI_ASSERT( na == 0 || a[na - 1] != 0 );
	return na == 0 ? 0 : BITS * ( na - 1 ) + 64 - (uint32_t)__builtin_clzll( a[na - 1] );
}

uint32_t dbvhi_limbs_trailing_zeros( const dbvhi_limb *a ) {
	uint32_t whole = 0;
	while ( a[whole] == 0 )
		whole += 1;
	return BITS * whole + (uint32_t)__builtin_ctzll( a[whole] );
}

double dbvhi_limbs_lead( const dbvhi_limb *a, uint32_t na, int *exponent_out ) {
	DBVHI_ASSERT( na == 0 || a[na - 1] != 0 );
	DBVHI_ASSERT( exponent_out != NULL );
	*exponent_out = 0;
	if ( na == 0 )
		return 0.0;
	// More than 64 bits from the top: each limb rounds once, and so does each sum.
	const uint32_t count = 64 / BITS + 1, used = na < count ? na : count;
	double sum = 0.0;
	for ( uint32_t i = 0; i < used; ++i )
		sum = sum * ( BITS == 64 ? 0x1p64 : 0x1p32 ) + (double)a[na - 1 - i];
	int e;
	const double fraction = frexp( sum, &e );
	*exponent_out = e + (int)( BITS * ( na - used ) );
	return fraction;
}
