# What a DLL of Windows exports: the functions that its public headers mark by DBVH_API, in a file of definitions. Elsewhere
# that mark is an attribute, and this does nothing.

# dbvhi_export( target name headers ): `headers` is a pattern in include/dualbvh, the file of definitions name.def.
function( dbvhi_export target name headers )
	if( NOT WIN32 )
		return()
	endif()
	set( definitions "EXPORTS\n" )
	file( GLOB found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/dualbvh/${headers} )
	foreach( header IN LISTS found )
		file( STRINGS ${header} lines REGEX "^DBVH_API .*[ *]dbvh_[a-z0-9_]+\\(" )
		foreach( line IN LISTS lines )
			string( REGEX REPLACE ".*[ *](dbvh_[a-z0-9_]+)\\(.*" "\\1" function "${line}" )
			string( APPEND definitions "\t${function}\n" )
		endforeach()
	endforeach()
	file( GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.def CONTENT "${definitions}" )
	target_sources( ${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/${name}.def )
endfunction()
