#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Checks that every source is formatted as .clang-format says, and every text file as .editorconfig says.
#
#   tools/lint/format.sh [ROOT]
#
# Releases of clang-format differ in details, so only the one that formats this project is asked; without it that part is
# left out with a line. Prints one line a violation and exits with 1 where there is any. `clang-format -i FILE` repairs.

set -euo pipefail
export LC_ALL=C

release=14
root=${1:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
cd "$root"
[ -f .clang-format ] || { echo "format: $root has no .clang-format" >&2; exit 2; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if git rev-parse --is-inside-work-tree >/dev/null 2>&1 && [ -e .git ]; then
	git ls-files -co --exclude-standard
else
	find . \( -path ./.git -o -path ./build -o -path './build-*' \) -prune -o -type f -print | sed 's|^\./||'
fi | while IFS= read -r file; do [ -f "$file" ] && echo "$file"; done | sort >"$work/files"

tool=
for name in clang-format-$release clang-format; do
	if command -v $name >/dev/null && $name --version | grep -q "version $release\."; then
		tool=$name
		break
	fi
done
{
	if [ -n "$tool" ]; then
		grep -E '\.(c|h|inl|cpp|hpp)$' "$work/files" | xargs -d '\n' -n 32 -P "$(nproc)" "$tool" --dry-run 2>&1 |
			sed -n -E 's/^([^ :]+:[0-9]+):[0-9]+: warning: .*/\1: not as .clang-format says/p' | sort -t: -k1,1 -k2,2n -u || true
	fi
	# Data and corpora are what they are.
	grep -E '\.(c|h|inl|cpp|sh|txt|cmake|json|md|py|in)$|^(scripts|\.ci)/' "$work/files" |
		grep -vE '^(tests/fuzz/corpus|data|bench/results|docs/plots)/' | tr '\n' '\0' |
		xargs -0 awk '
			/\r$/ { print FILENAME ":" FNR ": a carriage return at the end" }
			/[ \t]$/ && FILENAME !~ /\.md$/ { print FILENAME ":" FNR ": blanks at the end" }'
	while IFS= read -r file; do
		[ ! -s "$file" ] || [ "$(tail -c 1 "$file" | wc -l)" -eq 1 ] || echo "$file: no line end at the end"
	done < <(grep -E '\.(c|h|inl|cpp|sh|cmake|md)$' "$work/files" | grep -vE '^(tests/fuzz/corpus|data)/')
} >"$work/complaints"

if [ -s "$work/complaints" ]; then
	cat "$work/complaints"
	echo "format: $(wc -l <"$work/complaints") violation(s)" >&2
	exit 1
fi
[ -n "$tool" ] || echo "format: no clang-format $release, so only .editorconfig was checked"
echo "format: in order"
