// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "exact/vector.h"

void dbvhi_big3_sub( dbvhi_big out[3], const dbvhi_big a[3], const dbvhi_big b[3] ) {
	for ( int k = 0; k < 3; ++k )
		dbvhi_big_sub( &out[k], &a[k], &b[k] );
}

void dbvhi_big3_dot( dbvhi_big *out, const dbvhi_big a[3], const dbvhi_big b[3] ) {
	dbvhi_big term;
	dbvhi_big_mul( out, &a[0], &b[0] );
	for ( int k = 1; k < 3; ++k ) {
		dbvhi_big_mul( &term, &a[k], &b[k] );
		dbvhi_big_add( out, out, &term );
	}
}

void dbvhi_big_det2( dbvhi_big *out, const dbvhi_big *a, const dbvhi_big *b, const dbvhi_big *c, const dbvhi_big *d ) {
	dbvhi_big term;
	dbvhi_big_mul( out, a, b );
	dbvhi_big_mul( &term, c, d );
	dbvhi_big_sub( out, out, &term );
}

void dbvhi_big3_cross( dbvhi_big out[3], const dbvhi_big a[3], const dbvhi_big b[3] ) {
	for ( int k = 0; k < 3; ++k ) {
		const int k1 = ( k + 1 ) % 3, k2 = ( k + 2 ) % 3;
		dbvhi_big_det2( &out[k], &a[k1], &b[k2], &a[k2], &b[k1] );
	}
}

bool dbvhi_big3_is_zero( const dbvhi_big a[3] ) {
	return a[0].sign == 0 && a[1].sign == 0 && a[2].sign == 0;
}
