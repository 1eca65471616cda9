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
