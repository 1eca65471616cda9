#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# package.sh BUILD SOURCE: other projects use the library, installed and as a part of themselves, and the scripts build
# elsewhere than in the source tree.

set -euo pipefail
build=$1
source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

generator=$(sed -n 's/^CMAKE_GENERATOR:INTERNAL=//p' "$build/CMakeCache.txt")

fail() {
	echo "package: $*" >&2
	exit 1
}

# quietly COMMAND...: what it says is shown only where it fails.
quietly() {
	"$@" >"$work/log" 2>&1 || {
		cat "$work/log"
		fail "$1 failed"
	}
}

# project NAME LANGUAGE SUFFIX HOW: a program in that language, which gets at the library by the CMake command HOW.
project() {
	mkdir "$work/$1"
	cat >"$work/$1/CMakeLists.txt" <<TEXT
cmake_minimum_required( VERSION 3.21 )
project( user LANGUAGES $2 )
$4
add_executable( user user.$3 )
target_link_libraries( user PRIVATE dualbvh::dualbvh )
TEXT
	cat >"$work/$1/user.$3" <<'TEXT'
#include <dualbvh/dualbvh.h>

int main() {
	const double corners[9] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
	bool meet = false;
	return dbvh_triangles_intersect( (const dbvh_triangle *)corners, (const dbvh_triangle *)corners, NULL, &meet, NULL ) == DBVH_OK && meet ? 0 : 1;
}
TEXT
}

configure() { # NAME OPTION...
	local name=$1
	shift
	quietly cmake -S "$work/$name" -B "$work/$name/build" -G "$generator" "$@"
}

build_type() { sed -n 's/^CMAKE_BUILD_TYPE:[A-Z]*=//p' "$work/$1/build/CMakeCache.txt"; }

# Installed, and found by a project in C and by one that knows no C.
quietly cmake --install "$build" --prefix "$work/usr"
project c C c 'find_package( dualbvh 0.1 REQUIRED )'
project cpp CXX cpp 'find_package( dualbvh 0.1 REQUIRED )'
for name in c cpp; do
	configure "$name" -DCMAKE_PREFIX_PATH="$work/usr"
	quietly cmake --build "$work/$name/build"
	"$work/$name/build/user" || fail "the program in $name does not do what it should"
done

# As a part of another project, whose build type is its own affair. (Building it all again would take too long.)
project part CXX cpp "add_subdirectory( $source dualbvh )"
configure part
[ -z "$(build_type part)" ] || fail "the parent project's build type became $(build_type part)"
configure part -DCMAKE_BUILD_TYPE=Debug
[ "$(build_type part)" = Debug ] || fail "the parent project's build type became $(build_type part)"

# Elsewhere: nothing is written to the source tree, here a copy of it.
mkdir "$work/source"
tar -C "$source" --exclude='./build*' --exclude=./.git -cf - . | tar -C "$work/source" -xf -
touch "$work/copied"
BUILD_DIR=$work/elsewhere quietly bash -c '. "$1/scripts/lib/setup.sh" && build release headers_c17' - "$work/source"
[ -f "$work/elsewhere/release/CMakeCache.txt" ] || fail "BUILD_DIR is not where the build is"
written=$(find "$work/source" -newer "$work/copied")
[ -z "$written" ] || fail "the source tree was written to: $written"

echo "programs in C and C++ find the installed library, build and run; a parent's build type stays; BUILD_DIR is kept to"
