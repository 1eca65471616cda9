// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The header dualbvh/io/load.hpp in the form with exceptions; test_load.c has the answers in C.

#define DUALBVH_EXCEPTIONS
#include "dualbvh/io/load.hpp"

#include <cstdio>
#include <cstring>

extern "C" int load_in_cpp( const char *folder );

static int refuses( const char *file ) {
	try {
		dualbvh::Scene::load( file );
	} catch ( const dualbvh::Exception &e ) {
		return e.error().status == DBVH_IO && std::strstr( e.what(), file ) != nullptr ? 0 : __LINE__;
	}
	return __LINE__;
}

// Returns 0, or the line of what is wrong.
int load_in_cpp( const char *folder ) {
	char file[1024], srdf[1024];
	std::snprintf( file, sizeof file, "%s/robots/arm.urdf", folder );
	std::snprintf( srdf, sizeof srdf, "%s/robots/arm.srdf", folder );
	const char *const files[] = { file };
	dualbvh::LoadOptions options = dbvh_load_options_default();
	options.srdf = srdf;
	if ( !dualbvh::load_reads( "stl" ) || refuses( "test_load_none.stl" ) != 0 )
		return __LINE__;
	if ( !dualbvh::load_reads( "urdf" ) )
		return 0;
	dualbvh::Loaded empty, loaded = dualbvh::Scene::load( files, options );
	if ( empty || !loaded || loaded.metres() != 1.0 || loaded.scene().size() != loaded.count( DBVH_LOADED_KIND_BODY ) )
		return __LINE__;
	dualbvh::Loaded moved = std::move( loaded );
	if ( loaded || moved.robot().body_count() == 0 || moved.mesh( 0 ).triangle_count == 0 )
		return __LINE__;
	if ( moved.find( DBVH_LOADED_KIND_BODY, moved.name( DBVH_LOADED_KIND_BODY, 1 ) ) != 1 )
		return __LINE__;
	std::uint32_t a, b;
	if ( !moved.rule( 0, &a, &b ) || moved.rule( 1000, &a, &b ) )
		return __LINE__;
	const std::vector<double> q = moved.state( "folded" );
	if ( q.size() != moved.robot().width() || !moved.state( "nowhere" ).empty() || moved.property( 0, "class" ) )
		return __LINE__;
	empty = std::move( moved );
	return empty && !moved ? 0 : __LINE__;
}
