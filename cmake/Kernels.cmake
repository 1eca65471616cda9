# dbvhi_kernel( BODY [OPTIONS...] [NARROW] [WITH BODY...] ): compiles src/BODY, an .inl, once for every instruction set. In each,
# DBVHI_ISA is the set's name, by which simd/kernel_name.h names what the body exports. Nothing else is built with a set's
# flags. Small bodies are compiled together: a compiler takes longer to read the header of the intrinsics than such a body.
# NARROW: vectors of four doubles are no faster with AVX-512, whose kernel is that for AVX2 (DBVHI_NARROW_KERNEL_TABLE).
# dbvhi_kernel_tables( FILE... ): the sources of a layer that list its kernels by DBVHI_KERNEL_TABLE.
#
# The scalar set is for tests: the library does not have it. Tests link dualbvh_scalar, which has the scalar kernels and
# takes the place of the library's own tables and list of sets (dbvhi_scalar_library()).

# Vectors that a set does not have are only passed between functions that are inlined.
set( DBVHI_ISA_OPTIONS_baseline -Wno-psabi )
set( DBVHI_ISA_OPTIONS_scalar -Wno-psabi -DDBVHI_SCALAR )
if( CMAKE_C_COMPILER_ID STREQUAL "GNU" )
	# What a loop of floats would become is not scalar any more.
	list( APPEND DBVHI_ISA_OPTIONS_scalar -fno-tree-vectorize -fno-tree-slp-vectorize )
endif()
list( APPEND DBVHI_ISA_OPTIONS_scalar -O1 ) # nobody runs it but to compare: half the time to compile
set( DBVHI_ISA_LIST baseline )
if( CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64" )
	list( APPEND DBVHI_ISA_LIST avx2 avx512 )
	set( DBVHI_ISA_OPTIONS_avx2 -Wno-psabi -mavx2 -mfma )
	set( DBVHI_ISA_OPTIONS_avx512
		-Wno-psabi -mavx512f -mavx512vl -mavx512dq -mavx512bw -mfma -mprefer-vector-width=512 )
	set( DBVHI_KERNEL_DEFINITIONS DBVHI_HAVE_X86_KERNELS )
elseif( CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64|ARM64)$" )
	# Every such machine has NEON; what the baseline is made into there rounds twice where this fuses.
	list( APPEND DBVHI_ISA_LIST neon )
	set( DBVHI_ISA_OPTIONS_neon -Wno-psabi -DDBVHI_NEON )
	set( DBVHI_KERNEL_DEFINITIONS DBVHI_HAVE_NEON_KERNELS )
endif()
target_compile_definitions( dualbvh PRIVATE ${DBVHI_KERNEL_DEFINITIONS} )

# As fast as -O3 for code that is not all vectors, and smaller.
set( DBVHI_COMPACT )
if( CMAKE_C_COMPILER_ID STREQUAL "GNU" )
	foreach( option -O2 -ftree-loop-vectorize -ftree-slp-vectorize -fvect-cost-model=dynamic -fpeel-loops -finline-functions )
		list( APPEND DBVHI_COMPACT $<$<CONFIG:Release>:${option}> )
	endforeach()
endif()

# A kernel is one long function of inlined code, in which GCC spends half of its time on asking which stores a load may
# see: a tenth of the questions gives the same code but for a few instructions.
set( DBVHI_FEW_QUESTIONS )
if( CMAKE_C_COMPILER_ID STREQUAL "GNU" )
	include( CheckCCompilerFlag )
	check_c_compiler_flag( "--param=sccvn-max-alias-queries-per-access=100" DUALBVH_HAVE_ALIAS_QUERIES )
endif()
if( DUALBVH_HAVE_ALIAS_QUERIES )
	set( DBVHI_FEW_QUESTIONS --param=sccvn-max-alias-queries-per-access=100 )
endif()

# The file that compiles a kernel's body for one set, with its options.
function( dbvhi_kernel_source target body isa )
	string( REGEX REPLACE "[/.]" "_" stem "${body}" )
	set( file "${PROJECT_BINARY_DIR}/kernels/${stem}_${isa}.c" )
	cmake_parse_arguments( kernel "NARROW" "" "WITH" ${ARGN} )
	set( text "#define DBVHI_ISA ${isa}\n" )
	foreach( included IN LISTS body kernel_WITH )
		string( APPEND text "#include \"${included}\"\n" )
	endforeach()
	file( CONFIGURE OUTPUT "${file}" CONTENT "${text}" )
	set( options ${DBVHI_ISA_OPTIONS_${isa}} ${kernel_UNPARSED_ARGUMENTS} )
	# Large functions of inlined code, which sanitizers make far larger: without this each takes minutes to compile,
	# and with clang's for addresses and undefined behaviour it still does. So in the fuzz targets the kernels have
	# neither; gcc's build has them.
	if( DUALBVH_SANITIZE )
		list( APPEND options -O1 $<$<C_COMPILER_ID:GNU>:-fno-var-tracking> )
		if( DUALBVH_FUZZ )
			list( APPEND options -gline-tables-only -fno-sanitize=address,undefined )
		elseif( isa STREQUAL "scalar" )
			# The same body reads the same memory in every set: the others have them.
			list( APPEND options -fno-sanitize=all )
		endif()
	endif()
	target_sources( ${target} PRIVATE "${file}" )
	set_source_files_properties( "${file}" TARGET_DIRECTORY ${target} PROPERTIES COMPILE_OPTIONS "${options}" )
endfunction()

function( dbvhi_kernel body )
	cmake_parse_arguments( kernel "NARROW" "" "WITH" ${ARGN} )
	foreach( isa IN LISTS DBVHI_ISA_LIST )
		if( NOT ( kernel_NARROW AND isa STREQUAL "avx512" ) )
			dbvhi_kernel_source( dualbvh ${body} ${isa} ${ARGN} )
		endif()
	endforeach()
	foreach( included IN LISTS body kernel_WITH )
		target_sources( dualbvh PRIVATE "${PROJECT_SOURCE_DIR}/src/${included}" )
	endforeach()
	set_property( GLOBAL APPEND PROPERTY DBVHI_KERNEL_BODIES ${body} )
	set_property( GLOBAL PROPERTY DBVHI_KERNEL_OPTIONS_${body} "${ARGN}" )
endfunction()

function( dbvhi_kernel_tables )
	foreach( file IN LISTS ARGN )
		target_sources( dualbvh PRIVATE ${file} )
		set_property( GLOBAL APPEND PROPERTY DBVHI_KERNEL_TABLES "${CMAKE_CURRENT_SOURCE_DIR}/${file}" )
	endforeach()
endfunction()

# Objects, not an archive: a program that links them has their tables, so that none is taken from the library.
function( dbvhi_scalar_library )
	get_property( tables GLOBAL PROPERTY DBVHI_KERNEL_TABLES )
	get_property( bodies GLOBAL PROPERTY DBVHI_KERNEL_BODIES )
	add_library( dualbvh_scalar OBJECT EXCLUDE_FROM_ALL ${tables} )
	target_compile_definitions( dualbvh_scalar PRIVATE ${DBVHI_KERNEL_DEFINITIONS} DBVHI_HAVE_SCALAR_KERNELS )
	target_include_directories( dualbvh_scalar PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src )
	target_link_libraries( dualbvh_scalar PRIVATE $<BUILD_INTERFACE:dualbvh_flags> )
	set_target_properties( dualbvh_scalar PROPERTIES C_VISIBILITY_PRESET hidden )
	foreach( body IN LISTS bodies )
		get_property( options GLOBAL PROPERTY DBVHI_KERNEL_OPTIONS_${body} )
		dbvhi_kernel_source( dualbvh_scalar ${body} scalar ${options} )
	endforeach()
	dualbvh_harden( dualbvh_scalar )
endfunction()
