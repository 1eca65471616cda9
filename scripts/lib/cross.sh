# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Sourced by scripts/test, behind setup.sh: builds for Windows and macOS, and what they need beside a compiler.

windows_host=x86_64-w64-mingw32

# sources_of FOLDER PACKAGE...: unpacks the sources of Debian's packages, without their patches, into FOLDER.
sources_of() {
	local folder=$1 state=$1/apt list=$1/apt/debian.sources options archive
	shift
	mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
	sed 's/^Types:.*/Types: deb-src/' /etc/apt/sources.list.d/debian.sources >"$list" || return 1
	options=(-qq -o "Dir::Etc::sourcelist=$list" -o Dir::Etc::sourceparts=/dev/null -o "Dir::State=$state"
		-o Dir::State::status=/var/lib/dpkg/status -o "Dir::Cache=$state/cache" -o APT::Sandbox::User=root)
	apt-get "${options[@]}" update || return 1
	# Patches come from another archive, which may be behind this one; the sources of the authors are enough.
	(cd "$folder" && apt-get "${options[@]}" source --download-only --tar-only "$@") || return 1
	for archive in "$folder"/*.orig.tar.*; do
		[[ $archive == *.asc ]] || tar -xf "$archive" -C "$folder" || return 1
	done
}

# windows_library SOURCE FOLDER [OPTION...]: builds one with CMake and installs it into FOLDER.
windows_library() {
	local source=$1 prefix=$2
	shift 2
	cmake -S "$source" -B "$source/build" -DCMAKE_SYSTEM_NAME=Windows -DCMAKE_C_COMPILER=$windows_host-gcc-win32 \
		-DCMAKE_CXX_COMPILER=$windows_host-g++-win32 -DCMAKE_RC_COMPILER=$windows_host-windres -DCMAKE_BUILD_TYPE=Release \
		-DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_PREFIX_PATH="$prefix" -DBUILD_SHARED_LIBS=OFF "$@" &&
		cmake --build "$source/build" && cmake --install "$source/build"
}

# windows_sysroot FOLDER: cmocka, GMP, cglm and the command's optional libraries but assimp and OpenCASCADE, static.
windows_sysroot() {
	local folder=$1 from=$1/sources
	[ ! -e "$folder/whole" ] || return 0
	rm -rf "$folder"
	mkdir -p "$from" "$folder/lib/pkgconfig" "$folder/include"
	sources_of "$from" cmocka gmp jansson expat libzip zlib || return 1
	cp -R /usr/include/cglm "$folder/include"
	# The sources lack their manual, for which configure asks.
	(cd "$from"/gmp-* && mkdir -p doc && printf 'all:\ninstall:\n' >doc/Makefile.in &&
		./configure --host=$windows_host --prefix="$folder" --disable-shared CC=$windows_host-gcc-win32 CC_FOR_BUILD=gcc &&
		make -j "$(nproc)" && make install) || return 1
	# Debian's zlib lacks win32/, for which its CMakeLists.txt asks.
	(cd "$from"/zlib-* && $windows_host-gcc-win32 -O2 -c ./*.c && $windows_host-ar rcs "$folder/lib/libz.a" ./*.o &&
		cp zlib.h zconf.h "$folder/include") || return 1
	windows_library "$(echo "$from"/cmocka-*)" "$folder" -DWITH_STATIC_LIB=ON -DWITH_EXAMPLES=OFF &&
		cp "$(find "$from" -name libcmocka-static.a)" "$folder/lib/libcmocka.a" && rm -f "$folder/lib/libcmocka.dll.a" || return 1
	windows_library "$(echo "$from"/jansson-*)" "$folder" -DJANSSON_BUILD_DOCS=OFF -DJANSSON_WITHOUT_TESTS=ON \
		-DJANSSON_EXAMPLES=OFF || return 1
	windows_library "$(echo "$from"/libexpat-*/expat)" "$folder" -DEXPAT_SHARED_LIBS=OFF -DEXPAT_BUILD_TOOLS=OFF \
		-DEXPAT_BUILD_EXAMPLES=OFF -DEXPAT_BUILD_TESTS=OFF || return 1
	windows_library "$(echo "$from"/libzip-*)" "$folder" -DENABLE_BZIP2=OFF -DENABLE_LZMA=OFF -DENABLE_ZSTD=OFF \
		-DENABLE_OPENSSL=OFF -DENABLE_WINDOWS_CRYPTO=OFF -DBUILD_TOOLS=OFF -DBUILD_REGRESS=OFF -DBUILD_EXAMPLES=OFF \
		-DBUILD_DOC=OFF || return 1
	local name
	for name in gmp:-lgmp zlib:-lz libzip:"-lzip -ladvapi32 -lz"; do
		printf 'Name: %s\nDescription: %s\nVersion: %s\nLibs: -L%s %s\nCflags: -I%s\n' "${name%%:*}" "${name%%:*}" \
			"$(echo "$from/${name%%:*}"-[0-9]* | sed 's/.*-//')" "$folder/lib" "${name#*:}" "$folder/include" \
			>"$folder/lib/pkgconfig/${name%%:*}.pc"
	done
	touch "$folder/whole"
}

# zig_tools FOLDER ZIG TARGET: the programs that cmake/toolchains/zig.cmake asks for.
zig_tools() {
	mkdir -p "$1"
	printf '#!/bin/sh\nexec %q cc -target %s "$@"\n' "$2" "$3" >"$1/cc"
	printf '#!/bin/sh\nexec %q ar "$@"\n' "$2" >"$1/ar"
	printf '#!/bin/sh\nexec %q ranlib "$@"\n' "$2" >"$1/ranlib"
	chmod +x "$1"/*
}
