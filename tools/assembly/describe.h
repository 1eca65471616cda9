// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Describes every clash: where it is, and how much and how deep the two bodies overlap.

#pragma once

#include "assembly/findings.h"

// Adds to every clash its place and its measures. When the time is over, the remaining clashes get only the data of
// their boxes, and the findings count how many these are.
dbvh_status scene_describe( scene_findings *findings, uint32_t thread_count, const scene_watch *watch );

// Adds the penetration depth to the worst `most` overlaps, which are sorted already. With more than SCENE_MOST_PARTED,
// each may take a second; else a twentieth of that.
enum { SCENE_MOST_PARTED = 100 };
dbvh_status scene_part_worst( scene_findings *findings, size_t most, uint32_t thread_count, const scene_watch *watch );
