// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Properties of bodies, which files give beside names: class, material, layer, GUID, anything. Patterns select bodies
// by them.

#pragma once

#include "model/model.h"

// Bounds on what a body keeps: texts beyond them are left out.
enum { SCENE_MOST_PROPERTIES = 64, SCENE_LONGEST_PROPERTY = 1024 };

// Sets a property of a body, unless it has one of this key. False where there is no memory, also by the ledger.
bool scene_add_property( scene_model *model, uint32_t body, const char *key, const char *value );

// The value of a property; NULL: the body has none of this key. "name" is the last part of the path where no file
// says another.
const char *scene_property_of( const scene_body *body, const char *key );

// The property "guid", or "GlobalId" as IFC has it; NULL: none.
const char *scene_guid_of( const scene_body *body );

// Is the body named by the pattern? A pattern is one for paths (scene_matches()), selectors in brackets, or both:
// "[class=IfcDuct*]", "storey-1[material~steel][system!=HW*]". '=' takes a pattern, '!=' is its contrary, and true
// where there is no such property, '~' is part of the value in upper or lower case.
bool scene_names_body( const char *pattern, const scene_body *body );

// Has the pattern selectors?
bool scene_has_selectors( const char *pattern );

void scene_properties_free( scene_body *body );
