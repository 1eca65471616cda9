# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
#   cmake -DPROGRAM=... -DSOURCE=... [-DEMULATOR=...] -P check.cmake
#
# Runs an example, and compares what it prints with what its source says it prints.

file( STRINGS "${SOURCE}" lines )
set( expected "" )
set( begun NO )
foreach( line IN LISTS lines )
	if( begun )
		string( REGEX REPLACE "^//     " "" line "${line}" )
		string( APPEND expected "${line}\n" )
	elseif( line STREQUAL "// Prints" )
		set( begun YES )
	endif()
endforeach()

execute_process( COMMAND ${EMULATOR} "${PROGRAM}" OUTPUT_VARIABLE output ERROR_VARIABLE error RESULT_VARIABLE result )
if( NOT result EQUAL 0 )
	message( FATAL_ERROR "${PROGRAM} ended with ${result}: ${error}" )
elseif( NOT begun OR NOT output STREQUAL expected )
	message( FATAL_ERROR "${SOURCE} says that this is printed:\n${expected}but it is:\n${output}" )
endif()
