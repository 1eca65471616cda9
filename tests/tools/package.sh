#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# package.sh BUILD SOURCE: other projects use the library, installed and as a part of themselves; what was installed is
# removed again; and the scripts build elsewhere than in the source tree.

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

option() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
is_on() { [[ $(option "$1") =~ ^(ON|1|TRUE|YES)$ ]]; }

# Installed, and found by a project in C and by one that knows no C.
prefix=$work/usr
quietly cmake --install "$build" --prefix "$prefix"
project c C c 'find_package( dualbvh 0.2 REQUIRED COMPONENTS library )'
project cpp CXX cpp 'find_package( dualbvh 0.2 REQUIRED COMPONENTS cpp )
add_executable( hpp user.cpp )
target_compile_definitions( hpp PRIVATE WITH_HPP )
target_link_libraries( hpp PRIVATE dualbvh::cpp )'
cat >>"$work/cpp/user.cpp" <<'TEXT'
#ifdef WITH_HPP
#include <dualbvh/dualbvh.hpp>
static_assert( __cplusplus >= 201703L && sizeof( dualbvh::Tree ) == sizeof( void * ), "" );
#endif
TEXT
programs=(c/build/user cpp/build/user cpp/build/hpp)
if is_on DUALBVH_SHARED_TOO; then
	# Both forms in one project, and the command.
	project both C c 'find_package( dualbvh 0.2 REQUIRED COMPONENTS library shared )
add_executable( shared user.c )
target_link_libraries( shared PRIVATE dualbvh::shared )'
	programs+=(both/build/user both/build/shared)
fi
if is_on DUALBVH_IO; then
	# Files of scenes, by the static and by the shared component, where both were built.
	project io "C CXX" c 'find_package( dualbvh 0.2 REQUIRED COMPONENTS library io OPTIONAL_COMPONENTS io_shared )
add_executable( load load.c )
target_link_libraries( load PRIVATE dualbvh::io )
if( TARGET dualbvh::io_shared )
	add_executable( load_shared load.c )
	target_link_libraries( load_shared PRIVATE dualbvh::io_shared )
endif()'
	cat >"$work/io/load.c" <<'TEXT'
#include <dualbvh/io/load.h>

int main( int argc, char **argv ) {
	const char *file = argv[argc - 1];
	dbvh_loaded *loaded;
	if ( dbvh_scene_load( &file, 1, NULL, &loaded, NULL ) != DBVH_OK )
		return 1;
	const size_t count = dbvh_loaded_count( loaded, DBVH_LOADED_KIND_BODY );
	dbvh_loaded_destroy( loaded );
	return count == 1 ? 0 : 1;
}
TEXT
fi
if is_on DUALBVH_TOOLS; then
	project command C c 'find_package( dualbvh 0.2 REQUIRED COMPONENTS library command )
add_custom_target( version ALL COMMAND dualbvh::command --version )'
fi
if [ -f "$build/tools/manual/help.txt" ]; then
	for file in man/man1/dualbvh-check.1 bash-completion/completions/dualbvh zsh/site-functions/_dualbvh fish/vendor_completions.d/dualbvh.fish; do
		[ -s "$prefix/share/$file" ] || fail "$file is not installed"
	done
fi
for name in c cpp both io command; do
	[ -d "$work/$name" ] || continue
	configure "$name" -DCMAKE_PREFIX_PATH="$prefix"
	quietly cmake --build "$work/$name/build"
done
for program in "${programs[@]}"; do
	"$work/$program" || fail "$program does not do what it should"
done
for program in load load_shared; do
	[ ! -e "$work/io/build/$program" ] || "$work/io/build/$program" "$source/data/cube.obj" ||
		fail "$program does not load a file"
done
if [ -d "$work/both" ]; then
	readelf -d "$work/both/build/shared" | grep -q 'NEEDED.*libdualbvh\.so\.' || fail "dualbvh::shared is not shared"
	readelf -d "$work/both/build/user" | grep -q 'NEEDED.*libdualbvh' && fail "dualbvh::dualbvh is not static"
fi
project none C c 'find_package( dualbvh REQUIRED COMPONENTS nonsense )'
cmake -S "$work/none" -B "$work/none/build" -G "$generator" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null 2>&1 &&
	fail "there is a component nonsense"

# Found by pkg-config: with what is there, and statically, as the options of the compiler.
compiler=$(option CMAKE_C_COMPILER)
if command -v pkg-config >/dev/null; then
	libdir=$(dirname "$(find "$prefix" -name dualbvh.pc)")
	export PKG_CONFIG_PATH=$libdir
	[ "$(pkg-config --modversion dualbvh)" = "$(sed -n 's/^set(PACKAGE_VERSION "\(.*\)")/\1/p' "$libdir/../cmake/dualbvh/dualbvhConfigVersion.cmake")" ] ||
		fail "the versions of pkg-config and of CMake differ"
	# shellcheck disable=SC2046 # these are words
	quietly "$compiler" "$work/c/user.c" -o "$work/with_pc" $(pkg-config --cflags --libs dualbvh)
	LD_LIBRARY_PATH=$libdir/.. "$work/with_pc" || fail "the program that pkg-config says how to build does not do what it should"
	# shellcheck disable=SC2046
	quietly "$compiler" "$work/c/user.c" -o "$work/with_pc_static" $(pkg-config --cflags --static --libs dualbvh | sed 's/-ldualbvh/-l:libdualbvh.a/')
	"$work/with_pc_static" || fail "the same with the static library"
fi

if command -v pkg-config >/dev/null && [ -f "$libdir/dualbvh-io.pc" ]; then
	# shellcheck disable=SC2046
	quietly "$compiler" "$work/io/load.c" -o "$work/io_with_pc" $(pkg-config --cflags --libs dualbvh-io)
	LD_LIBRARY_PATH=$libdir/.. "$work/io_with_pc" "$source/data/cube.obj" || fail "the program that pkg-config builds loads no file"
fi

# Removed again, to the last file and folder of ours.
quietly cmake --build "$build" --target uninstall
left=$(find "$prefix" ! -type d -o -name 'dualbvh*')
[ -z "$left" ] || fail "still there after the uninstallation: $left"

# As a part of another project, whose build type is its own affair. (Building it all again would take too long.)
project part CXX cpp "add_subdirectory( $source dualbvh )"
configure part -DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON
[ -z "$(build_type part)" ] || fail "the parent project's build type became $(build_type part)"
configure part -DCMAKE_BUILD_TYPE=Debug
[ "$(build_type part)" = Debug ] || fail "the parent project's build type became $(build_type part)"

# Fetched, in one step: the library alone, without tests and command, and without what these need.
project fetched C c "include( FetchContent )
FetchContent_Declare( dualbvh SOURCE_DIR $source )
FetchContent_MakeAvailable( dualbvh )"
configure fetched -DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON
targets=$(cmake --build "$work/fetched/build" --target help)
grep -q 'dualbvh' <<<"$targets" || fail "there is no library in what was fetched"
! grep -qE '\b(test_|example_|dualbvh_(command|bench|scene|shared)\b)' <<<"$targets" || fail "more than the library was fetched"
! grep -qi 'cmocka\|jansson\|no expat' "$work/log" || fail "what was fetched looks for what it does not need"

# The benchmark without the tests has all that it links. (Building it takes too long: what CMake knows as no target of the
# project it leaves to the linker to find.)
if [ "$generator" = Ninja ]; then
	quietly cmake -S "$source" -B "$work/bench" -G "$generator" -DDUALBVH_TESTS=OFF -DDUALBVH_BENCH=ON
	grep -q '^build bin/dualbvh-bench:' "$work/bench/build.ninja" || fail "the benchmark is left out without the tests"
	! grep -E '^ *LINK_LIBRARIES = .* -l[a-z]+_' "$work/bench/build.ninja" || fail "the benchmark links what only the tests have"
fi

# Elsewhere: nothing is written to the source tree, here a copy of it.
mkdir "$work/source"
tar -C "$source" --exclude='./build*' --exclude=./.git -cf - . | tar -C "$work/source" -xf -
touch "$work/copied"
BUILD_DIR=$work/elsewhere quietly bash -c '. "$1/scripts/lib/setup.sh" && build release headers_c17' - "$work/source"
[ -f "$work/elsewhere/release/CMakeCache.txt" ] || fail "BUILD_DIR is not where the build is"
written=$(find "$work/source" -newer "$work/copied")
[ -z "$written" ] || fail "the source tree was written to: $written"

echo "programs in C and C++ find the installed library by CMake and pkg-config, static and shared, build and run; it is" \
	"uninstalled without a trace, and fetched alone; a parent's build type stays; BUILD_DIR is kept to"
