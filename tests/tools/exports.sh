#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# exports.sh SHARED-LIBRARY STATIC-LIBRARY HEADERS: the shared library exports what the headers declare and nothing else,
# and its name says which programs it fits; the static one adds no name to a program but those with our prefixes.

set -euo pipefail
export LC_ALL=C
shared=$1
static=$2
headers=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wrong=0

complain() {
	wrong=$((wrong + 1))
	echo "exports: $*"
}

grep -hoE '^DBVH_API .*\bdbvh_[a-z0-9_]+\(' "$headers"/*.h | grep -oE 'dbvh_[a-z0-9_]+\($' | tr -d '(' | sort -u >"$work/declared"
[ "$(wc -l <"$work/declared")" -gt 100 ] || complain "the headers declare $(wc -l <"$work/declared") functions: they were not understood"
nm -D --defined-only "$shared" | awk '{ print $NF }' | sed 's/@.*//' | sort -u >"$work/exported"
comm -13 "$work/declared" "$work/exported" >"$work/more"
comm -23 "$work/declared" "$work/exported" >"$work/less"
# Sanitizers and coverage export names of their own.
grep -vE '^(__asan_|__lsan_|__tsan_|__ubsan_|__odr_asan|__gcov|__llvm|___asan)' "$work/more" >"$work/ours" || true
[ ! -s "$work/ours" ] || complain "exported, but not declared: $(paste -sd ' ' "$work/ours")"
[ ! -s "$work/less" ] || complain "declared, but not exported: $(paste -sd ' ' "$work/less")"

nm --defined-only --extern-only "$static" 2>/dev/null | awk 'NF == 3 { print $3 }' | sort -u |
	grep -vE '^_?(dbvh_|dbvhi_)|^(__asan_|__odr_asan|__tsan_|__gcov|__llvm|___asan)' >"$work/foreign" || true
[ ! -s "$work/foreign" ] || complain "names of the static library without its prefixes: $(paste -sd ' ' "$work/foreign")"

major=$(sed -n 's/^#define DBVH_VERSION_MAJOR //p' "$headers/base.h")
name=$(readelf -W -d "$shared" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
[ "$name" = "libdualbvh.so.$major" ] || complain "the shared library calls itself '$name'"

[ "$wrong" -eq 0 ] && echo "$(wc -l <"$work/exported") functions are exported, all of them declared; $name"
