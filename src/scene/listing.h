// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The pairs of bodies that are looked at and whose boxes overlap, in ascending order, in parts: scene->pairs holds the
// part that was listed last. Where the broad phase keeps a list there is one part. Where it is crowded, or pairs of one
// body are asked for, the partners of one body after another are looked up.

#pragma once

#include "scene/pairs.h"

typedef struct dbvhi_listing {
	dbvh_scene *scene;
	dbvhi_scene_call *call;
	bool by_bodies;
	bool is_done;
	uint32_t body, next;  // whose partners are in scene->numbers, and whose come then
	size_t partner;       // the next of them
	uint64_t passed_over; // boxes that overlap and make no pair: so many are a step
	dbvh_status status;
} dbvhi_listing;

// Brings all up to date. OUT_OF_MEMORY, or CANCELLED.
dbvh_status dbvhi_listing_begin( dbvhi_listing *listing, dbvh_scene *scene, dbvhi_scene_call *call );

// Lists the next part, which is empty once listing->is_done. OUT_OF_MEMORY; BUDGET_SPENT or CANCELLED, with what was
// listed until then.
dbvh_status dbvhi_listing_next( dbvhi_listing *listing );
