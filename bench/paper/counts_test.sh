#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Are the tables of the documents those of the recorded results, and does the program count today what is recorded? The
# two widest gaps of Scenario II, which take a second or two. And are all counts of Scenario II that are recorded within
# 15 % of the paper's where trees are made as the paper's program made them, and those of Scenario I, relative to the boxes
# of RAPID, within 5 %?
#
#   counts_test.sh BENCH

set -euo pipefail
bench=$1
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
recorded=bench/results/paper.csv
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

bash bench/tables.sh --check

XDG_CACHE_HOME=$folder "$bench" scenario2 --gaps 2 --rounds 1 --csv "$folder/today.csv" \
	--algorithms rapid,sat-lite,dual,rapid-r,sat-lite-r,dual-r >"$folder/out" 2>&1 || { cat "$folder/out"; exit 1; }
# Scenario, row, algorithm, tests of spheres, boxes and triangles.
counts() { grep '^Scenario II' "$1" | cut -d, -f1-3,8-10; }
counts "$folder/today.csv" >"$folder/today"
[ "$(wc -l <"$folder/today")" = 24 ] || { echo "24 rows were to be counted"; exit 1; }
if counts "$recorded" | grep -vxFf - "$folder/today"; then
	echo "these are not what $recorded has"
	exit 1
fi

grep '^Scenario I' "$recorded" | tr -d '"' | awk -F, '
	function far(what, ours, paper, most) {
		if (paper > 0) { checked += 1; if (ours / paper > 1 + most || ours / paper < 1 - most) {
			printf "%s: %.3f of the paper\n", what, ours / paper; bad = 1 } } }
	$1 == "Scenario II" && $3 ~ /-r$/ {
		far($2 " " $3 " spheres", $8, $13, 0.15); far($2 " " $3 " boxes", $9, $14, 0.15)
		far($2 " " $3 " triangles", $10, $15, 0.15) }
	$1 == "Scenario I" && $3 == "rapid-r" { ours = $9; paper = $14 }
	$1 == "Scenario I" && $3 ~ /^(sat-lite|dual)-r$/ {
		if ($13 > 0) far($2 " " $3 " spheres", $8 / ours, $13 / paper, 0.05)
		far($2 " " $3 " boxes", $9 / ours, $14 / paper, 0.05) }
	END { if (checked != 44) { print checked " counts were compared, not 44"; bad = 1 } exit bad }'
echo "bench counts: passed"
