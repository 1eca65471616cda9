// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Describes every clash: where it is, and how the two bodies could be parted.

#pragma once

#include "assembly/findings.h"

// Adds to every clash its place, depth and separation. `wants_depth`: look for a short move that parts bodies that
// overlap, which takes a hundred times as long as finding out that they do; else the move by boxes is good enough. When
// the time is over, the remaining clashes get only the data of their boxes, and the findings count how many these are.
dbvh_status scene_describe( scene_findings *findings, bool wants_depth, uint32_t thread_count,
                            const scene_watch *watch );
