# cglm: vectors, matrices and quaternions of floats, headers alone. For pictures, random poses and examples; the library does
# without, since floats are not what it computes in.

find_path( CGLM_INCLUDE_DIR cglm/types.h )
if( NOT CGLM_INCLUDE_DIR )
	message( FATAL_ERROR "the command, the benchmark and the tests need cglm (Debian: libcglm-dev); -DDUALBVH_TOOLS=OFF "
		"-DDUALBVH_TESTS=OFF -DDUALBVH_BENCH=OFF builds the library without it" )
endif()
add_library( dualbvh_cglm INTERFACE )
target_include_directories( dualbvh_cglm SYSTEM INTERFACE ${CGLM_INCLUDE_DIR} )
