// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// An earlier report (JSON, schema dualbvh.clashes/1) to compare with: what is new, what is unchanged, what is absent
// and why. Nothing is called resolved.

#pragma once

#include "scene/findings.h"

// Reads the report and says of every clash whether it is new. Errors: those of reading.
dbvh_status scene_compare( scene_findings *findings, const char *file, dbvh_error *error );

// The same of bytes that are in memory.
dbvh_status scene_compare_bytes( scene_findings *findings, const unsigned char *bytes, size_t count,
                                 dbvh_error *error );
