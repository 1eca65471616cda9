// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "model/assembly.h"

#include <stdlib.h>

void scene_assembly_free( scene_assembly *assembly ) {
	scene_model_free( &assembly->model );
	free( assembly->file_of );
	*assembly = ( scene_assembly ){ 0 };
}
