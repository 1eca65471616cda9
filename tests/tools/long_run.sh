#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# What the tests of long runs share: many poses, and how far a run has come. Source it in place of harness.sh.

. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"
unset "${!OMPI_@}" "${!PMI_@}" "${!SLURM_@}" "${!MV2_@}" # the tests' own ranks only

# Fewer where each takes long, as under the sanitizers.
many=$(awk -v scale="${DUALBVH_TEST_SCALE:-1}" 'BEGIN { print scale < 0.25 ? 600 : 3000 }')
awk -v many="$many" 'BEGIN { for (i = 0; i < many; ++i) { c = cos(i / 900); s = sin(i / 900)
	printf "%.17g %.17g 0 %.17g %.17g %.17g 0 0 0 0 1 0\n", c, -s, 20 + i / 1000, s, c } }' >many.txt

# finished FILE: how many poses of a run are done, by the state beside its output.
finished() { sed -n 's/^finished: \([0-9]*\) of .*/\1/p' "$1.state" 2>/dev/null; }

# until_more FILE COUNT: waits until more than so many are finished, or the run last started is over.
until_more() {
	for _ in $(seq 500); do
		[ "$(finished "$1")" ] && [ "$(finished "$1")" -gt "$2" ] && return
		kill -0 $! 2>/dev/null || return 0
		sleep 0.01
	done
}
