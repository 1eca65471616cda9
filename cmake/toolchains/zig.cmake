# macOS, or Windows by clang: a compiler that has the headers of other systems. The environment's DUALBVH_ZIG is a folder with
# cc, ar and ranlib (of zig), DUALBVH_ZIG_SYSTEM is Darwin or Windows and DUALBVH_ZIG_PROCESSOR arm64 or x86_64, as
# `./scripts/test macos` sets them. Nothing of macOS can be run here.
set( CMAKE_SYSTEM_NAME $ENV{DUALBVH_ZIG_SYSTEM} )
set( CMAKE_SYSTEM_PROCESSOR $ENV{DUALBVH_ZIG_PROCESSOR} )
foreach( program cc ar ranlib )
	if( NOT EXISTS "$ENV{DUALBVH_ZIG}/${program}" )
		message( FATAL_ERROR "DUALBVH_ZIG is no folder with ${program}" )
	endif()
endforeach()
set( CMAKE_C_COMPILER $ENV{DUALBVH_ZIG}/cc )
set( CMAKE_AR $ENV{DUALBVH_ZIG}/ar CACHE FILEPATH "" )
set( CMAKE_RANLIB $ENV{DUALBVH_ZIG}/ranlib CACHE FILEPATH "" )
set( CMAKE_INSTALL_NAME_TOOL true CACHE FILEPATH "" )
set( CMAKE_RC_COMPILER true CACHE FILEPATH "" )
set( CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER )
set( CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY )
set( CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY )
set( ENV{PKG_CONFIG_LIBDIR} ${CMAKE_CURRENT_LIST_DIR} ) # libraries of this machine are none of that one
