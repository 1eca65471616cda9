#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# The check of static names must pass a good tree and name each violation put into it.
#
#   names_selftest.sh LINT

set -euo pipefail
lint=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/src/a/b "$tree"/tools/lint
failed=0

must_fail() { # what is expected in the output
	if output=$(bash "$lint" "$tree"); then
		echo "FAIL: not noticed: $1"
		failed=1
	elif [[ $output != *"$1"* ]]; then
		printf 'FAIL: instead of "%s":\n%s\n' "$1" "$output"
		failed=1
	fi
}

: >"$tree"/tools/lint/names.txt
printf 'static int one( void ) {\n}\nstatic int table[] = { one( 1 ) };\n' >"$tree"/src/a/x.c
printf 'static int two( int one );\nLANES_INLINE int two( int one ) {\n}\n' >"$tree"/src/a/y.c
printf 'static int one( void ) {\n}\n' >"$tree"/src/a/b/x.c
bash "$lint" "$tree" >"$tree"/log || { echo "FAIL: a good tree"; cat "$tree"/log; failed=1; }
printf 'static __attribute__( ( noinline ) ) int *one( void ) {\n}\n' >>"$tree"/src/a/y.c
must_fail "src/a one: x.c y.c"
echo "src/a one" >"$tree"/tools/lint/names.txt
bash "$lint" "$tree" >"$tree"/log || { echo "FAIL: a name that is allowed"; cat "$tree"/log; failed=1; }
echo "src/a/b one" >>"$tree"/tools/lint/names.txt
must_fail '"src/a/b one" is not needed any more'
exit $failed
