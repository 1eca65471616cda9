// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Describes every clash: where it is, and how the two bodies could be parted.

#pragma once

#include "assembly/findings.h"

// `wants_depth`: a short move that parts bodies that overlap is looked for, which takes a hundred times as long as
// finding out that they do; else the boxes' is good enough. From when the time is over, what follows has only what
// its boxes tell: the findings count how many these are.
dbvh_status scene_describe( scene_findings *findings, bool wants_depth, uint32_t thread_count,
                            const scene_watch *watch );
