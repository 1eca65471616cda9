#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# format.sh FOLDER: is every C and C++ file as .clang-format says? It is clang-format 14 that is asked, because versions
# differ: without it the check is skipped (exit status 77).

set -euo pipefail
cd "$1"

program=
for name in clang-format-14 clang-format; do
	if command -v "$name" >/dev/null && "$name" --version | grep -q 'version 14\.'; then
		program=$name
		break
	fi
done
if [ -z "$program" ]; then
	echo "format: skipped, there is no clang-format 14 (Debian: clang-format-14)"
	exit 77
fi

mapfile -t files < <(find src include tests tools bench examples -type f \
	\( -name '*.c' -o -name '*.h' -o -name '*.inl' -o -name '*.cpp' \) -not -path '*/corpus/*' | sort)
wrong=$(printf '%s\0' "${files[@]}" | xargs -0 -n 40 -P "$(nproc)" "$program" --dry-run -Werror 2>&1 |
	sed -nE 's/^([^:]+):[0-9]+:.*/\1/p' | sort | uniq -c || true)
if [ -n "$wrong" ]; then
	echo "These are not as clang-format has them; '$program -i' puts them right:"
	echo "$wrong"
	exit 1
fi
echo "format: ${#files[@]} files"
