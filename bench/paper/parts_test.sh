#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Whoever computes the parts of a run, and however often it is interrupted, its answers and counts are the same.
#
#   parts_test.sh BENCH [MPIRUN ARGUMENT...]

set -euo pipefail
export LC_ALL=C

bench=$1
shift
launch=("$@") # empty without MPI

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMP_NUM_THREADS=2

failures=0
fail() {
	echo "FAILED: $*"
	failures=$((failures + 1))
}

# Everything that does not depend on time: the first twelve columns.
facts() { grep -v '^#' "$1" | cut -d, -f1-12; }

same() {
	if ! cmp -s <(facts "$work/one.csv") <(facts "$1"); then
		fail "$2: other answers or counts"
		diff <(facts "$work/one.csv") <(facts "$1") | head -n 4
	fi
}

# run CSV CACHE ARGUMENT...: with MPI where there is some. What is said on stderr goes to CSV.err.
run() {
	local csv=$work/$1 cache=$work/$2
	shift 2
	mkdir -p "$cache"
	XDG_CACHE_HOME=$cache ${launch[@]+"${launch[@]}"} "$bench" scenario1 --sample 48 --rounds 1 --part 16 \
		--algorithms rapid,dual,packed --csv "$csv" "$@" >"$csv.out" 2>"$csv.err"
}

# The truth: one process, no MPI.
mkdir -p "$work/truth"
XDG_CACHE_HOME=$work/truth "$bench" scenario1 --sample 48 --rounds 1 --part 16 \
	--algorithms rapid,dual,packed --csv "$work/one.csv" >"$work/one.out" 2>"$work/one.err"
[ "$(facts "$work/one.csv" | wc -l)" -eq 19 ] || fail "six rows of three algorithms and a heading"
grep -q 'all answers are the same' "$work/one.out" || fail "the algorithms agree"

run two.csv placed || fail "a run of its own placing"
same "$work/two.csv" "a run of its own placing"
[ -z "$(find "$work/placed" -name 'part-*.bin' -o -name '*-block-*' -o -name '*.running')" ] || fail "nothing is left over"

run threads.csv placed --threads 2 || fail "several parts at a time"
same "$work/threads.csv" "several parts at a time"

# An accident: what was finished stays, the dead rank is named, the next run does the rest.
if run crash.csv placed --cache "$work/parts" --crash '3 %:2'; then fail "a crash goes unnoticed"; fi
left=$(find "$work/parts" -name 'part-*.bin' | wc -l)
((left > 0 && left < 18)) || fail "some of 18 parts are there after the crash, not $left"
run again.csv placed --cache "$work/parts" || fail "a run after the crash"
grep -q "of 18 parts are there from an earlier run" "$work/again.csv.err" || fail "finished parts are used again"
grep -q 'rank . (process [0-9]*) of an earlier run died during Scenario I' "$work/again.csv.err" ||
	fail "the dead rank is named"
same "$work/again.csv" "a run after the crash"

# Damage: a part that was changed or cut off is not believed.
mapfile -t parts < <(find "$work/parts" -name 'part-*.bin' | sort)
[ ${#parts[@]} -eq 18 ] || fail "18 parts in the end, not ${#parts[@]}"
printf 'x' | dd of="${parts[0]}" bs=1 seek=200 conv=notrunc 2>/dev/null
truncate -s 100 "${parts[1]}"
: >"${parts[2]}"
run damaged.csv placed --cache "$work/parts" || fail "a run on damaged parts"
grep -q ': 15 of 18 parts are there' "$work/damaged.csv.err" || fail "15 of 18 parts are whole"
same "$work/damaged.csv" "a run on damaged parts"

# The same with placed poses.
poses=$(find "$work/placed" -name 'poses-*.bin')
printf 'x' | dd of="$poses" bs=1 seek=300 conv=notrunc 2>/dev/null
run replaced.csv placed || fail "a run on damaged poses"
grep -q 'placed 48 lines' "$work/replaced.csv.err" || fail "damaged poses are computed again"
same "$work/replaced.csv" "a run on damaged poses"

# By hand: slices here and there, then all together.
run slice.csv placed --cache "$work/sliced" --slice 2/3 || fail "a slice"
run slice.csv placed --cache "$work/sliced" --slice 1/3 || fail "a slice"
[ "$(find "$work/sliced" -name 'part-*.bin' | wc -l)" -eq 12 ] || fail "two of three slices are 12 parts"
run sliced.csv placed --cache "$work/sliced" || fail "a run after slices"
grep -q ': 12 of 18 parts are there' "$work/sliced.csv.err" || fail "slices are used"
same "$work/sliced.csv" "a run after slices"

[ "$failures" -eq 0 ] || exit 1
echo "bench parts: passed"
