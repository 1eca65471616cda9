#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# The check of the layer of the operating system must pass a good tree and name each violation put into it.
#
#   system_selftest.sh SYSTEM

set -euo pipefail
lint=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failed=0

put() { # file, lines...
	local file=$tree/$1
	shift
	printf '%s\n' "$@" >"$file"
}

fresh() {
	rm -rf "${tree:?}"/*
	mkdir -p "$tree"/src/base "$tree"/io/formats "$tree"/tools/{os,cli} "$tree"/include/dualbvh
	put src/base/os.h '#include <stdio.h>'
	put src/base/os_posix.c '#define _GNU_SOURCE' '#include <unistd.h>' '#if defined( __linux__ )' '	rename( from, to );'
	put src/base/os_windows.h '#include <windows.h>'
	put src/base/parallel.c '#include <omp.h>' '#include <stdatomic.h>' '#ifdef _OPENMP'
	put src/base/a.c '// as fopen( path ) of __linux__ does' '#include <immintrin.h>' 'dbvhi_os_remove( path );' 'p->remove( x );' 'x = vf_fma( a, b, __builtin_fma( a, dbvhi_fma( c, d, e ), f ) );'
	put tools/os/os_posix.c '#include <sys/ioctl.h>' '#if defined( __APPLE__ )'
	put tools/cli/a.c '#include <zip.h>' '#include <cglm/vec3.h>' '#include "os/os.h"'
	put io/formats/step.cpp '#include <unistd.h>' '#include <vector>'
	put include/dualbvh/base.h '#if defined( DBVH_SHARED ) && defined( _WIN32 )'
}

must_fail() { # what is expected in the output
	if output=$(bash "$lint" "$tree" 2>/dev/null); then
		echo "FAIL: not noticed: $1"
		failed=1
	elif [[ $output != *"$1"* ]] || [ "$(wc -l <<<"$output")" -ne 1 ]; then
		printf 'FAIL: instead of "%s" alone:\n%s\n' "$1" "$output"
		failed=1
	fi
}

fresh
if ! bash "$lint" "$tree" >/dev/null; then
	echo "FAIL: a good tree is refused"
	failed=1
fi
fresh; put src/base/b.c '#include <unistd.h>';                        must_fail 'src/base/b.c:1: <unistd.h>'
fresh; put src/base/b.c ' #  include <sys/mman.h>';                   must_fail '<sys/mman.h>'
fresh; put tools/cli/b.h '#include <windows.h>';                      must_fail 'tools/cli/b.h:1: <windows.h>'
fresh; put include/dualbvh/a.h '#include <pthread.h>';                must_fail '<pthread.h>'
fresh; put src/base/b.c '#if defined( _WIN32 )';                      must_fail '_WIN32 asks'
fresh; put src/base/b.inl '#ifdef __APPLE__';                         must_fail '__APPLE__ asks'
fresh; put tools/cli/b.c '#define _POSIX_C_SOURCE 200809L';           must_fail '_POSIX_C_SOURCE asks'
fresh; put src/base/CMakeLists.txt 'definitions( _GNU_SOURCE )';      must_fail 'CMakeLists.txt:1: _GNU_SOURCE asks'
fresh; put include/dualbvh/base.h '#if defined( __linux__ )';         must_fail '__linux__ asks'
fresh; put tools/cli/b.c '	FILE *f = fopen( path, "rb" );';          must_fail 'fopen() takes no UTF-8'
fresh; put tools/cli/b.c '	remove( path );';                         must_fail 'remove() takes no UTF-8'
fresh; put src/base/b.c 'if( rename( a, b ) )';                       must_fail 'rename() takes no UTF-8'
fresh; put src/base/b.c '	return -fma( a, b, c );';                  must_fail 'b.c:1: fma() rounds twice'
fresh; put tools/cli/b.c '	x = fmaf( a, b, c );';                    must_fail 'b.c:1: fma() rounds twice'

[ "$failed" -eq 0 ] && echo "system_selftest: every violation was named"
exit "$failed"
