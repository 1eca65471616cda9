# What is installed, where, in components: library (what programs need to run), development (what is needed to build them)
# and command. `cmake --install BUILD --component NAME` installs one of them, the target uninstall removes what the last
# installation wrote.

include( CMakePackageConfigHelpers )
set( package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/dualbvh )

set( libraries dualbvh )
if( TARGET dualbvh_shared )
	list( APPEND libraries dualbvh_shared )
endif()
install( TARGETS ${libraries} EXPORT dualbvh-targets
	RUNTIME COMPONENT library
	LIBRARY COMPONENT library NAMELINK_COMPONENT development
	ARCHIVE COMPONENT development )
if( WIN32 AND TARGET dualbvh_shared )
	# For import libraries of other linkers: lib /def:dualbvh.def, dlltool -d dualbvh.def.
	install( FILES ${PROJECT_BINARY_DIR}/src/dualbvh.def DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development )
endif()
install( DIRECTORY include/dualbvh DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development )
install( EXPORT dualbvh-targets NAMESPACE dualbvh:: DESTINATION ${package_folder} COMPONENT development )
if( DUALBVH_TOOLS )
	set_target_properties( dualbvh_command PROPERTIES EXPORT_NAME command )
	install( TARGETS dualbvh_command EXPORT dualbvh-command-targets COMPONENT command )
	install( EXPORT dualbvh-command-targets NAMESPACE dualbvh:: DESTINATION ${package_folder} COMPONENT command )
endif()
# The page of `dualbvh view`, where scripts/viewer has built it.
if( DUALBVH_TOOLS )
	set( DUALBVH_VIEWER_PAGE ${CMAKE_BINARY_DIR}/../viewer/viewer.html CACHE FILEPATH "The page that scripts/viewer builds" )
	# Not OPTIONAL: that leaves an empty folder where there is no page.
	install( CODE "
		if( EXISTS \"${DUALBVH_VIEWER_PAGE}\" )
			file( INSTALL DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/dualbvh\" TYPE FILE
				FILES \"${DUALBVH_VIEWER_PAGE}\" )
		endif()" COMPONENT command )
endif()
if( TARGET dualbvh_manual )
	get_target_property( manual dualbvh_manual FOLDER_OF_PAGES )
	install( DIRECTORY ${manual}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT command )
	install( FILES ${manual}/completion/dualbvh DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT command )
	install( FILES ${manual}/completion/_dualbvh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT command )
	install( FILES ${manual}/completion/dualbvh.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
		COMPONENT command )
endif()

# CMake. A static library leaves it to the program to link OpenMP itself.
get_target_property( library_type dualbvh TYPE )
set( DUALBVH_NEEDS_OPENMP FALSE )
if( DUALBVH_OPENMP )
	find_package( OpenMP QUIET COMPONENTS C )
endif()
if( DUALBVH_OPENMP AND OpenMP_C_FOUND AND library_type STREQUAL "STATIC_LIBRARY" )
	set( DUALBVH_NEEDS_OPENMP TRUE )
endif()
set( DUALBVH_NEEDS_THREADS FALSE )
if( DUALBVH_OS_IN_USE STREQUAL "posix" AND library_type STREQUAL "STATIC_LIBRARY" )
	set( DUALBVH_NEEDS_THREADS TRUE )
endif()
configure_package_config_file( cmake/dualbvhConfig.cmake.in dualbvhConfig.cmake INSTALL_DESTINATION ${package_folder} )
write_basic_package_version_file( dualbvhConfigVersion.cmake COMPATIBILITY SameMinorVersion )
install( FILES ${CMAKE_CURRENT_BINARY_DIR}/dualbvhConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/dualbvhConfigVersion.cmake
	DESTINATION ${package_folder} COMPONENT development )

# pkg-config. What a static library needs besides is private where there is a shared one, and for everybody where not.
set( needed "-lm" )
if( DUALBVH_NEEDS_OPENMP )
	foreach( name IN LISTS OpenMP_C_LIB_NAMES )
		string( APPEND needed " -l${name}" )
	endforeach()
elseif( DUALBVH_NEEDS_THREADS )
	string( APPEND needed " -pthread" )
endif()
if( TARGET dualbvh_shared OR NOT library_type STREQUAL "STATIC_LIBRARY" )
	set( PC_LIBS "" )
	set( PC_LIBS_PRIVATE "${needed}" )
else()
	set( PC_LIBS " ${needed}" )
	set( PC_LIBS_PRIVATE "" )
endif()
# Relative to where the file is, so that the whole may be moved, unless a folder is absolute.
file( RELATIVE_PATH up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/" )
string( REGEX REPLACE "/$" "" up "${up}" )
set( PC_PREFIX "\${pcfiledir}/${up}" )
set( PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}" )
set( PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}" )
if( IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" )
	set( PC_PREFIX "${CMAKE_INSTALL_PREFIX}" )
	set( PC_LIBDIR "${CMAKE_INSTALL_LIBDIR}" )
endif()
if( IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}" )
	set( PC_INCLUDEDIR "${CMAKE_INSTALL_INCLUDEDIR}" )
endif()
configure_file( cmake/dualbvh.pc.in dualbvh.pc @ONLY )
install( FILES ${CMAKE_CURRENT_BINARY_DIR}/dualbvh.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development )

if( PROJECT_IS_TOP_LEVEL )
	add_custom_target( uninstall COMMAND ${CMAKE_COMMAND} -DMANIFEST=${CMAKE_BINARY_DIR}/install_manifest.txt
		-P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/Uninstall.cmake COMMENT "" VERBATIM )
endif()
