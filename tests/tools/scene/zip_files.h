// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Zip archives in memory, for tests.

#pragma once

#include <stdlib.h>
#include <string.h>
#include <zip.h>

typedef struct zip_text {
	const char *name, *text;
} zip_text;

// The bytes of an archive, deflated, to be freed.
static inline unsigned char *zip_texts( const zip_text *texts, size_t count, size_t *byte_count ) {
	zip_error_t why;
	zip_error_init( &why );
	zip_source_t *whole = zip_source_buffer_create( NULL, 0, 0, &why );
	zip_source_keep( whole );
	zip_t *zip = zip_open_from_source( whole, ZIP_TRUNCATE, &why );
	for ( size_t i = 0; i < count; ++i ) {
		zip_source_t *one = zip_source_buffer_create( texts[i].text, strlen( texts[i].text ), 0, &why );
		zip_file_add( zip, texts[i].name, one, ZIP_FL_ENC_UTF_8 );
	}
	zip_close( zip );
	zip_stat_t facts;
	zip_source_open( whole );
	zip_source_stat( whole, &facts );
	unsigned char *bytes = malloc( (size_t)facts.size );
	*byte_count = (size_t)zip_source_read( whole, bytes, facts.size );
	zip_source_close( whole );
	zip_source_free( whole );
	return bytes;
}
