# macOS, by a clang that has its headers: the environment's DUALBVH_ZIG is a folder with cc, ar and ranlib (of zig) for the
# processor DUALBVH_MACOS, arm64 or x86_64, as `./scripts/test macos` makes it. Nothing that is built can be run here.
set( CMAKE_SYSTEM_NAME Darwin )
set( CMAKE_SYSTEM_PROCESSOR $ENV{DUALBVH_MACOS} )
foreach( program cc ar ranlib )
	if( NOT EXISTS "$ENV{DUALBVH_ZIG}/${program}" )
		message( FATAL_ERROR "DUALBVH_ZIG is no folder with ${program}" )
	endif()
endforeach()
set( CMAKE_C_COMPILER $ENV{DUALBVH_ZIG}/cc )
set( CMAKE_AR $ENV{DUALBVH_ZIG}/ar CACHE FILEPATH "" )
set( CMAKE_RANLIB $ENV{DUALBVH_ZIG}/ranlib CACHE FILEPATH "" )
set( CMAKE_INSTALL_NAME_TOOL true CACHE FILEPATH "" )
set( CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER )
set( CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY )
set( CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY )
set( ENV{PKG_CONFIG_LIBDIR} ${CMAKE_CURRENT_LIST_DIR} ) # libraries of this machine are none of that one
