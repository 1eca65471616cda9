// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Two meshes at some poses, on every engine, in alternate rounds; wrong answers counted against exact ones.

#pragma once

#include "common/scene.h"
#include "peer.h"
#include "summary.h"

#include <cstdio>
#include <string>

struct CompareOptions {
	size_t sample = 480, rounds = 7;
	size_t oracle = 4;     // poses a row that are checked by brute force in exact arithmetic
	double round_s = 0.05; // a peer that is slower than that runs fewer poses of a row
	double check_s = 4.0;  // and answers fewer, where even once through them all takes longer
	FILE *csv = nullptr;
};

struct Row {
	std::string name;
	std::vector<dbvh_pose> poses; // poses of b
	bool all;                     // every contact; else whether there is one
};

// Prints a table a row and adds to the summary. peers[0] is dualbvh with its defaults, which the others are compared
// with. Returns whether brute force agrees with it.
bool compare_pairs( const std::string &scene, const scene_mesh &a, const scene_mesh &b, const std::vector<Row> &rows,
                    const PeerList &peers, const CompareOptions &options, Summary &summary );

// The same for distances. Rows with `all` are left out.
void compare_distances( const std::string &scene, const scene_mesh &a, const scene_mesh &b,
                        const std::vector<Row> &rows, const DistancePeerList &peers, const CompareOptions &options,
                        Summary &summary );

PeerMesh peer_mesh( const scene_mesh &mesh );
