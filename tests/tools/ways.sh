#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Rules of `dualbvh scene` with a direction or a swing: what is read, what is said. tests/tools/scene/test_scene_ways.c
# asks for the answers.
#
#   ways.sh path/to/dualbvh

# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"
"$dualbvh" --version | grep -q '^with jansson' || { echo 'ways: no jansson'; exit 77; }

gen box --size 2,1,0.25 -o stair.ply
gen box --size 4,0.25,0.25 -o beam.ply
gen box --size 1,0.05,2 --at 0.5,0,1 -o leaf.ply
gen box --size 0.1,0.1,2 -o post.ply

# model RULE...: a stair, a beam 1.75 above it, and one beside it.
model() {
	local IFS=,
	echo "{\"bodies\": [{\"file\": \"stair.ply\"},
	 {\"name\": \"above\", \"file\": \"beam.ply\", \"pose\": {\"translation\": [0, 0, 2]}},
	 {\"name\": \"beside\", \"file\": \"beam.ply\", \"pose\": {\"translation\": [0, 1, 0]}}], \"rules\": [$*]}" >model.json
}

model '{"a": "stair", "b": "*", "clearance": 2, "direction": [0, 0, 3], "name": "headroom"}'
expect 1 scene model.json --json
is "[(c['a'], c['b'], c['kind'], c['clearance'], c['rule']) for c in d['clashes']] == [('above', 'stair', 'clearance', 2, 'headroom')]"
is "1.7499 < d['clashes'][0]['distance'] <= 1.75 and d['clashes'][0]['point'][2] > 1.87"
expect 1 scene model.json
says out 'above is in the way of stair: free are 1.75 of 2 in the direction 0 0 1'
expect 0 scene model.json --explain stair,above
says out "rule: 'headroom'"
says out '  the clearance is that in the direction 0 0 1 of stair'
expect 0 scene model.json --explain stair,beside
says out '  no clash: they are 0.375 apart'
model '{"a": "*", "b": "*", "clearance": 2, "direction": [0, 0, -1]}'
expect 0 scene model.json --explain stair,above
says out '  the clearance is that in the direction 0 0 -1 of above, and of stair'
model '{"a": "stair", "b": "*", "clearance": 1.75, "direction": [0, 0, 1]}'
expect 0 scene model.json
model '{"a": "stair", "b": "*", "clearance": 2, "direction": [0, 0, -1]}'
expect 0 scene model.json

# ---- an included file turns its direction, and has its own unit
model '{"a": "stair", "b": "*", "clearance": 1.76, "direction": [0, 0, 1]}'
echo '{"include": [{"name": "in", "file": "model.json", "pose": [1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0]}]}' >outer.json
expect 1 scene outer.json
says out 'in the direction 0 -1 '

# ---- a review knows the clash again, and another direction is another rule
model '{"a": "stair", "b": "*", "clearance": 2, "direction": [0, 0, 1]}'
expect 1 scene model.json --review review.txt
expect 0 scene model.json --review review.txt
model '{"a": "stair", "b": "*", "clearance": 2, "direction": [0, 1, 0]}'
expect 1 scene model.json --review review.txt
says out 'the rules have changed'

# ---- room for insulation, which may be that of its own kind
echo '{"bodies": [{"name": "pipe-1", "file": "post.ply"}, {"name": "pipe-2", "file": "post.ply", "pose": {"translation": [0.13, 0, 0]}},
 {"name": "column", "file": "post.ply", "pose": {"translation": [-0.13, 0, 0]}}],
 "rules": [{"a": "pipe*", "b": "*", "clearance": 0.05}, {"a": "pipe*", "b": "pipe*"}]}' >insulated.json
expect 1 scene insulated.json --json
is "[(c['a'], c['b']) for c in d['clashes']] == [('column', 'pipe-1')]"

# ---- a door
door() { # SWING: against a post that stands at 45 degrees
	echo "{\"bodies\": [{\"name\": \"door\", \"file\": \"leaf.ply\"},
	 {\"name\": \"post\", \"file\": \"post.ply\", \"pose\": {\"translation\": [0.5, 0.5, 1]}}],
	 \"rules\": [{\"a\": \"door\", \"b\": \"*\", \"swing\": $1}]}" >door.json
}
door '{"centre": [0, 0, 0], "axis": [0, 0, 2], "degrees": 90}'
expect 1 scene door.json
says out 'post is in the swing of door: free are 3'
says out ' of 90 degrees'
expect 0 scene door.json --explain door,post
says out 'in the swing by 90 degrees of door'
door '{"centre": [0, 0, 0], "axis": [0, 0, 1], "degrees": -90}'
expect 0 scene door.json
door '{"centre": [0, 0, 0], "axis": [0, 0, 1], "degrees": 30}'
expect 0 scene door.json

# ---- the length of a swing is that of the door, and not of a larger one by the same rule
gen box --size 6,0.05,2 --at 3,0,1 -o gate.ply
doors() { # MORE: a door against a post, and more bodies
	echo "{\"bodies\": [{\"name\": \"door-1\", \"file\": \"leaf.ply\"},
	 {\"name\": \"post\", \"file\": \"post.ply\", \"pose\": {\"translation\": [0.5, 0.5, 1]}}$1],
	 \"rules\": [{\"a\": \"door*\", \"b\": \"*\", \"swing\": {\"centre\": [0, 0, 0], \"axis\": [0, 0, 1], \"degrees\": 90}}]}" >doors.json
}
doors ', {"name": "door-2", "file": "gate.ply", "pose": {"translation": [50, 0, 0]}}'
expect 1 scene doors.json --json --review doors.txt
is "[1.57 < c['clearance'] < 1.573 for c in d['clashes']] == [True]"
expect 0 scene doors.json --explain door-1,post
says out 'clearance 1.57'
cp doors.txt doors-2.txt
doors ''
expect 0 scene doors.json --review doors.txt
says out '1 unchanged'
that 'a smaller largest door is no other rule' [ "$(grep -c 'rules were others' out)" = 0 ]
that 'nor other terms of the pair' [ "$(grep -c ^terms: doors.txt)$(grep -h ^terms: doors.txt doors-2.txt | sort -u | wc -l)" = 11 ]

# ---- what is refused
wrong() { # SENTENCE RULE
	model "$2"
	refuses "$1" scene model.json
}
wrong "needs a pattern 'b'" '{"a": "stair", "clearance": 2, "direction": [0, 0, 1]}'
wrong "'direction' goes with 'clearance'" '{"a": "stair", "b": "*", "direction": [0, 0, 1]}'
wrong "'direction' goes with 'clearance'" '{"a": "stair", "b": "*", "allow": true, "direction": [0, 0, 1]}'
wrong "'swing' with neither" '{"a": "stair", "b": "*", "clearance": 1, "swing": {"centre": [0, 0, 0], "axis": [0, 0, 1], "degrees": 9}}'
wrong "'direction' takes three numbers up to 1e100, not all of them 0" '{"a": "stair", "b": "*", "clearance": 2, "direction": [0, 0, 0]}'
wrong "'direction' takes three numbers" '{"a": "stair", "b": "*", "clearance": 2, "direction": [0, 1]}'
wrong 'no object of centre, axis and degrees' '{"a": "stair", "b": "*", "swing": 90}'
wrong "rules[0].swing: 'degrees' takes a number" '{"a": "stair", "b": "*", "swing": {"centre": [0, 0, 0], "axis": [0, 0, 1]}}'
wrong "'axis' takes three numbers" '{"a": "stair", "b": "*", "swing": {"centre": [0, 0, 0], "axis": [0, 0], "degrees": 9}}'

# ---- two files that are joined keep what their rules say
one() { # NAME FILE Z RULE
	echo "{\"bodies\": [{\"name\": \"$1\", \"file\": \"$2\", \"pose\": {\"translation\": [0, 0, $3]}, \"properties\": {\"system\": \"$1\"}}], \"rules\": [$4]}" >"$1.json"
}
one s stair.ply 0 '{"a": "s", "b": "*", "clearance": 2, "direction": [0, 0, 1], "severity": "minor"}'
one t beam.ply 2 ''
one u beam.ply -0.3 '{"a": "*", "same": "system", "allow": true}'
expect 1 scene s.json t.json --json
is "[c['severity'] for c in d['clashes']] == ['minor']"
expect 1 scene s.json t.json u.json --json
is "[(c['a'], c['b']) for c in d['clashes']] == [('s', 't')]" # u lies below s, and lets bodies of one system meet

finish ways
