#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Checks that what documents and comments refer to exists: files, functions, options, tests.
#
#   tools/lint/references.sh [ROOT]
#
# In Markdown: links and their anchors; paths and names of source files; dbvh_*, DBVH_*, dbvhi_*, DBVHI_* and DUALBVH_*
# names; --options; test_* programs; subcommands of dualbvh and experiments of dualbvh-bench. In comments of sources,
# scripts and CMake files: paths, names of source files, and the dbvh names. In the tables of mutants: paths. The changelog tells of things that are gone:
# only its links are checked.
#
# Prints one line a violation, "file:line: what is missing", and exits with 1 where there is any.

set -euo pipefail
export LC_ALL=C

root=${1:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
cd "$root"
[ -f README.md ] || { echo "references: $root has no README.md" >&2; exit 2; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Every file of the project; build folders are not part of it.
if git rev-parse --is-inside-work-tree >/dev/null 2>&1 && [ -e .git ]; then
	git ls-files -co --exclude-standard
else
	find . \( -path ./.git -o -path ./build -o -path './build-*' \) -prune -o -type f -print | sed 's|^\./||'
fi | while IFS= read -r file; do [ -f "$file" ] && echo "$file"; done | sort >"$work/files"

grep -E '\.md$' "$work/files" >"$work/documents"
grep -E '\.(c|h|inl|cpp)$' "$work/files" >"$work/sources" || true
grep -E '(\.sh|\.cmake|\.cmake\.in|CMakeLists\.txt)$|^(scripts|\.ci)/' "$work/files" | grep -vE '\.md$' >"$work/scripts" || true
grep -E '^include/' "$work/sources" >"$work/headers" || true
grep -E '^tests/mutation/.*\.(json|py)$' "$work/files" >"$work/tables" || true

# What there is, one "kind name" a line: path, base (the last part of a path), public and code (words of programs
# outside comments), option, command, experiment, anchor (of a document).
{
	awk '{
		print "path " $0
		n = split($0, part, "/")
		print "base " part[n]
		folder = ""
		for (i = 1; i < n; ++i) { folder = folder part[i]; print "path " folder; folder = folder "/" }
	}' "$work/files"
	xargs -d '\n' sed -E 's|//.*||' <"$work/headers" | grep -oE '\b(dbvh|DBVH)_[A-Za-z0-9_]+' | sed 's/^/public /' || true
	sed -n -E 's/^[[:space:]]*X\( *([A-Z_]+),.*$/public DBVH_\1/p' include/dualbvh/base.h 2>/dev/null || true # dbvh_status
	echo "public DBVH_ISA" # the environment variable
	{
		xargs -d '\n' sed -E 's|(^\|[[:space:]])//.*||' <"$work/sources"
		grep -v _selftest "$work/scripts" | xargs -d '\n' sed -E 's|(^\|[[:space:]])#[[:space:]].*||' || true
		grep -E '\.py$' "$work/files" | xargs -r -d '\n' cat || true
		cat CMakePresets.json 2>/dev/null || true
	} >"$work/code"
	grep -oE '\b(dbvhi|DBVHI|DUALBVH|dualbvh|test|dbvh|DBVH)_[A-Za-z0-9_]+' "$work/code" | sed 's/^/code /' || true
	grep -oE 'dualbvh_test\( *[a-z0-9_]+' "$work/code" | sed -E 's/dualbvh_test\( */code test_/' || true
	# Names that macros make: what stands before or behind a ##.
	grep -oE '\b(dbvhi|DBVHI)_[A-Za-z0-9_]*##' "$work/code" | sed -E 's/##$//; s/^/prefix /' || true
	grep -oE -e '--[a-z][a-z0-9-]*' "$work/code" | sed 's/^--/option /' || true
	grep -oE '\{ "[a-z][a-z0-9-]*"' "$work/code" | sed -E 's/\{ "(.*)"/option \1/' || true
	sed -n -E 's/^\tX\( ([a-z]+), ".*$/command \1/p' tools/cmd/cmd.h 2>/dev/null || true
	sed -n -E 's/^.*\{ "([a-z0-9-]+)", bench_.*$/experiment \1/p' bench/main.c 2>/dev/null || true
	xargs -d '\n' awk '/^```/ { code = !code } !code && /^#+ / {
		text = tolower($0); sub(/^#+ +/, "", text); gsub(/[^a-z0-9 _-]/, "", text); gsub(/ /, "-", text)
		print "anchor " FILENAME "#" text
	}' <"$work/documents"
} | sort -u >"$work/known"

cat >"$work/check.awk" <<'AWK'
function complain(text) { print FILENAME ":" FNR ": " text }
function folder_of(name) { return name ~ /\// ? substr(name, 1, match(name, /\/[^\/]*$/) - 1) : "" }
# A folder and a relative name to a path from the root
function join(folder, name,    part, n, i, out, top) {
	n = split(folder == "" ? name : folder "/" name, part, "/")
	top = 0
	for (i = 1; i <= n; ++i) {
		if (part[i] == "" || part[i] == ".") continue
		if (part[i] == "..") { --top; continue }
		out[++top] = part[i]
	}
	name = ""
	for (i = 1; i <= top; ++i) name = name (i > 1 ? "/" : "") out[i]
	return name
}
function matches(kind, glob,    pattern, k, part) { # is there one of this kind that the glob stands for?
	pattern = glob
	gsub(/\./, "\\.", pattern); gsub(/\*/, "[A-Za-z0-9_.-]*", pattern)
	pattern = "^" pattern "$"
	if ((kind, glob) in asked) return asked[kind, glob]
	asked[kind, glob] = 0
	for (k in known) {
		split(k, part, SUBSEP)
		if (part[1] == kind && part[2] ~ pattern) { asked[kind, glob] = 1; break }
	}
	return asked[kind, glob]
}
function exists(kind, name) { return index(name, "*") ? matches(kind, name) : (kind, name) in known }
function is_made(name,    k, part) { # by a macro
	for (k in known) {
		split(k, part, SUBSEP)
		if (part[1] == "prefix" && index(name, part[2]) == 1) return 1
	}
	return 0
}
function check_links(text,    target, anchor, at) {
	while (match(text, /\]\([^)]*\)/)) {
		target = substr(text, RSTART + 2, RLENGTH - 3)
		text = substr(text, RSTART + RLENGTH)
		if (target ~ /^[a-z]+:/) continue
		anchor = ""
		if ((at = index(target, "#")) > 0) { anchor = substr(target, at); target = substr(target, 1, at - 1) }
		target = target == "" ? FILENAME : join(folder_of(FILENAME), target)
		sub(/\/$/, "", target)
		if (!exists("path", target)) complain("there is no " target)
		else if (anchor != "" && !exists("anchor", target anchor)) complain("there is no heading " anchor " in " target)
	}
}
function check_paths(text,    name, before) {
	while (match(text, /[A-Za-z0-9_.*\/<>{}$-]+/)) {
		name = substr(text, RSTART, RLENGTH)
		before = RSTART > 1 ? substr(text, RSTART - 1, 1) : ""
		text = substr(text, RSTART + RLENGTH)
		if (name ~ /[<>{}$]/ || before == "%") continue # a place holder
		sub(/^(\.\.?\/)+/, "", name); sub(/[.\/-]+$/, "", name)
		if (name ~ /^(src|include|docs|io|tests|tools|bench|scripts|cmake|examples|data)\/[A-Za-z0-9_.*\/-]+$/) {
			if (is_table && exists("path", name ".*")) continue # a prefix
			if (!exists("path", name) && name !~ /(^|\/)(X|BODY)(\.|\/|$)|_X\./) complain("there is no " name)
		} else if (name ~ /^[a-z][A-Za-z0-9_*]*\.(c|h|inl|sh|md)$/ && !(name in outside)) {
			if (!exists("base", name) && name !~ /_X\./) complain("there is no file " name)
		} else if (name ~ /^[a-z][a-z0-9_]*\/[a-z0-9_\/]+\.(c|h|inl|sh|md|txt|csv)$/ && name !~ /^build/) {
			if (!exists("path", name) && !exists("path", "src/" name) && !exists("path", "include/" name) && !matches_end(name))
				complain("there is no file " name)
		}
	}
}
function matches_end(name,    k, part) { # a path that is written from some folder
	for (k in known) {
		split(k, part, SUBSEP)
		if (part[1] == "path" && length(part[2]) > length(name) && substr(part[2], length(part[2]) - length(name)) == "/" name)
			return 1
	}
	return 0
}
function check_names(text,    name, before, after) {
	while (match(text, /[A-Za-z0-9_*#]+/)) {
		name = substr(text, RSTART, RLENGTH)
		before = RSTART > 1 ? substr(text, RSTART - 1, 1) : ""
		after = substr(text, RSTART + RLENGTH, 1)
		text = substr(text, RSTART + RLENGTH)
		if (name ~ /#/ || after == "<") continue
		if (name ~ /^\*+/) sub(/^\*+/, "", name)
		sub(/^DDUALBVH_/, "DUALBVH_", name) # -DDUALBVH_X=ON
		if (name ~ /_$/ || name ~ /_(thing|X)$/) continue # place holders
		if (name ~ /^(dbvh|DBVH)_/) {
			if (!exists("public", name)) complain("no header declares " name)
		} else if (name ~ /^(dbvhi|DBVHI)_/) {
			if (!exists("code", name) && !is_made(name)) complain("there is no " name)
		} else if (name ~ /^DUALBVH_/) {
			if (!exists("code", name)) complain("there is no " name)
		} else if (is_document && name ~ /^test_[a-z0-9_]+$/ && after != ".") {
			if (!exists("code", name) && !exists("base", name ".c")) complain("there is no test program " name)
		}
	}
}
function check_words(text,    name, rest) {
	rest = text
	while (match(rest, /(^|[^A-Za-z0-9-])--[a-z][a-z0-9-]*/)) {
		name = substr(rest, RSTART, RLENGTH)
		rest = substr(rest, RSTART + RLENGTH)
		sub(/^.*--/, "", name); sub(/-$/, "", name)
		if (!exists("option", name) && !(name in foreign)) complain("there is no option --" name)
	}
	rest = text
	while (match(rest, /dualbvh-bench [a-z][a-z0-9-]*/)) {
		name = substr(rest, RSTART + 14, RLENGTH - 14)
		if (substr(rest, 1, RSTART - 1) ~ /[`\/ ]$|^$/ && rest !~ /Usage/ && !exists("experiment", name) && !(name in prose))
			complain("dualbvh-bench has no experiment " name)
		rest = substr(rest, RSTART + RLENGTH)
	}
	rest = text
	while (match(rest, /(`|\$ )dualbvh [a-z][a-z]*/)) {
		name = substr(rest, RSTART, RLENGTH)
		sub(/^.*dualbvh /, "", name)
		if (!exists("command", name)) complain("dualbvh has no command " name)
		rest = substr(rest, RSTART + RLENGTH)
	}
}
BEGIN {
	while ((getline line <KNOWN) > 0) known[substr(line, 1, index(line, " ") - 1), substr(line, index(line, " ") + 1)] = 1
	split("stdio.h stdlib.h string.h math.h omp.h mpi.h gmp.h complex.h immintrin.h arm_neon.h fenv.h cglm.h", words, " ")
	for (i in words) outside[words[i]] = 1
	split("target preset build list test-dir tool", words, " ") # options of other programs
	for (i in words) foreign[words[i]] = 1
	split("measures itself and is has repeats", words, " ")
	for (i in words) prose[words[i]] = 1
}
FNR == 1 {
	is_document = FILENAME ~ /\.md$/
	is_history = FILENAME ~ /(^|\/)CHANGELOG\.md$/
	is_table = FILENAME ~ /\.(json|py)$/
	is_script = !is_document && FILENAME !~ /\.(c|h|inl|cpp)$/
}
is_table { if (/"(src|tests)\//) check_paths($0); next }
is_document {
	check_links($0)
	if (is_history) next
	text = $0
	gsub(/\]\([^)]*\)/, "] ", text)
	check_paths(text)
	check_names(text)
	check_words(text)
	next
}
{
	text = $0
	if (is_script ? !match(text, /(^|[ \t])#[ \t]/) : !match(text, /(^|[ \t])\/\//)) next
	text = substr(text, RSTART)
	check_paths(text)
	check_names(text)
}
AWK

mapfile -t all < <(cat "$work/documents" "$work/sources" "$work/scripts" "$work/tables" | sort -u)
awk -v KNOWN="$work/known" -f "$work/check.awk" "${all[@]}" | awk '!seen[$0]++' >"$work/complaints"
if [ -s "$work/complaints" ]; then
	cat "$work/complaints"
	echo "references: $(wc -l <"$work/complaints") missing" >&2
	exit 1
fi
echo "references: everything exists"
