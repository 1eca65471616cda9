#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# The check of the format must pass a good tree and name each violation put into it, one at a time.
#
#   format_selftest.sh LINT CLANG-FORMAT-FILE

set -euo pipefail
lint=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failed=0

fresh() {
	rm -rf "${tree:?}"/*
	cp "$style" "$tree/.clang-format"
	printf 'int f( int x ) {\n\treturn x;\n}\n' >"$tree/a.c"
	printf 'A line  \n' >"$tree/a.md" # a break in Markdown
	printf 'true\n' >"$tree/a.sh"
}
style=$2

must_fail() { # what is expected in the output; the tree has been spoiled
	local output
	if output=$(bash "$lint" "$tree" 2>/dev/null); then
		if [[ $1 == *clang-format* && $output == *"no clang-format"* ]]; then return; fi
		echo "FAIL: not noticed: $1"
		failed=1
	elif [[ $output != "$1" ]]; then
		printf 'FAIL: instead of "%s":\n%s\n' "$1" "$output"
		failed=1
	fi
}

fresh
if ! bash "$lint" "$tree" >/dev/null; then
	echo "FAIL: a good tree is refused"
	failed=1
fi
fresh; printf 'int f(int x) {\n\treturn x;\n}\n' >"$tree/a.c"; must_fail 'a.c:1: not as .clang-format says'
fresh; printf 'true \n' >"$tree/a.sh";                        must_fail 'a.sh:1: blanks at the end'
fresh; printf 'line\r\n' >"$tree/a.md";                       must_fail 'a.md:1: a carriage return at the end'
fresh; printf 'true' >"$tree/a.sh";                           must_fail 'a.sh: no line end at the end'

[ "$failed" -eq 0 ] && echo "format_selftest: every violation was named"
exit "$failed"
