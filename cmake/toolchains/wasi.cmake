# Toolchain file for WebAssembly by zig's clang, which PyPI has as ziglang (js/requirements.txt): js/build.mjs uses it.
#   -D DUALBVH_ZIG=path         the program zig
#   -D DUALBVH_WASM_SIMD=OFF    for engines without SIMD128

set( CMAKE_SYSTEM_NAME Generic )
set( CMAKE_SYSTEM_PROCESSOR wasm32 )
set( DUALBVH_ZIG zig CACHE FILEPATH "zig, whose cc and ar are used" )
option( DUALBVH_WASM_SIMD "Compile for engines with SIMD128" ON )
set( CMAKE_TRY_COMPILE_PLATFORM_VARIABLES DUALBVH_ZIG DUALBVH_WASM_SIMD )
set( CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY )

set( CMAKE_C_COMPILER ${DUALBVH_ZIG} cc )
set( CMAKE_C_COMPILER_TARGET wasm32-wasi )
set( CMAKE_C_COMPILER_LAUNCHER "" ) # zig has a cache of its own
set( CMAKE_AR ${DUALBVH_ZIG} )
set( CMAKE_C_ARCHIVE_CREATE "<CMAKE_AR> ar qc <TARGET> <LINK_FLAGS> <OBJECTS>" )
set( CMAKE_C_ARCHIVE_APPEND "<CMAKE_AR> ar q <TARGET> <LINK_FLAGS> <OBJECTS>" )
set( CMAKE_C_ARCHIVE_FINISH "" )
if( DUALBVH_WASM_SIMD )
	set( CMAKE_C_FLAGS_INIT "-msimd128" )
endif()
