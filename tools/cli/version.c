// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "cli/version.h"

#include "cli/complain.h"

#include <stdio.h>

// The libraries that the command can do without, cmake/Options.cmake.
static const struct {
	const char *name, *version, *what; // version: NULL where it is not in
} libraries[] = {
#ifdef DUALBVH_WITH_JANSSON
    { "jansson", DUALBVH_WITH_JANSSON, "glTF, JSON scenes" },
#else
    { "jansson", NULL, "glTF, JSON scenes" },
#endif
#ifdef DUALBVH_WITH_EXPAT
    { "expat", DUALBVH_WITH_EXPAT, "URDF, SRDF, 3MF" },
#else
    { "expat", NULL, "URDF, SRDF, 3MF" },
#endif
#ifdef DUALBVH_WITH_LIBZIP
    { "libzip", DUALBVH_WITH_LIBZIP, "3MF, BCF" },
#else
    { "libzip", NULL, "3MF, BCF" },
#endif
#ifdef DUALBVH_WITH_ZLIB
    { "zlib", DUALBVH_WITH_ZLIB, "smaller pages and pictures" },
#else
    { "zlib", NULL, "smaller pages and pictures" },
#endif
#ifdef DUALBVH_WITH_MESHOPTIMIZER
    { "meshoptimizer", DUALBVH_WITH_MESHOPTIMIZER, "glTF that it compressed" },
#else
    { "meshoptimizer", NULL, "glTF that it compressed" },
#endif
#ifdef DUALBVH_WITH_DRACO
    { "Draco", DUALBVH_WITH_DRACO, "glTF that it compressed" },
#else
    { "Draco", NULL, "glTF that it compressed" },
#endif
#ifdef DUALBVH_WITH_ASSIMP
    { "assimp", DUALBVH_WITH_ASSIMP, "Collada, FBX, 3DS and more" },
#else
    { "assimp", NULL, "Collada, FBX, 3DS and more" },
#endif
#ifdef DUALBVH_WITH_OPENCASCADE
    { "OpenCASCADE", DUALBVH_WITH_OPENCASCADE, "STEP" },
#else
    { "OpenCASCADE", NULL, "STEP" },
#endif
};

int print_version( void ) {
	printf( "dualbvh %s\n", dbvh_version() );
	for ( size_t i = 0; i < sizeof libraries / sizeof libraries[0]; ++i ) {
		if ( libraries[i].version != NULL )
			printf( "with %s %s (%s)\n", libraries[i].name, libraries[i].version, libraries[i].what );
		else
			printf( "without %s (%s)\n", libraries[i].name, libraries[i].what );
	}
	return finish_output( EXIT_CLEAR );
}
