# Windows on x86-64, by Debian's gcc-mingw-w64-x86-64-win32, whose programs need no DLL but those of Windows. The tests run
# under wine. The environment's DUALBVH_SYSROOT is a folder with cmocka, GMP and the command's optional libraries, as
# `./scripts/test windows` makes it.
set( CMAKE_SYSTEM_NAME Windows )
set( CMAKE_SYSTEM_PROCESSOR x86_64 )
set( host x86_64-w64-mingw32 )
set( CMAKE_C_COMPILER ${host}-gcc-win32 )
set( CMAKE_CXX_COMPILER ${host}-g++-win32 )
set( CMAKE_RC_COMPILER ${host}-windres )
set( CMAKE_CROSSCOMPILING_EMULATOR wine )

set( DUALBVH_OPENMP OFF CACHE BOOL "" ) # needs a DLL for POSIX threads

set( CMAKE_C_FLAGS_INIT "-isystem $ENV{DUALBVH_SYSROOT}/include" )
set( CMAKE_EXE_LINKER_FLAGS_INIT "-static" )
set( CMAKE_SHARED_LINKER_FLAGS_INIT "-static-libgcc" )
set( CMAKE_FIND_ROOT_PATH $ENV{DUALBVH_SYSROOT} /usr/${host} )
set( CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER )
set( CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY )
set( CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY )
set( CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY )
set( ENV{PKG_CONFIG_LIBDIR} $ENV{DUALBVH_SYSROOT}/lib/pkgconfig )
