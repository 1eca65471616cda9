// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#pragma once

#include <stdbool.h>
#include <stddef.h>

// Decodes base64 (RFC 4648, section 4) up to the end of the text, with or without padding. Room for 3 bytes for each 4
// characters begun. False where a character does not belong there.
bool scene_base64_decode( const char *text, unsigned char *out, size_t *count_out );
