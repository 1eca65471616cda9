// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Pairs of bodies that collision libraries get wrong, with what they are to each other. Each is right by construction:
// coordinates are few small numbers, so that sums and products do not round, and multiplying all by a power of two
// changes nothing.

#pragma once

#include "dualbvh/relation.h"
#include "shapes/shapes.h"

typedef struct trap {
	const char *name;
	shape a, b;
	dbvh_pose pose; // pose of b
	dbvh_relation truth;
	dbvh_undecided undecided;
	bool meet; // whether the surfaces do
	dbvh_relate_query tolerances;
} trap;

size_t trap_count( void );

// Trap i, to be freed with trap_free().
trap trap_make( size_t i );
void trap_free( trap *t );
