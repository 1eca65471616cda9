// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// How readers refuse.

#pragma once

#include "dualbvh/base.h"

// Fills in *error with a sentence and its line (0: none); returns the status.
dbvh_status scene_refuse( dbvh_error *error, dbvh_status status, int64_t line, const char *format, ... );

// No memory for what is named.
dbvh_status scene_refuse_memory( dbvh_error *error, const char *what );

// Puts words before the sentence of an error: "link 'arm': " and the like.
void scene_blame( dbvh_error *error, int64_t line, const char *format, ... );
