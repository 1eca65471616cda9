#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# `dualbvh scene --baseline`: a known clash is unchanged where it is as it was; deeper, nearer, of a worse kind or
# elsewhere it counts.
#
#   baselines.sh path/to/dualbvh

# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"
"$dualbvh" --version | grep >/dev/null '^with jansson' || { echo 'baselines: no jansson'; exit 77; }

gen box --size 20,2,2 -o beam.ply # up to z = 1
gen box --size 0.5,0.5,0.5 -o bolt.ply

# scene FILE BOLT-X BOLT-Z [X Y Z OF ALL] [NAME OF THE BOLT]: a bolt on a beam.
scene() {
	local x=${4:-0} y=${5:-0} z=${6:-0}
	cat >"$1" <<-EOF
		{"bodies": [{"file": "beam.ply", "pose": {"translation": [$x, $y, $z]}},
		 {"name": "${7:-bolt}", "file": "bolt.ply", "pose": {"translation": [$(awk "BEGIN { printf \"%.12g\", $2 + $x }"), $y, $(awk "BEGIN { printf \"%.12g\", $3 + $z }")]}}]}
	EOF
}
# stands WORD STATUS FILE [OPTION...]: how the only clash stands to base.json, and the exit status.
stands() {
	local word=$1 status=$2
	shift 2
	expect "$status" scene "$@" --baseline base.json --json
	is "[c['standing'] for c in d['clashes']] == ['$word'] and d['counts']['$word'] == 1"
}

scene base-scene.json -5 1.125 # an eighth deep
expect 1 scene base-scene.json --report json=base.json
stands unchanged 0 base-scene.json
stands unchanged 0 base-scene.json --worse-by 0 --moved-by 0

# ---- deeper, and less deep
scene deeper.json -5 1
stands worsened 1 deeper.json
is "d['clashes'][0]['was']['depth'][0] <= 0.125 <= d['clashes'][0]['was']['depth'][1] and d['clashes'][0]['depth'][0] <= 0.25 <= d['clashes'][0]['depth'][1]"
expect 1 scene deeper.json --baseline base.json --report sarif=r.sarif,junit=r.xml,csv=r.csv
says out 'worsened: beam and bolt overlap: 0.25 deep, volume 0.0625, protrusion, 0.125 deep before'
says out '0 new, 1 worsened, 0 unchanged, 0 absent'
says r.sarif '"baselineState":"updated"'
says r.xml 'failures="1"'
says r.csv ',worsened,'
stands unchanged 0 deeper.json --worse-by 0.125
stands worsened 1 deeper.json --worse-by 0.12
scene shallower.json -5 1.1875
stands improved 0 shallower.json
stands unchanged 0 shallower.json --worse-by 0.07
scene jitter.json -5.00000001 1.12499999
stands unchanged 0 jitter.json

# ---- elsewhere: nine along the beam, as deep as it was
scene along.json 4 1.125
stands moved 1 along.json
is "d['clashes'][0]['was']['moved'] == 9"
expect 1 scene along.json --baseline base.json
says out 'moved: beam and bolt overlap: 0.125 deep, volume 0.03125, protrusion, 9 from where it was'
stands unchanged 0 along.json --moved-by 9
stands moved 1 along.json --moved-by 8.5
# Both together are where they were to each other; a bolt that stays behind is not.
scene together.json -5 1.125 100 50 0
stands unchanged 0 together.json
stands unchanged 0 together.json --moved-by 0
# Deeper and elsewhere: worse.
scene both.json 4 1
stands worsened 1 both.json
# A worse kind: the bolt is inside.
scene inside.json -5 0
stands worsened 1 inside.json --worse-by 100
is "d['clashes'][0]['was']['kind'] == 'hard'"

# ---- a fit that stays one counts for nothing; one that has become a clash is worse
expect 0 scene base-scene.json --allowed-depth 0.2 --report json=base.json
stands unchanged 0 base-scene.json --allowed-depth 0.2
stands worsened 1 deeper.json --allowed-depth 0.2
expect 1 scene base-scene.json --report json=base.json
stands improved 0 base-scene.json --allowed-depth 0.2

# ---- reports of schema 1 have depths by boxes, which are not compared
python3 - 2>err <<'EOF' || exit 77
import json
d = json.load(open("base.json"))
d["schema"] = "dualbvh.clashes/1"
for c in d["clashes"]:
    c["depth"] = c["box_depth"] = 0.01
json.dump(d, open("first.json", "w"))
EOF
expect 0 scene base-scene.json --baseline first.json
says out '1 unchanged'

# ---- another name, the same triangles at the same place
scene renamed.json -5 1.125 0 0 0 screw
stands renamed 0 renamed.json
is "(d['clashes'][0]['was']['a'], d['clashes'][0]['was']['b']) == ('beam', 'bolt') and d['absent'] == []"
expect 0 scene renamed.json --baseline base.json
says out 'renamed: beam and screw overlap: 0.125 deep, volume 0.03125, protrusion, as beam and bolt'
scene renamed.json 4 1.125 0 0 0 screw
stands new 1 renamed.json
is "[a['why'] for a in d['absent']] == ['body_missing']"
# A file by another name: all bodies of it have others.
cat beam.ply >first.ply
expect 1 scene first.ply bolt.ply bolt.ply beam.ply --report json=many.json
mv first.ply zeroth.ply
expect 0 scene zeroth.ply bolt.ply bolt.ply beam.ply --baseline many.json --json
is "all(c['standing'] in ('renamed', 'unchanged') for c in d['clashes']) and d['absent'] == [] and len(d['clashes']) == 6"

# ---- clearances
gen box --size 1,1,1 -o a.ply
gen box --size 1,1,1 --at 1.5,0,0 -o b.ply
expect 1 scene a.ply b.ply --clearance 1 --report json=base.json
stands unchanged 0 a.ply b.ply --clearance 1
gen box --size 1,1,1 --at 1.25,0,0 -o b.ply
stands worsened 1 a.ply b.ply --clearance 1
is "d['clashes'][0]['was']['distance'] == 0.5"
stands unchanged 0 a.ply b.ply --clearance 1 --worse-by 0.25 --moved-by 1
gen box --size 1,1,1 --at 1.75,0,0 -o b.ply
stands improved 0 a.ply b.ply --clearance 1 --moved-by 1

# ---- reports of before have no places
python3 - 2>err <<'EOF' || cp base.json old.json
import json
d = json.load(open("base.json"))
for c in d["clashes"]:
    c.pop("lower"), c.pop("upper")
for b in d["clashing_bodies"]:
    b.pop("pose")
json.dump(d, open("old.json", "w"))
EOF
expect 0 scene a.ply b.ply --clearance 1 --baseline old.json
refuses '--moved-by needs --baseline' scene a.ply --moved-by 1
refuses '--worse-by needs --baseline' scene a.ply --worse-by 1

finish baselines
