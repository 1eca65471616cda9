// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// How much a picture holds, and when drawing ends early.

#pragma once

#include "dualbvh/base.h"

enum {
	PICTURE_MOST_POINTS = 2000000, // in all contacts together
	PICTURE_MOST_WORK = 50000000,  // for the contacts of one clash
	PICTURE_MOST_NODES = 4095,     // in a tree
	PICTURE_MOST_FRAMES = 2000,
	PICTURE_MOST_OVERLAPS = 300, // clashes of a page whose overlap is drawn
	PICTURE_MOST_VIEWS = 300     // clashes of a page that get a side of their own to be looked at from
};

// Is the time of --timeout over, or does somebody want an end? What is known by then is drawn.
bool picture_is_over( void );

// A budget that ends with the time, and after so much work; 0: with the time alone.
dbvh_budget picture_budget( uint64_t most_work );
