// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Refusals of readers: a status and a sentence.

#pragma once

#include "dualbvh/base.h"
#include "model/ledger.h"

#if defined( __GNUC__ )
#define SCENE_PRINTF_LIKE( string, first ) __attribute__( ( format( printf, string, first ) ) )
#else
#define SCENE_PRINTF_LIKE( string, first )
#endif

// Fills in *error, without a line or a byte, and returns `status`. Texts from files go in as %.60s.
dbvh_status scene_refuse( dbvh_error *error, dbvh_status status, const char *format, ... ) SCENE_PRINTF_LIKE( 3, 4 );

// scene_refuse() with the line; 0: none.
dbvh_status scene_refuse_at( dbvh_error *error, dbvh_status status, int64_t line, const char *format, ... )
    SCENE_PRINTF_LIKE( 4, 5 );

// Puts words before the sentence of an error, "link 'arm': " and the like, and sets the line.
void scene_blame( dbvh_error *error, int64_t line, const char *format, ... ) SCENE_PRINTF_LIKE( 3, 4 );

// Renumbers an error about one element of a part that begins `before` elements into the whole: "edge 3: why" becomes
// "edge 515: why", and error->element follows. An error about no element stays.
void scene_renumber( dbvh_error *error, size_t before );

dbvh_status scene_refuse_memory( dbvh_error *error );

// Refuses with LIMIT: more than the ledger allows.
dbvh_status scene_refuse_ceiling( const scene_ledger *ledger, dbvh_error *error );

// Removes quotations from an error about a file that another one names: the scene of a stranger may name any file, and
// contents that the user did not ask for do not belong in a log. The line stays.
void scene_hush( dbvh_error *error );

// Refuses a format whose library is missing: "this dualbvh was built without jansson, which reads glTF".
dbvh_status scene_refuse_without( dbvh_error *error, const char *library, const char *format );
