// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// How an owned mesh comes from a builder.

#pragma once

#include "mesh/builder.h"

// Moves what was built into a mesh of exactly that size. The builder is empty afterwards in any case. Errors go to
// mesh->error: EMPTY without a triangle, OUT_OF_MEMORY.
dbvh_status dbvhi_mesh_finish( dbvhi_builder *builder, dbvh_mesh **mesh_out );
