# Libraries that the command can do without. DUALBVH_WITH_<name>: AUTO takes one where it is, ON asks for it, OFF goes
# without. What links dualbvh_options sees DUALBVH_WITH_<name> defined for those that are in.

find_package( PkgConfig QUIET )
add_library( dualbvh_options INTERFACE )

# dualbvh_option_library( NAME pkg-config-module what-for )
function( dualbvh_option_library name module what_for )
	set( DUALBVH_WITH_${name} AUTO CACHE STRING "${module}, for ${what_for}: AUTO, ON or OFF" )
	set_property( CACHE DUALBVH_WITH_${name} PROPERTY STRINGS AUTO ON OFF )
	if( NOT DUALBVH_WITH_${name} )
		return()
	endif()
	if( PKG_CONFIG_FOUND )
		pkg_check_modules( ${name} QUIET IMPORTED_TARGET ${module} )
	endif()
	if( ${name}_FOUND )
		target_link_libraries( dualbvh_options INTERFACE PkgConfig::${name} )
		target_compile_definitions( dualbvh_options INTERFACE DUALBVH_WITH_${name}="${${name}_VERSION}" )
	elseif( DUALBVH_WITH_${name} STREQUAL "AUTO" )
		message( STATUS "no ${module}: no ${what_for}" )
	else()
		message( FATAL_ERROR "DUALBVH_WITH_${name} is ${DUALBVH_WITH_${name}}, but pkg-config finds no ${module}" )
	endif()
endfunction()

dualbvh_option_library( JANSSON jansson "glTF and JSON scenes" )
dualbvh_option_library( EXPAT expat "URDF, SRDF and 3MF" )
dualbvh_option_library( LIBZIP libzip "3MF and BCF" )
