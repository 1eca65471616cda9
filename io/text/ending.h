// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Names of files, taken apart.

#pragma once

#include <stdbool.h>

// Does the name end with a point and this, which is given in lower case, without regard to case?
bool scene_has_ending( const char *name, const char *lower );

// "wheel" of "parts/wheel.stl", a copy for the caller to free; NULL where there is no memory.
char *scene_stem( const char *name );

// A name that stands in a file called `from`, as the reader of that file would open it: "parts/bolt.stl" for "bolt.stl"
// in "parts/wheel.json". Absolute ones and those with a scheme ("package://...") stay what they are. A copy, as above.
char *scene_name_beside( const char *from, const char *name );

// The rest of a sentence that begins with a name of `file` (the path, without folders, or without the ending, too) and
// a colon; else all of the sentence.
const char *scene_without_name( const char *file, const char *sentence );
