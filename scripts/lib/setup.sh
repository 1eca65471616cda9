# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Sourced by scripts/demo and scripts/test: goes to the project's top folder, and installs what is missing.

cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 2

say() { printf '\n== %s\n' "$*"; }

die() {
	printf '%s\n' "$*" >&2
	exit 2
}

# Can this header be compiled? It counts as missing where there is no compiler yet.
has_header() {
	command -v cc >/dev/null &&
		printf '#include <stddef.h>\n#include <setjmp.h>\n#include <stdarg.h>\n#include <stdint.h>\n#include <%s>\n' "$1" |
		cc -E -x c - >/dev/null 2>&1
}

has_libfuzzer() {
	command -v clang >/dev/null && echo 'int LLVMFuzzerTestOneInput(const unsigned char *d, unsigned long n) { return 0 * d[n]; }' |
		clang -fsanitize=fuzzer,address,undefined -x c - -o /dev/null 2>/dev/null
}

# What is missing, as names of Debian packages.
missing_packages() {
	command -v cmake >/dev/null || echo cmake
	command -v ninja >/dev/null || echo ninja-build
	command -v gcc >/dev/null || echo gcc
	command -v g++ >/dev/null || echo g++
	has_header stdio.h || echo libc6-dev
	command -v pkg-config >/dev/null || echo pkg-config
	has_header cglm/cglm.h || echo libcglm-dev
	has_header gmp.h || echo libgmp-dev
	has_header cmocka.h || echo libcmocka-dev
	if [ "${1:-}" = with-fuzzing ] && ! has_libfuzzer; then
		printf '%s\n' clang libclang-rt-14-dev libfuzzer-14-dev
	fi
}

# install_missing [with-fuzzing]
install_missing() {
	local missing run=()
	mapfile -t missing < <(missing_packages "$@")
	[ ${#missing[@]} -gt 0 ] || return 0
	command -v apt-get >/dev/null ||
		die "These are missing, and there is no apt-get to install them (names as in Debian 12): ${missing[*]}"
	if [ "$(id -u)" -ne 0 ]; then
		command -v sudo >/dev/null || die "These are missing; install them as root: ${missing[*]}"
		run=(sudo)
	fi
	say "Installing ${missing[*]}"
	"${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq
	"${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
	mapfile -t missing < <(missing_packages "$@")
	[ ${#missing[@]} -eq 0 ] || die "Still missing after the installation: ${missing[*]}"
}

# build PRESET [TARGET...]: configures and builds into build/PRESET. Quiet unless something goes wrong.
build() {
	local preset=$1 log
	shift
	say "Building build/$preset"
	log=$(mktemp)
	if ! { cmake --preset "$preset" -G Ninja && cmake --build "build/$preset" ${1:+--target "$@"}; } >"$log" 2>&1; then
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
