#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Checks that comments name what they speak of: a comment that begins with a relative word ("What is left...", "Of a
# pair...") or a bare pronoun ("It is...") makes its reader guess the subject.
#
#   tools/lint/comments.sh [ROOT]
#
# Lists each such comment, "file:line: its first words", then each top folder's share of them among its blocks of
# comments. Exits with 1 where that is above 3 percent: a few sentences may well begin so.

set -euo pipefail
export LC_ALL=C

most=3
root=${1:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
cd "$root"
[ -d src ] || { echo "comments: $root has no src/" >&2; exit 2; }

mapfile -t files < <(
	if git rev-parse --is-inside-work-tree >/dev/null 2>&1 && [ -e .git ]; then
		git ls-files -co --exclude-standard
	else
		find . -type f | sed 's|^\./||'
	fi | grep -E '^(src|include|io|tools|bench|tests|python|examples)/.*\.(c|h|inl|cpp|hpp|rs|py)$' |
		while IFS= read -r file; do [ -f "$file" ] && echo "$file"; done | sort
)

awk -v most="$most" '
	BEGIN {
		n = split("what that those these which where whether whoever it they none nobody some others of as by so such " \
			"then beside besides", list)
		for (i = 1; i <= n; ++i) is_bare[toupper(substr(list[i], 1, 1)) substr(list[i], 2)] = 1
		# Within a line these begin a description that ends nowhere; the others may well follow code.
		n = split("what that those which where whoever of as so it they", list)
		for (i = 1; i <= n; ++i) is_bare[list[i]] = 1
	}
	# Characters and strings may hold the mark: they become as many zeros.
	function without_text(line, quoted,    zeros) {
		while (match(line, quoted)) {
			zeros = sprintf("%" RLENGTH "s", "")
			gsub(/ /, "0", zeros)
			line = substr(line, 1, RSTART - 1) zeros substr(line, RSTART + RLENGTH)
		}
		return line
	}
	FNR == 1 {
		mark = FILENAME ~ /\.py$/ ? "#" : "//"
		folder = FILENAME
		sub(/\/.*/, "", folder)
		column = 0
	}
	{
		line = $0
		gsub(/\t/, "    ", line)
		line = without_text(without_text(line, "\047(\\\\.|[^\047\\\\])\047"), "\"(\\\\.|[^\"\\\\])*\"")
		last = column
		at = column = index(line, mark)
		while (at > 1 && substr(line, at - 1, 1) != " ") { # https://...
			rest = index(substr(line, at + 1), mark)
			at = column = rest == 0 ? 0 : at + rest
		}
		if (/^#!/) column = 0
		if (column == 0 || (at == last && substr(line, 1, at - 1) ~ /^ *$/)) next # no comment, or the block goes on
		text = substr(line, at)
		sub(/^(#+:?|\/\/[\/!]?<?) */, "", text)
		if (text !~ /^[A-Za-z`]/ || text ~ /^(SPDX|Copyright|clang-format|shellcheck|noqa|type:)/) next
		blocks[folder] += 1
		match(text, /^[A-Za-z0-9_`\047]+/)
		if (substr(text, 1, RLENGTH) in is_bare) {
			bare[folder] += 1
			print FILENAME ":" FNR ": " substr(text, 1, 80)
		}
	}
	END {
		for (f in blocks) {
			share = 100 * bare[f] / blocks[f]
			if (share > most) failed = 1
			printf("comments: %s: %d of %d blocks begin without a subject, %.1f %%%s\n", f, bare[f], blocks[f], share,
				(share > most ? ", more than " most " %" : "")) | "sort"
		}
		close("sort")
		exit failed
	}
' "${files[@]}"
