// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Guesses the word that was meant by a mistyped one.

#pragma once

#include <stddef.h>

// The word of a list that is nearest to `typed` (`length` bytes of it), or NULL where none is near: one letter in three
// may be wrong, missing, too many, or have changed places with its neighbour; or the typed one is the beginning of just
// one.
const char *suggest( const char *typed, size_t length, const char *const *words, size_t count );
