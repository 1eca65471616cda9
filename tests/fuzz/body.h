// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Shared parts of the fuzzers and of the replay of their corpus; one input of the fuzzer of captures.

#pragma once

#include "dualbvh/capture.h"
#include "dualbvh/mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUZZ_REQUIRE( condition )                                                                                      \
	do {                                                                                                               \
		if ( !( condition ) ) {                                                                                        \
			fprintf( stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition );                                          \
			abort();                                                                                                   \
		}                                                                                                              \
	} while ( 0 )

// Parses a capture. What is accepted must have meshes from which trees can be built; what is refused must say why.
static inline dbvh_status fuzz_capture( const void *bytes, size_t count ) {
	dbvh_capture *capture = NULL;
	dbvh_error error;
	const dbvh_status status = dbvh_capture_parse( bytes, count, NULL, &capture, &error );
	FUZZ_REQUIRE( error.status == status );
	FUZZ_REQUIRE( ( status == DBVH_OK ) == ( capture != NULL ) );
	FUZZ_REQUIRE( ( status == DBVH_OK ) == ( error.text[0] == '\0' ) );
	FUZZ_REQUIRE( error.byte >= -1 && error.byte <= (int64_t)count );
	if ( status != DBVH_OK )
		return status;
	FUZZ_REQUIRE( dbvh_mesh_view_check( &capture->mesh_a, NULL ) == DBVH_OK );
	FUZZ_REQUIRE( capture->mesh_b.positions == NULL || dbvh_mesh_view_check( &capture->mesh_b, NULL ) == DBVH_OK );
	FUZZ_REQUIRE( 24 * ( capture->mesh_a.triangle_count + capture->mesh_b.triangle_count ) <= count );
	FUZZ_REQUIRE( dbvh_capture_call_name( capture->call )[0] != '?' );
	dbvh_capture_destroy( capture );
	return status;
}
