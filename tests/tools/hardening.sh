#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# hardening.sh BUILD-TYPE COMMAND SHARED-LIBRARY: were they linked as they should be, and compiled with what makes
# mistakes end the program rather than go on?

set -euo pipefail
export LC_ALL=C
type=$1
shift
wrong=0

# has FILE WHAT OPTION PATTERN: something that readelf must show.
has() {
	local shown
	shown=$(readelf -W "$3" "$1")
	grep -qE "$4" <<<"$shown" || {
		wrong=$((wrong + 1))
		echo "${1##*/}: no $2"
	}
}

for file in "$@"; do
	has "$file" 'position independence' -h 'Type: +DYN'
	has "$file" 'read-only relocations' -l 'GNU_RELRO'
	has "$file" 'binding at the start' -d 'BIND_NOW|FLAGS_1.* NOW'
	has "$file" 'stack that cannot be executed' -l 'GNU_STACK.* RW '
	has "$file" 'stack protector' --dyn-syms '__stack_chk_fail'
	# Without optimisation there are no fortified calls, and some C libraries have none.
	if [ "$type" != Debug ] && readelf -W -d "$file" | grep -q 'libc\.so\.6'; then
		has "$file" 'fortified call' --dyn-syms '__[a-z]+_chk'
	fi
done
[ "$wrong" -eq 0 ] && echo "$# files are hardened"
