#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Does a fixed set of queries and builds still take as many instructions as bench/perf/guard.txt says?
#
#   bench/perf/guard.sh [--update REASON] [PROGRAM]
#
# PROGRAM (build/release/bin/dualbvh-bench) has been optimised by the compiler that the file names: another one makes
# other code, and then nothing is compared. The kernels are those for AVX2, which valgrind knows on every machine that
# has it; it hides what the processor is, so counts are the same on all of them. --update writes the file anew and puts
# REASON on top of those before.
#
# Exit status: 0 no count is more than 3 % above the file's, 1 one is, 2 it cannot be counted, 77 nothing was compared.

set -euo pipefail
export LC_ALL=C

folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
file=$folder/guard.txt
isa=avx2
reason=
if [ "${1:-}" = --update ]; then
	reason=${2:-}
	[ -n "$reason" ] || { echo "guard: --update wants a reason" >&2; exit 2; }
	shift 2
fi
program=${1:-build/release/bin/dualbvh-bench}

skip() {
	echo "guard: nothing was compared: $1"
	exit 77
}

command -v valgrind >/dev/null || skip "valgrind is not installed"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
DBVH_ISA=$isa bash "$folder/counts.sh" "$program" "$work/answers" >"$work/counts"
value() {
	sed -n "s/^$1 //p" "$2"
}
[ "$(value isa "$work/answers")" = $isa ] || skip "this machine has no $isa"
compiler=$(value compiler "$work/answers")

if [ -n "$reason" ]; then
	{
		echo "# Instructions, by bench/perf/guard.sh. After the counts: why they are what they are, the latest reason first."
		echo "compiler $compiler"
		cat "$work/counts"
		echo "because $reason"
		[ ! -f "$file" ] || sed -n '/^because /p' "$file"
	} >"$work/new"
	cp "$work/new" "$file"
	echo "guard: written to bench/perf/guard.txt"
	exit 0
fi

[ "$(value compiler "$file")" = "$compiler" ] ||
	skip "the file is for $(value compiler "$file"), this is $compiler"
awk '
	NR == FNR { if ( $1 !~ /^(#|compiler|because)$/ ) before[$1] = $2; next }
	{
		counted[$1] = 1
		if ( !( $1 in before ) ) {
			printf "%-16s %14d  is not in the file\n", $1, $2
			bad = 1
			next
		}
		change = 100 * ( $2 / before[$1] - 1 )
		note = ( change > 3 ) ? "  MORE THAN 3 %" : ( change < -3 ) ? "  worth --update" : ""
		printf "%-16s %14d %+8.2f %%%s\n", $1, $2, change, note
		bad = bad || change > 3
	}
	END {
		for ( name in before )
			if ( !( name in counted ) ) {
				printf "%-16s is in the file alone\n", name
				bad = 1
			}
		if ( bad )
			print "guard: if it has to be so: scripts/bench --guard --update REASON"
		exit bad
	}' "$file" "$work/counts"
