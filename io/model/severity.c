// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "model/severity.h"

#include <string.h>

const char *scene_severity_word( scene_severity severity ) {
	static const char *const words[SCENE_SEVERITY_COUNT] = { "note", "minor", "major", "critical" };
	return words[severity];
}

bool scene_severity_read( const char *word, scene_severity *out ) {
	for ( int i = 0; i < SCENE_SEVERITY_COUNT; ++i )
		if ( strcmp( word, scene_severity_word( (scene_severity)i ) ) == 0 ) {
			*out = (scene_severity)i;
			return true;
		}
	return false;
}
