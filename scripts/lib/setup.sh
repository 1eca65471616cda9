# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Sourced by the scripts: goes to the project's top folder, and installs what is missing. Everything is built under
# $BUILD_DIR, which is build/ unless the environment names another folder; the source tree may be read-only then.

BUILD_DIR=$(realpath -m "${BUILD_DIR:-$(dirname "${BASH_SOURCE[0]}")/../../build}")
export BUILD_DIR
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 2

say() { printf '\n== %s\n' "$*"; }

die() {
	printf '%s\n' "$*" >&2
	exit 2
}

# A path as the user would type it: from the top folder where it lies under that.
shown_path() { echo "${1#"$PWD/"}"; }

# Can this header be compiled? It counts as missing where there is no compiler yet.
has_header() {
	command -v cc >/dev/null &&
		printf '#include <stddef.h>\n#include <setjmp.h>\n#include <stdarg.h>\n#include <stdint.h>\n#include <%s>\n' "$1" |
		cc -E -x c - >/dev/null 2>&1
}

# has_clang_runtime SANITIZERS: can clang link a program with them?
has_clang_runtime() {
	command -v clang >/dev/null && echo 'int LLVMFuzzerTestOneInput(const unsigned char *d, unsigned long n) { return 0 * d[n]; }' |
		clang "-fsanitize=$1" -x c - -o /dev/null 2>/dev/null
}

has_clang_openmp() {
	command -v clang >/dev/null &&
		printf '#include <omp.h>\nint main( void ) { return omp_in_parallel(); }\n' | clang -fopenmp -x c - -o /dev/null 2>/dev/null
}

# Can extension modules be compiled for python3?
has_python_header() {
	python3 -c 'import os, sysconfig; os.stat( os.path.join( sysconfig.get_path( "include" ), "Python.h" ) )' 2>/dev/null
}

clang_format_is_14() { command -v clang-format >/dev/null && clang-format --version | grep -q 'version 14\.'; }

# What is missing, as names of Debian packages, without a version where any will do; each word asks for more than build
# and test need. A question mark behind a name: some systems have none or cannot get it, and what needs it is skipped there.
missing_packages() {
	command -v cmake >/dev/null || echo cmake
	command -v ninja >/dev/null || echo ninja-build
	command -v gcc >/dev/null || echo gcc
	command -v g++ >/dev/null || echo g++
	has_header stdio.h || echo libc6-dev
	command -v pkg-config >/dev/null || echo pkg-config
	has_header gmp.h || echo libgmp-dev
	has_header cmocka.h || echo libcmocka-dev
	has_header cglm/cglm.h || echo libcglm-dev
	has_header jansson.h || echo libjansson-dev
	has_header expat.h || echo libexpat1-dev
	has_header zip.h || echo libzip-dev
	has_header zlib.h || echo zlib1g-dev
	has_header meshoptimizer.h || echo "libmeshoptimizer-dev?"
	has_header draco/draco_features.h || echo "libdraco-dev?"
	local word
	for word in "$@"; do
		case $word in
		with-clang) command -v clang >/dev/null || echo clang ;;
		with-fuzzing) has_clang_runtime fuzzer,address,undefined || printf '%s\n' clang libclang-rt-dev ;;
		with-clang-openmp) has_clang_openmp || printf '%s\n' clang libomp-dev ;;
		with-format)
			command -v clang-format-14 >/dev/null || clang_format_is_14 || echo "clang-format-14?"
			command -v shellcheck >/dev/null || echo "shellcheck?"
			;;
		with-python)
			command -v python3 >/dev/null || echo "python3?"
			python3 -c 'import ensurepip' 2>/dev/null || echo "python3-venv?"
			has_python_header || echo "python3-dev?"
			;;
		with-node)
			command -v node >/dev/null || echo "nodejs?"
			command -v npm >/dev/null || echo "npm?"
			;;
		with-browser) command -v chromium >/dev/null || echo "chromium?" ;;
		with-windows)
			command -v x86_64-w64-mingw32-gcc-win32 >/dev/null || printf '%s\n' "gcc-mingw-w64-x86-64-win32?" "g++-mingw-w64-x86-64-win32?"
			command -v wine >/dev/null || printf '%s\n' "wine64?" "wine?"
			command -v m4 >/dev/null || echo "m4?"
			command -v make >/dev/null || echo "make?"
			;;
		with-gnuplot) command -v gnuplot >/dev/null || echo gnuplot-nox ;;
		with-valgrind) command -v valgrind >/dev/null || echo "valgrind?" ;;
		with-tidy)
			command -v clang-tidy >/dev/null || echo clang-tidy
			command -v scan-build >/dev/null || echo clang-tools
			;;
		with-*) die "nothing is known of $word" ;;
		esac
	done
}

# install_packages NAME...: by apt, as root or with sudo.
install_packages() {
	local run=() name needed=()
	for name in "$@"; do [ "$name" != "${name%\?}" ] || needed+=("$name"); done
	[ "$(id -u)" -eq 0 ] || run=(sudo)
	if ! command -v apt-get >/dev/null || { [ ${#run[@]} -gt 0 ] && ! command -v sudo >/dev/null; }; then
		[ ${#needed[@]} -eq 0 ] ||
			die "These are missing (names as in Debian), and only root can install them, with apt-get: ${needed[*]}"
		echo "There is no ${*//\?/} to be had: what needs it is skipped"
		return 0
	fi
	say "Installing ${*//\?/}"
	"${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq || echo "apt-get update failed"
	[ ${#needed[@]} -eq 0 ] || "${run[@]}" env DEBIAN_FRONTEND=noninteractive \
		apt-get install -y -qq --no-install-recommends "${needed[@]}" >/dev/null
	for name in "$@"; do
		[ "$name" = "${name%\?}" ] || "${run[@]}" env DEBIAN_FRONTEND=noninteractive \
			apt-get install -y -qq --no-install-recommends "${name%\?}" >/dev/null 2>&1 ||
			echo "There is no ${name%\?} to be had: what needs it is skipped"
	done
}

# install_missing [with-...]...
install_missing() {
	local missing
	mapfile -t missing < <(missing_packages "$@")
	# Does apt know by now what there is? Then do not ask again for what there is not.
	if compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null; then
		local name
		for name in "${!missing[@]}"; do
			[[ ${missing[name]} != *\? ]] || apt-cache show "${missing[name]%\?}" >/dev/null 2>&1 || unset "missing[$name]"
		done
	fi
	[ ${#missing[@]} -gt 0 ] || return 0
	install_packages "${missing[@]}"
	mapfile -t missing < <(missing_packages "$@" | grep -v '?$')
	[ ${#missing[@]} -eq 0 ] || die "Still missing after the installation: ${missing[*]}"
}

# build_time PRESET: how long a first build takes, in words. Roughly: from the processor time of gcc 12 to 14.
build_time() {
	[ ! -e "$BUILD_DIR/$1/build.ninja" ] || return 0
	case $1 in
	release | no-openmp | tsan) echo ' (about 3 minutes on two cores)' ;;
	*) echo ' (about 6 minutes on two cores)' ;;
	esac
}

# build PRESET [TARGET...]: configures and builds into $BUILD_DIR/PRESET. Quiet unless something goes wrong. Warnings are
# errors where CI says so, and nowhere else: a newer compiler or library that warns must not stop a user.
build() {
	local preset=$1 log
	shift
	say "Building $(shown_path "$BUILD_DIR/$preset")$(build_time "$preset")"
	log=$(mktemp)
	if ! { cmake --preset "$preset" -G Ninja -B "$BUILD_DIR/$preset" -DDUALBVH_WERROR="${CI:+ON}" &&
		cmake --build "$BUILD_DIR/$preset" ${1:+--target "$@"}; } >"$log" 2>&1; then
		# From the first mistake on; without one, the end.
		if grep -q '^FAILED:\|CMake Error' "$log"; then
			sed -n '/^FAILED:\|CMake Error/,$p' "$log" | head -n 60
		else
			tail -n 30 "$log"
		fi
		rm -f "$log"
		return 1
	fi
	rm -f "$log"
}

# Are there node and npm, new enough?
has_node() {
	command -v npm >/dev/null && command -v node >/dev/null &&
		[ "$(node -p 'process.versions.node.split(".")[0]' 2>/dev/null || echo 0)" -ge 18 ]
}

# build_viewer [--check]: the page of scripts/viewer. Says in a sentence why where it cannot, and fails.
build_viewer() {
	local folder=$BUILD_DIR/viewer page=$BUILD_DIR/viewer/viewer.html
	if [ -e "$page" ] && [ -z "${1:-}" ] && [ -z "$(find viewer -newer "$page" -type f -not -path '*/node_modules/*' -print -quit)" ]; then
		return 0
	fi
	if ! has_node; then
		echo "The page of 'dualbvh view' is not built: it needs node 18 or newer, and npm ('apt-get install nodejs npm')"
		return 1
	fi
	say "Building $(shown_path "$page")"
	mkdir -p "$folder/source"
	cp -R viewer/. "$folder/source"
	if ! cmp -s viewer/package-lock.json "$folder/installed" &&
		! { (cd "$folder/source" && npm ci --no-audit --no-fund --ignore-scripts) >"$folder/npm.log" 2>&1 &&
			cp viewer/package-lock.json "$folder/installed"; }; then
		echo "The page of 'dualbvh view' is not built: npm cannot install what it needs ($(shown_path "$folder/npm.log"))"
		return 1
	fi
	if [ -n "${1:-}" ]; then (cd "$folder/source" && node node_modules/typescript/bin/tsc -p .) || return 1; fi
	if ! node "$folder/source/build.mjs" "$page.new" >"$folder/build.log" 2>&1; then
		tail -n 20 "$folder/build.log"
		echo "The page of 'dualbvh view' is not built: its sources have a mistake ($(shown_path "$folder/build.log"))"
		return 1
	fi
	mv "$page.new" "$page"
}

# find_zig: prints the program zig of the environment, or of a virtual environment that is made for it.
find_zig() {
	local venv=$BUILD_DIR/web/venv
	if [ -n "${ZIG:-}" ]; then
		echo "$ZIG"
		return
	fi
	if ! cmp -s js/requirements.txt "$venv/installed"; then
		{ python3 -m venv "$venv" && "$venv/bin/pip" install -q --retries 0 --timeout 15 -r js/requirements.txt &&
			cp js/requirements.txt "$venv/installed"; } >"$BUILD_DIR/web/pip.log" 2>&1 || return 1
	fi
	"$venv/bin/python" -c 'import os, ziglang; print(os.path.join(os.path.dirname(ziglang.__file__), "zig"))'
}

# build_wasm FOLDER SIMD: the WebAssembly module in $BUILD_DIR/web/FOLDER/bin.
build_wasm() {
	cmake -S . -B "$BUILD_DIR/web/$1" -G Ninja -D CMAKE_TOOLCHAIN_FILE="$PWD/cmake/toolchains/wasi.cmake" -D "DUALBVH_ZIG=$zig" \
		-D "DUALBVH_WASM_SIMD=$2" -D CMAKE_BUILD_TYPE=Release -D DUALBVH_WEB=ON -D DUALBVH_POLICIES=OFF -D DUALBVH_TOOLS=OFF \
		-D DUALBVH_TESTS=OFF -D DUALBVH_BENCH=OFF -D DUALBVH_INSTALL=OFF -D DUALBVH_SHARED_TOO=OFF -D DUALBVH_HARDENING=OFF \
		-D DUALBVH_OPENMP=OFF &&
	cmake --build "$BUILD_DIR/web/$1" --target dualbvh_web dualbvh_web_core dualbvh_web_answers
}

# build_web: the package of scripts/web. Says in a sentence why where it cannot, and fails; $BUILD_DIR/web/is-wrong is
# there then if the sources are the reason.
build_web() {
	local folder=$BUILD_DIR/web package=$BUILD_DIR/web/package zig
	rm -f "$folder/is-wrong"
	if ! has_node; then
		echo "The npm package is not built: it needs node 18 or newer, and npm ('apt-get install nodejs npm')"
		return 1
	fi
	say "Building $(shown_path "$package")"
	mkdir -p "$package"
	if ! zig=$(find_zig); then
		echo "The npm package is not built: pip cannot install zig ($(shown_path "$folder/pip.log")), and ZIG names none"
		return 1
	fi
	if ! { build_wasm simd ON && build_wasm scalar OFF; } >"$folder/cmake.log" 2>&1; then
		tail -n 40 "$folder/cmake.log"
		touch "$folder/is-wrong"
		echo "The npm package is not built: the module has a mistake ($(shown_path "$folder/cmake.log"))"
		return 1
	fi
	cp -R js/. "$package"
	mkdir -p "$package/examples"
	cp -R examples/web/. "$package/examples"
	cp -R playground "$package"
	cp LICENSE "$package"
	if ! cmp -s js/package-lock.json "$folder/installed" &&
		! { (cd "$package" && npm ci --no-audit --no-fund --ignore-scripts) >"$folder/npm.log" 2>&1 &&
			cp js/package-lock.json "$folder/installed"; }; then
		echo "The npm package is not built: npm cannot install what it needs ($(shown_path "$folder/npm.log"))"
		return 1
	fi
	if ! node "$package/build.mjs" "$folder"/simd/bin/dualbvh_web{,_core}.wasm "$folder/scalar/bin/dualbvh_web.wasm"; then
		touch "$folder/is-wrong"
		echo "The npm package is not built: its sources have a mistake"
		return 1
	fi
	if ! { (cd "$package" && node node_modules/typescript/bin/tsc -p playground) &&
		node "$package/playground/build.mjs" "$folder/playground.html"; }; then
		touch "$folder/is-wrong"
		echo "The playground is not built: its sources have a mistake"
		return 1
	fi
}

passed=0
failed=0

# run_ctest PRESET [OPTION...]: runs the tests of a build and adds their numbers to the sums.
run_ctest() {
	local preset=$1 log line total bad
	shift
	say "Testing $(shown_path "$BUILD_DIR/$preset")"
	log=$(mktemp)
	# The numbers come from the log: ctest's own status says no more.
	ctest --test-dir "$BUILD_DIR/$preset" -j "$(nproc)" --output-on-failure --no-tests=error "$@" 2>&1 | tee "$log" || true
	line=$(grep -E 'tests failed out of [0-9]+$' "$log" || true)
	rm -f "$log"
	if [ -z "$line" ]; then
		step_failed "ctest in $(shown_path "$BUILD_DIR/$preset")"
		return
	fi
	total=${line##* }
	bad=$(sed -E 's/.*, ([0-9]+) tests failed.*/\1/' <<<"$line")
	passed=$((passed + total - bad))
	failed=$((failed + bad))
}

# A step that is no test of its own (a build) has failed.
step_failed() {
	failed=$((failed + 1))
	echo "FAILED: $*"
}

# The closing line; fails where anything did.
finish() {
	echo
	echo "$passed passed, $failed failed"
	[ "$failed" -eq 0 ]
}
