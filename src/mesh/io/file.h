// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Files that are written so that there is the old one or the whole new one, and the sentence for what the system
// refuses.

#pragma once

#include "base/replace.h"
#include "dualbvh/base.h"

// Begins a file that replaces `path` once it is whole (base/replace.h). Errors: IO with a sentence, OUT_OF_MEMORY.
dbvh_status dbvhi_file_create( const char *path, dbvhi_replaced kind, dbvhi_replacement *file, dbvh_error *error );

// Puts the file in its place, once all of it has reached the disk. `is_whole` false, or a refusal: there is nothing
// new, and nothing of what was begun.
dbvh_status dbvhi_file_finish( dbvhi_replacement *file, bool is_whole, dbvh_error *error );

// Writes a file as a whole. Errors: those.
dbvh_status dbvhi_file_write( const char *path, const void *bytes, size_t count, dbvh_error *error );

// IO, with what errno says about a file that cannot be opened, read or written.
dbvh_status dbvhi_file_refuse( dbvh_error *error, int number, const char *what );
