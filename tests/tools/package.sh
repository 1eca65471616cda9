#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# package.sh BUILD: installs the build somewhere, and builds and runs a program that finds it there with find_package().

set -euo pipefail
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/usr" >/dev/null
mkdir "$work/user"
cat >"$work/user/CMakeLists.txt" <<'TEXT'
cmake_minimum_required( VERSION 3.20 )
project( user LANGUAGES C )
find_package( dualbvh 0.1 REQUIRED )
add_executable( user user.c )
target_link_libraries( user PRIVATE dualbvh::dualbvh )
TEXT
cat >"$work/user/user.c" <<'TEXT'
#include <dualbvh/dualbvh.h>

int main( void ) {
	const double corners[9] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
	bool meet = false;
	return dbvh_triangles_meet( corners, corners, NULL, &meet ) == DBVH_OK && meet ? 0 : 1;
}
TEXT
cmake -S "$work/user" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/usr" >/dev/null
cmake --build "$work/build" >/dev/null
"$work/build/user"
echo "a program finds the installed library, builds and runs"
