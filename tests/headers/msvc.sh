#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# The public headers by the rules of Microsoft's compiler, as far as clang knows them: each header in C11, C17 and C++17, as a
# caller of the DLL has them, and dualbvh.hpp over the C++ library of mingw-w64, where that is there. cl itself has not
# seen them.
#
#   msvc.sh INCLUDE      status 77: there is no clang

set -euo pipefail
include=$(realpath "$1")
if ! command -v clang >/dev/null; then
	echo "msvc: no clang"
	exit 77
fi
target=(--target=x86_64-pc-windows-msvc -fms-compatibility -fms-extensions -fdelayed-template-parsing
	-fms-compatibility-version=19.29 -Wall -Wextra -Werror -fsyntax-only -D DBVH_SHARED -I "$include")
wrong=0 seen=0

# compiles WHAT OPTION...: what is on standard input.
compiles() {
	local what=$1
	shift
	seen=$((seen + 1))
	if ! clang "${target[@]}" "$@" -; then
		wrong=$((wrong + 1))
		echo "$what does not compile"
	fi
}

for header in "$include"/dualbvh/*.h; do
	name=dualbvh/${header##*/}
	[ "$name" != dualbvh/cglm.h ] || continue # includes cglm, which has rules of its own
	for standard in c11 c17 c++17; do
		language=c
		[ $standard != c++17 ] || language=c++
		compiles "$name in $standard" -pedantic -std=$standard -x $language <<<"#include \"$name\""
	done
done

# The library says that it is for GCC, and wants its builtins.
library=$(x86_64-w64-mingw32-g++-win32 -print-file-name=include/c++ 2>/dev/null || true)
system=/usr/share/mingw-w64/include
if [ -d "$library" ] && [ -d $system ]; then
	over=(-fgnuc-version=12.2.0 '-Wno-#warnings' -std=c++17 -nostdinc -isystem "$library" -isystem "$library/x86_64-w64-mingw32"
		-isystem "$(clang -print-resource-dir)/include" -isystem "$system" -x c++)
	compiles dualbvh.hpp "${over[@]}" <<<'#include "dualbvh/dualbvh.hpp"'
	compiles 'dualbvh.hpp with exceptions' -fcxx-exceptions -fexceptions -D DUALBVH_EXCEPTIONS "${over[@]}" \
		<<<'#include "dualbvh/dualbvh.hpp"'
else
	echo "there is no mingw-w64: dualbvh.hpp is left out"
fi
# clang takes these of GCC all the same.
if grep -rnE '__(attribute|builtin|extension|typeof)' "$include/dualbvh" | grep -v 'DBVH_API __attribute__\|^[^:]*:[0-9]*:///'; then
	wrong=$((wrong + 1))
	echo "cl knows no words of GCC"
fi
echo "msvc: $seen compilations, $wrong wrong"
[ $wrong -eq 0 ]
