# What the machines beside this file share: Debian's cross compiler, and qemu to run the tests. The environment's
# DUALBVH_SYSROOT is a folder with cmocka and GMP for the machine, as `./scripts/soak machines` unpacks them.
#
#   emulated( <processor> <its name in qemu> <its name in Debian's library folders> )

macro( emulated processor emulator folder )
	set( CMAKE_SYSTEM_NAME Linux )
	set( CMAKE_SYSTEM_PROCESSOR ${processor} )
	set( CMAKE_C_COMPILER ${processor}-linux-gnu-gcc )
	set( CMAKE_CROSSCOMPILING_EMULATOR qemu-${emulator} -L /usr/${processor}-linux-gnu )

	set( CMAKE_C_FLAGS_INIT "-isystem $ENV{DUALBVH_SYSROOT}/usr/include/${folder}" ) # gmp.h
	set( CMAKE_FIND_ROOT_PATH $ENV{DUALBVH_SYSROOT} /usr/${processor}-linux-gnu )
	set( CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER )
	set( CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY )
	set( CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY )
	set( CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY )
	set( ENV{PKG_CONFIG_LIBDIR} $ENV{DUALBVH_SYSROOT}/usr/lib/${folder}/pkgconfig )
	set( ENV{PKG_CONFIG_SYSROOT_DIR} $ENV{DUALBVH_SYSROOT} )
endmacro()
