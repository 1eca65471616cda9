// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The bits of answers, hashed call by call.

#pragma once

#include "fpenv_calls.h"

// Add to the hash of the last call.
void put( answers *out, uint64_t x );
void put_doubles( answers *out, const double *x, size_t count );
void put_bytes( answers *out, const void *bytes, size_t count );
void put_pose( answers *out, const dbvh_pose *pose );

// Begin the hash of the call that `text` names, with the status that it gave.
void open_answer( answers *out, const char *text, uint64_t status );

#define ASK( call ) open_answer( out, #call, (uint64_t)( call ) )
