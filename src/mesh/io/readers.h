// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// One reader a format, each in its own file. A reader fills the builder from the beginning of a stream that has no byte
// order mark, sets the builder's error where it refuses, and leaves it to its caller to refuse a mesh without triangles
// and to look whether reading has failed: where it has, the stream has ended, which is all that a reader sees of it.

#pragma once

#include "mesh/builder.h"
#include "mesh/io/stream.h"

dbvh_status dbvhi_read_stl( dbvhi_builder *mesh, dbvhi_stream *stream );
dbvh_status dbvhi_read_obj( dbvhi_builder *mesh, dbvhi_stream *stream );
dbvh_status dbvhi_read_ply( dbvhi_builder *mesh, dbvhi_stream *stream );
dbvh_status dbvhi_read_off( dbvhi_builder *mesh, dbvhi_stream *stream );

// Is the size that of a binary STL with the number of triangles in its header? Never true of a text file: its
// characters, read as that number, promise more than a hundred million triangles. The stream is at its beginning.
bool dbvhi_stl_size_fits( dbvhi_stream *stream );

// Is a word the keyword that an OFF file begins with, in any of its variants?
bool dbvhi_off_keyword( const char *word, size_t length );
