// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The meshes and poses that libraries are compared on.

#pragma once

#include "compare.h"

#include <functional>

struct PairScene {
	std::string name;
	const scene_mesh &a, &b;
	std::vector<Row> rows;
	bool distance; // its rows without contacts are worth a comparison of distances
};

using TakeScene = std::function<void( const PairScene & )>;

// Each makes its scenes one after the other; they end with the call. `sample` is how many poses a row has at most.
struct SceneGroup {
	const char *name;
	void ( *make )( size_t sample, const TakeScene &take );
};
extern const std::vector<SceneGroup> scene_groups;

// A mesh that is given by hand, against itself.
void make_file_scene( const char *path, size_t sample, const TakeScene &take );
