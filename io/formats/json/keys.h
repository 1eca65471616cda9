// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Values of JSON objects, with sentences about what is wrong with them. `where` says which object it is: "bodies[3]".
// Each returns false after filling in *error. A key that is not there leaves *out as it is.

#pragma once

#ifdef DUALBVH_WITH_JANSSON

#include "formats/json/load.h"

typedef struct json_keys {
	const json_t *object;
	const char *where;
	dbvh_error *error; // never NULL
} json_keys;

// Is it an object with none but these keys? One that is not known is refused, with what may have been meant. "comment"
// is known everywhere.
bool json_keys_check( const json_keys *k, const char *const *known, size_t count );

bool json_keys_text( const json_keys *k, const char *key, const char **out ); // not empty
bool json_keys_flag( const json_keys *k, const char *key, bool *out );
bool json_keys_length( const json_keys *k, const char *key, double *out ); // at least 0
bool json_keys_array( const json_keys *k, const char *key, const json_t **out );
bool json_keys_has( const json_keys *k, const char *key );

// The numbers of an array; `key` names it in sentences. *count_out is how many there are, at most `room`.
bool json_keys_reals( const json_keys *k, const char *key, size_t room, double *out, size_t *count_out );

// Refuses the object for what another reader has found.
bool json_keys_refuse_inner( const json_keys *k, const char *what, const dbvh_error *inner );

// Refuses the object.
bool json_keys_refuse( const json_keys *k, const char *format, ... ) __attribute__( ( format( printf, 2, 3 ) ) );

#endif
