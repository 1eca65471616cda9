// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// PNG (ISO/IEC 15948) of eight bits a channel, red, green and blue.

#pragma once

#include "picture/bytes.h"

// False where there is no memory.
bool png_make( const unsigned char *pixels, uint32_t width, uint32_t height, bytes *out );
