// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// STEP where there is no OpenCASCADE, which step.cpp needs.

#include "formats/files.h"
#include "model/refuse.h"

#ifndef DUALBVH_WITH_OPENCASCADE

dbvh_status scene_read_step( const unsigned char *bytes, size_t count, const scene_source *source, double sag,
                             scene_model *model, dbvh_error *error ) {
	(void)bytes, (void)count, (void)source, (void)sag, (void)model;
	return scene_refuse_without( error, "OpenCASCADE",
	                             "STEP; pip install 'dualbvh[step]' reads it, FreeCAD opens it and exports glTF, and "
	                             "-DDUALBVH_WITH_OPENCASCADE=ON builds it in" );
}

#else

typedef int scene_step_is_elsewhere;

#endif
