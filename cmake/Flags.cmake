# Compile options of everything the project builds for itself.

add_library( dualbvh_flags INTERFACE )

# No contraction, whatever the dialect: exactness rests on every product being rounded. Never fast-math.
target_compile_options( dualbvh_flags INTERFACE -ffp-contract=off )
target_compile_options( dualbvh_flags INTERFACE
	-Wall -Wextra -Wshadow -Wpointer-arith -Wundef -Wvla
	$<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes> )
if( DUALBVH_WERROR )
	target_compile_options( dualbvh_flags INTERFACE -Werror )
endif()
if( DUALBVH_SANITIZE )
	target_compile_options( dualbvh_flags INTERFACE -fsanitize=${DUALBVH_SANITIZE} -fno-omit-frame-pointer
		-fno-sanitize-recover=all )
	target_link_options( dualbvh_flags INTERFACE -fsanitize=${DUALBVH_SANITIZE} )
endif()

# What is shipped, the library and the command, is hardened against mistakes of ours: checked buffers and stacks, tables of
# addresses that cannot be written to, and code that may lie anywhere (so that a static library may become a part of
# somebody's shared one, too). Sanitizers see more by themselves.
add_library( dualbvh_hardening INTERFACE )
set( DUALBVH_HARDENED FALSE )
if( DUALBVH_HARDENING AND CMAKE_EXECUTABLE_FORMAT STREQUAL "ELF" AND NOT DUALBVH_SANITIZE )
	set( DUALBVH_HARDENED TRUE )
	target_compile_options( dualbvh_hardening INTERFACE -fstack-protector-strong
		$<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2> ) # which needs optimisation
	target_link_options( dualbvh_hardening INTERFACE LINKER:-z,relro,-z,now,-z,noexecstack )
endif()
include( CheckPIESupported )
check_pie_supported( LANGUAGES C )

# dualbvh_harden( target )
function( dualbvh_harden target )
	set_target_properties( ${target} PROPERTIES POSITION_INDEPENDENT_CODE ON )
	target_link_libraries( ${target} PRIVATE $<BUILD_INTERFACE:dualbvh_hardening> )
endfunction()
