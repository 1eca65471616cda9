#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Counts the instructions of a fixed set of queries and builds.
#
#   bench/perf/counts.sh [PROGRAM [ANSWERS]]
#
# PROGRAM (build/release/bin/dualbvh-bench) is run as `PROGRAM counts` under valgrind, which collects in each question's
# function with all that it calls. Prints one line a question: its name and its instructions, all queries together. What
# the program itself prints goes to the file ANSWERS.

set -euo pipefail
export LC_ALL=C

program=${1:-build/release/bin/dualbvh-bench}
command -v valgrind >/dev/null || { echo "counts: valgrind is not installed" >&2; exit 2; }
folder=$(mktemp -d)
answers=${2:-$folder/answers}
trap 'rm -rf "$folder"' EXIT

valgrind --tool=callgrind '--toggle-collect=counts_*' --callgrind-out-file="$folder/out" "$program" counts >"$answers" 2>"$folder/log" ||
	{ cat "$folder/log" >&2; exit 2; }
callgrind_annotate --inclusive=yes --threshold=100 "$folder/out" |
	sed -nE 's/^ *([0-9,]+) .*[:]counts_([a-z_]+).*$/\2 \1/p' | tr -d , | sort -u | awk '{ printf "%-16s %14s\n", $1, $2 }'
