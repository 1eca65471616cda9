// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The part of dualbvh-bench-peers that is about distances.

#pragma once

#include "common/scene.h"

#include <cstddef>
#include <cstdio>

// Prints a table. `sample` and `rounds` as everywhere; `csv` may be null.
void bench_distance_peers( const scene_mesh &mesh, size_t sample, size_t rounds, FILE *csv );
