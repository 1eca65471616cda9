#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# `dualbvh scene --matrix`: the same clashes as by the rules that the cells stand for.
#
#   matrices.sh path/to/dualbvh

# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"
"$dualbvh" --version | grep -q '^with jansson' || { echo 'matrices: no jansson'; exit 77; }

gen box --size 20,2,2 -o beam.ply # up to z = 1
gen box --size 0.5,0.5,0.5 -o bolt.ply

# model RULES: a duct and a pipe in a beam, and a cable above it.
model() {
	cat >model.json <<-EOF2
		{"bodies": [{"file": "beam.ply", "properties": {"class": "Beam"}},
		 {"name": "duct", "file": "bolt.ply", "pose": {"translation": [-5, 0, 1]}, "properties": {"class": "Duct"}},
		 {"name": "pipe", "file": "bolt.ply", "pose": {"translation": [0, 0, 1.1875]}, "properties": {"class": "Pipe"}},
		 {"name": "cable", "file": "bolt.ply", "pose": {"translation": [5, 0, 1.5]}, "properties": {"class": "Cable"}}],
		 "rules": [$1]}
	EOF2
}
facts='sorted((c["a"], c["b"], c["kind"], c["severity"], c["id"]) for c in d["clashes"])'
# same TABLE RULES: the clashes of a matrix are those of the rules.
same() {
	printf '%b' "$1" >matrix.csv
	model "$2"
	"$dualbvh" scene model.json --json >rules.json
	model ''
	"$dualbvh" scene model.json --matrix matrix.csv --json >out 2>err
	is "[$facts for d in [json.load(open('rules.json'))]][0] == $facts"
}

same ',[class=Beam]\n[class=Duct],-\n' '{"a": "duct", "b": "beam", "allow": true}'
same ',[class=Beam]\nduct,allow\n' '{"a": "duct", "b": "beam", "allow": true}'
same ';beam;duct\nduct;depth=0.3;\ncable;0.5 minor;\npipe;x critical;-\n' \
	'{"a": "duct", "b": "beam", "allowed_depth": 0.3}, {"a": "beam", "b": "cable", "clearance": 0.5, "severity": "minor"}, {"a": "beam", "b": "pipe", "severity": "critical"}'
same '\xEF\xBB\xBFwhat\tbeam\r\n# a comment\r\n\r\ncable\t clearance=0.5 \r\npipe\tvolume=1 depth=1\r\nduct\tgap=0.1 overlap=0.5\r\n' \
	'{"a": "cable", "b": "beam", "clearance": 0.5}, {"a": "pipe", "b": "beam", "allowed_volume": 1, "allowed_depth": 1}, {"a": "duct", "b": "beam", "touch_gap": 0.1, "touch_overlap": 0.5}'
same ',"beam","a,""b"""\n"du*",touch,0.1\n' '{"a": "du*", "b": "beam", "touch": true}'
same ',*\nbeam,0.6 +z minor\n' '{"a": "beam", "b": "*", "clearance": 0.6, "direction": [0, 0, 1], "severity": "minor"}'
same ',*\nbeam,1 -z\n' '{"a": "beam", "b": "*", "clearance": 1, "direction": [0, 0, -1]}'
same ',beam\ncable,swing=-180 hinge=0/0.25/-0.5 +y\n' \
	'{"a": "cable", "b": "beam", "swing": {"centre": [0, 0.25, -0.5], "axis": [0, 1, 0], "degrees": -180}}'
is "any(c['kind'] == 'clearance' for c in d['clashes'])"
# Both halves of the table say the same.
same ',beam,duct,pipe\nbeam,,-,\nduct,-,,\npipe,,,\n' '{"a": "duct", "b": "beam", "allow": true}'
# A later rule goes before: --allow stands behind the matrix, rules of the file before it.
model '{"a": "duct", "b": "beam", "allow": true}'
printf ',beam\nduct,x\npipe,0.1\n' >matrix.csv
expect 1 scene model.json --matrix matrix.csv --json
is "[c['b'] for c in d['clashes']] == ['duct', 'pipe']"
expect 1 scene model.json --matrix matrix.csv --allow 'duct,*' --json
is "[c['b'] for c in d['clashes']] == ['pipe']"
expect 0 scene model.json --matrix matrix.csv --explain duct,beam
says out "line 2, for 'duct' and 'beam'"
printf ',beam\nnone,x\n' >matrix.csv
expect 1 scene model.json --matrix matrix.csv --json
is "d['unused_rules'] == [{'a': 'none', 'b': 'beam', 'file': 'matrix.csv', 'line': 2}]"

# ---- what is refused, with the line
wrong() { # SENTENCE TABLE
	printf '%b' "$2" >wrong.csv
	expect 2 scene model.json --matrix wrong.csv
	says err "$1"
}
wrong "'tuch' says nothing" ',a\nb,tuch\n'
says err 'wrong.csv:2'
wrong "'-1' says nothing" ',a\nb,-1\n'
wrong "'depth=inf' says nothing" ',a\nb,depth=inf\n'
wrong "'-' says nothing" ',a\nb,0.1 -\n'
wrong 'a quote is not closed' ',"a\nb,-\n'
wrong 'more cells than the first one' ',a\nb,-,-\n'
wrong 'a column has no pattern' ',a,,b\nb,-,-\n'
wrong 'a row has no pattern' ',a\n,-\n'
wrong 'no patterns behind' 'a\nb\n'
wrong 'no first row' '\n# nothing\n'
wrong "two cells of 'b' and 'a' differ" ',a,b\na,,-\nb,0.1,\n'
wrong "two cells of 'b' and 'a' differ" ',a,b\na,,1 +z\nb,1 +z,\n'
wrong "'+w' says nothing" ',a\nb,1 +w\n'
wrong "'hinge=0' says nothing" ',a\nb,swing=90 hinge=0/0 +z\n'
wrong "'swing=0' says nothing" ',a\nb,swing=0 hinge=0/0/0 +z\n'
for cell in +z 'swing=90 +z' 'swing=90 hinge=0/0/0' '1 hinge=0/0/0' '1 swing=90 hinge=0/0/0 +z' 'x -y'; do
	wrong 'goes with a clearance' ",a\nb,$cell\n"
done
wrong 'it is no text' ',a\0000\nb,-\n'
expect 2 scene model.json --matrix nothing.csv
refuses 'would be overwritten' scene model.json --matrix matrix.csv --report csv=matrix.csv

# ---- lines that end with carriage returns alone, or with both
for end in '\r' '\r\n'; do
	awk -v end="$end" '{ printf "%s" end, $0 }' matrix.csv >ends.csv
	expect 1 scene model.json --matrix matrix.csv --json
	cp out plain.json
	expect 1 scene model.json --matrix ends.csv --json
	is "d['clashes'] == json.load(open('plain.json'))['clashes']"
done
printf ',a\r\r\nb,tuch\r' >wrong.csv
expect 2 scene model.json --matrix wrong.csv
says err 'wrong.csv:3'

# ---- a rule that matches nothing is named with its file and line
printf '%s\n' ',nobody' '' 'nothing,x' >unused.csv
expect 1 scene model.json --matrix unused.csv
says out "note: unused.csv:3: the rule for 'nothing' and 'nobody' matches nothing"
expect 1 scene model.json --matrix unused.csv --json
is "{'a': 'nothing', 'b': 'nobody', 'file': 'unused.csv', 'line': 3} in d['unused_rules']"

finish matrices
