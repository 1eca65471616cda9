// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Union-find with path halving (Tarjan 1975). The lowest number of a set is its root, so that the outcome does not
// depend on the order of unions. Initially every number is its own parent.

#pragma once

#include <stdint.h>

static inline uint32_t dbvhi_union_root( uint32_t *parent, uint32_t i ) {
	while ( parent[i] != i ) {
		parent[i] = parent[parent[i]];
		i = parent[i];
	}
	return i;
}

static inline void dbvhi_union_join( uint32_t *parent, uint32_t a, uint32_t b ) {
	a = dbvhi_union_root( parent, a );
	b = dbvhi_union_root( parent, b );
	if ( a < b )
		parent[b] = a;
	else
		parent[a] = b;
}
