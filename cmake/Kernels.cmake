# dbvhi_kernel( BODY [OPTIONS...] ): compiles src/BODY, an .inl, once for every instruction set. In each, DBVHI_ISA is the
# set's name, by which simd/kernel_name.h names what the body exports. Nothing else is built with a set's flags.

# Vectors that a set does not have are only passed between functions that are inlined.
set( DBVHI_ISA_OPTIONS_baseline -Wno-psabi )
set( DBVHI_ISA_OPTIONS_scalar -Wno-psabi -DDBVHI_SCALAR )
if( CMAKE_C_COMPILER_ID STREQUAL "GNU" )
	# What a loop of floats would become is not scalar any more.
	list( APPEND DBVHI_ISA_OPTIONS_scalar -fno-tree-vectorize -fno-tree-slp-vectorize )
endif()
set( DBVHI_ISA_LIST scalar baseline )
if( CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64" )
	list( APPEND DBVHI_ISA_LIST avx2 avx512 )
	set( DBVHI_ISA_OPTIONS_avx2 -Wno-psabi -mavx2 -mfma )
	set( DBVHI_ISA_OPTIONS_avx512
		-Wno-psabi -mavx512f -mavx512vl -mavx512dq -mavx512bw -mfma -mprefer-vector-width=512 )
	target_compile_definitions( dualbvh PRIVATE DBVHI_HAVE_X86_KERNELS )
elseif( CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64|ARM64)$" )
	# Every such machine has NEON; what the baseline is made into there rounds twice where this fuses.
	list( APPEND DBVHI_ISA_LIST neon )
	set( DBVHI_ISA_OPTIONS_neon -Wno-psabi -DDBVHI_NEON )
	target_compile_definitions( dualbvh PRIVATE DBVHI_HAVE_NEON_KERNELS )
endif()

list( LENGTH DBVHI_ISA_LIST DBVHI_ISA_COUNT )

function( dbvhi_kernel body )
	string( REGEX REPLACE "[/.]" "_" stem "${body}" )
	foreach( isa IN LISTS DBVHI_ISA_LIST )
		set( file "${PROJECT_BINARY_DIR}/kernels/${stem}_${isa}.c" )
		file( CONFIGURE OUTPUT "${file}" CONTENT "#define DBVHI_ISA ${isa}\n#include \"${body}\"\n" )
		target_sources( dualbvh PRIVATE "${file}" )
		set( options ${DBVHI_ISA_OPTIONS_${isa}} ${ARGN} )
		# Large functions of inlined code, which sanitizers make far larger: without this each takes minutes to compile,
		# and with clang's for addresses and undefined behaviour it still does. So in the fuzz targets the kernels have
		# neither; gcc's build has them.
		if( DUALBVH_SANITIZE )
			list( APPEND options -O1 $<$<C_COMPILER_ID:GNU>:-fno-var-tracking> )
			if( DUALBVH_FUZZ )
				list( APPEND options -gline-tables-only -fno-sanitize=address,undefined )
			elseif( isa STREQUAL "scalar" AND DBVHI_ISA_COUNT GREATER 2 )
				# The same body reads the same memory in every set: the others have them.
				list( APPEND options -fno-sanitize=all )
			endif()
		elseif( isa STREQUAL "scalar" AND DBVHI_ISA_COUNT GREATER 2 )
			list( APPEND options -O1 ) # nobody runs it but to compare: half the time to compile
		endif()
		set_source_files_properties( "${file}" TARGET_DIRECTORY dualbvh PROPERTIES COMPILE_OPTIONS "${options}" )
	endforeach()
	target_sources( dualbvh PRIVATE "${PROJECT_SOURCE_DIR}/src/${body}" )
endfunction()
