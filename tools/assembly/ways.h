// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Clearances with a direction: headroom above, the swing of a door. The search finds all pairs that are nearer than the
// way is long; of these the ones stay whose way is not free.

#pragma once

#include "assembly/findings.h"

// Sets the clearance of each rule of a turn: the longest way of a point of the bodies that it is about. To be called
// when all bodies have their meshes, before rules are opened.
void scene_ways_measure( scene_model *model );

// The length of the way of a body, by a rule that has one: of a turn that of the point that goes farthest.
double scene_way_length( const scene_model *model, const scene_rule *rule, uint32_t body );

// Drops the clearances of the findings whose way is free, and sets distance, point and triangles of the others: the
// distance is how far a body goes until it touches the other one, of a turn the way of the point that goes farthest.
// Exact but for what touches in passing, which counts, as does what the time did not suffice for. False where there is
// no memory.
bool scene_ways_judge( scene_findings *findings, uint32_t thread_count, const scene_watch *watch );

// Returns which of two bodies goes along the way of the rule: 1: a, 2: b, 3: each, where a pattern names both.
unsigned scene_way_goers( const scene_rule *rule, const scene_body *a, const scene_body *b );
