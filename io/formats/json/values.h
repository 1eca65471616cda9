// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Texts, numbers and truth values of a JSON object as properties of a body: "properties" of JSON scenes, "extras" of
// glTF.

#pragma once

#ifdef DUALBVH_WITH_JANSSON

#include "model/model.h"

#include <jansson.h>

// Adds the members that the body does not have yet; objects and arrays are passed over. False where there is no memory.
bool json_values_add( scene_model *model, uint32_t body, const json_t *object );

#endif
