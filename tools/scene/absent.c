// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Readers that are still to come.

#include "scene/files.h"
#include "scene/refuse.h"

dbvh_status scene_read_3mf( const unsigned char *bytes, size_t count, const scene_source *source, scene_model *model,
                            dbvh_error *error ) {
	(void)bytes, (void)count, (void)source, (void)model;
	return scene_refuse( error, DBVH_UNKNOWN_FORMAT, "3MF is not read yet" );
}
