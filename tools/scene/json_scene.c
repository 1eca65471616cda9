// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "scene/files.h"
#include "scene/refuse.h"

dbvh_status scene_read_json( const unsigned char *bytes, size_t count, const scene_source *source, scene_model *model,
                             dbvh_error *error ) {
	(void)bytes, (void)count, (void)source, (void)model;
	return scene_refuse( error, DBVH_UNKNOWN_FORMAT, "JSON scenes are not read yet" );
}
