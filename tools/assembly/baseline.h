// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// An earlier report (JSON, schema dualbvh.clashes/1 or /2) to compare with.

#pragma once

#include "assembly/standing.h"

// Reads a report into an earlier run that is all zero. `error` may not be NULL. Errors: MALFORMED, OUT_OF_MEMORY,
// UNSUPPORTED without jansson; `earlier_out` is to be freed in any case.
dbvh_status scene_baseline_read( scene_earlier *earlier_out, const unsigned char *bytes, size_t count,
                                 dbvh_error *error );

// Reads the report and says of every clash how it stands to it. Errors: those of reading.
dbvh_status scene_compare( scene_findings *findings, const char *file, const scene_tolerance *tolerance,
                           dbvh_error *error );

// scene_compare() for bytes in memory.
dbvh_status scene_compare_bytes( scene_findings *findings, const unsigned char *bytes, size_t count,
                                 const scene_tolerance *tolerance, dbvh_error *error );
