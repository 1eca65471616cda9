#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Checks that the Python package and dualbvh.hpp offer everything that the headers in C do, but for the exceptions in
# tools/lint/wrappers.txt, each with a reason, and that docs/glossary.md names every function.
#
#   tools/lint/wrappers.sh [ROOT]
#
# Every function with DBVH_API is to be called by python/src and by dualbvh.hpp, and every member of an options, query,
# rule, result, stats or budget structure is to be named in python/src (dualbvh.hpp takes the structures as they are).
# Names in the glossary may have a * for any characters. A line of the table that leaves nothing out is a violation, too.
#
# Prints one line a violation, and exits with 1 where there is any.

set -euo pipefail
export LC_ALL=C

root=${1:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
cd "$root"
compiler=${CC:-cc}
command -v "$compiler" >/dev/null || { echo "wrappers: skipped, there is no $compiler"; exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Without comments; macros of python/src make names, so they are expanded.
headers=(include/dualbvh/*.h)
[ ! -d include/dualbvh/io ] || headers+=(include/dualbvh/io/*.h)
sed 's|//.*||' "${headers[@]}" >"$work/headers"
tr '\n' ' ' <"$work/headers" | grep -oE 'DBVH_API [^(;]*\(' | grep -oE 'dbvh_[a-z0-9_]+ *\($' | tr -d ' (' | sort -u >"$work/functions"
awk '
	/^typedef struct dbvh_[a-z_]*(query|options|rule|result|stats|budget) *\{/ { name = $3; inside = 1; next }
	/^}/ { inside = 0 }
	inside && /;/ {
		gsub(/\([^()]*\);/, ";"); gsub(/\[[^]]*\]/, ""); sub(/;.*/, "")
		n = split($0, part, ",")
		for (i = 1; i <= n; ++i) { gsub(/[^A-Za-z0-9_]/, " ", part[i]); m = split(part[i], word, " "); print name "." word[m] }
	}' "$work/headers" | sort -u >"$work/members"
cat python/src/*.h python/src/*.cpp | grep -vE '^ *#(include|pragma)' | "$compiler" -E -P -x c++ - >"$work/python"
find include/dualbvh -name '*.hpp' -exec sed 's|//.*||' {} + >"$work/hpp"

# left_out WRAPPER: what it does not name.
left_out() {
	{ grep -oE '\bdbvh_[a-z0-9_]+' "$work/$1" || true; } | sort -u | comm -23 "$work/functions" -
	[ "$1" != python ] || while IFS= read -r member; do
		grep -qE "(\.|->|::)${member#*.}\b|, ${member#*.} \)" "$work/python" || echo "$member"
	done <"$work/members"
}
for wrapper in python hpp; do left_out "$wrapper" | sed "s/^/$wrapper /"; done >"$work/missing"

# The glossary: names and patterns of functions, against the list of them.
grep -oE '\bdbvh_[a-z0-9_*]+' docs/glossary.md | sort -u |
	awk 'FNR == NR { gsub(/\*/, ".*"); pattern[++count] = "^" $0 "$"; next }
		{ for (i = 1; i <= count; ++i) if ($0 ~ pattern[i]) next; print "glossary " $0 }' - "$work/functions" >>"$work/missing"

awk '
	BEGIN { name["python"] = "the Python package"; name["hpp"] = "dualbvh.hpp"; name["glossary"] = "docs/glossary.md" }
	FILENAME == ARGV[1] {
		if ($0 == "" || $0 ~ /^#/) next
		pattern = $2
		gsub(/\./, "\\.", pattern); gsub(/\*/, ".*", pattern)
		wrapper[++count] = $1; glob[count] = "^" pattern "$"; line[count] = FNR
		if (NF < 3) { print FILENAME ":" FNR ": there is no reason"; bad = 1 }
		next
	}
	{
		for (i = 1; i <= count; ++i) if (wrapper[i] == $1 && $2 ~ glob[i]) { used[i] = 1; next }
		print name[$1] " has no " $2
		bad = 1
	}
	END {
		for (i = 1; i <= count; ++i) if (!used[i]) { print ARGV[1] ":" line[i] ": leaves nothing out"; bad = 1 }
		exit bad
	}' tools/lint/wrappers.txt "$work/missing"
echo "wrappers: $(wc -l <"$work/functions") functions, $(wc -l <"$work/members") members of structures"
