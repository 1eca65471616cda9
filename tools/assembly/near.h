// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The test whether a clash reaches a place.

#pragma once

#include "assembly/findings.h"

// Is some point of the clash certainly within `limit` of `at`: a point of both bodies, of an overlap; of a gap or a
// touch, one of either body that is no farther from the other than the rule wants, or than the two are apart? False
// where that is not certain.
bool scene_is_near_clash( const scene_findings *findings, const scene_clash *clash, const double at[3], double limit );
