# One test a call, with labels: unit (decided by hand or by definition), random (against an oracle, as many cases as
# DUALBVH_TEST_SCALE says), cli (the command), bench (the benchmark), lint (the sources) and build (what is installed) say
# what it is, and each test has one of them. Others may follow: threads (more than one thread: ThreadSanitizer runs these),
# real (real meshes where the machine has them), selftest (of a check of the sources), nightly (scripts/test goes without,
# scripts/soak does not).

# dualbvh_test_properties( name LABELS label... [ENVIRONMENT name=value...] [PROCESSORS n] )
function( dualbvh_test_properties name )
	cmake_parse_arguments( PARSE_ARGV 1 test "" "PROCESSORS" "LABELS;ENVIRONMENT" )
	set( kinds unit random cli bench lint build )
	list( GET test_LABELS 0 kind )
	if( NOT kind IN_LIST kinds )
		message( FATAL_ERROR "test ${name}: the first label is one of ${kinds}, not '${kind}'" )
	endif()
	set_tests_properties( ${name} PROPERTIES TIMEOUT ${DUALBVH_TEST_TIMEOUT} LABELS "${test_LABELS}" )
	if( test_ENVIRONMENT )
		set_tests_properties( ${name} PROPERTIES ENVIRONMENT "${test_ENVIRONMENT}" )
	endif()
	if( test_PROCESSORS )
		set_tests_properties( ${name} PROPERTIES PROCESSORS ${test_PROCESSORS} )
	endif()
endfunction()

# All programs whose tests use threads.
add_custom_target( thread_tests )

# dualbvh_test( name LABELS label... [POSIX] [PROGRAM program] [SOURCES file...] [ARGUMENTS word...] [LIBRARIES library...]
#               [DEFINITIONS definition...] [ENVIRONMENT name=value...] [THREADS pattern] )
# A program from test_<name>.c and SOURCES, or from SOURCES alone where PROGRAM names it, run by CTest as <name>. It links
# the static library, so that it can reach internals through src/, and the scalar kernels, which the library does not
# have; its options are those of tests/support/command_line.h.
# POSIX: the test forks, makes pipes or threads of POSIX, limits itself or takes what mingw lacks; Windows goes without.
# THREADS names those of its tests that use threads, and gives it that label: in a build with ThreadSanitizer <name> runs
# these alone, and <name>_whole all of them, nightly. THREADS nightly stands for the latter alone.
function( dualbvh_test name )
	cmake_parse_arguments( PARSE_ARGV 1 test "POSIX" "PROGRAM;THREADS" "LABELS;SOURCES;ARGUMENTS;LIBRARIES;DEFINITIONS;ENVIRONMENT" )
	if( NOT test_PROGRAM )
		set( test_PROGRAM test_${name} )
		if( EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/test_${name}.c )
			list( PREPEND test_SOURCES test_${name}.c )
		endif()
	endif()
	add_executable( ${test_PROGRAM} ${test_SOURCES} )
	target_include_directories( ${test_PROGRAM} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src )
	target_compile_definitions( ${test_PROGRAM} PRIVATE ${test_DEFINITIONS} )
	target_link_libraries( ${test_PROGRAM} PRIVATE dualbvh_scalar ${test_LIBRARIES} dualbvh dualbvh_shapes dualbvh_test_main
		dualbvh_test_support dualbvh_flags PkgConfig::GMP m )
	if( test_POSIX AND WIN32 )
		set_target_properties( ${test_PROGRAM} PROPERTIES EXCLUDE_FROM_ALL ON )
		return()
	endif()
	set( filter )
	if( test_THREADS )
		list( APPEND test_LABELS threads )
		if( DUALBVH_SANITIZE MATCHES "thread" )
			set( filter --filter ${test_THREADS} )
			add_test( NAME ${name}_whole COMMAND ${test_PROGRAM} ${test_ARGUMENTS} )
			dualbvh_test_properties( ${name}_whole LABELS ${test_LABELS} nightly ENVIRONMENT ${test_ENVIRONMENT} )
		endif()
	endif()
	if( NOT "nightly" IN_LIST filter )
		add_test( NAME ${name} COMMAND ${test_PROGRAM} ${test_ARGUMENTS} ${filter} )
		dualbvh_test_properties( ${name} LABELS ${test_LABELS} ENVIRONMENT ${test_ENVIRONMENT} )
	endif()
	set_property( GLOBAL APPEND PROPERTY DUALBVH_TEST_PROGRAMS ${test_PROGRAM} )
	if( threads IN_LIST test_LABELS )
		add_dependencies( thread_tests ${test_PROGRAM} )
	endif()
endfunction()

# dualbvh_script_test( name SCRIPT file [ARGUMENTS word...] LABELS label... ): a bash script, run by CTest as <name>.
find_program( BASH_PROGRAM bash )
if( NOT BASH_PROGRAM )
	message( STATUS "no bash: the command and the rules of the sources are not tested" )
endif()
function( dualbvh_script_test name )
	cmake_parse_arguments( PARSE_ARGV 1 test "" "SCRIPT" "LABELS;ARGUMENTS" )
	if( BASH_PROGRAM )
		get_filename_component( script ${test_SCRIPT} ABSOLUTE )
		add_test( NAME ${name} COMMAND ${BASH_PROGRAM} ${script} ${test_ARGUMENTS} )
		dualbvh_test_properties( ${name} LABELS ${test_LABELS} )
		set_tests_properties( ${name} PROPERTIES SKIP_RETURN_CODE 77 )
	endif()
endfunction()
