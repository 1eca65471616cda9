# Compile options of everything the project builds for itself.

add_library( dualbvh_flags INTERFACE )

# No contraction, whatever the dialect: exactness rests on every product being rounded. Never fast-math.
target_compile_options( dualbvh_flags INTERFACE -ffp-contract=off )
target_compile_options( dualbvh_flags INTERFACE
	-Wall -Wextra -Wshadow -Wpointer-arith -Wundef -Wvla
	$<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes> )
if( MINGW )
	# The C library's own printf() knows neither %zu nor %a. gcc checks formats by that one's rules all the same.
	target_compile_definitions( dualbvh_flags INTERFACE __USE_MINGW_ANSI_STDIO=1 )
	# Windows aligns stacks to 16 bytes, and gcc stores wider vectors there as if it were more (GCC bug 54412): the assembler
	# takes the instructions for any address, which are as fast where an address is aligned.
	target_compile_options( dualbvh_flags INTERFACE $<$<C_COMPILER_ID:GNU>:-Wno-format;-Wa,-muse-unaligned-vector-move> )
endif()
if( DUALBVH_WERROR )
	target_compile_options( dualbvh_flags INTERFACE -Werror )
endif()
# Internal asserts, see src/base/assert.h. They say which file by its name from here.
if( NOT DUALBVH_ASSERTS STREQUAL "" )
	target_compile_definitions( dualbvh_flags INTERFACE DUALBVH_ASSERTS=${DUALBVH_ASSERTS} )
elseif( DUALBVH_SANITIZE )
	target_compile_definitions( dualbvh_flags INTERFACE DUALBVH_ASSERTS=$<IF:$<CONFIG:Debug>,2,1> )
else()
	target_compile_definitions( dualbvh_flags INTERFACE $<$<CONFIG:Debug>:DUALBVH_ASSERTS=2> )
endif()
target_compile_options( dualbvh_flags INTERFACE -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/= )
if( DUALBVH_SANITIZE )
	target_compile_options( dualbvh_flags INTERFACE -fsanitize=${DUALBVH_SANITIZE} -fno-omit-frame-pointer
		-fno-sanitize-recover=all )
	# Half the time to compile, a little more to run; backtraces keep their lines.
	target_compile_options( dualbvh_flags INTERFACE $<$<NOT:$<CONFIG:Debug>>:-O1> -g1 )
	# What gcc knows of values depends on how much it optimises: whether a text fits is asked of the optimised build.
	target_compile_options( dualbvh_flags INTERFACE
		$<$<OR:$<COMPILE_LANG_AND_ID:C,GNU>,$<COMPILE_LANG_AND_ID:CXX,GNU>>:-Wno-format-truncation> )
	target_link_options( dualbvh_flags INTERFACE -fsanitize=${DUALBVH_SANITIZE} )
	# What these two see AddressSanitizer sees as well, and they take a quarter of the time to compile.
	if( DUALBVH_SANITIZE MATCHES "address" AND DUALBVH_SANITIZE MATCHES "undefined" )
		target_compile_options( dualbvh_flags INTERFACE -fno-sanitize=null,object-size )
	endif()
endif()

# Expressions must have the precision of their type. i386 computes in the wider registers of the x87 unit unless it is told
# to use SSE, and gcc says of s390x that floats are computed in double, as they once were, unless it need not keep to the letter.
include( CheckCSourceCompiles )
set( exact_expressions "#include <float.h>\n#if FLT_EVAL_METHOD != 0\n#error\n#endif\nint main( void ) { return 0; }" )
set( CMAKE_REQUIRED_FLAGS "-std=c17" )
check_c_source_compiles( "${exact_expressions}" DUALBVH_EXACT_EXPRESSIONS )
if( NOT DUALBVH_EXACT_EXPRESSIONS )
	set( CMAKE_REQUIRED_FLAGS "-std=c17 -msse2 -mfpmath=sse" )
	check_c_source_compiles( "${exact_expressions}" DUALBVH_EXACT_EXPRESSIONS_SSE )
	set( CMAKE_REQUIRED_FLAGS "-std=c17 -fexcess-precision=fast" )
	check_c_source_compiles( "${exact_expressions}" DUALBVH_EXACT_EXPRESSIONS_FAST )
	if( DUALBVH_EXACT_EXPRESSIONS_SSE )
		target_compile_options( dualbvh_flags INTERFACE -msse2 -mfpmath=sse )
	elseif( DUALBVH_EXACT_EXPRESSIONS_FAST )
		target_compile_options( dualbvh_flags INTERFACE -fexcess-precision=fast )
	endif()
endif()
unset( CMAKE_REQUIRED_FLAGS )

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
