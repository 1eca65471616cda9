// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Which format a file is in.

#pragma once

#include "dualbvh/mesh.h"

// By the letters after the last point of the file's name, without regard to case; AUTO for an ending that is not known.
dbvh_mesh_format dbvhi_format_of_ending( const char *path );

// By what the file begins with; AUTO if that tells nothing.
dbvh_mesh_format dbvhi_format_of_content( const uint8_t *bytes, size_t count );
