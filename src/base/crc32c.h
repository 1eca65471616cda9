// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// CRC-32C (Castagnoli 1993; RFC 3720, section 12.1): the checksum of tree files. Every error of up to 32 bits in a row
// shows, any other with all but one chance in 2^32.

#pragma once

#include <stddef.h>
#include <stdint.h>

// Extends the checksum `crc` of the bytes before (0 at the beginning) by `count` bytes. Uses the processor's CRC
// instruction where it has one.
uint32_t dbvhi_crc32c( uint32_t crc, const void *bytes, size_t count );

// dbvhi_crc32c() in portable code; tests call it directly.
uint32_t dbvhi_crc32c_portable( uint32_t crc, const void *bytes, size_t count );
