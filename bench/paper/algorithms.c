// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The table of all algorithms.

#include "paper/algorithm_library.h"
#include "paper/algorithm_quickcd.h"

#include <stdio.h>
#include <string.h>

// "quickcd" has 18 slabs, which Klosowski et al. found best and Chang et al. do not state. "rapid", "sat-lite" and
// "dual" are the paper's text: boxes by covariance, extents in order, the smallest sphere. With "-r" they are its
// programs as its counts show them (docs/experiments/paper.md): on RAPID's own tree, with its columns, and Ritter's
// sphere. "best" is the tree that this library builds by default.
const algorithm algorithm_table[] = {
    { "rapid", PAPER_RAPID, false, LIBRARY_RAPID, LIBRARY_FUNCTIONS },
    { "quickcd", PAPER_QUICKCD, false, QUICKCD_VARIANT( 18, QUICKCD_MIXED ), QUICKCD_FUNCTIONS },
    { "sat-lite", PAPER_SAT_LITE, false, LIBRARY_SAT_LITE, LIBRARY_FUNCTIONS },
    { "dual", PAPER_DUAL, false, LIBRARY_DUAL, LIBRARY_FUNCTIONS },
    { "rapid-r", PAPER_RAPID, false, LIBRARY_RAPID_R, LIBRARY_FUNCTIONS },
    { "sat-lite-r", PAPER_SAT_LITE, false, LIBRARY_SAT_LITE_R, LIBRARY_FUNCTIONS },
    { "dual-r", PAPER_DUAL, false, LIBRARY_DUAL_R, LIBRARY_FUNCTIONS },
    { "dual-centred", PAPER_NONE, false, LIBRARY_DUAL_CENTRED, LIBRARY_FUNCTIONS },
    { "quickcd-6", PAPER_NONE, false, QUICKCD_VARIANT( 6, QUICKCD_MIXED ), QUICKCD_FUNCTIONS },
    { "quickcd-14", PAPER_NONE, false, QUICKCD_VARIANT( 14, QUICKCD_MIXED ), QUICKCD_FUNCTIONS },
    { "quickcd-24", PAPER_NONE, false, QUICKCD_VARIANT( 24, QUICKCD_MIXED ), QUICKCD_FUNCTIONS },
    { "quickcd-26", PAPER_NONE, false, QUICKCD_VARIANT( 26, QUICKCD_MIXED ), QUICKCD_FUNCTIONS },
    { "quickcd-approx", PAPER_NONE, false, QUICKCD_VARIANT( 18, QUICKCD_APPROXIMATE ), QUICKCD_FUNCTIONS },
    { "quickcd-hill", PAPER_NONE, false, QUICKCD_VARIANT( 18, QUICKCD_HILL ), QUICKCD_FUNCTIONS },
    { "rapid-best", PAPER_NONE, false, LIBRARY_RAPID_BEST, LIBRARY_FUNCTIONS },
    { "dual-best", PAPER_NONE, false, LIBRARY_DUAL_BEST, LIBRARY_FUNCTIONS },
    { "packed", PAPER_NONE, false, LIBRARY_PACKED, LIBRARY_FUNCTIONS },
    { "packed-all", PAPER_NONE, true, LIBRARY_PACKED_ALL, LIBRARY_FUNCTIONS },
};
const size_t algorithm_count = sizeof( algorithm_table ) / sizeof( algorithm_table[0] );

_Static_assert( sizeof( algorithm_table ) / sizeof( algorithm_table[0] ) <= ALGORITHM_MAX, "a mask has 32 bits" );

const algorithm *algorithm_find( const char *name ) {
	for ( size_t i = 0; i < algorithm_count; ++i )
		if ( strcmp( algorithm_table[i].name, name ) == 0 )
			return &algorithm_table[i];
	return NULL;
}

bool algorithm_choose( const char *names, uint32_t *mask_out ) {
	*mask_out = 0;
	for ( const char *at = names; at != NULL && *at != '\0'; ) {
		const size_t length = strcspn( at, "," );
		char name[40];
		snprintf( name, sizeof( name ), "%.*s", length < sizeof( name ) ? (int)length : (int)sizeof( name ) - 1, at );
		const algorithm *found = algorithm_find( name );
		if ( found == NULL )
			return false;
		*mask_out |= UINT32_C( 1 ) << ( found - algorithm_table );
		at += length + ( at[length] == ',' );
	}
	if ( *mask_out == 0 )
		*mask_out = (uint32_t)( ( UINT64_C( 1 ) << algorithm_count ) - 1 );
	return true;
}
