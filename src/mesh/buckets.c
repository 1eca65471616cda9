// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "mesh/buckets.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "base/sort.h"

#include <string.h>

bool dbvhi_buckets_alloc( dbvhi_buckets *buckets, const dbvh_allocator *allocator, size_t bucket_count,
                          size_t key_capacity ) {
	*buckets = ( dbvhi_buckets ){ .bucket_count = bucket_count, .key_capacity = key_capacity };
	buckets->begin = dbvhi_alloc( allocator, bucket_count + 1, sizeof *buckets->begin );
	buckets->keys = dbvhi_alloc( allocator, key_capacity, sizeof *buckets->keys );
	if ( buckets->begin != NULL && buckets->keys != NULL )
		return true;
	dbvhi_buckets_free( buckets, allocator );
	return false;
}

void dbvhi_buckets_free( dbvhi_buckets *buckets, const dbvh_allocator *allocator ) {
	dbvhi_free( allocator, buckets->begin, buckets->bucket_count + 1, sizeof *buckets->begin );
	dbvhi_free( allocator, buckets->keys, buckets->key_capacity, sizeof *buckets->keys );
	*buckets = ( dbvhi_buckets ){ .bucket_count = 0 };
}

void dbvhi_buckets_clear( dbvhi_buckets *buckets ) {
	DBVHI_ASSERT( buckets->bucket_count > 0 && buckets->begin != NULL );
	memset( buckets->begin, 0, ( buckets->bucket_count + 1 ) * sizeof *buckets->begin );
}

void dbvhi_buckets_begin( dbvhi_buckets *buckets ) {
	DBVHI_ASSERT( buckets->begin != NULL );
	for ( size_t i = 0; i < buckets->bucket_count; ++i )
		buckets->begin[i + 1] += buckets->begin[i];
}

void dbvhi_buckets_sort( dbvhi_buckets *buckets ) {
	// Putting has moved each beginning to its bucket's end.
	memmove( buckets->begin + 1, buckets->begin, buckets->bucket_count * sizeof *buckets->begin );
	buckets->begin[0] = 0;
	for ( size_t i = 0; i < buckets->bucket_count; ++i )
		dbvhi_sort_u64( buckets->keys + buckets->begin[i], buckets->begin[i + 1] - buckets->begin[i] );
}
