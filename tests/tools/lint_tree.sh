# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Sourced by selftests of lints: an empty tree that goes with the test, and how to put files into it.

# shellcheck disable=SC2034 # for those that source this
failed=0
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

put() { # file, lines...
	local file=$tree/$1
	shift
	mkdir -p "$(dirname "$file")"
	printf '%s\n' "$@" >"$file"
}
