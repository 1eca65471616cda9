#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# The tables of documents that show recorded results, made from the files in bench/results/. In a document such a table
# stands between the lines
#
#   <!-- bench/tables.sh NAME -->
#   <!-- end -->
#
#   bench/tables.sh NAME      prints one
#   bench/tables.sh --write   puts all of them into the documents anew
#   bench/tables.sh --check   says which are not what the files say; exit status 1 if any

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
results=bench/results

# The rows of paper.csv without comments and quotes, those of steps.csv (Scenario I again, placed by steps) behind those of
# the same scenario by distances, and functions over them.
paper() {
	{
		grep '^Scenario I,' "$results/paper.csv"
		sed -n 's/^Scenario I,/Scenario I steps,/p' "$results/steps.csv"
		grep '^Scenario II' "$results/paper.csv"
	} | tr -d '"' | awk -F, '
		function has(k, a) { return (k "|" a) in queries }
		function up(k, a) { return theirs[k "|" a] / queries[k "|" a] } # to as many queries as the paper has
		function sec(k, a) { return seconds[k "|" a] * up(k, a) }
		function ratio(ours, paper) { return paper > 0 ? sprintf("%.3f", ours / paper) : "-" }
		function counts(k, a, i) { i = k "|" a
			return (pspheres[i] > 0 ? ratio(spheres[i] * up(k, a), pspheres[i]) ", " : "") ratio(boxes[i] * up(k, a), pboxes[i]) "; " ratio(triangles[i] * up(k, a), ptriangles[i]) }
		function short(s) { return sprintf(s < 0.01 ? "%.6f" : s < 0.1 ? "%.4f" : "%.3f", s) }
		$1 == "Scenario II turned" { next }
		{
			name = ($1 == "Scenario III") ? "III" : substr($1, 10) ", " $2
			if (!(name in seen)) { seen[name] = 1; rows[++n] = name }
			i = name "|" $3
			queries[i] = $4; intersecting[i] = $5; spheres[i] = $8; boxes[i] = $9; triangles[i] = $10
			theirs[i] = $12; pspheres[i] = $13; pboxes[i] = $14; ptriangles[i] = $15; pseconds[i] = $16
			seconds[i] = $17; us[i] = $18; cv[i] = $20; cp[i] = $21
		}
		'"$1"
}

table1() {
	paper 'END {
		print "| | rapid-r | quickcd | sat-lite-r | dual-r | packed | rapid-r / packed | dual-r / rapid-r | the paper |"
		print "|---|---|---|---|---|---|---|---|---|"
		for (r = 1; r <= n; ++r) { k = rows[r]
			printf "| %s", k
			c = split("rapid-r quickcd sat-lite-r dual-r", a, " "); for (i = 1; i <= c; ++i)
				printf " | %s / %s", short(sec(k, a[i])), pseconds[k "|" a[i]] + 0
			printf " | **%s** | %.1f | %.2f | %.2f |\n", short(sec(k, "packed")), sec(k, "rapid-r") / sec(k, "packed"),
				sec(k, "dual-r") / sec(k, "rapid-r"), pseconds[k "|dual-r"] / pseconds[k "|rapid-r"]
		} }'
}

table2() {
	paper 'END {
		print "| | rapid | sat-lite | dual | rapid-r | sat-lite-r | dual-r |"
		print "|---|---|---|---|---|---|---|"
		for (r = 1; r <= n; ++r) { k = rows[r]
			printf "| %s |", k
			c = split("rapid sat-lite dual rapid-r sat-lite-r dual-r", a, " "); for (i = 1; i <= c; ++i)
				printf " %s |", counts(k, a[i])
			print ""
		} }'
}

relative() {
	paper 'function one(k, s, o, p, a, b) {
			o = k "|sat-lite" s; p = k "|dual" s; b = boxes[k "|rapid" s]; a = pboxes[k "|rapid" s]
			return sprintf(" %.3f | %.3f | %.3f |", boxes[o] / b / (pboxes[o] / a), spheres[p] / b / (pspheres[p] / a),
				boxes[p] / b / (pboxes[p] / a)) }
		END {
		print "| | sat-lite | dual, spheres | dual, boxes | sat-lite-r | dual-r, spheres | dual-r, boxes |"
		print "|---|---|---|---|---|---|---|"
		for (r = 1; r <= n; ++r)
			if (rows[r] ~ /^I( steps)?,/) print "| " rows[r] " |" one(rows[r], "") one(rows[r], "-r")
		}'
}

equation1() {
	paper 'END {
		print "| row | algorithm | T us | N_v | C_v ns | N_p | C_p ns | share of N_p C_p |"
		print "|---|---|---|---|---|---|---|---|"
		for (r = 1; r <= n; ++r) { k = rows[r]
			if (k !~ /^(I, [015] %|II, 1e-[35]|III)$/) continue
			c = split("rapid-r sat-lite-r dual-r quickcd packed", a, " "); for (i = 1; i <= c; ++i) { j = k "|" a[i]
				volumes = (spheres[j] > 0 ? spheres[j] : boxes[j]) / queries[j]; t = triangles[j] / queries[j]
				printf "| %s | %s | %.4g | %.0f | %.1f | %.3g | %.0f | %.1f %% |\n", k, a[i], us[j], volumes, cv[j], t,
					cp[j], 100 * t * cp[j] / (us[j] * 1000)
			} } }'
}

# What gives the paper's counts of Scenario II: each variant's ratios at the five gaps.
variants() {
	grep -v '^#' "$results/variants.csv" | awk -F, '
		function ratio(ours, theirs) { return theirs > 0 && ours > 0 ? sprintf(" %.2f", ours / theirs) : "" }
		NR == 1 { next }
		{
			k = $1 "," $2 "," $3 "," $4
			if (!(k in seen)) { seen[k] = 1; rows[++n] = k }
			s[k] = s[k] ratio($6, $7); b[k] = b[k] ratio($8, $9); t[k] = t[k] ratio($10, $11)
		}
		END {
			print "| axes | tree | spheres | beside | spheres, 1e-1 to 1e-5 | boxes | triangles, 1e-4, 1e-5 |"
			print "|---|---|---|---|---|---|---|"
			for (i = 1; i <= n; ++i) { k = rows[i]; split(k, a, ",")
				printf "| %s | %s | %s | %s |%s |%s |%s |\n", a[1], a[2], a[3], a[4], s[k], b[k], t[k] }
		}'
}

# Time of a search with the first so many axes, five = 1, on the paper's tree.
axestimes() {
	grep -v '^#' "$results/axes.csv" | awk -F, '
		$2 != "time" || $1 !~ /the paper.s tree/ { next }
		{
			k = $1
			sub(/stanford.happy_vrip_res4.ply; 15536 triangles/, "Buddha", k)
			sub(/; [0-9]+ poses/, "", k); sub(/; the paper.s tree/, "", k); gsub(/;/, ",", k)
			if (!(k in seen)) { seen[k] = 1; rows[++n] = k }
			times[k] = times[k] ($3 == 5 ? " 1 |" : sprintf(" %.2f |", $5))
		}
		END {
			print "| | none | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | all 15 |"
			print "|---|---|---|---|---|---|---|---|---|---|---|"
			for (i = 1; i <= n; ++i)
				print "| " rows[i] " |" times[rows[i]]
		}'
}

# Tables 1 and 2 of Larsson (2008), milliseconds for a million tests, ours / his.
larsson() {
	grep -v '^#' "$results/ellipsoid.csv" | awk -F, '
		NR == 1 { next }
		{
			if (!($1 in cells)) rows[++n] = $1
			cells[$1] = cells[$1] (($4 > 0) ? sprintf(" %.1f / %d |", $3, $4) : sprintf(" %.1f |", $3))
		}
		END {
			print "| | 5 % | 25 % | 50 % | 75 % | 95 % | sum |"
			print "|---|---|---|---|---|---|---|"
			for (i = 1; i <= n; ++i)
				print "| " rows[i] " |" cells[rows[i]]
		}'
}

# Which file came from which commit and machine, by what the files say themselves.
sources() {
	echo "| file | commit | CPU |"
	echo "|---|---|---|"
	local file
	for file in "$results"/*.txt; do
		awk -v file="$(basename "$file")" '
			/^dualbvh .*commit/ && commit == "" { sub(/.*commit /, ""); commit = $0 }
			/^CPU: / && cpu == "" { sub(/^CPU: /, ""); sub(/ +$/, ""); cpu = $0 }
			END { printf "| %s | %s | %s |\n", file, commit == "" ? "not recorded" : commit, cpu == "" ? "not recorded" : cpu }' \
			"$file"
	done
}

# The lines of peers_collide.csv with tabs between fields: names have commas and stand in quotes.
peers_rows() {
	grep -v '^#' "$results/peers_collide.csv" | awk '{
		line = ""
		parts = split($0, part, "\"")
		for (i = 1; i <= parts; ++i) {
			if (i % 2) gsub(/,/, "\t", part[i])
			line = line part[i]
		}
		print line
	}'
}

# The four facts of README.md.
facts() {
	local speed traps assembly
	# Columns: 1 to 3 the row, 4 the library, 8 its time over that of dualbvh, 12 to 14 wrong answers.
	speed=$(peers_rows | awk -F'\t' '
		$8 !~ /^[0-9]/ { next }
		{
			row = $1 "|" $2 "|" $3
			if ($4 == "dualbvh") { ++rows; next }
			ratio[$4, ++n[$4]] = $8
			if ($8 < 1 && $12 + $13 + $14 == 0) faster[row] = 1
		}
		function median(name,    i, j, t, m) {
			m = n[name]
			for (i = 2; i <= m; ++i) {
				t = ratio[name, i]
				for (j = i; j > 1 && ratio[name, j - 1] > t; --j) ratio[name, j] = ratio[name, j - 1]
				ratio[name, j] = t
			}
			return m % 2 ? ratio[name, (m + 1) / 2] : (ratio[name, m / 2] + ratio[name, m / 2 + 1]) / 2
		}
		END {
			for (row in faster) ++lost
			printf "OPCODE takes %.1f times as long, RAPID %.1f, FCL %.0f,\n" \
				"  coal %.0f, in the median of %d cases; a rival whose answers are right is faster in %d of them", median("OPCODE (float)"), median("RAPID"),
				median("FCL OBB (Debian)"), median("coal kIOS"), rows, lost
		}')
	traps=$(awk -F'[| ]+' '/wrong yes or no/ {
		printf "Of %d pairs of bodies that trap libraries,\n  %s is wrong here; %d in FCL, %d in ODE, %d in Bullet, which do not look for bodies inside bodies",
			$7, $8 == 0 ? "none" : $8, $9, $10, $11 }' "$results/traps.txt")
	assembly=$(awk '
		function grouped(n) { return n < 1000 ? n : int(n / 1000) "," substr(n, length(n) - 2) }
		/^# dualbvh-bench assembly/ { here = 1 }
		here && /^[0-9]+ bodies/ { bodies = $1; triangles = $3 }
		here && /^trees and topology/ { build = $6 }
		here && /^all clashes, 1 thread / { clashes = $6; seconds = $10 }
		here && /^clashes of one body/ { moved = $(NF - 1); exit }
		END {
			printf "%s bodies of %d million triangles have %s clashes: found in %.1f s on one\n", grouped(bodies), triangles / 1e6,
				grouped(clashes), seconds
			printf "  thread once the trees are there (built in %.0f s, or mapped from files), and in %.2f ms after one body has moved", build, moved * 1000
		}' "$results/scenes.txt")
	cat <<TEXT
- **Exact.** A billion random pairs of triangles and a million poses, against whole numbers: none wrong
  ([\`./scripts/soak oracles\`](docs/soak.md)). $traps
  ([\`./scripts/bench-peers\`](docs/experiments/traps.md)).
- **Fast.** $(sed -n 's/^# CPU: \([^,]*\).*/On one thread of an \1/p' "$results/peers_collide.csv") $speed
  ([\`./scripts/bench-peers\`](docs/experiments/peers.md)).
- **Whole assemblies.** $assembly
  ([\`dualbvh-bench assembly\`](bench/results/scenes.txt)).
- **Everywhere.** The same answers with AVX-512, AVX2, SSE2 and NEON, on any number of threads, on x86-64, arm64,
  s390x and 32-bit x86 ([\`./scripts/soak machines\`](docs/machines.md)).
TEXT
}

known() { [[ " facts table1 table2 relative equation1 variants axestimes larsson sources " == *" $1 "* ]]; }

# A document with its tables made anew.
renewed() {
	local line skipping=false
	while IFS= read -r line || [ -n "$line" ]; do
		if [ "$line" = "<!-- end -->" ]; then
			skipping=false
		elif $skipping; then
			continue
		fi
		printf '%s\n' "$line"
		if [[ $line =~ ^'<!-- bench/tables.sh '([a-z0-9]+)' -->'$ ]]; then
			known "${BASH_REMATCH[1]}" || { echo "$1: there is no table ${BASH_REMATCH[1]}" >&2; return 2; }
			"${BASH_REMATCH[1]}"
			skipping=true
		fi
	done <"$1"
}

documents() { grep -rl --include='*.md' '^<!-- bench/tables.sh ' README.md docs "$results"; }

case ${1:-} in
--write)
	for document in $(documents); do
		renewed "$document" >"$document.new"
		mv "$document.new" "$document"
	done
	;;
--check)
	status=0
	for document in $(documents); do
		if ! renewed "$document" | cmp -s - "$document"; then
			echo "$document: a table is not what bench/results says (bench/tables.sh --write)"
			status=1
		fi
	done
	exit $status
	;;
*)
	known "${1:-}" || { echo "usage: bench/tables.sh NAME | --write | --check" >&2; exit 2; }
	"$1"
	;;
esac
