// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Pairs of triangles to try predicates on, in families that each aim at one weakness.

#pragma once

#include "dualbvh/base.h"
#include "support/rng.h"

typedef struct triangle_pair {
	double a[9], b[9];
	dbvh_pose pose; // places b
	bool posed;     // false: the pose is the identity
} triangle_pair;

typedef struct triangle_family {
	const char *name;
	void ( *make )( rng *r, triangle_pair *out );
	bool may_meet, may_part; // outcomes that a few thousand pairs must show
	bool scales;             // multiplying everything by 2^-60..2^60 loses no bit
} triangle_family;

extern const triangle_family triangle_families[];
extern const size_t triangle_family_count;
