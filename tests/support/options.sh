#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# options.sh FILE: does each program that FILE lists know the options of command_line.h? --list names tests, --help says
# how it is called, and a filter that chooses nothing and an option that does not exist are refused with status 2.

set -uo pipefail

wrong=0
count=0

# expect STATUS PROGRAM ARGUMENT...
expect() {
	local want=$1 got=0
	shift
	out=$("$@" 2>/dev/null) || got=$?
	if [ "$got" -ne "$want" ]; then
		echo "$(basename "$1") ${*:2} has status $got, not $want"
		wrong=$((wrong + 1))
	fi
}

while read -r program; do
	[ -n "$program" ] || continue
	[ -x "$program" ] || continue # not built: by hand, one builds what one needs
	count=$((count + 1))
	name=$(basename "$program")
	expect 0 "$program" --list
	[ -n "$out" ] || { echo "$name --list says nothing" && wrong=$((wrong + 1)); }
	first=$(head -n 1 <<<"$out")
	expect 0 "$program" --filter "$first" --list
	grep -qxF -- "$first" <<<"$out" || { echo "$name --filter '$first' does not choose it" && wrong=$((wrong + 1)); }
	expect 0 "$program" --help
	grep -q "usage: $name .*--filter.*--seed" <<<"$out" || { echo "$name --help lacks the usage" && wrong=$((wrong + 1)); }
	expect 2 "$program" --filter 'no such test'
	expect 2 "$program" --seed many
	expect 2 "$program" --unknown
done <"$1"

echo "$count programs, $wrong mistakes"
[ "$count" -gt 0 ] && [ "$wrong" -eq 0 ]
