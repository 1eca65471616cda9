#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# scene --joints --output: the records of many configurations, runs that go on, ranks.
#
#   scene_results.sh path/to/dualbvh path/to/data/robots

robots=$(cd "$2" && pwd)
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"
unset "${!OMPI_@}" "${!PMI_@}" "${!SLURM_@}" "${!MV2_@}"
"$dualbvh" --version | grep >/dev/null '^with expat' || { echo 'no expat: no robots'; exit 77; }

# 5000 configurations: more than are asked about at once.
awk 'BEGIN { print "grip lift elbow"; for (i = 0; i < 5000; ++i) print 0.02, i % 97 / 200, 3 * (i % 41) / 40 }' >rows.txt
arm=(scene "$robots/arm.urdf" --srdf "$robots/arm.srdf" --joints rows.txt)
expect 1 "${arm[@]}" --json
sed -n 's/^ *{"configuration"/{"configuration"/p' out | sed 's/,$//; s/\],"colliding":.*$//' >lines
colliding=$(grep -c '"colliding"' lines)
that 'some collide' [ "$colliding" -gt 100 ]
that 'some do not' [ "$colliding" -lt 4900 ]
expect 1 "${arm[@]}" --output whole.jsonl
that 'one line is said' [ "$(cat out)" = "9 bodies, 5000 configurations: $colliding collide, $((5000 - colliding)) are clear" ]
that 'the lines are those of --json' cmp -s lines whole.jsonl
expect 1 "${arm[@]}" --output whole.npy --threads 2 --quiet
that '--quiet is quiet' [ ! -s out ]
if command -v python3 >/dev/null; then
	that 'the records say what the lines say' python3 -c 'import ast, json, struct
b = open("whole.npy", "rb").read(); n = 10 + struct.unpack("<H", b[8:10])[0]
assert ast.literal_eval(b[10:n].decode()) == {"descr": [("configuration", "<u8"), ("colliding", "|b1"), ("pair_count", "<u8")],
    "fortran_order": False, "shape": (5000,)}
lines = [json.loads(l) for l in open("whole.jsonl")]
assert list(struct.iter_unpack("<Q?Q", b[n:])) == [(l["configuration"], l["verdict"] == "colliding", len(l["pairs"])) for l in lines]'
fi

# Runs that end too soon: at first nothing is finished, then some, then all.
for seconds in 0.0000001 0.01 0.02; do
	"$dualbvh" "${arm[@]}" --output run.jsonl --resume --timeout $seconds >out 2>err </dev/null
	that 'no mistake' [ ! -s err ]
done
expect 1 "${arm[@]}" --output run.jsonl --resume
that 'the lines are those of a run that nothing ended' cmp -s run.jsonl whole.jsonl
resumes_not() { # what is said; arguments
	refuses "run.jsonl is of another run, which --resume does not go on with; $1" "${@:2}" --output run.jsonl --resume
}
sed '9s/0.02/0.01/' rows.txt >other.txt
resumes_not 'configurations: there ' "${arm[@]:0:4}" --joints other.txt
resumes_not 'rules: there ' "${arm[@]}" --allow 'base*,*'
sed 's/xyz="[^"]*"/xyz="0 0 0.125"/' "$robots/arm.urdf" >moved.urdf
resumes_not 'bodies: there ' scene moved.urdf --srdf "$robots/arm.srdf" --joints rows.txt

# Ranks.
for rank in 0 1 2; do
	OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=3 "$dualbvh" "${arm[@]}" --output shared.jsonl >out.$rank 2>err.$rank </dev/null &
done
wait
cat err.? >err
that 'nobody complains' [ ! -s err ]
that 'one rank speaks' [ "$(cat out.?)" = "9 bodies, 5000 configurations: $colliding collide, $((5000 - colliding)) are clear" ]
that 'ranks give the lines of one process' cmp -s shared.jsonl whole.jsonl
refuses 'this is rank 1 of 2' "${arm[@]}" --rank 1/2
refuses 'this is rank 1 of 2' scene "$robots/arm.urdf" --rank 1/2
refuses 'standard input reaches one rank only' scene "$robots/arm.urdf" --joints - --rank 1/2 --output r.npy
refuses '--output needs --joints' scene "$robots/arm.urdf" --output r.npy
refuses '--json and --output exclude each other' "${arm[@]}" --json --output r.npy
refuses '--resume needs --output' "${arm[@]}" --resume

finish scene_results
