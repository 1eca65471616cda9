#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# What the command has inside in a wheel: jansson, expat, zlib and libzip as static libraries, and the headers of cglm. Their
# sources are Debian's, with its repairs: the versions below, of which apt takes the latest repair that a mirror has.
#
#   packaging/wheels/libraries.sh fetch FOLDER             sources, by apt, as FOLDER/NAME
#   packaging/wheels/libraries.sh build FOLDER PREFIX      static libraries of these, with the compiler of the environment (CC)

set -euo pipefail
BUILD_DIR=${BUILD_DIR:-$(dirname "${BASH_SOURCE[0]}")/../../build}
# shellcheck source-path=SCRIPTDIR source=../../scripts/lib/setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib/setup.sh"

suite=bookworm
versions=(zlib=1.2.13 expat=2.5.0 jansson=2.14 libzip=1.7.3)

fetch() {
	local folder=$1 state=$1/apt options entry name version keys=/usr/share/keyrings/debian-archive-keyring.gpg
	mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
	[ -e "$keys" ] || install_packages debian-archive-keyring
	command -v dpkg-source >/dev/null || install_packages dpkg-dev
	for name in '' -security; do
		printf "%s [signed-by=$keys] http://deb.debian.org/debian$name $suite$name main\n" deb deb-src
	done >"$state/sources.list"
	options=(-qq -o Dir::Etc::SourceList="$state/sources.list" -o Dir::Etc::SourceParts=/dev/null -o Dir::State="$state"
		-o Dir::State::status=/dev/null -o Dir::Cache="$state/cache" -o APT::Sandbox::User="$(id -un)")
	apt-get "${options[@]}" update || return 1
	for entry in "${versions[@]}"; do
		name=${entry%=*} version=${entry#*=}
		[ ! -d "$folder/$name" ] || continue
		# A mirror may lack the latest repair of a version: then the one before it.
		(cd "$folder" && { apt-get "${options[@]}" source --download-only "$name" 2>/dev/null ||
			apt-get "${options[@]}" source --download-only "$name/$suite"; } >/dev/null) || return 1
		rm -rf "$folder/unpacked"
		dpkg-source --no-check -x "$(find "$folder" -maxdepth 1 -name "${name}_$version*.dsc" | sort -V | tail -n 1)" "$folder/unpacked" >/dev/null || return 1
		mv "$folder/unpacked" "$folder/$name"
		# note: a repair of Debian's compares this macro, which CMake defines as nothing; Debian builds by autoconf.
		[ "$name" != expat ] || sed -i 's/^#cmakedefine XML_DTD$/#cmakedefine XML_DTD 1/' "$folder"/expat/expat/expat_config.h.cmake
	done
	if [ ! -d "$folder/cglm" ]; then
		(cd "$folder" && apt-get "${options[@]}" download libcglm-dev >/dev/null && dpkg -x libcglm-dev_*.deb cglm) || return 1
	fi
}

build_all() {
	local sources=$1 prefix=$2 source options
	mkdir -p "$prefix/include" "$prefix/licenses"
	for name in zlib expat jansson libzip; do # whoever passes the binary on passes these on
		cp "$(find "$sources/$name" -maxdepth 1 \( -name LICENSE -o -name COPYING \) | head -n 1)" "$prefix/licenses/$name.txt"
	done
	cp -R "$sources/cglm/usr/include/cglm" "$prefix/include"
	for name in zlib expat jansson libzip; do
		options=(-DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_INSTALL_LIBDIR=lib
			-DCMAKE_POSITION_INDEPENDENT_CODE=ON -DBUILD_SHARED_LIBS=OFF -DCMAKE_POLICY_VERSION_MINIMUM=3.5)
		case $name in
		expat) options+=(-DEXPAT_SHARED_LIBS=OFF -DEXPAT_BUILD_TOOLS=OFF -DEXPAT_BUILD_TESTS=OFF -DEXPAT_BUILD_EXAMPLES=OFF -DEXPAT_BUILD_DOCS=OFF) ;;
		jansson) options+=(-DJANSSON_BUILD_DOCS=OFF -DJANSSON_WITHOUT_TESTS=ON -DJANSSON_EXAMPLES=OFF) ;;
		libzip) options+=(-DENABLE_COMMONCRYPTO=OFF -DENABLE_GNUTLS=OFF -DENABLE_MBEDTLS=OFF -DENABLE_OPENSSL=OFF -DENABLE_BZIP2=OFF
			-DENABLE_LZMA=OFF -DENABLE_ZSTD=OFF -DBUILD_TOOLS=OFF -DBUILD_REGRESS=OFF -DBUILD_EXAMPLES=OFF -DBUILD_DOC=OFF
			-DZLIB_LIBRARY="$prefix/lib/libz.a" -DZLIB_INCLUDE_DIR="$prefix/include") ;;
		esac
		if [ "$name" = zlib ]; then # whose CMake files want what Debian leaves out
			rm -rf "$prefix/build/zlib"
			mkdir -p "$prefix/build"
			cp -R "$sources/zlib" "$prefix/build/zlib"
			(cd "$prefix/build/zlib" && CFLAGS='-O2 -fPIC' ./configure --static --prefix="$prefix" && make install) || return 1
			continue
		fi
		source=$sources/$name
		[ -e "$source/CMakeLists.txt" ] || source=$source/$name
		cmake -S "$source" -B "$prefix/build/$name" "${options[@]}" && cmake --build "$prefix/build/$name" &&
			cmake --install "$prefix/build/$name" || return 1
	done
}

case ${1:-} in
fetch)
	[ $# -eq 2 ] || die "libraries: fetch FOLDER"
	mkdir -p "$2"
	fetch "$(realpath "$2")" || die "libraries: the sources cannot be had"
	;;
build)
	[ $# -eq 3 ] || die "libraries: build FOLDER PREFIX"
	mkdir -p "$3"
	build_all "$(realpath "$2")" "$(realpath "$3")" || die "libraries: $name cannot be built"
	;;
*) die "libraries: 'fetch FOLDER' or 'build FOLDER PREFIX'" ;;
esac
