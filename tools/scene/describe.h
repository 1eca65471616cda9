// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Of every clash: where it is, and how the two could be parted.

#pragma once

#include "scene/findings.h"

dbvh_status scene_describe( scene_findings *findings, uint32_t thread_count );
